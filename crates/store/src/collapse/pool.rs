//! Numbered byte strings, for strings so short that every byte beside them matters.
//!
//! This is the pool Γ of the paper: a new string gets the next number, starting with 1.
//!
//! ```text
//!   slots    [ tag | number ]                0 = empty; 4 bytes per slot, linear probing
//!   arena    … | len:1(+4) | string | …      in the order of the numbers
//!   marks    position of every 16th string, or 4th, as the owner chooses
//! ```
//!
//! A slot uses as many bits for the number as numbers need at the present size of the table, and the rest for
//! a tag from the hash. So a probe reads a string, as a rule, only to find an equal one; it walks there from
//! a mark. The table grows by a quarter at a time, so that it is never less than 70 % full once it has grown.
//! The old table is dropped first and the new one is filled from the arena, so that the two never coexist.
//! Where the budget or the system refuses that, the table is filled to 15/16.

use xxhash_rust::xxh3::xxh3_64;

use crate::arena::{Arena, Position};
use crate::mix::place;
use crate::zeroed::{Zeroed, grow};
use crate::{Budget, Full};

const FIRST_SLOTS: usize = 64;

/// A number of a pool, from 1 on. Pools do not use the greatest number.
pub type Number = u32;

/// A pool of numbered byte strings.
#[derive(Debug)]
pub struct Pool {
    slots: Zeroed<u32>,
    /// The number of strings at which the table has to grow.
    capacity: usize,
    /// The number of bits of a slot that hold the number.
    number_bits: u32,
    arena: Arena,
    marks: Vec<u64>,
    mark_every: usize,
    len: usize,
    /// The bits of a hash that are used: all of them, except in tests of collisions.
    hash_mask: u64,
    budget: Budget,
}

impl Pool {
    /// An empty pool. Every `mark_every`th string has a mark: with fewer marks the pool is smaller, and
    /// finding a string by its number takes longer.
    pub fn new(budget: &Budget, mark_every: usize) -> Self {
        Self {
            slots: Zeroed::empty(),
            capacity: 0,
            number_bits: 0,
            arena: Arena::new(budget),
            marks: Vec::new(),
            mark_every,
            len: 0,
            hash_mask: u64::MAX,
            budget: budget.clone(),
        }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.slots.bytes() + self.arena.bytes() + self.marks.len() * size_of::<u64>()
    }

    /// The string with this number.
    pub fn get(&self, number: Number) -> &[u8] {
        let index = number as usize - 1;
        let mut records = self.arena.records_from(Position(self.marks[index / self.mark_every]));
        records.nth(index % self.mark_every).expect("the number is of this pool").1
    }

    /// The number of a string, which is added if it is new.
    pub fn intern(&mut self, string: &[u8]) -> Result<Number, Full> {
        self.insert(string, usize::MAX).map(|(number, _)| number)
    }

    /// The number of a string, and whether it is new. A new string is refused if there are `limit` strings
    /// already.
    pub fn insert(&mut self, string: &[u8], limit: usize) -> Result<(Number, bool), Full> {
        let hash = self.hash(string);
        if let Some(number) = self.lookup(hash, string) {
            return Ok((number, false));
        }
        if self.len >= limit {
            return Err(Full::States);
        }
        self.add(hash, string)?;
        Ok((self.len as Number, true))
    }

    fn hash(&self, string: &[u8]) -> u64 {
        xxh3_64(string) & self.hash_mask
    }

    fn lookup(&self, hash: u64, string: &[u8]) -> Option<Number> {
        if self.slots.is_empty() {
            return None;
        }
        let tag = self.tag(hash);
        let mut at = place(hash, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let number = slot & self.numbers();
            if slot & !self.numbers() == tag && self.get(number) == string {
                return Some(number);
            }
            at = self.next(at);
        }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// The bits of a slot that hold the number.
    const fn numbers(&self) -> u32 {
        ((1_u64 << self.number_bits) - 1) as u32
    }

    /// The other bits of a slot. A place is computed from the first bits of a hash, so the tag consists of
    /// last bits.
    const fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.numbers()
    }

