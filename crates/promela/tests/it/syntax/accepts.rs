//! Accepted models, and their meaning.

use super::{Files, parse, parse_files, print, tree};
use quotient_promela::ast::{Item, StmtKind};

/// The statements of a process, printed.
fn body(text: &str) -> String {
    let printed = tree(&format!("active proctype P() {{ {text} }}"));
    let lines = printed.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// An expression, printed.
fn expr(text: &str) -> String {
    body(&format!("x = {text}")).strip_prefix("x = ").unwrap().to_owned()
}

/// A formula, printed.
fn formula(text: &str) -> String {
    tree(&format!("ltl p {{ {text} }}")).trim_end().strip_prefix("ltl p: ").unwrap().to_owned()
}

#[test]
fn the_sample() {
    insta::assert_snapshot!(tree(include_str!("sample.pml")));
}

#[test]
fn precedence() {
    assert_eq!(
        expr("a || b && c | d ^ e & f == g"),
        "(a Or (b And (c BitOr (d BitXor (e BitAnd (f Equal g))))))"
    );
    assert_eq!(expr("a == b < c << d + e * f"), "(a Equal (b Less (c ShiftLeft (d Add (e Multiply f)))))");
    assert_eq!(expr("a - b - c"), "((a Subtract b) Subtract c)");
    assert_eq!(expr("!a == -b * ~c"), "((Not a) Equal ((Negate b) Multiply (Complement c)))");
    assert_eq!(expr("(a -> b : (c -> d : e))"), "(a -> b : (c -> d : e))");
    assert_eq!(expr("- 1 - -1"), "((Negate 1) Subtract (Negate 1))");
    assert_eq!(expr("'a' + '\\n' + '\\\\' + '\\0'"), "(((97 Add 10) Add 92) Add 48)");
    assert_eq!(expr("010 + true + false + skip"), "(((10 Add 1) Add 0) Add 1)");
}

#[test]
fn precedence_of_formulas() {
    assert_eq!(formula("[] p -> q -> r"), "(((always `p`) implies `q`) implies `r`)");
    assert_eq!(formula("p U q U r && s"), "(((`p` until `q`) until `r`) and `s`)");
    assert_eq!(formula("a == 1 U b > 2 || c"), "((`(a Equal 1)` until `(b Greater 2)`) or `c`)");
    assert_eq!(formula("![]<>!p"), "(not (always (eventually `(Not p)`)))");
    assert_eq!(formula("!p && q || !(r && s)"), "`(((Not p) And q) Or (Not (r And s)))`");
    assert_eq!(formula("(p -> q) && X r;"), "((`p` implies `q`) and (next `r`))");
    assert_eq!(formula("p<->q stronguntil r"), "(`p` equivalent (`q` until `r`))");
    assert_eq!(formula("full(q) weakuntil !len(q)"), "(`Full(q)` weakuntil `(Not len(q))`)");
}

#[test]
fn ends_of_lines_are_semicolons() {
    assert_eq!(body("x = a\n- b"), "x = a\n(Negate b)");
    assert_eq!(body("x = (a\n- b)"), "x = (a Subtract b)");
    assert_eq!(body("x = a -\n b"), "x = (a Subtract b)");
    // SPIN's preprocessor prints a new line for each of these.
    assert_eq!(body("x = a /*\n*/ - b"), "x = a\n(Negate b)");
    assert_eq!(body("x = a \\\n - b"), "x = a\n(Negate b)");
    assert_eq!(body("x = a\\\n- b"), "x = (a Subtract b)");
    assert_eq!(body("x++\ny--\ngoto l\nl: break\n timeout\nx"), body("x++;y--;goto l;l:break;timeout;x"));
    assert_eq!(body("a\n-> b\n; c\n\n; ;\n d ->\n"), "a\nb\nc\nd");
    assert_eq!(body("{ a\n} b; {c}; atomic { d } -> e"), body("{ a }; b; {c} atomic { d } e"));
    assert_eq!(
        body("if\n:: a\n:: else b++\n:: c -> d;\nfi\nx"),
        body("if :: a :: else -> b++ :: c; d fi; x")
    );
    assert_eq!(body("for (i : 1 .. 2)\n{ a }"), body("for (i : 1 .. 2) { a }"));
    assert_eq!(body("a\nunless\n{ b }\nc"), body("a unless { b } c"));
}

#[test]
fn uses_of_macros_are_one_line() {
    let model = "#define SUM(a, b) a \\\n + b\nactive proctype P() { x = SUM(1,\n 2)\n x = SUM\n(3, 4) }";
    assert_eq!(tree(model), "active proctype P()\n  x = (1 Add 2)\n  x = (3 Add 4)\n");
    // The text after them is on its own line.
    let model = "#define SUM(a, b) a + b\nactive proctype P() { x = SUM(1,\n 2) - 3; x = SUM(4, 5) - 6 }";
    let printed = "active proctype P()\n  x = (1 Add 2)\n  (Negate 3)\n  x = ((4 Add 5) Subtract 6)\n";
    assert_eq!(tree(model), printed);
    // A line that starts with a macro with an empty expansion is a new line all the same.
    let model = "#define NOTHING\nactive proctype P() { x = 1\nNOTHING y = 2\nNOTHING\n z = 3 }";
    assert_eq!(tree(model), "active proctype P()\n  x = 1\n  y = 2\n  z = 3\n");
}

#[test]
fn messages() {
    assert_eq!(body("q!a,b; q!a(b,c); q!!(a),b"), "q ! a, b\nq ! a, b, c\nq !! a, b");
    assert_eq!(body("q?a,b; q?a(b,c); q??(a,-2); q?(a(b))"), "q ? a, b\nq ? a, b, c\nq ?? a, -2\nq ? a, b");
    assert_eq!(
        body("q?<a>; q??<a,1>; q?[a]; q??[a(1)] && x"),
        "q ? <a>\nq ?? <a, 1>\nq?[a]\n(q??[a, 1] And x)"
    );
    assert_eq!(body("a[1].b[c.d] ! x.y; q?eval(x + 1)"), "a[1].b[c.d] ! x.y\nq ? eval((x Add 1))");
}

#[test]
fn labels_and_processes() {
    assert_eq!(body("a: b: x; c: ; d:"), "a:\nb:\nx\nc:\n1\nd:\n1");
    // `P` is a process: this is not a label.
    assert_eq!(body("P:x == 1; P[1]:y[2] > P@l"), "(P:x Equal 1)\n(P[1]:y[2] Greater P@l)");
    // `Q` is not a process: this is a label, and an index.
    assert_eq!(body("Q:x == 1; (c -> Q[1] : x)"), "Q:\n(x Equal 1)\n(c -> Q[1] : x)");
    assert_eq!(body("Q[1]@l"), "Q[1]@l");
}

#[test]
fn selects() {
    assert_eq!(
        body("select(i:0..32); select(i : 1 .. 34)"),
        "select i : 0 .. 32 Options\nselect i : 1 .. 34 Loop"
    );
    for general in
        ["a_b : 0 .. 1", "i : -1 .. 1", "i : 0 ..\n1", "a[1] : 0 .. 1", "i : 0 .. n", "i : (0) .. 1"]
    {
        assert!(body(&format!("select({general})")).ends_with("General"), "{general}");
    }
    let model = "inline f() { select(i : 0 .. 1) } active proctype P() { f() }";
    assert!(tree(model).ends_with("General\n"));
}

#[test]
fn inlines() {
    // Arguments are text, and fields are names like others.
    let model = "inline f(a, b) { a = b * 2; s.a = 1; lab: goto lab }\n active proctype P() { f(x, y + 1); f(x,(1,2)) }";
    let (_, said) = parse(model);
    assert!(said.contains("expected `)` or an operator, found `,`"), "{said}");
    let model = model.replace("f(x,(1,2))", "f(x[f], 2)");
    insta::assert_snapshot!(tree(&model));
    // The arguments of an inner call may be parameters of the outer one, also of the same name.
    let model = "inline f(a, b) { a = b } inline g(b, a) { f(b, a); f(a, b) } init { g(x, y) }";
    let printed = tree(model);
    assert!(printed.contains("x = y") && printed.contains("y = x"), "{printed}");
}

#[test]
fn macros() {
    let expand = |defines: &str, text: &str| {
        let printed = tree(&format!("{defines}\nactive proctype P() {{ {text} }}"));
        printed.lines().skip(1).map(str::trim).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(expand("#define f(x) x * g\n#define g f", "f(1)"), "(1 Multiply f)");
    assert_eq!(expand("#define f(x) x\n#define g f", "g(1); f (2); f; f(f) + 3"), "1; 2; f; (f Add 3)");
    assert_eq!(expand("#define a b\n#define b a", "a + b"), "(a Add b)");
    assert_eq!(expand("#define x x + 1\n#define f(a) a", "f(x); f(f(x))"), "(x Add 1); (x Add 1)");
    assert_eq!(
        expand("#define cat(a, b) a ## b\n#define xy 7", "cat(x, y); cat(, x); cat(1, 2)"),
        "7; x; 12"
    );
    assert_eq!(expand("#define c(a, b, d) a ## b ## d\n#define E", "c(p, , q); c(E, r,)"), "pq; Er");
    assert_eq!(expand("#define s(x) #x", "printf(s(a  +\n \"b\\n\"))"), r#"printf "a + \\\"b\\\\n\\\"" ()"#);
    assert_eq!(expand("#define x 1\n#define s(a, b) #a, a, b", "printf(s(x, 2))"), "printf \"x\" (1, 2)");
    assert_eq!(expand("#define p(...) printf(__VA_ARGS__)", "p(\"%d\", 1, 2)"), "printf \"%d\" (1, 2)");
    assert_eq!(
        expand("#define p(f, ...) printf(f, ## __VA_ARGS__)", "p(\"a\"); p(\"b\", 1)"),
        "printf \"a\" (); printf \"b\" (1)"
    );
    assert_eq!(expand("#define a 1\n#undef a\n#undef b", "a"), "a");
    assert_eq!(expand("#define L __LINE__", "x = L\nx = __LINE__"), "x = 2; x = 3");
    assert_eq!(
        expand("#define R 0 .. 3", "for (i : R) { x } for (i : 0..3) { x }"),
        "for i : 0 .. 3; x; for i : 0 .. 3; x"
    );
}

#[test]
fn conditions() {
    let holds = |condition: &str| {
        let text =
            format!("#define ONE 1\n#define F(x) x\n#if {condition}\nbyte yes;\n#else\nbyte no;\n#endif");
        tree(&text) == "byte yes\n"
    };
    let right = [
        "1",
        "ONE",
        "!0",
        "!!2",
        "-1 < 0",
        "~0 == -1",
        "defined ONE && defined(F)",
        "!defined(TWO)",
        "TWO == 0",
        "F(ONE) == 1",
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / 2 == 3 && 7 % 2 == 1",
        "0 && 1 / 0 || 1",
        "1 ? 2 : 1 / 0",
        "0x10 == 16 && 010 == 8",
        "'a' == 97",
        "1 << 3 == 8",
        "5 & 4 && 1 | 2 && (1 ^ 1) == 0",
        "3 > 2 && 2 >= 2 && 1 <= 1 && 1 != 2",
        "10UL == 10",
        "0 ? 0 : 0 ? 0 : 1",
    ];
    for condition in right {
        assert!(holds(condition), "{condition}");
        assert!(!holds(&format!("!({condition})")), "{condition}");
    }
    let nested = "#ifdef A\nx\n#if 1\n#else\n#endif\n#elif 0\n\"unterminated\n#elif 1\nbyte a;\n#elif 1\nx\n#else\nx\n#endif\n#ifndef A\nbyte b;\n#endif";
    assert_eq!(tree(nested), "byte a\nbyte b\n");
}

#[test]
fn files_are_included() {
    let files = Files::from([
        ("dir/model.pml".to_owned(), b"unused".to_vec()),
        (
            "model.pml".to_owned(),
            b"#include \"dir/a.h\"\n#include \"dir/a.h\"\n#define B \"dir/b.h\"\n#include B\n".to_vec(),
        ),
        ("dir/a.h".to_owned(), b"#ifndef A\n#define A 2\n#include \"b.h\"\nbyte a = A;\n#endif".to_vec()),
        ("dir/b.h".to_owned(), b"byte b".to_vec()),
    ]);
    let (model, said) = parse_files(&files, &[]);
    assert_eq!(said, "");
    assert_eq!(print(&model.unwrap()), "byte b\nbyte a = 2\nbyte b\n");
}

#[test]
fn macros_of_the_command_line() {
    let files = Files::from([("model.pml".to_owned(), b"#ifdef A\nbyte x = B;\n#endif\n".to_vec())]);
    let (model, said) = parse_files(&files, &[("A", "1"), ("B", "A + 2")]);
    assert_eq!(said, "");
    assert_eq!(print(&model.unwrap()), "byte x = (1 Add 2)\n");
    let (model, _) = parse_files(&files, &[]);
    assert_eq!(print(&model.unwrap()), "");
}

#[test]
fn other_odd_corners() {
    // Semicolons between units, and none.
    assert_eq!(
        tree("byte a byte b;; mtype = { x y,, z } ; byte c -> byte d"),
        "byte a\nbyte b\nmtype = x, y, z\nbyte c\nbyte d\n"
    );
    // `in` is a name, except in the head of a loop.
    assert_eq!(body("byte in; in = 1; for (in in a) { skip }"), "byte in\nin = 1\nfor in in a\n  1");
    assert_eq!(body("assert x == 1; assert(x) && y"), "assert (x Equal 1)\nassert (x And y)");
    assert_eq!(body("x = run P(); run P(1)"), "x = run P()\nrun P(1)");
    assert_eq!(
        tree("typedef T { byte a }; init { T t; T u[2], v; t.a = 1 }"),
        "typedef T\n  byte a\ninit\n  T t\n  T u[2], v\n  t.a = 1\n"
    );
    assert_eq!(tree("# 12 \"file\"\n#line 3\n#pragma x\n#\n#ident \"x\"\nbyte a"), "byte a\n");
    assert_eq!(tree("byte a; // a comment \\\n still the comment\nbyte /* b */ c"), "byte a\nbyte c\n");
}

#[test]
fn places_are_where_the_user_wrote() {
    let text = "#define SET(a) a = 1 + 2\ninline f(p) { p = 3 }\ninit { SET(x);\n f(y) }";
    let (model, _) = parse(text);
    let model = model.unwrap();
    let Item::Init(init) = &model.items[0] else { panic!() };
    let at = |span: source::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(init.body.steps[0].span), "SET(x)");
    assert_eq!(at(init.body.steps[1].span), "f(y)");
    let StmtKind::Block(block) = &init.body.steps[1].kind else { panic!() };
    assert_eq!(at(block.inlined.as_ref().unwrap().span), "f(y)");
    assert_eq!(at(block.steps[0].span), "p = 3");
    let StmtKind::Assign { target, .. } = &block.steps[0].kind else { panic!() };
    assert_eq!((&*target.parts[0].name.text, at(target.span)), ("y", "p"));
}
