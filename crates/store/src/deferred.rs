//! A frozen store as one walker sees it: what is not stored is listed instead of being stored.
//!
//! A state that is not in the store is a [candidate](Candidates): another walker may find it as well. It is
//! new if no candidate with a lower rank, that is none before it in the order of sources and their steps, is
//! the same state. A walker proceeds in that order, so it may forget a state that it has listed before. It
//! remembers the last ones only; the others are found to be equal when they are merged.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use system::{Effect, Encoding};

use crate::mix::place;
use crate::zeroed::grow_from;
use crate::{Access, Budget, Frozen, Full, Insert, Part, PreparedStore, StateId, StateStore, Ticket};

/// The number of candidates that a walker remembers.
const RECENT: usize = 1 << 16;
/// Keys whose places are prefetched before the first of them is inserted.
const AHEAD: usize = 8;
/// The least number of candidates for which a list makes room.
const LEAST_GROWTH: usize = 1 << 10;

/// States that were not stored when they were found, in the order in which one walker found them.
#[derive(Debug)]
pub struct Candidates {
    keys: Vec<u64>,
    /// By part of the store: the indices of its keys.
    by_part: Vec<Vec<u32>>,
    /// Which of them turned out to be new, as bits.
    new: Vec<AtomicU64>,
    /// How many of them were odd.
    odd: usize,
}

impl Candidates {
    fn new(parts: usize) -> Self {
        Self { keys: Vec::new(), by_part: vec![Vec::new(); parts], new: Vec::new(), odd: 0 }
    }

