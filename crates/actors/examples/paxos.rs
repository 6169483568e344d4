//! Servers that agree on one value: Lamport, "Paxos made simple" (2001), each server being proposer, acceptor and
//! learner at once.
//!
//! A server that a client asks to write begins a ballot: it asks the others for promises to ignore older ballots,
//! and for what they accepted. With the promises of a majority it proposes what was accepted in the newest ballot,
//! or else the value of the client; what a majority accepts is decided. Ballots are ordered by a number and by
//! who began them, so servers are told apart.
//!
//! `cargo run --release -p quotient-actors --example paxos -- 2 3` checks two clients and three servers: 16,668 states.
//! Three clients: 1,194,428 states, 2,420,476 transitions, 17 MB.

use quotient_actors::monitor::{Linearizable, Monitor, Register};
use quotient_actors::register::{Client, Msg, Request, Role};
use quotient_actors::{Actor, Addr, Choice, Draft, Network, Never, NoOps, Out, System, majority};
use quotient_model::{Map, Set, Shape};

/// A value that clients write; 0 is none of them.
pub type Value = u8;
/// A number, and the number of the server that began the ballot.
pub type Ballot = (u8, u8);

/// What a client wants to be written.
#[derive(Clone, Copy, PartialEq, Debug, Shape)]
pub struct Proposal {
    request: Request,
    client: Addr,
    value: Value,
}

/// What servers tell each other.
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Internal {
    Prepare(Ballot),
    Promise(Ballot, Option<(Ballot, Proposal)>),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

#[derive(Clone, PartialEq, Debug, Shape)]
pub struct State {
    ballot: Ballot,
    accepted: Option<(Ballot, Proposal)>,
    is_decided: bool,
    /// Of the ballot that it leads.
    proposal: Option<Proposal>,
    promises: Map<Addr, Option<(Ballot, Proposal)>>,
    accepts: Set<Addr>,
}

pub struct Server {
    number: u8,
    peers: Set<Addr>,
    /// The fault to be found: what others accepted is not asked for.
    forgets_promises: bool,
}

impl Server {
    fn quorum(&self) -> usize {
        majority(self.peers.len() + 1)
    }
}

impl Actor for Server {
    type State = State;
    type Msg = Msg<Value, Internal>;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;

    fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> State {
        State {
            ballot: (0, 0),
            accepted: None,
            is_decided: false,
            proposal: None,
            promises: Map::new(),
            accepts: Set::new(),
        }
    }

    fn on_msg(
        &self,
        me: Addr,
        state: &mut Draft<'_, State>,
        from: Addr,
        msg: &Self::Msg,
        out: &mut Out<Self>,
    ) {
        if state.is_decided {
            // Only who knows the decision answers: others could be behind.
            if let (Msg::Get(request), Some((_, proposal))) = (msg, state.accepted) {
                out.send(from, Msg::GetOk(*request, proposal.value));
            }
            return;
        }
        match *msg {
            Msg::Put(request, value) if state.proposal.is_none() => {
                let state = state.to_mut();
                state.proposal = Some(Proposal { request, client: from, value });
                state.ballot = (state.ballot.0 + 1, self.number);
                state.promises = Map::from_iter([(me, state.accepted)]);
                state.accepts = Set::new();
                out.broadcast(&self.peers, &Msg::Internal(Internal::Prepare(state.ballot)));
            }
            Msg::Internal(Internal::Prepare(ballot)) if state.ballot < ballot => {
                state.ballot = ballot;
                out.send(from, Msg::Internal(Internal::Promise(ballot, state.accepted)));
            }
            Msg::Internal(Internal::Promise(ballot, accepted)) if state.ballot == ballot => {
                let state = state.to_mut();
                state.promises.insert(from, accepted);
                if state.promises.len() == self.quorum() {
                    let newest = state.promises.values().flatten().max_by_key(|(ballot, _)| *ballot);
                    let newest = newest.filter(|_| !self.forgets_promises).map(|(_, proposal)| *proposal);
                    let proposal = newest.or(state.proposal).expect("it leads the ballot");
                    state.proposal = Some(proposal);
                    state.accepted = Some((ballot, proposal));
                    state.accepts.insert(me);
                    out.broadcast(&self.peers, &Msg::Internal(Internal::Accept(ballot, proposal)));
                }
            }
            Msg::Internal(Internal::Accept(ballot, proposal)) if state.ballot <= ballot => {
                let state = state.to_mut();
                (state.ballot, state.accepted) = (ballot, Some((ballot, proposal)));
                out.send(from, Msg::Internal(Internal::Accepted(ballot)));
            }
            Msg::Internal(Internal::Accepted(ballot)) if state.ballot == ballot => {
                let state = state.to_mut();
                state.accepts.insert(from);
                if state.accepts.len() == self.quorum() {
                    state.is_decided = true;
                    let proposal = state.proposal.expect("it leads the ballot");
                    out.broadcast(&self.peers, &Msg::Internal(Internal::Decided(ballot, proposal)));
                    out.send(proposal.client, Msg::PutOk(proposal.request));
                }
            }
            Msg::Internal(Internal::Decided(ballot, proposal)) => {
                let state = state.to_mut();
                (state.ballot, state.accepted) = (ballot, Some((ballot, proposal)));
                state.is_decided = true;
            }
            _ => {}
        }
    }
}

/// Each client writes a value of its own, and then reads. Client i begins with server i.
pub fn system<W: Monitor<Msg<Value, Internal>>>(
    clients: usize,
    servers: usize,
    forgets_promises: bool,
    monitor: W,
) -> System<Role<Server, Value>, W> {
    System::new()
        .pinned("server", servers, move |place| {
            let (number, peers) = (place.number() as u8, place.peers());
            Choice::R(Server { number, peers, forgets_promises })
        })
        .pinned("client", clients, |place| {
            let (mut servers, number) = (place.in_order("server"), place.number());
            let count = servers.len();
            servers.rotate_left(number % count);
            Choice::L(Client::new(servers, [number as Value + 1]))
        })
        .network(Network::Unordered { duplicating: false })
        .noops(NoOps::Ignore)
        .monitor(monitor)
        .some_message("a value is read", |_, _, msg| matches!(msg, Msg::GetOk(_, value) if *value > 0))
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [clients, servers] = numbers[..] else { panic!("two numbers: clients and servers") };
    let report = system(clients, servers, false, Linearizable(Register(0))).program().check().run();
    println!("{} states, {} transitions, {}", report.states, report.transitions, report.verdict);
}
