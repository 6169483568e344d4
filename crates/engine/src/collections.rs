//! Collections in expressions.
//!
//! On the stack a collection is a handle: 0 for the empty one, a positive number if it is in the state (the
//! value of its slot), a negative one if it is the result of an operation and is in the scratch space of the
//! stack, up to the end of the run. Operations read their operands wherever those are, and put results into
//! the scratch space.

use std::cmp::Ordering;

use ir::{CollectionOp, Id, TypeId};
use state::{State, TermKind, Terms, compare};
use system::{Bound, FaultKind, Fuel};

use crate::Engine;
use crate::code::ANY;
use crate::eval::fault;
use crate::machine::{MAX_STATE_WORDS, Stop};

/// The scratch space: values as in a state, each after the number of its words.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    words: Vec<u64>,
    /// A result under construction.
    out: Vec<u64>,
}

impl Scratch {
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
    }

    pub fn mark(&self) -> usize {
        self.words.len()
    }

    /// Drops the values that came since the mark.
    pub fn release(&mut self, mark: usize) {
        self.words.truncate(mark);
    }

    /// The words of a collection, wherever it is.
    pub fn words<'a>(&'a self, engine: &'a Engine, state: &'a State, ty: TypeId, handle: i64) -> &'a [u64] {
        if handle < 0 { self.owned(handle) } else { state.value(&engine.layout, ty, handle) }
    }

    /// The handle of a copy.
    fn put(&mut self, words: &[u64]) -> i64 {
        let at = self.words.len();
        self.words.push(words.len() as u64);
        self.words.extend_from_slice(words);
        -1 - at as i64
    }

    /// The set of all elements of an enum, which are `count` numbers from `first` on.
    pub fn all(&mut self, first: i64, count: u32) -> i64 {
        let at = self.words.len();
        self.words.extend([u64::from(count) + 1, count.into()]);
        self.words.extend((first..first + i64::from(count)).map(|element| element as u64));
        -1 - at as i64
    }

    /// The handle of the same value in the scratch space.
    pub fn own(&mut self, engine: &Engine, state: &State, ty: TypeId, handle: i64) -> i64 {
        if handle <= 0 {
            return handle;
        }
        self.put(state.value(&engine.layout, ty, handle))
    }

    /// The words of a collection in the scratch space.
    pub fn owned(&self, handle: i64) -> &[u64] {
        let at = (-1 - handle) as usize;
        &self.words[at + 1..][..self.words[at] as usize]
    }

    /// The value on the stack for the part at `at` of a collection in the scratch space. The part has type
    /// `ty`.
    fn part(&mut self, terms: &Terms, ty: TypeId, at: usize) -> i64 {
        if terms.is_atom(ty) {
            return self.words[at] as i64;
        }
        let len = terms.len(ty, &self.words, at);
        let handle = -1 - self.words.len() as i64;
        self.words.push(len as u64);
        self.words.extend_from_within(at..at + len);
        handle
    }
}

/// The elements or keys of a collection, one after the other, with the scratch space free for others in
/// between.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    ty: TypeId,
    /// The start of the collection, and its number of words.
    start: usize,
    len: usize,
    at: usize,
    /// The number of words of an entry, if entries consist of atoms; otherwise 0.
    stride: usize,
    pub left: usize,
}

impl Engine {
    pub(crate) fn elements(&self, state: &State, scratch: &mut Scratch, ty: TypeId, handle: i64) -> Elements {
        let terms = &self.layout.terms;
        let handle = scratch.own(self, state, ty, handle);
        if handle == 0 {
            return Elements { ty, start: 0, len: 0, at: 0, stride: 0, left: 0 };
        }
        let start = (-handle) as usize;
        let len = scratch.words[start - 1] as usize;
        let head = terms.head(ty);
        let left = scratch.words[start + head - 1] as usize;
        Elements { ty, start, len, at: head, stride: terms.stride(ty), left }
    }

