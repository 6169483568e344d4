//! Names by access chain, kept up to date step by step.
//!
//! The chain of a unit is the least way to it: the places to follow from the globals, or else from a running
//! thread. Ways from globals come before ways from threads, short ones before long ones, and then they are
//! compared place by place. Appending a place to a way makes it greater, and greater ways stay greater when both
//! get the same place appended; so the least ways are a fixed point that can be repaired around an edit (Ramalingam
//! and Reps) instead of being computed anew. A unit without a chain is garbage, cycles included: nothing ever
//! traverses the heap, neither to name nor to collect.
//!
//! Chains are interned in a table, as (chain without its last place, last place): a chain is a number. Undo does not take
//! chains out of the table. Between steps, when the table has grown to several times what is in use, the chains are [numbered
//! anew](Chains::compact) that a unit has or the log mentions, and the others are dropped. Everything else is undone with the step
//! that did it.
//!
//! What a thread alone can reach is its *region*. Its names are relative to the thread, so they do not change when
//! the order of the threads does. An edge that leads into the region of another thread is *crossing*.
//!
//! Every unit adds a share to the hash of where its chain starts: a hash of its chain and of what it says, with chains
//! for names. Shares are brought up to date when somebody asks, for those units alone that changed, whose chain
//! changed, or that mention such a one.

use std::cmp::Ordering;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use state::{Edge, Entity, Event, Layout, NodeRef, ObjectId, SPARE, State, ThreadId, make_room};

use crate::content::hash_unit;
use crate::mix::mix128;

/// A chain, by its number in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChainId(u32);

impl ChainId {
    /// The chain of the globals: nowhere to go.
    pub const ROOT: Self = Self(0);
    /// No chain: greater than all others.
    pub const NONE: Self = Self(u32::MAX);

    pub const fn exists(self) -> bool {
        self.0 != Self::NONE.0
    }
}

/// Marks the place of a thread among the roots.
const THREAD: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
struct Chain {
    parent: ChainId,
    label: u64,
    depth: u32,
    /// Where it starts: 0 for the globals, one more than its id for a thread.
    origin: u32,
    /// Of the places on the way, whatever thread it starts from.
    hash: u128,
}

/// The chains that units have or had not long ago.
#[derive(Clone, Debug)]
pub struct ChainTable {
    chains: Vec<Chain>,
    index: FxHashMap<(u32, u64), ChainId>,
}

impl Default for ChainTable {
    fn default() -> Self {
        let root = Chain { parent: ChainId::NONE, label: 0, depth: 0, origin: 0, hash: mix128(0, 0) };
        Self { chains: vec![root], index: FxHashMap::default() }
    }
}

impl ChainTable {
    fn get(&self, id: ChainId) -> Chain {
        self.chains[id.0 as usize]
    }

    /// The chain that goes one place further.
    pub fn extend(&mut self, chain: ChainId, label: u64) -> ChainId {
        if !chain.exists() {
            return ChainId::NONE;
        }
        let chains = &mut self.chains;
        *self.index.entry((chain.0, label)).or_insert_with(|| {
            let parent = chains[chain.0 as usize];
            let is_thread = label & THREAD != 0;
            let origin = if is_thread { label as u32 + 1 } else { parent.origin };
            let hash = if is_thread { mix128(1, 0) } else { mix128(parent.hash, label) };
            chains.push(Chain { parent: chain, label, depth: parent.depth + 1, origin, hash });
            ChainId(u32::try_from(chains.len() - 1).expect("fewer than 2^32 chains"))
        })
    }

    /// Where the chain starts: 0 for the globals, one more than its id for a thread.
    pub fn origin(&self, chain: ChainId) -> u32 {
        self.get(chain).origin
    }

    /// A hash of the places on the way, which leaves out the thread it starts from.
    pub fn hash(&self, chain: ChainId) -> u128 {
        self.get(chain).hash
    }

    /// The order of two chains that exist, but for the threads that they start from.
    pub fn compare_places(&self, a: ChainId, b: ChainId) -> Ordering {
        let (mut x, mut y) = (self.get(a), self.get(b));
        x.depth.cmp(&y.depth).then_with(|| {
            // The place that is nearest to the start counts most.
            let mut order = Ordering::Equal;
            while x.depth > u32::from(x.origin != 0) {
                order = x.label.cmp(&y.label).then(order);
                (x, y) = (self.get(x.parent), self.get(y.parent));
            }
            order
        })
    }

