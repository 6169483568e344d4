//! What a user can ask for, and what is refused.
//!
//! Every option is honoured or refused with its reason; none is ignored. [`Config::refusal`] takes a
//! configuration apart without `..`, so that a new option cannot be forgotten there.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

pub use search::Pace;
use serde::{Deserialize, Serialize, Serializer};
use store::{Bitstate, Compact};
use symmetry::{Level, SymmetryConfig};

use crate::checkpoint::Checkpointing;
use crate::dialect::Dialect;

/// The options of a check.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub symmetry: Symmetry,
    /// Permute this many states of random runs, to see whether their successors are permuted as well.
    pub audit_symmetry: Option<u64>,
    pub naming: Option<Naming>,
    pub store: StoreKind,
    pub store_options: StoreOptions,
    /// The order of the search. Without one, it is that of the store; cycles are looked for depth first.
    pub search: Option<SearchKind>,
    /// Partial order reduction.
    pub por: Switch,
    /// Merging of statements.
    pub merge: Switch,
    /// Worker threads; `None` for all cores where several can work, once a search has taken a moment.
    pub threads: Option<u32>,
    /// How the work is divided among them, which shows in no result.
    pub pace: Pace,
    /// Check only this property, which the model was loaded with: a formula, a claim or an automaton. Its
    /// name is `property`, or else [`LTL`](crate::property::LTL).
    pub ltl: Option<String>,
    /// Check this property only.
    pub property: Option<String>,
    pub fairness: Fairness,
    /// Look for cycles without progress only.
    pub non_progress: bool,
    /// Look for cycles through accept labels only.
    pub acceptance: bool,
    /// Check no temporal properties.
    pub safety: bool,
    pub limits: Limits,
    pub bounds: Bounds,
    /// Go on after a violation, to find all.
    pub keep_going: bool,
    /// Whether the counterexample that is shown is made shorter and calmer.
    pub minimise: Minimise,
    /// Keep checkpoints, or go on from one.
    pub checkpoint: Option<Checkpointing>,
}

/// What only some stores can be asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoreOptions {
    /// How many bytes `compact` keeps of a state.
    pub hash_bytes: Option<u32>,
    /// The array of `bitstate` has two to the power of this bits.
    pub arena: Option<u32>,
    /// How many hash functions `bitstate` has.
    pub hashes: Option<u32>,
    /// Repeat `bitstate` with larger and larger arrays.
    pub refine: bool,
    /// Search twice, and estimate how much `bitstate` has seen.
    pub coverage: bool,
    /// Search `bitstate` this often, with other hash functions and orders of steps each time.
    pub swarm: Option<u32>,
}

/// When to stop before everything was explored.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub depth: Option<u64>,
    pub states: Option<u64>,
    /// Resident bytes of the process.
    pub memory: Option<u64>,
    pub time: Option<Duration>,
}

/// How much a state may hold, and what it means to exceed that. Trails record it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bounds {
    #[serde(flatten)]
    pub sizes: Sizes,
    /// In trails: whether exceeding a bound is an error.
    #[serde(rename = "error", with = "on_bound_as_bool")]
    #[cfg_attr(feature = "schema", schemars(with = "bool"))]
    pub on_bound: OnBound,
}

/// How much a state may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sizes {
    /// Objects (records, arrays, locks) at a time.
    pub objects: u32,
    /// Threads at a time.
    pub threads: u32,
    /// Frames on the stack of a thread.
    pub frames: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        let state::Bounds { objects, threads, frames } = state::Bounds::default();
        Self { objects, threads, frames }
    }
}

impl From<Sizes> for state::Bounds {
    fn from(Sizes { objects, threads, frames }: Sizes) -> Self {
        Self { objects, threads, frames }
    }
}

impl From<Sizes> for naive::Bounds {
    fn from(Sizes { objects, threads, frames }: Sizes) -> Self {
        Self { objects, threads, frames }
    }
}

