//! Values of collections, as strings of words.
//!
//! An atom is one word: the value that a slot would hold, as a signed number. A collection is the number of
//! its entries and then the entries, in place: the elements of a set or sequence; the elements of a bag, each
//! with its multiplicity; the keys of a map, each with its value. A queue has its capacity first. Sets, bags
//! and maps keep their entries in ascending order of the words of their elements or keys, so that equal
//! values are equal words, whatever their history.

use std::cmp::Ordering;
use std::ops::Range;

use ir::{Id, Program, Type, TypeId};

use crate::Entity;

/// The kind of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TermKind {
    Data,
    Object,
    Thread,
    /// An element of this abstract enum.
    Abstract(u32),
    Set(TypeId),
    Bag(TypeId),
    Map(TypeId, TypeId),
    Seq(TypeId),
    Queue(TypeId),
}

/// The kinds of all types of a program.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    kinds: Vec<TermKind>,
    /// By type: whether its values can mention entities.
    names: Vec<bool>,
    /// By type: the number of words of an entry, if entries consist of atoms; otherwise 0.
    strides: Vec<usize>,
}

/// One entry of a collection, as ranges of its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The element or key.
    pub key: Range<usize>,
    /// The end of its multiplicity or value, which starts where the key ends.
    pub end: usize,
}

/// The words of an empty collection of any kind.
const EMPTY: [u64; 2] = [0, 0];

/// The order of elements.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().map(|&word| word as i64).cmp(b.iter().map(|&word| word as i64))
}

/// Sorts pairs of words by their first ones.
fn sort_pairs(words: &mut [u64]) {
    let (pairs, _) = words.as_chunks_mut::<2>();
    pairs.sort_unstable_by_key(|&[key, _]| key as i64);
}

impl Terms {
    pub fn new(program: &Program) -> Self {
        let kinds: Vec<TermKind> = program
            .types
            .iter()
            .map(|(_, ty)| match ty {
                // Collections hold no pointers.
                Type::Bool | Type::Int(_) | Type::Enum(_) | Type::String | Type::Pointer | Type::Null => {
                    TermKind::Data
                }
                Type::Tid => TermKind::Thread,
                Type::Record(_) | Type::Array(_) | Type::Lock | Type::Channel => TermKind::Object,
                Type::Abstract(id) => TermKind::Abstract(id.0),
                Type::Set(element) => TermKind::Set(element),
                Type::Bag(element) => TermKind::Bag(element),
                Type::Map(key, value) => TermKind::Map(key, value),
                Type::Seq(element) => TermKind::Seq(element),
                Type::Queue(element) => TermKind::Queue(element),
            })
            .collect();
        let mut terms = Self { names: vec![false; kinds.len()], strides: vec![0; kinds.len()], kinds };
        for index in 0..terms.kinds.len() {
            terms.names[index] = terms.mentions(TypeId::from_index(index));
            terms.strides[index] = match terms.kinds[index] {
                TermKind::Set(of) | TermKind::Seq(of) | TermKind::Queue(of) if terms.is_atom(of) => 1,
                TermKind::Bag(of) if terms.is_atom(of) => 2,
                TermKind::Map(key, value) if terms.is_atom(key) && terms.is_atom(value) => 2,
                _ => 0,
            };
        }
        terms
    }

    fn mentions(&self, ty: TypeId) -> bool {
        match self.kind(ty) {
            TermKind::Data => false,
            TermKind::Object | TermKind::Thread | TermKind::Abstract(_) => true,
            TermKind::Set(of) | TermKind::Bag(of) | TermKind::Seq(of) | TermKind::Queue(of) => {
                self.mentions(of)
            }
            TermKind::Map(key, value) => self.mentions(key) || self.mentions(value),
        }
    }

    pub fn kind(&self, ty: TypeId) -> TermKind {
        self.kinds[ty.index()]
    }

    /// Whether values of the type can mention objects, threads or abstract ids.
    pub fn has_names(&self, ty: TypeId) -> bool {
        self.names[ty.index()]
    }

    pub fn is_atom(&self, ty: TypeId) -> bool {
        use TermKind::*;
        matches!(self.kind(ty), Data | Object | Thread | Abstract(_))
    }

    /// The number of words of an entry of a collection, if entries consist of atoms; otherwise 0.
    pub fn stride(&self, ty: TypeId) -> usize {
        self.strides[ty.index()]
    }

