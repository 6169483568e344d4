//! One state: its parts, and how it is read.

use ir::TypeId;
use system::Moment;

use crate::collector::Collector;
use crate::journal::{Change, Journal, Mark, PlaceSet, Reader, UnitSet};
use crate::memory::{Memory, Node, Nodes};
use crate::steady::MentionsChanged;
use crate::trace::{AccessKind, AccessTrace};
use crate::{Edge, End, Layout, NodeRef, ObjectId, ObjectKind, Slot, ThreadId};

/// One state, with its past.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) memory: Memory,
    pub(crate) journal: Journal,
    /// The reader of changes of the graph, if there is one.
    pub(crate) graph_reader: Option<GraphReader>,
    /// The units that an encoding of this state does not show yet.
    pub(crate) unencoded: Reader<UnitSet>,
    /// The units that a mirror of this state does not show yet, if there is one.
    pub(crate) unmirrored: Reader<UnitSet>,
    pub(crate) has_mirror: bool,
    /// The mirror takes back by itself what is undone next.
    pub(crate) mirror_undoes: bool,
    /// The moment at which an encoding showed this state, except for what is unencoded.
    pub(crate) shown: Option<Moment>,
    /// The moment at which this state was decoded.
    pub(crate) decoded: Option<Moment>,
    /// The units that changed since then.
    pub(crate) undecoded: Reader<UnitSet>,
    /// The last decoding led from one state to another with the same units, of the same lengths.
    pub(crate) kept_units: bool,
    /// The words that changed since the successor cache last asked.
    pub(crate) changed_places: Reader<PlaceSet>,
    pub(crate) collector: Collector,
    /// What was done to mentions since the last mark.
    pub(crate) mentions_changed: MentionsChanged,
    pub(crate) trace: AccessTrace,
    /// Since the last mark, objects became garbage whose loss is a leak.
    pub(crate) has_lost_objects: bool,
    /// There was no memory for some step.
    pub(crate) is_starved: bool,
    pub(crate) scratch: Scratch,
}

/// The part that follows the graph of references by the journal. There is one at most: names by access chains
/// show what is garbage, so they replace the collector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GraphReader {
    Collector,
    Names,
}

/// Memory for encoding and decoding, kept from one time to the next.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scratch {
    pub words: Vec<u64>,
    pub edges: Vec<Edge>,
    pub order: Vec<u32>,
}

/// What a step did to the set of units.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UnitsChanged {
    /// Some units are new.
    pub came: bool,
    /// Some units are gone or have moved, or collections came or went.
    pub gone: bool,
}

/// What a thread or an object is one of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnitKind {
    /// A thread that started with this procedure.
    Thread(ir::ProcedureId),
    Object(ObjectKind),
}

impl UnitKind {
    /// The kind as two numbers.
    pub const fn code(self) -> [u32; 2] {
        match self {
            Self::Thread(procedure) => [0, procedure.0],
            Self::Object(ObjectKind::Record(record)) => [1, record.0],
            Self::Object(ObjectKind::Lock) => [2, 0],
            Self::Object(ObjectKind::Array(number)) => [3, number],
            Self::Object(ObjectKind::Channel(channel)) => [4, channel.0],
            Self::Object(ObjectKind::Block(number)) => [5, number],
            Self::Object(ObjectKind::Tombstone(End::Deleted)) => [6, 0],
            Self::Object(ObjectKind::Tombstone(End::OutOfScope)) => [6, 1],
        }
    }

    /// The inverse of [`UnitKind::code`].
    pub const fn of_code(code: [u32; 2]) -> Option<Self> {
        Some(Self::Object(match code {
            [0, procedure] => return Some(Self::Thread(ir::ProcedureId(procedure))),
            [1, record] => ObjectKind::Record(ir::RecordId(record)),
            [2, 0] => ObjectKind::Lock,
            [3, number] => ObjectKind::Array(number),
            [4, channel] => ObjectKind::Channel(ir::ChannelId(channel)),
            [5, number] => ObjectKind::Block(number),
            [6, 0] => ObjectKind::Tombstone(End::Deleted),
            [6, 1] => ObjectKind::Tombstone(End::OutOfScope),
            _ => return None,
        }))
    }
}

