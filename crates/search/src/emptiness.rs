//! Whether a system has a run that an automaton accepts.
//!
//! The automaton is what must *not* happen: that of a property's negation, or a never claim. A run of the system that it accepts is
//! a violation ([`FaultKind::AcceptanceCycle`]); if everything was explored and there is none, the property holds.
//!
//! ```text
//! emptiness ──┬─ components   a component with all marks ─┬─ witness   a short cycle of nodes in it ──┐
//!             │      └─ threads   that is fair            └─ rounds    in which everybody has a turn ─┤
//!             └─ nested       a cycle of nodes on the stack ──────────────────────────────────────────┴─ lasso   a run
//!                    └──────────┬─────────────┘                        └──────────────┬────────────────────┘
//!                            product  the walk                                      around  edges of a node
//! ```
//!
//! A system state is stored once, whatever states the automaton is in; what is known of a node, a pair of both, is at a place that follows
//! from their numbers. So the store has to find states again by number, and to be exact: with a lossy one, an edge to another state would be
//! taken for one that closes a cycle, and a cycle for one that was seen.
//!
//! Where the automaton cannot go on, the system is not followed: other violations (assertions, say) are found on the way and
//! are reported, but their absence is not established, except if the automaton accepts all that is possible. Counts of transitions and of violations are
//! by node, and where a nested search comes to a node again, by visit.

mod around;
mod components;
mod lasso;
mod marks;
mod nested;
mod product;
mod rounds;
mod threads;
mod witness;

use std::fmt;
use std::ops::ControlFlow::{Break, Continue};

use ltl::{Automaton, Marks};
use store::StateStore;
use system::{Fault, FaultKind, TransitionSystem};

use crate::explore::{Explorer, Path};
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::{Outcome, StopReason};
pub use lasso::{Identity, Lasso, Move};
use lasso::{Turn, along, lift};
use marks::{FAIR, PLAIN, Sets};
use nested::Nested;
use product::Walk;
use rounds::Rounds;
use threads::Threads;

/// What must not happen, and how to look for it.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub automaton: &'a Automaton,
    pub algorithm: Algorithm,
    /// Only runs count in which every thread that is enabled for ever from some point on moves again and again.
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
        Self {
            automaton,
            algorithm: Algorithm::Components,
            is_fair: false,
            reports_deadlocks: false,
            passes_by: false,
            stutters: true,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// By strongly connected components, for any automaton. Four bytes a node.
    Components,
    /// By nested depth-first search, for automata that are weak or have accepting states. Two bits a node.
    Nested,
}

