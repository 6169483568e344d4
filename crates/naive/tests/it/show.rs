//! What people see.

use super::*;
use testing::philosophers;

#[test]
fn a_philosopher_takes_a_fork() {
    let program = philosophers(2);
    let naive = Naive::new(&program);
    let (initial, ring) = (naive.initial(), schedule(&naive, &[0]));
    assert_eq!(
        changes(&naive, &initial, &ring),
        [
            "new Fork#1 (isHeld: false)",
            "new Fork#2 (isHeld: false)",
            "Philosopher#1 starts (left: Fork#1, right: Fork#2)",
            "Philosopher#2 starts (left: Fork#2, right: Fork#1)",
            "MAIN#1 ends",
        ]
    );
    let taken = schedule(&naive, &[0, 2]);
    assert_eq!(
        naive.describe_changes(&ring, &taken),
        [Change::Value { what: "Fork#2.isHeld".into(), from: Datum::Bool(false), to: Datum::Bool(true) }]
    );
    assert_eq!(
        naive.describe_state(&taken),
        "Philosopher#1 at loc0\n  left = Fork#1\n  right = Fork#2\nPhilosopher#2 at loc1\n  left = Fork#2\n  \
         right = Fork#1\nFork#1 (isHeld: false)\nFork#2 (isHeld: true)\n"
    );
}

#[test]
fn calls_locals_locks_and_waiting() {
    let program = program(
        "program p; enum Color { red, green } global lock l; synthetic global int tick; global Color c;
        function f(int n, synthetic int h) returns int { local int twice; synthetic local int tmp;
          loc a: do { twice := n * 2; tmp := 1; } goto b;
          loc b: when n > 0 call f(n - 1, 0) resume r; else return twice;
          resume r of b into twice goto c;
          loc c: return twice;
        }
        thread T() { local int x; synthetic local int y;
          loc a: do { l := new lock; lock(l); lock(l); tick := 1; y := 2; } goto b;
          loc b: do { wait(l); c := Color::green; } goto c;
          loc c: call f(1, 5) resume r;
          resume r of c into x goto d;
          loc d: do { x := 7; exit; } return;
        }
        thread N() { loc a: when l != null do { lock(l); notify(l); unlock(l); } return; }
        active T, N;",
    );
    let naive = Naive::new(&program);
    let steps = [0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let states: Vec<_> = (0..=steps.len()).map(|n| schedule(&naive, &steps[..n])).collect();
    let seen: Vec<_> = states.windows(2).map(|pair| changes(&naive, &pair[0], &pair[1])).collect();
    let expected: [&[&str]; 10] = [
        &["new lock#1", "lock#1: free → held by T#1 2 times", "l: null → lock#1"],
        &["c: red → green", "T#1: running → waiting for lock#1", "lock#1: held by T#1 2 times → free"],
        &["T#1: waiting for lock#1 → notified by lock#1", "N#1 ends"],
        &["T#1 calls f(n: 1)"],
        &["T#1/f.twice: 0 → 2"],
        &["T#1 calls f(n: 0)"],
        &[],
        &["T#1 leaves f", "T#1/f.twice: 2 → 0"],
        &["T#1 leaves f"],
        &["T#1 ends"],
    ];
    for (step, (seen, expected)) in seen.iter().zip(expected).enumerate() {
        assert_eq!(seen, expected, "step {step}");
    }
    assert_eq!(
        naive.describe_state(&states[6]),
        "l = lock#1\nc = green\nT#1 at a, notified by lock#1\n  x = 0\n  f#1.n = 1\n  f#1.twice = 2\n  f#2.n = 0\n  \
         f#2.twice = 0\nlock#1 free\n"
    );
}

#[test]
fn arrays_are_named_by_what_they_hold() {
    let program = program(
        "program p; global int[] a; global int (0, 3)[] b; global boolean[][] c; thread T() {
          loc l0: do { a := new int[1]; b := new int (0, 3)[2]; c := new boolean[][1]; } goto l1;
          loc l1: do { b[1] := 3; c[0] := new boolean[1]; } return; } active T;",
    );
    let naive = Naive::new(&program);
    let (first, second) = (schedule(&naive, &[0]), schedule(&naive, &[0, 0]));
    assert_eq!(
        changes(&naive, &first, &second),
        ["new boolean[]#1 (false)", "int[]#2[1]: 0 → 3", "boolean[][]#1[0]: null → boolean[]#1", "T#1 ends"]
    );
}

