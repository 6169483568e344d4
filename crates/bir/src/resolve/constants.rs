//! Constants, the values that the command line gives them, and constant expressions.
//!
//! Constant expressions are made of literals, constants, elements of enums and operators. They are evaluated
//! in 64 bits; the value of a constant has to fit the type of its expression, `int` or `long`.

use ir::{BinaryOp, Const, EnumId, Id, IntType, Type, TypeId, Width};
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span, similar};

use super::{Model, Symbol};
use crate::ast::{self, ExprKind};
use crate::codes;
use crate::collections::Kind;
use crate::foreign;
use crate::text::{clip, listed};

/// The value of a constant expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Int(i64, Width),
    Bool(bool),
    Str(String),
    Enum(EnumId, u32),
    Null,
}

/// A constant of the model.
#[derive(Clone, Debug)]
pub struct Constant {
    /// `None` if it has errors.
    pub value: Option<Value>,
}

/// Values that the command line gives to constants.
#[derive(Clone, Debug, Default)]
pub struct Defines {
    values: FxHashMap<(String, String), String>,
}

impl Value {
    fn describe(&self) -> &'static str {
        match self {
            Self::Int(_, Width::Int) => "an `int`",
            Self::Int(_, Width::Long) => "a `long`",
            Self::Bool(_) => "a `boolean`",
            Self::Str(_) => "a `string`",
            Self::Enum(..) => "an element of an enum",
            Self::Null => "`null`",
        }
    }
}

impl Defines {
    /// Finds the constants that are meant. `NAME` and `GROUP.NAME` are possible.
    pub fn resolve(given: &[(String, String)], system: &ast::System<'_>) -> (Self, Vec<Diagnostic>) {
        let all: Vec<_> = (system.consts.iter())
            .flat_map(|group| group.elements.iter().map(|(name, _)| (group.name.text, name.text)))
            .collect();
        let mut defines = Self::default();
        let mut problems = Vec::new();
        for (name, value) in given {
            let found: Vec<_> = match name.split_once('.') {
                Some((group, element)) => {
                    all.iter().filter(|&&constant| constant == (group, element)).copied().collect()
                }
                None => all.iter().filter(|(_, element)| element == name).copied().collect(),
            };
            let shown = clip(name);
            match found[..] {
                [] => problems.push(unknown_define(name, &all)),
                [(group, element)] => {
                    let key = (group.to_owned(), element.to_owned());
                    if defines.values.insert(key, value.clone()).is_some() {
                        let message = format!("the constant `{group}.{element}` is set twice");
                        problems.push(Diagnostic::error(codes::BAD_DEFINE, message));
                    }
                }
                _ => {
                    let choices: Vec<_> =
                        found.iter().map(|(group, element)| format!("`{group}.{element}`")).collect();
                    problems.push(
                        Diagnostic::error(
                            codes::AMBIGUOUS_CONSTANT,
                            format!("several constants are called `{shown}`"),
                        )
                        .help(format!("set one of {}", choices.join(", "))),
                    );
                }
            }
        }
        (defines, problems)
    }
}

fn unknown_define(name: &str, all: &[(&str, &str)]) -> Diagnostic {
    let full: Vec<_> = all.iter().map(|(group, element)| format!("{group}.{element}")).collect();
    let short = all.iter().map(|&(_, element)| element);
    let similar = similar(name, short.chain(full.iter().map(String::as_str)));
    let mut diagnostic = Diagnostic::error(
        codes::UNKNOWN_CONSTANT,
        format!("there is no constant `{}` to be set", clip(name)),
    );
    if let Some(similar) = similar {
        diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
    }
    let list = if full.is_empty() {
        "the model has no constants".to_owned()
    } else {
        let shown: Vec<_> = full.iter().take(20).map(|name| format!("`{}`", clip(name))).collect();
        let more = if full.len() > shown.len() { ", …" } else { "" };
        format!("the constants of the model are {}{more}", shown.join(", "))
    };
    diagnostic.note(list)
}

