//! The levels of symmetry: names for the threads, objects and abstract ids of a state.
//!
//! All levels look the same from outside: a [`Namer`] is called when its state takes a step, takes one back
//! or is decoded, and writes the encoding of the state under the names of its level. Unless a canonical order
//! runs out of budget, names are a function of what the level does not abstract from:
//!
//! | level        | names depend on                                                                      |
//! |--------------|--------------------------------------------------------------------------------------|
//! | `heap`       | the state up to renaming of objects and abstract ids; ids of threads are their names |
//! | `pc`, `bots` | the same; threads are named in the order of the level, and then of their ids         |
//! | `full`       | the orbit of the state                                                               |
//!
//! States that differ in the names of objects and abstract ids only have successors that differ in nothing
//! else, since a thread that starts gets the least free id. So the level `heap` has at most as many states as
//! there are without names. The others have at most as many as `heap`, if a search goes on from states whose
//! threads have the ids that they had when they were met.
//!
//! Heap symmetry with names in the order of a traversal is from Iosif, "Exploiting heap symmetries in
//! explicit-state model checking of software" (2001). The levels `pc` and `bots` are from Robby, Dwyer,
//! Hatcliff and Iosif, "Space-reduction strategies for model checking dynamic software" (2003), sections 3.3
//! and 3.4, which leave ties among threads to chance. The level `full` does not.

use engine::Exchanges;
use state::{Change, Entity, Layout, Names, NodeRef, ObjectId, State, ThreadId};
use system::Encoding;

use crate::Options;
use crate::abstracts::name_abstracts;
use crate::anchors::Anchors;
use crate::chain_table::ChainId;
use crate::chains::Chains;
use crate::closing::Closing;
use crate::encoded_names::{EncodedNames, set_to_ids};
use crate::exchanges::{Symmetries, Verifier};
use crate::full::{Anchored, Floating};
use crate::order::{Signatures, by_location};
use crate::reach::Reach;
use crate::small::{MOST, SmallGraph};
use crate::small_encoding::{NodeNames, Outlines, Written};
use crate::twins::Twins;
use crate::versions::Versions;

/// Stands for the name of a unit that does not exist.
pub const UNNAMED: u32 = u32::MAX;

/// How much names abstract from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Objects are named by how they are reached; threads keep their ids.
    Heap,
    /// Threads in the order of their stacks of locations.
    Pc,
    /// Threads in the order of signatures of what they reach by this many references.
    Bots(u32),
    /// Everything in canonical order.
    Full,
}

/// How objects are named that can be reached by places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// In the order of a depth-first traversal, anew for each state.
    Dfs,
    /// In the order of their least access chains, which are repaired step by step.
    Chain,
    /// Small states in the order of a closing, anew for each state; others by their chains.
    Auto,
}

/// How states are named.
#[derive(Clone, Copy, Debug)]
pub struct SymmetryConfig {
    pub level: Level,
    pub naming: Naming,
    pub options: Options,
}

/// Counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States that were named.
    pub named: u64,
    /// States for which ties had to be searched.
    pub searched: u64,
    /// States whose search ran out of budget: their names may not be canonical.
    pub exhausted: u64,
    /// The number of steps, and of the units that they renamed or changed.
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

    pub const fn to_words(self) -> [u64; 5] {
        let Self { named, searched, exhausted, steps, touched } = self;
        [named, searched, exhausted, steps, touched]
    }

    pub const fn of_words([named, searched, exhausted, steps, touched]: [u64; 5]) -> Self {
        Self { named, searched, exhausted, steps, touched }
    }
}

/// Where the names of a state are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Names,
    Encoded,
    /// Not written down: they follow from the order of the nodes of a small state, at the level `full`.
    Order,
}

/// What names small states.
#[derive(Default)]
struct Small {
    graph: SmallGraph,
    closing: Closing,
    outlines: Outlines,
    verifier: Verifier,
    versions: Versions,
}

/// The names of one state.
pub struct Namer {
    config: SymmetryConfig,
    /// The graph of the state, if it is small, and how it is put in order; `None` if small states are named like
    /// others.
    small: Option<Box<Small>>,
    /// The chains of the state, if they follow it.
    chains: Option<Chains>,
    /// Chains that follow no state, kept for their memory.
    spare: Option<Chains>,
    names: Names,
    /// The names in the encoding that shows the state as it was last encoded or decoded, and their version.
    encoded: EncodedNames,
    encoded_version: Option<u64>,
    /// Whether these names are the ids, and the last version of chains for which names were the ids.
    ids_are_names: bool,
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
    /// Symmetries of large states are not known one by one.
    no_exchanges: Exchanges,
    pending: Vec<ObjectId>,
    stats: Stats,
}

