//! What the commands print and answer.

use serde_json::Value;

use crate::models::{counter, file, tokens, triangle};

#[test]
fn counts_and_sizes() {
    let report = triangle("check --format json").expect(0).json();
    assert_eq!((&report["states"], &report["transitions"]), (&6.into(), &14.into()));
    let report = triangle("check --format json --symmetry none").expect(0).json();
    assert_eq!((&report["states"], &report["transitions"]), (&27.into(), &54.into()));
    let report = triangle("check --sides 4 --colours 3 --format json").expect(0).json();
    assert_eq!((&report["states"], &report["transitions"]), (&11.into(), &42.into()));
    // All sides and colours that a state mentions are named anew in each of the 14 states that are met.
    assert!(report["symmetry"]["touched_per_step"].as_f64().is_some_and(|mean| mean > 1.0 && mean < 7.0));
    assert_eq!(report["symmetry"]["ties_searched"], 0);
    let human = triangle("check");
    assert!(human.expect(0).out.starts_with("triangle: holds\nThe search is complete: "));
    assert!(human.out.contains("\n6 states, ") && human.out.contains("  - 3 individuals of Side\n"));
    assert_eq!(triangle("check --quiet").expect(0).out, "triangle: holds\n");
}

#[test]
fn every_store_and_search_has_the_same_verdict_and_count() {
    for store in ["trie", "exact", "collapse", "gzip"] {
        for search in ["bfs", "dfs"] {
            let line = format!("check --store {store} --search {search} --format json");
            let report = triangle(&line).expect(0).json();
            assert_eq!((&report["states"], &report["store"]["kind"]), (&6.into(), &store.into()), "{line}");
            assert_eq!(report["search"], search);
        }
    }
    for store in ["automaton", "collapse+automaton"] {
        assert_eq!(triangle(&format!("check --store {store} --format json")).expect(0).json()["states"], 6);
    }
    for store in ["compact", "compact --hash-bytes 4", "bitstate --arena 1Mi"] {
        let report = triangle(&format!("check --store {store} --format json")).expect(3).json();
        assert_eq!((&report["states"], &report["verdict"]), (&6.into(), &"no error found".into()), "{store}");
    }
}

/// Keys that mean nothing for models in Rust: what searches leave open, and bounds of the engine.
const ABSENT: [&str; 3] = ["bounds", "open", "truncations"];
/// Keys that only models in Rust have.
const ADDED: [&str; 1] = ["covered"];

/// The keys of an object are those of the schema of reports.
#[test]
fn reports_have_the_keys_of_all_reports() {
    let schema: Value = serde_json::from_str(include_str!("../../../../schema/report.json")).expect("JSON");
    let check = |object: &Value, of: &Value, at: &str| {
        let known = of["properties"].as_object().unwrap_or_else(|| panic!("{at} has no properties: {of}"));
        let object = object.as_object().unwrap_or_else(|| panic!("{at} is no object"));
        for key in object.keys() {
            assert!(
                known.contains_key(key) || ADDED.contains(&&**key),
                "{at} has {key}, which is not in the schema"
            );
        }
        for key in of["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(object.contains_key(key) || ABSENT.contains(&key), "{at} lacks {key}");
        }
    };
    let part = |name: &str| schema["$defs"][name].clone();
    let whole = if schema["$defs"]["Report"].is_object() { part("Report") } else { schema.clone() };
    let trail = file("keys.json");
    for line in ["check --clients 1", "check", "check --ltl <>[]idle --clients 1"] {
        let report = tokens(&format!("{line} --format json --trail {}", trail.display())).json();
        check(&report, &whole, line);
        check(&report["symmetry"], &part("Symmetry"), "symmetry");
        check(&report["reduction"], &part("Reduction"), "reduction");
        for property in report["properties"].as_array().into_iter().flatten() {
            check(property, &part("Property"), "property");
        }
        for violation in report["violations"].as_array().into_iter().flatten() {
            check(violation, &part("ViolationCount"), "violations");
        }
        if !report["violation"].is_null() {
            check(&report["violation"], &part("Violation"), "violation");
        }
    }
    drop(std::fs::remove_file(trail));
}

