//! `xtask spin`: the comparison of many models, a few at a time.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;

use crate::compare::{self, Difference, Ours, Status};
use crate::known::KnownDifferences;
use crate::model::{self, Model};
use crate::ours::{self, Quotient, Reductions, Report};
use crate::random;
use crate::spin::{self, Effort, Exploration, Spin};
use crate::table::{Table, grouped};
use crate::temporal::{self, Asked};

pub const EXAMPLES: &str = "/usr/share/doc/spin/examples";
const JOBS: usize = 2;

#[derive(Args)]
pub struct SpinArgs {
    /// Models to compare [default: those of the project, and SPIN's examples]
    pub models: Vec<PathBuf>,

    /// Define a constant of the models
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub defines: Vec<String>,

    /// Skip what SPIN does not finish in two seconds
    #[arg(long)]
    pub quick: bool,

    /// For each run of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,

    /// Where SPIN's examples are
    #[arg(long, value_name = "DIR", default_value = EXAMPLES)]
    pub examples: PathBuf,

    /// The checker to compare [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,

    /// Compare the verdicts on temporal properties instead
    #[arg(long, conflicts_with_all = ["spin_only", "merge", "json"])]
    pub properties: bool,

    /// Merge statements, on both sides
    #[arg(long)]
    pub merge: bool,

    /// Show SPIN's side only
    #[arg(long)]
    pub spin_only: bool,

    /// Print a JSON array instead of a table; with `--random` an object a program
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub random: random::RandomArgs,
}

/// The tools of a comparison.
pub struct Tools {
    pub spin: Spin,
    /// `None`: SPIN's side only.
    pub quotient: Option<Quotient>,
}

/// Everything about one model.
pub struct Comparison {
    pub spin: spin::Outcome,
    pub ours: Option<Ours>,
    pub status: Status,
}

impl Tools {
    pub fn find(args: &SpinArgs, effort: Effort) -> Result<Self> {
        let limit = Duration::from_secs(args.timeout);
        let mut spin = Spin::find(limit, effort)?;
        if args.quick || effort == Effort::Tiny {
            spin.verifier_limit = Duration::from_secs(2);
        }
        spin.merge = args.merge;
        let mut quotient = if args.spin_only {
            None
        } else {
            Some(Quotient::find(args.quotient.clone(), "release", limit)?)
        };
        if let Some(quotient) = &mut quotient {
            quotient.reductions.merge = args.merge;
        }
        Ok(Self { spin, quotient })
    }

    pub fn quotient(&self) -> Result<&Quotient> {
        self.quotient.as_ref().context("there is nothing to compare with SPIN")
    }

    /// Both tools, for questions about temporal properties; ours with these reductions as well.
    pub fn asked<'a>(&'a self, reductions: &'a [Reductions]) -> Result<Asked<'a>> {
        let (spin, quotient) = (Some(&self.spin), self.quotient()?);
        Ok(Asked { spin, spin_reduced: false, quotient, reductions })
    }

    /// Compares the results of both tools for a model, and ours with these reductions as well.
    pub fn compare(&self, model: &Model, reductions: &[Reductions]) -> Result<Comparison> {
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        let spin = self.spin.explore(model, folder.path())?;
        let Some(quotient) = &self.quotient else {
            let status = match &spin {
                spin::Outcome::Unusable(why) => Status::Skipped(why.clone()),
                spin::Outcome::Refused(_) => Status::Same(Some("refused")),
                spin::Outcome::Explored(_) => Status::Same(None),
            };
            return Ok(Comparison { spin, ours: None, status });
        };
        if let spin::Outcome::Unusable(why) = &spin {
            let status = Status::Skipped(why.clone());
            return Ok(Comparison { spin, ours: None, status });
        }
        if self.spin.merge && model.observes_merging() {
            let status = Status::Skipped("SPIN merges more than is sound".to_owned());
            return Ok(Comparison { spin, ours: None, status });
        }
        let ours = Ours {
            depth_first: quotient.explore(model, "dfs", folder.path())?,
            breadth_first: quotient.explore(model, "bfs", folder.path())?,
            reduced: reductions
                .iter()
                .map(|&reductions| quotient.with(reductions).explore(model, "dfs", folder.path()))
                .collect::<Result<_>>()?,
        };
        let status = compare::compare(&spin, &ours, model.has_embedded_c());
        Ok(Comparison { spin, ours: Some(ours), status })
    }
}

