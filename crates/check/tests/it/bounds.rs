//! Bounds that are exceeded while a condition is evaluated: that says nothing about the condition.

use std::collections::BTreeMap;
use std::sync::Arc;

use quotient_check::config::{Config, Fairness, OnBound, SearchKind, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};

fn check(text: &str, config: &Config) -> Report {
    let files = BTreeMap::from([("m.bir".to_owned(), text.into())]);
    let model = Model::load(&files, "m.bir", &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let checked = quotient_check::check(&model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn kind(report: &Report) -> Option<&str> {
    report.violation.as_ref().map(|violation| violation.kind.as_str())
}

/// All ways to search that may cut in other places.
fn configs() -> impl Iterator<Item = Config> {
    let searches = [SearchKind::Bfs, SearchKind::Dfs];
    let levels = [Symmetry::None, Symmetry::Full];
    let switches = [Switch::Off, Switch::Auto];
    searches.into_iter().flat_map(move |search| {
        levels.into_iter().flat_map(move |symmetry| {
            switches.map(|por| {
                let mut config = Config { search: Some(search), symmetry, por, ..Config::default() };
                config.bounds.sizes.frames = 10;
                config
            })
        })
    })
}

/// The configuration in which a bound that is exceeded is an error.
fn strict(config: &Config) -> Config {
    let mut strict = config.clone();
    strict.bounds.on_bound = OnBound::Error;
    strict
}

/// A list that grows to 15 cells, and what is said about it.
fn growing(properties: &str) -> String {
    format!(
        "system S {{
            record Cell {{ Cell next; }}
            Cell head; int (0, 20) n;
            fun length(Cell c) returns int = c == null ? 0 : 1 + length(c.next);
            {properties}
            thread Idle(int k) {{ loc a: do {{ k := k + 1; }} goto b; loc b: do {{ k := 0; }} return; }}
            active thread T() {{
                Cell c;
                start Idle(1);
                start Idle(2);
                while n < 15 do
                    atomic c := new Cell; c.next := head; head := c; n := n + 1; c := null; end
                end
            }}
        }}"
    )
}

/// The verdict, and what it says about the bound.
fn is_undecided(report: &Report, what: &str) {
    assert_eq!((report.verdict, kind(report)), (Verdict::HoldsUpToBounds, None));
    assert!(!report.exhaustive && report.truncations.conditions > 0);
    let reason = report.incomplete.as_deref().expect("a reason");
    assert!(reason.contains(what) && reason.contains("--max-frames 10"), "{reason}");
}

#[test]
fn an_invariant_that_exceeds_a_bound_is_not_violated() {
    let text = growing("invariant Counted = length(head) == n;");
    for config in configs() {
        let report = check(&text, &config);
        is_undecided(&report, "an invariant was not evaluated in ");
        // Those states have successors all the same.
        assert_eq!(report.truncations.steps(), 0);
        let without = check(&growing(""), &config);
        assert!(report.states >= without.states);
        assert_eq!(kind(&check(&text, &strict(&config))), Some("stack-bound"));
    }
    let wide = Config::default();
    assert_eq!(check(&text, &wide).verdict, Verdict::Holds);
}

#[test]
fn an_invariant_that_is_violated_counts_more_than_one_that_exceeds_a_bound() {
    for properties in [
        "invariant A = length(head) == n; invariant B = n < 14;",
        "invariant A = n < 14; invariant B = length(head) == n;",
    ] {
        for config in configs() {
            assert_eq!(kind(&check(&growing(properties), &config)), Some("invariant"));
        }
    }
}

#[test]
fn the_initial_state_is_no_exception() {
    let text = "system S {
        fun down(int n) returns int = n == 0 ? 0 : down(n - 1);
        invariant Small = down(40) == 0;
        active thread T() { loc a: do { } return; }
    }";
    for config in configs() {
        is_undecided(&check(text, &config), "an invariant was not evaluated in ");
        assert_eq!(kind(&check(text, &strict(&config))), Some("stack-bound"));
    }
}