    pub fn compare(&self, a: ChainId, b: ChainId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        if !a.exists() || !b.exists() {
            return b.exists().cmp(&a.exists());
        }
        let (mut x, mut y) = (self.get(a), self.get(b));
        (x.origin != 0).cmp(&(y.origin != 0)).then(x.depth.cmp(&y.depth)).then_with(|| {
            while x.parent != y.parent {
                (x, y) = (self.get(x.parent), self.get(y.parent));
            }
            x.label.cmp(&y.label)
        })
    }

    /// How many chains there are.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Makes sure that there is memory, and that there are numbers, for as many chains more.
    fn has_room(&mut self, spare: usize) -> bool {
        self.chains.len().saturating_add(spare) < ChainId::NONE.0 as usize
            && make_room(&mut self.chains, spare)
            && self.index.try_reserve(spare).is_ok()
    }

    /// Drops the chains that are not `used`. Returns what the others are called now. A chain that is used is a way further than one
    /// that is used.
    fn retain(&mut self, used: &[bool]) -> Vec<ChainId> {
        let mut renumbered = Vec::with_capacity(used.len());
        let mut next = 0;
        for (at, &is_used) in used.iter().enumerate() {
            renumbered.push(if is_used { ChainId(next) } else { ChainId::NONE });
            if is_used {
                // The chain before it has a lesser number, and got its new one.
                let mut chain = self.chains[at];
                if chain.parent.exists() {
                    chain.parent = renumbered[chain.parent.0 as usize];
                }
                self.chains[next as usize] = chain;
                next += 1;
            }
        }
        self.chains.truncate(next as usize);
        self.index.clear();
        let chains = self.chains.iter().zip(0..).skip(1);
        self.index.extend(chains.map(|(chain, id)| ((chain.parent.0, chain.label), ChainId(id))));
        renumbered
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}

/// A unit, by number: the globals, then threads and objects in turn.
type Vertex = u32;

const fn vertex(node: NodeRef) -> Vertex {
    match node {
        NodeRef::Root => 0,
        NodeRef::Thread(id) => 2 * id.0 + 1,
        NodeRef::Object(id) => 2 * id.0 + 2,
    }
}

const fn node(vertex: Vertex) -> NodeRef {
    match vertex {
        0 => NodeRef::Root,
        _ if vertex % 2 == 1 => NodeRef::Thread(ThreadId(vertex / 2)),
        _ => NodeRef::Object(ObjectId(vertex / 2 - 1)),
    }
}

/// What is known of a unit.
#[derive(Clone, PartialEq, Debug)]
struct Known {
    /// Its chain, once everything is repaired.
    chain: ChainId,
    /// The least chain that those who mention it offer.
    offered: ChainId,
    /// The chain under which it is listed.
    placed: ChainId,
    /// How many of its edges cross.
    crossing: u32,
    /// What it adds to the hash of its origin, once nothing is stale.
    share: Share,
    /// Who mentions it, and where.
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

/// Who mentions a unit, and where. A few are looked through; many have an index.
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
            // What came last mostly goes first.
            None => match self.few.iter().rposition(|&other| other == mention) {
                Some(at) => {
                    self.few.swap_remove(at);
                    true
                }
                None => false,
            },
        };
        assert!(was_there, "nobody ceases to mention whom it did not");
    }

    fn iter(&self) -> impl Iterator<Item = (Vertex, u64)> {
        self.few.iter().chain(self.many.iter().flat_map(|many| many.iter())).copied()
    }
}

enum Undo {
    Chain { vertex: Vertex, chain: ChainId },
    Offered { vertex: Vertex, chain: ChainId },
    Mentioned { vertex: Vertex, mention: (Vertex, u64) },
    Unmentioned { vertex: Vertex, mention: (Vertex, u64) },
    Crossing { vertex: Vertex, crossing: u32 },
}

