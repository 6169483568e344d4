//! The object of `--format json`: scripts depend on its keys and their types.

use serde_json::Value;

use crate::support::Sandbox;

#[derive(Clone, Copy, Debug)]
enum Is {
    Text,
    Count,
    Number,
    Bool,
    List,
    Object,
    /// May be null.
    Maybe(&'static Is),
}

use Is::*;

impl Is {
    fn fits(self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            Count => value.is_u64(),
            Number => value.as_f64().is_some_and(|number| number >= 0.0),
            Bool => value.is_boolean(),
            List => value.is_array(),
            Object => value.is_object(),
            Maybe(is) => value.is_null() || is.fits(value),
        }
    }
}

const REPORT: &[(&str, Is)] = &[
    ("/version", Count),
    ("/tool", Text),
    ("/model", Text),
    ("/verdict", Text),
    ("/exhaustive", Bool),
    ("/incomplete", Maybe(&Text)),
    ("/violation", Maybe(&Object)),
    ("/violations", List),
    ("/safety", Bool),
    ("/safety_verdict", Maybe(&Text)),
    ("/properties", List),
    ("/unchecked", List),
    ("/states", Count),
    ("/matched", Count),
    ("/transitions", Count),
    ("/depth", Count),
    ("/open", Count),
    ("/search", Text),
    ("/threads", Count),
    ("/store", Object),
    ("/store/kind", Text),
    ("/store/bytes", Count),
    ("/store/bytes_per_state", Number),
    ("/symmetry", Object),
    ("/symmetry/level", Text),
    ("/symmetry/naming", Maybe(&Text)),
    ("/symmetry/canonical", Bool),
    ("/symmetry/ties_searched", Count),
    ("/symmetry/searches_exhausted", Count),
    ("/symmetry/touched_per_step", Number),
    ("/symmetry/pinned", List),
    ("/reduction", Object),
    ("/reduction/por", Text),
    ("/reduction/merge", Text),
    ("/reduction/notice", Maybe(&Text)),
    ("/reduction/merge_notice", Maybe(&Text)),
    ("/reduction/ample", Count),
    ("/reduction/full", Count),
    ("/bounds/objects", Count),
    ("/bounds/threads", Count),
    ("/bounds/frames", Count),
    ("/truncations/objects", Count),
    ("/truncations/threads", Count),
    ("/truncations/frames", Count),
    ("/truncations/conditions", Count),
    ("/peak_memory_bytes", Count),
    ("/memory_limit_bytes", Maybe(&Count)),
    ("/seconds", Number),
    ("/states_per_second", Number),
    ("/transitions_per_second", Number),
    ("/seed", Count),
    ("/assumptions", List),
    ("/assumptions/0", Text),
    ("/dead_code", List),
    ("/warnings", List),
    ("/diagnostics", List),
];

const DIAGNOSTIC: &[(&str, Is)] = &[
    ("/severity", Text),
    ("/code", Maybe(&Text)),
    ("/message", Text),
    ("/location", Maybe(&Object)),
    ("/label", Maybe(&Text)),
    ("/labels", List),
    ("/notes", List),
    ("/help", List),
];

const EXTENT: &[(&str, Is)] = &[
    ("/file", Text),
    ("/line", Count),
    ("/column", Count),
    ("/end_line", Count),
    ("/end_column", Count),
    ("/text", Text),
];

const FAILED: &[(&str, Is)] = &[
    ("/version", Count),
    ("/tool", Text),
    ("/model", Maybe(&Text)),
    ("/verdict", Maybe(&Text)),
    ("/diagnostics", List),
];

const COVERAGE: &[(&str, Is)] = &[
    ("/store/coverage", Object),
    ("/store/coverage/estimated_states", Maybe(&Count)),
    ("/store/coverage/coverage", Maybe(&Number)),
    ("/store/coverage/sample", List),
    ("/store/coverage/sample/0", Count),
    ("/store/coverage/sample/1", Count),
    ("/store/coverage/sample/2", Count),
];

