//! What searches count, find and claim, on systems with known state spaces.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::common::{SEARCHES, Search, truth};
use proptest::prelude::*;
use quotient_search::{
    Completeness, Observer, Open, Options, Outcome, Progress, Quiet, Stats, StopReason, Trail, WalkEnd, walk,
};
use store::{Budget, Exact, HashSetStore, Insert, StateId, StateStore};
use system::toy::{Bag, Counters, Edge, Graph, Node};
use system::{
    Alarm, Bound, Encoding, Fault, FaultKind, Fired, Halt, Key, Limits, Section, Step, Steps,
    TransitionSystem,
};

const EXHAUSTED: Completeness = Completeness::Exhausted;

fn stopped(reason: StopReason) -> Completeness {
    Completeness::Stopped(reason)
}

fn exact() -> Exact {
    Exact::new(&Budget::unlimited())
}

fn run<S: TransitionSystem>(search: Search, system: &S, options: &Options<'_>) -> Outcome {
    search.run(system, &mut exact(), options, &mut Quiet)
}

fn keep_going() -> Options<'static> {
    Options { keep_going: true, ..Options::default() }
}

fn counters(n: usize, max: u64) -> Counters {
    Counters { n, max, forbidden_sum: None, end_is_deadlock: false }
}

fn to(targets: &[usize]) -> Node {
    Node { edges: targets.iter().map(|&node| Edge::To(node)).collect(), ..Node::default() }
}

fn assertion(site: u32) -> Fault {
    Fault { kind: FaultKind::Assertion, site }
}

/// Checks that every violation is reproduced by its trail.
fn check_trails<S: TransitionSystem>(system: &S, outcome: &Outcome) {
    for violation in &outcome.violations {
        let faults = violation.trail.replay(system, |_, _| {}).expect("the trail replays");
        assert!(faults.contains(&violation.fault), "{violation:?} ends in {faults:?}");
    }
}

// Counts

#[test]
fn closed_formulas_of_the_counters() {
    for (n, max) in [(0, 5_u64), (1, 0), (1, 1), (1, 100), (2, 3), (3, 4), (4, 6), (7, 2)] {
        let states = (max + 1).pow(n as u32);
        let transitions = n as u64 * max * (max + 1).pow((n as u32).saturating_sub(1));
        for search in SEARCHES {
            let outcome = run(search, &counters(n, max), &Options::default());
            // All paths to a state have the same length, so depth-first search finds no longer ones.
            let depth = n as u32 * max as u32;
            let matched = transitions - (states - 1);
            assert_eq!(outcome.stats, Stats { states: states as usize, transitions, matched, depth });
            assert_eq!(outcome.completeness, EXHAUSTED);
            assert!(outcome.is_exhaustive() && outcome.violations.is_empty());
        }
    }
}

#[test]
fn stacks_may_be_deep() {
    let outcome = run(Search::Dfs, &counters(1, 300_000), &Options::default());
    assert_eq!((outcome.stats.depth, outcome.completeness), (300_000, EXHAUSTED));
}

#[test]
fn depth_first_takes_the_first_step_first_and_explores_at_once() {
    struct Order(Vec<(StateId, u32)>);
    impl Observer for Order {
        fn records(&self) -> bool {
            true
        }

        fn stored(&mut self, id: StateId, depth: u32) {
            self.0.push((id, depth));
        }
    }
    // 0 → 1 → 3 → 2 and 0 → 2: a depth-first search reaches 2 last.
    let graph = Graph { nodes: vec![to(&[1, 2]), to(&[3]), to(&[0]), to(&[2])] };
    for (search, nodes, depths) in
        [(Search::Dfs, [0, 1, 3, 2], [0, 1, 2, 3]), (Search::Bfs, [0, 1, 2, 3], [0, 1, 1, 2])]
    {
        let (mut store, mut order) = (exact(), Order(Vec::new()));
        let outcome = search.run(&graph, &mut store, &Options::default(), &mut order);
        assert_eq!(order.0, [0, 1, 2, 3].map(|i| (StateId(i as u64), depths[i])));
        assert_eq!(outcome.stats.depth, *depths.iter().max().unwrap());
        for (id, node) in nodes.into_iter().enumerate() {
            assert_eq!(node_of(&graph, &mut store, StateId(id as u64)), node);
        }
    }
}

