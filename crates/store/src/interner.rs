//! Interned words: each 64-bit word is stored once, under a number of 32 bits.
//!
//! ```text
//!   items    [ word 0 | word 1 | … ]         in the order of their numbers
//!   index    [ tag | number+1 ]              0 = empty; 4 bytes per slot, linear probing
//! ```
//!
//! A slot uses as many bits for its number as numbers need at the present size of the index, and the
//! remaining bits for a tag, the last bits of the mixed word. So a probe reads an item, as a rule, only to
//! find an equal one. When the index grows, the old index is dropped first and the new one is filled from the
//! items, so that the two never coexist.

use crate::mix::{mix, place};
use crate::zeroed::{Zeroed, grow_from, prefetch};
use crate::{Budget, Full};

/// Distinct 64-bit words, each with a number of 32 bits.
#[derive(Debug)]
pub struct Interner {
    items: Vec<u64>,
    index: Zeroed<u32>,
    /// The number of items at which the index has to grow.
    capacity: usize,
    /// The number of bits of a slot that hold the number.
    number_bits: u32,
    /// The bits of a mixed word that are used: all of them, except in tests of collisions.
    mask: u64,
    budget: Budget,
}

const FIRST_SLOTS: usize = 1 << 8;
/// The least number of items that are added at once.
const LEAST_GROWTH: usize = 1 << 7;

impl Interner {
    /// The number of numbers. The greatest ones are not assigned, so that users of the numbers have some
    /// special values.
    pub const LIMIT: usize = u32::MAX as usize - 15;

    pub fn new(budget: &Budget) -> Self {
        Self {
            items: Vec::new(),
            index: Zeroed::empty(),
            capacity: 0,
            number_bits: 0,
            mask: u64::MAX,
            budget: budget.clone(),
        }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    #[inline]
    pub fn get(&self, number: u32) -> u64 {
        self.items[number as usize]
    }

    /// Prefetches an item.
    #[inline]
    pub fn prefetch_item(&self, number: u32) {
        prefetch(self.items.as_ptr().wrapping_add(number as usize));
    }

    /// The number of `word`, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, word: u64) -> Result<u32, Full> {
        let mixed = mix(word) & self.mask;
        match self.lookup(word, mixed) {
            Ok(number) => Ok(number),
            Err(at) => self.add(word, mixed, at),
        }
    }

    /// The number of `word`, and whether it is new. A new word is added only if `admit`, which gets the
    /// number of items, agrees.
    #[inline]
    pub fn insert(
        &mut self,
        word: u64,
        admit: impl FnOnce(usize) -> Result<(), Full>,
    ) -> Result<(u32, bool), Full> {
        let mixed = mix(word) & self.mask;
        match self.lookup(word, mixed) {
            Ok(number) => Ok((number, false)),
            Err(at) => {
                admit(self.len())?;
                Ok((self.add(word, mixed, at)?, true))
            }
        }
    }

    /// The number of `word`, if it is there.
    #[inline]
    pub fn find(&self, word: u64) -> Option<u32> {
        self.lookup(word, mix(word) & self.mask).ok()
    }

    pub fn contains(&self, word: u64) -> bool {
        self.find(word).is_some()
    }

