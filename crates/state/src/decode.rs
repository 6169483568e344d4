//! From encodings to states.

use system::{Encoding, Key, Section};

use crate::journal::Change;
use crate::memory::{Node, Nodes};
use crate::{Form, Layout, NodeRef, ObjectId, Shape, Slot, SlotKind, State, ThreadId};

impl State {
    /// Becomes the state that `from` describes, without a past.
    pub fn decode(&mut self, layout: &Layout, from: &Encoding) {
        self.kept_units = false;
        if self.catch_up(layout, from) {
            // The rest is as it should be.
        } else if self.has_mirror
            && !self.records_graph()
            && !layout.threads_have_values
            && !layout.thread_ids_observable
        {
            self.adapt(layout, from);
        } else if !layout.has_values && self.has_shape_of(from) {
            self.forget_units();
            self.overwrite(layout, from);
        } else if !layout.has_values || !self.has_units_of(layout, from) {
            self.rebuild(layout, from);
        } else {
            self.overwrite_with_values(layout, from);
        }
        let now = from.now();
        (self.shown, self.decoded) = (Some(now), Some(now));
        self.undecoded.digest.clear();
        self.undecoded.skip(&self.journal);
    }

    /// Whether the last decoding led from the state that was decoded before to one with the same units, of the same
    /// lengths.
    pub fn has_kept_units(&self) -> bool {
        self.kept_units
    }

    /// Forgets the past, before units get other words.
    fn forget_units(&mut self) {
        self.forget();
        // Readers of the graph may still know units as they were before steps that were taken back.
        if self.graph_reader.is_some() {
            for unit in self.unencoded.digest.iter() {
                self.journal.push(Change::Rewritten(unit));
            }
        }
        self.mark_encoded();
    }

    /// Decodes only what changed in the state and in `from` since `from` last showed this state, or since this state
    /// was decoded from it. Returns false if that is not known, or if a unit came, went or changed its length.
    fn catch_up(&mut self, layout: &Layout, from: &Encoding) -> bool {
        if layout.has_values {
            return false;
        }
        let shown = self.shown.and_then(|moment| from.touched(moment));
        let Some(touched) = shown.or_else(|| from.touched(self.decoded?)) else { return false };
        self.unencoded.catch_up(&self.journal);
        self.undecoded.catch_up(&self.journal);
        let changed = if shown.is_some() { &self.unencoded } else { &self.undecoded };
        let mut units = std::mem::take(&mut self.scratch.order);
        units.clear();
        units.extend(touched.iter().map(|&key| NodeRef::of(key).index()));
        units.extend(changed.digest.iter().map(NodeRef::index));
        let shown_len = |unit| match unit {
            NodeRef::Root => Some(layout.root_shown),
            NodeRef::Thread(_) | NodeRef::Object(_) => self.words_of(unit).map(<[u64]>::len),
        };
        let mut nodes = units.iter().map(|&unit| NodeRef::from_index(unit));
        if nodes.any(|unit| from.get(unit.key()).map(<[u64]>::len) != shown_len(unit)) {
            self.scratch.order = units;
            return false;
        }
        self.kept_units = self.decoded.is_some() && self.journal.marks().is_empty();
        if self.records_graph() {
            self.forget_units();
        } else {
            self.forget();
            self.mark_encoded();
        }
        self.reset_hidden_words(layout);
        self.collector.forget();
        for unit in units.iter().map(|&unit| NodeRef::from_index(unit)) {
            if let Some(words) = from.get(unit.key()) {
                self.overwrite_one(layout, unit, words);
            }
        }
        self.scratch.order = units;
        true
    }

    /// Becomes the state that `from` describes, and leaves alone the units that are the same in both. A mirror
    /// has to take over the others only.
    fn adapt(&mut self, layout: &Layout, from: &Encoding) {
        self.forget();
        self.reset_hidden_words(layout);
        self.collector.forget();
        self.changed_places.digest.insert_all();
        let mut buffer = std::mem::take(&mut self.scratch.words);
        for section in Section::ALL {
            for (index, words) in (0..).zip(from.section(section)) {
                let unit = NodeRef::of(Key { section, index });
                match words {
                    Some(words) => self.adapt_unit(layout, unit, words, &mut buffer),
                    None => self.remove_unit(layout, unit),
                }
            }
        }
        let widths = [Section::Threads, Section::Objects].map(|section| from.width(section));
        for id in widths[0]..self.thread_limit() {
            self.remove_unit(layout, NodeRef::Thread(ThreadId(id)));
        }
        for id in widths[1]..self.object_limit() {
            self.remove_unit(layout, NodeRef::Object(ObjectId(id)));
        }
        self.memory.threads.narrow(widths[0]);
        self.memory.objects.narrow(widths[1]);
        self.scratch.words = buffer;
        // Collections are put into memory like those that steps make.
        self.forget();
        self.mark_encoded();
    }

