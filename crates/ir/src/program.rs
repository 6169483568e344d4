use std::collections::BTreeMap;

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
    /// The channels that exist from the start, in the order of their numbers, in flat programs.
    pub first_channels: Vec<ChannelId>,
    /// Executed before the first thread starts.
    pub prologue: Vec<Action>,
    /// The threads of the initial state, one entry per thread. Their parameters get default values.
    pub active: Vec<ProcedureId>,
    pub features: Features,
    pub memory: Memory,
    /// The automaton that watches the order of messages.
    pub monitor: Option<Monitor>,
    pub invariants: Vec<Invariant>,
    /// Temporal properties.
    pub properties: Vec<Property>,
}

/// How objects come to their end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Memory {
    /// An object is gone when nothing refers to it. Deleting it has no effect.
    #[default]
    Collected,
    /// An object ends when it is deleted. What is left of it shows that it was.
    Explicit(Leaks),
}

/// Which objects that are not deleted are a flaw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Leaks {
    Off,
    /// Objects that nothing refers to any more.
    #[default]
    Unreachable,
    /// Also objects that are there when all threads have ended.
    End,
}

impl Memory {
    /// The objects that are reported as leaks.
    pub const fn leaks(self) -> Leaks {
        match self {
            Self::Collected => Leaks::Off,
            Self::Explicit(leaks) => leaks,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: String,
    pub elements: Vec<String>,
    /// The elements are interchangeable: they can only be compared for equality.
    pub is_abstract: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub name: String,
    /// The records it extends.
    pub parents: Vec<RecordId>,
    /// All ancestors in ascending order, including the record itself.
    pub ancestors: Vec<RecordId>,
    /// All fields, inherited ones first, each once.
    pub fields: Vec<FieldId>,
    pub throwable: bool,
    /// Its objects stand for variables whose address is taken: they are never deleted, and end with their
    /// scope, by [`ActionKind::Kill`].
    pub scoped: bool,
    pub span: Span,
}

impl Program {
    /// The constants of abstract enums that properties and assertions name, ascending, each once.
    pub fn named_constants(&self) -> Vec<(EnumId, u32)> {
        self.constants_by_place().into_keys().collect()
    }

    /// The constants of abstract enums that properties and assertions name, and where they do, in the order
    /// of the program.
    pub fn constants_by_place(&self) -> BTreeMap<(EnumId, u32), Vec<NamedBy>> {
        let invariants =
            self.invariants.iter().enumerate().map(|(number, at)| (NamedBy::Invariant(number), &at.expr));
        let properties = self.properties.iter().enumerate().flat_map(|(number, property)| {
            property.props.iter().map(move |prop| (NamedBy::Property(number), &prop.expr))
        });
        let actions = self.transitions.values().flat_map(|transition| &transition.body);
        let asserted = actions.filter_map(|action| match &action.kind {
            ActionKind::Assert(condition, _) => Some((NamedBy::Assertion(condition.span), condition)),
            _ => None,
        });
        let mut named: BTreeMap<(EnumId, u32), Vec<NamedBy>> = BTreeMap::new();
        for (place, expr) in invariants.chain(properties).chain(asserted) {
            expr.each(&mut |expr| {
                if let ExprKind::Const(Const::Enum(id, element)) = expr.kind
                    && self.enums.get(id).is_some_and(|item| item.is_abstract)
                {
                    let places = named.entry((id, element)).or_default();
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            });
        }
        named
    }
}

/// What names a constant of an abstract enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedBy {
    /// The invariant of this number.
    Invariant(usize),
    /// The temporal property of this number.
    Property(usize),
    /// The assertion with this condition.
    Assertion(Span),
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

    /// All actions, including prologues.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        let bodies = self.transitions.values().flat_map(|transition| &transition.body);
        let prologues = self.procedures.values().flat_map(|procedure| &procedure.prologue);
        bodies.chain(prologues).chain(&self.prologue)
    }

    /// Calls `f` with every place that is stored to.
    pub fn each_place(&self, f: &mut impl FnMut(&Place)) {
        self.actions().flat_map(Action::places).for_each(&mut *f);
        for location in self.locations.values() {
            if let LocationKind::Resume { result: Some(place), .. } = &location.kind {
                f(place);
            }
        }
    }

    /// Calls `f` with every expression of the program, including subexpressions.
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
    /// The initial value, if it is not the default. Parameters have none.
    pub init: Option<Const>,
    /// The dimensions of an array variable. It has an element for each combination of indices, all of type
    /// `ty`.
    pub dims: Vec<u32>,
    /// Not part of the state: states that differ only in it are the same. Only globals of programs with
    /// [observable ids of threads](Features::thread_ids_observable) are untracked.
    pub untracked: bool,
    /// The meaning of its numbers, for traces.
    pub meaning: Meaning,
    /// Made by a front end, not written by the user: traces do not show it.
    pub synthetic: bool,
    pub span: Span,
}

impl Variable {
    /// A variable that is not an array.
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

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.dims.iter().map(|&len| len as usize).product()
    }
}

