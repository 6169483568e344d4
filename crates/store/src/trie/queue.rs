//! A priority queue of small numbers, the greatest first.

/// A set of numbers below a limit, as bits. As a rule all of them are *near*, below 64; the others have bits
/// in a vector of blocks of 64.
#[derive(Default, Debug)]
pub struct Queue {
    near: u64,
    has_far: bool,
    far: Vec<u64>,
    blocks: Vec<u64>,
}

impl Queue {
    pub fn new(limit: usize) -> Self {
        let blocks = limit.div_ceil(64);
        Self { near: 0, has_far: false, far: vec![0; blocks], blocks: vec![0; blocks.div_ceil(64)] }
    }

    #[inline]
    pub fn push(&mut self, number: u32) {
        if number < 64 {
            self.near |= 1 << number;
        } else {
            self.push_far(number as usize);
        }
    }

    /// Removes the greatest number.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        if self.has_far {
            return Some(self.pop_far());
        }
        let number = self.near.checked_ilog2()?;
        self.near ^= 1 << number;
        Some(number)
    }

    #[inline(never)]
    fn push_far(&mut self, number: usize) {
        self.far[number / 64] |= 1 << (number % 64);
        self.blocks[number / 4096] |= 1 << (number / 64 % 64);
        self.has_far = true;
    }

    #[inline(never)]
    fn pop_far(&mut self) -> u32 {
        let at = self.blocks.iter().rposition(|&blocks| blocks != 0).expect("one is far");
        let block = at * 64 + self.blocks[at].ilog2() as usize;
        let bit = self.far[block].ilog2();
        self.far[block] ^= 1 << bit;
        if self.far[block] == 0 {
            self.blocks[at] ^= 1 << (block % 64);
            self.has_far = self.blocks[..=at].iter().any(|&blocks| blocks != 0);
        }
        block as u32 * 64 + bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greatest_first_and_each_once() {
        let mut queue = Queue::new(10_000);
        for number in [9_999, 64, 63, 0, 4096, 64] {
            queue.push(number);
        }
        assert_eq!(queue.pop(), Some(9_999));
        queue.push(1);
        queue.push(4095);
        let rest: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [4096, 4095, 64, 63, 1, 0]);
        assert_eq!(queue.pop(), None);
        assert_eq!(Queue::new(0).pop(), None);
    }

    #[test]
    fn near_ones() {
        let mut queue = Queue::new(64);
        for number in [63, 0, 7, 7] {
            queue.push(number);
        }
        let all: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(all, [63, 7, 0]);
    }
}
