//! The ladder: what the threads, objects and abstract ids of a state are called, level by level.
//!
//! All levels look the same from outside: a [`Namer`] is told when its state takes a step, takes one back or becomes
//! another, and writes the encoding of the state under the names of its level. Unless a search runs out of budget, names are a
//! function of what the level does not abstract from:
//!
//! | level        | names depend on                                                                        |
//! |--------------|----------------------------------------------------------------------------------------|
//! | `heap`       | the state up to renaming of objects and abstract ids: threads are called by their ids   |
//! | `pc`, `bots` | the same. Threads are called by their places in the order of the level, then of their ids |
//! | `full`       | the orbit of the state                                                                 |
//!
//! States that differ in objects and abstract ids only have successors that differ in nothing else, since a thread that starts gets the
//! least free id. So the level `heap` has at most as many states as there are without names. The others have at most as many as
//! `heap`, if a search goes on from states whose threads have the ids that they had when they were met.

use state::{Change, Entity, Layout, Names, NodeRef, ObjectId, State, ThreadId};
use system::Encoding;

use crate::Options;
use crate::abstracts::AbstractNames;
use crate::anchors::Anchors;
use crate::chain_table::ChainId;
use crate::chains::Chains;
use crate::full::{Anchored, Floating};
use crate::order::{Signatures, by_location};
use crate::shown::Shown;
use crate::twins::Twins;

/// The name of what has none: of what does not exist.
pub const UNNAMED: u32 = u32::MAX;

/// How far names go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Objects are named by how they are reached; threads keep their ids.
    Heap,
    /// Threads in the order of their stacks of locations.
    Pc,
    /// Threads in the order of signatures of what they reach by so many references.
    Bots(u32),
    /// Everything in canonical order.
    Full,
}

/// How objects are named that places lead to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// In the order of a depth-first traversal, anew for each state.
    Dfs,
    /// In the order of their least access chains, which are repaired step by step.
    Chain,
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct SymmetryConfig {
    pub level: Level,
    pub naming: Naming,
    pub options: Options,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States that were named.
    pub named: u64,
    /// States for which ties had to be searched.
    pub searched: u64,
    /// States whose search ran out of budget: their names may not be canonical.
    pub exhausted: u64,
    /// Steps, and the units that they renamed or let be hashed again.
    pub steps: u64,
    pub touched: u64,
}

impl Stats {
    pub fn add(&mut self, other: Self) {
        self.named += other.named;
        self.searched += other.searched;
        self.exhausted += other.exhausted;
        self.steps += other.steps;
        self.touched += other.touched;
    }
}

/// Where names are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Names,
    Shown,
}

/// The names of one state.
pub struct Namer {
    ladder: SymmetryConfig,
    chains: Option<Chains>,
    names: Names,
    /// The names that the encoding shows which is up to date with this namer's state, and their version.
    shown: Shown,
    shown_version: Option<u64>,
    /// Whether those names are the ids, and the last version of names that were.
    shows_ids: bool,
    version_of_ids: Option<u64>,
    /// The units that changed by decoding since the graph of what floats was last brought up to date.
    rewritten: Vec<NodeRef>,
    /// Where the names of the present state are, if they are known.
    named: Option<Place>,
    threads: Vec<ThreadId>,
    ended: Vec<ThreadId>,
    signatures: Signatures,
    anchors: Anchors,
    floating: Floating,
    twins: Twins,
    pending: Vec<ObjectId>,
    stats: Stats,
}

impl Namer {
    /// Follows `state` from now on.
    pub fn new(ladder: SymmetryConfig, layout: &Layout, state: &mut State) -> Self {
        let chains = match ladder.naming {
            Naming::Dfs => None,
            Naming::Chain => {
                state.record_graph();
                Some(if ladder.level == Level::Full { Chains::default() } else { Chains::unhashed() })
            }
        };
        let mut namer = Self {
            ladder,
            chains,
            names: Names::default(),
            shown: Shown::default(),
            shown_version: None,
            shows_ids: false,
            version_of_ids: None,
            rewritten: Vec::new(),
            named: None,
            threads: Vec::new(),
            ended: Vec::new(),
            signatures: Signatures::default(),
            anchors: Anchors::default(),
            floating: Floating::default(),
            twins: Twins::default(),
            pending: Vec::new(),
            stats: Stats::default(),
        };
        if let Some(chains) = &mut namer.chains {
            chains.reset(layout, state);
        }
        namer
    }

