//! State graphs, in three formats. Pictures are in `pictures.rs`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Sandbox;

/// States and steps of a model, all of whose steps lead somewhere, as a check without symmetry counts them.
fn counts(sandbox: &Sandbox, model: &str) -> (usize, usize) {
    let (_, report) = sandbox.json(&format!("check {model} --continue --symmetry none --por off"));
    let count = |key: &str| report[key].as_u64().expect("a count") as usize;
    (count("states"), count("transitions"))
}

const MODELS: [&str; 3] = ["philosophers.bir", "philosophers_ordered.bir", "message_queue.bir"];

#[test]
fn json() {
    for model in MODELS {
        let sandbox = Sandbox::with(model);
        let run = sandbox.run(&format!("graph {model} --format json"));
        run.expect(0);
        let graph = run.json();
        let list = |key: &str| graph[key].as_array().expect("a list").clone();
        let number = |value: &Value| value.as_u64().expect("a number") as usize;
        let (states, edges) = (list("states"), list("edges"));
        assert_eq!((states.len(), edges.len()), counts(&sandbox, model));
        assert_eq!(graph["model"], model);
        // Numbered as found, breadth first: depths never fall, and edges go at most one level down.
        let depths: Vec<usize> = states.iter().map(|state| number(&state["depth"])).collect();
        assert!(depths.is_sorted() && depths[0] == 0);
        assert!(states.iter().enumerate().all(|(index, state)| number(&state["id"]) == index));
        for edge in &edges {
            let (source, target) = (number(&edge["source"]), number(&edge["target"]));
            assert!(depths[target] <= depths[source] + 1, "{edge}");
            assert!(number(&edge["line"]) > 0 && edge["text"].as_str().is_some_and(|text| !text.is_empty()));
        }
        // All but the first have a way in.
        let mut reached = vec![false; states.len()];
        for edge in &edges {
            reached[number(&edge["target"])] = true;
        }
        assert!(reached[1..].iter().all(|&reached| reached));
    }
}

/// Steps that a bound keeps from being taken are not in the graph, which is reported, or there is no graph.
#[test]
fn bounds() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("graph philosophers.bir --max-threads 3 --format json");
    run.expect(0);
    let warning = "steps that exceed the bound on threads are not in the graph";
    assert_eq!(run.stderr, format!("warning: {warning}\n"));
    assert_eq!(run.json()["diagnostics"][0]["message"], warning);
    let run = sandbox.run("graph philosophers.bir --max-threads 3 --format dot --on-bound error");
    run.refused(&["steps exceed the bound on threads; --on-bound truncate leaves them out of the graph"]);
    let whole = sandbox.run("graph philosophers.bir --format dot --on-bound error");
    whole.expect(0);
    assert_eq!(whole, sandbox.run("graph philosophers.bir --format dot"));
}

/// The quoted texts of a line, without what is escaped.
fn quoted(line: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut inside: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, &mut inside) {
            ('\\', Some(text)) => text.extend(letters.next()),
            ('"', Some(_)) => texts.extend(inside.take()),
            ('"', None) => inside = Some(String::new()),
            (letter, Some(text)) => text.push(letter),
            (_, None) => {}
        }
    }
    assert_eq!(inside, None, "a text without its end: {line}");
    texts
}

#[test]
fn aldebaran() {
    for model in MODELS {
        let sandbox = Sandbox::with(model);
        let run = sandbox.run(&format!("graph {model} --format aut"));
        run.expect(0);
        let (states, edges) = counts(&sandbox, model);
        let mut lines = run.stdout.lines();
        assert_eq!(lines.next(), Some(format!("des (0, {edges}, {states})").as_str()));
        let mut found = 0;
        for line in lines {
            found += 1;
            let inner = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')).expect("an edge");
            let source = inner.split(", \"").next().expect("a source");
            let target = inner.rsplit("\", ").next().expect("a target");
            for state in [source, target] {
                assert!(state.parse::<usize>().is_ok_and(|state| state < states), "{line}");
            }
            assert_eq!(quoted(line).len(), 1, "{line}");
        }
        assert_eq!(found, edges);
    }
}

#[test]
fn graphviz() {
    for model in MODELS {
        let sandbox = Sandbox::with(model);
        let run = sandbox.run(&format!("graph {model} --format dot"));
        run.expect(0);
        let (states, edges) = counts(&sandbox, model);
        assert!(run.stdout.starts_with("digraph {\n") && run.stdout.ends_with("\n}\n"));
        let is_edge = |line: &&str| line.contains(" -> ");
        let is_state = |line: &&str| {
            line.trim()
                .strip_prefix('s')
                .and_then(|line| line.strip_suffix(';'))
                .is_some_and(|id| id.parse::<u32>().is_ok())
        };
        assert_eq!(run.stdout.lines().filter(is_edge).count(), edges);
        assert_eq!(run.stdout.lines().filter(is_state).count(), states);
        assert!(run.stdout.lines().all(|line| quoted(line).len() <= 1));
    }
}

