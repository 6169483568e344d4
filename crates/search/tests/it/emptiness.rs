//! Emptiness of products, compared with explicitly constructed products, on random graphs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::kripke::{Kripke, Place, Random, Ring, Way};
use ltl::lasso::Lasso as Word;
use ltl::strength::{Strength, Weakness};
use ltl::{Automaton, Cube, Edge, Formula, Limits, Marks, Prop, State, smallest};
use quotient_search::emptiness::{Claim, EmptinessResult, Fairness, Lasso, Refusal, emptiness};
use quotient_search::{Completeness, Options, Quiet, StopReason, bfs, dfs};
use store::{Bitstate, Budget, Compact, Exact, Hashes, IndexedTrie, StateStore, Trie};
use system::{Bound, Fault, FaultKind, Halt};
use testing::effort;

const PROPS: u64 = 2;

fn check(system: &Kripke, claim: &Claim<'_>) -> EmptinessResult {
    let mut exact = Exact::new(&Budget::unlimited());
    emptiness(system, &mut exact, claim, &Options::default(), &mut Quiet).expect("an exact store")
}

fn fair<'a>(claim: &Claim<'a>) -> Claim<'a> {
    Claim { fairness: Fairness::Weak, ..*claim }
}

fn strong<'a>(claim: &Claim<'a>) -> Claim<'a> {
    Claim { fairness: Fairness::Strong, ..*claim }
}

/// The system as an automaton that accepts the words of its runs; under fairness, with a set per thread.
/// Unobserved states have no letters. Where a run can stay unobserved for ever, an edge leads to a state that
/// repeats the last letter.
fn explicit(system: &Kripke, threads: u32) -> Automaton {
    let count = system.places.len();
    let diverges = diverging(system);
    let mover = |thread: u32| if thread < threads { Marks::one(thread) } else { Marks::NONE };
    let edges = system.places.iter().enumerate().map(|(at, place)| {
        let cube = Cube::exactly(place.valuation, (1 << PROPS) - 1);
        let is_enabled = |thread| place.edges.iter().any(|edge| edge.thread == thread);
        let idle = (0..threads).filter(|&thread| !is_enabled(thread));
        let idle = idle.fold(Marks::NONE, |marks, thread| marks.with(Marks::one(thread)));
        let mut edges = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(at, idle)];
        while let Some((from, before)) = open.pop() {
            for Way { to, thread, partner, .. } in &system.places[from].edges {
                let marks = before.with(mover(*thread)).with(partner.map_or(Marks::NONE, mover));
                if system.places[*to].is_observed() {
                    edges.push(Edge { to: State(*to as u32), marks, cube });
                } else if seen.insert((*to, marks.0)) {
                    open.push((*to, marks));
                }
            }
        }
        if seen.iter().any(|&(unobserved, _)| diverges[unobserved]) {
            edges.push(Edge { to: State((count + at) as u32), marks: Marks::NONE, cube });
        }
        if place.edges.is_empty() {
            edges.push(Edge { to: State(at as u32), marks: idle, cube });
        }
        edges
    });
    let repeated = system.places.iter().enumerate().map(|(at, place)| {
        let cube = Cube::exactly(place.valuation, (1 << PROPS) - 1);
        vec![Edge { to: State((count + at) as u32), marks: Marks::all(threads), cube }]
    });
    Automaton { initial: State(0), edges: edges.chain(repeated).collect(), sets: threads }
}

/// What fairness demands of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Demand {
    Weak(u32),
    Strong(u32),
    /// A fair transition of a thread.
    Transition(u32, u32),
    WeakTransition(u32, u32),
}

impl Demand {
    fn all(system: &Kripke, claim: &Claim<'_>) -> Vec<Self> {
        let of_thread = |thread| {
            let whole = match claim.fairness {
                Fairness::None => None,
                Fairness::Weak => Some(Self::Weak(thread)),
                Fairness::Strong => Some(Self::Strong(thread)),
            };
            let transitions = claim.fair_transitions.iter();
            let weak = claim.weakly_fair_transitions.iter();
            let transitions = transitions.map(move |&number| Self::Transition(thread, number));
            let weak = weak.map(move |&number| Self::WeakTransition(thread, number));
            whole.into_iter().chain(transitions).chain(weak)
        };
        (0..system.threads()).flat_map(of_thread).collect()
    }

