//! The only place that starts the command.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
pub use testing::models;

/// Nothing here takes this long, not even on a slow machine. What does hangs.
const DEADLINE: Duration = Duration::from_mins(2);

/// An empty folder in which commands run, so that files have short names and trails land nowhere else.
pub struct Sandbox {
    folder: TempDir,
}

/// A command that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// None if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for the test") }
    }

    /// With a bundled model in it, under the same name.
    pub fn with(model: &str) -> Self {
        let sandbox = Self::new();
        sandbox.write(model, fs::read(models().join(model)).expect("a bundled model"));
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file in the sandbox");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file in the sandbox")
    }

    /// The names of all files.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the sandbox");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// The command, not started yet. Words of `line` are its arguments.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quotient"));
        command.args(line.split_whitespace()).current_dir(self.folder.path());
        command.env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, line: &str) -> Run {
        finish(self.command(line).spawn().expect("quotient starts"))
    }

    pub fn run_with_input(&self, line: &str, input: &str) -> Run {
        let mut child = self.command(line).stdin(Stdio::piped()).spawn().expect("quotient starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_owned();
        // A program that ends early does not read everything.
        let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
        let run = finish(child);
        writer.join().expect("the writer ends");
        run
    }

    /// The object that `--format json` prints.
    pub fn json(&self, line: &str) -> (Run, Value) {
        let run = self.run(&format!("{line} --format json"));
        let value = run.json();
        (run, value)
    }
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Ended with this code, and not in a panic.
    #[track_caller]
    pub fn expect(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        assert!(
            !self.stderr.contains("panicked") && !self.stderr.contains("internal error"),
            "{}",
            self.stderr
        );
        self
    }

    /// Refused: nothing on stdout, and these texts on stderr.
    #[track_caller]
    pub fn refused(&self, texts: &[&str]) {
        self.expect(2);
        assert_eq!(self.stdout, "");
        assert!(self.stderr.starts_with("error"), "{}", self.stderr);
        for text in texts {
            assert!(self.stderr.contains(text), "no `{text}` in:\n{}", self.stderr);
        }
    }
}

/// Waits for the end of a command, and reads what it prints meanwhile.
pub fn finish(mut child: Child) -> Run {
    let stdout = child.stdout.take().map(reader);
    let stderr = child.stderr.take().map(reader);
    let status = wait(&mut child);
    let text = |handle: Option<thread::JoinHandle<String>>| {
        handle.map_or_else(String::new, |handle| handle.join().expect("output can be read"))
    };
    Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

fn reader(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("output can be read");
        String::from_utf8(bytes).expect("output is UTF-8")
    })
}

/// Waits, but not for ever.
pub fn wait(child: &mut Child) -> ExitStatus {
    let mut status = None;
    let ended = eventually(|| {
        status = child.try_wait().expect("a child can be waited for");
        status.is_some()
    });
    if !ended {
        drop(child.kill());
        panic!("the command does not end");
    }
    status.expect("it has ended")
}

/// Looks again and again until something is so. False if it never is.
pub fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    while !is_so() {
        if started.elapsed() > DEADLINE {
            return false;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    true
}
