//! What people are told about a step: what it read and stored, and why a thread cannot move.

use super::*;

/// The parts that make an invariant false, in the state after one step.
fn parts(declarations: &str, body: &str, invariant: &str) -> Vec<String> {
    let program = program(&format!(
        "program p; {declarations} thread T() {{ loc a: do {{ {body} }} goto b; loc b end: }} active T;
        invariant I = {invariant};"
    ));
    let naive = Naive::new(&program);
    match naive.check(&schedule(&naive, &[0])) {
        Err(Stopped::Fault(fault)) => {
            fault.parts.iter().map(|part| format!("{} = {}", part.text, part.value)).collect()
        }
        other => panic!("{invariant}: {other:?}"),
    }
}

#[test]
fn the_parts_that_decide() {
    let declarations = "record R { int f; R next; } global int x; global int y = 1; global R r; global Set<int> s;
        fun low(int v, int bound) returns boolean = v < bound;
        fun ordered(R n) returns boolean = n == null || n.next == null || n.f <= n.next.f && ordered(n.next);";
    let body = "x := 2; s := Set<int>(1, 5, 7); r := new R; r.f := 3; r.next := new R; r.next.f := 1;";
    for (invariant, expected) in [
        ("x == 2 => y == 2", &["x = 2", "y = 1"][..]),
        // Operands that do not decide are left out.
        ("x == 3 && y == 1", &["x = 2"]),
        ("y == 1 && x == 3", &["x = 2"]),
        ("x == 3 || y == 3", &["x = 2", "y = 1"]),
        ("!(x == 2 || y == 7)", &["x = 2"]),
        ("(x > 1 ? y : x) == 5", &["x = 2", "y = 1"]),
        ("x + y * 2 == x", &["x = 2", "y = 1"]),
        ("r.next.f == r.f", &["r.next.f = 1", "r.f = 3"]),
        ("s.contains(x)", &["Set.contains(s, x) = false", "s = {1, 5, 7}", "x = 2"]),
        // A quantifier has a witness, or there is none.
        ("forall(s, low, x)", &["v = 5", "bound = 2"]),
        ("exists(s, low, y)", &["s = {1, 5, 7}"]),
        ("!exists(s, low, x)", &["v = 1", "bound = 2"]),
        (
            "ordered(r)",
            &["ordered(r) = false", "r = R#1", "n = R#1", "n.next = R#2", "n.f = 3", "n.next.f = 1"],
        ),
    ] {
        assert_eq!(parts(declarations, body, invariant), expected, "{invariant}");
    }
}

#[test]
fn long_and_deep_conditions() {
    let long = (0..250).map(|n| format!("x != {n}")).collect::<Vec<_>>().join(" && ");
    assert_eq!(parts("global int x;", "x := 4;", &long), ["x = 4"]);
    // What is nested too deeply is not explained.
    let deep = (0..250).fold("x == 0".to_owned(), |deep, _| format!("(true => {deep})"));
    assert_eq!(parts("global int x;", "x := 4;", &deep), [""; 0]);
}

/// The name under which a part is among the changes of a step.
#[test]
fn parts_have_the_names_of_what_they_read() {
    let program = program(
        "program p; record R { int f; } global R r; thread T() { local int n; local int mine;
          loc a: do { r := new R; } goto b;
          loc b: when r.f == mine && n == 0 do { r.f := 1; } goto c;
          loc c end: } active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    let Fired { events, .. } = naive.fire_recorded(&state, naive.steps(&state).0[0]);
    let names: Vec<_> = events.statements[0].parts.iter().map(|part| part.name.clone()).collect();
    assert_eq!(names, ["R#1.f", "T#1.mine", "T#1.n"].map(|name| Some(name.to_owned())));
    assert_eq!(events.stored.keys().collect::<Vec<_>>(), ["R#1.f"]);
}

#[test]
fn stores_are_recorded_even_if_they_change_nothing() {
    let program = program(
        "program p; record R { int f; } global R r; global int x; synthetic global int hidden;
        thread T() { local int seen; local int[] a;
          loc a: do { seen := x; hidden := 1; a := new int[2]; a[1] := 0; r := new R; r.f := 4; } goto b;
          loc b end: } active T;",
    );
    let naive = Naive::new(&program);
    let state = naive.initial();
    let Fired { events, .. } = naive.fire_recorded(&state, naive.steps(&state).0[0]);
    let stored: Vec<_> = events.stored.iter().map(|(what, value)| format!("{what} = {value}")).collect();
    let expected = ["R#1.f = 4", "T#1.a = int[]#1", "T#1.seen = 0", "int[]#1[1] = 0", "r = R#1"];
    assert_eq!(stored, expected);
}

#[test]
fn the_statements_of_an_atomic_block() {
    let program = program(
        "program p; global int x; thread T() {
          loc a: t0: do { x := 1; } goto b;
          loc b atomic: t1: when x == 1 do { x := 2; } goto c;
          loc c atomic: t2: do { x := 3; } goto d;
          loc d end: } active T;",
    );
    let naive = Naive::new(&program);
    let state = naive.initial();
    let Fired { events, .. } = naive.fire_recorded(&state, naive.steps(&state).0[0]);
    assert_eq!(events.statements.iter().map(|taken| taken.transition.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(events.statements[1].parts[0].text, "x");
}

/// What the threads of a state wait for.
fn obstacles(naive: &Naive<'_>, state: &State, thread: u32) -> Vec<Obstacle> {
    naive.obstacles(state, thread).into_iter().map(|(_, obstacle)| obstacle).collect()
}

#[test]
fn locks_and_notifications_that_threads_wait_for() {
    let program = program(
        "program p; global lock l; thread M() { loc a: do { l := new lock; lock(l); } goto b; loc b: do { unlock(l); } goto c; loc c end: }
        thread T() { loc a: when l != null do { lock(l); } goto b; loc b: do { wait(l); } goto c; loc c: do { unwait(l); } goto d;
          loc d end: }
        active M, T;",
    );
    let naive = Naive::new(&program);
    let condition = &obstacles(&naive, &naive.initial(), 1)[0];
    let Obstacle::Condition { text, parts, .. } = condition else { panic!("{condition:?}") };
    assert_eq!((text.as_str(), parts[0].text.as_str(), &parts[0].value), ("l != null", "l", &Datum::Null));
    let lock = "lock#1".to_owned();
    let held = obstacles(&naive, &schedule(&naive, &[0]), 1);
    assert_eq!(held, [Obstacle::Lock { lock: lock.clone(), owner: 0 }]);
    assert_eq!(held[0].thread(), Some(0));
    let waiting = obstacles(&naive, &schedule(&naive, &[0, 0, 1, 1]), 1);
    assert_eq!(waiting, [Obstacle::Notification { lock, owner: None }]);
    // A thread that can move has no obstacles.
    assert_eq!(obstacles(&naive, &schedule(&naive, &[0, 0]), 1), []);
}
