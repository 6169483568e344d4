//! Expansion: from one state to its successors.
//!
//! An [`Expander`] holds one concrete state. It knows the system, but not which states were visited: a store
//! is only asked for the place where a successor would be. There is one expander per worker.

use std::sync::Arc;

use store::{PreparedStore, StateStore, Ticket};
use system::{Alarm, Encoding, Fired, Step, Steps, SuccessorCache, TransitionSystem, is_abandoned};

/// When this many transient states were passed since a state was decoded, in total and per transition, the
/// following ones are stored.
const PASSED_AT_LEAST: u64 = 1 << 22;
const PASSED_PER_TRANSITION: u64 = 1 << 12;
/// The number of consecutive transient states after which they are stored.
pub const LONGEST_PASSAGE: usize = 1 << 16;

/// A successor of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The first step towards it.
    pub step: Step,
    /// If a step leads through transient states to several successors: which of them this is, counted from 1.
    /// Otherwise 0: the step leads directly to the successor.
    pub branch: u32,
    /// The place of the successor in the store; [`Ticket::NONE`] if unknown.
    pub ticket: Ticket,
}

impl From<Step> for Successor {
    fn from(step: Step) -> Self {
        Self { step, branch: 0, ticket: Ticket::NONE }
    }
}

/// A concrete state of a system, and its steps and successors.
pub struct Expander<'a, S: TransitionSystem> {
    pub system: &'a S,
    pub state: S::State,
    pub encoding: Encoding,
    /// The steps of the state, as of the last [`Expander::find_steps`].
    pub steps: Steps,
    /// The successors of the state, as of the last [`Expander::predict`] or [`Expander::prefetch`].
    pub successors: Vec<Successor>,
    /// The steps after the first one that led through transient states to the last successor.
    pub later: Vec<Step>,
    /// The number of steps from the initial state.
    pub depth: u32,
    /// Transient states are stored from now on, because there were too many: so a cycle of transient states
    /// is closed after one round.
    pub stores_transient: bool,
    /// The number of transient states passed since the last [`Expander::decode`].
    passed: u64,
}

impl<'a, S: TransitionSystem> Expander<'a, S> {
    /// Starts at the initial state. Computations stop when `alarm` is due.
    pub fn new(system: &'a S, alarm: Option<&Arc<Alarm>>) -> Self {
        let mut state = system.initial();
        if let (Some(limits), Some(alarm)) = (system.limits(), alarm) {
            limits.heed(&mut state, alarm);
        }
        Self::at(system, (state, Encoding::new()))
    }

    /// Starts at a state, with the encoding that follows it.
    pub fn at(system: &'a S, (state, encoding): (S::State, Encoding)) -> Self {
        Self {
            system,
            state,
            encoding,
            steps: Steps::default(),
            successors: Vec::new(),
            later: Vec::new(),
            depth: 0,
            stores_transient: false,
            passed: 0,
        }
    }

    /// Returns the state, with the encoding that follows it.
    pub fn into_place(self) -> (S::State, Encoding) {
        (self.state, self.encoding)
    }

    /// Moves to the state that the encoding describes.
    pub fn decode(&mut self, hidden: u32, depth: u32) {
        self.system.decode(&self.encoding, &mut self.state);
        system::restore_hidden(self.system, hidden, &mut self.state);
        self.depth = depth;
        self.passed = 0;
    }

    #[inline]
    pub fn encode(&mut self) {
        self.system.encode(&mut self.state, &mut self.encoding);
    }

    /// Whether the search must move to each new state: there are state properties to check, or hidden data to
    /// save.
    pub fn visits(&self) -> bool {
        self.stores_transient
            || self.system.hidden_data().is_some()
            || self.system.successor_cache().is_none_or(SuccessorCache::has_state_properties)
    }

    /// Finds the steps of the state. If `folds`, one step may stand for all steps that a symmetry maps to it.
    pub fn find_steps(&mut self, folds: bool) {
        if folds {
            self.system.folded_steps(&mut self.state, &mut self.steps);
        } else {
            self.system.steps(&mut self.state, &mut self.steps);
        }
    }

    #[inline]
    pub fn fire(&mut self, step: Step) -> Fired {
        self.system.fire(&mut self.state, step)
    }

    /// Undoes the last step that moved.
    #[inline]
    pub fn undo(&mut self) {
        self.system.undo(&mut self.state);
    }

    /// Whether the state is transient and is not to be stored. `passed` transient states precede it, and
    /// `transitions` transitions were counted since the state was last decoded. If transient states are so many
    /// that they may go on for ever, they are stored like other states, which ends a cycle of them. Breadth
    /// first, that is a function of the state that was decoded, and not of the search before.
    #[inline]
    pub fn passes(&mut self, passed: usize, transitions: u64) -> bool {
        if !self.system.is_transient(&self.state) {
            return false;
        }
        self.passed += 1;
        let is_long = passed >= LONGEST_PASSAGE;
        self.stores_transient |=
            is_long || self.passed >= PASSED_AT_LEAST.max(PASSED_PER_TRANSITION * transitions);
        !self.stores_transient
    }