impl Namer {
    /// Follows `state` from now on.
    pub fn new(config: SymmetryConfig, layout: &Layout, state: &mut State) -> Self {
        let mut namer = Self {
            config,
            small: (config.naming == Naming::Auto).then(Box::default),
            chains: None,
            spare: None,
            names: Names::default(),
            encoded: EncodedNames::default(),
            encoded_version: None,
            ids_are_names: false,
            version_of_ids: None,
            rewritten: Vec::new(),
            named: None,
            threads: Vec::new(),
            ended: Vec::new(),
            signatures: Signatures::default(),
            anchors: Anchors::default(),
            floating: Floating::default(),
            twins: Twins::default(),
            no_exchanges: Exchanges::default(),
            pending: Vec::new(),
            stats: Stats::default(),
        };
        if namer.small.is_some() {
            state.start_mirror();
        }
        if config.naming == Naming::Chain || config.naming == Naming::Auto && is_large(state) {
            namer.follow_chains(layout, state);
        } else {
            namer.record_for_small(layout, state);
        }
        namer
    }

    /// Chains follow the state from now on.
    fn follow_chains(&mut self, layout: &Layout, state: &mut State) {
        let is_full = self.config.level == Level::Full;
        let new = || if is_full { Chains::default() } else { Chains::unhashed() };
        let mut chains = self.spare.take().unwrap_or_else(new);
        state.record_graph();
        chains.reset(layout, state);
        self.chains = Some(chains);
        self.encoded_version = None;
        self.version_of_ids = None;
    }

    /// Chains do not follow the state any more.
    fn leave_chains(&mut self, layout: &Layout, state: &mut State) {
        self.spare = self.chains.take();
        self.record_for_small(layout, state);
        self.floating.forget();
        self.rewritten.clear();
        self.encoded_version = None;
        self.version_of_ids = None;
    }

    /// The journal says what readers other than chains want to know.
    fn record_for_small(&self, layout: &Layout, state: &mut State) {
        if self.keeps_mirror() {
            state.record_nothing();
        } else {
            state.record_for_collector(layout);
        }
    }

    /// The state was decoded from an encoding, in which ids are names.
    pub fn decoded(&mut self, layout: &Layout, state: &mut State) {
        if let Some(small) = &mut self.small {
            small.versions.decoded();
            match (&self.chains, is_large(state)) {
                (Some(_), false) => self.leave_chains(layout, state),
                (None, true) => self.follow_chains(layout, state),
                _ => {}
            }
        }
        if let Some(chains) = &mut self.chains {
            // Only the graph of what floats is kept when a state is decoded.
            if self.config.level == Level::Full && !layout.has_relations() {
                for change in state.changes() {
                    if let &Change::Rewritten(unit) = change {
                        self.rewritten.push(unit);
                    }
                }
            }
            chains.decoded(layout, state);
        }
        self.leave();
        if self.keeps_mirror() && !is_large(state) {
            self.encoded.forget();
            self.ids_are_names = false;
            self.encoded_version = None;
            return;
        }
        self.encoded.set_to_ids(layout, state);
        self.ids_are_names = true;
        let version = self.version(layout, state);
        self.encoded_version = match self.chains {
            Some(_) => version.filter(|_| version == self.version_of_ids),
            None => version,
        };
    }

    /// In the encoding from which the state was decoded, threads have these names, by id, and not their ids.
    pub fn set_thread_names(&mut self, names: Vec<u32>) {
        self.encoded.set_threads(names);
        self.encoded_version = None;
        self.ids_are_names = false;
    }

    /// The state is about to take a step.
    #[inline]
    pub fn before_step(&mut self, layout: &Layout, state: &State) {
        if self.config.level == Level::Heap
            && !is_large(state)
            && let Some(small) = &mut self.small
        {
            small.versions.before_step(layout, state);
        }
    }

