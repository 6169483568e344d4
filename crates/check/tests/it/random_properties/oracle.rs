//! The plainest way to decide whether a program has a run that violates a formula.
//!
//! All states of the plain interpreter are nodes of a graph; the tableau of the formula's negation reads what
//! holds in them; and the components of the product are searched for one with everything that an accepting
//! run needs. Nothing of this is shared with the search: neither the interpreter, nor the translation, nor
//! the product, nor the components.
//!
//! Where a property is about individuals, a node is a state together with the one that is meant: any thread,
//! from the state on in which it is there for the first time. Each of them counts, also those that are there
//! from the beginning.

use std::collections::HashMap;

use ir::{Each, Id, Property, PropertyKind};
use ltl::normal::Terms;
use ltl::tableau::tableau;
use ltl::{Automaton, Cube, Edge, Formula, Limits, Marks, State};
use naive::{Fired, Naive, Stopped};
use quotient_check::config::Fairness;
use system::Step;

/// The number of threads that can be distinguished.
const THREADS: u32 = 16;

/// The number of fair transitions of a program.
const MOST_FAIR: usize = 2;

/// The thread that a property is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    /// The property is not about a thread.
    All,
    /// A thread that was not started yet.
    Later,
    Thread(u32),
    /// A thread that has ended.
    Gone,
}

/// The threads of a procedure that are there, and were not in the state before.
fn new_threads(
    naive: &Naive<'_>,
    each: &Each,
    before: Option<&naive::State>,
    now: &naive::State,
) -> Vec<u32> {
    let is_new = |id: u32| before.and_then(|state| state.threads.get(&id)).is_none_or(naive::Thread::ended);
    let is_one = |thread: &naive::Thread| {
        thread
            .frames
            .first()
            .is_some_and(|frame| naive.program.locations[frame.location].procedure == each.procedure)
    };
    now.threads.iter().filter(|(id, thread)| is_new(**id) && is_one(thread)).map(|(&id, _)| id).collect()
}

impl Who {
    /// Whom it can be about in the first state.
    fn first(naive: &Naive<'_>, property: &Property, state: &naive::State) -> Vec<Self> {
        let Some(each) = &property.each else { return vec![Self::All] };
        let there = new_threads(naive, each, None, state).into_iter().map(Self::Thread);
        there.chain([Self::Later]).collect()
    }

    /// The threads that it can be about after a step.
    fn next(
        self,
        naive: &Naive<'_>,
        property: &Property,
        from: &naive::State,
        to: &naive::State,
    ) -> Vec<Self> {
        match (self, &property.each) {
            (Self::Later, Some(each)) => {
                let new = new_threads(naive, each, Some(from), to).into_iter().map(Self::Thread);
                new.chain([Self::Later]).collect()
            }
            (Self::Thread(id), _) if to.threads.get(&id).is_none_or(naive::Thread::ended) => vec![Self::Gone],
            _ => vec![self],
        }
    }

    fn thread(self) -> Option<u32> {
        if let Self::Thread(id) = self { Some(id) } else { None }
    }
}

/// A state, as far as properties are concerned.
struct Place {
    /// It is known which thread the property is about.
    is_settled: bool,
    /// What holds in it, unless that cannot be evaluated.
    valuation: Option<u64>,
    /// It is not the middle of an atomic block.
    is_observed: bool,
    /// Nothing follows, not even a fault.
    is_end: bool,
    /// The threads that have steps, and those that can be partners in steps of others.
    enabled: u64,
    partners: u64,
    /// The fair transitions that threads can take.
    fair: u64,
    /// Where steps lead, whose they are, and which fair transitions they take or, if the thread ends, need
    /// not take any more.
    edges: Vec<(usize, u64, u64)>,
}

pub struct Graph {
    places: Vec<Place>,
    /// The first ones are where runs begin.
    beginnings: usize,
}

