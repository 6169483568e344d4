//! Operators, casts and type tests.

use ir::{BinaryOp, Const, Expr, ExprKind, IntType, Type, TypeId, UnaryOp, Width};
use source::{Diagnostic, Span};

use super::exprs::Exprs;
use crate::ast;
use crate::codes;
use crate::collections::Kind;
use crate::text::clip;

impl<'s> Exprs<'_, 's> {
    pub(super) fn negate(&mut self, operand: &ast::Expr<'s>, span: Span) -> Option<Expr> {
        let operand = self.integer(operand, "the operand of `-`")?;
        let Type::Int(int) = self.ty(&operand) else { return None };
        Some(self.make(ExprKind::Unary(UnaryOp::Neg, Box::new(operand)), Type::Int(int.width.whole()), span))
    }

    pub(super) fn binary(&mut self, binary: &ast::Binary<'s>, span: Span) -> Option<Expr> {
        let (left, right) = if matches!(binary.op, BinaryOp::Eq | BinaryOp::Ne) {
            self.pair(&binary.left, &binary.right, None)
        } else {
            let left = self.expr(&binary.left);
            let right = if matches!(binary.op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies) {
                self.without_objects(|exprs| exprs.expr(&binary.right))
            } else {
                self.expr(&binary.right)
            };
            (left, right)
        };
        let (left, right) = (left?, right?);
        let (a, b) = (self.ty(&left), self.ty(&right));
        let ty = match binary.op {
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr => wider(a, b).and(whole(a)),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor if a == Type::Bool && b == Type::Bool => {
                Some(Type::Bool)
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => wider(a, b),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => wider(a, b).map(|_| Type::Bool),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                (a == Type::Bool && b == Type::Bool).then_some(Type::Bool)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                if !self.model.related(a, b) {
                    self.unrelated(binary, &left, &right);
                    return None;
                }
                Some(Type::Bool)
            }
        };
        let Some(ty) = ty else {
            self.bad_operands(binary, &left, &right);
            return None;
        };
        Some(self.make(ExprKind::Binary(binary.op, Box::new(left), Box::new(right)), ty, span))
    }

    fn bad_operands(&mut self, binary: &ast::Binary<'s>, left: &Expr, right: &Expr) {
        let logical = matches!(binary.op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies);
        let sides = [left, right];
        let wrong = sides.into_iter().find(|side| self.noun(side).is_some()).filter(|_| !logical);
        if let Some(wrong) = wrong {
            self.only_equality(binary, sides, wrong);
            return;
        }
        let wanted = match binary.op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => "booleans",
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => "two integers or two booleans",
            _ => "integers",
        };
        let op = clip(self.model.map.text(binary.op_span));
        let [of_left, of_right] = sides.map(|side| format!("of type `{}`", self.type_name(side.ty)));
        self.report(
            Diagnostic::error(codes::BAD_OPERAND, format!("`{op}` works on {wanted}"))
                .at(binary.op_span, "")
                .label(left.span, of_left)
                .label(right.span, of_right),
        );
    }

    /// The noun, in messages, for an operand that cannot be ordered or computed with.
    fn noun(&self, operand: &Expr) -> Option<String> {
        Some(match self.ty(operand) {
            Type::Record(_) | Type::Array(_) | Type::Lock => "references".to_owned(),
            Type::Tid => "threads".to_owned(),
            Type::Abstract(id) => {
                format!("elements of the abstract enum `{}`", clip(&self.model.program.enums[id].name))
            }
            ty if ty.is_collection() => "collections".to_owned(),
            _ => return None,
        })
    }

    fn only_equality(&mut self, binary: &ast::Binary<'s>, sides: [&Expr; 2], wrong: &Expr) {
        let op = clip(self.model.map.text(binary.op_span));
        let [left, right] = sides.map(|side| format!("of type `{}`", self.type_name(side.ty)));
        let noun = self.noun(wrong).unwrap_or_default();
        let diagnostic = Diagnostic::error(codes::ONLY_EQUALITY, format!("`{op}` cannot be used on {noun}"))
            .at(binary.op_span, "")
            .label(sides[0].span, left)
            .label(sides[1].span, right);
        self.report(if is_name(self.ty(wrong)) {
            without_names(diagnostic)
                .help("if the model has to order or count them, keep numbers in a field or a map")
        } else {
            diagnostic.note("collections can only be equal or not").help(
                "compare sizes with `Set.size(…)` and sets with `Set.subset(…, …)`, add with `Set.add(…, …)`",
            )
        });
    }

    fn unrelated(&mut self, binary: &ast::Binary<'s>, left: &Expr, right: &Expr) {
        let (a, b) = (self.type_name(left.ty), self.type_name(right.ty));
        let records = matches!((self.ty(left), self.ty(right)), (Type::Record(_), Type::Record(_)));
        let (one, other) = (Kind::of(self.ty(left)), Kind::of(self.ty(right)));
        let message = match (one, other) {
            (Some(_), Some(_)) => "collections of different types cannot be compared",
            _ => "values of these types can never be equal",
        };
        let mut diagnostic = Diagnostic::error(codes::UNRELATED, message)
            .at(binary.op_span, "")
            .label(left.span, format!("of type `{a}`"))
            .label(right.span, format!("of type `{b}`"));
        if records {
            diagnostic = diagnostic.note(format!("no record descends from both `{a}` and `{b}`"));
        }
        let null = [left, right].iter().any(|side| self.ty(side) == Type::Null);
        if let Some(kind) = one.or(other).filter(|_| null) {
            let (noun, name) = (kind.noun(), kind.name());
            diagnostic =
                diagnostic.help(format!("{noun} is a value, never `null`: ask for `{name}.isEmpty(…)`"));
        }
        let element = |side: &Expr| self.ty(side).element();
        if [(left, right), (right, left)].iter().any(|(all, one)| element(all) == Some(one.ty))
            && let Some(kind) = one.or(other)
        {
            diagnostic = diagnostic.help(format!("membership is `{}.contains(…, …)`", kind.name()));
        }
        self.report(diagnostic);
    }

    pub(super) fn conditional(
        &mut self,
        parts: &[ast::Expr<'s>; 3],
        span: Span,
        expected: Option<TypeId>,
    ) -> Option<Expr> {
        let [test, then, otherwise] = parts;
        let test = self.condition(test, "the condition of `?:`");
        let (then, otherwise) = self.without_objects(|exprs| exprs.pair(then, otherwise, expected));
        let (test, then, otherwise) = (test?, then?, otherwise?);
        let (a, b) = (self.ty(&then), self.ty(&otherwise));
        let ty = if a == b {
            a
        } else if let Some(int) = wider(a, b) {
            int
        } else if self.model.admits(a, b) {
            a
        } else if self.model.admits(b, a) {
            b
        } else {
            let labels = [&then, &otherwise].map(|side| format!("of type `{}`", self.type_name(side.ty)));
            let [of_then, of_otherwise] = labels;
            self.report(
                Diagnostic::error(codes::MISMATCH, "the two values of `?:` have no type in common")
                    .at(otherwise.span, of_otherwise)
                    .label(then.span, of_then),
            );
            return None;
        };
        let parts = [test, then, otherwise].map(Box::new);
        let [test, then, otherwise] = parts;
        Some(self.make(ExprKind::Cond(test, then, otherwise), ty, span))
    }

    pub(super) fn cast(&mut self, ty: &ast::Type<'s>, operand: &ast::Expr<'s>, span: Span) -> Option<Expr> {
        let target = self.model.resolve_type(ty);
        let operand = self.expr(operand)?;
        let target = target?;
        match (self.model.ty(target), self.ty(&operand)) {
            (Type::Record(record), found @ (Type::Record(_) | Type::Null)) => {
                if !self.model.related(Type::Record(record), found) {
                    let (to, from) = (self.type_name(target), self.type_name(operand.ty));
                    self.report(
                        Diagnostic::error(codes::BAD_CAST, "this cast can never succeed")
                            .at(ty.span, "")
                            .label(operand.span, format!("of type `{from}`"))
                            .note(format!("no record descends from both `{from}` and `{to}`")),
                    );
                    return None;
                }
                Some(Expr { kind: ExprKind::Cast(record, Box::new(operand)), ty: target, span })
            }
            // Any sum with a `long` is a `long`.
            (Type::Int(IntType::LONG), Type::Int(_)) => {
                let long = Type::Int(IntType::LONG);
                let zero = self.make(ExprKind::Const(Const::Int(0)), long, span);
                let sum = ExprKind::Binary(BinaryOp::Add, Box::new(operand), Box::new(zero));
                Some(self.make(sum, long, span))
            }
            (to, from) if to == from => Some(Expr { span, ..operand }),
            (Type::Int(IntType::INT), Type::Int(int)) if int.width == Width::Int => {
                Some(Expr { span, ..operand })
            }
            (Type::Int(_), Type::Int(_)) => {
                self.report(
                    Diagnostic::error(codes::BAD_CAST, "integers are not cast to smaller ones")
                        .at(ty.span, "")
                        .help("assign the value to a variable of this type: its range is checked then"),
                );
                None
            }
            _ => {
                let (to, from) = (self.type_name(target), self.type_name(operand.ty));
                let diagnostic =
                    Diagnostic::error(codes::BAD_CAST, format!("`{from}` cannot be cast to `{to}`"))
                        .at(ty.span, "")
                        .label(operand.span, format!("of type `{from}`"))
                        .note("casts are for records");
                let named = matches!(self.model.ty(target), Type::Int(_)) && is_name(self.ty(&operand));
                self.report(if named { without_names(diagnostic) } else { diagnostic });
                None
            }
        }
    }

    pub(super) fn instance_of(
        &mut self,
        operand: &ast::Expr<'s>,
        name: ast::Name<'s>,
        span: Span,
    ) -> Option<Expr> {
        let record = self.model.record_named(name);
        let operand = self.expr(operand)?;
        let record = record?;
        let found = self.ty(&operand);
        if !matches!(found, Type::Record(_)) || !self.model.related(Type::Record(record), found) {
            let from = self.type_name(operand.ty);
            let mut diagnostic = Diagnostic::error(codes::BAD_CAST, "this test can never succeed")
                .at(name.span, "")
                .label(operand.span, format!("of type `{from}`"));
            if matches!(found, Type::Record(_)) {
                let to = clip(name.text);
                diagnostic = diagnostic.note(format!("no record descends from both `{from}` and `{to}`"));
            }
            self.report(diagnostic);
            return None;
        }
        Some(self.make(ExprKind::InstanceOf(Box::new(operand), record), Type::Bool, span))
    }
}

/// Whether values of a type are names, which can only be compared for equality.
pub(super) fn is_name(ty: Type) -> bool {
    ty.is_reference() || matches!(ty, Type::Tid | Type::Abstract(_))
}

/// Adds a note why names are not numbers.
pub(super) fn without_names(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "references, threads and elements of abstract enums can only be equal or not: states that differ in \
         nothing but these names count as one, so renaming must not be observable",
    )
}

/// All integers of the width of an integer type.
fn whole(ty: Type) -> Option<Type> {
    match ty {
        Type::Int(int) => Some(Type::Int(int.width.whole())),
        _ => None,
    }
}

/// The type of arithmetic on two types, if both are integers.
fn wider(a: Type, b: Type) -> Option<Type> {
    match (a, b) {
        (Type::Int(a), Type::Int(b)) if a.width == Width::Int && b.width == Width::Int => {
            Some(Type::Int(IntType::INT))
        }
        (Type::Int(_), Type::Int(_)) => Some(Type::Int(IntType::LONG)),
        _ => None,
    }
}
