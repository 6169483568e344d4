//! Names by access chain, kept up to date step by step.
//!
//! The chain of a unit is the least path to it: the places to follow from the globals, or else from a running
//! thread. Paths from globals come before paths from threads, short ones before long ones, and then they are
//! compared place by place. Appending a place to a path makes it greater, and greater paths stay greater when
//! both get the same place appended; so the least paths are a fixed point that can be repaired around an edit
//! instead of being computed anew. A unit without a chain is garbage, cycles included: nothing ever traverses
//! the heap, neither to name nor to collect.
//!
//! Naming objects by such paths, with a table that gives each a number, is from Musuvathi and Dill, "An
//! incremental heap canonicalization algorithm" (2005), section 4.2. They find the paths of each state by a
//! traversal; the repair is that of Ramalingam and Reps, "An incremental algorithm for a generalization of
//! the shortest-path problem" (1996).
//!
//! Chains are interned in a table, as (chain without its last place, last place). Undo does not take chains
//! out of the table. Between steps, when the table has grown to several times what is in use, it is
//! [compacted](Chains::compact): the chains that a unit has or the log mentions get new numbers, and the
//! others are dropped. Everything else is undone with the step that did it.
//!
//! What changed comes from the journal of the state, which is read once when a step was taken and once more
//! before it is taken back. So edges need no log here; chains do, since the journal does not have them.
//!
//! What a thread alone can reach is its *region*. Its names are relative to the thread, so they do not change
//! when the order of the threads does. An edge that leads into the region of another thread is *crossing*.
//!
//! Every unit contributes a share to the hash of its origin, where its chain starts: a hash of its chain and
//! of its contents, with chains for names. Shares are brought up to date on demand, only for units that
//! changed, whose chain changed, or that mention a unit whose chain changed.

use std::ops::Range;

use rustc_hash::FxHashSet;
use state::{Change, Entity, Layout, Mention, NodeRef, ObjectId, SPARE, State, ThreadId, make_room};

use crate::chain_table::{ChainId, ChainTable, THREAD};
use crate::content::hash_unit;
use crate::mix::mix128;

/// A unit, by [`NodeRef::index`].
type Vertex = u32;

/// What is known of a unit.
#[derive(Clone, PartialEq, Debug)]
struct Known {
    /// The chain, once everything is repaired.
    chain: ChainId,
    /// The least chain that the units that mention it offer.
    offered: ChainId,
    /// The chain under which it is listed.
    placed: ChainId,
    /// The number of its edges that cross.
    crossing: u32,
    /// Its share of the hash of its origin, once nothing is stale.
    share: Share,
    /// The units that mention it, and where.
    mentions: Mentions,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Share {
    hash: u128,
    origin: u32,
}

const UNKNOWN: Known = Known {
    chain: ChainId::NONE,
    offered: ChainId::NONE,
    placed: ChainId::NONE,
    crossing: 0,
    share: Share { hash: 0, origin: 0 },
    mentions: Mentions::NONE,
};

/// The units that mention a unit, with labels: a list while they are few, a set when they are many.
#[derive(Clone, PartialEq, Debug)]
struct Mentions {
    few: Vec<(Vertex, u64)>,
    many: Option<Box<FxHashSet<(Vertex, u64)>>>,
}

impl Mentions {
    const NONE: Self = Self { few: Vec::new(), many: None };
    const FEW: usize = 64;

    fn clear(&mut self) {
        self.few.clear();
        self.many = None;
    }

    fn insert(&mut self, mention: (Vertex, u64)) {
        if let Some(many) = &mut self.many {
            many.insert(mention);
            return;
        }
        self.few.push(mention);
        if self.few.len() > Self::FEW {
            self.many = Some(Box::new(self.few.drain(..).collect()));
        }
    }