    /// The state was decoded from an encoding, which shows it under the names that its ids are.
    pub fn decoded(&mut self, layout: &Layout, state: &mut State) {
        if let Some(chains) = &mut self.chains {
            // Only the graph of what floats is kept from state to state.
            if self.ladder.level == Level::Full && !layout.has_relations() {
                for change in state.changes() {
                    if let &Change::Rewritten(unit) = change {
                        self.rewritten.push(unit);
                    }
                }
            }
            chains.decoded(layout, state);
        }
        self.named = None;
        self.shown.show_ids(layout, state);
        self.shows_ids = true;
        let version = self.chains.as_ref().map(Chains::version);
        self.shown_version = version.filter(|_| version == self.version_of_ids);
    }

    /// What was decoded last has other thread ids than the encoding has names, which are given by id.
    pub fn shows_threads_as(&mut self, names: Vec<u32>) {
        self.shown.show_threads(names);
        self.shown_version = None;
        self.shows_ids = false;
    }

    /// The state took a step: garbage is collected, in the same pass as names are given where that is one pass.
    pub fn step(&mut self, layout: &Layout, state: &mut State) {
        self.named = None;
        self.stats.steps += 1;
        match (&mut self.chains, self.ladder.level) {
            (Some(chains), _) => chains.step(layout, state),
            (None, level) if level == Level::Full || layout.has_relations() => state.collect(layout),
            (None, _) => self.traverse(layout, state, true),
        }
    }

    /// Makes sure that it can follow the next steps, if there is memory.
    pub fn has_room(&mut self) -> bool {
        self.chains.as_mut().is_none_or(Chains::has_room)
    }

    /// The state is about to take its last step back.
    pub fn undo(&mut self, state: &State) {
        self.named = None;
        if let Some(chains) = &mut self.chains {
            chains.undo(state);
        }
    }

    /// Brings `into` up to date, which shows what the state was when it was last encoded or decoded.
    pub fn encode(&mut self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        self.encode_changes(layout, state, into);
        if cfg!(debug_assertions) {
            let mut whole = Encoding::new();
            state.encode_all(layout, self.shown.names(), &mut whole);
            assert!(into.same(&whole), "an encoding is what it would be if it were written anew");
        }
    }

    fn encode_changes(&mut self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        self.stats.named += 1;
        let version = match (&self.chains, self.ladder.level) {
            // Threads keep their ids, so chains are all there is to names.
            (Some(chains), Level::Heap) if !layout.has_relations() => Some(chains.version()),
            _ => None,
        };
        if version.is_some() && version == self.shown_version && self.shown.is_shown() {
            return self.encode_as_shown(layout, state, into);
        }
        if self.place(layout, state) == Place::Names {
            self.shown.replace(&mut self.names);
            // What was swapped out are no names of this state.
            self.named = None;
        }
        if self.shown.is_shown() {
            self.encode_as_shown(layout, state, into);
            if self.shows_ids {
                self.version_of_ids = version;
            }
        } else {
            let threads = self.threads.len() + self.ended.len();
            self.shown.encode(layout, state, self.chains.as_ref(), threads, into);
            self.shows_ids = false;
        }
        self.shown_version = version;
    }

    /// Brings `into` up to date under the names that it shows.
    fn encode_as_shown(&self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        if self.shows_ids {
            state.encode(layout, into);
        } else {
            state.encode_changed(layout, self.shown.names(), into);
        }
    }

