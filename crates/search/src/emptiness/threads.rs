//! Weak fairness where threads are renamed: what happens to each thread in a component.
//!
//! Where states that differ only in the names of threads are identified, an acceptance set per thread carries
//! no information: on a cycle of nodes, the thread with name `i` at the end may be another thread than the
//! one with name `i` at the beginning. So the sets of threads are ignored while components are searched, and
//! a component with all marks of the automaton is then examined thread by thread (after Emerson and Sistla,
//! Utilizing symmetry when model-checking under fairness assumptions, TOPLAS 1997).
//!
//! The nodes of the *thread graph* are pairs: a node of the component, and a name of a thread there. An edge
//! of the component *serves* the pair if the thread moves on it, if the thread is disabled in its source, or
//! if the thread no longer exists after it. Every other edge leads from the pair to another one: the target
//! of the edge, and the name of the thread there. Two steps to the same node may rename threads differently,
//! so every step is an edge of its own.
//!
//! **The component has a fair run if and only if every pair has a path to an edge that serves it.** If every
//! pair has one, serve one thread after the other, in the order in which they have waited or were created:
//! from the current state, take the path to the edge that serves the next thread. No thread waits for ever,
//! because the number of threads is bounded. Conversely, suppose that some pair has no such path; then
//! neither has any pair that can be reached from it. The component is strongly connected, so every one of its
//! nodes has such a pair: every run that stays in the component has a thread that is always enabled and never
//! moves. The same holds for every strongly connected part of the component, so it is enough to examine
//! maximal components. (The creation and the end of threads need no special treatment: a thread that ends
//! moves.)
//!
//! The names need not be canonical for this: an edge records the names of the threads before and after the
//! step that was taken.

use std::hash::Hash;
use std::ops::ControlFlow;
use std::rc::Rc;

use ltl::strength::Weakness;
use ltl::{Marks, State};
use rustc_hash::FxHashMap;
use store::{Budget, Chunked, Full};
use system::Temporal;

use super::acceptance::Sets;
use super::reader::Reader;
use crate::outcome::StopReason;
use crate::sink::or_stop;

/// The fate of a thread along an edge that serves it.
pub const SERVED: u32 = u32::MAX;

/// The distance of a goal that cannot be reached.
pub const NEVER: u32 = u32::MAX;

/// Memory is requested from the budget once per this many new labels: this many bytes for each label, and for
/// each thread in it.
const BATCH: usize = 1 << 10;
const LABEL_BYTES: usize = 128;
const THREAD_BYTES: usize = 8;

/// Up to this number of bytes the budget is not asked.
const SMALL: usize = 1 << 18;

/// What an edge means for marks and threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The marks of the automaton, where they matter.
    pub marks: Marks,
    /// By name at the source of the edge: the name of that thread at the target, or [`SERVED`].
    pub fates: Vec<u32>,
}

/// An edge between nodes, with the number of its label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub to: u32,
    pub from: u32,
    pub label: u32,
}

/// The edges between live nodes, in the order in which a search for components finds them.
pub struct Threads {
    edges: Chunked<Edge>,
    labels: Interned<Label>,
    names: Interned<Vec<u32>>,
    /// The nodes from the initial one to the current one: node number, number of the list of names, and state
    /// of the automaton.
    path: Chunked<(u32, u32, State)>,
    /// By state of the automaton: whether it is in a component with all marks. Edges of other states do not
    /// matter.
    accepting: Vec<bool>,
    /// The greatest number of threads of a node so far.
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

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Removes all edges except the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.edges.truncate(len);
    }

    /// The search enters node `number`, which consists of `state` and `claimed`.
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

    /// Adds an edge from the last node that was entered to node `to`, which consists of `state` and
    /// `claimed`.
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

    /// Whether the component whose edges are those from index `start` on, and whose nodes are numbered from
    /// `root` on, has a fair run.
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
    /// The label of an edge with these marks. `before` and `after` are the names of the threads at its two
    /// ends, by thread id.
    pub fn new<const N: usize>(before: &[u32], after: &[u32], marks: Sets<N>) -> Self {
        Self { marks: marks.marks(), fates: fates(before, after, |id| marks.has_thread(id)) }
    }
}

