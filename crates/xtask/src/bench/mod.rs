//! `xtask bench`: time, speed and memory of Quotient with each store and of SPIN in the matching mode.
//!
//! All explore all states of a model without reductions. The tools take turns, so that a machine that gets
//! slower or faster meanwhile does not favour one of them; the median over the repetitions counts. SPIN's
//! verifier is compiled beforehand: only the exploration is measured (`xtask startup` measures the rest).
//!
//! Memory is the peak of the process, minus the peak of a run that explores next to nothing. SPIN's hash
//! table is part of the latter: the verifier fills it with zeros at the start, however many states follow.

mod contest;
mod dynamic;
mod models;
mod report;
mod symmetric;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::model::Model;
use crate::ours::Quotient;
use crate::page::{self, machine};
use crate::process;
use crate::spin::{Effort, Spin};
use contest::{Contestant, DEFAULT, MODES, STORES, SpinSettings, Store};
use models::{DYNAMIC, ENTRIES, Entry};
use report::{Clock, Measured};

#[derive(Args)]
pub struct BenchArgs {
    /// Models to measure [default: those of the benchmark]
    pub files: Vec<PathBuf>,

    /// Define a constant of these models
    #[arg(short = 'D', value_name = "NAME=VALUE", requires = "files")]
    pub defines: Vec<String>,

    /// Only those models of the benchmark that have this in their title, such as `leader`
    #[arg(long, value_name = "PART", conflicts_with = "files")]
    pub models: Option<String>,

    /// Only these stores, and the modes of SPIN's that match
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub stores: Vec<String>,

    /// Compare the stores with each other, on models with objects and threads and with all symmetry; without
    /// SPIN
    #[arg(long, conflicts_with_all = ["spin_table", "examples"])]
    pub dynamic: bool,

    /// Compare the levels of symmetry with each other, and with rumur where it is installed, on symmetric
    /// models; without SPIN
    #[arg(long, conflicts_with_all = ["dynamic", "stores", "spin_table", "examples"])]
    pub symmetric: bool,

    /// With --symmetric: another checker to measure in turns with the first one
    #[arg(long, value_name = "PATH", requires = "symmetric")]
    pub against: Option<PathBuf>,

    /// Order of exploration (usual with --symmetric: both)
    #[arg(long, value_enum, default_value_t = Search::Usual)]
    pub search: Search,

    /// Runs of each tool with each model, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub repetitions: u32,

    /// One repetition with the stores trie and exact (with --symmetric: breadth first, at most 5 seconds)
    #[arg(long, conflicts_with_all = ["stores", "repetitions"])]
    pub quick: bool,

    /// For each run of each tool [default: 300; with --symmetric, 20]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,

    /// Which time speeds are computed from
    #[arg(long, value_enum, default_value_t = Clock::Wall)]
    pub clock: Clock,

    /// Slots of SPIN's hash table, as a power of two, in all modes but -DBITSTATE [default: SPIN's]
    #[arg(long, value_name = "BITS")]
    pub spin_table: Option<u32>,

    /// Where SPIN's examples are
    #[arg(long, value_name = "DIR", default_value = "/usr/share/doc/spin/examples/Examples")]
    pub examples: PathBuf,

    /// The checker to measure [default: built by cargo]
    #[arg(long, value_name = "PATH")]
    pub quotient: Option<PathBuf>,

    /// Where to write the tables, after each model: between the marks `<!-- cargo xtask bench -->` (or `<!--
    /// cargo xtask bench --dynamic -->`, `<!-- cargo xtask bench --symmetric -->`) and `<!-- end -->` where
    /// the file has them [default: standard output, at the end]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Search {
    /// The one that each tool takes by itself
    Usual,
    Dfs,
    Bfs,
}

impl Search {
    /// The option for a store.
    const fn of(self, store: &Store) -> &'static str {
        match self {
            Self::Usual if store.queues => "bfs",
            Self::Usual | Self::Dfs => "dfs",
            Self::Bfs => "bfs",
        }
    }

    /// The option in the command that the page shows.
    const fn option(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Dfs => " --search dfs",
            Self::Bfs => " --search bfs",
        }
    }

    /// Definitions for the C compiler, which leave out claims in any case.
    fn defines(self) -> Vec<&'static str> {
        match self {
            Self::Usual | Self::Dfs => vec!["-DNOCLAIM"],
            Self::Bfs => vec!["-DNOCLAIM", "-DBFS"],
        }
    }
}

/// The memory limit of SPIN's verifier, in megabytes.
const SPIN_MEMORY: u32 = 20_000;

/// In seconds: the time limit of each run.
const TIMEOUT: u64 = 300;

/// The command that prints the tables.
const COMMAND: &str = "cargo xtask bench";

pub fn run(args: &BenchArgs) -> Result<()> {
    if args.dynamic {
        return dynamic::run(args);
    }
    if args.symmetric {
        return symmetric::run(args);
    }
    let limit = Duration::from_secs(args.timeout());
    let mut spin = Spin::find(limit, Effort::Large)?;
    spin.memory = SPIN_MEMORY;
    let quotient = Quotient::find(args.quotient.clone(), "dist", limit)?;
    let stores = args.stores()?;
    let mut measured = Vec::new();
    let mut conditions = conditions(args, &spin, &quotient)?;
    for selected in args.selected()? {
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        let model = selected.open(args, folder.path())?;
        match measure(args, &model, &spin, &quotient, &stores, folder.path())? {
            Ok(figures) => measured.push(figures),
            Err(why) => conditions.push(format!("left out: {}, {why}", model.name)),
        }
        if let Some(path) = &args.out {
            page::write(path, COMMAND, &report::markdown(&measured, args.clock, &conditions))?;
        }
    }
    if args.out.is_none() {
        print!("{}", report::markdown(&measured, args.clock, &conditions));
    }
    Ok(())
}

