//! Stores: what each of them may claim, what it says about itself, and how it ends when something ends first.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Run, Sandbox, finish, models};

const EXACT: [&str; 7] = ["exact", "trie", "collapse", "gzip", "automaton", "collapse+automaton", "naive"];
const LOSSY: [&str; 2] = ["compact", "bitstate --arena 1Mi"];

fn number(report: &Value, pointer: &str) -> f64 {
    let value = report.pointer(pointer).and_then(Value::as_f64);
    value.unwrap_or_else(|| panic!("no number {pointer} in {report:#}"))
}

/// All bundled models that end in this, with their folders.
fn bundled(ending: &str) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "promela/"] {
        for entry in fs::read_dir(models().join(folder)).expect("the bundled models") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if name.ends_with(ending) {
                names.push(format!("{folder}{name}"));
            }
        }
    }
    names.sort();
    names
}

/// A bundled model, by its whole name.
fn path(model: &str) -> String {
    models().join(model).to_str().expect("UTF-8").to_owned()
}

#[test]
fn exact_stores_prove_and_agree() {
    let sandbox = Sandbox::with("peterson.bir");
    for store in EXACT {
        let (run, report) = sandbox.json(&format!("check peterson.bir --por off --store {store}"));
        run.expect(0);
        assert_eq!((&report["verdict"], &report["exhaustive"]), (&"holds".into(), &true.into()), "{store}");
        assert_eq!(report["states"], 2906, "{store}");
        assert_eq!(report["store"]["kind"], store);
        assert_eq!(report["store"].get("expected_omissions"), None, "{store}");
        assert!(number(&report, "/store/bytes_per_state") > 1.0, "{store}");
        assert_eq!(report["assumptions"][0], format!("store {store}: every state is kept in full"));
    }
}

#[test]
fn lossy_stores_never_say_that_a_model_holds() {
    let sandbox = Sandbox::new();
    for model in ["peterson.bir", "philosophers_ordered.bir", "recursion.bir", "promela/peterson.pml"] {
        for store in LOSSY {
            let (run, report) = sandbox.json(&format!("check {} --store {store}", path(model)));
            run.expect(3);
            assert_eq!(report["verdict"], "no error found", "{model} {store}");
            assert_eq!(report["exhaustive"], false);
            assert_eq!(report["dead_code"], Value::Array(Vec::new()));
            assert_eq!(report["search"], "dfs");
            let omissions = number(&report, "/store/expected_omissions");
            assert!(omissions > 0.0 && omissions < 1e-3, "{model} {store}: {omissions}");
            let complete = number(&report, "/store/probability_complete");
            assert!((complete - (1.0 - omissions)).abs() < 1e-12, "{complete}");
            let assumption = report["assumptions"][0].as_str().expect("a text");
            assert!(assumption.contains("are expected to have been lost"), "{assumption}");
            assert!(assumption.contains("Pr[complete] ≥ 1 − "), "{assumption}");
            let human = sandbox.run(&format!("check {} --store {store}", path(model)));
            human.expect(3);
            assert!(human.stdout.contains(": no error found\nNo violation, but the store may"), "{human:#?}");
        }
    }
}

/// A state takes 9 to 11 bytes, or three: then hardly any is lost.
#[test]
fn little_memory_goes_far() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir --por off -D N=4 --store compact");
    run.expect(3);
    assert_eq!(report["states"], 172_713);
    assert!(number(&report, "/store/bytes_per_state") < 12.0, "{}", report["store"]);
    let (run, report) = sandbox.json("check peterson.bir --por off -D N=4 --store bitstate --arena 4Mi");
    run.expect(3);
    assert!(number(&report, "/store/bytes_per_state") < 3.1, "{}", report["store"]);
    assert!(number(&report, "/states") > 0.99 * 172_713.0, "{}", report["states"]);
}

/// Too small an array loses states, and says so.
#[test]
fn a_small_array_loses_states_and_says_how_many() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir --por off --store bitstate --arena 4Ki --hashes 3");
    run.expect(3);
    assert_eq!(report["verdict"], "no error found");
    assert!(number(&report, "/states") < 2800.0, "{}", report["states"]);
    assert!(number(&report, "/store/expected_omissions") > 100.0);
    assert_eq!(report["store"]["probability_complete"], 0.0);
    assert_eq!(report["store"]["hashes"], 3.0);
    assert_eq!(report["store"]["bits"], 4096.0);
    assert!(number(&report, "/store/fill") > 0.5);
    let incomplete = report["incomplete"].as_str().expect("a reason");
    assert!(incomplete.starts_with("the store may have lost states ("), "{incomplete}");
    let assumption = report["assumptions"][0].as_str().expect("a text");
    assert!(assumption.ends_with("so some were probably missed"), "{assumption}");
}

