//! Which store a search gets, and what the report says about it afterwards.

use std::io;

use search::{Checkpoints, Completeness, Observer, Open, Options, Outcome, Pace, StopReason, Team};
use store::{
    Automaton, Bitstate, Budget, Collapse, CollapseAutomaton, Compact, Exact, Gzip, HashSetStore, Hashes,
    IndexedTrie, StateStore, Trie,
};
use system::{Temporal, TransitionSystem};

use crate::config::{Config, SearchKind, StoreKind};
use crate::estimate::{self, Sample};
use crate::report::Store;
use crate::stack::OnSystem;

/// Work on an empty store of any type.
pub trait OnStore {
    type Output;

    fn run<T: StateStore + ?Sized>(self, store: &mut T) -> Self::Output;
}

/// Makes the store that is asked for and runs a search of reachability with it. The search is compiled for
/// each of the fast stores, and once for all others.
pub fn with_store<W: OnStore>(config: &Config, budget: &Budget, order: SearchKind, search: W) -> W::Output {
    let options = config.store_options;
    match config.store {
        // Breadth-first search reads states back once each, in the order of their ids.
        StoreKind::Trie => search.run(&mut Trie::new(budget, order == SearchKind::Bfs)),
        StoreKind::Exact => search.run(&mut Exact::new(budget)),
        StoreKind::Compact => {
            search.run(&mut Compact::new(budget, options.hash_bytes.unwrap_or(Compact::DEFAULT_WIDTH)))
        }
        StoreKind::Bitstate => {
            let hashes = options.hashes.map_or(Hashes::Usual, Hashes::Fixed);
            search.run(&mut Bitstate::new(budget, config.arena(), hashes))
        }
        StoreKind::Collapse => search.run::<dyn StateStore>(&mut Collapse::new(budget)),
        StoreKind::Automaton => search.run::<dyn StateStore>(&mut Automaton::new(budget)),
        StoreKind::CollapseAutomaton => search.run::<dyn StateStore>(&mut CollapseAutomaton::new(budget)),
        StoreKind::Gzip => search.run::<dyn StateStore>(&mut Gzip::new(budget)),
        StoreKind::Naive => search.run::<dyn StateStore>(&mut HashSetStore::new(budget)),
    }
}

/// Makes the store that is asked for, to run a search for cycles with it, which finds states again by their
/// ids. The search is compiled for the default store, and once for all others.
///
/// # Panics
///
/// If the store does not find states again: see [`StoreKind::rebuilds`].
pub fn with_indexed_store<W: OnStore>(kind: StoreKind, budget: &Budget, search: W) -> W::Output {
    match kind {
        StoreKind::Trie => search.run(&mut IndexedTrie::indexed(budget)),
        StoreKind::Exact => search.run::<dyn StateStore>(&mut Exact::new(budget)),
        StoreKind::Collapse => search.run::<dyn StateStore>(&mut Collapse::new(budget)),
        StoreKind::Gzip => search.run::<dyn StateStore>(&mut Gzip::new(budget)),
        StoreKind::Naive => search.run::<dyn StateStore>(&mut HashSetStore::new(budget)),
        StoreKind::Automaton | StoreKind::CollapseAutomaton | StoreKind::Compact | StoreKind::Bitstate => {
            unreachable!("a search for cycles is refused with --store {kind}")
        }
    }
}

/// A search that has ended, and its store as the report shows it.
pub struct Explored {
    pub outcome: Outcome,
    pub store: Store,
    pub sample: Option<store::RecaptureSample>,
}

/// A reachability search with the store that a configuration asks for.
pub struct Reachability<'a> {
    pub config: &'a Config,
    /// The number of threads, and how they divide the work.
    pub crew: (usize, Pace),
    pub options: &'a Options<'a>,
    pub observer: &'a mut dyn Observer,
    pub checkpoints: Checkpoints<'a>,
}

