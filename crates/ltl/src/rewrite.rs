//! Smaller terms with the same meaning.
//!
//! Each rule is an equivalence; rules are applied from the leaves up, and again as long as something changes.
//! Below, `e` is eventual, `u` universal and `c` both (`implication`). Each rule has a dual that is not
//! listed.
//!
//! | term                       | becomes                | if                         |
//! |----------------------------|------------------------|----------------------------|
//! | `a && b`                   | `a`                    | `a` implies `b`            |
//! | `a && b`                   | `false`                | `a` implies `!b`           |
//! | `X a && X b`               | `X (a && b)`           |                            |
//! | `(a V b) && (a V c)`       | `a V (b && c)`         | the left one is not like `[] <> x` |
//! | `(a U b) && (c U b)`       | `(a && c) U b`         |                            |
//! | `<> [] a && <> [] b`       | `<> [] (a && b)`       |                            |
//! | `X c`                      | `c`                    |                            |
//! | `a U b`                    | `b`                    | `a` implies `b`, or `b` is eventual |
//! | `a U b`                    | `<> b`                 | `!b` implies `a`           |
//! | `a U (b U d)`              | `b U d`                | `a` implies `b`            |
//! | `<> (a U b)`               | `<> b`                 |                            |
//! | `a U X b`                  | `X (a' U b)`           | `a` is `X a'` or `true`    |
//! | `a U (b \|\| e)`           | `a U b \|\| e`         |                            |
//! | `a U (b && c)`             | `a U b && c`           |                            |
//! | `[] <> (a && e)`           | `[] <> a && [] e`      |                            |
//! | `<> [] (a && e)`           | `<> [] a && [] e`      |                            |

use rustc_hash::FxHashMap;

use crate::implication::Knowledge;
use crate::normal::{Node, Term, Terms};

#[derive(Default)]
struct Rewriter {
    knowledge: Knowledge,
    known: FxHashMap<Term, Term>,
}

/// An equivalent term.
pub fn simplify(terms: &mut Terms, term: Term) -> Term {
    Rewriter::default().simplify(terms, term)
}

/// The two operators of a rule or of its dual.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// `&&` and `V`
    Universal,
    /// `||` and `U`
    Eventual,
}

