//! The bundled models of dynamic Promela: verdicts and states in every search and at every level of symmetry.
//!
//! ```text
//! // verdict: holds        or `violated KIND, …`, with all kinds there are
//! // states: 122           without symmetry and reductions
//! // orbits: 40            with full symmetry, without reductions
//! ```

use std::collections::{BTreeMap, BTreeSet};

use quotient_check::Model;
use quotient_check::config::{Bounds, Config, OnBound, SearchKind, Sizes, StoreKind, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use testing::{ModelFile, files_below, models};

use crate::common::load;
use crate::common::oracle::by_brute_force;
use crate::random_models::orbits::orbits_of;
use crate::random_models::{MOST_STATES, by_check, config};

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("// {key}:");
    let header = text.lines().take_while(|line| line.starts_with("//"));
    header.into_iter().find_map(|line| line.strip_prefix(&start)).map(str::trim)
}

fn check(model: &Model, name: &str, config: &Config) -> Report {
    let config = Config { keep_going: true, safety: true, ..config.clone() };
    let interrupt = std::sync::Arc::default();
    let checked = quotient_check::check(model, &config, 0, &interrupt, &mut quotient_check::Quiet);
    checked.unwrap_or_else(|error| panic!("{name}: {error:?}")).report
}

fn kinds(report: &Report) -> BTreeSet<String> {
    report.violations.iter().map(|violation| violation.kind.to_string()).collect()
}

