//! Small numbers that wait for their turn, the least first.

/// A set of numbers below a limit, as bits, and a bit for each 64 of them.
#[derive(Default, Debug)]
pub struct Queue {
    bits: Vec<u64>,
    blocks: Vec<u64>,
}

impl Queue {
    pub fn new(limit: usize) -> Self {
        let blocks = limit.div_ceil(64);
        Self { bits: vec![0; blocks], blocks: vec![0; blocks.div_ceil(64)] }
    }

    #[inline]
    pub fn push(&mut self, number: usize) {
        self.bits[number / 64] |= 1 << (number % 64);
        // Where there is one block, it speaks for itself.
        if self.bits.len() > 1 {
            self.blocks[number / 4096] |= 1 << (number / 64 % 64);
        }
    }

    /// Takes the least number out.
    #[inline]
    pub fn pop(&mut self) -> Option<usize> {
        if let [bits] = &mut self.bits[..] {
            let number = bits.trailing_zeros() as usize;
            *bits &= bits.checked_sub(1)?;
            return Some(number);
        }
        self.pop_from_blocks()
    }

    fn pop_from_blocks(&mut self) -> Option<usize> {
        let at = self.blocks.iter().position(|&blocks| blocks != 0)?;
        let block = at * 64 + self.blocks[at].trailing_zeros() as usize;
        let bits = &mut self.bits[block];
        let number = block * 64 + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        if *bits == 0 {
            self.blocks[at] &= self.blocks[at] - 1;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_first_and_each_once() {
        let mut queue = Queue::new(10_000);
        for number in [9_999, 64, 63, 0, 4096, 64] {
            queue.push(number);
        }
        assert_eq!(queue.pop(), Some(0));
        queue.push(1);
        queue.push(4095);
        let rest: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [1, 63, 64, 4095, 4096, 9_999]);
        assert_eq!(Queue::new(0).pop(), None);
    }

    #[test]
    fn one_block() {
        let mut queue = Queue::new(64);
        for number in [63, 0, 7, 7] {
            queue.push(number);
        }
        let all: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(all, [0, 7, 63]);
    }
}
