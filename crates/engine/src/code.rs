//! The bytecode of guards and bodies.
//!
//! It is for a stack machine over 64-bit integers. Every value is one: booleans are 0 and 1, elements of
//! enums are their positions, references and strings are ids plus one, with 0 for `null`. Loads carry the
//! slot that they read, so they need no table. An operation has 16 bytes; its position is also the site of
//! the faults that it can raise, for which [`Code::spans`] has the source.

use ir::{ChannelId, CollectionOp, Id, IntType, ProcedureId, TypeId};
use source::Span;
use state::{ArrayVariable, Slot};
use system::FaultKind;

use crate::eval::fault;
use crate::machine::Stop;

/// A position in the code.
pub type Pc = u32;

/// Stands for a position in [`Code::admits`]: any value is admitted.
pub const ANY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Const(i64),
    Local {
        shift: u8,
        bits: u8,
        word: u32,
        lo: i64,
    },
    Global {
        shift: u8,
        bits: u8,
        word: u32,
        lo: i64,
    },
    /// A field that has the same slot in all records that have it.
    Field {
        shift: u8,
        bits: u8,
        word: u32,
        lo: i64,
    },
    /// `Local` of a reference, then `Field`.
    LocalField {
        at_shift: u8,
        shift: u8,
        bits: u8,
        at: u16,
        word: u16,
        lo: i32,
    },
    /// A field whose slot depends on the record: its number in the layout.
    FieldOf(u32),
    /// An element of the arrays of this number.
    Element(u32),
    Length,
    /// Replaces a reference to a record by a pointer to its leaf for this field.
    Address(u32),
    /// Moves the pointer by the number above it.
    Offset,
    /// What the pointer leads to: a value of this class of types.
    Load(TypeId),
    /// Checks that a number is an index below a bound.
    Within(u32),
    /// The object of the pointer, which has to lead to the first leaf.
    Whole,
    /// A parameter of the pure function that runs.
    Param(u32),
    /// The result of the function for which a resume location waited.
    Result,
    Pop,

    Not,
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl(u32),
    Shr(u32),
    Ushr(u32),
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitAnd,
    BitOr,
    BitXor,
    /// Checks that the value is in a range, or brings it there: position in [`Code::admits`].
    Admit(u32),
    Cast(u32),
    InstanceOf(u32),
    LockAvailable,
    HasLock,
    WasNotified,
    /// Whether `unwait` would proceed, if only to its fault.
    CanUnwait,
    ThreadTerminated,

    /// An element of the array variable of this number; its indices are on the stack.
    ArrayElement(u32),
    /// An element of a global array variable of one dimension. Its index is the thread's number plus a
    /// constant.
    OwnElement {
        array: u32,
        offset: i32,
    },
    ThreadNumber,
    ThreadCount,
    LastThread,
    IsYoungest,
    Timeout,
    FirstThread(u32),
    /// The number of threads whose first frame is at one of the locations with this number in
    /// [`Code::sites`].
    ThreadsAt(u32),
    /// Whether a thread is at one of the locations with this number in [`Code::sites`].
    ThreadAt(u32),
    /// A variable of a thread of this procedure.
    ThreadLocal {
        procedure: u32,
        slot: u32,
    },
    /// An element of an array variable of a thread; above the thread are the indices.
    ThreadElement(u32),
    ThreadEnabled,
    ThreadLocation,
    ThreadPriority,
    /// The number of a channel of the thread: its position among those that came with it.
    OwnChannel(u32),
    ChannelLength,
    ChannelFull,
    /// The position of a message that fits the pattern with this number in [`Code::receives`].
    ChannelHas(u32),

    Jump(Pc),
    /// Pops; jumps on 0.
    JumpIfFalse(Pc),
    /// Jumps on 0 and keeps it, otherwise pops.
    AndThen(Pc),
    /// Jumps on 1 and keeps it, otherwise pops.
    OrElse(Pc),
    CallFun {
        fun: u32,
        params: u32,
    },
    EndFun,
    /// Equality of two collections of this type, or its opposite.
    EqTerm(TypeId),
    NeTerm(TypeId),
    /// The set of all elements of an enum: their number, and the least one.
    All {
        count: u32,
        first: i64,
    },
    /// An operation on a collection of this type.
    Collection {
        op: CollectionOp,
        operands: u32,
        ty: TypeId,
    },
    /// Whether a table of this type (see [`state::Terms::is_table`]) has a key.
    Has(TypeId),
    /// The value of a key in a table of this type.
    ValueOf(TypeId),
    /// The number of entries of a collection of this type.
    Entries(TypeId),
    /// Whether a function holds for all elements of a collection of this type, or for some. The collection is
    /// below the other arguments of the function.
    Quantify {
        all: bool,
        captures: u16,
        fun: u32,
        ty: TypeId,
    },
    /// Copies the collection on the stack, so that it outlives the variable from which it was read.
    Own(TypeId),

    StoreLocal {
        slot: u32,
        admit: u32,
    },
    StoreGlobal {
        slot: u32,
        admit: u32,
    },
    StoreField {
        slot: u32,
        admit: u32,
    },
    /// `StoreField` to the object that a local refers to.
    StoreLocalField {
        at_shift: u8,
        at: u16,
        slot: u32,
        admit: u32,
    },
    StoreFieldOf {
        field: u32,
        admit: u32,
    },
    StoreElement {
        array: u32,
        admit: u32,
    },
    NewRecord(u32),
    NewLock,
    NewArray(u32),
    NewBlock(u32),
    /// Stores to what a pointer leads to: a value of this class of types.
    StoreThrough(TypeId),
    NewChannel(u32),
    /// Replaces a collection of this type by one of its elements.
    Choose(TypeId),
    Assert,
    BadCall,
    Assume,
    Lock,
    Unlock,
    Wait,
    Unwait,
    Notify,
    NotifyAll,
    Throw,
    Delete,
    Kill,
    /// Starts a thread.
    Start {
        procedure: u32,
        priority: u8,
    },
    Exit,
    StoreArrayElement {
        array: u32,
        admit: u32,
    },
    /// Stores to the element that `OwnElement` loads.
    StoreOwnElement {
        array: u32,
        offset: i32,
        admit: u32,
    },
    /// Notes a failed assertion, and goes on.
    Check,
    SetPriority,

    /// The body is done; the next operation leaves the location. A trial run stops here.
    BodyDone,
    Goto(u32),
    Return {
        value: bool,
    },
    Call {
        procedure: u32,
        resume: u32,
    },
    CallVirtual {
        table: u32,
        resume: u32,
    },
    /// The end of a guard or of another expression: its value is on the stack.
    Halt,
}

