//! `xtask startup`: how long the tools take from the source to the verdict, as a Markdown table.
//!
//! The runs of the two tools alternate, so that a machine that gets slower or faster meanwhile does not
//! favour one of them; the median counts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::measure::median;
use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::spin::{Effort, Outcome, Spin};
use crate::table::{Table, grouped};

const RUNS: usize = 3;

#[derive(Args)]
pub struct StartupArgs {
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

pub fn run(args: &StartupArgs) -> Result<()> {
    let limit = Duration::from_secs(args.timeout);
    let spin = Spin::find(limit, Effort::Large)?;
    let quotient = Quotient::find(args.quotient.clone(), "dist", limit)?;
    let mut table = Table::new(&["model", ">states", ">quotient (s)", ">SPIN (s)", ">ratio"]);
    for path in &args.models {
        let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        let model = Model::open(path, name(path), &args.defines)?;
        let mut seconds = [Vec::new(), Vec::new()];
        let mut states = 0;
        for _ in 0..RUNS {
            let folder = tempfile::tempdir().context("can't make a temporary folder")?;
            let (outcome, took) = quotient.explore_timed(&model, "dfs", folder.path())?;
            match outcome {
                ours::Outcome::Checked(report) => states = report.states,
                other => bail!("{}: {other:?}", model.name),
            }
            seconds[0].push(took);
            let (outcome, took) = spin.explore_timed(&model, folder.path())?;
            if !matches!(outcome, Outcome::Explored(_)) {
                bail!("{}: {outcome:?}", model.name);
            }
            seconds[1].push(took);
        }
        let [ours, theirs] = seconds.map(median);
        let ratio = format!("{:.1}", theirs / ours);
        table.push(vec![model.name, grouped(states), format!("{ours:.3}"), format!("{theirs:.3}"), ratio]);
    }
    print!("{}", table.markdown());
    Ok(())
}
