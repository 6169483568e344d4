//! Terminals and signals: colours, progress, Ctrl-C.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, eventually, finish, wait};

/// A terminal, and all that was written to it so far.
struct Terminal {
    screen: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Terminal {
    /// A new one, and the end that a program writes to.
    fn new() -> (Self, Stdio) {
        let ends = openpty(None, None).expect("a terminal");
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut master, shared) = (File::from(ends.master), Arc::clone(&screen));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // When the program has ended, reading fails or there is nothing more.
            while let Ok(count @ 1..) = master.read(&mut bytes) {
                shared.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        (Self { screen, reader }, Stdio::from(ends.slave))
    }

    fn shows(&self, text: &str) -> bool {
        self.screen.lock().expect("no panic").contains(text)
    }

    /// Everything, once the program has ended.
    fn text(self) -> String {
        self.reader.join().expect("no panic");
        let screen = self.screen.lock().expect("no panic");
        screen.clone()
    }
}

fn interrupt(child: &Child) {
    send(child, Signal::SIGINT);
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().cast_signed()), signal).expect("the command runs");
}

/// Waits until a command handles interrupts: before, one would end it as any other program.
#[cfg(target_os = "linux")]
fn handles_interrupts(child: &Child) -> bool {
    let path = format!("/proc/{}/status", child.id());
    eventually(|| {
        let status = std::fs::read_to_string(&path).expect("the command runs");
        let mask = |name: &str| {
            let mask = status.lines().find_map(|line| line.strip_prefix(name)).expect("a mask").trim();
            u64::from_str_radix(mask, 16).expect("a mask")
        };
        let bit = |signal: Signal| 1 << (signal as u32 - 1);
        // Handlers are set one after the other.
        let caught = mask("SigCgt:");
        let others = [Signal::SIGTERM, Signal::SIGHUP].map(bit).iter().fold(0, |all, bit| all | bit);
        caught & bit(Signal::SIGINT) != 0 && (caught | mask("SigIgn:") | mask("SigBlk:")) & others == others
    })
}

/// More states than fit into any memory: such a check does not end by itself.
const ENDLESS: &str = "philosophers_ordered.bir -D N=40";

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_check_with_a_report() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    for search in ["bfs", "dfs"] {
        let line = format!("check {ENDLESS} --search {search} --memory 1G --format json");
        let child = sandbox.command(&line).spawn().expect("quotient starts");
        assert!(handles_interrupts(&child));
        interrupt(&child);
        let run = finish(child);
        run.expect(130);
        let report = run.json();
        assert_eq!(report["verdict"], "inconclusive");
        assert_eq!(report["incomplete"], "interrupted");
        assert_eq!(report["exhaustive"], false);
    }
}

/// The model that is being checked has a report, and those after it are not checked.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_call_with_several_models() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    sandbox.write("later.bir", "system S { const P { N = 1; } active thread T() { skip; } }\n");
    for format in ["human", "json", "junit", "sarif"] {
        let line = format!("check {ENDLESS} later.bir --memory 1G --format {format}");
        let child = sandbox.command(&line).spawn().expect("quotient starts");
        assert!(handles_interrupts(&child));
        interrupt(&child);
        let run = finish(child);
        run.expect(130);
        let out = &run.stdout;
        match format {
            "human" => {
                assert!(out.contains("2 models: 1 inconclusive, 1 not checked\n"), "{out}");
                assert!(out.lines().any(|line| line == "  later.bir                 not checked"), "{out}");
            }
            "json" => {
                let all = run.json();
                assert_eq!(all["reports"].as_array().map(Vec::len), Some(1));
                assert_eq!(all["reports"][0]["incomplete"], "interrupted");
                let summary = &all["summary"];
                assert_eq!((&summary["exit_code"], &summary["interrupted"]), (&130.into(), &true.into()));
                assert_eq!(summary["models"][1]["model"], "later.bir");
                assert!(summary["models"][1]["exit_code"].is_null());
                assert_eq!(summary["counts"]["not_checked"], 1);
            }
            "junit" => {
                let root = crate::xml::parse(out);
                assert_eq!([root.count("tests"), root.count("skipped")], [2, 2]);
            }
            _ => {
                let invocation = &run.json()["runs"][0]["invocations"][0];
                assert_eq!(invocation["exitCode"], 130);
                assert_eq!(invocation["executionSuccessful"], false);
                let notifications = invocation["toolExecutionNotifications"].as_array();
                assert_eq!(notifications.map(Vec::len), Some(2));
            }
        }
    }
}

