//! Depth-first search.
//!
//! There is one concrete state, which steps change and undoing changes back; the store gets encodings and is
//! never asked for one. A level of the stack is 24 bytes and its steps, which all levels keep in one array: the
//! steps of the top are the last ones. The trail of a violation is what the stack holds.
//!
//! Most successors are stored already, and to find that out is to wait for memory. So where the store has a use for it, all
//! steps of a state are fired and taken back first, and the store prepares for each successor; when their turn comes, memory
//! is near. The order of the search is the same. Where the system remembers what its threads can do
//! ([`TransitionSystem::turn`]), not even that is necessary: then only steps to new states are taken.
//!
//! With a depth limit, a state that is first met on a long way is not expanded again when a shorter way to it
//! is found. So a search that was cut is not even complete to the bound, and does not claim to be.

use std::ops::ControlFlow::{self, Continue};

use store::{Access, Budget, Chunked, Full, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::explore::{Explorer, Path, Taken, or_stop};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::trail::Trail;

/// Explores the states of `system`, each new one before the next step of its parent. `store` is empty.
pub fn dfs<S, T>(system: &S, store: &mut T, options: &Options<'_>, observer: &mut dyn Observer) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut stack = Stack::new(&options.budget);
    let end = explore(&mut explorer, &mut stack);
    explorer.finish(end, &stack)
}

fn explore<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let initial = explorer.start(stack)?;
    enter(explorer, stack, initial)?;
    while let Some(top) = stack.levels.last() {
        let Some(step) = stack.next_step() else {
            explorer.ledger.skip(top.seen);
            stack.pop();
            if !stack.levels.is_empty() {
                explorer.undo();
                explorer.depth -= 1;
            }
            continue;
        };
        let note = stack.note(explorer.epoch());
        explorer.ledger.skip(note.seen);
        let ticket = Ticket::of_short(note.ticket);
        let source = top.state;
        let taken = if ticket != Ticket::NONE {
            explorer.take_prepared(step, note.way.saturating_sub(1) as usize, ticket, source, stack)?
        } else if let Some(number) = note.way.checked_sub(1) {
            explorer.take_way(step, number as usize, source, stack)?
        } else {
            explorer.way.clear();
            explorer.take(step, source, top.passed as usize, stack)?
        };
        let target = match taken {
            Taken::New(id) => Some(Some(id)),
            Taken::Seen(id) => Some(id),
            Taken::Passing | Taken::Stayed => None,
        };
        if let Some(target) = target.filter(|_| explorer.folds()) {
            while stack.repeats(step) {
                explorer.repeat(step, source, target, stack)?;
            }
        }
        match taken {
            Taken::New(id) => {
                explorer.depth += 1;
                for at in 0..explorer.way.len() {
                    or_stop(stack.push_passed(source, explorer.way[at]))?;
                    explorer.depth += 1;
                }
                enter(explorer, stack, id)?;
            }
            Taken::Passing => {
                explorer.depth += 1;
                or_stop(stack.push(source, top.passed + 1))?;
                explorer.offer(stack)?;
                fill(explorer, stack)?;
            }
            Taken::Seen(_) => explorer.undo(),
            Taken::Stayed => {}
        }
    }
    Continue(())
}

/// Puts the state that the explorer stands at on the stack, with its steps.
fn enter<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack, id: StateId) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    or_stop(stack.push(id, 0))?;
    explorer.check(stack)?;
    explorer.maintain();
    if explorer.foresee(stack)? {
        return or_stop(stack.fill_prepared(&explorer.ahead, explorer.store));
    }
    explorer.offer(stack)?;
    fill(explorer, stack)
}

/// Gives the top of the stack the steps that were offered.
fn fill<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    or_stop(if explorer.look_ahead() {
        stack.fill_prepared(&explorer.ahead, explorer.store)
    } else {
        stack.fill(&explorer.steps.enabled)
    })
}

/// The states from the initial one to where the search stands.
struct Stack {
    levels: Chunked<Level>,
    steps: Chunked<Step>,
    /// Of the steps that have any, and of those before.
    notes: Chunked<Note>,
    /// Tickets from here on are of this epoch; those before have lapsed.
    valid: usize,
    epoch: u32,
}

