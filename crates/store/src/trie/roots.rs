//! Root pairs: the representation of the states of a trie.
//!
//! As a set they take the fewest bytes, and states have no numbers. Interned like inner pairs, they have
//! numbers, which are those of their states, and take thirteen to sixteen bytes: a search for cycles must
//! know which state it reached again.

use crate::interner::Interner;
use crate::pair_set::PairSet;
use crate::{Budget, Full, StateId};

/// The result of inserting a root pair.
pub enum Rooted {
    New,
    /// It was there before. Its number, if there are numbers.
    Seen(Option<StateId>),
}

/// A set of root pairs.
pub trait Roots {
    fn new(budget: &Budget) -> Self;

    fn len(&self) -> usize;

    fn bytes(&self) -> usize;

    fn contains(&self, root: u64) -> bool;

    /// Prefetches the place of a root pair.
    fn prefetch(&self, root: u64);

    /// Adds a root pair, unless it is there already or `admit`, which gets the number of roots, refuses it.
    fn insert(&mut self, root: u64, admit: impl FnOnce(usize) -> Result<(), Full>) -> Result<Rooted, Full>;

    /// All root pairs, in an order in which they can be moved to another trie: that of their numbers, if
    /// there are numbers, otherwise sorted.
    fn to_move(&self) -> Vec<u64>;

    /// Visits all root pairs, in any order.
    fn each<E>(&self, visit: impl FnMut(u64) -> Result<(), E>) -> Result<(), E>;

    /// The root pair of a state; `None` if states have no numbers.
    fn of(&self, id: StateId) -> Option<u64>;

    /// Whether states have numbers.
    const INDEXED: bool;
}

impl Roots for Box<PairSet> {
    const INDEXED: bool = false;

    fn new(budget: &Budget) -> Self {
        Self::new(PairSet::new(budget))
    }

    fn len(&self) -> usize {
        PairSet::len(self)
    }

    fn bytes(&self) -> usize {
        PairSet::bytes(self)
    }

    #[inline]
    fn contains(&self, root: u64) -> bool {
        PairSet::contains(self, root)
    }

    #[inline]
    fn prefetch(&self, root: u64) {
        PairSet::prefetch(self, root);
    }

    #[inline]
    fn insert(&mut self, root: u64, admit: impl FnOnce(usize) -> Result<(), Full>) -> Result<Rooted, Full> {
        let is_new = PairSet::insert(self, root, admit)?;
        Ok(if is_new { Rooted::New } else { Rooted::Seen(None) })
    }

    /// States that share a half come one after the other, so that less has to be rebuilt.
    fn to_move(&self) -> Vec<u64> {
        let mut roots: Vec<u64> = self.iter().collect();
        roots.sort_unstable();
        roots
    }

    fn each<E>(&self, visit: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        self.iter().try_for_each(visit)
    }

    fn of(&self, _: StateId) -> Option<u64> {
        None
    }
}

impl Roots for Interner {
    const INDEXED: bool = true;

    fn new(budget: &Budget) -> Self {
        Self::new(budget)
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }

    fn contains(&self, root: u64) -> bool {
        Self::contains(self, root)
    }

    #[inline]
    fn prefetch(&self, root: u64) {
        Self::prefetch(self, root);
    }

    #[inline]
    fn insert(&mut self, root: u64, admit: impl FnOnce(usize) -> Result<(), Full>) -> Result<Rooted, Full> {
        let (number, is_new) = Self::insert(self, root, admit)?;
        Ok(if is_new { Rooted::New } else { Rooted::Seen(Some(StateId(number.into()))) })
    }

    /// In the order of their numbers, which they keep.
    fn to_move(&self) -> Vec<u64> {
        self.iter().collect()
    }

    fn each<E>(&self, visit: impl FnMut(u64) -> Result<(), E>) -> Result<(), E> {
        self.iter().try_for_each(visit)
    }

    fn of(&self, id: StateId) -> Option<u64> {
        Some(self.get(id.0 as u32))
    }
}
