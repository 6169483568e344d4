//! Colour refinement: an ordered partition of the nodes, split until no cell can be split by edges to
//! another.
//!
//! The colour of a node is the position at which its cell begins, so colours are invariant: isomorphic graphs
//! are split alike, and once all cells are singletons the colours are the canonical order. Cells are split by
//! 64-bit signatures, which are sums over edges. A collision leaves nodes together that could be told apart:
//! that costs a choice later, never a wrong order. Everything here may depend on colours, lengths of cells
//! and signatures, but not on the numbers of nodes nor on their places within a cell.
//!
//! Two ways to refine:
//! - [`Partition::round`] computes the signature of every node in one pass over all edges. A few rounds
//!   decide almost all graphs that come from program states, and need no adjacency lists.
//! - [`Partition::refine`] is a worklist of cells, with Hopcroft's rule: of a cell that was split, the
//!   largest part need not be looked at. Long lists, which would take as many rounds as they have nodes, take
//!   it O((V + E) log V).
//!
//! Positions form a stack. The first n hold all nodes; above them, [`Partition::open`] puts a copy of some
//! nodes as a problem of its own, with colours greater than all below. So `colour >= base` tells the nodes of
//! the topmost problem from the others, and the colours of all others still tell where they were left.

// McKay and Piperno, "Practical graph isomorphism, II" (2014), describe colour refinement in this role.

use crate::graph::{Edge, Links};

/// A cell of more than one node.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub start: u32,
    pub length: u32,
}