impl Bounds {
    /// Why a language cannot have these bounds: some would bound nothing.
    pub fn refusal(&self, dialect: &Dialect) -> Option<String> {
        let (Sizes { objects, frames, .. }, usual) = (self.sizes, Sizes::default());
        let (name, value) = match self.sizes {
            _ if dialect.has_objects_and_frames => return None,
            _ if objects != usual.objects => ("--max-objects", objects),
            _ if frames != usual.frames => ("--max-frames", frames),
            _ => return None,
        };
        Some(format!(
            "{name} {value} has no meaning for Promela models, which have neither objects nor frames"
        ))
    }
}

mod on_bound_as_bool {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::OnBound;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub fn serialize<S: Serializer>(on_bound: &OnBound, to: S) -> Result<S::Ok, S::Error> {
        (*on_bound == OnBound::Error).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OnBound, D::Error> {
        Ok(if bool::deserialize(from)? { OnBound::Error } else { OnBound::Truncate })
    }
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($text,)*] })
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(format!("expected one of {}", [$($text,)*].join(", "))),
                }
            }
        }
    )*};
}

choices! {
    SearchKind {
        /// Finds short counterexamples, the shortest ones where nothing is reduced.
        #[default]
        Bfs = "bfs",
        Dfs = "dfs",
    }
    StoreKind {
        /// Trees of interned pairs.
        #[default]
        Trie = "trie",
        /// One packed vector a state.
        Exact = "exact",
        /// Numbers of components.
        Collapse = "collapse",
        /// A minimal automaton that accepts the states.
        Automaton = "automaton",
        /// A minimal automaton that accepts the numbers of components.
        CollapseAutomaton = "collapse+automaton",
        /// A few bytes of a hash.
        Compact = "compact",
        /// A few bits.
        Bitstate = "bitstate",
        /// Packed vectors, compressed.
        Gzip = "gzip",
        /// A hash set of plain vectors: to compare with.
        Naive = "naive",
    }
    /// How objects come to their end.
    Heap {
        /// When nothing refers to them.
        #[default]
        Gc = "gc",
        /// When they are deleted.
        Explicit = "explicit",
    }
    /// Which objects that are not deleted are violations.
    Leaks {
        /// Those that nothing refers to any more.
        #[default]
        Unreachable = "unreachable",
        /// Also those that are there when all threads have ended.
        End = "end",
        Off = "off",
    }
    /// How objects are named under symmetry.
    Naming {
        /// By a depth-first traversal of each state.
        Dfs = "dfs",
        /// By their least access chains, which are repaired step by step.
        Chain = "chain",
        /// Small states anew for each state, others by chains.
        #[default]
        Auto = "auto",
    }
    /// Whether something is used that not every check allows.
    Switch {
        /// Where it changes no answer, and the report says whether that is so.
        #[default]
        Auto = "auto",
        Off = "off",
        On = "on",
    }
    /// Whether the counterexample that is shown is made shorter and calmer.
    Minimise {
        #[default]
        On = "on",
        /// It is shown as the search found it.
        Off = "off",
    }
    Fairness {
        /// All runs count.
        #[default]
        None = "none",
        /// No thread waits for ever that can move at all times from some point on.
        Weak = "weak",
        /// No thread waits for ever that can move again and again.
        Strong = "strong",
    }
    /// What a step means that exceeds a bound.
    OnBound {
        /// It is not taken, and the verdict says so.
        #[default]
        Truncate = "truncate",
        /// It is a violation.
        Error = "error",
    }
}

impl From<Fairness> for search::emptiness::Fairness {
    fn from(fairness: Fairness) -> Self {
        match fairness {
            Fairness::None => Self::None,
            Fairness::Weak => Self::Weak,
            Fairness::Strong => Self::Strong,
        }
    }
}

