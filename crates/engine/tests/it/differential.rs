//! The engine against the naive interpreter: the same states, steps, faults and ends, on random programs.

use std::collections::BTreeMap;

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use search::{Options, Outcome, Quiet};
use state::Bounds;
use system::{Bound, Encoding, FaultKind, Fired, Halt, Steps, TransitionSystem};
use testing::{SplitMix64, philosophers, random_program};

/// Large enough for most random programs, and visited quickly.
const MOST_STATES: usize = 3000;

fn programs() -> u64 {
    testing::effort(1000)
}

/// Small bounds, so that some programs exceed them.
const BOUNDS: Bounds = Bounds { threads: 5, frames: 6, objects: 7 };

fn interpreters(program: &Program, errors: bool) -> (Engine, Naive<'_>) {
    let Bounds { threads, frames, objects } = BOUNDS;
    let threads = threads.max(program.active.len() as u32);
    let on_bound = if errors { naive::OnBound::Fault } else { naive::OnBound::Truncate };
    (
        Engine::new(program, Bounds { threads, ..BOUNDS }, errors),
        Naive { bounds: naive::Bounds { threads, frames, objects }, on_bound, ..Naive::new(program) },
    )
}

/// What both must find.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    states: usize,
    transitions: u64,
    matched: u64,
    faults: BTreeMap<FaultKind, u64>,
    truncations: BTreeMap<Bound, u64>,
    unevaluated: BTreeMap<Bound, u64>,
}

