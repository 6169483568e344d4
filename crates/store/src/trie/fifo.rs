//! A queue of words that frees memory as it is emptied.

use std::collections::VecDeque;

use crate::{Budget, Full};

/// The number of words in a chunk.
const CHUNK: usize = 1 << 9;

/// A queue of words, in chunks.
#[derive(Debug)]
pub struct Fifo {
    /// The first chunk is read, the last one is written.
    chunks: VecDeque<Vec<u64>>,
    /// The number of words of the first chunk that were removed.
    gone: usize,
    /// A chunk that was read completely, to be written next.
    spare: Option<Vec<u64>>,
    budget: Budget,
}

impl Fifo {
    pub fn new(budget: &Budget) -> Self {
        Self { chunks: VecDeque::new(), gone: 0, spare: None, budget: budget.clone() }
    }

    /// Makes room for one more word.
    #[inline]
    pub fn reserve(&mut self) -> Result<(), Full> {
        match self.chunks.back() {
            Some(last) if last.len() < CHUNK => Ok(()),
            _ => self.add_chunk(),
        }
    }

    #[cold]
    fn add_chunk(&mut self) -> Result<(), Full> {
        self.chunks.try_reserve(1).map_err(|_| Full::Memory)?;
        let chunk = if let Some(chunk) = self.spare.take() {
            chunk
        } else {
            if !self.budget.allows(CHUNK * size_of::<u64>()) {
                return Err(Full::Memory);
            }
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(CHUNK).map_err(|_| Full::Memory)?;
            chunk
        };
        self.chunks.push_back(chunk);
        Ok(())
    }

    /// Appends a word. [`Fifo::reserve`] must have made room.
    #[inline]
    pub fn push(&mut self, word: u64) {
        let last = self.chunks.back_mut().expect("room was made");
        debug_assert!(last.len() < CHUNK);
        last.push(word);
    }

    /// Removes the first word.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        let first = self.chunks.front()?;
        let word = *first.get(self.gone)?;
        self.gone += 1;
        if self.gone == CHUNK {
            self.gone = 0;
            self.spare = self.chunks.pop_front().map(|mut chunk| {
                chunk.clear();
                chunk
            });
        }
        Some(word)
    }

    /// Removes the first words, which must be there.
    pub fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.pop().expect("as many words are there");
        }
    }

    /// The next word, if it is in the first chunk.
    #[inline]
    pub fn peek(&self) -> Option<u64> {
        self.chunks.front()?.get(self.gone).copied()
    }

    pub fn len(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum::<usize>() - self.gone
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.chunks.iter().flatten().skip(self.gone).copied()
    }

    pub fn bytes(&self) -> usize {
        (self.chunks.len() + usize::from(self.spare.is_some())) * CHUNK * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out() {
        let mut fifo = Fifo::new(&Budget::unlimited());
        let mut expected = VecDeque::new();
        for i in 0..200_000_u64 {
            fifo.reserve().unwrap();
            fifo.push(i);
            expected.push_back(i);
            // It grows, and is emptied from time to time.
            let pops = if i % 50_000 == 49_999 { 50_000 } else { i % 2 };
            for _ in 0..pops {
                assert!(fifo.peek().is_none_or(|word| Some(&word) == expected.front()));
                assert_eq!(fifo.pop(), expected.pop_front());
            }
            if i % 9_973 == 0 {
                assert!(fifo.iter().eq(expected.iter().copied()));
                assert!(fifo.bytes() <= expected.len() * 8 + 3 * CHUNK * 8);
            }
        }
    }

    #[test]
    fn it_asks_for_memory() {
        let mut fifo = Fifo::new(&Budget::counted(CHUNK * 8));
        for word in 0..CHUNK as u64 {
            fifo.reserve().unwrap();
            fifo.push(word);
        }
        assert_eq!(fifo.reserve(), Err(Full::Memory));
        assert!(fifo.iter().eq(0..CHUNK as u64));
    }
}
