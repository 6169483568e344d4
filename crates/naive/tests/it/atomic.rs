//! Atomic locations.

use super::*;

#[test]
fn a_deterministic_loop_is_one_step() {
    let program = program(
        "program p; global int x; thread T() { local int i;
          loc a: goto b;
          loc b atomic: when i < 100 do { i := i + 1; x := x + 1; } goto b; when i == 100 goto c;
          loc c: return;
        } thread U() { loc a: when x > 0 && x < 100 do { assert false; } return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let summary = explore(&naive, 100);
    assert_eq!((summary.states, summary.deadlocks), (3, 1));
    assert!(summary.faults.is_empty());
}

#[test]
fn the_first_location_of_a_thread_is_no_arrival() {
    let program = program(
        "program p; thread T() { loc a atomic: goto b; loc b: return; } thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    assert_eq!(naive.initial().exclusive, None);
    assert_eq!(naive.steps(&naive.initial()).0.len(), 2);
}

#[test]
fn a_choice_inside_is_a_state_for_this_thread_alone() {
    let program = program(
        "program p; global int x; thread T() {
          loc a: goto b;
          loc b atomic: do { x := 1; } goto c; do { x := 2; } goto c;
          loc c atomic: goto d;
          loc d: return;
        } thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(state.exclusive, Some(0));
    let steps = naive.steps(&state).0;
    assert_eq!(steps.iter().map(|step| (step.thread, step.transition)).collect::<Vec<_>>(), [(0, 1), (0, 2)]);
    assert_eq!(naive.fire(&state, Step { thread: 1, transition: 5, choice: 0 }), Err(Stopped::NotEnabled));
    let after = naive.fire(&state, steps[1]).unwrap();
    assert_eq!((after.exclusive, global(&naive, &after, "x").as_str()), (None, "2"));
    assert!(can_step(&naive, &after, 1));
    // Exclusiveness is a part of the state.
    let mut shared = state.clone();
    shared.exclusive = None;
    assert_ne!(shared, state);
}

#[test]
fn blocking_inside_lets_others_run() {
    let program = program(
        "program p; global int x; thread T() {
          loc a: goto b;
          loc b atomic: when x == 1 goto c;
          loc c atomic: do { x := 2; } goto d;
          loc d: return;
        } thread U() { loc a: do { x := 1; } goto b; loc b: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(state.exclusive, None);
    assert!(!can_step(&naive, &state, 0) && can_step(&naive, &state, 1));
    // Once it can go on, others may step between, but then the rest is one step again.
    let state = schedule(&naive, &[0, 1]);
    assert!(can_step(&naive, &state, 0) && can_step(&naive, &state, 1));
    let state = schedule(&naive, &[0, 1, 0]);
    assert_eq!(global(&naive, &state, "x"), "2");
}

#[test]
fn a_fault_inside_is_a_fault_of_the_whole() {
    let program = program(
        "program p; global int x; thread T() { loc a: goto b; loc b atomic: do { assert x == 1; } return; } active T;",
    );
    let naive = Naive::new(&program);
    let steps = naive.steps(&naive.initial()).0;
    assert_eq!(steps.len(), 1);
    let Err(Stopped::Fault(fault)) = naive.fire(&naive.initial(), steps[0]) else { panic!() };
    assert_eq!(fault.kind, FaultKind::Assertion);
}

#[test]
fn a_guard_that_faults_inside_stops_there() {
    let program = program(
        "program p; global int zero; thread T() {
          loc a: goto b; loc b atomic: when 1 / zero == 1 return; return;
        } thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(state.exclusive, Some(0));
    let (enabled, faults) = naive.steps(&state);
    assert_eq!((enabled.len(), faults.len()), (1, 1));
}

#[test]
fn notifying_one_of_several_is_a_choice_inside() {
    let program = program(
        "program p; global lock l; thread W() { loc a: when l != null do { lock(l); wait(l); } goto b;
          loc b: do { unwait(l); unlock(l); } return; }
        thread N() { loc a: do { l := new lock; } goto b; loc b: do { lock(l); } goto c;
          loc c atomic: do { notify(l); } goto d; loc d atomic: do { unlock(l); } return; }
        active N, W, W;",
    );
    let naive = Naive::new(&program);
    assert_eq!(schedule(&naive, &[0, 1, 2, 0]).exclusive, Some(0));
    // With one to notify there is none.
    assert_eq!(schedule(&naive, &[0, 1, 0]).exclusive, None);
}

#[test]
fn a_block_that_never_ends_is_cut_into_states() {
    let program = program(
        "program p; global int wrap (0, 9) x; thread T() { loc a: goto b; loc b atomic: do { x := x + 1; } goto b; }
        thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    // 4096 steps after the first.
    assert_eq!((state.exclusive, global(&naive, &state, "x").as_str()), (Some(0), "6"));
    let summary = explore(&naive, 100);
    assert!(summary.complete && summary.deadlocks == 0);
}

#[test]
fn calls_and_handlers_inside_count_by_where_the_thread_is() {
    let program = program(
        "program p; throwable record E {} global int x; function f() { local E e;
          loc a atomic: do { x := 1; } goto b; loc b: do { x := 2; } goto c; loc c: do { e := new E; throw e; } return; }
        thread T() { local E e; catch E e at a goto h;
          loc a: call f() resume r; resume r of a return;
          loc h atomic: do { x := x + 10; } goto i; loc i: return; } active T;",
    );
    let naive = Naive::new(&program);
    let values: Vec<_> = (1..=3).map(|n| global(&naive, &schedule(&naive, &vec![0; n]), "x")).collect();
    assert_eq!(values, ["1", "2", "12"]);
}

#[test]
fn a_block_covers_the_functions_it_calls() {
    let text = |atomic: &str| {
        format!(
            "program p; global int x; function f() {{
              loc a: do {{ x := x + 1; }} goto b; loc b: do {{ x := x + 1; }} return; }}
            thread T() {{
              loc a: call f() resume r;
              resume r {atomic} of a goto b;
              loc b: do {{ x := x * 10; }} return;
            }} thread U() {{ loc a: return; }} active T, U;"
        )
    };
    // With the call and both statements of the function in one step, up to where the block ends.
    let values = |atomic: &str, steps: usize| {
        let program = program(&text(atomic));
        let naive = Naive::new(&program);
        global(&naive, &schedule(&naive, &vec![0; steps]), "x")
    };
    assert_eq!([1, 2].map(|steps| values("atomic", steps)), ["2", "20"]);
    assert_eq!([1, 2, 3, 4].map(|steps| values("", steps)), ["0", "1", "2", "20"]);
}

#[test]
fn a_choice_in_a_function_that_a_block_calls_is_exclusive() {
    let program = program(
        "program p; global int x; function f() { loc a: do { x := 1; } return; do { x := 2; } return; }
        thread T() { loc a: call f() resume r; resume r atomic of a return; }
        thread U() { loc a: return; } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(state.exclusive, Some(0));
    assert!(!can_step(&naive, &state, 1));
}
