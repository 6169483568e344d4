//! Values as words, and back.
//!
//! Bits are written one after the other. Where a [cut](Visit::cut) is at depth 1 or 2, that is between the fields
//! of the outermost struct and of structs that are such fields, and between the entries of collections in such a
//! field, a new component begins at a new word: states that follow each other share most components. Entries of a
//! collection are deeper, so that nothing inside of them is ever aligned: entries may be written in any order
//! and moved.
//!
//! Small unordered collections are tables, in which each entry has its place whatever the others are:
//!
//! | what                                                 | as                                                 |
//! |------------------------------------------------------|----------------------------------------------------|
//! | a set whose elements have at most 6 bits             | a bit for each possible element                    |
//! | rows under individuals, if all possible ones fit     | by name: a bit that says that the row is there,    |
//! | in a word                                            | and the value                                      |
//!
//! A state follows another one that differs little, so what did not change is neither written nor read again:
//! fields of the outermost struct, and rows under individuals in them. A field is known to be the same
//! where values are written, and its words are where they are read.

use std::any::TypeId;

use system::{Encoding, Key, Moment, Section};

use crate::collections::Entries;
use crate::known::{Dictionary, Known, MOST};
use crate::shape::{ENTRY, SMALL, read_entries, read_entry};
use crate::sorts::Size;
use crate::{Index, Shape, Sorts, Visit};

/// New numbers of individuals, by sort and number. Individuals that are not listed keep their number.
pub(crate) type Names = Vec<Vec<u32>>;

/// Whether a component begins at a cut at this depth.
const fn is_cut(depth: u32) -> bool {
    matches!(depth, 1 | 2)
}

/// The bits of a set of `T`, if it is a table: one for each possible element.
#[inline]
fn set_bits<T: Shape>(sorts: &Sorts) -> Option<u32> {
    T::most_bits(sorts).filter(|bits| *bits <= 6).map(|bits| 1 << bits)
}

/// The number of rows under individuals `K`, and the bits of each, if they are a table.
#[inline]
fn table<K: Shape, T: Shape>(sorts: &Sorts) -> Option<(u32, u32)> {
    let Size::Given(count) = sorts.all[sorts.find(TypeId::of::<K>())?].size else { return None };
    let bits = 1 + T::most_bits(sorts)?;
    (count.checked_mul(bits)? <= u64::BITS && bits < u64::BITS).then_some((count, bits))
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
    /// Where it is given, entries of unordered collections in fields are written by their numbers.
    known: Option<&'a mut Dictionary>,
    scratch: &'a mut Scratch,
    depth: u32,
}

impl<'a> Writer<'a> {
    pub fn new(sorts: &'a Sorts, names: Option<&'a Names>, scratch: &'a mut Scratch) -> Self {
        scratch.new.clear();
        scratch.kept.clear();
        Self { sorts, names, reachable: None, known: None, scratch, depth: 0 }
    }

    /// Writes entries of unordered collections by their numbers.
    pub fn with_numbers(self, known: &'a mut Dictionary) -> Self {
        Self { known: Some(known), ..self }
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

    #[inline]
    fn name(&self, sort: usize, index: Index) -> u32 {
        let name = self.names.and_then(|names| names[sort].get(index.0 as usize));
        name.copied().unwrap_or(index.0)
    }

    /// The bits of a value that has less than 64, so that they do not fill a word.
    #[inline]
    fn bits_of<T: Shape>(&mut self, value: &T) -> u64 {
        let out = &mut self.scratch.new.out;
        let before = (std::mem::take(&mut out.last), std::mem::take(&mut out.used));
        self.begin(ENTRY);
        value.walk(self);
        self.end(ENTRY);
        let out = &mut self.scratch.new.out;
        debug_assert!(out.used < u64::BITS);
        let bits = out.last;
        (out.last, out.used) = before;
        bits
    }

    /// The first component of the field that is being written, if that is where it was before.
    fn same_place(&self) -> Option<usize> {
        let Scratch { new, old, .. } = &*self.scratch;
        let number = new.fields.len().checked_sub(1)?;
        (old.fields.get(number) == Some(&new.fields[number])).then(|| new.fields[number] as usize)
    }

    /// Copies components of the last value to where they were there.
    fn keep(&mut self, from: usize, to: usize) {
        let Scratch { new, old, kept, .. } = &mut *self.scratch;
        let word = |cut: usize| old.cuts.get(cut).map_or(old.out.full.len(), |word| *word as usize);
        let (first, shift) = (word(from), new.out.full.len() as u32);
        new.out.full.extend_from_slice(&old.out.full[first..word(to)]);
        new.cuts.extend(old.cuts[from..to].iter().map(|&cut| cut - first as u32 + shift));
        kept.push((from as u32, to as u32));
    }

    #[inline]
    fn put_name(&mut self, name: u32, width: Option<u32>) {
        match width {
            Some(width) => self.scratch.new.out.put(name.into(), width),
            None => self.count(name as usize),
        }
    }

    fn entry(&mut self, write: impl FnOnce(&mut Self)) {
        self.cut();
        self.begin(ENTRY);
        write(self);
        self.end(ENTRY);
    }

    /// Writes an entry by itself.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> Words {
        let part = self.scratch.spare_parts.pop().unwrap_or_default();
        let outer = std::mem::replace(&mut self.scratch.new.out, part);
        self.begin(ENTRY);
        write(self);
        self.end(ENTRY);
        std::mem::replace(&mut self.scratch.new.out, outer)
    }

