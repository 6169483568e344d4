//! Single runs: at random, or as a user chooses.

mod condition;
mod find;
mod interactive;
mod look;

use std::ops::ControlFlow;

use search::{WalkEnd, Walked, Walker};
use system::{Bound, Step};

pub use condition::{Condition, UNTIL, Watch};
pub use find::Found;
pub use interactive::{Chosen, Interactive, Paused};
pub use look::{Choice, Mobility};

use crate::config::Bounds;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::replay::{Missed, Run, ending, interpreter};
use crate::trace::{Trace, TraceStep};

/// How a run ended that was taken at random, as the plain interpreter confirms it.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The run without its steps.
    pub trace: Trace,
    /// How many steps were taken.
    pub steps: u64,
    pub end: SimulationEnd,
}

/// Why a run that was taken at random ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SimulationEnd {
    /// The condition that was to be reached holds.
    Reached,
    /// That condition cannot be evaluated in the last state, for this reason.
    Undecided(String),
    /// All threads ended.
    Ended,
    /// The trace says what is wrong.
    Violation,
    /// The next step exceeds a bound.
    Truncated(Bound),
    /// To evaluate an invariant in the last state exceeds a bound.
    Unevaluated(Bound),
    /// As many steps were taken as were asked for.
    Steps,
    /// `visit` broke it off.
    BrokenOff,
}

/// The trace of a run that has no steps yet.
pub fn beginning(model: &Model, bounds: Bounds) -> Trace {
    Run::new(model, interpreter(model, bounds)).beginning()
}

/// What a run is like that is taken at random.
#[derive(Clone, Copy, Default)]
pub struct RandomRun<'a> {
    pub seed: u64,
    /// The greatest number of random steps.
    pub max_steps: u64,
    /// The steps that the run begins with.
    pub prefix: &'a [Step],
    /// The run ends in the first state behind the prefix in which this holds.
    pub until: Option<&'a Condition>,
}

/// Takes up to `max_steps` random steps. The plain interpreter takes each of them as well, and hands it to
/// `visit` in words. No step is kept.
pub fn random(
    model: &Model,
    bounds: Bounds,
    seed: u64,
    max_steps: u64,
    visit: impl FnMut(Step, TraceStep) -> ControlFlow<()>,
) -> Result<Simulated, CheckError> {
    random_run(model, bounds, &RandomRun { seed, max_steps, ..RandomRun::default() }, visit)
}

/// Makes a run as [`random`] does, perhaps behind given steps and up to a condition.
pub fn random_run(
    model: &Model,
    bounds: Bounds,
    how: &RandomRun<'_>,
    mut visit: impl FnMut(Step, TraceStep) -> ControlFlow<()>,
) -> Result<Simulated, CheckError> {
    let engine = engine(model, bounds)?;
    let mut walker = Walker::new(&engine, how.seed, how.max_steps);
    let mut run = Run::new(model, interpreter(model, bounds));
    let mut watch = how.until.map(|condition| condition.watch(bounds));
    let mut trace = run.beginning();
    let mut steps = 0;
    let otherwise = |steps: u64, reason: &dyn std::fmt::Display| {
        CheckError::Internal(format!("the plain interpreter runs otherwise: step {}: {reason}", steps + 1))
    };
    let mut prefix = how.prefix.iter();
    let (end, fault) = loop {
        let given = prefix.next().copied();
        let is_left = prefix.len() > 0;
        if let (None, Some(watch)) = (given, &watch) {
            match watch.holds() {
                Ok(true) => break (SimulationEnd::Reached, None),
                Ok(false) => {}
                Err(reason) => break (SimulationEnd::Undecided(reason), None),
            }
        }
        let Walked { step, end } = match given {
            Some(step) => Walked { step: Some(step), end: None },
            None => walker.walk(),
        };
        let end = end.map(|end| match end {
            WalkEnd::Ended => SimulationEnd::Ended,
            WalkEnd::Fault(_) => SimulationEnd::Violation,
            WalkEnd::Truncated(bound) => SimulationEnd::Truncated(bound),
            WalkEnd::Unevaluated(bound) => SimulationEnd::Unevaluated(bound),
            WalkEnd::Steps => SimulationEnd::Steps,
        });
        let Some(step) = step else { break (end.unwrap_or(SimulationEnd::Steps), None) };
        let misfit = |reason: &dyn std::fmt::Display| {
            let (at, of) = (steps + 1, how.prefix.len());
            CheckError::Refused(format!("the trail does not fit the model: step {at} of {of}: {reason}"))
        };
        let taken = match (run.take(step), end.as_ref()) {
            (Err(missed), _) if given.is_some() => return Err(misfit(&missed)),
            (Err(Missed::Truncated(bound)), Some(SimulationEnd::Truncated(other))) if bound == *other => {
                break (SimulationEnd::Truncated(bound), None);
            }
            (Err(missed), _) => return Err(otherwise(steps, &missed)),
            (Ok(_), Some(SimulationEnd::Truncated(_))) => {
                return Err(otherwise(steps, &"no bound is exceeded"));
            }
            (Ok(taken), _) => taken,
        };
        if let Some(fault) = taken.fault.as_ref().filter(|_| is_left) {
            return Err(misfit(&format!("{}, but the trail goes on", fault.message)));
        }
        steps += 1;
        let is_over = visit(step, taken.step).is_break();
        if let Some(fault) = taken.fault {
            break (SimulationEnd::Violation, Some(fault));
        }
        if watch.as_mut().is_some_and(|watch| !watch.take(step)) {
            return Err(otherwise(steps - 1, &"the model with the condition does not follow"));
        }
        let end = if given.is_some() {
            let met = walker.follow(step);
            match (met, run.state.soft_fault()) {
                (None, None) => None,
                (Some(WalkEnd::Fault(_)), Some(_)) if is_left => None,
                (Some(WalkEnd::Fault(_)), Some(_)) => Some(SimulationEnd::Violation),
                _ => return Err(otherwise(steps - 1, &"only one of both meets a fault")),
            }
        } else {
            end
        };
        match end {
            Some(end) => break (end, None),
            None if is_over => break (SimulationEnd::BrokenOff, None),
            None => {}
        }
    };
    trace.ends_in = match fault {
        Some(fault) => Some(ending(model, &fault)),
        None => run.ending(None),
    };
    let trace = run.ended(trace);
    if end == SimulationEnd::Violation && trace.ends_in.is_none() {
        return Err(otherwise(steps, &"nothing is wrong with it"));
    }
    Ok(Simulated { trace, steps, end })
}
