//! Objects that are made in the middle of an expression.
//!
//! `start Worker(new Task);` is one step: the object is made first, and kept in a temporary variable until
//! the rest of the statement has used it. Temporaries are not live at any location, so that they do not keep
//! an object alive between steps, nor make equal states differ. Only during a call, whose arguments they are,
//! they keep their objects.
//!
//! The object is made whether or not the expression needs it. So `new` is refused where an expression is
//! evaluated only if needed, or several times: behind `&&`, `||`, `=>` and `?`, and in quantifiers.

use ir::{Action, ActionKind, Const, Expr, ExprKind, LocalId, New, Place, PlaceKind, Type, TypeId, Variable};
use source::{Diagnostic, Span};

use super::exprs::Exprs;
use crate::ast;
use crate::codes;

/// A variable that holds an object during a step.
pub struct Temporary {
    id: LocalId,
    ty: TypeId,
    /// Whether the current statement uses it.
    busy: bool,
}

impl<'s> Exprs<'_, 's> {
    /// Lowers what may contain `new`. Returns the actions that make the objects, which come first.
    pub fn with_objects<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(Vec<Action>, T)> {
        let outer = self.made.replace(Vec::new());
        let lowered = lower(self);
        let made = std::mem::replace(&mut self.made, outer);
        self.temporaries.iter_mut().for_each(|temporary| temporary.busy = false);
        Some((made.unwrap_or_default(), lowered?))
    }

    /// Lowers what is evaluated only if needed, or several times: `new` is refused in it.
    pub(super) fn without_objects<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.made.take();
        let lowered = lower(self);
        self.made = outer;
        lowered
    }

    /// A free variable of a type.
    pub(super) fn temporary(&mut self, ty: TypeId, span: Span) -> Place {
        let free = self.temporaries.iter_mut().find(|temporary| !temporary.busy && temporary.ty == ty);
        let id = if let Some(temporary) = free {
            temporary.busy = true;
            temporary.id
        } else {
            let variable = Variable { synthetic: true, ..Variable::new("made", ty, None, span) };
            let id = self.variables.push(variable);
            self.temporaries.push(Temporary { id, ty, busy: true });
            id
        };
        Place { kind: PlaceKind::Local(id), ty, span }
    }

    /// Whether a variable is a temporary.
    pub(super) fn is_temporary(&self, id: LocalId) -> bool {
        self.temporaries.iter().any(|temporary| temporary.id == id)
    }

    /// `new` as a part of an expression.
    pub(super) fn new_object(&mut self, new: &ast::New<'s>, span: Span) -> Option<Expr> {
        if self.made.is_none() {
            self.report(
                Diagnostic::error(codes::IMPURE_EXPRESSION, "`new` cannot be a part of this expression")
                    .at(span, "this creates an object")
                    .note(
                        "conditions have no effects; nor has what is evaluated only if needed, behind `&&`, \
                         `||`, `=>` and `?`",
                    )
                    .help("assign the object to a variable first: `v := new …;`"),
            );
            return None;
        }
        let (made, ty) = self.creation(new)?;
        let place = self.temporary(ty, span);
        let actions = self.made_at(place.clone(), made, span);
        if let Some(list) = &mut self.made {
            list.extend(actions.into_iter().map(|kind| Action { kind, span }));
        }
        Some(read(&place))
    }

    /// What `new` makes, and its type.
    pub(super) fn creation(&mut self, new: &ast::New<'s>) -> Option<(New, TypeId)> {
        let created = self.model.resolve_type(&new.ty);
        let length = new.length.as_ref().map(|length| self.integer(length, "the length of an array"));
        let created = created?;
        let (made, ty) = match (length, self.model.ty(created)) {
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
        Some((made, self.model.intern(ty)))
    }

    /// Makes an object at a place, and gives its fields their initial values.
    pub(super) fn made_at(&mut self, place: Place, made: New, span: Span) -> Vec<ActionKind> {
        let New::Record(record) = made else { return vec![ActionKind::New(place, made)] };
        let fields = self.model.program.records[record].fields.clone();
        let initial: Vec<_> =
            fields.iter().filter_map(|&field| Some((field, *self.model.field_values.get(&field)?))).collect();
        if initial.is_empty() {
            return vec![ActionKind::New(place, made)];
        }
        // A place that is reached through references may be another one once it was assigned to.
        let ty = self.model.intern(Type::Record(record));
        let is_plain = matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Global(_)) && place.ty == ty;
        let object = if is_plain { place.clone() } else { self.temporary(ty, span) };
        let mut actions = vec![ActionKind::New(object.clone(), made)];
        for (field, value) in initial {
            let ty = self.model.program.fields[field].ty;
            let target = Place { kind: PlaceKind::Field(read(&object), field), ty, span };
            let value = self.constant(value, span);
            actions.push(ActionKind::Assign(target, value));
        }
        if !is_plain {
            actions.push(ActionKind::Assign(place, read(&object)));
        }
        actions
    }

    fn constant(&mut self, value: Const, span: Span) -> Expr {
        let ty = match value {
            Const::Bool(_) => Type::Bool,
            Const::Int(number) if i32::try_from(number).is_ok() => Type::Int(ir::IntType::INT),
            Const::Int(_) => Type::Int(ir::IntType::LONG),
            Const::Enum(id, _) => self.model.enum_type(id),
            Const::String(_) => Type::String,
            Const::Null => Type::Null,
        };
        self.make(ExprKind::Const(value), ty, span)
    }
}

/// The value of a variable.
fn read(place: &Place) -> Expr {
    let kind = match place.kind {
        PlaceKind::Global(id) => ExprKind::Global(id),
        PlaceKind::Local(id) => ExprKind::Local(id),
        PlaceKind::Field(..) | PlaceKind::Index(..) | PlaceKind::Through(_) | PlaceKind::Element(..) => {
            unreachable!("only variables are read")
        }
    };
    Expr { kind, ty: place.ty, span: place.span }
}