/// Neither taking a condition that was not evaluated for true nor for false gives these answers.
#[test]
fn a_proposition_that_exceeds_a_bound_is_neither_true_nor_false() {
    let properties = [
        "ltl P = [] (length(head) == n);",
        "ltl P = [] !(length(head) > 11);",
        "ltl P = <> (length(head) == 15);",
        "ltl P = forall T t: [] (length(head) == n);",
        "ltl P = forall Idle w: ([] (length(head) == n)) || [] !(length(head) == n);",
    ];
    for property in properties {
        for config in configs() {
            for fairness in [Fairness::None, Fairness::Weak] {
                let name = Some("P".to_owned());
                let config = Config { fairness, property: name, search: None, ..config.clone() };
                is_undecided(&check(&growing(property), &config), "the property was not evaluated in ");
                assert_eq!(kind(&check(&growing(property), &strict(&config))), Some("stack-bound"));
            }
        }
    }
}

#[test]
fn a_run_that_violates_a_property_within_bounds_is_found() {
    for property in ["ltl P = [] (length(head) < 8);", "ltl P = [] ((n == 9) -> (length(head) == 8));"] {
        for config in configs() {
            let config = Config { property: Some("P".to_owned()), search: None, ..config };
            assert_eq!(kind(&check(&growing(property), &config)), Some("acceptance-cycle"), "{property}");
        }
    }
}

/// It is not known whether steps exist whose guards exceed a bound: they are cut, and so is the
/// `else` beside them.
#[test]
fn guards_and_asserts_that_exceed_a_bound_are_cut() {
    let bodies = [
        "choose when <down(40) == 1> do skip; else do assert false; end",
        "loc a: when down(40) == 1 do { } goto b; loc b: do { assert false; } return;",
        "loc a: do { assert down(40) == 1; } goto b; loc b: do { assert false; } return;",
        "loc a: do { assume down(40) == 1; } goto b; loc b: do { assert false; } return;",
        "loc a: do { n := 1; assume down(40) == 1; } goto b; loc b: do { assert false; } return;",
        "loc a: do { n := down(40); } goto b; loc b: do { assert false; } return;",
    ];
    for body in bodies {
        let text = format!(
            "system S {{
                int n;
                fun down(int n) returns int = n == 0 ? 0 : down(n - 1);
                active thread T() {{ {body} }}
            }}"
        );
        for config in configs() {
            let report = check(&text, &config);
            assert_eq!((report.verdict, kind(&report)), (Verdict::HoldsUpToBounds, None), "{body}");
            assert_eq!((report.truncations.frames, report.truncations.conditions), (1, 0), "{body}");
            assert_eq!(kind(&check(&text, &strict(&config))), Some("stack-bound"), "{body}");
        }
    }
}

/// Each level would ask for both elements: more evaluations than there will ever be time for.
#[test]
fn elements_after_one_that_exceeds_a_bound_are_not_asked() {
    let uses = [
        ("", "loc b: do { assert f(0); } return;"),
        ("", "loc b: when f(0) do { } return;"),
        ("invariant I = f(0);", "loc b: do { } return;"),
        ("ltl P = [] f(0);", "loc b: do { } return;"),
    ];
    for (property, body) in uses {
        for quantifier in ["forall", "exists"] {
            let text = format!(
                "system S {{
                    Set.type<int> s;
                    fun f(int n) returns boolean = {quantifier} x in s : f(n + x);
                    {property}
                    active thread T() {{ loc a: do {{ Set.add(s, 1); Set.add(s, 2); }} goto b; {body} }}
                }}"
            );
            let config = Config::default();
            let expected = if property.starts_with("ltl") && quantifier == "exists" {
                // It does not hold of the empty set.
                (Verdict::Violated, Some("acceptance-cycle"))
            } else if property.starts_with("inv") && quantifier == "exists" {
                (Verdict::Violated, Some("invariant"))
            } else {
                (Verdict::HoldsUpToBounds, None)
            };
            let report = check(&text, &config);
            assert_eq!((report.verdict, kind(&report)), expected, "{text}");
            let strictly = check(&text, &strict(&config));
            assert_eq!(strictly.verdict, Verdict::Violated, "{text}");
            assert!(expected.1.is_some() || kind(&strictly) == Some("stack-bound"), "{text}");
        }
    }
}
