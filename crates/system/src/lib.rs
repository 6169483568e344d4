//! The interface between models and algorithms.
//!
//! A [`TransitionSystem`] offers the steps that are enabled in a state, fires one, and undoes it. Searches
//! know nothing else about a model; models know nothing about searches. A visited set receives an
//! [`Encoding`]: components of words whose meaning neither the search nor the store knows.
//!
//! Deliberately not in this crate: variables, heaps, threads as anything but numbers, source positions.

mod alarm;
mod encoding;
mod fault;
mod retrace;
pub mod toy;

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

pub use alarm::{Alarm, Fuel};
pub use encoding::{Encoding, KeptOutline, Key, Lengths, Moment, Outline, Section};
pub use fault::{Bound, Fault, FaultKind, Halt};
pub use retrace::{Waypoint, step_to_fault};

/// One dynamic step: which thread takes which static transition, and how the choices inside the transition
/// are resolved. Trails record steps, and a replay needs nothing else.
///
/// `choice` numbers the resolutions of the choice points of the transition, in mixed radix with the first
/// point as the least digit: with `k0`, `k1`, … alternatives at the points in the order of their evaluation,
/// it is `d0 + k0 * (d1 + k1 * (…))`. A transition without choice points has the one choice 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    pub thread: u32,
    pub transition: u32,
    pub choice: u32,
}

/// The steps of one state.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// The steps that can be fired, in the order in which a search tries them.
    pub enabled: Vec<Step>,
    /// The steps whose guard cannot be evaluated. A faulting guard is an error, not a guard that is false.
    pub faults: Vec<(Step, Fault)>,
    /// Steps may be missing, because an [alarm](Alarm) was due while they were computed.
    pub is_abandoned: bool,
}

impl Steps {
    pub fn clear(&mut self) {
        self.enabled.clear();
        self.faults.clear();
        self.is_abandoned = false;
    }

    /// Whether no step is enabled, no guard faulted, and no step is missing.
    pub fn is_empty(&self) -> bool {
        self.enabled.is_empty() && self.faults.is_empty() && !self.is_abandoned
    }
}

/// A change of some bits of a word of an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Write {
    pub key: Key,
    /// The index of the word in the component, or [`Write::LENGTH`].
    pub word: u32,
    pub mask: u64,
    /// The new values of the bits of the mask, except for those that are copied.
    pub bits: u64,
    /// The bits of the mask that are copied: each becomes the old value of the bit `shift` places above it in
    /// the same word.
    pub copied: u64,
    pub shift: u32,
}

impl Write {
    /// The word after the write, where `old` is the word before it.
    #[inline]
    pub const fn apply(&self, old: u64) -> u64 {
        old & !self.mask | self.bits | old >> self.shift & self.copied
    }

    /// In place of a word index: the length of the component plus one, or 0 if the component does not exist.
    /// A component that is created gets its length before its words; one that is removed loses its length
    /// after its words, which become 0.
    pub const LENGTH: u32 = u32::MAX;
}

/// What a step writes.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a> {
    /// Two effects with the same number are the same, whatever the source. The upper half is a generation:
    /// when a new one occurs, effects of earlier ones do not occur any more. [`Effect::ANY`] stands for no number.
    pub number: u64,
    pub writes: &'a [Write],
}

impl Effect<'_> {
    /// In place of the number of an effect that is not expected to occur again.
    pub const ANY: u64 = u64::MAX;
}

/// The result of firing a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fired {
    /// The state is now the successor; [`TransitionSystem::undo`] undoes the step.
    Moved,
    /// The step violates a rule but moves all the same: the state is now the successor, as for `Moved`.
    MovedWithFault(Fault),
    /// The step violates a rule. The state is unchanged: there is nothing to undo.
    Fault(Fault),
    /// The successor exceeds a bound of the exploration. The state is unchanged.
    Truncated(Bound),
    /// An [alarm](Alarm) was due in the middle of the step: nothing is known about the step. The state is
    /// unchanged.
    Abandoned,
}

/// A model as searches see it.
///
/// Eight functions are required. The others have defaults: three concern the steps themselves, four give
/// access to features that only some systems have. What temporal properties need is in [`Temporal`].
///
/// Laws, checked by the tests of every implementation:
/// - `fire` followed by `undo` restores the state bit for bit; calls nest like brackets.
/// - `steps` and `check` leave the state unchanged.
/// - Everything is a function of the state alone: two states with equal encodings have equal steps with equal
///   outcomes.
/// - `decode` of what `encode` wrote gives the same state up to names that cannot be observed.
pub trait TransitionSystem {
    type State;
    /// The type of its successor cache; [`NoCache`] if it has none.
    type Cache: SuccessorCache<Self::State>;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Replaces `out` by the steps of `state`.
    fn steps(&self, state: &mut Self::State, out: &mut Steps);

    /// Fires an enabled step of `state`.
    fn fire(&self, state: &mut Self::State, step: Step) -> Fired;

    /// Undoes the last step that moved and was not undone yet.
    fn undo(&self, state: &mut Self::State);