#[test]
fn errors_that_lossy_stores_find_are_real() {
    let sandbox = Sandbox::with("treiber_stack_bug.bir");
    for store in LOSSY {
        for (minimise, how) in [("off", "depth first"), ("on", "shortest")] {
            let run =
                sandbox.run(&format!("check treiber_stack_bug.bir --store {store} --minimise {minimise}"));
            run.expect(1);
            assert!(run.stdout.contains(&format!("({how}):")), "{}", run.stdout);
        }
        sandbox.run("replay treiber_stack_bug.bir treiber_stack_bug.trail.json").expect(1);
        fs::remove_file(sandbox.path("treiber_stack_bug.trail.json")).expect("a trail");
    }
}

#[test]
fn refinement_finds_the_bugs() {
    let sandbox = Sandbox::new();
    let bugs: Vec<String> = bundled("_bug.bir").into_iter().chain(bundled("_bug.pml")).collect();
    assert!(bugs.len() > 40, "{bugs:?}");
    for model in bugs {
        let line = format!("check {} --store bitstate --refine --quiet --trail t.json", path(&model));
        let run = sandbox.run(&line);
        run.expect(1);
        assert_eq!(run.stderr, "", "{model}");
        sandbox.run(&format!("replay {} t.json", path(&model))).expect(1);
    }
}

#[test]
fn refinement_ends_when_nothing_is_expected_to_be_lost() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir --por off -D N=4 --store bitstate --refine");
    run.expect(3);
    assert_eq!(report["verdict"], "no error found");
    let rounds = report["store"]["rounds"].as_array().expect("rounds").clone();
    assert!(rounds.len() > 3, "{rounds:#?}");
    for (index, round) in rounds.iter().enumerate() {
        assert_eq!(round["bits"], 1_u64 << (16 + index));
        let ended = number(round, "/expected_omissions") < 1.0;
        assert_eq!(ended, index + 1 == rounds.len(), "{rounds:#?}");
    }
    let last = rounds.last().expect("a round");
    assert_eq!((&last["states"], &report["states"]), (&172_713.into(), &172_713.into()));
    // A line for each, also where standard error is not a terminal.
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), rounds.len(), "{}", run.stderr);
    assert!(lines[0].starts_with("round 1: 64 Kibit, 3 hashes: "), "{}", lines[0]);
    assert!(lines[1].starts_with("round 2: 128 Kibit, "), "{}", lines[1]);
    assert!(lines[0].ends_with(" omissions expected"), "{}", lines[0]);
}

/// What two searches with other hash functions have in common shows what one of them missed.
#[test]
fn coverage_is_nearer_to_the_truth() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let check = "check philosophers_ordered.bir -D N=8 --symmetry none";
    let states = |report: &Value| report["states"].as_u64().expect("a number of states");
    let (_, report) = sandbox.json(check);
    let truth = states(&report);
    for arena in ["2^14", "2^15", "2^16"] {
        let line = format!("{check} --store bitstate --arena {arena}");
        let (_, plain) = sandbox.json(&line);
        let (run, report) = sandbox.json(&format!("{line} --coverage"));
        run.expect(3);
        let seen = states(&report);
        assert_eq!(
            (seen, &plain["verdict"]),
            (states(&plain), &report["verdict"]),
            "the first search is the plain one"
        );
        let coverage = &report["store"]["coverage"];
        let estimated = coverage["estimated_states"].as_u64().expect("an estimate");
        assert!(seen < estimated && estimated < truth + (truth - seen), "{seen} of {truth}: {coverage}");
        let product = coverage["coverage"].as_f64().expect("a part") * estimated as f64;
        assert!((product - seen as f64).abs() < 1.0, "{seen}: {coverage}");
    }
    let (_, report) = sandbox.json(&format!("{check} --store bitstate --arena 2^24 --coverage"));
    let coverage = serde_json::json!({
        "estimated_states": truth, "coverage": 1.0, "sample": [truth, truth, truth],
    });
    assert_eq!(report["store"]["coverage"], coverage);
    let human = sandbox.run(&format!("{check} --store bitstate --arena 2^24 --coverage"));
    assert!(human.stdout.contains("\ncoverage: at most 100.0 %, since there are about "), "{}", human.stdout);

    // There is no estimate from what was broken off.
    let stopped = format!("{check} --store bitstate --coverage --max-states 100");
    let (_, report) = sandbox.json(&stopped);
    let coverage = serde_json::json!({"estimated_states": null, "coverage": null, "sample": [0, 0, 0]});
    assert_eq!(report["store"]["coverage"], coverage);
    assert!(sandbox.run(&stopped).stdout.contains("\ncoverage: unknown, because"));
}

