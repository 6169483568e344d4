//! The state as a graph: which unit mentions which entity.

use ir::{LocationId, TypeId};

use crate::layout::ArrayShape;
use crate::{Form, Layout, NodeRef, ObjectId, Shape, Slot, SlotKind, State, TermKind, ThreadId};

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
            SlotKind::Data | SlotKind::Value(_) | SlotKind::Pointer(_) => None,
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

/// What a unit consists of.
#[derive(Clone, Copy, Debug)]
pub enum Item<'s> {
    /// A word without references.
    Word(u64),
    /// The content of the place with this label.
    Content(u64, Content<'s>),
}

/// A block of words of a unit.
#[derive(Clone, Copy)]
enum Block<'l> {
    /// At `base`, which is `inset` words into the unit.
    Shaped {
        base: usize,
        inset: usize,
        shape: &'l Shape,
    },
    Array {
        base: usize,
        array: ArrayShape,
        length: u32,
    },
}

/// The label of a slot, `base` words into its unit.
pub const fn label(base: usize, slot: Slot) -> u64 {
    ((base as u64 + slot.word as u64) << 6 | slot.shift as u64) << 32
}

/// The place of a label outside of collections: a word of the unit, and a bit of the word.
pub const fn place_of(label: u64) -> (u32, u8) {
    ((label >> 38) as u32, (label >> 32) as u8 % 64)
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
        self.blocks(layout, node, &mut |block| self.contents_of_block(layout, block, visit));
    }

    /// Visits every word of a unit, with references masked out, and of those collections in it that hold
    /// none.
    #[inline]
    pub fn data(&self, layout: &Layout, node: NodeRef, visit: &mut impl FnMut(u64)) {
        self.blocks(layout, node, &mut |block| self.data_of_block(layout, block, visit));
    }

    /// [`State::data`] and [`State::contents`] in one go. Returns a small number for what the unit is one of;
    /// threads that have ended have the greatest one.
    #[inline]
    pub fn scan<'s>(&'s self, layout: &Layout, node: NodeRef, visit: &mut impl FnMut(Item<'s>)) -> u32 {
        self.blocks(layout, node, &mut |block| {
            self.data_of_block(layout, block, &mut |word| visit(Item::Word(word)));
            self.contents_of_block(layout, block, &mut |label, content| visit(Item::Content(label, content)));
        })
    }

    /// [`State::scan`] for units without collections, in one loop: visits the words of a unit, with
    /// references masked out, and the places that are not empty, with their labels, kinds and bits. Of arrays
    /// of references, only the first word is visited.
    #[inline]
    pub fn scan_names(
        &self,
        layout: &Layout,
        node: NodeRef,
        mut word: impl FnMut(u64),
        mut name: impl FnMut(u64, SlotKind, u32),
    ) -> u32 {
        debug_assert!(!self.can_have_values(layout, node), "collections are taken apart by `scan`");
        let Some(mut words) = self.words_of(node) else { return u32::MAX };
        let frame = |words: &[u64]| layout.procedure_of[LocationId(layout.location.get(words) as u32)];
        let (mut shape, kind) = match node {
            NodeRef::Root => (&layout.root, 0),
            NodeRef::Thread(_) if words.is_empty() => return u32::MAX,
            NodeRef::Thread(_) if layout.thread.is_empty() => {
                let procedure = frame(words);
                (&layout.frames[procedure], procedure.0)
            }
            NodeRef::Thread(_) => (&layout.thread, frame(&words[layout.thread.len()..]).0),
            NodeRef::Object(_) => {
                let tag = layout.tag.get(words);
                match layout.form(tag) {
                    Form::Single(shape) => (shape, tag as u32),
                    Form::Block(block) => {
                        word(words[0]);
                        for (index, words) in words[1..].chunks_exact(block.element.len()).enumerate() {
                            words.iter().zip(&block.element.data).for_each(|(bits, mask)| word(bits & mask));
                            for &slot in &block.element.edges {
                                let bits = words[slot.word as usize] >> slot.shift & slot.mask();
                                if bits != 0 {
                                    name(label(block.start(index), slot), slot.kind, bits as u32);
                                }
                            }
                        }
                        return tag as u32;
                    }
                    Form::Array(array) => {
                        let data = if array.kind == SlotKind::Data { words } else { &words[..1] };
                        data.iter().copied().for_each(word);
                        if array.kind != SlotKind::Data {
                            for slot in (0..layout.array_length.get(words) as u32).map(|at| array.slot(at)) {
                                let bits = words[slot.word as usize] >> slot.shift & slot.mask();
                                if bits != 0 {
                                    name(label(0, slot), slot.kind, bits as u32);
                                }
                            }
                        }
                        return tag as u32;
                    }
                }
            }
        };
        let mut inset = 0;
        loop {
            words.iter().zip(&shape.data).for_each(|(bits, mask)| word(bits & mask));
            for &slot in &shape.edges {
                let bits = words[slot.word as usize] >> slot.shift & slot.mask();
                if bits != 0 {
                    name(label(inset, slot), slot.kind, bits as u32);
                }
            }
            words = &words[shape.len()..];
            if words.is_empty() {
                return kind;
            }
            inset += shape.len();
            shape = &layout.frames[frame(words)];
        }
    }

    /// A unit that is one block of words with a shape, without collections: the number of its kind that
    /// [`State::scan`] returns, the shape, and the words.
    #[inline]
    pub fn block_of<'l>(&self, layout: &'l Layout, unit: NodeRef) -> Option<(u32, &'l Shape, &[u64])> {
        let (kind, shape, words) = match unit {
            NodeRef::Root => (0, &layout.root, &self.memory.words[..self.memory.root_len]),
            NodeRef::Thread(_) => {
                let words = self.words_of(unit).filter(|words| !words.is_empty())?;
                if !layout.thread.is_empty() {
                    return None;
                }
                let procedure = layout.procedure_of[LocationId(layout.location.get(words) as u32)];
                (procedure.0, &layout.frames[procedure], words)
            }
            NodeRef::Object(_) => {
                let words = self.words_of(unit)?;
                let tag = layout.tag.get(words);
                let Form::Single(shape) = layout.form(tag) else { return None };
                (tag as u32, shape, words)
            }
        };
        (shape.values.is_empty() && shape.len() == words.len()).then_some((kind, shape, words))
    }

    /// Visits the blocks of words that a unit consists of. Returns a small number for what the unit is one of.
    #[inline]
    fn blocks<'l>(&self, layout: &'l Layout, node: NodeRef, visit: &mut impl FnMut(Block<'l>)) -> u32 {
        match node {
            NodeRef::Root => {
                visit(Block::Shaped { base: 0, inset: 0, shape: &layout.root });
                0
            }
            NodeRef::Thread(id) => {
                let node = self.memory.threads.get(id.0);
                if node.len == 0 {
                    return u32::MAX;
                }
                let (base, end) = (node.offset as usize, (node.offset + node.len) as usize);
                let header = layout.thread.len();
                if header > 0 {
                    visit(Block::Shaped { base, inset: 0, shape: &layout.thread });
                }
                let mut at = base + header;
                let location = self.read_untraced(at, layout.location);
                let kind = layout.procedure_of[LocationId(location as u32)].0;
                while at < end {
                    let shape = self.frame_shape(layout, at);
                    visit(Block::Shaped { base: at, inset: at - base, shape });
                    at += shape.len();
                }
                kind
            }
            NodeRef::Object(id) => {
                let base = self.object(id);
                let tag = self.read_untraced(base, layout.tag);
                match layout.form(tag) {
                    Form::Single(shape) => visit(Block::Shaped { base, inset: 0, shape }),
                    Form::Block(block) => {
                        let words = self.words_of(node).map_or(1, <[u64]>::len);
                        for inset in (0..block.length(words)).map(|index| block.start(index)) {
                            visit(Block::Shaped { base: base + inset, inset, shape: &block.element });
                        }
                    }
                    Form::Array(array) => {
                        let length = self.read_untraced(base, layout.array_length) as u32;
                        visit(Block::Array { base, array, length });
                    }
                }
                tag as u32
            }
        }
    }

    #[inline]
    fn contents_of_block<'s>(
        &'s self,
        layout: &Layout,
        block: Block<'_>,
        visit: &mut impl FnMut(u64, Content<'s>),
    ) {
        match block {
            Block::Shaped { base, inset, shape } => self.contents_of(layout, base, inset, shape, visit),
            Block::Array { base, array, length } if array.kind != SlotKind::Data => {
                for index in 0..length {
                    self.content_of(layout, base, 0, array.slot(index), visit);
                }
            }
            Block::Array { .. } => {}
        }
    }

    #[inline]
    fn data_of_block(&self, layout: &Layout, block: Block<'_>, visit: &mut impl FnMut(u64)) {
        match block {
            Block::Shaped { base, shape, .. } => self.data_of(layout, base, shape, visit),
            Block::Array { base, array, length } => {
                visit(self.memory.words[base]);
                match array.kind {
                    SlotKind::Data => {
                        let elements = &self.memory.words[base + 1..base + array.words(length)];
                        elements.iter().copied().for_each(visit);
                    }
                    SlotKind::Value(_) => {
                        for index in 0..length {
                            self.data_of_value(layout, base, array.slot(index), visit);
                        }
                    }
                    SlotKind::Object | SlotKind::Pointer(_) | SlotKind::Thread | SlotKind::Abstract(_) => {}
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
        let location = LocationId(self.read_untraced(frame, layout.location) as u32);
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
            if let Some(target) = Entity::of_slot(slot.kind, self.read_untraced(base, slot)) {
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
        let raw = self.read_untraced(base, slot);
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
