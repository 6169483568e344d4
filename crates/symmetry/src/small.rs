//! A small state as a graph of at most 64 nodes, which follows the state unit by unit.
//!
//! Nodes are the units of the state, the elements of abstract enums, and the parts of collections that need a
//! node of their own (see [`crate::relations`]). A set of nodes is one word. Whether a state is small depends on
//! the number of its nodes alone, so all states of an orbit are, or none is.
//!
//! The graph is a mirror of the state. A unit that changed, by a step, by undo or by decoding, is scanned again;
//! the others keep their nodes and links. If only data changed, and no reference, a unit keeps its links as
//! well. Which number a node has depends on the past. Whatever is made of the graph must not depend on it.
//!
//! At the level `full`, the graph of a small state is all that is needed after a step: it shows what is
//! garbage, names are found by it, and encodings are written from it (see [`crate::small_encoding`]).

use state::{Entity, Item, Layout, NodeRef, ObjectId, Shape, SlotKind, State, ThreadId, label_of};

use crate::mix::mix;
use crate::relations::{Place, Relations, hang};
use crate::small_saved::Saved;

/// The greatest number of nodes.
pub const MOST: usize = 64;

const NONE: u8 = u8::MAX;
const OTHER: u32 = u32::MAX;
const BLOCKS: u32 = u32::MAX - 1;

/// Stands for the number of words of a unit that may have collections.
pub const VARIABLE: u32 = u32::MAX;

/// An edge, seen from the node that it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// A hash of the place, which is odd.
    pub label: u64,
    pub target: u8,
    /// In programs without collections: the place, as a word of the unit and a bit of the word.
    pub shift: u8,
    pub word: u32,
    /// Whether it is the only one with its label that leaves the node.
    pub is_one: bool,
}

impl Link {
    /// The only edge from its node with this label.
    #[inline]
    const fn one(label: u64, target: u8) -> Self {
        let (word, shift) = state::place_of(label);
        Self { label: label.wrapping_mul(SPREAD) | 1, target, shift, word, is_one: true }
    }
}

/// The graph of a small state.
#[derive(Debug)]
pub struct SmallGraph {
    /// Whether it shows the state.
    is_current: bool,
    /// Whether it showed the state when it was last brought up to date.
    is_whole: bool,
    /// The nodes in use, those of threads among them, and those of threads that run.
    pub used: u64,
    pub threads: u64,
    pub(crate) running: u64,
    /// By node: a hash of everything about it that is not a link.
    pub labels: [u64; MOST],
    /// By node: its links, places of one entity in order.
    pub links: [Vec<Link>; MOST],
    /// By node: the nodes to which it has links, and those that have links to it.
    pub targets: [u64; MOST],
    pub sources: [u64; MOST],
    /// By node: those to which it links as one of many.
    pub members: [u64; MOST],
    /// By node: what it stands for, unless it is the globals or a part of a collection.
    pub entities: [Option<Entity>; MOST],
    /// By node: its group, which is its kind of thread or object, or [`NONE`].
    pub(crate) groups: [u8; MOST],
    /// By group: the number of its nodes; and which groups have any.
    pub(crate) counts: [u8; GROUPS],
    pub(crate) present: u64,
    /// By node of a unit: the parts of its collections; and which nodes have any.
    pub(crate) parts: [u64; MOST],
    with_parts: u64,
    /// By [`NodeRef::index`]: the node of a unit.
    of_units: Vec<u8>,
    /// By abstract enum: the node of its first element.
    of_enums: Vec<u8>,
    /// By node of a unit without collections: its kind, if it is one block of words; [`BLOCKS`] if there may be
    /// more; otherwise, or if there are no links yet, [`OTHER`].
    pub(crate) kinds: [u32; MOST],
    /// By node of a unit: the number of its words, or [`VARIABLE`]; and the nodes for which that is not 1.
    pub(crate) lens: [u32; MOST],
    pub(crate) long: u64,
    /// By node of a unit with one word: the word, without references; and the references, as scanned.
    pub(crate) first: [u64; MOST],
    pub(crate) references: [u64; MOST],
    /// By node of a unit with more words: the words, without references; and the references, as scanned. If
    /// there may be several blocks: the whole words, as scanned.
    pub(crate) words: [Vec<u64>; MOST],
    pub(crate) more_references: [Vec<u64>; MOST],
    /// What leads back to the state before the last step.
    pub(crate) saved: Saved,
    /// The number of the layout of units for which units have nodes.
    unit_layout: u64,
    /// The units that changed, by index; kept for its memory.
    changed: Vec<u32>,
}

