//! The exact store that shares the most: a tree of interned pairs.
//!
//! A leaf of the tree consists of some bits of the state, at most 32, and is its own number; two numbers form
//! a pair, which is interned and has a number; and so on up to the root, whose pair *is* the state. Two
//! states are equal exactly if their root pairs are. Neighbours in a search share most of their bits and so
//! most of their pairs: towards the end of a search a state costs little more than its root pair, and a state
//! with few varying bits never costs more.
//!
//! ```text
//!            root pair                      the visited set: of pairs of 32-bit numbers
//!            /       \
//!        pair         pair                  inner nodes: interned pairs
//!        /   \       /    \
//!     bits  bits   bits   pair              leaves: 32 bits of the state
//!                         /   \
//!                      bits   rest
//! ```
//!
//! The tree of pairs is the tree compression of Laarman, van de Pol and Weber (Parallel recursive state
//! compression for free, SPIN 2011). To keep the root pairs in a set that stores only part of each key is
//! Cleary's compact hash table (1984), as in van der Vegt and Laarman (A parallel compact hash table, MEMICS
//! 2011). The differences: here the shape of the tree is learned, leaves are bits and cost nothing, and the
//! set grows.
//!
//! A store has three parts:
//! - the [`Table`]: layout, pairs and roots. Except for newly interned pairs, it is only read while
//!   successors are looked up;
//! - a [`Cursor`] per walker: the tree of its last state, so that the cost depends on the change only. An
//!   encoding knows what was touched since; only the leaves whose bits changed, and the nodes above them, are
//!   looked up again. A state that is rebuilt is unfolded from where its tree differs. Under symmetry most
//!   components may change at once: then all words are compared, or written, in one pass;
//! - what is merged: new root pairs enter the set and, for a breadth-first search, the queue.
//!
//! A [`layout`] says *which bits are where*. It is learned from the states ([`learner`]), again and again
//! while the store is small. Components that the layout does not know, because they did not exist before, for
//! example, are kept as a list on the last leaf, the rest. If that becomes common, a new layout is made at
//! once.
//!
//! *A set and a queue.* Searches for states do not ask for a state by its number. A breadth-first search
//! needs them back in their order, so the root pairs of those that it has not asked for yet are also kept in
//! a queue. The set ([`crate::pair_set`]) takes two to five bytes per state. A search for cycles must know
//! which state it reached again: for that purpose roots are interned ([`roots`]).
//!
//! If a state is refused after its pairs were interned, the pairs stay. They are not states.

mod complete;
mod effect_paths;
mod fifo;
mod frozen;
mod image;
mod layout;
mod learner;
mod pairs;
mod queue;
mod roots;
mod tree_cursor;

use std::io;

use system::{Effect, Encoding};

use crate::image::{load_by_id, save_by_id};
use crate::interner::Interner;
use crate::pair_set::PairSet;
use crate::{
    Access, Budget, Extent, Figure, Full, Input, Insert, Output, PreparedStore, StateId, StateStore, Ticket,
};
use effect_paths::EffectPaths;
use fifo::Fifo;
use layout::{Tree, TreeLayout};
use learner::ShapeLearner;
use pairs::{Numbers, PairTable, Pairs, RecentPairs};
use roots::{Rooted, Roots};
use tree_cursor::TreeCursor;

/// A better layout must not cost more than this number of moved words.
const MOST_MOVED: usize = 1 << 22;
/// When states are moved, only those words of a large state are moved that differ from the state before:
/// about `MOVED_PER_PAIR` for each pair that the state does not share, but at least `LEAST_MOVED`.
const MOVED_PER_PAIR: usize = 4;
const LEAST_MOVED: usize = 1 << 8;

/// The approximate size of the caches of a processor.
const PREPARES_FROM: usize = 1 << 20;

/// The trie that finds states by number.
pub type IndexedTrie = Trie<Interner>;

/// What all walkers share.
#[derive(Debug)]
struct Table<R> {
    layout: TreeLayout,
    pairs: PairTable,
    roots: R,
}

