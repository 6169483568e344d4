//! Breadth-first search.
//!
//! States are numbered in the order of insertion, so the queue is implicit: a level is a range of numbers,
//! the store returns its states in their order, and the next level consists of the states stored meanwhile.
//! Beside the store, only the first path to each state is recorded ([`crate::ancestry`]); trails are rebuilt
//! from it.
//!
//! If the system has a [successor cache](system::SuccessorCache), the search does not move to the successors
//! of a state, unless there are state properties to check: the successors are stored by what the steps write.
//!
//! States are visited in the order of their distance, so the first trail to a fault is a shortest one to that
//! fault. Trails to different faults may be reported one step out of order: a successor is checked while its
//! parent is expanded, but a deadlock is only noticed when the state itself is expanded.

use std::ops::ControlFlow::{self, Continue};

use store::{Budget, Chunked, Full, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::ancestry::{Ancestry, Branch, chain};
use crate::explore::{Explorer, Path, Taken};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::sink::or_stop;
use crate::trail::Trail;

/// Explores the states of `system` in the order of their distance from the initial one. `store` must be
/// empty.
pub fn bfs<S, T>(system: &S, store: &mut T, options: &Options<'_>, observer: &mut dyn Observer) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut frontier = Frontier::new(&options.budget, explorer.folds());
    let end = explore(&mut explorer, &mut frontier);
    explorer.finish(end, &frontier)
}

fn explore<S, T>(explorer: &mut Explorer<'_, S, T>, frontier: &mut Frontier) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    explorer.start(frontier)?;
    frontier.keep_hidden(explorer)?;
    explorer.check(frontier)?;
    let (mut depth, mut level) = (0, 0..1);
    while !level.is_empty() {
        for source in level.clone() {
            explorer.sink.maintain();
            expand(explorer, frontier, StateId(source as u64), depth)?;
        }
        (depth, level) = (depth + 1, level.end..explorer.sink.store.len());
    }
    Continue(())
}

/// Stores the successors of a stored state.
fn expand<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier,
    source: StateId,
    depth: u32,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    frontier.begin(source, explorer.sink.ledger.transitions());
    explorer.restore(source, frontier.hidden(source), depth);
    if explorer.predict(frontier)? {
        return store_successors(explorer, frontier);
    }
    explorer.offer(frontier)?;
    if explorer.prefetch() {
        return store_successors(explorer, frontier);
    }
    let steps = &explorer.expander.steps.enabled;
    frontier.open.extend(steps.iter().rev());
    take_open(explorer, frontier, steps.len())
}

/// Stores the successors that the expander has listed.
fn store_successors<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let epoch = explorer.sink.epoch();
    let source = frontier.at;
    // Where transient states are stored, a state is recorded with its steps, not with the number of its
    // branch.
    let mut visits = explorer.expander.visits();
    let mut is_valid = true;
    for at in 0..explorer.expander.successors.len() {
        let mut next = explorer.expander.successors[at];
        if !is_valid {
            next.ticket = Ticket::NONE;
        }
        if next.ticket != Ticket::NONE && !visits {
            if let Taken::New(_) = explorer.store(next, source, frontier)? {
                or_stop(frontier.note(explorer.sink.ledger.transitions()))?;
            }
            continue;
        }
        if next.ticket != Ticket::NONE || next.branch > 0 {
            if let Taken::New(id) = explorer.take_predicted(next, source, 0, frontier)? {
                frontier.visit(explorer, id, next.step)?;
            }
            explorer.back();
        } else {
            let successors = std::mem::take(&mut explorer.expander.successors);
            frontier.open.push(next.step);
            take_open(explorer, frontier, 1)?;
            explorer.expander.successors = successors;
        }
        // Steps that are fired may store transient states, and states without a ticket may begin an epoch.
        visits = explorer.expander.visits();
        is_valid = explorer.sink.epoch() == epoch;
    }
    Continue(())
}

