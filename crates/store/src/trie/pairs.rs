//! Interned pairs.

use crate::interner::Interner;
use crate::mix::place;
use crate::{Budget, Full};

/// The number of a pair of zeros, and with that of all that is not there.
pub const ABSENT: u32 = 0;

#[derive(Debug)]
pub struct Pairs {
    interner: Interner,
    /// Pairs that were asked for lately, and their numbers: most are asked for again soon.
    recent: Box<[(u64, u32)]>,
}

const RECENT: usize = 1 << 12;

impl Pairs {
    pub fn new(budget: &Budget) -> Self {
        Self { interner: Interner::new(budget), recent: vec![(0, ABSENT); RECENT].into() }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.interner.len()
    }

    pub fn bytes(&self) -> usize {
        self.interner.bytes()
    }

    /// The number of a pair. That of zeros is 0, which is what all that is recent says at first.
    #[inline]
    pub fn number(&mut self, pair: u64) -> Result<u32, Full> {
        let recent = &mut self.recent[place(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15), RECENT) % RECENT];
        if recent.0 == pair {
            return Ok(recent.1);
        }
        let number = if pair == 0 { ABSENT } else { self.interner.intern(pair)? + 1 };
        *recent = (pair, number);
        Ok(number)
    }

    /// The pair of a number, as a word.
    #[inline]
    pub fn word(&self, number: u32) -> u64 {
        if number == ABSENT { 0 } else { self.interner.get(number - 1) }
    }

    /// Lets a pair come near.
    #[inline]
    pub fn prefetch(&self, number: u32) {
        if number != ABSENT {
            self.interner.prefetch_item(number - 1);
        }
    }

    #[inline]
    pub fn halves(&self, number: u32) -> [u32; 2] {
        split(self.word(number))
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
