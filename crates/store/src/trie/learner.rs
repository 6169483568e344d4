//! Learns the tree that suits a sample of states.
//!
//! An inner node of the tree is stored once for each combination of the values below it, so a good tree joins
//! parts that have few combinations. Parts that hardly vary come first; then parts that depend on each other,
//! like a process and the channel that it reads: their values partly determine each other. The tree grows
//! from fields of words whose bits vary to the root: of all parts, the two with the fewest combinations in
//! the sample are joined. As long as they have no more bits than a leaf can have, they become one leaf, which
//! costs nothing; otherwise an inner node. Two halves that vary about equally remain for the root.
//!
//! This takes time quadratic in the number of parts. If too many bits vary, they are divided into wider
//! fields; if these are still too many, the fields of a component are joined first; and if that is not
//! enough, neighbours.
//!
//! Near the root nearly all combinations are different, and the best choice for two parts is not the best for
//! all. So the last parts are joined optimally ([`last_parts`]).
//!
//! Components whose lengths vary may become longer than any in the sample: they get room for that.
//!
//! Bits that never varied may still vary. They get their places after everything is joined
//! ([`super::complete`]).

mod last_parts;

use rustc_hash::{FxHashMap, FxHashSet};
use system::{Encoding, Key};

use super::complete::complete;
use super::layout::{Bits, LEAF_BITS, LENGTH_BITS, Slot, Tree, TreeLayout, WORD_BITS};
use crate::mix::mix;

/// The greatest numbers of words and of states that are examined.
const ENOUGH: usize = 1 << 19;
const ENOUGH_STATES: usize = 1 << 12;
/// The greatest number of parts that are joined by their combinations in the sample.
const MOST_PARTS: usize = 64;
/// The approximate number of values that are examined to join them: per stored state, and in total.
const EFFORT: usize = 1 << 7;
const LEAST_EFFORT: usize = 1 << 14;
const MOST_EFFORT: usize = 1 << 22;
/// The greatest width of a field. The first of these that does not yield too many parts is used.
const WIDTHS: [u32; 3] = [8, 16, 32];
/// Fewer parts than this are joined optimally.
const LAST_PARTS: usize = 10;

/// A sample of states, from which a layout is learned.
#[derive(Default, Debug)]
pub struct ShapeLearner {
    states: usize,
    words: usize,
    /// By component: the values of its length plus one, and of its words, by state, up to the last state that
    /// had the component. Missing values are 0.
    columns: FxHashMap<Key, Vec<Vec<u64>>>,
}

/// A word of the states.
struct Column {
    slot: Slot,
    /// The number of bits of the word.
    width: u32,
    values: Vec<u64>,
    /// The bits that vary.
    varying: u64,
}

/// A part of the tree.
struct Part {
    tree: Tree,
    /// The number of bits if the part is a leaf, otherwise more than a leaf can have.
    width: u32,
    leaves: usize,
    /// By state: the combination of the values of its fields, as a sum of hashes.
    values: Vec<u64>,
}

/// The number of states of `words` words that are worth examining.
pub fn enough_states(words: usize) -> usize {
    (ENOUGH / words).clamp(1, ENOUGH_STATES)
}

impl ShapeLearner {
    pub fn add(&mut self, encoding: &Encoding) {
        for (key, words) in encoding.components() {
            let columns = self.columns.entry(key).or_default();
            if columns.len() <= words.len() {
                columns.resize(words.len() + 1, Vec::new());
            }
            let length = words.len() as u64 + 1;
            for (column, &word) in columns.iter_mut().zip([&length].into_iter().chain(words)) {
                column.resize(self.states, 0);
                column.push(word);
            }
            self.words += words.len() + 1;
        }
        self.states += 1;
    }

    pub fn is_enough(&self) -> bool {
        self.words >= ENOUGH
    }

