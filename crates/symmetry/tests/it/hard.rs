//! States that are hard to tell apart, and states that only look as if they were.

use engine::Engine;
use ir::{ProcedureId, Program, RecordId};
use quotient_symmetry::{ChainId, Namer, Naming, Stats, SymmetryConfig};
use state::{Bounds, Layout, NodeRef, ObjectId, SlotKind, State};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{SplitMix64, program};

use crate::brute::least_form;
use crate::forms::{Form, NAMINGS, flat, form, full, shuffled};

const BOUNDS: Bounds = Bounds { threads: 24, frames: 1, objects: 128 };

/// The form of a state and what it took.
pub fn named(config: SymmetryConfig, layout: &Layout, state: &State) -> (Form, Stats) {
    let mut state = state.clone();
    let mut encoding = Encoding::new();
    let mut namer = Namer::new(config, layout, &mut state);
    namer.encode(layout, &mut state, &mut encoding);
    (flat(&encoding), namer.take_stats())
}

/// Asserts that each state has one form under all names, and no two have the same. Answers what the dearest
/// took.
fn tell_apart(layout: &Layout, states: &[State]) -> u64 {
    let rng = &mut SplitMix64::new(1);
    let mut searched = 0;
    for naming in NAMINGS {
        let mut forms = Vec::new();
        for state in states {
            let (expected, stats) = named(full(naming), layout, state);
            assert_eq!(stats.exhausted, 0);
            searched += stats.searched;
            for _ in 0..8 {
                assert_eq!(form(full(naming), layout, &shuffled(layout, state, rng)), expected, "{naming:?}");
            }
            assert!(!forms.contains(&expected), "{naming:?}");
            forms.push(expected);
        }
    }
    searched
}

/// An undirected graph.
pub type Edges = Vec<(usize, usize)>;

pub fn cycles(lengths: &[usize]) -> Edges {
    let mut edges = Vec::new();
    let mut first = 0;
    for &length in lengths {
        edges.extend((0..length).map(|i| (first + i, first + (i + 1) % length)));
        first += length;
    }
    edges
}

fn cells(near: impl Fn(usize, usize) -> bool) -> Edges {
    (0..16).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| near(a, b)).collect()
}

/// Cells of a board of four by four that a rook can go between.
fn rook() -> Edges {
    cells(|a, b| a / 4 == b / 4 || a % 4 == b % 4)
}

/// As many edges at each node as the rook's graph, as many common neighbours of any two, but another graph.
fn shrikhande() -> Edges {
    let steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)];
    cells(|a, b| steps.contains(&((4 + a / 4 - b / 4) % 4, (4 + a % 4 - b % 4) % 4)))
}

fn set(raws: impl IntoIterator<Item = i64>) -> Vec<u64> {
    let mut words: Vec<u64> = raws.into_iter().map(|raw| raw as u64).collect();
    words.sort_unstable();
    words.insert(0, words.len() as u64);
    words
}

fn new_node(layout: &Layout, state: &mut State) -> ObjectId {
    let shape = &layout.records[RecordId(0)];
    state.new_object(&shape.template, shape.len(), 0, BOUNDS.objects).expect("enough ids")
}

/// Objects that know their neighbours, in a set that all of them are in.
pub fn objects() -> Program {
    program("program p; record Node { Set<Node> links; } global Set<Node> nodes;")
}

pub fn linked(layout: &Layout, edges: &Edges) -> State {
    let mut state = State::new(layout);
    let count = edges.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap_or(0);
    let nodes: Vec<ObjectId> = (0..count).map(|_| new_node(layout, &mut state)).collect();
    let links = layout.records[RecordId(0)].slots[1];
    for (i, &node) in nodes.iter().enumerate() {
        let others = edges.iter().filter_map(|&(a, b)| match i {
            _ if a == i => Some(nodes[b].raw()),
            _ if b == i => Some(nodes[a].raw()),
            _ => None,
        });
        let base = state.object(node);
        state.write_value(layout, NodeRef::Object(node), base, links, &set(others));
    }
    state.write_value(
        layout,
        NodeRef::Root,
        0,
        layout.root.slots[0],
        &set(nodes.into_iter().map(ObjectId::raw)),
    );
    state.forget();
    state
}

#[test]
fn two_triangles_are_not_a_hexagon() {
    let program = objects();
    let layout = &Layout::new(&program, BOUNDS);
    let states = [linked(layout, &cycles(&[3, 3])), linked(layout, &cycles(&[6]))];
    assert_ne!(least_form(layout, &states[0], 720), least_form(layout, &states[1], 720));
    assert!(tell_apart(layout, &states) > 0, "refinement sees no difference");
}

#[test]
fn all_ways_to_cut_a_cycle_are_told_apart() {
    let program = objects();
    let layout = &Layout::new(&program, BOUNDS);
    let cuts: [&[usize]; 7] = [&[12], &[9, 3], &[8, 4], &[7, 5], &[6, 6], &[6, 3, 3], &[5, 4, 3]];
    tell_apart(layout, &cuts.map(|cut| linked(layout, &cycles(cut))));
}

