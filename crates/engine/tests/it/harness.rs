//! The engine against the plain interpreter, on any family of random programs: both must find the same
//! states, steps, faults and ends.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use search::{Options, Quiet};
use state::Bounds;
use system::{Bound, Encoding, FaultKind, Fired, Halt, Step, Steps, TransitionSystem};
use testing::SplitMix64;

/// Random programs of one kind, and how much is done with them.
pub struct Family {
    pub program: fn(u64) -> Program,
    /// Small, so that some programs exceed them.
    pub bounds: Bounds,
    /// Enough for most programs, and visited quickly.
    pub most_states: usize,
    /// The numbers of programs, before effort: to be explored, to be walked through, to be undone.
    pub explored: u64,
    pub walked: u64,
    pub undone: u64,
}

/// Both interpreters of one program.
pub struct Pair<'p> {
    pub engine: Engine,
    pub naive: Naive<'p>,
}

impl<'p> Pair<'p> {
    pub fn new(program: &'p Program, bounds: Bounds, bounds_are_errors: bool) -> Self {
        let bounds = Bounds { threads: bounds.threads.max(program.active.len() as u32), ..bounds };
        let Bounds { threads, frames, objects } = bounds;
        let on_bound = if bounds_are_errors { naive::OnBound::Fault } else { naive::OnBound::Truncate };
        let bounds_of_naive = naive::Bounds { threads, frames, objects };
        Self {
            engine: Engine::new(program, bounds, bounds_are_errors),
            naive: Naive { bounds: bounds_of_naive, on_bound, ..Naive::new(program) },
        }
    }

    /// Explores the program with both interpreters. Returns what they found, if it has at most `most` states.
    pub fn explore(&self, most: usize) -> Option<Found> {
        let expected = Found::by_naive(&self.naive, most)?;
        for search in SEARCHES {
            assert_eq!(Found::by_engine(&self.engine, search), expected, "{search:?}");
        }
        Some(expected)
    }

    /// Takes both interpreters along one random path, step by step.
    pub fn walk(&self, seed: u64, steps: usize) {
        let Self { engine, naive } = self;
        let mut random = SplitMix64::new(seed);
        let (mut fast, mut plain) = (engine.initial(), naive.initial());
        let mut offered = Steps::default();
        for _ in 0..steps {
            let describe = || naive.describe_state(&plain);
            engine.steps(&mut fast, &mut offered);
            let (enabled, faults) = naive.steps(&plain);
            let enabled = sorted(enabled);
            assert_eq!(sorted(offered.enabled.clone()), enabled, "{}", describe());
            let ours = offered.faults.iter().map(|&(step, fault)| (step, fault.kind)).collect();
            let theirs = faults.iter().map(|(step, fault)| (*step, fault.kind)).collect();
            assert_eq!(sorted::<(Step, FaultKind)>(ours), sorted(theirs), "{}", describe());
            assert_eq!(engine.is_transient(&fast), naive.is_transient(&plain), "{}", describe());
            if !naive.is_transient(&plain) {
                assert_eq!(wrong(engine.check(&mut fast)), plainly_wrong(naive.check(&plain)));
            }
            assert_eq!(engine.ended(&fast), naive.ended(&plain), "{}", describe());
            // Channels with numbers count as objects of the engine.
            if engine.layout().has_objects {
                assert_eq!(fast.state.object_count(), plain.objects.len(), "{}", describe());
            }
            if enabled.is_empty() {
                return;
            }
            let step = *random.pick(&enabled);
            match (engine.fire(&mut fast, step), naive.fire(&plain, step)) {
                (Fired::Moved, Ok(next)) if next.soft_fault().is_none() => plain = next,
                (Fired::MovedWithFault(ours), Ok(next)) => {
                    assert_eq!(Some(ours.kind), next.soft_fault().map(|soft_fault| soft_fault.kind));
                    plain = next;
                }
                (Fired::Fault(ours), Err(Stopped::Fault(theirs))) => assert_eq!(ours.kind, theirs.kind),
                (Fired::Truncated(ours), Err(Stopped::Truncated(theirs))) => assert_eq!(ours, theirs),
                (ours, theirs) => panic!("{step:?} of {}: {ours:?} against {theirs:?}", describe()),
            }
        }
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list
}

/// What both must find.
#[derive(PartialEq, Eq, Debug)]
pub struct Found {
    pub states: usize,
    pub transitions: u64,
    pub matched: u64,
    pub faults: BTreeMap<FaultKind, u64>,
    pub truncations: BTreeMap<Bound, u64>,
    pub unevaluated: BTreeMap<Bound, u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum Search {
    Bfs,
    Dfs,
    /// Depth first, with the successor cache.
    CachedDfs,
    /// Depth first, with the cache, where the store looks up successors even if that gains nothing.
    PreparedDfs,
    /// Breadth first in the same two ways.
    CachedBfs,
    PreparedBfs,
}

const SEARCHES: [Search; 6] = [
    Search::Bfs,
    Search::Dfs,
    Search::CachedDfs,
    Search::PreparedDfs,
    Search::CachedBfs,
    Search::PreparedBfs,
];

impl Found {
    pub fn by_engine(engine: &Engine, search: Search) -> Self {
        let options = Options { keep_going: true, ..Options::default() };
        let budget = store::Budget::unlimited();
        let mut store = store::HashSetStore::new(&budget);
        let trie = |queues| store::Trie::new(&budget, queues);
        let outcome = match search {
            Search::Bfs => search::bfs(engine, &mut store, &options, &mut Quiet),
            Search::Dfs => search::dfs(engine, &mut store, &options, &mut Quiet),
            Search::CachedDfs => search::dfs(engine, &mut trie(false), &options, &mut Quiet),
            Search::PreparedDfs => {
                search::dfs(engine, &mut trie(false).always_preparing(), &options, &mut Quiet)
            }
            Search::CachedBfs => search::bfs(engine, &mut trie(true), &options, &mut Quiet),
            Search::PreparedBfs => {
                search::bfs(engine, &mut trie(true).always_preparing(), &options, &mut Quiet)
            }
        };
        let mut faults = BTreeMap::new();
        for violation in &outcome.violations {
            let end = violation.trail.replay(engine, |_, _| {}).expect("it is a trail of this system");
            let fault = violation.fault;
            assert!(end.contains(&fault), "{search:?}: a trail to {fault:?} ends in {end:?}");
            *faults.entry(fault.kind).or_default() += violation.count;
        }
        Self {
            states: outcome.stats.states,
            transitions: outcome.stats.transitions,
            matched: outcome.stats.matched,
            faults,
            truncations: outcome.truncations,
            unevaluated: outcome.unevaluated,
        }
    }