    /// What it took since this was last asked.
    pub fn take_stats(&mut self) -> Stats {
        if let Some(chains) = &mut self.chains {
            self.stats.touched += std::mem::take(&mut chains.touched);
        }
        std::mem::take(&mut self.stats)
    }

    /// Finds threads that a symmetry of the state exchanges, if there are any. Returns, by id, how many a thread stands for: itself
    /// and those that it can be exchanged with, or 0 if another one stands for it. Only where names are canonical: otherwise steps
    /// that a symmetry of the state maps to each other may lead to states with different names.
    pub fn twins(&mut self, layout: &Layout, state: &State) -> Option<&[u32]> {
        match &mut self.chains {
            Some(chains) if self.ladder.level == Level::Full => self.twins.find(layout, state, chains),
            _ => None,
        }
    }

    pub fn chains(&self) -> Option<&Chains> {
        self.chains.as_ref()
    }

    /// What everything in the state is called.
    pub fn names(&mut self, layout: &Layout, state: &mut State) -> &Names {
        match self.place(layout, state) {
            Place::Names => &self.names,
            Place::Shown => self.shown.names(),
        }
    }

    /// Names the state, unless that is done. Says where its names are.
    fn place(&mut self, layout: &Layout, state: &mut State) -> Place {
        let place = self.named.unwrap_or_else(|| self.name(layout, state));
        self.named = Some(place);
        place
    }

    /// Computes the names of the state. Says where they are.
    fn name(&mut self, layout: &Layout, state: &mut State) -> Place {
        if let Some(chains) = &mut self.chains {
            chains.arrange();
        }
        match (self.ladder.level, self.chains.take()) {
            (Level::Full, chains) => self.name_fully(layout, state, chains),
            (_, chains) if layout.has_relations() => {
                self.order_threads(layout, state);
                self.name_around(layout, state);
                self.chains = chains;
                Place::Names
            }
            // Chains know threads by id. That is as good as any order, unless regions mention each other.
            (level, Some(chains)) if level == Level::Heap || !chains.has_crossing() => {
                self.order_threads(layout, state);
                self.name_by_chains(state, chains)
            }
            (_, chains) => {
                self.traverse(layout, state, false);
                self.chains = chains;
                Place::Names
            }
        }
    }

    // Threads in the order of the level.

    /// Names the threads; `self.threads` are the running ones in order.
    fn order_threads(&mut self, layout: &Layout, state: &State) {
        self.list_threads(state);
        match self.ladder.level {
            Level::Heap | Level::Full => {}
            Level::Pc => by_location(layout, state, &mut self.threads),
            Level::Bots(depth) => self.signatures.sort(layout, state, depth, &mut self.threads),
        }
        self.name_threads(state);
        if self.ladder.level == Level::Heap {
            for &id in self.threads.iter().chain(&self.ended) {
                self.names.threads[id.0 as usize] = id.0;
            }
        }
    }

    fn list_threads(&mut self, state: &State) {
        self.threads.clear();
        self.ended.clear();
        for id in (0..state.thread_limit()).map(ThreadId) {
            if state.is_running(id) {
                self.threads.push(id);
            } else if state.thread_exists(id) {
                self.ended.push(id);
            }
        }
    }

    /// Names the running threads in the order of their list, then the ended ones.
    fn name_threads(&mut self, state: &State) {
        self.names.threads.clear();
        self.names.threads.resize(state.thread_limit() as usize, UNNAMED);
        for (&id, name) in self.threads.iter().chain(&self.ended).zip(0..) {
            self.names.threads[id.0 as usize] = name;
        }
    }

    // Objects and abstract ids.

    fn name_by_chains(&mut self, state: &State, mut chains: Chains) -> Place {
        self.shown.follow(state, &mut chains, &self.threads, &self.names.threads);
        self.chains = Some(chains);
        Place::Shown
    }

