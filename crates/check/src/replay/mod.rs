//! Runs of a model on the plain interpreter.
//!
//! Nothing is reported that was not replayed. The searches, stores, encodings and the fast engine all stand
//! between a model and a violation; a [`Run`] needs none of them. It is made once: a [source](StepSource)
//! gives its steps in the terms of the model, whatever program was searched; a [reader](Reader) looks at each
//! of its states; and each step is put into words on the way. No state of it is kept but the last one, since
//! runs may be long.

mod confirm;
mod explain;
mod lasso;
mod marked;
mod merged;
mod waiting;

use std::fmt;
use std::ops::ControlFlow::{self, Continue};

use naive::{Fired, Naive, NaiveFault, State, Stopped};
use system::{Bound, Step};

pub use confirm::{Confirmed, Found, confirm, replay_property, replay_property_each};
pub use explain::ending;
pub use lasso::{Claimed, Cycle, Word};
pub use marked::MarkedSteps;
pub use merged::{MergedSteps, passed};

use crate::config::{Bounds, OnBound};
use crate::model::Model;
use crate::trace::{Trace, TraceStep};
use explain::InTransit;
use waiting::Writers;

/// The plain interpreter of a model.
pub fn interpreter(model: &Model, bounds: Bounds) -> Naive<'_> {
    Naive {
        program: &model.program,
        bounds: bounds.sizes.into(),
        on_bound: match bounds.on_bound {
            OnBound::Truncate => naive::OnBound::Truncate,
            OnBound::Error => naive::OnBound::Fault,
        },
        alarm: None,
    }
}

/// A run of a model that the plain interpreter makes step by step.
#[derive(Clone)]
pub struct Run<'m> {
    pub model: &'m Model,
    /// Its program is that of the model, perhaps with further properties.
    pub naive: Naive<'m>,
    /// The state that the run is in.
    pub state: State,
    /// Whether each step comes with the state after it.
    pub shows_states: bool,
    in_transit: InTransit,
    writers: Writers,
}

/// A step that was taken, in words.
pub struct Taken {
    pub step: TraceStep,
    /// The fault of the step, if it has one. Then the run stays where it was.
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

impl<'m> Run<'m> {
    /// The run without steps.
    pub fn new(model: &'m Model, naive: Naive<'m>) -> Self {
        let (in_transit, writers) = Default::default();
        Self { model, naive, state: naive.initial(), shows_states: false, in_transit, writers }
    }

    /// Takes a step.
    pub fn take(&mut self, step: Step) -> Result<Taken, Missed> {
        let fired = self.naive.fire_recorded(&self.state, step);
        self.advance(step, fired)
    }

