//! Bodies that are made of statements.
//!
//! Each statement is a location, with a transition that executes it and leads to the next one: so statements
//! interleave. A test is a transition of its own.
//!
//! | statement | its location has |
//! |---|---|
//! | simple | one transition, with the action |
//! | `while e` | `when e` into the body, `when !e` past it; the body leads back to the location |
//! | `if e …` | `when e` into the block, `when !e` to the location of the next test |
//! | `for x in e …` | the first element into the body, or past it; a second location has the next one |
//! | `break`, `continue` | a jump past the loop, or to where it goes on |
//! | `when e` | one transition, with the guard |
//! | `choose` | a transition into each block, with its guard; `else` for the last one |
//! | `wait(l)` | `wait`, to a second location that has `unwait` |
//! | `atomic`, `try` | what their first statement has |
//!
//! Inside `atomic` all locations are atomic but the first, where the block can be waited for. A loop at the
//! start of such a block returns to an atomic copy of its location.

use ir::{
    Action, ActionKind, Catch, Const, Exit, Expr, ExprKind, Guard, Jump, LocalId, LocationId, LocationKind,
    Place, PlaceKind, Type, Variable,
};
use source::{Diagnostic, NameKind, Span};

use super::Merge;
use super::exprs::Local;
use super::flow::Flow;
use super::graph::NOWHERE;
use super::procedure::Lowering;
use crate::ast::{self, Block, MonitorOp, Stmt, StmtKind};
use crate::codes;
use crate::resolve::Outcome;
use crate::text::clip;

