//! `xtask por`: the effect of reductions, and that they change no verdict.
//!
//! Each tool explores each model without reductions, and with partial order reduction and merged statements,
//! as SPIN does by default. Whether there are errors must be the same all four times. Numbers of states need
//! not be equal, since the reductions differ: the geometric mean of our numbers as multiples of SPIN's
//! counts. Then both answer the questions of `temporal` with and without reductions, and the answers must be
//! the same, too.
//!
//! The figures are for models that both tools explore completely within the time limit. Models that are not
//! compared are listed.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::compare::{self, Status};
use crate::kinds;
use crate::measure::geometric_mean;
use crate::model::Model;
use crate::ours::{self, Quotient, Reductions};
use crate::page;
use crate::spin::{self, Effort, Spin};
use crate::suite::{EXAMPLES, in_parallel, these_or_all};
use crate::table::{Table, grouped};
use crate::temporal::{self, Answer, Answers, Asked};

const COMMAND: &str = "cargo xtask por";

/// The largest acceptable mean multiple of SPIN's states.
const MOST: f64 = 1.2;

/// The time limit of SPIN and the C compiler.
const COMPILATION: Duration = Duration::from_mins(5);

#[derive(Args)]
pub struct PorArgs {
    /// Models to compare [default: those of the project, and SPIN's examples]
    pub models: Vec<PathBuf>,

    /// Define a constant of the models
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub defines: Vec<String>,

    /// Only small models of the project, and SPIN only with reductions and without temporal properties
    #[arg(long, conflicts_with = "models")]
    pub quick: bool,

    /// For each run of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// Write the tables here as Markdown, too
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,

    /// Where SPIN's examples are
    #[arg(long, value_name = "DIR", default_value = EXAMPLES)]
    pub examples: PathBuf,

    /// The checker to compare [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,
}

/// Everything about one model.
struct Line {
    model: String,
    /// `None` if it was not run.
    spin_full: Option<spin::Outcome>,
    spin: spin::Outcome,
    full: ours::Outcome,
    reduced: ours::Outcome,
    properties: temporal::Comparison,
}

/// Compares. Returns whether reductions change no verdict and are as good as SPIN's.
pub fn run(args: &PorArgs) -> Result<bool> {
    let limit = Duration::from_secs(args.timeout);
    let effort = if args.quick { Effort::Tiny } else { Effort::Large };
    // Generating and compiling are not part of the comparison.
    let spin = Spin { verifier_limit: limit, ..Spin::find(limit.max(COMPILATION), effort)? };
    let quotient = Quotient::find(args.quotient.clone(), "release", limit)?;
    // All of the project but these are small.
    let large = if args.quick { None } else { Some("bench") };
    let folders: Vec<&str> = large.into_iter().chain(["promela", "temporal"]).collect();
    let examples = (!args.quick).then_some(&*args.examples);
    let models = these_or_all(&args.models, &args.defines, &folders, examples)?;
    let lines = in_parallel(models.len(), |at| {
        let line = Line::new(&models[at], &spin, &quotient, args.quick)?;
        // The end takes long to come.
        eprintln!("{}", line.brief());
        Ok(line)
    })?;
    let report = Report::new(&lines);
    print!("{}", report.plain());
    if let Some(path) = &args.out {
        page::write(path, COMMAND, &report.markdown())?;
    }
    Ok(report.wrong.is_empty() && report.mean.is_none_or(|mean| mean <= MOST))
}

impl Line {
    fn new(model: &Model, spin: &Spin, quotient: &Quotient, quick: bool) -> Result<Self> {
        let [full, folder] = [tempfile::tempdir(), tempfile::tempdir()];
        let full = full.context("can't make a temporary folder")?;
        let folder = folder.context("can't make a temporary folder")?;
        let folder = folder.path();
        let reduced = quotient.with(Reductions::BOTH);
        let asked = Asked {
            spin: (!quick).then_some(spin),
            spin_reduced: true,
            quotient,
            reductions: &[Reductions::BOTH],
        };
        let mut line = Self {
            model: model.name.clone(),
            spin_full: if quick { None } else { Some(spin.explore(model, full.path())?) },
            spin: spin.explore_reduced(model, folder)?,
            full: quotient.explore(model, "dfs", folder)?,
            reduced: reduced.explore(model, "dfs", folder)?,
            properties: temporal::compare(&asked, model)?,
        };
        // If they differ, SPIN's reductions may be to blame.
        if let [None, spins, _, ours] = line.errors()
            && spins != ours
        {
            line.spin_full = Some(spin.explore(model, full.path())?);
        }
        Ok(line)
    }

