//! Quantifiers: their conditions become pure functions.
//!
//! The condition of `forall x in e : p` is lifted into a function whose first parameter is the element. The
//! variables of the surroundings that `p` mentions (locals, parameters, variables of outer quantifiers) are
//! *captured*: they become further parameters, and the quantifier passes their values on. Globals are not
//! captured, since functions can read them. An element of an abstract enum is, since functions must not name
//! one. So captures are variables and constants, and evaluating them cannot fault.
//!
//! Quantifiers nest: a variable that an inner quantifier captures from outside of an outer one is captured by
//! the outer one as well.

use ir::{Const, EnumId, Expr, ExprKind, Fun, LocalId, Type};
use source::{Diagnostic, NameKind, Span};

use super::exprs::{Exprs, Local, Owner};
use crate::ast;
use crate::codes;
use crate::resolve::Symbol;
use crate::text::clip;

/// A quantifier whose condition is being lowered.
#[derive(Default)]
pub struct Lambda {
    captures: Vec<Capture>,
    /// Whether its condition mentions its variable.
    used: bool,
}

struct Capture {
    what: Captured,
    /// Its name in the condition.
    name: String,
    /// The value outside of the quantifier.
    outer: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Captured {
    /// By level and index.
    Local(usize, u32),
    Element(EnumId, u32),
}

impl<'s> Exprs<'_, 's> {
    /// A variable, as seen inside the open quantifiers.
    pub(super) fn local(&mut self, local: Local, name: ast::Name<'s>) -> Option<Expr> {
        if local.level == 0 {
            self.used.insert(local.index);
        } else {
            self.lambdas[local.level - 1].used = true;
        }
        let kind = if local.level > 0 || self.owner == Owner::Fun {
            ExprKind::Param(local.index)
        } else {
            ExprKind::Local(LocalId(local.index))
        };
        let outer = Expr { kind, ty: local.ty?, span: name.span };
        Some(self.captured(Captured::Local(local.level, local.index), local.level, name.text, outer))
    }

    /// An element of an abstract enum.
    pub(super) fn named_element(&mut self, id: EnumId, element: u32, span: Span) -> Expr {
        let ty = self.model.enum_type(id);
        let outer = self.make(ExprKind::Const(Const::Enum(id, element)), ty, span);
        let name = self.model.program.enums[id].elements[element as usize].clone();
        self.captured(Captured::Element(id, element), 0, &name, outer)
    }

    /// Passes a value from a level on to the innermost one.
    fn captured(&mut self, what: Captured, level: usize, name: &str, outer: Expr) -> Expr {
        let mut value = outer;
        for lambda in &mut self.lambdas[level..] {
            let (ty, span) = (value.ty, value.span);
            let known = lambda.captures.iter().position(|capture| capture.what == what);
            let index = known.unwrap_or_else(|| {
                lambda.captures.push(Capture { what, name: name.to_owned(), outer: value });
                lambda.captures.len() - 1
            });
            value = Expr { kind: ExprKind::Param(index as u32 + 1), ty, span };
        }
        value
    }

    pub(super) fn quantified(&mut self, item: &ast::Quantified<'s>, span: Span) -> Option<Expr> {
        let over = self.range(item);
        let element = over.as_ref().and_then(|over| self.ty(over).element());
        let name = item.variable;
        self.lambdas.push(Lambda::default());
        let level = self.lambdas.len();
        let variable = Local { index: 0, level, ty: element, fixed: true, span: name.span };
        self.define(name, NameKind::Bound, element, span);
        let hidden = self.locals.insert(name.text, variable);
        let body = self.without_objects(|exprs| exprs.condition(&item.body, "the condition of a quantifier"));
        match hidden {
            Some(hidden) => self.locals.insert(name.text, hidden),
            None => self.locals.remove(name.text),
        };
        let Lambda { captures, used } = self.lambdas.pop()?;
        if !used && !name.text.starts_with('_') {
            let message = format!("the variable `{}` is never used", clip(name.text));
            self.report(Diagnostic::warning(codes::UNUSED_VARIABLE, message).at(name.span, ""));
        }
        let (over, body) = (over?, body?);
        let mut params = vec![(name.text.to_owned(), element?)];
        params.extend(captures.iter().map(|capture| (capture.name.clone(), capture.outer.ty)));
        let word = if item.all { "forall" } else { "exists" };
        let fun = self.model.program.funs.push(Fun {
            // No function of a model can have this name.
            name: format!("{word} {}", name.text),
            params,
            result: body.ty,
            body,
            span,
        });
        let captures = captures.into_iter().map(|capture| capture.outer).collect();
        let kind = ExprKind::Quantified { all: item.all, over: Box::new(over), fun, captures };
        Some(self.make(kind, Type::Bool, span))
    }

    /// The collection that a quantifier ranges over.
    fn range(&mut self, item: &ast::Quantified<'s>) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = item.over.kind
            && !self.locals.contains_key(name)
            && let Some(Symbol::Enum(_)) = self.model.symbol(name)
        {
            let shown = clip(name);
            self.report(
                Diagnostic::error(codes::NOT_A_COLLECTION, "quantifiers range over collections")
                    .at(item.over.span, "this is an enum")
                    .help(format!("the set of its elements is `{shown}.all`")),
            );
            return None;
        }
        let over = self.expr(&item.over)?;
        if self.ty(&over).element().is_none() {
            let found = self.type_name(over.ty);
            self.report(
                Diagnostic::error(codes::NOT_A_COLLECTION, "quantifiers range over collections")
                    .at(over.span, format!("of type `{found}`"))
                    .note("these are sets, bags, maps (their keys), sequences and queues"),
            );
            return None;
        }
        Some(over)
    }
}
