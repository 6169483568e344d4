//! Breadth-first search with several workers, which finds what the search with one finds, in the same order.
//!
//! The search goes in rounds. In each, some of the next sources are expanded:
//!
//! 1. *Expand.* Workers take chunks of consecutive sources, in rising order. The visited set is frozen: a
//!    successor that is not in it is a candidate. Its *rank* is its place in the order of sources and, within
//!    a source, of transitions. What a worker finds in a chunk is a [`Log`].
//! 2. *Merge.* The visited set is divided into parts; each is written by one worker, with the candidates of
//!    the logs in the order of ranks. The first of several equal ones is new.
//! 3. *Fold.* One thread goes through the logs: new states are numbered, and what was counted is added.
//!
//! Ranks are the order in which one thread comes to successors. So states get the same numbers, and counts,
//! violations and trails are the same, for any number of workers and any division into rounds and chunks.
//!
//! *What only one thread does.* A worker cannot know everything that the search knows: whether a violation is
//! the first one of its kind, or where the limit on states is. At a source where that might matter, the
//! worker stops. The round ends before the first such source ([`Round::cut`]), whatever others have found
//! behind it is dropped, and the source is expanded like all sources of a search with one thread. That also
//! makes the trail. It is no loss: there are few of them, or they end the search.
//!
//! The scheme is that of parallel searches by levels, with a part of the set for each worker to write (for
//! example Holzmann, Parallelizing the Spin model checker, SPIN 2012), except that what is written is put into
//! the order of the sequential search first.
//!
//! If time, memory or an interrupt ends the search, the unfinished round is dropped.

mod meeting;

use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use store::{Candidates, Deferred, Frozen, Full, Part, SharedStore, StateId, Walker};
use system::{Counted, Encoding, Fault, Halt, Step, TransitionSystem};

use crate::ancestry::Branch;
use crate::bfs::{Frontier, Level, Record, Walk, advance, begin, expand, finish};
use crate::checkpoint::Checkpoints;
use crate::expander::Expander;
use crate::explore::{Explorer, Path};
use crate::ledger::{Ledger, Tally};
use crate::observer::{Observer, Open, Quiet};
use crate::options::Options;
use crate::outcome::{Outcome, StopReason, Violations};
use crate::sink::{Sink, or_stop};
use crate::trail::Trail;
use meeting::{Giver, Meeting, Panicked, Worker};

/// Makes the systems of workers.
pub trait Team: Sync {
    /// Runs work with a system of its own, which is like that of the search.
    fn with_system<W: OnSystem>(&self, work: W) -> W::Output;
}

/// Work with a system of any type.
pub trait OnSystem {
    type Output;

    fn run(self, system: &impl TransitionSystem) -> Self::Output;
}

/// When several workers are used, and for how much at a time. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The number of stored states from which on there are several workers.
    pub from: usize,
    /// The time for which one thread searches alone.
    pub after: Duration,
    /// The number of sources in a level from which on they are expanded by several workers. It also follows the
    /// clock, as rounds do.
    pub wide: usize,
    /// The number of sources of a round; `None` if it follows the clock.
    pub round: Option<usize>,
    /// The number of sources of a chunk; `None` if it follows from that of a round.
    pub chunk: Option<usize>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { from: 1 << 12, after: Duration::ZERO, wide: 1 << 8, round: None, chunk: None }
    }
}

/// The sources of a round: at first, and at least and at most.
const FIRST_ROUND: usize = 1 << 11;
const SMALLEST_ROUND: usize = 1 << 8;
/// A level of this number of sources is expanded by several workers, whatever the clock says.
const WIDEST: usize = 1 << 11;
const LARGEST_ROUND: usize = 1 << 16;
/// A round should take this time.
const ROUND: Duration = Duration::from_millis(80);
/// Below this time, what is left of a level is expanded by one thread: to wake the others would take as long.
const LEAST_ROUND: Duration = Duration::from_millis(1);
/// The sources of a chunk, at most. A rank has this many places for sources.
const LARGEST_CHUNK: usize = 1 << 9;
/// The chunks of a round for each worker, if they are not too small.
const CHUNKS: usize = 16;
const SMALLEST_CHUNK: usize = 1 << 4;
/// The bits of a rank that tell the number of the transition.
const NUMBER_BITS: u32 = 22;

