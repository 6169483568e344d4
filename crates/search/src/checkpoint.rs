//! Points of a breadth-first search from which another process can go on.
//!
//! Between two expansions, a search is what it has stored, what it has counted and found, and how it reached
//! each state: the states are numbered in the order in which they were stored, and expanded in that order, so
//! the number of expanded states says what is left. With several workers, each round begins at such a
//! point. Since nothing of it depends on the number of workers, the search may go on with another one, and
//! ends as it would have ended.
//!
//! A search that is stopped in the middle of an expansion goes back to the point before it: the counts of
//! that moment are noted ([`Mark`]), and what was stored since is left out.

use std::io;

use store::{Extent, Input, Output, StateId, StateStore, damaged};
use system::{TransitionSystem, has_room, is_abandoned};

use crate::ancestry::{Ancestry, Branch};
use crate::bfs::{Frontier, Level};
use crate::explore::Explorer;
use crate::ledger::Account;
use crate::outcome::StopReason;

/// Decides when points of a search are kept, and where.
pub trait Keeper {
    /// Whether the point is to be kept at which the search is now. Asked before every expansion.
    fn is_due(&mut self) -> bool;

    /// Keeps a point, which `write` writes.
    fn keep(&mut self, states: usize, write: &mut dyn FnMut(&mut dyn Output) -> io::Result<()>);
}

/// What a search has to do with points: where it keeps them, and from which one it goes on.
#[derive(Default)]
pub struct Checkpoints<'k> {
    pub keeper: Option<&'k mut dyn Keeper>,
    pub from: Option<&'k mut dyn Input>,
}

/// The keeper of a search, and the point before the current expansion.
pub struct Keeping<'k> {
    keeper: &'k mut dyn Keeper,
    mark: Mark,
    /// See [`Extent::void`].
    pub void: Vec<u64>,
}

/// A point of a search, without the states.
#[derive(Default)]
struct Mark {
    states: usize,
    expanded: usize,
    level_end: usize,
    depth: u32,
    stores_transient: bool,
    account: Account,
    /// What the system has counted.
    counted: Vec<u64>,
    /// The point can be kept: nothing before it was left out, and the counts are not void.
    is_sound: bool,
}

impl<'k> Keeping<'k> {
    pub fn new(keeper: &'k mut dyn Keeper) -> Self {
        Self { keeper, mark: Mark::default(), void: Vec::new() }
    }

    /// Notes the point before an expansion, and keeps it if that is due.
    pub fn pass<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>, ancestry: &Ancestry, level: &Level)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        self.note(explorer, level);
        if self.keeper.is_due() {
            self.keep(explorer, ancestry);
        }
    }

    /// Notes a point.
    pub fn note<S, T>(&mut self, explorer: &Explorer<'_, S, T>, level: &Level)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        self.mark.note(explorer, level);
    }

    /// Keeps the last point when a limit or a user has ended the search.
    pub fn end<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>, ancestry: &Ancestry, reason: StopReason)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        if matches!(reason, StopReason::Interrupted | StopReason::Time | StopReason::Memory) {
            self.keep(explorer, ancestry);
        }
    }

    fn keep<S, T>(&mut self, explorer: &mut Explorer<'_, S, T>, ancestry: &Ancestry)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        let Self { keeper, mark, void } = self;
        let expander = &mut explorer.expander;
        // If there was too little memory for a step, it is not known since when.
        if mark.is_sound && has_room(expander.system, &mut expander.state) {
            let store = &mut *explorer.sink.store;
            keeper.keep(mark.states, &mut |out| mark.write(store, ancestry, void, out));
        }
    }
}

impl Mark {
    fn note<S, T>(&mut self, explorer: &Explorer<'_, S, T>, level: &Level)
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        let Explorer { expander, sink, .. } = explorer;
        if is_abandoned(expander.system, &expander.state) {
            self.is_sound = false;
            return;
        }
        self.states = sink.store.len();
        (self.expanded, self.level_end, self.depth) = (level.left.start, level.left.end, level.depth);
        self.stores_transient = expander.stores_transient;
        sink.ledger.note_account(&mut self.account);
        self.counted.clear();
        let statistics = expander.system.statistics();
        self.is_sound = statistics.is_none_or(|system| system.write(&expander.state, &mut self.counted));
    }