    pub fn by_naive(naive: &Naive<'_>, most: usize) -> Option<Self> {
        let summary = naive::explore(naive, most);
        let mut faults = BTreeMap::new();
        for ((kind, _), count) in summary.faults {
            *faults.entry(kind).or_default() += count as u64;
        }
        if summary.deadlocks > 0 {
            faults.insert(FaultKind::Deadlock, summary.deadlocks as u64);
        }
        summary.complete.then_some(Self {
            states: summary.states,
            transitions: summary.transitions as u64,
            matched: summary.matched as u64,
            faults,
            truncations: summary.truncations.into_iter().map(|(bound, n)| (bound, n as u64)).collect(),
            unevaluated: summary.unevaluated.into_iter().map(|(bound, n)| (bound, n as u64)).collect(),
        })
    }
}

/// What became of a check: the kind of the fault, or the bound.
fn wrong(end: Result<(), Halt>) -> Option<Result<Bound, FaultKind>> {
    match end {
        Ok(()) => None,
        Err(Halt::Fault(fault)) => Some(Err(fault.kind)),
        Err(Halt::Truncated(bound)) => Some(Ok(bound)),
        Err(Halt::Abandoned) => panic!("there is no alarm"),
    }
}

/// What became of a check by the plain interpreter.
fn plainly_wrong(end: Result<(), Stopped>) -> Option<Result<Bound, FaultKind>> {
    match end {
        Ok(()) => None,
        Err(Stopped::Fault(fault)) => Some(Err(fault.kind)),
        Err(Stopped::Truncated(bound)) => Some(Ok(bound)),
        Err(Stopped::NotEnabled | Stopped::Abandoned) => {
            panic!("conditions are not steps, and there is no alarm")
        }
    }
}

pub const fn moves(fired: Fired) -> bool {
    matches!(fired, Fired::Moved | Fired::MovedWithFault(_))
}

/// After every step and undo, the state is what it was, to the bit; encodings follow; decoding gives it back.
pub fn undo_restores(engine: &Engine, seed: u64, steps: usize) {
    let mut random = SplitMix64::new(seed);
    let mut state = engine.initial();
    let mut mirror = Encoding::new();
    engine.encode(&mut state, &mut mirror);
    let mut offered = Steps::default();
    let mut trail = vec![mirror.clone()];
    for _ in 0..steps {
        engine.steps(&mut state, &mut offered);
        // Every step forth and back.
        for &step in &offered.enabled {
            let before = state.state.snapshot();
            if moves(engine.fire(&mut state, step)) {
                engine.encode(&mut state, &mut mirror);
                if !engine.is_transient(&state) {
                    let mut decoded = engine.initial();
                    engine.decode(&mirror, &mut decoded);
                    let mut fresh = Encoding::new();
                    decoded.state.mark_all_unencoded();
                    engine.encode(&mut decoded, &mut fresh);
                    assert!(fresh.same(&mirror), "decoding loses something");
                    let (mut ours, mut theirs) = (Steps::default(), Steps::default());
                    engine.steps(&mut state, &mut ours);
                    engine.steps(&mut decoded, &mut theirs);
                    assert_eq!((&ours.enabled, &ours.faults), (&theirs.enabled, &theirs.faults));
                }
                engine.undo(&mut state);
            }
            assert_eq!(before, state.state.snapshot());
        }
        engine.encode(&mut state, &mut mirror);
        assert!(mirror.same(&trail[trail.len() - 1]));
        // And a way through, sometimes several steps back.
        if offered.enabled.is_empty() || random.below(4) == 0 {
            for _ in 0..random.below(trail.len()) {
                engine.undo(&mut state);
                trail.pop();
                // Now and then the encoding has to follow several steps at once.
                if random.below(3) > 0 {
                    engine.encode(&mut state, &mut mirror);
                    assert!(mirror.same(&trail[trail.len() - 1]));
                }
            }
            engine.encode(&mut state, &mut mirror);
            assert!(mirror.same(&trail[trail.len() - 1]));
            continue;
        }
        let before = mirror.now();
        if moves(engine.fire(&mut state, *random.pick(&offered.enabled))) {
            engine.encode(&mut state, &mut mirror);
            let parent = &trail[trail.len() - 1];
            let differs = |key| mirror.get(key) != parent.get(key);
            let keys = mirror.components().chain(parent.components()).map(|(key, _)| key);
            for key in keys.filter(|&key| differs(key)) {
                assert!(
                    mirror.touched(before).is_some_and(|touched| touched.contains(&key)),
                    "{key:?} changed unnoticed"
                );
            }
            trail.push(mirror.clone());
        }
    }
}

/// The numbers of explored programs in which something can go wrong.
#[derive(Default, Debug)]
pub struct Tally {
    pub all: u64,
    pub complete: u64,
    pub faulty: u64,
    pub truncated: u64,
    /// Programs in which a channel was not as exclusive as claimed.
    pub claims: u64,
    pub states: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.all += other.all;
        self.complete += other.complete;
        self.faulty += other.faulty;
        self.truncated += other.truncated;
        self.claims += other.claims;
        self.states += other.states;
    }
}

impl Family {
    fn each(&self, count: u64, offset: u64, test: impl FnMut(u64, &Program)) {
        self.some(0..testing::effort(count), offset, test);
    }