    fn is_fulfilled_by(self, place: &Place, number: usize) -> bool {
        let way = &place.edges[number];
        match self {
            Self::Weak(thread) | Self::Strong(thread) => way.thread == thread || way.partner == Some(thread),
            Self::Transition(thread, transition) | Self::WeakTransition(thread, transition) => {
                way.thread == thread && number == transition as usize
            }
        }
    }

    /// Whether it is fulfilled in a place because the thread or transition is disabled there.
    fn is_void(self, place: &Place) -> bool {
        let mut numbered = place.edges.iter().enumerate();
        place.is_observed()
            && match self {
                Self::Weak(thread) => numbered.all(|(_, way)| way.thread != thread),
                Self::WeakTransition(..) => numbered.all(|(number, _)| !self.is_fulfilled_by(place, number)),
                _ => false,
            }
    }

    /// Whether it is made in a place.
    fn is_made(self, place: &Place) -> bool {
        let mut numbers = 0..place.edges.len();
        place.is_observed()
            && (matches!(self, Self::Weak(_) | Self::WeakTransition(..))
                || numbers.any(|number| self.is_fulfilled_by(place, number)))
    }
}

/// The system as an automaton that accepts the words of the runs that fulfil some demands infinitely often
/// and make all others finitely often. A run guesses when it makes the others no more: from then on, it is in
/// the second copy of the places.
fn explicit_by_demands(system: &Kripke, demands: &[Demand], fulfilled: u32) -> Automaton {
    let count = system.places.len();
    let diverges = diverging(system);
    let sets = 1 + demands.len() as u32;
    let is_in = |number: usize| fulfilled >> number & 1 != 0;
    // The marks of demands that are not to be fulfilled are everywhere in the second copy.
    let others = (0..demands.len()).filter(|&number| !is_in(number));
    let others = others.fold(Marks::one(0), |marks, number| marks.with(Marks::one(1 + number as u32)));
    let marks_of = |is_met: &dyn Fn(Demand) -> bool| {
        let met = demands.iter().enumerate().filter(|(_, demand)| is_met(**demand));
        met.fold(Marks::NONE, |marks, (number, _)| marks.with(Marks::one(1 + number as u32)))
    };
    let mut edges = vec![Vec::new(); 3 * count];
    for (at, place) in system.places.iter().enumerate() {
        let cube = Cube::exactly(place.valuation, (1 << PROPS) - 1);
        let state = |copy: usize, at: usize| State((copy * count + at) as u32);
        let mut seen = BTreeSet::new();
        let mut open = vec![(at, marks_of(&|demand| demand.is_void(place)).with(others))];
        let may_stay =
            demands.iter().enumerate().all(|(number, demand)| is_in(number) || !demand.is_made(place));
        let mut add = |to: usize, marks: Marks| {
            edges[at].push(Edge { to: state(0, to), marks: Marks::NONE, cube });
            edges[at].push(Edge { to: state(1, to), marks: Marks::NONE, cube });
            if may_stay {
                edges[count + at].push(Edge { to: state(1, to), marks, cube });
            }
        };
        if place.edges.is_empty() {
            add(at, open[0].1);
        }
        while let Some((from, before)) = open.pop() {
            for (number, way) in system.places[from].edges.iter().enumerate() {
                let met = marks_of(&|demand| demand.is_fulfilled_by(&system.places[from], number));
                let marks = before.with(met);
                if system.places[way.to].is_observed() {
                    add(way.to, marks);
                } else if seen.insert((way.to, marks.0)) {
                    open.push((way.to, marks));
                }
            }
        }
        if seen.iter().any(|&(unobserved, _)| diverges[unobserved]) {
            edges[at].push(Edge { to: state(2, at), marks: Marks::NONE, cube });
        }
        edges[2 * count + at].push(Edge { to: state(2, at), marks: Marks::all(sets), cube });
    }
    Automaton { initial: State(0), edges, sets }
}

/// Whether the system has no fair run that the automaton accepts, for all sets of demands.
fn is_empty_by_demands(system: &Kripke, claim: &Claim<'_>) -> bool {
    let demands = Demand::all(system, claim);
    (0..1 << demands.len())
        .all(|fulfilled| explicit_by_demands(system, &demands, fulfilled).product(claim.automaton).is_empty())
}

