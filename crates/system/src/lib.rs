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

pub use alarm::{Alarm, Fuel, has_room_for_stack};
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
    Flawed(Fault),
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
/// Laws, checked by the tests of every implementation:
/// - `fire` then `undo` restores the state bit for bit; calls nest like brackets.
/// - `steps`, `check` and `valuation` leave the state as it was.
/// - Everything is a function of the state alone: two states with equal encodings have equal steps with
///   equal outcomes.
/// - `decode` of what `encode` wrote gives a state that is the same but for names that nobody can observe.
pub trait TransitionSystem {
    type State;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Replaces `out` by the steps of `state`.
    fn steps(&self, state: &mut Self::State, out: &mut Steps);

    /// The same, except that of the steps that a symmetry of `state` maps to each other one may stand for others: it is listed as
    /// many times as there are steps, one after the other. All of them end alike, in states with equal encodings or with equal
    /// faults.
    fn folded_steps(&self, state: &mut Self::State, out: &mut Steps) {
        self.steps(state, out);
    }

    /// Fires an enabled step of `state`.
    fn fire(&self, state: &mut Self::State, step: Step) -> Fired;

    /// Another thread that takes part in an enabled step of `state`, such as the receiver in a rendezvous. Under fairness, both
    /// have moved.
    fn partner(&self, _state: &mut Self::State, _step: Step) -> Option<u32> {
        None
    }

    /// All steps of `state`, where [`TransitionSystem::steps`] may offer only some of them. Returns whether that is so; if not, `out`
    /// stays what it was. Under fairness it matters who is enabled, whoever is let in.
    fn all_steps(&self, _state: &mut Self::State, _out: &mut Steps) -> bool {
        false
    }

    /// Replaces `out` by what the threads of `state` are called in its encoding, by id, and `u32::MAX` where there is none. Returns
    /// whether they have names at all; if not, they are called by their ids, and keep them from step to step.
    fn thread_names(&self, _state: &mut Self::State, _out: &mut Vec<u32>) -> bool {
        false
    }

    /// The state as it is, whatever it is called: equal for equal states, and different for states that differ in names only.
    /// `None` if states with equal encodings are equal.
    fn identity(&self, _state: &mut Self::State) -> Option<Vec<u64>> {
        None
    }

    /// Whether `state` is the middle of something that nobody else interrupts, and has steps or faults. Searches go on from there
    /// at once, without storing or counting it.
    fn is_transient(&self, _state: &Self::State) -> bool {
        false
    }

    /// Takes back the last step that led to a successor and was not taken back yet.
    fn undo(&self, state: &mut Self::State);

    /// Makes sure that there is memory for a few hundred steps more, and for taking them back. If not, or if there ever was too
    /// little for a step, the search must end here, and may not claim to have seen everything.
    fn has_room(&self, _state: &mut Self::State) -> bool {
        true
    }

    /// Has what takes long in `state` abandoned once `alarm` is due: finding its steps, firing one,
    /// evaluating a condition. States that are made by [`TransitionSystem::initial`] heed none.
    fn heed(&self, _state: &mut Self::State, _alarm: &Arc<Alarm>) {}

    /// Whether anything was abandoned in `state`. Then the search must end here, and may not claim to have
    /// seen everything.
    fn is_abandoned(&self, _state: &Self::State) -> bool {
        false
    }

    /// Whether `state` has all state properties. If not, the first one that is violated counts; if none is,
    /// the first one whose evaluation exceeds a bound.
    fn check(&self, state: &mut Self::State) -> Result<(), Halt>;

    /// Whether there are state properties: if not, [`TransitionSystem::check`] finds nothing, except in the initial state.
    fn checks(&self) -> bool {
        true
    }

    /// Whether temporal properties see `state`: not if it is the middle of something, be it stored or transient. A property's
    /// automaton stays where it is then.
    fn is_observed(&self, state: &Self::State) -> bool {
        !self.is_transient(state)
    }

    /// Which propositions of the temporal property that is checked hold in `state`, a bit each. A proposition
    /// whose evaluation faults or exceeds a bound has no value, and neither has the state. Like `check` it
    /// leaves the state as it was.
    fn valuation(&self, _state: &mut Self::State) -> Result<u64, Halt> {
        Ok(0)
    }

    /// Whether a state without steps is a proper end, rather than a deadlock.
    fn ended(&self, state: &Self::State) -> bool;

    /// Brings `into` up to date with `state`. `into` must be the encoding that this state was last encoded
    /// into or decoded from (or a new one for a new state), so that only what changed is written.
    fn encode(&self, state: &mut Self::State, into: &mut Encoding);

    /// Replaces `state` by the one that `from` describes, with nothing to undo.
    fn decode(&self, from: &Encoding, state: &mut Self::State);

    /// The threads whose steps are all steps of `state` and can be had one by one, see [`TransitionSystem::turn`]: none if there is more
    /// to its steps than what its threads do.
    fn turns(&self, _state: &mut Self::State) -> Range<u32> {
        0..0
    }

    /// Tells what a thread can do, in the order of its steps: each way to a state that is not transient, with its first step
    /// and with what it writes. Returns whether that is all there is to say; if not, some step ends in a fault, is flawed, or
    /// is out of the ordinary in another way.
    fn turn(&self, _state: &mut Self::State, _thread: u32, _visit: impl FnMut(Step, Effect<'_>)) -> bool {
        false
    }

    /// Takes a step of which [`TransitionSystem::turn`] told, if that is remembered; otherwise nothing happens. Of the ways
    /// that it leads it is the one with this number, from 0 on, up to a state that is not transient: `later` gets the steps
    /// after the first one, each of which is to be undone for itself.
    fn retake(&self, _state: &mut Self::State, _step: Step, _number: usize, _later: &mut Vec<Step>) -> bool {
        false
    }

    /// Adds the steps of one thread, if there is such a thread, where nobody else keeps it from moving.
    fn steps_of(&self, _state: &mut Self::State, _thread: u32, _out: &mut Steps) {}

    /// Whether searches that decode states must keep a memo of each.
    fn has_memos(&self) -> bool {
        false
    }

    /// What there is to know of a state besides its encoding: a number of the system's own. Names that break ties by the ids of
    /// threads need it, since an encoding does not tell the ids.
    fn memo(&self, _state: &mut Self::State) -> u32 {
        0
    }

    /// Gives a state that was just decoded what its memo tells.
    fn recall(&self, _memo: u32, _state: &mut Self::State) {}

    /// The steps of a run from the initial state that goes the way of `chain`: encodings and memos of the initial
    /// state and of successors, where each is that of a successor of the state decoded from the one before. If `last`
    /// is given, the step is one of the state decoded from the end of the chain, and the run ends with a step to the
    /// same fault.
    ///
    /// Systems whose states decode to themselves need not do anything about it.
    fn retrace(&self, chain: &[(Encoding, u32)], last: Option<(Step, Fault)>) -> Vec<Step> {
        retrace::retrace(self, chain, last)
    }
}
