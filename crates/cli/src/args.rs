//! The command line, as users type it.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use check::checkpoint::{self, Checkpointing};
use check::config::{
    Bounds, Config, Fairness, Heap, Leaks, Limits, Minimise, Naming, OnBound, SearchKind, Sizes, StoreKind,
    StoreOptions, Switch, Symmetry,
};
use clap::{Args, Parser, Subcommand, ValueEnum};

use check::{Extension, Language, MemoryOptions};

use crate::document::Document;
use crate::explain::ExplainArgs;
use crate::reference::{CompletionsArgs, ManArgs};
use crate::units::{parse_bits, parse_count, parse_duration, parse_size};
use crate::view::ViewArgs;

pub const EXAMPLES: &str = "\
Examples:
  quotient check models/philosophers.bir             find the deadlock, with a short counterexample
  quotient check models/philosophers.bir -D N=5      the same table with five seats
  quotient check model.bir --search dfs --continue   find all violations, depth first
  quotient check ring.pml -D N=3                     check a Promela model
  quotient check model.bir ring.pml --format junit   check several models, with a report for CI
  quotient check ring.pml --ltl '<>[](i==2)'         check that all runs satisfy a formula
  quotient check model.bir --checkpoint kept         keep checkpoints: `quotient resume kept` goes on
  quotient replay model.bir model.trail.json         show a counterexample again
  quotient replay ring.pml ring.pml.trail --msc      draw the messages of a run that SPIN found
  quotient simulate model.bir --seed 7               run it once, at random
  quotient explain E0201                             explain an error by its code
  quotient fmt --check model.bir                     list the models that are not formatted

Exit codes:
  0 holds   1 violated   2 bad usage or bad model   3 inconclusive, or less than a proof
  4 internal error   130 interrupted";

const STORE: &str = "\
Where visited states are kept.
Exact stores (a completed search is a proof):
trie                as trees with shared equal parts
exact               as packed vectors
collapse            as numbers of their components
gzip                as packed vectors, compressed
automaton           as the words of a minimal automaton; slow, depth first
collapse+automaton  as the words of a minimal automaton, numbers of components; depth first
naive               in a plain hash map, for comparison
Lossy stores (may lose states; depth first only):
compact             8 bytes of a hash (--hash-bytes)
bitstate            a few bits (--arena, --hashes, --refine, --coverage, --swarm)";

const FORMAT: &str = "\
How to print the report:
human     as text
json      as an object
junit     as JUnit XML, with a test case for each goal
sarif     as SARIF 2.1.0, with a result for each violation";

const SYMMETRY: &str = "\
Which states count as one:
none      only equal states
heap      states that differ only in addresses of objects
pc        also many that differ in threads, sorted by location
bots[=K]  also more of these, sorted by what threads reach [by K references]
full      states that differ only in names of objects, threads and abstract ids
auto      full, or none where a sample of states has none that full would make one";

const NAMING: &str = "\
How objects get their names under symmetry:
auto      as is fastest: small states anew for each state, others as with chain
chain     by the shortest path to the object, updated after each step
dfs       by traversing each state
[default: auto]";

/// Checks concurrent programs that create threads and objects while they run.
///
/// Quotient explores every interleaving of a model and reports deadlocks, failed assertions, broken
/// invariants and runtime faults, each with a counterexample that was replayed before it is shown.
#[derive(Parser)]
#[command(name = "quotient", version = env!("QUOTIENT_VERSION"), after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Explore all states of one or several models and give verdicts
    Check(Box<CheckArgs>),
    /// Go on with a check from its checkpoint
    Resume(ResumeArgs),
    /// Replay a trail on the reference interpreter and show it
    Replay(ReplayArgs),
    /// Run a model once, at random or step by step
    Simulate(SimulateArgs),
    /// Show the compiled model
    Print(PrintArgs),
    /// Write the state graph of a (small) model
    Graph(GraphArgs),
    /// Walk through the states of a model on a local web page
    Explore(ExploreArgs),
    /// Format models in BIR
    Fmt(FmtArgs),
    /// Talk with an editor: a language server for BIR and Promela
    Lsp(LspArgs),
    /// Explain errors and warnings by their codes
    Explain(ExplainArgs),
    /// Print completions of the command line for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

