//! Diagnostics of models that are well formed, but wrong or odd.

use super::compile;
use source::{SourceMap, Style};

/// Renders the diagnostics of each text, one after the other.
fn rendered<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let each = |text: &str| {
        let (result, said) = compile(text);
        format!("{}{said}", if result.is_ok() { "accepted\n" } else { "" })
    };
    texts.into_iter().map(each).collect::<Vec<_>>().join("\n--------\n\n")
}

macro_rules! models {
    ($($text:expr),* $(,)?) => {
        insta::assert_snapshot!(rendered([$($text),*]))
    };
}

#[test]
fn names() {
    models!(
        "byte x, x; init { y = x; y = 2; z[3] = 1 }",
        "mtype = { a, b }; byte a; init { byte c; { byte c; c = 1 }; a = b; b = 3; _pid = 2; _nr_pr++ }",
        "proctype P() { skip } proctype P() { skip } byte P; init { run P(); run Q(); byte Late = P }",
        "typedef T { byte f, f }; typedef T { bit g }; T t; init { t = 1; t.h = 2; t.f.g = 3; (t) }",
        "init { byte x; x = _; assert(np_) }",
    );
}

#[test]
fn properties() {
    let many = (0..65).map(|n| format!("<> (x == {n}) || ")).collect::<Vec<_>>().concat();
    let model = |property: &str| {
        format!(
            "byte x; byte a[2]; chan q = [1] of {{ byte }};\nactive proctype P() {{ byte l; in: x = l; q!a[0] }}\n{property}"
        )
    };
    let properties = [
        "ltl { [] (y > 3) }",
        "ltl { [] (P@out) && <> P:m && Q@in }",
        "ltl { [] (run P()) }",
        "ltl { [] (timeout -> <> (_pid == 1)) }",
        "ltl { [] (a == 1) }",
        &format!("ltl {{ {many} x }}"),
        "never { byte b; b == 1 }",
        "never { x = 1; q?x; d_step { x == 1; x == 2 } }",
        "never { atomic { do :: x == 1 od } }",
        "never { do :: np_ && P@in :: else od }",
        "ltl { X x }",
    ];
    insta::assert_snapshot!(rendered(properties.map(model).each_ref().map(String::as_str)));
}

/// Properties that come with a model use its names and macros, and errors point into their own text.
#[test]
fn additional_properties() {
    let model = "#define high (x > 3)\nbyte x; active proctype P() { in: do :: x = 5 - x od }";
    let hoa = |ap: &str| {
        format!(
            "HOA: v1 States: 1 Start: 0 AP: 1 {ap} Acceptance: 1 Inf(0) --BODY-- State: 0 {{0}} [0] 0 --END--"
        )
    };
    let texts = [
        "[] (high -> <> !high)".to_owned(),
        "never { do :: high -> break :: else od }".to_owned(),
        hoa("\"high && P@in\""),
        "[] (higher -> <> !high".to_owned(),
        "[] (higher -> <> high)".to_owned(),
        "[] high high".to_owned(),
        String::new(),
        "never { x = 1 }".to_owned(),
        hoa("\"[] high\""),
        hoa("\"x >\""),
        hoa("x"),
    ];
    let each = |text: &String| {
        let mut map = SourceMap::new();
        let file = map.add("model.pml", model).unwrap();
        let property = map.add("--ltl", text).unwrap();
        match quotient_promela::compile_with(
            &mut map,
            &std::collections::BTreeMap::new(),
            file,
            &[],
            &[property],
        ) {
            Ok(compiled) => {
                assert_eq!(ir::verify(&compiled.program), Ok(()));
                let text = ir::text::print(&compiled.program);
                text[text.find("property").unwrap()..].to_owned()
            }
            Err(errors) => errors.render(&map, Style::Plain),
        }
    };
    insta::assert_snapshot!(texts.iter().map(each).collect::<Vec<_>>().join("\n--------\n\n"));
}

#[test]
fn arrays_and_types() {
    models!(
        "byte a[3], b; init { a = 1; b[2] = 3; b[0] = 1; a[a] = 2; (a == 2) }",
        "byte a[0]; byte b[b]; unsigned u; unsigned v : 40; byte w : 3; byte n; byte c[n + 1]; init { skip }",
        "int x = { 1, 2 }; byte q = [2] of { byte }; chan c = 3; chan d = [300] of { unsigned }; init { c = 4 }",
        "hidden chan c; hidden bit b; init { hidden byte h; skip; chan d = [1] of { byte } }",
        "byte g = _pid + len(q); init { skip }",
    );
}

