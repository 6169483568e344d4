//! What a user can ask for, and what is refused.
//!
//! Every option is honoured or refused with its reason; none is ignored. [`Config::refusal`] takes a
//! configuration apart without `..`, so that a new option cannot be forgotten there.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use symmetry::{Ladder, Level};

/// The options of a check.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub symmetry: Symmetry,
    pub naming: Option<Naming>,
    pub store: StoreKind,
    pub search: SearchKind,
    pub por: Switch,
    pub merge: Switch,
    /// Worker threads.
    pub threads: Option<u32>,
    pub ltl: Option<String>,
    pub property: Option<String>,
    pub fairness: Fairness,
    pub non_progress: bool,
    pub limits: Limits,
    pub bounds: Bounds,
    /// Go on after a violation, to find all.
    pub keep_going: bool,
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

/// How much a state may hold, and what it means to exceed that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    pub sizes: state::Bounds,
    pub on_bound: OnBound,
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
        /// Finds shortest counterexamples.
        #[default]
        Bfs = "bfs",
        Dfs = "dfs",
    }
    StoreKind {
        Trie = "trie",
        /// One packed vector a state.
        #[default]
        Exact = "exact",
        Collapse = "collapse",
        Automaton = "automaton",
        CollapseAutomaton = "collapse+automaton",
        Compact = "compact",
        Bitstate = "bitstate",
        Gzip = "gzip",
        /// A hash set of plain vectors: to compare with.
        Naive = "naive",
    }
    /// How objects are named under symmetry.
    Naming {
        /// By a depth-first traversal of each state.
        Dfs = "dfs",
        /// By their least access chains, which are repaired step by step.
        #[default]
        Chain = "chain",
    }
    Switch {
        #[default]
        Off = "off",
        On = "on",
    }
    Fairness {
        #[default]
        None = "none",
        Weak = "weak",
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

/// A level of the symmetry ladder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// Names count.
    None,
    /// Addresses of objects do not.
    Heap,
    /// Nor do threads, as far as their program counters tell them apart.
    Pc,
    /// As far as what they reach, by so many references, tells them apart.
    Bots(Option<u32>),
    /// One state per class of states that differ in names.
    #[default]
    Full,
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
        }
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
            _ => match text.strip_prefix("bots=") {
                Some(depth) => depth.parse().map(|depth| Self::Bots(Some(depth))).map_err(|_| {
                    format!("the K of bots=K must be a number that is not negative, not `{depth}`")
                }),
                None => Err("expected one of none, heap, pc, bots, bots=K, full".to_owned()),
            },
        }
    }
}

impl Config {
    /// How states are named, if not by the ids that happened to be given.
    pub fn ladder(&self) -> Option<Ladder> {
        let level = match self.symmetry {
            Symmetry::None => return None,
            Symmetry::Heap => Level::Heap,
            Symmetry::Pc => Level::Pc,
            Symmetry::Bots(depth) => Level::Bots(depth.unwrap_or(u32::MAX)),
            Symmetry::Full => Level::Full,
        };
        let naming = match self.naming.unwrap_or_default() {
            Naming::Dfs => symmetry::Naming::Dfs,
            Naming::Chain => symmetry::Naming::Chain,
        };
        Some(Ladder { level, naming, options: symmetry::Options::default() })
    }

    /// Why this configuration can't be honoured.
    pub fn refusal(&self) -> Option<String> {
        let Self {
            symmetry,
            naming,
            store,
            search: _,
            por,
            merge,
            threads,
            ltl,
            property,
            fairness,
            non_progress,
            limits: _,
            bounds: _,
            keep_going: _,
        } = self;
        let later = |option: String, instead: &str| Some(format!("{option} is not available yet; {instead}"));
        if let (Symmetry::None, Some(naming)) = (symmetry, naming) {
            return Some(format!(
                "--naming {naming} has no meaning with --symmetry none, which renames nothing"
            ));
        }
        if !matches!(store, StoreKind::Exact | StoreKind::Naive) {
            return later(format!("--store {store}"), "use --store exact");
        }
        if *por == Switch::On {
            return later("--por on".to_owned(), "use --por off");
        }
        if *merge == Switch::On {
            return later("--merge on".to_owned(), "use --merge off");
        }
        match threads {
            Some(0) => return Some("--threads 0 would not get far; use --threads 1".to_owned()),
            Some(n @ 2..) => return later(format!("--threads {n}"), "use --threads 1"),
            None | Some(1) => {}
        }
        if ltl.is_some() {
            return later("--ltl".to_owned(), "safety properties are `assert` and `invariant`");
        }
        if property.is_some() {
            return later("--property".to_owned(), "all assertions and invariants of the model are checked");
        }
        if *fairness != Fairness::None {
            return later(format!("--fairness {fairness}"), "it matters only to temporal properties");
        }
        if *non_progress {
            return later("--non-progress".to_owned(), "it needs a search for cycles");
        }
        None
    }
}