    /// The value on the stack for the next element.
    #[inline]
    pub(crate) fn next_element(&self, scratch: &mut Scratch, elements: &mut Elements) -> Option<i64> {
        elements.left = elements.left.checked_sub(1)?;
        let Elements { ty, start, len, at, stride, .. } = *elements;
        if stride != 0 {
            elements.at += stride;
            return Some(scratch.words[start + at] as i64);
        }
        let terms = &self.layout.terms;
        let (key, end) = terms.entry_at(ty, &scratch.words[start..start + len], at);
        elements.at = end;
        Some(scratch.part(terms, key, start + at))
    }

    /// The value of a key in a table, or 0 where it has keys only; `None` if it does not have the key.
    #[inline]
    pub(crate) fn value_for(
        &self,
        state: &State,
        scratch: &Scratch,
        fuel: &mut Fuel,
        ty: TypeId,
        handle: i64,
        key: i64,
    ) -> Result<Option<i64>, Stop> {
        let words = scratch.words(self, state, ty, handle);
        burn_words(fuel, words)?;
        let found = self.layout.terms.look_up(ty, words, key);
        Ok(found.ok().map(|at| words.get(at + 1).map_or(0, |&value| value as i64)))
    }

    /// The number of entries of a collection.
    #[inline]
    pub(crate) fn entries(&self, state: &State, scratch: &Scratch, ty: TypeId, handle: i64) -> i64 {
        scratch.words(self, state, ty, handle)[self.layout.terms.head(ty) - 1] as i64
    }

    pub(crate) fn same(&self, state: &State, scratch: &Scratch, ty: TypeId, a: i64, b: i64) -> bool {
        scratch.words(self, state, ty, a) == scratch.words(self, state, ty, b)
    }

