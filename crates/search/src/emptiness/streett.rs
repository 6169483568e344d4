//! The parts of a component that have fair runs: strongly connected sets of edges without bad edges. The
//! proof is in [`super::threads`].

use std::ops::Range;
use std::rc::Rc;

use bits::Components;
use ltl::Marks;
use store::Budget;

use super::threads::{Edge, Label, SERVED};

/// The distance of a goal that cannot be reached.
pub const NEVER: u32 = u32::MAX;

/// Up to this number of bytes the budget is not asked.
const SMALL: usize = 1 << 18;

/// Searches a graph for parts with fair runs.
pub struct Parts<'l> {
    labels: &'l [Rc<Label>],
    all: Marks,
    slots: usize,
    /// Strongly connected parts that are to be examined.
    open: Vec<Vec<Edge>>,
    /// By node, during the examination of a part: its number there.
    numbers: Vec<u32>,
}

/// What the examination of one part has shown.
pub enum Examined {
    Fair(Part),
    /// The part is not fair; smaller parts of it may be.
    Unfair,
    /// There are no more parts.
    End,
}

/// A part with a fair run, and distances in it. Its nodes are numbered anew.
pub struct Part {
    graph: Graph,
    /// By number in the part: the node.
    nodes: Vec<u32>,
    slots: usize,
    /// By pair: the distance to an edge that serves it.
    distances: Vec<u32>,
    /// By node: the label of some edge from it.
    labels: Vec<u32>,
}

impl<'l> Parts<'l> {
    /// Whether there is memory to examine a graph with these numbers of nodes and edges and at most `slots`
    /// slots per node.
    pub fn fit(nodes: usize, edges: usize, slots: usize, budget: &Budget) -> bool {
        // The edges of parts, of the part under examination, and by their sources.
        let bytes = 4 * edges * size_of::<Edge>() + nodes * (8 + 4 * slots) * size_of::<u32>();
        bytes < SMALL || budget.allows(bytes)
    }

    /// The parts that have the marks `all`. `labels` is indexed by label number.
    pub fn new(nodes: usize, edges: Vec<Edge>, labels: &'l [Rc<Label>], all: Marks) -> Self {
        let slots = edges.iter().map(|edge| labels[edge.label as usize].fates.len()).max();
        let slots = slots.unwrap_or_default();
        let mut parts = Self { labels, all, slots, open: Vec::new(), numbers: vec![0; nodes] };
        parts.split(edges);
        parts
    }

    /// Examines one part.
    pub fn examine(&mut self) -> Examined {
        let Some(edges) = self.open.pop() else { return Examined::End };
        let marks = edges.iter().fold(Marks::NONE, |marks, edge| marks.with(self.label(*edge).marks));
        if !marks.contains(self.all) {
            return Examined::Unfair;
        }
        let nodes = self.number(&edges);
        let local = edges.iter().map(|&edge| self.local(edge)).collect();
        let graph = Graph::new(nodes.len(), local);
        let distances = graph.service_distances(self.labels, self.slots);
        let is_bad = |edge: &Edge| {
            let from = self.numbers[edge.from as usize] as usize * self.slots;
            self.label(*edge).required.iter().any(|&slot| distances[from + slot as usize] == NEVER)
        };
        let rest: Vec<Edge> = edges.iter().filter(|&edge| !is_bad(edge)).copied().collect();
        if rest.len() == edges.len() {
            let mut labels = vec![0; nodes.len()];
            for edge in &graph.edges {
                labels[edge.from as usize] = edge.label;
            }
            return Examined::Fair(Part { graph, nodes, slots: self.slots, distances, labels });
        }
        drop((edges, graph, distances));
        self.split(rest);
        Examined::Unfair
    }

    fn label(&self, edge: Edge) -> &'l Label {
        &self.labels[edge.label as usize]
    }

    /// Numbers the nodes of some edges from 0 on, in increasing order.
    fn number(&mut self, edges: &[Edge]) -> Vec<u32> {
        let mut nodes: Vec<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for (number, &node) in nodes.iter().enumerate() {
            self.numbers[node as usize] = number as u32;
        }
        nodes
    }

    fn local(&self, Edge { from, to, label }: Edge) -> Edge {
        Edge { from: self.numbers[from as usize], to: self.numbers[to as usize], label }
    }

    /// Opens the strongly connected parts of some edges.
    fn split(&mut self, mut edges: Vec<Edge>) {
        let nodes = self.number(&edges);
        edges.sort_unstable_by_key(|edge| edge.from);
        let outgoing = Outgoing::new(&edges, &nodes);
        let mut components = Components::new(nodes.len());
        let targets =
            |node: usize| outgoing.range(node).map(|at| self.numbers[edges[at].to as usize] as usize);
        components.find(0..nodes.len(), targets, |_| {});
        let of = |node: u32| components.of[self.numbers[node as usize] as usize];
        edges.retain(|edge| of(edge.from) == of(edge.to));
        edges.sort_by_key(|edge| of(edge.from));
        while let Some(last) = edges.last() {
            let component = of(last.from);
            let start = edges.partition_point(|edge| of(edge.from) < component);
            self.open.push(edges.split_off(start));
        }
    }
}

