//! The ledger of a search: everything that is counted or reported, in the order in which the search found it.
//!
//! Searches and their parts write to it; [`Ledger::finish`] turns it into the [`Outcome`]. It also decides
//! when a search must end: at a violation, or at a limit.
//!
//! With several workers, each has a [ledger of its own](Ledger::of_worker) for what it does between two takings
//! of the [`Tally`]. The ledger of the search [adds](Ledger::add) the tallies in the order of the search.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use store::{Input, Insert, Output, StateId};
use system::{Alarm, Bound, Fault, FaultKind, Halt};

use crate::checkpoint::{put_step, take_step};
use crate::observer::{Observer, Open, Progress};
use crate::options::Options;
use crate::outcome::{Completeness, Consequence, Outcome, Stats, StopReason, Violation, Violations};
use crate::sink::Edge;
use crate::trail::Trail;

/// Ticks between two polls of the clock and the interrupt, at most.
const POLL_EVERY: u32 = 256;
/// Polls further apart than `SELDOM` become more frequent, and polls closer than `OFTEN` less frequent.
const SELDOM: Duration = Duration::from_millis(20);
const OFTEN: Duration = Duration::from_millis(5);
/// Polls of the clock per poll of the memory, which costs more.
const MEMORY_EVERY: u32 = 16;

/// The counts, violations and limits of a search.
pub struct Ledger<'a> {
    pub options: &'a Options<'a>,
    observer: &'a mut dyn Observer,
    /// The observer wants to receive states and edges.
    pub records: bool,
    /// Only violations of the property end the search, and exceeded bounds that count as violations.
    pub passes_by: bool,
    stats: Stats,
    violations: Violations,
    truncations: BTreeMap<Bound, u64>,
    unevaluated: BTreeMap<Bound, u64>,
    /// The depth limit kept some step from being taken.
    pub is_cut: bool,
    started: Instant,
    /// The greatest number of threads that expanded states at a time.
    pub threads: usize,
    /// The time that the search took before it was interrupted.
    carried: Duration,
    last_progress: Duration,
    /// Ticks until the next poll, and ticks from one poll to the next.
    until_poll: u32,
    poll_every: u32,
    polls: u32,
    last_poll: Duration,
    /// The limit that ended the search.
    pub stopped: Option<StopReason>,
    /// What only ledgers of workers have.
    worker: Option<WorkerPart>,
}

/// What is known about candidates, of which it is not known yet whether they are new states. A candidate is
/// given by its index.
#[derive(Default)]
struct WorkerPart {
    /// Almost all candidates are at this depth.
    depth: u32,
    deeper: Vec<(usize, u32)>,
    halts: Vec<(usize, Halt)>,
}

/// What a worker has counted.
pub struct Tally {
    stats: Stats,
    /// By violation that the ledger of the search knows.
    violations: Vec<u64>,
    truncations: BTreeMap<Bound, u64>,
    unevaluated: BTreeMap<Bound, u64>,
    is_cut: bool,
    candidates: WorkerPart,
}

/// What a ledger says at a point of a search.
#[derive(Default)]
pub struct Account {
    stats: Stats,
    violations: Vec<Violation>,
    truncations: BTreeMap<Bound, u64>,
    unevaluated: BTreeMap<Bound, u64>,
    is_cut: bool,
    elapsed: Duration,
}

/// What a poll needs to know about a search.
pub struct Standing {
    /// There is memory for the next steps.
    pub has_room: bool,
    /// A computation was stopped by the alarm.
    pub is_abandoned: bool,
    /// The search must start again.
    pub is_void: bool,
    pub states: usize,
    pub open: Open,
    pub store_bytes: usize,
}

impl<'a> Ledger<'a> {
    pub fn new(options: &'a Options<'a>, observer: &'a mut dyn Observer) -> Self {
        Self {
            options,
            records: observer.records(),
            observer,
            passes_by: false,
            stats: Stats::default(),
            violations: Violations::default(),
            truncations: BTreeMap::new(),
            unevaluated: BTreeMap::new(),
            is_cut: false,
            started: Instant::now(),
            threads: 1,
            carried: Duration::ZERO,
            last_progress: Duration::ZERO,
            until_poll: 1,
            poll_every: 1,
            polls: 0,
            last_poll: Duration::ZERO,
            stopped: None,
            worker: None,
        }
    }

