//! Very weak alternating automata: what a formula demands now, and what it leaves for the next position.
//!
//! Gastin and Oddoux (2001) read the expansion laws as the transitions of an automaton whose states are
//! formulas. A [`Move`] of a state reads a letter of its cube and goes to *all* states of a set; the moves of
//! a state are alternatives. With `X` for the part that is left to the next position:
//!
//! - `a U b` has the moves of `b || (a && X (a U b))`, and may not be taken forever;
//! - `a V b` has the moves of `b && (a || X (a V b))`.
//!
//! States lead only to themselves and to their subformulas, hence "very weak". `X (a || b)` leaves either one
//! state for the whole disjunction, which defers the decision, or one state for each side, as in the paper
//! ([`Deferral`]). Which of the two leads to fewer states depends on the formula.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::Prop;
use crate::cube::Cube;
use crate::limits::{Budget, TooLarge};
use crate::normal::{Node, Term, Terms};

/// A set of states, in order.
pub type Obligations = Rc<[Term]>;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move {
    pub cube: Cube,
    pub to: Obligations,
}

/// When the choice between the sides of a disjunction at the next position is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deferral {
    Now,
    Later,
}

pub struct Alternating<'t> {
    terms: &'t Terms,
    deferral: Deferral,
    moves: FxHashMap<Term, Rc<[Move]>>,
}

impl<'t> Alternating<'t> {
    pub fn new(terms: &'t Terms, deferral: Deferral) -> Self {
        Self { terms, deferral, moves: FxHashMap::default() }
    }

    /// The states for a term that is to hold at the next position.
    pub fn obligations(&self, term: Term) -> Obligations {
        match self.terms.node(term) {
            Node::True => Rc::new([]),
            Node::And(operands) => operands.iter().copied().collect(),
            _ => Rc::new([term]),
        }
    }

    /// The moves for a term that is to hold now.
    pub fn moves(&mut self, term: Term, budget: &mut Budget) -> Result<Rc<[Move]>, TooLarge> {
        if let Some(moves) = self.moves.get(&term) {
            return Ok(moves.clone());
        }
        let leave = |to: Obligations| Move { cube: Cube::TRUE, to };
        let moves = match self.terms.node(term) {
            Node::True => vec![leave(Rc::new([]))],
            Node::False => Vec::new(),
            Node::Literal(prop, _) if prop.0 >= Prop::LIMIT => return Err(TooLarge::Propositions),
            &Node::Literal(prop, sign) => vec![Move { cube: Cube::literal(prop, sign), to: Rc::new([]) }],
            Node::And(operands) => {
                let mut all = vec![leave(Rc::new([]))];
                for &operand in operands {
                    let moves = self.moves(operand, budget)?;
                    all = join(&all, &moves, budget)?;
                }
                all
            }
            Node::Or(operands) => {
                let mut all = Vec::new();
                for &operand in operands {
                    all.extend_from_slice(&self.moves(operand, budget)?);
                }
                all
            }
            &Node::Next(a) => match self.deferral {
                Deferral::Later => vec![leave(self.obligations(a))],
                Deferral::Now => self.alternatives(a, budget)?.into_iter().map(leave).collect(),
            },
            &Node::Until(a, b) => {
                let stay = join(&self.moves(a, budget)?, &[leave(Rc::new([term]))], budget)?;
                [&self.moves(b, budget)?[..], &stay].concat()
            }
            &Node::Release(a, b) => {
                let either = [&self.moves(a, budget)?[..], &[leave(Rc::new([term]))]].concat();
                join(&self.moves(b, budget)?, &either, budget)?
            }
        };
        let moves: Rc<[Move]> = undominated(moves, budget)?.into();
        budget.spend(moves.len())?;
        self.moves.insert(term, moves.clone());
        Ok(moves)
    }

    /// The alternatives for the next position: sets of states, one of which is to hold.
    fn alternatives(&self, term: Term, budget: &mut Budget) -> Result<Vec<Obligations>, TooLarge> {
        let mut sets: Vec<Obligations> = match self.terms.node(term) {
            Node::Or(operands) => {
                let mut all = Vec::new();
                for &operand in operands {
                    all.extend(self.alternatives(operand, budget)?);
                }
                all
            }
            Node::And(operands) => {
                let mut all: Vec<Obligations> = vec![Rc::new([])];
                for &operand in operands {
                    let sets = self.alternatives(operand, budget)?;
                    budget.spend(all.len() * sets.len())?;
                    all = all.iter().flat_map(|a| sets.iter().map(|b| union(a, b))).collect();
                }
                all
            }
            _ => vec![self.obligations(term)],
        };
        sets.sort_unstable();
        sets.dedup();
        Ok(sets)
    }
}

/// The moves that combine a move of `a` with a move of `b`.
pub fn join(a: &[Move], b: &[Move], budget: &mut Budget) -> Result<Vec<Move>, TooLarge> {
    budget.spend(a.len() * b.len())?;
    let mut joined = Vec::new();
    for left in a {
        for right in b {
            if let Some(cube) = left.cube.and(right.cube) {
                joined.push(Move { cube, to: union(&left.to, &right.to) });
            }
        }
    }
    joined.sort_unstable();
    joined.dedup();
    Ok(joined)
}

fn union(a: &Obligations, b: &Obligations) -> Obligations {
    if is_subset(a, b) {
        return b.clone();
    }
    if is_subset(b, a) {
        return a.clone();
    }
    let mut all = [&a[..], &b[..]].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

pub fn is_subset(a: &[Term], b: &[Term]) -> bool {
    a.iter().all(|term| b.binary_search(term).is_ok())
}

/// Removes the moves that demand more than another move.
fn undominated(mut moves: Vec<Move>, budget: &mut Budget) -> Result<Vec<Move>, TooLarge> {
    moves.sort_unstable();
    moves.dedup();
    budget.compare(moves.len())?;
    let dominated =
        |a: &Move| moves.iter().any(|b| a != b && a.cube.implies(b.cube) && is_subset(&b.to, &a.to));
    Ok(moves.iter().filter(|a| !dominated(a)).cloned().collect())
}
