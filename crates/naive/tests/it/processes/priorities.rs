//! Priorities.

use super::*;

#[test]
fn only_the_greatest_priority_that_can_step_steps() {
    let program = processes(
        "global byte x; global byte p;
        thread T() { loc a: t0: do { start U() priority 7; p := priority(2); } goto b; loc b end: t1: goto b; }
        thread U() priority 4 { loc a: t2: do { x := x + 1; } goto b; loc b: t3: when x == 9 goto c; loc c end: }
        active T, U;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    assert_eq!(steps(&naive, &initial), [(1, 2, 0)]);
    // Blocked threads let others run.
    let state = schedule(&naive, &[1]);
    assert_eq!(steps(&naive, &state), [(0, 0, 0)]);
    let state = fire(&naive, &state, (0, 0, 0));
    assert_eq!(global(&naive, &state, "p"), "7");
    assert_eq!(steps(&naive, &state), [(2, 2, 0)]);
}

#[test]
fn priorities_are_set() {
    let program = processes(
        "thread T() {
          loc a: t0: do { priority(1, 2); } goto b; t1: do { priority(9, 3); } goto a; t2: do { priority(0, 256); } goto a;
            t3: do { priority(1, 0); } goto a;
          loc b end: t4: goto b;
        }
        thread U() { loc a: t5: do { priority(thread(), 1); } goto b; loc b end: } active T, U;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    assert_eq!(steps(&naive, &initial).len(), 5);
    let state = fire(&naive, &initial, (0, 0, 0));
    assert_eq!((state.threads[&1].priority, steps(&naive, &state)), (2, vec![(1, 5, 0)]));
    assert_eq!(steps(&naive, &fire(&naive, &state, (1, 5, 0))), [(0, 4, 0)]);
    assert_eq!(fire(&naive, &initial, (0, 1, 0)), initial);
    assert_eq!(fault(&naive, &initial, (0, 2, 0)), FaultKind::Range);
    assert_eq!(fault(&naive, &initial, (0, 3, 0)), FaultKind::Range);
}

#[test]
fn whoever_is_overtaken_does_not_get_the_floor() {
    let program = processes(
        "thread T() { loc a: t0: exclusive do { priority(1, 2); } goto b; loc b: t1: goto c; loc c end: }
        thread U() { loc a: t2: goto b; loc b end: } active T, U;",
    );
    let naive = Naive::new(&program);
    let state = fire(&naive, &naive.initial(), (0, 0, 0));
    assert_eq!((state.exclusive, steps(&naive, &state)), (None, vec![(1, 2, 0)]));
}
