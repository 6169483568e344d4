//! The exact store that shares: a tree of interned pairs.
//!
//! A leaf of the tree is made of some bits of the state, 32 at most, and is its own number; two numbers make a pair, which is
//! interned and has a number; and so on up to the root, whose pair *is* the state. Two states are the same exactly if their
//! root pairs are. Neighbours in a search share most of their bits and so most of their pairs: near the end a state costs
//! little more than its root pair, and a state with few bits that vary never more.
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
//! - *Which bits are where* says a plan ([`plan`]), which is learned from the states ([`sample`]) and made anew while the store is
//!   small. What the plan does not know, such as a component that never existed
//!   before, hangs as a list on the last leaf, the rest; where that becomes common there is a new plan.
//! - *Cost by change.* The store keeps the tree of the last state ([`mirror`]). An encoding tells what was touched since; only
//!   the leaves whose bits changed, and the nodes above them, are looked up anew. A state that is rebuilt is unfolded from where
//!   its tree differs from the mirror.
//! - *A set and a queue.* No search for states asks for one by its number. A breadth-first search wants them back in their order, so
//!   the root pairs of those that it has not asked for yet are kept in a queue as well. The set ([`crate::pair_set`]) takes two
//!   to five bytes a state. Who looks for cycles has to know which state it met again: then roots are interned ([`roots`]).
//!
//! Interned pairs of states that were then refused stay behind: they are not states.

mod complete;
mod fifo;
mod mirror;
mod pairs;
mod patches;
mod plan;
mod queue;
mod roots;
mod sample;

use system::{Effect, Encoding};

use crate::interner::Interner;
use crate::pair_set::PairSet;
use crate::{Access, Budget, Figure, Full, Insert, PreparedStore, StateId, StateStore, Ticket};
use fifo::Fifo;
use mirror::Mirror;
use pairs::Pairs;
use patches::Patches;
use plan::{Plan, Tree};
use roots::{Rooted, Roots};
use sample::Sample;

/// A better plan must not cost more than so many words that are moved.
const MOST_MOVED: usize = 1 << 22;
/// Of a state of more words only those are moved that differ from the state before: about so many for each pair that it has of
/// its own, but these at least.
const MOVED_PER_PAIR: usize = 4;
const LEAST_MOVED: usize = 1 << 8;

/// What about fits the caches of a processor.
const PREPARES_FROM: usize = 1 << 20;

/// The trie that finds states again by number.
pub type IndexedTrie = Trie<Interner>;

#[derive(Debug)]
pub struct Trie<R = Box<PairSet>> {
    pairs: Pairs,
    roots: R,
    /// The root pairs of the states that were not asked for yet, if anybody will ask.
    queue: Option<Fifo>,
    plan: Plan,
    mirror: Mirror,
    patches: Patches,
    /// When the next plan is due, in states.
    plan_at: usize,
    /// States since the last plan of which a part is in the rest.
    with_rest: usize,
    /// Counts the plans: a root pair is of one plan.
    epoch: u32,
    /// A new plan made no difference.
    is_settled: bool,
    id_limit: usize,
    /// From how many bytes of root pairs on it is worth the trouble to prepare states.
    prepares_from: usize,
    budget: Budget,
}

impl Trie {
    /// If states are to be asked for in their order, it `queues` them.
    pub fn new(budget: &Budget, queues: bool) -> Self {
        Self::with_plan(Plan::new(&[], &Tree::Rest), budget, queues)
    }
}

impl IndexedTrie {
    pub fn numbered(budget: &Budget) -> Self {
        Self::with_plan(Plan::new(&[], &Tree::Rest), budget, false)
    }
}

impl<R: Roots> Trie<R> {
    fn with_plan(plan: Plan, budget: &Budget, queues: bool) -> Self {
        Self {
            pairs: Pairs::new(budget),
            roots: R::new(budget),
            queue: queues.then(|| Fifo::new(budget)),
            mirror: Mirror::new(&plan),
            patches: Patches::default(),
            plan,
            plan_at: 1,
            with_rest: 0,
            epoch: 0,
            prepares_from: PREPARES_FROM,
            is_settled: false,
            id_limit: StateId::LIMIT,
            budget: budget.clone(),
        }
    }

