//! Variables that are not part of the state and on which nothing depends: counters for the user.
//!
//! An untracked variable is *inert* if it is read only to be printed, or to assign values to inert variables
//! by expressions that cannot fault. Then its value affects nothing but itself, and the order in which
//! threads write it does not matter. `served[_pid]++` faults if the index is wrong, whatever the value.

use source::Span;

use crate::spans;
use crate::{
    ActionKind, Array, BinaryOp, Expr, ExprKind, GlobalId, Place, PlaceKind, Program, Table, UnaryOp,
};

/// The globals that are inert in a program, where properties read the `observed` expressions.
pub fn inert(program: &Program, observed: &[&Expr]) -> Table<GlobalId, bool> {
    let mut is_inert: Table<GlobalId, bool> =
        program.globals.values().map(|global| global.untracked).collect();
    if !is_inert.values().any(|&is_inert| is_inert) {
        return is_inert;
    }
    let none: Table<GlobalId, u64> = program.globals.values().map(|_| 0).collect();
    let mut reads = none.clone();
    program.each_expr(&mut |expr| count(expr, &mut reads));
    for expr in observed {
        expr.each(&mut |expr| count(expr, &mut reads));
    }
    loop {
        // The number of reads without consequences, as far as is known.
        let mut idle = none.clone();
        for action in program.actions() {
            let is_idle = match &action.kind {
                ActionKind::Print { .. } => true,
                ActionKind::Assign(place, value) => sets_inert(program, &is_inert, place, value),
                _ => false,
            };
            if is_idle {
                action.operands().into_iter().for_each(|expr| expr.each(&mut |expr| count(expr, &mut idle)));
            }
        }
        let is_done = is_inert.iter().all(|(id, &is_inert)| !is_inert || reads[id] == idle[id]);
        if is_done {
            return is_inert;
        }
        for id in program.globals.ids() {
            is_inert[id] &= reads[id] == idle[id];
        }
    }
}

/// Whether an assignment is to an inert variable, of a value that cannot fault: then the value does not matter.
pub fn sets_inert(program: &Program, is_inert: &Table<GlobalId, bool>, place: &Place, value: &Expr) -> bool {
    match &place.kind {
        PlaceKind::Global(id) => is_inert[*id] && is_harmless(value, None),
        PlaceKind::Element(Array::Global(id), indices) => {
            let reads_untracked = indices.iter().any(|index| {
                let mut found = false;
                index.each(&mut |part| found |= global(part).is_some_and(|id| program.globals[id].untracked));
                found
            });
            is_inert[*id] && !reads_untracked && is_harmless(value, Some((*id, indices)))
        }
        _ => false,
    }
}

fn global(expr: &Expr) -> Option<GlobalId> {
    match expr.kind {
        ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => Some(id),
        _ => None,
    }
}

fn count(expr: &Expr, reads: &mut Table<GlobalId, u64>) {
    if let Some(id) = global(expr) {
        reads[id] += 1;
    }
}

/// Whether the evaluation of an expression never faults, or only where access to an element does that is known to
/// follow.
fn is_harmless(expr: &Expr, element: Option<(GlobalId, &[Expr])>) -> bool {
    let is_harmless = |expr: &Expr| is_harmless(expr, element);
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::ThreadNumber => true,
        ExprKind::Wrap(operand) | ExprKind::Number(operand) | ExprKind::Unary(UnaryOp::Not, operand) => {
            is_harmless(operand)
        }
        ExprKind::Binary(op, left, right) => {
            use BinaryOp::{Add, And, Eq, Ge, Gt, Le, Lt, Ne, Or, Sub};
            matches!(op, Add | Sub | Eq | Ne | Lt | Le | Gt | Ge | And | Or)
                && is_harmless(left)
                && is_harmless(right)
        }
        ExprKind::Cond(condition, then, otherwise) => {
            is_harmless(condition) && is_harmless(then) && is_harmless(otherwise)
        }
        // It is read where it is about to be written.
        ExprKind::Element(Array::Global(id), indices) => {
            let plain = |index: &Expr| {
                let mut index = index.clone();
                spans::expr(&mut index, &mut |span| *span = Span::default());
                index
            };
            let is_same = |at: &[Expr]| indices.iter().map(plain).eq(at.iter().map(plain));
            element.is_some_and(|(other, at)| *id == other && is_same(at))
        }
        _ => false,
    }
}
