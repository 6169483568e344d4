//! Random formulas and words, and a reader of never claims.

use quotient_ltl::lasso::Lasso;
use quotient_ltl::parse::{Names, parse};
use quotient_ltl::{Automaton, Cube, Edge, Formula, Marks, Prop, State};
use testing::SplitMix64;

/// A source of random formulas and words, the same in every run.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// A formula with `size` operators, over the first `props` propositions.
    pub fn formula(&mut self, size: u64, props: u64) -> Formula {
        if size == 0 {
            return match self.below(20) {
                0 => Formula::True,
                1 => Formula::False,
                _ => Formula::Prop(Prop(self.below(props) as u32)),
            };
        }
        let kind = self.below(11);
        if kind < 4 {
            let operand = Box::new(self.formula(size - 1, props));
            return [Formula::Not, Formula::Next, Formula::Always, Formula::Eventually][kind as usize](
                operand,
            );
        }
        let left = self.below(size);
        let (a, b) = (Box::new(self.formula(left, props)), Box::new(self.formula(size - 1 - left, props)));
        let build = [
            Formula::And,
            Formula::Or,
            Formula::Implies,
            Formula::Equivalent,
            Formula::Until,
            Formula::WeakUntil,
            Formula::Release,
        ][kind as usize - 4];
        build(a, b)
    }

    pub fn lasso(&mut self, props: u64) -> Lasso {
        let (stem, cycle) = (self.below(5), 1 + self.below(4));
        let word: Vec<u64> = (0..stem + cycle).map(|_| self.below(1 << props)).collect();
        let (stem, cycle) = word.split_at(stem as usize);
        Lasso::new(stem, cycle).expect("the cycle is not empty")
    }

    /// The word with some letters repeated.
    pub fn repeating(&mut self, lasso: &Lasso) -> Lasso {
        let last = lasso.word().len() - 1;
        let (stem, cycle) = lasso.word().split_at(lasso.next(last));
        let mut repeat = |word: &[u64]| -> Vec<u64> {
            word.iter().flat_map(|&letter| vec![letter; 1 + self.below(3) as usize]).collect()
        };
        let (stem, cycle) = (repeat(stem), repeat(cycle));
        Lasso::new(&stem, &cycle).expect("the cycle is not empty")
    }
}

/// The automaton of a never claim as SPIN and this crate print it: states with options, each with a condition
/// on the propositions of these names and a `goto`; optionally a state `accept_all`, reached by options that
/// assert.
pub fn claim(text: &str, names: &[&str]) -> Automaton {
    let label = |line: &str| line.trim().strip_suffix(':').map(str::to_owned);
    // A state may have several labels. It accepts if one of them says so.
    let mut states: Vec<Vec<String>> = Vec::new();
    let mut between = true;
    for line in text.lines() {
        if let Some(label) = label(line) {
            if between {
                states.push(Vec::new());
            }
            states.last_mut().expect("there is one").push(label);
        }
        between = label(line).is_none();
    }
    let find = |label: &str| {
        let place = states.iter().position(|labels| labels.iter().any(|other| other == label));
        State(place.unwrap_or_else(|| panic!("no state {label} in {text}")) as u32)
    };
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); states.len()];
    let mut current = 0;
    for line in text.lines().map(str::trim) {
        if let Some(label) = label(line) {
            current = find(&label).index();
        }
        let accepting =
            states.get(current).is_some_and(|labels| labels.iter().any(|label| label.starts_with("accept")));
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        let mut add = |condition: &str, to: State| {
            for valuation in 0..1_u64 << names.len() {
                let mut known: Names = names.iter().copied().collect();
                let formula = parse(&condition.replace("(1)", "true"), &mut known).expect("a condition");
                assert_eq!(known.all().len(), names.len(), "{condition}");
                if Lasso::new(&[], &[valuation]).expect("a cycle").satisfies(&formula) {
                    edges[current].push(Edge {
                        to,
                        marks,
                        cube: Cube::exactly(valuation, (1 << names.len()) - 1),
                    });
                }
            }
        };
        if let Some(option) = line.strip_prefix(":: ") {
            if let Some((condition, _)) =
                option.strip_prefix("atomic {").and_then(|rest| rest.split_once("-> assert"))
            {
                add(condition, find("accept_all"));
            } else if let Some((condition, target)) = option.split_once("-> goto ") {
                add(condition, find(target));
            } else {
                add(option, State(current as u32));
            }
        } else if line == "skip" {
            add("true", State(current as u32));
        }
    }
    Automaton { initial: State(0), edges, sets: 1 }
}
