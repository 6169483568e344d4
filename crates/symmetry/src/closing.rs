//! The canonical order of a small graph, from scratch for each state.
//!
//! Named nodes name others, without any choice: a node names the targets of its links, place by place, and a
//! node that is the only one of its colour among those that link to it, or among its members. This is the
//! *closing* of the named nodes. Starting with the globals, it names most states completely. What remains is
//! named in this order, with a closing after each name:
//!
//! 1. nodes whose *colour* occurs once, in the order of colours. The colour of a node is a hash of its label and
//!    the labels of its neighbours; later also of the colours and names that they have got;
//! 2. *twins*: nodes of one colour with the same label and the same neighbours. A symmetry of the state exchanges
//!    any two of them, so their order makes no difference;
//! 3. *blocks*: for each node of a colour, what it alone would name by closing. If these blocks are alike and
//!    mention the same nodes outside, a symmetry exchanges any two of them, node by node;
//! 4. the rest is put in order by the crate `canon`, which searches.
//!
//! No step of this depends on the numbers of nodes, except among nodes that a symmetry exchanges. So isomorphic
//! graphs get the same order, unless the search runs out of budget. Hashes decide what is equal: see
//! `ARCHITECTURE.md` on what a collision costs. Exchanges are only proposed here: before a step is left out because
//! of one, words are compared (see [`crate::exchanges`]).
//!
//! Colours and individualization are as in `McKay` and Piperno, "Practical graph isomorphism, II" (2014), section
//! 3. Unlike there, traversal comes before refinement: states are nearly rigid, and places are ordered.

use canon::{Canonizer, Graph, Options, Ordered};

use crate::full::short;
use crate::mix::mix;
use crate::small::{Link, MOST, SmallGraph, nodes};

/// A symmetry of the state: the nodes of two lists of the same length, exchanged one by one.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    start: usize,
    len: usize,
}

/// Puts small graphs in order. Keeps its memory from call to call.
#[derive(Debug)]
pub struct Closing {
    /// The nodes in the order of their names, and how many there are.
    queue: [u8; MOST],
    len: usize,
    /// The number of those from which the closing was followed.
    head: usize,
    /// The number of those that were named by places.
    placed: usize,
    unnamed: u64,
    colours: [u64; MOST],
    colouring: Colouring,
    sums: [u64; MOST],
    /// Nodes with the keys by which they are compared: those without names, and candidates among them.
    keys: Vec<(u64, u8)>,
    /// The first of these lists has the present colours of all nodes without names.
    is_sorted: bool,
    candidates: Vec<(u64, u8)>,
    exchanges: Vec<Exchange>,
    /// The bits of hashes by which exchanges are proposed.
    mask: u64,
    /// The nodes of blocks and exchanges.
    blocks: Vec<u8>,
    graph: Graph,
    canonizer: Canonizer,
}

/// What colours are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Colouring {
    None,
    /// Labels, and those of neighbours.
    Labels,
    /// Earlier colours, and the names that neighbours have now.
    Names,
}

impl Default for Closing {
    fn default() -> Self {
        Self {
            queue: [0; MOST],
            len: 0,
            head: 0,
            placed: 0,
            unnamed: 0,
            colours: [0; MOST],
            colouring: Colouring::None,
            sums: [0; MOST],
            keys: Vec::new(),
            is_sorted: false,
            candidates: Vec::new(),
            exchanges: Vec::new(),
            mask: u64::MAX,
            blocks: Vec::new(),
            graph: Graph::new(),
            canonizer: Canonizer::new(),
        }
    }
}

/// Mixes less thoroughly than [`mix`], and faster.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

const INTO: u64 = 0x9e37_79b9_7f4a_7c15;
const COLOUR: u64 = 0xd6e8_feb8_6659_fd93;

impl Closing {
    /// Computes an order of the nodes of `graph` that begins with `first`, see [`Closing::order`]. What can be
    /// reached from these nodes by places is named next, if `by_places` says so. Then its order depends on links
    /// only, and not on labels, and its labels make no difference to the order of the other nodes.
    pub fn canonize(
        &mut self,
        graph: &SmallGraph,
        first: impl Iterator<Item = u8>,
        by_places: bool,
        options: Options,
    ) -> Ordered {
        (self.len, self.head, self.unnamed) = (0, 0, graph.used);
        self.colouring = Colouring::None;
        self.mask = u64::MAX.checked_shr(64 - options.hash_bits.min(64)).unwrap_or(0);
        self.exchanges.clear();
        self.blocks.clear();
        first.for_each(|node| self.name(node));
        self.placed = 0;
        if by_places {
            self.follow_places(graph);
            self.placed = self.len;
        }
        self.close(graph);
        while self.unnamed != 0 {
            self.colour(graph);
            if self.name_unique(graph) || self.name_twins(graph) || self.name_blocks(graph) {
                continue;
            }
            if self.colouring == Colouring::Names {
                return self.search(graph, options);
            }
            self.recolour(graph);
        }
        Ordered { canonical: true, searched: false, nodes: 0 }
    }

