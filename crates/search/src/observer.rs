//! Observers of a search: progress displays and graph exports.

use std::time::Duration;

use store::StateId;
use system::Step;

/// Receives the progress of a search and, if it asks for them, every state and edge.
pub trait Observer {
    /// Called at intervals of [`crate::Options::progress_every`].
    fn progress(&mut self, _: &Progress) {}

    /// Whether [`Observer::stored`] and [`Observer::edge`] are to be called. Called once, before the search.
    fn records(&self) -> bool {
        false
    }

    /// A state was stored, `depth` steps from the initial state on the path that the search took.
    fn stored(&mut self, _: StateId, _depth: u32) {}

    /// A step leads from one stored state to another. Steps that fault or exceed a bound are not edges.
    fn edge(&mut self, _source: StateId, _: Step, _target: StateId) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Default, Debug)]
pub struct Quiet;

impl Observer for Quiet {}

/// The progress of a running search.
#[derive(Clone, Debug)]
pub struct Progress {
    pub states: usize,
    pub transitions: u64,
    pub matched: u64,
    pub depth: u32,
    pub open: Open,
    pub store_bytes: usize,
    /// The resident set of the process, if the operating system reports it.
    pub resident_bytes: Option<usize>,
    pub elapsed: Duration,
}

/// The work that a search still has to do, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// The number of stored states that are not expanded yet.
    Frontier(usize),
    /// The number of states on the stack.
    Stack(usize),
}
