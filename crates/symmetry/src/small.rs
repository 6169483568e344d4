//! A small state as a graph of at most 64 nodes, which follows the state unit by unit.
//!
//! Nodes are the units of the state, the elements of abstract enums, and the parts of collections that need a
//! node of their own (see [`crate::relations`]). A set of nodes is one word. Whether a state is small depends on
//! the number of its nodes alone, so all states of an orbit are, or none is.
//!
//! A unit that a step changed is scanned again; the others keep their nodes and links. Which number a node has
//! depends on the past. Whatever is made of the graph must not depend on it.

use state::{Entity, Item, Layout, Names, NodeRef, ObjectId, SlotKind, State, ThreadId};

use crate::mix::mix;
use crate::relations::{Place, Relations, hang};

/// The greatest number of nodes.
pub const MOST: usize = 64;

const NONE: u8 = u8::MAX;

/// An edge, seen from the node that it leaves.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// A hash of the place, which is odd.
    pub label: u64,
    pub target: u8,
    /// Whether it is the only one with its label that leaves the node.
    pub is_one: bool,
}

impl Link {
    /// The only edge from its node with this label.
    #[inline]
    const fn one(label: u64, target: u8) -> Self {
        Self { label: label.wrapping_mul(SPREAD) | 1, target, is_one: true }
    }
}

/// The graph of a small state.
#[derive(Debug)]
pub struct SmallGraph {
    /// Whether it shows the state, but for units that the state has not encoded.
    is_current: bool,
    /// Whether it shows some state.
    is_whole: bool,
    /// The nodes in use, and those of threads among them.
    pub used: u64,
    pub threads: u64,
    /// By node: a hash of everything about it that is not a link.
    pub labels: [u64; MOST],
    /// By node: its links, places of one entity in order.
    pub links: [Vec<Link>; MOST],
    /// By node: the nodes that have links to it.
    pub sources: [u64; MOST],
    /// By node: those to which it links as one of many.
    pub members: [u64; MOST],
    /// By node: what it stands for, unless it is the globals or a part of a collection.
    pub entities: [Option<Entity>; MOST],
    /// By node: its group, which is its kind of thread or object, or [`NONE`].
    groups: [u8; MOST],
    /// By group: the number of its nodes; and which groups have any.
    counts: [u8; GROUPS],
    present: u64,
    /// By node of a unit: the parts of its collections; and which nodes have any.
    parts: [u64; MOST],
    with_parts: u64,
    /// By [`NodeRef::index`]: the node of a unit.
    of_units: Vec<u8>,
    /// By abstract enum: the node of its first element.
    of_enums: Vec<u8>,
    /// Units that changed and were not scanned again.
    changed: Vec<NodeRef>,
}