    /// No candidates, with the memory of these.
    #[must_use]
    pub fn emptied(mut self) -> Self {
        self.keys.clear();
        self.by_part.iter_mut().for_each(Vec::clear);
        self.new.clear();
        self.odd = 0;
        self
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn odd(&self) -> usize {
        self.odd
    }

    pub fn key(&self, index: usize) -> u64 {
        self.keys[index]
    }

    fn push(&mut self, key: u64, part: usize, budget: &Budget) -> Result<(), Full> {
        if self.keys.len() == self.keys.capacity() {
            grow_from(&mut self.keys, LEAST_GROWTH, budget)?;
        }
        let indices = &mut self.by_part[part];
        if indices.len() == indices.capacity() {
            grow_from(indices, LEAST_GROWTH / 8, budget)?;
        }
        indices.push(self.keys.len() as u32);
        self.keys.push(key);
        Ok(())
    }

    /// Makes room for the result of merging.
    pub fn seal(&mut self) -> Result<(), Full> {
        let words = self.len().div_ceil(64);
        self.new.try_reserve_exact(words).map_err(|_| Full::Memory)?;
        self.new.resize_with(words, AtomicU64::default);
        Ok(())
    }

    /// Inserts those that belong to a part of the store, in their order. All lists must be merged in the order
    /// of ranks.
    pub fn merge(&self, number: usize, part: &mut impl Part) -> Result<(), Full> {
        let indices = &self.by_part[number];
        for (at, &index) in indices.iter().enumerate() {
            if let Some(&ahead) = indices.get(at + AHEAD) {
                part.prefetch(self.keys[ahead as usize]);
            }
            if part.insert(self.keys[index as usize])? {
                // Relaxed is sufficient: the bits are read when all parts are merged.
                self.new[index as usize / 64].fetch_or(1 << (index % 64), Relaxed);
            }
        }
        Ok(())
    }

    /// The indices of those that turned out to be new, in order.
    pub fn new_ones(&self) -> impl Iterator<Item = usize> {
        self.new.iter().enumerate().flat_map(|(at, word)| {
            let mut left = word.load(Relaxed);
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// Whether a candidate turned out to be new.
    pub fn is_new(&self, index: usize) -> bool {
        self.new[index / 64].load(Relaxed) >> (index % 64) & 1 != 0
    }
}

/// What a walker keeps from one frozen store to the next. If all that it had found was merged, the candidates that it
/// remembers are states of the store.
#[derive(Debug)]
pub struct Walker<C> {
    cursor: C,
    recent: Recent,
}

/// The last candidates of one walker, by a part of their keys.
#[derive(Debug)]
struct Recent(Box<[u64]>);

impl Recent {
    fn new() -> Self {
        let mut recent = Self(vec![0; RECENT].into());
        recent.clear();
        recent
    }

    #[inline]
    fn place(key: u64) -> usize {
        place(key.wrapping_mul(0x9e37_79b9_7f4a_7c15), RECENT) % RECENT
    }

    /// Every place gets a key that belongs to another place, so that nothing is remembered.
    fn clear(&mut self) {
        let other = (1..1 << 20).find(|&key| Self::place(key) != Self::place(0)).expect("keys are spread");
        self.0.fill(0);
        self.0[Self::place(0)] = other;
    }
}

impl<C> Walker<C> {
    pub fn new<F: Frozen<Cursor = C>>(frozen: &F) -> Self {
        Self { cursor: frozen.cursor(), recent: Recent::new() }
    }
}

/// A frozen store, and what one walker has found.
#[derive(Debug)]
pub struct Deferred<'a, F: Frozen> {
    frozen: &'a F,
    walker: &'a mut Walker<F::Cursor>,
    /// The keys of the states that are asked for by their index.
    sources: &'a [u64],
    found: Candidates,
    budget: Budget,
}

impl<'a, F: Frozen> Deferred<'a, F> {
    /// The walker must have forgotten what it found and what was not merged: see [`Deferred::forget`].
    pub fn new(
        frozen: &'a F,
        walker: &'a mut Walker<F::Cursor>,
        sources: &'a [u64],
        budget: &Budget,
    ) -> Self {
        if frozen.renew(&mut walker.cursor) {
            walker.recent.clear();
        }
        Self { frozen, walker, sources, found: Candidates::new(F::PARTS), budget: budget.clone() }
    }

    /// Returns what was found since the last call. What is found next uses the memory of `spare` candidates.
    pub fn take_found(&mut self, spare: Option<Candidates>) -> Candidates {
        let empty = spare.map_or_else(|| Candidates::new(F::PARTS), Candidates::emptied);
        std::mem::replace(&mut self.found, empty)
    }

    /// Forgets all that was found and remembered: it will be found again.
    pub fn forget(&mut self) {
        self.take_found(None);
        self.walker.recent.clear();
    }

    #[inline]
    fn enter(&mut self, key: u64) -> Result<Insert, Full> {
        let recent = &mut self.walker.recent.0[Recent::place(key)];
        if *recent == key || self.frozen.contains(key) {
            return Ok(Insert::Seen(None));
        }
        let id = StateId(self.found.len() as u64);
        self.found.push(key, self.frozen.part_of(key), &self.budget)?;
        *recent = key;
        self.found.odd += usize::from(self.frozen.is_odd(&self.walker.cursor));
        Ok(Insert::New(id))
    }
}

/// The result `New` means: not stored so far, and has this index among the candidates.
impl<F: Frozen> StateStore for Deferred<'_, F> {
    fn kind(&self) -> &'static str {
        "deferred"
    }

    fn insert(&mut self, encoding: &mut Encoding, _: usize) -> Result<Insert, Full> {
        let key = self.frozen.key(&mut self.walker.cursor, encoding)?;
        self.enter(key)
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let next = self.sources.get(id.index() + 1).copied();
        self.frozen.rebuild(&mut self.walker.cursor, self.sources[id.index()], next, into);
    }

    fn len(&self) -> usize {
        self.found.len()
    }

    fn bytes(&self) -> usize {
        0
    }

    fn access(&self) -> Access {
        Access::InOrder
    }

    #[inline]
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        Some(self)
    }
}

impl<F: Frozen> PreparedStore for Deferred<'_, F> {
    fn is_worthwhile(&self) -> bool {
        self.frozen.is_worthwhile()
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        self.frozen.key(&mut self.walker.cursor, encoding).map(|key| Ticket(key.into()))
    }

    #[inline]
    fn contains(&self, ticket: Ticket) -> bool {
        self.frozen.contains(ticket.0 as u64)
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, _: usize) -> Result<Insert, Full> {
        self.enter(ticket.0 as u64)
    }

    fn set_base(&mut self, encoding: &mut Encoding) -> bool {
        self.frozen.set_base(&mut self.walker.cursor, encoding)
    }

    #[inline]
    fn prepare_effect(&mut self, effect: Effect<'_>) -> Option<Ticket> {
        self.frozen.key_after(&mut self.walker.cursor, effect).map(|key| Ticket(key.into()))
    }
}
