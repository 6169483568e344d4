//! A check of one property is about that property, and about nothing else.

use serde_json::Value;

use crate::support::Sandbox;

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

/// An invariant that is broken, a deadlock, and two properties that hold or do not.
const LAMP: &str = "system Lamp {
  boolean on;
  boolean broken;
  invariant Off = !on;
  ltl Lit = <> on;
  ltl Dark = <> [] !on;
  active thread Switch() { on := true; assume broken; }
}
";

#[test]
fn what_is_not_asked_for_is_not_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("lamp.bir", LAMP);
    // The model is wrong in two ways that are no concern of the properties.
    let (run, report) = sandbox.json("check lamp.bir --safety --continue");
    run.expect(1);
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(2));
    for option in ["--property Lit", "--ltl <>on"] {
        let (run, report) = sandbox.json(&format!("check lamp.bir {option}"));
        run.expect(0);
        assert_eq!((&report["verdict"], &report["safety"]), (&"holds".into(), &false.into()));
        let told = "deadlocks, assertions, invariants and faults were not checked";
        let assumptions = texts(&report["assumptions"]);
        assert!(assumptions.iter().any(|text| text.contains(told)), "{assumptions:?}");
    }
    let (run, report) = sandbox.json("check lamp.bir --property Dark --continue");
    run.expect(1);
    let kinds: Vec<_> = report["violations"].as_array().expect("a list").iter().map(|v| &v["kind"]).collect();
    assert_eq!(kinds, ["acceptance-cycle"]);
    // With everything, a property has a verdict of its own.
    let (run, report) = sandbox.json("check lamp.bir --continue");
    run.expect(1);
    let verdict = |at: usize| &report["properties"][at]["verdict"];
    assert_eq!((verdict(0), verdict(1)), (&"holds".into(), &"violated".into()));
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(3));
}

#[test]
fn assertions_of_promela_are_passed_by() {
    let sandbox = Sandbox::new();
    let text = "byte x; active proctype P() { assert(x == 1); progress: do :: x = 1; x = 0 od } ltl p { [] <> (x == 1) }";
    sandbox.write("m.pml", text);
    sandbox.run("check m.pml --safety").expect(1);
    for (option, code) in
        [("--property p", 0), ("--ltl []<>(x==0)", 0), ("--ltl []<>(x==2)", 1), ("--non-progress", 0)]
    {
        let (run, report) = sandbox.json(&format!("check m.pml {option}"));
        run.expect(code);
        let kinds: Vec<_> =
            report["violations"].as_array().expect("a list").iter().map(|v| &v["kind"]).collect();
        assert!(kinds.iter().all(|&kind| kind == "acceptance-cycle"), "{option}: {kinds:?}");
        let told = "invalid end states, assertions and faults were not checked";
        assert!(texts(&report["assumptions"]).iter().any(|text| text.contains(told)), "{option}");
    }
}

/// A run that a fault ends has no state after it. No property holds of such a run, and none is violated.
#[test]
fn runs_that_end_in_faults_are_not_judged() {
    let sandbox = Sandbox::new();
    let text = |check: &str| {
        format!(
            "system S {{ int x; ltl Done = <> (x == 2); ltl Never = [] (x == 0);
            active thread T() {{ x := 1; {check} x := 2; }} }}"
        )
    };
    sandbox.write("m.bir", text("assert x == 3;"));
    let (run, report) = sandbox.json("check m.bir --property Done");
    run.expect(3);
    assert_eq!(
        (&report["verdict"], &report["violations"]),
        (&"inconclusive".into(), &Value::Array(Vec::new()))
    );
    let told = report["incomplete"].as_str().expect("a reason");
    assert!(told.contains("some runs end in a fault (assertion), about which `Done` says nothing"), "{told}");
    assert_eq!(report["exhaustive"], false);
    // What happens before the fault is enough to decide this one.
    let (run, report) = sandbox.json("check m.bir --property Never");
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "acceptance-cycle");
    sandbox.write("m.bir", text("assert x == 1;"));
    sandbox.run("check m.bir --property Done").expect(0);
}

/// A property that cannot be evaluated is not passed by, and neither is a bound that counts as an error.
#[test]
fn what_concerns_the_property_is_reported() {
    let sandbox = Sandbox::new();
    let text =
        "system S { record R { int x; } R r; ltl P = [] (r.x == 0); active thread T() { r := new R; } }";
    sandbox.write("null.bir", text);
    let (run, report) = sandbox.json("check null.bir --property P");
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "null-dereference");
    sandbox.write(
        "two.bir",
        "system S { record R {} R a; R b; ltl P = <> (b != null);
        active thread T() { a := new R; b := new R; } }",
    );
    let (run, report) = sandbox.json("check two.bir --property P --max-objects 1 --on-bound error");
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "heap-bound");
    sandbox.run("check two.bir --property P --max-objects 1").expect(3);
}

#[test]
fn fairness_needs_a_temporal_property() {
    let sandbox = Sandbox::new();
    sandbox.write("none.pml", "byte x; active proctype P() { do :: x = 1 - x od }");
    let text = "--fairness weak matters to temporal properties only: `none.pml` has none";
    sandbox.run("check none.pml --fairness weak").refused(&[text]);
    sandbox.run("check none.pml --fairness none").expect(0);
    sandbox.run("check none.pml --fairness weak --ltl []<>(x==1)").expect(0);
    sandbox.run("check none.pml --fairness weak --non-progress").expect(1);
    sandbox.write("some.pml", "byte x; active proctype P() { do :: x = 1 - x od } ltl { []<>(x==1) }");
    let (run, report) = sandbox.json("check some.pml --fairness weak");
    run.expect(0);
    assert_eq!(report["properties"][0]["fairness"], "weak");
    // Properties that the store does not let be checked are none.
    let run = sandbox.run("check some.pml --fairness weak --store bitstate");
    run.refused(&["--fairness weak matters to temporal properties only", "--store bitstate"]);
}
