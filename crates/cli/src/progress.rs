//! What is to be seen while a check runs, on stderr: a line that moves, and a line for each round of a
//! refinement.

use std::io::Write as _;

use check::report::Round;
use check::{Observer, Progress, Watcher};
use terminal::progress::Line;

use crate::units;

pub struct ProgressLine {
    quiet: bool,
    rounds: u32,
    line: Line,
}

impl ProgressLine {
    pub fn new(quiet: bool, limit: Option<u64>) -> Self {
        Self { quiet, rounds: 0, line: Line::new(quiet, limit) }
    }

    /// With a text in front of the line.
    pub fn after(self, prefix: String) -> Self {
        Self { line: self.line.after(prefix), ..self }
    }

    pub fn clear(&mut self) {
        self.line.clear();
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        self.line.show(progress);
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
