//! Every kind of fault, where it is and what it says.

use super::*;

const DECLARATIONS: &str =
    "record Node { int (0, 3) value; Node next; } record Leaf extends Node { boolean mark; }
    throwable record Failure {} global Node node; global Node other; global int[] array; global int (0, 3) x;
    global int zero; global lock l; global tid t; global Failure failure;
    fun narrow(int (0, 3) v) returns int = v; fun f(int v) returns int (0, 3) = v;
    function callee(int (0, 3) v) returns int (0, 3) { loc a: return v + 1; }
    function visitLeaf(Leaf self) { loc a: return; }
    virtual visit { Leaf -> visitLeaf; } thread Child(int (0, 3) v) { loc a: return; }";

/// The fault of the first thread's step that is not fine, after a few steps that are.
fn fault_of(transition: &str) -> (FaultKind, String, String) {
    let text = format!(
        "program p; {DECLARATIONS} thread Main() {{ local int i;
          loc a: do {{ node := new Node; array := new int[3]; l := new lock; }} goto b;
          loc b: {transition}
          loc c: return;
          resume r of b goto c;
          resume narrow of b into array[3] goto c;
          resume smaller of b into node.value goto c; }} active Main;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    let mut state = naive.initial();
    loop {
        let (enabled, faults) = naive.steps(&state);
        if let Some((step, fault)) = faults.first() {
            assert_eq!(naive.fire(&state, *step), Err(Stopped::Fault(fault.clone())), "{transition}");
            assert!(!naive.deadlocked(&state));
            return (fault.kind, excerpt(&text, fault.span).to_owned(), fault.message.clone());
        }
        match naive.fire(&state, *enabled.first().expect("a step")) {
            Ok(next) => state = next,
            Err(Stopped::Fault(fault)) => {
                return (fault.kind, excerpt(&text, fault.span).to_owned(), fault.message);
            }
            Err(stopped) => panic!("{transition}: {stopped:?}"),
        }
    }
}

#[test]
fn each_kind() {
    use FaultKind::*;
    for (transition, kind, place, message) in [
        ("do { assert x > 0; } goto c;", Assertion, "assert x > 0", "the asserted condition is false"),
        ("do { x := other.value; } goto c;", NullDereference, "other.value", "`other` is null"),
        ("do { other.value := 1; } goto c;", NullDereference, "other.value", "`other` is null"),
        (
            "do { x := node.next.next.value; } goto c;",
            NullDereference,
            "node.next.next",
            "`node.next` is null",
        ),
        ("do { lock(l); l := null; unlock(l); } goto c;", NullDereference, "unlock(l)", "`l` is null"),
        ("when hasLock(null) goto c;", NullDereference, "hasLock(null)", "`null` is null"),
        ("when threadTerminated(t) goto c;", NullDereference, "threadTerminated(t)", "`t` is null"),
        ("do { throw failure; } goto c;", NullDereference, "throw failure", "`failure` is null"),
        ("do { other := node as Leaf; } goto c;", BadCast, "node as Leaf", "`node` is a Node, not a Leaf"),
        ("do { x := array[3]; } goto c;", Index, "array[3]", "index 3 outside of an array of length 3"),
        ("do { array[-1] := 3; } goto c;", Index, "array[-1]", "index -1 outside of an array of length 3"),
        ("do { array := new int[-1]; } goto c;", Index, "array := new int[-1]", "negative array length -1"),
        ("do { x := 7; } goto c;", Range, "x", "value 7 outside of the range 0..3 of `x`"),
        (
            "do { node.value := -1; } goto c;",
            Range,
            "node.value",
            "value -1 outside of the range 0..3 of `node.value`",
        ),
        ("do { x := narrow(4); } goto c;", Range, "4", "value 4 outside of the range 0..3 of `v`"),
        ("do { x := f(4); } goto c;", Range, "v", "value 4 outside of the range 0..3 of `f`"),
        ("do { start Child(4); } goto c;", Range, "4", "value 4 outside of the range 0..3 of `v`"),
        ("call callee(4) resume r;", Range, "4", "value 4 outside of the range 0..3 of `v`"),
        ("call callee(3) resume r;", Range, "v + 1", "value 4 outside of the range 0..3 of `callee`"),
        ("call callee(1) resume narrow;", Index, "array[3]", "index 3 outside of an array of length 3"),
        ("do { x := 1 / zero; } goto c;", DivisionByZero, "1 / zero", "division by zero in `1 / zero`"),
        (
            "do { x := (9223372036854775807 + 1) % 2; } goto c;",
            Range,
            "9223372036854775807 + 1",
            "the value of `9223372036854775807 + 1` does not fit in 64 bits",
        ),
        ("do { x := 1 shl 40; } goto c;", Range, "1 shl 40", "shift distance 40 outside of 0..31"),
        ("do { unlock(l); } goto c;", Unlock, "unlock(l)", "thread Main#1 does not hold the lock"),
        ("do { wait(l); } goto c;", Wait, "wait(l)", "thread Main#1 does not hold the lock"),
        ("do { unwait(l); } goto c;", Wait, "unwait(l)", "thread Main#1 does not wait for the lock"),
        (
            "do { lock(l); wait(l); lock(l); wait(l); } goto c;",
            Wait,
            "wait(l)",
            "thread Main#1 waits already",
        ),
        ("do { notify(l); } goto c;", Notify, "notify(l)", "thread Main#1 does not hold the lock"),
        ("do { notifyAll(l); } goto c;", Notify, "notifyAll(l)", "thread Main#1 does not hold the lock"),
        (
            "do { failure := new Failure; throw failure; } goto c;",
            UncaughtException,
            "throw failure",
            "uncaught exception Failure#1",
        ),
        (
            "call virtual visit(other) resume r;",
            NullDereference,
            "call virtual visit(other) resume r;",
            "`other` is null",
        ),
        (
            "call virtual visit(node) resume r;",
            BadCast,
            "call virtual visit(node) resume r;",
            "`visit` is not there for Node",
        ),
        ("when 1 / zero == 1 goto c;", DivisionByZero, "1 / zero", "division by zero in `1 / zero`"),
        (
            "do { i := 0; } return; when other.value == 1 goto c;",
            NullDereference,
            "other.value",
            "`other` is null",
        ),
    ] {
        let found = fault_of(transition);
        assert_eq!(found, (kind, place.to_owned(), message.to_owned()), "{transition}");
    }
}

