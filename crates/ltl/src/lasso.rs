//! The truth of a formula on one ultimately periodic word.
//!
//! This evaluator is the oracle of everything else in this crate, and counterexamples are checked with it
//! before they are reported. It follows the semantics and shares nothing with the translations: it computes
//! the truth of each subformula at each position of the lasso, for `U` as the least and for `V` and `W` as
//! the greatest solution of the expansion law.

use crate::{Formula, Prop};

/// The set of propositions that hold at a position: bit `i` for proposition `i`.
pub type Valuation = u64;

/// The word `stem · cycle · cycle · …`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    word: Vec<Valuation>,
    /// Where the cycle begins.
    start: usize,
}

impl Lasso {
    /// `None` if the cycle is empty.
    pub fn new(stem: &[Valuation], cycle: &[Valuation]) -> Option<Self> {
        let word = [stem, cycle].concat();
        (!cycle.is_empty()).then_some(Self { word, start: stem.len() })
    }

    /// The valuations of stem and cycle.
    pub fn word(&self) -> &[Valuation] {
        &self.word
    }

    /// The position after `position`.
    pub fn next(&self, position: usize) -> usize {
        if position + 1 == self.word.len() { self.start } else { position + 1 }
    }

    /// Whether the word is a model of the formula.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.truth(formula)[0]
    }

    /// The truth of the formula at each position.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let both = |a: &Formula, b: &Formula, holds: fn(bool, bool) -> bool| -> Vec<bool> {
            self.truth(a).into_iter().zip(self.truth(b)).map(|(a, b)| holds(a, b)).collect()
        };
        match formula {
            Formula::True => vec![true; self.word.len()],
            Formula::False => vec![false; self.word.len()],
            Formula::Prop(prop) => self.word.iter().map(|&valuation| holds(valuation, *prop)).collect(),
            Formula::Not(a) => self.truth(a).into_iter().map(|a| !a).collect(),
            Formula::Next(a) => {
                let a = self.truth(a);
                (0..a.len()).map(|position| a[self.next(position)]).collect()
            }
            Formula::And(a, b) => both(a, b, |a, b| a && b),
            Formula::Or(a, b) => both(a, b, |a, b| a || b),
            Formula::Implies(a, b) => both(a, b, |a, b| !a || b),
            Formula::Equivalent(a, b) => both(a, b, |a, b| a == b),
            Formula::Always(a) => {
                let a = self.truth(a);
                self.solve(true, |position, next| a[position] && next)
            }
            Formula::Eventually(a) => {
                let a = self.truth(a);
                self.solve(false, |position, next| a[position] || next)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.solve(false, |position, next| b[position] || (a[position] && next))
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.solve(true, |position, next| b[position] || (a[position] && next))
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.truth(a), self.truth(b));
                self.solve(true, |position, next| b[position] && (a[position] || next))
            }
        }
    }

    /// The solution of `truth(i) = law(i, truth(i + 1))` that is reached by iterating from `bottom`: the
    /// least one from false, the greatest one from true.
    fn solve(&self, bottom: bool, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![bottom; self.word.len()];
        loop {
            let mut changed = false;
            for position in (0..truth.len()).rev() {
                let value = law(position, truth[self.next(position)]);
                changed |= value != truth[position];
                truth[position] = value;
            }
            if !changed {
                return truth;
            }
        }
    }
}

/// Propositions that have no bit in a valuation hold nowhere.
fn holds(valuation: Valuation, prop: Prop) -> bool {
    prop.0 < Prop::LIMIT && valuation >> prop.0 & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Names, parse};

    #[test]
    fn operators_mean_what_they_say() {
        // Bit 0 is a, bit 1 is b.
        let check = |text: &str, stem: &[u64], cycle: &[u64], expected: bool| {
            let mut names = Names::from_iter(["a", "b"]);
            let formula = parse(text, &mut names).unwrap();
            assert_eq!(
                Lasso::new(stem, cycle).unwrap().satisfies(&formula),
                expected,
                "{text} {stem:?} {cycle:?}"
            );
        };
        check("a U b", &[1, 1], &[2], true);
        check("a U b", &[], &[1], false);
        check("a W b", &[], &[1], true);
        check("a W b", &[1, 0], &[2], false);
        check("a V b", &[2, 3], &[0], true);
        check("a V b", &[2, 1], &[0], false);
        check("a V b", &[], &[2], true);
        check("[] <> a", &[1, 1], &[0], false);
        check("[] <> a", &[], &[0, 0, 1], true);
        check("<> [] a", &[0, 0], &[1], true);
        check("<> [] a", &[1], &[1, 0], false);
        check("X X a", &[0, 0], &[1], true);
        check("X a", &[], &[1, 0], false);
        check("X X a", &[], &[1, 0], true);
        check("[] (a <-> X b)", &[], &[1, 2], true);
        check("a -> b", &[1], &[2], false);
        check("!a || false", &[0], &[1], true);
        assert_eq!(Lasso::new(&[1], &[]), None);
    }
}
