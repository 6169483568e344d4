use std::collections::BTreeSet;

use source::Span;

use crate::{
    Action, ActionKind, Callee, ChannelId, Const, EnumId, Expr, ExprKind, Features, FieldId, FunId, GlobalId,
    LocalId, LocationId, Place, ProcedureId, Property, RecordId, StringId, Table, TransitionId, TypeId,
    Types, VirtualId,
};

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub name: String,
    pub types: Types,
    pub enums: Table<EnumId, Enum>,
    pub records: Table<RecordId, Record>,
    pub fields: Table<FieldId, Field>,
    pub strings: Table<StringId, String>,
    pub globals: Table<GlobalId, Variable>,
    pub funs: Table<FunId, Fun>,
    pub procedures: Table<ProcedureId, Procedure>,
    pub virtuals: Table<VirtualId, Virtual>,
    pub locations: Table<LocationId, Location>,
    pub transitions: Table<TransitionId, Transition>,
    pub channels: Table<ChannelId, Channel>,
    /// The channels that exist from the start, in the order of their numbers.
    pub first_channels: Vec<ChannelId>,
    /// What is done to the globals before the first thread starts.
    pub prologue: Vec<Action>,
    /// The threads of the initial state, one entry per thread. What parameters they have get default values.
    pub active: Vec<ProcedureId>,
    pub features: Features,
    /// What the program says about the order of messages.
    pub monitor: Option<Monitor>,
    pub invariants: Vec<Invariant>,
    /// Temporal properties.
    pub properties: Vec<Property>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: String,
    pub elements: Vec<String>,
    /// Its elements are interchangeable: nothing but equality can be asked of them.
    pub is_abstract: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub name: String,
    /// The records it extends.
    pub parents: Vec<RecordId>,
    /// All ancestors in ascending order, the record itself included.
    pub ancestors: Vec<RecordId>,
    /// All fields, inherited ones first, each once.
    pub fields: Vec<FieldId>,
    pub throwable: bool,
    pub span: Span,
}

impl Program {
    /// The constants of abstract enums that properties and assertions name, ascending, each once.
    pub fn named_constants(&self) -> Vec<(EnumId, u32)> {
        let asserted =
            self.transitions.values().flat_map(|transition| &transition.body).filter_map(|action| {
                match &action.kind {
                    ActionKind::Assert(condition) => Some(condition),
                    _ => None,
                }
            });
        let invariants = self.invariants.iter().map(|invariant| &invariant.expr);
        let mut open: Vec<_> = invariants.chain(self.propositions()).chain(asserted).collect();
        let mut named_constants = BTreeSet::new();
        while let Some(expr) = open.pop() {
            if let ExprKind::Const(Const::Enum(id, element)) = expr.kind
                && self.enums.get(id).is_some_and(|item| item.is_abstract)
            {
                named_constants.insert((id, element));
            }
            open.extend(expr.operands());
        }
        named_constants.into_iter().collect()
    }
}

impl Program {
    /// The procedures that a call may go to.
    pub fn callees(&self, callee: Callee) -> impl Iterator<Item = ProcedureId> {
        let (only, table) = match callee {
            Callee::Static(only) => (Some(only), None),
            Callee::Virtual(table) => (None, Some(table)),
        };
        let targets = table.into_iter().flat_map(|table| &self.virtuals[table].targets);
        only.into_iter().chain(targets.map(|&(_, target)| target))
    }