impl Default for SmallGraph {
    fn default() -> Self {
        Self {
            is_current: false,
            is_whole: false,
            used: 0,
            threads: 0,
            running: 0,
            labels: [0; MOST],
            links: std::array::from_fn(|_| Vec::new()),
            targets: [0; MOST],
            sources: [0; MOST],
            members: [0; MOST],
            entities: [None; MOST],
            groups: [NONE; MOST],
            counts: [0; GROUPS],
            present: 0,
            parts: [0; MOST],
            with_parts: 0,
            of_units: Vec::new(),
            of_enums: Vec::new(),
            kinds: [OTHER; MOST],
            lens: [0; MOST],
            long: 0,
            first: [0; MOST],
            references: [0; MOST],
            words: std::array::from_fn(|_| Vec::new()),
            more_references: std::array::from_fn(|_| Vec::new()),
            saved: Saved::default(),
            unit_layout: 0,
            changed: Vec::new(),
        }
    }
}

/// The nodes in a set.
#[inline]
pub fn nodes(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let node = set.trailing_zeros() as usize;
            set &= set - 1;
            node
        })
    })
}

impl SmallGraph {
    /// The node of the globals.
    pub const ROOT: u8 = 0;

    /// Brings the graph up to date. Returns false if the state is not small.
    pub fn update(&mut self, layout: &Layout, state: &mut State) -> bool {
        if self.is_current {
            return true;
        }
        if 1 + state.unit_count() > MOST {
            return false;
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        state.take_unmirrored(&mut changed);
        if !self.is_whole {
            self.saved.give_up();
            if layout.abstracts.iter().sum::<u32>() >= MOST as u32 {
                return false;
            }
            self.unlink();
            self.clear(layout);
            changed.clear();
            changed.extend(std::iter::once(NodeRef::Root).chain(state.units()).map(NodeRef::index));
        }
        let unit_layout = state.unit_layout();
        let has_same_units = self.is_whole && self.unit_layout == unit_layout;
        self.unit_layout = unit_layout;
        let has_nodes = has_same_units || self.renew_nodes(state, &changed);
        self.is_current = has_nodes
            && changed.iter().all(|&unit| match self.of_units[unit as usize] {
                NONE => true,
                node => self.scan(layout, state, NodeRef::from_index(unit), node),
            });
        self.is_whole = self.is_current;
        if !self.is_current {
            self.saved.give_up();
        }
        self.changed = changed;
        self.is_current
    }

    /// The state is another one.
    #[inline]
    pub fn leave(&mut self) {
        self.is_current = false;
        self.saved.give_up();
    }

    /// The state has taken a step.
    #[inline]
    pub fn step(&mut self) {
        let shows_source = std::mem::replace(&mut self.is_current, false);
        self.saved.begin(shows_source);
    }

    /// The state has changed in the course of a step.
    pub fn change(&mut self) {
        self.is_current = false;
    }

    /// The state is about to take its last step back.
    #[inline]
    pub fn undo(&mut self, state: &mut State) {
        self.is_current = self.put_back();
        if self.is_current {
            state.mirror_undoes();
        }
    }

    /// Whether the graph shows the state.
    pub const fn is_current(&self) -> bool {
        self.is_current
    }

    /// The units that nothing leads to from the globals or a running thread, in order.
    pub fn garbage(&self) -> Vec<NodeRef> {
        let mut alive = 1 << Self::ROOT | self.running;
        let mut pending = alive;
        while pending != 0 {
            let node = pending.trailing_zeros() as usize;
            pending &= pending - 1;
            let new = self.targets[node] & !alive;
            alive |= new;
            pending |= new;
        }
        let unmet = self.used & !alive;
        if unmet == 0 {
            return Vec::new();
        }
        let mut units: Vec<NodeRef> =
            nodes(unmet).filter_map(|node| self.entities[node].and_then(Entity::node)).collect();
        units.sort_unstable();
        units
    }

    pub(crate) fn regroup(&mut self, node: usize, group: u8) {
        let old = std::mem::replace(&mut self.groups[node], group);
        if old != group {
            if old != NONE {
                self.counts[usize::from(old)] -= 1;
                self.present &= !(u64::from(self.counts[usize::from(old)] == 0) << old);
            }
            if group != NONE {
                self.counts[usize::from(group)] += 1;
                self.present |= 1 << group;
            }
        }
    }

    /// The node of an element of an abstract enum.
    pub fn element(&self, of: u32, id: u32) -> u8 {
        self.of_enums[of as usize] + id as u8
    }

    /// The node of an entity, if it has one.
    pub fn entity(&self, entity: Entity) -> Option<u8> {
        match entity {
            Entity::Abstract(of, id) => Some(self.element(of, id)),
            _ => entity.node().map(|unit| self.unit(unit)),
        }
    }

    /// The node of a unit that exists.
    #[inline]
    pub fn unit(&self, unit: NodeRef) -> u8 {
        self.of_units[unit.index() as usize]
    }

    /// Adds the units that mention a unit to a list.
    pub fn mentioning(&self, unit: NodeRef, units: &mut Vec<NodeRef>) {
        let sources = self.owners(self.sources[usize::from(self.unit(unit))]);
        units.extend(nodes(sources).map(|node| match self.entities[node].and_then(Entity::node) {
            Some(unit) => unit,
            None => NodeRef::Root,
        }));
    }

    /// A set of nodes with units in place of the parts of their collections.
    pub fn owners(&self, set: u64) -> u64 {
        let mut owners = set;
        for node in nodes(self.with_parts) {
            owners = owners & !self.parts[node] | u64::from(set & self.parts[node] != 0) << node;
        }
        owners
    }

    /// Removes all links, and the parts of collections.
    fn unlink(&mut self) {
        for node in nodes(self.used) {
            self.links[node].clear();
            (self.targets[node], self.sources[node], self.members[node]) = (0, 0, 0);
        }
        for node in nodes(std::mem::take(&mut self.with_parts)) {
            self.used &= !std::mem::take(&mut self.parts[node]);
        }
    }

    /// Starts anew with the elements of abstract enums.
    fn clear(&mut self, layout: &Layout) {
        self.groups = [NONE; MOST];
        self.kinds = [OTHER; MOST];
        self.counts = [0; GROUPS];
        (self.used, self.threads, self.running, self.long, self.present) = (0, 0, 0, 0, 0);
        self.of_units.fill(NONE);
        self.of_enums.clear();
        // The globals have node 0.
        let mut next = 1;
        for (&count, of) in layout.abstracts.iter().zip(0..) {
            self.of_enums.push(next);
            for id in 0..count {
                self.put(usize::from(next) % MOST, mix(4, of), Some(Entity::Abstract(of as u32, id)));
                next = next.wrapping_add(1);
            }
        }
    }

    fn put(&mut self, node: usize, label: u64, entity: Option<Entity>) {
        self.used |= 1 << node;
        self.threads |= u64::from(matches!(entity, Some(Entity::Thread(_)))) << node;
        self.labels[node] = label;
        self.entities[node] = entity;
    }

    /// A node that is not in use, if there is one.
    fn add(&mut self, label: u64, entity: Option<Entity>) -> Option<u8> {
        let node = (!self.used).trailing_zeros() as usize;
        if node == MOST {
            return None;
        }
        debug_assert!(self.sources[node] == 0 && self.links[node].is_empty());
        self.put(node, label, entity);
        Some(node as u8)
    }

    /// Gives nodes to those of these units that exist, and frees the nodes of the others. Returns false if there
    /// is no room for all. Units link to each other, so all must have nodes before any is scanned.
    fn renew_nodes(&mut self, state: &State, changed: &[u32]) -> bool {
        let greatest = changed.iter().max().map_or(0, |&unit| unit as usize);
        if greatest >= self.of_units.len() {
            self.of_units.resize(greatest + 1, NONE);
        }
        let exists = |unit: u32| state.exists(NodeRef::from_index(unit));
        let has_node = |graph: &Self, unit: u32| graph.of_units[unit as usize] != NONE;
        if changed.iter().all(|&unit| has_node(self, unit) == exists(unit)) {
            return true;
        }
        self.saved.give_up();
        // What still links to a unit that is gone is about to be scanned.
        for &unit in changed {
            if has_node(self, unit) {
                self.detach(self.of_units[unit as usize].into());
            }
        }
        for &unit in changed {
            if has_node(self, unit) && !exists(unit) {
                self.drop_node(NodeRef::from_index(unit));
            }
        }
        changed.iter().all(|&unit| self.make_node(state, NodeRef::from_index(unit)))
    }

    /// Frees the node of a unit that is gone. Nothing may link to it.
    fn drop_node(&mut self, unit: NodeRef) {
        let node = self.unit(unit);
        self.used &= !(1 << node);
        self.threads &= !(1 << node);
        self.running &= !(1 << node);
        self.long &= !(1 << node);
        self.regroup(node.into(), NONE);
        self.of_units[unit.index() as usize] = NONE;
    }

    /// Gives a unit a node, if it exists and has none. Returns false if there is no room.
    fn make_node(&mut self, state: &State, unit: NodeRef) -> bool {
        let index = unit.index() as usize;
        if self.of_units[index] != NONE || !state.exists(unit) {
            return true;
        }
        let node = match unit {
            NodeRef::Root => {
                self.put(0, 0, None);
                Some(Self::ROOT)
            }
            NodeRef::Thread(id) => self.add(0, Some(Entity::Thread(id))),
            NodeRef::Object(id) => self.add(0, Some(Entity::Object(id))),
        };
        self.of_units[index] = node.unwrap_or(NONE);
        node.is_some()
    }

    /// Takes the row of a unit out of the graph, and the parts of its collections.
    #[inline]
    fn detach(&mut self, owner: usize) {
        let targets = self.targets[owner];
        self.save_links(owner);
        self.targets[owner] = 0;
        for target in nodes(targets) {
            self.sources[target % MOST] &= !(1 << owner);
        }
        self.links[owner].clear();
        self.members[owner] = 0;
        self.kinds[owner] = OTHER;
        if self.parts[owner] != 0 {
            for node in nodes(self.parts[owner]) {
                for target in nodes(std::mem::take(&mut self.targets[node])) {
                    self.sources[target] &= !(1 << node);
                }
                self.links[node].clear();
                self.members[node] = 0;
            }
            self.used &= !self.parts[owner];
            self.parts[owner] = 0;
            self.with_parts &= !(1 << owner);
        }
    }

    /// Scans a unit. Returns false if there is no room for the parts of its collections.
    #[inline]
    fn scan(&mut self, layout: &Layout, state: &State, unit: NodeRef, owner: u8) -> bool {
        let node = usize::from(owner) % MOST;
        self.save(node);
        if let Some((kind, shape, words)) = state.block_of(layout, unit) {
            let has_links = self.kinds[node] == kind && self.lens[node] as usize == words.len();
            let is_same = self.take_words(shape, words, node);
            if !is_same || !has_links {
                self.link_all(unit, owner, (kind, shape, words));
            }
            return true;
        }
        if state.can_have_values(layout, unit) {
            return self.scan_with_values(layout, state, unit, owner);
        }
        self.scan_blocks(layout, state, unit, owner);
        true
    }

    /// Takes over the words of a unit of one block, and its label. Returns whether its references are the same
    /// as before.
    #[inline]
    fn take_words(&mut self, shape: &Shape, words: &[u64], node: usize) -> bool {
        let own = self.own_label(node);
        if let (&[word], &[mask, ..]) = (words, &shape.data[..]) {
            let (data, references) = (word & mask, word & !mask);
            let is_same = self.references[node] == references;
            (self.first[node], self.references[node]) = (data, references);
            self.labels[node] = mix(own, data);
            return is_same;
        }
        let (old, old_references) = (&mut self.words[node], &mut self.more_references[node]);
        let mut label = own;
        let mut is_same = old.len() == words.len() && old_references.len() == words.len();
        old.resize(words.len(), 0);
        old_references.resize(words.len(), 0);
        for ((&word, mask), (old, references)) in
            words.iter().zip(&shape.data).zip(old.iter_mut().zip(old_references))
        {
            *old = word & mask;
            label = mix(label, *old);
            is_same &= std::mem::replace(references, word & !mask) == word & !mask;
        }
        self.labels[node] = label;
        is_same
    }

    #[inline]
    fn own_label(&self, node: usize) -> u64 {
        match self.entities[node] {
            None => 1,
            Some(Entity::Thread(_)) => 2,
            Some(Entity::Object(_) | Entity::Abstract(..)) => 3,
        }
    }

    /// Links a unit of one block to everything that it refers to.
    fn link_all(&mut self, unit: NodeRef, owner: u8, (kind, shape, words): (u32, &Shape, &[u64])) {
        let node = usize::from(owner) % MOST;
        self.detach(node);
        self.kinds[node] = kind;
        self.set_len(node, words.len() as u32);
        let Self { links, sources, of_units, of_enums, .. } = self;
        let links = &mut links[node];
        let mut targets = 0;
        for &slot in &shape.edges {
            let bits = words[slot.word as usize] >> slot.shift & slot.mask();
            if bits == 0 {
                continue;
            }
            let target = match slot.kind {
                SlotKind::Object => of_units[2 * bits as usize],
                SlotKind::Thread => of_units[2 * bits as usize - 1],
                SlotKind::Abstract(of) => of_enums[of as usize] + (bits - 1) as u8,
                SlotKind::Data | SlotKind::Value(_) | SlotKind::Pointer(_) => continue,
            };
            sources[usize::from(target) % MOST] |= 1 << node;
            targets |= 1 << target;
            links.push(Link::one(label_of(0, slot), target));
        }
        self.targets[node] = targets;
        self.set_kind(unit, node, kind);
    }

    /// Whether the words of a unit are kept although it may be one word.
    pub(crate) const fn has_blocks(&self, node: usize) -> bool {
        self.kinds[node] == BLOCKS
    }

    #[inline]
    pub(crate) fn set_len(&mut self, node: usize, len: u32) {
        self.lens[node] = len;
        self.long = self.long & !(1 << node) | u64::from(len != 1) << node;
    }

    /// A unit is one of a kind, see [`State::scan`].
    fn set_kind(&mut self, unit: NodeRef, node: usize, kind: u32) {
        let group = kind.min(KINDS as u32 - 1) as u8;
        let group = match unit {
            NodeRef::Root => NONE,
            NodeRef::Thread(_) => {
                self.running = self.running & !(1 << node) | u64::from(kind != u32::MAX) << node;
                group
            }
            NodeRef::Object(_) => KINDS as u8 + group,
        };
        self.regroup(node, group);
    }

    /// Scans a unit without collections that may consist of several blocks.
    fn scan_blocks(&mut self, layout: &Layout, state: &State, unit: NodeRef, owner: u8) {
        let node = usize::from(owner) % MOST;
        let now = state.words_of(unit).unwrap_or_default();
        let before = &self.more_references[node];
        let has_links = self.kinds[node] == BLOCKS && before.len() == now.len();
        if has_links && before == now {
            return;
        }
        let keeps_links = has_links && layout.has_same_names(unit, before, now);
        if !keeps_links {
            self.detach(node);
        }
        let mut label = self.own_label(node);
        let Self { links, sources, targets, of_units, of_enums, words, more_references, .. } = self;
        let (links, words, targets) = (&mut links[node], &mut words[node], &mut targets[node]);
        more_references[node].clear();
        more_references[node].extend_from_slice(now);
        words.clear();
        let word = |word| {
            label = mix(label, word);
            words.push(word);
        };
        let kind = if keeps_links {
            state.scan_names(layout, unit, word, |_, _, _| {})
        } else {
            state.scan_names(layout, unit, word, |label, kind, bits| {
                let target = match kind {
                    SlotKind::Object => of_units[2 * bits as usize],
                    SlotKind::Thread => of_units[2 * bits as usize - 1],
                    SlotKind::Abstract(of) => of_enums[of as usize] + (bits - 1) as u8,
                    SlotKind::Data | SlotKind::Value(_) | SlotKind::Pointer(_) => return,
                };
                sources[usize::from(target) % MOST] |= 1 << node;
                *targets |= 1 << target;
                links.push(Link::one(label, target));
            })
        };
        // The words of arrays of references were not visited, except for the first.
        words.resize(now.len(), 0);
        self.kinds[node] = BLOCKS;
        self.set_len(node, now.len() as u32);
        if let &[word] = &self.words[node][..] {
            self.first[node] = word;
        }
        self.labels[node] = label;
        if !keeps_links {
            self.set_kind(unit, node, kind);
        }
    }

    /// Scans a unit that may have collections. Returns false if there is no room for their parts.
    fn scan_with_values(&mut self, layout: &Layout, state: &State, unit: NodeRef, owner: u8) -> bool {
        let node = usize::from(owner) % MOST;
        self.detach(node);
        self.labels[node] = 0;
        let mut label = self.own_label(node);
        let mut row = Row { graph: self, owner: node, fits: true };
        let kind = state.scan(layout, unit, &mut |item| match item {
            Item::Word(word) => label = mix(label, word),
            Item::Content(label, content) => hang(&mut row, &layout.terms, owner.into(), label, content),
        });
        let fits = row.fits;
        // Collections have added to it.
        self.labels[node] = label.wrapping_add(self.labels[node]);
        self.set_len(node, VARIABLE);
        self.set_kind(unit, node, kind);
        fits
    }
}

/// Spreads labels of places, which have few bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of kinds of threads, and of objects, that are distinguished; and of groups: both.
pub const KINDS: usize = 32;
pub const GROUPS: usize = 2 * KINDS;

/// Adds the contents of a unit.
struct Row<'g> {
    graph: &'g mut SmallGraph,
    owner: usize,
    fits: bool,
}

