//! Actions and places.

use ir::{Action, ActionKind, Callee, Expr, ExprKind, Id, LocalId, Place, PlaceKind, Type};
use source::{Diagnostic, Span};

use super::collections::is_open;
use super::exprs::{Exprs, Local, Why};
use super::targets::Target;
use crate::ast::{self, MonitorOp, StmtKind};
use crate::codes;
use crate::resolve::{Outcome, Signature, Symbol};
use crate::text::clip;

impl<'s> Exprs<'_, 's> {
    /// Lowers a simple statement. `skip` has no action.
    pub fn action(&mut self, stmt: &ast::Stmt<'s>) -> Option<Vec<Action>> {
        let kinds = match &stmt.kind {
            StmtKind::Skip => return Some(Vec::new()),
            StmtKind::Assert(test, message) => {
                self.may_name_elements = true;
                let test = self.condition(test, "an assertion");
                self.may_name_elements = false;
                let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
                vec![ActionKind::Assert(test?, message.as_ref().map(words))]
            }
            StmtKind::Assume(test) => vec![ActionKind::Assume(self.condition(test, "an assumption")?)],
            StmtKind::Monitor(op, lock) => {
                let lock = self.lock(*op, lock)?;
                vec![match op {
                    MonitorOp::Lock => ActionKind::Lock(lock),
                    MonitorOp::Unlock => ActionKind::Unlock(lock),
                    MonitorOp::Wait => ActionKind::Wait(lock),
                    MonitorOp::Unwait => ActionKind::Unwait(lock),
                    MonitorOp::Notify => ActionKind::Notify(lock),
                    MonitorOp::NotifyAll => ActionKind::NotifyAll(lock),
                }]
            }
            StmtKind::Exit => vec![ActionKind::Exit],
            _ => {
                let (mut made, kinds) = self.with_objects(|exprs| exprs.effects(stmt))?;
                made.extend(kinds.into_iter().map(|kind| Action { kind, span: stmt.span }));
                return Some(made);
            }
        };
        Some(kinds.into_iter().map(|kind| Action { kind, span: stmt.span }).collect())
    }

    /// Lowers a simple statement in which `new` may be a part of expressions.
    fn effects(&mut self, stmt: &ast::Stmt<'s>) -> Option<Vec<ActionKind>> {
        match &stmt.kind {
            StmtKind::Assign { place, value } => self.assign(place, value),
            StmtKind::Change(operation) => self.change(operation).map(|change| vec![change]),
            StmtKind::Delete(object) => Some(vec![ActionKind::Delete(self.object(object)?)]),
            StmtKind::Throw(exception) => Some(vec![ActionKind::Throw(self.exception(exception)?)]),
            StmtKind::Start { place, thread, args } => self.start(place.as_ref(), *thread, args),
            _ => None,
        }
    }

    pub fn lock(&mut self, op: MonitorOp, lock: &ast::Expr<'s>) -> Option<Expr> {
        let word = match op {
            MonitorOp::Lock => "lock",
            MonitorOp::Unlock => "unlock",
            MonitorOp::Wait => "wait",
            MonitorOp::Unwait => "unwait",
            MonitorOp::Notify => "notify",
            MonitorOp::NotifyAll => "notifyAll",
        };
        self.of_type(lock, Type::Lock, &format!("`{word}` needs"))
    }

    fn exception(&mut self, exception: &ast::Expr<'s>) -> Option<Expr> {
        let value = self.expr(exception)?;
        let throwable = match self.ty(&value) {
            Type::Null => true,
            Type::Record(record) => self.model.program.records[record].throwable,
            _ => false,
        };
        if !throwable {
            let found = self.type_name(value.ty);
            self.report(
                Diagnostic::error(
                    codes::NOT_THROWABLE,
                    format!("a value of type `{found}` cannot be thrown"),
                )
                .at(value.span, "not throwable")
                .help("only records that are declared `throwable record` can be thrown"),
            );
            return None;
        }
        Some(value)
    }

    /// What is deleted.
    fn object(&mut self, object: &ast::Expr<'s>) -> Option<Expr> {
        let value = self.expr(object)?;
        let ty = self.ty(&value);
        if !ty.is_reference() && ty != Type::Null {
            let found = self.type_name(value.ty);
            self.report(
                Diagnostic::error(
                    codes::NOT_DELETABLE,
                    format!("a value of type `{found}` cannot be deleted"),
                )
                .at(value.span, "not an object")
                .help("objects are what `new` makes: records, arrays and locks"),
            );
            return None;
        }
        Some(value)
    }

    fn assign(&mut self, place: &ast::Expr<'s>, value: &ast::Expr<'s>) -> Option<Vec<ActionKind>> {
        let target = self.target(place);
        if let ast::ExprKind::New(new) = &value.kind {
            return self.assign_new(target, new, value.span);
        }
        if let ast::ExprKind::Operation(operation) = &value.kind
            && operation.name.text == "choose"
        {
            return self.assign_choice(target, operation, value.span);
        }
        let Some(target) = target else {
            // The type of the new collection is unknown.
            if !is_open(value) {
                self.expr(value);
            }
            return None;
        };
        let why = self.why(&target);
        let value = self.value(value, target.ty, why)?;
        Some(vec![target.assign(value)])
    }

    fn assign_new(
        &mut self,
        target: Option<Target>,
        new: &ast::New<'s>,
        span: Span,
    ) -> Option<Vec<ActionKind>> {
        let created = self.creation(new);
        let (target, (made, ty)) = (target?, created?);
        if !self.model.admits(self.model.ty(target.ty), self.model.ty(ty)) {
            let why = self.why(&target);
            let value = Expr { kind: ExprKind::Const(ir::Const::Null), ty, span };
            self.mismatch(&value, target.ty, why);
            return None;
        }
        Some(self.store(target, |exprs, place| exprs.made_at(place, made, span)))
    }

    /// The reason for the type of a place.
    pub(super) fn reason(&self, place: &Place) -> Why<'static> {
        match &place.kind {
            PlaceKind::Global(id) => Why::Declared(self.model.program.globals[*id].span),
            PlaceKind::Local(id) => {
                let mut locals = self.locals.values();
                let declared = locals.find(|local| local.index == id.0);
                Why::Declared(declared.map_or(place.span, |local| local.span))
            }
            PlaceKind::Field(_, field) => Why::Declared(self.model.program.fields[*field].span),
            PlaceKind::Index(..) | PlaceKind::Through(_) | PlaceKind::Element(..) => Why::Element(place.span),
        }
    }

    /// A place. An element of a collection is none, since it would have to be put back.
    pub fn place(&mut self, expr: &ast::Expr<'s>) -> Option<Place> {
        let target = self.target(expr)?;
        let place = target.place();
        if place.is_none() {
            self.report(
                Diagnostic::error(codes::NOT_A_PLACE, "this cannot be assigned to")
                    .at(expr.span, "this is an element of a collection")
                    .help("assign to a variable first, and then the variable to the element"),
            );
        }
        place
    }

    /// A place that is not an element.
    pub(super) fn place_here(&mut self, expr: &ast::Expr<'s>) -> Option<Place> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Name(name) => self.variable(ast::Name { text: name, span }),
            ast::ExprKind::Member(base, member) => {
                if let ast::ExprKind::Name(name) = base.kind
                    && !self.locals.contains_key(name)
                    && let Some(Symbol::Consts(_) | Symbol::Enum(_)) = self.model.symbol(name)
                {
                    // Reports names that do not exist.
                    self.expr(expr)?;
                    return self.no_place(span, "this is a constant");
                }
                let base = self.expr(base)?;
                if matches!(self.ty(&base), Type::Array(_)) && member.text == "length" {
                    return self.no_place(span, "the length of an array never changes");
                }
                let field = self.field(&base, *member)?;
                let ty = self.model.program.fields[field].ty;
                Some(Place { kind: PlaceKind::Field(base, field), ty, span })
            }
            ast::ExprKind::Error => None,
            _ => {
                self.expr(expr);
                self.no_place(span, "this is a value")
            }
        }
    }

    fn no_place(&mut self, span: Span, label: &str) -> Option<Place> {
        self.report(
            Diagnostic::error(codes::NOT_A_PLACE, "this cannot be assigned to")
                .at(span, label)
                .note("variables, fields and elements of arrays can be assigned to"),
        );
        None
    }

    fn variable(&mut self, name: ast::Name<'s>) -> Option<Place> {
        let span = name.span;
        if let Some(&local) = self.locals.get(name.text) {
            self.model.index.mention(span, local.span);
            if local.fixed {
                return self.fixed_variable(local, name);
            }
            self.used.insert(local.index);
            return Some(Place { kind: PlaceKind::Local(LocalId(local.index)), ty: local.ty?, span });
        }
        if let Some(Symbol::Global(id)) = self.model.symbol_at(name) {
            self.use_symbol(Symbol::Global(id));
            let ty = self.model.global_types[id.index()]?;
            return Some(Place { kind: PlaceKind::Global(id), ty, span });
        }
        self.unknown_variable(name, false);
        None
    }

    /// Reports an assignment to the variable of a loop or quantifier.
    fn fixed_variable(&mut self, local: Local, name: ast::Name<'s>) -> Option<Place> {
        self.report(
            Diagnostic::error(codes::NOT_A_PLACE, "the variable of a loop cannot be assigned to")
                .at(name.span, "only the loop changes it")
                .label(local.span, format!("`{}` is declared here", clip(name.text)))
                .help("leave the loop with `break;`, or use `while` and a variable of your own"),
        );
        None
    }

    fn start(
        &mut self,
        place: Option<&ast::Expr<'s>>,
        thread: ast::Name<'s>,
        args: &[ast::Expr<'s>],
    ) -> Option<Vec<ActionKind>> {
        let result = place.map(|place| (place.span, self.target(place)));
        let id = match self.model.symbol_at(thread) {
            Some(Symbol::Procedure(id)) if self.model.is_thread(id) => id,
            _ => {
                for arg in args {
                    self.expr(arg);
                }
                self.model.wrong_name(
                    thread,
                    codes::UNKNOWN_PROCEDURE,
                    "a thread",
                    |model, symbol| matches!(symbol, Symbol::Procedure(id) if model.is_thread(id)),
                );
                return None;
            }
        };
        self.use_symbol(Symbol::Procedure(id));
        let signature = self.model.signatures[id.index()].clone();
        let declared = self.model.system.procedures[id.index()].name.span;
        let args = self.arguments(thread, args, &signature, declared, 0)?;
        let start = |result| ActionKind::Start { result, procedure: id, args, priority: None };
        let Some((span, target)) = result else { return Some(vec![start(None)]) };
        let target = target?;
        if !self.model.admits(self.model.ty(target.ty), Type::Tid) {
            let found = self.type_name(target.ty);
            self.report(
                Diagnostic::error(codes::MISMATCH, "`start` gives a `tid`")
                    .at(span, format!("this is of type `{found}`")),
            );
            return None;
        }
        Some(self.store(target, |_, place| vec![start(Some(place))]))
    }

    /// A call: callee, arguments, and the place of the result.
    pub fn invoke(&mut self, invoke: &ast::Invoke<'s>) -> Option<(Callee, Vec<Expr>, Option<Place>)> {
        let place = invoke.place.as_ref().map(|place| self.place(place));
        let Some((callee, signature, declared)) = self.callee(invoke) else {
            for arg in &invoke.args {
                self.expr(arg);
            }
            return None;
        };
        let args =
            self.arguments(invoke.callee, &invoke.args, &signature, declared, usize::from(invoke.dispatch))?;
        if let Callee::Virtual(table) = callee {
            self.check_receiver(invoke, table, &args[0])?;
        }
        let place = match place {
            None => None,
            Some(place) => Some(self.check_result(invoke, place?, signature.result, declared)?),
        };
        Some((callee, args, place))
    }

    fn callee(&mut self, invoke: &ast::Invoke<'s>) -> Option<(Callee, Signature, Span)> {
        let name = invoke.callee;
        let declared = self.model.names.get(name.text).copied();
        self.model.mention(name);
        match declared.map(|declared| (declared.symbol, declared.span)) {
            Some((Symbol::Procedure(id), span)) if !invoke.dispatch && !self.model.is_thread(id) => {
                self.use_symbol(Symbol::Procedure(id));
                Some((Callee::Static(id), self.model.signatures[id.index()].clone(), span))
            }
            Some((Symbol::Virtual(id), span)) if invoke.dispatch => {
                self.use_symbol(Symbol::Virtual(id));
                let signature = self.model.virtual_signatures[id.index()].clone()?;
                Some((Callee::Virtual(id), signature, span))
            }
            Some((symbol, span)) => {
                self.wrong_callee(invoke, symbol, span);
                None
            }
            None => {
                let dispatch = invoke.dispatch;
                let wanted = if dispatch { "a table of functions" } else { "a function" };
                self.model.wrong_name(name, codes::UNKNOWN_PROCEDURE, wanted, |model, symbol| match symbol {
                    Symbol::Procedure(id) => !dispatch && !model.is_thread(id),
                    Symbol::Virtual(_) => dispatch,
                    _ => false,
                });
                None
            }
        }
    }

    fn wrong_callee(&mut self, invoke: &ast::Invoke<'s>, symbol: Symbol, declared: Span) {
        let wanted = if invoke.dispatch { "a table of functions" } else { "a function" };
        let (kind, shown) = (self.model.kind_of(symbol), clip(invoke.callee.text));
        let mut diagnostic =
            Diagnostic::error(codes::WRONG_KIND, format!("`{shown}` is {kind}, not {wanted}"))
                .at(invoke.callee.span, format!("expected {wanted}"))
                .label(declared, format!("`{shown}` is declared here"));
        let help = match symbol {
            Symbol::Procedure(id) if self.model.is_thread(id) => "threads are started with `start`",
            Symbol::Procedure(_) => "without dispatch a function is called with `invoke`",
            Symbol::Virtual(_) => "tables are called with `invoke virtual`",
            Symbol::Fun(_) => "pure functions are called in expressions, without `invoke`",
            _ => "",
        };
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }

    /// The receiver of a virtual call has to be a record that can be in the table.
    fn check_receiver(
        &mut self,
        invoke: &ast::Invoke<'s>,
        table: ir::VirtualId,
        receiver: &Expr,
    ) -> Option<()> {
        let Type::Record(record) = self.ty(receiver) else {
            let found = self.type_name(receiver.ty);
            self.report(
                Diagnostic::error(codes::MISMATCH, "a virtual call is dispatched on a record")
                    .at(receiver.span, format!("expected a record, found `{found}`")),
            );
            return None;
        };
        let program = &self.model.program;
        let mut targets = program.virtuals[table].targets.iter();
        if targets.any(|&(target, _)| program.records[target].descends_from(record)) {
            return Some(());
        }
        let (name, found) = (clip(invoke.callee.text), self.type_name(receiver.ty));
        self.report(
            Diagnostic::error(codes::MISMATCH, format!("`{name}` has no function for a `{found}`"))
                .at(receiver.span, format!("of type `{found}`"))
                .label(self.model.program.virtuals[table].span, "the table is declared here"),
        );
        None
    }

    fn check_result(
        &mut self,
        invoke: &ast::Invoke<'s>,
        place: Place,
        result: Outcome,
        declared: Span,
    ) -> Option<Place> {
        let ty = match result {
            Outcome::Value(ty) => ty,
            Outcome::Unknown => return None,
            Outcome::Nothing => {
                let name = clip(invoke.callee.text);
                self.report(
                    Diagnostic::error(codes::MISMATCH, format!("`{name}` has no result"))
                        .at(place.span, "there is nothing to be assigned")
                        .label(declared, "declared here without `returns`"),
                );
                return None;
            }
        };
        if !self.model.admits(self.model.ty(place.ty), self.model.ty(ty)) {
            let (wanted, found) = (self.type_name(place.ty), self.type_name(ty));
            let name = clip(invoke.callee.text);
            self.report(
                Diagnostic::error(codes::MISMATCH, "the result does not fit its place")
                    .at(place.span, format!("this is of type `{wanted}`"))
                    .label(declared, format!("`{name}` returns `{found}`")),
            );
            return None;
        }
        Some(place)
    }
}
