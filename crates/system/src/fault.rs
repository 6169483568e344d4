use std::fmt;

/// What can go wrong in a model. The names are the `violation.kind` of reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    Assertion,
    Invariant,
    /// Nobody can move and somebody has not ended.
    Deadlock,
    NullDereference,
    BadCast,
    /// An array index outside of the array, or a negative array length.
    Index,
    /// A value outside of the range of the place it is stored to, or an arithmetic overflow.
    Range,
    DivisionByZero,
    /// `unlock` by a thread that does not hold the lock.
    Unlock,
    /// `wait` by a thread that does not hold the lock or waits already; `unwait` by one that does not wait.
    Wait,
    /// `notify` by a thread that does not hold the lock.
    Notify,
    UncaughtException,
    /// The first element of a collection that has none, or a choice among none.
    Empty,
    /// A key that a map does not have.
    MissingKey,
    /// More elements than a queue has room for.
    Overflow,
    /// No channel of that number, a message that does not fit, or a question about a channel without
    /// contents.
    Channel,
    /// A channel that is for one reader or writer only has another.
    ExclusiveChannel,
    /// A deterministic step that cannot go on in its middle.
    InnerBlock,
    /// Messages in another order than the model demands.
    Monitor,
    /// A run that a property forbids: it goes round a cycle for ever.
    AcceptanceCycle,
    /// A bound of the exploration, when the user asked for an error rather than a truncation.
    Bound(Bound),
}

impl FaultKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Invariant => "invariant",
            Self::Deadlock => "deadlock",
            Self::NullDereference => "null-dereference",
            Self::BadCast => "bad-cast",
            Self::Index => "index",
            Self::Range => "range",
            Self::DivisionByZero => "division-by-zero",
            Self::Unlock => "unlock",
            Self::Wait => "wait",
            Self::Notify => "notify",
            Self::UncaughtException => "uncaught-exception",
            Self::Empty => "empty-collection",
            Self::MissingKey => "missing-key",
            Self::Overflow => "overflow",
            Self::Channel => "channel",
            Self::ExclusiveChannel => "exclusive-channel",
            Self::InnerBlock => "d-step",
            Self::Monitor => "trace",
            Self::AcceptanceCycle => "acceptance-cycle",
            Self::Bound(Bound::Threads) => "thread-bound",
            Self::Bound(Bound::Frames) => "stack-bound",
            Self::Bound(Bound::Objects) => "heap-bound",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A bound on what may exist at a time, in a state or in the middle of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Bound {
    /// Threads, ended ones that something refers to included.
    Threads,
    /// Frames on the stack of one thread.
    Frames,
    /// Objects (records, arrays, locks).
    Objects,
}

impl Bound {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Frames => "frames",
            Self::Objects => "objects",
        }
    }
}

/// Why a condition of a state is not known to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The condition is violated, or evaluating it violates a rule.
    Fault(Fault),
    /// Evaluating the condition exceeds a bound of the exploration: nothing is known about the condition in
    /// this state.
    Truncated(Bound),
    /// An [alarm](crate::Alarm) rang in the middle of the evaluation.
    Abandoned,
}

/// A fault and where it arose; only the system that reported it knows what its sites mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub site: u32,
}
