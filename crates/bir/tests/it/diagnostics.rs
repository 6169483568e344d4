//! Diagnostics of wrong models: one test for each family of codes.

use crate::common::{compile, compile_with, repeated};
use source::{SourceMap, Style};

const NO_FILES: std::collections::BTreeMap<String, Vec<u8>> = std::collections::BTreeMap::new();

/// Renders the diagnostics of each text, one after the other.
fn rendered<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts {
        match compile(text) {
            Ok((_, warnings)) => {
                all.push_str("accepted\n");
                all.push_str(&warnings);
            }
            Err(errors) => all.push_str(&errors),
        }
        all.push_str("\n--------\n\n");
    }
    all
}

/// The diagnostics of whole models.
macro_rules! systems {
    ($($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([$($text),*]))
    };
}

/// The diagnostics of members of a system with an active thread.
macro_rules! members {
    ($($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([
            $(concat!("system s {\n", $text, "\nactive thread _T() { skip; }\n}")),*
        ]))
    };
}

/// The diagnostics of bodies of an active thread, next to some members.
macro_rules! bodies {
    ($members:expr; $($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([
            $(concat!("system s {\n", $members, "\nactive thread _T() {\n", $text, "\n}\n}")),*
        ]))
    };
}

#[test]
fn lexical() {
    systems!(
        "system s {\n  int @ x; \u{0} int ü;\n}",
        "system s {\n  string s := \"abc;\n}",
        "system s {\n  /* int x;\n}",
        "system s {\n  string s := \"a\\qb\\\"\";\n  active thread _T() { s := \"\"; }\n}",
        "system s {\n  int x := 12a;\n  int y := 0xg;\n  long z := 99999999999999999999;\n  int w := 0x;\n}",
        "",
        "\u{0}\u{1}\u{7f}",
    );
}

#[test]
fn syntax_of_members() {
    systems!(
        "sytem s {}",
        "system {}",
        "system s {",
        "system s {} int x;",
        "system s {\n  int x = 3;\n  int;\n  boolean b\n  int y;\n  foo bar baz;\n}",
        "system s {\n  const { N = 3; }\n  const P { N 3; M = 4; = 5; }\n  enum E {}\n  enum F { A B }\n}",
        "system s {\n  record R extnds S { int x; }\n  record T { int; boolean b; int end; }\n  typealias A;\n}",
        "system s {\n  active function f() {}\n  thread (int x) {}\n  function g(int) {}\n  fun h() = 1;\n  fun i() returns int { 1 }\n}",
        "system s {\n  virtual v {}\n  virtual w { R f }\n  invariant = 3;\n  ltl P = ;\n  ltl Q [] x;\n  thread t()",
    );
}

#[test]
fn syntax_of_statements() {
    bodies!("int x;";
        "x := 1\nx := ;\nx = 2;\nx + 1;\nf(x);\nx := 3;",
        "while x < do\n  x := 1;\nend\nif x do end\nchoose end\natomic x := 1;",
        "try x := 1; end\ntry x := 1; catch E e x := 2; end\nx := 4;",
        "x := 1;\nint y;\nasert x == 1;\nx := 2;",
        "end\nelse\nx := 1;",
        "x := 1;\nloc a: do {} goto a;",
        "x := start f();\nx := 1 + start f();\nx := (invoke f());",
        "choose when x > 1 do skip; when < x > 1 do skip; do skip; end",
        "x := new int;\nx := new R();\nx := new int[];\nx := new int[3][4];",
        "x := (1 + 2;\nx := a[1;\nx := b ? 1;\nlock x;\nassert;\nreturn",
        "x := 1;;",
    );
}

#[test]
fn syntax_of_locations() {
    bodies!("int x;";
        "loc a do {} goto a;\nloc b: goto a;\nloc c: do { x := 1 } goto b;\nloc d: do {} gto a;\nloc e: do {} return;",
        "loc a: when x do { return; } goto a;\nloc b: do { x := invoke f(); while true do } goto a;\nloc c: x := 1 goto a;",
        "loc a: do {} goto a;\nint y;\ncatch E e goto a;\ncatch E at a goto a;",
    );
}

