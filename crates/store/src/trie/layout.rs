//! The places of the bits of a state in the tree.
//!
//! To a layout, a state is a row of words: for each component its length plus one, or 0 if it does not exist,
//! and then its words, padded with zeros to the greatest length that the layout knows. The index of a word in
//! the row is a slot. A leaf consists of fields of words, of at most 32 bits in all, so it is its own number
//! and there is no table of leaves. Each bit of each word is in exactly one leaf, which is all that exactness
//! requires; which bits are together, and how the tree joins the leaves, is learned from a sample of states
//! ([`super::learner`]). The last leaf, the rest, stands for the components that do not fit.
//!
//! Inner nodes are numbered from the root on. So those that change all the time have the least numbers, since
//! those that hardly ever change are far below.

use std::collections::VecDeque;

use system::{Key, Section};

/// An index of a node of the tree: leaves first, then inner nodes.
pub type Position = usize;

/// An index into the row of words. Slot 0 is never used.
pub type Slot = usize;

/// The places of all bits of states in the tree, and the shape of the tree.
#[derive(Debug)]
pub struct TreeLayout {
    /// By section and index.
    spans: [Vec<Span>; 3],
    /// By slot, except for the first: its component.
    keys: Vec<Key>,
    /// By slot: the index of its first field. One entry more than slots.
    first_fields: Vec<u32>,
    fields: Vec<Field>,
    /// By leaf, except for the last: the index of its first source. One entry more.
    first_sources: Vec<u32>,
    sources: Vec<Source>,
    /// By leaf, except for the last, and bit: which of its sources the bit belongs to.
    source_of: Vec<u8>,
    /// The leaves that are likely to change.
    lively: Vec<Lively>,
    /// By leaf, except for the last: whether it is one of them.
    is_lively: Vec<bool>,
    /// By slot: the bits that are in other leaves.
    still: Vec<u64>,
    /// The inner node above the rest.
    above_rest: u32,
    nodes: Vec<Node>,
}

/// The slots of a component: its length, and then its words.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Span {
    pub first: u32,
    pub count: u32,
}

/// A field of a word, and its place in a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub mask: u64,
    /// The number of bits by which the field is rotated to the right to reach its place.
    pub rotation: u32,
    pub leaf: u32,
    /// The inner node above the leaf.
    pub above: u32,
}

/// A field of a leaf, and its place in a word: the inverse of [`Field`].
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub mask: u32,
    rotation: u32,
    pub slot: u32,
}

/// A leaf that is likely to change.
#[derive(Clone, Copy, Debug)]
pub struct Lively {
    pub leaf: u32,
    /// The inner node above the leaf.
    pub above: u32,
}

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub children: [u32; 2],
    /// The inner node above.
    pub above: u32,
}

/// Stands for the inner node above the root.
pub const NOWHERE: u32 = u32::MAX;
/// The inner node whose pair is the state.
pub const ROOT: u32 = 0;

/// Adjacent bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bits {
    pub slot: Slot,
    pub from: u32,
    pub width: u32,
}

/// The greatest number of bits of a leaf.
pub const LEAF_BITS: u32 = u32::BITS;
/// The numbers of bits of a length, and of a word.
pub const LENGTH_BITS: u32 = 32;
pub const WORD_BITS: u32 = 64;

/// The leaves of a layout, and how they are joined.
#[derive(Debug)]
pub enum Tree {
    Leaf(Vec<Bits>),
    Rest,
    Join(Box<[Tree; 2]>),
}