    fn add(&mut self, hash: u64, string: &[u8]) -> Result<(), Full> {
        if self.len + 1 >= Number::MAX as usize {
            return Err(Full::Ids);
        }
        // The table was lost when it could not grow: it cannot be determined any more whether the string is
        // in the arena.
        if self.slots.is_empty() && self.len > 0 {
            return Err(Full::Memory);
        }
        self.arena.reserve(string.len())?;
        if self.marks.len() == self.marks.capacity() {
            grow(&mut self.marks, &self.budget)?;
        }
        if self.len >= self.capacity {
            self.make_room()?;
        }
        let position = self.arena.append(string, &[]);
        if self.len.is_multiple_of(self.mark_every) {
            self.marks.push(position.0);
        }
        self.len += 1;
        let at = self.vacant(hash);
        self.slots[at] = self.tag(hash) | self.len as u32;
        Ok(())
    }

    fn vacant(&self, hash: u64) -> usize {
        let mut at = place(hash, self.slots.len());
        while self.slots[at] != 0 {
            at = self.next(at);
        }
        at
    }

    fn make_room(&mut self) -> Result<(), Full> {
        let old = self.slots.len();
        let more = if old == 0 { FIRST_SLOTS } else { old / 4 };
        if self.budget.allows(more * size_of::<u32>()) {
            self.slots = Zeroed::empty();
            // The difference was granted, and the old table is freed.
            let unlimited = Budget::unlimited();
            let enlarged = Zeroed::new(old + more, &unlimited);
            let is_enlarged = enlarged.is_ok();
            self.slots = enlarged.or_else(|_| Zeroed::new(old, &unlimited))?;
            let slots = self.slots.len();
            self.number_bits = usize::BITS - slots.leading_zeros();
            for ((_, string), number) in self.arena.records_from(Position(0)).zip(1..) {
                let hash = self.hash(string);
                let at = self.vacant(hash);
                self.slots[at] = self.tag(hash) | number;
            }
            if is_enlarged {
                self.capacity = slots / 8 * 7;
                return Ok(());
            }
        }
        self.capacity = old / 16 * 15;
        if self.len < self.capacity { Ok(()) } else { Err(Full::Memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_one_and_lead_back() {
        for (hash_mask, count) in [(u64::MAX, 100_000), (0, 1000), (3 << 62, 1000), (5 << 61 | 3, 1000)] {
            let mut pool = Pool { hash_mask, ..Pool::new(&Budget::unlimited(), 5) };
            let string = |i: u32| [&i.to_le_bytes()[..], &[7; 300][..i as usize % 300]].concat();
            for i in 0..count {
                assert_eq!(pool.insert(&string(i), i as usize), Err(Full::States));
                assert_eq!(pool.insert(&string(i), i as usize + 1), Ok((i + 1, true)));
            }
            for i in (0..count).rev() {
                assert_eq!(pool.insert(&string(i), 0), Ok((i + 1, false)));
                assert_eq!(pool.get(i + 1), string(i));
            }
            assert_eq!(pool.len() as u32, count);
        }
    }

    #[test]
    fn without_a_table_everything_new_is_refused() {
        let mut pool = Pool::new(&Budget::unlimited(), 16);
        assert!((0..1000_u32).all(|i| pool.intern(&i.to_le_bytes()).is_ok()));
        pool.slots = Zeroed::empty();
        for i in (0..2000_u32).chain(0..2000) {
            assert_eq!(pool.intern(&i.to_le_bytes()), Err(Full::Memory));
        }
        assert_eq!((pool.len(), pool.get(1000)), (1000, &999_u32.to_le_bytes()[..]));
    }

    #[test]
    fn without_memory_the_table_fills_up_and_nothing_is_lost() {
        for limit in [0, 10_000, 20_000, 100_000, 1_000_000] {
            let mut pool = Pool::new(&Budget::counted(limit), 16);
            let mut count = 0_u32;
            while pool.intern(&count.to_le_bytes()).is_ok() {
                count += 1;
            }
            assert_eq!(pool.intern(&count.to_le_bytes()), Err(Full::Memory));
            assert_eq!(pool.len() as u32, count);
            assert!((0..count).all(|i| pool.intern(&i.to_le_bytes()) == Ok(i + 1)));
            assert!(pool.bytes() <= limit && (count > 500) == (limit > 10_000), "{count} of {limit} bytes");
        }
    }
}