impl<'s> Lowering<'_, 's> {
    pub(super) fn body(&mut self, block: &'s Block<'s>) -> Option<LocationId> {
        let mut flow = Flow::default();
        let completes = flow.block(block);
        for warning in flow.warnings() {
            self.exprs.report(warning);
        }
        if completes && self.result != Outcome::Nothing {
            let name = clip(self.item.name.text);
            self.exprs.report(
                Diagnostic::error(codes::MISSING_RETURN, format!("`{name}` can end without its result"))
                    .at(self.item.end, "there is no `return` before this")
                    .label(self.item.name.span, "declared here with a result"),
            );
        }
        // If the end is unreachable, jumps to it are unreachable too.
        let end = if self.result == Outcome::Nothing { Jump::Return(None) } else { Jump::Goto(NOWHERE) };
        let entry = self.new_location(block.first().map_or(self.item.end, |stmt| stmt.span));
        if block.is_empty() {
            self.graph.branch(entry, Guard::Always, end, self.item.end);
        } else {
            self.block(block, entry, &end);
        }
        if self.exprs.model.diagnostics.has_errors() {
            return None;
        }
        self.set_live();
        if self.merge == Merge::Straight {
            self.graph.merge(entry);
        }
        self.graph = std::mem::take(&mut self.graph).prune(entry);
        Some(entry)
    }

    pub(super) fn new_location(&mut self, span: Span) -> LocationId {
        self.graph.location(self.id, self.atomic, span)
    }

    /// Lowers statements that start at `entry` and continue with `end`.
    fn block(&mut self, block: &'s Block<'s>, entry: LocationId, end: &Jump) {
        let mut here = entry;
        for (index, stmt) in block.iter().enumerate() {
            if self.exprs.model.has_enough() {
                return;
            }
            match block.get(index + 1) {
                Some(next) => {
                    let next = self.new_location(next.span);
                    self.stmt(stmt, here, &Jump::Goto(next));
                    here = next;
                }
                None => self.stmt(stmt, here, end),
            }
        }
    }

    /// Lowers a block at a location of its own.
    pub(super) fn inner_block(&mut self, block: &'s Block<'s>, end: &Jump) -> LocationId {
        let entry = self.new_location(block.first().map_or(self.item.end, |stmt| stmt.span));
        self.block(block, entry, end);
        entry
    }

    fn stmt(&mut self, stmt: &'s Stmt<'s>, here: LocationId, next: &Jump) {
        let span = stmt.span;
        if let Some(label) = stmt.label {
            self.label_location(here, label);
        }
        match &stmt.kind {
            StmtKind::Atomic(body) => {
                let outer = std::mem::replace(&mut self.atomic, true);
                self.block(body, here, next);
                self.atomic = outer;
            }
            StmtKind::While { test, body } => self.while_loop(test, body, here, next, span),
            StmtKind::For(item) => self.for_loop(item, here, next, span),
            StmtKind::Break | StmtKind::Continue => self.leave(stmt, here),
            StmtKind::When(guard) => {
                if let Some(guard) = self.exprs.condition(guard, "what is waited for") {
                    self.graph.branch(here, Guard::When(guard), next.clone(), span);
                }
            }
            StmtKind::If { arms, otherwise } => self.conditional(arms, otherwise.as_ref(), here, next),
            StmtKind::Choose { branches, otherwise } => {
                self.choose(branches, otherwise.as_ref(), here, next, span);
            }
            StmtKind::Try { body, handlers } => self.try_block(body, handlers, here, next),
            StmtKind::Return(value) => {
                if let Some((made, jump)) = self.return_jump(value.as_ref(), span) {
                    self.graph.step(here, made, Exit::Jump(jump), span);
                }
            }
            StmtKind::Invoke(invoke) => {
                if let Some((made, exit)) = self.call(invoke, here, next.clone()) {
                    self.graph.step(here, made, exit, span);
                }
            }
            StmtKind::Monitor(MonitorOp::Wait, lock) => self.wait(lock, here, next, span),
            StmtKind::Throw(_) | StmtKind::Exit => {
                if let Some(body) = self.exprs.action(stmt) {
                    self.graph.step(here, body, Exit::Jump(Jump::Goto(NOWHERE)), span);
                }
            }
            _ => {
                if let Some(body) = self.exprs.action(stmt) {
                    self.graph.step(here, body, Exit::Jump(next.clone()), span);
                }
            }
        }
    }

    /// Gives a location the name that its statement has.
    fn label_location(&mut self, here: LocationId, label: ast::Label<'s>) {
        let name = label.name;
        let shown = clip(name.text);
        if let Some(&first) = self.labels.get(name.text) {
            self.exprs.model.duplicate(name.text, name.span, first);
            return;
        }
        self.labels.insert(name.text, name.span);
        self.exprs.define_label(name);
        let location = &mut self.graph.locations[here];
        if location.atomic {
            self.exprs.report(
                Diagnostic::error(codes::HIDDEN_LABEL, format!("no state is at `{shown}`"))
                    .at(name.span, "this is in the middle of an atomic block")
                    .note("an atomic block is passed as one step, and properties see no state inside of it")
                    .help("put the label before `atomic`, or end the block before the label"),
            );
            return;
        }
        if !location.synthetic {
            let first = self.labels.get(location.name.as_str()).copied().unwrap_or(name.span);
            self.exprs.report(
                Diagnostic::error(codes::DUPLICATE, "this place has two labels")
                    .at(name.span, "the second label")
                    .label(first, "the first label"),
            );
            return;
        }
        name.text.clone_into(&mut location.name);
        location.synthetic = false;
        location.end = label.end;
    }

    /// Adds the two outcomes of a test.
    pub(super) fn test(&mut self, here: LocationId, test: Expr, then: Jump, otherwise: Jump) {
        let span = test.span;
        let negated = self.exprs.not(test.clone(), span);
        self.graph.branch(here, Guard::When(test), then, span);
        self.graph.branch(here, Guard::When(negated), otherwise, span);
    }

    fn conditional(
        &mut self,
        arms: &'s [(ast::Expr<'s>, Block<'s>)],
        otherwise: Option<&'s Block<'s>>,
        here: LocationId,
        next: &Jump,
    ) {
        let mut here = here;
        for (index, (test, body)) in arms.iter().enumerate() {
            let lowered = self.exprs.condition(test, "the condition of `if`");
            let inside = self.inner_block(body, next);
            let mut following = None;
            let outside = match (arms.get(index + 1), otherwise) {
                (Some((test, _)), _) => {
                    let location = self.new_location(test.span);
                    following = Some(location);
                    Jump::Goto(location)
                }
                (None, Some(block)) => Jump::Goto(self.inner_block(block, next)),
                (None, None) => next.clone(),
            };
            if let Some(lowered) = lowered {
                self.test(here, lowered, Jump::Goto(inside), outside);
            }
            here = following.unwrap_or(here);
        }
    }

    fn choose(
        &mut self,
        branches: &'s [ast::Branch<'s>],
        otherwise: Option<&'s Block<'s>>,
        here: LocationId,
        next: &Jump,
        span: Span,
    ) {
        for branch in branches {
            let guard = match &branch.guard {
                None => Some(Guard::Always),
                Some(guard) => self.exprs.condition(guard, "a guard").map(Guard::When),
            };
            let inside = self.inner_block(&branch.body, next);
            if let Some(guard) = guard {
                self.graph.branch(here, guard, Jump::Goto(inside), branch.span);
            }
        }
        if let Some(block) = otherwise {
            let inside = self.inner_block(block, next);
            self.graph.branch(here, Guard::Else, Jump::Goto(inside), span);
        }
    }

    fn try_block(
        &mut self,
        body: &'s Block<'s>,
        handlers: &'s [ast::Handler<'s>],
        here: LocationId,
        next: &Jump,
    ) {
        let first = self.graph.locations.len();
        self.block(body, here, next);
        let mut covers = vec![here];
        covers.extend(self.graph.locations.ids().skip(first));
        covers.retain(|&id| self.graph.locations[id].kind == LocationKind::Plain);
        let mut entries = Vec::new();
        for handler in handlers {
            let entry = self.new_location(handler.body.first().map_or(handler.span, |stmt| stmt.span));
            let record = self.caught_record(handler.record);
            let (variable, hidden) = self.catch_variable(handler, record);
            if let (Some(record), Some(variable)) = (record, variable) {
                self.graph.catches.push(Catch {
                    record,
                    variable,
                    covers: covers.clone(),
                    handler: entry,
                    span: handler.span,
                });
            }
            entries.push((entry, handler, hidden));
        }
        // The blocks come after the catches, so that catches of a `try` inside them come later as well;
        // they cover other locations.
        for (entry, handler, scope) in entries {
            let shadowed = scope
                .map(|local| (handler.variable.text, self.exprs.locals.insert(handler.variable.text, local)));
            self.block(&handler.body, entry, next);
            if let Some((name, shadowed)) = shadowed {
                match shadowed {
                    Some(local) => self.exprs.locals.insert(name, local),
                    None => self.exprs.locals.remove(name),
                };
            }
        }
    }

    /// The variable of a handler: a declared local, or one that is known in the handler only.
    fn catch_variable(
        &mut self,
        handler: &ast::Handler<'s>,
        record: Option<ir::RecordId>,
    ) -> (Option<LocalId>, Option<Local>) {
        let name = handler.variable;
        if let Some(&local) = self.exprs.locals.get(name.text) {
            self.exprs.used.insert(local.index);
            self.exprs.model.index.mention(name.span, local.span);
            let fits = record.and_then(|record| self.check_catch_variable(record, name));
            return (fits.map(|()| LocalId(local.index)), None);
        }
        let ty = record.map(|record| self.exprs.model.intern(Type::Record(record)));
        self.exprs.define(name, NameKind::Bound, ty, handler.extent);
        let written = |variable: &Variable| variable.name == name.text && Some(variable.ty) == ty;
        let known = self.exprs.variables.iter().find(|(_, variable)| written(variable)).map(|(id, _)| id);
        let id = known.unwrap_or_else(|| {
            let ty = ty.unwrap_or_else(|| self.exprs.model.intern(Type::Bool));
            self.exprs.variables.push(Variable::new(name.text, ty, None, name.span))
        });
        self.exprs.used.insert(id.0);
        (Some(id), Some(Local { index: id.0, level: 0, ty, fixed: false, span: name.span }))
    }

    /// Waits in two steps. The lock is evaluated once: the place it was read from may change in between.
    fn wait(&mut self, lock: &ast::Expr<'s>, here: LocationId, next: &Jump, span: Span) {
        let Some(lock) = self.exprs.lock(MonitorOp::Wait, lock) else { return };
        let woken = self.new_location(span);
        // A thread that may stay at the statement may stay while it waits.
        self.graph.locations[woken].end = self.graph.locations[here].end;
        let action = |kind| Action { kind, span };
        if matches!(lock.kind, ExprKind::Local(_)) {
            let body = vec![action(ActionKind::Wait(lock.clone()))];
            self.graph.step(here, body, Exit::Jump(Jump::Goto(woken)), span);
            let body = vec![action(ActionKind::Unwait(lock))];
            self.graph.step(woken, body, Exit::Jump(next.clone()), span);
            return;
        }
        let ty = self.exprs.model.intern(Type::Lock);
        let variable = *self.waited.get_or_insert_with(|| {
            self.exprs.variables.push(Variable { synthetic: true, ..Variable::new("waited", ty, None, span) })
        });
        let place = Place { kind: PlaceKind::Local(variable), ty, span };
        let waited = Expr { kind: ExprKind::Local(variable), ty, span };
        let null = self.exprs.make(ExprKind::Const(Const::Null), Type::Null, span);
        let body =
            vec![action(ActionKind::Assign(place.clone(), lock)), action(ActionKind::Wait(waited.clone()))];
        self.graph.step(here, body, Exit::Jump(Jump::Goto(woken)), span);
        // A remembered lock that is no longer needed would make equal states differ.
        let body = vec![action(ActionKind::Unwait(waited)), action(ActionKind::Assign(place, null))];
        self.graph.step(woken, body, Exit::Jump(next.clone()), span);
    }
}
