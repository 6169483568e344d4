use source::Span;

use crate::{EnumId, FieldId, FunId, GlobalId, LocalId, ProcedureId, RecordId, StringId, TypeId, VirtualId};

/// A pure expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

impl Expr {
    /// The direct operands, from left to right.
    pub fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Global(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::All(_) => vec![],
            ExprKind::Field(a, _)
            | ExprKind::Length(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::InstanceOf(a, _)
            | ExprKind::LockAvailable(a)
            | ExprKind::HasLock(a)
            | ExprKind::WasNotified(a)
            | ExprKind::ThreadTerminated(a) => vec![a],
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Cond(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, args) | ExprKind::Collection(_, args) => args.iter().collect(),
            ExprKind::Quantified { over, captures, .. } => std::iter::once(&**over).chain(captures).collect(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    Const(Const),
    Global(GlobalId),
    Local(LocalId),
    /// A parameter of the [`Fun`](crate::Fun) whose body this is.
    Param(u32),
    Field(Box<Expr>, FieldId),
    Index(Box<Expr>, Box<Expr>),
    Length(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// condition ? then : otherwise
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(R) e`: `null` passes, any other record must descend from `R`.
    Cast(RecordId, Box<Expr>),
    /// `e instanceof R`: false for `null`.
    InstanceOf(Box<Expr>, RecordId),
    LockAvailable(Box<Expr>),
    HasLock(Box<Expr>),
    WasNotified(Box<Expr>),
    /// Whether a thread has ended; of no thread it is a null dereference.
    ThreadTerminated(Box<Expr>),
    Call(FunId, Vec<Expr>),
    /// The set of all elements of an enum.
    All(EnumId),
    Collection(CollectionOp, Vec<Expr>),
    /// Whether a pure function holds for all (or for some) elements of a collection, keys of a map. The element
    /// is its first parameter, `captures` are the others. See the crate's documentation for faults.
    Quantified {
        all: bool,
        over: Box<Expr>,
        fun: FunId,
        captures: Vec<Expr>,
    },
}

/// What can be done with collections. Operands are evaluated left to right; the collection comes first. Nothing
/// changes its operand: the result is another value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionOp {
    /// The collection with these elements; of a map: key, value, key, value, where later keys win; of a queue:
    /// its capacity, then its elements. The type of the expression says of what kind.
    Create,
    /// An element more: into a set or bag, at the end of a sequence or queue (overflow if that is full).
    Add,
    /// Without the element: of a set, one occurrence in a bag, the first one in a sequence or queue; of a map
    /// without the key. What is not there need not be removed.
    Remove,
    /// Of a map: the key leads to the value. Of a sequence or queue: the element at the index is the value.
    Put,
    /// Whether it is an element, or a key of the map.
    Contains,
    /// The number of elements (in a bag with their multiplicities) or keys.
    Size,
    /// The multiplicity in a bag.
    Count,
    /// Of a map by key, of a sequence or queue by index.
    Get,
    /// The first element of a sequence or queue.
    Head,
    /// All but the first element of a sequence or queue.
    Tail,
    /// The set of the keys of a map.
    Keys,
    /// Of two sets of one type.
    Union,
    Intersection,
    Difference,
    /// Whether all elements of the first set are in the second.
    Subset,
    /// Of a queue.
    Capacity,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Const {
    Bool(bool),
    Int(i64),
    Enum(EnumId, u32),
    Null,
    String(StringId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Not,
    Neg,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    Ushr,
    /// Of two values of one kind: booleans, integers, elements of one enum, references, strings, threads,
    /// collections of one type.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Implies,
    BitAnd,
    BitOr,
    BitXor,
}

/// What can be assigned to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    Global(GlobalId),
    Local(LocalId),
    Field(Expr, FieldId),
    Index(Expr, Expr),
}

/// One action of a transition's body. The operands of an action are evaluated left to right before it has any
/// effect. Of an assignment: first the operands of the place, then the value; then the place is looked up (`null`,
/// then the index), and last the value is admitted to its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionKind {
    Assign(Place, Expr),
    New(Place, New),
    /// Stores some element of a collection, or key of a map: a choice point.
    Choose(Place, Expr),
    Assert(Expr),
    Assume(Expr),
    Lock(Expr),
    Unlock(Expr),
    Wait(Expr),
    Unwait(Expr),
    Notify(Expr),
    NotifyAll(Expr),
    Throw(Expr),
    Start {
        result: Option<Place>,
        procedure: ProcedureId,
        args: Vec<Expr>,
    },
    Exit,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum New {
    Record(RecordId),
    Lock,
    /// Elements have the default value of the element type; a negative length is an index fault.
    Array {
        element: TypeId,
        length: Expr,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    Static(ProcedureId),
    Virtual(VirtualId),
}