impl Command {
    /// If the result is to be a document: which one, and the model, if there is one only.
    pub fn document(&self) -> Option<(Document, Option<&Path>)> {
        let (document, model) = match self {
            Self::Check(args) => return args.document().map(|document| (document, args.only_model())),
            Self::Resume(args) => {
                return args.format.and_then(CheckFormat::document).map(|document| (document, None));
            }
            Self::Replay(args) => (args.format == ReportFormat::Json, &args.model),
            Self::Graph(args) => (args.format == GraphFormat::Json, &args.model),
            Self::Simulate(args) => (false, &args.model),
            Self::Print(args) => (false, &args.model),
            Self::Explore(args) => (false, &args.model),
            Self::Fmt(_) | Self::Lsp(_) | Self::Explain(_) | Self::Completions(_) | Self::Man(_) => {
                return None;
            }
        };
        document.then_some((Document::Json, Some(&model.model)))
    }
}

#[derive(Args, Clone)]
pub struct ModelArgs {
    /// The model: BIR if the file name ends in .bir, otherwise Promela
    pub model: PathBuf,

    #[command(flatten)]
    pub compile: CompileArgs,
}

/// How a model is read.
#[derive(Args, Clone)]
pub struct CompileArgs {
    /// The language of the model [default: from the file name]
    #[arg(long, value_name = "LANGUAGE", value_parser = choice::<Language>)]
    pub language: Option<Language>,

    /// Whether a Promela model may use objects, pointers and functions: `auto`, if it does, it is a model in dynamic
    /// Promela; `spin`, no; `dynamic`, it is one in any case [default: auto]
    #[arg(long, value_name = "DIALECT", value_parser = choice::<Extension>)]
    pub dialect: Option<Extension>,

    /// Give a constant of the model another value (also GROUP.NAME=VALUE), or define a macro of a Promela
    /// model (NAME alone is NAME=1)
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_define)]
    pub defines: Vec<Define>,

    /// How objects come to their end: `gc`, when nothing refers to them, or `explicit`, by `delete` [default:
    /// explicit if the model deletes objects]
    #[arg(long, value_name = "MODE", value_parser = choice::<Heap>)]
    pub heap: Option<Heap>,

    /// With explicit memory, which objects that are not deleted are violations: `unreachable`, those that
    /// nothing refers to any more; `end`, also those that are there when all threads have ended; `off`, none
    /// [default: unreachable]
    #[arg(long, value_name = "WHICH", value_parser = choice::<Leaks>)]
    pub leaks: Option<Leaks>,
}

impl CompileArgs {
    pub fn memory(&self) -> MemoryOptions {
        MemoryOptions { heap: self.heap, leaks: self.leaks }
    }
}

/// A name, and the value that it is given.
#[derive(Clone)]
pub struct Define {
    pub name: String,
    pub value: Option<String>,
}

#[derive(Args)]
#[allow(clippy::struct_field_names, reason = "they are the names of the options")]
pub struct SizeArgs {
    /// Maximum number of objects (records, arrays, locks) at a time, including those that the running step
    /// has dropped
    #[arg(long, value_name = "N", default_value_t = usual_sizes().objects, value_parser = size_bound)]
    pub max_objects: u32,

    /// Maximum number of threads (Promela: processes) at a time, including ended ones that are still
    /// referenced
    #[arg(long, value_name = "N", default_value_t = usual_sizes().threads, value_parser = size_bound)]
    pub max_threads: u32,

    /// Maximum number of frames per thread
    #[arg(long, value_name = "N", default_value_t = usual_sizes().frames, value_parser = frame_bound)]
    pub max_frames: u32,
}

impl SizeArgs {
    pub fn sizes(&self) -> Sizes {
        Sizes { threads: self.max_threads, frames: self.max_frames, objects: self.max_objects }
    }
}

