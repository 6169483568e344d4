//! The exact store of flat vectors.
//!
//! A state is flattened, packed ([`crate::pack`]) and appended to an arena; a table of 8-byte slots leads from
//! a hash to the record. A slot holds the position of the record and 24 bits of the hash as a tag, so that a
//! probe reads the arena, as a rule, only to find an equal state. Equality of bytes decides, never the hash.
//!
//! ```text
//!   slots    [ tag:24 | position+1:40 ]      0 = empty; linear probing, home = top bits of the hash
//!   arena    … | id:4 | len:1(+4) | shape | packed words | id:4 | …
//!   marks    position of every 16th state
//! ```
//!
//! What keeps a state small and a lookup short:
//! - *Shapes.* The head of a flat vector (which components there are, and how long) is the same in most
//!   states: it is interned, and a record begins with its number. Models with very many shapes keep further
//!   heads inline; a head that was ever interned is always found, so a state still has one packed form.
//! - *The id in the record.* A lookup that finds a state answers from the record, without a third access to
//!   memory. The way back, from an id to its record, is taken in order (a breadth-first frontier) or rarely (a
//!   trail), so a mark at every 16th record and a walk are enough.
//! - *Growth by sweeping.* The table doubles at three quarters full. The old table is dropped first and the
//!   new one is filled by hashing the arena from front to back, so the two never coexist and slots need not
//!   keep their full hash. When the budget refuses, the table fills to 7/8 before the store gives up.
//!
//! Positions have 40 bits: an arena ends at one terabyte, ids at four billion. Both ends are errors.

use rustc_hash::FxHashMap;
use system::Encoding;
use xxhash_rust::xxh3::xxh3_64;

use crate::arena::{Arena, Position};
use crate::pack::{pack, unpack};
use crate::{Budget, Chunked, Full, Insert, StateId, StateStore};

const MARK_EVERY: usize = 16;
const FIRST_SLOTS: usize = 1 << 10;

#[derive(Debug)]
pub struct Exact {
    slots: Vec<u64>,
    /// How many states the slots may hold before the table has to grow.
    capacity: usize,
    arena: Arena,
    marks: Chunked<Position>,
    packer: Packer,
    len: usize,
    id_limit: usize,
    /// The bits of a hash that are used: all of them, except in tests of what collisions do.
    hash_mask: u64,
    budget: Budget,
}

impl Exact {
    pub fn new(budget: &Budget) -> Self {
        Self {
            slots: Vec::new(),
            capacity: 0,
            arena: Arena::new(budget),
            marks: Chunked::new(budget),
            packer: Packer::default(),
            len: 0,
            id_limit: StateId::LIMIT,
            hash_mask: u64::MAX,
            budget: budget.clone(),
        }
    }

    /// Hands out at most `limit` ids.
    #[must_use]
    pub fn with_id_limit(mut self, limit: usize) -> Self {
        self.id_limit = limit.min(StateId::LIMIT);
        self
    }

