//! The log of `--format sarif`, against the rules of SARIF 2.1.0 for the objects that it has.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Map, Value};

use crate::support::{Sandbox, models};

/// What the value of a key is.
#[derive(Clone, Copy)]
enum Is {
    Text,
    Uri,
    /// A reference to a URI, which may be relative.
    UriReference,
    /// A whole number from this one on.
    From(i64),
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    Object(&'static str),
    /// A list with at least this many elements; without equal ones, if it is a set.
    List(&'static Is, usize),
    Set(&'static Is),
    /// A bag of properties, with any values.
    Bag,
    /// An object with any keys and with texts.
    Texts,
}

use Is::*;

/// A key, what its value is, and whether it is required.
type Key = (&'static str, Is, bool);

const LEVELS: Is = Word(&["none", "note", "warning", "error"]);

/// The objects of the standard, with those of their keys that are in use.
const OBJECTS: &[(&str, &[Key])] = &[
    (
        "log",
        &[
            ("$schema", Uri, false),
            ("version", Word(&["2.1.0"]), true),
            ("runs", List(&Object("run"), 0), true),
        ],
    ),
    (
        "run",
        &[
            ("tool", Object("tool"), true),
            ("invocations", List(&Object("invocation"), 0), false),
            ("artifacts", Set(&Object("artifact")), false),
            ("results", List(&Object("result"), 0), false),
            ("columnKind", Word(&["utf16CodeUnits", "unicodeCodePoints"]), false),
        ],
    ),
    ("tool", &[("driver", Object("toolComponent"), true)]),
    (
        "toolComponent",
        &[
            ("name", Text, true),
            ("version", Text, false),
            ("semanticVersion", Text, false),
            ("informationUri", Uri, false),
            ("rules", Set(&Object("reportingDescriptor")), false),
        ],
    ),
    (
        "reportingDescriptor",
        &[
            ("id", Text, true),
            ("shortDescription", Object("multiformatMessageString"), false),
            ("defaultConfiguration", Object("reportingConfiguration"), false),
        ],
    ),
    ("multiformatMessageString", &[("text", Text, true)]),
    ("reportingConfiguration", &[("level", LEVELS, false)]),
    ("reportingDescriptorReference", &[("id", Text, false), ("index", From(-1), false)]),
    (
        "invocation",
        &[
            ("executionSuccessful", Bool, true),
            ("exitCode", From(i64::MIN), false),
            ("exitCodeDescription", Text, false),
            ("toolConfigurationNotifications", List(&Object("notification"), 0), false),
            ("toolExecutionNotifications", List(&Object("notification"), 0), false),
        ],
    ),
    (
        "notification",
        &[
            ("level", LEVELS, false),
            ("message", Object("message"), true),
            ("locations", List(&Object("location"), 0), false),
            ("associatedRule", Object("reportingDescriptorReference"), false),
        ],
    ),
    (
        "artifact",
        &[
            ("location", Object("artifactLocation"), false),
            ("roles", Set(&Word(&["analysisTarget"])), false),
            ("properties", Bag, false),
        ],
    ),
    ("artifactLocation", &[("uri", UriReference, false), ("uriBaseId", Text, false)]),
    (
        "result",
        &[
            ("ruleId", Text, false),
            ("ruleIndex", From(-1), false),
            ("kind", Word(&["notApplicable", "pass", "fail", "review", "open", "informational"]), false),
            ("level", LEVELS, false),
            ("message", Object("message"), true),
            ("locations", List(&Object("location"), 0), false),
            ("codeFlows", List(&Object("codeFlow"), 0), false),
            ("relatedLocations", Set(&Object("location")), false),
            ("occurrenceCount", From(1), false),
            ("partialFingerprints", Texts, false),
            ("properties", Bag, false),
        ],
    ),
    ("codeFlow", &[("threadFlows", List(&Object("threadFlow"), 1), true)]),
    ("threadFlow", &[("locations", List(&Object("threadFlowLocation"), 1), true)]),
    (
        "threadFlowLocation",
        &[
            ("location", Object("location"), false),
            ("executionOrder", From(-1), false),
            ("importance", Word(&["important", "essential", "unimportant"]), false),
        ],
    ),
    (
        "location",
        &[
            ("id", From(-1), false),
            ("physicalLocation", Object("physicalLocation"), false),
            ("message", Object("message"), false),
        ],
    ),
    (
        "physicalLocation",
        &[("artifactLocation", Object("artifactLocation"), true), ("region", Object("region"), false)],
    ),
    (
        "region",
        &[
            ("startLine", From(1), false),
            ("startColumn", From(1), false),
            ("endLine", From(1), false),
            ("endColumn", From(1), false),
        ],
    ),
    ("message", &[("text", Text, true)]),
];

fn valid(is: Is, value: &Value, at: &str) -> Result<(), String> {
    let ensure = |holds: bool| if holds { Ok(()) } else { Err(format!("{at}: {value}")) };
    let is_uri = |text: &str| {
        let is_known = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
        let escapes = text.split('%').skip(1);
        let are_escapes = escapes
            .map(|part| part.get(..2))
            .all(|part| part.is_some_and(|part| u8::from_str_radix(part, 16).is_ok()));
        text.chars().all(is_known) && are_escapes
    };
    match is {
        Text => ensure(value.is_string()),
        Uri => ensure(value.as_str().is_some_and(|text| is_uri(text) && text.contains("://"))),
        UriReference => ensure(value.as_str().is_some_and(|text| is_uri(text) && !text.is_empty())),
        From(least) => ensure(value.as_i64().is_some_and(|number| number >= least)),
        Bool => ensure(value.is_boolean()),
        Word(words) => ensure(value.as_str().is_some_and(|word| words.contains(&word))),
        Bag => ensure(value.is_object()),
        Texts => ensure(value.as_object().is_some_and(|object| object.values().all(Value::is_string))),
        List(element, least) => {
            let list = value.as_array().ok_or(format!("{at}: no list"))?;
            ensure(list.len() >= least)?;
            list.iter().enumerate().try_for_each(|(i, value)| valid(*element, value, &format!("{at}/{i}")))
        }
        Set(element) => {
            let list = value.as_array().ok_or(format!("{at}: no list"))?;
            let distinct: BTreeSet<String> = list.iter().map(Value::to_string).collect();
            ensure(distinct.len() == list.len())?;
            valid(List(element, 0), value, at)
        }
        Object(name) => {
            let object = value.as_object().ok_or(format!("{at}: no object"))?;
            let keys = OBJECTS.iter().find(|(known, _)| *known == name).ok_or(format!("no object {name}"))?.1;
            for (key, _, _) in keys.iter().filter(|(.., is_required)| *is_required) {
                ensure(object.contains_key(*key))?;
            }
            object.iter().try_for_each(|(key, value)| {
                let known = keys.iter().find(|(known, ..)| known == key);
                let (_, is, _) = known.ok_or(format!("{at}: {name} has no {key}"))?;
                valid(*is, value, &format!("{at}/{key}"))
            })
        }
    }
}

/// What the tables do not say.
fn consistent(log: &Value) -> Result<(), String> {
    let run = &log["runs"][0];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let rules = list(&run["tool"]["driver"]["rules"]);
    let ids: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    let ensure = |holds: bool, what: &Value| if holds { Ok(()) } else { Err(what.to_string()) };
    ensure(ids.len() == rules.len(), &run["tool"])?;
    let mut fingerprints = BTreeSet::new();
    for result in list(&run["results"]) {
        let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
        let rule = index.and_then(|index| rules.get(index));
        ensure(rule.is_some_and(|rule| rule["id"] == result["ruleId"]), &result)?;
        // Readers that show results in files insist on a place.
        ensure(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), &result)?;
        let fingerprint =
            result["partialFingerprints"]["quotient/v1"].as_str().unwrap_or_default().to_owned();
        ensure(fingerprint.len() > 16 && fingerprints.insert(fingerprint), &result)?;
        for flow in list(&result["codeFlows"]) {
            let steps = list(&flow["threadFlows"][0]["locations"]);
            let order: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
            ensure(order.len() == steps.len() && order.is_sorted_by(|a, b| a < b), &flow)?;
            ensure(steps.len() <= 1000, &flow)?;
        }
    }
    regions(log)
}

/// A region does not end before it starts.
fn regions(value: &Value) -> Result<(), String> {
    let position = |region: &Map<String, Value>, line: &str, column: &str| {
        Some((region.get(line)?.as_u64()?, region.get(column)?.as_u64()?))
    };
    match value {
        Value::Array(list) => list.iter().try_for_each(regions),
        Value::Object(object) => {
            let start = position(object, "startLine", "startColumn");
            let end = position(object, "endLine", "endColumn");
            if end.is_some() && end < start {
                return Err(value.to_string());
            }
            object.values().try_for_each(regions)
        }
        _ => Ok(()),
    }
}

fn check(log: &Value) -> Result<(), String> {
    valid(Object("log"), log, "").and_then(|()| consistent(log))
}

/// The log of a check, which is as it should be.
fn sarif(sandbox: &Sandbox, line: &str, code: i32) -> Value {
    let run = sandbox.run(&format!("check {line} --format sarif"));
    run.expect(code);
    let log = run.json();
    check(&log).unwrap_or_else(|error| panic!("{line}: {error}"));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["exitCode"], code);
    assert_eq!(invocation["executionSuccessful"], matches!(code, 0 | 1 | 3));
    log
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().expect("a list")
}

fn notifications<'v>(log: &'v Value, kind: &str) -> &'v [Value] {
    log["runs"][0]["invocations"][0][kind].as_array().expect("a list")
}

