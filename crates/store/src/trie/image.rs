//! Images of tries: the layout, the pairs in the order of their numbers, the roots in any order, the queue.
//!
//! Nothing is rebuilt for an image, neither when it is written nor when it is read. So it takes some words a
//! state, and little time.

use std::io;

use system::{Key, Section};

use super::layout::{Bits, LEAF_BITS, LENGTH_BITS, Tree, TreeLayout, WORD_BITS};
use super::pairs::split;
use super::roots::{Rooted, Roots};
use super::{Cursor, Fifo, Trie};
use crate::image::Void;
use crate::{Extent, Input, Output, StateId, StateStore, damaged};

/// What a node of the tree is.
const REST: u64 = 0;
const LEAF: u64 = 1;
const JOIN: u64 = 2;

/// The greatest depth of a tree, so that no image makes a reader run out of stack.
const DEEPEST: u32 = 1 << 12;
/// The greatest numbers of components, and of words of one. Images have less.
const MOST: usize = 1 << 24;

impl<R: Roots> Trie<R> {
    pub(super) fn save_image(&self, extent: &Extent<'_>, out: &mut dyn Output) -> io::Result<()> {
        let queue = self.queue.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        let popped = self.len() - queue.len();
        // The last state that was asked for may have been asked for too late.
        let again = popped.checked_sub(extent.asked).filter(|&again| again <= 1);
        let again = again.ok_or(io::ErrorKind::Unsupported)?;
        let queued = || std::iter::repeat_n(self.asked, again).chain(queue.iter());
        let open = extent.states - extent.asked;
        let void: Void = queued().skip(open).chain(extent.void.iter().copied()).collect();

        save_layout(&self.table.layout, out)?;
        out.put(self.layout_at as u64)?;
        out.put(self.is_settled.into())?;
        let pairs = self.table.pairs.len() as u32;
        out.put(pairs.into())?;
        (1..=pairs).try_for_each(|number| put_pair(self.table.pairs.word(number), out))?;
        out.put(extent.states as u64)?;
        let mut left = extent.states;
        self.table.roots.each(|root| {
            if void.contains(&root) {
                return Ok(());
            }
            left = left.checked_sub(1).ok_or(io::ErrorKind::Unsupported)?;
            put_pair(root, out)
        })?;
        if left > 0 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        out.put(open as u64)?;
        queued().take(open).try_for_each(|root| put_pair(root, out))
    }

    pub(super) fn load_image(&mut self, input: &mut dyn Input) -> io::Result<()> {
        let layout = load_layout(input)?;
        self.cursor = Cursor::new(&layout);
        self.table.layout = layout;
        self.epoch += 1;
        self.layout_at = input.number(StateId::LIMIT)?;
        self.is_settled = input.number(1)? == 1;
        for number in 1..=input.number(u32::MAX as usize)? as u32 {
            if self.table.pairs.append(take_pair(input)?)? != number {
                return Err(damaged());
            }
        }
        for _ in 0..input.number(StateId::LIMIT)? {
            let root = take_pair(input)?;
            if !matches!(self.table.roots.insert(root, |_| Ok(()))?, Rooted::New) {
                return Err(damaged());
            }
        }
        let mut queue = Fifo::new(&self.budget);
        for _ in 0..input.number(self.len())? {
            let root = take_pair(input)?;
            if !self.table.roots.contains(root) {
                return Err(damaged());
            }
            queue.reserve()?;
            queue.push(root);
        }
        self.queue = Some(queue);
        Ok(())
    }
}

fn put_pair(pair: u64, out: &mut dyn Output) -> io::Result<()> {
    split(pair).into_iter().try_for_each(|half| out.put(half.into()))
}

fn take_pair(input: &mut dyn Input) -> io::Result<u64> {
    let mut half = || input.number(u32::MAX as usize);
    Ok((half()? as u64) << 32 | half()? as u64)
}

fn save_layout(layout: &TreeLayout, out: &mut dyn Output) -> io::Result<()> {
    let components: Vec<Key> = layout.components().collect();
    out.put(components.len() as u64)?;
    for key in components {
        out.put(key.section as u64)?;
        out.put(key.index.into())?;
        out.put(u64::from(layout.span(key).count) - 1)?;
    }
    let root = if layout.inner() == 0 { 0 } else { layout.leaves() };
    save_tree(&layout.tree(root), out)?;
    layout.still().iter().try_for_each(|&still| out.put(still))
}