/// What belongs to one walker.
#[derive(Debug)]
struct Cursor {
    /// The tree of the last state.
    tree: TreeCursor,
    /// How effects change that tree.
    paths: EffectPaths,
    recent: RecentPairs,
}

impl Cursor {
    fn new(layout: &TreeLayout) -> Self {
        Self { tree: TreeCursor::new(layout), paths: EffectPaths::default(), recent: RecentPairs::default() }
    }

    /// Moves to the state of an encoding, and returns its root pair.
    fn root<R>(&mut self, table: &mut Table<R>, encoding: &mut Encoding) -> Result<u64, Full> {
        let mut pairs = Pairs { table: &mut table.pairs, recent: &mut self.recent };
        self.tree.follow(&table.layout, &mut pairs, encoding)
    }

    /// The root pair of the state after an effect; `None` if only an encoding can determine it. Does not
    /// move.
    #[inline]
    fn root_after<R>(&mut self, table: &mut Table<R>, effect: Effect<'_>) -> Option<u64> {
        let Self { tree, paths, recent } = self;
        let pairs = &mut Pairs { table: &mut table.pairs, recent };
        after(effect, &table.layout, pairs, tree, paths)
    }

    /// Moves to the state of a root pair, and makes `into` describe it.
    fn rebuild<R>(&mut self, table: &Table<R>, root: u64, into: &mut Encoding) {
        // A system that writes encodings as a whole reads them as a whole.
        let whole = self.tree.is_whole();
        self.tree.unfold(&table.layout, &table.pairs, root, whole, into);
        self.tree.observe(into);
    }
}

/// The root pair of the state after an effect.
#[inline]
fn after(
    effect: Effect<'_>,
    layout: &TreeLayout,
    pairs: &mut impl Numbers,
    tree: &mut TreeCursor,
    paths: &mut EffectPaths,
) -> Option<u64> {
    if effect.number == Effect::ANY {
        return tree.predict(layout, pairs, effect.writes);
    }
    let root = paths.apply(layout, pairs, tree, effect);
    debug_assert!(root.is_none() || root == tree.predict(layout, pairs, effect.writes));
    root.or_else(|| tree.predict(layout, pairs, effect.writes))
}

/// A store that is a tree of interned pairs.
#[derive(Debug)]
pub struct Trie<R = Box<PairSet>> {
    table: Table<R>,
    cursor: Cursor,
    /// The root pairs of the states that were not asked for yet; `None` if states are not to be asked for.
    queue: Option<Fifo>,
    /// The root pair of the last state that was asked for in its order.
    asked: u64,
    /// The number of states at which the next layout is due.
    layout_at: usize,
    /// The number of states since the last review that have components in the rest.
    with_rest: usize,
    /// Counts the layouts: a root pair belongs to one layout.
    epoch: u32,
    /// The last new layout made no difference.
    is_settled: bool,
    id_limit: usize,
    /// The number of bytes of root pairs from which on it is worthwhile to prepare states.
    prepares_from: usize,
    budget: Budget,
}

impl Trie {
    /// An empty trie. If it `queues`, states can be asked for in their order.
    pub fn new(budget: &Budget, queues: bool) -> Self {
        Self::with_layout(TreeLayout::new(&[], &Tree::Rest), budget, queues)
    }
}

impl IndexedTrie {
    pub fn indexed(budget: &Budget) -> Self {
        Self::with_layout(TreeLayout::new(&[], &Tree::Rest), budget, false)
    }
}

impl<R: Roots> Trie<R> {
    fn with_layout(layout: TreeLayout, budget: &Budget, queues: bool) -> Self {
        Self {
            cursor: Cursor::new(&layout),
            table: Table { layout, pairs: PairTable::new(budget), roots: R::new(budget) },
            queue: queues.then(|| Fifo::new(budget)),
            asked: 0,
            layout_at: 1,
            with_rest: 0,
            epoch: 0,
            prepares_from: PREPARES_FROM,
            is_settled: false,
            id_limit: StateId::LIMIT,
            budget: budget.clone(),
        }
    }

