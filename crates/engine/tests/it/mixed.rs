//! The engine against the naive interpreter where objects, recursive functions and channels meet: the same
//! states, steps, faults and ends.

use std::collections::BTreeMap;

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use search::{Options, Quiet};
use state::Bounds;
use system::{Bound, Encoding, FaultKind, Fired, Step, Steps, TransitionSystem};
use testing::{SplitMix64, program, random_mixed, random_mixed_text};

/// Small, so that some programs exceed them.
const BOUNDS: Bounds = Bounds { threads: 4, frames: 4, objects: 5 };

const MOST_STATES: usize = 600;

fn programs() -> u64 {
    testing::effort(150)
}

fn interpreters(program: &Program) -> (Engine, Naive<'_>) {
    let threads = BOUNDS.threads.max(program.active.len() as u32);
    let Bounds { frames, objects, .. } = BOUNDS;
    let bounds = naive::Bounds { threads, frames, objects };
    (Engine::new(program, Bounds { threads, ..BOUNDS }, false), Naive { bounds, ..Naive::new(program) })
}

/// What both must find.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    states: usize,
    transitions: u64,
    matched: u64,
    faults: BTreeMap<FaultKind, u64>,
    truncations: BTreeMap<Bound, u64>,
}

fn found_by_engine(engine: &Engine, depth_first: bool) -> Found {
    let options = Options { keep_going: true, ..Options::default() };
    let mut store = store::Naive::new(&store::Budget::unlimited());
    let outcome = if depth_first {
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
    }
}

fn found_by_naive(naive: &Naive<'_>, most: usize) -> Option<Found> {
    let summary = naive::explore(naive, most);
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
    })
}

/// Lists go through a channel, are counted by a recursive function in an atomic block, and are handed on.
const POST: &str = testing::POST;

#[test]
fn lists_go_through_channels() {
    let program = program(POST);
    let (engine, naive) = interpreters(&program);
    let expected = found_by_naive(&naive, 20_000).expect("it is small");
    assert_eq!(expected.states, 904);
    for depth_first in [false, true] {
        assert_eq!(found_by_engine(&engine, depth_first), expected);
    }
}

/// A reference in a message keeps its object, and nothing else does; when it is received and forgotten, the
/// object goes.
#[test]
fn messages_keep_objects() {
    let program = program(
        "program kept;
        record Node { Node next; }
        channel post [1] { record Node };
        channels post;
        thread T() {
          local Node a;
          loc begin: do { a := new Node; a.next := new Node; } goto full;
          loc full: do { send(channel(post), a); a := null; } goto sent;
          loc sent: do { receive(channel(post), a :=); } goto got;
          loc got: do { a := null; } goto begin;
        }
        active T;",
    );
    let (engine, naive) = interpreters(&program);
    let (mut fast, mut plain) = (engine.initial(), naive.initial());
    let mut objects = Vec::new();
    for _ in 0..8 {
        let mut steps = Steps::default();
        engine.steps(&mut fast, &mut steps);
        let &[step] = &steps.enabled[..] else { panic!("{steps:?}") };
        assert_eq!(engine.fire(&mut fast, step), Fired::Moved);
        plain = naive.fire(&plain, step).unwrap_or_else(|stopped| panic!("{stopped:?}"));
        assert_eq!(fast.state.object_count(), plain.objects.len());
        objects.push(plain.objects.len());
    }
    assert_eq!(objects, [2, 2, 2, 0, 2, 2, 2, 0]);
    assert_eq!(found_by_engine(&engine, true).states, 4);
}

/// Threads with observable ids that end youngest first, call functions, and keep others out while they do.
#[test]
fn observable_ids_beside_objects_and_functions() {
    let program = program(
        "program family;
        features thread_ids, last;
        record Cell { int wrap (0, 7) x; Cell next; }
        channel post [1] { record Cell, int wrap (0, 7) };
        channels post;
        global int wrap (0, 7) sum;
        function depth(Cell c) returns int wrap (0, 7) {
          local int wrap (0, 7) d;
          loc begin: when c == null return 0;
            when c != null exclusive call depth(c.next) resume back;
          resume back of begin into d goto end;
          loc end: exclusive return d + 1;
        }
        thread Main() {
          local int wrap (0, 7) child;
          local Cell c;
          loc begin: exclusive do { c := new Cell; c.next := new Cell; child := start Child(c); } goto inside;
            when timeout() && threads() == 9 goto begin;
          loc inside fused: when child == 1 do { c.x := child; } goto idle;
            else goto idle;
          loc idle: do { receive(channel(post), c :=, sum :=); } goto join;
          loc join: when threads() == 1 do { check(sum == 2 && last() < 2); c := null; sum := 0; } goto begin;
        }
        thread Child(Cell own) {
          local int wrap (0, 7) n;
          loc begin: call depth(own) resume back;
          resume back of begin into n goto send;
          loc send: when own.x == thread() do { send(channel(post), own, n); } goto end;
          loc end: when youngest() return;
        }
        active Main;",
    );
    let (engine, naive) = interpreters(&program);
    let expected = found_by_naive(&naive, 20_000).expect("it is small");
    assert_eq!((expected.faults.len(), expected.truncations.len()), (0, 0), "{expected:?}");
    for depth_first in [false, true] {
        assert_eq!(found_by_engine(&engine, depth_first), expected);
    }
}