/// How traces show the values of an integer variable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Meaning {
    #[default]
    Number,
    /// Positions in an enum, from 1; 0 is no element.
    Symbol(EnumId),
    /// Numbers of channels.
    Channel,
}

/// A channel: a queue of messages that threads send and receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    pub name: String,
    /// The largest number of messages in it. If it is 0, sender and receiver take one step together.
    pub capacity: u32,
    /// The types of the fields of a message: integers that wrap, or references.
    pub fields: Vec<ChannelField>,
    /// Made by a declaration: it is never deleted, and ends with its scope, by [`ActionKind::Kill`].
    pub scoped: bool,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelField {
    pub ty: TypeId,
    pub meaning: Meaning,
}

/// A deterministic automaton over the events of channels, to which every run must conform, or which no run
/// may complete. Its first state is the initial one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    pub states: Vec<MonitorState>,
    /// Completing it is the fault, rather than leaving it.
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
    /// The values that the fields must have, over globals only; fields without a value may have any.
    pub pattern: Vec<Option<Expr>>,
    /// An index into the states of the monitor.
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
    /// The channels that are made with every thread of this procedure and vanish with it, in the order of
    /// their numbers.
    pub channels: Vec<ChannelId>,
    /// Assignments to the variables of a thread, executed in the step that starts it, before it is at its
    /// entry.
    pub prologue: Vec<Action>,
    /// The condition under which a thread can step while this procedure's frame is on top.
    pub provided: Option<Expr>,
    /// The channels that its threads claim for themselves.
    pub claims: Vec<Claim>,
    /// The priority of its threads, unless their start gives another one.
    pub priority: u8,
    pub entry: LocationId,
    pub catches: Vec<Catch>,
    pub span: Span,
}

/// A claim that no other thread receives from a channel, or that no other thread sends to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The claim is about receiving, rather than sending.
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
    /// In the order in which searches try them.
    pub transitions: Vec<TransitionId>,
    /// Other threads do not interleave here while this thread can step.
    pub atomic: bool,
    /// In the middle of a step: the first enabled transition is taken at once, as part of the same step.
    pub fused: bool,
    /// A thread may stay here forever.
    pub end: bool,
    /// The model labels it as accepting: a search for acceptance cycles reports runs that visit it again and
    /// again.
    pub accept: bool,
    /// The model labels it as progress: a search for non-progress cycles ignores runs that visit it again and
    /// again.
    pub progress: bool,
    /// The value of `pc_value` for a thread that is here.
    pub number: u32,
    /// The locals whose values matter from here on, if known.
    pub live: Option<Vec<LocalId>>,
    /// Made by a front end for a part of a statement; it has no name in the source.
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
            fused: false,
            end: false,
            accept: false,
            progress: false,
            number: 0,
            live: None,
            synthetic: false,
            span,
        }
    }

    /// The location that a user knows, which catches cover.
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
    /// The location of a frame while a call it made is active. It has no transitions: when the callee
    /// returns, its result is stored to `result` (whose operands are evaluated then) and the frame jumps on.
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
    /// It is enabled only if no transition of its location with a lesser rank is.
    pub rank: u32,
    /// After it, its thread is exclusive: no other thread steps as long as this one can.
    pub exclusive: bool,
    /// Its number in SPIN's trails, in programs that come from Promela.
    pub number: u32,
    /// Whether the model calls it invisible: a hint for reductions, without effect on the meaning.
    pub invisible: bool,
    /// In runs that temporal properties are about, a thread takes it again and again if it is enabled for the
    /// thread again and again.
    pub fair: bool,
    pub span: Span,
}

impl Program {
    /// The fair transitions, in increasing order.
    pub fn fair_transitions(&self) -> impl Iterator<Item = TransitionId> {
        self.transitions.iter().filter(|(_, transition)| transition.fair).map(|(id, _)| id)
    }
}

impl Transition {
    pub fn new(source: LocationId, guard: Guard, body: Vec<Action>, exit: Exit, span: Span) -> Self {
        let (rank, number, exclusive, invisible, fair) = (0, 0, false, false, false);
        Self { source, guard, body, exit, rank, exclusive, number, invisible, fair, span }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    Always,
    When(Expr),
    /// Holds if no other transition of the location is enabled.
    Else,
    /// Holds if some transition of this [fused](Location::fused) location is enabled.
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