/// The native stack of a worker. It is as large as that of a process usually is.
const STACK: usize = 8 << 20;

/// Ends what a worker does before a source that only the search itself can expand.
const ONLY_ALONE: StopReason = StopReason::FirstViolation;

/// Like [`crate::bfs()`], with several workers. Systems with [hidden data](system::HiddenData) and observers of
/// states are served by one.
pub fn parallel_bfs<S, T>(
    system: &S,
    store: &mut T,
    options: &Options<'_>,
    observer: &mut dyn Observer,
    (team, workers, pace): (&impl Team, usize, Pace),
) -> Outcome
where
    S: TransitionSystem,
    T: SharedStore,
{
    parallel_bfs_from(system, store, options, observer, (team, workers, pace), Checkpoints::default())
        .expect("it begins at the initial state")
}

/// Like [`crate::bfs_from()`], with several workers.
///
/// # Errors
///
/// If the search can't go on from that point.
pub fn parallel_bfs_from<S, T>(
    system: &S,
    store: &mut T,
    options: &Options<'_>,
    observer: &mut dyn Observer,
    crew: (&impl Team, usize, Pace),
    checkpoints: Checkpoints<'_>,
) -> io::Result<Outcome>
where
    S: TransitionSystem,
    T: SharedStore,
{
    let mut explorer = Explorer::new(system, store, options, observer);
    let mut frontier = Frontier::new(&options.budget, explorer.folds(), checkpoints.keeper);
    let end = match begin(&mut explorer, &mut frontier, checkpoints.from)? {
        Continue(level) => explore(&mut explorer, &mut frontier, level, crew),
        Break(reason) => Break(reason),
    };
    Ok(finish(explorer, frontier, end))
}

fn explore<S, T>(
    explorer: &mut Explorer<'_, S, T>,
    frontier: &mut Frontier<'_>,
    mut level: Level,
    (team, workers, pace): (&impl Team, usize, Pace),
) -> ControlFlow<StopReason>
where
    S: TransitionSystem,
    T: SharedStore,
{
    let can_share =
        workers > 1 && !explorer.sink.ledger.records && explorer.expander.system.hidden_data().is_none();
    let started = explorer.sink.ledger.started();
    let is_worthwhile = |explorer: &Explorer<'_, S, T>, level: &Level| {
        can_share
            // What a system finds out when it is first asked for steps, it finds out at the initial state.
            && level.depth > 0
            && level.left.len() >= pace.wide
            && explorer.sink.store.len() >= pace.from
            // Workers do not store transient states.
            && !explorer.expander.stores_transient
            && started.elapsed() >= pace.after
    };
    advance(explorer, frontier, &mut level, is_worthwhile)?;
    if level.left.is_empty() {
        return Continue(());
    }
    let options = &Options { progress_every: Duration::MAX, ..explorer.sink.ledger.options.clone() };
    let meeting = Meeting::<Job<T>>::new();
    let (end, panic) = thread::scope(|scope| {
        let giver = Giver(&meeting);
        let spawn = |_| {
            let meeting = &meeting;
            let work = move || {
                let _worker = Worker(meeting);
                team.with_system(Helper { meeting, options, started });
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
        };
        // Without memory for their stacks there are fewer workers.
        let threads: Vec<_> = (0..workers).map_while(spawn).collect();
        explorer.sink.ledger.threads = threads.len().max(1);
        let mut rounds = Rounds::new(&meeting, threads.len(), pace);
        let end = rounds.explore(explorer, frontier, &mut level, is_worthwhile);
        drop(giver);
        let panics = threads.into_iter().filter_map(|thread| thread.join().err());
        (end, panics.last())
    });
    match (end, panic) {
        (Ok(end), None) => end,
        (_, Some(panic)) => resume_unwind(panic),
        (Err(Panicked), None) => unreachable!("the panic of a worker was seen"),
    }
}

/// What workers are to do.
enum Job<T: SharedStore> {
    Expand(Arc<Round<T::Frozen>>),
    Merge(Arc<Merging<T::Part>>),
}

impl<T: SharedStore> Clone for Job<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Expand(round) => Self::Expand(Arc::clone(round)),
            Self::Merge(merging) => Self::Merge(Arc::clone(merging)),
        }
    }
}