#[test]
fn texts_with_quotes_and_lines() {
    let sandbox = Sandbox::new();
    let model = "system S {\n  string s;\n  active thread T() {\n    s := // \"what\n      \"say \\\"a\\\\b\\\"\";\n    assert s != null;\n  }\n}\n";
    sandbox.write("model.bir", model);
    for format in ["dot", "aut"] {
        let run = sandbox.run(&format!("graph model.bir --format {format}"));
        run.expect(0);
        let labels: Vec<String> = run.stdout.lines().flat_map(quoted).collect();
        assert_eq!(labels, [r#"T 0: s := "say \"a\\b\"";"#, "T 0: assert s != null;"], "{}", run.stdout);
    }
}

#[test]
fn a_graph_that_is_too_large_is_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("graph philosophers.bir --format dot --max-states 35");
    run.refused(&["the graph has more than 35 states", "--max-states"]);
    sandbox.run("graph philosophers.bir --format dot --max-states 36").expect(0);
}

/// With deadlocks, a violated invariant, a step that faults, a valid end, and blocks without stored states.
const MARKED: [(&str, &str); 4] = [
    (
        "deadlock.bir",
        "system S { int (0, 3) x; active[2] thread T() { loc a: when x < 3 do { x := x + 1; } goto a; } }",
    ),
    (
        "faults.bir",
        "system S { int (0, 4) x; invariant Small = x < 3;
           active[2] thread T() {
             loc a:
               when x < 4 do { x := x + 1; } goto a;
               when x == 2 do { assert false; } goto a;
               when x == 4 do {} return;
           } }",
    ),
    (
        "blocks.pml",
        "byte x; chan q = [1] of { byte };
         active [2] proctype P() {
           byte y;
           do
           :: atomic { x < 3 -> if :: x++ :: x = x + 2 fi; y = x; assert(x < 4) }
           :: q!x
           :: q?y
           :: x >= 3 -> break
           od
         }",
    ),
    ("ends.bir", "system S { int x; active thread T() { x := 1; x := 2; } }"),
];

/// The violations that a check counts, by kind.
fn counted(sandbox: &Sandbox, model: &str) -> BTreeMap<String, u64> {
    let line = format!("check {model} --continue --safety --symmetry none --por off --merge off");
    let (_, report) = sandbox.json(&line);
    let mut counts = BTreeMap::new();
    for violation in report["violations"].as_array().expect("a list") {
        let kind = violation["kind"].as_str().expect("a kind").to_owned();
        *counts.entry(kind).or_default() += violation["count"].as_u64().expect("a count");
    }
    counts
}

#[test]
fn marks_are_what_a_check_finds() {
    for (model, text) in MARKED {
        let sandbox = Sandbox::new();
        sandbox.write(model, text);
        let run = sandbox.run(&format!("graph {model} --format json --marks"));
        run.expect(0);
        let graph = run.json();
        let states = graph["states"].as_array().expect("a list");
        let mut marked: BTreeMap<String, u64> = BTreeMap::new();
        let mut count = |kind: &str| *marked.entry(kind.to_owned()).or_default() += 1;
        for state in states {
            assert_eq!(state["initial"] == true, state["id"] == 0, "{state}");
            if state["deadlock"] == true {
                count("deadlock");
            }
            for violation in state["violations"].as_array().into_iter().flatten() {
                count(violation["kind"].as_str().expect("a kind"));
            }
            // Ends and deadlocks are the states without steps.
            let has_steps =
                graph["edges"].as_array().expect("a list").iter().any(|edge| edge["source"] == state["id"]);
            assert_eq!(has_steps, state["end"] != true && state["deadlock"] != true, "{state}");
        }
        assert_eq!(marked, counted(&sandbox, model), "{model}");
        if model == "ends.bir" {
            assert!(states.iter().any(|state| state["end"] == true));
        }

        // In aut, marks are steps from a state to itself, and nothing else changes.
        let plain = sandbox.run(&format!("graph {model} --format aut"));
        let aut = sandbox.run(&format!("graph {model} --format aut --marks"));
        aut.expect(0);
        let (marks, rest): (Vec<&str>, Vec<&str>) =
            aut.stdout.lines().partition(|line| line.contains(", \"!"));
        assert_eq!(rest[1..], plain.stdout.lines().skip(1).collect::<Vec<_>>()[..]);
        let edges = plain.stdout.lines().count() - 1 + marks.len();
        assert_eq!(rest[0], format!("des (0, {edges}, {})", states.len()));
        let deadlocks = marks.iter().filter(|line| line.contains("\"!deadlock\"")).count() as u64;
        assert_eq!(deadlocks, marked.get("deadlock").copied().unwrap_or(0));
    }
}

