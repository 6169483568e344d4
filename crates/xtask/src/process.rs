//! Other programs: how they are found, run within a time limit, and measured.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Code(i32),
    Signal(i32),
    TimedOut,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
}

impl Run {
    pub fn succeeded(&self) -> bool {
        self.end == End::Code(0)
    }

    /// Everything it printed.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

/// The command `program args`, to be run in `folder`.
pub fn command<S: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    folder: &Path,
    args: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args);
    command
}

/// Runs it to its end, or kills it when its time is over.
pub fn run(mut command: Command, limit: Duration) -> Result<Run> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("can't run {}", command.get_program().display()))?;
    let stdout = child.stdout.take().map(read_all);
    let stderr = child.stderr.take().map(read_all);
    let mut pause = Duration::from_micros(200);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let end = match status {
        None => End::TimedOut,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or_default()),
        },
    };
    Ok(Run { end, stdout: text(stdout), stderr: text(stderr), seconds })
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What came before an error is still worth showing.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The first of these programs that is on the search path.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file())
}
