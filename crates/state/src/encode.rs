//! From states to encodings.
//!
//! An encoding has a component per unit, under its name. At the level `none` of symmetry, ids are the names;
//! at other levels the caller gives [`Names`]. The words of a collection follow those of the unit or frame
//! that it is in, and its slot says only whether it is there. So its place in memory makes no difference.

use system::{Encoding, Key, Section};

use crate::memory::Nodes;
use crate::{Entity, Form, Layout, NodeRef, ObjectId, Shape, Slot, SlotKind, State, TermKind, ThreadId};

/// The names of threads, objects and elements of abstract enums, by id. Names are numbers from 0 on. Names of
/// objects and of elements are dense. Names of threads may leave gaps.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    pub threads: Vec<u32>,
    pub objects: Vec<u32>,
    /// By enum.
    pub abstracts: Vec<Vec<u32>>,
}

/// Stands for a name that no thread has, although one has a greater name.
const GAP: u32 = u32::MAX;

impl Names {
    pub fn of(&self, entity: Entity) -> u32 {
        match entity {
            Entity::Thread(id) => self.threads[id.0 as usize],
            Entity::Object(id) => self.objects[id.0 as usize],
            Entity::Abstract(of, id) => self.abstracts[of as usize][id as usize],
        }
    }

    #[inline]
    fn key(&self, node: NodeRef) -> Key {
        match node {
            NodeRef::Root => node.key(),
            NodeRef::Thread(id) => NodeRef::Thread(ThreadId(self.threads[id.0 as usize])).key(),
            NodeRef::Object(id) => NodeRef::Object(ObjectId(self.objects[id.0 as usize])).key(),
        }
    }

    /// Replaces the id in `slot`, in the words of its unit, by the name.
    #[inline]
    fn rename(&self, slot: Slot, words: &mut [u64]) {
        let word = &mut words[slot.word as usize];
        let id = (*word >> slot.shift & slot.mask()) as usize;
        if id == 0 {
            return;
        }
        let name = match slot.kind {
            SlotKind::Object => self.objects[id - 1],
            SlotKind::Thread => self.threads[id - 1],
            SlotKind::Abstract(of) => self.abstracts[of as usize][id - 1],
            SlotKind::Data | SlotKind::Value(_) | SlotKind::Pointer(_) => return,
        };
        *word = *word & !(slot.mask() << slot.shift) | (u64::from(name) + 1) << slot.shift;
    }

    #[inline]
    fn rename_shape(&self, shape: &Shape, words: &mut [u64]) {
        if let [word] = &mut words[..shape.len()] {
            // Most units are one word long, which stays in a register.
            let mut renamed = [*word];
            for &slot in &shape.edges {
                self.rename(Slot { word: 0, ..slot }, &mut renamed);
            }
            *word = renamed[0];
            return;
        }
        for &slot in &shape.edges {
            self.rename(slot, words);
        }
    }

    /// Replaces all ids in the words of a unit without collections by names.
    #[inline]
    fn rename_unit(&self, layout: &Layout, node: NodeRef, words: &mut [u64]) {
        match node {
            NodeRef::Root => self.rename_shape(&layout.root, words),
            NodeRef::Thread(_) => {
                let (header, mut frames) = words.split_at_mut(layout.thread.len().min(words.len()));
                if !header.is_empty() {
                    self.rename_shape(&layout.thread, header);
                }
                while !frames.is_empty() {
                    let location = ir::LocationId(layout.location.get(frames) as u32);
                    let shape = &layout.frames[layout.procedure_of[location]];
                    self.rename_shape(shape, frames);
                    frames = &mut frames[shape.len()..];
                }
            }
            NodeRef::Object(_) => match layout.form(layout.tag.get(words)) {
                Form::Single(shape) => self.rename_shape(shape, words),
                Form::Block(block) => {
                    for words in words[1..].chunks_exact_mut(block.element.len()) {
                        self.rename_shape(&block.element, words);
                    }
                }
                Form::Array(array) => {
                    if array.kind.is_name() {
                        for index in 0..layout.array_length.get(words) as u32 {
                            self.rename(array.slot(index), words);
                        }
                    }
                }
            },
        }
    }

