//! Values as words, and back.
//!
//! Bits are written one after the other. Where a [cut](Visit::cut) is at depth 1, that is between the fields
//! of the outermost struct and between the entries of collections in such a field, a new component begins at
//! a new word: states that follow each other share most components. Entries of a collection are at least two
//! levels deep, so that nothing inside of them is ever aligned: entries may be written in any order and moved.

use std::any::TypeId;

use system::{Encoding, Key, Moment, Section};

use crate::shape::SMALL;
use crate::sorts::Size;
use crate::{Index, Shape, Sorts, Visit};

/// New numbers of individuals, by sort and number. Individuals that are not listed keep their number.
pub(crate) type Names = Vec<Vec<u32>>;

fn width(sorts: &Sorts, sort: usize) -> Option<u32> {
    match sorts.all[sort].size {
        Size::Given(count) => Some(u32::BITS - count.saturating_sub(1).leading_zeros()),
        Size::Open | Size::Unknown => None,
    }
}

/// Words under construction.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Words {
    full: Vec<u64>,
    /// The bits after them.
    last: u64,
    used: u32,
}

impl Words {
    #[inline]
    fn put(&mut self, value: u64, width: u32) {
        self.last |= value << self.used;
        self.used += width;
        if self.used >= 64 {
            self.full.push(self.last);
            self.used -= 64;
            self.last = if self.used == 0 { 0 } else { value >> (width - self.used) };
        }
    }

    fn append(&mut self, other: &Self) {
        for &word in &other.full {
            self.put(word, 64);
        }
        self.put(other.last, other.used);
    }

    /// Goes on at the next word.
    fn align(&mut self) {
        if self.used > 0 {
            self.full.push(self.last);
            (self.last, self.used) = (0, 0);
        }
    }

    fn clear(&mut self) {
        self.full.clear();
        (self.last, self.used) = (0, 0);
    }
}

/// The memory of a writer, and what it wrote last.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    new: Written,
    old: Written,
    /// The components, from the first to before the second, that are as they were stored last.
    kept: Vec<(u32, u32)>,
    /// When the last value was stored: if nothing else was written since, its parts are still there.
    moment: Option<Moment>,
    spare_parts: Vec<Words>,
    spare_lists: Vec<Vec<Words>>,
    spare_names: Vec<Vec<(u32, u32)>>,
}

/// A value as components.
#[derive(Default, Debug)]
struct Written {
    out: Words,
    /// The words at which components begin.
    cuts: Vec<u32>,
    /// By field of the outermost struct: the number of components before it.
    fields: Vec<u32>,
}

impl Written {
    fn clear(&mut self) {
        self.out.clear();
        self.cuts.clear();
        self.fields.clear();
    }
}

/// Writes values.
pub(crate) struct Writer<'a> {
    sorts: &'a Sorts,
    names: Option<&'a Names>,
    /// By sort and number: the objects that are reachable. Others are left out.
    reachable: Option<&'a [Vec<bool>]>,
    scratch: &'a mut Scratch,
    depth: u32,
}

impl<'a> Writer<'a> {
    pub fn new(sorts: &'a Sorts, names: Option<&'a Names>, scratch: &'a mut Scratch) -> Self {
        scratch.new.clear();
        scratch.kept.clear();
        Self { sorts, names, reachable: None, scratch, depth: 0 }
    }

    /// Leaves out the objects of heaps that are not reachable.
    pub fn without_garbage(sorts: &'a Sorts, reachable: &'a [Vec<bool>], scratch: &'a mut Scratch) -> Self {
        Self { reachable: Some(reachable), ..Self::new(sorts, None, scratch) }
    }

