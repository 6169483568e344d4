//! Explicit memory: the engine against the plain interpreter on random programs that delete objects, and each
//! kind of fault by itself.

use std::collections::BTreeMap;

use ir::Program;
use state::Bounds;
use system::FaultKind;
use testing::heap::explicit_text;
use testing::program;

use crate::harness::{Family, Pair};

const BOUNDS: Bounds = Bounds { threads: 5, frames: 6, objects: 12 };
const MOST_STATES: usize = 4000;

fn random_explicit(seed: u64) -> Program {
    program(&explicit_text(seed))
}

const FAMILY: Family = Family {
    program: random_explicit,
    bounds: BOUNDS,
    most_states: MOST_STATES,
    explored: 1000,
    walked: 500,
    undone: 250,
};

#[test]
fn random_programs_have_the_same_states_faults_and_leaks() {
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

/// What a thread leads to whose body this is, in a program with explicit memory: states, and how often each
/// fault is found.
fn found(leaks: &str, body: &str) -> (usize, BTreeMap<FaultKind, u64>) {
    let program = program(&format!(
        "program p;
        memory explicit leaks {leaks};
        record Node {{ Node next; int (0, 3) key; lock m; }}
        scoped record Box extends Node {{}}
        global Node g;
        global Node h;
        thread Main() {{
          local Node a;
          local Node b;
          local Box k;
          local int[] r;
          local int (0, 3) v;
          local boolean same;
          {body}
        }}
        active Main;"
    ));
    let found = Pair::new(&program, BOUNDS, false).explore(MOST_STATES).expect("a small program");
    (found.states, found.faults)
}

/// One step with these actions, after which the thread ends.
fn faults_of(leaks: &str, actions: &str) -> Vec<FaultKind> {
    found(leaks, &format!("loc l: do {{ {actions} }} return;")).1.into_keys().collect()
}

#[test]
fn what_is_deleted_cannot_be_used() {
    for use_of_a in [
        "v := a.key;",
        "a.key := 1;",
        "b := a.next;",
        "b := (a as Node);",
        "same := a instanceof Box;",
        "g := a; g.next := null;",
    ] {
        let actions = format!("a := new Node; delete a; {use_of_a}");
        assert_eq!(faults_of("off", &actions), [FaultKind::UseAfterFree], "{use_of_a}");
    }
    let actions = "r := new int[2]; delete r; v := r[0];";
    assert_eq!(faults_of("off", actions), [FaultKind::UseAfterFree]);
    let actions = "r := new int[2]; delete r; v := r.length;";
    assert_eq!(faults_of("off", actions), [FaultKind::UseAfterFree]);
    let actions = "a := new Node; a.m := new lock; delete a.m; lock(a.m);";
    assert_eq!(faults_of("off", actions), [FaultKind::UseAfterFree]);
    // References can be compared and passed on.
    let actions =
        "a := new Node; b := a; delete a; same := a == b; assert same; g := a; assert g != null; g := null;";
    assert_eq!(faults_of("unreachable", actions), []);
}

#[test]
fn what_cannot_be_deleted() {
    assert_eq!(faults_of("off", "delete a;"), [FaultKind::NullDereference]);
    assert_eq!(faults_of("off", "a := new Node; b := a; delete a; delete b;"), [FaultKind::DoubleDelete]);
    assert_eq!(faults_of("off", "k := new Box; delete k;"), [FaultKind::BadDelete]);
    assert_eq!(faults_of("off", "k := new Box; kill k; delete k;"), [FaultKind::BadDelete]);
    let held = "a := new Node; a.m := new lock; lock(a.m); delete a.m;";
    assert_eq!(faults_of("off", held), [FaultKind::BadDelete]);
    let free = "a := new Node; a.m := new lock; lock(a.m); unlock(a.m); delete a.m; a.m := null; delete a;";
    assert_eq!(faults_of("unreachable", free), []);
    let waited = "a := new Node; a.m := new lock; lock(a.m); wait(a.m); delete a.m;";
    assert_eq!(faults_of("off", waited), [FaultKind::BadDelete]);
}

#[test]
fn variables_end_with_their_scope() {
    assert_eq!(faults_of("unreachable", "k := new Box; v := k.key; kill k;"), []);
    assert_eq!(faults_of("unreachable", "k := new Box; kill k; kill k; k := null; kill k;"), []);
    assert_eq!(faults_of("off", "k := new Box; a := k; kill k; v := a.key;"), [FaultKind::DanglingLocal]);
    // What only the variable led to is lost with it.
    assert_eq!(faults_of("unreachable", "k := new Box; k.next := new Node; kill k;"), [FaultKind::Leak]);
    // Variables that are not killed are no leaks.
    assert_eq!(faults_of("unreachable", "k := new Box;"), []);
}

#[test]
fn what_is_lost_is_reported_unless_leaks_are_off() {
    let loses = "a := new Node; a := null;";
    assert_eq!(faults_of("unreachable", loses), [FaultKind::Leak]);
    assert_eq!(faults_of("end", loses), [FaultKind::Leak]);
    assert_eq!(faults_of("off", loses), []);
    // The end of a thread loses what its variables led to; a cycle does not keep itself.
    assert_eq!(faults_of("unreachable", "a := new Node; a.next := a;"), [FaultKind::Leak]);
    // A global keeps it: that is a leak of the end only.
    assert_eq!(faults_of("unreachable", "g := new Node;"), []);
    assert_eq!(faults_of("end", "g := new Node;"), [FaultKind::Leak]);
    assert_eq!(faults_of("end", "g := new Node; delete g;"), []);
    assert_eq!(faults_of("end", "k := new Box; g := k;"), []);
    // Deleting what leads to other objects loses these.
    assert_eq!(faults_of("unreachable", "a := new Node; a.next := new Node; delete a;"), [FaultKind::Leak]);
    // Locks and arrays are objects.
    assert_eq!(faults_of("unreachable", "r := new int[3]; r := null;"), [FaultKind::Leak]);
}

/// A step with another soft fault still reports what it loses, and goes on.
#[test]
fn a_leak_is_not_hidden_by_a_failed_check() {
    let body = "loc l: do { a := new Node; } goto m;
                loc m: do { check(v == 1); a := null; } goto n;
                loc n: return;";
    let (states, faults) = found("unreachable", body);
    assert_eq!((states, faults), (4, BTreeMap::from([(FaultKind::Leak, 1)])));
}

/// A fault that ends the step hides the leak, which never happens.
#[test]
fn a_step_that_faults_loses_nothing() {
    assert_eq!(faults_of("unreachable", "a := new Node; a := null; assert v == 1;"), [FaultKind::Assertion]);
}

/// The id of a deleted object is not given away while anything refers to it.
#[test]
fn a_tombstone_keeps_its_id() {
    let body = "loc l: do { g := new Node; delete g; a := new Node; assert a != g; h := a; } goto m;
                loc m: do { assert h != g; delete h; h := null; a := null; } goto n;
                loc n: do { g := null; } goto o;
                loc o: do { a := new Node; delete a; } return;";
    let (states, faults) = found("end", body);
    assert_eq!((states, faults), (5, BTreeMap::new()));
}

/// In collected memory, deleting has the same faults as far as they can be known, and no effect.
#[test]
fn collected_memory_ignores_what_is_deleted() {
    let text = |actions: &str| {
        program(&format!(
            "program p;
            record Node {{ Node next; int (0, 3) key; }}
            thread Main() {{ local Node a; local Node b; local int (0, 3) v;
              loc l: do {{ {actions} }} goto m;
              loc m: return; }}
            active Main;"
        ))
    };
    let explore = |actions: &str| {
        Pair::new(&text(actions), BOUNDS, false).explore(MOST_STATES).expect("a small program")
    };
    assert_eq!(
        explore("a := new Node; b := a; delete a; v := b.key; delete b; a := null;").faults,
        BTreeMap::new()
    );
    assert_eq!(explore("delete a;").faults, BTreeMap::from([(FaultKind::NullDereference, 1)]));
}