    /// The nodes in canonical order.
    pub fn order(&self) -> &[u8] {
        &self.queue[..self.len]
    }

    /// Whether a symmetry may exchange two of these nodes: two have the same colour.
    pub fn may_exchange(&mut self, graph: &SmallGraph, some: u64) -> bool {
        if !has_equal(&graph.labels, some) {
            return false;
        }
        self.spread(graph, &graph.labels);
        has_equal(&self.colours, some)
    }

    /// The symmetries that were met on the way: pairs of lists of nodes.
    pub fn exchanges(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.exchanges
            .iter()
            .map(|&Exchange { start, len }| self.blocks[start..start + 2 * len].split_at(len))
    }

    #[inline]
    fn name(&mut self, node: u8) {
        if self.unnamed >> node & 1 == 1 {
            self.unnamed &= !(1 << node);
            self.queue[self.len % MOST] = node;
            self.len += 1;
        }
    }

    /// Names everything that can be reached from the named nodes by places.
    fn follow_places(&mut self, graph: &SmallGraph) {
        let mut at = 0;
        while at < self.len && self.unnamed != 0 {
            let node = usize::from(self.queue[at % MOST]) % MOST;
            for link in graph.links[node].iter().filter(|link| link.is_one) {
                self.name(link.target);
            }
            at += 1;
        }
    }

    /// Names everything that the named nodes tell apart.
    fn close(&mut self, graph: &SmallGraph) {
        // They are often read and written: they are to be in registers.
        let (mut len, mut head, mut unnamed) = (self.len, self.head, self.unnamed);
        while head < len && unnamed != 0 {
            let node = usize::from(self.queue[head % MOST]) % MOST;
            head += 1;
            if graph.targets[node] & unnamed != 0 {
                for link in &graph.links[node] {
                    let target = link.target % MOST as u8;
                    if link.is_one && unnamed >> target & 1 == 1 {
                        self.queue[len % MOST] = target;
                        len += 1;
                        unnamed &= !(1 << target);
                    }
                }
            }
            let (members, sources) = (graph.members[node] & unnamed, graph.sources[node] & unnamed);
            if members | sources == 0 {
                continue;
            }
            if members == 0 && sources.is_power_of_two() {
                self.queue[len % MOST] = sources.trailing_zeros() as u8;
                len += 1;
                unnamed &= !sources;
                continue;
            }
            (self.len, self.head, self.unnamed) = (len, head, unnamed);
            if members != 0 {
                self.name_some(graph, members, |candidate| {
                    sum(graph.links[node].iter().filter(|link| usize::from(link.target) == candidate))
                });
            }
            let sources = graph.sources[node] & self.unnamed;
            if sources != 0 {
                self.name_some(graph, sources, |candidate| {
                    sum(graph.links[candidate].iter().filter(|link| usize::from(link.target) == node))
                });
            }
            (len, unnamed) = (self.len, self.unnamed);
        }
        (self.len, self.head, self.unnamed) = (len, head, unnamed);
    }

    /// Names those of the candidates that are told apart by their colours and by how they are linked.
    fn name_some(&mut self, graph: &SmallGraph, candidates: u64, how: impl Fn(usize) -> u64) {
        if candidates.is_power_of_two() {
            return self.name(candidates.trailing_zeros() as u8);
        }
        self.colour(graph);
        let mut keys = std::mem::take(&mut self.candidates);
        keys.clear();
        keys.extend(
            nodes(candidates)
                .map(|node| (self.colours[node].wrapping_add(how(node).wrapping_mul(COLOUR)), node as u8)),
        );
        sort(&mut keys);
        for run in keys.chunk_by(|a, b| a.0 == b.0) {
            if let &[(_, node)] = run {
                self.name(node);
            }
        }
        self.candidates = keys;
    }

    // Colours.

    /// Makes sure that there are colours.
    #[inline]
    fn colour(&mut self, graph: &SmallGraph) {
        if self.colouring == Colouring::None {
            if self.placed == 0 {
                self.spread(graph, &graph.labels);
            } else {
                let mut labels = graph.labels;
                for (&node, name) in self.queue[..self.placed].iter().zip(1..) {
                    labels[usize::from(node)] = mix(name, COLOUR);
                }
                self.spread(graph, &labels);
            }
            self.colouring = Colouring::Labels;
        }
    }

    /// Refines the colours by the names that there are.
    fn recolour(&mut self, graph: &SmallGraph) {
        let mut labels = self.colours;
        for (&node, name) in self.order().iter().zip(1..) {
            labels[usize::from(node)] = mix(name, COLOUR);
        }
        self.spread(graph, &labels);
        self.colouring = Colouring::Names;
    }

