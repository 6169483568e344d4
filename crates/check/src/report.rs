//! What a check found out: the object that `--format json` prints.
//!
//! Scripts read it, so its keys are a contract: they may be added to, never renamed or removed.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use source::{Diagnostics, SourceMap, Span};
use system::FaultKind;

use crate::config::{self, Fairness, Naming, SearchKind, Sizes, StoreKind, Switch};
use crate::trace::Trace;

/// The version of the object's form.
pub const FORMAT_VERSION: u32 = 1;

/// The name and the version of the program.
pub const TOOL: &str = concat!("quotient ", env!("CARGO_PKG_VERSION"));

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    pub version: u32,
    pub tool: String,
    pub model: String,
    pub verdict: Verdict,
    /// Everything was explored, and nothing was cut off.
    pub exhaustive: bool,
    /// Why not, if not.
    pub incomplete: Option<String>,
    /// The first violation.
    pub violation: Option<Violation>,
    /// All distinct ones that were found.
    pub violations: Vec<ViolationCount>,
    /// Whether deadlocks, assertions, invariants and faults were looked for.
    pub safety: bool,
    /// What was found out about these, if they were looked for.
    pub safety_verdict: Option<Verdict>,
    /// The temporal properties that were checked.
    pub properties: Vec<Property>,
    /// The temporal properties that were to be checked and were not: a violation or an interrupt came first,
    /// or they need another store.
    pub unchecked: Vec<String>,
    /// Distinct stored states. This figure, and those that follow up to `store`, are of the first search: for
    /// safety, if that was checked.
    pub states: u64,
    /// Steps that led to a known state.
    pub matched: u64,
    /// Steps fired.
    pub transitions: u64,
    /// The greatest number of steps from the initial state at which the search came to a new one.
    pub depth: u64,
    /// What the search still had to do when it ended: breadth first, states that were stored and not
    /// expanded; depth first, states on the stack.
    pub open: u64,
    pub search: SearchKind,
    /// The number of worker threads of a search for reachable states, as asked for or as used. It shows in times and
    /// bytes only.
    /// Searches for cycles have one.
    pub threads: u64,
    pub store: Store,
    pub symmetry: Symmetry,
    pub reduction: Reduction,
    pub bounds: Sizes,
    /// Steps that were not taken because they exceed a bound.
    pub truncations: Truncations,
    pub peak_memory_bytes: u64,
    pub memory_limit_bytes: Option<u64>,
    pub seconds: f64,
    /// The time that minimisation took, if there was any. The other figures leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimise_seconds: Option<f64>,
    pub states_per_second: f64,
    pub transitions_per_second: f64,
    pub seed: u64,
    pub assumptions: Vec<String>,
    /// Whether a step of the search may be several steps of a trail.
    #[serde(skip)]
    pub has_coarse_steps: bool,
    /// What the search never got to; only of exhaustive searches.
    pub dead_code: Vec<DeadCode>,
    /// The checkpoint that is left, if there is one, or could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    pub warnings: Vec<String>,
    /// What the compiler and the command warn of, with places.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a check has left behind, so that another one can go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checkpoint {
    pub folder: String,
    /// The number of states that the search had stored at the checkpoint, if there is one.
    pub states: Option<u64>,
    /// Why the last one could not be written, if it could not.
    pub trouble: Option<String>,
}

/// What is printed instead of a report, where there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failed<'a> {
    pub version: u32,
    pub tool: &'static str,
    pub model: Option<&'a str>,
    /// There is none.
    #[cfg_attr(feature = "schema", schemars(with = "()"))]
    pub verdict: Option<Verdict>,
    /// At least one of them is an error.
    pub diagnostics: &'a [Diagnostic],
}

impl<'a> Failed<'a> {
    pub fn new(model: Option<&'a str>, diagnostics: &'a [Diagnostic]) -> Self {
        Self { version: FORMAT_VERSION, tool: TOOL, model, verdict: None, diagnostics }
    }
}

/// A message about a model, a command or a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    pub severity: Severity,
    /// The code of a message of the compiler: `E0102`.
    pub code: Option<String>,
    pub message: String,
    pub location: Option<Extent>,
    /// The message at the place.
    pub label: Option<String>,
    /// Further places.
    pub labels: Vec<DiagnosticLabel>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    /// About the diagnostics themselves: how many are not shown.
    Note,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiagnosticLabel {
    pub location: Extent,
    pub message: String,
}