    /// The words of an operand of type `ty`, which is this word on the stack.
    fn term<'a>(
        &'a self,
        state: &'a State,
        scratch: &'a Scratch,
        ty: TypeId,
        atom: &'a [u64; 1],
    ) -> &'a [u64] {
        if self.layout.terms.is_atom(ty) { atom } else { scratch.words(self, state, ty, atom[0] as i64) }
    }

    fn admit_element(&self, ty: TypeId, value: i64, pc: usize) -> Result<i64, Stop> {
        match self.code.admit_of[ty.index()] {
            ANY => Ok(value),
            by => self.code.admits[by as usize].admit(value).ok_or(fault(FaultKind::Range, pc)),
        }
    }

    /// The result of an operation on a collection of type `ty`.
    #[expect(clippy::too_many_arguments)]
    pub(crate) fn collection(
        &self,
        state: &State,
        scratch: &mut Scratch,
        fuel: &mut Fuel,
        pc: usize,
        op: CollectionOp,
        ty: TypeId,
        operands: &[i64],
    ) -> Result<i64, Stop> {
        let mut out = std::mem::take(&mut scratch.out);
        out.clear();
        let result = self.operate(state, scratch, fuel, pc, op, ty, operands, &mut out);
        let result = result.map(|outcome| match outcome {
            Outcome::Value(value) => value,
            Outcome::Collection if out.iter().all(|&word| word == 0) => 0,
            Outcome::Part(of) if self.layout.terms.is_atom(of) => out[0] as i64,
            Outcome::Collection | Outcome::Part(_) => scratch.put(&out),
        });
        scratch.out = out;
        // Memory limits are checked between steps; no single step may exhaust the memory.
        if scratch.words.len() > MAX_STATE_WORDS {
            return Err(Stop::Truncated(Bound::Objects));
        }
        result
    }

    #[expect(clippy::too_many_arguments)]
    fn operate(
        &self,
        state: &State,
        scratch: &Scratch,
        fuel: &mut Fuel,
        pc: usize,
        op: CollectionOp,
        ty: TypeId,
        operands: &[i64],
        out: &mut Vec<u64>,
    ) -> Result<Outcome, Stop> {
        use CollectionOp::*;
        let terms = &self.layout.terms;
        let kind = terms.kind(ty);
        let head = terms.head(ty);
        let of = match kind {
            TermKind::Set(of)
            | TermKind::Bag(of)
            | TermKind::Map(of, _)
            | TermKind::Seq(of)
            | TermKind::Queue(of) => of,
            kind => unreachable!("{kind:?} is no collection"),
        };
        let value_of = if let TermKind::Map(_, value) = kind { value } else { of };
        let is_list = matches!(kind, TermKind::Seq(_) | TermKind::Queue(_));
        // An operand that becomes a part of the collection, or is looked for there: the word on the stack, and
        // the words of its value.
        let admitted = |ty: TypeId, operand: i64| Ok([self.admit_element(ty, operand, pc)? as u64]);
        if op == Create {
            out.extend_from_slice(terms.empty(ty));
            let mut operands = operands;
            if let TermKind::Queue(_) = kind {
                let capacity = operands[0];
                operands = &operands[1..];
                if capacity < 0 {
                    return Err(fault(FaultKind::Index, pc));
                }
                out[0] = capacity as u64;
            }
            let width = if let TermKind::Map(..) = kind { 2 } else { 1 };
            for entry in operands.chunks(width) {
                let key = admitted(of, entry[0])?;
                if width == 2 {
                    let value = admitted(value_of, entry[1])?;
                    include(
                        terms,
                        ty,
                        out,
                        self.term(state, scratch, of, &key),
                        self.term(state, scratch, value_of, &value),
                    );
                } else {
                    include(terms, ty, out, self.term(state, scratch, of, &key), &[]);
                }
                if out.len() > MAX_STATE_WORDS {
                    return Err(Stop::Truncated(Bound::Objects));
                }
            }
            if let TermKind::Queue(_) = kind
                && out[1] > out[0]
            {
                return Err(fault(FaultKind::Overflow, pc));
            }
            return Ok(Outcome::Collection);
        }

        let words = scratch.words(self, state, ty, operands[0]);
        burn_words(fuel, words)?;
        let count = words[head - 1];
        let at_index = |index: i64| {
            let index = usize::try_from(index).ok().filter(|&index| (index as u64) < count);
            index.and_then(|index| terms.entries(ty, words).nth(index)).ok_or(fault(FaultKind::Index, pc))
        };
        let position = |key: &[u64]| {
            if is_list {
                terms.entries(ty, words).find(|entry| &words[entry.key.clone()] == key)
            } else {
                terms.find(ty, words, key).ok()
            }
        };
        let sought = operands.get(1).map_or([0], |&operand| [operand as u64]);
        match op {
            Create => unreachable!("done above"),
            Add => {
                let key = admitted(of, operands[1])?;
                if let TermKind::Queue(_) = kind
                    && count >= words[0]
                {
                    return Err(fault(FaultKind::Overflow, pc));
                }
                out.extend_from_slice(words);
                include(terms, ty, out, self.term(state, scratch, of, &key), &[]);
            }
            Put => {
                out.extend_from_slice(words);
                if is_list {
                    let entry = at_index(operands[1])?;
                    let value = admitted(of, operands[2])?;
                    out.splice(entry.key, self.term(state, scratch, of, &value).iter().copied());
                } else {
                    let key = admitted(of, operands[1])?;
                    let value = admitted(value_of, operands[2])?;
                    include(
                        terms,
                        ty,
                        out,
                        self.term(state, scratch, of, &key),
                        self.term(state, scratch, value_of, &value),
                    );
                }
            }
            Remove => {
                out.extend_from_slice(words);
                if let Some(entry) = position(self.term(state, scratch, of, &sought)) {
                    if let TermKind::Bag(_) = kind
                        && words[entry.key.end] > 1
                    {
                        out[entry.key.end] -= 1;
                    } else {
                        out.drain(entry.key.start..entry.end);
                        out[head - 1] -= 1;
                    }
                }
            }
            Contains => {
                return Ok(Outcome::Value(position(self.term(state, scratch, of, &sought)).is_some().into()));
            }
            Size => {
                let size = if let TermKind::Bag(_) = kind {
                    terms.entries(ty, words).map(|entry| words[entry.key.end]).sum()
                } else {
                    count
                };
                return Ok(Outcome::Value(size as i64));
            }
            Count => {
                let count =
                    position(self.term(state, scratch, of, &sought)).map_or(0, |entry| words[entry.key.end]);
                return Ok(Outcome::Value(count as i64));
            }
            Get => {
                let part = if is_list {
                    at_index(operands[1])?.key
                } else {
                    let entry = position(self.term(state, scratch, of, &sought))
                        .ok_or(fault(FaultKind::MissingKey, pc))?;
                    entry.key.end..entry.end
                };
                out.extend_from_slice(&words[part]);
                return Ok(Outcome::Part(value_of));
            }
            Head | Tail => {
                let first = terms.entries(ty, words).next().ok_or(fault(FaultKind::Empty, pc))?;
                if op == Head {
                    out.extend_from_slice(&words[first.key]);
                    return Ok(Outcome::Part(of));
                }
                out.extend_from_slice(&words[..head]);
                out[head - 1] -= 1;
                out.extend_from_slice(&words[first.end..]);
            }
            Keys => {
                out.push(count);
                for entry in terms.entries(ty, words) {
                    out.extend_from_slice(&words[entry.key]);
                }
            }
            Capacity => return Ok(Outcome::Value(words[0] as i64)),
            Union | Intersection | Difference | Subset => {
                let other = scratch.words(self, state, ty, operands[1]);
                burn_words(fuel, other)?;
                if op == Subset {
                    let within = |entry: state::Entry| terms.find(ty, other, &words[entry.key]).is_ok();
                    return Ok(Outcome::Value(terms.entries(ty, words).all(within).into()));
                }
                merge(terms, ty, words, other, op, out);
            }
        }
        Ok(Outcome::Collection)
    }
}

