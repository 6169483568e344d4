//! The exact store that shares: a tree of interned pairs.
//!
//! A word of a state is interned and has a number; two numbers make a pair, which is interned and has a number; and so on up
//! to the root, whose pair *is* the state. Two states are the same exactly if their root pairs are. Neighbours in a search
//! share most of their words and so most of their pairs: near the end a state costs little more than its root pair.
//!
//! ```text
//!            root pair                      the visited set: of pairs of 32-bit numbers
//!            /       \
//!        pair         pair                  inner nodes: interned pairs
//!        /   \       /    \
//!     word  word   word   pair              leaves: interned 64-bit words
//!                         /   \
//!                      word   rest
//! ```
//!
//! - *Which word is where* says a plan ([`plan`]), which is learned from the states ([`sample`]) and made anew while the store is
//!   small. What the plan does not know, such as a component that never existed
//!   before, hangs as a list on the last leaf, the rest; where that becomes common there is a new plan.
//! - *Cost by change.* The store keeps the tree of the last state (its mirror). An encoding tells what was touched since; only
//!   these leaves, and the nodes above them, are looked up anew. A state that is rebuilt is unfolded from where its tree
//!   differs from the mirror.
//! - *A set and a queue.* No search asks for a state by its number. A breadth-first search wants them back in their order, so
//!   the root pairs of those that it has not asked for yet are kept in a queue as well. The set ([`crate::pair_set`]) takes two
//!   to five bytes a state.
//!
//! Interned words and pairs of states that were then refused stay behind: they are not states.

mod fifo;
mod plan;
mod queue;
mod sample;

use system::{Encoding, Key, Moment, Section, Write};

use crate::interner::Interner;
use crate::mix::place;
use crate::pair_set::PairSet;
use crate::{Budget, Figure, Full, Insert, StateId, StateStore, Ticket};
use fifo::Fifo;
use plan::{NOWHERE, Plan, Position, Tree};
use queue::Queue;
use sample::Sample;

/// A better plan must not cost more than so many words that are moved.
const MOST_MOVED: usize = 1 << 22;

/// What about fits the caches of a processor.
const PREPARES_FROM: usize = 1 << 20;

/// The number of a leaf without a word, and of a pair of such.
const ABSENT: u32 = 0;
/// The number of the first leaf of a component that is there and has no words.
const EMPTY: u32 = 1;
/// Numbers of words begin here, those of pairs at 1.
const FIRST_WORD: u32 = 2;

#[derive(Debug)]
pub struct Trie {
    tables: Tables,
    roots: Box<PairSet>,
    /// The root pairs of the states that were not asked for yet, if anybody will ask.
    queue: Option<Fifo>,
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

/// Interned words and pairs.
#[derive(Debug)]
struct Tables {
    words: Interner,
    pairs: Interner,
    /// Pairs that were asked for lately, and their numbers: most are asked for again soon.
    recent: Box<[(u64, u32); RECENT]>,
}

const RECENT: usize = 1 << 10;

/// The tree of one state.
#[derive(Debug)]
struct Mirror {
    /// By position; the root has none.
    numbers: Vec<u32>,
    /// By leaf that has a word.
    words: Vec<u64>,
    /// Inner nodes of which a child has changed.
    open: Queue,
    /// What the last update changed, unless that can't be taken back: of leaves, and numbers of inner nodes.
    leaf_log: Vec<Change>,
    inner_log: Vec<(u32, u32)>,
    /// Scratch: the components that were taken back.
    returned: Vec<Key>,
    /// The components that are in the rest, in order, with their places in `rest_words`.
    rest: Vec<(Key, std::ops::Range<usize>)>,
    rest_words: Vec<u64>,
    /// The encoding that it shows, as of then.
    moment: Option<Moment>,
}

/// What a leaf was before.
#[derive(Clone, Copy, Debug)]
struct Change {
    leaf: u32,
    number: u32,
    word: u64,
}

impl Trie {
    /// If states are to be asked for in their order, it `queues` them.
    pub fn new(budget: &Budget, queues: bool) -> Self {
        Self::with_plan(Plan::new(&[], |_| Tree::Leaf(0)), budget, queues)
    }

