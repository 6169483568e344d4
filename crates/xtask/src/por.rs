//! `xtask por`: partial order reduction, ours beside SPIN's (`-o3`, without `-DNOREDUCE`).
//!
//! Verdicts and kinds of errors with reduction must be those without. Numbers of states need not be equal, as the
//! reductions are not; their geometric mean is what counts.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::spin::{self, Effort, Spin};
use crate::suite::{EXAMPLES, in_parallel, these_or_all};
use crate::table::{Table, grouped};

/// More than this many times SPIN's states are too many, in the mean.
const MOST: f64 = 1.2;

#[derive(Args)]
pub struct PorArgs {
    /// Models to compare [default: those of the project, and SPIN's examples]
    pub models: Vec<PathBuf>,

    /// Define a constant of the models
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub defines: Vec<String>,

    /// For each run of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// Where SPIN's examples are
    #[arg(long, value_name = "DIR", default_value = EXAMPLES)]
    pub examples: PathBuf,

    /// The checker to compare [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,
}

/// One model.
struct Line {
    full: ours::Outcome,
    reduced: ours::Outcome,
    spin: spin::Outcome,
}

/// Compares; whether reduction changes no verdict and is as good as SPIN's.
pub fn run(args: &PorArgs) -> Result<bool> {
    let limit = Duration::from_secs(args.timeout);
    let spin = Spin::find(limit, Effort::Large)?;
    let quotient = Quotient::find(args.quotient.clone(), limit)?;
    let models = these_or_all(&args.models, &args.defines, &args.examples)?;
    let lines = in_parallel(models.len(), |at| line(&models[at], &spin, &quotient))?;
    let mut table = Table::new(&["model", ">full", ">reduced", ">SPIN", ">ratio", "remark"]);
    let mut logarithms = Vec::new();
    let mut wrong = 0;
    for (model, Line { full, reduced, spin }) in models.iter().zip(&lines) {
        let (ours::Outcome::Checked(full), ours::Outcome::Checked(reduced)) = (full, reduced) else {
            continue;
        };
        let same = full.verdict() == reduced.verdict() && full.kinds() == reduced.kinds();
        wrong += usize::from(!same);
        let (theirs, ratio) = match spin {
            spin::Outcome::Explored(found) if !found.broken_off && found.states > 0 => {
                let ratio = reduced.states as f64 / found.states as f64;
                logarithms.push(ratio.ln());
                (grouped(found.states), format!("{ratio:.2}"))
            }
            _ => ("-".to_owned(), "-".to_owned()),
        };
        let remark = if same { "" } else { "ANOTHER VERDICT" };
        let (full, reduced) = (grouped(full.states), grouped(reduced.states));
        table.push(vec![model.name.clone(), full, reduced, theirs, ratio, remark.to_owned()]);
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    print!("{}", table.plain());
    println!("{} models, {wrong} with another verdict; {mean:.3} times SPIN's states", logarithms.len());
    Ok(wrong == 0 && mean <= MOST)
}

fn line(model: &Model, spin: &Spin, quotient: &Quotient) -> Result<Line> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    Ok(Line {
        spin: spin.explore_reduced(model, folder.path())?,
        full: quotient.explore(model, "dfs", folder.path())?,
        reduced: quotient.explore_reduced(model, folder.path())?,
    })
}
