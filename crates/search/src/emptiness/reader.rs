//! What the automaton of a claim reads along a run.
//!
//! A run shows a letter, the propositions that hold, in each state that is observed. In the middle of an atomic block nothing is
//! observed, and the automaton stays where it is. A run that never leaves the block shows finitely many letters: then
//! the last one counts for ever, as that of a run that ends.
//!
//! Whether a run *diverges* like that is known only when it comes round. So where it leaves its last observed state, and the automaton
//! would accept the letter of that state repeated for ever, the automaton may also guess that the run diverges. It goes to an
//! additional state, which it leaves no more, and in which every edge has all marks:
//!
//! | the automaton is     | the step leads                     | the automaton goes                                   |
//! |----------------------|------------------------------------|------------------------------------------------------|
//! | in a state of its own | from an observed state            | along an edge whose label holds there                |
//! | in a state of its own | from there to an unobserved state | also to [`Reader::diverging`], if it accepts for ever |
//! | in a state of its own | from an unobserved state          | nowhere: it stays                                    |
//! | diverging            | to an unobserved state             | nowhere: it stays, with all marks                    |
//! | diverging            | to an observed state               | the guess was wrong: there is no edge                |
//!
//! So the diverging runs that violate the claim are exactly the cycles of nodes with this state, and every search for
//! cycles finds them like others. Such a run is fair: whoever is not in the block has no step there. A cycle of unobserved
//! states in a state of the automaton's own says nothing, and must not have all marks: an automaton without acceptance sets is given one,
//! in which all its edges are.

use std::cell::RefCell;

use ltl::{Automaton, Cube, Edge, Marks, State};
use rustc_hash::FxHashMap;

use super::marks::Sets;

pub struct Reader {
    /// The claim's, with one state more.
    pub automaton: Automaton,
    /// The additional state.
    pub diverging: State,
    /// By letter: from which states it is accepted for ever.
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

    /// The next edge, at this place or a later one, that goes with a step to a state that is observed or not. The step is from a
    /// state with this letter, if that one is observed.
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

    /// The edges that go with every step from a state with this letter, if that one is observed.
    pub fn edges(&self, from: State, letter: Option<u64>) -> impl Iterator<Item = Edge> {
        let next = move |place| self.next_edge(from, letter, true, place);
        std::iter::successors(next(0), move |&(at, _)| next(at + 1)).map(|(_, edge)| edge)
    }

    /// The marks of an edge of a state, those of threads included.
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