#[derive(Args)]
pub struct BoundArgs {
    #[command(flatten)]
    pub sizes: SizeArgs,

    /// What to do with a step that exceeds a bound: truncate (do not take it; the verdict says so) or error
    /// (a violation)
    #[arg(long, value_name = "WHAT", default_value_t, value_parser = choice::<OnBound>)]
    pub on_bound: OnBound,
}

impl BoundArgs {
    pub fn bounds(&self) -> Bounds {
        Bounds { sizes: self.sizes.sizes(), on_bound: self.on_bound }
    }
}

#[derive(Args)]
pub struct CheckArgs {
    /// The models: BIR if the file name ends in .bir, otherwise Promela. Several are checked one after the
    /// other, and a table at the end sums up; limits are for each model
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<PathBuf>,

    #[command(flatten)]
    pub compile: CompileArgs,

    /// Search order: bfs (short counterexamples) or dfs [default: bfs if the store supports it]
    #[arg(long, value_name = "ORDER", value_parser = choice::<SearchKind>)]
    pub search: Option<SearchKind>,

    #[arg(long, value_name = "STORE", default_value_t, value_parser = choice::<StoreKind>, help = STORE)]
    pub store: StoreKind,

    /// With compact: bytes kept per state, 4 to 8 [default: 8]
    #[arg(long, value_name = "N")]
    pub hash_bytes: Option<u32>,

    /// With bitstate: the number of bits, a power of two such as 64Ki, 512Mi or 2^32 [default: 1Gi, or less
    /// if that exceeds half of the memory limit]
    #[arg(long, value_name = "BITS", value_parser = parse_bits)]
    pub arena: Option<u32>,

    /// With bitstate: number of hash functions (SPIN's default is 3) [default: what suits the arena and the
    /// number of states]
    #[arg(long, value_name = "K")]
    pub hashes: Option<u32>,

    /// With bitstate: begin with 64 Kibit and double the arena until there is an error, or less than one
    /// state is expected to be lost, or memory ends
    #[arg(long)]
    pub refine: bool,

    /// With bitstate: search twice, with different hash functions, and estimate how much of the state space
    /// was seen
    #[arg(long)]
    pub coverage: bool,

    /// With bitstate: N searches with different hash functions and orders of steps, as many at a time as there
    /// are --threads, and what they have found together
    #[arg(long, value_name = "N")]
    pub swarm: Option<u32>,

    #[arg(long, value_name = "LEVEL", default_value_t, value_parser = choice::<Symmetry>, help = SYMMETRY)]
    pub symmetry: Symmetry,

    /// For Promela: permute the interchangeable processes of N states of random runs, and make sure that the successors
    /// are those of the state, permuted
    #[arg(long, value_name = "N")]
    pub audit_symmetry: Option<u64>,

    #[arg(long, value_name = "HOW", value_parser = choice::<Naming>, help = NAMING)]
    pub naming: Option<Naming>,

    /// Partial order reduction: explore only one of several equivalent interleavings (on), all of them (off),
    /// or reduce wherever that changes no answer (auto)
    #[arg(long, value_name = "SWITCH", default_value_t, value_parser = choice::<Switch>)]
    pub por: Switch,

    /// Statement merging in Promela models: execute a statement that concerns only its own process in one
    /// step with the statement before it (on), never (off), or wherever that changes no answer (auto)
    #[arg(long, value_name = "SWITCH", default_value_t, value_parser = choice::<Switch>)]
    pub merge: Switch,

    /// Worker threads, for breadth-first search of reachable states with the store trie, and for a --swarm:
    /// all results are the same for any number [default: all cores, once a search has taken a moment; for a
    /// --swarm: 1]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,

    /// Check only this temporal formula over expressions of the model, such as '[] (x > 0 -> <> done)'
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Option<String>,

