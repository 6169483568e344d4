//! Why a step does not lead anywhere.

use std::fmt;

use source::Span;
use system::{Alarm, Bound, FaultKind};

use crate::{Bounds, Datum, History, OnBound, Part};

/// A rule that a program violates, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NaiveFault {
    pub kind: FaultKind,
    pub span: Span,
    pub message: String,
    /// For an assertion or an invariant: what makes it false.
    pub parts: Vec<Part>,
    /// For a fault of memory: the objects that it is about.
    pub memory: Vec<MemoryFault>,
}

/// An object that was used, deleted or lost where it must not be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// What the object is called.
    pub object: String,
    pub history: History,
    /// What it holds, unless it has ended.
    pub contents: Option<Datum>,
    /// The variables, fields and elements that refer to it, by name.
    pub referrers: Vec<String>,
}

impl NaiveFault {
    pub(crate) fn new(kind: FaultKind, span: Span, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), parts: Vec::new(), memory: Vec::new() }
    }
}

impl fmt::Display for NaiveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// Why [`Naive::fire`](crate::Naive::fire) gives no state, or a condition of a state is not known to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    Fault(NaiveFault),
    /// The successor lies outside of a bound.
    Truncated(Bound),
    /// There is no such step in this state.
    NotEnabled,
    /// The [alarm](crate::Naive::alarm) rang, or there is no memory: nothing is known.
    Abandoned,
}

/// Why evaluation or execution stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// An obstacle: the transition is not enabled.
    Blocked,
    Fault(NaiveFault),
    Exceeded(Bound, Span),
    /// The alarm rang, or there is no memory.
    Abandoned,
}

impl Stop {
    pub fn fault(kind: FaultKind, span: Span, message: impl Into<String>) -> Self {
        Self::Fault(NaiveFault::new(kind, span, message))
    }

    /// The order of stops that are met together, of which the least one counts: a bound that is exceeded
    /// before faults, then by kind and place.
    pub fn precedence(&self) -> impl Ord + use<> {
        match *self {
            Self::Blocked | Self::Abandoned => unreachable!("{self:?} does not wait for other elements"),
            Self::Exceeded(bound, span) => (false, FaultKind::Bound(bound), span),
            Self::Fault(NaiveFault { kind, span, .. }) => (true, kind, span),
        }
    }

    /// What a stop means for the step that is fired.
    pub fn stopped(self, bounds: Bounds, on_bound: OnBound) -> Stopped {
        match self {
            Self::Blocked => Stopped::NotEnabled,
            Self::Abandoned => Stopped::Abandoned,
            Self::Fault(fault) => Stopped::Fault(fault),
            Self::Exceeded(bound, span) => match on_bound {
                OnBound::Truncate => Stopped::Truncated(bound),
                OnBound::Fault => Stopped::Fault(exceeded(bound, span, bounds)),
            },
        }
    }
}

/// Counts an operation.
pub(crate) fn burn(alarm: Option<&Alarm>) -> Result<(), Stop> {
    if alarm.is_none_or(Alarm::burn) { Ok(()) } else { Err(Stop::Abandoned) }
}

/// A bound that is exceeded, as a fault.
pub(crate) fn exceeded(bound: Bound, span: Span, bounds: Bounds) -> NaiveFault {
    let message = match bound {
        Bound::Threads => format!("more than {} threads", bounds.threads),
        Bound::Frames => format!("more than {} nested calls", bounds.frames),
        Bound::Objects => format!("more than {} objects", bounds.objects),
    };
    NaiveFault::new(FaultKind::Bound(bound), span, message)
}
