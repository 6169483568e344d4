//! `xtask trails`: each tool must be able to replay the counterexamples of the other.
//!
//! Ours, in SPIN's format, is replayed by `spin -t`: it must run to its end and show the error there.
//! SPIN's is replayed by `quotient replay`, which must show a violation of the same kind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use crate::kinds::{self, Kinds};
use crate::model::Model;
use crate::ours::Quotient;
use crate::process::{self, End};
use crate::spin::{self, Effort, Outcome, Spin};
use crate::table::Table;

#[derive(Args)]
pub struct TrailsArgs {
    /// Models with violations
    #[arg(required = true)]
    pub models: Vec<PathBuf>,

    /// Define a constant of the models
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub defines: Vec<String>,

    /// For each run of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// The checker to compare [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,
}

/// Messages of `spin -t` about a trail that does not fit.
const BROKEN: &[&str] = &[
    "cannot find trail file",
    "no matching stmnt",
    "stop error",
    "no process",
    "invalid statement",
    "transition failed",
];

/// The result of one replay: what it showed, or what is wrong with it.
type Replayed = Result<String, String>;

/// Compares. Returns whether there were no differences.
pub fn run(args: &TrailsArgs) -> Result<bool> {
    let limit = Duration::from_secs(args.timeout);
    let spin = Spin::find(limit, Effort::Large)?;
    let quotient = Quotient::find(args.quotient.clone(), "release", limit)?;
    let mut table = Table::new(&["model", "ours, replayed by SPIN", "SPIN's, replayed by ours"]);
    let mut failed = 0;
    for path in &args.models {
        let model = Model::open(path, path.display().to_string(), &args.defines)?;
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        let ours = ours_by_spin(&model, &quotient, &spin, folder.path())?;
        let theirs = spins_by_ours(&model, &quotient, &spin, folder.path())?;
        failed += usize::from(ours.is_err() || theirs.is_err());
        let cell = |replayed: Replayed| replayed.unwrap_or_else(|why| format!("FAILED: {why}"));
        table.push(vec![model.name, cell(ours), cell(theirs)]);
    }
    print!("{}", table.plain());
    println!("{} passed, {failed} failed", args.models.len() - failed);
    Ok(failed == 0)
}

fn ours_by_spin(model: &Model, quotient: &Quotient, spin: &Spin, folder: &Path) -> Result<Replayed> {
    #[derive(Deserialize)]
    struct Report {
        violation: Option<Violation>,
    }
    #[derive(Deserialize)]
    struct Violation {
        kind: String,
    }
    let trail = folder.join("ours.trail").display().to_string();
    // States count as one if processes are interchangeable, as by default: the run must be one of the model nevertheless.
    let mut options = Quotient::up_to(model, "bfs", "full");
    options.extend(
        ["--safety", "--format", "json", "--trail-format", "spin", "--trail", &trail].map(str::to_owned),
    );
    let run = process::run(process::command(&quotient.path, folder, options), quotient.limit)?;
    let kind = match (run.end, serde_json::from_str::<Report>(&run.stdout)) {
        (End::Code(1), Ok(Report { violation: Some(violation) })) => violation.kind,
        _ => return Ok(Err(format!("no violation: {:?} {}", run.end, run.stderr.trim()))),
    };

    let options = ["-t", "-p", "-k", &trail].map(str::to_owned).into_iter();
    let options = options.chain(model.define_options()).chain([model.path.display().to_string()]);
    let run = process::run(process::command(&spin.program, folder, options), spin.limit)?;
    Ok(shown_by_spin(&run.text(), &kind).map(|steps| format!("{kind} after {steps} steps")))
}

/// The length of the replay, if it ended in an error of this kind.
fn shown_by_spin(text: &str, kind: &str) -> Result<u64, String> {
    if let Some(line) = text.lines().find(|line| BROKEN.iter().any(|sign| line.contains(sign))) {
        return Err(line.trim().to_owned());
    }
    let (replay, last) = text.split_once("trail ends after ").ok_or("SPIN does not come to the end")?;
    let steps = last.split(' ').next().and_then(|steps| steps.parse().ok()).ok_or("no number of steps")?;
    let shown = match kind {
        "assertion" => replay.contains("Error: assertion violated"),
        // A simulation does not report deadlocks: but some process is left, and not at its end.
        "deadlock" => last.lines().any(|line| line.contains("proc ") && !line.contains("<valid end state>")),
        // Simulations check less than verifiers do: reaching the end has to suffice.
        _ => true,
    };
    if shown { Ok(steps) } else { Err(format!("SPIN comes to the end, but shows no {kind}")) }
}

fn spins_by_ours(model: &Model, quotient: &Quotient, spin: &Spin, folder: &Path) -> Result<Replayed> {
    #[derive(Deserialize)]
    struct Trace {
        ends_in: Option<Ending>,
    }
    #[derive(Deserialize)]
    struct Ending {
        kind: String,
    }
    let nothing = |outcome: Outcome| Ok(Err(format!("no trail of SPIN: {outcome:?}")));
    if let Err(outcome) = spin.generate(model, folder)? {
        return nothing(outcome);
    }
    if let Err(outcome) = spin.compile(folder, &["-DNOCLAIM"])? {
        return nothing(outcome);
    }
    let verified = spin.verify(folder, &[])?;
    let name = format!("{}.trail", model.path.file_name().unwrap_or_default().display());
    let trail = folder.join(name);
    let expected: Kinds = match spin::read_verifier(&verified) {
        Outcome::Explored(found) if trail.is_file() => found.kinds,
        outcome => return nothing(outcome),
    };
    let options = ["replay", "--format", "json"].map(str::to_owned).into_iter();
    let paths = [&model.path, &trail].map(|path| path.display().to_string());
    let options = options.chain(model.define_options()).chain(paths);
    let run = process::run(process::command(&quotient.path, folder, options), quotient.limit)?;
    let shown = match (run.end, serde_json::from_str::<Trace>(&run.stdout)) {
        (End::Code(1), Ok(Trace { ends_in: Some(ending) })) => ending.kind,
        _ => return Ok(Err(format!("not replayed: {:?} {}", run.end, run.stderr.trim()))),
    };
    if expected.contains(&shown) {
        return Ok(Ok(shown));
    }
    Ok(Err(format!("SPIN shows {}, ours {shown}", kinds::describe(&expected))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_must_come_to_the_error() {
        let stuck = "spin: trail ends after 6 steps\n  6:\tproc  0 (A:1) m.pml:16 (state 23)\n";
        let ended = stuck.replace("(state 23)", "(state 23) <valid end state>");
        assert_eq!(shown_by_spin(stuck, "deadlock"), Ok(6));
        assert!(shown_by_spin(&ended, "deadlock").is_err());
        assert!(shown_by_spin(stuck, "assertion").is_err());
        assert_eq!(shown_by_spin(&format!("Error: assertion violated\n{stuck}"), "assertion"), Ok(6));
        assert!(shown_by_spin(&format!("  3: proc 1, no matching stmnt 7\n{stuck}"), "deadlock").is_err());
        assert!(shown_by_spin("", "deadlock").is_err());
    }
}
