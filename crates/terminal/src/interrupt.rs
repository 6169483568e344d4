//! Signals that ask for an end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP, which a terminal sends when it goes.
//!
//! The first one asks for a report of what was found so far, the second one just ends.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The exit code of a command that was interrupted.
pub const EXIT_CODE: u8 = 130;

/// The flag that such a signal sets, from now on. Before a second one ends the process, `tidy` is called.
pub fn flag(tidy: fn()) -> &'static Arc<AtomicBool> {
    keep_ignoring_hangups();
    let installed = ctrlc::set_handler(move || {
        if INTERRUPTED.swap(true, Relaxed) {
            tidy();
            std::process::exit(EXIT_CODE.into());
        }
    });
    // Without a handler a signal ends the program at once, which is no harm.
    drop(installed);
    &INTERRUPTED
}

/// A handler would undo what `nohup` does: it has SIGHUP ignored. A signal that is blocked in all threads has
/// no effect either. To be called before there are other threads.
#[cfg(target_os = "linux")]
fn keep_ignoring_hangups() {
    use nix::sys::signal::{SigSet, Signal};

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    if ignored & (1 << (Signal::SIGHUP as u32 - 1)) != 0 {
        let hangups: SigSet = Signal::SIGHUP.into();
        // If that fails, a hangup ends the run with a report.
        let _ = hangups.thread_block();
    }
}

#[cfg(not(target_os = "linux"))]
const fn keep_ignoring_hangups() {}
