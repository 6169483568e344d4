//! What a user sees at a terminal while a model in Rust is checked: a line of progress, and a report after Ctrl-C.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The example `two_phase`, which is built with the tests.
fn example() -> PathBuf {
    let tests = std::env::current_exe().expect("tests are run from a file");
    let target = tests.ancestors().nth(2).expect("tests are in `deps`");
    target.join("examples/two_phase")
}

#[test]
fn progress_is_shown_and_an_interrupt_ends_a_check_with_a_report() {
    let ends = openpty(None, None).expect("a terminal");
    // More states than any memory has room for.
    let child = Command::new(example())
        .args(["check", "--rms", "30", "--symmetry", "none", "--memory", "4G", "--safety"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(ends.slave))
        .spawn()
        .expect("the example is built with the tests");
    let pid = Pid::from_raw(child.id().cast_signed());
    let (mut screen, mut terminal) = (String::new(), File::from(ends.master));
    let mut bytes = [0; 1024];
    while !screen.contains(" states/s") {
        let count = terminal.read(&mut bytes).expect("the check goes on");
        screen += &String::from_utf8_lossy(&bytes[..count]);
    }
    kill(pid, Signal::SIGINT).expect("the check goes on");
    // The terminal is read until the check ends, or it could not write to it.
    let reader = std::thread::spawn(move || while terminal.read(&mut bytes).is_ok_and(|count| count > 0) {});
    let output = child.wait_with_output().expect("the check ends");
    reader.join().expect("no panic");
    let report = String::from_utf8(output.stdout).expect("the report is text");
    assert_eq!(output.status.code(), Some(130), "{report}");
    assert!(
        report.starts_with("two_phase: inconclusive\n") && report.contains("is not complete: interrupted"),
        "{report}"
    );
}
