//! Published and computed numbers of states and transitions.

use quotient_model::{Cx, Doing, Map, Model, Order, Program, Properties, Set, Shape, Symmetry, sort};

sort! {
    pub struct Side;
    pub struct Colour;
    pub struct Manager;
}

#[derive(Clone, Debug, Shape)]
struct Assign(Side, Colour);

/// Sides are coloured one after the other.
struct Triangle;

impl Model for Triangle {
    type State = Map<Side, Colour>;
    type Action = Assign;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Self::State>) {
        out.push(Map::new());
    }

    fn actions(&self, cx: &Cx<'_>, colours: &Self::State, out: &mut Vec<Assign>) {
        for side in cx.all::<Side>().filter(|side| !colours.contains_key(side)) {
            out.extend(cx.all::<Colour>().map(|colour| Assign(side, colour)));
        }
    }

    fn apply(&self, _: &mut Doing<'_>, colours: &mut Self::State, action: &Assign) {
        colours.insert(action.0, action.1);
    }
}

/// The example of Veanes, Ernits and Campbell, "State isomorphism in model programs with abstract data structures".
#[test]
fn triangle() {
    let mut triangle = Program::new(Triangle).sort::<Side>(3).sort::<Colour>(2);
    triangle.check().symmetry(Symmetry::None).assert_counts(27, 54);
    triangle.check().symmetric_only::<Side>().assert_counts(10, 20);
    triangle.check().assert_counts(6, 14);
    triangle.check().order(Order::DepthFirst).assert_counts(6, 14);
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
enum Phase {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, PartialEq, Eq, Debug, Shape)]
struct Transaction {
    managers: Map<Manager, Phase>,
    decided: bool,
    prepared: Set<Manager>,
    sent_prepared: Set<Manager>,
    sent_commit: bool,
    sent_abort: bool,
}

#[derive(Clone, Debug, Shape)]
enum Act {
    Decide { commit: bool },
    ReceivePrepared(Manager),
    Prepare(Manager),
    GiveUp(Manager),
    ReceiveCommit(Manager),
    ReceiveAbort(Manager),
}

/// Two-phase commit as in Gray and Lamport, "Consensus on transaction commit" (2006), section 3.
struct TwoPhase;

impl Model for TwoPhase {
    type State = Transaction;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Transaction>) {
        out.push(Transaction {
            managers: cx.all::<Manager>().map(|manager| (manager, Phase::Working)).collect(),
            decided: false,
            prepared: Set::new(),
            sent_prepared: Set::new(),
            sent_commit: false,
            sent_abort: false,
        });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Transaction, out: &mut Vec<Act>) {
        if !state.decided {
            out.push(Act::Decide { commit: false });
            if state.prepared.len() == cx.count::<Manager>() {
                out.push(Act::Decide { commit: true });
            }
            out.extend(state.sent_prepared.iter().map(|&manager| Act::ReceivePrepared(manager)));
        }
        for (&manager, &phase) in state.managers.iter() {
            if phase == Phase::Working {
                out.extend([Act::Prepare(manager), Act::GiveUp(manager)]);
            }
            if state.sent_commit {
                out.push(Act::ReceiveCommit(manager));
            }
            if state.sent_abort {
                out.push(Act::ReceiveAbort(manager));
            }
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Transaction, action: &Act) {
        match *action {
            Act::Decide { commit } => {
                state.decided = true;
                if commit {
                    state.sent_commit = true;
                } else {
                    state.sent_abort = true;
                }
            }
            Act::ReceivePrepared(manager) => {
                state.prepared.insert(manager);
            }
            Act::Prepare(manager) => {
                state.managers.insert(manager, Phase::Prepared);
                state.sent_prepared.insert(manager);
            }
            Act::GiveUp(manager) | Act::ReceiveAbort(manager) => {
                state.managers.insert(manager, Phase::Aborted);
            }
            Act::ReceiveCommit(manager) => {
                state.managers.insert(manager, Phase::Committed);
            }
        }
    }

    fn properties(&self, to: &mut Properties<Transaction>) {
        to.invariant("managers agree", |_, state| {
            let is_some = |phase| state.managers.values().any(|&other| other == phase);
            !(is_some(Phase::Committed) && is_some(Phase::Aborted))
        });
        to.reachable("all commit", |_, state| {
            state.managers.values().all(|&phase| phase == Phase::Committed)
        });
    }
}

#[test]
fn two_phase_commit() {
    let states = |managers, symmetry| {
        let mut program = Program::new(TwoPhase).sort::<Manager>(managers);
        program.check().symmetry(symmetry).assert_holds().states
    };
    assert_eq!(states(3, Symmetry::None), 288);
    assert_eq!(states(5, Symmetry::None), 8832);
    for (managers, orbits) in [(3, 80), (5, 314), (7, 920), (9, 2232)] {
        assert_eq!(states(managers, Symmetry::Full), orbits, "{managers} managers");
    }
}
