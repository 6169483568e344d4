//! The XML of `--format junit`.

use std::fs;

use crate::support::{Sandbox, models};
use crate::xml::{Element, parse};

fn junit(sandbox: &Sandbox, line: &str, code: i32) -> Element {
    let run = sandbox.run(&format!("check {line} --format junit"));
    run.expect(code);
    let root = parse(&run.stdout);
    well_formed(&root);
    root
}

/// Counts are those of the elements, and a suite has the elements that readers know.
fn well_formed(root: &Element) {
    assert_eq!(root.name, "testsuites");
    let mut total = [0; 4];
    for suite in &root.children {
        assert_eq!(suite.name, "testsuite");
        let cases: Vec<&Element> = suite.all("testcase").collect();
        let with = |name: &str| cases.iter().filter(|case| case.all(name).next().is_some()).count();
        let counts = [cases.len(), with("failure"), with("error"), with("skipped")];
        let names = ["tests", "failures", "errors", "skipped"];
        assert_eq!(names.map(|name| suite.count(name)), counts, "{suite:#?}");
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        for case in cases {
            assert!(case.children.len() <= 1, "{case:#?}");
            assert!(!case.get("name").is_empty() && case.get("time").parse::<f64>().is_ok());
            assert!(case.attributes.contains_key("classname"));
        }
        let known = ["properties", "testcase", "system-err"];
        assert!(suite.children.iter().all(|child| known.contains(&child.name.as_str())), "{suite:#?}");
    }
    assert_eq!(["tests", "failures", "errors", "skipped"].map(|name| root.count(name)), total);
}

fn case<'e>(suite: &'e Element, name: &str) -> &'e Element {
    suite.all("testcase").find(|case| case.get("name") == name).expect("a test case")
}

fn property<'e>(suite: &'e Element, name: &str) -> &'e str {
    let mut all = suite.only("properties").children.iter();
    all.find(|property| property.get("name") == name).expect("a property").get("value")
}

#[test]
fn a_suite_for_each_model_and_a_case_for_each_goal() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.write("starvation.bir", fs::read(models().join("temporal/starvation.bir")).expect("a model"));
    sandbox.write("bad.bir", "system S {\n  active thread T() { y := \"<&>]]>\"; }\n}\n");
    let root = junit(&sandbox, "philosophers.bir starvation.bir bad.bir gone.bir", 2);
    assert_eq!(["tests", "failures", "errors", "skipped"].map(|name| root.count(name)), [7, 2, 2, 2]);
    let [table, starvation, bad, gone] = &root.children[..] else { panic!("{root:#?}") };

    assert_eq!(table.get("name"), "philosophers.bir");
    assert_eq!((property(table, "verdict"), property(table, "store")), ("violated", "trie"));
    assert!(property(table, "states").parse::<u64>().is_ok_and(|states| states > 4));
    let safety = case(table, "safety");
    assert_eq!((safety.get("file"), safety.get("classname")), ("philosophers.bir", "philosophers_bir"));
    let failure = safety.only("failure");
    assert_eq!(failure.get("type"), "deadlock");
    assert_eq!(failure.get("message"), "no thread can move, and not all have ended");
    // The counterexample is that of the report.
    let human = sandbox.run("check philosophers.bir").stdout;
    let start = human.find("  initially\n").expect("a counterexample");
    let end = human.find("\nTo replay it:").expect("its end");
    assert!(failure.text.contains(&human[start..end]), "{}", failure.text);
    assert!(failure.text.contains("quotient replay philosophers.bir philosophers.trail.json"));
    // Where the first thread is stuck.
    let (_, report) = sandbox.json("check philosophers.bir");
    let stuck = &report["violation"]["trace"]["ends_in"]["blocked"][0]["location"]["line"];
    assert_eq!(safety.get("line"), stuck.to_string());

    assert_eq!(case(starvation, "safety").children, []);
    let served = case(starvation, "Served").only("failure");
    assert_eq!(served.get("type"), "acceptance-cycle");
    assert!(served.get("message").contains("<> ((chosen != null && chosen.served))"), "{served:#?}");
    for name in ["Somebody", "Tried"] {
        assert_eq!(case(starvation, name).only("skipped").get("message"), "not checked");
    }

    let error = case(bad, "model").only("error");
    assert_eq!((error.get("type"), case(bad, "model").get("line")), ("E0301", "2"));
    assert!(error.text.contains("y := \"<&>]]>\";"), "{}", error.text);
    let error = case(gone, "model").only("error");
    assert!(error.get("message").starts_with("cannot read `gone.bir`"), "{error:#?}");
}

