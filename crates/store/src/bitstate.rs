//! Bitstate hashing: a state is represented by a few bits of a large array.
//!
//! The method is Holzmann's (An analysis of bitstate hashing, Formal Methods in System Design, 1998); the
//! array is a Bloom filter. `k` hash functions choose bits; a state counts as known if all of its bits are
//! set. The positions are those of *triple hashing* (Dillinger and Manolios, Bloom filters in probabilistic
//! verification, FMCAD 2004), `a + i·b + i(i−1)/2·c` modulo the size, where `a`, `b` and `c` are disjoint
//! parts of one [fingerprint](crate::fingerprint).
//!
//! *Losses.* If a fraction `f` of the bits is set, a new state finds all of its `k` bits set with probability
//! `p = f^k`, and is lost. So `p/(1−p)` states are expected to be lost before the next one is stored, and the
//! store adds up this number with every state. (With `f = 1 − e^(−ki/m)` for `i` states and `m` bits this is
//! the formula of the literature; here the bits are counted, so `f` is known.) This counts states that the
//! search reached. States that can only be reached through a lost state may never have been seen at all.
//!
//! *The number of hash functions.* The losses over a whole run are smallest for `k ≈ 0.75·m/n`, where `n` is
//! the number of states. This number is unknown, so a running estimate is used: at first the number that the
//! caller expects, later at least the number of stored states. As the estimate grows, `k` decreases. It may
//! decrease at any time, since a state that set more bits than are tested is still found; it can never
//! increase.

use system::Encoding;

use crate::fingerprint::{Fingerprints, reseed};
use crate::sample::RecaptureSample;
use crate::zeroed::Zeroed;
use crate::{Access, Budget, Figure, Full, Insert, PreparedStore, StateId, StateStore, Ticket};

/// An array of this number of bytes does not fit the caches of a processor.
const PREPARES_FROM: usize = 2 << 20;

/// A store that sets a few bits per state in a large array: bitstate hashing.
#[derive(Debug)]
pub struct Bitstate {
    /// Empty until the first state is inserted.
    words: Zeroed<u64>,
    /// The binary logarithm of the number of bits.
    log_bits: u32,
    /// The number of hash functions: the bits tested per state.
    hashes: u32,
    /// The caller did not fix the number of hash functions: it follows the number of states.
    adaptive: bool,
    /// The number of stored states at which the number of hash functions next decreases.
    next_fall: usize,
    /// The number of bits that are set.
    set: u64,
    omissions: f64,
    fingerprints: Fingerprints,
    /// The seed of the hash functions.
    seed: u64,
    sample: Option<RecaptureSample>,
    len: usize,
    budget: Budget,
}

/// How the number of hash functions is chosen.
#[derive(Clone, Copy, Debug)]
pub enum Hashes {
    Fixed(u32),
    /// The best number for this number of states.
    For(f64),
    /// The best number for an array of a suitable size.
    Usual,
}

impl Bitstate {
    /// The parts of a fingerprint have 42 bits each.
    pub const LOG_BITS: std::ops::RangeInclusive<u32> = 6..=42;
    pub const HASHES: std::ops::RangeInclusive<u32> = 1..=64;
    /// The numbers that are chosen automatically: more are not worth their time, and fewer lose more than
    /// they save.
    const CHOSEN: std::ops::RangeInclusive<u32> = 3..=24;
    /// The number of bits per state in an array of a suitable size.
    const USUAL: f64 = 10.0;

    /// An array of `2^log_bits` bits.
    pub fn new(budget: &Budget, log_bits: u32, hashes: Hashes) -> Self {
        assert!(Self::LOG_BITS.contains(&log_bits), "the array is too small or too large");
        let bits = f64::from(log_bits).exp2();
        let (hashes, adaptive) = match hashes {
            Hashes::Fixed(hashes) => (hashes, false),
            Hashes::For(states) => (Self::best(bits / states.max(1.0)), true),
            Hashes::Usual => (Self::best(Self::USUAL), true),
        };
        assert!(Self::HASHES.contains(&hashes), "too few or too many hash functions");
        let next_fall = if adaptive { Self::most(bits, hashes) } else { usize::MAX };
        Self {
            words: Zeroed::empty(),
            log_bits,
            hashes,
            adaptive,
            next_fall,
            set: 0,
            omissions: 0.0,
            fingerprints: Fingerprints::default(),
            seed: 0,
            sample: None,
            len: 0,
            budget: budget.clone(),
        }
    }

    /// Seeds the hash functions, and takes a sample of the states, which does not depend on the seed.
    #[must_use]
    pub fn sampled(self, seed: u64) -> Self {
        Self { seed, sample: Some(RecaptureSample::default()), ..self }
    }

