//! Diagnostics of texts that are not models: one test for each family of codes.

use super::{Files, parse, parse_files};

/// Renders the diagnostics of each text, one after the other.
fn rendered<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let each = |text: &str| {
        let (model, said) = parse(text);
        format!("{}{said}", if model.is_some() { "accepted\n" } else { "" })
    };
    texts.into_iter().map(each).collect::<Vec<_>>().join("\n--------\n\n")
}

/// The diagnostics of whole models.
macro_rules! models {
    ($($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([$($text),*]))
    };
}

/// The diagnostics of bodies of an active process.
macro_rules! bodies {
    ($($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([$(concat!("active proctype P() {\n", $text, "\n}")),*]))
    };
}

#[test]
fn characters_and_numbers() {
    bodies!(
        "x = 1 $ 2; y = ü;\n\u{0} # z = \\ 1",
        "printf(\"abc);\nx = 'a;\nskip",
        "x = 0x10 + 1.5 + 2x",
        "x = 'ab' + '' + 'ü'",
        "x = 4294967295; y = 99999999999999999999",
    );
    models!("byte a; /* byte b;");
}

#[test]
fn directives() {
    models!(
        "#define\n#define 1 2\n#define f(1) 2\n#define f(a, a) 2\n#define f(a\n#define f(a, ) 1\n#define defined 1",
        "#define f(a) #b\n#define g ## a\n#define h(a) a ##\n#undef 3\n#ifdef\n#endif",
        "#frob x\n#\"x\"\n",
        "#error this is  wrong\n#warning and this odd\n",
        "#define A 1\n#define A 1\n#define A 2\n#define A(x) 1\n#define f(x) x + 1\n#define f(x) x  +  1\n#define f(y) y + 1\n",
    );
}

#[test]
fn conditions() {
    models!(
        "#if 1\nbyte a;\n#ifdef B\n",
        "#endif\n#else\n#elif 1\n",
        "#if 1\n#else\n#else\n#elif 1\n#endif",
        "#if 0\n#else\n#else\n#endif",
        "#if\n#endif\n#if 1 +\n#endif\n#if (1\n#endif\n#if 1 2\n#endif\n#if \"a\"\n#endif\n#if 1 ? 2\n#endif",
        "#define ZERO 0\n#if 1 / ZERO\n#elif 2 % 0\n#endif",
    );
}

#[test]
fn macros() {
    models!(
        "#define f(a, b) a + b\nbyte x = f(1);\nbyte y = f(1, 2, 3);\nbyte z = f()",
        "#define none() 1\nbyte x = none(1);",
        "#define f(a) a\nbyte x = f(1, (2), 3",
        "#define f(a) a\nbyte x = f(1",
        "#define cat(a, b) a ## b\nbyte x = cat(+, 1);",
        "#define BAD (1 +)\n#define WORSE BAD * 2\n\nbyte x = WORSE;",
        "#define SET(v) v = (1 + )\nactive proctype P() { SET(x); }",
    );
}

#[test]
fn runaway_macros() {
    let doubled: Vec<_> =
        (0..40).map(|level| format!("#define m{} m{level} m{level}\n", level + 1)).collect();
    let nested = format!("#define f(x) x\nbyte a = {}1{};", "f(".repeat(200), ")".repeat(200));
    insta::assert_snapshot!(rendered([&*format!("{}m40", doubled.concat()), &*nested]));
}

#[test]
fn includes() {
    let include = |text: &str| {
        let files = Files::from([
            ("model.pml".to_owned(), text.as_bytes().to_vec()),
            ("dir/self.h".to_owned(), b"#include \"self.h\"\n".to_vec()),
            ("dir/wrong.h".to_owned(), b"byte a\nbyte = 3;\n".to_vec()),
            ("latin.h".to_owned(), b"// \xe4\n".to_vec()),
        ]);
        parse_files(&files, &[]).1
    };
    let texts = [
        "#include \"gone.h\"\n#include <stdio.h>\n#include\n#include 3\n#include \"latin.h\"\n",
        "#include \"dir/self.h\"\n",
        "byte x;\n#include \"dir/wrong.h\"\nbyte y = ;",
    ];
    insta::assert_snapshot!(texts.map(include).join("\n--------\n\n"));
}

#[test]
fn macros_of_the_command_line() {
    let files = Files::from([("model.pml".to_owned(), b"byte x = N;".to_vec())]);
    let defines = [("1A", "1"), ("", ""), ("A B", ""), ("M", "1\n2"), ("N", "1 +")];
    insta::assert_snapshot!(parse_files(&files, &defines).1);
}

#[test]
fn unused_macros() {
    let text = "#ifndef SIZE\n#define SIZE 2\n#endif\n#if defined(FAST) || LEVEL > 1\n#endif\n#undef OLD\n\
        #define TWICE (2 * HALF)\n#define NEVER OTHER\n#ifdef NOWHERE\nbyte y = HIDDEN;\n#endif\nbyte x = N + TWICE;";
    let files = Files::from([("model.pml".to_owned(), text.into())]);
    let all = ["SIZES", "SIZE", "FAST", "LEVEL", "OLD", "N", "HALF", "OTHER", "HIDDEN", "TWICE"];
    insta::assert_snapshot!(parse_files(&files, &all.map(|name| (name, "1"))).1);
}

