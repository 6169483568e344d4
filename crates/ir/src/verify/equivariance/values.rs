//! Which numbers there are: those that move, those that an expression may yield, and those that fit.

use super::{Checked, refuted};
use crate::{BinaryOp, Const, Expr, ExprKind, IntType, Program, Sort, Type, UnaryOp};

use super::images::Images;

/// Threads have lesser numbers than this.
const MOST_THREADS: i64 = 255;

/// From the least to the greatest number.
type Range = (i64, i64);

impl Images<'_> {
    /// The numbers of this sort that stand for individuals that move, with those that they go to.
    pub fn moved(&self, sort: Sort) -> impl Iterator<Item = (i64, i64)> {
        let (list, shift) = match sort {
            Sort::Number => (&[][..], 0),
            Sort::Thread { shift } => (&self.by.threads[..], shift),
            Sort::Channel => (&self.by.channels[..], 0),
        };
        let pairs = list.iter().zip(0..).map(|(&to, from)| (from, i64::from(to)));
        let moved = pairs.filter(|(from, to)| from != to);
        moved.map(move |(from, to)| (from.wrapping_sub(shift), to.wrapping_sub(shift)))
    }

    /// Whether a range that holds a number that moves holds the one that it goes to.
    pub fn keeps(&self, sort: Sort, lo: i64, hi: i64) -> bool {
        let is_in = |number: i64| (lo..=hi).contains(&number);
        self.moved(sort).all(|(from, to)| is_in(from) == is_in(to))
    }

    /// Checks that numbers in a range are the same ones, or stand for what does not move, after they are stored.
    pub fn fits(&self, sort: Sort, from: Range, expr: &Expr, ty: crate::TypeId) -> Checked {
        let Type::Int(int) = self.context.program.types[ty] else { return Ok(()) };
        if self.moved(sort).all(|(number, to)| stays(number, to, from, int)) {
            Ok(())
        } else {
            refuted("a number may not fit where it is stored", expr.span)
        }
    }

    /// Checks that numbers of threads yet to start stand for nothing that moves, before and after they are stored.
    pub fn is_new(&self, sort: Sort, expr_ty: crate::TypeId, span: source::Span) -> Checked {
        let Type::Int(int) = self.context.program.types[expr_ty] else { return Ok(()) };
        let moves = |number: i64| self.moved(sort).any(|(from, _)| from == number);
        let is_fixed = |number: i64| !moves(number) && int.admit(number).is_none_or(|number| !moves(number));
        if self.new_threads().all(is_fixed) {
            Ok(())
        } else {
            refuted("the number of a new thread is taken for another one", span)
        }
    }

    /// The numbers that threads yet to start may have.
    fn new_threads(&self) -> std::ops::Range<i64> {
        i64::try_from(self.context.exchange.threads.len()).unwrap_or(MOST_THREADS)..MOST_THREADS
    }

    /// The numbers that the thread that evaluates an expression may have, with those that they go to.
    pub fn own_numbers(&self) -> Vec<(i64, i64)> {
        let Some(scope) = self.scope.get() else { return Vec::new() };
        let threads = self.context.exchange.threads.iter().zip(&self.by.threads).zip(0..);
        let own = threads.filter(|((procedure, _), _)| **procedure == scope);
        let mut numbers: Vec<(i64, i64)> = own.map(|((_, &to), from)| (from, i64::from(to))).collect();
        if self.context.started[scope] {
            numbers.extend(self.new_threads().map(|number| (number, number)));
        }
        numbers
    }

    /// Whether an expression about nothing but the number of its thread yields the image of its value for the image of
    /// each thread. `None` if it is about more, or about less.
    pub fn is_natural(&self, expr: &Expr, sort: Sort) -> Option<bool> {
        if self.scope.get().is_none() || !asks_number(expr)? {
            return None;
        }
        let program = self.context.program;
        let is_natural = |&(from, to): &(i64, i64)| {
            match (value_for(program, expr, from), value_for(program, expr, to)) {
                (Some(value), Some(of_image)) => self.by.apply(sort, value) == of_image,
                // Faults may be of different kinds.
                _ => from == to,
            }
        };
        Some(self.own_numbers().iter().all(is_natural))
    }

    /// The value of an expression about nothing but the number of its thread.
    pub fn value_for(&self, expr: &Expr, thread: i64) -> Option<i64> {
        asks_number(expr).and_then(|_| value_for(self.context.program, expr, thread))
    }

    /// The numbers that an expression may yield.
    pub fn range(&self, expr: &Expr) -> Range {
        let program = self.context.program;
        let shifted = |(lo, hi): Range, by: i64| (lo.saturating_add(by), hi.saturating_add(by));
        if self.scope.get().is_some() && asks_number(expr) == Some(true) {
            let values =
                || self.own_numbers().into_iter().filter_map(|(from, _)| value_for(program, expr, from));
            // A procedure without threads yields nothing.
            return (values().min().unwrap_or(0), values().max().unwrap_or(0));
        }
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => (*value, *value),
            ExprKind::LastThread | ExprKind::FirstThread(_) => (-1, MOST_THREADS - 1),
            ExprKind::Channel(_) => (1, crate::MAX_CHANNELS.into()),
            ExprKind::Binary(BinaryOp::Add, left, right) => match (constant(left), constant(right)) {
                (_, Some(by)) => shifted(self.range(left), by),
                (Some(by), _) => shifted(self.range(right), by),
                _ => self.range_of_type(expr),
            },
            ExprKind::Binary(BinaryOp::Sub, left, right) => match constant(right) {
                Some(by) => shifted(self.range(left), by.saturating_neg()),
                None => self.range_of_type(expr),
            },
            ExprKind::Cond(_, then, otherwise) => {
                let (a, b) = (self.range(then), self.range(otherwise));
                (a.0.min(b.0), a.1.max(b.1))
            }
            _ => self.range_of_type(expr),
        }
    }

    fn range_of_type(&self, expr: &Expr) -> Range {
        match self.context.program.types[expr.ty] {
            Type::Int(int) => (int.lo, int.hi),
            _ => (0, 1),
        }
    }

    /// Whether an expression may fault.
    pub fn may_fault(&self, expr: &Expr) -> bool {
        let mut may = false;
        expr.each(&mut |part| {
            may |= match &part.kind {
                ExprKind::Const(_)
                | ExprKind::Global(_)
                | ExprKind::Local(_)
                | ExprKind::Unary(..)
                | ExprKind::Cond(..)
                | ExprKind::Wrap(_)
                | ExprKind::Number(_)
                | ExprKind::ThreadNumber
                | ExprKind::ThreadCount
                | ExprKind::LastThread
                | ExprKind::IsYoungest
                | ExprKind::Timeout
                | ExprKind::FirstThread(_)
                | ExprKind::ThreadsAt { .. }
                | ExprKind::ThreadAt { .. }
                | ExprKind::ThreadEnabled(_)
                | ExprKind::ThreadLocation(_)
                | ExprKind::ThreadPriority(_)
                | ExprKind::Channel(_) => false,
                ExprKind::Binary(op, ..) => op.is_shift() || matches!(op, BinaryOp::Div | BinaryOp::Rem),
                ExprKind::Element(array, indices) => {
                    let dims = self.dims(*array);
                    indices.iter().zip(dims).any(|(index, &len)| {
                        !constant(index).is_some_and(|at| (0..i64::from(len)).contains(&at))
                    })
                }
                ExprKind::ThreadLocal { indices, .. } => !indices.is_empty(),
                _ => true,
            };
        });
        may
    }
}