    /// Gives a unit the words that an encoding has for it.
    #[inline]
    fn adapt_unit(&mut self, layout: &Layout, unit: NodeRef, words: &[u64], buffer: &mut Vec<u64>) {
        let node = self.memory.node(unit);
        let (start, len) = (node.offset as usize, node.len as usize);
        let may_have_values = match unit {
            _ if !layout.has_values => false,
            NodeRef::Object(_) => {
                !node.exists()
                    || layout.tag.get(&self.memory.words[start..]) != layout.tag.get(words)
                    || self.can_have_values(layout, unit)
            }
            NodeRef::Root | NodeRef::Thread(_) => self.can_have_values(layout, unit),
        };
        if may_have_values {
            if node.exists() {
                buffer.clear();
                self.append(layout, unit, None, buffer);
                if buffer == words {
                    return;
                }
                self.free_all_values(layout, unit);
            }
            buffer.clear();
            self.absorb(layout, unit.key().section, words, buffer);
            return self.replace_unit(layout, unit, buffer);
        }
        if unit == NodeRef::Root || node.exists() && len == words.len() {
            match (&mut self.memory.words[start..][..words.len()], words) {
                ([old], [new]) if *old == *new => return,
                ([old], [new]) => *old = *new,
                (old, new) if *old == *new => return,
                (old, new) => old.copy_from_slice(new),
            }
            self.unmirrored.digest.insert(unit.index());
            if let NodeRef::Thread(id) = unit {
                let top = self.top_frame(layout, start, words.len());
                self.place_frame(id, top);
            }
            return;
        }
        self.replace_unit(layout, unit, words);
    }

    /// Gives a unit other words, perhaps more or less of them, or makes it.
    fn replace_unit(&mut self, layout: &Layout, unit: NodeRef, words: &[u64]) {
        self.unmirrored.digest.insert(unit.index());
        if unit == NodeRef::Root {
            return self.memory.words[..words.len()].copy_from_slice(words);
        }
        let node = self.memory.node(unit);
        let (offset, class) = if node.exists() && words.len() <= 1 << node.class {
            (node.offset as usize, node.class)
        } else {
            if node.exists() {
                self.memory.free_block(node.offset, node.class);
            }
            let (offset, class, _) = self.memory.take_block(words.len());
            (offset, class)
        };
        self.memory.words[offset..][..words.len()].copy_from_slice(words);
        let frame = match unit {
            NodeRef::Thread(_) => self.top_frame(layout, offset, words.len()),
            NodeRef::Root | NodeRef::Object(_) => 0,
        };
        let (offset, len, frame) = (offset as u32, words.len() as u32, frame as u32);
        self.memory.put(unit, Node { offset, len, frame, class });
    }

    /// Takes a unit away, if it is there.
    fn remove_unit(&mut self, layout: &Layout, unit: NodeRef) {
        let node = self.memory.node(unit);
        if node.exists() {
            self.unmirrored.digest.insert(unit.index());
            if layout.has_values {
                self.free_all_values(layout, unit);
            }
            self.memory.free_block(node.offset, node.class);
            self.memory.put(unit, Node::ABSENT);
        }
    }

    /// Takes over the words of a unit, which must have the same number of words as before.
    fn overwrite_one(&mut self, layout: &Layout, unit: NodeRef, words: &[u64]) {
        let offset = self.start_of(unit);
        let before = self.procedure(layout, unit);
        self.overwrite_unit(layout, unit, offset, words);
        if let NodeRef::Thread(id) = unit {
            let top = self.top_frame(layout, offset, words.len());
            self.place_frame(id, top);
        }
        // Another procedure of the same size is another layout of units.
        if self.procedure(layout, unit) != before {
            self.change_unit_layout();
        }
    }

    /// Replaces a word without a past.
    #[inline]
    fn overwrite_word(&mut self, at: usize, new: u64) {
        if self.memory.words[at] != new {
            self.memory.words[at] = new;
            self.changed_places.digest.insert(at);
        }
    }

    fn change_unit_layout(&mut self) {
        self.memory.unit_layout += 1;
        self.changed_places.digest.insert_all();
    }

    /// Sets where the top frame of a thread is.
    fn place_frame(&mut self, id: ThreadId, frame: usize) {
        let node = &mut self.memory.threads.table[id.0 as usize];
        if node.frame != frame as u32 {
            node.frame = frame as u32;
            self.change_unit_layout();
        }
    }