    /// The number of bytes per state in the smallest array in which less than one of this number of states is
    /// expected to be lost.
    pub fn bytes_per_state(states: f64) -> f64 {
        let states = states.max(1.0);
        let lost = |log_bits: u32| {
            let bits_per_state = f64::from(log_bits).exp2() / states;
            let hashes = Self::best(bits_per_state);
            // The mean over the run, sampled at the middles of 64 parts.
            let at = |part: u32| {
                let stored = (f64::from(part) + 0.5) / 64.0;
                let fill = 1.0 - (-f64::from(hashes) * stored / bits_per_state).exp();
                fill.powi(hashes.cast_signed())
            };
            states * (0..64).map(at).sum::<f64>() / 64.0
        };
        let log_bits = Self::LOG_BITS.clone().find(|&log_bits| lost(log_bits) < 1.0);
        f64::from(log_bits.unwrap_or(*Self::LOG_BITS.end()) - 3).exp2() / states
    }

    /// The best number of hash functions for this number of bits per state.
    fn best(bits_per_state: f64) -> u32 {
        ((0.75 * bits_per_state).round() as u32).clamp(*Self::CHOSEN.start(), *Self::CHOSEN.end())
    }

    /// The greatest number of states for which this number of hash functions is the best.
    fn most(bits: f64, hashes: u32) -> usize {
        if hashes <= *Self::CHOSEN.start() { usize::MAX } else { (0.75 * bits / f64::from(hashes)) as usize }
    }

    /// The positions of the bits of a state: word index and mask.
    #[inline]
    fn positions(&self, fingerprint: u128) -> impl Iterator<Item = (usize, u64)> + use<> {
        let fingerprint = reseed(fingerprint, self.seed);
        let mask = (1_u64 << self.log_bits) - 1;
        let [mut at, mut step, twist] =
            [0, 42, 84].map(|part| (fingerprint >> part) as u64 & ((1 << 42) - 1));
        step |= 1;
        (0..self.hashes).map(move |_| {
            let bit = at & mask;
            at = at.wrapping_add(step);
            step = step.wrapping_add(twist);
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// Prefetches all bits of a state. Most states are known, and then all of their bits are read.
    #[inline]
    fn prefetch(&self, fingerprint: u128) {
        self.positions(fingerprint).for_each(|(word, _)| self.words.prefetch(word));
    }

    /// The fraction of the bits that is set.
    fn fill(&self) -> f64 {
        self.set as f64 / f64::from(self.log_bits).exp2()
    }

    /// Counts another stored state.
    fn count(&mut self) {
        let lost = self.fill().powi(self.hashes.cast_signed());
        self.omissions += lost / (1.0 - lost);
        self.len += 1;
        if self.adaptive && self.len >= self.next_fall {
            let bits = f64::from(self.log_bits).exp2();
            self.hashes = Self::best(bits / self.len as f64).min(self.hashes);
            self.next_fall = Self::most(bits, self.hashes).max(self.len + 1);
        }
    }
}

impl StateStore for Bitstate {
    fn kind(&self) -> &'static str {
        "bitstate"
    }

    fn omissions(&self) -> Option<f64> {
        Some(self.omissions)
    }

    fn access(&self) -> Access {
        Access::Never
    }

    #[inline]
    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let fingerprint = self.fingerprints.of(encoding);
        if self.words.is_empty() {
            if limit == 0 {
                return Err(Full::States);
            }
            self.words = Zeroed::new(1 << (self.log_bits - 6), &self.budget)?;
        }
        self.prefetch(fingerprint);
        self.commit(Ticket(fingerprint), limit)
    }

    fn decode(&mut self, _: StateId, _: &mut Encoding) {
        unreachable!("a bitstate store does not rebuild states");
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        self.words.bytes()
            + self.fingerprints.bytes()
            + self.sample.as_ref().map_or(0, RecaptureSample::bytes)
    }

    fn take_sample(&mut self) -> Option<RecaptureSample> {
        self.sample.take()
    }

    fn figures(&self) -> Vec<Figure> {
        let bits = f64::from(self.log_bits).exp2();
        vec![
            Figure { name: "bits", value: bits },
            Figure { name: "hashes", value: self.hashes.into() },
            Figure { name: "fill", value: self.fill() },
            Figure { name: "hash_factor", value: bits / self.len.max(1) as f64 },
        ]
    }

    #[inline]
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        Some(self)
    }
}

impl PreparedStore for Bitstate {
    fn is_worthwhile(&self) -> bool {
        self.words.bytes() >= PREPARES_FROM
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        let fingerprint = self.fingerprints.of(encoding);
        self.prefetch(fingerprint);
        Ok(Ticket(fingerprint))
    }

    #[inline]
    fn contains(&self, Ticket(fingerprint): Ticket) -> bool {
        self.positions(fingerprint).all(|(word, bit)| self.words[word] & bit != 0)
    }

    #[inline]
    fn commit(&mut self, Ticket(fingerprint): Ticket, limit: usize) -> Result<Insert, Full> {
        if self.contains(Ticket(fingerprint)) {
            return Ok(Insert::Seen(None));
        }
        if self.len >= limit {
            return Err(Full::States);
        }
        if self.len == StateId::LIMIT {
            return Err(Full::Ids);
        }
        let id = StateId(self.len as u64);
        // The losses expected before this state.
        self.count();
        for (word, bit) in self.positions(fingerprint) {
            self.set += u64::from(self.words[word] & bit == 0);
            self.words[word] |= bit;
        }
        if let Some(sample) = &mut self.sample {
            sample.add(fingerprint);
        }
        Ok(Insert::New(id))
    }
}