impl Row<'_> {
    #[inline]
    fn link(&mut self, node: u32, label: u64, target: u8, is_one: bool) {
        let node = node as usize;
        let target_bit = 1 << target;
        let graph = &mut *self.graph;
        graph.links[node].push(Link { is_one, ..Link::one(label, target) });
        graph.sources[usize::from(target)] |= 1 << node;
        graph.targets[node] |= target_bit;
        if !is_one {
            graph.members[node] |= target_bit;
        }
    }
}

impl Relations for Row<'_> {
    fn anchor(&self, _: Entity) -> Option<u64> {
        None
    }

    fn label(&mut self, node: u32, what: u64) {
        let label = &mut self.graph.labels[node as usize];
        *label = label.wrapping_add(what);
    }

    #[inline]
    fn name(&mut self, node: u32, label: u64, entity: Entity, place: Place) {
        let target = match entity {
            Entity::Abstract(of, id) => self.graph.element(of, id),
            Entity::Thread(ThreadId(id)) => self.graph.unit(NodeRef::Thread(ThreadId(id))),
            Entity::Object(ObjectId(id)) => self.graph.unit(NodeRef::Object(ObjectId(id))),
        };
        self.link(node, label, target, place == Place::One);
    }

    fn part(&mut self, node: u32, label: u64, own: u64) -> u32 {
        let Some(part) = self.graph.add(own, None) else {
            self.fits = false;
            // What is added from now on is not looked at.
            return node;
        };
        self.graph.saved.give_up();
        self.graph.parts[self.owner] |= 1 << part;
        self.graph.with_parts |= 1 << self.owner;
        self.link(node, label, part, false);
        part.into()
    }
}