    /// The words in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.items.iter().copied()
    }

    /// Prefetches the place of a word in the index.
    #[inline]
    pub fn prefetch(&self, word: u64) {
        if !self.index.is_empty() {
            prefetch(self.index.as_ptr().wrapping_add(place(mix(word) & self.mask, self.index.len())));
        }
    }

    /// The number of `word`, or the slot where it would be.
    #[inline]
    fn lookup(&self, word: u64, mixed: u64) -> Result<u32, usize> {
        if self.index.is_empty() {
            return Err(0);
        }
        let tag = self.tag(mixed);
        let mut at = place(mixed, self.index.len());
        loop {
            let slot = u64::from(self.index[at]);
            if slot == 0 {
                return Err(at);
            }
            if slot >> self.number_bits == tag {
                let number = (slot & ((1 << self.number_bits) - 1)) as u32 - 1;
                if self.items[number as usize] == word {
                    return Ok(number);
                }
            }
            at += 1;
            if at == self.index.len() {
                at = 0;
            }
        }
    }

    #[inline]
    fn tag(&self, mixed: u64) -> u64 {
        (mixed & u64::from(u32::MAX)) >> self.number_bits
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, word: u64, mixed: u64, mut at: usize) -> Result<u32, Full> {
        let number = self.items.len();
        if number >= Self::LIMIT {
            return Err(Full::Ids);
        }
        // The index was lost when it could not grow: it cannot be determined any more whether the word is
        // stored.
        if self.index.is_empty() && number > 0 {
            return Err(Full::Memory);
        }
        if number == self.items.capacity() {
            grow_from(&mut self.items, LEAST_GROWTH, &self.budget)?;
        }
        if number >= self.capacity {
            self.enlarge()?;
            at = self.vacant(mixed);
        }
        self.items.push(word);
        self.index[at] = self.slot(mixed, number);
        Ok(number as u32)
    }

    fn slot(&self, mixed: u64, number: usize) -> u32 {
        (self.tag(mixed) << self.number_bits) as u32 | (number as u32 + 1)
    }

    fn vacant(&self, mixed: u64) -> usize {
        let mut at = place(mixed, self.index.len());
        while self.index[at] != 0 {
            at = if at + 1 == self.index.len() { 0 } else { at + 1 };
        }
        at
    }

    /// Enlarges the index by half or, if the budget does not allow it, lets it fill up.
    fn enlarge(&mut self) -> Result<(), Full> {
        let old = self.index.len();
        let new = (old + old / 2).max(FIRST_SLOTS);
        if self.budget.allows((new - old) * size_of::<u32>()) {
            self.index = Zeroed::empty();
            // The difference was granted, and the old index is freed.
            let unlimited = Budget::unlimited();
            let enlarged = Zeroed::new(new, &unlimited);
            let is_enlarged = enlarged.is_ok();
            self.index = enlarged.or_else(|_| Zeroed::new(old, &unlimited))?;
            let slots = self.index.len();
            self.number_bits = usize::BITS - slots.leading_zeros();
            for number in 0..self.items.len() {
                let mixed = mix(self.items[number]) & self.mask;
                let at = self.vacant(mixed);
                self.index[at] = self.slot(mixed, number);
            }
            if is_enlarged {
                self.capacity = slots / 5 * 4;
                return Ok(());
            }
        }
        self.capacity = old / 16 * 15;
        if self.items.len() < self.capacity { Ok(()) } else { Err(Full::Memory) }
    }

    /// The memory used, in bytes.
    pub fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<u64>() + self.index.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_lead_back() {
        let word = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 50);
        let mut interner = Interner::new(&Budget::unlimited());
        let mut numbers = std::collections::HashMap::new();
        for i in 0..200_000 {
            let fresh = numbers.len() as u32;
            let expected = *numbers.entry(word(i)).or_insert(fresh);
            assert_eq!(interner.find(word(i)), (expected != fresh).then_some(expected));
            assert_eq!(interner.intern(word(i)), Ok(expected));
            assert_eq!(interner.get(expected), word(i));
        }
        assert_eq!(interner.len(), numbers.len());
        assert!(numbers.iter().all(|(&word, &number)| interner.find(word) == Some(number)));
        assert!(interner.bytes() < 20 * interner.len());
    }

    #[test]
    fn equality_decides_and_never_the_mixed_word() {
        for mask in [0, 1, u64::MAX << 63, 7 << 61 | 3] {
            let mut interner = Interner { mask, ..Interner::new(&Budget::unlimited()) };
            for round in 0..2 {
                for i in 0..1500_u32 {
                    assert_eq!(interner.find(u64::from(i) << 32), (round == 1).then_some(i));
                    assert_eq!(interner.intern(u64::from(i) << 32), Ok(i));
                }
            }
        }
    }

    #[test]
    fn without_an_index_everything_is_refused() {
        let mut interner = Interner::new(&Budget::unlimited());
        assert!((0..1000).all(|word| interner.intern(word).is_ok()));
        interner.index = Zeroed::empty();
        for word in (0..2000).chain(0..2000) {
            assert_eq!(interner.intern(word), Err(Full::Memory));
        }
        assert_eq!((interner.len(), interner.get(999)), (1000, 999));
    }

    #[test]
    fn without_memory_the_index_fills_up_and_nothing_is_lost() {
        for limit in [0, 10_000, 60_000, 100_000, 1_000_000] {
            let mut interner = Interner::new(&Budget::counted(limit));
            let count = (0..1 << 20).take_while(|&word| interner.intern(word).is_ok()).count();
            assert_eq!(interner.intern(count as u64), Err(Full::Memory));
            assert_eq!(interner.len(), count);
            assert!((0..count as u64).all(|word| interner.find(word) == Some(word as u32)));
            assert!(interner.bytes() <= limit, "{} bytes for {count} words", interner.bytes());
            assert_eq!(interner.find(count as u64), None);
        }
    }
}