    /// The state took a step. Collects garbage, by the same traversal that gives names where there is one.
    pub fn step(&mut self, layout: &Layout, state: &mut State) {
        self.named = None;
        if let Some(small) = &mut self.small {
            small.graph.step();
        }
        self.stats.steps += 1;
        match (&mut self.chains, self.config.level) {
            (Some(chains), _) => chains.step(layout, state),
            (None, Level::Full) if self.small.is_some() => self.collect_small(layout, state),
            (None, level) if level == Level::Full || layout.has_relations() || self.small.is_some() => {
                state.collect(layout);
            }
            (None, _) => self.traverse(layout, state, true),
        }
        if self.config.level == Level::Heap
            && let Some(small) = &mut self.small
        {
            if is_large(state) {
                small.versions.step_of_large();
            } else {
                small.versions.step(layout, state);
            }
        }
    }

    /// Drops garbage, which the graph of a small state shows.
    fn collect_small(&mut self, layout: &Layout, state: &mut State) {
        if !state.take_garbage_possible() {
            return;
        }
        if let Some(small) = &mut self.small
            && small.graph.update(layout, state)
        {
            for unit in small.graph.garbage() {
                state.drop_node(layout, unit);
                small.graph.change();
            }
        } else {
            state.collect_now(layout);
        }
    }

    /// The state is another one: its names are not known, and the graph does not show it.
    fn leave(&mut self) {
        self.named = None;
        if let Some(small) = &mut self.small {
            small.graph.leave();
        }
    }

    /// Makes sure that the next steps need no memory here, if there is any.
    pub fn has_room(&mut self) -> bool {
        self.chains.as_mut().is_none_or(Chains::has_room)
    }

    /// The state is about to take its last step back.
    pub fn undo(&mut self, layout: &Layout, state: &mut State) {
        self.named = None;
        if let Some(small) = &mut self.small {
            small.graph.undo(state);
        }
        if self.config.level == Level::Heap
            && let Some(small) = &mut self.small
        {
            small.versions.undo();
        }
        match &mut self.chains {
            Some(chains) if chains.has_steps() => chains.undo(state),
            // The state took this step before chains followed it.
            Some(_) => self.leave_chains(layout, state),
            None => {}
        }
    }

    /// Brings `into` up to date, which must show the state as it was when it was last encoded or decoded.
    pub fn encode(&mut self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        self.encode_changes(layout, state, into);
        if cfg!(debug_assertions) {
            let mut whole = Encoding::new();
            if self.named == Some(Place::Order) {
                self.names(layout, state);
                state.encode_all(layout, &self.names, &mut whole);
            } else {
                state.encode_all(layout, self.encoded.names(), &mut whole);
            }
            assert!(into.same(&whole), "the encoding differs from one that is written anew");
        }
    }

    fn encode_changes(&mut self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        self.stats.named += 1;
        let version = self.version(layout, state);
        if version.is_some() && version == self.encoded_version && self.encoded.is_encoded() {
            return self.encode_as_before(layout, state, into);
        }
        match self.place(layout, state) {
            Place::Order => return self.write_anew(layout, state, into),
            Place::Names => {
                self.encoded.replace(&mut self.names);
                // The names that were swapped out are not those of this state.
                self.named = None;
            }
            Place::Encoded => {}
        }
        if self.encoded.is_encoded() {
            self.encode_as_before(layout, state, into);
            if self.ids_are_names {
                self.version_of_ids = version;
            }
        } else {
            let Self { encoded, chains, small, .. } = self;
            match (chains, small) {
                (Some(chains), _) => {
                    let mentioning = |unit, units: &mut Vec<_>| units.extend(chains.mentioning(unit));
                    encoded.encode(layout, state, Some(mentioning), into);
                }
                (None, Some(small)) => {
                    let graph = &small.graph;
                    let mentioning = |unit, units: &mut Vec<_>| graph.mentioning(unit, units);
                    encoded.encode(layout, state, graph.is_current().then_some(mentioning), into);
                }
                (None, None) => encoded.encode(layout, state, None::<fn(_, &mut Vec<_>)>, into),
            }
            self.ids_are_names = version.is_some() && self.has_ids_for_names();
        }
        self.encoded_version = version;
    }

    /// Whether the graph of small states is kept up to date: it shows what is garbage, and encodings are
    /// written from it as a whole.
    fn keeps_mirror(&self) -> bool {
        self.config.level == Level::Full && self.small.is_some()
    }

