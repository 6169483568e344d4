//! Weak fairness where threads are renamed: what becomes of each thread in a component.
//!
//! Where states that differ in the names of threads are one, an acceptance set for each thread says nothing: on a cycle of nodes,
//! whoever is called `i` at its end may be another one than at its beginning. So the sets of threads are left aside while components
//! are sought, and one that has all marks of the automaton is looked at again, thread by thread (after Emerson and Sistla, 1997).
//!
//! The nodes of the *thread graph* are pairs: a node of the component, and a name of a thread there. An edge of the component on which
//! the thread moves, on whose source it is disabled, or after which it is gone, is *good* for the pair. Every other edge leads on, to
//! its target and what the thread is called there. Two steps to one node may call threads differently, so every step counts.
//!
//! **The component has a fair run if and only if from every pair there is a way to a good edge.** If so, serve one thread after the
//! other, in the order in which they have waited or came to be: from where the run is, go the way that is good for the next one. Nobody waits
//! for ever, as there is room for finitely many threads. If not, some pair has no such way, and no pair that can be reached from it.
//! The component is strongly connected, so every one of its nodes has such a pair: in whichever way a run stays in the component, it has a
//! thread that can always move and never does. The same goes for every part of the component that is strongly connected: so to
//! look at components that cannot be extended is enough. (Threads that are created or end need no care: a thread that ends moves.)
//!
//! Names need not be canonical for that: an edge tells what threads were called before and after the step that was taken.

use std::hash::Hash;
use std::ops::ControlFlow;
use std::rc::Rc;

use ltl::strength::Weakness;
use ltl::{Marks, State};
use rustc_hash::FxHashMap;
use store::{Budget, Chunked, Full};
use system::Temporal;

use super::marks::Sets;
use super::reader::Reader;
use crate::explore::or_stop;
use crate::outcome::StopReason;

/// What becomes of a thread along an edge that is good for it.
pub const GOOD: u32 = u32::MAX;

/// Farther than any way.
pub const NEVER: u32 = u32::MAX;

/// So many new labels ask for memory at a time, so many bytes each and for each thread.
const BATCH: usize = 1 << 10;
const LABEL_BYTES: usize = 128;
const THREAD_BYTES: usize = 8;

/// So many bytes need not be asked for.
const SMALL: usize = 1 << 18;

/// What an edge means.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The automaton's, where they matter.
    pub marks: Marks,
    /// By name at the source of the edge: the name of that thread at its target, or [`GOOD`].
    pub fates: Vec<u32>,
}

/// An edge between nodes, with the number of its label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub to: u32,
    pub from: u32,
    pub label: u32,
}

/// The edges between nodes that are live, as a search for components meets them.
pub struct Threads {
    edges: Chunked<Edge>,
    labels: Interned<Label>,
    names: Interned<Vec<u32>>,
    /// The nodes from the initial one to where the search is: their numbers, those of their names, and the states of the automaton.
    path: Chunked<(u32, u32, State)>,
    /// By state of the automaton: whether it is in a component with all marks. Others do not matter.
    accepting: Vec<bool>,
    /// How many threads a node has at most, so far.
    most: usize,
    budget: Budget,
}

impl Threads {
    pub fn new(reader: &Reader, budget: &Budget) -> Self {
        let weakness = Weakness::of(&reader.automaton);
        let accepts = |state| weakness.accepts(state) || state == reader.diverging;
        Self {
            edges: Chunked::new(budget),
            labels: Interned::default(),
            names: Interned::default(),
            path: Chunked::new(budget),
            accepting: reader.automaton.states().map(accepts).collect(),
            most: 0,
            budget: budget.clone(),
        }
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Forgets all edges but the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.edges.truncate(len);
    }

    /// The search goes on from the node of this number, of which these are the states.
    pub fn enter<S: Temporal>(
        &mut self,
        system: &S,
        state: &mut S::State,
        claimed: State,
        number: u32,
    ) -> ControlFlow<StopReason> {
        let mut names = Vec::new();
        system.thread_names(state, &mut names);
        self.most = self.most.max(names.len());
        let names = or_stop(self.names.number(names, &self.budget))?;
        or_stop(self.path.push((number, names, claimed)))
    }

