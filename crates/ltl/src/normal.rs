//! Formulas in negation normal form, each subformula once.
//!
//! Both translations and all rewriting work on [`Term`]s: numbers of nodes in a table in which equal nodes
//! have one number. Negation occurs only in front of propositions; `[] a` is `false V a`, `<> a` is `true U
//! a`, and `a W b` is `b V (a || b)`. `And` and `Or` have any number of operands, ordered by their numbers,
//! and no operand is an operation of the same kind.

use rustc_hash::FxHashMap;

use crate::{Formula, Prop};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    True,
    False,
    Literal(Prop, bool),
    And(Box<[Term]>),
    Or(Box<[Term]>),
    Next(Term),
    Until(Term, Term),
    Release(Term, Term),
}

/// The table of terms.
pub struct Terms {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Term>,
    negations: FxHashMap<Term, Term>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms =
            Self { nodes: Vec::new(), index: FxHashMap::default(), negations: FxHashMap::default() };
        terms.intern(Node::True);
        terms.intern(Node::False);
        terms
    }
}

impl Terms {
    pub const TRUE: Term = Term(0);
    pub const FALSE: Term = Term(1);

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn intern(&mut self, node: Node) -> Term {
        *self.index.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            Term(self.nodes.len() as u32 - 1)
        })
    }

    pub fn next(&mut self, a: Term) -> Term {
        self.intern(Node::Next(a))
    }

    pub fn until(&mut self, a: Term, b: Term) -> Term {
        self.intern(Node::Until(a, b))
    }

    pub fn release(&mut self, a: Term, b: Term) -> Term {
        self.intern(Node::Release(a, b))
    }

    pub fn and(&mut self, operands: &[Term]) -> Term {
        let mut flat = Vec::new();
        for &operand in operands {
            match self.node(operand) {
                Node::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        match self.normalize(flat, Self::TRUE, Self::FALSE) {
            Ok(operands) => self.intern(Node::And(operands)),
            Err(term) => term,
        }
    }

    pub fn or(&mut self, operands: &[Term]) -> Term {
        let mut flat = Vec::new();
        for &operand in operands {
            match self.node(operand) {
                Node::Or(inner) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        match self.normalize(flat, Self::FALSE, Self::TRUE) {
            Ok(operands) => self.intern(Node::Or(operands)),
            Err(term) => term,
        }
    }

    /// The sorted operands; or the result itself, if fewer than two operands remain.
    fn normalize(&self, mut operands: Vec<Term>, unit: Term, zero: Term) -> Result<Box<[Term]>, Term> {
        operands.retain(|&operand| operand != unit);
        operands.sort_unstable();
        operands.dedup();
        let contradicts = |&operand: &Term| match self.node(operand) {
            &Node::Literal(prop, sign) => {
                let other = self.index.get(&Node::Literal(prop, !sign));
                other.is_some_and(|other| operands.binary_search(other).is_ok())
            }
            _ => operand == zero,
        };
        if operands.iter().any(contradicts) {
            return Err(zero);
        }
        match operands[..] {
            [] => Err(unit),
            [only] => Err(only),
            _ => Ok(operands.into()),
        }
    }

    /// The formula, or its negation, in negation normal form.
    pub fn of(&mut self, formula: &Formula, negated: bool) -> Term {
        match formula {
            Formula::True | Formula::False => {
                if (*formula == Formula::True) == negated {
                    Self::FALSE
                } else {
                    Self::TRUE
                }
            }
            Formula::Prop(prop) => self.intern(Node::Literal(*prop, !negated)),
            Formula::Not(a) => self.of(a, !negated),
            Formula::Next(a) => {
                let a = self.of(a, negated);
                self.next(a)
            }
            Formula::Always(a) => {
                let a = self.of(a, negated);
                self.always_or_eventually(negated, a)
            }
            Formula::Eventually(a) => {
                let a = self.of(a, negated);
                self.always_or_eventually(!negated, a)
            }
            Formula::And(a, b) => {
                let operands = [self.of(a, negated), self.of(b, negated)];
                self.and_or(negated, &operands)
            }
            Formula::Or(a, b) => {
                let operands = [self.of(a, negated), self.of(b, negated)];
                self.and_or(!negated, &operands)
            }
            Formula::Implies(a, b) => {
                let operands = [self.of(a, !negated), self.of(b, negated)];
                self.and_or(!negated, &operands)
            }
            Formula::Equivalent(a, b) => {
                // Each operand is visited once: otherwise a chain of equivalences would take exponential
                // time.
                let (a, b) = (self.of(a, false), self.of(b, negated));
                let other = [self.negate(a), self.negate(b)];
                let cases = [self.and(&[a, b]), self.and(&other)];
                self.or(&cases)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.of(a, negated), self.of(b, negated));
                self.release_or_until(!negated, a, b)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.of(a, negated), self.of(b, negated));
                self.release_or_until(negated, a, b)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.of(a, negated), self.of(b, negated));
                let either = self.and_or(!negated, &[a, b]);
                self.release_or_until(negated, b, either)
            }
        }
    }

    fn and_or(&mut self, or: bool, operands: &[Term]) -> Term {
        if or { self.or(operands) } else { self.and(operands) }
    }

    fn release_or_until(&mut self, until: bool, a: Term, b: Term) -> Term {
        if until { self.until(a, b) } else { self.release(a, b) }
    }

    fn always_or_eventually(&mut self, eventually: bool, a: Term) -> Term {
        if eventually { self.until(Self::TRUE, a) } else { self.release(Self::FALSE, a) }
    }

    pub fn negate(&mut self, term: Term) -> Term {
        if let Some(&negation) = self.negations.get(&term) {
            return negation;
        }
        let negation = match self.node(term).clone() {
            Node::True => Self::FALSE,
            Node::False => Self::TRUE,
            Node::Literal(prop, sign) => self.intern(Node::Literal(prop, !sign)),
            Node::And(operands) => {
                let operands: Vec<_> = operands.iter().map(|&operand| self.negate(operand)).collect();
                self.or(&operands)
            }
            Node::Or(operands) => {
                let operands: Vec<_> = operands.iter().map(|&operand| self.negate(operand)).collect();
                self.and(&operands)
            }
            Node::Next(a) => {
                let a = self.negate(a);
                self.next(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.release(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.negate(a), self.negate(b));
                self.until(a, b)
            }
        };
        self.negations.insert(term, negation);
        self.negations.insert(negation, term);
        negation
    }

    /// The term as a formula.
    pub fn formula(&self, term: Term) -> Formula {
        let fold = |operands: &[Term], build: fn(Box<Formula>, Box<Formula>) -> Formula| {
            let operands = operands.iter().map(|&operand| self.formula(operand));
            operands.reduce(|a, b| build(Box::new(a), Box::new(b)))
        };
        let boxed = |term| Box::new(self.formula(term));
        match self.node(term) {
            Node::True => Formula::True,
            Node::False => Formula::False,
            Node::Literal(prop, true) => Formula::Prop(*prop),
            Node::Literal(prop, false) => Formula::Prop(*prop).negated(),
            Node::And(operands) => fold(operands, Formula::And).unwrap_or(Formula::True),
            Node::Or(operands) => fold(operands, Formula::Or).unwrap_or(Formula::False),
            Node::Next(a) => Formula::Next(boxed(*a)),
            Node::Until(Self::TRUE, b) => Formula::Eventually(boxed(*b)),
            Node::Until(a, b) => Formula::Until(boxed(*a), boxed(*b)),
            Node::Release(Self::FALSE, b) => Formula::Always(boxed(*b)),
            Node::Release(a, b) => Formula::Release(boxed(*a), boxed(*b)),
        }
    }
}