impl Op {
    /// Whether the operation changes the state or leaves the body, rather than computing a value.
    pub const fn is_effect(self) -> bool {
        matches!(
            self,
            Self::StoreLocal { .. }
                | Self::StoreGlobal { .. }
                | Self::StoreField { .. }
                | Self::StoreLocalField { .. }
                | Self::StoreFieldOf { .. }
                | Self::StoreElement { .. }
                | Self::NewRecord(_)
                | Self::NewLock
                | Self::NewArray(_)
                | Self::NewBlock(_)
                | Self::StoreThrough(_)
                | Self::NewChannel(_)
                | Self::Choose(_)
                | Self::Assert
                | Self::BadCall
                | Self::Assume
                | Self::Lock
                | Self::Unlock
                | Self::Wait
                | Self::Unwait
                | Self::Notify
                | Self::NotifyAll
                | Self::Throw
                | Self::Delete
                | Self::Kill
                | Self::Start { .. }
                | Self::Exit
                | Self::StoreArrayElement { .. }
                | Self::StoreOwnElement { .. }
                | Self::Check
                | Self::SetPriority
                | Self::BodyDone
                | Self::Goto(_)
                | Self::Return { .. }
                | Self::Call { .. }
                | Self::CallVirtual { .. }
        )
    }
}