fn node_of(graph: &Graph, store: &mut impl StateStore, id: StateId) -> usize {
    let (mut encoding, mut state) = (Encoding::new(), graph.initial());
    store.decode(id, &mut encoding);
    graph.decode(&encoding, &mut state);
    state.node()
}

#[test]
fn every_edge_is_reported_once() {
    #[derive(Default)]
    struct Edges(BTreeMap<(u64, u64), Vec<u32>>);
    impl Observer for Edges {
        fn records(&self) -> bool {
            true
        }

        fn edge(&mut self, source: StateId, step: Step, target: StateId) {
            self.0.entry((source.0, target.0)).or_default().push(step.transition);
        }
    }
    let graph = Graph {
        nodes: vec![
            to(&[1, 1, 0]),
            Node {
                edges: vec![Edge::Fault(assertion(1)), Edge::To(2), Edge::Truncated(Bound::Objects)],
                ..to(&[])
            },
            to(&[0]),
        ],
    };
    for search in SEARCHES {
        let mut edges = Edges::default();
        search.run(&graph, &mut exact(), &keep_going(), &mut edges);
        let expected = [((0, 0), vec![2]), ((0, 1), vec![0, 1]), ((1, 2), vec![1]), ((2, 0), vec![0])];
        assert_eq!(edges.0, BTreeMap::from(expected));
    }
}

// Violations

#[test]
fn breadth_first_finds_a_shortest_trail() {
    for sum in 0..=12 {
        let system = Counters { forbidden_sum: Some(sum), ..counters(3, 4) };
        let outcome = run(Search::Bfs, &system, &Options::default());
        assert_eq!(outcome.completeness, stopped(StopReason::FirstViolation));
        let [violation] = &outcome.violations[..] else { panic!("one violation") };
        assert_eq!((violation.fault.kind, violation.count), (FaultKind::Invariant, 1));
        assert_eq!(violation.trail.len() as u64, sum);
        check_trails(&system, &outcome);
    }
}

#[test]
fn an_initial_state_can_violate() {
    let bad = Node { violates: Some(3), ..to(&[1]) };
    let graph = Graph { nodes: vec![bad, to(&[0])] };
    for search in SEARCHES {
        let outcome = run(search, &graph, &Options::default());
        assert_eq!(outcome.violations[0].trail, Trail::default());
        assert_eq!((outcome.stats.states, outcome.stats.transitions), (1, 0));
        // A state that violates an invariant is still expanded.
        let outcome = run(search, &graph, &keep_going());
        assert_eq!((outcome.stats.states, outcome.completeness), (2, EXHAUSTED));
        assert_eq!(outcome.violations[0].count, 1);
    }
}

#[test]
fn deadlocks_are_counted_state_by_state() {
    let graph = Graph {
        nodes: vec![
            to(&[1, 2, 3]),
            to(&[]),
            Node { is_end: true, ..to(&[]) },
            to(&[4]),
            to(&[1, 5, 5]),
            to(&[]),
        ],
    };
    for search in SEARCHES {
        let outcome = run(search, &graph, &keep_going());
        assert_eq!(outcome.count(FaultKind::Deadlock), 2);
        let [violation] = &outcome.violations[..] else { panic!("one kind at one site") };
        assert_eq!((violation.fault.site, violation.trail.len()), (0, 1));
        check_trails(&graph, &outcome);
    }
    let end = Counters { end_is_deadlock: true, ..counters(2, 3) };
    for search in SEARCHES {
        let outcome = run(search, &end, &Options::default());
        assert_eq!(outcome.completeness, stopped(StopReason::FirstViolation));
        assert_eq!((outcome.count(FaultKind::Deadlock), outcome.violations[0].trail.len()), (1, 6));
        check_trails(&end, &outcome);
    }
}

