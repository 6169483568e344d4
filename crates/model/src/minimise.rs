//! Shorter runs to a violation of safety.
//!
//! A search that goes deep shows the first run that it comes across. Loops are cut out of it, and then steps
//! are left out as long as the rest is still a run to the same violation: delta debugging (Zeller and
//! Hildebrandt, "Simplifying and isolating failure-inducing input", 2002). A step that is kept is the same
//! action with the same choices, found among those that the model offers. So a mistake here could cost an
//! improvement; it cannot make a run wrong.

use crate::plain::{Failure, Reached, Successor};
use crate::report::{Kind, Minimised, Taken, Violation};
use crate::{Model, Program, Shape};

/// The number of states whose steps are looked at. After them, the shortest run so far is shown.
const EFFORT: usize = 20_000;

type Run<M> = Vec<Taken<<M as Model>::State, <M as Model>::Action>>;
type Step<M> = Successor<<M as Model>::State, <M as Model>::Action>;

/// What is to be shown, and how much may still be spent on it.
struct Minimiser<'p, M: Model> {
    program: &'p Program<M>,
    initial: &'p M::State,
    kind: Kind,
    place: &'p str,
    effort: usize,
}

impl<M: Model> Program<M> {
    /// Makes the run to a violation shorter.
    pub(crate) fn minimise(&self, violation: &mut Violation<M::State, M::Action>) {
        let Violation { kind, place, initial: Some(initial), run, obstacles, minimised, .. } = violation
        else {
            return;
        };
        let (from_steps, from_switches) = (run.len(), switches(run));
        let mut minimiser = Minimiser { program: self, initial, kind: *kind, place, effort: EFFORT };
        *run = minimiser.shorter(std::mem::take(run));
        let complete = minimiser.effort > 0;
        *minimised = Some(Minimised { from_steps, from_switches, to_switches: switches(run), complete });
        if *kind == Kind::Deadlock {
            let last = run.last().map_or(Some(&*initial), |taken| taken.state.as_ref());
            *obstacles = last.map_or_else(Vec::new, |state| self.obstacles(state));
        }
    }
}

/// How often a run changes from a process to another.
fn switches<S, A>(run: &[Taken<S, A>]) -> usize {
    run.windows(2).filter(|pair| pair[0].process != pair[1].process).count()
}

impl<M: Model> Minimiser<'_, M> {
    fn shorter(&mut self, mut run: Run<M>) -> Run<M> {
        without_loops(self.initial, &mut run);
        let mut size = run.len().div_ceil(2);
        while size > 0 {
            let (mut at, mut has_changed) = (0, false);
            while at < run.len() {
                let end = run.len().min(at + size);
                match self.follow(run[..at].iter().chain(&run[end..])) {
                    Some(shorter) => (run, has_changed) = (shorter, true),
                    None => at = end,
                }
            }
            if self.effort == 0 {
                break;
            }
            if size > 1 || !has_changed {
                size /= 2;
            }
        }
        run
    }

    fn is_wanted(&self, failure: &Failure) -> bool {
        (failure.kind, &*failure.place) == (self.kind, self.place)
    }

    /// The run of these actions, up to where the violation is met.
    fn follow<'t>(&mut self, actions: impl Iterator<Item = &'t Taken<M::State, M::Action>>) -> Option<Run<M>>
    where
        M: 't,
    {
        let (mut run, mut state) = (Vec::new(), self.initial.clone());
        for wanted in actions {
            self.effort = self.effort.checked_sub(1)?;
            let is_wanted =
                |step: &Step<M>| step.choice == wanted.choice && step.action.order(&wanted.action).is_eq();
            let Successor { action, process, choice, remarks, result } =
                self.program.successors(&state).ok()?.into_iter().find(is_wanted)?;
            let mut taken = Taken { action, process, choice, remarks, state: None };
            let failure = match result {
                Reached::Failed(failure) => Some(failure),
                Reached::State(next) => {
                    taken.state = Some(next.clone());
                    state = next;
                    self.program.failure_of(&state)
                }
                Reached::Outside | Reached::Crowded => return None,
            };
            run.push(taken);
            if let Some(failure) = failure {
                return self.is_wanted(&failure).then_some(run);
            }
        }
        None
    }
}

/// Cuts out what leads from a state back to it.
fn without_loops<S: Shape, A>(initial: &S, run: &mut Vec<Taken<S, A>>) {
    let mut at = 0;
    while at < run.len() {
        let state = if at == 0 { Some(initial) } else { run[at - 1].state.as_ref() };
        let is_again = |taken: &Taken<S, A>| {
            state.zip(taken.state.as_ref()).is_some_and(|(before, after)| before.order(after).is_eq())
        };
        if let Some(last) = run[at..].iter().rposition(is_again) {
            run.drain(at..=at + last);
        }
        at += 1;
    }
}
