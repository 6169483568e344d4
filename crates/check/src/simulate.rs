//! Single runs: at random, or as a user chooses.

use std::ops::ControlFlow;

use naive::{State, Stopped};
use search::{WalkEnd, Walked, Walker};
use system::{Bound, Step};

use crate::config::Bounds;
use crate::dialect::place_of_step;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::replay::{Missed, Run, Taken, ending, interpreter};
use crate::report::Place;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SimulationEnd {
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

/// Takes up to `max_steps` random steps. The plain interpreter takes each of them as well, and hands it to
/// `visit` in words. No step is kept.
pub fn random(
    model: &Model,
    bounds: Bounds,
    seed: u64,
    max_steps: u64,
    mut visit: impl FnMut(Step, TraceStep) -> ControlFlow<()>,
) -> Result<Simulated, CheckError> {
    let engine = engine(model, bounds)?;
    let mut walker = Walker::new(&engine, seed, max_steps);
    let mut run = Run::new(model, interpreter(model, bounds));
    let mut trace = run.beginning();
    let mut steps = 0;
    let otherwise = |steps: u64, reason: &dyn std::fmt::Display| {
        CheckError::Internal(format!("the plain interpreter runs otherwise: step {}: {reason}", steps + 1))
    };
    let (end, fault) = loop {
        let Walked { step, end } = walker.walk();
        let end = end.map(|end| match end {
            WalkEnd::Ended => SimulationEnd::Ended,
            WalkEnd::Fault(_) => SimulationEnd::Violation,
            WalkEnd::Truncated(bound) => SimulationEnd::Truncated(bound),
            WalkEnd::Unevaluated(bound) => SimulationEnd::Unevaluated(bound),
            WalkEnd::Steps => SimulationEnd::Steps,
        });
        let Some(step) = step else { break (end, None) };
        match (run.take(step), end) {
            (Err(Missed::Truncated(bound)), Some(SimulationEnd::Truncated(other))) if bound == other => {
                break (end, None);
            }
            (Err(missed), _) => return Err(otherwise(steps, &missed)),
            (Ok(_), Some(SimulationEnd::Truncated(_))) => {
                return Err(otherwise(steps, &"no bound is exceeded"));
            }
            (Ok(taken), _) => {
                steps += 1;
                let is_over = visit(step, taken.step).is_break();
                match (taken.fault, end) {
                    (Some(fault), _) => break (Some(SimulationEnd::Violation), Some(fault)),
                    (None, Some(_)) => break (end, None),
                    (None, None) if is_over => break (Some(SimulationEnd::BrokenOff), None),
                    (None, None) => {}
                }
            }
        }
    };
    trace.ends_in = match fault {
        Some(fault) => Some(ending(model, &fault)),
        None => run.ending(None),
    };
    let trace = run.ended(trace);
    let end = end.unwrap_or(SimulationEnd::Steps);
    if end == SimulationEnd::Violation && trace.ends_in.is_none() {
        return Err(otherwise(steps, &"nothing is wrong with it"));
    }
    Ok(Simulated { trace, steps, end })
}

/// A run that goes where its user wants.
pub struct Interactive<'m> {
    run: Run<'m>,
    /// The states before that of the run.
    past: Vec<State>,
    pub steps: Vec<Step>,
}

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
    /// Taking it ends in a fault.
    pub faults: bool,
}

/// What a chosen step did and printed.
#[derive(Clone, Debug)]
pub enum Chosen {
    Moved(Vec<String>),
    Stopped(String),
}

impl<'m> Interactive<'m> {
    pub fn new(model: &'m Model, bounds: Bounds) -> Result<Self, CheckError> {
        engine(model, bounds)?;
        let run = Run::new(model, interpreter(model, bounds));
        Ok(Self { run, past: Vec::new(), steps: Vec::new() })
    }

    pub fn describe(&self) -> Vec<String> {
        self.run.lines()
    }

    pub fn choices(&self) -> Vec<Choice> {
        let Run { model, naive, state, .. } = &self.run;
        let (enabled, faults) = naive.steps(state);
        let choice = |(step, faults): (Step, bool)| {
            let partner = naive.fire_recorded(state, step).events.partner;
            Choice {
                step,
                thread: naive.thread_name(state, step.thread),
                partner: partner.map(|(thread, _)| naive.thread_name(state, thread)),
                location: place_of_step(model, ir::TransitionId(step.transition)),
                test: model.test_outcome(ir::TransitionId(step.transition)),
                faults,
            }
        };
        let enabled = enabled.into_iter().map(|step| (step, false));
        enabled.chain(faults.into_iter().map(|(step, _)| (step, true))).map(choice).collect()
    }

    /// What is wrong with the state, in words.
    pub fn wrong(&self) -> Option<String> {
        let Run { model, naive, state, .. } = &self.run;
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

    pub fn take(&mut self, step: Step) -> Chosen {
        let before = self.run.state.clone();
        match self.run.take(step) {
            Ok(Taken { fault: Some(fault), .. }) => Chosen::Stopped(fault.to_string()),
            Ok(Taken { step: TraceStep { printed, changes, .. }, fault: None }) => {
                self.past.push(before);
                self.steps.push(step);
                let printed = printed.iter().flat_map(|text| text.lines());
                Chosen::Moved(printed.map(|line| format!("prints: {line}")).chain(changes).collect())
            }
            Err(Missed::Truncated(bound)) => {
                Chosen::Stopped(format!("exceeds the bound on {}", bound.as_str()))
            }
            Err(Missed::NotEnabled | Missed::Abandoned) => Chosen::Stopped("not possible here".to_owned()),
        }
    }

    /// Takes the last step back.
    pub fn back(&mut self) -> bool {
        let Some(state) = self.past.pop() else { return false };
        self.run.state = state;
        self.steps.pop();
        true
    }
}