#[test]
fn a_state_whose_guards_all_fault_is_no_deadlock() {
    let stuck = Node { edges: vec![Edge::GuardFault(assertion(1))], ..Node::default() };
    let cut = Node { edges: vec![Edge::Truncated(Bound::Threads)], ..Node::default() };
    for search in SEARCHES {
        let graph = Graph { nodes: vec![to(&[1, 2]), stuck.clone(), cut.clone()] };
        let outcome = run(search, &graph, &keep_going());
        assert_eq!(outcome.count(FaultKind::Deadlock), 0);
        assert_eq!(outcome.count(FaultKind::Assertion), 1);
        assert_eq!(outcome.violations[0].trail.len(), 2);
        assert_eq!(outcome.truncations, BTreeMap::from([(Bound::Threads, 1)]));
        assert_eq!(outcome.completeness, EXHAUSTED);
        assert!(!outcome.is_exhaustive(), "a bound cut the model short");
        check_trails(&graph, &outcome);
    }
}

/// Where encodings are canonical forms, the steps of a decoded state are not steps of the concrete one.
#[test]
fn trails_stay_concrete_when_encodings_are_sorted() {
    let mut faulty = 0;
    for sum in 1..=12 {
        for value in 0..4 {
            let system = Bag { counters: counters(3, 4), fragile: Some((value, sum)) };
            for search in SEARCHES {
                let outcome = run(search, &system, &keep_going());
                for violation in &outcome.violations {
                    assert_eq!(violation.fault, assertion(7));
                    assert_eq!(violation.trail.len() as u64, sum + 1);
                    faulty += 1;
                }
                check_trails(&system, &outcome);
            }
        }
    }
    assert!(faulty >= 50, "{faulty}");
    for search in SEARCHES {
        let system = Bag { counters: Counters { forbidden_sum: Some(9), ..counters(4, 3) }, fragile: None };
        let outcome = run(search, &system, &keep_going());
        assert_eq!(outcome.stats.states, 35, "multisets of four values out of four");
        assert_eq!((outcome.violations[0].count, outcome.violations[0].trail.len()), (3, 9));
        check_trails(&system, &outcome);
    }
}

#[test]
fn trails_of_other_models_do_not_replay() {
    let trail = run(Search::Bfs, &Counters { forbidden_sum: Some(4), ..counters(1, 5) }, &Options::default());
    let trail = &trail.violations[0].trail;
    assert_eq!(trail.replay(&counters(1, 5), |_, _| {}), Ok(vec![]));
    let error = trail.replay(&counters(1, 2), |_, _| {}).unwrap_err();
    assert_eq!(error.at, 2);
    assert!(error.to_string().contains("step 3") && error.to_string().contains("not enabled"));
    let graph = Graph { nodes: vec![Node { edges: vec![Edge::Truncated(Bound::Frames)], ..to(&[]) }] };
    assert!(trail.replay(&graph, |_, _| {}).unwrap_err().to_string().contains("bound"));
    let graph = Graph { nodes: vec![Node { edges: vec![Edge::Fault(assertion(0))], ..to(&[]) }] };
    assert!(trail.replay(&graph, |_, _| {}).unwrap_err().to_string().contains("fault (assertion)"));
}

#[test]
fn a_replay_visits_the_initial_state_and_every_successor() {
    let graph = Graph { nodes: vec![to(&[2]), to(&[]), to(&[1])] };
    let outcome = run(Search::Dfs, &graph, &Options::default());
    let mut visited = Vec::new();
    let faults = outcome.violations[0]
        .trail
        .replay(&graph, |step, state| visited.push((step.is_some(), state.node())));
    assert_eq!(visited, [(false, 0), (true, 2), (true, 1)]);
    assert_eq!(faults, Ok(vec![outcome.violations[0].fault]));
}

// Limits

