//! Whether a system has a run that an automaton accepts.
//!
//! The automaton is what must *not* happen: that of a property's negation, or a never claim. A run of the
//! system that it accepts is a violation ([`FaultKind::AcceptanceCycle`]); if everything was explored and
//! there is none, the property holds.
//!
//! ```text
//! emptiness ── components   a component with all marks ─┬─ witness   a short cycle of nodes in it ──┬─ lasso   a run
//!                  ├─ threads   that is fair            └─ rounds    in which everybody has a turn ─┘     │
//!                  └─ product   the walk ──────────────────── reader   what the automaton reads ─────── around   edges of a node
//! ```
//!
//! A system state is stored once, whatever states the automaton is in; what is known of a node, a pair of
//! both, is at a place that follows from their numbers. So the store has to find states again by number, and
//! to be exact: with a lossy one, an edge to another state would be taken for one that closes a cycle, and a
//! cycle for one that was seen.
//!
//! Where the automaton cannot go on, the system is not followed: other violations (assertions, say) are found
//! on the way and are reported, but their absence is not established, except if the automaton accepts all
//! that is possible. Counts of transitions and of violations are by node.

mod around;
mod components;
mod lasso;
mod marks;
mod product;
mod reader;
mod rounds;
mod threads;
mod witness;

use std::fmt;
use std::ops::ControlFlow::{Break, Continue};

use ltl::{Automaton, Marks};
use store::{Access, StateStore};
use system::{Fault, FaultKind, Temporal};

use crate::explore::{Explorer, Path};
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
pub use lasso::{Lasso, Move};
use lasso::{along, lift};
use marks::{FAIR, PLAIN, Sets};
use product::Walk;
use reader::Reader;
use rounds::Rounds;
use threads::Threads;

/// What must not happen, and how to look for it.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub automaton: &'a Automaton,
    /// Only runs count in which every thread that is enabled for ever from some point on moves again and
    /// again.
    pub is_fair: bool,
    /// A state without steps that is no proper end is a violation, too.
    pub reports_deadlocks: bool,
    /// Violations of something else (assertions, invariants, faults) are recorded and do not end the search.
    pub passes_by: bool,
    /// Finite runs are extended by staying in their last state for ever. Otherwise they do not count.
    pub stutters: bool,
}

impl<'a> Claim<'a> {
    pub const fn new(automaton: &'a Automaton) -> Self {
        Self { automaton, is_fair: false, reports_deadlocks: false, passes_by: false, stutters: true }
    }
}