/// How the list of objects changed.
#[derive(Clone, Default, Debug)]
pub struct Relisted {
    /// As many at its start are the same as before.
    pub unchanged: usize,
    /// These were listed and may not be any more.
    pub delisted: Vec<ObjectId>,
}

/// The chains of the units of one state.
#[derive(Default)]
pub struct Chains {
    pub table: ChainTable,
    known: Vec<Known>,
    /// The objects that have chains, by where these start and then in the order of their chains, once they are
    /// [listed](Chains::arrange).
    list: Vec<Vertex>,
    /// The units that may be listed under chains that they do not have any more.
    unlisted: Vec<Vertex>,
    /// How the list changed since somebody [asked](Chains::take_relisted).
    relisted: Relisted,
    /// By origin: the sum of what its units add to the hash.
    sums: Vec<u128>,
    crossing: u32,
    log: Vec<Undo>,
    /// Where steps start in the log, and the version before.
    marks: Vec<(usize, u64)>,
    /// Which names these are: equal numbers, equal names.
    version: u64,
    last_version: u64,
    /// Units whose chain is not what is offered, least first: a binary heap.
    queue: Vec<(ChainId, Vertex)>,
    /// The units whose chain changed in this step, and what it was before.
    moved: Vec<(Vertex, ChainId)>,
    created: Vec<Vertex>,
    /// The units whose edges changed in this step, or lead to such that have another chain.
    rewired: Vec<Vertex>,
    /// The units whose shares are out of date.
    stale: Vec<Vertex>,
    /// By unit: whether it is among `moved`, `rewired`, `stale`, `unlisted`.
    flags: Vec<[bool; 4]>,
    /// Whether nobody will ask for hashes.
    unhashed: bool,
    /// With more chains than this the table is worth being compacted.
    most: usize,
    /// How many chains there were when there was last [room](Chains::has_room) for more.
    asked: usize,
    /// How many units steps changed or renamed so far.
    pub touched: u64,
}

/// So many chains may be there without being in use, whatever is in use.
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
            Undo::Mentioned { .. } | Undo::Unmentioned { .. } | Undo::Crossing { .. } => {}
        }
    }
}

const MOVED: usize = 0;
const REWIRED: usize = 1;
const STALE: usize = 2;
const UNLISTED: usize = 3;

impl Chains {
    /// Chains without hashes, which cost as much as chains.
    pub fn unhashed() -> Self {
        Self { unhashed: true, ..Self::default() }
    }

    /// The chain of a unit, if it can be reached.
    pub fn chain(&self, unit: NodeRef) -> ChainId {
        self.known.get(vertex(unit) as usize).map_or(ChainId::NONE, |known| known.chain)
    }

    /// Whether a way from the globals leads there.
    pub fn is_anchored(&self, unit: NodeRef) -> bool {
        let chain = self.chain(unit);
        chain.exists() && self.table.origin(chain) == 0
    }

    /// Where the chain of a unit starts, if it can be reached: 0 for the globals, one more than its id for a thread.
    pub fn origin(&self, unit: NodeRef) -> Option<u32> {
        let chain = self.chain(unit);
        chain.exists().then(|| self.table.origin(chain))
    }

    /// The objects whose chains start at the globals (0) or a thread (one more than its id), in order. They must be
    /// [listed](Chains::arrange).
    pub fn objects_from(&self, origin: u32) -> impl ExactSizeIterator<Item = ObjectId> {
        self.objects_in(self.range_from(origin))
    }

    /// The objects there in the list.
    pub fn objects_in(&self, range: Range<usize>) -> impl ExactSizeIterator<Item = ObjectId> {
        self.list[range].iter().map(|&vertex| ObjectId(vertex / 2 - 1))
    }

    /// Where these objects are in the list.
    pub fn range_from(&self, origin: u32) -> Range<usize> {
        debug_assert!(self.unlisted.is_empty());
        let is_before =
            |&vertex: &Vertex, origin: u32| self.table.origin(self.known[vertex as usize].chain) < origin;
        let starts_before = |origin: u32| match self.list.last() {
            _ if origin == 0 => 0,
            // Often there are none but those from the globals.
            Some(last) if is_before(last, origin) => self.list.len(),
            _ => self.list.partition_point(|vertex| is_before(vertex, origin)),
        };
        starts_before(origin)..starts_before(origin + 1)
    }

