//! Byte records, one after another, in chunks that never move.
//!
//! A record is the id of its state, its length, and its bytes. It is addressed by a [`Position`]; records
//! stand in the order of their ids, so all of them can be read in one sweep. A record never straddles two
//! chunks, so that comparing is comparing slices; one that is longer than a chunk gets a longer chunk, which
//! takes up the numbers of several.

use crate::{Budget, Full, StateId};

const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Lengths up to here take one byte; longer ones are marked and take four more.
const LONG: u8 = u8::MAX;

/// Where a record begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position(pub u64);

impl Position {
    pub const BITS: u32 = 40;

    const fn new(chunk: usize, offset: usize) -> Self {
        Self((chunk as u64) << CHUNK_BITS | offset as u64)
    }

    const fn chunk(self) -> usize {
        (self.0 >> CHUNK_BITS) as usize
    }

    const fn offset(self) -> usize {
        self.0 as usize & (CHUNK - 1)
    }
}

#[derive(Debug)]
pub struct Arena {
    chunks: Vec<Vec<u8>>,
    budget: Budget,
}

impl Arena {
    pub fn new(budget: &Budget) -> Self {
        Self { chunks: Vec::new(), budget: budget.clone() }
    }

    /// Makes sure that a record of `len` bytes can be appended.
    pub fn reserve(&mut self, len: usize) -> Result<(), Full> {
        let size = len + 9;
        if self.chunks.last().is_some_and(|chunk| chunk.capacity() > 0 && chunk.len() + size <= CHUNK) {
            return Ok(());
        }
        let chunks = size.div_ceil(CHUNK);
        // A length must fit its four bytes, and positions must fit theirs, with one to spare for "none".
        let addressable = self.chunks.len() + chunks < 1 << (Position::BITS - CHUNK_BITS);
        if len > u32::MAX as usize || !addressable || !self.budget.allows(chunks * CHUNK) {
            return Err(Full::Memory);
        }
        self.chunks.push(Vec::with_capacity(chunks * CHUNK));
        self.chunks.extend((1..chunks).map(|_| Vec::new()));
        Ok(())
    }

    /// Appends a record for which there is room, see [`Arena::reserve`].
    pub fn append(&mut self, id: StateId, bytes: &[u8]) -> Position {
        // The fillers after a long chunk are empty: the last chunk with a capacity is meant.
        let number = self.chunks.iter().rposition(|chunk| chunk.capacity() > 0).expect("room was reserved");
        let chunk = &mut self.chunks[number];
        let position = Position::new(number, chunk.len());
        chunk.extend_from_slice(&id.0.to_le_bytes());
        if bytes.len() < LONG.into() {
            chunk.push(bytes.len() as u8);
        } else {
            chunk.push(LONG);
            chunk.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        }
        chunk.extend_from_slice(bytes);
        position
    }

    /// The record at `position`.
    pub fn record(&self, position: Position) -> (StateId, &[u8]) {
        let record = &self.chunks[position.chunk()][position.offset()..];
        let (head, rest) = record.split_at(5);
        let id = StateId(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
        if head[4] != LONG {
            return (id, &rest[..head[4].into()]);
        }
        let (len, rest) = rest.split_at(4);
        (id, &rest[..u32::from_le_bytes([len[0], len[1], len[2], len[3]]) as usize])
    }

    /// All records in the order of their ids, from the one at `position` on.
    pub fn records_from(&self, position: Position) -> impl Iterator<Item = (Position, StateId, &[u8])> {
        let (mut number, mut offset) = (position.chunk(), position.offset());
        std::iter::from_fn(move || {
            while offset >= self.chunks.get(number)?.len() {
                (number, offset) = (number + 1, 0);
            }
            let position = Position::new(number, offset);
            let (id, bytes) = self.record(position);
            offset += bytes.len() + if bytes.len() < LONG.into() { 5 } else { 9 };
            Some((position, id, bytes))
        })
    }

    /// The memory of the records, to the chunk.
    pub fn bytes(&self) -> usize {
        let full = self.chunks.iter().rev().skip(1).map(Vec::capacity).sum::<usize>();
        full + self.chunks.last().map_or(0, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_all_sizes_come_back_in_order() {
        let mut arena = Arena::new(&Budget::unlimited());
        let sizes =
            [0, 1, 254, 255, 256, CHUNK - 9, CHUNK - 8, 3 * CHUNK, 7, 70_000, CHUNK / 2, CHUNK / 2, 3];
        let content = |i: usize| vec![i as u8; sizes[i]];
        let mut positions = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            arena.reserve(size).unwrap();
            positions.push(arena.append(StateId(i as u32), &content(i)));
        }
        for (i, &position) in positions.iter().enumerate() {
            assert_eq!(arena.record(position), (StateId(i as u32), &content(i)[..]));
            let rest: Vec<_> =
                arena.records_from(position).map(|(position, id, _)| (position, id.index())).collect();
            let expected: Vec<_> = (i..sizes.len()).map(|i| (positions[i], i)).collect();
            assert_eq!(rest, expected);
        }
    }

    #[test]
    fn a_refusal_leaves_room_for_what_still_fits() {
        let mut arena = Arena::new(&Budget::counted(CHUNK));
        arena.reserve(10).unwrap();
        arena.append(StateId(0), &[1; 10]);
        assert_eq!(arena.reserve(CHUNK), Err(Full::Memory));
        arena.reserve(100).unwrap();
        let position = arena.append(StateId(1), &[2; 100]);
        assert_eq!(arena.record(position), (StateId(1), &[2; 100][..]));
    }
}
