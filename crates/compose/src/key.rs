//! What two actions must have in common to be taken together: a name and values.

use std::any::TypeId;

use quotient_model::{Index, Shape, Visit};

/// A name with values. Two actions with equal keys are taken together.
///
/// Keys are equal if their names are and their values are walked alike: individuals are the same individuals, sets
/// have the same elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    name: &'static str,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Bits(u64),
    Individual(TypeId, Index),
}

impl Key {
    /// A key of this name with a value, which may be a tuple of values, or `()`.
    pub fn new(name: &'static str, value: &impl Shape) -> Self {
        let mut parts = Parts(Vec::new());
        value.walk(&mut parts);
        Self { name, parts: parts.0 }
    }
}

struct Parts(Vec<Part>);

impl Visit for Parts {
    fn bits(&mut self, value: u64, _: u32) {
        self.0.push(Part::Bits(value));
    }

    fn id(&mut self, sort: TypeId, index: Index) {
        self.0.push(Part::Individual(sort, index));
    }

    // Entries are in an order that equal collections share.
    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        self.count(entries.len());
        for entry in entries {
            entry.walk(self);
        }
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], _: bool) {
        self.unordered(rows);
    }
}
