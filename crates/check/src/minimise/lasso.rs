//! Shorter runs that violate a temporal property.
//!
//! Such a run is a way to a cycle and the cycle, or a way to a state in which the run ends, or a way after
//! which the property is violated whatever happens next. What the automaton of the violating runs may have
//! read so far is a set of its states; a shortest way is looked for among pairs of a state of the model and
//! such a set, so that no way is taken for another one that the property tells apart. A shorter cycle is
//! looked for from each state of the one at hand, together with one state of the automaton: it must lead back
//! to both, through all acceptance sets, and past no thread that can always move, if the run is to be fair.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use ltl::strength::{Strength, Weakness};
use ltl::{Automaton, Marks, State};
use system::Step;

use super::graph::{Graph, StateNumber};
use super::paths::calmest_path;
use crate::replay::Cycle;

/// The states of the automaton, and the threads, must fit into a word.
const MOST: usize = 64;
/// The number of cycles that are looked at.
const MOST_CYCLES: usize = 64;
/// The number of runs that are tried.
const TRIES: usize = 64;

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

/// A state of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct OnCycle {
    at: StateNumber,
    state: State,
    /// The marks so far.
    marks: Marks,
    /// The threads that could always move so far, and did not, a bit each.
    waiting: u64,
    /// At least one step was taken.
    has_moved: bool,
}

impl<'a, 'g> Lassos<'a, 'g> {
    /// There is nothing to search if the automaton is too large.
    pub fn new(graph: &'a mut Graph<'g>, automaton: &'a Automaton, is_fair: bool) -> Option<Self> {
        let weakness = Weakness::of(automaton);
        let is_terminal = weakness.strength == Strength::Terminal;
        let accepts_all = automaton.states().map(|state| is_terminal && weakness.accepts(state)).collect();
        (automaton.edges.len() <= MOST).then_some(Self { graph, automaton, is_fair, accepts_all })
    }

    /// The states in which the automaton may be after a letter. An unobserved state has none.
    fn read(&self, states: u64, letter: Option<u64>) -> u64 {
        let Some(letter) = letter else { return states };
        let reads = |state: &State| states >> state.0 & 1 != 0;
        let edges = self.automaton.states().filter(reads).flat_map(|state| self.automaton.edges(state));
        edges.filter(|edge| edge.cube.holds(letter)).fold(0, |states, edge| states | 1 << edge.to.0)
    }

