//! Expressions with their types.

use ir::{
    Action, CollectionOp, Const, EnumId, Expr, ExprKind, FieldId, Id, IntType, LocalId, RecordId, Table,
    Type, TypeId, UnaryOp, Variable, Width,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Span, similar};

use super::collections::is_open;
use super::fresh::Temporary;
use super::lambdas::Lambda;
use super::operators::{is_name, without_names};
use super::properties::Individual;
use crate::ast::{self, Builtin};
use crate::codes;
use crate::collections::Kind;
use crate::foreign;
use crate::resolve::{Model, Outcome, Signature, Symbol};
use crate::text::{clip, count, listed};

/// The owner of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Invariant,
    /// A temporal property.
    Property,
    Fun,
    Procedure,
}

/// A parameter or local variable.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub index: u32,
    /// 0 for a variable of the owner, otherwise the number of the quantifier, from the outside.
    pub level: usize,
    /// `None` if the declaration has errors.
    pub ty: Option<TypeId>,
    /// Whether only the loop that declares it changes it.
    pub fixed: bool,
    pub span: Span,
}

/// The reason why a type is expected.
#[derive(Clone, Copy, Debug)]
pub enum Why<'a> {
    /// The variable or field that is assigned to is declared here.
    Declared(Span),
    /// The element that is assigned to is here.
    Element(Span),
    /// A parameter of this procedure or function.
    Param(&'a str, Span),
    /// The type is written here.
    Type(Span),
    /// The collection that it is to be a part of is here.
    Collection(Span),
}

/// Lowers expressions of one owner.
pub struct Exprs<'m, 's> {
    pub model: &'m mut Model<'s>,
    pub owner: Owner,
    /// The symbol that is being lowered: a recursive mention is not a use of it.
    pub this: Option<Symbol>,
    pub locals: FxHashMap<&'s str, Local>,
    /// The variables of the procedure, including those without a name in the model.
    pub variables: Table<LocalId, Variable>,
    pub(super) temporaries: Vec<Temporary>,
    /// Actions that make the objects of the current statement, where `new` may be a part of expressions.
    pub(super) made: Option<Vec<Action>>,
    /// Locals that are mentioned.
    pub used: FxHashSet<u32>,
    /// The quantifiers around the current expression.
    pub(super) lambdas: Vec<Lambda>,
    /// Whether elements of abstract enums may be named.
    pub may_name_elements: bool,
    /// The thread that the temporal property is about.
    pub(super) individual: Option<Individual<'s>>,
    /// Procedures and variables of all quantifiers of a temporal property.
    pub(super) quantifiers: Vec<(ast::Name<'s>, ast::Name<'s>)>,
}

impl<'m, 's> Exprs<'m, 's> {
    pub fn new(model: &'m mut Model<'s>, owner: Owner, this: Option<Symbol>) -> Self {
        Self {
            model,
            owner,
            this,
            locals: FxHashMap::default(),
            variables: Table::new(),
            temporaries: Vec::new(),
            made: None,
            used: FxHashSet::default(),
            lambdas: Vec::new(),
            may_name_elements: matches!(owner, Owner::Invariant | Owner::Property),
            individual: None,
            quantifiers: Vec::new(),
        }
    }

    pub fn declare(&mut self, name: ast::Name<'s>, index: u32, ty: Option<TypeId>) {
        self.locals.entry(name.text).or_insert(Local { index, level: 0, ty, fixed: false, span: name.span });
    }

    pub fn use_symbol(&mut self, symbol: Symbol) {
        if self.this != Some(symbol) {
            self.model.used.insert(symbol);
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.model.report(diagnostic);
    }

    pub fn ty(&self, expr: &Expr) -> Type {
        self.model.ty(expr.ty)
    }

    pub fn type_name(&self, ty: TypeId) -> String {
        clip(&self.model.program.type_name(ty))
    }

    pub fn make(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty: self.model.intern(ty), span }
    }

    // Expectations.

