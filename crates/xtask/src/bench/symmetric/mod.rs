//! `xtask bench --symmetric`: levels of symmetry against each other and against rumur, on symmetric models.
//!
//! All explore all states of a model, without partial order reduction. Tools, levels and orders of search
//! take turns; medians count. A search that reaches its limit on states or time still has a time per
//! transition, and the tables mark it. At its small default size, each model with a Murphi text is first
//! explored by rumur with exhaustive reduction, which must find the same numbers of orbits and steps.

mod entries;
mod murphi;
mod runs;
mod tables;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{BenchArgs, Search, medians};
use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::page::{self, machine};
use crate::process;
use entries::{ENTRIES, Subject};
use murphi::{Reduction, Rumur};
use runs::{Binary, Contestant, Limits, Tool};
use tables::{Measured, Scope};

const COMMAND: &str = "cargo xtask bench --symmetric";

/// Levels that are measured; `auto` where the checker has it.
const LEVELS: &[&str] = &["none", "heap", "full"];
const AUTO: &str = "auto";

/// In seconds: where a search ends.
pub const TIMEOUT: u64 = 20;
pub const QUICK_TIMEOUT: u64 = 5;

/// Where a search ends.
const MOST_STATES: u64 = 20_000_000;

pub fn run(args: &BenchArgs) -> Result<()> {
    let subjects = subjects(args)?;
    let limits = Limits { states: MOST_STATES, time: Duration::from_secs(args.timeout()) };
    let mut binaries = vec![(Binary::Given, Quotient::find(args.quotient.clone(), "dist", limits.time)?)];
    if let Some(other) = &args.against {
        binaries.push((Binary::Other, Quotient::find(Some(other.clone()), "dist", limits.time)?));
    }
    // Compilers may take longer than searches.
    let rumur = Rumur::find(limits.time.max(Duration::from_mins(2)));
    let with_texts = subjects.iter().any(|subject| subject.murphi.is_some());
    let mut levels = LEVELS.to_vec();
    if let Some(subject) = subjects.first()
        && binaries.iter().all(|(_, quotient)| knows_auto(quotient, &subject.model))
    {
        levels.push(AUTO);
    }
    let scope = Scope {
        searches: match args.search {
            Search::Usual if args.quick => vec!["bfs"],
            Search::Usual => vec!["bfs", "dfs"],
            Search::Bfs => vec!["bfs"],
            Search::Dfs => vec!["dfs"],
        },
        levels,
        binaries: binaries.iter().map(|(binary, _)| *binary).collect(),
        rumur: with_texts && rumur.is_ok(),
    };
    let conditions = conditions(args, &binaries, &rumur, limits)?;

    let mut measured = Vec::new();
    for subject in &subjects {
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        measured.push(measure(args, subject, &scope, &binaries, rumur.as_ref().ok(), limits, folder.path())?);
        if let Some(path) = &args.out {
            page::write(path, COMMAND, &tables::markdown(&measured, &scope, &conditions))?;
        }
    }
    if args.out.is_none() {
        print!("{}", tables::markdown(&measured, &scope, &conditions));
    }
    let wrong = measured.iter().filter_map(|one| Some(format!("{}: {}", one.model, one.disagreement()?)));
    match wrong.collect::<Vec<_>>() {
        wrong if wrong.is_empty() => Ok(()),
        wrong => bail!("searches that should find the same do not: {}", wrong.join("; ")),
    }
}

fn subjects(args: &BenchArgs) -> Result<Vec<Subject>> {
    if !args.files.is_empty() {
        let open = |path: &std::path::PathBuf| {
            let name = path.file_stem().unwrap_or_default().display().to_string();
            let name = [&[name], args.defines.as_slice()].concat().join(" ");
            let model = Model::open(path, name, &args.defines)?;
            Ok(Subject { model, options: &[], most_states: None, about_size: false, murphi: None })
        };
        return args.files.iter().map(open).collect();
    }
    let part = args.models.as_deref().unwrap_or_default();
    let entries = ENTRIES.iter().filter(|entry| entry.title().contains(part));
    let subjects = entries.map(entries::Entry::open).collect::<Result<Vec<_>>>()?;
    if subjects.is_empty() {
        bail!("no model of the benchmark has `{part}` in its title");
    }
    Ok(subjects)
}

/// Whether a checker has the level `auto`.
fn knows_auto(quotient: &Quotient, model: &Model) -> bool {
    let mut options = Quotient::up_to(model, "bfs", AUTO);
    options.extend(["--max-states", "1", "--format", "json"].map(str::to_owned));
    let run = process::run(process::command(&quotient.path, Path::new("/"), options), quotient.limit);
    run.is_ok_and(|run| matches!(Quotient::read(&run), ours::Outcome::Checked(_)))
}