    /// All actions, prologues included.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        let bodies = self.transitions.values().flat_map(|transition| &transition.body);
        let prologues = self.procedures.values().flat_map(|procedure| &procedure.prologue);
        bodies.chain(prologues).chain(&self.prologue)
    }

    /// Calls `f` with every place that is given a value.
    pub fn each_place(&self, f: &mut impl FnMut(&Place)) {
        self.actions().flat_map(Action::places).for_each(&mut *f);
        for location in self.locations.values() {
            if let LocationKind::Resume { result: Some(place), .. } = &location.kind {
                f(place);
            }
        }
    }

    /// Calls `f` with every expression of the program, and everything in it.
    pub fn each_expr(&self, f: &mut impl FnMut(&Expr)) {
        self.actions().flat_map(Action::operands).for_each(|expr| expr.each(f));
        for transition in self.transitions.values() {
            if let Guard::When(guard) = &transition.guard {
                guard.each(f);
            }
            match &transition.exit {
                Exit::Jump(Jump::Return(Some(value))) => value.each(f),
                Exit::Jump(_) => {}
                Exit::Call { args, .. } => args.iter().for_each(|arg| arg.each(f)),
            }
        }
        for location in self.locations.values() {
            if let LocationKind::Resume { result, then, .. } = &location.kind {
                result.iter().flat_map(Place::operands).for_each(|expr| expr.each(f));
                if let Jump::Return(Some(value)) = then {
                    value.each(f);
                }
            }
        }
        for procedure in self.procedures.values() {
            let claimed = procedure.claims.iter().map(|claim| &claim.channel);
            procedure.provided.iter().chain(claimed).for_each(|expr| expr.each(f));
        }
        self.funs.values().for_each(|fun| fun.body.each(f));
        self.invariants.iter().for_each(|invariant| invariant.expr.each(f));
        self.propositions().for_each(|expr| expr.each(f));
        for event in self.monitor.iter().flat_map(|monitor| &monitor.states).flat_map(|state| &state.events) {
            event.channel.each(f);
            event.pattern.iter().flatten().for_each(|field| field.each(f));
        }
    }
}

impl Record {
    pub fn descends_from(&self, ancestor: RecordId) -> bool {
        self.ancestors.binary_search(&ancestor).is_ok()
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub ty: TypeId,
    /// The record that declares it.
    pub owner: RecordId,
    pub span: Span,
}

/// A global, parameter or local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: TypeId,
    /// The value it starts with, if not the default. Parameters have none.
    pub init: Option<Const>,
    /// Of an array variable: its dimensions. It has an element for each combination of indices, all of type `ty`.
    pub dims: Vec<u32>,
    /// Not a part of the state: states that differ in it only are the same. Of globals only, in programs with
    /// [observable ids of threads](Features::thread_ids_observable).
    pub untracked: bool,
    /// What its numbers stand for.
    pub meaning: Meaning,
    /// Made by a front end, not written by the user: traces do not show it.
    pub synthetic: bool,
    pub span: Span,
}

impl Variable {
    /// A variable that is no array.
    pub fn new(name: impl Into<String>, ty: TypeId, init: Option<Const>, span: Span) -> Self {
        Self {
            name: name.into(),
            ty,
            init,
            dims: Vec::new(),
            untracked: false,
            meaning: Meaning::Number,
            synthetic: false,
            span,
        }
    }

    /// How many elements it has.
    pub fn size(&self) -> usize {
        self.dims.iter().map(|&len| len as usize).product()
    }
}

/// How traces show the values of an integer variable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Meaning {
    #[default]
    Number,
    /// Positions in an enum, from 1; 0 is none of them.
    Symbol(EnumId),
    /// Numbers of channels.
    Channel,
}

/// A channel: a queue of messages that threads send and receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    pub name: String,
    /// How many messages it holds. Through one that holds none, sender and receiver take one step together.
    pub capacity: u32,
    /// The types of the fields of a message: integers that wrap, or references.
    pub fields: Vec<ChannelField>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelField {
    pub ty: TypeId,
    pub meaning: Meaning,
}

/// A deterministic automaton over the events of channels, to which every run must conform, or which no run may
/// complete. It starts at its first state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    pub states: Vec<MonitorState>,
    /// To complete it is the fault, rather than to leave it.
    pub negated: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorState {
    /// In the order in which they are tried.
    pub events: Vec<MonitorEvent>,
    /// A run may end here.
    pub end: bool,
}

/// A message that is sent or received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorEvent {
    pub send: bool,
    /// The number of the channel, over globals only.
    pub channel: Expr,
    /// Values that the fields must have, over globals only; those without one may have any.
    pub pattern: Vec<Option<Expr>>,
    /// A position in the states of the monitor.
    pub target: u32,
    pub span: Span,
}