#[test]
fn channels_and_messages() {
    models!(
        "chan q = [1] of { byte, bit }; byte x; init { q!1; q?x; q!1,2,3; q?x,x; x!1; q!run P(); (q?[1]) } proctype P() { skip }",
        "chan q = [1] of { byte, bit }; byte x; init { q!1; q?x; q!1,2,3; (q?[1]) }",
        "chan q[2] = [1] of { byte }; byte x; init { xr q[1]; xs x; q[1]!1 }",
    );
}

#[test]
fn labels_and_jumps() {
    models!(
        "init { goto nowhere; break; L: skip; L: skip; unused: skip }",
        "byte x; init { goto in; d_step { x = 1; in: x = 2; goto out }; out: skip }",
        "byte x; init { { first: x = 1 }; atomic { second: x = 2 }; if :: third: x = 3 fi }",
        "byte x; init { a: goto b; b: goto a }",
        "byte x; init { goto end; x = 1; end: do :: x > 1 -> break; x = 3 :: else -> goto end od }",
        "proctype P() { byte z, v[2]; there: skip } init { (P@here); (P@there); (P:y == 1); (P[0]:z[2] == P[0]:v) }",
    );
}

#[test]
fn processes() {
    models!(
        "proctype P(byte a; bit b) { skip } init { run P(1); run P(1, 2, 3); (run P(1, 2) > 0); byte x = run P(1, 2) }",
        "proctype P(byte a; bit b) { skip } init { run P(1); run P(1, 2, 3); run P(a + b, 1) }",
        "proctype P(byte a) { skip } init { run P(); run P(1, 2) }",
        "proctype P(byte a[2]; byte b = 3) priority 300 { skip }",
        "D_proctype P() { byte unused; skip } init { run P() }",
        "active [300] proctype Many() { skip }",
        "proctype Lonely() { skip } byte never_used; init { skip; label: skip }",
        "byte x;",
        "proctype P() { byte y; skip } init { byte x; d_step { run P(); x = P[1]:y } }",
    );
}

#[test]
fn selections_and_loops() {
    models!(
        "byte x; init { if :: else -> x = 1 :: else -> x = 2 fi }",
        "byte x; init { if :: if :: x == 1 :: else fi :: x == 2 :: else fi }",
        "byte x, a[2]; chan q = [1] of { byte }; init { for (q : 1 .. 2) { skip } for (x in x) { skip } for (a in a) { skip } }",
        "byte x; init { if :: byte y fi; atomic { byte z } }",
    );
}

#[test]
fn traces() {
    models!(
        "chan q = [1] of { byte }; byte x; trace { q!1; x = 2; do :: q?_ :: break od } trace { q!1 } init { q!1; q?x }",
        "chan q = [1] of { byte }; byte x; notrace { q!1; byte y; skip } init { q!1; q?x }",
    );
}

#[test]
fn dynamic_programs() {
    let node =
        |body: &str| format!("typedef N {{ byte k; N& next }};\nN& g; byte x; chan c;\ninit {{ {body} }}");
    let texts = [
        "g = 1; x = g; g = null; x = null; g = g + 1; g++",
        "g -> skip; if :: !g -> skip :: g < null -> skip fi; assert(g)",
        "*x = 1; x = *g; g.other = 1; x.k = 1; g[1].k = 2; delete x; delete null",
        "byte& b; b = g; g = b; (b == g); (g == c); c = 0; (c == 0); x = c",
        "g = new M; g = new N[3]; c = new chan(1) of { byte }; byte& q; q = &g.k; q = &x",
        "f(1); x = g(2)",
    ]
    .map(node);
    let others = [
        "byte x; function f(byte a) : byte { return } function h() { return 1 } init { x = h(); f(1, 2); f(); x = 1 + f(2); h = f }",
        "function f() { skip } function f() { skip } init { f() unless { skip }; d_step { f() } }",
        "byte& p; init { p = new byte; x() ; p() }",
        "byte& p; byte y; active proctype P() { end: skip; assert(P@end && P:y == 1); enabled(_pid); p = null; byte z = _last }",
        "byte& p; chan q = [1] of { byte& }; init { xr q; chan c = [1] of { byte }; p = new byte; q!1; q!p; q?p; hidden byte z }",
        "hidden byte h; byte& p; trace { skip } init { p = null; h = 1; set_priority(0, 1) }",
        "typedef T; T t; T& p; init { p.x = 1; p = new T }",
        "typedef T { T inner; byte b }; T& p; init { p = new T; byte n = p }",
        "byte x; init { x = f(1); return; byte y; y = &x }",
        "byte& p; init { d_step { byte q; q = 1; p = new byte } }",
        "function f(byte a[2]; chan c) : T { skip } init { f(1) }",
        "function f() { accept: skip } byte n; proctype P() provided (n == 0) { f() unless { skip } } init { run P() }",
        "chan c = [0] of { byte }; function f() { c!1 } init { atomic { f(); skip } }",
        "typedef N { N& n }; N& a[3]; pid p; proctype P() { p = run P(); p = null; p++ } init { run P() }",
        "chan q = [1] of { byte& }; chan r; byte& p; init { p = new byte; r = q; r!p; q!!p; q!p, p; r?p; r!1; delete r; r = new N; p = new chan(1) of { byte } }",
        "chan q = [1] of { byte }; chan& p; active proctype P() { chan own = [1] of { byte }; p = &own; q!own; q?p }",
    ];
    insta::assert_snapshot!(rendered(texts.iter().map(String::as_str).chain(others)));
}

