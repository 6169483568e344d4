//! Random programs through the same comparison as models.

mod properties;
mod statistics;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use testing::promela::{self, Program, Purpose};

use crate::compare::{Difference, Status};
use crate::kinds;
use crate::known::KnownDifferences;
use crate::model::Model;
use crate::ours::Reductions;
use crate::spin::{Effort, Outcome};
use crate::suite::{Comparison, Row, SpinArgs, Tools, in_parallel};
use statistics::Statistics;

/// The largest number of trials to shrink a program.
const SHRINK_BUDGET: usize = 1500;

#[derive(Args)]
pub struct RandomArgs {
    /// Compare this many random programs instead of models
    #[arg(long = "random", value_name = "N")]
    pub count: Option<u64>,

    /// Which random programs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// The number of the first program; with `--random 1`: just this one
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub first: u64,

    /// Make programs that show a difference as small as possible
    #[arg(long)]
    pub shrink: bool,

    /// Save programs that show a difference here
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,

    /// Only print the programs
    #[arg(long)]
    pub print: bool,
}

/// Compares. Returns whether there were no differences.
pub fn run(args: &SpinArgs) -> Result<bool> {
    let random = &args.random;
    let count = random.count.unwrap_or_default();
    let purpose = if args.properties { Purpose::Properties } else { Purpose::Safety };
    if random.print {
        for index in random.first..random.first + count {
            let program = promela::program(random.seed, index, purpose);
            println!("// seed {}, program {index}\n{program}", random.seed);
        }
        return Ok(true);
    }
    if let Some(folder) = &random.keep {
        fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    }
    let tools = Tools::find(args, Effort::Tiny)?;
    if args.properties {
        return properties::run(args, &tools.asked(Reductions::ALL)?);
    }
    let results = in_parallel(count as usize, |offset| {
        let index = random.first + offset as u64;
        let program = promela::program(random.seed, index, purpose);
        let comparison = compare(&tools, &program)?;
        if let Status::Differs(differences) = &comparison.status {
            let shown = if random.shrink { least(&tools, &program, &comparison) } else { program.clone() };
            show(args, index, differences, &shown)?;
        }
        Ok((program, comparison))
    })?;
    let mut statistics = Statistics::default();
    for (offset, (program, comparison)) in results.iter().enumerate() {
        statistics.add(program, comparison);
        if args.json {
            let name = format!("{}-{}", random.seed, random.first + offset as u64);
            let row = Row::new(&name, comparison, &mut KnownDifferences::default());
            println!("{}", serde_json::to_string(&row)?);
        }
    }
    if !args.json {
        print!("{statistics}");
    }
    Ok(statistics.failed == 0)
}

/// Prints and saves a program that shows these differences.
fn show(args: &SpinArgs, index: u64, differences: &[Difference], program: &Program) -> Result<()> {
    let random = &args.random;
    let mut text = format!("// seed {}, program {index}", random.seed);
    for difference in differences {
        let detail = difference.detail.replace('\n', "\n//   ");
        let _ = write!(text, "\n// differs in {}: {detail}", difference.what);
    }
    let text = format!("{text}\n{program}");
    if !args.json {
        println!("{text}");
    }
    if let Some(folder) = &random.keep {
        let path = folder.join(format!("{}-{index}.pml", random.seed));
        fs::write(&path, &text).with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

fn compare(tools: &Tools, program: &Program) -> Result<Comparison> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let path = folder.path().join("random.pml");
    fs::write(&path, program.to_string()).context("can't write a temporary file")?;
    let model = Model { name: "random.pml".into(), path, defines: Vec::new() };
    let mut comparison = tools.compare(&model, Reductions::ALL)?;
    // Refused programs are compared for written models: here they are mistakes of the generator.
    if let Outcome::Refused(_) = comparison.spin {
        comparison.status = Status::Same(Some("refused"));
    }
    Ok(comparison)
}

/// The smallest program that differs in the same way, and has no undefined behaviour that this one does not
/// have.
fn least(tools: &Tools, program: &Program, comparison: &Comparison) -> Program {
    let first = |comparison: &Comparison| match &comparison.status {
        Status::Differs(differences) => differences.first().map(|difference| difference.what),
        Status::Same(_) | Status::Skipped(_) => None,
    };
    let undefined = |comparison: &Comparison| match &comparison.spin {
        Outcome::Explored(found) => found.kinds.iter().any(|kind| kinds::UNDEFINED.contains(&kind.as_str())),
        Outcome::Refused(_) | Outcome::Unusable(_) => false,
    };
    let what = first(comparison);
    let may_be_undefined = undefined(comparison);
    promela::shrink(program, SHRINK_BUDGET, |candidate| {
        compare(tools, candidate).is_ok_and(|comparison| {
            first(&comparison) == what && (may_be_undefined || !undefined(&comparison))
        })
    })
}
