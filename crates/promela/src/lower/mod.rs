//! From elements to the IR.
//!
//! All values become integers; conditions are booleans. Variables are numbered as they are declared, records
//! leaf by leaf. Each reachable state becomes a location.

mod acts;
mod calls;
mod dsteps;
mod dynamic;
mod exprs;
mod initial;
mod lifetimes;
mod merge;
mod monitor;
mod processes;
mod properties;
mod spots;
mod transitions;

use std::collections::{BTreeMap, BTreeSet};

use ir::{
    Channel, ChannelField, ChannelId, Enum, EnumId, Expr, ExprKind, Features, GlobalId, Id, IntType, LocalId,
    Location, LocationId, Meaning, Procedure, ProcedureId, ProcedureKind, Program, Scope, StringId,
    TransitionId, Type, TypeId, Variable, Width,
};
use rustc_hash::FxHashMap;
use source::{Diagnostic, FileId, Span};

use crate::automaton::{Automaton, automaton};
use crate::build::{Builder, ProcessKind};
use crate::codes;
use crate::dataflow::{self, Dead};
use crate::elements::{Destination, Node};
use crate::symbols::{ChannelType, Scalar};
use crate::tree::SymbolId;
use crate::typing::Numbered;
use crate::unused;

pub use merge::{Chain, Chains, Link, merge, unseen};

/// By transition: the calls of inlines that it comes from, innermost first.
pub type Inlined = BTreeMap<TransitionId, Vec<Span>>;

/// Where the first leaf of a variable is; the others follow.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    Global(u32),
    Local(u32),
    /// A parameter of an expression function.
    Param(u32),
}

pub struct Lowering<'b, 'a> {
    file: FileId,
    pub builder: &'b mut Builder<'a>,
    pub program: Program,
    slots: FxHashMap<SymbolId, Slot>,
    /// By the position of the process; claims and traces have none.
    procedures: Vec<Option<ProcedureId>>,
    automata: Vec<Option<Automaton>>,
    /// By state, and whether its process is inside an atomic block there. In programs with numbers of
    /// processes it is always outside, since transitions say what is atomic.
    locations: Vec<FxHashMap<(u32, bool), LocationId>>,
    dead: Dead,
    enums: Vec<Option<EnumId>>,
    strings: FxHashMap<String, StringId>,
    inlined: Inlined,
    /// Why the processes of a dynamic program have numbers, if they have.
    numbered: Numbered,
    /// What pointers lead to.
    shapes: Vec<dynamic::Shape>,
    /// The expression functions, by function.
    funs: Vec<Option<ir::FunId>>,
    /// The functions that may end without a `return`.
    falls_off: Vec<bool>,
    /// Where the values of parameters arrive that are objects.
    raw_params: FxHashMap<SymbolId, u32>,
    /// By process: where the objects of its variables end.
    exits: FxHashMap<usize, LocationId>,
    /// By process: the channels that its variables are declared with.
    own_channels: FxHashMap<usize, Vec<Expr>>,
    /// The channels that variables of inner scopes are declared with, by variable: where each is kept.
    scoped_channels: FxHashMap<SymbolId, Vec<(LocalId, ChannelId)>>,
    /// The process whose code is lowered.
    current: usize,
    /// The scope of the state whose edges are lowered.
    inside: u32,
    scope: Scope,
}

/// The program, the chains of its transitions that may be merged, the hidden globals, and the transitions that
/// come from inlines.
pub type Lowered = (Program, Chains, BTreeSet<GlobalId>, Inlined);

/// Lowers a model. Also returns why processes have numbers in a dynamic program, if they have.
pub fn lower(builder: &mut Builder<'_>, file: FileId) -> (Lowered, Numbered) {
    let name = builder.map.file(file).name();
    let numbered = if builder.is_dynamic { builder.check_types() } else { None };
    if builder.is_dynamic {
        // Everything is part of the state.
        builder.symbols.iter_mut().for_each(|symbol| symbol.read = true);
    }
    let features = Features {
        thread_ids_observable: !builder.is_dynamic || numbered.is_some(),
        remembers_last: builder.asks_for_last && !builder.is_dynamic,
    };
    let mut lowering = Lowering {
        file,
        program: Program { name: name.to_owned(), features, ..Program::default() },
        slots: FxHashMap::default(),
        procedures: Vec::new(),
        automata: Vec::new(),
        locations: Vec::new(),
        dead: Dead::default(),
        enums: Vec::new(),
        strings: FxHashMap::default(),
        inlined: Inlined::new(),
        numbered,
        shapes: Vec::new(),
        funs: Vec::new(),
        falls_off: vec![false; builder.functions.len()],
        raw_params: FxHashMap::default(),
        exits: FxHashMap::default(),
        own_channels: FxHashMap::default(),
        scoped_channels: FxHashMap::default(),
        builder,
        current: 0,
        inside: 0,
        scope: Scope::Program,
    };
    if lowering.builder.diagnostics.has_errors() {
        return ((lowering.program, Chains::default(), BTreeSet::new(), Inlined::new()), numbered);
    }
    lowering.mtypes();
    lowering.find_arrays_of_pointers();
    lowering.records();
    lowering.declare_funs();
    let hidden = lowering.globals();
    lowering.find_automata();
    lowering.declare_processes();
    lowering.lower_funs();
    lowering.lower_processes();
    lowering.count_channels();
    lowering.warn();
    lowering.monitor();
    lowering.properties();
    let chains = if lowering.builder.is_dynamic { Chains::default() } else { lowering.chains() };
    ((lowering.program, chains, hidden, lowering.inlined), numbered)
}

