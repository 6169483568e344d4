//! A growing array that never moves: growth causes no peak of memory, and asks the budget.

use crate::{Budget, Full};

const CHUNK: usize = 1 << 16;

/// A vector in chunks of 65,536 elements.
#[derive(Debug)]
pub struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
    budget: Budget,
}

impl<T: Copy> Chunked<T> {
    pub fn new(budget: &Budget) -> Self {
        Self { chunks: Vec::new(), len: 0, budget: budget.clone() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The memory of all elements ever pushed, rounded up to chunks except for the last.
    pub fn bytes(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        (full + self.chunks.last().map_or(0, Vec::len)) * size_of::<T>()
    }

    pub fn push(&mut self, value: T) -> Result<(), Full> {
        self.reserve()?;
        let chunk = &mut self.chunks[self.len / CHUNK];
        // A chunk that was truncated keeps its old elements: they are overwritten in place.
        match chunk.get_mut(self.len % CHUNK) {
            Some(place) => *place = value,
            None => chunk.push(value),
        }
        self.len += 1;
        Ok(())
    }

    /// Makes sure that the next push succeeds. Fails if the budget or the system refuses.
    pub fn reserve(&mut self) -> Result<(), Full> {
        if self.len / CHUNK == self.chunks.len() {
            if !self.budget.allows(CHUNK * size_of::<T>()) {
                return Err(Full::Memory);
            }
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(CHUNK).map_err(|_| Full::Memory)?;
            self.chunks.push(chunk);
        }
        Ok(())
    }

    pub fn last(&self) -> Option<T> {
        self.len.checked_sub(1).map(|last| self[last])
    }

    pub fn last_mut(&mut self) -> Option<&mut T> {
        let last = self.len.checked_sub(1)?;
        Some(&mut self.chunks[last / CHUNK][last % CHUNK])
    }

    pub fn pop(&mut self) -> Option<T> {
        let last = self.last()?;
        self.len -= 1;
        Some(last)
    }

    /// Removes all elements from index `len` on. Their memory is kept for later elements.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub fn iter(&self) -> impl Iterator<Item = T> {
        (0..self.len).map(|index| self[index])
    }
}

impl<T: Copy> std::ops::Index<usize> for Chunked<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.len);
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}

impl<T: Copy> std::ops::IndexMut<usize> for Chunked<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.len);
        &mut self.chunks[index / CHUNK][index % CHUNK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_and_truncations_across_chunks() {
        let mut array = Chunked::new(&Budget::unlimited());
        let n = 3 * CHUNK + 5;
        for i in 0..n {
            array.push(i).unwrap();
        }
        assert!(array.iter().eq(0..n));
        array.truncate(CHUNK + 1);
        assert_eq!(array.pop(), Some(CHUNK));
        assert_eq!((array.len(), array.last()), (CHUNK, Some(CHUNK - 1)));
        for i in 0..2 * CHUNK {
            array.push(7 * i).unwrap();
        }
        *array.last_mut().unwrap() = 1;
        assert_eq!((array[CHUNK - 1], array[CHUNK], array[3 * CHUNK - 1]), (CHUNK - 1, 0, 1));
    }

    #[test]
    fn a_refused_chunk_leaves_the_array_as_it_was() {
        let mut array = Chunked::new(&Budget::counted(CHUNK * 4));
        for i in 0..CHUNK as u32 {
            array.push(i).unwrap();
        }
        assert_eq!(array.push(0), Err(Full::Memory));
        assert_eq!((array.len(), array.last()), (CHUNK, Some(CHUNK as u32 - 1)));
        array.pop();
        assert_eq!(array.push(9), Ok(()));
    }
}
