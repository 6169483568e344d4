//! Trails: written by a check, run again by `replay`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Sandbox, finish, models};

/// The steps and the ending, as a report shows them.
fn counterexample(report: &str) -> &str {
    let (_, rest) = report.split_once("):\n\n").expect("a counterexample");
    let (trace, _) = rest.split_once("\n\nTo replay it:").expect("how to see it again");
    trace
}

#[test]
fn replay_shows_what_the_check_showed() {
    let mut long = 0;
    for model in
        ["philosophers.bir", "peterson_bug.bir", "exceptions_bug.bir", "recursion_bug.bir", "shapes_bug.bir"]
    {
        for search in ["bfs", "dfs", "dfs --minimise off"] {
            let sandbox = Sandbox::with(model);
            let check = sandbox.run(&format!("check {model} --search {search} --trail x.json"));
            check.expect(1);
            let replay = sandbox.run(&format!("replay {model} x.json"));
            replay.expect(1);
            let (shown, whole) = (counterexample(&check.stdout), replay.stdout.trim_end());
            // The report leaves out the middle of a long one.
            match shown.lines().find(|line| line.trim().starts_with('…')) {
                None => assert_eq!(shown, whole, "{model} {search}"),
                Some(gap) => {
                    long += 1;
                    let (start, end) = shown.split_once(gap).expect("it is there");
                    assert!(whole.starts_with(start) && whole.ends_with(end), "{model} {search}: {shown}");
                }
            }
            assert_eq!(replay.stderr, "");
        }
    }
    assert!(long > 0, "no counterexample is long");
}

#[test]
fn replay_as_json_is_the_trace_of_the_report() {
    let sandbox = Sandbox::with("peterson_bug.bir");
    let (_, report) = sandbox.json("check peterson_bug.bir");
    let (run, trace) = sandbox.json("replay peterson_bug.bir peterson_bug.trail.json");
    run.expect(1);
    assert_eq!(trace, report["violation"]["trace"]);
}

/// What the report says to type works as it stands, whatever the file is called.
#[test]
#[cfg(unix)]
fn the_command_that_is_shown_can_be_typed() {
    let sandbox = Sandbox::new();
    sandbox.write("it's a $model.bir", Sandbox::with("philosophers.bir").read("philosophers.bir"));
    let mut check = sandbox.command("check -D N=4");
    let run = finish(check.arg("it's a $model.bir").spawn().expect("quotient starts"));
    run.expect(1);
    let (_, rest) = run.stdout.split_once("To replay it:\n  ").expect("how to see it again");
    let line = rest.lines().next().expect("a line");
    assert!(line.starts_with("quotient replay "), "{line}");
    let program = Path::new(env!("CARGO_BIN_EXE_quotient"));
    let output = Command::new("/bin/sh")
        .args(["-c", line])
        .current_dir(sandbox.path(""))
        .env("PATH", program.parent().expect("it is in a folder"))
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), counterexample(&run.stdout));
}

#[test]
fn the_constants_of_a_trail_are_taken_unless_others_are_given() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir -D N=5 --quiet").expect(1);
    let trail = "philosophers.trail.json";
    let own = sandbox.run(&format!("replay philosophers.bir {trail}"));
    own.expect(1);
    assert_eq!(own.stderr, "");
    assert_eq!(own, sandbox.run(&format!("replay philosophers.bir {trail} -D N=5")));
    let fewer = sandbox.run(&format!("replay philosophers.bir {trail} -D N=4"));
    fewer.expect(2);
    assert!(fewer.stderr.contains("with other constants (it was made with -D N=5)"), "{}", fewer.stderr);
    assert!(fewer.stderr.contains("the trail does not fit the model: step 6 of 6"), "{}", fewer.stderr);
    let more = sandbox.run(&format!("replay philosophers.bir {trail} -D N=6"));
    more.expect(2);
    assert!(more.stderr.contains("a violation (deadlock: no thread can move"), "{}", more.stderr);
    assert!(more.stderr.contains("that this run does not show"), "{}", more.stderr);
}

