//! Breadth-first search.
//!
//! Ids are handed out in the order of insertion, so the queue is implicit: the states to expand are those from
//! `next` to the end of the store, and a level ends where the store ended when the level began. A state is
//! decoded when its turn comes. Beside the store there is only the parent of each state, four bytes, from which
//! trails are rebuilt.
//!
//! States are met in the order of their distance, so the first trail to a fault is a shortest one to that fault.
//! Between faults there is a difference of one step: a successor is checked while its parent is expanded, but
//! whether it is a deadlock shows when its own turn comes.

use std::ops::ControlFlow::{self, Continue};

use store::{Budget, Chunked, StateId, StateStore};
use system::{Encoding, Fault, Step, TransitionSystem};

use crate::explore::{Explorer, Path, Taken, or_stop};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
use crate::trail::Trail;

/// Explores the states of `system` in the order of their distance from the initial one. `store` is empty.
pub fn bfs<S, T, O>(system: &S, store: &mut T, options: &Options<'_>, observer: &mut O) -> Outcome
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut frontier = Frontier::new(&options.budget);
    let end = explore(&mut explorer, &mut frontier);
    explorer.finish(end, &frontier)
}

fn explore<S, T, O>(explorer: &mut Explorer<'_, S, T, O>, frontier: &mut Frontier) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let initial = explorer.start(frontier)?;
    // The initial state is its own parent, which ends every chain.
    frontier.push(explorer, initial)?;
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
        frontier.at = source;
        explorer.restore(source, frontier.memo(source), depth);
        explorer.offer(frontier)?;
        expand(explorer, frontier, source)?;
    }
    Continue(())
}

/// Takes all steps of a stored state, and those of the transient states they lead to.
fn expand<S, T, O>(
    explorer: &mut Explorer<'_, S, T, O>,
    frontier: &mut Frontier,
    source: StateId,
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    frontier.open.extend(explorer.steps.enabled.iter().rev());
    let mut left = explorer.steps.enabled.len();
    loop {
        if left == 0 {
            let Some((below, _)) = frontier.passing.pop() else { return Continue(()) };
            left = below;
            explorer.undo();
            explorer.depth -= 1;
            continue;
        }
        left -= 1;
        // Of the steps that are open, those of the state at hand are the last ones.
        let step = frontier.open.pop().expect("as many are left");
        match explorer.take(step, source, frontier.passing.len(), frontier)? {
            Taken::New(id) => {
                frontier.push(explorer, source)?;
                let passing = std::mem::take(&mut frontier.passing);
                frontier.at = id;
                explorer.check(frontier)?;
                frontier.at = source;
                frontier.passing = passing;
                explorer.undo();
            }
            Taken::Seen => explorer.undo(),
            Taken::Passing => {
                frontier.passing.push((left, step));
                explorer.depth += 1;
                explorer.offer(frontier)?;
                frontier.open.extend(explorer.steps.enabled.iter().rev());
                left = explorer.steps.enabled.len();
            }
            Taken::Stayed => {}
        }
    }
}

struct Frontier {
    parents: Chunked<StateId>,
    /// Of systems that have them.
    memos: Chunked<u32>,
    /// The state that the search looks at.
    at: StateId,
    /// The way from there through transient states: the steps taken, and how many were left before each.
    passing: Vec<(usize, Step)>,
    /// Steps that are still to be taken, the first ones last.
    open: Vec<Step>,
}

impl Frontier {
    fn new(budget: &Budget) -> Self {
        Self {
            parents: Chunked::new(budget),
            memos: Chunked::new(budget),
            at: StateId(0),
            passing: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Takes note of the state that the explorer stands at, the last one stored.
    fn push<S, T, O>(
        &mut self,
        explorer: &mut Explorer<'_, S, T, O>,
        parent: StateId,
    ) -> ControlFlow<StopReason>
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
        O: Observer,
    {
        if let Some(memo) = explorer.memo() {
            or_stop(self.memos.push(memo))?;
        }
        or_stop(self.parents.push(parent))
    }

    fn memo(&self, id: StateId) -> u32 {
        if self.memos.is_empty() { 0 } else { self.memos[id.index()] }
    }
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Path<S, T> for Frontier {
    fn trail(&self, system: &S, store: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let mut chain = vec![self.at];
        while let [.., first] = chain[..]
            && self.parents[first.index()] != first
        {
            chain.push(self.parents[first.index()]);
        }
        let decode = |&id: &StateId| {
            let mut encoding = Encoding::new();
            store.decode(id, &mut encoding);
            (encoding, self.memo(id))
        };
        let chain: Vec<(Encoding, u32)> = chain.iter().rev().map(decode).collect();
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
