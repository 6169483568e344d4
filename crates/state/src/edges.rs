//! The state as a graph: which unit mentions which individual, and what changed about that.

use ir::{LocationId, TypeId};

use crate::{Layout, NodeRef, ObjectId, ObjectKind, Shape, Slot, SlotKind, State, TermKind, ThreadId};

/// Whatever has a name that nobody can observe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Entity {
    Thread(ThreadId),
    Object(ObjectId),
    /// An element of an abstract enum.
    Abstract(u32, u32),
}

impl Entity {
    /// Whom a slot of this kind means that holds `raw`, if anybody.
    #[inline]
    pub const fn of_slot(kind: SlotKind, raw: i64) -> Option<Self> {
        if raw == 0 {
            return None;
        }
        let id = raw as u32 - 1;
        match kind {
            SlotKind::Data | SlotKind::Value(_) => None,
            SlotKind::Object => Some(Self::Object(ObjectId(id))),
            SlotKind::Thread => Some(Self::Thread(ThreadId(id))),
            SlotKind::Abstract(of) => Some(Self::Abstract(of, id)),
        }
    }

    /// The same for a word of a collection.
    pub const fn of_term(kind: TermKind, raw: i64) -> Option<Self> {
        match kind {
            TermKind::Object => Self::of_slot(SlotKind::Object, raw),
            TermKind::Thread => Self::of_slot(SlotKind::Thread, raw),
            TermKind::Abstract(of) => Self::of_slot(SlotKind::Abstract(of), raw),
            _ => None,
        }
    }

    /// The unit of the state that it is, if it is one.
    pub const fn node(self) -> Option<NodeRef> {
        match self {
            Self::Thread(id) => Some(NodeRef::Thread(id)),
            Self::Object(id) => Some(NodeRef::Object(id)),
            Self::Abstract(..) => None,
        }
    }
}

/// That a unit mentions an individual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub source: NodeRef,
    /// The place within the unit. In the low half, where the place is a collection: which mention it is, from 1
    /// on; otherwise 0.
    pub label: u64,
    pub target: Entity,
}

/// What a place of a unit holds that can mention individuals.
#[derive(Clone, Copy, Debug)]
pub enum Content<'s> {
    Name(Entity),
    Value(TypeId, &'s [u64]),
}

/// What a step did to the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Added(Edge),
    Removed(Edge),
    Created(NodeRef),
    /// A thread has ended.
    Ended(ThreadId),
    Dropped(NodeRef),
    /// By decoding: a unit has other words, and perhaps other edges, which are told as well.
    Rewritten(NodeRef),
    /// By decoding: nothing is what it was.
    Replaced,
}

/// The place of a slot, `base` words into its unit.
pub(crate) const fn label(base: usize, slot: Slot) -> u64 {
    ((base as u64 + slot.word as u64) << 6 | slot.shift as u64) << 32
}

impl State {
    /// Every mention in a unit, by place.
    #[inline]
    pub fn edges(&self, layout: &Layout, source: NodeRef, visit: &mut impl FnMut(Edge)) {
        self.contents(layout, source, &mut |label, content| flatten(layout, source, label, content, visit));
    }