    /// A value that is stored into a place of the given type.
    pub fn value(&mut self, expr: &ast::Expr<'s>, to: TypeId, why: Why<'_>) -> Option<Expr> {
        let value = self.sought(expr, to, why)?;
        if let (ast::ExprKind::Int { value: number, .. }, Type::Int(int)) = (&expr.kind, self.model.ty(to))
            && int.admit(*number).is_none()
        {
            let (span, text) = why.label();
            self.model.out_of_range(expr.span, *number, to, Some((span, &text)));
            return None;
        }
        Some(value)
    }

    /// A value of a type, which is not stored: numbers may be out of its range.
    pub fn sought(&mut self, expr: &ast::Expr<'s>, to: TypeId, why: Why<'_>) -> Option<Expr> {
        let value = self.expr_for(expr, Some(to))?;
        if !self.model.admits(self.model.ty(to), self.ty(&value)) {
            self.mismatch(&value, to, why);
            return None;
        }
        Some(value)
    }

    /// Two expressions of one type. Each can determine the type of a new collection on the other side.
    pub fn pair(
        &mut self,
        left: &ast::Expr<'s>,
        right: &ast::Expr<'s>,
        expected: Option<TypeId>,
    ) -> (Option<Expr>, Option<Expr>) {
        if expected.is_none() && is_open(left) && !is_open(right) {
            let right = self.expr(right);
            let left = right.as_ref().and_then(|right| self.expr_for(left, Some(right.ty)));
            return (left, right);
        }
        let left = self.expr_for(left, expected);
        let known = expected.or(left.as_ref().map(|left| left.ty));
        // If the left side has errors, the type of the right side is unknown.
        let right = if known.is_some() || !is_open(right) { self.expr_for(right, known) } else { None };
        (left, right)
    }

    pub fn mismatch(&mut self, value: &Expr, to: TypeId, why: Why<'_>) {
        let (wanted, found) = (self.type_name(to), self.type_name(value.ty));
        let (span, text) = why.label();
        self.report(
            Diagnostic::error(codes::MISMATCH, "the types do not match")
                .at(value.span, format!("expected `{wanted}`, found `{found}`"))
                .label(span, text),
        );
    }

    /// A boolean.
    pub fn condition(&mut self, expr: &ast::Expr<'s>, what: &str) -> Option<Expr> {
        let value = self.expr(expr)?;
        if self.ty(&value) != Type::Bool {
            let found = self.type_name(value.ty);
            self.report(
                Diagnostic::error(codes::MISMATCH, format!("{what} has to be a `boolean`"))
                    .at(value.span, format!("expected `boolean`, found `{found}`")),
            );
            return None;
        }
        Some(value)
    }

    /// An expression of exactly this type, or `null`.
    pub fn of_type(&mut self, expr: &ast::Expr<'s>, wanted: Type, what: &str) -> Option<Expr> {
        let value = self.expr(expr)?;
        if !self.model.admits(wanted, self.ty(&value)) {
            let wanted = self.model.intern(wanted);
            let (wanted, found) = (self.type_name(wanted), self.type_name(value.ty));
            self.report(
                Diagnostic::error(codes::MISMATCH, format!("{what} a `{wanted}`"))
                    .at(value.span, format!("expected `{wanted}`, found `{found}`")),
            );
            return None;
        }
        Some(value)
    }