    /// The procedure of the top frame of a thread, in programs in which it counts as part of the layout of
    /// units.
    fn procedure(&self, layout: &Layout, node: NodeRef) -> Option<ir::ProcedureId> {
        match node {
            NodeRef::Thread(id) if layout.thread_ids_observable && self.is_running(id) => {
                let location = self.read_untraced(self.frame(id), layout.location);
                Some(layout.procedure_of[ir::LocationId(location as u32)])
            }
            _ => None,
        }
    }

    /// Whether the same threads and objects exist, with the same numbers of words.
    fn has_shape_of(&self, from: &Encoding) -> bool {
        let same = |nodes: &Nodes, section: Section| {
            let width = from.width(section);
            nodes.table.len() >= width as usize
                && nodes.table.iter().zip(0..).all(|(node, index)| {
                    let words = from.get(Key { section, index });
                    words.map(<[u64]>::len) == node.exists().then_some(node.len as usize)
                })
        };
        same(&self.memory.threads, Section::Threads) && same(&self.memory.objects, Section::Objects)
    }

    fn overwrite(&mut self, layout: &Layout, from: &Encoding) {
        self.reset_hidden_words(layout);
        self.collector.forget();
        for section in Section::ALL {
            for (index, words) in (0..).zip(from.section(section)) {
                if let Some(words) = words {
                    self.overwrite_one(layout, NodeRef::of(Key { section, index }), words);
                }
            }
        }
    }