impl OnSystem for Reachability<'_> {
    /// An error if the search can't go on from its checkpoint.
    type Output = io::Result<Explored>;

    fn run(self, system: &impl Temporal, team: &impl Team) -> io::Result<Explored> {
        let Self { config, crew: (workers, pace), options, observer, checkpoints } = self;
        let found = if workers > 1 {
            let mut store = Trie::new(&options.budget, true);
            let crew = (team, workers, pace);
            let outcome =
                search::parallel_bfs_from(system, &mut store, options, observer, crew, checkpoints)?;
            WithSample::of(outcome, config.store, &mut store)
        } else {
            let (kind, order) = (config.store, config.search());
            let search = Search { system, kind, order, options, observer, checkpoints };
            with_store(config, &options.budget, order, search)?
        };
        Ok(found.finished())
    }
}

/// A reachability search with a given bitstate store.
pub struct BitstateSearch<'a> {
    pub store: Bitstate,
    pub search: SearchKind,
    pub options: &'a Options<'a>,
    pub observer: &'a mut dyn Observer,
}

impl OnSystem for BitstateSearch<'_> {
    type Output = Explored;

    fn run(self, system: &impl Temporal, _: &impl Team) -> Explored {
        let Self { mut store, search: order, options, observer } = self;
        let kind = StoreKind::Bitstate;
        let search = Search { system, kind, order, options, observer, checkpoints: Checkpoints::default() };
        search.run(&mut store).expect("it begins at the initial state").finished()
    }
}

/// A search of a system.
struct Search<'a, 'k, S> {
    system: &'a S,
    kind: StoreKind,
    order: SearchKind,
    options: &'a Options<'a>,
    observer: &'a mut dyn Observer,
    checkpoints: Checkpoints<'k>,
}

/// A search that has ended, with a sample of its states if memory ended it: the sample shows what other
/// stores need.
struct WithSample {
    explored: Explored,
    states: Option<Sample>,
}

impl<S: TransitionSystem> OnStore for Search<'_, '_, S> {
    type Output = io::Result<WithSample>;

    fn run<T: StateStore + ?Sized>(self, store: &mut T) -> io::Result<WithSample> {
        let Self { system, kind, order, options, observer, checkpoints } = self;
        let outcome = match order {
            SearchKind::Bfs => search::bfs_from(system, store, options, observer, checkpoints)?,
            SearchKind::Dfs => search::dfs(system, store, options, observer),
        };
        Ok(WithSample::of(outcome, kind, store))
    }
}

impl WithSample {
    fn of<T: StateStore + ?Sized>(outcome: Outcome, kind: StoreKind, store: &mut T) -> Self {
        let mut report = describe(kind, store);
        let sample = store.take_sample();
        if outcome.completeness == Completeness::Exhausted {
            report.probability_complete =
                report.expected_omissions.map(|omissions| (1.0 - omissions).max(0.0));
        }
        let is_starved = outcome.completeness == Completeness::Stopped(StopReason::Memory);
        let states = is_starved.then(|| Sample::of(store, unexpanded(&outcome)));
        Self { explored: Explored { outcome, store: report, sample }, states }
    }

    /// Estimates what other stores would need, now that the memory of the store is free.
    fn finished(self) -> Explored {
        let Self { mut explored, states } = self;
        if let Some(states) = states {
            let Explored { outcome, store, .. } = &mut explored;
            store.alternatives = estimate::alternatives(store, outcome.stats.states, &states);
        }
        explored
    }
}

pub fn describe<T: StateStore + ?Sized>(kind: StoreKind, store: &T) -> Store {
    let bytes = store.bytes() as u64;
    Store {
        kind,
        bytes,
        bytes_per_state: bytes as f64 / store.len().max(1) as f64,
        figures: store.figures().iter().map(|figure| (figure.name.to_owned(), figure.value)).collect(),
        expected_omissions: store.omissions(),
        probability_complete: None,
        rounds: Vec::new(),
        coverage: None,
        swarm: None,
        alternatives: Vec::new(),
    }
}

/// How many states a breadth-first search has stored and not expanded.
const fn unexpanded(outcome: &Outcome) -> usize {
    match outcome.open {
        Open::Frontier(states) => states.saturating_sub(1),
        Open::Stack(_) => 0,
    }
}

/// How many states were on the frontier or on the stack when a search ended early.
pub fn open(outcome: &Outcome) -> u64 {
    let (Open::Frontier(states) | Open::Stack(states)) = outcome.open;
    if outcome.completeness == Completeness::Exhausted { 0 } else { states as u64 }
}
