//! Sorted maps with ranges: the one of the standard library, and trees of our own with faults.

use std::collections::BTreeMap;

use quotient_conformance::{Coverage, Stepper, Suite};
use quotient_model::{Program, Rules, Seq, Shape, Symmetry, Term, model};

/// The entries, in the order of keys.
#[derive(Clone, Debug, Default, Shape)]
struct Sorted {
    entries: Seq<(u8, u8)>,
}

#[model]
impl Sorted {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action]
    fn insert(&mut self, #[from(0..4)] key: u8, #[from(0..2)] value: u8) -> Option<u8> {
        let at = self.entries.iter().position(|entry| entry.0 >= key).unwrap_or(self.entries.len());
        match self.entries.get(at) {
            Some(&(other, old)) if other == key => {
                self.entries[at] = (key, value);
                Some(old)
            }
            _ => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    #[action]
    fn remove(&mut self, #[from(0..4)] key: u8) -> Option<u8> {
        let at = self.entries.iter().position(|entry| entry.0 == key)?;
        Some(self.entries.remove(at).1)
    }

    /// The entries with keys from one to before another.
    #[action(when = from <= to)]
    fn range(&mut self, #[from(0..5)] from: u8, #[from(0..5)] to: u8) -> Vec<(u8, u8)> {
        self.entries.iter().filter(|entry| (from..to).contains(&entry.0)).copied().collect()
    }
}

/// A sorted map under test.
trait Tree: Default {
    fn insert(&mut self, key: u8, value: u8) -> Option<u8>;
    fn remove(&mut self, key: u8) -> Option<u8>;
    fn range(&self, from: u8, to: u8) -> Vec<(u8, u8)>;
}

impl Tree for BTreeMap<u8, u8> {
    fn insert(&mut self, key: u8, value: u8) -> Option<u8> {
        Self::insert(self, key, value)
    }
    fn remove(&mut self, key: u8) -> Option<u8> {
        Self::remove(self, &key)
    }
    fn range(&self, from: u8, to: u8) -> Vec<(u8, u8)> {
        Self::range(self, from..to).map(|(&key, &value)| (key, value)).collect()
    }
}

/// No fault, or one.
const RIGHT: u8 = 0;
const RANGES_INCLUDE_THEIR_END: u8 = 1;
const SPLITS_LOSE_AN_ENTRY: u8 = 2;
const EMPTY_LEAVES_END_RANGES: u8 = 3;

/// Leaves of at most two entries, in order. A leaf that would have three is split.
#[derive(Default)]
struct Leaves<const FAULT: u8>(Vec<Vec<(u8, u8)>>);

impl<const FAULT: u8> Tree for Leaves<FAULT> {
    fn insert(&mut self, key: u8, value: u8) -> Option<u8> {
        if let Some(entry) = self.0.iter_mut().flatten().find(|entry| entry.0 == key) {
            return Some(std::mem::replace(&mut entry.1, value));
        }
        // The last leaf that does not begin behind the key.
        let at = self.0.iter().rposition(|leaf| leaf.first().is_some_and(|entry| entry.0 < key)).unwrap_or(0);
        if self.0.is_empty() {
            self.0.push(Vec::new());
        }
        let leaf = &mut self.0[at];
        leaf.push((key, value));
        leaf.sort_unstable();
        if leaf.len() > 2 {
            let right = leaf.split_off(if FAULT == SPLITS_LOSE_AN_ENTRY { 2 } else { 1 });
            leaf.truncate(1);
            self.0.insert(at + 1, right);
        }
        None
    }
    fn remove(&mut self, key: u8) -> Option<u8> {
        for leaf in &mut self.0 {
            if let Some(at) = leaf.iter().position(|entry| entry.0 == key) {
                return Some(leaf.remove(at).1);
            }
        }
        None
    }
    fn range(&self, from: u8, to: u8) -> Vec<(u8, u8)> {
        let leaves = self.0.iter().take_while(|leaf| FAULT != EMPTY_LEAVES_END_RANGES || !leaf.is_empty());
        let is_inside = |key| (from..to).contains(&key) || FAULT == RANGES_INCLUDE_THEIR_END && key == to;
        leaves.flatten().filter(|entry| is_inside(entry.0)).copied().collect()
    }
}

struct Tested<T>(T);

impl<T: Tree> Stepper<Rules<Sorted>> for Tested<T> {
    fn reset(&mut self) {
        self.0 = T::default();
    }
    fn act(&mut self, action: &SortedAction) -> Option<Term> {
        Some(match *action {
            SortedAction::Insert { key, value } => self.0.insert(key, value).term(),
            SortedAction::Remove { key } => self.0.remove(key).term(),
            SortedAction::Range { from, to } => self.0.range(from, to).term(),
        })
    }
}

#[test]
fn sorted_maps_with_ranges() {
    let mut program: Program<_> = Sorted::program();
    let suite = Suite::new(&mut program, Coverage::Probed { extra_states: 0 }, Symmetry::None, 1000);
    let suite = suite.expect("there is one");
    suite.run(&mut Tested(BTreeMap::new())).assert_conforms();
    suite.run(&mut Tested(Leaves::<RIGHT>::default())).assert_conforms();
    assert!(suite.steps() > 3000, "{}", suite.steps());
    let found = suite.run(&mut Tested(Leaves::<RANGES_INCLUDE_THEIR_END>::default()));
    let last = found.assert_diverges().actions.last();
    assert!(matches!(last, Some(SortedAction::Range { .. })), "{last:?}");
    let found = suite.run(&mut Tested(Leaves::<SPLITS_LOSE_AN_ENTRY>::default()));
    assert!(found.assert_diverges().actions.len() >= 4);
}

/// A tree that remembers removals has more states than the model. Then a suite may miss a fault, and says what it rests on;
/// runs beside the model may come upon it.
#[test]
fn faults_in_states_that_the_model_does_not_have() {
    let online = quotient_conformance::Online::new(Sorted::program()).runs(200, 30);
    online.run(&mut Tested(Leaves::<RIGHT>::default())).assert_conforms();
    let trial = online.run(&mut Tested(Leaves::<EMPTY_LEAVES_END_RANGES>::default()));
    let failure = trial.assert_diverges();
    assert!(failure.events.len() <= 8, "{failure}");
}
