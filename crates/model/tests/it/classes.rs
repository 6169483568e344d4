//! Individuals of one class are interchangeable, and of different ones are not: random relations against all
//! permutations that preserve classes.

use std::collections::BTreeSet;

use bits::SplitMix64;
use quotient_model::{Cx, Doing, Map, Model, Program, Properties, Set, Shape, Symmetry, Verdict, sort};
use system::Encoding;

sort! { pub struct P; }

const CLASSES: [u32; 3] = [2, 1, 2];
const COUNT: usize = 5;

#[derive(Clone, Debug, Shape)]
struct World {
    pairs: Set<(P, P)>,
    marks: Map<P, bool>,
    first: Option<P>,
}

/// A model of one state: a relation, and one individual.
#[derive(Clone, PartialEq, Debug)]
struct Only {
    pairs: BTreeSet<(usize, usize)>,
    first: usize,
}

impl Only {
    fn random(random: &mut SplitMix64) -> Self {
        let mut pair = || (random.below(COUNT), random.below(COUNT));
        Self { pairs: (0..4).map(|_| pair()).collect(), first: pair().0 }
    }

    fn renamed(&self, names: &[usize]) -> Self {
        Self {
            pairs: self.pairs.iter().map(|&(a, b)| (names[a], names[b])).collect(),
            first: names[self.first],
        }
    }

    fn encoded(&self) -> Encoding {
        use system::TransitionSystem;
        let program = Program::new(self.clone()).sort_in_classes::<P>(&CLASSES);
        let (mut state, mut encoding) = (program.initial(), Encoding::new());
        program.encode(&mut state, &mut encoding);
        encoding
    }
}

impl Model for Only {
    type State = World;
    type Action = ();

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<World>) {
        let all: Vec<P> = cx.all().collect();
        out.push(World {
            pairs: self.pairs.iter().map(|&(a, b)| (all[a], all[b])).collect(),
            marks: self.pairs.iter().map(|&(a, _)| (all[a], self.pairs.contains(&(a, a)))).collect(),
            first: self.first.is_multiple_of(2).then(|| all[self.first]),
        });
    }

    fn actions(&self, _: &Cx<'_>, _: &World, _: &mut Vec<()>) {}

    fn apply(&self, _: &mut Doing<'_>, _: &mut World, (): &()) {}
}

/// 0 and 1 are exchanged or not, 3 and 4 too.
const PERMUTATIONS: [[usize; COUNT]; 4] =
    [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [0, 1, 2, 4, 3], [1, 0, 2, 4, 3]];

#[test]
fn values_are_one_if_classes_allow_it() {
    let mut random = SplitMix64::new(5);
    let mut counts = [0, 0];
    for _ in 0..testing::effort(2_000) {
        let only = Only { first: 2, ..Only::random(&mut random) };
        let mut names: Vec<usize> = (0..COUNT).collect();
        for _ in 0..random.below(3) {
            names.swap(random.below(COUNT), random.below(COUNT));
        }
        let other = Only { first: 2, ..only.renamed(&names) };
        let is_isomorphic = PERMUTATIONS.iter().any(|names| only.renamed(names) == other);
        counts[usize::from(is_isomorphic)] += 1;
        assert_eq!(only.encoded().same(&other.encoded()), is_isomorphic, "{only:?} {other:?}");
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// Everybody has a number that only grows.
struct Counters(bool);

impl Model for Counters {
    type State = Map<P, u8>;
    type Action = P;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        out.push(cx.all().map(|p: P| (p, 0)).collect());
    }

    fn actions(&self, cx: &Cx<'_>, counters: &Self::State, out: &mut Vec<P>) {
        // One who is alone in a class may be treated in a special way; one of several may not.
        let special = cx.all().nth(if self.0 { 0 } else { 2 });
        out.extend(
            counters.iter().filter(|&(p, &n)| n < if Some(*p) == special { 1 } else { 2 }).map(|(p, _)| *p),
        );
    }

    fn apply(&self, _: &mut Doing<'_>, counters: &mut Self::State, p: &P) {
        counters[*p] += 1;
    }
}

#[test]
fn orbits_of_classes() {
    // Six multisets of two numbers below three for each pair, and two values of the one who is alone.
    let mut program = Program::new(Counters(false)).sort_in_classes::<P>(&CLASSES);
    assert_eq!(program.check().assert_holds().states, 6 * 2 * 6);
    assert_eq!(program.check().symmetry(Symmetry::None).assert_holds().states, 81 * 2);
    let report = Program::new(Counters(true)).sort_in_classes::<P>(&CLASSES).check().assert_holds();
    assert_eq!((report.broken.len(), report.states), (1, 2 * 81));
    let mut alone = Program::new(Counters(false)).sort_in_classes::<P>(&[1; COUNT]);
    assert_eq!(alone.check().assert_holds().states, 81 * 2);
}

/// A formula about each individual is checked for each class.
#[test]
fn formulas_about_individuals_of_classes() {
    struct Lame(u8);
    impl Model for Lame {
        type State = Map<P, u8>;
        type Action = P;
        fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
            out.push(cx.all().map(|p: P| (p, 0)).collect());
        }
        fn actions(&self, cx: &Cx<'_>, counters: &Self::State, out: &mut Vec<P>) {
            // Who is alone counts up to this, others to 2.
            let alone = cx.all().nth(2);
            let most = |p: &P| if Some(*p) == alone { self.0 } else { 2 };
            out.extend(counters.iter().filter(|&(p, &n)| n < most(p)).map(|(p, _)| *p));
        }
        fn apply(&self, _: &mut Doing<'_>, counters: &mut Self::State, p: &P) {
            counters[*p] += 1;
        }
        fn properties(&self, to: &mut Properties<Self::State>) {
            to.proposition_of("done", |_, counters, p: P| counters[p] == 2);
            to.forall::<P>("all are done", "<> done");
        }
    }
    let check = |most| Program::new(Lame(most)).sort_in_classes::<P>(&CLASSES).check().run();
    let report = check(2);
    assert!(matches!(report.verdict, Verdict::Holds), "{}", report.verdict);
    // Safety, and one formula for each class.
    assert_eq!(report.goals.len(), 1 + CLASSES.len());
    assert!(matches!(check(1).verdict, Verdict::Violated(_)));
}
