//! A worklist that numbers items in the order in which they are first seen.

use std::hash::Hash;

use rustc_hash::FxHashMap;

pub struct Worklist<T> {
    numbers: FxHashMap<T, u32>,
    things: Vec<T>,
    done: usize,
}

impl<T> Default for Worklist<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), things: Vec::new(), done: 0 }
    }
}

impl<T: Clone + Eq + Hash> Worklist<T> {
    /// The number of an item; a new one if the item was not seen before.
    pub fn number(&mut self, thing: T) -> u32 {
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            self.things.push(thing.clone());
            self.things.len() as u32 - 1
        })
    }

    /// The next item in the order of the numbers.
    pub fn pop(&mut self) -> Option<T> {
        let thing = self.things.get(self.done).cloned();
        self.done += usize::from(thing.is_some());
        thing
    }

    pub fn len(&self) -> usize {
        self.things.len()
    }
}
