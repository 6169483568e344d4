//! A sample of states, and the tree that suits it.
//!
//! An inner node of the tree is stored once for each combination of the words below it, so a good tree joins what has few
//! combinations. Words that hardly vary come first; then those that go together, as a process and the channel that it reads
//! do: their values determine each other, in part. The tree grows from the leaves to the root: of all parts that there are,
//! those two are joined that have the fewest combinations in the sample. What remains for the root are two halves that vary
//! about as much.
//!
//! That takes the square of the number of parts. Where too many words vary, those of a component are joined first, and where
//! that is not enough, neighbours.

use rustc_hash::FxHashMap;
use system::{Encoding, Key};

use super::plan::{Plan, Tree};
use crate::mix::{mix, place};

/// More words than this are not looked at.
const ENOUGH: usize = 1 << 19;
/// The most parts that are joined by what the sample tells.
const MOST_PARTS: usize = 64;
/// How many values are looked at to join them, more or less.
const EFFORT: usize = 1 << 23;

#[derive(Default, Debug)]
pub struct Sample {
    states: usize,
    words: usize,
    columns: FxHashMap<Key, Vec<Column>>,
}

/// The values of one word.
#[derive(Default, Debug)]
struct Column {
    /// By state, as many as there are so far: which of its values the word has, 0 if it is not there.
    classes: Vec<u32>,
    values: FxHashMap<u64, u32>,
}

/// A part of the tree.
struct Part {
    tree: Tree,
    leaves: usize,
    /// By state: which combination its words have.
    classes: Vec<u32>,
    combinations: usize,
}

impl Sample {
    pub fn add(&mut self, encoding: &Encoding) {
        for (key, words) in encoding.components() {
            let columns = self.columns.entry(key).or_default();
            if columns.len() < words.len() {
                columns.resize_with(words.len(), Column::default);
            }
            for (column, &word) in columns.iter_mut().zip(words) {
                column.classes.resize(self.states, 0);
                let fresh = column.values.len() as u32 + 1;
                column.classes.push(*column.values.entry(word).or_insert(fresh));
            }
            self.words += words.len().max(1);
        }
        self.states += 1;
    }

    pub fn is_enough(&self) -> bool {
        self.words >= ENOUGH
    }

    pub fn plan(mut self) -> Plan {
        let mut components: Vec<(Key, Vec<Column>)> = self.columns.drain().collect();
        components.sort_unstable_by_key(|&(key, _)| key);
        let lengths: Vec<(Key, usize)> =
            components.iter().map(|(key, columns)| (*key, columns.len())).collect();
        Plan::new(&lengths, |leaves| self.tree(components, leaves))
    }

    fn tree(&self, components: Vec<(Key, Vec<Column>)>, leaves: usize) -> Tree {
        // What never varied is one part, whatever is in it; the rest belongs to it.
        let mut constant = Vec::new();
        let mut varying: Vec<Vec<Part>> = Vec::new();
        let mut leaf = 0;
        for (_, columns) in components {
            let mut parts = Vec::new();
            // A component without words has a leaf, too.
            if columns.is_empty() {
                constant.push((Tree::Leaf(leaf), 0.0));
                leaf += 1;
            }
            for mut column in columns {
                column.classes.resize(self.states, 0);
                let tree = Tree::Leaf(leaf);
                let is_constant = column.classes.windows(2).all(|pair| pair[0] == pair[1]);
                if is_constant {
                    constant.push((tree, 0.0));
                } else {
                    let combinations = column.values.len() + usize::from(column.classes.contains(&0));
                    parts.push(Part { tree, leaves: 1, classes: column.classes, combinations });
                }
                leaf += 1;
            }
            varying.push(parts);
        }
        constant.push((Tree::Leaf(leaves - 1), 0.0));
        let constant = Part {
            leaves: constant.len(),
            tree: Tree::balanced(constant),
            classes: vec![0; self.states],
            combinations: 1,
        };
        let mut parts: Vec<Part> = if varying.iter().map(Vec::len).sum::<usize>() < MOST_PARTS {
            varying.into_iter().flatten().collect()
        } else {
            varying.into_iter().filter(|parts| !parts.is_empty()).map(Part::of_neighbours).collect()
        };
        if parts.len() >= MOST_PARTS {
            parts = Part::in_groups(parts);
        }
        parts.push(constant);
        join(parts, self.states)
    }
}

