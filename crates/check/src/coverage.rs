//! How much of the state space a bitstate search has seen, by catching states twice.
//!
//! After Lincoln and Petersen, who counted fish: of those that the second catch brings in, the part that the
//! first one had marked is the part of all fish that the first one caught. Here a catch is a search, and two
//! of them have hash functions that have nothing to do with each other. What is marked is a
//! [sample](store::RecaptureSample) of the states.
//!
//! Searches are not quite catches. What lies behind a state that both have lost, neither has seen, and it
//! does not show; so the estimate is rather too low, and what it says is missing is the least that is.

use search::{Completeness, StopReason};
use store::{Bitstate, Budget, Hashes, Recapture, RecaptureSample};

use crate::config::Config;
use crate::refine::Watcher;
use crate::report::{Coverage, Store};
use crate::stores::Explored;

/// The hash functions of a search without estimation, and others.
const SEEDS: [u64; 2] = [0, 1];

/// An estimate with a greater standard deviation, relative to itself, is none.
const VAGUE: f64 = 0.3;

/// Searches twice; `search` is one search. The result is that of the first one, unless only the second one
/// finds an error. If one of them does not go through, there is no estimate.
pub fn cover<T>(
    budget: &Budget,
    config: &Config,
    watcher: &mut dyn Watcher,
    search: impl Fn(Bitstate, &mut dyn Watcher) -> (Explored, T),
) -> (Explored, T) {
    let hashes = config.store_options.hashes.map_or(Hashes::Usual, Hashes::Fixed);
    let mut run = |seed| search(Bitstate::new(budget, config.arena(), hashes).sampled(seed), watcher);
    let [first, second] = SEEDS;
    let (first, rest) = run(first);
    if !went_through(&first) {
        return (with_coverage(first, RecaptureSample::default(), RecaptureSample::default()), rest);
    }
    let (second, other_rest) = run(second);
    let finds = |run: &Explored| !run.outcome.violations.is_empty();
    let (mut shown, mut other, rest) =
        if finds(&second) && !finds(&first) { (second, first, other_rest) } else { (first, second, rest) };
    let both = went_through(&shown) && went_through(&other);
    let [sample, others] =
        [&mut shown, &mut other].map(|run| run.sample.take().filter(|_| both).unwrap_or_default());
    (with_coverage(shown, sample, others), rest)
}

fn with_coverage(run: Explored, sample: RecaptureSample, other: RecaptureSample) -> Explored {
    let coverage = Some(estimate(run.outcome.stats.states, sample.recapture(other)));
    Explored { store: Store { coverage, ..run.store }, ..run }
}

fn went_through(run: &Explored) -> bool {
    matches!(run.outcome.completeness, Completeness::Exhausted | Completeness::Stopped(StopReason::Depth))
}

/// The first sample is of a search with a known number of states; of the second one, only the sample is
/// known.
fn estimate(states: usize, Recapture { first, second, both }: Recapture) -> Coverage {
    let [n1, n2, n12] = [first, second, both].map(|count| count as f64);
    let variance = (n1 - n12) * (n2 - n12) / (n1 * n2 * n12);
    // Also where it is no number.
    let is_told = variance.sqrt() <= VAGUE;
    Coverage {
        estimated_states: is_told.then(|| (states as f64 * n2 / n12).round() as u64),
        coverage: is_told.then_some(n12 / n2),
        sample: [first, second, both].map(|count| count as u64),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::time::Duration;

    use search::{Consequence, Open, Outcome, Quiet, Stats, Trail, Violation};
    use system::{Fault, FaultKind};

    use super::*;
    use crate::config::StoreKind;
    use crate::stores;

    /// Two searches, by how they end and the number of errors they find: the number of the one that is shown,
    /// and whether it has an estimate.
    fn shown(ends: [(Completeness, usize); 2]) -> (usize, bool) {
        let config = Config::default();
        let calls = Cell::new(0);
        let search = |_: Bitstate, _: &mut dyn Watcher| {
            let (completeness, violations) = ends[calls.replace(calls.get() + 1)];
            let violation = Violation {
                fault: Fault { kind: FaultKind::Assertion, site: 0 },
                trail: Trail { steps: Vec::new() },
                count: 1,
                consequence: Consequence::EndsRuns,
            };
            let outcome = Outcome {
                stats: Stats { states: 1, ..Stats::default() },
                violations: vec![violation; violations],
                truncations: BTreeMap::new(),
                unevaluated: BTreeMap::new(),
                completeness,
                open: Open::Stack(0),
                threads: 1,
                elapsed: Duration::ZERO,
            };
            let mut sample = RecaptureSample::default();
            sample.add(7);
            let store = stores::describe(StoreKind::Exact, &store::Exact::new(&Budget::unlimited()));
            (Explored { outcome, store, sample: Some(sample) }, calls.get())
        };
        let (run, number) = cover(&Budget::unlimited(), &config, &mut Quiet, search);
        let coverage = run.store.coverage.expect("asked for");
        assert_eq!(coverage.sample, [u64::from(coverage.coverage.is_some()); 3]);
        (number, coverage.coverage.is_some())
    }

    #[test]
    fn an_error_that_only_the_second_search_finds_is_shown() {
        const THROUGH: Completeness = Completeness::Exhausted;
        const ERROR: Completeness = Completeness::Stopped(StopReason::FirstViolation);
        const TIME: Completeness = Completeness::Stopped(StopReason::Time);
        assert_eq!(shown([(THROUGH, 0), (THROUGH, 0)]), (1, true));
        assert_eq!(shown([(THROUGH, 0), (ERROR, 1)]), (2, false));
        assert_eq!(shown([(THROUGH, 0), (THROUGH, 1)]), (2, true));
        assert_eq!(shown([(THROUGH, 1), (THROUGH, 1)]), (1, true));
        assert_eq!(shown([(THROUGH, 0), (TIME, 0)]), (1, false));
        assert_eq!(shown([(ERROR, 1), (THROUGH, 0)]), (1, false));
    }

    #[test]
    fn what_two_samples_say() {
        let estimate = |states, first, second, both| {
            let coverage = estimate(states, Recapture { first, second, both });
            assert_eq!(coverage.sample, [first, second, both].map(|count| count as u64));
            (coverage.estimated_states, coverage.coverage)
        };
        assert_eq!(estimate(1000, 1000, 800, 400), (Some(2000), Some(0.5)));
        // The states of the first search are known; its sample is not needed to count them.
        assert_eq!(estimate(4100, 1000, 800, 600), (Some(5467), Some(0.75)));
        // Everything was caught twice, however little that is.
        assert_eq!(estimate(3, 3, 3, 3), (Some(3), Some(1.0)));
        assert_eq!(estimate(1000, 1000, 1000, 3), (None, None));
        assert_eq!(estimate(1000, 1000, 1000, 0), (None, None));
        assert_eq!(estimate(0, 0, 0, 0), (None, None));
    }
}
