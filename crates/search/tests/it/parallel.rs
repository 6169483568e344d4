//! Several workers find what one finds: the same counts, violations and trails, in the same order.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use quotient_search::{
    Checkpoints, Completeness, Keeper, OnSystem, Open, Options, Outcome, Pace, Quiet, StopReason, Team, bfs,
    parallel_bfs, parallel_bfs_from,
};
use store::{Budget, Input, Output, StateStore, Trie};
use system::{
    Bound, Counted, Encoding, Fault, FaultKind, Fired, Halt, Key, Section, Statistics, Step, Steps,
    TransitionSystem,
};
use testing::SplitMix64;

/// A graph with everything that the interface of systems allows.
#[derive(Debug)]
struct Maze {
    nodes: Vec<Node>,
    /// The number of the steps asked for after which a worker panics.
    panics_after: Option<usize>,
    asked: AtomicUsize,
}

#[derive(Default, Debug)]
struct Node {
    ways: Vec<Way>,
    is_transient: bool,
    is_end: bool,
    check: Option<Halt>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    To(usize),
    Soft(usize, u32),
    Fault(u32),
    GuardFault(u32),
    Truncated,
}

const fn fault(site: u32) -> Fault {
    Fault { kind: FaultKind::Assertion, site }
}

impl Maze {
    fn random(random: &mut SplitMix64, size: usize) -> Self {
        let rare = |random: &mut SplitMix64, one_in: usize| random.below(one_in) == 0;
        let (faults, transient) = (5 + random.below(400), 2 + random.below(40));
        // Edges lead on by about this much, so that levels are wide or narrow.
        let reach = 1 + random.below(size);
        let nodes = (0..size).map(|at| {
            let count = random.below(5);
            let way = |random: &mut SplitMix64| {
                let to = (at + random.below(reach) + usize::from(!rare(random, 4))) % size;
                match random.below(faults) {
                    0 => Way::Fault(random.below(3) as u32),
                    1 => Way::GuardFault(random.below(3) as u32),
                    2 => Way::Truncated,
                    3 => Way::Soft(to, random.below(3) as u32),
                    _ => Way::To(to),
                }
            };
            let mut ways: Vec<Way> = (0..count).map(|_| way(random)).collect();
            if let (Some(&last), true) = (ways.last(), rare(random, 3)) {
                ways.push(last);
            }
            let violated = Fault { kind: FaultKind::Invariant, site: random.below(2) as u32 };
            // Passages through transient states are short.
            let leads_on = |way: &Way| !matches!(*way, Way::To(to) | Way::Soft(to, _) if to <= at);
            let is_short = at % 8 < 3 && !ways.is_empty() && ways.iter().all(leads_on);
            Node {
                is_transient: at > 0 && is_short && rare(random, transient),
                ways,
                is_end: random.below(faults) > 1,
                check: match random.below(faults) {
                    0 => Some(Halt::Fault(violated)),
                    1 => Some(Halt::Truncated(Bound::Frames)),
                    _ => None,
                },
            }
        });
        Self { nodes: nodes.collect(), panics_after: None, asked: AtomicUsize::new(0) }
    }
}

/// A maze, and the nodes whose steps were asked for.
struct Walked<'a> {
    maze: &'a Maze,
    asked: RefCell<Vec<usize>>,
    is_helper: bool,
}

impl<'a> Walked<'a> {
    fn new(maze: &'a Maze) -> Self {
        Self { maze, asked: RefCell::default(), is_helper: false }
    }
}

const ROOT: Key = Key { section: Section::Root, index: 0 };

