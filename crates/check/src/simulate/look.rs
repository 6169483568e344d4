//! A state of a run, looked at: the steps that it has, what is wrong with it, and why threads do not move.

use naive::Stopped;
use system::Step;

use crate::dialect::place_of_step;
use crate::replay::Run;
use crate::report::Place;
use crate::trace::Blocked;
use crate::values::Read;

/// A step that can be chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    pub step: Step,
    pub thread: String,
    /// For a rendezvous: the receiver.
    pub partner: Option<String>,
    pub location: Place,
    /// For the test of an `if` or `while`: which way it goes.
    pub test: Option<bool>,
    /// What decides that the step is possible.
    pub reads: Vec<Read>,
    /// Taking it ends in a fault.
    pub faults: bool,
}

/// Why a thread moves or not.
#[derive(Clone, Debug)]
pub enum Mobility {
    Ended,
    /// The number of its steps.
    Moves(usize),
    /// Another thread is inside of an atomic block, and alone may move.
    Excluded {
        by: String,
    },
    /// Its statements wait. If none is said to wait, other threads go first.
    Waits {
        blocked: Blocked,
        /// The thread may stay where it is: it does not make the state a deadlock.
        may_stay: bool,
    },
}

impl Run<'_> {
    /// The steps that can be chosen in the state.
    pub fn choices(&self) -> Vec<Choice> {
        let Run { model, naive, state, .. } = self;
        let (enabled, faults) = naive.steps(state);
        let choice = |(step, faults): (Step, bool)| {
            let events = naive.fire_recorded(state, step).events;
            let own = events.statements.iter().find(|taken| taken.thread == step.thread);
            Choice {
                step,
                thread: naive.thread_name(state, step.thread),
                partner: events.partner.map(|(thread, _)| naive.thread_name(state, thread)),
                location: place_of_step(model, ir::TransitionId(step.transition)),
                test: model.test_outcome(ir::TransitionId(step.transition)),
                reads: own
                    .map(|taken| taken.parts.iter().map(|part| Read::new(model, part)).collect())
                    .unwrap_or_default(),
                faults,
            }
        };
        let enabled = enabled.into_iter().map(|step| (step, false));
        enabled.chain(faults.into_iter().map(|(step, _)| (step, true))).map(choice).collect()
    }

    /// What is wrong with the state, in words.
    pub fn wrong(&self) -> Option<String> {
        let Run { model, naive, state, .. } = self;
        let soft_fault = state.soft_fault().cloned();
        match soft_fault.map_or_else(|| naive.check(state), |fault| Err(Stopped::Fault(fault))) {
            Err(Stopped::Fault(fault)) => Some(fault.to_string()),
            _ if naive.deadlocked(state) => Some(format!("deadlock: {}", model.deadlock())),
            Err(Stopped::Truncated(bound)) => {
                Some(format!("an invariant is not evaluated: it exceeds the bound on {}", bound.as_str()))
            }
            Ok(()) | Err(Stopped::NotEnabled | Stopped::Abandoned) => None,
        }
    }

    /// The threads that have not ended, by their names.
    pub fn threads(&self) -> Vec<String> {
        let Run { naive, state, .. } = self;
        let alive = state.threads.iter().filter(|(_, thread)| !thread.ended());
        alive.map(|(&id, _)| naive.thread_name(state, id)).collect()
    }

    /// Whether a thread can move, and why not. Threads are called by their names or by their ids.
    pub fn mobility(&self, name: &str) -> Option<(String, Mobility)> {
        let Run { model, naive, state, .. } = self;
        let by_id = name.parse().ok().filter(|id| state.threads.contains_key(id));
        let is_called = |id: &u32| naive.thread_name(state, *id) == name;
        let id = by_id.or_else(|| state.threads.keys().copied().find(is_called))?;
        let called = naive.thread_name(state, id);
        let (enabled, faults) = naive.steps(state);
        let steps = enabled.iter().chain(faults.iter().map(|(step, _)| step));
        let own = steps.filter(|step| step.thread == id).count();
        let exclusive = state.exclusive.filter(|&other| other != id);
        let mobility = match (self.blocked(id), exclusive) {
            (None, _) => Mobility::Ended,
            (Some(_), _) if own > 0 => Mobility::Moves(own),
            (Some(_), Some(other)) => Mobility::Excluded { by: naive.thread_name(state, other) },
            (Some(blocked), None) => {
                let top = state.threads[&id].frames.last();
                let may_stay = top.is_some_and(|frame| model.program.locations[frame.location].end);
                Mobility::Waits { blocked, may_stay }
            }
        };
        Some((called, mobility))
    }
}
