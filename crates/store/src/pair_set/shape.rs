//! How a pair of numbers becomes a place and a remainder, and back.
//!
//! A pair is put together from as many bits as its numbers may have, and permuted. Its *home* among `places`
//! is the permuted word scaled down, `word · places >> bits`; the bits that the scaling drops, except for
//! those that the home determines, are its *remainder*. Words with the same home differ by `places` or more
//! in the dropped bits, so bits below that can be left out:
//!
//! ```text
//!                 word · places
//!     ┌──────────┬─────────────┬──────────────┐
//!     │   home   │  remainder  │   left out   │
//!     └──────────┴─────────────┴──────────────┘
//!                 ←─────── bits ──────────────→
//!                               ← log₂ places →
//! ```
//!
//! `places` is `quarters · 2^shift` with four or six quarters, so that a table grows by a half at most, and
//! the inverse is a division by a small number.
//!
//! The entry of a pair in a slot consists of its distance from home, counted from one, and then its
//! remainder, inverted. The words in a table are sorted: where the entry of a slot is greater than the one
//! that a pair would have there, the pair is further on.

use crate::mix::{FACTORS, INVERSES};

/// The bits of the right number of a pair, which are below those of the left one.
pub const RIGHT_BITS: u32 = 29;
const LEFT_BITS: u32 = 32;
/// An entry has one bit less than a word, so that one more than the greatest entry is a number as well.
const MOST_SLOT_BITS: u32 = 63;
/// The initial number of bits of a distance: in a table that is seven eighths full, one entry in some
/// millions is further from home.
const REACH_BITS: u32 = 6;

/// The numbers of bits that the numbers of a pair may have, each at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Widths {
    left: u32,
    right: u32,
}

impl Widths {
    /// The widths for all pairs whose bits are among those of `pair`.
    pub const fn of(pair: u64) -> Self {
        let left = u64::BITS - (pair >> RIGHT_BITS | 1).leading_zeros();
        let right = u64::BITS - (pair & ((1 << RIGHT_BITS) - 1) | 1).leading_zeros();
        Self { left, right }
    }

    const fn bits(self) -> u32 {
        self.left + self.right
    }

    /// One bit more, for the number with fewer unneeded bits if it can have more, otherwise for the other
    /// one.
    const fn widened(self, needed: Self) -> Self {
        let Self { left, right } = self;
        if right < RIGHT_BITS && (left == LEFT_BITS || right - needed.right <= left - needed.left) {
            Self { left, right: right + 1 }
        } else if left < LEFT_BITS {
            Self { left: left + 1, right }
        } else {
            self
        }
    }
}

/// The number of places of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Places {
    quarters: u64,
    shift: u32,
}

impl Places {
    const FIRST: Self = Self { quarters: 4, shift: 4 };

    const fn count(self) -> u64 {
        self.quarters << self.shift
    }

    /// The binary logarithm, rounded down.
    const fn log(self) -> u32 {
        self.shift + 2
    }

    const fn more(self) -> Self {
        match self.quarters {
            4 => Self { quarters: 6, shift: self.shift },
            _ => Self { quarters: 4, shift: self.shift + 1 },
        }
    }
}

/// The layout of a table.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    widths: Widths,
    places: Places,
    /// The bits that a covered pair must not have.
    beyond: u64,
    /// Words are aligned to the upper end of 64 bits: a mask of their bits, and half of their length.
    word: u64,
    half: u32,
    left_shift: u32,
    right_shift: u32,
    place_count: u64,
    remainder_bits: u32,
    slot_bits: u32,
}

/// The place where a pair belongs, and its entry there.
#[derive(Clone, Copy, Debug)]
pub struct Home {
    pub place: usize,
    pub entry: u64,
}

impl Shape {
    /// The shape for the first pairs.
    pub fn first(needed: Widths) -> Self {
        Self::fit(needed, Places::FIRST, REACH_BITS)
    }

