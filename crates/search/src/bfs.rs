//! Breadth-first search.
//!
//! States are numbered in the order of insertion, so the queue is implicit: the states to expand are those from `next` to the
//! end of the store, which gives them back in their order, and a level ends where the store ended when the level began. Beside the
//! store there is only how each state was met first ([`crate::ancestry`]), from which trails are rebuilt.
//!
//! Where the system remembers what its threads can do ([`TransitionSystem::turn`]), the search does not even go to the
//! successors of a state, unless there is something to see: they are stored by what the steps write.
//!
//! States are met in the order of their distance, so the first trail to a fault is a shortest one to that fault.
//! Between faults there is a difference of one step: a successor is checked while its parent is expanded, but
//! whether it is a deadlock shows when its own turn comes.

use std::ops::ControlFlow::{self, Continue};

use store::{Budget, Chunked, Full, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::ancestry::{Ancestry, Way, chain};
use crate::explore::{Explorer, Path, Taken, or_stop};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::trail::Trail;

/// Explores the states of `system` in the order of their distance from the initial one. `store` is empty.
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
    frontier.remember(explorer)?;
    explorer.check(frontier)?;
    let (mut depth, mut level_end) = (0, 1);
    for next in 0.. {
        if next == explorer.store.len() {
            break;
        }
        if next == level_end {
            (depth, level_end) = (depth + 1, explorer.store.len());
        }
        let source = StateId(next as u32);
        frontier.begin(source, explorer.ledger.transitions());
        explorer.maintain();
        explorer.restore(source, frontier.memo(source), depth);
        if explorer.foresee(frontier)? {
            expand_prepared(explorer, frontier)?;
        } else {
            explorer.offer(frontier)?;
            if explorer.look_ahead() {
                expand_prepared(explorer, frontier)?;
            } else {
                expand(explorer, frontier)?;
            }
        }
    }
    Continue(())
}

/// Takes all steps of a stored state, for which the store is prepared.
fn expand_prepared<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let epoch = explorer.epoch();
    let (source, mut way) = (frontier.at, 0);
    for at in 0..explorer.ahead.len() {
        let (step, mut ticket) = explorer.ahead[at];
        // Where transient states were stored, the steps tell how a state was met, and not their number.
        let goes = explorer.sees() || explorer.stores_transient;
        if explorer.epoch() != epoch {
            ticket = Ticket::NONE;
        }
        let is_same = |other: Option<&(Step, Ticket)>| other.is_some_and(|&(other, _)| other == step);
        let follows = at > 0 && is_same(explorer.ahead.get(at - 1));
        way = if follows { way + 1 } else { usize::from(is_same(explorer.ahead.get(at + 1))) };
        let taken = if ticket != Ticket::NONE && !goes {
            explorer.store_prepared(step, ticket, source, frontier)?
        } else if ticket != Ticket::NONE {
            explorer.take_prepared(step, way.saturating_sub(1), ticket, source, frontier)?
        } else if way > 0 {
            explorer.take_way(step, way - 1, source, frontier)?
        } else {
            let ahead = std::mem::take(&mut explorer.ahead);
            frontier.open.push(step);
            expand_open(explorer, frontier, 1)?;
            explorer.ahead = ahead;
            continue;
        };
        if let Taken::New(id) = taken {
            let has_moved = goes || ticket == Ticket::NONE;
            if has_moved {
                frontier.see(explorer, id, step)?;
                for _ in 0..=explorer.way.len() {
                    explorer.undo();
                }
            } else {
                or_stop(frontier.note(explorer.ledger.transitions()))?;
            }
        }
    }
    Continue(())
}

/// Takes all steps of a stored state.
fn expand<S, T>(explorer: &mut Explorer<'_, S, T>, frontier: &mut Frontier) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    frontier.open.extend(explorer.steps.enabled.iter().rev());
    expand_open(explorer, frontier, explorer.steps.enabled.len())
}

