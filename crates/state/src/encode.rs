//! From states to encodings and back.
//!
//! An encoding has a component per unit, under its name. At the level `none` of the symmetry ladder ids are the names;
//! otherwise whoever knows better gives [`Names`]. A collection follows the words of the unit or frame that it is in,
//! and its slot says only whether it is there: so where it happens to be in memory shows nowhere.

use system::{Encoding, Key, Section};

use crate::memory::{Node, Nodes};
use crate::{Individual, Layout, NodeRef, ObjectId, ObjectKind, Shape, SlotKind, State, TermKind, ThreadId};

impl NodeRef {
    pub const fn key(self) -> Key {
        match self {
            Self::Root => Key { section: Section::Root, index: 0 },
            Self::Thread(id) => Key { section: Section::Threads, index: id.0 },
            Self::Object(id) => Key { section: Section::Objects, index: id.0 },
        }
    }
}

/// What threads, objects and elements of abstract enums are called: by id, dense from 0 on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    pub threads: Vec<u32>,
    pub objects: Vec<u32>,
    /// By enum.
    pub abstracts: Vec<Vec<u32>>,
}

impl Names {
    pub fn of(&self, individual: Individual) -> u32 {
        match individual {
            Individual::Thread(id) => self.threads[id.0 as usize],
            Individual::Object(id) => self.objects[id.0 as usize],
            Individual::Abstract(of, id) => self.abstracts[of as usize][id as usize],
        }
    }

    fn key(&self, node: NodeRef) -> Key {
        match node {
            NodeRef::Root => node.key(),
            NodeRef::Thread(id) => NodeRef::Thread(ThreadId(self.threads[id.0 as usize])).key(),
            NodeRef::Object(id) => NodeRef::Object(ObjectId(self.objects[id.0 as usize])).key(),
        }
    }

    /// What a slot holds for the same individual under its name.
    #[inline]
    fn slot(&self, kind: SlotKind, raw: i64) -> i64 {
        Individual::of_slot(kind, raw).map_or(raw, |whom| i64::from(self.of(whom)) + 1)
    }

    fn term(&self, kind: TermKind, raw: i64) -> i64 {
        Individual::of_term(kind, raw).map_or(raw, |whom| i64::from(self.of(whom)) + 1)
    }
}

impl State {
    /// Brings `into`, the encoding of this state as it was when it was last encoded or decoded, up to date, with
    /// ids as names.
    pub fn encode(&mut self, layout: &Layout, into: &mut Encoding) {
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut buffer = std::mem::take(&mut self.buffer);
        for node in dirty.drain(..) {
            let place = match node {
                NodeRef::Root => {
                    self.root_dirty = false;
                    Node { offset: 0, len: self.root_len as u32, frame: 0, class: 0 }
                }
                NodeRef::Thread(id) => self.threads.clean(id.0),
                NodeRef::Object(id) => self.objects.clean(id.0),
            };
            if !place.exists() {
                into.remove(node.key());
            } else if layout.has_values {
                buffer.clear();
                self.append(layout, node, None, &mut buffer);
                into.set(node.key(), &buffer);
            } else {
                into.set(node.key(), &self.words[place.offset as usize..][..place.len as usize]);
            }
        }
        self.dirty = dirty;
        self.buffer = buffer;
        into.settle(self.changed().map(NodeRef::key));
    }

    /// Writes everything to `into`, under `names`.
    pub fn encode_all(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        self.clean();
        let by_name = |nodes: &Nodes, names: &[u32], order: &mut Vec<u32>| {
            order.clear();
            order.resize(names.len(), u32::MAX);
            let mut count = 0;
            for (id, _) in nodes.table.iter().enumerate().filter(|(_, node)| node.exists()) {
                order[names[id] as usize] = id as u32;
                count += 1;
            }
            order.truncate(count);
        };
        let mut order = std::mem::take(&mut self.order);
        into.begin();
        into.append(Section::Root, |out| self.append(layout, NodeRef::Root, Some(names), out));
        by_name(&self.threads, &names.threads, &mut order);
        for &id in &order {
            let node = NodeRef::Thread(ThreadId(id));
            into.append(Section::Threads, |out| self.append(layout, node, Some(names), out));
        }
        by_name(&self.objects, &names.objects, &mut order);
        for &id in &order {
            let node = NodeRef::Object(ObjectId(id));
            into.append(Section::Objects, |out| self.append(layout, node, Some(names), out));
        }
        into.end();
        self.order = order;
    }

