//! Short codes for the numbers that occur at one index of vectors.
//!
//! All threads are in one pool, which soon has more numbers than fit into a byte. At one index there are
//! fewer, since threads are named by what they refer to. So the first numbers that occur at an index get
//! codes of one byte there, and the code of every other number is the number itself, shifted beyond these. A
//! number keeps its first code, so a vector has the same string at all times.

use super::pool::Number;
use crate::Full;

/// The number of codes that take a byte.
const SHORT: usize = 0x80;
/// Stands for "no short code".
const NONE: u8 = u8::MAX;
/// Numbers from here on get no short codes, which bounds the size of a table.
const LIMIT: usize = 1 << 14;

/// The codes at one index.
#[derive(Default, Debug)]
pub struct Codes {
    /// By number: its short code.
    codes: Vec<u8>,
    /// By short code: its number.
    numbers: Vec<Number>,
}

impl Codes {
    /// The code of a number, which is assigned if the number is new here.
    pub fn encode(&mut self, number: Number) -> Result<u64, Full> {
        let index = number as usize;
        match self.codes.get(index) {
            Some(&code) if code != NONE => Ok(code.into()),
            _ if self.numbers.len() < SHORT && index < LIMIT => self.add(number),
            _ => Ok(SHORT as u64 + u64::from(number)),
        }
    }

    /// Assigns a short code. As long as there are short codes, every new number gets one, so this number has
    /// no long code.
    #[cold]
    fn add(&mut self, number: Number) -> Result<u64, Full> {
        let index = number as usize;
        let missing = (index + 1).saturating_sub(self.codes.len());
        self.codes.try_reserve(missing).map_err(|_| Full::Memory)?;
        self.numbers.try_reserve(1).map_err(|_| Full::Memory)?;
        self.codes.resize(self.codes.len() + missing, NONE);
        self.codes[index] = self.numbers.len() as u8;
        self.numbers.push(number);
        Ok(self.codes[index].into())
    }

    /// The number of a code.
    pub fn decode(&self, code: u64) -> Number {
        match self.numbers.get(code as usize) {
            Some(&number) => number,
            None => (code - SHORT as u64) as Number,
        }
    }

    pub const fn bytes(&self) -> usize {
        size_of::<Self>() + self.codes.capacity() + self.numbers.capacity() * size_of::<Number>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_never_change_and_lead_back() {
        let mut codes = Codes::default();
        let numbers: Vec<Number> =
            (0..1000).map(|i| i * 7919 % 40_000).chain([Number::MAX, 0, 127, 128]).collect();
        let first: Vec<u64> = numbers.iter().map(|&number| codes.encode(number).unwrap()).collect();
        assert_eq!(codes.numbers.len(), SHORT);
        assert!(codes.bytes() < 3 * LIMIT);
        for (&number, &code) in numbers.iter().zip(&first) {
            assert_eq!((codes.encode(number), codes.decode(code)), (Ok(code), number));
            assert!(number < LIMIT as Number || code >= SHORT as u64);
        }
    }
}