impl TreeLayout {
    /// The layout for components with these numbers of words, in the order of their keys, which take up the
    /// slots from 1 on. The leaves of the tree must contain all of their bits, and the rest.
    pub fn new(components: &[(Key, usize)], tree: &Tree) -> Self {
        let mut spans: [Vec<Span>; 3] = Default::default();
        let mut keys = Vec::new();
        let mut missing = vec![0];
        for &(key, words) in components {
            let spans = &mut spans[key.section as usize];
            spans.resize(key.index as usize + 1, Span::default());
            let count = words + 1;
            spans[key.index as usize] = Span { first: keys.len() as u32 + 1, count: count as u32 };
            keys.resize(keys.len() + count, key);
            missing.push(low(LENGTH_BITS));
            missing.resize(keys.len() + 1, low(WORD_BITS));
        }
        let leaves = tree.leaves();
        let mut layout = Self {
            spans,
            keys,
            first_fields: vec![0],
            fields: Vec::new(),
            first_sources: vec![0],
            sources: Vec::new(),
            source_of: Vec::new(),
            lively: Vec::new(),
            is_lively: Vec::new(),
            still: vec![0; missing.len()],
            above_rest: NOWHERE,
            nodes: Vec::new(),
        };
        let mut fields = vec![Vec::new(); missing.len()];
        let mut queue = VecDeque::from([(tree, NOWHERE, 0)]);
        while let Some((tree, above, side)) = queue.pop_front() {
            let position = match tree {
                Tree::Join(halves) => {
                    let node = layout.nodes.len();
                    layout.nodes.push(Node { children: [0; 2], above });
                    queue.extend([(&halves[0], node as u32, 0), (&halves[1], node as u32, 1)]);
                    leaves + node
                }
                Tree::Rest => {
                    layout.above_rest = above;
                    leaves - 1
                }
                Tree::Leaf(bits) => {
                    let leaf = layout.first_sources.len() - 1;
                    let mut at = 0;
                    for (bits, number) in bits.iter().zip(0..) {
                        layout.source_of.extend((0..bits.width).map(|_| number));
                        let (mask, rotation) = (bits.mask(), bits.from.wrapping_sub(at) % 64);
                        // A bit without a place would make different states equal.
                        assert_eq!(missing[bits.slot] & mask, mask, "a bit has one place");
                        missing[bits.slot] ^= mask;
                        fields[bits.slot].push(Field { mask, rotation, leaf: leaf as u32, above });
                        let mask = mask.rotate_right(rotation) as u32;
                        layout.sources.push(Source { mask, rotation, slot: bits.slot as u32 });
                        at += bits.width;
                    }
                    assert!(at <= LEAF_BITS, "a leaf is its own number");
                    layout.lively.push(Lively { leaf: leaf as u32, above });
                    layout.is_lively.push(true);
                    layout.source_of.resize((leaf + 1) * LEAF_BITS as usize, 0);
                    layout.first_sources.push(layout.sources.len() as u32);
                    leaf
                }
            };
            if above != NOWHERE {
                layout.nodes[above as usize].children[side] = position as u32;
            }
        }
        assert!(missing.iter().all(|&missing| missing == 0), "a bit has a place");
        for fields in fields {
            layout.fields.extend(fields);
            layout.first_fields.push(layout.fields.len() as u32);
        }
        layout
    }

    /// The layout for states in which only these bits, by slot, are likely to change.
    pub fn expecting(mut self, varying: &[u64]) -> Self {
        let (first, sources) = (&self.first_sources, &self.sources);
        let sources = |lively: &Lively| {
            &sources[first[lively.leaf as usize] as usize..first[lively.leaf as usize + 1] as usize]
        };
        let (still, is_lively_leaf, lively) = (&mut self.still, &mut self.is_lively, &mut self.lively);
        lively.retain(|lively| {
            let varies = |source: &Source| varying[source.slot as usize] & source.place(u32::MAX) != 0;
            let is_lively = sources(lively).iter().any(varies);
            if !is_lively {
                let bits =
                    sources(lively).iter().map(|source| (source.slot as usize, source.place(u32::MAX)));
                bits.for_each(|(slot, bits)| still[slot] |= bits);
                is_lively_leaf[lively.leaf as usize] = false;
            }
            is_lively
        });
        self
    }

    /// The tree below a position.
    pub fn tree(&self, position: Position) -> Tree {
        let bits = |source: &Source| {
            let bits = source.place(u32::MAX);
            Bits { slot: source.slot as usize, from: bits.trailing_zeros(), width: bits.count_ones() }
        };
        match position.checked_sub(self.leaves()) {
            Some(inner) => {
                let [left, right] = self.nodes[inner].children.map(|child| self.tree(child as usize));
                Tree::join(left, right)
            }
            None if position == self.rest() => Tree::Rest,
            None => Tree::Leaf(self.sources(position).iter().map(bits).collect()),
        }
    }

    /// The leaves that are likely to change.
    #[inline]
    pub fn lively(&self) -> &[Lively] {
        &self.lively
    }

    /// By slot: the bits that are in other leaves than those that are likely to change.
    #[inline]
    pub fn still(&self) -> &[u64] {
        &self.still
    }

    /// Whether a leaf, except for the rest, is likely to change.
    #[inline]
    pub fn is_lively(&self, leaf: Position) -> bool {
        self.is_lively[leaf]
    }

    /// The fields of a leaf.
    #[inline]
    pub fn sources(&self, leaf: Position) -> &[Source] {
        &self.sources[self.first_sources[leaf] as usize..self.first_sources[leaf + 1] as usize]
    }

