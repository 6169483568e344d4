//! Initial values.
//!
//! Those of globals are computed here, in SPIN's order: by type, then in the order of declaration. Those of
//! local variables are computed when their process starts.

use ir::{Action, ActionKind, Const, Expr, ExprKind, Id, LocalId, New, Place, PlaceKind, ProcedureId};
use rustc_hash::FxHashMap;

use super::{Lowering, Slot};
use crate::ast::{BinaryOp, UnaryOp};
use crate::codes;
use crate::objects::Dynamic;
use crate::symbols::{ChannelType, Init, Leaf, RECORD_PHASE, Scalar, Ty};
use crate::tree::{Ex, ExKind, Ref, SymbolId};
use crate::typing::Kind;

/// An element of a leaf.
struct Position {
    leaf: usize,
    indices: Vec<u32>,
}

/// Initial values that are not 0.
#[derive(Default)]
struct Values {
    /// Values of all elements of a leaf.
    common: FxHashMap<(SymbolId, usize), i64>,
    /// Values of single elements.
    single: FxHashMap<(SymbolId, usize, Vec<u32>), i64>,
}

impl Values {
    fn get(&self, symbol: SymbolId, leaf: usize, indices: Vec<u32>) -> i64 {
        let common = self.common.get(&(symbol, leaf));
        common.or_else(|| self.single.get(&(symbol, leaf, indices))).copied().unwrap_or(0)
    }
}

impl Lowering<'_, '_> {
    pub(super) fn initial_globals(&mut self) {
        let mut values = Values::default();
        for phase in 0..=RECORD_PHASE {
            for at in 0..self.builder.symbols.len() {
                let symbol = &self.builder.symbols[at];
                let own = symbol.scalar().map_or(RECORD_PHASE, Scalar::phase);
                if symbol.owner.is_none() && own == phase {
                    self.initial_global(SymbolId(at as u32), &mut values);
                }
            }
        }
        self.store_globals(&values);
    }

    fn initial_global(&mut self, id: SymbolId, values: &mut Values) {
        let symbol = &self.builder.symbols[id.index()];
        for (leaf, of) in symbol.leaves.iter().enumerate() {
            if let Some(Init::Value(value)) = &of.init
                && let Some(number) = value.literal()
            {
                let number = symbol.range(of).admit(i64::from(number)).unwrap_or(0);
                values.common.insert((id, leaf), number);
            }
        }
        for Position { leaf, indices } in self.positions(id) {
            let symbol = &self.builder.symbols[id.index()];
            let of = &symbol.leaves[leaf];
            let (name, range) = (element_name(&of.name, &indices), symbol.range(of));
            let value = match of.init.clone() {
                None => continue,
                Some(init) if self.builder.is_dynamic && of.scalar == Scalar::Chan => {
                    self.initial_channel(&Position { leaf, indices }, id, &init, &name);
                    continue;
                }
                Some(Init::Channel(channel)) => {
                    let channel = self.add_channel(&name, &channel, false);
                    self.program.first_channels.push(channel);
                    self.program.first_channels.len() as i64
                }
                Some(Init::Value(value)) => self.fixed(&value, values),
                Some(Init::List(list)) => {
                    let value = listed(&list, &indices).cloned();
                    value.map_or(0, |value| self.fixed(&value, values))
                }
            };
            values.single.insert((id, leaf, indices), range.admit(value).unwrap_or(0));
        }
    }

    /// The channel that a global variable of a dynamic program refers to at first.
    fn initial_channel(&mut self, at: &Position, id: SymbolId, init: &Init, name: &str) {
        let symbol = &self.builder.symbols[id.index()];
        if symbol.boxed.is_some() {
            return;
        }
        let span = symbol.span;
        let indices = at.indices.iter().map(|&index| Ex::int(index as i32, span)).collect();
        let place = self.place(&Ref { symbol: id, leaf: at.leaf, indices, span });
        let value = match init {
            Init::Channel(channel) => {
                let channel = self.add_channel(name, channel, true);
                let kind = ActionKind::New(place, New::Channel(channel));
                return self.program.prologue.push(Action { kind, span });
            }
            Init::Value(value) => Some(value),
            Init::List(list) => listed(list, &at.indices),
        };
        if let Some(value) = value {
            let value = self.of_kind(value, Kind::Channel);
            self.program.prologue.push(Action { kind: ActionKind::Assign(place, value), span });
        }
    }

