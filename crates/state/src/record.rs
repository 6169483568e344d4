//! Changes of the graph of references, written to the journal if a reader follows the graph.

use crate::edges::{flatten, label};
use crate::journal::{Change, Mention};
use crate::state::GraphReader;
use crate::{Edge, Entity, Layout, NodeRef, ObjectId, Shape, Slot, State};

/// That a unit mentions an object.
pub type Reference = (u32, ObjectId);

/// Appends the objects of those in one sorted list that are not in the other one.
fn add_missing(all: &[Reference], mut left: &[Reference], objects: &mut Vec<ObjectId>) {
    for reference in all {
        let rest = left.iter().position(|other| other >= reference).unwrap_or(left.len());
        left = &left[rest..];
        match left.split_first() {
            Some((first, rest)) if first == reference => left = rest,
            _ => objects.push(reference.1),
        }
    }
}

impl State {
    /// Journals changes of the graph from now on, for a reader that finds the garbage itself. There must be
    /// no step to take back, unless such changes were journalled before.
    pub fn record_graph(&mut self) {
        self.graph_reader = Some(GraphReader::Names);
        self.collector.forget();
    }

    /// Takes back [`State::record_graph`]: garbage is found by the collector again.
    pub fn record_for_collector(&mut self, layout: &Layout) {
        self.graph_reader = layout.has_collector().then_some(GraphReader::Collector);
        self.collector.forget();
    }

    /// Changes of the graph are not journalled from now on: what is garbage is found without that, see
    /// [`State::take_garbage_possible`].
    pub fn record_nothing(&mut self) {
        self.graph_reader = None;
        self.collector.forget();
    }

    /// Whether changes of the graph are journalled for a reader that finds the garbage itself.
    pub fn records_graph(&self) -> bool {
        self.graph_reader == Some(GraphReader::Names)
    }

    pub(crate) fn record(&mut self, change: Change) {
        if self.graph_reader.is_some() {
            self.journal.push(change);
        }
    }

    /// Elements of abstract enums are no units: edges to them are not recorded.
    fn record_edge(&mut self, edge: Edge, change: fn(Mention) -> Change) {
        if let Some(target) = edge.target.node() {
            let mention = Mention { source: edge.source.index(), target: target.index(), label: edge.label };
            self.journal.push(change(mention));
        }
    }

    /// Records what `write`, which must keep the length of the unit, does to its edges.
    pub(crate) fn record_rewriting(&mut self, layout: &Layout, unit: NodeRef, write: impl FnOnce(&mut Self)) {
        let mut edges = std::mem::take(&mut self.scratch.edges);
        edges.clear();
        self.edges(layout, unit, &mut |edge| edges.push(edge));
        let count = edges.len();
        write(self);
        self.edges(layout, unit, &mut |edge| edges.push(edge));
        self.record(Change::Rewritten(unit));
        self.record_difference(&mut edges, count);
        self.scratch.edges = edges;
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
            self.record_edge(edge, Change::Removed);
        }
        for &edge in after.iter().filter(|edge| !same(edge, before)) {
            self.record_edge(edge, Change::Added);
        }
    }

    /// Which units mention which objects, sorted, each pair as often as it occurs.
    pub fn references(&self, layout: &Layout) -> Vec<Reference> {
        let mut all = Vec::new();
        for unit in std::iter::once(NodeRef::Root).chain(self.units()) {
            self.edges(layout, unit, &mut |edge| {
                if let Entity::Object(target) = edge.target {
                    all.push((unit.index(), target));
                }
            });
        }
        all.sort_unstable();
        all
    }

    /// Appends the objects that some unit mentions less often after the last step than before it. Unless changes of
    /// the graph are journalled, `before` has the references before the step.
    pub fn dropped_references(&self, layout: &Layout, before: &[Reference], objects: &mut Vec<ObjectId>) {
        if !self.journals_graph() {
            return add_missing(before, &self.references(layout), objects);
        }
        let [mut removed, mut added] = [Vec::new(), Vec::new()];
        for change in self.last_step() {
            let (list, mention) = match change {
                Change::Removed(mention) => (&mut removed, mention),
                Change::Added(mention) => (&mut added, mention),
                _ => continue,
            };
            if let NodeRef::Object(target) = NodeRef::from_index(mention.target) {
                list.push((mention.source, target));
            }
        }
        removed.sort_unstable();
        added.sort_unstable();
        add_missing(&removed, &added, objects);
    }

    /// Whether changes of the graph are journalled for some reader.
    pub fn journals_graph(&self) -> bool {
        self.graph_reader.is_some()
    }

    /// Records that a unit gains or loses the edges in the words of this shape at `base`, which is `inset`
    /// words into the unit.
    pub(crate) fn record_shape(
        &mut self,
        layout: &Layout,
        unit: NodeRef,
        base: usize,
        inset: usize,
        shape: &Shape,
        change: fn(Mention) -> Change,
    ) {
        if self.graph_reader.is_some() {
            let mut edges = std::mem::take(&mut self.scratch.edges);
            edges.clear();
            self.contents_of(layout, base, inset, shape, &mut |label, content| {
                flatten(layout, unit, label, content, &mut |edge| edges.push(edge));
            });
            for &edge in &edges {
                self.record_edge(edge, change);
            }
            self.scratch.edges = edges;
        }
    }

    /// Records that a unit gains or loses all its edges.
    pub(crate) fn record_unit(&mut self, layout: &Layout, unit: NodeRef, change: fn(Mention) -> Change) {
        if self.graph_reader.is_some() {
            let mut edges = std::mem::take(&mut self.scratch.edges);
            edges.clear();
            self.edges(layout, unit, &mut |edge| edges.push(edge));
            for &edge in &edges {
                self.record_edge(edge, change);
            }
            self.scratch.edges = edges;
        }
    }

    /// Appends the edges of a collection.
    pub(crate) fn edges_of_value(
        &self,
        layout: &Layout,
        unit: NodeRef,
        base: usize,
        slot: Slot,
        edges: &mut Vec<Edge>,
    ) {
        let inset = base - self.start_of(unit);
        self.content_of(layout, base, inset, slot, &mut |label, content| {
            flatten(layout, unit, label, content, &mut |edge| edges.push(edge));
        });
    }

    /// Records what writing `value` to a slot for references will do. It must not be written yet.
    pub(crate) fn record_write(&mut self, unit: NodeRef, base: usize, slot: Slot, value: i64) {
        if self.graph_reader.is_some() {
            let label = label(base - self.start_of(unit), slot);
            let before = Entity::of_slot(slot.kind, self.read(base, slot));
            let after = Entity::of_slot(slot.kind, value);
            for (target, change) in [(before, Change::Removed as fn(_) -> _), (after, Change::Added)] {
                if let Some(target) = target {
                    self.record_edge(Edge { source: unit, label, target }, change);
                }
            }
        }
    }
}
