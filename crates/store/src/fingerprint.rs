//! Fingerprints of 128 bits, for stores that keep nothing else of a state.
//!
//! Small states are hashed as a whole: their words are contiguous, and hashing a few dozen of them takes less
//! time than finding out which have changed. In a large state, a step changes little, and hashing all of it
//! would cost in proportion to its size and not to the change: its fingerprint is the sum of the hashes of
//! its components, each combined with its key, and only touched components are hashed again. Which method
//! applies is a function of the state, so a state has exactly one fingerprint.
//!
//! The hashes are added and not combined by exclusive or, so that nothing cancels. Both methods use XXH3,
//! since a sum needs hashes in which every bit depends on every bit of the input.

use system::{Encoding, Key, Moment};
use xxhash_rust::xxh3::{xxh3_128, xxh3_128_with_seed};

/// States with at most this number of components are hashed as a whole.
const FEW: u32 = 64;

/// Computes fingerprints of the states of an encoding that changes.
#[derive(Default, Debug)]
pub struct Fingerprints {
    /// Scratch space.
    bytes: Vec<u8>,
    /// The hashes of the components at `moment`, by section and index, and their sum.
    hashes: [Vec<u128>; 3],
    sum: u128,
    moment: Option<Moment>,
}

impl Fingerprints {
    #[inline]
    pub fn of(&mut self, encoding: &mut Encoding) -> u128 {
        let components: u32 = system::Section::ALL.iter().map(|&section| encoding.width(section)).sum();
        if components <= FEW {
            let (head, words) = encoding.flat();
            return xxh3_128(bytes_of(&mut self.bytes, [head, words]));
        }
        self.of_components(encoding)
    }

    fn of_components(&mut self, encoding: &mut Encoding) -> u128 {
        if let Some(touched) = self.moment.and_then(|moment| encoding.touched(moment)) {
            for &key in touched {
                self.renew(encoding, key);
            }
        } else {
            self.hashes.iter_mut().for_each(Vec::clear);
            self.sum = 0;
            for (key, _) in encoding.components() {
                self.renew(encoding, key);
            }
        }
        self.moment = Some(encoding.now());
        self.sum
    }

    /// Updates the hash of the component under `key`.
    fn renew(&mut self, encoding: &Encoding, key: Key) {
        let seed = (key.section as u64) << 32 | u64::from(key.index);
        let new = encoding
            .get(key)
            .map_or(0, |words| xxh3_128_with_seed(bytes_of(&mut self.bytes, [&[], words]), seed));
        let hashes = &mut self.hashes[key.section as usize];
        let index = key.index as usize;
        if index >= hashes.len() {
            hashes.resize(index + 1, 0);
        }
        let old = std::mem::replace(&mut hashes[index], new);
        self.sum = self.sum.wrapping_add(new).wrapping_sub(old);
    }

    pub fn bytes(&self) -> usize {
        let hashes: usize = self.hashes.iter().map(Vec::capacity).sum();
        self.bytes.capacity() + hashes * size_of::<u128>()
    }
}

/// Another fingerprint of the same state, statistically independent of the first one. With seed 0 it is the
/// first one.
#[inline]
pub fn reseed(fingerprint: u128, seed: u64) -> u128 {
    if seed == 0 { fingerprint } else { xxh3_128_with_seed(&fingerprint.to_le_bytes(), seed) }
}

/// The bytes of two slices of words, in scratch space that only grows.
#[inline]
fn bytes_of<'b>(scratch: &'b mut Vec<u8>, [first, second]: [&[u64]; 2]) -> &'b [u8] {
    let [middle, end] = [8 * first.len(), 8 * (first.len() + second.len())];
    if scratch.len() < end {
        scratch.resize(end, 0);
    }
    for (range, words) in [(0..middle, first), (middle..end, second)] {
        for (place, word) in scratch[range].as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
    }
    &scratch[..end]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use system::Section;

    use super::*;

    /// A state has the same fingerprint whichever way the encoding came to it, and no two states share one.
    #[test]
    fn a_state_has_one_fingerprint() {
        let mut following = Fingerprints::default();
        let mut encoding = Encoding::new();
        let mut known: HashMap<u128, Vec<u64>> = HashMap::new();
        let mut word = 1_u64;
        let mut large = 0;
        for round in 0..3000_u64 {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Around the number of components at which the method changes.
            let key =
                Key { section: Section::ALL[(word >> 40) as usize % 3], index: (word >> 50) as u32 % 30 };
            match round % 5 {
                _ if round % 50 == 0 => encoding.clear(),
                0 => encoding.remove(key),
                _ => encoding.set(key, &vec![word >> 62; (word >> 33) as usize % 3]),
            }
            let fingerprint = following.of(&mut encoding);
            assert_eq!(Fingerprints::default().of(&mut encoding.clone()), fingerprint);
            let mut flat = Vec::new();
            encoding.flatten(&mut flat);
            assert_eq!(*known.entry(fingerprint).or_insert_with(|| flat.clone()), flat);
            large += u32::from(following.moment.is_some_and(|moment| encoding.touched(moment) == Some(&[])));
        }
        assert!((300..2700).contains(&large), "{large} of both kinds");
    }
}