    /// The slots of the components of a section, by index, as far as there are any.
    #[inline]
    pub fn spans(&self, section: Section) -> &[Span] {
        &self.spans[section as usize]
    }

    pub fn leaves(&self) -> usize {
        self.first_sources.len()
    }

    pub fn slots(&self) -> usize {
        self.keys.len() + 1
    }

    /// The leaf for components that do not fit.
    pub fn rest(&self) -> Position {
        self.leaves() - 1
    }

    pub fn above_rest(&self) -> u32 {
        self.above_rest
    }

    pub fn inner(&self) -> usize {
        self.nodes.len()
    }

    pub fn positions(&self) -> usize {
        self.leaves() + self.nodes.len()
    }

    #[inline]
    pub fn node(&self, inner: u32) -> Node {
        self.nodes[inner as usize]
    }

    /// The fields of a word, which together have all of its bits.
    #[inline]
    pub fn fields(&self, slot: Slot) -> &[Field] {
        &self.fields[self.first_fields[slot] as usize..self.first_fields[slot + 1] as usize]
    }

    /// The field to which a bit of a leaf belongs.
    #[inline]
    pub fn source(&self, leaf: Position, bit: u32) -> Source {
        let number = self.source_of[leaf * LEAF_BITS as usize + bit as usize];
        self.sources[self.first_sources[leaf] as usize + number as usize]
    }

    /// The component to which a slot belongs.
    #[inline]
    pub fn key(&self, slot: Slot) -> Key {
        self.keys[slot - 1]
    }

    /// The slots of a component. If it is not in the layout, only slot 0, which is never used.
    #[inline]
    pub fn span(&self, key: Key) -> Span {
        self.spans[key.section as usize].get(key.index as usize).copied().unwrap_or_default()
    }

    /// The components that have slots.
    pub fn components(&self) -> impl Iterator<Item = Key> {
        Section::ALL.into_iter().flat_map(|section| {
            let spans = self.spans[section as usize].iter().zip(0..);
            spans.filter(|(span, _)| span.count > 0).map(move |(_, index)| Key { section, index })
        })
    }
}

impl Span {
    /// Whether the component has slots, and enough of them for a length that is given as length plus one.
    pub fn has_room(self, length: u64) -> bool {
        self.count > 0 && u64::from(self.count) >= length
    }
}

impl Field {
    /// Moves the bits of a word to their place in the leaf.
    #[inline]
    pub fn place(&self, word: u64) -> u32 {
        (word & self.mask).rotate_right(self.rotation) as u32
    }
}

impl Source {
    /// Moves the bits of a leaf to their place in the word.
    #[inline]
    pub fn place(&self, leaf: u32) -> u64 {
        u64::from(leaf & self.mask).rotate_left(self.rotation)
    }

    /// The number of bits by which a word is rotated to the right for that.
    pub fn rotation(&self) -> u32 {
        self.rotation
    }

    /// Moves the bits of a word to their place in the leaf.
    #[inline]
    pub fn take(&self, word: u64) -> u32 {
        word.rotate_right(self.rotation) as u32 & self.mask
    }
}

/// A mask of the lowest bits, at least one.
fn low(width: u32) -> u64 {
    u64::MAX >> (u64::BITS - width)
}

impl Bits {
    pub fn mask(self) -> u64 {
        low(self.width) << self.from
    }

    /// The value of these bits in a word.
    pub fn of(self, word: u64) -> u64 {
        word >> self.from & low(self.width)
    }
}

impl Tree {
    pub fn join(left: Self, right: Self) -> Self {
        Self::Join(Box::new([left, right]))
    }

    /// The same tree, except that a leaf is divided in two, if it has more than one bit: then its values have
    /// numbers.
    pub fn numbered(self) -> Self {
        let Self::Leaf(bits) = self else { return self };
        let half = bits.iter().map(|bits| bits.width).sum::<u32>() / 2;
        if half == 0 {
            return Self::Leaf(bits);
        }
        let [mut left, mut right] = [Vec::new(), Vec::new()];
        let mut room = half;
        for bits in bits {
            let width = bits.width.min(room);
            room -= width;
            let low = Bits { width, ..bits };
            let high = Bits { from: bits.from + width, width: bits.width - width, ..bits };
            left.extend((low.width > 0).then_some(low));
            right.extend((high.width > 0).then_some(high));
        }
        Self::join(Self::Leaf(left), Self::Leaf(right))
    }

    pub fn leaves(&self) -> usize {
        match self {
            Self::Leaf(_) | Self::Rest => 1,
            Self::Join(halves) => halves[0].leaves() + halves[1].leaves(),
        }
    }