/// A place, and where it ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Extent {
    #[serde(flatten)]
    pub start: Place,
    /// The line of the first character behind it.
    pub end_line: u32,
    pub end_column: u32,
}

impl Diagnostic {
    /// An error that has no place in a model.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message.into())
    }

    /// A warning that has no place in a model.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message.into())
    }

    pub(crate) fn new(severity: Severity, message: String) -> Self {
        let (labels, notes, help) = (Vec::new(), Vec::new(), Vec::new());
        Self { severity, code: None, message, location: None, label: None, labels, notes, help }
    }

    /// What a front end says of a model.
    pub(crate) fn all(diagnostics: &Diagnostics, map: &SourceMap) -> Vec<Self> {
        let remarks = diagnostics.remarks().into_iter().map(|text| Self::new(Severity::Note, text));
        diagnostics.iter().map(|diagnostic| Self::of(diagnostic, map)).chain(remarks).collect()
    }

    fn of(diagnostic: &source::Diagnostic, map: &SourceMap) -> Self {
        let text = |label: &source::Label| Some(label.text.clone()).filter(|text| !text.is_empty());
        let primary = diagnostic.primary.as_ref();
        let label = |label: source::Label| DiagnosticLabel {
            location: Extent::of(label.span, map),
            message: label.text,
        };
        Self {
            severity: match diagnostic.severity {
                source::Severity::Error => Severity::Error,
                source::Severity::Warning => Severity::Warning,
            },
            code: Some(diagnostic.code.to_owned()),
            message: diagnostic.message.clone(),
            location: primary.map(|label| Extent::of(label.span, map)),
            label: primary.and_then(text),
            labels: diagnostic.labels(map).into_iter().map(label).collect(),
            notes: diagnostic.notes(map),
            help: diagnostic.help.clone(),
        }
    }
}

/// What a code of a diagnostic stands for, in a few words.
pub fn meaning(code: &str) -> Option<&'static str> {
    let mut all = bir::codes::MEANINGS.iter().chain(promela::codes::MEANINGS);
    all.find(|(known, _)| *known == code).map(|(_, meaning)| meaning.trim())
}

impl Extent {
    pub(crate) fn of(span: Span, map: &SourceMap) -> Self {
        let end = map.file(span.file).position(span.end.max(span.start));
        Self { start: Place::of(span, map), end_line: end.line, end_column: end.column }
    }
}

impl Place {
    /// Where a span starts, with the line there.
    pub(crate) fn of(span: Span, map: &SourceMap) -> Self {
        let position = map.position(span);
        let file = map.file(span.file);
        let line = file.line_text(position.line).trim();
        // A line that is too long to read is cut to what is meant: a trace has thousands of places.
        let text =
            if line.len() <= LONGEST_TEXT { line } else { map.text(span).lines().next().unwrap_or("") };
        Self {
            file: file.name().to_owned(),
            line: position.line,
            column: position.column,
            text: shortened(text).to_owned(),
            via: Vec::new(),
        }
    }
}

/// Source text in reports has at most this many bytes.
pub(crate) const LONGEST_TEXT: usize = 400;

pub(crate) fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    #[serde(rename = "holds")]
    Holds,
    #[serde(rename = "holds up to bounds")]
    HoldsUpToBounds,
    #[serde(rename = "violated")]
    Violated,
    /// Nothing was found, and the store may have taken states for others.
    #[serde(rename = "no error found")]
    NoErrorFound,
    #[serde(rename = "inconclusive")]
    Inconclusive,
}

/// A temporal property that was checked.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Property {
    pub name: String,
    /// For a formula: its text as it was understood.
    pub formula: Option<String>,
    pub verdict: Verdict,
    /// The number of states of the automaton of the runs that violate it.
    pub automaton_states: u64,
    /// Pairs of a state of the model and one of the automaton.
    pub product_states: u64,
    pub states: u64,
    pub transitions: u64,
    pub seconds: f64,
    /// Which runs count.
    pub fairness: Fairness,
    /// The reduction of this search; that of the whole report is of the first search.
    pub reduction: Reduction,
    /// Conditions that never hold, in front of an implication.
    pub vacuous: Vec<String>,
}

/// Something whose text is its value in JSON.
pub(crate) fn as_text<S: Serializer>(value: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::fault_kind"))]
    pub kind: FaultKind,
    pub message: String,
    /// The temporal property that is violated, if it is one.
    pub property: Option<String>,
    /// Length of the trail.
    pub steps: u64,
    pub location: Option<Place>,
    /// What minimisation did to the trail, unless it was switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimised: Option<Minimised>,
    pub trace: Trace,
}