/// Sources that are expanded while the visited set is frozen.
struct Round<F> {
    frozen: F,
    sources: Vec<u64>,
    depth: u32,
    /// The number of sources of a chunk.
    chunk: usize,
    known: Violations,
    /// The first source that is not in a chunk yet that was taken.
    next: AtomicUsize,
    /// The first source that only the search itself can expand.
    cut: AtomicUsize,
    logs: Mutex<Vec<Log>>,
    /// Why a worker had to stop.
    stopped: Mutex<Option<StopReason>>,
    /// Something that was found in the round before was not merged.
    forgets: bool,
    spare: Mutex<Vec<Spare>>,
}

/// The memory of a log that is not needed any more.
struct Spare {
    candidates: Candidates,
    ranks: Vec<u32>,
}

/// What a worker has found in consecutive sources.
struct Log {
    sources: Range<usize>,
    candidates: Candidates,
    /// By candidate: the index of its source, and the number of the transition to it.
    ranks: Vec<u32>,
    tally: Tally,
    counted: Option<Counted>,
}

/// Parts of the visited set, and the candidates that go there.
struct Merging<P> {
    parts: Vec<Mutex<P>>,
    next: AtomicUsize,
    logs: Vec<Log>,
    full: Mutex<Option<Full>>,
}

/// What a thread has under a lock. A thread that panics while it holds a lock ends the search.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The side of the search that gives jobs.
struct Rounds<'a, T: SharedStore> {
    meeting: &'a Meeting<Job<T>>,
    workers: usize,
    pace: Pace,
    /// The number of sources of the next round.
    size: usize,
    /// The number of sources for which a round is worthwhile.
    wide: usize,
    /// The limit on states is too near for several workers.
    is_alone: bool,
    /// Something that was found in the last round was not merged.
    forgets: bool,
    spare: Vec<Spare>,
}

impl<'a, T: SharedStore> Rounds<'a, T> {
    const fn new(meeting: &'a Meeting<Job<T>>, workers: usize, pace: Pace) -> Self {
        Self {
            meeting,
            workers,
            pace,
            size: FIRST_ROUND,
            wide: pace.wide,
            is_alone: false,
            forgets: false,
            spare: Vec::new(),
        }
    }