    /// The shape with a bit to spare, because numbers grow.
    fn fit(needed: Widths, places: Places, reach_bits: u32) -> Self {
        let mut widths = needed.widened(needed);
        // A remainder has at least one bit.
        while widths.bits() <= places.log() {
            widths = widths.widened(needed);
        }
        Self::new(widths, places, reach_bits)
    }

    fn new(widths: Widths, places: Places, reach_bits: u32) -> Self {
        let bits = widths.bits();
        let beneath = u64::BITS - bits;
        let remainder_bits = bits - places.log();
        let [left, right] = [widths.left, widths.right].map(|bits| (1 << bits) - 1);
        Self {
            widths,
            places,
            beyond: !(left << RIGHT_BITS | right),
            word: u64::MAX << beneath,
            half: bits.div_ceil(2),
            left_shift: beneath + widths.right,
            right_shift: beneath,
            place_count: places.count(),
            remainder_bits,
            slot_bits: (remainder_bits + reach_bits).min(MOST_SLOT_BITS),
        }
    }

    /// A shape with more places.
    pub fn larger(&self, needed: Widths) -> Self {
        let places = self.places.more();
        if self.widths.bits() > places.log() {
            Self::new(self.widths, places, self.reach_bits())
        } else {
            Self::fit(needed, places, self.reach_bits())
        }
    }

    /// A shape for wider numbers.
    pub fn wider(&self, needed: Widths) -> Self {
        Self::fit(needed, self.places, self.reach_bits())
    }

    /// A shape for `len` entries, one of which got too far from home. If the table has much room, more places
    /// would not help.
    pub fn looser(&self, needed: Widths, len: usize) -> Self {
        if len > self.places() / 2 || self.slot_bits == MOST_SLOT_BITS {
            self.larger(needed)
        } else {
            Self::new(self.widths, self.places, self.reach_bits() + 1)
        }
    }

    /// Whether tables of both shapes have their pairs in the same order.
    pub fn same_order(&self, other: &Self) -> bool {
        self.widths == other.widths
    }

    pub const fn places(&self) -> usize {
        self.place_count as usize
    }

    /// The number of slots: those for entries of the last place included, and an empty one.
    pub const fn slots(&self) -> usize {
        self.places() + (1 << self.reach_bits())
    }

    #[inline]
    pub const fn slot_bits(&self) -> usize {
        self.slot_bits as usize
    }

    const fn reach_bits(&self) -> u32 {
        self.slot_bits - self.remainder_bits
    }

    /// All bits of a slot.
    #[inline]
    pub const fn greatest_entry(&self) -> u64 {
        (1 << self.slot_bits) - 1
    }

    /// The difference of an entry when it moves by one slot away from home.
    #[inline]
    pub const fn step(&self) -> u64 {
        1 << self.remainder_bits
    }

    #[inline]
    pub const fn covers(&self, pair: u64) -> bool {
        pair & self.beyond == 0
    }

    /// The permuted word of a covered pair.
    #[inline]
    pub const fn word(&self, pair: u64) -> u64 {
        let word = pair >> RIGHT_BITS << self.left_shift | (pair & RIGHT) << self.right_shift;
        self.fold(word.wrapping_mul(FACTORS[0])).wrapping_mul(FACTORS[1])
    }

    pub const fn pair(&self, word: u64) -> u64 {
        let word = self.fold(word.wrapping_mul(INVERSES[1])).wrapping_mul(INVERSES[0]);
        let right = word >> self.right_shift & ((1 << self.widths.right) - 1);
        word >> self.left_shift << RIGHT_BITS | right
    }

    /// Adds the upper half of a word to its lower half. It is its own inverse.
    #[inline]
    const fn fold(&self, word: u64) -> u64 {
        word ^ word >> self.half & self.word
    }

    #[inline]
    pub const fn home(&self, word: u64) -> Home {
        let product = word as u128 * self.place_count as u128;
        let inverted = !(product as u64) >> (u64::BITS - self.remainder_bits);
        Home { place: (product >> 64) as usize, entry: self.step() | inverted }
    }

