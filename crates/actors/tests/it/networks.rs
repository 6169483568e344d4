//! What each network lets happen, with numbers of states that can be counted by hand.

use std::collections::BTreeSet;
use std::str::FromStr;

use quotient_actors::{Actor, Addr, Choice, Draft, Network, Never, NoOps, OnFull, Out, System};
use quotient_model::{Kind, Seq, Symmetry, Verdict};

/// Sends some numbers to every receiver.
struct Sender(Seq<Addr>, Seq<u8>);

impl Actor for Sender {
    type State = ();
    type Msg = u8;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, out: &mut Out<Self>) {
        self.1.iter().for_each(|number| out.broadcast(&self.0, number));
    }
}

/// Remembers what it received, but for zeros.
struct Receiver;

impl Actor for Receiver {
    type State = Seq<u8>;
    type Msg = u8;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> Seq<u8> {
        Seq::new()
    }
    fn on_msg(&self, _: Addr, got: &mut Draft<'_, Seq<u8>>, _: Addr, number: &u8, _: &mut Out<Self>) {
        if *number > 0 && got.len() < 4 {
            got.push(*number);
        }
    }
}

fn sending(numbers: &[u8], network: Network) -> System<Choice<Sender, Receiver>> {
    let numbers = numbers.to_vec();
    System::new()
        .pinned("receiver", 1, |_| Choice::R(Receiver))
        .pinned("sender", 1, move |place| Choice::L(Sender(place.in_order("receiver"), numbers.clone())))
        .network(network)
}

fn states(system: System<Choice<Sender, Receiver>>) -> usize {
    system.program().check().assert_holds().states
}

const UNORDERED: Network = Network::Unordered { duplicating: false };
const DUPLICATING: Network = Network::Unordered { duplicating: true };

#[test]
fn orders_of_arrival() {
    // Sequences of different numbers among 1, 2 and 3: 1 + 3 + 6 + 6.
    assert_eq!(states(sending(&[1, 2, 3], UNORDERED)), 16);
    // A message that was sent twice arrives twice: 1, 11, 2 in some order are 1 + 2 + 3 + 3.
    assert_eq!(states(sending(&[1, 1, 2], UNORDERED)), 9);
    // Prefixes.
    assert_eq!(states(sending(&[1, 2, 3], Network::Ordered)), 4);
    assert_eq!(states(sending(&[1, 1, 2], Network::Ordered)), 4);
    // All sequences of up to four, since the receiver takes no more.
    assert_eq!(states(sending(&[1, 2, 3], DUPLICATING)), 1 + 3 + 9 + 27 + 81);
    // In a window of two: after 1 or 2, both others; 1 2 3, 1 3 2, 2 1 3, 2 3 1 and their prefixes.
    assert_eq!(states(sending(&[1, 2, 3], Network::Windowed { window: 2 })), 1 + 2 + 4 + 4);
    assert_eq!(states(sending(&[1, 2, 3], Network::Windowed { window: 9 })), 16);
    assert_eq!(states(sending(&[1, 2, 3], Network::Windowed { window: 1 })), 4);
}

/// What was received, and what is on its way, in all orders in which one of the first `window` is taken.
fn windowed(window: usize, got: &[u8], line: &[u8], seen: &mut BTreeSet<(Vec<u8>, Vec<u8>)>) {
    if seen.insert((got.to_vec(), line.to_vec())) {
        for at in 0..window.min(line.len()) {
            // Of equal ones, the first.
            let at = line.iter().position(|other| *other == line[at]).expect("it is there");
            let (mut got, mut line) = (got.to_vec(), line.to_vec());
            got.push(line.remove(at));
            windowed(window, &got, &line, seen);
        }
    }
}

#[test]
fn windows() {
    for line in [&[1, 2, 1, 3][..], &[2, 1, 1, 3], &[1, 1, 1, 2], &[3, 1, 2, 1]] {
        for window in 1..5 {
            let mut seen = BTreeSet::new();
            windowed(window, &[], line, &mut seen);
            let system = sending(line, Network::Windowed { window });
            assert_eq!(states(system), seen.len(), "{line:?} in a window of {window}");
        }
    }
    // It does not matter which of two equal messages arrives: that is one step.
    sending(&[1, 1], Network::Windowed { window: 2 }).program().check().assert_counts(3, 2);
}