#[test]
fn random_programs_have_the_same_states_and_faults() {
    let (mut complete, mut faulty, mut truncated, mut states) = (0, 0, 0, 0);
    for seed in 0..programs() {
        let program = random_mixed(seed);
        let (engine, naive) = interpreters(&program);
        let Some(expected) = found_by_naive(&naive, MOST_STATES) else { continue };
        complete += 1;
        states += expected.states;
        faulty += u64::from(!expected.faults.is_empty());
        truncated += u64::from(!expected.truncations.is_empty());
        for depth_first in [false, true] {
            let found = found_by_engine(&engine, depth_first);
            assert_eq!(found, expected, "program {seed}\n{}", random_mixed_text(seed));
        }
    }
    // The programs are worth something.
    let all = programs();
    eprintln!("{complete} programs, {states} states, {faulty} with faults, {truncated} truncated");
    assert!(complete > all / 2, "{complete} of {all} are small enough");
    assert!(faulty > all / 10, "{faulty} of {all} have faults");
    assert!(truncated > all / 100, "{truncated} of {all} exceed a bound");
}

/// Both interpreters along one random path, step by step.
fn walk_together(program: &Program, seed: u64, steps: usize) {
    let (engine, naive) = interpreters(program);
    let mut random = SplitMix64::new(seed);
    let (mut fast, mut plain) = (engine.initial(), naive.initial());
    let mut offered = Steps::default();
    for _ in 0..steps {
        engine.steps(&mut fast, &mut offered);
        let (mut enabled, faults) = naive.steps(&plain);
        let mut ours = offered.enabled.clone();
        ours.sort_unstable();
        enabled.sort_unstable();
        assert_eq!(ours, enabled, "{}", naive.describe_state(&plain));
        let sorted = |mut faults: Vec<(Step, FaultKind)>| {
            faults.sort_unstable();
            faults
        };
        let ours = offered.faults.iter().map(|&(step, fault)| (step, fault.kind)).collect();
        let theirs = faults.iter().map(|(step, fault)| (*step, fault.kind)).collect();
        assert_eq!(sorted(ours), sorted(theirs), "{}", naive.describe_state(&plain));
        assert_eq!(engine.is_transient(&fast), naive.is_transient(&plain));
        assert_eq!(engine.ended(&fast), naive.ended(&plain));
        assert_eq!(fast.state.object_count(), plain.objects.len(), "{}", naive.describe_state(&plain));
        if enabled.is_empty() {
            return;
        }
        let step = enabled[random.below(enabled.len())];
        match (engine.fire(&mut fast, step), naive.fire(&plain, step)) {
            (Fired::Moved, Ok(next)) if next.soft_fault().is_none() => plain = next,
            (Fired::MovedWithFault(ours), Ok(next)) => {
                assert_eq!(Some(ours.kind), next.soft_fault().map(|soft_fault| soft_fault.kind));
                plain = next;
            }
            (Fired::Fault(ours), Err(Stopped::Fault(theirs))) => assert_eq!(ours.kind, theirs.kind),
            (Fired::Truncated(ours), Err(Stopped::Truncated(theirs))) => assert_eq!(ours, theirs),
            (ours, theirs) => {
                panic!("{step:?} of {}: {ours:?} against {theirs:?}", naive.describe_state(&plain))
            }
        }
    }
}

#[test]
fn random_walks_offer_the_same_steps() {
    for seed in 0..programs() {
        let text = random_mixed_text(seed + 1_000_000);
        let walk = || walk_together(&random_mixed(seed + 1_000_000), seed, 60);
        if let Err(panic) = std::panic::catch_unwind(walk) {
            eprintln!("program {seed}\n{text}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// After every step and undo, the state is what it was, to the bit; decoding gives it back.
#[test]
fn undo_restores_random_programs() {
    let moves = |fired| matches!(fired, Fired::Moved | Fired::MovedWithFault(_));
    for seed in 0..programs() / 2 {
        let program = random_mixed(seed + 2_000_000);
        let (engine, _) = interpreters(&program);
        let mut random = SplitMix64::new(seed);
        let mut state = engine.initial();
        let mut mirror = Encoding::new();
        let mut offered = Steps::default();
        for _ in 0..30 {
            engine.steps(&mut state, &mut offered);
            for &step in &offered.enabled {
                let before = state.state.snapshot();
                if moves(engine.fire(&mut state, step)) {
                    engine.encode(&mut state, &mut mirror);
                    let mut decoded = engine.initial();
                    engine.decode(&mirror, &mut decoded);
                    let (mut ours, mut theirs) = (Steps::default(), Steps::default());
                    engine.steps(&mut state, &mut ours);
                    engine.steps(&mut decoded, &mut theirs);
                    assert_eq!((&ours.enabled, &ours.faults), (&theirs.enabled, &theirs.faults));
                    engine.undo(&mut state);
                }
                assert_eq!(before, state.state.snapshot());
            }
            if offered.enabled.is_empty() {
                break;
            }
            moves(engine.fire(&mut state, offered.enabled[random.below(offered.enabled.len())]));
        }
    }
}
