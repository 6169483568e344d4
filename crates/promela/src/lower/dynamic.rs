//! Dynamic programs: objects become records of the IR, functions become procedures.
//!
//! What a pointer leads to is a record with a field for each leaf of its type; a pointer to a number leads to a
//! record of one field. A leaf that is an array is an array object, which belongs to the record that refers to
//! it and is made with it. A value of type `ftype` is the number of a function, from 1.
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
use super::{Lowering, Slot};
use crate::automaton::Edge;
use crate::build::ProcessKind;
use crate::codes;
use crate::elements::{ATOMIC, Element, ElementId, LAST, Node};
use crate::objects::{self, Access, Act, Dynamic, FunctionId, Pointee, PointeeId};
use crate::symbols::{ChannelType, Init, Leaf, Scalar, Ty, leaves};
use crate::tree::{Basic, Ex, ExKind, SymbolId, Target};
use crate::typing::Kind;

/// The record that pointers of one type lead to.
pub(super) struct Shape {
    pub record: RecordId,
    /// For variables whose address is taken: an heir that ends with its scope.
    pub boxed: Option<RecordId>,
    /// By leaf.
    pub fields: Vec<FieldId>,
    pub leaves: Vec<Leaf>,
}

impl Lowering<'_, '_> {
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
            let leaves = ty.map_or_else(Vec::new, |ty| leaves(&self.builder.typedefs, "", ty, None, None));
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
            self.shapes.push(Shape { record: id, boxed: None, fields: Vec::new(), leaves });
        }
        for at in 0..count {
            let owner = self.shapes[at].record;
            for leaf in self.shapes[at].leaves.clone() {
                let element = self.scalar_type(leaf.scalar, leaf.scalar.range(leaf.packed));
                let ty = match leaf.dims.as_slice() {
                    [] => element,
                    [_] => self.program.types.intern(Type::Array(element)),
                    _ => {
                        let span = self.program.records[owner].span;
                        self.builder.error(
                            codes::UNSUPPORTED_DYNAMIC,
                            "an array of records with arrays, in an object",
                            span,
                            "a field of this type has more than one index",
                        );
                        element
                    }
                };
                if matches!(leaf.init, Some(Init::Channel(_) | Init::List(_))) {
                    let span = self.program.records[owner].span;
                    let message = "a field with a channel or a list as its initial value, in an object";
                    self.builder.error(
                        codes::UNSUPPORTED_DYNAMIC,
                        message,
                        span,
                        "pointers lead to this type",
                    );
                }
                let name = leaf.name.trim_start_matches('.');
                let name = if name.is_empty() { "value" } else { name };
                let span = self.program.records[owner].span;
                let field = self.program.fields.push(Field { name: name.to_owned(), ty, owner, span });
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

    /// The record and the type of the object that a variable is, if its address is taken.
    pub(super) fn box_of(&mut self, id: SymbolId) -> Option<(RecordId, TypeId)> {
        let pointee = self.builder.symbols[id.index()].boxed?;
        let record = self.shapes[pointee.index()].boxed?;
        Some((record, self.program.types.intern(Type::Record(record))))
    }

    /// The field of a variable that is an object.
    pub(super) fn boxed_field(&mut self, place: &crate::tree::Ref) -> Option<(Expr, FieldId)> {
        let pointee = self.builder.symbols[place.symbol.index()].boxed?;
        let field = self.shapes[pointee.index()].fields[place.leaf];
        let base = self.slots[&place.symbol].expr();
        Some((self.natural(base, place.span), field))
    }

    /// Makes the object of a variable, with its initial values.
    fn make_box(&mut self, id: SymbolId, with_values: bool) -> Vec<Action> {
        let Some((record, ty)) = self.box_of(id) else { return Vec::new() };
        let span = self.builder.symbols[id.index()].span;
        let place = Place { kind: self.slots[&id].place(), ty, span };
        let mut actions = vec![Action { kind: ActionKind::New(place, New::Record(record)), span }];
        let leaves = self.builder.symbols[id.index()].leaves.clone();
        for (leaf, of) in leaves.iter().enumerate() {
            let field = crate::tree::Ref { symbol: id, leaf, indices: Vec::new(), span };
            let value = match &of.init {
                Some(Init::Channel(ty)) if with_values => {
                    actions.extend(self.boxed_channel(id, &field, &of.name, ty));
                    continue;
                }
                Some(Init::Value(value)) if with_values => self.of_kind(value, Kind::of(of.scalar)),
                _ => continue,
            };
            let place = self.place(&field);
            actions.push(Action { kind: ActionKind::Assign(place, value), span });
        }
        if let Some(&raw) = self.raw_params.get(&id) {
            for leaf in 0..leaves.len() {
                let place = self.place(&crate::tree::Ref { symbol: id, leaf, indices: Vec::new(), span });
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
                self.program.types.intern(Type::Record(record))
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
            Dynamic::AddressOf(id, _) => {
                let object = self.slots[id].expr();
                let object = self.natural(object, span);
                Value { expr: object, lo: 0, hi: 0 }
            }
            Dynamic::Load(access) => {
                let range = access.scalar.range(false);
                let (base, field, index) = self.parts(access);
                let whole = self.natural(ExprKind::Field(Box::new(base), field), span);
                let expr = match index {
                    None => whole,
                    Some(index) => self.natural(ExprKind::Index(Box::new(whole), Box::new(index)), span),
                };
                Value { expr, lo: range.lo, hi: range.hi }
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

    fn parts(&mut self, access: &Access) -> (Expr, FieldId, Option<Expr>) {
        let base = self.number(&access.base);
        let field = self.shapes[access.pointee.index()].fields[access.leaf];
        let index = access.indices.first().map(|index| self.number(index));
        (base, field, index)
    }

    pub(super) fn access_place(&mut self, access: &Access) -> Place {
        let span = access.span;
        let packed = !access.indices.is_empty();
        let ty = self.scalar_type(access.scalar, access.scalar.range(packed));
        let (base, field, index) = self.parts(access);
        let kind = match index {
            None => PlaceKind::Field(base, field),
            Some(index) => {
                let whole = self.natural(ExprKind::Field(Box::new(base), field), span);
                PlaceKind::Index(whole, index)
            }
        };
        Place { kind, ty, span }
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
            Act::New(target, pointee) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                self.make(place, *pointee, span)
            }
            Act::NewChannel(target, ty) => {
                let Some((place, _)) = self.target_place(target) else { return Vec::new() };
                let channel = self.add_channel("chan", ty, false);
                vec![ActionKind::New(place, New::Channel(channel))]
            }
            Act::Delete(ex) => {
                self.program.memory = Memory::Explicit(Leaks::default());
                self.delete(ex)
            }
            // They are exits of transitions.
            Act::Call { .. } | Act::Return(..) => Vec::new(),
        }
    }

    /// Deletes an object, after the arrays that belong to it.
    fn delete(&mut self, ex: &Ex) -> Vec<ActionKind> {
        let object = self.number(ex);
        let Kind::Pointer(pointee) = self.builder.kind_of(ex) else {
            return vec![ActionKind::Delete(object)];
        };
        let Shape { fields, leaves, .. } = &self.shapes[pointee.index()];
        let arrays = leaves.iter().zip(fields).filter(|(leaf, _)| !leaf.dims.is_empty());
        let arrays: Vec<_> = arrays.map(|(_, &field)| field).collect();
        let mut actions = Vec::new();
        for field in arrays {
            let array = self.natural(ExprKind::Field(Box::new(object.clone()), field), ex.span);
            actions.push(ActionKind::Delete(array));
        }
        actions.push(ActionKind::Delete(object));
        actions
    }

    /// Makes an object, with its arrays and initial values, and stores it.
    fn make(&mut self, place: Place, pointee: PointeeId, span: Span) -> Vec<ActionKind> {
        let Shape { record, fields, leaves, .. } = &self.shapes[pointee.index()];
        let (record, fields, leaves) = (*record, fields.clone(), leaves.clone());
        if leaves.iter().all(|leaf| leaf.dims.is_empty() && leaf.init.is_none()) {
            return vec![ActionKind::New(place, New::Record(record))];
        }
        let ty = self.program.types.intern(Type::Record(record));
        let local = self.temporary(ty, span);
        let whole = Expr { kind: ExprKind::Local(local), ty, span };
        let temporary = Place { kind: PlaceKind::Local(local), ty, span };
        let mut actions = vec![ActionKind::New(temporary.clone(), New::Record(record))];
        for (leaf, &field) in leaves.iter().zip(&fields) {
            let ty = self.program.fields[field].ty;
            let inner = Place { kind: PlaceKind::Field(whole.clone(), field), ty, span };
            if let &[size] = leaf.dims.as_slice() {
                let element = self.scalar_type(leaf.scalar, leaf.scalar.range(leaf.packed));
                let length = self.natural(ExprKind::Const(Const::Int(size.into())), span);
                actions.push(ActionKind::New(inner, New::Array { element, length }));
            } else if let Some(Init::Value(value)) = &leaf.init {
                let value = self.of_kind(value, Kind::of(leaf.scalar));
                actions.push(ActionKind::Assign(inner, value));
            }
        }
        actions.push(ActionKind::Assign(place, whole));
        let null = self.natural(ExprKind::Const(Const::Null), span);
        actions.push(ActionKind::Assign(temporary, null));
        actions
    }

    /// A variable of the current procedure that holds an object while it is made.
    fn temporary(&mut self, ty: TypeId, span: Span) -> LocalId {
        let Scope::Procedure(id) = self.scope else { return LocalId(0) };
        let locals = &mut self.program.procedures[id].locals;
        let known = locals.iter().find(|(_, local)| local.name == "#new" && local.ty == ty).map(|(id, _)| id);
        known.unwrap_or_else(|| {
            let mut variable = Variable::new("#new", ty, None, span);
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
            for indices in crate::resolve::combinations(&leaf.dims) {
                let indices = indices.into_iter().map(|index| Ex::int(index as i32, span)).collect();
                let place = crate::tree::Ref { symbol: id, leaf: at, indices, span };
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
                    let local = self.temporary(ty, span);
                    let place = Place { kind: PlaceKind::Local(local), ty, span };
                    let kind = ActionKind::Assign(place, result.clone());
                    body.push(Action { kind, span });
                    value = Some(Expr { kind: ExprKind::Local(local), ty, span });
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
            Act::New(..) | Act::NewChannel(..) | Act::Delete(_) => return false,
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