    /// The words.
    pub fn finish(self) -> &'a [u64] {
        self.scratch.new.out.align();
        &self.scratch.new.out.full
    }

    /// Whether `into` still has what was stored last, so that fields that are equal need not be written.
    pub fn is_base(scratch: &Scratch, into: &Encoding) -> bool {
        scratch.moment == Some(into.now())
    }

    /// Writes the components into an encoding.
    pub fn store(self, into: &mut Encoding) {
        let Scratch { new, old, moment, kept, .. } = self.scratch;
        new.out.align();
        let end = new.out.full.len() as u32;
        // The first component begins at the first word, and an empty value is one component.
        if new.cuts.first() != Some(&0) {
            new.cuts.insert(0, 0);
        }
        let count = new.cuts.len();
        let mut kept = kept.iter().peekable();
        let mut index = 0;
        while index < count {
            if let Some((from, to)) = kept.peek()
                && *from as usize == index
            {
                index = *to as usize;
                kept.next();
                continue;
            }
            let start = new.cuts[index];
            let end = new.cuts.get(index + 1).copied().unwrap_or(end);
            let key = Key { section: Section::Root, index: index as u32 };
            into.set(key, &new.out.full[start as usize..end as usize]);
            index += 1;
        }
        for index in (count as u32..into.width(Section::Root)).rev() {
            into.remove(Key { section: Section::Root, index });
        }
        *moment = Some(into.now());
        std::mem::swap(new, old);
    }

    fn name(&self, sort: usize, index: Index) -> u32 {
        let name = self.names.and_then(|names| names[sort].get(index.0 as usize));
        name.copied().unwrap_or(index.0)
    }

    fn put_name(&mut self, name: u32, width: Option<u32>) {
        match width {
            Some(width) => self.scratch.new.out.put(name.into(), width),
            None => self.count(name as usize),
        }
    }

    fn entry(&mut self, write: impl FnOnce(&mut Self)) {
        self.cut();
        self.begin(2);
        write(self);
        self.end(2);
    }

    /// Writes entries by themselves and puts them in the order of their words.
    fn sorted<T>(&mut self, entries: &[T], mut write: impl FnMut(&T, &mut Self)) {
        let mut parts = self.scratch.spare_lists.pop().unwrap_or_default();
        for entry in entries {
            let part = self.scratch.spare_parts.pop().unwrap_or_default();
            let outer = std::mem::replace(&mut self.scratch.new.out, part);
            self.begin(2);
            write(entry, self);
            self.end(2);
            parts.push(std::mem::replace(&mut self.scratch.new.out, outer));
        }
        parts.sort_unstable();
        for mut part in parts.drain(..) {
            self.cut();
            self.scratch.new.out.append(&part);
            part.clear();
            self.scratch.spare_parts.push(part);
        }
        self.scratch.spare_lists.push(parts);
    }

    /// Writes individuals in the order of their names.
    fn sorted_names<T: Shape>(&mut self, entries: &[T]) {
        let mut names = self.scratch.spare_names.pop().unwrap_or_default();
        let mut bits = None;
        for entry in entries {
            let (sort, index) = entry.individual().expect("the entries are individuals");
            let sort = self.sorts.number(sort);
            bits = width(self.sorts, sort);
            names.push((self.name(sort, index), 0));
        }
        names.sort_unstable();
        for &(name, _) in &names {
            self.cut();
            self.put_name(name, bits);
        }
        names.clear();
        self.scratch.spare_names.push(names);
    }
}