    fn explore<S: TransitionSystem>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        frontier: &mut Frontier<'_>,
        level: &mut Level,
        is_worthwhile: impl Fn(&Explorer<'_, S, T>, &Level) -> bool,
    ) -> Result<ControlFlow<StopReason>, Panicked> {
        while !level.left.is_empty() {
            let (is_alone, wide) = (self.is_alone || self.workers == 0, self.wide);
            let is_enough = |explorer: &Explorer<'_, S, T>, level: &Level| {
                !is_alone && level.left.len() >= wide && is_worthwhile(explorer, level)
            };
            let end = advance(explorer, frontier, level, is_enough);
            if end.is_break() || level.left.is_empty() {
                return Ok(end);
            }
            let end = self.round(explorer, frontier, level)?;
            if end.is_break() {
                return Ok(end);
            }
        }
        Ok(Continue(()))
    }

    /// Expands sources of a level, at least one.
    fn round<S: TransitionSystem>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        frontier: &mut Frontier<'_>,
        level: &mut Level,
    ) -> Result<ControlFlow<StopReason>, Panicked> {
        explorer.sink.maintain();
        frontier.pass(explorer, level);
        let begun = Instant::now();
        let size = self.pace.round.unwrap_or(self.size).min(level.left.len());
        let chunk = self
            .pace
            .chunk
            .unwrap_or_else(|| (size / (CHUNKS * self.workers)).clamp(SMALLEST_CHUNK, LARGEST_CHUNK));
        let Sink { store, ledger } = &mut explorer.sink;
        let round = Arc::new(Round {
            sources: store.sources(size),
            frozen: store.freeze(),
            depth: level.depth,
            chunk: chunk.min(LARGEST_CHUNK),
            known: ledger.known(),
            next: AtomicUsize::new(0),
            cut: AtomicUsize::new(size),
            logs: Mutex::default(),
            stopped: Mutex::default(),
            forgets: self.forgets,
            spare: Mutex::new(std::mem::take(&mut self.spare)),
        });
        self.meeting.give(Job::Expand(Arc::clone(&round)), self.workers)?;
        let Round { frozen, cut, logs, stopped, spare, .. } =
            Arc::into_inner(round).expect("workers let go of it");
        self.spare = into_inner(spare);
        if let Err(full) = store.thaw(frozen) {
            return Ok(Break(full.into()));
        }
        if let Some(reason) = into_inner(stopped) {
            return Ok(ledger.stop(reason));
        }
        let (cut, mut logs) = (cut.into_inner(), into_inner(logs));
        logs.sort_unstable_by_key(|log| log.sources.start);
        let found = logs.len();
        logs.retain(|log| log.sources.end <= cut && !log.sources.is_empty());
        let mut covered = 0;
        for log in &logs {
            assert_eq!(log.sources.start, covered, "chunks follow each other");
            covered = log.sources.end;
        }
        assert_eq!(covered, cut, "every source before the cut is expanded");
        let done = self.within_limit(explorer, &mut logs, cut);
        self.forgets = logs.len() < found;
        if let Some(full) = self.merge(explorer, frontier, logs, level)? {
            return Ok(Break(full.into()));
        }
        level.left.start += done;
        level.go_on(explorer.sink.store.len());
        if self.pace.round.is_none() {
            self.follow_the_clock(size, begun.elapsed());
        }
        if done == cut && cut < size {
            // The source at the cut. The next round begins behind it.
            let next = level.left.start + 1;
            let end = advance(explorer, frontier, level, |_, level| level.left.start >= next);
            if end.is_break() {
                return Ok(end);
            }
        }
        if let Some(keeping) = &mut frontier.keeping {
            keeping.note(explorer, level);
        }
        Ok(explorer.poll(frontier))
    }

    /// Keeps the logs with which the search certainly stays within the limit on states. Returns the number of
    /// their sources.
    fn within_limit<S: TransitionSystem>(
        &mut self,
        explorer: &Explorer<'_, S, T>,
        logs: &mut Vec<Log>,
        cut: usize,
    ) -> usize {
        let store = &*explorer.sink.store;
        let limit = explorer.sink.ledger.options.max_states.unwrap_or(usize::MAX);
        let mut room = store.room().min(limit.saturating_sub(store.len()));
        let mut fits = |log: &Log| {
            let fits = log.candidates.len() <= room;
            room = room.saturating_sub(log.candidates.len());
            fits
        };
        let kept = logs.iter().take_while(|log| fits(log)).count();
        if kept == logs.len() {
            return cut;
        }
        self.is_alone = true;
        logs.truncate(kept);
        logs.last().map_or(0, |log| log.sources.end)
    }

    /// Adds what was found to the visited set and to the ledger. Returns why that was not possible, if it was
    /// not.
    fn merge<S: TransitionSystem>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        frontier: &mut Frontier<'_>,
        mut logs: Vec<Log>,
        level: &Level,
    ) -> Result<Option<Full>, Panicked> {
        if logs.is_empty() {
            return Ok(None);
        }
        if let Some(full) = logs.iter_mut().find_map(|log| log.candidates.seal().err()) {
            return Ok(Some(full));
        }
        let Sink { store, ledger } = &mut explorer.sink;
        let merging = Arc::new(Merging {
            parts: store.take_parts().into_iter().map(Mutex::new).collect(),
            next: AtomicUsize::new(0),
            logs,
            full: Mutex::default(),
        });
        self.meeting.give(Job::Merge(Arc::clone(&merging)), self.workers)?;
        let Merging { parts, mut logs, full, .. } = Arc::into_inner(merging).expect("workers let go of it");
        let parts = parts.into_iter().map(into_inner).collect();
        let full = into_inner(full);
        if full.is_some() {
            store.return_parts(parts, 0);
            frontier.void(logs.iter());
            return Ok(full);
        }
        let counts: Vec<usize> = logs.iter().map(|log| log.candidates.new_ones().count()).collect();
        store.return_parts(parts, counts.iter().sum());
        let mut asked = 0;
        let counted: Vec<_> = logs.iter_mut().map(|log| log.counted.take()).collect();
        for ((log, new), counted) in logs.iter().zip(counts).zip(counted) {
            let Log { sources, candidates, ranks, tally, .. } = log;
            ledger.add(tally, candidates.len(), new, |index| candidates.is_new(index));
            store.note_odd(candidates.odd());
            let first = level.left.start + sources.start;
            for index in candidates.new_ones() {
                let (source, number) = (ranks[index] >> NUMBER_BITS, ranks[index] & ((1 << NUMBER_BITS) - 1));
                let source = StateId((first + source as usize) as u64);
                frontier.walk.at = source;
                let pushed = frontier.ancestry.push(source, Branch::Number(number));
                if let Err(full) = pushed.and_then(|()| store.enqueue(candidates.key(index))) {
                    frontier.void(logs.iter());
                    return Ok(Some(full));
                }
            }
            if let (Some(counted), Some(statistics)) = (counted, explorer.expander.system.statistics()) {
                statistics.add(counted);
            }
            frontier.walk.at = StateId((first + sources.len() - 1) as u64);
            asked = sources.end;
        }
        store.skip(asked);
        self.spare.extend(logs.into_iter().map(Log::into_spare));
        Ok(None)
    }

    /// Adapts the size of rounds to the time that they take.
    fn follow_the_clock(&mut self, size: usize, elapsed: Duration) {
        let sources_in = |time: Duration| size as f64 * time.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
        let wanted = sources_in(ROUND) as usize;
        self.size = wanted.clamp(self.size / 4, self.size * 2).clamp(SMALLEST_ROUND, LARGEST_ROUND);
        self.wide = (sources_in(LEAST_ROUND) as usize).min(WIDEST).max(self.pace.wide);
    }
}

