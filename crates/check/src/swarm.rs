//! Several bitstate searches, each with hash functions and an order of steps of its own.
//!
//! What one search loses, another one finds, and a search that takes steps in another order comes to other errors
//! first (Holzmann, Joshi and Groce, Swarm verification techniques, IEEE Transactions on Software Engineering 37(6),
//! 2011). Searches share nothing, so they run on any number of threads; which numbers they have decides what they do
//! and what the report says, and not which of them ends first.
//!
//! *How much of the state space was seen.* Each search takes a [sample](store::RecaptureSample) of its states. From the
//! numbers of states that were caught by one search only, and by two, follows a lower bound for the number of those that
//! none has caught (Chao, Estimating the population size for capture-recapture data with unequal catchability,
//! Biometrics 43, 1987). With two searches it is the estimate of [`crate::coverage`].

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use search::{Completeness, Observer, Open, Outcome, Progress, StopReason, Violation};
use store::{Bitstate, Budget, Hashes, RecaptureSample};

use crate::config::Config;
use crate::refine::Watcher;
use crate::report::{self, Store, SwarmSearch};
use crate::stores::Explored;

/// The native stack of a thread: as large as that of a process usually is.
const STACK: usize = 8 << 20;
/// The time between two looks at an interrupt.
const WATCH: Duration = Duration::from_millis(50);
/// An estimate with a greater standard deviation, relative to itself, is none.
const VAGUE: f64 = 0.3;

/// What distinguishes one search of a swarm.
pub struct Member<'a> {
    pub store: Bitstate,
    /// The seed of the order of steps; `None` for the order of the model.
    pub shuffle: Option<u64>,
    /// Ends the search.
    pub interrupt: &'a Arc<AtomicBool>,
}

/// Searches as often as the configuration says. `search` is one search, and `unite` adds what the layers below have found
/// out. The result is that of the first search, or of the first one that finds an error, with the errors of all.
///
/// Unless the check goes on after errors, searches with greater numbers than one that finds an error are ended, and do
/// not count.
pub fn swarm<L: Send>(
    budget: &Budget,
    config: &Config,
    interrupt: Option<&Arc<AtomicBool>>,
    watcher: &mut dyn Watcher,
    search: impl Fn(Member<'_>, &mut dyn Watcher) -> (Explored, L) + Sync,
    unite: impl Fn(&mut L, L),
) -> (Explored, L) {
    let begun = Instant::now();
    let count = config.store_options.swarm.map_or(1, |count| count as usize);
    let hashes = config.store_options.hashes.map_or(Hashes::Usual, Hashes::Fixed);
    let flags: Vec<Arc<AtomicBool>> = (0..count).map(|_| Arc::default()).collect();
    let hive = Hive {
        next: AtomicUsize::new(0),
        end: AtomicUsize::new(count),
        flags: &flags,
        progress: Mutex::default(),
    };
    let work = |results: &Sender<(usize, Explored, L)>| {
        let _guard = Guard(&flags);
        while let Some(number) = hive.next() {
            let shuffle = (number > 0).then_some(number as u64);
            let store = Bitstate::new(budget, config.arena(), hashes).sampled(number as u64);
            let member = Member { store, shuffle, interrupt: &flags[number] };
            let (found, layers) = search(member, &mut Scout { hive: &hive, number });
            if !config.keep_going && !found.outcome.violations.is_empty() {
                hive.end_after(number);
            }
            if results.send((number, found, layers)).is_err() {
                return;
            }
        }
    };
    let mut results: BTreeMap<usize, (Explored, L)> = BTreeMap::new();
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let spawn = |_| {
            let (sender, work) = (sender.clone(), &work);
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(&sender)).ok()
        };
        // Without memory for their stacks there are fewer threads.
        let threads: Vec<_> = (0..config.workers().min(count)).map_while(spawn).collect();
        if threads.is_empty() {
            work(&sender);
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(WATCH) {
                Ok((number, found, layers)) => _ = results.insert(number, (found, layers)),
                Err(RecvTimeoutError::Timeout) => {
                    if interrupt.is_some_and(|flag| flag.load(Relaxed)) {
                        end_all(&flags);
                    }
                    watcher.progress(&hive.progress(begun.elapsed()));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if let Some(panic) = threads.into_iter().filter_map(|thread| thread.join().err()).last() {
            resume_unwind(panic);
        }
    });
    // Those with greater numbers were ended, or need not have begun.
    results.retain(|&number, _| number <= hive.end.load(Relaxed));
    united(results.into_values().collect(), begun.elapsed(), unite)
}

/// What the searches of a swarm share.
struct Hive<'a> {
    /// The number of the next search.
    next: AtomicUsize,
    /// The least number of a search that has found an error, if that ends the check; otherwise the number of searches.
    end: AtomicUsize,
    flags: &'a [Arc<AtomicBool>],
    /// The last progress of each search.
    progress: Mutex<BTreeMap<usize, Progress>>,
}

