//! The canonical order of a graph: individualization and refinement.
//!
//! Refinement ([`crate::refine`]) leaves cells of nodes that it cannot tell apart. Then one of them is
//! chosen, set apart, and the partition refined again, until all cells are singletons. To be canonical, all
//! choices in a cell are tried, and the order with the least certificate wins: certificates are the edges in
//! terms of the order, word for word. Four things keep this from being a search most of the time:
//!
//! - *Components.* Tied nodes that are not connected through tied nodes are problems of their own. Each is
//!   solved by itself and they are sorted by their certificates, so that choices never multiply across
//!   components, and components with the same certificate, which can be exchanged, need no choice at all. An
//!   edge to each of the nodes of a cell says as little as an edge to none, and does not connect.
//! - *Automorphisms.* Two orders with the same certificate are an automorphism. Choices that known ones map
//!   to a choice that was tried are skipped. Before a choice is explored, one arbitrary path below it is
//!   followed (a *probe*): if all ties are symmetries, as is usual, its end has the least certificate already
//!   known, which shows that nothing new can be found. Without this, n ties below each other would take 2^n
//!   paths.
//! - *Traces.* What happened in the refinement after a choice is hashed; only choices with the least trace
//!   are explored.
//! - *A budget.* When it is used up, the best order so far is taken.
//!
//! Why the order is canonical: whatever is chosen by number (which of the tied nodes comes first, the path of
//! a probe, which components are solved first) only decides what is pruned, and what is pruned is the image
//! of something tried under an automorphism that preserves the colours at that point. All else depends on
//! colours, lengths, traces and certificates. Why components can be put together: for each node, a
//! certificate has the colours of all nodes across its edges; those outside the component are either
//! singletons, hence fixed, or there is an edge to every node of their cell. So two components with the same
//! certificate are exchanged by an automorphism. Neither argument relies on signatures being different.
//!
//! Depth: what a node that is set apart has edges to is split as well, unless these edges are to all or none
//! of a cell. So below each other there can be at most as many choices as the largest cell has nodes, in
//! dense graphs; [`DEPTH`] bounds the recursion, and is treated like the budget.

// After McKay and Piperno, "Practical graph isomorphism, II" (2014).

use std::cmp::Ordering;
use std::ops::Range;

use crate::graph::{Graph, Links};
use crate::refine::{Cell, Member, Partition};

/// Rounds of refinement before adjacency lists are made.
const ROUNDS: u32 = 3;

/// How far the search may recurse.
const DEPTH: u32 = 256;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The greatest number of nodes of the search tree.
    pub budget: u64,
    /// The number of bits of hashes that are used. Less than 64 makes hashes collide, for tests: it costs
    /// time only.
    pub hash_bits: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { budget: 10_000, hash_bits: 64 }
    }
}

/// How an order was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ordered {
    /// Whether isomorphic graphs get the same order. False when the budget was used up.
    pub canonical: bool,
    /// Whether some choice was necessary.
    pub searched: bool,
    /// The number of nodes of the search tree.
    pub nodes: u64,
}

/// Puts the nodes of graphs in a canonical order. Keeps its memory from call to call.
#[derive(Default, Debug)]
pub struct Canonizer {
    partition: Partition,
    links: Links,
    /// Nodes that automorphisms found so far map to each other. They preserve the colours at the choice under
    /// way and at those above it, up to one that is explored by itself (see [`Canonizer::explore`]).
    orbits: Classes,
    /// Nodes that are connected; in use only while components are computed.
    connected: Classes,
    /// By node that represents a class of `connected`: the number of the component.
    numbers: Vec<u32>,
    /// The edges of one node that may be to all of a cell: label, colour, node.
    joins: Vec<(u32, u32, u32)>,
    // Stacks: each level of the search uses what is above the length that it found.
    cells: Vec<Cell>,
    members: Vec<Member>,
    components: Vec<Component>,
    tried: Vec<u32>,
    words: Vec<u64>,
    /// The levels of recursion, and the number of them that are choices whose alternatives are compared.
    depth: u32,
    choices: u32,
    budget: u64,
    nodes: u64,
    canonical: bool,
}

/// A component: where its members and its certificate are.
#[derive(Clone, Debug)]
struct Component {
    members: Range<usize>,
    words: Range<usize>,
}

/// The aim of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    /// The canonical order.
    Full,
    /// The order at the end of some path.
    Probe,
}

/// A choice under way: the cells that it is about, and where they are kept as they were before it, followed
/// by the best order so far; where the certificate of that order is.
struct Choice {
    base: u32,
    cells: Range<usize>,
    saved: Range<usize>,
    words: Range<usize>,
    trace: u64,
}