/// Why cycles cannot be looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The store of this name takes some states for others.
    Lossy(&'static str),
    /// The store of this name does not find states again by number.
    Unnumbered(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lossy(store) => write!(
                f,
                "the {store} store may take a state for another one, and so an edge for the end of a cycle: \
                 cycles need an exact store"
            ),
            Self::Unnumbered(store) => {
                write!(f, "the {store} store does not find states again by number, which cycles need")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// What the search found.
#[derive(Clone, Debug)]
pub struct EmptinessResult {
    /// Of its violations, at most one is an acceptance cycle, and then the last one.
    pub outcome: Outcome,
    /// The run of the acceptance cycle. Without it, the trail of the violation leads to a state on a cycle
    /// that could not be followed, or to one from which the automaton accepts whatever happens, where a bound
    /// or a limit kept the search from the cycle. In a run that diverges, [`Move::to`] is a state that the
    /// claim's automaton does not have.
    pub lasso: Option<Lasso>,
    /// There is a cycle that could not be followed: names depend on more than the state, or memory or time is
    /// short.
    pub cycle_not_reproduced: bool,
    /// Pairs of a state of the system and one of the automaton.
    pub nodes: usize,
    /// Which states of the automaton were entered.
    pub entered: Vec<bool>,
    /// The combinations of propositions that held in states that were looked at, unless they are very many.
    pub seen: Option<Vec<u64>>,
}

const ACCEPTANCE_CYCLE: Fault = Fault { kind: FaultKind::AcceptanceCycle, site: 0 };

/// Looks for a run of `system` that the automaton accepts; an acceptance cycle ends the search in any case.
/// `store` is empty.
pub fn emptiness<S, T>(
    system: &S,
    store: &mut T,
    claim: &Claim<'_>,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<EmptinessResult, Refusal>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    if store.omissions().is_some() {
        return Err(Refusal::Lossy(store.kind()));
    }
    if store.access() != Access::ById {
        return Err(Refusal::Unnumbered(store.kind()));
    }
    let mut explorer = Explorer::new(system, store, options, observer);
    explorer.reports_deadlocks = claim.reports_deadlocks;
    explorer.sink.ledger.passes_by = claim.passes_by;
    let reader = Reader::new(claim.automaton);
    Ok(if claim.is_fair {
        let is_renamed = system.thread_names(&mut explorer.expander.state, &mut Vec::new());
        let threads = is_renamed.then(|| Threads::new(&reader, &options.budget));
        let walk = Walk::<_, _, FAIR>::new(explorer, claim, &reader, &options.budget);
        by_components(walk, threads, options)
    } else {
        let walk = Walk::<_, _, PLAIN>::new(explorer, claim, &reader, &options.budget);
        by_components(walk, None, options)
    })
}

fn by_components<S, T, const N: usize>(
    mut walk: Walk<'_, S, T, N>,
    threads: Option<Threads>,
    options: &Options<'_>,
) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let sets = walk.automaton.sets;
    // Where threads are renamed, a set for each says nothing.
    let is_renamed = threads.is_some();
    let all = if is_renamed { Sets::of(Marks::all(sets)) } else { Sets::all(sets) };
    match components::search(&mut walk, all, threads, &options.budget) {
        Break(reason) => ended(walk, Some(reason)),
        Continue(None) => ended(walk, None),
        Continue(Some(component)) => violated(walk, component.head, |walk, level| {
            if !is_renamed {
                let turns = witness::cycle(walk, &component, all, &options.budget)?;
                return lift(walk, level, |around, state| along(&turns, around, state));
            }
            let rounds = Rounds::new(walk, &component, &options.budget)?;
            lift(walk, level, |around, state| rounds.walk::<_, _, N>(around, state))
        }),
    }
}

/// The end of a search that found no cycle. It may have found a way to a place where all that follows is
/// accepted.
fn ended<S, T, const N: usize>(walk: Walk<'_, S, T, N>, reason: Option<StopReason>) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let Walk { mut explorer, stack, nodes, mut entered, doomed, seen, reader, .. } = walk;
    entered.truncate(reader.diverging.index());
    if let Some(trail) = doomed {
        explorer.sink.ledger.record(ACCEPTANCE_CYCLE, trail);
    }
    let outcome = explorer.finish(reason.map_or(Continue(()), Break), &stack);
    EmptinessResult { outcome, lasso: None, cycle_not_reproduced: false, nodes, entered, seen: seen.all() }
}

/// The end of a search that found a cycle through `head`, which is on the stack. `lasso` follows it from
/// there.
fn violated<'a, S, T, const N: usize>(
    mut walk: Walk<'a, S, T, N>,
    head: product::Node,
    lasso: impl FnOnce(&mut Walk<'a, S, T, N>, usize) -> Option<Lasso>,
) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let met = walk.stack.trail(walk.explorer.expander.system, &mut *walk.explorer.sink.store, None);
    let level = walk.stack.nodes().find(|(_, level)| level.node == head).map(|(level, _)| level);
    let lasso = level.and_then(|level| lasso(&mut walk, level));
    let trail = lasso.as_ref().map_or(met, Lasso::trail);
    walk.doomed = Some(trail);
    let cycle_not_reproduced = lasso.is_none();
    // Following the cycle may have taken too long.
    let reason = walk
        .explorer
        .sink
        .ledger
        .stopped
        .filter(|_| cycle_not_reproduced)
        .unwrap_or(StopReason::FirstViolation);
    EmptinessResult { lasso, cycle_not_reproduced, ..ended(walk, Some(reason)) }
}
