//! The seam between models and algorithms.
//!
//! A [`TransitionSystem`] offers the steps that a state enables, fires one, and takes it back. Searches know
//! nothing else about a model; models know nothing about searches. What goes into a visited set is an
//! [`Encoding`]: components of words, of which neither the search nor the store knows the meaning.
//!
//! Absent here, on purpose: variables, heaps, threads as anything but numbers, source positions.

mod alarm;
mod encoding;
mod fault;
mod retrace;
pub mod toy;

use std::ops::Range;
use std::sync::Arc;

pub use alarm::{Alarm, Fuel};
pub use encoding::{Encoding, Key, Moment, Section};
pub use fault::{Bound, Fault, FaultKind, Halt};
pub use retrace::{step_to_fault, steps_to};

/// One dynamic step: which thread takes which static transition, and how the choices inside the transition
/// are resolved. It is what a trail records and all that a replay needs.
///
/// `choice` numbers the resolutions of the choice points that the transition meets, in mixed radix with the
/// first point as the least digit: with `k0`, `k1`, … alternatives at the points in the order met, it is
/// `d0 + k0 * (d1 + k1 * (…))`. A transition without choice points has the one choice 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    pub thread: u32,
    pub transition: u32,
    pub choice: u32,
}

/// The steps of one state.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    /// Steps that can be fired, in the order in which a search tries them.
    pub enabled: Vec<Step>,
    /// Steps whose guard cannot be evaluated. A faulting guard is an error, not a guard that is false.
    pub faults: Vec<(Step, Fault)>,
    /// Some step is missing, since an [alarm](Alarm) rang while it was looked for.
    pub is_abandoned: bool,
}

impl Steps {
    pub fn clear(&mut self) {
        self.enabled.clear();
        self.faults.clear();
        self.is_abandoned = false;
    }

    /// Nobody can move, and nobody tried and failed.
    pub fn is_empty(&self) -> bool {
        self.enabled.is_empty() && self.faults.is_empty() && !self.is_abandoned
    }
}

/// A change of some bits of a word of an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Write {
    pub key: Key,
    /// Its place in the component, or [`Write::LENGTH`].
    pub word: u32,
    pub mask: u64,
    /// What the bits of the mask become, but for those that are copied.
    pub bits: u64,
    /// Bits of the mask that become what was so many places above them in the same word.
    pub copied: u64,
    pub shift: u32,
}

impl Write {
    /// The word after the write, which was `old`.
    #[inline]
    pub const fn apply(&self, old: u64) -> u64 {
        old & !self.mask | self.bits | old >> self.shift & self.copied
    }

    /// Instead of a word: the length of the component, as one more than it is, or 0 if the component is not there. A component
    /// that comes gets its length before its words; one that goes loses it after them, which become 0.
    pub const LENGTH: u32 = u32::MAX;
}

/// What a step writes.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a> {
    /// Two effects with the same number are the same, whoever tells them. The upper half is a generation: when another one comes,
    /// those before are over.
    pub number: u64,
    pub writes: &'a [Write],
}

/// What became of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fired {
    /// The state is the successor; [`TransitionSystem::undo`] takes it back.
    Moved,
    /// The step violates a rule and leads on all the same: the state is the successor, as for `Moved`.
    MovedWithFault(Fault),
    /// The step violates a rule. The state is as it was before: there is nothing to undo.
    Fault(Fault),
    /// The successor lies outside of a bound of the exploration. The state is as it was before.
    Truncated(Bound),
    /// An [alarm](Alarm) rang in the middle of the step: nothing is known about it. The state is as it was
    /// before.
    Abandoned,
}

/// A model as the searches see it.
///
/// Eight functions are required. The others have defaults: three are about the steps themselves, three give access to what only
/// some systems have, and what temporal properties need is in [`Temporal`].
///
/// Laws, checked by the tests of every implementation:
/// - `fire` then `undo` restores the state bit for bit; calls nest like brackets.
/// - `steps` and `check` leave the state as it was.
/// - Everything is a function of the state alone: two states with equal encodings have equal steps with
///   equal outcomes.
/// - `decode` of what `encode` wrote gives a state that is the same but for names that cannot be observed.
pub trait TransitionSystem {
    type State;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Replaces `out` by the steps of `state`.
    fn steps(&self, state: &mut Self::State, out: &mut Steps);

