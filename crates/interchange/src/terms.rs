//! Text as terms, in which literals keep their sort variables: which of them are names is known later.

use ir::LocationId;
use rustc_hash::FxHashMap;

use crate::unify::Var;

/// A piece of text without names.
pub type Key = u32;

/// A piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Leaf(Key),
    /// A number, which is a name if its sort says so.
    Literal {
        var: Var,
        value: i64,
    },
    Location(LocationId),
    Node {
        key: Key,
        /// Whether the order of its children matters.
        is_ordered: bool,
        children: Vec<Term>,
    },
}

/// Numbers for keys.
#[derive(Debug, Default)]
pub struct Keys {
    numbers: FxHashMap<Vec<u64>, Key>,
}

impl Keys {
    pub fn intern(&mut self, parts: Vec<u64>) -> Key {
        let next = self.numbers.len() as Key;
        *self.numbers.entry(parts).or_insert(next)
    }
}
