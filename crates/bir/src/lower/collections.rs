//! Operations on collections.
//!
//! A new collection has the type that is written there, or the type of the place that it is for. So types are
//! passed down: to the right side of assignments, to arguments, to the cases of `?:`, and from one side of
//! `==` to the other.

use ir::{ActionKind, BinaryOp, CollectionOp, Const, Expr, ExprKind, Fun, IntType, Scope, Type, TypeId};
use source::{Diagnostic, Span, similar};

use super::exprs::{Exprs, Why};
use super::targets::Target;
use crate::ast;
use crate::codes;
use crate::collections::{Kind, Meaning, Operation, Param};
use crate::foreign;
use crate::resolve::Symbol;
use crate::text::{clip, count};

impl<'s> Exprs<'_, 's> {
    /// An operation. `expected` is the type of the place that it is for.
    pub(super) fn operation(
        &mut self,
        item: &ast::Operation<'s>,
        span: Span,
        expected: Option<TypeId>,
    ) -> Option<Expr> {
        let (kind, operation, this) = self.operation_named(item)?;
        match operation.meaning {
            Meaning::Choose => {
                let name = kind.name();
                self.report(
                    Diagnostic::error(
                        codes::IMPURE_EXPRESSION,
                        format!("`{name}.choose` cannot be a part of an expression"),
                    )
                    .at(span, "this chooses an element")
                    .note("expressions have one value, except for `choose` as all of the right-hand side")
                    .help(format!("assign the element to a variable first: `v := {name}.choose(…);`")),
                );
                None
            }
            Meaning::Apply(CollectionOp::Create) => self.create(kind, operation, item, span, expected),
            Meaning::Apply(op) => {
                let expected = expected.filter(|_| operation.changes());
                let operands = self.operands(kind, operation, item, this, expected)?;
                let applied = ExprKind::Collection(op, operands);
                // The expression has neither variables nor parameters.
                let ty = self.model.program.natural_type(&applied, Scope::Program)?;
                Some(self.make(applied, ty, span))
            }
            Meaning::IsEmpty => {
                let mut operands = self.operands(kind, operation, item, this, None)?;
                let size = self.measure(CollectionOp::Size, operands.pop()?, span);
                let zero = self.make(ExprKind::Const(Const::Int(0)), Type::Int(IntType::INT), span);
                Some(self.equal(size, zero, span))
            }
            Meaning::IsFull => {
                let mut operands = self.operands(kind, operation, item, this, None)?;
                Some(self.is_full(operands.pop()?, span))
            }
        }
    }

    /// Finds an operation, or reports that there is none. For `s.add(x)` it returns `s`, too.
    fn operation_named(
        &mut self,
        item: &ast::Operation<'s>,
    ) -> Option<(Kind, &'static Operation, Option<Expr>)> {
        let (kind, this) = if let Some(kind) = item.extension.extension() {
            (kind, None)
        } else {
            let (kind, this) = self.receiver(item)?;
            (kind, Some(this))
        };
        let operation = kind.operation(item.name.text);
        if let Some(operation) = operation.filter(|operation| this.is_none() || !operation.creates()) {
            return Some((kind, operation, this));
        }
        let (name, wrong) = (kind.name(), clip(item.name.text));
        let message = format!("`{name}` has no operation `{wrong}`");
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_OPERATION, message).at(item.name.span, "no such operation");
        let elsewhere = Kind::ALL
            .into_iter()
            .find_map(|other| other.operation(item.name.text).map(|operation| operation.signature(other)));
        if let Some(hint) = foreign::operation_hint(item.name.text) {
            diagnostic = diagnostic.help(hint);
        } else if let Some(signature) = elsewhere {
            diagnostic = diagnostic.help(format!("there is `{signature}`"));
        } else if let Some(similar) = similar(item.name.text, kind.operations().map(|other| other.name)) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        let all: Vec<_> = kind.operations().map(|operation| format!("`{}`", operation.name)).collect();
        self.report(diagnostic.note(format!("there are {}", all.join(", "))));
        self.look_at(&item.args);
        None
    }

    /// The collection before the dot.
    fn receiver(&mut self, item: &ast::Operation<'s>) -> Option<(Kind, Expr)> {
        if let ast::ExprKind::Name(text) = item.extension.kind
            && !self.locals.contains_key(text)
        {
            let name = ast::Name { text, span: item.extension.span };
            match self.model.symbol(text) {
                Some(Symbol::Enum(_)) if item.name.text == "all" => {
                    self.report(
                        Diagnostic::error(codes::UNEXPECTED, "`all` takes no arguments")
                            .at(item.name.span, "")
                            .help(format!("the set of all elements is `{}.all`", clip(text))),
                    );
                    return None;
                }
                Some(Symbol::Global(_)) => {}
                _ => {
                    self.model.extension_named(name);
                    return None;
                }
            }
        }
        let base = self.expr(&item.extension)?;
        if let Some(kind) = Kind::of(self.ty(&base)) {
            return Some((kind, base));
        }
        let found = self.type_name(base.ty);
        let mut diagnostic =
            Diagnostic::error(codes::NO_MEMBERS, format!("a value of type `{found}` has no operations"))
                .at(item.name.span, "this is no operation")
                .label(base.span, format!("of type `{found}`"));
        if let Some(Symbol::Procedure(_)) = self.model.symbol(item.name.text) {
            let (name, receiver) = (clip(item.name.text), self.written(base.span));
            diagnostic = diagnostic
                .help(format!("functions are called with their arguments: `invoke {name}({receiver}, …);`"));
        }
        self.report(diagnostic);
        self.look_at(&item.args);
        None
    }

    /// The text at a place on one line, clipped if it is long.
    fn written(&self, span: Span) -> String {
        let words: Vec<_> = self.model.map.text(span).split_whitespace().collect();
        clip(&words.join(" "))
    }

    /// Checks surplus arguments, to report errors in them.
    fn look_at(&mut self, args: &[ast::Expr<'s>]) {
        for arg in args.iter().filter(|arg| !is_open(arg)) {
            self.expr(arg);
        }
    }

    /// The type that is written after the name of the operation. `None` where types are left out.
    fn written_type(&mut self, kind: Kind, item: &ast::Operation<'s>) -> Option<TypeId> {
        if item.types.is_empty() {
            return None;
        }
        let args: Vec<_> = item.types.iter().map(|ty| self.model.resolve_type(ty)).collect();
        let span = item.extension.span.to(item.name.span);
        let ty = self.model.collection_type(kind, item.name.text, &args, span);
        if ty.is_none() {
            self.look_at(&item.args);
        }
        Some(self.model.intern(ty?))
    }

    fn wrong_count(&mut self, kind: Kind, operation: &Operation, item: &ast::Operation<'s>, wanted: &str) {
        self.look_at(&item.args);
        let (name, found) = (format!("{}.{}", kind.name(), operation.name), item.args.len());
        self.report(
            Diagnostic::error(codes::ARGUMENT_COUNT, format!("`{name}` takes {wanted}, not {found}"))
                .at(item.name.span, format!("called with {}", count(found, "argument")))
                .help(format!("it is written `{}`", operation.signature(kind))),
        );
    }

    fn create(
        &mut self,
        kind: Kind,
        operation: &Operation,
        item: &ast::Operation<'s>,
        span: Span,
        expected: Option<TypeId>,
    ) -> Option<Expr> {
        let written = self.written_type(kind, item);
        if written.is_none() && !item.types.is_empty() {
            return None;
        }
        let (fixed, rest) = (operation.params, operation.rest);
        if item.args.len() < fixed.len() {
            let wanted = format!("at least {}", count(fixed.len(), "argument"));
            self.wrong_count(kind, operation, item, &wanted);
            return None;
        }
        if !(item.args.len() - fixed.len()).is_multiple_of(rest.len()) {
            self.wrong_count(kind, operation, item, "an even number of arguments");
            return None;
        }
        if item.literal && expected.is_none() && !item.args.is_empty() {
            return self.literal(kind, item, span);
        }
        let Some(ty) = written.or(expected.filter(|&ty| Kind::of(self.model.ty(ty)) == Some(kind))) else {
            self.unknown_elements(kind, item, span, expected);
            self.look_at(&item.args);
            return None;
        };
        let why = match item.types.first() {
            Some(first) => Why::Collection(first.span.to(item.types.last().unwrap_or(first).span)),
            None => Why::Collection(item.extension.span.to(item.name.span)),
        };
        let params = fixed.iter().chain(rest.iter().cycle());
        let operands = self.remaining(params, &item.args, self.model.ty(ty), ty, why)?;
        Some(Expr { kind: ExprKind::Collection(CollectionOp::Create, operands), ty, span })
    }

    /// A literal whose first element, or first key and value, determine its type.
    fn literal(&mut self, kind: Kind, item: &ast::Operation<'s>, span: Span) -> Option<Expr> {
        let count = kind.type_params().len();
        let (mut types, mut operands) = (Vec::new(), Vec::new());
        for (index, arg) in item.args.iter().enumerate() {
            if let Some(&ty) = types.get(index % count) {
                let first = &item.args[index % count];
                operands.push(self.value(arg, ty, Why::Collection(first.span))?);
                continue;
            }
            let value = self.expr(arg)?;
            let ty = match self.ty(&value) {
                Type::Null => {
                    self.unknown_elements(kind, item, span, None);
                    return None;
                }
                Type::Int(int) => Type::Int(int.width.whole()),
                ty => ty,
            };
            types.push(self.model.intern(ty));
            operands.push(value);
        }
        let ty = kind.applied(&types)?;
        Some(self.make(ExprKind::Collection(CollectionOp::Create, operands), ty, span))
    }

    fn unknown_elements(
        &mut self,
        kind: Kind,
        item: &ast::Operation<'s>,
        span: Span,
        expected: Option<TypeId>,
    ) {
        if let Some(expected) = expected {
            let wanted = self.type_name(expected);
            self.report(
                Diagnostic::error(codes::MISMATCH, "the types do not match")
                    .at(span, format!("expected `{wanted}`, found {}", kind.noun())),
            );
            return;
        }
        let (name, params) = (kind.name(), kind.type_params().join(", "));
        self.report(
            Diagnostic::error(codes::UNKNOWN_ELEMENTS, "nothing says what this collection is made of")
                .at(item.extension.span.to(item.name.span), "")
                .note("the types can be left out where a variable, field, parameter or result has them")
                .help(format!("write `{name}.create<{params}>(…)`")),
        );
    }

    /// The operands of an operation on an existing collection.
    fn operands(
        &mut self,
        kind: Kind,
        operation: &Operation,
        item: &ast::Operation<'s>,
        this: Option<Expr>,
        expected: Option<TypeId>,
    ) -> Option<Vec<Expr>> {
        let wanted = operation.params.len() - usize::from(this.is_some());
        if item.args.len() != wanted {
            self.wrong_count(kind, operation, item, &count(wanted, "argument"));
            return None;
        }
        let written = self.written_type(kind, item);
        if written.is_none() && !item.types.is_empty() {
            return None;
        }
        let expected = written.or(expected);
        if let Some(this) = this {
            return self.operands_after(operation, this, &item.args);
        }
        let (first, rest) = item.args.split_first()?;
        if let [Param::This, Param::Other] = operation.params {
            let (this, other) = self.pair(first, &rest[0], expected);
            let (this, other) = (this?, other?);
            self.check_kind(kind, operation, &this)?;
            self.check_written(&this, written, item)?;
            if this.ty != other.ty {
                self.mismatch(&other, this.ty, Why::Collection(this.span));
                return None;
            }
            return Some(vec![this, other]);
        }
        let this = self.expr_for(first, expected);
        let Some(this) = this.filter(|this| self.check_kind(kind, operation, this).is_some()) else {
            self.look_at(rest);
            return None;
        };
        self.check_written(&this, written, item)?;
        self.operands_after(operation, this, rest)
    }

    /// The operands of an operation whose collection is known.
    fn operands_after(
        &mut self,
        operation: &Operation,
        this: Expr,
        rest: &[ast::Expr<'s>],
    ) -> Option<Vec<Expr>> {
        let (ty, why) = (self.ty(&this), Why::Collection(this.span));
        let mut operands = self.remaining(operation.params[1..].iter(), rest, ty, this.ty, why)?;
        operands.insert(0, this);
        Some(operands)
    }

    /// Checks that the collection is of the kind of the operation.
    fn check_kind(&mut self, kind: Kind, operation: &Operation, this: &Expr) -> Option<()> {
        let found = Kind::of(self.ty(this));
        if found == Some(kind) {
            return Some(());
        }
        let (name, found_type) = (operation.name, self.type_name(this.ty));
        let mut diagnostic = Diagnostic::error(
            codes::NOT_A_COLLECTION,
            format!("`{}.{name}` needs {}", kind.name(), kind.noun()),
        )
        .at(this.span, format!("of type `{found_type}`"));
        if let Some(other) = found
            && let Some(operation) = other.operation(name)
        {
            diagnostic = diagnostic.help(format!("did you mean `{}`?", operation.signature(other)));
        }
        self.report(diagnostic);
        None
    }

    /// Checks that the collection is of the written type.
    fn check_written(
        &mut self,
        this: &Expr,
        written: Option<TypeId>,
        item: &ast::Operation<'s>,
    ) -> Option<()> {
        let (Some(written), Some(first)) = (written, item.types.first()) else { return Some(()) };
        if written != this.ty {
            self.mismatch(this, written, Why::Type(first.span));
            return None;
        }
        Some(())
    }

    /// The arguments after the collection.
    fn remaining<'a>(
        &mut self,
        params: impl Iterator<Item = &'a Param>,
        args: &[ast::Expr<'s>],
        of: Type,
        whole: TypeId,
        why: Why<'_>,
    ) -> Option<Vec<Expr>> {
        let element = of.element()?;
        let mut operands = Vec::new();
        let mut sound = true;
        for (param, arg) in params.zip(args) {
            let operand = match (param, of) {
                (Param::Value, Type::Map(_, value)) => self.value(arg, value, why),
                (Param::Other, _) => self.same(arg, whole, why),
                (Param::Sought, _) => self.sought(arg, element, why),
                (Param::Index, _) => self.integer(arg, "an index"),
                (Param::Capacity, _) => self.integer(arg, "the capacity of a queue"),
                _ => self.value(arg, element, why),
            };
            sound &= operand.is_some();
            operands.extend(operand);
        }
        sound.then_some(operands)
    }

    /// A collection of exactly this type.
    fn same(&mut self, arg: &ast::Expr<'s>, ty: TypeId, why: Why<'_>) -> Option<Expr> {
        let other = self.expr_for(arg, Some(ty))?;
        if other.ty != ty {
            self.mismatch(&other, ty, why);
            return None;
        }
        Some(other)
    }

    fn measure(&mut self, op: CollectionOp, of: Expr, span: Span) -> Expr {
        self.make(ExprKind::Collection(op, vec![of]), Type::Int(IntType::INT), span)
    }

    fn equal(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let kind = ExprKind::Binary(BinaryOp::Eq, Box::new(left), Box::new(right));
        self.make(kind, Type::Bool, span)
    }

    /// Whether the size equals the capacity. The queue expression is evaluated once.
    fn is_full(&mut self, queue: Expr, span: Span) -> Expr {
        if is_path(&queue) {
            return self.size_is_capacity(queue, span);
        }
        let param = Expr { kind: ExprKind::Param(0), ty: queue.ty, span };
        let body = self.size_is_capacity(param, span);
        let fun = self.model.program.funs.push(Fun {
            // No function of a model can have this name.
            name: "Queue.isFull".to_owned(),
            params: vec![("queue".to_owned(), queue.ty)],
            result: body.ty,
            body,
            span,
        });
        self.make(ExprKind::Call(fun, vec![queue]), Type::Bool, span)
    }

    fn size_is_capacity(&mut self, queue: Expr, span: Span) -> Expr {
        let size = self.measure(CollectionOp::Size, queue.clone(), span);
        let capacity = self.measure(CollectionOp::Capacity, queue, span);
        self.equal(size, capacity, span)
    }

    /// An operation as a statement: an assignment to its first argument.
    pub(super) fn change(&mut self, expr: &ast::Expr<'s>) -> Option<ActionKind> {
        let ast::ExprKind::Operation(item) = &expr.kind else { return None };
        let (kind, operation, this) = self.operation_named(item)?;
        let first = if this.is_some() { Some(&item.extension) } else { item.args.first() };
        let place = first.filter(|place| operation.changes() && is_place(place));
        let Some(place) = place else {
            self.no_effect(kind, operation, first, expr.span);
            return None;
        };
        let target = self.target(place)?;
        let value = match this {
            // Only the place has been lowered so far, and twice.
            Some(this) => {
                let applied = self.operands(kind, operation, item, Some(this), None)?;
                let Meaning::Apply(op) = operation.meaning else { return None };
                let applied = ExprKind::Collection(op, applied);
                let ty = self.model.program.natural_type(&applied, Scope::Program)?;
                self.make(applied, ty, expr.span)
            }
            None => self.operation(item, expr.span, Some(target.ty))?,
        };
        Some(target.assign(value))
    }

    fn no_effect(&mut self, kind: Kind, operation: &Operation, first: Option<&ast::Expr<'s>>, span: Span) {
        let name = format!("{}.{}", kind.name(), operation.name);
        let call = self.written(span);
        let diagnostic = Diagnostic::error(codes::NO_EFFECT, "this statement changes nothing");
        let diagnostic = match (operation.meaning, first) {
            (_, Some(first)) if operation.changes() => diagnostic
                .at(first.span, "this is a value, not a place")
                .note(format!("as a statement, `{name}` assigns its result to its first argument"))
                .help(format!("assign the result: `v := {call};`")),
            (Meaning::Choose, _) => diagnostic
                .at(span, "what is chosen is not used")
                .help(format!("assign it to a variable: `v := {call};`")),
            _ if operation.changes() => diagnostic
                .at(span, "without arguments")
                .help(format!("it is written `{};`", operation.signature(kind))),
            _ => {
                let changing = kind.operations().filter(|operation| operation.changes());
                let changing: Vec<_> = changing.map(|operation| format!("`{}`", operation.name)).collect();
                diagnostic
                    .at(span, "its value is not used")
                    .note(format!("operations that can be statements are {}", changing.join(", ")))
                    .help(format!("use it in an expression, or assign it: `v := {call};`"))
            }
        };
        self.report(diagnostic);
    }

    /// `place := Set.choose(collection)`
    pub(super) fn assign_choice(
        &mut self,
        target: Option<Target>,
        item: &ast::Operation<'s>,
        span: Span,
    ) -> Option<Vec<ActionKind>> {
        let (kind, operation, this) = self.operation_named(item)?;
        let from = self.operands(kind, operation, item, this, None)?.pop()?;
        let (target, element) = (target?, self.ty(&from).element()?);
        if !self.model.admits(self.model.ty(target.ty), self.model.ty(element)) {
            let why = self.why(&target);
            let chosen = Expr { kind: ExprKind::Const(Const::Null), ty: element, span };
            self.mismatch(&chosen, target.ty, why);
            return None;
        }
        Some(self.store(target, |_, place| vec![ActionKind::Choose(place, from)]))
    }
}

/// Whether an expression creates a collection whose type is not written, so that the context has to provide
/// it.
pub(super) fn is_open(expr: &ast::Expr<'_>) -> bool {
    match &expr.kind {
        ast::ExprKind::Operation(item) if item.types.is_empty() => {
            let operation = item.extension.extension().and_then(|kind| kind.operation(item.name.text));
            operation.is_some_and(|operation| {
                operation.creates() || operation.changes() && item.args.first().is_some_and(is_open)
            })
        }
        ast::ExprKind::Cond(parts) => is_open(&parts[1]) && is_open(&parts[2]),
        _ => false,
    }
}

fn is_place(expr: &ast::Expr<'_>) -> bool {
    use ast::ExprKind::{Error, Index, Member, Name};
    matches!(expr.kind, Name(_) | Member(..) | Index(..) | Error)
}

/// Whether an expression only follows references.
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Global(_) | ExprKind::Local(_) | ExprKind::Param(_) => true,
        ExprKind::Field(base, _) => is_path(base),
        ExprKind::Index(base, index) => is_path(base) && is_path(index),
        _ => false,
    }
}
