//! Hash compaction: a state is represented by a few bytes of its fingerprint.
//!
//! The method is that of Wolper and Leroy (Reliable hashing without collision detection, CAV 1993). 8 bits of
//! a [fingerprint](crate::fingerprint) choose one of 256 tables, and further `b` bits, 64 by default, are the
//! value that the table keeps. They also determine the place: the home of a value is proportional to it, so
//! that a table is *sorted*, with gaps.
//!
//! ```text
//!   fingerprint  [ table:8 | value:b | … ]         home = value · slots / 2^b; 0 = empty; linear probing
//!   table        … 0 | 17 | 0 | 23 | 24 | 31 | 0 …
//! ```
//!
//! Consequences of the order:
//! - A search ends at the first greater value, so an unsuccessful search is as short as a successful one, and
//!   a table works well when it is seven eighths full.
//! - A table grows by a fifth, in one sweep from front to back. Doubling would leave it half empty, which is
//!   16 bytes per state instead of 11. Tables grow one at a time, so that only one of the 256 tables exists
//!   twice at any moment.
//! - There is no wrap-around at the end. Behind the last home there are a few more slots, and a table grows
//!   when these fill up.
//!
//! *Losses.* The bits of a value determine its place, so two states are confused exactly when all `b` + 8
//! bits agree. The state after `i` others is lost with probability `i / 2^(b+8)`. For `n` stored states,
//! `n² / 2^(b+9)` omissions are to be expected: with 8 bytes, `10⁻⁴` among a billion states, and with 4, one
//! among 1.5 million.

use system::Encoding;

use crate::fingerprint::Fingerprints;
use crate::mix::place;
use crate::zeroed::Zeroed;
use crate::{Access, Budget, Figure, Full, Insert, PreparedStore, StateId, StateStore, Ticket};

/// The number of bits that choose the table.
const TABLE_BITS: u32 = 8;
const FIRST_SLOTS: usize = 16;
/// With this number of states, the tables do not fit the caches of a processor.
const PREPARES_FROM: usize = 1 << 18;
/// The number of slots behind the last home.
const OVERFLOW: usize = 32;

/// A store that keeps a few bytes of the fingerprint of each state: hash compaction.
#[derive(Debug)]
pub struct Compact {
    tables: Vec<Table>,
    /// The number of bits of a value.
    bits: u32,
    fingerprints: Fingerprints,
    len: usize,
    budget: Budget,
}

impl Compact {
    /// The numbers of bytes per state that may be chosen.
    pub const WIDTHS: std::ops::RangeInclusive<u32> = 4..=8;
    pub const DEFAULT_WIDTH: u32 = 8;

    /// Keeps `width` bytes of each state.
    pub fn new(budget: &Budget, width: u32) -> Self {
        assert!(Self::WIDTHS.contains(&width), "a compact store keeps 4 to 8 bytes per state");
        Self {
            tables: (0..1 << TABLE_BITS).map(|_| Table::default()).collect(),
            bits: 8 * width,
            fingerprints: Fingerprints::default(),
            len: 0,
            budget: budget.clone(),
        }
    }

    /// The greatest number of bytes per state in a large store.
    pub fn bytes_per_state(width: u32) -> f64 {
        // This is reached right after a table has grown.
        f64::from(width) * 8.0 / 7.0 * 1.2
    }

    /// The table of a state, and its value there.
    #[inline]
    fn address(&self, fingerprint: u128) -> (usize, u64) {
        let table = (fingerprint >> (128 - TABLE_BITS)) as usize;
        // Zero marks an empty slot.
        (table, ((fingerprint as u64) >> (64 - self.bits)).max(1))
    }

    /// The number of states that are expected to be lost before `states` are stored.
    fn expected_omissions(states: f64, bits: u32) -> f64 {
        states * (states - 1.0).max(0.0) / f64::from(bits + TABLE_BITS + 1).exp2()
    }
}

