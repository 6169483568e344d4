//! Threads that start, end and look at each other.

use super::*;

#[test]
fn the_youngest_ends_first_and_numbers_are_used_again() {
    let program = processes(
        "global byte n; global byte c; channel main [1] { byte }; channel own [1] { byte }; channels main;
        thread T() {
          loc a: t0: do { n := start U(5); } goto b; loc b: t1: do { n := start U(6); } goto c;
          loc c: t2: do { n := start U(7); } goto d; loc d end:
        }
        thread U(byte v) { local byte mine;
          channels own;
          prologue { mine := channel(own); c := mine; }
          loc a: t3: do { send(mine, v); } goto b;
          loc b: t4: when youngest() return;
        }
        active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0, 0]);
    assert_eq!((global(&naive, &state, "n"), global(&naive, &state, "c")), ("2".into(), "3".into()));
    assert_eq!(state.channels[&3].owner, Some(2));
    // Thread 1 must wait for 2, which goes with its channel.
    let state = schedule(&naive, &[0, 0, 1]);
    assert_eq!(messages(&state, 2), [[5]]);
    assert_eq!(steps(&naive, &state), [(0, 2, 0), (2, 3, 0)]);
    let state = schedule(&naive, &[0, 0, 1, 2, 2]);
    assert_eq!(state.threads.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(state.channels.keys().copied().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(steps(&naive, &state), [(0, 2, 0), (1, 4, 0)]);
    let state = fire(&naive, &state, (0, 2, 0));
    assert_eq!((global(&naive, &state, "n"), global(&naive, &state, "c")), ("2".into(), "3".into()));
    assert!(messages(&state, 3).is_empty());
    assert_eq!(state.threads[&2].frames[0].locals[0], Value::Int(7));
}

#[test]
fn too_many_threads_exceed_the_bound() {
    let program = processes("thread T() { loc a: do { start T(); } goto a; } active T;");
    let naive = Naive { bounds: Bounds { threads: 3, ..Bounds::default() }, ..Naive::new(&program) };
    let summary = explore(&naive, 100);
    assert_eq!((summary.states, summary.truncations[&Bound::Threads]), (3, 3));
}

#[test]
fn prologues_make_the_initial_state() {
    let program = processes(
        "channel q [1] { byte }; channel r [2] { byte }; channels q, r; global byte a[3]; global byte x = 1; global byte n;
        prologue { a[1] := channel(r); x := x + a[1]; x := 1 / a[0]; a[2] := x; }
        thread T(byte p) { local byte own = 4; prologue { own := own + thread(); n := n + own + p; } loc a end: }
        active T, T;",
    );
    let naive = Naive::new(&program);
    let state = naive.initial();
    // The division ends the prologue, and is a soft_fault of the initial state.
    assert_eq!(state.soft_fault().map(|soft_fault| soft_fault.kind), Some(FaultKind::DivisionByZero));
    assert_eq!(global(&naive, &state, "a"), "[0, 2, 0]");
    assert_eq!((global(&naive, &state, "x"), global(&naive, &state, "n")), ("3".into(), "9".into()));
}

#[test]
fn a_fault_of_a_prologue_is_one_of_the_start() {
    let program = processes(
        "global byte x; thread T() { loc a: t0: do { start U(); } goto b; loc b end: }
        thread U() { local byte y; prologue { y := 1 / x; } loc a end: } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(fault(&naive, &naive.initial(), (0, 0, 0)), FaultKind::DivisionByZero);
}

#[test]
fn threads_step_only_where_they_are_provided_to() {
    let program = processes(
        "global byte x;
        thread T() provided x == thread() { loc a: t0: do { x := x + 1; } goto b; loc b end: }
        thread U() provided 1 / x == 1 { loc a: t1: goto b; loc b end: }
        active T, T, U;",
    );
    let naive = Naive::new(&program);
    let (enabled, faults) = naive.steps(&naive.initial());
    assert_eq!(enabled, [Step { thread: 0, transition: 0, choice: 0 }]);
    assert_eq!(
        (faults[0].0.thread, faults[0].0.transition, faults[0].1.kind),
        (2, 1, FaultKind::DivisionByZero)
    );
    assert_eq!(steps(&naive, &schedule(&naive, &[0])), [(1, 0, 0), (2, 1, 0)]);
}

#[test]
fn threads_look_at_each_other() {
    let holds = |condition: &str| {
        let program = processes(&format!(
            "global boolean b; channel q [0] {{ byte }}; channels q;
            thread T() {{ loc a: do {{ b := {condition}; }} goto b; loc b end: }}
            thread U() priority 1 {{ local byte x = 3; local byte y[2] = 4; local boolean z = true;
              loc a number 17: when false goto b; loc b number 18: return; }}
            thread V() provided false {{ loc a: goto a; }}
            thread W() {{ loc a: do {{ receive(channel(q), *); }} goto a; }}
            active T, U, V, W, U;"
        ));
        let naive = Naive::new(&program);
        let state = naive.initial();
        let next = fire(&naive, &state, (0, 0, 0));
        global(&naive, &next, "b") == "true"
    };
    assert!(holds("thread() == 0 && threads() == 5"));
    assert!(holds("first(U) == 1 && first(T) == 0 && first(W) == 3"));
    assert!(holds("at(1, U, b, a) && !at(1, U, b) && !at(2, U, a) && !at(9, U, a) && !at(0 - 1, U, a)"));
    assert!(holds("of(4, U, x) == 3 && of(2, U, x) == 0 && of(7, U, x) == 0"));
    assert!(holds("of(1, U, y[1]) == 4 && of(2, U, y[9]) == 0 && of(1, U, z) && !of(2, U, z)"));
    assert!(holds("location(1) == 17 && location(9) == 0"));
    assert!(holds("priority(1) == 1 && priority(9) == 0"));
    // Whether it is provided does not matter.
    assert!(holds("!enabled(1) && enabled(2) && !enabled(3) && !enabled(9)"));
    assert!(!holds("youngest()"));
}

#[test]
fn whoever_is_asked_does_not_ask_back() {
    let program = processes(
        "thread T() { loc a: t0: when enabled(1) goto b; loc b end: }
        thread U() { loc a: t1: when enabled(0) goto b; t2: when enabled(2) goto b; loc b end: }
        thread V() { loc a: t3: when 1 / (thread() - 2) == 0 goto b; loc b end: }
        thread W() { loc a: t4: when enabled(2) goto b; loc b end: } active T, U, V, W;",
    );
    let naive = Naive::new(&program);
    // V faults, which is to be able to do something.
    let (enabled, faults) = naive.steps(&naive.initial());
    let enabled: Vec<_> = enabled.iter().map(|step| (step.thread, step.transition)).collect();
    assert_eq!((enabled, faults.len()), (vec![(1, 2), (3, 4)], 1));
}

#[test]
fn the_last_thread_is_part_of_the_state_if_it_is_remembered() {
    let text = |condition: &str| {
        processes(&format!(
            "thread T() {{ loc a: goto b; loc b: when {condition} goto c; loc c end: }} active T, T;"
        ))
    };
    let (asking, silent) = (text("last() == 0"), text("false"));
    let (asking, silent) = (Naive::new(&asking), Naive::new(&silent));
    assert_eq!((asking.initial().last, silent.initial().last), (Some(0), None));
    assert_ne!(schedule(&asking, &[0, 1]), schedule(&asking, &[1, 0]));
    assert_eq!(schedule(&silent, &[0, 1]), schedule(&silent, &[1, 0]));
    assert_eq!(steps(&asking, &schedule(&asking, &[0, 1])), []);
    assert_eq!(steps(&asking, &schedule(&asking, &[1, 0])), [(0, 1, 0), (1, 1, 0)]);
}

#[test]
fn threads_may_stay_at_end_locations() {
    let program =
        processes("global byte x; thread T() { loc a: goto b; loc b end: when x == 1 goto b; } active T;");
    let naive = Naive::new(&program);
    assert!(!naive.deadlocked(&naive.initial()) && !naive.ended(&naive.initial()));
    let state = schedule(&naive, &[0]);
    assert!(naive.ended(&state) && !naive.deadlocked(&state));
}