    /// How many objects are in the list.
    pub fn listed(&self) -> usize {
        self.list.len()
    }

    /// How the list changed since the last time.
    pub fn take_relisted(&mut self) -> Relisted {
        let unchanged = self.list.len();
        std::mem::replace(&mut self.relisted, Relisted { unchanged, delisted: Vec::new() })
    }

    /// The units that mention a unit; some more than once.
    pub fn mentioning(&self, unit: NodeRef) -> impl Iterator<Item = NodeRef> {
        self.mentions(unit).map(|(source, _)| source)
    }

    /// The units that mention a unit, and where: the label of an [`Edge`].
    pub fn mentions(&self, unit: NodeRef) -> impl Iterator<Item = (NodeRef, u64)> {
        let mentions = &self.known[vertex(unit) as usize].mentions;
        let others = mentions.iter().filter(|(_, label)| label & THREAD == 0);
        others.map(|(source, label)| (node(source), label))
    }

    /// What a hash says of everything that chains from this origin lead to. Shares must be [up to
    /// date](Chains::refresh).
    pub fn sum(&self, origin: u32) -> u128 {
        debug_assert!(self.stale.is_empty());
        self.sums.get(origin as usize).copied().unwrap_or(0)
    }

    /// A hash of the state, with its threads told apart by their ids.
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

    /// Equal versions have equal chains.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes note of that the state became another by decoding, in which there is no garbage.
    pub fn decoded(&mut self, layout: &Layout, state: &mut State) {
        if state.events().contains(&Event::Replaced) {
            self.reset(layout, state);
        } else {
            let touched = self.touched;
            for at in 0..state.events().len() {
                match state.events()[at] {
                    Event::Added(edge) => self.added(edge),
                    Event::Removed(edge) => self.removed(edge),
                    Event::Rewritten(unit) => _ = self.flag(STALE, vertex(unit)),
                    event => unreachable!("decoding does not lead to {event:?}"),
                }
            }
            self.repair(layout, state);
            self.settle(layout, state);
            // No step did this.
            self.touched = touched;
            self.log.clear();
            self.marks.clear();
        }
        state.clear_events();
    }