#[test]
fn an_id_that_is_given_again_is_something_else() {
    let program = program(
        "program p; record A { int n; } global A a; global int x; thread T() {
          loc l0: do { a := new A; } goto l1; loc l1: do { a := null; } goto l2; loc l2: do { a := new A; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let (first, last) = (schedule(&naive, &[0]), schedule(&naive, &[0, 0, 0]));
    assert_eq!(first.globals, last.globals);
    assert_eq!(changes(&naive, &first, &last), ["new A#2 (n: 0)", "a: A#1 → A#2", "T#1 ends"]);
}

#[test]
fn resume_locations_are_called_by_their_origin() {
    let program = program(
        "program p; function f() { loc inner: return; } thread T() { loc outer: call f() resume r;
        resume r of outer return; } active T;",
    );
    let naive = Naive::new(&program);
    assert_eq!(naive.describe_state(&schedule(&naive, &[0])), "T#1 at inner\n");
}

#[test]
fn collections_read_like_what_they_are() {
    let program = program(
        "program p; abstract enum Id { ann, bob } record R { Set<int> s; } global Set<Id> ids; global Bag<R> bag;
        global Map<string, tid> map; global Seq<Set<int>> seq; global Queue<R> queue; thread C(Set<Id> who) { loc l: return; }
        thread T() { local R r; local tid t;
          loc l0: do { r := new R; r.s := Set<int>(2, 1); t := start C(all Id); ids := all Id; bag := Bag<R>(r, null, r);
            map := Map<string, tid>(\"c\", t, null, null); seq := Seq<Set<int>>(r.s, Set<int>()); queue := Queue<R>(2, r); }
            goto l1;
          loc l1 live {}: return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let (before, after) = (naive.initial(), schedule(&naive, &[0]));
    assert_eq!(
        changes(&naive, &before, &after),
        [
            "new R#1 (s: {1, 2})",
            "C#1 starts (who: {ann, bob})",
            "ids: {} → {ann, bob}",
            "bag: {} → {null: 1, R#1: 2}",
            "map: {} → {null -> null, \"c\" -> C#1}",
            "seq: [] → [{1, 2}, {}]",
            "queue: [] (0 of 0) → [R#1] (1 of 2)",
        ]
    );
    let shown = naive.describe_state(&after);
    // Variables that do not matter any more are not shown.
    assert!(shown.contains("\nqueue = [R#1] (1 of 2)\nT#1 at l1\nC#1 at l\n"), "{shown}");
    let forgotten = &naive.view(&after).threads[0].frames[0].forgotten;
    assert_eq!(forgotten[0], ("r".to_owned(), Datum::Null));
}

#[test]
fn arrays_of_collections_are_named_without_ranges() {
    let program = program(
        "program p; global Map<int (0, 3), Set<long wrap (0, 3)>>[] a; global Queue<Bag<int (0, 1)>>[] b; thread T() {
          loc l0: do { a := new Map<int (0, 3), Set<long wrap (0, 3)>>[1]; b := new Queue<Bag<int (0, 1)>>[0]; } return;
        } active T;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    assert_eq!(global(&naive, &state, "a"), "Map.type<int, Set.type<long>>[]#1");
    assert_eq!(global(&naive, &state, "b"), "Queue.type<Bag.type<int>>[]#1");
}