/// By name before a step: the name after it, or [`SERVED`]. `before` and `after` are indexed by thread id.
fn fates(before: &[u32], after: &[u32], serves: impl Fn(u32) -> bool) -> Vec<u32> {
    let named = || before.iter().zip(0..).filter(|&(&name, _)| name != u32::MAX);
    let mut fates = vec![SERVED; named().map(|(&name, _)| name as usize + 1).max().unwrap_or_default()];
    for (&name, id) in named() {
        // A thread that does not exist afterwards has no name, and counts as served.
        fates[name as usize] =
            if serves(id) { SERVED } else { after.get(id as usize).copied().unwrap_or(SERVED) };
    }
    fates
}

/// Distinct values, each with a number.
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
        let bytes = LABEL_BYTES + THREAD_BYTES * super::acceptance::THREADS as usize;
        if number.is_multiple_of(BATCH) && !budget.allows(BATCH * bytes) {
            return Err(Full::Memory);
        }
        let value = Rc::new(value);
        self.all.push(Rc::clone(&value));
        self.numbers.insert(value, number as u32);
        Ok(number as u32)
    }
}

/// A strongly connected graph, with the meaning of its edges for threads.
pub struct Graph {
    nodes: usize,
    /// Sorted by target.
    edges: Vec<Edge>,
    /// For each node, the index of the first edge that leads to it.
    starts: Vec<u32>,
}

impl Graph {
    /// Whether there is memory to examine a graph with these numbers of nodes and edges and at most `threads`
    /// threads.
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

    /// By node: the number of edges on a shortest path whose last edge is a goal.
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

    /// The distances to serving edges, if every pair has one. `labels` is indexed by label number.
    pub fn fair(self, labels: &[Rc<Label>]) -> Option<Fair> {
        let most = self.edges.iter().map(|edge| labels[edge.label as usize].fates.len()).max();
        let threads = most.unwrap_or_default();
        let distances = self.service_distances(labels, threads)?;
        Some(Fair { graph: self, labels: labels.to_vec(), threads, distances })
    }

    /// By pair: the number of edges on a shortest path whose last edge serves it. `None` if some pair has no
    /// such path.
    fn service_distances(&self, labels: &[Rc<Label>], threads: usize) -> Option<Vec<u32>> {
        let fates = |edge: Edge| labels[edge.label as usize].fates.iter().copied().enumerate();
        let pair = |node: u32, name: usize| node as usize * threads + name;
        let mut distances = vec![NEVER; self.nodes * threads];
        let mut queue = Vec::new();
        for &edge in &self.edges {
            for (name, _) in fates(edge).filter(|&(_, fate)| fate == SERVED) {
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

/// A component with a fair run, and distances in it.
pub struct Fair {
    graph: Graph,
    labels: Vec<Rc<Label>>,
    threads: usize,
    /// By pair: the distance to an edge that serves it.
    distances: Vec<u32>,
}

impl Fair {
    /// The distance from a node to an edge that serves the thread with this name.
    pub fn to_service(&self, node: usize, name: u32) -> u32 {
        let at = node * self.threads + name as usize;
        if (name as usize) < self.threads { self.distances[at] } else { NEVER }
    }

    /// By node: the distance to an edge with this mark.
    pub fn to_mark(&self, set: u32) -> Vec<u32> {
        self.graph.distances(|edge| self.labels[edge.label as usize].marks.contains(Marks::one(set)))
    }

    /// By node: the distance to `node`, by at least one edge.
    pub fn to_node(&self, node: usize) -> Vec<u32> {
        self.graph.distances(|edge| edge.to as usize == node)
    }
}

#[cfg(test)]
mod tests;
