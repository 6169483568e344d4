//! Interned pairs: the table, and a cache of the pairs that one walker recently looked up.
//!
//! While several walkers read a table, it does not change. The pairs that they find meanwhile are in a second,
//! small one ([`FreshPairs`]), divided into shards with a lock each, and move to the table afterwards. Their
//! numbers are final from the start: they continue those of the table. Two walkers that find the same pair
//! get the same number, since a number is given while the shard of the pair is locked. Which number that is
//! depends on who comes first, and shows nowhere: numbers only tell pairs apart.
//!
//! A table that is written concurrently without locks was considered: it could not grow meanwhile, and the
//! search with one thread would pay for it. New pairs are rare, and those met again are in the cache.

use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
#[cfg(not(loom))]
use std::sync::{Mutex, atomic::AtomicU32};

#[cfg(loom)]
use loom::sync::{Mutex, atomic::AtomicU32};
use rustc_hash::FxHashMap;

use crate::interner::Interner;
use crate::mix::{mix, place};
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

    /// Adds a pair, and returns its number.
    pub fn append(&mut self, pair: u64) -> Result<u32, Full> {
        Ok(self.0.intern(pair)? + 1)
    }

    /// Adds the pairs that walkers have found. If memory runs out, some are missing.
    pub fn add(&mut self, fresh: FreshPairs) -> Result<(), Full> {
        for (number, pair) in fresh.into_list() {
            let added = self.append(pair)?;
            assert_eq!(added, number, "numbers continue those of the table");
        }
        Ok(())
    }
}

/// The pairs that one walker recently looked up, with their numbers: most are looked up again soon.
#[derive(Debug)]
pub struct RecentPairs(Box<[(u64, u32); RECENT]>);

const RECENT: usize = 1 << 12;

impl Default for RecentPairs {
    fn default() -> Self {
        Self(vec![(0, ABSENT); RECENT].try_into().expect("as many as there are places"))
    }
}

impl RecentPairs {
    #[inline]
    fn place(pair: u64) -> usize {
        place(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15), RECENT) % RECENT
    }

    /// The number of a pair that was looked up. A pair of zeros has number 0, which is also what the cache initially
    /// holds.
    #[inline]
    fn find(&self, pair: u64) -> Option<u32> {
        let (recent, number) = self.0[Self::place(pair)];
        (recent == pair).then_some(number)
    }
}

/// Gives numbers to pairs.
pub trait Numbers {
    fn recent(&mut self) -> &mut RecentPairs;

    /// The number of a pair that is not of zeros. A new pair is interned.
    fn intern(&mut self, pair: u64) -> Result<u32, Full>;

    /// The number of a pair, which is interned if it is new.
    #[inline]
    fn number(&mut self, pair: u64) -> Result<u32, Full> {
        match self.recent().find(pair) {
            Some(number) => Ok(number),
            None => self.look_up(pair),
        }
    }

    /// The number of a pair that was not looked up recently. Out of line, so that what is done for most pairs stays
    /// small enough to be inlined.
    #[inline(never)]
    fn look_up(&mut self, pair: u64) -> Result<u32, Full> {
        let number = if pair == 0 { ABSENT } else { self.intern(pair)? };
        self.recent().0[RecentPairs::place(pair)] = (pair, number);
        Ok(number)
    }
}

/// The table of pairs as its only walker uses it.
pub struct Pairs<'a> {
    pub table: &'a mut PairTable,
    pub recent: &'a mut RecentPairs,
}

impl Numbers for Pairs<'_> {
    #[inline]
    fn recent(&mut self) -> &mut RecentPairs {
        self.recent
    }

    #[inline]
    fn intern(&mut self, pair: u64) -> Result<u32, Full> {
        Ok(self.table.0.intern(pair)? + 1)
    }
}

/// The table of pairs as one of several walkers uses it.
pub struct SharedPairs<'a> {
    pub table: &'a PairTable,
    pub fresh: &'a FreshPairs,
    pub recent: &'a mut RecentPairs,
}

impl Numbers for SharedPairs<'_> {
    #[inline]
    fn recent(&mut self) -> &mut RecentPairs {
        self.recent
    }

    #[inline]
    fn intern(&mut self, pair: u64) -> Result<u32, Full> {
        match self.table.0.find(pair) {
            Some(number) => Ok(number + 1),
            None => self.fresh.intern(pair),
        }
    }
}

/// Pairs that are not in a table yet.
#[derive(Debug)]
pub struct FreshPairs {
    shards: [Mutex<FxHashMap<u64, u32>>; SHARDS],
    /// The greatest number so far.
    last: AtomicU32,
    budget: Budget,
}

const SHARDS: usize = if cfg!(loom) { 2 } else { 64 };
/// The least number of pairs for which a shard makes room.
const LEAST_ROOM: usize = 32;
/// What a pair takes in a shard that has just grown, about.
const FRESH_BYTES: usize = 32;

