//! Random programs with temporal properties: the verdicts of both tools on each.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use testing::promela::{self, Program, Purpose};

use super::{SHRINK_BUDGET, show};
use crate::compare::Status;
use crate::model::Model;
use crate::suite::{SpinArgs, in_parallel};
use crate::temporal::{self, Answer, Asked, Comparison};

/// Compares. Returns whether there were no differences.
pub fn run(args: &SpinArgs, asked: &Asked<'_>) -> Result<bool> {
    let random = &args.random;
    let results = in_parallel(random.count.unwrap_or_default() as usize, |offset| {
        let index = random.first + offset as u64;
        let program = promela::program(random.seed, index, Purpose::Properties);
        let comparison = compare(asked, &program)?;
        if let Status::Differs(differences) = &comparison.status {
            let what = differences.first().map(|difference| difference.what);
            let least = random.shrink.then(|| {
                promela::shrink(&program, SHRINK_BUDGET, |candidate| {
                    compare(asked, candidate).is_ok_and(|comparison| first(&comparison) == what)
                })
            });
            show(args, index, differences, &least.unwrap_or(program))?;
        }
        Ok(comparison)
    })?;
    let mut programs: BTreeMap<String, usize> = BTreeMap::new();
    let mut answers: BTreeMap<String, usize> = BTreeMap::new();
    let mut failed = 0;
    for comparison in &results {
        let result = match &comparison.status {
            Status::Same(_) => "same".to_owned(),
            Status::Skipped(why) => format!("skipped: {why}"),
            Status::Differs(_) => {
                failed += 1;
                "different".to_owned()
            }
        };
        *programs.entry(result).or_default() += 1;
        for answer in &comparison.answers {
            let about = if answer.question.starts_with('f') { "formula" } else { &answer.question };
            let fair = if answer.is_fair { ", fair" } else { "" };
            // Reasons are about the program.
            let spin = match &answer.spin {
                Answer::None(_) => "gives no answer".to_owned(),
                spin => spin.to_string(),
            };
            let how = format!("{about}{fair}: SPIN {spin}, ours {}", answer.ours);
            *answers.entry(how).or_default() += 1;
        }
    }
    for (title, counts) in [("programs", &programs), ("answers", &answers)] {
        println!("{title}:");
        for (what, count) in counts {
            println!("{count:6} {what}");
        }
    }
    let total: usize = answers.values().sum();
    println!("{} programs, {total} answers, each with all reductions, {failed} failed", results.len());
    Ok(failed == 0)
}

fn first(comparison: &Comparison) -> Option<&'static str> {
    match &comparison.status {
        Status::Differs(differences) => differences.first().map(|difference| difference.what),
        Status::Same(_) | Status::Skipped(_) => None,
    }
}

fn compare(asked: &Asked<'_>, program: &Program) -> Result<Comparison> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let path = folder.path().join("random.pml");
    fs::write(&path, program.to_string()).context("can't write a temporary file")?;
    let model = Model { name: "random.pml".into(), path, defines: Vec::new() };
    temporal::compare(asked, &model)
}