impl TransitionSystem for Walked<'_> {
    type State = Vec<usize>;
    type Cache = system::NoCache;

    fn initial(&self) -> Vec<usize> {
        vec![0]
    }

    fn steps(&self, state: &mut Vec<usize>, out: &mut Steps) {
        let at = *state.last().unwrap();
        self.asked.borrow_mut().push(at);
        if self.is_helper {
            let asked = self.maze.asked.fetch_add(1, Relaxed);
            assert_ne!(Some(asked), self.maze.panics_after, "wanted by the test");
        }
        out.clear();
        for (way, transition) in self.maze.nodes[at].ways.iter().zip(0..) {
            let step = Step { thread: 0, transition, choice: 0 };
            match *way {
                Way::GuardFault(site) => out.faults.push((step, fault(site))),
                _ => out.enabled.push(step),
            }
        }
    }

    /// The first of consecutive equal ways stands for all.
    fn folded_steps(&self, state: &mut Vec<usize>, out: &mut Steps) {
        self.steps(state, out);
        let ways = &self.maze.nodes[*state.last().unwrap()].ways;
        for at in 1..out.enabled.len() {
            let [before, step] = [out.enabled[at - 1], out.enabled[at]];
            if ways[before.transition as usize] == ways[step.transition as usize] {
                out.enabled[at] = before;
            }
        }
    }

    fn fire(&self, state: &mut Vec<usize>, step: Step) -> Fired {
        match self.maze.nodes[*state.last().unwrap()].ways[step.transition as usize] {
            Way::To(to) => {
                state.push(to);
                Fired::Moved
            }
            Way::Soft(to, site) => {
                state.push(to);
                Fired::MovedWithFault(fault(site))
            }
            Way::Fault(site) | Way::GuardFault(site) => Fired::Fault(fault(site)),
            Way::Truncated => Fired::Truncated(Bound::Objects),
        }
    }

    fn undo(&self, state: &mut Vec<usize>) {
        state.pop();
    }

    fn check(&self, state: &mut Vec<usize>) -> Result<(), Halt> {
        self.maze.nodes[*state.last().unwrap()].check.map_or(Ok(()), Err)
    }

    fn ended(&self, state: &Vec<usize>) -> bool {
        self.maze.nodes[*state.last().unwrap()].is_end
    }

    fn is_transient(&self, state: &Vec<usize>) -> bool {
        self.maze.nodes[*state.last().unwrap()].is_transient
    }

    /// Some components come and go, so that layouts of tries change.
    fn encode(&self, state: &mut Vec<usize>, into: &mut Encoding) {
        let at = *state.last().unwrap() as u64;
        into.set(ROOT, &[at, at * at % 97]);
        for index in 0..4 {
            let key = Key { section: Section::Objects, index };
            if at >> (4 + 2 * index) & 3 == 3 {
                into.set(key, &vec![at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> index; 1 + at as usize % 3]);
            } else {
                into.remove(key);
            }
        }
    }

    fn decode(&self, from: &Encoding, state: &mut Vec<usize>) {
        *state = vec![from.get(ROOT).unwrap()[0] as usize];
    }

    fn statistics(&self) -> Option<&dyn Statistics<Vec<usize>>> {
        Some(self)
    }
}

impl Statistics<Vec<usize>> for Walked<'_> {
    fn take(&self, _: &mut Vec<usize>) -> Counted {
        Box::new(self.asked.take())
    }

    fn add(&self, counted: Counted) {
        let counted: Box<dyn Any> = counted;
        let mut counted = counted.downcast::<Vec<usize>>().expect("of the same type");
        self.asked.borrow_mut().append(&mut counted);
    }

    fn write(&self, _: &Vec<usize>, out: &mut Vec<u64>) -> bool {
        out.extend(self.asked.borrow().iter().map(|&node| node as u64));
        true
    }

    fn read(&self, words: &mut &[u64]) -> Option<Counted> {
        let asked: Vec<usize> = std::mem::take(words).iter().map(|&node| node as usize).collect();
        Some(Box::new(asked))
    }
}

struct Helpers<'a>(&'a Maze);

