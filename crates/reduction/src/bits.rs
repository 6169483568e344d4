//! Sets of small numbers.

/// A set of numbers below some bound.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn insert(&mut self, bit: usize) {
        if self.0.len() <= bit / 64 {
            self.0.resize(bit / 64 + 1, 0);
        }
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    /// Removes a number. Returns whether it was in the set.
    pub fn remove(&mut self, bit: usize) -> bool {
        let was_there = self.contains(bit);
        if was_there {
            self.0[bit / 64] &= !(1 << (bit % 64));
        }
        was_there
    }

    pub fn contains(&self, bit: usize) -> bool {
        self.0.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(64 * at + bit)
            })
        })
    }
}