    /// Assigns at most `limit` ids.
    #[must_use]
    pub fn with_id_limit(mut self, limit: usize) -> Self {
        self.id_limit = limit.min(StateId::LIMIT);
        self
    }

    /// Prepares states however few there are.
    #[must_use]
    pub fn always_preparing(mut self) -> Self {
        self.prepares_from = 0;
        self
    }

    /// The root pair of a state.
    fn root(&mut self, encoding: &mut Encoding) -> Result<u64, Full> {
        self.cursor.root(&mut self.table, encoding)
    }

    /// The ticket of a root pair, whose place in the visited set is prefetched.
    #[inline]
    fn ticket(&self, root: u64) -> Ticket {
        self.table.roots.prefetch(root);
        Ticket(root.into())
    }

    #[inline]
    fn enter(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let Self { table, queue, id_limit, .. } = self;
        let id = StateId(table.roots.len() as u64);
        let root = ticket.0 as u64;
        let rooted = table.roots.insert(root, |len| match len {
            _ if len >= limit => Err(Full::States),
            _ if len >= *id_limit => Err(Full::Ids),
            _ => queue.as_mut().map_or(Ok(()), Fifo::reserve),
        })?;
        if let Rooted::Seen(id) = rooted {
            return Ok(Insert::Seen(id));
        }
        if let Some(queue) = queue {
            queue.push(root);
        }
        Ok(Insert::New(id))
    }

    /// The number of states with components in the rest at which a new layout is due at once. Such a state
    /// takes as many bytes as many others.
    #[inline]
    fn most_with_rest(&self) -> usize {
        let len = self.len();
        len / 8 + 16
    }

    /// Decides whether a better layout is due, and makes it.
    #[cold]
    fn review(&mut self) {
        let (len, pairs) = (self.len(), self.table.pairs.len());
        let is_due = len >= self.layout_at;
        if is_due {
            self.layout_at = len * if len < 1 << 12 { 16 } else { 4 };
        }
        let of_its_own = MOVED_PER_PAIR * pairs / len;
        let moved = len * self.table.layout.slots().min(of_its_own.max(LEAST_MOVED));
        let is_cheap = moved <= MOST_MOVED;
        let is_stretched = self.with_rest > len / 16 && (is_due || is_cheap);
        let is_unbalanced = is_due && !self.is_settled && (len <= 1 << 12 || pairs > len / 32) && is_cheap;
        if is_stretched || is_unbalanced {
            // Without the memory for it, the old layout remains valid.
            _ = self.learn();
        }
        // Learned or not, this is not to be asked again soon.
        self.with_rest = 0;
    }

    /// Learns a new layout and moves all states to it.
    fn learn(&mut self) -> Result<(), Full> {
        let roots = self.table.roots.to_move();
        let mut learner = ShapeLearner::default();
        let mut encoding = Encoding::new();
        // The sample is spread over all states. The last state comes first, because the next ones resemble
        // it.
        let states = learner::enough_states(self.table.layout.slots());
        for &root in roots.iter().rev().step_by(roots.len() / states + 1) {
            self.cursor.rebuild(&self.table, root, &mut encoding);
            learner.add(&encoding);
            if learner.is_enough() {
                break;
            }
        }
        let mut trie = Self::with_layout(learner.layout(roots.len()), &self.budget, false);
        // By index of `roots`: the new root pairs, if they are looked up below.
        let mut moved = Vec::new();
        for &root in &roots {
            // Both cursors follow the same encoding, so both only visit what differs from the state before.
            self.cursor.tree.unfold(&self.table.layout, &self.table.pairs, root, false, &mut encoding);
            let root = trie.root(&mut encoding)?;
            self.cursor.tree.observe_with(&trie.cursor.tree);
            trie.enter(trie.ticket(root), usize::MAX)?;
            if self.queue.is_some() {
                moved.push(root);
            }
        }
        if let Some(queue) = &self.queue {
            let mut requeued = Fifo::new(&self.budget);
            for root in queue.iter() {
                let at = roots
                    .binary_search(&root)
                    .expect("a set of roots is in order, and has those of the queue");
                requeued.reserve()?;
                requeued.push(moved[at]);
            }
            trie.queue = Some(requeued);
            trie.asked = roots.binary_search(&self.asked).map_or(0, |at| moved[at]);
        }
        let gained = trie.table.pairs.len() < self.table.pairs.len() / 10 * 9;
        trie.is_settled = roots.len() >= 1 << 14 && !gained;
        trie.layout_at = self.layout_at;
        trie.epoch = self.epoch + 1;
        trie.prepares_from = self.prepares_from;
        trie.id_limit = self.id_limit;
        *self = trie;
        Ok(())
    }
}

