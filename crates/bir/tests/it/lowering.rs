//! Models as programs, in the text form.

use crate::common::{compile, compile_with};

/// A snapshot of the program, without warnings.
fn lowered(text: &str) -> String {
    match compile(text) {
        Ok((program, _)) => ir::text::print(&program),
        Err(errors) => panic!("{errors}"),
    }
}

/// A snapshot of a system with these members, and of its only active thread with this body.
macro_rules! check {
    ($members:expr, $body:expr) => {{
        let text = format!("system test {{\n{}\nactive thread T() {{\n{}\n}}\n}}", $members, $body);
        insta::assert_snapshot!(lowered(&text));
    }};
}

#[test]
fn figure_1() {
    // The figure of "Space-Reduction Strategies for Model Checking Dynamic Software", with its main thread
    // completed.
    insta::assert_snapshot!(lowered(
        "system nDiningPhilosophers {
          top record Object {}
          record Fork extends Object { boolean isHeld; }
          thread Philosopher(Fork left, Fork right) {
            loc loc0: // get left
              when !left.isHeld do {
                left.isHeld := true;
              } goto loc1;
            loc loc1: // get right
              when !right.isHeld do {
                right.isHeld := true;
              } goto loc2;
            loc loc2: // drop right
              when true do {
                right.isHeld := false;
              } goto loc3;
            loc loc3: // drop left
              when true do {
                left.isHeld := false;
              } goto loc0;
          }
          main thread MAIN() {
            Fork f1; Fork f2;
            loc loc0:
              do {
                f1 := new Fork;
                f2 := new Fork;
                start Philosopher(f1, f2);
                start Philosopher(f2, f1);
              } return;
          }
        }"
    ));
}

#[test]
fn declarations() {
    check!(
        "const PARAM { N = 3; M = PARAM.N * 2 + 1; BIG = 5000000000; DEBUG = PARAM.N > 2 && !false; }
         const OTHER { N = -0x10; S = \"a\\tb\"; C = Colour.Green; }
         enum Colour { Red, Green }
         typealias Small int (0, PARAM.N);
         typealias Smalls Small[];
         throwable record Error extends Object { string text; }
         top record Object { Object next; }
         record Node extends Object, Marked { Small value; }
         record Marked extends Object { boolean mark; }
         record Late extends Error { int wrap (-1, 1) turn; long (0, 5000000000) far; }
         int a := PARAM.M; boolean b := PARAM.DEBUG; Colour c := OTHER.C; long d := PARAM.BIG;
         string s := OTHER.S; Smalls e := null; tid f; lock g; Small h := 2; int wrap (0, 7) i := 9;
         Late[][] j; int top; int at; int live;",
        "a := OTHER.N; b := h == 1; c := Colour.Red; d := 1L; s := \"x\"; e := null; f := null; g := null;
         i := 3; j := null; top := at + live;"
    );
}

#[test]
fn expressions() {
    check!(
        "const P { N = 2; }
         enum E { A, B }
         top record R { R next; int value; }
         record S extends R { }
         R r; S s; int[] a; int i; long l; boolean b; E e; tid t; lock k; string w;
         fun even(int n) returns boolean = n == 0 || odd(n - 1);
         fun odd(int n) returns boolean = n == 0 ? false : even(n - 1);",
        "i := 1 + 2 * i - -3 % a.length / (4 - i);
         i := i shl 1 shr 2 ushr 3 & 7 | 8 ^ i;
         l := l * i + (long) i + 1L shl 2;
         b := !b && i < 3 || i >= P.N => b != true => even(i);
         b := b & true | b ^ false;
         i := b ? 1 : l > 2 ? 2 : a[a[0] + 1];
         r := b ? s : r;
         b := r instanceof S && ((S) r).next == null && r != s;
         s := (S) (r.next.next);
         b := lockAvailable(k) && hasLock(k) || wasNotified(k) || threadTerminated(t);
         b := e == E.B && w != null && w == \"x\" && t == null;
         i := (int) (i);
         i := -i;"
    );
}

#[test]
fn actions() {
    check!(
        "top throwable record R { int value; }
         R r; R[] a; int[][] m; lock k; tid t;
         thread U(R r, int n) { skip; }",
        "loc l0: do {
           r := new R; a := new R[3]; m := new int[][2]; m[0] := new int[r.value]; k := new lock;
           r.value := 1; a[r.value] := null; a[0].value := 2;
         } goto l1;
         loc l1: do { assert r != null; assume r.value > 0; lock(k); } goto l2;
         loc l2: do { wait(k); } goto l3;
         loc l3: do { unwait(k); notify(k); notifyAll(k); unlock(k); } goto l4;
         loc l4: do { start U(r, 1); t := start U(null, 2); } goto l5;
         loc l5: do invisible { skip; } goto l6;
         loc l6: when r.value == 1 do { throw r; } return;
                 when r.value == 2 do { exit; } goto l6;
                 do {} goto l0;"
    );
}

