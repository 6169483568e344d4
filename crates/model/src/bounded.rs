//! Numbers of a range.

use std::cmp::Ordering;
use std::fmt;

use crate::reader::Reader;
use crate::{Shape, Sorts, Term, Visit};

/// A number from `LOW` to `HIGH`. It takes as few bits of a state as the range needs.
///
/// ```
/// use quotient_model::Bounded;
/// type Percent = Bounded<0, 100>;
/// assert_eq!(Percent::new(42).get(), 42);
/// assert_eq!(Percent::try_new(101), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const LOW: i64, const HIGH: i64>(i64);

impl<const LOW: i64, const HIGH: i64> Bounded<LOW, HIGH> {
    const WIDTH: u32 = {
        assert!(LOW <= HIGH, "the range has no numbers");
        u64::BITS - HIGH.abs_diff(LOW).leading_zeros()
    };

    /// The number `value`. A number outside of the range is a fault of the model.
    #[track_caller]
    pub fn new(value: i64) -> Self {
        Self::try_new(value).unwrap_or_else(|| panic!("{value} is not in {LOW}..={HIGH}"))
    }

    /// The number `value`, if it is in the range.
    pub fn try_new(value: i64) -> Option<Self> {
        (LOW..=HIGH).contains(&value).then_some(Self(value))
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<const LOW: i64, const HIGH: i64> fmt::Debug for Bounded<LOW, HIGH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const LOW: i64, const HIGH: i64> Shape for Bounded<LOW, HIGH> {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, to: &mut V) {
        to.bits(self.0.abs_diff(LOW), Self::WIDTH);
    }
    fn read(from: &mut Reader<'_>) -> Self {
        Self(LOW.wrapping_add_unsigned(from.bits(Self::WIDTH)))
    }
    fn most_bits(_: &Sorts) -> Option<u32> {
        Some(Self::WIDTH)
    }
    fn term(&self) -> Term {
        Term::Number(self.0.into())
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}
