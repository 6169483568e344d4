//! The nodes of an automaton: variable-length records in an arena, each of them unique.
//!
//! ```text
//!   refs | next | count, label, label, …  (16 bits each) | child, child, …      32-bit words
//! ```
//!
//! An edge is an interval of bytes (its label: the least and the greatest) and a child; edges stand in order,
//! and two that touch have different children. So nodes with the same edges are the same words from `count`
//! on, which makes it easy to find the one that exists: `next` chains the nodes of a bucket. Freed records
//! wait for a node with as many edges.

use crate::zeroed::{Zeroed, grow_by};
use crate::{Budget, Full};

/// The address of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node(u32);

impl Node {
    /// The node without a word.
    pub const NONE: Self = Self(0);
    /// The node with the empty word, and no other.
    pub const ACCEPT: Self = Self(1);
    /// Where addresses of records start.
    const FIRST: u32 = 2;

    const fn is_record(self) -> bool {
        self.0 >= Self::FIRST
    }
}

const CHUNK_BITS: u32 = 14;
/// The words of a chunk.
const CHUNK: usize = 1 << CHUNK_BITS;
const CHUNKS: usize = 1 << (u32::BITS - CHUNK_BITS);
const MOST_EDGES: usize = 256;
const FIRST_BUCKETS: usize = 1 << 8;

const REFS: usize = 0;
const NEXT: usize = 1;
const CONTENT: usize = 2;

/// The words of a record with `edges` edges.
pub const fn size(edges: usize) -> usize {
    CONTENT + 1 + edges / 2 + edges
}

/// Bytes that lead to one child.
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

/// The edges of a node, as they are written in records: what makes a node the node it is.
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

    /// The first edge with a byte of `byte` or more, which may be its edge.
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

    /// The edge that `byte` takes.
    #[inline]
    pub fn find(self, byte: u8) -> Option<Edge> {
        let index = self.position(byte);
        (index < self.len()).then(|| self.edge(index)).filter(|edge| edge.least <= byte)
    }

    /// Products of 64 bits, folded: every bit of the words reaches every bit of the hash.
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

/// Writes content, edge by edge.
#[derive(Default, Debug)]
pub struct Draft {
    edges: Vec<Edge>,
    words: Vec<u32>,
}

impl Draft {
    pub fn clear(&mut self) {
        self.edges.clear();
    }

    /// Adds the next edge, which may be one with the last.
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

#[derive(Debug)]
pub struct Nodes {
    chunks: Vec<Zeroed<u32>>,
    /// Where no record was ever written.
    top: usize,
    /// By number of edges: the first of the freed records, chained by `next`.
    free: Vec<Node>,
    /// The first nodes of the chains.
    buckets: Vec<u32>,
    len: usize,
    edges: usize,
    /// The bits of a hash that are used: all of them, except in tests of what collisions do.
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

    /// How many records are in use.
    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn edges(&self) -> usize {
        self.edges
    }

    /// The memory of what was ever in use.
    pub fn bytes(&self) -> usize {
        (self.top + self.buckets.len()) * size_of::<u32>()
    }

    /// Makes sure that nodes of `words` words together, and a few records more, can be made.
    pub fn reserve(&mut self, words: usize) -> Result<(), Full> {
        // The rest of a chunk in which a record finds no place is lost.
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

    /// Twice as many buckets, if the budget allows; otherwise chains get longer, which costs time only.
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

    /// The edges of a node. The two that are no records have none.
    #[inline]
    pub fn content(&self, node: Node) -> Content<'_> {
        if !node.is_record() {
            return Content(&[0]);
        }
        let content = &self.record(node)[CONTENT..];
        Content(&content[..size(Content(content).len()) - CONTENT])
    }

    /// How many edges lead to a node, of those that count.
    #[inline]
    pub fn refs(&self, node: Node) -> u32 {
        if node.is_record() { self.record(node)[REFS] } else { 0 }
    }

    /// Counts `more` edges to a node, or fewer.
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

    /// The node with these edges. Only registered nodes are found.
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

    /// A new node, registered under its edges, to which nobody refers yet. There must be room, see
    /// [`Nodes::reserve`].
    pub fn make(&mut self, content: Content<'_>) -> Node {
        let node = self.allocate(content.len());
        self.record_mut(node)[REFS] = 0;
        self.write(node, content);
        node
    }

    /// Gives a node that is not registered other edges, as many as it had, and registers it.
    pub fn write(&mut self, node: Node, content: Content<'_>) {
        self.record_mut(node)[CONTENT..][..content.0.len()].copy_from_slice(content.0);
        let bucket = self.bucket(content);
        self.link(node, bucket);
    }

    /// A node that is to change or to go is not found any more.
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