#[test]
fn locations_calls_and_handlers() {
    check!(
        "top record Object {}
         throwable record E extends Object {}
         record F extends E {}
         int g;
         function f(int n) returns int {
           int r;
           loc a: live { n, r } when n <= 0 do {} return 1;
                  when n > 0 r := invoke f(n - 1) goto b;
           loc b: live {} do {} return r * n;
         }
         function h(E e) {
           loc a: do { throw e; } return;
         }",
        "E e; int x;
         loc a: invoke h(null) goto b;
         loc b: when g == 0 x := invoke f(3) return;
                when g == 1 g := invoke f(g) goto c;
         loc c: do { g := x; } return;
         catch F e at b goto c;
         catch E e at a, b, a goto c;"
    );
}

#[test]
fn loops_and_conditions() {
    check!(
        "int x;",
        "while x < 3 do
           if x == 0 do
             x := 1;
           elseif x == 1 do
             x := 2;
           elseif x == 2 do
             skip;
             x := 3;
           else do
             x := 4;
           end
           if x == 9 do x := 0; end
         end
         while true do
           choose
             when <x > 1> do x := 1;
             when <(x > 1) && x >= 0> do x := 2;
             do skip;
             else do return;
           end
         end"
    );
}

#[test]
fn atomic_blocks() {
    check!(
        "int x; int y; lock k;
         function f() { skip; }",
        "atomic
           x := 1;
           y := 2;
           assert x < y;
         end
         x := 3;
         atomic
           lock(k);
           x := 4;
           assume x == 4;
           y := 5;
           notify(k);
           y := 6;
           atomic unlock(k); x := 7; end
           invoke f();
           x := 8;
           x := 9;
         end
         y := 9;"
    );
}

#[test]
fn atomic_loops() {
    // The loop starts the block: it has to be waited for once, and must not let others in when it returns.
    check!(
        "int x;",
        "atomic
           while x < 3 do
             x := x + 1;
             if x == 2 do x := 3; x := 4; end
           end
           x := 0;
         end
         while true do
           atomic x := 1; x := 2; end
         end"
    );
}

#[test]
fn waiting() {
    check!(
        "top record M { lock k; }
         M m;",
        "lock own;
         lock(m.k);
         while m != null do wait(m.k); end
         wait(own);
         atomic wait(m.k); unlock(m.k); end"
    );
}

#[test]
fn handlers() {
    check!(
        "top record Object {}
         throwable record E extends Object { int code; }
         record F extends E {}
         int x;
         function f() returns int { return 1; }",
        "E known;
         try
           x := 1;
           try
             x := invoke f();
           catch (F f)
             x := f.code;
             throw f;
           end
           while x > 0 do x := x - 1; end
         catch (F known)
           x := known.code;
         catch (E f)
           x := f.code;
         end
         try skip; catch (F f) x := f.code; end"
    );
}

#[test]
fn handlers_inside_of_atomic() {
    check!(
        "throwable record E {}
         int x;",
        "E e;
         atomic
           x := 1;
           try
             x := 2;
             e := new E;
             throw e;
           catch (E e)
             x := 3;
             x := 4;
           end
           x := 5;
         end"
    );
}

#[test]
fn virtual_calls() {
    check!(
        "top record A {}
         record B extends A {}
         record C extends B {}
         record D extends A {}
         record E extends C, D {}
         function ofA(A a, int n) returns int { return n; }
         function ofC(C c, int n) returns int { return 2 * n; }
         function ofE(E e, int n) returns int { return 3 * n; }
         virtual size { A -> ofA C -> ofC E -> ofE }
         virtual only { C -> none }
         function none(A a) {}",
        "A a; int n;
         a := new E;
         n := invoke virtual size(a, 1);
         invoke virtual only(a);"
    );
}

#[test]
fn functions_and_ends() {
    check!(
        "function nothing() {}
         function loops() returns int { while true do skip; end }
         function throws() returns int { throw null; }
         function leaves(boolean b) returns long {
           if b do return 1; else do choose do exit; do return 2; end end
         }
         function early() { return; }",
        "invoke nothing(); invoke early();
         if false do exit; end"
    );
}