/// Compares the search with the explicit product, under the fairness of the claim.
fn agree_by_demands(system: &Kripke, claim: &Claim<'_>) -> bool {
    let expected = is_empty_by_demands(system, claim);
    let found = check(system, claim);
    let is_empty = is_empty(system, claim.automaton, 0, &found);
    assert_eq!(is_empty, expected, "{system:?} {claim:?}");
    if let Some(lasso) = &found.lasso {
        is_fair(system, claim, lasso);
    }
    expected
}

/// Checks that the demands that are made on a cycle are fulfilled on it, unless it is not observed.
fn is_fair(system: &Kripke, claim: &Claim<'_>, lasso: &Lasso) {
    let mut demands = Demand::all(system, claim);
    let (mut at, mut is_observed, mut made) = (0, false, Vec::new());
    for (number, taken) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        let place = &system.places[at];
        if number >= lasso.stem.len() {
            is_observed |= place.is_observed();
            made.extend(demands.iter().copied().filter(|demand| demand.is_made(place)));
            let way = taken.step.map(|step| step.transition as usize);
            let is_met = |demand: Demand| {
                demand.is_void(place) || way.is_some_and(|way| demand.is_fulfilled_by(place, way))
            };
            demands.retain(|&demand| !is_met(demand));
        }
        at = taken.step.map_or(at, |step| place.edges[step.transition as usize].to);
    }
    if is_observed {
        assert!(demands.iter().all(|demand| !made.contains(demand)), "{system:?} {claim:?} {lasso:?}");
    }
}

/// For each place, whether a run can continue from there for ever without being observed.
fn diverging(system: &Kripke) -> Vec<bool> {
    let mut diverges: Vec<bool> = system.places.iter().map(|place| !place.is_observed()).collect();
    for _ in &system.places {
        let goes_on = |place: &Place| place.edges.iter().any(|way| diverges[way.to]);
        let next = system.places.iter().map(|place| !place.is_observed() && goes_on(place)).collect();
        diverges = next;
    }
    diverges
}

/// Follows the run on the system alone, without a search, and returns its word.
fn follow(system: &Kripke, automaton: &Automaton, threads: u32, lasso: &Lasso) -> Word {
    assert!(lasso.is_closed && !lasso.cycle.is_empty());
    let (mut at, mut state) = (0, automaton.initial);
    let (mut word, mut marks, mut moved, mut head) = (Vec::new(), Marks::NONE, Marks::NONE, None);
    let mut stem = 0;
    for (number, taken) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        if number == lasso.stem.len() {
            (marks, moved, head) = (Marks::NONE, Marks::NONE, Some((at, state)));
            stem = word.len();
        }
        let place = &system.places[at];
        for thread in 0..threads {
            if place.is_observed() && place.edges.iter().all(|edge| edge.thread != thread) {
                moved = moved.with(Marks::one(thread));
            }
        }
        if !place.is_observed() {
            assert_eq!(taken.to, state, "the automaton stays where it is when nobody looks");
        } else if taken.to.index() == automaton.edges.len() {
            word.push(place.valuation);
        } else {
            word.push(place.valuation);
            // Any of the edges between these two states may have been taken.
            let edges = automaton.edges(state).iter().filter(|edge| edge.to == taken.to);
            let enabled: Vec<_> = edges.filter(|edge| edge.cube.holds(place.valuation)).collect();
            assert!(!enabled.is_empty(), "the automaton has no such edge");
            marks = enabled.iter().fold(marks, |marks, edge| marks.with(edge.marks));
        }
        state = taken.to;
        if let Some(step) = taken.step {
            let way = &place.edges[step.transition as usize];
            assert_eq!(way.thread, step.thread);
            for thread in [Some(way.thread), way.partner].into_iter().flatten().filter(|&t| t < threads) {
                moved = moved.with(Marks::one(thread));
            }
            at = way.to;
        } else {
            assert!(place.edges.is_empty(), "only states without steps stutter");
        }
    }
    assert_eq!(head, Some((at, state)), "the cycle closes");
    let (stem, mut cycle) = word.split_at(stem);
    if cycle.is_empty() {
        assert_eq!(state.index(), automaton.edges.len(), "a run that diverges");
        cycle = &word[word.len() - 1..];
    } else {
        assert_eq!(marks, Marks::all(automaton.sets), "all marks are on the cycle");
        assert_eq!(moved, Marks::all(threads), "the cycle is fair");
    }
    let word = Word::new(stem, cycle).expect("the cycle is not empty");
    assert!(automaton.accepts(&word));
    word
}