impl Graph {
    /// All states, unless they are more than `most`.
    pub fn of(naive: &Naive<'_>, property: &Property, most: usize) -> Option<Self> {
        let initial = naive.initial();
        let first = Who::first(naive, property, &initial).into_iter();
        let mut nodes: Vec<_> = first.map(|who| (initial.clone(), who)).collect();
        let mut numbers: HashMap<_, _> = nodes.iter().cloned().zip(0..).collect();
        let beginnings = nodes.len();
        let fair: Vec<u32> = naive.program.fair_transitions().map(|id| id.index() as u32).collect();
        if fair.len() > MOST_FAIR {
            return None;
        }
        let of_thread = |number: usize, thread: u32| 1 << (THREADS as usize * number + thread as usize);
        let fair_bit = |step: Step| {
            let number = fair.iter().position(|&transition| transition == step.transition);
            number.map_or(0_u64, |number| of_thread(number, step.thread))
        };
        let mut places = Vec::new();
        while let Some((state, who)) = nodes.get(places.len()).cloned() {
            let (steps, faults) = naive.steps(&state);
            let mut place = Place {
                is_settled: who != Who::Later,
                valuation: naive.valuation_about(&state, property, who.thread()).ok(),
                is_observed: state.exclusive.is_none(),
                is_end: steps.is_empty() && faults.is_empty(),
                enabled: 0,
                partners: 0,
                fair: 0,
                edges: Vec::new(),
            };
            for step in steps {
                if step.thread >= THREADS {
                    return None;
                }
                place.enabled |= 1 << step.thread;
                let Fired { next, events } = naive.fire_recorded(&state, step);
                let partner = events.partner.map(|(thread, _)| thread);
                if partner.is_some_and(|thread| thread >= THREADS) {
                    return None;
                }
                let moved = 1 << step.thread | partner.map_or(0, |thread| 1 << thread);
                place.partners |= moved;
                place.fair |= fair_bit(step);
                let next = match next {
                    Ok(next) => next,
                    Err(Stopped::Fault(_) | Stopped::Truncated(_)) => continue,
                    Err(Stopped::NotEnabled | Stopped::Abandoned) => {
                        unreachable!("enabled steps can be fired")
                    }
                };
                let mut taken = fair_bit(step);
                if next.threads.get(&step.thread).is_none_or(naive::Thread::ended) {
                    taken |= (0..MOST_FAIR).fold(0, |all, number| all | of_thread(number, step.thread));
                }
                for who in who.next(naive, property, &state, &next) {
                    let number = *numbers.entry((next.clone(), who)).or_insert_with_key(|node| {
                        nodes.push(node.clone());
                        nodes.len() - 1
                    });
                    place.edges.push((number, moved, taken));
                }
            }
            places.push(place);
            if nodes.len() > most {
                return None;
            }
        }
        Some(Self { places, beginnings })
    }

    pub fn states(&self) -> usize {
        self.places.len()
    }

    /// How many states of the middle of something there are.
    pub fn unobserved(&self) -> usize {
        self.places.iter().filter(|place| !place.is_observed).count()
    }

    /// Whether some run does not satisfy the formula: a fair one, if only those count.
    pub fn violates(&self, formula: &Formula, fairness: Fairness) -> bool {
        let claim = of_words(&formula.negated());
        let states = claim.edges.len();
        // One bit for states that are observed, of those where the property's thread is known, then the sets
        // of the claim, then the threads.
        let observed = 1_u64;
        let every = ((1 << THREADS) - 1) << (1 + claim.sets);
        let threads = if fairness == Fairness::None { 0 } else { every };
        // Then the fair transitions of each thread.
        let first = 1 + claim.sets + THREADS;
        assert!(first + THREADS * MOST_FAIR as u32 <= u64::BITS, "there are enough bits");
        let is_strong = fairness == Fairness::Strong;
        let all = observed | Marks::all(claim.sets).0 << 1 | if is_strong { 0 } else { threads };
        let mut product: Vec<Vec<Arc>> = vec![Vec::new(); self.places.len() * states];
        for (number, place) in self.places.iter().enumerate() {
            for state in claim.states() {
                let edges = &mut product[number * states + state.index()];
                let own = |moved: u64| moved << (1 + claim.sets) & threads;
                if !place.is_observed {
                    let here = |&(to, moved, taken): &(usize, u64, u64)| Arc {
                        to: to * states + state.index(),
                        marks: own(moved) | taken << first,
                        required: 0,
                    };
                    edges.extend(place.edges.iter().map(here));
                    continue;
                }
                let Some(valuation) = place.valuation else { continue };
                for edge in claim.edges(state).iter().filter(|edge| edge.cube.holds(valuation)) {
                    let observed = if place.is_settled { observed } else { 0 };
                    let idle = if is_strong { 0 } else { own(!place.enabled) };
                    let marks = observed | edge.marks.0 << 1 | idle;
                    let required = if is_strong { own(place.enabled | place.partners) } else { 0 };
                    let follow = |to: usize, moved: u64, taken: u64| Arc {
                        to: to * states + edge.to.index(),
                        marks: marks | own(moved) | taken << first,
                        required: required | place.fair << first,
                    };
                    edges.extend(place.edges.iter().map(|&(to, moved, taken)| follow(to, moved, taken)));
                    edges.extend(place.is_end.then(|| follow(number, 0, 0)));
                }
            }
        }
        // From where a run may stay unobserved for ever, it may go to where the last letter is repeated.
        let diverges = self.diverging();
        for (number, place) in self.places.iter().enumerate() {
            let Some(valuation) = place.valuation.filter(|_| place.is_observed && place.is_settled) else {
                continue;
            };
            if !place.edges.iter().any(|&(to, ..)| diverges[to]) {
                continue;
            }
            let base = product.len();
            product.resize(base + states, Vec::new());
            for state in claim.states() {
                for edge in claim.edges(state).iter().filter(|edge| edge.cube.holds(valuation)) {
                    let to = base + edge.to.index();
                    let marks = observed | edge.marks.0 << 1 | threads;
                    product[number * states + state.index()].push(Arc { to, marks: 0, required: 0 });
                    product[base + state.index()].push(Arc { to, marks, required: 0 });
                }
            }
        }
        let initial = (0..self.beginnings).map(|place| place * states + claim.initial.index());
        has_component(&product, initial, all)
    }