/// All tools with one model, or why SPIN can't explore it.
fn measure(
    args: &BenchArgs,
    model: &Model,
    spin: &Spin,
    quotient: &Quotient,
    stores: &[&'static Store],
    folder: &Path,
) -> Result<Result<Measured, String>> {
    let settings = SpinSettings { defines: args.search.defines(), table_bits: args.spin_table };
    let survey = match contest::survey(spin, model, folder, &settings.defines)? {
        Ok(survey) => survey,
        Err(why) => {
            eprintln!("{}: left out, {why}", model.name);
            return Ok(Err(why));
        }
    };
    let mut contestants = Vec::new();
    for mode in MODES {
        let matching: Vec<_> = stores.iter().filter(|store| store.against == mode).collect();
        for &&store in &matching {
            contestants.push(Contestant::quotient(store, quotient, model, args.search.of(store), "none"));
        }
        if !matching.is_empty() || mode == DEFAULT {
            contestants.push(Contestant::spin(mode, spin, folder, &survey, &settings)?);
        }
    }
    for repetition in 1..=args.repetitions() {
        for contestant in &mut contestants {
            let Some(how) = contestant.run(folder, spin.limit)? else { continue };
            eprintln!("{}: {}, run {repetition}: {how}", model.name, contestant.tool.name());
        }
    }
    Ok(Ok(Measured { model: model.name.clone(), vector: survey.vector, contestants }))
}

impl BenchArgs {
    fn stores(&self) -> Result<Vec<&'static Store>> {
        let named = |name: &str| STORES.iter().find(|store| store.name == name);
        let names: Vec<&str> = match self.stores.as_slice() {
            _ if self.quick => vec!["trie", "exact"],
            [] => STORES.iter().map(|store| store.name).collect(),
            names => names.iter().map(String::as_str).collect(),
        };
        names.into_iter().map(|name| named(name).with_context(|| format!("no store {name}"))).collect()
    }

    fn timeout(&self) -> u64 {
        let default = match (self.symmetric, self.quick) {
            (false, _) => TIMEOUT,
            (true, false) => symmetric::TIMEOUT,
            (true, true) => symmetric::QUICK_TIMEOUT,
        };
        self.timeout.unwrap_or(default)
    }

    const fn repetitions(&self) -> u32 {
        if self.quick { 1 } else { self.repetitions }
    }
}

/// A model that is asked for.
enum Selected<'a> {
    Entry(&'static Entry),
    File(&'a Path),
}

impl BenchArgs {
    fn selected(&self) -> Result<Vec<Selected<'_>>> {
        if !self.files.is_empty() {
            return Ok(self.files.iter().map(|path| Selected::File(path)).collect());
        }
        let part = self.models.as_deref().unwrap_or_default();
        let entries = if self.dynamic { DYNAMIC } else { ENTRIES };
        let entries = entries.iter().filter(|entry| entry.title().contains(part));
        let selected: Vec<_> = entries.map(Selected::Entry).collect();
        if selected.is_empty() {
            bail!("no model of the benchmark has `{part}` in its title");
        }
        Ok(selected)
    }
}

impl Selected<'_> {
    fn open(&self, args: &BenchArgs, folder: &Path) -> Result<Model> {
        match self {
            Self::Entry(entry) => entry.open(&args.examples, folder),
            Self::File(path) => {
                let name = path.file_stem().unwrap_or_default().display().to_string();
                let name = [&[name], args.defines.as_slice()].concat().join(" ");
                Model::open(path, name, &args.defines)
            }
        }
    }
}

/// Tools, options and machine.
fn conditions(args: &BenchArgs, spin: &Spin, quotient: &Quotient) -> Result<Vec<String>> {
    let version = |program: &Path, option| process::version(program, option, spin.limit);
    let ours = version(&quotient.path, "--version")?;
    let theirs = version(&spin.program, "-V")?;
    let cc = version(&spin.cc, "--version")?;
    let search = args.search.option();
    let defines = args.search.defines().join(" ");
    let table = args.spin_table.map(|bits| format!(" -w{bits}")).unwrap_or_default();
    Ok(vec![
        format!(
            "{ours}: `quotient check MODEL --por off --merge off --symmetry none{search} --continue \
             --store STORE`"
        ),
        format!(
            "{theirs}: `spin -a -o3 MODEL`, `cc -O2 -DNOREDUCE -DSAFETY {defines} -DMEMLIM={SPIN_MEMORY} MODE pan.c`, \
             `pan -n -mDEPTH{table}` with {cc}"
        ),
        format!("on {}", machine()),
        medians(args),
    ])
}

fn medians(args: &BenchArgs) -> String {
    let clock = match args.clock {
        Clock::Wall => "elapsed",
        Clock::Cpu => "processor",
    };
    format!("medians of {}; speeds by {clock} time; MB are 10^6 bytes", args.repetitions())
}