/// A batch system sends SIGTERM, and a terminal that goes SIGHUP: both are to have a report.
#[cfg(target_os = "linux")]
#[test]
fn other_signals_end_a_check_with_a_report() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    // Under `nohup`, the tests ignore hangups and pass that on.
    let status = std::fs::read_to_string("/proc/self/status").expect("there is /proc");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("it lists signals");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("it is a bit set");
    let is_ignored = |signal: &Signal| ignored & 1 << (*signal as u64 - 1) != 0;
    for signal in [Signal::SIGTERM, Signal::SIGHUP].into_iter().filter(|signal| !is_ignored(signal)) {
        let line = format!("check {ENDLESS} --memory 1G --format json");
        let child = sandbox.command(&line).spawn().expect("quotient starts");
        assert!(handles_interrupts(&child));
        send(&child, signal);
        let run = finish(child);
        run.expect(130);
        assert_eq!(run.json()["incomplete"], "interrupted");
    }
}

/// `nohup` has a command ignore that its terminal goes.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_so() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let mut command = std::process::Command::new("nohup");
    let quotient = sandbox.command("");
    command.arg(quotient.get_program()).args(format!("check {ENDLESS} --memory 1G --format json").split(' '));
    command.current_dir(sandbox.path("")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("nohup starts");
    assert!(handles_interrupts(&child));
    send(&child, Signal::SIGHUP);
    send(&child, Signal::SIGTERM);
    let run = finish(child);
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    // Had the first signal counted, the second one would have ended the command at once.
    assert_eq!(run.json()["incomplete"], "interrupted");
}

/// The first lines of a run that does not end, without the others being read.
fn begin_endless_run(sandbox: &Sandbox, line: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = sandbox.command(line).spawn().expect("quotient starts");
    let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    stdout.read_line(&mut first).expect("a line");
    assert_eq!(first, "  initially\n");
    assert_eq!(child.try_wait().expect("it can be asked"), None, "it has ended before it was seen");
    (child, stdout)
}

const ENDLESS_RUN: &str = "simulate peterson.bir --steps 18446744073709551615";

/// What was printed stays, and what was recorded is a trail.
#[test]
fn a_signal_ends_a_run_where_it_is() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let sandbox = Sandbox::with("peterson.bir");
        let (child, mut stdout) = begin_endless_run(&sandbox, &format!("{ENDLESS_RUN} --trail run.json"));
        send(&child, signal);
        let mut text = String::new();
        stdout.read_to_string(&mut text).expect("the rest of the run");
        let run = finish(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(130), ""));
        let (steps, last) = text.trim_end().rsplit_once('\n').expect("lines");
        let taken = steps.lines().filter(|line| line.contains("  peterson.bir:")).count();
        let told: String = last.chars().filter(char::is_ascii_digit).collect();
        assert!(last.starts_with("Interrupted after ") && last.ends_with(" steps."), "{last}");
        assert_eq!(told, taken.to_string());
        let trail: serde_json::Value = serde_json::from_str(&sandbox.read("run.json")).expect("a trail");
        assert_eq!(trail["steps"].as_array().map(Vec::len), Some(taken));
        assert_eq!(sandbox.files(), ["peterson.bir", "run.json"]);
    }
}

/// The first signal waits for the step that is being printed, which is not read. The second one does not.
#[test]
fn a_second_signal_ends_at_once() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let sandbox = Sandbox::with("peterson.bir");
        let (mut child, stdout) = begin_endless_run(&sandbox, &format!("{ENDLESS_RUN} --trail run.json"));
        let ended = eventually(|| {
            let status = child.try_wait().expect("it can be asked");
            if status.is_none() {
                send(&child, signal);
            }
            status.is_some()
        });
        assert!(ended);
        assert_eq!(wait(&mut child).code(), Some(130));
        // Part of a trail is no trail.
        assert_eq!(sandbox.files(), ["peterson.bir"]);
        drop(stdout);
    }
}

