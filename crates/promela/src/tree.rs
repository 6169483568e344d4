//! Statements and expressions with their names resolved.

use std::rc::Rc;

use source::Span;

use crate::ast::{BinaryOp, Name, Probe, UnaryOp};
use crate::objects::{Access, Act, Dynamic};

/// A variable: an index into the table of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(pub u32);

impl SymbolId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place that holds a number: a scalar variable, an element of an array, a field of a record.
#[derive(Clone, Debug)]
pub struct Ref {
    pub symbol: SymbolId,
    /// The index of one of the [leaves](crate::symbols::Symbol::leaves) of the variable.
    pub leaf: usize,
    /// One for each dimension of the leaf, or none for the first element.
    pub indices: Vec<Ex>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Ex {
    pub kind: ExKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExKind {
    Int(i32),
    Var(Ref),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    Count,
    /// `_last`
    Last,
    /// `_priority`
    Priority,
    Unary(UnaryOp, Box<Ex>),
    Binary(BinaryOp, Box<Ex>, Box<Ex>),
    Cond(Box<[Ex; 3]>),
    Run(Run),
    Len(Box<Ex>),
    Probe(Probe, Box<Ex>),
    Poll {
        channel: Box<Ex>,
        random: bool,
        args: Vec<Arg>,
    },
    Enabled(Box<Ex>),
    PcValue(Box<Ex>),
    GetPriority(Box<Ex>),
    Timeout,
    /// `np_`
    Nonprogress,
    RemoteLabel {
        process: Name,
        pid: Option<Box<Ex>>,
        label: Name,
    },
    RemoteVar {
        process: Name,
        pid: Option<Box<Ex>>,
        variable: Name,
        index: Option<Box<Ex>>,
    },
    Dynamic(Dynamic),
}

#[derive(Clone, Debug)]
pub struct Run {
    pub process: Name,
    pub args: Vec<Ex>,
    pub priority: Option<u8>,
}

/// What a receive does with a field.
#[derive(Clone, Debug)]
pub enum Arg {
    Store(Ref),
    StoreThrough(Access),
    Any,
    Match(Ex),
}

/// The target of an assignment.
#[derive(Clone, Debug)]
pub enum Target {
    Var(Ref),
    Through(Access),
    /// `_`: the value is discarded.
    Nothing,
    /// `_priority`
    Priority,
}

/// A statement that is one transition.
#[derive(Clone, Debug)]
pub enum Basic {
    Condition(Ex),
    Assign(Target, Ex),
    /// The declaration of a record in the middle of a sequence: a step that does nothing.
    Nothing,
    Send {
        channel: Ex,
        sorted: bool,
        args: Vec<Ex>,
    },
    Receive {
        channel: Ex,
        random: bool,
        copy: bool,
        args: Vec<Arg>,
    },
    /// In a trace.
    Event {
        send: bool,
        channel: Ex,
        args: Vec<Arg>,
    },
    Assert(Ex),
    Print {
        format: Rc<str>,
        args: Vec<Ex>,
    },
    SetPriority(Ex, Ex),
    Dynamic(Act),
}

impl Target {
    /// Calls `visit` for all expressions that say which place it is.
    pub fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        match self {
            Self::Var(place) => place.indices.iter().for_each(|index| index.walk(visit)),
            Self::Through(access) => access.walk(visit),
            Self::Nothing | Self::Priority => {}
        }
    }
}

impl Ex {
    pub fn int(value: i32, span: Span) -> Self {
        Self { kind: ExKind::Int(value), span }
    }

    pub fn var(place: Ref) -> Self {
        let span = place.span;
        Self { kind: ExKind::Var(place), span }
    }

    pub fn through(access: Access) -> Self {
        let span = access.span;
        Self { kind: ExKind::Dynamic(Dynamic::Load(access)), span }
    }

    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        let span = left.span.to(right.span);
        Self { kind: ExKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    /// The value, if this is a literal.
    pub fn literal(&self) -> Option<i32> {
        match self.kind {
            ExKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Calls `visit` for this expression and all expressions inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        match &self.kind {
            ExKind::Int(_)
            | ExKind::Pid
            | ExKind::Count
            | ExKind::Last
            | ExKind::Priority
            | ExKind::Timeout
            | ExKind::Nonprogress => {}
            ExKind::Var(place) => place.indices.iter().for_each(|index| index.walk(visit)),
            ExKind::Unary(_, a)
            | ExKind::Len(a)
            | ExKind::Probe(_, a)
            | ExKind::Enabled(a)
            | ExKind::PcValue(a)
            | ExKind::GetPriority(a) => a.walk(visit),
            ExKind::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExKind::Cond(parts) => parts.iter().for_each(|part| part.walk(visit)),
            ExKind::Run(run) => run.args.iter().for_each(|arg| arg.walk(visit)),
            ExKind::Dynamic(ex) => ex.walk(visit),
            ExKind::Poll { channel, args, .. } => {
                channel.walk(visit);
                for arg in args {
                    arg.walk(visit);
                }
            }
            ExKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| pid.walk(visit)),
            ExKind::RemoteVar { pid, index, .. } => {
                pid.iter().chain(index).for_each(|part| part.walk(visit));
            }
        }
    }

    pub fn any(&self, test: impl Fn(&ExKind) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |ex| found |= test(&ex.kind));
        found
    }
}

impl Arg {
    fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        match self {
            Self::Store(place) => place.indices.iter().for_each(|index| index.walk(visit)),
            Self::StoreThrough(access) => access.walk(visit),
            Self::Any => {}
            Self::Match(value) => value.walk(visit),
        }
    }
}

impl Basic {
    /// Calls `visit` for all expressions of the statement.
    pub fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        match self {
            Self::Condition(ex) | Self::Assert(ex) => ex.walk(visit),
            Self::Assign(target, value) => {
                target.walk(visit);
                value.walk(visit);
            }
            Self::Nothing => {}
            Self::Dynamic(act) => act.walk(visit),
            Self::Send { channel, args, .. } => {
                channel.walk(visit);
                for arg in args {
                    arg.walk(visit);
                }
            }
            Self::Receive { channel, args, .. } | Self::Event { channel, args, .. } => {
                channel.walk(visit);
                for arg in args {
                    arg.walk(visit);
                }
            }
            Self::Print { args, .. } => args.iter().for_each(|arg| arg.walk(visit)),
            Self::SetPriority(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
        }
    }

    pub fn is_print(&self) -> bool {
        matches!(self, Self::Print { .. })
    }

    /// `skip`: the condition that is the constant 1.
    pub fn is_skip(&self) -> bool {
        matches!(self, Self::Condition(ex) if ex.literal() == Some(1))
    }
}
