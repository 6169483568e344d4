//! Monitors: they see every message and judge what clients observe.
//!
//! | monitor                    | keeps                                                | states    |
//! |----------------------------|------------------------------------------------------|-----------|
//! | [`Linearizable`]           | what the object and the open calls may have become   | few       |
//! | [`LinearizableHistory`]    | all calls, and which came before which               | many      |
//! | [`SequentiallyConsistent`] | all calls of each client, in their order             | many      |
//!
//! A monitor sees what arrives, and not what a client makes of it. An answer that arrives twice, as it may in a duplicating
//! network, is an answer without a call to the monitor, and is reported. With [`NoOps::Ignore`](crate::NoOps::Ignore) a
//! delivery that a client does not react to does not happen.
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
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// use quotient_actors::monitor::Monitor;
/// use quotient_model::Kind;
///
/// /// At most this number of messages is sent.
/// #[derive(Clone)]
/// struct AtMost(u8);
///
/// impl<M> Monitor<M> for AtMost {
///     type State = u8;
///     fn initial(&self) -> u8 { 0 }
///     fn on_send(&self, sent: &mut u8, _: Addr, _: Addr, _: &M) { *sent += 1; }
///     fn on_deliver(&self, _: &mut u8, _: Addr, _: Addr, _: &M) {}
///     fn name(&self) -> Option<&'static str> { Some("few messages") }
///     fn is_consistent(&self, sent: &u8) -> bool { *sent <= self.0 }
///     fn is_within(&self, sent: &u8) -> bool { *sent < 100 }
/// }
///
/// nodes(2).monitor(AtMost(2)).program().check().assert_holds();
/// nodes(2).monitor(AtMost(1)).program().check().assert_violates(Kind::Invariant);
/// ```
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
///
/// ```
/// use quotient_actors::monitor::{Calls, Queue, QueueOp, QueueRet};
/// enum Job { Submit(u8), Submitted, Next, Do(Option<u8>) }
/// impl Calls<Queue<u8>> for Job {
///     fn call(&self) -> Option<QueueOp<u8>> {
///         match self {
///             Self::Submit(job) => Some(QueueOp::Add(*job)),
///             Self::Next => Some(QueueOp::Take),
///             Self::Submitted | Self::Do(_) => None,
///         }
///     }
///     fn answer(&self) -> Option<QueueRet<u8>> {
///         match self {
///             Self::Submitted => Some(QueueRet::Added),
///             Self::Do(job) => Some(QueueRet::Taken(*job)),
///             Self::Submit(_) | Self::Next => None,
///         }
///     }
/// }
/// assert!(Job::Submit(1).answer().is_none() && Job::Submitted.call().is_none());
/// assert_eq!((Job::Next.call(), Job::Do(None).answer()), (Some(QueueOp::Take), Some(QueueRet::Taken(None))));
/// ```
pub trait Calls<S: Sequential> {
    /// The operation that the sender begins by sending this.
    fn call(&self) -> Option<S::Op>;
    /// The result with which an operation of the receiver ends when this arrives.
    fn answer(&self) -> Option<S::Ret>;
}