#[test]
fn violations_of_bundled_models() {
    for (model, options) in [
        ("philosophers.bir", ""),
        ("philosophers.bir", "--continue --search dfs"),
        ("peterson_bug.bir", ""),
        ("btree_bug.bir", ""),
        ("temporal/starvation.bir", "--continue"),
        ("temporal/guests.bir", ""),
        ("temporal/claim.pml", ""),
        ("promela/bakery_bug.pml", ""),
        ("promela/sorting_pipeline_bug.pml", "--continue"),
        ("faults/stack_bound_fault.bir", "--on-bound error --max-frames 3"),
    ] {
        let sandbox = Sandbox::new();
        let path = models().join(model);
        sandbox.write("model", fs::read(&path).expect("a model"));
        let name = format!("model.{}", path.extension().expect("an ending").to_string_lossy());
        fs::rename(sandbox.path("model"), sandbox.path(&name)).expect("another name");
        let log = sarif(&sandbox, &format!("{name} {options}"), 1);
        let (_, report) = sandbox.json(&format!("check {name} {options}"));
        let errors: Vec<&Value> = results(&log).iter().filter(|result| result["level"] == "error").collect();
        assert_eq!(errors.len(), report["violations"].as_array().map_or(0, Vec::len), "{model}");
        assert_eq!(errors[0]["ruleId"], report["violation"]["kind"]);
        // The steps are those of the trace, in order.
        let steps = report["violation"]["trace"]["steps"].as_array().expect("steps");
        let flow = errors[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
        if steps.len() <= 1000 {
            assert_eq!(flow.len(), steps.len().max(1));
            for (shown, step) in flow.iter().zip(steps) {
                let region = &shown["location"]["physicalLocation"]["region"];
                assert_eq!(
                    (&region["startLine"], &region["startColumn"]),
                    (&step["location"]["line"], &step["location"]["column"])
                );
                let text = shown["location"]["message"]["text"].as_str().expect("a message");
                assert!(text.contains(step["thread"].as_str().expect("a name")), "{text}");
            }
        }
        if let Some(line) = report["violation"]["location"]["line"].as_u64() {
            assert_eq!(errors[0]["locations"][0]["physicalLocation"]["region"]["startLine"], line);
        }
        assert_eq!(errors[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], name.as_str());
    }
}

#[test]
fn threads_that_are_stuck_are_related() {
    let sandbox = Sandbox::with("philosophers.bir");
    let log = sarif(&sandbox, "philosophers.bir", 1);
    let related = results(&log)[0]["relatedLocations"].as_array().expect("a list");
    let texts: Vec<_> =
        related.iter().map(|place| place["message"]["text"].as_str().expect("a text")).collect();
    assert_eq!(texts, [1, 2, 3].map(|number| format!("Philosopher#{number} is stuck here")));
}

#[test]
fn diagnostics_are_results_where_they_have_a_place() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.bir", "system S {\n  active thread T() {\n    y := 1;\n  }\n}\n");
    sandbox.write("unused.bir", "system S { int x; active thread T() { skip; } }\n");
    let log = sarif(&sandbox, "bad.bir unused.bir gone.bir unused.bir", 2);
    let [bad, unused] = results(&log) else { panic!("{log:#}") };
    assert_eq!((&bad["ruleId"], &bad["level"]), (&"E0301".into(), &"error".into()));
    let region = &bad["locations"][0]["physicalLocation"]["region"];
    let numbers = ["startLine", "startColumn", "endLine", "endColumn"].map(|key| region[key].as_u64());
    assert_eq!(numbers, [Some(3), Some(5), Some(3), Some(6)]);
    assert_eq!((&unused["ruleId"], &unused["level"]), (&"W0701".into(), &"warning".into()));
    // Rules are described by what the code stands for.
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    let rule = rules.iter().find(|rule| rule["id"] == "E0301").expect("a rule");
    assert_eq!(rule["shortDescription"]["text"], "No variable, constant or element has this name.");
    // What has no place is a notification.
    let [gone] = notifications(&log, "toolConfigurationNotifications") else { panic!("{log:#}") };
    assert!(
        gone["message"]["text"].as_str().is_some_and(|text| text.contains("cannot read `gone.bir`")),
        "{gone}"
    );
    assert_eq!(gone["associatedRule"]["id"], "E0001");
}