    /// The id of the packed state, or else the slot that is to lead to it.
    fn lookup(&self, hash: u64, packed: &[u8]) -> Result<StateId, usize> {
        let tag = hash << Position::BITS;
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot >> Position::BITS == tag >> Position::BITS {
                let (id, bytes) = self.arena.record(position(slot));
                if bytes == packed {
                    return Ok(id);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The slot for a state that is not stored.
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

    /// Makes sure that the table has room for one more state.
    fn make_room(&mut self) -> Result<(), Full> {
        if self.len < self.capacity {
            return Ok(());
        }
        let (old, new) = (self.slots.len(), (2 * self.slots.len()).max(FIRST_SLOTS));
        if self.budget.allows((new - old) * size_of::<u64>()) {
            self.slots = Vec::new();
            self.slots = vec![0; new];
            self.capacity = new / 4 * 3;
            self.sweep();
            return Ok(());
        }
        self.capacity = old / 8 * 7;
        if self.len < self.capacity { Ok(()) } else { Err(Full::Memory) }
    }

    /// Fills an empty table from the arena.
    fn sweep(&mut self) {
        for (position, _, bytes) in self.arena.records_from(Position(0)) {
            let hash = xxh3_64(bytes) & self.hash_mask;
            let at = self.vacant(hash);
            self.slots[at] = hash << Position::BITS | (position.0 + 1);
        }
    }
}

const fn position(slot: u64) -> Position {
    Position((slot & ((1 << Position::BITS) - 1)) - 1)
}

impl StateStore for Exact {
    fn kind(&self) -> &'static str {
        "exact"
    }

    fn exact(&self) -> bool {
        true
    }

    fn insert(&mut self, _: Option<StateId>, encoding: &Encoding) -> Result<Insert, Full> {
        let len = self.packer.pack(encoding, true).expect("unknown shapes are interned or inline");
        let packed = &self.packer.packed[..len];
        let hash = xxh3_64(packed) & self.hash_mask;
        let mut slot = None;
        if !self.slots.is_empty() {
            match self.lookup(hash, packed) {
                Ok(id) => return Ok(Insert::Seen(id)),
                Err(vacant) => slot = Some(vacant),
            }
        }
        if self.len == self.id_limit {
            return Err(Full::Ids);
        }
        self.arena.reserve(len)?;
        if self.len.is_multiple_of(MARK_EVERY) {
            self.marks.reserve()?;
        }
        let id = StateId(self.len as u32);
        if self.len >= self.capacity {
            self.make_room()?;
            slot = None;
        }
        let at = slot.unwrap_or_else(|| self.vacant(hash));
        let position = self.arena.append(id, &self.packer.packed[..len]);
        if self.len.is_multiple_of(MARK_EVERY) {
            self.marks.push(position)?;
        }
        self.slots[at] = hash << Position::BITS | (position.0 + 1);
        self.len += 1;
        Ok(Insert::New(id))
    }

    fn find(&mut self, encoding: &Encoding) -> Option<StateId> {
        if self.len == 0 {
            return None;
        }
        let len = self.packer.pack(encoding, false)?;
        let packed = &self.packer.packed[..len];
        self.lookup(xxh3_64(packed) & self.hash_mask, packed).ok()
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let mark = self.marks[id.index() / MARK_EVERY];
        let mut records = self.arena.records_from(mark);
        let (_, found, bytes) = records.nth(id.index() % MARK_EVERY).expect("the id is of this store");
        debug_assert_eq!(found, id);
        self.packer.unpack(bytes);
        into.unflatten(&self.packer.flat);
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
            + self.arena.bytes()
            + self.marks.bytes()
            + self.packer.shapes.bytes()
    }
}

/// From encodings to bytes and back, with the scratch space for both.
#[derive(Default, Debug)]
struct Packer {
    shapes: Shapes,
    flat: Vec<u64>,
    packed: Vec<u8>,
}

impl Packer {
    /// Packs a state into the scratch bytes and returns how many they are. Without `intern`, a state of a
    /// shape that is not known cannot be stored.
    fn pack(&mut self, encoding: &Encoding, intern: bool) -> Option<usize> {
        let Self { shapes, flat, packed } = self;
        let (head, words) = encoding.settled().unwrap_or_else(|| {
            flat.clear();
            encoding.flatten(flat);
            flat.split_at(Encoding::head_of_flat(flat))
        });
        let shape = match shapes.number(head, intern) {
            Some(shape) => shape,
            None if shapes.is_full() => Shapes::INLINE,
            None => return None,
        };
        if packed.len() < 3 {
            packed.resize(3, 0);
        }
        // A byte for the first shapes, three for the others.
        let at = if shape < 0x80 {
            packed[0] = shape as u8;
            1
        } else {
            packed[0] = 0x80 | shape as u8;
            packed[1..3].copy_from_slice(&((shape >> 7) as u16).to_le_bytes());
            3
        };
        let at = if shape == Shapes::INLINE { pack(head, packed, at) } else { at };
        Some(pack(words, packed, at))
    }

    /// Unpacks a state into the flat vector.
    fn unpack(&mut self, bytes: &[u8]) {
        let (shape, at) = if bytes[0] < 0x80 {
            (bytes[0].into(), 1)
        } else {
            (u32::from(bytes[0] & 0x7f) | u32::from(u16::from_le_bytes([bytes[1], bytes[2]])) << 7, 3)
        };
        self.flat.clear();
        self.flat.extend_from_slice(self.shapes.head(shape));
        unpack(&bytes[at..], &mut self.flat);
    }
}

/// Interned heads of flat vectors.
#[derive(Default, Debug)]
struct Shapes {
    numbers: FxHashMap<Box<[u64]>, u32>,
    heads: Vec<Box<[u64]>>,
    /// The last answer: neighbours in a search mostly have one shape.
    last: u32,
    /// The length of all heads together.
    words: usize,
}

impl Shapes {
    /// The number of no shape: the head is not interned.
    const INLINE: u32 = 0;
    /// Small enough that a pathological model loses a few megabytes only.
    const LIMIT: usize = 1 << 14;
    const WORD_LIMIT: usize = 1 << 18;

    /// Once true, it stays so: otherwise one state could have two packed forms.
    fn is_full(&self) -> bool {
        self.heads.len() >= Self::LIMIT || self.words >= Self::WORD_LIMIT
    }

    fn head(&self, shape: u32) -> &[u64] {
        if shape == Self::INLINE { &[] } else { &self.heads[shape as usize - 1] }
    }

    fn number(&mut self, head: &[u64], intern: bool) -> Option<u32> {
        if self.last != Self::INLINE && self.head(self.last) == head {
            return Some(self.last);
        }
        let known = self.numbers.get(head).copied();
        if known.is_none() && (!intern || self.is_full()) {
            return None;
        }
        self.last = known.unwrap_or_else(|| {
            self.words += head.len();
            self.heads.push(head.into());
            self.numbers.insert(head.into(), self.heads.len() as u32);
            self.heads.len() as u32
        });
        Some(self.last)
    }

    fn bytes(&self) -> usize {
        self.words * 2 * size_of::<u64>() + self.heads.len() * 64
    }
}

#[cfg(test)]
mod tests {
    use system::{Key, Section};

    use super::*;

    /// Hashes of a few bits, or none: equal tags and long runs of slots must cost time only.
    #[test]
    fn equality_decides_and_never_the_hash() {
        for hash_mask in [0, 1, 3 << 62, 5 << 61 | 3] {
            let mut store = Exact { hash_mask, ..Exact::new(&Budget::unlimited()) };
            let mut encoding = Encoding::new();
            for round in 0..2 {
                for i in 0..2000_u32 {
                    // As many bytes each, which differ in few bits.
                    encoding.set(Key { section: Section::Root, index: 0 }, &[1 << 32 | u64::from(i)]);
                    assert_eq!(store.find(&encoding), (round == 1).then_some(StateId(i)));
                    let expected = if round == 0 { Insert::New } else { Insert::Seen };
                    assert_eq!(store.insert(None, &encoding), Ok(expected(StateId(i))));
                }
            }
        }
    }
}
