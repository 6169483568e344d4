//! The model as written: names are text, nothing is resolved.
//!
//! Trees are never deeper than the parser's limits, so recursion over them (including their drop) is safe.

use ir::BinaryOp;
use source::Span;

use crate::collections::Kind;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'s> {
    pub text: &'s str,
    pub span: Span,
}

/// A model with what it imports, its members sorted by kind.
#[derive(Debug)]
pub struct System<'s> {
    pub name: Name<'s>,
    pub consts: Vec<ConstGroup<'s>>,
    pub enums: Vec<Enum<'s>>,
    pub records: Vec<Record<'s>>,
    pub aliases: Vec<Alias<'s>>,
    pub globals: Vec<Variable<'s>>,
    pub procedures: Vec<Procedure<'s>>,
    pub virtuals: Vec<Virtual<'s>>,
    pub funs: Vec<Fun<'s>>,
    pub invariants: Vec<Invariant<'s>>,
    pub temporal: Vec<Temporal<'s>>,
    /// The places of all members as wholes, file by file.
    pub extents: Vec<Span>,
}

impl<'s> System<'s> {
    /// A system without members.
    pub fn new(name: Name<'s>) -> Self {
        Self {
            name,
            consts: Vec::new(),
            enums: Vec::new(),
            records: Vec::new(),
            aliases: Vec::new(),
            globals: Vec::new(),
            procedures: Vec::new(),
            virtuals: Vec::new(),
            funs: Vec::new(),
            invariants: Vec::new(),
            temporal: Vec::new(),
            extents: Vec::new(),
        }
    }
}

#[derive(Debug)]
pub struct ConstGroup<'s> {
    pub name: Name<'s>,
    pub elements: Vec<(Name<'s>, Expr<'s>)>,
}

#[derive(Debug)]
pub struct Enum<'s> {
    pub name: Name<'s>,
    pub is_abstract: bool,
    pub elements: Vec<Name<'s>>,
    /// The number of elements of an abstract enum whose elements have no names.
    pub size: Option<Expr<'s>>,
}

#[derive(Debug)]
pub struct Record<'s> {
    pub name: Name<'s>,
    pub top: bool,
    pub throwable: bool,
    pub parents: Vec<Name<'s>>,
    pub fields: Vec<Variable<'s>>,
}

#[derive(Debug)]
pub struct Alias<'s> {
    pub name: Name<'s>,
    pub ty: Type<'s>,
}

/// A global or local variable, or a field.
#[derive(Debug)]
pub struct Variable<'s> {
    pub name: Name<'s>,
    pub ty: Type<'s>,
    pub init: Option<Expr<'s>>,
}

/// A parameter.
#[derive(Debug)]
pub struct Param<'s> {
    pub name: Name<'s>,
    pub ty: Type<'s>,
}

#[derive(Debug)]
pub struct Procedure<'s> {
    pub name: Name<'s>,
    pub kind: ProcedureKind<'s>,
    pub params: Vec<Param<'s>>,
    pub locals: Vec<Variable<'s>>,
    pub body: Body<'s>,
    /// The brace that ends it.
    pub end: Span,
}

impl Procedure<'_> {
    /// From the name to the end, which is where parameters and local variables are known.
    pub fn extent(&self) -> Span {
        self.name.span.to(self.end)
    }
}