/// A swarm of searches in arrays that are too small has seen more than its first search.
#[test]
fn a_swarm_sees_more_than_one_search() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let check = "check philosophers_ordered.bir -D N=8 --symmetry none";
    let (_, report) = sandbox.json(check);
    let truth = report["states"].as_u64().expect("a number of states");
    let line = format!("{check} --store bitstate --arena 2^15 --swarm 6 --threads 3");
    let (run, report) = sandbox.json(&line);
    run.expect(3);
    let seen = report["states"].as_u64().expect("a number of states");
    let swarm = &report["store"]["swarm"];
    assert_eq!(swarm["searches"][0]["states"].as_u64(), Some(seen));
    // All states fit into the samples.
    let together = swarm["states"].as_u64().expect("it is told");
    assert!(seen < together && together <= truth, "{seen} of {truth}: {swarm}");
    let human = sandbox.run(&line).stdout;
    assert!(
        human.contains("\nswarm: 6 searches in ") && human.contains(" altogether, 0 with errors; "),
        "{human}"
    );
    // An error ends the swarm, and a limit on time leaves nothing to estimate from.
    let sandbox = Sandbox::with("peterson_bug.bir");
    let (run, report) =
        sandbox.json("check peterson_bug.bir --store bitstate --arena 1Mi --swarm 9 --threads 2");
    run.expect(1);
    assert_eq!(report["store"]["swarm"]["searches"].as_array().map(Vec::len), Some(1));
    let stopped = "check peterson_bug.bir --store bitstate --swarm 3 --threads 2 --time 0s";
    let (run, report) = sandbox.json(stopped);
    run.expect(3);
    assert_eq!(report["store"]["swarm"]["states"], Value::Null);
    assert!(sandbox.run(stopped).stdout.contains("unknown, because fewer than two were completed"));
}

#[test]
fn refinement_ends_with_time_and_memory() {
    let sandbox = Sandbox::with("peterson.bir");
    let (run, report) = sandbox.json("check peterson.bir --por off --store bitstate --refine --time 0s");
    run.expect(3);
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["store"]["rounds"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["states"], 0);

    // With one bit a state, much more room would be needed.
    let line = "check peterson.bir --por off -D N=4 --store bitstate --refine --hashes 1 --memory 16M";
    let (run, report) = sandbox.json(line);
    run.expect(3);
    if cfg!(target_os = "linux") {
        assert_eq!(report["verdict"], "no error found");
        let incomplete = report["incomplete"].as_str().expect("a reason");
        assert!(incomplete.ends_with("a larger arena would exceed the memory limit"), "{incomplete}");
        assert!(number(&report, "/store/expected_omissions") >= 1.0);
        assert!(number(&report, "/peak_memory_bytes") <= 17.5 * f64::from(1 << 20));
    }
}

/// Memory ends before the states do: how far it got, and who would have got further.
#[cfg(target_os = "linux")]
#[test]
fn out_of_memory() {
    runs_out_of_memory(&[("exact", "bfs", 32), ("trie", "bfs", 20)]);
}

#[cfg(target_os = "linux")]
#[test]
fn out_of_memory_with_other_stores() {
    runs_out_of_memory(&[("exact", "dfs", 32), ("collapse", "bfs", 40), ("compact", "dfs", 16)]);
}

#[cfg(target_os = "linux")]
fn runs_out_of_memory(cases: &[(&str, &str, u32)]) {
    for &(store, search, megabytes) in cases {
        let sandbox = Sandbox::with("philosophers_ordered.bir");
        let line = format!(
            "check philosophers_ordered.bir -D N=13 --symmetry none --store {store} --search {search} \
             --memory {megabytes}M"
        );
        let (run, report) = sandbox.json(&line);
        run.expect(3);
        assert_eq!(report["verdict"], "inconclusive", "{line}");
        let incomplete = report["incomplete"].as_str().expect("a reason");
        assert!(incomplete.starts_with("the memory limit was reached"), "{incomplete}");
        assert!(number(&report, "/open") >= 1.0 && number(&report, "/open") < number(&report, "/states"));
        let peak = number(&report, "/peak_memory_bytes");
        assert!(peak <= 1.05 * f64::from(megabytes << 20), "{line}: {peak}");
        let others = report["store"]["alternatives"].as_array().expect("other stores").clone();
        let other = |kind: &str| others.iter().find(|other| other["kind"] == kind);
        assert_eq!(other(store), None, "{others:#?}");
        assert_eq!(other("gzip").is_some(), store != "compact", "{others:#?}");
        let bitstate = other("bitstate").expect("bitstate");
        // A trie can do with less than the bits that lose nothing.
        assert!(store == "trie" || number(bitstate, "/times_more") > 1.0, "{others:#?}");
        assert_eq!(bitstate["lossy"], true);
        if store == "exact" {
            let compact = other("compact").expect("compact");
            assert!(number(compact, "/times_more") > 2.0, "{others:#?}");
            assert!(number(other("collapse").expect("collapse"), "/times_more") > 1.0, "{others:#?}");
            let human = sandbox.run(&line);
            human.expect(3);
            assert!(
                human.stdout.contains("\nEstimates for other stores, for the states so far:\n"),
                "{}",
                human.stdout
            );
            assert!(human.stdout.contains("\n  compact would hold about "), "{}", human.stdout);
            let open = if search == "bfs" { ", frontier " } else { ", stack " };
            assert!(human.stdout.contains(open), "{}", human.stdout);
        }
    }
}