#[derive(Clone, Copy)]
struct Level {
    /// Or, of a transient state, the last one below it that is stored.
    state: StateId,
    /// How many transient states in a row it is the last of; 0 if it is stored.
    passed: u32,
    /// How many of its steps are still to be taken.
    left: u32,
    /// The place of the next one. The one before it led to the level above.
    next: usize,
    /// How many steps come after the last one that are not on the stack, since they lead to states that were stored.
    seen: u32,
}

/// What is known about a step that is to be taken.
#[derive(Clone, Copy)]
struct Note {
    /// See [`Ticket::short`].
    ticket: u64,
    /// How many steps come before it that are not on the stack, since they lead to states that were stored.
    seen: u32,
    /// Of a step that leads several ways, each with a place of its own: the number of this one, from 1 on.
    way: u32,
}

const NO_NOTE: Note = Note { ticket: Ticket::NONE.short(), seen: 0, way: 0 };

impl Stack {
    fn new(budget: &Budget) -> Self {
        Self {
            levels: Chunked::new(budget),
            steps: Chunked::new(budget),
            notes: Chunked::new(budget),
            valid: 0,
            epoch: 0,
        }
    }

    fn push(&mut self, state: StateId, passed: u32) -> Result<(), Full> {
        self.levels.push(Level { state, passed, left: 0, next: self.steps.len(), seen: 0 })
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

    /// The same with tickets. Steps to states that are stored are counted and left out, unless the store knows their numbers,
    /// which somebody may want to see.
    fn fill_prepared<T: StateStore + ?Sized>(
        &mut self,
        steps: &[(Step, Ticket)],
        store: &mut T,
    ) -> Result<(), Full> {
        let may_skip = store.access() != Access::ById;
        let store = store.prepared().expect("it made the tickets");
        self.begin_notes(store.epoch())?;
        let (mut seen, mut left, mut way) = (0, 0, 0);
        for (at, &(step, ticket)) in steps.iter().enumerate() {
            let is_step = |other: Option<&(Step, Ticket)>| other.is_some_and(|&(other, _)| other == step);
            let follows = at > 0 && is_step(steps.get(at - 1));
            way = if follows { way + 1 } else { u32::from(is_step(steps.get(at + 1))) };
            if may_skip && ticket != Ticket::NONE && store.contains(ticket) {
                seen += 1;
                continue;
            }
            self.steps.push(step)?;
            self.notes.push(Note { ticket: ticket.short(), seen, way })?;
            (seen, left) = (0, left + 1);
        }
        if let Some(top) = self.levels.last_mut() {
            (top.left, top.seen) = (left, seen);
        }
        Ok(())
    }

    /// A transient state, which is being left by its only step.
    fn push_passed(&mut self, below: StateId, step: Step) -> Result<(), Full> {
        let passed = self.levels.last().map_or(0, |top| top.passed) + 1;
        self.push(below, passed)?;
        self.fill(&[step])?;
        self.next_step();
        Ok(())
    }

    /// Gets ready for notes about the steps of the top.
    fn begin_notes(&mut self, epoch: u32) -> Result<(), Full> {
        let top = self.levels.last().map_or(0, |top| top.next);
        if self.epoch != epoch {
            (self.epoch, self.valid) = (epoch, top);
        }
        while self.notes.len() < top {
            self.notes.push(NO_NOTE)?;
        }
        Ok(())
    }

    /// What is known about the step that is being taken. Tickets of other epochs are not.
    fn note(&self, epoch: u32) -> Note {
        let step = self.levels.last().map_or(0, |top| top.next) - 1;
        if step >= self.notes.len() {
            return NO_NOTE;
        }
        let note = self.notes[step];
        if step >= self.valid && epoch == self.epoch { note } else { Note { ticket: NO_NOTE.ticket, ..note } }
    }

    fn next_step(&mut self) -> Option<Step> {
        let top = self.levels.last_mut()?;
        top.left = top.left.checked_sub(1)?;
        top.next += 1;
        Some(self.steps[top.next - 1])
    }

    /// Takes the next step of the top off the list if it is `step` once more.
    fn repeats(&mut self, step: Step) -> bool {
        let top = self.levels.last();
        let repeats = top.is_some_and(|top| top.left > 0 && self.steps[top.next] == step);
        if repeats {
            self.next_step();
        }
        repeats
    }

    fn pop(&mut self) {
        self.levels.pop();
        let len = self.levels.last().map_or(0, |top| top.next + top.left as usize);
        self.steps.truncate(len);
        self.notes.truncate(len);
        self.valid = self.valid.min(len);
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