/// States and edges stay what they are, whatever is shown of them.
#[test]
fn contents_and_marks_change_no_number() {
    let plain = |graph: &Value| {
        let keep = |value: &Value, keys: &[&str]| -> Vec<Value> {
            value
                .as_array()
                .expect("a list")
                .iter()
                .map(|item| keys.iter().map(|key| item[key].clone()).collect())
                .collect()
        };
        (keep(&graph["states"], &["id", "depth"]), graph["edges"].clone())
    };
    for (model, text) in MARKED {
        let sandbox = Sandbox::new();
        sandbox.write(model, text);
        let graph = |options: &str| sandbox.run(&format!("graph {model} --format json {options}")).json();
        let old = graph("");
        assert!(old["states"][0].as_object().is_some_and(|state| state.len() == 2), "{old}");
        for options in ["--marks", "--contents changes", "--contents full"] {
            assert_eq!(plain(&graph(options)), plain(&old), "{model} {options}");
        }
    }
}

/// Each edge, behind the first way to its source, is a run that ends in the state of its target.
#[test]
fn every_edge_replays() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("simulate philosophers.bir -D N=2 --steps 0 --trail trail.json").expect(0);
    let trail: Value = serde_json::from_str(&sandbox.read("trail.json")).expect("a trail");
    let graph = sandbox.run("graph philosophers.bir -D N=2 --format json --contents full").json();
    let states = graph["states"].as_array().expect("a list");
    let mut ways: Vec<Option<Vec<Value>>> = vec![None; states.len()];
    ways[0] = Some(Vec::new());
    for edge in graph["edges"].as_array().expect("a list") {
        let at = |key: &str| edge[key].as_u64().expect("a number") as usize;
        let step = serde_json::json!({
            "thread": edge["thread"], "transition": edge["transition"], "choice": edge["choice"],
        });
        let mut way = ways[at("source")].clone().expect("edges are in the order of their sources");
        way.push(step);
        let mut trail = trail.clone();
        trail["steps"] = way.clone().into();
        sandbox.write("edge.json", trail.to_string());
        let run = sandbox.run("replay philosophers.bir edge.json --format json");
        assert_eq!(run.json()["last_state"], states[at("target")]["state"], "{edge}");
        ways[at("target")].get_or_insert(way);
    }
}

#[test]
fn orbits() {
    for model in MODELS {
        let sandbox = Sandbox::with(model);
        let graph = sandbox.run(&format!("graph {model} --format json --symmetry full")).json();
        let (_, report) = sandbox.json(&format!("check {model} --continue --symmetry full --por off"));
        let list = |key: &str| graph[key].as_array().expect("a list");
        assert_eq!(Some(list("states").len() as u64), report["states"].as_u64(), "{model}");
        assert_eq!(Some(list("edges").len() as u64), report["transitions"].as_u64(), "{model}");
        let members = list("states").iter().map(|state| state["members"].as_u64().expect("a number"));
        assert_eq!(members.sum::<u64>() as usize, counts(&sandbox, model).0, "{model}");
    }
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("graph philosophers.bir --format json --symmetry full --ltl true");
    run.expect(2);
    assert!(run.stderr.contains("leave out --symmetry full"), "{}", run.stderr);
}

