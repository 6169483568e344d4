//! Dynamic programs: objects become records of the IR, functions become procedures.
//!
//! What a pointer leads to is a record with a field for each cell of its type, elements of arrays included; a
//! pointer to a number leads to a record of one field. A pointer is a reference to such a record, unless the
//! program takes the address of a part of an object that has its type, or makes several in a row: then it is
//! a pointer of the IR, to a leaf of whatever object. A value of type `ftype` is the number of a function, from 1.
//!
//! A call is a step, and so is a `return`. Whoever falls off the end of a function or process does so in the
//! same step as the statement before. A local variable of an inner scope has its default value whenever
//! control is outside: statements that leave a scope reset its variables.

use ir::{
    Action, ActionKind, Callee, Const, Exit, Expr, ExprKind, Field, FieldId, Fun, Guard, Id, IntType, Jump,
    Leaks, LocalId, Location, LocationId, LocationKind, Memory, New, Place, PlaceKind, Record, RecordId,
    Scope, Transition, Type, TypeId, Variable,
};
use source::{Diagnostic, Span};

use super::exprs::Value;
use super::{Lowering, Slot, WORD};
use crate::automaton::Edge;
use crate::build::ProcessKind;
use crate::codes;
use crate::elements::{ATOMIC, Element, ElementId, LAST, Node};
use crate::objects::{self, Access, Act, Address, Dynamic, FunctionId, Pointee, PointeeId, Whole};
use crate::resolve::combinations;
use crate::symbols::{Cell, ChannelType, Init, Leaf, Scalar, Stride, Ty, cells, leaves, place_of, size_of};
use crate::tree::{Basic, Ex, ExKind, Ref, SymbolId, Target};
use crate::typing::Kind;

/// The record that pointers of one type lead to.
pub(super) struct Shape {
    pub record: RecordId,
    /// For variables whose address is taken: an heir that ends with its scope.
    pub boxed: Option<RecordId>,
    /// By cell.
    pub fields: Vec<FieldId>,
    pub cells: Vec<Cell>,
    /// The type of the whole.
    pub ty: Ty,
}

/// A place in an object.
pub(super) enum Spot {
    /// A field of a record.
    Field(Expr, FieldId),
    /// What a pointer leads to.
    Pointer(Expr),
}

/// A record with more fields than this is not supported as an object.
const MAX_CELLS: u64 = 1 << 12;

impl Lowering<'_, '_> {
    /// Arrays of pointers are objects, even if their addresses are not taken.
    pub(super) fn find_arrays_of_pointers(&mut self) {
        for at in 0..self.builder.symbols.len() {
            let is_pointer = |leaf: &Leaf| matches!(leaf.scalar, Scalar::Pointer(_)) && !leaf.dims.is_empty();
            if self.builder.symbols[at].leaves.iter().any(is_pointer) {
                self.builder.put_in_object(SymbolId(at as u32));
            }
        }
    }