#[test]
fn unsupported() {
    systems!(
        "system s {
           extension Set for edu.ksu.Set {
             typedef type<'a>;
             expdef boolean contains<'a>(Set.type<'a>, 'a);
           }
           extension Foo for Bar;
           active thread _T() { Set.type<int> t; Set.add(t, 1); }
         }",
        "system s { Foo.type<int> a; Sett.type<int> b; active thread _T() { int x; x := Foo.size(a); x := Sett.size(a); } }",
    );
}

#[test]
fn types_of_collections() {
    members!(
        "Set<int> a;",
        "Set.typ<int> a; Set.type<int b;",
        "Set.type a; Set.type<int, int> b; Map.type<int> c; Map d; Set.type<Unknown> e; Map.type<Unknown, Other> f;",
        "function f() { Set<int> a; skip; } function g() { skip; Set.type<int> a; }",
        "typealias T Set.type<T>; typealias U Map.type<int, V>; typealias V U[];",
        "Set.type<int> a := Set.create<boolean>(); Set.type<int> b := Set.create(1); Queue.type<int> c := Queue.create(2);
         Seq.type<int> d := null; Set.type<E> e := E.all; enum E { A } int f := Set.size(a);
         Map.type<int, int> g := Map.create<int>(); Bag.type<int> h := Seq.create<int>();
         Set.type<int> _i := Set.create<int>(); Queue.type<int> _j := Queue.create(0);",
    );
}

#[test]
fn operations() {
    bodies!("Set.type<int (0, 3)> s; Bag.type<boolean> b; Map.type<R, int> m; Seq.type<R> q; Queue.type<int> p; record R { Set.type<R> f; }
             R r; int x; boolean t;";
        "Set.insert(s, 1);\nt := Set.contain(s, 1);\nx := Queue.length(p);\nx := s.size();\nr.f.add(r);\nx := x.size(1);\nx := Set.xyz(1 + true);",
        "Set.add(s);\nMap.put(m, r);\nx := Set.size();\nm := Map.create<R, int>(r);\np := Queue.create();\nx := Map.get(m, r, 1);\nt := Queue.isFull(p, 1);",
        "Set.add(s, true);\nSet.add(s, 4);\nt := Set.contains(s, 4);\nt := Set.contains(s, r);\nMap.put(m, 1, r);\nx := Seq.get(q, r);\nSeq.put(q, 0, x);",
        "s := Set.create(true, 1, 7);\ns := Set.create<int (0, 3)>(5);\np := Queue.create(t, 1, r);\nm := Map.create(r, 1, x, r);",
        "x := Set.size(q);\nx := Seq.head(s);\nx := Set.size(x);\nx := Map.size(s);\nSet.append(q, r);\ns := Set.union(s, r.f);\nt := Set.subset(s, b);",
        "x := Set.size(Set.create(1, 2));\nx := Set.create();\nt := Set.create() == Set.create();\ns := Set.create<int>();\ns := Set.create<int, int>();
         s := Set.create<Unknown>();\nx := Set.size<int>(s);\nx := Set.size<int (0, 3)>(s);\nt := Set.isEmpty<int>(Set.create());",
        "Set.size(s);\nSet.choose(s);\nSet.add(Set.create<int>(), 1);\nSet.add();\nMap.get(m, r);\nSet.create<int>();\nSet.add(y, 1);\nSet.add(R.f, 1);",
        "x := Set.choose(s) + 1;\nt := Set.contains(s, Set.choose(s));\nt := Bag.choose(s);\nt := Set.choose(s);\nr := Map.choose(m);\nx := Set.choose(s, 1);\nx := Set.choose(y);",
        "t := s == b;\nt := s == null;\nt := s == Set.create<int>();\nt := q == r;\ns := null;\nx := s;\nx := s[0];\nx := q[0];\nx := s.size;\nm[r] := 1;",
        "s := new Set.type<int>;\ns := (Set.type<int>) s;\nt := Set.type<int>;\nx := Set;\ns := Set.create<int(1);",
    );
}

