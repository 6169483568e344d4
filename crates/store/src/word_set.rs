//! A set of 64-bit words, in little more than eight bytes each.
//!
//! The words are kept in mixed form ([`crate::mix`]), in an array with gaps, and *in order*: where a word belongs is a
//! monotone function of its mixed form, so a search may stop at the first greater one, and growing is a sweep from front to
//! back. The set is cut into parts that grow one at a time, each by a quarter: at most a small part of it exists twice, and
//! the load stays between 0.7 and 0.875.

use crate::mix::{mix, place, unmix};
use crate::zeroed::Zeroed;
use crate::{Budget, Full};

const PARTS: usize = 8;
const FIRST_SLOTS: usize = 64;
/// Slots behind the last place, into which words may be pushed, at first.
const TAIL: usize = 64;

#[derive(Debug)]
pub struct WordSet {
    parts: [Part; PARTS],
    /// Zero stands for an empty slot, and mixed it is still zero.
    has_zero: bool,
    len: usize,
    budget: Budget,
}

#[derive(Debug)]
struct Part {
    slots: Zeroed<u64>,
    /// How many places words have, the rest being the tail.
    places: usize,
    len: usize,
    /// How many words it may hold before it has to grow.
    capacity: usize,
}

/// A word on its way into a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mixed(pub u64);

impl Mixed {
    pub const fn unmix(self) -> u64 {
        unmix(self.0)
    }
}

impl WordSet {
    pub fn new(budget: &Budget) -> Self {
        let part = || Part { slots: Zeroed::empty(), places: 0, len: 0, capacity: 0 };
        Self { parts: std::array::from_fn(|_| part()), has_zero: false, len: 0, budget: budget.clone() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    /// The first half of [`WordSet::insert`]: lets memory come near while the caller does something else.
    #[inline]
    pub fn prepare(&self, word: u64) -> Mixed {
        let mixed = mix(word);
        let part = &self.parts[place(mixed, PARTS)];
        if part.places > 0 {
            part.slots.prefetch(part.home(mixed));
        }
        Mixed(mixed)
    }

    #[inline]
    pub fn contains(&self, Mixed(mixed): Mixed) -> bool {
        let part = &self.parts[place(mixed, PARTS)];
        if mixed == 0 { self.has_zero } else { part.places > 0 && part.search(mixed).is_ok() }
    }

    /// Whether the word is new: then it is in the set from now on, provided that `admits` agrees.
    #[inline]
    pub fn insert(
        &mut self,
        Mixed(mixed): Mixed,
        admits: impl FnOnce(usize) -> Result<(), Full>,
    ) -> Result<bool, Full> {
        if mixed == 0 {
            if !self.has_zero {
                admits(self.len)?;
                self.len += 1;
                self.has_zero = true;
                return Ok(true);
            }
            return Ok(false);
        }
        let part = &mut self.parts[place(mixed, PARTS)];
        let mut at = 0;
        if part.places > 0 {
            match part.search(mixed) {
                Ok(()) => return Ok(false),
                Err(vacant) => at = vacant,
            }
        }
        admits(self.len)?;
        if part.len >= part.capacity {
            part.make_room(&self.budget)?;
            at = part.search(mixed).expect_err("it is not there");
        }
        while !part.put(mixed, at) {
            let tail = part.slots.len() - part.places;
            part.enlarge(part.places, 2 * tail, &self.budget)?;
            at = part.search(mixed).expect_err("it is not there");
        }
        self.len += 1;
        Ok(true)
    }

    /// All words, in an order of no meaning.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let stored = self.parts.iter().flat_map(|part| part.slots.iter().filter(|&&slot| slot != 0));
        self.has_zero.then_some(0).into_iter().chain(stored.map(|&mixed| unmix(mixed)))
    }

    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.slots.bytes()).sum()
    }
}

impl Part {
    #[inline]
    fn home(&self, mixed: u64) -> usize {
        place(mixed.wrapping_mul(PARTS as u64), self.places)
    }

    /// The slot where the word is to go, unless it is there.
    #[inline]
    fn search(&self, mixed: u64) -> Result<(), usize> {
        let mut at = self.home(mixed);
        // Behind the last slot that is in use there is always an empty one.
        while self.slots[at] != 0 && self.slots[at] < mixed {
            at += 1;
        }
        if self.slots[at] == mixed { Ok(()) } else { Err(at) }
    }

