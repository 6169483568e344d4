//! The layout of states: which bits of which word hold which variable.
//!
//! A value takes as many bits as its type has values, never straddles two words, and goes to the first word
//! of its unit with room for it. References are ids plus one in as many bits as the bound on objects needs,
//! so that a philosopher with two forks and a location is one word.

use std::fmt::Write as _;

use crate::Terms;
use ir::{
    ActionKind, ChannelId, Const, FieldId, Id, IntType, Leaks, LocalId, LocationId, ProcedureId, Program,
    RecordId, Table, Type, TypeId, Variable,
};

/// Bounds on what a state may hold. The widths of references follow from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub threads: u32,
    pub frames: u32,
    pub objects: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { threads: 255, frames: 255, objects: 65_535 }
    }
}

/// What the bits of a slot mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// A value, minus the least one of its type.
    Data,
    /// 0, or one more than the id of an object.
    Object,
    /// 0, or one more than the id of an object in so many bits, and above them the number of a leaf of it. As
    /// far as the graph is concerned, it is a slot for the object next to one for data.
    Pointer(u8),
    /// 0, or one more than the id of a thread.
    Thread,
    /// 0, or one more than the position of an element of this abstract enum.
    Abstract(u32),
    /// 0 for the empty collection, or one more than the position of its words, which belong to this slot.
    Value(TypeId),
}

impl SlotKind {
    /// Whether the slot itself holds a reference or an abstract id.
    pub const fn is_name(self) -> bool {
        matches!(self, Self::Object | Self::Thread | Self::Abstract(_))
    }
}

/// A place for one value within a unit of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub word: u32,
    pub shift: u8,
    pub bits: u8,
    pub kind: SlotKind,
    /// The least value: it is stored as 0.
    pub lo: i64,
    /// Whether it is a steady place (see `steady`).
    pub is_steady: bool,
}

impl Slot {
    pub const fn mask(self) -> u64 {
        mask(self.bits)
    }

    pub const fn get(self, words: &[u64]) -> i64 {
        let raw = words[self.word as usize] >> self.shift & self.mask();
        (raw as i64).wrapping_add(self.lo)
    }

    /// Stores `value` into the words of its unit.
    pub fn put(self, words: &mut [u64], value: i64) {
        let word = &mut words[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | self.raw(value);
    }

    /// The slot of the object that a pointer leads to, and that of the number of the leaf. Other slots are
    /// their own first part.
    pub const fn parts(self) -> (Self, Self) {
        let SlotKind::Pointer(bits) = self.kind else { return (self, Self { bits: 0, ..self }) };
        let leaf = Self { shift: self.shift + bits, bits: self.bits - bits, kind: SlotKind::Data, ..self };
        (Self { bits, kind: SlotKind::Object, ..self }, leaf)
    }

    /// The bits of `value`, in place.
    pub const fn raw(self, value: i64) -> u64 {
        ((value.wrapping_sub(self.lo)) as u64 & self.mask()) << self.shift
    }
}

/// The lowest `bits` bits, of at most 64.
pub const fn mask(bits: u8) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// The number of bits that hold `greatest`.
pub const fn bits_for(greatest: u64) -> u8 {
    (64 - greatest.leading_zeros()) as u8
}

/// A unit of words with named slots: the globals, a frame, a record, a lock.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub slots: Vec<Slot>,
    /// The initial words.
    pub template: Vec<u64>,
    /// The slots that hold references or abstract ids.
    pub edges: Vec<Slot>,
    /// Those of them that hold no threads: steady places (see `steady`), and the others.
    pub steady: Vec<Slot>,
    pub unsteady: Vec<Slot>,
    /// The slots that hold collections.
    pub values: Vec<Slot>,
    /// By word: the bits that hold neither references, nor abstract ids, nor collections.
    pub data: Vec<u64>,
    used: Vec<u8>,
}

impl Shape {
    pub fn len(&self) -> usize {
        self.template.len()
    }

    pub fn is_empty(&self) -> bool {
        self.template.is_empty()
    }