    /// Writes the encoding of a small state that was put in order.
    fn write_anew(&mut self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        let Some(mut small) = self.small.take() else { return };
        let Small { graph, closing, outlines, .. } = &mut *small;
        let mut nodes = NodeNames::new(graph, closing.order());
        if layout.has_values || layout.has_relations() {
            self.write_down(layout, state, &nodes, graph, closing);
            nodes.take_elements(graph, &self.names);
        }
        let names = &self.names;
        Written { graph, state, layout, nodes: &nodes, names }.encode(outlines, into);
        self.small = Some(small);
        state.encoded_elsewhere();
        self.encoded.forget();
        self.ids_are_names = false;
        self.encoded_version = None;
    }

    /// The version of the names of the state, where it is known. Only at the level `heap`: at others it is not
    /// known which steps change the order of threads.
    fn version(&self, layout: &Layout, state: &State) -> Option<u64> {
        if self.config.level != Level::Heap {
            return None;
        }
        match (&self.chains, &self.small) {
            (_, Some(small)) if !is_large(state) => Some(2 * small.versions.now()),
            (Some(chains), _) if !layout.has_relations() => Some(2 * chains.version() + 1),
            _ => None,
        }
    }

    /// Whether the state has the names of the one that was decoded, which had its ids as names.
    fn has_ids_for_names(&self) -> bool {
        self.chains.is_none() && self.small.as_ref().is_some_and(|small| small.versions.are_ids())
    }

    /// Brings `into` up to date, under the names that it has.
    fn encode_as_before(&self, layout: &Layout, state: &mut State, into: &mut Encoding) {
        if self.ids_are_names {
            state.encode(layout, into);
        } else {
            state.encode_changed(layout, self.encoded.names(), into);
        }
    }

    /// The counters since the last call of [`Namer::take_stats`].
    pub fn stats(&self) -> Stats {
        let touched = self.chains.as_ref().map_or(0, |chains| chains.touched);
        Stats { touched: self.stats.touched + touched, ..self.stats }
    }

    /// The counters since the last call.
    pub fn take_stats(&mut self) -> Stats {
        if let Some(chains) = &mut self.chains {
            self.stats.touched += std::mem::take(&mut chains.touched);
        }
        std::mem::take(&mut self.stats)
    }