impl<'s> Model<'s> {
    pub(super) fn evaluate_constants(&mut self, defines: &Defines) {
        let system = self.system;
        for (group, item) in system.consts.iter().enumerate() {
            let names: Vec<_> = item.elements.iter().map(|(name, _)| *name).collect();
            self.check_distinct(&names, "constant");
            for (name, expr) in &item.elements {
                let mut value = self.constant(expr);
                let key = (item.name.text.to_owned(), name.text.to_owned());
                if let (Some(given), Some(default)) = (defines.values.get(&key), &value) {
                    value = self.overridden(&format!("{}.{}", key.0, key.1), given, default, name.span);
                }
                if let Some(Value::Int(number, width)) = value
                    && width.whole().admit(number).is_none()
                {
                    self.report(
                        Diagnostic::error(
                            codes::CONSTANT_OVERFLOW,
                            format!("the value of `{}` does not fit into an `int`", clip(name.text)),
                        )
                        .at(expr.span, format!("this is {number}"))
                        .help("for a `long` append `L` to one of the literals"),
                    );
                    value = None;
                }
                self.constants.insert((group, name.text), Constant { value });
            }
        }
    }

    /// The value that the command line gives to a constant.
    fn overridden(&mut self, name: &str, given: &str, default: &Value, span: Span) -> Option<Value> {
        let value = match *default {
            Value::Bool(_) => match given.trim() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Value::Int(_, width) => parse_int(given.trim())
                .filter(|&value| width.whole().admit(value).is_some())
                .map(|value| Value::Int(value, width)),
            _ => None,
        };
        if value.is_some() {
            return value;
        }
        let message = format!("`{}` is no value for the constant `{}`", clip(given), clip(name));
        let wanted = match default {
            Value::Bool(_) => "it has to be `true` or `false`".to_owned(),
            Value::Int(_, width) => {
                let IntType { lo, hi, .. } = width.whole();
                format!("it has to be a number from {lo} to {hi}")
            }
            _ => "only numbers and booleans can be set".to_owned(),
        };
        self.report(
            Diagnostic::error(codes::BAD_DEFINE, message)
                .at(span, format!("it is {}", default.describe()))
                .help(wanted),
        );
        None
    }

    /// Evaluates an expression that has to be constant.
    pub fn constant(&mut self, expr: &ast::Expr<'s>) -> Option<Value> {
        match &expr.kind {
            ExprKind::Int { value, long } => {
                Some(Value::Int(*value, if *long { Width::Long } else { Width::Int }))
            }
            ExprKind::Bool(value) => Some(Value::Bool(*value)),
            ExprKind::Str(text) => Some(Value::Str(text.clone())),
            ExprKind::Null => Some(Value::Null),
            ExprKind::Member(base, member) if let ExprKind::Name(group) = base.kind => {
                self.named_constant(ast::Name { text: group, span: base.span }, *member, expr.span)
            }
            ExprKind::Not(operand) => match self.constant(operand)? {
                Value::Bool(value) => Some(Value::Bool(!value)),
                _ => self.bad_operand(expr.span, "this operator needs a boolean"),
            },
            ExprKind::Neg(operand) => match self.constant(operand)? {
                Value::Int(value, width) => match value.checked_neg() {
                    Some(value) => Some(Value::Int(value, width)),
                    None => self.overflow(expr.span),
                },
                _ => self.bad_operand(expr.span, "this operator needs a number"),
            },
            ExprKind::Binary(binary) => self.constant_binary(binary, expr.span),
            ExprKind::Cond(parts) => {
                let [test, then, otherwise] = &**parts;
                let (taken, other) = match self.constant(test)? {
                    Value::Bool(true) => (then, otherwise),
                    Value::Bool(false) => (otherwise, then),
                    _ => return self.bad_operand(test.span, "this is no boolean"),
                };
                Some(match self.constant(taken)? {
                    Value::Int(value, width) => {
                        Value::Int(value, self.width(other).map_or(width, |other| wider(width, other)))
                    }
                    value => value,
                })
            }
            ExprKind::Name(name) => self.unqualified(name, expr.span),
            _ => self.not_constant(expr.span, "this depends on the state"),
        }
    }

