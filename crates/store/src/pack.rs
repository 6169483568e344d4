//! Packing words into few bytes.
//!
//! Most words of a state are small: counters, program counters, references, nulls. Two words share a tag byte
//! with the number of significant bytes of each; the significant bytes follow, least significant first. If
//! the number of words is odd, the last word is alone, which its tag says. So a byte string can be read from
//! left to right in exactly one way, and words have exactly one string (no leading zero bytes): comparing
//! strings is comparing words.
//!
//! Tried and dropped: one tag bit per non-zero *byte* is smaller where a word packs several fields, but needs
//! a loop per byte or instructions that not every machine has.

/// The tag of a missing word.
const NONE: u8 = 0xf;

/// An upper bound of the bytes of `words` packed words, including the slack for writing whole words.
const fn bound(words: usize) -> usize {
    words * 9 + 16
}

/// Writes the packed `words` into `out`, from byte `at` on, and returns the end. `out` only grows, so that a
/// scratch vector is zeroed only once.
pub fn pack(words: &[u64], out: &mut Vec<u8>, mut at: usize) -> usize {
    if out.len() < at + bound(words.len()) {
        out.resize(at + bound(words.len()), 0);
    }
    let (pairs, rest) = words.as_chunks::<2>();
    for &[first, second] in pairs {
        let lens = [significant(first), significant(second)];
        let window: &mut [u8; 17] = (&mut out[at..at + 17]).try_into().unwrap();
        window[0] = lens[0] as u8 | (lens[1] as u8) << 4;
        window[1..9].copy_from_slice(&first.to_le_bytes());
        window[1 + lens[0]..][..8].copy_from_slice(&second.to_le_bytes());
        at += 1 + lens[0] + lens[1];
    }
    if let &[last] = rest {
        out[at] = significant(last) as u8 | NONE << 4;
        out[at + 1..at + 9].copy_from_slice(&last.to_le_bytes());
        at += 1 + significant(last);
    }
    at
}

/// Appends the words of a packed string.
pub fn unpack(bytes: &[u8], out: &mut Vec<u64>) {
    let mut at = 0;
    while at < bytes.len() {
        let tag = bytes[at];
        at += 1;
        for len in [tag & 0xf, tag >> 4] {
            if len != NONE {
                out.push(word(bytes, at, len.into()));
                at += usize::from(len);
            }
        }
    }
}

fn word(bytes: &[u8], at: usize, len: usize) -> u64 {
    if let Some(whole) = bytes.get(at..at + 8) {
        let unused = 64 - 8 * len as u32;
        let word = u64::from_le_bytes(whole.try_into().unwrap());
        return word.checked_shl(unused).map_or(0, |word| word >> unused);
    }
    let mut word = [0; 8];
    word[..len].copy_from_slice(&bytes[at..at + len]);
    u64::from_le_bytes(word)
}

const fn significant(word: u64) -> usize {
    (71 - word.leading_zeros() as usize) / 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packed(words: &[u64]) -> Vec<u8> {
        // Garbage in the scratch space must not show.
        let mut out = vec![0xee; 100];
        let end = pack(words, &mut out, 3);
        out[3..end].to_vec()
    }

    pub fn any_word() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0_u32..=64).prop_map(|(word, shift)| word.checked_shr(shift).unwrap_or(0))
    }

    #[test]
    fn edges_of_the_byte_lengths() {
        let words: Vec<u64> = (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1]).collect();
        for words in [&words[..], &words[1..], &[], &[0], &[0, 0], &[u64::MAX; 5]] {
            let mut back = Vec::new();
            unpack(&packed(words), &mut back);
            assert_eq!(back, words);
        }
        assert_eq!(packed(&[0; 40]).len(), 20);
        assert_eq!(packed(&[5; 40]).len(), 60);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(testing::effort(256) as u32))]

        #[test]
        fn packing_is_injective(a in prop::collection::vec(any_word(), 0..9), b in prop::collection::vec(any_word(), 0..9)) {
            let mut back = vec![42];
            unpack(&packed(&a), &mut back);
            prop_assert_eq!(&back[1..], &a[..]);
            prop_assert_eq!(a == b, packed(&a) == packed(&b));
        }
    }
}