const SWARM: &[(&str, Is)] = &[
    ("/store/swarm", Object),
    ("/store/swarm/searches", List),
    ("/store/swarm/searches/1/states", Count),
    ("/store/swarm/searches/1/transitions", Count),
    ("/store/swarm/searches/1/depth", Count),
    ("/store/swarm/searches/1/violations", Count),
    ("/store/swarm/searches/1/completed", Bool),
    ("/store/swarm/searches/1/fill", Number),
    ("/store/swarm/searches/1/expected_omissions", Number),
    ("/store/swarm/searches/1/seconds", Number),
    ("/store/swarm/states", Maybe(&Count)),
    ("/store/swarm/estimated_states", Maybe(&Count)),
    ("/store/swarm/coverage", Maybe(&Number)),
    ("/store/swarm/sample", List),
    ("/store/swarm/sample/1", Count),
    ("/store/swarm/seconds", Number),
];

const REFINEMENT: &[(&str, Is)] = &[
    ("/store/bits", Number),
    ("/store/hashes", Number),
    ("/store/fill", Number),
    ("/store/hash_factor", Number),
    ("/store/expected_omissions", Number),
    ("/store/probability_complete", Number),
    ("/store/rounds", List),
    ("/store/rounds/0/bits", Count),
    ("/store/rounds/0/hashes", Count),
    ("/store/rounds/0/states", Count),
    ("/store/rounds/0/fill", Number),
    ("/store/rounds/0/expected_omissions", Number),
    ("/store/rounds/0/seconds", Number),
];

const OUT_OF_MEMORY: &[(&str, Is)] = &[
    ("/store/alternatives", List),
    ("/store/alternatives/0/kind", Text),
    ("/store/alternatives/0/bytes", Count),
    ("/store/alternatives/0/bytes_per_state", Number),
    ("/store/alternatives/0/times_more", Number),
    ("/store/alternatives/0/lossy", Bool),
];

const VIOLATION: &[(&str, Is)] = &[
    ("/violation/kind", Text),
    ("/violation/message", Text),
    ("/violation/steps", Count),
    ("/violation/location", Maybe(&Object)),
    ("/violation/trace/initial", List),
    ("/violation/trace/steps", List),
    ("/violation/trace/steps/0/thread", Text),
    ("/violation/trace/steps/0/thread_id", Count),
    ("/violation/trace/steps/0/transition", Count),
    ("/violation/trace/steps/0/choice", Count),
    ("/violation/trace/steps/0/changes", List),
    ("/violation/trace/steps/0/location/file", Text),
    ("/violation/trace/steps/0/location/line", Count),
    ("/violation/trace/ends_in/kind", Text),
    ("/violation/trace/ends_in/message", Text),
    ("/violation/trace/last", List),
    ("/violations/0/kind", Text),
    ("/violations/0/message", Text),
    ("/violations/0/count", Count),
    ("/violations/0/steps", Count),
    ("/violations/0/location", Maybe(&Object)),
];

const PROPERTY: &[(&str, Is)] = &[
    ("/properties/0/name", Text),
    ("/properties/0/formula", Maybe(&Text)),
    ("/properties/0/verdict", Text),
    ("/properties/0/automaton_states", Count),
    ("/properties/0/product_states", Count),
    ("/properties/0/states", Count),
    ("/properties/0/transitions", Count),
    ("/properties/0/seconds", Number),
    ("/properties/0/fairness", Text),
    ("/properties/0/vacuous", List),
];

const LOCATION: &[(&str, Is)] = &[
    ("/violation/location/file", Text),
    ("/violation/location/line", Count),
    ("/violation/location/column", Count),
    ("/violation/location/text", Text),
];

#[track_caller]
fn has(report: &Value, contract: &[(&str, Is)]) {
    for &(key, is) in contract {
        match report.pointer(key) {
            Some(value) => assert!(is.fits(value), "{key} is {value}, not {is:?}"),
            None => panic!("there is no {key} in {report:#}"),
        }
    }
}