    /// Computes a layout for `states` stored states.
    pub fn layout(mut self, states: usize) -> TreeLayout {
        let effort = (states * EFFORT).clamp(LEAST_EFFORT, MOST_EFFORT);
        let mut components: Vec<(Key, Vec<Vec<u64>>)> = self.columns.drain().collect();
        components.sort_unstable_by_key(|&(key, _)| key);
        for (_, columns) in &mut components {
            leave_room(columns);
        }
        let lengths: Vec<(Key, usize)> =
            components.iter().map(|(key, columns)| (*key, columns.len() - 1)).collect();
        let mut slots = 1..;
        let components: Vec<Vec<Column>> = components
            .into_iter()
            .map(|(_, columns)| {
                let widths = std::iter::once(LENGTH_BITS).chain(std::iter::repeat(WORD_BITS));
                let columns = slots.by_ref().zip(widths).zip(columns);
                columns.map(|((slot, width), values)| Column::new(slot, width, values, self.states)).collect()
            })
            .collect();
        let varying = components.iter().flatten().map(|column| column.varying);
        let varying: Vec<u64> = std::iter::once(0).chain(varying).collect();
        TreeLayout::new(&lengths, &self.tree(&components, states, effort)).expecting(&varying)
    }

    fn tree(&self, components: &[Vec<Column>], stored: usize, effort: usize) -> Tree {
        let cut = |width| {
            let parts = |columns: &Vec<Column>| columns.iter().flat_map(|column| column.cut(width)).collect();
            components.iter().map(parts).collect::<Vec<Vec<Part>>>()
        };
        let count = |parts: &[Vec<Part>]| parts.iter().map(Vec::len).sum::<usize>();
        let mut varying = Vec::new();
        for width in WIDTHS {
            varying = cut(width);
            if count(&varying) < MOST_PARTS {
                break;
            }
        }
        let mut parts: Vec<Part> = if count(&varying) < MOST_PARTS {
            varying.into_iter().flatten().collect()
        } else {
            let parts = varying.into_iter().filter(|parts| !parts.is_empty());
            parts.map(|parts| Part::of_neighbours(parts, LEAF_BITS)).collect()
        };
        if parts.len() >= MOST_PARTS {
            parts = Part::in_groups(parts);
        }
        // Stands for all bits that never varied.
        let constant = Part {
            tree: Tree::Rest,
            width: LEAF_BITS + 1,
            leaves: components.iter().map(Vec::len).sum(),
            values: vec![0; self.states],
        };
        join(&mut parts, self.states, effort);
        let mut tree = last_parts::join(parts, constant, stored, effort);
        complete(&mut tree, components.iter().flatten().map(|column| column.width));
        tree
    }
}

/// Adds words to a component whose length varied: it may become longer. A component that does not fit is kept
/// as a list, which takes much more than a few words that are 0.
fn leave_room(columns: &mut Vec<Vec<u64>>) {
    let lengths = columns[0].iter().filter(|&&length| length != 0);
    let least = lengths.min().map_or(0, |&least| least as usize);
    let growth = (columns.len() - least).div_ceil(2);
    columns.resize(columns.len() + growth, Vec::new());
}

impl Column {
    fn new(slot: Slot, width: u32, mut values: Vec<u64>, states: usize) -> Self {
        values.resize(states, 0);
        let varying = values.iter().fold(0, |varying, value| varying | value ^ values[0]);
        Self { slot, width, values, varying }
    }

    /// The fields that vary, each at most `most` bits wide.
    fn cut(&self, most: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut bits = self.varying;
        while bits != 0 {
            let from = bits.trailing_zeros();
            let width = (bits >> from).trailing_ones().min(most);
            let field = Bits { slot: self.slot, from, width };
            bits &= !field.mask();
            parts.push(Part {
                tree: Tree::Leaf(vec![field]),
                width,
                leaves: 1,
                values: self.values.iter().map(|&value| mix(salt(field) ^ field.of(value))).collect(),
            });
        }
        parts
    }
}

impl Part {
    /// The binary logarithm of the number of combinations.
    fn weight(&self) -> f64 {
        (self.values.iter().collect::<FxHashSet<_>>().len() as f64).log2()
    }

    /// Joins two parts: to one leaf, if there is room for both, otherwise to an inner node.
    fn join(self, other: Self) -> Self {
        let mut values = self.values;
        add(&mut values, &other.values);
        match (self.tree, other.tree) {
            (Tree::Leaf(mut bits), Tree::Leaf(more)) if self.width + other.width <= LEAF_BITS => {
                bits.extend(more);
                Self { tree: Tree::Leaf(bits), width: self.width + other.width, leaves: 1, values }
            }
            (left, right) => Self {
                tree: Tree::join(left, right),
                width: LEAF_BITS + 1,
                leaves: self.leaves + other.leaves,
                values,
            },
        }
    }