#[test]
fn operands_are_evaluated_before_places_are_looked_up() {
    use FaultKind::*;
    for (action, kind) in [
        ("other.value := 1 / zero", DivisionByZero),
        ("array[5] := 1 / zero", DivisionByZero),
        ("array[1 / zero] := other.value", DivisionByZero),
        ("other.next.value := 1 / zero", NullDereference),
        // The place first, then the range.
        ("other.value := 7", NullDereference),
        ("array[5] := 3000000000", Index),
        // All arguments, then the ranges of parameters.
        ("x := narrow(4) + 1 / zero", Range),
        ("start Child(1 / zero)", DivisionByZero),
    ] {
        assert_eq!(fault_of(&format!("do {{ {action}; }} goto c;")).0, kind, "{action}");
    }
}

#[test]
fn a_guard_that_faults_is_neither_enabled_nor_disabled() {
    let program = program(
        "program p; global int zero; thread T() {
          loc a: when 1 / zero == 1 return; else return;
        } thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = naive.initial();
    let (enabled, faults) = naive.steps(&state);
    assert_eq!(enabled, [Step { thread: 1, transition: 2, choice: 0 }]);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].0, Step { thread: 0, transition: 0, choice: 0 });
    let after = naive.fire(&state, enabled[0]).unwrap();
    assert!(naive.steps(&after).0.is_empty() && !naive.deadlocked(&after));
    // Each of the two states meets the fault.
    let summary = explore(&naive, 10);
    assert_eq!((summary.states, summary.transitions, summary.deadlocks), (2, 1, 0));
    assert_eq!(summary.faults.values().collect::<Vec<_>>(), [&2]);
}

#[test]
fn obstacles_met_before_a_fault_win() {
    let program = program(
        "program p; global int zero; global boolean go; thread T() {
          loc a: do { assume go; zero := 1 / zero; } return;
          loc b: do { zero := 1 / zero; assume go; } return;
        } thread U() entry b {
          loc b: do { zero := 1 / zero; assume go; } return;
        } active T, U;",
    );
    let naive = Naive::new(&program);
    let steps = naive.steps(&naive.initial()).0;
    assert_eq!(steps, [Step { thread: 1, transition: 2, choice: 0 }]);
    let Err(Stopped::Fault(fault)) = naive.fire(&naive.initial(), steps[0]) else { panic!() };
    assert_eq!(fault.kind, FaultKind::DivisionByZero);
}

