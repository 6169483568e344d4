//! Labels: conjunctions of literals.
//!
//! A [`Cube`] says which propositions must be true and which must be false. A disjunction is several cubes;
//! in an automaton it is several edges with one cube each.

use crate::Prop;
use crate::lasso::Valuation;

/// A satisfiable conjunction of literals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cube {
    positive: u64,
    negative: u64,
}

impl Cube {
    pub const TRUE: Self = Self { positive: 0, negative: 0 };

    /// The proposition, or its negation. Its number must be below [`Prop::LIMIT`].
    pub fn literal(prop: Prop, sign: bool) -> Self {
        let bit = 1 << prop.0;
        if sign { Self { positive: bit, negative: 0 } } else { Self { positive: 0, negative: bit } }
    }

    /// The cube that fixes every proposition of `among` to its value in `valuation`.
    pub fn exactly(valuation: Valuation, among: u64) -> Self {
        Self { positive: valuation & among, negative: !valuation & among }
    }

    /// The conjunction, unless it is a contradiction.
    pub fn and(self, other: Self) -> Option<Self> {
        let both =
            Self { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    pub fn holds(self, valuation: Valuation) -> bool {
        valuation & self.positive == self.positive && valuation & self.negative == 0
    }

    pub fn implies(self, other: Self) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// The literals in the order of their numbers.
    pub fn literals(self) -> impl Iterator<Item = (Prop, bool)> {
        let props = (0..Prop::LIMIT).filter(move |prop| self.props() >> prop & 1 == 1);
        props.map(move |prop| (Prop(prop), self.positive >> prop & 1 == 1))
    }

    /// The propositions in it, as a set of bits.
    pub fn props(self) -> u64 {
        self.positive | self.negative
    }

    /// Whether every valuation of this cube is known to satisfy one of `by`. An exact answer takes
    /// exponential time in the worst case; the answer is no if it takes too long.
    pub fn is_covered(self, by: &[Self]) -> bool {
        self.is_covered_within(by, &mut 1_000)
    }

    fn is_covered_within(self, by: &[Self], steps: &mut u32) -> bool {
        if by.iter().any(|&other| self.implies(other)) {
            return true;
        }
        let meets = |other: &&Self| self.and(**other).is_some();
        let candidates: Vec<_> = by.iter().filter(meets).copied().collect();
        // Both halves of the cube by a proposition that one of them mentions.
        let Some(&first) = candidates.first() else { return false };
        let prop = Prop((first.props() & !self.props()).trailing_zeros());
        [true, false].into_iter().all(|sign| {
            *steps = steps.saturating_sub(1);
            let half = self.and(Self::literal(prop, sign));
            *steps > 0 && half.is_none_or(|half| half.is_covered_within(&candidates, steps))
        })
    }

    /// The cube without its literal of `prop`.
    fn without(self, prop: Prop) -> Self {
        let rest = !(1 << prop.0);
        Self { positive: self.positive & rest, negative: self.negative & rest }
    }
}

/// Makes a disjunction smaller: removes literals that it does not depend on, then cubes that the others
/// cover.
pub fn minimize(cubes: &mut Vec<Cube>) {
    for i in 0..cubes.len() {
        for (prop, _) in cubes[i].literals() {
            let wider = cubes[i].without(prop);
            if wider.is_covered(cubes) {
                cubes[i] = wider;
            }
        }
    }
    cubes.sort_unstable();
    cubes.dedup();
    let mut i = 0;
    while i < cubes.len() {
        let cube = cubes.remove(i);
        if !cube.is_covered(cubes) {
            cubes.insert(i, cube);
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimizing_keeps_the_meaning_and_finds_the_obvious() {
        let cube = |literals: &[(u32, bool)]| {
            literals
                .iter()
                .fold(Cube::TRUE, |cube, &(p, sign)| cube.and(Cube::literal(Prop(p), sign)).unwrap())
        };
        let (a, b) = ((0, true), (1, true));
        let (not_a, not_b) = ((0, false), (1, false));
        for (before, after) in [
            (vec![cube(&[a]), cube(&[not_a])], vec![Cube::TRUE]),
            (vec![cube(&[a, b]), cube(&[a, not_b])], vec![cube(&[a])]),
            (vec![cube(&[a]), cube(&[not_a, b])], vec![cube(&[a]), cube(&[b])]),
            (vec![cube(&[a]), cube(&[a, b])], vec![cube(&[a])]),
            (vec![cube(&[not_a, not_b]), cube(&[a, b])], vec![cube(&[not_a, not_b]), cube(&[a, b])]),
        ] {
            let mut cubes = before.clone();
            minimize(&mut cubes);
            let mut after = after;
            after.sort_unstable();
            assert_eq!(cubes, after, "{before:?}");
        }
        // All disjunctions of up to three of some cubes over three propositions.
        let all: Vec<_> = (0..8).flat_map(|v| [3, 5, 6, 7].map(|among| Cube::exactly(v, among))).collect();
        for (i, &x) in all.iter().enumerate() {
            for (j, &y) in all.iter().enumerate().skip(i) {
                for &z in all.iter().skip(j) {
                    let mut cubes = vec![x, y, z];
                    minimize(&mut cubes);
                    for valuation in 0..8 {
                        let holds = |cubes: &[Cube]| cubes.iter().any(|cube| cube.holds(valuation));
                        assert_eq!(holds(&cubes), holds(&[x, y, z]), "{x:?} {y:?} {z:?} at {valuation}");
                    }
                }
            }
        }
    }
}