    #[inline]
    fn overwrite_unit(&mut self, layout: &Layout, node: NodeRef, offset: usize, words: &[u64]) {
        if self.has_mirror || self.records_graph() {
            if &self.memory.words[offset..][..words.len()] == words {
                return;
            }
            if self.has_mirror {
                self.unmirrored.digest.insert(node.index());
            }
        }
        if self.records_graph() {
            let old = &self.memory.words[offset..][..words.len()];
            if !layout.has_same_names(node, old, words) {
                self.changed_places.digest.insert_all();
                return self.record_rewriting(layout, node, |state| {
                    state.memory.words[offset..][..words.len()].copy_from_slice(words);
                });
            }
            self.record(Change::Rewritten(node));
        }
        for (at, &word) in (offset..).zip(words) {
            self.overwrite_word(at, word);
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

    /// Sets untracked variables to their initial values, since an encoding does not show them.
    fn reset_hidden_words(&mut self, layout: &Layout) {
        self.set_hidden_words(layout, &layout.root.template[layout.root_shown..]);
    }

    /// The words of untracked variables, which an encoding does not show.
    pub fn hidden_words(&self, layout: &Layout) -> &[u64] {
        &self.memory.words[layout.root_shown..layout.root.len()]
    }

    /// Restores the words of untracked variables of a state that was just decoded.
    pub fn set_hidden_words(&mut self, layout: &Layout, words: &[u64]) {
        for (at, &word) in (layout.root_shown..layout.root.len()).zip(words) {
            self.overwrite_word(at, word);
        }
    }

    /// Whether the same threads and objects exist, with the same numbers of words beside collections. `false`
    /// may also mean that the answer would be costly.
    fn has_units_of(&self, layout: &Layout, from: &Encoding) -> bool {
        let same = |nodes: &Nodes, section: Section, fits: &dyn Fn(&Node, &[u64]) -> bool| {
            nodes.table.len() >= from.width(section) as usize
                && nodes.table.iter().zip(0..).all(|(node, index)| match from.get(Key { section, index }) {
                    Some(words) => node.exists() && fits(node, words),
                    None => !node.exists(),
                })
        };
        let has_object = |node: &Node, words: &[u64]| {
            let old = &self.memory.words[node.offset as usize..][..node.len as usize];
            layout.tag.get(old) == layout.tag.get(words)
                && match layout.form(layout.tag.get(words)) {
                    Form::Single(_) => true,
                    Form::Block(_) => old.len() == words.len(),
                    Form::Array(_) => layout.array_length.get(old) == layout.array_length.get(words),
                }
        };
        !self.records_graph()
            && !layout.threads_have_values
            && same(&self.memory.threads, Section::Threads, &|node, words| node.len as usize == words.len())
            && same(&self.memory.objects, Section::Objects, &has_object)
    }

    /// Becomes a state with the same units, of which the collections may be others.
    fn overwrite_with_values(&mut self, layout: &Layout, from: &Encoding) {
        self.forget();
        self.reset_hidden_words(layout);
        self.collector.forget();
        self.changed_places.digest.insert_all();
        let mut buffer = std::mem::take(&mut self.scratch.words);
        for (key, words) in from.components() {
            let unit = NodeRef::of(key);
            let offset = self.start_of(unit);
            if self.can_have_values(layout, unit) {
                buffer.clear();
                self.append(layout, unit, None, &mut buffer);
                if buffer == words {
                    continue;
                }
                if self.has_mirror {
                    self.unmirrored.digest.insert(unit.index());
                }
                self.free_all_values(layout, unit);
                buffer.clear();
                self.absorb(layout, key.section, words, &mut buffer);
                self.memory.words[offset..][..buffer.len()].copy_from_slice(&buffer);
            } else {
                self.overwrite_unit(layout, unit, offset, words);
            }
            if let NodeRef::Thread(id) = unit {
                let top = self.top_frame(layout, offset, words.len());
                self.place_frame(id, top);
            }
        }
        self.scratch.words = buffer;
        // Collections are put into memory like those that steps make.
        self.forget();
        self.mark_encoded();
    }

    /// Whether there can be collections in a unit.
    #[inline]
    pub fn can_have_values(&self, layout: &Layout, unit: NodeRef) -> bool {
        match unit {
            _ if !layout.has_values => false,
            NodeRef::Root => !layout.root.values.is_empty(),
            NodeRef::Thread(_) => layout.threads_have_values,
            NodeRef::Object(id) => match layout.form(self.read_untraced(self.object(id), layout.tag)) {
                Form::Single(shape) => !shape.values.is_empty(),
                Form::Block(_) => false,
                Form::Array(array) => matches!(array.kind, SlotKind::Value(_)),
            },
        }
    }

    fn rebuild(&mut self, layout: &Layout, from: &Encoding) {
        self.forget();
        self.mark_all_unmirrored();
        self.memory.clear();
        self.collector.forget();
        self.changed_places.digest.insert_all();
        self.reset_hidden_words(layout);
        if layout.has_values {
            self.absorb_units(layout, from);
        } else {
            self.lay_out(layout, from);
        }
        // Collections are put into memory like those that steps make.
        self.forget();
        self.mark_all_unmirrored();
        self.mark_encoded();
        self.record(Change::Replaced);
    }

    fn absorb_units(&mut self, layout: &Layout, from: &Encoding) {
        let mut fixed = std::mem::take(&mut self.scratch.words);
        for (key, words) in from.components() {
            fixed.clear();
            self.absorb(layout, key.section, words, &mut fixed);
            if key.section == Section::Root {
                self.memory.words[..fixed.len()].copy_from_slice(&fixed);
                continue;
            }
            self.lay_out_unit(layout, key, &fixed);
        }
        self.scratch.words = fixed;
    }

    /// Puts the units of an encoding one after the other into empty memory.
    fn lay_out(&mut self, layout: &Layout, from: &Encoding) {
        for (key, words) in from.components() {
            if key.section == Section::Root {
                self.memory.words[..words.len()].copy_from_slice(words);
                continue;
            }
            self.lay_out_unit(layout, key, words);
        }
    }

    fn lay_out_unit(&mut self, layout: &Layout, key: Key, words: &[u64]) {
        let (offset, class) = self.memory.append_block(words);
        let is_thread = key.section == Section::Threads;
        let frame = if is_thread { self.top_frame(layout, offset, words.len()) } else { 0 };
        let (offset, len, frame) = (offset as u32, words.len() as u32, frame as u32);
        self.memory.put(NodeRef::of(key), Node { offset, len, frame, class });
    }

    /// Takes the collections out of the words that an encoding has for a unit: `fixed` gets the words of the
    /// unit itself.
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
            Section::Objects => match layout.form(layout.tag.get(words)) {
                Form::Single(shape) => self.absorb_shape(layout, shape, &mut rest, fixed),
                Form::Block(_) => fixed.extend_from_slice(words),
                Form::Array(array) => {
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
    /// Whether two versions of a unit of the same length, without collections, mention the same entities at
    /// the same places. `false` may also mean that the answer would be costly.
    pub fn has_same_names(&self, node: NodeRef, old: &[u64], new: &[u64]) -> bool {
        let same = |shape: &Shape, old: &[u64], new: &[u64]| {
            shape.data.iter().zip(old.iter().zip(new)).all(|(data, (old, new))| (old ^ new) & !data == 0)
        };
        match node {
            NodeRef::Root => same(&self.root, old, new),
            NodeRef::Thread(_) => {
                let mut at = self.thread.len();
                if old.is_empty() || !same(&self.thread, old, new) {
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
            NodeRef::Object(_) => {
                let tag = self.tag.get(old);
                tag == self.tag.get(new)
                    && match self.form(tag) {
                        Form::Single(shape) => same(shape, old, new),
                        Form::Block(block) => {
                            let words = block.element.len();
                            let mut elements = old[1..].chunks(words).zip(new[1..].chunks(words));
                            elements.all(|(old, new)| same(&block.element, old, new))
                        }
                        Form::Array(array) => array.kind == SlotKind::Data || old[1..] == new[1..],
                    }
            }
        }
    }
}
