//! Objects as they are when calls follow each other.

use quotient_model::{Seq, Shape};

/// An object that is used by one call after the other: what concurrent uses are compared with.
pub trait Sequential: Shape {
    /// What can be done with it.
    type Op: Shape;
    /// What comes back.
    type Ret: Shape + PartialEq;
    /// Does something.
    fn invoke(&mut self, op: &Self::Op) -> Self::Ret;
}

/// A variable that can be written and read.
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Register<V>(pub V);

/// An operation of a [`Register`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum RegisterOp<V> {
    /// Replaces the value.
    Write(V),
    /// Asks for the value.
    Read,
}

/// A result of an operation of a [`Register`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum RegisterRet<V> {
    /// The value was replaced.
    WriteOk,
    /// The value.
    ReadOk(V),
}

impl<V: Shape + PartialEq> Sequential for Register<V> {
    type Op = RegisterOp<V>;
    type Ret = RegisterRet<V>;
    fn invoke(&mut self, op: &RegisterOp<V>) -> RegisterRet<V> {
        match op {
            RegisterOp::Write(value) => {
                self.0 = value.clone();
                RegisterRet::WriteOk
            }
            RegisterOp::Read => RegisterRet::ReadOk(self.0.clone()),
        }
    }
}

/// Values of which the last one added is the first to be taken.
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Stack<V>(pub Seq<V>);

/// An operation of a [`Stack`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum StackOp<V> {
    /// Adds a value.
    Push(V),
    /// Takes the value that was added last.
    Pop,
}

/// A result of an operation of a [`Stack`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum StackRet<V> {
    /// The value was added.
    Pushed,
    /// The value that was taken; `None` if there was none.
    Popped(Option<V>),
}

impl<V: Shape + PartialEq> Sequential for Stack<V> {
    type Op = StackOp<V>;
    type Ret = StackRet<V>;
    fn invoke(&mut self, op: &StackOp<V>) -> StackRet<V> {
        match op {
            StackOp::Push(value) => {
                self.0.push(value.clone());
                StackRet::Pushed
            }
            StackOp::Pop => StackRet::Popped(self.0.pop()),
        }
    }
}

/// Values of which the first one added is the first to be taken.
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Queue<V>(pub Seq<V>);

/// An operation of a [`Queue`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum QueueOp<V> {
    /// Adds a value.
    Add(V),
    /// Takes the value that was added first.
    Take,
}

/// A result of an operation of a [`Queue`].
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum QueueRet<V> {
    /// The value was added.
    Added,
    /// The value that was taken; `None` if there was none.
    Taken(Option<V>),
}

impl<V: Shape + PartialEq> Sequential for Queue<V> {
    type Op = QueueOp<V>;
    type Ret = QueueRet<V>;
    fn invoke(&mut self, op: &QueueOp<V>) -> QueueRet<V> {
        match op {
            QueueOp::Add(value) => {
                self.0.push(value.clone());
                QueueRet::Added
            }
            QueueOp::Take if self.0.is_empty() => QueueRet::Taken(None),
            QueueOp::Take => QueueRet::Taken(Some(self.0.remove(0))),
        }
    }
}