    /// Check only this temporal property of the model, or the one in a file (with a dot or a slash in its
    /// name): a formula, a never claim or an automaton in the HOA format [default: safety, and all properties
    /// one after the other]
    #[arg(long, value_name = "NAME|FILE")]
    pub property: Option<String>,

    /// Which schedules count for temporal properties: none (all), weak (no thread that can always move waits
    /// forever) or strong (no thread that can move again and again waits forever)
    #[arg(long, value_name = "KIND", default_value_t, value_parser = choice::<Fairness>)]
    pub fairness: Fairness,

    /// Look only for cycles without progress labels
    #[arg(long)]
    pub non_progress: bool,

    /// Look only for cycles through accept labels of processes
    #[arg(long)]
    pub acceptance: bool,

    /// Check no temporal properties, only deadlocks, assertions, invariants and faults
    #[arg(long)]
    pub safety: bool,

    /// Explore at most this many steps deep
    #[arg(long, value_name = "N", value_parser = count)]
    pub max_depth: Option<u64>,

    /// Store at most this many states
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_states: Option<u64>,

    /// Memory limit of the process, such as 512M or 8G [default: nine tenths of the available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// Continue after a violation and report all violations
    #[arg(long = "continue")]
    pub keep_going: bool,

    /// Make the counterexample shorter and calmer before it is shown: fewer steps, fewer changes of thread
    /// (on), or show it as the search found it (off)
    #[arg(long, value_name = "SWITCH", default_value_t, value_parser = choice::<Minimise>)]
    pub minimise: Minimise,

    #[command(flatten)]
    pub bounds: BoundArgs,

    /// Where to write the trail of the first violation: a file, a folder, or - for standard output [default:
    /// MODEL.trail.json here, MODEL.trail for SPIN]
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// How to write it: json, spin (of a Promela model, for `spin -t -k FILE MODEL`) or itf (states in the
    /// Informal Trace Format, for viewers of traces)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    pub trail_format: TrailFormat,

    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        help = FORMAT
    )]
    pub format: CheckFormat,

    #[command(flatten)]
    pub view: ViewArgs,

    /// Also write a page of HTML that stands alone: the verdict, the counterexample with pictures, statistics with plots.
    /// For the check of one model
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Keep checkpoints in this folder: when the check is interrupted or killed, or when time or memory end,
    /// `quotient resume DIR` goes on with it. For breadth-first search of reachable states, of one model
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,

    /// The time from one checkpoint to the next [default: 10m]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub checkpoint_every: Option<Duration>,

    /// The command of the check that is resumed
    #[arg(skip)]
    pub resumed: Option<checkpoint::Command>,

    /// Recorded in the report; a check does not use randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Print only the verdict (or the document that --format asks for): no progress, and only warnings that
    /// concern the verdict
    #[arg(long, short)]
    pub quiet: bool,
}

impl CheckArgs {
    /// One of the models.
    pub fn model(&self, path: &Path) -> ModelArgs {
        ModelArgs { model: path.to_owned(), compile: self.compile.clone() }
    }

    /// The model, if there is one only. It may be named twice.
    pub fn only_model(&self) -> Option<&Path> {
        let first = self.models.first()?;
        self.models.iter().all(|model| model == first).then_some(first)
    }

    /// The document that was asked for.
    pub fn document(&self) -> Option<Document> {
        self.format.document()
    }

    pub fn config(&self) -> Config {
        Config {
            symmetry: self.symmetry,
            audit_symmetry: self.audit_symmetry,
            naming: self.naming,
            store: self.store,
            store_options: StoreOptions {
                hash_bytes: self.hash_bytes,
                arena: self.arena,
                hashes: self.hashes,
                refine: self.refine,
                coverage: self.coverage,
                swarm: self.swarm,
            },
            search: self.search,
            por: self.por,
            merge: self.merge,
            threads: self.threads,
            pace: check::config::Pace::default(),
            ltl: self.ltl.clone(),
            property: self.property.clone(),
            fairness: self.fairness,
            non_progress: self.non_progress,
            acceptance: self.acceptance,
            safety: self.safety,
            limits: Limits {
                depth: self.max_depth,
                states: self.max_states,
                memory: self.memory,
                time: self.time,
            },
            bounds: self.bounds.bounds(),
            keep_going: self.keep_going,
            minimise: self.minimise,
            checkpoint: self.checkpointing(),
        }
    }

