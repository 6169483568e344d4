//! Clients of a register, and the messages by which they use it.
//!
//! A client writes some values one after the other, each to the next server, and then reads. It waits for each
//! answer. Its operations are numbered, so that it knows which one is answered.

use std::marker::PhantomData;

use quotient_model::{Seq, Shape};

use crate::monitor::{Calls, Register, RegisterOp, RegisterRet};
use crate::{Actor, Addr, Choice, Draft, Out};

/// The number of an operation of a client.
///
/// ```
/// use quotient_actors::register::{Msg, Request};
/// fn number(msg: &Msg<u8, ()>) -> Option<Request> {
///     match msg {
///         Msg::Internal(()) => None,
///         Msg::Put(request, _) | Msg::Get(request) | Msg::PutOk(request) | Msg::GetOk(request, _) => Some(*request),
///     }
/// }
/// assert_eq!(number(&Msg::Get(3)), Some(3));
/// ```
pub type Request = u8;

/// A message of a system that offers a register with values of type `V`, and whose servers send each other messages
/// of type `I`.
///
/// ```
/// use quotient_actors::monitor::{Calls, RegisterOp, RegisterRet};
/// use quotient_actors::register::Msg;
/// let (put, answer): (Msg<char, ()>, Msg<char, ()>) = (Msg::Put(1, 'a'), Msg::GetOk(2, 'b'));
/// assert_eq!((put.call(), put.answer()), (Some(RegisterOp::Write('a')), None));
/// assert_eq!((answer.call(), answer.answer()), (None, Some(RegisterRet::ReadOk('b'))));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Msg<V, I> {
    /// A message between servers.
    Internal(I),
    /// A client writes.
    Put(Request, V),
    /// A client reads.
    Get(Request),
    /// The answer to [`Msg::Put`].
    PutOk(Request),
    /// The answer to [`Msg::Get`].
    GetOk(Request, V),
}

impl<V: Shape + PartialEq, I> Calls<Register<V>> for Msg<V, I> {
    fn call(&self) -> Option<RegisterOp<V>> {
        match self {
            Self::Put(_, value) => Some(RegisterOp::Write(value.clone())),
            Self::Get(_) => Some(RegisterOp::Read),
            _ => None,
        }
    }

    fn answer(&self) -> Option<RegisterRet<V>> {
        match self {
            Self::PutOk(_) => Some(RegisterRet::WriteOk),
            Self::GetOk(_, value) => Some(RegisterRet::ReadOk(value.clone())),
            _ => None,
        }
    }
}

/// A client of servers of type `S`.
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
/// // Clients that write 1 and 2 and then read, and one server.
/// assert_eq!(register(1).program().check().assert_holds().states, 49);
/// ```
pub struct Client<S, V> {
    /// The servers, in the order in which they are asked. The first one comes after the last one.
    servers: Seq<Addr>,
    /// What it writes before it reads.
    puts: Seq<V>,
    of: PhantomData<fn() -> S>,
}

impl<S, V> Client<S, V> {
    /// A client that writes some values, and then reads once.
    pub fn new(servers: impl IntoIterator<Item = Addr>, puts: impl IntoIterator<Item = V>) -> Self {
        let (servers, puts) = (servers.into_iter().collect(), puts.into_iter().collect());
        Self { servers, puts, of: PhantomData }
    }
}

/// What a client knows.
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
/// // At first, each client waits for the answer to its first operation.
/// let program = register(1).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// let clients = first.actors.values().flatten().filter_map(|local| local.state.l());
/// assert!(clients.into_iter().all(|client| client.awaiting == Some(1) && client.begun == 1));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Waiting {
    /// The operation that it waits for.
    pub awaiting: Option<Request>,
    /// The operations that it began.
    pub begun: Request,
}

/// A client or a server.
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
/// let system: System<Role<Copy, u8>> = register(1);
/// let is_server = |role: &Choice<_, u8>| role.r().is_some();
/// system.invariant("one server", move |view| view.actors().filter(|(_, role)| is_server(role)).count() == 1)
///     .program()
///     .check()
///     .assert_holds();
/// ```
pub type Role<S, V> = Choice<Client<S, V>, S>;

impl<S, V, I> Client<S, V>
where
    S: Actor<Msg = Msg<V, I>>,
    V: Shape,
    I: Shape,
{
    /// Begins the next operation.
    fn begin(&self, begun: Request, out: &mut Out<Self>) -> Waiting {
        let server = self.servers[usize::from(begun) % self.servers.len()];
        let request = begun + 1;
        match self.puts.get(usize::from(begun)) {
            Some(value) => out.send(server, Msg::Put(request, value.clone())),
            None => out.send(server, Msg::Get(request)),
        }
        Waiting { awaiting: Some(request), begun: request }
    }
}

impl<S, V, I> Actor for Client<S, V>
where
    S: Actor<Msg = Msg<V, I>>,
    V: Shape,
    I: Shape,
{
    type State = Waiting;
    type Msg = S::Msg;
    type Timer = S::Timer;
    type Random = S::Random;
    type Storage = S::Storage;

    fn on_start(&self, _: Addr, _: Option<&S::Storage>, out: &mut Out<Self>) -> Waiting {
        self.begin(0, out)
    }

    fn on_msg(&self, _: Addr, state: &mut Draft<'_, Waiting>, _: Addr, msg: &Msg<V, I>, out: &mut Out<Self>) {
        match *msg {
            Msg::PutOk(request) if state.awaiting == Some(request) => {
                state.set(self.begin(state.begun, out));
            }
            Msg::GetOk(request, _) if state.awaiting == Some(request) => state.awaiting = None,
            _ => {}
        }
    }
}