    /// Adds an array. Elements take a power of two of bits each. Returns the slot of the first element.
    fn add_array(&mut self, count: usize, (bits, kind, lo): Packing, value: i64) -> ArrayVariable {
        let log_bits = bits.max(1).next_power_of_two().trailing_zeros() as u8;
        let total = count << log_bits;
        let first = if total <= 64 {
            let slots = self.slots.len();
            let first = self.add(total as u8, SlotKind::Data, 0, 0);
            self.slots.truncate(slots);
            first
        } else {
            let word = self.len() as u32;
            for _ in 0..total.div_ceil(64) {
                self.used.push(64);
                self.template.push(0);
                self.data.push(u64::MAX);
            }
            Slot { word, shift: 0, bits: 0, kind: SlotKind::Data, lo: 0, is_steady: false }
        };
        let array = ArrayVariable { first: Slot { bits: 1 << log_bits, kind, lo, ..first }, log_bits };
        for index in 0..count {
            let slot = array.slot(index as u32);
            slot.put(&mut self.template, value);
            if kind != SlotKind::Data {
                let (edge, _) = slot.parts();
                self.data[edge.word as usize] &= !(edge.mask() << edge.shift);
                self.edges.push(edge);
            }
        }
        self.slots.push(array.first);
        array
    }

    /// Puts what is added from now on into words of its own.
    fn close(&mut self) {
        self.used.fill(64);
    }

    fn add(&mut self, bits: u8, kind: SlotKind, lo: i64, value: i64) -> Slot {
        let fits = |&used: &u8| u32::from(used) + u32::from(bits) <= 64;
        let word = if bits == 0 && self.used.is_empty() { None } else { self.used.iter().position(fits) };
        let word = word.unwrap_or_else(|| {
            self.used.push(0);
            self.template.push(0);
            self.data.push(u64::MAX);
            self.used.len() - 1
        });
        // A slot without bits behind a full word must not shift by 64.
        let shift = self.used[word].min(63);
        let slot = Slot { word: word as u32, shift, bits, kind, lo, is_steady: false };
        self.used[word] += bits;
        self.template[word] |= slot.raw(value);
        self.slots.push(slot);
        match kind {
            SlotKind::Data => {}
            SlotKind::Object | SlotKind::Pointer(_) | SlotKind::Thread | SlotKind::Abstract(_) => {
                self.edges.push(slot.parts().0);
            }
            SlotKind::Value(_) => self.values.push(slot),
        }
        if kind != SlotKind::Data {
            let (masked, _) = slot.parts();
            self.data[word] &= !(masked.mask() << masked.shift);
        }
        slot
    }
}

/// Arrays: a word with tag and length, then the elements, a power of two of bits each.
#[derive(Clone, Copy, Debug)]
pub struct ArrayShape {
    pub tag: u32,
    pub element: TypeId,
    /// The logarithm of the number of bits of an element.
    pub log_bits: u8,
    pub kind: SlotKind,
    pub lo: i64,
    /// The bits of the default element.
    pub default: u64,
    /// Whether elements are steady places (see `steady`).
    pub is_steady: bool,
}

impl ArrayShape {
    pub const fn words(self, length: u32) -> usize {
        1 + (length as usize).div_ceil(1 << (6 - self.log_bits))
    }

    pub const fn slot(self, index: u32) -> Slot {
        let per_word = 6 - self.log_bits;
        Slot {
            word: 1 + (index >> per_word),
            shift: ((index & ((1 << per_word) - 1)) << self.log_bits) as u8,
            bits: 1 << self.log_bits,
            kind: self.kind,
            lo: self.lo,
            is_steady: self.is_steady,
        }
    }
}

/// What the words of an object are.
#[derive(Clone, Copy, Debug)]
pub enum Form<'l> {
    Single(&'l Shape),
    Array(ArrayShape),
    Block(&'l BlockShape),
}

/// Blocks: a word with the tag, then so many elements, each of the same words.
#[derive(Clone, Debug)]
pub struct BlockShape {
    pub record: RecordId,
    pub tag: u32,
    pub element: Shape,
}

impl BlockShape {
    /// The number of words of a block of so many elements.
    pub fn words(&self, length: usize) -> usize {
        1 + length * self.element.len()
    }

    /// The number of elements of a block of so many words.
    pub fn length(&self, words: usize) -> usize {
        (words - 1) / self.element.len()
    }

    /// The word at which an element starts.
    pub fn start(&self, index: usize) -> usize {
        1 + index * self.element.len()
    }
}

/// A variable with elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayVariable {
    pub first: Slot,
    /// The logarithm of the number of bits of an element.
    pub log_bits: u8,
}

