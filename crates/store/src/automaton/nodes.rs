//! The nodes of an automaton: variable-length records in an arena, each of them unique.
//!
//! ```text
//!   refs | next | count, label, label, …  (16 bits each) | child, child, …      32-bit words
//! ```
//!
//! An edge consists of an interval of bytes (its label: the least and the greatest) and a child. Edges are
//! sorted, and two adjacent ones have different children. So nodes with the same edges have the same words
//! from `count` on, which makes it easy to find an existing node: `next` chains the nodes of a hash bucket.
//! Freed records are kept for a node with the same number of edges.

use crate::zeroed::{Zeroed, grow_by};
use crate::{Budget, Full};

/// The address of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node(u32);

impl Node {
    /// The node that accepts no string.
    pub const NONE: Self = Self(0);
    /// The node that accepts only the empty string.
    pub const ACCEPT: Self = Self(1);
    /// The first address of a record.
    const FIRST: u32 = 2;

    const fn is_record(self) -> bool {
        self.0 >= Self::FIRST
    }
}

const CHUNK_BITS: u32 = 14;
/// The number of words of a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
const CHUNKS: usize = 1 << (u32::BITS - CHUNK_BITS);
const MOST_EDGES: usize = 256;
const FIRST_BUCKETS: usize = 1 << 8;

const REFS: usize = 0;
const NEXT: usize = 1;
const CONTENT: usize = 2;

/// The number of words of a record with `edges` edges.
pub const fn size(edges: usize) -> usize {
    CONTENT + 1 + edges / 2 + edges
}

/// An interval of bytes that lead to one child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub least: u8,
    pub greatest: u8,
    pub child: Node,
}

impl Edge {
    pub const fn new(byte: u8, child: Node) -> Self {
        Self { least: byte, greatest: byte, child }
    }

    pub const fn is_single(self) -> bool {
        self.least == self.greatest
    }
}

/// The edges of a node, as they are written in its record: they identify the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content<'a>(&'a [u32]);

impl<'a> Content<'a> {
    pub const fn len(self) -> usize {
        (self.0[0] & 0xffff) as usize
    }

    #[inline]
    const fn label(self, index: usize) -> u16 {
        (self.0[index.div_ceil(2)] >> (16 * ((index as u32 + 1) % 2))) as u16
    }

    #[inline]
    pub fn edge(self, index: usize) -> Edge {
        let [least, greatest] = self.label(index).to_le_bytes();
        Edge { least, greatest, child: Node(self.0[self.len() / 2 + 1 + index]) }
    }

    pub fn edges(self) -> impl Iterator<Item = Edge> + 'a {
        (0..self.len()).map(move |index| self.edge(index))
    }

    /// The index of the first edge with a byte of at least `byte`; it is the edge of `byte` if there is one.
    #[inline]
    pub fn position(self, byte: u8) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let [_, greatest] = self.label(middle).to_le_bytes();
            if greatest < byte {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The edge for `byte`.
    #[inline]
    pub fn find(self, byte: u8) -> Option<Edge> {
        let index = self.position(byte);
        (index < self.len()).then(|| self.edge(index)).filter(|edge| edge.least <= byte)
    }

    /// A hash by folded products of 64 bits: every bit of the words reaches every bit of the hash.
    fn hash(self) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let (pairs, rest) = self.0.as_chunks::<2>();
        let mut hash = 0x9e37_79b9_7f4a_7c15;
        for &[low, high] in pairs {
            hash = fold(hash ^ (u64::from(low) | u64::from(high) << 32), 0xd6e8_feb8_6659_fd93);
        }
        if let &[last] = rest {
            hash = fold(hash ^ u64::from(last), 0xa076_1d64_78bd_642f);
        }
        fold(hash, 0xe703_7ed1_a0b4_28db)
    }
}

/// Builds content, edge by edge.
#[derive(Default, Debug)]
pub struct Draft {
    edges: Vec<Edge>,
    words: Vec<u32>,
}

