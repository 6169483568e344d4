//! Syntactic properties of terms: an approximation of implication, and which terms do not depend on the past.
//!
//! - A term is *eventual* if it holds wherever it holds later (`<> a`), and *universal* if it holds later
//!   wherever it holds (`[] a`). A term that is both has the same truth value everywhere on a word, as `[] <>
//!   a` has.
//! - `a` implies `b` syntactically if the rules below say so; otherwise nothing is known.
//!
//! The rules are those of Somenzi and Bloem (2000) and Etessami and Holzmann (2000), extended by rules for
//! universal and eventual terms. That `x V e` is eventual when `e` is, for any `x`, follows from the
//! expansion law: where it holds next, `e` holds next, hence `e` holds now.

use rustc_hash::FxHashMap;

use crate::normal::{Node, Term, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    pub eventual: bool,
    pub universal: bool,
}

impl Class {
    /// Whether the term has the same truth value everywhere on a word.
    pub fn is_constant(self) -> bool {
        self.eventual && self.universal
    }
}

#[derive(Default)]
pub struct Knowledge {
    classes: FxHashMap<Term, Class>,
    implications: FxHashMap<(Term, Term), bool>,
}

impl Knowledge {
    pub fn class(&mut self, terms: &Terms, term: Term) -> Class {
        if let Some(&class) = self.classes.get(&term) {
            return class;
        }
        let class = match terms.node(term) {
            Node::True | Node::False => Class { eventual: true, universal: true },
            Node::Literal(..) => Class { eventual: false, universal: false },
            Node::And(operands) | Node::Or(operands) => {
                let classes: Vec<_> = operands.iter().map(|&operand| self.class(terms, operand)).collect();
                Class {
                    eventual: classes.iter().all(|class| class.eventual),
                    universal: classes.iter().all(|class| class.universal),
                }
            }
            &Node::Next(a) => self.class(terms, a),
            &Node::Until(a, b) => {
                let class = self.class(terms, b);
                Class { eventual: a == Terms::TRUE || class.eventual, ..class }
            }
            &Node::Release(a, b) => {
                let class = self.class(terms, b);
                Class { universal: a == Terms::FALSE || class.universal, ..class }
            }
        };
        self.classes.insert(term, class);
        class
    }

    /// Whether every word that satisfies `a` is known to satisfy `b`.
    pub fn implies(&mut self, terms: &Terms, a: Term, b: Term) -> bool {
        if a == b || a == Terms::FALSE || b == Terms::TRUE {
            return true;
        }
        if let Some(&known) = self.implications.get(&(a, b)) {
            return known;
        }
        let implied = self.implies_by_left(terms, a, b) || self.implies_by_right(terms, a, b);
        self.implications.insert((a, b), implied);
        implied
    }

    /// The rules for the form of `a`.
    fn implies_by_left(&mut self, terms: &Terms, a: Term, b: Term) -> bool {
        match terms.node(a) {
            Node::True | Node::False | Node::Literal(..) => false,
            Node::And(operands) => operands.iter().any(|&operand| self.implies(terms, operand, b)),
            Node::Or(operands) => operands.iter().all(|&operand| self.implies(terms, operand, b)),
            &Node::Next(inner) => {
                self.class(terms, b).eventual && self.implies(terms, inner, b)
                    || matches!(terms.node(b), &Node::Next(other) if self.implies(terms, inner, other))
            }
            &Node::Until(left, right) => {
                let now = self.implies(terms, right, b);
                now && (self.class(terms, b).eventual || self.implies(terms, left, b))
                    || matches!(terms.node(b), &Node::Until(c, d)
                        if self.implies(terms, left, c) && self.implies(terms, right, d))
            }
            &Node::Release(left, right) => {
                self.implies(terms, right, b)
                    || matches!(terms.node(b), &Node::Release(c, d)
                        if self.implies(terms, left, c) && self.implies(terms, right, d))
            }
        }
    }

    /// The rules for the form of `b`.
    fn implies_by_right(&mut self, terms: &Terms, a: Term, b: Term) -> bool {
        match terms.node(b) {
            Node::True | Node::False | Node::Literal(..) => false,
            Node::And(operands) => operands.iter().all(|&operand| self.implies(terms, a, operand)),
            Node::Or(operands) => operands.iter().any(|&operand| self.implies(terms, a, operand)),
            &Node::Next(inner) => self.class(terms, a).universal && self.implies(terms, a, inner),
            &Node::Until(_, right) => self.implies(terms, a, right),
            &Node::Release(left, right) => {
                self.implies(terms, a, right)
                    && (self.class(terms, a).universal || self.implies(terms, a, left))
            }
        }
    }
}