impl Hive<'_> {
    fn next(&self) -> Option<usize> {
        let number = self.next.fetch_add(1, Relaxed);
        (number < self.end.load(Relaxed)).then_some(number)
    }

    fn end_after(&self, number: usize) {
        let end = self.end.fetch_min(number, Relaxed).min(number);
        end_all(&self.flags[end + 1..]);
    }

    /// The sums of what the searches have done.
    fn progress(&self, elapsed: Duration) -> Progress {
        let last = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |progress: &Progress| match progress.open {
            Open::Frontier(states) | Open::Stack(states) => states,
        };
        Progress {
            states: last.values().map(|progress| progress.states).sum(),
            transitions: last.values().map(|progress| progress.transitions).sum(),
            matched: last.values().map(|progress| progress.matched).sum(),
            depth: last.values().map(|progress| progress.depth).max().unwrap_or_default(),
            open: Open::Stack(last.values().map(open).sum()),
            store_bytes: last.values().map(|progress| progress.store_bytes).sum(),
            resident_bytes: store::resident(),
            elapsed,
        }
    }
}

/// Ends searches.
fn end_all(flags: &[Arc<AtomicBool>]) {
    for flag in flags {
        flag.store(true, Relaxed);
    }
}

/// Ends all searches if one of them panics.
struct Guard<'a>(&'a [Arc<AtomicBool>]);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            end_all(self.0);
        }
    }
}

/// Watches one search for the swarm.
struct Scout<'a> {
    hive: &'a Hive<'a>,
    number: usize,
}

impl Observer for Scout<'_> {
    fn progress(&mut self, progress: &Progress) {
        let mut last = self.hive.progress.lock().unwrap_or_else(PoisonError::into_inner);
        last.insert(self.number, progress.clone());
    }
}

impl Watcher for Scout<'_> {}

/// Unites the results of searches, in the order of their numbers.
fn united<L>(results: Vec<(Explored, L)>, time: Duration, unite: impl Fn(&mut L, L)) -> (Explored, L) {
    let finds = |(found, _): &(Explored, L)| !found.outcome.violations.is_empty();
    let shown = results.iter().position(finds).unwrap_or(0);
    let searches: Vec<SwarmSearch> = results.iter().map(|(found, _)| search_entry(found)).collect();
    let mut samples = Vec::new();
    let mut result = None;
    let mut others = Vec::new();
    for (number, (mut found, layers)) in results.into_iter().enumerate() {
        let sample = found.sample.take();
        samples.extend(sample.filter(|_| went_through(&found.outcome)));
        if number == shown {
            result = Some((found, layers));
        } else {
            others.push((found, layers));
        }
    }
    let (mut found, mut layers) = result.expect("the first search is never left out");
    for (other, other_layers) in others {
        add(&mut found.outcome, other.outcome);
        unite(&mut layers, other_layers);
    }
    let swarm = report::Swarm {
        seconds: time.as_secs_f64(),
        ..estimate(searches, &RecaptureSample::frequencies(samples))
    };
    found.store = Store { swarm: Some(swarm), ..found.store };
    (found, layers)
}

fn went_through(outcome: &Outcome) -> bool {
    matches!(outcome.completeness, Completeness::Exhausted | Completeness::Stopped(StopReason::Depth))
}