    /// The records that pointers lead to.
    pub(super) fn records(&mut self) {
        let count = self.builder.pointees.len();
        for at in 0..count {
            let pointee = self.builder.pointees[at].clone();
            let (name, ty, span) = match &pointee {
                Pointee::Record(name) => {
                    let found = self.builder.typedefs.iter().position(|known| known.name == *name);
                    let span = found.map_or(Span::default(), |at| self.builder.typedefs[at].span);
                    (name.to_string(), found.map(Ty::Record), span)
                }
                Pointee::Scalar(scalar) => {
                    (self.scalar_name(*scalar), Some(Ty::Scalar(*scalar)), Span::default())
                }
            };
            let size = ty.map_or(0, |ty| size_of(&self.builder.typedefs, ty));
            if size > MAX_CELLS {
                let message = format!("`{name}` has more than {MAX_CELLS} values");
                self.builder.error(codes::UNSUPPORTED_DYNAMIC, &message, span, "pointers lead to this type");
            }
            let cells = match ty {
                Some(ty) if size <= MAX_CELLS => cells(&self.builder.typedefs, ty),
                _ => Vec::new(),
            };
            let id = RecordId::from_index(self.program.records.len());
            self.program.records.push(Record {
                name,
                parents: Vec::new(),
                ancestors: vec![id],
                fields: Vec::new(),
                throwable: false,
                scoped: false,
                span,
            });
            let ty = ty.unwrap_or(Ty::Scalar(Scalar::Byte));
            self.shapes.push(Shape { record: id, boxed: None, fields: Vec::new(), cells, ty });
        }
        for at in 0..count {
            let owner = self.shapes[at].record;
            let span = self.program.records[owner].span;
            for cell in self.shapes[at].cells.clone() {
                let ty = self.scalar_type(cell.scalar, cell.scalar.range(cell.packed));
                if let Some(Init::Channel(_)) = cell.init {
                    let message = "a field with a channel as its initial value, in an object";
                    self.builder.error(
                        codes::UNSUPPORTED_DYNAMIC,
                        message,
                        span,
                        "pointers lead to this type",
                    );
                }
                let name = if cell.name.is_empty() { "value".to_owned() } else { cell.name };
                let field = self.program.fields.push(Field { name, ty, owner, span });
                self.program.records[owner].fields.push(field);
                self.shapes[at].fields.push(field);
            }
        }
        for at in 0..self.builder.symbols.len() {
            let Some(pointee) = self.builder.symbols[at].boxed else { continue };
            let Shape { record, boxed: None, .. } = self.shapes[pointee.index()] else { continue };
            let of = &self.program.records[record];
            let id = RecordId::from_index(self.program.records.len());
            let heir = Record {
                name: format!("variable {}", of.name),
                parents: vec![record],
                ancestors: vec![record, id],
                scoped: true,
                ..of.clone()
            };
            self.program.records.push(heir);
            self.shapes[pointee.index()].boxed = Some(id);
        }
    }

