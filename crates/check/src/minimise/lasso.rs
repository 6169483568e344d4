//! Shorter runs that violate a temporal property.
//!
//! Such a run is a way to a cycle and the cycle, or a way to a state in which the run ends, or a way after
//! which the property is violated whatever happens next. What the automaton of the violating runs may have
//! read so far is a set of its states; a shortest way is looked for among pairs of a state of the model and
//! such a set, so that no way is taken for another one that the property tells apart. A shorter cycle is
//! looked for from each state of the one at hand, together with one state of the automaton: it must lead back
//! to both, through all acceptance sets, and past no thread that can always move, if the run is to be fair.

use std::collections::HashMap;

use ltl::strength::{Strength, Weakness};
use ltl::{Automaton, Marks, State};
use system::Step;

use super::graph::{Graph, StateNumber};
use super::paths::calmest_path;
use crate::replay::Cycle;

/// The automaton's states must fit into a word.
const MOST_STATES: usize = 64;
/// The number of cycles that are tried.
const MOST_CYCLES: usize = 64;

/// How a run goes on, in the states of a graph.
pub enum Continuation {
    /// Along a cycle: its states and steps.
    Cycle(Vec<(StateNumber, Step)>),
    /// The run ends.
    End,
    /// The property is violated whatever happens next.
    Anything,
}

impl Continuation {
    /// The number of steps that a trail shows of it.
    pub fn steps(&self) -> usize {
        match self {
            Self::Cycle(cycle) => cycle.len(),
            Self::End | Self::Anything => 0,
        }
    }
}

/// The runs that violate a property, in a graph.
pub struct Lassos<'a, 'g> {
    pub graph: &'a mut Graph<'g>,
    pub automaton: &'a Automaton,
    pub is_fair: bool,
    accepts_all: Vec<bool>,
}

/// A state of the model, and the states in which the automaton may be.
type Place = (StateNumber, u64);

/// A state of a cycle: of the model, of the automaton, the marks so far, and the threads that could always
/// move so far, and did not.
type OnCycle = (StateNumber, State, Marks, Vec<u32>);

impl<'a, 'g> Lassos<'a, 'g> {
    /// There is nothing to search if the automaton is too large.
    pub fn new(graph: &'a mut Graph<'g>, automaton: &'a Automaton, is_fair: bool) -> Option<Self> {
        let weakness = Weakness::of(automaton);
        let is_terminal = weakness.strength == Strength::Terminal;
        let accepts_all = automaton.states().map(|state| is_terminal && weakness.accepts(state)).collect();
        (automaton.edges.len() <= MOST_STATES).then_some(Self { graph, automaton, is_fair, accepts_all })
    }

    /// The states in which the automaton may be after a letter. An unobserved state has none.
    fn read(&self, states: u64, letter: Option<u64>) -> u64 {
        let Some(letter) = letter else { return states };
        let reads = |state: &State| states >> state.0 & 1 != 0;
        let edges = self.automaton.states().filter(reads).flat_map(|state| self.automaton.edges(state));
        edges.filter(|edge| edge.cube.holds(letter)).fold(0, |states, edge| states | 1 << edge.to.0)
    }

