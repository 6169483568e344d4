//! Models whose individuals are not interchangeable although their types say so.

use std::cell::Cell;

use quotient_model::{Cx, Doing, Kind, Model, Program, Properties, Set, Shape, SymmetryCheck, Verdict, sort};

sort! { pub struct Node; }

#[derive(Clone, Debug, Shape)]
struct Ring {
    left: Set<Node>,
    leader: Option<Node>,
}

#[derive(Clone, Debug, Shape)]
enum Act {
    Leave(Node),
    Elect,
}

/// How a model tells individuals apart.
#[derive(Clone, Copy)]
enum Trick {
    None,
    FirstOfSet,
    FirstOfAll,
    Text,
    Invariant,
    Accepting,
    Offered,
}

struct Election(Trick);

fn is_first(node: Node) -> bool {
    format!("{node:?}") == "Node0"
}

impl Model for Election {
    type State = Ring;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Ring>) {
        out.push(Ring { left: cx.all().collect(), leader: None });
    }

    fn actions(&self, _: &Cx<'_>, state: &Ring, out: &mut Vec<Act>) {
        if state.leader.is_none() {
            let leaves = |node: &&Node| !matches!(self.0, Trick::Offered) || !is_first(**node);
            out.extend(state.left.iter().filter(leaves).map(|&node| Act::Leave(node)));
            if matches!(self.0, Trick::None) || state.left.len() > 1 {
                out.push(Act::Elect);
            }
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Ring, action: &Act) {
        match action {
            Act::Leave(node) => {
                state.left.remove(node);
            }
            Act::Elect => match self.0 {
                Trick::FirstOfSet => state.leader = state.left.iter().next().copied(),
                Trick::FirstOfAll => state.leader = doing.cx().all().next(),
                Trick::Text => state.leader = state.left.iter().copied().find(|&node| is_first(node)),
                _ => state.left.clear(),
            },
        }
    }

    fn properties(&self, to: &mut Properties<Ring>) {
        if matches!(self.0, Trick::Invariant) {
            // False in one state of an orbit of three, which is not the one that a search meets first.
            to.invariant("one of the later ones is left", |_, state| {
                state.left.is_empty()
                    || state.left.len() > 1
                    || !state.left.iter().any(|&node| is_first(node))
            });
        }
    }

    fn accepting(&self, _: &Cx<'_>, state: &Ring) -> bool {
        !matches!(self.0, Trick::Accepting) || !state.left.iter().any(|&node| is_first(node))
    }
}

#[test]
fn tricks_are_found_and_named() {
    use Trick::*;
    for (number, trick) in
        [FirstOfSet, FirstOfAll, Text, Invariant, Accepting, Offered].into_iter().enumerate()
    {
        for mode in [SymmetryCheck::All, SymmetryCheck::Sample] {
            let report = Program::new(Election(trick)).sort::<Node>(3).check().symmetry_check(mode).run();
            let sorts: Vec<&str> = report.broken.iter().map(|broken| broken.sort.as_str()).collect();
            assert_eq!(sorts, ["Node"], "trick {number}, {mode:?}");
        }
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
