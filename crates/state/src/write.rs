//! How states change: words, collections, threads and objects; and how steps are taken back.
//!
//! Every change goes to memory and to the journal. That is all that a write does: the readers of the journal
//! look for changes later.

use ir::TypeId;

use crate::journal::Change;
use crate::memory::{Node, block_class};
use crate::steady::MentionsChanged;
use crate::trace::AccessKind;
use crate::{End, Form, Layout, NodeRef, ObjectId, Shape, Slot, SlotKind, State, ThreadId};

/// A unit or collection with at least this many words is added only if there is memory for [`COPIES`] of the
/// state: it will also be encoded and stored.
const LARGE: usize = 1 << 16;
const COPIES: usize = 4;

// Words.

impl State {
    /// Stores `value` to `slot` of the unit of `unit` that starts at `base`. For collections there is
    /// [`State::write_value`].
    #[inline]
    pub fn write(&mut self, unit: NodeRef, base: usize, slot: Slot, value: i64) {
        let at = base + slot.word as usize;
        let old = self.memory.words[at];
        let field = slot.mask() << slot.shift;
        let new = old & !field | slot.raw(value);
        if self.trace.is_on {
            self.trace.record(at, field, AccessKind::Write(unit));
        }
        if new != old {
            if slot.kind != SlotKind::Data {
                if let SlotKind::Pointer(_) = slot.kind {
                    return self.write_pointer(unit, base, slot, value);
                }
                self.collector.garbage_possible |= old & field != 0;
                self.note_mention(slot);
                self.record_write(unit, base, slot, value);
            }
            self.replace_word(unit, at, new);
        }
    }

    /// [`State::write`] for pointers.
    #[inline(never)]
    fn write_pointer(&mut self, unit: NodeRef, base: usize, slot: Slot, pointer: i64) {
        let (object, leaf) = slot.parts();
        self.write(unit, base, object, pointer & object.mask() as i64);
        self.write(unit, base, leaf, pointer >> object.bits);
    }

    /// Stores a reference whose old target stays reachable otherwise, or was null: it makes no garbage.
    #[inline]
    pub fn write_kept(&mut self, unit: NodeRef, base: usize, slot: Slot, value: i64) {
        let before = self.collector.garbage_possible;
        self.write(unit, base, slot, value);
        self.collector.garbage_possible = before;
    }

    /// Replaces a whole word of a unit, in which there must be no references.
    #[inline]
    pub fn write_word(&mut self, unit: NodeRef, at: usize, new: u64) {
        self.replace_bits(unit, at, u64::MAX, AccessKind::Write(unit), new);
    }

    /// Replaces some bits of a word of a unit, in which there must be no references.
    #[inline]
    pub fn write_bits(&mut self, unit: NodeRef, at: usize, mask: u64, bits: u64) {
        self.replace_bits(unit, at, mask, AccessKind::Write(unit), self.memory.words[at] & !mask | bits);
    }

    /// Shifts the bits in `mask` down by `by` places: each becomes what the one above it is, or 0 if that is
    /// not in the mask. That does not count as reading them.
    #[inline]
    pub fn shift_bits(&mut self, unit: NodeRef, at: usize, mask: u64, by: u32) {
        let old = self.memory.words[at];
        let shifted = (old & mask) >> by & mask;
        self.replace_bits(unit, at, mask, AccessKind::Shift(unit, by), old & !mask | shifted);
    }

    #[inline]
    fn replace_bits(&mut self, unit: NodeRef, at: usize, mask: u64, kind: AccessKind, new: u64) {
        if self.trace.is_on {
            self.trace.record(at, mask, kind);
        }
        if new != self.memory.words[at] {
            self.replace_word(unit, at, new);
        }
    }

    #[inline]
    fn replace_word(&mut self, unit: NodeRef, at: usize, new: u64) {
        let old = std::mem::replace(&mut self.memory.words[at], new);
        self.journal.push(Change::Word { unit: unit.index(), at: at as u32, old });
    }

    /// Words that are given up can be had back.
    fn save_words(&mut self, unit: NodeRef, start: usize, len: usize) {
        let unit = unit.index();
        for at in start..start + len {
            self.journal.push(Change::Word { unit, at: at as u32, old: self.memory.words[at] });
        }
    }
}

// Collections.

