//! `xtask minimise`: what minimisation does to the counterexamples of all bundled models.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::ours::Quotient;
use crate::process;
use crate::table::Table;

#[derive(Args)]
pub struct MinimiseArgs {
    /// Show each counterexample, too
    #[arg(long)]
    pub all: bool,

    /// For each check
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// The checker to measure [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,
}

/// Minimisation may take this long, with some room for a busy machine.
const MOST_SECONDS: f64 = 1.2;

/// A way to check all models: its name, its options, and whether it is about infinite runs.
const WAYS: [(&str, &[&str], bool); 4] = [
    ("bfs", &["--safety"], false),
    ("bfs, all interleavings", &["--safety", "--por", "off", "--merge", "off"], false),
    ("dfs", &["--safety", "--search", "dfs"], false),
    ("infinite runs", &[], true),
];

#[derive(Deserialize)]
struct Report {
    violation: Option<Violation>,
    minimise_seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Violation {
    kind: String,
    steps: u64,
    minimised: Minimised,
    /// The time for it.
    #[serde(default)]
    seconds: f64,
}

#[derive(Deserialize)]
struct Minimised {
    from_steps: u64,
    from_switches: u64,
    to_switches: u64,
    shortest: bool,
    complete: bool,
}

/// Measures all ways to check all models. Returns whether minimisation never took too long, and made no
/// counterexample worse.
pub fn run(args: &MinimiseArgs) -> Result<bool> {
    let quotient = Quotient::find(args.quotient.clone(), "release", Duration::from_secs(args.timeout))?;
    let headings = [
        "search",
        ">bugs",
        ">steps",
        ">after",
        ">changes",
        ">after",
        ">shortest",
        ">complete",
        ">mean (ms)",
        ">most (ms)",
    ];
    let mut table = Table::new(&headings);
    let mut is_good = true;
    for (name, options, is_infinite) in WAYS {
        let mut found: Vec<Violation> = Vec::new();
        for model in bundled() {
            let violation = check(&quotient, &model, options)?;
            let Some(violation) = violation.filter(|it| (it.kind == "acceptance-cycle") == is_infinite)
            else {
                continue;
            };
            let seconds = violation.seconds;
            let Minimised { from_steps, from_switches, to_switches, shortest, complete } =
                violation.minimised;
            is_good &= seconds < MOST_SECONDS;
            is_good &= (violation.steps, to_switches) <= (from_steps, from_switches);
            if args.all {
                let state = [(shortest, "shortest"), (complete, "complete")];
                let state: Vec<&str> = state.iter().filter(|(is, _)| *is).map(|&(_, word)| word).collect();
                println!(
                    "{name}: {}: {from_steps} steps to {}, {from_switches} changes to {to_switches}, {:.0} ms {}",
                    model.name,
                    violation.steps,
                    seconds * 1e3,
                    state.join(", ")
                );
            }
            found.push(violation);
        }
        let sum = |count: fn(&Violation) -> u64| found.iter().map(count).sum::<u64>().to_string();
        let seconds = || found.iter().map(|violation| violation.seconds);
        let mean = seconds().sum::<f64>() / found.len().max(1) as f64;
        table.push(vec![
            name.to_owned(),
            found.len().to_string(),
            sum(|it| it.minimised.from_steps),
            sum(|it| it.steps),
            sum(|it| it.minimised.from_switches),
            sum(|it| it.minimised.to_switches),
            sum(|it| it.minimised.shortest.into()),
            sum(|it| it.minimised.complete.into()),
            format!("{:.1}", mean * 1e3),
            format!("{:.0}", seconds().fold(0.0, f64::max) * 1e3),
        ]);
    }
    println!("{}", table.markdown());
    Ok(is_good)
}

/// A model with the options of its header.
struct Bundled {
    name: String,
    path: PathBuf,
    options: Vec<String>,
}

/// The models of the repository, except for those that are only measured.
fn bundled() -> Vec<Bundled> {
    let folder = testing::models();
    let files = ["bir", "pml"].into_iter().flat_map(|ending| testing::files_below(&folder, ending));
    let files = files.filter(|file| !file.name.starts_with("bench"));
    let options = |text: &str| {
        let header = text.lines().map_while(|line| line.strip_prefix("//"));
        let options = header.filter_map(|line| line.trim_start().strip_prefix("options:"));
        options.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let model = |file: testing::ModelFile| {
        let path = folder.join(&file.name);
        Bundled { options: options(&file.text), path, name: file.name }
    };
    files.map(model).collect()
}

/// The violation that a check shows.
fn check(quotient: &Quotient, model: &Bundled, more: &[&str]) -> Result<Option<Violation>> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let path = model.path.display().to_string();
    let options = ["check", &path, "--format", "json", "--quiet"].map(str::to_owned).into_iter();
    let options = options.chain(model.options.iter().cloned());
    let options = options.chain(more.iter().map(|&word| word.to_owned()));
    let run = process::run(process::command(&quotient.path, folder.path(), options), quotient.limit)?;
    match run.end {
        process::End::Code(1) => {
            let report: Report = serde_json::from_str(&run.stdout).context("not a report")?;
            let seconds = report.minimise_seconds.unwrap_or(0.0);
            Ok(report.violation.map(|violation| Violation { seconds, ..violation }))
        }
        process::End::Code(4) | process::End::Signal(_) => bail!("{}: {}", model.name, run.stderr.trim()),
        _ => Ok(None),
    }
}