/// A level of the symmetry ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// Names count.
    None,
    /// Addresses of objects do not.
    Heap,
    /// Nor do threads, as far as their program counters tell them apart.
    Pc,
    /// As far as what they reach, by at most this number of references, tells them apart.
    Bots(Option<u32>),
    /// One state per class of states that differ in names.
    #[default]
    Full,
    /// What seems faster: `full`, or `none` where no states are alike.
    Auto,
}

impl Symmetry {
    /// The level; where none was chosen, `auto` is `full`.
    #[must_use]
    pub const fn named(self) -> Self {
        match self {
            Self::Auto => Self::Full,
            level => level,
        }
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Heap => f.write_str("heap"),
            Self::Pc => f.write_str("pc"),
            Self::Bots(None) => f.write_str("bots"),
            Self::Bots(Some(depth)) => write!(f, "bots={depth}"),
            Self::Full => f.write_str("full"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl Serialize for Symmetry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Symmetry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SymmetryLevel".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "`none`, `heap`, `pc`, `bots`, `bots=K` with a number K, or `full`"
        })
    }
}

impl FromStr for Symmetry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "heap" => Ok(Self::Heap),
            "pc" => Ok(Self::Pc),
            "bots" => Ok(Self::Bots(None)),
            "full" => Ok(Self::Full),
            "auto" => Ok(Self::Auto),
            _ => match text.strip_prefix("bots=") {
                Some(depth) => depth.parse().map(|depth| Self::Bots(Some(depth))).map_err(|_| {
                    format!("the K of bots=K must be a number that is not negative, not `{depth}`")
                }),
                None => Err("expected one of none, heap, pc, bots, bots=K, full, auto".to_owned()),
            },
        }
    }
}

impl StoreOptions {
    /// Why a store can't have these options within a limit on memory.
    /// `arrays` of them are filled at the same time.
    fn refusal(self, store: StoreKind, memory: Option<u64>, arrays: u64) -> Option<String> {
        let Self { hash_bytes, arena, hashes, refine, coverage, swarm } = self;
        let only = |option: String, what: &str| {
            Some(format!("{option} has no meaning with --store {store}: only {what}"))
        };
        if let Some(bytes) = hash_bytes {
            if store != StoreKind::Compact {
                return only(
                    format!("--hash-bytes {bytes}"),
                    "compact keeps a chosen number of bytes of a hash",
                );
            }
            let range = Compact::WIDTHS;
            if !range.contains(&bytes) {
                return Some(format!(
                    "--hash-bytes {bytes} is not from {} to {}",
                    range.start(),
                    range.end()
                ));
            }
        }
        if let Some(log_bits) = arena {
            if store != StoreKind::Bitstate {
                return only(format!("--arena 2^{log_bits}"), "bitstate has an array of bits");
            }
            if refine {
                return Some(format!(
                    "--arena 2^{log_bits} has no meaning with --refine, which tries one arena after the other"
                ));
            }
            let largest = *Bitstate::LOG_BITS.end();
            if !(SMALLEST_ARENA..=largest).contains(&log_bits) {
                return Some(format!(
                    "--arena 2^{log_bits} is not from 2^{SMALLEST_ARENA} to 2^{largest} bits"
                ));
            }
            let bytes = (1_u64 << (log_bits - 3)).saturating_mul(arrays);
            if let Some(limit) = memory.filter(|&limit| limit < bytes) {
                let several =
                    if arrays > 1 { format!(" for {arrays} searches at a time") } else { String::new() };
                return Some(format!(
                    "--arena 2^{log_bits} takes {bytes} bytes{several}, and the memory limit is {limit} bytes"
                ));
            }
        }
        if let Some(hashes) = hashes {
            if store != StoreKind::Bitstate {
                return only(format!("--hashes {hashes}"), "bitstate has a number of hash functions");
            }
            let range = Bitstate::HASHES;
            if !range.contains(&hashes) {
                return Some(format!("--hashes {hashes} is not from {} to {}", range.start(), range.end()));
            }
        }
        if let Some(count) = swarm {
            if store != StoreKind::Bitstate {
                return only(
                    format!("--swarm {count}"),
                    "bitstate loses so much that it is worth searching several times",
                );
            }
            if !SWARMS.contains(&count) {
                return Some(format!("--swarm {count} is not from {} to {}", SWARMS.start(), SWARMS.end()));
            }
            let other = if refine { Some("--refine") } else { coverage.then_some("--coverage") };
            if let Some(other) = other {
                return Some(format!(
                    "--swarm {count} and {other} are different ways to search several times"
                ));
            }
        }
        if refine && store != StoreKind::Bitstate {
            return only("--refine".to_owned(), "bitstate can be refined");
        }
        if coverage && store != StoreKind::Bitstate {
            return only("--coverage".to_owned(), "bitstate loses so much that it is worth an estimate");
        }
        if coverage && refine {
            return Some(
                "--coverage has no meaning with --refine, which goes on until nothing is expected to be lost"
                    .to_owned(),
            );
        }
        None
    }
}

