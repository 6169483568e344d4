//! Runs that go where their users want: forwards step by step, at random, and back.

use std::ops::ControlFlow;

use bits::SplitMix64;
use naive::State;
use system::Step;

use super::{Choice, Condition, Mobility, Watch};
use crate::config::Bounds;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::replay::{Missed, Run, Taken, interpreter};
use crate::trace::TraceStep;

/// A run that goes where its user wants.
pub struct Interactive<'m> {
    bounds: Bounds,
    run: Run<'m>,
    /// The steps so far, and then those that were taken back.
    steps: Vec<Step>,
    /// The number of steps so far.
    at: usize,
    marks: Marks<'m>,
    random: SplitMix64,
    /// The state that the user looked at last.
    seen: State,
}

/// The run at some of its points, so that every point can be reached again by a few steps.
struct Marks<'m> {
    /// At every multiple of the spacing, in order.
    points: Vec<Run<'m>>,
    spacing: usize,
}

/// When there are this many marks, every other one is dropped.
const MOST_MARKS: usize = 256;

impl<'m> Marks<'m> {
    fn new(initial: Run<'m>) -> Self {
        Self { points: vec![initial], spacing: 16 }
    }

    /// Keeps the run if its number of steps is the next one at which it is kept.
    fn keep(&mut self, at: usize, run: &Run<'m>) {
        if at != self.points.len() * self.spacing {
            return;
        }
        self.points.push(run.clone());
        if self.points.len() > MOST_MARKS {
            self.spacing *= 2;
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }

    /// Drops what is behind this number of steps: the run goes another way from there.
    fn cut(&mut self, at: usize) {
        self.points.truncate(at / self.spacing + 1);
    }

    /// The last point up to this number of steps, and its number.
    fn before(&self, at: usize) -> (usize, Run<'m>) {
        let index = (at / self.spacing).min(self.points.len() - 1);
        (index * self.spacing, self.points[index].clone())
    }
}

/// What became of a step.
#[derive(Clone, Debug)]
pub enum Chosen {
    Moved(Box<TraceStep>),
    /// The step is not taken, for this reason.
    Stopped(String),
}

/// Why random steps ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Paused {
    /// As many steps were taken as were asked for.
    Steps,
    /// The condition holds.
    Reached,
    /// The condition cannot be evaluated, for this reason.
    Undecided(String),
    /// There are no steps.
    NoSteps,
    /// Something is wrong with the state: [`Interactive::wrong`] says what.
    Wrong,
    /// The next step is not taken, for this reason.
    Stopped(String),
    /// `visit` broke off.
    BrokenOff,
}