impl Lowering<'_, '_> {
    fn int(&mut self, int: IntType) -> TypeId {
        self.program.types.intern(Type::Int(int))
    }

    fn boolean(&mut self) -> TypeId {
        self.program.types.intern(Type::Bool)
    }

    fn string(&mut self, text: &str) -> StringId {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.program.strings.push(text.to_owned());
        self.strings.insert(text.to_owned(), id);
        id
    }

    fn mtypes(&mut self) {
        for list in &self.builder.mtypes {
            let id = (!list.names.is_empty()).then(|| {
                self.program.enums.push(Enum {
                    name: list
                        .subtype
                        .as_ref()
                        .map_or_else(|| "mtype".to_owned(), |name| format!("mtype:{name}")),
                    elements: list.names.iter().map(ToString::to_string).collect(),
                    is_abstract: false,
                    span: list.span,
                })
            });
            self.enums.push(id);
        }
    }

    fn meaning(&self, scalar: Scalar) -> Meaning {
        match scalar {
            Scalar::Chan if !self.builder.is_dynamic => Meaning::Channel,
            Scalar::Mtype(list) => self.enums[list].map_or(Meaning::Number, Meaning::Symbol),
            _ => Meaning::Number,
        }
    }

    /// The variables that a symbol stands for, without initial values.
    fn variables(&mut self, id: SymbolId) -> Vec<Variable> {
        if let Some((_, ty)) = self.box_of(id) {
            let symbol = &self.builder.symbols[id.index()];
            return vec![Variable::new(&*symbol.name, ty, None, symbol.span)];
        }
        self.plain_variables(id)
    }

    fn plain_variables(&mut self, id: SymbolId) -> Vec<Variable> {
        let symbol = &self.builder.symbols[id.index()];
        let (span, made, untracked) = (symbol.span, symbol.made, symbol.untracked());
        let leaves: Vec<_> = symbol.leaves.iter().map(|leaf| (leaf.clone(), symbol.range(leaf))).collect();
        leaves
            .into_iter()
            .map(|(leaf, range)| {
                let ty = self.scalar_type(leaf.scalar, range);
                let mut variable = Variable::new(leaf.name, ty, None, span);
                variable.dims = leaf.dims;
                variable.meaning = self.meaning(leaf.scalar);
                variable.synthetic = made;
                variable.untracked = untracked;
                variable
            })
            .collect()
    }

    /// Declares the globals. Returns those that the model declares `hidden`.
    fn globals(&mut self) -> BTreeSet<GlobalId> {
        let mut hidden = BTreeSet::new();
        for at in 0..self.builder.symbols.len() {
            let id = SymbolId(at as u32);
            if self.builder.symbols[at].owner.is_some() {
                continue;
            }
            self.slots.insert(id, Slot::Global(self.program.globals.len() as u32));
            for variable in self.variables(id) {
                let global = self.program.globals.push(variable);
                if self.builder.symbols[at].hidden {
                    hidden.insert(global);
                }
            }
        }
        self.initial_globals();
        self.make_global_boxes();
        hidden
    }

    /// A channel, `scoped` if a declaration of a dynamic program makes it.
    fn add_channel(&mut self, name: &str, ty: &ChannelType, scoped: bool) -> ChannelId {
        let channel = self.channel(name, ty, scoped);
        self.program.channels.push(channel)
    }

    /// A channel that statements make. Those that make channels of one type share it, so that states do not tell which of
    /// them made a channel.
    fn made_channel(&mut self, ty: &ChannelType) -> ChannelId {
        let channel = self.channel("chan", ty, false);
        let is_same = |other: &Channel| Channel { span: channel.span, ..other.clone() } == channel;
        let known = self.program.channels.iter().find(|(_, other)| is_same(other)).map(|(id, _)| id);
        known.unwrap_or_else(|| self.program.channels.push(channel))
    }