#[test]
fn words_as_names() {
    let model = |names: [&str; 10]| {
        let [a, b, c, d, e, f, g, h, i, j] = names;
        lowered(&format!(
            "system test {{
               int[] {a}; int {b}; boolean {c}; int {d} := 1;
               top record R {{ int {e}; R {f}; int {g}; }}
               function {h}(int {i}, int {b}) returns int {{ return {i} + {b}; }}
               active thread {j}() {{
                 R {f}; int {g};
                 {a} := new int[2];
                 {a}[{d}] := {a}[0] + {b};
                 {f} := new R;
                 {f}.{f} := {f}.{f}.{f};
                 {f}.{e} := {g} + {f}.{g};
                 {c} := {a}.length == {f}.{e};
                 {d} := invoke {h}({d}, {b});
               }}
             }}"
        ))
    };
    let words =
        ["active", "wrap", "top", "length", "live", "at", "main", "invisible", "throwable", "abstract"];
    let mut expected = model(["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9"]);
    for (index, word) in words.iter().enumerate() {
        expected = expected.replace(&format!("q{index}"), word);
    }
    // The text of the program has quotes where they are words there, too.
    assert_eq!(model(words).replace('\'', ""), expected);
}

#[test]
fn quantifier_words_as_names() {
    let model = |names: [&str; 8]| {
        let [a, b, c, d, e, f, g, h] = names;
        lowered(&format!(
            "system test {{
               int {a}; boolean {b}; int {c};
               enum E {{ {d}, {f} }}
               record R {{ int {e}; R {g}; }}
               record {h} {{ int {a}; }}
               {h} other;
               function {d}(int {a}) returns int {{
                 R {g}; {h} {f};
                 {g}.{g} := {g}; {f}.{a} := {a} + {g}.{e};
                 return {g}.{e} < {a} ? {f}.{a} : {c};
               }}
               active thread T() {{
                 E x; {h} y;
                 loc l0: when {b} {a} := invoke {d}({c}) goto l0;
                         when {a} > {c} && x == E.{d} do {{ x := E.{f}; y := other; {a} := {c}; }} goto l0;
               }}
             }}"
        ))
    };
    let words = ["forall", "exists", "in", "all", "type", "create", "Set", "Queue"];
    let mut expected = model(["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"]);
    for (index, word) in words.iter().enumerate() {
        expected = expected.replace(&format!("q{index}"), word);
    }
    assert_eq!(model(words).replace('\'', ""), expected);
}

#[test]
fn guards_in_parentheses() {
    let model = |guard: &str| {
        lowered(&format!(
            "system test {{
               record R {{ int[] f; boolean b; }}
               R r; boolean b; int x;
               function f() returns int {{ return 1; }}
               active thread T() {{
                 loc l0: when {guard} x := invoke f() goto l0;
                         when {guard} r.f[x] := invoke f() goto l0;
                         when {guard} do {{ }} return;
               }}
             }}"
        ))
    };
    assert_eq!(model("(b)"), model("b"));
    assert_eq!(model("((b))"), model("b"));
    assert_eq!(model("((R) r).b"), model("((R) (r)).b"));
}

#[test]
fn collections() {
    check!(
        "extension Set for edu.ksu.Set { typedef type<'a>; } extension Queue for some.Queue;
         enum E { A, B }
         record R { Set.type<R> peers; Map.type<E, Seq.type<tid>> waiting; }
         typealias Small int (0, 3);
         Set.type<Small> s; Bag.type<R> b; Map.type<R, Set.type<Small>> m; Seq.type<E> q; Queue.type<boolean>[] p;
         Set.type<Set.type<Small>> ss := Set.create(); Queue.type<lock> l := Queue.create<lock>(0);
         R r; int x; boolean t; E e;
         fun singleton(Small n) returns Set.type<Small>= Set.create(n);
         function grow(Set.type<Small> old) returns Set.type<Set.type<Small>> { return Set.create(old, Set.create()); }
         thread U(Set.type<Small> n, Queue.type<int> k) { assert Set.isEmpty(n) && Queue.isFull(k); }",
        "s := Set.create(1, 2, x);
         s := Set.union(Set.create<Small>(1), Set.intersection(s, Set.create()));
         Set.add(s, x); Set.remove(s, 7); Set.difference(s, singleton(3));
         t := Set.contains(s, x) && Set.subset(s, Set.create()) || s == Set.create() || Set.size(s) > 1;
         b := Bag.create(r, null, r); Bag.add(b, r); x := Bag.count(b, null); Bag.remove(b, r);
         m := Map.create(r, Set.create(1), null, s); Map.put(m, r, Set.add(Map.get(m, r), 2)); Map.remove(m, null);
         t := Map.containsKey(m, r) && Map.contains(m, r) && !Map.isEmpty(m); r := t ? null : r;
         Set.union(r.peers, Map.keys(m)); Seq.append(q, E.B); Seq.add(q, e); Seq.put(q, x + 1, E.A); Seq.tail(q);
         e := Seq.head(q); e := Seq.get(q, 0); t := Seq.contains(q, e); Seq.remove(q, e); x := Seq.size(q);
         p := new Queue.type<boolean>[2]; p[0] := Queue.create(2, true); Queue.append(p[x], Queue.isFull(p[0]));
         x := Queue.capacity(t ? p[0] : p[1]); t := Queue.isFull(t ? p[0] : p[1]); p[1] := t ? Queue.create(1) : p[0];
         Map.put(r.waiting, E.A, Seq.create()); ss := invoke grow(singleton(1)); start U(Set.create(), Queue.create(3, 1, 2));
         t := Set.isEmpty(E.all) || Set.contains<E>(E.all, e); Set.add(ss, Set.create(1)); t := Queue.isEmpty(l);"
    );
}

