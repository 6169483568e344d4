//! The engine against the plain interpreter on random programs with observable ids and channels; and its
//! successor cache, which works for such programs.

use ir::Program;
use naive::Stopped;
use state::Bounds;
use system::{Bound, Encoding, Fired, Key, Step, Steps, SuccessorCache, TransitionSystem};
use testing::{SplitMix64, random_processes};

use crate::harness::{Family, Pair};

const FAMILY: Family = Family {
    program: random_processes,
    bounds: Bounds { threads: 5, frames: 255, objects: 65535 },
    most_states: 600,
    explored: 300,
    walked: 300,
    undone: 300,
};

#[test]
fn random_programs_have_the_same_states_and_faults() {
    let tally = FAMILY.explore();
    assert!(tally.claims > tally.all / 100, "{tally:?}");
}

#[test]
fn random_walks_offer_the_same_steps() {
    FAMILY.walk();
}

#[test]
fn undo_restores_random_programs() {
    FAMILY.undo();
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

/// One state becomes others and returns by decoding one encoding, as in a breadth-first search. Only what was
/// written since is decoded, and the successor cache gives the same answers as that of a state that was made
/// anew.
fn decoding_catches_up(program: &Program, seed: u64) {
    let engine = Pair::new(program, FAMILY.bounds, false).engine;
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
        fresh.state.mark_all_unencoded();
        engine.encode(&mut fresh, &mut mirror);
        assert!(mirror.same(&encoding));
        // Both ask their caches; that of the fresh state is empty.
        let successors = |state: &mut _| {
            let mut found = Vec::new();
            for thread in engine.threads(state) {
                let is_all = engine.successors(state, thread, |step, effect| {
                    found.push((step, effect.writes.to_vec()));
                });
                if !is_all {
                    found.push((Step { thread, transition: u32::MAX, choice: 0 }, Vec::new()));
                }
            }
            found
        };
        assert_eq!(successors(&mut state), successors(&mut fresh));
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
    for seed in 0..testing::effort(FAMILY.explored) {
        decoding_catches_up(&random_processes(seed + 3_000_000), seed);
    }
}

/// A loop of three inner steps, two of which are unconditional, and one step at its end: as many as there may
/// be, and one more.
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
        let Pair { engine, naive } = Pair::new(&program, FAMILY.bounds, false);
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

/// In a state that has timed out, one step exceeds the bound on threads and is the last that is fired. In the
/// state that is expanded next, nothing has timed out.
#[test]
fn a_timeout_is_over_after_a_step_that_exceeds_a_bound() {
    let program = testing::program(
        "program timeouts; features thread_ids;
        global int n;
        global boolean m;
        thread W() { loc a: when n == 0 do { n := 1; } goto a; }
        thread T() provided timeout() {
          loc a:
            do { n := 0; m := !m; } goto a;
            do { start T(); } goto a;
        }
        active W, T;",
    );
    let found = Pair::new(&program, FAMILY.bounds, false).explore(1000).expect("it is small");
    assert!(!found.truncations.is_empty());
}
