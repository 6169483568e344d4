//! What a search found, and how much of the state space it saw.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rustc_hash::FxHashMap;
use system::{Bound, Fault, FaultKind};

use crate::{Open, Trail};

#[derive(Clone, Debug)]
pub struct Outcome {
    pub stats: Stats,
    /// One entry per fault, in the order in which the search met them.
    pub violations: Vec<Violation>,
    /// How many steps were not followed because their successor lies outside of a bound.
    pub truncations: BTreeMap<Bound, u64>,
    /// In how many states a state property or a proposition was not evaluated because that exceeds a bound.
    pub unevaluated: BTreeMap<Bound, u64>,
    pub completeness: Completeness,
    /// What the search still had to do when it ended.
    pub open: Open,
    pub elapsed: Duration,
}

impl Outcome {
    /// Everything was explored: no limit stopped the search, and no bound cut the model short.
    pub fn is_exhaustive(&self) -> bool {
        self.completeness == Completeness::Exhausted && !self.is_truncated()
    }

    /// A bound cut the model short: a step was not followed, or a condition was not evaluated.
    pub fn is_truncated(&self) -> bool {
        !self.truncations.is_empty() || !self.unevaluated.is_empty()
    }

    /// The number of violations of a kind.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.violations.iter().filter(|v| v.fault.kind == kind).map(|v| v.count).sum()
    }
}

/// The counts that the crate's documentation defines.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    pub states: usize,
    pub transitions: u64,
    pub matched: u64,
    pub depth: u32,
}

/// All violations of one kind at one site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub fault: Fault,
    /// To the first one that was met. A step that faults is its last one.
    pub trail: Trail,
    /// States that violate an invariant or are deadlocks; otherwise steps that fault.
    pub count: u64,
    pub consequence: Consequence,
}

/// What a violation means for the runs that show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Consequence {
    /// The runs go on: a state breaks an invariant or is a deadlock, or a step violates a check and leads on.
    GoesOn,
    /// The runs end there: a step faults, and leads nowhere.
    EndsRuns,
    /// The temporal property that is checked is violated, or cannot be told.
    OfProperty,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Every state that the system reaches within its own bounds was stored and expanded.
    Exhausted,
    Stopped(StopReason),
}

/// What kept a search from exploring everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Some state at the greatest depth has steps.
    Depth,
    States,
    Time,
    Memory,
    /// The store has no more numbers for states.
    Ids,
    Interrupted,
    /// There are more threads than weak fairness can tell apart.
    Threads,
    /// A cycle was found that violates a property, but no run along it that could be shown.
    Unshown,
    FirstViolation,
}

impl StopReason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Depth => "depth limit",
            Self::States => "state limit",
            Self::Time => "time limit",
            Self::Memory => "memory limit",
            Self::Ids => "out of state ids",
            Self::Interrupted => "interrupted",
            Self::Threads => "too many threads for fairness",
            Self::Unshown => "a cycle that cannot be shown",
            Self::FirstViolation => "first violation",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<store::Full> for StopReason {
    fn from(full: store::Full) -> Self {
        match full {
            store::Full::Memory => Self::Memory,
            store::Full::Ids => Self::Ids,
            store::Full::States => Self::States,
        }
    }
}

/// The violations so far, found again by their fault.
#[derive(Default, Debug)]
pub(crate) struct Violations {
    list: Vec<Violation>,
    places: FxHashMap<(Fault, Consequence), usize>,
}

impl Violations {
    /// Counts a violation; makes its trail if it is the first of its fault.
    pub fn record(&mut self, fault: Fault, consequence: Consequence, trail: impl FnOnce() -> Trail) {
        let place = *self.places.entry((fault, consequence)).or_insert_with(|| {
            self.list.push(Violation { fault, trail: trail(), count: 0, consequence });
            self.list.len() - 1
        });
        self.list[place].count += 1;
    }

    pub fn into_list(self) -> Vec<Violation> {
        self.list
    }
}
