//! Runs that violate a temporal property, followed by the plain interpreter.
//!
//! A search for cycles says: these steps, of which the last ones are repeated for ever. Nothing of that is taken for granted. The
//! plain interpreter takes the steps; what it sees on the way is a word, of which the evaluator of formulas on lassos, or the claim
//! itself, says whether it violates the property. That the cycle closes, and that it is fair, is looked at as well.

use std::collections::BTreeSet;

use ir::{Property, PropertyKind};
use ltl::lasso::Lasso;
use naive::{Naive, State, Stopped};
use serde::Serialize;
use system::Step;

use crate::narrate::Narrator;

/// How a run goes on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Cycle {
    /// How many steps come before those that are repeated. If these are all, nothing moves any more.
    pub start: usize,
    /// It leads back to the state where it begins. Otherwise it does so up to the names of what is created on it.
    pub closed: bool,
}

/// What a run is said to be.
#[derive(Clone, Copy, Debug)]
pub struct Claimed<'a> {
    pub steps: &'a [Step],
    /// There is none if the property is violated already, whatever comes next.
    pub cycle: Option<Cycle>,
    pub is_fair: bool,
    /// Of a property about individuals: the how manieth of them it is.
    pub individual: Option<u32>,
}

/// Why a run is not what it is said to be.
pub fn refute(naive: &Naive<'_>, property: &Property, claimed: Claimed<'_>) -> Option<String> {
    follow(naive, property, claimed).err()
}

fn follow(naive: &Naive<'_>, property: &Property, claimed: Claimed<'_>) -> Result<(), String> {
    let Claimed { steps, cycle, is_fair, individual } = claimed;
    let each = property.each.as_ref();
    let thread_in =
        |state: &State| each.zip(individual).and_then(|(each, of)| state.individual(each.procedure, of));
    let start = cycle.map_or(steps.len(), |cycle| cycle.start);
    let mut narrator = Narrator::of(*naive);
    let mut state = naive.initial();
    let mut word = Vec::new();
    let mut head = None;
    let mut was_there = each.is_none();
    for at in 0..=steps.len() {
        let thread = thread_in(&state);
        was_there |= thread.is_some() && at <= start;
        if at == start {
            head = Some((state.clone(), word.len(), Waiting::all(&state)));
        }
        // The last state of a cycle is its first one.
        let is_last = at == steps.len();
        if !is_last || start == steps.len() {
            if state.exclusive.is_none() {
                let valuation = naive.valuation_about(&state, property, thread);
                word.push(valuation.map_err(|stopped| match stopped {
                    Stopped::Fault(fault) => fault.message,
                    _ => format!("the property is not evaluated within bounds after step {at}"),
                })?);
            }
            if let Some((_, _, waiting)) = &mut head {
                waiting.look(naive, &state);
            }
        }
        let Some(&step) = steps.get(at) else { break };
        if let Some((_, _, waiting)) = &mut head {
            let partner = narrator.as_mut().and_then(|narrator| narrator.partner(&state, step));
            waiting.moved(step.thread);
            if let Some((thread, _)) = partner {
                waiting.moved(thread);
            }
        }
        state = match naive.fire(&state, step) {
            Ok(next) => next,
            Err(Stopped::Fault(fault)) => return Err(format!("step {}: {}", at + 1, fault.message)),
            Err(Stopped::Truncated(_) | Stopped::NotEnabled | Stopped::Abandoned) => {
                return Err(format!("step {} is not possible", at + 1));
            }
        };
    }
    let Some((first, length, waiting)) = head else { return Err("the cycle begins nowhere".to_owned()) };
    if !was_there {
        return Err("there is no such individual before the cycle".to_owned());
    }
    if let Some(cycle) = cycle {
        if thread_in(&state) != thread_in(&first) {
            return Err("the individual ends on the cycle".to_owned());
        }
        let (enabled, faults) = naive.steps(&state);
        if cycle.start == steps.len() && !(enabled.is_empty() && faults.is_empty()) {
            return Err("the run is said to end, and goes on".to_owned());
        }
        if cycle.closed && state != first {
            return Err("the cycle does not lead back to where it begins".to_owned());
        }
        let waiting = if word.len() == length { &waiting.unobserved } else { &waiting.observed };
        if let Some(thread) = waiting.first().filter(|_| is_fair) {
            return Err(format!("thread {thread} can always move on the cycle, and never does"));
        }
    }
    let (stem, mut repeated) = word.split_at(length);
    if repeated.is_empty() {
        // The cycle is inside of an atomic block: the last letter counts for ever.
        repeated = &word[length.saturating_sub(1)..];
    }
    let lasso = Lasso::new(stem, repeated).ok_or("no state of the run is observed")?;
    let is_violated = match &property.kind {
        PropertyKind::Formula(formula) => !lasso.satisfies(formula),
        PropertyKind::Claim(claim) => claim.accepts(&lasso),
    };
    if is_violated { Ok(()) } else { Err("the run satisfies the property".to_owned()) }
}

/// The threads that could move in all states of the cycle so far, and did not. That others have no steps in the middle of an atomic
/// block counts only if the whole cycle is there.
struct Waiting {
    /// As far as states are observed.
    observed: BTreeSet<u32>,
    /// As far as they are not.
    unobserved: BTreeSet<u32>,
}

impl Waiting {
    fn all(state: &State) -> Self {
        let all: BTreeSet<u32> = state.threads.keys().copied().collect();
        Self { observed: all.clone(), unobserved: all }
    }

    fn look(&mut self, naive: &Naive<'_>, state: &State) {
        let enabled: BTreeSet<u32> = naive.steps(state).0.iter().map(|step| step.thread).collect();
        let waiting = if state.exclusive.is_none() { &mut self.observed } else { &mut self.unobserved };
        waiting.retain(|thread| enabled.contains(thread));
    }

    fn moved(&mut self, thread: u32) {
        self.observed.remove(&thread);
        self.unobserved.remove(&thread);
    }
}