/// What a dynamic program cannot have is refused where it stands, with what to do instead.
#[test]
fn refusals_of_dynamic_programs_have_a_place_and_a_hint() {
    const HEAD: &str = "typedef N { byte k; N& next }; N& g; N& h; byte x; chan c = [1] of { byte };\n\
                        function f(byte a) : byte { return a }\n";
    let cases = [
        // Calls in guards, in larger expressions, and where no other process may come in between.
        ("E1405", "init { if :: f(1) == 1 -> skip :: else fi }"),
        ("E1405", "init { x = 1 + f(2) }"),
        ("E1405", "init { x = f(f(2)) }"),
        ("E1405", "init { c!f(1) }"),
        ("E1405", "init { assert(f(1) == 1) }"),
        ("E1318", "init { d_step { x = f(1) } }"),
        ("E1403", "init { { x = f(1) } unless { x == 1 } }"),
        ("E1403", "init { atomic { x = f(1) }; assert(_pid == 0) }"),
        ("E1318", "function r() { d_step { x = 1; return } } init { r() }"),
        // Arithmetic and order of pointers.
        ("E1407", "init { g = g + 1 }"),
        ("E1407", "init { g++ }"),
        ("E1407", "init { x = g - h }"),
        ("E1407", "init { g < h -> skip }"),
        ("E1407", "init { g -> skip }"),
        ("E1406", "init { x = g }"),
        ("E1317", "init { c = 0 }"),
        // Types that are not complete, or contain themselves.
        ("E1401", "typedef L; L& l; init { l = new L }"),
        ("E1401", "typedef L; L l; init { skip }"),
        ("E1401", "typedef R { R inner; byte b } R& r; init { r = new R }"),
        // What other programs can have.
        ("E1403", "trace { c!1 } init { c!1 }"),
        ("E1403", "notrace { c!1 } init { c!1 }"),
        ("E1403", "init { xs c; c!1 }"),
        ("E1403", "init { xr c; c?x }"),
        ("E1403", "hidden byte z; init { z = 1 }"),
        ("E1403", "init { x = _last }"),
        ("E1403", "init { enabled(_pid) }"),
        ("E1403", "init { x = pc_value(_pid) }"),
        ("E1403", "active proctype P() { end: skip } init { P@end }"),
        ("E1403", "active proctype P() { byte y; y = 1 } init { P:y == 1 }"),
        ("E1403", "active proctype P() priority 2 { skip }"),
        ("E1403", "active proctype P() provided (x == 0) { skip }"),
        ("E1403", "function r() { accept: skip } init { r() }"),
        ("E1403", "function r() { progress: skip } init { r() }"),
        ("E1403", "function e(byte a) : byte& = &a; init { x = *e(1) }"),
        ("E1403", "typedef B { byte a[5000] } B& b; init { b = new B }"),
        ("E1403", "typedef B { byte a = 1 } B& b; init { b = new B[x] }"),
        ("E1403", "typedef B { chan a = [1] of { byte } } B& b; init { b = new B }"),
    ];
    let mut wrong = Vec::new();
    for (code, text) in cases {
        let shown = compile(&format!("{HEAD}{text}\n")).1;
        let is_refused = shown.contains(&format!("error[{code}]"));
        let errors = shown.split("\n\n").filter(|part| part.contains("error["));
        let told = errors.clone().all(|part| part.contains("--> model.pml:"));
        let hinted = errors.filter(|part| part.contains(code)).all(|part| part.contains("= help: "));
        if !(is_refused && told && hinted) {
            wrong.push(format!("{code}: {text}\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
