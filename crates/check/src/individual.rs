//! Runs of programs in which an individual is marked, told as runs of the model.
//!
//! The marked program takes the steps of the model, with copies in place of some transitions; and where somebody may be chosen inside of
//! an atomic block, it takes several steps for one of the model. So the plain interpreter follows both, and what is between two states
//! that are the same in both is one step. They are the same up to ids: where a block is cut, garbage is collected earlier.

use ir::MarkedProgram;
use naive::{Naive, State};
use search::Trail;
use search::emptiness::{EmptinessResult, Move};
use system::Step;

/// Tells what a search of the marked program found as if it had been one of the model. Of each violation: the how manieth thread
/// of its procedure is the individual, if there is one.
pub fn unmark(pinned: &MarkedProgram, naive: Naive<'_>, found: &mut EmptinessResult) -> Vec<Option<u32>> {
    let mut individuals = Vec::new();
    for violation in &mut found.outcome.violations {
        let run = Run::follow(pinned, naive, &violation.trail.steps);
        individuals.push(run.individual);
        violation.trail = Trail::from(run.steps.into_iter().flatten().collect::<Vec<_>>());
    }
    if let Some(lasso) = &mut found.lasso {
        let run = Run::follow(pinned, naive, &lasso.trail().steps);
        // A bound that the model exceeds in the middle of a block, with what was garbage by then.
        found.cycle_not_reproduced |= !run.is_whole;
        let mut steps = run.steps.into_iter();
        for moves in [&mut lasso.stem, &mut lasso.cycle] {
            let told = moves.drain(..).filter_map(|taken| match taken.step {
                None => Some(taken),
                Some(_) => steps.next().flatten().map(|step| Move { step: Some(step), ..taken }),
            });
            *moves = told.collect();
        }
    }
    individuals
}

/// A run of the marked program.
#[derive(Default)]
struct Run {
    /// For each step that of the model which ends there, if one does.
    steps: Vec<Option<Step>>,
    individual: Option<u32>,
    /// It ends where a step of the model ends.
    is_whole: bool,
}

impl Run {
    fn follow(pinned: &MarkedProgram, naive: Naive<'_>, steps: &[Step]) -> Self {
        let marked = Naive { program: &pinned.program, ..naive };
        let (mut with, mut without) = (marked.initial(), naive.initial());
        let mut run = Self::default();
        run.look(pinned, &with, &without);
        // What the model may be doing, while the marked program is in the middle of it.
        let mut under_way = None;
        for &step in steps {
            let open = under_way.get_or_insert_with(|| alternatives(pinned, naive, (&with, step), &without));
            let Ok(next) = marked.fire(&with, step) else {
                // The rest of a block is to blame as well.
                let faults = |(_, next): &&(Step, Option<State>)| next.is_none();
                run.steps.push(open.iter().find(faults).or(open.first()).map(|&(step, _)| step));
                break;
            };
            with = next;
            let here = unmarked(pinned, &with);
            let is_here =
                |(_, next): &(Step, Option<State>)| next.as_ref().is_some_and(|next| next.by_age() == here);
            let found = open.iter().position(is_here).map(|at| open.swap_remove(at));
            run.steps.push(found.as_ref().map(|(taken, _)| *taken));
            if let Some((_, Some(next))) = found {
                without = next;
                under_way = None;
                run.look(pinned, &with, &without);
            }
        }
        run.is_whole = under_way.is_none();
        run
    }

    fn look(&mut self, pinned: &MarkedProgram, with: &State, without: &State) {
        let marked = with.individual(pinned.procedure, 1).and_then(|thread| with.age(thread));
        let thread = without.threads.keys().find(|&&id| marked.is_some() && without.age(id) == marked);
        self.individual = self.individual.or_else(|| without.serial(*thread?));
    }
}

/// The steps of the model that begin like one of the marked program, with what they lead to unless they fault. Where ids are not the same, it
/// is not known which choice it is.
fn alternatives(
    pinned: &MarkedProgram,
    naive: Naive<'_>,
    (with, step): (&State, Step),
    without: &State,
) -> Vec<(Step, Option<State>)> {
    let transition = pinned.transitions[step.transition as usize].0;
    let (enabled, faults) = naive.steps(without);
    let all = enabled.into_iter().chain(faults.into_iter().map(|(step, _)| step));
    let begins =
        |other: &Step| other.transition == transition && without.age(other.thread) == with.age(step.thread);
    all.filter(begins).map(|step| (step, naive.fire(without, step).ok())).collect()
}

/// The state that the model has in place of one with a mark, by age.
fn unmarked(pinned: &MarkedProgram, state: &State) -> State {
    let mut state = state.by_age();
    state.globals.truncate(pinned.globals);
    for frame in state.threads.values_mut().flat_map(|thread| &mut thread.frames) {
        frame.location = pinned.locations[frame.location.0 as usize];
    }
    state
}