impl StateStore for Compact {
    fn kind(&self) -> &'static str {
        "compact"
    }

    fn omissions(&self) -> Option<f64> {
        Some(Self::expected_omissions(self.len as f64, self.bits))
    }

    fn access(&self) -> Access {
        Access::Never
    }

    #[inline]
    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let fingerprint = self.fingerprints.of(encoding);
        self.commit(Ticket(fingerprint), limit)
    }

    fn decode(&mut self, _: StateId, _: &mut Encoding) {
        unreachable!("a compact store does not rebuild states");
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(|table| size_of::<Table>() + table.words.bytes()).sum();
        tables + self.fingerprints.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        let slots: usize = self.tables.iter().map(Table::slots).sum();
        vec![
            Figure { name: "hash_bytes", value: f64::from(self.bits / 8) },
            Figure { name: "load", value: self.len as f64 / slots.max(1) as f64 },
        ]
    }

    #[inline]
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        Some(self)
    }
}

impl PreparedStore for Compact {
    fn is_worthwhile(&self) -> bool {
        self.len >= PREPARES_FROM
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        let fingerprint = self.fingerprints.of(encoding);
        let (table, value) = self.address(fingerprint);
        self.tables[table].prefetch(value, self.bits);
        Ok(Ticket(fingerprint))
    }

    #[inline]
    fn contains(&self, ticket: Ticket) -> bool {
        let (table, value) = self.address(ticket.0);
        self.tables[table].find(value, self.bits).is_ok()
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let (table, value) = self.address(ticket.0);
        let table = &mut self.tables[table];
        let Err(mut at) = table.find(value, self.bits) else { return Ok(Insert::Seen(None)) };
        if self.len >= limit {
            return Err(Full::States);
        }
        if self.len == StateId::LIMIT {
            return Err(Full::Ids);
        }
        let gap = loop {
            match table.gap(at, self.bits) {
                Some(gap) if table.len < table.capacity => break gap,
                _ => table.grow(self.bits, &self.budget)?,
            }
            at = table.find(value, self.bits).expect_err("it is not there");
        };
        table.put(at, gap, value, self.bits);
        self.len += 1;
        Ok(Insert::New(StateId((self.len - 1) as u64)))
    }
}

/// Values in ascending order, with gaps.
#[derive(Debug)]
struct Table {
    /// The slots, one after the other. The last word exists so that slots can be read as whole words.
    words: Zeroed<u64>,
    /// The number of slots that are homes.
    homes: usize,
    len: usize,
    /// The number of values at which the table has to grow.
    capacity: usize,
}

impl Default for Table {
    fn default() -> Self {
        Self { words: Zeroed::empty(), homes: 0, len: 0, capacity: 0 }
    }
}

impl Table {
    const fn slots(&self) -> usize {
        if self.homes == 0 { 0 } else { self.homes + OVERFLOW }
    }

    #[inline]
    fn get(&self, at: usize, bits: u32) -> u64 {
        if bits == 64 {
            return self.words[at];
        }
        let bit = at * bits as usize;
        let both = u128::from(self.words[bit / 64]) | u128::from(self.words[bit / 64 + 1]) << 64;
        (both >> (bit % 64)) as u64 & ((1 << bits) - 1)
    }

    fn set(&mut self, at: usize, value: u64, bits: u32) {
        if bits == 64 {
            self.words[at] = value;
            return;
        }
        let bit = at * bits as usize;
        let mask = ((1_u128 << bits) - 1) << (bit % 64);
        let new = u128::from(value) << (bit % 64);
        let [low, high] = [bit / 64, bit / 64 + 1];
        self.words[low] = self.words[low] & !(mask as u64) | new as u64;
        self.words[high] = self.words[high] & !((mask >> 64) as u64) | (new >> 64) as u64;
    }