impl Log {
    fn into_spare(mut self) -> Spare {
        self.ranks.clear();
        Spare { candidates: self.candidates, ranks: self.ranks }
    }
}

impl Frontier<'_> {
    /// What was found in a round, and was added to the store, does not count.
    fn void<'l>(&mut self, logs: impl Iterator<Item = &'l Log>) {
        if let Some(keeping) = &mut self.keeping {
            let candidates = logs.map(|log| &log.candidates);
            keeping.void.extend(candidates.flat_map(|found| found.new_ones().map(|index| found.key(index))));
        }
    }
}

/// The side of a worker.
struct Helper<'a, T: SharedStore> {
    meeting: &'a Meeting<Job<T>>,
    options: &'a Options<'a>,
    started: Instant,
}

impl<T: SharedStore> OnSystem for Helper<'_, T> {
    type Output = ();

    fn run(self, system: &impl TransitionSystem) {
        let Self { meeting, options, started } = self;
        let mut quiet = Quiet;
        let alarm = Ledger::of_worker(options, &mut quiet, started, &Violations::default(), 0).alarm();
        let first = || {
            let mut expander = Expander::new(system, alarm.as_ref());
            // What systems find out at the first state, they count for the search once.
            expander.find_steps(options.fold);
            take_counted(&mut expander);
            expander
        };
        let mut place = Some(first().into_place());
        let mut walker = None;
        meeting.work(|job| match job {
            Job::Expand(round) => {
                let walker = walker.get_or_insert_with(|| Walker::new(&round.frozen));
                let expander = Expander::at(system, place.take().expect("it is put back"));
                place = Some(round.expand(expander, walker, (options, started), &first));
            }
            Job::Merge(merging) => merging.merge(),
        });
    }
}

impl<F: Frozen> Round<F> {
    /// Expands chunks until there are no more. An expander that was stopped in the middle of something is
    /// replaced by one that is at the `first` state.
    fn expand<'s, S: TransitionSystem>(
        &self,
        expander: Expander<'s, S>,
        walker: &mut Walker<F::Cursor>,
        (options, started): (&Options<'_>, Instant),
        first: &impl Fn() -> Expander<'s, S>,
    ) -> (S::State, Encoding) {
        let mut quiet = Quiet;
        let mut store = Deferred::new(&self.frozen, walker, &self.sources, &options.budget);
        if self.forgets {
            store.forget();
        }
        let ledger = Ledger::of_worker(options, &mut quiet, started, &self.known, self.depth);
        let mut explorer = Explorer::of(expander, Sink::with_ledger(&mut store, ledger));
        loop {
            let begin = self.next.fetch_add(self.chunk, Relaxed);
            if begin >= self.cut.load(Relaxed) || lock(&self.stopped).is_some() {
                break;
            }
            let end = (begin + self.chunk).min(self.sources.len());
            let mut log = self.expand_chunk(&mut explorer, begin..end);
            if let Err((source, ONLY_ALONE)) = log {
                // Once more, up to that source: what was found there does not count.
                self.cut.fetch_min(source, Relaxed);
                explorer.expander = first();
                log = self.expand_chunk(&mut explorer, begin..source);
            }
            match log {
                Ok(log) => lock(&self.logs).push(log),
                Err((_, ONLY_ALONE)) => panic!("sources were expanded before, with another result"),
                Err((_, reason)) => {
                    lock(&self.stopped).get_or_insert(reason);
                    break;
                }
            }
        }
        explorer.expander.into_place()
    }