#[test]
fn quantifiers() {
    bodies!("enum E { A, B } record R { int[] f; } Set.type<int> s; R r; int x; boolean b;";
        "b := forall y in x : y > 0;\nb := exists y in r.f : y > 0;\nb := forall y in E : y == E.A;\nb := forall y in s : y;\nb := forall y in E.all : y > 1;",
        "b := forall y : s;\nb := exists int y in s : y > 0;\nb := exists R y in s : y > 0;",
        "b := exists y in s y > 0;\nb := forall y in s;\nb := forall in s : true;\nforall y in s : y > 0;",
        "b := (forall y in s : y > 0) && y > 1;\nb := exists y in unknown : y > z;\nx := forall y in s : y > 0;",
        "b := forall y in Set.create(1) : y > 0;",
        "b := forall y in s : b;\nb := forall _y in s : exists y in s : b;",
    );
}

#[test]
fn quantifiers_in_invariants() {
    members!(
        "Set.type<int> s; lock k;
         fun mine(int n) returns boolean = hasLock(k) && n > 0;
         invariant I = forall y in s : exists z in s : y < z && mine(z);
         invariant J = exists y in s : hasLock(k) && y > 0;
         invariant K = forall y in s : local > y;
         thread U() { int local; local := 1; }",
    );
}

#[test]
fn abstract_enums() {
    members!(
        "abstract enum Id { a, b } enum E { A, all } Set.type<Id> s; Id i;
         const C { X = Id.a; Y = Id.all; Z = E.all; }
         Id j := Id.b; Id k := null; E e := E.all; Id l := Id.all;
         fun first() returns Id = Id.a;
         invariant I = i != Id.a;
         invariant J = forall y in s : y != Id.c;
         fun every() returns boolean = forall y in s : y != Id.a;",
    );
}

#[test]
fn sizes_of_abstract_enums() {
    members!(
        "const C { N = 2; B = true; } int x;
         abstract enum Two [C.N];
         abstract enum None [0];
         abstract enum Many [5000];
         abstract enum Odd [C.B];
         abstract enum Variable [x];
         Two a := Two.Two1;",
        "enum Plain [3];",
        "abstract enum Open [3; int x;",
    );
}

#[test]
fn elements_of_abstract_enums() {
    bodies!("abstract enum Id { a, b } enum E { A } const C { X = 1; } Id i; Id j; E e; Set.type<Id> s; int x; boolean t; Map.type<Id, int> m;";
        "i := Id.a;\nSet.add(s, Id.a);\nif Id.a == i do skip; end\nassume i == Id.a;\nassert i == Id.a;\nassert forall k in s : k != Id.b;\ni := Id.all;",
        "t := i < j;\nx := i + 1;\nt := i == null;\ni := null;\ni := 1;\nx := (int) i;\nt := i == E.A;\nx := Map.get(m, i);\nId.a := null;",
        "Id.all := s;\ns := Id.all();\ns := i.all;\ns := C.all;\ns := Id;\ns := Id.al;\nt := e == E.all;",
    );
}

#[test]
fn only_equality() {
    bodies!("record R {} R r; int[] a; lock k; tid t; abstract enum Id { A } Id i; Set.type<R> s; Seq.type<int> q; int x; boolean b;";
        "b := r < r;\nb := a >= a;\nx := t + 1;\nb := t < t;\nx := k & k;\nb := i <= i;\nx := i shl 1;\nx := -r;\nx := a[t];\nb := r && b;",
        "b := s < s;\nb := q <= q;\ns := s + r;\nx := Set.size(s) + 1;\nb := s == s;\nb := -s;",
    );
}

#[test]
fn unknown_names() {
    bodies!("const PARAM { Max = 3; } enum Colour { Red, Green } top record Node { Node next; int value; }
             record Leaf extends Node { int weight; } Node root; fun size(int n) returns int = n; function f() {}";
        "int count;\ncuont := 1;\ncount := Max;\ncount := Green;\ncount := PARAM.Min;\ncount := PARAM.Mix;\ncount := xyz;",
        "Colour c;\nc := Colour.Gren;\nc := Colour;\nc := Color.Red;\nc := c.Red;",
        "Nod n;\nleaf l;\nroot m;\nfoo o;",
        "root.nxt := null;\nroot.weight := 1;\nroot.nothing := 2;",
        "int n;\nn := sise(1);\nn := f();\ninvoke g();\ninvoke size(1);\ninvoke root();\nstart ff();\nstart f();",
        "loc start0: do {} goto strat0;\nloc b: live { x, root } do {} goto nowhere;",
    );
}