impl ArrayVariable {
    #[inline]
    pub const fn slot(self, index: u32) -> Slot {
        let per_word = 6 - self.log_bits;
        Slot {
            word: self.first.word + (index >> per_word),
            shift: self.first.shift + ((index & ((1 << per_word) - 1)) << self.log_bits) as u8,
            ..self.first
        }
    }
}

/// How values of a type are packed: the number of bits, their meaning, and the value that is stored as 0.
type Packing = (u8, SlotKind, i64);

/// Channels: a word with tag and length, and then the messages, the oldest first. Small messages share words,
/// also with the tag if all fit there; none straddles two words unless it is longer than one. Where there is
/// no message, all bits are 0.
#[derive(Clone, Debug)]
pub struct ChannelShape {
    pub capacity: u32,
    pub length: Slot,
    /// The slots of the fields in a message.
    pub fields: Vec<Slot>,
    /// By field: its integer type, if it has one, for bringing values into range.
    pub types: Vec<Option<IntType>>,
    /// Whether messages can mention entities.
    pub carries_names: bool,
    /// The number of bits of a message, if a word has room for more than one; otherwise a message has
    /// `message_words`.
    pub message_bits: u8,
    pub message_words: u32,
    /// The position of the first message.
    pub word: u32,
    pub shift: u8,
    /// The number of messages per word.
    pub per_word: u32,
    /// The unit: its words when the channel is empty, and the places of messages that hold references.
    pub unit: Shape,
}

impl ChannelShape {
    /// A channel with these fields: for each its integer type, if it has one, and how it is packed.
    fn new(tag: u64, tag_bits: u8, capacity: u32, fields: &[(Option<IntType>, Packing)]) -> Self {
        let mut message = Shape::default();
        for &(_, (bits, kind, lo)) in fields {
            message.add(bits, kind, lo, lo);
        }
        let length_bits = bits_for(capacity.into());
        let length = Slot {
            word: 0,
            shift: tag_bits,
            bits: length_bits,
            kind: SlotKind::Data,
            lo: 0,
            is_steady: false,
        };
        let head = tag_bits + length_bits;
        let bits = match message.used[..] {
            [] => 0,
            [only] => only,
            _ => 64,
        };
        let message_words = message.len().max(1) as u32;
        let (word, shift, per_word, words) =
            if message_words == 1 && u32::from(head) + capacity * u32::from(bits) <= 64 {
                (0, head, capacity.max(1), 1)
            } else {
                let per_word = if message_words == 1 { 64 / u32::from(bits.max(1)) } else { 1 };
                (1, 0, per_word, 1 + capacity.div_ceil(per_word) * message_words)
            };
        let mut unit = Shape {
            template: vec![0; words as usize],
            data: vec![u64::MAX; words as usize],
            ..Shape::default()
        };
        unit.template[0] = tag;
        let mut shape = Self {
            capacity,
            length,
            carries_names: !message.edges.is_empty(),
            fields: message.slots,
            types: fields.iter().map(|&(ty, _)| ty).collect(),
            message_bits: bits,
            message_words,
            word,
            shift,
            per_word,
            unit: Shape::default(),
        };
        for message in 0..if shape.carries_names { capacity } else { 0 } {
            for field in 0..shape.fields.len() {
                let slot = shape.field(message, field);
                if slot.kind != SlotKind::Data {
                    let (edge, _) = slot.parts();
                    unit.data[edge.word as usize] &= !(edge.mask() << edge.shift);
                    unit.edges.push(edge);
                }
            }
        }
        shape.unit = unit;
        shape
    }

    /// The slot of a field of a message.
    #[inline]
    pub fn field(&self, message: u32, field: usize) -> Slot {
        let slot = self.fields[field];
        let (word, shift) = self.place(message);
        Slot { word: word + slot.word, shift: shift + slot.shift, ..slot }
    }

    /// The word and bit at which a message starts.
    #[inline]
    pub fn place(&self, message: u32) -> (u32, u8) {
        if self.word == 0 {
            return (0, self.shift + message as u8 * self.message_bits);
        }
        let (word, at) = (message / self.per_word, message % self.per_word);
        (self.word + word * self.message_words, at as u8 * self.message_bits)
    }
}