fn found_by_engine(engine: &Engine, depth_first: bool) -> Found {
    let options = Options { keep_going: true, ..Options::default() };
    let mut store = store::HashSetStore::new(&store::Budget::unlimited());
    let outcome: Outcome = if depth_first {
        search::dfs(engine, &mut store, &options, &mut Quiet)
    } else {
        search::bfs(engine, &mut store, &options, &mut Quiet)
    };
    let mut faults = BTreeMap::new();
    for violation in &outcome.violations {
        *faults.entry(violation.fault.kind).or_default() += violation.count;
    }
    Found {
        states: outcome.stats.states,
        transitions: outcome.stats.transitions,
        matched: outcome.stats.matched,
        faults,
        truncations: outcome.truncations,
        unevaluated: outcome.unevaluated,
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

/// The same of the plain interpreter.
fn plainly_wrong(end: Result<(), Stopped>) -> Option<Result<Bound, FaultKind>> {
    match end {
        Ok(()) => None,
        Err(Stopped::Fault(fault)) => Some(Err(fault.kind)),
        Err(Stopped::Truncated(bound)) => Some(Ok(bound)),
        Err(Stopped::NotEnabled | Stopped::Abandoned) => {
            panic!("conditions are no steps, and there is no alarm")
        }
    }
}

fn found_by_naive(naive: &Naive<'_>) -> Option<Found> {
    let summary = naive::explore(naive, MOST_STATES);
    let mut faults = BTreeMap::new();
    for ((kind, _), count) in summary.faults {
        *faults.entry(kind).or_default() += count as u64;
    }
    if summary.deadlocks > 0 {
        faults.insert(FaultKind::Deadlock, summary.deadlocks as u64);
    }
    summary.complete.then_some(Found {
        states: summary.states,
        transitions: summary.transitions as u64,
        matched: summary.matched as u64,
        faults,
        truncations: summary.truncations.into_iter().map(|(bound, n)| (bound, n as u64)).collect(),
        unevaluated: summary.unevaluated.into_iter().map(|(bound, n)| (bound, n as u64)).collect(),
    })
}

#[test]
fn random_programs_have_the_same_states_and_faults() {
    let (mut complete, mut faulty, mut truncated, mut states) = (0, 0, 0, 0);
    for seed in 0..programs() {
        let program = random_program(seed);
        let (engine, naive) = interpreters(&program, seed % 3 == 0);
        let Some(expected) = found_by_naive(&naive) else { continue };
        complete += 1;
        states += expected.states;
        faulty += u64::from(!expected.faults.is_empty());
        truncated += u64::from(!expected.truncations.is_empty());
        for depth_first in [false, true] {
            assert_eq!(
                found_by_engine(&engine, depth_first),
                expected,
                "program {seed}, depth first: {depth_first}\n{}",
                ir::text::print(&program)
            );
        }
    }
    // The programs are worth something.
    let all = programs();
    assert!(complete > all / 2, "{complete} of {all} are small enough");
    assert!(faulty > all / 10 && faulty < all * 9 / 10, "{faulty} of {all} have faults");
    assert!(truncated > all / 100, "{truncated} of {all} exceed a bound");
    eprintln!("{complete} programs, {states} states, {faulty} with faults, {truncated} truncated");
}

/// Both interpreters along one random path, step by step.
fn walk_together(program: &Program, seed: u64, steps: usize) {
    let (engine, naive) = interpreters(program, seed.is_multiple_of(2));
    let mut random = SplitMix64::new(seed);
    let mut fast = engine.initial();
    let mut plain = naive.initial();
    let mut offered = Steps::default();
    for _ in 0..steps {
        engine.steps(&mut fast, &mut offered);
        let (mut enabled, faults) = naive.steps(&plain);
        let mut ours = offered.enabled.clone();
        ours.sort_unstable();
        enabled.sort_unstable();
        assert_eq!(ours, enabled);
        let kinds = |faults: &[(system::Step, FaultKind)]| {
            let mut faults = faults.to_vec();
            faults.sort_unstable();
            faults
        };
        let ours: Vec<_> = offered.faults.iter().map(|&(step, fault)| (step, fault.kind)).collect();
        let theirs: Vec<_> = faults.iter().map(|(step, fault)| (*step, fault.kind)).collect();
        assert_eq!(kinds(&ours), kinds(&theirs));
        assert_eq!(wrong(engine.check(&mut fast)), plainly_wrong(naive.check(&plain)));
        if enabled.is_empty() {
            assert_eq!(engine.ended(&fast), plain.threads.values().all(naive::Thread::ended));
            return;
        }
        let step = enabled[random.below(enabled.len())];
        match (engine.fire(&mut fast, step), naive.fire(&plain, step)) {
            (Fired::Moved, Ok(next)) => plain = next,
            (Fired::Fault(ours), Err(Stopped::Fault(theirs))) => {
                assert_eq!(ours.kind, theirs.kind);
            }
            (Fired::Truncated(ours), Err(Stopped::Truncated(theirs))) => assert_eq!(ours, theirs),
            (ours, theirs) => panic!("{ours:?} against {theirs:?}"),
        }
    }
}

#[test]
fn random_walks_offer_the_same_steps() {
    for seed in 0..programs() / 2 {
        walk_together(&random_program(seed + 1_000_000), seed, 60);
    }
}

/// After every step and undo, the state is what it was, to the bit; encodings follow; decoding gives it back.
fn undo_restores(program: &Program, seed: u64, steps: usize) {
    let (engine, _) = interpreters(program, false);
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
            if engine.fire(&mut state, step) == Fired::Moved {
                engine.encode(&mut state, &mut mirror);
                let mut decoded = engine.initial();
                engine.decode(&mirror, &mut decoded);
                let mut fresh = Encoding::new();
                decoded.state.mark_all_dirty();
                engine.encode(&mut decoded, &mut fresh);
                assert!(fresh.same(&mirror), "decoding loses something");
                let (mut ours, mut theirs) = (Steps::default(), Steps::default());
                engine.steps(&mut state, &mut ours);
                engine.steps(&mut decoded, &mut theirs);
                assert_eq!(ours.enabled, theirs.enabled);
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
                engine.encode(&mut state, &mut mirror);
                assert!(mirror.same(&trail[trail.len() - 1]));
            }
            continue;
        }
        let step = offered.enabled[random.below(offered.enabled.len())];
        let before = mirror.now();
        if engine.fire(&mut state, step) == Fired::Moved {
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

#[test]
fn undo_restores_random_programs() {
    for seed in 0..programs() / 4 {
        undo_restores(&random_program(seed + 2_000_000), seed, 40);
    }
}

#[test]
fn philosophers_undo_and_counts() {
    for (n, states, matched) in [(3, 36, 41), (5, 393, 1024), (7, 4287, 17394)] {
        let program = philosophers(n);
        undo_restores(&program, n as u64, 100);
        let engine = Engine::new(&program, Bounds::default(), false);
        for depth_first in [false, true] {
            let found = found_by_engine(&engine, depth_first);
            assert_eq!((found.states, found.matched), (states, matched));
            assert_eq!(found.faults, BTreeMap::from([(FaultKind::Deadlock, 1)]));
        }
    }
}

/// Two choices in one body, the second of which depends on the first, with an obstacle behind them.
#[test]
fn several_choice_points_in_one_step() {
    let program = testing::program(
        "program p;
        global lock m;
        global lock n;
        global int (0, 3) waiting;
        thread Waiter(lock l) {
          loc a: do { lock(l); waiting := waiting + 1; wait(l); } goto b;
          loc b: do { unwait(l); unlock(l); } return;
        }
        thread Notifier() {
          loc a: when waiting == 3 do { lock(m); notify(m); notify(m); notify(m); unlock(m); lock(n); } return;
        }
        thread Main() {
          loc a: do {
            m := new lock;
            n := new lock;
            start Waiter(m);
            start Waiter(m);
            start Waiter(m);
            start Notifier();
          } return;
        }
        active Main;",
    );
    let (engine, naive) = interpreters(&program, false);
    let expected = found_by_naive(&naive).expect("a small program");
    for depth_first in [false, true] {
        assert_eq!(found_by_engine(&engine, depth_first), expected);
    }
    // All three wait: three, then two, then one to choose from.
    let mut state = engine.initial();
    let mut offered = Steps::default();
    for _ in 0..4 {
        engine.steps(&mut state, &mut offered);
        assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Moved);
    }
    engine.steps(&mut state, &mut offered);
    let mut choices: Vec<u32> = offered.enabled.iter().map(|step| step.choice).collect();
    choices.sort_unstable();
    assert_eq!(choices, [0, 1, 2, 3, 4, 5]);
    for seed in 0..20 {
        walk_together(&program, seed, 30);
    }
}