#[test]
fn of_a_model_that_holds() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir");
    run.expect(0);
    has(&report, REPORT);
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["exhaustive"], true);
    assert_eq!(report["incomplete"], Value::Null);
    assert_eq!(report["violation"], Value::Null);
    assert_eq!(report["violations"], Value::Array(Vec::new()));
}

#[test]
fn of_lossy_stores() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir --store bitstate --refine");
    run.expect(3);
    has(&report, REPORT);
    has(&report, REFINEMENT);
    assert_eq!(report["verdict"], "no error found");
    assert_eq!(report["store"].get("coverage"), None);
    let (run, report) = sandbox.json("check peterson.bir --store bitstate --arena 1Mi --coverage");
    run.expect(3);
    has(&report, REPORT);
    has(&report, COVERAGE);
    assert_eq!(report["store"].get("swarm"), None);
    let (run, report) = sandbox.json("check peterson.bir --store bitstate --arena 1Mi --swarm 2 --threads 2");
    run.expect(3);
    has(&report, REPORT);
    has(&report, SWARM);
    let (_, report) = sandbox.json("check peterson.bir --store compact");
    has(&report, REPORT);
    has(&report, &[("/store/hash_bytes", Number), ("/store/load", Number)]);
    assert_eq!((report["store"].get("rounds"), report["store"].get("alternatives")), (None, None));
}

#[cfg(target_os = "linux")]
#[test]
fn of_a_search_without_memory() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let (run, report) = sandbox.json("check philosophers_ordered.bir -D N=13 --symmetry none --memory 16M");
    run.expect(3);
    has(&report, REPORT);
    has(&report, OUT_OF_MEMORY);
}

#[test]
fn of_violations() {
    let sandbox = Sandbox::with("philosophers.bir");
    let (run, report) = sandbox.json("check philosophers.bir");
    run.expect(1);
    has(&report, REPORT);
    has(&report, VIOLATION);
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["exhaustive"], false);
    assert_eq!(report["violation"]["location"], Value::Null, "a deadlock is nowhere");
    let blocked = report.pointer("/violation/trace/ends_in/blocked").and_then(Value::as_array);
    assert_eq!(blocked.map(Vec::len), Some(3));

    let sandbox = Sandbox::with("peterson_bug.bir");
    let (run, report) = sandbox.json("check peterson_bug.bir --continue");
    run.expect(1);
    for contract in [REPORT, VIOLATION, LOCATION] {
        has(&report, contract);
    }
    assert_eq!(report["exhaustive"], true);
    assert_eq!(report["violation"]["location"]["file"], "peterson_bug.bir");
}

#[test]
fn of_temporal_properties() {
    let sandbox = Sandbox::new();
    let text = "bool on; active proctype Lamp() { do :: on = !on od } ltl { [] <> on }";
    sandbox.write("lamp.pml", text);
    let (run, report) = sandbox.json("check lamp.pml");
    run.expect(0);
    for contract in [REPORT, PROPERTY] {
        has(&report, contract);
    }
    assert_eq!((&report["safety"], &report["properties"][0]["verdict"]), (&true.into(), &"holds".into()));
    let (run, report) = sandbox.json("check lamp.pml --ltl <>[]on");
    run.expect(1);
    for contract in [REPORT, PROPERTY, VIOLATION] {
        has(&report, contract);
    }
    has(&report, &[("/violation/trace/cycle/start", Count), ("/violation/trace/cycle/closed", Bool)]);
    assert_eq!(
        (&report["safety"], &report["violation"]["kind"]),
        (&false.into(), &"acceptance-cycle".into())
    );
    let (_, report) = sandbox.json("check lamp.pml --ltl [](on-><>!on)");
    assert_eq!(report["properties"][0]["vacuous"], Value::Array(Vec::new()));
    let (_, report) = sandbox.json("check lamp.pml --ltl []((on&&!on)-><>false) --fairness weak");
    assert_eq!(report["properties"][0]["vacuous"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["properties"][0]["fairness"], "weak");
}

#[test]
fn of_what_is_not_known() {
    let sandbox = Sandbox::with("peterson.bir");
    for (line, verdict) in [
        ("--max-states 100", "inconclusive"),
        ("--time 0s", "inconclusive"),
        ("--max-depth 3 --search dfs", "inconclusive"),
        ("--max-depth 3", "holds up to bounds"),
    ] {
        let (run, report) = sandbox.json(&format!("check peterson.bir {line}"));
        run.expect(3);
        has(&report, REPORT);
        assert_eq!(report["verdict"], verdict, "{line}");
        assert_eq!(report["exhaustive"], false, "{line}");
        assert!(report["incomplete"].is_string(), "{line}");
        assert_eq!(report["violation"], Value::Null, "{line}");
    }
}

#[test]
fn it_records_what_was_asked_for() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let line = "check philosophers_ordered.bir --search dfs --store naive --seed 7 --memory 1G \
                --max-objects 50 --max-threads 20 --max-frames 10";
    let (run, report) = sandbox.json(line);
    run.expect(0);
    assert_eq!(report["model"], "philosophers_ordered.bir");
    assert_eq!(report["search"], "dfs");
    assert_eq!(report["store"]["kind"], "naive");
    assert_eq!(report["symmetry"]["level"], "full");
    assert_eq!(report["symmetry"]["naming"], "auto");
    assert_eq!(report["seed"], 7);
    assert_eq!(report["memory_limit_bytes"], 1 << 30);
    assert_eq!(report["bounds"], serde_json::json!({ "objects": 50, "threads": 20, "frames": 10 }));
}