#[test]
fn less_than_a_proof_is_a_notification() {
    let sandbox = Sandbox::with("peterson.bir");
    let log = sarif(&sandbox, "peterson.bir --max-states 10", 3);
    assert!(results(&log).is_empty());
    let [open] = notifications(&log, "toolExecutionNotifications") else { panic!("{log:#}") };
    assert_eq!(open["message"]["text"], "peterson.bir: inconclusive: the limit on states was reached");
    let log = sarif(&sandbox, "peterson.bir", 0);
    assert!(results(&log).is_empty() && notifications(&log, "toolExecutionNotifications").is_empty());
    let target = &log["runs"][0]["artifacts"][0];
    assert_eq!(
        (&target["location"]["uri"], &target["properties"]["verdict"]),
        (&"peterson.bir".into(), &"holds".into())
    );
}

/// A result keeps its fingerprint while other lines change, and other results have others.
#[test]
fn fingerprints_do_not_depend_on_lines() {
    let sandbox = Sandbox::new();
    let text = "system S {\n  active thread T() {\n    assert 1 == 2;\n  }\n}\n";
    let of = |text: &str, line: &str| {
        sandbox.write("m.bir", text);
        let log = sarif(&sandbox, line, 1);
        results(&log)
            .iter()
            .map(|result| result["partialFingerprints"]["quotient/v1"].clone())
            .collect::<Vec<_>>()
    };
    let first = of(text, "m.bir");
    assert_eq!(of(&format!("// a comment\n\n{text}"), "m.bir"), first);
    assert_ne!(of(&text.replace("1 == 2", "1 == 3"), "m.bir"), first);
}

