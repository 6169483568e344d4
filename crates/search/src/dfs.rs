//! Depth-first search.
//!
//! There is one concrete state, which steps change and undoing changes back; the store gets encodings and is
//! never asked for one. A level of the stack is 24 bytes and its steps, which all levels keep in one array:
//! the steps of the top are the last ones. The trail of a violation is what the stack holds.
//!
//! Most successors are stored already, and finding that out means waiting for memory. So where the store
//! gains by it, all steps of a state are fired and taken back first, and the store fetches the memory of each
//! successor; when they are taken, it is near. The order of the search is the same. Where the system has a
//! [successor cache](system::SuccessorCache), not even that is necessary: then only steps to new states are
//! taken.
//!
//! With a depth limit, a state that is first met on a long path is not expanded again when a shorter one is
//! found. So a search that was cut is not even complete to the bound, and does not claim to be.

use std::ops::ControlFlow::{self, Continue};

use store::{Access, Budget, Chunked, Full, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::expander::{LONGEST_PASSAGE, Successor};
use crate::explore::{Explorer, Path, Taken};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::sink::or_stop;
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
        let epoch = explorer.sink.epoch();
        let Some((next, seen)) = stack.next(epoch) else {
            explorer.sink.ledger.skip(top.seen);
            stack.pop();
            if !stack.levels.is_empty() {
                explorer.expander.undo();
                explorer.expander.depth -= 1;
            }
            continue;
        };
        explorer.sink.ledger.skip(seen);
        let (step, source) = (next.step, top.state());
        let taken = explorer.take(next, source, top.passed() as usize, stack)?;
        if let Taken::New(_) | Taken::Seen(_) = taken
            && explorer.folds()
        {
            let target = match taken {
                Taken::New(id) => Some(id),
                Taken::Seen(id) => id,
                Taken::Passing | Taken::Stayed => None,
            };
            while stack.repeats(step) {
                explorer.repeat(step, source, target, stack)?;
            }
        }
        match taken {
            Taken::New(id) => {
                explorer.expander.depth += 1;
                for at in 0..explorer.expander.later.len() {
                    or_stop(stack.push_passed(source, explorer.expander.later[at]))?;
                    explorer.expander.depth += 1;
                }
                enter(explorer, stack, id)?;
            }
            Taken::Passing => {
                explorer.expander.depth += 1;
                or_stop(stack.push(source, top.passed() + 1))?;
                explorer.offer(stack)?;
                fill(explorer, stack)?;
            }
            Taken::Seen(_) => explorer.back(),
            Taken::Stayed => {}
        }
    }
    Continue(())
}

/// Pushes the state at which the explorer stands, with its steps.
fn enter<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack, id: StateId) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    or_stop(stack.push(id, 0))?;
    explorer.check(stack)?;
    explorer.sink.maintain();
    if explorer.predict(stack)? {
        return or_stop(stack.fill_prepared(&explorer.expander.successors, explorer.sink.store));
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
    or_stop(if explorer.prefetch() {
        stack.fill_prepared(&explorer.expander.successors, explorer.sink.store)
    } else {
        stack.fill(&explorer.expander.steps.enabled)
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
    /// The id of the state or, of a transient state, of the last one below it that is stored; and below the
    /// id, in [`PASSED_BITS`], how many transient states in a row it is the last of.
    place: u64,
    /// The place of its next step. The one before it led to the level above.
    next: usize,
    /// How many of its steps are still to be taken.
    left: u32,
    /// How many steps come after the last one that are not on the stack, since they lead to states that were
    /// stored.
    seen: u32,
}

const PASSED_BITS: u32 = u64::BITS - StateId::BITS;
const _: () = assert!(LONGEST_PASSAGE < 1 << PASSED_BITS);

impl Level {
    fn new(state: StateId, passed: u32, next: usize) -> Self {
        Self { place: state.0 << PASSED_BITS | u64::from(passed), next, left: 0, seen: 0 }
    }

    const fn state(&self) -> StateId {
        StateId(self.place >> PASSED_BITS)
    }

    const fn passed(&self) -> u32 {
        (self.place & ((1 << PASSED_BITS) - 1)) as u32
    }
}

/// What is known about a step that is to be taken.
#[derive(Clone, Copy)]
struct Note {
    /// See [`Ticket::short`].
    ticket: u64,
    /// How many steps come before it that are not on the stack, since they lead to states that were stored.
    seen: u32,
    /// See [`Successor::branch`].
    branch: u32,
}

const NO_NOTE: Note = Note { ticket: Ticket::NONE.short(), seen: 0, branch: 0 };

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
        self.levels.push(Level::new(state, passed, self.steps.len()))
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

    /// Gives the top successors with tickets. Those that are stored are counted and left out, unless the
    /// store knows their numbers, for which an observer may ask.
    fn fill_prepared<T: StateStore + ?Sized>(
        &mut self,
        successors: &[Successor],
        store: &mut T,
    ) -> Result<(), Full> {
        let may_skip = store.access() != Access::ById;
        let store = store.prepared().expect("it made the tickets");
        self.begin_notes(store.epoch())?;
        let (mut seen, mut left) = (0, 0);
        for &Successor { step, branch, ticket } in successors {
            if may_skip && ticket != Ticket::NONE && store.contains(ticket) {
                seen += 1;
                continue;
            }
            self.steps.push(step)?;
            self.notes.push(Note { ticket: ticket.short(), seen, branch })?;
            (seen, left) = (0, left + 1);
        }
        if let Some(top) = self.levels.last_mut() {
            (top.left, top.seen) = (left, seen);
        }
        Ok(())
    }

    /// A transient state, which is being left by its only step.
    fn push_passed(&mut self, below: StateId, step: Step) -> Result<(), Full> {
        let passed = self.levels.last().map_or(0, |top| top.passed()) + 1;
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

    /// The next successor of the top, without its ticket if that is of another epoch; and how many were
    /// counted before.
    fn next(&mut self, epoch: u32) -> Option<(Successor, u32)> {
        let step = self.next_step()?;
        let at = self.levels.last()?.next - 1;
        if at >= self.notes.len() {
            return Some((step.into(), 0));
        }
        let Note { ticket, seen, branch } = self.notes[at];
        let is_valid = at >= self.valid && epoch == self.epoch;
        let ticket = if is_valid { Ticket::of_short(ticket) } else { Ticket::NONE };
        Some((Successor { step, branch, ticket }, seen))
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
