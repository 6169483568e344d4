//! Statistics of random programs.

use std::collections::BTreeMap;
use std::fmt;

use testing::promela::Program;

use crate::compare::Status;
use crate::spin::Outcome;
use crate::suite::Comparison;

#[derive(Default)]
pub struct Statistics {
    programs: usize,
    passed: usize,
    pub failed: usize,
    skipped: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    verdicts: BTreeMap<String, usize>,
    states: Vec<u64>,
    constructs: BTreeMap<&'static str, usize>,
}

impl Statistics {
    pub fn add(&mut self, program: &Program, comparison: &Comparison) {
        self.programs += 1;
        match (&comparison.status, &comparison.spin) {
            (Status::Differs(_), _) => self.failed += 1,
            (Status::Skipped(why), _) => *self.skipped.entry(why.clone()).or_default() += 1,
            (Status::Same(_), Outcome::Refused(_)) => {}
            (Status::Same(_), _) => self.passed += 1,
        }
        match &comparison.spin {
            Outcome::Refused(message) => {
                // After the file and the line, without names.
                let message = message.split("rror: ").last().unwrap_or_default();
                let message: String = message.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
                *self.refused.entry(message).or_default() += 1;
            }
            Outcome::Unusable(_) => {}
            Outcome::Explored(found) => {
                self.states.push(found.states);
                *self.verdicts.entry(found.verdict()).or_default() += 1;
                for construct in program.constructs() {
                    *self.constructs.entry(construct).or_default() += 1;
                }
            }
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, title: &str, counts: &BTreeMap<String, usize>| {
            if !counts.is_empty() {
                writeln!(f, "{title}:")?;
            }
            counts.iter().try_for_each(|(what, count)| writeln!(f, "{count:6} {what}"))
        };
        list(f, "refused by SPIN", &self.refused)?;
        list(f, "skipped", &self.skipped)?;
        list(f, "verdicts", &self.verdicts)?;
        let mut states = self.states.clone();
        states.sort_unstable();
        if let Some(last) = states.len().checked_sub(1) {
            let at = |percent: usize| states[last * percent / 100];
            let [a, b, c, d, e] = [at(10), at(25), at(50), at(75), at(90)];
            writeln!(
                f,
                "states: {a} (10 %), {b} (25 %), {c} (50 %), {d} (75 %), {e} (90 %), {} most",
                states[last]
            )?;
        }
        let shares: Vec<String> = self
            .constructs
            .iter()
            .map(|(construct, count)| format!("{construct} {} %", 100 * count / states.len().max(1)))
            .collect();
        writeln!(f, "programs with: {}", shares.join(", "))?;
        let refused: usize = self.refused.values().sum();
        let skipped: usize = self.skipped.values().sum();
        writeln!(f, "{} programs, {refused} refused by SPIN, {skipped} skipped", self.programs)?;
        writeln!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}
