//! What cannot be honoured is refused with its reason, and bad input is told where it is wrong.

use crate::models::{counter, tokens, triangle};

#[test]
fn options_that_mean_nothing_are_refused_by_name() {
    for (option, reason) in [
        ("--por on", "interleaving"),
        ("--merge on", "statements"),
        ("--threads 2", "--threads 1"),
        ("--naming chain", "in one way"),
        ("--trail-format spin", "JSON"),
        ("--audit-symmetry 5", "--symmetry-check all"),
        ("--hashes 3", "arena"),
        ("--refine", "--arena"),
        ("--coverage", "not available"),
        ("--swarm 3", "not available"),
        ("--non-progress", "--ltl"),
        ("--acceptance", "--ltl"),
        ("--max-objects 5", "#[within]"),
        ("--max-threads 5", "processes"),
        ("--symmetry bots", "none or full"),
        ("--symmetry some", "unknown"),
        ("--format junit", "human or json"),
        ("--format xml", "unknown"),
        ("--hash-bytes 5", "--store compact"),
        ("--arena 64Ki", "--store bitstate"),
        ("--store compact --search bfs", "--search dfs"),
        ("--property Missing", "it has `BEGINS`, `SERVED`"),
        ("--ltl []~missing", "missing"),
        ("--ltl []~(idle", "idle"),
        ("--safety --fairness weak", "fairness"),
    ] {
        let ran = tokens(&format!("check {option} --trail /nowhere/at/all"));
        assert_eq!(ran.code, 2, "{option}: {}{}", ran.out, ran.err);
        assert!(ran.err.starts_with("error: ") && ran.err.contains(reason), "{option}: {}", ran.err);
        let name = option.split(' ').next().unwrap_or_default();
        let is_named = ran.err.contains(name) || ["--property", "--ltl", "--safety"].contains(&name);
        assert!(is_named, "{option}: {}", ran.err);
    }
    for accepted in
        ["--por off", "--por auto", "--merge off", "--threads 1", "--minimise off", "--minimise on"]
    {
        triangle(&format!("check {accepted}")).expect(0);
    }
}

#[test]
fn a_refusal_is_a_document_if_one_was_asked_for() {
    let ran = triangle("check --por on --format json");
    let document = ran.expect(2).json();
    assert!(document["verdict"].is_null() && document["model"] == "triangle");
    let diagnostic = &document["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert!(diagnostic["message"].as_str().is_some_and(|text| text.starts_with("--por on: ")));
}

#[test]
fn bad_command_lines() {
    for line in [
        "",
        "chek",
        "check --sides",
        "check --sides -1",
        "check --sides 70000",
        "check --max-states 0",
        "check --memory 3x",
        "check --time soon",
        "check --store none",
        "graph",
        "replay",
        "check extra",
        "check --ltl []~idle --safety",
        "simulate --interactive --steps 3",
    ] {
        let ran = triangle(line);
        assert_eq!(ran.code, 2, "{line}: {}{}", ran.out, ran.err);
    }
    assert!(triangle("check --help").expect(0).out.contains("--sides <N>"));
    assert!(triangle("--version").expect(0).out.starts_with("triangle "));
}

#[test]
fn trails_that_are_none() {
    let path = crate::models::file("none.json");
    let name = path.display();
    assert!(counter(&format!("replay {name}")).expect(2).err.contains("cannot read"));
    for (text, reason) in [
        ("nothing", "expected"),
        ("{}", "language"),
        (r#"{"language": "rust", "version": 9}"#, "version is 9"),
        (r#"{"language": "rust", "version": 1, "model": "m", "sizes": 3}"#, "sizes"),
        (
            r#"{"language": "rust", "version": 1, "model": "m", "sizes": [], "initial": "x", "steps": [{"action": 3}]}"#,
            "action",
        ),
    ] {
        std::fs::write(&path, text).expect("the file can be written");
        let ran = counter(&format!("replay {name}"));
        assert!(ran.code == 2 && ran.err.contains(reason), "{text}: {}", ran.err);
    }
    // Something else is not replaced by a trail.
    std::fs::write(&path, "a diary").expect("the file can be written");
    assert!(counter(&format!("check --trail {name}")).expect(2).err.contains("is not a trail"));
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "a diary");
    drop(std::fs::remove_file(&path));
}