    /// Writes entries by themselves and puts them in the order of their words.
    fn sorted<T>(&mut self, entries: &[T], mut write: impl FnMut(&T, &mut Self)) {
        let mut parts = self.scratch.spare_lists.pop().unwrap_or_default();
        for entry in entries {
            parts.push(self.apart(|writer| write(entry, writer)));
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

    /// Writes entries by themselves.
    fn listed<T: Shape>(&mut self, entries: &[T]) {
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

    /// Writes a bit for each entry that has a number, and the others by themselves.
    fn numbered<T: Shape>(&mut self, known: &mut Known<T>, entries: &[T]) {
        let (mut bits, mut words, mut others) = ([0; MOST / 64], 0, Vec::new());
        let mut show = |entry, number: Option<u32>| {
            let Some(number) = number else { return others.push(entry) };
            let word = number as usize / 64;
            bits[word] |= 1 << (number % 64);
            words = words.max(word + 1);
        };
        if T::SORTED && self.names.is_some() {
            // Under other names, they were other entries.
            for entry in entries {
                show(entry, self.number(known, entry));
            }
        } else {
            known.each(entries, |known, entry| self.number(known, entry), show);
        }
        self.count(words);
        self.count(others.len());
        for &word in &bits[..words] {
            self.cut();
            self.scratch.new.out.put(word, 64);
        }
        self.sorted(&others, |entry, writer| entry.walk(writer));
    }

    fn number<T: Shape>(&mut self, known: &mut Known<T>, entry: &T) -> Option<u32> {
        let mut part = self.apart(|writer| entry.walk(writer));
        part.align();
        let read = || T::read(&mut Reader { depth: ENTRY, ..Reader::new(self.sorts, &part.full) });
        let number = known.number(&part.full, read);
        part.clear();
        self.scratch.spare_parts.push(part);
        number
    }

    /// Writes individuals in the order of their names.
    fn sorted_names<T: Shape>(&mut self, entries: &[T]) {
        let mut names = self.scratch.spare_names.pop().unwrap_or_default();
        let mut bits = None;
        for entry in entries {
            let (sort, index) = entry.individual().expect("the entries are individuals");
            let sort = self.sorts.number(sort);
            bits = self.sorts.all[sort].bits();
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
        self.put_name(name, self.sorts.all[sort].bits());
    }

    fn unordered<T: Shape>(&mut self, entries: &[T]) {
        if let Some(bits) = set_bits::<T>(self.sorts) {
            let set = entries.iter().fold(0, |set, entry| set | 1 << self.bits_of(entry));
            return self.bits(set, bits);
        }
        if is_cut(self.depth)
            && let Some(dictionary) = self.known.take()
        {
            self.numbered(dictionary.of(), entries);
            self.known = Some(dictionary);
            return;
        }
        self.listed(entries);
    }

    fn pairs<K: Shape, T: Shape>(&mut self, rows: &[(K, T)]) {
        self.listed(rows);
    }

    fn rows<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], heap: bool) {
        if !heap && let Some((count, bits)) = table::<K, T>(self.sorts) {
            let sort = self.sorts.number(TypeId::of::<K>());
            let table = rows.iter().fold(0, |table, (key, value)| {
                let (_, index) = key.individual().expect("the keys are individuals");
                table | (1 | self.bits_of(value) << 1) << (self.name(sort, index) * bits)
            });
            return self.bits(table, count * bits);
        }
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

    fn rows_after<K: Shape, T: Shape>(&mut self, rows: &[(K, T)], last: &[(K, T)]) {
        let Some(first) = self.same_place().filter(|_| self.depth == 1 && self.names.is_none()) else {
            return self.rows(rows, false);
        };
        // A row without any bits is not a component.
        let has_bits = self.sorts.all[self.sorts.number(TypeId::of::<K>())].bits() != Some(0);
        if !has_bits || table::<K, T>(self.sorts).is_some() {
            return self.rows(rows, false);
        }
        self.count(rows.len());
        for (at, row) in rows.iter().enumerate() {
            self.scratch.new.out.align();
            // Each row is a component, after the one with their number.
            match last.get(at) {
                Some(last) if row.order(last).is_eq() => self.keep(first + 1 + at, first + 2 + at),
                _ => self.entry(|writer| row.walk(writer)),
            }
        }
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
        if is_cut(self.depth) {
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
        if self.depth > 1 {
            return value.walk(self);
        }
        let new = &mut self.scratch.new;
        let first = new.cuts.len() as u32 - 1;
        new.fields.push(first);
        let Some(last) = last.filter(|_| self.same_place().is_some()) else { return value.walk(self) };
        if value.order(last).is_ne() {
            return value.walk_after(Some(last), self);
        }
        // Its component began already.
        self.scratch.new.cuts.pop();
        let Written { fields, cuts, .. } = &self.scratch.old;
        let next = fields.get(self.scratch.new.fields.len()).map_or(cuts.len(), |next| *next as usize);
        self.keep(first as usize, next);
    }
}

/// Where the fields of the outermost struct and the rows in them began: the field, the row or 0 for the field
/// itself, and the word.
type Marks = Vec<(u32, u32, u32)>;

/// What was read last, for the next time.
#[derive(Default, Debug)]
pub(crate) struct Reading {
    words: Vec<u64>,
    marks: Marks,
    old_words: Vec<u64>,
    old_marks: Marks,
}

impl Reading {
    /// Reads `value` again, which must be what was read last.
    pub fn again<T: Shape>(&mut self, sorts: &Sorts, known: &Dictionary, from: &Encoding, value: &mut T) {
        std::mem::swap(&mut self.words, &mut self.old_words);
        std::mem::swap(&mut self.marks, &mut self.old_marks);
        self.marks.clear();
        self.fill(from);
        let Self { words, marks, old_words, old_marks } = self;
        let before = Before { words: old_words, marks: old_marks, next: 0, new: marks, field: 0 };
        let (before, known) = (Some(before), Some(known));
        value.read_again(&mut Reader { before, known, ..Reader::new(sorts, words) });
    }

    /// Reads a value.
    pub fn read<T: Shape>(&mut self, sorts: &Sorts, known: &Dictionary, from: &Encoding) -> T {
        self.marks.clear();
        self.fill(from);
        T::read(&mut Reader { known: Some(known), ..Reader::new(sorts, &self.words) })
    }

    fn fill(&mut self, from: &Encoding) {
        self.words.clear();
        for index in 0..from.width(Section::Root) {
            let words = from.get(Key { section: Section::Root, index });
            self.words.extend_from_slice(words.unwrap_or_default());
        }
    }
}

/// What was read before.
struct Before<'a> {
    words: &'a [u64],
    marks: &'a [(u32, u32, u32)],
    /// The marks before this one are of what was read again already.
    next: usize,
    new: &'a mut Marks,
    /// The number of the field that is being read, from 1.
    field: u32,
}

impl Before<'_> {
    /// Something begins at `word`. If its words are those of what was there before, the word after them.
    fn same(&mut self, row: u32, word: usize, words: &[u64]) -> Option<usize> {
        self.new.push((self.field, row, word as u32));
        let place = (self.field, row);
        while self.marks.get(self.next).is_some_and(|&(field, row, _)| (field, row) < place) {
            self.next += 1;
        }
        let &(field, row_before, start) = self.marks.get(self.next)?;
        if (field, row_before, start as usize) != (self.field, row, word) {
            return None;
        }
        // A field ends where the next one begins, a row where the next row or field does.
        let later = &self.marks[self.next + 1..];
        let after = later.iter().position(|&(field, ..)| row > 0 || field > place.0);
        let end = after.map_or(self.words.len(), |after| later[after].2 as usize);
        (words.get(word..end)? == &self.words[word..end]).then(|| {
            if row == 0 {
                let rows = after.map_or(later, |after| &later[..after]);
                self.new.extend_from_slice(rows);
            }
            end
        })
    }
}

/// Reads values from the words that were written.
pub struct Reader<'a> {
    sorts: &'a Sorts,
    words: &'a [u64],
    at: usize,
    depth: u32,
    before: Option<Before<'a>>,
    /// What entries were written by the numbers of.
    known: Option<&'a Dictionary>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(sorts: &'a Sorts, words: &'a [u64]) -> Self {
        Self { sorts, words, at: 0, depth: 0, before: None, known: None }
    }

