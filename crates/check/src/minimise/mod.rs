//! Shorter and calmer counterexamples.
//!
//! A search shows the first run to a violation that it comes across. That run may be longer than needed: depth
//! first, or where only some orders of steps were explored. And it may change from thread to thread without a
//! reason. So the run is worked on before it is shown: first it gets as few steps as possible, then as few
//! changes of thread.
//!
//! | where | what it does | what is known then |
//! |---|---|---|
//! | [`shorter`] | searches again, breadth first and in full | no run to the violation is shorter |
//! | [`prune`] | cuts loops out, leaves steps out | no single step can be left out |
//! | [`calm`] | tries the orders of the same steps | no order of them is calmer |
//!
//! There is a run in hand at any time, and each part may be broken off. Whatever comes out is
//! [confirmed](crate::replay::confirm) like everything that a search finds, and has to show the same violation.
//! So a mistake here may cost an improvement; it cannot make a counterexample wrong.

mod calm;
mod effort;
mod prune;
mod shorter;
mod stage;
mod target;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use naive::Naive;
use system::{Alarm, FaultKind, Step};

use crate::pipeline::Check;
use crate::replay::{Confirmed, Found, MergedSteps, confirm};
use crate::report::Minimised;
use crate::trace::Trace;
use effort::Effort;
use stage::Stage;
use target::{Target, class};

/// Minimisation ends after this time.
const TIME: Duration = Duration::from_secs(1);
/// The steps of the plain interpreter for each part of minimisation.
const STEPS: u64 = 30_000;

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
    let mut search = Minimiser { case, best: confirmed, is_shortest: case.is_shortest };
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
}

impl Minimiser<'_> {
    /// Returns whether everything was tried.
    fn run(&mut self) -> bool {
        let Case { check, naive, ref found, .. } = *self.case;
        let interrupt = check.options.interrupt;
        if interrupt.is_some_and(|flag| flag.load(Relaxed)) || check.options.budget.exceeded() {
            return false;
        }
        let time = check.time_left().map_or(TIME, |left| left.min(TIME));
        let deadline = Instant::now() + time;
        let alarm = Alarm::new(Some(deadline), interrupt.cloned());
        let effort = Effort::new(&alarm, STEPS);
        let stage = Stage::new(naive, &effort);
        if found.kind == FaultKind::AcceptanceCycle {
            return false;
        }
        if self.is_shortest {
            self.calm(&stage);
            return !effort.is_spent();
        }
        let has_searched = self.search(time / 2);
        effort.refill(STEPS);
        if !has_searched {
            self.prune(&stage);
        }
        effort.refill(STEPS);
        self.calm(&stage);
        has_searched && !effort.is_spent()
    }

    /// Looks for a shortest run. Returns whether that is known to be the best one now.
    fn search(&mut self, time: Duration) -> bool {
        let Case { check, ref found, .. } = *self.case;
        for keep_going in [false, true] {
            let steps = self.best.steps.len();
            let interrupt = check.options.interrupt;
            let Some(shorter) = shorter::search(check, interrupt, found.kind, steps, time, keep_going) else {
                self.is_shortest = steps == 0;
                return self.is_shortest;
            };
            if shorter.runs.into_iter().any(|run| self.offer(&run)) || shorter.is_exhaustive {
                self.is_shortest = true;
                return true;
            }
        }
        false
    }

    /// Leaves steps out.
    fn prune(&mut self, stage: &Stage<'_>) {
        if let Some(steps) = prune::without_loops(stage, &self.best.steps) {
            self.offer(&steps);
        }
        let Some(run) = stage.record_all(&self.best.steps) else { return };
        let Some(target) = Target::of(stage, &run, self.best.ending.kind) else { return };
        let pruned = prune::prune(stage, &target, run.acts);
        if let Some(steps) = pruned.and_then(|acts| stage.steps_of(&acts)) {
            self.offer(&steps);
        }
    }

    /// Orders the steps of each thread anew.
    fn calm(&mut self, stage: &Stage<'_>) {
        let Some(run) = stage.record_all(&self.best.steps) else { return };
        let Some(target) = Target::of(stage, &run, self.best.ending.kind) else { return };
        if let Some(steps) = calm::calmest(stage, &target, &stage.initial(), &run.acts) {
            self.offer(&steps);
        }
    }

    /// Takes a run in place of the best one so far, if it is better and shows the same violation. Returns
    /// whether it does.
    fn offer(&mut self, steps: &[Step]) -> bool {
        let Case { check, naive, ref found, .. } = *self.case;
        let found = Found { kind: found.kind, claimed: found.claimed };
        let confirmed = confirm(check.model, naive, &mut MergedSteps::of_model(steps), &found);
        let Ok(Some(confirmed)) = confirmed else { return false };
        let (new, old) = (&confirmed.ending, &self.best.ending);
        let is_same = (new.kind, &new.location) == (old.kind, &old.location)
            && class(&new.message) == class(&old.message);
        let is_better = is_same && length(&confirmed) < length(&self.best);
        if is_better {
            self.best = confirmed;
        }
        is_better
    }
}
