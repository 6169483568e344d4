//! Interned pairs: the table, and a cache of the pairs that one walker recently looked up.

use crate::interner::Interner;
use crate::mix::place;
use crate::{Budget, Full};

/// The number of a pair of zeros, and therefore of everything that is absent.
pub const ABSENT: u32 = 0;

/// All pairs, by number from 1 on.
#[derive(Debug)]
pub struct PairTable(Interner);

impl PairTable {
    pub fn new(budget: &Budget) -> Self {
        Self(Interner::new(budget))
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The pair with this number, as a word.
    #[inline]
    pub fn word(&self, number: u32) -> u64 {
        if number == ABSENT { 0 } else { self.0.get(number - 1) }
    }

    #[inline]
    pub fn halves(&self, number: u32) -> [u32; 2] {
        split(self.word(number))
    }

    /// Prefetches a pair.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if number != ABSENT {
            self.0.prefetch_item(number - 1);
        }
    }
}

/// The pairs that one walker recently looked up, with their numbers: most are looked up again soon.
#[derive(Debug)]
pub struct RecentPairs(Box<[(u64, u32)]>);

const RECENT: usize = 1 << 12;

impl Default for RecentPairs {
    fn default() -> Self {
        Self(vec![(0, ABSENT); RECENT].into())
    }
}

/// The table of pairs as one walker uses it.
pub struct Pairs<'a> {
    pub table: &'a mut PairTable,
    pub recent: &'a mut RecentPairs,
}

impl Pairs<'_> {
    /// The number of a pair. A pair of zeros has number 0, which is also what the cache initially holds.
    #[inline]
    pub fn number(&mut self, pair: u64) -> Result<u32, Full> {
        let recent = &mut self.recent.0[place(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15), RECENT) % RECENT];
        if recent.0 == pair {
            return Ok(recent.1);
        }
        let number = if pair == 0 { ABSENT } else { self.table.0.intern(pair)? + 1 };
        *recent = (pair, number);
        Ok(number)
    }
}

#[inline]
pub fn join(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[inline]
pub fn split(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}