#[test]
fn a_run_that_nobody_reads_ends() {
    let sandbox = Sandbox::with("peterson.bir");
    let (child, stdout) = begin_endless_run(&sandbox, &format!("{ENDLESS_RUN} --trail run.json"));
    drop(stdout);
    let run = finish(child);
    assert_eq!((run.code, run.stderr.as_str()), (Some(141), ""));
    assert_eq!(sandbox.files(), ["peterson.bir"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_graph_without_one() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let line = format!("graph {ENDLESS} --format aut --max-states 4000000000");
    let child = sandbox.command(&line).spawn().expect("quotient starts");
    assert!(handles_interrupts(&child));
    interrupt(&child);
    let run = finish(child);
    run.expect(130);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "interrupted\n"));
}

/// Progress is on the terminal while a check runs, and gone when it ends.
#[test]
fn progress_is_shown_on_a_terminal() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let (terminal, end) = Terminal::new();
    let mut command = sandbox.command(&format!("check {ENDLESS} --memory 1G"));
    let child = command.stderr(end).spawn().expect("quotient starts");
    drop(command);
    assert!(eventually(|| terminal.shows(" states/s, frontier ")), "{}", terminal.text());
    interrupt(&child);
    let run = finish(child);
    run.expect(130);
    assert!(run.stdout.starts_with("philosophers_ordered.bir: inconclusive\n"), "{}", run.stdout);
    assert!(!run.stdout.contains('\x1b'), "stdout is no terminal: {}", run.stdout);
    let text = terminal.text();
    assert!(text.contains(" of 1.0 GiB"), "{text:?}");
    assert!(text.ends_with("\r\x1b[K"), "{text:?}");
    // Whatever is switched off for a line is switched on again after it.
    assert_eq!(text.matches("\x1b[?7l").count(), text.matches("\x1b[?7h").count(), "{text:?}");
    assert!(!text.contains('\n'), "{text:?}");
}

#[test]
fn quiet_checks_show_no_progress() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let (terminal, end) = Terminal::new();
    // Longer than a report of progress takes to come.
    let mut command = sandbox.command(&format!("check {ENDLESS} --quiet --time 300ms --memory 1G"));
    let child = command.stderr(end).spawn().expect("quotient starts");
    drop(command);
    finish(child).expect(3);
    assert_eq!(terminal.text(), "");
}

/// Runs a command on a terminal of its own, for both outputs.
fn on_terminal(sandbox: &Sandbox, line: &str, no_color: Option<&str>) -> (i32, String) {
    let (terminal, end) = Terminal::new();
    let (errors, errors_end) = Terminal::new();
    let mut command = sandbox.command(line);
    command.stdout(end).stderr(errors_end);
    if let Some(value) = no_color {
        command.env("NO_COLOR", value);
    }
    let mut child = command.spawn().expect("quotient starts");
    drop(command);
    let code = wait(&mut child).code().expect("an exit code");
    (code, terminal.text() + &errors.text())
}

#[test]
fn colours_on_terminals_unless_they_are_not_wanted() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.write("bad.bir", "system S { active thread T() { x := 1; } }");
    sandbox.run("check philosophers.bir --quiet").expect(1);
    for (line, code) in [
        ("check philosophers.bir", 1),
        ("replay philosophers.bir philosophers.trail.json", 1),
        ("simulate philosophers.bir", 1),
        ("check bad.bir", 2),
    ] {
        let (coloured_code, coloured) = on_terminal(&sandbox, line, None);
        let (plain_code, plain) = on_terminal(&sandbox, line, Some("1"));
        let (_, empty) = on_terminal(&sandbox, line, Some(""));
        assert_eq!((coloured_code, plain_code), (code, code), "{line}: {plain}");
        assert!(coloured.contains("\x1b["), "{line}: {coloured:?}");
        assert!(empty.contains("\x1b["), "{line}, with an empty NO_COLOR: {empty:?}");
        assert!(!plain.contains('\x1b'), "{line}: {plain:?}");
    }
}