    pub fn leave(&mut self) {
        self.path.pop();
    }

    /// Takes note of an edge from the last node that was entered to the one of this number, of which these are the states.
    pub fn add<S: Temporal, const N: usize>(
        &mut self,
        system: &S,
        state: &mut S::State,
        claimed: State,
        to: u32,
        marks: Sets<N>,
    ) -> ControlFlow<StopReason> {
        let Some((from, names, left)) = self.path.last() else { return ControlFlow::Continue(()) };
        if !self.accepting[left.index()] || !self.accepting[claimed.index()] {
            return ControlFlow::Continue(());
        }
        let (before, mut after) = (Rc::clone(&self.names.all[names as usize]), Vec::new());
        system.thread_names(state, &mut after);
        let label = Label { marks: Marks::NONE, ..Label::new(&before, &after, marks) };
        let label = or_stop(self.labels.number(label, &self.budget))?;
        or_stop(self.edges.push(Edge { to, from, label }))
    }

    /// Whether there is a fair run in the component that has the edges after the first `start` ones, and nodes with numbers from
    /// `root` on.
    pub fn is_fair(&self, start: usize, root: u32, nodes: usize) -> ControlFlow<StopReason, bool> {
        if !Graph::fits(nodes, self.edges.len() - start, self.most, &self.budget) {
            return ControlFlow::Break(StopReason::Memory);
        }
        let edges = (start..self.edges.len()).map(|at| {
            let Edge { from, to, label } = self.edges[at];
            Edge { from: from - root, to: to - root, label }
        });
        ControlFlow::Continue(Graph::new(nodes, edges.collect()).fair(&self.labels.all).is_some())
    }
}

impl Label {
    /// Of an edge with these marks, where threads have names before and after it, by id.
    pub fn new<const N: usize>(before: &[u32], after: &[u32], marks: Sets<N>) -> Self {
        Self { marks: marks.marks(), fates: fates(before, after, |id| marks.has_thread(id)) }
    }
}

/// By name before a step: the name after it, or [`GOOD`], where both are given by id.
fn fates(before: &[u32], after: &[u32], is_good: impl Fn(u32) -> bool) -> Vec<u32> {
    let named = || before.iter().zip(0..).filter(|&(&name, _)| name != u32::MAX);
    let mut fates = vec![GOOD; named().map(|(&name, _)| name as usize + 1).max().unwrap_or_default()];
    for (&name, id) in named() {
        // Who is not there afterwards has no name, which is good.
        fates[name as usize] =
            if is_good(id) { GOOD } else { after.get(id as usize).copied().unwrap_or(GOOD) };
    }
    fates
}

/// Values by number.
pub struct Interned<T> {
    pub all: Vec<Rc<T>>,
    numbers: FxHashMap<Rc<T>, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Hash + Eq> Interned<T> {
    pub fn number(&mut self, value: T, budget: &Budget) -> Result<u32, Full> {
        if let Some(&number) = self.numbers.get(&value) {
            return Ok(number);
        }
        let number = self.all.len();
        let bytes = LABEL_BYTES + THREAD_BYTES * super::marks::THREADS as usize;
        if number.is_multiple_of(BATCH) && !budget.allows(BATCH * bytes) {
            return Err(Full::Memory);
        }
        let value = Rc::new(value);
        self.all.push(Rc::clone(&value));
        self.numbers.insert(value, number as u32);
        Ok(number as u32)
    }
}

/// A graph that is strongly connected, with what its edges mean for threads.
pub struct Graph {
    nodes: usize,
    /// In the order of their targets.
    edges: Vec<Edge>,
    /// Where the edges to each node begin.
    starts: Vec<u32>,
}

impl Graph {
    /// Whether there is memory for a look at so many nodes and edges, with so many threads at most.
    pub fn fits(nodes: usize, edges: usize, threads: usize, budget: &Budget) -> bool {
        let bytes = edges * size_of::<Edge>() + nodes * (1 + 3 * threads) * size_of::<u32>();
        bytes < SMALL || budget.allows(bytes)
    }