/// The system gives less memory than there seems to be: whatever ends the check, it is no verdict, and there
/// is a report.
#[cfg(target_os = "linux")]
#[test]
fn starved_by_the_system() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let program = env!("CARGO_BIN_EXE_quotient");
    let lossy = ["compact", "bitstate", "bitstate --refine --hashes 1"];
    let deep = ["trie --search dfs", "trie --search dfs --max-states 20000", "collapse --search dfs"];
    for (at, store) in EXACT.iter().chain(&lossy).chain(&deep).enumerate() {
        let limit = [60_000, 36_000, 48_000][at % 3];
        let script = format!(
            "ulimit -v {limit}; exec {program} check philosophers_ordered.bir -D N=9 --symmetry none --store {store} --quiet"
        );
        let shell = Command::new("sh")
            .args(["-c", &script])
            .current_dir(sandbox.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let run = finish(shell.expect("a shell"));
        assert!(!run.stdout.contains("violated"), "{store}: {run:#?}");
        match run.code {
            // It was enough.
            Some(0) => {
                assert!(run.stdout.ends_with(": holds\n") && !lossy.contains(store), "{store}: {run:#?}");
            }
            Some(3) => assert!(!run.stdout.contains(": holds"), "{store}: {run:#?}"),
            // The store that is there to compare with does not ask for memory.
            _ => assert!(
                *store == "naive" && run.stdout.is_empty() && run.stderr.contains("memory"),
                "{store}: {run:#?}"
            ),
        }
    }
}

/// Deep recursion goes on on further native stacks, for which there is no memory: neither interpreter fails.
#[cfg(target_os = "linux")]
#[test]
fn no_memory_for_deep_recursion() {
    let fun = "fun f(int n) returns boolean = n == 0 ? true : f(n + 1);";
    let quantified = "fun f(int n) returns boolean = exists x in s : f(n + x);";
    let program = env!("CARGO_BIN_EXE_quotient");
    for (fun, options) in [(fun, "--on-bound error"), (quantified, "--on-bound error"), (quantified, "")] {
        let sandbox = Sandbox::new();
        sandbox.write(
            "m.bir",
            format!(
                "system S {{ Set.type<int> s; {fun} active thread T() {{
                    loc a: do {{ Set.add(s, 1); }} goto b; loc b: do {{ assert f(1); }} return;
                }} }}"
            ),
        );
        let script =
            format!("ulimit -v 400000; exec {program} check m.bir --max-frames 65535 {options} --quiet");
        let shell = Command::new("sh")
            .args(["-c", &script])
            .current_dir(sandbox.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let run = finish(shell.expect("a shell"));
        assert_eq!(run.code, Some(3), "{run:#?}");
        assert!(run.stdout.ends_with(": inconclusive\n"), "{run:#?}");
    }
}

/// Killed at any moment, a check leaves no trail or a whole one.
#[test]
fn killed_in_the_middle() {
    let sandbox = Sandbox::with("philosophers.bir");
    let line = "check philosophers.bir -D N=6 --search dfs --symmetry none";
    let trail = "philosophers.trail.json";
    for round in 0..24_u64 {
        let mut child = sandbox.command(line).spawn().expect("quotient starts");
        thread::sleep(Duration::from_micros(500 * (round * round % 41)));
        drop(child.kill());
        drop(child.wait());
        if sandbox.path(trail).exists() {
            sandbox.run(&format!("replay philosophers.bir {trail}")).expect(1);
            fs::remove_file(sandbox.path(trail)).expect("a trail");
        }
    }
    // One that is not killed is not kept from it by what others left behind.
    sandbox.run(line).expect(1);
    sandbox.run(&format!("replay philosophers.bir {trail}")).expect(1);
}

