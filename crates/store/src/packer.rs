//! States as byte strings.
//!
//! The head of a flat vector (which components exist, and their lengths) is the same in most states: it is
//! interned, and the bytes begin with its number. If a model has very many shapes, further heads are written
//! inline; a head that was ever interned is always found, so a state still has one packed form. The words
//! follow ([`crate::pack`]).

use rustc_hash::FxHashMap;
use system::Encoding;

use crate::pack::{pack, unpack};

/// Converts encodings to bytes and back, with scratch space for both.
#[derive(Default, Debug)]
pub struct Packer {
    shapes: Shapes,
    flat: Vec<u64>,
    packed: Vec<u8>,
}

impl Packer {
    /// The bytes of a state. Two states have the same bytes only if they are equal.
    pub fn pack(&mut self, encoding: &mut Encoding) -> &[u8] {
        let Self { shapes, packed, .. } = self;
        let (head, words) = encoding.flat();
        let shape = shapes.number(head).unwrap_or(Shapes::INLINE);
        if packed.len() < 3 {
            packed.resize(3, 0);
        }
        // One byte for the first shapes, three for the others.
        let at = if shape < 0x80 {
            packed[0] = shape as u8;
            1
        } else {
            packed[0] = 0x80 | shape as u8;
            packed[1..3].copy_from_slice(&((shape >> 7) as u16).to_le_bytes());
            3
        };
        let at = if shape == Shapes::INLINE { pack(head, packed, at) } else { at };
        let len = pack(words, packed, at);
        &self.packed[..len]
    }

    /// The flat vector of a packed state.
    pub fn unpack(&mut self, bytes: &[u8]) -> &[u64] {
        let (shape, at) = if bytes[0] < 0x80 {
            (bytes[0].into(), 1)
        } else {
            (u32::from(bytes[0] & 0x7f) | u32::from(u16::from_le_bytes([bytes[1], bytes[2]])) << 7, 3)
        };
        self.flat.clear();
        self.flat.extend_from_slice(self.shapes.head(shape));
        unpack(&bytes[at..], &mut self.flat);
        &self.flat
    }

    /// The memory that packed states share, in bytes.
    pub fn bytes(&self) -> usize {
        self.shapes.bytes()
    }
}

/// Interned heads of flat vectors.
#[derive(Default, Debug)]
struct Shapes {
    numbers: FxHashMap<Box<[u64]>, u32>,
    heads: Vec<Box<[u64]>>,
    /// The last result: neighbours in a search mostly have the same shape.
    last: u32,
    /// The sum of the lengths of all heads.
    words: usize,
}

impl Shapes {
    /// Stands for a head that is not interned.
    const INLINE: u32 = 0;
    /// Small enough that a pathological model only loses a few megabytes.
    const LIMIT: usize = 1 << 14;
    const WORD_LIMIT: usize = 1 << 18;

    /// Whether no more heads are interned. Once true, it stays true: otherwise a state could have two packed
    /// forms.
    fn is_full(&self) -> bool {
        self.heads.len() >= Self::LIMIT || self.words >= Self::WORD_LIMIT
    }

    fn head(&self, shape: u32) -> &[u64] {
        if shape == Self::INLINE { &[] } else { &self.heads[shape as usize - 1] }
    }

    fn number(&mut self, head: &[u64]) -> Option<u32> {
        if self.last != Self::INLINE && self.head(self.last) == head {
            return Some(self.last);
        }
        let known = self.numbers.get(head).copied();
        if known.is_none() && self.is_full() {
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
