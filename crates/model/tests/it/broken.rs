//! Models whose individuals are not interchangeable although their types say so.

use std::cell::Cell;

use quotient_model::{
    Cx, Doing, Kind, Model, Process, Program, Properties, Set, Shape, SymmetryCheck, Verdict, sort,
};

sort! { pub struct Node; }

#[derive(Clone, Debug, Shape)]
struct Ring {
    left: Set<Node>,
    leader: Option<Node>,
    /// Numbers and sequences in which tricks leave traces.
    mark: u8,
    line: Vec<Node>,
}

#[derive(Clone, Debug, Shape)]
enum Act {
    Leave(Node),
    Elect,
}

/// How a model tells individuals apart.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Trick {
    None,
    FirstOfSet,
    SecondOfSet,
    LastOfSet,
    FirstOfAll,
    Text,
    LeastText,
    Hash,
    PlaceAsNumber,
    EvenPlaces,
    ComesBefore,
    AllButTheFirst,
    Line,
    ChoiceOfTheFirst,
    Invariant,
    Reachable,
    Accepting,
    Within,
    Proposition,
    PropositionOf,
    Process,
    Offered,
    OfferedTwice,
    Fail,
    Panic,
}

const TRICKS: [Trick; 24] = {
    use Trick::*;
    [
        FirstOfSet,
        SecondOfSet,
        LastOfSet,
        FirstOfAll,
        Text,
        LeastText,
        Hash,
        PlaceAsNumber,
        EvenPlaces,
        ComesBefore,
        AllButTheFirst,
        Line,
        ChoiceOfTheFirst,
        Invariant,
        Reachable,
        Accepting,
        Within,
        Proposition,
        PropositionOf,
        Process,
        Offered,
        OfferedTwice,
        Fail,
        Panic,
    ]
};

struct Election(Trick);

fn is_first(node: Node) -> bool {
    format!("{node:?}") == "Node0"
}

/// The place of an individual in the order of iteration.
fn place(cx: &Cx<'_>, node: Node) -> u8 {
    cx.all::<Node>().position(|other| other == node).unwrap() as u8
}

impl Model for Election {
    type State = Ring;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Ring>) {
        out.push(Ring { left: cx.all().collect(), leader: None, mark: 0, line: Vec::new() });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Ring, out: &mut Vec<Act>) {
        if state.leader.is_none() {
            let leaves = |node: &&Node| match self.0 {
                Trick::Offered => !is_first(**node),
                Trick::EvenPlaces => place(cx, **node).is_multiple_of(2),
                _ => true,
            };
            out.extend(state.left.iter().filter(leaves).map(|&node| Act::Leave(node)));
            if self.0 == Trick::OfferedTwice {
                out.extend(state.left.iter().filter(|&&node| is_first(node)).map(|&node| Act::Leave(node)));
            }
            if matches!(self.0, Trick::None) || state.left.len() > 1 {
                out.push(Act::Elect);
            }
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Ring, action: &Act) {
        let mut left = state.left.iter().copied();
        match action {
            Act::Leave(node) => {
                match self.0 {
                    Trick::Fail if is_first(*node) => doing.fail("it must stay"),
                    Trick::Panic => assert!(!is_first(*node), "it must stay"),
                    Trick::PlaceAsNumber => state.mark = place(doing.cx(), *node),
                    Trick::ComesBefore => {
                        state.mark = left.take_while(|other| other != node).count().min(1) as u8;
                    }
                    _ => {}
                }
                state.left.remove(node);
            }
            Act::Elect => match self.0 {
                Trick::FirstOfSet => state.leader = left.next(),
                Trick::SecondOfSet => state.leader = left.nth(1),
                Trick::LastOfSet => state.leader = left.last(),
                Trick::FirstOfAll => state.leader = doing.cx().all().next(),
                Trick::Text => state.leader = left.find(|&node| is_first(node)),
                Trick::LeastText => state.leader = left.max_by_key(|node| format!("{node:?}")),
                Trick::Hash => {
                    let sum = |node: &Node| format!("{node:?}").bytes().map(u32::from).sum::<u32>();
                    state.leader = left.find(|node| sum(node) % 2 == 0);
                }
                Trick::ChoiceOfTheFirst => state.leader = doing.choose(left.take(1)),
                Trick::Line => state.line = left.collect(),
                Trick::AllButTheFirst => {
                    let first = left.next();
                    state.left.retain(|&node| Some(node) == first);
                }
                _ => state.left.clear(),
            },
        }
    }

    fn properties(&self, to: &mut Properties<Ring>) {
        // False in one state of an orbit of three, which is not the one that a search meets first.
        let is_special =
            |state: &Ring| state.left.len() == 1 && state.left.iter().any(|&node| is_first(node));
        match self.0 {
            Trick::Invariant => {
                to.invariant("one of the later ones is left", move |_, state| !is_special(state));
            }
            Trick::Reachable => to.reachable("the first one is left", move |_, state| is_special(state)),
            Trick::Proposition => to.proposition("first", move |_, state| is_special(state)),
            Trick::PropositionOf => to.proposition_of::<Node>("first", |_, _, node| is_first(node)),
            _ => {}
        }
    }

    fn process(&self, cx: &Cx<'_>, _: &Act) -> Process {
        if self.0 == Trick::Process { Process::of(cx.all::<Node>().next().unwrap()) } else { Process::Whole }
    }

    fn accepting(&self, _: &Cx<'_>, state: &Ring) -> bool {
        self.0 != Trick::Accepting || !state.left.iter().any(|&node| is_first(node))
    }

    fn within(&self, _: &Cx<'_>, state: &Ring) -> bool {
        self.0 != Trick::Within || state.left.len() != 1 || !state.left.iter().any(|&node| is_first(node))
    }
}