    /// The ledger of a worker that expands states at a depth, for a search that has started before. It counts
    /// violations that are `known`; others break, and so does every violation at which the search ends.
    pub fn of_worker(
        options: &'a Options<'a>,
        observer: &'a mut dyn Observer,
        started: Instant,
        known: &Violations,
        depth: u32,
    ) -> Self {
        let worker = Some(WorkerPart { depth: depth + 1, ..WorkerPart::default() });
        Self { started, violations: known.blank(), worker, ..Self::new(options, observer) }
    }

    /// The violations so far, for ledgers of workers.
    pub fn known(&self) -> Violations {
        self.violations.blank()
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    /// Replaces what an account says by what this ledger says now.
    pub fn note_account(&self, account: &mut Account) {
        account.stats = self.stats;
        account.is_cut = self.is_cut;
        account.elapsed = self.carried;
        let known = account.violations.len();
        let list = self.violations.list();
        account.violations.extend_from_slice(&list[known..]);
        account.violations.iter_mut().zip(list).for_each(|(noted, now)| noted.count = now.count);
        for (noted, now) in
            [(&mut account.truncations, &self.truncations), (&mut account.unevaluated, &self.unevaluated)]
        {
            noted.extend(now);
        }
    }

    /// Goes on from an account. The ledger must be new.
    pub fn take_over(&mut self, account: Account) {
        let Account { stats, violations, truncations, unevaluated, is_cut, elapsed } = account;
        self.violations = Violations::of(violations);
        (self.stats, self.truncations, self.unevaluated) = (stats, truncations, unevaluated);
        (self.is_cut, self.carried) = (is_cut, elapsed);
    }

    /// Takes what was counted since the last call.
    pub fn take_tally(&mut self) -> Tally {
        let worker = self.worker.as_mut().expect("the ledger of a worker");
        let emptied = WorkerPart { depth: worker.depth, ..WorkerPart::default() };
        Tally {
            stats: std::mem::take(&mut self.stats),
            violations: self.violations.take_counts(),
            truncations: std::mem::take(&mut self.truncations),
            unevaluated: std::mem::take(&mut self.unevaluated),
            is_cut: std::mem::take(&mut self.is_cut),
            candidates: std::mem::replace(worker, emptied),
        }
    }

    /// Adds what a worker has counted. Of its `candidates`, those that are new count as states, the others as
    /// matched.
    pub fn add(&mut self, tally: &Tally, candidates: usize, new: usize, is_new: impl Fn(usize) -> bool) {
        let Tally { stats, violations, truncations, unevaluated, is_cut, candidates: part } = tally;
        self.stats.transitions += stats.transitions;
        self.stats.matched += stats.matched + (candidates - new) as u64;
        self.violations.add_counts(violations);
        for (into, from) in [(&mut self.truncations, truncations), (&mut self.unevaluated, unevaluated)] {
            for (&bound, count) in from {
                *into.entry(bound).or_default() += count;
            }
        }
        self.is_cut |= is_cut;
        if new > 0 {
            self.stats.depth = self.stats.depth.max(part.depth);
        }
        for &(index, depth) in &part.deeper {
            if is_new(index) {
                self.stats.depth = self.stats.depth.max(depth);
            }
        }
        for &(index, halt) in &part.halts {
            match halt {
                _ if !is_new(index) => {}
                Halt::Fault(fault) => {
                    self.violations.record(fault, Consequence::GoesOn, || unreachable!("it is known"));
                }
                Halt::Truncated(bound) => self.unevaluated(bound),
                Halt::Abandoned => unreachable!("then the worker has no tally"),
            }
        }
    }

    /// Records for a worker that a condition of a candidate does not hold or was not evaluated.
    pub fn halt_of_candidate(&mut self, index: usize, halt: Halt) -> ControlFlow<StopReason> {
        if let Halt::Fault(fault) = halt
            && !self.counts_only(fault, Consequence::GoesOn)
        {
            return Break(StopReason::FirstViolation);
        }
        let worker = self.worker.as_mut().expect("the ledger of a worker");
        worker.halts.push((index, halt));
        Continue(())
    }

    /// Whether the search goes on after a violation that has a trail already.
    fn counts_only(&self, fault: Fault, consequence: Consequence) -> bool {
        self.options.keep_going && self.violations.knows(fault, consequence)
    }

    /// The alarm that is due when the search must end; `None` if neither time nor an interrupt can end it.
    pub fn alarm(&self) -> Option<Arc<Alarm>> {
        let Options { time, interrupt, .. } = *self.options;
        (time.is_some() || interrupt.is_some()).then(|| {
            let deadline = time.and_then(|limit| self.started.checked_add(limit));
            Arc::new(Alarm::new(deadline, interrupt.cloned()))
        })
    }

    pub fn transitions(&self) -> u64 {
        self.stats.transitions
    }

    /// Counts a transition.
    #[inline]
    pub fn transition(&mut self) {
        self.stats.transitions += 1;
    }

    /// Counts transitions to states that are stored already.
    #[inline]
    pub fn skip(&mut self, transitions: u32) {
        self.stats.transitions += u64::from(transitions);
        self.stats.matched += u64::from(transitions);
    }

    /// Counts a transition that exceeds a bound.
    pub fn truncation(&mut self, bound: Bound) {
        self.stats.transitions += 1;
        *self.truncations.entry(bound).or_default() += 1;
    }

    /// Counts a state in which a condition exceeds a bound.
    pub fn unevaluated(&mut self, bound: Bound) {
        *self.unevaluated.entry(bound).or_default() += 1;
    }

    /// Reports the initial state to the observer.
    pub fn initial(&mut self, id: StateId) {
        if self.records {
            self.observer.stored(id, 0);
        }
    }

    /// Records that a transition led to a state at this depth, which is new or was stored before.
    #[inline]
    pub fn note(&mut self, insert: Insert, edge: Edge) {
        let Edge { source, step, depth } = edge;
        match insert {
            Insert::New(id) => {
                if let Some(worker) = &mut self.worker {
                    if depth > worker.depth {
                        worker.deeper.push((id.index(), depth));
                    }
                    return;
                }
                self.stats.depth = self.stats.depth.max(depth);
                if self.records {
                    self.observer.stored(id, depth);
                    self.observer.edge(source, step, id);
                }
            }
            Insert::Seen(id) => {
                if let (true, Some(id)) = (self.records, id) {
                    self.observer.edge(source, step, id);
                }
                self.stats.matched += 1;
            }
        }
    }

    /// Records a violation of the property.
    pub fn record(&mut self, fault: Fault, trail: Trail) {
        self.violations.record(fault, Consequence::OfProperty, || trail);
    }

    /// Records a violation. The trail is computed only if it is kept. Breaks if the search ends here.
    #[cold]
    pub fn violation(
        &mut self,
        fault: Fault,
        consequence: Consequence,
        trail: impl FnOnce() -> Trail,
    ) -> ControlFlow<StopReason> {
        if self.worker.is_some() && !self.counts_only(fault, consequence) {
            return Break(StopReason::FirstViolation);
        }
        self.violations.record(fault, consequence, trail);
        let is_passed_by = self.passes_by
            && consequence != Consequence::OfProperty
            && !matches!(fault.kind, FaultKind::Bound(_));
        if self.options.keep_going || is_passed_by { Continue(()) } else { Break(StopReason::FirstViolation) }
    }

    /// Ends the search because a computation was stopped by the alarm.
    #[cold]
    pub fn abandon<C>(&mut self) -> ControlFlow<StopReason, C> {
        self.stop(if self.is_interrupted() { StopReason::Interrupted } else { StopReason::Time })
    }

    pub fn stop<C>(&mut self, reason: StopReason) -> ControlFlow<StopReason, C> {
        self.stopped = Some(reason);
        Break(reason)
    }

    fn is_interrupted(&self) -> bool {
        self.options.interrupt.is_some_and(|flag| flag.load(Relaxed))
    }

    /// Counts down to the next poll. Returns whether it is due.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.until_poll = self.until_poll.saturating_sub(1);
        self.until_poll == 0
    }

