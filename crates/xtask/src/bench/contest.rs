//! The tools and modes that are compared, and how one of them is run and measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use crate::measure::median;
use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::process::{self, End, Run, Usage};
use crate::spin::{Exploration, Outcome, Spin, TOO_DEEP, read_verifier};

/// How SPIN's verifier keeps states.
#[derive(PartialEq, Eq, Debug)]
pub struct Mode {
    pub name: &'static str,
    /// For the C compiler.
    defines: &'static [&'static str],
    /// Whether the C compiler needs the size of the vector, as `-DMA=N`.
    automaton: bool,
    /// For the verifier.
    options: &'static [&'static str],
    /// Whether it may confuse states, depending on the size of its table.
    lossy: bool,
}

pub const DEFAULT: &Mode = &MODES[0];
pub const COLLAPSE: &Mode = &MODES[1];

pub const MODES: &[Mode] = &[
    Mode { name: "default", defines: &[], automaton: false, options: &[], lossy: false },
    Mode { name: "-DCOLLAPSE", defines: &["-DCOLLAPSE"], automaton: false, options: &[], lossy: false },
    Mode { name: "-DMA", defines: &[], automaton: true, options: &[], lossy: false },
    Mode { name: "-DMA -DCOLLAPSE", defines: &["-DCOLLAPSE"], automaton: true, options: &[], lossy: false },
    Mode { name: "-DHC4", defines: &["-DHC4"], automaton: false, options: &[], lossy: false },
    Mode { name: "-DBITSTATE", defines: &["-DBITSTATE"], automaton: false, options: &["-w26"], lossy: true },
];

/// How Quotient keeps states, and the mode of SPIN that it is compared with.
#[derive(PartialEq, Eq, Debug)]
pub struct Store {
    pub name: &'static str,
    /// The value of `--store`.
    pub kind: &'static str,
    pub options: &'static [&'static str],
    /// Whether it may confuse states.
    pub lossy: bool,
    /// Whether it can return states, so that the default search is breadth first.
    pub queues: bool,
    pub against: &'static Mode,
}

