//! Places in objects, and pointers to them.
//!
//! A place is a field of a record, known when the model is compiled, or what a pointer of the IR leads to.

use ir::{ActionKind, Const, Expr, ExprKind, FieldId, Place, PlaceKind, Type, TypeId};
use source::Span;

use super::exprs::Value;
use super::{Lowering, WORD};
use crate::objects::{Access, Address, PointeeId, Whole};
use crate::symbols::{Scalar, Stride, leaves, place_of, size_of};
use crate::tree::{Ex, Ref, Target};
use crate::typing::Kind;

/// A place in an object.
pub(super) enum Spot {
    /// A field of a record.
    Field(Expr, FieldId),
    /// What a pointer leads to.
    Pointer(Expr),
}

impl Lowering<'_, '_> {
    /// The place of a variable that is an object.
    pub(super) fn boxed_spot(&mut self, place: &Ref) -> Option<Spot> {
        let symbol = &self.builder.symbols[place.symbol.index()];
        let pointee = symbol.boxed?;
        let (ty, size, path) = (symbol.ty, symbol.size, symbol.leaves[place.leaf].path.clone());
        let base = self.slots[&place.symbol].expr();
        let base = self.natural(base, place.span);
        let (at, strides) = place_of(&self.builder.typedefs, ty, size, &path);
        Some(self.spot(base, pointee, None, at, &strides, &place.indices, place.span))
    }

    /// The place that an access is to.
    pub(super) fn accessed(&mut self, access: &Access) -> Spot {
        let base = self.number(&access.base);
        let ty = self.shapes[access.pointee.index()].ty;
        let path = leaves(&self.builder.typedefs, "", ty, None, None)[access.leaf].path.clone();
        let (at, strides) = place_of(&self.builder.typedefs, ty, None, &path);
        let element = match &access.element {
            Some(element) if element.literal() != Some(0) => {
                let index = self.number(element);
                Some(self.times(index, size_of(&self.builder.typedefs, ty)))
            }
            _ => None,
        };
        self.spot(base, access.pointee, element, at, &strides, &access.indices, access.span)
    }

    /// The place that is `element` leaves from where `base` leads to, and from there `at` and what the indices
    /// into arrays say.
    #[expect(clippy::too_many_arguments, reason = "the parts of a path")]
    fn spot(
        &mut self,
        base: Expr,
        pointee: PointeeId,
        element: Option<Expr>,
        mut at: u64,
        strides: &[Stride],
        indices: &[Ex],
        span: Span,
    ) -> Spot {
        let mut moving = None;
        for (index, &(length, size)) in indices.iter().zip(strides) {
            if let Some(value) =
                index.literal().filter(|&value| (0..i64::from(length)).contains(&value.into()))
            {
                at += value as u64 * size;
                continue;
            }
            let value = self.number(index);
            let value = self.natural(ExprKind::Within(Box::new(value), length), index.span);
            let value = self.times(value, size);
            moving = Some(match moving.take() {
                None => value,
                Some(sum) => self.plus(sum, value, span),
            });
        }
        let is_record = matches!(self.program.types[base.ty], Type::Record(_));
        let fields = &self.shapes[pointee.index()].fields;
        if let (true, None, None, Some(&field)) = (is_record, &element, &moving, fields.get(at as usize)) {
            return Spot::Field(base, field);
        }
        let mut pointer = match fields.first() {
            Some(&first) if is_record => self.natural(ExprKind::Address(Box::new(base), first), span),
            _ => base,
        };
        if let Some(element) = element {
            pointer = self.offset(pointer, element, span);
        }
        let fixed = (at > 0).then(|| self.natural(ExprKind::Const(Const::Int(at as i64)), span));
        let distance = match (fixed, moving) {
            (Some(fixed), Some(moving)) => Some(self.plus(fixed, moving, span)),
            (fixed, moving) => fixed.or(moving),
        };
        Spot::Pointer(match distance {
            Some(distance) => self.offset(pointer, distance, span),
            None => pointer,
        })
    }

    fn times(&mut self, index: Expr, size: u64) -> Expr {
        let span = index.span;
        match (&index.kind, size) {
            (_, 1) => index,
            (ExprKind::Const(Const::Int(index)), _) => {
                let value = index.saturating_mul(size as i64);
                self.natural(ExprKind::Const(Const::Int(value)), span)
            }
            _ => {
                let size = self.natural(ExprKind::Const(Const::Int(size as i64)), span);
                let kind = ExprKind::Binary(ir::BinaryOp::Mul, Box::new(index), Box::new(size));
                self.natural(kind, span)
            }
        }
    }

    fn plus(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        self.natural(ExprKind::Binary(ir::BinaryOp::Add, Box::new(a), Box::new(b)), span)
    }

    fn offset(&mut self, pointer: Expr, distance: Expr, span: Span) -> Expr {
        self.natural(ExprKind::Offset(Box::new(pointer), Box::new(distance)), span)
    }