    /// The record and the type of what refers to the object that a variable is, if it is one: arrays are
    /// blocks.
    pub(super) fn box_of(&mut self, id: SymbolId) -> Option<(RecordId, TypeId)> {
        let pointee = self.builder.symbols[id.index()].boxed?;
        let record = self.shapes[pointee.index()].boxed?;
        let is_array = self.builder.symbols[id.index()].size.is_some();
        let ty = if is_array { Type::Pointer } else { Type::Record(record) };
        Some((record, self.program.types.intern(ty)))
    }

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
    fn accessed(&mut self, access: &Access) -> Spot {
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
    fn pointer_to(&mut self, spot: Spot, span: Span) -> Expr {
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
    fn address(&mut self, address: &Address, pointee: PointeeId, span: Span) -> Expr {
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

    /// Makes the object of a variable, with its initial values.
    fn make_box(&mut self, id: SymbolId, with_values: bool) -> Vec<Action> {
        let Some((record, ty)) = self.box_of(id) else { return Vec::new() };
        let span = self.builder.symbols[id.index()].span;
        let place = Place { kind: self.slots[&id].place(), ty, span };
        let made = match self.builder.symbols[id.index()].size {
            None => New::Record(record),
            Some(size) => {
                let length = self.natural(ExprKind::Const(Const::Int(size.into())), span);
                New::Block { record, length }
            }
        };
        let mut actions = vec![Action { kind: ActionKind::New(place, made), span }];
        let leaves = self.builder.symbols[id.index()].leaves.clone();
        for (leaf, of) in leaves.iter().enumerate().filter(|_| with_values) {
            for indices in combinations(&of.dims) {
                let value = match &of.init {
                    Some(Init::Value(value)) => value,
                    Some(Init::List(list)) => match super::initial::listed(list, &indices) {
                        Some(value) => value,
                        None => continue,
                    },
                    Some(Init::Channel(ty)) => {
                        let field = Ref { symbol: id, leaf, indices: Vec::new(), span };
                        actions.extend(self.boxed_channel(id, &field, &of.name, ty));
                        break;
                    }
                    None => break,
                };
                let value = self.of_kind(value, Kind::of(of.scalar));
                let indices = indices.into_iter().map(|index| Ex::int(index as i32, span)).collect();
                let place = self.place(&Ref { symbol: id, leaf, indices, span });
                actions.push(Action { kind: ActionKind::Assign(place, value), span });
            }
        }
        if let Some(&raw) = self.raw_params.get(&id) {
            for leaf in 0..leaves.len() {
                let place = self.place(&Ref { symbol: id, leaf, indices: Vec::new(), span });
                let value = self.natural(ExprKind::Local(LocalId(raw + leaf as u32)), span);
                actions.push(Action { kind: ActionKind::Assign(place, value), span });
            }
        }
        actions
    }

    /// The channel of a global variable whose address is taken.
    fn boxed_channel(
        &mut self,
        id: SymbolId,
        field: &crate::tree::Ref,
        name: &str,
        ty: &ChannelType,
    ) -> Option<Action> {
        let symbol = &self.builder.symbols[id.index()];
        let span = symbol.span;
        if symbol.owner.is_some() || !symbol.leaves[field.leaf].dims.is_empty() {
            self.builder.diagnostics.push(
                Diagnostic::error(
                    codes::UNSUPPORTED_DYNAMIC,
                    "the address of a variable that is declared with a channel",
                )
                .at(span, "local, or several")
                .help("make the channel by a statement: `c = new chan(1) of { byte }`"),
            );
            return None;
        }
        let channel = self.add_channel(name, ty, true);
        let place = self.place(field);
        Some(Action { kind: ActionKind::New(place, New::Channel(channel)), span })
    }

    /// The variables of the current process that are objects.
    fn boxed_locals(&self) -> Vec<SymbolId> {
        let process = &self.builder.processes[self.current];
        let all = process.params.iter().chain(&process.locals).copied();
        all.filter(|id| self.builder.symbols[id.index()].boxed.is_some()).collect()
    }

    /// The objects of variables, at the start of the current process.
    pub(super) fn make_boxes(&mut self) -> Vec<Action> {
        self.boxed_locals().into_iter().flat_map(|id| self.make_box(id, true)).collect()
    }

    /// The objects of global variables.
    pub(super) fn make_global_boxes(&mut self) {
        let mut actions = Vec::new();
        for at in 0..self.builder.symbols.len() {
            if self.builder.symbols[at].owner.is_none() {
                actions.extend(self.make_box(SymbolId(at as u32), true));
            }
        }
        self.program.prologue.splice(0..0, actions);
    }

    /// Ends the object of a variable.
    fn kill(&mut self, id: SymbolId, span: Span) -> Action {
        let kind = self.slots[&id].expr();
        let object = self.natural(kind, span);
        Action { kind: ActionKind::Kill(object), span }
    }

    /// A function makes the objects of its variables on its way to its first statement.
    pub(super) fn enter_function(&mut self) {
        let Scope::Procedure(id) = self.scope else { return };
        let actions = self.make_boxes();
        if actions.is_empty() {
            return;
        }
        let entry = self.program.procedures[id].entry;
        let at = self.fused(actions, Jump::Goto(entry));
        self.program.procedures[id].entry = at;
    }

    /// A location that is passed at once.
    fn fused(&mut self, actions: Vec<Action>, then: Jump) -> LocationId {
        let Scope::Procedure(id) = self.scope else { unreachable!("statements are in procedures") };
        let span = self.program.procedures[id].span;
        let mut location = Location::new("", id, span);
        location.fused = true;
        location.synthetic = true;
        let at = self.program.locations.push(location);
        self.add(Transition::new(at, Guard::Always, actions, Exit::Jump(then), span));
        at
    }

    fn scalar_name(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Bit => "bit".to_owned(),
            Scalar::Byte => "byte".to_owned(),
            Scalar::Short => "short".to_owned(),
            Scalar::Int => "int".to_owned(),
            Scalar::Unsigned(_) => "unsigned".to_owned(),
            Scalar::Chan => "chan".to_owned(),
            Scalar::Mtype(_) => "mtype".to_owned(),
            Scalar::Process => "pid".to_owned(),
            Scalar::Function => "ftype".to_owned(),
            Scalar::Pointer(pointee) => match &self.builder.pointees[pointee.index()] {
                Pointee::Record(name) => format!("{name}&"),
                Pointee::Scalar(inner) => format!("{}&", self.scalar_name(*inner)),
            },
        }
    }

    /// The type of a place that holds a scalar.
    pub(super) fn scalar_type(&mut self, scalar: Scalar, range: IntType) -> TypeId {
        match scalar {
            Scalar::Chan if self.builder.is_dynamic => self.program.types.intern(Type::Channel),
            Scalar::Pointer(pointee) => {
                let record = self.shapes[pointee.index()].record;
                let is_wide = self.builder.wide[pointee.index()];
                self.program.types.intern(if is_wide { Type::Pointer } else { Type::Record(record) })
            }
            Scalar::Process if self.has_references_to_processes() => self.program.types.intern(Type::Tid),
            _ => self.int(range),
        }
    }

    /// Whether a value of type `pid` is a process, and not its number.
    pub(super) fn has_references_to_processes(&self) -> bool {
        self.builder.is_dynamic && self.numbered.is_none()
    }

    /// The value of `null` or another expression, for a place of this kind.
    pub(super) fn of_kind(&mut self, ex: &Ex, kind: Kind) -> Expr {
        let is_null = matches!(ex.kind, ExKind::Dynamic(Dynamic::Null));
        if is_null && kind == Kind::Function {
            return self.natural(ExprKind::Const(Const::Int(0)), ex.span);
        }
        self.number(ex)
    }

    /// Two expressions that are compared, or of which one is chosen.
    pub(super) fn pair(&mut self, a: &Ex, b: &Ex) -> (Expr, Expr) {
        if !self.builder.is_dynamic {
            return (self.number(a), self.number(b));
        }
        let (left, right) = (self.builder.kind_of(a), self.builder.kind_of(b));
        (self.of_kind(a, right), self.of_kind(b, left))
    }

    /// The value of an expression that only dynamic programs have.
    pub(super) fn dynamic_value(&mut self, ex: &Dynamic, span: Span) -> Value {
        match ex {
            Dynamic::Null => Value { expr: self.natural(ExprKind::Const(Const::Null), span), lo: 0, hi: 0 },
            Dynamic::Function(id) => {
                let number = id.0 as i64 + 1;
                let expr = self.natural(ExprKind::Const(Const::Int(number)), span);
                Value { expr, lo: number, hi: number }
            }
            Dynamic::AddressOf(address, pointee) => {
                Value { expr: self.address(address, *pointee, span), lo: 0, hi: 0 }
            }
            Dynamic::Load(access) => {
                let spot = self.accessed(access);
                self.value_at(spot, access.scalar, span)
            }
            Dynamic::Call(id, args) => {
                let function = self.builder.functions[id.0].clone();
                let Some(fun) = self.funs[id.0] else {
                    let expr = self.natural(ExprKind::Const(Const::Int(0)), span);
                    return Value { expr, lo: 0, hi: 0 };
                };
                let args = self.arguments(&function.params, args, true);
                let range = function.result.unwrap_or(Scalar::Int).range(false);
                let expr = self.natural(ExprKind::Call(fun, args), span);
                Value { expr, lo: range.lo, hi: range.hi }
            }
        }
    }

    pub(super) fn access_place(&mut self, access: &Access) -> Place {
        let spot = self.accessed(access);
        self.place_at(spot, access.scalar, access.span)
    }

    /// The place of a target, and its kind.
    fn target_place(&mut self, target: &Target) -> Option<(Place, Kind)> {
        match target {
            Target::Var(place) => {
                let kind = Kind::of(self.builder.scalar_of(place));
                Some((self.place(place), kind))
            }
            Target::Through(access) => Some((self.access_place(access), Kind::of(access.scalar))),
            Target::Nothing | Target::Priority => None,
        }
    }

    /// Arguments for parameters. Those of an expression are brought into the ranges of the parameters.
    fn arguments(&mut self, params: &[SymbolId], args: &[Ex], wrapped: bool) -> Vec<Expr> {
        let leaves: Vec<_> = params
            .iter()
            .flat_map(|id| &self.builder.symbols[id.index()].leaves)
            .map(|leaf| leaf.scalar)
            .collect();
        let pairs = args.iter().zip(leaves);
        pairs
            .map(|(arg, scalar)| {
                let value = self.of_kind(arg, Kind::of(scalar));
                if wrapped && Kind::of(scalar) == Kind::Number { self.wrap(value, scalar) } else { value }
            })
            .collect()
    }

    fn wrap(&mut self, value: Expr, scalar: Scalar) -> Expr {
        let (ty, span) = (self.int(scalar.range(false)), value.span);
        Expr { kind: ExprKind::Wrap(Box::new(value)), ty, span }
    }

    /// Expression functions.
    pub(super) fn declare_funs(&mut self) {
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            if !function.is_expression || function.value.is_none() {
                self.funs.push(None);
                continue;
            }
            let mut params = Vec::new();
            for symbol in function.params {
                self.slots.insert(symbol, Slot::Param(params.len() as u32));
                for leaf in self.builder.symbols[symbol.index()].leaves.clone() {
                    params.push((leaf.name, self.scalar_type(leaf.scalar, leaf.scalar.range(false))));
                }
            }
            let span = function.name.span;
            let result = function.result.unwrap_or(Scalar::Int);
            let result = self.scalar_type(result, result.range(false));
            let body = self.natural(ExprKind::Const(Const::Null), span);
            let name = function.name.text.to_string();
            self.funs.push(Some(self.program.funs.push(Fun { name, params, result, body, span })));
        }
    }

    pub(super) fn lower_funs(&mut self) {
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            let (Some(fun), Some(value)) = (self.funs[at], function.value) else { continue };
            self.scope = Scope::Fun(fun);
            let result = function.result.unwrap_or(Scalar::Int);
            let body = self.of_kind(&value, Kind::of(result));
            let body = if Kind::of(result) == Kind::Number { self.wrap(body, result) } else { body };
            self.program.funs[fun].body = body;
        }
        self.scope = Scope::Program;
    }