    /// Adapts the interval between polls to the time that steps take.
    fn schedule_poll(&mut self, elapsed: Duration) {
        let since = elapsed.saturating_sub(self.last_poll);
        self.last_poll = elapsed;
        if since > SELDOM {
            let times_too_long = since.as_millis().div_ceil(SELDOM.as_millis());
            self.poll_every = (u128::from(self.poll_every) / times_too_long).max(1) as u32;
        } else if since < OFTEN {
            self.poll_every = (self.poll_every * 2).min(POLL_EVERY);
        }
        self.until_poll = self.poll_every;
    }

    /// Checks all limits, and reports progress if it is due.
    #[cold]
    pub fn poll(&mut self, standing: &Standing) -> ControlFlow<StopReason> {
        if !standing.has_room {
            return self.stop(StopReason::Memory);
        }
        if self.is_interrupted() {
            return self.stop(StopReason::Interrupted);
        }
        let elapsed = self.started.elapsed();
        self.schedule_poll(elapsed);
        if self.options.time.is_some_and(|limit| elapsed >= limit) {
            return self.stop(StopReason::Time);
        }
        if standing.is_abandoned {
            return self.abandon();
        }
        // What a worker knows, it hands over with what it has counted.
        if standing.is_void && self.worker.is_none() {
            return self.stop(StopReason::Void);
        }
        self.polls = self.polls.wrapping_add(1);
        if self.polls % MEMORY_EVERY == 1 && self.options.budget.exceeded() {
            return self.stop(StopReason::Memory);
        }
        if elapsed.saturating_sub(self.last_progress) >= self.options.progress_every {
            self.last_progress = elapsed;
            self.observer.progress(&Progress {
                states: standing.states,
                transitions: self.stats.transitions,
                matched: self.stats.matched,
                depth: self.stats.depth,
                open: standing.open,
                store_bytes: standing.store_bytes,
                resident_bytes: store::resident(),
                elapsed: self.carried + elapsed,
            });
        }
        Continue(())
    }

