//! Entries of sets and bags by number.
//!
//! A set that is a field, or in a field, is written as a bit for each entry that was met so far: in the order in
//! which entries were met, 64 to a component. So an entry that comes or goes changes one word and moves nothing,
//! and is neither encoded nor decoded again, since its value is kept. (Without this, each entry was a component
//! of its own; all those after the first that changed moved.) Rows of maps have no numbers: there it is the value that
//! changes, and there may be as many different rows as there are values.
//!
//! What a state is written as must not depend on when it is written. Trailing words without bits are left out, so
//! that entries met later do not change it. Only the first [`MOST`] entries of a type have numbers; those that
//! come after them never get one, and are written by themselves.

use std::any::{Any, TypeId};
use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::Shape;

/// The entries of a type that have numbers: their bits are looked at one word after the other, so that there should
/// be few words.
pub(crate) const MOST: usize = 1024;

/// How many entries that were there lately, but are not there any more, are remembered at least.
const ROOM: usize = 16;

/// The entries that have numbers, by type.
#[derive(Default)]
pub(crate) struct Dictionary {
    types: Vec<(TypeId, Box<dyn Any>)>,
}

impl Dictionary {
    pub fn of<T: Shape>(&mut self) -> &mut Known<T> {
        let wanted = TypeId::of::<T>();
        let at = self.types.iter().position(|(of, _)| *of == wanted).unwrap_or_else(|| {
            self.types.push((wanted, Box::new(Known::<T>::default())));
            self.types.len() - 1
        });
        self.types[at].1.downcast_mut().expect("it was made for this type")
    }

    pub fn get<T: Shape>(&self) -> Option<&Known<T>> {
        let wanted = TypeId::of::<T>();
        self.types.iter().find(|(of, _)| *of == wanted)?.1.downcast_ref()
    }
}

/// The entries of a type that have numbers.
pub(crate) struct Known<T> {
    /// By words.
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// By number.
    pub values: Vec<T>,
    /// Entries that were written lately, in order, and their numbers.
    recent: Vec<(T, Option<u32>)>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), values: Vec::new(), recent: Vec::new() }
    }
}

impl<T: Shape> Known<T> {
    /// The number of an entry with these words. `read` gives its value.
    pub fn number(&mut self, words: &[u64], read: impl FnOnce() -> T) -> Option<u32> {
        if let Some(number) = self.numbers.get(words) {
            return Some(*number);
        }
        let number = self.values.len();
        (number < MOST).then(|| {
            self.numbers.insert(words.into(), number as u32);
            self.values.push(read());
            number as u32
        })
    }

    /// Shows each entry with its number. `number` is asked for entries that were not there lately. Entries are in
    /// order.
    pub fn each<'a>(
        &mut self,
        entries: &'a [T],
        mut number: impl FnMut(&mut Self, &T) -> Option<u32>,
        mut show: impl FnMut(&'a T, Option<u32>),
    ) {
        let mut recent = std::mem::take(&mut self.recent);
        if recent.len() > 2 * entries.len() + ROOM {
            recent.clear();
        }
        let mut at = 0;
        for entry in entries {
            let order = loop {
                match recent.get(at).map(|(other, _)| other.order(entry)) {
                    Some(Ordering::Less) => at += 1,
                    order => break order,
                }
            };
            if order != Some(Ordering::Equal) {
                recent.insert(at, (entry.clone(), number(self, entry)));
            }
            show(entry, recent[at].1);
            at += 1;
        }
        self.recent = recent;
    }
}