#[derive(Debug)]
pub enum ProcedureKind<'s> {
    Thread { active: Option<Active<'s>> },
    Function { result: Option<Type<'s>> },
}

#[derive(Debug)]
pub struct Active<'s> {
    /// `main thread` rather than `active thread`.
    pub main: bool,
    pub count: Option<Expr<'s>>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Body<'s> {
    Locations { locations: Vec<Location<'s>>, catches: Vec<Catch<'s>> },
    Statements(Vec<Stmt<'s>>),
}

#[derive(Debug)]
pub struct Location<'s> {
    pub name: Name<'s>,
    /// A thread may stay here forever.
    pub end: bool,
    pub live: Option<Vec<Name<'s>>>,
    pub transformations: Vec<Transformation<'s>>,
}

#[derive(Debug)]
pub struct Transformation<'s> {
    pub guard: Option<Expr<'s>>,
    pub command: Command<'s>,
    pub jump: Jump<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum Command<'s> {
    Do { invisible: bool, fair: bool, actions: Vec<Stmt<'s>> },
    Invoke(Invoke<'s>),
}

#[derive(Debug)]
pub struct Jump<'s> {
    pub kind: JumpKind<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum JumpKind<'s> {
    Goto(Name<'s>),
    Return(Option<Expr<'s>>),
}

/// `catch record variable at covers goto handler;`
#[derive(Debug)]
pub struct Catch<'s> {
    pub record: Name<'s>,
    pub variable: Name<'s>,
    pub covers: Vec<Name<'s>>,
    pub handler: Name<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Invoke<'s> {
    pub place: Option<Expr<'s>>,
    pub dispatch: bool,
    pub callee: Name<'s>,
    pub args: Vec<Expr<'s>>,
    pub span: Span,
}

/// A statement, or an action of a transformation.
#[derive(Debug)]
pub struct Stmt<'s> {
    pub label: Option<Label<'s>>,
    pub kind: StmtKind<'s>,
    /// The whole of a simple statement, the head of others.
    pub span: Span,
}

/// `name:` or `name end:` before a statement.
#[derive(Clone, Copy, Debug)]
pub struct Label<'s> {
    pub name: Name<'s>,
    /// A thread may stay here forever.
    pub end: bool,
}

