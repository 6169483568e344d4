//! What there is to find in a model, by brute force on the plain interpreter.

use std::collections::BTreeMap;

use ir::Program;
use naive::{Naive, Summary};
use quotient_check::Model;
use quotient_check::config::Sizes;
use quotient_check::config::{Bounds, OnBound};
use quotient_check::report::{Place, Verdict};
use system::Bound;

/// A kind, and the line and column where there is one.
pub type Violation = (String, Option<(u32, u32)>);

pub fn violation(kind: &str, place: Option<&Place>) -> Violation {
    (kind.to_owned(), place.map(|place| (place.line, place.column)))
}

/// All there is to find in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub verdict: &'static str,
    pub states: u64,
    pub transitions: u64,
    pub matched: u64,
    pub violations: BTreeMap<Violation, u64>,
    /// By objects, threads and frames; conditions.
    pub truncations: [u64; 4],
}

/// The plain interpreter, within the bounds of a check.
pub fn interpreter(program: &Program, bounds: Bounds) -> Naive<'_> {
    let Sizes { threads, frames, objects } = bounds.sizes;
    let on_bound = match bounds.on_bound {
        OnBound::Truncate => naive::OnBound::Truncate,
        OnBound::Error => naive::OnBound::Fault,
    };
    Naive { bounds: naive::Bounds { threads, frames, objects }, on_bound, ..Naive::new(program) }
}

/// What brute force finds, unless there are more than `most` states.
pub fn by_brute_force(model: &Model, bounds: Bounds, most: usize) -> Option<Found> {
    let Summary { states, transitions, matched, deadlocks, faults, truncations, unevaluated, complete } =
        naive::explore(&interpreter(&model.program, bounds), most);
    let mut violations = BTreeMap::new();
    for ((kind, span), count) in faults {
        *violations.entry(violation(kind.as_str(), Some(&model.place(span)))).or_default() += count as u64;
    }
    if deadlocks > 0 {
        violations.insert(violation("deadlock", None), deadlocks as u64);
    }
    let verdict = match (violations.is_empty(), truncations.is_empty() && unevaluated.is_empty()) {
        (false, _) => Verdict::Violated,
        (true, false) => Verdict::HoldsUpToBounds,
        (true, true) => Verdict::Holds,
    };
    let truncated = |bound| truncations.get(&bound).map_or(0, |&count| count as u64);
    complete.then(|| Found {
        verdict: verdict.as_str(),
        states: states as u64,
        transitions: transitions as u64,
        matched: matched as u64,
        violations,
        truncations: [
            truncated(Bound::Objects),
            truncated(Bound::Threads),
            truncated(Bound::Frames),
            unevaluated.values().sum::<usize>() as u64,
        ],
    })
}