/// Compares. Returns whether there were no differences.
pub fn run(args: &SpinArgs) -> Result<bool> {
    if args.random.count.is_some() {
        return random::run(args);
    }
    // Short runs are not worth an optimized compilation.
    let tools = Tools::find(args, if args.quick { Effort::Tiny } else { Effort::Large })?;
    let models = models(args)?;
    let mut known =
        KnownDifferences::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("known-differences.txt"))?;
    if args.properties {
        return run_properties(&tools, &models, &mut known);
    }
    let comparisons = in_parallel(models.len(), |index| tools.compare(&models[index], &[]))?;
    let rows: Vec<Row> = models
        .iter()
        .zip(&comparisons)
        .map(|(model, comparison)| Row::new(&model.name, comparison, &mut known))
        .collect();
    let failed = rows.iter().filter(|row| row.failed()).count();
    let stale = known.stale();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print!("{}", table(&rows));
        for row in &rows {
            row.explain();
        }
        let skipped = rows.iter().filter(|row| row.result == "skipped").count();
        for entry in &stale {
            println!("stale: {entry} is listed as a known difference, but does not occur");
        }
        let passed = rows.len() - failed - skipped;
        println!("{passed} passed, {} failed, {skipped} skipped", failed + stale.len());
    }
    Ok(failed == 0 && stale.is_empty())
}

/// Compares the verdicts on temporal properties. Returns whether there were no differences.
fn run_properties(tools: &Tools, models: &[Model], known: &mut KnownDifferences) -> Result<bool> {
    let asked = tools.asked(&[Reductions::BOTH])?;
    let comparisons = in_parallel(models.len(), |index| temporal::compare(&asked, &models[index]))?;
    let mut table = Table::new(&["model", "property", "SPIN", "ours", "SPIN, fair", "ours, fair"]);
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (model, comparison) in models.iter().zip(&comparisons) {
        for pair in comparison.answers.chunk_by(|a, b| a.question == b.question) {
            let answers =
                pair.iter().flat_map(|answers| [&answers.spin, &answers.ours].map(ToString::to_string));
            let mut cells = vec![model.name.clone(), pair[0].question.clone()];
            cells.extend(answers.chain(["-".to_owned(), "-".to_owned()]).take(4));
            table.push(cells);
        }
        match &comparison.status {
            Status::Skipped(_) => skipped += 1,
            Status::Same(_) => passed += 1,
            Status::Differs(differences) => {
                if let Some(reason) = known.excuse(&model.name, differences) {
                    passed += 1;
                    println!("{}: known: {reason}", model.name);
                } else {
                    failed += 1;
                    for difference in differences {
                        println!("{} differs in {}: {}", model.name, difference.what, difference.detail);
                    }
                }
            }
        }
    }
    print!("{}", table.plain());
    println!("{passed} passed, {failed} failed, {skipped} without properties or skipped");
    Ok(failed == 0)
}

/// The models of the command line, or all there are.
fn models(args: &SpinArgs) -> Result<Vec<Model>> {
    these_or_all(&args.models, &args.defines, &["promela", "temporal"], Some(&args.examples))
}

