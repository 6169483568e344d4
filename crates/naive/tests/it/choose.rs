//! Choosing an element is a choice point.

use super::*;

/// What `x` is after each of the steps of `x := choose expr`, with the choice's number.
fn choices(ty: &str, expr: &str) -> Vec<(u32, String)> {
    let program = program(&format!(
        "program p; abstract enum Id {{ a, b, c }} enum Color {{ red, green }} global {ty} x; thread T() {{
          loc l0: do {{ x := choose {expr}; }} return; }} active T;"
    ));
    let naive = Naive::new(&program);
    let steps = naive.steps(&naive.initial()).0;
    let value = |step: Step| global(&naive, &naive.fire(&naive.initial(), step).unwrap(), "x");
    let found = steps.iter().map(|&step| (step.choice, value(step))).collect();
    let beyond = Step { choice: steps.len() as u32, ..steps[0] };
    assert_eq!(naive.fire(&naive.initial(), beyond), Err(Stopped::NotEnabled));
    found
}

#[test]
fn elements_are_chosen_in_order() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("int", "Set<int>(3, -1, 2)", &["-1", "2", "3"]),
        ("int", "Set<int>(3)", &["3"]),
        ("boolean", "Set<boolean>(true, false)", &["false", "true"]),
        ("Color", "all Color", &["red", "green"]),
        ("Id", "(all Id).add(null)", &["null", "a", "b", "c"]),
        ("string", "Set<string>(\"b\", \"a\", null)", &["null", "\"b\"", "\"a\""]),
        // Each distinct element of a bag once, each position of a sequence or queue.
        ("int", "Bag<int>(3, 1, 3)", &["1", "3"]),
        ("int", "Seq<int>(3, 1, 3)", &["3", "1", "3"]),
        ("int", "Queue<int>(5, 3, 1, 3)", &["3", "1", "3"]),
        ("int", "Map<int, boolean>(3, true, 1, false)", &["1", "3"]),
        // Smaller ones first, then by their elements.
        (
            "Set<int>",
            "Set<Set<int>>(Set<int>(1, 2), Set<int>(5), Set<int>(1, 0))",
            &["{5}", "{0, 1}", "{1, 2}"],
        ),
        (
            "Bag<int>",
            "Set<Bag<int>>(Bag<int>(1, 2), Bag<int>(5, 5, 5), Bag<int>(1, 1, 0))",
            &["{5: 3}", "{0: 1, 1: 2}", "{1: 1, 2: 1}"],
        ),
        (
            "Map<int, int>",
            "Set<Map<int, int>>(Map<int, int>(1, 2, 2, 0), Map<int, int>(1, 1, 3, 0), Map<int, int>(9, 9))",
            &["{9 -> 9}", "{1 -> 1, 3 -> 0}", "{1 -> 2, 2 -> 0}"],
        ),
        (
            "Seq<int>",
            "Set<Seq<int>>(Seq<int>(1, 2), Seq<int>(5), Seq<int>(1, 0))",
            &["[5]", "[1, 0]", "[1, 2]"],
        ),
        (
            "Queue<int>",
            "Set<Queue<int>>(Queue<int>(3), Queue<int>(2, 1, 0), Queue<int>(2, 7))",
            &["[7] (1 of 2)", "[1, 0] (2 of 2)", "[] (0 of 3)"],
        ),
    ];
    for (ty, expr, expected) in cases {
        let expected = expected.iter().enumerate().map(|(at, value)| (at as u32, (*value).to_owned()));
        assert_eq!(choices(ty, expr), expected.collect::<Vec<_>>(), "{expr}");
    }
}