impl Team for Helpers<'_> {
    fn with_system<W: OnSystem>(&self, work: W) -> W::Output {
        work.run(&Walked { is_helper: true, ..Walked::new(self.0) })
    }
}

/// Everything that is found, and the order in which it was found.
fn found(outcome: &Outcome, system: &Walked<'_>, store: &Trie) -> String {
    let Outcome { stats, violations, truncations, unevaluated, completeness, open, threads: _, elapsed: _ } =
        outcome;
    let asked = system.asked.borrow();
    let states = store.len();
    format!(
        "{stats:?} {violations:?} {truncations:?} {unevaluated:?} {completeness:?} {open:?} {states} {asked:?}"
    )
}

fn alone(maze: &Maze, options: &Options<'_>) -> String {
    let (system, mut store) = (Walked::new(maze), Trie::new(&options.budget, true));
    let outcome = bfs(&system, &mut store, options, &mut Quiet);
    found(&outcome, &system, &store)
}

fn together(
    maze: &Maze,
    store: Trie,
    options: &Options<'_>,
    workers: usize,
    pace: Pace,
) -> (Outcome, String) {
    let (system, mut store) = (Walked::new(maze), store);
    let team = (&Helpers(maze), workers, pace);
    let outcome = parallel_bfs(&system, &mut store, options, &mut Quiet, team);
    let found = found(&outcome, &system, &store);
    (outcome, found)
}

fn pace(wide: usize, round: usize, chunk: usize) -> Pace {
    Pace { from: 0, wide, round: Some(round), chunk: Some(chunk), ..Pace::default() }
}

/// All mazes, options and divisions of the work.
#[test]
fn workers_find_what_one_thread_finds() {
    let mut random = SplitMix64::new(17);
    for number in 0..testing::effort(40) {
        let size = [30, 300, 2000][random.below(3)];
        let maze = Maze::random(&mut random, size);
        let folds = random.below(2) == 0;
        let options = Options {
            keep_going: random.below(4) > 0,
            max_states: (random.below(3) == 0).then(|| 1 + random.below(size)),
            max_depth: (random.below(5) == 0).then(|| random.below(20) as u32),
            lookahead: !folds,
            fold: folds,
            ..Options::default()
        };
        let expected = alone(&maze, &options);
        for workers in [1, 2, 3, 8] {
            let [round, chunk] = [[1, 1], [7, 3], [64, 5], [4096, 16], [4096, 512]][random.below(5)];
            let wide = 1 + random.below(3);
            let mut store = Trie::new(&options.budget, true);
            if random.below(2) == 0 {
                store = store.always_preparing();
            }
            let (_, found) = together(&maze, store, &options, workers, pace(wide, round, chunk));
            assert!(
                found == expected,
                "maze {number} of {size}, {workers} workers, rounds of {round} in chunks of {chunk}, {options:?}\n\
                 {found:.400}\n{expected:.400}"
            );
        }
    }
}

/// Cuts at every possible place of a small maze.
#[test]
fn limits_on_states_cut_where_one_thread_does() {
    let mut random = SplitMix64::new(5);
    for _ in 0..testing::effort(4) {
        let maze = Maze::random(&mut random, 200);
        for max in 1..120 {
            let options = Options { max_states: Some(max), keep_going: true, ..Options::default() };
            let store = Trie::new(&options.budget, true);
            let (_, found) = together(&maze, store, &options, 2, pace(1, 16, 2));
            assert_eq!(found, alone(&maze, &options), "at most {max}");
        }
    }
}