    fn some(&self, seeds: Range<u64>, offset: u64, mut test: impl FnMut(u64, &Program)) {
        for seed in seeds {
            let program = (self.program)(seed + offset);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed, &program))) {
                eprintln!("program {}\n{}", seed + offset, ir::text::print(&program));
                resume_unwind(panic);
            }
        }
    }

    /// Explores programs with both interpreters, on two cores.
    pub fn explore(&self) -> Tally {
        let all = testing::effort(self.explored);
        let (mut tally, other) = thread::scope(|scope| {
            let other = scope.spawn(|| self.explore_some(all / 2..all));
            (self.explore_some(0..all / 2), other.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        tally.add(&other);
        eprintln!("{tally:?}");
        let Tally { all, complete, faulty, truncated, .. } = tally;
        assert!(complete > all / 2, "{complete} of {all} are small enough");
        assert!(faulty > all / 10, "{faulty} of {all} have faults");
        assert!(truncated > all / 100, "{truncated} of {all} exceed a bound");
        tally
    }

    /// In a third of the programs, exceeding a bound is a fault.
    fn explore_some(&self, seeds: Range<u64>) -> Tally {
        let mut tally = Tally::default();
        self.some(seeds, 0, |seed, program| {
            tally.all += 1;
            let pair = Pair::new(program, self.bounds, seed.is_multiple_of(3));
            let Some(found) = pair.explore(self.most_states) else { return };
            tally.complete += 1;
            tally.states += found.states;
            tally.faulty += u64::from(!found.faults.is_empty());
            tally.claims += u64::from(found.faults.contains_key(&FaultKind::ExclusiveChannel));
            tally.truncated += u64::from(!found.truncations.is_empty());
        });
        tally
    }

    pub fn walk(&self) {
        self.each(self.walked, 1_000_000, |seed, program| {
            Pair::new(program, self.bounds, seed.is_multiple_of(2)).walk(seed, 60);
        });
    }

    pub fn undo(&self) {
        self.each(self.undone, 2_000_000, |seed, program| {
            undo_restores(&Pair::new(program, self.bounds, false).engine, seed, 40);
        });
    }
}
