//! Counterexamples: trails that the plain interpreter ran again.
//!
//! Nothing is reported that was not replayed. The searches, stores, encodings and the fast engine all stand
//! between a model and a violation; [`replay`] needs none of them. It runs a trail on the naive interpreter,
//! insists on the violation that was claimed, and describes each step on the way.

use std::fmt;

use naive::{Naive, NaiveFault, Stopped};
use serde::Serialize;
use system::{FaultKind, Step};

use crate::config::{Bounds, OnBound};
use crate::model::Model;
use crate::report::Place;

/// A run, step by step, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The initial state, one line each.
    pub initial: Vec<String>,
    pub steps: Vec<TraceStep>,
    /// What the last step or state is wrong with, if the run shows a violation.
    pub ends_in: Option<Ending>,
    /// The state that the run ends in (before the last step, if that one faults).
    pub last: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TraceStep {
    /// Who moved: `Philosopher#1`.
    pub thread: String,
    pub thread_id: u32,
    pub transition: u32,
    pub choice: u32,
    pub location: Place,
    /// Of the test of an `if` or `while`: which way it went.
    pub test: Option<bool>,
    /// What is different afterwards.
    pub changes: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    pub kind: String,
    pub message: String,
    pub location: Option<Place>,
    /// Of a deadlock: who is stuck, and where.
    pub blocked: Vec<Blocked>,
    #[serde(skip)]
    pub fault: FaultKind,
}

#[derive(Clone, Debug, Serialize)]
pub struct Blocked {
    pub thread: String,
    pub location: Place,
}

/// A trail that the plain interpreter does not follow to the end.
#[derive(Clone, Debug)]
pub struct Diverged {
    pub at: usize,
    pub of: usize,
    pub reason: String,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of {}: {}", self.at + 1, self.of, self.reason)
    }
}

pub fn interpreter(model: &Model, bounds: Bounds) -> Naive<'_> {
    let state::Bounds { threads, frames, objects } = bounds.sizes;
    Naive {
        program: &model.program,
        bounds: naive::Bounds { threads, frames, objects },
        on_bound: match bounds.on_bound {
            OnBound::Truncate => naive::OnBound::Truncate,
            OnBound::Error => naive::OnBound::Fault,
        },
    }
}

/// Runs `steps` on the plain interpreter.
///
/// The state at the end can be wrong in two ways at once: an invariant is broken and nobody can move. `claimed`, a
/// kind of violation, says which one is meant; otherwise it is the invariant.
pub fn replay(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    claimed: Option<&str>,
) -> Result<Trace, Diverged> {
    let naive = interpreter(model, bounds);
    let mut state = naive.initial();
    let steps: Vec<Step> = steps.into_iter().collect();
    let mut trace = Trace {
        initial: lines(&naive, &state),
        steps: Vec::with_capacity(steps.len()),
        ends_in: None,
        last: Vec::new(),
    };
    for (at, &step) in steps.iter().enumerate() {
        let diverged = |reason: String| Diverged { at, of: steps.len(), reason };
        let fired = naive.fire(&state, step);
        if let Err(Stopped::NotEnabled) = fired {
            return Err(diverged(
                "not possible in this state; the trail is of another model or of other constants".to_owned(),
            ));
        }
        let transition = ir::TransitionId(step.transition);
        trace.steps.push(TraceStep {
            thread: naive.thread_name(&state, step.thread),
            thread_id: step.thread,
            transition: step.transition,
            choice: step.choice,
            location: model.place_of_step(transition),
            test: model.test_outcome(transition),
            changes: Vec::new(),
        });
        match fired {
            Ok(next) => {
                let changes = naive.describe_changes(&state, &next);
                if let Some(last) = trace.steps.last_mut() {
                    last.changes = changes.iter().map(ToString::to_string).collect();
                }
                state = next;
            }
            Err(Stopped::Fault(fault)) if at + 1 == steps.len() => {
                trace.ends_in = Some(ending(model, &fault));
                trace.last = lines(&naive, &state);
                return Ok(trace);
            }
            Err(Stopped::Fault(fault)) => {
                return Err(diverged(format!("{}, but the trail goes on", fault.message)));
            }
            Err(Stopped::Truncated(bound)) => {
                return Err(diverged(format!(
                    "exceeds the bound on {}: give the same --max-… options",
                    bound.as_str()
                )));
            }
            Err(Stopped::NotEnabled) => unreachable!("handled above"),
        }
    }
    trace.last = lines(&naive, &state);
    let deadlocked = naive.deadlocked(&state);
    let deadlock_is_meant = deadlocked && claimed == Some(FaultKind::Deadlock.as_str());
    trace.ends_in = if let Some(fault) = naive.check(&state).filter(|_| !deadlock_is_meant) {
        Some(ending(model, &fault))
    } else if deadlocked {
        let stuck = state.threads.iter().filter(|(_, thread)| !thread.ended());
        let blocked = stuck
            .filter_map(|(&id, thread)| {
                let location = &model.program.locations[thread.frames.last()?.location];
                Some(Blocked { thread: naive.thread_name(&state, id), location: model.place(location.span) })
            })
            .collect();
        Some(Ending {
            kind: FaultKind::Deadlock.to_string(),
            message: "no thread can move, and not all have ended".to_owned(),
            location: None,
            blocked,
            fault: FaultKind::Deadlock,
        })
    } else {
        None
    };
    Ok(trace)
}

/// A state in words, line by line.
pub fn lines(naive: &Naive<'_>, state: &naive::State) -> Vec<String> {
    naive.describe_state(state).lines().map(str::to_owned).collect()
}

fn ending(model: &Model, fault: &NaiveFault) -> Ending {
    Ending {
        kind: fault.kind.to_string(),
        message: fault.message.clone(),
        location: Some(model.place(fault.span)),
        blocked: Vec::new(),
        fault: fault.kind,
    }
}
