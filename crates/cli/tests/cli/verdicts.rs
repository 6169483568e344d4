//! Verdicts, counts and exit codes.

use std::fs;

use crate::support::{Sandbox, models};

#[test]
fn philosophers_have_the_published_counts() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (n, states, matched) in [(3, 36, 41), (5, 393, 1024), (7, 4287, 17394)] {
        let line = format!("check philosophers.bir -D N={n} --symmetry none --continue");
        for search in ["dfs", "bfs"] {
            let (run, report) = sandbox.json(&format!("{line} --search {search}"));
            run.expect(1);
            assert_eq!(report["verdict"], "violated");
            assert_eq!(report["states"], states, "{n} {search}");
            assert_eq!(report["matched"], matched, "{n} {search}");
            assert_eq!(report["exhaustive"], true);
            assert_eq!(report["violations"].as_array().map(Vec::len), Some(1));
            assert_eq!(report["violations"][0]["kind"], "deadlock");
            assert_eq!(report["violations"][0]["count"], 1);
            if search == "bfs" {
                assert_eq!(report["violation"]["steps"], n + 1);
            }
        }
    }
}

/// The options in the headers of models are those of the command line.
#[test]
fn every_bundled_model_exits_with_its_verdict() {
    let mut models_seen = 0;
    for folder in [models(), models().join("faults")] {
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
            let (verdict, kind) = header("verdict").split_once(' ').unwrap_or((header("verdict"), ""));
            run.expect(i32::from(verdict != "holds"));
            assert_eq!(run.stderr, "", "{}", path.display());
            assert_eq!(report["verdict"], verdict, "{}", path.display());
            assert_eq!(report["violation"]["kind"].as_str().unwrap_or_default(), kind, "{}", path.display());
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
    assert!(run.stdout.starts_with("philosophers_ordered.bir: holds\nEvery reachable state was explored"));
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
    let (_, plain) = sandbox.json("check philosophers.bir --continue -D N=5");
    let (_, grouped) = sandbox.json("check philosophers.bir --continue -D PARAM.N=5");
    assert_eq!(plain["states"], 393);
    assert_eq!(grouped["states"], 393);
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
