//! The words of one state, and how to take back what was done to them.
//!
//! All units live in one vector of words: the globals at its start, then blocks of a power of two of words for
//! threads and objects, with a free list per size. A node says where the block of a thread or object is.
//!
//! Every change is logged with what it replaced, and undone last first, so that after an undo everything,
//! free lists included, is exactly as it was. Words of a block that is handed out anew are not logged: before they
//! were free, and nobody reads free words. Words that are given up (a popped frame, a dropped object) are logged
//! before, since others may write there afterwards.

use std::fmt;

use ir::TypeId;
use system::Moment;

use crate::collect::{Way, Ways};
use crate::watch::{AccessKind, Places, Rearrangement, Watch};
use crate::{Edge, Event, Layout, ObjectKind, Shape, Slot, SlotKind};

macro_rules! ids {
    ($($name:ident $prefix:literal;)*) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// From what a slot holds.
            pub const fn from_raw(raw: i64) -> Option<Self> {
                if raw == 0 { None } else { Some(Self(raw as u32 - 1)) }
            }

            /// What a slot holds to refer to it.
            pub const fn raw(self) -> i64 {
                self.0 as i64 + 1
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    ThreadId "thread";
    ObjectId "object";
}

/// A unit of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum NodeRef {
    Root,
    Thread(ThreadId),
    Object(ObjectId),
}

/// Where the words of a thread or object are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub offset: u32,
    pub len: u32,
    /// Of a thread: where its top frame starts, from `offset` on.
    pub frame: u32,
    /// The block has `1 << class` words; [`NO_BLOCK`] where there is no such thread or object.
    pub class: u32,
}

pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// How many changes a log has room for at the least, after [`State::has_room`].
pub const SPARE: usize = 1 << 12;
/// A step that adds so many words asks whether they can be had several times over: the state will also be encoded and stored.
const LARGE: usize = 1 << 16;
const COPIES: usize = 4;

impl Node {
    pub const ABSENT: Self = Self { offset: 0, len: 0, frame: 0, class: NO_BLOCK };

    pub const fn exists(self) -> bool {
        self.class != NO_BLOCK
    }
}

/// How to take back one change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Undo {
    Word {
        node: NodeRef,
        at: u32,
        old: u64,
    },
    Node {
        node: NodeRef,
        old: Node,
    },
    /// A block was taken from its free list.
    Reused {
        offset: u32,
        class: u32,
    },
    /// A block was taken from the end of the words.
    Extended {
        offset: u32,
    },
    /// A block was put on its free list.
    Freed {
        class: u32,
    },
    /// An edge was added to the graph.
    Edge {
        way: Way,
        target: NodeRef,
    },
    /// The collections had this many words.
    Values {
        words: usize,
    },
}

/// The class of the blocks for so many words.
const fn block_class(len: usize) -> u32 {
    let len = if len == 0 { 1 } else { len };
    len.next_power_of_two().trailing_zeros()
}

/// Makes sure that `spare` elements can be pushed. Large lists double, as long as that is possible.
pub fn make_room<T>(list: &mut Vec<T>, spare: usize) -> bool {
    list.capacity() - list.len() >= spare
        || list.try_reserve(spare).is_ok()
        || list.try_reserve_exact(spare).is_ok()
}

/// Threads or objects by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub table: Vec<Node>,
    pub dirty: Vec<bool>,
    /// No id below is free.
    pub first_free: u32,
    /// How many words they have together.
    pub words: usize,
}

impl Nodes {
    pub fn set(&mut self, id: u32, node: Node) -> Node {
        let index = id as usize;
        if index >= self.table.len() {
            self.table.resize(index + 1, Node::ABSENT);
            self.dirty.resize(index + 1, false);
        }
        if !node.exists() {
            self.first_free = self.first_free.min(id);
        }
        let old = std::mem::replace(&mut self.table[index], node);
        self.words = self.words + node.len as usize - old.len as usize;
        old
    }

    pub fn get(&self, id: u32) -> Node {
        self.table.get(id as usize).copied().unwrap_or(Node::ABSENT)
    }

