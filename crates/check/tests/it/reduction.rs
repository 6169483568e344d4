//! What partial order reduction must not change, what it is worth, and when it is not used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quotient_check::config::Sizes;
use quotient_check::config::{
    Bounds, Config, Limits, Naming, OnBound, SearchKind, StoreKind, Switch, Symmetry,
};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};
use testing::{files_below, models, random_model};

use crate::common::load;

fn check(model: &Model, config: &Config) -> Report {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn model(name: &str, text: &str) -> Model {
    let files = BTreeMap::from([(name.to_owned(), text.into())]);
    Model::load(&files, name, &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn reduced() -> Config {
    Config { por: Switch::On, keep_going: true, ..Config::unreduced() }
}

/// Verdict, kinds and places of violations, which bounds were exceeded, and what was never reached.
fn essence(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let violations: BTreeSet<_> = report
        .violations
        .iter()
        .map(|found| (found.kind, found.location.as_ref().map(|place| (place.line, place.column))))
        .collect();
    let bounds = report.truncations;
    let truncated = [bounds.objects, bounds.threads, bounds.frames, bounds.conditions].map(|count| count > 0);
    let dead = report
        .dead_code
        .iter()
        .map(|code| (code.procedure.clone(), code.location.line, code.location.column));
    (report.verdict, violations, truncated, dead.collect::<BTreeSet<_>>())
}

/// The example of Holzmann's lecture: `x` and `y` are variables of one thread each, `g` is shared.
#[test]
fn two_threads_that_share_one_variable() {
    let text = |more: &str| {
        format!(
            "system S {{
                int x; int y; int g;
                {more}
                active thread A() {{ loc a: do {{ x := 1; }} goto b; loc b: do {{ g := g + 2; }} return; }}
                active thread B() {{ loc a: do {{ y := 1; }} goto b; loc b: do {{ g := g * 2; }} return; }}
            }}"
        )
    };
    let plain = model("m.bir", &text(""));
    let property = model("m.bir", &text("invariant Order = x >= y;"));
    for search in [SearchKind::Bfs, SearchKind::Dfs] {
        let config = |por| Config { search: Some(search), por, ..reduced() };
        assert_eq!(check(&plain, &config(Switch::Off)).states, 10);
        assert_eq!(check(&plain, &config(Switch::On)).states, 7);
        let seen = check(&property, &config(Switch::On));
        assert_eq!((seen.states, seen.violations.len()), (8, 1));
    }
}

#[test]
fn models_have_the_same_errors() {
    let mut logarithms = Vec::new();
    for file in files_below(&models().join("promela"), "pml") {
        let model =
            load(&file.name, file.text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
        let full = check(&model, &Config { por: Switch::Off, ..reduced() });
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            for merge in [Switch::Off, Switch::On] {
                let defaults = Config { keep_going: true, ..Config::default() };
                for config in [Config { por: Switch::Off, ..reduced() }, reduced(), defaults] {
                    let report = check(&model, &Config { search: Some(search), merge, ..config });
                    assert_eq!(essence(&report), essence(&full), "{} {search} merge {merge}", file.name);
                }
            }
            let report = check(&model, &Config { search: Some(search), ..reduced() });
            assert!(report.states <= full.states, "{}", file.name);
            let first = check(&model, &Config { search: Some(search), keep_going: false, ..reduced() });
            assert_eq!(first.verdict, full.verdict, "{}", file.name);
            logarithms.push((full.states as f64 / report.states as f64).ln());
        }
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    assert!(mean > 1.5, "reduced by {mean}");
}

/// Everything is a function of the state: no search, no store makes a difference.
#[test]
fn searches_and_stores_agree() {
    for name in ["dolev_klawe_rodeh.pml", "post_office.pml", "sorting_pipeline_bug.pml", "nursery.pml"] {
        let files = files_below(&models().join("promela"), "pml");
        let file = files.iter().find(|file| file.name.ends_with(name)).expect("it is there");
        let model =
            load(&file.name, file.text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
        let first = check(&model, &reduced());
        for &search in SearchKind::ALL {
            for &store in StoreKind::ALL {
                let config = Config { search: Some(search), store, ..reduced() };
                if config.refusal(model.dialect()).is_none() && store != StoreKind::Bitstate {
                    let report = check(&model, &config);
                    let counts = |report: &Report| (report.states, report.transitions, report.matched);
                    assert_eq!(counts(&report), counts(&first), "{name} {search} {store}");
                }
            }
        }
    }
}

/// A ring of a few processes has hundreds of states, not thousands.
#[test]
fn an_election_is_nearly_one_run() {
    let files = files_below(&models().join("promela"), "pml");
    let file = files.iter().find(|file| file.name.ends_with("dolev_klawe_rodeh.pml")).expect("it is there");
    let model = load(&file.name, file.text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let full = check(&model, &Config { por: Switch::Off, ..reduced() });
    let report = check(&model, &reduced());
    assert!(report.states * 15 < full.states, "{} of {}", report.states, full.states);
    assert!(report.reduction.ample > 0 && report.reduction.notice.is_none());
}

#[test]
fn what_asks_about_the_schedule_is_not_reduced() {
    for (text, why) in [
        ("byte x; active proctype A() { x = _last }", "reads `_last`"),
        (
            "byte x; active proctype A() { enabled(1) -> x = 1 } active proctype B() { x = 2 }",
            "uses `enabled()`",
        ),
        ("byte x; active proctype A() { x = pc_value(0) }", "uses `pc_value()`"),
        ("byte x; active proctype A() priority 3 { x = 1 }", "priorities"),
        ("byte x; active proctype A() provided (x == 0) { x = 1 }", "provided"),
        ("hidden byte h; byte x; active proctype A() { x = h; x == 0 }", "hidden variables"),
    ] {
        let model = model("m.pml", text);
        let report = check(&model, &reduced());
        let notice = report.reduction.notice.clone().unwrap_or_else(|| panic!("{text} is reduced"));
        assert!(notice.contains(why), "{notice}");
        assert!(report.assumptions.iter().any(|line| line.contains(&notice)), "{:?}", report.assumptions);
        assert_eq!(report.states, check(&model, &Config { por: Switch::Off, ..reduced() }).states);
    }
}

/// Where no thread ever has a chance to go first, nothing is compared.
#[test]
fn hopeless_models_run_as_they_are() {
    let endless = model("m.pml", "byte x; active [2] proctype A() { do :: x = 1 - x; x = 0 od }");
    let ending = model("m.pml", "byte x; active [2] proctype A() { x = 1 - x; x = 0 }");
    assert_eq!(check(&ending, &reduced()).reduction.notice, None);
    let report = check(&endless, &reduced());
    assert_eq!(report.reduction.por, Switch::On);
    let told = |line: &String| line.contains("nothing was left out");
    assert!(report.assumptions.iter().any(told), "{:?}", report.assumptions);
    assert_eq!((report.reduction.ample, report.reduction.full), (0, 0));
}

/// Names of objects show in which order they were made.
#[test]
fn heaps_need_symmetry() {
    let text = "system S { record R {} active[2] thread T() { R r; loc a: do { r := new R; } goto b; loc b: do { } return; } }";
    let model = model("m.bir", text);
    let report = check(&model, &Config { symmetry: Symmetry::None, ..reduced() });
    assert!(report.reduction.notice.is_some_and(|notice| notice.contains("without symmetry")));
    assert_eq!(check(&model, &reduced()).reduction.notice, None);
}

#[test]
fn depths_are_not_those_of_all_runs() {
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let refusal = Config { limits, ..reduced() }.refusal(quotient_check::Language::Bir.dialect());
    assert!(refusal.is_some_and(|reason| reason.contains("--por on") && reason.contains("--max-depth 3")));
}

/// What is assumed about locks is checked: a model that does not keep to it is reduced less, and says why.
#[test]
fn breaches_of_discipline_are_told() {
    let text = |careless: &str, late: &str| {
        format!(
            "system S {{
                record R {{ lock m; int v; }}
                R r;
                thread T() {{
                    int i;
                    i := 1;
                    lock(r.m); r.v := r.v + i; unlock(r.m);
                    {careless}
                }}
                main thread MAIN() {{ atomic r := new R; r.m := new lock; start T(); start T(); end {late} }}
            }}"
        )
    };
    let careful = model("m.bir", &text("", ""));
    let careless = model("m.bir", &text("assert r.v > 0;", ""));
    let late = model("m.bir", &text("", "r.m := r.m;"));
    for (model, dropped) in [
        (&careful, &[][..]),
        (&careless, &["R.v is used without R.m"]),
        (&late, &["R.m is written when others may know of it"]),
    ] {
        let full = check(model, &Config { por: Switch::Off, ..reduced() });
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            let report = check(model, &Config { search: Some(search), ..reduced() });
            assert_eq!(essence(&report), essence(&full));
            assert_eq!(report.reduction.dropped, dropped);
            assert!(report.states < full.states || !dropped.is_empty());
            let told = report.assumptions.iter().any(|line| dropped.iter().any(|what| line.contains(what)));
            assert_eq!(told, !dropped.is_empty());
        }
    }
}

/// How many objects there are at a time depends on the order of steps.
#[test]
fn bounds_on_objects_are_met_in_full() {
    let text = "system S {
        record R { R next; }
        active[2] thread T() { R r; r := new R; r := new R; r := null; }
    }";
    let model = model("m.bir", text);
    let sizes = Sizes { objects: 2, ..Sizes::default() };
    let bounds = Bounds { sizes, ..Bounds::default() };
    let full = check(&model, &Config { por: Switch::Off, bounds, ..reduced() });
    let report = check(&model, &Config { bounds, ..reduced() });
    assert_eq!((essence(&report), report.states), (essence(&full), full.states));
    assert!(full.truncations.objects > 0);
    assert!(report.reduction.notice.is_some_and(|notice| notice.contains("a bound was exceeded")));
    let bounds = Bounds { on_bound: OnBound::Error, ..bounds };
    let report = check(&model, &Config { bounds, ..reduced() });
    assert!(report.reduction.notice.is_some_and(|notice| notice.contains("too many are a violation")));
    let ample = check(&model, &reduced());
    assert!(ample.states < full.states && ample.reduction.notice.is_none());
}