/// The named models, or those of the project in these folders and SPIN's examples.
pub fn these_or_all(
    named: &[PathBuf],
    defines: &[String],
    folders: &[&str],
    examples: Option<&Path>,
) -> Result<Vec<Model>> {
    if !named.is_empty() {
        let open = |path: &PathBuf| Model::open(path, path.display().to_string(), defines);
        return named.iter().map(open).collect();
    }
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").canonicalize()?;
    let mut models = Vec::new();
    for folder in folders {
        models.extend(model::below(&ours.join(folder), &ours)?);
    }
    match examples {
        Some(examples) if examples.is_dir() => models.extend(model::below(examples, examples)?),
        Some(examples) if examples != Path::new(EXAMPLES) => bail!("no folder {}", examples.display()),
        _ => {}
    }
    Ok(models)
}

/// The results of `work(0)`, `work(1)`, ... in order.
pub fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..JOBS.min(count) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let result = work(index);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A model's line in the table.
#[derive(Serialize)]
pub struct Row {
    model: String,
    spin: Option<Exploration>,
    spin_refuses: Option<String>,
    ours: Option<Report>,
    /// `ok`, `known`, `skipped` or `differs`.
    result: &'static str,
    remark: String,
    differences: Vec<Difference>,
}

impl Row {
    pub fn new(model: &str, comparison: &Comparison, known: &mut KnownDifferences) -> Self {
        let mut row = Self {
            model: model.to_owned(),
            spin: None,
            spin_refuses: None,
            ours: None,
            result: "ok",
            remark: String::new(),
            differences: Vec::new(),
        };
        match &comparison.spin {
            spin::Outcome::Explored(found) => row.spin = Some(found.clone()),
            spin::Outcome::Refused(why) => row.spin_refuses = Some(why.clone()),
            spin::Outcome::Unusable(_) => {}
        }
        if let Some(Ours { depth_first: ours::Outcome::Checked(report), .. }) = &comparison.ours {
            row.ours = Some(report.clone());
        }
        match &comparison.status {
            Status::Skipped(why) => {
                row.result = "skipped";
                row.remark.clone_from(why);
            }
            Status::Same(remark) => {
                known.excuse(model, &[]);
                remark.unwrap_or_default().clone_into(&mut row.remark);
            }
            Status::Differs(differences) => {
                row.differences.clone_from(differences);
                if let Some(reason) = known.excuse(model, differences) {
                    row.result = "known";
                    row.remark = reason;
                } else {
                    row.result = "differs";
                    let words: Vec<_> = differences.iter().map(|difference| difference.what).collect();
                    row.remark = format!("in {}", words.join(", "));
                }
            }
        }
        row
    }

    fn failed(&self) -> bool {
        self.result == "differs"
    }

    fn verdict(&self) -> String {
        match (&self.spin, &self.spin_refuses) {
            (Some(found), _) => found.verdict(),
            (None, Some(_)) => "refused".to_owned(),
            (None, None) => "-".to_owned(),
        }
    }

    /// Prints the differences in detail.
    fn explain(&self) {
        for difference in &self.differences {
            if self.failed() {
                println!("{} differs in {}: {}", self.model, difference.what, difference.detail);
            }
        }
    }
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        "model",
        "verdict",
        ">SPIN: states",
        ">transitions",
        ">s",
        ">depth",
        ">ours: states",
        ">transitions",
        ">s",
        ">depth",
        "result",
    ]);
    for row in rows {
        let mut cells = vec![row.model.clone(), row.verdict()];
        let counts = |states: u64, transitions: u64, seconds: f64, depth: u64| {
            [grouped(states), grouped(transitions), format!("{seconds:.2}"), grouped(depth)]
        };
        let none = || ["-", "-", "-", "-"].map(str::to_owned);
        let spin = row.spin.as_ref();
        cells.extend(spin.map_or_else(none, |s| counts(s.states, s.transitions, s.seconds, s.depth)));
        let ours = row.ours.as_ref();
        cells
            .extend(ours.map_or_else(none, |o| counts(o.states, o.stored_and_matched(), o.seconds, o.depth)));
        cells.push(format!("{} {}", row.result, row.remark).trim().to_owned());
        table.push(cells);
    }
    table.plain()
}