    /// The permuted word of an entry in a slot.
    pub const fn word_at(&self, slot: usize, entry: u64) -> u64 {
        let home = slot as u64 + 1 - (entry >> self.remainder_bits);
        let remainder = !entry & (self.step() - 1);
        // The product by `quarters` alone, rounded down to a multiple of four.
        let product = home << (self.widths.bits() - self.places.shift) | remainder << 2;
        let word = match self.places.quarters {
            4 => product / 4,
            _ => product.div_ceil(6),
        };
        word << self.right_shift
    }
}

const RIGHT: u64 = (1 << RIGHT_BITS) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> impl Iterator<Item = Shape> {
        let widths = [0, 1, 2, 7, 12, 16, 20, 27, 32];
        let pairs =
            widths.into_iter().flat_map(move |left| widths.map(|right| (left, right.min(RIGHT_BITS))));
        pairs.flat_map(|(left, right)| {
            let needed = Widths { left: left.max(1), right: right.max(1) };
            std::iter::successors(Some(Shape::first(needed)), move |shape| Some(shape.larger(needed)))
                .take(60)
        })
    }

    fn random(i: u64) -> u64 {
        crate::mix::mix(i + 1)
    }

    /// A slot and its entry determine the pair, however far the entry was pushed.
    #[test]
    fn place_and_remainder_determine_the_pair() {
        for shape in shapes() {
            let extremes = [0, !shape.beyond, RIGHT & !shape.beyond, !RIGHT & !shape.beyond];
            for pair in (0..200).map(|i| random(i) & !shape.beyond).chain(extremes) {
                assert!(shape.covers(pair));
                assert_eq!(shape.pair(shape.word(pair)), pair);
                let Home { place, entry } = shape.home(shape.word(pair));
                assert!(place < shape.places());
                let most = (shape.greatest_entry() - entry) >> shape.remainder_bits;
                for distance in [0, 1, most] {
                    let entry = entry + distance * shape.step();
                    assert!(entry != 0 && entry <= shape.greatest_entry());
                    assert!(place + (distance as usize) < shape.slots() - 1);
                    assert_eq!(
                        shape.pair(shape.word_at(place + distance as usize, entry)),
                        pair,
                        "{shape:?}"
                    );
                }
            }
        }
    }

    /// All words of a small shape: homes are in their order, and entries with the same home in the reverse
    /// order.
    #[test]
    fn homes_and_entries_are_in_order() {
        for shape in shapes().filter(|shape| shape.widths.bits() <= 13) {
            let homes = (0..1_u64 << shape.widths.bits()).map(|word| shape.home(word << shape.right_shift));
            for (Home { place, entry }, next) in homes.clone().zip(homes.skip(1)) {
                assert!(place < next.place || place == next.place && entry > next.entry);
            }
        }
    }

    /// Dense products of small numbers, which are common in tables, spread evenly.
    #[test]
    fn dense_pairs_spread() {
        for (left, right) in [(8, 8), (4, 12), (12, 4), (2, 14), (1, 15)] {
            for slack in [0, 3] {
                let widths = Widths { left: left + slack, right: right + slack };
                let shape = Shape::new(widths, Places::FIRST, REACH_BITS);
                let mut counts = [0_u32; 64];
                for pair in 0..1_u64 << 16 {
                    let pair = pair >> right << RIGHT_BITS | pair & ((1 << right) - 1);
                    counts[shape.home(shape.word(pair)).place] += 1;
                }
                // The mean is 1024, with a standard deviation of 32.
                assert!(counts.iter().all(|count| (864..1184).contains(count)), "{widths:?}: {counts:?}");
            }
        }
    }

    #[test]
    fn more_places_make_smaller_slots() {
        let needed = Widths { left: 15, right: 12 };
        let larger = |shape: &Shape| Some(shape.larger(needed));
        let bits = std::iter::successors(Some(Shape::first(needed)), larger).map(|shape| shape.slot_bits());
        let bits: Vec<_> = bits.step_by(2).take(13).collect();
        assert_eq!(bits, (16..=28).rev().collect::<Vec<_>>());
    }
}
