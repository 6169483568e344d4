//! Where output goes, and what happens when it is not read.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::support::{Sandbox, finish, wait};

/// Output into pipes and files: no colours, no progress.
#[test]
fn nothing_for_terminals_goes_elsewhere() {
    let sandbox = Sandbox::with("philosophers.bir");
    // Long enough that a terminal would see progress.
    let run = sandbox.run("check philosophers.bir -D N=9 --continue");
    run.expect(1);
    assert_eq!(run.stderr, "");
    assert!(!run.stdout.contains('\x1b') && !run.stdout.contains('\r'), "{}", run.stdout);
    sandbox.write("bad.bir", "system S { active thread T() { x := 1; } }");
    let run = sandbox.run("check bad.bir");
    run.expect(2);
    assert!(!run.stderr.contains('\x1b'), "{}", run.stderr);
}

/// As with `| head -1`. The output is larger than any pipe holds, so that the command is still writing.
#[test]
fn output_that_nobody_reads_to_the_end() {
    let sandbox = Sandbox::with("philosophers.bir");
    let mut child = sandbox
        .command("graph philosophers.bir -D N=8 --max-states 100000 --format json")
        .spawn()
        .expect("quotient starts");
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut first).expect("a line");
    assert_eq!(first, "{\n");
    drop(stdout);
    let run = finish(child);
    assert_eq!(run.stderr, "");
    assert_eq!(run.code, Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_does_not_fit() {
    let sandbox = Sandbox::with("philosophers.bir");
    let full = || Stdio::from(std::fs::File::create("/dev/full").expect("the device that is always full"));
    for line in ["check philosophers.bir", "print --ir philosophers.bir"] {
        let run = finish(sandbox.command(line).stdout(full()).spawn().expect("quotient starts"));
        run.expect(2);
        assert!(run.stderr.starts_with("error: failed printing to stdout: No space left"), "{}", run.stderr);
    }
    // It cannot report that, but it ends.
    let mut child = sandbox.command("check missing.bir").stderr(full()).spawn().expect("quotient starts");
    assert_eq!(wait(&mut child).code(), Some(2));
}

#[test]
fn seeds_change_nothing_but_the_record() {
    let sandbox = Sandbox::with("peterson_bug.bir");
    let (_, one) = sandbox.json("check peterson_bug.bir --seed 1");
    let (_, two) = sandbox.json("check peterson_bug.bir --seed 2");
    assert_eq!((&one["seed"], &two["seed"]), (&1.into(), &2.into()));
    for key in ["states", "matched", "transitions", "violation"] {
        assert_eq!(one[key], two[key], "{key}");
    }
}
