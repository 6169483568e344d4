//! Errors on purpose, for tests of tests: each is something that is easily got wrong.

/// An error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeded {
    /// Constant differences are ignored: `_pid - 1` is taken for `_pid`.
    NoShifts,
    /// A process in the middle of an option stays there, though the option moves.
    FixedLocations,
    /// Channels stay where their processes move.
    FixedChannels,
    /// What is a process here and a channel there is a channel.
    OneSort,
    /// Of the options in a `d_step`, the order is ignored.
    NoOrder,
    /// Where a local variable is set to 0, that is taken to name no process.
    AnyReset,
    /// The end of a process, youngest first, is taken to be symmetric.
    AnyEnd,
    /// It is ignored that a number may not fit where it is stored.
    NoRanges,
    /// Operands that may fault are taken to commute.
    AnyOperand,
    /// Messages are sorted by names.
    AnyMessage,
    /// That 0 is read where there is no process is taken to name none.
    NoDefaults,
    /// What properties ask for is ignored.
    NoProperties,
    /// The first of several processes is taken to be any.
    AnyFirst,
    /// Points of coded variables stay where their threads move.
    FixedPoints,
}

#[cfg(feature = "testing")]
impl Seeded {
    pub const ALL: [Self; 14] = [
        Self::NoShifts,
        Self::FixedLocations,
        Self::FixedChannels,
        Self::OneSort,
        Self::NoOrder,
        Self::AnyReset,
        Self::AnyEnd,
        Self::NoRanges,
        Self::AnyOperand,
        Self::AnyMessage,
        Self::NoDefaults,
        Self::NoProperties,
        Self::AnyFirst,
        Self::FixedPoints,
    ];

    /// Makes this error in the present thread from now on.
    pub fn seed(error: Option<Self>) {
        SEEDED.set(error);
    }
}

#[cfg(feature = "testing")]
thread_local! {
    static SEEDED: std::cell::Cell<Option<Seeded>> = const { std::cell::Cell::new(None) };
}

/// Whether an error is made.
#[cfg(feature = "testing")]
pub fn is_seeded(error: Seeded) -> bool {
    SEEDED.get() == Some(error)
}

#[cfg(not(feature = "testing"))]
pub const fn is_seeded(_: Seeded) -> bool {
    false
}