/// A cycle of transient states never ends, so its states are stored.
#[test]
fn endless_passages_are_stored_as_one_thread_stores_them() {
    let mut random = SplitMix64::new(9);
    let mut maze = Maze::random(&mut random, 400);
    for node in &mut maze.nodes {
        node.is_transient = false;
    }
    let [first, second] = [395, 396];
    for (node, next) in [(first, second), (second, first)] {
        maze.nodes[node] = Node { ways: vec![Way::To(next)], is_transient: true, ..Node::default() };
    }
    maze.nodes[0].ways = (1..100).map(Way::To).collect();
    maze.nodes[50].ways = vec![Way::To(first)];
    maze.nodes[77].ways.push(Way::To(second));
    let options = Options { keep_going: true, ..Options::default() };
    let expected = alone(&maze, &options);
    for workers in [2, 3] {
        let store = Trie::new(&options.budget, true);
        assert_eq!(together(&maze, store, &options, workers, pace(1, 40, 4)).1, expected);
    }
}

fn large() -> Maze {
    let mut random = SplitMix64::new(3);
    let mut maze = Maze::random(&mut random, 20_000);
    for (at, node) in maze.nodes.iter_mut().enumerate() {
        let ways = (1..4).map(|way| Way::To((3 * at + way) % 20_000)).collect();
        *node = Node { ways, is_end: true, ..Node::default() };
    }
    maze
}

#[test]
fn a_worker_that_panics_ends_the_search() {
    for after in [0, 1, 1000, 5000] {
        let maze = Maze { panics_after: Some(after), ..large() };
        let search = || {
            together(&maze, Trie::new(&Budget::unlimited(), true), &Options::default(), 3, Pace::default())
        };
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(search)).expect_err("a panic");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains("wanted by the test"), "{text}");
    }
}

#[test]
fn limits_end_a_search_of_several_workers() {
    let maze = large();
    let stopped = |options: &Options<'_>, store: Trie| {
        let (outcome, _) = together(&maze, store, options, 2, Pace { from: 100, wide: 1, ..Pace::default() });
        let Completeness::Stopped(reason) = outcome.completeness else { panic!("{outcome:?}") };
        let stats = outcome.stats;
        // The last transition may lead to a state that was refused.
        let refused = stats.transitions + 1 - stats.matched - stats.states as u64;
        assert!(stats.states > 0 && refused <= 1, "{stats:?}");
        reason
    };
    for limit in (600_000..1_200_000).step_by(40_000) {
        let budget = Budget::counted(limit);
        let options = Options { budget: budget.clone(), ..Options::default() };
        assert_eq!(stopped(&options, Trie::new(&budget, true)), StopReason::Memory);
    }
    let numbers = Trie::new(&Budget::unlimited(), true).with_id_limit(9000);
    let (outcome, _) = together(&maze, numbers, &Options::default(), 2, Pace::default());
    assert_eq!(outcome.stats.states, 9000);
    assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::Ids));
    // At the first state that is asked for by a worker, a time that is over and an interrupt are seen.
    let flag = Arc::new(AtomicBool::new(true));
    let options = Options { interrupt: Some(&flag), ..Options::default() };
    let (outcome, _) = together(&maze, Trie::new(&Budget::unlimited(), true), &options, 2, Pace::default());
    assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::Interrupted));
    let options = Options { time: Some(Duration::ZERO), ..Options::default() };
    let (outcome, _) = together(&maze, Trie::new(&Budget::unlimited(), true), &options, 2, Pace::default());
    assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::Time));
}

/// Keeps points in memory.
struct InMemory {
    /// One in this many points is kept.
    one_in: usize,
    random: SplitMix64,
    /// The number of points after which the search is to end.
    left: usize,
    interrupt: Arc<AtomicBool>,
    kept: Vec<Words>,
}

type Words = VecDeque<u64>;

impl Keeper for InMemory {
    fn is_due(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.interrupt.store(true, Relaxed);
        }
        self.random.below(self.one_in) == 0
    }

    fn keep(&mut self, states: usize, write: &mut dyn FnMut(&mut dyn Output) -> io::Result<()>) {
        let mut words = Words::new();
        write(&mut words).expect("there is a lot of memory");
        assert_eq!(words[0], states as u64);
        self.kept.push(words);
    }
}

