//! How a breadth-first search reached each of its states, in little more than a byte per state.
//!
//! States are numbered in the order in which they were stored, and expanded in that order. So the parents of
//! consecutive states never decrease, and it is enough to record the number of children of each state, in
//! unary: a one per child, then a zero. The branch of the parent that led to a state is recorded as the
//! number of transitions of the parent that were counted before it, which is small as a rule. Following these
//! branches from the initial state visits the same states again, without the store.

use store::{Budget, Chunked, Full, StateId};
use system::{Encoding, Fired, Step, Steps, TransitionSystem, Waypoint};

/// How a stored state is reached from its parent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Branch {
    /// By the transition before which this number of transitions of the parent were counted.
    Number(u32),
    /// By these steps. Used where transient states were stored, since which transitions are counted then
    /// depends on the history of the search.
    Steps(Vec<Step>),
}

/// The parent and the branch of every stored state.
pub struct Ancestry {
    /// By state, except for the initial one: the number of the branch, or [`ODD`].
    numbers: Chunked<u8>,
    /// The branches that do not fit into a byte, in the order of their states.
    odd: Vec<(u64, Branch)>,
    /// For each state a one per child, and a zero. The last, incomplete word is kept in `last`.
    children: Chunked<u64>,
    last: u64,
    last_bits: u32,
    /// The number of zeros so far.
    source: u64,
}

/// Marks a branch that is in the list of odd ones.
const ODD: u8 = u8::MAX;

impl Ancestry {
    pub fn new(budget: &Budget) -> Self {
        Self {
            numbers: Chunked::new(budget),
            odd: Vec::new(),
            children: Chunked::new(budget),
            last: 0,
            last_bits: 0,
            source: 0,
        }
    }

    /// Records that the next state is a child of `source`, which must not precede the parent of the last
    /// state.
    #[inline]
    pub fn push(&mut self, source: StateId, branch: Branch) -> Result<(), Full> {
        while self.source < source.0 {
            self.source += 1;
            self.push_bit(0)?;
        }
        self.push_bit(1)?;
        match branch {
            Branch::Number(number) if number < u32::from(ODD) => self.numbers.push(number as u8),
            branch => {
                self.odd.try_reserve(1).map_err(|_| Full::Memory)?;
                self.odd.push((self.numbers.len() as u64 + 1, branch));
                self.numbers.push(ODD)
            }
        }
    }

    #[inline]
    fn push_bit(&mut self, bit: u64) -> Result<(), Full> {
        self.last |= bit << self.last_bits;
        self.last_bits += 1;
        if self.last_bits == u64::BITS {
            self.children.push(self.last)?;
            (self.last, self.last_bits) = (0, 0);
        }
        Ok(())
    }

    /// The parent and the branch of every state but the initial one, in order.
    pub fn ways(&self) -> impl Iterator<Item = (u64, Branch)> {
        let words = (0..self.children.len()).map(|at| (self.children[at], u64::BITS));
        let words = words.chain([(self.last, self.last_bits)]);
        let bits = words.flat_map(|(word, bits)| (0..bits).map(move |bit| word >> bit & 1));
        let mut source = 0;
        let parents = bits.filter_map(move |bit| {
            source += 1 - bit;
            (bit == 1).then_some(source)
        });
        parents.zip(1..).map(|(parent, child)| (parent, self.branch(child)))
    }

    /// The branches from the initial state to `state`.
    pub fn branches_to(&self, state: StateId) -> Vec<Branch> {
        let mut branches = Vec::new();
        let (mut word, mut bits) = (self.children.len(), self.last);
        // The number of ones before that word.
        let mut before = self.numbers.len() - bits.count_ones() as usize;
        let mut child = state.index();
        while child > 0 {
            branches.push(self.branch(child));
            // The bit of state `n` is the `n`-th one.
            while before >= child {
                word -= 1;
                bits = self.children[word];
                before -= bits.count_ones() as usize;
            }
            let mut rest = bits;
            for _ in before + 1..child {
                rest &= rest - 1;
            }
            let bit = word * 64 + rest.trailing_zeros() as usize;
            // The number of zeros before it is the number of the parent.
            child = bit - (child - 1);
        }
        branches.reverse();
        branches
    }

    fn branch(&self, child: usize) -> Branch {
        match self.numbers[child - 1] {
            ODD => {
                let at = self.odd.binary_search_by_key(&(child as u64), |&(state, _)| state);
                self.odd[at.expect("an odd branch is listed")].1.clone()
            }
            number => Branch::Number(number.into()),
        }
    }
}

