//! Our side: runs `quotient`, which is built if necessary, with the given reductions, and reads its report.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::kinds::{self, Kinds};
use crate::model::Model;
use crate::process::{self, End, Run};

/// The binary, and how long it may take.
#[derive(Clone, Debug)]
pub struct Quotient {
    pub path: PathBuf,
    pub limit: Duration,
    pub reductions: Reductions,
}

/// The reductions of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reductions {
    /// Orders of independent steps.
    pub por: bool,
    /// States between statements that are merged.
    pub merge: bool,
}

impl Reductions {
    pub const BOTH: Self = Self { por: true, merge: true };

    /// All combinations except none.
    pub const ALL: &[Self] =
        &[Self { por: true, merge: false }, Self { por: false, merge: true }, Self::BOTH];
}

impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |on| if on { "on" } else { "off" };
        write!(f, "--por {} --merge {}", word(self.por), word(self.merge))
    }
}

/// The result for a model.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With its diagnostics.
    Refused(String),
    /// It crashed, exceeded its time, or printed something that is not a report.
    Failed(String),
    Checked(Report),
}

/// The part of the report that is compared or shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    verdict: String,
    /// Everything was explored.
    #[serde(default)]
    pub exhaustive: bool,
    pub states: u64,
    pub matched: u64,
    pub transitions: u64,
    pub depth: u64,
    pub seconds: f64,
    pub store: StoreUse,
    violations: Vec<Violation>,
    #[serde(default)]
    properties: Vec<Property>,
    #[serde(default)]
    violation: Option<First>,
}

/// The first violation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct First {
    steps: u64,
    trace: Trace,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Trace {
    cycle: Option<Cycle>,
}

/// The steps from `start` on are repeated.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Cycle {
    start: u64,
}

/// The memory of a store.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoreUse {
    pub bytes: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Violation {
    kind: String,
}

/// A temporal property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Property {
    name: String,
}

impl Report {
    /// The kinds of violations that SPIN searches for as well.
    pub fn kinds(&self) -> Kinds {
        let kinds = self.violations.iter().map(|violation| violation.kind.clone());
        kinds.filter(|kind| !kinds::OURS_ALONE.contains(&kind.as_str())).collect()
    }

    /// The verdict with respect to these kinds.
    pub fn verdict(&self) -> &str {
        let only_others = !self.violations.is_empty() && self.kinds().is_empty();
        if only_others { "holds" } else { &self.verdict }
    }

    /// Whether there are violations that SPIN searches for as well; `None` if unknown.
    pub fn has_errors(&self) -> Option<bool> {
        let found = !self.kinds().is_empty();
        (found || self.exhaustive).then_some(found)
    }

    /// The part that no reduction may change.
    pub fn essence(&self) -> (&str, Kinds) {
        (self.verdict(), self.kinds())
    }

    /// Whether the first violation is a run that ends, and stays where it ended.
    pub fn stutters(&self) -> bool {
        let cycle =
            |first: &First| first.trace.cycle.as_ref().is_some_and(|cycle| cycle.start == first.steps);
        self.violation.as_ref().is_some_and(cycle)
    }

    /// As SPIN counts them: each led to a new or to a known state; the initial one counts as new.
    pub const fn stored_and_matched(&self) -> u64 {
        self.states + self.matched
    }
}

impl Quotient {
    /// The given binary, or the one that cargo builds.
    pub fn find(path: Option<PathBuf>, profile: &str, limit: Duration) -> Result<Self> {
        let path = match path {
            Some(path) => path.canonicalize().with_context(|| format!("no binary {}", path.display()))?,
            None => build(profile)?,
        };
        Ok(Self { path, limit, reductions: Reductions::default() })
    }

    /// The same tool with these reductions.
    pub fn with(&self, reductions: Reductions) -> Self {
        Self { reductions, ..self.clone() }
    }

    /// The options of a check that explores what SPIN explores without reductions.
    pub fn unreduced(model: &Model, search: &str) -> Vec<String> {
        Self::up_to(model, search, "none")
    }

    /// The options of a check without other reductions than this level of symmetry.
    pub fn up_to(model: &Model, search: &str, symmetry: &str) -> Vec<String> {
        Self::options(model, search, symmetry, Reductions::default())
    }

    fn options(model: &Model, search: &str, symmetry: &str, reductions: Reductions) -> Vec<String> {
        let path = model.path.display().to_string();
        let reductions = reductions.to_string();
        let words = ["check", &path].into_iter().chain(reductions.split(' '));
        let words = words.chain(["--symmetry", symmetry, "--search", search, "--threads", "1", "--quiet"]);
        words.map(str::to_owned).chain(model.define_options()).collect()
    }

    /// Explores all of a model, in this order.
    pub fn explore(&self, model: &Model, search: &str, folder: &Path) -> Result<Outcome> {
        let mut options = Self::options(model, search, "none", self.reductions);
        options.extend(["--safety", "--continue", "--format", "json", "--memory", "4G"].map(str::to_owned));
        Ok(Self::read(&process::run(process::command(&self.path, folder, options), self.limit)?))
    }

    /// A depth first check with these options.
    pub fn check(
        &self,
        model: &Model,
        folder: &Path,
        more: impl IntoIterator<Item = String>,
    ) -> Result<Outcome> {
        let mut options = Self::options(model, "dfs", "none", self.reductions);
        options.extend(["--format", "json", "--memory", "4G"].map(str::to_owned));
        options.extend(more);
        Ok(Self::read(&process::run(process::command(&self.path, folder, options), self.limit)?))
    }

    /// The names of a model's temporal properties, or why they are unknown.
    pub fn properties(&self, model: &Model, folder: &Path) -> Result<Result<Vec<String>, String>> {
        let one = ["--max-states".to_owned(), "1".to_owned()];
        Ok(match self.check(model, folder, one)? {
            Outcome::Checked(report) => {
                Ok(report.properties.into_iter().map(|property| property.name).collect())
            }
            Outcome::Refused(why) | Outcome::Failed(why) => Err(why),
        })
    }

    /// The report of a run with `--format json`.
    pub fn read(run: &Run) -> Outcome {
        match run.end {
            End::Code(0 | 1 | 3) => match serde_json::from_str(&run.stdout) {
                Ok(report) => Outcome::Checked(report),
                Err(error) => Outcome::Failed(format!("no report: {error}")),
            },
            End::Code(2) => Outcome::Refused(run.text().trim().to_owned()),
            End::TimedOut => Outcome::Failed("takes too long".to_owned()),
            End::Code(code) => Outcome::Failed(format!("exit code {code}: {}", run.stderr.trim())),
            End::Signal(signal) => {
                Outcome::Failed(format!("killed by signal {signal}: {}", run.stderr.trim()))
            }
        }
    }

    /// Seconds for everything from the source to the verdict.
    pub fn explore_timed(&self, model: &Model, search: &str, folder: &Path) -> Result<(Outcome, f64)> {
        let start = Instant::now();
        let outcome = self.explore(model, search, folder)?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    }
}

/// Builds the command line tool in a profile of cargo's and says where it is.
pub fn build(profile: &str) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "build",
            "--profile",
            profile,
            "--package",
            "quotient-cli",
            "--message-format",
            "json-render-diagnostics",
        ])
        .stderr(Stdio::inherit())
        .output()
        .context("can't run cargo")?;
    if !output.status.success() {
        bail!("quotient can't be built");
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok()?.executable)
        .next_back()
        .context("cargo did not say where it put the binary")
}
