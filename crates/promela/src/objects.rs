//! What only dynamic programs have: expressions and statements about objects, pointers and functions.
//!
//! A pointer leads to an object: a record, or a box of one value. The fields of an object are the *leaves* of
//! its type, as they are for variables. After name resolution, what a pointer is followed to is an
//! [`Access`], however it was written: `p.next.key`, `*p`, `p[i].key`.

use std::rc::Rc;

use source::Span;

use crate::ast::Name;
use crate::symbols::{ChannelType, Init, Scalar};
use crate::tree::{Ex, Ref, SymbolId, Target};

/// What pointers of one type lead to: an index into a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PointeeId(pub u32);

impl PointeeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pointee {
    /// A record, by the name of its type, which may be declared later.
    Record(Rc<str>),
    Scalar(Scalar),
}

/// A function: its position among those of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId(pub usize);

/// A place in an object.
#[derive(Clone, Debug)]
pub struct Access {
    /// The pointer.
    pub base: Box<Ex>,
    pub pointee: PointeeId,
    /// In `p[i]`: which one of several in a row.
    pub element: Option<Box<Ex>>,
    /// The leaf of what it points to.
    pub leaf: usize,
    pub scalar: Scalar,
    /// One for each dimension of the leaf.
    pub indices: Vec<Ex>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Dynamic {
    Null,
    Function(FunctionId),
    Load(Access),
    /// The call of an expression function.
    Call(FunctionId, Vec<Ex>),
    /// `&x`, of what the pointer leads to.
    AddressOf(Address, PointeeId),
}

/// What `&` gets the address of. A variable lives in an object of its own if its address, or that of a part of
/// it, is taken somewhere.
#[derive(Clone, Debug)]
pub enum Address {
    /// A variable that is no array.
    Variable(SymbolId),
    /// A part of a variable, by the first place of it.
    Part(Ref),
    /// A part of an object, by the first place of it.
    Through(Access),
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    Function(FunctionId),
    /// A value of type `ftype`.
    Through(Ex),
}

/// A statement that only dynamic programs have.
#[derive(Clone, Debug)]
pub enum Act {
    /// With the number of them in a row, if it is not one.
    New(Target, PointeeId, Option<Ex>),
    NewChannel(Target, ChannelType),
    /// The declaration of a variable of a function or inner scope: an array with values, or channels.
    Declare(SymbolId, Init),
    /// `*p = *q` of records: the targets with their values, in order.
    Copy(Whole, Whole),
    Delete(Ex),
    Call {
        target: Option<Target>,
        callee: Callee,
        args: Vec<Ex>,
    },
    /// From this function.
    Return(Option<Ex>, FunctionId),
}

impl Access {
    /// Calls `visit` for all expressions that say which place it is.
    pub fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        self.base.walk(visit);
        self.element.iter().for_each(|element| element.walk(visit));
        self.indices.iter().for_each(|index| index.walk(visit));
    }
}

impl Dynamic {
    pub fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        match self {
            Self::Null | Self::Function(_) | Self::AddressOf(Address::Variable(_), _) => {}
            Self::AddressOf(Address::Part(place), _) => {
                place.indices.iter().for_each(|index| index.walk(visit));
            }
            Self::AddressOf(Address::Through(access), _) | Self::Load(access) => access.walk(visit),
            Self::Call(_, args) => args.iter().for_each(|arg| arg.walk(visit)),
        }
    }
}

impl Act {
    pub fn walk(&self, visit: &mut dyn FnMut(&Ex)) {
        match self {
            Self::New(target, _, length) => {
                target.walk(visit);
                if let Some(length) = length {
                    length.walk(visit);
                }
            }
            Self::NewChannel(target, _) => target.walk(visit),
            Self::Declare(_, init) => init.values().iter().for_each(|value| value.walk(visit)),
            Self::Copy(to, from) => {
                to.values().iter().chain(&from.values()).for_each(|place| place.walk(visit));
            }
            Self::Delete(ex) => ex.walk(visit),
            Self::Call { target, callee, args } => {
                if let Some(target) = target {
                    target.walk(visit);
                }
                if let Callee::Through(ex) = callee {
                    ex.walk(visit);
                }
                for arg in args {
                    arg.walk(visit);
                }
            }
            Self::Return(value, _) => value.iter().for_each(|value| value.walk(visit)),
        }
    }
}

/// All of a record.
#[derive(Clone, Debug)]
pub enum Whole {
    Variable(Vec<Ref>),
    Object(Vec<Access>),
}

impl Whole {
    /// Its places, as expressions.
    pub fn values(&self) -> Vec<Ex> {
        match self {
            Self::Variable(places) => places.iter().cloned().map(Ex::var).collect(),
            Self::Object(places) => places.iter().cloned().map(Ex::through).collect(),
        }
    }
}

/// The signature of a function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    /// Its process, where it has a body of statements.
    pub process: Option<usize>,
    pub params: Vec<SymbolId>,
    pub result: Option<Scalar>,
    /// The value of an expression function.
    pub value: Option<Ex>,
    pub is_expression: bool,
}
