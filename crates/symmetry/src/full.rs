//! The level `full`: what is not anchored becomes a graph, which is put in canonical order.
//!
//! Nodes are the threads, objects and abstract ids that float, and whatever of collections needs a node of
//! its own: the units that members hang from, elements that are collections themselves, entries of maps.
//! Everything that has a name already (data, anchored entities) goes into labels of nodes and edges, as a
//! hash. Two parts of a collection that no order tells apart hang from it by edges of the same label.

use canon::{Canonizer, Edge, Graph, Options, Ordered};
use state::{Content, Entity, Layout, NodeRef, State};

use crate::Chains;
use crate::content::hash_data;
use crate::mix::mix;
use crate::relations::{Place, Relations, hang};

const NONE: u32 = u32::MAX;

/// A source of names for anchored entities.
pub trait Anchored {
    /// A number that identifies an anchored entity independently of ids.
    fn anchor(&self, entity: Entity) -> Option<u64>;
}

/// The graph of what floats.
#[derive(Default, Debug)]
pub struct Floating {
    graph: Graph,
    canonizer: Canonizer,
    /// By node: its label, to which is added until the graph is complete.
    labels: Vec<u64>,
    /// By node: the entity that it stands for.
    entities: Vec<Option<Entity>>,
    threads: Vec<u32>,
    objects: Vec<u32>,
    abstracts: Vec<Vec<u32>>,
    /// The nodes in canonical order.
    order: Vec<u32>,
    /// By node: the range of its edges in the graph, if it is a unit that floats.
    rows: Vec<(u32, u32)>,
    /// The version of the chains for which the graph was made.
    version: Option<u64>,
    /// The present label and edges of a unit.
    row: (u64, Vec<Edge>),
}

impl Floating {
    /// Computes the order of everything that floats: see [`Floating::ordered`]. `units` are all units of the
    /// state, or those that float if only these mention what floats.
    pub fn canonize(
        &mut self,
        layout: &Layout,
        state: &State,
        anchors: &impl Anchored,
        units: impl Iterator<Item = NodeRef>,
        options: Options,
    ) -> Ordered {
        self.graph.clear();
        self.labels.clear();
        self.entities.clear();
        let clear = |nodes: &mut Vec<u32>, len: u32| {
            nodes.clear();
            nodes.resize(len as usize, NONE);
        };
        clear(&mut self.threads, state.thread_limit());
        clear(&mut self.objects, state.object_limit());
        self.abstracts.resize(layout.abstracts.len(), Vec::new());
        for (nodes, &count) in self.abstracts.iter_mut().zip(&layout.abstracts) {
            clear(nodes, count);
        }
        self.version = None;
        let mut builder = Builder { floating: self, layout, anchors };
        for unit in units {
            builder.unit(state, unit);
        }
        for &label in &self.labels {
            self.graph.add_node(label);
        }
        self.sort(options)
    }

    /// [`Floating::canonize`] where only what floats mentions what floats, and never in collections. As long
    /// as names have the same version, only the units in `changed` are looked at: all those that changed
    /// since the last time.
    pub fn canonize_changed(
        &mut self,
        layout: &Layout,
        state: &State,
        chains: &Chains,
        changed: &[NodeRef],
        options: Options,
    ) -> Ordered {
        let version = Some(chains.version());
        if self.version != version || !self.update(layout, state, chains, changed) {
            let floats = |&node: &NodeRef| !chains.is_anchored(node);
            self.rows.clear();
            self.graph.clear();
            self.labels.clear();
            self.entities.clear();
            self.threads.clear();
            self.threads.resize(state.thread_limit() as usize, NONE);
            self.objects.clear();
            self.objects.resize(state.object_limit() as usize, NONE);
            for unit in state.units().filter(floats) {
                let (place, entity) = match unit {
                    NodeRef::Root => continue,
                    NodeRef::Thread(id) => (&mut self.threads[id.0 as usize], Entity::Thread(id)),
                    NodeRef::Object(id) => (&mut self.objects[id.0 as usize], Entity::Object(id)),
                };
                *place = self.labels.len() as u32;
                self.add(0, Some(entity));
            }
            for unit in state.units().filter(floats) {
                self.describe(layout, state, chains, unit);
                let start = self.graph.edges().len() as u32;
                self.graph.add_node(self.row.0);
                self.row.1.iter().for_each(|edge| self.graph.add_edge(edge.source, edge.label, edge.target));
                self.rows.push((start, self.graph.edges().len() as u32));
            }
            self.version = version;
        }
        self.sort(options)
    }

    /// Updates the labels of the units that changed. Returns false if an edge has changed as well.
    fn update(&mut self, layout: &Layout, state: &State, chains: &Chains, changed: &[NodeRef]) -> bool {
        for &unit in changed {
            let node = match unit {
                NodeRef::Root => continue,
                NodeRef::Thread(id) => self.threads.get(id.0 as usize),
                NodeRef::Object(id) => self.objects.get(id.0 as usize),
            };
            let Some(&node) = node.filter(|&&node| node != NONE) else { continue };
            if !state.exists(unit) {
                return false;
            }
            self.describe(layout, state, chains, unit);
            let (start, end) = self.rows[node as usize];
            if self.graph.edges()[start as usize..end as usize] != self.row.1 {
                return false;
            }
            self.graph.set_label(node, self.row.0);
        }
        true
    }

