//! Integers, defaults, short circuits.

use super::*;

/// The value of an expression, or its fault.
fn value(declarations: &str, expr: &str) -> Result<String, FaultKind> {
    let text = format!(
        "program p; {declarations} global long result;
        thread T() {{ loc a: do {{ result := {expr}; }} return; }} active T;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    match run(&naive) {
        Ok(state) => Ok(global(&naive, &state, "result")),
        Err(Stopped::Fault(fault)) => Err(fault.kind),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn arithmetic() {
    for (expr, expected) in [
        ("7 / -2", Ok("-3")),
        ("-7 / 2", Ok("-3")),
        ("7 % -2", Ok("1")),
        ("-7 % 2", Ok("-1")),
        ("1 / 0", Err(FaultKind::DivisionByZero)),
        ("1 % 0", Err(FaultKind::DivisionByZero)),
        ("-9223372036854775808 / -1", Err(FaultKind::Range)),
        ("-9223372036854775808 % -1", Ok("0")),
        ("-(-9223372036854775808)", Err(FaultKind::Range)),
        ("9223372036854775807 + 1", Err(FaultKind::Range)),
        ("-9223372036854775808 - 1", Err(FaultKind::Range)),
        ("4611686018427387904 * 2", Err(FaultKind::Range)),
        // Integers are computed in 64 bits, whatever their type.
        ("2147483647 + 1", Ok("2147483648")),
        ("-(5)", Ok("-5")),
    ] {
        assert_eq!(value("", expr), expected.map(str::to_owned), "{expr}");
    }
}

#[test]
fn shifts() {
    let variables = "global int i = -8; global long l = -8; global int d = 31;";
    for (expr, expected) in [
        ("1 shl 31", Ok("2147483648")),
        ("1 shl 32", Err(FaultKind::Range)),
        ("1 shl -1", Err(FaultKind::Range)),
        ("l shl 32", Ok("-34359738368")),
        ("l shl 60", Ok("-9223372036854775808")),
        ("l shl 61", Err(FaultKind::Range)),
        ("l shl 64", Err(FaultKind::Range)),
        ("0 shl d", Ok("0")),
        ("i shr 1", Ok("-4")),
        ("i shr 31", Ok("-1")),
        ("-7 shr 1", Ok("-4")),
        ("i ushr 1", Ok("2147483644")),
        ("i ushr 0", Ok("-8")),
        ("l ushr 1", Ok("9223372036854775804")),
        ("l ushr 63", Ok("1")),
        ("i ushr 32", Err(FaultKind::Range)),
    ] {
        assert_eq!(value(variables, expr), expected.map(str::to_owned), "{expr}");
    }
}

#[test]
fn bits_and_booleans() {
    let variables = "global boolean t = true; global boolean f; global int none;";
    for (expr, expected) in [
        ("-1 & 6", Ok("6")),
        ("-8 | 3", Ok("-5")),
        ("-1 ^ 1", Ok("-2")),
        ("t & f | t ? 1 : 2", Ok("1")),
        ("t ^ t ? 1 : 2", Ok("2")),
        // Only what is needed is evaluated.
        ("f && 1 / none == 0 ? 1 : 2", Ok("2")),
        ("t || 1 / none == 0 ? 1 : 2", Ok("1")),
        ("(f => 1 / none == 0) ? 1 : 2", Ok("1")),
        ("t ? 1 : 1 / none", Ok("1")),
        ("f & 1 / none == 0 ? 1 : 2", Err(FaultKind::DivisionByZero)),
        ("(t => 1 / none == 0) ? 1 : 2", Err(FaultKind::DivisionByZero)),
    ] {
        assert_eq!(value(variables, expr), expected.map(str::to_owned), "{expr}");
    }
}

#[test]
fn stores_admit_wrap_or_fault() {
    let declarations =
        "global int (0, 3) narrow; global int wrap (-1, 1) around; global long wrap (0, 2) far;
        fun f(int (0, 3) v) returns int (0, 3) = v + 1; fun g(int wrap (0, 3) v) returns int = v;";
    for (expr, expected) in [
        ("f(2)", Ok("3")),
        ("f(3)", Err(FaultKind::Range)),
        ("f(-1)", Err(FaultKind::Range)),
        ("g(7)", Ok("3")),
        ("g(-1)", Ok("3")),
    ] {
        assert_eq!(value(declarations, expr), expected.map(str::to_owned), "{expr}");
    }
    let text = format!(
        "program p; {declarations} thread T() {{
          loc a: do {{ narrow := 3; around := 2; far := -9223372036854775808; }} return; }} active T;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    let state = run(&naive).unwrap();
    let shown = ["narrow", "around", "far"].map(|name| global(&naive, &state, name));
    assert_eq!(shown, ["3", "-1", "1"]);
}

#[test]
fn defaults_and_initial_values() {
    let program = program(
        "program p; enum E { one, two } record R {} global int (2, 5) above; global int (-5, -2) below;
        global int wrap (-1, 1) around; global boolean b; global E e; global E other = E::two; global R r;
        global tid t; global string s = \"x\"; global int seven = 7; thread T() { loc a: return; }",
    );
    let naive = Naive::new(&program);
    assert_eq!(
        naive.describe_state(&naive.initial()),
        "above = 2\nbelow = -2\naround = 0\nb = false\ne = one\nother = two\nr = null\nt = null\ns = \"x\"\nseven = 7\n"
    );
}

#[test]
fn collections_are_empty_by_default() {
    let program = program(
        "program p; abstract enum Id { a } record R { Queue<int> q; } global Id id; global Set<int> s; global Bag<int> b;
        global Map<int, int> m; global Seq<int> q; global Queue<int> u; global R r;
        thread T() { local Set<int> x; local Queue<int> y;
          loc l0: do { x := Set<int>(1); y := Queue<int>(2, 1); r := new R; } goto l1;
          loc l1: do { assert x == Set<int>(1); s := x.add(5); } goto l2;
          loc l2 live {}: do { s := s.union(x); } goto l2;
        } active T;",
    );
    let naive = Naive::new(&program);
    let empty = "id = null\ns = {}\nb = {}\nm = {}\nq = []\nu = [] (0 of 0)\nr = ";
    let initial = format!("{empty}null\nT#1 at l0\n  x = {{}}\n  y = [] (0 of 0)\n");
    assert_eq!(naive.describe_state(&naive.initial()), initial);
    let forgotten = "id = null\ns = {1, 5}\nb = {}\nm = {}\nq = []\nu = [] (0 of 0)\nr = R#1\nT#1 at l2\nR#1 (q: [] \
         (0 of 0))\n";
    for steps in 2..4 {
        let state = schedule(&naive, &vec![0; steps]);
        assert_eq!(naive.describe_state(&state), forgotten);
        let values = &naive.view(&state).threads[0].frames[0].forgotten;
        let shown: Vec<_> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!(shown, ["x = {}", "y = [] (0 of 0)"]);
    }
}

#[test]
fn live_sets_forget_to_the_default() {
    let program = program(
        "program p; global int a; global int b; thread T() {
          local int (2, 9) x = 5; local int (2, 9) y = 6;
          loc l0 live {x}: do { a := x; b := y; } goto l1;
          loc l1: do { y := 7; } goto l2;
          loc l2 live {y}: do { a := a * 10 + x; b := b * 10 + y; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let state = run(&naive).unwrap();
    // The entry is an arrival too.
    assert_eq!((global(&naive, &state, "a"), global(&naive, &state, "b")), ("52".into(), "27".into()));
}

#[test]
fn strings_and_enums_compare_by_value() {
    let declarations = "enum E { one, two } global string s = \"a\"; global E e = E::two;";
    for (expr, expected) in [
        ("s == \"a\" ? 1 : 0", "1"),
        ("s == \"b\" ? 1 : 0", "0"),
        ("s == null ? 1 : 0", "0"),
        ("e == E::two ? 1 : 0", "1"),
        ("e != E::two ? 1 : 0", "0"),
    ] {
        assert_eq!(value(declarations, expr), Ok(expected.to_owned()), "{expr}");
    }
}

#[test]
fn deep_recursion_needs_no_native_stack() {
    // As deep as verified expressions get, in a function that recurses as deep as the bound allows.
    let (open, close) = ("0 + (".repeat(480), ")".repeat(480));
    let text = format!(
        "program p; global int result;
        fun f(int n) returns int = n <= 0 ? 0 : {open}1 + f(n - 1){close};
        fun g(int n) returns boolean = n <= 0 || 0 <= {open}exists(Seq<int>(n - 1, n - 1 - n), g) ? 1 : 0{close};
        thread T() {{ loc a: do {{ result := f(254); assert g(254); }} return; }} active T;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    assert_eq!(global(&naive, &run(&naive).unwrap(), "result"), "254");
    let shallow = Naive { bounds: Bounds { frames: 254, ..Bounds::default() }, ..naive };
    assert_eq!(run(&shallow), Err(Stopped::Truncated(Bound::Frames)));
}
