//! The expressions and places inside expressions, places and actions.
//!
//! Each macro is one list, which serves for shared and for mutable references.

use crate::{Action, ActionKind, Array, Expr, ExprKind, GlobalId, New, Pattern, Place, PlaceKind};

/// The operands of an expression, from left to right.
macro_rules! of_expr {
    ($kind:expr) => {
        match $kind {
            ExprKind::Const(_)
            | ExprKind::Global(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::All(_)
            | ExprKind::ThreadNumber
            | ExprKind::ThreadCount
            | ExprKind::LastThread
            | ExprKind::IsYoungest
            | ExprKind::Timeout
            | ExprKind::FirstThread(_)
            | ExprKind::ThreadsAt { .. }
            | ExprKind::IndividualAt { .. }
            | ExprKind::Channel(_) => vec![],
            ExprKind::Field(a, _)
            | ExprKind::Length(a)
            | ExprKind::Address(a, _)
            | ExprKind::Load(a)
            | ExprKind::Within(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::InstanceOf(a, _)
            | ExprKind::LockAvailable(a)
            | ExprKind::HasLock(a)
            | ExprKind::WasNotified(a)
            | ExprKind::ThreadTerminated(a)
            | ExprKind::Wrap(a)
            | ExprKind::Number(a)
            | ExprKind::ThreadAt { thread: a, .. }
            | ExprKind::ThreadEnabled(a)
            | ExprKind::ThreadLocation(a)
            | ExprKind::ThreadPriority(a)
            | ExprKind::ChannelLength(a)
            | ExprKind::ChannelFull(a) => vec![a],
            ExprKind::Index(a, b) | ExprKind::Offset(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Cond(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, all) | ExprKind::Collection(_, all) | ExprKind::Element(_, all) => {
                Vec::from_iter(all)
            }
            ExprKind::Quantified { over: first, captures: rest, .. }
            | ExprKind::ThreadLocal { thread: first, indices: rest, .. } => with(vec![first], rest),
            ExprKind::ChannelHas { channel, pattern, .. } => pattern.into_iter().fold(vec![channel], with),
        }
    };
}

/// The operands of a place, from left to right.
macro_rules! of_place {
    ($kind:expr) => {
        match $kind {
            PlaceKind::Global(_) | PlaceKind::Local(_) => vec![],
            PlaceKind::Field(base, _) | PlaceKind::Through(base) => vec![base],
            PlaceKind::Index(array, index) => vec![array, index],
            PlaceKind::Element(_, indices) => Vec::from_iter(indices),
        }
    };
}

/// The places of an action, from left to right.
macro_rules! places {
    ($kind:expr) => {
        match $kind {
            ActionKind::Assign(place, _) | ActionKind::Choose(place, _) | ActionKind::New(place, _) => {
                vec![place]
            }
            ActionKind::Start { result, .. } => Vec::from_iter(result),
            ActionKind::Receive { pattern, .. } => {
                let stored = pattern.into_iter().filter_map(|field| match field {
                    Pattern::Store(place) => Some(place),
                    Pattern::Match(_) | Pattern::Any => None,
                });
                stored.collect()
            }
            _ => vec![],
        }
    };
}

/// The expressions of an action, from left to right, including those of its places, which `operands` lists.
macro_rules! of_action {
    ($kind:expr, $operands:path) => {
        match $kind {
            ActionKind::Assign(place, value) | ActionKind::Choose(place, value) => {
                with($operands(place), [value])
            }
            ActionKind::New(place, New::Array { length, .. } | New::Block { length, .. }) => {
                with($operands(place), [length])
            }
            ActionKind::New(place, New::Record(_) | New::Lock | New::Channel(_)) => $operands(place),
            ActionKind::Assert(operand, _)
            | ActionKind::Assume(operand)
            | ActionKind::Lock(operand)
            | ActionKind::Unlock(operand)
            | ActionKind::Wait(operand)
            | ActionKind::Unwait(operand)
            | ActionKind::Notify(operand)
            | ActionKind::NotifyAll(operand)
            | ActionKind::Throw(operand)
            | ActionKind::Delete(operand)
            | ActionKind::Kill(operand)
            | ActionKind::Check(operand) => vec![operand],
            ActionKind::Start { result, args, .. } => {
                with(result.into_iter().flat_map($operands).collect(), args)
            }
            ActionKind::Exit | ActionKind::BadCall(_) => vec![],
            ActionKind::Send { channel, message, .. } => with(vec![channel], message),
            ActionKind::Receive { channel, pattern, .. } => {
                let fields = pattern.into_iter().flat_map(|field| match field {
                    Pattern::Store(place) => $operands(place),
                    Pattern::Match(value) => vec![value],
                    Pattern::Any => vec![],
                });
                with(vec![channel], fields)
            }
            ActionKind::SetPriority(thread, priority) => vec![thread, priority],
            ActionKind::Print { args, .. } => Vec::from_iter(args),
        }
    };
}

fn with<T>(mut items: Vec<T>, more: impl IntoIterator<Item = T>) -> Vec<T> {
    items.extend(more);
    items
}

impl Expr {
    /// The direct operands, from left to right.
    pub fn operands(&self) -> Vec<&Self> {
        of_expr!(&self.kind)
    }

    /// The direct operands, from left to right, mutably.
    pub fn operands_mut(&mut self) -> Vec<&mut Self> {
        of_expr!(&mut self.kind)
    }

    /// Calls `f` with this expression and every expression in it.
    pub fn each<'e>(&'e self, f: &mut impl FnMut(&'e Self)) {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            f(expr);
            open.extend(expr.operands());
        }
    }
}

impl PlaceKind {
    /// The global variable that it is, or is in.
    pub const fn global(&self) -> Option<GlobalId> {
        match *self {
            Self::Global(id) | Self::Element(Array::Global(id), _) => Some(id),
            _ => None,
        }
    }
}

impl Place {
    /// The expressions that determine the place.
    pub fn operands(&self) -> Vec<&Expr> {
        of_place!(&self.kind)
    }

    /// The expressions that determine the place, mutably.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        of_place!(&mut self.kind)
    }
}

impl Action {
    /// The places that it stores to.
    pub fn places(&self) -> Vec<&Place> {
        places!(&self.kind)
    }

    /// The places that it stores to, mutably.
    pub fn places_mut(&mut self) -> Vec<&mut Place> {
        places!(&mut self.kind)
    }

    /// The expressions in it, from left to right, including those of places.
    pub fn operands(&self) -> Vec<&Expr> {
        of_action!(&self.kind, Place::operands)
    }

    /// The expressions in it, from left to right, including those of places, mutably.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        of_action!(&mut self.kind, Place::operands_mut)
    }
}