#[test]
fn duplicates() {
    members!(
        "int x; boolean x; record x {}",
        "enum E { A, B, A } const C { N = 1; N = 2; } record R { int f; boolean f; } record S extends R, R {}",
        "function f(int a, int a) { int a; skip; } fun g(int b, int b) returns int = b;",
        "invariant P = true; ltl P = true; invariant P = false;",
        "function f() { loc a: do {} return; loc a: do {} return; }",
    );
}

#[test]
fn records_and_types() {
    members!(
        "record A extends B {} record B extends C {} record C extends A {} record D extends A {}",
        "typealias T T[]; typealias U V; typealias V U; typealias W int; W w; T t;",
        "top record O {} top record P extends O {} record Q extends X {} record R extends W {} enum W { A }",
        "record A { int f; } record B { int f; } record C extends A, B {} record D extends A { boolean f; }",
        "int (3, 1) a; int (0, 3000000000) b; int (0, x) c; int (0, true) d; long (0, 3000000000) e; int x;",
        "record A { Unknown f; Unknown g; } A a; invariant I = a.f == a.g;",
    );
}

#[test]
fn constants() {
    members!(
        "const P { A = 1 / 0; B = 1 % (2 - 2); C = 9223372036854775807 + 1; D = 2000000000 + 2000000000; }",
        "const P { A = P.B; B = 1; C = P.X; D = Q.X; E = x; F = A; } int x;",
        "const P { A = 1 + true; B = !1; C = -true; D = true && 1; E = 1 ? 2 : 3; F = f(1); G = \"a\" + 1; }",
        "const P { A = 1 shl 40; B = 1 shl -1; C = -(-9223372036854775808); }",
        "int x := true; boolean b := 1; int (0, 3) c := 4; int[] d := 3; long e := y; int y; E g := E.C; enum E { A }",
    );
}

#[test]
fn defines() {
    let text = "system s {
  const P { N = 3; B = true; S = \"x\"; Same = 1; }
  const Q { Same = 2; }
  active thread _T() { skip; }
}";
    let check = |name, value| compile_with(text, &[(name, value)]).unwrap_err();
    let all = [
        check("M", "1"),
        check("P.Same2", "1"),
        check("Same", "1"),
        check("N", "many"),
        check("P.N", "3000000000"),
        check("B", "1"),
        check("S", "x"),
        compile_with(text, &[("N", "1"), ("P.N", "2")]).unwrap_err(),
        compile_with("system s { active thread _T() {} }", &[("N", "1")]).unwrap_err(),
    ];
    insta::assert_snapshot!(all.join("\n--------\n\n"));
}

#[test]
fn wrong_types() {
    bodies!("enum E { A } top record R { int value; } int i; boolean b; E e; R r; int[] a; tid t; lock k; string s;
             fun f(int n, boolean c) returns int = n; function g(R r) returns int { return r.value; }
             thread U(int n) { assert n > 0; }";
        "i := true;\nb := 1;\nr := a;\na := r;\ne := 1;\nr.value := null;\na[0] := b;\nt := k;",
        "i := i + b;\nb := i && b;\nb := i < e;\nb := i == b;\ni := !i;\ni := -b;\ni := b & i;\nb := e == r;\nb := s == null && i == null;",
        "i := b ? 1 : true;\ni := i ? 1 : 2;\ni := i.value;\ni := a.size;\ni := i[0];\ni := a[b];\ni := null.value;",
        "if i do skip; end\nwhile r do skip; end\nassert i;\nassume null;\nchoose when <i> do skip; end",
        "lock(r);\nunlock(null);\nwait(i);\nb := hasLock(r);\nb := threadTerminated(k);",
        "i := f(1);\ni := f(true, 1);\ni := invoke g(1);\nb := invoke g(r);\ninvoke g();\nstart U();\ni := start U(1);\nstart U(b);",
        "delete r;\ndelete i;\ndelete (t);\ndelete null;",
        "throw r;\nthrow i;\ntry skip; catch (R x) skip; catch (E y) skip; end",
        "a := new R[2];\nr := new lock;\nr := new E;\na := new int[b];\ni := new R;\ni := (new R).value;\nr.value := f(new int[1], b);",
        "loc l: when i do { i := b; } goto l; when true i := invoke h() goto l;",
    );
}

