//! The state as a graph: which unit mentions which entity.

use ir::{LocationId, TypeId};

use crate::{Layout, NodeRef, ObjectId, ObjectKind, Shape, Slot, SlotKind, State, TermKind, ThreadId};

/// A thread, object or abstract id. Programs that do not ask for ids cannot observe which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Entity {
    Thread(ThreadId),
    Object(ObjectId),
    /// An element of an abstract enum.
    Abstract(u32, u32),
}

impl Entity {
    /// The entity to which a slot of this kind refers that holds `raw`.
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

    /// The entity to which a word of a collection refers.
    pub const fn of_term(kind: TermKind, raw: i64) -> Option<Self> {
        match kind {
            TermKind::Object => Self::of_slot(SlotKind::Object, raw),
            TermKind::Thread => Self::of_slot(SlotKind::Thread, raw),
            TermKind::Abstract(of) => Self::of_slot(SlotKind::Abstract(of), raw),
            _ => None,
        }
    }

    /// The unit, for threads and objects.
    pub const fn node(self) -> Option<NodeRef> {
        match self {
            Self::Thread(id) => Some(NodeRef::Thread(id)),
            Self::Object(id) => Some(NodeRef::Object(id)),
            Self::Abstract(..) => None,
        }
    }
}

/// That a unit mentions an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub source: NodeRef,
    /// The place within the unit, in the high half. If the place is a collection, the low half has the number
    /// of the mention in it, from 1 on; otherwise it is 0.
    pub label: u64,
    pub target: Entity,
}

/// The content of a place of a unit that mentions entities.
#[derive(Clone, Copy, Debug)]
pub enum Content<'s> {
    Name(Entity),
    Value(TypeId, &'s [u64]),
}

/// The label of a slot, `base` words into its unit.
pub(crate) const fn label(base: usize, slot: Slot) -> u64 {
    ((base as u64 + slot.word as u64) << 6 | slot.shift as u64) << 32
}

impl State {
    /// Visits every edge from a unit, in the order of places.
    #[inline]
    pub fn edges(&self, layout: &Layout, source: NodeRef, visit: &mut impl FnMut(Edge)) {
        self.contents(layout, source, &mut |label, content| flatten(layout, source, label, content, visit));
    }

    /// Visits every place of a unit that mentions entities, in order: its label and its content.
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

    /// Visits every word of a unit, with references masked out, and of those collections in it that hold
    /// none.
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
                        visit(self.memory.words[base]);
                        match array.kind {
                            SlotKind::Data => {
                                self.memory.words[base + 1..base + array.words(length)]
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
        for (word, mask) in self.memory.words[base..].iter().zip(&shape.data) {
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

    /// The shape of the frame that starts at `frame`.
    pub fn frame_shape<'l>(&self, layout: &'l Layout, frame: usize) -> &'l Shape {
        let location = LocationId(self.read(frame, layout.location) as u32);
        &layout.frames[layout.procedure_of[location]]
    }

    /// [`State::contents`] for words of this shape at `base`, which is `inset` words into its unit.
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

/// Visits the edges of one place.
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
