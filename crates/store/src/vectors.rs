//! Byte strings with ids, for strings so long that 8 more bytes do not matter.
//!
//! A string is appended to an arena; a table of 8-byte slots leads from a hash to the record. A slot holds
//! the position of the record and 24 bits of the hash as a tag, so that a probe reads the arena, as a rule,
//! only to find an equal string. Equality of bytes decides, never the hash.
//!
//! ```text
//!   slots    [ tag:24 | position+1:40 ]      0 = empty; linear probing, home = top bits of the hash
//!   arena    … | len:1(+4) | id:4 | string | len:1(+4) | …
//!   marks    position of every 16th string
//! ```
//!
//! What makes a lookup fast:
//! - *The id is in the record.* A lookup that finds a string gets its id from the record, without a third
//!   access to memory. The inverse, from an id to its record, is needed in order (a breadth-first frontier)
//!   or rarely (a trail), so a mark at every 16th record and a walk are enough.
//! - *Growth by sweeping.* The table doubles when it is three quarters full, in place, and is filled again by
//!   hashing the arena from front to back: no two tables ever coexist, and slots need not keep their full
//!   hash. When the budget or the system refuses, the table fills to 7/8 before the store refuses strings.
//!
//! Positions have 40 bits: an arena ends at one terabyte, ids at four billion. Both limits are errors.

use xxhash_rust::xxh3::xxh3_64;

use crate::arena::{Arena, Position};
use crate::zeroed::grow_by;
use crate::{Budget, Chunked, Full, Insert, StateId};

const MARK_EVERY: usize = 16;
const FIRST_SLOTS: usize = 1 << 10;
const ID: usize = size_of::<u32>();
/// Ids have four bytes in a record.
const ID_LIMIT: usize = u32::MAX as usize;

/// Byte strings with ids.
#[derive(Debug)]
pub struct Vectors {
    slots: Vec<u64>,
    /// The number of strings at which the table has to grow.
    capacity: usize,
    arena: Arena,
    marks: Chunked<Position>,
    len: usize,
    id_limit: usize,
    /// The bits of a hash that are used: all of them, except in tests of collisions.
    hash_mask: u64,
    budget: Budget,
}

impl Vectors {
    pub fn new(budget: &Budget) -> Self {
        Self {
            slots: Vec::new(),
            capacity: 0,
            arena: Arena::new(budget),
            marks: Chunked::new(budget),
            len: 0,
            id_limit: ID_LIMIT,
            hash_mask: u64::MAX,
            budget: budget.clone(),
        }
    }

    /// Assigns at most `limit` ids.
    #[must_use]
    pub fn with_id_limit(self, limit: usize) -> Self {
        Self { id_limit: limit.min(ID_LIMIT), ..self }
    }

    /// The id of the string, or the slot that is to lead to it.
    fn lookup(&self, hash: u64, string: &[u8]) -> Result<StateId, usize> {
        let tag = hash << Position::BITS;
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot >> Position::BITS == tag >> Position::BITS {
                let (id, bytes) = split(self.arena.record(position(slot)));
                if bytes == string {
                    return Ok(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The slot for a string that is not stored.
    fn vacant(&self, hash: u64) -> usize {
        let mut at = self.home(hash);
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    /// Makes sure that the table has room for one more string.
    fn make_room(&mut self) -> Result<(), Full> {
        if self.len < self.capacity {
            return Ok(());
        }
        let old = self.slots.len();
        let more = old.max(FIRST_SLOTS);
        if grow_by(&mut self.slots, more, &self.budget).is_ok() {
            let new = old + more;
            self.slots.fill(0);
            self.slots.resize(new, 0);
            self.capacity = new / 4 * 3;
            self.sweep();
            return Ok(());
        }
        self.capacity = old / 8 * 7;
        if self.len < self.capacity { Ok(()) } else { Err(Full::Memory) }
    }

    /// Fills an empty table from the arena.
    fn sweep(&mut self) {
        for (position, record) in self.arena.records_from(Position(0)) {
            let hash = xxh3_64(split(record).1) & self.hash_mask;
            let at = self.vacant(hash);
            self.slots[at] = hash << Position::BITS | (position.0 + 1);
        }
    }

    /// Stores a string, unless it is stored already or there are `limit` strings.
    pub fn insert(&mut self, string: &[u8], limit: usize) -> Result<Insert, Full> {
        let hash = xxh3_64(string) & self.hash_mask;
        let mut slot = None;
        if !self.slots.is_empty() {
            match self.lookup(hash, string) {
                Ok(id) => return Ok(Insert::Seen(Some(id))),
                Err(vacant) => slot = Some(vacant),
            }
        }
        if self.len >= limit {
            return Err(Full::States);
        }
        if self.len == self.id_limit {
            return Err(Full::Ids);
        }
        self.arena.reserve(ID + string.len())?;
        if self.len.is_multiple_of(MARK_EVERY) {
            self.marks.reserve()?;
        }
        let id = self.len as u32;
        if self.len >= self.capacity {
            self.make_room()?;
            slot = None;
        }
        let at = slot.unwrap_or_else(|| self.vacant(hash));
        let position = self.arena.append(&id.to_le_bytes(), string);
        if self.len.is_multiple_of(MARK_EVERY) {
            self.marks.push(position)?;
        }
        self.slots[at] = hash << Position::BITS | (position.0 + 1);
        self.len += 1;
        Ok(Insert::New(StateId(id.into())))
    }

    /// The string that was stored under `id`.
    pub fn get(&self, id: StateId) -> &[u8] {
        let mark = self.marks[id.index() / MARK_EVERY];
        let mut records = self.arena.records_from(mark);
        let (_, record) = records.nth(id.index() % MARK_EVERY).expect("the id is of this store");
        let (found, string) = split(record);
        debug_assert_eq!(found, id);
        string
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>() + self.arena.bytes() + self.marks.bytes()
    }

    /// The fraction of the table that is in use.
    pub fn load(&self) -> f64 {
        self.len as f64 / self.slots.len().max(1) as f64
    }
}

const fn position(slot: u64) -> Position {
    Position((slot & ((1 << Position::BITS) - 1)) - 1)
}

/// The id and the string of a record.
fn split(record: &[u8]) -> (StateId, &[u8]) {
    let (id, string) = record.split_at(ID);
    (StateId(u32::from_le_bytes([id[0], id[1], id[2], id[3]]).into()), string)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With hashes of a few bits or none, equal tags and long runs of slots must only cost time.
    #[test]
    fn equality_decides_and_never_the_hash() {
        for hash_mask in [0, 1, 3 << 62, 5 << 61 | 3] {
            let mut vectors = Vectors { hash_mask, ..Vectors::new(&Budget::unlimited()) };
            for round in 0..2 {
                for i in 0..2000_u32 {
                    let id = StateId(i.into());
                    let expected = if round == 0 { Insert::New(id) } else { Insert::Seen(Some(id)) };
                    assert_eq!(vectors.insert(&i.to_le_bytes(), 2000), Ok(expected));
                    assert_eq!(vectors.get(id), i.to_le_bytes());
                }
            }
        }
    }
}
