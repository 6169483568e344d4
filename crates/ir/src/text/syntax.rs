//! The text as a tree, with unresolved names.

use source::Span;

use crate::{ActionKind, BinaryOp, CollectionOp, Expr, ExprKind, Features, Memory, ProcedureKind, UnaryOp};

/// A name as it occurs in the text, perhaps with an index.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub number: Option<u32>,
    pub at: u32,
}

#[derive(Debug)]
pub(super) enum TypeKind {
    Boolean,
    Int {
        long: bool,
        range: Option<(i64, i64, bool)>,
    },
    Tid,
    String,
    Lock,
    Pointer,
    Channel,
    Null,
    /// An enum or a record.
    Named(Name),
    Enum(Name),
    Record(Name),
    Array(Box<TypeTree>),
    Set(Box<TypeTree>),
    Bag(Box<TypeTree>),
    Map(Box<TypeTree>, Box<TypeTree>),
    Seq(Box<TypeTree>),
    Queue(Box<TypeTree>),
}

#[derive(Debug)]
pub(super) struct TypeTree {
    pub kind: TypeKind,
    pub at: u32,
}

/// A question with one operand.
pub(super) type Question = fn(Box<Expr>) -> ExprKind;

/// An action with one operand.
pub(super) type Verb = fn(Expr) -> ActionKind;