/// Whether a number that goes to another one stays what it is when numbers of a range are stored as integers of a type,
/// and no other number of the range becomes it.
fn stays(number: i64, to: i64, (lo, hi): Range, int: IntType) -> bool {
    let has = |number: i64| (int.lo..=int.hi).contains(&number);
    if (lo..=hi).contains(&number) && !(has(number) && has(to)) {
        return false;
    }
    let size = i128::from(int.hi) - i128::from(int.lo) + 1;
    let is_met = |times: i128| {
        let other = i128::from(number) + times * size;
        (i128::from(lo)..=i128::from(hi)).contains(&other)
    };
    // If any other number becomes it, so does the next one in that direction, or the range is beyond it.
    let is_beyond = i128::from(lo) > i128::from(number) + size || i128::from(hi) < i128::from(number) - size;
    !(has(number) && int.wrap && (is_met(1) || is_met(-1) || is_beyond))
}

/// The value, of an integer constant.
pub fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Const(Const::Int(value)) => Some(value),
        _ => None,
    }
}

/// Whether an expression asks for the number of its thread, if it asks for nothing else.
fn asks_number(expr: &Expr) -> Option<bool> {
    let (mut is_only, mut asks) = (true, false);
    expr.each(&mut |part| match &part.kind {
        ExprKind::ThreadNumber => asks = true,
        ExprKind::Const(Const::Int(_) | Const::Bool(_))
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Cond(..)
        | ExprKind::Wrap(_)
        | ExprKind::Number(_) => {}
        _ => is_only = false,
    });
    is_only.then_some(asks)
}

/// The value of such an expression for the thread of a number, with 1 for true; `None` if it faults.
fn value_for(program: &Program, expr: &Expr, thread: i64) -> Option<i64> {
    let of = |expr: &Expr| value_for(program, expr, thread);
    match &expr.kind {
        ExprKind::ThreadNumber => Some(thread),
        ExprKind::Const(Const::Int(value)) => Some(*value),
        ExprKind::Const(Const::Bool(value)) => Some((*value).into()),
        ExprKind::Unary(UnaryOp::Neg, operand) => of(operand)?.checked_neg(),
        ExprKind::Unary(UnaryOp::Not, operand) => Some(1 - of(operand)?),
        ExprKind::Number(operand) => of(operand),
        ExprKind::Wrap(operand) => match program.types[expr.ty] {
            Type::Int(int) => int.admit(of(operand)?),
            _ => None,
        },
        ExprKind::Cond(condition, then, otherwise) => of(if of(condition)? == 1 { then } else { otherwise }),
        ExprKind::Binary(op, left, right) => {
            let a = of(left)?;
            match (op, a) {
                (BinaryOp::And, 0) => return Some(0),
                (BinaryOp::Or, 1) | (BinaryOp::Implies, 0) => return Some(1),
                _ => {}
            }
            let b = of(right)?;
            let distance = u32::try_from(b).ok().filter(|&distance| distance < 32);
            match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => Some(b),
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Rem => a.checked_rem(b),
                BinaryOp::Shl => a.checked_mul(1 << distance?),
                BinaryOp::Shr => Some(a >> distance?),
                BinaryOp::Ushr => None,
                BinaryOp::BitAnd => Some(a & b),
                BinaryOp::BitOr => Some(a | b),
                BinaryOp::BitXor => Some(a ^ b),
                BinaryOp::Eq => Some((a == b).into()),
                BinaryOp::Ne => Some((a != b).into()),
                BinaryOp::Lt => Some((a < b).into()),
                BinaryOp::Le => Some((a <= b).into()),
                BinaryOp::Gt => Some((a > b).into()),
                BinaryOp::Ge => Some((a >= b).into()),
            }
        }
        _ => None,
    }
}
