//! One tool with one model: its command, its runs, and what they have in common.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use super::entries::Subject;
use super::murphi;
use crate::bench::report::Clock;
use crate::measure::median;
use crate::ours::{self, Quotient};
use crate::process::{self, End, Run};

/// A binary of Quotient that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Given,
    /// The one of `--against`.
    Other,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    Quotient { binary: Binary, search: &'static str, level: &'static str },
    Rumur,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quotient { binary: Binary::Given, search, level } => write!(f, "{search} {level}"),
            Self::Quotient { binary: Binary::Other, search, level } => write!(f, "{search} {level}, other"),
            Self::Rumur => f.write_str("rumur"),
        }
    }
}

/// Where searches end that take too long.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub states: u64,
    pub time: Duration,
}

/// One run.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    pub states: u64,
    pub transitions: u64,
    /// Whether all states were explored.
    pub complete: bool,
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub user_seconds: f64,
    /// Of the store, where it is reported.
    pub bytes: Option<u64>,
}

/// All runs of a tool with a model.
pub struct Contestant {
    pub tool: Tool,
    program: PathBuf,
    options: Vec<String>,
    samples: Vec<Sample>,
    /// Why there are no figures.
    failure: Option<String>,
}

/// Medians over the runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub complete: bool,
    /// From the start to the verdict, or to the limit.
    pub seconds: f64,
    /// User time per transition, if the number of transitions is known.
    pub nanoseconds: Option<f64>,
    pub bytes_per_state: Option<f64>,
}

impl Contestant {
    pub fn quotient(tool: Tool, program: &Path, subject: &Subject, limits: Limits) -> Self {
        let Tool::Quotient { search, level, .. } = tool else { unreachable!("a tool of ours") };
        let mut options = Quotient::up_to(&subject.model, search, level);
        let states = subject.most_states.map_or(limits.states, |most| most.min(limits.states));
        let time = format!("{}s", limits.time.as_secs());
        options.extend(["--format", "json", "--time", &time].map(str::to_owned));
        options.extend(["--max-states".to_owned(), states.to_string()]);
        options.extend(subject.options.iter().map(|&option| option.to_owned()));
        Self::new(tool, program.to_owned(), options)
    }

    pub const fn rumur(verifier: PathBuf) -> Self {
        Self::new(Tool::Rumur, verifier, Vec::new())
    }

    /// A tool that can't be run.
    pub fn failed(tool: Tool, why: String) -> Self {
        Self { failure: Some(why), ..Self::new(tool, PathBuf::new(), Vec::new()) }
    }

    const fn new(tool: Tool, program: PathBuf, options: Vec<String>) -> Self {
        Self { tool, program, options, samples: Vec::new(), failure: None }
    }

    /// One more run, unless one failed before. Returns how it went.
    pub fn run(&mut self, folder: &Path, limits: Limits) -> Result<Option<String>> {
        if self.failure.is_some() {
            return Ok(None);
        }
        // Quotient ends by itself and reports. The rest of the time is for names that take long in one step.
        let limit = if self.tool == Tool::Rumur { limits.time } else { 3 * limits.time };
        let run = process::run(process::command(&self.program, folder, &self.options), limit)?;
        match self.read(&run) {
            Ok(sample) => {
                let differs = |old: &Sample| {
                    old.complete
                        && sample.complete
                        && (old.states, old.transitions) != (sample.states, sample.transitions)
                };
                if self.samples.iter().any(differs) {
                    self.failure = Some("the runs differ in their numbers of states".to_owned());
                }
                self.samples.push(sample);
            }
            Err(why) => self.failure = Some(why),
        }
        Ok(Some(self.failure.clone().unwrap_or_else(|| format!("{:.2} s", run.seconds))))
    }

    fn read(&self, run: &Run) -> Result<Sample, String> {
        let sample = Sample {
            states: 0,
            transitions: 0,
            complete: true,
            seconds: run.seconds,
            cpu_seconds: run.usage.cpu_seconds,
            user_seconds: run.usage.user_seconds,
            bytes: None,
        };
        match (run.end, self.tool) {
            // Its verifier does not say how far it came.
            (End::TimedOut, Tool::Rumur) => return Ok(Sample { complete: false, ..sample }),
            (End::TimedOut, _) => return Err(format!("more than {:.0} s", run.usage.cpu_seconds)),
            _ => {}
        }
        if self.tool == Tool::Rumur {
            let summary = murphi::read(run)?;
            return Ok(Sample { states: summary.states, transitions: summary.rules, ..sample });
        }
        match Quotient::read(run) {
            ours::Outcome::Checked(report) if report.verdict() == "violated" => Err("violated".to_owned()),
            ours::Outcome::Checked(report) => Ok(Sample {
                states: report.states,
                transitions: report.transitions,
                complete: report.exhaustive,
                bytes: Some(report.store.bytes),
                ..sample
            }),
            ours::Outcome::Refused(why) | ours::Outcome::Failed(why) => {
                Err(why.trim().lines().next().unwrap_or("no message").to_owned())
            }
        }
    }

