//! Stores of numbers that may not fit: what is brought into a range may become the number of another process.

use ir::{BinaryOp, Const, Expr, ExprKind, ProcedureId, Sort, Type};
use source::Span;

use super::Walk;
use crate::functions::{evaluate, is_function};
use crate::seeded::{Seeded, is_seeded};
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
    /// It is the number of the thread that stores it, apart from a constant difference, and the thread runs this.
    pub of_self: Option<ProcedureId>,
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

    /// Whether a store may bring a name into a range where it is the name of another thread, or of none.
    pub fn is_narrowed(&self, store: &Store) -> bool {
        let sort = self.unifier.sort(store.var);
        if sort == Sort::Number || is_seeded(Seeded::NoRanges) {
            return false;
        }
        let froms = self.numbers(store.from);
        self.numbers(store.to).into_iter().any(|to| {
            let is_wide = froms.iter().any(|from| from.0 < to.0 || to.1 < from.1);
            is_wide
                && store
                    .of_self
                    .is_none_or(|procedure| self.started[procedure] || self.is_taken(procedure, sort, to))
        })
    }

    /// Whether a thread of a procedure that is there has a number that becomes that of a thread in a range.
    fn is_taken(&self, procedure: ProcedureId, sort: Sort, (lo, hi): Range) -> bool {
        let Sort::Thread { shift } = sort else { return false };
        let size = i128::from(hi) - i128::from(lo) + 1;
        let own = || self.present.iter().zip(0..).filter(|&(&other, _)| other == procedure);
        let (Some((_, first)), Some((_, last))) = (own().next(), own().last()) else { return false };
        (first..=last).any(|thread: i64| {
            let number = thread.wrapping_sub(shift);
            let stored = i128::from(lo) + (i128::from(number) - i128::from(lo)).rem_euclid(size);
            let named = stored + i128::from(shift);
            i128::from(number) != stored && (0..self.present.len() as i128).contains(&named)
        })
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
            self.stores.push(Store { var, from: Numbers::Within(from), to, of_self: None, span });
        } else if self.scope.is_some() {
            self.stores.push(Store { var, from: Numbers::Within(THREADS), to, of_self: self.scope, span });
        }
    }
}