    fn term(&self, kind: TermKind, raw: i64) -> i64 {
        Entity::of_term(kind, raw).map_or(raw, |entity| i64::from(self.of(entity)) + 1)
    }
}

impl State {
    /// Brings `into` up to date, with ids as names. `into` must show this state as it was when it was last
    /// encoded or decoded.
    pub fn encode(&mut self, layout: &Layout, into: &mut Encoding) {
        let was_shown = self.shown.is_some_and(|moment| into.touched(moment) == Some(&[]));
        self.unencoded.catch_up(&self.journal);
        let mut buffer = std::mem::take(&mut self.scratch.words);
        for unit in self.unencoded.digest.iter() {
            let node = self.memory.node(unit);
            if !node.exists() {
                into.remove(unit.key());
            } else if layout.has_values {
                buffer.clear();
                self.append(layout, unit, None, &mut buffer);
                into.set(unit.key(), &buffer);
            } else {
                let len = if unit == NodeRef::Root { layout.root_shown } else { node.len as usize };
                into.set(unit.key(), &self.memory.words[node.offset as usize..][..len]);
            }
        }
        self.unencoded.digest.clear();
        self.scratch.words = buffer;
        self.shown = was_shown.then(|| into.now());
    }

    /// Writes everything to `into`, under `names`.
    pub fn encode_all(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        self.mark_encoded();
        self.shown = None;
        let by_name = |nodes: &Nodes, names: &[u32], order: &mut Vec<u32>| {
            order.clear();
            for (id, _) in nodes.table.iter().enumerate().filter(|(_, node)| node.exists()) {
                let name = names[id] as usize;
                if name >= order.len() {
                    order.resize(name + 1, GAP);
                }
                order[name] = id as u32;
            }
        };
        let mut order = std::mem::take(&mut self.scratch.order);
        into.refill(|into| {
            into.component(Section::Root, |out| self.append(layout, NodeRef::Root, Some(names), out));
            by_name(&self.memory.threads, &names.threads, &mut order);
            for &id in &order {
                if id == GAP {
                    into.nothing(Section::Threads);
                    continue;
                }
                let unit = NodeRef::Thread(ThreadId(id));
                into.component(Section::Threads, |out| self.append(layout, unit, Some(names), out));
            }
            by_name(&self.memory.objects, &names.objects, &mut order);
            for &id in &order {
                let unit = NodeRef::Object(ObjectId(id));
                into.component(Section::Objects, |out| self.append(layout, unit, Some(names), out));
            }
        });
        self.scratch.order = order;
    }

    /// Brings `into` up to date, which must show this state under these names as it was when it was last
    /// encoded.
    pub fn encode_changed(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        self.shown = None;
        self.unencoded.catch_up(&self.journal);
        let mut buffer = std::mem::take(&mut self.scratch.words);
        for unit in self.unencoded.digest.iter() {
            // A unit that came and went since then has no name.
            if self.exists(unit) {
                buffer.clear();
                self.append(layout, unit, Some(names), &mut buffer);
                into.set(names.key(unit), &buffer);
            }
        }
        self.unencoded.digest.clear();
        self.scratch.words = buffer;
    }

    /// Brings `into` up to date after a renaming. `into` must show this state as it was when it was last
    /// encoded. `units` must contain every renamed unit and every unit that mentions one. Only names of threads
    /// leave gaps.
    pub fn encode_renamed(
        &mut self,
        layout: &Layout,
        names: &Names,
        units: impl Iterator<Item = NodeRef>,
        into: &mut Encoding,
    ) {
        let [threads, objects] = [self.memory.threads.count, self.memory.objects.count];
        self.encode_changed(layout, names, into);
        let mut buffer = std::mem::take(&mut self.scratch.words);
        for unit in units {
            buffer.clear();
            self.append(layout, unit, Some(names), &mut buffer);
            into.set(names.key(unit), &buffer);
        }
        self.scratch.words = buffer;
        let (section, width) = (Section::Threads, into.width(Section::Threads));
        if width as usize > threads {
            let order = &mut self.scratch.order;
            order.clear();
            order.resize(width as usize, GAP);
            for (node, &name) in self.memory.threads.table.iter().zip(&names.threads) {
                if node.exists() {
                    order[name as usize] = name;
                }
            }
            for index in (0..width).filter(|&index| order[index as usize] == GAP).rev() {
                into.remove(Key { section, index });
            }
        }
        for index in (objects as u32..into.width(Section::Objects)).rev() {
            into.remove(Key { section: Section::Objects, index });
        }
    }

