//! Single runs: at random, or as somebody chooses.

use naive::{Naive, State, Stopped};
use search::{Walk, WalkEnd};
use system::{Bound, Step};

use crate::config::Bounds;
use crate::model::Model;
use crate::narrate::Narrator;
use crate::pipeline::{CheckError, engine};
use crate::report::Place;
use crate::trace::{Trace, interpreter, lines, place_of_step, replay, stuck};

/// A run that was taken at random, as the plain interpreter confirms it.
#[derive(Clone, Debug)]
pub struct Simulated {
    pub trace: Trace,
    pub steps: Vec<Step>,
    /// The run ended because its next step exceeds this bound.
    pub truncated: Option<Bound>,
    /// The run ended because evaluating an invariant in its last state exceeds this bound.
    pub unevaluated: Option<Bound>,
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
    let unevaluated = match end {
        WalkEnd::Unevaluated(bound) => Some(bound),
        _ => None,
    };
    Ok(Simulated { trace, steps, truncated, unevaluated, ended: end == WalkEnd::Ended })
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
        match state.flaw().cloned().map_or_else(|| self.naive.check(state), |flaw| Err(Stopped::Fault(flaw)))
        {
            Err(Stopped::Fault(fault)) => Some(fault.to_string()),
            _ if self.naive.deadlocked(state) => Some(format!("deadlock: {}", stuck(self.model))),
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