    fn checkpointing(&self) -> Option<Checkpointing> {
        Some(Checkpointing {
            folder: self.checkpoint.clone()?,
            every: self.checkpoint_every.unwrap_or(checkpoint::USUAL_INTERVAL),
            resumes: self.resumed.is_some(),
            command: self.resumed.clone().unwrap_or_else(this_command),
        })
    }
}

/// The command that is running.
fn this_command() -> checkpoint::Command {
    checkpoint::Command {
        folder: env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
        words: env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
    }
}

#[derive(Args)]
pub struct ResumeArgs {
    /// The folder of the checkpoint
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Worker threads [default: as the check was started]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,

    /// Memory limit of the process, such as 512M or 8G [default: as the check was started]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Stop after this time, counted from now [default: as the check was started]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub time: Option<Duration>,

    /// The time from one checkpoint to the next [default: as the check was started]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub checkpoint_every: Option<Duration>,

    /// Where to write the trail of the first violation [default: as the check was started, in its folder]
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// How to print the report: human, json, junit or sarif [default: as the check was started]
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    pub format: Option<CheckFormat>,

    /// Print only the verdict (or the document that --format asks for)
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// A trail written by `check`, or for Promela models by SPIN
    pub trail: PathBuf,

    /// How to print it: human, json or svg (a picture; with --view msc of the messages, with --view states of the
    /// objects of the last state)
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    pub format: ReportFormat,

    #[command(flatten)]
    pub view: ViewArgs,

    /// Draw a message sequence chart of a Promela model: a column for each process; `--msc=messages` leaves
    /// out steps without messages
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        hide_possible_values = true,
        conflicts_with_all = ["format", "view"]
    )]
    pub msc: Option<Chart>,
}

#[derive(Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Maximum number of steps
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count)]
    pub steps: u64,

    /// Choose each step from a menu; `help` there lists all commands
    #[arg(long, conflicts_with_all = ["steps", "until"])]
    pub interactive: bool,

    /// Begin with the steps of a trail, of this program or of SPIN; --steps is then the number of further
    /// steps
    #[arg(long, value_name = "FILE")]
    pub from_trail: Option<PathBuf>,

    /// End when this expression over the variables of the model holds, such as 'x > 3'
    #[arg(long, value_name = "EXPR")]
    pub until: Option<String>,

    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    #[command(flatten)]
    pub bounds: BoundArgs,

    /// Write the steps taken as a trail, for `quotient replay`; - for standard output
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,
}

#[derive(Args)]
#[group(required = true, multiple = false, id = "what")]
pub struct PrintWhat {
    /// The compiled program, as text
    #[arg(long, group = "what", conflicts_with_all = ["max_objects", "max_threads", "max_frames"])]
    pub ir: bool,

    /// Which bits of a state hold what
    #[arg(long, group = "what")]
    pub layout: bool,

    /// For Promela: which numbers stand for processes and channels, which are interchangeable, and why others are not
    #[arg(long, group = "what")]
    pub symmetry: bool,

    /// The automaton of the runs that violate a temporal property
    #[arg(long, group = "what", conflicts_with_all = ["max_objects", "max_threads", "max_frames"])]
    pub automaton: bool,
}

#[derive(Args)]
pub struct PrintArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub what: PrintWhat,

    /// With --automaton: the property, if there are several, or a file with one
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["ir", "layout", "symmetry"])]
    pub property: Option<String>,

    /// With --automaton: use this formula instead
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["ir", "layout", "symmetry", "property"])]
    pub ltl: Option<String>,

    /// With --automaton: never (a claim of Promela) or hoa (Hanoi Omega-Automata)
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with_all = ["ir", "layout", "symmetry"])]
    pub format: Option<AutomatonFormat>,

    #[command(flatten)]
    pub sizes: SizeArgs,
}