    /// Whether there are errors: for SPIN without and with reductions, for ours without and with.
    fn errors(&self) -> [Option<bool>; 4] {
        let ours = |outcome: &ours::Outcome| match outcome {
            ours::Outcome::Checked(report) => report.has_errors(),
            ours::Outcome::Refused(_) | ours::Outcome::Failed(_) => None,
        };
        let spins = |outcome: &spin::Outcome| match outcome {
            // Errors that only reductions search for are not errors of the model.
            spin::Outcome::Explored(found) => {
                Some(found.kinds.iter().any(|kind| !kinds::OURS_ALONE.contains(&kind.as_str())))
            }
            spin::Outcome::Refused(_) | spin::Outcome::Unusable(_) => None,
        };
        [self.spin_full.as_ref().and_then(spins), spins(&self.spin), ours(&self.full), ours(&self.reduced)]
    }

    /// Differences with reductions, or from SPIN.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if let (ours::Outcome::Checked(full), ours::Outcome::Checked(_)) = (&self.full, &self.reduced)
            && let Some(difference) = compare::lost(full, &self.reduced)
        {
            wrong.push(difference.detail);
        }
        let [spin_full, spin, full, reduced] = self.errors();
        // Where SPIN's results differ, the one without reductions counts.
        for (spins, ours) in [(spin_full, full), (spin_full.or(spin), reduced)] {
            if let (Some(spins), Some(ours)) = (spins, ours)
                && spins != ours
            {
                wrong.push(format!("errors: SPIN {spins}, ours {ours}"));
            }
        }
        if let Status::Differs(differences) = &self.properties.status {
            wrong.extend(differences.iter().map(|difference| difference.detail.clone()));
        }
        wrong
    }

    /// Errors that SPIN finds with reductions and not without, or the other way round.
    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if let [Some(full), Some(reduced), ..] = self.errors()
            && full != reduced
        {
            doubts.push(format!("errors: {full} without reductions, {reduced} with"));
        }
        for answers in &self.properties.answers {
            let reduced = answers.spin_reduced.as_ref().and_then(Answer::is_violated);
            if let (Some(full), Some(reduced)) = (answers.spin.is_violated(), reduced)
                && full != reduced
            {
                let reduced = if reduced { "violated" } else { "holds" };
                doubts.push(format!("{answers}: {} without reductions, {reduced} with", answers.spin));
            }
        }
        doubts
    }

    /// States with reductions: ours and SPIN's, or why there is nothing to compare.
    fn states(&self) -> Result<[u64; 2], String> {
        let ours = match &self.reduced {
            ours::Outcome::Checked(report) if report.exhaustive => report.states,
            ours::Outcome::Checked(_) => return Err("too large".to_owned()),
            ours::Outcome::Refused(_) => return Err("refused".to_owned()),
            ours::Outcome::Failed(why) => return Err(why.clone()),
        };
        match &self.spin {
            spin::Outcome::Explored(found) if found.broken_off => Err("SPIN gives up at an error".to_owned()),
            spin::Outcome::Explored(found) => Ok([ours, found.states]),
            spin::Outcome::Refused(_) => Err("refused by SPIN".to_owned()),
            spin::Outcome::Unusable(why) => Err(why.clone()),
        }
    }

    fn full_states(&self) -> String {
        match (&self.full, &self.spin_full) {
            (ours::Outcome::Checked(report), _) if report.exhaustive => grouped(report.states),
            (_, Some(spin::Outcome::Explored(found))) if !found.broken_off => grouped(found.states),
            _ => "-".to_owned(),
        }
    }

    fn brief(&self) -> String {
        let mut text = match self.states() {
            Ok([ours, spins]) => {
                format!("{}: {} states, ours {ours}, SPIN's {spins}", self.model, self.full_states())
            }
            Err(why) => format!("{}: {why}", self.model),
        };
        let answers = self.properties.answers.len();
        if answers > 0 {
            _ = write!(text, "; {answers} questions");
        }
        for wrong in self.wrong() {
            _ = write!(text, "; DIFFERS: {wrong}");
        }
        for doubt in self.doubts() {
            _ = write!(text, "; SPIN's reductions: {doubt}");
        }
        text
    }
}

