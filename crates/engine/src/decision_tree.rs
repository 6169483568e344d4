//! Decision trees over the bits of a state, all in one hash table.
//!
//! An inner node tests some bits of one word. Its child for an outcome is found under the number of the test
//! and the outcome, and the entry there is the child itself. So each test costs one access to the table.

/// A node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Test(Test),
    Leaf(Leaf),
}

/// Tests some bits of a word, at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// Its number, from 1 on.
    number: u32,
    pub at: u32,
    pub mask: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// The successors: `count` of them, from the one with index `first` on.
    Known { first: u32, count: u32 },
    /// The steps are left to the interpreter.
    Irregular,
}

#[derive(Clone, Debug, Default)]
pub struct DecisionTrees {
    /// Their number is a power of two. At most three quarters are in use.
    entries: Vec<Entry>,
    used: usize,
    tests: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    outcome: u64,
    /// The mask of the test that is the child, or 0 for a leaf.
    mask: u64,
    /// The number of the parent, or 0 if the entry is free.
    parent: u32,
    /// The position of the test, or the first successor.
    at: u32,
    /// The number of the test, or the number of successors.
    number: u32,
}

/// Stands for the number of successors of an irregular leaf.
const IRREGULAR: u32 = u32::MAX;
const FEWEST: usize = 1 << 8;

impl Entry {
    fn new(parent: u32, outcome: u64, child: Node) -> Self {
        let (mask, at, number) = match child {
            Node::Test(test) => (test.mask, test.at, test.number),
            Node::Leaf(Leaf::Known { first, count }) => (0, first, count),
            Node::Leaf(Leaf::Irregular) => (0, 0, IRREGULAR),
        };
        Self { outcome, mask, parent, at, number }
    }

    #[inline]
    fn child(self) -> Node {
        match self {
            Self { mask: 0, number: IRREGULAR, .. } => Node::Leaf(Leaf::Irregular),
            Self { mask: 0, at, number, .. } => Node::Leaf(Leaf::Known { first: at, count: number }),
            Self { mask, at, number, .. } => Node::Test(Test { number, at, mask }),
        }
    }
}

impl DecisionTrees {
    pub fn len(&self) -> usize {
        self.used
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        (self.used, self.tests) = (0, 0);
    }

    /// A new test, without children.
    pub fn new_test(&mut self, at: u32, mask: u64) -> Test {
        self.tests += 1;
        Test { number: self.tests, at, mask }
    }

    #[inline]
    pub fn child(&self, test: Test, outcome: u64) -> Option<Node> {
        let entry = self.entries.get(self.place(test.number, outcome))?;
        (entry.parent != 0).then(|| entry.child())
    }

    /// Adds a child for an outcome that had none.
    pub fn add(&mut self, test: Test, outcome: u64, child: Node) {
        if self.entries.len() / 4 * 3 <= self.used {
            let larger = vec![Entry::default(); (self.entries.len() * 2).max(FEWEST)];
            for entry in std::mem::replace(&mut self.entries, larger) {
                if entry.parent != 0 {
                    let place = self.place(entry.parent, entry.outcome);
                    self.entries[place] = entry;
                }
            }
        }
        let place = self.place(test.number, outcome);
        self.entries[place] = Entry::new(test.number, outcome, child);
        self.used += 1;
    }

    /// The index of the entry for an outcome, or of the free entry where it would go.
    #[inline]
    fn place(&self, test: u32, outcome: u64) -> usize {
        // Outcomes are few bits anywhere in a word, tests are small numbers: products spread both.
        let spread = u64::from(test).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (outcome ^ spread).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let last = self.entries.len().wrapping_sub(1);
        let mut place = (mixed ^ mixed >> 32) as usize & last;
        while let Some(entry) = self.entries.get(place)
            && entry.parent != 0
            && (entry.parent, entry.outcome) != (test, outcome)
        {
            place = (place + 1) & last;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_lead_to_the_children_that_were_added() {
        let mut trees = DecisionTrees::default();
        let tests: Vec<Test> = (0..100).map(|at| trees.new_test(at, 0xff)).collect();
        let leaf = |at: usize, outcome: u64| match outcome {
            13 => Node::Leaf(Leaf::Irregular),
            _ => Node::Leaf(Leaf::Known { first: at as u32, count: outcome as u32 }),
        };
        assert_eq!(trees.child(tests[0], 0), None);
        for (at, &test) in tests.iter().enumerate() {
            for outcome in 0..50 {
                let child = tests.get(at + 1).map_or(leaf(at, outcome), |&next| Node::Test(next));
                trees.add(
                    test,
                    outcome << (at % 56),
                    if outcome % 2 == 0 { child } else { leaf(at, outcome) },
                );
            }
        }
        assert_eq!(trees.len(), 5000);
        for (at, &test) in tests.iter().enumerate() {
            assert_eq!(trees.child(test, 50 << (at % 56)), None);
            for outcome in 0..50 {
                let child = tests.get(at + 1).map_or(leaf(at, outcome), |&next| Node::Test(next));
                let expected = if outcome % 2 == 0 { child } else { leaf(at, outcome) };
                assert_eq!(trees.child(test, outcome << (at % 56)), Some(expected));
            }
        }
        trees.clear();
        assert_eq!(trees.child(tests[0], 0), None);
    }
}
