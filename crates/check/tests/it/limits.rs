//! Limits end a check in the middle of a step or a condition, and what it says then is honest.
//!
//! None of these checks would end by itself: each has an evaluation that takes 2^100 calls or more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use quotient_check::config::{Config, Fairness, Limits, SearchKind, Switch, Symmetry};
use quotient_check::report::Verdict;
use quotient_check::{Checked, Model, Quiet};

fn check(text: &str, config: &Config, interrupt: &Arc<AtomicBool>) -> Checked {
    let files = BTreeMap::from([("m.bir".to_owned(), text.into())]);
    let model = Model::load(&files, "m.bir", &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    // Fairness matters to temporal properties only.
    let has_properties = !model.program.properties.is_empty();
    let fairness = if has_properties { config.fairness } else { Fairness::None };
    let config = &Config { fairness, ..config.clone() };
    let checked = quotient_check::check(&model, config, 0, interrupt, &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}"))
}

/// A model with something that takes long in its properties or its thread.
fn model(properties: &str, body: &str) -> String {
    format!(
        "system S {{
            record Cell {{ Cell next; }}
            int (0, 9) n; Set.type<int> s; Cell cell;
            fun deep(int n) returns boolean = n == 0 ? true : deep(n - 1) && deep(n - 1);
            fun wide(int n) returns boolean = n > 100 ? true : forall x in s : wide(n + 1 + x - x);
            fun pairs(int k) returns boolean = forall a in s : forall b in s : forall c in s : wide(k + a + b + c);
            {properties}
            thread Other(int k) {{ loc a: do {{ k := k + 1; }} goto b; loc b: do {{ k := 0; }} return; }}
            active thread T() {{
                loc a: do {{ cell := new Cell; s := Set.create(1, 2, 3, 4); start Other(1); }} goto b;
                {body}
            }}
        }}"
    )
}

fn models() -> Vec<String> {
    let rest = "loc b: do { n := 1; } goto c; loc c: do { n := 2; } return;";
    vec![
        model("invariant I = deep(100);", rest),
        model("invariant I = n == 0 || deep(100);", rest),
        model("invariant I = n == 0 || pairs(0);", rest),
        model("ltl P = [] deep(100);", rest),
        model("ltl P = [] <> (n < 2 || wide(0));", rest),
        model("ltl P = forall Other w: [] (n < 1 || wide(0));", rest),
        model("", "loc b: when deep(100) do { } goto c; loc c: do { } return;"),
        model("", "loc b: do { assert wide(0); } return;"),
        model("", "loc b: do { cell.next := new Cell; assume wide(0); } return;"),
        model("", "loc b: do { n := Set.choose(s); assume wide(0); } return;"),
    ]
}

fn configs() -> impl Iterator<Item = Config> {
    let searches = [SearchKind::Bfs, SearchKind::Dfs];
    searches.into_iter().flat_map(|search| {
        let others = [
            (Symmetry::Full, Switch::Auto, Fairness::None),
            (Symmetry::None, Switch::Off, Fairness::None),
            (Symmetry::Full, Switch::On, Fairness::Weak),
        ];
        others.map(|(symmetry, por, fairness)| Config {
            search: Some(search),
            symmetry,
            por,
            fairness,
            ..Config::default()
        })
    })
}

/// It is neither a violation nor a bound that was exceeded.
fn is_honest(checked: &Checked, reason: &str) {
    let report = &checked.report;
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.violation.is_none() && report.violations.is_empty() && !report.exhaustive);
    assert_eq!(report.truncations.total(), 0);
    let incomplete = report.incomplete.as_deref().expect("a reason");
    assert!(incomplete.contains(reason), "{incomplete}");
}

#[test]
fn time_ends_what_takes_too_long() {
    for text in models() {
        for config in configs() {
            let limits = Limits { time: Some(Duration::from_millis(20)), ..config.limits };
            let checked = check(&text, &Config { limits, ..config }, &Arc::default());
            is_honest(&checked, "the time limit was reached");
            assert!(!checked.interrupted);
        }
    }
}

#[test]
fn an_interrupt_ends_what_takes_too_long() {
    for text in models() {
        let flag = Arc::new(AtomicBool::new(false));
        let checked = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                flag.store(true, Relaxed);
            });
            check(&text, &Config::default(), &flag)
        });
        is_honest(&checked, "interrupted");
        assert!(checked.interrupted);
    }
}

/// What was found before counts.
#[test]
fn a_violation_before_that_is_reported() {
    let text = model(
        "invariant I = n < 1 || n > 1;",
        "loc b: do { n := 1; } goto c; loc c: do { assert deep(100); } return;",
    );
    for config in configs() {
        let limits = Limits { time: Some(Duration::from_millis(500)), ..config.limits };
        let config = Config { limits, keep_going: true, ..config };
        let report = check(&text, &config, &Arc::default()).report;
        assert_eq!(report.verdict, Verdict::Violated);
        assert_eq!(report.violations.len(), 1);
        assert!(report.incomplete.expect("a reason").contains("the time limit was reached"));
    }
}