    /// Initial values of variables where one value is enough, and a prologue for the others.
    fn store_globals(&mut self, values: &Values) {
        for at in 0..self.builder.symbols.len() {
            let id = SymbolId(at as u32);
            let symbol = &self.builder.symbols[at];
            if symbol.owner.is_some() || symbol.boxed.is_some() {
                continue;
            }
            let span = symbol.span;
            let positions = self.positions(id);
            for leaf in 0..self.builder.symbols[at].leaves.len() {
                let all: Vec<_> = positions.iter().filter(|position| position.leaf == leaf).collect();
                let value = |position: &Position| values.get(id, leaf, position.indices.clone());
                let first = match (all.first(), values.common.get(&(id, leaf))) {
                    (Some(position), _) => value(position),
                    (None, common) => common.copied().unwrap_or(0),
                };
                if all.iter().all(|position| value(position) == first) {
                    if let (true, Slot::Global(global)) = (first != 0, self.slot(id, leaf)) {
                        self.program.globals[ir::GlobalId(global)].init = Some(Const::Int(first));
                    }
                    continue;
                }
                for position in all.into_iter().filter(|position| value(position) != 0) {
                    let indices = position.indices.iter().map(|&index| Ex::int(index as i32, span)).collect();
                    let place = self.place(&Ref { symbol: id, leaf, indices, span });
                    let value = self.natural(ExprKind::Const(Const::Int(value(position))), span);
                    self.program.prologue.push(Action { kind: ActionKind::Assign(place, value), span });
                }
            }
        }
    }

    /// The value of an expression over globals before the model runs.
    fn fixed(&mut self, ex: &Ex, values: &Values) -> i64 {
        let value = evaluate(ex, values);
        if value.is_none() {
            let message = "the initial value of a global must be known before the model runs";
            self.builder.error(codes::NOT_CONSTANT, message, ex.span, "not a constant");
        }
        value.unwrap_or(0)
    }

    /// The elements of a variable that have initial values of their own, in the order in which SPIN
    /// initializes them.
    fn positions(&self, id: SymbolId) -> Vec<Position> {
        let symbol = &self.builder.symbols[id.index()];
        let is_single = |leaf: &Leaf| match &leaf.init {
            None => false,
            Some(Init::Value(value)) => value.literal().is_none(),
            Some(Init::List(_) | Init::Channel(_)) => true,
        };
        let mut all = Vec::new();
        if !symbol.leaves.iter().any(is_single) {
            return all;
        }
        self.collect(symbol.ty, symbol.size, &mut Vec::new(), &mut Vec::new(), &mut |path, indices| {
            let leaf = symbol.leaves.iter().position(|leaf| leaf.path == path);
            if let Some(leaf) = leaf.filter(|&leaf| is_single(&symbol.leaves[leaf])) {
                all.push(Position { leaf, indices: indices.to_vec() });
            }
        });
        all
    }

    fn collect(
        &self,
        ty: Ty,
        size: Option<u32>,
        path: &mut Vec<usize>,
        indices: &mut Vec<u32>,
        found: &mut dyn FnMut(&[usize], &[u32]),
    ) {
        for index in 0..size.unwrap_or(1) {
            if size.is_some() {
                indices.push(index);
            }
            match ty {
                Ty::Scalar(_) => found(path, indices),
                Ty::Record(record) => {
                    for (at, field) in self.builder.typedefs[record].fields.iter().enumerate() {
                        path.push(at);
                        self.collect(field.ty, field.size, path, indices, found);
                        path.pop();
                    }
                }
            }
            if size.is_some() {
                indices.pop();
            }
        }
    }

