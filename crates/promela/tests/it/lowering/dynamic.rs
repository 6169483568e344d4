//! Dynamic programs: what is lowered to what, and that words of the extension are names elsewhere.

use testing::robustness::mutant;
use testing::{SplitMix64, effort, files_below, models};

use super::{compile, program};

/// The program of a text, which the verifier of the IR accepts.
fn sound(text: &str) -> ir::Program {
    let program = program(text);
    assert_eq!(ir::verify(&program), Ok(()), "{text}\n{}", ir::text::print(&program));
    program
}

/// In a model of SPIN's language, words of the extension are names. `return` is a word of SPIN's.
#[test]
fn words_of_the_extension_are_names() {
    for word in ["new", "delete", "null", "function", "ftype"] {
        let uses = [
            "byte W; active proctype P() { W = 1; W++; W-- ; assert(W == 1) }",
            "active proctype P() { byte W = 2; byte x; x = W; x = W + W; W > 1 -> skip }",
            "byte W[3]; active proctype P() { W[1] = W[0]; W[2]++; (W[1] * 2 == 0) }",
            "byte W; active proctype P() { W * 2 == 0; W & 1 == 0; (W) ; W -> skip }",
            "byte W, p; active proctype P() { W * p == 0; W & p }",
            "chan W = [1] of { byte }; active proctype P() { byte x; W!1; W?x; W?[x] -> skip; len(W) == 0 }",
            "mtype = { W, other }; mtype m; active proctype P() { m = W; assert(m != other) }",
            "typedef T { byte W }; T t; active proctype P() { t.W = 1; assert(t.W == 1) }",
            "typedef W { byte x }; W t; active proctype P() { t.x = 1; assert(t.x == 1) }",
            "inline W(a) { a = 1 } byte x; active proctype P() { W(x); assert(x == 1) }",
            "proctype W(byte x) { assert(x == 1) } init { run W(1) }",
            "active proctype P() { byte x; W: x = 1; goto W }",
            "byte W; active proctype P() { byte x; x = W\nW = x\n}",
            "#define W 3\nbyte x; active proctype P() { x = W; assert(x == 3) }",
        ];
        for text in uses {
            let plain = text.replace('W', "other_name");
            let text = text.replace('W', word);
            let (other, own) = (compile(&plain).0, compile(&text));
            assert_eq!(other.is_ok(), own.0.is_ok(), "{text}\n{}", own.1);
            let Ok(own) = own.0 else { continue };
            assert!(own.is_flat() && own.features.thread_ids_observable, "{text}");
            assert_eq!(own.transitions.len(), other.expect("it compiles").transitions.len(), "{text}");
        }
    }
}

/// States do not tell which statement made a channel.
#[test]
fn statements_that_make_channels_of_one_type_share_its_kind() {
    let kinds = |second: &str| {
        let text = format!(
            "chan d; chan e = [1] of {{ byte }}; init {{ d = new chan(1) of {{ byte }}; d = new chan({second} }}"
        );
        sound(&text).channels.len()
    };
    // That of the declaration is another one: it is never deleted.
    assert_eq!(kinds("1) of { byte }"), 2);
    for other in ["2) of { byte }", "1) of { short }", "1) of { byte, byte }", "1) of { chan }"] {
        assert_eq!(kinds(other), 3, "{other}");
    }
}

