//! Variables that are not part of the state and on which nothing depends: counters for the user.
//!
//! An untracked variable is *inert* if it is read only to be printed, or to assign values to inert variables
//! by expressions that cannot fault. Then its value affects nothing but itself, and the order in which
//! threads write it does not matter.

use ir::{ActionKind, Array, BinaryOp, Expr, ExprKind, Id, PlaceKind, Program};

use crate::bits::Bits;

/// The globals that are inert in a program, where properties read the `observed` expressions.
pub fn inert(program: &Program, observed: &[&Expr]) -> Bits {
    let mut is_inert: Vec<bool> = program.globals.values().map(|global| global.untracked).collect();
    if !is_inert.contains(&true) {
        return Bits::default();
    }
    let mut reads = vec![0_u64; is_inert.len()];
    program.each_expr(&mut |expr| count(expr, &mut reads));
    for expr in observed {
        expr.each(&mut |expr| count(expr, &mut reads));
    }
    loop {
        // The number of reads without consequences, as far as is known.
        let mut idle = vec![0_u64; is_inert.len()];
        for action in program.actions() {
            let is_idle = match &action.kind {
                ActionKind::Print { .. } => true,
                ActionKind::Assign(place, value) => {
                    matches!(place.kind, PlaceKind::Global(id) if is_inert[id.index()]) && is_harmless(value)
                }
                _ => false,
            };
            if is_idle {
                action.operands().into_iter().for_each(|expr| expr.each(&mut |expr| count(expr, &mut idle)));
            }
        }
        let mut is_done = true;
        for (is_inert, (reads, idle)) in is_inert.iter_mut().zip(reads.iter().zip(&idle)) {
            is_done &= !*is_inert || reads == idle;
            *is_inert &= reads == idle;
        }
        if is_done {
            break;
        }
    }
    let mut inert = Bits::default();
    (0..is_inert.len()).filter(|&at| is_inert[at]).for_each(|at| inert.insert(at));
    inert
}

fn count(expr: &Expr, reads: &mut [u64]) {
    if let ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) = expr.kind {
        reads[id.index()] += 1;
    }
}

/// Whether the evaluation of an expression never faults.
fn is_harmless(expr: &Expr) -> bool {
    let mut is_harmless = true;
    expr.each(&mut |expr| {
        is_harmless &= match &expr.kind {
            ExprKind::Const(_) | ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::Wrap(_) => true,
            ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Sub),
            _ => false,
        };
    });
    is_harmless
}
