//! Registers kept by servers: numbers of states that Stateright 0.31 reports for the same systems with a
//! recorded history, and what the monitor makes of them.

use quotient_actors::Network;
use quotient_actors::monitor::{Linearizable, LinearizableHistory, Register, SequentiallyConsistent};
use quotient_model::{Kind, Order};

#[path = "../../examples/abd.rs"]
mod abd;
#[path = "../../examples/paxos.rs"]
mod paxos;
#[path = "../../examples/single_copy.rs"]
mod single_copy;

const MONITOR: Linearizable<Register<u8>> = Linearizable(Register(0));
const HISTORY: LinearizableHistory<Register<u8>> = LinearizableHistory(Register(0));

#[test]
fn a_single_copy_is_linearizable() {
    for (clients, history, monitor) in [(2, 93, 67), (3, 4_243, 1_522)] {
        let mut program = single_copy::system(clients, 1, HISTORY).program();
        assert_eq!(program.check().assert_holds().states, history);
        let mut program = single_copy::system(clients, 1, MONITOR).program();
        assert_eq!(program.check().assert_holds().states, monitor);
        assert_eq!(program.check().order(Order::DepthFirst).assert_holds().states, monitor);
    }
}

/// A client writes on one server, and reads the old value from the other.
#[test]
fn two_copies_are_not() {
    let violation = single_copy::system(2, 2, HISTORY).program().check().assert_violates(Kind::Invariant);
    assert_eq!((violation.run.len(), violation.message.as_str()), (4, "`linearizable` is false"));
    let violation = single_copy::system(2, 2, MONITOR).program().check().assert_violates(Kind::Invariant);
    assert_eq!((violation.run.len(), violation.message.as_str()), (4, "`linearizable` is false"));
    // Not even sequentially consistent: a client does not see what it wrote itself.
    let monitor = SequentiallyConsistent { initial: Register(0), calls: 4 };
    single_copy::system(2, 2, monitor).program().check().assert_violates(Kind::Invariant);
}

#[test]
fn attiya_bar_noy_and_dolev() {
    let unordered = Network::Unordered { duplicating: false };
    assert_eq!(abd::system(2, 2, unordered, false, HISTORY).program().check().assert_holds().states, 544);
    assert_eq!(abd::system(2, 2, unordered, false, MONITOR).program().check().assert_holds().states, 465);
    assert_eq!(
        abd::system(1, 3, Network::Ordered, false, HISTORY).program().check().assert_holds().states,
        559
    );
    // With the fault a client reads from one half of the servers what it did not write there.
    abd::system(1, 4, unordered, true, MONITOR).program().check().assert_violates(Kind::Invariant);
}

#[test]
fn paxos_decides_once() {
    assert_eq!(paxos::system(2, 3, false, MONITOR).program().check().assert_holds().states, 16_668);
    assert_eq!(paxos::system(2, 3, false, HISTORY).program().check().assert_holds().states, 16_668);
    paxos::system(2, 3, true, MONITOR).program().check().assert_violates(Kind::Invariant);
}