impl<R: Roots> StateStore for Trie<R> {
    fn kind(&self) -> &'static str {
        "trie"
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let ticket = self.prepare(encoding)?;
        let insert = self.commit(ticket, limit)?;
        self.maintain();
        Ok(insert)
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let Self { table, cursor, queue, asked, .. } = self;
        if let Some(root) = table.roots.of(id) {
            return cursor.rebuild(table, root, into);
        }
        let root = queue.as_mut().and_then(Fifo::pop);
        *asked = root.unwrap_or_default();
        // Meanwhile the pairs of the next state can be fetched.
        if let Some(next) = queue.as_ref().and_then(Fifo::peek) {
            cursor.tree.prefetch(&table.layout, &table.pairs, next);
        }
        cursor.rebuild(table, root.expect("a state that was stored, and was not asked for"), into);
    }

    fn len(&self) -> usize {
        self.table.roots.len()
    }

    fn bytes(&self) -> usize {
        let queue = self.queue.as_ref().map_or(0, Fifo::bytes);
        self.table.roots.bytes() + queue + self.table.pairs.bytes()
    }

    fn access(&self) -> Access {
        match &self.queue {
            _ if R::INDEXED => Access::ById,
            Some(_) => Access::InOrder,
            None => Access::Never,
        }
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        let Table { layout, pairs, .. } = &self.table;
        vec![figure("leaves", layout.leaves()), figure("inner_nodes", pairs.len() + self.len())]
    }

    fn save(&mut self, extent: &Extent<'_>, out: &mut dyn Output) -> io::Result<()> {
        if R::INDEXED { save_by_id(self, extent.states, out) } else { self.save_image(extent, out) }
    }

    fn load(&mut self, input: &mut dyn Input) -> io::Result<()> {
        if R::INDEXED { load_by_id(self, input) } else { self.load_image(input) }
    }

    #[inline]
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        Some(self)
    }
}

impl<R: Roots> PreparedStore for Trie<R> {
    fn is_worthwhile(&self) -> bool {
        self.table.roots.bytes() >= self.prepares_from
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        let root = self.root(encoding)?;
        Ok(self.ticket(root))
    }

    #[inline]
    fn contains(&self, ticket: Ticket) -> bool {
        self.table.roots.contains(ticket.0 as u64)
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let insert = self.enter(ticket, limit)?;
        if let Insert::New(_) = insert {
            self.with_rest += usize::from(self.cursor.tree.has_rest());
        }
        Ok(insert)
    }

    fn set_base(&mut self, encoding: &mut Encoding) -> bool {
        let Self { table, cursor, .. } = self;
        let is_set = cursor.tree.is_up_to_date(encoding) || cursor.root(table, encoding).is_ok();
        if is_set {
            cursor.tree.begin_effects(&table.layout);
        }
        is_set
    }

    #[inline]
    fn prepare_effect(&mut self, effect: Effect<'_>) -> Option<Ticket> {
        let root = self.cursor.root_after(&mut self.table, effect)?;
        Some(self.ticket(root))
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    #[inline]
    fn maintain(&mut self) {
        if self.len() >= self.layout_at || self.with_rest > self.most_with_rest() {
            self.review();
        }
    }
}