    /// An encoding of this state was written by the caller.
    pub fn encoded_elsewhere(&mut self) {
        self.mark_encoded();
        self.shown = None;
    }

    /// An encoding shows everything.
    pub(crate) fn mark_encoded(&mut self) {
        self.unencoded.digest.clear();
        self.unencoded.skip(&self.journal);
    }

    /// Appends the words that an encoding has for a unit.
    #[inline]
    pub fn append(&self, layout: &Layout, node: NodeRef, names: Option<&Names>, out: &mut Vec<u64>) {
        if layout.has_values {
            return self.append_with_values(layout, node, names, out);
        }
        let start = out.len();
        let words = match node {
            NodeRef::Root => Some(&self.memory.words[..layout.root_shown]),
            NodeRef::Thread(_) | NodeRef::Object(_) => self.words_of(node),
        };
        // Most units are one word long: too short for a call of `memcpy`.
        match words {
            Some(&[word]) => out.push(word),
            words => out.extend_from_slice(words.unwrap_or_default()),
        }
        if let Some(names) = names {
            names.rename_unit(layout, node, &mut out[start..]);
        }
    }

    fn append_with_values(&self, layout: &Layout, node: NodeRef, names: Option<&Names>, out: &mut Vec<u64>) {
        let Some(words) = self.words_of(node) else { return };
        match node {
            NodeRef::Root => self.append_shape(layout, words, &layout.root, names, out),
            NodeRef::Thread(_) => {
                let (header, mut frames) = words.split_at(layout.thread.len().min(words.len()));
                if !header.is_empty() {
                    self.append_shape(layout, header, &layout.thread, names, out);
                }
                while !frames.is_empty() {
                    let location = ir::LocationId(layout.location.get(frames) as u32);
                    let shape = &layout.frames[layout.procedure_of[location]];
                    self.append_shape(layout, frames, shape, names, out);
                    frames = &frames[shape.len()..];
                }
            }
            NodeRef::Object(_) => match layout.form(layout.tag.get(words)) {
                Form::Single(shape) => self.append_shape(layout, words, shape, names, out),
                Form::Block(_) => {
                    let start = out.len();
                    out.extend_from_slice(words);
                    if let Some(names) = names {
                        names.rename_unit(layout, node, &mut out[start..]);
                    }
                }
                Form::Array(array) => {
                    let start = out.len();
                    out.extend_from_slice(words);
                    let slots = (0..layout.array_length.get(words) as u32).map(|index| array.slot(index));
                    match (array.kind, names) {
                        (SlotKind::Value(_), _) => {
                            slots.for_each(|slot| self.append_value(layout, words, slot, names, start, out));
                        }
                        (kind, Some(names)) if kind.is_name() => {
                            slots.for_each(|slot| names.rename(slot, &mut out[start..]));
                        }
                        _ => {}
                    }
                }
            },
        }
    }

    /// Appends what begins with the words of this shape.
    #[inline]
    fn append_shape(
        &self,
        layout: &Layout,
        words: &[u64],
        shape: &Shape,
        names: Option<&Names>,
        out: &mut Vec<u64>,
    ) {
        let start = out.len();
        // Most are one word long: too short for a call of `memcpy`.
        match &words[..shape.len()] {
            &[word] => out.push(word),
            words => out.extend_from_slice(words),
        }
        if let Some(names) = names {
            names.rename_shape(shape, &mut out[start..]);
        }
        for &slot in &shape.values {
            self.append_value(layout, words, slot, names, start, out);
        }
    }

    /// Appends a collection, and sets its slot in the words from `start` on to 1.
    fn append_value(
        &self,
        layout: &Layout,
        unit: &[u64],
        slot: Slot,
        names: Option<&Names>,
        start: usize,
        out: &mut Vec<u64>,
    ) {
        let raw = slot.get(unit);
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
}
