//! A set of pairs of 32-bit numbers, which stores only those bits of a pair that its place does not
//! determine.
//!
//! The numbers of pairs are at most as great as the tables in which they are interned, and rarely have 32
//! bits. So a pair is treated as a word with as many bits as its numbers need, permuted. The place where it
//! is stored determines some of these bits; a slot only has the others, and the distance from the place
//! (*quotienting*: Cleary, Compact hash tables using bidirectional linear probing, IEEE Transactions on
//! Computers, 1984). Nothing is lost: a slot and its position determine the pair ([`shape`]).
//!
//! The entries are in the order of the permuted words, in an array with gaps: a search ends at the first one
//! that is not smaller, and growing is a sweep from front to back. If an entry gets further from its place
//! than a slot can express, the array grows; if a number needs more bits, the array is laid out again.
//!
//! The set is divided into parts that grow one at a time, by a half or less: at most a small part of it
//! exists twice, and the load stays between 0.54 and 0.81. At a higher load, an insertion would have to push
//! twice as many entries. The part of a pair determines three of its bits, however many it has.

mod shape;

use crate::zeroed::Zeroed;
use crate::{Budget, Full};
use shape::{Home, Shape, Widths};

/// The number of parts.
pub const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = u32::BITS - shape::RIGHT_BITS;

/// A set of pairs of 32-bit numbers.
#[derive(Debug)]
pub struct PairSet {
    parts: [Part; PARTS],
    /// The union of the bits of all pairs, without those that the parts determine.
    bits: u64,
    len: usize,
    budget: Budget,
}

/// A part of the set: an array of slots with gaps.
#[derive(Debug)]
struct Part {
    /// The slots one after the other, without regard to word boundaries.
    slots: Zeroed<u64>,
    shape: Shape,
    /// An upper bound of the entries.
    greatest: u64,
    len: usize,
    /// The number of pairs at which the part has to grow.
    capacity: usize,
}

/// Where an entry is to go: the first bit of its slot.
#[derive(Clone, Copy)]
struct Vacancy {
    at: usize,
    entry: u64,
}

/// The part of a pair, and the bits of the pair that the part does not determine.
#[inline]
fn split(pair: u64) -> (usize, u64) {
    let rest = pair >> PART_BITS;
    ((pair ^ spread(rest)) as usize % PARTS, rest)
}

fn join(part: usize, rest: u64) -> u64 {
    let low = (part as u64 ^ spread(rest)) % PARTS as u64;
    rest << PART_BITS | low
}

#[inline]
const fn spread(rest: u64) -> u64 {
    rest.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PART_BITS)
}

impl PairSet {
    pub fn new(budget: &Budget) -> Self {
        Self { parts: std::array::from_fn(|_| Part::empty()), bits: 0, len: 0, budget: budget.clone() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    /// Prefetches the place of a pair.
    #[inline]
    pub fn prefetch(&self, pair: u64) {
        let (part, rest) = split(pair);
        self.parts[part].prefetch(rest);
    }

    #[inline]
    pub fn contains(&self, pair: u64) -> bool {
        let (part, rest) = split(pair);
        let part = &self.parts[part];
        part.shape.covers(rest) && part.search(rest).is_none()
    }

    /// Inserts a pair. Returns whether it is new; a new pair is added only if `admits` agrees.
    #[inline]
    pub fn insert(
        &mut self,
        pair: u64,
        admits: impl FnOnce(usize) -> Result<(), Full>,
    ) -> Result<bool, Full> {
        let (part, rest) = split(pair);
        let Self { parts, bits, len, budget } = self;
        let is_new = parts[part].insert(rest, bits, budget, || admits(*len))?;
        *len += usize::from(is_new);
        Ok(is_new)
    }

    /// The number of the part to which a pair belongs.
    #[inline]
    pub fn part_of(pair: u64) -> usize {
        split(pair).0
    }

    /// Takes the parts out, so that each can be written by another thread.
    pub fn take_parts(&mut self) -> Vec<SeparatePart> {
        let Self { parts, bits, budget, .. } = self;
        let separate = |part: &mut Part| SeparatePart {
            part: std::mem::replace(part, Part::empty()),
            bits: *bits,
            budget: budget.clone(),
        };
        parts.iter_mut().map(separate).collect()
    }

    /// Returns the parts, to which `more` pairs were added. After a refusal they may have others as well,
    /// which do not count.
    pub fn return_parts(&mut self, parts: Vec<SeparatePart>, more: usize) {
        for (place, separate) in self.parts.iter_mut().zip(parts) {
            *place = separate.part;
            self.bits |= separate.bits;
        }
        self.len += more;
    }

    /// All pairs, in an unspecified order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let parts = self.parts.iter().enumerate();
        parts.flat_map(|(at, part)| part.words().map(move |word| join(at, part.shape.pair(word))))
    }

    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.slots.bytes()).sum()
    }
}

