//! What happens to the graph, told to those who follow it: whoever asked for events, or else the ways by which units
//! are reached.

use crate::collect::Way;
use crate::edges::{flatten, label};
use crate::memory::Undo;
use crate::{Edge, Entity, Event, Layout, NodeRef, Shape, Slot, State};

impl State {
    /// From now on, what happens to the graph is recorded, until it is taken note of. Whoever does finds the garbage.
    pub fn record_events(&mut self) {
        self.follows_ways = false;
        self.events.get_or_insert_default();
    }

    pub fn events(&self) -> &[Event] {
        self.events.as_deref().unwrap_or_default()
    }

    /// What happened was taken note of.
    pub fn clear_events(&mut self) {
        if let Some(events) = &mut self.events {
            events.clear();
        }
    }

    pub(crate) fn record(&mut self, event: Event) {
        if let Some(events) = &mut self.events {
            events.push(event);
        } else if self.follows_ways {
            self.follow(event);
        }
    }

    fn follow(&mut self, event: Event) {
        match event {
            Event::Added(edge) => {
                if let Some(target) = edge.target.node() {
                    self.log.push(Undo::Edge { way: Way::of(edge), target });
                    self.ways.added(Way::of(edge), target);
                }
            }
            Event::Removed(edge) => {
                if let Some(target) = edge.target.node() {
                    self.ways.removed(Way::of(edge), target);
                }
            }
            Event::Created(unit) => self.ways.came(unit),
            Event::Ended(id) => self.ways.ended(id),
            // Garbage is nobody's way, and decoding forgets all ways.
            Event::Dropped(_) | Event::Rewritten(_) | Event::Replaced => {}
        }
    }

    fn is_followed(&self) -> bool {
        self.events.is_some() || self.follows_ways
    }

    pub fn records_events(&self) -> bool {
        self.events.is_some()
    }

    /// Records what `write`, which leaves the unit as long as it is, does to its edges.
    pub(crate) fn record_rewriting(&mut self, layout: &Layout, node: NodeRef, write: impl FnOnce(&mut Self)) {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        self.edges(layout, node, &mut |edge| edges.push(edge));
        let count = edges.len();
        write(self);
        self.edges(layout, node, &mut |edge| edges.push(edge));
        self.record(Event::Rewritten(node));
        self.record_difference(&mut edges, count);
        self.edges = edges;
    }

    /// Records that the first `count` edges of a unit were replaced by the others.
    pub(crate) fn record_difference(&mut self, edges: &mut [Edge], count: usize) {
        let (before, after) = edges.split_at_mut(count);
        before.sort_unstable_by_key(|edge| edge.label);
        after.sort_unstable_by_key(|edge| edge.label);
        let same = |edge: &Edge, others: &[Edge]| {
            let at = others.binary_search_by_key(&edge.label, |other| other.label);
            at.is_ok_and(|at| others[at].target == edge.target)
        };
        for &edge in before.iter().filter(|edge| !same(edge, after)) {
            self.record(Event::Removed(edge));
        }
        for &edge in after.iter().filter(|edge| !same(edge, before)) {
            self.record(Event::Added(edge));
        }
    }

    /// Records that a unit comes to or ceases to mention what words of this shape mention.
    pub(crate) fn record_shape(
        &mut self,
        layout: &Layout,
        node: NodeRef,
        base: usize,
        inset: usize,
        shape: &Shape,
        event: fn(Edge) -> Event,
    ) {
        if self.is_followed() {
            let mut edges = std::mem::take(&mut self.edges);
            edges.clear();
            self.contents_of(layout, base, inset, shape, &mut |label, content| {
                flatten(layout, node, label, content, &mut |edge| edges.push(edge));
            });
            for &edge in &edges {
                self.record(event(edge));
            }
            self.edges = edges;
        }
    }

    pub(crate) fn edges_of_value(
        &self,
        layout: &Layout,
        node: NodeRef,
        base: usize,
        slot: Slot,
        edges: &mut Vec<Edge>,
    ) {
        let inset = self.inset(node, base);
        self.content_of(layout, base, inset, slot, &mut |label, content| {
            flatten(layout, node, label, content, &mut |edge| edges.push(edge));
        });
    }

    /// The same for all of a unit.
    pub(crate) fn record_unit(&mut self, layout: &Layout, node: NodeRef, event: fn(Edge) -> Event) {
        if self.is_followed() {
            let mut edges = std::mem::take(&mut self.edges);
            edges.clear();
            self.edges(layout, node, &mut |edge| edges.push(edge));
            for &edge in &edges {
                self.record(event(edge));
            }
            self.edges = edges;
        }
    }

    /// How many words into its unit a position is.
    pub(crate) fn inset(&self, node: NodeRef, at: usize) -> usize {
        match node {
            NodeRef::Root => at,
            NodeRef::Thread(id) => at - self.thread(id),
            NodeRef::Object(id) => at - self.object(id),
        }
    }

    pub(crate) fn record_write(&mut self, node: NodeRef, base: usize, slot: Slot, value: i64) {
        if self.is_followed() {
            let label = label(self.inset(node, base), slot);
            let before = Entity::of_slot(slot.kind, self.read(base, slot));
            let after = Entity::of_slot(slot.kind, value);
            if let Some(target) = before {
                self.record(Event::Removed(Edge { source: node, label, target }));
            }
            if let Some(target) = after {
                self.record(Event::Added(Edge { source: node, label, target }));
            }
        }
    }
}