    /// An encoding is about to show the node.
    pub fn clean(&mut self, id: u32) -> Node {
        self.dirty[id as usize] = false;
        self.table[id as usize]
    }

    fn least_free(&mut self) -> u32 {
        while self.get(self.first_free).exists() {
            self.first_free += 1;
        }
        self.first_free
    }

    fn clear(&mut self) {
        self.table.clear();
        self.dirty.clear();
        self.first_free = 0;
        self.words = 0;
    }
}

/// One state, with its past.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) words: Vec<u64>,
    pub(crate) root_len: usize,
    pub(crate) threads: Nodes,
    pub(crate) objects: Nodes,
    free: Vec<Vec<u32>>,
    pub(crate) log: Vec<Undo>,
    /// Where the steps start in the log, whether there was garbage to collect by then, and how many events there were.
    marks: Vec<(usize, bool, usize)>,
    /// How long the log was when there was last [room](State::has_room) for more.
    logged: usize,
    /// There was no memory for some step.
    is_starved: bool,
    /// What an encoding of this state does not show yet.
    pub(crate) dirty: Vec<NodeRef>,
    pub(crate) root_dirty: bool,
    /// Where an encoding showed this state, except for what is dirty.
    pub(crate) shown: Option<Moment>,
    /// A reference was overwritten or dropped since the last collection.
    pub(crate) garbage_possible: bool,
    /// How many words all collections have together.
    value_words: usize,
    /// What steps did to the graph, for whoever follows it.
    pub(crate) events: Option<Vec<Event>>,
    /// How units can be reached, for finding garbage; followed unless nobody asks, or collections mention individuals.
    pub(crate) ways: Ways,
    pub(crate) follows_ways: bool,
    /// Memory for encoding and decoding.
    pub(crate) buffer: Vec<u64>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) order: Vec<u32>,
    pub(crate) watch: Watch,
    pub(crate) places: Places,
}

impl State {
    /// The state with initial globals and nothing else.
    pub fn new(layout: &Layout) -> Self {
        Self {
            words: layout.root.template.clone(),
            root_len: layout.root.len(),
            threads: Nodes::default(),
            objects: Nodes::default(),
            free: Vec::new(),
            log: Vec::new(),
            marks: Vec::new(),
            logged: 0,
            is_starved: false,
            dirty: vec![NodeRef::Root],
            root_dirty: true,
            shown: None,
            garbage_possible: false,
            value_words: 0,
            events: None,
            ways: Ways::default(),
            follows_ways: layout.collects_garbage() && !layout.named_values,
            buffer: Vec::new(),
            edges: Vec::new(),
            order: Vec::new(),
            watch: Watch::default(),
            places: Places::default(),
        }
    }

    // Reading.

    /// Replaces a word without a past.
    #[inline]
    pub(crate) fn replace_word(&mut self, at: usize, new: u64) {
        if self.words[at] != new {
            self.words[at] = new;
            self.watch.changed(at);
        }
    }

    /// All words there are, whoever they belong to.
    pub fn all_words(&self) -> &[u64] {
        &self.words
    }

    /// Where the unit starts.
    pub fn start_of(&self, node: NodeRef) -> usize {
        match node {
            NodeRef::Root => 0,
            NodeRef::Thread(id) => self.threads.get(id.0).offset as usize,
            NodeRef::Object(id) => self.objects.get(id.0).offset as usize,
        }
    }

    /// Some bits of the word at a position, like [`State::word`].
    #[inline]
    pub fn bits(&self, at: usize, shift: u8, mask: u64) -> u64 {
        if self.watch.is_on {
            self.watch.note(at, mask << shift, AccessKind::Read);
        }
        self.words[at] >> shift & mask
    }

