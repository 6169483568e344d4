//! Terminals and signals: progress, and an end that is asked for. The tests run this executable again, as the
//! command line of a model.

use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use quotient_model::{Shape, model};

/// In the environment of a run: its command line.
const LINE: &str = "QUOTIENT_TEST_COMMAND_LINE";

/// Counts without an end.
#[derive(Clone, Debug, Default, Shape)]
struct Counters {
    left: u64,
    right: u64,
}

#[model]
impl Counters {
    #[initial]
    fn zero() -> Self {
        Self::default()
    }

    #[action]
    fn count_left(&mut self) {
        self.left += 1;
    }

    #[action]
    fn count_right(&mut self) {
        self.right += 1;
    }

    #[proposition]
    fn enormous(&self) -> bool {
        self.left == u64::MAX
    }
}

/// Not a test by itself: what the tests run.
#[test]
fn run() {
    let Ok(line) = std::env::var(LINE) else { return };
    let command = quotient_command::Command::from(Counters::program());
    let words = line.split_whitespace().map(Into::into);
    let code = command.run(words, &mut std::io::stdout(), &mut std::io::stderr());
    std::process::exit(code.into());
}

fn command(line: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["terminal::run", "--exact", "--nocapture"]).env(LINE, line);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// Waits until something is so. A run that hangs fails its test.
fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !is_so() {
        if started.elapsed() > Duration::from_mins(2) {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// The exit code of a run, and what it printed.
fn finish(mut child: Child) -> (Option<i32>, String) {
    let mut out = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
    // What the harness prints comes before that.
    let out = out.split_once("running 1 test\n").map_or(out.clone(), |(_, rest)| rest.to_owned());
    (child.wait().expect("it was started").code(), out)
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().cast_signed()), signal).expect("the command runs");
}

/// Progress is on the terminal while a check runs, and gone when it ends. The report says that it was interrupted.
#[test]
fn progress_and_interrupts() {
    for (signal, goal) in [(Signal::SIGINT, "--safety"), (Signal::SIGTERM, "--ltl <>enormous")] {
        let ends = openpty(None, None).expect("a terminal");
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut master, shared) = (File::from(ends.master), Arc::clone(&screen));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = master.read(&mut bytes) {
                shared.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut command = command(&format!("check {goal} --memory 1G"));
        let child = command.stderr(Stdio::from(ends.slave)).spawn().expect("it starts");
        drop(command);
        let shows = |text: &str| screen.lock().expect("no panic").contains(text);
        assert!(eventually(|| shows(" states/s, ")), "{goal}: {screen:?}");
        send(&child, signal);
        let (code, out) = finish(child);
        assert_eq!(code, Some(130), "{goal}: {out}");
        assert!(out.contains(": inconclusive\n") && out.contains("interrupted"), "{goal}: {out}");
        assert!(!out.contains('\x1b'), "stdout is no terminal: {out}");
        reader.join().expect("no panic");
        let text = screen.lock().expect("no panic").clone();
        assert!(text.ends_with("\r\x1b[K"), "{text:?}");
        assert!(!text.contains('\n'), "{text:?}");
    }
}

#[test]
fn quiet_checks_show_no_progress() {
    let ends = openpty(None, None).expect("a terminal");
    let mut master = File::from(ends.master);
    let mut command = command("check --quiet --time 300ms --memory 1G");
    let child = command.stderr(Stdio::from(ends.slave)).spawn().expect("it starts");
    drop(command);
    let (code, out) = finish(child);
    assert_eq!(code, Some(3), "{out}");
    let mut bytes = [0; 64];
    assert!(!matches!(master.read(&mut bytes), Ok(1..)), "{bytes:?}");
}
