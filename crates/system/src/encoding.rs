//! The representation of a state for stores: words, grouped into components, each under a key.
//!
//! A component is a part that tends to change as a whole (the globals, one thread, one object), so states
//! share most of their components with their neighbours. Keys are small dense numbers within a section, so
//! that a component is found, replaced, added and removed in constant time, whatever the size of the state.
//!
//! An encoding is a *mirror*: the system that owns the state writes what changed since the last time. The
//! encoding records which components these were ([`Encoding::touched`]), so that a store that mirrors it in
//! turn only reads these.
//!
//! Stores of whole vectors settle an encoding ([`Encoding::flat`]): then its components are in order, next to
//! each other, and can be read at once. It stays settled as long as no component is added, removed or changes
//! its length.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A kind of components, with an index space of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Section {
    Root = 0,
    Threads = 1,
    Objects = 2,
}

impl Section {
    pub const ALL: [Self; 3] = [Self::Root, Self::Threads, Self::Objects];
}

/// The key of a component. Keys are ordered by section, then by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    pub section: Section,
    pub index: u32,
}

/// Where the words of a component are in `words`.
#[derive(Clone, Copy, Default, Debug)]
struct Slot {
    offset: u32,
    len: u32,
    capacity: u32,
}

const NOTHING: Slot = Slot { offset: 0, len: ABSENT, capacity: 0 };
const ABSENT: u32 = u32::MAX;
/// A factor that spreads hints of lengths.
const HINT: u64 = 0x9e37_79b9_7f4a_7c15;

/// A moment in the history of an encoding, for [`Encoding::touched`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    encoding: u64,
    number: u64,
}

/// The components and their lengths that an encoding has for a while, as a number: while the number is the
/// same, so are they.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outline {
    encoding: u64,
    number: u64,
}

impl Outline {
    /// Small numbers, different for the outlines of one encoding.
    #[inline]
    pub const fn number(self) -> u64 {
        self.number
    }
}

/// An outline to which an encoding can [return](Encoding::rewrite).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptOutline {
    outline: Outline,
    /// Its place among those that the encoding keeps.
    at: u32,
}

/// What it takes to return to an outline.
#[derive(Debug)]
struct Kept {
    number: u64,
    sections: [Vec<Slot>; 3],
    words: usize,
}

/// The lengths of the components of an encoding whose words are in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lengths {
    /// By section: its width.
    widths: [usize; 3],
    lengths: Vec<u32>,
}

/// The components of one state. Two states are equal exactly if [`Encoding::same`] says so: they have the
/// same keys, with the same words under each.
#[derive(Debug)]
pub struct Encoding {
    words: Vec<u64>,
    sections: [Vec<Slot>; 3],
    /// The components that were added, removed or written since `start`, in order. Moments count them: those
    /// before `start` are no longer known.
    touched: Vec<Key>,
    start: Moment,
    /// The number of the outline: another one whenever a component is added, removed or changes its length.
    outline: u64,
    /// The greatest number of an outline so far.
    outlines: u64,
    kept: Vec<Kept>,
    /// The number of words of `words` that no slot uses any more.
    dead: usize,
    /// The memory of the previous `words`, for the next time they are put in order.
    spare: Vec<u64>,
    /// The part of a flat vector before the words.
    head: Vec<u64>,
    /// `words` are the words of all components in order and nothing else.
    ordered: bool,
    /// `ordered` holds, and `head` is up to date.
    settled: bool,
}

impl Default for Encoding {
    fn default() -> Self {
        static ENCODINGS: AtomicU64 = AtomicU64::new(0);
        Self {
            words: Vec::new(),
            sections: Default::default(),
            touched: Vec::new(),
            start: Moment { encoding: ENCODINGS.fetch_add(1, Relaxed), number: 0 },
            outline: 0,
            outlines: 0,
            kept: Vec::new(),
            dead: 0,
            spare: Vec::new(),
            head: Vec::new(),
            ordered: true,
            settled: false,
        }
    }
}

/// A clone has a history of its own.
impl Clone for Encoding {
    fn clone(&self) -> Self {
        Self {
            words: self.words.clone(),
            sections: self.sections.clone(),
            dead: self.dead,
            head: self.head.clone(),
            ordered: self.ordered,
            settled: self.settled,
            ..Self::default()
        }
    }
}

