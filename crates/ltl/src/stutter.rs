//! Whether a formula depends on how often a state is repeated.
//!
//! Partial order reduction is sound for formulas that do not. Formulas without `X` do not. For the others,
//! let `sl` of a language be its words with any letters repeated any finite number of additional times. Two
//! words that are equal up to repetition have a common word in their `sl`; hence a formula is invariant if
//! and only if `sl(f)` and `sl(!f)` have no word in common. (Michaud and Duret-Lutz 2015.)

use rustc_hash::FxHashMap;

use crate::cube::Cube;
use crate::smallest::buchi;
use crate::{Automaton, Edge, Formula, Limits, Marks, Prop, State};

/// The most states that the automaton of `sl(f)` may have.
const LIMIT: usize = 4_000;

/// Whether the formula is invariant under repetition; `None` if the answer takes too much work.
pub fn is_invariant(formula: &Formula, limits: Limits) -> Option<bool> {
    if formula.is_next_free() {
        return Some(true);
    }
    let props = formula.props();
    let letters = 1_usize.checked_shl(props.len() as u32).filter(|&letters| letters <= LIMIT)?;
    if props.iter().any(|prop| prop.0 >= Prop::LIMIT) {
        return None;
    }
    let among = props.iter().fold(0, |all, prop| all | 1 << prop.0);
    let letters: Vec<Cube> =
        (0..letters as u64).map(|number| Cube::exactly(spread(number, among), among)).collect();
    let yes = repeating(&buchi(formula, limits).ok()?, &letters)?;
    let no = repeating(&buchi(&formula.negated(), limits).ok()?, &letters)?;
    Some(yes.product(&no).is_empty())
}

/// The low bits of `number`, moved to the positions of the bits in `among`.
fn spread(mut number: u64, among: u64) -> u64 {
    let mut spread = 0;
    for place in (0..64).filter(|place| among >> place & 1 == 1) {
        spread |= (number & 1) << place;
        number >>= 1;
    }
    spread
}

/// The automaton of `sl`: before an edge reaches its target, its letter may be read again any number of
/// times.
fn repeating(automaton: &Automaton, letters: &[Cube]) -> Option<Automaton> {
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); automaton.edges.len()];
    // The states in which a letter is repeated on the way to a state.
    let mut waits: FxHashMap<(State, Cube), State> = FxHashMap::default();
    for from in automaton.states() {
        for edge in automaton.edges(from) {
            for &cube in letters.iter().filter(|letter| letter.implies(edge.cube)) {
                let wait = *waits.entry((edge.to, cube)).or_insert_with(|| {
                    let wait = State(edges.len() as u32);
                    let read = |to| Edge { to, marks: Marks::NONE, cube };
                    edges.push(vec![read(wait), read(edge.to)]);
                    wait
                });
                edges[from.index()].extend([Edge { cube, ..*edge }, Edge { to: wait, cube, ..*edge }]);
            }
        }
        if edges.len() > LIMIT {
            return None;
        }
    }
    Some(Automaton { edges, ..*automaton })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{Names, parse};

    #[test]
    fn some_formulas_with_next_are_invariant() {
        for (text, expected) in [
            ("a U b", Some(true)),
            ("X a", Some(false)),
            ("a && X a", Some(false)),
            ("X <> a", Some(false)),
            ("X [] <> a", Some(true)),
            ("<> (a && X !a)", Some(true)),
            ("<> (a && X (a && X !a))", Some(false)),
            ("[] (a -> X (a || b))", Some(true)),
            ("X true", Some(true)),
            ("X a <-> X a", Some(true)),
        ] {
            let formula = parse(text, &mut Names::default()).unwrap();
            assert_eq!(is_invariant(&formula, Limits::default()), expected, "{text}");
        }
        let many = (0..20).map(|i| format!("X p{i}")).collect::<Vec<_>>().join(" && ");
        assert_eq!(is_invariant(&parse(&many, &mut Names::default()).unwrap(), Limits::default()), None);
    }
}