    /// Expands consecutive sources. Fails at the source that ends what the worker can do.
    fn expand_chunk<S: TransitionSystem>(
        &self,
        explorer: &mut Explorer<'_, S, Deferred<'_, F>>,
        sources: Range<usize>,
    ) -> Result<Log, (usize, StopReason)> {
        let (spare, ranks) = lock(&self.spare)
            .pop()
            .map_or_else(Default::default, |Spare { candidates, ranks }| (Some(candidates), ranks));
        let mut found = Found { walk: Walk::new(), first: sources.start, ranks };
        let end = sources.clone().find_map(|source| {
            let end = expand(explorer, &mut found, StateId(source as u64), self.depth);
            end.break_value().map(|reason| (source, reason))
        });
        let Explorer { expander, sink, .. } = explorer;
        // If the expansion has ended early, all this is forgotten.
        let (tally, counted) = (sink.ledger.take_tally(), take_counted(expander));
        if let Some(end) = end {
            sink.store.forget();
            return Err(end);
        }
        let candidates = sink.store.take_found(spare);
        Ok(Log { sources, candidates, ranks: found.ranks, tally, counted })
    }
}

/// Takes what the system of an expander has counted.
fn take_counted<S: TransitionSystem>(expander: &mut Expander<'_, S>) -> Option<Counted> {
    expander.system.statistics().map(|statistics| statistics.take(&mut expander.state))
}

/// The record of a worker: how candidates were reached.
struct Found {
    walk: Walk,
    /// The first source of the chunk.
    first: usize,
    ranks: Vec<u32>,
}

impl<S: TransitionSystem, F: Frozen> Path<S, Deferred<'_, F>> for Found {
    fn trail(&self, _: &S, _: &mut Deferred<'_, F>, _: Option<(Step, Fault)>) -> Trail {
        unreachable!("workers count violations that have a trail")
    }

    fn open(&self, _: usize) -> Open {
        Open::Frontier(0)
    }
}

impl<S: TransitionSystem, F: Frozen> Record<S, Deferred<'_, F>> for Found {
    #[inline]
    fn walk(&mut self) -> &mut Walk {
        &mut self.walk
    }

    fn hidden(&self, _: StateId) -> u32 {
        0
    }

    #[inline]
    fn note(&mut self, transitions: u64) -> ControlFlow<StopReason> {
        let number = self.walk.number(transitions);
        if number >> NUMBER_BITS > 0 {
            return Break(ONLY_ALONE);
        }
        let source = self.walk.at.index() - self.first;
        or_stop(self.ranks.try_reserve(1).map_err(|_| Full::Memory))?;
        self.ranks.push((source as u32) << NUMBER_BITS | number);
        Continue(())
    }

    fn visit(
        &mut self,
        explorer: &mut Explorer<'_, S, Deferred<'_, F>>,
        id: StateId,
        _: Step,
    ) -> ControlFlow<StopReason> {
        if explorer.expander.stores_transient {
            return Break(ONLY_ALONE);
        }
        Record::<S, Deferred<'_, F>>::note(self, explorer.sink.ledger.transitions())?;
        let Explorer { expander, sink, .. } = explorer;
        match expander.system.check(&mut expander.state) {
            Ok(()) => Continue(()),
            Err(Halt::Abandoned) => sink.ledger.abandon(),
            Err(halt) => sink.ledger.halt_of_candidate(id.index(), halt),
        }
    }
}

impl<P: Part> Merging<P> {
    /// Merges parts until there are no more.
    fn merge(&self) {
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            let Some(part) = self.parts.get(number) else { return };
            let mut part = lock(part);
            if let Some(full) =
                self.logs.iter().find_map(|log| log.candidates.merge(number, &mut *part).err())
            {
                lock(&self.full).get_or_insert(full);
                return;
            }
        }
    }
}
