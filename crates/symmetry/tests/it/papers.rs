//! The examples of the papers on naming: Iosif's message queue, and the tree of Musuvathi and Dill.

use engine::{Engine, EngineState};
use quotient_symmetry::{ChainId, Chains, Level, Namer, Naming};
use state::{Edge, NodeRef, ObjectId, State, ThreadId};
use system::{Fired, Steps, TransitionSystem};
use testing::program;

use crate::engine as engine_of;
use crate::forms::{NAMINGS, compact, config, form, renamed};

/// Lets a thread take its only step.
fn fire(engine: &Engine, state: &mut EngineState, thread: u32) {
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    let step = steps.enabled.into_iter().find(|step| step.thread == thread).expect("it can move");
    assert_eq!(engine.fire(state, step), Fired::Moved);
}

/// A queue of messages in the order of their priorities, and a client for each of the priorities 1 and 2. At
/// first it has a message of priority 0; with `litter`, that is the second object, and the first one becomes
/// garbage.
fn message_queue(litter: bool) -> ir::Program {
    let (make, drop) = if litter { ("litter := new Message;", "litter := null;") } else { ("", "") };
    program(&format!(
        "program queue;
        record Message {{ int (0, 2) prio; Message next; }}
        global Message tail;
        global Message head;
        global Message litter;
        thread Client(int (0, 2) prio) {{
          local Message m;
          local Message last;
          loc begin: do {{ m := new Message; m.prio := prio; last := tail; }} goto seek;
          loc seek atomic:
            when last.next != null && last.next.prio < prio do {{ last := last.next; }} goto seek;
            else do {{
              m.next := last.next;
              last.next := m;
              head := m.next == null ? m : head;
            }} return;
        }}
        thread MAIN() {{
          loc begin: do {{ {make} tail := new Message; head := tail; start Client(1); start Client(2); }} goto end;
          loc end: do {{ {drop} }} return;
        }}
        active MAIN;"
    ))
}

/// The state after both clients have sent their messages, `first` before the other. Threads that ended are
/// gone.
fn sent(engine: &Engine, first: u32) -> State {
    let mut state = engine.initial();
    fire(engine, &mut state, 0);
    for client in [first, 3 - first] {
        fire(engine, &mut state, client);
    }
    fire(engine, &mut state, 0);
    assert_eq!(state.state.units().count(), 3, "three messages");
    state.state
}

fn objects_named(naming: Naming, engine: &Engine, state: &State) -> Vec<u32> {
    let mut state = state.clone();
    let mut namer = Namer::new(config(Level::Heap, naming), engine.layout(), &mut state);
    namer.names(engine.layout(), &mut state).objects.clone()
}

#[test]
fn two_orders_of_allocation_give_one_state() {
    let program = message_queue(false);
    let engine = engine_of(&program);
    let layout = engine.layout();
    let (ascending, descending) = (sent(&engine, 1), sent(&engine, 2));
    let ids = |state: &State| form_by_ids(&engine, state);
    assert_ne!(ids(&ascending), ids(&descending), "in memory they differ");
    for naming in NAMINGS {
        for level in [Level::Heap, Level::Full] {
            let config = config(level, naming);
            assert_eq!(form(config, layout, &ascending), form(config, layout, &descending), "{config:?}");
        }
    }
    // The sorting permutations, with `tail` before `next` before `head`.
    assert_eq!(objects_named(Naming::Dfs, &engine, &ascending), [0, 1, 2]);
    assert_eq!(objects_named(Naming::Dfs, &engine, &descending), [0, 2, 1]);
    // By chain: `tail`, `head`, and only then `tail.next`.
    assert_eq!(objects_named(Naming::Chain, &engine, &ascending), [0, 2, 1]);
    assert_eq!(objects_named(Naming::Chain, &engine, &descending), [0, 1, 2]);
}

fn form_by_ids(engine: &Engine, state: &State) -> Vec<u64> {
    crate::forms::flat(&crate::forms::encode_as(engine.layout(), state, &compact(engine.layout(), state)))
}

#[test]
fn garbage_has_no_name() {
    let program = message_queue(true);
    let engine = engine_of(&program);
    let state = sent(&engine, 2);
    assert!(!state.exists(NodeRef::Object(ObjectId(0))), "the litter");
    let nobody = u32::MAX;
    assert_eq!(objects_named(Naming::Dfs, &engine, &state), [nobody, 0, 2, 1]);
    // With ids that close the gap.
    let layout = engine.layout();
    let state = renamed(layout, &state, &compact(layout, &state));
    assert_eq!(objects_named(Naming::Dfs, &engine, &state), [0, 2, 1]);
    // What there once was does not matter.
    let clean = message_queue(false);
    let clean = engine_of(&clean);
    for naming in NAMINGS {
        let config = config(Level::Heap, naming);
        assert_eq!(form(config, layout, &state), form(config, clean.layout(), &sent(&clean, 1)));
    }
}

/// The globals are the head of a binary tree, whose left node is dropped.
#[test]
fn chains_stay_where_depth_first_names_move() {
    let program = program(
        "program tree;
        record Node { Node left; int data; Node right; }
        global Node left;
        global int data;
        global Node right;
        thread T() {
          loc build: do { left := new Node; right := new Node; } goto drop;
          loc drop: do { left := null; } goto drop;
        }
        active T;",
    );
    let engine = engine_of(&program);
    let layout = engine.layout();
    let mut state = engine.initial();
    state.state.record_graph();
    let mut chains = Chains::default();
    chains.reset(layout, &state.state);
    let step = |state: &mut EngineState, chains: &mut Chains| {
        let mut steps = Steps::default();
        engine.steps(state, &mut steps);
        assert_eq!(engine.fire_only(state, steps.enabled[0]), Fired::Moved);
        chains.step(layout, &mut state.state);
    };
    step(&mut state, &mut chains);
    let (left, right) = (NodeRef::Object(ObjectId(0)), NodeRef::Object(ObjectId(1)));
    // The table: for the globals, and for the thread, and one entry each for what `left` and `right` lead to.
    let mut places = Vec::new();
    state.state.edges(layout, NodeRef::Root, &mut |Edge { label, .. }| places.push(label));
    let [left_place, right_place] = places[..] else { panic!("{places:?}") };
    let entries = chains.table.len();
    let canon = |chains: &mut Chains, place: u64| chains.table.extend(ChainId::ROOT, place);
    let (left_chain, right_chain) = (canon(&mut chains, left_place), canon(&mut chains, right_place));
    assert_eq!((chains.chain(left), chains.chain(right)), (left_chain, right_chain));
    assert_eq!(chains.table.len(), entries, "they were there");
    assert_eq!(entries, 4);
    assert_eq!(objects_named(Naming::Dfs, &engine, &state.state), [0, 1]);

    chains.refresh(layout, &state.state);
    let touched = chains.touched;
    step(&mut state, &mut chains);
    assert!(!state.state.exists(left));
    assert_eq!(chains.chain(right), right_chain);
    assert_eq!(chains.table.len(), entries, "entries stay");
    // The globals were written, and the left node has no chain any more: the right node was left alone.
    assert_eq!(chains.touched - touched, 2);
    assert_eq!(objects_named(Naming::Dfs, &engine, &state.state), [u32::MAX, 0], "it moved");

    // A new left node gets the name of the one before.
    chains.undo(&state.state);
    engine.undo(&mut state);
    assert_eq!((chains.chain(left), chains.chain(right)), (left_chain, right_chain));
    assert!(chains.chain(NodeRef::Thread(ThreadId(0))).exists());
}