/// The code of a whole program.
#[derive(Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    /// By position: the place in the source.
    pub spans: Vec<Span>,
    pub slots: Vec<Slot>,
    pub admits: Vec<IntType>,
    /// By type: how a value is admitted to a collection.
    pub admit_of: Vec<u32>,
    /// By type: the type that stands for all that a pointer does not tell apart.
    pub classes: Vec<TypeId>,
    /// The operation to which a function returns that was called from outside of the code.
    pub halt: Pc,
    pub funs: Vec<FunCode>,
    pub transitions: Vec<TransitionCode>,
    pub tests: Vec<Test>,
    /// By location: where the run continues after a call returns.
    pub resumes: Vec<Option<Pc>>,
    pub invariants: Vec<Pc>,
    /// The propositions of each property.
    pub propositions: Vec<Vec<Pc>>,
    pub arrays: Vec<ArrayCode>,
    /// Sorted lists of locations.
    pub sites: Vec<(ProcedureId, Vec<u32>)>,
    pub sends: Vec<SendCode>,
    pub receives: Vec<ReceiveCode>,
    /// The code that makes the initial globals, and by procedure the initial locals. It is run like a trial.
    pub prologue: Pc,
    pub prologues: Vec<Pc>,
    /// By procedure: the condition under which its threads may step.
    pub provided: Vec<Option<Operand>>,
    pub monitor: Option<MonitorCode>,
    /// By procedure: the channels that its threads claim. Empty if there are no claims.
    pub claims: Vec<Vec<ClaimCode>>,
}

/// A claim that a thread is the only one to use a channel.
#[derive(Clone, Copy, Debug)]
pub struct ClaimCode {
    pub send: bool,
    pub channel: Operand,
}

/// An expression. If it is only a constant or a variable, it is evaluated without running code.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub pc: Pc,
    pub load: Option<Op>,
}

/// An array variable.
#[derive(Clone, Debug)]
pub struct ArrayCode {
    pub variable: ArrayVariable,
    pub dims: Vec<u32>,
    /// The procedure whose local it is, or `None` for a global.
    pub procedure: Option<ProcedureId>,
}

#[derive(Clone, Debug)]
pub struct SendCode {
    pub channel: Operand,
    pub message: Vec<Operand>,
    pub sorted: bool,
    pub fits: Fits,
}

/// To which channels a message or pattern fits, by their declarations. Empty where channels have numbers: then only
/// the number of fields is compared.
#[derive(Clone, Default, Debug)]
pub struct Fits(pub Vec<bool>);

impl Fits {
    #[inline]
    pub fn check(&self, channel: ChannelId, pc: usize) -> Result<(), Stop> {
        let fits = self.0.get(channel.index()).copied().unwrap_or(true);
        if fits { Ok(()) } else { Err(fault(FaultKind::Channel, pc)) }
    }
}

#[derive(Clone, Debug)]
pub struct ReceiveCode {
    pub channel: Operand,
    pub anywhere: bool,
    pub keep: bool,
    pub pattern: Vec<PatternCode>,
    pub fits: Fits,
}

#[derive(Clone, Copy, Debug)]
pub enum PatternCode {
    /// To a variable.
    Global {
        slot: Slot,
        admit: u32,
    },
    Local {
        slot: Slot,
        admit: u32,
    },
    /// Code that stores the result to a place. It is run like a trial.
    Place(Pc),
    Match(Operand),
    Any,
}

#[derive(Clone, Debug)]
pub struct MonitorCode {
    pub states: Vec<Vec<EventCode>>,
    pub ends: Vec<bool>,
    pub negated: bool,
    pub site: Pc,
}