    /// Sets the colour of each node to a hash of its label and those of its neighbours.
    fn spread(&mut self, graph: &SmallGraph, labels: &[u64; MOST]) {
        self.is_sorted = false;
        let Self { sums, colours, .. } = self;
        *sums = [0; MOST];
        for node in nodes(graph.used) {
            let label = labels[node];
            for link in &graph.links[node] {
                let target = usize::from(link.target) % MOST;
                sums[node] = sums[node].wrapping_add(fold(labels[target], link.label));
                sums[target] = sums[target].wrapping_add(fold(label ^ INTO, link.label));
            }
        }
        for node in nodes(graph.used) {
            colours[node] = fold(labels[node] ^ sums[node].rotate_left(23), COLOUR);
        }
    }

    // Ties.

    /// Names nodes whose colours occur once. Returns false if there are none.
    fn name_unique(&mut self, graph: &SmallGraph) -> bool {
        let before = self.len;
        // Mostly some thread has a colour of its own, and its closing names everything.
        let threads = graph.threads & self.unnamed;
        let some = if threads == 0 { self.unnamed } else { threads };
        let mut below = 0;
        while let Some((colour, node, count)) = self.least_above(below, some) {
            if count == 1 {
                self.name(node);
                self.close(graph);
                break;
            }
            below = colour;
        }
        if self.unnamed != 0 {
            let keys = self.sorted();
            for run in keys.chunk_by(|a, b| a.0 == b.0) {
                if let &[(_, node)] = run
                    && self.unnamed >> node & 1 == 1
                {
                    self.name(node);
                    self.close(graph);
                }
            }
            self.keys = keys;
        }
        self.note_progress(before)
    }

    /// The least colour above a given one of some nodes: the colour, a node, and the number of its nodes.
    #[inline]
    fn least_above(&self, below: u64, some: u64) -> Option<(u64, u8, u32)> {
        let (mut least, mut found, mut count) = (u64::MAX, 0, 0);
        for node in nodes(some) {
            let colour = self.colours[node];
            if colour > below && colour <= least {
                count = if colour == least { count + 1 } else { 1 };
                (least, found) = (colour, node as u8);
            }
        }
        (count > 0).then_some((least, found, count))
    }

    /// The nodes without names, in the order of their colours. Give the list back to `keys`.
    fn sorted(&mut self) -> Vec<(u64, u8)> {
        let mut keys = std::mem::take(&mut self.keys);
        if std::mem::replace(&mut self.is_sorted, true) {
            keys.retain(|&(_, node)| self.unnamed >> node & 1 == 1);
        } else {
            keys.clear();
            keys.extend(nodes(self.unnamed).map(|node| (self.colours[node], node as u8)));
            sort(&mut keys);
        }
        keys
    }

    fn note_progress(&mut self, before: usize) -> bool {
        let has_named = self.len > before;
        if has_named && self.colouring == Colouring::Names {
            // There are more names now than those in the colours.
            self.colouring = Colouring::Labels;
        }
        has_named
    }

    /// Names twins. Returns false if there are none.
    fn name_twins(&mut self, graph: &SmallGraph) -> bool {
        let before = self.len;
        let keys = self.sorted();
        if self.mask != u64::MAX {
            self.propose_more(graph, &keys);
        }
        for run in keys.chunk_by(|a, b| a.0 == b.0) {
            let is_unnamed = |unnamed: u64, node: u8| unnamed >> node & 1 == 1;
            let mut left = run.iter().map(|&(_, node)| node).filter(|&node| is_unnamed(self.unnamed, node));
            let Some(one) = left.next() else { continue };
            let surroundings = surroundings(graph, one.into());
            if !left.all(|other| self::surroundings(graph, other.into()) == surroundings) {
                continue;
            }
            // Each is exchanged with the next one: the others still are when one is fixed.
            let mut last = one;
            for &(_, node) in run {
                if is_unnamed(self.unnamed, node) {
                    if node != one {
                        self.exchanges.push(Exchange { start: self.blocks.len(), len: 1 });
                        self.blocks.extend([last, node]);
                        last = node;
                    }
                    self.name(node);
                    self.close(graph);
                }
            }
        }
        self.keys = keys;
        self.note_progress(before)
    }

    /// Proposes exchanges of nodes as if hashes had fewer bits. Names do not depend on that.
    #[cold]
    fn propose_more(&mut self, graph: &SmallGraph, keys: &[(u64, u8)]) {
        for (at, &(_, one)) in keys.iter().enumerate() {
            for &(_, other) in &keys[at + 1..] {
                let differ = surroundings(graph, one.into()) ^ surroundings(graph, other.into());
                if differ & self.mask == 0 {
                    self.exchanges.push(Exchange { start: self.blocks.len(), len: 1 });
                    self.blocks.extend([one, other]);
                }
            }
        }
    }