/// The edges of the cycle lead from each of its states to the next, and back to the first.
#[test]
fn a_run_that_violates_a_property() {
    let sandbox = Sandbox::new();
    for (model, text) in [
        (
            "m.bir",
            "system S { boolean on; boolean done;
               active thread T() {
                 loc a: do { on := true; } goto b;
                 loc b: do { on := false; } goto a; do { done := true; } return;
               } }",
        ),
        (
            "m.pml",
            "bool on, done; active proctype P() { do :: atomic { on = !on; on = on } :: done = true; break od }",
        ),
    ] {
        sandbox.write(model, text);
        let mut command = sandbox.command(&format!("graph {model} --format json --ltl"));
        let output = command.arg("<> done").output().expect("it runs");
        let graph: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!(graph["property"]["verdict"], "violated");
        let edges = graph["edges"].as_array().expect("a list");
        let cycle: Vec<_> = edges.iter().filter(|edge| edge["lasso"] == "cycle").collect();
        assert!(!cycle.is_empty(), "{graph}");
        for edge in &cycle {
            assert_eq!(cycle.iter().filter(|next| next["source"] == edge["target"]).count(), 1, "{graph}");
        }
        let mut command = sandbox.command(&format!("graph {model} --format dot --ltl"));
        let dot = command.arg("<> done").output().expect("it runs").stdout;
        let red = String::from_utf8_lossy(&dot).matches("color=red").count();
        assert_eq!(red, cycle.len());
    }
    // A run that stays where nothing can move any more.
    let run = sandbox.run("graph m.bir --format json --ltl <>on&&[]!done").json();
    let stays = &run["property"]["stays"];
    assert!(run["edges"].as_array().expect("a list").iter().all(|edge| edge["source"] != *stays), "{run}");
    assert!(stays.is_u64(), "{run}");
    let dot = sandbox.run("graph m.bir --format dot --ltl <>on&&[]!done").stdout;
    assert!(dot.contains(&format!("  s{stays} [penwidth=2, color=red];\n")), "{dot}");
    let mut command = sandbox.command("graph m.bir --format json --ltl");
    let output = command.arg("[] (on || !on)").output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("no run is marked"), "{errors}");
}

#[test]
fn parts_of_a_graph() {
    let sandbox = Sandbox::with("philosophers.bir");
    let whole = sandbox.run("graph philosophers.bir --format json").json();
    let list = |graph: &Value, key: &str| graph[key].as_array().expect("a list").clone();
    let number = |value: &Value| value.as_u64().expect("a number");

    let run = sandbox.run("graph philosophers.bir --format json --depth 3 --marks");
    run.expect(0);
    assert!(run.stderr.contains("steps of states at depth 3 are not in it"), "{}", run.stderr);
    let cut = run.json();
    let shallow = list(&whole, "states").iter().filter(|state| number(&state["depth"]) <= 3).count();
    assert_eq!(list(&cut, "states").len(), shallow);
    for state in list(&cut, "states") {
        let has_steps = list(&whole, "edges").iter().any(|edge| edge["source"] == state["id"]);
        assert_eq!(state["cut"] == true, number(&state["depth"]) == 3 && has_steps, "{state}");
    }

    // A state of which the neighbours are found by hand.
    let near = sandbox.run("graph philosophers.bir --format json --around 5 --radius 1").json();
    let mut expected: Vec<u64> = vec![5];
    for edge in list(&whole, "edges") {
        let (source, target) = (number(&edge["source"]), number(&edge["target"]));
        expected.extend((source == 5).then_some(target));
        expected.extend((target == 5).then_some(source));
    }
    expected.sort_unstable();
    expected.dedup();
    let found: Vec<u64> = list(&near, "states").iter().map(|state| number(&state["id"])).collect();
    assert_eq!(found, expected);
    let inner =
        |edge: &&Value| found.contains(&number(&edge["source"])) && found.contains(&number(&edge["target"]));
    assert_eq!(list(&near, "edges"), list(&whole, "edges").iter().filter(inner).cloned().collect::<Vec<_>>());

    let run = sandbox.run("graph philosophers.bir --format dot --around 99");
    run.refused(&["there is no state 99: the graph has the states 0 to 35"]);
    sandbox.run("graph philosophers.bir --format dot --radius 1").refused(&["--around"]);
    for option in ["--around 1", "--contents full", "--ltl true"] {
        let run = sandbox.run(&format!("graph philosophers.bir --format aut {option}"));
        run.refused(&["--format aut"]);
    }
}

#[test]
fn drawings_with_contents() {
    let sandbox = Sandbox::new();
    sandbox.write(MARKED[1].0, MARKED[1].1);
    let run = sandbox.run("graph faults.bir --format dot --contents full");
    run.expect(0);
    let states: Vec<&str> = run.stdout.lines().filter(|line| line.contains("label=\"s")).collect();
    assert!(states[0].starts_with("  s0 [label=\"s0\\lx = 0\\l"), "{}", run.stdout);
    assert!(states[0].contains("peripheries=2"), "{}", run.stdout);
    assert!(run.stdout.contains("invariant: `Small` does not hold\\l"), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| quoted(line).len() <= 1));
    let run = sandbox.run("graph faults.bir --format dot --contents changes");
    assert!(run.stdout.contains("\\lx: 0 → 1\\l"), "{}", run.stdout);

    // More than a person looks at.
    let sandbox = Sandbox::with("peterson.bir");
    let run = sandbox.run("graph peterson.bir --format dot");
    run.expect(0);
    assert!(run.stderr.contains("a drawing of 2906 states is hard to read; --depth N"), "{}", run.stderr);
    assert_eq!(sandbox.run("graph peterson.bir --format aut").stderr, "");
}