/// What minimisation did to a trail.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Minimised {
    /// The length of the trail that the search found.
    pub from_steps: u64,
    /// How often it changes from a thread to another.
    pub from_switches: u64,
    /// How often the trail that is shown changes from a thread to another.
    pub to_switches: u64,
    /// No run to this violation has fewer steps than the one that is shown.
    pub shortest: bool,
    /// Minimisation was not broken off by its limits on work, time and memory.
    pub complete: bool,
    /// The time that it took.
    #[serde(skip)]
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ViolationCount {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::fault_kind"))]
    pub kind: FaultKind,
    pub message: String,
    /// The temporal property that is violated, if it is one.
    pub property: Option<String>,
    /// States or steps that show it.
    pub count: u64,
    pub steps: u64,
    pub location: Option<Place>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The source line; of a step on several lines all of them, as one.
    pub text: String,
    /// The calls of inlines by which this text got here, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Call>,
}

/// A call of an inline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Call {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// The call with its arguments: `push(n + 1)`.
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Store {
    pub kind: StoreKind,
    pub bytes: u64,
    pub bytes_per_state: f64,
    /// What there is to say about a store of its kind.
    #[serde(flatten)]
    pub figures: BTreeMap<String, f64>,
    /// For a lossy store: the expected number of states that it took for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_omissions: Option<f64>,
    /// For a lossy store, after a completed search: a lower bound for the probability that there are none,
    /// and that everything was explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_complete: Option<f64>,
    /// With `--refine`: all rounds, of which this is the report of the last one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// With `--coverage`: how much of the state space the search has seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// With `--swarm`: all searches, of which this is the report of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swarm: Option<Swarm>,
    /// After memory ran out: what other stores would take for the same states, by estimation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

/// How much of the state space a search has seen, estimated from a second one.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// How many states there are at least; unknown if the samples say too little.
    pub estimated_states: Option<u64>,
    /// The part of them that the search has stored, from 0 to 1.
    pub coverage: Option<f64>,
    /// The number of states in the sample of this search, in that of the other one, and in both. Zeros, if
    /// one of them was not completed.
    pub sample: [u64; 3],
}

/// What several searches with different hash functions and orders of steps have found together.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Swarm {
    /// In the order of their numbers. Without `--continue`, those after the first one that finds an error do not count.
    pub searches: Vec<SwarmSearch>,
    /// About how many states at least one completed search has stored; unknown if the samples say too little.
    pub states: Option<u64>,
    /// How many states there are at least; unknown if the samples say too little.
    pub estimated_states: Option<u64>,
    /// The part of them that at least one search has stored, from 0 to 1.
    pub coverage: Option<f64>,
    /// The numbers of sampled states that exactly one of the completed searches has stored, exactly two, and so on.
    pub sample: Vec<u64>,
    /// The time for all searches.
    pub seconds: f64,
}

/// One search of a swarm.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwarmSearch {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// The number of different errors.
    pub violations: u64,
    /// It was not ended by a limit or an error.
    pub completed: bool,
    /// The fraction of the bits that was set in the end.
    pub fill: f64,
    pub expected_omissions: f64,
    pub seconds: f64,
}

/// One search of a refinement.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Round {
    /// The number of bits of the array.
    pub bits: u64,
    pub hashes: u32,
    pub states: u64,
    /// The fraction of the bits that was set in the end.
    pub fill: f64,
    pub expected_omissions: f64,
    pub seconds: f64,
}

/// Another store, for the states of this one.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alternative {
    pub kind: StoreKind,
    pub bytes: u64,
    pub bytes_per_state: f64,
    /// How many times as many states it would hold in the memory of this one.
    pub times_more: f64,
    /// Whether it may take states for others.
    pub lossy: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Symmetry {
    /// The level that was used, which is never `auto`.
    pub level: config::Symmetry,
    /// With `--symmetry auto`: why this level was chosen.
    pub chosen: Option<String>,
    /// How objects are named, where they are.
    pub naming: Option<Naming>,
    /// Whether states that differ only in names that the level abstracts from were always one.
    pub canonical: bool,
    /// States whose names took a search, and those for which it was broken off.
    pub ties_searched: u64,
    pub searches_exhausted: u64,
    /// Units (threads, objects) that a step renamed or let be hashed again, on average.
    pub touched_per_step: f64,
    /// Individuals that a property mentions, which are therefore not interchangeable with others.
    pub pinned: Vec<String>,
    /// What mentions each of them.
    pub pinned_by: Vec<Pinned>,
    /// What the level let states differ in and still be one: kinds of which there were at least two at a
    /// time. In a check of several goals, those of the first search.
    pub interchangeable: Vec<Interchangeable>,
    /// For Promela models: why processes of which there are several are not interchangeable. For others: why
    /// `--symmetry auto` chose `none`.
    pub not_interchangeable: Vec<String>,
}