impl UnitsChanged {
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { came: self.came | other.came, gone: self.gone | other.gone }
    }
}

impl State {
    /// The state with initial globals and nothing else.
    pub fn new(layout: &Layout) -> Self {
        let mut unencoded = Reader::<UnitSet>::default();
        unencoded.digest.insert(NodeRef::Root.index());
        Self {
            memory: Memory::new(&layout.root.template),
            journal: Journal::default(),
            graph_reader: layout.has_collector().then_some(GraphReader::Collector),
            unencoded,
            unmirrored: Reader::default(),
            has_mirror: false,
            mirror_undoes: false,
            shown: None,
            decoded: None,
            undecoded: Reader::default(),
            kept_units: false,
            changed_places: Reader::default(),
            collector: Collector::default(),
            mentions_changed: MentionsChanged::None,
            trace: AccessTrace::default(),
            has_lost_objects: false,
            is_starved: false,
            scratch: Scratch::default(),
        }
    }

    // Words.

    /// All words of the memory, free ones included.
    pub fn all_words(&self) -> &[u64] {
        &self.memory.words
    }

    /// Some bits of the word at a position that [`State::root`], [`State::frame`] or [`State::object`] gave.
    #[inline]
    pub fn bits(&self, at: usize, shift: u8, mask: u64) -> u64 {
        if self.trace.is_on {
            self.trace.record(at, mask << shift, AccessKind::Read);
        }
        self.memory.words[at] >> shift & mask
    }

    /// The word at such a position.
    #[inline]
    pub fn word(&self, at: usize) -> u64 {
        self.bits(at, 0, u64::MAX)
    }

    /// Like [`State::word`], but invisible to access tracing.
    #[inline]
    pub fn word_untraced(&self, at: usize) -> u64 {
        self.memory.words[at]
    }

    /// The value of `slot` of the unit or frame that starts at `base`.
    #[inline]
    pub fn read(&self, base: usize, slot: Slot) -> i64 {
        let raw = self.bits(base + slot.word as usize, slot.shift, slot.mask());
        (raw as i64).wrapping_add(slot.lo)
    }

    /// Like [`State::read`], but invisible to access tracing.
    #[inline]
    pub fn read_untraced(&self, base: usize, slot: Slot) -> i64 {
        let raw = self.memory.words[base + slot.word as usize] >> slot.shift & slot.mask();
        (raw as i64).wrapping_add(slot.lo)
    }

    /// The words of the collection of type `ty` for which a slot holds `raw`.
    #[inline]
    pub fn value(&self, layout: &Layout, ty: TypeId, raw: i64) -> &[u64] {
        if raw == 0 {
            return layout.terms.empty(ty);
        }
        let at = raw as usize - 1;
        &self.memory.words[at + 1..][..self.memory.words[at] as usize]
    }

    // Units.

    /// Where the globals start.
    pub const fn root(&self) -> usize {
        0
    }

    /// Where the unit starts.
    pub fn start_of(&self, unit: NodeRef) -> usize {
        self.memory.node(unit).offset as usize
    }

    /// Where the words of an object start. The object must exist.
    #[inline]
    pub fn object(&self, id: ObjectId) -> usize {
        self.memory.objects.table[id.0 as usize].offset as usize
    }

    /// Where the words of an object start, if it exists.
    #[inline]
    pub fn object_at(&self, id: ObjectId) -> Option<usize> {
        let node = self.memory.objects.get(id.0);
        node.exists().then_some(node.offset as usize)
    }

    /// Where the words of a thread start, before its frames.
    #[inline]
    pub fn thread(&self, id: ThreadId) -> usize {
        self.memory.threads.table[id.0 as usize].offset as usize
    }

    /// Where the top frame of a thread starts.
    #[inline]
    pub fn frame(&self, id: ThreadId) -> usize {
        let node = self.memory.threads.table[id.0 as usize];
        (node.offset + node.frame) as usize
    }

