//! How much an emptiness check has to do.
//!
//! | strength   | every accepting run …                              | a search looks for                 |
//! |------------|----------------------------------------------------|------------------------------------|
//! | `Terminal` | gets to states from which every word is accepted   | a reachable state                  |
//! | `Weak`     | stays in a component in which every cycle accepts  | a cycle, by one depth-first search |
//! | `General`  |                                                    | a cycle with all marks             |
//!
//! (Bloem, Ravi and Somenzi 1999; Černá and Pelánek 2003.) The claim of a safety property is terminal, if the
//! translation recognized it.

use crate::cube::Cube;
use crate::scc::Components;
use crate::{Automaton, Marks, State};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    Terminal,
    Weak,
    General,
}

/// The accepting components of an automaton, with its strength.
pub struct Weakness {
    /// For each state, whether a run that stays in its component accepts.
    accepting: Vec<bool>,
    pub strength: Strength,
}

impl Weakness {
    pub fn of(automaton: &Automaton) -> Self {
        let components = Components::of(automaton, |_| true);
        let all = Marks::all(automaton.sets);
        let marks = components.marks(automaton);
        let full = |state| components.component(state).and_then(|component| marks[component]) == Some(all);
        let accepting: Vec<bool> = automaton.states().map(full).collect();
        let strength = if has_other_cycles(automaton, &accepting) {
            Strength::General
        } else if automaton
            .states()
            .all(|state| !accepting[state.index()] || goes_on(automaton, &accepting, state))
        {
            Strength::Terminal
        } else {
            Strength::Weak
        };
        Self { accepting, strength }
    }

    /// Whether the state is in an accepting component: for a weak automaton, whether a cycle through it
    /// accepts; for a terminal one, whether every word is accepted from here.
    pub fn accepts(&self, state: State) -> bool {
        self.accepting[state.index()]
    }
}

/// Whether some cycle within the accepting components misses a set.
fn has_other_cycles(automaton: &Automaton, accepting: &[bool]) -> bool {
    (0..automaton.sets).any(|set| {
        let components = Components::of(automaton, |edge| !edge.marks.contains(Marks::one(set)));
        automaton.states().filter(|state| accepting[state.index()]).any(|from| {
            let misses = |edge: &&crate::Edge| !edge.marks.contains(Marks::one(set));
            automaton.edges(from).iter().filter(misses).any(|edge| components.is_inner(from, edge))
        })
    })
}

/// Whether every letter leads from the state to an accepting one.
fn goes_on(automaton: &Automaton, accepting: &[bool], state: State) -> bool {
    let good = automaton.edges(state).iter().filter(|edge| accepting[edge.to.index()]);
    Cube::TRUE.is_covered(&good.map(|edge| edge.cube).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::parse::{Names, parse};
    use crate::smallest::{buchi, generalized};

    #[test]
    fn strengths() {
        for (text, expected) in [
            ("a U b", Strength::Terminal),
            ("<> (a && X b)", Strength::Terminal),
            ("true", Strength::Terminal),
            ("false", Strength::Terminal),
            ("[] a", Strength::Weak),
            ("<> [] a", Strength::Weak),
            ("a W b", Strength::Weak),
            ("[] <> a", Strength::General),
            ("[] (a -> <> b)", Strength::General),
        ] {
            let formula = parse(text, &mut Names::default()).unwrap();
            for automaton in
                [generalized, buchi].map(|translate| translate(&formula, Limits::default()).unwrap())
            {
                assert_eq!(Weakness::of(&automaton).strength, expected, "{text}");
            }
        }
    }
}
