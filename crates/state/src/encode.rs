//! From states to encodings and back.
//!
//! An encoding has a component per unit, under its name. At the level `none` of the symmetry ladder ids are the names;
//! otherwise whoever knows better gives [`Names`]. A collection follows the words of the unit or frame that it is in,
//! and its slot says only whether it is there: so where it happens to be in memory shows nowhere.

use system::{Encoding, Key, Section};

use crate::memory::{Node, Nodes};
use crate::{
    Entity, Event, Layout, NodeRef, ObjectId, ObjectKind, Shape, Slot, SlotKind, State, TermKind, ThreadId,
};

impl NodeRef {
    pub const fn key(self) -> Key {
        match self {
            Self::Root => Key { section: Section::Root, index: 0 },
            Self::Thread(id) => Key { section: Section::Threads, index: id.0 },
            Self::Object(id) => Key { section: Section::Objects, index: id.0 },
        }
    }

    /// Whose key it is, where ids are names.
    pub const fn of(key: Key) -> Self {
        match key.section {
            Section::Root => Self::Root,
            Section::Threads => Self::Thread(ThreadId(key.index)),
            Section::Objects => Self::Object(ObjectId(key.index)),
        }
    }
}

/// What threads, objects and elements of abstract enums are called: by id, from 0 on. Names of objects and of elements are
/// dense. Names of threads may leave gaps.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    pub threads: Vec<u32>,
    pub objects: Vec<u32>,
    /// By enum.
    pub abstracts: Vec<Vec<u32>>,
}

/// No thread has this name, but one has a greater name.
const GAP: u32 = u32::MAX;

impl Names {
    pub fn of(&self, individual: Entity) -> u32 {
        match individual {
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

    /// Lets `slot` in the words of its unit name the same individual by its name.
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
            SlotKind::Data | SlotKind::Value(_) => return,
        };
        *word = *word & !(slot.mask() << slot.shift) | (u64::from(name) + 1) << slot.shift;
    }

    #[inline]
    fn rename_shape(&self, shape: &Shape, words: &mut [u64]) {
        for &slot in &shape.edges {
            self.rename(slot, words);
        }
    }

