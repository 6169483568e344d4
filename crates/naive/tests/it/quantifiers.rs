//! Quantifiers look at every element, in no order.

use super::*;

const DECLARATIONS: &str = "global int zero; global Seq<int> none; global Set<int> s; global int ten = 10;
    fun positive(int v) returns boolean = v > 0;
    fun below(int v, int bound) returns boolean = v < bound;
    fun narrow(int v, int (0, 3) bound) returns boolean = v < bound;
    fun inAll(int v, Set<Set<int>> sets) returns boolean = forall(sets, has, v);
    fun has(Set<int> set, int v) returns boolean = set.contains(v);
    fun divides(int v) returns boolean = 12 / v > 0;
    fun early(int v) returns boolean = v == 1 ? none.head() == 0 : v == 2 ? 1 / zero == 0 : v == 3 ? 2 / zero == 0 : true;
    fun down(int v) returns boolean = v <= 0 ? true : down(v - 1);
    fun deepOrBad(int v) returns boolean = v == 1 ? 1 / zero == 0 : down(v);
    fun again(int v) returns boolean = exists(s, again);";

/// What an expression is, or the fault with the text that it is at.
fn outcome(bounds: Bounds, expr: &str) -> Result<String, (FaultKind, String)> {
    let text = format!(
        "program p; {DECLARATIONS} global boolean result; thread T() {{
          loc a: do {{ s := Set<int>(1, 2, 3); result := {expr}; }} return; }} active T;"
    );
    let program = program(&text);
    let naive = Naive { bounds, on_bound: OnBound::Fault, ..Naive::new(&program) };
    match run(&naive) {
        Ok(state) => Ok(global(&naive, &state, "result")),
        Err(Stopped::Fault(fault)) => Err((fault.kind, excerpt(&text, fault.span).to_owned())),
        Err(stopped) => panic!("{expr}: {stopped:?}"),
    }
}

#[test]
fn all_and_some() {
    for (expr, expected) in [
        ("forall(Set<int>(), positive)", true),
        ("exists(Set<int>(), positive)", false),
        ("forall(Set<int>(1, 2), positive)", true),
        ("forall(Set<int>(1, 0), positive)", false),
        ("exists(Set<int>(1, 0), positive)", true),
        ("exists(Set<int>(-1, 0), positive)", false),
        ("forall(Bag<int>(1, 1), positive)", true),
        ("exists(Seq<int>(0, 0, 1), positive)", true),
        ("forall(Queue<int>(5, 1, 0), positive)", false),
        // The keys of a map, not its values.
        ("forall(Map<int, int>(1, 0, 2, 0), positive)", true),
        ("exists(Map<int, int>(0, 1), positive)", false),
        ("forall(s, below, ten)", true),
        ("forall(s, below, ten - 7)", false),
        ("exists(s, inAll, Set<Set<int>>(Set<int>(1, 2), Set<int>(2, 3)))", true),
        ("exists(s, inAll, Set<Set<int>>(Set<int>(1), Set<int>(2, 3)))", false),
    ] {
        assert_eq!(outcome(Bounds::default(), expr), Ok(expected.to_string()), "{expr}");
    }
}

#[test]
fn faults_do_not_depend_on_an_order() {
    use FaultKind::*;
    let frames = |frames| Bounds { frames, ..Bounds::default() };
    for (bounds, expr, kind, at) in [
        // What holds for one element does not hide the fault of another, before or after it.
        (frames(9), "exists(Seq<int>(1, 0), divides)", DivisionByZero, "12 / v"),
        (frames(9), "exists(Seq<int>(0, 1), divides)", DivisionByZero, "12 / v"),
        (frames(9), "forall(Seq<int>(-1, 0), divides)", DivisionByZero, "12 / v"),
        // The least kind, and of that what stands first.
        (frames(9), "forall(Seq<int>(1), early)", Empty, "none.head()"),
        (frames(9), "forall(Seq<int>(1, 2), early)", DivisionByZero, "1 / zero"),
        (frames(9), "forall(Seq<int>(3, 1), early)", DivisionByZero, "2 / zero"),
        (frames(9), "forall(Seq<int>(3, 1, 2), early)", DivisionByZero, "1 / zero"),
        // A bound that is exceeded comes before them all, and ends the quantifier.
        (frames(4), "forall(Seq<int>(1, 2), deepOrBad)", DivisionByZero, "1 / zero"),
        (
            frames(4),
            "forall(Seq<int>(1, 3), deepOrBad)",
            Bound(system::Bound::Frames),
            "forall(Seq<int>(1, 3), deepOrBad)",
        ),
        (
            frames(4),
            "forall(Seq<int>(3, 1), deepOrBad)",
            Bound(system::Bound::Frames),
            "forall(Seq<int>(3, 1), deepOrBad)",
        ),
        (
            frames(1),
            "forall(Seq<int>(1, 0), deepOrBad)",
            Bound(system::Bound::Frames),
            "forall(Seq<int>(1, 0), deepOrBad)",
        ),
        (frames(4), "exists(s, again)", Bound(system::Bound::Frames), "exists(s, again)"),
        // The collection, the captures, and only then the elements.
        (frames(9), "exists(none.tail(), below, 1 / zero)", Empty, "none.tail()"),
        (frames(9), "forall(Set<int>(), below, 1 / zero)", DivisionByZero, "1 / zero"),
        // A capture is an argument.
        (frames(9), "forall(s, narrow, ten - 6)", Range, "ten - 6"),
    ] {
        assert_eq!(outcome(bounds, expr), Err((kind, at.to_owned())), "{expr}");
    }
    // What is not called takes no arguments.
    assert_eq!(outcome(frames(9), "forall(Set<int>(), narrow, ten - 6)"), Ok("true".to_owned()));
    assert_eq!(outcome(frames(0), "forall(Set<int>(), positive)"), Ok("true".to_owned()));
}

#[test]
fn quantifiers_in_guards_and_invariants() {
    let program = program(
        "program p; global Set<int> s; global Seq<int> none; fun small(int v) returns boolean = v < 2;
        fun faulty(int v) returns boolean = v == none.head();
        thread T() { loc a: when forall(s, small) do { s := s.add(s.size()); } goto a; when exists(s, small) goto b;
          loc b: when s.size() == 3 && exists(s, faulty) return; }
        active T; invariant little = forall(s, small);",
    );
    let naive = Naive::new(&program);
    let summary = explore(&naive, 10);
    // s grows to {0, 1, 2}; there and at b the invariant does not hold, and at b with three elements the
    // guard faults.
    assert_eq!((summary.states, summary.deadlocks), (7, 2));
    let faults: Vec<_> = summary.faults.iter().map(|(&(kind, _), &times)| (kind, times)).collect();
    assert_eq!(faults, [(FaultKind::Invariant, 2), (FaultKind::Empty, 1)]);
}