#[test]
fn a_space_of_exactly_as_many_states_as_allowed_is_exhausted() {
    for search in SEARCHES {
        for max in 0..=30 {
            let options = Options { max_states: Some(max), ..Options::default() };
            let outcome = run(search, &counters(3, 2), &options);
            let completeness = if max < 27 { stopped(StopReason::States) } else { EXHAUSTED };
            assert_eq!((outcome.stats.states, outcome.completeness), (max.min(27), completeness));
        }
    }
}

#[test]
fn breadth_first_explores_everything_within_the_depth() {
    for max in 0..=8 {
        let options = Options { max_depth: Some(max), ..Options::default() };
        // Two counters up to 3: all states up to a sum. The last state has sum 6 and no steps.
        let states = (0..16).filter(|i| i / 4 + i % 4 <= max).count();
        let outcome = run(Search::Bfs, &counters(2, 3), &options);
        let completeness = if max < 6 { stopped(StopReason::Depth) } else { EXHAUSTED };
        assert_eq!((outcome.stats.states, outcome.completeness), (states, completeness));
        assert_eq!(outcome.stats.depth, max.min(6));
        let outcome = run(Search::Dfs, &counters(2, 3), &options);
        assert_eq!((outcome.stats.states, outcome.completeness), (states, completeness));
    }
}

#[test]
fn a_detour_never_becomes_a_claim_of_completeness() {
    // A depth-first search reaches 2 through 1, at the limit, and does not expand it again on the shorter
    // path.
    let graph = Graph { nodes: vec![to(&[1, 2]), to(&[2]), to(&[3]), Node { is_end: true, ..to(&[]) }] };
    let options = Options { max_depth: Some(2), ..Options::default() };
    let outcome = run(Search::Dfs, &graph, &options);
    assert_eq!((outcome.stats.states, outcome.completeness), (3, stopped(StopReason::Depth)));
    let outcome = run(Search::Bfs, &graph, &options);
    assert_eq!((outcome.stats.states, outcome.completeness), (4, EXHAUSTED));
}

#[test]
fn trails_are_no_longer_than_the_depth() {
    let dead = Graph { nodes: vec![to(&[1]), to(&[])] };
    let guard =
        Graph { nodes: vec![to(&[1]), Node { edges: vec![Edge::GuardFault(assertion(0))], ..to(&[]) }] };
    for search in SEARCHES {
        let options = Options { max_depth: Some(1), ..Options::default() };
        assert_eq!(run(search, &dead, &options).count(FaultKind::Deadlock), 1);
        let outcome = run(search, &guard, &options);
        assert!(outcome.violations.is_empty());
        assert_eq!(outcome.completeness, stopped(StopReason::Depth));
        let options = Options { max_depth: Some(0), ..Options::default() };
        let outcome = run(search, &dead, &options);
        assert_eq!((outcome.stats.states, outcome.stats.transitions), (1, 0));
        assert_eq!(outcome.completeness, stopped(StopReason::Depth));
    }
}

#[test]
fn no_time_and_an_interrupt_stop_before_the_first_state() {
    let flag = Arc::new(AtomicBool::new(true));
    for search in SEARCHES {
        let options = Options { time: Some(Duration::ZERO), ..Options::default() };
        let outcome = run(search, &counters(2, 2), &options);
        assert_eq!((outcome.stats, outcome.completeness), (Stats::default(), stopped(StopReason::Time)));
        let options = Options { interrupt: Some(&flag), ..Options::default() };
        let outcome = run(search, &counters(2, 2), &options);
        assert_eq!(
            (outcome.stats, outcome.completeness),
            (Stats::default(), stopped(StopReason::Interrupted))
        );
        let options = Options { budget: Budget::of_process(1), ..Options::default() };
        let outcome = run(search, &counters(2, 2), &options);
        if store::resident().is_some() {
            assert_eq!(
                (outcome.stats, outcome.completeness),
                (Stats::default(), stopped(StopReason::Memory))
            );
        }
    }
}

