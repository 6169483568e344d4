//! Which store a search gets, and what it says about it afterwards.

use search::{Completeness, Observer, Open, Options, Outcome, StopReason};
use store::{
    Automaton, Bitstate, Budget, Collapse, CollapseAutomaton, Compact, Exact, Gzip, Hashes, Naive,
    StateStore, Trie,
};
use system::TransitionSystem;

use crate::config::{Config, SearchKind, StoreKind};
use crate::estimate::{self, Sample};
use crate::report::Store;

/// A search that has ended, and its store as the report shows it.
pub struct Run {
    pub outcome: Outcome,
    pub store: Store,
    pub sample: Option<store::Sample>,
}

/// Explores with the store that the configuration asks for.
pub fn explore(
    system: &impl TransitionSystem,
    budget: &Budget,
    config: &Config,
    options: &Options<'_>,
    observer: &mut impl Observer,
) -> Run {
    let search = config.search;
    match config.store {
        StoreKind::Trie => {
            run(system, Trie::new(budget, search == SearchKind::Bfs), search, options, observer)
        }
        StoreKind::Exact => run(system, Exact::new(budget), search, options, observer),
        StoreKind::Collapse => run(system, Collapse::new(budget), search, options, observer),
        StoreKind::Automaton => run(system, Automaton::new(budget), search, options, observer),
        StoreKind::CollapseAutomaton => {
            run(system, CollapseAutomaton::new(budget), search, options, observer)
        }
        StoreKind::Compact => {
            let width = config.store_options.hash_bytes.unwrap_or(Compact::DEFAULT_WIDTH);
            run(system, Compact::new(budget, width), search, options, observer)
        }
        StoreKind::Bitstate => {
            let hashes = config.store_options.hashes.map_or(Hashes::Usual, Hashes::Fixed);
            run(system, Bitstate::new(budget, config.arena(), hashes), search, options, observer)
        }
        StoreKind::Gzip => run(system, Gzip::new(budget), search, options, observer),
        StoreKind::Naive => run(system, Naive::new(budget), search, options, observer),
    }
}

/// Explores with an empty store.
pub fn run(
    system: &impl TransitionSystem,
    mut store: impl StateStore,
    search: SearchKind,
    options: &Options<'_>,
    observer: &mut impl Observer,
) -> Run {
    let outcome = match search {
        SearchKind::Bfs => search::bfs(system, &mut store, options, observer),
        SearchKind::Dfs => search::dfs(system, &mut store, options, observer),
    };
    let mut report = describe(&store);
    let sampled = store.take_sample();
    if outcome.completeness == Completeness::Exhausted {
        report.probability_complete = report.expected_omissions.map(|omissions| (1.0 - omissions).max(0.0));
    }
    if outcome.completeness == Completeness::Stopped(StopReason::Memory) {
        let sample = Sample::of(&mut store, unseen(&outcome));
        // The memory is wanted for what comes now.
        drop(store);
        report.alternatives = estimate::alternatives(&report, outcome.stats.states, &sample);
    }
    Run { outcome, store: report, sample: sampled }
}

pub fn describe(store: &impl StateStore) -> Store {
    let bytes = store.bytes() as u64;
    Store {
        kind: store.kind().to_owned(),
        bytes,
        bytes_per_state: bytes as f64 / store.len().max(1) as f64,
        figures: store.figures().iter().map(|figure| (figure.name.to_owned(), figure.value)).collect(),
        expected_omissions: store.omissions(),
        probability_complete: None,
        rounds: Vec::new(),
        coverage: None,
        alternatives: Vec::new(),
    }
}

/// How many states a breadth-first search has stored and not looked at.
const fn unseen(outcome: &Outcome) -> usize {
    match outcome.open {
        Open::Frontier(states) => states.saturating_sub(1),
        Open::Stack(_) => 0,
    }
}

/// How many states a search had still to do with when it ended.
pub fn open(outcome: &Outcome) -> u64 {
    let (Open::Frontier(states) | Open::Stack(states)) = outcome.open;
    if outcome.completeness == Completeness::Exhausted { 0 } else { states as u64 }
}