    /// Names objects in the order of a depth-first traversal from the globals and then from the threads. With
    /// `collect` it drops what it did not meet.
    fn traverse(&mut self, layout: &Layout, state: &mut State, collect: bool) {
        self.stats.touched += state.units().count() as u64;
        self.order_threads(layout, state);
        let Self { names, threads, pending, .. } = self;
        names.objects.clear();
        names.objects.resize(state.object_limit() as usize, UNNAMED);
        let mut met_threads = vec![false; if collect { self.ended.len() } else { 0 }];
        let mut count = 0;
        let roots = std::iter::once(NodeRef::Root).chain(threads.iter().map(|&id| NodeRef::Thread(id)));
        for root in roots {
            let mut unit = Some(root);
            while let Some(node) = unit {
                let first = pending.len();
                state.edges(layout, node, &mut |edge| match edge.target {
                    Entity::Object(id) => pending.push(id),
                    Entity::Thread(id) => {
                        if collect && let Some(at) = self.ended.iter().position(|&ended| ended == id) {
                            met_threads[at] = true;
                        }
                    }
                    Entity::Abstract(..) => {}
                });
                // The first mention is followed first, and all that it leads to before the second.
                pending[first..].reverse();
                unit = loop {
                    let Some(id) = pending.pop() else { break None };
                    if names.objects[id.0 as usize] == UNNAMED {
                        names.objects[id.0 as usize] = count;
                        count += 1;
                        break Some(NodeRef::Object(id));
                    }
                };
            }
        }
        if collect {
            self.named = Some(Place::Names);
            for id in (0..state.object_limit()).map(ObjectId) {
                let node = NodeRef::Object(id);
                if self.names.objects[id.0 as usize] == UNNAMED && state.exists(node) {
                    state.drop_node(layout, node);
                }
            }
            let unmet = self.ended.iter().zip(&met_threads).filter(|&(_, &met)| !met);
            if unmet.clone().count() > 0 {
                unmet.for_each(|(&id, _)| state.drop_node(layout, NodeRef::Thread(id)));
                // Names are dense: the other ended threads may have other ones now.
                self.order_threads(layout, state);
            }
        }
        // Without abstract ids.
        AbstractNames::new(layout, &mut self.names.abstracts).finish();
    }

    // The level `full`.

    fn name_fully(&mut self, layout: &Layout, state: &mut State, chains: Option<Chains>) -> Place {
        let has_relations = layout.has_relations();
        match chains {
            Some(mut chains) if !has_relations && !chains.has_crossing() => {
                chains.refresh(layout, state);
                self.order_regions(state, &chains);
                // The graph misses what changes now.
                self.floating.forget();
                self.rewritten.clear();
                return self.name_by_chains(state, chains);
            }
            Some(chains) if !has_relations => {
                let options = self.ladder.options;
                self.rewritten.extend(state.unencoded());
                let changed = &self.rewritten;
                let ordered = self.floating.canonize_changed(layout, state, &chains, changed, options);
                self.rewritten.clear();
                self.count(ordered);
                self.start_names(layout, state);
                let chain = |&id: &ThreadId| chains.chain(NodeRef::Thread(id));
                self.threads.clear();
                self.threads.extend((0..state.thread_limit()).map(ThreadId));
                self.threads.retain(|&id| chains.is_anchored(NodeRef::Thread(id)));
                self.threads.sort_by(|a, b| chains.table.compare(chain(a), chain(b)));
                let mut given = Given::new(&mut self.names);
                self.threads.iter().for_each(|&id| given.name(Entity::Thread(id)));
                chains.objects_from(0).for_each(|id| given.name(Entity::Object(id)));
                self.floating.ordered().for_each(|whom| given.name(whom));
                self.chains = Some(chains);
            }
            chains => {
                self.anchors.find(layout, state, std::iter::empty());
                self.name_the_rest(layout, state);
                self.chains = chains;
            }
        }
        Place::Names
    }

    /// Names everything but the threads, which have names, in canonical order.
    fn name_around(&mut self, layout: &Layout, state: &State) {
        let threads = std::mem::take(&mut self.names.threads);
        let mut order: Vec<ThreadId> = self.threads.iter().chain(&self.ended).copied().collect();
        order.sort_by_key(|id| threads[id.0 as usize]);
        self.anchors.find(layout, state, order.into_iter());
        self.name_the_rest(layout, state);
        self.names.threads = threads;
    }

