//! What is not referred to is not part of the state.

use super::*;

#[test]
fn cycles_are_garbage_once_nobody_knows_them() {
    let program = program(
        "program p; record Node { Node next; Node[] nodes; } global Node a; thread T() {
          loc l0: do { a := new Node; a.next := new Node; a.next.next := a; a.nodes := new Node[2]; a.nodes[1] := a; } goto l1;
          loc l1: do { a := null; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(schedule(&naive, &[0]).objects.len(), 3);
    assert!(schedule(&naive, &[0, 0]).objects.is_empty());
}

#[test]
fn garbage_of_a_step_keeps_its_id_until_the_step_ends() {
    let program = program(
        "program p; record Node {} global Node a; global Node b; thread T() {
          loc l0: do { a := new Node; a := new Node; } goto l1;
          loc l1: do { b := new Node; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(schedule(&naive, &[0]).globals, [Value::Ref(1), Value::Null]);
    assert_eq!(schedule(&naive, &[0, 0]).globals, [Value::Ref(1), Value::Ref(0)]);
    // The names that people see are not those ids.
    let state = schedule(&naive, &[0, 0]);
    assert_eq!(naive.describe_state(&state), "a = Node#2\nb = Node#3\nNode#3 ()\nNode#2 ()\n");
}

#[test]
fn an_atomic_block_is_one_step_for_garbage() {
    let text = |atomic: &str| {
        format!(
            "program p; record Node {{}} global Node a; thread T() {{
              loc l0: do {{ a := new Node; }} goto l1;
              loc l1 {atomic}: do {{ a := new Node; }} goto l2;
              loc l2 {atomic}: do {{ a := new Node; }} return;
            }} active T;"
        )
    };
    let (one, three) = (program(&text("atomic")), program(&text("")));
    assert_eq!(run(&Naive::new(&one)).unwrap().globals, [Value::Ref(2)]);
    assert_eq!(run(&Naive::new(&three)).unwrap().globals, [Value::Ref(0)]);
    let bounds = Bounds { objects: 2, ..Bounds::default() };
    let truncated = run(&Naive { bounds, ..Naive::new(&one) });
    assert_eq!(truncated, Err(Stopped::Truncated(Bound::Objects)));
}

#[test]
fn ended_threads_stay_while_somebody_knows_them() {
    let program = program(
        "program p; record Node { tid who; } global Node a; thread C() { loc l: return; }
        thread T() { local tid t;
          loc l0: do { a := new Node; t := start C(); a.who := t; } goto l1;
          loc l1: do { t := null; } goto l2;
          loc l2: do { a := null; } goto l3;
          loc l3: return;
        } active T;",
    );
    let naive = Naive::new(&program);
    for (steps, known) in [(2, true), (3, true), (4, false)] {
        let state = schedule(&naive, &[0, 1, 0, 0][..steps]);
        assert_eq!(state.threads.contains_key(&1), known, "{steps}");
    }
}

#[test]
fn what_ended_threads_referred_to_is_garbage() {
    let program = program(
        "program p; record Node {} global tid t; thread C(Node n) { loc l: return; }
        thread T() { local Node n; loc l0: do { n := new Node; t := start C(n); } return; } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(schedule(&naive, &[0]).objects.len(), 1);
    let state = schedule(&naive, &[0, 1]);
    assert!(state.objects.is_empty() && state.threads[&1].ended());
}

#[test]
fn names_do_not_tell_states_apart() {
    // The two orders of allocation give states that differ in names only.
    let program = program(
        "program p; record Node {} global Node a; global boolean b; thread T() {
          loc l0: do { a := new Node; a := null; b := true; } goto l1; do { b := true; } goto l1;
          loc l1: do { a := new Node; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let summary = explore(&naive, 10);
    assert_eq!((summary.states, summary.matched), (3, 1));
}

#[test]
fn collections_refer_to_what_is_in_them() {
    for (ty, with) in [
        ("Set<Node>", "Set<Node>(n)"),
        ("Bag<Node>", "Bag<Node>(n, n)"),
        ("Map<Node, int>", "Map<Node, int>(n, 1)"),
        ("Map<int, Node>", "Map<int, Node>(1, n)"),
        ("Seq<Node>", "Seq<Node>(null, n)"),
        ("Queue<Node>", "Queue<Node>(2, n)"),
        ("Seq<Map<int, Set<Node>>>", "Seq<Map<int, Set<Node>>>(Map<int, Set<Node>>(1, Set<Node>(n)))"),
    ] {
        // The object is in a cycle through its own collection, and known by a global one until that is
        // replaced.
        let program = program(&format!(
            "program p; record Node {{ {ty} others; }} global {ty} known; global {ty} empty; thread T() {{ local Node n;
              loc l0: do {{ n := new Node; n.others := {with}; known := {with}; n := null; }} goto l1;
              loc l1: do {{ known := empty; }} return;
            }} active T;"
        ));
        let naive = Naive::new(&program);
        assert_eq!(schedule(&naive, &[0]).objects.len(), 1, "{with}");
        assert!(schedule(&naive, &[0, 0]).objects.is_empty(), "{with}");
    }
}

#[test]
fn collections_know_threads() {
    let program = program(
        "program p; global Map<int, tid> known; thread C() { loc l: return; } thread T() { local tid t;
          loc l0: do { t := start C(); known := known.put(1, t); t := null; } goto l1;
          loc l1: do { known := known.remove(1); } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert!(schedule(&naive, &[0, 1]).threads[&1].ended());
    assert!(schedule(&naive, &[0, 1, 0]).threads.is_empty());
}
