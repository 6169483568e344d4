//! What is to be seen while a check runs, on stderr: a line that moves, on a terminal and never elsewhere,
//! and a line for each round of a refinement.

use std::io::{IsTerminal, Write as _, stderr};
use std::time::{Duration, Instant};

use check::report::Round;
use check::{Observer, Open, Progress, Watcher};

use crate::units;

/// A line that does not fit is cut at the edge: on a second line it could not be taken back. The line fits,
/// unless the terminal has become narrower meanwhile.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";
/// Clears the rest of the line.
const CLEAR: &str = "\x1b[K";
/// The width if the terminal does not say it.
const USUAL_WIDTH: usize = 80;

pub struct ProgressLine {
    quiet: bool,
    shown: bool,
    visible: bool,
    limit: Option<u64>,
    rounds: u32,
    /// What comes first on the line.
    prefix: String,
    started: Instant,
}

impl ProgressLine {
    pub fn new(quiet: bool, limit: Option<u64>) -> Self {
        let shown = !quiet && stderr().is_terminal();
        let started = Instant::now();
        Self { quiet, shown, visible: false, limit, rounds: 0, prefix: String::new(), started }
    }

    /// With a text in front of the line.
    pub fn after(self, prefix: String) -> Self {
        Self { prefix, ..self }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.visible) {
            drop(write!(std::io::stderr(), "\r{CLEAR}"));
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        if !self.shown {
            return;
        }
        let width = terminal_size::terminal_size_of(stderr()).map(|(width, _)| usize::from(width.0));
        // Most terminals wrap when the last column is written.
        let width = width.filter(|&width| width > 0).unwrap_or(USUAL_WIDTH) - 1;
        let room = width.saturating_sub(self.prefix.chars().count());
        let line = fitted(&parts(progress, self.started.elapsed(), self.limit), room);
        let line = format!("{}{line}", self.prefix);
        // In one piece, over the last line: nothing flickers. The rest of that is cleared.
        drop(stderr().write_all(format!("\r{NO_WRAP}{line}{CLEAR}{WRAP}").as_bytes()));
        // A terminal that is gone is no reason to stop checking.
        drop(stderr().flush());
        self.visible = true;
    }
}

/// A part of the line. Those with larger numbers are left out first if the line does not fit.
struct Part {
    text: String,
    rank: u32,
}

/// What the line says, from left to right.
fn parts(progress: &Progress, elapsed: Duration, limit: Option<u64>) -> Vec<Part> {
    let part = |rank, text| Part { text, rank };
    let seconds = progress.elapsed.as_secs_f64().max(1e-9);
    let open = match progress.open {
        Open::Frontier(states) => format!(", frontier {}", units::count(states as u64)),
        Open::Stack(states) => format!(", stack {}", units::count(states as u64)),
    };
    let memory = units::bytes(progress.resident_bytes.unwrap_or(progress.store_bytes) as u64);
    vec![
        part(1, format!("{}: ", units::elapsed(elapsed))),
        part(0, format!("{} states", units::count(progress.states as u64))),
        part(3, format!(", {} states/s", units::count((progress.states as f64 / seconds) as u64))),
        part(4, open),
        part(5, format!(", depth {}", progress.depth)),
        part(2, format!(", {memory}")),
        part(6, limit.map_or(String::new(), |limit| format!(" of {}", units::bytes(limit)))),
    ]
}

/// The line, without the parts for which there is no room. What is left is cut if even that does not fit.
fn fitted(parts: &[Part], width: usize) -> String {
    let length = |most: u32| -> usize {
        parts.iter().filter(|part| part.rank <= most).map(|part| part.text.chars().count()).sum()
    };
    let largest = parts.iter().map(|part| part.rank).max().unwrap_or(0);
    let most = (0..=largest).rev().find(|&most| length(most) <= width).unwrap_or(0);
    let line: String = parts.iter().filter(|part| part.rank <= most).map(|part| part.text.as_str()).collect();
    line.chars().take(width).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_important_parts_are_left_out() {
        let progress = Progress {
            states: 1_234_567,
            transitions: 2_000_000,
            matched: 0,
            depth: 42,
            open: Open::Frontier(1000),
            store_bytes: 0,
            resident_bytes: Some(3 << 20),
            elapsed: Duration::from_secs(10),
        };
        let parts = parts(&progress, Duration::from_secs(75), Some(8 << 30));
        let whole =
            "1m 15s: 1 234 567 states, 123 456 states/s, frontier 1 000, depth 42, 3.0 MiB of 8.0 GiB";
        let cases = [
            (200, whole),
            (whole.len(), whole),
            (
                whole.len() - 1,
                "1m 15s: 1 234 567 states, 123 456 states/s, frontier 1 000, depth 42, 3.0 MiB",
            ),
            (70, "1m 15s: 1 234 567 states, 123 456 states/s, frontier 1 000, 3.0 MiB"),
            (60, "1m 15s: 1 234 567 states, 123 456 states/s, 3.0 MiB"),
            (40, "1m 15s: 1 234 567 states, 3.0 MiB"),
            (30, "1m 15s: 1 234 567 states"),
            (20, "1 234 567 states"),
            (9, "1 234 567"),
            (0, ""),
        ];
        for (width, expect) in cases {
            assert_eq!(fitted(&parts, width), expect, "{width}");
        }
    }
}