fn save_tree(tree: &Tree, out: &mut dyn Output) -> io::Result<()> {
    match tree {
        Tree::Rest => out.put(REST),
        Tree::Leaf(bits) => {
            out.put(LEAF)?;
            out.put(bits.len() as u64)?;
            bits.iter().try_for_each(|&Bits { slot, from, width }| {
                out.put(slot as u64)?;
                out.put(from.into())?;
                out.put(width.into())
            })
        }
        Tree::Join(halves) => {
            out.put(JOIN)?;
            halves.iter().try_for_each(|half| save_tree(half, out))
        }
    }
}

fn load_layout(input: &mut dyn Input) -> io::Result<TreeLayout> {
    let mut components: Vec<(Key, usize)> = Vec::new();
    // By slot: the bits without a place.
    let mut missing = vec![0];
    for _ in 0..input.number(MOST)? {
        let section = Section::ALL[input.number(Section::ALL.len() - 1)?];
        let key = Key { section, index: input.number(MOST)? as u32 };
        let words = input.number(MOST)?;
        if components.last().is_some_and(|&(last, _)| last >= key) || missing.len() + words > MOST {
            return Err(damaged());
        }
        components.push((key, words));
        missing.push(u64::MAX >> (u64::BITS - LENGTH_BITS));
        missing.resize(missing.len() + words, u64::MAX >> (u64::BITS - WORD_BITS));
    }
    let mut rests = 0;
    let tree = load_tree(input, DEEPEST, &mut missing, &mut rests)?;
    if rests != 1 || missing.iter().any(|&missing| missing != 0) {
        return Err(damaged());
    }
    let varying: Vec<u64> =
        missing.iter().map(|_| input.take().map(|still| !still)).collect::<io::Result<_>>()?;
    Ok(TreeLayout::new(&components, &tree).expecting(&varying))
}

