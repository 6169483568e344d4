//! What is to be seen while a check runs, on stderr: a line that moves, on a terminal and never elsewhere,
//! and a line for each round of a refinement.

use std::io::{IsTerminal, Write as _, stderr};

use quotient::report::Round;
use quotient::{Observer, Open, Progress, Watcher};

use crate::units;

/// A line that does not fit is cut at the edge: on a second line it could not be taken back.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

pub struct ProgressLine {
    quiet: bool,
    shown: bool,
    visible: bool,
    limit: Option<u64>,
    rounds: u32,
    /// What comes first on the line.
    prefix: String,
}

impl ProgressLine {
    pub fn new(quiet: bool, limit: Option<u64>) -> Self {
        let shown = !quiet && stderr().is_terminal();
        Self { quiet, shown, visible: false, limit, rounds: 0, prefix: String::new() }
    }

    /// With a text in front of the line.
    pub fn after(self, prefix: String) -> Self {
        Self { prefix, ..self }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.visible) {
            drop(write!(std::io::stderr(), "\r\x1b[K"));
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        if !self.shown {
            return;
        }
        let seconds = progress.elapsed.as_secs_f64().max(1e-9);
        let open = match progress.open {
            Open::Frontier(states) => format!("frontier {}", units::count(states as u64)),
            Open::Stack(states) => format!("stack {}", units::count(states as u64)),
        };
        let memory = units::bytes(progress.resident_bytes.unwrap_or(progress.store_bytes) as u64);
        let limit = self.limit.map_or(String::new(), |limit| format!(" of {}", units::bytes(limit)));
        drop(write!(
            std::io::stderr(),
            "\r\x1b[K{NO_WRAP}{}{} states, {} states/s, {open}, depth {}, {memory}{limit}{WRAP}",
            self.prefix,
            units::count(progress.states as u64),
            units::count((progress.states as f64 / seconds) as u64),
            progress.depth,
        ));
        // A terminal that is gone is no reason to stop checking.
        drop(stderr().flush());
        self.visible = true;
    }
}

impl Watcher for ProgressLine {
    fn round(&mut self, round: &Round) {
        self.clear();
        self.rounds += 1;
        if !self.quiet {
            let hashes =
                if round.hashes == 1 { "1 hash".to_owned() } else { format!("{} hashes", round.hashes) };
            drop(writeln!(
                std::io::stderr(),
                "round {}: {}, {hashes}: {} states, {:.1} % full, {} omissions expected",
                self.rounds,
                units::bits(round.bits),
                units::count(round.states),
                100.0 * round.fill,
                units::about(round.expected_omissions),
            ));
        }
    }
}
