//! A trie that several walkers read, and that is written in parts: see [`crate::shared`].

use system::{Effect, Encoding};

use super::layout::{Tree, TreeLayout};
use super::pairs::{FreshPairs, PairTable, SharedPairs};
use super::{Cursor, Fifo, Table, Trie, after};
use crate::pair_set::{PARTS, PairSet, SeparatePart};
use crate::{Frozen, Full, Part, SharedStore, StateStore};

/// The table of a trie while walkers read it, and the pairs that they have interned.
#[derive(Debug)]
pub struct FrozenTrie {
    table: Table<Box<PairSet>>,
    fresh: FreshPairs,
    epoch: u32,
    prepares_from: usize,
}

/// The cursor of one walker, for one layout.
#[derive(Debug)]
pub struct EpochCursor {
    epoch: u32,
    cursor: Cursor,
}

impl SharedStore for Trie {
    type Frozen = FrozenTrie;
    type Part = SeparatePart;

    fn freeze(&mut self) -> FrozenTrie {
        let empty = Table {
            layout: TreeLayout::new(&[], &Tree::Rest),
            pairs: PairTable::new(&self.budget),
            roots: Box::new(PairSet::new(&self.budget)),
        };
        let table = std::mem::replace(&mut self.table, empty);
        let fresh = FreshPairs::new(&table.pairs, &self.budget);
        FrozenTrie { table, fresh, epoch: self.epoch, prepares_from: self.prepares_from }
    }

    fn thaw(&mut self, frozen: FrozenTrie) -> Result<(), Full> {
        self.table = frozen.table;
        self.table.pairs.add(frozen.fresh)
    }

    fn sources(&self, count: usize) -> Vec<u64> {
        self.queue.iter().flat_map(Fifo::iter).take(count).collect()
    }

    fn skip(&mut self, count: usize) {
        self.queue.as_mut().expect("the store queues its states").skip(count);
    }

    fn take_parts(&mut self) -> Vec<SeparatePart> {
        self.table.roots.take_parts()
    }

    fn return_parts(&mut self, parts: Vec<SeparatePart>, more: usize) {
        self.table.roots.return_parts(parts, more);
    }

    fn enqueue(&mut self, key: u64) -> Result<(), Full> {
        let queue = self.queue.as_mut().expect("the store queues its states");
        queue.reserve()?;
        queue.push(key);
        Ok(())
    }

    fn note_odd(&mut self, count: usize) {
        self.with_rest += count;
    }

    fn room(&self) -> usize {
        self.id_limit.saturating_sub(self.len())
    }
}

impl Part for SeparatePart {
    #[inline]
    fn prefetch(&self, key: u64) {
        Self::prefetch(self, key);
    }

    #[inline]
    fn insert(&mut self, key: u64) -> Result<bool, Full> {
        Self::insert(self, key)
    }
}

impl FrozenTrie {
    #[inline]
    fn root(&self, cursor: &mut Cursor, encoding: &mut Encoding) -> Result<u64, Full> {
        let Cursor { tree, recent, .. } = cursor;
        let mut pairs = SharedPairs { table: &self.table.pairs, fresh: &self.fresh, recent };
        tree.follow(&self.table.layout, &mut pairs, encoding)
    }
}

impl Frozen for FrozenTrie {
    type Cursor = EpochCursor;

    const PARTS: usize = PARTS;

    fn cursor(&self) -> EpochCursor {
        EpochCursor { epoch: self.epoch, cursor: Cursor::new(&self.table.layout) }
    }

    /// Pairs have final numbers, so a cursor remains valid as long as the layout does.
    fn renew(&self, cursor: &mut EpochCursor) -> bool {
        let has_changed = cursor.epoch != self.epoch;
        if has_changed {
            *cursor = self.cursor();
        }
        has_changed
    }

    #[inline]
    fn part_of(&self, key: u64) -> usize {
        PairSet::part_of(key)
    }

    fn is_worthwhile(&self) -> bool {
        self.table.roots.bytes() >= self.prepares_from
    }

    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.table.roots.contains(key)
    }

    #[inline]
    fn key(
        &self,
        EpochCursor { cursor, .. }: &mut EpochCursor,
        encoding: &mut Encoding,
    ) -> Result<u64, Full> {
        let root = self.root(cursor, encoding)?;
        self.table.roots.prefetch(root);
        Ok(root)
    }

    fn rebuild(&self, cursor: &mut EpochCursor, key: u64, next: Option<u64>, into: &mut Encoding) {
        let EpochCursor { cursor, .. } = cursor;
        if let Some(next) = next {
            cursor.tree.prefetch(&self.table.layout, &self.table.pairs, next);
        }
        cursor.rebuild(&self.table, key, into);
    }

    fn set_base(&self, EpochCursor { cursor, .. }: &mut EpochCursor, encoding: &mut Encoding) -> bool {
        let is_set = cursor.tree.is_up_to_date(encoding) || self.root(cursor, encoding).is_ok();
        if is_set {
            cursor.tree.begin_effects(&self.table.layout);
        }
        is_set
    }

    #[inline]
    fn key_after(&self, EpochCursor { cursor, .. }: &mut EpochCursor, effect: Effect<'_>) -> Option<u64> {
        let Cursor { tree, paths, recent } = cursor;
        let mut pairs = SharedPairs { table: &self.table.pairs, fresh: &self.fresh, recent };
        let root = after(effect, &self.table.layout, &mut pairs, tree, paths)?;
        self.table.roots.prefetch(root);
        Some(root)
    }

    fn is_odd(&self, EpochCursor { cursor, .. }: &EpochCursor) -> bool {
        cursor.tree.has_rest()
    }
}