    fn channel(&mut self, name: &str, ty: &ChannelType, scoped: bool) -> Channel {
        let fields = ty
            .fields
            .iter()
            .map(|&(scalar, packed)| {
                let meaning = self.meaning(scalar);
                ChannelField { ty: self.scalar_type(scalar, scalar.range(packed)), meaning }
            })
            .collect();
        Channel { name: name.to_owned(), capacity: ty.capacity, fields, scoped, span: ty.span }
    }

    fn find_automata(&mut self) {
        for at in 0..self.builder.processes.len() {
            let process = &self.builder.processes[at];
            let (body, count) = (process.body, process.count);
            let is_claim = process.kind == ProcessKind::Never;
            let elements = &mut self.builder.elements;
            let mut found = Ok(());
            if !self.builder.has_remote_variables && !is_claim && !self.builder.is_dynamic {
                found = dataflow::dead(
                    elements,
                    &self.builder.symbols,
                    &self.builder.typedefs,
                    at,
                    body,
                    &mut self.dead,
                );
            }
            let made = found.and_then(|()| automaton(elements, at, body, count));
            match made {
                Ok(made) => self.automata.push(Some(made)),
                Err(cycle) => {
                    let span = elements.el(cycle.0).span;
                    self.builder.error(
                        codes::JUMP_CYCLE,
                        "these jumps never arrive",
                        span,
                        "leads back to itself",
                    );
                    self.automata.push(None);
                }
            }
        }
    }

    fn declare_processes(&mut self) {
        for at in 0..self.builder.processes.len() {
            let process = &self.builder.processes[at];
            let (name, kind, span, priority) =
                (process.name.to_string(), process.kind, process.span, process.priority);
            let has_procedure =
                matches!(kind, ProcessKind::Proctype | ProcessKind::Init | ProcessKind::Function(_));
            let Some(automaton) = self.automata[at].as_ref().filter(|_| has_procedure) else {
                self.procedures.push(None);
                self.locations.push(FxHashMap::default());
                continue;
            };
            let entry = automaton.entry;
            let by_location = self.builder.is_dynamic && self.numbered.is_none();
            let mut keys: Vec<_> = if by_location {
                automaton.reachable_with_atomic()
            } else {
                automaton.reachable().into_iter().map(|number| (number, false)).collect()
            };
            // Falling off the end is part of the step before.
            if by_location || matches!(kind, ProcessKind::Function(_)) {
                keys.retain(|&(number, _)| {
                    let element = automaton.states[number as usize].element;
                    let is_end =
                        element.is_some_and(|at| matches!(self.builder.elements.el(at).node, Node::End));
                    !is_end || number == entry
                });
            }
            let states: Vec<_> =
                keys.into_iter().map(|key| (key, automaton.states[key.0 as usize].clone())).collect();
            let id = ProcedureId::from_index(self.program.procedures.len());
            let mut locations = FxHashMap::default();
            for ((number, is_atomic), state) in states {
                let element = state.element;
                let span = element.map_or(span, |element| self.builder.elements.el(element).span);
                let label = self.builder.elements.labels.iter().find(|label| Some(label.element) == element);
                let label = match label.map(|label| &label.destination) {
                    Some(Destination::Label { name, .. }) => name.to_string(),
                    _ => String::new(),
                };
                let mut location = Location::new(label, id, span);
                location.synthetic = location.name.is_empty();
                if location.synthetic {
                    location.name = format!("line{}", self.builder.map.line(span));
                }
                location.end = state.end;
                location.accept = state.accept;
                location.progress = state.progress;
                location.number = number;
                location.atomic = is_atomic;
                locations.insert((number, is_atomic), self.program.locations.push(location));
            }
            let entry = locations[&(entry, false)];
            let symbols: Vec<_> = {
                let process = &self.builder.processes[at];
                process.params.iter().chain(&process.locals).copied().collect()
            };
            let mut locals = ir::Table::new();
            let mut params = 0;
            // The value of a parameter that is an object is moved there.
            for &symbol in &symbols {
                if !self.builder.symbols[symbol.index()].param {
                    continue;
                }
                if self.builder.symbols[symbol.index()].boxed.is_some() {
                    self.raw_params.insert(symbol, locals.len() as u32);
                } else {
                    self.slots.insert(symbol, Slot::Local(locals.len() as u32));
                }
                for mut variable in self.plain_variables(symbol) {
                    variable.untracked = false;
                    locals.push(variable);
                }
                params = locals.len();
            }
            for symbol in symbols {
                let of = &self.builder.symbols[symbol.index()];
                if of.param && of.boxed.is_none() {
                    continue;
                }
                self.slots.insert(symbol, Slot::Local(locals.len() as u32));
                for mut variable in self.variables(symbol) {
                    variable.untracked = false;
                    locals.push(variable);
                }
            }
            let (procedure_kind, result) = match kind {
                ProcessKind::Function(id) => (ProcedureKind::Function, self.builder.functions[id.0].result),
                _ => (ProcedureKind::Thread, None),
            };
            let result = result.map(|scalar| self.scalar_type(scalar, scalar.range(false)));
            self.program.procedures.push(Procedure {
                name,
                kind: procedure_kind,
                locals,
                params,
                result,
                channels: Vec::new(),
                prologue: Vec::new(),
                provided: None,
                claims: Vec::new(),
                priority,
                entry,
                catches: Vec::new(),
                span,
            });
            self.procedures.push(Some(id));
            self.locations.push(locations);
        }
        for at in 0..self.builder.processes.len() {
            if let Some(id) = self.procedures[at] {
                let count = self.builder.processes[at].active as usize;
                self.program.active.extend(std::iter::repeat_n(id, count));
            }
        }
        if self.program.active.is_empty() && !self.builder.diagnostics.has_errors() {
            let first = self.builder.processes.iter().find(|process| process.kind == ProcessKind::Proctype);
            let diagnostic = Diagnostic::error(codes::NO_PROCESS, "no process runs in this model");
            let diagnostic = match first {
                Some(process) => diagnostic.at(process.span, "a process that nothing starts").help(format!(
                    "write `active proctype {0}`, or start it: `init {{ run {0}(…) }}`",
                    process.name
                )),
                None => diagnostic
                    .at(Span::new(self.file, 0, 0), "this file")
                    .help("a model needs a process: `active proctype P() { … }` or `init { … }`"),
            };
            self.builder.diagnostics.push(diagnostic);
        }
    }