    /// From which places a run may go on for ever without being observed.
    pub fn diverging(&self) -> Vec<bool> {
        let mut diverges: Vec<bool> = self.places.iter().map(|place| !place.is_observed).collect();
        loop {
            let goes_on = |place: &Place| place.edges.iter().any(|&(to, ..)| diverges[to]);
            let next: Vec<bool> =
                self.places.iter().map(|place| !place.is_observed && goes_on(place)).collect();
            if next == diverges {
                return next;
            }
            diverges = next;
        }
    }
}

fn of_words(formula: &Formula) -> Automaton {
    let mut terms = Terms::default();
    let term = terms.of(formula, false);
    tableau(&terms, term, Limits::default()).expect("small formulas have small tableaux")
}

/// An edge of the product, with its marks and the marks that it requires to be met again and again.
#[derive(Clone, Copy)]
struct Arc {
    to: usize,
    marks: u64,
    required: u64,
}

/// Whether a strongly connected set of edges that can be reached from one of `initial` has all of these
/// marks, and all that it requires.
///
/// For some set of marks it meets all of them and requires no other. These sets are found from above: a
/// component lacks some of the marks that it requires, so no set of edges in it has them, and edges that
/// require them are left out.
fn has_component(edges: &[Vec<Arc>], initial: impl Iterator<Item = usize>, all: u64) -> bool {
    let mut reached = vec![false; edges.len()];
    let mut open: Vec<usize> = initial.collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(edges[node].iter().map(|edge| edge.to));
        }
    }
    let is_reached = |node: usize| if reached[node] { edges[node].clone() } else { Vec::new() };
    let mut parts = vec![(0..edges.len()).map(is_reached).collect::<Vec<_>>()];
    while let Some(edges) = parts.pop() {
        let component = components(&edges);
        let (mut marks, mut required) = (vec![0; edges.len()], vec![0; edges.len()]);
        for (node, out) in edges.iter().enumerate() {
            for edge in out.iter().filter(|edge| component[edge.to] == component[node]) {
                marks[component[node]] |= edge.marks;
                required[component[node]] |= edge.required;
            }
        }
        if (0..edges.len()).any(|root| marks[root] & all == all && required[root] & !marks[root] == 0) {
            return true;
        }
        let mut is_smaller = false;
        let mut rest = edges.clone();
        for (node, out) in rest.iter_mut().enumerate() {
            let root = component[node];
            let before = out.len();
            out.retain(|edge| component[edge.to] == root && edge.required & !marks[root] == 0);
            is_smaller |= out.len() < before;
        }
        parts.extend(is_smaller.then_some(rest));
    }
    false
}

/// By node: a node that stands for its component.
fn components(edges: &[Vec<Arc>]) -> Vec<usize> {
    // Kosaraju's algorithm: against the edges, in the order in which the nodes were left.
    let mut seen = vec![false; edges.len()];
    let mut left = Vec::new();
    for root in 0..edges.len() {
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            stack.push((root, 0));
        }
        while let Some((node, place)) = stack.pop() {
            let Some(edge) = edges[node].get(place) else {
                left.push(node);
                continue;
            };
            stack.push((node, place + 1));
            if !std::mem::replace(&mut seen[edge.to], true) {
                stack.push((edge.to, 0));
            }
        }
    }
    let mut back = vec![Vec::new(); edges.len()];
    for &node in &left {
        edges[node].iter().for_each(|edge| back[edge.to].push(node));
    }
    let mut component = vec![usize::MAX; edges.len()];
    for &root in left.iter().rev() {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if component[node] == usize::MAX {
                component[node] = root;
                open.extend(&back[node]);
            }
        }
    }
    component
}

/// Whether no continuation of the run that these steps make satisfies the property, about this individual if
/// it is about one.
pub fn is_hopeless(naive: &Naive<'_>, property: &Property, individual: Option<u32>, steps: &[Step]) -> bool {
    let PropertyKind::Formula(formula) = &property.kind else { unreachable!("only formulas are random") };
    let mut word = Vec::new();
    let mut state = naive.initial();
    for step in steps.iter().map(Some).chain([None]) {
        if state.exclusive.is_none() {
            let thread = property.each.as_ref().zip(individual);
            let thread = thread.and_then(|(each, serial)| state.individual(each.procedure, serial));
            let valuation = naive.valuation_about(&state, property, thread);
            word.push(valuation.expect("its propositions can be told"));
        }
        if let Some(&step) = step {
            state = naive.fire(&state, step).expect("the step is possible");
        }
    }
    let end = State(word.len() as u32);
    let letter = |(at, valuation): (u32, u64)| {
        let among = if property.props.len() < 64 { (1 << property.props.len()) - 1 } else { u64::MAX };
        vec![Edge { to: State(at + 1), marks: Marks::NONE, cube: Cube::exactly(valuation, among) }]
    };
    let mut edges: Vec<_> = (0..).zip(word).map(letter).collect();
    edges.push(vec![Edge { to: end, marks: Marks::NONE, cube: Cube::TRUE }]);
    let beginning = Automaton { initial: State(0), edges, sets: 0 };
    beginning.product(&of_words(formula)).is_empty()
}