#[test]
fn choices() {
    // A choice is merged neither with the action before it nor with the one after it.
    check!(
        "enum E { A, B } Set.type<int> s; Map.type<E, int> m; int x; E e; int[] a;",
        "x := Set.choose(s);
         atomic
           x := 1;
           e := Map.choose(m);
           x := 2;
           a[x] := Seq.choose<int>(Seq.create(1, 1));
           x := 3;
           x := 4;
         end
         e := Set.choose(E.all);"
    );
}

#[test]
fn quantifiers() {
    check!(
        "Set.type<int> s; Map.type<tid, Seq.type<int>> m; boolean b; int x;
         fun below(int n, Set.type<int> of) returns boolean = forall y in of : y < n && exists z in s : z > y + n;
         invariant Small = forall y in s : y < 9;",
        "int l; tid t;
         b := !forall y in s : y > x && b || y == l;
         b := exists k in m : forall y in Map.get(m, k) : exists z in s : y + z == l && k != t;
         b := forall x in s : (forall x in s : x > l) && x > 0;
         b := b ? exists y in s : y > 0 : below(l, s);
         while exists y in s : y > l do skip; end
         choose when <forall y in s : y > l> do skip; end"
    );
}

#[test]
fn abstract_enums() {
    check!(
        "abstract enum Id { a, b, c } Id i; Set.type<Id> s; Map.type<Id, tid> m;
         fun known(Id j) returns boolean = j != null && Map.containsKey(m, j);
         invariant Pinned = i != Id.a && forall j in s : known(j) => j == Id.b || exists k in Id.all : k == Id.c && k != j;",
        "i := Set.choose(Id.all);
         Set.add(s, i);
         assert i != Id.b && known(Id.a) && forall j in s : j != Id.a || Set.contains(s, Id.a);
         Map.put(m, i, null);
         s := Set.difference(Id.all, s);
         i := null;"
    );
}

#[test]
fn sized_enums() {
    check!(
        "const C { N = 3; } abstract enum Id [C.N - 1]; Id i; Set.type<Id> s;",
        "i := Set.choose(Id.all); Set.add(s, i);"
    );
}

#[test]
fn properties() {
    insta::assert_snapshot!(lowered(
        "system test {
           int x; int y; tid t;
           fun positive(int n) returns boolean = n > 0 && y == 0;
           invariant Positive = positive(x + 1) && !(t != null && threadTerminated(t));
           ltl Soon = <> (x > 1) && [] (not (x > 1) -> X (y == 1)) <-> always !(y == 1) W true;
           ltl Where = [] (exists D d: d@far || d@near) U #(D d: !d@near) >= 2 && (forall D d: d@far => d@near);
           ltl Each = forall D d: !d@far U (d@near && x > 1) -> <> (#(D e: e@far) > 1);
           ltl All = forall D d: d@far => d@near;
           active [1 + 1] thread A() { x := 1; }
           main thread B() { t := start A(); }
           active [0] thread C() {}
           active thread D() { loc near: x := invoke f() goto far; loc far: do {} return; }
           function f() returns int { return 1; }
         }"
    ));
}

