//! A sample of the stored states, chosen by their contents, so that two searches with different hash
//! functions choose the same states.
//!
//! It holds the fingerprints of all states whose hash is 0 modulo a power of two: modulo 1 at first. Whenever
//! there are too many, the modulus is doubled.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mix::mix;

/// The greatest number of states in a sample.
const MOST: usize = 1 << 16;

/// A sample of the stored states, for an estimate by capture and recapture.
#[derive(Clone, Debug, Default)]
pub struct RecaptureSample {
    fingerprints: FxHashSet<u128>,
    /// The binary logarithm of the modulus: the sample has one state in `2^log_rate`.
    log_rate: u32,
}

/// The numbers of states in two samples at the same rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recapture {
    pub first: usize,
    pub second: usize,
    pub both: usize,
}

impl RecaptureSample {
    /// Adds a state that was stored, if it is chosen.
    pub fn add(&mut self, fingerprint: u128) {
        if is_chosen(fingerprint, self.log_rate) {
            self.fingerprints.insert(fingerprint);
            if self.fingerprints.len() > MOST {
                self.thin(self.log_rate + 1);
            }
        }
    }

    fn thin(&mut self, log_rate: u32) {
        self.log_rate = log_rate;
        self.fingerprints.retain(|&fingerprint| is_chosen(fingerprint, log_rate));
    }

    /// The memory used, in bytes.
    pub fn bytes(&self) -> usize {
        self.fingerprints.capacity() * size_of::<u128>()
    }

    /// The numbers of states that are in exactly one of the samples, in two, and so on, at the same rate; and the number of
    /// states for each state of a sample at that rate.
    pub fn frequencies(mut samples: Vec<Self>) -> (Vec<u64>, f64) {
        let log_rate = samples.iter().map(|sample| sample.log_rate).max().unwrap_or_default();
        let mut catches: FxHashMap<u128, usize> = FxHashMap::default();
        for sample in &mut samples {
            sample.thin(log_rate);
            for &state in &sample.fingerprints {
                *catches.entry(state).or_default() += 1;
            }
        }
        let mut frequencies = vec![0; samples.len()];
        for &catches in catches.values() {
            frequencies[catches - 1] += 1;
        }
        (frequencies, f64::from(log_rate).exp2())
    }

    /// Compares the sample with that of another search.
    pub fn recapture(mut self, mut other: Self) -> Recapture {
        let log_rate = self.log_rate.max(other.log_rate);
        self.thin(log_rate);
        other.thin(log_rate);
        Recapture {
            first: self.fingerprints.len(),
            second: other.fingerprints.len(),
            both: self.fingerprints.intersection(&other.fingerprints).count(),
        }
    }
}

/// Whether a state belongs to a sample. This uses none of the bits by which a store places states; otherwise
/// the states of a sample would collide more often than others.
fn is_chosen(fingerprint: u128, log_rate: u32) -> bool {
    let hash = mix(fingerprint as u64 ^ mix((fingerprint >> 64) as u64));
    hash.trailing_zeros() >= log_rate
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_128;

    use super::*;

    fn sample(states: std::ops::Range<u64>) -> RecaptureSample {
        let mut sample = RecaptureSample::default();
        states.for_each(|state| sample.add(xxh3_128(&state.to_le_bytes())));
        sample
    }

    #[test]
    fn small_sets_are_compared_in_full() {
        let found = sample(0..1000).recapture(sample(200..1500));
        assert_eq!(found, Recapture { first: 1000, second: 1300, both: 800 });
        assert_eq!(sample(0..0).recapture(sample(0..5)), Recapture { first: 0, second: 5, both: 0 });
    }

    #[test]
    fn states_are_counted_by_the_number_of_samples_that_have_them() {
        let samples = vec![sample(0..1000), sample(500..1500), sample(900..1100)];
        assert_eq!(RecaptureSample::frequencies(samples), (vec![900, 500, 100], 1.0));
        assert_eq!(RecaptureSample::frequencies(Vec::new()), (Vec::new(), 1.0));
        // The sample of a large set decides the rate.
        let (frequencies, rate) =
            RecaptureSample::frequencies(vec![sample(0..300_000), sample(0..300_000), sample(0..100)]);
        assert_eq!((frequencies[0], rate), (0, 8.0));
        let all = (frequencies[1] + frequencies[2]) as f64 * rate;
        assert!((270_000.0..330_000.0).contains(&all), "{all}");
    }

    #[test]
    fn large_sets_are_compared_by_their_part() {
        let (large, small) = (sample(0..1_000_000), sample(900_000..930_000));
        assert!((MOST / 3..=MOST).contains(&large.fingerprints.len()));
        let rate = f64::from(large.log_rate).exp2();
        assert!(large.log_rate >= 4 && small.log_rate == 0);
        let found = large.recapture(small);
        assert_eq!(found.both, found.second, "all of the small one");
        for (count, truth) in [(found.first, 1e6), (found.second, 3e4)] {
            let deviations = (count as f64 - truth / rate) / (truth / rate).sqrt();
            assert!(deviations.abs() < 4.0, "{count} of {truth} at 1/{rate}");
        }
    }
}