    /// Takes a step that was fired in the state that the run is in.
    fn advance(&mut self, step: Step, Fired { next, events }: Fired) -> Result<Taken, Missed> {
        let (next, fault) = match next {
            Err(Stopped::NotEnabled) => return Err(Missed::NotEnabled),
            Err(Stopped::Truncated(bound)) => return Err(Missed::Truncated(bound)),
            Err(Stopped::Abandoned) => return Err(Missed::Abandoned),
            Err(Stopped::Fault(fault)) => (None, Some(fault)),
            Ok(next) => (Some(next), None),
        };
        let mut step = self.explain(step, events, next.as_ref());
        if let Some(next) = next {
            self.in_transit.keep(&next);
            self.state = next;
        }
        if self.shows_states {
            (step.state, step.lines) = (Some(self.values()), self.lines());
        }
        Ok(Taken { step, fault })
    }
}

/// Where the steps of a run come from.
pub trait StepSource {
    /// The next step from the state that the run is in, unless the run ends there.
    fn next(&mut self, naive: &Naive<'_>, state: &State) -> Option<NextStep>;

    /// The number of steps that were searched and did not begin yet.
    fn left(&self) -> usize;

    /// Whether the run ends where a step of the model ends.
    fn is_whole(&self) -> bool {
        true
    }

    /// For a property of each thread of a procedure: the number of the thread among them, as soon as it is
    /// known.
    fn individual(&self) -> Option<u32> {
        None
    }
}

/// A step of a run that the plain interpreter fired.
pub struct NextStep {
    pub step: Step,
    pub fired: Fired,
    /// The number of steps of the search that have ended when this step ends, or in the middle of which it
    /// is.
    pub ends: usize,
}

/// A state of a run, and what is known about it.
pub struct Point<'r> {
    /// The number of steps so far.
    pub at: usize,
    pub state: &'r State,
    /// The step that leaves it. There is none at the end.
    pub next: Option<&'r NextStep>,
    pub individual: Option<u32>,
}

/// How a run ended that was followed.
pub enum End {
    /// All steps were taken.
    Whole,
    /// The last step faults.
    Fault(NaiveFault),
    /// It was broken off.
    BrokenOff,
}

/// Why a run was not followed to its end.
struct Deviation {
    /// The number of steps so far.
    at: usize,
    reason: Reason,
}

enum Reason {
    Missed(Missed),
    /// The step faults, but the run goes on.
    Fault(NaiveFault),
    /// It does not violate the property that it is said to violate.
    Refuted(String),
}

/// Makes a run: takes all steps of `source`, and hands each to `visit`. `word` reads all states, if a
/// property is to be violated.
fn follow(
    run: &mut Run<'_>,
    source: &mut dyn StepSource,
    mut word: Option<&mut Word<'_>>,
    mut visit: impl FnMut(Step, TraceStep) -> ControlFlow<()>,
) -> Result<End, Deviation> {
    let mut at = 0;
    loop {
        let next = source.next(&run.naive, &run.state);
        let deviation = |reason| Deviation { at, reason };
        let point = Point { at, state: &run.state, next: next.as_ref(), individual: source.individual() };
        if let Some(word) = &mut word {
            word.read(&point).map_err(|reason| deviation(Reason::Refuted(reason)))?;
        }
        let Some(NextStep { step, fired, .. }) = next else { return Ok(End::Whole) };
        let Taken { step: words, fault } =
            run.advance(step, fired).map_err(|missed| deviation(Reason::Missed(missed)))?;
        if visit(step, words).is_break() {
            return Ok(End::BrokenOff);
        }
        match fault {
            None => at += 1,
            Some(fault) if source.left() > 0 => return Err(deviation(Reason::Fault(fault))),
            Some(fault) => return Ok(End::Fault(fault)),
        }
    }
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

impl Deviation {
    /// The deviation of a run of `of` steps.
    fn diverged(self, of: usize) -> Diverged {
        let reason = match self.reason {
            Reason::Missed(missed) => missed.to_string(),
            Reason::Fault(fault) => format!("{}, but the trail goes on", fault.message),
            Reason::Refuted(reason) => reason,
        };
        Diverged { at: self.at, of, reason }
    }
}

/// Runs `steps` on the plain interpreter.
///
/// The end can be wrong in several ways at once: the last step violates a check, an invariant is broken, no
/// thread can move. `claimed`, a kind of violation, says which one is meant; otherwise it is the first in
/// this order.
pub fn replay(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    claimed: Option<&str>,
) -> Result<Trace, Diverged> {
    let mut kept = Vec::new();
    let trace = replay_each(model, bounds, steps, claimed, |step| {
        kept.push(step);
        Continue(())
    })?;
    Ok(Trace { steps: kept, ..trace })
}

/// Runs `steps` as [`replay`] does, but hands the steps to `visit`, one after the other, instead of keeping
/// them: the trace has none. If `visit` breaks off, the trace ends there and in nothing wrong.
pub fn replay_each(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    claimed: Option<&str>,
    visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, Diverged> {
    follow_each(model, bounds, steps, claimed, false, visit)
}

/// Runs `steps` as [`replay_each`] does; each step comes with the state after it.
pub fn replay_states(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, Diverged> {
    follow_each(model, bounds, steps, None, true, visit)
}

fn follow_each(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    claimed: Option<&str>,
    shows_states: bool,
    mut visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, Diverged> {
    let steps: Vec<Step> = steps.into_iter().collect();
    let mut run = Run { shows_states, ..Run::new(model, interpreter(model, bounds)) };
    let trace = run.beginning();
    let end = follow(&mut run, &mut MergedSteps::of_model(&steps), None, |_, words| visit(words))
        .map_err(|deviation| deviation.diverged(steps.len()))?;
    let ends_in = match end {
        End::Whole => run.ending(claimed),
        End::Fault(fault) => Some(ending(model, &fault)),
        End::BrokenOff => None,
    };
    Ok(run.ended(Trace { ends_in, ..trace }))
}