/// Whether the search found no run. If it found one, the run is verified.
fn is_empty(system: &Kripke, automaton: &Automaton, threads: u32, found: &EmptinessResult) -> bool {
    let outcome = &found.outcome;
    let Some(lasso) = &found.lasso else {
        assert!(outcome.violations.is_empty() && outcome.is_exhaustive(), "{outcome:?}");
        return true;
    };
    assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::FirstViolation));
    let [violation] = &outcome.violations[..] else { panic!("one violation") };
    assert_eq!((violation.fault.kind, &violation.trail), (FaultKind::AcceptanceCycle, &lasso.trail()));
    violation.trail.replay(system, |_, _| {}).expect("the trail replays");
    assert_eq!(lasso.stutters(), lasso.cycle_start() == violation.trail.len());
    follow(system, automaton, threads, lasso);
    false
}

/// Checks that all ways to search a product agree with the explicit one.
fn agree(system: &Kripke, automaton: &Automaton) -> bool {
    let expected = explicit(system, 0).product(automaton).is_empty();
    let claim = Claim::new(automaton);
    assert_eq!(is_empty(system, automaton, 0, &check(system, &claim)), expected, "{system:?} {automaton:?}");
    let mut trie = IndexedTrie::indexed(&Budget::unlimited());
    let found = emptiness(system, &mut trie, &claim, &Options::default(), &mut Quiet).unwrap();
    assert_eq!(is_empty(system, automaton, 0, &found), expected, "{system:?} {automaton:?}");
    let found = check(system, &fair(&claim));
    let threads = system.threads();
    let expected_fair = explicit(system, threads).product(automaton).is_empty();
    assert_eq!(is_empty(system, automaton, threads, &found), expected_fair, "{system:?} {automaton:?}");
    assert!(expected_fair || !expected, "fairness forbids runs only");
    let expected_strong = agree_by_demands(system, &strong(&claim));
    assert!(expected_strong || !expected_fair, "strongly fair runs are weakly fair");
    expected
}