#[test]
fn an_interrupt_stops_within_a_few_hundred_steps() {
    struct InterruptAt<'a>(usize, &'a AtomicBool);
    impl Observer for InterruptAt<'_> {
        fn records(&self) -> bool {
            true
        }

        fn stored(&mut self, id: StateId, _: u32) {
            self.1.fetch_or(id.index() == self.0, Relaxed);
        }
    }
    for search in SEARCHES {
        let flag = Arc::new(AtomicBool::new(false));
        let options = Options { interrupt: Some(&flag), ..Options::default() };
        let outcome = search.run(&counters(4, 9), &mut exact(), &options, &mut InterruptAt(5000, &flag));
        assert_eq!(outcome.completeness, stopped(StopReason::Interrupted));
        assert!((5000..5300).contains(&outcome.stats.states), "{}", outcome.stats.states);
    }
}

#[test]
fn a_store_without_memory_or_ids_ends_the_search() {
    let system = counters(5, 15);
    for search in SEARCHES {
        let budget = Budget::counted(5 << 20);
        let mut store = Exact::new(&budget);
        let options = Options { budget, ..Options::default() };
        let outcome = search.run(&system, &mut store, &options, &mut Quiet);
        assert_eq!(outcome.completeness, stopped(StopReason::Memory));
        assert_eq!(outcome.stats.states, store.len());
        assert!((1000..200_000).contains(&store.len()), "{}", store.len());
        let mut encoding = Encoding::new();
        for id in (0..store.len()).map(|id| StateId(id as u64)) {
            store.decode(id, &mut encoding);
            assert_eq!(store.insert(&mut encoding, usize::MAX), Ok(Insert::Seen(Some(id))));
        }

        let mut store = exact().with_id_limit(1234);
        let outcome = search.run(&system, &mut store, &Options::default(), &mut Quiet);
        assert_eq!((outcome.stats.states, outcome.completeness), (1234, stopped(StopReason::Ids)));
        let mut none = exact().with_id_limit(0);
        let outcome = search.run(&system, &mut none, &Options::default(), &mut Quiet);
        assert_eq!((outcome.stats.states, outcome.completeness), (0, stopped(StopReason::Ids)));
    }
}

/// A system with one step, for which there is no memory.
struct Cramped;

impl TransitionSystem for Cramped {
    /// Whether the step was tried.
    type State = bool;
    type Cache = system::NoCache;

    fn initial(&self) -> bool {
        false
    }

    fn steps(&self, _: &mut bool, out: &mut Steps) {
        out.clear();
        out.enabled.push(Step { thread: 0, transition: 0, choice: 0 });
    }

    fn fire(&self, tried: &mut bool, _: Step) -> Fired {
        *tried = true;
        Fired::Truncated(Bound::Objects)
    }

    fn undo(&self, _: &mut bool) {
        unreachable!("the step is never taken");
    }

    fn check(&self, _: &mut bool) -> Result<(), Halt> {
        Ok(())
    }

    fn ended(&self, _: &bool) -> bool {
        true
    }

    fn encode(&self, _: &mut bool, into: &mut Encoding) {
        into.set(Key { section: Section::Root, index: 0 }, &[0]);
    }

    fn decode(&self, _: &Encoding, _: &mut bool) {}

    fn limits(&self) -> Option<&dyn Limits<bool>> {
        Some(self)
    }
}

impl Limits<bool> for Cramped {
    fn has_room(&self, tried: &mut bool) -> bool {
        !*tried
    }

    fn heed(&self, _: &mut bool, _: &Arc<Alarm>) {}

    fn is_abandoned(&self, _: &bool) -> bool {
        false
    }
}

#[test]
fn what_a_system_has_no_memory_for_is_no_bound() {
    for search in SEARCHES {
        let outcome = run(search, &Cramped, &Options::default());
        assert_eq!((outcome.stats.states, outcome.completeness), (1, stopped(StopReason::Memory)));
    }
}

/// The store may grow without limit here, but the data of the search itself may not.
#[test]
fn parents_and_stacks_ask_for_memory_too() {
    let chunk = 1 << 16;
    // In a breadth-first search, the initial state has no parent.
    for (search, bytes, most) in [(Search::Bfs, 1 + 8, chunk + 2), (Search::Dfs, 24 + 12, chunk + 1)] {
        let run = |budget| run(search, &counters(1, 70_000), &Options { budget, ..Options::default() });
        let outcome = run(Budget::counted(bytes * chunk));
        assert_eq!((outcome.stats.states, outcome.completeness), (most, stopped(StopReason::Memory)));
        assert_eq!(run(Budget::counted(2 * bytes * chunk)).completeness, EXHAUSTED);
    }
}

