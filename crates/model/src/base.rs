//! The base: the value that an encoding holds, and its components.
//!
//! A search goes from values to values that differ little. So what did not change is neither written nor read again:
//! fields of the outermost struct, and rows under individuals in them. A field is known to be the same where
//! values are written, since collections that share their entries are equal, and its words are where they are read.
//! What a successor changes is found in the same way, without moving to it ([`Base::changes`]).

use std::any::TypeId;
use std::ops::Range;

use system::{Encoding, Key, Moment, Write};

use crate::known::Dictionary;
use crate::reader::Reader;
use crate::words::{Names, Scratch, Writer, Written, key};
use crate::{Index, Shape, Sorts, Visit};

/// The value that was written or read last.
pub(crate) struct Base<S> {
    /// `None` until there is one.
    value: Option<S>,
    written: Written,
    /// When an encoding was made to hold it: if nothing else was written there since, it still does.
    moment: Option<Moment>,
    scratch: Scratch,
    writes: Vec<Write>,
}

impl<S> Default for Base<S> {
    fn default() -> Self {
        let (written, scratch) = Default::default();
        Self { value: None, written, moment: None, scratch, writes: Vec::new() }
    }
}

impl<S: Shape> Base<S> {
    /// Writes a value whose names are numbers.
    pub fn write(&mut self, sorts: &Sorts, known: &mut Dictionary, value: &S, into: &mut Encoding) {
        let is_there = self.moment == Some(into.now()) && S::IS_STRUCT;
        if is_there && self.changes(sorts, known, value).is_empty() {
            return;
        }
        let Self { value: last, written, moment, scratch, .. } = self;
        let mut writer = Writer::new(sorts, None, scratch).with_numbers(known);
        if is_there {
            writer = writer.after(written);
            value.walk_after(last.as_ref(), &mut writer);
        } else {
            value.walk(&mut writer);
        }
        writer.store(into);
        std::mem::swap(written, &mut scratch.new);
        *moment = Some(into.now());
        match last {
            Some(last) => last.assign(value),
            None => *last = Some(value.clone()),
        }
    }

    /// Writes a value under names. The base remains what it is.
    pub fn write_named(
        &mut self,
        sorts: &Sorts,
        names: &Names,
        known: &mut Dictionary,
        value: &S,
        into: &mut Encoding,
    ) {
        let mut writer = Writer::new(sorts, Some(names), &mut self.scratch).with_numbers(known);
        value.walk(&mut writer);
        writer.store(into);
    }

    /// What changes from the base to a value, names being numbers.
    pub fn changes(&mut self, sorts: &Sorts, known: &mut Dictionary, value: &S) -> &[Write] {
        let Self { value: last, written, scratch, writes, .. } = self;
        writes.clear();
        let mut writer = Writer::new(sorts, None, scratch).with_numbers(known);
        if S::IS_STRUCT {
            let mut changes = Changes {
                writer,
                base: written,
                next: 0,
                components: 0..0,
                is_done: false,
                writes,
                is_shifted: false,
            };
            value.walk_after(last.as_ref(), &mut changes);
            if !changes.is_shifted {
                return writes;
            }
            writer = changes.writer;
            writes.clear();
            writer.restart();
        }
        value.walk(&mut writer);
        let new = writer.written();
        list_changes(written, 0..written.cuts.len(), new, new.cuts.len(), writes);
        writes
    }

    /// Reads the value that an encoding holds.
    pub fn read(&mut self, sorts: &Sorts, known: &Dictionary, from: &Encoding) -> &S {
        let Self { value, written, moment, scratch, .. } = self;
        let new = &mut scratch.new;
        new.take(from);
        let value = match value {
            Some(value) => {
                value.read_again(&mut Reader::again(sorts, written, new).with_numbers(known));
                value
            }
            None => value.insert(S::read(&mut Reader::new(sorts, new.words()).with_numbers(known))),
        };
        std::mem::swap(written, new);
        *moment = Some(from.now());
        value
    }
}