/// Why cycles cannot be looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The store of this name takes some states for others.
    Lossy(&'static str),
    /// The store of this name does not find states again by number.
    Unnumbered(&'static str),
    /// A nested search needs accepting states.
    Generalized,
    /// A nested search has no sets for threads.
    FairNested,
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
            Self::Generalized => f.write_str(
                "a nested depth-first search needs an automaton with accepting states, and this one has several \
                 acceptance sets or accepting edges",
            ),
            Self::FairNested => f.write_str(
                "a nested depth-first search has one acceptance set, and fairness needs one for each thread",
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// What the search found.
#[derive(Clone, Debug)]
pub struct Emptiness {
    /// Of its violations, at most one is an acceptance cycle, and then the last one.
    pub outcome: Outcome,
    /// The run of the acceptance cycle. Without it, the trail of the violation leads to a state on a cycle that could not be followed, or
    /// to one from which the automaton accepts whatever happens, where a bound or a limit kept the search from the cycle.
    pub lasso: Option<Lasso>,
    /// There is a cycle that could not be followed: names depend on more than the state, or memory is short.
    pub is_lost: bool,
    /// Pairs of a state of the system and one of the automaton.
    pub nodes: usize,
    /// Which states of the automaton were entered.
    pub entered: Vec<bool>,
    /// The combinations of propositions that held in states that were looked at, unless they are very many.
    pub seen: Option<Vec<u64>>,
}

const ACCEPTANCE_CYCLE: Fault = Fault { kind: FaultKind::AcceptanceCycle, site: 0 };

/// Looks for a run of `system` that the automaton accepts; an acceptance cycle ends the search in any case. `store` is empty. If states with
/// equal encodings may differ in names, `identity` tells them apart.
pub fn emptiness<S, T, O>(
    system: &S,
    store: &mut T,
    claim: &Claim<'_>,
    identity: Option<Identity<'_, S>>,
    options: &Options<'_>,
    observer: &mut O,
) -> Result<Emptiness, Refusal>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    if store.omissions().is_some() {
        return Err(Refusal::Lossy(store.kind()));
    }
    if !store.rebuilds() {
        return Err(Refusal::Unnumbered(store.kind()));
    }
    let mut explorer = Explorer::new(system, store, options, observer);
    explorer.reports_deadlocks = claim.reports_deadlocks;
    explorer.passes_by = claim.passes_by;
    match (claim.algorithm, claim.is_fair) {
        (Algorithm::Nested, true) => Err(Refusal::FairNested),
        (Algorithm::Nested, false) => {
            let nested = Nested::new(claim.automaton, &options.budget).ok_or(Refusal::Generalized)?;
            let walk = Walk::new(explorer, claim, &options.budget);
            Ok(by_nesting(walk, nested, identity))
        }
        (Algorithm::Components, false) => {
            let walk = Walk::<_, _, _, PLAIN>::new(explorer, claim, &options.budget);
            Ok(by_components(walk, None, options, identity))
        }
        (Algorithm::Components, true) => {
            let is_renamed = system.thread_names(&mut explorer.state, &mut Vec::new());
            let threads = is_renamed.then(|| Threads::new(claim.automaton, &options.budget));
            let walk = Walk::<_, _, _, FAIR>::new(explorer, claim, &options.budget);
            Ok(by_components(walk, threads, options, identity))
        }
    }
}

fn by_components<S, T, O, const N: usize>(
    mut walk: Walk<'_, S, T, O, N>,
    threads: Option<Threads>,
    options: &Options<'_>,
    identity: Option<Identity<'_, S>>,
) -> Emptiness
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
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
                return lift(walk, level, identity, |around, state| along(&turns, around, state));
            }
            let rounds = Rounds::new(walk, &component, &options.budget)?;
            lift(walk, level, identity, |around, state| rounds.walk::<_, _, N>(around, state))
        }),
    }
}

fn by_nesting<S, T, O>(
    mut walk: Walk<'_, S, T, O, PLAIN>,
    mut nested: Nested,
    identity: Option<Identity<'_, S>>,
) -> Emptiness
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    match nested.search(&mut walk) {
        Break(reason) => ended(walk, Some(reason)),
        Continue(None) => ended(walk, None),
        Continue(Some(closing)) => {
            let mut turns = vec![Turn { node: closing.head, marks: closing.marks }];
            let above = walk.stack.nodes().take_while(|(_, level)| level.node != closing.head);
            turns.extend(above.map(|(_, level)| Turn { node: level.node, marks: level.entry }));
            turns.reverse();
            violated(walk, closing.head, |walk, level| {
                lift(walk, level, identity, |around, state| along(&turns, around, state))
            })
        }
    }
}

/// The end of a search that found no cycle. It may have found a way to a place where all that follows is accepted.
fn ended<S, T, O, const N: usize>(walk: Walk<'_, S, T, O, N>, reason: Option<StopReason>) -> Emptiness
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let Walk { mut explorer, stack, nodes, entered, doomed, seen, .. } = walk;
    if let Some(trail) = doomed {
        explorer.record(ACCEPTANCE_CYCLE, trail);
    }
    let outcome = explorer.finish(reason.map_or(Continue(()), Break), &stack);
    Emptiness { outcome, lasso: None, is_lost: false, nodes, entered, seen: seen.all() }
}

/// The end of a search that found a cycle through `head`, which is on the stack. `lasso` follows it from there.
fn violated<'a, S, T, O, const N: usize>(
    mut walk: Walk<'a, S, T, O, N>,
    head: product::Node,
    lasso: impl FnOnce(&mut Walk<'a, S, T, O, N>, usize) -> Option<Lasso>,
) -> Emptiness
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let met = walk.stack.trail(walk.explorer.system, &mut *walk.explorer.store, None);
    // A node is on the stack twice if a nested search came there again: the first time it was on the way to the second.
    let level = walk.stack.nodes().find(|(_, level)| level.node == head).map(|(level, _)| level);
    let lasso = level.and_then(|level| lasso(&mut walk, level));
    let trail = lasso.as_ref().map_or(met, Lasso::trail);
    walk.doomed = Some(trail);
    Emptiness { is_lost: lasso.is_none(), lasso, ..ended(walk, Some(StopReason::FirstViolation)) }
}
