//! Coverage: which locations were reached and which transitions were taken by any run.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A set of numbers that only grows: a bit for each.
pub struct Coverage(Vec<AtomicU64>);

impl Coverage {
    /// The empty set of numbers below `count`.
    pub fn none_of(count: usize) -> Self {
        Self((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64].load(Relaxed) >> (number % 64) & 1 == 1
    }

    /// All numbers, as bits.
    pub fn words(&self) -> Vec<u64> {
        self.0.iter().map(|word| word.load(Relaxed)).collect()
    }

    /// Adds the numbers that are given as bits.
    pub fn add(&self, words: &[u64]) {
        self.0.iter().zip(words).for_each(|(word, &more)| _ = word.fetch_or(more, Relaxed));
    }

    #[inline]
    pub fn insert(&self, number: u32) {
        let (word, bit) = (&self.0[number as usize / 64], 1 << (number % 64));
        // The bit is nearly always set already, and reading is cheap. No other access is ordered by it.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }
}