pub const STORES: &[Store] = &[
    Store { name: "trie", kind: "trie", options: &[], lossy: false, queues: true, against: DEFAULT },
    // SPIN's default search.
    Store { name: "trie dfs", kind: "trie", options: &[], lossy: false, queues: false, against: DEFAULT },
    Store { name: "exact", kind: "exact", options: &[], lossy: false, queues: true, against: DEFAULT },
    // SPIN has no counterpart.
    Store { name: "gzip", kind: "gzip", options: &[], lossy: false, queues: true, against: DEFAULT },
    Store { name: "collapse", kind: "collapse", options: &[], lossy: false, queues: true, against: COLLAPSE },
    Store {
        name: "automaton",
        kind: "automaton",
        options: &[],
        lossy: false,
        queues: false,
        against: &MODES[2],
    },
    Store {
        name: "collapse+automaton",
        kind: "collapse+automaton",
        options: &[],
        lossy: false,
        queues: false,
        against: &MODES[3],
    },
    Store {
        name: "compact",
        kind: "compact",
        options: &["--hash-bytes", "8"],
        lossy: true,
        queues: false,
        against: &MODES[4],
    },
    // As many bits as `-w26` gives SPIN, and as many hash functions.
    Store {
        name: "bitstate",
        kind: "bitstate",
        options: &["--arena", "2^26", "--hashes", "3"],
        lossy: true,
        queues: false,
        against: &MODES[5],
    },
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    Quotient(&'static Store),
    Spin(&'static Mode),
}

impl Tool {
    pub fn name(self) -> String {
        match self {
            Self::Quotient(store) => format!("Quotient {}", store.name),
            Self::Spin(mode) => format!("SPIN {}", mode.name),
        }
    }
}

/// The result that a tool prints.
struct Explored {
    states: u64,
    transitions: u64,
    store: Option<u64>,
}

/// The measurements of one run.
#[derive(Clone, Debug)]
struct Sample {
    states: u64,
    transitions: u64,
    seconds: f64,
    usage: Usage,
    store: Option<u64>,
}

/// Medians over the runs.
#[derive(Clone, Debug)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// In bytes.
    pub peak: f64,
    /// Peak of a run that explores next to nothing.
    pub start_up: f64,
    /// Bytes of the store as it reports them, if it does.
    pub store: Option<u64>,
}

impl Figures {
    /// The memory that the exploration took.
    pub fn memory(&self) -> f64 {
        (self.peak - self.start_up).max(0.0)
    }
}

/// A tool with a model: its command and its runs.
pub struct Contestant {
    pub tool: Tool,
    program: PathBuf,
    options: Vec<String>,
    /// The options of a run that explores next to nothing.
    trivial: Vec<String>,
    start_up: Vec<f64>,
    samples: Vec<Sample>,
    /// Why there are no figures.
    failure: Option<String>,
}

impl Contestant {
    fn new(tool: Tool, program: PathBuf, options: Vec<String>, trivial: Vec<String>) -> Self {
        Self { tool, program, options, trivial, start_up: Vec::new(), samples: Vec::new(), failure: None }
    }

    /// Explores up to a level of symmetry.
    pub fn quotient(
        store: &'static Store,
        quotient: &Quotient,
        model: &Model,
        search: &str,
        symmetry: &str,
    ) -> Self {
        let mut options = Quotient::up_to(model, search, symmetry);
        options.extend(["--continue", "--format", "json", "--store", store.kind].map(str::to_owned));
        options.extend(store.options.iter().map(|&option| option.to_owned()));
        let mut trivial = options.clone();
        trivial.extend(["--max-states", "1"].map(str::to_owned));
        Self::new(Tool::Quotient(store), quotient.path.clone(), options, trivial)
    }

    /// Compiles the verifier that `spin -a` wrote into the folder.
    pub fn spin(
        mode: &'static Mode,
        spin: &Spin,
        folder: &Path,
        survey: &Exploration,
        settings: &SpinSettings<'_>,
    ) -> Result<Self> {
        let automaton = mode.automaton.then(|| format!("-DMA={}", survey.vector));
        let mut defines = settings.defines.clone();
        defines.extend(mode.defines);
        defines.extend(automaton.as_deref());
        let compiled = spin.compile(folder, &defines)?;
        let number = MODES.iter().position(|other| other == mode).unwrap_or_default();
        let program = folder.join(format!("pan{number}"));

        let mut options = vec!["-n".to_owned()];
        options.extend(mode.options.iter().map(|&option| option.to_owned()));
        options.extend(settings.table_bits.filter(|_| !mode.lossy).map(|bits| format!("-w{bits}")));
        let mut trivial = options.clone();
        trivial.push("-m1".to_owned());
        // No deeper than necessary, since the verifier allocates the stack beforehand and fills it with
        // zeros. A mode that misses states may go deeper on another path.
        let depth = if mode.lossy { 2 * survey.depth } else { survey.depth };
        options.push(format!("-m{}", depth + 100));
        let mut contestant = Self::new(Tool::Spin(mode), program, options, trivial);
        match compiled {
            Ok(()) => fs::rename(folder.join("pan"), &contestant.program)?,
            Err(outcome) => contestant.failure = Some(reason(outcome)),
        }
        Ok(contestant)
    }

    /// One more run, unless one failed before. Returns how it went.
    pub fn run(&mut self, folder: &Path, limit: Duration) -> Result<Option<String>> {
        if self.failure.is_some() {
            return Ok(None);
        }
        let start = process::run(process::command(&self.program, folder, &self.trivial), limit)?;
        let run = process::run(process::command(&self.program, folder, &self.options), limit)?;
        match self.read(&run) {
            Err(why) => self.failure = Some(why),
            Ok(Explored { states, transitions, store }) => {
                let sample = Sample { states, transitions, seconds: run.seconds, usage: run.usage, store };
                let same = |old: &Sample| (old.states, old.transitions) == (states, transitions);
                if !self.samples.iter().all(same) {
                    self.failure = Some("the runs differ in their numbers of states".to_owned());
                }
                self.start_up.push(start.usage.peak_memory as f64);
                self.samples.push(sample);
            }
        }
        Ok(Some(self.failure.clone().unwrap_or_else(|| format!("{:.2} s", run.seconds))))
    }

    /// The result of a successful run.
    fn read(&self, run: &Run) -> Result<Explored, String> {
        if run.end == End::TimedOut {
            return Err(format!("more than {:.0} s", run.seconds));
        }
        match self.tool {
            Tool::Quotient(_) => match Quotient::read(run) {
                ours::Outcome::Checked(report) if report.verdict() == "violated" => {
                    Err("violated".to_owned())
                }
                ours::Outcome::Checked(report) => Ok(Explored {
                    states: report.states,
                    transitions: report.stored_and_matched(),
                    store: Some(report.store.bytes),
                }),
                ours::Outcome::Refused(why) | ours::Outcome::Failed(why) => Err(first_line(&why)),
            },
            Tool::Spin(_) => match read_verifier(run) {
                Outcome::Explored(found) if found.errors > 0 => Err(found.verdict()),
                Outcome::Explored(found) => {
                    Ok(Explored { states: found.states, transitions: found.transitions, store: None })
                }
                outcome => Err(reason(outcome)),
            },
        }
    }

    /// Medians, or why there are none.
    pub fn figures(&self) -> Result<Figures, String> {
        if let Some(why) = &self.failure {
            return Err(why.clone());
        }
        let last = self.samples.last().ok_or("not run")?;
        let median_of = |value: fn(&Sample) -> f64| median(self.samples.iter().map(value).collect());
        Ok(Figures {
            states: last.states,
            transitions: last.transitions,
            seconds: median_of(|sample| sample.seconds),
            cpu_seconds: median_of(|sample| sample.usage.cpu_seconds),
            peak: median_of(|sample| sample.usage.peak_memory as f64),
            start_up: median(self.start_up.clone()),
            store: last.store,
        })
    }
}

/// The settings of all modes of SPIN.
pub struct SpinSettings<'s> {
    /// For the C compiler.
    pub defines: Vec<&'s str>,
    /// The size of the hash table; `None` for SPIN's default.
    pub table_bits: Option<u32>,
}