    pub fn new(nodes: usize, mut edges: Vec<Edge>) -> Self {
        edges.sort_unstable();
        edges.dedup();
        let starts = (0..=nodes).map(|node| edges.partition_point(|edge| (edge.to as usize) < node) as u32);
        Self { nodes, starts: starts.collect(), edges }
    }

    fn edges_to(&self, node: usize) -> impl Iterator<Item = Edge> {
        self.edges[self.starts[node] as usize..self.starts[node + 1] as usize].iter().copied()
    }

    /// By node: how many edges lead to and over the next one that is a goal.
    fn distances(&self, is_goal: impl Fn(Edge) -> bool) -> Vec<u32> {
        let mut distances = vec![NEVER; self.nodes];
        let mut queue = Vec::new();
        for &edge in self.edges.iter().filter(|&&edge| is_goal(edge)) {
            if std::mem::replace(&mut distances[edge.from as usize], 1) == NEVER {
                queue.push(edge.from as usize);
            }
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for from in self.edges_to(node).map(|edge| edge.from as usize) {
                if distances[from] == NEVER {
                    distances[from] = distances[node] + 1;
                    queue.push(from);
                }
            }
        }
        distances
    }

    /// The ways to good edges, if there is one from every pair. Labels of edges are given by number.
    pub fn fair(self, labels: &[Rc<Label>]) -> Option<Fair> {
        let most = self.edges.iter().map(|edge| labels[edge.label as usize].fates.len()).max();
        let threads = most.unwrap_or_default();
        let distances = self.turns(labels, threads)?;
        Some(Fair { graph: self, labels: labels.to_vec(), threads, distances })
    }

    /// By pair: how many edges lead to and over the next one that is good. There is none if from some pair there is no way.
    fn turns(&self, labels: &[Rc<Label>], threads: usize) -> Option<Vec<u32>> {
        let fates = |edge: Edge| labels[edge.label as usize].fates.iter().copied().enumerate();
        let pair = |node: u32, name: usize| node as usize * threads + name;
        let mut distances = vec![NEVER; self.nodes * threads];
        let mut queue = Vec::new();
        for &edge in &self.edges {
            for (name, _) in fates(edge).filter(|&(_, fate)| fate == GOOD) {
                if std::mem::replace(&mut distances[pair(edge.from, name)], 1) == NEVER {
                    queue.push((edge.from, name));
                }
            }
        }
        let mut next = 0;
        while let Some(&(node, called)) = queue.get(next) {
            next += 1;
            for edge in self.edges_to(node as usize) {
                for (name, _) in fates(edge).filter(|&(_, fate)| fate as usize == called) {
                    if distances[pair(edge.from, name)] == NEVER {
                        distances[pair(edge.from, name)] = distances[pair(node, called)] + 1;
                        queue.push((edge.from, name));
                    }
                }
            }
        }
        let is_served = |&edge: &Edge| fates(edge).all(|(name, _)| distances[pair(edge.from, name)] != NEVER);
        self.edges.iter().all(is_served).then_some(distances)
    }
}

/// A component with a fair run, and the ways in it.
pub struct Fair {
    graph: Graph,
    labels: Vec<Rc<Label>>,
    threads: usize,
    /// By node and name.
    distances: Vec<u32>,
}

impl Fair {
    /// How far it is from a node to what is good for the thread of this name.
    pub fn to_turn(&self, node: usize, name: u32) -> u32 {
        let at = node * self.threads + name as usize;
        if (name as usize) < self.threads { self.distances[at] } else { NEVER }
    }

    /// How far it is from each node to an edge with the mark.
    pub fn to_mark(&self, set: u32) -> Vec<u32> {
        self.graph.distances(|edge| self.labels[edge.label as usize].marks.contains(Marks::one(set)))
    }

    /// How far it is from each node to another one, by one edge at least.
    pub fn to_node(&self, node: usize) -> Vec<u32> {
        self.graph.distances(|edge| edge.to as usize == node)
    }
}

#[cfg(test)]
mod tests;