fn search_entry(found: &Explored) -> SwarmSearch {
    let Explored { outcome, store, .. } = found;
    SwarmSearch {
        states: outcome.stats.states as u64,
        transitions: outcome.stats.transitions,
        depth: outcome.stats.depth.into(),
        violations: outcome.violations.len() as u64,
        completed: went_through(outcome),
        fill: store.figures.get("fill").copied().unwrap_or_default(),
        expected_omissions: store.expected_omissions.unwrap_or_default(),
        seconds: outcome.elapsed.as_secs_f64(),
    }
}

/// Adds what another search of the same states has found. A count is that of the search in which it is greatest, since
/// both may have counted the same.
fn add(outcome: &mut Outcome, other: Outcome) {
    for violation in other.violations {
        let is_same = |known: &&mut Violation| {
            (known.fault, known.consequence) == (violation.fault, violation.consequence)
        };
        match outcome.violations.iter_mut().find(is_same) {
            Some(known) => known.count = known.count.max(violation.count),
            None => outcome.violations.push(violation),
        }
    }
    for (into, from) in
        [(&mut outcome.truncations, other.truncations), (&mut outcome.unevaluated, other.unevaluated)]
    {
        for (bound, count) in from {
            let known = into.entry(bound).or_default();
            *known = count.max(*known);
        }
    }
    // A swarm is as complete as the least complete of its searches.
    let rank = |completeness| match completeness {
        Completeness::Exhausted => 0,
        Completeness::Stopped(StopReason::Depth) => 1,
        Completeness::Stopped(_) => 2,
    };
    if rank(other.completeness) > rank(outcome.completeness) {
        (outcome.completeness, outcome.open) = (other.completeness, other.open);
    }
}

/// Estimates how many states there are from the numbers of sampled states that exactly one search, two, … have stored.
fn estimate(searches: Vec<SwarmSearch>, (frequencies, rate): &(Vec<u64>, f64)) -> report::Swarm {
    let caught = frequencies.iter().sum::<u64>() as f64;
    let [once, twice] = [0, 1].map(|at| frequencies.get(at).copied().unwrap_or_default() as f64);
    let catches = frequencies.len() as f64;
    let (part, ratio) = ((catches - 1.0) / catches, once / twice);
    let missed = part * once * ratio / 2.0;
    let variance = twice
        * (part / 2.0 * ratio.powi(2) + part.powi(2) * ratio.powi(3) + part.powi(2) / 4.0 * ratio.powi(4));
    let all = if once == 0.0 { caught } else { caught + missed };
    // False where one of them is no number.
    let is_told = catches >= 2.0 && caught > 0.0 && (once == 0.0 || variance.sqrt() <= VAGUE * all);
    report::Swarm {
        searches,
        states: is_told.then(|| (caught * rate).round() as u64),
        estimated_states: is_told.then(|| (all * rate).round() as u64),
        coverage: is_told.then(|| caught / all),
        sample: frequencies.clone(),
        seconds: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(frequencies: &[u64]) -> (Option<u64>, Option<u64>, Option<f64>) {
        let swarm = estimate(Vec::new(), &(frequencies.to_vec(), 2.0));
        assert_eq!(swarm.sample, frequencies);
        (swarm.states, swarm.estimated_states, swarm.coverage)
    }

    #[test]
    fn what_samples_say() {
        // Everything was caught by all.
        assert_eq!(told(&[0, 0, 0, 50]), (Some(100), Some(100), Some(1.0)));
        // Chao's estimate by hand: 300 + 2/3 · 100² / (2 · 100).
        assert_eq!(told(&[100, 100, 100]), (Some(600), Some(667), Some(300.0 / (300.0 + 100.0 / 3.0))));
        // One search says nothing about what it has not seen; and nothing was caught twice.
        for nothing in [&[][..], &[500], &[0, 0], &[900, 1], &[900, 0, 0]] {
            assert_eq!(told(nothing), (None, None, None), "{nothing:?}");
        }
    }

    /// With two searches it is the estimate by Lincoln and Petersen.
    #[test]
    fn two_searches_are_a_capture_and_a_recapture() {
        for (first, second, both) in [(1000, 1000, 800), (5000, 5000, 1500), (300, 300, 299)] {
            let (states, estimated, _) = told(&[first + second - 2 * both, both]);
            let petersen = 2.0 * (first * second) as f64 / both as f64;
            assert_eq!(states, Some(2 * (first + second - both)));
            assert_eq!(estimated, Some(petersen.round() as u64));
        }
    }
}
