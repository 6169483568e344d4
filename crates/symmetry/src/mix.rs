//! Mixing words into hashes. Collisions cost reduction or speed, never correctness.

/// Mixes two words: every bit of the result depends on both.
#[inline]
pub const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xd6e8_feb8_6659_fd93) as u128;
    let folded = product as u64 ^ (product >> 64) as u64;
    // If one factor is 0, the product does not depend on the other.
    folded ^ a.rotate_left(32) ^ b
}

/// Mixes a word into 128 bits, by two independent halves.
#[inline]
pub const fn mix128(a: u128, b: u64) -> u128 {
    let (high, low) = ((a >> 64) as u64, a as u64);
    let x = mix(low, b);
    let y = mix(high ^ 0xa076_1d64_78bd_642f, b.rotate_left(29) ^ 0xe703_7ed1_a0b4_28db);
    (mix(y, x) as u128) << 64 | mix(x, y.rotate_left(17)) as u128
}