    /// The width of an integer that may have no value.
    fn width(&self, expr: &ast::Expr<'s>) -> Option<Width> {
        match &expr.kind {
            ExprKind::Int { long, .. } => Some(if *long { Width::Long } else { Width::Int }),
            ExprKind::Member(base, member) if let ExprKind::Name(group) = base.kind => {
                let Some(Symbol::Consts(group)) = self.symbol(group) else { return None };
                match self.constants.get(&(group, member.text))?.value {
                    Some(Value::Int(_, width)) => Some(width),
                    _ => None,
                }
            }
            ExprKind::Neg(operand) => self.width(operand),
            ExprKind::Binary(binary) if binary.op.is_shift() => self.width(&binary.left),
            ExprKind::Binary(binary) => Some(wider(self.width(&binary.left)?, self.width(&binary.right)?)),
            ExprKind::Cond(parts) => Some(wider(self.width(&parts[1])?, self.width(&parts[2])?)),
            _ => None,
        }
    }

    fn not_constant<T>(&mut self, span: Span, label: &str) -> Option<T> {
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, "this has to be a constant")
            .at(span, label)
            .note("constants are made of literals, `Group.NAME`, `Enum.ELEMENT` and operators");
        let diagnostic = self.with_assignment(diagnostic);
        self.report(diagnostic);
        None
    }

    /// Adds how a variable gets another initial value, if it is one.
    fn with_assignment(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.initialised {
            Some(name) => diagnostic
                .help(format!("assign the value in the first statement instead: `{} := …;`", clip(name))),
            None => diagnostic,
        }
    }

    fn bad_operand<T>(&mut self, span: Span, label: &str) -> Option<T> {
        let message = "the operands of this constant do not fit";
        self.report(Diagnostic::error(codes::BAD_OPERAND, message).at(span, label));
        None
    }

    fn overflow<T>(&mut self, span: Span) -> Option<T> {
        self.report(
            Diagnostic::error(codes::CONSTANT_OVERFLOW, "this constant has no value")
                .at(span, "the result does not fit into 64 bits, or a shift is too far"),
        );
        None
    }

    fn unqualified(&mut self, name: &'s str, span: Span) -> Option<Value> {
        let help = self.qualified(name);
        let mut diagnostic = Diagnostic::error(codes::NOT_CONSTANT, "this has to be a constant")
            .at(span, format!("`{}` is no constant", clip(name)));
        if let Some(full) = help {
            diagnostic = diagnostic.help(format!("did you mean `{full}`?"));
        } else if let Some(hint) = foreign::value_hint(name) {
            diagnostic = diagnostic.help(hint);
        } else {
            diagnostic = self.with_assignment(diagnostic);
        }
        self.report(diagnostic);
        None
    }

    /// The full name of a constant or element with this name.
    pub fn qualified(&self, name: &str) -> Option<String> {
        let consts = (self.system.consts.iter())
            .flat_map(|group| group.elements.iter().map(|(element, _)| (group.name.text, element.text)));
        let enums = (self.system.enums.iter())
            .flat_map(|item| item.elements.iter().map(|element| (item.name.text, element.text)));
        let mut found = consts.chain(enums).filter(|&(_, element)| element == name);
        found.next().map(|(group, element)| format!("{group}.{element}"))
    }

    fn named_constant(&mut self, group: ast::Name<'s>, member: ast::Name<'s>, span: Span) -> Option<Value> {
        match self.symbol_at(group) {
            Some(Symbol::Consts(index)) => self.group_constant(index, member)?.value,
            Some(Symbol::Enum(id)) if self.is_all(id, member) => {
                self.not_constant(span, "this is a collection")
            }
            Some(Symbol::Enum(id)) => {
                let element = self.element(id, member)?;
                if self.program.enums[id].is_abstract {
                    self.abstract_element(id, element, span);
                    return None;
                }
                Some(Value::Enum(id, element))
            }
            _ => self.not_constant(span, "this is neither a constant nor an element of an enum"),
        }
    }

    pub fn group_constant(&mut self, group: usize, member: ast::Name<'s>) -> Option<Constant> {
        if self.index.is_on() {
            self.mention_constant(group, member);
        }
        if let Some(constant) = self.constants.get(&(group, member.text)) {
            return Some(constant.clone());
        }
        let item = &self.system.consts[group];
        let mut names = item.elements.iter().map(|(name, _)| name);
        let diagnostic = if let Some(later) = names.clone().find(|name| name.text == member.text) {
            Diagnostic::error(codes::UNKNOWN_NAME, "constants can only refer to earlier ones")
                .at(member.span, "used here")
                .label(later.span, "defined here")
        } else {
            let message = format!("there is no constant `{}.{}`", clip(item.name.text), clip(member.text));
            let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message).at(member.span, "not defined");
            match similar(member.text, names.by_ref().map(|name| name.text)) {
                Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
                None => diagnostic.label(item.name.span, "the group is here").note(listed(
                    "its constants are",
                    "it has no constants",
                    item.elements.iter().map(|(name, _)| name.text),
                )),
            }
        };
        self.report(diagnostic);
        None
    }

    pub fn element(&mut self, id: EnumId, member: ast::Name<'s>) -> Option<u32> {
        let item = &self.system.enums[id.index()];
        if let Some(index) = item.elements.iter().position(|element| element.text == member.text) {
            self.index.mention(member.span, item.elements[index].span);
            return Some(index as u32);
        }
        let message = format!("the enum `{}` has no element `{}`", clip(item.name.text), clip(member.text));
        let mut diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, message)
            .at(member.span, "no such element")
            .label(item.name.span, "the enum is here");
        let names = item.elements.iter().map(|element| element.text);
        if let Some(similar) = similar(member.text, names.clone().chain(["all"])) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        } else {
            diagnostic = diagnostic.note(listed("its elements are", "its elements have no names", names));
        }
        self.report(diagnostic);
        None
    }

    /// Whether `all` stands for the set of all elements: an element of this name comes first.
    pub fn is_all(&self, id: EnumId, member: ast::Name<'s>) -> bool {
        let mut elements = self.system.enums[id.index()].elements.iter();
        member.text == "all" && elements.all(|element| element.text != "all")
    }

    /// Reports that an element of an abstract enum is named.
    pub fn abstract_element(&mut self, id: EnumId, element: u32, span: Span) {
        let item = &self.program.enums[id];
        let (name, element) = (clip(&item.name), clip(&item.elements[element as usize]));
        let diagnostic =
            Diagnostic::error(codes::ABSTRACT_ELEMENT, format!("`{name}.{element}` cannot be named here"))
                .at(span, format!("the elements of `{name}` are interchangeable"))
                .label(item.span, "the enum is abstract")
                .note(
                    "states that differ only in which elements they use count as one, so a model must not \
                     tell the elements apart",
                )
                .note(
                    "invariants and assertions may name an element, which is then kept apart from the others",
                )
                .help(format!("take any element with `x := Set.choose({name}.all);`"));
        self.report(diagnostic);
    }

    fn constant_binary(&mut self, binary: &ast::Binary<'s>, span: Span) -> Option<Value> {
        let left = self.constant(&binary.left);
        let right = self.constant(&binary.right)?;
        let (op, left) = (binary.op, left?);
        match (left, right) {
            (Value::Int(..), Value::Int(0, _)) if matches!(op, BinaryOp::Div | BinaryOp::Rem) => {
                self.report(
                    Diagnostic::error(codes::DIVISION_BY_ZERO, "this constant divides by zero")
                        .at(binary.right.span, "this is 0"),
                );
                None
            }
            (Value::Int(a, wa), Value::Int(b, wb)) => {
                let compared = match op {
                    BinaryOp::Eq => Some(a == b),
                    BinaryOp::Ne => Some(a != b),
                    BinaryOp::Lt => Some(a < b),
                    BinaryOp::Le => Some(a <= b),
                    BinaryOp::Gt => Some(a > b),
                    BinaryOp::Ge => Some(a >= b),
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                        return self.bad_operand(binary.op_span, "this operator needs booleans");
                    }
                    _ => None,
                };
                if let Some(compared) = compared {
                    return Some(Value::Bool(compared));
                }
                let width = if op.is_shift() { wa } else { wider(wa, wb) };
                match arithmetic(op, a, b, wa) {
                    Some(value) => Some(Value::Int(value, width)),
                    None => self.overflow(span),
                }
            }
            (Value::Bool(a), Value::Bool(b)) => match op {
                BinaryOp::And | BinaryOp::BitAnd => Some(Value::Bool(a && b)),
                BinaryOp::Or | BinaryOp::BitOr => Some(Value::Bool(a || b)),
                BinaryOp::Implies => Some(Value::Bool(!a || b)),
                BinaryOp::BitXor | BinaryOp::Ne => Some(Value::Bool(a != b)),
                BinaryOp::Eq => Some(Value::Bool(a == b)),
                _ => self.bad_operand(binary.op_span, "this operator needs numbers"),
            },
            (Value::Enum(a, x), Value::Enum(b, y)) if a == b && matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                Some(Value::Bool((x == y) == (op == BinaryOp::Eq)))
            }
            (left, right) => {
                let label = format!("the operands are {} and {}", left.describe(), right.describe());
                self.bad_operand(binary.op_span, &label)
            }
        }
    }

    /// A constant number, for places where the grammar requires a literal number.
    pub fn constant_int(&mut self, expr: &ast::Expr<'s>) -> Option<i64> {
        match self.constant(expr)? {
            Value::Int(value, _) => Some(value),
            other => {
                let label = format!("this is {}", other.describe());
                self.report(
                    Diagnostic::error(codes::MISMATCH, "this has to be a number").at(expr.span, label),
                );
                None
            }
        }
    }

    pub(super) fn int_type(&mut self, long: bool, range: Option<&ast::Range<'s>>) -> Option<IntType> {
        let width = if long { Width::Long } else { Width::Int };
        let whole = width.whole();
        let Some(range) = range else { return Some(whole) };
        let lo = self.constant_int(&range.lo);
        let hi = self.constant_int(&range.hi)?;
        let lo = lo?;
        let span = range.lo.span.to(range.hi.span);
        if lo > hi {
            self.report(
                Diagnostic::error(codes::BAD_RANGE, "this range has no values")
                    .at(span, format!("{lo} is greater than {hi}")),
            );
            return None;
        }
        if whole.admit(lo).is_none() || whole.admit(hi).is_none() {
            self.report(
                Diagnostic::error(codes::BAD_RANGE, "this range does not fit into an `int`")
                    .at(span, format!("from {lo} to {hi}"))
                    .help("use a `long`"),
            );
            return None;
        }
        Some(IntType { width, lo, hi, wrap: range.wrap })
    }

    /// Type and value in the IR.
    pub fn embed(&mut self, value: &Value) -> (Const, TypeId) {
        let (value, ty) = match value {
            Value::Int(value, width) => (Const::Int(*value), Type::Int(width.whole())),
            Value::Bool(value) => (Const::Bool(*value), Type::Bool),
            Value::Str(text) => (Const::String(self.string(text)), Type::String),
            Value::Enum(id, index) => (Const::Enum(*id, *index), self.enum_type(*id)),
            Value::Null => (Const::Null, Type::Null),
        };
        (value, self.intern(ty))
    }

    /// The initial value of a variable, if it has one that differs from the default.
    pub fn initial_value(&mut self, variable: &ast::Variable<'s>, ty: Option<TypeId>) -> Option<Const> {
        let init = variable.init.as_ref()?;
        if let Some(ty) = ty
            && let Some(kind) = Kind::of(self.ty(ty))
        {
            self.check_empty(init, kind, ty, variable.ty.span);
            return None;
        }
        self.initialised = Some(variable.name.text);
        let value = self.constant(init);
        self.initialised = None;
        let (value, ty) = (value?, ty?);
        let (value, found) = self.embed(&value);
        let (to, from) = (self.program.types[ty], self.program.types[found]);
        if !self.admits(to, from) {
            let (wanted, found) = (self.program.type_name(ty), self.program.type_name(found));
            self.report(
                Diagnostic::error(codes::MISMATCH, "the initial value does not fit its variable")
                    .at(init.span, format!("expected `{wanted}`, found `{found}`"))
                    .label(variable.ty.span, "because of this type"),
            );
            return None;
        }
        match (to, value) {
            (Type::Int(int), Const::Int(number)) => {
                let admitted = int.admit(number);
                if admitted.is_none() {
                    self.out_of_range(
                        init.span,
                        number,
                        ty,
                        Some((variable.ty.span, "because of this type")),
                    );
                }
                admitted.filter(|&number| number != int.default_value()).map(Const::Int)
            }
            (_, Const::Bool(false) | Const::Null | Const::Enum(_, 0)) => None,
            (_, value) => Some(value),
        }
    }

    /// Checks that the initial value of a collection is empty, like the default.
    fn check_empty(&mut self, init: &ast::Expr<'s>, kind: Kind, ty: TypeId, declared: Span) {
        if let ExprKind::Operation(operation) = &init.kind
            && (operation.extension.extension(), operation.name.text) == (Some(kind), "create")
        {
            let types: Vec<_> = operation.types.iter().map(|ty| self.resolve_type(ty)).collect();
            let given = if types.is_empty() {
                Some(self.ty(ty))
            } else {
                self.collection_type(kind, "create", &types, init.span)
            };
            let Some(given) = given else { return };
            let given = self.intern(given);
            let empty = match &operation.args[..] {
                [] => kind != Kind::Queue,
                [capacity] => kind == Kind::Queue && matches!(capacity.kind, ExprKind::Int { value: 0, .. }),
                _ => false,
            };
            if given != ty {
                let (wanted, found) = (self.program.type_name(ty), self.program.type_name(given));
                self.report(
                    Diagnostic::error(codes::MISMATCH, "the initial value does not fit its variable")
                        .at(init.span, format!("expected `{}`, found `{}`", clip(&wanted), clip(&found)))
                        .label(declared, "because of this type"),
                );
                return;
            }
            if empty {
                return;
            }
        }
        let start = if kind == Kind::Queue { "empty, with capacity 0" } else { "empty" };
        self.report(
            Diagnostic::error(codes::NOT_EMPTY, format!("{} starts {start}", kind.noun()))
                .at(init.span, "this is not its initial value")
                .label(declared, "because of this type")
                .help("leave the initial value out, and assign to the variable in a thread"),
        );
    }

    pub fn out_of_range(&mut self, span: Span, number: i64, ty: TypeId, why: Option<(Span, &str)>) {
        let message = format!("{number} is out of the range of its place");
        let name = self.program.type_name(ty);
        let mut diagnostic =
            Diagnostic::error(codes::OUT_OF_RANGE, message).at(span, format!("the range is `{name}`"));
        if let Some((span, text)) = why {
            diagnostic = diagnostic.label(span, text);
        }
        self.report(diagnostic);
    }
}