/// Takes the last steps that are open, and those of the transient states they lead to.
fn expand_open<S, T>(
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
            explorer.undo();
            continue;
        }
        left -= 1;
        // Of the steps that are open, those of the state at hand are the last ones.
        let step = frontier.open.pop().expect("as many are left");
        let mut target = None;
        match explorer.take(step, source, frontier.passing.len(), frontier)? {
            Taken::New(id) => {
                frontier.see(explorer, id, step)?;
                explorer.undo();
                target = Some(Some(id));
            }
            Taken::Seen(id) => {
                explorer.undo();
                target = Some(id);
            }
            Taken::Passing => {
                frontier.passing.push((left, step));
                explorer.offer(frontier)?;
                frontier.open.extend(explorer.steps.enabled.iter().rev());
                left = explorer.steps.enabled.len();
            }
            Taken::Stayed => {}
        }
        if let Some(target) = target.filter(|_| explorer.folds()) {
            while left > 0 && frontier.open.last() == Some(&step) {
                frontier.open.pop();
                left -= 1;
                explorer.repeat(step, source, target, frontier)?;
            }
        }
    }
}

struct Frontier {
    ancestry: Ancestry,
    /// Of systems that have them.
    memos: Chunked<u32>,
    /// The state that the search looks at, and how many transitions there were before.
    at: StateId,
    before: u64,
    /// The way from there through transient states: the steps taken, and how many were left before each.
    passing: Vec<(usize, Step)>,
    /// Steps that are still to be taken, the first ones last.
    open: Vec<Step>,
    /// Whether one step may stand for several.
    folds: bool,
}

impl Frontier {
    fn new(budget: &Budget, folds: bool) -> Self {
        Self {
            ancestry: Ancestry::new(budget),
            memos: Chunked::new(budget),
            at: StateId(0),
            before: 0,
            passing: Vec::new(),
            open: Vec::new(),
            folds,
        }
    }

    /// Looks at the next state.
    fn begin(&mut self, source: StateId, transitions: u64) {
        (self.at, self.before) = (source, transitions);
    }

    /// The last of so many transitions led to a new state.
    #[inline]
    fn note(&mut self, transitions: u64) -> Result<(), Full> {
        self.ancestry.push(self.at.0, Way::Number((transitions - self.before - 1) as u32))
    }

    /// Looks at a state that was just stored, where the explorer stands, and takes note of it.
    fn see<S, T>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        id: StateId,
        step: Step,
    ) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        or_stop(if explorer.stores_transient {
            let passing = self.passing.iter().map(|&(_, step)| step);
            let mut steps = Vec::new();
            let count = self.passing.len() + 1 + explorer.way.len();
            or_stop(steps.try_reserve_exact(count).map_err(|_| Full::Memory))?;
            steps.extend(passing.chain([step]).chain(explorer.way.iter().copied()));
            self.ancestry.push(self.at.0, Way::Steps(steps))
        } else {
            self.note(explorer.ledger.transitions())
        })?;
        self.remember(explorer)?;
        let passing = std::mem::take(&mut self.passing);
        let at = std::mem::replace(&mut self.at, id);
        explorer.check(self)?;
        self.at = at;
        self.passing = passing;
        Continue(())
    }

    /// Keeps the memo of the state that the explorer stands at, if states have any.
    fn remember<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        match explorer.memo() {
            Some(memo) => or_stop(self.memos.push(memo)),
            None => Continue(()),
        }
    }

    fn memo(&self, id: StateId) -> u32 {
        if self.memos.is_empty() { 0 } else { self.memos[id.index()] }
    }
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Path<S, T> for Frontier {
    fn trail(&self, system: &S, _: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let chain = chain(system, &self.ancestry.ways_to(self.at.0), self.folds);
        if self.passing.is_empty() {
            return system.retrace(&chain, last).into();
        }
        // Systems with transient states have one name for everything, whether a state was decoded or not.
        let mut steps = system.retrace(&chain, None);
        steps.extend(self.passing.iter().map(|&(_, step)| step));
        steps.extend(last.map(|(step, _)| step));
        steps.into()
    }

    fn open(&self, stored: usize) -> Open {
        Open::Frontier(stored.saturating_sub(self.at.index()))
    }
}
