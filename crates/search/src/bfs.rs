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

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;

use store::{Budget, Chunked, Full, Input, StateId, StateStore, Ticket};
use system::{Fault, Step, TransitionSystem};

use crate::ancestry::{Ancestry, Branch, chain};
use crate::checkpoint::{Checkpoints, Keeper, Keeping, go_to};
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
    bfs_from(system, store, options, observer, Checkpoints::default())
        .expect("it begins at the initial state")
}

/// Like [`bfs()`], but may go on from a point of an earlier search, and keeps points of its own. Systems with
/// [hidden data](system::HiddenData) and observers of states have no such points.
///
/// # Errors
///
/// If the search can't go on from that point.
pub fn bfs_from<S, T>(
    system: &S,
    store: &mut T,
    options: &Options<'_>,
    observer: &mut dyn Observer,
    checkpoints: Checkpoints<'_>,
) -> io::Result<Outcome>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut frontier = Frontier::new(&options.budget, explorer.folds(), checkpoints.keeper);
    let end = match begin(&mut explorer, &mut frontier, checkpoints.from)? {
        Continue(mut level) => advance(&mut explorer, &mut frontier, &mut level, |_, _| false),
        Break(reason) => Break(reason),
    };
    Ok(finish(explorer, frontier, end))
}

/// The states at one distance from the initial one that are not expanded yet, by number.
pub struct Level {
    pub depth: u32,
    pub left: Range<usize>,
}

/// Goes to a point of an earlier search, or stores the initial state.
pub fn begin<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier<'_>,
    from: Option<&mut dyn Input>,
) -> io::Result<ControlFlow<StopReason, Level>>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    match from {
        Some(from) => go_to(explorer, frontier, from).map(Continue),
        None => Ok(start(explorer, frontier)),
    }
}

/// Keeps the last point if the search has not come to its end, and closes it.
pub fn finish<S, T>(
    mut explorer: Explorer<'_, S, T>,
    mut frontier: Frontier<'_>,
    end: ControlFlow<StopReason>,
) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    if let (Break(reason), Some(mut keeping)) = (end, frontier.keeping.take()) {
        keeping.end(&mut explorer, &frontier.ancestry, reason);
    }
    explorer.finish(end, &frontier)
}

/// Stores the initial state.
fn start<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier<'_>,
) -> ControlFlow<StopReason, Level>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    explorer.start(frontier)?;
    frontier.keep_hidden(explorer)?;
    explorer.check(frontier)?;
    Continue(Level { depth: 0, left: 0..1 })
}

/// Expands one state after the other, until `is_enough` or until there are no more.
pub fn advance<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier<'_>,
    level: &mut Level,
    is_enough: impl Fn(&Explorer<'_, S, T>, &Level) -> bool,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    while !level.left.is_empty() && !is_enough(explorer, level) {
        explorer.sink.maintain();
        frontier.pass(explorer, level);
        let source = level.left.start;
        expand(explorer, frontier, StateId(source as u64), level.depth)?;
        level.left.start += 1;
        level.go_on(explorer.sink.store.len());
    }
    Continue(())
}

impl Level {
    /// After the last state of a level comes the first one of the next. `stored` states are numbered.
    pub fn go_on(&mut self, stored: usize) {
        if self.left.is_empty() {
            *self = Self { depth: self.depth + 1, left: self.left.end..stored };
        }
    }
}

/// What is recorded about the states that are found while a state is expanded.
pub trait Record<S: TransitionSystem, T: StateStore + ?Sized>: Path<S, T> {
    fn walk(&mut self) -> &mut Walk;

    /// The number of the hidden data of a stored state.
    fn hidden(&self, id: StateId) -> u32;

    /// Records that the last of `transitions` led to a new state.
    fn note(&mut self, transitions: u64) -> ControlFlow<StopReason>;

    /// Checks the new state at which the explorer is, and records how it was reached.
    fn visit(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        id: StateId,
        step: Step,
    ) -> ControlFlow<StopReason>;
}

/// Stores the successors of a stored state.
#[inline]
pub fn expand<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    record: &mut impl Record<S, T>,
    source: StateId,
    depth: u32,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    record.walk().begin(source, explorer.sink.ledger.transitions());
    explorer.restore(source, record.hidden(source), depth);
    if explorer.predict(record)? {
        return store_successors(explorer, record);
    }
    explorer.offer(record)?;
    if explorer.prefetch() {
        return store_successors(explorer, record);
    }
    let steps = &explorer.expander.steps.enabled;
    record.walk().open.extend(steps.iter().rev());
    take_open(explorer, record, steps.len())
}