impl Draft {
    pub fn clear(&mut self) {
        self.edges.clear();
    }

    /// Adds the next edge, or extends the last edge if it is adjacent and has the same child.
    pub fn push(&mut self, edge: Edge) {
        match self.edges.last_mut() {
            Some(last) if last.child == edge.child && last.greatest.checked_add(1) == Some(edge.least) => {
                last.greatest = edge.greatest;
            }
            _ => self.edges.push(edge),
        }
    }

    pub fn finish(&mut self) -> Content<'_> {
        let count = self.edges.len();
        self.words.clear();
        self.words.resize(count / 2 + 1, 0);
        self.words[0] = count as u32;
        for (index, edge) in self.edges.iter().enumerate() {
            let label = u16::from_le_bytes([edge.least, edge.greatest]);
            self.words[index.div_ceil(2)] |= u32::from(label) << (16 * ((index as u32 + 1) % 2));
        }
        self.words.extend(self.edges.iter().map(|edge| edge.child.0));
        Content(&self.words)
    }
}

/// All nodes of an automaton.
#[derive(Debug)]
pub struct Nodes {
    chunks: Vec<Zeroed<u32>>,
    /// The first address at which no record was ever written.
    top: usize,
    /// By number of edges: the first of the freed records, chained by `next`.
    free: Vec<Node>,
    /// The first node of each bucket's chain.
    buckets: Vec<u32>,
    len: usize,
    edges: usize,
    /// The bits of a hash that are used: all of them, except in tests of collisions.
    hash_mask: u64,
    budget: Budget,
}

impl Nodes {
    pub fn new(budget: &Budget) -> Self {
        Self {
            chunks: Vec::new(),
            top: Node::FIRST as usize,
            free: vec![Node::NONE; MOST_EDGES + 1],
            buckets: Vec::new(),
            len: 0,
            edges: 0,
            hash_mask: u64::MAX,
            budget: budget.clone(),
        }
    }

    #[cfg(test)]
    pub fn with_hash_mask(self, hash_mask: u64) -> Self {
        Self { hash_mask, ..self }
    }

    /// The number of records in use.
    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn edges(&self) -> usize {
        self.edges
    }

    /// The memory of everything that was ever in use, in bytes.
    pub fn bytes(&self) -> usize {
        (self.top + self.buckets.len()) * size_of::<u32>()
    }

    /// Makes sure that nodes with `words` words in all, and a few more records, can be made.
    pub fn reserve(&mut self, words: usize) -> Result<(), Full> {
        // The rest of a chunk in which a record does not fit is lost.
        const USABLE: usize = CHUNK - size(MOST_EDGES);
        let left = (self.chunks.len() * CHUNK).saturating_sub(self.top);
        if left < words + (words / USABLE + 1) * size(MOST_EDGES) {
            let chunks = words.div_ceil(USABLE);
            if self.chunks.len() + chunks >= CHUNKS {
                return Err(Full::Memory);
            }
            for _ in 0..chunks {
                self.chunks.push(Zeroed::new(CHUNK, &self.budget)?);
            }
        }
        if self.len >= 2 * self.buckets.len() {
            self.grow_buckets();
        }
        if self.buckets.is_empty() { Err(Full::Memory) } else { Ok(()) }
    }

    /// Doubles the number of buckets, if the budget allows it; otherwise chains get longer, which only costs
    /// time.
    fn grow_buckets(&mut self) {
        let old = self.buckets.len();
        let more = old.max(FIRST_BUCKETS);
        if grow_by(&mut self.buckets, more, &self.budget).is_err() {
            return;
        }
        self.buckets.resize(old + more, Node::NONE.0);
        for bucket in 0..old {
            let mut node = Node(std::mem::replace(&mut self.buckets[bucket], Node::NONE.0));
            while node != Node::NONE {
                let next = Node(self.record(node)[NEXT]);
                let bucket = self.bucket(self.content(node));
                self.link(node, bucket);
                node = next;
            }
        }
    }