/// Sixteen interchangeable ids, and a set of pairs of them.
fn pairs() -> Program {
    let ids: Vec<String> = (0..16).map(|i| format!("n{i}")).collect();
    program(&format!("program p; abstract enum Id {{ {} }} global Set<Set<Id>> pairs;", ids.join(", ")))
}

fn paired(layout: &Layout, edges: &Edges) -> State {
    let mut state = State::new(layout);
    let slot = layout.root.slots[0];
    let SlotKind::Value(ty) = slot.kind else { panic!("a set") };
    let mut words = vec![edges.len() as u64];
    words.extend(edges.iter().flat_map(|&(a, b)| set([a as i64 + 1, b as i64 + 1])));
    layout.terms.sort(ty, &mut words);
    state.write_value(layout, NodeRef::Root, 0, slot, &words);
    state.forget();
    state
}

pub fn boards() -> (Layout, [State; 2]) {
    let layout = Layout::new(&pairs(), BOUNDS);
    let states = [rook(), shrikhande()].map(|edges| paired(&layout, &edges));
    (layout, states)
}

#[test]
fn the_rook_is_not_shrikhande() {
    let (layout, states) = boards();
    assert_eq!([rook(), shrikhande()].map(|edges| edges.len()), [48, 48]);
    assert!(tell_apart(&layout, &states) > 0);
    let program = objects();
    let layout = &Layout::new(&program, BOUNDS);
    tell_apart(layout, &[rook(), shrikhande()].map(|edges| linked(layout, &edges)));
}

/// Keys that a global names tell apart what they lead to.
#[test]
fn entries_hang_from_their_keys() {
    let program = program(
        "program p;
        abstract enum Id { a, b, c, d }
        global Id one;
        global Id two;
        global Map<Id, Id> map;",
    );
    let layout = &Layout::new(&program, BOUNDS);
    let maps: [&[[u64; 2]]; 5] =
        [&[[1, 3], [2, 4]], &[[1, 3], [2, 3]], &[[1, 3], [3, 4]], &[[3, 1], [4, 2]], &[[3, 4], [4, 3]]];
    let states = maps.map(|entries| {
        let mut state = State::new(layout);
        for (global, id) in [(0, 1), (1, 2)] {
            state.write(NodeRef::Root, 0, layout.root.slots[global], id);
        }
        let words = [&[entries.len() as u64], entries.as_flattened()].concat();
        state.write_value(layout, NodeRef::Root, 0, layout.root.slots[2], &words);
        state.forget();
        state
    });
    tell_apart(layout, &states);
}

/// Threads with objects x and y, where each x.n is some y.n: of the same thread, or crosswise. Whose does not
/// show in how many mention what. `cycles` says after how many threads one comes back to the first.
pub fn crossed(layout: &Layout, cycles: &[usize]) -> State {
    let mut state = State::new(layout);
    let [x, y] = [1, 2].map(|at: usize| layout.frames[ProcedureId(0)].slots[at]);
    let next = layout.records[RecordId(0)].slots[1];
    let refer = |state: &mut State, from: ObjectId, to: ObjectId| {
        let base = state.object(from);
        state.write(NodeRef::Object(from), base, next, to.raw());
    };
    for &length in cycles {
        let shared: Vec<ObjectId> = (0..length).map(|_| new_node(layout, &mut state)).collect();
        for i in 0..length {
            let template = layout.frames[ProcedureId(0)].template.clone();
            let thread = state.start_thread(layout, &template, BOUNDS.threads).expect("enough ids");
            for (slot, target) in [(x, shared[i]), (y, shared[(i + 1) % length])] {
                let node = new_node(layout, &mut state);
                refer(&mut state, node, target);
                let frame = state.frame(thread);
                state.write(NodeRef::Thread(thread), frame, slot, node.raw());
            }
        }
    }
    state.forget();
    state
}

pub fn crossing() -> Layout {
    let program = program("program p; record Node { Node n; } thread T(Node x, Node y) { loc a: goto a; }");
    Layout::new(&program, BOUNDS)
}

#[test]
fn crossed_sharing_is_seen() {
    let layout = &crossing();
    // All partitions of six threads into cycles.
    let cuts: [&[usize]; 11] = [
        &[6],
        &[5, 1],
        &[4, 2],
        &[4, 1, 1],
        &[3, 3],
        &[3, 2, 1],
        &[3, 1, 1, 1],
        &[2, 2, 2],
        &[2, 2, 1, 1],
        &[2, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1, 1],
    ];
    tell_apart(layout, &cuts.map(|cut| crossed(layout, cut)));
}

/// Threads that build a list of their own, cyclic and with a second way into it, and then go round and round.
fn private_lists(threads: usize) -> Program {
    program(&format!(
        "program p;
        record Node {{ Node next; Node back; int (0, 3) value; }}
        global boolean tick;
        thread T() {{
          local Node own;
          local Node end;
          loc build: do {{
            own := new Node;
            own.next := new Node;
            own.next.back := own;
            own.next.next := new Node;
            end := own.next.next;
            end.next := own;
            end.value := 1;
          }} goto here;
          loc here: goto there;
          loc there: goto here;
        }}
        active {};",
        vec!["T"; threads].join(", ")
    ))
}