impl FreshPairs {
    /// No pairs yet. Numbers continue those of `table`.
    pub fn new(table: &PairTable, budget: &Budget) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            last: AtomicU32::new(table.len() as u32),
            budget: budget.clone(),
        }
    }

    /// The number of a pair that is not in the table.
    #[cold]
    #[inline(never)]
    fn intern(&self, pair: u64) -> Result<u32, Full> {
        let shard = &self.shards[place(mix(pair), SHARDS)];
        // A walker that panics ends the search.
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = shard.get(&pair) {
            return Ok(number);
        }
        if shard.len() == shard.capacity() {
            let more = shard.len().max(LEAST_ROOM);
            if !self.budget.allows(more * FRESH_BYTES) {
                return Err(Full::Memory);
            }
            shard.try_reserve(more).map_err(|_| Full::Memory)?;
        }
        let next = |last: u32| (last < Interner::LIMIT as u32).then_some(last + 1);
        // Relaxed is sufficient: who else gets this number's pair gets it under the same lock.
        let last = self.last.fetch_update(Relaxed, Relaxed, next).map_err(|_| Full::Ids)?;
        shard.insert(pair, last + 1);
        Ok(last + 1)
    }

    /// The pairs with their numbers, in the order of numbers.
    fn into_list(self) -> Vec<(u32, u64)> {
        let shards = self.shards.into_iter();
        let pairs = shards.flat_map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut list: Vec<(u32, u64)> = pairs.map(|(pair, number)| (number, pair)).collect();
        list.sort_unstable();
        list
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Many threads look up the same pairs in different orders.
    #[test]
    fn walkers_agree_about_numbers() {
        for round in 0..testing::effort(20) {
            let mut table = PairTable::new(&Budget::unlimited());
            let mut recent = RecentPairs::default();
            let mut alone = Pairs { table: &mut table, recent: &mut recent };
            let known: Vec<u32> = (1..100).map(|pair| alone.number(pair << 32).unwrap()).collect();
            let fresh = FreshPairs::new(&table, &Budget::unlimited());
            let pair = |i: u64| mix(i % 3000 + round) | 1;
            let walk = |walker: u64| {
                let mut recent = RecentPairs::default();
                let mut pairs = SharedPairs { table: &table, fresh: &fresh, recent: &mut recent };
                let numbers: Vec<_> =
                    (0..6000).map(|i| pairs.number(pair(i * (2 * walker + 1))).unwrap()).collect();
                let old: Vec<u32> = (1..100).map(|pair| pairs.number(pair << 32).unwrap()).collect();
                assert_eq!(old, known);
                (walker, numbers)
            };
            let found: Vec<_> = std::thread::scope(|scope| {
                let walkers: Vec<_> = (0..4).map(|walker| scope.spawn(move || walk(walker))).collect();
                walkers.into_iter().map(|walker| walker.join().unwrap()).collect()
            });
            table.add(fresh).unwrap();
            for (walker, numbers) in found {
                for (number, i) in numbers.into_iter().zip(0..) {
                    assert_eq!(table.word(number), pair(i * (2 * walker + 1)), "a number leads back");
                }
            }
            assert_eq!(table.len(), 99 + 3000, "a pair has one number");
        }
    }

    #[test]
    fn without_memory_or_numbers_fresh_pairs_are_refused() {
        let table = PairTable::new(&Budget::unlimited());
        let fresh = FreshPairs::new(&table, &Budget::counted(100_000));
        let count = (1..1 << 20).take_while(|&pair| fresh.intern(pair).is_ok()).count();
        assert!((1000..4000).contains(&count), "{count}");
        assert_eq!(fresh.intern(1), Ok(1), "what is there is found");
        let last = FreshPairs { last: AtomicU32::new(Interner::LIMIT as u32), ..fresh };
        assert_eq!(last.intern(u64::MAX), Err(Full::Ids));
    }
}

/// All interleavings of few walkers: `RUSTFLAGS="--cfg loom" cargo test --release -p quotient-store --lib loom`.
#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Arc;

    use loom::thread;

    use super::*;

    /// Pairs of one shard, or of both.
    fn pairs(shards: usize) -> Vec<u64> {
        let of_shard = |shard| (1..).filter(move |&pair| place(mix(pair), SHARDS) == shard);
        (0..shards).flat_map(|shard| of_shard(shard).take(3 - shards)).collect()
    }

    #[test]
    fn loom_walkers_agree_about_numbers() {
        for (shards, walkers) in [(1, 2), (2, 2), (1, 3), (2, 3)] {
            let pairs = pairs(shards);
            loom::model(move || {
                let mut table = PairTable::new(&Budget::unlimited());
                table.append(u64::MAX).unwrap();
                let fresh = Arc::new(FreshPairs::new(&table, &Budget::unlimited()));
                let walk = |walker: usize| {
                    let (fresh, mut pairs) = (Arc::clone(&fresh), pairs.clone());
                    // Some come in the other order, and the last looks up one pair only.
                    pairs.rotate_left(walker % 2);
                    pairs.truncate(if walker == 2 { 1 } else { 2 });
                    thread::spawn(move || {
                        pairs.into_iter().map(|pair| (pair, fresh.intern(pair).unwrap())).collect::<Vec<_>>()
                    })
                };
                let threads: Vec<_> = (0..walkers).map(walk).collect();
                let found: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
                let list = Arc::into_inner(fresh).expect("all are done").into_list();
                let numbers: Vec<u32> = list.iter().map(|&(number, _)| number).collect();
                assert_eq!(numbers, [2, 3], "numbers continue those of the table");
                for (pair, number) in found {
                    assert!(list.contains(&(number, pair)), "a pair has one number, and a number leads back");
                }
            });
        }
    }
}