impl Default for SmallGraph {
    fn default() -> Self {
        Self {
            is_current: false,
            is_whole: false,
            used: 0,
            threads: 0,
            labels: [0; MOST],
            links: std::array::from_fn(|_| Vec::new()),
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

    /// Drops the graph: the state is another one.
    pub fn forget(&mut self) {
        self.is_current = false;
        self.changed.clear();
    }

    /// The state is encoded although the graph is not up to date: what changed is scanned later.
    pub fn put_off(&mut self, state: &mut State) {
        if self.is_current {
            self.changed.extend(state.unencoded());
            if self.changed.len() > MOST {
                self.forget();
            }
        }
    }

    /// Brings the graph up to date. Returns false if the state is not small. This, or [`SmallGraph::put_off`],
    /// must be called before the state is encoded.
    pub fn update(&mut self, layout: &Layout, state: &mut State) -> bool {
        if 1 + state.unit_count() > MOST {
            self.forget();
            return false;
        }
        let mut changed = std::mem::take(&mut self.changed);
        // Whatever is taken back from now on counts as changed, also if everything is scanned now.
        changed.extend(state.unencoded());
        if !self.is_current {
            changed.clear();
            self.unlink();
            if self.is_whole {
                let known = nodes(self.used).filter_map(|node| self.entities[node].and_then(Entity::node));
                changed.extend(known.filter(|&unit| !state.exists(unit)));
            } else {
                self.clear(layout);
            }
            changed.push(NodeRef::Root);
            changed.extend(state.units());
        }
        let fits = layout.abstracts.iter().sum::<u32>() < MOST as u32;
        self.is_current = fits && self.scan_all(layout, state, &changed);
        self.is_whole = self.is_current;
        changed.clear();
        self.changed = changed;
        self.is_current
    }

    /// Whether the graph shows the state, but for what changed since the state was last encoded.
    pub const fn is_current(&self) -> bool {
        self.is_current && self.changed.is_empty()
    }

    /// Names threads and objects: by kind, and then in the order of their nodes.
    pub fn give_names(&self, order: &[u8], names: &mut Names) {
        // By group: the next name.
        let mut next = [0_u8; GROUPS];
        let (mut thread, mut object) = (0, 0);
        for group in nodes(self.present) {
            let first = if group < KINDS { &mut thread } else { &mut object };
            next[group] = *first;
            *first += self.counts[group];
        }
        for &node in order {
            let node = usize::from(node) % MOST;
            let group = usize::from(self.groups[node]);
            let name = match self.entities[node] {
                Some(Entity::Thread(id)) => &mut names.threads[id.0 as usize],
                Some(Entity::Object(id)) => &mut names.objects[id.0 as usize],
                _ => continue,
            };
            *name = next[group].into();
            next[group] += 1;
        }
    }

    fn regroup(&mut self, node: usize, group: u8) {
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
            (self.sources[node], self.members[node]) = (0, 0);
        }
        for node in nodes(std::mem::take(&mut self.with_parts)) {
            self.used &= !std::mem::take(&mut self.parts[node]);
        }
    }

    /// Starts anew with the elements of abstract enums.
    fn clear(&mut self, layout: &Layout) {
        self.groups = [NONE; MOST];
        self.counts = [0; GROUPS];
        (self.used, self.threads, self.present) = (0, 0, 0);
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

    /// Scans the units that changed. Returns false if there is no room for all nodes.
    fn scan_all(&mut self, layout: &Layout, state: &State, changed: &[NodeRef]) -> bool {
        let greatest = changed.iter().map(|unit| unit.index()).max().unwrap_or_default() as usize;
        if greatest >= self.of_units.len() {
            self.of_units.resize(greatest + 1, NONE);
        }
        let has_node = |graph: &Self, unit: NodeRef| graph.unit(unit) != NONE;
        // Units link to each other, so all have nodes before any is scanned.
        if changed.iter().any(|&unit| has_node(self, unit) != state.exists(unit)) {
            // What still links to a unit that is gone is about to be scanned.
            for &unit in changed {
                if has_node(self, unit) {
                    self.detach(self.unit(unit).into());
                }
            }
            for &unit in changed {
                if has_node(self, unit) && !state.exists(unit) {
                    self.drop_node(unit);
                }
            }
            if !changed.iter().all(|&unit| self.make_node(state, unit)) {
                return false;
            }
        }
        changed.iter().all(|&unit| {
            let node = self.unit(unit);
            node == NONE || self.scan(layout, state, unit, node)
        })
    }

    /// Frees the node of a unit that is gone. Nothing may link to it.
    fn drop_node(&mut self, unit: NodeRef) {
        let node = self.unit(unit);
        self.used &= !(1 << node);
        self.threads &= !(1 << node);
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
        for link in &self.links[owner] {
            self.sources[usize::from(link.target) % MOST] &= !(1 << owner);
        }
        self.links[owner].clear();
        self.members[owner] = 0;
        if self.parts[owner] != 0 {
            for node in nodes(self.parts[owner]) {
                for link in &self.links[node] {
                    self.sources[usize::from(link.target)] &= !(1 << node);
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
    fn scan(&mut self, layout: &Layout, state: &State, unit: NodeRef, owner: u8) -> bool {
        let node = usize::from(owner) % MOST;
        self.detach(node);
        let mut label = match unit {
            NodeRef::Root => 1,
            NodeRef::Thread(_) => 2,
            NodeRef::Object(_) => 3,
        };
        let mut fits = true;
        let kind = if layout.has_values {
            self.labels[node] = 0;
            let mut row = Row { graph: self, owner: node, fits: true };
            let kind = state.scan(layout, unit, &mut |item| match item {
                Item::Word(word) => label = mix(label, word),
                Item::Content(label, content) => hang(&mut row, &layout.terms, owner.into(), label, content),
            });
            fits = row.fits;
            // Collections have added to it.
            label = label.wrapping_add(self.labels[node]);
            kind
        } else {
            let Self { links, sources, of_units, of_enums, .. } = self;
            let links = &mut links[node];
            state.scan_names(
                layout,
                unit,
                |word| label = mix(label, word),
                |label, kind, bits| {
                    let target = match kind {
                        SlotKind::Object => of_units[NodeRef::Object(ObjectId(bits - 1)).index() as usize],
                        SlotKind::Thread => of_units[NodeRef::Thread(ThreadId(bits - 1)).index() as usize],
                        SlotKind::Abstract(of) => of_enums[of as usize] + (bits - 1) as u8,
                        SlotKind::Data | SlotKind::Value(_) => return,
                    };
                    sources[usize::from(target) % MOST] |= 1 << node;
                    links.push(Link::one(label, target));
                },
            )
        };
        self.labels[node] = label;
        let kind = kind.min(KINDS as u32 - 1) as u8;
        let group = match unit {
            NodeRef::Root => NONE,
            NodeRef::Thread(_) => kind,
            NodeRef::Object(_) => KINDS as u8 + kind,
        };
        self.regroup(node, group);
        fits
    }
}

/// Spreads labels of places, which have few bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of kinds of threads, and of objects, that are distinguished; and of groups: both.
const KINDS: usize = 32;
const GROUPS: usize = 2 * KINDS;

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
        self.graph.parts[self.owner] |= 1 << part;
        self.graph.with_parts |= 1 << self.owner;
        self.link(node, label, part, false);
        part.into()
    }
}
