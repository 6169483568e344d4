//! Which place in the tree a word of a state has.
//!
//! The leaves are the words of the components, in the order of an encoding. How the tree joins them is learned from a sample
//! of states ([`super::sample`]). A plan covers the components that the sample knows, at the greatest length that they had. The
//! last leaf stands for everything else.

use system::{Key, Section};

/// A place in the tree: leaves first, then inner nodes, children before their parents.
pub type Position = usize;

#[derive(Debug)]
pub struct Plan {
    /// By section and index.
    spans: [Vec<Span>; 3],
    /// By leaf but the last.
    keys: Vec<Key>,
    leaves: usize,
    /// By leaf: the inner node above.
    above: Vec<u32>,
    nodes: Vec<Node>,
}

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub children: [u32; 2],
    /// The inner node above.
    pub above: u32,
}

/// There is no inner node above the root.
pub const NOWHERE: u32 = u32::MAX;

/// The leaves of a component.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Span {
    pub first: u32,
    pub count: u32,
}

impl Plan {
    /// For components of so many words, in the order of their keys. `grow` is told the number of leaves, the last of which is
    /// the one for the rest, and makes a tree of all of them.
    pub fn new(components: &[(Key, usize)], grow: impl FnOnce(usize) -> Tree) -> Self {
        let mut plan = Self {
            spans: Default::default(),
            keys: Vec::new(),
            leaves: 0,
            above: Vec::new(),
            nodes: Vec::new(),
        };
        for &(key, words) in components {
            let spans = &mut plan.spans[key.section as usize];
            spans.resize(key.index as usize + 1, Span::default());
            // A component without words has a leaf that says so.
            let count = words.max(1);
            spans[key.index as usize] = Span { first: plan.keys.len() as u32, count: count as u32 };
            plan.keys.resize(plan.keys.len() + count, key);
        }
        plan.leaves = plan.keys.len() + 1;
        plan.add(&grow(plan.leaves));
        plan.above = vec![NOWHERE; plan.leaves];
        for node in 0..plan.nodes.len() {
            for child in plan.children(node) {
                match child.checked_sub(plan.leaves) {
                    None => plan.above[child] = node as u32,
                    Some(inner) => plan.nodes[inner].above = node as u32,
                }
            }
        }
        plan
    }

    /// Numbers the nodes of a tree and returns its root.
    fn add(&mut self, tree: &Tree) -> Position {
        match tree {
            Tree::Leaf(leaf) => *leaf,
            Tree::Join(halves) => {
                let [left, right] = [&halves[0], &halves[1]].map(|half| self.add(half));
                self.nodes.push(Node { children: [left as u32, right as u32], above: NOWHERE });
                self.leaves + self.nodes.len() - 1
            }
        }
    }

    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The leaf for what has no other.
    pub fn rest(&self) -> Position {
        self.leaves - 1
    }

    pub fn inner(&self) -> usize {
        self.nodes.len()
    }

    pub fn positions(&self) -> usize {
        self.leaves + self.nodes.len()
    }

    #[inline]
    pub fn node(&self, inner: usize) -> Node {
        self.nodes[inner]
    }

    #[inline]
    pub fn children(&self, inner: usize) -> [Position; 2] {
        self.nodes[inner].children.map(|child| child as usize)
    }

    /// The inner node above a leaf, if there is one.
    #[inline]
    pub fn above(&self, leaf: Position) -> u32 {
        self.above[leaf]
    }

    /// Which component a leaf belongs to, if it is not the one for the rest.
    pub fn key(&self, leaf: Position) -> Option<Key> {
        self.keys.get(leaf).copied()
    }

    /// The leaves of a component, none if it is not in the plan.
    #[inline]
    pub fn span(&self, key: Key) -> Span {
        self.spans[key.section as usize].get(key.index as usize).copied().unwrap_or_default()
    }

    /// The components that have leaves.
    pub fn components(&self) -> impl Iterator<Item = Key> {
        Section::ALL.into_iter().flat_map(|section| {
            let spans = self.spans[section as usize].iter().zip(0..);
            spans.filter(|(span, _)| span.count > 0).map(move |(_, index)| Key { section, index })
        })
    }
}

/// How leaves are joined.
#[derive(Debug)]
pub enum Tree {
    Leaf(Position),
    Join(Box<[Tree; 2]>),
}

impl Tree {
    pub fn join(left: Self, right: Self) -> Self {
        Self::Join(Box::new([left, right]))
    }