    /// Channel numbers fit a byte. Channels of processes that are started later are counted during the run.
    fn count_channels(&mut self) {
        let program = &self.program;
        let of = |&id: &ProcedureId| program.procedures[id].channels.iter();
        let mut first = program.first_channels.iter().chain(program.active.iter().flat_map(of));
        if let Some(&id) = first.nth(ir::MAX_CHANNELS as usize) {
            let span = program.channels[id].span;
            let message = format!("there are more than {} channels", ir::MAX_CHANNELS);
            self.builder.error(codes::TOO_MANY_CHANNELS, &message, span, "one too many");
        }
    }

    fn warn(&mut self) {
        unused::variables(self.builder);
        unused::labels(self.builder);
        unused::processes(self.builder);
        for (at, automaton) in self.automata.iter().enumerate() {
            if let (Some(automaton), Some(_)) = (automaton, self.procedures[at]) {
                unused::statements(self.builder, at, automaton);
            }
        }
    }

    fn slot(&self, symbol: SymbolId, leaf: usize) -> Slot {
        match self.slots[&symbol] {
            Slot::Global(first) => Slot::Global(first + leaf as u32),
            Slot::Local(first) => Slot::Local(first + leaf as u32),
            Slot::Param(first) => Slot::Param(first + leaf as u32),
        }
    }

    /// The expression of that kind, with its natural type.
    fn natural(&mut self, kind: ExprKind, span: Span) -> Expr {
        let ty = self.program.natural_type(&kind, self.scope).unwrap_or(Type::Bool);
        let ty = self.program.types.intern(ty);
        Expr { kind, ty, span }
    }
}

/// The 32 bits that arithmetic is done in.
const WORD: IntType = IntType { width: Width::Int, lo: i32::MIN as i64, hi: i32::MAX as i64, wrap: true };

impl Slot {
    fn expr(self) -> ExprKind {
        match self {
            Self::Global(at) => ExprKind::Global(GlobalId(at)),
            Self::Local(at) => ExprKind::Local(LocalId(at)),
            Self::Param(at) => ExprKind::Param(at),
        }
    }

    fn place(self) -> ir::PlaceKind {
        match self {
            Self::Global(at) => ir::PlaceKind::Global(GlobalId(at)),
            // Nothing is stored to a parameter of an expression.
            Self::Local(at) | Self::Param(at) => ir::PlaceKind::Local(LocalId(at)),
        }
    }

    fn array(self) -> ir::Array {
        match self {
            Self::Global(at) => ir::Array::Global(GlobalId(at)),
            Self::Local(at) | Self::Param(at) => ir::Array::Local(LocalId(at)),
        }
    }
}

fn is_else(node: &Node) -> bool {
    matches!(node, Node::Else)
}