    /// Reads a field of a struct again.
    #[doc(hidden)]
    pub fn field<T: Shape>(&mut self, value: &mut T) {
        self.cut();
        let (depth, word, words) = (self.depth, self.at / 64, self.words);
        let Some(before) = self.before.as_mut().filter(|_| depth == 1) else {
            return *value = T::read(self);
        };
        before.field += 1;
        match before.same(0, word, words) {
            Some(end) => self.at = end * 64,
            None => value.read_again(self),
        }
    }

    /// Reads the rows of a field again. Returns false, and reads nothing, if they are not read one by one.
    pub(crate) fn rows_again<K: Shape, T: Shape>(&mut self, rows: &mut Entries<(K, T)>) -> bool {
        if self.depth != 1 || self.before.is_none() || table::<K, T>(self.sorts).is_some() {
            return false;
        }
        let count = self.count();
        if rows.len() > count {
            rows.to_mut().truncate(count);
        }
        for at in 0..count {
            self.cut();
            let (word, words) = (self.at / 64, self.words);
            let same = self.before.as_mut().and_then(|before| before.same(at as u32 + 1, word, words));
            if let Some(end) = same.filter(|_| at < rows.len()) {
                self.at = end * 64;
                continue;
            }
            self.begin(ENTRY);
            let row = <(K, T)>::read(self);
            self.end(ENTRY);
            match rows.to_mut() {
                rows if at < rows.len() => rows[at] = row,
                rows => rows.push(row),
            }
        }
        true
    }

