//! Iterative refinement: bitstate searches with larger and larger arrays.
//!
//! After Holzmann: errors that are easy to find are found in the first small arrays, within moments; where
//! there are none, the array doubles until it is large enough that nothing is expected to be lost. All
//! searches but the last cost together about as much as the last one.
//!
//! Each round also shows how many states there are at least; the number of hash functions of the next round
//! is chosen by that.

use search::{Completeness, Observer, Quiet, StopReason};
use store::{Bitstate, Budget, Hashes};

use crate::config::Config;
use crate::report::{Round, Store};
use crate::stores::Explored;

/// The first array has 64 Kibit.
const FIRST: u32 = 16;

/// Why there was no further round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// An error was found, nothing is expected to be lost, or the search was stopped: the outcome says which.
    Normally,
    /// A larger array would not fit.
    Memory,
}

/// Watches a check.
pub trait Watcher: Observer {
    /// A round of a refinement has ended.
    fn round(&mut self, _: &Round) {}
}

impl Watcher for Quiet {}

/// Searches until an error is found, the expected omissions fall below one, or time or memory end. `search`
/// is one search. The result is that of the last one; if memory ended that, of the one before.
pub fn refine<T>(
    budget: &Budget,
    config: &Config,
    watcher: &mut dyn Watcher,
    search: impl Fn(Bitstate, &mut dyn Watcher) -> (Explored, T),
) -> (Explored, T, Ended) {
    let mut rounds: Vec<Round> = Vec::new();
    // The last search that went through.
    let mut last = None;
    for log_bits in FIRST..=*Bitstate::LOG_BITS.end() {
        if last.is_some() && !budget.allows(1 << (log_bits - 3)) {
            break;
        }
        let hashes = match (config.store_options.hashes, rounds.last()) {
            (Some(hashes), _) => Hashes::Fixed(hashes),
            (None, Some(last)) => Hashes::For(last.states as f64 + last.expected_omissions),
            // Nothing is known: as few as are ever chosen, for more states than fit.
            (None, None) => Hashes::For(f64::from(log_bits).exp2()),
        };
        let (run, rest) = search(Bitstate::new(budget, log_bits, hashes), watcher);
        let round = round(&run, log_bits);
        watcher.round(&round);
        let ended = has_ended(&run, &round);
        let starved = run.outcome.completeness == Completeness::Stopped(StopReason::Memory)
            && run.outcome.violations.is_empty();
        rounds.push(round);
        // A search that memory ended says less than the one before.
        if starved && last.is_some() {
            break;
        }
        if ended {
            return (Explored { store: Store { rounds, ..run.store }, ..run }, rest, Ended::Normally);
        }
        last = Some((run, rest));
    }
    let (run, rest) = last.expect("the first array is not too large");
    (Explored { store: Store { rounds, ..run.store }, ..run }, rest, Ended::Memory)
}

fn round(run: &Explored, log_bits: u32) -> Round {
    let figure = |name| run.store.figures.get(name).copied().unwrap_or_default();
    Round {
        bits: 1 << log_bits,
        hashes: figure("hashes") as u32,
        states: run.outcome.stats.states as u64,
        fill: figure("fill"),
        expected_omissions: run.store.expected_omissions.unwrap_or_default(),
        seconds: run.outcome.elapsed.as_secs_f64(),
    }
}

/// Whether a larger array would not change anything.
fn has_ended(run: &Explored, round: &Round) -> bool {
    let went_through = matches!(
        run.outcome.completeness,
        Completeness::Exhausted | Completeness::Stopped(StopReason::Depth)
    );
    !run.outcome.violations.is_empty() || !went_through || round.expected_omissions < 1.0
}