    /// The word at a position that [`State::root`], [`State::frame`] or [`State::object`] gave.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        self.bits(at, 0, u64::MAX)
    }

    /// Like [`State::word`], for whoever keeps account of it himself.
    #[inline]
    pub fn peek_word(&self, at: usize) -> u64 {
        self.words[at]
    }

    /// Like [`State::read`], for whoever keeps account of it himself.
    #[inline]
    pub fn peek(&self, base: usize, slot: Slot) -> i64 {
        let raw = self.words[base + slot.word as usize] >> slot.shift & slot.mask();
        (raw as i64).wrapping_add(slot.lo)
    }

    /// The value of `slot` of the unit that starts at `base`.
    #[inline]
    pub fn read(&self, base: usize, slot: Slot) -> i64 {
        let raw = self.bits(base + slot.word as usize, slot.shift, slot.mask());
        (raw as i64).wrapping_add(slot.lo)
    }

    /// Where the globals start.
    pub const fn root(&self) -> usize {
        0
    }

    /// Where the words of an object start. The object must exist.
    #[inline]
    pub fn object(&self, id: ObjectId) -> usize {
        self.objects.table[id.0 as usize].offset as usize
    }

    /// The same, if the object exists.
    #[inline]
    pub fn object_at(&self, id: ObjectId) -> Option<usize> {
        let node = self.objects.get(id.0);
        node.exists().then_some(node.offset as usize)
    }

    /// Where the words of a thread start, before its frames.
    #[inline]
    pub fn thread(&self, id: ThreadId) -> usize {
        self.threads.table[id.0 as usize].offset as usize
    }

    /// Where the top frame of a thread starts.
    #[inline]
    pub fn frame(&self, id: ThreadId) -> usize {
        let node = self.threads.table[id.0 as usize];
        (node.offset + node.frame) as usize
    }

    /// One more than the greatest thread id there can be.
    pub fn thread_limit(&self) -> u32 {
        self.threads.table.len() as u32
    }

    /// Whether there is such a thread, and it has not ended.
    #[inline]
    pub fn is_running(&self, id: ThreadId) -> bool {
        self.threads.get(id.0).len != 0
    }

    pub fn thread_exists(&self, id: ThreadId) -> bool {
        self.threads.get(id.0).exists()
    }

    pub fn exists(&self, node: NodeRef) -> bool {
        match node {
            NodeRef::Root => true,
            NodeRef::Thread(id) => self.threads.get(id.0).exists(),
            NodeRef::Object(id) => self.objects.get(id.0).exists(),
        }
    }

    /// All threads, then all objects.
    pub fn units(&self) -> impl Iterator<Item = NodeRef> {
        let ids = |nodes: &'_ Nodes| -> std::ops::Range<u32> { 0..nodes.table.len() as u32 };
        let threads = ids(&self.threads).map(|id| NodeRef::Thread(ThreadId(id)));
        let objects = ids(&self.objects).map(|id| NodeRef::Object(ObjectId(id)));
        threads.chain(objects).filter(|&node| self.exists(node))
    }

    /// One more than the greatest object id there can be.
    pub fn object_limit(&self) -> u32 {
        self.objects.table.len() as u32
    }

    /// How many words its units have. Like everything that a step can ask, it does not depend on the past.
    pub fn size(&self) -> usize {
        self.root_len + self.threads.words + self.objects.words + self.value_words
    }

    pub fn object_count(&self) -> usize {
        self.objects.table.iter().filter(|node| node.exists()).count()
    }

    /// The words of a unit.
    pub fn words_of(&self, node: NodeRef) -> Option<&[u64]> {
        let node = match node {
            NodeRef::Root => return Some(&self.words[..self.root_len]),
            NodeRef::Thread(id) => self.threads.get(id.0),
            NodeRef::Object(id) => self.objects.get(id.0),
        };
        node.exists().then(|| &self.words[node.offset as usize..][..node.len as usize])
    }

    /// The words of the collection of type `ty` of which a slot holds `raw`.
    #[inline]
    pub fn value(&self, layout: &Layout, ty: TypeId, raw: i64) -> &[u64] {
        if raw == 0 {
            return layout.terms.empty(ty);
        }
        let at = raw as usize - 1;
        &self.words[at + 1..][..self.words[at] as usize]
    }

    // Writing.

    /// Stores `value` to `slot` of the unit of `node` that starts at `base`. For collections there is
    /// [`State::write_value`].
    #[inline]
    pub fn write(&mut self, node: NodeRef, base: usize, slot: Slot, value: i64) {
        let at = base + slot.word as usize;
        let old = self.words[at];
        let field = slot.mask() << slot.shift;
        let new = old & !field | slot.raw(value);
        if self.watch.is_on {
            self.watch.note(at, field, AccessKind::Write(node));
        }
        if new != old {
            if slot.kind != SlotKind::Data {
                self.garbage_possible |= old & field != 0;
                self.record_write(node, base, slot, value);
            }
            self.log.push(Undo::Word { node, at: at as u32, old });
            self.words[at] = new;
            self.watch.changed(at);
            self.touch(node);
        }
    }

    /// Replaces a whole word of a unit, at a position that the unit's start and an offset give. There must be no names in it.
    #[inline]
    pub fn write_word(&mut self, node: NodeRef, at: usize, new: u64) {
        self.replace_bits(node, at, u64::MAX, AccessKind::Write(node), new);
    }

    /// Replaces some bits of a word of a unit in the same way.
    #[inline]
    pub fn write_bits(&mut self, node: NodeRef, at: usize, mask: u64, bits: u64) {
        self.replace_bits(node, at, mask, AccessKind::Write(node), self.words[at] & !mask | bits);
    }

    /// Shifts some bits of a word of a unit down: each becomes what the one so many places above it is, or 0 if that is not one of
    /// them. That does not count as reading them.
    #[inline]
    pub fn shift_bits(&mut self, node: NodeRef, at: usize, mask: u64, by: u32) {
        let old = self.words[at];
        let shifted = (old & mask) >> by & mask;
        self.replace_bits(node, at, mask, AccessKind::Shift(node, by), old & !mask | shifted);
    }

    #[inline]
    fn replace_bits(&mut self, node: NodeRef, at: usize, mask: u64, kind: AccessKind, new: u64) {
        let old = self.words[at];
        if self.watch.is_on {
            self.watch.note(at, mask, kind);
        }
        if new != old {
            self.log.push(Undo::Word { node, at: at as u32, old });
            self.words[at] = new;
            self.watch.changed(at);
            self.touch(node);
        }
    }

    /// How many threads there are, where they have numbers without gaps.
    #[inline]
    pub fn thread_count(&self) -> u32 {
        let table = &self.threads.table;
        table.iter().rposition(|node| node.exists()).map_or(0, |last| last as u32 + 1)
    }

    /// How many objects there are, where they have numbers without gaps.
    pub fn channel_count(&self) -> u32 {
        let table = &self.objects.table;
        table.iter().rposition(|node| node.exists()).map_or(0, |last| last as u32 + 1)
    }

    /// Stores a reference whose old target stays reachable otherwise, or was none: no garbage comes of it.
    #[inline]
    pub fn write_kept(&mut self, node: NodeRef, base: usize, slot: Slot, value: i64) {
        let before = self.garbage_possible;
        self.write(node, base, slot, value);
        self.garbage_possible = before;
    }

    /// Stores the collection `words`, of the type that `slot` says, to `slot` of the unit of `node` that starts
    /// at `base`.
    pub fn write_value(&mut self, layout: &Layout, node: NodeRef, base: usize, slot: Slot, words: &[u64]) {
        let SlotKind::Value(ty) = slot.kind else { unreachable!("collections go to slots for them") };
        let raw = self.read(base, slot);
        if self.watch.is_on {
            self.watch.note(base + slot.word as usize, slot.mask() << slot.shift, AccessKind::Write(node));
        }
        if self.value(layout, ty, raw) == words {
            return;
        }
        let tracked = layout.terms.has_names(ty) && self.records_events();
        self.garbage_possible |= layout.terms.has_names(ty);
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        if tracked {
            self.edges_of_value(layout, node, base, slot, &mut edges);
        }
        let count = edges.len();
        self.free_value(node, raw);
        let new = self.new_value(layout, ty, words);
        let at = base + slot.word as usize;
        self.log.push(Undo::Word { node, at: at as u32, old: self.words[at] });
        slot.put(&mut self.words[base..], new);
        self.touch(node);
        if tracked {
            self.edges_of_value(layout, node, base, slot, &mut edges);
            self.record_difference(&mut edges, count);
        }
        self.edges = edges;
    }

    /// What a slot holds for a new collection that will belong to it.
    pub fn new_value(&mut self, layout: &Layout, ty: TypeId, words: &[u64]) -> i64 {
        if words == layout.terms.empty(ty) {
            return 0;
        }
        self.log.push(Undo::Values { words: self.value_words });
        self.value_words += words.len();
        let (offset, _) = self.take_block(words.len() + 1);
        self.words[offset] = words.len() as u64;
        self.words[offset + 1..][..words.len()].copy_from_slice(words);
        offset as i64 + 1
    }

    fn free_value(&mut self, node: NodeRef, raw: i64) {
        if raw != 0 {
            let offset = raw as usize - 1;
            let len = self.words[offset] as usize;
            self.log.push(Undo::Values { words: self.value_words });
            self.value_words -= len;
            self.save_words(node, offset, len + 1);
            self.give_block(offset as u32, block_class(len + 1));
        }
    }

    fn free_values(&mut self, node: NodeRef, base: usize, shape: &Shape) {
        for &slot in &shape.values {
            self.free_value(node, self.read(base, slot));
        }
    }

    /// A new thread with one frame, or `None` if its id would not be less than `bound`.
    pub fn start_thread(&mut self, layout: &Layout, frame: &[u64], bound: u32) -> Option<ThreadId> {
        let header = &layout.thread.template;
        let id = self.threads.least_free();
        if id >= bound {
            return None;
        }
        let len = header.len() + frame.len();
        let (offset, class) = self.take_block(len);
        self.words[offset..][..header.len()].copy_from_slice(header);
        self.words[offset + header.len()..][..frame.len()].copy_from_slice(frame);
        let node = Node { offset: offset as u32, len: len as u32, frame: header.len() as u32, class };
        let id = ThreadId(id);
        self.set_node(NodeRef::Thread(id), node);
        self.record(Event::Created(NodeRef::Thread(id)));
        self.record_unit(layout, NodeRef::Thread(id), Event::Added);
        Some(id)
    }

    /// A new object with `len` words, of which `template` are the first and the others are `fill`; `None` if
    /// its id would not be less than `bound`.
    pub fn new_object(&mut self, template: &[u64], len: usize, fill: u64, bound: u32) -> Option<ObjectId> {
        let id = self.objects.least_free();
        if id >= bound {
            return None;
        }
        let (offset, class) = self.take_block(len);
        self.words[offset..][..template.len()].copy_from_slice(template);
        self.words[offset + template.len()..offset + len].fill(fill);
        let id = ObjectId(id);
        let node = Node { offset: offset as u32, len: len as u32, frame: 0, class };
        self.set_node(NodeRef::Object(id), node);
        self.record(Event::Created(NodeRef::Object(id)));
        Some(id)
    }

    /// Pushes a frame, whose start it returns.
    pub fn push_frame(&mut self, layout: &Layout, id: ThreadId, frame: &[u64]) -> usize {
        let node = self.threads.table[id.0 as usize];
        let start = node.len;
        let len = node.len as usize + frame.len();
        let mut new = Node { len: len as u32, frame: start, ..node };
        if len > 1 << node.class {
            let (offset, class) = self.take_block(len);
            (new.offset, new.class) = (offset as u32, class);
            let old = node.offset as usize;
            self.words.copy_within(old..old + node.len as usize, offset);
            self.save_words(NodeRef::Thread(id), old, node.len as usize);
            self.set_node(NodeRef::Thread(id), new);
            self.give_block(node.offset, node.class);
        } else {
            self.set_node(NodeRef::Thread(id), new);
        }
        let inset = start as usize;
        let start = new.offset as usize + inset;
        self.words[start..start + frame.len()].copy_from_slice(frame);
        let shape = self.frame_shape(layout, start);
        self.record_shape(layout, NodeRef::Thread(id), start, inset, shape, Event::Added);
        start
    }

    /// Pops the top frame; the thread has ended if it was the last. The caller knows where the frame below
    /// starts: see [`State::frames`].
    pub fn pop_frame(&mut self, layout: &Layout, id: ThreadId) {
        let node = self.threads.table[id.0 as usize];
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
        self.record_shape(layout, unit, top, node.frame as usize, shape, Event::Removed);
        self.free_values(unit, top, shape);
        self.save_words(unit, top, (node.len - node.frame) as usize);
        self.set_node(unit, Node { len: node.frame, frame: below, ..node });
        self.garbage_possible = true;
    }

    /// Drops all frames of a thread.
    pub fn end_thread(&mut self, layout: &Layout, id: ThreadId) {
        let node = self.threads.table[id.0 as usize];
        self.record_unit(layout, NodeRef::Thread(id), Event::Removed);
        self.record(Event::Ended(id));
        if layout.has_values {
            let frames: Vec<usize> = self.frames(layout, id).collect();
            for frame in frames {
                self.free_values(NodeRef::Thread(id), frame, self.frame_shape(layout, frame));
            }
        }
        self.save_words(NodeRef::Thread(id), node.offset as usize, node.len as usize);
        self.set_node(NodeRef::Thread(id), Node { len: 0, frame: 0, ..node });
        self.garbage_possible = true;
    }

    /// Whether a thread runs and is in no function.
    #[inline]
    pub fn has_one_frame(&self, layout: &Layout, id: ThreadId) -> bool {
        let node = self.threads.get(id.0);
        node.len != 0 && node.frame as usize == layout.thread.len()
    }

    /// Where the frames of a thread start, lowest first.
    pub fn frames(&self, layout: &Layout, id: ThreadId) -> impl Iterator<Item = usize> {
        let node = self.threads.get(id.0);
        let end = (node.offset + node.len) as usize;
        let mut at = node.offset as usize + layout.thread.len();
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let start = at;
                at += self.frame_len(layout, start);
                start
            })
        })
    }

    pub(crate) fn frame_len(&self, layout: &Layout, start: usize) -> usize {
        let location = ir::LocationId(self.read(start, layout.location) as u32);
        layout.frames[layout.procedure_of[location]].len()
    }

    // Undo.

    /// Makes sure that the next changes can be logged without asking for memory, if there is any. Once there was too little for a
    /// step, there is no room any more.
    pub fn has_room(&mut self) -> bool {
        // Several times as many as there were since the last time.
        let spare = SPARE.max(4 * self.log.len().saturating_sub(self.logged));
        self.logged = self.log.len();
        self.is_starved |= !(make_room(&mut self.log, spare) && make_room(&mut self.marks, SPARE));
        !self.is_starved
    }

    /// Makes sure that a unit or a collection of so many words can be added, and dropped again.
    pub fn has_room_for(&mut self, words: usize) -> bool {
        let is_large = words >= LARGE;
        let several = if is_large { (self.size() + words).saturating_mul(COPIES) } else { 0 };
        let has_room = self.words.try_reserve((words + 1).next_power_of_two()).is_ok()
            && (!is_large || make_room(&mut self.log, words + SPARE))
            && Vec::<u64>::new().try_reserve_exact(several).is_ok();
        self.is_starved |= !has_room;
        has_room
    }

    /// Begins a step: [`State::undo`] goes back to here.
    #[inline]
    pub fn mark(&mut self) {
        self.marks.push((self.log.len(), self.garbage_possible, self.events().len()));
    }

    /// Takes back everything since the last mark, and the mark.
    pub fn undo(&mut self) {
        let (mark, garbage_possible, events) = self.marks.pop().expect("every undo has its mark");
        while self.log.len() > mark {
            let Some(undo) = self.log.pop() else { break };
            match undo {
                Undo::Word { node, at, old } => {
                    self.words[at as usize] = old;
                    self.watch.changed(at as usize);
                    self.touch(node);
                }
                Undo::Node { node, old } => {
                    self.watch.rearranged();
                    let new = self.put_node(node, old);
                    if old.exists() && !new.exists() {
                        self.ways.came(node);
                    }
                    self.touch(node);
                }
                Undo::Reused { offset, class } => self.free[class as usize].push(offset),
                Undo::Extended { offset } => self.words.truncate(offset as usize),
                Undo::Freed { class } => {
                    self.free[class as usize].pop();
                }
                Undo::Edge { way, target } => self.ways.removed(way, target),
                Undo::Values { words } => self.value_words = words,
            }
        }
        self.garbage_possible = garbage_possible;
        // What was taken note of is taken back by whoever did; the rest never happened.
        if let Some(list) = &mut self.events {
            list.truncate(events);
        }
    }

    /// What the last step did to the set of units.
    pub fn rearrangement(&self) -> Rearrangement {
        let mark = self.marks.last().map_or(0, |&(mark, ..)| mark);
        let mut found = Rearrangement::default();
        for undo in &self.log[mark..] {
            match *undo {
                Undo::Node { old, .. } if old.exists() => found.gone = true,
                Undo::Node { .. } => found.came = true,
                Undo::Values { .. } => found = Rearrangement { came: true, gone: true },
                _ => {}
            }
        }
        found
    }

    /// The units that the step since the last mark wrote; some more than once.
    pub fn changed(&self) -> impl Iterator<Item = NodeRef> {
        let since = self.marks.last().map_or(0, |&(start, ..)| start);
        self.log[since..].iter().filter_map(|undo| match undo {
            Undo::Word { node, .. } | Undo::Node { node, .. } => Some(*node),
            _ => None,
        })
    }

    /// The units that may not be what they were when the state was last encoded or decoded.
    pub fn dirty(&self) -> &[NodeRef] {
        &self.dirty
    }

    /// Forgets the past: what was done stays done.
    pub fn forget(&mut self) {
        self.log.clear();
        self.marks.clear();
        self.garbage_possible = false;
    }

    pub(crate) fn reset(&mut self) {
        self.watch.rearranged();
        self.words.truncate(self.root_len);
        self.threads.clear();
        self.objects.clear();
        self.free.iter_mut().for_each(Vec::clear);
        self.value_words = 0;
        self.ways.forget();
        self.forget();
        self.clear_events();
        self.dirty.clear();
        self.root_dirty = false;
    }

    /// An encoding shows everything.
    pub(crate) fn clean(&mut self) {
        for node in self.dirty.drain(..) {
            match node {
                NodeRef::Root => {}
                NodeRef::Thread(id) => self.threads.dirty[id.0 as usize] = false,
                NodeRef::Object(id) => self.objects.dirty[id.0 as usize] = false,
            }
        }
        self.root_dirty = false;
    }

    // Blocks.

    /// A new block behind the others, with these words in it.
    pub(crate) fn append_block(&mut self, words: &[u64]) -> (usize, u32) {
        let (offset, class) = (self.words.len(), self.class(words.len()));
        self.words.extend_from_slice(words);
        self.words.resize(offset + (1 << class), 0);
        (offset, class)
    }

    fn class(&mut self, len: usize) -> u32 {
        let class = block_class(len);
        if self.free.len() <= class as usize {
            self.free.resize(class as usize + 1, Vec::new());
        }
        class
    }

    pub(crate) fn take_block(&mut self, len: usize) -> (usize, u32) {
        let class = self.class(len);
        if let Some(offset) = self.free[class as usize].pop() {
            self.log.push(Undo::Reused { offset, class });
            (offset as usize, class)
        } else {
            let offset = self.words.len();
            self.words.resize(offset + (1 << class), 0);
            self.log.push(Undo::Extended { offset: offset as u32 });
            (offset, class)
        }
    }

    fn give_block(&mut self, offset: u32, class: u32) {
        self.free[class as usize].push(offset);
        self.log.push(Undo::Freed { class });
    }

    fn save_words(&mut self, node: NodeRef, start: usize, len: usize) {
        for at in start..start + len {
            self.log.push(Undo::Word { node, at: at as u32, old: self.words[at] });
        }
    }

    /// Takes an ended thread or an object away, to which nothing refers that stays.
    pub fn drop_node(&mut self, layout: &Layout, node: NodeRef) {
        let place = match node {
            NodeRef::Root => return,
            NodeRef::Thread(id) => self.threads.get(id.0),
            NodeRef::Object(id) => self.objects.get(id.0),
        };
        self.record_unit(layout, node, Event::Removed);
        self.record(Event::Dropped(node));
        if let NodeRef::Object(id) = node
            && layout.has_values
        {
            self.free_values_of(layout, id);
        }
        self.save_words(node, place.offset as usize, place.len as usize);
        self.set_node(node, Node::ABSENT);
        self.give_block(place.offset, place.class);
    }

    fn free_values_of(&mut self, layout: &Layout, id: ObjectId) {
        let base = self.object(id);
        let node = NodeRef::Object(id);
        match layout.kind(self.read(base, layout.tag)) {
            ObjectKind::Record(record) => self.free_values(node, base, &layout.records[record]),
            ObjectKind::Lock | ObjectKind::Channel(_) => {}
            ObjectKind::Array(array) => {
                let array = layout.arrays[array as usize];
                if let SlotKind::Value(_) = array.kind {
                    for index in 0..self.read(base, layout.array_length) as u32 {
                        self.free_value(node, self.read(base, array.slot(index)));
                    }
                }
            }
        }
    }

    /// Says where the top frame of a thread is.
    pub(crate) fn place_frame(&mut self, thread: u32, frame: u32) {
        let node = &mut self.threads.table[thread as usize];
        if node.frame != frame {
            node.frame = frame;
            self.watch.rearranged();
        }
    }

    /// Says where a thread or object is. Tells where it was.
    pub(crate) fn put_node(&mut self, node: NodeRef, new: Node) -> Node {
        if self.places.is_on && new.exists() {
            self.places.put(node, new);
        }
        match node {
            NodeRef::Root => Node::ABSENT,
            NodeRef::Thread(id) => self.threads.set(id.0, new),
            NodeRef::Object(id) => self.objects.set(id.0, new),
        }
    }

    pub(crate) fn set_node(&mut self, node: NodeRef, new: Node) {
        if node == NodeRef::Root {
            return;
        }
        let old = self.put_node(node, new);
        self.log.push(Undo::Node { node, old });
        self.watch.rearranged();
        self.touch(node);
    }

    #[inline]
    fn touch(&mut self, node: NodeRef) {
        let dirty = match node {
            NodeRef::Root => &mut self.root_dirty,
            NodeRef::Thread(id) => &mut self.threads.dirty[id.0 as usize],
            NodeRef::Object(id) => &mut self.objects.dirty[id.0 as usize],
        };
        if !*dirty {
            *dirty = true;
            self.dirty.push(node);
        }
    }
}

