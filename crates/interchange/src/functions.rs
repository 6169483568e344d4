//! Functions of the number of a thread, such as `(_pid + 1) % N`: what they yield is known for each thread.

use ir::{BinaryOp, Const, Expr, ExprKind, ProcedureId, Program, Type, UnaryOp};

use crate::unify::Var;

/// A function of the number of a thread.
#[derive(Clone, Debug)]
pub struct Function {
    pub procedure: ProcedureId,
    pub expr: Expr,
    /// The sort of its results.
    pub var: Var,
}

impl Function {
    /// Its result for a thread of the procedure; `None` if it faults.
    pub fn apply(&self, program: &Program, thread: i64) -> Option<i64> {
        evaluate(program, &self.expr, thread)
    }
}

/// Whether an expression is about the number of its thread and nothing else, and is more than that number or a
/// constant difference from it.
pub fn is_function(expr: &Expr) -> bool {
    let is_constant = |expr: &Expr| matches!(expr.kind, ExprKind::Const(Const::Int(_) | Const::Bool(_)));
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right)
            if left.kind == ExprKind::ThreadNumber && is_constant(right) =>
        {
            return false;
        }
        ExprKind::Binary(BinaryOp::Add, left, right)
            if is_constant(left) && right.kind == ExprKind::ThreadNumber =>
        {
            return false;
        }
        // A comparison with one number is better known as such.
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, ..) => return false,
        ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Cond(..)
        | ExprKind::Wrap(_)
        | ExprKind::Number(_) => {}
        _ => return false,
    }
    let (mut is_pure, mut asks) = (true, false);
    expr.each(&mut |part| match &part.kind {
        ExprKind::Const(Const::Int(_) | Const::Bool(_))
        | ExprKind::Binary(..)
        | ExprKind::Unary(..)
        | ExprKind::Cond(..)
        | ExprKind::Wrap(_)
        | ExprKind::Number(_) => {}
        ExprKind::ThreadNumber => asks = true,
        _ => is_pure = false,
    });
    is_pure && asks
}

/// The value of such an expression; `None` if it faults.
pub fn evaluate(program: &Program, expr: &Expr, thread: i64) -> Option<i64> {
    let of = |expr: &Expr| evaluate(program, expr, thread);
    Some(match &expr.kind {
        ExprKind::Const(Const::Int(value)) => *value,
        ExprKind::Const(Const::Bool(value)) => (*value).into(),
        ExprKind::ThreadNumber => thread,
        ExprKind::Wrap(operand) => match program.types[expr.ty] {
            Type::Int(int) => int.admit(of(operand)?)?,
            _ => of(operand)?,
        },
        ExprKind::Number(operand) => of(operand)?,
        ExprKind::Unary(UnaryOp::Not, operand) => (of(operand)? == 0).into(),
        ExprKind::Unary(UnaryOp::Neg, operand) => of(operand)?.checked_neg()?,
        ExprKind::Cond(condition, then, otherwise) => {
            if of(condition)? != 0 {
                of(then)?
            } else {
                of(otherwise)?
            }
        }
        ExprKind::Binary(op, left, right) => {
            let left = of(left)?;
            match op {
                BinaryOp::And if left == 0 => return Some(0),
                BinaryOp::Or if left != 0 => return Some(1),
                BinaryOp::Implies if left == 0 => return Some(1),
                _ => {}
            }
            let right = of(right)?;
            let by = || u32::try_from(right).ok().filter(|&by| by < 32);
            match op {
                BinaryOp::Add => left.checked_add(right)?,
                BinaryOp::Sub => left.checked_sub(right)?,
                BinaryOp::Mul => left.checked_mul(right)?,
                BinaryOp::Div => left.checked_div(right)?,
                BinaryOp::Rem => left.checked_rem(right)?,
                BinaryOp::Shl => left.checked_mul(1_i64.checked_shl(by()?)?)?,
                BinaryOp::Shr => left >> by()?,
                // Rare enough to be taken for a fault: then nothing is interchangeable.
                BinaryOp::Ushr => return None,
                BinaryOp::Eq => (left == right).into(),
                BinaryOp::Ne => (left != right).into(),
                BinaryOp::Lt => (left < right).into(),
                BinaryOp::Le => (left <= right).into(),
                BinaryOp::Gt => (left > right).into(),
                BinaryOp::Ge => (left >= right).into(),
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => (right != 0).into(),
                BinaryOp::BitAnd => left & right,
                BinaryOp::BitOr => left | right,
                BinaryOp::BitXor => left ^ right,
            }
        }
        _ => return None,
    })
}
