//! Monitors: they see every message and judge what clients observe.
//!
//! | monitor                    | keeps                                                | states    |
//! |----------------------------|------------------------------------------------------|-----------|
//! | [`Linearizable`]           | what the object and the open calls may have become   | few       |
//! | [`LinearizableHistory`]    | all calls, and which came before which               | many      |
//! | [`SequentiallyConsistent`] | all calls of each client, in their order             | many      |
//!
//! The first two give the same verdict (a test compares them). What makes a call and what answers it is said by
//! the messages: [`Calls`].

mod history;
mod linearizability;
mod specification;

pub use history::History;
pub use linearizability::Linearizability;
pub use specification::{
    Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet, Sequential, Stack, StackOp, StackRet,
};

use quotient_model::Shape;

use crate::Addr;

/// Sees every message of a system, and keeps what it needs to judge them. What it keeps is part of the state.
pub trait Monitor<M>: Clone + 'static {
    /// What it keeps.
    type State: Shape;

    /// What it keeps before anything was sent.
    fn initial(&self) -> Self::State;

    /// A message is sent.
    fn on_send(&self, _seen: &mut Self::State, _from: Addr, _to: Addr, _msg: &M) {}

    /// A message arrives.
    fn on_deliver(&self, _seen: &mut Self::State, _from: Addr, _to: Addr, _msg: &M) {}

    /// The name of the invariant that it judges, if it judges any.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// Whether what it saw is as it should be.
    fn is_consistent(&self, _seen: &Self::State) -> bool {
        true
    }

    /// Whether it can judge what it saw. States in which it cannot are not explored, and the verdict says so.
    fn is_within(&self, _seen: &Self::State) -> bool {
        true
    }
}

/// No monitor.
impl<M> Monitor<M> for () {
    type State = ();
    fn initial(&self) {}
}

/// Messages by which clients use an object of type `S`.
pub trait Calls<S: Sequential> {
    /// The operation that the sender begins by sending this.
    fn call(&self) -> Option<S::Op>;
    /// The result with which an operation of the receiver ends when this arrives.
    fn answer(&self) -> Option<S::Ret>;
}

/// What clients observe is linearizable (Herlihy and Wing, 1990): each call takes effect at one moment between
/// its begin and its end. The object is given as it is at first.
#[derive(Clone, Debug)]
pub struct Linearizable<S>(pub S);

impl<M: Calls<S>, S: Sequential> Monitor<M> for Linearizable<S> {
    type State = Linearizability<Addr, S>;

    fn initial(&self) -> Self::State {
        Linearizability::new(self.0.clone())
    }

    fn on_send(&self, seen: &mut Self::State, from: Addr, _: Addr, msg: &M) {
        msg.call().into_iter().for_each(|op| seen.invoke(from, op));
    }

    fn on_deliver(&self, seen: &mut Self::State, _: Addr, to: Addr, msg: &M) {
        msg.answer().into_iter().for_each(|ret| seen.returns(to, &ret));
    }

    fn name(&self) -> Option<&'static str> {
        Some("linearizable")
    }

    fn is_consistent(&self, seen: &Self::State) -> bool {
        seen.is_consistent()
    }
}

/// Like [`Linearizable`], with the whole history in the state: for comparison, and to show it.
#[derive(Clone, Debug)]
pub struct LinearizableHistory<S>(pub S);

impl<M: Calls<S>, S: Sequential> Monitor<M> for LinearizableHistory<S> {
    type State = History<Addr, S>;

    fn initial(&self) -> Self::State {
        History::in_real_time()
    }

    fn on_send(&self, seen: &mut Self::State, from: Addr, _: Addr, msg: &M) {
        msg.call().into_iter().for_each(|op| seen.invoke(from, op));
    }

    fn on_deliver(&self, seen: &mut Self::State, _: Addr, to: Addr, msg: &M) {
        msg.answer().into_iter().for_each(|ret| seen.returns(to, ret));
    }

    fn name(&self) -> Option<&'static str> {
        Some("linearizable")
    }

    fn is_consistent(&self, seen: &Self::State) -> bool {
        seen.is_consistent_with(&self.0)
    }
}

/// What clients observe is sequentially consistent (Lamport, 1979): it can be explained by all calls in some order
/// that keeps those of each client in theirs. No finite monitor can judge this in general, so the history is kept,
/// up to a number of calls.
#[derive(Clone, Debug)]
pub struct SequentiallyConsistent<S> {
    /// The object as it is at first.
    pub initial: S,
    /// States with more calls are not explored.
    pub calls: usize,
}

impl<M: Calls<S>, S: Sequential> Monitor<M> for SequentiallyConsistent<S> {
    type State = History<Addr, S>;

    fn initial(&self) -> Self::State {
        History::without_time()
    }

    fn on_send(&self, seen: &mut Self::State, from: Addr, _: Addr, msg: &M) {
        msg.call().into_iter().for_each(|op| seen.invoke(from, op));
    }

    fn on_deliver(&self, seen: &mut Self::State, _: Addr, to: Addr, msg: &M) {
        msg.answer().into_iter().for_each(|ret| seen.returns(to, ret));
    }

    fn name(&self) -> Option<&'static str> {
        Some("sequentially consistent")
    }

    fn is_consistent(&self, seen: &Self::State) -> bool {
        seen.is_consistent_with(&self.initial)
    }

    fn is_within(&self, seen: &Self::State) -> bool {
        seen.len() <= self.calls
    }
}