/// A pure function. It may be recursive; recursion deeper than the bound on frames exceeds that bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fun {
    pub name: String,
    pub params: Vec<(String, TypeId)>,
    pub result: TypeId,
    pub body: Expr,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    pub name: String,
    pub kind: ProcedureKind,
    /// Parameters, then variables.
    pub locals: Table<LocalId, Variable>,
    pub params: usize,
    pub result: Option<TypeId>,
    /// The channels that come with every thread of this procedure and go with it, in the order of their numbers.
    pub channels: Vec<ChannelId>,
    /// What is done in the step that starts a thread, before it is at its entry: assignments to its variables.
    pub prologue: Vec<Action>,
    /// A thread can step only where this holds, unless it is in a function.
    pub provided: Option<Expr>,
    /// What its threads claim to do alone.
    pub claims: Vec<Claim>,
    /// The priority of its threads where their start says nothing else.
    pub priority: u8,
    pub entry: LocationId,
    pub catches: Vec<Catch>,
    pub span: Span,
}

/// Nobody but the thread that claims it receives from a channel, or nobody else sends to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// About receiving, rather than sending.
    pub receive: bool,
    /// The number of the channel.
    pub channel: Expr,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcedureKind {
    Thread,
    Function,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Catch {
    pub record: RecordId,
    pub variable: LocalId,
    pub covers: Vec<LocationId>,
    pub handler: LocationId,
    pub span: Span,
}

/// Dispatch on the dynamic record of the first argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Virtual {
    pub name: String,
    /// By record; closed under descent by the front end, at most one entry per record.
    pub targets: Vec<(RecordId, ProcedureId)>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub name: String,
    pub procedure: ProcedureId,
    pub kind: LocationKind,
    /// In order of preference of the searches: they try the first one first.
    pub transitions: Vec<TransitionId>,
    /// Other threads do not interleave here while this thread can move.
    pub atomic: bool,
    /// In the middle of a step: the first transition that is enabled is taken at once, as a part of the step.
    pub inner: bool,
    /// A thread may stay here for good.
    pub end: bool,
    /// The model calls it accepting: to be here again and again is what must not happen, if that is asked.
    pub accept: bool,
    /// To be here again and again is progress, if that is asked.
    pub progress: bool,
    /// What `pc_value` says of a thread that is here.
    pub number: u32,
    /// The locals whose values matter from here on, where the model says so.
    pub live: Option<Vec<LocalId>>,
    /// Made by a front end for a part of a statement, with no name of its own in the source.
    pub synthetic: bool,
    pub span: Span,
}

impl Location {
    /// A plain location, without transitions yet.
    pub fn new(name: impl Into<String>, procedure: ProcedureId, span: Span) -> Self {
        Self {
            name: name.into(),
            procedure,
            kind: LocationKind::Plain,
            transitions: Vec::new(),
            atomic: false,
            inner: false,
            end: false,
            accept: false,
            progress: false,
            number: 0,
            live: None,
            synthetic: false,
            span,
        }
    }

    /// For the catch tables: the location that the user knows.
    pub fn origin(&self, this: LocationId) -> LocationId {
        match &self.kind {
            LocationKind::Plain => this,
            LocationKind::Resume { origin, .. } => *origin,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "a program has few locations")]
pub enum LocationKind {
    Plain,
    /// Where a frame stands while a call it made is active. It has no transitions: when the callee returns, its
    /// result is stored to `result` (the operands of which are evaluated then) and the frame jumps on.
    Resume {
        origin: LocationId,
        result: Option<Place>,
        then: Jump,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub source: LocationId,
    pub guard: Guard,
    pub body: Vec<Action>,
    pub exit: Exit,
    /// It is enabled only if none of its location with a lesser rank is.
    pub rank: u32,
    /// Nobody else moves after it as long as its thread can.
    pub exclusive: bool,
    /// By which SPIN's trails know it, in programs that come from Promela.
    pub number: u32,
    /// Whether the model calls it invisible: a hint for reductions, without meaning of its own.
    pub invisible: bool,
    pub span: Span,
}

impl Transition {
    pub fn new(source: LocationId, guard: Guard, body: Vec<Action>, exit: Exit, span: Span) -> Self {
        Self { source, guard, body, exit, rank: 0, exclusive: false, number: 0, invisible: false, span }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    Always,
    When(Expr),
    /// If no other transition of the location is enabled.
    Else,
    /// If some transition of this [inner](Location::inner) location is.
    Ready(LocationId),
}

/// How a transition leaves its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    Jump(Jump),
    /// `resume` is a [`LocationKind::Resume`] location of the same procedure.
    Call {
        callee: Callee,
        args: Vec<Expr>,
        resume: LocationId,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Jump {
    Goto(LocationId),
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub name: String,
    /// Over globals only.
    pub expr: Expr,
    pub span: Span,
}
