//! State graphs, in three formats.

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