#[test]
fn assignments() {
    bodies!("const P { N = 1; } enum E { A } int[] a; function f() {} fun g() returns int = 1; int (0, 3) small; int wrap (0, 3) round;";
        "P.N := 2;\nE.A := 1;\na.length := 3;\n(1) := 2;\nf := 1;\ng() := 2;\nP := 3;\nP.M := 1;\n(small) := 1;",
        "small := 4;\nsmall := -1;\nsmall := P.N + 5;\nround := 4;\na[0] := 3000000000;\nsmall := 3;",
    );
}

#[test]
fn related_records() {
    bodies!("top record O {} record A extends O {} record B extends O {} record C extends A {} record I {}
             record D extends C, I {} O o; A a; B b; C c; I i; boolean x;";
        "x := a == b;\nx := a == i;\nx := b == i;\nx := c == o;",
        "a := (A) o;\na := (A) b;\ni := (I) a;\ni := (I) b;\na := (A) 1;\nx := (boolean) x;\no := (O[]) o;",
        "x := o instanceof A;\nx := b instanceof A;\nx := x instanceof A;\nx := a instanceof x;",
        "int n; long l;\nl := (long) n;\nn := (int) l;\nn := (int (0, 3)) n;",
    );
}

#[test]
fn returns() {
    members!(
        "function f() { return 1; } function g() returns int { return; } function h() returns int { return true; }
         thread U() { return 1; }",
        "function f() returns int { skip; } function g(boolean b) returns int { if b do return 1; end }
         function h() returns int { while false do return 1; end } function i() returns int {}",
        "function f() returns int { loc a: do {} return; } function g() { loc a: do {} return 1; }",
        "int x; function f() { x := invoke g(); } function g() { skip; }",
    );
}

#[test]
fn threads() {
    systems!(
        "system s { thread T() { skip; } function f() {} }",
        "system s { active thread T(int n) { assert n == 0; } main thread M(int m) { skip; } }",
        "system s { main thread M() { skip; } main thread N() { skip; } }",
        "system s { const P { N = -1; } active [P.N] thread T() { skip; } active [10000] thread U() { skip; }
           active [x] thread V() { skip; } active [true] thread W() { skip; } int x; }",
        "system s { active thread T() { invoke T(); start f(); start T(1); } function f() {} }",
    );
}

#[test]
fn tables() {
    members!(
        "top record A {} record B extends A {} record C extends A {} record D extends B, C {}
         function f(A a) {} function g(A a) {}
         virtual v { B -> f C -> g } virtual w { A -> f B -> g C -> g }",
        "top record A {} record B extends A {} int x;
         function f(A a, int n) {} function g(B b) {} function h(A a, long n) {} function i(A a, int n) returns int { return 1; }
         function j() {} function k(int n) {} thread t(A a) {}
         virtual v1 { A -> f B -> g } virtual v2 { A -> f B -> h } virtual v3 { A -> f B -> i } virtual v4 { A -> g }
         virtual v5 { A -> j } virtual v6 { A -> k } virtual v7 { A -> t X -> f A -> y x -> f } virtual v8 { A -> f A -> f }",
        "top record A {} record B extends A {} record C extends A {} C c; int n;
         function f(B b) returns int { return 1; } virtual v { B -> f }
         function g(A a) { n := invoke virtual v(c); n := invoke virtual v(a); n := invoke virtual v(n); n := invoke virtual v();
           invoke v(a); invoke virtual f(a); invoke virtual u(a); }",
    );
}

