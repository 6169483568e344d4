//! What is done with collections, and what cannot be done.

use ir::EnumId;

use super::*;

const DECLARATIONS: &str = "enum Color { red, green, blue } abstract enum Id { a, b, c }
    global Set<int> set; global Bag<int> bag; global Map<int, boolean> map; global Seq<int> seq; global Queue<int> queue;
    global Set<Color> colors; global Map<Color, int> prices; global Set<Id> ids; global Set<Set<int>> sets; global Seq<Map<int, Seq<int>>> nested;
    global Set<int (0, 3)> narrow; global Set<int wrap (0, 3)> around; global Bag<int wrap (0, 3)> bagAround;
    global Map<int (0, 3), int (0, 5)> narrowMap; global Map<int wrap (0, 3), int wrap (0, 5)> mapAround;
    global Seq<int (0, 3)> narrowSeq; global Seq<int wrap (0, 3)> seqAround; global Queue<int (0, 3)> narrowQueue;
    global Queue<int wrap (0, 3)> queueAround; global int i; global long l; global boolean yes; global int zero;";

/// What `place` is shown as after `place := expr`, or the fault with the text that it is at.
fn outcome(place: &str, expr: &str) -> Result<String, (FaultKind, String, String)> {
    let text = format!(
        "program p; {DECLARATIONS} thread T() {{
          loc a: do {{ mapAround := Map<int wrap (0, 3), int wrap (0, 5)>(0, 0); }} goto b;
          loc b: do {{ {place} := {expr}; }} return; }} active T;"
    );
    let program = program(&text);
    let naive = Naive::new(&program);
    match run(&naive) {
        Ok(state) => Ok(global(&naive, &state, place)),
        Err(Stopped::Fault(fault)) => Err((fault.kind, excerpt(&text, fault.span).to_owned(), fault.message)),
        Err(stopped) => panic!("{expr}: {stopped:?}"),
    }
}

fn gives(cases: &[(&str, &str, &str)]) {
    for (place, expr, expected) in cases {
        assert_eq!(outcome(place, expr), Ok((*expected).to_owned()), "{expr}");
    }
}

fn faults(cases: &[(&str, &str, FaultKind, &str, &str)]) {
    for &(place, expr, kind, at, message) in cases {
        assert_eq!(outcome(place, expr), Err((kind, at.to_owned(), message.to_owned())), "{expr}");
    }
}

#[test]
fn sets() {
    gives(&[
        ("set", "Set<int>()", "{}"),
        ("set", "Set<int>(3, -1, 3, 2)", "{-1, 2, 3}"),
        ("set", "Set<int>(1).add(0)", "{0, 1}"),
        ("set", "Set<int>(1).add(1)", "{1}"),
        ("set", "Set<int>(1, 2).remove(1)", "{2}"),
        ("set", "Set<int>(1, 2).remove(3)", "{1, 2}"),
        ("yes", "Set<int>(1, 2).contains(2)", "true"),
        ("yes", "Set<int>(1, 2).contains(3)", "false"),
        ("i", "Set<int>().size()", "0"),
        ("i", "Set<int>(1, 1, 2).size()", "2"),
        ("set", "Set<int>(1, 2).union(Set<int>(2, 3))", "{1, 2, 3}"),
        ("set", "Set<int>(1, 2).intersection(Set<int>(2, 3))", "{2}"),
        ("set", "Set<int>(1, 2).difference(Set<int>(2, 3))", "{1}"),
        ("yes", "Set<int>(1, 2).subset(Set<int>(2, 3))", "false"),
        ("yes", "Set<int>(2).subset(Set<int>(2, 3))", "true"),
        ("yes", "Set<int>(2).subset(Set<int>(2))", "true"),
        ("yes", "Set<int>().subset(Set<int>())", "true"),
        ("yes", "Set<int>(1, 2) == Set<int>(2, 1, 2)", "true"),
        ("yes", "Set<int>(1, 2) != Set<int>(2, 1, 2)", "false"),
        ("yes", "Set<int>(1, 2) == Set<int>(1)", "false"),
    ]);
}

