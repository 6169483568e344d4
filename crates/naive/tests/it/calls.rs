//! Calls, returns, recursion, dispatch.

use super::*;

#[test]
fn recursion_keeps_a_frame_for_each_call() {
    let program = program(
        "program p; global int result; function sum(int n) returns int {
          local int rest;
          loc a: when n > 0 call sum(n - 1) resume r; else return 0;
          resume r of a into rest return n + rest;
        } thread T() { local int x; loc a: call sum(3) resume r; resume r of a into x goto b;
          loc b: do { result := x; } return; } active T;",
    );
    let naive = Naive::new(&program);
    let deepest = schedule(&naive, &[0, 0, 0, 0]);
    assert_eq!(deepest.threads[&0].frames.len(), 5);
    // All returns are one step.
    let back = schedule(&naive, &[0, 0, 0, 0, 0]);
    assert_eq!(back.threads[&0].frames.len(), 1);
    assert_eq!(global(&naive, &run(&naive).unwrap(), "result"), "6");
}

#[test]
fn the_place_of_a_result_is_looked_up_when_it_arrives() {
    let program = program(
        "program p; global int[] array; global int i; function f() returns int {
          loc a: do { i := 2; } return 7;
        } thread T() { loc a: do { array := new int[3]; } goto b; loc b: call f() resume r;
          resume r of b into array[i] return; } active T;",
    );
    let naive = Naive::new(&program);
    let state = run(&naive).unwrap();
    assert!(naive.describe_state(&state).contains("int[]#1 (0, 0, 7)"), "{}", naive.describe_state(&state));
}

#[test]
fn dispatch_is_by_the_dynamic_record() {
    let program = program(
        "program p; record A {} record B extends A {} record C extends B {} global A a; global string s;
        virtual v { A -> fa; B -> fb; C -> fb; }
        function fa(A self) returns string { loc l: return \"a\"; }
        function fb(B self) returns string { loc l: return \"b\"; }
        thread T() {
          loc m: do { a := new A; } goto c; do { a := new B; } goto c; do { a := new C; } goto c;
          loc c: call virtual v(a) resume r;
          resume r of c into s return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let mut results = Vec::new();
    for transition in 2..5 {
        let step = Step { thread: 0, transition, choice: 0 };
        let mut state = naive.fire(&naive.initial(), step).unwrap();
        while let Some(&step) = naive.steps(&state).0.first() {
            state = naive.fire(&state, step).unwrap();
        }
        results.push(global(&naive, &state, "s"));
    }
    assert_eq!(results, ["\"a\"", "\"b\"", "\"b\""]);
}

#[test]
fn threads_start_at_their_entry_with_the_least_free_id() {
    let program = program(
        "program p; global tid t; thread C(int n) { local int m = 4; loc a: return; }
        thread M() { loc a: do { t := start C(1); } goto b; loc b: do { t := start C(2); } goto c;
          loc c: do { t := start C(3); } return; } active M;",
    );
    let naive = Naive::new(&program);
    // The first child is gone when the third starts.
    let state = schedule(&naive, &[0, 0, 1, 0]);
    let threads: Vec<_> = state.threads.iter().map(|(&id, t)| (id, t.frames[0].locals.clone())).collect();
    let locals = |n| vec![Value::Int(n), Value::Int(4)];
    assert_eq!(threads, [(1, locals(3)), (2, locals(2))]);
    assert_eq!(global(&naive, &state, "t"), "C#3");
}

#[test]
fn exit_ends_the_thread_from_any_depth() {
    let program = program(
        "program p; global int x; function f() { loc a: do { x := 1; exit; x := 2; } return; }
        thread T() { loc a: call f() resume r; resume r of a goto b; loc b: do { x := 3; } return; } active T;",
    );
    let naive = Naive::new(&program);
    let state = run(&naive).unwrap();
    assert_eq!((global(&naive, &state, "x"), state.threads.len()), ("1".to_owned(), 0));
}

#[test]
fn handles_compare_and_tell_whether_a_thread_has_ended() {
    let program = program(
        "program p; global tid t; global tid u; thread C() { loc a: return; }
        thread M() { loc a: do { t := start C(); u := t; } goto b;
          loc b: when t == u && t != null && threadTerminated(t) return; } active M;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert!(!can_step(&naive, &state, 0));
    let state = schedule(&naive, &[0, 1]);
    assert!(can_step(&naive, &state, 0) && state.threads[&1].ended());
}