    /// Checks the state properties of `state`. The error is the first violated property; if none is violated,
    /// the first one whose evaluation exceeds a bound.
    fn check(&self, state: &mut Self::State) -> Result<(), Halt>;

    /// Whether a state without steps is a proper end, rather than a deadlock.
    fn ended(&self, state: &Self::State) -> bool;

    /// Updates `into` to describe `state`. `into` must be the encoding that this state was last encoded into
    /// or decoded from (or a new one for a new state), so that only the changes are written.
    fn encode(&self, state: &mut Self::State, into: &mut Encoding);

    /// Replaces `state` by the state that `from` describes, with nothing to undo.
    fn decode(&self, from: &Encoding, state: &mut Self::State);

    /// Computes steps like [`TransitionSystem::steps`], except that one of several steps that a symmetry of
    /// `state` maps to each other may stand for all of them: it is listed as many times as there are such
    /// steps, in a row. All of them have the same outcome: states with equal encodings, or equal faults.
    fn folded_steps(&self, state: &mut Self::State, out: &mut Steps) {
        self.steps(state, out);
    }

    /// Whether `state` is inside a block that other threads cannot interrupt, and has steps or faults.
    /// Searches continue from there at once, without storing or counting it.
    fn is_transient(&self, _state: &Self::State) -> bool {
        false
    }

    /// The steps of a run from the initial state along `chain`, whose first element is the initial state. Then
    /// `passing` are steps from the state decoded from the end of the chain through transient states. If `last`
    /// is given, its step is one of the state reached by then, and the run ends with a step to the same fault.
    ///
    /// The default is for systems whose states decode to themselves.
    fn retrace(&self, chain: &[Waypoint], passing: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        retrace::retrace(self, chain, passing, last)
    }

    /// Enforces limits on memory and time inside steps; `None` if steps take little of both.
    fn limits(&self) -> Option<&dyn Limits<Self::State>> {
        None
    }

    /// Access to data of states that is not in their encodings; `None` if there is none.
    fn hidden_data(&self) -> Option<&dyn HiddenData<Self::State>> {
        None
    }

    /// Access to what the system counts; `None` if it counts nothing.
    fn statistics(&self) -> Option<&dyn Statistics<Self::State>> {
        None
    }

    /// Access to cached successors; `None` if the system has no cache.
    fn successor_cache(&self) -> Option<&Self::Cache> {
        None
    }
}

/// Limits on memory and time that also apply inside a step.
pub trait Limits<State> {
    /// Makes sure that there is memory for a few hundred more steps, and for undoing them. If there is not,
    /// or if there ever was too little for a step, the search must end here, and must not claim to have
    /// explored everything.
    fn has_room(&self, state: &mut State) -> bool;

    /// Makes long computations in `state` stop once `alarm` is due: computing its steps, firing one,
    /// evaluating a condition. A state made by [`TransitionSystem::initial`] has no alarm.
    fn heed(&self, state: &mut State, alarm: &Arc<Alarm>);

    /// Whether a computation in `state` was stopped. Then the search must end here, and must not claim to
    /// have explored everything.
    fn is_abandoned(&self, state: &State) -> bool;

    /// Whether the system has relied on something that does not hold, so that a search must start again. There is no
    /// use in going on then.
    fn is_void(&self) -> bool {
        false
    }
}

/// Data of a state that is not in its encoding, under a number that the system assigns. A search that decodes
/// states keeps the number of each. It is needed for names that break ties by thread ids, since an encoding
/// does not contain the ids.
pub trait HiddenData<State> {
    /// Saves the hidden data of a state and returns its number.
    fn save(&self, state: &mut State) -> u32;

    /// Restores the hidden data of a state that was just decoded.
    fn restore(&self, data: u32, state: &mut State);
}

/// What a system counts while it is used. A search with several workers has a system for each; what they count
/// is added to the system of the search, for those steps that it keeps, in the order of the search.
pub trait Statistics<State> {
    /// Takes what was counted since the last call, by the system and for a state.
    fn take(&self, state: &mut State) -> Counted;

    /// Adds what another system of the same kind has counted after this one.
    fn add(&self, counted: Counted);

    /// Appends what was counted so far, by the system and for a state. Returns false if that is void.
    fn write(&self, state: &State, out: &mut Vec<u64>) -> bool;

    /// Reads what a system of the same kind has written from the first words. `None` if it has written
    /// something else.
    fn read(&self, words: &mut &[u64]) -> Option<Counted>;
}

/// What a [system has counted](Statistics), in a form of its own.
pub type Counted = Box<dyn Any + Send + Sync>;

/// Successors of states, thread by thread, without firing steps. This is an optimisation: all its results
/// follow from [`TransitionSystem::steps`] and [`TransitionSystem::fire`].
pub trait SuccessorCache<State> {
    /// The threads whose steps together are the steps of `state`; empty if [`TransitionSystem::steps`] must
    /// be used.
    fn threads(&self, state: &mut State) -> Range<u32>;