#[test]
fn bags() {
    gives(&[
        ("bag", "Bag<int>()", "{}"),
        ("bag", "Bag<int>(3, 1, 3)", "{1: 1, 3: 2}"),
        ("bag", "Bag<int>(1).add(1).add(0)", "{0: 1, 1: 2}"),
        ("bag", "Bag<int>(1, 1, 2).remove(1)", "{1: 1, 2: 1}"),
        ("bag", "Bag<int>(1, 1, 2).remove(1).remove(1)", "{2: 1}"),
        ("bag", "Bag<int>(1).remove(2)", "{1: 1}"),
        ("yes", "Bag<int>(1).contains(1)", "true"),
        ("yes", "Bag<int>(1).remove(1).contains(1)", "false"),
        ("i", "Bag<int>(1, 1, 2).size()", "3"),
        ("i", "Bag<int>(1, 1, 2).count(1)", "2"),
        ("i", "Bag<int>(1, 1, 2).count(3)", "0"),
        ("yes", "Bag<int>(1, 2, 1) == Bag<int>(1, 1, 2)", "true"),
        ("yes", "Bag<int>(1, 2, 1) == Bag<int>(1, 2, 2)", "false"),
        // What was taken away leaves nothing behind.
        ("yes", "Bag<int>(1).remove(1) == Bag<int>()", "true"),
    ]);
}

#[test]
fn maps() {
    gives(&[
        ("map", "Map<int, boolean>()", "{}"),
        ("map", "Map<int, boolean>(2, true, 1, false)", "{1 -> false, 2 -> true}"),
        ("map", "Map<int, boolean>(2, true, 2, false)", "{2 -> false}"),
        ("map", "Map<int, boolean>(2, true).put(1, true).put(2, false)", "{1 -> true, 2 -> false}"),
        ("map", "Map<int, boolean>(2, true, 1, false).remove(2)", "{1 -> false}"),
        ("map", "Map<int, boolean>(2, true).remove(3)", "{2 -> true}"),
        ("yes", "Map<int, boolean>(2, false).contains(2)", "true"),
        ("yes", "Map<int, boolean>(2, false).contains(0)", "false"),
        ("yes", "Map<int, boolean>(2, true).get(2)", "true"),
        ("i", "Map<int, boolean>(2, true, 2, false, 1, true).size()", "2"),
        ("set", "Map<int, boolean>(2, true, 1, false).keys()", "{1, 2}"),
        ("yes", "Map<int, boolean>(2, true, 1, false) == Map<int, boolean>(1, false, 2, true)", "true"),
        ("yes", "Map<int, boolean>(2, true) == Map<int, boolean>(2, false)", "false"),
    ]);
}

#[test]
fn sequences() {
    gives(&[
        ("seq", "Seq<int>()", "[]"),
        ("seq", "Seq<int>(3, 1, 3)", "[3, 1, 3]"),
        ("seq", "Seq<int>(3).add(1).add(3)", "[3, 1, 3]"),
        ("seq", "Seq<int>(3, 1, 3, 2).remove(3)", "[1, 3, 2]"),
        ("seq", "Seq<int>(3, 1).remove(2)", "[3, 1]"),
        ("seq", "Seq<int>(3, 1).put(1, 7)", "[3, 7]"),
        ("yes", "Seq<int>(3, 1).contains(1)", "true"),
        ("yes", "Seq<int>(3, 1).contains(0)", "false"),
        ("i", "Seq<int>(3, 3).size()", "2"),
        ("i", "Seq<int>(3, 1).get(1)", "1"),
        ("i", "Seq<int>(3, 1).head()", "3"),
        ("seq", "Seq<int>(3, 1, 3).tail()", "[1, 3]"),
        ("yes", "Seq<int>(3, 1) == Seq<int>(3).add(1)", "true"),
        ("yes", "Seq<int>(3, 1) == Seq<int>(1, 3)", "false"),
    ]);
}