    /// Fires an enabled step of `state`.
    fn fire(&self, state: &mut Self::State, step: Step) -> Fired;

    /// Takes back the last step that led to a successor and was not taken back yet.
    fn undo(&self, state: &mut Self::State);

    /// Whether `state` has all state properties. If not, the first violated property is the error; if none is violated,
    /// the first one whose evaluation exceeds a bound.
    fn check(&self, state: &mut Self::State) -> Result<(), Halt>;

    /// Whether a state without steps is a proper end, rather than a deadlock.
    fn ended(&self, state: &Self::State) -> bool;

    /// Brings `into` up to date with `state`. `into` must be the encoding that this state was last encoded
    /// into or decoded from (or a new one for a new state), so that only what changed is written.
    fn encode(&self, state: &mut Self::State, into: &mut Encoding);

    /// Replaces `state` by the state that `from` describes, with nothing to undo.
    fn decode(&self, from: &Encoding, state: &mut Self::State);

    /// Like [`TransitionSystem::steps`], except that one of several steps that a symmetry of `state` maps to each other may stand
    /// for all of them: it is listed as many times as there are such steps, in a row. All of them end alike, in states
    /// with equal encodings or with equal faults.
    fn folded_steps(&self, state: &mut Self::State, out: &mut Steps) {
        self.steps(state, out);
    }

    /// Whether `state` is in the middle of a block that no other thread interrupts, and has steps or faults. Searches go on from
    /// there at once, without storing or counting it.
    fn is_transient(&self, _state: &Self::State) -> bool {
        false
    }

    /// The steps of a run from the initial state along `chain`: encodings and hidden data of the initial
    /// state and of successors, where each is that of a successor of the state decoded from the one before. If `last`
    /// is given, its step is one of the state decoded from the end of the chain, and the run ends with a step to the
    /// same fault.
    ///
    /// The default is for systems whose states decode to themselves.
    fn retrace(&self, chain: &[(Encoding, u32)], last: Option<(Step, Fault)>) -> Vec<Step> {
        retrace::retrace(self, chain, last)
    }

    /// What keeps limits on memory and time inside of a step, if steps may take much of either.
    fn limits(&self) -> Option<&dyn Limits<Self::State>> {
        None
    }

    /// Data of states that encodings do not show, if there is any.
    fn hidden_data(&self) -> Option<&dyn HiddenData<Self::State>> {
        None
    }

    /// Successors that are remembered instead of computed, if the system remembers any.
    fn successor_cache(&self) -> Option<&dyn SuccessorCache<Self::State>> {
        None
    }
}

/// Limits on memory and time that hold inside of a step too.
pub trait Limits<State> {
    /// Makes sure that there is memory for a few hundred steps more, and for taking them back. If not, or if there ever was too
    /// little for a step, the search must end here, and may not claim to have seen everything.
    fn has_room(&self, state: &mut State) -> bool;

    /// Makes long computations in `state` stop once `alarm` is due: finding its steps, firing one,
    /// evaluating a condition. A state made by [`TransitionSystem::initial`] heeds no alarm.
    fn heed(&self, state: &mut State, alarm: &Arc<Alarm>);

    /// Whether a computation in `state` was stopped. Then the search must end here, and may not claim to have
    /// seen everything.
    fn is_abandoned(&self, state: &State) -> bool;
}

/// Data of a state that its encoding does not show, under a number of the system's own. A search that decodes states keeps the
/// number of each. Names that break ties by the ids of threads need it, since an encoding does not tell the ids.
pub trait HiddenData<State> {
    /// The number of the hidden data of a state.
    fn save(&self, state: &mut State) -> u32;

    /// Gives a state that was just decoded its hidden data.
    fn restore(&self, data: u32, state: &mut State);
}

/// Successors of states, thread by thread, without firing steps. An optimisation: everything it tells follows from
/// [`TransitionSystem::steps`] and [`TransitionSystem::fire`].
pub trait SuccessorCache<State> {
    /// The threads whose steps are all the steps of `state`; empty if [`TransitionSystem::steps`] must be used.
    fn threads(&self, state: &mut State) -> Range<u32>;