    /// Finds symmetries of the state that exchange threads or, if `choices` says so, anything else, if there are
    /// any. Only where names are canonical: otherwise steps that a symmetry of the state maps to each other may
    /// lead to states with different names. At the level `heap`, names are canonical for given threads, so only
    /// symmetries that keep threads matter.
    pub fn symmetries(
        &mut self,
        layout: &Layout,
        state: &mut State,
        choices: bool,
    ) -> Option<Symmetries<'_>> {
        match self.config.level {
            Level::Full if state.thread_limit() < 2 && !choices => return None,
            Level::Full => {}
            Level::Heap if !choices => return None,
            Level::Heap => return self.symmetries_of_heap(layout, state),
            Level::Pc | Level::Bots(_) => return None,
        }
        if let Some(small) = &mut self.small {
            if small.graph.update(layout, state) {
                let nodes = if choices { small.graph.used } else { small.graph.threads };
                if !small.closing.may_exchange(&small.graph, nodes) {
                    return None;
                }
                self.place(layout, state);
                let Small { graph, closing, verifier, .. } = self.small.as_deref_mut()?;
                return verifier.find(layout, state, graph, closing, choices);
            }
            self.place(layout, state);
        }
        let chains = self.chains.as_mut()?;
        let counts = self.twins.find(layout, state, chains)?;
        Some(Symmetries { counts, exchanges: &mut self.no_exchanges })
    }

    /// Finds symmetries of a small state that exchange objects and abstract ids.
    fn symmetries_of_heap(&mut self, layout: &Layout, state: &mut State) -> Option<Symmetries<'_>> {
        let small = self.small.as_mut()?;
        if !small.graph.update(layout, state) {
            return None;
        }
        let others = small.graph.used & !small.graph.threads;
        if !small.closing.may_exchange(&small.graph, others) {
            return None;
        }
        // Threads are named first, so nothing exchanges them.
        self.name_small(layout, state);
        self.named = None;
        let Small { graph, closing, verifier, .. } = self.small.as_deref_mut()?;
        verifier.find(layout, state, graph, closing, true)
    }

    pub fn chains(&self) -> Option<&Chains> {
        self.chains.as_ref()
    }

    /// The names of everything in the state.
    pub fn names(&mut self, layout: &Layout, state: &mut State) -> &Names {
        match self.place(layout, state) {
            Place::Encoded => return self.encoded.names(),
            Place::Names => {}
            Place::Order => {
                self.name_by_order(layout, state);
                self.named = Some(Place::Names);
            }
        }
        &self.names
    }

    /// Names the state, unless that is done. Returns where its names are.
    fn place(&mut self, layout: &Layout, state: &mut State) -> Place {
        let place = self.named.unwrap_or_else(|| self.name(layout, state));
        self.named = Some(place);
        place
    }

    /// Computes the names of the state. Returns where they are.
    fn name(&mut self, layout: &Layout, state: &mut State) -> Place {
        if self.config.level == Level::Heap && self.small.is_some() && !is_large(state) {
            if self.has_ids_for_names() {
                set_to_ids(&mut self.names, layout, state);
                return Place::Names;
            }
            if self.name_reached(layout, state) {
                return Place::Names;
            }
        }
        if let Some(small) = &mut self.small {
            if small.graph.update(layout, state) {
                return self.name_small(layout, state);
            }
            // With relations, chains are not what gives names.
            if self.chains.is_none() && !layout.has_relations() {
                self.follow_chains(layout, state);
            }
        }
        if let Some(chains) = &mut self.chains {
            chains.arrange();
        }
        match (self.config.level, self.chains.take()) {
            (Level::Full, chains) => self.name_fully(layout, state, chains),
            (_, chains) if layout.has_relations() => {
                self.order_threads(layout, state);
                self.name_around(layout, state);
                self.chains = chains;
                Place::Names
            }
            // Chains order threads by id. Another order gives the same names, unless regions mention each
            // other.
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

    // Small states.

    /// Names a small state at the level `heap` if everything is reached by places. Returns whether it is.
    fn name_reached(&mut self, layout: &Layout, state: &mut State) -> bool {
        let Self { small, names, .. } = self;
        let Some(small) = small else { return false };
        let (reach, reached) = small.versions.find(layout, state);
        if reach == Reach::Partly {
            return false;
        }
        reached.name_objects(layout, state, names);
        name_abstracts(layout, &reached.order().iter().copied(), &mut names.abstracts);
        self.stats.touched += reached.order().len() as u64;
        self.order_threads(layout, state);
        true
    }

    fn name_small(&mut self, layout: &Layout, state: &mut State) -> Place {
        let keeps_threads = self.config.level != Level::Full;
        if keeps_threads {
            self.order_threads(layout, state);
        }
        let given = keeps_threads.then(|| std::mem::take(&mut self.names.threads));
        let mut small = self.small.take().expect("small states are named here");
        let Small { graph, closing, versions, .. } = &mut *small;
        let constants = layout.named_constants.iter().map(|&(of, id)| graph.element(of, id));
        let named = self.threads.iter().chain(&self.ended).filter(|_| keeps_threads);
        let threads = named.map(|&id| graph.unit(NodeRef::Thread(id)));
        let reached =
            if self.config.level == Level::Heap { versions.find(layout, state).1.order() } else { &[] };
        let reached = reached.iter().filter_map(|&entity| graph.entity(entity));
        let first = std::iter::once(SmallGraph::ROOT).chain(constants).chain(threads).chain(reached);
        let ordered = closing.canonize(graph, first, keeps_threads, self.config.options);
        self.stats.touched += closing.order().len() as u64;
        self.stats.searched += u64::from(ordered.searched);
        self.stats.exhausted += u64::from(!ordered.canonical);
        self.small = Some(small);
        if let Some(threads) = given {
            self.name_by_order(layout, state);
            self.names.threads = threads;
            return Place::Names;
        }
        Place::Order
    }

    /// Writes the names down that follow from the order of the nodes.
    fn name_by_order(&mut self, layout: &Layout, state: &State) {
        let Some(small) = self.small.take() else { return };
        let Small { graph, closing, .. } = &*small;
        self.write_down(layout, state, &NodeNames::new(graph, closing.order()), graph, closing);
        self.small = Some(small);
    }

    fn write_down(
        &mut self,
        layout: &Layout,
        state: &State,
        nodes: &NodeNames,
        graph: &SmallGraph,
        closing: &Closing,
    ) {
        self.start_names(state);
        nodes.give(graph, &mut self.names);
        let order = closing.order().iter().filter_map(|&node| graph.entities[usize::from(node)]);
        name_abstracts(layout, &order, &mut self.names.abstracts);
    }

    // Threads in the order of the level.

    /// Names the threads; `self.threads` are the running ones in order.
    fn order_threads(&mut self, layout: &Layout, state: &State) {
        self.list_threads(state);
        match self.config.level {
            Level::Heap | Level::Full => {}
            Level::Pc => by_location(layout, state, &mut self.threads),
            Level::Bots(depth) => self.signatures.sort(layout, state, depth, &mut self.threads),
        }
        self.name_threads(state);
        if self.config.level == Level::Heap {
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
        self.encoded.follow(state, &mut chains, &self.threads, &self.names.threads);
        self.chains = Some(chains);
        Place::Encoded
    }

    /// Names objects in the order of a depth-first traversal from the globals and then from the threads. With
    /// `collect`, drops the units that it did not meet.
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
                // The first edge is followed first, and everything that it leads to before the second.
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
                // Names are dense: those of the other ended threads may change.
                self.order_threads(layout, state);
            }
        }
        // There are no abstract ids.
        name_abstracts(layout, &std::iter::empty(), &mut self.names.abstracts);
    }

    // The level `full`.

    fn name_fully(&mut self, layout: &Layout, state: &mut State, chains: Option<Chains>) -> Place {
        let has_relations = layout.has_relations();
        match chains {
            Some(mut chains) if !has_relations && !chains.has_crossing() => {
                chains.refresh(layout, state);
                self.order_regions(state, &chains);
                // The graph does not follow changes from now on.
                self.floating.forget();
                self.rewritten.clear();
                return self.name_by_chains(state, chains);
            }
            Some(chains) if !has_relations => {
                let options = self.config.options;
                self.rewritten.extend(state.unencoded());
                let changed = &self.rewritten;
                let ordered = self.floating.canonize_changed(layout, state, &chains, changed, options);
                self.rewritten.clear();
                self.count(ordered);
                self.start_names(state);
                name_abstracts(layout, &std::iter::empty(), &mut self.names.abstracts);
                let chain = |&id: &ThreadId| chains.chain(NodeRef::Thread(id));
                self.threads.clear();
                self.threads.extend((0..state.thread_limit()).map(ThreadId));
                self.threads.retain(|&id| chains.is_anchored(NodeRef::Thread(id)));
                self.threads.sort_by(|a, b| chains.table.compare(chain(a), chain(b)));
                let mut given = Given::new(&mut self.names);
                self.threads.iter().for_each(|&id| given.name(Entity::Thread(id)));
                chains.objects_from(0).for_each(|id| given.name(Entity::Object(id)));
                self.floating.ordered().for_each(|entity| given.name(entity));
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
        let options = self.config.options;
        let ordered = self.floating.canonize(layout, state, &self.anchors, units, options);
        self.count(ordered);
        self.stats.touched += self.anchors.order.len() as u64;
        self.start_names(state);
        let all = self.anchors.order.iter().copied().chain(self.floating.ordered());
        let mut given = Given::new(&mut self.names);
        all.clone().for_each(|entity| given.name(entity));
        name_abstracts(layout, &all, &mut self.names.abstracts);
    }

    fn count(&mut self, ordered: canon::Ordered) {
        self.stats.touched += self.floating.len() as u64;
        self.stats.searched += u64::from(ordered.searched);
        self.stats.exhausted += u64::from(!ordered.canonical);
    }

    fn start_names(&mut self, state: &State) {
        self.names.threads.clear();
        self.names.threads.resize(state.thread_limit() as usize, UNNAMED);
        self.names.objects.clear();
        self.names.objects.resize(state.object_limit() as usize, UNNAMED);
    }

    /// Names threads that share nothing but what is anchored: the state is a multiset of regions, and no
    /// search is needed. Regions with equal hashes are taken to be equal.
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

/// Whether a state is not small, as far as its number of units says.
const fn is_large(state: &State) -> bool {
    1 + state.unit_count() > MOST
}

impl Anchored for Chains {
    fn anchor(&self, entity: Entity) -> Option<u64> {
        let chain = self.chain(entity.node()?);
        (self.table.origin(chain) == 0).then(|| self.table.hash(chain) as u64)
    }
}

impl Anchored for Anchors {
    fn anchor(&self, entity: Entity) -> Option<u64> {
        self.rank(entity).map(u64::from)
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

    fn name(&mut self, entity: Entity) {
        let (place, next) = match entity {
            Entity::Thread(id) => (&mut self.names.threads[id.0 as usize], &mut self.threads),
            Entity::Object(id) => (&mut self.names.objects[id.0 as usize], &mut self.objects),
            Entity::Abstract(..) => return,
        };
        *place = *next;
        *next += 1;
    }
}