/// Stops searches at any moment, or lets memory stop them, and goes on from points before, with other numbers
/// of workers.
#[test]
fn searches_go_on_from_points_as_if_nothing_had_happened() {
    let mut random = SplitMix64::new(23);
    let mut stops = [0; 3];
    for number in 0..testing::effort(60) {
        let size = [30, 300, 2000][random.below(3)];
        let mut maze = Maze::random(&mut random, size);
        let is_endless = random.below(4) == 0;
        if is_endless {
            // From then on transient states are stored, whoever goes on.
            maze.nodes[0].ways.push(Way::To(size - 2));
            for (at, to) in [(size - 2, size - 1), (size - 1, size - 2)] {
                maze.nodes[at] = Node { ways: vec![Way::To(to)], is_transient: true, ..Node::default() };
            }
        }
        let folds = random.below(2) == 0;
        let options = Options {
            keep_going: random.below(4) > 0,
            max_states: (random.below(3) == 0).then(|| 1 + random.below(size)),
            lookahead: !folds,
            fold: folds,
            ..Options::default()
        };
        let expected = alone(&maze, &options);
        let mut from: Option<Words> = None;
        for attempt in 0.. {
            let interrupt = Arc::new(AtomicBool::new(false));
            let may_stop = attempt < 6;
            let starves = may_stop && random.below(3) == 0;
            let mut keeper = InMemory {
                one_in: 1 + random.below(30),
                random: SplitMix64::new(random.below(1 << 30) as u64),
                left: if may_stop { 1 + random.below(size) } else { usize::MAX },
                interrupt: Arc::clone(&interrupt),
                kept: Vec::new(),
            };
            let budget = if starves { Budget::counted(random.below(1 << 17)) } else { Budget::unlimited() };
            let options = Options { budget, interrupt: Some(&interrupt), ..options.clone() };
            let (system, mut store) = (Walked::new(&maze), Trie::new(&options.budget, true));
            let [round, chunk] = [[1, 1], [7, 3], [64, 5], [4096, 16]][random.below(4)];
            let crew = (&Helpers(&maze), 1 + random.below(3), pace(1 + random.below(3), round, chunk));
            let mut input = from.clone();
            let checkpoints = Checkpoints {
                keeper: Some(&mut keeper),
                from: input.as_mut().map(|words| -> &mut dyn Input { words }),
            };
            let ended = parallel_bfs_from(&system, &mut store, &options, &mut Quiet, crew, checkpoints);
            let outcome = match ended {
                Ok(outcome) => outcome,
                Err(error) => {
                    assert!(starves && error.kind() == io::ErrorKind::OutOfMemory, "{error}");
                    continue;
                }
            };
            assert!(input.is_none_or(|words| words.is_empty()), "all of it is read");
            let stopped = match outcome.completeness {
                Completeness::Stopped(StopReason::Interrupted) => 0,
                Completeness::Stopped(StopReason::Memory) => 1,
                _ => {
                    let found = found(&outcome, &system, &store);
                    assert!(
                        found == expected,
                        "maze {number} of {size}, attempt {attempt}, {options:?}\n{found:.400}\n{expected:.400}"
                    );
                    break;
                }
            };
            stops[stopped] += 1;
            // The last point is that before the end. An earlier one does as well.
            let kept = keeper.kept.len();
            if let Some(last) = keeper.kept.last() {
                let Open::Frontier(open) = outcome.open else { panic!("it has no stack") };
                assert!(
                    open as u64 + last[1] <= outcome.stats.states as u64 + 1,
                    "what is expanded is not open"
                );
            }
            if kept > 0 {
                let at = if random.below(2) == 0 { kept - 1 } else { random.below(kept) };
                stops[2] += usize::from(at + 1 < kept);
                from = Some(keeper.kept.swap_remove(at));
            }
        }
    }
    assert!(stops.iter().all(|&stops| stops > 5), "{stops:?}");
}
