//! What all searches do alike.
//!
//! An [`Explorer`] stands at one concrete state. It finds the steps of that state ([`Explorer::offer`]) and
//! takes one ([`Explorer::take`]); the search decides which, and when to go back:
//!
//! | [`Taken`] | the state is now | the search goes on with                                 |
//! |-----------|------------------|---------------------------------------------------------|
//! | `New`     | the successor    | [`Explorer::check`], then expands it now or takes it back |
//! | `Seen`    | the successor    | taking it back                                          |
//! | `Passing` | the successor    | expanding it now, and taking it back                    |
//! | `Stayed`  | what it was      | the next step                                           |
//!
//! Violations need a way from the initial state, which only the search knows: its [`Path`]. Whatever ends a
//! search early travels up as the break of a `ControlFlow`.

use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use store::{Access, Insert, StateId, StateStore, Ticket};
use system::{
    Alarm, Bound, Encoding, Fault, FaultKind, Fired, Halt, Step, Steps, TransitionSystem, has_room,
    is_abandoned,
};

use crate::observer::{Observer, Open, Progress};
use crate::options::Options;
use crate::outcome::{Completeness, Consequence, Outcome, Stats, StopReason, Violations};
use crate::trail::{DEADLOCK, Trail, is_deadlock};

/// Steps between two looks at the clock and at the interrupt, at the most.
const POLL_EVERY: u32 = 256;
/// Looks that are further apart than the one are made as much more often, and those nearer than the other
/// half as often.
const SELDOM: Duration = Duration::from_millis(20);
const OFTEN: Duration = Duration::from_millis(5);
/// Looks at the clock between two looks at the memory, which cost more.
const MEMORY_EVERY: u32 = 16;

/// How many transient states are passed by, in all and for each transition, before they are stored like others.
const PASSED_AT_LEAST: u64 = 1 << 22;
const PASSED_PER_TRANSITION: u64 = 1 << 12;
/// Ids are handed out from 0 on.
const INITIAL: StateId = StateId(0);

/// How many are passed by one after the other.
pub const LONGEST_PASSAGE: usize = 1 << 16;

/// The way by which a search came to the state it stands at.
pub trait Path<S: TransitionSystem, T: ?Sized> {
    /// The steps to that state and, if there is one, the step there that ends in a fault.
    fn trail(&self, system: &S, store: &mut T, last: Option<(Step, Fault)>) -> Trail;

    fn open(&self, stored: usize) -> Open;
}

/// What became of a step.
pub enum Taken {
    New(StateId),
    /// With its number, if the store finds states again by number.
    Seen(Option<StateId>),
    /// The state is transient: it is not stored.
    Passing,
    Stayed,
}

pub struct Explorer<'a, S: TransitionSystem, T: ?Sized> {
    pub system: &'a S,
    pub store: &'a mut T,
    pub state: S::State,
    /// The steps of the state, as of the last [`Explorer::offer`].
    pub steps: Steps,
    /// The first steps to the states that come next, with their tickets, as of the last [`Explorer::foresee`].
    pub ahead: Vec<(Step, Ticket)>,
    /// How the last step that was taken with a ticket went on through transient states.
    pub way: Vec<Step>,
    /// How many steps the state is away from the initial one.
    pub depth: u32,
    /// There were so many transient states that they are stored from now on: a cycle of them is closed after one round.
    pub stores_transient: bool,
    /// Nobody can move, and nobody tried and failed, as of the last [`Explorer::offer`].
    pub is_stuck: bool,
    /// The rule that the last step that was [taken](Explorer::take) violated, though it led on.
    flaw: Option<Fault>,
    /// A state where nobody can move is a violation, unless it is a proper end.
    pub reports_deadlocks: bool,
    /// Only violations of the property end the search, and exceeded bounds that count as violations.
    pub passes_by: bool,
    pub encoding: Encoding,
    options: &'a Options<'a>,
    observer: &'a mut dyn Observer,
    /// Whether the observer wants to know states and edges.
    records: bool,
    stats: Stats,
    violations: Violations,
    truncations: BTreeMap<Bound, u64>,
    unevaluated: BTreeMap<Bound, u64>,
    /// Transient states so far.
    passed: u64,
    /// The depth limit kept some step from being taken.
    is_cut: bool,
    started: Instant,
    last_progress: Duration,
    /// Steps until the next look at the limits, and how many there are from one look to the next.
    until_poll: u32,
    poll_every: u32,
    polls: u32,
    last_poll: Duration,
    /// What the last look at the limits ended the search for.
    pub stopped: Option<StopReason>,
}

