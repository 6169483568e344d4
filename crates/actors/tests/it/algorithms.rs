//! Algorithms: a stack without locks, and the election of a leader.

use quotient_actors::{Actor, Addr, Draft, Never, Out, System};
use quotient_model::{Kind, Order, Program, Set, Symmetry, Verdict};

#[path = "../../examples/raft.rs"]
mod raft;
#[path = "../../examples/treiber.rs"]
mod treiber;

fn stack(threads: u32, operations: u8, reuses: bool) -> Program<treiber::Treiber> {
    Program::new(treiber::Treiber { operations, reuses }).sort::<treiber::Thread>(threads)
}

#[test]
fn treibers_stack_is_linearizable_unless_nodes_are_used_again() {
    let mut program = stack(2, 4, false);
    let plain = program.check().symmetry(Symmetry::None).assert_holds().states;
    let report = program.check().assert_holds();
    assert!(report.states < plain && report.broken.is_empty(), "{plain} {}", report.states);
    assert_eq!(program.check().order(Order::DepthFirst).assert_holds().states, report.states);
    // The ABA problem: two are pushed; one thread is about to pop, the other one pops both, and pushes one again.
    // The fewest operations: push, push, pop (begun), pop, pop, push, and a pop that tells.
    let violation = stack(2, 7, true).check().assert_violates(Kind::Invariant);
    assert!(violation.run.len() >= 10, "{violation}");
}

#[test]
fn one_leads_in_a_term_unless_votes_are_forgotten() {
    for (servers, terms, crashes) in [(3, 1, 0), (3, 1, 1)] {
        let mut program = raft::system(servers, terms, crashes, false).program();
        let plain = program.check().symmetry(Symmetry::None).assert_holds().states;
        let report = program.check().assert_holds();
        assert!(report.broken.is_empty() && report.states < plain && report.states >= plain / 6);
        assert_eq!(program.check().order(Order::DepthFirst).assert_holds().states, report.states);
    }
    raft::system(3, 1, 1, true).program().check().assert_violates(Kind::Invariant);
}

/// Asks for a turn, and gives it back.
struct Player {
    referee: Addr,
}

/// Gives turns: to one after the other as they ask, or to whom it likes.
struct Referee;

impl Actor for Player {
    type State = bool;
    type Msg = ();
    type Timer = Never;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, out: &mut Out<Self>) -> bool {
        out.send(self.referee, ());
        false
    }
    fn on_msg(&self, _: Addr, played: &mut Draft<'_, bool>, _: Addr, (): &(), out: &mut Out<Self>) {
        **played = !**played;
        out.send(self.referee, ());
    }
}

impl Actor for Referee {
    type State = Set<Addr>;
    type Msg = ();
    type Timer = Never;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> Set<Addr> {
        Set::new()
    }
    fn on_msg(&self, _: Addr, _: &mut Draft<'_, Set<Addr>>, from: Addr, (): &(), out: &mut Out<Self>) {
        out.send(from, ());
    }
}

type Turns = quotient_actors::Choice<Player, Referee>;

fn turns() -> System<Turns> {
    use quotient_actors::Choice;
    System::new()
        .pinned("referee", 1, |_| Choice::R(Referee))
        .group("player", 2, |place| Choice::L(Player { referee: place.in_order("referee")[0] }))
        .proposition_of("played", |view, at| !matches!(view.actor(at), Some(Choice::L(false))))
        .forall("everybody plays", "<> played")
}

/// An actor that can be passed over for ever starves, unless deliveries are fair. All players are alike.
#[test]
fn fairness() {
    turns().program().check().assert_violates(Kind::Property);
    // Fair deliveries to the referee do not say whose message it takes: one player can still starve.
    let report = turns().fair().program().check().run();
    assert!(matches!(report.verdict, Verdict::Violated(_)), "{}", report.verdict);
    // In line, the messages of both arrive: from each to the referee there is a line of its own, so even then one
    // can be passed over; with one player nobody is.
    let alone = System::new()
        .pinned("referee", 1, |_| quotient_actors::Choice::R(Referee))
        .group("player", 1, |place| {
            quotient_actors::Choice::L(Player { referee: place.in_order("referee")[0] })
        })
        .proposition_of("played", |view, at| {
            !matches!(view.actor(at), Some(quotient_actors::Choice::L(false)))
        })
        .forall("everybody plays", "[] <> played")
        .fair();
    alone.program().check().assert_holds();
}