#[test]
fn names_of_files_are_uris() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("ü b")).expect("a folder");
    sandbox.write("ü b/#1%.pml", "active proctype P() { assert(false) }\n");
    let mut command = sandbox.command("check --format sarif");
    command.arg(sandbox.path("ü b/#1%.pml"));
    let run = crate::support::finish(command.spawn().expect("quotient starts"));
    run.expect(1);
    let log = run.json();
    check(&log).expect("a log");
    // It was named by its whole path, and is in the current folder.
    let location = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(location["uri"], "%C3%BC%20b/%231%25.pml");
    assert_eq!(location["uriBaseId"], "%SRCROOT%");
}

/// A formula of the command line is in no file: what is wrong with it is about the model.
#[test]
fn formulas_are_not_files() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.write("p.pml", "byte x; active proctype P() { do :: x = 1 - x od }\n");
    let log = sarif(&sandbox, "p.pml --ltl [](x==0)", 1);
    let place = &results(&log)[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "p.pml");
    let log = sarif(&sandbox, "p.pml --ltl [](y==0)", 2);
    assert!(results(&log).is_empty(), "{log:#}");
    assert_eq!(notifications(&log, "toolConfigurationNotifications").len(), 1);
}

/// A run of thousands of steps is cut in its middle.
#[test]
fn long_counterexamples() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "long.pml",
        "int x; active proctype P() { do :: x < 1500 -> x++ :: else -> break od; assert(false) }\n",
    );
    let log = sarif(&sandbox, "long.pml --merge off --por off", 1);
    let flow = results(&log)[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
    assert_eq!(flow.len(), 1000);
    // There are 3 002 of them, and one element says that the others are left out.
    assert_eq!(flow[999]["executionOrder"], 3002);
    assert_eq!(flow[100]["location"]["message"]["text"], "2 003 steps are left out");
}

#[test]
fn bad_usage() {
    let sandbox = Sandbox::with("philosophers.bir");
    for line in ["philosophers.bir --threads 0", "philosophers.bir --frobnicate"] {
        let log = sarif(&sandbox, line, 2);
        let [problem] = notifications(&log, "toolConfigurationNotifications") else { panic!("{log:#}") };
        assert_eq!(problem["level"], "error");
    }
}

#[test]
fn what_is_wrong_is_found() {
    let sandbox = Sandbox::with("philosophers.bir");
    let log = sarif(&sandbox, "philosophers.bir", 1);
    let wrong = |pointer: &str, value: Value| {
        let mut log = log.clone();
        *log.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        assert!(check(&log).is_err(), "{pointer}");
    };
    wrong("/version", "2.0".into());
    wrong("/runs/0/tool", Value::Object(Map::new()));
    wrong("/runs/0/results/0/ruleIndex", 0.into());
    wrong("/runs/0/results/0/level", "fatal".into());
    wrong("/runs/0/results/0/message", "text".into());
    wrong("/runs/0/results/0/locations", Value::Array(Vec::new()));
    wrong("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into());
    wrong("/runs/0/results/0/codeFlows/0/threadFlows/0/locations/1/executionOrder", 1.into());
    wrong("/runs/0/artifacts/0/location/uri", "a b".into());
}