impl Rewriter {
    fn simplify(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let rebuilt = match terms.node(term).clone() {
            Node::True | Node::False | Node::Literal(..) => term,
            Node::And(operands) => {
                let operands: Vec<_> =
                    operands.iter().map(|&operand| self.simplify(terms, operand)).collect();
                terms.and(&operands)
            }
            Node::Or(operands) => {
                let operands: Vec<_> =
                    operands.iter().map(|&operand| self.simplify(terms, operand)).collect();
                terms.or(&operands)
            }
            Node::Next(a) => {
                let a = self.simplify(terms, a);
                terms.next(a)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.simplify(terms, a), self.simplify(terms, b));
                terms.until(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.simplify(terms, a), self.simplify(terms, b));
                terms.release(a, b)
            }
        };
        let rewritten = match terms.node(rebuilt).clone() {
            Node::And(operands) => self.operation(terms, Side::Universal, &operands),
            Node::Or(operands) => self.operation(terms, Side::Eventual, &operands),
            Node::Next(a) if self.knowledge.class(terms, a).is_constant() => a,
            Node::Until(a, b) => self.temporal(terms, Side::Eventual, a, b),
            Node::Release(a, b) => self.temporal(terms, Side::Universal, a, b),
            Node::True | Node::False | Node::Literal(..) | Node::Next(_) => rebuilt,
        };
        // The entry ends the recursion, should rules ever lead back here.
        self.known.insert(term, rewritten);
        let result = if rewritten == term { term } else { self.simplify(terms, rewritten) };
        self.known.insert(term, result);
        result
    }

    /// `a` implies `b`; on the other side, `b` implies `a`.
    fn stronger(&mut self, terms: &Terms, side: Side, a: Term, b: Term) -> bool {
        match side {
            Side::Universal => self.knowledge.implies(terms, a, b),
            Side::Eventual => self.knowledge.implies(terms, b, a),
        }
    }

    /// A conjunction; on the other side, a disjunction.
    fn operation(&mut self, terms: &mut Terms, side: Side, operands: &[Term]) -> Term {
        // One at a time, since the approximation of implication need not be transitive: a removed operand
        // must be implied by one that stays.
        let mut kept = operands.to_vec();
        let mut i = 0;
        while i < kept.len() {
            let b = kept[i];
            let negation = terms.negate(b);
            if kept[..i].iter().any(|&a| self.stronger(terms, side, a, negation)) {
                return side.zero();
            }
            let redundant = |(j, &a): (usize, &Term)| j != i && self.stronger(terms, side, a, b);
            if kept.iter().enumerate().any(redundant) {
                kept.remove(i);
            } else {
                i += 1;
            }
        }
        for i in 0..kept.len() {
            for j in i + 1..kept.len() {
                if let Some(joined) = self.join(terms, side, kept[i], kept[j]) {
                    kept[i] = joined;
                    kept.remove(j);
                    return side.operation(terms, &kept);
                }
            }
        }
        side.operation(terms, &kept)
    }

    /// Two operands of a conjunction as one.
    fn join(&mut self, terms: &mut Terms, side: Side, a: Term, b: Term) -> Option<Term> {
        let constant =
            self.knowledge.class(terms, a).is_constant() || self.knowledge.class(terms, b).is_constant();
        match (side, terms.node(a).clone(), terms.node(b).clone()) {
            (_, Node::Next(a), Node::Next(b)) => {
                let inner = side.operation(terms, &[a, b]);
                Some(terms.next(inner))
            }
            (Side::Universal, Node::Until(Terms::TRUE, a), Node::Until(Terms::TRUE, b))
            | (Side::Eventual, Node::Release(Terms::FALSE, a), Node::Release(Terms::FALSE, b)) => {
                let (a, b) = (side.repeated(terms, a)?, side.repeated(terms, b)?);
                let inner = side.operation(terms, &[a, b]);
                let inner = side.temporal(terms, side.zero(), inner);
                Some(side.other().temporal(terms, side.other().zero(), inner))
            }
            (Side::Universal, Node::Release(a, b), Node::Release(c, d)) if a == c && !constant => {
                let inner = terms.and(&[b, d]);
                Some(terms.release(a, inner))
            }
            (Side::Eventual, Node::Until(a, b), Node::Until(c, d)) if a == c && !constant => {
                let inner = terms.or(&[b, d]);
                Some(terms.until(a, inner))
            }
            (Side::Universal, Node::Until(a, b), Node::Until(c, d)) if b == d => {
                let inner = terms.and(&[a, c]);
                Some(terms.until(inner, b))
            }
            (Side::Eventual, Node::Release(a, b), Node::Release(c, d)) if b == d => {
                let inner = terms.or(&[a, c]);
                Some(terms.release(inner, b))
            }
            _ => None,
        }
    }

    /// `a U b`; on the other side, `a V b`.
    fn temporal(&mut self, terms: &mut Terms, side: Side, a: Term, b: Term) -> Term {
        let class = self.knowledge.class(terms, b);
        let settled = match side {
            Side::Eventual => class.eventual,
            Side::Universal => class.universal,
        };
        if settled || self.stronger(terms, side, b, a) {
            return b;
        }
        let zero = side.zero();
        if a != zero {
            let negation = terms.negate(b);
            if self.stronger(terms, side, a, negation) {
                return side.temporal(terms, zero, b);
            }
        }
        match (side, terms.node(b).clone()) {
            (Side::Eventual, Node::Until(c, _)) | (Side::Universal, Node::Release(c, _))
                if self.stronger(terms, side, c, a) =>
            {
                b
            }
            (Side::Eventual, Node::Until(_, d)) | (Side::Universal, Node::Release(_, d)) if a == zero => {
                side.temporal(terms, zero, d)
            }
            (_, Node::Next(inner)) => {
                let left = match *terms.node(a) {
                    Node::Next(left) => Some(left),
                    _ => (a == zero).then_some(zero),
                };
                let Some(left) = left else { return side.temporal(terms, a, b) };
                let inner = side.temporal(terms, left, inner);
                terms.next(inner)
            }
            (Side::Universal, Node::Until(Terms::TRUE, x))
            | (Side::Eventual, Node::Release(Terms::FALSE, x))
                if a == zero =>
            {
                self.split(terms, side, x).unwrap_or_else(|| side.temporal(terms, a, b))
            }
            (_, Node::And(operands) | Node::Or(operands)) => self.pull_out(terms, side, a, b, &operands),
            _ => side.temporal(terms, a, b),
        }
    }

    /// Operands of `b` that need not be below the operator of `a U b`.
    fn pull_out(&mut self, terms: &mut Terms, side: Side, a: Term, b: Term, operands: &[Term]) -> Term {
        let inner = if matches!(terms.node(b), Node::And(_)) { Side::Universal } else { Side::Eventual };
        let (out, rest): (Vec<_>, Vec<_>) = operands.iter().partition(|&&operand| {
            let class = self.knowledge.class(terms, operand);
            match (side, inner) {
                (Side::Eventual, Side::Eventual) => class.eventual,
                (Side::Universal, Side::Universal) => class.universal,
                _ => class.is_constant(),
            }
        });
        if !out.is_empty() {
            let rest = inner.operation(terms, &rest);
            let rest = side.temporal(terms, a, rest);
            return inner.operation(terms, &[&[rest], &out[..]].concat());
        }
        side.temporal(terms, a, b)
    }

    /// `[] <> x` or `<> [] x`, in parts: an eventual operand of a conjunction has to hold everywhere, and a
    /// universal operand of a disjunction only once.
    fn split(&mut self, terms: &mut Terms, side: Side, x: Term) -> Option<Term> {
        let (inner, operands) = match terms.node(x).clone() {
            Node::And(operands) => (Side::Universal, operands),
            Node::Or(operands) => (Side::Eventual, operands),
            _ => return None,
        };
        let (out, rest): (Vec<_>, Vec<_>) = operands.iter().partition(|&&operand| {
            let class = self.knowledge.class(terms, operand);
            if inner == Side::Universal { class.eventual } else { class.universal }
        });
        if out.is_empty() {
            return None;
        }
        let rest = inner.operation(terms, &rest);
        let repeated = side.other().temporal(terms, side.other().zero(), rest);
        let mut parts = vec![side.temporal(terms, side.zero(), repeated)];
        for part in out {
            parts.push(inner.temporal(terms, inner.zero(), part));
        }
        Some(inner.operation(terms, &parts))
    }
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Universal => Self::Eventual,
            Self::Eventual => Self::Universal,
        }
    }

    /// The operand of `[]`; on the other side, of `<>`.
    fn repeated(self, terms: &Terms, term: Term) -> Option<Term> {
        match (self, terms.node(term)) {
            (Self::Universal, &Node::Release(Terms::FALSE, inner))
            | (Self::Eventual, &Node::Until(Terms::TRUE, inner)) => Some(inner),
            _ => None,
        }
    }

    fn operation(self, terms: &mut Terms, operands: &[Term]) -> Term {
        match self {
            Self::Universal => terms.and(operands),
            Self::Eventual => terms.or(operands),
        }
    }

    fn temporal(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Self::Universal => terms.release(a, b),
            Self::Eventual => terms.until(a, b),
        }
    }

    /// The left operand of `[]`, which is also the value of a contradictory conjunction; on the other side,
    /// of `<>`.
    fn zero(self) -> Term {
        match self {
            Self::Universal => Terms::FALSE,
            Self::Eventual => Terms::TRUE,
        }
    }
}
