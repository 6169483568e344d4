//! Values as words, and back.
//!
//! Bits are written one after the other. Where a [cut](Visit::cut) is at depth 1, that is between the fields
//! of the outermost struct and between the entries of collections in such a field, a new component begins at
//! a new word: states that follow each other share most components. Entries of a collection are at least two
//! levels deep, so that nothing inside of them is ever aligned: entries may be written in any order and moved.

use std::any::TypeId;

use system::{Encoding, Key, Section};

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
#[derive(Clone, Default, Debug)]
pub(crate) struct Words {
    words: Vec<u64>,
    length: usize,
}

impl Words {
    fn put(&mut self, value: u64, width: u32) {
        if width == 0 {
            return;
        }
        let (at, offset) = (self.length / 64, (self.length % 64) as u32);
        self.length += width as usize;
        self.words.resize(self.length.div_ceil(64), 0);
        self.words[at] |= value << offset;
        if offset + width > 64 {
            self.words[at + 1] |= value >> (64 - offset);
        }
    }

    fn append(&mut self, other: &Self) {
        let mut left = other.length;
        for &word in &other.words {
            let width = left.min(64);
            self.put(word, width as u32);
            left -= width;
        }
    }
}

/// Writes values.
pub(crate) struct Writer<'a> {
    sorts: &'a Sorts,
    names: Option<&'a Names>,
    /// By sort and number: the objects that are reachable. Others are left out.
    reachable: Option<&'a [Vec<bool>]>,
    out: Words,
    depth: u32,
    cuts: Vec<usize>,
}

impl<'a> Writer<'a> {
    pub fn new(sorts: &'a Sorts, names: Option<&'a Names>) -> Self {
        Self { sorts, names, reachable: None, out: Words::default(), depth: 0, cuts: Vec::new() }
    }

    /// Leaves out the objects of heaps that are not reachable.
    pub fn without_garbage(sorts: &'a Sorts, reachable: &'a [Vec<bool>]) -> Self {
        Self { reachable: Some(reachable), ..Self::new(sorts, None) }
    }

    pub fn into_words(self) -> Vec<u64> {
        self.out.words
    }

    /// Writes the components into an encoding.
    pub fn store(mut self, into: &mut Encoding) {
        self.cuts.retain(|&cut| cut > 0 && cut < self.out.words.len());
        self.cuts.push(self.out.words.len());
        let mut start = 0;
        for (index, &end) in self.cuts.iter().enumerate() {
            into.set(Key { section: Section::Root, index: index as u32 }, &self.out.words[start..end]);
            start = end;
        }
        for index in (self.cuts.len() as u32..into.width(Section::Root)).rev() {
            into.remove(Key { section: Section::Root, index });
        }
    }

    fn name(&self, sort: usize, index: Index) -> u32 {
        let name = self.names.and_then(|names| names[sort].get(index.0 as usize));
        name.copied().unwrap_or(index.0)
    }

    fn entry(&mut self, write: impl FnOnce(&mut Self)) {
        self.cut();
        self.begin(2);
        write(self);
        self.end(2);
    }

    /// Writes entries by themselves and puts them in the order of their words.
    fn sorted<T>(&mut self, entries: &[T], mut write: impl FnMut(&T, &mut Self)) {
        let mut parts: Vec<Words> = entries
            .iter()
            .map(|entry| {
                let outer = std::mem::take(&mut self.out);
                self.begin(2);
                write(entry, self);
                self.end(2);
                std::mem::replace(&mut self.out, outer)
            })
            .collect();
        parts.sort_by(|a, b| (a.length, &a.words).cmp(&(b.length, &b.words)));
        for part in &parts {
            self.cut();
            self.out.append(part);
        }
    }
}

impl Visit for Writer<'_> {
    fn bits(&mut self, value: u64, width: u32) {
        debug_assert!(width == 64 || value >> width == 0);
        self.out.put(value, width);
    }

    fn id(&mut self, sort: TypeId, index: Index) {
        let sort = self.sorts.number(sort);
        let name = self.name(sort, index);
        match width(self.sorts, sort) {
            Some(width) => self.out.put(name.into(), width),
            None => self.count(name as usize),
        }
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        self.count(entries.len());
        if T::SORTED && self.names.is_some() {
            self.sorted(entries, T::walk);
        } else {
            for entry in entries {
                self.entry(|writer| entry.walk(writer));
            }
        }
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool) {
        let mut by_name = Vec::with_capacity(rows.len());
        for row in rows {
            let (sort, index) = row.0.individual().expect("the keys are individuals");
            let sort = self.sorts.number(sort);
            if let Some(reachable) = self.reachable
                && heap
                && !reachable[sort].get(index.0 as usize).is_some_and(|is_reachable| *is_reachable)
            {
                continue;
            }
            by_name.push((self.name(sort, index), row));
        }
        by_name.sort_by_key(|&(name, _)| name);
        self.count(by_name.len());
        for (_, row) in by_name {
            self.entry(|writer| row.walk(writer));
        }
    }

    fn begin(&mut self, depth: u32) {
        self.depth += depth;
    }

    fn end(&mut self, depth: u32) {
        self.depth -= depth;
    }

    fn cut(&mut self) {
        if self.depth == 1 {
            self.out.length = self.out.words.len() * 64;
            if self.cuts.last() != Some(&self.out.words.len()) {
                self.cuts.push(self.out.words.len());
            }
        }
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
    let mut writer = Writer::new(sorts, None);
    value.walk(&mut writer);
    writer.into_words()
}

/// The value with other numbers of individuals.
pub(crate) fn renamed<T: Shape>(sorts: &Sorts, names: &Names, value: &T) -> T {
    let mut writer = Writer::new(sorts, Some(names));
    value.walk(&mut writer);
    T::read(&mut Reader::new(sorts, &writer.into_words()))
}