    /// The same for everything that a unit without collections mentions.
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
            NodeRef::Object(_) => match layout.kind(layout.tag.get(words)) {
                ObjectKind::Record(record) => self.rename_shape(&layout.records[record], words),
                ObjectKind::Lock => self.rename_shape(&layout.lock, words),
                ObjectKind::Channel(_) => {}
                ObjectKind::Array(array) => {
                    let array = layout.arrays[array as usize];
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
        Entity::of_term(kind, raw).map_or(raw, |whom| i64::from(self.of(whom)) + 1)
    }
}

impl State {
    /// Brings `into`, the encoding of this state as it was when it was last encoded or decoded, up to date, with
    /// ids as names.
    pub fn encode(&mut self, layout: &Layout, into: &mut Encoding) {
        let was_shown = self.shown.is_some_and(|moment| into.touched(moment) == Some(&[]));
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut buffer = std::mem::take(&mut self.buffer);
        for node in dirty.drain(..) {
            let place = match node {
                NodeRef::Root => {
                    self.root_dirty = false;
                    Node { offset: 0, len: layout.root_shown as u32, frame: 0, class: 0 }
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
        self.shown = was_shown.then(|| into.now());
    }

    /// Writes everything to `into`, under `names`.
    pub fn encode_all(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        self.clean();
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
        let mut order = std::mem::take(&mut self.order);
        into.clear();
        into.append(Section::Root, |out| self.append(layout, NodeRef::Root, Some(names), out));
        by_name(&self.threads, &names.threads, &mut order);
        for &id in &order {
            if id == GAP {
                into.append_nothing(Section::Threads);
                continue;
            }
            let node = NodeRef::Thread(ThreadId(id));
            into.append(Section::Threads, |out| self.append(layout, node, Some(names), out));
        }
        by_name(&self.objects, &names.objects, &mut order);
        for &id in &order {
            let node = NodeRef::Object(ObjectId(id));
            into.append(Section::Objects, |out| self.append(layout, node, Some(names), out));
        }
        self.order = order;
    }

    /// Brings `into` up to date, which shows this state under the same names as it was when it was last encoded.
    pub fn encode_changed(&mut self, layout: &Layout, names: &Names, into: &mut Encoding) {
        self.shown = None;
        let mut dirty = std::mem::take(&mut self.dirty);
        let mut buffer = std::mem::take(&mut self.buffer);
        for node in dirty.drain(..) {
            match node {
                NodeRef::Root => self.root_dirty = false,
                NodeRef::Thread(id) => _ = self.threads.clean(id.0),
                NodeRef::Object(id) => _ = self.objects.clean(id.0),
            }
            // What came and went since has no name.
            if self.exists(node) {
                buffer.clear();
                self.append(layout, node, Some(names), &mut buffer);
                into.set(names.key(node), &buffer);
            }
        }
        self.dirty = dirty;
        self.buffer = buffer;
    }

    /// Brings `into` up to date, which shows this state as it was when it was last encoded under names of which those of
    /// some units were others: `units` are these, and those that mention them. There are `threads` and `objects` names. Only
    /// names of threads leave gaps.
    pub fn encode_renamed(
        &mut self,
        layout: &Layout,
        names: &Names,
        units: impl Iterator<Item = NodeRef>,
        [threads, objects]: [usize; 2],
        into: &mut Encoding,
    ) {
        self.encode_changed(layout, names, into);
        let mut buffer = std::mem::take(&mut self.buffer);
        for node in units {
            buffer.clear();
            self.append(layout, node, Some(names), &mut buffer);
            into.set(names.key(node), &buffer);
        }
        self.buffer = buffer;
        let (section, width) = (Section::Threads, into.width(Section::Threads));
        if width as usize > threads {
            self.order.clear();
            self.order.resize(width as usize, GAP);
            for (node, &name) in self.threads.table.iter().zip(&names.threads) {
                if node.exists() {
                    self.order[name as usize] = name;
                }
            }
            for index in (0..width).filter(|&index| self.order[index as usize] == GAP).rev() {
                into.remove(Key { section, index });
            }
        }
        for index in (objects as u32..into.width(Section::Objects)).rev() {
            into.remove(Key { section: Section::Objects, index });
        }
    }

    /// Appends what an encoding shows of a unit.
    #[inline]
    pub fn append(&self, layout: &Layout, node: NodeRef, names: Option<&Names>, out: &mut Vec<u64>) {
        if layout.has_values {
            return self.append_with_values(layout, node, names, out);
        }
        let start = out.len();
        let words = match node {
            NodeRef::Root => Some(&self.words[..layout.root_shown]),
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
                    ObjectKind::Channel(_) => out.extend_from_slice(self.words_of(node).unwrap_or_default()),
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
                                    for index in 0..length {
                                        names.rename(array.slot(index), &mut out[start..]);
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline]
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
            names.rename_shape(shape, &mut out[start..]);
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
        slot: Slot,
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
        if self.catch_up(layout, from) {
            // The rest is as it should be.
        } else if !layout.has_values && self.has_shape_of(from) {
            self.forget();
            // What was taken back since the last encoding, others may still know as it was.
            for at in 0..self.dirty.len() {
                self.record(Event::Rewritten(self.dirty[at]));
            }
            self.clean();
            self.overwrite(layout, from);
        } else {
            self.rebuild(layout, from);
        }
        self.shown = Some(from.now());
    }

    /// Does so by what changed since `from` last showed this state, here and there, if that is known and no unit came, went or
    /// grew.
    fn catch_up(&mut self, layout: &Layout, from: &Encoding) -> bool {
        if layout.has_values || self.records_events() {
            return false;
        }
        let Some(touched) = self.shown.and_then(|moment| from.touched(moment)) else { return false };
        let units = || touched.iter().map(|&key| NodeRef::of(key)).chain(self.dirty.iter().copied());
        let shown_len = |node| match node {
            NodeRef::Root => Some(layout.root_shown),
            NodeRef::Thread(_) | NodeRef::Object(_) => self.words_of(node).map(<[u64]>::len),
        };
        if units().any(|node| from.get(node.key()).map(<[u64]>::len) != shown_len(node)) {
            return false;
        }
        self.forget();
        self.conceal(layout);
        self.ways.forget();
        for &key in touched {
            self.adopt(layout, NodeRef::of(key), from);
        }
        for at in 0..self.dirty.len() {
            self.adopt(layout, self.dirty[at], from);
        }
        self.clean();
        true
    }

    /// Takes over the words of a unit, which are as many as there were.
    fn adopt(&mut self, layout: &Layout, node: NodeRef, from: &Encoding) {
        let offset = self.start_of(node);
        let before = self.procedure(layout, node);
        let words = from.get(node.key()).unwrap_or_default();
        for (at, &word) in (offset..).zip(words) {
            self.replace_word(at, word);
        }
        if let NodeRef::Thread(id) = node {
            let top = self.top_frame(layout, offset, words.len());
            self.place_frame(id.0, top as u32);
        }
        // Another thread that is as large is another arrangement.
        if self.procedure(layout, node) != before {
            self.watch.rearranged();
        }
    }

    /// The procedure that the top frame of a thread runs, where steps may depend on it alone.
    fn procedure(&self, layout: &Layout, node: NodeRef) -> Option<ir::ProcedureId> {
        match node {
            NodeRef::Thread(id) if layout.thread_ids_observable && self.is_running(id) => {
                let location = self.peek(self.frame(id), layout.location);
                Some(layout.procedure_of[ir::LocationId(location as u32)])
            }
            _ => None,
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
        self.conceal(layout);
        self.ways.forget();
        if let Some(words) = words(Section::Root, 0) {
            self.overwrite_unit(layout, NodeRef::Root, 0, words);
        }
        for index in 0..from.width(Section::Threads) {
            if let Some(words) = words(Section::Threads, index) {
                let offset = self.threads.table[index as usize].offset as usize;
                let node = NodeRef::Thread(ThreadId(index));
                let before = self.procedure(layout, node);
                self.overwrite_unit(layout, node, offset, words);
                let top = self.top_frame(layout, offset, words.len());
                self.place_frame(index, top as u32);
                if self.procedure(layout, node) != before {
                    self.watch.rearranged();
                }
            }
        }
        for index in 0..from.width(Section::Objects) {
            if let Some(words) = words(Section::Objects, index) {
                let offset = self.objects.table[index as usize].offset as usize;
                self.overwrite_unit(layout, NodeRef::Object(ObjectId(index)), offset, words);
            }
        }
    }

    #[inline]
    fn overwrite_unit(&mut self, layout: &Layout, node: NodeRef, offset: usize, words: &[u64]) {
        if self.records_events() {
            let old = &self.words[offset..][..words.len()];
            if old == words {
                return;
            }
            if !layout.has_same_names(node, old, words) {
                self.watch.changed_everywhere();
                return self.record_rewriting(layout, node, |state| {
                    state.words[offset..][..words.len()].copy_from_slice(words);
                });
            }
            self.record(Event::Rewritten(node));
        }
        for (at, &word) in (offset..).zip(words) {
            self.replace_word(at, word);
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

    /// Transparent variables are as at the start, since nobody knows what they were.
    fn conceal(&mut self, layout: &Layout) {
        for at in layout.root_shown..layout.root.len() {
            self.replace_word(at, layout.root.template[at]);
        }
    }

    /// The words of untracked variables, which an encoding does not show.
    pub fn concealed(&self, layout: &Layout) -> &[u64] {
        &self.words[layout.root_shown..layout.root.len()]
    }

    /// Gives untracked variables, of a state that was just decoded, what they held.
    pub fn reveal(&mut self, layout: &Layout, words: &[u64]) {
        for (at, &word) in (layout.root_shown..layout.root.len()).zip(words) {
            self.replace_word(at, word);
        }
    }

    fn rebuild(&mut self, layout: &Layout, from: &Encoding) {
        self.reset();
        self.conceal(layout);
        if layout.has_values {
            self.absorb_units(layout, from);
        } else {
            self.lay_out(layout, from);
        }
        self.forget();
        self.clean();
        self.clear_events();
        self.record(Event::Replaced);
    }

    fn absorb_units(&mut self, layout: &Layout, from: &Encoding) {
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
    }

    /// Puts the units of an encoding one after the other, where nothing is yet and nobody asks how it came about.
    fn lay_out(&mut self, layout: &Layout, from: &Encoding) {
        for (key, words) in from.components() {
            if key.section == Section::Root {
                self.words[..words.len()].copy_from_slice(words);
                continue;
            }
            let (offset, class) = self.append_block(words);
            let node = Node { offset: offset as u32, len: words.len() as u32, frame: 0, class };
            if key.section == Section::Threads {
                let frame = self.top_frame(layout, offset, words.len()) as u32;
                self.put_node(NodeRef::Thread(ThreadId(key.index)), Node { frame, ..node });
            } else {
                self.put_node(NodeRef::Object(ObjectId(key.index)), node);
            }
        }
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
                ObjectKind::Channel(_) => fixed.extend_from_slice(words),
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

    fn absorb_value(&mut self, layout: &Layout, slot: Slot, rest: &mut &[u64], fixed: &mut [u64]) {
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections are in slots for them") };
        if slot.get(fixed) != 0 {
            let (words, after) = rest.split_at(layout.terms.len(ty, rest, 0));
            *rest = after;
            let raw = self.new_value(layout, ty, words);
            slot.put(fixed, raw);
        }
    }
}

impl Layout {
    /// Whether two versions of a unit of the same length, without collections, mention the same individuals at the
    /// same places. `false` may mean that this is not easy to tell.
    fn has_same_names(&self, node: NodeRef, old: &[u64], new: &[u64]) -> bool {
        let same = |shape: &Shape, old: &[u64], new: &[u64]| {
            shape.data.iter().zip(old.iter().zip(new)).all(|(data, (old, new))| (old ^ new) & !data == 0)
        };
        match node {
            NodeRef::Root => same(&self.root, old, new),
            NodeRef::Thread(_) => {
                let mut at = self.thread.len();
                if !same(&self.thread, old, new) {
                    return false;
                }
                while at < old.len() {
                    let procedure = |words: &[u64]| {
                        self.procedure_of[ir::LocationId(self.location.get(&words[at..]) as u32)]
                    };
                    let shape = &self.frames[procedure(old)];
                    if procedure(old) != procedure(new) || !same(shape, &old[at..], &new[at..]) {
                        return false;
                    }
                    at += shape.len();
                }
                true
            }
            NodeRef::Object(_) => match (self.kind(self.tag.get(old)), self.kind(self.tag.get(new))) {
                (ObjectKind::Record(a), ObjectKind::Record(b)) => a == b && same(&self.records[a], old, new),
                (ObjectKind::Lock, ObjectKind::Lock) => same(&self.lock, old, new),
                _ => false,
            },
        }
    }
}