fn load_tree(input: &mut dyn Input, depth: u32, missing: &mut [u64], rests: &mut usize) -> io::Result<Tree> {
    let depth = depth.checked_sub(1).ok_or_else(damaged)?;
    match input.take()? {
        REST => {
            *rests += 1;
            Ok(Tree::Rest)
        }
        LEAF => {
            let mut leaf = Vec::new();
            let mut room = LEAF_BITS;
            for _ in 0..input.number(LEAF_BITS as usize)? {
                let slot = input.number(missing.len() - 1)?;
                let from = input.number(WORD_BITS as usize - 1)? as u32;
                let width = input.number(room.min(WORD_BITS - from) as usize)? as u32;
                let bits = Bits { slot, from, width };
                if width == 0 || missing[slot] & bits.mask() != bits.mask() {
                    return Err(damaged());
                }
                missing[slot] ^= bits.mask();
                room -= width;
                leaf.push(bits);
            }
            Ok(Tree::Leaf(leaf))
        }
        JOIN => {
            let left = load_tree(input, depth, missing, rests)?;
            Ok(Tree::join(left, load_tree(input, depth, missing, rests)?))
        }
        _ => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use system::Encoding;
    use testing::SplitMix64;

    use super::*;
    use crate::{Budget, Frozen as _, Insert, SharedStore as _};

    /// Some state, or one that is much like another.
    fn random_state(random: &mut SplitMix64, encoding: &mut Encoding) {
        for _ in 0..=random.below(3) {
            let key = Key { section: Section::ALL[random.below(3)], index: random.below(6) as u32 };
            let limit = 1 << random.below(20);
            let words: Vec<u64> = (0..random.below(4)).map(|_| random.below(limit) as u64).collect();
            match random.below(8) {
                0 => encoding.remove(key),
                _ => encoding.set(key, &words),
            }
        }
    }

    fn flat(encoding: &Encoding) -> Vec<u64> {
        let mut flat = Vec::new();
        encoding.flatten(&mut flat);
        flat
    }

    /// Fills two tries, one of which is replaced by its image from time to time.
    #[test]
    fn a_trie_goes_on_from_its_image() {
        for seed in 0..testing::effort(60) {
            let mut random = SplitMix64::new(seed);
            let budget = Budget::unlimited();
            let new = || Trie::new(&budget, true);
            let (mut one, mut other) = (new(), new());
            let mut encodings = [Encoding::new(), Encoding::new(), Encoding::new()];
            let (mut asked, steps) = (0, 100 + random.below(3000));
            for _ in 0..steps {
                let [first, second, third] = &mut encodings;
                random_state(&mut random, first);
                *second = first.clone();
                let inserted = one.insert(first, usize::MAX).unwrap();
                assert_eq!(inserted, other.insert(second, usize::MAX).unwrap());
                // It is also written as of an earlier moment.
                if random.below(5) == 0 && asked < one.len() as u64 {
                    one.decode(StateId(asked), first);
                    other.decode(StateId(asked), third);
                    assert_eq!(flat(first), flat(third));
                    asked += 1;
                }
                if random.below(200) == 0 {
                    let before = asked - (random.below(2) as u64).min(asked);
                    let states = one.len() - random.below(20).min(one.len() - asked as usize);
                    let extent = Extent { states, asked: before as usize, void: &[] };
                    let mut words = VecDeque::new();
                    other.save(&extent, &mut words).unwrap();
                    let mut read = new();
                    read.load(&mut words).unwrap();
                    assert!(words.is_empty(), "all of the image is read");
                    assert_eq!(read.len(), states);
                    // Both have what was written, and nothing else.
                    if states == one.len() && before == asked {
                        other = read;
                    }
                }
            }
            for id in asked..one.len() as u64 {
                let [first, second, _] = &mut encodings;
                one.decode(StateId(id), first);
                other.decode(StateId(id), second);
                assert_eq!(flat(first), flat(second));
                let known = other.insert(second, usize::MAX).unwrap();
                assert!(matches!(known, Insert::Seen(_)));
            }
        }
    }

    /// A state that was stored after the moment of the image is not in it, and one that was asked for after it
    /// is asked for again.
    #[test]
    fn an_image_is_of_one_moment() {
        let mut trie = Trie::new(&Budget::unlimited(), true);
        let key = Key { section: Section::Root, index: 0 };
        let mut encoding = Encoding::new();
        for word in 0..1000 {
            encoding.set(key, &[word]);
            trie.insert(&mut encoding, usize::MAX).unwrap();
        }
        (0..300).for_each(|id| trie.decode(StateId(id), &mut encoding));
        let mut words = VecDeque::new();
        trie.save(&Extent { states: 900, asked: 299, void: &[] }, &mut words).unwrap();
        let mut read = Trie::new(&Budget::unlimited(), true);
        read.load(&mut words).unwrap();
        for id in 299..900 {
            read.decode(StateId(id), &mut encoding);
            assert_eq!(encoding.get(key), Some(&[id][..]));
        }
        for word in 0..1000 {
            encoding.set(key, &[word]);
            let is_new = matches!(read.insert(&mut encoding, usize::MAX).unwrap(), Insert::New(_));
            assert_eq!(is_new, word >= 900);
        }
        let two_more = Extent { states: 900, asked: 298, void: &[] };
        assert!(trie.save(&two_more, &mut VecDeque::new()).is_err(), "that state is gone");
    }

    /// Keys that were added to parts by workers, of states that were not numbered, are left out.
    #[test]
    fn void_keys_are_not_in_an_image() {
        let mut trie = Trie::new(&Budget::unlimited(), true);
        let key = Key { section: Section::Root, index: 0 };
        let mut encoding = Encoding::new();
        for word in 0..500 {
            encoding.set(key, &[word]);
            trie.insert(&mut encoding, usize::MAX).unwrap();
        }
        let frozen = trie.freeze();
        let mut cursor = frozen.cursor();
        let void: Vec<u64> = (500..600)
            .map(|word| {
                encoding.set(key, &[word]);
                frozen.key(&mut cursor, &mut encoding).unwrap()
            })
            .collect();
        let parts_of: Vec<usize> = void.iter().map(|&key| frozen.part_of(key)).collect();
        trie.thaw(frozen).unwrap();
        let mut parts = trie.take_parts();
        for (&key, part) in void.iter().zip(parts_of) {
            assert!(parts[part].insert(key).unwrap());
        }
        trie.return_parts(parts, 0);
        let mut words = VecDeque::new();
        trie.save(&Extent { states: 500, asked: 0, void: &void }, &mut words).unwrap();
        let mut read = Trie::new(&Budget::unlimited(), true);
        read.load(&mut words).unwrap();
        for word in 0..600 {
            encoding.set(key, &[word]);
            let is_new = matches!(read.insert(&mut encoding, usize::MAX).unwrap(), Insert::New(_));
            assert_eq!(is_new, word >= 500);
        }
        let all = Extent { states: 500, asked: 0, void: &[] };
        assert!(trie.save(&all, &mut VecDeque::new()).is_err(), "there are more states than were numbered");
    }
}
