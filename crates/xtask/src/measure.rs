//! `xtask startup` and `xtask speed`: how long the tools take, as Markdown tables.
//!
//! The runs of the two tools alternate, so that a machine that gets slower or faster meanwhile does
//! not favour one of them; what counts is the median.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::process::{self, End};
use crate::spin::{Effort, Exploration, Outcome, Spin, read_verifier};
use crate::table::{Table, grouped};

const RUNS: usize = 3;
const TIME: &str = "/usr/bin/time";

#[derive(Args)]
pub struct MeasureArgs {
    #[arg(required = true)]
    pub models: Vec<PathBuf>,

    /// Define a constant of the models
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub defines: Vec<String>,

    /// For each run of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub timeout: u64,

    /// The checker to measure [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,
}

impl MeasureArgs {
    fn tools(&self) -> Result<(Spin, Quotient)> {
        let limit = Duration::from_secs(self.timeout);
        Ok((Spin::find(limit, Effort::Large)?, Quotient::find(self.quotient.clone(), limit)?))
    }

    fn models(&self) -> Result<Vec<Model>> {
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        self.models.iter().map(|path| Model::open(path, name(path), &self.defines)).collect()
    }
}

/// Seconds from the source to the verdict.
pub fn startup(args: &MeasureArgs) -> Result<()> {
    let (spin, quotient) = args.tools()?;
    let mut table = Table::new(&["model", ">states", ">quotient (s)", ">SPIN (s)", ">ratio"]);
    for model in args.models()? {
        let mut seconds = [Vec::new(), Vec::new()];
        let mut states = 0;
        for _ in 0..RUNS {
            let folder = tempfile::tempdir().context("can't make a temporary folder")?;
            let (outcome, took) = quotient.explore_timed(&model, "dfs", folder.path())?;
            states = checked(&model, outcome)?.states;
            seconds[0].push(took);
            let (outcome, took) = spin.explore_timed(&model, folder.path())?;
            explored(&model, outcome)?;
            seconds[1].push(took);
        }
        let [ours, theirs] = seconds.map(median);
        let ratio = format!("{:.1}", theirs / ours);
        table.push(vec![model.name, grouped(states), format!("{ours:.3}"), format!("{theirs:.3}"), ratio]);
    }
    print!("{}", table.markdown());
    Ok(())
}

/// Seconds, speed and memory of the exploration itself.
pub fn speed(args: &MeasureArgs) -> Result<()> {
    if !Path::new(TIME).is_file() {
        bail!("there is no {TIME}, which measures memory (Debian: apt install time)");
    }
    let (spin, quotient) = args.tools()?;
    let mut table = Table::new(&[
        "model",
        "tool",
        ">states",
        ">transitions",
        ">seconds",
        ">transitions/s",
        ">peak memory (MB)",
    ]);
    for model in args.models()? {
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        let folder = folder.path();
        let found = explored(&model, spin.explore(&model, folder)?)?;
        // A stack no larger than need be, since SPIN allocates all of it beforehand.
        let pan = ["-c0".to_owned(), format!("-m{}", found.depth + 100)];
        let mut quotient_options = Quotient::unreduced(&model, "dfs");
        quotient_options.extend(["--continue", "--format", "json"].map(str::to_owned));

        let mut runs = [Vec::new(), Vec::new()];
        let mut counts = [(0, 0); 2];
        for _ in 0..RUNS {
            let (run, seconds, memory) = timed(&quotient.path, folder, &quotient_options, quotient.limit)?;
            let report = checked(&model, Quotient::read(&run))?;
            counts[0] = (report.states, report.stored_and_matched());
            runs[0].push((seconds, memory));
            let (run, seconds, memory) = timed(&folder.join("pan"), folder, &pan, spin.limit)?;
            let found = explored(&model, read_verifier(&run))?;
            counts[1] = (found.states, found.transitions);
            runs[1].push((seconds, memory));
        }
        for ((tool, runs), (states, transitions)) in ["quotient", "SPIN"].into_iter().zip(runs).zip(counts) {
            let (seconds, memory): (Vec<f64>, Vec<f64>) = runs.into_iter().unzip();
            let (seconds, memory) = (median(seconds), median(memory));
            let speed = transitions as f64 / seconds.max(0.01);
            let figures =
                [grouped(states), grouped(transitions), format!("{seconds:.2}"), grouped(speed as u64)];
            let mut cells = vec![model.name.clone(), tool.to_owned()];
            cells.extend(figures);
            cells.push(format!("{memory:.0}"));
            table.push(cells);
        }
    }
    print!("{}", table.markdown());
    Ok(())
}

/// A run, with its seconds and its peak of resident memory in megabytes.
fn timed(
    program: &Path,
    folder: &Path,
    options: &[String],
    limit: Duration,
) -> Result<(process::Run, f64, f64)> {
    let mut words = vec!["-f".to_owned(), "peak %M".to_owned(), program.display().to_string()];
    words.extend_from_slice(options);
    let run = process::run(process::command(TIME, folder, words), limit)?;
    if run.end == End::TimedOut {
        bail!("{} takes too long", program.display());
    }
    let kilobytes = run.stderr.lines().find_map(|line| line.strip_prefix("peak ")?.parse::<f64>().ok());
    let megabytes = kilobytes.context("no figure of memory")? * 1024.0 / 1e6;
    let seconds = run.seconds;
    Ok((run, seconds, megabytes))
}

fn checked(model: &Model, outcome: ours::Outcome) -> Result<ours::Report> {
    match outcome {
        ours::Outcome::Checked(report) => Ok(report),
        other => bail!("{}: {other:?}", model.name),
    }
}

fn explored(model: &Model, outcome: Outcome) -> Result<Exploration> {
    match outcome {
        Outcome::Explored(found) => Ok(found),
        other => bail!("{}: {other:?}", model.name),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
