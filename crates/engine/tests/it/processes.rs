//! The engine against the naive interpreter on random programs of processes and channels: the same states, steps, faults and ends.

use std::collections::BTreeMap;

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use search::{Options, Quiet};
use state::Bounds;
use system::{Bound, Encoding, FaultKind, Fired, Halt, Key, Step, Steps, SuccessorCache, TransitionSystem};
use testing::{SplitMix64, random_processes, random_processes_text};

/// Large enough for most random programs, and visited quickly.
const MOST_STATES: usize = 600;

/// Small, so that some programs exceed it.
const BOUNDS: Bounds = Bounds { threads: 5, frames: 255, objects: 65535 };

fn programs() -> u64 {
    testing::effort(300)
}

fn interpreters(program: &Program) -> (Engine, Naive<'_>) {
    let Bounds { threads, frames, objects } = BOUNDS;
    let bounds = naive::Bounds { threads, frames, objects };
    (Engine::new(program, BOUNDS, false), Naive { bounds, ..Naive::new(program) })
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

#[derive(Clone, Copy, Debug)]
enum Search {
    Bfs,
    Dfs,
    /// Depth first, with what threads can do remembered.
    Remembering,
    /// The same, and steps are fired ahead where that is of no use.
    LookingAhead,
    /// Breadth first in the same two ways.
    BfsRemembering,
    BfsLookingAhead,
}

const SEARCHES: [Search; 6] = [
    Search::Bfs,
    Search::Dfs,
    Search::Remembering,
    Search::LookingAhead,
    Search::BfsRemembering,
    Search::BfsLookingAhead,
];

fn found_by_engine(engine: &Engine, search: Search) -> Found {
    let options = Options { keep_going: true, ..Options::default() };
    let budget = store::Budget::unlimited();
    let mut store = store::Naive::new(&budget);
    let trie = |queues| store::Trie::new(&budget, queues);
    let outcome = match search {
        Search::Bfs => search::bfs(engine, &mut store, &options, &mut Quiet),
        Search::Dfs => search::dfs(engine, &mut store, &options, &mut Quiet),
        Search::Remembering => search::dfs(engine, &mut trie(false), &options, &mut Quiet),
        Search::LookingAhead => {
            search::dfs(engine, &mut trie(false).always_preparing(), &options, &mut Quiet)
        }
        Search::BfsRemembering => search::bfs(engine, &mut trie(true), &options, &mut Quiet),
        Search::BfsLookingAhead => {
            search::bfs(engine, &mut trie(true).always_preparing(), &options, &mut Quiet)
        }
    };
    let mut faults = BTreeMap::new();
    for violation in &outcome.violations {
        let end = violation.trail.replay(engine, |_, _| {}).expect("it is a trail of this system");
        assert!(
            end.contains(&violation.fault),
            "{search:?}: a trail to {:?} ends in {end:?}",
            violation.fault
        );
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
    let (mut complete, mut faulty, mut claims, mut truncated, mut states) = (0, 0, 0, 0, 0);
    for seed in 0..programs() {
        let program = random_processes(seed);
        let (engine, naive) = interpreters(&program);
        let Some(expected) = found_by_naive(&naive) else { continue };
        complete += 1;
        states += expected.states;
        faulty += u64::from(!expected.faults.is_empty());
        claims += u64::from(expected.faults.contains_key(&FaultKind::ExclusiveChannel));
        truncated += u64::from(!expected.truncations.is_empty());
        for search in SEARCHES {
            let text = random_processes_text(seed);
            let found = found_by_engine(&engine, search);
            assert_eq!(found, expected, "program {seed}, {search:?}\n{text}");
        }
    }
    // The programs are worth something.
    let all = programs();
    assert!(complete > all / 2, "{complete} of {all} are small enough");
    assert!(faulty > all / 10, "{faulty} of {all} have faults");
    assert!(claims > all / 100, "{claims} of {all} break a claim");
    assert!(truncated > all / 100, "{truncated} of {all} exceed a bound");
    eprintln!(
        "{complete} programs, {states} states, {faulty} with faults, {claims} of claims, {truncated} truncated"
    );
}

/// Both interpreters along one random path, step by step.
fn walk_together(program: &Program, seed: u64, steps: usize) {
    let (engine, naive) = interpreters(program);
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
        assert_eq!(ours, enabled, "{}", naive.describe_state(&plain));
        let sorted = |mut faults: Vec<(Step, FaultKind)>| {
            faults.sort_unstable();
            faults
        };
        let ours = offered.faults.iter().map(|&(step, fault)| (step, fault.kind)).collect();
        let theirs = faults.iter().map(|(step, fault)| (*step, fault.kind)).collect();
        assert_eq!(sorted(ours), sorted(theirs), "{}", naive.describe_state(&plain));
        assert_eq!(engine.is_transient(&fast), naive.is_transient(&plain));
        if !naive.is_transient(&plain) {
            assert_eq!(wrong(engine.check(&mut fast)), plainly_wrong(naive.check(&plain)));
        }
        assert_eq!(engine.ended(&fast), naive.ended(&plain));
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
        let text = random_processes_text(seed + 1_000_000);
        let walk = || walk_together(&random_processes(seed + 1_000_000), seed, 60);
        if let Err(panic) = std::panic::catch_unwind(walk) {
            eprintln!("program {seed}\n{text}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// After every step and undo, the state is what it was, to the bit; decoding gives it back.
fn undo_restores(program: &Program, seed: u64, steps: usize) {
    let (engine, _) = interpreters(program);
    let mut random = SplitMix64::new(seed);
    let mut state = engine.initial();
    let mut mirror = Encoding::new();
    let mut offered = Steps::default();
    let moves = |fired| matches!(fired, Fired::Moved | Fired::MovedWithFault(_));
    for _ in 0..steps {
        engine.steps(&mut state, &mut offered);
        for &step in &offered.enabled {
            let before = state.state.snapshot();
            if moves(engine.fire(&mut state, step)) {
                if !engine.is_transient(&state) {
                    engine.encode(&mut state, &mut mirror);
                    let mut decoded = engine.initial();
                    engine.decode(&mirror, &mut decoded);
                    let (mut ours, mut theirs) = (Steps::default(), Steps::default());
                    engine.steps(&mut state, &mut ours);
                    engine.steps(&mut decoded, &mut theirs);
                    assert_eq!((&ours.enabled, &ours.faults), (&theirs.enabled, &theirs.faults));
                }
                engine.undo(&mut state);
            }
            assert_eq!(before, state.state.snapshot());
        }
        if offered.enabled.is_empty() {
            return;
        }
        moves(engine.fire(&mut state, offered.enabled[random.below(offered.enabled.len())]));
    }
}

#[test]
fn undo_restores_random_programs() {
    for seed in 0..programs() {
        undo_restores(&random_processes(seed + 2_000_000), seed, 40);
    }
}

/// Writes to an encoding where it differs from another one, as a store does that gives a state back.
fn turn_into(encoding: &mut Encoding, target: &Encoding) {
    let old: Vec<Key> = encoding.components().map(|(key, _)| key).collect();
    for key in old.into_iter().filter(|&key| target.get(key).is_none()) {
        encoding.remove(key);
    }
    for (key, words) in target.components() {
        if encoding.get(key) != Some(words) {
            encoding.set(key, words);
        }
    }
}

/// One state goes to others and back by decoding one encoding, as a breadth-first search does: what was not written since
/// is not looked at, and what threads can do is the same as in a state that was made anew.
fn decoding_catches_up(program: &Program, seed: u64) {
    let (engine, _) = interpreters(program);
    let mut random = SplitMix64::new(seed);
    let mut state = engine.initial();
    let mut encoding = Encoding::new();
    let mut offered = Steps::default();
    engine.encode(&mut state, &mut encoding);
    let mut seen = vec![encoding.clone()];
    for _ in 0..60 {
        turn_into(&mut encoding, &seen[random.below(seen.len())]);
        engine.decode(&encoding, &mut state);
        let mut fresh = engine.initial();
        engine.decode(&encoding, &mut fresh);
        let mut expected = Steps::default();
        engine.steps(&mut state, &mut offered);
        engine.steps(&mut fresh, &mut expected);
        assert_eq!((&offered.enabled, &offered.faults), (&expected.enabled, &expected.faults));
        let mut mirror = Encoding::new();
        fresh.state.mark_all_dirty();
        engine.encode(&mut fresh, &mut mirror);
        assert!(mirror.same(&encoding));
        // Both ask what threads can do, one of them with what it remembers.
        let turns = |state: &mut _| {
            let mut turns = Vec::new();
            for thread in engine.threads(state) {
                let is_all = engine.successors(state, thread, &mut |step, effect| {
                    turns.push((step, effect.writes.to_vec()));
                });
                if !is_all {
                    turns.push((Step { thread, transition: u32::MAX, choice: 0 }, Vec::new()));
                }
            }
            turns
        };
        assert_eq!(turns(&mut state), turns(&mut fresh));
        let Some(&step) = offered.enabled.get(random.below(offered.enabled.len().max(1))) else { continue };
        if engine.fire(&mut state, step) == Fired::Moved && !engine.is_transient(&state) {
            // Now and then what was fired is not encoded before the next state is decoded.
            if random.below(4) > 0 {
                engine.encode(&mut state, &mut encoding);
                seen.push(encoding.clone());
            }
        }
    }
}

#[test]
fn decoding_catches_up_with_random_programs() {
    for seed in 0..programs() {
        decoding_catches_up(&random_processes(seed + 3_000_000), seed);
    }
}

/// A loop of three inner steps, two of which are straight on, and one at its end: as many as there may be, and one more.
#[test]
fn inner_steps_are_counted_one_by_one() {
    const ROUNDS: usize = ir::MAX_FUSED_STEPS / 3;
    const { assert!(ROUNDS * 3 + 1 == ir::MAX_FUSED_STEPS) };
    for (entry, expected) in [("head", Fired::Moved), ("before", Fired::Truncated(Bound::Frames))] {
        let text = format!(
            "program loops; features thread_ids;
            global int n;
            thread main() {{
              loc begin: goto {entry};
              loc before fused: goto head;
              loc head fused: when n < {ROUNDS} goto more; else goto done;
              loc more fused: do {{ n := n + 1; }} goto back;
              loc back fused: goto head;
              loc done end:
            }}
            active main;"
        );
        let program = testing::program(&text);
        let (engine, naive) = interpreters(&program);
        let mut state = engine.initial();
        let mut steps = Steps::default();
        engine.steps(&mut state, &mut steps);
        let [step] = steps.enabled[..] else { panic!("{steps:?}") };
        assert_eq!(engine.fire(&mut state, step), expected, "{entry}");
        match naive.fire(&naive.initial(), step) {
            Ok(_) => assert_eq!(expected, Fired::Moved),
            Err(Stopped::Truncated(bound)) => assert_eq!(expected, Fired::Truncated(bound)),
            Err(other) => panic!("{other:?}"),
        }
    }
}
