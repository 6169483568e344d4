//! Which individuals a value mentions.

use std::any::TypeId;

use crate::reader::Reader;
use crate::words::{Scratch, Writer};
use crate::{Index, Shape, Sorts, Visit};

/// By sort and number: whether an individual is mentioned. Objects of heaps are followed as far as something
/// mentions them.
pub(crate) struct Mentions<'a> {
    sorts: &'a Sorts,
    pub found: Vec<Vec<bool>>,
    /// Something new was found in this pass.
    grew: bool,
    /// An object was left out.
    garbage: bool,
}

impl<'a> Mentions<'a> {
    pub fn of<T: Shape>(sorts: &'a Sorts, value: &T) -> Self {
        let found = vec![Vec::new(); sorts.all.len()];
        let mut mentions = Self { sorts, found, grew: true, garbage: false };
        while std::mem::take(&mut mentions.grew) {
            mentions.garbage = false;
            value.walk(&mut mentions);
        }
        mentions
    }

    pub fn has(&self, sort: usize, index: u32) -> bool {
        self.found[sort].get(index as usize).is_some_and(|is_found| *is_found)
    }
}

impl Visit for Mentions<'_> {
    fn bits(&mut self, _: u64, _: u32) {}

    fn id(&mut self, sort: TypeId, index: Index) {
        let sort = self.sorts.number(sort);
        let (found, at) = (&mut self.found[sort], index.0 as usize);
        if found.len() <= at {
            found.resize(at + 1, false);
        }
        self.grew |= !std::mem::replace(&mut found[at], true);
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        if T::SORTED {
            for entry in entries {
                entry.walk(self);
            }
        }
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool) {
        for (key, value) in rows {
            let (sort, index) = key.individual().expect("the keys are individuals");
            if !heap {
                self.id(sort, index);
            } else if !self.has(self.sorts.number(sort), index.0) {
                self.garbage = true;
                continue;
            }
            value.walk(self);
        }
    }
}

/// Removes the objects that nothing refers to.
pub(crate) fn collect_garbage<T: Shape>(sorts: &Sorts, value: &mut T) {
    if !sorts.all.iter().any(|sort| sort.size == crate::sorts::Size::Open) {
        return;
    }
    let mentions = Mentions::of(sorts, value);
    if mentions.garbage {
        let mut scratch = Scratch::default();
        let mut writer = Writer::without_garbage(sorts, &mentions.found, &mut scratch);
        value.walk(&mut writer);
        *value = T::read(&mut Reader::new(sorts, writer.finish()));
    }
}