/// A part of a set that was taken out of it.
#[derive(Debug)]
pub struct SeparatePart {
    part: Part,
    /// The union of the bits of the pairs of the set, as far as this part knows.
    bits: u64,
    budget: Budget,
}

impl SeparatePart {
    #[inline]
    pub fn prefetch(&self, pair: u64) {
        self.part.prefetch(split(pair).1);
    }

    /// Inserts a pair that belongs to this part. Returns whether it is new.
    #[inline]
    pub fn insert(&mut self, pair: u64) -> Result<bool, Full> {
        self.part.insert(split(pair).1, &mut self.bits, &self.budget, || Ok(()))
    }
}

impl Part {
    /// Inserts a pair. Returns whether it is new; a new pair is added only if `admits` agrees.
    #[inline]
    fn insert(
        &mut self,
        rest: u64,
        bits: &mut u64,
        budget: &Budget,
        admits: impl FnOnce() -> Result<(), Full>,
    ) -> Result<bool, Full> {
        let mut vacancy = None;
        if self.shape.covers(rest) {
            vacancy = self.search(rest);
            if vacancy.is_none() {
                return Ok(false);
            }
        }
        admits()?;
        while !vacancy.is_some_and(|vacancy| self.len < self.capacity && self.put(vacancy)) {
            self.make_room(rest, Widths::of(*bits | rest), budget)?;
            vacancy = self.search(rest);
        }
        *bits |= rest;
        Ok(true)
    }

    fn empty() -> Self {
        Self { slots: Zeroed::empty(), shape: Shape::first(Widths::of(0)), greatest: 0, len: 0, capacity: 0 }
    }

    fn new(shape: Shape, budget: &Budget) -> Result<Self, Full> {
        // A slot is read from two words.
        let slots = Zeroed::new(shape.slots() * shape.slot_bits() / 64 + 2, budget)?;
        Ok(Self { slots, shape, greatest: 0, len: 0, capacity: shape.places() / 16 * 13 })
    }

    #[inline]
    fn prefetch(&self, rest: u64) {
        let at = self.shape.home(self.shape.word(rest)).place * self.shape.slot_bits();
        if at / 64 < self.slots.len() {
            self.slots.prefetch(at / 64);
        }
    }

    #[inline]
    fn entry(&self, at: usize) -> u64 {
        read(&self.slots, at, self.shape.greatest_entry())
    }

    /// The place where a covered pair is to go; `None` if it is in the part.
    #[inline]
    fn search(&self, rest: u64) -> Option<Vacancy> {
        let Home { place, mut entry } = self.shape.home(self.shape.word(rest));
        let mut at = place * self.shape.slot_bits();
        loop {
            let found = self.entry(at);
            if found <= entry {
                return (found < entry).then_some(Vacancy { at, entry });
            }
            at += self.shape.slot_bits();
            entry += self.shape.step();
        }
    }

    /// Puts an entry into its slot, and pushes the entries that are in its way. Returns false, without a
    /// change, if one of them would get too far from home.
    fn put(&mut self, Vacancy { mut at, mut entry }: Vacancy) -> bool {
        let (step, limit) = (self.shape.step(), self.shape.greatest_entry());
        if entry > limit || self.greatest > limit - step && !self.can_push(at) {
            return false;
        }
        let mut greatest = self.greatest;
        let mut writer = Writer::new(&mut self.slots, at);
        // Words are written when they are complete, and later reads are behind them: no read waits for a
        // write.
        loop {
            greatest = greatest.max(entry);
            let found = read(writer.slots, at, limit);
            writer.write(entry, self.shape.slot_bits());
            if found == 0 {
                break;
            }
            entry = found + step;
            at += self.shape.slot_bits();
        }
        writer.finish();
        self.greatest = greatest;
        self.len += 1;
        true
    }