    /// The function whose body is lowered.
    fn current_function(&self) -> Option<FunctionId> {
        match self.builder.processes[self.current].kind {
            ProcessKind::Function(id) => Some(id),
            _ => None,
        }
    }

    /// How the end of a function or process is reached.
    pub(super) fn leave(&mut self) -> Jump {
        let process = self.current;
        let boxes = self.boxed_locals();
        let channels = self.own_channels.get(&process).cloned().unwrap_or_default();
        if boxes.is_empty() && channels.is_empty() {
            return self.last_jump();
        }
        if let Some(&at) = self.exits.get(&process) {
            return Jump::Goto(at);
        }
        let span = self.builder.processes[process].span;
        let mut kills: Vec<_> = boxes.into_iter().map(|id| self.kill(id, span)).collect();
        kills.extend(channels.into_iter().map(|channel| Action { kind: ActionKind::Kill(channel), span }));
        let then = self.last_jump();
        let at = self.fused(kills, then);
        self.exits.insert(process, at);
        Jump::Goto(at)
    }

    fn last_jump(&mut self) -> Jump {
        let Some(id) = self.current_function() else { return Jump::Return(None) };
        let function = &self.builder.functions[id.0];
        let Some(result) = function.result else { return Jump::Return(None) };
        let span = function.name.span;
        if !std::mem::replace(&mut self.falls_off[id.0], true) {
            let message = format!("`{}` may end without a result", function.name.text);
            self.builder.diagnostics.push(
                Diagnostic::warning(codes::MISSING_RETURN, message)
                    .at(span, "declared with a result")
                    .note("without `return`, the result is the default value of its type"),
            );
        }
        let value = match Kind::of(result) {
            Kind::Pointer(_) | Kind::Channel | Kind::Null => Const::Null,
            Kind::Process if self.has_references_to_processes() => Const::Null,
            _ => Const::Int(0),
        };
        Jump::Return(Some(self.natural(ExprKind::Const(value), span)))
    }