impl StoreKind {
    /// Whether it may take a state for another.
    pub const fn is_lossy(self) -> bool {
        matches!(self, Self::Compact | Self::Bitstate)
    }

    /// Whether it gives states back, which breadth-first search needs.
    pub const fn rebuilds(self) -> bool {
        match self {
            Self::Trie | Self::Exact | Self::Collapse | Self::Gzip | Self::Naive => true,
            Self::Automaton | Self::CollapseAutomaton | Self::Compact | Self::Bitstate => false,
        }
    }

    /// The search that is used where none is asked for.
    pub const fn default_search(self) -> SearchKind {
        if self.rebuilds() { SearchKind::Bfs } else { SearchKind::Dfs }
    }
}

/// How long one thread searches alone where no number of threads was asked for: what takes less is not worth waking others.
const A_MOMENT: Duration = Duration::from_millis(300);
/// More threads than this are a mistake.
const MOST_THREADS: u32 = 512;
/// How many searches a swarm may have.
const SWARMS: std::ops::RangeInclusive<u32> = 2..=4096;
/// The smallest array of `bitstate`, as a power of two of bits.
const SMALLEST_ARENA: u32 = 10;
/// The array of `bitstate` where none is asked for: 128 MiB.
const USUAL_ARENA: u32 = 30;

impl Config {
    /// The defaults, except that every interleaving of all statements is explored.
    pub fn unreduced() -> Self {
        Self { por: Switch::Off, merge: Switch::Off, ..Self::default() }
    }

    /// The number of arrays of `bitstate` that are filled at the same time.
    fn arrays(&self) -> u64 {
        self.store_options.swarm.map_or(1, |count| u64::from(count).min(self.workers() as u64)).max(1)
    }

    /// The power of two that is the number of bits of the array of `bitstate`: by default as much as fits in
    /// half of the memory, up to what is usual.
    pub fn arena(&self) -> u32 {
        let affordable =
            |limit: u64| ((limit / self.arrays()).max(1).ilog2() + 2).clamp(SMALLEST_ARENA, USUAL_ARENA);
        self.store_options.arena.unwrap_or_else(|| self.limits.memory.map_or(USUAL_ARENA, affordable))
    }

    /// How states are named, if not by the ids that happened to be given.
    pub fn ladder(&self) -> Option<SymmetryConfig> {
        let level = match self.symmetry {
            Symmetry::None => return None,
            Symmetry::Heap => Level::Heap,
            Symmetry::Pc => Level::Pc,
            Symmetry::Bots(depth) => Level::Bots(depth.unwrap_or(u32::MAX)),
            Symmetry::Full | Symmetry::Auto => Level::Full,
        };
        let naming = match self.naming.unwrap_or_default() {
            Naming::Dfs => symmetry::Naming::Dfs,
            Naming::Chain => symmetry::Naming::Chain,
            Naming::Auto => symmetry::Naming::Auto,
        };
        Some(SymmetryConfig { level, naming, options: symmetry::Options::default() })
    }

