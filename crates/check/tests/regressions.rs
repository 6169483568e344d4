//! Verdicts that were wrong once, or nearly.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use quotient::config::{Config, OnBound, SearchKind};
use quotient::report::{Report, Verdict};
use quotient::{Model, Quiet, Style};

fn check(text: &str, config: &Config) -> Report {
    let files = BTreeMap::from([("m.bir".to_owned(), text.into())]);
    let model = Model::load(&files, "m.bir", &[], Style::Plain)
        .unwrap_or_else(|rejected| panic!("{}", rejected.text));
    let checked = quotient::check(&model, config, 0, &AtomicBool::new(false), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn kinds(report: &Report) -> Vec<&str> {
    report.violations.iter().map(|violation| violation.kind.as_str()).collect()
}

#[test]
fn a_deadlock_that_also_breaks_an_invariant_is_both() {
    let text = "system S {
        int x;
        invariant Small = x < 1;
        active thread T() { loc a: do { x := 1; } goto b; loc b: when x == 0 do { } return; }
    }";
    for search in [SearchKind::Bfs, SearchKind::Dfs] {
        let report = check(text, &Config { search, keep_going: true, ..Config::default() });
        assert_eq!(kinds(&report), ["invariant", "deadlock"]);
    }
}

/// An argument that does not fit is a fault, whether or not the call also exceeds a bound.
#[test]
fn arguments_are_looked_at_before_bounds() {
    let call = "system S {
        function f(int (0, 3) k) { invoke f(k + 1); }
        active thread T() { invoke f(0); }
    }";
    let fun = "system S {
        int x;
        fun f(int (0, 3) k) returns int = f(k + 1);
        active thread T() { x := f(0); }
    }";
    let invariant = "system S {
        int x;
        fun f(int (0, 3) k) returns int = f(k + 1);
        invariant I = f(x) == 0;
        active thread T() { x := 1; }
    }";
    // The argument 4 comes with the first call that is one too many.
    for (text, frames) in [(call, 5), (fun, 4), (invariant, 4)] {
        for on_bound in [OnBound::Truncate, OnBound::Error] {
            let mut config = Config::default();
            config.bounds.on_bound = on_bound;
            config.bounds.sizes.frames = frames;
            assert_eq!(kinds(&check(text, &config)), ["range"], "{text}");
        }
    }
}

#[test]
fn a_model_with_temporal_properties_is_not_said_to_hold() {
    let text = "system S { boolean bad; ltl Never = [] !bad; active thread T() { bad := true; } }";
    let report = check(text, &Config::default());
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.incomplete.unwrap().contains("Never"));
}

/// However long an atomic block is, and whether or not it branches: its middle breaks no invariant.
#[test]
fn invariants_do_not_see_into_atomic_blocks() {
    for (n, branch) in [(10, ""), (5000, ""), (3, "choose do skip; do i := i + 0; end")] {
        let text = format!(
            "system S {{
                int a;
                int b;
                invariant Same = a == b;
                active thread T() {{
                    int i;
                    atomic
                        a := 1;
                        while i < {n} do i := i + 1; {branch} end
                        b := 1;
                    end
                }}
            }}"
        );
        assert_eq!(check(&text, &Config::default()).verdict, Verdict::Holds, "{n} {branch}");
    }
    // But its end does.
    let text = "system S { int a; invariant Zero = a == 0; active thread T() { atomic a := 1; skip; end } }";
    assert_eq!(check(text, &Config::default()).verdict, Verdict::Violated);
}

/// More choices in one step than can be numbered are a bound that is exceeded, never successors that are dropped.
#[test]
fn too_many_choices_are_not_dropped() {
    let text = "system S {
        lock l;
        int n;
        int turn := -1;
        thread W(int k) {
            loc a: when n == k do { lock(l); wait(l); n := n + 1; } goto b;
            loc b: when turn == k && wasNotified(l) do { assert k != 13; turn := turn + 1; } return;
                   when turn == k && !wasNotified(l) do { turn := turn + 1; } return;
        }
        main thread M() {
            int i;
            loc s: do { l := new lock; } goto c;
            loc c: when i < 14 do { start W(i); i := i + 1; } goto c;
                   when i == 14 && n == 14 do {
                       lock(l); NOTIFY turn := 0;
                   } return;
        }
    }";
    let many = text.replace("NOTIFY", &"notify(l); ".repeat(11));
    let report = check(&many, &Config::default());
    assert_eq!(report.verdict, Verdict::HoldsUpToBounds);
    assert_eq!(report.truncations.threads, 1);
    let mut config = Config::default();
    config.bounds.on_bound = OnBound::Error;
    assert_eq!(kinds(&check(&many, &config)), ["thread-bound"]);
    // As many as can be: 14 * 13 * 12 * 11.
    let few = text.replace("NOTIFY", &"notify(l); ".repeat(4));
    assert_eq!(kinds(&check(&few, &Config::default())), ["assertion"]);
}

/// One step that would take all memory is not taken, and the verdict says so.
#[test]
fn a_step_that_allocates_without_end_is_truncated() {
    let text = "system S {
        long[] a;
        active thread T() {
            atomic
                while true do a := new long[1000000]; end
            end
        }
    }";
    for on_bound in [OnBound::Truncate, OnBound::Error] {
        let mut config = Config::default();
        config.bounds.on_bound = on_bound;
        let report = check(text, &config);
        assert_eq!(report.verdict, Verdict::HoldsUpToBounds);
        assert!(report.truncations.objects > 0);
    }
}
