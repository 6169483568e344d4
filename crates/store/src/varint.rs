//! Numbers as byte strings; small numbers take one byte.
//!
//! The number of leading ones in the first byte is the number of bytes that follow; the bits of the number
//! come from the most significant to the least. So no code is a prefix of another, and a number has exactly
//! one code.

/// Appends the code of a number.
#[inline]
pub fn put(number: u64, out: &mut Vec<u8>) {
    if number < 0x80 {
        return out.push(number as u8);
    }
    let bits = u64::BITS - number.leading_zeros();
    if bits > 56 {
        out.push(0xff);
        return out.extend_from_slice(&number.to_be_bytes());
    }
    // Each byte has room for seven bits of the number.
    let len = bits.div_ceil(7);
    let ones = !(u64::MAX >> (len - 1)) >> (64 - 8 * len);
    out.extend_from_slice(&(ones | number).to_be_bytes()[8 - len as usize..]);
}

/// Removes the first number from a byte string that begins with a code.
#[inline]
pub fn take(bytes: &mut &[u8]) -> u64 {
    let first = bytes[0];
    if first < 0x80 {
        *bytes = &bytes[1..];
        return first.into();
    }
    let more = first.leading_ones() as usize;
    let (code, rest) = bytes.split_at(1 + more);
    *bytes = rest;
    let number = code[1..].iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    // The bits of the first byte below its leading ones and the zero after them.
    let top = if more < 7 { u64::from(first & 0x7f >> more) } else { 0 };
    if more < 8 { top << (8 * more) | number } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(number: u64) -> Vec<u8> {
        let mut out = Vec::new();
        put(number, &mut out);
        out
    }

    #[test]
    fn all_lengths_come_back_and_stay_in_order() {
        let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let mut numbers: Vec<u64> = edges.chain([u64::MAX, u64::MAX - 1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for &number in &numbers {
            let bytes = [code(number), vec![7, 0xff]].concat();
            let mut rest = &bytes[..];
            assert_eq!((take(&mut rest), rest), (number, &[7, 0xff][..]));
        }
        // Codes that are sorted, none of which is a prefix of the next, are prefix-free.
        let codes: Vec<Vec<u8>> = numbers.into_iter().map(code).collect();
        assert!(codes.is_sorted());
        assert!(codes.windows(2).all(|pair| !pair[1].starts_with(&pair[0])));
        assert_eq!([0, 127, 128, 16_383, 16_384].map(|number| code(number).len()), [1, 1, 2, 2, 3]);
        assert_eq!(code(u64::MAX).len(), 9);
    }
}
