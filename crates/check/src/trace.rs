//! Counterexamples: trails that the plain interpreter ran again.
//!
//! Nothing is reported that was not replayed. The searches, stores, encodings and the fast engine all stand
//! between a model and a violation; [`replay`] needs none of them. It runs a trail on the naive interpreter,
//! insists on the violation that was claimed, and describes each step on the way.

use std::fmt;
use std::ops::ControlFlow::{self, Continue};

use ir::TransitionId;
use naive::{Naive, NaiveFault, State, Stopped};
use serde::Serialize;
use system::{Bound, FaultKind, Step};

use crate::config::{Bounds, OnBound};
use crate::dialect::{place_of, place_of_step};
use crate::lasso::Cycle;
use crate::model::Model;
use crate::narrate::Narrator;
use crate::report::Place;

/// A run, step by step, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The initial state, one line each.
    pub initial: Vec<String>,
    pub steps: Vec<TraceStep>,
    /// How the run goes on for ever, if that is what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// Who violates a property that is about individuals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub individual: Option<Individual>,
    /// What the last step or state is wrong with, if the run shows a violation.
    pub ends_in: Option<Ending>,
    /// The state that the run ends in (before the last step, if that one faults).
    pub last: Vec<String>,
    /// The threads of the initial state.
    #[serde(skip)]
    pub processes: Vec<Process>,
}

/// A thread that a variable of a property stands for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Individual {
    pub variable: String,
    /// `Philosopher#2`.
    pub thread: String,
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
    /// What goes through channels. Several messages only where a step has several statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// Who takes the step together with the thread: the receiver of a rendezvous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// What the model prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    #[serde(skip)]
    pub started: Vec<Process>,
    #[serde(skip)]
    pub ended: Vec<u32>,
}

/// A message that is sent, received, or both.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Message {
    pub channel: String,
    pub direction: Direction,
    /// The message on one line: `ack(1)`.
    pub text: String,
    pub fields: Vec<String>,
    pub sender: Option<String>,
    pub receiver: Option<String>,
    /// Of messages that wait in a channel: they are counted from 1, and have the same number where they are sent and
    /// where they are received.
    pub number: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Send,
    Receive,
    Rendezvous,
}

#[derive(Clone, Debug, Serialize)]
pub struct Partner {
    pub thread: String,
    pub thread_id: u32,
    pub transition: u32,
    pub location: Place,
}

/// A thread, by its number and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    pub id: u32,
    pub name: String,
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

impl std::error::Error for Diverged {}

pub fn interpreter(model: &Model, bounds: Bounds) -> Naive<'_> {
    let state::Bounds { threads, frames, objects } = bounds.sizes;
    Naive {
        program: &model.program,
        bounds: naive::Bounds { threads, frames, objects },
        on_bound: match bounds.on_bound {
            OnBound::Truncate => naive::OnBound::Truncate,
            OnBound::Error => naive::OnBound::Fault,
        },
        alarm: None,
    }
}

/// Runs `steps` on the plain interpreter.
///
/// The end can be wrong in several ways at once: the last step violates a check, an invariant is broken, nobody can
/// move. `claimed`, a kind of violation, says which one is meant; otherwise it is the first in this order.
pub fn replay<I>(model: &Model, bounds: Bounds, steps: I, claimed: Option<&str>) -> Result<Trace, Diverged>
where
    I: IntoIterator<Item = Step, IntoIter: ExactSizeIterator>,
{
    replay_on(interpreter(model, bounds), model, steps, claimed)
}