    /// Where the frames of a thread start, lowest first.
    pub fn frames(&self, layout: &Layout, id: ThreadId) -> impl Iterator<Item = usize> {
        let node = self.memory.threads.get(id.0);
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

    /// Whether a thread runs and has a single frame.
    #[inline]
    pub fn has_one_frame(&self, layout: &Layout, id: ThreadId) -> bool {
        let node = self.memory.threads.get(id.0);
        node.len != 0 && node.frame as usize == layout.thread.len()
    }

    /// Whether there is such a thread, and it has not ended.
    #[inline]
    pub fn is_running(&self, id: ThreadId) -> bool {
        self.memory.threads.get(id.0).len != 0
    }

    pub fn thread_exists(&self, id: ThreadId) -> bool {
        self.memory.threads.get(id.0).exists()
    }

    #[inline]
    pub fn exists(&self, unit: NodeRef) -> bool {
        self.memory.node(unit).exists()
    }

    /// What a unit is one of; `None` for the globals and for threads that have ended.
    pub fn unit_kind(&self, layout: &Layout, unit: NodeRef) -> Option<UnitKind> {
        match unit {
            NodeRef::Root => None,
            NodeRef::Thread(id) => {
                let frame = self.frames(layout, id).next()?;
                let location = ir::LocationId(self.read_untraced(frame, layout.location) as u32);
                Some(UnitKind::Thread(layout.procedure_of[location]))
            }
            NodeRef::Object(id) => {
                let tag = self.read_untraced(self.object_at(id)?, layout.tag);
                Some(UnitKind::Object(layout.kind(tag)))
            }
        }
    }

    /// The number of threads and objects.
    pub const fn unit_count(&self) -> usize {
        self.memory.threads.count + self.memory.objects.count
    }

    /// All threads, then all objects.
    pub fn units(&self) -> impl Iterator<Item = NodeRef> {
        self.memory.units()
    }

    /// An upper bound of the thread ids in use.
    pub fn thread_limit(&self) -> u32 {
        self.memory.threads.table.len() as u32
    }

    /// An upper bound of the object ids in use.
    pub fn object_limit(&self) -> u32 {
        self.memory.objects.table.len() as u32
    }

    /// The number of threads, where their ids leave no gaps.
    #[inline]
    pub fn thread_count(&self) -> u32 {
        self.memory.threads.width()
    }

    /// The number of objects, where their ids leave no gaps.
    pub fn channel_count(&self) -> u32 {
        self.memory.objects.width()
    }

    pub const fn object_count(&self) -> usize {
        self.memory.objects.count
    }

    /// The words of a unit.
    #[inline]
    pub fn words_of(&self, unit: NodeRef) -> Option<&[u64]> {
        let node = self.memory.node(unit);
        node.exists().then(|| &self.memory.words[node.offset as usize..][..node.len as usize])
    }

    /// The number of words of all units. Like everything that a step can ask, it does not depend on the past.
    pub fn size(&self) -> usize {
        self.memory.size()
    }

    /// The unit that a word belongs to: `None` for words of collections and free words. The map must be kept:
    /// see [`State::map_units`].
    pub fn unit_at(&self, at: usize) -> Option<NodeRef> {
        self.memory.unit_at(at)
    }

    /// Keeps a map from words to units from now on.
    pub fn map_units(&mut self) {
        self.memory.map_units();
    }

    // What changed.

    /// Whether objects became garbage in the last step whose loss is a leak. It has to be asked before any step is
    /// taken back.
    pub fn has_lost_objects(&self) -> bool {
        self.has_lost_objects
    }

    /// Whether there is an object whose loss would be a leak.
    pub fn has_objects_to_delete(&self, layout: &Layout) -> bool {
        self.memory.units().any(|unit| match unit {
            NodeRef::Object(id) => layout.leaks[self.read_untraced(self.object(id), layout.tag) as usize],
            NodeRef::Root | NodeRef::Thread(_) => false,
        })
    }

    /// The changes since the last mark, in order.
    #[inline]
    pub fn last_step(&self) -> &[Change] {
        self.journal.last_step()
    }

    /// All changes that can be taken back, or that decoding made.
    pub fn changes(&self) -> &[Change] {
        self.journal.changes()
    }

    /// What the last step did to the set of units.
    pub fn units_changed(&self) -> UnitsChanged {
        let mut found = UnitsChanged::default();
        for change in self.last_step() {
            match *change {
                Change::Node { old, .. } if old.exists() => found.gone = true,
                Change::Node { .. } => found.came = true,
                Change::ValueWords { .. } => found = UnitsChanged { came: true, gone: true },
                _ => {}
            }
        }
        found
    }

    /// The units that may have changed since the state was last encoded or decoded, by steps and by undo.
    pub fn unencoded(&mut self) -> impl Iterator<Item = NodeRef> {
        // From now on, taking back what is there counts as a change as well.
        self.unencoded.catch_up(&self.journal);
        self.unencoded.digest.iter()
    }

    /// Keeps track of what a mirror has to take over, from now on: see [`State::take_unmirrored`].
    pub fn start_mirror(&mut self) {
        if !std::mem::replace(&mut self.has_mirror, true) {
            self.unmirrored.skip(&self.journal);
            self.mark_all_unmirrored();
        }
    }

    /// The last step is about to be taken back, and the mirror has done so already: it shows the state before that step.
    pub fn mirror_undoes(&mut self) {
        self.mirror_undoes = true;
    }

    /// Adds the units that may have changed, come or gone since the last call to a list, by index: by steps,
    /// by undo or by decoding. There must be a mirror.
    #[inline]
    pub fn take_unmirrored(&mut self, units: &mut Vec<u32>) {
        debug_assert!(self.has_mirror, "what changed is tracked from the start of a mirror on");
        self.unmirrored.catch_up(&self.journal);
        self.unmirrored.digest.drain_into(units);
    }

    /// All units count as changed.
    pub(crate) fn mark_all_unmirrored(&mut self) {
        if self.has_mirror {
            self.unmirrored.digest.insert(NodeRef::Root.index());
            for unit in self.memory.units() {
                self.unmirrored.digest.insert(unit.index());
            }
        }
    }

    /// The positions of the words that changed since the last call: a bit for each, modulo 64.
    #[inline]
    pub fn take_changed_places(&mut self) -> u64 {
        self.changed_places.catch_up(&self.journal);
        self.changed_places.digest.take()
    }

    /// A number that is different after any unit has come, gone or moved, or runs another procedure.
    pub fn unit_layout(&self) -> u64 {
        self.memory.unit_layout
    }

    /// Appends which units there are and where: everything that steps depend on without reading it.
    pub fn describe_unit_layout(&self, into: &mut Vec<u32>) {
        for nodes in [&self.memory.threads, &self.memory.objects] {
            into.push(nodes.table.len() as u32);
            into.extend(nodes.table.iter().flat_map(|node| [node.offset, node.len, node.frame, node.class]));
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
    changes: usize,
    marks: Vec<Mark>,
}

impl State {
    pub fn snapshot(&self) -> Snapshot {
        let memory = &self.memory;
        let units = std::iter::once(NodeRef::Root).chain(self.units());
        // A table may have grown, and a class of blocks may have come into use, without anything in them.
        let existing = |nodes: &Nodes| nodes.table[..nodes.width() as usize].to_vec();
        let used = memory.free.iter().rposition(|list| !list.is_empty()).map_or(0, |last| last + 1);
        Snapshot {
            words: units.filter_map(|unit| Some((unit, self.words_of(unit)?.to_vec()))).collect(),
            nodes: [existing(&memory.threads), existing(&memory.objects)],
            free: memory.free[..used].to_vec(),
            size: (memory.words.len(), self.size()),
            changes: self.journal.len(),
            marks: self.journal.marks().to_vec(),
        }
    }

    /// For tests: makes the next encoding write everything.
    pub fn mark_all_unencoded(&mut self) {
        let threads = (0..self.thread_limit()).map(|id| NodeRef::Thread(ThreadId(id)));
        let objects = (0..self.object_limit()).map(|id| NodeRef::Object(ObjectId(id)));
        for unit in threads.chain(objects).chain([NodeRef::Root]) {
            self.unencoded.digest.insert(unit.index());
        }
    }
}