/// What a tag stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ObjectKind {
    Record(RecordId),
    Lock,
    /// An index into [`Layout::arrays`].
    Array(u32),
    Channel(ChannelId),
    /// An index into [`Layout::blocks`].
    Block(u32),
    Tombstone(End),
}

/// How an object has ended that is still referred to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum End {
    Deleted,
    /// The scope was left of the variable that it stood for.
    OutOfScope,
}

/// The layout of all states of one program.
#[derive(Clone, Debug)]
pub struct Layout {
    pub bounds: Bounds,
    pub object_bits: u8,
    pub thread_bits: u8,
    /// Globals, in order.
    pub root: Shape,
    /// The number of words of the globals that belong to the state: those after them hold untracked
    /// variables.
    pub root_shown: usize,
    /// The array variables among the globals.
    pub root_arrays: Vec<Option<ArrayVariable>>,
    /// The thread that runs an atomic block or is exclusive, if the program has such.
    pub exclusive: Option<Slot>,
    /// The thread that took the last step, if the program reads it.
    pub last: Option<Slot>,
    /// The state of the monitor.
    pub monitor: Option<Slot>,
    /// The priority of a thread, if there are priorities.
    pub priority: Option<Slot>,
    /// See [`ir::Features::thread_ids_observable`].
    pub thread_ids_observable: bool,
    /// Whether there can be objects, other than channels of flat programs.
    pub has_objects: bool,
    pub channels: Table<ChannelId, ChannelShape>,
    /// What a thread has besides its frames: nothing, unless the program waits.
    pub thread: Shape,
    pub wait: Option<WaitSlots>,
    /// Per procedure: the location, then the locals.
    pub frames: Table<ProcedureId, Shape>,
    /// The array variables among the locals.
    pub frame_arrays: Table<ProcedureId, Vec<Option<ArrayVariable>>>,
    pub location: Slot,
    /// The procedure of each location: the size of a frame is known from its first word.
    pub procedure_of: Table<LocationId, ProcedureId>,
    pub tag: Slot,
    pub records: Table<RecordId, Shape>,
    /// `field_slots[field][record]`: where the field is in that record, if it has it.
    pub field_slots: Table<FieldId, Vec<Option<Slot>>>,
    pub lock: Shape,
    /// The tag, and nothing else.
    pub tombstone: Shape,
    /// The tag of objects that were deleted, if there can be tombstones; the next one is that of objects out of
    /// scope.
    pub first_tombstone: Option<i64>,
    /// By tag: whether it is a leak if such an object is garbage.
    pub leaks: Vec<bool>,
    pub arrays: Vec<ArrayShape>,
    pub blocks: Vec<BlockShape>,
    /// By record: the types of its fields.
    leaf_types: Table<RecordId, Vec<TypeId>>,
    pub array_length: Slot,
    pub kinds: Vec<ObjectKind>,
    pub terms: Terms,
    /// Whether there are collections, and whether some can mention entities.
    pub has_values: bool,
    /// Whether threads can hold collections in their frames.
    pub(crate) threads_have_values: bool,
    pub named_values: bool,
    /// By enum: the number of its elements, or 0 if it is not abstract.
    pub abstracts: Vec<u32>,
    /// The elements of abstract enums that a property names: they are not interchangeable with others.
    pub named_constants: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub struct WaitSlots {
    /// The lock that the thread waits for.
    pub lock: Slot,
    /// The number of times that it held the lock.
    pub count: Slot,
    pub notified: Slot,
}

/// The number of bits of the count of how often a thread holds a lock.
const LOCK_COUNT_BITS: u8 = bits_for(ir::MAX_LOCK_COUNT as u64);
const LENGTH_BITS: u8 = 32;
/// The number of bits for the position of a collection.
const VALUE_BITS: u8 = 32;
/// The number of bits of the number of a leaf.
const LEAF_BITS: u8 = bits_for(ir::MAX_BLOCK_LEAVES as u64 - 1);

impl Layout {
    pub fn new(program: &Program, bounds: Bounds) -> Self {
        let object_bits = bits_for(bounds.objects.into());
        let thread_bits = bits_for(bounds.threads.into());
        let width = |ty: TypeId| -> Packing {
            match program.types[ty] {
                Type::Bool => (1, SlotKind::Data, 0),
                Type::Int(IntType { lo, hi, .. }) => {
                    (bits_for(hi.wrapping_sub(lo) as u64), SlotKind::Data, lo)
                }
                Type::Enum(id) => (bits_for(program.enums[id].elements.len() as u64 - 1), SlotKind::Data, 0),
                Type::Tid => (thread_bits, SlotKind::Thread, 0),
                Type::Record(_) | Type::Array(_) | Type::Lock | Type::Channel => {
                    (object_bits, SlotKind::Object, 0)
                }
                Type::Pointer => (object_bits + LEAF_BITS, SlotKind::Pointer(object_bits), 0),
                Type::String => (bits_for(program.strings.len() as u64), SlotKind::Data, 0),
                Type::Null => (0, SlotKind::Data, 0),
                Type::Abstract(id) => {
                    (bits_for(program.enums[id].elements.len() as u64), SlotKind::Abstract(id.0), 0)
                }
                Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::Seq(_) | Type::Queue(_) => {
                    (VALUE_BITS, SlotKind::Value(ty), 0)
                }
            }
        };
        let add = |shape: &mut Shape, ty: TypeId, init: Option<Const>| {
            let (bits, kind, lo) = width(ty);
            shape.add(bits, kind, lo, initial(program, ty, init))
        };

        let add_variable = |shape: &mut Shape, variable: &Variable| {
            if variable.dims.is_empty() {
                add(shape, variable.ty, variable.init);
                return None;
            }
            let value = initial(program, variable.ty, variable.init);
            Some(shape.add_array(variable.size(), width(variable.ty), value))
        };

        let mut kinds: Vec<ObjectKind> = program.records.ids().map(ObjectKind::Record).collect();
        kinds.push(ObjectKind::Lock);
        let elements = program.types.iter().filter_map(|(_, ty)| match ty {
            Type::Array(element) => Some(element),
            _ => None,
        });
        let first_array = kinds.len() as u32;
        let mut arrays = Vec::new();
        for element in elements {
            let (bits, kind, lo) = width(element);
            let default = initial(program, element, None).wrapping_sub(lo) as u64;
            let tag = first_array + arrays.len() as u32;
            let log_bits = bits.max(1).next_power_of_two().trailing_zeros() as u8;
            kinds.push(ObjectKind::Array(arrays.len() as u32));
            arrays.push(ArrayShape { tag, element, log_bits, kind, lo, default, is_steady: false });
        }
        let first_channel = kinds.len() as u64;
        kinds.extend(program.channels.ids().map(ObjectKind::Channel));
        let mut blocks = Vec::new();
        for record in program.blocks() {
            let mut element = Shape::default();
            for &field in &program.records[record].fields {
                add(&mut element, program.fields[field].ty, None);
            }
            // Each element has a word, be its fields ever so narrow.
            if element.is_empty() {
                element.add(1, SlotKind::Data, 0, 0);
            }
            kinds.push(ObjectKind::Block(blocks.len() as u32));
            blocks.push(BlockShape { record, tag: kinds.len() as u32 - 1, element });
        }
        let first_tombstone = program.has_tombstones().then(|| {
            kinds.extend([End::Deleted, End::OutOfScope].map(ObjectKind::Tombstone));
            kinds.len() as i64 - 2
        });
        let reports_leaks = program.memory.leaks() != Leaks::Off;
        let is_leak = |kind: &ObjectKind| match kind {
            ObjectKind::Record(record) => !program.records[*record].scoped,
            ObjectKind::Lock | ObjectKind::Array(_) => true,
            ObjectKind::Block(block) => !program.records[blocks[*block as usize].record].scoped,
            ObjectKind::Channel(channel) => !program.channels[*channel].scoped,
            ObjectKind::Tombstone(_) => false,
        };
        let leaks = kinds.iter().map(|kind| reports_leaks && is_leak(kind)).collect();
        let tag_bits = bits_for(kinds.len() as u64 - 1);
        let channels: Table<ChannelId, ChannelShape> = program
            .channels
            .iter()
            .map(|(id, channel)| {
                let field = |field: &ir::ChannelField| match program.types[field.ty] {
                    Type::Int(int) => (Some(int), width(field.ty)),
                    _ => (None, width(field.ty)),
                };
                let fields: Vec<_> = channel.fields.iter().map(field).collect();
                ChannelShape::new(first_channel + id.index() as u64, tag_bits, channel.capacity, &fields)
            })
            .collect();

        let mut root = Shape::default();
        let mut root_arrays = vec![None; program.globals.len()];
        let mut root_slots = vec![None; program.globals.len()];
        let mut add_globals = |root: &mut Shape, untracked: bool| {
            for (id, global) in program.globals.iter().filter(|(_, global)| global.untracked == untracked) {
                root_arrays[id.index()] = add_variable(root, global);
                root_slots[id.index()] = root.slots.last().copied();
            }
        };
        add_globals(&mut root, false);
        let has_floor = program.has_atomic_locations() || program.has_exclusive_transitions();
        let exclusive = has_floor.then(|| root.add(thread_bits, SlotKind::Thread, 0, 0));
        let last = program
            .features
            .remembers_last
            .then(|| root.add(bits_for(bounds.threads.saturating_sub(1).into()), SlotKind::Data, 0, 0));
        let monitor = program.monitor.as_ref().map(|monitor| {
            root.add(bits_for(monitor.states.len().saturating_sub(1) as u64), SlotKind::Data, 0, 0)
        });
        let root_shown = root.len();
        root.close();
        add_globals(&mut root, true);
        root.slots = root_slots
            .into_iter()
            .flatten()
            .chain([exclusive, last, monitor].into_iter().flatten())
            .collect();

        let actions = || program.transitions.values().flat_map(|transition| &transition.body);
        let mut thread = Shape::default();
        let wait = actions().any(|action| matches!(action.kind, ActionKind::Wait(_))).then(|| WaitSlots {
            lock: thread.add(object_bits, SlotKind::Object, 0, 0),
            count: thread.add(LOCK_COUNT_BITS, SlotKind::Data, 0, 0),
            notified: thread.add(1, SlotKind::Data, 0, 0),
        });

        let priority = program.has_priorities().then(|| thread.add(8, SlotKind::Data, 0, 1));

        let location_bits = bits_for(program.locations.len().saturating_sub(1) as u64);
        let mut location =
            Slot { word: 0, shift: 0, bits: location_bits, kind: SlotKind::Data, lo: 0, is_steady: false };
        let mut frame_arrays = Table::new();
        let frames = program
            .procedures
            .values()
            .map(|procedure| {
                let mut frame = Shape::default();
                location = frame.add(location_bits, SlotKind::Data, 0, procedure.entry.0.into());
                frame_arrays
                    .push(procedure.locals.values().map(|local| add_variable(&mut frame, local)).collect());
                frame
            })
            .collect();

        let mut tag =
            Slot { word: 0, shift: 0, bits: tag_bits, kind: SlotKind::Data, lo: 0, is_steady: false };
        let mut field_slots: Table<FieldId, Vec<Option<Slot>>> =
            program.fields.values().map(|_| vec![None; program.records.len()]).collect();
        let records = program
            .records
            .iter()
            .map(|(id, record)| {
                let mut shape = Shape::default();
                tag = shape.add(tag_bits, SlotKind::Data, 0, id.0.into());
                for &field in &record.fields {
                    field_slots[field][id.index()] = Some(add(&mut shape, program.fields[field].ty, None));
                }
                shape
            })
            .collect();
        let mut lock = Shape::default();
        tag = lock.add(tag_bits, SlotKind::Data, 0, program.records.len() as i64);
        lock.add(thread_bits, SlotKind::Thread, 0, 0);
        lock.add(LOCK_COUNT_BITS, SlotKind::Data, 0, 0);
        let mut tombstone = Shape::default();
        tombstone.add(tag_bits, SlotKind::Data, 0, 0);
        let array_length = Slot {
            word: 0,
            shift: tag_bits,
            bits: LENGTH_BITS,
            kind: SlotKind::Data,
            lo: 0,
            is_steady: false,
        };

        let procedure_of = program.locations.values().map(|location| location.procedure).collect();
        let abstracts =
            program.enums.values().map(|of| if of.is_abstract { of.elements.len() as u32 } else { 0 });
        let frames: Table<ProcedureId, Shape> = frames;
        let records: Table<RecordId, Shape> = records;
        let terms = Terms::new(program);
        let shapes = std::iter::once(&root).chain(frames.values()).chain(records.values());
        let slots = shapes.flat_map(|shape| &shape.values).map(|slot| slot.kind);
        let kinds_of_values: Vec<SlotKind> = slots.chain(arrays.iter().map(|array| array.kind)).collect();
        let mut of_values = kinds_of_values.iter().filter_map(|kind| match kind {
            SlotKind::Value(ty) => Some(*ty),
            _ => None,
        });
        let has_values = of_values.clone().next().is_some();
        let threads_have_values = frames.values().any(|frame| !frame.values.is_empty());
        let named_values = of_values.any(|ty| terms.has_names(ty));
        let mut layout = Self {
            terms,
            has_values,
            threads_have_values,
            named_values,
            abstracts: abstracts.collect(),
            named_constants: program
                .named_constants()
                .into_iter()
                .map(|(id, element)| (id.0, element))
                .collect(),
            bounds,
            object_bits,
            thread_bits,
            root,
            root_shown,
            root_arrays,
            exclusive,
            last,
            monitor,
            priority,
            thread_ids_observable: program.features.thread_ids_observable,
            has_objects: program.has_objects(),
            channels,
            thread,
            wait,
            frames,
            frame_arrays,
            location,
            procedure_of,
            tag,
            records,
            field_slots,
            lock,
            tombstone,
            first_tombstone,
            leaks,
            arrays,
            blocks,
            leaf_types: program
                .records
                .values()
                .map(|record| record.fields.iter().map(|&field| program.fields[field].ty).collect())
                .collect(),
            array_length,
            kinds,
        };
        layout.find_steady(program);
        layout
    }

