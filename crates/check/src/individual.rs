//! Runs of programs in which an individual is marked, told as runs of the model.
//!
//! The marked program takes the steps of the model, with copies in place of some transitions; and where somebody may be chosen inside of
//! an atomic block, it takes several steps for one of the model. So the plain interpreter follows both, and what is between two states
//! that are the same in both is one step.

use ir::Pinned;
use naive::{Naive, State};
use search::Trail;
use search::emptiness::{Emptiness, Move};
use system::Step;

/// Tells what a search of the marked program found as if it had been one of the model. Of each violation: the how manieth thread
/// of its procedure is the individual, if there is one.
pub fn unpin(pinned: &Pinned, naive: Naive<'_>, found: &mut Emptiness) -> Vec<Option<u32>> {
    let mut individuals = Vec::new();
    for violation in &mut found.outcome.violations {
        let run = Run::follow(pinned, naive, &violation.trail.steps);
        individuals.push(run.individual);
        violation.trail = Trail::from(run.steps.into_iter().flatten().collect::<Vec<_>>());
    }
    if let Some(lasso) = &mut found.lasso {
        let mut steps = Run::follow(pinned, naive, &lasso.trail().steps).steps.into_iter();
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
struct Run {
    /// For each step the one of the model, unless it is a part of the one before.
    steps: Vec<Option<Step>>,
    individual: Option<u32>,
}

impl Run {
    fn follow(pinned: &Pinned, naive: Naive<'_>, steps: &[Step]) -> Self {
        let marked = Naive { program: &pinned.program, ..naive };
        let (mut with, mut without) = (marked.initial(), naive.initial());
        let mut run = Self { steps: Vec::new(), individual: None };
        let mut is_behind = false;
        for &step in steps {
            run.look(pinned, &with, &without);
            let transition = pinned.transitions[step.transition as usize].0;
            let told = Step { transition, ..step };
            run.steps.push((!is_behind).then_some(told));
            if !is_behind {
                match naive.fire(&without, told) {
                    Ok(next) => without = next,
                    // Whoever replays the run finds out.
                    Err(_) => break,
                }
            }
            match marked.fire(&with, step) {
                Ok(next) => with = next,
                Err(_) => break,
            }
            is_behind = unmarked(pinned, &with) != without;
        }
        run.look(pinned, &with, &without);
        run
    }

    fn look(&mut self, pinned: &Pinned, with: &State, without: &State) {
        let thread = with.individual(pinned.procedure, 1);
        self.individual = self.individual.or_else(|| without.serial(thread?));
    }
}

/// The state that the model has in place of one with a mark.
fn unmarked(pinned: &Pinned, state: &State) -> State {
    let mut state = state.clone();
    state.globals.truncate(pinned.globals);
    for frame in state.threads.values_mut().flat_map(|thread| &mut thread.frames) {
        frame.location = pinned.locations[frame.location.0 as usize];
    }
    state
}