#[test]
fn units() {
    models!(
        "x = 1;\nbyte y; byte = 3; byte z[; byte w;\n}",
        "proctype { skip }\nproctype P { skip }\nproctype P( { skip }\nproctype P(byte) { skip }",
        "active [2 proctype P() { skip }\nactive byte x;\ninit skip",
        "proctype P(byte a, int b) { skip }",
        "typedef { byte a }\ntypedef T byte a;\ntypedef U { }\ntypedef V { a = 1 }\ntypedef W { byte a -> byte b }",
        "mtype = { };\nmtype = { a, 1 };\nmtype: = { a };\nmtype x = ;\nmtype:x { a }",
        "chan q = [2];\nchan r = [2] of byte;\nchan s = [2] of { 3 };\nchan t = [] of { byte }",
        "byte a[2] = { };\nbyte b[2] = { 1, };\nunsigned c : x;\nbyte for;",
        "ltl { }\nltl p [] q;\nltl q { p U }\nltl r { (p }\nltl s { p q }\nltl t {",
        "never { skip",
        "init { skip } priority 3",
    );
}

#[test]
fn statements() {
    bodies!(
        "",
        "; x = 1",
        "if :: -> x = 1 :: fi; do od; if x fi; if :: x od",
        "x = 1 y = 2; x = ; = 1; (x) = 1; x + 1 = 2; y = 3",
        "x = a\n+ b;\ny = 1",
        "goto; goto 1; break x; skip 1",
        "atomic x; d_step { }; { x = 1",
        "for i : 1 .. 2 { skip }; for (i) { skip }; for (i : 1 .. ) { skip }; for (i : 1 .. 2) skip; for (i in 3) { skip }",
        "select (i : 1); select i; select (i : 5 .. 4)",
        "q ! ; q ? ; q ? x + 1; q ? <x; q ? [x; q ? eval x; q ! a(b; q ? -x",
        "printf(x); printf(\"a\" \"b\"); printf(\"a\", ); printm(); assert; set_priority(1)",
        "a unless b unless c; unless b",
        "l: byte x; m: xr q; xr 3",
        "x = run; x = run P; x = run P(1 2)",
        "x = len(3) + enabled 3 + P[1] + P@3 + (a -> b) + (a : b)",
        "int in; else = 1; if = 2",
        "x = 1 } y = 2",
    );
}

#[test]
fn a_brace_is_missing() {
    models!("active proctype P() {\n  if :: x -> { y = 1\n  fi\n}\n\nproctype Q() { x = }\nbyte b = ;");
}

#[test]
fn what_must_be_global() {
    bodies!("mtype = { a, b }; x = 1; x = ", "typedef T { byte a }; x = 1", "inline f() { skip }",);
    models!("typedef T { mtype = { a } }");
}

#[test]
fn embedded_c() {
    models!(
        "c_decl { typedef struct { int x; } T; };\nc_state \"T t\" \"Global\"\nc_track \"&x\" \"sizeof(int)\" \"Matched\"\nc_code { int i = '\\\\'; $ }\nbyte b = ;",
        "init { c_code [x > 0] { now.x = 1; }; x = c_expr { now.x } + 1; }\nltl { [] c_expr { x } }",
    );
}

#[test]
fn unsupported() {
    bodies!("byte c; STDIN ? c");
}

#[test]
fn inlines() {
    models!(
        "inline f(a) { a = 1 }\ninline f(b) { b = 1 }\ninline g(1) { skip }\ninline h { skip }\ninline i() skip\ninline j() { skip",
        "inline f(a, b) { a = b }\ninit { f(1); f(x, ); f(x, y, z); f(x, y; skip; f }",
        "inline f() { g() }\ninline g() { f() }\ninit { f() }",
        "inline f(a) { a = 1 + }\ninline g(b) {\n  f(b)\n}\ninit { g(x) }",
        "inline f(a) { x = a }\ninit { f(1 +) }",
        "inline f() { }\ninit { f() }",
        "inline f() { return 1 }\ninit { f(); return 2; x = f() }",
    );
    let chain: Vec<_> = (0..20).map(|level| format!("inline f{level}() {{ f{}() }}\n", level + 1)).collect();
    models!(&*format!("{}inline f20() {{ skip }}\ninit {{ f0() }}", chain.concat()));
}

#[test]
fn probes() {
    bodies!("!full(q); x = empty(q) + 1; (nfull(q) && x) == nempty(q); !(x || !y && nempty(q))");
}

#[test]
fn formulas() {
    models!("ltl p { [] x > 3 }\nltl q { (p U q) + 1 }\nltl r { -<>p }\nltl s { 1 == X p }");
}

#[test]
fn limits() {
    let text = |inner: &str, depth: usize| {
        let (open, close) = inner.split_once('.').unwrap();
        format!("init {{ x = 1; {}skip{} }}", open.repeat(depth), close.repeat(depth))
    };
    let long = format!("init {{ x = {}1 }}", "1 + ".repeat(1000));
    insta::assert_snapshot!(rendered([&*text("{.}", 1000), &*text("(.)", 1000), &*long]));
}

#[test]
fn many_errors() {
    let (_, said) = parse(&"byte = 1;\n".repeat(100));
    assert!(said.ends_with("note: too many errors, the rest of the input was not looked at\n"), "{said}");
}