/// An individual that is not interchangeable with others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pinned {
    /// Its name, as in `pinned`.
    pub name: String,
    /// What mentions it, such as ``invariant `Safe` `` or `assertion at model.bir:7:5`.
    pub by: Vec<String>,
}

/// Things of a kind that can be exchanged for each other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interchangeable {
    pub kind: InterchangeableKind,
    /// The name of the procedure that the threads started with, of the type of the objects, or of the enum.
    pub name: String,
    /// For threads: their number in the first state with the most threads. For objects: their number in the
    /// first state with the most objects. For elements: how many are not pinned.
    pub count: u32,
    /// For the processes and channels of a Promela model: which permutations of them are allowed, such as `S5` for
    /// all, `C5` for rotations, or their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// A sort of things that can be exchanged for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InterchangeableKind {
    Thread,
    Channel,
    Object,
    /// An element of an abstract enum.
    Element,
}

/// What was left out of a search that changes no answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reduction {
    /// Whether orders of steps were: `on` or `off`.
    pub por: Switch,
    /// Whether statements were merged: `on` or `off`.
    pub merge: Switch,
    /// Why there was no partial order reduction, unless it was switched off.
    pub notice: Option<String>,
    /// Why no statements were merged, unless that was switched off.
    pub merge_notice: Option<String>,
    /// What it could not rely on after all: the search started again without it.
    pub dropped: Vec<String>,
    /// How often the steps of one thread were enough, and how often they were not.
    pub ample: u64,
    pub full: u64,
}

impl Reduction {
    pub fn is_merged(&self) -> bool {
        self.merge == Switch::On
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Truncations {
    pub objects: u64,
    pub threads: u64,
    pub frames: u64,
    /// States in which an invariant or a condition of a property was not evaluated.
    pub conditions: u64,
}

impl Truncations {
    pub const fn total(self) -> u64 {
        self.steps() + self.conditions
    }

    /// Steps that were not taken.
    pub const fn steps(self) -> u64 {
        self.objects + self.threads + self.frames
    }
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeadCode {
    pub procedure: String,
    /// Whether the procedure is entered at all: if not, this stands for all of it.
    pub entered: bool,
    /// The location's name, where it has one in the source.
    pub name: Option<String>,
    pub location: Place,
}

impl Report {
    /// Whether no run to the first violation is shorter than the one that is shown.
    pub fn is_shortest(&self) -> bool {
        let minimised = self.violation.as_ref().and_then(|violation| violation.minimised);
        minimised.is_some_and(|minimised| minimised.shortest) || self.is_found_shortest()
    }

    /// Whether the search itself finds a shortest run first.
    fn is_found_shortest(&self) -> bool {
        let of_a_property = self.properties.iter().any(|property| property.verdict == Verdict::Violated);
        self.search == SearchKind::Bfs
            && !of_a_property
            && !self.has_coarse_steps
            && self.reduction.ample == 0
            && !self.reduction.is_merged()
    }
}

/// Why a check is not complete, if it is not: reasons, with semicolons between them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reasons(pub Option<String>);

impl Reasons {
    /// Adds a reason that is not among them.
    pub fn add(&mut self, reason: &str) {
        match &mut self.0 {
            Some(reasons) if reasons.contains(reason) => {}
            Some(reasons) => reasons.extend(["; ", reason]),
            none => *none = Some(reason.to_owned()),
        }
    }
}

impl ViolationCount {
    /// Whether both are the same violation to people.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let Self { kind, message, property, location, count: _, steps: _ } = self;
        (*kind, message, property, location) == (other.kind, &other.message, &other.property, &other.location)
    }
}

impl Verdict {
    /// What can be said of two things together: what can be said of the one of which less can be said.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let rank = |verdict| match verdict {
            Self::Holds => 0,
            Self::HoldsUpToBounds => 1,
            Self::NoErrorFound => 2,
            Self::Inconclusive => 3,
            Self::Violated => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsUpToBounds => "holds up to bounds",
            Self::Violated => "violated",
            Self::NoErrorFound => "no error found",
            Self::Inconclusive => "inconclusive",
        }
    }
}
