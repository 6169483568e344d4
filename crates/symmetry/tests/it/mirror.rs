//! Small states are named, collected and encoded by a graph that follows them from change to change. Whatever was
//! fired, undone and decoded before: garbage is what the collector finds, and the encoding is that of a namer
//! that has never seen another state.

use engine::Engine;
use ir::Program;
use quotient_symmetry::{Namer, Naming};
use state::{Layout, NodeRef, State};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{SplitMix64, effort, philosophers, program, random_mixed, random_program};

use crate::forms::{decode, flat, form, full};

/// Every unit with its words.
fn contents(layout: &Layout, state: &State) -> Vec<(NodeRef, Vec<u64>)> {
    let words = |unit| {
        let mut words = Vec::new();
        state.append(layout, unit, None, &mut words);
        (unit, words)
    };
    std::iter::once(NodeRef::Root).chain(state.units()).map(words).collect()
}

/// What a walk has seen: states that were compared, objects and threads that were garbage, decodings.
#[derive(Default, Debug)]
struct Seen {
    states: u64,
    garbage: u64,
    decoded: u64,
}

/// Walks at random, with undo and decoding, and compares each state.
fn walk(engine: &Engine, rng: &mut SplitMix64, length: usize, seen: &mut Seen) {
    let layout = engine.layout();
    let config = full(Naming::Auto);
    let (mut plain, mut named) = (engine.initial(), engine.initial());
    let mut namer = Namer::new(config, layout, &mut named.state);
    let mut mirror = Encoding::new();
    let mut depth = 0;
    for _ in 0..length {
        let mut steps = Steps::default();
        engine.steps(&mut plain, &mut steps);
        if depth > 0 && (steps.enabled.is_empty() || rng.chance(40)) {
            engine.undo(&mut plain);
            namer.undo(layout, &mut named.state);
            engine.undo(&mut named);
            depth -= 1;
        } else if !steps.enabled.is_empty() {
            let step = *rng.pick(&steps.enabled);
            let moved = |fired| matches!(fired, Fired::Moved | Fired::MovedWithFault(_));
            let mut fired = engine.fire_only(&mut named, step);
            let units = named.state.unit_count();
            if moved(fired) {
                namer.step(layout, &mut named.state);
                fired = engine.with_leaks(&named, step, fired);
                depth += 1;
            }
            seen.garbage += (units - named.state.unit_count()) as u64;
            assert_eq!(engine.fire(&mut plain, step), fired);
        }
        assert_eq!(contents(layout, &named.state), contents(layout, &plain.state));
        // Some states are passed by.
        if rng.chance(70) {
            namer.encode(layout, &mut named.state, &mut mirror);
            seen.states += 1;
            assert_eq!(flat(&mirror), form(config, layout, &plain.state));
            if rng.chance(25) {
                engine.decode(&mirror, &mut named);
                namer.decoded(layout, &mut named.state);
                engine.decode(&mirror, &mut plain);
                assert_eq!(contents(layout, &named.state), contents(layout, &decode(layout, &mirror)));
                seen.decoded += 1;
                depth = 0;
            }
        }
    }
}

#[test]
fn the_graph_follows_every_change() {
    let mut seen = Seen::default();
    for seed in 0..effort(150) {
        let programs: [fn(u64) -> Program; 2] = [random_program, random_mixed];
        for program in programs {
            let engine = crate::engine(&program(seed));
            walk(&engine, &mut SplitMix64::new(seed), 150, &mut seen);
        }
    }
    walk(&crate::engine(&philosophers(5)), &mut SplitMix64::new(1), 2000, &mut seen);
    eprintln!("{seen:?}");
    assert!(seen.states > effort(20_000) && seen.decoded > effort(3_000), "{seen:?}");
    assert!(seen.garbage > effort(500), "{seen:?}");
}

/// An object that is decoded in the place of one with the same name may have another length.
#[test]
fn arrays_of_other_lengths_take_their_places() {
    let program = program(
        "program arrays;
        record Node { int (0, 1) value; }
        global Node[] nodes;
        global Set<int (0, 1)> numbers;
        thread T() {
          loc a:
            do { nodes := new Node[1]; nodes[0] := new Node; } goto b;
            do { nodes := new Node[40]; nodes[39] := new Node; nodes[39].value := 1; } goto b;
          loc b:
            do { numbers := Set<int (0, 1)>(1); } goto a;
            do { numbers := Set<int (0, 1)>(); } goto a;
        }
        active T;",
    );
    let mut seen = Seen::default();
    walk(&crate::engine(&program), &mut SplitMix64::new(7), 1000, &mut seen);
    assert!(seen.decoded > 100, "{seen:?}");
}