    /// The order of a search for reachable states.
    pub fn search(&self) -> SearchKind {
        self.search.unwrap_or(self.store.default_search())
    }

    /// Why this configuration can't be honoured for models of a language.
    pub fn refusal(&self, dialect: &Dialect) -> Option<String> {
        let Self { naming, bounds, .. } = self;
        if let Some(reason) = self.contradiction().or_else(|| bounds.refusal(dialect)) {
            return Some(reason);
        }
        if let Some(states) = self.audit_symmetry.filter(|_| dialect.has_objects_and_frames) {
            return Some(format!(
                "--audit-symmetry {states} is for Promela models without objects: in others, names cannot be observed by the rules of \
                 the language"
            ));
        }
        naming.filter(|_| !dialect.has_objects_and_frames).map(|naming| {
            format!(
                "--naming {naming} has no meaning for Promela models, whose processes and channels keep their numbers"
            )
        })
    }

    /// The number of threads that was asked for.
    pub fn workers(&self) -> usize {
        self.threads.map_or(1, |threads| threads as usize)
    }

    /// The number of threads that look for reachable states, unless the model needs one, and how they divide the work.
    pub fn crew(&self) -> (usize, Pace) {
        match self.threads {
            Some(threads) => (threads as usize, self.pace),
            None if self.one_thread_only(2).is_some() => (1, self.pace),
            None => {
                let cores = thread::available_parallelism().map_or(1, NonZero::get);
                (cores.min(MOST_THREADS as usize), Pace { after: A_MOMENT, ..self.pace })
            }
        }
    }

    /// Why a number of threads that was asked for can't be honoured.
    fn one_thread_only(&self, threads: u32) -> Option<String> {
        let Self { symmetry, store, .. } = self;
        match threads {
            0 => Some("--threads 0 would not get far; use --threads 1".to_owned()),
            1 => None,
            // Each search of a swarm has one.
            2..=MOST_THREADS if self.store_options.swarm.is_some() => None,
            2..=MOST_THREADS => match store {
                _ if self.search() == SearchKind::Dfs => Some(format!(
                    "--threads {threads} needs --search bfs: depth first, the next state depends on all before; use --threads 1"
                )),
                StoreKind::Trie => matches!(symmetry, Symmetry::Pc | Symmetry::Bots(_)).then(|| {
                    format!(
                        "--symmetry {symmetry} lets the age of threads decide what states are called, which --threads {threads} \
                         does not keep track of; use --threads 1"
                    )
                }),
                store => Some(format!(
                    "--threads {threads} needs --store trie: with --store {store}, one state is stored after the other; use \
                     --threads 1"
                )),
            },
            _ => Some(format!("--threads {threads} is more than {MOST_THREADS}")),
        }
    }

    /// Why there can be no checkpoints.
    fn no_checkpoints(&self) -> Option<String> {
        let Self { symmetry, store, .. } = self;
        if !store.rebuilds() {
            return Some(format!("needs a store that gives states back, and --store {store} does not"));
        }
        if self.search() == SearchKind::Dfs {
            return Some(
                "needs --search bfs: depth first, there is a stack as well, which is not kept".to_owned(),
            );
        }
        matches!(symmetry, Symmetry::Pc | Symmetry::Bots(_)).then(|| {
            format!(
                "does not keep the age of threads, which --symmetry {symmetry} names states by; use --symmetry full, heap or none"
            )
        })
    }