impl Part {
    fn weight(&self) -> f64 {
        (self.combinations as f64).log2()
    }

    /// Joins parts in their order, at least one.
    fn of_neighbours(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().expect("there is one");
        let mut trees = vec![(first.weight(), first.tree)];
        let (mut leaves, mut classes, mut combinations) = (first.leaves, first.classes, first.combinations);
        for part in parts {
            trees.push((part.weight(), part.tree));
            leaves += part.leaves;
            (classes, combinations) = combine(&classes, &part.classes);
        }
        let trees = trees.into_iter().map(|(weight, tree)| (tree, weight)).collect();
        Self { tree: Tree::balanced(trees), leaves, classes, combinations }
    }

    /// Few groups of neighbours that weigh about the same.
    fn in_groups(parts: Vec<Self>) -> Vec<Self> {
        let total: f64 = parts.iter().map(Self::weight).sum();
        let limit = total / (MOST_PARTS - 2) as f64;
        let mut groups: Vec<Vec<Self>> = Vec::new();
        let mut weight = f64::INFINITY;
        for part in parts {
            if weight + part.weight() / 2.0 > limit {
                groups.push(Vec::new());
                weight = 0.0;
            }
            weight += part.weight();
            groups.last_mut().expect("the first part begins one").push(part);
        }
        groups.into_iter().map(Self::of_neighbours).collect()
    }
}

/// The combinations of two classes, numbered, and how many there are.
fn combine(left: &[u32], right: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers = FxHashMap::default();
    let pairs = left.iter().zip(right).map(|(&left, &right)| u64::from(left) << 32 | u64::from(right));
    let classes = pairs.map(|pair| {
        let fresh = numbers.len() as u32;
        *numbers.entry(pair).or_insert(fresh)
    });
    (classes.collect(), numbers.len())
}

/// Joins all parts, those with the fewest combinations first.
fn join(mut parts: Vec<Part>, states: usize) -> Tree {
    let stride = (parts.len() * parts.len() * states / EFFORT).max(1);
    let mut counter = Counter::new(states / stride + 1);
    let mut count = |a: &Part, b: &Part| {
        let pairs = a.classes.iter().zip(&b.classes).step_by(stride);
        counter.count(pairs.map(|(&a, &b)| u64::from(a) << 32 | u64::from(b)))
    };
    // The numbers of combinations, for each part with those before it.
    let mut joint: Vec<Vec<usize>> = (0..parts.len())
        .map(|at| parts[..at].iter().map(|other| count(&parts[at], other)).collect())
        .collect();
    while parts.len() > 1 {
        let pairs = (1..parts.len()).flat_map(|right| (0..right).map(move |left| (left, right)));
        // Of two pairs that are alike, the smaller one, so that the tree does not become deep.
        let cost = |&(left, right): &(usize, usize)| {
            (joint[right][left], parts[left].leaves + parts[right].leaves, right)
        };
        let (left, right) = pairs.min_by_key(cost).expect("there are two parts");
        let b = parts.remove(right);
        joint.remove(right);
        joint[right..].iter_mut().for_each(|row| _ = row.remove(right));
        let a = &mut parts[left];
        let (classes, combinations) = combine(&a.classes, &b.classes);
        let tree = std::mem::replace(&mut a.tree, Tree::Leaf(0));
        *a = Part { tree: Tree::join(tree, b.tree), leaves: a.leaves + b.leaves, classes, combinations };
        for other in 0..parts.len() {
            let number = count(&parts[left], &parts[other]);
            match other.cmp(&left) {
                std::cmp::Ordering::Less => joint[left][other] = number,
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => joint[other][left] = number,
            }
        }
    }
    parts.pop().expect("one is left").tree
}

/// Counts different words, roughly: by the bits that their hashes set.
struct Counter {
    bits: Vec<u64>,
}