#[test]
fn objects_and_threads_are_chosen_by_id() {
    let program = program(
        "program p; record R {} global R x; global tid t; thread C() { loc l: return; }
        thread T() { local R a; local R b; local tid c; local tid d;
          loc l0: do { a := new R; b := new R; c := start C(); d := start C(); } goto l1;
          loc l1: do { x := choose Set<R>(b, null, a); t := choose Set<tid>(d, null, c); } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    let steps = naive.steps(&state).0;
    let own = steps.iter().filter(|step| step.thread == 0);
    let chosen = own.map(|&step| {
        let next = naive.fire(&state, step).unwrap();
        ["x", "t"].map(|name| global(&naive, &next, name)).join(" ")
    });
    let expected = ["null", "C#1", "C#2"].map(|t| ["null", "R#1", "R#2"].map(|x| format!("{x} {t}")));
    assert_eq!(chosen.collect::<Vec<_>>(), expected.concat());
}

#[test]
fn choices_are_digits_even_of_one() {
    // The second point has one alternative or two, by what was chosen at the first; obstacles leave gaps.
    let program = program(
        "program p; global int x; global int y; global int z; thread T() {
          loc l0: do { x := choose Set<int>(1, 2, 3); y := choose x == 2 ? Set<int>(7) : Set<int>(8, 9);
            assume y != 8; z := choose Seq<int>(x, y); } return; } active T;",
    );
    let naive = Naive::new(&program);
    let steps = naive.steps(&naive.initial()).0;
    let chosen = steps.iter().map(|&step| {
        let state = naive.fire(&naive.initial(), step).unwrap();
        (step.choice, ["x", "y", "z"].map(|name| global(&naive, &state, name)).join(" "))
    });
    // d0 + 3 * (d1 + 2 * d2), where x is not 2, and 1 + 3 * (0 + 1 * d2), where it is.
    let expected = [(1, "2 7 2"), (3, "1 9 1"), (4, "2 7 7"), (5, "3 9 3"), (9, "1 9 9"), (11, "3 9 9")];
    assert_eq!(chosen.collect::<Vec<_>>(), expected.map(|(choice, values)| (choice, values.to_owned())));
    for choice in (0..14).filter(|choice| expected.iter().all(|(other, _)| other != choice)) {
        assert_eq!(
            naive.fire(&naive.initial(), Step { choice, ..steps[0] }),
            Err(Stopped::NotEnabled),
            "{choice}"
        );
    }
}

/// The fault of the only step, and where it is.
fn fault_of(action: &str) -> (FaultKind, String, String) {
    let text = format!(
        "program p; record R {{ int f; }} global R r; global int (0, 3) x; global Set<int> s; global int zero;
        thread T() {{ loc l0: do {{ {action}; }} return; }} active T;"
    );
    let program = program(&text);
    let Err(Stopped::Fault(fault)) = run(&Naive::new(&program)) else { panic!("{action}") };
    (fault.kind, excerpt(&text, fault.span).to_owned(), fault.message)
}

#[test]
fn faults_of_choosing() {
    use FaultKind::*;
    for (action, kind, at, message) in [
        ("x := choose s", Empty, "x := choose s", "`s` is empty"),
        ("x := choose s.add(7)", Range, "x", "value 7 outside of the range 0..3 of `x`"),
        ("r.f := choose s.add(7)", NullDereference, "r.f", "`r` is null"),
        // The operands of the place, those of the choice, the choice, the place.
        ("r.f := choose s", Empty, "r.f := choose s", "`s` is empty"),
        ("r.f := choose s.add(1 / zero)", DivisionByZero, "1 / zero", "division by zero in `1 / zero`"),
    ] {
        assert_eq!(fault_of(action), (kind, at.to_owned(), message.to_owned()), "{action}");
    }
}

#[test]
fn some_choices_fault_and_others_do_not() {
    let program = program(
        "program p; global int (0, 2) x; thread T() { loc l0: do { x := choose Seq<int>(5, 1, 4, 2); } return; } active T;",
    );
    let naive = Naive::new(&program);
    let summary = explore(&naive, 10);
    assert_eq!((summary.states, summary.transitions), (3, 4));
    assert_eq!(summary.faults.into_values().collect::<Vec<_>>(), [2]);
}

#[test]
fn choosing_inside_of_a_block() {
    let text = |set: &str| {
        format!(
            "program p; global int x; thread T() {{ loc a: goto b; loc b atomic: do {{ x := choose {set}; }} goto c;
            loc c: return; }} thread U() {{ loc a: return; }} active T, U;"
        )
    };
    // One of several elements must be chosen by a step; a single one is no reason to stop.
    let (two, one) = (program(&text("Set<int>(1, 2)")), program(&text("Set<int>(1)")));
    assert_eq!(schedule(&Naive::new(&two), &[0]).exclusive, Some(0));
    let naive = Naive::new(&one);
    let state = schedule(&naive, &[0]);
    assert_eq!((state.exclusive, global(&naive, &state, "x").as_str()), (None, "1"));
}

#[test]
fn too_many_choices_exceed_the_bound_on_threads() {
    let text = |points: usize| {
        let choose = "x := choose s; ".repeat(points);
        format!(
            "program p; global int x; global Set<int> s; thread T() {{
            loc a: do {{ s := Set<int>(0, 1, 2, 3); {choose} }} return; }} active T;"
        )
    };
    let (most, more) = (program(&text(8)), program(&text(9)));
    assert_eq!(Naive::new(&most).steps(&Naive::new(&most).initial()).0.len(), ir::MAX_CHOICES as usize);
    let naive = Naive::new(&more);
    let steps = naive.steps(&naive.initial()).0;
    assert_eq!(steps, [Step { thread: 0, transition: 0, choice: ir::TOO_MANY_CHOICES }]);
    assert_eq!(naive.fire(&naive.initial(), steps[0]), Err(Stopped::Truncated(Bound::Threads)));
    let strict = Naive { on_bound: OnBound::Fault, ..naive };
    let Err(Stopped::Fault(fault)) = strict.fire(&strict.initial(), steps[0]) else { panic!() };
    assert_eq!(fault.message, "more than 65536 ways to choose");
}