#[test]
fn a_deadlock_is_explained_and_replayed() {
    let trail = file("deadlock.json");
    let name = trail.display();
    let ran = tokens(&format!("check --safety --trail {name}"));
    ran.expect(1);
    for part in [
        "deadlock: no action is possible, and no run may end here.\n",
        "Counterexample, 2 steps (shortest):\n",
        "  1. Client0  Take { client: Client0 }\n       taken\n       covers R1\n       free: 2 → 1\n",
        "       (number_of_holders: 0 → 1)\n",
        "       Take is not possible: `self.free > 0` is false (",
        "PutBack { client: Client0 } is not possible: `self.held[client] == 2` is false (",
        "covered: R1\n",
    ] {
        assert!(ran.out.contains(part), "{part}\n{}", ran.out);
    }
    let replayed = tokens(&format!("replay {name}"));
    replayed.expect(1);
    assert!(replayed.out.contains("  deadlock: no action is possible"), "{}", replayed.out);
    assert!(replayed.out.contains("`self.free > 0` is false"));
    let document = tokens(&format!("replay {name} --format json")).expect(1).json();
    assert_eq!(document["trace"]["steps"][1]["action"]["Take"]["client"], "Client1");
    assert_eq!(document["trace"]["ends_in"]["kind"], "deadlock");
    let blocked = &document["trace"]["ends_in"]["blocked"][0];
    assert!(blocked["condition"] == "self.free > 0" && blocked["location"]["line"].as_u64() > Some(1));

    // Another size, an action that is not possible, a step too many, a claim that is not true.
    let text = std::fs::read_to_string(&trail).expect("it is there");
    let replays = |text: String| {
        std::fs::write(&trail, text).expect("it can be written");
        tokens(&format!("replay {name}"))
    };
    assert!(tokens(&format!("replay {name} --clients 3")).expect(2).err.contains("no initial state"));
    let other = text.replacen("Take { client: Client0 }", "PutBack { client: Client0 }", 1);
    let ran = replays(other);
    assert!(
        ran.expect(2).err.contains("step 1, PutBack { client: Client0 }, is not possible"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("`self.held[client] == 2` is false"), "{}", ran.err);
    let claim = text.replace("\"kind\": \"deadlock\"", "\"kind\": \"invariant\"");
    assert!(replays(claim).expect(2).err.contains("and its run does not"));
    drop(std::fs::remove_file(&trail));
}

#[test]
fn failures_and_invariants() {
    let trail = file("failures.json");
    let name = trail.display();
    let report = counter(&format!("check --continue --format json --trail {name}")).expect(1).json();
    let mut kinds: Vec<&str> = report["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["failure", "invariant"]);
    let first = counter(&format!("check --trail {name}"));
    assert!(first.expect(1).out.contains("three is too many") || first.out.contains("`is_small` is false"));
    counter(&format!("replay {name}")).expect(1);
    drop(std::fs::remove_file(&trail));
}

#[test]
fn formulas_and_fairness() {
    let trail = file("formulas.json");
    let name = trail.display();
    // Alone, a client is served again and again.
    let report = tokens("check --clients 1 --format json").expect(0).json();
    let properties = report["properties"].as_array().expect("a list");
    assert_eq!(properties.len(), 2);
    assert!(properties.iter().all(|property| property["verdict"] == "holds"));
    assert!(
        tokens("check --clients 1 --property BEGINS").expect(0).out.contains("Every run satisfies `BEGINS`.")
    );
    // Two: the other one may take everything.
    let ran = tokens(&format!("check --property SERVED --trail {name}"));
    assert!(ran.expect(1).out.contains("(an infinite run)"), "{}", ran.out);
    let replayed = tokens(&format!("replay {name}"));
    let is_shown = replayed.expect(1).out.contains("  the run ends here (SERVED)\n");
    assert!(is_shown, "{}{}", replayed.out, replayed.err);
    // A cycle that is none, and a run that satisfies the formula, are told.
    let text = std::fs::read_to_string(&trail).expect("it is there");
    std::fs::write(&trail, text.replace("\"name\": \"SERVED\"", "\"name\": \"BEGINS\""))
        .expect("it can be written");
    assert!(tokens(&format!("replay {name}")).expect(2).err.contains("the run satisfies it"));
    // A cycle.
    tokens(&format!("check --clients 1 --ltl <>[]!idle --trail {name}")).expect(1);
    let ran = tokens(&format!("replay {name}"));
    assert!(ran.expect(1).out.contains("repeated for ever"), "{}{}", ran.out, ran.err);
    drop(std::fs::remove_file(&trail));
}

#[test]
fn limits() {
    let report = triangle("check --max-states 3 --format json").expect(3).json();
    assert_eq!((&report["verdict"], &report["exhaustive"]), (&"inconclusive".into(), &false.into()));
    assert!(report["incomplete"].as_str().is_some_and(|text| text.contains("state limit")));
    let report = triangle("check --max-depth 1 --format json").expect(3).json();
    assert_eq!((&report["verdict"], &report["depth"]), (&"inconclusive".into(), &1.into()));
    triangle("check --time 1h --memory 1T").expect(0);
}

#[test]
fn simulations() {
    let trail = file("simulation.json");
    let name = trail.display();
    let first = triangle(&format!("simulate --seed 7 --trail {name}"));
    assert_eq!(first.expect(0).out, triangle("simulate --seed 7").out);
    assert!(first.out.ends_with("The run ends here: no action is possible.\n"), "{}", first.out);
    let runs: Vec<String> = (0..9).map(|seed| triangle(&format!("simulate --seed {seed}")).out).collect();
    assert!(runs.iter().any(|run| *run != runs[0]), "seeds matter");
    assert!(triangle(&format!("replay {name}")).expect(0).out.contains("  the last state\n"));
    let short = triangle(&format!("simulate --steps 1 --trail {name}"));
    assert!(short.expect(0).out.contains("Stopped after 1 steps"));
    let further = triangle(&format!("simulate --from-trail {name} --seed 3"));
    assert!(further.expect(0).out.contains("\n  3. Assign { "), "{}", further.out);
    let ends = (0..20)
        .map(|seed| tokens(&format!("simulate --seed {seed} --trail {name}")))
        .find(|run| run.code == 1);
    assert!(ends.is_some_and(|run| run.out.contains("  deadlock: ") && run.out.contains("is false (")));
    drop(std::fs::remove_file(&trail));
}

#[test]
fn graphs() {
    let aut = triangle("graph --format aut").expect(0).out.clone();
    assert!(aut.starts_with("des (0, 54, 27)\n") && aut.lines().count() == 55);
    let orbits = triangle("graph --format aut --symmetry full").expect(0).out.clone();
    assert!(orbits.starts_with("des (0, 14, 6)\n"), "{orbits}");
    let graph = triangle("graph --format json --contents full").expect(0).json();
    let list = |key: &str| graph[key].as_array().map_or(0, Vec::len);
    assert_eq!((list("states"), list("edges")), (27, 54));
    assert!(graph["states"][1]["state"].is_object());
    let dot = counter("graph --format dot").expect(0).out.clone();
    assert!(dot.starts_with("digraph") && dot.contains("failure") && dot.contains("\\ninvariant"), "{dot}");
    assert!(triangle("graph --format dot --max-states 26").expect(2).err.contains("more than 26 states"));
    assert_eq!(triangle("graph --format aut --depth 1").expect(0).out.lines().count(), 1 + 6);
}