    /// Arguments for parameters. The first `free` ones only have to be well formed.
    pub fn arguments(
        &mut self,
        callee: ast::Name<'s>,
        args: &[ast::Expr<'s>],
        signature: &Signature,
        declared: Span,
        free: usize,
    ) -> Option<Vec<Expr>> {
        let wanted = signature.params.len();
        if args.len() != wanted {
            for arg in args {
                self.expr(arg);
            }
            let name = clip(callee.text);
            self.report(
                Diagnostic::error(
                    codes::ARGUMENT_COUNT,
                    format!("`{name}` takes {}, not {}", count(wanted, "argument"), args.len()),
                )
                .at(callee.span, format!("called with {}", count(args.len(), "argument")))
                .label(declared, format!("`{name}` is declared here")),
            );
            return None;
        }
        let mut lowered = Vec::new();
        let mut sound = true;
        for (index, (arg, &param)) in args.iter().zip(&signature.params).enumerate() {
            let value = match param {
                Some(ty) if index >= free => self.value(arg, ty, Why::Param(callee.text, declared)),
                _ => self.expr(arg),
            };
            sound &= param.is_some() && value.is_some();
            lowered.extend(value);
        }
        sound.then_some(lowered)
    }

    // Expressions.

    pub fn expr(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        self.expr_for(expr, None)
    }

    /// An expression for a place of the expected type. Only new collections depend on that type.
    pub fn expr_for(&mut self, expr: &ast::Expr<'s>, expected: Option<TypeId>) -> Option<Expr> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int { value, long } => {
                let width = if *long { Width::Long } else { Width::Int };
                Some(self.make(ExprKind::Const(Const::Int(*value)), Type::Int(width.whole()), span))
            }
            ast::ExprKind::Bool(value) => {
                Some(self.make(ExprKind::Const(Const::Bool(*value)), Type::Bool, span))
            }
            ast::ExprKind::Str(text) => {
                let id = self.model.string(text);
                Some(self.make(ExprKind::Const(Const::String(id)), Type::String, span))
            }
            ast::ExprKind::Null => Some(self.make(ExprKind::Const(Const::Null), Type::Null, span)),
            ast::ExprKind::Name(name) => self.name(ast::Name { text: name, span }),
            ast::ExprKind::Member(base, member) => self.member(base, *member, span),
            ast::ExprKind::Index(base, index) => self.index(base, index, span),
            ast::ExprKind::Not(operand) => {
                let operand = self.condition(operand, "the operand of `!`")?;
                Some(self.not(operand, span))
            }
            ast::ExprKind::Neg(operand) => self.negate(operand, span),
            ast::ExprKind::Binary(binary) => self.binary(binary, span),
            ast::ExprKind::Cond(parts) => self.conditional(parts, span, expected),
            ast::ExprKind::Cast(cast) => self.cast(&cast.0, &cast.1, span),
            ast::ExprKind::InstanceOf(operand, record) => self.instance_of(operand, *record, span),
            ast::ExprKind::Builtin(builtin, operand) => self.builtin(*builtin, operand, span),
            ast::ExprKind::Call(callee, args) => self.call(*callee, args, span),
            ast::ExprKind::New(new) => self.new_object(new, span),
            ast::ExprKind::Operation(operation) => self.operation(operation, span, expected),
            ast::ExprKind::Quantified(quantified) => self.quantified(quantified, span),
            ast::ExprKind::At(variable, location) => self.location_test(*variable, *location, span),
            ast::ExprKind::Threads(threads) => self.threads(threads, span),
            ast::ExprKind::Error => None,
        }
    }

    pub fn not(&mut self, operand: Expr, span: Span) -> Expr {
        self.make(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), Type::Bool, span)
    }

    fn name(&mut self, name: ast::Name<'s>) -> Option<Expr> {
        if let Some(&local) = self.locals.get(name.text) {
            self.model.index.mention(name.span, local.span);
            return self.local(local, name);
        }
        if let Some(Symbol::Global(id)) = self.model.symbol_at(name) {
            self.use_symbol(Symbol::Global(id));
            let ty = self.model.global_types[id.index()]?;
            return Some(Expr { kind: ExprKind::Global(id), ty, span: name.span });
        }
        self.unknown_variable(name, false);
        None
    }

    /// Reports a name that is not a variable. A qualifier is followed by a dot: it could also be a group of
    /// constants, or an enum.
    pub fn unknown_variable(&mut self, name: ast::Name<'s>, qualifier: bool) {
        let shown = clip(name.text);
        if let Some(&declared) = self.model.names.get(name.text) {
            let kind = self.model.kind_of(declared.symbol);
            let mut diagnostic =
                Diagnostic::error(codes::WRONG_KIND, format!("`{shown}` is {kind}, not a variable"))
                    .at(name.span, "expected a variable")
                    .label(declared.span, "declared here");
            if matches!(declared.symbol, Symbol::Consts(_) | Symbol::Enum(_)) {
                diagnostic = diagnostic.help(format!("one of its elements is written `{shown}.NAME`"));
            }
            if let Symbol::Enum(_) = declared.symbol {
                diagnostic = diagnostic.help(format!("the set of its elements is `{shown}.all`"));
            }
            self.report(diagnostic);
            return;
        }
        let locals = self.locals.keys().copied();
        let globals = self.model.system.globals.iter().map(|global| global.name.text);
        let groups = self.model.system.consts.iter().map(|group| group.name.text);
        let groups = groups.chain(self.model.system.enums.iter().map(|item| item.name.text));
        let similar = similar(name.text, locals.chain(globals).chain(groups.filter(|_| qualifier)));
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, format!("there is no variable `{shown}`"))
                .at(name.span, "not declared");
        if let Some(hint) = foreign::value_hint(name.text) {
            diagnostic = diagnostic.help(hint);
        } else if let Some(full) = self.model.qualified(name.text) {
            diagnostic = diagnostic.help(format!("did you mean `{full}`?"));
        } else if let Some(similar) = similar {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        match self.owner {
            Owner::Invariant => diagnostic = diagnostic.note("an invariant sees only globals"),
            Owner::Property => diagnostic = diagnostic.note("a temporal property sees only globals"),
            Owner::Fun | Owner::Procedure => {}
        }
        self.report(diagnostic);
    }

    fn member(&mut self, base: &ast::Expr<'s>, member: ast::Name<'s>, span: Span) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = base.kind
            && !self.locals.contains_key(name)
        {
            match self.model.symbol_at(ast::Name { text: name, span: base.span }) {
                Some(Symbol::Consts(group)) => {
                    let value = self.model.group_constant(group, member)?.value?;
                    let (value, ty) = self.model.embed(&value);
                    return Some(Expr { kind: ExprKind::Const(value), ty, span });
                }
                Some(Symbol::Enum(id)) => return self.enum_member(id, member, span),
                None => {
                    self.unknown_variable(ast::Name { text: name, span: base.span }, true);
                    return None;
                }
                Some(_) => {}
            }
        }
        let base = self.expr(base)?;
        match self.ty(&base) {
            Type::Array(_) if member.text == "length" => {
                Some(self.make(ExprKind::Length(Box::new(base)), Type::Int(IntType::INT), span))
            }
            ty if ty.is_collection() && matches!(member.text, "length" | "size") => {
                let size = ExprKind::Collection(CollectionOp::Size, vec![base]);
                Some(self.make(size, Type::Int(IntType::INT), span))
            }
            _ => {
                let field = self.field(&base, member)?;
                let ty = self.model.program.fields[field].ty;
                Some(Expr { kind: ExprKind::Field(Box::new(base), field), ty, span })
            }
        }
    }

    /// An element of an enum, or the set of all.
    fn enum_member(&mut self, id: EnumId, member: ast::Name<'s>, span: Span) -> Option<Expr> {
        let ty = self.model.enum_type(id);
        if self.model.is_all(id, member) {
            let element = self.model.intern(ty);
            return Some(self.make(ExprKind::All(id), Type::Set(element), span));
        }
        let index = self.model.element(id, member)?;
        if !self.model.program.enums[id].is_abstract {
            return Some(self.make(ExprKind::Const(Const::Enum(id, index)), ty, span));
        }
        if !self.may_name_elements {
            self.model.abstract_element(id, index, span);
            return None;
        }
        Some(self.named_element(id, index, span))
    }

    /// The field of this name.
    pub fn field(&mut self, base: &Expr, member: ast::Name<'s>) -> Option<FieldId> {
        let shown = clip(member.text);
        let Type::Record(record) = self.ty(base) else {
            let found = self.type_name(base.ty);
            let mut diagnostic =
                Diagnostic::error(codes::NO_MEMBERS, format!("a value of type `{found}` has no fields"))
                    .at(member.span, "this is no field")
                    .label(base.span, format!("of type `{found}`"));
            if matches!(self.ty(base), Type::Array(_)) {
                diagnostic = diagnostic.help("arrays have only their `length`");
            }
            if let Some(kind) = Kind::of(self.ty(base)) {
                let name = kind.name();
                diagnostic = diagnostic.help(format!(
                    "its size is `s.size`; other operations are written like `{name}.isEmpty(s)`"
                ));
            }
            self.report(diagnostic);
            return None;
        };
        let program = &self.model.program;
        let named = |record: RecordId| {
            let mut fields = program.records[record].fields.iter();
            fields.find(|&&field| program.fields[field].name == member.text).copied()
        };
        if let Some(field) = named(record) {
            self.model.index.mention(member.span, program.fields[field].span);
            return Some(field);
        }
        if self.model.broken_fields.contains(member.text) {
            return None;
        }
        let name = clip(&program.records[record].name);
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_FIELD, format!("the record `{name}` has no field `{shown}`"))
                .at(member.span, "no such field")
                .label(base.span, format!("of type `{name}`"));
        let names = program.records[record].fields.iter().map(|&field| program.fields[field].name.as_str());
        let mut below = program.records.ids().filter(|&other| program.records[other].descends_from(record));
        if let Some(owner) = below.find(|&other| named(other).is_some()) {
            let owner = clip(&program.records[owner].name);
            diagnostic = diagnostic.help(format!("`{owner}` has one: cast to it with `({owner}) …`"));
        } else if let Some(similar) = similar(member.text, names.clone()) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        } else {
            diagnostic = diagnostic.note(listed("its fields are", "it has no fields", names));
        }
        self.report(diagnostic);
        None
    }

    fn index(&mut self, base: &ast::Expr<'s>, index: &ast::Expr<'s>, span: Span) -> Option<Expr> {
        let base = self.expr(base);
        if let Some(collection) = &base
            && let Some(kind) = Kind::of(self.ty(collection))
        {
            let (key, ty) = self.key(collection, kind, index, false)?;
            let get = ExprKind::Collection(CollectionOp::Get, vec![base?, key]);
            return Some(Expr { kind: get, ty, span });
        }
        let (base, index, element) = self.element_of(base, index)?;
        Some(Expr { kind: ExprKind::Index(Box::new(base), Box::new(index)), ty: element, span })
    }

    /// An array, an index into it, and the type of its elements.
    pub fn element_of(&mut self, base: Option<Expr>, index: &ast::Expr<'s>) -> Option<(Expr, Expr, TypeId)> {
        let index = self.integer(index, "an index");
        let (base, index) = (base?, index?);
        let Type::Array(element) = self.ty(&base) else {
            let found = self.type_name(base.ty);
            self.report(
                Diagnostic::error(codes::NO_MEMBERS, format!("a value of type `{found}` has no elements"))
                    .at(base.span, "this is no array"),
            );
            return None;
        };
        Some((base, index, element))
    }

    /// Reports that a collection without indices is indexed.
    pub(super) fn no_array(&mut self, base: &Expr, kind: Kind) {
        let found = self.type_name(base.ty);
        let mut diagnostic =
            Diagnostic::error(codes::NO_MEMBERS, format!("a value of type `{found}` has no index"))
                .at(base.span, format!("this is {}, no array", kind.noun()));
        if matches!(kind, Kind::Set | Kind::Bag) {
            let (noun, name) = (kind.noun(), kind.name());
            diagnostic = diagnostic.help(format!(
                "{noun} has no order: ask with `{name}.contains(…, …)`, or take any element with \
                 `x := {name}.choose(…);`"
            ));
        }
        self.report(diagnostic);
    }

    pub fn integer(&mut self, expr: &ast::Expr<'s>, what: &str) -> Option<Expr> {
        let value = self.expr(expr)?;
        if !matches!(self.ty(&value), Type::Int(_)) {
            let found = self.type_name(value.ty);
            let diagnostic = Diagnostic::error(codes::MISMATCH, format!("{what} has to be an integer"))
                .at(value.span, format!("expected an integer, found `{found}`"));
            let diagnostic = if is_name(self.ty(&value)) { without_names(diagnostic) } else { diagnostic };
            self.report(diagnostic);
            return None;
        }
        Some(value)
    }

    fn builtin(&mut self, builtin: Builtin, operand: &ast::Expr<'s>, span: Span) -> Option<Expr> {
        let (wanted, word) = match builtin {
            Builtin::LockAvailable => (Type::Lock, "lockAvailable"),
            Builtin::HasLock => (Type::Lock, "hasLock"),
            Builtin::WasNotified => (Type::Lock, "wasNotified"),
            Builtin::ThreadTerminated => (Type::Tid, "threadTerminated"),
        };
        let operand = self.of_type(operand, wanted, &format!("`{word}` asks about"))?;
        let asker = match self.owner {
            Owner::Invariant => Some("an invariant"),
            Owner::Property => Some("a temporal property"),
            Owner::Fun | Owner::Procedure => None,
        };
        if let Some(asker) = asker
            && builtin != Builtin::ThreadTerminated
        {
            self.report(
                Diagnostic::error(
                    codes::THREAD_DEPENDENT,
                    format!("{asker} cannot use `{word}`: its value depends on the thread that asks"),
                )
                .at(span, "no thread asks here"),
            );
            return None;
        }
        let operand = Box::new(operand);
        let kind = match builtin {
            Builtin::LockAvailable => ExprKind::LockAvailable(operand),
            Builtin::HasLock => ExprKind::HasLock(operand),
            Builtin::WasNotified => ExprKind::WasNotified(operand),
            Builtin::ThreadTerminated => ExprKind::ThreadTerminated(operand),
        };
        Some(self.make(kind, Type::Bool, span))
    }

    fn call(&mut self, callee: ast::Name<'s>, args: &[ast::Expr<'s>], span: Span) -> Option<Expr> {
        let declared = self.model.names.get(callee.text).copied();
        self.model.mention(callee);
        let Some(Symbol::Fun(id)) = declared.map(|declared| declared.symbol) else {
            for arg in args {
                self.expr(arg);
            }
            self.not_a_fun(callee);
            return None;
        };
        self.use_symbol(Symbol::Fun(id));
        let signature = self.model.fun_signatures[id.index()].clone();
        let place = self.model.program.funs[id].span;
        let args = self.arguments(callee, args, &signature, place, 0)?;
        let Outcome::Value(ty) = signature.result else { return None };
        Some(Expr { kind: ExprKind::Call(id, args), ty, span })
    }

    fn not_a_fun(&mut self, callee: ast::Name<'s>) {
        let shown = clip(callee.text);
        let Some(&declared) = self.model.names.get(callee.text) else {
            if let Some(hint) = foreign::function_hint(callee.text, self.owner == Owner::Property) {
                let message = format!("there is no pure function `{shown}`");
                let diagnostic = Diagnostic::error(codes::UNKNOWN_PROCEDURE, message);
                self.report(diagnostic.at(callee.span, "not declared").help(hint));
                return;
            }
            self.model.wrong_name(callee, codes::UNKNOWN_PROCEDURE, "a pure function", |_, symbol| {
                matches!(symbol, Symbol::Fun(_))
            });
            return;
        };
        let kind = self.model.kind_of(declared.symbol);
        let mut diagnostic =
            Diagnostic::error(codes::WRONG_KIND, format!("`{shown}` is {kind}, not a pure function"))
                .at(callee.span, "this cannot be called in an expression")
                .label(declared.span, "declared here");
        let help = match declared.symbol {
            Symbol::Procedure(id) if self.model.is_thread(id) => "threads are started with `start`",
            Symbol::Procedure(_) => {
                &format!("functions are called by a statement: `v := invoke {shown}(…);`")
            }
            Symbol::Virtual(_) => {
                &format!("tables are called by a statement: `v := invoke virtual {shown}(…);`")
            }
            _ => "",
        };
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }
}

impl Why<'_> {
    fn label(self) -> (Span, String) {
        match self {
            Self::Declared(span) => (span, "because of this declaration".to_owned()),
            Self::Element(span) => (span, "because of this element".to_owned()),
            Self::Param(name, span) => (span, format!("because of a parameter of `{}`", clip(name))),
            Self::Type(span) => (span, "because of this type".to_owned()),
            Self::Collection(span) => (span, "because of the type of this collection".to_owned()),
        }
    }
}