impl State {
    /// Stores the collection `words`, of the type that `slot` has, to `slot` of the unit of `unit` that
    /// starts at `base`.
    pub fn write_value(&mut self, layout: &Layout, unit: NodeRef, base: usize, slot: Slot, words: &[u64]) {
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections go to slots for them") };
        let raw = self.read(base, slot);
        let at = base + slot.word as usize;
        if self.trace.is_on {
            self.trace.record(at, slot.mask() << slot.shift, AccessKind::Write(unit));
        }
        if self.value(layout, ty, raw) == words {
            return;
        }
        let is_followed = layout.terms.has_names(ty) && self.records_graph();
        if layout.terms.has_names(ty) {
            self.collector.garbage_possible = true;
            self.note_mention(slot);
        }
        let mut edges = std::mem::take(&mut self.scratch.edges);
        edges.clear();
        if is_followed {
            self.edges_of_value(layout, unit, base, slot, &mut edges);
        }
        let count = edges.len();
        self.free_value(unit, raw);
        let new = self.new_value(layout, ty, words);
        let word = self.memory.words[at] & !(slot.mask() << slot.shift) | slot.raw(new);
        self.replace_word(unit, at, word);
        if is_followed {
            self.edges_of_value(layout, unit, base, slot, &mut edges);
            self.record_difference(&mut edges, count);
        }
        self.scratch.edges = edges;
    }

    /// The value of a slot for a new collection, which will belong to it.
    pub fn new_value(&mut self, layout: &Layout, ty: TypeId, words: &[u64]) -> i64 {
        if words == layout.terms.empty(ty) {
            return 0;
        }
        self.set_value_words(self.memory.value_words + words.len());
        let (offset, _) = self.take_block(words.len() + 1);
        self.memory.words[offset] = words.len() as u64;
        self.memory.words[offset + 1..][..words.len()].copy_from_slice(words);
        offset as i64 + 1
    }

    fn set_value_words(&mut self, new: usize) {
        let old = std::mem::replace(&mut self.memory.value_words, new);
        self.journal.push(Change::ValueWords { old });
    }

    fn free_value(&mut self, unit: NodeRef, raw: i64) {
        if raw != 0 {
            let offset = raw as usize - 1;
            let len = self.memory.words[offset] as usize;
            self.set_value_words(self.memory.value_words - len);
            self.save_words(unit, offset, len + 1);
            self.free_block(offset as u32, block_class(len + 1));
        }
    }

    fn free_values(&mut self, unit: NodeRef, base: usize, shape: &Shape) {
        for &slot in &shape.values {
            self.free_value(unit, self.read(base, slot));
        }
    }

    /// Gives up the collections of the globals or of an object.
    pub(crate) fn free_all_values(&mut self, layout: &Layout, unit: NodeRef) {
        match unit {
            NodeRef::Root => self.free_values(unit, 0, &layout.root),
            NodeRef::Thread(_) => {}
            NodeRef::Object(id) => self.free_values_of(layout, id),
        }
    }

    fn free_values_of(&mut self, layout: &Layout, id: ObjectId) {
        let base = self.object(id);
        let unit = NodeRef::Object(id);
        match layout.form(self.read(base, layout.tag)) {
            Form::Single(shape) => self.free_values(unit, base, shape),
            Form::Block(_) => {}
            Form::Array(array) => {
                if let SlotKind::Value(_) = array.kind {
                    for index in 0..self.read(base, layout.array_length) as u32 {
                        self.free_value(unit, self.read(base, array.slot(index)));
                    }
                }
            }
        }
    }
}

// Threads and objects.

impl State {
    /// A new thread with one frame, or `None` if its id would not be less than `bound`.
    pub fn start_thread(&mut self, layout: &Layout, frame: &[u64], bound: u32) -> Option<ThreadId> {
        let header = &layout.thread.template;
        let id = self.memory.threads.least_free();
        if id >= bound {
            return None;
        }
        let len = header.len() + frame.len();
        let (offset, class) = self.take_block(len);
        let words = &mut self.memory.words[offset..][..len];
        words[..header.len()].copy_from_slice(header);
        words[header.len()..].copy_from_slice(frame);
        let node = Node { offset: offset as u32, len: len as u32, frame: header.len() as u32, class };
        let unit = NodeRef::Thread(ThreadId(id));
        self.set_node(unit, node);
        self.record(Change::Created(unit));
        self.record_unit(layout, unit, Change::Added);
        Some(ThreadId(id))
    }