#[derive(Clone, Debug)]
pub struct EventCode {
    pub send: bool,
    pub channel: Operand,
    pub pattern: Vec<Option<Operand>>,
    pub target: u32,
}

#[derive(Clone, Debug, Default)]
pub struct FunCode {
    pub entry: Pc,
    /// How parameters and result are admitted.
    pub params: Vec<u32>,
    pub result: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct TransitionCode {
    pub guard: GuardCode,
    /// If the first action can block: code for whether it lets the step proceed.
    pub obstacle: Option<Pc>,
    pub body: Pc,
    /// The body has choice points, or can block after its first action: it has to be tried out.
    pub trial: bool,
    /// The guard can exceed a bound: firing must evaluate it again.
    pub guard_can_truncate: bool,
    /// Whether the transition begins with a message.
    pub opening: Opening,
    pub exclusive: bool,
}

/// The first action of a transition, if it needs a channel.
#[derive(Clone, Copy, Debug)]
pub enum Opening {
    Other,
    /// Position in [`Code::sends`]. The body is the rest.
    Send(u32),
    /// Position in [`Code::receives`]. The body is the rest.
    Receive(u32),
}

#[derive(Clone, Copy, Debug)]
pub enum GuardCode {
    Always,
    /// The code of the guard, and equivalent tests, if the guard is a conjunction of such.
    When(Pc, Tests),
    Else,
    /// Some transition of this location is enabled.
    Ready(u32),
}

/// A range of [`Code::tests`], which is empty if the guard is not a conjunction of tests.
#[derive(Clone, Copy, Debug)]
pub struct Tests {
    pub first: u32,
    pub count: u32,
}

/// Loads one value and compares it with constants: whether it lies between two bounds, or outside. Most
/// guards are conjunctions of these, and decided without running any code.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub load: Op,
    pub lo: i64,
    pub hi: i64,
    pub outside: bool,
}

impl Test {
    /// The tests that are equivalent to an expression, if there are such. Its code begins at `start` and is
    /// the last.
    pub fn all_of(ops: &[Op], start: usize) -> Option<Vec<Self>> {
        let mut tests = Vec::new();
        let mut at = start;
        loop {
            let (test, len) = Self::of(&ops[at..])?;
            tests.push(test);
            at += len;
            match ops[at] {
                Op::Halt => return Some(tests),
                // The value of a conjunction is used at the end, or by a jump of another conjunction.
                Op::AndThen(to) if matches!(ops[to as usize], Op::AndThen(_) | Op::Halt) => at += 1,
                _ => return None,
            }
        }
    }

    /// The test at the beginning of the code, and its length.
    fn of(ops: &[Op]) -> Option<(Self, usize)> {
        let &load = ops.first()?;
        let inside = |lo, hi| Self { load, lo, hi, outside: false };
        let outside = |lo, hi| Self { load, lo, hi, outside: true };
        if !matches!(
            load,
            Op::Local { .. } | Op::Global { .. } | Op::LocalField { .. } | Op::OwnElement { .. }
        ) {
            return None;
        }
        match ops[1..] {
            [Op::Const(c), Op::Eq, ..] => Some((inside(c, c), 3)),
            [Op::Const(c), Op::Ne, ..] => Some((outside(c, c), 3)),
            [Op::Const(c), Op::Le, ..] => Some((inside(i64::MIN, c), 3)),
            [Op::Const(c), Op::Ge, ..] => Some((inside(c, i64::MAX), 3)),
            [Op::Const(c), Op::Lt, ..] => Some((outside(c, i64::MAX), 3)),
            [Op::Const(c), Op::Gt, ..] => Some((outside(i64::MIN, c), 3)),
            [Op::Not, ..] => Some((inside(0, 0), 2)),
            _ => Some((inside(1, 1), 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn operations_are_small() {
        assert_eq!(size_of::<super::Op>(), 16);
    }
}
