//! Direct simulation, forward and backward.
//!
//! A state `q` *simulates* `p` if every step of `p` is matched by a step of `q` with the same letter and at
//! least the same marks, to a state that simulates the target of the step of `p`; the letters of one edge of
//! `p` may be matched by several edges of `q`. Then `q` accepts what `p` accepts, mark by mark. Of states
//! that simulate each other one is kept, with its own edges only; and an edge is superfluous if other edges
//! of its state match it.
//!
//! *Backward*, the same is required of the edges that lead to a state, and an initial state is only simulated
//! by the initial state. That this preserves the language needs König's lemma: a run is matched prefix by
//! prefix, and there are finitely many prefixes of each length. (Both directions: Somenzi and Bloem 2000;
//! Etessami and Holzmann 2000.)

use crate::scc::reachable;
use crate::worklist::Worklist;
use crate::{Automaton, Edge, State};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Forward,
    Backward,
}

/// Merges states that simulate each other, and removes the edges that others match. `compatible(p, q)` says
/// whether `q` may simulate `p`. An automaton for which this would take too long stays as it is.
pub fn reduce(automaton: &mut Automaton, direction: Direction, compatible: impl Fn(State, State) -> bool) {
    let edges: usize = automaton.edges.iter().map(Vec::len).sum();
    // Each round compares the edges of all pairs of states.
    if edges.pow(2) > 4_000_000 {
        return;
    }
    let mut graph = match direction {
        Direction::Forward => automaton.edges.clone(),
        Direction::Backward => reversed(&automaton.edges),
    };
    let relation = Relation::new(&graph, direction, |p, q| {
        let starts = |state| direction == Direction::Backward && state == automaton.initial;
        (starts(q) || !starts(p)) && compatible(p, q)
    });
    // The relation may miss pairs, so it need not be transitive: each state is compared with the
    // representative of its class.
    let mut classes: Vec<State> = Vec::new();
    for state in automaton.states() {
        let stands = |other: &State| classes[other.index()] == *other;
        let like = |other: &State| relation.holds(state, *other) && relation.holds(*other, state);
        let class = (0..state.0).map(State).find(|other| stands(other) && like(other));
        classes.push(class.unwrap_or(state));
    }
    for state in automaton.states() {
        let edges = &mut graph[state.index()];
        if classes[state.index()] != state {
            edges.clear();
            continue;
        }
        for edge in edges.iter_mut() {
            edge.to = classes[edge.to.index()];
        }
        edges.sort_unstable();
        edges.dedup();
        relation.drop_matched(edges);
    }
    automaton.edges = match direction {
        Direction::Forward => graph,
        Direction::Backward => reversed(&graph),
    };
    automaton.initial = classes[automaton.initial.index()];
    keep(automaton, |_| true);
}

/// Merges states that have the same edges, up to the merging. Simulation finds these states too, but is more
/// expensive.
pub fn merge_equal(automaton: &mut Automaton) {
    let mut classes = vec![State(0); automaton.edges.len()];
    let mut count = 1;
    loop {
        let mut signatures = Worklist::default();
        let signature = |state: State| {
            let moved = |edge: &Edge| Edge { to: classes[edge.to.index()], ..*edge };
            let mut edges: Vec<_> = automaton.edges(state).iter().map(moved).collect();
            edges.sort_unstable();
            edges.dedup();
            State(signatures.number((classes[state.index()], edges)))
        };
        let refined: Vec<State> = automaton.states().map(signature).collect();
        let finer = signatures.len();
        classes = refined;
        if finer == count {
            break;
        }
        count = finer;
    }
    // Classes are numbered in the order of their first states.
    let mut edges: Vec<Vec<Edge>> = Vec::with_capacity(count);
    for (own, class) in automaton.edges.iter().zip(&classes) {
        if class.index() == edges.len() {
            edges.push(own.iter().map(|edge| Edge { to: classes[edge.to.index()], ..*edge }).collect());
        }
    }
    automaton.initial = classes[automaton.initial.index()];
    automaton.edges = edges;
}

/// Removes the states that are unreachable or that `useful` rejects. If the initial state is one of them,
/// nothing is left.
pub fn keep(automaton: &mut Automaton, useful: impl Fn(State) -> bool) {
    if !useful(automaton.initial) {
        *automaton = Automaton::empty();
        return;
    }
    for edges in &mut automaton.edges {
        edges.retain(|edge| useful(edge.to));
    }
    let order = reachable(automaton);
    let mut numbers = vec![State(0); automaton.edges.len()];
    for (state, number) in order.iter().zip(0..) {
        numbers[state.index()] = State(number);
    }
    let edges = |state: &State| {
        let edges = automaton.edges(*state).iter();
        edges.map(|edge| Edge { to: numbers[edge.to.index()], ..*edge }).collect()
    };
    automaton.edges = order.iter().map(edges).collect();
    automaton.initial = State(0);
}

/// The graph with all edges reversed.
fn reversed(graph: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut reversed = vec![Vec::new(); graph.len()];
    for (from, edges) in graph.iter().enumerate() {
        for edge in edges {
            reversed[edge.to.index()].push(Edge { to: State(from as u32), ..*edge });
        }
    }
    reversed
}

/// A simulation: the greatest one, except for pairs that would take too long to decide.
struct Relation {
    /// Whether the second state simulates the first one, row by row.
    pairs: Vec<bool>,
    states: usize,
}

impl Relation {
    fn new(graph: &[Vec<Edge>], direction: Direction, compatible: impl Fn(State, State) -> bool) -> Self {
        let states = graph.len();
        let numbers = || (0..states as u32).map(State);
        let pairs = numbers().flat_map(|p| numbers().map(move |q| (p, q)));
        let mut relation = Self { pairs: pairs.map(|(p, q)| p == q || compatible(p, q)).collect(), states };
        // States are numbered in the order of a search. Most states are visited after those they depend on.
        let mut order: Vec<State> = numbers().collect();
        if direction == Direction::Forward {
            order.reverse();
        }
        loop {
            let mut changed = false;
            for &p in &order {
                for q in numbers().filter(|&q| q != p) {
                    let matched = |edge: &Edge| relation.matches(edge, graph[q.index()].iter());
                    if relation.holds(p, q) && !graph[p.index()].iter().all(matched) {
                        relation.pairs[p.index() * states + q.index()] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return relation;
            }
        }
    }

    fn holds(&self, p: State, q: State) -> bool {
        self.pairs[p.index() * self.states + q.index()]
    }

    /// Whether each letter of `edge` is matched by one of `others`.
    fn matches<'e>(&self, edge: &Edge, others: impl Iterator<Item = &'e Edge>) -> bool {
        let better = |other: &&Edge| other.marks.contains(edge.marks) && self.holds(edge.to, other.to);
        let cubes: Vec<_> = others.filter(better).map(|other| other.cube).collect();
        edge.cube.is_covered(&cubes)
    }

    /// Removes edges one by one, each only if edges that remain match it.
    fn drop_matched(&self, edges: &mut Vec<Edge>) {
        let mut i = 0;
        while i < edges.len() {
            let edge = edges.remove(i);
            if !self.matches(&edge, edges.iter()) {
                edges.insert(i, edge);
                i += 1;
            }
        }
    }
}