fn cases() -> Vec<(ModelFile, Model, BTreeSet<String>)> {
    let files = files_below(&models().join("dynamic"), "pml");
    assert!(files.len() >= 12, "{}", files.len());
    let case = |file: ModelFile| {
        let model = load(&file.name, file.text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{}: {rejected}", file.name));
        let verdict = value(&file.text, "verdict").unwrap_or_else(|| panic!("{}: no verdict", file.name));
        let kinds = match verdict.strip_prefix("violated ") {
            Some(kinds) => kinds.split(',').map(|kind| kind.trim().to_owned()).collect(),
            None => BTreeSet::new(),
        };
        assert_eq!(kinds.is_empty(), verdict == "holds", "{}", file.name);
        (file, model, kinds)
    };
    files.into_iter().map(case).collect()
}

#[test]
fn states_are_those_of_the_headers() {
    let mut wrong = Vec::new();
    for (file, model, expected) in cases() {
        for &search in SearchKind::ALL {
            for (symmetry, key) in [(Symmetry::None, "states"), (Symmetry::Full, "orbits")] {
                let config = Config { search: Some(search), symmetry, ..Config::unreduced() };
                let report = check(&model, &file.name, &config);
                assert_eq!(kinds(&report), expected, "{}, {search}, {symmetry}", file.name);
                let is_complete = expected.is_empty() == (report.verdict == Verdict::Holds);
                assert!(is_complete && report.exhaustive, "{}, {search}, {symmetry}", file.name);
                if value(&file.text, key) != Some(&report.states.to_string()) {
                    wrong.push(format!("{}: {key}: {}", file.name, report.states));
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reductions_and_stores_make_no_difference_to_verdicts() {
    for (file, model, expected) in cases() {
        for symmetry in [Symmetry::None, Symmetry::Heap, Symmetry::Full] {
            for store in [StoreKind::Exact, StoreKind::Trie] {
                let por = Switch::On;
                let config = Config { symmetry, por, store, ..Config::default() };
                let report = check(&model, &file.name, &config);
                assert_eq!(kinds(&report), expected, "{}, {symmetry}, {store}", file.name);
            }
        }
    }
}

/// Properties of runs, with everything that may be left out.
#[test]
fn properties_are_the_same_with_reductions() {
    let mut with_properties = 0;
    for (file, model, _) in cases() {
        if model.program.properties.is_empty() {
            continue;
        }
        with_properties += 1;
        let verdict = |config: Config| {
            let config = Config { keep_going: true, ..config };
            let interrupt = std::sync::Arc::default();
            let checked = quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet);
            let report = checked.unwrap_or_else(|error| panic!("{}: {error:?}", file.name)).report;
            (report.verdict, kinds(&report))
        };
        assert_eq!(verdict(Config::default()), verdict(Config::unreduced()), "{}", file.name);
    }
    assert!(with_properties >= 3, "{with_properties}");
}

/// Random programs: the engine finds what the plain interpreter finds by brute force, and each level of symmetry
/// stores the states up to renaming.
#[test]
fn random_programs() {
    let all = testing::effort(150);
    let (mut compared, mut orbits, mut kinds) = (0, 0, BTreeMap::new());
    for seed in 0..all {
        let text = testing::promela::dynamic(seed);
        let model = load("random.pml", text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{seed}: {rejected}\n{text}"));
        assert_eq!(ir::verify(&model.program), Ok(()), "{seed}:\n{text}");
        // Channels are objects.
        let objects = if text.contains("chan ") { 15 } else { 9 };
        let sizes = Sizes { threads: 4, frames: 4, objects };
        let bounds = Bounds { sizes, on_bound: OnBound::Truncate };
        let expected = by_brute_force(&model, bounds, MOST_STATES);
        for (search, store) in [(SearchKind::Bfs, StoreKind::Exact), (SearchKind::Dfs, StoreKind::Naive)] {
            let found = by_check(&model, &config(bounds, search, store));
            let found = found.unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            assert_eq!(found, expected, "{seed}, {search}:\n{text}");
        }
        let count = orbits_of(&model, bounds, seed).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        orbits += count.unwrap_or(0);
        let Some(expected) = expected else { continue };
        compared += 1;
        for (kind, _) in expected.violations.into_keys() {
            *kinds.entry(kind).or_insert(0_u64) += 1;
        }
    }
    eprintln!("{compared} programs, {orbits} orbits, {kinds:?}");
    assert!(kinds.contains_key("bad-call") || all < 100, "{kinds:?}");
    assert!(kinds.contains_key("channel") || all < 100, "{kinds:?}");
    assert!(compared > all / 2, "{compared} of {all}");
    assert!(kinds.len() >= 5 || all < 100, "{kinds:?}");
}

/// Random programs in which processes have numbers: only objects are renamed, which changes no verdict.
#[test]
fn random_programs_with_numbers() {
    let all = testing::effort(100);
    let (mut compared, mut states, mut left) = (0, 0, 0);
    for seed in 0..all {
        let text = testing::promela::dynamic(seed).replace("a = g; b = h;", "a = g; b = h; c = _pid % 3;");
        let model = load("random.pml", text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{seed}: {rejected}\n{text}"));
        assert!(model.program.features.thread_ids_observable && !model.program.is_flat(), "{text}");
        let sizes = Sizes { threads: 4, frames: 4, objects: 40 };
        let bounds = Bounds { sizes, on_bound: OnBound::Truncate };
        let Some(expected) = by_brute_force(&model, bounds, MOST_STATES) else { continue };
        let plain = by_check(&model, &config(bounds, SearchKind::Bfs, StoreKind::Exact));
        assert_eq!(plain.as_ref(), Ok(&Some(expected.clone())), "{seed}:\n{text}");
        let mut counts = BTreeSet::new();
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            let config = Config { symmetry: Symmetry::Full, ..config(bounds, search, StoreKind::Trie) };
            let found = by_check(&model, &config).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            let found = found.expect("no more states than without symmetry");
            assert_eq!(found.verdict, expected.verdict, "{seed}, {search}:\n{text}");
            assert!(found.violations.keys().eq(expected.violations.keys()), "{seed}, {search}:\n{text}");
            counts.insert(found.states);
        }
        assert_eq!(counts.len(), 1, "{seed}: {counts:?}\n{text}");
        compared += 1;
        states += expected.states;
        left += counts.into_iter().sum::<u64>();
    }
    eprintln!("{compared} programs, {states} states, {left} with symmetry");
    assert!(compared > all / 2 && left < states, "{compared} {states} {left}");
}

/// The kinds of violations of a small model, at two levels of symmetry.
fn found(text: &str) -> BTreeSet<String> {
    let model = load("small.pml", text.as_bytes(), &[]);
    let model = model.unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
    assert_eq!(ir::verify(&model.program), Ok(()), "{text}");
    let printed = ir::text::print(&model.program);
    let again = ir::text::parse(&printed).unwrap_or_else(|error| panic!("{error:?}\n{printed}"));
    assert_eq!(again.without_spans(), model.program.without_spans(), "{text}");
    let [none, full] = [Symmetry::None, Symmetry::Full]
        .map(|symmetry| kinds(&check(&model, "small.pml", &Config { symmetry, ..Config::unreduced() })));
    assert_eq!(none, full, "{text}");
    none
}

fn one(kind: &str) -> BTreeSet<String> {
    BTreeSet::from([kind.to_owned()])
}

/// Types and variables that the small models share.
const PARTS: &str = "typedef In { byte a; byte b[2] }; typedef T { byte k; In in[2]; T& next };
    T& g; byte& q; byte m[3]; T v; T& s[2]; In& y; In w;";

fn with_parts(body: &str) -> BTreeSet<String> {
    found(&format!("{PARTS} init {{ T& p; byte i; {body} }}"))
}

#[test]
fn parts_of_objects_hold_what_was_stored() {
    for body in [
        "p = new T[2]; p[1].k = 3; q = &p[1].k; assert(*q == 3); *q = 4; assert(p[1].k == 4)",
        "p = new T; q = &p.in[1].b[1]; *q = 5; assert(p.in[1].b[1] == 5 && p.in[0].b[1] == 0)",
        "p = new T; i = 1; q = &p.in[i].b[i - 1]; *q = 5; assert(p.in[1].b[0] == 5 && p.in[1].b[1] == 0)",
        "q = &m[1]; q[1] = 7; assert(m[2] == 7); q[0 - 1] = 8; assert(m[0] == 8)",
        "v.in[1].a = 2; y = &v.in[0]; assert(y[1].a == 2); y.b[1] = 9; assert(v.in[0].b[1] == 9)",
        "p = new T[2]; assert(&p[0] == p && &p[1] != p && &p[1] == &p[i + 1])",
        "s[1] = new T; s[1].k = 1; g = s[i + 1]; assert(g.k == 1 && s[0] == null)",
        "p = new T; v.k = 6; v.in[1].b[0] = 7; *p = v; assert(p.k == 6 && p.in[1].b[0] == 7 && p != &v)",
        "p = new T[2]; p[0].in[1].b[1] = 8; p[0].next = p; p[1] = p[0]; assert(p[1].in[1].b[1] == 8 && p[1].next == p)",
        "p = new T; w.b[1] = 3; p.in[1] = w; y = &p.in[1]; w = *y; assert(w.b[1] == 3 && y.b[1] == 3)",
        "p = new T; p.next = p; p.k = 2; *p.next = *p; assert(p.k == 2 && p.next == p)",
        "q = &i; *q = 3; assert(i == 3)",
        // Values are brought into the range of the place that they are stored to.
        "q = &m[0]; *q = 257; assert(m[0] == 1)",
        "p = new T[0]; assert(p != null)",
    ] {
        assert_eq!(with_parts(body), BTreeSet::new(), "{body}");
    }
}

#[test]
fn mistakes_with_parts_of_objects() {
    for (body, kind) in [
        ("p = new T[2]; p[2].k = 1", "index"),
        ("p = new T[2]; q = &p[i - 1].k", "index"),
        ("p = new T; p.in[i + 2].a = 1", "index"),
        ("p = new T; i = p.in[0].b[i + 2]", "index"),
        ("p = new T[i - 1]", "index"),
        ("p = new T[0]; p.k = 1", "index"),
        ("m[i + 3] = 1; q = &m[0]", "index"),
        ("q = &m[2]; q[1] = 1", "index"),
        ("q = &p.k", "null-dereference"),
        ("i = *q", "null-dereference"),
        ("p = new T; q = &p.in[1].b[1]; i = q[1]", "bad-cast"),
        ("p = new T; q = &p.k; delete p; i = *q", "use-after-free"),
        ("p = new T[2]; q = &p[1].k; delete p; *q = 1", "use-after-free"),
        ("p = new T[2]; g = &p[1]; delete g", "bad-delete"),
        ("q = &m[0]; delete q", "bad-delete"),
        ("p = new T[2]; g = &p[1]; delete p; delete p", "double-delete"),
        ("p = new T[2]; q = &p[1].k; p = null; q = null; if :: i == 9 -> delete p :: else fi", "leak"),
    ] {
        assert_eq!(with_parts(body), one(kind), "{body}");
    }
    // A pointer to a part keeps the whole.
    assert_eq!(
        with_parts("p = new T[2]; q = &p[1].k; p = null; i = *q; if :: i == 9 -> delete p :: else fi"),
        BTreeSet::new()
    );
}

/// The object of a variable ends on every way out of its scope, and is made again on every way in.
#[test]
fn variables_end_on_every_way_out() {
    for way in [
        "{ byte o = 1; q = &o }",
        "{ byte o = 1; q = &o; goto out }",
        "{ { byte o = 1; q = &o; if :: goto out :: skip -> goto out fi } }",
        "do :: { byte o = 1; q = &o; break } od",
        "do :: { { byte o = 1; q = &o; break }; skip } od",
        "atomic { { byte o = 1; q = &o; goto out } }",
        "f(1)",
        "g()",
        "h()",
    ] {
        let text = format!(
            "byte& q; byte n;
            function f(byte a) {{ q = &a; return }}
            function g() {{ byte a[2]; q = &a[1]; skip }}
            function h() {{ {{ byte o = 2; q = &o; return }} }}
            init {{ {way}; out: n = *q }}"
        );
        assert_eq!(found(&text), one("dangling-local"), "{way}");
        let inside = way.replace("q = &o", "q = &o; n = *q; assert(n == 1)");
        let text = format!("byte& q; byte n; init {{ byte i; {inside}; out: skip }}");
        if inside != way {
            assert_eq!(found(&text), BTreeSet::new(), "{inside}");
        }
    }
    // Each time it is another object, with the initial value again.
    let again = "byte& q; byte n; init {
      byte i;
      do
      :: i < 3 -> { byte o = 4; assert(o == 4); assert(q != &o); q = &o; *q = 5; assert(o == 5) }; i++
      :: else -> break
      od }";
    assert_eq!(found(again), BTreeSet::new());
}

/// Scopes are left by the escape of an `unless` and by a `d_step`, too.
#[test]
fn variables_end_with_escapes_and_d_steps() {
    let cases = [
        "{ byte o = 1; q = &o; d_step { n = 1 } }",
        "{ byte o = 1; q = &o; d_step { n = 1; if :: n == 1 -> n = 2 :: else fi } }",
        "{ byte o = 1; q = &o; d_step { c!1 } }",
        "{ { byte o = 1; q = &o; n = 1; n = 2; n = 3 } } unless { n == 2 }",
        "{ { byte o = 1; q = &o; n = 1; n = 2; n = 3 } } unless { d_step { n == 2 -> n = 4 } }",
        "{ { { byte o = 1; q = &o; n = 1; n = 2; n = 3 } } unless { n == 2 -> skip; goto out } }",
    ];
    for way in cases {
        let head = "byte& q; byte n; chan c = [0] of { byte }; active proctype R() { end: do :: c?_ od }\n";
        let text = format!("{head} init {{ {way}; out: n = *q }}");
        assert_eq!(found(&text), one("dangling-local"), "{way}");
        let text = format!("{head} init {{ {way}; out: n = 1 }}");
        assert_eq!(found(&text), BTreeSet::new(), "{way}");
    }
    // Variables have their initial values again.
    let again = "byte n; byte& unused; init {
      do
      :: n < 4 ->
         { { byte o; assert(o == 0); o = 1; d_step { n++ } } };
         { { byte u; assert(u == 0); u = 1; n = n + 1; n = n + 8; u = 2 } unless { n >= 8 -> n = n - 8 } }
      :: else -> break
      od }";
    assert_eq!(found(again), BTreeSet::new());
    // The last step of a process that has objects is a rendezvous in a `d_step`.
    let last = "byte& q; chan c = [0] of { byte }; byte n; active proctype R() { c?_; n = *q }
        active proctype S() { byte v; q = &v; d_step { c!1 } }";
    assert_eq!(found(last), one("dangling-local"));
}

/// Channels and arrays can be declared in functions and inner scopes.
#[test]
fn declarations_of_inner_scopes() {
    let head = "chan g; byte n; byte& unused; function keep() { chan c = [1] of { byte }; c!1; g = c }
        function give() : byte { chan c = [1] of { byte }; byte x; c!7; g = c; c?x; return x }
        function deep(byte k) : byte { chan c = [2] of { byte }; byte x; c!k;
            if :: k > 0 -> x = deep(k - 1) :: else fi; assert(len(c) == 1); c?x; return x }
        function list() : byte { byte a[3] = { 3, 5 }; byte b[2] = 4; return a[0] + a[1] + a[2] + b[1] }\n";
    for body in [
        "n = give(); assert(n == 7); g = null",
        "n = deep(2); assert(n == 2)",
        "n = list(); assert(n == 17); n = list(); assert(n == 17)",
        "{ chan c = [1] of { byte }; c!3; c?n; assert(n == 3) }",
        "do :: n < 2 -> { chan c = [1] of { byte }; assert(empty(c)); c!1; n++ } :: else -> break od",
        "{ chan c[2] = [1] of { byte }; c[0]!3; assert(empty(c[1]) && c[0] != c[1]) }",
        "do :: n < 3 -> { byte a[2] = { 4, n }; assert(a[0] == 4 && a[1] == n); a[0] = 9; n++ } :: else -> break od",
        "{ chan c = [1] of { byte }; g = c; c = new chan(2) of { byte }; g!1; g = null }",
        "{ n = 1; if :: n == 1 -> goto out :: else fi; chan c = [1] of { byte }; c!1 }; out: n = 2",
        "L: { chan c = [1] of { byte }; c!1; n++; if :: n < 3 -> goto L :: else fi }",
    ] {
        assert_eq!(found(&format!("{head} init {{ {body} }}")), BTreeSet::new(), "{body}");
    }
    for (body, kind) in [
        ("keep(); g!1", "dangling-local"),
        ("n = give(); g!1", "dangling-local"),
        ("n = deep(1); { chan c = [1] of { byte }; g = c }; n = len(g)", "dangling-local"),
        ("{ { chan c = [1] of { byte }; g = c; n = 1; n = 2 } } unless { n == 1 }; g!1", "dangling-local"),
        ("{ chan c = [1] of { byte }; g = c; c = null; d_step { n = 1 } }; g!1", "dangling-local"),
        ("{ chan c = [1] of { byte }; delete c }", "bad-delete"),
        (
            "do :: n < 2 -> { chan c = [1] of { byte }; if :: n == 1 -> g!1 :: else fi; g = c; n++ } :: else -> break od",
            "dangling-local",
        ),
    ] {
        assert_eq!(found(&format!("{head} init {{ {body} }}")), one(kind), "{body}");
    }
}

/// Several objects in a row have the initial values of their fields.
#[test]
fn initial_values_of_several_objects() {
    let head = "typedef In { byte a = 3; byte b[2] = { 4, 5 } }; typedef T { byte k = 2; T& next; In in; short s = 300 };
        T& g; T& h; byte c;\n";
    for body in [
        "g = new T[3]; c = 0; do :: c < 3 -> assert(g[c].k == 2 && g[c].next == null && g[c].in.a == 3 && g[c].in.b[0] == 4
            && g[c].in.b[1] == 5 && g[c].s == 300); c++ :: else -> break od",
        "g = new T[2]; g[1].k = 9; g[1].next = g; h = new T[2]; assert(h[1].k == 2 && g[1].k == 9 && h != g)",
        "g = new T; g.next = new T[2]; assert(g.next[1].s == 300)",
        "g = new T[0]; assert(g != null)",
        "d_step { g = new T[2]; h = &g[1] }; assert(h.k == 2)",
    ] {
        assert_eq!(found(&format!("{head} init {{ {body} }}")), BTreeSet::new(), "{body}");
    }
    assert_eq!(found(&format!("{head} init {{ g = new T[2]; g[2].k = 1 }}")), one("index"));
    for body in ["c = 2; g = new T[c]", "g = new T[2000]", "g = new T[0 - 1]"] {
        let loaded = load("many.pml", format!("{head} init {{ {body} }}").as_bytes(), &[]);
        let Err(refused) = loaded.map_err(|rejected| rejected.to_string()) else { panic!("{body}") };
        assert!(refused.contains("E1403") && refused.contains("in a loop"), "{refused}");
    }
}

/// What is lost in the middle of an `atomic` is a leak, of one step; what is held again by its end is none.
#[test]
fn leaks_are_looked_for_between_steps() {
    let lost = "byte& p; byte& q; active proctype P() { byte n;
        atomic { p = new byte; q = p; p = null; n++; SECOND }; delete q }";
    assert_eq!(found(&lost.replace("SECOND", "skip")), BTreeSet::new());
    let text = lost.replace("SECOND", "q = null; q = new byte");
    assert_eq!(found(&text), one("leak"));
    // A fault ends the step before its end.
    let fails = "byte& p; byte& q; active proctype P() { byte n;
        atomic { p = new byte; p = null; n = *q }; delete p }";
    assert_eq!(found(fails), one("null-dereference"));
    // An object that is handed from one variable to the other by a function, in one step.
    let handed = "byte& p; function id(byte& a) : byte& { byte& b; b = a; a = null; return b }
        active proctype P() { byte& x; atomic { x = new byte; x = id(x) }; delete x }";
    assert_eq!(found(handed), BTreeSet::new());
}

/// Each mistake with memory, and what it should have been.
#[test]
fn every_mistake_with_memory_and_its_correction() {
    let head = "typedef N { byte k; N& next; chan c }; N& g; N& h; byte x; byte& q; ftype t; chan e;
        function one(byte a) : byte { return a + 1 } function none() { x = 1 }
        function lend() { byte mine = 4; q = &mine; WITHIN }
        function fold() { skip }\n";
    for (kind, wrong, right) in [
        ("null-dereference", "x = g.k", "g = new N; x = g.k; delete g"),
        ("null-dereference", "e!1", "e = new chan(1) of { byte }; e!1; delete e"),
        ("null-dereference", "delete g", "g = new N; delete g"),
        ("use-after-free", "g = new N; h = g; delete g; h.k = 1", "g = new N; h = g; h.k = 1; delete g"),
        (
            "use-after-free",
            "e = new chan(1) of { byte }; delete e; e!1",
            "e = new chan(1) of { byte }; e!1; delete e",
        ),
        ("double-delete", "g = new N; h = g; delete g; delete h", "g = new N; h = g; delete g; h = null"),
        ("bad-delete", "q = &x; delete q", "q = new byte; delete q"),
        ("bad-delete", "g = new N[2]; h = &g[1]; delete h", "g = new N[2]; h = &g[0]; delete h"),
        ("leak", "g = new N; g = null; if :: x == 9 -> delete g :: else fi", "g = new N; delete g; g = null"),
        (
            "leak",
            "g = new N; g.next = g; g = null; if :: x == 9 -> delete h :: else fi",
            "g = new N; g.next = g; delete g",
        ),
        (
            "leak",
            "e = new chan(1) of { N& }; g = new N; e!g; g = null; delete e",
            "e = new chan(1) of { N& }; g = new N; e!g; g = null; e?g; delete e; delete g",
        ),
        ("dangling-local", "lend(); x = *q", "lend()"),
        ("dangling-local", "{ byte o; q = &o }; *q = 1", "{ byte o; q = &o; *q = 1 }"),
        ("index", "g = new N[2]; g[2].k = 1", "g = new N[2]; g[1].k = 1"),
        (
            "bad-call",
            "if :: x == 9 -> t = one :: else -> t = none fi; x = t(1)",
            "if :: x == 9 -> t = none :: else -> t = one fi; x = t(1)",
        ),
        ("bad-call", "t = null; t()", "t = none; t()"),
        (
            "channel",
            "e = new chan(1) of { N& }; if :: x == 9 -> e = new chan(1) of { byte } :: else fi; e!x",
            "e = new chan(1) of { byte }; if :: x == 9 -> e = new chan(1) of { N& } :: else fi; e!x",
        ),
        ("bad-cast", "g = new N[2]; q = &g[0].k; x = q[1]", "g = new N[2]; q = &g[0].k; x = q[0]"),
    ] {
        let text = |body: &str| {
            // The value is used while it is there.
            let head = head.replace("WITHIN", "x = *q");
            format!("{head} init {{ {body} }}")
        };
        assert_eq!(found(&text(wrong)), one(kind), "{wrong}");
        assert_eq!(found(&text(right)), BTreeSet::new(), "{right}");
    }
}

/// SPIN's language refuses the extension, by name and with the line; any model can be a dynamic program.
#[test]
fn dialects() {
    use quotient_check::Extension::{Auto, Dynamic, Spin};

    let compile = |text: &str, extension| {
        let files = std::collections::BTreeMap::from([("m.pml".to_owned(), text.as_bytes().to_vec())]);
        let language = quotient_check::Language::Promela;
        Model::load_as(&files, "m.pml", language, extension, &[], &[])
            .map_err(|rejected| rejected.to_string())
    };
    for (text, what, line) in [
        ("byte x;\nbyte& p;\ninit { p = &x }", "a pointer", 2),
        ("function f() { skip }\ninit { f() }", "`function`", 1),
        ("byte x;\ninit {\n x = new byte }", "`new`", 3),
        ("byte x;\ninit {\n delete x }", "`delete`", 3),
        ("ftype f;\ninit { skip }", "`ftype`", 1),
    ] {
        let Err(refused) = compile(text, Spin) else { panic!("{text}") };
        assert!(refused.contains(&format!("{what} is not of SPIN's language")), "{refused}");
        assert!(refused.contains("E1410") && refused.contains(&format!("m.pml:{line}:")), "{refused}");
        assert!(compile(text, Auto).map_or_else(|error| !error.contains("E1410"), |model| model.is_dynamic));
    }
    let plain = "byte new; active [2] proctype P() { new++ }";
    for (extension, is_dynamic) in [(Auto, false), (Spin, false), (Dynamic, true)] {
        let model = compile(plain, extension).expect("a model");
        assert_eq!(
            (model.is_dynamic, model.program.features.thread_ids_observable),
            (is_dynamic, !is_dynamic)
        );
    }
}