    /// Looks for runs that are better than one of `best` steps and changes of thread: a way, and then one of
    /// the continuations. `offer` says whether a run is what it is said to be.
    pub fn search(
        &mut self,
        to: &[Continuation],
        best: (usize, usize),
        mut offer: impl FnMut(&[Step], Option<Cycle>) -> bool,
    ) {
        let start = (self.graph.initial(), 1 << self.automaton.initial.0);
        let mut heads: HashMap<StateNumber, Vec<(usize, usize)>> = HashMap::new();
        for (number, continuation) in to.iter().enumerate() {
            let Continuation::Cycle(cycle) = continuation else { continue };
            for (at, &(state, _)) in cycle.iter().enumerate() {
                heads.entry(state).or_default().push((number, at));
            }
        }
        let ends = to.iter().any(|continuation| matches!(continuation, Continuation::End));
        let anything = to.iter().any(|continuation| matches!(continuation, Continuation::Anything));
        let shortest = to.iter().map(Continuation::steps).min().unwrap_or(0);
        let (best, this) = (Cell::new(best), RefCell::new(self));
        let expand = |&(state, states): &Place| {
            let mut this = this.borrow_mut();
            let Some(around) = this.graph.around(state) else { return Vec::new() };
            let next = this.read(states, around.letter);
            if next == 0 {
                // No run that goes on from here violates the property.
                return Vec::new();
            }
            around.edges.iter().map(|edge| (edge.step, (edge.to, next))).collect()
        };
        let is_goal = |&(state, states): &Place| {
            let mut this = this.borrow_mut();
            if ends {
                return this.graph.around(state).is_some_and(|around| around.is_end);
            }
            if anything {
                let letter = this.graph.around(state).and_then(|around| around.letter);
                let next = letter.map_or(0, |letter| this.read(states, Some(letter)));
                return (0..this.accepts_all.len()).any(|at| next >> at & 1 != 0 && this.accepts_all[at]);
            }
            heads.contains_key(&state)
        };
        let mut tries = 0;
        let mut refuted: HashSet<(Place, usize, usize)> = HashSet::new();
        let mut attempt = |place: &Place, path: &[Step], (number, at): (usize, usize)| {
            let mut steps = path.to_vec();
            let cycle = Cycle { start: steps.len(), closed: true };
            let cycle = match &to[number] {
                Continuation::Anything => None,
                Continuation::End => Some(cycle),
                Continuation::Cycle(of) => {
                    let (before, behind) = of.split_at(at);
                    steps.extend(behind.iter().chain(before).map(|&(_, step)| step));
                    Some(cycle)
                }
            };
            // Whether it is a violation depends on nothing but the place and what follows.
            let is_better = (steps.len(), changes(&steps)) < best.get();
            if is_better && !refuted.contains(&(*place, number, at)) {
                tries += 1;
                if offer(&steps, cycle) {
                    best.set((steps.len(), changes(&steps)));
                } else {
                    refuted.insert((*place, number, at));
                }
            }
            tries >= TRIES
        };
        let is_long = |taken: usize| taken + shortest >= best.get().0;
        calmest_path(&start, is_long, expand, is_goal, |place, path| match heads.get(&place.0) {
            Some(heads) => heads.iter().any(|&head| attempt(place, path, head)),
            None => attempt(place, path, (0, 0)),
        });
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
        let waiting = if self.is_fair { set(&around.enabled)? } else { 0 };
        let start = OnCycle { at: head, state, marks: Marks::NONE, waiting, has_moved: false };
        let (all, individual) = (Marks::all(self.automaton.sets), self.graph.individual(head));
        let this = RefCell::new(self);
        let expand = |here: &OnCycle| {
            let mut this = this.borrow_mut();
            let Some(around) = this.graph.around(here.at) else { return Vec::new() };
            let mut next = Vec::new();
            for edge in &around.edges {
                let mut there = OnCycle { at: edge.to, has_moved: true, ..*here };
                if here.waiting != 0 {
                    let Some(target) = this.graph.around(edge.to) else { continue };
                    let moved = [Some(edge.step.thread), edge.partner].into_iter().flatten();
                    there.waiting = moved.fold(there.waiting, |waiting, thread| waiting & !bit(thread));
                    // Inside of an atomic block, other threads are not offered steps.
                    if target.letter.is_some() {
                        there.waiting &= set(&target.enabled).unwrap_or(u64::MAX);
                    }
                }
                match around.letter {
                    None => next.push((edge.step, there)),
                    Some(letter) => {
                        let reads = this.automaton.edges(here.state).iter();
                        next.extend(reads.filter(|read| read.cube.holds(letter)).map(|read| {
                            let marks = here.marks.with(read.marks);
                            (edge.step, OnCycle { state: read.to, marks, ..there })
                        }));
                    }
                }
            }
            next
        };
        let goal = OnCycle { at: head, state, marks: all, waiting: 0, has_moved: true };
        let is_long = |taken| taken >= most;
        let path = calmest_path(&start, is_long, expand, |here| *here == goal, |_, _| true)?;
        let this = this.into_inner();
        let run = this.graph.follow(head, &path)?;
        let comes_back = run.last().is_some_and(|(_, edge)| this.graph.individual(edge.to) == individual);
        comes_back.then(|| run.into_iter().map(|(at, edge)| (at, edge.step)).collect())
    }
}

fn bit(thread: u32) -> u64 {
    1_u64.checked_shl(thread).unwrap_or(0)
}

/// Threads, a bit each, if they are not too many.
fn set(threads: &[u32]) -> Option<u64> {
    let fit = threads.iter().all(|&thread| (thread as usize) < MOST);
    fit.then(|| threads.iter().fold(0, |set, &thread| set | bit(thread)))
}

/// How often steps change from a thread to another.
fn changes(steps: &[Step]) -> usize {
    steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}
