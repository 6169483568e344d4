//! Canonical names: the value as a graph, and the order that `canon` puts its individuals in.
//!
//! Nodes are the individuals that the value mentions, and the entries of unordered collections that mention
//! individuals and are more than one. What is read in order is hashed as it is read. The hash so far labels
//! what comes next:
//!
//! | met at a node, or outside of all           | in the graph                                                 |
//! |--------------------------------------------|--------------------------------------------------------------|
//! | bits                                       | mixed into the hash                                          |
//! | an individual                              | an edge to it; outside of all nodes, into its label          |
//! | unordered entries without individuals      | in order, into the hash: their order is canonical            |
//! | unordered entries that are individuals     | each like an individual, with the same hash                  |
//! | other unordered entries                    | a new node each, mentioned like an individual; outside of    |
//! |                                            | all nodes, one that mentions one node goes into its label    |
//! | rows under individuals, outside of all     | walked at the individual's own node                          |
//! | rows under individuals at a node           | a new node each                                              |
//! | the end of a node                          | the hash goes into its label                                 |
//!
//! Names are only names: a state is written as a whole under them, so a collision of hashes can make two
//! states of one orbit different, and never two orbits one.

use std::any::TypeId;

use canon::{Canonizer, Graph, Options};

use crate::report::Naming;
use crate::words::Names;
use crate::{Index, Shape, Sorts, Visit};

/// Nodes of the search tree for one state, after which its names are not canonical.
const BUDGET: u64 = 1_000_000;

/// Gives names. Keeps its memory from state to state.
#[derive(Default)]
pub(crate) struct Namer {
    graph: Graph,
    labels: Vec<u64>,
    canonizer: Canonizer,
    /// By sort and number: the node of an individual.
    nodes: Vec<Vec<Option<u32>>>,
    names: Names,
    /// Class, position in the canonical order, number.
    order: Vec<(u32, u64, u32)>,
    pub hash_bits: Option<u32>,
    /// An individual, by sort and number, that is told apart from the others and keeps its number.
    pub pinned: Option<(usize, u32)>,
    /// States whose names are not canonical.
    pub broken_off: u64,
    pub stats: Naming,
}

impl Namer {
    /// The canonical names of the individuals that `value` mentions. The others of a sort come after them.
    pub fn names<T: Shape>(&mut self, sorts: &Sorts, value: &T) -> &Names {
        self.graph.clear();
        self.labels.clear();
        self.nodes.resize(sorts.all.len(), Vec::new());
        self.nodes.iter_mut().for_each(Vec::clear);
        self.names.resize(sorts.all.len(), Vec::new());
        let mut builder = Builder { sorts, namer: self, at: At::Root, hash: 0, pending: None };
        value.walk(&mut builder);
        self.stats.states += 1;
        self.stats.nodes += self.labels.len() as u64;
        // Without edges, nodes with equal labels are interchangeable, and the labels are an order.
        let has_edges = !self.graph.edges().is_empty();
        if has_edges {
            for (node, &label) in self.labels.iter().enumerate() {
                self.graph.set_label(node as u32, label);
            }
            let hash_bits = self.hash_bits.unwrap_or(64);
            let ordered = self.canonizer.order(&self.graph, Options { budget: BUDGET, hash_bits });
            self.broken_off += u64::from(!ordered.canonical);
            self.stats.searched += u64::from(ordered.searched);
        }
        let position = self.canonizer.position();
        for (sort, (nodes, names)) in self.nodes.iter_mut().zip(&mut self.names).enumerate() {
            names.clear();
            if !sorts.all[sort].symmetric {
                continue;
            }
            let pinned = self.pinned.filter(|&(other, _)| other == sort).map(|(_, index)| index);
            if let Some(pinned) = pinned
                && nodes.len() <= pinned as usize
            {
                nodes.resize(pinned as usize + 1, None);
            }
            // Classes are intervals, so each keeps its names.
            self.order.clear();
            let place = |node: u32| {
                if has_edges {
                    position[node as usize].into()
                } else {
                    self.labels[node as usize].min(u64::MAX - 1)
                }
            };
            self.order.extend(
                nodes
                    .iter()
                    .zip(0..)
                    .map(|(node, at)| (sorts.all[sort].class(at), node.map_or(u64::MAX, place), at)),
            );
            self.order.sort_unstable();
            names.resize(nodes.len(), 0);
            let mut free = (0..).filter(|&name| Some(name) != pinned);
            for &(_, _, at) in &self.order {
                let name = if Some(at) == pinned { Some(at) } else { free.next() };
                names[at as usize] = name.unwrap_or(at);
            }
        }
        &self.names
    }
}

fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

/// What is mixed into hashes, so that different things have different ones.
mod tag {
    pub const ID: u64 = 1;
    pub const BITS: u64 = 2;
    pub const ENTRIES: u64 = 3;
    pub const LABEL: u64 = 4;
    pub const EDGE: u64 = 5;
    pub const END: u64 = 6;
    pub const SORT: u64 = 7;
    pub const PINNED: u64 = 8;
    pub const ENTRY: u64 = 9;
}

