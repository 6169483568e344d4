//! From bodies to the IR, with all checks.
//!
//! Checking and lowering are one pass: a function that lowers a construct returns `None` if it has errors,
//! after reporting them. If there were any errors in the end, the result is discarded.

mod actions;
mod collections;
mod exprs;
mod flow;
mod fresh;
mod graph;
mod lambdas;
mod locations;
mod loops;
mod operators;
mod procedure;
mod properties;
mod statements;
mod targets;

use ir::{Expr, ExprKind, FunId, Id, Invariant, ProcedureId, Program};
use source::{Diagnostic, NameKind};

use crate::ast;
use crate::codes;
use crate::resolve::{Model, Outcome, Symbol};
use crate::text::clip;
pub use exprs::Exprs;
use exprs::{Owner, Why};

/// The largest number of threads in the initial state.
const MAX_ACTIVE: i64 = 1 << 12;

/// Which locations of atomic blocks are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// Those from which only one step is possible.
    Straight,
    /// None, for tests.
    Nothing,
}

pub fn lower(model: &mut Model<'_>, merge: Merge) {
    // With so many errors, tables may be incomplete too.
    if model.has_enough() {
        return;
    }
    lower_funs(model);
    lower_invariants(model);
    for index in 0..model.system.procedures.len() {
        if model.has_enough() {
            return;
        }
        procedure::lower(model, ProcedureId::from_index(index), merge);
    }
    activate(model);
    properties::lower(model);
}

fn lower_funs(model: &mut Model<'_>) {
    let system = model.system;
    for (index, item) in system.funs.iter().enumerate() {
        let id = FunId::from_index(index);
        let signature = model.fun_signatures[index].clone();
        let mut exprs = Exprs::new(model, Owner::Fun, Some(Symbol::Fun(id)));
        for (number, (param, &ty)) in item.params.iter().zip(&signature.params).enumerate() {
            exprs.define(param.name, NameKind::Parameter, ty, item.name.span.to(item.body.span));
            exprs.declare(param.name, number as u32, ty);
        }
        let body = match signature.result {
            Outcome::Value(ty) => exprs.value(&item.body, ty, Why::Type(item.result.span)),
            Outcome::Nothing | Outcome::Unknown => exprs.expr(&item.body),
        };
        if let Some(body) = body {
            model.program.funs[id].body = body;
        }
    }
}

fn lower_invariants(model: &mut Model<'_>) {
    let system = model.system;
    for item in &system.invariants {
        let mut exprs = Exprs::new(model, Owner::Invariant, None);
        let Some(expr) = exprs.condition(&item.expr, "an invariant") else { continue };
        model.program.invariants.push(Invariant {
            name: item.name.text.to_owned(),
            expr,
            span: item.name.span,
        });
    }
    check_invariants(model);
}

fn check_invariants(model: &mut Model<'_>) {
    let exprs = model.program.invariants.iter().map(|invariant| invariant.expr.clone()).collect::<Vec<_>>();
    check_thread_independent(model, &exprs, "an invariant");
}

/// Checks that properties call no functions that depend on the locks of the current thread.
fn check_thread_independent(model: &mut Model<'_>, exprs: &[Expr], what: &str) {
    let dependent = thread_dependent_funs(model);
    let program = &model.program;
    let mut problems = Vec::new();
    for expr in exprs {
        let mut culprit = None;
        visit(program, expr, &mut |part| {
            if let ExprKind::Call(fun, _) = part.kind
                && dependent[fun.index()]
            {
                culprit = culprit.or(Some((fun, part.span)));
            }
        });
        if let Some((fun, span)) = culprit {
            let name = clip(&program.funs[fun].name);
            let diagnostic = Diagnostic::error(
                codes::THREAD_DEPENDENT,
                format!("{what} cannot use `{name}`: its value depends on the thread that asks"),
            )
            .at(span, "no thread asks here")
            .label(program.funs[fun].span, "this function asks for locks, or calls one that does");
            problems.push(diagnostic);
        }
    }
    for problem in problems {
        model.report(problem);
    }
}

/// The pure functions that depend on the locks of the current thread, directly or through calls.
fn thread_dependent_funs(model: &Model<'_>) -> Vec<bool> {
    let count = model.program.funs.len();
    let mut dependent = vec![false; count];
    let mut callers = vec![Vec::new(); count];
    let mut todo = Vec::new();
    for (id, fun) in model.program.funs.iter() {
        visit(&model.program, &fun.body, &mut |part| match &part.kind {
            ExprKind::LockAvailable(_) | ExprKind::HasLock(_) | ExprKind::WasNotified(_) => todo.push(id),
            ExprKind::Call(callee, _) => callers[callee.index()].push(id),
            _ => {}
        });
    }
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut dependent[id.index()], true) {
            todo.extend(&callers[id.index()]);
        }
    }
    dependent
}

/// Calls `see` for an expression and all of its parts, including the conditions of quantifiers.
fn visit(program: &Program, expr: &Expr, see: &mut impl FnMut(&Expr)) {
    see(expr);
    for operand in expr.operands() {
        visit(program, operand, see);
    }
    if let ExprKind::Quantified { fun, .. } = expr.kind {
        visit(program, &program.funs[fun].body, see);
    }
}

/// The threads of the initial state.
fn activate(model: &mut Model<'_>) {
    let system = model.system;
    let mut main: Option<&ast::Procedure<'_>> = None;
    let mut any = false;
    for (index, item) in system.procedures.iter().enumerate() {
        let ast::ProcedureKind::Thread { active: Some(active) } = &item.kind else { continue };
        any = true;
        let id = ProcedureId::from_index(index);
        model.used.insert(Symbol::Procedure(id));
        if !item.params.is_empty() {
            let message = format!("the active thread `{}` has parameters", clip(item.name.text));
            model.report(
                Diagnostic::error(codes::BAD_ACTIVE, message)
                    .at(item.params[0].name.span, "nobody gives it a value")
                    .label(active.span, "the thread is active from the beginning"),
            );
        }
        if active.main {
            if let Some(first) = main {
                model.report(
                    Diagnostic::error(codes::BAD_ACTIVE, "there are two main threads")
                        .at(item.name.span, "the second one")
                        .label(first.name.span, "the first one")
                        .help("threads that are there from the beginning can also be `active`"),
                );
            } else {
                main = Some(item);
            }
        }
        let count = match &active.count {
            None => Some(1),
            Some(count) => model.constant_int(count).filter(|number| {
                let fits = (0..=MAX_ACTIVE).contains(number);
                if !fits {
                    model.report(
                        Diagnostic::error(codes::BAD_ACTIVE, "this number of threads is not possible")
                            .at(count.span, format!("this is {number}"))
                            .note(format!("there can be 0 to {MAX_ACTIVE}")),
                    );
                }
                fits
            }),
        };
        model.program.active.extend((0..count.unwrap_or(0)).map(|_| id));
    }
    if !any {
        let diagnostic = Diagnostic::error(codes::NO_THREAD, "no thread is active: nothing would happen")
            .at(system.name.span, "in this system")
            .help("declare a thread as `active thread` or `main thread`");
        model.report(diagnostic);
    }
}