/// The number of words of collections that cost as much as one operation.
const WORDS_PER_OPERATION: usize = 64;

/// Counts the words of a collection that is looked at.
#[inline]
fn burn_words(fuel: &mut Fuel, words: &[u64]) -> Result<(), Stop> {
    if fuel.burn_many(1 + (words.len() / WORDS_PER_OPERATION) as u32) { Ok(()) } else { Err(Stop::Abandoned) }
}

/// Where the result of an operation is.
enum Outcome {
    Value(i64),
    /// In the buffer: a collection, or a part of this type.
    Collection,
    Part(TypeId),
}

/// Adds an entry: an element to a set, an occurrence to a bag, a key with its value to a map, an element to
/// the end of a list.
fn include(terms: &Terms, ty: TypeId, out: &mut Vec<u64>, key: &[u64], value: &[u64]) {
    let head = terms.head(ty);
    let kind = terms.kind(ty);
    if let TermKind::Seq(_) | TermKind::Queue(_) = kind {
        out.extend_from_slice(key);
        out[head - 1] += 1;
        return;
    }
    match (terms.find(ty, out, key), kind) {
        (Ok(entry), TermKind::Bag(_)) => out[entry.key.end] += 1,
        (Ok(entry), TermKind::Map(..)) => {
            out.splice(entry.key.end..entry.end, value.iter().copied());
        }
        (Ok(_), _) => {}
        (Err(at), _) => {
            let multiplicity: &[u64] = if let TermKind::Bag(_) = kind { &[1] } else { value };
            out.splice(at..at, key.iter().chain(multiplicity).copied());
            out[head - 1] += 1;
        }
    }
}

/// Two sets, element by element in order.
fn merge(terms: &Terms, ty: TypeId, a: &[u64], b: &[u64], op: CollectionOp, out: &mut Vec<u64>) {
    out.push(0);
    let mut left = terms.entries(ty, a).peekable();
    let mut right = terms.entries(ty, b).peekable();
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some(x), Some(y)) => compare(&a[x.key.clone()], &b[y.key.clone()]),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let from_left = if order.is_le() { left.next().map(|entry| &a[entry.key]) } else { None };
        let from_right = if order.is_ge() { right.next().map(|entry| &b[entry.key]) } else { None };
        let kept = match op {
            CollectionOp::Union => from_left.or(from_right),
            CollectionOp::Intersection => from_left.filter(|_| from_right.is_some()),
            _ => from_left.filter(|_| from_right.is_none()),
        };
        if let Some(element) = kept {
            out.extend_from_slice(element);
            out[0] += 1;
        }
    }
}