    /// Medians, or why there are none.
    pub fn figures(&self, clock: Clock) -> Result<Figures, String> {
        if let Some(why) = &self.failure {
            return Err(why.clone());
        }
        let last = self.samples.last().ok_or("not run")?;
        let median_of = |value: &dyn Fn(&Sample) -> f64| median(self.samples.iter().map(value).collect());
        Ok(Figures {
            states: last.states,
            transitions: last.transitions,
            complete: self.samples.iter().all(|sample| sample.complete),
            seconds: median_of(&|sample| match clock {
                Clock::Wall => sample.seconds,
                Clock::Cpu => sample.cpu_seconds,
            }),
            nanoseconds: self
                .samples
                .iter()
                .all(|sample| sample.transitions > 0)
                .then(|| median_of(&|sample| sample.user_seconds * 1e9 / sample.transitions as f64)),
            bytes_per_state: last.bytes.map(|bytes| bytes as f64 / last.states.max(1) as f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Tool = Tool::Quotient { binary: Binary::Given, search: "bfs", level: "full" };

    fn limits() -> Limits {
        Limits { states: 1000, time: Duration::from_mins(1) }
    }

    fn shell(tool: Tool, script: &str) -> Contestant {
        Contestant::new(tool, "sh".into(), vec!["-c".to_owned(), script.to_owned()])
    }

    fn report(states: u32, exhaustive: bool) -> String {
        format!(
            r#"printf '{{"verdict": "holds", "exhaustive": {exhaustive}, "states": {states}, "matched": 5,
            "transitions": 14, "depth": 3, "seconds": 0.0, "store": {{"bytes": 70}}, "violations": []}}'"#
        )
    }

    #[test]
    fn runs_add_up_to_figures() {
        let mut contestant = shell(FULL, &report(10, true));
        assert!(contestant.figures(Clock::Wall).is_err());
        for _ in 0..2 {
            contestant.run(Path::new("/"), limits()).unwrap();
        }
        let figures = contestant.figures(Clock::Wall).unwrap();
        assert_eq!((figures.states, figures.transitions, figures.complete), (10, 14, true));
        assert_eq!(figures.bytes_per_state, Some(7.0));
        assert!(figures.seconds > 0.0);
        // One run that reaches a limit, and one that finds other numbers.
        contestant.options[1] = report(9, false);
        contestant.run(Path::new("/"), limits()).unwrap();
        assert!(!contestant.figures(Clock::Cpu).unwrap().complete);
        contestant.options[1] = report(9, true);
        contestant.run(Path::new("/"), limits()).unwrap();
        assert!(contestant.figures(Clock::Cpu).unwrap_err().contains("differ"));
    }

    #[test]
    fn rumur_is_read_as_well() {
        let mut contestant =
            shell(Tool::Rumur, r#"echo '<summary states="80" rules_fired="317" errors="0"/>'"#);
        contestant.run(Path::new("/"), limits()).unwrap();
        let figures = contestant.figures(Clock::Wall).unwrap();
        assert_eq!((figures.states, figures.transitions, figures.bytes_per_state), (80, 317, None));
    }

    #[test]
    fn a_verifier_that_takes_too_long_has_a_time_only() {
        let mut contestant = shell(Tool::Rumur, "while :; do :; done");
        let short = Limits { time: Duration::from_millis(50), ..limits() };
        contestant.run(Path::new("/"), short).unwrap();
        let figures = contestant.figures(Clock::Cpu).unwrap();
        assert_eq!((figures.complete, figures.nanoseconds), (false, None));
        assert!(figures.seconds > 0.04);
    }

    #[test]
    fn the_first_failure_is_the_last_run() {
        let mut contestant = shell(FULL, "echo 'error: no such level' >&2; exit 2");
        contestant.run(Path::new("/"), limits()).unwrap();
        contestant.options[1] = report(10, true);
        assert_eq!(contestant.run(Path::new("/"), limits()).unwrap(), None);
        assert_eq!(contestant.figures(Clock::Wall).unwrap_err(), "error: no such level");
    }
}
