//! Values, and the order that they have.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use ir::{EnumId, Program, StringId, Type, TypeId};

/// What a variable, field or element holds.
///
/// Values of one type have the order that the crate `ir` gives them, which numbers the choices of `Choose`.
/// Among values of different types it is some order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// No object, no thread, and no element of an abstract enum.
    Null,
    Bool(bool),
    Int(i64),
    Enum(EnumId, u32),
    /// An element of an abstract enum.
    Abstract(EnumId, u32),
    Ref(u32),
    /// An object, and the number of a leaf of it.
    Pointer(u32, u32),
    Thread(u32),
    Str(StringId),
    Set(BTreeSet<Value>),
    /// How often each element is there, which is at least once.
    Bag(BTreeMap<Value, usize>),
    Map(BTreeMap<Value, Value>),
    Seq(Vec<Value>),
    Queue {
        capacity: i64,
        elements: Vec<Value>,
    },
}

impl Value {
    /// What choosing and quantifying range over, in order: the elements of a collection (distinct ones of a
    /// bag), or the keys of a map. What is no collection has none.
    pub fn elements(&self) -> Vec<&Self> {
        match self {
            Self::Set(elements) => elements.iter().collect(),
            Self::Bag(counts) => counts.keys().collect(),
            Self::Map(map) => map.keys().collect(),
            Self::Seq(elements) | Self::Queue { elements, .. } => elements.iter().collect(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Enum(..)
            | Self::Abstract(..)
            | Self::Ref(_)
            | Self::Pointer(..)
            | Self::Thread(_)
            | Self::Str(_) => Vec::new(),
        }
    }

    /// For the order of values of different types. `null` is before all that it stands for the absence of.
    fn kind(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) => 2,
            Self::Enum(..) => 3,
            Self::Abstract(..) => 4,
            Self::Ref(_) => 5,
            Self::Thread(_) => 6,
            Self::Str(_) => 7,
            Self::Set(_) => 8,
            Self::Bag(_) => 9,
            Self::Map(_) => 10,
            Self::Seq(_) => 11,
            Self::Queue { .. } => 12,
            Self::Pointer(..) => 13,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Enum(a, x), Self::Enum(b, y)) | (Self::Abstract(a, x), Self::Abstract(b, y)) => {
                (a, x).cmp(&(b, y))
            }
            (Self::Ref(a), Self::Ref(b)) | (Self::Thread(a), Self::Thread(b)) => a.cmp(b),
            (Self::Str(a), Self::Str(b)) => a.cmp(b),
            (Self::Pointer(a, x), Self::Pointer(b, y)) => (a, x).cmp(&(b, y)),
            (Self::Set(a), Self::Set(b)) => (a.len(), a).cmp(&(b.len(), b)),
            (Self::Bag(a), Self::Bag(b)) => (a.len(), a).cmp(&(b.len(), b)),
            (Self::Map(a), Self::Map(b)) => (a.len(), a).cmp(&(b.len(), b)),
            (Self::Seq(a), Self::Seq(b)) => (a.len(), a).cmp(&(b.len(), b)),
            (Self::Queue { capacity: c, elements: a }, Self::Queue { capacity: d, elements: b }) => {
                (c, a.len(), a).cmp(&(d, b.len(), b))
            }
            _ => self.kind().cmp(&other.kind()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The default value of a type.
pub(crate) fn default_value(program: &Program, ty: TypeId) -> Value {
    match program.types[ty] {
        Type::Bool => Value::Bool(false),
        Type::Int(int) => Value::Int(int.default_value()),
        Type::Enum(id) => Value::Enum(id, 0),
        Type::Abstract(_)
        | Type::Tid
        | Type::Record(_)
        | Type::Array(_)
        | Type::String
        | Type::Lock
        | Type::Pointer
        | Type::Channel
        | Type::Null => Value::Null,
        Type::Set(_) => Value::Set(BTreeSet::new()),
        Type::Bag(_) => Value::Bag(BTreeMap::new()),
        Type::Map(..) => Value::Map(BTreeMap::new()),
        Type::Seq(_) => Value::Seq(Vec::new()),
        Type::Queue(_) => Value::Queue { capacity: 0, elements: Vec::new() },
    }
}