    /// The actions of a statement.
    pub(super) fn act(&mut self, act: &Act, span: Span) -> Vec<ActionKind> {
        match act {
            Act::New(target, pointee, length) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                self.make(place, *pointee, length.as_ref(), span)
            }
            Act::NewChannel(target, ty) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                let channel = self.add_channel("chan", ty, false);
                vec![ActionKind::New(place, New::Channel(channel))]
            }
            Act::Delete(ex) => {
                self.program.memory = Memory::Explicit(Leaks::default());
                vec![ActionKind::Delete(self.number(ex))]
            }
            Act::Copy(to, from) => self.copy(to, from, span),
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
            if has_values {
                let message = "several objects in a row that have initial values";
                self.builder.error(codes::UNSUPPORTED_DYNAMIC, message, span, "fields of the type have some");
            }
            let length = self.number(length);
            return vec![ActionKind::New(place, New::Block { record, length })];
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

    /// Keeps a pointer to the first place of an object in a variable.
    fn start_of(
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
    fn distance(&mut self, first: &Access, other: &Access) -> u64 {
        let ty = self.shapes[first.pointee.index()].ty;
        let at = |access: &Access| {
            let path = leaves(&self.builder.typedefs, "", ty, None, None)[access.leaf].path.clone();
            let (at, strides) = place_of(&self.builder.typedefs, ty, None, &path);
            let index = |index: &Ex| index.literal().map_or(0, |index| index as u64);
            at + access.indices.iter().zip(strides).map(|(by, (_, size))| index(by) * size).sum::<u64>()
        };
        at(other) - at(first)
    }

    fn moved(&mut self, pointer: Expr, distance: u64, span: Span) -> Spot {
        if distance == 0 {
            return Spot::Pointer(pointer);
        }
        let distance = self.natural(ExprKind::Const(Const::Int(distance as i64)), span);
        Spot::Pointer(self.offset(pointer, distance, span))
    }

    /// A variable of the current procedure that holds a value in the middle of a step.
    fn temporary(&mut self, name: &str, ty: TypeId, span: Span) -> (Expr, Place) {
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

    /// Resets the variables of the scopes that control leaves on its way from a statement to a state.
    pub(super) fn leaving(&mut self, element: ElementId, target: u32) -> Vec<Action> {
        if !self.builder.is_dynamic {
            return Vec::new();
        }
        let state =
            self.automata[self.current].as_ref().and_then(|automaton| automaton.states.get(target as usize));
        let Some(to) = state.and_then(|state| state.element) else { return Vec::new() };
        let scopes = &self.builder.scopes;
        let inside: Vec<u32> = scopes.around(self.builder.elements.el(to).scope).collect();
        let Element { scope, span, .. } = *self.builder.elements.el(element);
        let left: Vec<u32> = scopes.around(scope).filter(|scope| !inside.contains(scope)).collect();
        let mut locals = self.builder.processes[self.current].locals.clone();
        locals.retain(|id| left.contains(&self.builder.symbols[id.index()].scope));
        let mut actions = Vec::new();
        for id in locals {
            if self.builder.symbols[id.index()].boxed.is_some() {
                actions.push(self.kill(id, span));
                actions.extend(self.make_box(id, false));
                continue;
            }
            actions.extend(self.default_values(id, span));
        }
        actions
    }

    /// Sets a variable to the values that it has outside of its scope.
    fn default_values(&mut self, id: SymbolId, span: Span) -> Vec<Action> {
        let leaves = self.builder.symbols[id.index()].leaves.clone();
        let mut actions = Vec::new();
        for (at, leaf) in leaves.iter().enumerate() {
            for indices in combinations(&leaf.dims) {
                let indices = indices.into_iter().map(|index| Ex::int(index as i32, span)).collect();
                let place = Ref { symbol: id, leaf: at, indices, span };
                let null = match Kind::of(leaf.scalar) {
                    Kind::Pointer(_) | Kind::Channel => true,
                    Kind::Process => self.has_references_to_processes(),
                    _ => false,
                };
                let value = if null { Const::Null } else { Const::Int(0) };
                let value = self.natural(ExprKind::Const(value), span);
                actions.push(Action { kind: ActionKind::Assign(self.place(&place), value), span });
            }
        }
        actions
    }

    /// The transitions of a call or `return`. Returns whether the edge was one.
    pub(super) fn call_edge(&mut self, source: LocationId, edge: &Edge, rank: u32) -> bool {
        let element = self.builder.elements.el(edge.element).clone();
        let Node::Basic(Basic::Dynamic(act)) = &element.node else { return false };
        match act {
            Act::Return(value, id) => {
                let result = self.builder.functions[id.0].result;
                let value = match (value, result) {
                    (Some(value), Some(result)) => Some(self.of_kind(value, Kind::of(result))),
                    _ => None,
                };
                let mut body = Vec::new();
                let mut value = value;
                let boxes = self.boxed_locals();
                if let (false, Some(result)) = (boxes.is_empty(), &value) {
                    // It is evaluated while the variables are still there.
                    let (span, ty) = (
                        element.span,
                        self.program.procedures[self.procedures[self.current].expect("it has statements")]
                            .result,
                    );
                    let ty = ty.unwrap_or(result.ty);
                    let (variable, place) = self.temporary("#new", ty, span);
                    let kind = ActionKind::Assign(place, result.clone());
                    body.push(Action { kind, span });
                    value = Some(variable);
                }
                body.extend(boxes.into_iter().map(|id| self.kill(id, element.span)));
                let exit = Exit::Jump(Jump::Return(value));
                self.add_call(source, Guard::Always, body, exit, edge, &element, rank);
            }
            Act::Call { target, callee, args } => {
                let resume = self.resume(source, edge, &element, target.as_ref());
                match callee {
                    objects::Callee::Function(id) => {
                        if let Some(exit) = self.call_of(*id, args, resume) {
                            self.add_call(source, Guard::Always, Vec::new(), exit, edge, &element, rank);
                        }
                    }
                    objects::Callee::Through(ex) => {
                        self.call_through(source, edge, &element, rank, ex, args, target.as_ref(), resume);
                    }
                }
            }
            Act::New(..) | Act::NewChannel(..) | Act::Copy(..) | Act::Delete(_) => return false,
        }
        true
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a transition")]
    fn add_call(
        &mut self,
        source: LocationId,
        guard: Guard,
        body: Vec<Action>,
        exit: Exit,
        edge: &Edge,
        element: &Element,
        rank: u32,
    ) {
        let mut transition = Transition::new(source, guard, body, exit, element.span);
        transition.rank = rank;
        transition.number = element.unique;
        self.add_of(edge.element, transition);
    }

    /// The location at which a call waits for its result.
    fn resume(
        &mut self,
        source: LocationId,
        edge: &Edge,
        element: &Element,
        target: Option<&Target>,
    ) -> LocationId {
        let Scope::Procedure(procedure) = self.scope else { unreachable!("calls are in procedures") };
        let result = target.and_then(|target| self.target_place(target)).map(|(place, _)| place);
        let resets = self.leaving(edge.element, edge.target);
        let Exit::Jump(mut then) = self.target(edge.target, edge.atomic) else {
            unreachable!("a state is reached by a jump")
        };
        if !resets.is_empty() {
            then = Jump::Goto(self.fused(resets, then));
        }
        let is_atomic = element.marks & (ATOMIC | LAST) != 0;
        if is_atomic && self.numbered.is_some() {
            let (span, why) = self.numbered.unwrap_or_default();
            self.builder.diagnostics.push(
                Diagnostic::error(
                    codes::UNSUPPORTED_DYNAMIC,
                    "a call in an `atomic`, where processes have numbers",
                )
                .at(element.span, "the call")
                .label(span, why)
                .help("move the call out of the `atomic`, or do without what needs numbers"),
            );
        }
        let mut location = Location::new("", procedure, element.span);
        location.kind = LocationKind::Resume { origin: source, result, then };
        location.atomic = is_atomic && self.numbered.is_none();
        location.synthetic = true;
        location.number = element.number;
        self.program.locations.push(location)
    }

    fn call_of(&mut self, id: FunctionId, args: &[Ex], resume: LocationId) -> Option<Exit> {
        let function = self.builder.functions[id.0].clone();
        let procedure = self.procedures[function.process?]?;
        let args = self.arguments(&function.params, args, false);
        Some(Exit::Call { callee: Callee::Static(procedure), args, resume })
    }

    /// A call of whatever function a value is: a transition for each that it may be.
    #[expect(clippy::too_many_arguments, reason = "the parts of a transition")]
    fn call_through(
        &mut self,
        source: LocationId,
        edge: &Edge,
        element: &Element,
        rank: u32,
        ex: &Ex,
        args: &[Ex],
        target: Option<&Target>,
        resume: LocationId,
    ) {
        let span = element.span;
        let given: Vec<_> = args.iter().map(|arg| self.builder.kind_of(arg)).collect();
        let wanted = target.and_then(|target| self.target_place(target)).map(|(_, kind)| kind);
        let mut reached = vec![false; self.builder.functions.len() + 1];
        for at in 0..self.builder.functions.len() {
            let function = self.builder.functions[at].clone();
            if !self.builder.function_fits(&function, &given, wanted) {
                continue;
            }
            let Some(exit) = self.call_of(FunctionId(at), args, resume) else { continue };
            reached[at + 1] = true;
            let guard = self.is_function(ex, at as i64 + 1, span);
            self.add_call(source, guard, Vec::new(), exit, edge, element, rank);
        }
        let Exit::Jump(then) = self.target(edge.target, edge.atomic) else { return };
        for number in (0..reached.len()).filter(|&number| !reached[number]) {
            let message = match number.checked_sub(1) {
                None => "there is no function to call".to_owned(),
                Some(at) => {
                    let name = &self.builder.functions[at].name.text;
                    format!("`{name}` has other parameters, or another result")
                }
            };
            let guard = self.is_function(ex, number as i64, span);
            let body = vec![Action { kind: ActionKind::BadCall(message), span }];
            self.add_call(source, guard, body, Exit::Jump(then.clone()), edge, element, rank);
        }
    }

    fn is_function(&mut self, ex: &Ex, number: i64, span: Span) -> Guard {
        let value = self.number(ex);
        let constant = self.natural(ExprKind::Const(Const::Int(number)), span);
        let kind = ExprKind::Binary(ir::BinaryOp::Eq, Box::new(value), Box::new(constant));
        Guard::When(self.natural(kind, span))
    }
}