impl<'a, S, T> Explorer<'a, S, T>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    /// Stands at the initial state. `store` must be empty: a search reads the order of its ids.
    pub fn new(
        system: &'a S,
        store: &'a mut T,
        options: &'a Options<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        assert!(store.is_empty(), "a search begins with an empty store");
        let started = Instant::now();
        let mut state = system.initial();
        if options.time.is_some() || options.interrupt.is_some() {
            let deadline = options.time.and_then(|limit| started.checked_add(limit));
            if let Some(limits) = system.limits() {
                limits.heed(&mut state, &Arc::new(Alarm::new(deadline, options.interrupt.cloned())));
            }
        }
        Self {
            system,
            store,
            state,
            steps: Steps::default(),
            ahead: Vec::new(),
            way: Vec::new(),
            depth: 0,
            stores_transient: false,
            is_stuck: false,
            flaw: None,
            reports_deadlocks: true,
            passes_by: false,
            encoding: Encoding::new(),
            options,
            records: observer.records(),
            observer,
            stats: Stats::default(),
            violations: Violations::default(),
            truncations: BTreeMap::new(),
            unevaluated: BTreeMap::new(),
            passed: 0,
            is_cut: false,
            started,
            last_progress: Duration::ZERO,
            until_poll: 1,
            poll_every: 1,
            polls: 0,
            last_poll: Duration::ZERO,
            stopped: None,
        }
    }

    pub fn transitions(&self) -> u64 {
        self.stats.transitions
    }

    /// Whether there is anything to see at a new state, besides its steps.
    pub fn sees(&self) -> bool {
        self.system.hidden_data().is_some()
            || self.system.successor_cache().is_none_or(|cache| cache.has_state_properties())
    }

    /// Stores the initial state, if the limits allow even that.
    pub fn start(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, StateId> {
        self.poll(path)?;
        self.system.encode(&mut self.state, &mut self.encoding);
        self.insert()?;
        if self.records {
            self.observer.stored(INITIAL, 0);
        }
        Continue(INITIAL)
    }

    /// Goes to a stored state, the one after that to which it went the last time.
    pub fn restore(&mut self, id: StateId, memo: u32, depth: u32) {
        self.store.decode(id, &mut self.encoding);
        self.system.decode(&self.encoding, &mut self.state);
        system::restore_hidden(self.system, memo, &mut self.state);
        self.depth = depth;
    }

    /// The memo of the state that it stands at, if states have any.
    pub fn memo(&mut self) -> Option<u32> {
        self.system.hidden_data().map(|hidden| hidden.save(&mut self.state))
    }

    /// Looks at a state that was just stored, to which `path` leads.
    pub fn check(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        match self.system.check(&mut self.state) {
            Ok(()) => Continue(()),
            Err(halt) => self.halt(halt, Consequence::GoesOn, path),
        }
    }

    /// A condition of the state, to which `path` leads, does not hold or was not evaluated.
    #[cold]
    pub fn halt(
        &mut self,
        halt: Halt,
        consequence: Consequence,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason> {
        match halt {
            Halt::Fault(fault) => self.violation(fault, consequence, path, None),
            Halt::Truncated(bound) => {
                *self.unevaluated.entry(bound).or_default() += 1;
                Continue(())
            }
            Halt::Abandoned => self.abandon(),
        }
    }

    /// Ends the search because something took too long.
    #[cold]
    pub fn abandon<C>(&mut self) -> ControlFlow<StopReason, C> {
        self.stop(if self.is_interrupted() { StopReason::Interrupted } else { StopReason::Time })
    }

    fn stop<C>(&mut self, reason: StopReason) -> ControlFlow<StopReason, C> {
        self.stopped = Some(reason);
        Break(reason)
    }

    fn is_interrupted(&self) -> bool {
        self.options.interrupt.is_some_and(|flag| flag.load(Relaxed))
    }

    /// Whether a step that is offered several times stands for as many, which lead to states with the same encoding.
    pub fn folds(&self) -> bool {
        self.options.fold && !self.options.lookahead
    }

    /// Finds the steps of the state, to which `path` leads. At the greatest depth there are none to take.
    pub fn offer(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        self.tick(path)?;
        if self.folds() {
            self.system.folded_steps(&mut self.state, &mut self.steps);
        } else {
            self.system.steps(&mut self.state, &mut self.steps);
        }
        if self.steps.is_abandoned {
            return self.abandon();
        }
        self.is_stuck = self.steps.is_empty();
        if self.reports_deadlocks && is_deadlock(self.system, &self.state, &self.steps) {
            return self.violation(DEADLOCK, Consequence::GoesOn, path, None);
        }
        if self.options.max_depth.is_some_and(|max| self.depth >= max) {
            self.is_cut |= !self.steps.is_empty();
            self.steps.clear();
        }
        for at in 0..self.steps.faults.len() {
            let (step, fault) = self.steps.faults[at];
            self.violation(fault, Consequence::EndsRuns, path, Some(step))?;
        }
        Continue(())
    }

    /// Fires an enabled step of the state, to which `path` leads, and stores the successor. The last state on the way that
    /// is stored is `source`; `passed` transient ones come after it.
    pub fn take(
        &mut self,
        step: Step,
        source: StateId,
        passed: usize,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        self.tick(path)?;
        self.flaw = None;
        match self.system.fire(&mut self.state, step) {
            Fired::Moved => {}
            Fired::Flawed(fault) => {
                self.flaw = Some(fault);
                self.violation(fault, Consequence::GoesOn, path, Some(step))?;
            }
            Fired::Fault(fault) => {
                self.stats.transitions += 1;
                self.violation(fault, Consequence::EndsRuns, path, Some(step))?;
                return Continue(Taken::Stayed);
            }
            Fired::Truncated(bound) => {
                self.stats.transitions += 1;
                *self.truncations.entry(bound).or_default() += 1;
                return Continue(Taken::Stayed);
            }
            Fired::Abandoned => return self.abandon(),
        }
        if self.system.is_transient(&self.state) {
            self.stores_transient |= passed >= LONGEST_PASSAGE || !self.may_pass();
            if !self.stores_transient {
                return Continue(Taken::Passing);
            }
        }
        self.stats.transitions += 1;
        self.system.encode(&mut self.state, &mut self.encoding);
        let insert = self.insert()?;
        self.note(insert, source, step, self.depth + 1);
        Continue(match insert {
            Insert::New(id) => Taken::New(id),
            Insert::Seen(id) => Taken::Seen(id),
        })
    }

    /// Counts another step to the state to which the last one led, `target`, for which that one stood.
    pub fn repeat(
        &mut self,
        step: Step,
        source: StateId,
        target: Option<StateId>,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason> {
        if let Some(fault) = self.flaw {
            self.violation(fault, Consequence::GoesOn, path, Some(step))?;
        }
        self.stats.transitions += 1;
        self.note(
            Insert::Seen(target.filter(|_| self.store.access() == Access::ById)),
            source,
            step,
            self.depth + 1,
        );
        Continue(())
    }

    /// So many steps lead to states that are stored: there is nothing more to them.
    pub fn skip(&mut self, steps: u32) {
        self.stats.transitions += u64::from(steps);
        self.stats.matched += u64::from(steps);
    }

    /// Finds out where the successors of the state belong without going there, if the system and the store are up to it.
    /// Otherwise there is [`Explorer::offer`]: also where nobody has a step, since there may be more to say about that.
    pub fn foresee(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, bool> {
        if !self.options.lookahead || self.options.max_depth.is_some() || self.store.prepared().is_none() {
            return Continue(false);
        }
        let Some(cache) = self.system.successor_cache() else { return Continue(false) };
        let threads = cache.threads(&mut self.state);
        if threads.is_empty() {
            return Continue(false);
        }
        self.tick(path)?;
        self.system.encode(&mut self.state, &mut self.encoding);
        let Self { store, state, steps, ahead, encoding, .. } = self;
        let Some(store) = store.prepared() else { return Continue(false) };
        if !store.set_base(encoding) {
            return Continue(false);
        }
        ahead.clear();
        for thread in threads {
            let before = ahead.len();
            let is_all = cache.successors(state, thread, &mut |step, effect| {
                ahead.push((step, store.prepare_effect(effect).unwrap_or(Ticket::NONE)));
            });
            if !is_all {
                ahead.truncate(before);
                steps.clear();
                cache.thread_steps(state, thread, steps);
                // Finding the steps once more tells what is to be said about them.
                if !steps.faults.is_empty() || steps.is_abandoned {
                    return Continue(false);
                }
                ahead.extend(steps.enabled.iter().map(|&step| (step, Ticket::NONE)));
            }
        }
        Continue(!ahead.is_empty())
    }

    /// Does the same as [`Explorer::foresee`] by going to the successors of the state by the steps that were offered, if that is
    /// worth it.
    pub fn look_ahead(&mut self) -> bool {
        let is_worthwhile = |store: &mut T| store.prepared().is_some_and(|store| store.is_worthwhile());
        if !self.options.lookahead || self.steps.enabled.len() < 2 || !is_worthwhile(self.store) {
            return false;
        }
        self.ahead.clear();
        for at in 0..self.steps.enabled.len() {
            let step = self.steps.enabled[at];
            let ticket = self.ticket(step);
            self.ahead.push((step, ticket));
        }
        true
    }

    /// Prepares the store for the successor by a step of the state. There is no ticket if it is not a plain one:
    /// [`Explorer::take`] finds out what it is.
    fn ticket(&mut self, step: Step) -> Ticket {
        let mut ticket = Ticket::NONE;
        let fired = self.system.fire(&mut self.state, step);
        if fired == Fired::Moved && !self.system.is_transient(&self.state) {
            self.system.encode(&mut self.state, &mut self.encoding);
            ticket = self.prepare();
        }
        if matches!(fired, Fired::Moved | Fired::Flawed(_)) {
            self.undo();
        }
        ticket
    }

    /// The ticket of the encoding, or none if the store makes none.
    fn prepare(&mut self) -> Ticket {
        let ticket = self.store.prepared().and_then(|store| store.prepare(&mut self.encoding).ok());
        ticket.unwrap_or(Ticket::NONE)
    }

    /// The epoch of the store's tickets.
    pub fn epoch(&mut self) -> u32 {
        self.store.prepared().map_or(0, |store| store.epoch())
    }

    /// Lets the store reorganize itself: tickets may become void.
    pub fn maintain(&mut self) {
        if let Some(store) = self.store.prepared() {
            store.maintain();
        }
    }

    /// Stores the successor by a step with a ticket that has not lapsed, and stays where it is.
    pub fn store_prepared(
        &mut self,
        step: Step,
        ticket: Ticket,
        source: StateId,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        let insert = self.commit(ticket, path)?;
        self.way.clear();
        self.note(insert, source, step, self.depth + 1);
        Continue(match insert {
            Insert::New(id) => Taken::New(id),
            Insert::Seen(_) => Taken::Stayed,
        })
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, path: &impl Path<S, T>) -> ControlFlow<StopReason, Insert> {
        self.tick(path)?;
        self.stats.transitions += 1;
        let limit = self.options.max_states.unwrap_or(usize::MAX);
        let store = self.store.prepared().expect("it made the ticket");
        or_stop(store.commit(ticket, limit))
    }

    /// The same as [`Explorer::take`] for a step with a ticket that has not lapsed, except that nothing has to be taken back if
    /// the successor is stored already. If the step leads several ways, it is the one with this number.
    pub fn take_prepared(
        &mut self,
        step: Step,
        number: usize,
        ticket: Ticket,
        source: StateId,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        let insert = self.commit(ticket, path)?;
        self.way.clear();
        if let Insert::New(_) = insert
            && !self.apply(step, number)
        {
            let fired = self.system.fire(&mut self.state, step);
            if fired == Fired::Abandoned {
                return self.abandon();
            }
            debug_assert_eq!(fired, Fired::Moved);
            if self.system.is_transient(&self.state) {
                let is_there = self.seek(&mut |explorer| {
                    explorer.system.encode(&mut explorer.state, &mut explorer.encoding);
                    explorer.prepare() == ticket
                });
                if is_abandoned(self.system, &self.state) {
                    return self.abandon();
                }
                assert!(is_there, "the state was foreseen");
            }
        }
        self.note(insert, source, step, self.depth + 1 + self.way.len() as u32);
        Continue(match insert {
            Insert::New(id) => Taken::New(id),
            Insert::Seen(_) => Taken::Stayed,
        })
    }

    /// Takes one of the several ways that a step leads, by its number. Like [`Explorer::take`], except that a successor that is
    /// stored already is taken back at once.
    pub fn take_way(
        &mut self,
        step: Step,
        number: usize,
        source: StateId,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        self.tick(path)?;
        self.stats.transitions += 1;
        self.way.clear();
        if !self.apply(step, number) {
            let fired = self.system.fire(&mut self.state, step);
            if fired == Fired::Abandoned {
                return self.abandon();
            }
            debug_assert_eq!(fired, Fired::Moved);
            let mut left = number;
            let is_there = self.seek(&mut |_| {
                left = left.wrapping_sub(1);
                left == usize::MAX
            });
            if is_abandoned(self.system, &self.state) {
                return self.abandon();
            }
            assert!(is_there, "there are as many ways as were foreseen");
        }
        self.system.encode(&mut self.state, &mut self.encoding);
        let insert = self.insert()?;
        self.note(insert, source, step, self.depth + 1 + self.way.len() as u32);
        if let Insert::New(id) = insert {
            return Continue(Taken::New(id));
        }
        for _ in 0..=self.way.len() {
            self.undo();
        }
        Continue(Taken::Stayed)
    }

    /// Moves to a remembered successor, if there is one.
    fn apply(&mut self, step: Step, number: usize) -> bool {
        let cache = self.system.successor_cache();
        cache.is_some_and(|cache| cache.apply(&mut self.state, step, number, &mut self.way))
    }

    /// Goes on from a transient state to the first one that is not transient and is the right one, if there is a way.
    fn seek(&mut self, is_right: &mut impl FnMut(&mut Self) -> bool) -> bool {
        let mut steps = Steps::default();
        self.system.steps(&mut self.state, &mut steps);
        for step in steps.enabled {
            let fired = self.system.fire(&mut self.state, step);
            self.way.push(step);
            if fired == Fired::Moved {
                let is_there =
                    if self.system.is_transient(&self.state) { self.seek(is_right) } else { is_right(self) };
                if is_there {
                    return true;
                }
            }
            self.way.pop();
            if matches!(fired, Fired::Moved | Fired::Flawed(_)) {
                self.undo();
            }
        }
        false
    }

    #[inline]
    fn note(&mut self, insert: Insert, source: StateId, step: Step, depth: u32) {
        match insert {
            Insert::New(id) => {
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

    /// Whether there were few enough transient states to pass one more by. Where there are so many that they may go on for ever,
    /// they are stored like others, which ends it.
    fn may_pass(&mut self) -> bool {
        self.passed += 1;
        self.passed < PASSED_AT_LEAST.max(PASSED_PER_TRANSITION * self.stats.transitions)
    }

    /// Takes back the last step that moved.
    pub fn undo(&mut self) {
        self.system.undo(&mut self.state);
    }

    /// Ends the search at the state to which `path` leads.
    pub fn finish(mut self, end: ControlFlow<StopReason>, path: &impl Path<S, T>) -> Outcome {
        let completeness = match end {
            Break(reason) => Completeness::Stopped(reason),
            // A part of the search made do without an answer.
            Continue(()) if is_abandoned(self.system, &self.state) => {
                let is_interrupted = self.is_interrupted();
                Completeness::Stopped(if is_interrupted { StopReason::Interrupted } else { StopReason::Time })
            }
            // Some step was too large for the memory there was.
            Continue(()) if !has_room(self.system, &mut self.state) => {
                Completeness::Stopped(StopReason::Memory)
            }
            Continue(()) if self.is_cut => Completeness::Stopped(StopReason::Depth),
            Continue(()) => Completeness::Exhausted,
        };
        Outcome {
            stats: Stats { states: self.store.len(), ..self.stats },
            violations: self.violations.into_list(),
            truncations: self.truncations,
            unevaluated: self.unevaluated,
            completeness,
            open: path.open(self.store.len()),
            elapsed: self.started.elapsed(),
        }
    }

    fn insert(&mut self) -> ControlFlow<StopReason, Insert> {
        let limit = self.options.max_states.unwrap_or(usize::MAX);
        match self.store.insert(&mut self.encoding, limit) {
            Ok(insert) => Continue(insert),
            Err(full) => Break(full.into()),
        }
    }

    /// Takes note of a violation of the property that a search found by other means.
    pub fn record(&mut self, fault: Fault, trail: Trail) {
        self.violations.record(fault, Consequence::OfProperty, || trail);
    }

    /// Takes note of a violation in the state to which `path` leads, or by a step there.
    #[cold]
    pub fn violation(
        &mut self,
        fault: Fault,
        consequence: Consequence,
        path: &impl Path<S, T>,
        last: Option<Step>,
    ) -> ControlFlow<StopReason> {
        let last = last.map(|step| (step, fault));
        self.violations.record(fault, consequence, || path.trail(self.system, self.store, last));
        let is_passed_by = self.passes_by
            && consequence != Consequence::OfProperty
            && !matches!(fault.kind, FaultKind::Bound(_));
        if self.options.keep_going || is_passed_by { Continue(()) } else { Break(StopReason::FirstViolation) }
    }

    /// Looks at the limits now and then.
    #[inline]
    pub fn tick(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        self.until_poll = self.until_poll.saturating_sub(1);
        if self.until_poll == 0 { self.poll(path) } else { Continue(()) }
    }

    /// Looks at the limits more often where steps take long.
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

    #[cold]
    fn poll(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        let options = self.options;
        if !has_room(self.system, &mut self.state) {
            return self.stop(StopReason::Memory);
        }
        if self.is_interrupted() {
            return self.stop(StopReason::Interrupted);
        }
        let elapsed = self.started.elapsed();
        self.schedule_poll(elapsed);
        if options.time.is_some_and(|limit| elapsed >= limit) {
            return self.stop(StopReason::Time);
        }
        if is_abandoned(self.system, &self.state) {
            return self.abandon();
        }
        self.polls = self.polls.wrapping_add(1);
        if self.polls % MEMORY_EVERY == 1 && options.budget.exceeded() {
            return self.stop(StopReason::Memory);
        }
        if elapsed.saturating_sub(self.last_progress) >= options.progress_every {
            self.last_progress = elapsed;
            let states = self.store.len();
            self.observer.progress(&Progress {
                states,
                transitions: self.stats.transitions,
                matched: self.stats.matched,
                depth: self.stats.depth,
                open: path.open(states),
                store_bytes: self.store.bytes(),
                resident_bytes: store::resident(),
                elapsed,
            });
        }
        Continue(())
    }
}

/// A refusal of memory or ids ends the search.
pub fn or_stop<T>(result: Result<T, store::Full>) -> ControlFlow<StopReason, T> {
    match result {
        Ok(value) => Continue(value),
        Err(full) => Break(full.into()),
    }
}