impl Canonizer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Computes an order of the nodes of `graph`, see [`Canonizer::position`].
    pub fn order(&mut self, graph: &Graph, options: Options) -> Ordered {
        (self.budget, self.nodes, self.canonical) = (options.budget, 0, true);
        let mask = u64::MAX >> (64 - options.hash_bits.clamp(1, 64));
        self.partition.start(graph.labels(), mask);
        let mut rounds = 0;
        while !self.partition.discrete() && rounds < ROUNDS && self.partition.round(graph.edges()) {
            rounds += 1;
        }
        if !self.partition.discrete() {
            self.partition.end_rounds();
            self.links.collect(graph, |node| self.partition.tied(node));
            self.partition.refine(&self.links, 0);
            self.solve_all();
        }
        Ordered { canonical: self.canonical, searched: self.nodes > 0, nodes: self.nodes }
    }

    /// By node: its place in the order that was computed last.
    pub fn position(&self) -> &[u32] {
        self.partition.colours()
    }

    fn solve_all(&mut self) {
        let n = self.partition.end();
        self.orbits.resize(n as usize);
        self.connected.resize(n as usize);
        self.numbers.resize(n as usize, 0);
        self.partition.parts(Cell { start: 0, length: n }, &mut self.cells);
        // Nodes without edges, such as threads that share nothing, need no more than their label.
        self.cells.retain(|&cell| {
            let isolated = self.partition.elements(cell).iter().all(|&node| self.links.isolated(node));
            if isolated {
                self.partition.settle(cell);
            }
            !isolated
        });
        for cell in &self.cells {
            self.orbits.separate(self.partition.elements(*cell).iter().copied());
        }
        self.solve(0, 0, Effort::Full);
        self.cells.clear();
    }

    /// Makes the problem that begins at `base` discrete. Its cells of more than one node are those from
    /// number `cells` on.
    fn solve(&mut self, base: u32, cells: usize, effort: Effort) {
        if self.cells.len() == cells {
            return;
        }
        if self.depth == DEPTH {
            self.canonical = false;
            self.budget = 0;
            for &cell in &self.cells[cells..] {
                self.partition.settle(cell);
            }
            return;
        }
        self.depth += 1;
        if self.connect(base, cells) {
            self.choose(base, cells, effort);
        } else {
            self.compose(cells, effort);
        }
        self.depth -= 1;
    }

    /// Computes which nodes of the cells are connected. Returns whether all are.
    fn connect(&mut self, base: u32, cells: usize) -> bool {
        let cells = &self.cells[cells..];
        let mut components = 0;
        for &cell in cells {
            components += cell.length;
            self.connected.separate(self.partition.elements(cell).iter().copied());
        }
        for &cell in cells {
            // The number of edges of a node of this cell that has one to each other node of the cell of a
            // colour.
            let all = |colour| self.partition.length(colour) as usize - usize::from(colour == cell.start);
            for &node in self.partition.elements(cell) {
                let mut fewest = usize::MAX;
                self.joins.clear();
                for link in self.links.leaving(node) {
                    let colour = self.partition.colour(link.node);
                    if colour >= base && self.partition.length(colour) > 1 && link.node != node {
                        fewest = fewest.min(all(colour));
                        self.joins.push((link.label, colour, link.node));
                    }
                }
                if self.joins.len() >= fewest {
                    self.joins.sort_unstable();
                }
                for join in self.joins.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                    let to_all =
                        join.len() == all(join[0].1) && join.windows(2).all(|pair| pair[0] != pair[1]);
                    for &(_, _, other) in join.iter().filter(|_| !to_all) {
                        components -= u32::from(self.connected.unite(node, other));
                    }
                }
                if components == 1 {
                    return true;
                }
            }
        }
        false
    }

    /// Solves components one by one and puts them together.
    fn compose(&mut self, cells: usize, effort: Effort) {
        let (members, words, first) = (self.members.len(), self.words.len(), self.components.len());
        self.list_components(cells);
        for number in first..self.components.len() {
            let range = self.components[number].members.clone();
            let inner = self.cells.len();
            let base = self.partition.open(&self.members[range.clone()], &mut self.cells);
            self.solve(base, inner, effort);
            self.cells.truncate(inner);
            let start = self.words.len();
            for (at, i) in (base as usize..).zip(range.clone()) {
                self.words.push(self.members[i].colour.into());
                self.certify(at);
            }
            self.components[number].words = start..self.words.len();
            self.partition.close(base, &mut self.members[range]);
        }
        let components = &mut self.components[first..];
        let certificate = |component: &Component| &self.words[component.words.clone()];
        components.sort_unstable_by(|a, b| certificate(a).cmp(certificate(b)));
        if self.choices > 0 {
            for pair in components.windows(2) {
                if certificate(&pair[0]) == certificate(&pair[1]) {
                    let nodes = pair[0].members.clone().zip(pair[1].members.clone());
                    for (a, b) in nodes {
                        self.orbits.unite(self.members[a].node, self.members[b].node);
                    }
                }
            }
        }
        let nodes = components.iter().flat_map(|component| &self.members[component.members.clone()]);
        self.partition.arrange(&self.cells[cells..], nodes.map(|member| member.node));
        self.members.truncate(members);
        self.words.truncate(words);
        self.components.truncate(first);
    }

    /// Lists the components that `connect` found, the members of each in the order of their colours.
    fn list_components(&mut self, cells: usize) {
        let (start, first) = (self.members.len(), self.components.len());
        // Numbers components, and counts their members in the ends of their ranges.
        for &cell in &self.cells[cells..] {
            for &node in self.partition.elements(cell) {
                self.numbers[node as usize] = u32::MAX;
            }
        }
        let mut total = start;
        for &cell in &self.cells[cells..] {
            for &node in self.partition.elements(cell) {
                let number = &mut self.numbers[self.connected.find(node) as usize];
                if *number == u32::MAX {
                    *number = self.components.len() as u32;
                    self.components.push(Component { members: 0..0, words: 0..0 });
                }
                self.components[*number as usize].members.end += 1;
                total += 1;
            }
        }
        self.members.resize(total, Member::default());
        let mut end = start;
        for component in &mut self.components[first..] {
            let length = component.members.end;
            component.members = end..end;
            end += length;
        }
        for &cell in &self.cells[cells..] {
            for &node in self.partition.elements(cell) {
                let number = self.numbers[self.connected.find(node) as usize];
                let range = &mut self.components[number as usize].members;
                self.members[range.end] = Member { node, colour: cell.start };
                range.end += 1;
            }
        }
    }

    /// Appends to the words the edges of the node at a position, by the colours across them.
    fn certify(&mut self, position: usize) {
        let node = self.partition.element(position);
        for links in [self.links.leaving(node), self.links.entering(node)] {
            self.words.push(links.len() as u64);
            let start = self.words.len();
            let row = links
                .iter()
                .map(|link| u64::from(link.label) << 32 | u64::from(self.partition.colour(link.node)));
            self.words.extend(row);
            self.words[start..].sort_unstable();
        }
    }

    /// Sets apart one node of a cell; in full effort each that makes a difference, and takes the best.
    fn choose(&mut self, base: u32, cells: usize, effort: Effort) {
        let cells = cells..self.cells.len();
        let smallest = self.cells[cells.clone()].iter().min_by_key(|cell| (cell.length, cell.start));
        let target = *smallest.expect("a problem that is not discrete has cells");
        if effort == Effort::Full && self.nodes >= self.budget {
            self.canonical = false;
        }
        if effort == Effort::Probe || self.nodes >= self.budget {
            let node = self.partition.elements(target)[0];
            self.nodes += 1;
            self.partition.individualize(node, &self.cells[cells.clone()], &self.links, base);
            return self.descend(base, cells, Effort::Probe);
        }

        let saved = self.members.len();
        self.save(cells.clone());
        let saved = saved..self.members.len();
        let mut candidates = saved.clone();
        for &cell in self.cells[cells.clone()].iter().take_while(|cell| cell.start < target.start) {
            candidates.start += cell.length as usize;
        }
        let words = self.words.len();
        let tried = self.tried.len();
        let mut choice = Choice { base, cells, saved, words: words..words, trace: 0 };
        self.choices += 1;
        for candidate in candidates.take(target.length as usize) {
            let node = self.members[candidate].node;
            let orbit = self.orbits.find(node);
            if self.tried[tried..].iter().any(|&other| self.orbits.find(other) == orbit) {
                continue;
            }
            if self.tried.len() > tried && self.nodes >= self.budget {
                self.canonical = false;
                break;
            }
            self.nodes += 1;
            self.try_node(node, self.tried.len() == tried, &mut choice);
            self.tried.push(node);
        }
        self.choices -= 1;
        let best = choice.saved.end..choice.saved.end + choice.saved.len();
        self.partition.assign(&self.cells[choice.cells.clone()], &self.members[best]);
        self.members.truncate(choice.saved.start);
        self.words.truncate(words);
        self.tried.truncate(tried);
    }

    /// Explores what follows when `node` is set apart.
    fn try_node(&mut self, node: u32, first: bool, choice: &mut Choice) {
        let trace = self.set_apart(node, choice);
        if first {
            self.descend(choice.base, choice.cells.clone(), Effort::Full);
            // Without a budget nothing will be compared with it.
            if self.nodes < self.budget {
                self.compare(choice);
            }
            return self.accept(trace, choice);
        }
        if trace > choice.trace {
            return;
        }
        if trace == choice.trace {
            let before = self.nodes;
            self.descend(choice.base, choice.cells.clone(), Effort::Probe);
            let order = self.compare(choice);
            // Where there was nothing to choose, the only path is the best.
            if order == Ordering::Equal || self.nodes == before {
                return self.conclude(order, trace, choice);
            }
            self.words.truncate(choice.words.end);
            self.set_apart(node, choice);
        }
        self.explore(choice);
        let order = self.compare(choice);
        self.conclude(if trace < choice.trace { Ordering::Less } else { order }, trace, choice);
    }

    /// Goes back to the partition before the choice, sets `node` apart, and refines.
    fn set_apart(&mut self, node: u32, choice: &Choice) -> u64 {
        let cells = &self.cells[choice.cells.clone()];
        self.partition.restore(cells, &self.members[choice.saved.clone()]);
        self.partition.individualize(node, cells, &self.links, choice.base)
    }

    /// Solves what is left of `cells` after a refinement.
    fn descend(&mut self, base: u32, cells: Range<usize>, effort: Effort) {
        let inner = self.cells.len();
        for number in cells {
            let cell = self.cells[number];
            self.partition.parts(cell, &mut self.cells);
        }
        self.solve(base, inner, effort);
        self.cells.truncate(inner);
    }

    /// Descends in full where automorphisms are known already that need not preserve the new colours: they
    /// are put aside, and joined by those found on the way.
    fn explore(&mut self, choice: &Choice) {
        let aside = self.members.len();
        for i in choice.saved.clone() {
            let node = self.members[i].node;
            self.members.push(Member { node, colour: self.orbits.find(node) });
        }
        let end = self.members.len();
        self.orbits.separate(self.members[aside..].iter().map(|member| member.node));
        self.descend(choice.base, choice.cells.clone(), Effort::Full);
        for i in aside..end {
            let Member { node, colour } = self.members[i];
            self.orbits.unite(node, colour);
        }
        self.members.truncate(aside);
    }

    /// Appends the certificate of the order at hand, and compares it with that of the best.
    fn compare(&mut self, choice: &Choice) -> Ordering {
        for number in choice.cells.clone() {
            for position in self.cells[number].positions() {
                self.certify(position);
            }
        }
        self.words[choice.words.end..].cmp(&self.words[choice.words.clone()])
    }

    /// Takes the order at hand for the best, or as an automorphism, or not at all.
    fn conclude(&mut self, order: Ordering, trace: u64, choice: &mut Choice) {
        if order == Ordering::Less {
            return self.accept(trace, choice);
        }
        if order == Ordering::Equal {
            let mut best = self.members[choice.saved.end..].iter();
            for &cell in &self.cells[choice.cells.clone()] {
                for (&node, member) in self.partition.elements(cell).iter().zip(&mut best) {
                    self.orbits.unite(member.node, node);
                }
            }
        }
        self.words.truncate(choice.words.end);
    }

    /// Keeps the order at hand, whose certificate comes last, as the best.
    fn accept(&mut self, trace: u64, choice: &mut Choice) {
        self.words.drain(choice.words.clone());
        choice.words.end = self.words.len();
        choice.trace = trace;
        self.members.truncate(choice.saved.end);
        self.save(choice.cells.clone());
    }

    /// Appends the nodes of the cells to the members.
    fn save(&mut self, cells: Range<usize>) {
        for &cell in &self.cells[cells] {
            let nodes = self.partition.elements(cell).iter();
            self.members.extend(nodes.map(|&node| Member { node, colour: cell.start }));
        }
    }
}

/// Disjoint sets of nodes.
#[derive(Default, Debug)]
struct Classes {
    parent: Vec<u32>,
}

impl Classes {
    fn resize(&mut self, nodes: usize) {
        self.parent.resize(nodes, 0);
    }

    /// Makes each of the nodes, which are all of some classes, a class of its own.
    fn separate(&mut self, nodes: impl Iterator<Item = u32>) {
        for node in nodes {
            self.parent[node as usize] = node;
        }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let next = self.parent[self.parent[node as usize] as usize];
            self.parent[node as usize] = next;
            node = next;
        }
        node
    }

    /// Joins the classes of two nodes. Returns whether they were different.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[b as usize] = a;
        a != b
    }
}