#[derive(Args)]
pub struct GraphArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// svg (a picture), dot (Graphviz), aut (Aldebaran, as CADP and mCRL2 read it) or json
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: GraphFormat,

    /// Maximum number of states; a larger graph is refused
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = positive)]
    pub max_states: u64,

    /// What to show of each state: none, changes (what the step that found it changed) or full
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_possible_values = true)]
    pub contents: GraphContents,

    /// Mark the initial state, deadlocks, violations and valid ends; in aut by steps from a state to itself,
    /// such as "!deadlock"
    #[arg(long)]
    pub marks: bool,

    /// Which states are one node: none (only equal states) or full (states that differ only in names of
    /// objects, threads and abstract ids)
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t, hide_possible_values = true)]
    pub symmetry: GraphSymmetry,

    /// Only states that are at most this many steps from the initial state
    #[arg(long, value_name = "N", value_parser = count)]
    pub depth: Option<u64>,

    /// Only states near this one, by its number
    #[arg(long, value_name = "STATE", value_parser = count)]
    pub around: Option<u64>,

    /// With --around: how many steps away a state may be, back or forth
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count, requires = "around")]
    pub radius: u64,

    /// Mark a run that violates this temporal formula
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Option<String>,

    /// Mark a run that violates this temporal property of the model, or the one in a file
    #[arg(long, value_name = "NAME|FILE")]
    pub property: Option<String>,

    #[command(flatten)]
    pub bounds: BoundArgs,
}

#[derive(Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Begin with the run of a trail, of this program or of SPIN
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// The port to listen at, on this machine only [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,

    #[command(flatten)]
    pub bounds: BoundArgs,
}

/// How `replay` prints a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum GraphContents {
    #[default]
    None,
    Changes,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum GraphSymmetry {
    #[default]
    None,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportFormat {
    #[default]
    Human,
    Json,
    Svg,
}

/// How `check` prints its reports.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CheckFormat {
    #[default]
    Human,
    Json,
    Junit,
    Sarif,
}

impl CheckFormat {
    /// The document that is meant, if it is one.
    pub fn document(self) -> Option<Document> {
        match self {
            Self::Human => None,
            Self::Json => Some(Document::Json),
            Self::Junit => Some(Document::Junit),
            Self::Sarif => Some(Document::Sarif),
        }
    }
}

#[derive(Args)]
pub struct FmtArgs {
    /// The models, which are replaced; `-` formats standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Change nothing, and list the files that are not formatted (exit code 1 if there are any)
    #[arg(long)]
    pub check: bool,
}

#[derive(Args)]
pub struct LspArgs {
    /// Talk over standard input and output, which is the only way
    #[arg(long)]
    pub stdio: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TrailFormat {
    #[default]
    Json,
    Spin,
    Itf,
}

/// What a message sequence chart shows.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Chart {
    All,
    Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    Never,
    Hoa,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    Dot,
    Aut,
    Json,
    Svg,
}

fn usual_sizes() -> Sizes {
    Sizes::default()
}

fn choice<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

fn count(text: &str) -> Result<u64, String> {
    parse_count(text, 0)
}

fn positive(text: &str) -> Result<u64, String> {
    parse_count(text, 1)
}

fn bound(text: &str, largest: u32) -> Result<u32, String> {
    match text.parse() {
        Ok(n) if (1..=largest).contains(&n) => Ok(n),
        _ => Err(format!("expected a number from 1 to {largest}")),
    }
}

fn size_bound(text: &str) -> Result<u32, String> {
    bound(text, check::LARGEST_BOUND)
}

fn frame_bound(text: &str) -> Result<u32, String> {
    bound(text, check::LARGEST_FRAME_BOUND)
}

fn parse_define(text: &str) -> Result<Define, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        Err("expected NAME=VALUE".to_owned())
    } else {
        Ok(Define { name: name.to_owned(), value })
    }
}
