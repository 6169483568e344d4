//! A permutation of 64-bit words that looks random.

/// Permutes words: every bit of the word changes every bit of the result in about half of all cases. Zero
/// stays zero.
#[inline]
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(FACTORS[0]);
    let word = (word ^ word >> 29).wrapping_mul(FACTORS[1]);
    word ^ word >> 32
}

/// Odd, so that they have inverses, and without a pattern.
pub const FACTORS: [u64; 2] = [0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];
pub const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The inverse modulo 2^64, by Newton's iteration: each round doubles the number of correct bits.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut round = 0;
    while round < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

/// The place of a mixed word among `places`: places are in the order of the mixed words.
#[inline]
pub const fn place(mixed: u64, places: usize) -> usize {
    ((mixed as u128 * places as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_inverses() {
        for (factor, inverse) in FACTORS.into_iter().zip(INVERSES) {
            assert_eq!(factor.wrapping_mul(inverse), 1);
        }
    }

    /// Pairs of small numbers, which are common in tables, spread evenly: over the places, and over the last
    /// bits.
    #[test]
    fn small_pairs_spread() {
        let mut counts = [[0_u32; 64]; 2];
        for pair in 0..1 << 16_u64 {
            let mixed = mix(pair >> 8 << 32 | pair & 0xff);
            counts[0][place(mixed, 64)] += 1;
            counts[1][mixed as usize % 64] += 1;
        }
        // The mean is 1024, with a standard deviation of 32.
        for count in counts.iter().flatten() {
            assert!((864..1184).contains(count), "{count}");
        }
    }

    #[test]
    fn one_bit_changes_half_of_the_bits() {
        for bit in 0..64 {
            let changed: u32 = (1..1000_u64).map(|i| (mix(i) ^ mix(i ^ 1 << bit)).count_ones()).sum();
            assert!((30_000..34_000).contains(&changed), "bit {bit}: {changed}");
        }
    }
}