    /// The initial values of the variables of a process, and its channels.
    pub(super) fn initial_locals(&mut self, process: usize) {
        let Some(procedure) = self.procedures[process] else { return };
        for id in self.builder.processes[process].locals.clone() {
            let span = self.builder.symbols[id.index()].span;
            if self.builder.symbols[id.index()].boxed.is_some() {
                continue;
            }
            self.common_locals(procedure, id);
            for Position { leaf, indices } in self.positions(id) {
                let symbol = &self.builder.symbols[id.index()];
                let of = &symbol.leaves[leaf];
                let of_scalar = of.scalar;
                let name = element_name(&of.name, &indices);
                let value: Expr = match of.init.clone() {
                    None => continue,
                    Some(Init::Channel(channel)) if self.builder.is_dynamic => {
                        self.own_channel(procedure, id, &Position { leaf, indices }, &channel, &name);
                        continue;
                    }
                    Some(Init::Channel(channel)) => {
                        let channel = self.add_channel(&name, &channel, false);
                        self.program.procedures[procedure].channels.push(channel);
                        self.natural(ExprKind::Channel(channel), span)
                    }
                    Some(Init::Value(value)) => {
                        let kind = Kind::of(of_scalar);
                        self.of_kind(&value, kind)
                    }
                    Some(Init::List(list)) => match listed(&list, &indices).cloned() {
                        Some(value) => self.of_kind(&value, Kind::of(of_scalar)),
                        None => continue,
                    },
                };
                let indices = indices.iter().map(|&index| Ex::int(index as i32, span)).collect();
                let place = self.place(&Ref { symbol: id, leaf, indices, span });
                let action = Action { kind: ActionKind::Assign(place, value), span };
                self.program.procedures[procedure].prologue.push(action);
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// Makes the channel of a local variable of a dynamic program, which ends with the process.
    fn own_channel(
        &mut self,
        procedure: ProcedureId,
        id: SymbolId,
        at: &Position,
        ty: &ChannelType,
        name: &str,
    ) {
        let channel = self.add_channel(name, ty, true);
        let symbol = &self.builder.symbols[id.index()];
        let (span, is_set) = (symbol.span, self.builder.names.is_set(&symbol.name));
        let indices = at.indices.iter().map(|&index| Ex::int(index as i32, span)).collect();
        let variable = Ref { symbol: id, leaf: at.leaf, indices, span };
        let place = self.place(&variable);
        let made = Action { kind: ActionKind::New(place.clone(), New::Channel(channel)), span };
        let mut own = self.number(&Ex { kind: ExKind::Var(variable), span });
        self.program.procedures[procedure].prologue.push(made);
        if is_set {
            // The variable may refer to another channel in the end.
            let mut kept = ir::Variable::new(format!("#{name}"), place.ty, None, span);
            kept.synthetic = true;
            let local = self.program.procedures[procedure].locals.push(kept);
            let place = Place { kind: PlaceKind::Local(local), ty: place.ty, span };
            let keep = Action { kind: ActionKind::Assign(place, own.clone()), span };
            self.program.procedures[procedure].prologue.push(keep);
            own.kind = ExprKind::Local(local);
        }
        self.own_channels.entry(self.current).or_default().push(own);
    }

    /// The initial values of the variables of a function: they are known before it runs.
    pub(super) fn initial_values_of_function(&mut self, process: usize) {
        let Some(procedure) = self.procedures[process] else { return };
        let locals = self.builder.processes[process].locals.clone();
        for id in locals
            .into_iter()
            .filter(|id| self.builder.symbols[id.index()].boxed.is_none())
            .collect::<Vec<_>>()
        {
            self.common_locals(procedure, id);
        }
    }

    /// The initial values of a local variable that are the same numbers for all elements of its leaves.
    fn common_locals(&mut self, procedure: ProcedureId, id: SymbolId) {
        let symbol = &self.builder.symbols[id.index()];
        for (leaf, of) in symbol.leaves.iter().enumerate() {
            let Some(Init::Value(value)) = &of.init else { continue };
            let number = value.literal().and_then(|number| symbol.range(of).admit(i64::from(number)));
            if let (Some(number), Slot::Local(local)) =
                (number.filter(|&number| number != 0), self.slot(id, leaf))
            {
                let local = LocalId::from_index(local as usize);
                self.program.procedures[procedure].locals[local].init = Some(Const::Int(number));
            }
        }
    }
}

/// The value of a list for an element of an array: the last one is for all that follow.
pub(super) fn listed<'l>(list: &'l [Ex], indices: &[u32]) -> Option<&'l Ex> {
    let at = indices.last().copied().unwrap_or(0) as usize;
    list.get(at).or(list.last())
}

fn element_name(name: &str, indices: &[u32]) -> String {
    indices.iter().fold(name.to_owned(), |name, index| format!("{name}[{index}]"))
}

fn evaluate(ex: &Ex, values: &Values) -> Option<i64> {
    let word = |value: i64| i64::from(value as i32);
    Some(match &ex.kind {
        ExKind::Int(value) => i64::from(*value),
        ExKind::Dynamic(Dynamic::Null) => 0,
        ExKind::Dynamic(Dynamic::Function(id)) => id.0 as i64 + 1,
        ExKind::Var(place) => {
            let mut indices = Vec::new();
            for index in &place.indices {
                indices.push(u32::try_from(evaluate(index, values)?).ok()?);
            }
            values.get(place.symbol, place.leaf, indices)
        }
        ExKind::Unary(op, a) => {
            let a = evaluate(a, values)?;
            match op {
                UnaryOp::Not => i64::from(a == 0),
                UnaryOp::Negate => word(-a),
                UnaryOp::Complement => !a,
            }
        }
        ExKind::Cond(parts) => {
            let [condition, yes, no] = &**parts;
            evaluate(if evaluate(condition, values)? == 0 { no } else { yes }, values)?
        }
        ExKind::Binary(op, a, b) => {
            let a = evaluate(a, values)?;
            match op {
                BinaryOp::And if a == 0 => return Some(0),
                BinaryOp::Or if a != 0 => return Some(1),
                _ => {}
            }
            let b = evaluate(b, values)?;
            match op {
                BinaryOp::Add => word(a + b),
                BinaryOp::Subtract => word(a - b),
                BinaryOp::Multiply => word(a.wrapping_mul(b)),
                BinaryOp::Divide => word(a.checked_div(b)?),
                BinaryOp::Remainder => word(a.checked_rem(b)?),
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitXor => a ^ b,
                BinaryOp::BitOr => a | b,
                BinaryOp::ShiftLeft => word(a << (b & 31)),
                BinaryOp::ShiftRight => a >> (b & 31),
                BinaryOp::Equal => i64::from(a == b),
                BinaryOp::NotEqual => i64::from(a != b),
                BinaryOp::Less => i64::from(a < b),
                BinaryOp::LessEqual => i64::from(a <= b),
                BinaryOp::Greater => i64::from(a > b),
                BinaryOp::GreaterEqual => i64::from(a >= b),
                BinaryOp::And | BinaryOp::Or => i64::from(b != 0),
            }
        }
        _ => return None,
    })
}
