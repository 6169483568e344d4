//! What the automaton of a claim reads along a run.
//!
//! A run shows a letter, the set of propositions that hold, in each state that is observed. Inside an atomic
//! block no state is observed, and the automaton stays in its state. A run that never leaves the block shows
//! finitely many letters: then its last letter counts for ever, as for a run that ends.
//!
//! Whether a run *diverges* in this way is known only when it closes a cycle. So when the run leaves an
//! observed state, and the automaton would accept the letter of that state repeated for ever, the automaton
//! may also guess that the run diverges. It then goes to an additional state, which it never leaves, and in
//! which every edge has all marks:
//!
//! | the automaton is in | the step leads                    | the automaton                             |
//! |---------------------|-----------------------------------|-------------------------------------------|
//! | a state of its own  | from an observed state            | takes an edge whose label holds there     |
//! | a state of its own  | from there to an unobserved state | may also guess: go to [`Reader::diverging`] |
//! | a state of its own  | from an unobserved state          | stays                                     |
//! | `diverging`         | to an unobserved state            | stays, with all marks                     |
//! | `diverging`         | to an observed state              | has no edge: the guess was wrong          |
//!
//! So the diverging runs that violate the claim are exactly the cycles of nodes with this state, and every
//! search for cycles finds them like others. Such a run is fair: a thread outside the block has no step
//! there. A cycle of unobserved states in one of the automaton's own states is not accepting, and must not
//! have all marks: therefore an automaton without acceptance sets is given one that contains all its edges.

use std::cell::RefCell;

use ltl::{Automaton, Cube, Edge, Marks, State};
use rustc_hash::FxHashMap;

use super::acceptance::Sets;

/// The automaton of a claim, and how it moves along a run.
pub struct Reader {
    /// The claim's automaton, with one additional state.
    pub automaton: Automaton,
    /// The additional state: the run has been guessed to diverge.
    pub diverging: State,
    /// By letter: for each state, whether it accepts that letter repeated for ever.
    for_ever: RefCell<FxHashMap<u64, Box<[bool]>>>,
}

impl Reader {
    pub fn new(claim: &Automaton) -> Self {
        let mut automaton = claim.clone();
        if automaton.sets == 0 {
            automaton.sets = 1;
            automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = Marks::all(1));
        }
        let diverging = State(automaton.edges.len() as u32);
        automaton.edges.push(vec![Edge {
            to: diverging,
            marks: Marks::all(automaton.sets),
            cube: Cube::TRUE,
        }]);
        Self { automaton, diverging, for_ever: RefCell::default() }
    }

    /// The next edge, with index `place` or higher, that can be combined with a step to a state that is
    /// observed or not. `letter` is the letter of the step's source, if the source is observed.
    pub fn next_edge(
        &self,
        from: State,
        letter: Option<u64>,
        leads_to_observed: bool,
        place: usize,
    ) -> Option<(usize, Edge)> {
        let stay = |to, marks| Edge { to, marks, cube: Cube::TRUE };
        let Some(letter) = letter else {
            let edge = if from == self.diverging {
                (!leads_to_observed).then(|| self.automaton.edges(from)[0])
            } else {
                Some(stay(from, Marks::NONE))
            };
            return edge.filter(|_| place == 0).map(|edge| (0, edge));
        };
        let own = self.automaton.edges(from);
        let next = own.iter().enumerate().skip(place).find(|(_, edge)| edge.cube.holds(letter));
        if let Some((at, &edge)) = next {
            return Some((at, edge));
        }
        let may_guess = place <= own.len() && !leads_to_observed && self.accepts_for_ever(from, letter);
        may_guess.then(|| (own.len(), stay(self.diverging, Marks::NONE)))
    }

    /// The edges that can be combined with every step from a state. `letter` is its letter, if it is
    /// observed.
    pub fn edges(&self, from: State, letter: Option<u64>) -> impl Iterator<Item = Edge> {
        let next = move |place| self.next_edge(from, letter, true, place);
        std::iter::successors(next(0), move |&(at, _)| next(at + 1)).map(|(_, edge)| edge)
    }

    /// The marks of an edge from `from`, including those of threads.
    pub fn sets<const N: usize>(&self, from: State, edge: &Edge) -> Sets<N> {
        if from == self.diverging { Sets::all(self.automaton.sets) } else { Sets::of(edge.marks) }
    }

    fn accepts_for_ever(&self, from: State, letter: u64) -> bool {
        let mut known = self.for_ever.borrow_mut();
        let accepted =
            known.entry(letter).or_insert_with(|| self.automaton.accepts_for_ever(letter).into_boxed_slice());
        accepted[from.index()]
    }
}

#[cfg(test)]
mod tests {
    use ltl::parse::{Names, parse};
    use ltl::{Limits, smallest};

    use super::*;

    #[test]
    fn a_guess_needs_a_letter_that_is_accepted_for_ever() {
        let mut names = Names::default();
        let formula = parse("<> [] a", &mut names).unwrap();
        let reader = Reader::new(&smallest::generalized(&formula, Limits::default()).unwrap());
        let all = |from, letter, leads_to_observed| {
            let next = |place| reader.next_edge(from, letter, leads_to_observed, place);
            std::iter::successors(next(0), |&(at, _)| next(at + 1))
                .map(|(_, edge)| edge.to)
                .collect::<Vec<_>>()
        };
        let initial = reader.automaton.initial;
        for (letter, guesses) in [(0, false), (1, true)] {
            assert!(!all(initial, Some(letter), true).contains(&reader.diverging));
            assert_eq!(all(initial, Some(letter), false).contains(&reader.diverging), guesses);
        }
        assert_eq!((all(initial, None, true), all(initial, None, false)), (vec![initial], vec![initial]));
        assert_eq!(all(reader.diverging, None, true), []);
        assert_eq!(all(reader.diverging, None, false), [reader.diverging]);
    }
}