    /// Names the anchors in their order, and then what floats in canonical order.
    fn name_the_rest(&mut self, layout: &Layout, state: &State) {
        let units = std::iter::once(NodeRef::Root).chain(state.units());
        let options = self.ladder.options;
        let ordered = self.floating.canonize(layout, state, &self.anchors, units, options);
        self.count(ordered);
        self.stats.touched += self.anchors.order.len() as u64;
        self.start_names(layout, state);
        let all = || self.anchors.order.iter().copied().chain(self.floating.ordered());
        let mut given = Given::new(&mut self.names);
        for whom in all() {
            given.name(whom);
        }
        let mut given = AbstractNames::new(layout, &mut self.names.abstracts);
        for whom in all() {
            if let Entity::Abstract(of, id) = whom {
                given.name(of, id);
            }
        }
        given.finish();
    }

    fn count(&mut self, ordered: canon::Ordered) {
        self.stats.touched += self.floating.len() as u64;
        self.stats.searched += u64::from(ordered.searched);
        self.stats.exhausted += u64::from(!ordered.canonical);
    }

    fn start_names(&mut self, layout: &Layout, state: &State) {
        self.names.threads.clear();
        self.names.threads.resize(state.thread_limit() as usize, UNNAMED);
        self.names.objects.clear();
        self.names.objects.resize(state.object_limit() as usize, UNNAMED);
        AbstractNames::new(layout, &mut self.names.abstracts).finish();
    }

    /// Threads that share nothing but what is anchored: the state is a multiset of regions, and nothing is to be
    /// searched. Those with equal hashes are alike.
    fn order_regions(&mut self, state: &State, chains: &Chains) {
        self.list_threads(state);
        let chain = |id: ThreadId| chains.chain(NodeRef::Thread(id));
        let origin = |id: ThreadId| chains.table.origin(chain(id));
        let compare = |a: ChainId, b: ChainId| chains.table.compare(a, b);
        let key = |id: ThreadId| (origin(id) != 0, chains.sum(id.0 + 1));
        self.threads.sort_by(|&a, &b| match (origin(a), origin(b)) {
            (0, 0) => compare(chain(a), chain(b)),
            _ => key(a).cmp(&key(b)),
        });
        self.name_threads(state);
        let rank = |id: ThreadId| match origin(id) {
            0 => 0,
            thread => self.names.threads[thread as usize - 1] + 1,
        };
        self.ended.sort_by(|&a, &b| {
            rank(a).cmp(&rank(b)).then_with(|| match rank(a) {
                0 => compare(chain(a), chain(b)),
                _ => chains.table.compare_places(chain(a), chain(b)),
            })
        });
        self.name_threads(state);
    }
}

impl Anchored for Chains {
    fn anchor(&self, whom: Entity) -> Option<u64> {
        let chain = self.chain(whom.node()?);
        (self.table.origin(chain) == 0).then(|| self.table.hash(chain) as u64)
    }
}

impl Anchored for Anchors {
    fn anchor(&self, whom: Entity) -> Option<u64> {
        self.rank(whom).map(u64::from)
    }
}

/// Gives names to threads and objects, each kind from 0 on.
struct Given<'n> {
    names: &'n mut Names,
    threads: u32,
    objects: u32,
}

impl<'n> Given<'n> {
    fn new(names: &'n mut Names) -> Self {
        Self { names, threads: 0, objects: 0 }
    }

    fn name(&mut self, whom: Entity) {
        let (place, next) = match whom {
            Entity::Thread(id) => (&mut self.names.threads[id.0 as usize], &mut self.threads),
            Entity::Object(id) => (&mut self.names.objects[id.0 as usize], &mut self.objects),
            Entity::Abstract(..) => return,
        };
        *place = *next;
        *next += 1;
    }
}
