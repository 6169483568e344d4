//! Depth-first search.
//!
//! There is one concrete state, which steps change and undoing changes back; the store gets encodings and is
//! never asked for one. A level of the stack is 16 bytes and its steps, which all levels keep in one array: the
//! steps of the top are the last ones. The trail of a violation is what the stack holds.
//!
//! With a depth limit, a state that is first met on a long way is not expanded again when a shorter way to it
//! is found. So a search that was cut is not even complete to the bound, and does not claim to be.

use std::ops::ControlFlow::{self, Continue};

use store::{Budget, Chunked, Full, StateId, StateStore};
use system::{Fault, Step, TransitionSystem};

use crate::explore::{Explorer, Path, Taken, or_stop};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::trail::Trail;

/// Explores the states of `system`, each new one before the next step of its parent. `store` is empty.
pub fn dfs<S, T, O>(system: &S, store: &mut T, options: &Options<'_>, observer: &mut O) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let end = explore(&mut explorer, Stack::new(&options.budget));
    explorer.finish(end)
}

fn explore<S, T, O>(explorer: &mut Explorer<'_, S, T, O>, mut stack: Stack) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let initial = explorer.start(&stack)?;
    enter(explorer, &mut stack, initial)?;
    while let Some(top) = stack.levels.last() {
        let Some(step) = stack.next_step() else {
            stack.pop();
            if !stack.levels.is_empty() {
                explorer.undo();
                explorer.depth -= 1;
            }
            continue;
        };
        match explorer.take(step, top.state, 0, &stack)? {
            Taken::New(id) => {
                explorer.depth += 1;
                enter(explorer, &mut stack, id)?;
            }
            Taken::Passing => {
                let below = top.state;
                explorer.depth += 1;
                or_stop(stack.push(below))?;
                explorer.offer(&stack)?;
                or_stop(stack.fill(&explorer.steps.enabled))?;
            }
            Taken::Seen => explorer.undo(),
            Taken::Stayed => {}
        }
    }
    Continue(())
}

/// Puts the state that the explorer stands at on the stack, with its steps.
fn enter<S, T, O>(
    explorer: &mut Explorer<'_, S, T, O>,
    stack: &mut Stack,
    id: StateId,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    or_stop(stack.push(id))?;
    explorer.check(stack)?;
    explorer.offer(stack)?;
    or_stop(stack.fill(&explorer.steps.enabled))
}

/// The states from the initial one to where the search stands.
struct Stack {
    levels: Chunked<Level>,
    steps: Chunked<Step>,
}

#[derive(Clone, Copy)]
struct Level {
    /// Or, of a transient state, the last one below it that is stored.
    state: StateId,
    /// How many of its steps are still to be taken.
    left: u32,
    /// The place of the next one. The one before it led to the level above.
    next: usize,
}

impl Stack {
    fn new(budget: &Budget) -> Self {
        Self { levels: Chunked::new(budget), steps: Chunked::new(budget) }
    }

    fn push(&mut self, state: StateId) -> Result<(), Full> {
        self.levels.push(Level { state, left: 0, next: self.steps.len() })
    }

    /// Gives the top its steps.
    fn fill(&mut self, steps: &[Step]) -> Result<(), Full> {
        for &step in steps {
            self.steps.push(step)?;
        }
        if let Some(top) = self.levels.last_mut() {
            top.left = steps.len() as u32;
        }
        Ok(())
    }

    fn next_step(&mut self) -> Option<Step> {
        let top = self.levels.last_mut()?;
        top.left = top.left.checked_sub(1)?;
        top.next += 1;
        Some(self.steps[top.next - 1])
    }

    fn pop(&mut self) {
        self.levels.pop();
        self.steps.truncate(self.levels.last().map_or(0, |top| top.next + top.left as usize));
    }
}

impl<S: TransitionSystem, T: ?Sized> Path<S, T> for Stack {
    fn trail(&self, _: &S, _: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let below_top = self.levels.len().saturating_sub(1);
        let taken = self.levels.iter().take(below_top).map(|level| self.steps[level.next - 1]);
        Trail { steps: taken.chain(last.map(|(step, _)| step)).collect() }
    }

    fn open(&self, _: usize) -> Open {
        Open::Stack(self.levels.len())
    }
}