    /// A new object with `len` words, of which `template` are the first and the others are `fill`; `None` if
    /// its id would not be less than `bound`.
    pub fn new_object(&mut self, template: &[u64], len: usize, fill: u64, bound: u32) -> Option<ObjectId> {
        let id = self.memory.objects.least_free();
        if id >= bound {
            return None;
        }
        let (offset, class) = self.take_block(len);
        let words = &mut self.memory.words[offset..][..len];
        words[..template.len()].copy_from_slice(template);
        words[template.len()..].fill(fill);
        let unit = NodeRef::Object(ObjectId(id));
        self.set_node(unit, Node { offset: offset as u32, len: len as u32, frame: 0, class });
        self.record(Change::Created(unit));
        Some(ObjectId(id))
    }

    /// Pushes a frame. Returns where it starts.
    pub fn push_frame(&mut self, layout: &Layout, id: ThreadId, frame: &[u64]) -> usize {
        let node = self.memory.threads.table[id.0 as usize];
        let unit = NodeRef::Thread(id);
        let len = node.len as usize + frame.len();
        let mut new = Node { len: len as u32, frame: node.len, ..node };
        if len > 1 << node.class {
            let (offset, class) = self.take_block(len);
            (new.offset, new.class) = (offset as u32, class);
            let old = node.offset as usize;
            self.memory.words.copy_within(old..old + node.len as usize, offset);
            self.save_words(unit, old, node.len as usize);
            self.set_node(unit, new);
            self.free_block(node.offset, node.class);
        } else {
            self.set_node(unit, new);
        }
        let inset = new.frame as usize;
        let start = new.offset as usize + inset;
        self.memory.words[start..start + frame.len()].copy_from_slice(frame);
        let shape = self.frame_shape(layout, start);
        self.note_mentions(start, shape);
        self.record_shape(layout, unit, start, inset, shape, Change::Added);
        start
    }

    /// Pops the top frame; the thread has ended if it was the last. The caller knows where the frame below
    /// starts: see [`State::frames`].
    pub fn pop_frame(&mut self, layout: &Layout, id: ThreadId) {
        let node = self.memory.threads.table[id.0 as usize];
        if node.frame as usize == layout.thread.len() {
            self.end_thread(layout, id);
            return;
        }
        let mut below = layout.thread.len() as u32;
        loop {
            let next = below + self.frame_len(layout, (node.offset + below) as usize) as u32;
            if next == node.frame {
                break;
            }
            below = next;
        }
        let unit = NodeRef::Thread(id);
        let top = (node.offset + node.frame) as usize;
        let shape = self.frame_shape(layout, top);
        self.note_mentions(top, shape);
        self.record_shape(layout, unit, top, node.frame as usize, shape, Change::Removed);
        self.free_values(unit, top, shape);
        self.save_words(unit, top, (node.len - node.frame) as usize);
        self.set_node(unit, Node { len: node.frame, frame: below, ..node });
        self.collector.garbage_possible = true;
    }

    /// Drops all frames of a thread.
    pub fn end_thread(&mut self, layout: &Layout, id: ThreadId) {
        let node = self.memory.threads.table[id.0 as usize];
        let unit = NodeRef::Thread(id);
        self.record_unit(layout, unit, Change::Removed);
        self.record(Change::Ended(id));
        if layout.has_values {
            let frames: Vec<usize> = self.frames(layout, id).collect();
            for frame in frames {
                self.free_values(unit, frame, self.frame_shape(layout, frame));
            }
        }
        self.save_words(unit, node.offset as usize, node.len as usize);
        self.set_node(unit, Node { len: 0, frame: 0, ..node });
        self.collector.garbage_possible = true;
    }

    /// Turns an object into a tombstone: it keeps its id, and has no contents any more.
    pub fn end_object(&mut self, layout: &Layout, id: ObjectId, end: End) {
        let unit = NodeRef::Object(id);
        let node = self.memory.node(unit);
        let (start, len) = (node.offset as usize, node.len as usize);
        // Whatever uses an object reads its tag.
        if self.trace.is_on {
            let Slot { word, shift, .. } = layout.tag;
            self.trace.record(start + word as usize, layout.tag.mask() << shift, AccessKind::Write(unit));
        }
        self.record_unit(layout, unit, Change::Removed);
        if layout.has_values {
            self.free_values_of(layout, id);
        }
        self.save_words(unit, start, len);
        let (offset, class) = self.take_block(layout.tombstone.len());
        let tag = layout.first_tombstone.expect("the program ends objects") + end as i64;
        self.memory.words[offset] = layout.tag.raw(tag);
        self.set_node(
            unit,
            Node { offset: offset as u32, len: layout.tombstone.len() as u32, frame: 0, class },
        );
        self.free_block(node.offset, node.class);
        self.mentions_changed = MentionsChanged::Steady;
        self.collector.garbage_possible = true;
    }