impl Encoding {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.sections.iter_mut().for_each(Vec::clear);
        self.touch_everything();
        self.change_outline();
        self.dead = 0;
        self.ordered = true;
        self.settled = false;
    }

    fn change_outline(&mut self) {
        self.outlines += 1;
        self.outline = self.outlines;
    }

    /// The components that were added, removed or written since `moment`; `None` if that is unknown. A key
    /// may occur twice, and the words under it may be the same as then.
    #[inline]
    pub fn touched(&self, moment: Moment) -> Option<&[Key]> {
        let since = moment.number.checked_sub(self.start.number)?;
        (moment.encoding == self.start.encoding).then(|| &self.touched[since as usize..])
    }

    /// The present moment. Changes after it are known for a while.
    pub fn now(&self) -> Moment {
        Moment { number: self.start.number + self.touched.len() as u64, ..self.start }
    }

    fn touch_everything(&mut self) {
        self.start.number += self.touched.len() as u64 + 1;
        self.touched.clear();
    }

    #[inline]
    fn touch(&mut self, key: Key) {
        // After so many changes without a query, the older half is dropped.
        if self.touched.len() >= 128
            && self.touched.len() >= 4 * self.sections.iter().map(Vec::len).sum::<usize>()
        {
            let half = self.touched.len() / 2;
            self.touched.drain(..half);
            self.start.number += half as u64;
        }
        self.touched.push(key);
    }

    /// The words under `key`; `None` if there is no such component.
    #[inline]
    pub fn get(&self, key: Key) -> Option<&[u64]> {
        let slot = self.sections[key.section as usize].get(key.index as usize)?;
        (slot.len != ABSENT).then(|| &self.words[slot.offset as usize..][..slot.len as usize])
    }

    /// The greatest index in use in `section`, plus one.
    pub fn width(&self, section: Section) -> u32 {
        self.sections[section as usize].len() as u32
    }

    /// The components of a section by index, as far as there are any.
    #[inline]
    pub fn section(&self, section: Section) -> impl ExactSizeIterator<Item = Option<&[u64]>> {
        self.sections[section as usize].iter().map(|slot| {
            (slot.len != ABSENT).then(|| &self.words[slot.offset as usize..][..slot.len as usize])
        })
    }

    /// All components, in the order of their keys.
    pub fn components(&self) -> impl Iterator<Item = (Key, &[u64])> {
        Section::ALL.into_iter().flat_map(move |section| {
            (0..self.width(section)).filter_map(move |index| {
                let key = Key { section, index };
                self.get(key).map(|words| (key, words))
            })
        })
    }

    /// Stores `words` under `key`.
    pub fn set(&mut self, key: Key, words: &[u64]) {
        let slots = &mut self.sections[key.section as usize];
        let index = key.index as usize;
        if index >= slots.len() {
            slots.resize(index + 1, NOTHING);
            self.settled = false;
            self.change_outline();
        }
        let slot = &mut self.sections[key.section as usize][index];
        if slot.len as usize == words.len() {
            let old = &mut self.words[slot.offset as usize..][..words.len()];
            // Most components are one word long: too short for calls of `memcmp` and `memcpy`.
            match (old, words) {
                ([old], [new]) if *old == *new => return,
                ([old], [new]) => *old = *new,
                (old, new) if *old == *new => return,
                (old, new) => old.copy_from_slice(new),
            }
            return self.touch(key);
        }
        (self.ordered, self.settled) = (false, false);
        slot.len = words.len() as u32;
        if slot.capacity as usize >= words.len() {
            self.words[slot.offset as usize..][..words.len()].copy_from_slice(words);
        } else {
            self.dead += slot.capacity as usize;
            (slot.offset, slot.capacity) = (self.words.len() as u32, words.len() as u32);
            self.words.extend_from_slice(words);
            if self.dead > 1024 && self.dead * 2 > self.words.len() {
                self.compact();
            }
        }
        self.change_outline();
        self.touch(key);
    }

    /// Removes the component under `key`, if there is one.
    pub fn remove(&mut self, key: Key) {
        let slots = &mut self.sections[key.section as usize];
        if let Some(slot) = slots.get_mut(key.index as usize)
            && slot.len != ABSENT
        {
            (self.ordered, self.settled) = (false, false);
            slot.len = ABSENT;
            self.change_outline();
            self.touch(key);
        }
        let slots = &mut self.sections[key.section as usize];
        while slots.last().is_some_and(|slot| slot.len == ABSENT) {
            self.dead += slots.pop().map_or(0, |slot| slot.capacity as usize);
        }
    }

    /// Replaces all components by those that `write` writes, in the order of their keys.
    pub fn refill(&mut self, write: impl FnOnce(&mut Refill<'_>)) {
        let mut words = std::mem::take(&mut self.spare);
        words.clear();
        let mut refill = Refill { sections: &mut self.sections, words, widths: [0; 3], is_same: true };
        write(&mut refill);
        let Refill { words, widths, mut is_same, .. } = refill;
        for (slots, width) in self.sections.iter_mut().zip(widths) {
            is_same &= slots.len() == width;
            slots.truncate(width);
        }
        self.spare = std::mem::replace(&mut self.words, words);
        (self.dead, self.ordered) = (0, true);
        // The head depends on lengths only.
        self.settled &= is_same;
        if !is_same {
            self.change_outline();
        }
        self.touch_everything();
    }

    /// The lengths of all components; `None` if the words are not in order.
    pub fn lengths(&self) -> Option<Lengths> {
        self.ordered.then(|| Lengths {
            widths: self.sections.each_ref().map(Vec::len),
            lengths: self.sections.iter().flatten().map(|slot| slot.len).collect(),
        })
    }

    /// The components and their lengths, and the words of all components, one after the other; `None` if the
    /// words are not in order.
    #[inline]
    pub fn outlined(&self) -> Option<(Outline, &[u64])> {
        self.ordered.then_some((self.present_outline(), &self.words))
    }

    #[inline]
    const fn present_outline(&self) -> Outline {
        Outline { encoding: self.start.encoding, number: self.outline }
    }

    /// Keeps the present outline, so that [`Encoding::rewrite`] can return to it; in place of another one, if there
    /// is one. Returns `None` if the words are not in order.
    pub fn keep_outline(&mut self, instead: Option<KeptOutline>) -> Option<KeptOutline> {
        if !self.ordered {
            return None;
        }
        let outline = self.present_outline();
        let kept = Kept { number: outline.number, sections: self.sections.clone(), words: self.words.len() };
        let instead = instead.filter(|instead| instead.outline.encoding == outline.encoding);
        let at = instead.map_or(self.kept.len(), |instead| instead.at as usize);
        if at == self.kept.len() {
            self.kept.push(kept);
        } else {
            self.kept[at] = kept;
        }
        Some(KeptOutline { outline, at: at as u32 })
    }

    /// A number by which to look for the lengths: encodings with equal lengths, in order, have the same
    /// number, others rarely.
    #[inline]
    pub fn lengths_hint(&self) -> u64 {
        let starts = |slots: &Vec<Slot>| slots.iter().fold(0, |sum: u32, slot| sum.wrapping_add(slot.offset));
        Self::hint_of(self.words.len(), self.sections.each_ref().map(|slots| (slots.len(), starts(slots))))
    }

    /// The same for an encoding with this number of words, by section the width, and the sum of the positions at
    /// which its components start.
    #[inline]
    pub fn hint_of(words: usize, sections: [(usize, u32); 3]) -> u64 {
        sections.into_iter().fold(words as u64, |hint, (width, starts)| {
            (hint ^ width as u64 ^ u64::from(starts) << 16).wrapping_mul(HINT)
        })
    }

    /// The words of all components, one after the other, if they are in order and have these lengths.
    #[inline]
    pub fn words_in(&self, lengths: &Lengths) -> Option<&[u64]> {
        if !self.ordered || self.sections.each_ref().map(Vec::len) != lengths.widths {
            return None;
        }
        let mut others = lengths.lengths.iter();
        let mut differences = 0;
        for section in &self.sections {
            let both = section.iter().zip(&mut others);
            differences |= both.fold(0, |differences, (slot, other)| differences | slot.len ^ other);
        }
        (differences == 0).then_some(&self.words)
    }

    /// Returns to an outline, if it is still kept, and lets `write` write the words of all components. Returns whether
    /// it is kept, and `write` has written all words; otherwise the encoding must be [refilled](Encoding::refill).
    #[inline]
    pub fn rewrite(&mut self, kept: KeptOutline, write: impl FnOnce(&mut [u64]) -> bool) -> bool {
        let is_present = self.ordered && self.present_outline() == kept.outline;
        if !is_present && !self.return_to(kept) {
            return false;
        }
        self.touch_everything();
        write(&mut self.words)
    }

    /// Takes on the outline with any words. Returns false if it is not kept any more.
    fn return_to(&mut self, KeptOutline { outline, at }: KeptOutline) -> bool {
        let Some(kept) = self.kept.get(at as usize) else { return false };
        if outline.encoding != self.start.encoding || outline.number != kept.number {
            return false;
        }
        for (slots, kept) in self.sections.iter_mut().zip(&kept.sections) {
            slots.clear();
            slots.extend_from_slice(kept);
        }
        self.words.resize(kept.words, 0);
        self.outline = kept.number;
        (self.dead, self.ordered, self.settled) = (0, true, false);
        true
    }

    /// Whether both encodings describe the same state.
    pub fn same(&self, other: &Self) -> bool {
        self.components().eq(other.components())
    }

    /// Appends a vector from which [`Encoding::unflatten`] restores the encoding: a head with the widths of
    /// the sections and the lengths of the components, then the words. Different states have different
    /// vectors.
    pub fn flatten(&self, out: &mut Vec<u64>) {
        self.write_head(out);
        for (_, words) in self.components() {
            out.extend_from_slice(words);
        }
    }

    /// The two parts of the flat vector: its head and the words. They are kept until a component is added,
    /// removed or changes its length.
    pub fn flat(&mut self) -> (&[u64], &[u64]) {
        if !self.ordered {
            self.compact();
        }
        if !self.settled {
            let mut head = std::mem::take(&mut self.head);
            head.clear();
            self.write_head(&mut head);
            self.head = head;
            self.settled = true;
        }
        (&self.head, &self.words)
    }

    /// Writes the widths, a byte per index with the number of words, and the numbers that do not fit into a
    /// byte.
    fn write_head(&self, out: &mut Vec<u64>) {
        let [root, threads, objects] = Section::ALL.map(|section| self.width(section));
        debug_assert!(root < 1 << 16);
        if threads < 1 << 16 && objects < 1 << 31 {
            out.push(u64::from(root) << 48 | u64::from(threads) << 32 | u64::from(objects));
        } else {
            out.extend([1 << 31 | u64::from(root), u64::from(threads) << 32 | u64::from(objects)]);
        }
        let mut lengths = 0;
        let mut filled = 0;
        for slot in self.sections.iter().flatten() {
            // 0: absent; 1..=254: the number of words plus one; 255: the number is in a separate word.
            let short = if slot.len == ABSENT { 0 } else { u64::from(slot.len.min(254)) + 1 };
            lengths |= short << filled;
            filled += 8;
            if filled == 64 {
                out.push(lengths);
                (lengths, filled) = (0, 0);
            }
        }
        if filled > 0 {
            out.push(lengths);
        }
        let long = self.sections.iter().flatten().filter(|slot| slot.len != ABSENT && slot.len >= 254);
        out.extend(long.map(|slot| u64::from(slot.len)));
    }

    /// The inverse of [`Encoding::flatten`], in place. The result is settled.
    pub fn unflatten(&mut self, flat: &[u64]) {
        // Neighbours in a store mostly have the same components: then only their words change.
        if self.settled && flat.len() == self.head.len() + self.words.len() {
            let (head, words) = flat.split_at(self.head.len());
            if head == self.head {
                self.words.copy_from_slice(words);
                self.touch_everything();
                return;
            }
        }
        self.clear();
        let (layout, words) = Head::read(flat);
        for (key, len) in layout {
            let slots = &mut self.sections[key.section as usize];
            let Some(len) = len else {
                slots.push(NOTHING);
                continue;
            };
            let offset = self.words.len();
            self.words.extend_from_slice(&flat[words + offset..][..len as usize]);
            slots.push(Slot { offset: offset as u32, len, capacity: len });
        }
        self.head.clear();
        self.head.extend_from_slice(&flat[..words]);
        self.settled = true;
    }

    /// Puts the words in order and removes the unused ones.
    fn compact(&mut self) {
        let old = std::mem::take(&mut self.spare);
        let old = std::mem::replace(&mut self.words, old);
        self.words.clear();
        for slot in self.sections.iter_mut().flatten() {
            let len = if slot.len == ABSENT { 0 } else { slot.len };
            let offset = self.words.len() as u32;
            self.words.extend_from_slice(&old[slot.offset as usize..][..len as usize]);
            (slot.offset, slot.capacity) = (offset, len);
        }
        self.spare = old;
        self.dead = 0;
        self.ordered = true;
    }
}

