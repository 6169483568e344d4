//! Sets of small numbers that share their common parts.
//!
//! The futures of locations are one set per location, and most of these sets differ little from that of the
//! next location. So a set is a tree over the words of its bits, in which equal subtrees are shared: the
//! tries of Okasaki and Gill (Fast mergeable integer maps, Workshop on ML, 1998), with interned nodes. Two
//! sets are equal if and only if their ids are. Adding a number takes time proportional to a path; the union
//! of two sets takes time proportional to what they do not have in common.

use rustc_hash::FxHashMap;

/// The id of a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct SetId(u32);

impl SetId {
    pub const EMPTY: Self = Self(0);
}

/// A node of the tree of a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    /// The numbers from `64 * key` on.
    Leaf { key: u32, bits: u64 },
    /// Keys that begin with `prefix`, above `bit`: those without `bit`, and those with it.
    Branch { prefix: u32, bit: u32, halves: [SetId; 2] },
}

/// All sets of an analysis.
#[derive(Clone, Default, Debug)]
pub struct Sets {
    nodes: Vec<Node>,
    known: FxHashMap<Node, SetId>,
    unions: FxHashMap<[SetId; 2], SetId>,
}

impl Sets {
    /// The set of some numbers.
    pub fn of(&mut self, numbers: impl IntoIterator<Item = usize>) -> SetId {
        numbers.into_iter().fold(SetId::EMPTY, |set, number| self.with(set, number))
    }

    /// The set with one more number.
    pub fn with(&mut self, set: SetId, number: usize) -> SetId {
        let one = self.intern(Node::Leaf { key: (number / 64) as u32, bits: 1 << (number % 64) });
        self.union(set, one)
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        match (self.node(a), self.node(b)) {
            (Node::Leaf { key, bits }, Node::Leaf { key: other, bits: more }) if key == other => {
                self.intern(Node::Leaf { key, bits: bits | more })
            }
            (
                Node::Branch { prefix, bit, halves: [low, high] },
                Node::Branch { prefix: other_prefix, bit: other_bit, halves: [other_low, other_high] },
            ) if (prefix, bit) == (other_prefix, other_bit) => {
                let pair = [a.min(b), a.max(b)];
                if let Some(&known) = self.unions.get(&pair) {
                    return known;
                }
                let halves = [self.union(low, other_low), self.union(high, other_high)];
                let united = self.intern(Node::Branch { prefix, bit, halves });
                self.unions.insert(pair, united);
                united
            }
            (Node::Branch { prefix, bit, halves }, other) if is_within(other, prefix, bit) => {
                self.united_half(prefix, bit, halves, b)
            }
            (other, Node::Branch { prefix, bit, halves }) if is_within(other, prefix, bit) => {
                self.united_half(prefix, bit, halves, a)
            }
            (one, other) => {
                let (key, other_key) = (start(one), start(other));
                let bit = 1 << (key ^ other_key).ilog2();
                let halves = if key & bit == 0 { [a, b] } else { [b, a] };
                self.intern(Node::Branch { prefix: above(key, bit), bit, halves })
            }
        }
    }

    fn united_half(&mut self, prefix: u32, bit: u32, mut halves: [SetId; 2], more: SetId) -> SetId {
        let half = &mut halves[usize::from(start(self.node(more)) & bit != 0)];
        *half = self.union(*half, more);
        self.intern(Node::Branch { prefix, bit, halves })
    }

    /// The numbers of a set that satisfy a condition.
    pub fn filter(&mut self, set: SetId, is_kept: impl Fn(usize) -> bool) -> SetId {
        let mut kept = Vec::new();
        self.any_common(set, set, &mut |number| {
            kept.extend(is_kept(number).then_some(number));
            false
        });
        self.of(kept)
    }

    pub fn contains(&self, set: SetId, number: usize) -> bool {
        let key = (number / 64) as u32;
        let mut at = set;
        while at != SetId::EMPTY {
            match self.node(at) {
                Node::Leaf { key: found, bits } => return found == key && bits >> (number % 64) & 1 == 1,
                Node::Branch { prefix, bit, .. } if above(key, bit) != prefix => return false,
                Node::Branch { bit, halves, .. } => at = halves[usize::from(key & bit != 0)],
            }
        }
        false
    }

    pub fn intersects(&self, a: SetId, b: SetId) -> bool {
        self.any_common(a, b, &mut |_| true)
    }