#[test]
fn fair_transitions_on_random_graphs() {
    let mut random = Random::new(5);
    let (mut empty, mut by_transitions, mut by_weak_transitions) = ([0; 3], 0, 0);
    for _ in 0..1000 {
        let sets = random.below(3) as u32;
        let (system, automaton) = (random.kripke(8, PROPS), random.automaton(PROPS, sets, false));
        let plain = Claim::new(&automaton);
        for (number, fairness) in [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().enumerate() {
            let claim = Claim { fairness, fair_transitions: &[1], ..plain };
            let is_empty = agree_by_demands(&system, &claim);
            empty[number] += usize::from(is_empty);
            let without = check(&system, &Claim { fair_transitions: &[], ..claim }).lasso.is_none();
            assert!(is_empty || !without);
            by_transitions += usize::from(is_empty && !without);
            // What strong fairness of a transition forbids, weak fairness need not forbid.
            let weak = Claim { fair_transitions: &[], weakly_fair_transitions: &[1], ..claim };
            let is_empty_weakly = agree_by_demands(&system, &weak);
            assert!(is_empty || !is_empty_weakly);
            assert!(is_empty_weakly || !without);
            by_weak_transitions += usize::from(is_empty_weakly && !without);
            let both = Claim { fair_transitions: &[0], ..weak };
            assert!(agree_by_demands(&system, &both) || !is_empty_weakly);
        }
    }
    assert!(by_weak_transitions > 5, "{by_weak_transitions} of 3000");
    assert!(empty[0] <= empty[1] && empty[1] <= empty[2] && empty[2] < 900, "{empty:?} of 1000");
    assert!(by_transitions > 5, "{by_transitions} of 3000");
}

#[test]
fn formulas_on_random_graphs() {
    let mut random = Random::new(1);
    let mut empty = 0;
    for _ in 0..400 {
        let size = 1 + random.below(5);
        let formula = random.formula(size, PROPS);
        let automata =
            [smallest::generalized, smallest::buchi].map(|of| of(&formula, Limits::default()).unwrap());
        for _ in 0..5 {
            let system = random.kripke(8, PROPS);
            let results = automata.each_ref().map(|automaton| agree(&system, automaton));
            assert_eq!(results[0], results[1]);
            empty += usize::from(results[0]);
            if let Some(lasso) = check(&system, &Claim::new(&automata[0])).lasso {
                assert!(follow(&system, &automata[0], 0, &lasso).satisfies(&formula), "{formula:?}");
            }
        }
    }
    assert!((400..1600).contains(&empty), "{empty} of 2000");
}

#[test]
fn random_automata_on_random_graphs() {
    let mut random = Random::new(2);
    let (mut empty, mut unfair, mut weak) = (0, 0, 0);
    for _ in 0..10_000 {
        let (sets, by_state) = (random.below(4) as u32, random.below(2) == 0);
        let (system, automaton) = (random.kripke(8, PROPS), random.automaton(PROPS, sets, by_state));
        let is_empty = agree(&system, &automaton);
        empty += usize::from(is_empty);
        let fairly = explicit(&system, system.threads()).product(&automaton).is_empty();
        unfair += usize::from(!is_empty && fairly);
        weak += usize::from(!fairly && is_empty_by_demands(&system, &strong(&Claim::new(&automaton))));
    }
    assert!(weak > 5, "{weak} of 10000");
    assert!((1500..8500).contains(&empty), "{empty} of 10000");
    // The mean is 55 for any generator; this is four standard deviations below it.
    assert!(unfair > 25, "{unfair} of 10000");
}

/// Products with paths from one cycle to another, where a single depth-first search is not enough.
#[test]
fn accepting_states_on_larger_graphs() {
    let mut random = Random::new(3);
    for _ in 0..effort(4000) {
        let automaton = loop {
            let automaton = random.automaton(PROPS, 1, true);
            if Weakness::of(&automaton).strength == Strength::General {
                break automaton;
            }
        };
        agree(&random.kripke(14, PROPS), &automaton);
    }
}

/// The automaton with its marks on the wrong side of states: an edge gets the marks of one edge, or of all
/// edges, that leave its target.
fn displaced(automaton: &Automaton, of_all: bool) -> Automaton {
    let edges = automaton.edges.iter().map(|edges| {
        let wrong = |edge: &Edge| {
            let next = || automaton.edges(edge.to).iter().map(|next| next.marks);
            let is_marked = |set: u32| {
                let one = Marks::one(set);
                if of_all {
                    next().all(|marks| marks.with(one) == marks)
                } else {
                    next().any(|marks| marks.with(one) == marks)
                }
            };
            let sets = (0..automaton.sets).filter(|&set| is_marked(set));
            let marks = sets.fold(Marks::NONE, |marks, set| marks.with(Marks::one(set)));
            Edge { marks, ..*edge }
        };
        edges.iter().map(wrong).collect()
    });
    Automaton { edges: edges.collect(), ..automaton.clone() }
}

/// These tests would notice if the edges before or after the accepting ones were taken for accepting.
#[test]
fn acceptance_on_the_wrong_side_is_noticed() {
    let mut random = Random::new(4);
    let (mut missed, mut invented) = (0, 0);
    for _ in 0..1000 {
        let (system, automaton) = (random.kripke(8, PROPS), random.automaton(PROPS, 1, false));
        let expected = explicit(&system, 0).product(&automaton).is_empty();
        for of_all in [false, true] {
            let wrong = displaced(&automaton, of_all);
            let is_empty = check(&system, &Claim::new(&wrong)).lasso.is_none();
            missed += usize::from(is_empty && !expected);
            invented += usize::from(!is_empty && expected);
        }
    }
    assert!(missed > 10 && invented > 10, "{missed} are missed, {invented} are invented");
}

fn always(prop: u32) -> Formula {
    Formula::Always(Box::new(Formula::Prop(Prop(prop))))
}

fn place(valuation: u64, edges: &[(u32, usize)]) -> Place {
    let way = |&(thread, to): &(u32, usize)| Way { thread, partner: None, to };
    Place { valuation, edges: edges.iter().map(way).collect(), ..Place::default() }
}

#[test]
fn finite_runs_stutter() {
    let always = smallest::generalized(&always(0), Limits::default()).unwrap();
    let system = Kripke { places: vec![place(1, &[(0, 1)]), place(1, &[])] };
    for claim in [Claim::new(&always), fair(&Claim::new(&always)), strong(&Claim::new(&always))] {
        let found = check(&system, &claim);
        let lasso = found.lasso.expect("a run where it always holds");
        assert!(lasso.stutters() && lasso.cycle_start() == 1);
        // At the depth limit, a state with steps does not stutter.
        let options = Options { max_depth: Some(0), ..Options::default() };
        let mut store = Exact::new(&Budget::unlimited());
        let found = emptiness(&system, &mut store, &claim, &options, &mut Quiet).unwrap();
        assert!(found.lasso.is_none());
        assert_eq!(found.outcome.completeness, Completeness::Stopped(StopReason::Depth));
        // A deadlock is reported if the claim asks for it.
        let found = check(&system, &Claim { reports_deadlocks: true, ..claim });
        assert_eq!(found.outcome.violations[0].fault.kind, FaultKind::Deadlock);
    }
}

#[test]
fn what_keeps_a_search_from_the_end_is_reported() {
    let never = smallest::generalized(&always(1), Limits::default()).unwrap();
    let mut system = Kripke { places: vec![place(2, &[(0, 1)]), place(2, &[(0, 2)]), place(0, &[(0, 0)])] };
    let run = |system: &Kripke, claim: Claim<'_>, options: &Options<'_>| {
        let mut store = Exact::new(&Budget::unlimited());
        emptiness(system, &mut store, &claim, options, &mut Quiet).unwrap()
    };
    let claim = Claim::new(&never);
    let flag = Arc::new(AtomicBool::new(true));
    for claim in [claim, fair(&claim), strong(&claim)] {
        assert!(run(&system, claim, &Options::default()).outcome.is_exhaustive());
        let limits = [
            (Options { max_states: Some(2), ..Options::default() }, StopReason::States),
            (Options { interrupt: Some(&flag), ..Options::default() }, StopReason::Interrupted),
            (Options { budget: Budget::counted(1 << 12), ..Options::default() }, StopReason::Memory),
        ];
        for (options, reason) in limits {
            let found = run(&system, claim, &options);
            assert_eq!(found.outcome.completeness, Completeness::Stopped(reason));
            assert!(found.outcome.violations.is_empty());
        }
    }
    system.places[1].truncates = true;
    let outcome = run(&system, claim, &Options::default()).outcome;
    assert!(!outcome.is_exhaustive() && outcome.truncations.contains_key(&Bound::Objects));
    // A violation that no continuation can repair is reported in any case.
    let reached = Formula::Eventually(Box::new(Formula::Next(Box::new(Formula::Prop(Prop(1))))));
    let reached = smallest::generalized(&reached, Limits::default()).unwrap();
    for claim in [Claim::new(&reached), fair(&Claim::new(&reached)), strong(&Claim::new(&reached))] {
        let found = run(&system, claim, &Options::default());
        let [violation] = &found.outcome.violations[..] else { panic!("one violation") };
        assert_eq!(violation.fault.kind, FaultKind::AcceptanceCycle);
        assert!(found.lasso.is_none() && violation.trail.len() <= 1);
    }
    let fault = Fault { kind: FaultKind::DivisionByZero, site: 3 };
    system.places[1].halt = Some(Halt::Fault(fault));
    let outcome = run(&system, claim, &Options::default()).outcome;
    assert_eq!((outcome.violations[0].fault, outcome.violations[0].trail.len()), (fault, 1));
    // Propositions that cannot be evaluated cut a run, but do not hide a violation before that point.
    system.places[1].halt = Some(Halt::Truncated(Bound::Frames));
    for claim in [claim, fair(&claim), strong(&claim)] {
        let found = run(&system, claim, &Options::default());
        assert!(found.lasso.is_none() && found.outcome.violations.is_empty());
        assert_eq!(found.outcome.completeness, Completeness::Exhausted);
        assert!(!found.outcome.is_exhaustive() && found.outcome.truncations.is_empty());
        assert!(found.outcome.unevaluated.contains_key(&Bound::Frames));
    }
    // Propositions whose evaluation is abandoned end the search.
    system.places[1].halt = Some(Halt::Abandoned);
    for claim in [claim, fair(&claim), strong(&claim)] {
        let found = run(&system, claim, &Options::default());
        assert!(found.lasso.is_none() && found.outcome.violations.is_empty());
        assert_eq!(found.outcome.completeness, Completeness::Stopped(StopReason::Time));
        assert!(!found.outcome.is_truncated());
    }
    // There are more threads than sets.
    let system = Kripke { places: vec![place(2, &[(256, 0)])] };
    for claim in [fair(&claim), strong(&claim)] {
        let outcome = run(&system, claim, &Options::default()).outcome;
        assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::Threads));
    }
    assert!(run(&system, claim, &Options::default()).lasso.is_some());
}

