//! Two-phase commit with its command line: `cargo run --release --example two_phase -- check --rms 9`.
//!
//! The protocol is that of Gray and Lamport, "Consensus on transaction commit" (2006), section 3.

use std::process::ExitCode;

use quotient::FromArgs as _;
use quotient::model::*;

sort! {
    /// A resource manager.
    pub struct Rm;
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum RmState {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum TmState {
    Init,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Debug, Shape)]
enum Message {
    Prepared(Rm),
    Commit,
    Abort,
}

/// A transaction, its manager and the resource managers.
#[derive(Clone, Debug, Shape)]
pub struct TwoPhase {
    rm: Map<Rm, RmState>,
    tm: TmState,
    prepared: Set<Rm>,
    sent: Set<Message>,
}

#[model]
impl TwoPhase {
    #[initial]
    fn working(cx: &Cx<'_>) -> Self {
        Self {
            rm: cx.all().map(|rm| (rm, RmState::Working)).collect(),
            tm: TmState::Init,
            prepared: Set::new(),
            sent: Set::new(),
        }
    }

    #[action(when = self.tm == TmState::Init && self.sent.contains(&Message::Prepared(rm)), process = "manager")]
    fn tm_receive(&mut self, rm: Rm) {
        self.prepared.insert(rm);
    }

    #[action(when = self.tm == TmState::Init && self.prepared.len() == self.rm.len(), process = "manager")]
    fn tm_commit(&mut self) {
        self.tm = TmState::Committed;
        self.sent.insert(Message::Commit);
    }

    #[action(when = self.tm == TmState::Init, process = "manager")]
    fn tm_abort(&mut self) {
        self.tm = TmState::Aborted;
        self.sent.insert(Message::Abort);
    }

    #[action(when = self.rm[rm] == RmState::Working, process = rm)]
    fn prepare(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Prepared;
        self.sent.insert(Message::Prepared(rm));
    }

    #[action(when = self.rm[rm] == RmState::Working, process = rm)]
    fn give_up(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Aborted;
    }

    #[action(when = self.sent.contains(&Message::Commit), process = rm)]
    fn on_commit(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Committed;
    }

    #[action(when = self.sent.contains(&Message::Abort), process = rm)]
    fn on_abort(&mut self, rm: Rm) {
        self.rm[rm] = RmState::Aborted;
    }

    #[invariant]
    fn consistent(&self) -> bool {
        let is_some = |wanted: RmState| self.rm.values().any(|state| *state == wanted);
        !(is_some(RmState::Committed) && is_some(RmState::Aborted))
    }

    #[reachable]
    fn all_commit(&self) -> bool {
        self.rm.values().all(|state| *state == RmState::Committed)
    }

    #[proposition]
    fn decided(&self) -> bool {
        self.tm != TmState::Init
    }

    #[ltl("[] (decided -> [] decided)")]
    const STAYS_DECIDED: () = ();
}

fn main() -> ExitCode {
    quotient::main(TwoPhase::program().sort_from_args::<Rm>("rms", 3))
}