#[test]
fn queues() {
    gives(&[
        ("queue", "Queue<int>(0)", "[] (0 of 0)"),
        ("queue", "Queue<int>(2, 3, 3)", "[3, 3] (2 of 2)"),
        ("queue", "Queue<int>(3, 3).add(1)", "[3, 1] (2 of 3)"),
        ("queue", "Queue<int>(4, 3, 1, 3).remove(3)", "[1, 3] (2 of 4)"),
        ("queue", "Queue<int>(4, 3).remove(1)", "[3] (1 of 4)"),
        ("queue", "Queue<int>(4, 3, 1).put(0, 7)", "[7, 1] (2 of 4)"),
        ("yes", "Queue<int>(4, 3, 1).contains(4)", "false"),
        ("yes", "Queue<int>(4, 3, 1).contains(1)", "true"),
        ("i", "Queue<int>(4, 3, 1).size()", "2"),
        ("i", "Queue<int>(4, 3, 1).capacity()", "4"),
        ("i", "Queue<int>(4, 3, 1).get(1)", "1"),
        ("i", "Queue<int>(4, 3, 1).head()", "3"),
        ("queue", "Queue<int>(4, 3, 1).tail()", "[1] (1 of 4)"),
        ("l", "Queue<int>(3000000000).capacity()", "3000000000"),
        // The capacity is a part of the value.
        ("yes", "Queue<int>(2, 1) == Queue<int>(2).add(1)", "true"),
        ("yes", "Queue<int>(2, 1) == Queue<int>(3, 1)", "false"),
    ]);
}

#[test]
fn nested_collections_and_enums() {
    gives(&[
        ("colors", "all Color", "{red, green, blue}"),
        ("ids", "all Id", "{a, b, c}"),
        ("ids", "Set<Id>(null)", "{null}"),
        ("i", "(all Id).add(null).size()", "4"),
        ("colors", "(all Color).remove(Color::green)", "{red, blue}"),
        (
            "sets",
            "Set<Set<int>>(Set<int>(5), Set<int>(1, 2), Set<int>(), Set<int>(2, 1))",
            "{{}, {5}, {1, 2}}",
        ),
        ("yes", "Set<Set<int>>(Set<int>(2, 1)).contains(Set<int>(1, 2))", "true"),
        (
            "nested",
            "Seq<Map<int, Seq<int>>>(Map<int, Seq<int>>(1, Seq<int>(2, 3))).add(Map<int, Seq<int>>())",
            "[{1 -> [2, 3]}, {}]",
        ),
        ("i", "Seq<Map<int, Seq<int>>>(Map<int, Seq<int>>(1, Seq<int>(2, 3))).get(0).get(1).get(1)", "3"),
    ]);
}

#[test]
fn what_becomes_a_part_is_admitted() {
    use FaultKind::Range;
    gives(&[
        ("around", "Set<int wrap (0, 3)>(1, 5, 4)", "{0, 1}"),
        ("around", "around.add(-1)", "{3}"),
        ("bagAround", "Bag<int wrap (0, 3)>(1, 5).add(9)", "{1: 3}"),
        ("mapAround", "Map<int wrap (0, 3), int wrap (0, 5)>(1, 7, 5, 8)", "{1 -> 2}"),
        ("mapAround", "mapAround.put(5, 7)", "{0 -> 0, 1 -> 1}"),
        ("seqAround", "Seq<int wrap (0, 3)>(4, 1).add(7).put(1, 6)", "[0, 2, 3]"),
        ("queueAround", "Queue<int wrap (0, 3)>(8, 4, 1).add(7).put(1, 6)", "[0, 2, 3] (3 of 8)"),
    ]);
    let elements = "value 4 outside of the range 0..3 of the elements";
    let keys = "value 4 outside of the range 0..3 of the keys";
    let values = "value 6 outside of the range 0..5 of the values";
    faults(&[
        ("narrow", "Set<int (0, 3)>(1, 2 + 2, 5)", Range, "2 + 2", elements),
        ("narrow", "narrow.add(2 + 2)", Range, "2 + 2", elements),
        ("i", "Bag<int (0, 3)>(2 + 2).size()", Range, "2 + 2", elements),
        ("i", "Bag<int (0, 3)>().add(2 + 2).size()", Range, "2 + 2", elements),
        ("narrowSeq", "Seq<int (0, 3)>(2 + 2)", Range, "2 + 2", elements),
        ("narrowSeq", "narrowSeq.add(2 + 2)", Range, "2 + 2", elements),
        ("narrowSeq", "Seq<int (0, 3)>(1).put(0, 2 + 2)", Range, "2 + 2", elements),
        ("narrowQueue", "Queue<int (0, 3)>(9, 2 + 2)", Range, "2 + 2", elements),
        ("narrowQueue", "Queue<int (0, 3)>(9).add(2 + 2)", Range, "2 + 2", elements),
        ("narrowQueue", "Queue<int (0, 3)>(9, 0).put(0, 2 + 2)", Range, "2 + 2", elements),
        ("narrowMap", "narrowMap.put(2 + 2, 1)", Range, "2 + 2", keys),
        ("narrowMap", "narrowMap.put(1, 3 + 3)", Range, "3 + 3", values),
        ("narrowMap", "Map<int (0, 3), int (0, 5)>(0, 0, 2 + 2, 0)", Range, "2 + 2", keys),
        ("narrowMap", "Map<int (0, 3), int (0, 5)>(0, 0, 1, 3 + 3)", Range, "3 + 3", values),
    ]);
}

