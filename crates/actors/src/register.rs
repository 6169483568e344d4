//! Clients of a register, and the messages by which they use it.
//!
//! A client writes some values one after the other, each to the next server, and then reads. It waits for each
//! answer. Its operations are numbered, so that it knows which one is answered.

use std::marker::PhantomData;

use quotient_model::{Seq, Shape};

use crate::monitor::{Calls, Register, RegisterOp, RegisterRet};
use crate::{Actor, Addr, Choice, Draft, Out};

/// The number of an operation of a client.
pub type Request = u8;

/// A message of a system that offers a register with values of type `V`, and whose servers send each other messages
/// of type `I`.
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
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Waiting {
    /// The operation that it waits for.
    pub awaiting: Option<Request>,
    /// The operations that it began.
    pub begun: Request,
}

/// A client or a server.
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
