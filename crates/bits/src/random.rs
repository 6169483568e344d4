//! Pseudorandom numbers, the same on every machine and in every run.

/// The generator of Steele, Lea and Flood ("Fast Splittable Pseudorandom Number Generators", 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one of many cases that belong to the same seed.
    pub const fn stream(seed: u64, index: u64) -> Self {
        let mut rng = Self(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        rng.next_u64();
        rng
    }

    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0. The bias is far too small for any test to notice.
    pub const fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next_u64() % n as u64) as usize }
    }

    /// A number from `low` to `high`.
    pub const fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of 100 cases.
    pub const fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, if there are any.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of the items, with a probability proportional to its weight.
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

    /// The numbers below `n` in any order.
    pub fn permutation(&mut self, n: usize) -> Vec<u32> {
        let mut permutation: Vec<u32> = (0..n as u32).collect();
        for i in 1..n {
            permutation.swap(i, self.below(i + 1));
        }
        permutation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut rng = SplitMix64::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(published.map(|_| rng.next_u64()), published);
    }

    #[test]
    fn items_are_drawn_by_weight_and_from_nothing() {
        let mut rng = SplitMix64::new(1);
        let drawn = (0..1000).filter(|_| rng.weighted(&[(9, true), (0, false), (1, false)])).count();
        assert!((850..950).contains(&drawn), "{drawn}");
        assert_eq!((rng.below(0), rng.choose::<u8>(&[])), (0, None));
        let mut all = rng.permutation(100);
        assert!(!all.is_sorted());
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
    }
}
