//! From elements to the IR.
//!
//! All values become integers; conditions are booleans. Variables are numbered as they are declared, records
//! leaf by leaf. Each reachable state becomes a location.

mod dsteps;
mod exprs;
mod initial;
mod merge;
mod monitor;
mod processes;
mod properties;
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
use crate::unused;

pub use merge::{Chain, Chains, Link, merge, unseen};

/// By transition: the calls of inlines that it comes from, innermost first.
pub type Inlined = BTreeMap<TransitionId, Vec<Span>>;

/// Where the first leaf of a variable is; the others follow.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    Global(u32),
    Local(u32),
}

pub struct Lowering<'b, 'a> {
    file: FileId,
    pub builder: &'b mut Builder<'a>,
    pub program: Program,
    slots: FxHashMap<SymbolId, Slot>,
    /// By the position of the process; claims and traces have none.
    procedures: Vec<Option<ProcedureId>>,
    automata: Vec<Option<Automaton>>,
    locations: Vec<FxHashMap<u32, LocationId>>,
    dead: Dead,
    enums: Vec<Option<EnumId>>,
    strings: FxHashMap<String, StringId>,
    inlined: Inlined,
    /// The process whose code is lowered.
    current: usize,
    scope: Scope,
}

/// The program, and the chains of its transitions that may be merged.
pub fn lower(builder: &mut Builder<'_>, file: FileId) -> (Program, Chains, BTreeSet<GlobalId>, Inlined) {
    let name = builder.map.file(file).name();
    let features = Features { thread_ids_observable: true, remembers_last: builder.asks_for_last };
    let mut lowering = Lowering {
        file,
        builder,
        program: Program { name: name.to_owned(), features, ..Program::default() },
        slots: FxHashMap::default(),
        procedures: Vec::new(),
        automata: Vec::new(),
        locations: Vec::new(),
        dead: Dead::default(),
        enums: Vec::new(),
        strings: FxHashMap::default(),
        inlined: Inlined::new(),
        current: 0,
        scope: Scope::Program,
    };
    lowering.mtypes();
    let hidden = lowering.globals();
    lowering.find_automata();
    lowering.declare_processes();
    lowering.lower_processes();
    lowering.count_channels();
    lowering.warn();
    lowering.monitor();
    lowering.properties();
    let chains = lowering.chains();
    (lowering.program, chains, hidden, lowering.inlined)
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
            Scalar::Chan => Meaning::Channel,
            Scalar::Mtype(list) => self.enums[list].map_or(Meaning::Number, Meaning::Symbol),
            _ => Meaning::Number,
        }
    }

    /// The variables that a symbol stands for, without initial values.
    fn variables(&mut self, id: SymbolId) -> Vec<Variable> {
        let symbol = &self.builder.symbols[id.index()];
        let (span, made, untracked) = (symbol.span, symbol.made, symbol.untracked());
        let leaves: Vec<_> = symbol.leaves.iter().map(|leaf| (leaf.clone(), symbol.range(leaf))).collect();
        leaves
            .into_iter()
            .map(|(leaf, range)| {
                let ty = self.int(range);
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
        hidden
    }

    fn add_channel(&mut self, name: &str, ty: &ChannelType) -> ChannelId {
        let fields = ty
            .fields
            .iter()
            .map(|&(scalar, packed)| {
                let meaning = self.meaning(scalar);
                ChannelField { ty: self.int(scalar.range(packed)), meaning }
            })
            .collect();
        let channel = Channel { name: name.to_owned(), capacity: ty.capacity, fields, span: ty.span };
        self.program.channels.push(channel)
    }

    fn find_automata(&mut self) {
        for at in 0..self.builder.processes.len() {
            let process = &self.builder.processes[at];
            let (body, count) = (process.body, process.count);
            let is_claim = process.kind == ProcessKind::Never;
            let elements = &mut self.builder.elements;
            let mut found = Ok(());
            if !self.builder.has_remote_variables && !is_claim {
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
            let has_procedure = matches!(kind, ProcessKind::Proctype | ProcessKind::Init);
            let Some(automaton) = self.automata[at].as_ref().filter(|_| has_procedure) else {
                self.procedures.push(None);
                self.locations.push(FxHashMap::default());
                continue;
            };
            let states: Vec<_> = automaton
                .reachable()
                .into_iter()
                .map(|number| (number, automaton.states[number as usize].clone()))
                .collect();
            let entry = automaton.entry;
            let id = ProcedureId::from_index(self.program.procedures.len());
            let mut locations = FxHashMap::default();
            for (number, state) in states {
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
                locations.insert(number, self.program.locations.push(location));
            }
            let entry = locations[&entry];
            let symbols: Vec<_> = {
                let process = &self.builder.processes[at];
                process.params.iter().chain(&process.locals).copied().collect()
            };
            let mut locals = ir::Table::new();
            let mut params = 0;
            for symbol in symbols {
                self.slots.insert(symbol, Slot::Local(locals.len() as u32));
                for mut variable in self.variables(symbol) {
                    variable.untracked = false;
                    locals.push(variable);
                }
                if self.builder.symbols[symbol.index()].param {
                    params = locals.len();
                }
            }
            self.program.procedures.push(Procedure {
                name,
                kind: ProcedureKind::Thread,
                locals,
                params,
                result: None,
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
        }
    }

    fn place(self) -> ir::PlaceKind {
        match self {
            Self::Global(at) => ir::PlaceKind::Global(GlobalId(at)),
            Self::Local(at) => ir::PlaceKind::Local(LocalId(at)),
        }
    }

    fn array(self) -> ir::Array {
        match self {
            Self::Global(at) => ir::Array::Global(GlobalId(at)),
            Self::Local(at) => ir::Array::Local(LocalId(at)),
        }
    }
}

fn is_else(node: &Node) -> bool {
    matches!(node, Node::Else)
}