#[test]
fn lost_messages() {
    // Each of two messages is on its way, lost or received, in any order: 1; after one step 4; then 2 + 2 + 1.
    assert_eq!(states(sending(&[1, 2], UNORDERED).lossy(true)), 1 + 4 + 5);
    // In line: the first is gone either way.
    assert_eq!(states(sending(&[1, 2], Network::Ordered).lossy(true)), 1 + 2 + 4);
    // A message that was lost is not duplicated any more.
    assert_eq!(states(sending(&[1], DUPLICATING).lossy(true)), 5 * 2);
}

#[test]
fn deliveries_that_do_nothing() {
    // Zeros are consumed independently of the rest.
    assert_eq!(states(sending(&[0, 1], UNORDERED)), 4);
    assert_eq!(states(sending(&[0, 1], UNORDERED).noops(NoOps::Ignore)), 2);
    assert_eq!(states(sending(&[0, 1], DUPLICATING).noops(NoOps::Ignore)), 5);
    // In line, a zero must not block what comes after it.
    assert_eq!(states(sending(&[0, 1], Network::Ordered).noops(NoOps::Ignore)), 3);
}

#[test]
fn conditions_of_the_network() {
    let is_empty = |noops| {
        let system = sending(&[0, 1], UNORDERED).noops(noops);
        system.reachable("all arrives", |view| view.network().is_empty()).program().check().run().verdict
    };
    assert!(matches!(is_empty(NoOps::Consume), Verdict::Holds));
    // The condition could not be met, since the zero stays: it is refused.
    let refused = is_empty(NoOps::Ignore).to_string();
    assert!(!refused.starts_with("holds"), "{refused}");
    let system = sending(&[0, 1], UNORDERED).noops(NoOps::Ignore);
    system.some_message("a zero", |_, _, &number| number == 0).program().check().assert_holds();
    let system = sending(&[0, 1], UNORDERED).no_message("a one", |_, _, &number| number == 1);
    system.program().check().assert_violates(Kind::Invariant);
}

#[test]
fn room_for_messages() {
    let one = |on_full| sending(&[1, 2], UNORDERED).capacity(1, on_full).program().check().run().verdict;
    // What is sent at the start has no room: there is no state that could be explored.
    assert!(matches!(one(OnFull::Bound), Verdict::Refused(_)), "{}", one(OnFull::Bound));
    assert!(matches!(one(OnFull::Fail), Verdict::Refused(_)), "{}", one(OnFull::Fail));
    assert!(matches!(one(OnFull::Lose), Verdict::Holds), "{}", one(OnFull::Lose));
    assert_eq!(states(sending(&[1, 2], UNORDERED).capacity(1, OnFull::Lose)), 2);
    assert_eq!(states(sending(&[1, 2], UNORDERED).capacity(2, OnFull::Bound)), 5);
}

/// Messages in line have the room of their line.
#[test]
fn room_in_lines() {
    let sending = |numbers: &[u8], capacity, on_full| {
        let numbers = numbers.to_vec();
        System::new()
            .pinned("receiver", 2, |_| Choice::R(Receiver))
            .pinned("sender", 1, move |place| Choice::L(Sender(place.in_order("receiver"), numbers.clone())))
            .network(Network::Ordered)
            .capacity(capacity, on_full)
    };
    assert_eq!(states(sending(&[1, 2], 2, OnFull::Bound)), 3 * 3);
    assert_eq!(states(sending(&[1, 2], 2, OnFull::Fail)), 3 * 3);
    assert_eq!(states(sending(&[1, 2], 1, OnFull::Lose)), 2 * 2);
    assert_eq!(states(sending(&[1, 2], 2, OnFull::Lose)), 3 * 3);
    let refused = sending(&[1, 2], 1, OnFull::Bound).program().check().run().verdict;
    assert!(matches!(refused, Verdict::Refused(_)), "{refused}");
}

