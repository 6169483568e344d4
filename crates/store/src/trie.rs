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
//! - *Numbered or not.* A breadth-first search asks for states by number, so root pairs are interned like others, in about 14
//!   bytes. A depth-first search never does, and a set of root pairs takes about 10.
//!
//! Interned pairs of states that were then refused stay behind: they are not states.

mod complete;
mod mirror;
mod pairs;
mod plan;
mod queue;
mod sample;

use system::{Encoding, Write};

use crate::interner::Interner;
use crate::word_set::{Mixed, WordSet};
use crate::{Budget, Figure, Full, Insert, StateId, StateStore, Ticket};
use mirror::Mirror;
use pairs::Pairs;
use plan::{Plan, Tree};
use sample::Sample;

/// A better plan must not cost more than so many words that are moved.
const MOST_MOVED: usize = 1 << 22;

/// What about fits the caches of a processor.
const PREPARES_FROM: usize = 1 << 20;

#[derive(Debug)]
pub struct Trie {
    pairs: Pairs,
    roots: Roots,
    plan: Plan,
    mirror: Mirror,
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

#[derive(Debug)]
enum Roots {
    Set(Box<WordSet>),
    Numbered(Interner),
}

impl Trie {
    /// If states are to be found again by their ids, they are `numbered`.
    pub fn new(budget: &Budget, numbered: bool) -> Self {
        Self::with_plan(Plan::new(&[], &Tree::Rest), budget, numbered)
    }

    fn with_plan(plan: Plan, budget: &Budget, numbered: bool) -> Self {
        let roots = if numbered {
            Roots::Numbered(Interner::new(budget))
        } else {
            Roots::Set(Box::new(WordSet::new(budget)))
        };
        Self {
            pairs: Pairs::new(budget),
            roots,
            mirror: Mirror::new(&plan),
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

    fn numbered(&self) -> bool {
        matches!(self.roots, Roots::Numbered(_))
    }

    /// The root pair of a state.
    fn root(&mut self, encoding: &mut Encoding) -> Result<u64, Full> {
        self.mirror.follow(&self.plan, &mut self.pairs, encoding)
    }

    /// What becomes of a root pair on its way into the visited set.
    #[inline]
    fn approach(&self, root: u64) -> Ticket {
        match &self.roots {
            Roots::Set(set) => Ticket(set.prepare(root).0.into()),
            Roots::Numbered(interner) => {
                interner.prefetch(root);
                Ticket(root.into())
            }
        }
    }

    #[inline]
    fn enter(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let id_limit = self.id_limit;
        let admit = |len: usize| match len {
            _ if len >= limit => Err(Full::States),
            _ if len >= id_limit => Err(Full::Ids),
            _ => Ok(()),
        };
        let ticket = ticket.0 as u64;
        match &mut self.roots {
            Roots::Set(set) => {
                let id = StateId(set.len() as u32);
                let is_new = set.insert(Mixed(ticket), admit)?;
                Ok(if is_new { Insert::New(id) } else { Insert::Seen(None) })
            }
            Roots::Numbered(interner) => {
                if let Some(number) = interner.find(ticket) {
                    return Ok(Insert::Seen(Some(StateId(number))));
                }
                admit(interner.len())?;
                interner.intern(ticket).map(|number| Insert::New(StateId(number)))
            }
        }
    }

    fn root_bytes(&self) -> usize {
        match &self.roots {
            Roots::Set(set) => set.bytes(),
            Roots::Numbered(interner) => interner.bytes(),
        }
    }

    /// Looks whether a better plan is due, and makes it.
    #[cold]
    fn review(&mut self) {
        let len = self.len();
        self.plan_at = len * if len < 1 << 12 { 16 } else { 4 };
        let is_stretched = self.with_rest > len / 16;
        let is_unbalanced = !self.is_settled
            && (len <= 1 << 12 || self.pairs.len() > len / 32)
            && len * self.plan.slots() <= MOST_MOVED;
        if is_stretched || is_unbalanced {
            // Without the memory for it, the old plan is as right as the new one.
            _ = self.replan();
        }
    }

    /// Learns a new plan and moves all states over.
    fn replan(&mut self) -> Result<(), Full> {
        let roots: Vec<u64> = match &self.roots {
            Roots::Set(set) => {
                let mut roots: Vec<u64> = set.iter().collect();
                // States that have a half in common, one after the other: the less there is to rebuild.
                roots.sort_unstable();
                roots
            }
            Roots::Numbered(interner) => interner.items().to_vec(),
        };
        let mut sample = Sample::default();
        let mut encoding = Encoding::new();
        // Spread over all of them; the last state is the one that the next ones resemble.
        for &root in roots.iter().rev().step_by(roots.len() / 4096 + 1) {
            self.rebuild(root, &mut encoding);
            sample.add(&encoding);
            if sample.is_enough() {
                break;
            }
        }
        let mut trie = Self::with_plan(sample.plan(), &self.budget, self.numbered());
        for &root in &roots {
            // Both mirrors follow one encoding, so both look at nothing but what differs from the state before.
            self.mirror.unfold(&self.plan, &self.pairs, root, &mut encoding);
            let root = trie.root(&mut encoding)?;
            self.mirror.observe_with(&trie.mirror);
            trie.enter(trie.approach(root), usize::MAX)?;
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

    /// Replaces `into` by the state of a root pair.
    fn rebuild(&mut self, root: u64, into: &mut Encoding) {
        self.mirror.unfold(&self.plan, &self.pairs, root, into);
        self.mirror.observe(into);
    }
}

impl StateStore for Trie {
    fn kind(&self) -> &'static str {
        "trie"
    }

    fn rebuilds(&self) -> bool {
        self.numbered()
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let ticket = self.prepare(encoding)?;
        let insert = self.commit(ticket, limit)?;
        self.tidy();
        Ok(insert)
    }

    #[inline]
    fn tidy(&mut self) {
        if self.len() >= self.plan_at {
            self.review();
        }
    }

    fn prepares(&self) -> bool {
        self.root_bytes() >= self.prepares_from
    }

    fn foresees(&self) -> bool {
        true
    }

    fn rebase(&mut self, encoding: &mut Encoding) -> Result<(), Full> {
        self.root(encoding)?;
        self.mirror.forget();
        Ok(())
    }

    fn prepare_changed(&mut self, writes: &[Write]) -> Option<Ticket> {
        let root = self.mirror.foresee(&self.plan, &mut self.pairs, writes);
        root.map(|root| self.approach(root))
    }

    #[inline]
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full> {
        let root = self.root(encoding)?;
        Ok(self.approach(root))
    }

    #[inline]
    fn contains(&self, ticket: Ticket) -> bool {
        match &self.roots {
            Roots::Set(set) => set.contains(Mixed(ticket.0 as u64)),
            Roots::Numbered(interner) => interner.find(ticket.0 as u64).is_some(),
        }
    }

    #[inline]
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full> {
        let insert = self.enter(ticket, limit)?;
        if let Insert::New(_) = insert {
            self.with_rest += usize::from(self.mirror.has_rest());
        }
        Ok(insert)
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let Roots::Numbered(interner) = &self.roots else { unreachable!("states are not numbered") };
        self.rebuild(interner.get(id.0), into);
    }

    fn len(&self) -> usize {
        match &self.roots {
            Roots::Set(set) => set.len(),
            Roots::Numbered(interner) => interner.len(),
        }
    }

    fn bytes(&self) -> usize {
        self.root_bytes() + self.pairs.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        vec![figure("leaves", self.plan.leaves()), figure("inner_nodes", self.pairs.len() + self.len())]
    }
}
