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

use std::ops::ControlFlow::{self, Break, Continue};

use store::{Access, Insert, StateId, StateStore, Ticket};
use system::{
    Encoding, Fault, Fired, Halt, Step, Steps, SuccessorCache, TransitionSystem, has_room, is_abandoned,
};

use crate::ledger::{Ledger, Standing};
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Consequence, Outcome, StopReason};
use crate::trail::{DEADLOCK, Trail, is_deadlock};

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
    soft_fault: Option<Fault>,
    /// A state where nobody can move is a violation, unless it is a proper end.
    pub reports_deadlocks: bool,
    pub encoding: Encoding,
    pub ledger: Ledger<'a>,
    /// Transient states so far.
    passed: u64,
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
        let ledger = Ledger::new(options, observer);
        let mut state = system.initial();
        if let (Some(limits), Some(alarm)) = (system.limits(), ledger.alarm()) {
            limits.heed(&mut state, &alarm);
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
            soft_fault: None,
            reports_deadlocks: true,
            encoding: Encoding::new(),
            ledger,
            passed: 0,
        }
    }

    /// Whether there is anything to see at a new state, besides its steps.
    pub fn sees(&self) -> bool {
        self.system.hidden_data().is_some()
            || self.system.successor_cache().is_none_or(SuccessorCache::has_state_properties)
    }

    /// Stores the initial state, if the limits allow even that.
    pub fn start(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, StateId> {
        self.poll(path)?;
        self.system.encode(&mut self.state, &mut self.encoding);
        self.insert()?;
        self.ledger.initial(INITIAL);
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
                self.ledger.unevaluated(bound);
                Continue(())
            }
            Halt::Abandoned => self.ledger.abandon(),
        }
    }

    /// Whether a step that is offered several times stands for as many, which lead to states with the same encoding.
    pub fn folds(&self) -> bool {
        self.ledger.options.fold && !self.ledger.options.lookahead
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
            return self.ledger.abandon();
        }
        self.is_stuck = self.steps.is_empty();
        if self.reports_deadlocks && is_deadlock(self.system, &self.state, &self.steps) {
            return self.violation(DEADLOCK, Consequence::GoesOn, path, None);
        }
        if self.ledger.options.max_depth.is_some_and(|max| self.depth >= max) {
            self.ledger.is_cut |= !self.steps.is_empty();
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
        self.soft_fault = None;
        match self.system.fire(&mut self.state, step) {
            Fired::Moved => {}
            Fired::MovedWithFault(fault) => {
                self.soft_fault = Some(fault);
                self.violation(fault, Consequence::GoesOn, path, Some(step))?;
            }
            Fired::Fault(fault) => {
                self.ledger.transition();
                self.violation(fault, Consequence::EndsRuns, path, Some(step))?;
                return Continue(Taken::Stayed);
            }
            Fired::Truncated(bound) => {
                self.ledger.truncation(bound);
                return Continue(Taken::Stayed);
            }
            Fired::Abandoned => return self.ledger.abandon(),
        }
        if self.system.is_transient(&self.state) {
            self.stores_transient |= passed >= LONGEST_PASSAGE || !self.may_pass();
            if !self.stores_transient {
                return Continue(Taken::Passing);
            }
        }
        self.ledger.transition();
        self.system.encode(&mut self.state, &mut self.encoding);
        let insert = self.insert()?;
        self.ledger.note(insert, source, step, self.depth + 1);
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
        if let Some(fault) = self.soft_fault {
            self.violation(fault, Consequence::GoesOn, path, Some(step))?;
        }
        self.ledger.transition();
        self.ledger.note(
            Insert::Seen(target.filter(|_| self.store.access() == Access::ById)),
            source,
            step,
            self.depth + 1,
        );
        Continue(())
    }

    /// Finds out where the successors of the state belong without going there, if the system and the store are up to it.
    /// Otherwise there is [`Explorer::offer`]: also where nobody has a step, since there may be more to say about that.
    pub fn foresee(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, bool> {
        if !self.ledger.options.lookahead
            || self.ledger.options.max_depth.is_some()
            || self.store.prepared().is_none()
        {
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
        if !self.ledger.options.lookahead || self.steps.enabled.len() < 2 || !is_worthwhile(self.store) {
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
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
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
        self.ledger.note(insert, source, step, self.depth + 1);
        Continue(match insert {
            Insert::New(id) => Taken::New(id),
            Insert::Seen(_) => Taken::Stayed,
        })
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, path: &impl Path<S, T>) -> ControlFlow<StopReason, Insert> {
        self.tick(path)?;
        self.ledger.transition();
        let limit = self.ledger.options.max_states.unwrap_or(usize::MAX);
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
                return self.ledger.abandon();
            }
            debug_assert_eq!(fired, Fired::Moved);
            if self.system.is_transient(&self.state) {
                let is_there = self.seek(&mut |explorer| {
                    explorer.system.encode(&mut explorer.state, &mut explorer.encoding);
                    explorer.prepare() == ticket
                });
                if is_abandoned(self.system, &self.state) {
                    return self.ledger.abandon();
                }
                assert!(is_there, "the state was foreseen");
            }
        }
        self.ledger.note(insert, source, step, self.depth + 1 + self.way.len() as u32);
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
        self.ledger.transition();
        self.way.clear();
        if !self.apply(step, number) {
            let fired = self.system.fire(&mut self.state, step);
            if fired == Fired::Abandoned {
                return self.ledger.abandon();
            }
            debug_assert_eq!(fired, Fired::Moved);
            let mut left = number;
            let is_there = self.seek(&mut |_| {
                left = left.wrapping_sub(1);
                left == usize::MAX
            });
            if is_abandoned(self.system, &self.state) {
                return self.ledger.abandon();
            }
            assert!(is_there, "there are as many ways as were foreseen");
        }
        self.system.encode(&mut self.state, &mut self.encoding);
        let insert = self.insert()?;
        self.ledger.note(insert, source, step, self.depth + 1 + self.way.len() as u32);
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
            if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
                self.undo();
            }
        }
        false
    }

    /// Whether there were few enough transient states to pass one more by. Where there are so many that they may go on for ever,
    /// they are stored like others, which ends it.
    fn may_pass(&mut self) -> bool {
        self.passed += 1;
        self.passed < PASSED_AT_LEAST.max(PASSED_PER_TRANSITION * self.ledger.transitions())
    }

    /// Takes back the last step that moved.
    pub fn undo(&mut self) {
        self.system.undo(&mut self.state);
    }

    /// Where the search stands.
    fn standing(&mut self, path: &impl Path<S, T>) -> Standing {
        let states = self.store.len();
        Standing {
            has_room: has_room(self.system, &mut self.state),
            is_abandoned: is_abandoned(self.system, &self.state),
            states,
            open: path.open(states),
            store_bytes: self.store.bytes(),
        }
    }

    /// Ends the search at the state to which `path` leads.
    pub fn finish(mut self, end: ControlFlow<StopReason>, path: &impl Path<S, T>) -> Outcome {
        let standing = self.standing(path);
        self.ledger.finish(end, &standing)
    }

    fn insert(&mut self) -> ControlFlow<StopReason, Insert> {
        let limit = self.ledger.options.max_states.unwrap_or(usize::MAX);
        match self.store.insert(&mut self.encoding, limit) {
            Ok(insert) => Continue(insert),
            Err(full) => Break(full.into()),
        }
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
        let Self { ledger, system, store, .. } = self;
        ledger.violation(fault, consequence, || path.trail(system, store, last))
    }

    /// Looks at the limits now and then.
    #[inline]
    pub fn tick(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        if self.ledger.tick() { self.poll(path) } else { Continue(()) }
    }

    #[cold]
    fn poll(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        let standing = self.standing(path);
        self.ledger.poll(&standing)
    }
}

/// A refusal of memory or ids ends the search.
pub fn or_stop<T>(result: Result<T, store::Full>) -> ControlFlow<StopReason, T> {
    match result {
        Ok(value) => Continue(value),
        Err(full) => Break(full.into()),
    }
}
