//! Who watches a search: progress displays and graph exports.

use std::time::Duration;

use store::StateId;
use system::Step;

/// What a search tells while it runs. Methods that are not overridden cost nothing.
pub trait Observer {
    /// Called now and then, see [`crate::Options::progress_every`].
    fn progress(&mut self, _: &Progress) {}

    /// A state was stored, so many steps from the initial one on the way that the search took.
    fn stored(&mut self, _: StateId, _depth: u32) {}

    /// A step leads from one stored state to another. Steps that fault or leave a bound lead nowhere.
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