    /// Joins at least one part, in their order. A leaf is made of several parts only as long as it has at
    /// most `most_bits` bits.
    fn of_neighbours(parts: Vec<Self>, most_bits: u32) -> Self {
        let mut packed: Vec<Self> = Vec::new();
        for part in parts {
            match packed.pop() {
                Some(last) if last.width + part.width <= most_bits => packed.push(last.join(part)),
                last => packed.extend(last.into_iter().chain([part])),
            }
        }
        if packed.len() == 1 {
            return packed.remove(0);
        }
        let leaves = packed.iter().map(|part| part.leaves).sum();
        let mut values = vec![0; packed[0].values.len()];
        for part in &packed {
            add(&mut values, &part.values);
        }
        let trees = packed.into_iter().map(|part| (part.weight(), part.tree));
        let tree = Tree::balanced(trees.map(|(weight, tree)| (tree, weight)).collect());
        Self { tree, width: LEAF_BITS + 1, leaves, values }
    }

    /// Forms few groups of neighbours of about the same weight. With so many components, a sample shows only
    /// some of the values: half of each leaf is reserved for the bits next to those that varied.
    fn in_groups(parts: Vec<Self>) -> Vec<Self> {
        let weights: Vec<f64> = parts.iter().map(Self::weight).collect();
        let limit = weights.iter().sum::<f64>() / (MOST_PARTS - 2) as f64;
        let mut groups: Vec<Vec<Self>> = Vec::new();
        let mut sum = f64::INFINITY;
        for (part, weight) in parts.into_iter().zip(weights) {
            if sum + weight / 2.0 > limit {
                groups.push(Vec::new());
                sum = 0.0;
            }
            sum += weight;
            groups.last_mut().expect("the first part begins one").push(part);
        }
        groups.into_iter().map(|group| Self::of_neighbours(group, LEAF_BITS / 2)).collect()
    }
}

/// A number of its own for each field, among the values of fields.
fn salt(field: Bits) -> u64 {
    (field.slot as u64 + 1) << 38 | u64::from(field.from) << 32
}

/// The combinations of two lists of values.
fn add(left: &mut [u64], right: &[u64]) {
    left.iter_mut().zip(right).for_each(|(left, right)| *left = left.wrapping_add(*right));
}

/// Joins parts, those with the fewest combinations first, until only a few are left.
fn join(parts: &mut Vec<Part>, states: usize, effort: usize) {
    let stride = (parts.len() * parts.len() * states / effort).max(1);
    let mut counter = Counter::new(states / stride + 1);
    let mut count = |a: &Part, b: &Part| {
        let pairs = a.values.iter().zip(&b.values).step_by(stride);
        counter.count(pairs.map(|(a, b)| a.wrapping_add(*b)))
    };
    // The numbers of combinations of each part with those before it.
    let mut joint: Vec<Vec<usize>> = (0..parts.len())
        .map(|at| parts[..at].iter().map(|other| count(&parts[at], other)).collect())
        .collect();
    while parts.len() >= LAST_PARTS {
        let pairs = (1..parts.len()).flat_map(|right| (0..right).map(move |left| (left, right)));
        // Among equal pairs the smaller one is chosen, so that the tree does not become deep.
        let cost = |&(left, right): &(usize, usize)| {
            (joint[right][left], parts[left].leaves + parts[right].leaves, right)
        };
        let (left, right) = pairs.min_by_key(cost).expect("there are two parts");
        let b = parts.remove(right);
        joint.remove(right);
        joint[right..].iter_mut().for_each(|row| _ = row.remove(right));
        let a = parts.remove(left);
        parts.insert(left, a.join(b));
        for other in 0..parts.len() {
            let number = count(&parts[left], &parts[other]);
            match other.cmp(&left) {
                std::cmp::Ordering::Less => joint[left][other] = number,
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => joint[other][left] = number,
            }
        }
    }
}

/// Estimates the number of distinct words, which are hashes, by the bits that they set.
struct Counter {
    bits: Vec<u64>,
}

impl Counter {
    /// A counter for this number of words.
    fn new(words: usize) -> Self {
        Self { bits: vec![0; (words / 16 + 1).next_power_of_two()] }
    }

    fn count(&mut self, words: impl Iterator<Item = u64>) -> usize {
        self.bits.fill(0);
        self.add(words);
        self.estimate().round() as usize
    }

    /// The numbers of distinct words among the first ones, and in all.
    fn growth(&mut self, words: &[u64], first: usize) -> (f64, f64) {
        let (first, second) = words.split_at(first);
        self.bits.fill(0);
        self.add(first.iter().copied());
        let half = self.estimate();
        self.add(second.iter().copied());
        (half, self.estimate())
    }