/// Finds out what changes from the base to a struct: field by field, and row by row. What changed is written by itself
/// and compared with the components in whose place it comes.
struct Changes<'a, 'w> {
    writer: Writer<'w>,
    base: &'a Written,
    /// The number of the next field.
    next: usize,
    /// The components of the field at hand in the base.
    components: Range<usize>,
    /// The rows of the field at hand were compared.
    is_done: bool,
    writes: &'a mut Vec<Write>,
    /// There are more components or fewer: those after them are elsewhere.
    is_shifted: bool,
}

impl Changes<'_, '_> {
    /// Begins a component.
    fn start(&mut self) {
        self.writer.restart();
        self.writer.begin(1);
    }

    /// Compares what was written since with the components in whose place it comes.
    fn compare(&mut self, components: Range<usize>) {
        let is_last = components.end == self.base.cuts.len();
        let new = self.writer.written();
        // Where something without bits comes last, a component begins that belongs to what follows.
        let is_open = !is_last && new.start(new.cuts.len() - 1) == new.words().len();
        let count = new.cuts.len() - usize::from(is_open);
        self.is_shifted |= count != components.len();
        list_changes(self.base, components, new, count, self.writes);
    }
}

impl Visit for Changes<'_, '_> {
    fn field<T: Shape>(&mut self, value: &T, last: Option<&T>) {
        if self.writer.depth() > 1 {
            return self.writer.field(value, last);
        }
        let components = self.base.first_of(self.next)..self.base.first_of(self.next + 1);
        self.next += 1;
        let Some(last) = last else { return self.is_shifted = true };
        if self.is_shifted || value.order(last).is_eq() {
            return;
        }
        (self.components, self.is_done) = (components, false);
        self.start();
        value.walk_after(Some(last), self);
        if !self.is_done {
            self.compare(self.components.clone());
        }
    }

    fn rows_after<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], last: &[(K, T)]) {
        // Each row is a component, after the one with their number.
        let is_by_row =
            self.writer.depth() == 1 && rows.len() == last.len() && self.components.len() == rows.len() + 1;
        if !is_by_row {
            return self.writer.rows(rows, false);
        }
        for (at, (row, last)) in rows.iter().zip(last).enumerate() {
            if row.order(last).is_ne() {
                let component = self.components.start + 1 + at;
                self.start();
                self.writer.entry(|writer| row.walk(writer));
                self.compare(component..component + 1);
            }
        }
        self.is_done = true;
    }

    fn bits(&mut self, value: u64, width: u32) {
        self.writer.bits(value, width);
    }

    fn id(&mut self, sort: TypeId, index: Index) {
        self.writer.id(sort, index);
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        self.writer.unordered(entries);
    }

    fn pairs<K: Shape, T: Shape>(&mut self, rows: &[(K, T)]) {
        self.writer.pairs(rows);
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool) {
        self.writer.rows(rows, heap);
    }

    fn begin(&mut self, depth: u32) {
        self.writer.begin(depth);
    }

    fn end(&mut self, depth: u32) {
        self.writer.end(depth);
    }

    fn cut(&mut self) {
        self.writer.cut();
    }
}

/// Adds what changes where components of the base become the first `count` of others.
fn list_changes(base: &Written, components: Range<usize>, new: &Written, count: usize, out: &mut Vec<Write>) {
    for at in 0..components.len().max(count) {
        let number = components.start + at;
        let old = base.component(number).filter(|_| number < components.end);
        list_writes(key(number), old, new.component(at).filter(|_| at < count), out);
    }
}

/// Adds what changes from one component to another.
fn list_writes(key: Key, old: Option<&[u64]>, new: Option<&[u64]>, out: &mut Vec<Write>) {
    let write = |word, bits| Write { key, word, mask: u64::MAX, bits, copied: 0, shift: 0 };
    let length = |words: Option<&[u64]>| words.map_or(0, |words| words.len() as u64 + 1);
    let (before, after) = (length(old), length(new));
    if before < after {
        out.push(write(Write::LENGTH, after));
    }
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    for at in 0..old.len().max(new.len()) {
        let [old, new] = [old, new].map(|words| words.get(at).copied().unwrap_or(0));
        if old != new {
            out.push(write(at as u32, new));
        }
    }
    if after < before {
        out.push(write(Write::LENGTH, after));
    }
}