#[test]
fn another_model() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --quiet").expect(1);
    sandbox.write("other.bir", Sandbox::with("peterson.bir").read("peterson.bir"));
    let run = sandbox.run("replay other.bir philosophers.trail.json");
    run.expect(2);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("made from another version of the model (`philosophers.bir`)"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("error: the trail does not fit the model: step 1 of 4"), "{}", run.stderr);
    sandbox.run("replay missing.bir philosophers.trail.json").refused(&["cannot read `missing.bir`"]);
}

#[test]
fn a_model_that_was_changed() {
    let sandbox = Sandbox::with("peterson_bug.bir");
    sandbox.run("check peterson_bug.bir --quiet").expect(1);
    let original = sandbox.read("peterson_bug.bir");
    let trail = "peterson_bug.trail.json";
    let same = sandbox.run(&format!("replay peterson_bug.bir {trail}"));

    // A comment changes nothing but the lines.
    sandbox.write("peterson_bug.bir", format!("// One more line.\n{original}"));
    let commented = sandbox.run(&format!("replay peterson_bug.bir {trail}"));
    commented.expect(1);
    assert_eq!(commented.stderr, "");
    assert_eq!(commented.stdout.lines().count(), same.stdout.lines().count());

    // The repaired model does not go there.
    sandbox.write("peterson_bug.bir", Sandbox::with("peterson.bir").read("peterson.bir"));
    let repaired = sandbox.run(&format!("replay peterson_bug.bir {trail}"));
    repaired.expect(2);
    assert!(
        repaired.stderr.starts_with("warning: the trail was made from another version"),
        "{}",
        repaired.stderr
    );
    assert!(repaired.stderr.contains("\nerror: "), "{}", repaired.stderr);

    // A model with a thread more at its end is another one, but goes there as well: that is reported, and
    // shown.
    let end = original.rfind('}').expect("a system ends");
    sandbox.write("peterson_bug.bir", format!("{}thread Unused() {{ skip; }}\n}}\n", &original[..end]));
    let more = sandbox.run(&format!("replay peterson_bug.bir {trail}"));
    more.expect(1);
    assert!(more.stderr.starts_with("warning: the trail was made from another version"), "{}", more.stderr);
    assert_eq!(more.stdout, same.stdout);
}

#[test]
fn files_that_are_no_trails() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --quiet").expect(1);
    let good = sandbox.read("philosophers.trail.json");
    sandbox.write("garbage.json", "garbage");
    sandbox.write("empty.json", "");
    sandbox.write("binary.json", [0xff, 0x00].repeat(100));
    sandbox.write("list.json", "[1, 2, 3]");
    sandbox.write("half.json", &good[..good.len() / 2]);
    for (name, text) in [
        ("garbage.json", "`garbage.json` is not a trail: "),
        ("empty.json", "`empty.json` is not a trail: "),
        ("binary.json", "cannot read `binary.json`"),
        ("list.json", "`list.json` is not a trail: "),
        ("half.json", "`half.json` is not a trail: "),
        ("missing.json", "cannot read `missing.json`"),
        (".", "cannot read `.`"),
    ] {
        sandbox.run(&format!("replay philosophers.bir {name}")).refused(&[text]);
    }
}

/// Changes a good trail, and gives what `replay` says to it.
fn forged(change: impl FnOnce(&mut Value)) -> crate::support::Run {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --quiet").expect(1);
    let mut trail: Value = serde_json::from_str(&sandbox.read("philosophers.trail.json")).expect("a trail");
    change(&mut trail);
    sandbox.write("forged.json", trail.to_string());
    sandbox.run("replay philosophers.bir forged.json")
}