    /// Takes away an ended thread or an object. Nothing that stays may refer to it.
    pub fn drop_node(&mut self, layout: &Layout, unit: NodeRef) {
        let node = self.memory.node(unit);
        self.record_unit(layout, unit, Change::Removed);
        self.record(Change::Dropped(unit));
        if let NodeRef::Object(id) = unit {
            self.has_lost_objects |= layout.leaks[self.read_untraced(self.object(id), layout.tag) as usize];
            if layout.has_values {
                self.free_values_of(layout, id);
            }
        }
        self.save_words(unit, node.offset as usize, node.len as usize);
        self.set_node(unit, Node::ABSENT);
        self.free_block(node.offset, node.class);
    }

    fn set_node(&mut self, unit: NodeRef, new: Node) {
        let old = self.memory.put(unit, new);
        if old.exists() != new.exists() || (old.len == 0) != (new.len == 0) {
            self.mentions_changed = MentionsChanged::Steady;
        }
        self.journal.push(Change::Node { unit: unit.index(), old });
    }

    fn take_block(&mut self, len: usize) -> (usize, u32) {
        let (offset, class, change) = self.memory.take_block(len);
        self.journal.push(change);
        (offset, class)
    }

    fn free_block(&mut self, offset: u32, class: u32) {
        let change = self.memory.free_block(offset, class);
        self.journal.push(change);
    }
}

// The past.

impl State {
    /// Makes sure that the next changes can be journalled without asking for memory, if there is any. Once
    /// there was too little for a step, there is no room any more.
    pub fn has_room(&mut self) -> bool {
        self.is_starved |= !self.journal.has_room();
        !self.is_starved
    }

    /// Makes sure that a unit or a collection of this many words can be added, and dropped again.
    pub fn has_room_for(&mut self, words: usize) -> bool {
        let is_large = words >= LARGE;
        let several = if is_large { (self.size() + words).saturating_mul(COPIES) } else { 0 };
        let has_room = self.memory.words.try_reserve((words + 1).next_power_of_two()).is_ok()
            && (!is_large || self.journal.has_room_for(words))
            && Vec::<u64>::new().try_reserve_exact(several).is_ok();
        self.is_starved |= !has_room;
        has_room
    }

    /// Begins a step: [`State::undo`] goes back to here.
    #[inline]
    pub fn mark(&mut self) {
        self.has_lost_objects = false;
        let mentions_changed = std::mem::replace(&mut self.mentions_changed, MentionsChanged::None);
        self.journal.mark(self.collector.garbage_possible, mentions_changed);
    }

    /// Takes back everything since the last mark, and the mark.
    pub fn undo(&mut self) {
        let mark = self.journal.pop_mark();
        self.unencoded.rewind(&self.journal, mark.start);
        self.undecoded.rewind(&self.journal, mark.start);
        if std::mem::take(&mut self.mirror_undoes) {
            self.unmirrored.digest.clear();
            self.unmirrored.go_back(mark.start);
        } else {
            self.unmirrored.rewind(&self.journal, mark.start);
        }
        self.changed_places.rewind(&self.journal, mark.start);
        self.collector.rewind(&self.journal, mark.start);
        while let Some(change) = self.journal.pop_since(mark.start) {
            self.memory.revert(change);
        }
        self.collector.garbage_possible = mark.garbage_possible;
        self.mentions_changed = mark.mentions_changed;
    }

    /// Forgets the past: what was done stays done.
    pub fn forget(&mut self) {
        if !self.journal.marks().is_empty() {
            self.decoded = None;
        }
        self.unencoded.detach(&self.journal);
        self.undecoded.detach(&self.journal);
        if self.has_mirror {
            self.unmirrored.detach(&self.journal);
        }
        self.changed_places.detach(&self.journal);
        self.collector.detach(&self.journal);
        self.journal.clear();
        self.collector.garbage_possible = false;
    }
}