#[test]
fn stores_and_automata_that_are_not_up_to_it_are_refused() {
    let budget = Budget::unlimited();
    let all = Automaton { initial: State(0), edges: vec![Vec::new()], sets: 0 };
    let system = Kripke { places: vec![place(0, &[])] };
    let refused = |mut store: Box<dyn StateStore>, claim: &Claim<'_>| {
        emptiness(&system, &mut *store, claim, &Options::default(), &mut Quiet).unwrap_err()
    };
    let claim = Claim::new(&all);
    assert_eq!(refused(Box::new(Compact::new(&budget, 8)), &claim), Refusal::Lossy("compact"));
    let bitstate = Bitstate::new(&budget, 20, Hashes::Usual);
    assert_eq!(refused(Box::new(bitstate), &claim), Refusal::Lossy("bitstate"));
    assert_eq!(refused(Box::new(Trie::new(&budget, true)), &claim), Refusal::Unindexed("trie"));
}

/// A token moves around a ring; its position is not part of the encoding.
#[test]
fn cycles_close_after_as_many_rounds_as_it_takes() {
    let always = smallest::generalized(&always(0), Limits::default()).unwrap();
    for (size, by, begin, rounds) in [(1, 1, 0, 1), (5, 1, 0, 5), (6, 2, 0, 3), (6, 4, 1, 3), (7, 3, 2, 7)] {
        let ring = Ring { size, by, begin, never_same: None };
        let claim = Claim::new(&always);
        let mut store = Exact::new(&Budget::unlimited());
        let found = emptiness(&ring, &mut store, &claim, &Options::default(), &mut Quiet).unwrap();
        let lasso = found.lasso.unwrap();
        assert!(lasso.is_closed);
        assert_eq!((store.len(), lasso.cycle.len() as u64), (2, 2 * rounds));
        let mut heads = Vec::new();
        lasso.trail().replay(&ring, |_, state| heads.push(state.0)).unwrap();
        assert_eq!(heads[lasso.cycle_start()], *heads.last().unwrap());
        // If no state ever returns, the cycle is closed up to names only.
        let ring = Ring { never_same: Some(std::cell::Cell::new(0)), ..ring };
        let mut store = Exact::new(&Budget::unlimited());
        let found = emptiness(&ring, &mut store, &claim, &Options::default(), &mut Quiet).unwrap();
        let lasso = found.lasso.unwrap();
        assert_eq!((lasso.is_closed, lasso.cycle.len()), (false, 2));
    }
}

