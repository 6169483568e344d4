//! Shorter and calmer counterexamples.
//!
//! A search shows the first run to a violation that it comes across. That run may be longer than needed:
//! depth first, or where only some orders of steps were explored. And it may change from thread to thread
//! without a reason. So the run is worked on before it is shown: first it gets as few steps as possible, then
//! as few changes of thread.
//!
//! | where | what it does | what is known then |
//! |---|---|---|
//! | [`shorter`] | searches again, breadth first and in full | no run to the violation is shorter |
//! | [`prune`] | cuts loops out, leaves steps out | no single step can be left out |
//! | [`calm`] | tries the orders of the same steps | no order of them is calmer |
//! | [`lasso`] | looks for a shorter cycle, and for a shorter way to it | no way to the cycle is shorter |
//!
//! There is a run in hand at any time, and each part may be broken off. Whatever comes out is
//! [confirmed](crate::replay::confirm) like everything that a search finds, and has to show the same
//! violation. So a mistake here may cost an improvement; it cannot make a counterexample wrong.

mod calm;
mod effort;
mod graph;
mod lasso;
mod paths;
mod prune;
mod shorter;
mod stage;
mod target;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use naive::Naive;
use system::{Alarm, FaultKind, Step};

use crate::pipeline::Check;
use crate::replay::{Claimed, Confirmed, Cycle, Found, MergedSteps, Word, confirm};
use crate::report::Minimised;
use crate::temporal::violations;
use crate::trace::Trace;
use crate::trail::TrailProperty;
use effort::Effort;
use graph::Graph;
use lasso::{Continuation, Lassos};
use stage::{Recorded, Stage};
use target::{Target, class};

/// Minimisation ends after this time.
const TIME: Duration = Duration::from_secs(1);
/// There must be this much memory left for it.
const MEMORY: usize = 64 << 20;
/// The steps of the plain interpreter for each part of minimisation.
const STEPS: u64 = 15_000;
/// The same where the states around an infinite run are explored.
const STEPS_AROUND: u64 = 6_000;
/// The number of other threads that a run may be about.
const OTHERS: usize = 3;

/// How a violation was found.
pub struct Case<'a> {
    pub check: &'a Check<'a>,
    /// The interpreter that confirms what is found.
    pub naive: Naive<'a>,
    pub found: Found<'a>,
    /// The search finds a shortest run first.
    pub is_shortest: bool,
}

/// Makes the run of a violation shorter and calmer.
pub fn minimise(case: &Case<'_>, confirmed: Confirmed) -> (Confirmed, Minimised) {
    let (started, from) = (Instant::now(), length(&confirmed));
    let mut search = Minimiser::new(case, confirmed);
    let is_complete = search.run();
    let minimised = Minimised {
        from_steps: from.0,
        from_switches: from.1,
        to_switches: length(&search.best).1,
        shortest: search.is_shortest,
        complete: is_complete,
        seconds: started.elapsed().as_secs_f64(),
    };
    (search.best, minimised)
}

/// The number of steps of a run, and of its changes from thread to thread.
fn length(run: &Confirmed) -> (u64, u64) {
    (run.trace.steps.len() as u64, switches(&run.trace))
}

/// How often a run changes from a thread to another.
pub fn switches(trace: &Trace) -> u64 {
    trace.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count() as u64
}

struct Minimiser<'a> {
    case: &'a Case<'a>,
    best: Confirmed,
    is_shortest: bool,
    /// For a property of each thread of a procedure: the number of the thread that runs are to be about.
    individual: Option<u32>,
    /// How long it may take, until when it may try runs, and until when it may confirm one.
    time: Duration,
    trying: Instant,
    end: Instant,
}

impl<'a> Minimiser<'a> {
    fn new(case: &'a Case<'a>, best: Confirmed) -> Self {
        let time = case.check.time_left().map_or(TIME, |left| left.min(TIME));
        let now = Instant::now();
        let (trying, end) = (now + time * 7 / 10, now + time);
        let individual = best.property.as_ref().and_then(|property| property.individual);
        Self { case, best, is_shortest: case.is_shortest, individual, time, trying, end }
    }

    /// Returns whether everything was tried.
    fn run(&mut self) -> bool {
        let Case { check, naive, ref found, .. } = *self.case;
        let interrupt = check.options.interrupt;
        if interrupt.is_some_and(|flag| flag.load(Relaxed)) || !check.options.budget.allows(MEMORY) {
            return false;
        }
        let alarm = Alarm::new(Some(self.trying), interrupt.cloned());
        let effort = Effort::new(&alarm, 0);
        let stage = Stage::new(naive, &effort);
        // Long runs have to be taken a few times to begin with.
        let refill = |run: &Confirmed, steps: u64| effort.refill(steps.max(4 * run.steps.len() as u64));
        if found.kind == FaultKind::AcceptanceCycle {
            return self.search_lassos(&stage);
        }
        refill(&self.best, STEPS);
        if found.claimed.is_some() && self.target(&stage).is_none() {
            // The property cannot be evaluated: another search does not look at it.
            return false;
        }
        if !self.is_shortest {
            self.is_shortest = self.search() && !self.case.check.model.has_coarse_steps();
        }
        if !self.is_shortest {
            refill(&self.best, 2 * STEPS);
            self.prune(&stage);
        }
        refill(&self.best, STEPS);
        self.calm(&stage);
        self.is_shortest && !effort.is_spent()
    }