    /// The thread that holds a lock.
    pub fn lock_owner(&self) -> Slot {
        self.lock.slots[1]
    }

    pub fn lock_count(&self) -> Slot {
        self.lock.slots[2]
    }

    pub fn local(&self, procedure: ProcedureId, local: LocalId) -> Slot {
        self.frames[procedure].slots[local.index() + 1]
    }

    /// The arrays with elements of this type.
    pub fn array(&self, element: TypeId) -> Option<ArrayShape> {
        self.arrays.iter().copied().find(|array| array.element == element)
    }

    /// Where a leaf is in an object of this kind that has so many words, and its type.
    pub fn leaf(&self, kind: ObjectKind, words: usize, leaf: i64) -> Option<(Slot, TypeId)> {
        let leaf = usize::try_from(leaf).ok()?;
        let (slot, inset, ty) = match kind {
            ObjectKind::Record(record) => {
                // Behind the tag.
                (*self.records[record].slots.get(leaf + 1)?, 0, self.leaf_types[record][leaf])
            }
            ObjectKind::Block(block) => {
                let block = &self.blocks[block as usize];
                let types = &self.leaf_types[block.record];
                let (index, leaf) = (leaf / types.len(), leaf % types.len());
                let inset = (index < block.length(words)).then(|| block.start(index))?;
                (block.element.slots[leaf], inset, types[leaf])
            }
            ObjectKind::Lock | ObjectKind::Array(_) | ObjectKind::Channel(_) | ObjectKind::Tombstone(_) => {
                return None;
            }
        };
        Some((Slot { word: slot.word + inset as u32, ..slot }, ty))
    }