#[test]
fn tricks_are_found_and_named() {
    for trick in TRICKS {
        for mode in [SymmetryCheck::All, SymmetryCheck::Sample] {
            let report = Program::new(Election(trick)).sort::<Node>(3).check().symmetry_check(mode).run();
            let sorts: Vec<&str> = report.broken.iter().map(|broken| broken.sort.as_str()).collect();
            assert_eq!(sorts, ["Node"], "{trick:?}, {mode:?}");
        }
        let program = &mut Program::new(Election(trick)).sort::<Node>(3);
        let report = program.check().symmetry_check(SymmetryCheck::Off).run();
        assert!(report.broken.is_empty(), "{trick:?}");
    }
}

#[test]
fn good_models_raise_no_alarm() {
    for nodes in 1..5 {
        let mut program = Program::new(Election(Trick::None)).sort::<Node>(nodes);
        let report = program.check().symmetry_check(SymmetryCheck::All).assert_holds();
        assert!(report.broken.is_empty());
        assert_eq!(report.states, nodes as usize + 1);
    }
}

/// A violation that the symmetry would have hidden is found, since the search starts again without it.
#[test]
fn a_violation_behind_a_broken_symmetry_is_found() {
    let mut program = Program::new(Election(Trick::Invariant)).sort::<Node>(3);
    let violation = program.check().assert_violates(Kind::Invariant);
    assert_eq!(violation.run.len(), 2);
}

/// Answers depend on how often it was asked.
struct Moody(Cell<u32>);

impl Model for Moody {
    type State = u8;
    type Action = u8;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn actions(&self, _: &Cx<'_>, state: &u8, out: &mut Vec<u8>) {
        if *state < 3 {
            out.push(1);
        }
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut u8, by: &u8) {
        self.0.set(self.0.get() + 1);
        *state += by * (self.0.get() % 2) as u8;
    }
}

#[test]
fn a_model_that_is_not_a_function_is_told_so() {
    let report = Program::new(Moody(Cell::new(0))).check().run();
    assert!(matches!(report.verdict, Verdict::NotAFunction(_)), "{}", report.verdict);
}
