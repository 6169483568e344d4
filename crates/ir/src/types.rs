use crate::{EnumId, Id, RecordId, Table, TypeId};

/// A type. Types are interned: equal types have equal [`TypeId`]s. Matches on types are exhaustive, without
/// `_`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Bool,
    Int(IntType),
    Enum(EnumId),
    /// An element of an [abstract](crate::Enum::is_abstract) enum, or none.
    Abstract(EnumId),
    /// A thread, or none.
    Tid,
    Record(RecordId),
    /// A reference to an array with elements of this type.
    Array(TypeId),
    /// A reference to a string constant. Strings are not part of the heap.
    String,
    Lock,
    /// A place inside of an object, or none: see pointers in the crate's documentation.
    Pointer,
    /// A reference to a channel, of whatever messages: programs that are not [flat](crate::Program::is_flat)
    /// have them.
    Channel,
    /// The type of `null`, which every reference type, `tid` and every abstract enum admits.
    Null,
    /// Collections are values, like integers: storing one copies it.
    Set(TypeId),
    /// A set with multiplicities.
    Bag(TypeId),
    /// A map from keys to values.
    Map(TypeId, TypeId),
    Seq(TypeId),
    /// A sequence with a capacity, which is part of the value.
    Queue(TypeId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    pub width: Width,
    /// Least and greatest value.
    pub lo: i64,
    pub hi: i64,
    /// Whether values outside the range are brought inside modulo `hi - lo + 1`, rather than refused.
    pub wrap: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Width {
    Int,
    Long,
}

impl IntType {
    pub const INT: Self = Self { width: Width::Int, lo: i32::MIN as i64, hi: i32::MAX as i64, wrap: false };
    pub const LONG: Self = Self { width: Width::Long, lo: i64::MIN, hi: i64::MAX, wrap: false };

    /// The value that a place of this type holds after `value` was stored to it.
    #[inline]
    pub fn admit(self, value: i64) -> Option<i64> {
        if (self.lo..=self.hi).contains(&value) {
            Some(value)
        } else if self.wrap {
            let size = i128::from(self.hi) - i128::from(self.lo) + 1;
            let offset = (i128::from(value) - i128::from(self.lo)).rem_euclid(size);
            i64::try_from(i128::from(self.lo) + offset).ok()
        } else {
            None
        }
    }

    /// The default value: the one nearest to 0.
    pub fn default_value(self) -> i64 {
        0.clamp(self.lo, self.hi)
    }
}

impl Width {
    pub const fn bits(self) -> u32 {
        match self {
            Self::Int => 32,
            Self::Long => 64,
        }
    }
}

impl Type {
    /// Whether values are references to heap objects (and so edges of the state graph).
    pub const fn is_reference(self) -> bool {
        matches!(self, Self::Record(_) | Self::Array(_) | Self::Lock | Self::Pointer | Self::Channel)
    }

    pub const fn is_collection(self) -> bool {
        self.element().is_some()
    }

    /// The type that choosing and quantifying range over: the elements of a collection, or the keys of a map.
    pub const fn element(self) -> Option<TypeId> {
        match self {
            Self::Set(element)
            | Self::Bag(element)
            | Self::Map(element, _)
            | Self::Seq(element)
            | Self::Queue(element) => Some(element),
            _ => None,
        }
    }
}

/// The types of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Types {
    table: Table<TypeId, Type>,
}

impl Types {
    pub fn intern(&mut self, ty: Type) -> TypeId {
        // Programs have a handful of types: a scan is cheaper than a second index.
        let known = self.table.values().position(|&other| other == ty);
        known.map_or_else(|| self.table.push(ty), TypeId::from_index)
    }

    pub fn get(&self, id: TypeId) -> Option<Type> {
        self.table.get(id).copied()
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, Type)> {
        self.table.iter().map(|(id, &ty)| (id, ty))
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.table[id]
    }
}
