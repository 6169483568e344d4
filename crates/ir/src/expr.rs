use source::Span;

use crate::{
    ChannelId, EnumId, FieldId, FunId, GlobalId, LocalId, LocationId, ProcedureId, RecordId, StringId,
    TypeId, VirtualId,
};

/// A pure expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    Const(Const),
    Global(GlobalId),
    Local(LocalId),
    /// A parameter of the [`Fun`](crate::Fun) whose body this is.
    Param(u32),
    Field(Box<Expr>, FieldId),
    Index(Box<Expr>, Box<Expr>),
    Length(Box<Expr>),
    /// A pointer to a field of a record.
    Address(Box<Expr>, FieldId),
    /// The pointer that leads that many leaves further in the same object, which must have such a leaf.
    Offset(Box<Expr>, Box<Expr>),
    /// What a pointer leads to, which must be of the type of this expression, or an integer if that is one.
    Load(Box<Expr>),
    /// The value, which must be at least 0 and less than the bound; it is an index fault otherwise.
    Within(Box<Expr>, u32),
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
    /// Whether a thread has ended; a null dereference if there is no thread.
    ThreadTerminated(Box<Expr>),
    Call(FunId, Vec<Expr>),
    /// The set of all elements of an enum.
    All(EnumId),
    Collection(CollectionOp, Vec<Expr>),
    /// Whether a pure function holds for all (or for some) elements of a collection, or keys of a map. The
    /// element is its first parameter, `captures` are the others. See the crate's documentation for faults.
    Quantified {
        all: bool,
        over: Box<Expr>,
        fun: FunId,
        captures: Vec<Expr>,
    },
    /// An element of an array variable; an index for each of its dimensions.
    Element(Array, Vec<Expr>),
    /// The value, brought into the range of the type of this expression, as if it were stored to a place that
    /// wraps.
    Wrap(Box<Expr>),
    /// 1 for true, 0 for false.
    Number(Box<Expr>),
    /// The number of the thread that evaluates it, from 0.
    ThreadNumber,
    /// The number of threads.
    ThreadCount,
    /// The number of the thread that took the last step, 0 before the first.
    LastThread,
    /// Whether no younger thread exists.
    IsYoungest,
    /// Whether the state has no step in which this is false: see the crate's documentation.
    Timeout,
    /// The least number of a thread of this procedure; -1 if there is none.
    FirstThread(ProcedureId),
    /// The number of threads of this procedure at one of these locations: see temporal properties in the
    /// crate's documentation.
    ThreadsAt {
        procedure: ProcedureId,
        locations: Vec<LocationId>,
    },
    /// Whether the individual that a property [is about](crate::Property::each), a thread of this procedure,
    /// is at one of these locations, in the same sense as for threads that are counted. Before it is started
    /// and after it has ended, it is at none.
    IndividualAt {
        procedure: ProcedureId,
        locations: Vec<LocationId>,
    },
    /// Whether the thread of that number exists, is of this procedure, and is at one of these locations.
    ThreadAt {
        thread: Box<Expr>,
        procedure: ProcedureId,
        locations: Vec<LocationId>,
    },
    /// A variable of the thread of that number, 0 if it does not exist or is of another procedure; with
    /// indices if it is an array.
    ThreadLocal {
        thread: Box<Expr>,
        procedure: ProcedureId,
        local: LocalId,
        indices: Vec<Expr>,
    },
    /// Whether the thread of that number exists and can step.
    ThreadEnabled(Box<Expr>),
    /// [`Location::number`](crate::Location::number) of the location of the thread of that number; 0 if it
    /// does not exist.
    ThreadLocation(Box<Expr>),
    /// The priority of the thread of that number; 0 if it does not exist.
    ThreadPriority(Box<Expr>),
    /// The number of a channel that exists from the start, or that belongs to the thread. Only in flat programs:
    /// in others, channels are objects.
    Channel(ChannelId),
    /// The number of messages in a channel.
    ChannelLength(Box<Expr>),
    /// Whether it has as many messages as its capacity; never true of one without capacity.
    ChannelFull(Box<Expr>),
    /// The position, from 1, of the first message of a channel that has the given values, where fields
    /// without a value may have any; 0 if there is none. Only the first message is considered, unless
    /// `anywhere`.
    ChannelHas {
        channel: Box<Expr>,
        anywhere: bool,
        pattern: Vec<Option<Expr>>,
    },
}

