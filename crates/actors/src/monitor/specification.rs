//! Objects as they are when calls follow each other.

use quotient_model::{Seq, Shape};

/// An object that is used by one call after the other: what concurrent uses are compared with.
///
/// ```
/// use quotient_actors::monitor::Sequential;
/// use quotient_model::Shape;
/// /// Counts.
/// #[derive(Clone, Debug, Shape)]
/// struct Counter(u8);
/// impl Sequential for Counter {
///     type Op = ();
///     type Ret = u8;
///     fn invoke(&mut self, (): &()) -> u8 {
///         self.0 += 1;
///         self.0
///     }
/// }
/// let mut counter = Counter(0);
/// assert_eq!([counter.invoke(&()), counter.invoke(&())], [1, 2]);
/// ```
pub trait Sequential: Shape {
    /// What can be done with it.
    type Op: Shape;
    /// What comes back.
    type Ret: Shape + PartialEq;
    /// Does something.
    fn invoke(&mut self, op: &Self::Op) -> Self::Ret;
}

/// A variable that can be written and read.
///
/// ```
/// use quotient_actors::monitor::{Register, RegisterOp, RegisterRet, Sequential};
/// let mut register = Register('a');
/// assert_eq!(register.invoke(&RegisterOp::Write('b')), RegisterRet::WriteOk);
/// assert_eq!(register.invoke(&RegisterOp::Read), RegisterRet::ReadOk('b'));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Register<V>(pub V);

/// An operation of a [`Register`].
///
/// ```
/// use quotient_actors::monitor::{Register, RegisterOp, Sequential};
/// let mut register = Register(1);
/// register.invoke(&RegisterOp::Write(2));
/// assert_eq!(register, Register(2));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum RegisterOp<V> {
    /// Replaces the value.
    Write(V),
    /// Asks for the value.
    Read,
}

/// A result of an operation of a [`Register`].
///
/// ```
/// use quotient_actors::monitor::{Register, RegisterOp, RegisterRet, Sequential};
/// assert_eq!(Register(1).invoke(&RegisterOp::Read), RegisterRet::ReadOk(1));
/// ```
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
///
/// ```
/// use quotient_actors::monitor::{Sequential, Stack, StackOp, StackRet};
/// let mut stack = Stack(vec!['a']);
/// assert_eq!(stack.invoke(&StackOp::Push('b')), StackRet::Pushed);
/// assert_eq!(stack.invoke(&StackOp::Pop), StackRet::Popped(Some('b')));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Stack<V>(pub Seq<V>);

/// An operation of a [`Stack`].
///
/// ```
/// use quotient_actors::monitor::{Sequential, Stack, StackOp};
/// let mut stack = Stack(Vec::new());
/// stack.invoke(&StackOp::Push(1));
/// assert_eq!(stack, Stack(vec![1]));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum StackOp<V> {
    /// Adds a value.
    Push(V),
    /// Takes the value that was added last.
    Pop,
}

/// A result of an operation of a [`Stack`].
///
/// ```
/// use quotient_actors::monitor::{Sequential, Stack, StackOp, StackRet};
/// assert_eq!(Stack::<u8>(Vec::new()).invoke(&StackOp::Pop), StackRet::Popped(None));
/// ```
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
///
/// ```
/// use quotient_actors::monitor::{Queue, QueueOp, QueueRet, Sequential};
/// let mut queue = Queue(vec!['a']);
/// assert_eq!(queue.invoke(&QueueOp::Add('b')), QueueRet::Added);
/// assert_eq!(queue.invoke(&QueueOp::Take), QueueRet::Taken(Some('a')));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub struct Queue<V>(pub Seq<V>);

/// An operation of a [`Queue`].
///
/// ```
/// use quotient_actors::monitor::{Queue, QueueOp, Sequential};
/// let mut queue = Queue(vec![1]);
/// queue.invoke(&QueueOp::Add(2));
/// assert_eq!(queue, Queue(vec![1, 2]));
/// ```
#[derive(Clone, PartialEq, Debug, Shape)]
pub enum QueueOp<V> {
    /// Adds a value.
    Add(V),
    /// Takes the value that was added first.
    Take,
}

/// A result of an operation of a [`Queue`].
///
/// ```
/// use quotient_actors::monitor::{Queue, QueueOp, QueueRet, Sequential};
/// assert_eq!(Queue::<u8>(Vec::new()).invoke(&QueueOp::Take), QueueRet::Taken(None));
/// ```
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
