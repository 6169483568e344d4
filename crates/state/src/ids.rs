//! Identifiers of threads, objects and units.

use std::fmt;

use system::{Key, Section};

macro_rules! ids {
    ($($name:ident $prefix:literal;)*) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id that a slot refers to: `None` for the null reference.
            pub const fn from_raw(raw: i64) -> Option<Self> {
                if raw == 0 { None } else { Some(Self(raw as u32 - 1)) }
            }

            /// The value of a slot that refers to this id.
            pub const fn raw(self) -> i64 {
                self.0 as i64 + 1
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    ThreadId "thread";
    ObjectId "object";
}

/// A unit of the state: the globals, a thread, or an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NodeRef {
    Root,
    Thread(ThreadId),
    Object(ObjectId),
}

impl NodeRef {
    /// The unit as one small number, for tables by unit: 0 for the globals, then threads and objects in turn.
    #[inline]
    pub const fn index(self) -> u32 {
        match self {
            Self::Root => 0,
            Self::Thread(id) => 2 * id.0 + 1,
            Self::Object(id) => 2 * id.0 + 2,
        }
    }

    /// The inverse of [`NodeRef::index`].
    #[inline]
    pub const fn from_index(index: u32) -> Self {
        match index {
            0 => Self::Root,
            _ if index % 2 == 1 => Self::Thread(ThreadId(index / 2)),
            _ => Self::Object(ObjectId(index / 2 - 1)),
        }
    }

    /// The key of the unit in an encoding that uses ids as names.
    pub const fn key(self) -> Key {
        match self {
            Self::Root => Key { section: Section::Root, index: 0 },
            Self::Thread(id) => Key { section: Section::Threads, index: id.0 },
            Self::Object(id) => Key { section: Section::Objects, index: id.0 },
        }
    }

    /// The inverse of [`NodeRef::key`].
    pub const fn of(key: Key) -> Self {
        match key.section {
            Section::Root => Self::Root,
            Section::Threads => Self::Thread(ThreadId(key.index)),
            Section::Objects => Self::Object(ObjectId(key.index)),
        }
    }
}