/// Writes an encoding anew: see [`Encoding::refill`].
pub struct Refill<'e> {
    sections: &'e mut [Vec<Slot>; 3],
    words: Vec<u64>,
    /// By section: the number of indices that were written.
    widths: [usize; 3],
    /// Whether everything is at the same place as before.
    is_same: bool,
}

impl Refill<'_> {
    /// Adds the next component of a section: `write` appends its words to those already there.
    #[inline]
    pub fn component(&mut self, section: Section, write: impl FnOnce(&mut Vec<u64>)) {
        let offset = self.words.len();
        write(&mut self.words);
        let len = (self.words.len() - offset) as u32;
        self.put(section, Slot { offset: offset as u32, len, capacity: len });
    }

    /// Skips the next index of a section. A component of the same section must follow.
    pub fn nothing(&mut self, section: Section) {
        self.put(section, NOTHING);
    }

    #[inline]
    fn put(&mut self, section: Section, new: Slot) {
        let slots = &mut self.sections[section as usize];
        let index = self.widths[section as usize];
        self.widths[section as usize] += 1;
        match slots.get_mut(index) {
            Some(slot) if (slot.offset, slot.len) == (new.offset, new.len) => slot.capacity = new.capacity,
            Some(slot) => {
                *slot = new;
                self.is_same = false;
            }
            None => {
                slots.push(new);
                self.is_same = false;
            }
        }
    }
}

