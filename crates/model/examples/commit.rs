//! Two-phase commit as in Gray and Lamport, "Consensus on transaction commit" (2006), section 3: a transaction
//! manager, and resource managers that nothing tells apart. Messages are never lost or forgotten.
//!
//! `cargo run --release -p quotient-model --example commit -- 12` checks twelve resource managers, and
//! `-- 7 plain` seven without symmetry.

use quotient_model::{Cx, Doing, Map, Model, Program, Properties, Set, Shape, Symmetry, SymmetryCheck, sort};

sort! { pub struct Manager; }

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
pub enum Phase {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
pub enum Decision {
    None,
    Commit,
    Abort,
}

#[derive(Clone, Debug, Shape)]
pub enum Message {
    Prepared(Manager),
    Commit,
    Abort,
}

#[derive(Clone, Debug, Shape)]
pub struct Transaction {
    managers: Map<Manager, Phase>,
    decision: Decision,
    /// Of whom the transaction manager knows that they are prepared.
    prepared: Set<Manager>,
    sent: Set<Message>,
}

#[derive(Clone, Debug, Shape)]
pub enum Act {
    Commit,
    Abort,
    HearPrepared(Manager),
    Prepare(Manager),
    GiveUp(Manager),
    HearCommit(Manager),
    HearAbort(Manager),
}

/// The model. With the fault to be found, the transaction manager commits when all but one are prepared.
pub struct TwoPhase {
    pub hurries: bool,
}

impl Model for TwoPhase {
    type State = Transaction;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Transaction>) {
        out.push(Transaction {
            managers: cx.all::<Manager>().map(|manager| (manager, Phase::Working)).collect(),
            decision: Decision::None,
            prepared: Set::new(),
            sent: Set::new(),
        });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Transaction, out: &mut Vec<Act>) {
        if state.decision == Decision::None {
            out.push(Act::Abort);
            if state.prepared.len() + usize::from(self.hurries) >= cx.count::<Manager>() {
                out.push(Act::Commit);
            }
        }
        for message in &state.sent {
            match message {
                Message::Prepared(manager) if state.decision == Decision::None => {
                    out.push(Act::HearPrepared(*manager));
                }
                Message::Prepared(_) => {}
                Message::Commit => out.extend(state.managers.keys().map(|&manager| Act::HearCommit(manager))),
                Message::Abort => out.extend(state.managers.keys().map(|&manager| Act::HearAbort(manager))),
            }
        }
        for (&manager, _) in state.managers.iter().filter(|&(_, &phase)| phase == Phase::Working) {
            out.extend([Act::Prepare(manager), Act::GiveUp(manager)]);
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Transaction, action: &Act) {
        match *action {
            Act::Commit => {
                state.decision = Decision::Commit;
                state.sent.insert(Message::Commit);
            }
            Act::Abort => {
                state.decision = Decision::Abort;
                state.sent.insert(Message::Abort);
            }
            Act::HearPrepared(manager) => _ = state.prepared.insert(manager),
            Act::Prepare(manager) => {
                state.managers[manager] = Phase::Prepared;
                state.sent.insert(Message::Prepared(manager));
            }
            Act::GiveUp(manager) | Act::HearAbort(manager) => state.managers[manager] = Phase::Aborted,
            Act::HearCommit(manager) => state.managers[manager] = Phase::Committed,
        }
    }

    fn properties(&self, to: &mut Properties<Transaction>) {
        let some = |state: &Transaction, sought| state.managers.values().any(|&phase| phase == sought);
        to.invariant("managers agree", move |_, state| {
            !(some(state, Phase::Committed) && some(state, Phase::Aborted))
        });
        to.reachable("all commit", |_, state| {
            state.managers.values().all(|&phase| phase == Phase::Committed)
        });
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let managers = arguments.first().map_or(3, |text| text.parse().expect("a number of managers"));
    let mut program = Program::new(TwoPhase { hurries: false }).sort::<Manager>(managers);
    let check = program.check();
    let check = match arguments.get(1).map(String::as_str) {
        Some("plain") => check.symmetry(Symmetry::None).symmetry_check(SymmetryCheck::Off),
        _ => check,
    };
    let report = check.run();
    println!("{} states, {} transitions: {}", report.states, report.transitions, report.verdict);
}