/// Passes a number on to the others, as often as it says.
struct Echo(Seq<Addr>);

impl Actor for Echo {
    type State = Seq<u8>;
    type Msg = u8;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;
    fn on_start(&self, me: Addr, _: Option<&Never>, out: &mut Out<Self>) -> Seq<u8> {
        if Some(&me) == self.0.last() {
            out.send(self.0[0], 2);
        }
        Seq::new()
    }
    fn on_msg(&self, me: Addr, got: &mut Draft<'_, Seq<u8>>, _: Addr, number: &u8, out: &mut Out<Self>) {
        got.push(*number);
        if *number > 0 {
            out.broadcast(self.0.iter().filter(|&&other| other != me), &(number - 1));
        }
    }
}

#[test]
fn synchronous_messages_arrive_in_the_step_in_which_they_are_sent() {
    let echoing = |network| {
        let place = |place: &quotient_actors::Place<'_>| Echo(place.in_order("echo"));
        System::new().pinned("echo", 3, place).network(network).program()
    };
    let report = echoing(Network::Synchronous).check().assert_holds();
    // One step, which ends in several states: the first one sends 1 to both others, and each of these sends 0
    // to both others.
    assert!(report.states > 1 && report.states < 10, "{}", report.states);
    assert!(report.transitions >= report.states as u64 - 1);
    let between = echoing(Network::Ordered).check().assert_holds();
    assert!(between.states > report.states);
}

/// With interchangeable receivers, orders of arrival among them are symmetric.
#[test]
fn interchangeable_receivers() {
    let system = |network: Network| {
        System::new()
            .pinned("sender", 1, |place| {
                Choice::L(Sender(place.members("receiver").iter().copied().collect(), vec![1, 2]))
            })
            .group("receiver", 3, |_| Choice::R(Receiver))
            .network(network)
            .program()
    };
    for (network, one) in [(UNORDERED, 5), (Network::Ordered, 3), (DUPLICATING, 31)] {
        // Each receiver is in one of some states: sequences, and multisets of three.
        let mut program = system(network);
        assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, one * one * one);
        let report = program.check().assert_holds();
        assert_eq!((report.states, report.broken.len()), (one * (one + 1) * (one + 2) / 6, 0));
    }
    // In the one step of a synchronous network all orders among receivers end in the same states.
    let mut program = system(Network::Synchronous);
    let report = program.check().assert_holds();
    assert_eq!(report.broken.len(), 0);
    assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, 27);
    assert_eq!(report.states, 10);
}

#[test]
fn networks_have_names() {
    for name in ["unordered", "duplicating", "ordered", "windowed:3", "synchronous"] {
        assert_eq!(Network::from_str(name).unwrap().to_string(), name);
    }
    for name in ["windowed:0", "windowed", "tcp", ""] {
        assert!(Network::from_str(name).unwrap_err().contains("is not a network"));
    }
}

#[test]
fn bounds_and_ends() {
    // The last message does not arrive within the bounds.
    let report =
        sending(&[1, 2], UNORDERED).within(|view| !view.network().is_empty()).program().check().run();
    assert!(matches!(report.verdict, Verdict::HoldsUpTo(_)), "{}", report.verdict);
    assert_eq!(report.states, 3);
    sending(&[1, 2], UNORDERED).accepting(|view| view.network().is_empty()).program().check().assert_holds();
    let stuck = sending(&[1, 2], UNORDERED).accepting(|view| !view.network().is_empty());
    assert_eq!(stuck.program().check().assert_violates(Kind::Deadlock).run.len(), 2);
}

/// Who receives acts; what the network does, it does itself.
#[test]
fn processes() {
    let program = sending(&[1], UNORDERED).lossy(true).program();
    let first = program.initial_states().unwrap().remove(0);
    let steps = program.successors(&first).unwrap();
    let mut names: Vec<String> = steps.iter().map(|step| program.process_name(step.process)).collect();
    names.sort();
    assert_eq!(names, ["network", "receiver0"]);
}
