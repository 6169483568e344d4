//! `xtask growth`: whether a search is as fast with many states as with few.
//!
//! The same search is cut off at several numbers of states. It takes the same path each time, so two of these
//! runs differ by what happens between their ends: the speed there is the difference in transitions divided
//! by the difference in time. Time is processor time, since elapsed times would include other load of the
//! machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::model::Model;
use crate::ours::{self, Quotient, Report};
use crate::page::{self, machine};
use crate::process::{self, Usage};
use crate::table::{Table, grouped};

const COMMAND: &str = "cargo xtask growth";

#[derive(Args)]
pub struct GrowthArgs {
    /// A model with at least that many states [default: `models/bench/two_phase.pml` with ten managers]
    pub file: Option<PathBuf>,

    /// Define a constant of this model
    #[arg(short = 'D', value_name = "NAME=VALUE", requires = "file")]
    pub defines: Vec<String>,

    /// How many states there are in the end
    #[arg(long, value_name = "N", default_value_t = 50_000_000, value_parser = clap::value_parser!(u64).range(FRACTIONS..))]
    pub states: u64,

    /// Of each run
    #[arg(long, value_name = "SIZE", default_value = "2G")]
    pub memory: String,

    #[arg(long, value_name = "STORE", default_value = "trie")]
    pub store: String,

    /// Order of exploration
    #[arg(long, value_name = "ORDER", default_value = "dfs")]
    pub search: String,

    /// For each run
    #[arg(long, value_name = "SECONDS", default_value_t = 1200)]
    pub timeout: u64,

    /// The checker to measure [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,

    /// Where to write the table: between the marks `<!-- cargo xtask growth -->` and `<!-- end -->` where the
    /// file has them [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The runs end after 1, 2, 40 and 50 of this many parts of the states.
const FRACTIONS: u64 = 50;
const ENDS: [u64; 4] = [1, 2, 40, 50];

/// Where a search was cut off.
#[derive(Clone, Copy, Debug)]
struct Cut {
    states: u64,
    transitions: u64,
    usage: Usage,
}

pub fn run(args: &GrowthArgs) -> Result<()> {
    let limit = Duration::from_secs(args.timeout);
    let quotient = Quotient::find(args.quotient.clone(), "dist", limit)?;
    let model = args.model()?;
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let mut cuts = Vec::new();
    for end in ENDS {
        let states = args.states / FRACTIONS * end;
        let cut = args.cut(&quotient, &model, folder.path(), states)?;
        eprintln!("{}: {} states, {:.1} s", model.name, grouped(states), cut.usage.cpu_seconds);
        cuts.push(cut);
    }
    let version = process::version(&quotient.path, "--version", limit)?;
    let text = format!(
        "- {version}: `quotient check {} --search {} --store {} --memory {} --max-states N`, on {}\n\n{}",
        model.name,
        args.search,
        args.store,
        args.memory,
        machine(),
        table(&cuts).markdown()
    );
    if let Some(path) = &args.out {
        return page::write(path, COMMAND, &text);
    }
    print!("{text}");
    Ok(())
}

impl GrowthArgs {
    fn model(&self) -> Result<Model> {
        let (path, defines) = if let Some(path) = &self.file {
            (path.clone(), self.defines.clone())
        } else {
            let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
            (models.join("bench/two_phase.pml"), vec!["N=10".to_owned()])
        };
        let mut words = vec![path.file_name().unwrap_or_default().display().to_string()];
        words.extend(defines.iter().map(|define| format!("-D {define}")));
        Model::open(&path, words.join(" "), &defines)
    }

    /// The search up to `states` states, of which there must be that many.
    fn cut(&self, quotient: &Quotient, model: &Model, folder: &Path, states: u64) -> Result<Cut> {
        let mut options = Quotient::unreduced(model, &self.search);
        let count = states.to_string();
        let further =
            ["--format", "json", "--store", &self.store, "--memory", &self.memory, "--max-states", &count];
        options.extend(further.map(str::to_owned));
        let run = process::run(process::command(&quotient.path, folder, options), quotient.limit)?;
        match Quotient::read(&run) {
            ours::Outcome::Checked(Report { states: found, .. }) if found != states => {
                bail!("{}: ended at {found} states, before {states}", model.name)
            }
            ours::Outcome::Checked(report) => {
                Ok(Cut { states, transitions: report.stored_and_matched(), usage: run.usage })
            }
            ours::Outcome::Refused(why) | ours::Outcome::Failed(why) => bail!("{}: {why}", model.name),
        }
    }
}

/// One row for each interval between two cuts, with its speed as a multiple of the first one's.
fn table(cuts: &[Cut]) -> Table {
    let mut table = Table::new(&[
        ">from states",
        ">to states",
        ">states/s",
        ">transitions/s",
        ">speed / first stretch",
        ">peak (MB)",
    ]);
    let speeds = |from: &Cut, to: &Cut| {
        let seconds = (to.usage.cpu_seconds - from.usage.cpu_seconds).max(0.001);
        [to.states - from.states, to.transitions - from.transitions].map(|count| count as f64 / seconds)
    };
    let first = cuts.first_chunk().map(|[from, to]| speeds(from, to)[1]);
    for pair in cuts.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        let [states, transitions] = speeds(from, to);
        table.push(vec![
            grouped(from.states),
            grouped(to.states),
            grouped(states as u64),
            grouped(transitions as u64),
            format!("{:.2}", transitions / first.unwrap_or(transitions)),
            format!("{:.0}", to.usage.peak_memory as f64 / 1e6),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_those_between_cuts() {
        let cut = |states, transitions, cpu_seconds| Cut {
            states,
            transitions,
            usage: Usage { cpu_seconds, user_seconds: cpu_seconds, peak_memory: 7_000_000 },
        };
        let table = table(&[cut(100, 1000, 1.0), cut(200, 3000, 2.0), cut(1000, 11_000, 10.0)]);
        let text = table.markdown();
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
        assert_eq!(rows[2][1..7], ["100", "200", "100", "2,000", "1.00", "7"]);
        assert_eq!(rows[3][1..7], ["200", "1,000", "100", "1,000", "0.50", "7"]);
    }
}
