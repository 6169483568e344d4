//! Byte records, one after another, in chunks that never move.
//!
//! A record consists of its length and its bytes. It is addressed by a [`Position`]. Records are stored in
//! the order of insertion, so all of them can be read in one sweep. A record never straddles two chunks, so
//! that a comparison is one of slices; a record that is longer than a chunk gets a longer chunk, which takes
//! up the numbers of several. The first chunks are shorter, so that a small arena is small.

use crate::{Budget, Full};

const CHUNK_BITS: u32 = 20;
const CHUNK: usize = 1 << CHUNK_BITS;
const FIRST_CHUNK: usize = 1 << 12;

/// Lengths below this take one byte; longer ones are marked by it and take four more.
const LONG: u8 = u8::MAX;

/// The position of the first byte of a record.
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

/// Byte records in chunks.
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
        let size = len + 5;
        let last = self.chunks.last();
        if last.is_some_and(|chunk| chunk.len() + size <= chunk.capacity().min(CHUNK)) {
            return Ok(());
        }
        let doubled = (2 * last.map_or(0, Vec::capacity)).clamp(FIRST_CHUNK, CHUNK);
        let capacity = if size <= doubled { doubled } else { size.next_multiple_of(CHUNK) };
        let chunks = capacity.div_ceil(CHUNK);
        // A length must fit four bytes, and positions must fit theirs, with one value to spare for "none".
        let addressable = self.chunks.len() + chunks < 1 << (Position::BITS - CHUNK_BITS);
        if len > u32::MAX as usize || !addressable || !self.budget.allows(capacity) {
            return Err(Full::Memory);
        }
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(capacity).map_err(|_| Full::Memory)?;
        self.chunks.push(chunk);
        self.chunks.extend((1..chunks).map(|_| Vec::new()));
        Ok(())
    }

    /// Appends a record, for which [`Arena::reserve`] has made room: the concatenation of two slices.
    pub fn append(&mut self, bytes: &[u8], more: &[u8]) -> Position {
        // The fillers after a long chunk are empty, so this is the last chunk with a capacity.
        let number = self.chunks.iter().rposition(|chunk| chunk.capacity() > 0).expect("room was reserved");
        let chunk = &mut self.chunks[number];
        let position = Position::new(number, chunk.len());
        let len = bytes.len() + more.len();
        if len < LONG.into() {
            chunk.push(len as u8);
        } else {
            chunk.push(LONG);
            chunk.extend_from_slice(&(len as u32).to_le_bytes());
        }
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(more);
        position
    }

    /// The record at `position`.
    #[inline]
    pub fn record(&self, position: Position) -> &[u8] {
        let record = &self.chunks[position.chunk()][position.offset()..];
        if record[0] != LONG {
            return &record[1..][..record[0].into()];
        }
        let (len, rest) = record[1..].split_at(4);
        &rest[..u32::from_le_bytes([len[0], len[1], len[2], len[3]]) as usize]
    }

    /// All records in order, from the one at `position` on.
    pub fn records_from(&self, position: Position) -> impl Iterator<Item = (Position, &[u8])> {
        let (mut number, mut offset) = (position.chunk(), position.offset());
        std::iter::from_fn(move || {
            while offset >= self.chunks.get(number)?.len() {
                (number, offset) = (number + 1, 0);
            }
            let position = Position::new(number, offset);
            let bytes = self.record(position);
            offset += bytes.len() + if bytes.len() < LONG.into() { 1 } else { 5 };
            Some((position, bytes))
        })
    }

    /// The memory of the records, rounded up to chunks except for the last.
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
            [0, 1, 254, 255, 256, CHUNK - 5, CHUNK - 4, 3 * CHUNK, 7, 70_000, CHUNK / 2, CHUNK / 2, 3];
        let content = |i: usize| vec![i as u8; sizes[i]];
        let mut positions = Vec::new();
        for (i, &size) in sizes.iter().enumerate() {
            arena.reserve(size).unwrap();
            let (bytes, more) = (&content(i)[..size / 3], &content(i)[size / 3..]);
            positions.push(arena.append(bytes, more));
        }
        for (i, &position) in positions.iter().enumerate() {
            assert_eq!(arena.record(position), content(i));
            let rest: Vec<_> = arena.records_from(position).collect();
            assert_eq!(rest.len(), sizes.len() - i);
            for (i, record) in (i..).zip(rest) {
                assert_eq!(record, (positions[i], &content(i)[..]));
            }
        }
    }

    #[test]
    fn a_refusal_leaves_room_for_what_still_fits() {
        let mut arena = Arena::new(&Budget::counted(FIRST_CHUNK));
        arena.reserve(10).unwrap();
        arena.append(&[1; 10], &[]);
        assert_eq!(arena.reserve(CHUNK), Err(Full::Memory));
        arena.reserve(100).unwrap();
        let position = arena.append(&[], &[2; 100]);
        assert_eq!(arena.record(position), [2; 100]);
    }
}