#[test]
fn invariants_are_checked_in_order() {
    let program = program(
        "program p; record R { int f; } global int x; global R r;
        thread T() { loc a: do { x := 1; } goto b; loc b: do { x := 2; } goto c; loc c: do { r := new R; } return; }
        active T; invariant low = x < 2; invariant fine = x < 5; invariant there = x == 0 || r.f == 0;",
    );
    let naive = Naive::new(&program);
    let mut state = naive.initial();
    let mut found = Vec::new();
    loop {
        found.push(match naive.check(&state) {
            Err(Stopped::Fault(fault)) => Some((fault.kind, fault.message)),
            other => {
                assert_eq!(other, Ok(()));
                None
            }
        });
        let Some(&step) = naive.steps(&state).0.first() else { break };
        state = naive.fire(&state, step).unwrap();
    }
    let low = Some((FaultKind::Invariant, "`low` does not hold".to_owned()));
    let null = Some((FaultKind::NullDereference, "`r` is null".to_owned()));
    assert_eq!(found, [None, null, low.clone(), low]);
    let summary = explore(&naive, 10);
    assert_eq!((summary.states, summary.faults.values().sum::<usize>()), (4, 3));
}

#[test]
fn bounds() {
    let text = "program p; record R { R next; } global R r; global tid t; global int[] array; global int n;
        fun down(int n) returns int = n == 0 ? 0 : down(n - 1);
        function f(int n) { loc a: when n > 0 call f(n - 1) resume r; else return; resume r of a return; }
        thread T() { loc a: return; }
        thread Main() {
          loc a: do { r := new R; r := new R; } goto b;
          loc b: do { start T(); start T(); } goto c;
          loc c: call f(2) resume r;
          resume r of c goto d;
          loc d: when down(3) == 0 goto e;
          loc e: do { array := new int[n + 9]; } goto g;
          loc g: do { n := 16777208; } goto e;
        } active Main;";
    let program = program(text);
    let outcome = |threads, frames, objects, on_bound| {
        run(&Naive { bounds: Bounds { threads, frames, objects }, on_bound, ..Naive::new(&program) })
    };
    let cases = [
        // The two objects of the first step are both there until it ends.
        ((9, 9, 1), Bound::Objects, "more than 1 objects"),
        ((2, 9, 9), Bound::Threads, "more than 2 threads"),
        ((9, 3, 9), Bound::Frames, "more than 3 nested calls"),
        // In the guard there is a deeper recursion than of frames.
        ((9, 4, 9), Bound::Objects, "more than 9 objects"),
    ];
    for ((threads, frames, objects), bound, message) in cases {
        let truncated = outcome(threads, frames, objects, OnBound::Truncate);
        assert_eq!(truncated, Err(Stopped::Truncated(bound)));
        let Err(Stopped::Fault(fault)) = outcome(threads, frames, objects, OnBound::Fault) else { panic!() };
        assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Bound(bound), message));
    }
}

#[test]
fn a_guard_that_exceeds_a_bound_is_a_step_that_does() {
    let program = program(
        "program p; fun down(int n) returns int = n == 0 ? 0 : down(n - 1);
        thread T() { loc a: when down(5) == 0 return; else return; } active T;",
    );
    let bounds = Bounds { frames: 5, ..Bounds::default() };
    let naive = Naive { bounds, ..Naive::new(&program) };
    let (enabled, faults) = naive.steps(&naive.initial());
    assert_eq!((enabled.len(), faults.len()), (1, 0));
    assert_eq!(naive.fire(&naive.initial(), enabled[0]), Err(Stopped::Truncated(Bound::Frames)));
    assert_eq!(explore(&naive, 10).truncations.get(&Bound::Frames), Some(&1));
    let naive = Naive { on_bound: OnBound::Fault, ..naive };
    let (enabled, faults) = naive.steps(&naive.initial());
    assert_eq!((enabled.len(), faults[0].1.kind), (0, FaultKind::Bound(Bound::Frames)));
}