#[derive(Debug)]
pub enum StmtKind<'s> {
    Assign {
        place: Expr<'s>,
        value: Expr<'s>,
    },
    /// An operation on a collection that changes its first argument.
    Change(Expr<'s>),
    /// A condition, and the message if it is false.
    Assert(Expr<'s>, Option<String>),
    Assume(Expr<'s>),
    /// Waits for a condition.
    When(Expr<'s>),
    Monitor(MonitorOp, Expr<'s>),
    Throw(Expr<'s>),
    Delete(Expr<'s>),
    Start {
        place: Option<Expr<'s>>,
        thread: Name<'s>,
        args: Vec<Expr<'s>>,
    },
    Exit,
    Skip,
    Invoke(Invoke<'s>),
    Return(Option<Expr<'s>>),
    Atomic(Block<'s>),
    While {
        test: Expr<'s>,
        body: Block<'s>,
    },
    For(Box<For<'s>>),
    Break,
    Continue,
    If {
        arms: Vec<(Expr<'s>, Block<'s>)>,
        otherwise: Option<Block<'s>>,
    },
    Choose {
        branches: Vec<Branch<'s>>,
        otherwise: Option<Block<'s>>,
    },
    Try {
        body: Block<'s>,
        handlers: Vec<Handler<'s>>,
    },
}

pub type Block<'s> = Vec<Stmt<'s>>;

/// `for variable in over do body end`
#[derive(Debug)]
pub struct For<'s> {
    pub variable: Name<'s>,
    pub over: Over<'s>,
    pub body: Block<'s>,
    /// From the keyword to the `end`.
    pub extent: Span,
}

/// What a `for` runs over.
#[derive(Debug)]
pub enum Over<'s> {
    /// `from..to`, or `from..=to`, which has its last element.
    Range { from: Expr<'s>, to: Expr<'s>, inclusive: bool },
    /// The elements of a collection or an array.
    Elements(Expr<'s>),
}

#[derive(Debug)]
pub struct Branch<'s> {
    pub guard: Option<Expr<'s>>,
    pub body: Block<'s>,
    pub span: Span,
}

/// `catch (record variable) body`
#[derive(Debug)]
pub struct Handler<'s> {
    pub record: Name<'s>,
    pub variable: Name<'s>,
    pub body: Block<'s>,
    pub span: Span,
    /// With the body.
    pub extent: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonitorOp {
    Lock,
    Unlock,
    Wait,
    Unwait,
    Notify,
    NotifyAll,
}

#[derive(Debug)]
pub struct Virtual<'s> {
    pub name: Name<'s>,
    pub entries: Vec<(Name<'s>, Name<'s>)>,
}

#[derive(Debug)]
pub struct Fun<'s> {
    pub name: Name<'s>,
    pub params: Vec<Param<'s>>,
    pub result: Type<'s>,
    pub body: Expr<'s>,
}

#[derive(Debug)]
pub struct Invariant<'s> {
    pub name: Name<'s>,
    pub expr: Expr<'s>,
}

#[derive(Debug)]
pub struct Temporal<'s> {
    pub name: Name<'s>,
    pub each: Option<Each<'s>>,
    pub kind: TemporalKind,
    /// The conditions of the propositions.
    pub atoms: Vec<Expr<'s>>,
}

/// `forall procedure variable :` before a formula.
#[derive(Clone, Copy, Debug)]
pub struct Each<'s> {
    pub procedure: Name<'s>,
    pub variable: Name<'s>,
    pub span: Span,
}

#[derive(Debug)]
pub enum TemporalKind {
    /// All runs satisfy the formula.
    Formula(ltl::Formula),
    /// No run is accepted by the automaton.
    Automaton(ltl::Automaton),
}

#[derive(Clone, Debug)]
pub struct Type<'s> {
    pub kind: TypeKind<'s>,
    pub span: Span,
    /// The number of types it is made of, including itself.
    pub size: u32,
}

#[derive(Clone, Debug)]
pub enum TypeKind<'s> {
    Boolean,
    Int {
        long: bool,
        range: Option<Box<Range<'s>>>,
    },
    Tid,
    String,
    Lock,
    Named(&'s str),
    Array(Box<Type<'s>>),
    /// `name.type<args>`
    Extension {
        name: Name<'s>,
        args: Vec<Type<'s>>,
    },
}

#[derive(Clone, Debug)]
pub struct Range<'s> {
    pub wrap: bool,
    pub lo: Expr<'s>,
    pub hi: Expr<'s>,
}

#[derive(Clone, Debug)]
pub struct Expr<'s> {
    pub kind: ExprKind<'s>,
    pub span: Span,
    /// The height of the tree: 1 for a leaf.
    pub height: u32,
}

impl Expr<'_> {
    /// The extension of this name.
    pub fn extension(&self) -> Option<Kind> {
        match self.kind {
            ExprKind::Name(name) => Kind::named(name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum ExprKind<'s> {
    Int {
        value: i64,
        long: bool,
    },
    Bool(bool),
    Str(String),
    Null,
    Name(&'s str),
    /// A field; or the length of an array, a constant, an element of an enum, all of its elements.
    Member(Box<Expr<'s>>, Name<'s>),
    Index(Box<Expr<'s>>, Box<Expr<'s>>),
    Not(Box<Expr<'s>>),
    Neg(Box<Expr<'s>>),
    Binary(Box<Binary<'s>>),
    Cond(Box<[Expr<'s>; 3]>),
    Cast(Box<(Type<'s>, Expr<'s>)>),
    InstanceOf(Box<Expr<'s>>, Name<'s>),
    Builtin(Builtin, Box<Expr<'s>>),
    Call(Name<'s>, Vec<Expr<'s>>),
    New(Box<New<'s>>),
    Operation(Box<Operation<'s>>),
    Quantified(Box<Quantified<'s>>),
    /// `variable@location`
    At(Name<'s>, Name<'s>),
    Threads(Box<Threads<'s>>),
    /// A placeholder for text that could not be parsed.
    Error,
}

#[derive(Clone, Debug)]
pub struct Binary<'s> {
    pub op: BinaryOp,
    pub op_span: Span,
    pub left: Expr<'s>,
    pub right: Expr<'s>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    LockAvailable,
    HasLock,
    WasNotified,
    ThreadTerminated,
}

#[derive(Clone, Debug)]
pub struct New<'s> {
    /// `new ty`, or `new ty[length]`.
    pub ty: Type<'s>,
    pub length: Option<Expr<'s>>,
}

/// `extension.name<types>(args)`, or `collection.name(args)`.
#[derive(Clone, Debug)]
pub struct Operation<'s> {
    pub extension: Expr<'s>,
    pub name: Name<'s>,
    pub types: Vec<Type<'s>>,
    pub args: Vec<Expr<'s>>,
    /// Written `Set{…}`: elements can determine the type.
    pub literal: bool,
}

/// `forall procedure variable : body`, `exists`, or the number `#(procedure variable : body)`.
#[derive(Clone, Debug)]
pub struct Threads<'s> {
    pub question: ThreadQuestion,
    pub procedure: Name<'s>,
    pub variable: Name<'s>,
    pub body: Expr<'s>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThreadQuestion {
    All,
    Some,
    Count,
}

/// `forall variable in over : body`, or `exists`.
#[derive(Clone, Debug)]
pub struct Quantified<'s> {
    pub all: bool,
    pub variable: Name<'s>,
    pub over: Expr<'s>,
    pub body: Expr<'s>,
}