#[test]
fn it_tells_the_level_of_symmetry() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (options, level, naming, canonical) in [
        ("--symmetry none", "none", Value::Null, true),
        ("--symmetry heap --naming dfs", "heap", "dfs".into(), true),
        ("--symmetry pc", "pc", "auto".into(), false),
        ("--symmetry bots=2 --naming chain", "bots=2", "chain".into(), false),
        ("--symmetry bots --naming dfs", "bots", "dfs".into(), false),
        ("--naming dfs", "full", "dfs".into(), true),
        ("", "full", "auto".into(), true),
    ] {
        let (_, report) = sandbox.json(&format!("check philosophers.bir --continue {options}"));
        let symmetry = &report["symmetry"];
        assert_eq!(symmetry["level"], level, "{options}");
        assert_eq!(symmetry["naming"], naming, "{options}");
        assert_eq!(symmetry["canonical"], canonical, "{options}");
        assert_eq!(symmetry["searches_exhausted"], 0, "{options}");
        assert_eq!(symmetry["pinned"], Value::Array(Vec::new()), "{options}");
        let assumption = format!("symmetry {level}: ");
        let assumptions = report["assumptions"].as_array().expect("a list");
        let is_it = |text: &Value| text.as_str().is_some_and(|text| text.starts_with(&assumption));
        assert!(assumptions.iter().any(is_it), "{assumptions:?}");
    }
}

/// What a property names is not interchangeable with others.
#[test]
fn it_lists_what_is_pinned() {
    let sandbox = Sandbox::new();
    let model = |invariant: &str| {
        format!(
            "system S {{ abstract enum Key {{ A, B, C }} Key key; invariant I = {invariant};
            active thread T() {{ key := Set.choose(Key.all); }} }}"
        )
    };
    for (invariant, pinned, states) in [("key == key", &[][..], 2), ("key != Key.B || true", &["Key.B"], 3)] {
        sandbox.write("model.bir", model(invariant));
        let (run, report) = sandbox.json("check model.bir");
        run.expect(0);
        assert_eq!(report["symmetry"]["pinned"], serde_json::json!(pinned));
        // Before the choice, and after the choice of one that is pinned or not.
        assert_eq!(report["states"], states);
        let (_, none) = sandbox.json("check model.bir --symmetry none");
        assert_eq!(none["states"], 4);
    }
}