    /// Finds a value, or the slot in which inserting it would keep the order.
    #[inline]
    fn find(&self, value: u64, bits: u32) -> Result<(), usize> {
        if self.homes == 0 {
            return Err(0);
        }
        let mut at = place(value << (64 - bits), self.homes);
        loop {
            // The last slot is always empty.
            match self.get(at, bits) {
                found if found == value => return Ok(()),
                found if found == 0 || found > value => return Err(at),
                _ => at += 1,
            }
        }
    }

    #[inline]
    fn prefetch(&self, value: u64, bits: u32) {
        if self.homes > 0 {
            self.words.prefetch(place(value << (64 - bits), self.homes) * bits as usize / 64);
        }
    }

    /// The first empty slot from `at` on, except for the very last slot.
    fn gap(&self, at: usize, bits: u32) -> Option<usize> {
        (at..self.slots().saturating_sub(1)).find(|&at| self.get(at, bits) == 0)
    }

    /// Inserts a value at `at`, which keeps the order, and moves the values from there to the gap by one
    /// slot.
    fn put(&mut self, at: usize, gap: usize, value: u64, bits: u32) {
        for moved in (at..gap).rev() {
            let other = self.get(moved, bits);
            self.set(moved + 1, other, bits);
        }
        self.set(at, value, bits);
        self.len += 1;
    }

    /// Makes room for more values. If memory is short, the table fills up further before it refuses.
    #[cold]
    fn grow(&mut self, bits: u32, budget: &Budget) -> Result<(), Full> {
        let mut homes = self.homes;
        loop {
            homes = (homes + homes / 5).max(FIRST_SLOTS);
            let words = ((homes + OVERFLOW) * bits as usize).div_ceil(64) + 1;
            let more = words * size_of::<u64>() - self.words.bytes();
            let larger = if budget.allows(more) {
                Zeroed::new(words, &Budget::unlimited())
            } else {
                Err(Full::Memory)
            };
            let Ok(words) = larger else {
                let last = self.homes / 16 * 15;
                if self.capacity >= last {
                    return Err(Full::Memory);
                }
                self.capacity = last;
                return Ok(());
            };
            let mut larger = Self { words, homes, len: 0, capacity: homes / 8 * 7 };
            if larger.take_all(self, bits) {
                *self = larger;
                return Ok(());
            }
        }
    }

    /// Copies all values of another table. Returns false if they do not fit.
    fn take_all(&mut self, other: &Self, bits: u32) -> bool {
        let mut next = 0;
        let values = (0..other.slots()).map(|at| other.get(at, bits)).filter(|&value| value != 0);
        for value in values {
            let at = place(value << (64 - bits), self.homes).max(next);
            if at >= self.slots() - 1 {
                return false;
            }
            self.set(at, value, bits);
            next = at + 1;
            self.len += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A table is a sorted set for all values, even if all have the same home.
    #[test]
    fn a_table_is_a_set_of_values() {
        for bits in [32, 40, 48, 56, 64] {
            for narrow in [0, 20, 30] {
                let (mut table, mut set) = (Table::default(), BTreeSet::new());
                let mut word = 1_u64;
                for _ in 0..3000 {
                    word =
                        word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    // Few different leading bits.
                    let value = ((word >> (64 - bits)) >> narrow).max(1);
                    let Err(mut at) = table.find(value, bits) else {
                        assert!(set.contains(&value));
                        continue;
                    };
                    let gap = loop {
                        match table.gap(at, bits) {
                            Some(gap) if table.len < table.capacity => break gap,
                            _ => table.grow(bits, &Budget::unlimited()).unwrap(),
                        }
                        at = table.find(value, bits).unwrap_err();
                    };
                    table.put(at, gap, value, bits);
                    assert!(set.insert(value));
                    if set.len() > 100 && narrow == 30 {
                        break;
                    }
                }
                assert!(set.iter().all(|&value| table.find(value, bits).is_ok()));
                let held: Vec<u64> =
                    (0..table.slots()).map(|at| table.get(at, bits)).filter(|&value| value != 0).collect();
                assert!(held.iter().eq(set.iter()));
            }
        }
    }
}
