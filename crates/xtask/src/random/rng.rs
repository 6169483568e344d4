//! A small source of random numbers, the same on every machine (`SplitMix64`).

pub struct Rng(u64);

impl Rng {
    /// A stream of its own for each program of each seed.
    pub fn new(seed: u64, index: u64) -> Self {
        let mut rng = Self(seed ^ index.wrapping_mul(0xD134_2543_DE82_EF95));
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to `n - 1`; 0 if there is no such number.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of the items, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let total = items.iter().map(|&(weight, _)| weight).sum();
        let mut left = self.below(total);
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        items[0].1
    }
}