/// All models.
struct Report {
    states: Table,
    properties: Table,
    /// What was not compared.
    skipped: Vec<String>,
    wrong: Vec<String>,
    doubts: Vec<String>,
    mean: Option<f64>,
    summary: Vec<String>,
}

impl Report {
    fn new(lines: &[Line]) -> Self {
        let mut states =
            Table::new(&["model", "errors", ">all states", ">reduced, ours", ">reduced, SPIN", ">ratio"]);
        let mut properties =
            Table::new(&["model", "question", "SPIN", "SPIN, reduced", "ours", "ours, reduced"]);
        let mut ratios = Vec::new();
        let (mut skipped, mut wrong, mut doubts) = (Vec::new(), Vec::new(), Vec::new());
        for line in lines {
            let named = |text: String| format!("{}: {text}", line.model);
            match line.states() {
                Ok([ours, spins]) => {
                    let ratio = ours as f64 / spins.max(1) as f64;
                    ratios.push(ratio);
                    let errors = if line.errors()[3] == Some(true) { "yes" } else { "no" }.to_owned();
                    let [ours, spins] = [ours, spins].map(grouped);
                    let ratio = format!("{ratio:.2}");
                    states.push(vec![line.model.clone(), errors, line.full_states(), ours, spins, ratio]);
                }
                Err(why) => skipped.push(named(why)),
            }
            for answers in &line.properties.answers {
                properties.push(cells(&line.model, answers));
            }
            wrong.extend(line.wrong().into_iter().map(named));
            doubts.extend(line.doubts().into_iter().map(named));
        }
        let mean = geometric_mean(&ratios);
        let answers = || lines.iter().flat_map(|line| &line.properties.answers);
        let answered = |by: fn(&Answers) -> Option<bool>| answers().filter(|&of| by(of).is_some()).count();
        let mut summary = Vec::new();
        if let Some(mean) = mean {
            let few = ratios.iter().filter(|&&ratio| ratio <= 1.0).count();
            summary.push(format!(
                "{} models: {mean:.3} times SPIN's states in the geometric mean; no more than SPIN's in {few}",
                ratios.len()
            ));
        }
        summary.push(format!(
            "{} questions about runs: {} answered by ours, {} with reductions, {} by SPIN, {} with reductions",
            answers().count(),
            answered(|of| of.ours.is_violated()),
            answered(|of| of.reduced.first().and_then(Answer::is_violated)),
            answered(|of| of.spin.is_violated()),
            answered(|of| of.spin_reduced.as_ref().and_then(Answer::is_violated)),
        ));
        summary.push(format!("{} differences", wrong.len()));
        Self { states, properties, skipped, wrong, doubts, mean, summary }
    }

    fn plain(&self) -> String {
        let mut text = format!("{}\n{}\n", self.states.plain(), self.properties.plain());
        for (what, list) in self.lists() {
            for item in list {
                _ = writeln!(text, "{what}: {item}");
            }
        }
        for line in &self.summary {
            _ = writeln!(text, "{line}");
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for line in &self.summary {
            _ = writeln!(text, "- {line}");
        }
        for (what, list) in self.lists() {
            if !list.is_empty() {
                _ = writeln!(text, "- {what}: {}", list.join("; "));
            }
        }
        format!("{text}\n{}\n{}", self.states.markdown(), self.properties.markdown())
    }

    fn lists(&self) -> [(&'static str, &[String]); 3] {
        [
            ("not compared", &self.skipped),
            ("other verdicts with SPIN's reductions", &self.doubts),
            ("different", &self.wrong),
        ]
    }
}

fn cells(model: &str, answers: &Answers) -> Vec<String> {
    let word = |answer: Option<&Answer>| match answer.and_then(Answer::is_violated) {
        Some(true) => "violated",
        Some(false) => "holds",
        None => "-",
    };
    let of =
        [Some(&answers.spin), answers.spin_reduced.as_ref(), Some(&answers.ours), answers.reduced.first()];
    let mut cells = vec![model.to_owned(), answers.to_string()];
    cells.extend(of.map(|answer| word(answer).to_owned()));
    cells
}