    /// Visits the successors of a thread that are not transient, in the order of its steps: the first step to
    /// each, and what the steps to it write. Returns false if these are not all: some step faults, moves with
    /// a fault, or is exceptional in another way. Then use [`SuccessorCache::thread_steps`].
    fn successors(&self, state: &mut State, thread: u32, visit: impl FnMut(Step, Effect<'_>)) -> bool;

    /// Whether states are encoded under other names, so that what changes in encodings is not what steps write. Then
    /// [`SuccessorCache::encoded_successors`] must be used.
    fn renames(&self) -> bool {
        false
    }

    /// Like [`SuccessorCache::successors`], but visits encodings, each written to `into`.
    fn encoded_successors(
        &self,
        _state: &mut State,
        _thread: u32,
        _into: &mut Encoding,
        _visit: impl FnMut(Step, &mut Encoding),
    ) -> bool {
        false
    }

    /// Moves to a successor that [`SuccessorCache::successors`] visited: among the successors by `step`, the
    /// one with this number, from 0 on. Returns false if it is not cached any more. The steps after the first
    /// one are appended to `later`; each of them must be undone separately.
    fn apply(&self, state: &mut State, step: Step, number: usize, later: &mut Vec<Step>) -> bool;

    /// Adds the steps of one thread to `out`, if the thread exists.
    fn thread_steps(&self, state: &mut State, thread: u32, out: &mut Steps);

    /// Whether there are state properties. If not, [`TransitionSystem::check`] succeeds in every state except
    /// possibly the initial one.
    fn has_state_properties(&self) -> bool;
}

/// The successor cache of systems that have none.
pub enum NoCache {}

impl<State> SuccessorCache<State> for NoCache {
    fn threads(&self, _: &mut State) -> Range<u32> {
        match *self {}
    }

    fn successors(&self, _: &mut State, _: u32, _: impl FnMut(Step, Effect<'_>)) -> bool {
        match *self {}
    }

    fn apply(&self, _: &mut State, _: Step, _: usize, _: &mut Vec<Step>) -> bool {
        match *self {}
    }

    fn thread_steps(&self, _: &mut State, _: u32, _: &mut Steps) {
        match *self {}
    }

    fn has_state_properties(&self) -> bool {
        match *self {}
    }
}

/// What searches for violations of temporal properties need in addition.
pub trait Temporal: TransitionSystem {
    /// The propositions of the checked temporal property that hold in `state`, one bit each. If the
    /// evaluation of a proposition faults or exceeds a bound, the proposition has no value, and neither has
    /// the state. Leaves the state unchanged.
    fn valuation(&self, _state: &mut Self::State) -> Result<u64, Halt> {
        Ok(0)
    }

    /// Whether temporal properties observe `state`. They do not inside an uninterruptible block, whether the
    /// state is stored or transient; there the automaton of the property stays in its state.
    fn is_observed(&self, state: &Self::State) -> bool {
        !self.is_transient(state)
    }

    /// Another thread that takes part in an enabled step of `state`, such as the receiver in a rendezvous.
    /// For fairness, both threads move.
    fn partner(&self, _state: &mut Self::State, _step: Step) -> Option<u32> {
        None
    }

    /// Replaces `out` by all steps of `state`, if [`TransitionSystem::steps`] may offer only some of them;
    /// otherwise returns false and does not change `out`. Fairness concerns the enabled threads, whether
    /// their steps are explored or not.
    fn all_steps(&self, _state: &mut Self::State, _out: &mut Steps) -> bool {
        false
    }

    /// Replaces `out` by the names of the threads of `state` in its encoding, by thread id, with `u32::MAX`
    /// for ids without a running thread. Returns whether names may change from step to step. If not, threads
    /// are named by their ids.
    fn thread_names(&self, state: &mut Self::State, out: &mut Vec<u32>) -> bool;

    /// Identifies the state itself, not only its encoding: equal for equal states, and different for states
    /// that differ only in names. `None` if states with equal encodings are equal.
    fn identity(&self, _state: &mut Self::State) -> Option<Vec<u64>> {
        None
    }
}

/// Whether there is memory for a few hundred more steps, see [`Limits::has_room`].
pub fn has_room<S: TransitionSystem + ?Sized>(system: &S, state: &mut S::State) -> bool {
    system.limits().is_none_or(|limits| limits.has_room(state))
}

/// Whether a search must start again, see [`Limits::is_void`].
pub fn is_void<S: TransitionSystem + ?Sized>(system: &S) -> bool {
    system.limits().is_some_and(Limits::is_void)
}

/// Whether a computation in `state` was stopped, see [`Limits::is_abandoned`].
pub fn is_abandoned<S: TransitionSystem + ?Sized>(system: &S, state: &S::State) -> bool {
    system.limits().is_some_and(|limits| limits.is_abandoned(state))
}

/// The number of the hidden data of `state`; 0 if the system has no hidden data.
pub fn save_hidden<S: TransitionSystem + ?Sized>(system: &S, state: &mut S::State) -> u32 {
    system.hidden_data().map_or(0, |hidden| hidden.save(state))
}

/// The inverse of [`save_hidden`], for a state that was just decoded.
pub fn restore_hidden<S: TransitionSystem + ?Sized>(system: &S, data: u32, state: &mut S::State) {
    if let Some(hidden) = system.hidden_data() {
        hidden.restore(data, state);
    }
}
