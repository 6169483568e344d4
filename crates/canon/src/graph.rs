//! Graphs with labels on nodes and edges.
//!
//! A [`Graph`] is two flat lists, since most calls are decided by a few passes over all edges. [`Links`], the
//! same edges by node and in both directions, are made only when nodes are left that such passes do not tell
//! apart.

/// An edge. Its label is all that distinguishes it from others between the same nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub source: u32,
    pub label: u32,
    pub target: u32,
}

/// A directed graph. Nodes are numbered from 0 in the order in which they are added; equal edges count as
/// often as they are added. Clearing it keeps the memory.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    labels: Vec<u64>,
    edges: Vec<Edge>,
}

impl Graph {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clear(&mut self) {
        self.labels.clear();
        self.edges.clear();
    }

    /// Adds a node. Its label may contain anything about it that does not depend on names.
    pub fn add_node(&mut self, label: u64) -> u32 {
        let node = self.labels.len() as u32;
        self.labels.push(label);
        node
    }

    /// Changes the label of a node.
    pub fn set_label(&mut self, node: u32, label: u64) {
        self.labels[node as usize] = label;
    }

    /// Adds an edge. Its nodes may be added later, but before the graph is put in order.
    pub fn add_edge(&mut self, source: u32, label: u32, target: u32) {
        self.edges.push(Edge { source, label, target });
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// By node.
    pub fn labels(&self) -> &[u64] {
        &self.labels
    }

    /// In the order in which they were added.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
}

/// One end of an edge, seen from the other.
#[derive(Clone, Copy, Default, Debug)]
pub struct Link {
    pub label: u32,
    pub node: u32,
}

/// The edges by node. For node v, the edges that leave it begin at `first[2v]`, those that enter it at
/// `first[2v + 1]`.
#[derive(Default, Debug)]
pub struct Links {
    first: Vec<u32>,
    links: Vec<Link>,
}

impl Links {
    /// Collects the edges of `graph` that have a `relevant` end.
    pub fn collect(&mut self, graph: &Graph, relevant: impl Fn(u32) -> bool) {
        self.first.clear();
        self.first.resize(2 * graph.len() + 1, 0);
        let edges = || graph.edges().iter().filter(|edge| relevant(edge.source) || relevant(edge.target));
        for edge in edges() {
            self.first[2 * edge.source as usize] += 1;
            self.first[2 * edge.target as usize + 1] += 1;
        }
        let mut end = 0;
        for first in &mut self.first {
            end += *first;
            *first = end;
        }
        self.links.clear();
        self.links.resize(end as usize, Link::default());
        // Filling each list from its end leaves its beginning in `first`.
        let mut put = |list: usize, link| {
            self.first[list] -= 1;
            self.links[self.first[list] as usize] = link;
        };
        for &Edge { source, label, target } in edges() {
            put(2 * source as usize, Link { label, node: target });
            put(2 * target as usize + 1, Link { label, node: source });
        }
    }

    pub fn leaving(&self, node: u32) -> &[Link] {
        self.list(2 * node as usize)
    }

    pub fn entering(&self, node: u32) -> &[Link] {
        self.list(2 * node as usize + 1)
    }

    /// Whether the node has no edges.
    pub fn isolated(&self, node: u32) -> bool {
        self.first[2 * node as usize] == self.first[2 * node as usize + 2]
    }

    fn list(&self, list: usize) -> &[Link] {
        &self.links[self.first[list] as usize..self.first[list + 1] as usize]
    }
}