#[test]
fn models_with_objects_have_the_same_errors() {
    let names = [
        "actors",
        "barrier",
        "bounded_buffer",
        "exceptions",
        "message_queue",
        "ordered_list",
        "ordered_set",
        "readers_writers",
        "recursion",
        "registry",
        "shapes",
        "thread_pool",
        "work_queue",
    ];
    let files = files_below(&models(), "bir");
    let is_one =
        |name: &str| names.iter().any(|one| name == format!("{one}.bir") || name == format!("{one}_bug.bir"));
    let mut logarithms = Vec::new();
    for file in files.iter().filter(|file| is_one(&file.name)) {
        let model =
            load(&file.name, file.text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
        let safety = Config { safety: true, ..reduced() };
        let full = check(&model, &Config { por: Switch::Off, ..safety.clone() });
        for (search, symmetry) in [
            (SearchKind::Bfs, Symmetry::Full),
            (SearchKind::Dfs, Symmetry::Full),
            (SearchKind::Bfs, Symmetry::Heap),
        ] {
            let report = check(&model, &Config { search: Some(search), symmetry, ..safety.clone() });
            assert_eq!(essence(&report), essence(&full), "{} {search} {symmetry}", file.name);
            if symmetry == Symmetry::Full {
                logarithms.push((full.states as f64 / report.states as f64).ln());
            }
        }
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    assert!(mean > 1.5, "reduced by {mean}");
}

#[test]
fn random_models_have_the_same_errors_at_every_level() {
    let many = testing::effort(60);
    let levels = [
        Symmetry::None,
        Symmetry::Heap,
        Symmetry::Pc,
        Symmetry::Bots(None),
        Symmetry::Bots(Some(1)),
        Symmetry::Full,
    ];
    let mut ample = 0;
    for seed in 0..many {
        let text = random_model(seed);
        let model = model("random.bir", &text);
        let sizes = Sizes { threads: 4, frames: 4, objects: 8 };
        let bounds = Bounds { sizes, ..Bounds::default() };
        let limits = Limits { states: Some(3000), ..Limits::default() };
        let full = check(&model, &Config { por: Switch::Off, bounds, limits: limits.clone(), ..reduced() });
        if full.states >= 3000 {
            continue;
        }
        for symmetry in levels {
            for search in [SearchKind::Bfs, SearchKind::Dfs] {
                let config = Config { symmetry, search: Some(search), bounds, ..reduced() };
                let report = check(&model, &config);
                assert_eq!(essence(&report), essence(&full), "{symmetry} {search}, model {seed}\n{text}");
                ample += report.reduction.ample;
            }
        }
    }
    assert!(ample > many * 10, "{ample} ample sets");
}

/// What statements that are merged must not hide, each with an assertion that fails in the state that would
/// be missing.
#[test]
fn merged_statements_hide_nothing() {
    for text in [
        // What was done in an atomic block before the chain began.
        "byte x; active proctype P() { byte a; byte arr[2]; atomic { x = 1; { a = 1; a = 2 } }; arr[x % 2] = 1; assert(arr[1] == 1) }
         active proctype Q() { x == 1; x = 0 }",
        "byte x; active proctype P() { byte a; atomic { x = 1; (a == 0) }; a = 1; L: x = 2 } ltl f { [] ((x == 1) -> P@L) }",
        // That a process has not come yet to where others look for it.
        "byte x; active proctype P() { byte a; atomic { x = 1; a = 0 }; a = 2; endL: x == 5 }
         active proctype Q() { x == 1; assert(P@endL) }",
        // Which channel it is that is asked about.
        "chan ch[2] = [1] of { byte }; active proctype P() { byte i, a; atomic { i = 1; a = len(ch[i]) }; assert(a == 0) }
         active proctype Q() { ch[1]!1 }",
        // That a process waits for a message with a d_step, or no more.
        "chan c = [0] of { bit };
         active proctype P() { byte x; if :: c?_ :: x == 0 -> x = 1 fi; end: d_step { c?_; x = 2 } }
         active proctype Q() { if :: c!1 :: else -> assert(false) fi }",
    ] {
        let model = model("m.pml", text);
        for (por, merge) in
            [Switch::Off, Switch::On].iter().flat_map(|&por| [(por, Switch::Off), (por, Switch::On)])
        {
            let report = check(&model, &Config { por, merge, ..Config::default() });
            assert_eq!(report.verdict, Verdict::Violated, "reduction {por}, merging {merge}: {text}");
        }
    }
}

/// Objects, functions and channels that are objects, memory that is explicit, and a property of runs.
#[test]
fn random_dynamic_programs_have_the_same_errors() {
    const FORMULAS: &[&str] =
        &["[] <> (c == 1)", "<> [] (g != null)", "[] (c == 2 -> <> (h == null))", "(g == h) U (c == 1)"];
    let all = testing::effort(200);
    let (mut less, mut states, mut left) = (0, 0, 0);
    for seed in 0..all {
        let formula = FORMULAS[seed as usize % FORMULAS.len()];
        let text = format!("{}ltl p {{ {formula} }}\n", testing::promela::dynamic(seed));
        let model = model("random.pml", &text);
        let bounds =
            Bounds { sizes: Sizes { threads: 4, frames: 4, objects: 40 }, on_bound: OnBound::Truncate };
        let most = Limits { states: Some(5000), ..Limits::default() };
        let config = Config { symmetry: Symmetry::Full, bounds, limits: most, ..reduced() };
        let full = check(&model, &Config { por: Switch::Off, ..config.clone() });
        if full.states >= 5000 {
            continue;
        }
        for naming in [Naming::Auto, Naming::Chain] {
            for search in [SearchKind::Bfs, SearchKind::Dfs] {
                let config = Config { search: Some(search), naming: Some(naming), ..config.clone() };
                let report = check(&model, &config);
                assert_eq!(essence(&report), essence(&full), "{seed}, {search}, {naming}:\n{text}");
                assert!(report.states <= full.states, "{seed}, {search}, {naming}:\n{text}");
                let safety = check(&model, &Config { safety: true, ..config });
                less += u64::from(safety.states < full.states);
                states += full.states;
                left += safety.states;
            }
        }
    }
    eprintln!("{less} checks of {all} programs with fewer states: {left} of {states}");
    assert!(less > all / 2, "{less} of {all}");
}