#[test]
fn counts_fit_each_other() {
    for (model, options) in
        [("peterson.bir", ""), ("philosophers.bir", "--continue"), ("barrier.bir", "--search dfs")]
    {
        let (_, report) = Sandbox::with(model).json(&format!("check {model} {options}"));
        let count = |key: &str| report[key].as_u64().expect("a count");
        // All steps lead to a state: a new one, except for the initial state, or a known one.
        assert_eq!(count("transitions"), count("states") - 1 + count("matched"), "{model}");
        let bytes = report["store"]["bytes"].as_f64().expect("a number");
        let each = report["store"]["bytes_per_state"].as_f64().expect("a number");
        assert!((bytes / count("states") as f64 - each).abs() < 1e-6, "{model}");
    }
}

#[test]
fn quiet_leaves_it_whole() {
    let sandbox = Sandbox::with("philosophers.bir");
    let (run, report) = sandbox.json("check philosophers.bir --quiet");
    run.expect(1);
    has(&report, REPORT);
    assert_eq!(run.stderr, "");
}

/// The diagnostics of a command that has no report, all in good form. At least one is an error.
fn failed(sandbox: &Sandbox, line: &str, code: i32) -> Vec<Value> {
    let (run, object) = sandbox.json(line);
    run.expect(code);
    has(&object, FAILED);
    assert_eq!(object["verdict"], Value::Null, "{line}");
    let diagnostics = object["diagnostics"].as_array().expect("a list").clone();
    assert!(diagnostics.iter().any(|diagnostic| diagnostic["severity"] == "error"), "{line}: {object}");
    for diagnostic in &diagnostics {
        has(diagnostic, DIAGNOSTIC);
        if !diagnostic["location"].is_null() {
            has(&diagnostic["location"], EXTENT);
        }
        for label in diagnostic["labels"].as_array().expect("a list") {
            has(label, &[("/location", Object), ("/message", Text)]);
            has(&label["location"], EXTENT);
        }
    }
    // People read the same.
    assert!(run.stderr.starts_with("error"), "{line}: {}", run.stderr);
    diagnostics
}

#[test]
fn of_models_with_errors() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "model.bir",
        "system S {\n  int x;\n  active thread T() {\n    yy := 1;\n    x := true;\n  }\n}\n",
    );
    sandbox.write(
        "model.pml",
        "#define TWICE(a) a + zz\n#include \"inc.h\"\nactive proctype P() { x = TWICE(1) }\n",
    );
    sandbox.write("inc.h", "byte x;\nbyte y = ;\n");
    sandbox.write("trail.json", "{}");
    let trail = r#"{"version":1,"model":"","fingerprint":"","defines":[],"violation":null,"steps":[],
        "bounds":{"objects":9,"threads":9,"frames":9,"error":false}}"#;
    sandbox.write("good.json", trail);
    for command in
        ["check model.bir", "check model.bir --quiet", "replay model.bir good.json", "graph model.bir"]
    {
        let found = failed(&sandbox, command, 2);
        assert_eq!(found.len(), 2, "{command}: {found:?}");
        assert_eq!(found[0]["code"], "E0301");
        let expected = serde_json::json!({
            "file": "model.bir", "line": 4, "column": 5, "end_line": 4, "end_column": 7, "text": "yy := 1;"
        });
        assert_eq!(found[0]["location"], expected, "{command}");
        assert_eq!(found[1]["code"], "E0401");
    }
    // A place in an included file, with the way there.
    let found = failed(&sandbox, "check model.pml", 2);
    assert_eq!((&found[0]["location"]["file"], &found[0]["location"]["line"]), (&"inc.h".into(), &2.into()));
    assert!(
        found[0]["notes"][0].as_str().is_some_and(|note| note.contains("included at model.pml:2")),
        "{found:?}"
    );
    sandbox.write("inc.h", "byte x;\n");
    let found = failed(&sandbox, "check model.pml", 2);
    assert!(found[0]["labels"].as_array().is_some_and(|labels| !labels.is_empty()), "{found:?}");
    for line in [
        "check missing.bir",
        "check model.txt",
        "replay model.bir trail.json",
        "replay model.bir missing.json",
    ] {
        assert_eq!(failed(&sandbox, line, 2).len(), 1, "{line}");
    }
    // Beyond a number of errors, the rest is counted.
    sandbox.write("many.bir", format!("system S {{ active thread T() {{ {} }} }}", "z := 1; ".repeat(200)));
    let found = failed(&sandbox, "check many.bir", 2);
    assert_eq!(found.last().map(|last| &last["severity"]), Some(&"note".into()), "{found:?}");
}