#[derive(Debug)]
pub(super) enum TreeKind {
    Bool(bool),
    Int(i64),
    Null,
    String(String),
    /// A local variable, a parameter or a global.
    Name(Name),
    Global(Name),
    Element(Name, Name),
    Field(Box<Tree>, Name),
    Length(Box<Tree>),
    /// Of a field.
    Address(Box<Tree>),
    Offset(Box<Tree>, Box<Tree>),
    Within(Box<Tree>, u32),
    Index(Box<Tree>, Box<Tree>),
    Unary(UnaryOp, Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
    Cond(Box<Tree>, Box<Tree>, Box<Tree>),
    As(Box<Tree>, Name),
    InstanceOf(Box<Tree>, Name),
    Ask(Question, Box<Tree>),
    Call(Name, Vec<Tree>),
    All(Name),
    Create(TypeTree, Vec<Tree>),
    Method(CollectionOp, Vec<Tree>),
    Quantified {
        all: bool,
        over: Box<Tree>,
        fun: Name,
        captures: Vec<Tree>,
    },
    Typed(Box<Tree>, TypeTree),
    /// A question without operands.
    Fact(ExprKind),
    FirstThread(Name),
    ThreadsAt {
        /// The question is about the individual of the property only.
        individual: bool,
        procedure: Name,
        locations: Vec<Name>,
    },
    Channel(Name),
    ThreadAt {
        thread: Box<Tree>,
        procedure: Name,
        locations: Vec<Name>,
    },
    ThreadLocal {
        thread: Box<Tree>,
        procedure: Name,
        local: Name,
        indices: Vec<Tree>,
    },
    ChannelHas {
        anywhere: bool,
        channel: Box<Tree>,
        pattern: Vec<Option<Tree>>,
    },
}

/// An expression or a place.
#[derive(Debug)]
pub(super) struct Tree {
    pub kind: TreeKind,
    pub span: Span,
    pub depth: usize,
}

#[derive(Debug)]
pub(super) struct VariableTree {
    pub name: Name,
    pub ty: TypeTree,
    pub dims: Vec<u32>,
    pub meaning: MeaningTree,
    pub init: Option<Tree>,
    pub flags: Flags,
    pub span: Span,
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Flags {
    pub synthetic: bool,
    pub untracked: bool,
}

#[derive(Debug)]
pub(super) enum MeaningTree {
    Number,
    Symbol(Name),
    Channel,
}

#[derive(Debug)]
pub(super) struct ChannelTree {
    pub name: Name,
    pub capacity: u32,
    pub fields: Vec<(TypeTree, MeaningTree)>,
    pub scoped: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct MonitorTree {
    pub negated: bool,
    pub states: Vec<MonitorStateTree>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct MonitorStateTree {
    pub end: bool,
    pub events: Vec<MonitorEventTree>,
}

#[derive(Debug)]
pub(super) struct MonitorEventTree {
    pub send: bool,
    pub channel: Tree,
    pub pattern: Vec<Option<Tree>>,
    pub target: u32,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct FieldTree {
    pub name: Name,
    pub ty: TypeTree,
    pub number: Option<u32>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct RecordTree {
    pub name: Name,
    pub throwable: bool,
    pub scoped: bool,
    pub parents: Vec<Name>,
    pub declared: Vec<FieldTree>,
    pub fields: Option<Vec<Name>>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct EnumTree {
    pub name: Name,
    pub elements: Vec<Name>,
    pub is_abstract: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct FunTree {
    pub name: Name,
    pub params: Vec<(Name, TypeTree)>,
    pub result: TypeTree,
    pub body: Tree,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct VirtualTree {
    pub name: Name,
    /// Records and procedures.
    pub targets: Vec<(Name, Name)>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct CatchTree {
    pub record: Name,
    pub variable: Name,
    pub covers: Vec<Name>,
    pub handler: Name,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum JumpTree {
    Goto(Name),
    Return(Option<Tree>),
}

#[derive(Debug)]
pub(super) enum ExitTree {
    Jump(JumpTree),
    Call { dispatched: bool, callee: Name, args: Vec<Tree>, resume: Name },
}

#[derive(Debug)]
pub(super) enum GuardTree {
    Always,
    When(Tree),
    Else,
    Ready(Name),
}

#[derive(Debug)]
pub(super) enum NewTree {
    Record(Name),
    Lock,
    Array(TypeTree, Tree),
    Block(Name, Tree),
    Channel(Name),
}

#[derive(Debug)]
pub(super) enum PatternTree {
    Store(Tree),
    Match(Tree),
    Any,
}

#[derive(Debug)]
pub(super) enum ActionTreeKind {
    Assign(Tree, Tree),
    New(Tree, NewTree),
    Choose(Tree, Tree),
    Do(Verb, Tree),
    Assert(Tree, Option<String>),
    Start { result: Option<Tree>, procedure: Name, args: Vec<Tree>, priority: Option<u8> },
    Exit,
    BadCall(String),
    Send { sorted: bool, channel: Tree, message: Vec<Tree> },
    Receive { anywhere: bool, keep: bool, channel: Tree, pattern: Vec<PatternTree> },
    SetPriority(Tree, Tree),
    Print(String, Vec<Tree>),
}

#[derive(Debug)]
pub(super) struct ActionTree {
    pub kind: ActionTreeKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct TransitionTree {
    pub number: Option<u32>,
    pub guard: GuardTree,
    pub rank: u32,
    pub exclusive: bool,
    pub trail_number: u32,
    pub invisible: bool,
    pub fair: bool,
    pub body: Vec<ActionTree>,
    pub exit: ExitTree,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct LocationTree {
    pub name: Name,
    pub number: Option<u32>,
    pub atomic: bool,
    pub fused: bool,
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    pub value: u32,
    pub synthetic: bool,
    pub live: Option<Vec<Name>>,
    pub transitions: Vec<TransitionTree>,
    pub resume: Option<ResumeTree>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct ResumeTree {
    pub origin: Name,
    pub result: Option<Tree>,
    pub then: JumpTree,
}

#[derive(Debug)]
pub(super) struct ClaimTree {
    pub receive: bool,
    pub channel: Tree,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct PropertyTree {
    pub name: Name,
    /// The procedure of the threads that it is about, and the name of the thread.
    pub each: Option<(Name, Name, Span)>,
    pub props: Vec<(String, Tree, Span)>,
    pub kind: crate::PropertyKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct ProcedureTree {
    pub name: Name,
    pub kind: ProcedureKind,
    pub params: Vec<VariableTree>,
    pub locals: Vec<VariableTree>,
    pub result: Option<TypeTree>,
    pub entry: Option<Name>,
    pub priority: u8,
    pub provided: Option<Tree>,
    pub channels: Vec<Name>,
    pub claims: Vec<ClaimTree>,
    pub prologue: Vec<ActionTree>,
    pub catches: Vec<CatchTree>,
    pub locations: Vec<LocationTree>,
    pub span: Span,
}

#[derive(Debug, Default)]
pub(super) struct ProgramTree {
    pub name: String,
    pub features: Features,
    pub memory: Memory,
    pub channels: Vec<ChannelTree>,
    pub first_channels: Vec<Name>,
    pub prologue: Vec<ActionTree>,
    pub monitor: Option<MonitorTree>,
    pub types: Vec<TypeTree>,
    pub strings: Vec<String>,
    pub enums: Vec<EnumTree>,
    pub records: Vec<RecordTree>,
    pub globals: Vec<VariableTree>,
    pub funs: Vec<FunTree>,
    pub virtuals: Vec<VirtualTree>,
    pub procedures: Vec<ProcedureTree>,
    pub active: Vec<Name>,
    pub invariants: Vec<(Name, Tree, Span)>,
    pub properties: Vec<PropertyTree>,
}