    /// A pointer to a leaf of an object.
    pub const fn pointer(&self, object: i64, leaf: i64) -> i64 {
        object | leaf << self.object_bits
    }

    /// The object that a pointer leads to, and the leaf.
    pub const fn target(&self, pointer: i64) -> (i64, i64) {
        (pointer & mask(self.object_bits) as i64, pointer >> self.object_bits)
    }

    pub fn kind(&self, tag: i64) -> ObjectKind {
        self.kinds[tag as usize]
    }

    /// What the words of an object with this tag are.
    #[inline]
    pub fn form(&self, tag: i64) -> Form<'_> {
        Form::Single(match self.kinds[tag as usize] {
            ObjectKind::Record(record) => &self.records[record],
            ObjectKind::Lock => &self.lock,
            ObjectKind::Channel(channel) => &self.channels[channel].unit,
            ObjectKind::Tombstone(_) => &self.tombstone,
            ObjectKind::Array(array) => return Form::Array(self.arrays[array as usize]),
            ObjectKind::Block(block) => return Form::Block(&self.blocks[block as usize]),
        })
    }

    /// Whether a step can leave garbage: objects, or threads that ended and are still there.
    pub fn collects_garbage(&self) -> bool {
        self.has_objects || !self.thread_ids_observable
    }

