//! Depth-first search.
//!
//! There is one concrete state: steps are fired on it and undone. The store receives encodings and is never
//! asked to return one. A level of the stack takes 24 bytes and its steps, which all levels keep in one
//! array: the steps of the top level are at the end. The trail of a violation is the contents of the stack.
//!
//! Most successors are stored already, and finding that out means waiting for memory. So if the store
//! benefits from it, all steps of a state are first fired and undone, and the store prefetches the memory of
//! each successor; it has arrived when the steps are taken. The order of the search does not change. If the
//! system has a [successor cache](system::SuccessorCache), even that is unnecessary: then only steps to new
//! states are fired.
//!
//! With a depth limit, a state that is first reached on a long path is not expanded again when a shorter path
//! is found. So a search that was cut by the limit is not complete up to the limit either, and does not claim
//! to be.

use std::ops::ControlFlow::{self, Continue};

use bits::SplitMix64;
use store::{Access, Budget, Chunked, Full, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::expander::{LONGEST_PASSAGE, Successor};
use crate::explore::{Explorer, Path, Taken};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::sink::or_stop;
use crate::trail::Trail;

/// Explores the states of `system`: each new state before the next step of its parent. `store` must be empty.
pub fn dfs<S, T>(system: &S, store: &mut T, options: &Options<'_>, observer: &mut dyn Observer) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut stack = Stack::new(&options.budget);
    stack.order = options.shuffle.map(SplitMix64::new);
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
        let taken = explorer.take_predicted(next, source, top.passed() as usize, stack)?;
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

/// Pushes the state at which the explorer is, with its steps.
fn enter<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack, id: StateId) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    or_stop(stack.push(id, 0))?;
    explorer.check(stack)?;
    explorer.sink.maintain();
    if explorer.predict(stack)? {
        if let Some(random) = &mut stack.order {
            shuffle(&mut explorer.expander.successors, false, random);
        }
        return or_stop(stack.fill_prepared(&explorer.expander.successors, explorer.sink.store));
    }
    explorer.offer(stack)?;
    fill(explorer, stack)
}

/// Puts the steps that were offered on the top of the stack.
fn fill<S, T>(explorer: &mut Explorer<'_, S, T>, stack: &mut Stack) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    if let Some(random) = &mut stack.order {
        let folds = explorer.folds();
        shuffle(&mut explorer.expander.steps.enabled, folds, random);
    }
    or_stop(if explorer.prefetch() {
        stack.fill_prepared(&explorer.expander.successors, explorer.sink.store)
    } else {
        stack.fill(&explorer.expander.steps.enabled)
    })
}

/// Puts items into a random order. If one may stand for several, equal ones stay next to each other.
fn shuffle<I: Copy + PartialEq>(items: &mut Vec<I>, folds: bool, random: &mut SplitMix64) {
    if !folds {
        for at in 1..items.len() {
            items.swap(at, random.below(at + 1));
        }
        return;
    }
    let mut runs: Vec<&[I]> = items.chunk_by(PartialEq::eq).collect();
    for at in 1..runs.len() {
        runs.swap(at, random.below(at + 1));
    }
    *items = runs.concat();
}

/// The states from the initial one to the current one.
struct Stack {
    levels: Chunked<Level>,
    steps: Chunked<Step>,
    /// Notes about steps, by index of the step. Shorter than `steps` if the last steps have no notes.
    notes: Chunked<Note>,
    /// Tickets of the notes from this index on are of epoch `epoch`; those before have lapsed.
    valid: usize,
    epoch: u32,
    /// Draws the order of the steps of each state; `None` for the order of the system.
    order: Option<SplitMix64>,
}

/// A state on the stack.
#[derive(Clone, Copy)]
struct Level {
    /// The id of the state, or for a transient state the id of the last stored state below it. The lower
    /// [`PASSED_BITS`] bits are the number of consecutive transient states up to and including this one.
    place: u64,
    /// The index of the next step. The step before it led to the level above.
    next: usize,
    /// The number of steps that are still to be taken.
    left: u32,
    /// The number of steps after the last one that are not on the stack because they lead to stored states.
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
    /// The number of steps before it that are not on the stack because they lead to stored states.
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
            order: None,
        }
    }

    fn push(&mut self, state: StateId, passed: u32) -> Result<(), Full> {
        self.levels.push(Level::new(state, passed, self.steps.len()))
    }

    /// Puts the steps of the top level on the stack.
    fn fill(&mut self, steps: &[Step]) -> Result<(), Full> {
        for &step in steps {
            self.steps.push(step)?;
        }
        if let Some(top) = self.levels.last_mut() {
            top.left = steps.len() as u32;
        }
        Ok(())
    }

    /// Puts the successors of the top level, with their tickets, on the stack. Successors that are stored
    /// already are only counted, unless the store finds states by number: then an observer may want to know
    /// them.
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

    /// Pushes a transient state that is being left by its only step.
    fn push_passed(&mut self, below: StateId, step: Step) -> Result<(), Full> {
        let passed = self.levels.last().map_or(0, |top| top.passed()) + 1;
        self.push(below, passed)?;
        self.fill(&[step])?;
        self.next_step();
        Ok(())
    }

    /// Prepares for notes about the steps of the top level.
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

    /// The next successor of the top level, without its ticket if the ticket is of another epoch; and the
    /// number of successors that were left out before it.
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

    /// Removes the next step of the top level if it is `step` again.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shuffled_items_are_the_same_and_equal_ones_stay_together() {
        let mut random = SplitMix64::new(1);
        let (mut orders, mut folded) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..2000 {
            let mut items = vec![1, 2, 3, 4];
            shuffle(&mut items, false, &mut random);
            orders.insert(items);
            let mut items = vec![1, 1, 2, 3, 3, 3];
            shuffle(&mut items, true, &mut random);
            folded.insert(items);
        }
        assert_eq!(orders.len(), 24);
        assert!(orders.iter().all(|order| (1..=4).all(|item| order.contains(&item))));
        assert_eq!(folded.len(), 6);
        assert!(folded.iter().all(|order| order.len() == 6 && order.chunk_by(PartialEq::eq).count() == 3));
    }
}