    /// Whether the entries from a slot up to the next empty one can all move by one slot away from home.
    #[cold]
    fn can_push(&self, at: usize) -> bool {
        let entries = (at..).step_by(self.shape.slot_bits()).map(|at| self.entry(at));
        let furthest = self.shape.greatest_entry() - self.shape.step();
        entries.take_while(|&entry| entry != 0).all(|entry| entry <= furthest)
    }

    /// The permuted words of all pairs, in order.
    fn words(&self) -> impl Iterator<Item = u64> {
        let entries = (0..self.shape.slots()).map(|slot| (slot, self.entry(slot * self.shape.slot_bits())));
        entries.filter(|&(_, entry)| entry != 0).map(|(slot, entry)| self.shape.word_at(slot, entry))
    }

    /// Makes room for a pair that could not be put. If the budget does not allow it, the part may fill up, to
    /// about nine tenths; the limit also depends on the distances.
    #[cold]
    fn make_room(&mut self, rest: u64, needed: Widths, budget: &Budget) -> Result<(), Full> {
        let (mut shape, may_fill_up) = match () {
            () if self.slots.is_empty() => (Shape::first(needed), false),
            () if !self.shape.covers(rest) => (self.shape.wider(needed), false),
            () if self.len >= self.capacity => (self.shape.larger(needed), true),
            () => (self.shape.looser(needed, self.len), false),
        };
        loop {
            match self.laid_out(shape, budget) {
                Ok(Some(part)) => {
                    *self = part;
                    return Ok(());
                }
                Ok(None) => shape = shape.looser(needed, self.len),
                Err(full) => {
                    let most = self.shape.places() / 64 * 62;
                    if !may_fill_up || self.len >= most {
                        return Err(full);
                    }
                    self.capacity = most;
                    return Ok(());
                }
            }
        }
    }

    /// Lays the pairs out in another shape; `None` if an entry would be too far from home in it.
    fn laid_out(&self, shape: Shape, budget: &Budget) -> Result<Option<Self>, Full> {
        let mut part = Self::new(shape, budget)?;
        let is_laid_out =
            if shape.same_order(&self.shape) { part.append(self.words()) } else { part.copy(self) };
        part.capacity = part.capacity.max(self.capacity);
        Ok(is_laid_out.then_some(part))
    }

    /// Puts sorted words into an empty part.
    fn append(&mut self, words: impl Iterator<Item = u64>) -> bool {
        let slot_bits = self.shape.slot_bits();
        let mut writer = Writer::new(&mut self.slots, 0);
        let mut next = 0;
        for word in words {
            let Home { place, entry } = self.shape.home(word);
            next = place.max(next);
            let entry = entry + (next - place) as u64 * self.shape.step();
            if entry > self.shape.greatest_entry() {
                return false;
            }
            self.greatest = self.greatest.max(entry);
            writer.skip_to(next * slot_bits);
            writer.write(entry, slot_bits);
            self.len += 1;
            next += 1;
        }
        writer.finish();
        true
    }

    fn copy(&mut self, other: &Self) -> bool {
        let mut pairs = other.words().map(|word| other.shape.pair(word));
        pairs.all(|pair| self.search(pair).is_some_and(|vacancy| self.put(vacancy)))
    }
}

/// The entry of the slot that begins at bit `at`. Behind the last word all slots are empty.
#[inline]
fn read(slots: &[u64], at: usize, bits: u64) -> u64 {
    let Some(&[low, high]) = slots.get(at / 64..).and_then(<[u64]>::first_chunk) else { return 0 };
    let both = u128::from(high) << 64 | u128::from(low);
    (both >> (at % 64)) as u64 & bits
}