#[test]
fn dynamic_programs_are_sound() {
    for text in [
        "typedef N { byte k; N& next }; N& g; init { N& n; n = new N; n.next = g; g = n; assert(g.next == null) }",
        "typedef A; typedef B { A& a }; typedef A { B& b }; A& g; init { g = new A; g.b = new B; g.b.a = g }",
        "byte& p; init { p = new byte; *p = 300; (*p == 44); delete p }",
        "byte&& p; init { p = new byte&; *p = new byte; **p = 1; assert(**p == 1) }",
        "typedef R { byte a[3]; byte x = 7 }; R& r; init { r = new R; r.a[1] = 2; assert(r.x == 7); delete r }",
        "function f(byte n) : byte { if :: n == 0 -> return 0 :: else fi; n = f(n - 1); return n + 1 } init { byte x; x = f(3) }",
        "function even(byte n) : bool = (n == 0 -> true : odd(n - 1)); function odd(byte n) : bool = (n == 0 -> false : even(n - 1)); init { assert(even(4)) }",
        "ftype h; byte x; function a() { x++ } function b(byte n) { x = n } init { h = a; h(); h = b; h(2); assert(h != null) }",
        "ftype h[2]; function a() : byte { return 1 } init { byte x; h[1] = a; x = h[1]() }",
        "byte& z; pid p; proctype P() { skip } init { z = null; p = run P(); (p != null) }",
        "proctype P(pid other) { skip } init { run P(_pid) }",
        "byte x; function f() { x++ } proctype P() { atomic { f(); x++; f() } } init { run P(); run P() }",
        "function f() { byte a; a = 1; { byte b; byte& q; b = 2; q = &b; *q = 3 }; a = 2 } init { f(); f() }",
        "byte& g; function f(byte n) : byte { g = &n; return *g } init { byte x; x = f(3) }",
        "byte v = 3; byte& g; init { g = &v; *g = 4; assert(v == 4) }",
        "typedef R { byte a; byte b }; R& g; init { R r; g = &r; g.b = 1; assert(r.b == 1) }",
        "typedef M { byte k }; chan q = [2] of { byte, M& }; init { M& m; m = new M; q!1, m; m = null; q?1, m; assert(m != null) }",
        "typedef N { N& next }; N& g; proctype P() { d_step { g = new N; g.next = g } } init { run P() }",
        "typedef N { byte k }; N& g; proctype P() { do :: g == null -> break :: timeout -> g = null od } init { g = new N; run P() }",
        "byte x; proctype P() { do :: { byte y; y++; x = y } :: break od } init { byte& p; p = new byte; run P() }",
        "function f() { skip } init { byte i; for (i : 1 .. 2) { f() }; select (i : 1 .. 3); f() }",
        "function f() { end: skip } active [2] proctype P() { f() }",
        "function f() { goto out; out: skip } byte x; init { x = 1 unless { timeout }; f() }",
    ] {
        sound(text);
    }
}

#[test]
fn memory_is_explicit_where_something_is_deleted() {
    let kept = "byte& p; init { p = new byte; p = null }";
    assert_eq!(sound(kept).memory, ir::Memory::Collected);
    let deleted = "byte& p; init { p = new byte; delete p }";
    assert_eq!(sound(deleted).memory, ir::Memory::Explicit(ir::Leaks::Unreachable));
}

#[test]
fn processes_are_numbers_only_where_they_have_to_be() {
    for (text, has_numbers) in [
        ("proctype P() { skip } init { byte& p; pid q; q = run P(); assert(q != null); p = null }", false),
        ("proctype P() { skip } init { byte& p; byte q; q = run P(); p = null }", true),
        ("proctype P() { assert(_pid == 1) } init { byte& p; p = null; run P() }", true),
        ("init { byte& p; p = null; assert(_nr_pr == 1) }", true),
        ("init { byte& p; p = null; timeout }", true),
        ("chan c = [0] of { byte }; init { byte& p; p = null; atomic { c!1; skip } }", true),
        ("chan c = [0] of { byte }; init { byte& p; p = null; c!1 }", false),
    ] {
        assert_eq!(sound(text).features.thread_ids_observable, has_numbers, "{text}");
    }
}

/// A loop inside of an `atomic` is entered from outside of it, and from inside: these are two locations.
#[test]
fn places_in_atomic_blocks_know_how_they_were_entered() {
    let text =
        "byte x; byte& p; init { p = null; atomic { p = null; L: x++; if :: x < 3 -> goto L :: else fi } }";
    let program = sound(text);
    let atomic = program.locations.values().filter(|location| location.atomic).count();
    assert!(atomic >= 2, "{atomic}");
    assert!(!program.has_exclusive_transitions());
}

/// Models and random programs with random changes: each is refused with a place, or compiled to a program that the
/// verifier accepts.
#[test]
fn mutants_are_sound_or_refused() {
    let mut originals: Vec<_> =
        files_below(&models().join("dynamic"), "pml").into_iter().map(|file| file.text).collect();
    originals.extend((0..100).map(testing::promela::dynamic));
    let mut random = SplitMix64::new(3);
    let (count, mut accepted) = (effort(1000) as usize, 0);
    for round in 0..count {
        let text = mutant(&originals[round % originals.len()], &mut random);
        match compile(&text) {
            (Ok(program), _) => {
                accepted += 1;
                assert_eq!(ir::verify(&program), Ok(()), "{text}");
            }
            (Err(()), said) => assert!(said.contains("--> model.pml:"), "{said}\n{text}"),
        }
    }
    assert!((count / 20..count * 9 / 10).contains(&accepted), "{accepted} of {count}");
}