    /// Why the options can't be honoured together, whatever the model.
    fn contradiction(&self) -> Option<String> {
        let Self {
            symmetry,
            audit_symmetry,
            naming,
            store,
            store_options,
            search,
            por,
            merge: _,
            threads,
            pace: _,
            ltl,
            property,
            fairness,
            non_progress,
            acceptance,
            safety,
            limits,
            bounds: _,
            keep_going: _,
            minimise: _,
            checkpoint,
        } = self;
        if let (Symmetry::None, Some(naming)) = (symmetry, naming) {
            return Some(format!(
                "--naming {naming} has no meaning with --symmetry none, which renames nothing"
            ));
        }
        if let (false, Some(states)) = (matches!(symmetry, Symmetry::Full | Symmetry::Auto), audit_symmetry) {
            return Some(format!(
                "--audit-symmetry {states} has no meaning with --symmetry {symmetry}, which permutes nothing"
            ));
        }
        if *search == Some(SearchKind::Bfs) && !store.rebuilds() {
            return Some(format!(
                "--search bfs has to get states back from the store, and --store {store} does not give them back; use \
                 --search dfs"
            ));
        }
        if let Some(reason) = store_options.refusal(*store, limits.memory, self.arrays()) {
            return Some(reason);
        }
        if let (Switch::On, Some(depth)) = (por, limits.depth) {
            return Some(format!(
                "--por on has no meaning with --max-depth {depth}: of several orders of the same steps only one is taken, and that \
                 one may be longer than the limit; use --por off"
            ));
        }
        if let Some(reason) = threads.and_then(|threads| self.one_thread_only(threads)) {
            return Some(reason);
        }
        if let Some(reason) = checkpoint.as_ref().and_then(|_| self.no_checkpoints()) {
            return Some(format!("--checkpoint {reason}"));
        }
        let aims = [
            ("--ltl", ltl.is_some() && property.is_none()),
            ("--property", property.is_some()),
            ("--non-progress", *non_progress),
            ("--acceptance", *acceptance),
            ("--safety", *safety),
        ];
        let mut asked = aims.iter().filter(|(_, is_asked)| *is_asked).map(|(option, _)| *option);
        let aim = asked.next();
        if let (Some(one), Some(other)) = (aim, asked.next()) {
            return Some(format!("{one} and {other} ask for one thing only each: run one check for each"));
        }
        let Some(option) = aim.filter(|_| !*safety) else {
            let is_fair = *safety && *fairness != Fairness::None;
            return is_fair.then(|| {
                format!("--fairness {fairness} matters to temporal properties, and --safety checks none")
            });
        };
        if let Some(reason) = crate::temporal::unfit(*store) {
            return Some(reason);
        }
        if let Some(threads @ 2..) = threads {
            return Some(format!(
                "--threads {threads} is for reachable states: with {option}, one thread looks for cycles; leave --threads away"
            ));
        }
        if checkpoint.is_some() {
            return Some(format!(
                "--checkpoint is for reachable states: with {option}, cycles are looked for, and such searches keep no checkpoints"
            ));
        }
        if let Symmetry::Pc | Symmetry::Bots(_) = symmetry {
            return Some(format!(
                "--symmetry {symmetry} lets the age of threads decide what states are called, which cycles cannot be followed \
                 by; with {option} use --symmetry full, heap or none"
            ));
        }
        (*search == Some(SearchKind::Bfs))
            .then(|| "cycles are looked for depth first: leave --search bfs away".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_where_nothing_is_asked_for_and_several_can_work() {
        let crew = |config: &Config| config.crew().0;
        let cores = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS as usize);
        let usual = Config::default();
        assert_eq!(usual.crew(), (cores, Pace { after: A_MOMENT, ..usual.pace }));
        let asked = Config { threads: Some(3), ..Config::default() };
        assert_eq!(asked.crew(), (3, asked.pace));
        assert_eq!(crew(&Config { store: StoreKind::Exact, ..Config::default() }), 1);
        assert_eq!(crew(&Config { search: Some(SearchKind::Dfs), ..Config::default() }), 1);
        assert_eq!(crew(&Config { symmetry: Symmetry::Pc, ..Config::default() }), 1);
    }
}