impl Visit for Writer<'_> {
    #[inline]
    fn bits(&mut self, value: u64, width: u32) {
        debug_assert!(width == 64 || value >> width == 0);
        self.scratch.new.out.put(value, width);
    }

    #[inline]
    fn id(&mut self, sort: TypeId, index: Index) {
        let sort = self.sorts.number(sort);
        let name = self.name(sort, index);
        self.put_name(name, width(self.sorts, sort));
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        self.count(entries.len());
        if !T::SORTED || self.names.is_none() {
            for entry in entries {
                self.entry(|writer| entry.walk(writer));
            }
        } else if T::IS_INDIVIDUAL {
            self.sorted_names(entries);
        } else {
            self.sorted(entries, T::walk);
        }
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool) {
        // Without names and garbage, rows are in order.
        if self.names.is_none() && self.reachable.is_none() {
            self.count(rows.len());
            for row in rows {
                self.entry(|writer| row.walk(writer));
            }
            return;
        }
        let mut by_name = self.scratch.spare_names.pop().unwrap_or_default();
        for (row, at) in rows.iter().zip(0..) {
            let (sort, index) = row.0.individual().expect("the keys are individuals");
            let sort = self.sorts.number(sort);
            if let Some(reachable) = self.reachable
                && heap
                && !reachable[sort].get(index.0 as usize).is_some_and(|is_reachable| *is_reachable)
            {
                continue;
            }
            by_name.push((self.name(sort, index), at));
        }
        by_name.sort_unstable();
        self.count(by_name.len());
        for &(_, at) in &by_name {
            self.entry(|writer| rows[at as usize].walk(writer));
        }
        by_name.clear();
        self.scratch.spare_names.push(by_name);
    }

    #[inline]
    fn begin(&mut self, depth: u32) {
        self.depth += depth;
    }

    #[inline]
    fn end(&mut self, depth: u32) {
        self.depth -= depth;
    }

    #[inline]
    fn cut(&mut self) {
        if self.depth == 1 {
            let Written { out, cuts, .. } = &mut self.scratch.new;
            out.align();
            let at = out.full.len() as u32;
            if cuts.last() != Some(&at) {
                cuts.push(at);
            }
        }
    }

    fn field<T: Shape>(&mut self, value: &T, last: Option<&T>) {
        self.cut();
        if self.depth == 1 {
            let Scratch { new, old, kept, .. } = &mut *self.scratch;
            let number = new.fields.len();
            let first = new.cuts.len() as u32 - 1;
            new.fields.push(first);
            if let Some(last) = last
                && old.fields.get(number) == Some(&first)
                && value.order(last).is_eq()
            {
                // The next field begins where it began before. The last one is written again.
                if let Some(&next) = old.fields.get(number + 1).filter(|next| **next > first) {
                    let (from, to) = (old.cuts[first as usize], old.cuts[next as usize]);
                    let shift = new.out.full.len() as u32;
                    new.out.full.extend_from_slice(&old.out.full[from as usize..to as usize]);
                    let inner = &old.cuts[first as usize + 1..next as usize];
                    new.cuts.extend(inner.iter().map(|&cut| cut - from + shift));
                    return kept.push((first, next));
                }
            }
        }
        value.walk(self);
    }
}

/// Reads values from the words that were written.
pub struct Reader<'a> {
    sorts: &'a Sorts,
    words: &'a [u64],
    at: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(sorts: &'a Sorts, words: &'a [u64]) -> Self {
        Self { sorts, words, at: 0, depth: 0 }
    }

    /// See [`Visit::begin`].
    pub fn begin(&mut self, depth: u32) {
        self.depth += depth;
    }

    /// See [`Visit::end`].
    pub fn end(&mut self, depth: u32) {
        self.depth -= depth;
    }

    /// See [`Visit::cut`].
    pub fn cut(&mut self) {
        if self.depth == 1 {
            self.at = self.at.next_multiple_of(64);
        }
    }

    /// See [`Visit::bits`].
    pub fn bits(&mut self, width: u32) -> u64 {
        if width == 0 {
            return 0;
        }
        let (at, offset) = (self.at / 64, (self.at % 64) as u32);
        self.at += width as usize;
        let mut value = self.words[at] >> offset;
        if offset + width > 64 {
            value |= self.words[at + 1] << (64 - offset);
        }
        value & u64::MAX >> (64 - width)
    }

    /// See [`Visit::count`].
    pub fn count(&mut self) -> usize {
        match self.bits(8) as usize {
            SMALL => self.bits(64) as usize,
            count => count,
        }
    }

    /// See [`Visit::id`].
    pub fn id(&mut self, sort: TypeId) -> Index {
        match width(self.sorts, self.sorts.number(sort)) {
            Some(width) => Index(self.bits(width) as u32),
            None => Index(self.count() as u32),
        }
    }
}

/// The words of a value as it is.
pub(crate) fn plain<T: Shape>(sorts: &Sorts, value: &T) -> Vec<u64> {
    let mut scratch = Scratch::default();
    let mut writer = Writer::new(sorts, None, &mut scratch);
    value.walk(&mut writer);
    writer.finish().to_vec()
}

/// The value with other numbers of individuals.
pub(crate) fn renamed<T: Shape>(sorts: &Sorts, names: &Names, value: &T) -> T {
    let mut scratch = Scratch::default();
    let mut writer = Writer::new(sorts, Some(names), &mut scratch);
    value.walk(&mut writer);
    T::read(&mut Reader::new(sorts, writer.finish()))
}
