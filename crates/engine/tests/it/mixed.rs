//! The engine against the plain interpreter where objects, recursive functions and channels meet.

use state::Bounds;
use system::{FaultKind, Fired, Steps, TransitionSystem};
use testing::{program, random_mixed};

use crate::harness::{Family, Found, Pair, Search};

const FAMILY: Family = Family {
    program: random_mixed,
    bounds: Bounds { threads: 4, frames: 4, objects: 7 },
    most_states: 600,
    explored: 150,
    walked: 150,
    undone: 75,
};

#[test]
fn random_programs_have_the_same_states_and_faults() {
    FAMILY.explore();
}

#[test]
fn random_walks_offer_the_same_steps() {
    FAMILY.walk();
}

#[test]
fn undo_restores_random_programs() {
    FAMILY.undo();
}

/// Lists go through a channel, are counted by a recursive function in an atomic block, and are handed on.
const POST: &str = testing::POST;

#[test]
fn lists_go_through_channels() {
    let program = program(POST);
    let found = Pair::new(&program, FAMILY.bounds, false).explore(20_000).expect("it is small");
    assert_eq!(found.states, 904);
}

/// A reference in a message keeps its object, and nothing else does; when it is received and forgotten, the
/// object goes.
#[test]
fn messages_keep_objects() {
    let program = program(
        "program kept;
        record Node { Node next; }
        channel post [1] { record Node };
        global chan post;
        prologue { post := new chan(post); }
        thread T() {
          local Node a;
          loc begin: do { a := new Node; a.next := new Node; } goto full;
          loc full: do { send(post, a); a := null; } goto sent;
          loc sent: do { receive(post, a :=); } goto got;
          loc got: do { a := null; } goto begin;
        }
        active T;",
    );
    let Pair { engine, naive } = Pair::new(&program, FAMILY.bounds, false);
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
    assert_eq!(objects, [3, 3, 3, 1, 3, 3, 3, 1]);
    assert_eq!(Found::by_engine(&engine, Search::Dfs).states, 4);
}

/// Threads with observable ids that end youngest first, call functions, and keep others out while they do.
#[test]
fn observable_ids_beside_objects_and_functions() {
    let program = program(
        "program family;
        features thread_ids, last;
        record Cell { int wrap (0, 7) x; Cell next; }
        channel post [1] { record Cell, int wrap (0, 7) };
        global chan post;
        prologue { post := new chan(post); }
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
          loc idle: do { receive(post, c :=, sum :=); } goto join;
          loc join: when threads() == 1 do { check(sum == 2 && last() < 2); c := null; sum := 0; } goto begin;
        }
        thread Child(Cell own) {
          local int wrap (0, 7) n;
          loc begin: call depth(own) resume back;
          resume back of begin into n goto send;
          loc send: when own.x == thread() do { send(post, own, n); } goto end;
          loc end: when youngest() return;
        }
        active Main;",
    );
    let found = Pair::new(&program, FAMILY.bounds, false).explore(20_000).expect("it is small");
    assert_eq!((found.faults.len(), found.truncations.len()), (0, 0), "{found:?}");
}

/// A deleted channel keeps its identity as long as something mentions it, and nothing that was in it.
#[test]
fn a_deleted_channel_holds_nothing() {
    let program = program(
        "program ended;
        memory explicit leaks unreachable;
        record Node { int wrap (0, 1) value; }
        channel box [1] { record Node };
        channel line [2] { chan };
        global chan c;
        thread T() {
          local chan d; local chan e; local Node a;
          loc make: do { c := new chan(line); d := new chan(box); a := new Node; } goto put;
          loc put: do { send(d, a); a := null; } goto hand;
          loc hand: do { send(c, d); } goto drop;
          loc drop: do { delete d; d := null; } goto again;
          loc again: do { e := new chan(box); } goto take;
          loc take: do { receive(c, d :=); } goto ask;
          loc ask: when d != e do { delete e; e := null; } goto use;
          loc use: do { send(d, null); } goto use;
        }
        active T;",
    );
    let found = Pair::new(&program, FAMILY.bounds, false).explore(100).expect("it is small");
    let faults: Vec<_> = found.faults.iter().map(|(&kind, &count)| (kind, count)).collect();
    assert_eq!(faults, [(FaultKind::UseAfterFree, 1), (FaultKind::Leak, 1)]);
    assert_eq!(found.states, 8);
}

/// References have no order: a message goes behind those that have the same numbers in front of them.
#[test]
fn references_do_not_sort_messages() {
    let program = program(
        "program sorted;
        record Node { int wrap (0, 1) value; }
        channel line [3] { int wrap (0, 3), record Node };
        global chan c;
        thread T() {
          local Node a; local Node b;
          loc make: do { c := new chan(line); a := new Node; b := new Node; } goto one;
          loc one: do { insert(c, 1, b); } goto two;
          loc two: do { insert(c, 1, a); } goto three;
          loc three: do { insert(c, 0, null); } goto take;
          loc take: do { receive(c, 0, null); } goto first;
          loc first: do { receive(c, *, b); } goto second;
          loc second: do { receive(c, *, a); } goto done;
          loc done end:
        }
        active T;",
    );
    let found = Pair::new(&program, FAMILY.bounds, false).explore(100).expect("it is small");
    assert_eq!((found.states, found.faults.len()), (8, 0));
}