    fn with_plan(plan: Plan, budget: &Budget, queues: bool) -> Self {
        Self {
            tables: Tables {
                words: Interner::new(budget),
                pairs: Interner::new(budget),
                recent: Box::new([(0, ABSENT); RECENT]),
            },
            roots: Box::new(PairSet::new(budget)),
            queue: queues.then(|| Fifo::new(budget)),
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

    /// The root pair of a state.
    fn root(&mut self, encoding: &mut Encoding) -> Result<u64, Full> {
        self.mirror.update(&self.plan, &mut self.tables, encoding)?;
        self.mirror.moment = Some(encoding.now());
        Ok(self.mirror.root(&self.plan))
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
        let id = StateId(roots.len() as u32);
        let root = ticket.0 as u64;
        let is_new = roots.insert(root, |len| match len {
            _ if len >= limit => Err(Full::States),
            _ if len >= *id_limit => Err(Full::Ids),
            _ => queue.as_mut().map_or(Ok(()), Fifo::reserve),
        })?;
        if !is_new {
            return Ok(Insert::Seen(None));
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
        let is_unbalanced = !self.is_settled
            && (len <= 1 << 12 || self.tables.pairs.len() > len / 4)
            && len * self.plan.leaves() <= MOST_MOVED;
        if is_stretched || is_unbalanced {
            // Without the memory for it, the old plan is as right as the new one.
            _ = self.replan();
        }
    }

    /// Learns a new plan and moves all states over.
    fn replan(&mut self) -> Result<(), Full> {
        let mut roots: Vec<u64> = self.roots.iter().collect();
        // States that have a half in common, one after the other: the less there is to rebuild.
        roots.sort_unstable();
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
        let mut trie = Self::with_plan(sample.plan(), &self.budget, false);
        for &root in &roots {
            self.rebuild(root, &mut encoding);
            let root = trie.root(&mut encoding)?;
            trie.enter(trie.approach(root), usize::MAX)?;
        }
        if let Some(queue) = self.queue.take() {
            let moved = self.requeue(&queue, &mut trie);
            self.queue = Some(queue);
            trie.queue = Some(moved?);
        }
        let gained = trie.tables.pairs.len() < self.tables.pairs.len() / 10 * 9;
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
        self.mirror.unfold(&self.plan, &self.tables, root, into);
        self.mirror.moment = Some(into.now());
    }
}

impl StateStore for Trie {
    fn kind(&self) -> &'static str {
        "trie"
    }

    fn rebuilds(&self) -> bool {
        false
    }

    fn queues(&self) -> bool {
        self.queue.is_some()
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
        self.roots.bytes() >= self.prepares_from
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
        let root = self.mirror.change(&self.plan, &mut self.tables, writes);
        self.mirror.take_back(&self.plan);
        root.map(|root| self.approach(root))
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
            self.with_rest += usize::from(!self.mirror.rest.is_empty());
        }
        Ok(insert)
    }

    fn epoch(&self) -> u32 {
        self.epoch
    }

    fn decode(&mut self, _: StateId, _: &mut Encoding) {
        unreachable!("states have no numbers")
    }

    fn next(&mut self, _: StateId, into: &mut Encoding) {
        let root = self.queue.as_mut().and_then(Fifo::pop);
        self.rebuild(root.expect("a state that was stored, and was not asked for"), into);
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    fn bytes(&self) -> usize {
        let queue = self.queue.as_ref().map_or(0, Fifo::bytes);
        self.roots.bytes() + queue + self.tables.words.bytes() + self.tables.pairs.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        vec![
            figure("leaves", self.tables.words.len()),
            figure("inner_nodes", self.tables.pairs.len() + self.len()),
        ]
    }
}

impl Tables {
    #[inline]
    fn word(&mut self, word: u64) -> Result<u32, Full> {
        Ok(self.words.intern(word)? + FIRST_WORD)
    }

    fn word_of(&self, number: u32) -> u64 {
        self.words.get(number - FIRST_WORD)
    }

    /// The number of a pair. That of two absent ones is absent, which is what all that is recent says at first.
    #[inline]
    fn pair(&mut self, pair: u64) -> Result<u32, Full> {
        let recent = &mut self.recent[place(pair.wrapping_mul(0x9e37_79b9_7f4a_7c15), RECENT) % RECENT];
        if recent.0 == pair {
            return Ok(recent.1);
        }
        let number = if pair == 0 { ABSENT } else { self.pairs.intern(pair)? + 1 };
        *recent = (pair, number);
        Ok(number)
    }

    fn pair_of(&self, number: u32) -> [u32; 2] {
        if number == ABSENT { [ABSENT; 2] } else { split(self.pairs.get(number - 1)) }
    }
}

#[inline]
fn join(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

fn split(pair: u64) -> [u32; 2] {
    [(pair >> 32) as u32, pair as u32]
}

impl Mirror {
    /// Shows a state without components.
    fn new(plan: &Plan) -> Self {
        Self {
            numbers: vec![ABSENT; plan.positions()],
            words: vec![0; plan.leaves()],
            open: Queue::new(plan.inner()),
            leaf_log: Vec::new(),
            inner_log: Vec::new(),
            returned: Vec::new(),
            rest: Vec::new(),
            rest_words: Vec::new(),
            moment: None,
        }
    }

    fn root(&self, plan: &Plan) -> u64 {
        match plan.inner() {
            0 => join(self.numbers[plan.rest()], ABSENT),
            inner => {
                let [left, right] = plan.children(inner - 1);
                join(self.numbers[left], self.numbers[right])
            }
        }
    }

    /// Comes to show the state of an encoding. If that ends early, the next time begins where it ended.
    fn update(&mut self, plan: &Plan, tables: &mut Tables, encoding: &Encoding) -> Result<(), Full> {
        let touched = self.moment.take().and_then(|moment| encoding.touched(moment));
        let mut rest_changed = false;
        if let Some(keys) = touched {
            self.go_back(plan, encoding, keys);
            for &key in keys {
                rest_changed |= self.update_component(plan, tables, key, encoding)?;
            }
            for at in 0..self.returned.len() {
                rest_changed |= self.update_component(plan, tables, self.returned[at], encoding)?;
            }
        } else {
            self.forget();
            for key in plan.components() {
                self.update_component(plan, tables, key, encoding)?;
            }
            rest_changed = true;
        }
        if rest_changed {
            self.update_rest(plan, tables, touched, encoding)?;
        }
        self.join_up(plan, tables)?;
        if rest_changed {
            // The list of what is in the rest can't be taken back.
            self.forget();
        }
        Ok(())
    }

    /// Numbers the inner nodes anew of which a child has changed.
    #[inline]
    fn join_up(&mut self, plan: &Plan, tables: &mut Tables) -> Result<(), Full> {
        while let Some(inner) = self.open.pop() {
            let node = plan.node(inner);
            if node.above == NOWHERE {
                break;
            }
            let [left, right] = node.children.map(|child| self.numbers[child as usize]);
            match tables.pair(join(left, right)) {
                Ok(number) => {
                    let old = std::mem::replace(&mut self.numbers[plan.leaves() + inner], number);
                    if old != number {
                        self.inner_log.push((inner as u32, old));
                        self.open.push(node.above as usize);
                    }
                }
                Err(full) => {
                    self.open.push(inner);
                    return Err(full);
                }
            }
        }
        Ok(())
    }

    /// The root pair after some changes, which are then to be taken back.
    fn change(&mut self, plan: &Plan, tables: &mut Tables, writes: &[Write]) -> Option<u64> {
        for write in writes {
            let span = plan.span(write.key);
            let leaf = (span.first + write.word) as usize;
            if write.word >= span.count || self.numbers[leaf] < FIRST_WORD {
                return None;
            }
            let word = self.words[leaf] & !write.mask | write.bits;
            if word != self.words[leaf] {
                let number = tables.word(word).ok()?;
                self.put(plan, leaf, number);
                self.words[leaf] = word;
            }
        }
        self.join_up(plan, tables).ok()?;
        Some(self.root(plan))
    }

    /// Undoes what was changed since the last time that it was forgotten.
    #[inline]
    fn take_back(&mut self, plan: &Plan) {
        for &Change { leaf, number, word } in self.leaf_log.iter().rev() {
            self.numbers[leaf as usize] = number;
            self.words[leaf as usize] = word;
        }
        for &(inner, number) in self.inner_log.iter().rev() {
            self.numbers[plan.leaves() + inner as usize] = number;
        }
        self.leaf_log.clear();
        self.inner_log.clear();
        // Nothing is open, unless there was no memory.
        while self.open.pop().is_some() {}
    }

    /// From here on there is no way back.
    fn forget(&mut self) {
        self.leaf_log.clear();
        self.inner_log.clear();
        self.returned.clear();
    }

    /// A depth-first search takes most steps back at once: where the encoding seems to be what it was before the last update,
    /// so will be the tree. The components that are taken back are to be looked at again, as those that were touched are.
    #[inline]
    fn go_back(&mut self, plan: &Plan, encoding: &Encoding, touched: &[Key]) {
        self.returned.clear();
        let is_back = self.leaf_log.first().is_some_and(|change| {
            let key = plan.key(change.leaf as usize).expect("the rest can't be taken back");
            let at = change.leaf - plan.span(key).first;
            let word = encoding.get(key).and_then(|words| words.get(at as usize));
            word.copied() == (change.number >= FIRST_WORD).then_some(change.word)
        });
        if is_back {
            for &Change { leaf, .. } in self.leaf_log.iter().rev() {
                let key = plan.key(leaf as usize).expect("the rest can't be taken back");
                if self.returned.last() != Some(&key) && !touched.contains(&key) {
                    self.returned.push(key);
                }
            }
            self.take_back(plan);
        }
        self.leaf_log.clear();
        self.inner_log.clear();
    }

    /// Gives a leaf its number.
    #[inline]
    fn put(&mut self, plan: &Plan, leaf: Position, number: u32) {
        let old = std::mem::replace(&mut self.numbers[leaf], number);
        if old != number {
            self.leaf_log.push(Change { leaf: leaf as u32, number: old, word: self.words[leaf] });
            if plan.above(leaf) != NOWHERE {
                self.open.push(plan.above(leaf) as usize);
            }
        }
    }

    /// Returns whether the component is in the rest now, or was.
    #[inline]
    fn update_component(
        &mut self,
        plan: &Plan,
        tables: &mut Tables,
        key: Key,
        encoding: &Encoding,
    ) -> Result<bool, Full> {
        let span = plan.span(key);
        let leaves = span.first as usize..(span.first + span.count) as usize;
        let words = encoding.get(key);
        // As a rule it is as long as it ever was.
        if let Some(words) = words
            && words.len() == leaves.len()
            && !words.is_empty()
        {
            for (leaf, &word) in leaves.zip(words) {
                if self.words[leaf] != word || self.numbers[leaf] < FIRST_WORD {
                    let number = tables.word(word)?;
                    self.put(plan, leaf, number);
                    self.words[leaf] = word;
                }
            }
            return Ok(!self.rest.is_empty() && self.is_in_rest(key));
        }
        self.update_odd_component(plan, tables, key, encoding)
    }

    /// The same of one that is longer or shorter than planned, or not there.
    fn update_odd_component(
        &mut self,
        plan: &Plan,
        tables: &mut Tables,
        key: Key,
        encoding: &Encoding,
    ) -> Result<bool, Full> {
        let span = plan.span(key);
        let words = encoding.get(key);
        let fits = words.is_none_or(|words| words.len().max(1) <= span.count as usize);
        // What does not fit leaves its leaves empty.
        let words = words.filter(|_| fits);
        let is_empty = words.is_some_and(<[u64]>::is_empty);
        let words = words.unwrap_or_default();
        let first = span.first as usize;
        for (leaf, &word) in (first..).zip(words) {
            let number = tables.word(word)?;
            self.put(plan, leaf, number);
            self.words[leaf] = word;
        }
        for leaf in first + words.len()..first + span.count as usize {
            self.put(plan, leaf, if is_empty && leaf == first { EMPTY } else { ABSENT });
        }
        Ok(!fits || self.is_in_rest(key))
    }

    fn is_in_rest(&self, key: Key) -> bool {
        self.rest.binary_search_by_key(&key, |(other, _)| *other).is_ok()
    }

    /// Lists the components that have no leaves, or not enough of them.
    #[cold]
    fn update_rest(
        &mut self,
        plan: &Plan,
        tables: &mut Tables,
        touched: Option<&[Key]>,
        encoding: &Encoding,
    ) -> Result<(), Full> {
        let mut keys: Vec<Key> = match touched {
            Some(touched) => self.rest.iter().map(|(key, _)| *key).chain(touched.iter().copied()).collect(),
            None => encoding.components().map(|(key, _)| key).collect(),
        };
        keys.sort_unstable();
        keys.dedup();
        self.rest.clear();
        self.rest_words.clear();
        let mut list = ABSENT;
        for key in keys {
            let Some(words) = encoding.get(key) else { continue };
            if words.len().max(1) <= plan.span(key).count as usize {
                continue;
            }
            let start = self.rest_words.len();
            self.rest_words.extend_from_slice(words);
            self.rest.push((key, start..self.rest_words.len()));
            let mut chain = ABSENT;
            for &word in words {
                let number = tables.word(word)?;
                chain = tables.pair(join(chain, number))?;
            }
            let head = tables.word(head(key, words.len()))?;
            let component = tables.pair(join(head, chain))?;
            list = tables.pair(join(list, component))?;
        }
        self.put(plan, plan.rest(), list);
        Ok(())
    }

    /// Comes to show the state of a root pair, and lets `into` describe it.
    fn unfold(&mut self, plan: &Plan, tables: &Tables, root: u64, into: &mut Encoding) {
        let touched = self.moment.take().and_then(|moment| into.touched(moment));
        let mut keys = touched.map_or_else(Vec::new, <[Key]>::to_vec);
        let is_known = touched.is_some();
        // What an update left undone is of no interest any more.
        while self.open.pop().is_some() {}
        self.forget();
        let mut last = None;
        let mut stack = Vec::new();
        match plan.inner() {
            0 => stack.push((plan.rest(), split(root)[0])),
            inner => stack.extend(plan.children(inner - 1).into_iter().zip(split(root))),
        }
        while let Some((position, number)) = stack.pop() {
            if std::mem::replace(&mut self.numbers[position], number) == number && is_known {
                continue;
            }
            if let Some(node) = position.checked_sub(plan.leaves()) {
                stack.extend(plan.children(node).into_iter().zip(tables.pair_of(number)));
            } else if let Some(key) = plan.key(position) {
                if number >= FIRST_WORD {
                    self.words[position] = tables.word_of(number);
                }
                if last != Some(key) {
                    keys.push(key);
                    last = Some(key);
                }
            } else {
                keys.extend(self.rest.iter().map(|(key, _)| *key));
                self.unfold_rest(tables, number);
                keys.extend(self.rest.iter().map(|(key, _)| *key));
            }
        }
        if !is_known {
            into.clear();
        }
        for key in keys {
            self.show(plan, key, into);
        }
    }

    fn unfold_rest(&mut self, tables: &Tables, mut list: u32) {
        self.rest.clear();
        self.rest_words.clear();
        while list != ABSENT {
            let [before, component] = tables.pair_of(list);
            list = before;
            let [head, mut chain] = tables.pair_of(component);
            let (key, len) = key_and_len(tables.word_of(head));
            let start = self.rest_words.len();
            for _ in 0..len {
                let [before, word] = tables.pair_of(chain);
                chain = before;
                self.rest_words.push(tables.word_of(word));
            }
            self.rest_words[start..].reverse();
            self.rest.push((key, start..self.rest_words.len()));
        }
        self.rest.reverse();
    }

    /// Brings a component of an encoding up to date with the mirror.
    fn show(&self, plan: &Plan, key: Key, into: &mut Encoding) {
        if let Ok(at) = self.rest.binary_search_by_key(&key, |(other, _)| *other) {
            return into.set(key, &self.rest_words[self.rest[at].1.clone()]);
        }
        let span = plan.span(key);
        let leaves = span.first as usize..(span.first + span.count) as usize;
        let numbers = &self.numbers[leaves.clone()];
        match numbers.first() {
            None | Some(&ABSENT) => into.remove(key),
            Some(_) => {
                let len = numbers.iter().take_while(|&&number| number >= FIRST_WORD).count();
                into.set(key, &self.words[leaves][..len]);
            }
        }
    }
}

/// A word that tells which component of the rest follows, and how long it is.
fn head(key: Key, len: usize) -> u64 {
    (key.section as u64) << 62 | u64::from(key.index) << 30 | len as u64
}

fn key_and_len(head: u64) -> (Key, usize) {
    let section = Section::ALL[(head >> 62) as usize];
    (Key { section, index: (head >> 30) as u32 }, head as usize & ((1 << 30) - 1))
}
