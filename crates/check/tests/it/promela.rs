//! The bundled Promela models: what SPIN says about them is in their headers, and holds here too.
//!
//! ```text
//! // verdict: holds                 or `violated KIND, …`, with all kinds there are
//! // states: 122                    as SPIN stores without reductions
//! // transitions: 203               as SPIN counts them: stored and matched
//! // property NAME: holds           for each temporal property, or `violated`
//! ```

use std::collections::{BTreeMap, BTreeSet};

use naive::Naive;
use quotient_check::Model;
use quotient_check::config::{Bounds, Config, SearchKind, StoreKind, StoreOptions, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use testing::{ModelFile, files_below, models};

use crate::common::{load, properties, walk};

struct Case {
    file: ModelFile,
    model: Model,
    kinds: BTreeSet<String>,
    states: u64,
    transitions: u64,
}

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("// {key}:");
    text.lines()
        .take_while(|line| line.starts_with("//"))
        .find_map(|line| line.strip_prefix(&start))
        .map(str::trim)
}

fn cases() -> Vec<Case> {
    let folders = ["promela", "temporal"].map(|folder| files_below(&models().join(folder), "pml"));
    let files = folders.concat();
    assert!(files.len() >= 20, "{}", files.len());
    let case = |file: ModelFile| {
        let number = |key| value(&file.text, key).and_then(|text| text.parse().ok());
        let number = |key| number(key).unwrap_or_else(|| panic!("{}: no `// {key}: N`", file.name));
        let verdict = value(&file.text, "verdict").unwrap_or_else(|| panic!("{}: no verdict", file.name));
        let kinds = if let Some(kinds) = verdict.strip_prefix("violated ") {
            kinds.split(',').map(|kind| kind.trim().to_owned()).collect()
        } else {
            assert_eq!(verdict, "holds", "{}", file.name);
            BTreeSet::new()
        };
        let model = load(&file.name, file.text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{}: {rejected}", file.name));
        Case { model, kinds, states: number("states"), transitions: number("transitions"), file }
    };
    files.into_iter().map(case).collect()
}

/// What SPIN counts is what a check for safety counts.
fn check(case: &Case, config: &Config) -> Report {
    let config = &Config { safety: true, ..config.clone() };
    let interrupt = std::sync::Arc::default();
    let checked = quotient_check::check(&case.model, config, 0, &interrupt, &mut quotient_check::Quiet);
    checked.unwrap_or_else(|error| panic!("{}: {error:?}", case.file.name)).report
}

fn agrees(case: &Case, config: &Config) {
    let report = check(case, config);
    let name = format!("{}, {} {} {}", case.file.name, config.search(), config.store, config.symmetry);
    let found: BTreeSet<String> =
        report.violations.iter().map(|violation| violation.kind.to_string()).collect();
    assert_eq!(found, case.kinds, "{name}");
    assert_eq!((report.states, report.states + report.matched), (case.states, case.transitions), "{name}");
    let expected = match (case.kinds.is_empty(), config.store.is_lossy()) {
        (false, _) => Verdict::Violated,
        (true, true) => Verdict::NoErrorFound,
        (true, false) => Verdict::Holds,
    };
    assert_eq!(report.verdict, expected, "{name}");
    assert_eq!(report.exhaustive, !config.store.is_lossy(), "{name}");
    assert!(report.symmetry.canonical, "{name}");
}

#[test]
fn states_and_transitions_are_those_of_spin() {
    for case in cases() {
        for &search in SearchKind::ALL {
            let config = Config {
                search: Some(search),
                symmetry: Symmetry::None,
                keep_going: true,
                ..Config::unreduced()
            };
            agrees(&case, &config);
        }
    }
}

/// What is violated, and that nothing else is, does not depend on merging. A merged step is several of the
/// model's, so there are fewer states, and every violation is replayed in unmerged steps before it is
/// reported.
#[test]
fn merging_makes_no_difference_to_verdicts() {
    let mut merged = 0;
    for case in cases() {
        for &search in SearchKind::ALL {
            let merge = Switch::On;
            let config = Config { search: Some(search), merge, keep_going: true, ..Config::unreduced() };
            let report = check(&case, &config);
            let found: BTreeSet<String> =
                report.violations.iter().map(|violation| violation.kind.to_string()).collect();
            assert_eq!(found, case.kinds, "{}, {search}", case.file.name);
            assert!(report.exhaustive, "{}, {search}", case.file.name);
            assert!(report.states <= case.states, "{}, {search}", case.file.name);
            merged += usize::from(report.states < case.states);
        }
    }
    assert!(merged > 20, "{merged}");
}

/// As SPIN 6.5.2 counts them with merging and no other reduction.
#[test]
fn merged_states_and_transitions_are_those_of_spin() {
    for (name, states, transitions) in [
        ("alternating_bit.pml", 1059, 3579),
        ("chang_roberts.pml", 3313, 11_092),
        ("nursery.pml", 2919, 7772),
    ] {
        let case = cases().into_iter().find(|case| case.file.name.ends_with(name)).expect("a bundled model");
        for &search in SearchKind::ALL {
            let report = check(
                &case,
                &Config { search: Some(search), merge: Switch::On, keep_going: true, ..Config::unreduced() },
            );
            assert_eq!((report.states, report.states + report.matched), (states, transitions), "{name}");
        }
    }
}

/// Here SPIN merges what is not local: it does not look at indices. The assertion then never fails.
#[test]
fn indices_are_looked_at_before_statements_are_merged() {
    let text = "byte g;
        active proctype Reader() { byte list[2], seen; list[g] = 1; seen = list[g]; assert(seen == 1) }
        active proctype Writer() { g = 1 }";
    let model = load("indices.pml", text.as_bytes(), &[]).expect("a model");
    let interrupt = std::sync::Arc::default();
    for merge in [Switch::Off, Switch::On] {
        let config = Config { merge, ..Config::unreduced() };
        let checked = quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet)
            .expect("a report");
        let violation = checked.report.violation.expect("the assertion fails");
        // Whatever is merged, the trace has all statements.
        assert_eq!((violation.kind.as_str(), violation.steps), ("assertion", 4));
    }
}