    /// Starts over with any state.
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
        // The globals may be all there is: then nothing moves.
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
            state.edges(layout, unit, &mut |edge| self.added(edge));
            self.flag(STALE, vertex(unit));
        }
        self.repair(layout, state);
        self.settle(layout, state);
        self.log.clear();
        // No step did this.
        self.touched = touched;
    }

    /// Takes note of what a step did, and drops what became garbage.
    pub fn step(&mut self, layout: &Layout, state: &mut State) {
        self.marks.push((self.log.len(), self.version));
        self.mark_changed(state);
        // Most steps leave the graph as it is.
        if state.events().is_empty() {
            return;
        }
        for at in 0..state.events().len() {
            match state.events()[at] {
                Event::Added(edge) => self.added(edge),
                Event::Removed(edge) => self.removed(edge),
                Event::Created(unit) => self.created(state, unit),
                Event::Ended(id) => {
                    self.remove_mention(0, THREAD | u64::from(id.0), vertex(NodeRef::Thread(id)));
                }
                event => unreachable!("no step leads to {event:?}: only chains tell what is garbage"),
            }
        }
        state.clear_events();
        self.repair(layout, state);
        self.drop_garbage(layout, state);
        self.settle(layout, state);
    }

    /// What the last step wrote is to be hashed again.
    fn mark_changed(&mut self, state: &State) {
        let mut last = None;
        for unit in state.changed() {
            // Most of what is written more than once is written at one go.
            self.touched += u64::from(last != Some(unit));
            last = Some(unit);
            self.flag(STALE, vertex(unit));
        }
    }

    /// Makes sure that the next steps can be followed and logged, if there is memory. No step may be under way.
    pub fn has_room(&mut self) -> bool {
        // It costs as much as a look at everything that mentions chains.
        if self.table.len() > self.most.max(MOST_UNUSED).max(self.log.len() / 4) {
            self.compact();
        }
        // Several times as many as there were since the last time.
        let spare = SPARE.max(4 * self.table.len().saturating_sub(self.asked));
        self.asked = self.table.len();
        make_room(&mut self.log, SPARE) && make_room(&mut self.marks, SPARE) && self.table.has_room(spare)
    }

    /// Drops the chains that are not in use: those that neither a unit has, nor undo gives back, nor go on to such a one. No step
    /// may be under way.
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
        if !self.unhashed {
            for unit in state.changed() {
                self.flag(STALE, vertex(unit));
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
                Undo::Mentioned { vertex, mention } => self.known[vertex as usize].mentions.remove(mention),
                Undo::Unmentioned { vertex, mention } => {
                    self.known[vertex as usize].mentions.insert(mention);
                }
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

    fn created(&mut self, state: &State, unit: NodeRef) {
        let vertex = vertex(unit);
        self.prepare(vertex);
        self.created.push(vertex);
        if let NodeRef::Thread(id) = unit
            && state.is_running(id)
        {
            self.add_mention(0, THREAD | u64::from(id.0), vertex);
        }
    }

    fn added(&mut self, edge: Edge) {
        if let Some(target) = edge.target.node() {
            self.add_mention(vertex(edge.source), edge.label, vertex(target));
        }
    }

    fn removed(&mut self, edge: Edge) {
        if let Some(target) = edge.target.node() {
            self.remove_mention(vertex(edge.source), edge.label, vertex(target));
        }
    }

    fn add_mention(&mut self, source: Vertex, label: u64, target: Vertex) {
        self.prepare(source.max(target));
        self.flag(REWIRED, source);
        let mention = (source, label);
        self.known[target as usize].mentions.insert(mention);
        self.log.push(Undo::Mentioned { vertex: target, mention });
        let chain = self.table.extend(self.known[source as usize].chain, label);
        self.offer(target, chain);
    }

    fn remove_mention(&mut self, source: Vertex, label: u64, target: Vertex) {
        self.flag(REWIRED, source);
        let mention = (source, label);
        self.known[target as usize].mentions.remove(mention);
        self.log.push(Undo::Unmentioned { vertex: target, mention });
        let chain = self.known[source as usize].chain;
        self.withdraw(target, chain, label);
    }

    // Repair.

    /// Somebody mentions `vertex` whose chain makes `chain` a way to it.
    fn offer(&mut self, vertex: Vertex, chain: ChainId) {
        if self.table.compare(chain, self.known[vertex as usize].offered).is_lt() {
            self.set_offered(vertex, chain);
        }
    }

    /// What was a way to `vertex`, `label` after `chain`, is none any more.
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
        state.edges(layout, node(source), &mut |edge| {
            if let Some(target) = edge.target.node() {
                visit(self, vertex(target), edge.label);
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

    // What follows from the chains.

    fn drop_garbage(&mut self, layout: &Layout, state: &mut State) {
        let mut created = std::mem::take(&mut self.created);
        let moved = std::mem::take(&mut self.moved);
        for vertex in created.drain(..).chain(moved.iter().map(|&(vertex, _)| vertex)) {
            if !self.known[vertex as usize].chain.exists() && state.exists(node(vertex)) {
                state.drop_node(layout, node(vertex));
                self.flag(STALE, vertex);
            }
        }
        (self.created, self.moved) = (created, moved);
        for at in 0..state.events().len() {
            if let Event::Removed(edge) = state.events()[at] {
                self.removed(edge);
            }
        }
        state.clear_events();
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

    /// Sets a flag of a unit and puts it on the list that goes with it. Says whether it was not set.
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
            state.edges(layout, node(vertex), &mut |edge| {
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
        let content = hash_unit(layout, state, node(vertex), &mut |target| match target {
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
            // Until they are taken out, those that moved are listed under their old chains.
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

    /// Where in the list an object with this chain belongs.
    fn place_of(&self, chain: ChainId) -> usize {
        self.list.partition_point(|&other| self.listed_before(self.known[other as usize].placed, chain))
    }

    fn listed_before(&self, a: ChainId, b: ChainId) -> bool {
        let by_origin = self.table.origin(a).cmp(&self.table.origin(b));
        by_origin.then_with(|| self.table.compare(a, b)).is_lt()
    }

    /// Makes the list anew: cheaper when much has changed.
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
