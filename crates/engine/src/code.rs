//! The bytecode: what guards and bodies become before anything runs.
//!
//! A stack machine over 64-bit integers. Every value is one: booleans are 0 and 1, elements their
//! position, references and strings their id plus one with 0 for `null`. Loads carry the bits they read, so no
//! table is consulted on the way. An operation is 16 bytes; its position is also the site of the faults it can
//! raise, for which [`Code::spans`] has the source.

use ir::IntType;
use source::Span;
use state::Slot;

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
    Assert,
    Assume,
    Lock,
    Unlock,
    Wait,
    Unwait,
    Notify,
    NotifyAll,
    Throw,
    Start(u32),
    Exit,

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

/// The code of a whole program.
#[derive(Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    /// By position: where it comes from.
    pub spans: Vec<Span>,
    pub slots: Vec<Slot>,
    pub admits: Vec<IntType>,
    pub funs: Vec<FunCode>,
    pub transitions: Vec<TransitionCode>,
    /// By location: what the callee's return continues with.
    pub resumes: Vec<Option<Pc>>,
    pub invariants: Vec<Pc>,
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
}

#[derive(Clone, Copy, Debug)]
pub enum GuardCode {
    Always,
    When(Pc),
    Else,
}

#[cfg(test)]
mod tests {
    #[test]
    fn operations_are_small() {
        assert_eq!(size_of::<super::Op>(), 16);
    }
}
