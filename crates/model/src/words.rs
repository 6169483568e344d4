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
//! What a value has in common with the value before it is not written again: see [`crate::base`].

use std::any::TypeId;

use system::{Encoding, Key, Section};

use crate::known::{Dictionary, Known, MOST};
use crate::reader::Reader;
use crate::shape::ENTRY;
use crate::sorts::Size;
use crate::{Index, Shape, Sorts, Visit};

/// New numbers of individuals, by sort and number. Individuals that are not listed keep their number.
pub(crate) type Names = Vec<Vec<u32>>;

/// Whether a component begins at a cut at this depth.
pub(crate) const fn is_cut(depth: u32) -> bool {
    matches!(depth, 1 | 2)
}

/// The bits of a set of `T`, if it is a table: one for each possible element.
#[inline]
pub(crate) fn set_bits<T: Shape>(sorts: &Sorts) -> Option<u32> {
    T::most_bits(sorts).filter(|bits| *bits <= 6).map(|bits| 1 << bits)
}

/// The number of rows under individuals `K`, and the bits of each, if they are a table.
#[inline]
pub(crate) fn table<K: Shape, T: Shape>(sorts: &Sorts) -> Option<(u32, u32)> {
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

/// The memory of a writer.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    pub new: Written,
    /// The components, from the first to before the second, that are those of the base.
    kept: Vec<(u32, u32)>,
    spare_parts: Vec<Words>,
    spare_lists: Vec<Vec<Words>>,
    spare_names: Vec<Vec<(u32, u32)>>,
}

/// A value as components.
#[derive(Default, Debug)]
pub(crate) struct Written {
    out: Words,
    /// The words at which components begin.
    pub cuts: Vec<u32>,
    /// By field of the outermost struct: the number of components before it.
    pub fields: Vec<u32>,
}

impl Scratch {
    /// Ends a value.
    fn end(&mut self) {
        let Written { out, cuts, .. } = &mut self.new;
        out.align();
        // The first component begins at the first word, and an empty value is one component.
        if cuts.first() != Some(&0) {
            cuts.insert(0, 0);
        }
    }
}

impl Written {
    fn clear(&mut self) {
        self.out.clear();
        self.cuts.clear();
        self.fields.clear();
    }

    /// The words of all components, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.out.full
    }

    /// The word at which a component begins, or the last one ends.
    #[inline]
    pub fn start(&self, component: usize) -> usize {
        self.cuts.get(component).map_or(self.out.full.len(), |word| *word as usize)
    }

    /// The component at which a field begins, or the last one ends.
    #[inline]
    pub fn first_of(&self, field: usize) -> usize {
        self.fields.get(field).map_or(self.cuts.len(), |component| *component as usize)
    }

    /// The words of all components, where each begins, and the fields.
    pub fn parts(&mut self) -> (&[u64], &[u32], &mut Vec<u32>) {
        (&self.out.full, &self.cuts, &mut self.fields)
    }

    /// The words of a component, if there is one.
    #[inline]
    pub fn component(&self, component: usize) -> Option<&[u64]> {
        (component < self.cuts.len())
            .then(|| &self.out.full[self.start(component)..self.start(component + 1)])
    }

    /// Takes the components of an encoding. Nothing is known of fields.
    pub fn take(&mut self, from: &Encoding) {
        self.clear();
        for words in from.section(Section::Root) {
            self.cuts.push(self.out.full.len() as u32);
            self.out.full.extend_from_slice(words.unwrap_or_default());
        }
    }
}

/// The key of a component.
pub(crate) const fn key(component: usize) -> Key {
    Key { section: Section::Root, index: component as u32 }
}

/// The name of an individual.
#[inline]
fn name(names: Option<&Names>, sort: usize, index: Index) -> u32 {
    let name = names.and_then(|names| names[sort].get(index.0 as usize));
    name.copied().unwrap_or(index.0)
}

/// Writes values of less than 64 bits, which consist of bits and individuals of sorts with a size only: see
/// [`Shape::most_bits`].
struct Bits<'a> {
    sorts: &'a Sorts,
    names: Option<&'a Names>,
    value: u64,
    used: u32,
}