    /// Visits the successors of a thread that are not transient, in the order of its steps: the first step to each, and what
    /// the steps to it write. Returns false if that is not all: some step ends in a fault, is flawed, or is out of the ordinary
    /// in another way. Then [`SuccessorCache::thread_steps`] is to be used.
    fn successors(&self, state: &mut State, thread: u32, visit: &mut dyn FnMut(Step, Effect<'_>)) -> bool;

    /// Moves to a successor that [`SuccessorCache::successors`] visited, if it is still remembered; otherwise returns false. Of
    /// the successors by `step` it is the one with this number, from 0 on. The steps after the first one are
    /// appended to `later`; each of them must be undone separately.
    fn apply(&self, state: &mut State, step: Step, number: usize, later: &mut Vec<Step>) -> bool;

    /// Adds the steps of one thread to `out`, if there is such a thread.
    fn thread_steps(&self, state: &mut State, thread: u32, out: &mut Steps);

    /// Whether there are state properties: if not, [`TransitionSystem::check`] finds nothing, except in the initial state.
    fn has_state_properties(&self) -> bool;
}

/// What searches for runs that violate temporal properties need of a system besides.
pub trait Temporal: TransitionSystem {
    /// Which propositions of the temporal property that is checked hold in `state`, a bit each. A proposition
    /// whose evaluation faults or exceeds a bound has no value, and neither has the state. Leaves the state as it was.
    fn valuation(&self, _state: &mut Self::State) -> Result<u64, Halt> {
        Ok(0)
    }

    /// Whether temporal properties see `state`: not in the middle of a block, be the state stored or transient. The automaton
    /// of the property stays where it is then.
    fn is_observed(&self, state: &Self::State) -> bool {
        !self.is_transient(state)
    }

    /// Another thread that takes part in an enabled step of `state`, such as the receiver in a rendezvous. Under fairness, both
    /// have moved.
    fn partner(&self, _state: &mut Self::State, _step: Step) -> Option<u32> {
        None
    }

    /// Replaces `out` by all steps of `state`, if [`TransitionSystem::steps`] may offer only some of them; otherwise returns false and
    /// leaves `out` alone. Fairness is about the threads that are enabled, whether their steps are explored or not.
    fn all_steps(&self, _state: &mut Self::State, _out: &mut Steps) -> bool {
        false
    }

    /// Replaces `out` by the names of the threads of `state` in its encoding, by id, and `u32::MAX` for those that ended. Returns
    /// false if threads have no names: then they are known by their ids, and keep them from step to step.
    fn thread_names(&self, _state: &mut Self::State, _out: &mut Vec<u32>) -> bool {
        false
    }

    /// The state as it is, whatever its names: equal for equal states, and different for states that differ in names only.
    /// `None` if states with equal encodings are equal.
    fn identity(&self, _state: &mut Self::State) -> Option<Vec<u64>> {
        None
    }
}

/// Whether there is memory for a few hundred steps more, see [`Limits::has_room`].
pub fn has_room<S: TransitionSystem + ?Sized>(system: &S, state: &mut S::State) -> bool {
    system.limits().is_none_or(|limits| limits.has_room(state))
}

/// Whether a computation in `state` was stopped, see [`Limits::is_abandoned`].
pub fn is_abandoned<S: TransitionSystem + ?Sized>(system: &S, state: &S::State) -> bool {
    system.limits().is_some_and(|limits| limits.is_abandoned(state))
}

/// The number of the hidden data of `state`, if the system has hidden data; otherwise 0.
pub fn save_hidden<S: TransitionSystem + ?Sized>(system: &S, state: &mut S::State) -> u32 {
    system.hidden_data().map_or(0, |hidden| hidden.save(state))
}

/// The inverse of [`save_hidden`], for a state that was just decoded.
pub fn restore_hidden<S: TransitionSystem + ?Sized>(system: &S, data: u32, state: &mut S::State) {
    if let Some(hidden) = system.hidden_data() {
        hidden.restore(data, state);
    }
}