/// A cycle of transient states is stored once enough transient states were passed, and then each of its
/// states once.
#[test]
fn transient_cycles_are_runs_too() {
    const LENGTH: usize = 3000;
    let mut places = vec![place(1, &[(0, 1)])];
    places.extend(
        (1..=LENGTH).map(|at| Place {
            is_transient: true,
            ..place(0, &[(0, if at == LENGTH { 1 } else { at + 1 })])
        }),
    );
    let system = Kripke { places };
    let always = smallest::generalized(&always(0), Limits::default()).unwrap();
    let never =
        smallest::generalized(&Formula::Not(Box::new(Formula::Prop(Prop(0)))), Limits::default()).unwrap();
    for (automaton, is_violated) in [(&always, true), (&never, false)] {
        for claim in [Claim::new(automaton), fair(&Claim::new(automaton)), strong(&Claim::new(automaton))] {
            let found = check(&system, &claim);
            assert_eq!(found.lasso.is_some(), is_violated);
            if let Some(lasso) = &found.lasso {
                follow(&system, automaton, 0, lasso);
                assert_eq!(lasso.cycle.len(), LENGTH);
            }
            let stats = found.outcome.stats;
            assert!(stats.states <= LENGTH + 2 && stats.transitions <= 2 * LENGTH as u64 + 2, "{stats:?}");
        }
    }
    for search in [bfs::<Kripke, Exact>, dfs] {
        let mut store = Exact::new(&Budget::unlimited());
        let outcome = search(&system, &mut store, &Options::default(), &mut Quiet);
        assert!(outcome.is_exhaustive());
        assert_eq!((outcome.stats.states, outcome.stats.transitions), (LENGTH + 1, LENGTH as u64 + 1));
    }
}