    /// Every place of a unit that mentions individuals, in order: its label and what it holds.
    #[inline]
    pub fn contents<'s>(&'s self, layout: &Layout, node: NodeRef, visit: &mut impl FnMut(u64, Content<'s>)) {
        match node {
            NodeRef::Root => self.contents_of(layout, 0, 0, &layout.root, visit),
            NodeRef::Thread(id) => {
                if !self.is_running(id) {
                    return;
                }
                let base = self.thread(id);
                self.contents_of(layout, base, 0, &layout.thread, visit);
                for frame in self.frames(layout, id) {
                    self.contents_of(layout, frame, frame - base, self.frame_shape(layout, frame), visit);
                }
            }
            NodeRef::Object(id) => {
                let base = self.object(id);
                match layout.kind(self.read(base, layout.tag)) {
                    ObjectKind::Record(record) => {
                        self.contents_of(layout, base, 0, &layout.records[record], visit);
                    }
                    ObjectKind::Lock => self.contents_of(layout, base, 0, &layout.lock, visit),
                    ObjectKind::Channel(_) => {}
                    ObjectKind::Array(array) => {
                        let array = layout.arrays[array as usize];
                        if array.kind != SlotKind::Data {
                            for index in 0..self.read(base, layout.array_length) as u32 {
                                self.content_of(layout, base, 0, array.slot(index), visit);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Every word of a unit, and of the collections in it, in which nothing is a name: names are left out.
    #[inline]
    pub fn data(&self, layout: &Layout, node: NodeRef, visit: &mut impl FnMut(u64)) {
        match node {
            NodeRef::Root => self.data_of(layout, 0, &layout.root, visit),
            NodeRef::Thread(id) => {
                if self.is_running(id) {
                    self.data_of(layout, self.thread(id), &layout.thread, visit);
                    for frame in self.frames(layout, id) {
                        self.data_of(layout, frame, self.frame_shape(layout, frame), visit);
                    }
                }
            }
            NodeRef::Object(id) => {
                let base = self.object(id);
                match layout.kind(self.read(base, layout.tag)) {
                    ObjectKind::Record(record) => self.data_of(layout, base, &layout.records[record], visit),
                    ObjectKind::Lock => self.data_of(layout, base, &layout.lock, visit),
                    ObjectKind::Channel(_) => {
                        self.words_of(node).unwrap_or_default().iter().copied().for_each(visit);
                    }
                    ObjectKind::Array(array) => {
                        let array = layout.arrays[array as usize];
                        let length = self.read(base, layout.array_length) as u32;
                        visit(self.words[base]);
                        match array.kind {
                            SlotKind::Data => {
                                self.words[base + 1..base + array.words(length)]
                                    .iter()
                                    .copied()
                                    .for_each(visit);
                            }
                            SlotKind::Value(_) => {
                                for index in 0..length {
                                    self.data_of_value(layout, base, array.slot(index), visit);
                                }
                            }
                            SlotKind::Object | SlotKind::Thread | SlotKind::Abstract(_) => {}
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn data_of(&self, layout: &Layout, base: usize, shape: &Shape, visit: &mut impl FnMut(u64)) {
        for (word, mask) in self.words[base..].iter().zip(&shape.data) {
            visit(word & mask);
        }
        for &slot in &shape.values {
            self.data_of_value(layout, base, slot, visit);
        }
    }

    fn data_of_value(&self, layout: &Layout, base: usize, slot: Slot, visit: &mut impl FnMut(u64)) {
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections are in slots for them") };
        if !layout.terms.has_names(ty) {
            self.value(layout, ty, self.read(base, slot)).iter().copied().for_each(visit);
        }
    }

    /// The shape of the frame that starts there.
    pub fn frame_shape<'l>(&self, layout: &'l Layout, frame: usize) -> &'l Shape {
        let location = LocationId(self.read(frame, layout.location) as u32);
        &layout.frames[layout.procedure_of[location]]
    }

    /// The same for words of this shape at `base`, which is `inset` words into its unit.
    #[inline]
    pub(crate) fn contents_of<'s>(
        &'s self,
        layout: &Layout,
        base: usize,
        inset: usize,
        shape: &Shape,
        visit: &mut impl FnMut(u64, Content<'s>),
    ) {
        for &slot in &shape.edges {
            if let Some(target) = Entity::of_slot(slot.kind, self.read(base, slot)) {
                visit(label(inset, slot), Content::Name(target));
            }
        }
        for &slot in &shape.values {
            self.content_of(layout, base, inset, slot, visit);
        }
    }

    pub(crate) fn content_of<'s>(
        &'s self,
        layout: &Layout,
        base: usize,
        inset: usize,
        slot: Slot,
        visit: &mut impl FnMut(u64, Content<'s>),
    ) {
        let raw = self.read(base, slot);
        if let SlotKind::Value(ty) = slot.kind {
            if raw != 0 && layout.terms.has_names(ty) {
                visit(label(inset, slot), Content::Value(ty, self.value(layout, ty, raw)));
            }
        } else if let Some(target) = Entity::of_slot(slot.kind, raw) {
            visit(label(inset, slot), Content::Name(target));
        }
    }
}

/// The mentions of a place.
#[inline]
pub(crate) fn flatten(
    layout: &Layout,
    source: NodeRef,
    mut label: u64,
    content: Content<'_>,
    visit: &mut impl FnMut(Edge),
) {
    match content {
        Content::Name(target) => visit(Edge { source, label, target }),
        Content::Value(ty, words) => layout.terms.visit(ty, words, &mut |kind, raw| {
            label += 1;
            if let Some(target) = Entity::of_term(kind, raw) {
                visit(Edge { source, label, target });
            }
        }),
    }
}
