//! The emptiness check: whether a system has a run that an automaton accepts.
//!
//! The automaton describes what must *not* happen: it is the automaton of a property's negation, or a never
//! claim. A run of the system that it accepts is a violation ([`FaultKind::AcceptanceCycle`]). If everything
//! was explored and there is no such run, the property holds.
//!
//! ```text
//! emptiness ─ components  a component with all marks ─┬─ witness     a short cycle in it ──┬─ lasso  a run
//!                  ├─ threads  that is fair,          └─ fair_cycle  one that serves all ──┘    │
//!                  ├─ streett  or a part of it                                                  │
//!                  └─ product  the walk ───────────────── reader  what the automaton reads ─ node_edges
//! ```
//!
//! A state of the system is stored once, whatever the states of the automaton at it. A *node* is a pair of a
//! system state and an automaton state; what is known about a node is kept at an index computed from the two
//! numbers. Therefore the store must find states by their number. It must also be exact: a lossy store may
//! confuse two states, so that an edge to a new state seems to close a cycle, or a new cycle seems to have
//! been explored already.
//!
//! Where the automaton has no edge, the system is not followed further. Other violations (of assertions, for
//! example) that are found on the way are reported, but their absence is not established, unless the
//! automaton accepts every run. Transitions and violations are counted per node.

mod acceptance;
mod components;
mod fair_cycle;
mod lasso;
mod node_edges;
mod product;
mod reader;
mod streett;
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
use acceptance::{FAIR, Obligations, PLAIN, STRONG, Sets};
use fair_cycle::FairCycle;
pub use lasso::{Lasso, Move};
use lasso::{along, lift};
use product::ProductWalk;
use reader::Reader;
use threads::Threads;

/// Which runs count, as far as threads are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fairness {
    /// All runs.
    #[default]
    None,
    /// Every thread that is enabled for ever from some point on moves again and again.
    Weak,
    /// Every thread that is enabled again and again moves again and again.
    Strong,
}

/// The claim to be checked: an automaton for the runs that must not happen, and which runs count.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub automaton: &'a Automaton,
    pub fairness: Fairness,
    /// Transitions that a thread takes again and again if they are enabled again and again for it. Other runs
    /// do not count.
    pub fair_transitions: &'a [u32],
    /// Transitions that a thread takes again and again if they are enabled for it all the time, from some
    /// point on. Other runs do not count.
    pub weakly_fair_transitions: &'a [u32],
    /// A state without steps that is not a proper end is also a violation.
    pub reports_deadlocks: bool,
    /// Other violations (assertions, invariants, faults) are recorded and do not end the search.
    pub passes_by: bool,
    /// Finite runs are extended by staying in their last state for ever. If false, finite runs do not count.
    pub stutters: bool,
}

impl<'a> Claim<'a> {
    pub const fn new(automaton: &'a Automaton) -> Self {
        Self {
            automaton,
            fairness: Fairness::None,
            fair_transitions: &[],
            weakly_fair_transitions: &[],
            reports_deadlocks: false,
            passes_by: false,
            stutters: true,
        }
    }
}