    fn add(&mut self, words: impl Iterator<Item = u64>) {
        // The length is a power of two.
        let last = self.bits.len() - 1;
        for word in words {
            self.bits[(word >> 32) as usize & last] |= 1 << (word >> 58);
        }
    }

    fn estimate(&self) -> f64 {
        let size = (self.bits.len() * 64) as f64;
        let set: u32 = self.bits.iter().map(|bits| bits.count_ones()).sum();
        // Corrects for colliding hashes.
        -(1.0 - f64::from(set) / size).ln() * size
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use system::Section;

    use super::*;

    const ROOT: Key = Key { section: Section::Root, index: 0 };

    fn sample(states: impl Iterator<Item = Vec<u64>>) -> ShapeLearner {
        let mut sample = ShapeLearner::default();
        for words in states {
            let mut encoding = Encoding::new();
            encoding.set(ROOT, &words);
            sample.add(&encoding);
        }
        sample
    }

    /// The number of inner nodes except for the root that a layout needs for some states.
    fn inner_nodes(layout: &TreeLayout, states: impl Iterator<Item = Vec<u64>>) -> usize {
        let mut nodes = vec![HashSet::new(); layout.inner()];
        for words in states {
            let mut below = vec![Vec::new(); layout.positions()];
            below[..layout.leaves()].fill(vec![0]);
            let length = words.len() as u64 + 1;
            for (slot, word) in (1..).zip([length].into_iter().chain(words)) {
                for field in layout.fields(slot) {
                    below[field.leaf as usize][0] |= field.place(word);
                }
            }
            for (inner, seen) in nodes.iter_mut().enumerate().skip(1).rev() {
                let [left, right] =
                    layout.node(inner as u32).children.map(|child| &below[child as usize][..]);
                let both = [left, right].concat();
                seen.insert(both.clone());
                below[layout.leaves() + inner] = both;
            }
        }
        nodes.iter().map(HashSet::len).sum()
    }

    /// Spreads a small number over a word.
    fn wide(number: u64) -> u64 {
        mix(number + 1)
    }

    #[test]
    fn words_that_go_together_are_joined() {
        // Word i and word i + 4 are equal.
        let states =
            || (0..10_000_u64).map(|i| (0..8).map(|word| wide(i / 10_u64.pow(word % 4) % 10)).collect());
        let layout = sample(states().step_by(3)).layout(1 << 20);
        // Two pairs of pairs with at most 100 combinations each, and others with 10.
        assert!(inner_nodes(&layout, states()) < 500, "{}", inner_nodes(&layout, states()));
    }

    #[test]
    fn both_halves_vary() {
        // Most words are constant, the others independent.
        let states = || {
            (0..65_536_u64).map(|i| {
                (0..40).map(|word| if word % 10 == 3 { wide(i >> (word / 10 * 4) & 15) } else { 7 }).collect()
            })
        };
        let states = || states().map(|words: Vec<u64>| words);
        let layout = sample(states().step_by(15)).layout(1 << 20);
        assert!(inner_nodes(&layout, states()) < 1200, "{}", inner_nodes(&layout, states()));
    }

    #[test]
    fn many_words_that_vary() {
        for words in [1, 9, 10, 11, 63, 64, 65, 200, 1000] {
            let number = |i, word| (i + word) % 11 / 10;
            let states = || (0..300_u64).map(move |i| (0..words).map(|word| wide(number(i, word))).collect());
            let layout = sample(states()).layout(1 << 20);
            assert!(inner_nodes(&layout, states()) < 60 * words as usize);
        }
    }

    /// Varying bits form one leaf or two, wherever they are; constant bits are elsewhere. Two halves with few
    /// values are interned instead.
    #[test]
    fn few_bits_need_no_inner_nodes() {
        for bits in [1, 20, 32] {
            let states = || {
                (0..5000_u64).map(move |i| {
                    let state = mix(i) >> (64 - bits);
                    let bit =
                        |word: u64| (word..bits).step_by(5).map(|bit| (state >> bit & 1) << (bit * 2)).sum();
                    (0..5).map(bit).collect::<Vec<u64>>()
                })
            };
            let layout = sample(states()).layout(1 << 20);
            // Those of the constant part.
            assert!(
                inner_nodes(&layout, states()) <= layout.inner() + if bits == 20 { 2 << 10 } else { 0 },
                "{bits}: {}",
                inner_nodes(&layout, states())
            );
        }
    }

    /// A tree that always joins the two smallest parts would have to join two of three independent parts
    /// here.
    #[test]
    fn the_last_parts_are_joined_as_is_best() {
        // Two leaves take 32 bits and 4, to which the constant part can be joined, rather than 18 each.
        let states = || (0..40_000_u64).map(|i| vec![mix(i) >> 28]);
        let layout = sample(states().step_by(8)).layout(1 << 20);
        assert!(inner_nodes(&layout, states()) < 300, "{}", inner_nodes(&layout, states()));
    }

    /// Leaves with few values of many bits are not children of the root.
    #[test]
    fn few_values_have_small_numbers() {
        let states = || (0..60_000_u64).map(|i| vec![mix(i % 200 + 1) >> 34, mix(i / 200 + 1) >> 34]);
        let layout = sample(states().step_by(15)).layout(60_000);
        let children = layout.node(crate::trie::layout::ROOT).children;
        assert!(children.iter().all(|&child| child as usize >= layout.leaves()), "{children:?}");
        assert!(inner_nodes(&layout, states()) < 600, "{}", inner_nodes(&layout, states()));
    }

    #[test]
    fn components_of_a_sample() {
        let thread = |index| Key { section: Section::Threads, index };
        let mut sample = ShapeLearner::default();
        for len in [1, 3, 0] {
            let mut encoding = Encoding::new();
            encoding.set(thread(2), &vec![len as u64; len]);
            encoding.set(thread(0), &[]);
            sample.add(&encoding);
        }
        let layout = sample.layout(1 << 20);
        assert!(layout.components().eq([thread(0), thread(2)]));
        // The second one may become longer, by half of what it did.
        assert_eq!((layout.span(thread(0)).count, layout.span(thread(2)).count), (1, 6));
    }

    /// Fields that vary have room to vary more.
    #[test]
    fn leaves_are_filled_up() {
        let layout = sample((0..100).map(|i| vec![(i % 10) << 7, 5, i / 10])).layout(1 << 20);
        // Two fields of four bits, which become as wide as possible.
        let [first, third] = [2, 4].map(|slot| layout.still()[slot]);
        assert_eq!((first & 0xffff << 7, third & 0xffff), (0, 0));
    }

    /// Also if many components vary.
    #[test]
    fn leaves_of_many_components_are_filled_up() {
        let object = |index| Key { section: Section::Objects, index };
        let mut sample = ShapeLearner::default();
        for state in 0..=20 {
            let mut encoding = Encoding::new();
            for index in 0..2000 {
                // Each component was written once so far, and will be written again.
                encoding.set(object(index), &[u64::from(state > index / 100) << 2 | 0x700]);
            }
            sample.add(&encoding);
        }
        let layout = sample.layout(1 << 20);
        for index in 0..2000 {
            let field = layout.fields(layout.span(object(index)).first as usize + 1)[0];
            assert_eq!(field.mask & 0b1111, 0b1100, "{index}");
        }
    }

    #[test]
    fn fields_end_where_bits_do_not_vary() {
        let cut = |values: [u64; 2], most| {
            let parts = Column::new(1, 64, values.to_vec(), 2).cut(most);
            let fields = parts.into_iter().map(|part| match part.tree {
                Tree::Leaf(fields) => (fields[0].from, fields[0].width),
                _ => panic!("it is a leaf"),
            });
            fields.collect::<Vec<_>>()
        };
        assert_eq!(cut([7, 7], 8), []);
        assert_eq!(cut([0, 0b11_0101], 8), [(0, 1), (2, 1), (4, 2)]);
        assert_eq!(cut([0, u64::MAX], 32), [(0, 32), (32, 32)]);
        assert_eq!(cut([1 << 63, 1 << 40], 8), [(40, 1), (63, 1)]);
        assert_eq!(cut([0, 0x1ff], 8), [(0, 8), (8, 1)]);
    }

    #[test]
    fn counting_is_about_right() {
        let mut counter = Counter::new(20_000);
        for different in [1_u64, 10, 1000, 20_000] {
            let count = counter.count((0..20_000).map(|i| mix(i % different * 77))) as f64;
            assert!((count / different as f64 - 1.0).abs() < 0.05, "{count} of {different}");
        }
    }
}