/// Does the same as [`replay`], but hands the steps to `visit`, one after the other, instead of keeping them:
/// the trace has none. If `visit` breaks off, it ends there and in nothing wrong.
pub fn retell<I>(
    model: &Model,
    bounds: Bounds,
    steps: I,
    claimed: Option<&str>,
    visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, Diverged>
where
    I: IntoIterator<Item = Step, IntoIter: ExactSizeIterator>,
{
    retell_on(interpreter(model, bounds), model, steps, claimed, visit)
}

/// The same on an interpreter of the model's program, with all steps kept.
pub fn replay_on<I>(
    naive: Naive<'_>,
    model: &Model,
    steps: I,
    claimed: Option<&str>,
) -> Result<Trace, Diverged>
where
    I: IntoIterator<Item = Step, IntoIter: ExactSizeIterator>,
{
    let steps = steps.into_iter();
    let mut told = Vec::with_capacity(steps.len());
    let trace = retell_on(naive, model, steps, claimed, |step| {
        told.push(step);
        Continue(())
    })?;
    Ok(Trace { steps: told, ..trace })
}

/// The same on an interpreter of the model's program.
pub fn retell_on<I>(
    naive: Naive<'_>,
    model: &Model,
    steps: I,
    claimed: Option<&str>,
    mut visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, Diverged>
where
    I: IntoIterator<Item = Step, IntoIter: ExactSizeIterator>,
{
    let mut follower = Follower::on(naive, model);
    let mut trace = follower.beginning();
    let mut steps = steps.into_iter();
    let of = steps.len();
    let mut at = 0;
    while let Some(step) = steps.next() {
        let diverged = |reason: String| Diverged { at, of, reason };
        let Followed { step, fault } = follower.take(step).map_err(|missed| diverged(missed.to_string()))?;
        if visit(step).is_break() {
            trace.last = follower.lines();
            return Ok(trace);
        }
        match fault {
            None => {}
            Some(fault) if steps.len() > 0 => {
                return Err(diverged(format!("{}, but the trail goes on", fault.message)));
            }
            Some(fault) => {
                trace.ends_in = Some(ending(model, &fault));
                trace.last = follower.lines();
                return Ok(trace);
            }
        }
        at += 1;
    }
    trace.last = follower.lines();
    trace.ends_in = follower.ending(claimed);
    Ok(trace)
}

/// A run that is followed on the plain interpreter and told step by step. It keeps the state that the run is
/// in, and nothing of the way there.
pub struct Follower<'m> {
    model: &'m Model,
    naive: Naive<'m>,
    narrator: Option<Narrator<'m>>,
    state: State,
}

/// A step that the plain interpreter took, in words.
pub struct Followed {
    pub step: TraceStep,
    /// What the step faults with, if it does. The run is where it was then.
    pub fault: Option<NaiveFault>,
}

/// Why the plain interpreter does not take a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missed {
    NotEnabled,
    Truncated(Bound),
    /// There was no time or memory for it.
    Abandoned,
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEnabled => {
                f.write_str("not possible in this state; the trail is of another model or of other constants")
            }
            Self::Truncated(bound) => {
                write!(f, "exceeds the bound on {}: give the same --max-… options", bound.as_str())
            }
            Self::Abandoned => f.write_str("it takes more time or memory than there is"),
        }
    }
}

impl<'m> Follower<'m> {
    /// Stands at the initial state.
    pub fn new(model: &'m Model, bounds: Bounds) -> Self {
        Self::on(interpreter(model, bounds), model)
    }

    /// The same on an interpreter of the model's program.
    fn on(naive: Naive<'m>, model: &'m Model) -> Self {
        Self { model, naive, narrator: Narrator::of(naive), state: naive.initial() }
    }

    /// The trace of a run without steps from here on, without what is wrong at its end.
    pub fn beginning(&self) -> Trace {
        Trace {
            initial: self.lines(),
            steps: Vec::new(),
            cycle: None,
            individual: None,
            ends_in: None,
            last: Vec::new(),
            processes: processes(&self.naive, &self.state),
        }
    }

    /// The state that the run is in, line by line.
    pub fn lines(&self) -> Vec<String> {
        lines(&self.naive, &self.state)
    }

