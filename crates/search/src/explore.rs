//! The part that all searches share: expansion into the store, violations, limits.
//!
//! An [`Explorer`] joins an [`Expander`] and a [`Sink`]. It finds the steps of the current state
//! ([`Explorer::offer`], or its successors: [`Explorer::predict`], [`Explorer::prefetch`]) and moves to one
//! successor ([`Explorer::take`], [`Explorer::take_predicted`]). The search decides which one, and when to
//! move [back](Explorer::back):
//!
//! | [`Taken`] | the state is now     | the search continues with                                 |
//! |-----------|----------------------|-----------------------------------------------------------|
//! | `New`     | the successor        | [`Explorer::check`], then expands it now or moves back    |
//! | `Seen`    | the successor or not | moving back                                               |
//! | `Passing` | the successor        | expanding it now, and moving back                         |
//! | `Stayed`  | unchanged            | the next step                                             |
//!
//! A violation needs a path from the initial state, which only the search knows: its [`Path`]. Every reason
//! to end a search early is passed up as the break of a `ControlFlow`.

use std::ops::ControlFlow::{self, Continue};

use store::{Insert, StateId, StateStore, Ticket};
use system::{Fault, Fired, Halt, Step, TransitionSystem, has_room, is_abandoned, is_void};

use crate::expander::{Expander, Successor};
use crate::ledger::Standing;
use crate::observer::{Observer, Open};
use crate::options::Options;
use crate::outcome::{Consequence, Outcome, StopReason};
use crate::sink::{Edge, Sink};
use crate::trail::{DEADLOCK, Trail, is_deadlock};

/// The path of a search from the initial state to the current one.
pub trait Path<S: TransitionSystem, T: ?Sized> {
    /// The steps to the current state and, if `last` is given, the step from there that ends in a fault.
    fn trail(&self, system: &S, store: &mut T, last: Option<(Step, Fault)>) -> Trail;

    fn open(&self, stored: usize) -> Open;
}

/// The result of a step.
pub enum Taken {
    New(StateId),
    /// The successor was stored before. Its number, if the store finds states by number.
    Seen(Option<StateId>),
    /// The successor is transient and was not stored.
    Passing,
    Stayed,
}

impl From<Insert> for Taken {
    fn from(insert: Insert) -> Self {
        match insert {
            Insert::New(id) => Self::New(id),
            Insert::Seen(id) => Self::Seen(id),
        }
    }
}

/// The part that all searches share.
pub struct Explorer<'a, S: TransitionSystem, T: ?Sized> {
    pub expander: Expander<'a, S>,
    pub sink: Sink<'a, T>,
    /// There were no steps, and no faults of guards, at the last [`Explorer::offer`].
    pub is_stuck: bool,
    /// A state without steps is a violation, unless it is a proper end.
    pub reports_deadlocks: bool,
    /// The number of steps that the last [`Explorer::take`] moved.
    moved: usize,
    /// The fault of the last step, if the step moved in spite of it.
    soft_fault: Option<Fault>,
    /// The number of transitions that were counted before the last [`Explorer::restore`].
    counted_before: u64,
}

impl<'a, S, T> Explorer<'a, S, T>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
{
    /// Starts at the initial state. `store` must be empty.
    pub fn new(
        system: &'a S,
        store: &'a mut T,
        options: &'a Options<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let sink = Sink::new(store, options, observer);
        let expander = Expander::new(system, sink.ledger.alarm().as_ref());
        Self::of(expander, sink)
    }

    /// Joins an expander and a sink.
    pub fn of(expander: Expander<'a, S>, sink: Sink<'a, T>) -> Self {
        Self {
            expander,
            sink,
            is_stuck: false,
            reports_deadlocks: true,
            moved: 0,
            soft_fault: None,
            counted_before: 0,
        }
    }