    /// Visits the numbers that two sets have in common, in ascending order, until `visit` returns true.
    /// Returns whether it did.
    pub fn any_common(&self, a: SetId, b: SetId, visit: &mut impl FnMut(usize) -> bool) -> bool {
        if a == SetId::EMPTY || b == SetId::EMPTY {
            return false;
        }
        match (self.node(a), self.node(b)) {
            (Node::Leaf { key, bits }, Node::Leaf { key: other, bits: more }) => {
                let mut left = if key == other { bits & more } else { 0 };
                while left != 0 {
                    if visit(64 * key as usize + left.trailing_zeros() as usize) {
                        return true;
                    }
                    left &= left - 1;
                }
                false
            }
            (
                Node::Branch { prefix, bit, halves },
                Node::Branch { prefix: other_prefix, bit: other_bit, halves: other_halves },
            ) if (prefix, bit) == (other_prefix, other_bit) => {
                self.any_common(halves[0], other_halves[0], visit)
                    || self.any_common(halves[1], other_halves[1], visit)
            }
            (Node::Branch { prefix, bit, halves }, other) if is_within(other, prefix, bit) => {
                self.any_common(halves[usize::from(start(other) & bit != 0)], b, visit)
            }
            (other, Node::Branch { prefix, bit, halves }) if is_within(other, prefix, bit) => {
                self.any_common(a, halves[usize::from(start(other) & bit != 0)], visit)
            }
            _ => false,
        }
    }

    /// The numbers of a set in ascending order.
    pub fn numbers(&self, set: SetId) -> Vec<usize> {
        let mut numbers = Vec::new();
        self.any_common(set, set, &mut |number| {
            numbers.push(number);
            false
        });
        numbers
    }

    /// The number of nodes of all sets.
    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, set: SetId) -> Node {
        self.nodes[set.0 as usize - 1]
    }

    fn intern(&mut self, node: Node) -> SetId {
        *self.known.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            SetId(self.nodes.len() as u32)
        })
    }
}

/// The bits of a key above `bit`.
const fn above(key: u32, bit: u32) -> u32 {
    key & !(bit | (bit - 1))
}

/// The bits with which all keys of a node begin.
const fn start(node: Node) -> u32 {
    match node {
        Node::Leaf { key, .. } => key,
        Node::Branch { prefix, .. } => prefix,
    }
}

/// Whether all keys of a node belong below a branch, in one of its halves.
const fn is_within(node: Node, prefix: u32, bit: u32) -> bool {
    let is_smaller = match node {
        Node::Leaf { .. } => true,
        Node::Branch { bit: other, .. } => other < bit,
    };
    is_smaller && above(start(node), bit) == prefix
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use testing::SplitMix64;

    use super::*;

    #[test]
    fn sets_are_what_they_are_from_scratch() {
        let mut rng = SplitMix64::new(1);
        let mut sets = Sets::default();
        let mut all = vec![(SetId::EMPTY, BTreeSet::new())];
        for _ in 0..3000 {
            let (a, of_a) = rng.pick(&all).clone();
            let (b, of_b) = rng.pick(&all).clone();
            let most = [5, 200, 100_000][rng.below(3)];
            let number = rng.below(most);
            let (set, expected): (_, BTreeSet<usize>) = match rng.below(3) {
                0 => (sets.union(a, b), of_a.union(&of_b).copied().collect()),
                1 => {
                    let is_kept = |number: usize| !number.is_multiple_of(3);
                    (
                        sets.filter(a, is_kept),
                        of_a.iter().copied().filter(|&number| is_kept(number)).collect(),
                    )
                }
                _ => (sets.with(a, number), of_a.iter().copied().chain([number]).collect()),
            };
            assert_eq!(sets.numbers(set), expected.iter().copied().collect::<Vec<_>>());
            assert_eq!(sets.intersects(a, b), !of_a.is_disjoint(&of_b));
            let number = rng.below(most);
            assert_eq!(sets.contains(set, number), expected.contains(&number));
            // Equal sets have equal ids.
            let known = all.iter().find(|(_, numbers)| *numbers == expected);
            assert!(known.is_none_or(|&(id, _)| id == set));
            if all.len() < 300 {
                all.push((set, expected));
            }
        }
    }

    #[test]
    fn sets_share_what_they_have_in_common() {
        let mut sets = Sets::default();
        let mut set = SetId::EMPTY;
        for number in (0..1 << 16).rev() {
            set = sets.with(set, number);
        }
        // Per set a path of at most ten branches and a leaf, and a leaf for the number alone.
        assert!(sets.size() < 13 << 16, "{}", sets.size());
    }
}
