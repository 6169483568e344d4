//! Single runs: at random, or as somebody chooses.

use naive::{Naive, State, Stopped};
use search::{Walk, WalkEnd};
use system::{Bound, Step};

use crate::config::Bounds;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::report::Place;
use crate::trace::{Trace, interpreter, lines, replay};

/// A run that was taken at random, as the plain interpreter confirms it.
#[derive(Clone, Debug)]
pub struct Simulated {
    pub trace: Trace,
    pub steps: Vec<Step>,
    /// The run ended because its next step exceeds this bound.
    pub truncated: Option<Bound>,
    /// The run ended because all threads did.
    pub ended: bool,
}

/// Takes up to `max_steps` random steps.
pub fn random(model: &Model, bounds: Bounds, seed: u64, max_steps: usize) -> Result<Simulated, CheckError> {
    let engine = engine(model, bounds)?;
    let Walk { trail, end } = search::walk(&engine, seed, max_steps);
    let mut steps = trail.steps;
    let truncated = match end {
        WalkEnd::Truncated(bound) => {
            steps.pop();
            Some(bound)
        }
        _ => None,
    };
    let trace = replay(model, bounds, steps.iter().copied(), None).map_err(|diverged| {
        CheckError::Internal(format!("the plain interpreter runs otherwise: {diverged}"))
    })?;
    Ok(Simulated { trace, steps, truncated, ended: end == WalkEnd::Ended })
}

/// A run that goes where its user wants.
pub struct Interactive<'m> {
    model: &'m Model,
    naive: Naive<'m>,
    states: Vec<State>,
    pub steps: Vec<Step>,
}

/// A step that can be chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    pub step: Step,
    pub thread: String,
    pub location: Place,
    /// Of the test of an `if` or `while`: which way it goes.
    pub test: Option<bool>,
    /// Taking it ends in a fault.
    pub faults: bool,
}

/// What a chosen step did.
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
        Ok(Self { model, naive, states, steps: Vec::new() })
    }

    fn state(&self) -> &State {
        self.states.last().expect("the initial state stays")
    }

    pub fn describe(&self) -> Vec<String> {
        lines(&self.naive, self.state())
    }

    pub fn choices(&self) -> Vec<Choice> {
        let state = self.state();
        let (enabled, faults) = self.naive.steps(state);
        let choice = |step: Step, faults| Choice {
            step,
            thread: self.naive.thread_name(state, step.thread),
            location: self.model.place_of_step(ir::TransitionId(step.transition)),
            test: self.model.test_outcome(ir::TransitionId(step.transition)),
            faults,
        };
        let enabled = enabled.into_iter().map(|step| choice(step, false));
        enabled.chain(faults.into_iter().map(|(step, _)| choice(step, true))).collect()
    }

    /// What is wrong with the state, in words.
    pub fn wrong(&self) -> Option<String> {
        let state = self.state();
        match self.naive.check(state) {
            Some(fault) => Some(fault.to_string()),
            None if self.naive.deadlocked(state) => Some("deadlock: no thread can move".to_owned()),
            None => None,
        }
    }

    pub fn take(&mut self, step: Step) -> Chosen {
        match self.naive.fire(self.state(), step) {
            Ok(next) => {
                let changes = self.naive.describe_changes(self.state(), &next);
                let changes = changes.iter().map(ToString::to_string).collect();
                self.states.push(next);
                self.steps.push(step);
                Chosen::Moved(changes)
            }
            Err(Stopped::Fault(fault)) => Chosen::Stopped(fault.to_string()),
            Err(Stopped::Truncated(bound)) => {
                Chosen::Stopped(format!("exceeds the bound on {}", bound.as_str()))
            }
            Err(Stopped::NotEnabled) => Chosen::Stopped("not possible here".to_owned()),
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