    /// Reads the elements of an unordered collection, in any order.
    pub(crate) fn unordered<T: Shape>(&mut self) -> Vec<T> {
        let Some(bits) = set_bits::<T>(self.sorts) else {
            return match self.known.filter(|_| is_cut(self.depth)) {
                Some(dictionary) => self.numbered(dictionary),
                None => read_entries(self),
            };
        };
        let mut set = self.bits(bits);
        let mut elements = Vec::with_capacity(set.count_ones() as usize);
        while set > 0 {
            elements.push(self.value_of(set.trailing_zeros().into()));
            set &= set - 1;
        }
        elements
    }

    /// Reads entries that were written by their numbers.
    fn numbered<T: Shape>(&mut self, dictionary: &Dictionary) -> Vec<T> {
        let (words, others) = (self.count(), self.count());
        let mut entries = Vec::new();
        for first in (0..words).map(|word| word * 64) {
            self.cut();
            let mut bits = self.bits(64);
            let known = dictionary.get::<T>().map_or(&[][..], |known| &known.values);
            while bits > 0 {
                entries.push(known[first + bits.trailing_zeros() as usize].clone());
                bits &= bits - 1;
            }
        }
        for _ in 0..others {
            entries.push(read_entry(self));
        }
        entries
    }

    /// Reads rows under individuals, in any order.
    pub(crate) fn rows<K: Shape, T: Shape>(&mut self, heap: bool) -> Vec<(K, T)> {
        let Some((count, bits)) = table::<K, T>(self.sorts).filter(|_| !heap) else {
            return read_entries(self);
        };
        let table = self.bits(count * bits);
        let row = |name: u32| table >> (name * bits) & u64::MAX >> (u64::BITS - bits);
        let names = (0..count).filter(|&name| row(name) & 1 == 1);
        names.map(|name| (self.value_of(name.into()), self.value_of(row(name) >> 1))).collect()
    }

    /// The value with these bits.
    fn value_of<T: Shape>(&self, bits: u64) -> T {
        T::read(&mut Reader { depth: ENTRY, ..Reader::new(self.sorts, &[bits]) })
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
        if is_cut(self.depth) {
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
        match self.sorts.all[self.sorts.number(sort)].bits() {
            Some(width) => Index(self.bits(width) as u32),
            None => Index(self.count() as u32),
        }
    }
}

/// The words of a value as it is. They are written in `scratch`.
pub(crate) fn plain<'a, T: Shape>(sorts: &'a Sorts, value: &T, scratch: &'a mut Scratch) -> &'a [u64] {
    let mut writer = Writer::new(sorts, None, scratch);
    value.walk(&mut writer);
    writer.finish()
}

/// The value with other numbers of individuals.
pub(crate) fn renamed<T: Shape>(sorts: &Sorts, names: &Names, value: &T) -> T {
    let mut scratch = Scratch::default();
    let mut writer = Writer::new(sorts, Some(names), &mut scratch);
    value.walk(&mut writer);
    T::read(&mut Reader::new(sorts, writer.finish()))
}
