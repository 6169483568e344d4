use source::Span;

use crate::{
    Action, Callee, Const, EnumId, Expr, FieldId, FunId, GlobalId, LocalId, LocationId, Place, ProcedureId,
    RecordId, StringId, Table, TransitionId, TypeId, Types, VirtualId,
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
    /// The threads of the initial state: procedures without parameters, one entry per thread.
    pub active: Vec<ProcedureId>,
    pub invariants: Vec<Invariant>,
    /// Temporal properties, kept as written.
    pub temporal: Vec<Temporal>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enum {
    pub name: String,
    pub elements: Vec<String>,
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
    /// Made by a front end, not written by the user: traces do not show it.
    pub hidden: bool,
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
    pub entry: LocationId,
    pub catches: Vec<Catch>,
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
    /// The locals whose values matter from here on, where the model says so.
    pub live: Option<Vec<LocalId>>,
    /// Made by a front end for a part of a statement, with no name of its own in the source.
    pub hidden: bool,
    pub span: Span,
}

impl Location {
    /// For the catch tables: the location that the user knows.
    pub fn origin(&self, this: LocationId) -> LocationId {
        match &self.kind {
            LocationKind::Plain => this,
            LocationKind::Resume { origin, .. } => *origin,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// Whether the model calls it invisible: a hint for reductions, without meaning of its own.
    pub invisible: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    Always,
    When(Expr),
    /// If no other transition of the location is enabled.
    Else,
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Temporal {
    pub name: String,
    pub formula: String,
    pub span: Span,
}