    /// Closes the ledger.
    pub fn finish(self, end: ControlFlow<StopReason>, standing: &Standing) -> Outcome {
        let completeness = match end {
            Break(reason) => Completeness::Stopped(reason),
            // A part of the search was abandoned without reporting it.
            Continue(()) if standing.is_abandoned => Completeness::Stopped(if self.is_interrupted() {
                StopReason::Interrupted
            } else {
                StopReason::Time
            }),
            // A step needed more memory than was left.
            Continue(()) if !standing.has_room => Completeness::Stopped(StopReason::Memory),
            Continue(()) if self.is_cut => Completeness::Stopped(StopReason::Depth),
            Continue(()) => Completeness::Exhausted,
        };
        Outcome {
            stats: Stats { states: standing.states, ..self.stats },
            violations: self.violations.into_list(),
            truncations: self.truncations,
            unevaluated: self.unevaluated,
            completeness,
            open: standing.open,
            threads: self.threads,
            elapsed: self.carried + self.started.elapsed(),
        }
    }
}

impl Account {
    pub fn write(&self, out: &mut dyn Output) -> io::Result<()> {
        let Self { stats, violations, truncations, unevaluated, is_cut, elapsed } = self;
        // How many states there are, the store knows.
        let Stats { states: _, transitions, matched, depth } = *stats;
        [transitions, matched, depth.into()].into_iter().try_for_each(|count| out.put(count))?;
        out.put(violations.len() as u64)?;
        for Violation { fault, trail, count, consequence } in violations {
            out.put(index_of(&FaultKind::ALL, &fault.kind))?;
            out.put(fault.site.into())?;
            out.put(*count)?;
            out.put(index_of(&Consequence::ALL, consequence))?;
            out.put(trail.steps.len() as u64)?;
            trail.steps.iter().try_for_each(|&step| put_step(step, out))?;
        }
        for counts in [truncations, unevaluated] {
            Bound::ALL
                .iter()
                .try_for_each(|bound| out.put(counts.get(bound).copied().unwrap_or_default()))?;
        }
        out.put((*is_cut).into())?;
        out.put(elapsed.as_millis() as u64)
    }

    pub fn read(input: &mut dyn Input) -> io::Result<Self> {
        let mut account = Self::default();
        account.stats.transitions = input.take()?;
        account.stats.matched = input.take()?;
        account.stats.depth = input.number(u32::MAX as usize)? as u32;
        for _ in 0..input.number(u32::MAX as usize)? {
            let kind = FaultKind::ALL[input.number(FaultKind::ALL.len() - 1)?];
            let fault = Fault { kind, site: input.number(u32::MAX as usize)? as u32 };
            let count = input.take()?;
            let consequence = Consequence::ALL[input.number(Consequence::ALL.len() - 1)?];
            let steps = input.number(u32::MAX as usize)?;
            let steps = (0..steps).map(|_| take_step(input)).collect::<io::Result<_>>()?;
            account.violations.push(Violation { fault, trail: Trail { steps }, count, consequence });
        }
        for counts in [&mut account.truncations, &mut account.unevaluated] {
            for bound in Bound::ALL {
                match input.take()? {
                    0 => {}
                    count => _ = counts.insert(bound, count),
                }
            }
        }
        account.is_cut = input.number(1)? == 1;
        account.elapsed = Duration::from_millis(input.take()?);
        Ok(account)
    }
}

fn index_of<T: PartialEq>(all: &[T], one: &T) -> u64 {
    all.iter().position(|other| other == one).expect("these are all") as u64
}