fn fire(engine: &Engine, state: &mut engine::EngineState, thread: u32) {
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    let step = steps.enabled.into_iter().find(|step| step.thread == thread).expect("it can move");
    assert_eq!(engine.fire_only(state, step), Fired::Moved);
}

#[test]
fn private_heaps_need_no_search() {
    const THREADS: u32 = 20;
    let program = private_lists(THREADS as usize);
    let engine = Engine::new(&program, BOUNDS, false);
    let layout = engine.layout();
    let mut state = engine.initial();
    for thread in 0..THREADS {
        fire(&engine, &mut state, thread);
    }
    state.state.forget();
    let rng = &mut SplitMix64::new(1);
    for naming in NAMINGS {
        let (expected, stats) = named(full(naming), layout, &state.state);
        assert_eq!((stats.searched, stats.exhausted), (0, 0), "{naming:?}");
        for _ in 0..5 {
            let copy = shuffled(layout, &state.state, rng);
            assert_eq!(named(full(naming), layout, &copy).0, expected, "{naming:?}");
        }
    }
}

/// The names in the region of a thread do not depend on where the thread is, nor on the order of threads: a
/// step of one thread leaves all regions as they are, its own included.
#[test]
fn a_step_of_one_thread_leaves_the_regions_of_others_alone() {
    const THREADS: u32 = 8;
    let program = private_lists(THREADS as usize);
    let engine = Engine::new(&program, BOUNDS, false);
    let layout = engine.layout();
    let mut state = engine.initial();
    let mut namer = Namer::new(full(Naming::Chain), layout, &mut state.state);
    for thread in 0..THREADS {
        fire(&engine, &mut state, thread);
        namer.step(layout, &mut state.state);
    }
    let mut encoding = Encoding::new();
    namer.encode(layout, &mut state.state, &mut encoding);
    namer.take_stats();
    let told = |namer: &Namer, state: &State| -> (Vec<ChainId>, Vec<u128>, u64) {
        let chains = namer.chains().expect("it names by chains");
        let units: Vec<_> = state.units().map(|unit| chains.chain(unit)).collect();
        (units, (0..=THREADS).map(|origin| chains.sum(origin)).collect(), chains.version())
    };
    let (chains, sums, version) = told(&namer, &state.state);
    let order = |namer: &mut Namer, state: &mut State| namer.names(layout, state).threads.clone();
    let before = order(&mut namer, &mut state.state);
    fire(&engine, &mut state, 3);
    namer.step(layout, &mut state.state);
    let mut after = encoding.clone();
    namer.encode(layout, &mut state.state, &mut after);
    assert_ne!(flat(&encoding), flat(&after));
    assert_ne!(order(&mut namer, &mut state.state), before, "another one comes first or last");
    let (chains_now, sums_now, version_now) = told(&namer, &state.state);
    assert_eq!(chains_now, chains);
    assert_eq!(version_now, version);
    let changed: Vec<usize> = (0..sums.len()).filter(|&origin| sums[origin] != sums_now[origin]).collect();
    assert_eq!(changed, [4], "the origin of thread 3");
    let stats = namer.take_stats();
    assert_eq!((stats.touched, stats.searched), (1, 0), "the thread itself");
    // It does not matter which of them it was.
    let mut other = engine.initial();
    for thread in (0..THREADS).chain([6]) {
        fire(&engine, &mut other, thread);
    }
    assert_eq!(form(full(Naming::Chain), layout, &other.state), flat(&after));
}

/// What a namer keeps of the states before does not show, whatever was undone before the next state was
/// decoded.
#[test]
fn what_was_undone_before_decoding_is_forgotten() {
    let program = program(
        "program p;
        record Node { boolean mark; }
        thread T(Node common, Node own) {
          loc here: do { own.mark := !own.mark; } goto here;
        }
        thread MAIN() {
          local Node common;
          local Node one;
          local Node two;
          loc begin: do {
            common := new Node;
            one := new Node;
            two := new Node;
            start T(common, one);
            start T(common, two);
          } return;
        }
        active MAIN;",
    );
    let engine = Engine::new(&program, BOUNDS, false);
    let layout = engine.layout();
    let mut state = engine.initial();
    let mut namer = Namer::new(full(Naming::Chain), layout, &mut state.state);
    fire(&engine, &mut state, 0);
    namer.step(layout, &mut state.state);
    let mut stored = Encoding::new();
    namer.encode(layout, &mut state.state, &mut stored);
    for first in [0, 1] {
        for thread in [first, 1 - first] {
            engine.decode(&stored, &mut state);
            namer.decoded(layout, &mut state.state);
            let mut mirror = stored.clone();
            fire(&engine, &mut state, thread);
            namer.step(layout, &mut state.state);
            namer.encode(layout, &mut state.state, &mut mirror);
            assert!(namer.chains().is_some_and(quotient_symmetry::Chains::has_crossing));
            assert_eq!(flat(&mirror), form(full(Naming::Chain), layout, &state.state));
            namer.undo(layout, &mut state.state);
            engine.undo(&mut state);
        }
    }
}