/// A system with one state and one step, in which an alarm rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ringing {
    InSteps,
    InFire,
    InCheck,
    /// In a part of the system that does not report it.
    Silently,
}

impl TransitionSystem for Ringing {
    type State = bool;
    type Cache = system::NoCache;

    fn initial(&self) -> bool {
        false
    }

    fn steps(&self, heeds: &mut bool, out: &mut Steps) {
        out.clear();
        out.is_abandoned = *heeds && *self == Self::InSteps;
        if !out.is_abandoned {
            out.enabled.push(Step { thread: 0, transition: 0, choice: 0 });
        }
    }

    fn fire(&self, heeds: &mut bool, _: Step) -> Fired {
        if *heeds && *self == Self::InFire { Fired::Abandoned } else { Fired::Moved }
    }

    fn undo(&self, _: &mut bool) {}

    fn check(&self, heeds: &mut bool) -> Result<(), Halt> {
        if *heeds && *self == Self::InCheck { Err(Halt::Abandoned) } else { Ok(()) }
    }

    fn ended(&self, _: &bool) -> bool {
        false
    }

    fn encode(&self, _: &mut bool, into: &mut Encoding) {
        into.set(Key { section: Section::Root, index: 0 }, &[0]);
    }

    fn decode(&self, _: &Encoding, _: &mut bool) {}

    fn limits(&self) -> Option<&dyn Limits<bool>> {
        Some(self)
    }
}

impl Limits<bool> for Ringing {
    fn has_room(&self, _: &mut bool) -> bool {
        true
    }

    fn heed(&self, heeds: &mut bool, _: &Arc<Alarm>) {
        *heeds = true;
    }

    fn is_abandoned(&self, heeds: &bool) -> bool {
        *heeds && *self == Self::Silently
    }
}

/// An abandoned computation is never reported as a fault, a bound, a deadlock or a proof.
#[test]
fn what_is_abandoned_ends_the_search() {
    for system in [Ringing::InSteps, Ringing::InFire, Ringing::InCheck, Ringing::Silently] {
        for search in SEARCHES {
            // Without a limit there is no alarm.
            assert!(run(search, &system, &Options::default()).is_exhaustive());
            let options = Options { time: Some(Duration::MAX), ..keep_going() };
            let outcome = run(search, &system, &options);
            assert_eq!(outcome.completeness, stopped(StopReason::Time), "{system:?}");
            assert!(outcome.violations.is_empty() && !outcome.is_truncated(), "{system:?}");
        }
    }
}

#[test]
fn progress_reports_the_counts_so_far() {
    #[derive(Default)]
    struct Log(Vec<Progress>);
    impl Observer for Log {
        fn records(&self) -> bool {
            true
        }

        fn progress(&mut self, progress: &Progress) {
            self.0.push(progress.clone());
        }
    }
    let options = Options { progress_every: Duration::ZERO, ..Options::default() };
    for search in SEARCHES {
        let (mut store, mut log) = (exact(), Log::default());
        let outcome = search.run(&counters(3, 15), &mut store, &options, &mut log);
        let last = log.0.last().expect("progress");
        assert!(log.0.is_sorted_by(|a, b| a.states <= b.states && a.transitions <= b.transitions));
        assert!(log.0.len() as u64 >= outcome.stats.transitions / 256);
        assert!(last.transitions + 512 > outcome.stats.transitions && last.depth == outcome.stats.depth);
        assert_eq!(last.store_bytes, store.bytes());
        for progress in &log.0[1..] {
            match (search, progress.open) {
                (Search::Bfs, Open::Frontier(n)) => assert!((1..=progress.states).contains(&n)),
                (Search::Dfs, Open::Stack(n)) => assert!((1..=progress.depth as usize + 1).contains(&n)),
                other => panic!("{other:?}"),
            }
        }
    }
    let mut log = Log::default();
    let rarely = Options { progress_every: Duration::MAX, ..Options::default() };
    Search::Bfs.run(&counters(3, 15), &mut exact(), &rarely, &mut log);
    assert!(log.0.is_empty());
}

