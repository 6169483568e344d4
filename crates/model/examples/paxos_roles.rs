//! Paxos with its roles apart: Lamport, "Paxos made simple" (2001). Two proposers, each with one ballot, and
//! acceptors that nothing tells apart. Messages are never lost or forgotten, so that acceptors are found in what
//! they sent.
//!
//! `cargo run --release -p quotient-model --example paxos_roles -- 7` checks seven acceptors: 110,749 states.

use quotient_model::{Cx, Doing, Map, Model, Program, Properties, Set, Shape, sort};

sort! { pub struct Acceptor; }

/// The ballots, each with its proposer.
pub const BALLOTS: u8 = 2;
/// A ballot, and the value that was accepted in it.
pub type Vote = Option<(u8, u8)>;

#[derive(Clone, PartialEq, Debug, Shape)]
pub enum Message {
    Prepare(u8),
    Promise(Acceptor, u8, Vote),
    Propose(u8, u8),
    Accepted(Acceptor, u8, u8),
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
pub struct Memory {
    /// The greatest ballot that it promised to support.
    pub promised: u8,
    pub vote: Vote,
}

#[derive(Clone, Debug, Shape)]
pub struct Agreement {
    pub acceptors: Map<Acceptor, Memory>,
    pub sent: Set<Message>,
}

impl Agreement {
    fn is_majority(&self, count: usize) -> bool {
        count > self.acceptors.len() / 2
    }

    fn is_chosen(&self, value: u8) -> bool {
        (1..=BALLOTS).any(|ballot| {
            let accepted = self.sent.iter().filter(
                |message| matches!(message, Message::Accepted(_, b, v) if (*b, *v) == (ballot, value)),
            );
            self.is_majority(accepted.count())
        })
    }
}

#[derive(Clone, Debug, Shape)]
pub enum Act {
    Prepare(u8),
    Promise(Acceptor, u8),
    Propose(u8, u8),
    Accept(Acceptor, u8, u8),
}

/// The model. With the fault to be found, a proposer does not ask what was accepted before.
pub struct Paxos {
    pub forgets: bool,
}

impl Model for Paxos {
    type State = Agreement;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Agreement>) {
        let memory = Memory { promised: 0, vote: None };
        let acceptors = cx.all::<Acceptor>().map(|acceptor| (acceptor, memory)).collect();
        out.push(Agreement { acceptors, sent: Set::new() });
    }

    fn actions(&self, _: &Cx<'_>, state: &Agreement, out: &mut Vec<Act>) {
        for ballot in 1..=BALLOTS {
            if !state.sent.contains(&Message::Prepare(ballot)) {
                out.push(Act::Prepare(ballot));
                continue;
            }
            for (&acceptor, memory) in state.acceptors.iter() {
                if memory.promised < ballot {
                    out.push(Act::Promise(acceptor, ballot));
                }
            }
            let votes: Vec<Vote> = state
                .sent
                .iter()
                .filter_map(|message| match message {
                    Message::Promise(_, b, vote) if *b == ballot => Some(*vote),
                    _ => None,
                })
                .collect();
            let proposed = state.sent.iter().find_map(|message| match message {
                Message::Propose(b, value) if *b == ballot => Some(*value),
                _ => None,
            });
            match (proposed, votes.iter().flatten().max().filter(|_| !self.forgets)) {
                (Some(value), _) => {
                    for (&acceptor, memory) in state.acceptors.iter() {
                        if memory.promised <= ballot && memory.vote != Some((ballot, value)) {
                            out.push(Act::Accept(acceptor, ballot, value));
                        }
                    }
                }
                (None, _) if !state.is_majority(votes.len()) => {}
                (None, Some(&(_, value))) => out.push(Act::Propose(ballot, value)),
                (None, None) => out.extend([1, 2].map(|value| Act::Propose(ballot, value))),
            }
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Agreement, action: &Act) {
        let sent = match *action {
            Act::Prepare(ballot) => Message::Prepare(ballot),
            Act::Promise(acceptor, ballot) => {
                state.acceptors[acceptor].promised = ballot;
                Message::Promise(acceptor, ballot, state.acceptors[acceptor].vote)
            }
            Act::Propose(ballot, value) => Message::Propose(ballot, value),
            Act::Accept(acceptor, ballot, value) => {
                state.acceptors[acceptor] = Memory { promised: ballot, vote: Some((ballot, value)) };
                Message::Accepted(acceptor, ballot, value)
            }
        };
        state.sent.insert(sent);
    }

    fn properties(&self, to: &mut Properties<Agreement>) {
        to.invariant("one value is chosen", |_, state| !(state.is_chosen(1) && state.is_chosen(2)));
        to.reachable("a value is chosen", |_, state| state.is_chosen(1));
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let acceptors = std::env::args().nth(1).map_or(3, |text| text.parse().expect("a number of acceptors"));
    let mut program = Program::new(Paxos { forgets: false }).sort::<Acceptor>(acceptors);
    let report = program.check().run();
    println!("{} states, {} transitions: {}", report.states, report.transitions, report.verdict);
}