#[test]
fn forged_trails() {
    forged(|trail| trail["version"] = json!(99)).refused(&["version 99", "reads version 1"]);
    for key in ["thread", "transition", "choice"] {
        for number in [1_000, u64::from(u32::MAX)] {
            let run = forged(|trail| trail["steps"][2][key] = json!(number));
            run.refused(&["the trail does not fit the model: step 3 of 4"]);
        }
        forged(|trail| trail["steps"][2][key] = json!(-1)).refused(&["is not a trail"]);
    }
    forged(|trail| trail["bounds"]["objects"] = json!(2)).refused(&["exceeds the bound on objects"]);
    for key in ["threads", "frames", "objects"] {
        for bound in [0, u32::MAX] {
            forged(|trail| trail["bounds"][key] = json!(bound)).refused(&["that no check has"]);
        }
        forged(|trail| trail["bounds"][key] = json!(u16::MAX)).expect(1);
    }
    forged(|trail| drop(trail["steps"].as_array_mut().map(Vec::pop))).expect(2);
    let none = forged(|trail| {
        trail["steps"] = json!([]);
        trail["violation"] = Value::Null;
    });
    none.expect(0);
    assert!(none.stdout.contains("initially"), "{}", none.stdout);
}

#[test]
fn a_trail_goes_where_it_is_told() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --trail there.json --quiet").expect(1);
    assert_eq!(sandbox.files(), ["philosophers.bir", "there.json"]);
    // An old trail is replaced.
    sandbox.write("there.json", "old");
    sandbox.run("check philosophers.bir --trail there.json --quiet").expect(1);
    sandbox.run("replay philosophers.bir there.json").expect(1);
    assert_eq!(sandbox.files(), ["philosophers.bir", "there.json"]);
}

#[test]
fn a_trail_that_cannot_be_written_costs_no_verdict() {
    let sandbox = Sandbox::with("philosophers.bir");
    for path in ["missing/folder/x.json", "philosophers.bir/x.json"] {
        let run = sandbox.run(&format!("check philosophers.bir --trail {path}"));
        run.expect(1);
        assert!(run.stdout.starts_with("philosophers.bir: violated\n"), "{}", run.stdout);
        assert!(!run.stdout.contains("To see it again"), "{}", run.stdout);
        assert!(run.stderr.starts_with("warning: the trail could not be written to "), "{}", run.stderr);
        assert_eq!(sandbox.files(), ["philosophers.bir"], "nothing is left behind");
    }
}

/// The bounds of a check are in its trail.
#[test]
fn bounds_are_replayed() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --max-objects 3 --on-bound error --quiet").expect(1);
    let run = sandbox.run("replay philosophers.bir philosophers.trail.json");
    run.expect(1);
    assert!(run.stdout.contains("heap-bound: more than 3 objects"), "{}", run.stdout);
}

/// A formula of the command line is recorded, and so is the thread that violates it.
#[test]
fn replay_says_whom_a_run_is_about() {
    let sandbox = Sandbox::new();
    sandbox
        .write("guests.bir", std::fs::read(models().join("temporal/guests.bir")).expect("a bundled model"));
    let formula = "forall Guest g: [] (g@hungry -> <> g@eating)";
    let check = finish(
        sandbox
            .command("check guests.bir --trail x.json --format json --ltl")
            .arg(formula)
            .spawn()
            .expect("quotient starts"),
    );
    check.expect(1);
    let trace = &check.json()["violation"]["trace"];
    assert_eq!(trace["individual"]["variable"], "g");
    let thread = trace["individual"]["thread"].as_str().expect("a name").to_owned();
    let mut trail: Value = serde_json::from_str(&sandbox.read("x.json")).expect("a trail");
    let serial = trail["violation"]["property"]["individual"].as_u64().expect("a number");
    assert_eq!(thread, format!("Guest#{serial}"));
    let replay = sandbox.run("replay guests.bir x.json");
    replay.expect(1);
    assert!(replay.stdout.contains(&format!("is violated for g = {thread}: forall Guest g:")));
    trail["violation"]["property"]["individual"] = json!(serial + 100);
    sandbox.write("x.json", trail.to_string());
    let replay = sandbox.run("replay guests.bir x.json");
    assert!(replay.code != Some(1) && replay.stderr.contains("no such individual"), "{replay:?}");
}