    /// Joins at least one tree, in their order, so that both halves have the same weight, as far as possible.
    pub fn balanced(trees: Vec<(Self, f64)>) -> Self {
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(trees.iter().scan(0.0, |sum, (_, weight)| {
                *sum += weight + LEAST;
                Some(*sum)
            }))
            .collect();
        let mut trees: Vec<Option<Self>> = trees.into_iter().map(|(tree, _)| Some(tree)).collect();
        branch(&mut trees, &sums)
    }
}

/// Added to each weight, so that trees without weight are distributed as well.
const LEAST: f64 = 1.0 / 64.0;

/// The tree of some trees, where `sums` are the partial sums of their weights, one more than trees.
fn branch(trees: &mut [Option<Tree>], sums: &[f64]) -> Tree {
    if let [tree] = trees {
        return tree.take().expect("each is taken once");
    }
    let middle = f64::midpoint(sums[0], sums[trees.len()]);
    let mut split = sums.partition_point(|&sum| sum < middle);
    if split > 1 && middle - sums[split - 1] < sums[split] - middle {
        split -= 1;
    }
    let split = split.clamp(1, trees.len() - 1);
    let (left, right) = trees.split_at_mut(split);
    Tree::join(branch(left, &sums[..=split]), branch(right, &sums[split..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GLOBALS: Key = Key { section: Section::Root, index: 0 };

    /// Two leaves per word, and one per length, in order.
    fn halves(components: &[(Key, usize)]) -> Vec<Tree> {
        let mut leaves = Vec::new();
        let mut slots = 1..;
        for &(_, words) in components {
            let slot = slots.next().expect("there is no end");
            leaves.push(Tree::Leaf(vec![Bits { slot, from: 0, width: 32 }]));
            for slot in slots.by_ref().take(words) {
                leaves.extend([0, 32].map(|from| Tree::Leaf(vec![Bits { slot, from, width: 32 }])));
            }
        }
        leaves
    }

    fn weighed(words: usize, weight: impl Fn(usize) -> f64) -> TreeLayout {
        let components = [(GLOBALS, words)];
        let leaves = halves(&components).into_iter().chain([Tree::Rest]);
        let leaves = leaves.enumerate().map(|(at, leaf)| (leaf, weight(at)));
        TreeLayout::new(&components, &Tree::balanced(leaves.collect()))
    }

    /// The inner nodes above a field.
    fn path(layout: &TreeLayout, field: Field) -> Vec<u32> {
        let above = |&node: &u32| Some(layout.node(node).above).filter(|&above| above != NOWHERE);
        std::iter::successors(Some(field.above), above).collect()
    }

    #[test]
    fn a_plan_is_a_tree_numbered_from_its_root() {
        for words in 0..40 {
            let layout = weighed(words, |_| 1.0);
            assert_eq!(layout.leaves(), 2 * words + 2);
            assert_eq!(layout.inner(), layout.leaves() - 1);
            let children = |inner: usize| layout.node(inner as u32).children.map(|child| child as usize);
            let mut positions: Vec<Position> = (0..layout.inner()).flat_map(children).collect();
            positions.sort_unstable();
            let root = layout.leaves() + ROOT as usize;
            assert!(positions.into_iter().eq((0..layout.positions()).filter(|&position| position != root)));
            for inner in 0..layout.inner() {
                for child in children(inner).into_iter().filter(|&child| child >= layout.leaves()) {
                    assert!(child > layout.leaves() + inner);
                    assert_eq!(layout.node((child - layout.leaves()) as u32).above as usize, inner);
                }
            }
            assert!(
                (1..layout.slots())
                    .flat_map(|slot| layout.fields(slot))
                    .all(|&field| path(&layout, field).len() <= 8)
            );
        }
    }

    #[test]
    fn what_weighs_much_is_near_the_root() {
        let layout = weighed(30, |leaf| if leaf == 7 || leaf == 50 { 10.0 } else { 0.0 });
        // The length comes first, and then the halves of words.
        let field = |leaf: usize| {
            let mask = u64::from(u32::MAX) << (32 * ((leaf - 1) % 2));
            let fields = layout.fields((leaf - 1) / 2 + 2);
            *fields.iter().find(|field| field.mask == mask).expect("a word has two halves")
        };
        let paths = [7, 50, 30].map(|leaf| path(&layout, field(leaf)));
        assert!(paths[0].len() <= 3 && paths[1].len() <= 3, "{paths:?}");
        assert!(paths[2].len() > 5, "{paths:?}");
        // Each is in a half of its own.
        assert!(paths[0].iter().filter(|node| paths[1].contains(node)).eq([&ROOT]));
    }

    #[test]
    fn components_have_their_slots_in_order() {
        let thread = |index| Key { section: Section::Threads, index };
        let components = [(thread(0), 0), (thread(2), 3)];
        let leaves = halves(&components).into_iter().chain([Tree::Rest]);
        let layout = TreeLayout::new(&components, &Tree::balanced(leaves.map(|leaf| (leaf, 0.0)).collect()));
        assert!(layout.components().eq([thread(0), thread(2)]));
        assert_eq!(layout.span(thread(0)), Span { first: 1, count: 1 });
        assert_eq!(layout.span(thread(2)), Span { first: 2, count: 4 });
        for absent in [thread(1), thread(7), GLOBALS] {
            assert_eq!(layout.span(absent), Span { first: 0, count: 0 });
        }
        assert_eq!((layout.key(1), layout.key(2), layout.key(5)), (thread(0), thread(2), thread(2)));
        assert_eq!((layout.slots(), layout.fields(0).len()), (6, 0));
        assert_eq!(TreeLayout::new(&[], &Tree::Rest).positions(), 1);
    }

    /// Bits of several words, out of order.
    #[test]
    fn leaves_and_words_determine_each_other() {
        let bits = |slot, from, width| Bits { slot, from, width };
        let leaves = [
            vec![bits(3, 60, 4), bits(2, 0, 5), bits(1, 0, 20), bits(3, 0, 1)],
            vec![bits(1, 20, 12), bits(2, 44, 20)],
            vec![bits(3, 33, 27)],
            vec![bits(2, 12, 32)],
            vec![bits(2, 5, 7)],
            vec![bits(3, 1, 32)],
        ];
        let leaves = leaves.into_iter().map(Tree::Leaf).chain([Tree::Rest]);
        let layout =
            TreeLayout::new(&[(GLOBALS, 2)], &Tree::balanced(leaves.map(|leaf| (leaf, 0.0)).collect()));
        let mut word = 1_u64;
        for _ in 0..1000 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let words = [0, word >> 32, word.rotate_left(17), !word];
            let mut numbers = vec![0; layout.leaves()];
            for (slot, &word) in words.iter().enumerate() {
                for field in layout.fields(slot) {
                    assert_eq!(numbers[field.leaf as usize] & field.place(u64::MAX), 0);
                    numbers[field.leaf as usize] |= field.place(word);
                }
            }
            let mut back = [0; 4];
            for (leaf, &number) in numbers[..layout.rest()].iter().enumerate() {
                for bit in (0..LEAF_BITS).filter(|bit| number >> bit & 1 != 0) {
                    let source = layout.source(leaf, bit);
                    assert_eq!(source.mask >> bit & 1, 1);
                    back[source.slot as usize] |= source.place(number);
                }
            }
            assert_eq!(back, words);
        }
    }

    #[test]
    fn numbered_leaves_have_the_same_bits() {
        let bits = |slot, from, width| Bits { slot, from, width };
        let leaf = Tree::Leaf(vec![bits(1, 0, 8), bits(2, 3, 20), bits(3, 5, 1)]);
        let Tree::Join(halves) = leaf.numbered() else { panic!("it has 29 bits") };
        let [Tree::Leaf(left), Tree::Leaf(right)] = *halves else { panic!("there are two leaves") };
        assert_eq!(left, [bits(1, 0, 8), bits(2, 3, 6)]);
        assert_eq!(right, [bits(2, 9, 14), bits(3, 5, 1)]);
        assert!(matches!(Tree::Leaf(vec![bits(1, 7, 1)]).numbered(), Tree::Leaf(_)));
        assert!(matches!(Tree::Rest.numbered(), Tree::Rest));
    }

    #[test]
    #[should_panic(expected = "a bit has a place")]
    fn no_bit_is_forgotten() {
        let leaf = Tree::Leaf(vec![Bits { slot: 1, from: 0, width: 31 }]);
        TreeLayout::new(&[(GLOBALS, 0)], &Tree::join(leaf, Tree::Rest));
    }

    #[test]
    #[should_panic(expected = "a bit has one place")]
    fn no_bit_is_in_two_places() {
        let leaf = |from, width| Tree::Leaf(vec![Bits { slot: 1, from, width }]);
        TreeLayout::new(&[(GLOBALS, 0)], &Tree::join(Tree::join(leaf(0, 17), leaf(16, 16)), Tree::Rest));
    }
}
