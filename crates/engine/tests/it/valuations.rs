//! The engine against the naive interpreter: the same propositions hold, and the same ones cannot be
//! evaluated, all along random runs of random programs.

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use state::Bounds;
use system::{Fired, Halt, Temporal, TransitionSystem};
use testing::{SplitMix64, add_random_property, program, random_processes, random_program};

const STEPS: usize = 60;

fn programs() -> u64 {
    testing::effort(600)
}

/// How often each answer occurred: a valuation, another one than in the state before, a fault.
#[derive(Default, Debug)]
struct Seen {
    valuations: u64,
    changes: u64,
    faults: u64,
}

fn walk(program: &Program, seed: u64, seen: &mut Seen) {
    let bounds = Bounds { threads: 8, frames: 6, objects: 12 };
    let property = program.properties.len() - 1;
    let engine = Engine::new(program, bounds, false).with_property(property);
    let Bounds { threads, frames, objects } = bounds;
    let naive = Naive { bounds: naive::Bounds { threads, frames, objects }, ..Naive::new(program) };
    let mut random = SplitMix64::new(seed);
    let (mut fast, mut plain) = (engine.initial(), naive.initial());
    let mut last = None;
    for _ in 0..STEPS {
        let ours = engine.valuation(&mut fast).map_err(|halt| match halt {
            Halt::Fault(fault) => Ok((fault.kind, engine.span(fault))),
            Halt::Truncated(bound) => Err(bound),
            Halt::Abandoned => panic!("there is no alarm"),
        });
        let theirs = naive.valuation(&plain, &program.properties[property]);
        let theirs = theirs.map_err(|stopped| match stopped {
            Stopped::Fault(fault) => Ok((fault.kind, Some(fault.span))),
            Stopped::Truncated(bound) => Err(bound),
            Stopped::NotEnabled | Stopped::Abandoned => panic!("conditions are no steps"),
        });
        assert_eq!(ours, theirs, "{}", ir::text::print(program));
        match ours {
            Ok(valuation) => {
                seen.valuations += 1;
                seen.changes += u64::from(last.is_some_and(|last| last != valuation));
                last = Some(valuation);
            }
            Err(_) => seen.faults += 1,
        }
        let (enabled, _) = naive.steps(&plain);
        let Some(&step) = enabled.get(random.below(enabled.len().max(1))) else { return };
        match (engine.fire(&mut fast, step), naive.fire(&plain, step)) {
            (Fired::Moved | Fired::MovedWithFault(_), Ok(next)) => plain = next,
            (Fired::Fault(_), Err(Stopped::Fault(_))) | (Fired::Truncated(_), Err(Stopped::Truncated(_))) => {
            }
            (fired, _) => panic!("{fired:?}"),
        }
    }
}

#[test]
fn propositions_of_random_programs() {
    let mut seen = Seen::default();
    for seed in 0..programs() {
        let mut program = if seed % 2 == 0 { random_program(seed) } else { random_processes(seed) };
        add_random_property(&mut program, seed);
        assert_eq!(ir::verify(&program), Ok(()), "{}", ir::text::print(&program));
        walk(&program, seed, &mut seen);
    }
    assert!(seen.valuations > 10 * programs() && seen.changes > 2 * programs(), "{seen:?}");
    assert!(seen.faults > programs() / 10, "{seen:?}");
}

/// A thread inside of a call is at the location of the call, and a thread that has ended is at none.
#[test]
fn threads_are_where_their_first_frame_is() {
    let program = program(
        "program p;
        global int (0, 9) x;
        thread T() {
          loc a: do { x := 1; } goto b;
          loc b: call f() resume back;
          resume back of b goto c;
          loc c: return;
        }
        function f() { loc in: do { x := 2; } goto out; loc out: return; }
        active T;
        property where {
          prop \"a\" = threadsAt(T, a) == 1; prop \"b\" = threadsAt(T, b) == 1; prop \"c\" = threadsAt(T, c) == 1;
          prop \"any\" = threadsAt(T, a, b, c) > 0; prop \"f\" = threadsAt(f, in, out) > 0;
          formula \"[] p3\";
        }",
    );
    let engine = Engine::new(&program, Bounds::default(), false).with_property(0);
    let naive = Naive::new(&program);
    let (mut fast, mut plain) = (engine.initial(), naive.initial());
    let mut all = Vec::new();
    loop {
        let valuation = engine.valuation(&mut fast).unwrap();
        assert_eq!(Ok(valuation), naive.valuation(&plain, &program.properties[0]));
        all.push(valuation);
        let (enabled, _) = naive.steps(&plain);
        let Some(&step) = enabled.first() else { break };
        assert_eq!(engine.fire(&mut fast, step), Fired::Moved);
        plain = naive.fire(&plain, step).unwrap();
    }
    // At a, at b, three states inside of the call, at c, and gone.
    assert_eq!(all, [0b1001, 0b1010, 0b1010, 0b1010, 0b1100, 0]);
    // There is no valuation of a property that was not chosen.
    assert_eq!(Engine::new(&program, Bounds::default(), false).valuation(&mut fast), Ok(0));
}