/// A disk that is full takes the trail away, and not the verdict.
#[cfg(target_os = "linux")]
#[test]
fn no_room_for_the_trail() {
    let sandbox = Sandbox::with("philosophers.bir");
    let full = |store: &str| -> Run {
        sandbox.run(&format!("check philosophers.bir --trail /dev/full --store {store}"))
    };
    for store in ["exact", "compact"] {
        let run = full(store);
        run.expect(1);
        assert!(run.stdout.starts_with("philosophers.bir: violated\n"), "{}", run.stdout);
        assert!(!run.stdout.contains("To see it again"), "{}", run.stdout);
        assert!(
            run.stderr.starts_with("warning: the trail could not be written to `/dev/full`: No space left"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn options_of_other_stores_are_refused() {
    let sandbox = Sandbox::with("peterson.bir");
    for (options, texts) in [
        ("--store compact --search bfs", ["--search bfs has to get states back", "--store compact"]),
        ("--store bitstate --search bfs", ["--search bfs", "use --search dfs"]),
        ("--store automaton --search bfs", ["--search bfs", "--store automaton does not give them back"]),
        ("--store collapse+automaton --search bfs", ["--search bfs", "--store collapse+automaton"]),
        ("--hash-bytes 4", ["--hash-bytes 4 has no meaning with --store", "only compact"]),
        ("--store bitstate --hash-bytes 8", ["--hash-bytes 8 has no meaning", "with --store bitstate"]),
        ("--store compact --hash-bytes 3", ["--hash-bytes 3", "is not from 4 to 8"]),
        ("--store compact --hash-bytes 9", ["--hash-bytes 9", "is not from 4 to 8"]),
        ("--store compact --arena 64Ki", ["--arena 2^16 has no meaning", "only bitstate"]),
        ("--store compact --hashes 3", ["--hashes 3 has no meaning", "only bitstate"]),
        ("--refine", ["--refine has no meaning with --store", "only bitstate"]),
        ("--store compact --coverage", ["--coverage has no meaning with --store compact", "only bitstate"]),
        (
            "--store bitstate --coverage --refine",
            ["--coverage has no meaning with --refine", "goes on until"],
        ),
        ("--swarm 4", ["--swarm 4 has no meaning with --store trie", "only bitstate"]),
        ("--store bitstate --swarm 4 --coverage", ["--swarm 4 and --coverage", "different ways"]),
        ("--store bitstate --refine --arena 1Gi", ["--arena 2^30 has no meaning with --refine", "tries"]),
        ("--store bitstate --arena 512", ["--arena 2^9", "is not from 2^10 to 2^42 bits"]),
        ("--store bitstate --arena 2^43", ["--arena 2^43", "is not from 2^10 to 2^42 bits"]),
        ("--store bitstate --arena 1000", ["--arena", "expected a power of two"]),
        ("--store bitstate --hashes 0", ["--hashes 0", "is not from 1 to 64"]),
        ("--store bitstate --hashes 65", ["--hashes 65", "is not from 1 to 64"]),
        (
            "--store bitstate --arena 1Gi --memory 100M",
            ["--arena 2^30 takes", "the memory limit is 104857600"],
        ),
    ] {
        sandbox.run(&format!("check peterson.bir {options}")).refused(&texts);
    }
}

/// By default an array takes no more than half of the memory.
#[test]
fn the_default_array_fits() {
    let sandbox = Sandbox::with("peterson.bir");
    for (memory, bits) in [("40M", 1 << 27), ("64M", 1 << 28), ("100G", 1 << 30)] {
        let (run, report) =
            sandbox.json(&format!("check peterson.bir --por off --store bitstate --memory {memory}"));
        run.expect(3);
        assert_eq!(report["store"]["bits"], f64::from(bits), "{memory}");
        assert_eq!(report["verdict"], "no error found");
    }
}

#[test]
fn the_width_of_hashes_is_chosen() {
    let sandbox = Sandbox::with("peterson.bir");
    for width in 4..=8_u32 {
        let (run, report) =
            sandbox.json(&format!("check peterson.bir --por off --store compact --hash-bytes {width}"));
        run.expect(3);
        assert_eq!(report["store"]["hash_bytes"], f64::from(width));
        let (states, bits) = (2906.0, f64::from(8 * width + 9));
        let expected = states * (states - 1.0) / bits.exp2();
        let omissions = number(&report, "/store/expected_omissions");
        assert!((omissions / expected - 1.0).abs() < 1e-9, "{width}: {omissions}");
    }
}
