//! A local web page on which to walk through the states of a model.
//!
//! ```text
//!  browser ── HTTP over loopback ── connections (a thread each) ── calls ──► the thread of the model: Explorable
//!                    ▲                                                            │
//!                    └───────────── events (SSE) ◄── jobs (a thread, one at a time) ◄┘
//! ```
//!
//! This crate knows no models. [`Explorable`] answers [`Call`]s in JSON; [`Jobs`] runs what takes long, beside it. Both
//! are implemented where models are known.
//!
//! # The server is our own
//!
//! It speaks as much HTTP/1.1 as a browser needs for one page: requests without transfer encodings, one per connection.
//! That is some four hundred lines on the standard library ([`http`], [`server`]), without a runtime and without further
//! dependencies. A general server would bring an asynchronous runtime, and megabytes, into a program that is otherwise
//! synchronous; and most of what it can do would have to be switched off again.
//!
//! # Who may ask
//!
//! The page shows models, and can run searches. So only the person who started it may use it ([`guard`]): see the table
//! there, each row of which is a test. Files are never opened by name: the pages are part of the program.

pub mod assets;
pub mod guard;
pub mod http;
pub mod server;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use serde_json::Value;

/// What the page asks for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "call", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Call {
    /// The model, its source, what can be checked.
    About,
    /// A state, with its steps, and what differs from another one.
    State { node: usize, before: Option<usize> },
    /// Takes a step of a state, by its position among its steps.
    Take { node: usize, step: usize },
    /// Takes all steps of a state.
    Expand { node: usize },
    /// The way to a state.
    Path { node: usize },
    /// Random steps from a state.
    Random { node: usize, steps: usize, seed: u64 },
    /// The steps between the nodes of a run.
    Rows { nodes: Vec<usize> },
    /// A picture of the run through nodes.
    Chart { nodes: Vec<usize> },
    /// A picture of the graph of some states.
    Graph { nodes: Vec<usize>, here: usize },
    /// What is different in two states.
    Diff { left: usize, right: usize },
    /// The states of the page that differ only in names.
    Orbit { nodes: Vec<usize>, node: usize },
    /// The trail of a run through nodes, as a file.
    Trail { nodes: Vec<usize> },
}

/// What takes long.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "job", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Job {
    /// A check of the model: of everything, of safety, or of a property or formula.
    Check { property: Option<String>, formula: Option<String>, safety: bool },
    /// A state behind a node in which a condition holds. `steps` is the way to the node.
    Find {
        condition: String,
        node: usize,
        #[serde(skip)]
        steps: Vec<[u32; 3]>,
    },
}

/// What came of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What the page shows.
    pub words: Value,
    /// A run to be shown: from which node, its steps, and where its cycle begins.
    pub run: Option<FoundRun>,
}

/// A run that a job has found: threads, transitions and choices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundRun {
    pub from: usize,
    pub steps: Vec<[u32; 3]>,
    pub cycle: Option<usize>,
}

/// A reason for which there is no answer.
pub type Refusal = String;

/// A model that can be walked through. It lives on one thread.
pub trait Explorable {
    fn answer(&mut self, call: &Call) -> Result<Value, Refusal>;

    /// The steps to a node, for jobs.
    fn steps_to(&self, node: usize) -> Result<Vec<[u32; 3]>, Refusal>;

    /// Takes the run that a job has found into the states. Returns its nodes, and why its last step is not taken, if it
    /// is not.
    fn follow(&mut self, run: &FoundRun) -> Result<(Vec<usize>, Option<String>), Refusal>;
}

/// What runs beside the model, on a thread of its own.
pub trait Jobs: Sync {
    /// Runs a job. `progress` goes to the page.
    fn run(
        &self,
        job: &Job,
        interrupt: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(Value),
    ) -> Result<Outcome, Refusal>;
}
