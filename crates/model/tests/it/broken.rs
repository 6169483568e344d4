//! Models whose individuals are not interchangeable although their types say so.

use std::cell::Cell;
use std::collections::BTreeSet;

use quotient_model::{
    Cx, Doing, Kind, Model, Process, Program, Properties, Reached, Set, Shape, Symmetry, SymmetryCheck,
    Verdict, sort,
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

/// A random model without tricks: each rule asks for some things that have nothing to do with an order, and
/// changes some.
struct Fair {
    rules: Vec<[usize; 2]>,
}

impl Fair {
    fn random(seed: u64) -> Self {
        let mut random = bits::SplitMix64::new(seed);
        let rules = (0..6 + random.below(4)).map(|_| [random.below(7), random.below(9)]).collect();
        Self { rules }
    }

    fn asks(what: usize, state: &Ring, node: Node) -> bool {
        match what {
            0 => state.leader == Some(node),
            1 => state.leader.is_none(),
            2 => state.left.contains(&node),
            3 => !state.left.contains(&node),
            4 => state.line.last() != Some(&node) && state.line.len() < 3,
            5 => state.line.first() == Some(&node),
            _ => state.left.len() < 2,
        }
    }
}

impl Model for Fair {
    type State = Ring;
    type Action = (usize, Node);

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Ring>) {
        out.push(Ring { left: cx.all().collect(), leader: None, mark: 0, line: Vec::new() });
    }

    fn actions(&self, cx: &Cx<'_>, state: &Ring, out: &mut Vec<(usize, Node)>) {
        for (rule, [what, _]) in self.rules.iter().enumerate() {
            out.extend(cx.all().filter(|&node| Self::asks(*what, state, node)).map(|node| (rule, node)));
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Ring, &(rule, node): &(usize, Node)) {
        match self.rules[rule][1] {
            0 => state.leader = Some(node),
            1 => state.leader = None,
            2 => _ = state.left.insert(node),
            3 => _ = state.left.remove(&node),
            4 if state.line.len() < 3 => state.line.push(node),
            4 => state.line.clear(),
            5 => state.line.retain(|&other| other != node),
            6 => state.leader = doing.choose(state.left.iter().copied()),
            7 => state.mark = state.left.len() as u8,
            _ => state.leader = state.line.pop(),
        }
    }

    fn properties(&self, to: &mut Properties<Ring>) {
        to.proposition_of::<Node>("leads", |_, state, node| state.leader == Some(node));
        to.reachable("initial", |cx, state| state.left.len() == cx.count::<Node>());
    }

    fn accepting(&self, _: &Cx<'_>, _: &Ring) -> bool {
        true
    }
}

/// Fifty of them: no alarm, and as many states as there are orbits of those without symmetry.
#[test]
fn random_good_models_raise_no_alarm() {
    let mut sizes = Vec::new();
    for seed in 0..50 {
        let mut program = Program::new(Fair::random(seed)).sort::<Node>(3);
        let report = program.check().symmetry_check(SymmetryCheck::All).assert_holds();
        assert!(report.broken.is_empty(), "{seed}: {:?}", report.broken);
        let plain = program.check().symmetry(Symmetry::None).assert_holds().states;
        assert!(
            report.states <= plain && plain <= 6 * report.states,
            "{seed}: {plain} and {}",
            report.states
        );
        program.set_symmetry(Symmetry::Full, &[]);
        let (mut left, mut seen) = (program.initial_states().unwrap(), BTreeSet::new());
        let mut orbits = BTreeSet::new();
        while let Some(state) = left.pop() {
            if seen.insert(format!("{state:?}")) {
                orbits.insert(program.orbit(&state));
                left.extend(program.successors(&state).unwrap().into_iter().filter_map(|successor| {
                    match successor.result {
                        Reached::State(next) => Some(next),
                        _ => None,
                    }
                }));
            }
        }
        assert_eq!((seen.len(), orbits.len()), (plain, report.states), "{seed}");
        sizes.push(report.states);
    }
    assert!(sizes.iter().filter(|&&states| states > 10).count() > 20, "{sizes:?}");
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