fn wider(a: Width, b: Width) -> Width {
    if a == Width::Long { a } else { b }
}

/// `None` if the result does not fit, or is not defined.
fn arithmetic(op: BinaryOp, a: i64, b: i64, width: Width) -> Option<i64> {
    if op.is_shift() && !(0..i64::from(width.bits())).contains(&b) {
        return None;
    }
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::Shl => i64::try_from(i128::from(a) << b).ok(),
        BinaryOp::Shr => Some(a >> b),
        BinaryOp::Ushr => Some(match width {
            Width::Int => i64::from((a as u32 >> b) as i32),
            Width::Long => (a as u64 >> b) as i64,
        }),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        _ => None,
    }
}

/// A number of the command line.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.strip_suffix(['L', 'l']).unwrap_or(digits);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    // Rules out a second sign.
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    let magnitude = i128::from_str_radix(digits, radix).ok()?;
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_command_line() {
        assert_eq!(parse_int("12"), Some(12));
        assert_eq!(parse_int("-0x10"), Some(-16));
        assert_eq!(parse_int("7L"), Some(7));
        assert_eq!(parse_int("-9223372036854775808"), Some(i64::MIN));
        for bad in ["", "-", "--1", "+1", "1.5", "9223372036854775808", "0x", "x", "1 2"] {
            assert_eq!(parse_int(bad), None, "{bad}");
        }
    }

    #[test]
    fn arithmetic_is_that_of_the_ir() {
        use BinaryOp::*;
        let int = |op, a, b| arithmetic(op, a, b, Width::Int);
        assert_eq!(int(Div, -7, 2), Some(-3));
        assert_eq!(int(Rem, -7, 2), Some(-1));
        assert_eq!(int(Shr, -7, 1), Some(-4));
        assert_eq!(int(Ushr, -1, 28), Some(15));
        assert_eq!(arithmetic(Ushr, -1, 60, Width::Long), Some(15));
        assert_eq!(int(Shl, 1, 32), None);
        assert_eq!(arithmetic(Shl, 1, 62, Width::Long), Some(1 << 62));
        assert_eq!(arithmetic(Shl, 1, 63, Width::Long), None);
        assert_eq!(int(Add, i64::MAX, 1), None);
        assert_eq!(int(Div, i64::MIN, -1), None);
    }
}