/// Generates SPIN's verifier and runs it once in its default mode, to get the depth and the size of the
/// vector.
pub fn survey(
    spin: &Spin,
    model: &Model,
    folder: &Path,
    defines: &[&str],
) -> Result<Result<Exploration, String>> {
    if let Err(outcome) = spin.generate(model, folder)? {
        return Ok(Err(reason(outcome)));
    }
    if let Err(outcome) = spin.compile(folder, defines)? {
        return Ok(Err(reason(outcome)));
    }
    let mut run = spin.verify(folder, &["-n"])?;
    for depth in ["-m2000000", "-m20000000"] {
        if run.text().contains(TOO_DEEP) {
            run = spin.verify(folder, &["-n", depth])?;
        }
    }
    Ok(match read_verifier(&run) {
        Outcome::Explored(found) => Ok(found),
        outcome => Err(reason(outcome)),
    })
}

fn reason(outcome: Outcome) -> String {
    match outcome {
        Outcome::Refused(why) | Outcome::Unusable(why) => first_line(&why),
        Outcome::Explored(found) => found.verdict(),
    }
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or("no message").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contestant() -> Contestant {
        let report = r#"printf '{"verdict": "holds", "states": 10, "matched": 5, "transitions": 14, "depth": 3,
            "seconds": 0.0, "store": {"bytes": 7}, "violations": []}'"#;
        let options = ["-c", report].map(str::to_owned).to_vec();
        let trivial = ["-c", ":"].map(str::to_owned).to_vec();
        Contestant::new(Tool::Quotient(&STORES[0]), "sh".into(), options, trivial)
    }

    #[test]
    fn runs_add_up_to_figures() {
        let mut contestant = contestant();
        assert!(contestant.figures().is_err());
        for _ in 0..2 {
            contestant.run(Path::new("/"), Duration::from_mins(1)).unwrap();
        }
        let figures = contestant.figures().unwrap();
        assert_eq!((figures.states, figures.transitions, figures.store), (10, 15, Some(7)));
        assert!(figures.peak > 0.0 && figures.start_up > 0.0);
    }

    #[test]
    fn the_first_failure_is_the_last_run() {
        let mut contestant = contestant();
        contestant.options[1] = "echo 'error: no such store' >&2; echo more >&2; exit 2".to_owned();
        contestant.run(Path::new("/"), Duration::from_mins(1)).unwrap();
        assert_eq!(contestant.figures().unwrap_err(), "no such store");
        contestant.options[1] = "exit 1".to_owned();
        contestant.run(Path::new("/"), Duration::from_mins(1)).unwrap();
        assert_eq!(contestant.figures().unwrap_err(), "no such store");
    }
}