    /// Brings `into` up to date, which shows this state under the same names as it was when it was last encoded.
    pub fn encode_changed(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut buffer = std::mem::take(&mut self.buffer);
        for node in dirty.drain(..) {
            match node {
                NodeRef::Root => self.root_dirty = false,
                NodeRef::Thread(id) => _ = self.threads.clean(id.0),
                NodeRef::Object(id) => _ = self.objects.clean(id.0),
            }
            buffer.clear();
            self.append(layout, node, Some(names), &mut buffer);
            into.set(names.key(node), &buffer);
        }
        self.dirty = dirty;
        self.buffer = buffer;
        into.settle(self.changed().map(|node| names.key(node)));
    }

    /// Appends what an encoding shows of a unit.
    pub fn append(&self, layout: &Layout, node: NodeRef, names: Option<&Names>, out: &mut Vec<u64>) {
        match node {
            NodeRef::Root => self.append_shape(layout, 0, &layout.root, names, out),
            NodeRef::Thread(id) => {
                if self.is_running(id) {
                    self.append_shape(layout, self.thread(id), &layout.thread, names, out);
                    for frame in self.frames(layout, id) {
                        self.append_shape(layout, frame, self.frame_shape(layout, frame), names, out);
                    }
                }
            }
            NodeRef::Object(id) => {
                let base = self.object(id);
                match layout.kind(self.read(base, layout.tag)) {
                    ObjectKind::Record(record) => {
                        self.append_shape(layout, base, &layout.records[record], names, out);
                    }
                    ObjectKind::Lock => self.append_shape(layout, base, &layout.lock, names, out),
                    ObjectKind::Array(array) => {
                        let array = layout.arrays[array as usize];
                        let length = self.read(base, layout.array_length) as u32;
                        let start = out.len();
                        out.extend_from_slice(&self.words[base..][..array.words(length)]);
                        match array.kind {
                            SlotKind::Data => {}
                            SlotKind::Value(_) => {
                                for index in 0..length {
                                    self.append_value(layout, base, array.slot(index), names, start, out);
                                }
                            }
                            _ => {
                                if let Some(names) = names {
                                    for slot in (0..length).map(|index| array.slot(index)) {
                                        let raw = slot.get(&out[start..]);
                                        slot.put(&mut out[start..], names.slot(slot.kind, raw));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn append_shape(
        &self,
        layout: &Layout,
        base: usize,
        shape: &Shape,
        names: Option<&Names>,
        out: &mut Vec<u64>,
    ) {
        let start = out.len();
        out.extend_from_slice(&self.words[base..][..shape.len()]);
        if let Some(names) = names {
            for slot in &shape.edges {
                let raw = slot.get(&out[start..]);
                slot.put(&mut out[start..], names.slot(slot.kind, raw));
            }
        }
        for &slot in &shape.values {
            self.append_value(layout, base, slot, names, start, out);
        }
    }

    /// Appends a collection, and lets its slot in the words from `start` on say that it is there.
    fn append_value(
        &self,
        layout: &Layout,
        base: usize,
        slot: crate::Slot,
        names: Option<&Names>,
        start: usize,
        out: &mut Vec<u64>,
    ) {
        let raw = self.read(base, slot);
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections are in slots for them") };
        if raw != 0 {
            slot.put(&mut out[start..], 1);
            let words = self.value(layout, ty, raw);
            match names {
                Some(names) => {
                    layout.terms.rename(ty, words, &mut |kind, raw| names.term(kind, raw), out);
                }
                None => out.extend_from_slice(words),
            }
        }
    }

    /// Becomes the state that `from` describes, without a past.
    pub fn decode(&mut self, layout: &Layout, from: &Encoding) {
        if !layout.has_values && self.has_shape_of(from) {
            self.forget();
            self.clean();
            self.overwrite(layout, from);
        } else {
            self.rebuild(layout, from);
        }
    }

    /// Whether the same threads and objects exist, with as many words each.
    fn has_shape_of(&self, from: &Encoding) -> bool {
        let same = |nodes: &Nodes, section: Section| {
            let width = from.width(section);
            nodes.table.len() >= width as usize
                && nodes.table.iter().zip(0..).all(|(node, index)| {
                    let words = from.get(Key { section, index });
                    words.map(<[u64]>::len) == node.exists().then_some(node.len as usize)
                })
        };
        same(&self.threads, Section::Threads) && same(&self.objects, Section::Objects)
    }

    fn overwrite(&mut self, layout: &Layout, from: &Encoding) {
        let words = |section, index| from.get(Key { section, index });
        if let Some(words) = words(Section::Root, 0) {
            self.words[..words.len()].copy_from_slice(words);
        }
        for index in 0..from.width(Section::Threads) {
            if let Some(words) = words(Section::Threads, index) {
                let offset = self.threads.table[index as usize].offset as usize;
                copy(words, &mut self.words[offset..][..words.len()]);
                let top = self.top_frame(layout, offset, words.len());
                self.threads.table[index as usize].frame = top as u32;
            }
        }
        for index in 0..from.width(Section::Objects) {
            if let Some(words) = words(Section::Objects, index) {
                let offset = self.objects.table[index as usize].offset as usize;
                copy(words, &mut self.words[offset..][..words.len()]);
            }
        }
    }

    /// Where the top frame starts in a thread of `len` words at `offset`.
    fn top_frame(&self, layout: &Layout, offset: usize, len: usize) -> usize {
        let (mut top, mut at) = (0, layout.thread.len());
        while at < len {
            top = at;
            at += self.frame_len(layout, offset + at);
        }
        top
    }

    fn rebuild(&mut self, layout: &Layout, from: &Encoding) {
        self.reset();
        let mut fixed = std::mem::take(&mut self.buffer);
        for (key, words) in from.components() {
            fixed.clear();
            self.absorb(layout, key.section, words, &mut fixed);
            if key.section == Section::Root {
                self.words[..fixed.len()].copy_from_slice(&fixed);
                continue;
            }
            let (offset, class) = self.take_block(fixed.len());
            self.words[offset..][..fixed.len()].copy_from_slice(&fixed);
            let mut node = Node { offset: offset as u32, len: fixed.len() as u32, frame: 0, class };
            if key.section == Section::Threads {
                node.frame = self.top_frame(layout, offset, fixed.len()) as u32;
                self.set_node(NodeRef::Thread(ThreadId(key.index)), node);
            } else {
                self.set_node(NodeRef::Object(ObjectId(key.index)), node);
            }
        }
        self.buffer = fixed;
        self.forget();
        self.clean();
    }

    /// Takes the collections out of what an encoding shows of a unit: `fixed` gets the words of the unit itself.
    fn absorb(&mut self, layout: &Layout, section: Section, words: &[u64], fixed: &mut Vec<u64>) {
        if !layout.has_values {
            fixed.extend_from_slice(words);
            return;
        }
        let mut rest = words;
        match section {
            Section::Root => self.absorb_shape(layout, &layout.root, &mut rest, fixed),
            Section::Threads => {
                if !words.is_empty() {
                    self.absorb_shape(layout, &layout.thread, &mut rest, fixed);
                }
                while !rest.is_empty() {
                    let location = ir::LocationId(layout.location.get(rest) as u32);
                    let shape = &layout.frames[layout.procedure_of[location]];
                    self.absorb_shape(layout, shape, &mut rest, fixed);
                }
            }
            Section::Objects => match layout.kind(layout.tag.get(words)) {
                ObjectKind::Record(record) => {
                    self.absorb_shape(layout, &layout.records[record], &mut rest, fixed);
                }
                ObjectKind::Lock => self.absorb_shape(layout, &layout.lock, &mut rest, fixed),
                ObjectKind::Array(array) => {
                    let array = layout.arrays[array as usize];
                    let length = layout.array_length.get(words) as u32;
                    let (own, mut rest) = words.split_at(array.words(length));
                    fixed.extend_from_slice(own);
                    if let SlotKind::Value(_) = array.kind {
                        for index in 0..length {
                            self.absorb_value(layout, array.slot(index), &mut rest, fixed);
                        }
                    }
                }
            },
        }
    }

    fn absorb_shape(&mut self, layout: &Layout, shape: &Shape, rest: &mut &[u64], fixed: &mut Vec<u64>) {
        let start = fixed.len();
        let (own, after) = rest.split_at(shape.len());
        fixed.extend_from_slice(own);
        *rest = after;
        for &slot in &shape.values {
            self.absorb_value(layout, slot, rest, &mut fixed[start..]);
        }
    }

    fn absorb_value(&mut self, layout: &Layout, slot: crate::Slot, rest: &mut &[u64], fixed: &mut [u64]) {
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections are in slots for them") };
        if slot.get(fixed) != 0 {
            let (words, after) = rest.split_at(layout.terms.len(ty, rest, 0));
            *rest = after;
            let raw = self.new_value(layout, ty, words);
            slot.put(fixed, raw);
        }
    }
}

/// Most units are one word long: too short for a call of `memcpy`.
#[inline]
fn copy(from: &[u64], to: &mut [u64]) {
    match (from, to) {
        (&[from], [to]) => *to = from,
        (from, to) => to.copy_from_slice(from),
    }
}
