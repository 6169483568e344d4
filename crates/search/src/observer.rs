//! Who watches a search: progress displays and graph exports.

use std::time::Duration;

use store::StateId;
use system::Step;

/// Receives the progress of a search, and every state and edge if it asks for them.
pub trait Observer {
    /// Called now and then, see [`crate::Options::progress_every`].
    fn progress(&mut self, _: &Progress) {}

    /// Whether [`Observer::stored`] and [`Observer::edge`] are to be called. Asked once, before the search.
    fn records(&self) -> bool {
        false
    }

    /// A state was stored, `depth` steps from the initial state on the path that the search took.
    fn stored(&mut self, _: StateId, _depth: u32) {}

    /// A step leads from one stored state to another. Steps that fault or exceed a bound are not edges.
    fn edge(&mut self, _source: StateId, _: Step, _target: StateId) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Quiet;

impl Observer for Quiet {}

/// Where a running search stands.
#[derive(Clone, Debug)]
pub struct Progress {
    pub states: usize,
    pub transitions: u64,
    pub matched: u64,
    pub depth: u32,
    pub open: Open,
    pub store_bytes: usize,
    /// The resident set of the process, where the system tells.
    pub resident_bytes: Option<usize>,
    pub elapsed: Duration,
}

/// What a search still has to do, as far as it knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// Stored states that are not expanded yet.
    Frontier(usize),
    /// States on the stack.
    Stack(usize),
}