fn measure(
    args: &BenchArgs,
    subject: &Subject,
    scope: &Scope,
    binaries: &[(Binary, Quotient)],
    rumur: Option<&Rumur>,
    limits: Limits,
    folder: &Path,
) -> Result<Measured> {
    let name = &subject.model.name;
    let mut notes = Vec::new();
    let mut contestants = Vec::new();
    for &search in &scope.searches {
        for &level in &scope.levels {
            for (binary, quotient) in binaries {
                let tool = Tool::Quotient { binary: *binary, search, level };
                contestants.push(Contestant::quotient(tool, &quotient.path, subject, limits));
            }
        }
    }
    if let (Some(murphi), Some(rumur)) = (subject.murphi, rumur) {
        let (_, quotient) = &binaries[0];
        same_model(subject, murphi, quotient, rumur, folder)
            .with_context(|| format!("{name} and its Murphi text"))?;
        contestants.push(match rumur.build(murphi, &subject.model.defines, Reduction::Heuristic, folder) {
            Ok(verifier) => Contestant::rumur(verifier),
            Err(error) => Contestant::failed(Tool::Rumur, format!("{error:#}")),
        });
    }
    for repetition in 1..=args.repetitions() {
        for contestant in &mut contestants {
            let Some(how) = contestant.run(folder, limits)? else { continue };
            eprintln!("{name}: {}, run {repetition}: {how}", contestant.tool);
        }
    }
    let results: Vec<_> =
        contestants.iter().map(|contestant| (contestant.tool, contestant.figures(args.clock))).collect();
    notes.extend(heuristic_note(subject, &results));
    Ok(Measured { model: name.clone(), about_size: subject.about_size, results, notes })
}

/// What rumur's heuristic missed.
fn heuristic_note(subject: &Subject, results: &[(Tool, Result<runs::Figures, String>)]) -> Option<String> {
    let set_up = subject.murphi?.set_up;
    let complete = |wanted: &dyn Fn(Tool) -> bool| {
        let found = results.iter().find(|(tool, _)| wanted(*tool))?;
        found.1.as_ref().ok().filter(|figures| figures.complete)
    };
    let full = complete(&|tool| matches!(tool, Tool::Quotient { level: "full", .. }))?;
    let rumur = complete(&|tool| tool == Tool::Rumur)?;
    let times = (rumur.states + set_up) as f64 / full.states as f64;
    (rumur.states + set_up != full.states)
        .then(|| format!("rumur's heuristic stores {times:.1} states for each orbit"))
}

/// Compares the two texts at the size that they have by default, where all permutations can be tried.
fn same_model(
    subject: &Subject,
    murphi: entries::Murphi,
    quotient: &Quotient,
    rumur: &Rumur,
    folder: &Path,
) -> Result<()> {
    let limit = Duration::from_mins(1);
    let model = Model { defines: Vec::new(), ..subject.model.clone() };
    let mut options = Quotient::up_to(&model, "bfs", "full");
    options.extend(["--format", "json"].map(str::to_owned));
    let run = process::run(process::command(&quotient.path, folder, options), limit)?;
    let ours = match Quotient::read(&run) {
        ours::Outcome::Checked(report) if report.exhaustive => report,
        other => bail!("no exhaustive check: {other:?}"),
    };
    let verifier = rumur.build(murphi, &[], Reduction::Exhaustive, folder)?;
    let run = process::run(process::command(&verifier, folder, [""; 0]), limit)?;
    let theirs = murphi::read(&run).map_err(anyhow::Error::msg)?;
    let expected = (theirs.states + murphi.set_up, theirs.rules + murphi.set_up);
    if (ours.states, ours.transitions) != expected {
        bail!("{} orbits and {} steps, but rumur's are {expected:?}", ours.states, ours.transitions);
    }
    Ok(())
}

/// Tools, options and machine.
fn conditions(
    args: &BenchArgs,
    binaries: &[(Binary, Quotient)],
    rumur: &Result<Rumur, String>,
    limits: Limits,
) -> Result<Vec<String>> {
    let version = |program: &Path| process::version(program, "--version", limits.time);
    let mut lines = Vec::new();
    for (binary, quotient) in binaries {
        let which = if *binary == Binary::Other { ", the other checker" } else { "" };
        lines.push(format!(
            "{}{which}: `quotient check MODEL --por off --merge off --symmetry LEVEL --search ORDER \
             --max-states {} --time {}s`",
            version(&quotient.path)?,
            limits.states,
            limits.time.as_secs()
        ));
    }
    lines.push(match rumur {
        Ok(rumur) => format!(
            "{}: `rumur {} --symmetry-reduction heuristic`, {} `{} -lpthread`",
            version(&rumur.program)?,
            murphi::OPTIONS.join(" "),
            version(&rumur.cc)?,
            murphi::CC_OPTIONS.join(" ")
        ),
        Err(why) => format!("without rumur: {why}"),
    });
    lines.extend([
        format!("on {}", machine()),
        medians(args),
        "ns: user time per transition; *: of a search that ended at its limit; <, >: a search ended at its \
         limit, so that only a bound is known; means are over exact numbers, without crowd and heap"
            .to_owned(),
    ]);
    Ok(lines)
}
