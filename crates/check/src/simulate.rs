//! Single runs: at random, or as somebody chooses.

use std::ops::ControlFlow;

use naive::{Naive, State, Stopped};
use search::{WalkEnd, Walked, Walker};
use system::{Bound, Step};

use crate::config::Bounds;
use crate::dialect::place_of_step;
use crate::model::Model;
use crate::narrate::Narrator;
use crate::pipeline::{CheckError, engine};
use crate::report::Place;
use crate::trace::{Follower, Missed, Trace, TraceStep, ending, interpreter, lines};

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
    /// The trace tells what is wrong.
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
    Follower::new(model, bounds).beginning()
}

/// Takes up to `max_steps` random steps. The plain interpreter takes each of them as well, and tells `visit`
/// of it. Nothing is kept of a step that was told.
pub fn random(
    model: &Model,
    bounds: Bounds,
    seed: u64,
    max_steps: u64,
    mut visit: impl FnMut(Step, TraceStep) -> ControlFlow<()>,
) -> Result<Simulated, CheckError> {
    let engine = engine(model, bounds)?;
    let mut walker = Walker::new(&engine, seed, max_steps);
    let mut follower = Follower::new(model, bounds);
    let mut trace = follower.beginning();
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
        match (follower.take(step), end) {
            (Err(Missed::Truncated(bound)), Some(SimulationEnd::Truncated(other))) if bound == other => {
                break (end, None);
            }
            (Err(missed), _) => return Err(otherwise(steps, &missed)),
            (Ok(_), Some(SimulationEnd::Truncated(_))) => {
                return Err(otherwise(steps, &"no bound is exceeded"));
            }
            (Ok(followed), _) => {
                steps += 1;
                let is_over = visit(step, followed.step).is_break();
                match (followed.fault, end) {
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
        None => follower.ending(None),
    };
    trace.last = follower.lines();
    let end = end.unwrap_or(SimulationEnd::Steps);
    if end == SimulationEnd::Violation && trace.ends_in.is_none() {
        return Err(otherwise(steps, &"nothing is wrong with it"));
    }
    Ok(Simulated { trace, steps, end })
}

/// A run that goes where its user wants.
pub struct Interactive<'m> {
    model: &'m Model,
    naive: Naive<'m>,
    narrator: Option<Narrator<'m>>,
    states: Vec<State>,
    pub steps: Vec<Step>,
}

/// A step that can be chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    pub step: Step,
    pub thread: String,
    /// Of a rendezvous: who receives.
    pub partner: Option<String>,
    pub location: Place,
    /// Of the test of an `if` or `while`: which way it goes.
    pub test: Option<bool>,
    /// Taking it ends in a fault.
    pub faults: bool,
}

/// What a chosen step did and said.
#[derive(Clone, Debug)]
pub enum Chosen {
    Moved(Vec<String>),
    Stopped(String),
}

impl<'m> Interactive<'m> {
    pub fn new(model: &'m Model, bounds: Bounds) -> Result<Self, CheckError> {
        engine(model, bounds)?;
        let naive = interpreter(model, bounds);
        let states = vec![naive.initial()];
        Ok(Self { model, naive, narrator: Narrator::of(naive), states, steps: Vec::new() })
    }

    fn state(&self) -> &State {
        self.states.last().expect("the initial state stays")
    }

    pub fn describe(&self) -> Vec<String> {
        lines(&self.naive, self.state())
    }

    pub fn choices(&mut self) -> Vec<Choice> {
        let Self { model, naive, narrator, states, .. } = self;
        let state = states.last().expect("the initial state stays");
        let (enabled, faults) = naive.steps(state);
        let mut choice = |step: Step, faults| {
            let partner = narrator.as_mut().and_then(|narrator| narrator.partner(state, step));
            Choice {
                step,
                thread: naive.thread_name(state, step.thread),
                partner: partner.map(|(thread, _)| naive.thread_name(state, thread)),
                location: place_of_step(model, ir::TransitionId(step.transition)),
                test: model.test_outcome(ir::TransitionId(step.transition)),
                faults,
            }
        };
        let steps = enabled.into_iter().map(|step| (step, false));
        steps
            .chain(faults.into_iter().map(|(step, _)| (step, true)))
            .map(|(step, faults)| choice(step, faults))
            .collect()
    }

    /// What is wrong with the state, in words.
    pub fn wrong(&self) -> Option<String> {
        let state = self.state();
        match state
            .soft_fault()
            .cloned()
            .map_or_else(|| self.naive.check(state), |soft_fault| Err(Stopped::Fault(soft_fault)))
        {
            Err(Stopped::Fault(fault)) => Some(fault.to_string()),
            _ if self.naive.deadlocked(state) => Some(format!("deadlock: {}", self.model.dialect().deadlock)),
            Err(Stopped::Truncated(bound)) => {
                Some(format!("an invariant is not evaluated: it exceeds the bound on {}", bound.as_str()))
            }
            Ok(()) | Err(Stopped::NotEnabled | Stopped::Abandoned) => None,
        }
    }

    pub fn take(&mut self, step: Step) -> Chosen {
        let state = self.states.last().expect("the initial state stays");
        let told = self.narrator.as_mut().map(|narrator| narrator.tell(state, step));
        match self.naive.fire(self.state(), step) {
            Ok(next) => {
                let printed = told.map(|told| told.printed).unwrap_or_default();
                let mut lines: Vec<String> = printed.lines().map(|line| format!("prints: {line}")).collect();
                let changes = self.naive.describe_changes(self.state(), &next);
                lines.extend(changes.iter().map(ToString::to_string));
                self.states.push(next);
                self.steps.push(step);
                Chosen::Moved(lines)
            }
            Err(Stopped::Fault(fault)) => Chosen::Stopped(fault.to_string()),
            Err(Stopped::Truncated(bound)) => {
                Chosen::Stopped(format!("exceeds the bound on {}", bound.as_str()))
            }
            Err(Stopped::NotEnabled | Stopped::Abandoned) => Chosen::Stopped("not possible here".to_owned()),
        }
    }

    /// Takes the last step back.
    pub fn back(&mut self) -> bool {
        if self.steps.pop().is_some() {
            self.states.pop();
            return true;
        }
        false
    }
}
