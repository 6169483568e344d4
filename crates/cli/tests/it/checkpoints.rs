//! Checks that are killed, interrupted or run out of something, and go on.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use testing::SplitMix64;

use crate::support::{Run, Sandbox, finish};

/// Some hundred thousand states.
const MODEL: &str = "philosophers_ordered.bir";
const OPTIONS: &str = "-D N=11 --symmetry none --por off --format json";

/// What a report says, without times and bytes.
fn said(run: &Run) -> Value {
    let mut report = run.json();
    let map = report.as_object_mut().expect("an object");
    for key in ["threads", "seconds", "states_per_second", "transitions_per_second", "peak_memory_bytes"] {
        assert!(map.remove(key).is_some(), "{key}");
    }
    for key in ["store", "memory_limit_bytes"] {
        assert!(map.remove(key).is_some(), "{key}");
    }
    report
}

/// The checkpoint is as good as the run that was killed, whenever that was.
#[test]
fn killed_checks_go_on() {
    let sandbox = Sandbox::with(MODEL);
    let whole = sandbox.run(&format!("check {MODEL} {OPTIONS}"));
    whole.expect(0);
    let seconds = whole.json()["seconds"].as_f64().expect("a number");
    let mut random = SplitMix64::new(9);
    let (mut killed, mut resumed) = (0, 0);
    for round in 0..testing::effort(4) {
        let mut line = format!("check {MODEL} {OPTIONS} --checkpoint kept --checkpoint-every 1ms");
        let mut patience = 1.0;
        let run = loop {
            let threads = 1 + random.below(3);
            let mut child =
                sandbox.command(&format!("{line} --threads {threads}")).spawn().expect("it starts");
            thread::sleep(Duration::from_secs_f64(patience * seconds * random.below(100) as f64 / 120.0));
            patience *= 1.3;
            // It may have ended by itself.
            drop(child.kill());
            let run = finish(child);
            if run.code.is_some() {
                break run;
            }
            killed += 1;
            if sandbox.path("kept/checkpoint").exists() || sandbox.path("kept/checkpoint.old").exists() {
                line = "resume kept --checkpoint-every 1ms".to_owned();
                resumed += 1;
            }
        };
        run.expect(0);
        assert_eq!(said(&run), said(&whole), "round {round}");
        assert!(!sandbox.path("kept").exists(), "nothing is left to go on from");
    }
    assert!(killed > 0 && resumed > 0, "{killed} were killed, {resumed} went on");
}

/// What people see, and that a resumed check may be stopped as well.
#[test]
fn a_check_without_time_says_how_to_go_on() {
    let sandbox = Sandbox::with(MODEL);
    let line = format!("check {MODEL} -D N=14 --symmetry none --por off --time 300ms --checkpoint=kept");
    let first = sandbox.run(&line);
    first.expect(3);
    assert!(first.stdout.contains("is kept. To go on:\n  quotient resume kept\n"), "{}", first.stdout);
    let second = sandbox.run("resume kept --time 100ms --format json");
    second.expect(3);
    let kept = &second.json()["checkpoint"];
    assert!(kept["states"].as_u64() > Some(1000) && kept["trouble"].is_null(), "{kept}");
    assert!(kept["folder"].as_str().is_some_and(|folder| folder.ends_with("kept")), "{kept}");
    // From elsewhere, it is the same check.
    let mut elsewhere = sandbox.command("resume --quiet --time 100ms");
    elsewhere.arg(sandbox.path("kept")).current_dir(std::env::temp_dir());
    let third = finish(elsewhere.spawn().expect("it starts"));
    third.expect(3);
    assert_eq!(third.stdout, format!("{MODEL}: inconclusive\n"));
}

#[test]
fn a_check_without_memory_goes_on_with_more() {
    let sandbox = Sandbox::with(MODEL);
    let whole = sandbox.run(&format!("check {MODEL} {OPTIONS}"));
    // The process takes some memory before there are states.
    let kept = (12..).find_map(|mebibytes| {
        let first = sandbox.run(&format!("check {MODEL} {OPTIONS} --memory {mebibytes}M --checkpoint kept"));
        let report = first.expect(3).json();
        assert!(
            report["incomplete"].as_str().is_some_and(|reason| reason.contains("memory limit")),
            "{report}"
        );
        let states = report["checkpoint"]["states"].as_u64().filter(|&states| states > 1000);
        if states.is_none() {
            drop(std::fs::remove_dir_all(sandbox.path("kept")));
        }
        states
    });
    assert!(kept.is_some());
    let again = sandbox.run("resume kept --memory 1G");
    again.expect(0);
    assert_eq!(said(&again), said(&whole));
}