    /// Takes a step, and tells of it.
    pub fn take(&mut self, step: Step) -> Result<Followed, Missed> {
        let Self { model, naive, narrator, state } = self;
        let fired = match naive.fire(state, step) {
            Err(Stopped::NotEnabled) => return Err(Missed::NotEnabled),
            Err(Stopped::Truncated(bound)) => return Err(Missed::Truncated(bound)),
            Err(Stopped::Abandoned) => return Err(Missed::Abandoned),
            Err(Stopped::Fault(fault)) => Err(fault),
            Ok(next) => Ok(next),
        };
        let transition = TransitionId(step.transition);
        let told = narrator.as_mut().map(|narrator| narrator.tell(state, step)).unwrap_or_default();
        let mut told = TraceStep {
            thread: naive.thread_name(state, step.thread),
            thread_id: step.thread,
            transition: step.transition,
            choice: step.choice,
            location: place_of_step(model, transition),
            test: model.test_outcome(transition),
            changes: Vec::new(),
            messages: told.messages,
            partner: told.partner.map(|(thread, transition)| Partner {
                thread: naive.thread_name(state, thread),
                thread_id: thread,
                transition: transition.0,
                location: place_of_step(model, transition),
            }),
            printed: Some(told.printed).filter(|text| !text.is_empty()),
            started: Vec::new(),
            ended: Vec::new(),
        };
        let next = match fired {
            Ok(next) => next,
            Err(fault) => return Ok(Followed { step: told, fault: Some(fault) }),
        };
        told.changes = naive.describe_changes(state, &next).iter().map(ToString::to_string).collect();
        let (before, after) = (processes(naive, state), processes(naive, &next));
        told.ended = before.iter().filter(|old| !after.contains(old)).map(|process| process.id).collect();
        told.started = after.into_iter().filter(|new| !before.contains(new)).collect();
        *state = next;
        Ok(Followed { step: told, fault: None })
    }

    /// What is wrong with the state that the run is in, or with the step to it.
    pub fn ending(&self, claimed: Option<&str>) -> Option<Ending> {
        let Self { model, naive, state, .. } = self;
        // What others could do in the last state is not looked at in vain: the search may not have had the time
        // for it.
        let deadlock_is_meant = claimed == Some(FaultKind::Deadlock.as_str()) && naive.deadlocked(state);
        let violated = match naive.check(state) {
            Err(Stopped::Fault(fault)) => Some(fault),
            _ => None,
        };
        let faults: Vec<NaiveFault> = state.soft_fault().cloned().into_iter().chain(violated).collect();
        let meant = faults.iter().find(|fault| claimed == Some(fault.kind.as_str())).or(faults.first());
        if let Some(fault) = meant.filter(|_| !deadlock_is_meant) {
            return Some(ending(model, fault));
        }
        (deadlock_is_meant || naive.deadlocked(state)).then(|| {
            let blocked = naive.unfinished(state).into_iter().filter_map(|id| {
                let location = &model.program.locations[state.threads[&id].frames.last()?.location];
                let thread = naive.thread_name(state, id);
                Some(Blocked { thread, location: place_of(model, location.span) })
            });
            Ending {
                kind: FaultKind::Deadlock.to_string(),
                message: model.dialect().deadlock.to_owned(),
                location: None,
                blocked: blocked.collect(),
                fault: FaultKind::Deadlock,
            }
        })
    }
}

/// The threads that have not ended.
fn processes(naive: &Naive<'_>, state: &naive::State) -> Vec<Process> {
    let threads = state.threads.iter().filter(|(_, thread)| !thread.ended());
    threads.map(|(&id, _)| Process { id, name: naive.thread_name(state, id) }).collect()
}

/// A state in words, line by line.
pub fn lines(naive: &Naive<'_>, state: &naive::State) -> Vec<String> {
    naive.describe_state(state).lines().map(str::to_owned).collect()
}

pub fn ending(model: &Model, fault: &NaiveFault) -> Ending {
    Ending {
        kind: fault.kind.to_string(),
        message: fault.message.clone(),
        location: Some(place_of(model, fault.span)),
        blocked: Vec::new(),
        fault: fault.kind,
    }
}
