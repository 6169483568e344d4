//! Short codes for the numbers that stand at one place of vectors.
//!
//! All threads are in one pool, which soon has more numbers than a byte. At one index there are fewer, since
//! threads are named by what they refer to. So the first numbers that are seen at a place get codes of a byte
//! there, and the others have the number itself behind these. A number keeps the code that it got first, so a
//! vector has one string at all times.

use super::pool::Number;
use crate::Full;

/// How many codes take a byte.
const SHORT: usize = 0x80;
/// In place of a short code: there is none.
const NONE: u8 = u8::MAX;
/// Numbers from here on get no short codes, so that a table never takes more bytes.
const LIMIT: usize = 1 << 14;

/// The codes at one place.
#[derive(Default, Debug)]
pub struct Codes {
    /// By number: its short code.
    codes: Vec<u8>,
    /// By short code: its number.
    numbers: Vec<Number>,
}

impl Codes {
    /// The code of a number, which may be a new one.
    pub fn encode(&mut self, number: Number) -> Result<u64, Full> {
        let index = number as usize;
        match self.codes.get(index) {
            Some(&code) if code != NONE => Ok(code.into()),
            _ if self.numbers.len() < SHORT && index < LIMIT => self.add(number),
            _ => Ok(SHORT as u64 + u64::from(number)),
        }
    }

    /// As long as there are short codes, whoever comes gets one, so this number has no long code.
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
