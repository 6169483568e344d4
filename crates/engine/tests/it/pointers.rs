//! Blocks, and pointers to parts of objects: the engine against the plain interpreter on random programs, and each
//! kind of fault by itself.

use ir::Program;
use state::Bounds;
use system::FaultKind;
use testing::heap::pointer_text;
use testing::program;

use crate::harness::{Family, Pair};

const BOUNDS: Bounds = Bounds { threads: 5, frames: 6, objects: 9 };
const MOST_STATES: usize = 4000;

fn random_program(seed: u64) -> Program {
    program(&pointer_text(seed))
}

const FAMILY: Family = Family {
    program: random_program,
    bounds: BOUNDS,
    most_states: MOST_STATES,
    explored: 400,
    walked: 250,
    undone: 150,
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

/// One step with these actions, after which the thread ends: how it fails.
fn faults_of(memory: &str, actions: &str) -> Vec<FaultKind> {
    let program = program(&format!(
        "program p;
        {memory}
        record Pair {{ int wrap (0, 9) v; Pair next; pointer t; }}
        scoped record Box extends Pair {{}}
        record Other {{ int (0, 3) small; }}
        global pointer g;
        thread Main() {{
          local Pair a;
          local Other o;
          local Box k;
          local pointer p;
          local pointer q;
          local int (-9, 99) v;
          local boolean same;
          loc l: do {{ {actions} }} return;
        }}
        active Main;"
    ));
    let found = Pair::new(&program, BOUNDS, false).explore(MOST_STATES).expect("a small program");
    found.faults.into_keys().collect()
}

fn gc(actions: &str) -> Vec<FaultKind> {
    faults_of("", actions)
}

fn explicit(actions: &str) -> Vec<FaultKind> {
    faults_of("memory explicit leaks unreachable;", actions)
}

/// What is stored through a pointer is read by its field, and the other way round.
#[test]
fn pointers_lead_to_leaves() {
    let none: [FaultKind; 0] = [];
    assert_eq!(gc("a := new Pair; p := address(a.v); (load(p) : int) := 7; assert a.v == 7;"), none);
    assert_eq!(gc("a := new Pair; p := address(a.v); a.v := 3; v := (load(p) : int); assert v == 3;"), none);
    // What is stored is admitted to the type of the leaf.
    assert_eq!(gc("a := new Pair; p := address(a.v); (load(p) : int) := 13; assert a.v == 3;"), none);
    assert_eq!(gc("o := new Other; p := address(o.small); (load(p) : int) := 4;"), [FaultKind::Range]);
    // The second element follows the first.
    let block = "p := new block Pair[2]; (load(offset(p, 3)) : int) := 5; q := offset(p, 1 + 2);";
    assert_eq!(gc(&format!("{block} v := (load(q) : int); assert v == 5 && q != p;")), none);
    assert_eq!(gc(&format!("{block} same := offset(q, 0 - 3) == p; assert same;")), none);
    assert_eq!(
        gc("p := new Pair; (load(offset(p, 2)) : pointer) := p; p := (load(offset(p, 2)) : pointer);"),
        none
    );
}

#[test]
fn what_a_pointer_cannot_do() {
    let block = "p := new block Pair[2];";
    for (actions, fault) in [
        ("v := (load(p) : int);", FaultKind::NullDereference),
        ("(load(p) : int) := 1;", FaultKind::NullDereference),
        ("p := offset(p, 0);", FaultKind::NullDereference),
        ("p := address(a.v);", FaultKind::NullDereference),
        ("p := new block Pair[v - 1];", FaultKind::Index),
        ("p := new block Pair[0]; v := (load(p) : int);", FaultKind::Index),
        ("p := new block Pair[0]; (load(p) : int) := 1;", FaultKind::Index),
        ("p := new block Pair[0]; p := offset(p, 0);", FaultKind::Index),
        ("a := new Pair; p := offset(address(a.t), 1);", FaultKind::Index),
        ("v := within(3, 3);", FaultKind::Index),
        ("v := within(v - 1, 3);", FaultKind::Index),
    ] {
        assert_eq!(gc(actions), [fault], "{actions}");
    }
    for (actions, fault) in [
        ("q := offset(p, 6);", FaultKind::Index),
        ("q := offset(p, 0 - 1);", FaultKind::Index),
        ("v := (load(offset(p, 1)) : int);", FaultKind::BadCast),
        ("(load(offset(p, 2)) : int) := 1;", FaultKind::BadCast),
        ("(load(p) : Pair) := a;", FaultKind::BadCast),
    ] {
        assert_eq!(gc(&format!("{block} {actions}")), [fault], "{actions}");
    }
}

#[test]
fn pointers_and_the_ends_of_objects() {
    let none: [FaultKind; 0] = [];
    let block = "p := new block Pair[2]; q := offset(p, 3);";
    assert_eq!(explicit(&format!("{block} delete p;")), none);
    assert_eq!(explicit(&format!("{block} delete q;")), [FaultKind::BadDelete]);
    assert_eq!(explicit(&format!("{block} delete p; delete q;")), [FaultKind::BadDelete]);
    assert_eq!(explicit(&format!("{block} delete p; delete p;")), [FaultKind::DoubleDelete]);
    assert_eq!(explicit("delete p;"), [FaultKind::NullDereference]);
    for use_of_q in ["v := (load(q) : int);", "(load(q) : int) := 1;", "q := offset(q, 0);"] {
        assert_eq!(
            explicit(&format!("{block} delete p; {use_of_q}")),
            [FaultKind::UseAfterFree],
            "{use_of_q}"
        );
    }
    assert_eq!(explicit(&format!("{block} delete p; same := p == q; assert !same;")), none);
    assert_eq!(
        explicit("a := new Pair; p := address(a.v); delete a; a := null; v := (load(p) : int);"),
        [FaultKind::UseAfterFree]
    );
    assert_eq!(
        explicit("k := new Box; p := address(k.v); kill k; v := (load(p) : int);"),
        [FaultKind::DanglingLocal]
    );
    assert_eq!(explicit("p := new block Box[2]; q := offset(p, 4); delete p;"), [FaultKind::BadDelete]);
    assert_eq!(
        explicit("p := new block Box[2]; q := offset(p, 3); kill p; v := (load(q) : int);"),
        [FaultKind::DanglingLocal]
    );
    // A pointer to a part keeps the whole.
    assert_eq!(explicit(&format!("{block} g := q; p := null; q := null;")), none);
    assert_eq!(explicit(&format!("{block} p := null; q := null;")), [FaultKind::Leak]);
    assert_eq!(explicit("k := new Box; p := address(k.v); kill k; k := null;"), none);
}