impl Counter {
    /// For so many words.
    fn new(words: usize) -> Self {
        Self { bits: vec![0; words / 16 + 1] }
    }

    fn count(&mut self, words: impl Iterator<Item = u64>) -> usize {
        self.bits.fill(0);
        let size = self.bits.len() * 64;
        for word in words {
            let bit = place(mix(word), size);
            self.bits[bit / 64] |= 1 << (bit % 64);
        }
        let set: u32 = self.bits.iter().map(|bits| bits.count_ones()).sum();
        // Some hashes fell together.
        (-(1.0 - f64::from(set) / size as f64).ln() * size as f64).round() as usize
    }
}

#[cfg(test)]
mod tests {
    use system::Section;

    use super::*;

    const ROOT: Key = Key { section: Section::Root, index: 0 };

    fn sample(states: impl Iterator<Item = Vec<u64>>) -> Sample {
        let mut sample = Sample::default();
        for words in states {
            let mut encoding = Encoding::new();
            encoding.set(ROOT, &words);
            sample.add(&encoding);
        }
        sample
    }

    /// How many inner nodes but the root a plan takes for some states.
    fn inner_nodes(plan: &Plan, states: impl Iterator<Item = Vec<u64>>) -> usize {
        let mut nodes = vec![std::collections::HashSet::new(); plan.inner()];
        for words in states {
            let mut below: Vec<Vec<u64>> = words.iter().map(|&word| vec![word]).collect();
            below.push(Vec::new());
            for (node, seen) in nodes.iter_mut().enumerate() {
                let [left, right] = plan.children(node);
                below.push([&below[left][..], &below[right]].concat());
                seen.insert(below[plan.leaves() + node].clone());
            }
        }
        nodes[..plan.inner() - 1].iter().map(std::collections::HashSet::len).sum()
    }

    #[test]
    fn words_that_go_together_are_joined() {
        // Word i goes with word i + 4: they are equal.
        let states = || (0..10_000_u64).map(|i| (0..8).map(|word| i / 10_u64.pow(word % 4) % 10).collect());
        let plan = sample(states().step_by(3)).plan();
        // Two pairs of pairs with 100 combinations each, eight constants or pairs with 10.
        assert!(inner_nodes(&plan, states()) < 300, "{}", inner_nodes(&plan, states()));
    }

    #[test]
    fn both_halves_vary() {
        // Most words are constant, the others independent.
        let states = || {
            (0..65_536_u64)
                .map(|i| (0..40).map(|word| if word % 10 == 3 { i >> word & 15 } else { 7 }).collect())
        };
        let states = || states().map(|words: Vec<u64>| words);
        let plan = sample(states().step_by(16)).plan();
        assert!(inner_nodes(&plan, states()) < 1000, "{}", inner_nodes(&plan, states()));
    }

    #[test]
    fn many_words_that_vary() {
        for words in [1, 63, 64, 65, 200, 1000] {
            let states = || (0..300_u64).map(move |i| (0..words).map(|word| (i + word) % 11 / 10).collect());
            let plan = sample(states()).plan();
            assert_eq!(plan.leaves() as u64, words + 1);
            assert!(inner_nodes(&plan, states()) < 30 * words as usize);
        }
    }

    #[test]
    fn components_of_a_sample() {
        let thread = |index| Key { section: Section::Threads, index };
        let mut sample = Sample::default();
        for len in [1, 3, 0] {
            let mut encoding = Encoding::new();
            encoding.set(thread(2), &vec![len as u64; len]);
            encoding.set(thread(0), &[]);
            sample.add(&encoding);
        }
        let plan = sample.plan();
        assert!(plan.components().eq([thread(0), thread(2)]));
        assert_eq!((plan.span(thread(0)).count, plan.span(thread(2)).count), (1, 3));
    }

    #[test]
    fn counting_is_about_right() {
        let mut counter = Counter::new(20_000);
        for different in [1_u64, 10, 1000, 20_000] {
            let count = counter.count((0..20_000).map(|i| i % different * 77)) as f64;
            assert!((count / different as f64 - 1.0).abs() < 0.05, "{count} of {different}");
        }
    }
}