/// Who interrupts a check can go on with it.
#[cfg(unix)]
#[test]
fn signals_leave_a_checkpoint() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let sandbox = Sandbox::with(MODEL);
    let whole = sandbox.run(&format!("check {MODEL} {OPTIONS}"));
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let line = format!("check {MODEL} {OPTIONS} --checkpoint kept --checkpoint-every 1ms");
        let child = sandbox.command(&line).spawn().expect("it starts");
        let begun = crate::support::eventually(|| sandbox.path("kept/checkpoint").exists());
        assert!(begun, "there is a first checkpoint");
        kill(Pid::from_raw(child.id() as i32), signal).expect("it is there");
        let run = finish(child);
        if run.code == Some(0) {
            // It was faster.
            continue;
        }
        run.expect(130);
        assert!(run.json()["checkpoint"]["states"].as_u64() > Some(0), "{}", run.stdout);
        let again = sandbox.run("resume kept");
        again.expect(0);
        assert_eq!(said(&again), said(&whole));
    }
}

#[test]
fn what_cannot_go_on_is_refused() {
    let sandbox = Sandbox::with(MODEL);
    sandbox.run("resume nowhere").refused(&["there is no checkpoint in `", "nowhere`"]);
    sandbox.run(&format!("check {MODEL} --checkpoint-every 1m")).refused(&["--checkpoint where"]);
    sandbox.run(&format!("check {MODEL} other.bir --checkpoint kept")).refused(&["the check of one model"]);
    let line = format!("check {MODEL} -D N=14 --symmetry none --por off --time 300ms --checkpoint kept");
    sandbox.run(&line).expect(3);
    sandbox.run(&line).refused(&["there is a checkpoint of another check", "quotient resume kept"]);
    // An executable that differs in one byte, which is never used.
    let mut bytes = std::fs::read(env!("CARGO_BIN_EXE_quotient")).expect("the executable");
    bytes.push(0);
    sandbox.write("other", bytes);
    let permissions =
        std::fs::metadata(env!("CARGO_BIN_EXE_quotient")).expect("the executable").permissions();
    std::fs::set_permissions(sandbox.path("other"), permissions).expect("it may run");
    let mut other = Command::new(sandbox.path("other"));
    other.args(["resume", "kept"]).current_dir(sandbox.path(""));
    other.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(other.spawn().expect("it starts")).refused(&["was written by another build of quotient"]);
    sandbox.write(MODEL, sandbox.read(MODEL).replace("active", "active "));
    sandbox.run("resume kept --quiet").expect(3);
    sandbox.write(MODEL, "system S { const PARAM { N = 5; } active thread T() { loc a: do {} return; } }");
    sandbox.run("resume kept").refused(&["the model has changed since"]);
    for name in ["kept/checkpoint", "kept/checkpoint.old"] {
        sandbox.write(name, "quotient checkpoint 1\nand something else");
    }
    sandbox.run("resume kept").refused(&["no checkpoint is left to go on from", "it is damaged"]);
    sandbox.write("file", "");
    sandbox
        .run(&format!("check {MODEL} --checkpoint file"))
        .refused(&["no checkpoint can be written in `file`"]);
}

/// Two checks that write to one folder would take each other's checkpoints away.
#[test]
fn a_folder_is_for_one_check_at_a_time() {
    let sandbox = Sandbox::with(MODEL);
    let line = format!("check {MODEL} -D N=20 --symmetry none --por off --checkpoint kept --memory 1G");
    let mut first = sandbox.command(&line).spawn().expect("it starts");
    assert!(crate::support::eventually(|| sandbox.path("kept/lock").exists()));
    // It is locked at once, but not at the same moment.
    let refused = crate::support::eventually(|| {
        let run = sandbox.run(&format!("{line} --time 10ms"));
        let is_refused = run.code == Some(2) && run.stderr.contains("another check is running");
        if !is_refused {
            drop(std::fs::remove_file(sandbox.path("kept/checkpoint")));
        }
        is_refused
    });
    assert!(refused);
    drop(first.kill());
    finish(first);
    // Whoever is gone has no lock.
    drop(std::fs::remove_file(sandbox.path("kept/checkpoint")));
    sandbox.run(&format!("{line} --time 300ms")).expect(3);
}

#[test]
fn an_interval_may_be_longer_than_any_clock() {
    let sandbox = Sandbox::with(MODEL);
    sandbox.run(&format!("check {MODEL} --checkpoint kept --checkpoint-every 5000000000000000h")).expect(0);
}
