//! How effects change the tree, computed once per effect.
//!
//! An effect writes some bits of some words: so some bits of some leaves change, and all pairs on the paths
//! from these leaves to the root. Which leaves, bits and pairs these are depends on the layout and not on the
//! state. They are listed when an effect occurs for the first time; after that, applying the effect takes a
//! few masks, and one pair after the other.

use system::{Effect, Key, Write};

use super::layout::{ROOT, TreeLayout};
use super::pairs::{Numbers, join};
use super::tree_cursor::TreeCursor;

/// The paths of the effects of one generation, under one layout.
#[derive(Default, Debug)]
pub struct EffectPaths {
    generation: u64,
    /// By number of the effect, without its generation: the index of its path in `code` plus one, or 0 if the
    /// effect did not occur yet.
    starts: Vec<u32>,
    /// The code of each path: its numbers of lengths, leaves, copies and nodes, the two operands of the root,
    /// then
    /// - lengths: a slot, and the least value it must have;
    /// - leaves: a leaf, a mask, and the bits that the leaf gets under the mask;
    /// - copies: the index of one of these leaves, a slot, the number of bits by which its word is rotated to
    ///   the right, and a mask of the result, which the leaf gets as well;
    /// - nodes, children first: its position, its two operands, and, as bits, which results these are.
    ///
    /// If the two operands of the root are equal, the effect has no path.
    code: Vec<u32>,
}

/// Operands from here on are results, first those of leaves and then those of nodes. Others are positions.
const RESULTS: u32 = 1 << 31;
/// Effects with more results than this have no path.
const MOST_RESULTS: usize = 32;
/// When the code has this length, no more paths are computed: it should stay in the caches of the processor.
const MOST_CODE: usize = 1 << 18;

impl EffectPaths {
    /// The root pair after an effect. `None` if a word does not exist, or if the effect has no path: then use
    /// [`TreeCursor::predict`].
    #[inline(never)]
    pub fn apply(
        &mut self,
        layout: &TreeLayout,
        pairs: &mut impl Numbers,
        tree: &TreeCursor,
        effect: Effect<'_>,
    ) -> Option<u64> {
        let start = match self.starts.get(effect.number as u32 as usize) {
            Some(&start) if start != 0 && self.generation == effect.number >> 32 => start as usize - 1,
            _ => self.add(layout, effect),
        };
        let (head, code) = self.code[start..].split_first_chunk::<6>()?;
        let &[lengths, leaves, copies, nodes, left, right] = head;
        let (lengths, code) = code.split_at(2 * lengths as usize);
        let (leaves, code) = code.split_at(3 * leaves as usize);
        let (copies, code) = code.split_at(4 * copies as usize);
        let nodes = &code[..4 * nodes as usize];
        if left == right {
            return None;
        }
        let (words, numbers) = tree.contents();
        for &[slot, least] in lengths.as_chunks().0 {
            if words[slot as usize] < u64::from(least) {
                return None;
            }
        }
        let mut results = [0; MOST_RESULTS];
        // The results that differ from the present numbers, as bits. Above the other results nothing changes.
        let mut changed = 0_u32;
        let leaves: &[[u32; 3]] = leaves.as_chunks().0;
        for (result, &[leaf, mask, bits]) in results.iter_mut().zip(leaves) {
            *result = numbers[leaf as usize] & !mask | bits;
        }
        for &[result, slot, rotation, mask] in copies.as_chunks().0 {
            results[result as usize % MOST_RESULTS] |=
                words[slot as usize].rotate_right(rotation) as u32 & mask;
        }
        for (count, &[leaf, ..]) in leaves.iter().enumerate() {
            changed |= u32::from(results[count % MOST_RESULTS] != numbers[leaf as usize]) << count;
        }
        let operand = |results: &[u32; MOST_RESULTS], operand: u32| match operand.checked_sub(RESULTS) {
            Some(result) => results[result as usize % MOST_RESULTS],
            None => numbers[operand as usize],
        };
        for (count, &[position, left, right, operands]) in (leaves.len()..).zip(nodes.as_chunks().0) {
            let old = numbers[position as usize];
            let mut new = old;
            if changed & operands != 0 {
                new = pairs.number(join(operand(&results, left), operand(&results, right))).ok()?;
                changed |= u32::from(new != old) << count;
            }
            results[count % MOST_RESULTS] = new;
        }
        Some(join(operand(&results, left), operand(&results, right)))
    }