/// Writes one slot after the other; a word is written when it is complete.
struct Writer<'a> {
    slots: &'a mut [u64],
    /// The first bit that is not written.
    at: usize,
    /// The bits before it of the same word.
    word: u64,
}

impl<'a> Writer<'a> {
    #[inline]
    fn new(slots: &'a mut [u64], at: usize) -> Self {
        let word = slots[at / 64] & low_bits(at % 64);
        Self { slots, at, word }
    }

    #[inline]
    fn write(&mut self, entry: u64, slot_bits: usize) {
        let fill = self.at % 64;
        self.word |= entry << fill;
        if fill + slot_bits >= 64 {
            self.slots[self.at / 64] = self.word;
            self.word = entry >> 1 >> (63 - fill);
        }
        self.at += slot_bits;
    }

    /// Leaves empty slots as they are.
    #[inline]
    fn skip_to(&mut self, at: usize) {
        if at / 64 > self.at / 64 {
            self.slots[self.at / 64] = self.word;
            self.word = 0;
        }
        self.at = at;
    }

    #[inline]
    fn finish(self) {
        let last = &mut self.slots[self.at / 64];
        *last = *last & !low_bits(self.at % 64) | self.word;
    }
}

const fn low_bits(count: usize) -> u64 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::mix::mix;

    fn pair(left: u64, right: u64) -> u64 {
        left << 32 | right
    }

    fn insert(set: &mut PairSet, pair: u64) -> Result<bool, Full> {
        set.prefetch(pair);
        set.insert(pair, |_| Ok(()))
    }

    /// Inserts pairs, looks up others, and compares the result with a set of the standard library.
    fn check(pairs: impl IntoIterator<Item = u64>) -> PairSet {
        let mut set = PairSet::new(&Budget::unlimited());
        let mut expected = HashSet::new();
        for pair in pairs {
            for other in [pair, pair ^ 1, pair ^ 1 << 32, pair.rotate_left(32), pair ^ 1 << 31] {
                assert_eq!(set.contains(other), expected.contains(&other), "{other:#x}");
            }
            assert_eq!(insert(&mut set, pair), Ok(expected.insert(pair)), "{pair:#x}");
            assert!(set.contains(pair));
        }
        assert_eq!(set.len(), expected.len());
        assert_eq!(set.iter().count(), expected.len());
        assert_eq!(set.iter().collect::<HashSet<_>>(), expected);
        assert!(expected.into_iter().all(|pair| set.contains(pair)));
        set
    }

    fn bytes_per_pair(set: &PairSet) -> f64 {
        set.bytes() as f64 / set.len() as f64
    }

    #[test]
    fn nothing() {
        let set = check([]);
        assert!(set.bytes() == 0 && !set.contains(0) && !set.contains(u64::MAX));
    }

    #[test]
    fn extreme_numbers() {
        let numbers = [0, 1, 7, 8, u64::from(u32::MAX) - 8, u64::from(u32::MAX) - 1, u64::from(u32::MAX)];
        check(numbers.iter().flat_map(|&left| numbers.map(|right| pair(left, right))));
        check(numbers.iter().rev().flat_map(|&left| numbers.map(|right| pair(right, left))));
    }

    #[test]
    fn dense_products() {
        for (left, right) in [(1, 100_000), (100_000, 1), (300, 300), (5, 20_000), (20_000, 5)] {
            let set = check((0..left * right).map(|i| pair(i / right, i % right)));
            assert!(bytes_per_pair(&set) < 1.9, "{left} × {right}: {} bytes", bytes_per_pair(&set));
        }
    }

    #[test]
    fn one_number_above_the_other() {
        check((0..40_000).map(|i| pair(i, i)));
        check((0..40_000).map(|i| pair(u64::from(u32::MAX) - i, i)));
        check((0..40_000).map(|i| pair(i * 65_537 % (1 << 32), 7)));
    }

    /// Numbers that get more and more bits: the set is laid out again from time to time.
    #[test]
    fn growing_numbers() {
        for step in [1, 7, 100] {
            let random = (0..60_000).map(|i| (mix(i + 1), (i / 2000 * step).min(32)));
            check(
                random
                    .clone()
                    .map(|(random, bits)| pair(random >> 32 >> (32 - bits), low_number(random, bits))),
            );
            check(random.map(|(random, bits)| pair(random >> 32 >> (32 - bits), random % 16)));
        }
    }

    fn low_number(random: u64, bits: u64) -> u64 {
        random & ((1 << bits) - 1)
    }

    /// Pairs that all have the same home, or the last homes of a part: the number of slots is as large as
    /// necessary and no larger.
    #[test]
    fn all_in_one_place() {
        let widest = Shape::first(Widths::of(u64::MAX >> PART_BITS));
        let words = (0..3000).flat_map(|i| [i, u64::MAX / 8 - i, u64::MAX / 16 + 7 * i]);
        let pairs = words.map(|word| join(3, widest.pair(word << PART_BITS)));
        let widest_of_all = (0..8).map(|part| join(part, u64::MAX >> PART_BITS));
        let set = check(widest_of_all.chain(pairs));
        assert!(set.bytes() < 20 * set.len(), "{} bytes", bytes_per_pair(&set));
    }

    #[test]
    fn bytes_of_a_pair() {
        for (count, bits, most) in [
            (2_800_000, 15, 2.9),
            (2_800_000, 16, 3.2),
            (300_000, 16, 4.1),
            (1_000_000, 24, 7.0),
            (300_000, 32, 10.0),
        ] {
            let mut set = PairSet::new(&Budget::unlimited());
            for i in 0..count {
                let random = mix(i + 1);
                insert(&mut set, pair(random >> (64 - bits), low_number(random, bits))).unwrap();
            }
            assert!(bytes_per_pair(&set) < most, "{count} of {bits} bits: {} bytes", bytes_per_pair(&set));
        }
    }

    #[test]
    fn what_is_not_admitted_is_not_in() {
        let mut set = PairSet::new(&Budget::unlimited());
        for pair in [5, 0, u64::MAX, 7] {
            assert_eq!(set.insert(pair, |_| Err(Full::States)), Err(Full::States));
            assert!(!set.contains(pair));
            assert_eq!(set.insert(pair, |len| if len < 4 { Ok(()) } else { Err(Full::States) }), Ok(true));
            assert_eq!(set.insert(pair, |_| Err(Full::States)), Ok(false));
        }
    }

    /// Also if a number would need more bits.
    #[test]
    fn without_memory_it_fills_up_and_nothing_is_lost() {
        for limit in [0, 5_000, 20_000, 100_000, 1_000_000] {
            let mut set = PairSet::new(&Budget::counted(limit));
            let pairs = || (0..1 << 20).map(|i| pair(i % 1000, i / 7));
            let count = pairs().take_while(|&pair| insert(&mut set, pair).is_ok()).count();
            let refused = pairs().nth(count).expect("there are more than fit");
            assert_eq!(insert(&mut set, refused), Err(Full::Memory));
            assert_eq!(insert(&mut set, u64::MAX), Err(Full::Memory));
            assert_eq!(set.len(), count);
            assert!(pairs().take(count).all(|pair| insert(&mut set, pair) == Ok(false)));
            assert_eq!(set.iter().collect::<HashSet<_>>(), pairs().take(count).collect());
            assert!(set.bytes() <= limit);
        }
    }

    #[test]
    fn a_part_fills_up_before_it_refuses() {
        let mut set = PairSet::new(&Budget::counted(400_000));
        let refused = (0..1 << 20).find(|&i| insert(&mut set, pair(i % 1000, i / 1000)).is_err());
        assert!(refused.is_some());
        let loads = set.parts.iter().map(|part| part.len as f64 / part.shape.places() as f64);
        let most = loads.fold(0.0, f64::max);
        assert!(most > 0.89, "{most}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(testing::effort(256) as u32))]

        #[test]
        fn it_is_a_set(pairs in prop::collection::vec((0_u32..33, 0_u32..33, any::<u64>()), 0..2000)) {
            check(pairs.into_iter().map(|(left, right, random)| {
                pair(random >> 32 >> (32 - left), low_number(random, right.into()))
            }));
        }
    }
}