    /// Lists the successors from cached effects, without firing steps. Returns false if the system or the
    /// store does not support it, or if there are no successors; then use [`Expander::find_steps`], which
    /// also reports faults.
    ///
    /// The store is asked for its prepared half each time: with the type of the store known, that costs
    /// nothing, and the calls are direct.
    pub fn predict<T: StateStore + ?Sized>(&mut self, store: &mut T) -> bool {
        let Self { system, state, encoding, steps, successors, .. } = self;
        let Some(cache) = system.successor_cache() else { return false };
        let threads = cache.threads(state);
        if threads.is_empty() {
            return false;
        }
        let renames = cache.renames();
        if renames {
            if store.prepared().is_none() {
                return false;
            }
        } else {
            system.encode(state, encoding);
            if !store.prepared().is_some_and(|store| store.set_base(encoding)) {
                return false;
            }
        }
        successors.clear();
        for thread in threads {
            let before = successors.len();
            let mut add = |step: Step, ticket: Option<Ticket>| {
                let ticket = ticket.unwrap_or(Ticket::NONE);
                let mut branch = 0;
                if let Some(last) = successors.last_mut().filter(|last| last.step == step) {
                    last.branch = last.branch.max(1);
                    branch = last.branch + 1;
                }
                successors.push(Successor { step, branch, ticket });
            };
            let is_all = if renames {
                cache.encoded_successors(state, thread, encoding, |step, encoding| {
                    add(step, store.prepared().and_then(|store| store.prepare(encoding).ok()));
                })
            } else {
                cache.successors(state, thread, |step, effect| {
                    add(step, store.prepared().and_then(|store| store.prepare_effect(effect)));
                })
            };
            if !is_all {
                successors.truncate(before);
                steps.clear();
                cache.thread_steps(state, thread, steps);
                // Finding all steps reports the faults.
                if !steps.faults.is_empty() || steps.is_abandoned {
                    return false;
                }
                successors.extend(steps.enabled.iter().copied().map(Successor::from));
            }
        }
        !successors.is_empty()
    }

    /// Lists the successors by firing and undoing the steps of the state, so that the store can prefetch the
    /// memory of all of them.
    pub fn prefetch(&mut self, store: &mut dyn PreparedStore) {
        self.successors.clear();
        for at in 0..self.steps.enabled.len() {
            let step = self.steps.enabled[at];
            let ticket = self.ticket(step, store);
            self.successors.push(Successor { step, branch: 0, ticket });
        }
    }

    /// The ticket of the successor by `step`; [`Ticket::NONE`] if the step faults or leads to a transient
    /// state.
    fn ticket(&mut self, step: Step, store: &mut dyn PreparedStore) -> Ticket {
        let mut ticket = Ticket::NONE;
        let fired = self.fire(step);
        if fired == Fired::Moved && !self.system.is_transient(&self.state) {
            self.encode();
            ticket = store.prepare(&mut self.encoding).unwrap_or(Ticket::NONE);
        }
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
            self.undo();
        }
        ticket
    }

    /// Moves to a predicted successor: the one that `is_it` recognizes or, without `is_it`, the one of its
    /// branch. Returns false if the computation was abandoned.
    pub fn go_to(&mut self, to: Successor, is_it: Option<&mut dyn FnMut(&mut Encoding) -> bool>) -> bool {
        self.later.clear();
        let mut left = to.branch.saturating_sub(1);
        let cache = self.system.successor_cache();
        let later = &mut self.later;
        if cache.is_some_and(|cache| cache.apply(&mut self.state, to.step, left as usize, later)) {
            return true;
        }
        let fired = self.fire(to.step);
        if fired == Fired::Abandoned {
            return false;
        }
        debug_assert_eq!(fired, Fired::Moved);
        if !self.system.is_transient(&self.state) {
            return true;
        }
        let is_there = match is_it {
            Some(is_it) => self.seek(&mut |expander| {
                expander.encode();
                is_it(&mut expander.encoding)
            }),
            None => self.seek(&mut |_| {
                left = left.wrapping_sub(1);
                left == u32::MAX
            }),
        };
        if is_abandoned(self.system, &self.state) {
            return false;
        }
        assert!(is_there, "a successor that was predicted is there");
        true
    }

    /// Moves on from a transient state to the first state that is not transient and that `is_right` accepts.
    /// Returns false if there is none.
    fn seek(&mut self, is_right: &mut impl FnMut(&mut Self) -> bool) -> bool {
        let mut steps = Steps::default();
        self.system.steps(&mut self.state, &mut steps);
        for step in steps.enabled {
            let fired = self.fire(step);
            self.later.push(step);
            if fired == Fired::Moved {
                let is_there =
                    if self.system.is_transient(&self.state) { self.seek(is_right) } else { is_right(self) };
                if is_there {
                    return true;
                }
            }
            self.later.pop();
            if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
                self.undo();
            }
        }
        false
    }
}