    /// Hands out at most `limit` ids.
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
        self.mirror.follow(&self.plan, &mut self.pairs, encoding)
    }

    /// A root pair on its way into the visited set: its place there is fetched.
    #[inline]
    fn approach(&self, root: u64) -> Ticket {
        self.roots.prefetch(root);
        Ticket(root.into())
    }

    #[inline]
    fn enter(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let Self { roots, queue, id_limit, .. } = self;
        let id = StateId(roots.len() as u64);
        let root = ticket.0 as u64;
        let rooted = roots.insert(root, |len| match len {
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

    /// Looks whether a better plan is due, and makes it.
    #[cold]
    fn review(&mut self) {
        let len = self.len();
        self.plan_at = len * if len < 1 << 12 { 16 } else { 4 };
        let is_stretched = self.with_rest > len / 16;
        let of_its_own = MOVED_PER_PAIR * self.pairs.len() / len;
        let moved = len * self.plan.slots().min(of_its_own.max(LEAST_MOVED));
        let is_unbalanced =
            !self.is_settled && (len <= 1 << 12 || self.pairs.len() > len / 32) && moved <= MOST_MOVED;
        if is_stretched || is_unbalanced {
            // Without the memory for it, the old plan is as right as the new one.
            _ = self.replan();
        }
    }

    /// Learns a new plan and moves all states over.
    fn replan(&mut self) -> Result<(), Full> {
        let roots = self.roots.to_move();
        let mut sample = Sample::default();
        let mut encoding = Encoding::new();
        // Spread over all of them; the last state is the one that the next ones resemble.
        let states = sample::enough_states(self.plan.slots());
        for &root in roots.iter().rev().step_by(roots.len() / states + 1) {
            self.rebuild(root, &mut encoding);
            sample.add(&encoding);
            if sample.is_enough() {
                break;
            }
        }
        let mut trie = Self::with_plan(sample.plan(roots.len()), &self.budget, false);
        for &root in &roots {
            // Both mirrors follow one encoding, so both look at nothing but what differs from the state before.
            self.mirror.unfold(&self.plan, &self.pairs, root, &mut encoding);
            let root = trie.root(&mut encoding)?;
            self.mirror.observe_with(&trie.mirror);
            trie.enter(trie.approach(root), usize::MAX)?;
        }
        if let Some(queue) = self.queue.take() {
            let moved = self.requeue(&queue, &mut trie);
            self.queue = Some(queue);
            trie.queue = Some(moved?);
        }
        let gained = trie.pairs.len() < self.pairs.len() / 10 * 9;
        trie.is_settled = roots.len() >= 1 << 14 && !gained;
        trie.plan_at = self.plan_at;
        trie.epoch = self.epoch + 1;
        trie.prepares_from = self.prepares_from;
        trie.id_limit = self.id_limit;
        *self = trie;
        Ok(())
    }

    /// The queue with the root pairs of another trie.
    fn requeue(&mut self, queue: &Fifo, trie: &mut Self) -> Result<Fifo, Full> {
        let mut moved = Fifo::new(&self.budget);
        let mut encoding = Encoding::new();
        for root in queue.iter() {
            self.rebuild(root, &mut encoding);
            moved.reserve()?;
            moved.push(trie.root(&mut encoding)?);
        }
        Ok(moved)
    }

    /// Replaces `into` by the state of a root pair.
    fn rebuild(&mut self, root: u64, into: &mut Encoding) {
        self.mirror.unfold(&self.plan, &self.pairs, root, into);
        self.mirror.observe(into);
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
        if let Some(root) = self.roots.of(id) {
            return self.rebuild(root, into);
        }
        let root = self.queue.as_mut().and_then(Fifo::pop);
        // The pairs of the next state can come near meanwhile.
        if let Some(next) = self.queue.as_ref().and_then(Fifo::peek) {
            self.mirror.approach(&self.plan, &self.pairs, next);
        }
        self.rebuild(root.expect("a state that was stored, and was not asked for"), into);
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        let queue = self.queue.as_ref().map_or(0, Fifo::bytes);
        self.roots.bytes() + queue + self.pairs.bytes()
    }

    fn access(&self) -> Access {
        match &self.queue {
            _ if R::NUMBERED => Access::ById,
            Some(_) => Access::InOrder,
            None => Access::Never,
        }
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        vec![figure("leaves", self.plan.leaves()), figure("inner_nodes", self.pairs.len() + self.len())]
    }

    #[inline]
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        Some(self)
    }
}

impl<R: Roots> PreparedStore for Trie<R> {
    fn is_worthwhile(&self) -> bool {
        self.roots.bytes() >= self.prepares_from
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        let root = self.root(encoding)?;
        Ok(self.approach(root))
    }

    #[inline]
    fn contains(&self, ticket: Ticket) -> bool {
        self.roots.contains(ticket.0 as u64)
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let insert = self.enter(ticket, limit)?;
        if let Insert::New(_) = insert {
            self.with_rest += usize::from(self.mirror.has_rest());
        }
        Ok(insert)
    }

    fn set_base(&mut self, encoding: &mut Encoding) -> bool {
        if !self.mirror.is_up_to_date(encoding) && self.root(encoding).is_err() {
            return false;
        }
        self.mirror.forget();
        true
    }

    #[inline]
    fn prepare_effect(&mut self, effect: Effect<'_>) -> Option<Ticket> {
        let Self { plan, pairs, mirror, patches, .. } = self;
        let patched = patches.apply(plan, pairs, mirror, effect);
        debug_assert!(patched.is_none() || patched == mirror.foresee(plan, pairs, effect.writes));
        let root = patched.or_else(|| mirror.foresee(plan, pairs, effect.writes))?;
        Some(self.approach(root))
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    #[inline]
    fn maintain(&mut self) {
        if self.len() >= self.plan_at {
            self.review();
        }
    }
}