/// Reads the head of a flat vector: each index with its number of words, if it has a component.
struct Head<'a> {
    flat: &'a [u64],
    widths: [u32; 3],
    section: usize,
    index: u32,
    /// The index of the first byte of the lengths, and the number of bytes read.
    bytes: usize,
    read: usize,
    /// The index of the next long length.
    long: usize,
}

impl<'a> Head<'a> {
    /// Also returns the index of the first word of the components.
    fn read(flat: &'a [u64]) -> (Self, usize) {
        let (widths, bytes) = if flat[0] & 1 << 31 == 0 {
            ([flat[0] >> 48, flat[0] >> 32 & 0xffff, flat[0] & 0x7fff_ffff], 1)
        } else {
            ([flat[0] & 0xffff, flat[1] >> 32, flat[1] & 0xffff_ffff], 2)
        };
        let widths = widths.map(|width| width as u32);
        let slots: usize = widths.iter().map(|&width| width as usize).sum();
        let long = bytes + slots.div_ceil(8);
        let longs = flat[bytes..long].iter().flat_map(|word| word.to_le_bytes()).filter(|&byte| byte == 255);
        let words = long + longs.count();
        (Self { flat, widths, section: 0, index: 0, bytes, read: 0, long }, words)
    }
}

impl Iterator for Head<'_> {
    type Item = (Key, Option<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.index == *self.widths.get(self.section)? {
            (self.section, self.index) = (self.section + 1, 0);
        }
        let key = Key { section: Section::ALL[self.section], index: self.index };
        let short = self.flat[self.bytes + self.read / 8] >> (self.read % 8 * 8) & 0xff;
        self.index += 1;
        self.read += 1;
        let len = match short {
            0 => None,
            255 => {
                self.long += 1;
                Some(self.flat[self.long - 1] as u32)
            }
            short => Some(short as u32 - 1),
        };
        Some((key, len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(section: Section, index: u32) -> Key {
        Key { section, index }
    }

    #[test]
    fn flat_vectors_round_trip_with_gaps_and_long_components() {
        let mut encoding = Encoding::new();
        encoding.set(key(Section::Root, 0), &[]);
        encoding.set(key(Section::Threads, 2), &[1, 2]);
        encoding.set(key(Section::Objects, 9), &vec![7; 300]);
        encoding.set(key(Section::Objects, 1), &vec![8; 253]);
        encoding.set(key(Section::Objects, 0), &vec![9; 254]);
        let mut flat = Vec::new();
        encoding.flatten(&mut flat);
        let mut back = Encoding::new();
        back.unflatten(&flat);
        assert!(encoding.same(&back));
        let mut again = Vec::new();
        back.flatten(&mut again);
        assert_eq!(flat, again);
        encoding.flat();
        again.clear();
        encoding.flatten(&mut again);
        assert_eq!(flat, again);
    }

    #[test]
    fn settling_changes_nothing_but_the_order_in_memory() {
        let mut encoding = Encoding::new();
        for round in 0..500_u64 {
            let words: Vec<u64> = (0..round % 4).map(|i| round * i % 11).collect();
            let at = key(Section::ALL[round as usize % 3], (round % 7) as u32);
            match round % 5 {
                0 => encoding.remove(at),
                _ => encoding.set(at, &words),
            }
            let (mut flat, mut settled) = (Vec::new(), Vec::new());
            encoding.flatten(&mut flat);
            if round % 3 == 0 {
                let (head, words) = encoding.flat();
                assert_eq!([head, words].concat(), flat);
            }
            encoding.flatten(&mut settled);
            assert_eq!(flat, settled);
            let mut fresh = Encoding::new();
            fresh.unflatten(&flat);
            assert!(fresh.same(&encoding));
        }
    }

    #[test]
    fn what_was_touched_is_known_since_moments_not_long_ago() {
        let mut encoding = Encoding::new();
        let [a, b] = [key(Section::Threads, 0), key(Section::Objects, 1)];
        encoding.set(a, &[1]);
        let first = encoding.now();
        assert_eq!(encoding.touched(first), Some(&[][..]));
        encoding.set(a, &[1]);
        assert_eq!(encoding.touched(first), Some(&[][..]));
        encoding.set(b, &[1, 2]);
        encoding.set(a, &[2]);
        encoding.remove(b);
        assert_eq!(encoding.touched(first), Some(&[b, a, b][..]));
        let second = encoding.now();
        encoding.flat();
        assert_eq!(encoding.touched(second), Some(&[][..]));
        encoding.set(a, &[3]);
        assert_eq!(encoding.touched(second), Some(&[a][..]));
        assert_eq!(encoding.touched(first), Some(&[b, a, b, a][..]));
        let clone = encoding.clone();
        assert_eq!(clone.touched(second), None);
        (0..500).for_each(|value| encoding.set(a, &[value]));
        assert_eq!(encoding.touched(second), None);
        let third = encoding.now();
        (0..60).for_each(|value| encoding.set(a, &[value]));
        assert_eq!(encoding.touched(third), Some(&[a; 60][..]));
        let fourth = encoding.now();
        encoding.clear();
        assert_eq!(encoding.touched(third), None);
        assert_eq!(encoding.touched(fourth), None);
        let other = Encoding::new();
        assert_eq!(other.touched(fourth), None);
    }

    #[test]
    fn words_in_order_are_read_and_overwritten_at_once() {
        let filled = |lens: &[usize]| {
            let mut encoding = Encoding::new();
            encoding.refill(|into| {
                for (index, &len) in lens.iter().enumerate() {
                    let words = vec![index as u64; len];
                    into.component(Section::ALL[index / 2], |out| out.extend_from_slice(&words));
                }
            });
            encoding
        };
        let mut encoding = filled(&[1, 2, 0, 3]);
        let lengths = encoding.lengths().expect("it was filled in order");
        assert_eq!(encoding.words_in(&lengths), Some(&[0, 1, 1, 3, 3, 3][..]));
        for other in [&[1, 2, 0][..], &[1, 2, 1, 3], &[2, 1, 0, 3], &[1, 2, 0, 3, 0], &[]] {
            assert_eq!(filled(other).words_in(&lengths), None, "{other:?}");
        }
        let before = encoding.now();
        let outline = encoding.keep_outline(None).expect("it was filled in order");
        encoding.set(key(Section::Threads, 3), &[5]);
        encoding.remove(key(Section::Threads, 1));
        assert!(encoding.rewrite(outline, |words| {
            words.fill(7);
            true
        }));
        assert_eq!(encoding.touched(before), None);
        assert_eq!(encoding.get(key(Section::Threads, 1)), Some(&[7, 7, 7][..]));
        assert_eq!(encoding.get(key(Section::Threads, 0)), Some(&[][..]));
        encoding.set(key(Section::Threads, 0), &[5]);
        assert_eq!((encoding.words_in(&lengths), encoding.lengths()), (None, None));
        encoding.flat();
        assert_eq!(encoding.lengths(), filled(&[1, 2, 1, 3]).lengths());
        assert_eq!(encoding.lengths_hint(), filled(&[1, 2, 1, 3]).lengths_hint());
    }

    #[test]
    fn an_outline_has_the_same_lengths() {
        let mut known: Vec<(Outline, Lengths)> = Vec::new();
        let mut kept: Vec<KeptOutline> = Vec::new();
        let mut encodings = [Encoding::new(), Encoding::new()];
        for round in 0..2000_u64 {
            let at = round as usize * 7 % encodings.len();
            let encoding = &mut encodings[at];
            let component = key(Section::ALL[round as usize % 3], (round / 3 % 4) as u32);
            match round * 31 % 17 {
                0 => encoding.clear(),
                1..=3 => encoding.remove(component),
                4..=6 => encoding.set(component, &vec![round; round as usize % 3]),
                7..=9 => encoding.refill(|into| {
                    for index in 0..round / 5 % 3 {
                        into.component(Section::Threads, |out| out.resize(out.len() + index as usize, 1));
                    }
                    into.component(Section::Objects, |out| out.push(round));
                }),
                10 => {
                    let mut flat = Vec::new();
                    encodings[round as usize % 2].flatten(&mut flat);
                    encodings[at].unflatten(&flat);
                }
                11 => encodings[at] = encodings[round as usize % 2].clone(),
                12 => kept.extend(encoding.keep_outline(kept.get(round as usize / 7 % 20).copied())),
                13..=14 => {
                    if let Some(&outline) = kept.get(round as usize / 5 % 20)
                        && !encoding.rewrite(outline, |words| {
                            words.fill(round);
                            round % 3 > 0
                        })
                    {
                        encoding.refill(|into| into.component(Section::Root, |out| out.push(round)));
                    }
                }
                _ => _ = encoding.flat(),
            }
            let encoding = &encodings[at];
            let mut flat = Vec::new();
            encoding.flatten(&mut flat);
            let mut again = Encoding::new();
            again.unflatten(&flat);
            assert!(encoding.same(&again));
            let Some((outline, words)) = encoding.outlined() else { continue };
            let lengths = encoding.lengths().expect("its words are in order");
            assert_eq!(encoding.words_in(&lengths), Some(words));
            match known.iter().find(|(other, _)| *other == outline) {
                Some((_, other)) => assert_eq!(*other, lengths),
                None => known.push((outline, lengths)),
            }
        }
        assert!((20..1500).contains(&known.len()), "{}", known.len());
    }

    #[test]
    fn an_empty_component_is_not_an_absent_one() {
        let (mut a, mut b) = (Encoding::new(), Encoding::new());
        a.set(key(Section::Objects, 0), &[]);
        a.set(key(Section::Objects, 1), &[5]);
        b.set(key(Section::Objects, 1), &[5]);
        assert!(!a.same(&b));
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.flatten(&mut x);
        b.flatten(&mut y);
        assert_ne!(x, y);
    }

    #[test]
    fn removing_the_last_components_narrows_the_section() {
        let mut encoding = Encoding::new();
        for index in 0..5 {
            encoding.set(key(Section::Threads, index), &[index.into()]);
        }
        encoding.remove(key(Section::Threads, 3));
        assert_eq!(encoding.width(Section::Threads), 5);
        encoding.remove(key(Section::Threads, 4));
        assert_eq!(encoding.width(Section::Threads), 3);
        assert_eq!(encoding.get(key(Section::Threads, 3)), None);
    }

    #[test]
    fn growing_components_over_and_over_does_not_leak_words() {
        let mut encoding = Encoding::new();
        for round in 0..1000_usize {
            let words = vec![round as u64; round % 50];
            encoding.set(key(Section::Objects, (round % 7) as u32), &words);
            assert_eq!(encoding.get(key(Section::Objects, (round % 7) as u32)), Some(&words[..]));
            if round % 3 == 0 {
                encoding.remove(key(Section::Objects, (round % 5) as u32));
            }
        }
        assert!(encoding.words.len() < 4096);
    }
}
