//! The scope of a generated statement: types, variables, channels.

use super::tree::{Decl, Expr, Place};

/// The types of variables and message fields, other than channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u8),
    Mtype,
    /// A set of names of its own.
    Shape,
    Pid,
}

/// Bounds of a value. Computed values stay far away from overflow: see `expressions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

impl Range {
    pub const BOOLEAN: Self = Self { low: 0, high: 1 };

    pub const fn of(low: i64, high: i64) -> Self {
        Self { low, high }
    }

    pub const fn within(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub fn union(self, other: Self) -> Self {
        Self::of(self.low.min(other.low), self.high.max(other.high))
    }

    pub fn magnitude(self) -> i64 {
        self.low.abs().max(self.high.abs())
    }
}

impl Type {
    pub const ALL: [Self; 10] = [
        Self::Bit,
        Self::Bool,
        Self::Byte,
        Self::Byte,
        Self::Short,
        Self::Int,
        Self::Unsigned(3),
        Self::Mtype,
        Self::Shape,
        Self::Pid,
    ];

    /// The types of message fields and parameters.
    pub const FIELDS: [Self; 6] = [Self::Bit, Self::Bool, Self::Byte, Self::Short, Self::Int, Self::Mtype];

    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Bit => "bit",
            Self::Bool => "bool",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Unsigned(_) => "unsigned",
            Self::Mtype => "mtype",
            Self::Shape => "mtype:shape",
            Self::Pid => "pid",
        }
    }

    /// The values that a variable can hold; for an `int`, those that are assigned to it.
    pub const fn range(self) -> Range {
        match self {
            Self::Bit | Self::Bool => Range::BOOLEAN,
            Self::Byte | Self::Mtype | Self::Shape | Self::Pid => Range::of(0, 255),
            Self::Short => Range::of(-32_768, 32_767),
            Self::Int => Range::of(-40_000, 70_000),
            Self::Unsigned(bits) => Range::of(0, (1 << bits) - 1),
        }
    }

    /// The names of its values, if they have names.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Mtype => &["red", "green", "blue"],
            Self::Shape => &["round", "square"],
            _ => &[],
        }
    }

    pub const fn is_symbolic(self) -> bool {
        !self.names().is_empty()
    }

    /// Whether it has so few values that anything may be assigned to it in a loop.
    pub const fn is_small(self) -> bool {
        matches!(self, Self::Bit | Self::Bool | Self::Unsigned(_))
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub ty: Type,
    pub range: Range,
    /// Elements, of an array.
    pub length: Option<i64>,
    /// Field to append, of a record.
    pub field: Option<String>,
    pub writable: bool,
}

impl Var {
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        Self { name: name.into(), ty, range: ty.range(), length: None, field: None, writable: true }
    }

    /// An array of it. The verifier keeps an element of an array of bits in a whole byte.
    pub fn array(self, length: i64) -> Self {
        let ty = if matches!(self.ty, Type::Bit | Type::Bool) { Type::Byte } else { self.ty };
        Self { length: Some(length), range: ty.range(), ..self }
    }

    /// The type that determines which values it can hold.
    pub const fn value_type(&self) -> Type {
        match self.ty {
            Type::Bit | Type::Bool if self.length.is_some() => Type::Byte,
            ty => ty,
        }
    }

    /// Its declaration, unless it is a field of a record.
    pub fn declaration(&self, prefix: &str, initial: Option<i64>) -> Decl {
        let mut after = match self.ty {
            Type::Unsigned(bits) => format!(" : {bits}"),
            _ => String::new(),
        };
        if let Some(length) = self.length {
            after = format!("[{length}]");
        }
        Decl {
            before: format!("{prefix}{}", self.ty.keyword()),
            name: self.name.clone(),
            after,
            initial: initial.map(|initial| initial.to_string()),
        }
    }

    pub fn place(&self, index: Option<Expr>) -> Place {
        Place { name: self.name.clone(), index: index.map(Box::new), field: self.field.clone() }
    }
}

#[derive(Clone, Default, Debug)]
pub struct Chan {
    pub name: String,
    /// The fields of a message; None stands for a channel.
    pub fields: Vec<Option<Type>>,
    /// Whether it has a capacity; false where that is not known.
    pub buffered: bool,
    pub length: Option<i64>,
    pub global: bool,
    /// Declared in the current process.
    pub owned: bool,
}

/// What is visible in a process.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    pub vars: Vec<Var>,
    pub chans: Vec<Chan>,
    /// A variable for received channels.
    pub chan_var: Option<String>,
}