/// The edges from each node, where edges are sorted by their sources.
struct Outgoing(Vec<usize>);

impl Outgoing {
    fn new(edges: &[Edge], nodes: &[u32]) -> Self {
        let start = |&node: &u32| edges.partition_point(|edge| edge.from < node);
        Self(nodes.iter().map(start).chain([edges.len()]).collect())
    }

    fn range(&self, node: usize) -> Range<usize> {
        self.0[node]..self.0[node + 1]
    }
}

impl Part {
    /// The nodes of the part, in the order of their numbers.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    pub fn edges(&self) -> usize {
        self.graph.edges.len()
    }

    /// The number of a node in the part.
    pub fn number(&self, node: usize) -> Option<usize> {
        self.nodes.binary_search(&(node as u32)).ok()
    }

    /// Whether the part has this edge between nodes with these numbers.
    pub fn has(&self, from: usize, to: usize, label: u32) -> bool {
        self.graph.edges.binary_search(&Edge { to: to as u32, from: from as u32, label }).is_ok()
    }

    /// The slots that are required at a node: by the edges from it.
    pub fn required<'l>(&self, node: usize, labels: &'l [Rc<Label>]) -> &'l [u32] {
        self.labels.get(node).map_or(&[], |&label| &labels[label as usize].required)
    }

    /// The distance from a node to an edge that serves a slot.
    pub fn to_service(&self, node: usize, slot: u32) -> u32 {
        let at = node * self.slots + slot as usize;
        if (slot as usize) < self.slots { self.distances[at] } else { NEVER }
    }

    /// By node: the distance to an edge with this mark.
    pub fn to_mark(&self, set: u32, labels: &[Rc<Label>]) -> Vec<u32> {
        self.graph.distances(|edge| labels[edge.label as usize].marks.contains(Marks::one(set)))
    }

    /// By node: the distance to `node`, by at least one edge.
    pub fn to_node(&self, node: usize) -> Vec<u32> {
        self.graph.distances(|edge| edge.to as usize == node)
    }
}

/// A graph, with the meaning of its edges for slots.
struct Graph {
    nodes: usize,
    /// Sorted by target.
    edges: Vec<Edge>,
    /// For each node, the index of the first edge that leads to it.
    starts: Vec<u32>,
}

impl Graph {
    fn new(nodes: usize, mut edges: Vec<Edge>) -> Self {
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

    /// By pair: the number of edges on a shortest path whose last edge serves it.
    fn service_distances(&self, labels: &[Rc<Label>], slots: usize) -> Vec<u32> {
        let fates = |edge: Edge| labels[edge.label as usize].fates.iter().copied().enumerate();
        let pair = |node: u32, slot: usize| node as usize * slots + slot;
        let mut distances = vec![NEVER; self.nodes * slots];
        let mut queue = Vec::new();
        for &edge in &self.edges {
            for (slot, _) in fates(edge).filter(|&(_, fate)| fate == SERVED) {
                if std::mem::replace(&mut distances[pair(edge.from, slot)], 1) == NEVER {
                    queue.push((edge.from, slot));
                }
            }
        }
        let mut next = 0;
        while let Some(&(node, reached)) = queue.get(next) {
            next += 1;
            for edge in self.edges_to(node as usize) {
                for (slot, _) in fates(edge).filter(|&(_, fate)| fate as usize == reached) {
                    if distances[pair(edge.from, slot)] == NEVER {
                        distances[pair(edge.from, slot)] = distances[pair(node, reached)] + 1;
                        queue.push((edge.from, slot));
                    }
                }
            }
        }
        distances
    }
}

/// The nodes after `from` on a shortest path to a goal, the goal last; `None` if there is no such path.
pub fn shortest_path(
    nodes: usize,
    edges: &[Edge],
    from: usize,
    is_goal: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut edges = edges.to_vec();
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
    let all: Vec<u32> = (0..nodes as u32).collect();
    let outgoing = Outgoing::new(&edges, &all);
    let mut before = vec![NEVER; nodes];
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        if is_goal(node) {
            let step = |&node: &usize| (node != from).then(|| before[node] as usize);
            let mut path: Vec<usize> =
                std::iter::successors(Some(node), step).take_while(|&node| node != from).collect();
            path.reverse();
            return Some(path);
        }
        for to in outgoing.range(node).map(|at| edges[at].to as usize) {
            if to != from && before[to] == NEVER {
                before[to] = node as u32;
                queue.push(to);
            }
        }
    }
    None
}
