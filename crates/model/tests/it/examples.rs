//! The examples: published numbers of states, counts by means that share nothing with the search, and faults.

use std::collections::BTreeSet;
use std::fmt::Debug;

use quotient_model::{Individual, Kind, Model, Order, Program, Symmetry, number_of};

#[path = "../../examples/cache_coherence.rs"]
mod cache_coherence;
#[path = "../../examples/chat.rs"]
mod chat;
#[path = "../../examples/client_server.rs"]
mod client_server;
#[path = "../../examples/commit.rs"]
mod commit;
#[path = "../../examples/paxos_roles.rs"]
mod paxos_roles;
#[path = "../../examples/triangle.rs"]
mod triangle;

/// The different forms of all states, found by following actions from the initial ones. States are told apart by
/// what `Debug` shows of them.
fn forms<M: Model, F: Ord>(program: &Program<M>, form: impl Fn(&M::State) -> F) -> BTreeSet<F>
where
    M::State: Debug,
{
    let mut left = program.initial_states().unwrap();
    let (mut seen, mut forms) = (BTreeSet::new(), BTreeSet::new());
    while let Some(state) = left.pop() {
        if seen.insert(format!("{state:?}")) {
            forms.insert(form(&state));
            let successors = program.successors(&state).expect("finding actions does not fail");
            left.extend(successors.into_iter().filter_map(|successor| match successor.result {
                quotient_model::Reached::State(next) => Some(next),
                _ => None,
            }));
        }
    }
    forms
}

/// The table of Veanes, Ernits and Campbell (2007), without symmetry, with that of sides, of colours, of both.
#[test]
fn triangles() {
    use triangle::{Colour, NewSide, Objects, Side, Triangle};
    for (sides, colours, counts) in [
        (3, 2, [(27, 54), (10, 20), (14, 30), (6, 14)]),
        (3, 3, [(64, 144), (20, 45), (15, 45), (7, 21)]),
        (3, 6, [(343, 882), (84, 216), (15, 90), (7, 42)]),
        (4, 3, [(256, 768), (35, 105), (51, 180), (11, 42)]),
    ] {
        let mut program = Triangle::program().sort::<Side>(sides).sort::<Colour>(colours);
        program.check().symmetry(Symmetry::None).assert_counts(counts[0].0, counts[0].1);
        program.check().symmetric_only::<Side>().assert_counts(counts[1].0, counts[1].1);
        program.check().symmetric_only::<Colour>().assert_counts(counts[2].0, counts[2].1);
        program.check().assert_counts(counts[3].0, counts[3].1);
        program.check().order(Order::DepthFirst).assert_counts(counts[3].0, counts[3].1);
        // Objects are as many up to symmetry.
        let mut program = Objects::program().sort::<NewSide>(sides).sort::<Colour>(colours);
        assert_eq!(program.check().assert_holds().states, counts[3].0);
        assert_eq!(program.check().symmetric_only::<NewSide>().assert_holds().states, counts[1].0);
    }
}

#[test]
fn chats_are_as_many_as_those_of_the_twin() {
    for (clients, plain, orbits) in [(2, 7, 5), (3, 80, 21), (4, 4_381, 239)] {
        let mut program = chat::Chat::program().sort::<chat::Client>(clients);
        assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, plain);
        assert_eq!(program.check().assert_holds().states, orbits);
    }
}

#[test]
fn two_phase_commit() {
    let program =
        |managers, hurries| Program::new(commit::TwoPhase { hurries }).sort::<commit::Manager>(managers);
    for (managers, plain) in [(3, 288), (5, 8_832)] {
        assert_eq!(program(managers, false).check().symmetry(Symmetry::None).assert_holds().states, plain);
    }
    for (managers, orbits) in [(3, 80), (5, 314), (7, 920), (9, 2_232), (12, 6_656)] {
        let mut program = program(managers, false);
        assert_eq!(program.check().assert_holds().states, orbits, "{managers} managers");
        if managers < 9 {
            assert_eq!(program.check().order(Order::DepthFirst).assert_holds().states, orbits);
        }
    }
    program(4, true).check().assert_violates(Kind::Invariant);
    // Nothing is interchangeable, so no step is left out.
    program(7, false).check().symmetry(Symmetry::None).assert_counts(296_448, 2_744_705);
}

/// The orbits are counted by trying all permutations of acceptors.
#[test]
fn paxos_by_roles() {
    use paxos_roles::{Acceptor, Agreement, Memory, Message, Paxos, Vote};
    let program = |acceptors, forgets| Program::new(Paxos { forgets }).sort::<Acceptor>(acceptors);
    for (acceptors, plain, orbits) in [(3, 3_921, 857), (4, 20_609, 1_622)] {
        let mut program = program(acceptors, false);
        assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, plain);
        assert_eq!(program.check().assert_holds().states, orbits);
        let orders = permutations(acceptors as usize);
        let found = forms(&program, |state: &Agreement| {
            let at = |acceptor: &Acceptor, order: &[usize]| order[number_of(acceptor.index()) as usize];
            let renamed = |order: &Vec<usize>| {
                let memories: BTreeSet<(usize, u8, Vote)> = state
                    .acceptors
                    .iter()
                    .map(|(acceptor, &Memory { promised, vote })| (at(acceptor, order), promised, vote))
                    .collect();
                let sent: BTreeSet<(u8, usize, u8, Vote)> = state
                    .sent
                    .iter()
                    .map(|message| match message {
                        Message::Prepare(ballot) => (0, 0, *ballot, None),
                        Message::Promise(acceptor, ballot, vote) => (1, at(acceptor, order), *ballot, *vote),
                        Message::Propose(ballot, value) => (2, 0, *ballot, Some((*value, 0))),
                        Message::Accepted(acceptor, ballot, value) => {
                            (3, at(acceptor, order), *ballot, Some((*value, 0)))
                        }
                    })
                    .collect();
                (memories, sent)
            };
            orders.iter().map(renamed).min()
        });
        assert_eq!(found.len(), orbits);
    }
    assert_eq!(program(5, false).check().assert_holds().states, 11_553);
    // Half a minute.
    if testing::effort(1) > 1 {
        assert_eq!(program(5, false).check().symmetry(Symmetry::None).assert_holds().states, 701_505);
        assert_eq!(program(7, false).check().assert_holds().states, 110_749);
    }
    program(3, true).check().assert_violates(Kind::Invariant);
}

fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
}

/// Everything about a cache is in its line, so an orbit is a bag of lines.
#[test]
fn cache_coherence() {
    use cache_coherence::{Cache, Directory, Machine};
    for caches in 2..=4 {
        let mut program = Program::new(Directory { is_hasty: false }).sort::<Cache>(caches);
        let orbits = forms(&program, |state: &Machine| {
            let is_current =
                |cache| state.current.filter(|(other, _)| *other == cache).map(|(_, wanted)| wanted);
            let mut lines: Vec<_> =
                state.lines.iter().map(|(&cache, &line)| (line, is_current(cache))).collect();
            lines.sort();
            (lines, state.exclusive_granted)
        });
        assert_eq!(program.check().assert_holds().states, orbits.len(), "{caches} caches");
        let plain = forms(&program, |state| format!("{state:?}"));
        assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, plain.len());
    }
    Program::new(Directory { is_hasty: true }).sort::<Cache>(2).check().assert_violates(Kind::Invariant);
}

#[test]
fn client_and_server() {
    let mut program = Program::new(client_server::ClientServer);
    let states = forms(&program, |state| format!("{state:?}")).len();
    let report = program.check().assert_holds();
    assert_eq!((report.states, report.covered.len()), (states, 1));
}