#[test]
fn handlers() {
    members!(
        "throwable record E {} record F extends E {} record G {} int n;
         function f() { E e; F x; G g; int i;
           loc a: do { throw x; } goto b;
           loc b: do {} return;
           catch G g at a goto b; catch E x at a goto b; catch F e at a goto b; catch E i at a goto b; catch E n at a goto b;
           catch E e at c goto d; catch H e at a goto b; }",
        "throwable record E {} record F extends E {} int n;
         function f() { F x;
           try n := 1; catch (E x) n := 2; catch (E n) throw n; catch (F y) throw y; end
           throw y; }",
    );
}

#[test]
fn invariants() {
    members!(
        "lock k; int x; boolean b;
         fun mine() returns boolean = hasLock(k); fun same() returns boolean = mine() || same();
         fun open(lock l) returns boolean = l == null;
         invariant A = hasLock(k); invariant B = lockAvailable(k) || wasNotified(k); invariant C = same();
         invariant D = open(k); invariant E = x; invariant F = local > 0; invariant G = new R;
         thread U() { int local; local := 1; }",
    );
}

#[test]
fn warnings() {
    systems!(
        "system s {
  int unused; int _meant; int used; int temporal;
  function never() {}
  function recursive() { invoke recursive(); }
  fun pure() returns int = 1;
  thread started() { start started(); }
  record R {}
  virtual table { R -> target }
  function target(R r) {}
  ltl P = [] (temporal > 0);
  active thread T(){
    int a; int b; int _c;
    loc x: live { a } do { b := used; } goto y;
    loc y: do {} goto x;
    loc z: do {} goto w;
    loc w: do {} goto z;
  }
}",
        "system s {
  int x;
  function f() returns int {
    if x > 0 do return 1; else do throw null; end
    x := 1;
    x := 2;
  }
  active thread T() {
    while true do
      x := invoke f();
      if x == 1 do exit; x := 2; end
    end
    x := 3;
  }
}",
    );
}

#[test]
fn temporal_properties() {
    let many = (0..65).map(|n| format!("<> (x == {n})")).collect::<Vec<_>>().join(" || ");
    let member = |text: &str| {
        format!(
            "system s {{\nint x; boolean b; lock l;\nfun held() returns boolean = hasLock(l);\n{text}\nactive \
             thread _T() {{\nloc idle: when x < 1 do {{ x := 1; b := held(); }} goto busy;\nloc busy: do {{}} goto idle;\n}}\n}}"
        )
    };
    insta::assert_snapshot!(rendered(
        [
            "ltl P = [] x > 3;",
            "ltl P = [] (x + (<> b));",
            "ltl P = [] (b -> ;",
            "ltl P = b b;",
            "ltl P = [] x;",
            "ltl P = [] (b -> <> missing);",
            "ltl P = [] (exists _T p: p@bussy);",
            "ltl P = [] (exists T p: p@busy);",
            "ltl P = [] (exists _T p: q@busy);",
            "ltl P = [] (exists _T p: p@busy && x > 0);",
            "ltl P = [] p@busy;",
            "ltl P = <> hasLock(l);",
            "ltl P = <> held();",
            "invariant P = exists _T p: p@busy;",
            &format!("ltl P = {many};"),
            "ltl P = [] (exists _T p: p@idle) -> (exists _T p: p@busy);",
            "ltl P = X (#(_T p: p@busy) == 1) U (forall _T p: !p@busy);",
        ]
        .map(member)
        .each_ref()
        .map(String::as_str)
    ));
}

