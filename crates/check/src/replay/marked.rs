//! Runs of programs in which a thread is marked, in steps of the model.
//!
//! The marked program takes the steps of the model, with copies in place of some transitions; and where a
//! thread may be chosen inside of an atomic block, it takes several steps for one of the model. So the plain
//! interpreter follows both, and what is between two states that are the same in both is one step. They are
//! the same up to ids: where a block is cut, garbage is collected earlier.

use ir::MarkedProgram;
use naive::{Fired, Naive, State};
use system::Step;

use super::{NextStep, StepSource};

/// The steps of a program in which a thread is marked.
pub struct MarkedSteps<'a> {
    program: &'a MarkedProgram,
    naive: Naive<'a>,
    steps: &'a [Step],
    /// The state of the marked program, and the number of steps to it.
    state: State,
    taken: usize,
    individual: Option<u32>,
    is_whole: bool,
}

impl<'a> MarkedSteps<'a> {
    /// The steps of a run of the marked program, with the bounds and the alarm of `naive`.
    pub fn new(program: &'a MarkedProgram, naive: Naive<'a>, steps: &'a [Step]) -> Self {
        let naive = Naive { program: &program.program, ..naive };
        let state = naive.initial();
        Self { program, naive, steps, state, taken: 0, individual: None, is_whole: true }
    }

    /// Looks for the marked thread in a state of the model, if it was not found before.
    fn look(&mut self, model: &State) {
        let marked =
            self.state.individual(self.program.procedure, 1).and_then(|thread| self.state.age(thread));
        let thread = model.threads.keys().find(|&&id| marked.is_some() && model.age(id) == marked);
        self.individual = self.individual.or_else(|| model.serial(*thread?));
    }

    /// The steps of the model that begin like a step of the marked program. Where ids are not the same, it is
    /// not known which choice it is.
    fn alternatives(&self, naive: &Naive<'_>, model: &State, step: Step) -> Vec<(Step, Fired)> {
        let transition = self.program.transitions[step.transition as usize].0;
        let age = self.state.age(step.thread);
        let (enabled, faults) = naive.steps(model);
        let all = enabled.into_iter().chain(faults.into_iter().map(|(step, _)| step));
        let begins = |other: &Step| other.transition == transition && model.age(other.thread) == age;
        all.filter(begins).map(|step| (step, naive.fire_recorded(model, step))).collect()
    }

    /// The state that the model has in place of that of the marked program, by age.
    fn unmarked(&self) -> State {
        let mut state = self.state.by_age();
        state.globals.truncate(self.program.globals);
        for frame in state.threads.values_mut().flat_map(|thread| &mut thread.frames) {
            frame.location = self.program.locations[frame.location.0 as usize];
        }
        state
    }
}

impl StepSource for MarkedSteps<'_> {
    fn next(&mut self, naive: &Naive<'_>, state: &State) -> Option<NextStep> {
        if self.is_whole {
            self.look(state);
        }
        let mut open = self.alternatives(naive, state, *self.steps.get(self.taken)?);
        // A bound that the model exceeds in the middle of a block, with what is garbage by then, or the end
        // of the trail may come before the marked program is in a state of the model.
        self.is_whole = false;
        while let Some(&step) = self.steps.get(self.taken) {
            self.taken += 1;
            let found = if let Ok(next) = self.naive.fire(&self.state, step) {
                self.state = next;
                let here = self.unmarked();
                let found = open.iter().position(|(_, fired)| is_at(fired, &here));
                self.is_whole = found.is_some();
                found
            } else {
                // The rest of a block is to blame as well.
                self.taken = self.steps.len();
                let fault = open.iter().position(|(_, fired)| fired.next.is_err());
                fault.or((!open.is_empty()).then_some(0))
            };
            if let Some(found) = found {
                let (step, fired) = open.swap_remove(found);
                return Some(NextStep { step, fired, ends: self.taken });
            }
        }
        None
    }

    fn left(&self) -> usize {
        self.steps.len() - self.taken
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn individual(&self) -> Option<u32> {
        self.individual
    }
}

/// Whether a step leads to a state, which is by age.
fn is_at(fired: &Fired, state: &State) -> bool {
    fired.next.as_ref().is_ok_and(|next| next.by_age() == *state)
}