    fn record(&self, node: Node) -> &[u32] {
        &self.chunks[node.0 as usize / CHUNK][node.0 as usize % CHUNK..]
    }

    fn record_mut(&mut self, node: Node) -> &mut [u32] {
        &mut self.chunks[node.0 as usize / CHUNK][node.0 as usize % CHUNK..]
    }

    /// The edges of a node. The two nodes that have no record have no edges.
    #[inline]
    pub fn content(&self, node: Node) -> Content<'_> {
        if !node.is_record() {
            return Content(&[0]);
        }
        let content = &self.record(node)[CONTENT..];
        Content(&content[..size(Content(content).len()) - CONTENT])
    }

    /// The number of counted edges that lead to a node.
    #[inline]
    pub fn refs(&self, node: Node) -> u32 {
        if node.is_record() { self.record(node)[REFS] } else { 0 }
    }

    /// Adds `more`, which may be negative, to the number of edges to a node.
    pub fn add_refs(&mut self, node: Node, more: i32) {
        if node.is_record() {
            let refs = &mut self.record_mut(node)[REFS];
            *refs = refs.wrapping_add_signed(more);
        }
    }

    fn bucket(&self, content: Content<'_>) -> usize {
        ((content.hash() & self.hash_mask) >> 32) as usize & (self.buckets.len() - 1)
    }

    fn link(&mut self, node: Node, bucket: usize) {
        let first = std::mem::replace(&mut self.buckets[bucket], node.0);
        self.record_mut(node)[NEXT] = first;
    }

    /// The registered node with these edges.
    pub fn find(&self, content: Content<'_>) -> Option<Node> {
        let mut node = Node(self.buckets[self.bucket(content)]);
        while node != Node::NONE {
            let record = self.record(node);
            if record[CONTENT..].starts_with(content.0) {
                return Some(node);
            }
            node = Node(record[NEXT]);
        }
        None
    }

    /// Makes a new node with these edges, and registers it. No edge leads to it yet. [`Nodes::reserve`] must
    /// have made room.
    pub fn make(&mut self, content: Content<'_>) -> Node {
        let node = self.allocate(content.len());
        self.record_mut(node)[REFS] = 0;
        self.write(node, content);
        node
    }

    /// Gives an unregistered node other edges, of the same number, and registers it.
    pub fn write(&mut self, node: Node, content: Content<'_>) {
        self.record_mut(node)[CONTENT..][..content.0.len()].copy_from_slice(content.0);
        let bucket = self.bucket(content);
        self.link(node, bucket);
    }

    /// Unregisters a node that is to be changed or removed: it is not found any more.
    pub fn unregister(&mut self, node: Node) {
        let bucket = self.bucket(self.content(node));
        let next = self.record(node)[NEXT];
        let mut at = Node(self.buckets[bucket]);
        if at == node {
            self.buckets[bucket] = next;
            return;
        }
        while self.record(at)[NEXT] != node.0 {
            at = Node(self.record(at)[NEXT]);
        }
        self.record_mut(at)[NEXT] = next;
    }

    fn allocate(&mut self, edges: usize) -> Node {
        self.len += 1;
        self.edges += edges;
        let freed = self.free[edges];
        if freed != Node::NONE {
            self.free[edges] = Node(self.record(freed)[NEXT]);
            return freed;
        }
        if self.top % CHUNK + size(edges) > CHUNK {
            self.top = self.top.next_multiple_of(CHUNK);
        }
        let node = Node(self.top as u32);
        self.top += size(edges);
        node
    }

    /// Frees a node that is not registered.
    pub fn free(&mut self, node: Node) {
        let edges = self.content(node).len();
        self.len -= 1;
        self.edges -= edges;
        let next = std::mem::replace(&mut self.free[edges], node);
        self.record_mut(node)[NEXT] = next.0;
    }
}