#[test]
fn individuals() {
    let many = (0..64).map(|n| format!("<> (x == {n})")).collect::<Vec<_>>().join(" || ");
    let member = |text: &str| {
        format!(
            "system s {{\nrecord R {{ int f; }}\nint x; R r;\nltl P = {text};\nactive thread T() {{\nloc idle: when x < 1 \
             do {{ x := 1; r := new R; r.f := 1; }} goto busy;\nloc busy: do {{}} goto idle;\n}}\n}}"
        )
    };
    insta::assert_snapshot!(rendered(
        [
            "forall T p: [] (p@idle -> <> p@busy)",
            "forall T p: p@idle U p@busy",
            "forall T p: p@idle => p@busy",
            "forall U p: [] p@idle",
            "forall R p: [] p@idle",
            "forall T p: [] p@bussy",
            "forall T p: [] q@busy",
            "[] (forall T p: <> p@busy)",
            "[] (x > 0 -> (forall T p: !(p@idle -> <> p@busy)))",
            "[] (forall T p: p@idle -> <> p@busy)",
            "exists T p: [] p@busy",
            "exists T p: p@idle -> <> p@busy",
            "<> (#(T p: (p@idle U p@busy)) > 1)",
            "forall T p: forall T q: [] (p@idle || q@idle)",
            "forall T p: exists T q: [] (p@idle || q@idle)",
            "forall T p: [] (exists T p: p@busy)",
            "forall T p: [] (exists T q: q@busy && p@busy)",
            &format!("forall T p: {many}"),
        ]
        .map(member)
        .each_ref()
        .map(String::as_str)
    ));
}

/// Properties that come with a model use its names, and errors point into their own text.
#[test]
fn additional_properties() {
    let model = "system s {\nint x;\nactive thread T() { loc a: when x < 9 do { x := x + 1; } goto a; }\n}";
    let hoa = |ap: &str| {
        format!(
            "HOA: v1 States: 1 Start: 0 AP: 1 {ap} Acceptance: 1 Inf(0) --BODY-- State: 0 {{0}} [0] 0 --END--"
        )
    };
    let texts = [
        "[] (x > 3 -> <> (exists T t: t@a))".to_owned(),
        "forall T t: [] (t@a -> x > 3)".to_owned(),
        "exists T t: [] t@a".to_owned(),
        hoa("\"x > 3\""),
        "[] (x > 3 -> <> y".to_owned(),
        "<> (y > 1)".to_owned(),
        "x > 1 x".to_owned(),
        String::new(),
        hoa("\"x >\""),
        hoa("\"x > 3 y\""),
        hoa("x"),
    ];
    let each = |text: &String| {
        let mut map = SourceMap::new();
        let file = map.add("model.bir", model).unwrap();
        let property = map.add("--ltl", text).unwrap();
        match quotient_bir::compile_with(&mut map, &NO_FILES, file, &[], &[property]) {
            Ok((program, _)) => {
                assert_eq!(ir::verify(&program), Ok(()));
                let text = ir::text::print(&program);
                text[text.find("property").unwrap()..].to_owned()
            }
            Err(errors) => errors.render(&map, Style::Plain),
        }
    };
    insta::assert_snapshot!(texts.iter().map(each).collect::<Vec<_>>().join("\n--------\n\n"));
}

#[test]
fn several_errors_are_sorted_and_capped() {
    let text = format!("system s {{ active thread T() {{\n{} }} }}", "x := 1;\n".repeat(70));
    let errors = compile(&text).unwrap_err();
    assert_eq!(errors.matches("error[E0301]").count(), 50);
    assert!(errors.ends_with("the rest of the input was not looked at\n"), "{errors}");
    let text = format!("system s {{ active thread T() {{\n{} }} }}", "x = 1;\n".repeat(70));
    assert_eq!(compile(&text).unwrap_err().matches("error[E0201]").count(), 50);
}

#[test]
fn limits() {
    let deep = "(\n".repeat(250);
    let long = "1 +\n".repeat(450);
    let alias = repeated(300, |index| format!("typealias T{index} T{};\n", index + 1));
    let record = repeated(300, |index| format!("record R{} extends R{index} {{}}\n", index + 1));
    insta::assert_snapshot!(rendered([
        format!("system s {{ active thread T() {{ x := {deep}").as_str(),
        format!("system s {{ active thread T() {{ x := {long}").as_str(),
        format!("system s {{ int{} x; }}", "[]".repeat(40)).as_str(),
        format!("system s {{ {alias} active thread T() {{}} }}").as_str(),
        format!("system s {{ record R0 {{}} {record} active thread T() {{}} }}").as_str(),
    ]));
}

#[test]
fn every_code_has_a_snapshot() {
    let codes = quotient_bir::codes::ALL;
    assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/snapshots");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for code in codes {
        assert!(all.contains(&format!("[{code}]")), "{code}");
    }
}