    /// Looks for a shortest run. Returns whether the best run is known to be one now.
    fn search(&mut self) -> bool {
        let Case { check, ref found, .. } = *self.case;
        for keep_going in [false, true] {
            let (steps, time) = (self.best.steps.len(), self.time * 3 / 10);
            let Some(shorter) = shorter::search(check, found.kind, steps, time, keep_going) else {
                return steps == 0;
            };
            let mut is_exhaustive = shorter.is_exhaustive;
            for run in shorter.runs {
                match self.confirm(&run, None).map(|confirmed| self.offer(confirmed)) {
                    Some(true) => return true,
                    // It is another violation.
                    Some(false) => {}
                    None => is_exhaustive = false,
                }
            }
            if is_exhaustive {
                return true;
            }
            if !shorter.has_other {
                break;
            }
        }
        false
    }

    /// The best run, taken apart, and what it shows.
    fn target(&self, stage: &Stage<'_>) -> Option<(Recorded, Target)> {
        let run = stage.record_all(&self.best.steps)?;
        let target = Target::of(stage, &run, self.best.ending.kind)?;
        Some((run, target))
    }

    /// Leaves steps out.
    fn prune(&mut self, stage: &Stage<'_>) {
        if let Some(steps) = prune::without_loops(stage, &self.best.steps) {
            self.offer_run(&steps, None);
        }
        let Some((run, target)) = self.target(stage) else { return };
        let pruned = prune::prune(stage, &target, run.acts);
        if let Some(steps) = pruned.and_then(|acts| stage.steps_of(&acts)) {
            self.offer_run(&steps, None);
        }
    }

    /// Orders the steps of each thread anew.
    fn calm(&mut self, stage: &Stage<'_>) {
        let Some((run, target)) = self.target(stage) else { return };
        if let Some(steps) = calm::calmest(stage, &target, &run.acts) {
            self.offer_run(&steps, None);
        }
    }

    /// Looks for a shorter cycle, and for a shorter way to it. Of a property of each thread of a procedure,
    /// another thread may be the one. Returns whether everything was tried.
    fn search_lassos(&mut self, stage: &Stage<'_>) -> bool {
        let Some(recorded) = self.best.property.clone() else { return false };
        let steps = self.best.steps.clone();
        let last = recorded.individual;
        let others = (1..last.unwrap_or(1)).take(OTHERS).map(Some);
        let mut is_complete = true;
        for individual in others.chain([last]) {
            stage.effort.refill(STEPS_AROUND);
            self.individual = individual;
            is_complete &= self.search_lassos_of(stage, &recorded, &steps).is_some();
        }
        is_complete && !stage.effort.is_spent()
    }

    /// Looks for a shorter cycle near that of a run, and for a shorter way to it. There is no result where
    /// that is not possible.
    fn search_lassos_of(&mut self, stage: &Stage<'_>, found: &TrailProperty, steps: &[Step]) -> Option<()> {
        let claimed = Claimed { individual: self.individual, cycle: None, ..self.case.found.claimed? };
        if !found.is_closed {
            // The states of the cycle are not met again as they are.
            return None;
        }
        let automaton = violations(claimed.property).ok()?;
        let mut graph = Graph::new(stage, Word::new(stage.naive, claimed));
        let initial = graph.initial();
        let run = graph.follow(initial, steps)?.into_iter();
        let run: Vec<_> = run.map(|(at, edge)| (at, edge.step)).collect();
        let mut lassos = Lassos::new(&mut graph, &automaton, found.is_fair)?;
        let continuations = match found.cycle_start {
            None => vec![Continuation::Anything],
            Some(start) if start == steps.len() => vec![Continuation::End],
            Some(start) => lassos.cycles(&run[start..]).into_iter().map(Continuation::Cycle).collect(),
        };
        let (steps, changes) = length(&self.best);
        let best = (usize::try_from(steps).ok()?, usize::try_from(changes).ok()?);
        lassos.search(&continuations, best, |steps, cycle| self.offer_run(steps, cycle));
        Some(())
    }

    /// Makes a run, which has to show a violation of the kind. There is none if it does not, or if there is
    /// no time.
    fn confirm(&self, steps: &[Step], cycle: Option<Cycle>) -> Option<Confirmed> {
        let Case { check, naive, ref found, .. } = *self.case;
        let individual = self.individual;
        let claimed = found.claimed.map(|claimed| Claimed { cycle, individual, ..claimed });
        let found = Found { kind: found.kind, claimed };
        let alarm = Alarm::new(Some(self.end), check.options.interrupt.cloned());
        let naive = Naive { alarm: Some(&alarm), ..naive };
        let confirmed = confirm(check.model, naive, &mut MergedSteps::of_model(steps), &found);
        confirmed.ok().flatten().filter(|_| !alarm.has_rung())
    }

    /// Takes a run in place of the best one so far, if it shows the same violation and is better. Returns
    /// whether it shows the same violation.
    fn offer(&mut self, confirmed: Confirmed) -> bool {
        let (new, old) = (&confirmed.ending, &self.best.ending);
        let is_same = (new.kind, &new.location) == (old.kind, &old.location)
            && class(&new.message) == class(&old.message);
        if is_same && length(&confirmed) < length(&self.best) {
            self.best = confirmed;
        }
        is_same
    }

    /// Makes a run, and takes it in place of the best one so far, if it shows the same violation and is
    /// better. Returns whether it shows the same violation.
    fn offer_run(&mut self, steps: &[Step], cycle: Option<Cycle>) -> bool {
        self.confirm(steps, cycle).is_some_and(|confirmed| self.offer(confirmed))
    }
}
