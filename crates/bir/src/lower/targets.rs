//! What assignments assign to.
//!
//! Collections are values. So an element of a collection is no place: `m[k] := v;` stores another map to `m`,
//! which is `m := Map.put(m, k, v);`. Elements of elements work alike.

use ir::{ActionKind, CollectionOp, Expr, ExprKind, Place, PlaceKind, Type, TypeId};
use source::Span;

use super::exprs::{Exprs, Why};
use crate::ast;
use crate::collections::Kind;

/// A place, or an element of a collection that is at a place.
pub struct Target {
    place: Place,
    /// The collections on the way to the element, from the outside, each with the key or index in it.
    elements: Vec<(Expr, Expr)>,
    pub ty: TypeId,
    span: Span,
}

impl Target {
    /// The place, unless it is an element of a collection.
    pub fn place(self) -> Option<Place> {
        self.elements.is_empty().then_some(self.place)
    }

    /// The assignment of a value.
    pub fn assign(self, value: Expr) -> ActionKind {
        let put = |value: Expr, (collection, key): (Expr, Expr)| {
            let (ty, span) = (collection.ty, value.span);
            Expr { kind: ExprKind::Collection(CollectionOp::Put, vec![collection, key, value]), ty, span }
        };
        let value = self.elements.into_iter().rev().fold(value, put);
        ActionKind::Assign(self.place, value)
    }
}

impl<'s> Exprs<'_, 's> {
    pub(super) fn target(&mut self, expr: &ast::Expr<'s>) -> Option<Target> {
        let span = expr.span;
        let whole = |place: Place| {
            let ty = place.ty;
            Target { place, elements: Vec::new(), ty, span }
        };
        let ast::ExprKind::Index(base, index) = &expr.kind else { return self.place_here(expr).map(whole) };
        let value = self.expr(base);
        if let Some(collection) = &value
            && let Some(kind) = Kind::of(self.ty(collection))
        {
            let (key, ty) = self.key(collection, kind, index, true)?;
            let outer = self.target(base)?;
            let mut elements = outer.elements;
            elements.extend(value.map(|collection| (collection, key)));
            return Some(Target { place: outer.place, elements, ty, span });
        }
        let (base, index, ty) = self.element_of(value, index)?;
        Some(whole(Place { kind: PlaceKind::Index(base, index), ty, span }))
    }

    /// An action that stores something to a target: through a temporary variable, if that is an element of a
    /// collection.
    pub(super) fn store(
        &mut self,
        target: Target,
        action: impl FnOnce(&mut Self, Place) -> Vec<ActionKind>,
    ) -> Vec<ActionKind> {
        if target.elements.is_empty() {
            return action(self, target.place);
        }
        let place = self.temporary(target.ty, target.span);
        let PlaceKind::Local(id) = place.kind else { return Vec::new() };
        let value = Expr { kind: ExprKind::Local(id), ty: place.ty, span: place.span };
        let mut actions = action(self, place);
        actions.push(target.assign(value));
        actions
    }

    /// The reason for the type of a target.
    pub(super) fn why(&self, target: &Target) -> Why<'static> {
        if target.elements.is_empty() { self.reason(&target.place) } else { Why::Element(target.span) }
    }

    /// The key or index of an element of a collection, and the type of the element. A new key has to fit the
    /// type of the keys.
    pub(super) fn key(
        &mut self,
        collection: &Expr,
        kind: Kind,
        index: &ast::Expr<'s>,
        is_new: bool,
    ) -> Option<(Expr, TypeId)> {
        match self.ty(collection) {
            Type::Map(key, value) => {
                let why = Why::Collection(collection.span);
                let key = if is_new { self.value(index, key, why) } else { self.sought(index, key, why) };
                Some((key?, value))
            }
            Type::Seq(element) | Type::Queue(element) => Some((self.integer(index, "an index")?, element)),
            _ => {
                self.expr(index);
                self.no_array(collection, kind);
                None
            }
        }
    }
}
