//! A set of byte strings as the minimal deterministic automaton that accepts them.
//!
//! Nodes are unique by their edges ([`super::nodes`]). Hence no two nodes accept the same strings: the
//! automaton is minimal after every insertion. It has no cycles, one accepting node (the strings are
//! prefix-free: none is a prefix of another) and no rejecting node: a byte without an edge rejects.
//!
//! An insertion walks down as far as there are edges. If that is the whole string, it is in the set.
//! Otherwise the string needs other nodes: those of the path with one child changed, and a chain for the rest
//! of the string. From the end of the string to its beginning, first come nodes that exist, which are found
//! by their edges; the first one that does not exist is new, and so are all above it, since the one below
//! them is new.
//!
//! A node of the path is *owned* if only the path leads to it: exactly one edge leads to it, of exactly one
//! byte, and the same holds for the nodes above it. What happens to the nodes of the path:
//!
//! |        | the wanted node is new                        | the wanted node exists        |
//! |--------|-----------------------------------------------|-------------------------------|
//! | owned  | changes in place, or moves to a longer record | is removed                    |
//! | shared | stays for the others, and a copy is made      | stays for the others          |
//!
//! As soon as a changed node keeps its address, the nodes above it need not change: most insertions end
//! early.
//!
//! So garbage never has to be collected: for a node that is removed, there is an equal one with edges to all
//! its other children. Reference counts only serve to distinguish owned from shared nodes.

use super::nodes::{Content, Draft, Edge, Node, Nodes, size};
use crate::{Budget, Full};

/// The minimal deterministic automaton of a set of strings.
#[derive(Debug)]
pub struct Dfa {
    nodes: Nodes,
    root: Node,
    /// The nodes on the path of the last string.
    path: Vec<Node>,
    /// The bytes of the string along this path, as far as they still lead through these nodes.
    taken: Vec<u8>,
    draft: Draft,
}

impl Dfa {
    pub fn new(budget: &Budget) -> Self {
        Self {
            nodes: Nodes::new(budget),
            root: Node::NONE,
            path: Vec::new(),
            taken: Vec::new(),
            draft: Draft::default(),
        }
    }

    #[cfg(test)]
    pub fn with_hash_mask(self, hash_mask: u64) -> Self {
        Self { nodes: self.nodes.with_hash_mask(hash_mask), ..self }
    }

    #[cfg(test)]
    pub const fn root(&self) -> Node {
        self.root
    }

