//! A register on several servers, of which a minority may be slow: Attiya, Bar-Noy and Dolev, "Sharing memory
//! robustly in message-passing systems" (1995), with several writers.
//!
//! A server that a client asks is the coordinator of the operation. It asks a majority for their values with the
//! stamps under which these were written, chooses the value with the greatest stamp, or the new one with a greater
//! stamp, and answers when a majority stored it. Stamps are ordered by a number and by who wrote, so servers are
//! told apart.
//!
//! `cargo run --release -p quotient-actors --example abd -- 2 3 ordered monitor` checks two clients and three
//! servers: 985,072 states. With `history`, whole histories are kept: 1,212,979 states.

use quotient_actors::monitor::{Linearizable, LinearizableHistory, Monitor, Register};
use quotient_actors::register::{Client, Msg, Request, Role};
use quotient_actors::{Actor, Addr, Choice, Draft, Network, Never, NoOps, Out, System, majority};
use quotient_model::{Map, Set, Shape};

/// A value that clients write; 0 is there first.
pub type Value = u8;
/// When a value was written: a number, and the number of the server.
type Stamp = (u8, u8);

/// What servers tell each other.
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Internal {
    Query(Request),
    Reply(Request, Stamp, Value),
    Store(Request, Stamp, Value),
    Stored(Request),
}

/// An operation that a server coordinates.
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Phase {
    Asking { request: Request, client: Addr, write: Option<Value>, replies: Map<Addr, (Stamp, Value)> },
    Storing { request: Request, client: Addr, read: Option<Value>, stored: Set<Addr> },
}

#[derive(Clone, PartialEq, Debug, Shape)]
pub struct State {
    stamp: Stamp,
    value: Value,
    phase: Option<Phase>,
}

impl State {
    fn store(&mut self, stamp: Stamp, value: Value) {
        if stamp > self.stamp {
            (self.stamp, self.value) = (stamp, value);
        }
    }
}

pub struct Server {
    number: u8,
    peers: Set<Addr>,
    /// The fault to be found: waits for half of the servers only.
    waits_for_half: bool,
}

impl Server {
    fn quorum(&self) -> usize {
        majority(self.peers.len() + 1) - usize::from(self.waits_for_half)
    }

    /// A majority replied: the value to be stored is known.
    fn choose(&self, me: Addr, state: &mut State, out: &mut Out<Self>) {
        let Some(Phase::Asking { request, client, write, replies }) = state.phase.take() else { return };
        let (newest, value) = *replies.values().max_by_key(|(stamp, _)| *stamp).expect("a majority replied");
        let (stamp, read) = match write {
            Some(_) => ((newest.0 + 1, self.number), None),
            None => (newest, Some(value)),
        };
        let value = write.unwrap_or(value);
        out.broadcast(&self.peers, &Msg::Internal(Internal::Store(request, stamp, value)));
        state.store(stamp, value);
        state.phase = Some(Phase::Storing { request, client, read, stored: Set::from_iter([me]) });
    }
}

impl Actor for Server {
    type State = State;
    type Msg = Msg<Value, Internal>;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;

    fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> State {
        State { stamp: (0, self.number), value: 0, phase: None }
    }

    fn on_msg(
        &self,
        me: Addr,
        state: &mut Draft<'_, State>,
        from: Addr,
        msg: &Self::Msg,
        out: &mut Out<Self>,
    ) {
        let write = match *msg {
            Msg::Put(_, value) => Some(value),
            _ => None,
        };
        match *msg {
            Msg::Put(request, _) | Msg::Get(request) if state.phase.is_none() => {
                let replies = Map::from_iter([(me, (state.stamp, state.value))]);
                state.phase = Some(Phase::Asking { request, client: from, write, replies });
                out.broadcast(&self.peers, &Msg::Internal(Internal::Query(request)));
            }
            Msg::Internal(Internal::Query(request)) => {
                out.send(from, Msg::Internal(Internal::Reply(request, state.stamp, state.value)));
            }
            Msg::Internal(Internal::Reply(answered, stamp, value)) => {
                if !matches!(state.phase, Some(Phase::Asking { request, .. }) if request == answered) {
                    return;
                }
                let Some(Phase::Asking { replies, .. }) = &mut state.phase else { return };
                replies.insert(from, (stamp, value));
                if replies.len() == self.quorum() {
                    self.choose(me, state, out);
                }
            }
            Msg::Internal(Internal::Store(request, stamp, value)) => {
                out.send(from, Msg::Internal(Internal::Stored(request)));
                if stamp > state.stamp {
                    state.store(stamp, value);
                }
            }
            Msg::Internal(Internal::Stored(answered)) => {
                let is_new = matches!(&state.phase, Some(Phase::Storing { request, stored, .. })
                    if *request == answered && !stored.contains(&from));
                if !is_new {
                    return;
                }
                let Some(Phase::Storing { request, client, read, stored }) = &mut state.phase else { return };
                stored.insert(from);
                if stored.len() == self.quorum() {
                    let answer = read.map_or(Msg::PutOk(*request), |value| Msg::GetOk(*request, value));
                    out.send(*client, answer);
                    state.phase = None;
                }
            }
            _ => {}
        }
    }
}

/// Each client writes a value of its own, and then reads. Client i begins with server i.
pub fn system<W: Monitor<Msg<Value, Internal>>>(
    clients: usize,
    servers: usize,
    network: Network,
    waits_for_half: bool,
    monitor: W,
) -> System<Role<Server, Value>, W> {
    System::new()
        .pinned("server", servers, move |place| {
            let (number, peers) = (place.number() as u8, place.peers());
            Choice::R(Server { number, peers, waits_for_half })
        })
        .pinned("client", clients, |place| {
            let (mut servers, number) = (place.in_order("server"), place.number());
            let count = servers.len();
            servers.rotate_left(number % count);
            Choice::L(Client::new(servers, [number as Value + 1]))
        })
        .network(network)
        .noops(NoOps::Ignore)
        .monitor(monitor)
        .some_message("a value is read", |_, _, msg| matches!(msg, Msg::GetOk(_, value) if *value > 0))
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [clients, servers, network, judge] = &arguments[..] else {
        panic!("four arguments: clients, servers, the network, and `monitor` or `history`")
    };
    let [clients, servers] = [clients, servers].map(|text| text.parse().expect("a number"));
    let network = network.parse().expect("a network");
    let (states, transitions, verdict) = if judge == "history" {
        let system = system(clients, servers, network, false, LinearizableHistory(Register(0)));
        let report = system.program().check().run();
        (report.states, report.transitions, report.verdict.to_string())
    } else {
        let system = system(clients, servers, network, false, Linearizable(Register(0)));
        let report = system.program().check().run();
        (report.states, report.transitions, report.verdict.to_string())
    };
    println!("{states} states, {transitions} transitions, {verdict}");
}