/// Takes the last `left` open steps, and those of the transient states to which they lead.
fn take_open<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier,
    mut left: usize,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let source = frontier.at;
    loop {
        if left == 0 {
            let Some((below, _)) = frontier.passing.pop() else { return Continue(()) };
            left = below;
            explorer.expander.undo();
            continue;
        }
        left -= 1;
        // The steps of the current state are the last of the open ones.
        let step = frontier.open.pop().expect("as many are left");
        let target = match explorer.take(step, source, frontier.passing.len(), frontier)? {
            Taken::New(id) => {
                frontier.visit(explorer, id, step)?;
                Some(id)
            }
            Taken::Seen(id) => id,
            Taken::Passing => {
                frontier.passing.push((left, step));
                explorer.offer(frontier)?;
                let steps = &explorer.expander.steps.enabled;
                frontier.open.extend(steps.iter().rev());
                left = steps.len();
                continue;
            }
            Taken::Stayed => continue,
        };
        explorer.back();
        while explorer.folds() && left > 0 && frontier.open.last() == Some(&step) {
            frontier.open.pop();
            left -= 1;
            explorer.repeat(step, source, target, frontier)?;
        }
    }
}

/// How states were reached, and what is left of the state that is being expanded.
struct Frontier {
    ancestry: Ancestry,
    /// By state: the number of its hidden data. Empty if the system has no hidden data.
    hidden: Chunked<u32>,
    /// The state that is being expanded, and the number of transitions counted before its expansion.
    at: StateId,
    before: u64,
    /// The path from there through transient states: each step, and the number of steps left before it.
    passing: Vec<(usize, Step)>,
    /// The steps that are still to be taken, the first ones last.
    open: Vec<Step>,
    /// One step may stand for several.
    folds: bool,
}

impl Frontier {
    fn new(budget: &Budget, folds: bool) -> Self {
        Self {
            ancestry: Ancestry::new(budget),
            hidden: Chunked::new(budget),
            at: StateId(0),
            before: 0,
            passing: Vec::new(),
            open: Vec::new(),
            folds,
        }
    }

    /// Starts the expansion of a state.
    fn begin(&mut self, source: StateId, transitions: u64) {
        (self.at, self.before) = (source, transitions);
    }

    /// Records that the last of `transitions` led to a new state.
    #[inline]
    fn note(&mut self, transitions: u64) -> Result<(), Full> {
        self.ancestry.push(self.at, Branch::Number((transitions - self.before - 1) as u32))
    }

    /// Checks the state that was just stored, at which the explorer is, and records how it was reached.
    fn visit<S, T>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        id: StateId,
        step: Step,
    ) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        or_stop(if explorer.expander.stores_transient {
            let later = &explorer.expander.later;
            let mut steps = Vec::new();
            let count = self.passing.len() + 1 + later.len();
            or_stop(steps.try_reserve_exact(count).map_err(|_| Full::Memory))?;
            steps.extend(
                self.passing.iter().map(|&(_, step)| step).chain([step]).chain(later.iter().copied()),
            );
            self.ancestry.push(self.at, Branch::Steps(steps))
        } else {
            self.note(explorer.sink.ledger.transitions())
        })?;
        self.keep_hidden(explorer)?;
        let passing = std::mem::take(&mut self.passing);
        let at = std::mem::replace(&mut self.at, id);
        explorer.check(self)?;
        self.at = at;
        self.passing = passing;
        Continue(())
    }

    /// Saves the hidden data of the state at which the explorer is, if states have any.
    fn keep_hidden<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        match explorer.hidden() {
            Some(hidden) => or_stop(self.hidden.push(hidden)),
            None => Continue(()),
        }
    }

    fn hidden(&self, id: StateId) -> u32 {
        if self.hidden.is_empty() { 0 } else { self.hidden[id.index()] }
    }
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Path<S, T> for Frontier {
    fn trail(&self, system: &S, _: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let chain = chain(system, &self.ancestry.branches_to(self.at), self.folds);
        let passing: Vec<Step> = self.passing.iter().map(|&(_, step)| step).collect();
        system.retrace(&chain, &passing, last).into()
    }

    fn open(&self, stored: usize) -> Open {
        Open::Frontier(stored.saturating_sub(self.at.index()))
    }
}
