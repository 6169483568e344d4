//! The tableau of Gerth, Peled, Vardi and Wolper (1995): a second translation, which shares nothing with the
//! first but the terms.
//!
//! A node is a promise about a word: terms that hold at its first position (`old`) and terms that hold from
//! the second one on (`next`). A node is expanded by moving terms from `new` to `old`, with their demands on
//! both positions; at a choice the node splits. A node with nothing new is a state, unless there is one with
//! the same `old` and `next`. Reading a letter *enters* a state, so the literals in `old` are the label of
//! the edges that lead there. The acceptance set of `a U b` consists of the states without `a U b` in `old`,
//! or with `b`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::cube::Cube;
use crate::limits::{Limits, TooLarge};
use crate::normal::{Node, Term, Terms};
use crate::{Automaton, Edge, Marks, Prop, State};

type Set = BTreeSet<Term>;

/// A node that is being expanded.
#[derive(Clone)]
struct Open {
    /// The state that leads here.
    from: State,
    new: Vec<Term>,
    old: Set,
    next: Set,
}

/// The automaton of the words that satisfy a term.
pub fn tableau(terms: &Terms, term: Term, limits: Limits) -> Result<Automaton, TooLarge> {
    // State 0 is before the first letter.
    let mut closed: Vec<Set> = vec![Set::new()];
    let mut edges: Vec<Vec<State>> = vec![Vec::new()];
    let mut index = FxHashMap::default();
    let mut open = vec![Open { from: State(0), new: vec![term], old: Set::new(), next: Set::new() }];
    let mut steps = 0;
    while let Some(mut node) = open.pop() {
        steps += 1;
        if steps > limits.edges {
            return Err(TooLarge::Edges);
        }
        if let Some(term) = node.new.pop() {
            if node.old.contains(&term) {
                open.push(node);
            } else {
                expand(terms, term, node, &mut open);
            }
            continue;
        }
        let number = closed.len() as u32;
        let key = (node.old.clone(), node.next.clone());
        let state = State(*index.entry(key).or_insert(number));
        edges[node.from.index()].push(state);
        if state.0 == number {
            if closed.len() == limits.states {
                return Err(TooLarge::States);
            }
            open.push(Open {
                from: state,
                new: node.next.into_iter().collect(),
                old: Set::new(),
                next: Set::new(),
            });
            closed.push(node.old);
            edges.push(Vec::new());
        }
    }
    automaton(terms, &closed, &edges)
}

/// Moves `term` from `new` to `old`.
fn expand(terms: &Terms, term: Term, mut node: Open, open: &mut Vec<Open>) {
    node.old.insert(term);
    match terms.node(term) {
        Node::False => return,
        Node::True => {}
        &Node::Literal(prop, sign) => {
            let opposite = |&other: &Term| *terms.node(other) == Node::Literal(prop, !sign);
            if node.old.iter().any(opposite) {
                return;
            }
        }
        Node::And(operands) => node.new.extend_from_slice(operands),
        Node::Or(operands) => {
            for &operand in operands {
                let mut node = node.clone();
                node.new.push(operand);
                open.push(node);
            }
            return;
        }
        &Node::Next(a) => {
            node.next.insert(a);
        }
        &Node::Until(a, b) => {
            let mut wait = node.clone();
            wait.new.push(a);
            wait.next.insert(term);
            open.push(wait);
            node.new.push(b);
        }
        &Node::Release(a, b) => {
            let mut wait = node.clone();
            wait.new.push(b);
            wait.next.insert(term);
            open.push(wait);
            node.new.extend([a, b]);
        }
    }
    open.push(node);
}

fn automaton(terms: &Terms, closed: &[Set], edges: &[Vec<State>]) -> Result<Automaton, TooLarge> {
    let until = |&&term: &&Term| matches!(terms.node(term), Node::Until(..));
    let untils: BTreeSet<Term> = closed.iter().flatten().filter(until).copied().collect();
    let sets = untils.len() as u32;
    if sets > Marks::LIMIT {
        return Err(TooLarge::Sets);
    }
    let (mut labels, mut marks) = (Vec::new(), Vec::new());
    for old in closed {
        let mut label = Cube::TRUE;
        for &term in old {
            if let &Node::Literal(prop, sign) = terms.node(term) {
                if prop.0 >= Prop::LIMIT {
                    return Err(TooLarge::Propositions);
                }
                label = label
                    .and(Cube::literal(prop, sign))
                    .expect("the literals of a node do not contradict each other");
            }
        }
        labels.push(label);
        let fulfilled = |&(_, &term): &(u32, &Term)| {
            let &Node::Until(_, b) = terms.node(term) else { unreachable!("only these were collected") };
            !old.contains(&term) || old.contains(&b)
        };
        let own =
            (0..).zip(&untils).filter(fulfilled).fold(Marks::NONE, |all, (set, _)| all.with(Marks::one(set)));
        marks.push(own);
    }
    let edge = |from: usize, to: State| Edge { to, marks: marks[from], cube: labels[to.index()] };
    let edges =
        (0..closed.len()).map(|from| edges[from].iter().map(|&to| edge(from, to)).collect()).collect();
    Ok(Automaton { initial: State(0), edges, sets })
}