#[test]
fn of_options_that_are_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (line, text) in [
        ("check philosophers.bir --threads 0", "--threads 0 would not get far; use --threads 1"),
        ("check philosophers.bir --fairness weak", "`philosophers.bir` has none"),
        ("check philosophers.bir --property P", "`philosophers.bir` has no temporal properties"),
        ("check philosophers.bir --trail philosophers.bir", "a trail would replace `philosophers.bir`"),
        ("check philosophers.bir --max-threads 9 --search bfs --store bitstate", "--search bfs"),
        ("check philosophers.bir --memory 99999999999999G", "the size is too large"),
        ("check philosophers.bir --frobnicate", "unexpected argument '--frobnicate' found"),
        ("check philosophers.bir -D M=1", "there is no constant `M`"),
        ("check", "required arguments"),
        ("graph philosophers.bir --max-states 2", "the graph has more than 2 states"),
    ] {
        let found = failed(&sandbox, line, 2);
        assert!(
            found[0]["message"].as_str().is_some_and(|message| message.contains(text)),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn of_warnings() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "model.bir",
        "system S { int x; ltl P = [] (false -> <> true); active thread T() { skip; } }\n",
    );
    let (run, report) = sandbox.json("check model.bir --trail missing/trail.json");
    run.expect(0);
    let found = report["diagnostics"].as_array().expect("a list");
    for diagnostic in found {
        has(diagnostic, DIAGNOSTIC);
    }
    assert!(found.iter().all(|diagnostic| diagnostic["severity"] == "warning"));
    assert_eq!(found[0]["code"], "W0701");
    assert_eq!(found[0]["location"]["end_line"], 1);
    assert!(found[1]["message"].as_str().is_some_and(|text| text.contains("holds vacuously")), "{found:?}");
    assert_eq!(found[1]["location"]["line"], 1);
    let warnings = report["warnings"].as_array().expect("a list");
    let messages: Vec<&Value> = found.iter().map(|diagnostic| &diagnostic["message"]).collect();
    assert_eq!(warnings.iter().collect::<Vec<_>>(), messages);
    let (_, graph) = sandbox.json("graph model.bir");
    assert_eq!(graph["diagnostics"][0]["code"], "W0701");
    // A run of another model: what the replay warns of is in the object, too.
    sandbox.run("simulate model.bir --trail run.json").expect(0);
    sandbox.write("other.bir", "system S { active thread T() { skip; skip; } }\n");
    let (_, replay) = sandbox.json("replay other.bir run.json");
    assert!(
        replay["diagnostics"][0]["message"].as_str().is_some_and(|text| text.contains("another version"))
    );
    // So is a trail that cannot be written.
    sandbox.write("stuck.bir", "system S { boolean b; active thread T() { assume b; } }\n");
    let (run, report) = sandbox.json("check stuck.bir --trail missing/trail.json");
    run.expect(1);
    let last = report["diagnostics"].as_array().and_then(|list| list.last()).expect("a warning");
    assert!(last["message"].as_str().is_some_and(|text| text.contains("could not be written")), "{last}");
}

/// One object, even if the run does not show what it was recorded for.
#[test]
fn of_a_trail_that_shows_something_else() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --quiet").expect(1);
    let (run, trace) = sandbox.json("replay philosophers.bir philosophers.trail.json -D N=6");
    run.expect(2);
    assert_eq!(trace["steps"].as_array().map(Vec::len), Some(4));
    let last = trace["diagnostics"].as_array().and_then(|list| list.last()).expect("an error");
    assert_eq!(last["severity"], "error");
    assert!(
        last["message"].as_str().is_some_and(|text| text.contains("that this run does not show")),
        "{last}"
    );
}
