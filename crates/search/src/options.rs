//! The limits and options of a search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use store::Budget;

/// The limits and options of a search. There are no limits by default. A search that a limit ends says so in
/// its outcome.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// States at this distance from the initial one are not expanded, so trails have at most this number of
    /// steps. A depth-first search may first reach a state on a longer path than necessary, so that states
    /// within the limit stay unexplored.
    pub max_depth: Option<u32>,
    pub max_states: Option<usize>,
    pub time: Option<Duration>,
    /// The memory limit. The store must use the same budget.
    pub budget: Budget,
    /// Set by another thread to end the search.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Continue after a violation.
    pub keep_going: bool,
    /// Fire the steps of a state twice, if the store benefits from it: once to look up all successors, and
    /// again to move to the new ones. Not useful where steps are expensive.
    pub lookahead: bool,
    /// Take one of the steps that a symmetry of the state maps to each other, and only count the others.
    /// Ignored together with `lookahead`.
    pub fold: bool,
    /// Depth first: take the steps of each state in a random order with this seed; `None` for the order of the system.
    pub shuffle: Option<u64>,
    /// The time between two reports of progress.
    pub progress_every: Duration,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            max_depth: None,
            max_states: None,
            time: None,
            budget: Budget::unlimited(),
            interrupt: None,
            keep_going: false,
            lookahead: true,
            fold: false,
            shuffle: None,
            progress_every: Duration::from_millis(100),
        }
    }
}