    /// Puts a word into its slot, and pushes the greater ones that are in its way. Not if that takes the last slot.
    fn put(&mut self, mixed: u64, at: usize) -> bool {
        let Some(run) = self.slots[at..].iter().position(|&slot| slot == 0) else { return false };
        if at + run + 1 == self.slots.len() {
            return false;
        }
        self.slots.copy_within(at..at + run, at + 1);
        self.slots[at] = mixed;
        self.len += 1;
        true
    }

    /// Grows by a quarter, or fills up where the budget does not allow that.
    fn make_room(&mut self, budget: &Budget) -> Result<(), Full> {
        let places = (self.places + self.places / 4).max(FIRST_SLOTS);
        let tail = (self.slots.len() - self.places).max(TAIL);
        let enlarged = self.enlarge(places, tail, budget);
        if enlarged.is_err() {
            self.capacity = self.places / 64 * 62;
            if self.len < self.capacity {
                return Ok(());
            }
        }
        enlarged
    }

    fn enlarge(&mut self, places: usize, tail: usize, budget: &Budget) -> Result<(), Full> {
        let slots = Zeroed::new(places + tail, budget)?;
        let old = std::mem::replace(&mut self.slots, slots);
        self.places = places;
        self.capacity = self.capacity.max(places / 8 * 7);
        let mut next = 0;
        for &mixed in old.iter().filter(|&&slot| slot != 0) {
            // No word gets further to the end than it was.
            next = self.home(mixed).max(next);
            self.slots[next] = mixed;
            next += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn insert(set: &mut WordSet, word: u64) -> Result<bool, Full> {
        set.insert(set.prepare(word), |_| Ok(()))
    }

    #[test]
    fn it_is_a_set() {
        let mut set = WordSet::new(&Budget::unlimited());
        let mut expected = HashSet::new();
        for i in 0..300_000_u64 {
            let word = (i * i % 99_991) << (i % 40);
            assert_eq!(insert(&mut set, word), Ok(expected.insert(word)));
        }
        assert_eq!(set.len(), expected.len());
        assert_eq!(set.iter().collect::<HashSet<_>>(), expected);
        assert_eq!(set.iter().count(), expected.len());
        assert!(set.bytes() < 12 * set.len(), "{} bytes for {} words", set.bytes(), set.len());
    }

    #[test]
    fn what_is_not_admitted_is_not_in() {
        let mut set = WordSet::new(&Budget::unlimited());
        for word in [5, 0, 7] {
            let mixed = set.prepare(word);
            assert_eq!(set.insert(mixed, |_| Err(Full::States)), Err(Full::States));
            assert_eq!(set.insert(mixed, |len| if len < 3 { Ok(()) } else { Err(Full::States) }), Ok(true));
            assert_eq!(set.insert(mixed, |_| Err(Full::States)), Ok(false));
        }
    }

    /// Words that all belong to one place, and at the end of a part.
    #[test]
    fn long_runs_and_the_end_of_a_part() {
        let mut set = WordSet::new(&Budget::unlimited());
        for mixed in (0..3000).map(|i| u64::MAX - i).chain((0..3000).map(|i| (1 << 63) + 7 * i)) {
            let word = unmix(mixed);
            assert_eq!(insert(&mut set, word), Ok(true));
            assert_eq!(insert(&mut set, word), Ok(false));
        }
        assert_eq!(set.iter().collect::<HashSet<_>>().len(), 6000);
    }

    #[test]
    fn without_memory_it_fills_up_and_nothing_is_lost() {
        for limit in [0, 5_000, 20_000, 100_000, 1_000_000] {
            let mut set = WordSet::new(&Budget::counted(limit));
            let count = (0..1 << 20).take_while(|&word| insert(&mut set, word).is_ok()).count() as u64;
            assert_eq!(insert(&mut set, count), Err(Full::Memory));
            assert_eq!(set.len() as u64, count);
            assert!((0..count).all(|word| insert(&mut set, word) == Ok(false)));
            assert!(set.bytes() <= limit);
        }
    }
}