    /// Names the blocks of the least numerous colour, if they can be exchanged. Returns false otherwise.
    fn name_blocks(&mut self, graph: &SmallGraph) -> bool {
        let before = self.len;
        let keys = self.sorted();
        let cells = keys.chunk_by(|a, b| a.0 == b.0);
        let cell = cells.min_by_key(|cell| cell.len()).expect("there are nodes without names");
        let (start, head, unnamed) = (self.blocks.len(), self.head, self.unnamed);
        let mut first = None;
        let mut covered = 0_u64;
        let can_exchange = cell.iter().all(|&(_, node)| {
            self.name(node);
            self.close(graph);
            let block = &self.queue[before..self.len];
            let set = block.iter().fold(0, |set, &node| set | 1 << node);
            let likeness = (block.len(), likeness(graph, block, set));
            let is_apart = covered & set == 0;
            covered |= set;
            self.blocks.extend_from_slice(block);
            (self.len, self.head, self.unnamed) = (before, head, unnamed);
            is_apart && *first.get_or_insert(likeness) == likeness
        });
        self.keys = keys;
        let Some((len, _)) = first.filter(|_| can_exchange) else {
            self.blocks.truncate(start);
            return false;
        };
        let end = self.blocks.len();
        for at in start..end {
            self.name(self.blocks[at]);
        }
        // Neighbours are next to each other in the list.
        for at in (start + len..end).step_by(len) {
            self.exchanges.push(Exchange { start: at - len, len });
        }
        self.close(graph);
        self.note_progress(before)
    }

    /// Puts everything without a name in order, by a search.
    fn search(&mut self, graph: &SmallGraph, options: Options) -> Ordered {
        let rest = self.unnamed;
        let mut numbers = [0; MOST];
        self.graph.clear();
        for node in nodes(rest) {
            numbers[node] = self.graph.add_node(self.colours[node]);
        }
        for node in nodes(rest) {
            for link in graph.links[node].iter().filter(|link| rest >> link.target & 1 == 1) {
                let target = numbers[usize::from(link.target)];
                self.graph.add_edge(numbers[node], short(link.label), target);
            }
        }
        let ordered = self.canonizer.order(&self.graph, options);
        let start = self.len;
        for (node, &position) in nodes(rest).zip(self.canonizer.position()) {
            self.queue[start + position as usize] = node as u8;
        }
        (self.len, self.unnamed) = (start + self.graph.len(), 0);
        ordered
    }
}

/// Whether two of these nodes have the same hash. The answer may be yes although there are none.
fn has_equal(hashes: &[u64; MOST], some: u64) -> bool {
    let mut seen = [0_u64; 32];
    nodes(some).any(|node| {
        let bits = hashes[node].wrapping_mul(COLOUR) >> 53;
        let (word, bit) = (&mut seen[bits as usize / 64], 1 << (bits % 64));
        let is_seen = *word & bit != 0;
        *word |= bit;
        is_seen
    })
}

/// Sorts a short list.
#[inline]
fn sort(keys: &mut [(u64, u8)]) {
    for at in 1..keys.len() {
        let key = keys[at];
        let mut to = at;
        while to > 0 && keys[to - 1].0 > key.0 {
            keys[to] = keys[to - 1];
            to -= 1;
        }
        keys[to] = key;
    }
}

/// A hash of some links that does not depend on their order.
fn sum<'l>(links: impl Iterator<Item = &'l Link>) -> u64 {
    links.fold(0, |sum, link| sum.wrapping_add(link.label))
}

/// A hash of the label and all links of a node, with the numbers of nodes.
fn surroundings(graph: &SmallGraph, node: usize) -> u64 {
    likeness(graph, &[node as u8], 1 << node)
}

/// A hash of the labels and all links of the nodes of a block. Nodes of the block are identified by their places
/// in it, others by their numbers.
fn likeness(graph: &SmallGraph, block: &[u8], set: u64) -> u64 {
    let place = |node: usize| {
        if set >> node & 1 == 0 {
            return 64 + node as u64;
        }
        block.iter().position(|&other| usize::from(other) == node).expect("in the set") as u64
    };
    block.iter().fold(0, |hash, &node| {
        let node = usize::from(node);
        let mut links = 0_u64;
        for link in &graph.links[node] {
            links = links.wrapping_add(mix(link.label, place(link.target.into())));
        }
        for source in nodes(graph.sources[node] & !set) {
            for link in graph.links[source].iter().filter(|link| usize::from(link.target) == node) {
                links = links.wrapping_add(mix(link.label ^ INTO, place(source)));
            }
        }
        mix(mix(hash, graph.labels[node]), links)
    })
}