/// Stores the successors that the expander has listed.
fn store_successors<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    record: &mut impl Record<S, T>,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let epoch = explorer.sink.epoch();
    let source = record.walk().at;
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
            if let Taken::New(_) = explorer.store(next, source, record)? {
                record.note(explorer.sink.ledger.transitions())?;
            }
            continue;
        }
        if next.ticket != Ticket::NONE || next.branch > 0 {
            if let Taken::New(id) = explorer.take_predicted(next, source, 0, record)? {
                record.visit(explorer, id, next.step)?;
            }
            explorer.back();
        } else {
            let successors = std::mem::take(&mut explorer.expander.successors);
            record.walk().open.push(next.step);
            take_open(explorer, record, 1)?;
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
    record: &mut impl Record<S, T>,
    mut left: usize,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let source = record.walk().at;
    loop {
        let walk = record.walk();
        if left == 0 {
            let Some((below, _)) = walk.passing.pop() else { return Continue(()) };
            left = below;
            explorer.expander.undo();
            continue;
        }
        left -= 1;
        // The steps of the current state are the last of the open ones.
        let step = walk.open.pop().expect("as many are left");
        let passed = walk.passing.len();
        let target = match explorer.take(step, source, passed, record)? {
            Taken::New(id) => {
                record.visit(explorer, id, step)?;
                Some(id)
            }
            Taken::Seen(id) => id,
            Taken::Passing => {
                record.walk().passing.push((left, step));
                explorer.offer(record)?;
                let steps = &explorer.expander.steps.enabled;
                record.walk().open.extend(steps.iter().rev());
                left = steps.len();
                continue;
            }
            Taken::Stayed => continue,
        };
        explorer.back();
        while explorer.folds() && left > 0 && record.walk().open.last() == Some(&step) {
            record.walk().open.pop();
            left -= 1;
            explorer.repeat(step, source, target, record)?;
        }
    }
}

/// What is left of the state that is being expanded.
pub struct Walk {
    /// The state that is being expanded, and the number of transitions counted before its expansion.
    pub at: StateId,
    pub before: u64,
    /// The path from there through transient states: each step, and the number of steps left before it.
    pub passing: Vec<(usize, Step)>,
    /// The steps that are still to be taken, the first ones last.
    pub open: Vec<Step>,
}

impl Walk {
    pub const fn new() -> Self {
        Self { at: StateId(0), before: 0, passing: Vec::new(), open: Vec::new() }
    }

    /// Starts the expansion of a state.
    fn begin(&mut self, source: StateId, transitions: u64) {
        (self.at, self.before) = (source, transitions);
    }

    /// The number of transitions of the state before the last of `transitions`.
    #[inline]
    pub const fn number(&self, transitions: u64) -> u32 {
        (transitions - self.before - 1) as u32
    }
}

/// How states were reached.
pub struct Frontier<'k> {
    pub walk: Walk,
    pub ancestry: Ancestry,
    /// By state: the number of its hidden data. Empty if the system has no hidden data.
    hidden: Chunked<u32>,
    /// One step may stand for several.
    folds: bool,
    pub keeping: Option<Keeping<'k>>,
}

impl<'k> Frontier<'k> {
    pub fn new(budget: &Budget, folds: bool, keeper: Option<&'k mut dyn Keeper>) -> Self {
        let (ancestry, hidden) = (Ancestry::new(budget), Chunked::new(budget));
        Self { walk: Walk::new(), ancestry, hidden, folds, keeping: keeper.map(Keeping::new) }
    }

    /// Is told of each point of the search.
    #[inline]
    pub fn pass<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>, level: &Level)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        if let Some(keeping) = &mut self.keeping {
            keeping.pass(explorer, &self.ancestry, level);
        }
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
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Record<S, T> for Frontier<'_> {
    #[inline]
    fn walk(&mut self) -> &mut Walk {
        &mut self.walk
    }

    fn hidden(&self, id: StateId) -> u32 {
        if self.hidden.is_empty() { 0 } else { self.hidden[id.index()] }
    }

    #[inline]
    fn note(&mut self, transitions: u64) -> ControlFlow<StopReason> {
        or_stop(self.ancestry.push(self.walk.at, Branch::Number(self.walk.number(transitions))))
    }

    fn visit(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        id: StateId,
        step: Step,
    ) -> ControlFlow<StopReason> {
        if explorer.expander.stores_transient {
            let later = &explorer.expander.later;
            let mut steps = Vec::new();
            let passing = &self.walk.passing;
            let count = passing.len() + 1 + later.len();
            or_stop(steps.try_reserve_exact(count).map_err(|_| Full::Memory))?;
            steps.extend(passing.iter().map(|&(_, step)| step).chain([step]).chain(later.iter().copied()));
            or_stop(self.ancestry.push(self.walk.at, Branch::Steps(steps)))?;
        } else {
            Record::<S, T>::note(self, explorer.sink.ledger.transitions())?;
        }
        self.keep_hidden(explorer)?;
        let passing = std::mem::take(&mut self.walk.passing);
        let at = std::mem::replace(&mut self.walk.at, id);
        explorer.check(self)?;
        self.walk.at = at;
        self.walk.passing = passing;
        Continue(())
    }
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Path<S, T> for Frontier<'_> {
    fn trail(&self, system: &S, _: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let chain = chain(system, &self.ancestry.branches_to(self.walk.at), self.folds);
        let passing: Vec<Step> = self.walk.passing.iter().map(|&(_, step)| step).collect();
        system.retrace(&chain, &passing, last).into()
    }

    fn open(&self, stored: usize) -> Open {
        Open::Frontier(stored.saturating_sub(self.walk.at.index()))
    }
}
