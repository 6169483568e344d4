//! Values from the words that were written.

use std::any::TypeId;

use crate::Shape;
use crate::collections::Entries;
use crate::known::Dictionary;
use crate::shape::{ENTRY, SMALL, read_entries, read_entry};
use crate::sorts::{Index, Sorts};
use crate::words::{Written, is_cut, set_bits, table};

/// Where a value is read again over another one.
struct Before<'a> {
    base: &'a Written,
    words: &'a [u64],
    cuts: &'a [u32],
    /// The fields of the value that is being read, as they are met.
    fields: &'a mut Vec<u32>,
    /// The component at which the reader is, or one before it.
    component: usize,
}

impl Before<'_> {
    /// The component that begins at a word.
    fn component_at(&mut self, word: usize) -> usize {
        while self.cuts.get(self.component).is_some_and(|&cut| (cut as usize) < word) {
            self.component += 1;
        }
        self.component
    }

    /// If the words from `word` on are those of components of the base, from the first to before the second: the word
    /// after them.
    fn same(&self, word: usize, from: usize, to: usize) -> Option<usize> {
        let old = &self.base.words()[self.base.start(from)..self.base.start(to)];
        let end = word + old.len();
        (self.words.get(word..end)? == old).then_some(end)
    }

    /// A field begins at `word`. If it is as in the base: the word after it.
    fn same_field(&mut self, word: usize) -> Option<usize> {
        let (number, component) = (self.fields.len(), self.component_at(word));
        self.fields.push(component as u32);
        let from = *self.base.fields.get(number)? as usize;
        self.same(word, from, self.base.first_of(number + 1))
    }

    /// A row of the last field begins at `word`. If it is as in the base: the word after it.
    fn same_row(&self, row: usize, word: usize) -> Option<usize> {
        let field = self.fields.len().checked_sub(1)?;
        // Each row is a component, after the one with their number.
        let component = *self.base.fields.get(field)? as usize + 1 + row;
        (component < self.base.first_of(field + 1)).then(|| self.same(word, component, component + 1))?
    }
}

/// Reads values from the words that were written.
///
/// ```
/// // For types that cannot derive their shape.
/// use std::cmp::Ordering;
/// use quotient_model::{Reader, Shape, Sorts, Term, Visit};
/// #[derive(Clone, Debug, PartialEq)]
/// struct Even(u8);
/// impl Shape for Even {
///     const SORTED: bool = false;
///     fn sorts(_: &mut Sorts) {}
///     fn walk<V: Visit>(&self, to: &mut V) { to.bits(u64::from(self.0 / 2), 7); }
///     fn read(from: &mut Reader<'_>) -> Self { Self(2 * from.bits(7) as u8) }
///     fn term(&self) -> Term { Term::Number(self.0.into()) }
///     fn order(&self, other: &Self) -> Ordering { self.0.cmp(&other.0) }
/// }
/// assert_eq!(Even(4).term().json(), "4");
/// ```
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

    /// Reads an entry that was written by itself.
    pub(crate) fn of_entry(sorts: &'a Sorts, words: &'a [u64]) -> Self {
        Self { depth: ENTRY, ..Self::new(sorts, words) }
    }

    /// Reads a value with entries that were written by their numbers.
    pub(crate) fn with_numbers(self, known: &'a Dictionary) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Reads what was written over the value whose components are those of `base`.
    pub(crate) fn again(sorts: &'a Sorts, base: &'a Written, new: &'a mut Written) -> Self {
        let (words, cuts, fields) = new.parts();
        Self { before: Some(Before { base, words, cuts, fields, component: 0 }), ..Self::new(sorts, words) }
    }

    /// Reads a field of a struct again.
    #[doc(hidden)]
    pub fn field<T: Shape>(&mut self, value: &mut T) {
        self.cut();
        let (depth, word) = (self.depth, self.at / 64);
        let Some(before) = self.before.as_mut().filter(|_| depth == 1) else {
            return *value = T::read(self);
        };
        match before.same_field(word) {
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
        // As many rows as before are read over them.
        let mut others = (count != rows.len()).then(|| Vec::with_capacity(count));
        for at in 0..count {
            self.cut();
            let word = self.at / 64;
            let same = self.before.as_ref().and_then(|before| before.same_row(at, word));
            if let Some(end) = same.filter(|_| at < rows.len()) {
                self.at = end * 64;
                if let Some(others) = &mut others {
                    others.push(rows[at].clone());
                }
                continue;
            }
            self.begin(ENTRY);
            let row = <(K, T)>::read(self);
            self.end(ENTRY);
            match &mut others {
                Some(others) => others.push(row),
                None => rows.to_mut()[at] = row,
            }
        }
        if let Some(others) = others {
            *rows = others.into();
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
        T::read(&mut Reader::of_entry(self.sorts, &[bits]))
    }

    /// See [`Visit::begin`].
    #[doc(hidden)]
    pub fn begin(&mut self, depth: u32) {
        self.depth += depth;
    }

    /// See [`Visit::end`].
    #[doc(hidden)]
    pub fn end(&mut self, depth: u32) {
        self.depth -= depth;
    }

    /// See [`Visit::cut`].
    #[doc(hidden)]
    pub fn cut(&mut self) {
        if is_cut(self.depth) {
            self.at = self.at.next_multiple_of(64);
        }
    }

    /// See [`Visit::bits`](crate::Visit::bits).
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

    /// See [`Visit::count`](crate::Visit::count).
    pub fn count(&mut self) -> usize {
        match self.bits(8) as usize {
            SMALL => self.bits(64) as usize,
            count => count,
        }
    }

    /// See [`Visit::id`](crate::Visit::id).
    pub fn id(&mut self, sort: TypeId) -> Index {
        match self.sorts.all[self.sorts.number(sort)].bits() {
            Some(width) => Index(self.bits(width) as u32),
            None => Index(self.count() as u32),
        }
    }
}
