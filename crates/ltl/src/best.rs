//! The smallest of several automata for a formula.
//!
//! No translation is best for all formulas, and all of them are fast next to the search that the automaton is for: a state less
//! here may halve the states there. So the formula is rewritten, translated in three ways, and what comes out is reduced.

use crate::alternating::Deferral;
use crate::degeneralize::{Pace, degeneralize};
use crate::limits::{Limits, TooLarge};
use crate::normal::{Term, Terms};
use crate::reduce::{Acceptance, reduce, size};
use crate::rewrite::simplify;
use crate::tableau::tableau;
use crate::translate::translate;
use crate::{Automaton, Formula};

/// A tableau that is much larger than this has no chance of becoming the smallest automaton.
const TABLEAU: Limits = Limits { states: 150, edges: 20_000 };

/// A generalized Büchi automaton, with acceptance on edges, of the words that satisfy the formula.
pub fn generalized(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    let all = candidates(formula, limits)?;
    Ok(all.into_iter().min_by_key(size).expect("a translation succeeded"))
}

/// A Büchi automaton with accepting states of the words that satisfy the formula.
pub fn buchi(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    let all = candidates(formula, limits)?;
    let all = all.iter().flat_map(|automaton| {
        let orders = [(0..automaton.sets).collect::<Vec<_>>(), (0..automaton.sets).rev().collect()];
        let flat =
            orders.map(|order| [Pace::Many, Pace::One].map(|pace| degeneralize(automaton, &order, pace)));
        flat.concat().into_iter().map(|automaton| reduce(&automaton, Acceptance::States))
    });
    let mut best = all.min_by_key(size).expect("a translation succeeded");
    // The empty automaton has no sets.
    best.sets = 1;
    Ok(best)
}

/// The reduced automata of all translations that stay within the limits; at least one.
fn candidates(formula: &Formula, limits: Limits) -> Result<Vec<Automaton>, TooLarge> {
    let mut terms = Terms::default();
    let term = terms.of(formula, false);
    let term = simplify(&mut terms, term);
    let attempt = |terms: &Terms, term: Term| {
        [
            translate(terms, term, Deferral::Later, limits),
            translate(terms, term, Deferral::Now, limits),
            tableau(terms, term, TABLEAU),
        ]
    };
    let mut all = Vec::new();
    let mut refusal = None;
    for result in attempt(&terms, term) {
        match result {
            Ok(automaton) => all.push(reduce(&automaton, Acceptance::Edges)),
            Err(error) => {
                refusal.get_or_insert(error);
            }
        }
    }
    match refusal {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}
