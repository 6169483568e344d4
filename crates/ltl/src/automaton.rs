//! Generalized Büchi automata on infinite words.
//!
//! A run is accepting if it takes edges of every acceptance set infinitely often. An edge carries *marks*,
//! one bit for each set that contains it. An automaton without sets accepts every word on which it has an
//! infinite run.
//!
//! A Büchi automaton has one set. It has accepting *states* if all edges of a state have the mark or none has
//! ([`Automaton::accepting_states`]); this is what a never claim needs.

use std::fmt;

use crate::cube::{Cube, minimize};
use crate::lasso::{Lasso, Valuation};
use crate::scc::Components;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State(pub u32);

impl State {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "q{}", self.0)
    }
}

/// A set of acceptance sets, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Marks(pub u64);

impl Marks {
    /// The largest number of acceptance sets.
    pub const LIMIT: u32 = 64;
    pub const NONE: Self = Self(0);

    /// The first `sets` sets.
    pub const fn all(sets: u32) -> Self {
        if sets == 0 { Self(0) } else { Self(u64::MAX >> (Self::LIMIT - sets)) }
    }

    pub const fn one(set: u32) -> Self {
        Self(1 << set)
    }

    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub to: State,
    pub marks: Marks,
    pub cube: Cube,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    pub initial: State,
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// The number of acceptance sets.
    pub sets: u32,
}

impl Automaton {
    /// The automaton that accepts nothing.
    pub fn empty() -> Self {
        Self { initial: State(0), edges: vec![Vec::new()], sets: 0 }
    }

    pub fn states(&self) -> impl Iterator<Item = State> + use<> {
        (0..self.edges.len() as u32).map(State)
    }

    pub fn edges(&self, state: State) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// The number of transitions. Edges between the same states with the same marks count once, since
    /// together they have a disjunction as their label.
    pub fn transitions(&self) -> usize {
        self.states().map(|state| self.grouped(state).len()).sum()
    }

    /// The edges of a state, grouped by target and marks.
    pub fn grouped(&self, state: State) -> Vec<(State, Marks, Vec<Cube>)> {
        let mut edges = self.edges(state).to_vec();
        edges.sort_unstable();
        let groups = edges.chunk_by(|a, b| (a.to, a.marks) == (b.to, b.marks));
        groups
            .map(|group| (group[0].to, group[0].marks, group.iter().map(|edge| edge.cube).collect()))
            .collect()
    }

    /// The accepting states, if acceptance depends on states only. An automaton without sets accepts in all
    /// states. A state without edges does not accept, since no run stays there.
    pub fn accepting_states(&self) -> Option<Vec<bool>> {
        if self.sets > 1 {
            return None;
        }
        let all = Marks::all(self.sets);
        let state = |edges: &Vec<Edge>| {
            let first = edges.first().is_some_and(|edge| edge.marks == all);
            edges.iter().all(|edge| (edge.marks == all) == first).then_some(first)
        };
        self.edges.iter().map(state).collect()
    }

    /// Joins the labels of edges that lead to the same state with the same marks, and makes them small.
    pub fn tidy(&mut self) {
        for state in self.states() {
            let mut edges = Vec::new();
            for (to, marks, mut cubes) in self.grouped(state) {
                // Whether a disjunction depends on a literal takes exponential time in the worst case.
                if cubes.len() <= 100 {
                    minimize(&mut cubes);
                }
                cubes.dedup();
                edges.extend(cubes.into_iter().map(|cube| Edge { to, marks, cube }));
            }
            self.edges[state.index()] = edges;
        }
    }

    /// The automaton of the words that both accept. Its states are the reachable pairs.
    pub fn product(&self, other: &Self) -> Self {
        assert!(self.sets + other.sets <= Marks::LIMIT, "too many acceptance sets for a product");
        let mut pairs = crate::worklist::Worklist::default();
        let initial = State(pairs.number((self.initial, other.initial)));
        let mut edges = Vec::new();
        while let Some((a, b)) = pairs.pop() {
            let mut joined = Vec::new();
            for left in self.edges(a) {
                for right in other.edges(b) {
                    if let Some(cube) = left.cube.and(right.cube) {
                        let to = State(pairs.number((left.to, right.to)));
                        let marks = Marks(left.marks.0 | (right.marks.0.checked_shl(self.sets).unwrap_or(0)));
                        joined.push(Edge { to, marks, cube });
                    }
                }
            }
            edges.push(joined);
        }
        Self { initial, edges, sets: self.sets + other.sets }
    }

    /// Whether no word is accepted: no reachable component has edges of all sets.
    pub fn is_empty(&self) -> bool {
        let components = Components::of(self, |_| true);
        let all = Marks::all(self.sets);
        !components.marks(self).iter().any(|marks| marks.is_some_and(|marks| marks == all))
    }

    /// For each state, whether the word that repeats one letter forever is accepted from there.
    pub fn accepts_for_ever(&self, letter: Valuation) -> Vec<bool> {
        let holds = |edge: &&Edge| edge.cube.holds(letter);
        let edges = self.edges.iter().map(|edges| edges.iter().filter(holds).copied().collect());
        let kept = Self { edges: edges.collect(), ..self.clone() };
        let components = Components::of(self, |edge| edge.cube.holds(letter));
        let (all, marks) = (Marks::all(self.sets), components.marks(&kept));
        let stays = |state| components.component(state).and_then(|component| marks[component]) == Some(all);
        let mut accepted: Vec<bool> = self.states().map(stays).collect();
        let mut grows = true;
        while grows {
            grows = false;
            for state in self.states() {
                let leads_there = kept.edges(state).iter().any(|edge| accepted[edge.to.index()]);
                if leads_there && !accepted[state.index()] {
                    (accepted[state.index()], grows) = (true, true);
                }
            }
        }
        accepted
    }

    /// Whether the word is accepted.
    pub fn accepts(&self, lasso: &Lasso) -> bool {
        let word: Vec<Valuation> = lasso.word().to_vec();
        let edge = |position: usize| Edge {
            to: State(lasso.next(position) as u32),
            marks: Marks::NONE,
            cube: Cube::exactly(word[position], u64::MAX),
        };
        let edges = (0..word.len()).map(|position| vec![edge(position)]).collect();
        !self.product(&Self { initial: State(0), edges, sets: 0 }).is_empty()
    }
}