#[test]
fn defines() {
    let text = "system test {
        const P { N = 3; M = P.N + 1; B = false; L = 1L; }
        const Q { N = 5; }
        int x := P.N; int y := P.M; boolean b := P.B; long l := P.L; int z := Q.N;
        active [P.N] thread T() { x := y + z; b := l == 0; }
    }";
    let check = |defines: &[(&str, &str)], expect: &[Option<ir::Const>], active: usize| {
        let (program, _) = compile_with(text, defines).unwrap();
        let found: Vec<_> = program.globals.values().map(|global| global.init).collect();
        assert_eq!(found, expect, "{defines:?}");
        assert_eq!(program.active.len(), active);
    };
    let int = |value| Some(ir::Const::Int(value));
    check(&[], &[int(3), int(4), None, int(1), int(5)], 3);
    check(&[("P.N", "7"), ("B", "true")], &[int(7), int(8), Some(ir::Const::Bool(true)), int(1), int(5)], 7);
    check(
        &[("M", "-1"), ("L", "0x100000000"), ("Q.N", "0")],
        &[int(3), int(-1), None, int(1 << 32), None],
        3,
    );
}

#[test]
fn constants_are_as_wide_as_both_cases() {
    let text = "system s {
        const P { A = (true ? -1 : 0L) ushr 60; B = (false ? 1 / 0 : -1) ushr 28; }
        int a := P.A; int b := P.B;
        active thread T() { a := b; }
    }";
    let (program, _) = compile(text).unwrap();
    assert!(program.globals.values().all(|global| global.init == Some(ir::Const::Int(15))));
}

#[test]
fn constants_are_listed() {
    let mut map = source::SourceMap::new();
    let text = "system s { const P { N = 3; B = true; S = \"x\"; } const Q { M = P.N * 2; } }";
    let file = map.add("model.bir", text).unwrap();
    let found: Vec<_> = quotient_bir::constants(&map, file)
        .unwrap()
        .into_iter()
        .map(|constant| format!("{}.{} = {}", constant.group, constant.name, constant.value))
        .collect();
    assert_eq!(found, ["P.N = 3", "P.B = true", "Q.M = 6"]);
}

#[test]
fn labels_and_loops() {
    check!(
        "int x; Set<int> s; Seq<int> q; Map<int, int> m; int[] a;
         ltl P = [] !(exists T t: t@busy && !t@idle);",
        "idle end: when <x > 0>;
         busy: while true do
           if x == 1 do break; else if x == 2 do continue; end
           x -= 1;
         end
         for i in 0..x do
           for j in 1..=3 do x += i * j; end
         end
         for k in s do x := k; end
         atomic
           for k in q do x := k; if x == 2 do break; end end
           for k in m do m[k] += 1; end
         end
         for y in a do x := y; end"
    );
}

#[test]
fn literals_and_methods() {
    check!(
        "Set<int (0, 3)> s; Seq<Set<int>> q; Map<int, Seq<int>> m; Bag<boolean> b; int x;",
        "s := Set{1, 2};
         s.add(3);
         q := Seq{Set{}, Set{1, 2}};
         q[0] := q[1].union(Set{3});
         m := Map{1: Seq{2}, 2: Seq{}};
         m[1][0] := m[2].size + q.length;
         m[2].append(4);
         b := Bag{true, s.contains(3), Set{x} == Set{1}};
         x := s.choose();
         m[3][0] := m[1].choose();"
    );
}

#[test]
fn objects_in_expressions() {
    check!(
        "record R { int v := 4; boolean b := false; R next; } record S extends R { long w := 5000000000; }
         throwable record E { string text := \"gone\"; }
         R r; Map<int, R> m; thread U(R a, lock b) {} fun f(R a, R b) returns boolean = a == b;
         function g(R a) returns R { return new S; }",
        "boolean c; tid t; Map<int, tid> ts;
         r := new S; r.next := new R; m[1] := new R;
         c := f(new R, new S);
         t := start U(new R, new lock);
         ts[1] := start U(null, null);
         r := invoke g(new R);
         try throw new E; catch (E e) assert e.text == \"gone\" : \"the text stays\"; end"
    );
}

#[test]
fn new_words_as_names() {
    check!(
        "record import { int break; } import continue; int for; Set<int> in; record run { int let; } run loop;
         fun and(int not) returns int = not; boolean or;",
        "import end0; run let; int elif; run pass;
         for := 3;
         continue := new import;
         continue.break := for;
         end0 := continue;
         for in0 in in do elif += and(in0); end
         or := or && in.contains(elif);
         let := loop; pass := let;
         pass.let := for"
            .to_owned()
            + ";"
    );
}