    /// Joins some trees in their order, at least one, so that both halves have the same weight, as far as that is possible.
    pub fn balanced(trees: Vec<(Self, f64)>) -> Self {
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(trees.iter().scan(0.0, |sum, (_, weight)| {
                *sum += weight + LEAST;
                Some(*sum)
            }))
            .collect();
        let mut trees: Vec<Option<Self>> = trees.into_iter().map(|(tree, _)| Some(tree)).collect();
        branch(&mut trees, &sums)
    }
}

/// So that what weighs nothing is spread, too.
const LEAST: f64 = 1.0 / 64.0;

/// Of trees between sums of weights: there is one sum more.
fn branch(trees: &mut [Option<Tree>], sums: &[f64]) -> Tree {
    if let [tree] = trees {
        return tree.take().expect("each is taken once");
    }
    let middle = f64::midpoint(sums[0], sums[trees.len()]);
    let mut split = sums.partition_point(|&sum| sum < middle);
    if split > 1 && middle - sums[split - 1] < sums[split] - middle {
        split -= 1;
    }
    let split = split.clamp(1, trees.len() - 1);
    let (left, right) = trees.split_at_mut(split);
    Tree::join(branch(left, &sums[..=split]), branch(right, &sums[split..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: Key = Key { section: Section::Root, index: 0 };

    /// The inner nodes above a leaf.
    fn path(plan: &Plan, leaf: Position) -> Vec<u32> {
        let above = |&node: &u32| Some(plan.node(node as usize).above).filter(|&above| above != NOWHERE);
        std::iter::successors(Some(plan.above(leaf)), above).collect()
    }

    fn depth(plan: &Plan, leaf: Position) -> usize {
        path(plan, leaf).len()
    }

    fn weighed(weights: &[f64]) -> Plan {
        let leaf = |leaf| (Tree::Leaf(leaf), weights.get(leaf).copied().unwrap_or(0.0));
        Plan::new(&[(ROOT, weights.len())], |leaves| Tree::balanced((0..leaves).map(leaf).collect()))
    }

    #[test]
    fn a_plan_is_a_tree_with_children_first() {
        for words in 0..40 {
            let plan = weighed(&vec![1.0; words]);
            assert_eq!(plan.leaves(), words.max(1) + 1);
            assert_eq!(plan.inner(), plan.leaves() - 1);
            let mut children: Vec<Position> =
                (0..plan.inner()).flat_map(|node| plan.children(node)).collect();
            children.sort_unstable();
            assert!(children.into_iter().eq(0..plan.positions() - 1));
            for node in 0..plan.inner() {
                assert!(plan.children(node).iter().all(|&child| child < plan.leaves() + node));
            }
            assert!((0..plan.leaves()).all(|leaf| depth(&plan, leaf) <= 7));
        }
    }

    #[test]
    fn what_weighs_much_is_near_the_root() {
        let mut weights = vec![0.0; 60];
        (weights[7], weights[50]) = (10.0, 10.0);
        let plan = weighed(&weights);
        assert!(depth(&plan, 7) <= 3 && depth(&plan, 50) <= 3);
        assert!(depth(&plan, 30) > 5);
        // Each in a half of its own.
        let shared = path(&plan, 7).into_iter().filter(|node| path(&plan, 50).contains(node));
        assert!(shared.eq([plan.inner() as u32 - 1]));
    }

    #[test]
    fn components_have_their_leaves_in_order() {
        let thread = |index| Key { section: Section::Threads, index };
        let tree = |leaves| Tree::balanced((0..leaves).map(|leaf| (Tree::Leaf(leaf), 0.0)).collect());
        let plan = Plan::new(&[(thread(0), 0), (thread(2), 3)], tree);
        assert!(plan.components().eq([thread(0), thread(2)]));
        assert_eq!(plan.span(thread(0)), Span { first: 0, count: 1 });
        assert_eq!(plan.span(thread(2)), Span { first: 1, count: 3 });
        assert_eq!(
            (plan.span(thread(1)).count, plan.span(thread(7)).count, plan.span(ROOT).count),
            (0, 0, 0)
        );
        assert_eq!(
            (plan.key(0), plan.key(3), plan.key(plan.rest())),
            (Some(thread(0)), Some(thread(2)), None)
        );
        assert_eq!(Plan::new(&[], tree).positions(), 1);
    }
}
