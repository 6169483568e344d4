//! All states, breadth first: the oracle for counts and verdicts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use source::Span;
use system::{Bound, FaultKind};

use crate::{Naive, NaiveFault, Stopped};

/// What there is to find. Exploration goes on after violations: a step that faults has no successor, a state that
/// violates an invariant has its steps like any other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Distinct states.
    pub states: usize,
    /// Steps that were fired, those that fault or are truncated included. A guard that faults is not fired.
    pub transitions: usize,
    /// Steps that led to a state that was known.
    pub matched: usize,
    pub deadlocks: usize,
    /// How often each fault was met: steps that fault, guards that fault, states that violate an invariant.
    pub faults: BTreeMap<(FaultKind, Span), usize>,
    pub truncations: BTreeMap<Bound, usize>,
    /// Whether all states were visited.
    pub complete: bool,
}

impl Summary {
    fn count(&mut self, fault: &NaiveFault) {
        *self.faults.entry((fault.kind, fault.span)).or_default() += 1;
    }
}

/// Visits the states of a program, up to a limit on their number.
pub fn explore(naive: &Naive<'_>, limit: usize) -> Summary {
    let initial = naive.initial();
    let mut summary = Summary { complete: true, ..Summary::default() };
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut frontier = VecDeque::from([initial]);
    while let Some(state) = frontier.pop_front() {
        if let Some(fault) = naive.check(&state) {
            summary.count(&fault);
        }
        let (enabled, faults) = naive.steps(&state);
        if enabled.is_empty() && faults.is_empty() && state.threads.values().any(|thread| !thread.ended()) {
            summary.deadlocks += 1;
        }
        for (_, fault) in faults {
            summary.count(&fault);
        }
        for step in enabled {
            summary.transitions += 1;
            match naive.fire(&state, step) {
                Ok(next) if seen.contains(&next) => summary.matched += 1,
                Ok(_) if seen.len() >= limit => summary.complete = false,
                Ok(next) => {
                    seen.insert(next.clone());
                    frontier.push_back(next);
                }
                Err(Stopped::Fault(fault)) => summary.count(&fault),
                Err(Stopped::Truncated(bound)) => *summary.truncations.entry(bound).or_default() += 1,
                Err(Stopped::NotEnabled) => unreachable!("enabled steps can be fired"),
            }
        }
    }
    summary.states = seen.len();
    summary
}