    /// The words of the empty collection.
    pub fn empty(&self, ty: TypeId) -> &'static [u64] {
        &EMPTY[..self.head(ty)]
    }

    /// The number of words before the entries. The last of them is the number of entries.
    pub fn head(&self, ty: TypeId) -> usize {
        if let TermKind::Queue(_) = self.kind(ty) { 2 } else { 1 }
    }

    /// The number of words of the value that starts at `at`.
    pub fn len(&self, ty: TypeId, words: &[u64], at: usize) -> usize {
        if self.is_atom(ty) {
            return 1;
        }
        let head = self.head(ty);
        let count = words[at + head - 1] as usize;
        let stride = self.strides[ty.index()];
        if stride != 0 {
            return head + count * stride;
        }
        let mut end = at + head;
        for _ in 0..count {
            end = self.entry(ty, words, end).end;
        }
        end - at
    }

    /// The entry of a collection that starts at `at`.
    #[inline]
    fn entry(&self, ty: TypeId, words: &[u64], at: usize) -> Entry {
        let stride = self.strides[ty.index()];
        if stride != 0 {
            return Entry { key: at..at + 1, end: at + stride };
        }
        let (of, value) = match self.kind(ty) {
            TermKind::Map(key, value) => (key, Some(value)),
            TermKind::Set(of) | TermKind::Bag(of) | TermKind::Seq(of) | TermKind::Queue(of) => (of, None),
            kind => unreachable!("{kind:?} has no entries"),
        };
        let key = at..at + self.len(of, words, at);
        let end = match (self.kind(ty), value) {
            (TermKind::Bag(_), _) => key.end + 1,
            (_, Some(value)) => key.end + self.len(value, words, key.end),
            _ => key.end,
        };
        Entry { key, end }
    }

    /// The type of the element or key of the entry that starts at `at`, and where the entry ends.
    pub fn entry_at(&self, ty: TypeId, words: &[u64], at: usize) -> (TypeId, usize) {
        (self.element(ty), self.entry(ty, words, at).end)
    }

    /// The type of the elements or keys of a collection.
    pub fn element(&self, ty: TypeId) -> TypeId {
        match self.kind(ty) {
            TermKind::Set(of)
            | TermKind::Bag(of)
            | TermKind::Map(of, _)
            | TermKind::Seq(of)
            | TermKind::Queue(of) => of,
            kind => unreachable!("{kind:?} has no entries"),
        }
    }

    /// The entries of a collection, in order.
    pub fn entries<'a>(&'a self, ty: TypeId, words: &'a [u64]) -> impl Iterator<Item = Entry> + 'a {
        let head = self.head(ty);
        let mut at = head;
        (0..words[head - 1]).map(move |_| {
            let entry = self.entry(ty, words, at);
            at = entry.end;
            entry
        })
    }

    /// Whether it is a type of sets, bags or maps whose entries consist of atoms, so that [`Terms::look_up`] finds
    /// them.
    pub fn is_table(&self, ty: TypeId) -> bool {
        let is_sorted = matches!(self.kind(ty), TermKind::Set(_) | TermKind::Bag(_) | TermKind::Map(..));
        is_sorted && self.strides[ty.index()] != 0
    }

    /// The position of the entry of a table with this key, or that at which it would have to be inserted.
    #[inline]
    pub fn look_up(&self, ty: TypeId, words: &[u64], key: i64) -> Result<usize, usize> {
        // Tables are no queues: the number of entries is all that comes before them.
        let entries = words.get(1..).unwrap_or_default();
        let is_less = |&word: &u64| (word as i64) < key;
        let at = if self.strides[ty.index()] == 1 {
            1 + entries.partition_point(is_less)
        } else {
            1 + 2 * entries.as_chunks().0.partition_point(|[key, _]| is_less(key))
        };
        if words.get(at).is_some_and(|&word| word as i64 == key) { Ok(at) } else { Err(at) }
    }

    /// The entry of a set, bag or map with this key, or the position at which it would have to be inserted.
    pub fn find(&self, ty: TypeId, words: &[u64], key: &[u64]) -> Result<Entry, usize> {
        if self.is_table(ty) {
            let end = |at| at + self.strides[ty.index()];
            return self.look_up(ty, words, key[0] as i64).map(|at| Entry { key: at..at + 1, end: end(at) });
        }
        let mut end = self.head(ty);
        for entry in self.entries(ty, words) {
            match compare(&words[entry.key.clone()], key) {
                Ordering::Less => end = entry.end,
                Ordering::Equal => return Ok(entry),
                Ordering::Greater => return Err(entry.key.start),
            }
        }
        Err(end)
    }

    /// Visits every reference and abstract id in a value, in order: its kind, and the value that a slot would
    /// hold.
    pub fn visit(&self, ty: TypeId, words: &[u64], visit: &mut impl FnMut(TermKind, i64)) {
        self.scan(ty, words, 0, &mut |kind, word| {
            if kind != TermKind::Data {
                visit(kind, word as i64);
            }
        });
    }

    /// Visits the entities in the value that starts at `at` that have a place of their own, in order: elements of
    /// sequences, and values of maps whose keys are data. Returns where the value ends.
    pub fn visit_places(
        &self,
        ty: TypeId,
        words: &[u64],
        at: usize,
        visit: &mut impl FnMut(Entity),
    ) -> usize {
        let kind = self.kind(ty);
        let (key, part) = match kind {
            TermKind::Object | TermKind::Thread | TermKind::Abstract(_) => {
                if let Some(entity) = Entity::of_term(kind, words[at] as i64) {
                    visit(entity);
                }
                return at + 1;
            }
            TermKind::Seq(of) | TermKind::Queue(of) => (None, of),
            TermKind::Map(key, value) if !self.has_names(key) => (Some(key), value),
            TermKind::Data | TermKind::Set(_) | TermKind::Bag(_) | TermKind::Map(..) => {
                return at + self.len(ty, words, at);
            }
        };
        let mut end = at + self.head(ty);
        for _ in 0..words[end - 1] {
            end += key.map_or(0, |key| self.len(key, words, end));
            end = self.visit_places(part, words, end, visit);
        }
        end
    }

    /// Visits every word of the value that starts at `at`, in order, with the kind of the atom. Numbers of
    /// entries, multiplicities and capacities are data. Returns where the value ends.
    pub fn scan(&self, ty: TypeId, words: &[u64], at: usize, visit: &mut impl FnMut(TermKind, u64)) -> usize {
        let kind = self.kind(ty);
        let (of, value) = match kind {
            TermKind::Data | TermKind::Object | TermKind::Thread | TermKind::Abstract(_) => {
                visit(kind, words[at]);
                return at + 1;
            }
            TermKind::Map(key, value) => (key, Some(value)),
            TermKind::Set(of) | TermKind::Bag(of) | TermKind::Seq(of) | TermKind::Queue(of) => (of, None),
        };
        let head = self.head(ty);
        let mut end = at + head;
        words[at..end].iter().for_each(|&word| visit(TermKind::Data, word));
        for _ in 0..words[end - 1] {
            end = self.scan(of, words, end, visit);
            match (kind, value) {
                (TermKind::Bag(_), _) => {
                    visit(TermKind::Data, words[end]);
                    end += 1;
                }
                (_, Some(value)) => end = self.scan(value, words, end, visit),
                _ => {}
            }
        }
        end
    }

    /// Appends the value at the start of `words` to `out`, renamed, with entries in the order of the new
    /// names.
    pub fn rename(
        &self,
        ty: TypeId,
        words: &[u64],
        rename: &mut impl FnMut(TermKind, i64) -> i64,
        out: &mut Vec<u64>,
    ) {
        self.rename_at(ty, words, 0, rename, out);
    }

    fn rename_at(
        &self,
        ty: TypeId,
        words: &[u64],
        at: usize,
        rename: &mut impl FnMut(TermKind, i64) -> i64,
        out: &mut Vec<u64>,
    ) -> usize {
        if !self.has_names(ty) {
            let end = at + self.len(ty, words, at);
            out.extend_from_slice(&words[at..end]);
            return end;
        }
        let kind = self.kind(ty);
        let (of, value) = match kind {
            TermKind::Data | TermKind::Object | TermKind::Thread | TermKind::Abstract(_) => {
                out.push(rename(kind, words[at] as i64) as u64);
                return at + 1;
            }
            TermKind::Map(key, value) => (key, Some(value)),
            TermKind::Set(of) | TermKind::Bag(of) | TermKind::Seq(of) | TermKind::Queue(of) => (of, None),
        };
        let head = self.head(ty);
        let start = out.len();
        out.extend_from_slice(&words[at..at + head]);
        let mut end = at + head;
        if self.stride(ty) != 0 {
            let entries = &words[end..][..words[end - 1] as usize * self.stride(ty)];
            let (of, value) = (self.kind(of), value.map(|value| self.kind(value)));
            if self.stride(ty) == 1 {
                out.extend(entries.iter().map(|&word| rename(of, word as i64) as u64));
            } else {
                let value = value.unwrap_or(TermKind::Data);
                for &[first, second] in entries.as_chunks().0 {
                    out.extend([rename(of, first as i64) as u64, rename(value, second as i64) as u64]);
                }
            }
            if self.is_table(ty) {
                self.sort(ty, &mut out[start..]);
            }
            return end + entries.len();
        }
        for _ in 0..words[at + head - 1] {
            end = self.rename_at(of, words, end, rename, out);
            match (kind, value) {
                (TermKind::Bag(_), _) => {
                    out.push(words[end]);
                    end += 1;
                }
                (_, Some(value)) => end = self.rename_at(value, words, end, rename, out),
                _ => {}
            }
        }
        if let TermKind::Set(_) | TermKind::Bag(_) | TermKind::Map(..) = kind {
            self.sort(ty, &mut out[start..]);
        }
        end
    }

    /// Sorts the entries of a set, bag or map. No two may have the same key.
    pub fn sort(&self, ty: TypeId, words: &mut [u64]) {
        let head = self.head(ty);
        if let TermKind::Set(of) = self.kind(ty)
            && self.is_atom(of)
        {
            return words[head..].sort_unstable_by_key(|&word| word as i64);
        }
        if self.strides[ty.index()] == 2 {
            return sort_pairs(&mut words[head..]);
        }
        let mut entries: Vec<Entry> = self.entries(ty, words).collect();
        let in_order = |pair: &[Entry]| {
            compare(&words[pair[0].key.clone()], &words[pair[1].key.clone()]) == Ordering::Less
        };
        if entries.windows(2).all(in_order) {
            return;
        }
        entries.sort_by(|a, b| compare(&words[a.key.clone()], &words[b.key.clone()]));
        let old = words.to_vec();
        let mut at = head;
        for entry in entries {
            let entry = &old[entry.key.start..entry.end];
            words[at..at + entry.len()].copy_from_slice(entry);
            at += entry.len();
        }
    }
}