/// For tests: everything there is to a state, its past and its free memory included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    words: Vec<(NodeRef, Vec<u64>)>,
    nodes: [Vec<Node>; 2],
    free: Vec<Vec<u32>>,
    size: (usize, usize),
    log: usize,
    marks: Vec<(usize, bool, usize)>,
}

impl State {
    pub fn snapshot(&self) -> Snapshot {
        let threads = (0..self.threads.table.len() as u32).map(|id| NodeRef::Thread(ThreadId(id)));
        let objects = (0..self.objects.table.len() as u32).map(|id| NodeRef::Object(ObjectId(id)));
        let units = std::iter::once(NodeRef::Root).chain(threads).chain(objects);
        // A table may have grown, and a class of blocks may have come into use, without anything in them.
        let existing = |nodes: &Nodes| {
            let end = nodes.table.iter().rposition(|node| node.exists()).map_or(0, |last| last + 1);
            nodes.table[..end].to_vec()
        };
        let used = self.free.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
        Snapshot {
            words: units.filter_map(|unit| Some((unit, self.words_of(unit)?.to_vec()))).collect(),
            nodes: [existing(&self.threads), existing(&self.objects)],
            free: self.free[..used].to_vec(),
            size: (self.words.len(), self.size()),
            log: self.log.len(),
            marks: self.marks.clone(),
        }
    }

    /// For tests: lets the next encoding write everything.
    pub fn mark_all_dirty(&mut self) {
        for id in (0..self.threads.table.len() as u32).map(ThreadId) {
            self.touch(NodeRef::Thread(id));
        }
        for id in (0..self.objects.table.len() as u32).map(ObjectId) {
            self.touch(NodeRef::Object(id));
        }
        self.touch(NodeRef::Root);
    }
}