/// Why a store cannot be used for the search for cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The store of this name is lossy: it may confuse two states.
    Lossy(&'static str),
    /// The store of this name does not find states by their number.
    Unindexed(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lossy(store) => write!(
                f,
                "the {store} store may take a state for another one, and so an edge for the end of a cycle: \
                 cycles need an exact store"
            ),
            Self::Unindexed(store) => {
                write!(f, "the {store} store does not find states again by number, which cycles need")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The result of an emptiness check.
#[derive(Clone, Debug)]
pub struct EmptinessResult {
    /// The outcome of the search. At most one violation is an acceptance cycle, and it is the last in the
    /// list.
    pub outcome: Outcome,
    /// The run of the acceptance cycle. If it is `None` although there is a violation, the trail of the
    /// violation leads to a state on a cycle that could not be reproduced, or to a state from which the
    /// automaton accepts every continuation, where a bound or a limit kept the search from finding the cycle.
    /// In a run that diverges, [`Move::to`] may be a state that the claim's automaton does not have.
    pub lasso: Option<Lasso>,
    /// There is a cycle that could not be reproduced as a run: names depend on more than the state, or memory
    /// or time ran out.
    pub cycle_not_reproduced: bool,
    /// The number of nodes: pairs of a system state and an automaton state.
    pub nodes: usize,
    /// For each state of the automaton, whether it was entered.
    pub entered: Vec<bool>,
    /// The combinations of propositions that held in the states visited; `None` if they are too many.
    pub seen: Option<Vec<u64>>,
}

const ACCEPTANCE_CYCLE: Fault = Fault { kind: FaultKind::AcceptanceCycle, site: 0 };

/// Searches for a run of `system` that the automaton accepts. An acceptance cycle always ends the search.
/// `store` must be empty.
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
        return Err(Refusal::Unindexed(store.kind()));
    }
    let mut explorer = Explorer::new(system, store, options, observer);
    explorer.reports_deadlocks = claim.reports_deadlocks;
    explorer.sink.ledger.passes_by = claim.passes_by;
    let reader = Reader::new(claim.automaton);
    let obligations = Obligations::new(claim.fairness, claim.fair_transitions, claim.weakly_fair_transitions);
    let budget = &options.budget;
    Ok(if obligations.is_empty() {
        let walk = ProductWalk::<_, _, PLAIN>::new(explorer, claim, &reader, &obligations, budget);
        by_components(walk, None, options)
    } else if obligations.is_weak() {
        let is_renamed = system.thread_names(&mut explorer.expander.state, &mut Vec::new());
        let threads = is_renamed.then(|| Threads::new(&reader, &obligations, budget));
        let walk = ProductWalk::<_, _, FAIR>::new(explorer, claim, &reader, &obligations, budget);
        by_components(walk, threads, options)
    } else {
        let threads = Some(Threads::new(&reader, &obligations, budget));
        let walk = ProductWalk::<_, _, STRONG>::new(explorer, claim, &reader, &obligations, budget);
        by_components(walk, threads, options)
    })
}

fn by_components<S, T, const N: usize>(
    mut walk: ProductWalk<'_, S, T, N>,
    threads: Option<Threads>,
    options: &Options<'_>,
) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let sets = walk.automaton.sets;
    // Where threads are examined one by one, their slots are not acceptance sets.
    let by_threads = threads.is_some();
    let all = if by_threads { Sets::of(Marks::all(sets)) } else { Sets::all(sets) };
    match components::search(&mut walk, all, threads, &options.budget) {
        Break(reason) => ended(walk, Some(reason)),
        Continue(None) => ended(walk, None),
        Continue(Some(component)) => violated(walk, component.head, |walk, level| {
            if !by_threads {
                let cycle = witness::cycle(walk, &component, all, &options.budget)?;
                return lift(walk, level, &[], |edges, state| along(&cycle, edges, state));
            }
            let fair_cycle = FairCycle::new(walk, &component, &options.budget)?;
            lift(walk, level, fair_cycle.lead(), |edges, state| fair_cycle.walk::<_, _, N>(edges, state))
        }),
    }
}

/// Finishes a search that found no cycle. It may have found a path to a state from which the automaton
/// accepts every continuation.
fn ended<S, T, const N: usize>(walk: ProductWalk<'_, S, T, N>, reason: Option<StopReason>) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let ProductWalk { mut explorer, stack, nodes, mut entered, accepting_sink, seen, reader, .. } = walk;
    entered.truncate(reader.diverging.index());
    if let Some(trail) = accepting_sink {
        explorer.sink.ledger.record(ACCEPTANCE_CYCLE, trail);
    }
    let outcome = explorer.finish(reason.map_or(Continue(()), Break), &stack);
    EmptinessResult { outcome, lasso: None, cycle_not_reproduced: false, nodes, entered, seen: seen.all() }
}

/// Finishes a search that found a cycle through `head`, which is on the stack. `lasso` follows the cycle from
/// there.
fn violated<'a, S, T, const N: usize>(
    mut walk: ProductWalk<'a, S, T, N>,
    head: product::Node,
    lasso: impl FnOnce(&mut ProductWalk<'a, S, T, N>, usize) -> Option<Lasso>,
) -> EmptinessResult
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let met = walk.stack.trail(walk.explorer.expander.system, &mut *walk.explorer.sink.store, None);
    let level = walk.stack.nodes().find(|(_, level)| level.node == head).map(|(level, _)| level);
    let lasso = level.and_then(|level| lasso(&mut walk, level));
    let trail = lasso.as_ref().map_or(met, Lasso::trail);
    walk.accepting_sink = Some(trail);
    let cycle_not_reproduced = lasso.is_none();
    // Following the cycle may have run into a limit.
    let reason = walk
        .explorer
        .sink
        .ledger
        .stopped
        .filter(|_| cycle_not_reproduced)
        .unwrap_or(StopReason::FirstViolation);
    EmptinessResult { lasso, cycle_not_reproduced, ..ended(walk, Some(reason)) }
}