    /// A shortest run of at most `depth` steps before the continuation, and where its cycle begins, that
    /// `accept` takes.
    pub fn way(
        &mut self,
        to: &Continuation,
        depth: usize,
        mut accept: impl FnMut(&[Step], Option<Cycle>) -> bool,
    ) -> bool {
        let start = (self.graph.initial(), 1 << self.automaton.initial.0);
        let heads: HashMap<StateNumber, usize> = match to {
            Continuation::Cycle(cycle) => {
                cycle.iter().enumerate().rev().map(|(at, &(state, _))| (state, at)).collect()
            }
            Continuation::End | Continuation::Anything => HashMap::new(),
        };
        // Goals are asked for after the state was expanded, if at all: the graph cannot be borrowed twice.
        let mut ends: HashMap<Place, bool> = HashMap::new();
        let this = std::cell::RefCell::new(self);
        let expand = |&(state, states): &Place| {
            let mut this = this.borrow_mut();
            let Some(around) = this.graph.around(state) else { return Vec::new() };
            let next = this.read(states, around.letter);
            if next == 0 {
                return Vec::new();
            }
            around.edges.iter().map(|edge| (edge.step, (edge.to, next))).collect()
        };
        let is_goal = |&(state, states): &Place| {
            let mut this = this.borrow_mut();
            match to {
                Continuation::Cycle(_) => heads.contains_key(&state),
                Continuation::End => this.graph.around(state).is_some_and(|around| around.is_end),
                Continuation::Anything => {
                    let letter = this.graph.around(state).and_then(|around| around.letter);
                    let next = letter.map_or(0, |letter| this.read(states, Some(letter)));
                    (0..MOST_STATES).any(|state| next >> state & 1 != 0 && this.accepts_all[state])
                }
            }
        };
        let found = calmest_path(&start, depth, expand, is_goal, |place, path| {
            // What follows depends on nothing but the place.
            if let Some(&known) = ends.get(place) {
                return known;
            }
            let mut steps = path.to_vec();
            let start = steps.len();
            let cycle = match to {
                Continuation::Anything => None,
                Continuation::End => Some(Cycle { start, closed: true }),
                Continuation::Cycle(cycle) => {
                    let (before, behind) = cycle.split_at(heads[&place.0]);
                    steps.extend(behind.iter().chain(before).map(|&(_, step)| step));
                    Some(Cycle { start, closed: true })
                }
            };
            let is_accepted = accept(&steps, cycle);
            ends.insert(*place, is_accepted);
            is_accepted
        });
        found.is_some()
    }

    /// Cycles with fewer steps through states of a cycle, and the cycle itself.
    pub fn cycles(&mut self, cycle: &[(StateNumber, Step)]) -> Vec<Vec<(StateNumber, Step)>> {
        let mut found = vec![cycle.to_vec()];
        for &(head, _) in cycle {
            for state in self.automaton.states() {
                if found.len() <= MOST_CYCLES
                    && let Some(shorter) = self.shortest_cycle(head, state, cycle.len())
                {
                    found.push(shorter);
                }
            }
        }
        found.sort_by_key(Vec::len);
        found
    }

    /// A shortest accepted cycle of at most `most` steps from a state back to it.
    fn shortest_cycle(
        &mut self,
        head: StateNumber,
        state: State,
        most: usize,
    ) -> Option<Vec<(StateNumber, Step)>> {
        let around = self.graph.around(head)?;
        let waiting = if self.is_fair { around.enabled.clone() } else { Vec::new() };
        // The head is not at its end again before a step was taken.
        let start: (OnCycle, bool) = ((head, state, Marks::NONE, waiting), false);
        let (all, individual) = (Marks::all(self.automaton.sets), self.graph.individual(head));
        let this = std::cell::RefCell::new(self);
        let expand = |((at, state, marks, waiting), _): &(OnCycle, bool)| {
            let mut this = this.borrow_mut();
            let Some(around) = this.graph.around(*at) else { return Vec::new() };
            let mut next = Vec::new();
            for edge in &around.edges {
                let Some(there) = this.graph.around(edge.to) else { continue };
                let is_waiting = |thread: &u32| {
                    *thread != edge.step.thread
                        && Some(*thread) != edge.partner
                        && (there.letter.is_none() || there.enabled.contains(thread))
                };
                let waiting: Vec<u32> = waiting.iter().copied().filter(is_waiting).collect();
                match around.letter {
                    None => next.push((edge.step, ((edge.to, *state, *marks, waiting), true))),
                    Some(letter) => {
                        let reads = this.automaton.edges(*state).iter();
                        next.extend(reads.filter(|read| read.cube.holds(letter)).map(|read| {
                            let marks = marks.with(read.marks);
                            (edge.step, ((edge.to, read.to, marks, waiting.clone()), true))
                        }));
                    }
                }
            }
            next
        };
        let is_goal = |((at, here, marks, waiting), has_moved): &(OnCycle, bool)| {
            *has_moved && (*at, *here, *marks) == (head, state, all) && waiting.is_empty()
        };
        let path = calmest_path(&start, most, expand, is_goal, |_, _| true)?;
        let this = this.into_inner();
        let run = this.graph.follow(head, &path)?;
        let comes_back = run.last().is_some_and(|(_, edge)| this.graph.individual(edge.to) == individual);
        comes_back.then(|| run.into_iter().map(|(at, edge)| (at, edge.step)).collect())
    }
}
