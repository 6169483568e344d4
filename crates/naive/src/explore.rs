//! All states, breadth first: the oracle for counts and verdicts.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;

use ir::MAX_MICRO_STEPS;
use source::Span;
use system::{Bound, FaultKind};

use crate::{Naive, NaiveFault, State, Stopped};

/// What there is to find. Exploration goes on after violations: a step that faults has no successor, a state
/// that violates an invariant has its steps like any other. Transient states are gone through whenever a step
/// leads to them, and are neither counted nor remembered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Distinct states.
    pub states: usize,
    /// Steps that were fired, those that fault or are truncated included. A guard that faults is not fired,
    /// and steps to transient states do not count.
    pub transitions: usize,
    /// Steps that led to a state that was known.
    pub matched: usize,
    pub deadlocks: usize,
    /// How often each fault was met: steps that fault or violate a check, guards that fault, states that
    /// violate an invariant.
    pub faults: BTreeMap<(FaultKind, Span), usize>,
    pub truncations: BTreeMap<Bound, usize>,
    /// In how many states an invariant was not evaluated because that exceeds a bound, and none is violated.
    pub unevaluated: BTreeMap<Bound, usize>,
    /// Whether all states were visited.
    pub complete: bool,
}

const NO_ALARM: &str = "enabled steps can be fired, and no alarm rings";

impl Summary {
    fn count(&mut self, fault: &NaiveFault) {
        *self.faults.entry((fault.kind, fault.span)).or_default() += 1;
    }
}

/// Visits the states of a program, up to a limit on their number. There is no alarm.
pub fn explore(naive: &Naive<'_>, limit: usize) -> Summary {
    let naive = &Naive { alarm: None, ..*naive };
    let initial = naive.initial();
    let mut summary = Summary { complete: true, ..Summary::default() };
    if let Some(soft_fault) = initial.soft_fault() {
        summary.count(soft_fault);
    }
    let initial = Rc::new(initial);
    let mut seen = HashSet::from([Rc::clone(&initial)]);
    let mut frontier = VecDeque::from([initial]);
    while let Some(state) = frontier.pop_front() {
        match naive.check(&state) {
            Err(Stopped::Fault(fault)) => summary.count(&fault),
            Err(Stopped::Truncated(bound)) => *summary.unevaluated.entry(bound).or_default() += 1,
            Ok(()) => {}
            Err(Stopped::NotEnabled | Stopped::Abandoned) => unreachable!("{}", NO_ALARM),
        }
        if naive.deadlocked(&state) {
            summary.deadlocks += 1;
        }
        // The state, and then the transient ones that follow it, each with how many steps it is away.
        let mut open = vec![(state, 0)];
        while let Some((state, away)) = open.pop() {
            let (enabled, faults) = naive.steps(&state);
            for (_, fault) in faults {
                summary.count(&fault);
            }
            for step in enabled {
                let fired = naive.fire(&state, step);
                let passing = fired.as_ref().is_ok_and(|next| naive.is_transient(next));
                summary.transitions += usize::from(!passing);
                if let Some(soft_fault) = fired.as_ref().ok().and_then(State::soft_fault) {
                    summary.count(soft_fault);
                }
                match fired {
                    Ok(next) if passing && away < MAX_MICRO_STEPS => {
                        open.push((Rc::new(next), away + 1));
                    }
                    Ok(_) if passing => summary.complete = false,
                    Ok(next) if seen.contains(&next) => summary.matched += 1,
                    Ok(_) if seen.len() >= limit => summary.complete = false,
                    Ok(next) => {
                        let next = Rc::new(next);
                        seen.insert(Rc::clone(&next));
                        frontier.push_back(next);
                    }
                    Err(Stopped::Fault(fault)) => summary.count(&fault),
                    Err(Stopped::Truncated(bound)) => *summary.truncations.entry(bound).or_default() += 1,
                    Err(Stopped::NotEnabled | Stopped::Abandoned) => unreachable!("{}", NO_ALARM),
                }
            }
        }
    }
    summary.states = seen.len();
    summary
}
