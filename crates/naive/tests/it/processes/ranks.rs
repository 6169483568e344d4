//! Ranks, exclusive transitions, fused locations and timeouts.

use super::*;

/// The transitions of one thread that can be taken first.
fn first_steps(transitions: &str) -> (Vec<u32>, usize) {
    let program = processes(&format!(
        "global byte x; channel q [1] {{ byte }}; channels q; thread T() {{ loc a: {transitions} }} active T;"
    ));
    let naive = Naive::new(&program);
    let (enabled, faults) = naive.steps(&naive.initial());
    (enabled.iter().map(|step| step.transition).collect(), faults.len())
}

#[test]
fn the_least_rank_is_enabled() {
    assert_eq!(first_steps("rank 1 goto a; rank 0 goto a; rank 1 goto a; rank 0 goto a;"), (vec![1, 3], 0));
    assert_eq!(first_steps("rank 1 goto a; when x == 1 rank 0 goto a;"), (vec![0], 0));
    assert_eq!(first_steps("rank 1 goto a; rank 0 do { receive(channel(q), *); } goto a;"), (vec![0], 0));
    // A guard that faults counts as one of its rank.
    assert_eq!(first_steps("rank 1 goto a; when 1 / x == 1 rank 0 goto a;"), (vec![], 1));
    assert_eq!(first_steps("rank 0 goto a; when 1 / x == 1 rank 1 goto a;"), (vec![0], 0));
    // And so does a message that cannot be evaluated, but not a pattern without a message to compare it with.
    assert_eq!(first_steps("rank 1 goto a; rank 0 do { send(9, 1); } goto a;"), (vec![], 1));
    assert_eq!(first_steps("else goto a; do { receive(channel(q), 1 / x); } goto a;"), (vec![0], 0));
}

#[test]
fn else_looks_at_its_own_rank_and_lesser_ones() {
    assert_eq!(first_steps("when x == 1 rank 0 goto a; else rank 0 goto a; rank 1 goto a;"), (vec![1], 0));
    assert_eq!(first_steps("when x == 1 rank 0 goto a; rank 1 goto a; else rank 1 goto a;"), (vec![1], 0));
    assert_eq!(first_steps("rank 0 goto a; else rank 1 goto a;"), (vec![0], 0));
    let both =
        "when x == 1 rank 0 goto a; else rank 0 goto a; when x == 0 rank 1 goto a; else rank 1 goto a;";
    assert_eq!(first_steps(both), (vec![1], 0));
    let later = "when x == 1 rank 0 goto a; when x == 2 rank 1 goto a; else rank 1 goto a;";
    assert_eq!(first_steps(later), (vec![2], 0));
}

#[test]
fn the_floor_is_kept_as_long_as_the_thread_can_step() {
    let program = processes(
        "global byte x; channel q [1] { byte }; channels q;
        thread T() {
          loc a: t0: exclusive do { x := 1; } goto b;
          loc b: t1: exclusive do { x := 2; } goto c; t2: do { x := 4; } goto d;
          loc c: t3: exclusive do { receive(channel(q), *); } goto d;
          loc d: t4: exclusive goto e;
          loc e end:
        }
        thread U() { loc a: t5: do { send(channel(q), 1); } goto b; loc b end: }
        active T, U;",
    );
    let naive = Naive::new(&program);
    let state = fire(&naive, &naive.initial(), (0, 0, 0));
    assert_eq!((steps(&naive, &state), naive.is_transient(&state)), (vec![(0, 1, 0), (0, 2, 0)], true));
    let step = Step { thread: 1, transition: 5, choice: 0 };
    assert_eq!(naive.fire(&state, step), Err(Stopped::NotEnabled));
    // Blocked: others run, and the floor comes back only by a step of its own.
    let state = fire(&naive, &state, (0, 1, 0));
    assert_eq!((steps(&naive, &state), naive.is_transient(&state)), (vec![(1, 5, 0)], false));
    let state = fire(&naive, &state, (1, 5, 0));
    assert!(!naive.is_transient(&state));
    let state = fire(&naive, &state, (0, 3, 0));
    assert!(naive.is_transient(&state));
    assert!(!naive.is_transient(&fire(&naive, &state, (0, 4, 0))));
    // Where T and U are, and whether there is a message: aa, ca, da, ab1, cb1, ea, db1, eb1 with x = 4, eb
    // with x = 2. Of the steps to them, 3 start in aa, 2 in ab1 (where T runs to its end) and in da, one in
    // the others but the ends.
    let summary = explore(&naive, 100);
    assert_eq!((summary.states, summary.transitions, summary.deadlocks), (9, 11, 0));
}