// Random graphs, compared with a straightforward exploration

fn any_edge(nodes: usize) -> impl Strategy<Value = Edge> {
    let fault = (0_u32..3).prop_map(assertion);
    let bound = prop_oneof![Just(Bound::Threads), Just(Bound::Objects)];
    prop_oneof![
        12 => (0..nodes).prop_map(Edge::To),
        1 => fault.clone().prop_map(Edge::Fault),
        1 => fault.prop_map(Edge::GuardFault),
        1 => bound.prop_map(Edge::Truncated),
    ]
}

fn any_graph() -> impl Strategy<Value = Graph> {
    (1_usize..25).prop_flat_map(|nodes| {
        let edges = prop::collection::vec(any_edge(nodes), 0..4);
        let violates = prop::option::weighted(0.1, 0_u32..2);
        let unevaluated = prop::option::weighted(0.1, Just(Bound::Frames));
        let node = (edges, violates, unevaluated, any::<bool>());
        let node = node.prop_map(|(edges, violates, unevaluated, is_end)| Node {
            edges,
            violates,
            unevaluated,
            is_end,
        });
        prop::collection::vec(node, nodes).prop_map(|nodes| Graph { nodes })
    })
}

fn same(a: &Outcome, b: &Outcome) -> bool {
    (a.stats, &a.violations, &a.truncations, a.completeness)
        == (b.stats, &b.violations, &b.truncations, b.completeness)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(1000) as u32))]

    #[test]
    fn full_explorations_find_what_there_is(graph in any_graph()) {
        let truth = truth(&graph);
        for search in SEARCHES {
            let outcome = run(search, &graph, &keep_going());
            prop_assert_eq!(outcome.completeness, EXHAUSTED);
            prop_assert_eq!(outcome.stats.states, truth.distance.len());
            prop_assert_eq!(outcome.stats.transitions, truth.transitions);
            prop_assert_eq!(outcome.stats.matched, truth.moves - (truth.distance.len() as u64 - 1));
            prop_assert_eq!(&outcome.truncations, &truth.truncations);
            prop_assert_eq!(outcome.unevaluated.values().sum::<u64>(), truth.unevaluated);
            prop_assert_eq!(outcome.is_exhaustive(), truth.truncations.is_empty() && truth.unevaluated == 0);
            prop_assert_eq!(outcome.violations.len(), truth.faults.len());
            for violation in &outcome.violations {
                let (count, shortest) = truth.faults[&(violation.fault.kind, violation.fault.site)];
                prop_assert_eq!(violation.count, count);
                prop_assert!(violation.trail.len() >= shortest);
                prop_assert!(search == Search::Dfs || violation.trail.len() == shortest);
            }
            check_trails(&graph, &outcome);
            let farthest = truth.distance.values().max().copied().unwrap_or(0) as u32;
            prop_assert!(search == Search::Dfs || outcome.stats.depth == farthest);
            prop_assert!(outcome.stats.depth >= farthest);
            // The order of exploration depends on the search only, not on the store or on chance.
            let mut naive = HashSetStore::new(&Budget::unlimited());
            prop_assert!(same(&outcome, &search.run(&graph, &mut naive, &keep_going(), &mut Quiet)));
            let mut boxed: Box<dyn StateStore> = Box::new(exact());
            prop_assert!(same(&outcome, &search.run(&graph, &mut *boxed, &keep_going(), &mut Quiet)));
        }
    }

    #[test]
    fn the_first_violation_stops_the_search(graph in any_graph()) {
        let truth = truth(&graph);
        for search in SEARCHES {
            let outcome = run(search, &graph, &Options::default());
            prop_assert_eq!(outcome.violations.len(), truth.faults.len().min(1));
            prop_assert_eq!(outcome.completeness == EXHAUSTED, truth.faults.is_empty());
            check_trails(&graph, &outcome);
            if let (Search::Bfs, Some(first)) = (search, outcome.violations.first()) {
                let (_, shortest) = truth.faults[&(first.fault.kind, first.fault.site)];
                prop_assert_eq!(first.trail.len(), shortest);
                let shortest_of_all = truth.faults.values().map(|&(_, length)| length).min().unwrap();
                prop_assert!(first.trail.len() <= shortest_of_all + 1);
            }
        }
    }

    #[test]
    fn depth_limits_on_random_graphs(graph in any_graph(), max in 0_u32..8) {
        let truth = truth(&graph);
        let options = Options { max_depth: Some(max), ..keep_going() };
        let within = truth.distance.values().filter(|&&distance| distance <= max as usize).count();
        let is_open = |(&node, &distance): (&usize, &usize)| distance == max as usize && !graph.nodes[node].edges.is_empty();
        let is_cut = truth.distance.iter().any(is_open);
        let outcome = run(Search::Bfs, &graph, &options);
        prop_assert_eq!(outcome.stats.states, within);
        prop_assert_eq!(outcome.completeness, if is_cut { stopped(StopReason::Depth) } else { EXHAUSTED });
        check_trails(&graph, &outcome);
        let outcome = run(Search::Dfs, &graph, &options);
        prop_assert!(outcome.stats.states <= within && outcome.stats.depth <= max);
        prop_assert!(outcome.completeness != EXHAUSTED || outcome.stats.states == truth.distance.len());
        check_trails(&graph, &outcome);
    }

    #[test]
    fn walks_are_paths(graph in any_graph(), seed: u64, max in 0_usize..30) {
        let walked = walk(&graph, seed, max);
        prop_assert_eq!(&walked, &walk(&graph, seed, max));
        prop_assert!(walked.trail.len() <= max);
        let replayed = walked.trail.replay(&graph, |_, _| {});
        let (last, before) = match walked.trail.steps.split_last() {
            Some((&last, before)) => (Some(last), Trail::from(before.to_vec())),
            None => (None, Trail::default()),
        };
        match walked.end {
            WalkEnd::Fault(fault) => prop_assert!(replayed.unwrap().contains(&fault)),
            WalkEnd::Ended => prop_assert_eq!(replayed, Ok(vec![])),
            WalkEnd::Steps => {
                prop_assert_eq!(walked.trail.len(), max);
                prop_assert_eq!(replayed, Ok(vec![]));
            }
            WalkEnd::Unevaluated(bound) => {
                let mut last = None;
                prop_assert!(walked.trail.replay(&graph, |_, state| last = Some(graph.check(state))).is_ok());
                prop_assert_eq!(last, Some(Err(Halt::Truncated(bound))));
            }
            WalkEnd::Truncated(bound) => {
                let mut end = graph.initial();
                for &step in &before.steps {
                    prop_assert_eq!(graph.fire(&mut end, step), Fired::Moved);
                }
                prop_assert_eq!(graph.fire(&mut end, last.unwrap()), Fired::Truncated(bound));
            }
        }
    }
}

#[test]
fn walks_try_all_steps_about_equally_often() {
    let star = Graph { nodes: (0..6).map(|i| to(if i == 0 { &[1, 2, 3, 4, 5] } else { &[0] })).collect() };
    let walked = walk(&star, 42, 20_000);
    assert_eq!((walked.end, walked.trail.len()), (WalkEnd::Steps, 20_000));
    for transition in 0..5 {
        let times = walked.trail.steps.iter().step_by(2).filter(|step| step.transition == transition).count();
        assert!((1800..2200).contains(&times), "{times} of 10,000");
    }
    assert_ne!(walk(&star, 43, 100), walk(&star, 42, 100));
    let ended = walk(&counters(3, 5), 1, 1000);
    assert_eq!((ended.end, ended.trail.len()), (WalkEnd::Ended, 15));
}