/// An array variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Array {
    Global(GlobalId),
    Local(LocalId),
}

/// Operations on collections. Operands are evaluated left to right; the collection comes first. No operation
/// changes its operand: the result is another value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CollectionOp {
    /// The collection with these elements; for a map: key, value, key, value, where later keys win; for a
    /// queue: its capacity, then its elements. The type of the expression says which kind it is.
    Create,
    /// One element more: into a set or bag, at the end of a sequence or queue (overflow if that is full).
    Add,
    /// Without the element: for a bag one occurrence, for a sequence or queue the first one; for a map
    /// without the key. If it is absent, the collection is unchanged.
    Remove,
    /// For a map: the key leads to the value. For a sequence or queue: the element at the index is the value.
    Put,
    /// Whether it is an element, or a key of the map.
    Contains,
    /// The number of elements (in a bag with their multiplicities) or keys.
    Size,
    /// The multiplicity in a bag.
    Count,
    /// The value for a key of a map, or at an index of a sequence or queue.
    Get,
    /// The first element of a sequence or queue.
    Head,
    /// All but the first element of a sequence or queue.
    Tail,
    /// The set of the keys of a map.
    Keys,
    /// The union of two sets of one type.
    Union,
    Intersection,
    Difference,
    /// Whether all elements of the first set are in the second.
    Subset,
    /// The capacity of a queue.
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
    /// Equality of two values of one kind: booleans, integers, elements of one enum, references, strings,
    /// threads, collections of one type.
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

impl Action {
    /// Whether it starts a thread of this procedure.
    pub fn starts(&self, started: ProcedureId) -> bool {
        matches!(&self.kind, ActionKind::Start { procedure, .. } if *procedure == started)
    }
}

/// A place that can be assigned to.
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
    /// What a pointer leads to.
    Through(Expr),
    /// An element of an array variable.
    Element(Array, Vec<Expr>),
}

/// One action of a transition's body. The operands of an action are evaluated left to right before it has any
/// effect. For an assignment: first the operands of the place, then the value; then the place is looked up
/// (`null`, then the index), and last the value is admitted to its type.
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
    /// A condition that must hold, and what a violation says if it does not.
    Assert(Expr, Option<String>),
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
        /// Overrides the priority of the procedure.
        priority: Option<u8>,
    },
    Exit,
    /// The call of a function reference that refers to no function, or to one with other parameters or another
    /// result: always a fault. The text says what was wrong.
    BadCall(String),
    /// Deletes an object that `New` made.
    Delete(Expr),
    /// Ends an object of a [scoped](crate::Record::scoped) record or channel, if there is one.
    Kill(Expr),
    /// Like `Assert`, but the step continues after a failure.
    Check(Expr),
    /// Puts a message into the channel, at its end or, if `sorted`, before the first message that is greater (by
    /// the first field that differs; fields from the first one on that is no integer are not compared).
    Send {
        channel: Expr,
        sorted: bool,
        message: Vec<Expr>,
    },
    /// Takes the first message (or the first that fits, if `anywhere`) out of the channel, or leaves it there if
    /// `keep`.
    Receive {
        channel: Expr,
        anywhere: bool,
        keep: bool,
        pattern: Vec<Pattern>,
    },
    /// Sets the priority of the thread of the first number, if it exists, to the second.
    SetPriority(Expr, Expr),
    /// Shown in traces only: has no effect, and evaluates nothing.
    Print {
        format: StringId,
        args: Vec<Expr>,
    },
}

/// What to do with a field of a message that is received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Stores the field.
    Store(Place),
    /// Accepts only messages with this value.
    Match(Expr),
    Any,
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
    /// A block: `length` times the fields of a record. A negative length is an index fault.
    Block {
        record: RecordId,
        length: Expr,
    },
    /// An empty channel as it is declared.
    Channel(ChannelId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    Static(ProcedureId),
    Virtual(VirtualId),
}