#[test]
fn what_is_looked_for_is_not_admitted() {
    gives(&[
        ("yes", "Set<int (0, 3)>(0).contains(4)", "false"),
        ("narrow", "Set<int (0, 3)>(0).remove(4)", "{0}"),
        ("yes", "Set<int wrap (0, 3)>(0).contains(4)", "false"),
        ("around", "Set<int wrap (0, 3)>(0).remove(4)", "{0}"),
        ("i", "Bag<int wrap (0, 3)>(0).count(4)", "0"),
        ("bagAround", "Bag<int wrap (0, 3)>(0).remove(4)", "{0: 1}"),
        ("yes", "Map<int (0, 3), int (0, 5)>(0, 0).contains(4)", "false"),
        ("mapAround", "mapAround.remove(4)", "{0 -> 0}"),
        ("seqAround", "Seq<int wrap (0, 3)>(0).remove(4)", "[0]"),
        ("queueAround", "Queue<int wrap (0, 3)>(1, 0).remove(4)", "[0] (1 of 1)"),
    ]);
    let get = "mapAround.get(4)";
    faults(&[("i", get, FaultKind::MissingKey, get, "`mapAround` has no key 4")]);
}

#[test]
fn what_is_not_there() {
    use FaultKind::*;
    faults(&[
        ("i", "zero + seq.head()", Empty, "seq.head()", "`seq` is empty"),
        ("seq", "seq.tail().add(1)", Empty, "seq.tail()", "`seq` is empty"),
        ("i", "queue.head()", Empty, "queue.head()", "`queue` is empty"),
        ("queue", "queue.tail()", Empty, "queue.tail()", "`queue` is empty"),
        ("yes", "!map.get(zero + 1)", MissingKey, "map.get(zero + 1)", "`map` has no key 1"),
        ("i", "prices.get(Color::blue)", MissingKey, "prices.get(Color::blue)", "`prices` has no key blue"),
        ("i", "Seq<int>(5).get(1)", Index, "Seq<int>(5).get(1)", "index 1 outside of a sequence of length 1"),
        ("i", "seq.get(-1)", Index, "seq.get(-1)", "index -1 outside of a sequence of length 0"),
        ("seq", "seq.put(0, 1)", Index, "seq.put(0, 1)", "index 0 outside of a sequence of length 0"),
        ("i", "queue.get(0)", Index, "queue.get(0)", "index 0 outside of a queue of length 0"),
        // There is room for it, but it is not there.
        (
            "queue",
            "Queue<int>(2, 1).put(1, 1)",
            Index,
            "Queue<int>(2, 1).put(1, 1)",
            "index 1 outside of a queue of length 1",
        ),
        ("queue", "Queue<int>(zero - 1)", Index, "Queue<int>(zero - 1)", "negative capacity -1"),
        (
            "queue",
            "Queue<int>(1, 1, 2)",
            Overflow,
            "Queue<int>(1, 1, 2)",
            "2 elements in a queue of capacity 1",
        ),
        // What was never given a capacity has none.
        ("queue", "queue.add(7)", Overflow, "queue.add(7)", "1 elements in a queue of capacity 0"),
    ]);
}

