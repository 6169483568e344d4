//! Verdicts, counts and exit codes.

use std::fs;

use crate::support::{Sandbox, models};

/// Checks a number of philosophers, who have one deadlock. Gives the numbers of states and of matched ones.
fn philosophers(sandbox: &Sandbox, n: u32, options: &str) -> (u64, u64) {
    let (run, report) = sandbox.json(&format!("check philosophers.bir -D N={n} --continue {options}"));
    run.expect(1);
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["exhaustive"], true);
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["violations"][0]["kind"], "deadlock");
    if options.contains("--search bfs") {
        assert_eq!(report["violation"]["steps"], n + 1);
    }
    let count = |key: &str| report[key].as_u64().expect("a count");
    if options.contains("--symmetry none") || options.contains("--symmetry full") {
        assert_eq!(report["violations"][0]["count"], 1);
    }
    (count("states"), count("matched"))
}

#[test]
fn philosophers_have_the_published_counts() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (n, states, matched) in [(3, 36, 41), (5, 393, 1024), (7, 4287, 17394)] {
        for search in ["dfs", "bfs"] {
            // Without symmetry nothing is reduced, whether that is said or not.
            for por in ["", "--por off"] {
                let found = philosophers(&sandbox, n, &format!("--symmetry none --search {search} {por}"));
                assert_eq!(found, (states, matched), "{n} {search} {por}");
            }
        }
    }
}

/// The counts of the levels `pc` and `bots` are those of a search that goes depth first, takes threads in the
/// order of their creation and lets the older one come first among equals.
#[test]
fn philosophers_have_the_published_counts_under_symmetry() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (n, heap, pc, bots) in [
        (3, Some((36, 41)), (19, 21), (14, 15)),
        (4, None, (63, 117), (43, 76)),
        (5, Some((393, 1024)), (250, 659), (160, 410)),
        (6, None, (926, 3123), (611, 2034)),
    ] {
        for naming in ["dfs", "chain"] {
            let found = |level: &str| {
                philosophers(
                    &sandbox,
                    n,
                    &format!("--symmetry {level} --naming {naming} --search dfs --por off"),
                )
            };
            if let Some(heap) = heap {
                assert_eq!(found("heap"), heap, "{n} heap {naming}");
            }
            assert_eq!(found("pc"), pc, "{n} pc {naming}");
            assert_eq!(found("bots"), bots, "{n} bots {naming}");
        }
    }
    assert_eq!(philosophers(&sandbox, 4, "--symmetry heap --search dfs --por off").0, 119);
}

/// As many as there are necklaces of states of philosophers, and the state before they sit down.
#[test]
fn philosophers_are_interchangeable_as_beads() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (n, orbits) in [(3, 14), (4, 34), (5, 81), (6, 227)] {
        for search in ["dfs", "bfs"] {
            for naming in ["dfs", "chain"] {
                let options = format!("--symmetry full --search {search} --naming {naming} --por off");
                assert_eq!(philosophers(&sandbox, n, &options).0, orbits, "{n} {options}");
            }
        }
    }
    assert_eq!(philosophers(&sandbox, 3, "--por off").0, 14, "by default");
}

/// The options in the headers of models are those of the command line.
#[test]
fn every_bundled_model_exits_with_its_verdict() {
    let mut models_seen = 0;
    for folder in [models(), models().join("faults"), models().join("triangle")] {
        for entry in fs::read_dir(&folder).expect("the models") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "bir") {
                continue;
            }
            models_seen += 1;
            let text = fs::read_to_string(&path).expect("a model");
            let header = |key: &str| {
                let start = format!("// {key}:");
                text.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or_default().trim()
            };
            let sandbox = Sandbox::new();
            sandbox.write("model.bir", &text);
            let (run, report) = sandbox.json(&format!("check model.bir {}", header("options")));
            let (verdict, kinds) = header("verdict").split_once(' ').unwrap_or((header("verdict"), ""));
            run.expect(i32::from(verdict != "holds"));
            assert_eq!(run.stderr, "", "{}", path.display());
            assert_eq!(report["verdict"], verdict, "{}", path.display());
            let kind = report["violation"]["kind"].as_str().unwrap_or_default();
            assert!(kinds.split(", ").any(|expected| kind == expected), "{}: {kind}", path.display());
            if let Ok(orbits) = header("orbits").parse::<u64>()
                && verdict == "holds"
            {
                let (_, plain) = sandbox.json(&format!("check model.bir --por off {}", header("options")));
                assert_eq!(plain["states"], orbits, "{}", path.display());
            }
            let trails =
                if verdict == "holds" { &["model.bir"][..] } else { &["model.bir", "model.trail.json"] };
            assert_eq!(sandbox.files(), trails);
        }
    }
    assert!(models_seen > 50, "{models_seen}");
}

#[test]
fn a_model_that_holds() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let run = sandbox.run("check philosophers_ordered.bir");
    run.expect(0);
    assert!(run.stdout.starts_with("philosophers_ordered.bir: holds\nThe search is complete"));
    assert_eq!(run.stderr, "");
    assert_eq!(sandbox.files(), ["philosophers_ordered.bir"], "nothing was violated, so there is no trail");
}

#[test]
fn continue_finds_all_violations() {
    let sandbox = Sandbox::with("ordered_list_bug.bir");
    let (first, stopped) = sandbox.json("check ordered_list_bug.bir");
    let (all, continued) = sandbox.json("check ordered_list_bug.bir --continue");
    first.expect(1);
    all.expect(1);
    assert_eq!(stopped["violations"].as_array().map(Vec::len), Some(1));
    assert_eq!(continued["violations"].as_array().map(Vec::len), Some(2));
    assert_eq!((&stopped["exhaustive"], &continued["exhaustive"]), (&false.into(), &true.into()));
    assert!(stopped["states"].as_u64() < continued["states"].as_u64());

    let human = sandbox.run("check ordered_list_bug.bir --continue");
    let (_, list) = human.stdout.split_once("All violations found:\n").expect("a list");
    assert_eq!(list.lines().take_while(|line| line.contains("× invariant")).count(), 2, "{list}");
    assert!(!sandbox.run("check ordered_list_bug.bir").stdout.contains("All violations found"));
}

#[test]
fn constants_are_set_by_name_and_by_group() {
    let sandbox = Sandbox::with("philosophers.bir");
    let (_, plain) = sandbox.json("check philosophers.bir --por off --continue -D N=5");
    let (_, grouped) = sandbox.json("check philosophers.bir --por off --continue -D PARAM.N=5");
    assert_eq!(plain["states"], 81);
    assert_eq!(grouped["states"], 81);
}

#[test]
fn stores_agree() {
    let sandbox = Sandbox::with("peterson_bug.bir");
    let (_, exact) = sandbox.json("check peterson_bug.bir --continue --store exact");
    let (_, naive) = sandbox.json("check peterson_bug.bir --continue --store naive");
    assert_eq!((&exact["store"]["kind"], &naive["store"]["kind"]), (&"exact".into(), &"naive".into()));
    for key in ["states", "matched", "transitions", "depth", "violations"] {
        assert_eq!(exact[key], naive[key], "{key}");
    }
}
