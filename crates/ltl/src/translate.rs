//! From alternating to generalized Büchi automata: the states are sets of obligations.
//!
//! A set moves as all its members do at once. There is one acceptance set for each `f = a U b` among the
//! obligations. A transition is in it if it is not waiting for `b`: `f` is not an obligation afterwards, or
//! it is one for another reason, namely `f` has a move of its own that drops it and demands no more than the
//! transition does (Gastin and Oddoux 2001).
//!
//! A transition is left out if another one from the same set has a weaker label, fewer obligations and no
//! fewer marks.
//!
//! Once its marks are known, a transition need not carry `u = a U b` along with `[] u`, or with `[] (u &&
//! …)`: that obligation is never dropped and creates `u` anew in each step, so that the sets with `u` and
//! without are equivalent. This keeps `[] <> p && [] <> q && …` small, where otherwise there would be a state
//! for each set of pending conditions. It is not done for everything that another obligation implies: two
//! obligations that imply each other could then take turns in waiting, so that each infinitely often appears
//! not to wait.

use rustc_hash::FxHashMap;

use crate::alternating::{Alternating, Deferral, Move, Obligations, is_subset, join};
use crate::cube::Cube;
use crate::limits::{Budget, Limits, TooLarge};
use crate::normal::{Node, Term, Terms};
use crate::worklist::Worklist;
use crate::{Automaton, Edge, Marks, State};

/// The automaton of the words that satisfy a term.
pub fn translate(
    terms: &Terms,
    term: Term,
    deferral: Deferral,
    limits: Limits,
) -> Result<Automaton, TooLarge> {
    let mut budget = Budget::new(limits);
    let mut waits = Waits::default();
    let mut alternating = Alternating::new(terms, deferral);
    let mut sets = Worklist::<Obligations>::default();
    let initial = State(sets.number(alternating.obligations(term)));
    let mut edges = Vec::new();
    while let Some(set) = sets.pop() {
        let mut moves = vec![Move { cube: Cube::TRUE, to: [].into() }];
        for &term in &*set {
            let others = alternating.moves(term, &mut budget)?;
            moves = join(&moves, &others, &mut budget)?;
        }
        let mut marked = Vec::new();
        for step in moves {
            let waiting = waits.of(terms, &mut alternating, &step, &mut budget)?;
            marked.push((Move { to: without_repeated(terms, step.to), ..step }, waiting));
        }
        marked.sort_unstable();
        marked.dedup();
        budget.compare(marked.len())?;
        let mut own = Vec::new();
        for (place, (step, waiting)) in marked.iter().enumerate() {
            let better = |(other, (rival, others)): (usize, &(Move, Marks))| {
                place != other
                    && step.cube.implies(rival.cube)
                    && is_subset(&rival.to, &step.to)
                    && waiting.contains(*others)
            };
            if !marked.iter().enumerate().any(better) {
                own.push(Edge { to: State(sets.number(step.to.clone())), marks: *waiting, cube: step.cube });
            }
        }
        edges.push(own);
        if sets.len() > budget.states {
            return Err(TooLarge::States);
        }
    }
    let count = waits.sets.len() as u32;
    for edge in edges.iter_mut().flatten() {
        edge.marks = Marks::all(count).without(edge.marks);
    }
    Ok(Automaton { initial, edges, sets: count })
}

/// The obligations without those that another obligation repeats in each step.
fn without_repeated(terms: &Terms, set: Obligations) -> Obligations {
    let repeats = |&term: &Term| match terms.node(term) {
        &Node::Release(Terms::FALSE, inner) => match terms.node(inner) {
            Node::And(operands) => operands.to_vec(),
            _ => vec![inner],
        },
        _ => Vec::new(),
    };
    let repeated: Vec<Term> = set.iter().flat_map(repeats).collect();
    let is_repeated = |term: &Term| matches!(terms.node(*term), Node::Until(..)) && repeated.contains(term);
    if set.iter().any(is_repeated) {
        return set.iter().copied().filter(|term| !is_repeated(term)).collect();
    }
    set
}

/// The acceptance set of each until-formula found so far.
#[derive(Default)]
struct Waits {
    sets: FxHashMap<Term, u32>,
}

impl Waits {
    /// The acceptance sets that a move is *not* in. The complement would have to include sets that are found
    /// later.
    fn of(
        &mut self,
        terms: &Terms,
        alternating: &mut Alternating<'_>,
        step: &Move,
        budget: &mut Budget,
    ) -> Result<Marks, TooLarge> {
        let mut waiting = Marks::NONE;
        for &f in &*step.to {
            if !matches!(terms.node(f), Node::Until(..)) {
                continue;
            }
            let moves = alternating.moves(f, budget)?;
            let drops = |other: &Move| {
                step.cube.implies(other.cube) && is_subset(&other.to, &step.to) && !other.to.contains(&f)
            };
            if moves.iter().any(drops) {
                continue;
            }
            let count = self.sets.len() as u32;
            let set = *self.sets.entry(f).or_insert(count);
            if set >= Marks::LIMIT {
                return Err(TooLarge::Sets);
            }
            waiting = waiting.with(Marks::one(set));
        }
        Ok(waiting)
    }
}
