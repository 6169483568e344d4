use source::Span;

use crate::{EnumId, FieldId, FunId, GlobalId, LocalId, ProcedureId, RecordId, StringId, TypeId, VirtualId};

/// A pure expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
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
    /// Of two values of one kind: booleans, integers, elements of one enum, references, strings, threads.
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
    Assert(Expr),
    Assume(Expr),
    Lock(Expr),
    Unlock(Expr),
    Wait(Expr),
    Unwait(Expr),
    Notify(Expr),
    NotifyAll(Expr),
    Throw(Expr),
    Start { result: Option<Place>, procedure: ProcedureId, args: Vec<Expr> },
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
