//! Scenarios as nondeterministic automata: partial derivatives of Antimirov, "Partial derivatives of regular
//! expressions and finite automaton constructions" (1996), with interleaving.

use std::collections::BTreeSet;
use std::rc::Rc;

use quotient_model::Term;
use rustc_hash::FxHashMap;

use super::pattern::{Pattern, plain};

/// A scenario as it is written. Patterns are known by number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Expr {
    /// Nothing is left to happen.
    Done,
    One(usize),
    Then(Rc<Expr>, Rc<Expr>),
    Or(Rc<Expr>, Rc<Expr>),
    Interleaved(Rc<Expr>, Rc<Expr>),
    Repeated(Rc<Expr>),
}

/// The most states of a machine.
pub(super) const MOST: usize = 10_000;

impl Expr {
    pub fn then(self: &Rc<Self>, next: &Rc<Self>) -> Rc<Self> {
        match (&**self, &**next) {
            (Self::Done, _) => Rc::clone(next),
            (_, Self::Done) => Rc::clone(self),
            _ => Rc::new(Self::Then(Rc::clone(self), Rc::clone(next))),
        }
    }

    pub fn interleaved(self: &Rc<Self>, other: &Rc<Self>) -> Rc<Self> {
        match (&**self, &**other) {
            (Self::Done, _) => Rc::clone(other),
            (_, Self::Done) => Rc::clone(self),
            _ => Rc::new(Self::Interleaved(Rc::clone(self), Rc::clone(other))),
        }
    }

    /// The number of patterns in it, each as often as it is there.
    pub fn size(&self) -> usize {
        match self {
            Self::Done => 0,
            Self::One(_) => 1,
            Self::Then(one, other) | Self::Interleaved(one, other) | Self::Or(one, other) => {
                one.size() + other.size()
            }
            Self::Repeated(one) => one.size(),
        }
    }

    fn may_end(&self) -> bool {
        match self {
            Self::Done | Self::Repeated(_) => true,
            Self::One(_) => false,
            Self::Then(one, other) | Self::Interleaved(one, other) => one.may_end() && other.may_end(),
            Self::Or(one, other) => one.may_end() || other.may_end(),
        }
    }

    /// What may happen first, and what is left then.
    fn first(self: &Rc<Self>) -> Vec<(usize, Rc<Self>)> {
        match &**self {
            Self::Done => Vec::new(),
            Self::One(pattern) => vec![(*pattern, Rc::new(Self::Done))],
            Self::Then(one, other) => {
                let mut all: Vec<_> =
                    one.first().into_iter().map(|(pattern, left)| (pattern, left.then(other))).collect();
                if one.may_end() {
                    all.extend(other.first());
                }
                all
            }
            Self::Or(one, other) => {
                let mut all = one.first();
                all.extend(other.first());
                all
            }
            Self::Interleaved(one, other) => {
                let ones = one.first().into_iter().map(|(pattern, left)| (pattern, left.interleaved(other)));
                let others =
                    other.first().into_iter().map(|(pattern, left)| (pattern, one.interleaved(&left)));
                ones.chain(others).collect()
            }
            Self::Repeated(one) => {
                one.first().into_iter().map(|(pattern, left)| (pattern, left.then(self))).collect()
            }
        }
    }
}

/// An automaton whose edges are patterns of actions.
#[derive(Default, Debug)]
pub(super) struct Machine {
    patterns: Vec<Pattern>,
    /// By state: the number of a pattern, and the next state.
    edges: Vec<Vec<(usize, u32)>>,
    ends: BTreeSet<u32>,
    start: u32,
}

impl Machine {
    /// The machine of an expression; `None` if it is too large.
    pub fn new(patterns: Vec<Pattern>, expr: &Rc<Expr>) -> Option<Self> {
        let mut states: FxHashMap<Rc<Expr>, u32> = FxHashMap::default();
        let mut order = vec![Rc::clone(expr)];
        states.insert(Rc::clone(expr), 0);
        let (mut edges, mut at) = (Vec::new(), 0);
        while at < order.len() {
            let mut from = Vec::new();
            for (pattern, left) in Rc::clone(&order[at]).first() {
                let to = *states.entry(Rc::clone(&left)).or_insert_with(|| {
                    order.push(left);
                    order.len() as u32 - 1
                });
                if !from.contains(&(pattern, to)) {
                    from.push((pattern, to));
                }
            }
            if order.len() > MOST {
                return None;
            }
            edges.push(from);
            at += 1;
        }
        let ends = (0..).zip(&order).filter(|(_, expr)| expr.may_end()).map(|(state, _)| state).collect();
        Some(Self { patterns, edges, ends, start: 0 })
    }

    /// Adds an edge.
    pub fn add(&mut self, from: usize, pattern: Pattern, to: usize) {
        self.patterns.push(pattern);
        self.make_room(from.max(to));
        self.edges[from].push((self.patterns.len() - 1, to as u32));
    }

    fn make_room(&mut self, state: usize) {
        if self.edges.len() <= state {
            self.edges.resize(state + 1, Vec::new());
        }
    }

    pub fn set_ends(&mut self, start: usize, ends: impl Iterator<Item = usize>) {
        self.make_room(start);
        self.start = start as u32;
        self.ends = ends.map(|end| end as u32).collect();
    }

    pub const fn start(&self) -> u32 {
        self.start
    }

    /// The names of the actions that it is about.
    pub fn names(&self) -> BTreeSet<String> {
        self.patterns.iter().filter_map(Pattern::name).map(plain).collect()
    }

    pub fn next(&self, stages: &BTreeSet<u32>, action: &Term) -> BTreeSet<u32> {
        let edges = stages.iter().flat_map(|&stage| &self.edges[stage as usize]);
        edges.filter(|(pattern, _)| self.patterns[*pattern].matches(action)).map(|(_, to)| *to).collect()
    }

    pub fn may_end(&self, stages: &BTreeSet<u32>) -> bool {
        !stages.is_disjoint(&self.ends)
    }
}
