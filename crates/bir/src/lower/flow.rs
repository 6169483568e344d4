//! Which statements can be reached, and whether a body can end without `return`.
//!
//! Conditions are not evaluated, except that `while true` never ends by its condition.

use source::{Diagnostic, Span};

use crate::ast::{Block, Expr, ExprKind, Stmt, StmtKind};
use crate::codes;

/// Whether a test is literally true.
pub fn is_true(test: &Expr<'_>) -> bool {
    matches!(test.kind, ExprKind::Bool(true))
}

/// The control flow of a body.
#[derive(Default)]
pub struct Flow {
    /// Statements that cannot be reached, the first one of each block.
    pub unreachable: Vec<(Span, Span)>,
    /// For each loop around the current statement, whether a `break` leaves it.
    left: Vec<bool>,
}

impl Flow {
    /// Whether control can reach the end of the block.
    pub fn block(&mut self, block: &Block<'_>) -> bool {
        let mut completes = true;
        let mut last: Option<Span> = None;
        for stmt in block {
            if !completes {
                self.unreachable.extend(last.map(|last| (stmt.span, last)));
                return false;
            }
            completes = self.stmt(stmt);
            last = Some(stmt.span);
        }
        completes
    }

    fn stmt(&mut self, stmt: &Stmt<'_>) -> bool {
        match &stmt.kind {
            StmtKind::Assign { .. }
            | StmtKind::Change(_)
            | StmtKind::Assert(..)
            | StmtKind::Assume(_)
            | StmtKind::When(_)
            | StmtKind::Monitor(..)
            | StmtKind::Start { .. }
            | StmtKind::Delete(_)
            | StmtKind::Skip
            | StmtKind::Invoke(_) => true,
            StmtKind::Throw(_) | StmtKind::Exit | StmtKind::Return(_) | StmtKind::Continue => false,
            StmtKind::Break => {
                if let Some(left) = self.left.last_mut() {
                    *left = true;
                }
                false
            }
            StmtKind::Atomic(body) => self.block(body),
            StmtKind::While { test, body } => {
                self.left.push(false);
                self.block(body);
                self.left.pop() == Some(true) || !is_true(test)
            }
            StmtKind::For(item) => {
                self.left.push(false);
                self.block(&item.body);
                self.left.pop();
                true
            }
            StmtKind::If { arms, otherwise } => {
                let mut completes = otherwise.is_none();
                for body in arms.iter().map(|(_, body)| body).chain(otherwise) {
                    completes |= self.block(body);
                }
                completes
            }
            StmtKind::Choose { branches, otherwise } => {
                let mut completes = false;
                for body in branches.iter().map(|branch| &branch.body).chain(otherwise) {
                    completes |= self.block(body);
                }
                completes
            }
            StmtKind::Try { body, handlers } => {
                let mut completes = self.block(body);
                for handler in handlers {
                    completes |= self.block(&handler.body);
                }
                completes
            }
        }
    }

    pub fn warnings(self) -> impl Iterator<Item = Diagnostic> {
        self.unreachable.into_iter().map(|(span, last)| {
            Diagnostic::warning(codes::UNREACHABLE_STATEMENT, "this statement is never reached")
                .at(span, "unreachable")
                .label(last, "control does not get past this")
        })
    }
}