#[test]
fn the_order_of_checks() {
    use FaultKind::*;
    for (place, expr, kind, at) in [
        // All operands come first, from the left.
        ("narrow", "Set<int (0, 3)>(9, 1 / zero)", DivisionByZero, "1 / zero"),
        ("i", "seq.put(1 / zero, seq.head()).head()", DivisionByZero, "1 / zero"),
        ("seq", "seq.put(seq.head(), 1 / zero)", Empty, "seq.head()"),
        ("narrowQueue", "Queue<int (0, 3)>(-1, 9, 1 / zero)", DivisionByZero, "1 / zero"),
        // Then the capacity, then the elements in their order, and last the room for them.
        ("narrowQueue", "Queue<int (0, 3)>(-1, 9)", Index, "Queue<int (0, 3)>(-1, 9)"),
        ("narrowQueue", "Queue<int (0, 3)>(1, 0, 8, 9)", Range, "8"),
        ("narrowQueue", "narrowQueue.add(9)", Range, "9"),
        // The index before the element, the key before the value.
        ("narrowSeq", "narrowSeq.put(0, 9)", Index, "narrowSeq.put(0, 9)"),
        ("narrowQueue", "narrowQueue.put(0, 9)", Index, "narrowQueue.put(0, 9)"),
        ("narrowMap", "narrowMap.put(8, 9)", Range, "8"),
        ("narrowMap", "Map<int (0, 3), int (0, 5)>(0, 9, 8, 0)", Range, "9"),
    ] {
        let Err((found, text, _)) = outcome(place, expr) else { panic!("{expr}") };
        assert_eq!((found, text.as_str()), (kind, at), "{expr}");
    }
}

#[test]
fn collections_are_copied() {
    let program = program(
        "program p; record Box { Set<int> content; } global Box box; global Set<int> a; global Set<int> b;
        global Seq<int>[] array; fun more(Set<int> s) returns Set<int> = s.add(9);
        function f(Set<int> s) returns Set<int> { loc l: do { s := s.add(7); } return s; }
        thread T() {
          loc l0: do { a := Set<int>(1); b := a; a := a.add(2); box := new Box; box.content := a; a := a.add(3); }
            goto l1;
          loc l1: call f(b) resume r; resume r of l1 into a goto l2;
          loc l2: do { b := more(b); array := new Seq<int>[2]; array[1] := array[0].add(4); } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(
        naive.describe_state(&run(&naive).unwrap()),
        "box = Box#1\na = {1, 7}\nb = {1, 9}\narray = Seq.type<int>[]#1\nBox#1 (content: {1, 2})\n\
         Seq.type<int>[]#1 ([], [4])\n"
    );
}

#[test]
fn equal_collections_make_equal_states() {
    // However the set came about, and whatever is left of what was removed.
    let program = program(
        "program p; global Set<int> s; global Bag<int> b; thread T() {
          loc a: do { s := Set<int>(1, 2); } goto z; do { s := Set<int>(2, 3, 1).remove(3); b := b.add(1).remove(1); } goto z;
          loc z: return;
        } active T;",
    );
    let summary = explore(&Naive::new(&program), 10);
    assert_eq!((summary.states, summary.matched), (3, 1));
}

#[test]
fn elements_of_abstract_enums_compare_and_default_to_none() {
    let program = program(
        "program p; abstract enum Id { a, b } global Id x; global Id y; global Set<Id> free; global boolean same;
        thread T() {
          loc l0: do { assert x == null; free := all Id; x := choose free; free := free.remove(x); } goto l1;
          loc l1: do { y := choose free; same := x == y; assert x == Id::a || x == Id::b; } goto l2;
          loc l2: do { assert x != y && y != null; x := null; } return;
        } active T; invariant some = y != Id::a || x != Id::a;",
    );
    let naive = Naive::new(&program);
    assert_eq!(explore(&naive, 100).faults, [].into());
    assert_eq!(schedule(&naive, &[0]).globals[0], Value::Abstract(EnumId(0), 0));
    assert_eq!(
        naive.describe_state(&schedule(&naive, &[0, 0, 0])),
        "x = null\ny = b\nfree = {b}\nsame = false\n"
    );
}
