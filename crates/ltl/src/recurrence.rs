//! Conjunctions with many `[] <> b`, such as fairness assumptions: waiting for conditions needs no
//! translation.
//!
//! A generalized automaton has edges for each set of conditions that hold at once, which are exponentially
//! many. An automaton that waits for one condition after the other has two edges for each condition: one
//! stays, one goes to the next. So the rest of the conjunction is translated, and copied once for each
//! condition to wait for, as in [`crate::degeneralize`].

use crate::alternating::{Alternating, Deferral};
use crate::cube::Cube;
use crate::limits::{Budget, Limits, TooLarge};
use crate::normal::{Node, Term, Terms};
use crate::scc::Components;
use crate::worklist::Worklist;
use crate::{Automaton, Edge, Marks, State};

/// A condition on a position, as a disjunction.
pub type Condition = Vec<Cube>;

/// The conditions that a conjunction requires infinitely often, and the rest of it. `None` if there are fewer
/// than two.
pub fn split(
    terms: &mut Terms,
    term: Term,
    limits: Limits,
) -> Result<Option<(Term, Vec<Condition>)>, TooLarge> {
    let Node::And(operands) = terms.node(term).clone() else { return Ok(None) };
    let (mut rest, mut conditions) = (Vec::new(), Vec::new());
    for &operand in &operands {
        match condition(terms, operand) {
            Some(condition) => conditions.push(condition),
            None => rest.push(operand),
        }
    }
    if conditions.len() < 2 {
        return Ok(None);
    }
    let rest = terms.and(&rest);
    let mut budget = Budget::new(limits);
    let mut alternating = Alternating::new(terms, Deferral::Later);
    let mut cubes = Vec::new();
    for condition in conditions {
        cubes.push(alternating.moves(condition, &mut budget)?.iter().map(|step| step.cube).collect());
    }
    Ok(Some((rest, cubes)))
}

/// The `b` of `[] <> b`, if it has no temporal operators.
fn condition(terms: &Terms, term: Term) -> Option<Term> {
    fn is_now(terms: &Terms, term: Term) -> bool {
        match terms.node(term) {
            Node::True | Node::False | Node::Literal(..) => true,
            Node::And(operands) | Node::Or(operands) => {
                operands.iter().all(|&operand| is_now(terms, operand))
            }
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        }
    }
    let &Node::Release(Terms::FALSE, inner) = terms.node(term) else { return None };
    let &Node::Until(Terms::TRUE, b) = terms.node(inner) else { return None };
    is_now(terms, b).then_some(b)
}

/// A Büchi automaton with accepting states for the words that `automaton` accepts and on which each condition
/// holds infinitely often.
pub fn wait(automaton: &Automaton, conditions: &[Condition]) -> Automaton {
    let sets = automaton.sets as usize;
    let last = sets + conditions.len();
    let components = Components::of(automaton, |_| true);
    let mut copies = Worklist::<(State, usize)>::default();
    let initial = State(copies.number((automaton.initial, 0)));
    let mut edges = Vec::new();
    while let Some((state, copy)) = copies.pop() {
        let marks = if copy == last { Marks::one(0) } else { Marks::NONE };
        let copy = if copy == last { 0 } else { copy };
        let mut own = Vec::new();
        for edge in automaton.edges(state) {
            let mut go = |copy: usize, cube: Cube| {
                own.push(Edge { to: State(copies.number((edge.to, copy))), marks, cube });
            };
            if !components.is_inner(state, edge) {
                go(0, edge.cube);
            } else if copy < sets {
                go(copy + usize::from(edge.marks.contains(Marks::one(copy as u32))), edge.cube);
            } else {
                go(copy, edge.cube);
                for cube in conditions[copy - sets].iter().filter_map(|&cube| cube.and(edge.cube)) {
                    go(copy + 1, cube);
                }
            }
        }
        edges.push(own);
    }
    Automaton { initial, edges, sets: 1 }
}