impl<'m> Interactive<'m> {
    pub fn new(model: &'m Model, bounds: Bounds, seed: u64) -> Result<Self, CheckError> {
        engine(model, bounds)?;
        let run = Run::new(model, interpreter(model, bounds));
        let (marks, seen) = (Marks::new(run.clone()), run.state.clone());
        Ok(Self { bounds, run, steps: Vec::new(), at: 0, marks, random: SplitMix64::new(seed), seen })
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.at]
    }

    /// The number of steps that were taken back and can be taken again.
    pub fn taken_back(&self) -> usize {
        self.steps.len() - self.at
    }

    /// The state, line by line.
    pub fn describe(&mut self) -> Vec<String> {
        self.seen = self.run.state.clone();
        self.run.lines()
    }

    /// What is different from the state that the user looked at last, or from that after a number of steps.
    pub fn differences(&mut self, since: Option<usize>) -> Vec<String> {
        let before = match since {
            Some(at) => self.point(at).state,
            None => self.seen.clone(),
        };
        self.seen = self.run.state.clone();
        let Run { naive, state, .. } = &self.run;
        let mut lines: Vec<String> =
            naive.describe_changes(&before, state).iter().map(ToString::to_string).collect();
        let places = |state: &State| {
            let place =
                |thread: naive::ThreadView| Some((thread.name, thread.frames.last()?.location_name.clone()));
            naive.view(state).threads.into_iter().filter_map(place).collect::<Vec<_>>()
        };
        let (old, new) = (places(&before), places(state));
        for (thread, to) in new {
            let from = old.iter().find(|(other, _)| *other == thread).map(|(_, from)| from);
            if let Some(from) = from.filter(|from| **from != to) {
                lines.push(format!("{thread} at {from} → {to}"));
            }
        }
        lines
    }

    pub fn take(&mut self, step: Step) -> Chosen {
        match self.run.take(step) {
            Ok(Taken { fault: Some(fault), .. }) => Chosen::Stopped(fault.to_string()),
            Ok(Taken { step: words, fault: None }) => {
                if self.steps.get(self.at) != Some(&step) {
                    self.steps.truncate(self.at);
                    self.marks.cut(self.at);
                    self.steps.push(step);
                }
                self.at += 1;
                self.marks.keep(self.at, &self.run);
                Chosen::Moved(Box::new(words))
            }
            Err(Missed::Truncated(bound)) => {
                Chosen::Stopped(format!("exceeds the bound on {}", bound.as_str()))
            }
            Err(Missed::NotEnabled | Missed::Abandoned) => Chosen::Stopped("not possible here".to_owned()),
        }
    }

    /// The run after a number of its steps, or of those that were taken back.
    fn point(&self, at: usize) -> Run<'m> {
        let (from, mut run) = self.marks.before(at);
        for &step in &self.steps[from..at] {
            // It was taken before.
            drop(run.take(step));
        }
        run
    }

    /// Goes to the point after a number of steps, back or forth. Returns false if there are not that many.
    pub fn go_to(&mut self, at: usize) -> bool {
        if at > self.steps.len() {
            return false;
        }
        (self.run, self.at) = (self.point(at), at);
        true
    }

    /// Takes random steps, at most `most`, until `until` holds or something is wrong.
    pub fn walk(
        &mut self,
        most: u64,
        until: Option<&Condition>,
        mut visit: impl FnMut(TraceStep) -> ControlFlow<()>,
    ) -> Paused {
        let mut watch = until.map(|condition| condition.watch(self.bounds));
        let follows =
            watch.as_mut().is_none_or(|watch| self.steps[..self.at].iter().all(|&step| watch.take(step)));
        if !follows {
            return Paused::Undecided("it does not follow the steps so far".to_owned());
        }
        for _ in 0..most {
            let (enabled, faults) = self.run.naive.steps(&self.run.state);
            // A guard that faults is an error of the state.
            let step = faults.first().map(|(step, _)| *step);
            let Some(step) = step.or_else(|| self.random.choose(&enabled).copied()) else {
                return Paused::NoSteps;
            };
            match self.take(step) {
                Chosen::Stopped(reason) => return Paused::Stopped(reason),
                Chosen::Moved(words) => {
                    if visit(*words).is_break() {
                        return Paused::BrokenOff;
                    }
                }
            }
            if let Some(watch) = &mut watch {
                if !watch.take(step) {
                    return Paused::Undecided("it does not follow the last step".to_owned());
                }
                match watch.holds() {
                    Ok(true) => return Paused::Reached,
                    Ok(false) => {}
                    Err(reason) => return Paused::Undecided(reason),
                }
            }
            if self.wrong().is_some() {
                return Paused::Wrong;
            }
        }
        Paused::Steps
    }

    /// Whether a condition holds in the state.
    pub fn holds(&self, condition: &Condition) -> Result<bool, String> {
        let mut watch: Watch<'_> = condition.watch(self.bounds);
        if self.steps().iter().all(|&step| watch.take(step)) {
            watch.holds()
        } else {
            Err("it does not follow the steps so far".to_owned())
        }
    }

    /// Replaces the run by another one. If its last step faults, the run stays before that step, and the
    /// reason is returned. If the steps are not a run of the model, nothing changes.
    pub fn load(&mut self, steps: &[Step]) -> Result<Option<String>, String> {
        let (_, initial) = self.marks.before(0);
        let mut run = initial.clone();
        let mut marks = Marks::new(initial);
        let (mut taken, mut stopped) = (0, None);
        for (index, &step) in steps.iter().enumerate() {
            let misfit =
                |reason: &dyn std::fmt::Display| format!("step {} of {}: {reason}", index + 1, steps.len());
            match run.take(step) {
                Err(missed) => return Err(misfit(&missed)),
                Ok(Taken { fault: Some(fault), .. }) if index + 1 == steps.len() => {
                    stopped = Some(fault.to_string());
                }
                Ok(Taken { fault: Some(fault), .. }) => {
                    return Err(misfit(&format!("{}, but the trail goes on", fault.message)));
                }
                Ok(Taken { fault: None, .. }) => {
                    taken = index + 1;
                    marks.keep(taken, &run);
                }
            }
        }
        (self.run, self.marks, self.at) = (run, marks, taken);
        self.steps = steps[..taken].to_vec();
        Ok(stopped)
    }

    pub fn choices(&self) -> Vec<Choice> {
        self.run.choices()
    }

    /// What is wrong with the state, in words.
    pub fn wrong(&self) -> Option<String> {
        self.run.wrong()
    }

    /// The threads that have not ended, by their names.
    pub fn threads(&self) -> Vec<String> {
        self.run.threads()
    }

    /// Whether a thread can move, and why not. Threads are called by their names or by their ids.
    pub fn mobility(&self, name: &str) -> Option<(String, Mobility)> {
        self.run.mobility(name)
    }
}
