//! Actions and places.

use ir::{Action, ActionKind, Callee, Expr, ExprKind, Id, LocalId, New, Place, PlaceKind, Type};
use source::{Diagnostic, Span};

use super::collections::is_open;
use super::exprs::{Exprs, Why};
use crate::ast::{self, MonitorOp, StmtKind};
use crate::codes;
use crate::resolve::{Outcome, Signature, Symbol};
use crate::text::clip;

impl<'s> Exprs<'_, 's> {
    /// Lowers a simple statement. `skip` has no action.
    pub fn action(&mut self, stmt: &ast::Stmt<'s>) -> Option<Vec<Action>> {
        let kind = match &stmt.kind {
            StmtKind::Skip => return Some(Vec::new()),
            StmtKind::Assign { place, value } => self.assign(place, value)?,
            StmtKind::Change(operation) => self.change(operation)?,
            StmtKind::Assert(test) => {
                self.may_name_elements = true;
                let test = self.condition(test, "an assertion");
                self.may_name_elements = false;
                ActionKind::Assert(test?)
            }
            StmtKind::Assume(test) => ActionKind::Assume(self.condition(test, "an assumption")?),
            StmtKind::Monitor(op, lock) => {
                let lock = self.lock(*op, lock)?;
                match op {
                    MonitorOp::Lock => ActionKind::Lock(lock),
                    MonitorOp::Unlock => ActionKind::Unlock(lock),
                    MonitorOp::Wait => ActionKind::Wait(lock),
                    MonitorOp::Unwait => ActionKind::Unwait(lock),
                    MonitorOp::Notify => ActionKind::Notify(lock),
                    MonitorOp::NotifyAll => ActionKind::NotifyAll(lock),
                }
            }
            StmtKind::Throw(exception) => ActionKind::Throw(self.exception(exception)?),
            StmtKind::Start { place, thread, args } => self.start(place.as_ref(), *thread, args)?,
            StmtKind::Exit => ActionKind::Exit,
            _ => return None,
        };
        Some(vec![Action { kind, span: stmt.span }])
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

    fn assign(&mut self, place: &ast::Expr<'s>, value: &ast::Expr<'s>) -> Option<ActionKind> {
        let target = self.place(place);
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
        let why = self.reason(&target);
        let value = self.value(value, target.ty, why)?;
        Some(ActionKind::Assign(target, value))
    }

    fn assign_new(&mut self, target: Option<Place>, new: &ast::New<'s>, span: Span) -> Option<ActionKind> {
        let created = self.model.resolve_type(&new.ty);
        let length = new.length.as_ref().map(|length| self.integer(length, "the length of an array"));
        let (target, created) = (target?, created?);
        let (new, ty) = match (length, self.model.ty(created)) {
            (Some(length), _) => (New::Array { element: created, length: length? }, Type::Array(created)),
            (None, Type::Record(record)) => (New::Record(record), Type::Record(record)),
            (None, Type::Lock) => (New::Lock, Type::Lock),
            (None, _) => {
                let name = self.type_name(created);
                self.report(
                    Diagnostic::error(codes::WRONG_KIND, format!("`{name}` is no record"))
                        .at(new.ty.span, "only records, locks and arrays can be allocated"),
                );
                return None;
            }
        };
        let ty = self.model.intern(ty);
        if !self.model.admits(self.model.ty(target.ty), self.model.ty(ty)) {
            let why = self.reason(&target);
            let value = Expr { kind: ExprKind::Const(ir::Const::Null), ty, span };
            self.mismatch(&value, target.ty, why);
            return None;
        }
        Some(ActionKind::New(target, new))
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
            PlaceKind::Index(..) | PlaceKind::Element(..) => Why::Element(place.span),
        }
    }

    pub fn place(&mut self, expr: &ast::Expr<'s>) -> Option<Place> {
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
            ast::ExprKind::Index(base, index) => {
                let (base, index, ty) = self.element_of(base, index)?;
                Some(Place { kind: PlaceKind::Index(base, index), ty, span })
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
            self.used.insert(local.index);
            return Some(Place { kind: PlaceKind::Local(LocalId(local.index)), ty: local.ty?, span });
        }
        if let Some(Symbol::Global(id)) = self.model.symbol(name.text) {
            self.use_symbol(Symbol::Global(id));
            let ty = self.model.global_types[id.index()]?;
            return Some(Place { kind: PlaceKind::Global(id), ty, span });
        }
        self.unknown_variable(name, false);
        None
    }

    fn start(
        &mut self,
        place: Option<&ast::Expr<'s>>,
        thread: ast::Name<'s>,
        args: &[ast::Expr<'s>],
    ) -> Option<ActionKind> {
        let result = place.map(|place| self.place(place));
        let id = match self.model.symbol(thread.text) {
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
        let result = match result {
            None => None,
            Some(place) => {
                let place = place?;
                if !self.model.admits(self.model.ty(place.ty), Type::Tid) {
                    let found = self.type_name(place.ty);
                    self.report(
                        Diagnostic::error(codes::MISMATCH, "`start` gives a `tid`")
                            .at(place.span, format!("this is of type `{found}`")),
                    );
                    return None;
                }
                Some(place)
            }
        };
        Some(ActionKind::Start { result, procedure: id, args, priority: None })
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
