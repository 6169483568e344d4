//! Other programs: how they are found, run within a time limit, and measured.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
    pub usage: Usage,
}

/// The resources that a process used, according to the kernel.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Usage {
    /// Processor time, in the program and in the kernel on its behalf.
    pub cpu_seconds: f64,
    /// The part of it in the program.
    pub user_seconds: f64,
    /// Peak resident memory in bytes.
    pub peak_memory: u64,
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

/// The first line that a program prints about its version.
pub fn version(program: &Path, option: &str, limit: Duration) -> Result<String> {
    let run = run(command(program, Path::new("/"), [option]), limit)?;
    Ok(run.text().trim().lines().next().unwrap_or("unknown version").to_owned())
}

/// The limit of elapsed time, as a multiple of the limit of processor time.
const PATIENCE: u32 = 20;

/// Runs it to its end, or kills it when its time is over. Time is processor time, so that the load of the
/// machine makes no difference.
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
    let mut killed = false;
    let (status, usage) = loop {
        if let Some(ended) = try_wait(&child)? {
            break ended;
        }
        let elapsed = start.elapsed();
        if elapsed > limit && !killed && (elapsed > PATIENCE * limit || cpu_time(&child) > Some(limit)) {
            child.kill()?;
            killed = true;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    let seconds = start.elapsed().as_secs_f64();
    let text = |reader: Option<thread::JoinHandle<String>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let end = match (status.code(), status.signal()) {
        _ if killed => End::TimedOut,
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    };
    Ok(Run { end, stdout: text(stdout), stderr: text(stderr), seconds, usage })
}

/// `Child::try_wait` with the resource usage, which the standard library does not provide.
#[expect(unsafe_code, reason = "no safe interface has wait4")]
fn try_wait(child: &Child) -> io::Result<Option<(ExitStatus, Usage)>> {
    let pid = child.id() as libc::pid_t;
    let mut status = 0;
    // SAFETY: a `rusage` consists of numbers only, for which zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables of the types that `wait4` writes, and live longer than the call.
    let waited = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) };
    match waited {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        _ => {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
            let usage = Usage {
                cpu_seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
                user_seconds: seconds(usage.ru_utime),
                // Linux counts in units of 1,024 bytes.
                peak_memory: usage.ru_maxrss as u64 * 1024,
            };
            Ok(Some((ExitStatus::from_raw(status), usage)))
        }
    }
}

/// The processor time of a running process so far, if the system reports it.
fn cpu_time(child: &Child) -> Option<Duration> {
    /// The unit of these times on Linux.
    const TICK: Duration = Duration::from_millis(10);
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // After the name, which may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * (ticks()? + ticks()?))
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output before an error is still worth showing.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Run {
        run(command("sh", Path::new("/"), ["-c", script]), limit).unwrap()
    }

    #[test]
    fn tells_how_a_program_ended_and_what_it_used() {
        let ended = shell("echo out; echo err >&2; exit 3", Duration::from_mins(1));
        assert_eq!((ended.end, ended.text().as_str()), (End::Code(3), "out\n\nerr\n"));
        assert!(ended.usage.peak_memory > 0);
        assert_eq!(shell("kill -9 $$", Duration::from_mins(1)).end, End::Signal(9));
    }

    #[test]
    fn kills_what_takes_too_long() {
        assert_eq!(shell("exec sleep 600", Duration::from_millis(1)).end, End::TimedOut);
        let busy = shell("while :; do :; done", Duration::from_millis(100));
        assert_eq!(busy.end, End::TimedOut);
        assert!(busy.usage.cpu_seconds > 0.09, "{:?}", busy.usage);
    }
}