    fn remove(&mut self, mention: (Vertex, u64)) {
        let was_there = match &mut self.many {
            Some(many) => many.remove(&mention),
            // The last one is mostly removed first.
            None => match self.few.iter().rposition(|&other| other == mention) {
                Some(at) => {
                    self.few.swap_remove(at);
                    true
                }
                None => false,
            },
        };
        assert!(was_there, "the edge that is removed exists");
    }

    fn iter(&self) -> impl Iterator<Item = (Vertex, u64)> {
        self.few.iter().chain(self.many.iter().flat_map(|many| many.iter())).copied()
    }
}

enum Undo {
    Chain { vertex: Vertex, chain: ChainId },
    Offered { vertex: Vertex, chain: ChainId },
    Crossing { vertex: Vertex, crossing: u32 },
}

/// How the list of objects changed.
#[derive(Clone, Default, Debug)]
pub struct Relisted {
    /// The length of the part at its start that is the same as before.
    pub unchanged: usize,
    /// Objects that were listed and may not be listed any more.
    pub delisted: Vec<ObjectId>,
}

/// The chains of the units of one state.
#[derive(Default)]
pub struct Chains {
    pub table: ChainTable,
    known: Vec<Known>,
    /// The objects that have chains, by origin and then in the order of their chains. Up to date after
    /// [`Chains::arrange`].
    list: Vec<Vertex>,
    /// Units that may be listed under chains that they do not have any more.
    unlisted: Vec<Vertex>,
    /// How the list changed since the last [`Chains::take_relisted`].
    relisted: Relisted,
    /// By origin: the sum of the shares of its units.
    sums: Vec<u128>,
    crossing: u32,
    log: Vec<Undo>,
    /// By step: its start in the log, and the version before.
    marks: Vec<(usize, u64)>,
    /// Identifies the chains of all units: equal versions, equal chains.
    version: u64,
    last_version: u64,
    /// Units whose chain is not the one that is offered, least first: a binary heap.
    queue: Vec<(ChainId, Vertex)>,
    /// The units whose chain changed in this step, and their chains before.
    moved: Vec<(Vertex, ChainId)>,
    created: Vec<Vertex>,
    /// The units whose edges changed in this step, or lead to units whose chain changed.
    rewired: Vec<Vertex>,
    /// The units whose shares are out of date.
    stale: Vec<Vertex>,
    /// By unit: whether it is among `moved`, `rewired`, `stale`, `unlisted`.
    flags: Vec<[bool; 4]>,
    /// Whether there are no hashes.
    unhashed: bool,
    /// With more chains than this, compacting the table is worth it.
    most: usize,
    /// The number of chains when there was last [room](Chains::has_room) for more.
    asked: usize,
    /// The number of units that steps changed or renamed so far.
    pub touched: u64,
}

/// With fewer chains than this, the table is never compacted.
const MOST_UNUSED: usize = 1 << 12;

/// Visits all chains that are in use.
fn each_chain(known: &mut [Known], log: &mut [Undo], mut visit: impl FnMut(&mut ChainId)) {
    for known in known {
        visit(&mut known.chain);
        visit(&mut known.offered);
        visit(&mut known.placed);
    }
    for undo in log {
        match undo {
            Undo::Chain { chain, .. } | Undo::Offered { chain, .. } => visit(chain),
            Undo::Crossing { .. } => {}
        }
    }
}

const MOVED: usize = 0;
const REWIRED: usize = 1;
const STALE: usize = 2;
const UNLISTED: usize = 3;

impl Chains {
    /// Chains without hashes, which cost as much as the chains themselves.
    pub fn unhashed() -> Self {
        Self { unhashed: true, ..Self::default() }
    }

    /// The chain of a unit, if it can be reached.
    pub fn chain(&self, unit: NodeRef) -> ChainId {
        self.known.get(unit.index() as usize).map_or(ChainId::NONE, |known| known.chain)
    }

    /// Whether the chain of a unit starts at the globals.
    pub fn is_anchored(&self, unit: NodeRef) -> bool {
        let chain = self.chain(unit);
        chain.exists() && self.table.origin(chain) == 0
    }

