//! What a step costs on heaps of 10 to 10,000 objects: repairing names around an edit, and naming everything
//! anew.
//!
//! The heap is a tree or a list that a global leads to. The step writes a number into one object and a
//! reference into another, which gives a third one, deep down, a shorter way. Or all objects mention the
//! first one, and the step lets one of them cease to.
//!
//! `cargo run --release -p quotient-symmetry --example incrementality`

use std::hint::black_box;
use std::time::{Duration, Instant};

use engine::{Engine, EngineState};
use quotient_symmetry::{Chains, Level, Namer, Naming, Options, SymmetryConfig};
use state::{Bounds, NodeRef, ThreadId};
use system::{Encoding, Fired, Step, Steps, TransitionSystem};
use testing::program;

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(30);

/// A shape of the heap: how the next node is inserted, and which edge the step adds and removes.
struct Shape {
    name: &'static str,
    build: &'static str,
    whom: &'static str,
}

const SHAPES: [Shape; 3] = [
    Shape {
        name: "tree",
        build: "up := nodes[(i - 1) / 2];
            up.left := up.left == null ? nodes[i] : up.left;
            up.right := up.left == nodes[i] ? null : nodes[i];",
        whom: "deep",
    },
    Shape { name: "list", build: "nodes[i - 1].left := nodes[i];", whom: "deep" },
    Shape {
        name: "list to one",
        build: "nodes[i - 1].left := nodes[i]; nodes[i].other := top;",
        whom: "top",
    },
];

/// A thread that builds the heap, and then edits it for ever.
fn model(size: usize, Shape { build, whom, .. }: &Shape) -> Engine {
    let program = program(&format!(
        "program incrementality;
        record Node {{ Node left; Node right; Node other; int (0, 1) value; }}
        global Node top;
        thread T() {{
          local Node[] nodes;
          local Node up;
          local Node high;
          local Node deep;
          local int i;
          loc begin: do {{ nodes := new Node[{size}]; nodes[0] := new Node; top := nodes[0]; i := 1; }} goto build;
          loc build:
            when i < {size} do {{ nodes[i] := new Node; {build} i := i + 1; }} goto build;
            when i == {size} do {{ high := nodes[1]; deep := nodes[{size} - 1]; nodes := null; up := null; }} goto edit;
          loc edit: do {{
            deep.value := 1 - deep.value;
            high.other := high.other == null ? {whom} : null;
          }} goto edit;
        }}
        active T;"
    ));
    let bounds = Bounds { threads: 4, frames: 1, objects: size as u32 + 1 };
    Engine::new(&program, bounds, false)
}

fn only_step(engine: &Engine, state: &mut EngineState) -> Step {
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    assert_eq!(steps.enabled.len(), 1);
    steps.enabled[0]
}

/// The state with the heap as it was built.
fn built(engine: &Engine, size: usize) -> EngineState {
    let mut state = engine.initial();
    for _ in 0..=size {
        let step = only_step(engine, &mut state);
        assert_eq!(engine.fire_only(&mut state, step), Fired::Moved);
    }
    state.state.collect(engine.layout());
    state.state.forget();
    assert_eq!(state.state.object_count(), size);
    state
}

/// The median over rounds of the nanoseconds per call.
fn measure(mut call: impl FnMut()) -> f64 {
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let mut calls = 0;
            while start.elapsed() < ROUND {
                for _ in 0..16 {
                    call();
                }
                calls += 16;
            }
            start.elapsed().as_nanos() as f64 / f64::from(calls)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    rounds[ROUNDS / 2]
}

/// What is measured: nanoseconds per step.
#[derive(Clone, Copy)]
struct Costs {
    /// The step and its undo, without any names.
    plain: f64,
    /// With chains repaired and hashed, and threads distinguished by their ids.
    heap: f64,
    /// With chains repaired and hashed, and threads in the order of their hashes.
    full: f64,
    /// With everything named anew, depth first.
    dfs: f64,
    /// With chains repaired and turned into numbers from 0 on, as encodings need them.
    numbered: f64,
    /// Units that a step renamed or changed.
    touched: u64,
}

fn costs(engine: &Engine, size: usize) -> Costs {
    let layout = engine.layout();
    let mut state = built(engine, size);
    let step = only_step(engine, &mut state);
    let plain = measure(|| {
        engine.fire_only(&mut state, step);
        engine.undo(&mut state);
    });

    let with_chains = |key: fn(&mut Chains, &Engine, &EngineState) -> u128| {
        let mut state = built(engine, size);
        state.state.record_graph();
        let mut chains = Chains::default();
        chains.reset(layout, &state.state);
        black_box(key(&mut chains, engine, &state));
        let mut round_trip = || {
            engine.fire_only(&mut state, step);
            chains.step(layout, &mut state.state);
            black_box(key(&mut chains, engine, &state));
            chains.undo(&state.state);
            engine.undo(&mut state);
        };
        let cost = measure(&mut round_trip);
        // What an undo has left to be hashed again would not count for the step.
        key(&mut chains, engine, &state);
        chains.touched = 0;
        engine.fire_only(&mut state, step);
        chains.step(layout, &mut state.state);
        (cost, chains.touched)
    };
    let (heap, touched) = with_chains(|chains, engine, state| chains.hash(engine.layout(), &state.state));
    let (full, _) = with_chains(|chains, engine, state| {
        chains.refresh(engine.layout(), &state.state);
        let threads = (0..state.state.thread_limit()).map(ThreadId);
        let regions = threads.filter(|&id| !chains.is_anchored(NodeRef::Thread(id)));
        let mut sums: Vec<u128> = regions.map(|id| chains.sum(id.0 + 1)).collect();
        sums.sort_unstable();
        sums.into_iter().fold(chains.sum(0), |hash, sum| hash.rotate_left(1) ^ sum)
    });

    let with_names = |level, naming| {
        let mut state = built(engine, size);
        let config = SymmetryConfig { level, naming, options: Options::default() };
        let mut namer = Namer::new(config, layout, &mut state.state);
        namer.encode(layout, &mut state.state, &mut Encoding::new());
        measure(|| {
            engine.fire_only(&mut state, step);
            namer.step(layout, &mut state.state);
            black_box(namer.names(layout, &mut state.state));
            namer.undo(engine.layout(), &mut state.state);
            engine.undo(&mut state);
        })
    };
    let dfs = with_names(Level::Heap, Naming::Dfs);
    let numbered = with_names(Level::Full, Naming::Chain);
    Costs { plain, heap, full, dfs, numbered, touched }
}

fn main() {
    println!("Nanoseconds per step and its undo; × is the ratio to 10 objects.\n");
    for shape in &SHAPES {
        println!(
            "| {} | step alone | chain, heap | × | chain, full | × | touched | of objects \
             | depth first | × | numbered by chains | × |",
            shape.name
        );
        println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        let mut first = None;
        for size in SIZES {
            let now = costs(&model(size, shape), size);
            let base = *first.get_or_insert(now);
            println!(
                "| {size} | {:.0} | {:.0} | {:.2} | {:.0} | {:.2} | {} | {:.2} % | {:.0} | {:.1} | {:.0} | {:.1} |",
                now.plain,
                now.heap,
                now.heap / base.heap,
                now.full,
                now.full / base.full,
                now.touched,
                100.0 * now.touched as f64 / size as f64,
                now.dfs,
                now.dfs / base.dfs,
                now.numbered,
                now.numbered / base.numbered,
            );
        }
        println!();
    }
}