    /// Stores the initial state, if the limits allow it.
    pub fn start(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, StateId> {
        self.poll(path)?;
        self.expander.encode();
        self.sink.put_initial(&mut self.expander.encoding)
    }

    /// Moves to stored state `id`. Ids must be asked for in increasing order.
    pub fn restore(&mut self, id: StateId, hidden: u32, depth: u32) {
        self.sink.store.decode(id, &mut self.expander.encoding);
        self.expander.decode(hidden, depth);
        self.counted_before = self.sink.ledger.transitions();
    }

    /// Saves the hidden data of the state and returns its number; `None` if states have none.
    pub fn hidden(&mut self) -> Option<u32> {
        let Expander { system, state, .. } = &mut self.expander;
        system.hidden_data().map(|hidden| hidden.save(state))
    }

    /// Checks the state properties of the state that was just stored, to which `path` leads.
    pub fn check(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        match self.expander.system.check(&mut self.expander.state) {
            Ok(()) => Continue(()),
            Err(halt) => self.halt(halt, Consequence::GoesOn, path),
        }
    }

    /// Records that a condition of the state, to which `path` leads, does not hold or was not evaluated.
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
                self.sink.ledger.unevaluated(bound);
                Continue(())
            }
            Halt::Abandoned => self.sink.ledger.abandon(),
        }
    }

    /// Whether a step that is offered several times stands for that many steps, which lead to states with the
    /// same encoding.
    pub fn folds(&self) -> bool {
        let options = self.sink.ledger.options;
        options.fold && !options.lookahead
    }

    /// Finds the steps of the state, to which `path` leads. At the depth limit, none are offered.
    pub fn offer(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        self.tick(path)?;
        let folds = self.folds();
        self.expander.find_steps(folds);
        let Self { expander, sink, .. } = self;
        if expander.steps.is_abandoned {
            return sink.ledger.abandon();
        }
        self.is_stuck = expander.steps.is_empty();
        if self.reports_deadlocks && is_deadlock(expander.system, &expander.state, &expander.steps) {
            return self.violation(DEADLOCK, Consequence::GoesOn, path, None);
        }
        if sink.ledger.options.max_depth.is_some_and(|max| expander.depth >= max) {
            sink.ledger.is_cut |= !expander.steps.is_empty();
            expander.steps.clear();
        }
        for at in 0..self.expander.steps.faults.len() {
            let (step, fault) = self.expander.steps.faults[at];
            self.violation(fault, Consequence::EndsRuns, path, Some(step))?;
        }
        Continue(())
    }

    /// Lists the successors of the state with their tickets, from cached effects. Returns false if that is
    /// not possible; then use [`Explorer::offer`].
    #[inline]
    pub fn predict(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason, bool> {
        let options = self.sink.ledger.options;
        if !options.lookahead || options.max_depth.is_some() {
            return Continue(false);
        }
        self.tick(path)?;
        Continue(self.expander.predict(self.sink.store))
    }

    /// Lists the successors by the offered steps, with their tickets. Returns false if it is not worth the
    /// effort.
    pub fn prefetch(&mut self) -> bool {
        if !self.sink.ledger.options.lookahead || self.expander.steps.enabled.len() < 2 {
            return false;
        }
        let Some(store) = self.sink.store.prepared().filter(|store| store.is_worthwhile()) else {
            return false;
        };
        self.expander.prefetch(store);
        true
    }

    /// Stores a successor of `source` by its ticket, which must be of the current epoch, without moving to
    /// it.
    #[inline]
    pub fn store(
        &mut self,
        next: Successor,
        source: StateId,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        self.tick(path)?;
        let insert = self.sink.commit(next.ticket)?;
        self.sink.ledger.note(insert, Edge { source, step: next.step, depth: self.expander.depth + 1 });
        Continue(insert.into())
    }

    /// Fires an enabled step of the state, to which `path` leads, and stores the successor. The last stored
    /// state on that path is `source`; `passed` transient states follow it.
    #[inline]
    pub fn take(
        &mut self,
        step: Step,
        source: StateId,
        passed: usize,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        self.tick(path)?;
        self.moved = 0;
        self.soft_fault = None;
        let Self { expander, sink, .. } = self;
        match expander.fire(step) {
            Fired::Moved => {}
            Fired::MovedWithFault(fault) => {
                self.soft_fault = Some(fault);
                self.violation(fault, Consequence::GoesOn, path, Some(step))?;
            }
            Fired::Fault(fault) => {
                sink.ledger.transition();
                self.violation(fault, Consequence::EndsRuns, path, Some(step))?;
                return Continue(Taken::Stayed);
            }
            Fired::Truncated(bound) => {
                sink.ledger.truncation(bound);
                return Continue(Taken::Stayed);
            }
            Fired::Abandoned => return sink.ledger.abandon(),
        }
        let Self { expander, sink, .. } = self;
        self.moved = 1;
        if expander.passes(passed, sink.ledger.transitions() - self.counted_before) {
            return Continue(Taken::Passing);
        }
        expander.later.clear();
        expander.encode();
        let edge = Edge { source, step, depth: expander.depth + 1 };
        Continue(sink.put(edge, &mut expander.encoding)?.into())
    }

    /// Like [`Explorer::take`], for a successor that was predicted. If it has a ticket, which must be of the
    /// current epoch, the explorer moves only if the successor is new.
    pub fn take_predicted(
        &mut self,
        next: Successor,
        source: StateId,
        passed: usize,
        path: &impl Path<S, T>,
    ) -> ControlFlow<StopReason, Taken> {
        if next.ticket == Ticket::NONE && next.branch == 0 {
            return self.take(next.step, source, passed, path);
        }
        self.tick(path)?;
        self.moved = 0;
        if next.ticket != Ticket::NONE {
            return self.take_prepared(next, source);
        }
        let Self { expander, sink, .. } = self;
        if !expander.go_to(next, None) {
            return sink.ledger.abandon();
        }
        self.moved = 1 + expander.later.len();
        expander.encode();
        let edge = Edge { source, step: next.step, depth: expander.depth + self.moved as u32 };
        Continue(sink.put(edge, &mut expander.encoding)?.into())
    }

    fn take_prepared(&mut self, next: Successor, source: StateId) -> ControlFlow<StopReason, Taken> {
        let Self { expander, sink, .. } = self;
        let insert = sink.commit(next.ticket)?;
        expander.later.clear();
        if let Insert::New(_) = insert {
            let store = &mut *sink.store;
            let mut is_it = |encoding: &mut system::Encoding| {
                let ticket = store.prepared().and_then(|store| store.prepare(encoding).ok());
                ticket == Some(next.ticket)
            };
            if !expander.go_to(next, Some(&mut is_it)) {
                return sink.ledger.abandon();
            }
            self.moved = 1 + expander.later.len();
        }
        let depth = expander.depth + 1 + expander.later.len() as u32;
        sink.ledger.note(insert, Edge { source, step: next.step, depth });
        Continue(insert.into())
    }

    /// Counts another step to `target`, the target of the last step, which stood for both.
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
        self.sink.repeat(Edge { source, step, depth: self.expander.depth + 1 }, target);
        Continue(())
    }

    /// Undoes the moves of the last [`Explorer::take`].
    pub fn back(&mut self) {
        for _ in 0..self.moved {
            self.expander.undo();
        }
        self.moved = 0;
    }

    fn standing(&mut self, path: &impl Path<S, T>) -> Standing {
        let Expander { system, state, .. } = &mut self.expander;
        let states = self.sink.store.len();
        Standing {
            has_room: has_room(*system, state),
            is_abandoned: is_abandoned(*system, state),
            is_void: is_void(*system),
            states,
            open: path.open(states),
            store_bytes: self.sink.store.bytes(),
        }
    }

    /// Ends the search at the state to which `path` leads.
    pub fn finish(mut self, end: ControlFlow<StopReason>, path: &impl Path<S, T>) -> Outcome {
        let standing = self.standing(path);
        self.sink.ledger.finish(end, &standing)
    }

    /// Records a violation in the state to which `path` leads, or by a step there.
    #[cold]
    pub fn violation(
        &mut self,
        fault: Fault,
        consequence: Consequence,
        path: &impl Path<S, T>,
        last: Option<Step>,
    ) -> ControlFlow<StopReason> {
        let last = last.map(|step| (step, fault));
        let Sink { store, ledger } = &mut self.sink;
        ledger.violation(fault, consequence, || path.trail(self.expander.system, store, last))
    }

    /// Checks the limits from time to time.
    #[inline]
    pub fn tick(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        if self.sink.ledger.tick() { self.poll(path) } else { Continue(()) }
    }

    #[cold]
    pub fn poll(&mut self, path: &impl Path<S, T>) -> ControlFlow<StopReason> {
        let standing = self.standing(path);
        self.sink.ledger.poll(&standing)
    }
}
