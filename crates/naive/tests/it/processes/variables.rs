//! Arrays, wrapped values, untracked variables.

use super::*;

#[test]
fn elements_have_an_index_per_dimension() {
    let program = processes(
        "global byte a[2][3] = 1; global byte x;
        thread T() { local int b[2] = 5;
          loc a: t0: do { a[1][2] := 8; b[1] := b[0] + a[0][1]; x := b[1]; a[x - 6][0] := 9; } goto b;
            t1: do { a[0][3] := 1; } goto b; t2: do { x := a[2][9]; } goto b; t3: do { b[0 - 1] := 0; } goto b;
            t4: do { a[1 / x][7] := 1; } goto b;
          loc b end:
        } active T;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    let state = fire(&naive, &initial, (0, 0, 0));
    assert_eq!(
        (global(&naive, &state, "a"), global(&naive, &state, "x")),
        ("[9, 1, 1, 1, 1, 8]".into(), "6".into())
    );
    for transition in 1..4 {
        assert_eq!(fault(&naive, &initial, (0, transition, 0)), FaultKind::Index, "{transition}");
    }
    assert_eq!(fault(&naive, &initial, (0, 4, 0)), FaultKind::DivisionByZero);
    let Err(Stopped::Fault(fault)) = naive.fire(&initial, Step { thread: 0, transition: 2, choice: 0 })
    else {
        panic!("2 is no index")
    };
    assert_eq!(fault.message, "index 2 outside of `a` of length 2");
}

#[test]
fn values_wrap_and_become_numbers() {
    let program = processes(
        "global int x; global int y; thread T() { loc a: do { x := (wrap(255 + 3) : byte); y := number(x == 2) + number(x == 3); }
          goto b; loc b end: } active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!((global(&naive, &state, "x"), global(&naive, &state, "y")), ("2".into(), "1".into()));
}

#[test]
fn states_that_differ_in_untracked_variables_are_the_same() {
    let program = processes(
        "untracked global byte t; untracked global byte u[2]; global byte x;
        thread T() { loc a: t0: do { t := 1; u[1] := 4; } goto b; t1: do { t := 2; } goto b; loc b end: t2: do { x := t; } goto b; }
        active T;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    let (one, two) = (fire(&naive, &initial, (0, 0, 0)), fire(&naive, &initial, (0, 1, 0)));
    assert_eq!(one, two);
    assert_eq!((global(&naive, &one, "t"), global(&naive, &two, "t")), ("1".into(), "2".into()));
    assert_eq!(global(&naive, &fire(&naive, &two, (0, 2, 0)), "x"), "2");
    assert_eq!(changes(&naive, &initial, &one), ["t: 0 → 1", "u[1]: 0 → 4"]);
}