impl Visit for Bits<'_> {
    #[inline]
    fn bits(&mut self, value: u64, width: u32) {
        self.value |= value << self.used;
        self.used += width;
        debug_assert!(self.used < u64::BITS);
    }

    #[inline]
    fn id(&mut self, sort: TypeId, index: Index) {
        let sort = self.sorts.number(sort);
        let width = self.sorts.all[sort].bits().expect("the sort has a size");
        self.bits(name(self.names, sort, index).into(), width);
    }

    fn unordered<T: Shape>(&mut self, _: &[T]) {
        unreachable!("collections have any number of bits");
    }

    fn rows<K: Shape, T: Shape>(&mut self, _: &[(K, T)], _: bool) {
        unreachable!("collections have any number of bits");
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
    /// The value before, parts of which are kept.
    base: Option<&'a Written>,
    depth: u32,
}

impl<'a> Writer<'a> {
    pub fn new(sorts: &'a Sorts, names: Option<&'a Names>, scratch: &'a mut Scratch) -> Self {
        scratch.new.clear();
        scratch.kept.clear();
        Self { sorts, names, reachable: None, known: None, scratch, base: None, depth: 0 }
    }

    /// Keeps the parts of another value that did not change.
    pub fn after(self, base: &'a Written) -> Self {
        Self { base: Some(base), ..self }
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

    /// Writes the components into an encoding, which has those of the base.
    pub fn store(self, into: &mut Encoding) {
        self.scratch.end();
        let Scratch { new, kept, .. } = self.scratch;
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
            into.set(key(index), new.component(index).unwrap_or_default());
            index += 1;
        }
        for index in (count..into.width(Section::Root) as usize).rev() {
            into.remove(key(index));
        }
    }

    /// Begins another value.
    pub fn restart(&mut self) {
        self.scratch.new.clear();
        self.depth = 0;
    }

    /// How deep the writer is in the value.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The components that were written.
    pub fn written(&mut self) -> &Written {
        self.scratch.end();
        &self.scratch.new
    }

    /// The bits of a value that has less than 64, all in a table.
    #[inline]
    fn bits_of<T: Shape>(&self, value: &T) -> u64 {
        let mut bits = Bits { sorts: self.sorts, names: self.names, value: 0, used: 0 };
        value.walk(&mut bits);
        bits.value
    }

    /// The first component of the field that is being written, if that is where it was in the base.
    fn same_place(&self) -> Option<usize> {
        let fields = &self.scratch.new.fields;
        let number = fields.len().checked_sub(1)?;
        (self.base?.fields.get(number) == Some(&fields[number])).then(|| fields[number] as usize)
    }

    /// Keeps components of the base, from the first to before the second.
    fn keep(&mut self, from: usize, to: usize) {
        let Some(base) = self.base else { return };
        let Scratch { new, kept, .. } = &mut *self.scratch;
        let (first, shift) = (base.start(from), new.out.full.len() as u32);
        new.out.full.extend_from_slice(&base.words()[first..base.start(to)]);
        new.cuts.extend(base.cuts[from..to].iter().map(|&cut| cut - first as u32 + shift));
        kept.push((from as u32, to as u32));
    }

    #[inline]
    fn put_name(&mut self, name: u32, width: Option<u32>) {
        match width {
            Some(width) => self.scratch.new.out.put(name.into(), width),
            None => self.count(name as usize),
        }
    }

    pub fn entry(&mut self, write: impl FnOnce(&mut Self)) {
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
        let read = || T::read(&mut Reader::of_entry(self.sorts, &part.full));
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
            names.push((name(self.names, sort, index), 0));
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
        let name = name(self.names, sort, index);
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
                table | (1 | self.bits_of(value) << 1) << (name(self.names, sort, index) * bits)
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
            by_name.push((name(self.names, sort, index), at));
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
        let next = self.base.map_or(0, |base| base.first_of(self.scratch.new.fields.len()));
        self.keep(first as usize, next);
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
