//! Assigns places to the bits that never varied in a sample.
//!
//! They may still vary. A leaf that has room takes some of the bits next to its own, which costs nothing; the
//! other bits form one part, together with the rest, with as many leaves as necessary.

use super::layout::{Bits, LEAF_BITS, Tree, WORD_BITS};

/// Puts all bits that are not there yet into a tree: those of words with these widths, from slot 1 on.
pub fn complete(tree: &mut Tree, widths: impl Iterator<Item = u32>) {
    let all = widths.map(|width| u64::MAX >> (u64::BITS - width));
    let mut free = Free { bits: std::iter::once(0).chain(all).collect() };
    free.take(tree);
    free.widen(tree);
    let leaves = free.leaves().into_iter().chain([Tree::Rest]);
    let part = Tree::balanced(leaves.map(|leaf| (leaf, 0.0)).collect());
    replace_rest(tree, &mut Some(part));
}

/// The bits that are in no leaf yet.
struct Free {
    /// By slot.
    bits: Vec<u64>,
}

impl Free {
    /// Removes the bits of the leaves.
    fn take(&mut self, tree: &Tree) {
        match tree {
            Tree::Leaf(bits) => bits.iter().for_each(|bits| self.bits[bits.slot] &= !bits.mask()),
            Tree::Rest => {}
            Tree::Join(halves) => halves.iter().for_each(|half| self.take(half)),
        }
    }

    /// Fills leaves up with the bits next to their own.
    fn widen(&mut self, tree: &mut Tree) {
        match tree {
            Tree::Leaf(fields) => {
                let mut room = LEAF_BITS - fields.iter().map(|field| field.width).sum::<u32>();
                // First upwards, since numbers grow, by one bit at a time each; then downwards.
                for up in [true, false] {
                    let mut grows = true;
                    while grows {
                        grows = false;
                        for field in fields.iter_mut().take(room as usize) {
                            let wider = Bits {
                                from: field.from - u32::from(!up && field.from > 0),
                                width: field.width + 1,
                                ..*field
                            };
                            let end = wider.from + wider.width;
                            if end <= WORD_BITS && wider.mask() & !field.mask() & self.bits[field.slot] != 0 {
                                self.bits[field.slot] &= !wider.mask();
                                *field = wider;
                                room -= 1;
                                grows = true;
                            }
                        }
                    }
                }
                *fields = merge_adjacent(std::mem::take(fields));
            }
            Tree::Rest => {}
            Tree::Join(halves) => halves.iter_mut().for_each(|half| self.widen(half)),
        }
    }

    /// Leaves with all remaining bits.
    fn leaves(mut self) -> Vec<Tree> {
        let mut leaves = Vec::new();
        let mut fields: Vec<Bits> = Vec::new();
        let mut room = LEAF_BITS;
        for (slot, bits) in self.bits.iter_mut().enumerate() {
            while *bits != 0 {
                let from = bits.trailing_zeros();
                let width = (*bits >> from).trailing_ones().min(room);
                let field = Bits { slot, from, width };
                fields.push(field);
                *bits &= !field.mask();
                room -= width;
                if room == 0 {
                    leaves.push(Tree::Leaf(std::mem::take(&mut fields)));
                    room = LEAF_BITS;
                }
            }
        }
        if !fields.is_empty() {
            leaves.push(Tree::Leaf(fields));
        }
        leaves
    }
}

/// Sorts fields, and merges adjacent ones.
fn merge_adjacent(mut fields: Vec<Bits>) -> Vec<Bits> {
    fields.sort_unstable();
    let mut merged: Vec<Bits> = Vec::new();
    for field in fields {
        match merged.last_mut() {
            Some(last) if last.slot == field.slot && last.from + last.width == field.from => {
                last.width += field.width;
            }
            _ => merged.push(field),
        }
    }
    merged
}

/// Replaces the rest by a tree.
fn replace_rest(tree: &mut Tree, with: &mut Option<Tree>) {
    match tree {
        Tree::Leaf(_) => {}
        Tree::Rest => *tree = with.take().expect("there is one rest"),
        Tree::Join(halves) => halves.iter_mut().for_each(|half| replace_rest(half, with)),
    }
}
