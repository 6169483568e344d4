//! How a breadth-first search came to each of its states: little more than a byte a state.
//!
//! States are numbered in the order in which they were stored, and expanded in that order. So parents never decrease, and it
//! is enough to know how many children each state has: as many ones, and a zero. Which way out of its parent led to a state is
//! a small number as a rule: how many others the search had gone before. A run along these ways meets the same states again,
//! whatever became of the store.

use store::{Budget, Chunked, Full};
use system::{Encoding, Fired, Step, Steps, TransitionSystem};

/// One way out of a state, to a state that is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// As many transitions of the state were counted before.
    Number(u32),
    /// Where transient states were stored, which ways are counted is not a function of the state.
    Steps(Vec<Step>),
}

pub struct Ancestry {
    /// By state but the initial one: the number of the way, as far as it goes.
    numbers: Chunked<u8>,
    /// The other ways, in the order of their states.
    odd: Vec<(u32, Way)>,
    /// For each state a one for each child, and a zero. The last word is not full.
    children: Chunked<u64>,
    last: u64,
    last_bits: u32,
    /// How many zeros there are.
    source: u32,
}

/// The way is among the odd ones.
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

    /// The next state is a child of `source`, which is none that comes before the last one's parent.
    #[inline]
    pub fn push(&mut self, source: u32, way: Way) -> Result<(), Full> {
        while self.source < source {
            self.source += 1;
            self.push_bit(0)?;
        }
        self.push_bit(1)?;
        match way {
            Way::Number(number) if number < u32::from(ODD) => self.numbers.push(number as u8),
            way => {
                self.odd.try_reserve(1).map_err(|_| Full::Memory)?;
                self.odd.push((self.numbers.len() as u32 + 1, way));
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

    /// The ways from the initial state to another.
    pub fn ways_to(&self, state: u32) -> Vec<Way> {
        let mut ways = Vec::new();
        let (mut word, mut bits) = (self.children.len(), self.last);
        // How many ones come before that word.
        let mut before = self.numbers.len() as u32 - bits.count_ones();
        let mut child = state;
        while child > 0 {
            ways.push(self.way(child));
            // The one of a state is as many ones in as its number says.
            while before >= child {
                word -= 1;
                bits = self.children[word];
                before -= bits.count_ones();
            }
            let mut rest = bits;
            for _ in before + 1..child {
                rest &= rest - 1;
            }
            let bit = word * 64 + rest.trailing_zeros() as usize;
            child = (bit - (child as usize - 1)) as u32;
        }
        ways.reverse();
        ways
    }

    fn way(&self, child: u32) -> Way {
        match self.numbers[child as usize - 1] {
            ODD => {
                let at = self.odd.binary_search_by_key(&child, |&(state, _)| state);
                self.odd[at.expect("a way that is odd is there")].1.clone()
            }
            number => Way::Number(number.into()),
        }
    }
}

/// The encodings and memos of the states on some ways from the initial one. If the search `folds` steps, one that is offered
/// several times stands for as many.
pub fn chain<S: TransitionSystem>(system: &S, ways: &[Way], folds: bool) -> Vec<(Encoding, u32)> {
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    let memo = |state: &mut S::State| system::save_hidden(system, state);
    system.encode(&mut state, &mut encoding);
    let mut chain = vec![(encoding.clone(), memo(&mut state))];
    for way in ways {
        // The search went on from a state that was decoded, and so does this.
        system.decode(&encoding, &mut state);
        system::restore_hidden(system, chain[chain.len() - 1].1, &mut state);
        match way {
            Way::Number(number) => go(system, &mut state, *number, folds),
            Way::Steps(steps) => steps.iter().for_each(|&step| _ = system.fire(&mut state, step)),
        }
        let memo = memo(&mut state);
        system.encode(&mut state, &mut encoding);
        chain.push((encoding.clone(), memo));
    }
    chain
}

/// Goes one of the ways out of a state.
fn go<S: TransitionSystem>(system: &S, state: &mut S::State, number: u32, folds: bool) {
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
    let mut levels = vec![offer(state)];
    while let Some(level) = levels.last_mut() {
        let Some(step) = level.next() else {
            levels.pop();
            if !levels.is_empty() {
                system.undo(state);
            }
            continue;
        };
        let fired = system.fire(state, step);
        let moved = matches!(fired, Fired::Moved | Fired::MovedWithFault(_));
        if moved && system.is_transient(state) {
            let level = offer(state);
            levels.push(level);
            continue;
        }
        if left == 0 {
            assert!(moved, "a step to a state that is stored leads on");
            return;
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
    panic!("there are as many ways out of a state as were counted");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_back_along_parents() {
        let mut ancestry = Ancestry::new(&Budget::unlimited());
        let mut parents = vec![0_u32];
        let mut numbers = vec![0_u32];
        let mut random = 1_u64;
        for source in 0..50_000_u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut number = 0;
            // Now and then there are none for a while, and then many.
            let children = match random >> 60 {
                0 => 300,
                1..5 => 1,
                5..9 if parents.len() as u32 > source + 100 => 0,
                _ => 2,
            };
            for child in 0..children {
                number += 1 + child % 3;
                ancestry.push(source, Way::Number(number)).unwrap();
                parents.push(source);
                numbers.push(number);
            }
        }
        for state in (0..parents.len()).step_by(997).chain([0, 1, parents.len() - 1]) {
            let mut expected = Vec::new();
            let mut at = state;
            while at > 0 {
                expected.push(Way::Number(numbers[at]));
                at = parents[at] as usize;
            }
            expected.reverse();
            assert_eq!(ancestry.ways_to(state as u32), expected, "state {state}");
        }
    }

    #[test]
    fn odd_ways_are_kept() {
        let mut ancestry = Ancestry::new(&Budget::unlimited());
        let step = Step { thread: 1, transition: 2, choice: 3 };
        ancestry.push(0, Way::Steps(vec![step])).unwrap();
        ancestry.push(1, Way::Number(7)).unwrap();
        ancestry.push(1, Way::Number(255)).unwrap();
        assert_eq!(ancestry.ways_to(2), [Way::Steps(vec![step]), Way::Number(7)]);
        assert_eq!(ancestry.ways_to(3), [Way::Steps(vec![step]), Way::Number(255)]);
    }
}
