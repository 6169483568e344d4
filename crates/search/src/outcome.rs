//! The result of a search: what it found, and how much of the state space it explored.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rustc_hash::FxHashMap;
use system::{Bound, Fault, FaultKind};

use crate::{Open, Trail};

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub stats: Stats,
    /// One entry per fault, in the order in which the search met them.
    pub violations: Vec<Violation>,
    /// The number of steps, by bound, that were not followed because their successor exceeds the bound.
    pub truncations: BTreeMap<Bound, u64>,
    /// The number of states, by bound, in which a state property or a proposition was not evaluated because
    /// the evaluation exceeds the bound.
    pub unevaluated: BTreeMap<Bound, u64>,
    pub completeness: Completeness,
    /// The work that the search still had to do when it ended.
    pub open: Open,
    /// The greatest number of threads that expanded states at a time.
    pub threads: usize,
    pub elapsed: Duration,
}

impl Outcome {
    /// Whether everything was explored: no limit stopped the search, and no bound cut the model short.
    pub fn is_exhaustive(&self) -> bool {
        self.completeness == Completeness::Exhausted && !self.is_truncated()
    }

    /// Whether a bound cut the model short: a step was not followed, or a condition was not evaluated.
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
    /// The trail to the first of the violations. If a step faults, it is the last step.
    pub trail: Trail,
    /// The number of states that violate the invariant or are deadlocks; for other faults, the number of
    /// faulting steps.
    pub count: u64,
    pub consequence: Consequence,
}

/// What a violation means for the runs that show it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Consequence {
    /// The runs continue: a state violates an invariant or is a deadlock, or a step violates a check and
    /// moves all the same.
    GoesOn,
    /// The runs end: a step faults and has no successor.
    EndsRuns,
    /// The temporal property that is checked is violated, or cannot be evaluated.
    OfProperty,
}

impl Consequence {
    /// All of them, in the order of their definition.
    pub const ALL: [Self; 3] = [Self::GoesOn, Self::EndsRuns, Self::OfProperty];
}

/// Whether a search explored everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Every state that the system reaches within its own bounds was stored and expanded.
    Exhausted,
    Stopped(StopReason),
}

/// What kept a search from exploring everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Some state at the depth limit has steps.
    Depth,
    States,
    Time,
    Memory,
    /// The store has no more numbers for states.
    Ids,
    Interrupted,
    /// There are more threads than weak fairness can distinguish.
    Threads,
    /// A cycle that violates a property was found, but no run along it that could be shown.
    Unshown,
    /// The system has relied on what does not hold, and is to be searched again without that.
    Void,
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
            Self::Void => "void",
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

/// The violations so far, indexed by fault and consequence.
#[derive(Default, Debug)]
pub(crate) struct Violations {
    list: Vec<Violation>,
    places: FxHashMap<(Fault, Consequence), usize>,
}

impl Violations {
    /// Counts a violation; computes its trail if it is the first one with this fault.
    pub fn record(&mut self, fault: Fault, consequence: Consequence, trail: impl FnOnce() -> Trail) {
        let place = *self.places.entry((fault, consequence)).or_insert_with(|| {
            self.list.push(Violation { fault, trail: trail(), count: 0, consequence });
            self.list.len() - 1
        });
        self.list[place].count += 1;
    }

    /// The violations, in the order in which they were met.
    pub fn list(&self) -> &[Violation] {
        &self.list
    }

    pub fn of(list: Vec<Violation>) -> Self {
        let places = list.iter().enumerate();
        let places = places.map(|(at, violation)| ((violation.fault, violation.consequence), at)).collect();
        Self { list, places }
    }

    pub fn into_list(self) -> Vec<Violation> {
        self.list
    }

    pub fn knows(&self, fault: Fault, consequence: Consequence) -> bool {
        self.places.contains_key(&(fault, consequence))
    }

    /// The same violations without their counts and trails, for another ledger to count them.
    pub fn blank(&self) -> Self {
        let blank = |violation: &Violation| Violation { trail: Trail::default(), count: 0, ..*violation };
        Self { list: self.list.iter().map(blank).collect(), places: self.places.clone() }
    }

    /// Takes the counts, in the order of the list.
    pub fn take_counts(&mut self) -> Vec<u64> {
        self.list.iter_mut().map(|violation| std::mem::take(&mut violation.count)).collect()
    }

    /// Adds counts of violations in the order of the list.
    pub fn add_counts(&mut self, counts: &[u64]) {
        for (violation, count) in self.list.iter_mut().zip(counts) {
            violation.count += count;
        }
    }
}