    /// Sets `row` to the label and the edges of a unit that floats.
    fn describe(&mut self, layout: &Layout, state: &State, chains: &Chains, unit: NodeRef) {
        let Self { row: (label, edges), threads, objects, .. } = self;
        let source = match unit {
            NodeRef::Root => unreachable!("the globals do not float"),
            NodeRef::Thread(id) => threads[id.0 as usize],
            NodeRef::Object(id) => objects[id.0 as usize],
        };
        *label = hash_data(layout, state, unit);
        edges.clear();
        state.contents(layout, unit, &mut |place, content| {
            let Content::Name(entity) = content else { unreachable!("there are no such collections") };
            let target = match entity {
                Entity::Thread(id) => threads[id.0 as usize],
                Entity::Object(id) => objects[id.0 as usize],
                Entity::Abstract(..) => unreachable!("there are no abstract ids"),
            };
            if target == NONE {
                let anchor = chains.anchor(entity).expect("what does not float is anchored");
                *label = label.wrapping_add(mix(place, anchor));
            } else {
                edges.push(Edge { source, label: short(place), target });
            }
        });
    }

    fn sort(&mut self, options: Options) -> Ordered {
        let ordered = self.canonizer.order(&self.graph, options);
        self.order.clear();
        self.order.resize(self.labels.len(), 0);
        for (node, &position) in self.canonizer.position().iter().enumerate() {
            self.order[position as usize] = node as u32;
        }
        ordered
    }

    /// Drops the graph: it will not be brought up to date.
    pub fn forget(&mut self) {
        self.version = None;
    }

    /// The number of nodes of the graph.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The entities that float, in canonical order.
    pub fn ordered(&self) -> impl Iterator<Item = Entity> + Clone {
        self.order.iter().filter_map(|&node| self.entities[node as usize])
    }

    fn add(&mut self, label: u64, entity: Option<Entity>) -> u32 {
        self.labels.push(label);
        self.entities.push(entity);
        self.labels.len() as u32 - 1
    }

    /// The node of an entity that floats.
    fn node(&mut self, entity: Entity) -> u32 {
        let (place, label) = match entity {
            Entity::Thread(id) => (&mut self.threads[id.0 as usize], 0),
            Entity::Object(id) => (&mut self.objects[id.0 as usize], 0),
            Entity::Abstract(of, id) => (&mut self.abstracts[of as usize][id as usize], mix(4, of.into())),
        };
        if *place != NONE {
            return *place;
        }
        *place = self.labels.len() as u32;
        self.add(label, Some(entity))
    }
}

struct Builder<'a, A> {
    floating: &'a mut Floating,
    layout: &'a Layout,
    anchors: &'a A,
}

/// The label of an edge in the graph: a hash of its place.
pub const fn short(label: u64) -> u32 {
    (label ^ label >> 32) as u32
}

impl<A: Anchored> Builder<'_, A> {
    fn unit(&mut self, state: &State, unit: NodeRef) {
        let entity = match unit {
            NodeRef::Root => return self.anchored_unit(state, unit, 0),
            NodeRef::Thread(id) => Entity::Thread(id),
            NodeRef::Object(id) => Entity::Object(id),
        };
        if let Some(anchor) = self.anchors.anchor(entity) {
            return self.anchored_unit(state, unit, mix(6, anchor));
        }
        let node = self.floating.node(entity);
        self.label(node, hash_data(self.layout, state, unit));
        let terms = &self.layout.terms;
        state.contents(self.layout, unit, &mut |label, content| hang(self, terms, node, label, content));
    }

    /// An anchored unit mentions what floats in collections only. It has a node if it has collections.
    fn anchored_unit(&mut self, state: &State, unit: NodeRef, anchor: u64) {
        let mut own = None;
        state.contents(self.layout, unit, &mut |label, content| {
            if let Content::Value(..) = content {
                let node = *own.get_or_insert_with(|| self.floating.add(mix(5, anchor), None));
                hang(self, &self.layout.terms, node, label, content);
            }
        });
    }
}

impl<A: Anchored> Relations for Builder<'_, A> {
    fn anchor(&self, entity: Entity) -> Option<u64> {
        self.anchors.anchor(entity)
    }

    fn label(&mut self, node: u32, what: u64) {
        let label = &mut self.floating.labels[node as usize];
        *label = label.wrapping_add(what);
    }

    fn name(&mut self, node: u32, label: u64, entity: Entity, _: Place) {
        if let Some(anchor) = self.anchors.anchor(entity) {
            self.label(node, mix(label, anchor));
        } else {
            let target = self.floating.node(entity);
            self.floating.graph.add_edge(node, short(label), target);
        }
    }

    fn part(&mut self, node: u32, label: u64, own: u64) -> u32 {
        let part = self.floating.add(own, None);
        self.floating.graph.add_edge(node, short(label), part);
        part
    }
}