#[test]
fn stores_make_no_difference() {
    for case in cases().iter().filter(|case| case.states < 10_000) {
        for &store in StoreKind::ALL {
            for &search in SearchKind::ALL {
                let arena = (store == StoreKind::Bitstate).then_some(24);
                let store_options = StoreOptions { arena, ..StoreOptions::default() };
                let config = Config {
                    store,
                    store_options,
                    search: Some(search),
                    symmetry: Symmetry::None,
                    keep_going: true,
                    ..Config::unreduced()
                };
                if config.refusal(case.model.dialect()).is_none() {
                    agrees(case, &config);
                }
            }
        }
    }
}

/// With all exact stores, and whatever level of symmetry is asked for.
#[test]
fn temporal_properties_are_as_the_headers_say() {
    let mut lines = 0;
    for case in cases() {
        for config in [Config::unreduced(), Config::default()] {
            let checked = properties::check(&case.model, &case.file.text, &config);
            lines += checked.unwrap_or_else(|reason| panic!("{}: {reason}", case.file.name));
        }
    }
    assert!(lines >= 40, "{lines}");
    properties::tests::all();
}

#[test]
fn stopping_at_the_first_violation_finds_one_of_them() {
    for case in cases().iter().filter(|case| !case.kinds.is_empty()) {
        for &search in SearchKind::ALL {
            for config in [Config::unreduced(), Config::default()] {
                let report = check(case, &Config { search: Some(search), ..config });
                let kind = report.violation.map(|violation| violation.kind);
                let is_one = kind.as_ref().is_some_and(|kind| case.kinds.contains(kind.as_str()));
                assert!(is_one, "{}: {kind:?}", case.file.name);
            }
        }
    }
}

#[test]
fn the_plain_interpreter_agrees() {
    for case in cases().iter().filter(|case| case.states < 2_500) {
        let name = &case.file.name;
        let naive = Naive::new(&case.model.program);
        let summary = naive::explore(&naive, case.states as usize + 1);
        assert!(summary.complete, "{name}");
        let counts = (summary.states as u64, (summary.states + summary.matched) as u64);
        assert_eq!(counts, (case.states, case.transitions), "{name}");
        let mut faults: BTreeMap<String, u64> = BTreeMap::new();
        for ((kind, _), count) in &summary.faults {
            *faults.entry(kind.to_string()).or_default() += *count as u64;
        }
        if summary.deadlocks > 0 {
            faults.insert("deadlock".to_owned(), summary.deadlocks as u64);
        }
        let symmetry = Symmetry::None;
        let config =
            Config { search: Some(SearchKind::Dfs), symmetry, keep_going: true, ..Config::unreduced() };
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        for violation in check(case, &config).violations {
            *found.entry(violation.kind.to_string()).or_default() += violation.count;
        }
        assert_eq!(found, faults, "{name}");
    }
}

#[test]
fn steps_are_taken_back() {
    for case in cases() {
        let engine = quotient_check::engine(&case.model, Bounds::default());
        let engine = engine.unwrap_or_else(|error| panic!("{}: {error:?}", case.file.name));
        let tried: usize = (0..2).map(|seed| walk::walk(&engine, seed, 100)).sum();
        assert!(tried > 0, "{}", case.file.name);
    }
}

#[test]
fn what_goes_wrong_before_the_first_step_is_found() {
    for (text, kind) in [
        ("byte a[2]; byte i = 5; active proctype P() { byte y = a[i]; assert(y == 0) }", "index"),
        ("byte i; active proctype P() { byte y = 3 / i; assert(y == 0) }", "division-by-zero"),
        ("byte i; proctype Q() { byte y = 3 / i; skip } init { run Q() }", "division-by-zero"),
    ] {
        let model = load("m.pml", text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
        for &search in SearchKind::ALL {
            let interrupt = std::sync::Arc::default();
            let config = Config { search: Some(search), ..Config::unreduced() };
            let checked = quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet)
                .expect(text);
            let found = checked.report.violation.map(|violation| violation.kind);
            assert_eq!(found.map(quotient_check::FaultKind::as_str), Some(kind), "{text}");
        }
    }
}

