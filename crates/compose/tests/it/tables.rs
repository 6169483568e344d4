//! Random models given by tables, and their graphs found by hand.

use std::collections::{BTreeMap, BTreeSet};

use bits::SplitMix64;
use quotient_model::{Cx, Doing, Model, Shape};

/// A state, a name with a number, the next state.
pub type Row = (u8, Act, u8);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Shape)]
pub struct Act {
    pub name: u8,
    pub number: u8,
}

/// Begins in state 0; runs may end in some states.
#[derive(Clone, Debug)]
pub struct Table {
    pub rows: Vec<Row>,
    pub ends: BTreeSet<u8>,
}

impl Table {
    pub fn random(random: &mut SplitMix64, states: usize, rows: usize, names: usize) -> Self {
        let mut all = BTreeSet::new();
        for _ in 0..rows {
            let act = Act { name: random.below(names) as u8, number: random.below(2) as u8 };
            all.insert((random.below(states) as u8, act, random.below(states) as u8));
        }
        // One step for each action: tables are not models that make choices.
        let one: BTreeMap<(u8, Act), u8> = all.into_iter().map(|(from, act, to)| ((from, act), to)).collect();
        let rows = one.into_iter().map(|((from, act), to)| (from, act, to)).collect();
        let ends = (0..states as u8).filter(|_| random.below(3) == 0).collect();
        Self { rows, ends }
    }

    pub fn from(&self, state: u8) -> impl Iterator<Item = (Act, u8)> {
        self.rows.iter().filter(move |row| row.0 == state).map(|row| (row.1, row.2))
    }
}

impl Model for Table {
    type State = u8;
    type Action = Act;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<u8>) {
        out.push(0);
    }

    fn actions(&self, _: &Cx<'_>, state: &u8, out: &mut Vec<Act>) {
        out.extend(self.from(*state).map(|(act, _)| act));
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut u8, action: &Act) {
        let (_, to) = self.from(*state).find(|(act, _)| act == action).expect("it was offered");
        *state = to;
    }

    fn accepting(&self, _: &Cx<'_>, state: &u8) -> bool {
        self.ends.contains(state)
    }
}