    /// The type of a value of this type where it is read or stored through a pointer.
    fn leaf_type(&mut self, scalar: Scalar) -> TypeId {
        match Kind::of(scalar) {
            Kind::Pointer(_) | Kind::Channel => self.scalar_type(scalar, WORD),
            Kind::Process if self.has_references_to_processes() => self.scalar_type(scalar, WORD),
            _ => self.int(WORD),
        }
    }

    /// The value of a place in an object.
    pub(super) fn value_at(&mut self, spot: Spot, scalar: Scalar, span: Span) -> Value {
        match spot {
            Spot::Field(base, field) => {
                let (lo, hi) = match self.program.types[self.program.fields[field].ty] {
                    Type::Int(range) => (range.lo, range.hi),
                    _ => (0, 0),
                };
                Value { expr: self.natural(ExprKind::Field(Box::new(base), field), span), lo, hi }
            }
            Spot::Pointer(pointer) => {
                let ty = self.leaf_type(scalar);
                let expr = Expr { kind: ExprKind::Load(Box::new(pointer)), ty, span };
                Value { expr, lo: WORD.lo, hi: WORD.hi }
            }
        }
    }

    /// A place in an object as one that can be stored to.
    pub(super) fn place_at(&mut self, spot: Spot, scalar: Scalar, span: Span) -> Place {
        match spot {
            Spot::Field(base, field) => {
                let ty = self.program.fields[field].ty;
                Place { kind: PlaceKind::Field(base, field), ty, span }
            }
            Spot::Pointer(pointer) => {
                let ty = self.leaf_type(scalar);
                Place { kind: PlaceKind::Through(pointer), ty, span }
            }
        }
    }

    /// A pointer to a place in an object.
    pub(super) fn pointer_to(&mut self, spot: Spot, span: Span) -> Expr {
        match spot {
            Spot::Field(base, field) => self.natural(ExprKind::Address(Box::new(base), field), span),
            // The place is looked up.
            Spot::Pointer(pointer) if !matches!(pointer.kind, ExprKind::Offset(..)) => {
                let here = self.natural(ExprKind::Const(Const::Int(0)), span);
                self.offset(pointer, here, span)
            }
            Spot::Pointer(pointer) => pointer,
        }
    }

    /// The value of `&` for pointers to such objects.
    pub(super) fn address(&mut self, address: &Address, pointee: PointeeId, span: Span) -> Expr {
        let spot = match address {
            Address::Variable(id) => {
                let object = self.slots[id].expr();
                let object = self.natural(object, span);
                match self.shapes[pointee.index()].fields.first() {
                    Some(&first) if self.builder.wide[pointee.index()] => Spot::Field(object, first),
                    _ => return object,
                }
            }
            Address::Part(place) => match self.boxed_spot(place) {
                Some(spot) => spot,
                None => return self.natural(ExprKind::Const(Const::Null), span),
            },
            Address::Through(access) => self.accessed(access),
        };
        self.pointer_to(spot, span)
    }

    pub(super) fn access_place(&mut self, access: &Access) -> Place {
        let spot = self.accessed(access);
        self.place_at(spot, access.scalar, access.span)
    }

    /// The place of a target, and its kind.
    pub(super) fn target_place(&mut self, target: &Target) -> Option<(Place, Kind)> {
        match target {
            Target::Var(place) => {
                let kind = Kind::of(self.builder.scalar_of(place));
                Some((self.place(place), kind))
            }
            Target::Through(access) => Some((self.access_place(access), Kind::of(access.scalar))),
            Target::Nothing | Target::Priority => None,
        }
    }

    /// Keeps a pointer to the first place of an object in a variable.
    pub(super) fn start_of(
        &mut self,
        whole: &Whole,
        name: &str,
        actions: &mut Vec<ActionKind>,
    ) -> Option<(Expr, Place)> {
        let Whole::Object(places) = whole else { return None };
        let first = places.first()?;
        let spot = self.accessed(first);
        let pointer = self.pointer_to(spot, first.span);
        let (variable, place) = self.temporary(name, pointer.ty, first.span);
        actions.push(ActionKind::Assign(place.clone(), pointer));
        Some((variable, place))
    }

    /// How far one place of an object is from another, where the two differ in constants only.
    pub(super) fn distance(&mut self, first: &Access, other: &Access) -> u64 {
        let ty = self.shapes[first.pointee.index()].ty;
        let at = |access: &Access| {
            let path = leaves(&self.builder.typedefs, "", ty, None, None)[access.leaf].path.clone();
            let (at, strides) = place_of(&self.builder.typedefs, ty, None, &path);
            let index = |index: &Ex| index.literal().map_or(0, |index| index as u64);
            at + access.indices.iter().zip(strides).map(|(by, (_, size))| index(by) * size).sum::<u64>()
        };
        at(other) - at(first)
    }

    pub(super) fn moved(&mut self, pointer: Expr, distance: u64, span: Span) -> Spot {
        if distance == 0 {
            return Spot::Pointer(pointer);
        }
        let distance = self.natural(ExprKind::Const(Const::Int(distance as i64)), span);
        Spot::Pointer(self.offset(pointer, distance, span))
    }
}