    /// Where the chain of a unit starts, if it can be reached: 0 for the globals, one more than its id for a
    /// thread.
    pub fn origin(&self, unit: NodeRef) -> Option<u32> {
        let chain = self.chain(unit);
        chain.exists().then(|| self.table.origin(chain))
    }

    /// The objects whose chains start at the globals (0) or a thread (one more than its id), in order. The
    /// list must be [up to date](Chains::arrange).
    pub fn objects_from(&self, origin: u32) -> impl ExactSizeIterator<Item = ObjectId> {
        self.objects_in(self.range_from(origin))
    }

    /// The objects in a range of the list.
    pub fn objects_in(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = ObjectId> {
        self.list[range].iter().map(|&vertex| ObjectId(vertex / 2 - 1))
    }

    /// The range of the list with the objects of an origin.
    pub fn range_from(&self, origin: u32) -> Range<usize> {
        debug_assert!(self.unlisted.is_empty());
        let is_before =
            |&vertex: &Vertex, origin: u32| self.table.origin(self.known[vertex as usize].chain) < origin;
        let starts_before = |origin: u32| match self.list.last() {
            _ if origin == 0 => 0,
            // Often all objects are reached from the globals.
            Some(last) if is_before(last, origin) => self.list.len(),
            _ => self.list.partition_point(|vertex| is_before(vertex, origin)),
        };
        starts_before(origin)..starts_before(origin + 1)
    }

    /// The number of objects in the list.
    pub fn listed(&self) -> usize {
        self.list.len()
    }

    /// How the list changed since the last call.
    pub fn take_relisted(&mut self) -> Relisted {
        let unchanged = self.list.len();
        std::mem::replace(&mut self.relisted, Relisted { unchanged, delisted: Vec::new() })
    }

    /// The units that mention a unit; some more than once.
    pub fn mentioning(&self, unit: NodeRef) -> impl Iterator<Item = NodeRef> {
        self.mentions(unit).map(|(source, _)| source)
    }

    /// The units that mention a unit, with the label of the [edge](state::Edge).
    pub fn mentions(&self, unit: NodeRef) -> impl Iterator<Item = (NodeRef, u64)> {
        let mentions = &self.known[unit.index() as usize].mentions;
        let others = mentions.iter().filter(|(_, label)| label & THREAD == 0);
        others.map(|(source, label)| (NodeRef::from_index(source), label))
    }

    /// A hash of all units of this origin. Shares must be [up to date](Chains::refresh).
    pub fn sum(&self, origin: u32) -> u128 {
        debug_assert!(self.stale.is_empty());
        self.sums.get(origin as usize).copied().unwrap_or(0)
    }

    /// A hash of the state, which depends on the ids of threads.
    pub fn hash(&mut self, layout: &Layout, state: &State) -> u128 {
        assert!(!self.unhashed, "these chains have no hashes");
        self.refresh(layout, state);
        let sums = self.sums.iter().enumerate().filter(|&(_, &sum)| sum != 0);
        sums.fold(0, |total, (origin, &sum)| total.wrapping_add(mix128(sum, origin as u64)))
    }

    /// Whether an edge leads into the region of another thread.
    pub fn has_crossing(&self) -> bool {
        self.crossing > 0
    }

    /// Identifies the chains of all units: equal versions, equal chains.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Follows the state to another one by decoding, in which there is no garbage.
    pub fn decoded(&mut self, layout: &Layout, state: &State) {
        if state.changes().contains(&Change::Replaced) {
            self.reset(layout, state);
            return;
        }
        let touched = self.touched;
        for change in state.changes() {
            match *change {
                Change::Added(mention) => self.added(mention),
                Change::Removed(mention) => self.removed(mention),
                Change::Rewritten(unit) => _ = self.flag(STALE, unit.index()),
                change => unreachable!("decoding does not lead to {change:?}"),
            }
        }
        self.repair(layout, state);
        self.settle(layout, state);
        // No step did this.
        self.touched = touched;
        self.log.clear();
        self.marks.clear();
    }

    /// Starts anew with any state.
    pub fn reset(&mut self, layout: &Layout, state: &State) {
        for known in &mut self.known {
            let mut mentions = std::mem::replace(&mut known.mentions, Mentions::NONE);
            mentions.clear();
            *known = Known { mentions, ..UNKNOWN };
        }
        self.list.clear();
        self.relisted = Relisted::default();
        self.sums.fill(0);
        self.crossing = 0;
        self.log.clear();
        self.marks.clear();
        // If there are only the globals, no chain changes, but it is another state.
        self.last_version += 1;
        self.version = self.last_version;
        self.prepare(0);
        self.known[0].chain = ChainId::ROOT;
        self.known[0].offered = ChainId::ROOT;
        let touched = self.touched;
        for unit in state.units() {
            self.created(state, unit);
        }
        for unit in std::iter::once(NodeRef::Root).chain(state.units()) {
            let source = unit.index();
            state.edges(layout, unit, &mut |edge| {
                if let Some(target) = edge.target.node() {
                    self.add_mention(source, edge.label, target.index());
                }
            });
            self.flag(STALE, source);
        }
        self.repair(layout, state);
        self.settle(layout, state);
        self.log.clear();
        // No step did this.
        self.touched = touched;
    }

    /// Whether there is a step to take back.
    pub fn has_steps(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Follows the last step, and drops the garbage that it made.
    pub fn step(&mut self, layout: &Layout, state: &mut State) {
        self.marks.push((self.log.len(), self.version));
        let count = state.last_step().len();
        let mut last = None;
        let mut is_rewired = false;
        for change in state.last_step() {
            match *change {
                Change::Word { unit, .. } | Change::Node { unit, .. } => {
                    // Most of what is written more than once is written at one go.
                    self.touched += u64::from(last != Some(unit));
                    last = Some(unit);
                    self.flag(STALE, unit);
                    continue;
                }
                Change::BlockReused { .. }
                | Change::BlockAppended { .. }
                | Change::BlockFreed { .. }
                | Change::ValueWords { .. } => continue,
                Change::Added(mention) => self.added(mention),
                Change::Removed(mention) => self.removed(mention),
                Change::Created(unit) => self.created(state, unit),
                Change::Ended(id) => {
                    self.remove_mention(0, THREAD | u64::from(id.0), NodeRef::Thread(id).index());
                }
                Change::Dropped(_) | Change::Rewritten(_) | Change::Replaced => {
                    unreachable!("no step leads to {change:?}: only chains show what is garbage")
                }
            }
            is_rewired = true;
        }
        // Most steps leave the graph as it is.
        if is_rewired {
            self.repair(layout, state);
            self.drop_garbage(layout, state, count);
            self.settle(layout, state);
        }
    }

    /// Makes sure that the next steps need no memory here, if there is any. No step may be under way.
    pub fn has_room(&mut self) -> bool {
        // Compacting visits everything that mentions chains.
        if self.table.len() > self.most.max(MOST_UNUSED).max(self.log.len() / 4) {
            self.compact();
        }
        // Several times as many as were needed since the last time.
        let spare = SPARE.max(4 * self.table.len().saturating_sub(self.asked));
        self.asked = self.table.len();
        make_room(&mut self.log, SPARE) && make_room(&mut self.marks, SPARE) && self.table.has_room(spare)
    }

    /// Drops the chains that are not in use. In use are those that a unit has or the log gives back, and
    /// their prefixes. No step may be under way.
    pub fn compact(&mut self) {
        debug_assert!(self.queue.is_empty() && self.moved.is_empty());
        let mut used = vec![false; self.table.len()];
        used[ChainId::ROOT.0 as usize] = true;
        each_chain(&mut self.known, &mut self.log, |chain| {
            let mut at = *chain;
            while at.exists() && !std::mem::replace(&mut used[at.0 as usize], true) {
                at = self.table.get(at).parent;
            }
        });
        let renumbered = self.table.retain(&used);
        each_chain(&mut self.known, &mut self.log, |chain| {
            if chain.exists() {
                *chain = renumbered[chain.0 as usize];
            }
        });
        self.most = 4 * self.table.len();
        self.asked = self.table.len();
    }

    /// Takes the last step back, which the state is about to take back.
    pub fn undo(&mut self, state: &State) {
        for change in state.last_step().iter().rev() {
            match *change {
                Change::Word { unit, .. } | Change::Node { unit, .. } => _ = self.flag(STALE, unit),
                Change::Added(Mention { source, target, label }) => {
                    self.known[target as usize].mentions.remove((source, label));
                }
                Change::Removed(Mention { source, target, label }) => {
                    self.known[target as usize].mentions.insert((source, label));
                }
                Change::Created(NodeRef::Thread(id)) if state.is_running(id) => {
                    self.thread_mentions(id).remove((0, THREAD | u64::from(id.0)));
                }
                Change::Ended(id) => self.thread_mentions(id).insert((0, THREAD | u64::from(id.0))),
                _ => {}
            }
        }
        let (mark, version) = self.marks.pop().expect("every undo has its step");
        while self.log.len() > mark {
            match self.log.pop().expect("longer than the mark") {
                Undo::Chain { vertex, chain } => {
                    self.known[vertex as usize].chain = chain;
                    self.flag(UNLISTED, vertex);
                    self.flag_with_mentions(STALE, vertex);
                }
                Undo::Offered { vertex, chain } => self.known[vertex as usize].offered = chain,
                Undo::Crossing { vertex, crossing } => {
                    let old = std::mem::replace(&mut self.known[vertex as usize].crossing, crossing);
                    self.crossing = self.crossing + crossing - old;
                }
            }
        }
        self.version = version;
    }

    // Edges.

    fn prepare(&mut self, vertex: Vertex) {
        if vertex as usize >= self.known.len() {
            self.known.resize(vertex as usize + 1, UNKNOWN);
            self.flags.resize(vertex as usize + 1, [false; 4]);
        }
    }

    fn thread_mentions(&mut self, id: ThreadId) -> &mut Mentions {
        &mut self.known[NodeRef::Thread(id).index() as usize].mentions
    }

    fn created(&mut self, state: &State, unit: NodeRef) {
        let vertex = unit.index();
        self.prepare(vertex);
        self.created.push(vertex);
        if let NodeRef::Thread(id) = unit
            && state.is_running(id)
        {
            self.add_mention(0, THREAD | u64::from(id.0), vertex);
        }
    }

    fn added(&mut self, Mention { source, target, label }: Mention) {
        self.add_mention(source, label, target);
    }

    fn removed(&mut self, Mention { source, target, label }: Mention) {
        self.remove_mention(source, label, target);
    }

    fn add_mention(&mut self, source: Vertex, label: u64, target: Vertex) {
        self.prepare(source.max(target));
        self.flag(REWIRED, source);
        self.known[target as usize].mentions.insert((source, label));
        let chain = self.table.extend(self.known[source as usize].chain, label);
        self.offer(target, chain);
    }

    fn remove_mention(&mut self, source: Vertex, label: u64, target: Vertex) {
        self.flag(REWIRED, source);
        self.known[target as usize].mentions.remove((source, label));
        let chain = self.known[source as usize].chain;
        self.withdraw(target, chain, label);
    }

    // Repair.

    /// A new edge makes `chain` a path to `vertex`.
    fn offer(&mut self, vertex: Vertex, chain: ChainId) {
        if self.table.compare(chain, self.known[vertex as usize].offered).is_lt() {
            self.set_offered(vertex, chain);
        }
    }

    /// The path to `vertex` that extends `chain` by `label` does not exist any more.
    fn withdraw(&mut self, vertex: Vertex, chain: ChainId, label: u64) {
        if chain.exists() && self.table.extend(chain, label) == self.known[vertex as usize].offered {
            let mut least = ChainId::NONE;
            for (source, label) in self.known[vertex as usize].mentions.iter() {
                let chain = self.table.extend(self.known[source as usize].chain, label);
                if self.table.compare(chain, least).is_lt() {
                    least = chain;
                }
            }
            self.set_offered(vertex, least);
        }
    }

    fn set_offered(&mut self, vertex: Vertex, chain: ChainId) {
        let known = &mut self.known[vertex as usize];
        if known.offered != chain {
            self.log.push(Undo::Offered { vertex, chain: known.offered });
            known.offered = chain;
            self.enqueue(vertex);
        }
    }

    fn set_chain(&mut self, vertex: Vertex, chain: ChainId) {
        let known = &mut self.known[vertex as usize];
        self.log.push(Undo::Chain { vertex, chain: known.chain });
        if !std::mem::replace(&mut self.flags[vertex as usize][MOVED], true) {
            self.moved.push((vertex, known.chain));
        }
        known.chain = chain;
    }

    fn repair(&mut self, layout: &Layout, state: &State) {
        while let Some((key, vertex)) = self.dequeue() {
            let Known { chain, offered, .. } = self.known[vertex as usize];
            // A unit may be queued more than once: only the entry with its present key counts.
            if chain == offered || key != self.lesser(chain, offered) {
                continue;
            }
            if self.table.compare(offered, chain).is_lt() {
                self.set_chain(vertex, offered);
                self.each_edge(layout, state, vertex, |chains, target, label| {
                    let way = chains.table.extend(offered, label);
                    chains.offer(target, way);
                });
            } else {
                self.set_chain(vertex, ChainId::NONE);
                self.each_edge(layout, state, vertex, |chains, target, label| {
                    chains.withdraw(target, chain, label);
                });
                self.enqueue(vertex);
            }
        }
    }

    fn each_edge(
        &mut self,
        layout: &Layout,
        state: &State,
        source: Vertex,
        mut visit: impl FnMut(&mut Self, Vertex, u64),
    ) {
        state.edges(layout, NodeRef::from_index(source), &mut |edge| {
            if let Some(target) = edge.target.node() {
                visit(self, target.index(), edge.label);
            }
        });
    }

    fn lesser(&self, a: ChainId, b: ChainId) -> ChainId {
        if self.table.compare(a, b).is_le() { a } else { b }
    }

    fn enqueue(&mut self, vertex: Vertex) {
        let Known { chain, offered, .. } = self.known[vertex as usize];
        if chain == offered {
            return;
        }
        self.queue.push((self.lesser(chain, offered), vertex));
        let mut at = self.queue.len() - 1;
        while at > 0 && self.table.compare(self.queue[at].0, self.queue[(at - 1) / 2].0).is_lt() {
            self.queue.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn dequeue(&mut self) -> Option<(ChainId, Vertex)> {
        let last = self.queue.len().checked_sub(1)?;
        self.queue.swap(0, last);
        let least = self.queue.pop();
        let mut at = 0;
        loop {
            let children = (2 * at + 1..2 * at + 3).filter(|&child| child < self.queue.len());
            let child = children.min_by(|&a, &b| self.table.compare(self.queue[a].0, self.queue[b].0));
            match child {
                Some(child) if self.table.compare(self.queue[child].0, self.queue[at].0).is_lt() => {
                    self.queue.swap(at, child);
                    at = child;
                }
                _ => return least,
            }
        }
    }

    // Everything that depends on the chains.

    /// Drops the garbage that the last step made. The step consists of `count` changes before that.
    fn drop_garbage(&mut self, layout: &Layout, state: &mut State, count: usize) {
        let mut created = std::mem::take(&mut self.created);
        let moved = std::mem::take(&mut self.moved);
        for vertex in created.drain(..).chain(moved.iter().map(|&(vertex, _)| vertex)) {
            if !self.known[vertex as usize].chain.exists() && state.exists(NodeRef::from_index(vertex)) {
                state.drop_node(layout, NodeRef::from_index(vertex));
                self.flag(STALE, vertex);
            }
        }
        (self.created, self.moved) = (created, moved);
        for change in &state.last_step()[count..] {
            if let Change::Removed(mention) = *change {
                self.removed(mention);
            }
        }
        debug_assert!(self.queue.is_empty(), "garbage offers nothing");
    }

    /// Brings everything else up to date with the chains.
    fn settle(&mut self, layout: &Layout, state: &State) {
        self.created.clear();
        let mut moved = std::mem::take(&mut self.moved);
        for &(vertex, _) in &moved {
            self.flags[vertex as usize][MOVED] = false;
        }
        moved.retain(|&(vertex, before)| self.known[vertex as usize].chain != before);
        if !moved.is_empty() {
            self.last_version += 1;
            self.version = self.last_version;
            self.touched += moved.len() as u64;
            for &(vertex, _) in &moved {
                self.flag(UNLISTED, vertex);
                self.flag_with_mentions(REWIRED, vertex);
                self.flag_with_mentions(STALE, vertex);
            }
        }
        moved.clear();
        self.moved = moved;
        let mut rewired = std::mem::take(&mut self.rewired);
        for vertex in rewired.drain(..) {
            self.flags[vertex as usize][REWIRED] = false;
            let crossing = self.count_crossing(layout, state, vertex);
            let old = std::mem::replace(&mut self.known[vertex as usize].crossing, crossing);
            if old != crossing {
                self.crossing = self.crossing + crossing - old;
                self.log.push(Undo::Crossing { vertex, crossing: old });
            }
        }
        self.rewired = rewired;
    }

    /// Sets a flag of a unit and puts the unit on the list for that flag. Returns whether the flag was not
    /// set.
    fn flag(&mut self, which: usize, vertex: Vertex) -> bool {
        if which == STALE && self.unhashed {
            return false;
        }
        self.prepare(vertex);
        let is_new = !std::mem::replace(&mut self.flags[vertex as usize][which], true);
        if is_new {
            let list = match which {
                REWIRED => &mut self.rewired,
                STALE => &mut self.stale,
                _ => &mut self.unlisted,
            };
            list.push(vertex);
        }
        is_new
    }

    fn flag_with_mentions(&mut self, which: usize, vertex: Vertex) {
        self.flag(which, vertex);
        let mentions = std::mem::replace(&mut self.known[vertex as usize].mentions, Mentions::NONE);
        for (source, _) in mentions.iter() {
            self.flag(which, source);
        }
        self.known[vertex as usize].mentions = mentions;
    }

    fn count_crossing(&self, layout: &Layout, state: &State, vertex: Vertex) -> u32 {
        let chain = self.known[vertex as usize].chain;
        let mut count = 0;
        if chain.exists() {
            let own = self.table.origin(chain);
            state.edges(layout, NodeRef::from_index(vertex), &mut |edge| {
                if let Some(target) = edge.target.node() {
                    let origin = self.table.origin(self.chain(target));
                    count += u32::from(origin != 0 && origin != own);
                }
            });
        }
        count
    }

    /// Brings the shares up to date.
    pub fn refresh(&mut self, layout: &Layout, state: &State) {
        let mut stale = std::mem::take(&mut self.stale);
        for vertex in stale.drain(..) {
            self.flags[vertex as usize][STALE] = false;
            let share = self.share(layout, state, vertex);
            let old = std::mem::replace(&mut self.known[vertex as usize].share, share);
            let widest = old.origin.max(share.origin) as usize;
            if widest >= self.sums.len() {
                self.sums.resize(widest + 1, 0);
            }
            let sums = &mut self.sums;
            sums[old.origin as usize] = sums[old.origin as usize].wrapping_sub(old.hash);
            sums[share.origin as usize] = sums[share.origin as usize].wrapping_add(share.hash);
        }
        self.stale = stale;
    }

    fn share(&self, layout: &Layout, state: &State, vertex: Vertex) -> Share {
        let chain = self.known[vertex as usize].chain;
        if !chain.exists() {
            return Share::default();
        }
        let own = self.table.get(chain);
        let content = hash_unit(layout, state, NodeRef::from_index(vertex), &mut |target| match target {
            Entity::Abstract(of, id) => mix128(of.into(), id.into()),
            Entity::Thread(_) | Entity::Object(_) => {
                let target = target.node().expect("a unit");
                let chain = self.table.get(self.chain(target));
                let is_foreign = chain.origin != 0 && chain.origin != own.origin;
                mix128(chain.hash, if is_foreign { chain.origin.into() } else { 0 })
            }
        });
        Share { hash: mix128(own.hash ^ content.rotate_left(64), content as u64), origin: own.origin }
    }

    /// Brings the list of objects up to date, for [`Chains::objects_from`].
    pub fn arrange(&mut self) {
        let mut unlisted = std::mem::take(&mut self.unlisted);
        for &vertex in &unlisted {
            self.flags[vertex as usize][UNLISTED] = false;
        }
        unlisted.retain(|&vertex| {
            let Known { chain, placed, .. } = self.known[vertex as usize];
            vertex != 0 && vertex % 2 == 0 && chain != placed
        });
        if unlisted.len() * 2 > self.list.len().max(16) {
            self.sort();
        } else {
            // Until they are taken out, units are listed under their old chains.
            for &vertex in &unlisted {
                let chain = self.known[vertex as usize].placed;
                if chain.exists() {
                    let at = self.place_of(chain);
                    debug_assert_eq!(self.list[at], vertex);
                    self.list.remove(at);
                    self.relisted.unchanged = self.relisted.unchanged.min(at);
                    self.relisted.delisted.push(ObjectId(vertex / 2 - 1));
                }
            }
            for &vertex in &unlisted {
                let chain = self.known[vertex as usize].chain;
                self.known[vertex as usize].placed = chain;
                if chain.exists() {
                    let at = self.place_of(chain);
                    self.list.insert(at, vertex);
                    self.relisted.unchanged = self.relisted.unchanged.min(at);
                }
            }
        }
        unlisted.clear();
        self.unlisted = unlisted;
    }

    /// The position in the list for an object with this chain.
    fn place_of(&self, chain: ChainId) -> usize {
        self.list.partition_point(|&other| self.listed_before(self.known[other as usize].placed, chain))
    }

    fn listed_before(&self, a: ChainId, b: ChainId) -> bool {
        let by_origin = self.table.origin(a).cmp(&self.table.origin(b));
        by_origin.then_with(|| self.table.compare(a, b)).is_lt()
    }

    /// Makes the list anew, which is cheaper when much has changed.
    fn sort(&mut self) {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        for vertex in (2..self.known.len() as Vertex).step_by(2) {
            let known = &mut self.known[vertex as usize];
            let was_listed = std::mem::replace(&mut known.placed, known.chain).exists();
            if known.chain.exists() {
                list.push(vertex);
            } else if was_listed {
                self.relisted.delisted.push(ObjectId(vertex / 2 - 1));
            }
        }
        self.relisted.unchanged = 0;
        list.sort_unstable_by(|&a, &b| {
            let (a, b) = (self.known[a as usize].chain, self.known[b as usize].chain);
            self.table.origin(a).cmp(&self.table.origin(b)).then_with(|| self.table.compare(a, b))
        });
        self.list = list;
    }
}