/// Less than a proof is neither passed nor failed.
#[test]
fn what_is_not_decided_is_skipped() {
    let sandbox = Sandbox::with("peterson.bir");
    for (options, message) in [
        ("--max-states 10", "inconclusive: the limit on states was reached"),
        ("--max-depth 3", "holds up to bounds: states more than 3 steps away were not explored"),
        ("--store bitstate --search dfs", "no error found: "),
    ] {
        let root = junit(&sandbox, &format!("peterson.bir {options}"), 3);
        let skipped = case(&root.children[0], "safety").only("skipped");
        assert!(skipped.get("message").starts_with(message), "{skipped:#?}");
    }
    let root = junit(&sandbox, "peterson.bir", 0);
    assert_eq!(["tests", "failures", "errors", "skipped"].map(|name| root.count(name)), [1, 0, 0, 0]);
}

/// Every goal that is violated fails, whatever else was found.
#[test]
fn all_violations_of_a_call_that_continues() {
    let sandbox = Sandbox::new();
    sandbox.write("starvation.bir", fs::read(models().join("temporal/starvation.bir")).expect("a model"));
    let root = junit(&sandbox, "starvation.bir --continue", 1);
    let suite = &root.children[0];
    assert_eq!(suite.count("tests"), 4);
    for name in ["Served", "Tried"] {
        let message = case(suite, name).only("failure").get("message");
        assert!(message.contains(&format!("`{name}` is violated")), "{message}");
    }
    assert_eq!(case(suite, "Somebody").children, []);
    // A bound that is exceeded while only a property is checked is a failure as well.
    let root = junit(&sandbox, "starvation.bir --property Somebody --max-threads 2 --on-bound error", 1);
    assert_eq!(case(&root.children[0], "safety").only("failure").get("type"), "thread-bound");
    sandbox.write(
        "two.bir",
        "system S {\n  int (0, 1) x;\n  active thread T() { assert x == 1; }\n  active thread U() { assert x == 2; }\n}\n",
    );
    let root = junit(&sandbox, "two.bir --continue", 1);
    let text = &case(&root.children[0], "safety").only("failure").text;
    assert!(text.contains("\nOther violations:\n  "), "{text}");
}

/// A model may print what XML has no way to write.
#[test]
fn strange_characters() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a&b <\"x\">.pml",
        "active proctype P() { printf(\"\\t]]>&<\u{1}\u{1b}\u{7f}é\\n\"); assert(false) }\n",
    );
    let mut command = sandbox.command("check --format junit");
    command.arg("a&b <\"x\">.pml");
    let run = crate::support::finish(command.spawn().expect("quotient starts"));
    run.expect(1);
    let root = parse(&run.stdout);
    well_formed(&root);
    assert_eq!(root.children[0].get("name"), "a&b <\"x\">.pml");
    let text = &case(&root.children[0], "safety").only("failure").text;
    assert!(text.contains("]]>&<␁␛␡é"), "{text}");
}

/// What is refused before there is a model is a document, too.
#[test]
fn bad_usage() {
    let sandbox = Sandbox::with("philosophers.bir");
    for line in
        ["--threads 0 philosophers.bir", "--frobnicate philosophers.bir", "--memory 1x philosophers.bir"]
    {
        let root = junit(&sandbox, line, 2);
        assert_eq!(["tests", "errors"].map(|name| root.count(name)), [1, 1]);
    }
}

#[test]
fn warnings_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.write("model.bir", "system S { int x; active thread T() { skip; } }\n");
    let root = junit(&sandbox, "model.bir", 0);
    assert!(root.children[0].only("system-err").text.starts_with("warning[W0701]: "), "{root:#?}");
}
