//! Variables that begin and end: objects of variables whose addresses are taken, channels that are declared.
//!
//! A variable of an inner scope has its default value whenever control is outside: statements that leave a scope
//! reset its variables. Its object, or the channel that it is declared with, is there from the start of its
//! process or function; leaving the scope ends it and makes the next one.

use ir::{
    Action, ActionKind, Const, Expr, ExprKind, Jump, LocalId, New, Place, PlaceKind, RecordId, Scope, Type,
    TypeId, Variable,
};
use source::{Diagnostic, Span};

use super::Lowering;
use super::initial::listed;
use crate::codes;
use crate::elements::{Element, ElementId};
use crate::resolve::combinations;
use crate::symbols::{ChannelType, Init};
use crate::tree::{Ex, Ref, SymbolId};
use crate::typing::Kind;

impl Lowering<'_, '_> {
    /// The record and the type of what refers to the object that a variable is, if it is one: arrays are
    /// blocks.
    pub(super) fn box_of(&mut self, id: SymbolId) -> Option<(RecordId, TypeId)> {
        let pointee = self.builder.symbols[id.index()].boxed?;
        let record = self.shapes[pointee.index()].boxed?;
        let is_array = self.builder.symbols[id.index()].size.is_some();
        let ty = if is_array { Type::Pointer } else { Type::Record(record) };
        Some((record, self.program.types.intern(ty)))
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
                    Some(Init::List(list)) => match listed(list, &indices) {
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
        let mut actions: Vec<_> =
            self.boxed_locals().into_iter().flat_map(|id| self.make_box(id, true)).collect();
        actions.extend(self.make_scoped_channels());
        actions
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

    /// The channels that variables of functions and inner scopes are declared with. They are there before the
    /// declaration is reached, and a variable of its own keeps each.
    fn make_scoped_channels(&mut self) -> Vec<Action> {
        let Scope::Procedure(procedure) = self.scope else { return Vec::new() };
        let mut actions = Vec::new();
        for id in self.builder.processes[self.current].locals.clone() {
            let Some(declared) = self.builder.scoped_channels.get(&id).cloned() else { continue };
            let symbol = &self.builder.symbols[id.index()];
            let (name, size, span) = (symbol.name.clone(), symbol.size, symbol.span);
            for index in 0..size.unwrap_or(1) {
                let name = if size.is_some() { format!("{name}[{index}]") } else { name.to_string() };
                let channel = self.add_channel(&name, &declared, true);
                let ty = self.program.types.intern(Type::Channel);
                let mut variable = Variable::new(format!("#{name}"), ty, None, span);
                variable.synthetic = true;
                let local = self.program.procedures[procedure].locals.push(variable);
                let (kept, place) = self.kept(local, span);
                actions.push(Action { kind: ActionKind::New(place, New::Channel(channel)), span });
                self.own_channels.entry(self.current).or_default().push(kept);
                self.scoped_channels.entry(id).or_default().push((local, channel));
            }
        }
        actions
    }

    /// The variable that keeps a channel, as a value and as a place.
    fn kept(&mut self, local: LocalId, span: Span) -> (Expr, Place) {
        let ty = self.program.types.intern(Type::Channel);
        let place = Place { kind: PlaceKind::Local(local), ty, span };
        (Expr { kind: ExprKind::Local(local), ty, span }, place)
    }

    /// The declaration of a variable of a function or inner scope, with several values or with channels.
    pub(super) fn declare(&mut self, id: SymbolId, init: &Init, span: Span) -> Vec<ActionKind> {
        let symbol = &self.builder.symbols[id.index()];
        let (size, kind) = (symbol.size, symbol.scalar().map_or(Kind::Number, Kind::of));
        let mut actions = Vec::new();
        for index in 0..size.unwrap_or(1) {
            let value = match init {
                Init::Value(value) => self.of_kind(value, kind),
                Init::List(list) => match listed(list, &[index]) {
                    Some(value) => self.of_kind(value, kind),
                    None => continue,
                },
                Init::Channel(_) => match self.scoped_channels.get(&id) {
                    Some(channels) => self.kept(channels[index as usize].0, span).0,
                    None => continue,
                },
            };
            let indices = size.map(|_| Ex::int(index as i32, span)).into_iter().collect();
            let place = self.place(&Ref { symbol: id, leaf: 0, indices, span });
            actions.push(ActionKind::Assign(place, value));
        }
        actions
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

    /// How the end of a function or process is reached.
    pub(super) fn leave(&mut self) -> Jump {
        let process = self.current;
        let span = self.builder.processes[process].span;
        let kills = self.ends_of_variables(span);
        if kills.is_empty() {
            return self.last_jump();
        }
        if let Some(&at) = self.exits.get(&process) {
            return Jump::Goto(at);
        }
        let then = self.last_jump();
        let at = self.fused(kills, then);
        self.exits.insert(process, at);
        Jump::Goto(at)
    }

    /// Ends the objects and channels of all variables of the current process.
    pub(super) fn ends_of_variables(&mut self, span: Span) -> Vec<Action> {
        let channels = self.own_channels.get(&self.current).cloned().unwrap_or_default();
        let mut kills: Vec<_> = self.boxed_locals().into_iter().map(|id| self.kill(id, span)).collect();
        kills.extend(channels.into_iter().map(|channel| Action { kind: ActionKind::Kill(channel), span }));
        kills
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
        // An escape is a statement outside of the scopes that it leaves, and an option is inside of those that
        // it enters.
        let Element { scope, span, .. } = *self.builder.elements.el(element);
        let mut left: Vec<u32> = scopes.around(scope).chain(scopes.around(self.inside)).collect();
        left.retain(|scope| !inside.contains(scope));
        let mut locals = self.builder.processes[self.current].locals.clone();
        locals.retain(|id| left.contains(&self.builder.symbols[id.index()].scope));
        let mut actions = Vec::new();
        for id in locals {
            for (local, channel) in self.scoped_channels.get(&id).cloned().unwrap_or_default() {
                let (kept, place) = self.kept(local, span);
                actions.push(Action { kind: ActionKind::Kill(kept), span });
                actions.push(Action { kind: ActionKind::New(place, New::Channel(channel)), span });
            }
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
}
