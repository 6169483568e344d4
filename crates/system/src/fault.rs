use std::fmt;

/// The kinds of faults of a model. Their names are the `violation.kind` of reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    Assertion,
    Invariant,
    /// No thread can move, and some thread has not ended.
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
    /// The first element of an empty collection, or a choice among no alternatives.
    Empty,
    /// A key that a map does not have.
    MissingKey,
    /// More elements than a queue has room for.
    Overflow,
    /// The contents of an object that was deleted are used.
    UseAfterFree,
    /// A variable is used, by reference, after its scope was left.
    DanglingLocal,
    /// An object is deleted that was deleted before.
    DoubleDelete,
    /// What is deleted is no object that can be deleted, or a lock in use.
    BadDelete,
    /// Nothing leads to an object that was not deleted.
    Leak,
    /// A function is called by reference with arguments that do not fit its parameters.
    BadCall,
    /// There is no channel with that number, a message does not fit, or a channel without contents is
    /// queried.
    Channel,
    /// A channel that is exclusive to one reader or writer is used by another.
    ExclusiveChannel,
    /// A deterministic step that cannot continue in its middle.
    InnerBlock,
    /// Messages in another order than the model demands.
    Monitor,
    /// An infinite run that a property forbids: it repeats a cycle for ever.
    AcceptanceCycle,
    /// A bound of the exploration was exceeded, and the user asked for an error rather than a truncation.
    Bound(Bound),
}

impl FaultKind {
    /// All kinds, in the order of their definition.
    pub const ALL: [Self; 29] = [
        Self::Assertion,
        Self::Invariant,
        Self::Deadlock,
        Self::NullDereference,
        Self::BadCast,
        Self::Index,
        Self::Range,
        Self::DivisionByZero,
        Self::Unlock,
        Self::Wait,
        Self::Notify,
        Self::UncaughtException,
        Self::Empty,
        Self::MissingKey,
        Self::Overflow,
        Self::UseAfterFree,
        Self::DanglingLocal,
        Self::DoubleDelete,
        Self::BadDelete,
        Self::Leak,
        Self::BadCall,
        Self::Channel,
        Self::ExclusiveChannel,
        Self::InnerBlock,
        Self::Monitor,
        Self::AcceptanceCycle,
        Self::Bound(Bound::Threads),
        Self::Bound(Bound::Frames),
        Self::Bound(Bound::Objects),
    ];

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
            Self::UseAfterFree => "use-after-free",
            Self::DanglingLocal => "dangling-local",
            Self::DoubleDelete => "double-delete",
            Self::BadDelete => "bad-delete",
            Self::Leak => "leak",
            Self::BadCall => "bad-call",
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
    /// The number of threads, including ended ones that are still referred to.
    Threads,
    /// The number of frames on the stack of one thread.
    Frames,
    /// The number of objects (records, arrays, locks).
    Objects,
}

impl Bound {
    /// All of them, in the order of their definition.
    pub const ALL: [Self; 3] = [Self::Threads, Self::Frames, Self::Objects];

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
    /// The evaluation exceeds a bound of the exploration: nothing is known about the condition in this state.
    Truncated(Bound),
    /// An [alarm](crate::Alarm) was due in the middle of the evaluation.
    Abandoned,
}

/// A fault and its site. Only the system that reported it knows the meaning of sites.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub site: u32,
}
