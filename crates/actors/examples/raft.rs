//! The election of a leader in Raft: Ongaro and Ousterhout, "In search of an understandable consensus algorithm"
//! (2014), section 5.2. Logs are left out, so any candidate may be voted for.
//!
//! Time is divided into terms. A server whose timer expires begins a new term, votes for itself and asks the others
//! for their votes. A server votes once in a term, and remembers the vote over crashes. Who has the votes of a
//! majority leads. Servers have no order, so they are interchangeable.
//!
//! `cargo run --release -p quotient-actors --example raft -- 3 2 1` checks three servers, two terms, one crash.

use quotient_actors::{Actor, Addr, Draft, Network, Never, Out, System, majority};
use quotient_model::{Set, Shape, Symmetry};

#[derive(Clone, Debug, Shape)]
pub enum Msg {
    /// Vote for me in this term.
    Ask(u8),
    /// I vote for you in this term.
    Vote(u8),
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
pub enum Role {
    Follower,
    Candidate,
    Leader,
}

/// The only timer.
#[derive(Clone, Debug, Shape)]
pub struct Election;

/// What must not be forgotten.
#[derive(Clone, Debug, Shape)]
pub struct Ballot {
    term: u8,
    voted_for: Option<Addr>,
}

#[derive(Clone, Debug, Shape)]
pub struct State {
    pub ballot: Ballot,
    pub role: Role,
    votes: Set<Addr>,
}

pub struct Server {
    peers: Set<Addr>,
    /// Terms after this one are not begun.
    terms: u8,
    /// The fault to be found: votes are not saved.
    forgets: bool,
}

impl Server {
    fn save(&self, state: &State, out: &mut Out<Self>) {
        if !self.forgets {
            out.save(state.ballot.clone());
        }
    }
}

impl Actor for Server {
    type State = State;
    type Msg = Msg;
    type Timer = Election;
    type Random = Never;
    type Storage = Ballot;

    fn on_start(&self, _: Addr, stored: Option<&Ballot>, out: &mut Out<Self>) -> State {
        let ballot = stored.cloned().unwrap_or(Ballot { term: 0, voted_for: None });
        if ballot.term < self.terms {
            out.set_timer(Election);
        }
        State { ballot, role: Role::Follower, votes: Set::new() }
    }

    fn on_timeout(&self, me: Addr, state: &mut Draft<'_, State>, _: &Election, out: &mut Out<Self>) {
        let term = state.ballot.term + 1;
        state.ballot = Ballot { term, voted_for: Some(me) };
        state.role = Role::Candidate;
        state.votes = Set::from_iter([me]);
        self.save(state, out);
        out.broadcast(&self.peers, &Msg::Ask(term));
        if term < self.terms {
            out.set_timer(Election);
        }
    }

    fn on_msg(&self, _: Addr, state: &mut Draft<'_, State>, from: Addr, msg: &Msg, out: &mut Out<Self>) {
        match *msg {
            Msg::Ask(term) if term >= state.ballot.term => {
                if term > state.ballot.term {
                    let ballot = Ballot { term, voted_for: None };
                    state.set(State { ballot, role: Role::Follower, votes: Set::new() });
                    if term < self.terms {
                        out.set_timer(Election);
                    } else {
                        out.cancel_timer(Election);
                    }
                    self.save(state, out);
                }
                if state.ballot.voted_for.is_none() {
                    state.ballot.voted_for = Some(from);
                    self.save(state, out);
                    out.send(from, Msg::Vote(term));
                }
            }
            Msg::Vote(term) if (state.ballot.term, state.role) == (term, Role::Candidate) => {
                state.votes.insert(from);
                if state.votes.len() >= majority(self.peers.len() + 1) {
                    state.role = Role::Leader;
                    out.cancel_timer(Election);
                }
            }
            _ => {}
        }
    }
}

pub fn system(servers: usize, terms: u8, crashes: usize, forgets: bool) -> System<Server> {
    System::new()
        .group("server", servers, move |place| Server { peers: place.peers(), terms, forgets })
        .network(Network::Unordered { duplicating: false })
        .crashes(crashes)
        .invariant("one leads in a term", |view| {
            let mut leaders: Vec<u8> = view
                .actors()
                .filter(|(_, state)| state.role == Role::Leader)
                .map(|(_, state)| state.ballot.term)
                .collect();
            let count = leaders.len();
            leaders.sort_unstable();
            leaders.dedup();
            leaders.len() == count
        })
        .reachable("somebody leads", |view| view.actors().any(|(_, state)| state.role == Role::Leader))
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [servers, terms, crashes] = numbers[..] else { panic!("three numbers: servers, terms, crashes") };
    let mut program = system(servers, terms as u8, crashes, false).program();
    let report = program.check().run();
    println!("{} states with symmetry: {}", report.states, report.verdict);
    let report = program.check().symmetry(Symmetry::None).run();
    println!("{} states without: {}", report.states, report.verdict);
}