/// What clients observe is linearizable (Herlihy and Wing, 1990): each call takes effect at one moment between
/// its begin and its end. The object is given as it is at first.
///
/// ```
/// # use quotient_actors::register::{Client, Msg, Role};
/// # use quotient_actors::{Actor, Addr, Choice, Draft, Never, NoOps, Out, System};
/// # /// Keeps a value for clients.
/// # struct Copy;
/// # impl Actor for Copy {
/// #     type State = u8;
/// #     type Msg = Msg<u8, ()>;
/// #     type Timer = Never;
/// #     type Random = Never;
/// #     type Storage = Never;
/// #     fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> u8 { 0 }
/// #     fn on_msg(&self, _: Addr, value: &mut Draft<'_, u8>, from: Addr, msg: &Msg<u8, ()>, out: &mut Out<Self>) {
/// #         match *msg {
/// #             Msg::Put(request, new) => {
/// #                 value.set(new);
/// #                 out.send(from, Msg::PutOk(request));
/// #             }
/// #             Msg::Get(request) => out.send(from, Msg::GetOk(request, **value)),
/// #             _ => {}
/// #         }
/// #     }
/// # }
/// # /// Two clients, each of which writes and reads, and some servers that know nothing of each other.
/// # fn register(copies: usize) -> System<Role<Copy, u8>> {
/// #     let servers = System::new().noops(NoOps::Ignore).pinned("server", copies, |_| Choice::R(Copy));
/// #     servers.pinned("client", 2, |place| {
/// #         let mut servers = place.in_order("server");
/// #         let first = place.number() % servers.len();
/// #         servers.rotate_left(first);
/// #         Choice::L(Client::new(servers, [place.number() as u8 + 1]))
/// #     })
/// # }
/// use quotient_actors::monitor::{Linearizable, Register};
/// use quotient_model::Kind;
/// assert_eq!(register(1).monitor(Linearizable(Register(0))).program().check().assert_holds().states, 67);
/// register(2).monitor(Linearizable(Register(0))).program().check().assert_violates(Kind::Invariant);
/// ```
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
///
/// ```
/// # use quotient_actors::register::{Client, Msg, Role};
/// # use quotient_actors::{Actor, Addr, Choice, Draft, Never, NoOps, Out, System};
/// # /// Keeps a value for clients.
/// # struct Copy;
/// # impl Actor for Copy {
/// #     type State = u8;
/// #     type Msg = Msg<u8, ()>;
/// #     type Timer = Never;
/// #     type Random = Never;
/// #     type Storage = Never;
/// #     fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> u8 { 0 }
/// #     fn on_msg(&self, _: Addr, value: &mut Draft<'_, u8>, from: Addr, msg: &Msg<u8, ()>, out: &mut Out<Self>) {
/// #         match *msg {
/// #             Msg::Put(request, new) => {
/// #                 value.set(new);
/// #                 out.send(from, Msg::PutOk(request));
/// #             }
/// #             Msg::Get(request) => out.send(from, Msg::GetOk(request, **value)),
/// #             _ => {}
/// #         }
/// #     }
/// # }
/// # /// Two clients, each of which writes and reads, and some servers that know nothing of each other.
/// # fn register(copies: usize) -> System<Role<Copy, u8>> {
/// #     let servers = System::new().noops(NoOps::Ignore).pinned("server", copies, |_| Choice::R(Copy));
/// #     servers.pinned("client", 2, |place| {
/// #         let mut servers = place.in_order("server");
/// #         let first = place.number() % servers.len();
/// #         servers.rotate_left(first);
/// #         Choice::L(Client::new(servers, [place.number() as u8 + 1]))
/// #     })
/// # }
/// use quotient_actors::monitor::{LinearizableHistory, Register};
/// let system = register(1).monitor(LinearizableHistory(Register(0)));
/// assert_eq!(system.program().check().assert_holds().states, 93);
/// ```
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
///
/// ```
/// # use quotient_actors::register::{Client, Msg, Role};
/// # use quotient_actors::{Actor, Addr, Choice, Draft, Never, NoOps, Out, System};
/// # /// Keeps a value for clients.
/// # struct Copy;
/// # impl Actor for Copy {
/// #     type State = u8;
/// #     type Msg = Msg<u8, ()>;
/// #     type Timer = Never;
/// #     type Random = Never;
/// #     type Storage = Never;
/// #     fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> u8 { 0 }
/// #     fn on_msg(&self, _: Addr, value: &mut Draft<'_, u8>, from: Addr, msg: &Msg<u8, ()>, out: &mut Out<Self>) {
/// #         match *msg {
/// #             Msg::Put(request, new) => {
/// #                 value.set(new);
/// #                 out.send(from, Msg::PutOk(request));
/// #             }
/// #             Msg::Get(request) => out.send(from, Msg::GetOk(request, **value)),
/// #             _ => {}
/// #         }
/// #     }
/// # }
/// # /// Two clients, each of which writes and reads, and some servers that know nothing of each other.
/// # fn register(copies: usize) -> System<Role<Copy, u8>> {
/// #     let servers = System::new().noops(NoOps::Ignore).pinned("server", copies, |_| Choice::R(Copy));
/// #     servers.pinned("client", 2, |place| {
/// #         let mut servers = place.in_order("server");
/// #         let first = place.number() % servers.len();
/// #         servers.rotate_left(first);
/// #         Choice::L(Client::new(servers, [place.number() as u8 + 1]))
/// #     })
/// # }
/// use quotient_actors::monitor::{Register, SequentiallyConsistent};
/// use quotient_model::Kind;
/// let monitor = SequentiallyConsistent { initial: Register(0), calls: 4 };
/// register(1).monitor(monitor.clone()).program().check().assert_holds();
/// register(2).monitor(monitor).program().check().assert_violates(Kind::Invariant);
/// ```
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