    fn write<T: StateStore + ?Sized>(
        &self,
        store: &mut T,
        ancestry: &Ancestry,
        void: &[u64],
        out: &mut dyn Output,
    ) -> io::Result<()> {
        out.put(self.states as u64)?;
        out.put(self.expanded as u64)?;
        out.put(self.level_end as u64)?;
        out.put(self.depth.into())?;
        out.put(self.stores_transient.into())?;
        self.account.write(out)?;
        out.put(self.counted.len() as u64)?;
        self.counted.iter().try_for_each(|&word| out.put(word))?;
        let mut last = 0;
        for (parent, branch) in ancestry.ways().take(self.states - 1) {
            out.put(parent - last)?;
            last = parent;
            match branch {
                Branch::Number(number) => out.put(u64::from(number) << 1)?,
                Branch::Steps(steps) => {
                    out.put((steps.len() as u64) << 1 | 1)?;
                    steps.iter().try_for_each(|&step| put_step(step, out))?;
                }
            }
        }
        store.save(&Extent { states: self.states, asked: self.expanded, void }, out)
    }
}

/// Makes a search stand at the point that was written, instead of at the initial state.
///
/// # Errors
///
/// If the point can't be read, if it is not one of a search of this system, or if there is no memory for it.
pub fn go_to<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier<'_>,
    input: &mut dyn Input,
) -> io::Result<Level>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    let states = input.number(StateId::LIMIT)?;
    let expanded = input.number(states)?;
    let end = input.number(states)?;
    let depth = input.number(u32::MAX as usize)? as u32;
    if expanded > end {
        return Err(damaged());
    }
    let Explorer { expander, sink, .. } = explorer;
    expander.stores_transient = input.number(1)? == 1;
    sink.ledger.take_over(Account::read(input)?);
    let words = input.number(1 << 24)?;
    let counted: Vec<u64> = (0..words).map(|_| input.take()).collect::<io::Result<_>>()?;
    let mut rest = &counted[..];
    if let Some(statistics) = expander.system.statistics() {
        // What it took to get to the initial state was counted before.
        statistics.take(&mut expander.state);
        statistics.add(statistics.read(&mut rest).ok_or_else(damaged)?);
    }
    if !rest.is_empty() {
        return Err(damaged());
    }
    let mut parent = 0;
    for state in 1..states {
        parent += input.number(expanded)?;
        if parent >= expanded.min(state) {
            return Err(damaged());
        }
        let word = input.number(u32::MAX as usize * 2 + 1)?;
        let branch = if word % 2 == 0 {
            Branch::Number((word / 2) as u32)
        } else {
            Branch::Steps((0..word / 2).map(|_| take_step(input)).collect::<io::Result<_>>()?)
        };
        frontier.ancestry.push(StateId(parent as u64), branch)?;
    }
    frontier.walk.at = StateId(expanded.saturating_sub(1) as u64);
    sink.store.load(input)?;
    if sink.store.len() != states {
        return Err(damaged());
    }
    Ok(Level { depth, left: expanded..end })
}

/// Writes a step.
///
/// # Errors
///
/// As [`Output::put`].
pub fn put_step(step: system::Step, out: &mut dyn Output) -> io::Result<()> {
    [step.thread, step.transition, step.choice].into_iter().try_for_each(|part| out.put(part.into()))
}

/// Reads a step.
///
/// # Errors
///
/// As [`Input::take`].
pub fn take_step(input: &mut dyn Input) -> io::Result<system::Step> {
    let mut part = || input.number(u32::MAX as usize).map(|part| part as u32);
    Ok(system::Step { thread: part()?, transition: part()?, choice: part()? })
}
