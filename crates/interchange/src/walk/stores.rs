//! Stores of numbers that may not fit: what is brought into a range may become the number of another process.

use ir::{BinaryOp, Const, Expr, ExprKind, ProcedureId, Type};
use source::Span;

use super::Walk;
use crate::functions::{evaluate, is_function};
use crate::unify::Var;

/// A range of numbers.
pub type Range = (i64, i64);

/// The numbers of threads, and of channels.
pub const THREADS: Range = (0, 254);
const CHANNELS: Range = (1, 255);

/// A store of a number that may have to be brought into a range.
#[derive(Clone, Debug)]
pub struct Store {
    pub var: Var,
    pub from: Numbers,
    pub to: Numbers,
    /// It matters only if threads of this procedure are yet to start: numbers of those that are there are looked at
    /// one by one.
    pub if_started: Option<ProcedureId>,
    pub span: Span,
}

/// Which numbers there may be.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    Within(Range),
    /// Those of a field of the messages of channels of a sort.
    OfField(Var, usize),
}

impl Walk<'_> {
    /// The ranges of numbers.
    pub fn numbers(&self, numbers: Numbers) -> Vec<Range> {
        match numbers {
            Numbers::Within(range) => vec![range],
            Numbers::OfField(channel, at) => {
                let all = self.program.channels.iter();
                let channels = all.filter(|&(id, _)| self.unifier.are_one(self.channels[id], channel));
                channels.filter_map(|(_, channel)| self.range(channel.fields.get(at)?.ty)).collect()
            }
        }
    }

    /// The range of a type of numbers.
    pub fn range(&self, ty: ir::TypeId) -> Option<Range> {
        match self.program.types[ty] {
            Type::Int(int) => Some((int.lo, int.hi)),
            _ => None,
        }
    }

    /// The numbers that an expression yields, apart from constant differences: `None` if it is the number of the thread
    /// that evaluates it, or no number.
    pub fn numbers_of(&self, expr: &Expr) -> Option<Range> {
        if self.scope.is_some() && is_function(expr) {
            // Numbers of threads are less than 255.
            let results: Vec<i64> =
                (0..255).filter_map(|thread| evaluate(self.program, expr, thread)).collect();
            return Some((*results.iter().min()?, *results.iter().max()?));
        }
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => Some((*value, *value)),
            ExprKind::ThreadNumber => None,
            ExprKind::LastThread => Some(THREADS),
            ExprKind::Channel(_) => Some(CHANNELS),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                match (self.numbers_of(left), self.numbers_of(right)) {
                    (Some(_), None) | (None, Some(_)) => None,
                    _ if matches!(right.kind, ExprKind::Const(_)) => self.numbers_of(left),
                    _ if matches!(left.kind, ExprKind::Const(_)) => self.numbers_of(right),
                    _ => self.range(expr.ty),
                }
            }
            ExprKind::Cond(_, then, otherwise) => {
                let [a, b] = [then, otherwise].map(|expr| self.numbers_of(expr).unwrap_or(THREADS));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            _ => self.range(expr.ty),
        }
    }

    /// A store of what an expression yields.
    pub fn stores(&mut self, var: Var, expr: &Expr, to: Option<Numbers>) {
        let Some(to) = to else { return };
        let span = expr.span;
        if let Some(from) = self.numbers_of(expr) {
            self.stores.push(Store { var, from: Numbers::Within(from), to, if_started: None, span });
        } else if self.scope.is_some() {
            self.stores.push(Store { var, from: Numbers::Within(THREADS), to, if_started: self.scope, span });
        }
    }
}
