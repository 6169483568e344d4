//! Statements about objects: making, copying and deleting.

use ir::{
    Action, ActionKind, Const, Exit, Expr, ExprKind, Guard, Jump, Leaks, LocalId, Location, LocationId,
    Memory, New, Place, PlaceKind, Scope, Transition, Type, TypeId, Variable,
};
use source::{Diagnostic, Span};

use super::Lowering;
use super::dynamic::{MAX_CELLS, Shape};
use super::spots::Spot;
use crate::codes;
use crate::objects::{Act, Dynamic, PointeeId, Whole};
use crate::symbols::{Cell, Init};
use crate::tree::{Ex, ExKind};
use crate::typing::Kind;

impl Lowering<'_, '_> {
    /// The actions of a statement.
    pub(super) fn act(&mut self, act: &Act, span: Span) -> Vec<ActionKind> {
        match act {
            Act::New(target, pointee, length) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                self.make(place, *pointee, length.as_ref(), span)
            }
            Act::NewChannel(target, ty) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                let channel = self.made_channel(ty);
                vec![ActionKind::New(place, New::Channel(channel))]
            }
            Act::Delete(ex) => {
                self.program.memory = Memory::Explicit(Leaks::default());
                vec![ActionKind::Delete(self.number(ex))]
            }
            Act::Copy(to, from) => self.copy(to, from, span),
            Act::Declare(id, init) => self.declare(*id, init, span),
            // They are exits of transitions.
            Act::Call { .. } | Act::Return(..) => Vec::new(),
        }
    }

    /// Makes an object, or several in a row, with initial values, and stores a pointer to it.
    fn make(&mut self, place: Place, pointee: PointeeId, length: Option<&Ex>, span: Span) -> Vec<ActionKind> {
        let Shape { record, fields, cells, .. } = &self.shapes[pointee.index()];
        let (record, fields, cells) = (*record, fields.clone(), cells.clone());
        let has_values = cells.iter().any(|cell| cell.init.is_some());
        if let Some(length) = length {
            let count = length.literal().map_or(0, |count| count.max(0) as u64);
            let made = New::Block { record, length: self.number(length) };
            if !has_values {
                return vec![ActionKind::New(place, made)];
            }
            if length.literal().is_none() || count.saturating_mul(cells.len() as u64) > MAX_CELLS {
                self.builder.diagnostics.push(
                    Diagnostic::error(
                        codes::UNSUPPORTED_DYNAMIC,
                        "a number of objects with initial values that is not a small constant",
                    )
                    .at(span, "fields of the type have initial values")
                    .help("set the fields in a loop after `new`, or write the number as a constant"),
                );
                return Vec::new();
            }
            return self.make_row(place, made, count, &cells, span);
        }
        if !has_values {
            return vec![ActionKind::New(place, New::Record(record))];
        }
        let ty = self.program.types.intern(Type::Record(record));
        let (whole, temporary) = self.temporary("#new", ty, span);
        let mut actions = vec![ActionKind::New(temporary.clone(), New::Record(record))];
        for (cell, &field) in cells.iter().zip(&fields) {
            let ty = self.program.fields[field].ty;
            let inner = Place { kind: PlaceKind::Field(whole.clone(), field), ty, span };
            if let Some(Init::Value(value)) = &cell.init {
                let value = self.of_kind(value, Kind::of(cell.scalar));
                actions.push(ActionKind::Assign(inner, value));
            }
        }
        let made = if self.builder.wide[pointee.index()] {
            self.pointer_to(Spot::Field(whole, fields[0]), span)
        } else {
            whole
        };
        actions.push(ActionKind::Assign(place, made));
        let null = self.natural(ExprKind::Const(Const::Null), span);
        actions.push(ActionKind::Assign(temporary, null));
        actions
    }

    /// Makes several objects in a row, with initial values.
    fn make_row(
        &mut self,
        place: Place,
        made: New,
        count: u64,
        cells: &[Cell],
        span: Span,
    ) -> Vec<ActionKind> {
        let (row, temporary) = self.temporary("#row", place.ty, span);
        let mut actions = vec![ActionKind::New(temporary.clone(), made)];
        for (at, cell) in (0..count).flat_map(|_| cells).enumerate() {
            let Some(Init::Value(value)) = &cell.init else { continue };
            let value = self.of_kind(value, Kind::of(cell.scalar));
            let spot = self.moved(row.clone(), at as u64, span);
            actions.push(ActionKind::Assign(self.place_at(spot, cell.scalar, span), value));
        }
        actions.push(ActionKind::Assign(place, row));
        let null = self.natural(ExprKind::Const(Const::Null), span);
        actions.push(ActionKind::Assign(temporary, null));
        actions
    }

    /// Copies a record, value by value. What pointers lead to is looked up once.
    fn copy(&mut self, to: &Whole, from: &Whole, span: Span) -> Vec<ActionKind> {
        let mut actions = Vec::new();
        let to_pointer = self.start_of(to, "#to", &mut actions);
        let from_pointer = self.start_of(from, "#from", &mut actions);
        let (targets, values) = (to.values(), from.values());
        for (at, (target, value)) in targets.iter().zip(&values).enumerate() {
            let scalar = match &target.kind {
                ExKind::Var(place) => self.builder.scalar_of(place),
                ExKind::Dynamic(Dynamic::Load(access)) => access.scalar,
                _ => continue,
            };
            let value = match (&from_pointer, from) {
                (Some((pointer, _)), Whole::Object(places)) => {
                    let distance = self.distance(&places[0], &places[at]);
                    let spot = self.moved(pointer.clone(), distance, span);
                    self.value_at(spot, scalar, span).expr
                }
                _ => self.number(value),
            };
            let place = match (&to_pointer, to, &target.kind) {
                (Some((pointer, _)), Whole::Object(places), _) => {
                    let distance = self.distance(&places[0], &places[at]);
                    let spot = self.moved(pointer.clone(), distance, span);
                    self.place_at(spot, scalar, span)
                }
                (_, _, ExKind::Var(place)) => self.place(place),
                _ => continue,
            };
            actions.push(ActionKind::Assign(place, value));
        }
        for (_, temporary) in to_pointer.into_iter().chain(from_pointer) {
            let null = self.natural(ExprKind::Const(Const::Null), span);
            actions.push(ActionKind::Assign(temporary, null));
        }
        actions
    }

    /// A variable of the current procedure that holds a value in the middle of a step.
    pub(super) fn temporary(&mut self, name: &str, ty: TypeId, span: Span) -> (Expr, Place) {
        let local = self.temporary_local(name, ty, span);
        let kind = ExprKind::Local(local);
        (Expr { kind, ty, span }, Place { kind: PlaceKind::Local(local), ty, span })
    }

    fn temporary_local(&mut self, name: &str, ty: TypeId, span: Span) -> LocalId {
        let Scope::Procedure(id) = self.scope else { return LocalId(0) };
        let locals = &mut self.program.procedures[id].locals;
        let known = locals.iter().find(|(_, local)| local.name == name && local.ty == ty).map(|(id, _)| id);
        known.unwrap_or_else(|| {
            let mut variable = Variable::new(name, ty, None, span);
            variable.synthetic = true;
            locals.push(variable)
        })
    }

    /// A location that is passed at once.
    pub(super) fn fused(&mut self, actions: Vec<Action>, then: Jump) -> LocationId {
        let Scope::Procedure(id) = self.scope else { unreachable!("statements are in procedures") };
        let span = self.program.procedures[id].span;
        let mut location = Location::new("", id, span);
        location.fused = true;
        location.synthetic = true;
        let at = self.program.locations.push(location);
        self.add(Transition::new(at, Guard::Always, actions, Exit::Jump(then), span));
        at
    }
}