/// All kinds of violations that a search finds, and how many states and steps there are.
fn explored(text: &str, search: SearchKind) -> (Vec<(String, String)>, u64, u64) {
    let model = load("m.pml", text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let interrupt = std::sync::Arc::default();
    let symmetry = Symmetry::None;
    let config = Config { search: Some(search), symmetry, keep_going: true, ..Config::unreduced() };
    let checked =
        quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet).expect(text);
    let report = checked.report;
    let found =
        report.violations.into_iter().map(|violation| (violation.kind.to_string(), violation.message));
    (found.collect(), report.states, report.matched)
}

/// `xr q;` and `xs q;` say something about a model, and change nothing else about it.
#[test]
fn claims_on_channels_are_checked() {
    let (q, r) = ("chan q = [2] of { byte };", "chan q = [0] of { byte };");
    let a_receives = "receives from `q`, which A(0) claims to do alone";
    let a_sends = "sends to `q`, which A(0) claims to do alone";
    for (channel, processes, broken) in [
        (q, "active proctype A() { xr q; q?_ } active proctype B() { q!1; q!2; q?_ }", Some(a_receives)),
        (q, "active proctype A() { xr q; q?_; q!1 } active proctype B() { q!1; q!2 }", None),
        (q, "active proctype A() { xs q; q!1 } active proctype B() { q!2; q?_ }", Some(a_sends)),
        (q, "active proctype A() { xs q; q!1; q!2 } active proctype B() { q?_; q?_ }", None),
        // A copy is received, and it does not matter where: in a `d_step`, sorted, or from the middle.
        (q, "active proctype A() { xr q; q!1 } active proctype B() { q?<_> }", Some(a_receives)),
        (
            q,
            "active proctype A() { xr q; q!1 } active proctype B() { d_step { q!2; q??2 } }",
            Some(a_receives),
        ),
        (q, "active proctype A() { xs q; skip } active proctype B() { d_step { q!!2; q?_ } }", Some(a_sends)),
        // Who only looks does not receive.
        (
            q,
            "active proctype A() { xr q; q?_ } active proctype B() { q!1; (q?[1]) || len(q) > 0 || empty(q) }",
            None,
        ),
        (
            r,
            "active proctype A() { xr q; do :: q?_ od } active [2] proctype B() { end: do :: q!1 :: q?_ od }",
            Some(a_receives),
        ),
        (
            r,
            "active proctype A() { xs q; do :: q!1 od } active [2] proctype B() { do :: q!1 :: q?_ od }",
            Some(a_sends),
        ),
        (r, "active proctype A() { xs q; do :: q!1 od } active proctype B() { xr q; do :: q?_ od }", None),
        // Whichever of two receives, the other claimed that it would not.
        (q, "active [2] proctype A() { xr q; q!1; q?_ }", Some("receives from `q`, which A(")),
        // It is claimed from the start.
        (
            q,
            "active proctype A() { q!1; atomic { q?2; xr q; q?_ } } active proctype B() { q?1 }",
            Some(a_receives),
        ),
        // What a variable refers to.
        (
            q,
            "init { run A(q); q!1; q?_ } proctype A(chan c) { xr c; c?_ }",
            Some("init(0) receives from `q`, which A(1)"),
        ),
        (
            q,
            "init { run A(); q!1; q?_ } proctype A() { chan c; xr c; c = q; c?_ }",
            Some("init(0) receives from `q`, which A(1)"),
        ),
        (q, "init { run A(); q!1; q?_ } proctype A() { chan c, d; xr c; d = q; d?_ }", None),
        // Who has ended claims nothing.
        (q, "init { q!1; run A(); _nr_pr == 1; q!2; q?_ } proctype A() { xr q; q?_ }", None),
    ] {
        let text = format!("{channel} {processes}");
        let free =
            ["xr q;", "xs q;", "xr c;"].iter().fold(text.clone(), |text, claim| text.replace(claim, ""));
        for &search in SearchKind::ALL {
            let (found, states, matched) = explored(&text, search);
            let of_claims = |(kind, _): &(String, String)| kind == "exclusive-channel";
            let (claims, others): (Vec<_>, Vec<_>) = found.into_iter().partition(of_claims);
            match broken {
                Some(what) => {
                    assert!(!claims.is_empty(), "{text}");
                    assert!(claims.iter().all(|(_, message)| message.contains(what)), "{text}: {claims:?}");
                }
                None => assert!(claims.is_empty(), "{text}: {claims:?}"),
            }
            assert_eq!((others, states, matched), explored(&free, search), "{text}");
        }
    }
}