#[test]
fn a_guard_that_faults_keeps_the_floor() {
    let program = processes(
        "global byte x; thread T() { loc a: exclusive goto b; loc b: when 1 / x == 1 goto a; }
        thread U() { loc a: do { x := 1; } goto b; loc b end: } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert!(naive.is_transient(&state));
    let (enabled, faults) = naive.steps(&state);
    assert_eq!((enabled.len(), faults.len(), faults[0].1.kind), (0, 1, FaultKind::DivisionByZero));
}

#[test]
fn fused_locations_are_passed_at_once() {
    let program = processes(
        "global byte x; global byte y;
        thread T(byte n) {
          loc a: t0: ready b goto b;
          loc b fused: t1: when x == 5 do { y := 1; } goto c; t2: else do { y := 2; } goto c; t3: when x < 5 rank 3 do { y := 3; x := x + 1; } goto b;
          loc c fused: t4: when y == 2 do { y := 9; } goto d; t5: when true goto a; t6: goto a;
          loc d end:
        }
        active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(steps(&naive, &naive.initial()), [(0, 0, 0)]);
    // x goes to 5, then y to 1, then by the first transition of c that is enabled.
    let state = schedule(&naive, &[0]);
    assert_eq!(
        (at(&naive, &state, 0), global(&naive, &state, "x"), global(&naive, &state, "y")),
        ("a", "5".into(), "1".into())
    );
    assert_eq!(explore(&naive, 10).states, 2);
}

#[test]
fn fused_locations_must_not_block() {
    let program = processes(
        "global byte x; channel q [0] { byte }; channels q;
        thread T() { loc a: t0: do { x := 1; } goto b; loc b fused: t1: when x == 0 goto a; t2: do { send(channel(q), 1); } goto a; }
        thread R() { loc a: t3: do { receive(channel(q), *); } goto b; loc b end: }
        thread W() { loc a: t4: ready b goto b; t5: ready c goto c;
          loc b fused: t6: do { send(channel(q), 1); } goto a; t7: when x == 2 goto a;
          loc c fused: t8: when x == 2 goto a; t9: else goto a; }
        active T, R, W;",
    );
    let naive = Naive::new(&program);
    // No thread is met there: it is a fault to try.
    assert_eq!(steps(&naive, &naive.initial()), [(0, 0, 0), (2, 4, 0), (2, 5, 0)]);
    for (thread, transition) in [(0, 0), (2, 4)] {
        let Err(Stopped::Fault(fault)) = naive.fire(&naive.initial(), Step { thread, transition, choice: 0 })
        else {
            panic!("nothing is possible in b")
        };
        assert_eq!(fault.kind, FaultKind::InnerBlock);
    }
}

#[test]
fn timeouts_are_for_when_nobody_can_step() {
    let program = processes(
        "global byte x;
        thread T() { loc a: t0: when x == 1 goto b; t1: when timeout() do { x := 3; } goto b; loc b end: }
        thread U() { loc a: t2: do { x := 2; } goto b; loc b: t3: when timeout() && x == 2 exclusive do { x := 1; } goto c;
          loc c: t4: when timeout() goto d; loc d end: }
        active T, U;",
    );
    let naive = Naive::new(&program);
    assert_eq!(steps(&naive, &naive.initial()), [(1, 2, 0)]);
    let state = schedule(&naive, &[1]);
    assert_eq!(steps(&naive, &state), [(0, 1, 0), (1, 3, 0)]);
    // A thread that has no step without timeout does not become exclusive.
    let state = fire(&naive, &state, (1, 3, 0));
    assert!(!naive.is_transient(&state));
    assert_eq!(steps(&naive, &state), [(0, 0, 0)]);
    assert_eq!(steps(&naive, &schedule(&naive, &[1, 1, 0])), [(1, 4, 0)]);
}

#[test]
fn checks_are_flaws_of_a_step_that_leads_on() {
    let program = processes(
        "global byte x;
        thread T() { loc a: t0: do { check(x == 1); check(x == 2); x := 1; } goto b; loc b: t1: do { check(x == 1); } goto c; loc c end: }
        active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    let soft_fault = state.soft_fault().unwrap();
    let first = program.transitions[ir::TransitionId(0)].body[0].span;
    assert_eq!((soft_fault.kind, soft_fault.span), (FaultKind::Assertion, first));
    assert_eq!(schedule(&naive, &[0, 0]).soft_fault(), None);
    let summary = explore(&naive, 10);
    assert_eq!((summary.states, summary.transitions, summary.faults.values().sum::<usize>()), (3, 2, 1));
}
