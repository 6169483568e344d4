//! The bytecode: what guards and bodies become before anything runs.
//!
//! A stack machine over 64-bit integers. Every value is one: booleans are 0 and 1, elements their
//! position, references and strings their id plus one with 0 for `null`. Loads carry the bits they read, so no
//! table is consulted on the way. An operation is 16 bytes; its position is also the site of the faults it can
//! raise, for which [`Code::spans`] has the source.

use ir::{CollectionOp, IntType, ProcedureId, TypeId};
use source::Span;
use state::{ArrayVariable, Slot};

/// A position in the code.
pub type Pc = u32;

/// "Any value", in place of a position in [`Code::admits`].
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
    /// A field that has one place in all records that have it.
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
    /// A field whose place depends on the record: its number in the layout.
    FieldOf(u32),
    /// An element of the arrays of this number.
    Element(u32),
    Length,
    /// A parameter of the pure function that runs.
    Param(u32),
    /// What the function returned that a resume location waited for.
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
    /// The value must be, or is brought, into a range: position in [`Code::admits`].
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
    /// An element of a global array variable of one dimension: that of the thread's number, plus so much.
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
    /// How many threads have their first frame at one of the locations of this number in [`Code::sites`].
    ThreadsAt(u32),
    /// Whether a thread is at one of the locations of this number in [`Code::sites`].
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
    /// The position of a message like the pattern of this number in [`Code::receives`].
    ChannelHas(u32),

    Jump(Pc),
    /// Pops; jumps on 0.
    JumpIfFalse(Pc),
    /// On 0 jumps and keeps it, otherwise pops.
    AndThen(Pc),
    /// On 1 jumps and keeps it, otherwise pops.
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
    /// Whether a function holds for all elements of a collection of this type, or for some. The collection is below
    /// what the function gets besides the element.
    Quantify {
        all: bool,
        captures: u16,
        fun: u32,
        ty: TypeId,
    },
    /// Lets the collection on the stack outlive the variable it was read from.
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
    /// Replaces a collection of this type by one of its elements.
    Choose(TypeId),
    Assert,
    Assume,
    Lock,
    Unlock,
    Wait,
    Unwait,
    Notify,
    NotifyAll,
    Throw,
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
    /// To what `OwnElement` loads.
    StoreOwnElement {
        array: u32,
        offset: i32,
        admit: u32,
    },
    /// Notes a failed assertion, and goes on.
    Check,
    SetPriority,

    /// The body is through; what follows leaves the location. A trial run stops here.
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
    /// Whether it changes the state or leaves the body, rather than computing a value.
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
                | Self::Choose(_)
                | Self::Assert
                | Self::Assume
                | Self::Lock
                | Self::Unlock
                | Self::Wait
                | Self::Unwait
                | Self::Notify
                | Self::NotifyAll
                | Self::Throw
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
    /// By position: where it comes from.
    pub spans: Vec<Span>,
    pub slots: Vec<Slot>,
    pub admits: Vec<IntType>,
    /// By type: how a value is admitted that becomes a part of a collection.
    pub admit_of: Vec<u32>,
    /// An operation that ends whatever called a function from outside.
    pub halt: Pc,
    pub funs: Vec<FunCode>,
    pub transitions: Vec<TransitionCode>,
    pub tests: Vec<Test>,
    /// By location: what the callee's return continues with.
    pub resumes: Vec<Option<Pc>>,
    pub invariants: Vec<Pc>,
    /// The propositions of each property.
    pub propositions: Vec<Vec<Pc>>,
    pub arrays: Vec<ArrayCode>,
    /// Sorted lists of locations.
    pub sites: Vec<(ProcedureId, Vec<u32>)>,
    pub sends: Vec<SendCode>,
    pub receives: Vec<ReceiveCode>,
    /// What makes the initial globals, and by procedure the initial locals; to be stopped at its end like a trial.
    pub prologue: Pc,
    pub prologues: Vec<Pc>,
    /// By procedure: whether its threads may step.
    pub provided: Vec<Option<Operand>>,
    pub monitor: Option<MonitorCode>,
    /// By procedure: what its threads claim. Empty if nobody claims anything.
    pub claims: Vec<Vec<ClaimCode>>,
}

/// A channel that a thread uses alone.
#[derive(Clone, Copy, Debug)]
pub struct ClaimCode {
    pub send: bool,
    pub channel: Operand,
}

/// An expression that is often no more than a constant or a variable, which can be had without running code.
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
    /// Whose locals it is among; a global if nobody's.
    pub procedure: Option<ProcedureId>,
}

#[derive(Clone, Debug)]
pub struct SendCode {
    pub channel: Operand,
    pub message: Vec<Operand>,
    pub sorted: bool,
}

#[derive(Clone, Debug)]
pub struct ReceiveCode {
    pub channel: Operand,
    pub anywhere: bool,
    pub keep: bool,
    pub pattern: Vec<PatternCode>,
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
    /// Code that stores the result to a place; to be stopped at its end like a trial.
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
    /// Whether the first action lets the step proceed, where it is one that can block.
    pub obstacle: Option<Pc>,
    pub body: Pc,
    /// The body has choice points, or can block after its first action: only running it tells.
    pub trial: bool,
    /// The guard can exceed a bound, which firing must find out again.
    pub guard_can_truncate: bool,
    /// Whether it begins with a message.
    pub opening: Opening,
    pub exclusive: bool,
}

/// How a transition begins that needs a channel.
#[derive(Clone, Copy, Debug)]
pub enum Opening {
    Other,
    /// Position in [`Code::sends`]. The body is what comes after it.
    Send(u32),
    /// Position in [`Code::receives`]. The body is what comes after it.
    Receive(u32),
}

#[derive(Clone, Copy, Debug)]
pub enum GuardCode {
    Always,
    /// The tests, where the guard is no more than some that must hold; they say the same as the code.
    When(Pc, Tests),
    Else,
    /// Some transition of this location is enabled.
    Ready(u32),
}

/// Some of the tests of [`Code::tests`], or none if there are none that say it.
#[derive(Clone, Copy, Debug)]
pub struct Tests {
    pub first: u32,
    pub count: u32,
}

/// Loads one value and compares it with constants: whether it lies between two bounds, or outside. Most guards are
/// conjunctions of these, and decided without running any code.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub load: Op,
    pub lo: i64,
    pub hi: i64,
    pub outside: bool,
}

impl Test {
    /// The tests that an expression amounts to, if it is that simple. Its code begins at `start`, and ends the ops.
    pub fn all_of(ops: &[Op], start: usize) -> Option<Vec<Self>> {
        let mut tests = Vec::new();
        let mut at = start;
        loop {
            let (test, len) = Self::of(&ops[at..])?;
            tests.push(test);
            at += len;
            match ops[at] {
                Op::Halt => return Some(tests),
                // The value of a conjunction goes straight to the end, or to where another one looks at it.
                Op::AndThen(to) if matches!(ops[to as usize], Op::AndThen(_) | Op::Halt) => at += 1,
                _ => return None,
            }
        }
    }

    /// The test that the code begins with, and its length.
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