/// Where a walk is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Outside of all nodes.
    Root,
    /// In an entry outside of all nodes. It becomes a node if it mentions more than one other.
    Entry,
    Node(u32),
}

/// An entry that is no node yet.
struct Pending {
    /// The hash before it.
    hash: u64,
    /// The only node that it mentions so far, and the hash there.
    mentioned: Option<(u64, u32)>,
}

struct Builder<'a> {
    sorts: &'a Sorts,
    namer: &'a mut Namer,
    at: At,
    hash: u64,
    pending: Option<Pending>,
}

impl Builder<'_> {
    fn add_node(&mut self, label: u64) -> u32 {
        self.namer.labels.push(label);
        self.namer.graph.add_node(0)
    }

    /// The node of an individual.
    fn node(&mut self, sort: TypeId, index: Index) -> u32 {
        let sort = self.sorts.number(sort);
        let at = index.0 as usize;
        if self.namer.nodes[sort].len() <= at {
            self.namer.nodes[sort].resize(at + 1, None);
        }
        if let Some(node) = self.namer.nodes[sort][at] {
            return node;
        }
        let mut label = mix(mix(0, tag::SORT), sort as u64);
        let told_apart =
            if self.sorts.all[sort].symmetric { self.sorts.all[sort].class(index.0) } else { index.0 };
        label = mix(label, u64::from(told_apart) + 1);
        if self.namer.pinned == Some((sort, index.0)) {
            label = mix(label, tag::PINNED);
        }
        let node = self.add_node(label);
        self.namer.nodes[sort][at] = Some(node);
        node
    }

    fn mention(&mut self, node: u32) {
        let hash = self.hash;
        match self.at {
            At::Root => self.add_label(node, mix(hash, tag::LABEL)),
            At::Node(at) => self.namer.graph.add_edge(at, mix(hash, tag::EDGE) as u32, node),
            At::Entry => {
                let Some(pending) = &mut self.pending else { return };
                let Some((first_hash, first)) = pending.mentioned else {
                    pending.mentioned = Some((hash, node));
                    return;
                };
                let label = mix(pending.hash, tag::LABEL);
                self.pending = None;
                let at = self.add_node(label);
                self.at = At::Node(at);
                self.namer.graph.add_edge(at, mix(first_hash, tag::EDGE) as u32, first);
                self.namer.graph.add_edge(at, mix(hash, tag::EDGE) as u32, node);
            }
        }
    }

    fn add_label(&mut self, node: u32, label: u64) {
        let old = &mut self.namer.labels[node as usize];
        *old = old.wrapping_add(label);
    }

    /// Walks at a node, and comes back.
    fn inside(&mut self, node: u32, walk: impl FnOnce(&mut Self)) {
        let (at, hash) = (std::mem::replace(&mut self.at, At::Node(node)), self.hash);
        walk(self);
        self.add_label(node, mix(self.hash, tag::END));
        (self.at, self.hash) = (at, hash);
    }

    /// Walks an entry of an unordered collection outside of all nodes. One that mentions no node says nothing
    /// about names; one that mentions one node goes into the label of that.
    fn entry(&mut self, walk: impl FnOnce(&mut Self)) {
        let hash = self.hash;
        (self.at, self.pending) = (At::Entry, Some(Pending { hash, mentioned: None }));
        walk(self);
        let end = mix(self.hash, tag::END);
        match (self.at, self.pending.take()) {
            (At::Node(node), _) => self.add_label(node, end),
            (_, Some(Pending { mentioned: Some((mentioned, node)), .. })) => {
                self.add_label(node, mix(mix(mix(hash, mentioned), tag::ENTRY), end));
            }
            _ => {}
        }
        (self.at, self.hash) = (At::Root, hash);
    }
}

impl Visit for Builder<'_> {
    fn bits(&mut self, value: u64, _: u32) {
        self.hash = mix(mix(self.hash, tag::BITS), value);
    }

    fn id(&mut self, sort: TypeId, index: Index) {
        self.hash = mix(self.hash, tag::ID);
        let node = self.node(sort, index);
        self.mention(node);
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        self.hash = mix(mix(self.hash, tag::ENTRIES), entries.len() as u64);
        for entry in entries {
            if !T::SORTED {
                entry.walk(self);
            } else if let Some((sort, index)) = entry.individual() {
                let node = self.node(sort, index);
                self.mention(node);
            } else if self.at == At::Root {
                self.entry(|builder| entry.walk(builder));
            } else {
                let node = self.add_node(0);
                self.mention(node);
                self.inside(node, |builder| entry.walk(builder));
            }
        }
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], _: bool) {
        self.hash = mix(mix(self.hash, tag::ENTRIES), rows.len() as u64);
        for (key, value) in rows {
            if self.at == At::Root {
                let (sort, index) = key.individual().expect("the keys are individuals");
                let node = self.node(sort, index);
                self.inside(node, |builder| value.walk(builder));
            } else {
                let node = self.add_node(0);
                self.mention(node);
                self.inside(node, |builder| {
                    key.walk(builder);
                    value.walk(builder);
                });
            }
        }
    }
}
