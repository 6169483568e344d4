//! What bounds a search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use store::Budget;

/// Limits of a search, none by default. Each ends the search in an honest partial outcome.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// States this many steps from the initial one are not expanded: trails have at most that many steps.
    /// Depth first, a state may first be met on a detour, so that states within the bound stay unexplored.
    pub max_depth: Option<u32>,
    pub max_states: Option<usize>,
    pub time: Option<Duration>,
    /// The memory limit. The store is to ask the same budget.
    pub budget: Budget,
    /// Set by somebody else to end the search.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// Go on after a violation.
    pub keep_going: bool,
    /// Fire the steps of a state twice, where a store gains by it: once to find out about all successors, and
    /// then again to go to those that are new. Not where steps are expensive.
    pub lookahead: bool,
    /// Take one of the steps that a symmetry of a state maps to each other, and count the others. Not
    /// together with looking ahead.
    pub fold: bool,
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
            progress_every: Duration::from_millis(100),
        }
    }
}
