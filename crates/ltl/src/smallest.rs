//! The smallest of several automata for a formula.
//!
//! No translation is best for all formulas, and all of them are fast compared with the search that uses the
//! automaton: one state less here may halve the number of states there. So the formula is rewritten,
//! translated in several ways, and the results are reduced.

use crate::alternating::Deferral;
use crate::degeneralize::{Pace, degeneralize};
use crate::limits::{Limits, TooLarge};
use crate::normal::{Term, Terms};
use crate::recurrence;
use crate::reduce::{Acceptance, reduce, size};
use crate::rewrite::simplify;
use crate::tableau::tableau;
use crate::translate::translate;
use crate::{Automaton, Formula};

/// A tableau that is much larger than this has no chance of becoming the smallest automaton.
const TABLEAU: Limits = Limits { states: 150, edges: 20_000 };

/// A generalized Büchi automaton, with acceptance on edges, of the words that satisfy the formula.
pub fn generalized(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    let Candidates { generalized, buchi, refusal } = candidates(formula, limits);
    generalized.into_iter().chain(buchi).min_by_key(size).ok_or(refusal.unwrap_or(TooLarge::Edges))
}

/// A Büchi automaton with accepting states of the words that satisfy the formula.
pub fn buchi(formula: &Formula, limits: Limits) -> Result<Automaton, TooLarge> {
    let Candidates { generalized, buchi, refusal } = candidates(formula, limits);
    let flat = generalized.iter().flat_map(|automaton| {
        let orders = [(0..automaton.sets).collect::<Vec<_>>(), (0..automaton.sets).rev().collect()];
        orders.map(|order| [Pace::Many, Pace::One].map(|pace| degeneralize(automaton, &order, pace))).concat()
    });
    let flat = distinct(flat).into_iter().map(|automaton| reduce(&automaton, Acceptance::States));
    let best = buchi.into_iter().chain(flat).min_by_key(size);
    // The empty automaton has no sets.
    best.map(|best| Automaton { sets: 1, ..best }).ok_or(refusal.unwrap_or(TooLarge::Edges))
}

/// Reduced automata for a formula.
#[derive(Default)]
struct Candidates {
    generalized: Vec<Automaton>,
    /// Those with accepting states.
    buchi: Vec<Automaton>,
    /// Why a translation failed.
    refusal: Option<TooLarge>,
}

fn candidates(formula: &Formula, limits: Limits) -> Candidates {
    let mut terms = Terms::default();
    let term = terms.of(formula, false);
    let term = simplify(&mut terms, term);
    let mut all = Candidates::default();
    for result in translations(&terms, term, limits) {
        match result {
            Ok(automaton) => all.generalized.push(reduce(&automaton, Acceptance::Edges)),
            Err(refusal) => all.refusal = all.refusal.or(Some(refusal)),
        }
    }
    all.generalized = distinct(std::mem::take(&mut all.generalized));
    if let Ok(Some((rest, conditions))) = recurrence::split(&mut terms, term, limits) {
        let rest = translations(&terms, rest, limits).into_iter().flatten();
        let waiting = rest.map(|rest| recurrence::wait(&reduce(&rest, Acceptance::Edges), &conditions));
        all.buchi.extend(waiting.map(|automaton| reduce(&automaton, Acceptance::States)));
    }
    all
}

/// The automata in their order, without duplicates, and without those that are several times as large as the
/// smallest: they would have to shrink very much, and reducing them takes most of the time.
fn distinct(automata: impl IntoIterator<Item = Automaton>) -> Vec<Automaton> {
    let mut kept: Vec<Automaton> = Vec::new();
    for automaton in automata {
        if !kept.contains(&automaton) {
            kept.push(automaton);
        }
    }
    let smallest = kept.iter().map(|automaton| automaton.edges.len()).min().unwrap_or(0);
    kept.retain(|automaton| automaton.edges.len() <= 10 + 2 * smallest);
    kept
}

fn translations(terms: &Terms, term: Term, limits: Limits) -> [Result<Automaton, TooLarge>; 3] {
    [
        translate(terms, term, Deferral::Later, limits),
        translate(terms, term, Deferral::Now, limits),
        tableau(terms, term, TABLEAU),
    ]
}
