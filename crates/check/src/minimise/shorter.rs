//! A shortest run to a violation, by another search.
//!
//! Depth first, with reduction or with merged statements, the search that found a violation did not look for
//! a short run. Breadth first, through all interleavings and no deeper than the run at hand, it does. Often
//! that is a matter of milliseconds, since the states near the initial one are few.

use std::time::Duration;

use search::{Checkpoints, Completeness, Options, Quiet, StopReason};
use system::{FaultKind, Step};

use crate::config::{Config, SearchKind, StoreKind};
use crate::pipeline::{Check, engine_of, ladder, without_properties};
use crate::stack::{Naming, Stack};
use crate::stores::Reachability;

/// The search stores at most this many states.
const STATES: usize = 50_000;

/// What a search for shorter runs found.
pub struct Shorter {
    /// Runs to violations of the kind, each a shortest one to its violation.
    pub runs: Vec<Vec<Step>>,
    /// There is no shorter run to any other violation of the kind.
    pub is_exhaustive: bool,
    /// Another violation ended the search.
    pub has_other: bool,
}

/// Looks for runs of fewer than `steps` steps to violations of a kind. If `keep_going`, other violations do
/// not end the search.
pub fn search(
    check: &Check<'_>,
    kind: FaultKind,
    steps: usize,
    time: Duration,
    keep_going: bool,
) -> Option<Shorter> {
    let Check { model, ref options, .. } = *check;
    let depth = steps.checked_sub(1).and_then(|depth| u32::try_from(depth).ok())?;
    let program = without_properties(&model.program);
    let engine = engine_of(model, &program, check.config.bounds).ok()?;
    let config = Config { search: Some(SearchKind::Bfs), store: StoreKind::Trie, ..Config::unreduced() };
    // Whatever the level of symmetry that was asked for: it does not change the lengths of runs.
    let naming = ladder(model, &config).map_or(Naming::Ids, Naming::Names);
    let options = Options {
        max_depth: Some(depth),
        max_states: Some(STATES),
        time: Some(time),
        keep_going,
        lookahead: naming.is_ids(),
        fold: !naming.is_ids(),
        ..options.clone()
    };
    let stack = Stack { engine: &engine, naming, analysis: None };
    let search = Reachability {
        config: &config,
        crew: (1, config.pace),
        options: &options,
        observer: &mut Quiet,
        checkpoints: Checkpoints::default(),
    };
    let (explored, _) = stack.with_system(search);
    let outcome = explored.expect("it begins at the initial state").outcome;
    let has_other = outcome.completeness == Completeness::Stopped(StopReason::FirstViolation);
    let of_kind = outcome.violations.into_iter().filter(|found| found.fault.kind == kind);
    Some(Shorter {
        runs: of_kind.map(|found| found.trail.steps).collect(),
        has_other,
        is_exhaustive: matches!(
            outcome.completeness,
            Completeness::Exhausted | Completeness::Stopped(StopReason::Depth)
        ),
    })
}