    #[cfg(test)]
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The number of nodes, including the accepting one, and the number of edges.
    pub const fn size(&self) -> (usize, usize) {
        (self.nodes.len() + 1, self.nodes.edges())
    }

    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
    }

    /// Whether the set contains a string. Keeps its path up to the first node that has no edge for it.
    /// Neighbours in a search have much in common, so the walk starts where it leaves the last path.
    pub fn contains(&mut self, string: &[u8]) -> bool {
        let common = self.taken.iter().zip(string).take_while(|(a, b)| a == b).count();
        let mut node = self.path.get(common).copied();
        self.path.truncate(common);
        self.taken.truncate(common);
        for &byte in &string[self.path.len()..] {
            let from = node.unwrap_or(self.root);
            self.path.push(from);
            match self.nodes.content(from).find(byte) {
                Some(edge) => node = Some(edge.child),
                None => return false,
            }
            self.taken.push(byte);
        }
        debug_assert!(node.is_none_or(|node| node == Node::ACCEPT), "no string is the beginning of another");
        true
    }

    /// Adds the string that [`Dfa::contains`] has just not found. It must not be empty, nor a prefix of
    /// another string, nor another string a prefix of it.
    pub fn add(&mut self, string: &[u8]) -> Result<(), Full> {
        self.reserve(string)?;
        let mut child = Node::ACCEPT;
        // Nodes before this depth are new. The root is always new: it accepts more than any node did.
        let mut new = string.len();
        loop {
            let content = wanted(&self.nodes, &self.path, new - 1, string, child, &mut self.draft);
            let Some(node) = self.nodes.find(content) else { break };
            (child, new) = (node, new - 1);
        }
        let owned = self.owned(string, child);
        for depth in new..owned {
            self.discard(self.path[depth]);
        }
        for depth in (0..new).rev() {
            let content = wanted(&self.nodes, &self.path, depth, string, child, &mut self.draft);
            if depth >= owned {
                child = self.nodes.make(content);
                content.edges().for_each(|edge| self.nodes.add_refs(edge.child, 1));
            } else {
                let node = self.path[depth];
                let lost = self.path.get(depth + 1).copied().filter(|_| depth + 1 >= owned);
                child = change(&mut self.nodes, node, content, child, lost);
                if child == node {
                    self.taken.truncate(depth);
                    return Ok(());
                }
            }
        }
        self.path.clear();
        self.taken.clear();
        self.nodes.add_refs(child, 1);
        let root = std::mem::replace(&mut self.root, child);
        if owned == 0 {
            self.nodes.add_refs(root, -1);
        }
        Ok(())
    }

    fn reserve(&mut self, string: &[u8]) -> Result<(), Full> {
        // A byte can split an edge into three.
        let edges = self.path.iter().map(|&node| self.nodes.content(node).len() + 2);
        let words: usize = edges.map(size).sum();
        self.nodes.reserve(words + (string.len() - self.path.len()) * size(1))
    }

    /// The number of owned nodes of the path. `next` will get an edge from the new path, so a node of the
    /// path that is equal to `next` is shared from now on.
    fn owned(&self, string: &[u8], next: Node) -> usize {
        let mut single = true;
        for (depth, (&node, &byte)) in self.path.iter().zip(string).enumerate() {
            if !single || self.nodes.refs(node) != 1 || node == next {
                return depth;
            }
            single = self.nodes.content(node).find(byte).is_none_or(Edge::is_single);
        }
        self.path.len()
    }

    /// Removes a node to which no edge will lead.
    fn discard(&mut self, node: Node) {
        self.nodes.unregister(node);
        for index in 0..self.nodes.content(node).len() {
            let child = self.nodes.content(node).edge(index).child;
            self.nodes.add_refs(child, -1);
        }
        self.nodes.free(node);
    }
}

/// The edges that the node at `depth` must have, so that the string continues with `child`.
fn wanted<'a>(
    nodes: &Nodes,
    path: &[Node],
    depth: usize,
    string: &[u8],
    child: Node,
    draft: &'a mut Draft,
) -> Content<'a> {
    // Beyond the path there are no edges to keep.
    let old = nodes.content(path.get(depth).copied().unwrap_or(Node::NONE));
    let byte = string[depth];
    let at = old.position(byte);
    let hit = (at < old.len()).then(|| old.edge(at)).filter(|edge| edge.least <= byte);
    draft.clear();
    (0..at).for_each(|index| draft.push(old.edge(index)));
    if let Some(edge) = hit.filter(|edge| edge.least < byte) {
        draft.push(Edge { greatest: byte - 1, ..edge });
    }
    draft.push(Edge::new(byte, child));
    if let Some(edge) = hit.filter(|edge| edge.greatest > byte) {
        draft.push(Edge { least: byte + 1, ..edge });
    }
    (at + usize::from(hit.is_some())..old.len()).for_each(|index| draft.push(old.edge(index)));
    draft.finish()
}

/// Gives an owned node the edges of `new`, which differ from its own by those to `gained` and, if that node
/// stays, to `lost`. Its address may change.
fn change(nodes: &mut Nodes, node: Node, new: Content<'_>, gained: Node, lost: Option<Node>) -> Node {
    let count =
        |content: Content<'_>, child| content.edges().filter(|edge| edge.child == child).count() as i32;
    let old = nodes.content(node);
    let len = old.len();
    let more = |child| count(new, child) - count(old, child);
    let (gains, losses) = (more(gained), lost.map(more));
    nodes.add_refs(gained, gains);
    if let (Some(lost), Some(losses)) = (lost, losses) {
        nodes.add_refs(lost, losses);
    }
    nodes.unregister(node);
    if new.len() == len {
        nodes.write(node, new);
        return node;
    }
    // The old record is freed last, so that a node that moves never gets its old address.
    let moved = nodes.make(new);
    nodes.free(node);
    moved
}