    /// Computes a path, and returns its index in `code`.
    #[cold]
    fn add(&mut self, layout: &TreeLayout, effect: Effect<'_>) -> usize {
        let (generation, number) = (effect.number >> 32, effect.number as u32 as usize);
        if self.generation != generation {
            self.starts.clear();
            self.code.clear();
            self.generation = generation;
        }
        if self.starts.len() <= number {
            self.starts.resize(number + 1, 0);
        }
        let start = self.code.len();
        self.starts[number] = start as u32 + 1;
        if !self.write(layout, effect) {
            self.code.truncate(start);
            self.code.extend([0; 6]);
        }
        start
    }

    fn write(&mut self, layout: &TreeLayout, effect: Effect<'_>) -> bool {
        if layout.inner() == 0 || self.code.len() > MOST_CODE {
            return false;
        }
        let mut lengths: Vec<[u32; 2]> = Vec::new();
        let mut leaves: Vec<[u32; 3]> = Vec::new();
        let mut copies: Vec<[u32; 4]> = Vec::new();
        let mut nodes: Vec<u32> = Vec::new();
        // The components that did not exist before.
        let mut come: Vec<Key> = Vec::new();
        for (at, write) in effect.writes.iter().enumerate() {
            // Copies read the words from before the effect: no word may be written twice.
            let is_same = |other: &Write| (other.key, other.word) == (write.key, write.word);
            if effect.writes[..at].iter().any(is_same) {
                return false;
            }
            let span = layout.span(write.key);
            // The word before the others is the length of the component plus one.
            let slot = if write.word == Write::LENGTH {
                if !span.has_room(write.bits) {
                    return false;
                }
                if write.bits > 0 {
                    come.push(write.key);
                }
                span.first
            } else {
                if span.count < write.word + 2 {
                    return false;
                }
                match lengths.iter_mut().find(|[slot, _]| *slot == span.first) {
                    _ if come.contains(&write.key) => {}
                    Some([_, least]) => *least = (*least).max(write.word + 2),
                    None => lengths.push([span.first, write.word + 2]),
                }
                span.first + 1 + write.word
            };
            for field in layout.fields(slot as usize) {
                let (mask, bits) = (field.place(write.mask), field.place(write.bits & write.mask));
                if mask == 0 {
                    continue;
                }
                let known = leaves.iter().position(|[leaf, ..]| *leaf == field.leaf);
                let result = known.unwrap_or(leaves.len());
                if known.is_none() {
                    leaves.push([field.leaf, 0, 0]);
                }
                let [_, all, value] = &mut leaves[result];
                (*all, *value) = (*all | mask, *value & !mask | bits);
                let copied = field.place(write.copied & u64::MAX >> write.shift);
                if copied != 0 {
                    copies.push([result as u32, slot, (field.rotation + write.shift) % 64, copied]);
                }
                let mut above = field.above;
                while above != ROOT && !nodes.contains(&above) {
                    nodes.push(above);
                    above = layout.node(above).above;
                }
            }
        }
        // Numbers of nodes grow from the root on.
        nodes.sort_unstable_by(|a, b| b.cmp(a));
        if leaves.len() + nodes.len() > MOST_RESULTS {
            return false;
        }
        let operand = |position: u32| {
            let result = match position.checked_sub(layout.leaves() as u32) {
                None => leaves.iter().position(|[leaf, ..]| *leaf == position),
                Some(inner) => {
                    nodes.iter().position(|&node| node == inner).map(|result| leaves.len() + result)
                }
            };
            result.map_or(position, |result| RESULTS + result as u32)
        };
        let counts = [lengths.len(), leaves.len(), copies.len(), nodes.len()].map(|count| count as u32);
        self.code.extend(counts);
        self.code.extend(layout.node(ROOT).children.map(operand));
        self.code.extend(lengths.iter().flatten());
        self.code.extend(leaves.iter().flatten());
        self.code.extend(copies.iter().flatten());
        for &node in &nodes {
            let operands = layout.node(node).children.map(operand);
            let results = operands.iter().filter_map(|operand| operand.checked_sub(RESULTS));
            let bits = results.map(|result| 1_u32 << result).sum();
            self.code.extend([layout.leaves() as u32 + node, operands[0], operands[1], bits]);
        }
        true
    }
}