    /// Whether the collector follows the graph of references, which it cannot do in collections.
    pub(crate) fn has_collector(&self) -> bool {
        self.collects_garbage() && !self.named_values
    }

    /// Whether entities can be mentioned other than at places of units: in collections, or as abstract ids.
    pub fn has_relations(&self) -> bool {
        self.named_values || self.abstracts.iter().any(|&count| count > 0)
    }

    /// Describes the bits of every unit, for `quotient print --layout`.
    pub fn describe(&self, program: &Program) -> String {
        let mut out = String::new();
        let mut unit = |title: &str, shape: &Shape, names: &[&str]| {
            let _ = writeln!(out, "{title}: {} word{}", shape.len(), if shape.len() == 1 { "" } else { "s" });
            for (slot, name) in shape.slots.iter().zip(names) {
                let bits = match slot.bits {
                    0 => "no bits".to_owned(),
                    1 => format!("bit {}", slot.shift),
                    bits => format!("bits {}..{}", slot.shift, slot.shift + bits),
                };
                let what = match slot.kind {
                    SlotKind::Data if slot.lo != 0 => format!("value - ({})", slot.lo),
                    SlotKind::Data => "value".to_owned(),
                    SlotKind::Object => "object id + 1, 0 is null".to_owned(),
                    SlotKind::Pointer(_) => "object id + 1, 0 is null; then the leaf".to_owned(),
                    SlotKind::Thread => "thread id + 1, 0 is none".to_owned(),
                    SlotKind::Abstract(_) => "element + 1, 0 is none".to_owned(),
                    SlotKind::Value(_) => "where the collection is, 0 is empty".to_owned(),
                };
                let _ = writeln!(out, "  word {} {bits:<12} {name:<20} {what}", slot.word);
            }
        };
        let mut names: Vec<&str> = program.globals.values().map(|global| global.name.as_str()).collect();
        for (slot, name) in [
            (self.exclusive, "(exclusive thread)"),
            (self.last, "(last thread)"),
            (self.monitor, "(monitor)"),
        ] {
            names.extend(slot.map(|_| name));
        }
        unit("globals", &self.root, &names);
        let mut names = Vec::new();
        if self.wait.is_some() {
            names.extend(["(waits for)", "(lock count)", "(notified)"]);
        }
        names.extend(self.priority.map(|_| "(priority)"));
        if !names.is_empty() {
            unit("every thread", &self.thread, &names);
        }
        for (id, procedure) in program.procedures.iter() {
            let mut names = vec!["(location)"];
            names.extend(procedure.locals.values().map(|local| local.name.as_str()));
            unit(&format!("frame of {}", procedure.name), &self.frames[id], &names);
        }
        for (id, record) in program.records.iter() {
            let mut names = vec!["(tag)"];
            names.extend(record.fields.iter().map(|&field| program.fields[field].name.as_str()));
            unit(&format!("record {}", record.name), &self.records[id], &names);
        }
        if !self.thread_ids_observable {
            unit("lock", &self.lock, &["(tag)", "(owner)", "(count)"]);
        }
        for (id, channel) in program.channels.iter() {
            let ChannelShape { unit, message_bits, capacity, .. } = &self.channels[id];
            let _ = writeln!(
                out,
                "channel {}: {} word{} for {capacity} messages of {message_bits} bits",
                channel.name,
                unit.len(),
                if unit.len() == 1 { "" } else { "s" },
            );
        }
        for block in &self.blocks {
            let words = block.element.len();
            let _ = writeln!(
                out,
                "block of {}: 1 word with tag, then {words} word{} an element",
                program.records[block.record].name,
                if words == 1 { "" } else { "s" },
            );
        }
        for array in &self.arrays {
            let _ = writeln!(
                out,
                "array of {}: 1 word with tag and length, then {} bit{} an element",
                program.type_name(array.element),
                1 << array.log_bits,
                if array.log_bits == 0 { "" } else { "s" },
            );
        }
        out
    }
}

/// The number that stands for the initial or default value.
fn initial(program: &Program, ty: TypeId, init: Option<Const>) -> i64 {
    match init {
        Some(Const::Bool(value)) => value.into(),
        Some(Const::Int(value)) => value,
        Some(Const::Enum(_, element)) => element.into(),
        Some(Const::String(id)) => i64::from(id.0) + 1,
        Some(Const::Null) => 0,
        None => match program.types[ty] {
            Type::Int(int) => int.default_value(),
            _ => 0,
        },
    }
}