/// The states along branches from the initial one. If the search `folds` steps, a step that is offered several
/// times stands for that many transitions.
pub fn chain<S: TransitionSystem>(system: &S, branches: &[Branch], folds: bool) -> Vec<Waypoint> {
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    let hidden = |state: &mut S::State| system::save_hidden(system, state);
    system.encode(&mut state, &mut encoding);
    let mut chain =
        vec![Waypoint { encoding: encoding.clone(), hidden: hidden(&mut state), steps: Vec::new() }];
    for branch in branches {
        // The search continued from a decoded state, so this must as well.
        system.decode(&encoding, &mut state);
        system::restore_hidden(system, chain[chain.len() - 1].hidden, &mut state);
        let steps = match branch {
            Branch::Number(number) => go(system, &mut state, *number, folds),
            Branch::Steps(steps) => {
                for &step in steps {
                    system.fire(&mut state, step);
                }
                steps.clone()
            }
        };
        let hidden = hidden(&mut state);
        system.encode(&mut state, &mut encoding);
        chain.push(Waypoint { encoding: encoding.clone(), hidden, steps });
    }
    chain
}

/// Moves by the transition before which `number` others are counted. Returns the steps: those through transient
/// states, then that of the transition.
fn go<S: TransitionSystem>(system: &S, state: &mut S::State, number: u32, folds: bool) -> Vec<Step> {
    let mut left = number;
    let offer = |state: &mut S::State| {
        let mut steps = Steps::default();
        if folds {
            system.folded_steps(state, &mut steps);
        } else {
            system.steps(state, &mut steps);
        }
        steps.enabled.into_iter()
    };
    let (mut levels, mut taken) = (vec![offer(state)], Vec::new());
    while let Some(level) = levels.last_mut() {
        let Some(step) = level.next() else {
            levels.pop();
            if taken.pop().is_some() {
                system.undo(state);
            }
            continue;
        };
        let fired = system.fire(state, step);
        let moved = matches!(fired, Fired::Moved | Fired::MovedWithFault(_));
        if moved && system.is_transient(state) {
            taken.push(step);
            levels.push(offer(state));
            continue;
        }
        if left == 0 {
            assert!(moved, "a step to a state that is stored leads on");
            taken.push(step);
            return taken;
        }
        left -= 1;
        if moved {
            system.undo(state);
        }
        while folds && left > 0 && level.as_slice().first() == Some(&step) {
            level.next();
            left -= 1;
        }
    }
    panic!("a state has as many transitions as were counted");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_lead_back_along_parents() {
        let mut ancestry = Ancestry::new(&Budget::unlimited());
        let mut parents = vec![0_u32];
        let mut numbers = vec![0_u32];
        let mut random = 1_u64;
        for source in 0..50_000_u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut number = 0;
            // Some states have no children, some have many.
            let children = match random >> 60 {
                0 => 300,
                1..5 => 1,
                5..9 if parents.len() as u32 > source + 100 => 0,
                _ => 2,
            };
            for child in 0..children {
                number += 1 + child % 3;
                ancestry.push(StateId(source.into()), Branch::Number(number)).unwrap();
                parents.push(source);
                numbers.push(number);
            }
        }
        let ways = parents.iter().zip(&numbers).skip(1);
        let ways = ways.map(|(&parent, &number)| (parent.into(), Branch::Number(number)));
        assert!(ancestry.ways().eq(ways));
        for state in (0..parents.len()).step_by(997).chain([0, 1, parents.len() - 1]) {
            let mut expected = Vec::new();
            let mut at = state;
            while at > 0 {
                expected.push(Branch::Number(numbers[at]));
                at = parents[at] as usize;
            }
            expected.reverse();
            assert_eq!(ancestry.branches_to(StateId(state as u64)), expected, "state {state}");
        }
    }

    #[test]
    fn odd_branches_are_kept() {
        let mut ancestry = Ancestry::new(&Budget::unlimited());
        let step = Step { thread: 1, transition: 2, choice: 3 };
        ancestry.push(StateId(0), Branch::Steps(vec![step])).unwrap();
        ancestry.push(StateId(1), Branch::Number(7)).unwrap();
        ancestry.push(StateId(1), Branch::Number(255)).unwrap();
        assert_eq!(ancestry.branches_to(StateId(2)), [Branch::Steps(vec![step]), Branch::Number(7)]);
        assert_eq!(ancestry.branches_to(StateId(3)), [Branch::Steps(vec![step]), Branch::Number(255)]);
    }
}