impl Cell {
    pub fn positions(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

/// A node and the colour that it has in the problem below.
#[derive(Clone, Copy, Default, Debug)]
pub struct Member {
    pub node: u32,
    pub colour: u32,
}

#[derive(Default, Debug)]
pub struct Partition {
    /// By position: the node there.
    elements: Vec<u32>,
    /// By position: the length of the cell that begins there. Meaningless within a cell.
    length: Vec<u32>,
    /// By node: where its cell begins.
    colour: Vec<u32>,
    /// By node: where it is.
    place: Vec<u32>,
    /// The number of cells that are missing until the problem at hand is discrete.
    ties: u32,
    /// The trace: a hash of all splits since it was reset.
    trace: u64,
    /// The bits of signatures that count.
    mask: u64,
    /// The cells that have to be looked at: a stack, and by position whether the cell there is on the stack.
    queue: Vec<u32>,
    queued: Vec<bool>,
    /// By node: the signature under construction, and whether the cell being looked at has an edge to it.
    sums: Vec<u64>,
    met: Vec<bool>,
    /// The nodes that were met, and their cells; by position of such a cell: the number of its nodes that
    /// were met.
    nodes_met: Vec<u32>,
    cells_met: Vec<u32>,
    hits: Vec<u32>,
    /// Signatures and nodes of the cell being split.
    keyed: Vec<(u64, u32)>,
}

impl Partition {
    /// Starts over, with the nodes partitioned by label.
    pub fn start(&mut self, labels: &[u64], mask: u64) {
        let n = labels.len();
        self.clear_queue();
        self.mask = mask;
        self.elements.clear();
        self.elements.extend(0..n as u32);
        self.place.clear();
        self.place.extend(0..n as u32);
        self.colour.clear();
        self.colour.resize(n, 0);
        // The remains of earlier graphs in these are false, zero, or never read.
        self.length.resize(n, 1);
        self.queued.resize(n, false);
        self.hits.resize(n, 0);
        self.met.resize(n, false);
        if n > 0 {
            self.length[0] = n as u32;
            self.ties = n as u32 - 1;
            self.keyed.clear();
            self.keyed.extend(labels.iter().copied().zip(0..));
            self.split(0, 0);
        } else {
            self.ties = 0;
        }
    }

    /// By node.
    pub fn colours(&self) -> &[u32] {
        &self.colour
    }

    pub fn colour(&self, node: u32) -> u32 {
        self.colour[node as usize]
    }

    /// The length of the cell of that colour.
    pub fn length(&self, colour: u32) -> u32 {
        self.length[colour as usize]
    }

    pub fn element(&self, position: usize) -> u32 {
        self.elements[position]
    }

    pub fn elements(&self, cell: Cell) -> &[u32] {
        &self.elements[cell.positions()]
    }

    /// Whether other nodes have the same colour.
    pub fn tied(&self, node: u32) -> bool {
        self.length(self.colour(node)) > 1
    }

    pub fn discrete(&self) -> bool {
        self.ties == 0
    }

    /// Where the topmost problem ends.
    pub fn end(&self) -> u32 {
        self.elements.len() as u32
    }

    /// Appends the cells of more than one node that the positions of `cell` were split into.
    pub fn parts(&self, cell: Cell, into: &mut Vec<Cell>) {
        let end = cell.start + cell.length;
        let mut start = cell.start;
        while start < end {
            let length = self.length(start);
            if length > 1 {
                into.push(Cell { start, length });
            }
            start += length;
        }
    }

    /// Splits all cells once, by the colours across their edges. Returns whether anything changed. The parts
    /// that a refinement would have to look at next are left in the queue.
    pub fn round(&mut self, edges: &[Edge]) -> bool {
        let (before, n) = (self.ties, self.colour.len());
        self.sums.clear();
        self.sums.resize(n, 0);
        for edge in edges {
            let (source, target) = (edge.source as usize, edge.target as usize);
            let (source_colour, target_colour) = (self.colour[source], self.colour[target]);
            self.sums[source] = self.sums[source].wrapping_add(mix_leaving(edge.label, target_colour));
            self.sums[target] = self.sums[target].wrapping_add(mix_entering(edge.label, source_colour));
        }
        self.clear_queue();
        let mut start = 0;
        while start < n {
            let end = start + self.length[start] as usize;
            if end - start == 2 {
                self.split_pair(start);
            } else if end - start > 2 {
                self.keyed.clear();
                for &node in &self.elements[start..end] {
                    self.keyed.push((self.sums[node as usize] & self.mask, node));
                }
                self.split(start, start);
            }
            start = end;
        }
        self.ties < before
    }

    /// Ends a series of rounds.
    pub fn end_rounds(&mut self) {
        self.sums.fill(0);
    }

    /// Gives `node` a cell of its own, behind the others of its cell, and refines. `cells` are the cells of
    /// the problem that begins at `base`. Returns the trace.
    pub fn individualize(&mut self, node: u32, cells: &[Cell], links: &Links, base: u32) -> u64 {
        self.ties = cells.iter().map(|cell| cell.length - 1).sum::<u32>() - 1;
        self.trace = 0;
        let start = self.colour(node);
        let length = self.length(start) - 1;
        self.swap(node, start + length);
        self.length[start as usize] = length;
        self.length[(start + length) as usize] = 1;
        self.colour[node as usize] = start + length;
        self.enqueue(start + length);
        self.refine(links, base);
        self.trace & self.mask
    }

    /// Refines the problem that begins at `base` until no queued cell splits another. Nodes below `base` and
    /// singletons are never touched.
    pub fn refine(&mut self, links: &Links, base: u32) {
        while self.ties > 0 {
            let Some(splitter) = self.queue.pop() else { break };
            let start = splitter as usize;
            self.queued[start] = false;
            for at in start..start + self.length[start] as usize {
                let node = self.elements[at];
                for link in links.leaving(node) {
                    self.meet(link.node, base, mix_leaving(link.label, 0));
                }
                for link in links.entering(node) {
                    self.meet(link.node, base, mix_entering(link.label, 0));
                }
            }
            self.gather();
            if !self.cells_met.is_empty() {
                self.absorb(splitter.into());
                self.cells_met.sort_unstable();
                for i in 0..self.cells_met.len() {
                    self.split_met(self.cells_met[i]);
                }
            }
        }
        self.clear_queue();
    }

    /// Notes an edge from the cell being looked at to `node`.
    fn meet(&mut self, node: u32, base: u32, hash: u64) {
        let colour = self.colour(node);
        if colour < base || self.length(colour) == 1 {
            return;
        }
        let node = node as usize;
        self.sums[node] = self.sums[node].wrapping_add(hash);
        if !self.met[node] {
            self.met[node] = true;
            self.nodes_met.push(node as u32);
        }
    }

    /// Moves the nodes that were met to the ends of their cells.
    fn gather(&mut self) {
        self.cells_met.clear();
        for i in 0..self.nodes_met.len() {
            let node = self.nodes_met[i];
            let start = self.colour(node);
            let hits = &mut self.hits[start as usize];
            *hits += 1;
            if *hits == 1 {
                self.cells_met.push(start);
            }
            let to = start + self.length[start as usize] - *hits;
            self.swap(node, to);
        }
        self.nodes_met.clear();
    }

    /// Splits a cell by the signatures of its nodes that were met, and forgets these.
    fn split_met(&mut self, start: u32) {
        let start = start as usize;
        let end = start + self.length[start] as usize;
        let from = end - std::mem::take(&mut self.hits[start]) as usize;
        let mut sum_of_keys = 0u64;
        self.keyed.clear();
        for &node in &self.elements[from..end] {
            self.met[node as usize] = false;
            let key = std::mem::take(&mut self.sums[node as usize]) & self.mask;
            sum_of_keys = sum_of_keys.wrapping_add(finish(key));
            self.keyed.push((key, node));
        }
        self.absorb((start as u64) << 32 | from as u64);
        self.absorb(sum_of_keys);
        self.split(start, from);
    }

    /// Splits the cell at `start`: the nodes of its positions from `from` on, which are those in `keyed`, are
    /// put in the order of their keys.
    fn split(&mut self, start: usize, from: usize) {
        let end = start + self.length[start] as usize;
        if from == start && self.keyed.iter().all(|&(key, _)| key == self.keyed[0].0) {
            return;
        }
        self.keyed.sort_unstable_by_key(|&(key, _)| key);
        let mut begin = start;
        let mut largest = (0, start);
        for i in 0..self.keyed.len() {
            let (key, node) = self.keyed[i];
            let at = from + i;
            if at > start && (i == 0 || key != self.keyed[i - 1].0) {
                let length = at - begin;
                self.length[begin] = length as u32;
                if length > largest.0 {
                    largest = (length, begin);
                }
                self.ties -= 1;
                begin = at;
            }
            self.elements[at] = node;
            self.place[node as usize] = at as u32;
            self.colour[node as usize] = begin as u32;
        }
        self.length[begin] = (end - begin) as u32;
        if end - begin > largest.0 {
            largest = (end - begin, begin);
        }
        // A cell that had to be looked at as a whole still has to be looked at in all its parts.
        let skipped = if self.queued[start] { end } else { largest.1 };
        let mut part = start;
        while part < end {
            if part != skipped && !self.queued[part] {
                self.enqueue(part as u32);
            }
            part += self.length[part] as usize;
        }
    }

    /// Splits a cell of two nodes by their sums.
    fn split_pair(&mut self, start: usize) {
        let (a, b) = (self.elements[start], self.elements[start + 1]);
        let (key_a, key_b) = (self.sums[a as usize] & self.mask, self.sums[b as usize] & self.mask);
        if key_a == key_b {
            return;
        }
        let (a, b) = if key_a < key_b { (a, b) } else { (b, a) };
        self.length[start] = 1;
        self.length[start + 1] = 1;
        self.ties -= 1;
        self.put(a, start);
        self.put(b, start + 1);
        self.enqueue(start as u32 + 1);
    }

    fn enqueue(&mut self, start: u32) {
        self.queued[start as usize] = true;
        self.queue.push(start);
    }

    fn clear_queue(&mut self) {
        for start in self.queue.drain(..) {
            self.queued[start as usize] = false;
        }
    }

    fn absorb(&mut self, word: u64) {
        self.trace = finish((self.trace.rotate_left(29) ^ word).wrapping_mul(MIX[0]));
    }

    /// Exchanges a node with the one at position `to`.
    fn swap(&mut self, node: u32, to: u32) {
        let from = self.place[node as usize];
        let other = self.elements[to as usize];
        self.elements.swap(from as usize, to as usize);
        self.place[node as usize] = to;
        self.place[other as usize] = from;
    }

    /// Opens a problem on top of the others: the partition of `members`, which come in the order of their
    /// colours, as these give it. Appends its cells of more than one node. Returns where it begins.
    pub fn open(&mut self, members: &[Member], cells: &mut Vec<Cell>) -> u32 {
        let base = self.end();
        let end = base as usize + members.len();
        self.length.resize(end, 1);
        self.queued.resize(end, false);
        self.hits.resize(end, 0);
        for cell in members.chunk_by(|a, b| a.colour == b.colour) {
            let (start, length) = (self.end(), cell.len() as u32);
            for member in cell {
                self.place[member.node as usize] = self.end();
                self.colour[member.node as usize] = start;
                self.elements.push(member.node);
            }
            self.length[start as usize] = length;
            if length > 1 {
                cells.push(Cell { start, length });
            }
        }
        base
    }

    /// Closes the topmost problem, which begins at `base` and is discrete: its nodes are written to `members`
    /// in their order and get back the colours that these had when it was opened. Since refinement keeps
    /// nodes within the positions of their cells, colours stay where they are.
    pub fn close(&mut self, base: u32, members: &mut [Member]) {
        for (member, &node) in members.iter_mut().zip(&self.elements[base as usize..]) {
            member.node = node;
            self.colour[node as usize] = member.colour;
        }
        self.elements.truncate(base as usize);
    }

    /// Restores `cells`: `members` are their nodes, one cell after the other.
    pub fn restore(&mut self, cells: &[Cell], members: &[Member]) {
        let mut members = members.iter();
        for cell in cells {
            for (at, member) in cell.positions().zip(&mut members) {
                self.put(member.node, at);
                self.colour[member.node as usize] = cell.start;
            }
            self.length[cell.start as usize] = cell.length;
        }
    }

    /// Makes `cells` discrete: `members` are their nodes, one cell after the other, in the order wanted.
    pub fn assign(&mut self, cells: &[Cell], members: &[Member]) {
        let positions = cells.iter().flat_map(|cell| cell.positions());
        for (at, member) in positions.zip(members) {
            self.put(member.node, at);
            self.length[at] = 1;
        }
    }

    /// Makes `cells` discrete: within each cell, nodes are put in the order in which they come.
    pub fn arrange(&mut self, cells: &[Cell], nodes: impl Iterator<Item = u32>) {
        for node in nodes {
            let start = self.colour[node as usize] as usize;
            self.put(node, start + self.hits[start] as usize);
            self.hits[start] += 1;
        }
        for cell in cells {
            self.hits[cell.start as usize] = 0;
            self.length[cell.positions()].fill(1);
        }
    }

    /// Makes a cell discrete, in the present order of its nodes.
    pub fn settle(&mut self, cell: Cell) {
        for at in cell.positions() {
            self.length[at] = 1;
            self.colour[self.elements[at] as usize] = at as u32;
        }
    }

    fn put(&mut self, node: u32, at: usize) {
        self.elements[at] = node;
        self.place[node as usize] = at as u32;
        self.colour[node as usize] = at as u32;
    }
}

/// Odd constants without structure.
const MIX: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

/// The contribution to a signature of an edge to a node of this colour. Contributions are added, so the hash
/// must not be linear in the colour.
fn mix_leaving(label: u32, colour: u32) -> u64 {
    finish((u64::from(label) << 32 | u64::from(colour)).wrapping_add(MIX[2]).wrapping_mul(MIX[0]))
}

/// The contribution to a signature of an edge from a node of this colour.
fn mix_entering(label: u32, colour: u32) -> u64 {
    finish((u64::from(label) << 32 | u64::from(colour)).wrapping_add(MIX[1]).wrapping_mul(MIX[2]))
}

fn finish(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(MIX[1]);
    word ^ word >> 29
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::graph::Graph;

    /// The coarsest equitable partition, by exact signatures. Returns the classes by node.
    fn naive(graph: &Graph, mut classes: Vec<u32>) -> Vec<u32> {
        loop {
            let mut signatures: Vec<_> = classes.iter().map(|&class| (class, vec![], vec![])).collect();
            for edge in graph.edges() {
                let (source, target) = (edge.source as usize, edge.target as usize);
                signatures[source].1.push((edge.label, classes[target]));
                signatures[target].2.push((edge.label, classes[source]));
            }
            let mut numbers = HashMap::new();
            let refined: Vec<u32> = signatures
                .into_iter()
                .map(|mut signature| {
                    signature.1.sort_unstable();
                    signature.2.sort_unstable();
                    let next = numbers.len() as u32;
                    *numbers.entry(signature).or_insert(next)
                })
                .collect();
            if refined == classes {
                return classes;
            }
            classes = refined;
        }
    }

    /// Nodes of one colour, numbered like classes: by first occurrence.
    fn numbered(colours: &[u32]) -> Vec<u32> {
        let mut numbers = HashMap::new();
        let mut number = |&colour: &u32| {
            let next = numbers.len() as u32;
            *numbers.entry(colour).or_insert(next)
        };
        colours.iter().map(&mut number).collect()
    }

    /// A few edges at random, with few labels, so that something is tied and something is not; or a tree.
    fn sparse(n: u32, seed: u64) -> Graph {
        let mut graph = Graph::new();
        let mut state = seed;
        let mut random = |bound: u32| {
            state = finish(state.wrapping_add(MIX[0]));
            (state % u64::from(bound)) as u32
        };
        for _ in 0..n {
            graph.add_node(random(8).saturating_sub(6).into());
        }
        if seed.is_multiple_of(2) {
            for _ in 0..random(2 * n) {
                graph.add_edge(random(n), random(4) / 3, random(n));
            }
        } else {
            (1..n).for_each(|node| graph.add_edge(node, 0, random(node)));
        }
        graph
    }

    #[test]
    fn rounds_and_refinement_reach_the_coarsest_equitable_partition() {
        let mut partition = Partition::default();
        let mut links = Links::default();
        let (mut discrete, mut tied) = (0, 0);
        for seed in 0..4000 {
            let graph = sparse(2 + seed as u32 % 80, seed);
            partition.start(graph.labels(), u64::MAX);
            let labels: Vec<u32> = graph.labels().iter().map(|&label| label as u32).collect();
            assert_eq!(numbered(partition.colours()), numbered(&labels));
            for _ in 0..=seed % 4 {
                partition.round(graph.edges());
            }
            partition.end_rounds();
            links.collect(&graph, |node| partition.tied(node));
            partition.refine(&links, 0);
            let stable = naive(&graph, numbered(&labels));
            assert_eq!(numbered(partition.colours()), numbered(&stable), "{graph:?}");
            // Set a node apart.
            let whole = Cell { start: 0, length: partition.end() };
            let mut cells = Vec::new();
            partition.parts(whole, &mut cells);
            let Some(&cell) = cells.last() else {
                discrete += 1;
                continue;
            };
            tied += 1;
            let node = partition.elements(cell)[0];
            partition.individualize(node, &cells, &links, 0);
            let mut apart = stable;
            apart[node as usize] = u32::MAX;
            assert_eq!(numbered(partition.colours()), naive(&graph, numbered(&apart)), "{graph:?}");
        }
        assert!(discrete > 500 && tied > 500, "{discrete} {tied}");
    }
}
