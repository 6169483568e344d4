//! A state, as maps.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use ir::{
    ChannelId, FieldId, GlobalId, Id, LocalId, LocationId, ProcedureId, Program, RecordId, Type, TypeId,
    Width,
};

use source::Span;

use crate::{NaiveFault, Value};

/// A state of a program. All of it takes part in comparisons, except for what is `Untracked`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State {
    /// An array variable is the sequence of its elements. Those that are untracked have no value here.
    pub globals: Vec<Value>,
    pub threads: BTreeMap<u32, Thread>,
    pub objects: BTreeMap<u32, Object>,
    /// Those that have numbers, by these, from 1.
    pub channels: BTreeMap<u32, Channel>,
    /// The only thread that may step, inside an atomic block or after an exclusive transition.
    pub exclusive: Option<u32>,
    /// The thread that took the last step, if the program asks for it.
    pub last: Option<u32>,
    /// Where the monitor is, if there is one.
    pub monitor: u32,
    /// The values of untracked variables.
    pub(crate) untracked: Untracked<BTreeMap<GlobalId, Value>>,
    /// The first check that the step to this state violated.
    pub(crate) soft_fault: Untracked<Option<NaiveFault>>,
    pub(crate) serials: Untracked<Serials>,
}

/// A thread has ended when it has no frames.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Thread {
    /// The top frame is the last.
    pub frames: Vec<Frame>,
    pub waiting: Option<Waiting>,
    pub priority: u8,
    /// What it runs. No expression can ask this of a thread that has ended.
    pub(crate) procedure: Untracked<ProcedureId>,
    /// Among those of its procedure, and among all.
    pub(crate) serial: Untracked<u32>,
    pub(crate) age: Untracked<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Frame {
    pub location: LocationId,
    pub locals: Vec<Value>,
}

/// Between `wait` and `unwait`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Waiting {
    pub lock: u32,
    /// How often the thread held the lock.
    pub count: u32,
    pub notified: bool,
}

/// A channel that exists.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Channel {
    pub declared: ChannelId,
    /// The thread that it came with.
    pub owner: Option<u32>,
    /// The first one is received first.
    pub messages: Vec<Vec<Value>>,
}

/// Which of the channels of a run it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ChannelIdentity {
    Number(i64),
    /// By how many objects were made before, and it.
    Object(u32),
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    /// Among those of its kind, and among all.
    pub(crate) serial: Untracked<u32>,
    pub(crate) age: Untracked<u32>,
    pub(crate) history: Untracked<History>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ObjectKind {
    /// Its values are in the order of the record's fields.
    Record(RecordId, Vec<Value>),
    /// By the type of its elements.
    Array(TypeId, Vec<Value>),
    /// The fields of several records in a row.
    Block(RecordId, Vec<Value>),
    Channel(Channel),
    /// The owner is none exactly if the count is 0.
    Lock {
        owner: Option<u32>,
        count: u32,
    },
    /// It was deleted, or its scope was left. It was of this kind, and had contents.
    Tombstone {
        out_of_scope: bool,
        was: Untracked<Box<ObjectKind>>,
    },
}

/// Where an object comes from, and where it has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History {
    pub made: Occurrence,
    pub ended: Option<Occurrence>,
}

/// Something that a thread did in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    pub span: Span,
    /// The number of the step in the run, from 1.
    pub step: u32,
    /// The name of the thread.
    pub thread: String,
}

impl ObjectKind {
    /// What an object is or was.
    pub fn origin(&self) -> &Self {
        match self {
            Self::Tombstone { was, .. } => &was.0,
            _ => self,
        }
    }

    /// A tombstone of an object of this kind.
    pub(crate) fn ended(&self, out_of_scope: bool) -> Self {
        let was = match self {
            Self::Record(record, _) => Self::Record(*record, Vec::new()),
            Self::Array(element, _) => Self::Array(*element, Vec::new()),
            Self::Block(record, _) => Self::Block(*record, Vec::new()),
            Self::Lock { .. } => Self::Lock { owner: None, count: 0 },
            Self::Channel(channel) => Self::Channel(Channel { messages: Vec::new(), ..*channel }),
            Self::Tombstone { .. } => unreachable!("an object ends once"),
        };
        Self::Tombstone { out_of_scope, was: Untracked(Box::new(was)) }
    }
}

impl Thread {
    pub fn ended(&self) -> bool {
        self.frames.is_empty()
    }
}

impl State {
    pub fn global(&self, id: GlobalId) -> &Value {
        self.untracked.0.get(&id).unwrap_or(&self.globals[id.index()])
    }

    pub(crate) fn global_mut(&mut self, id: GlobalId) -> &mut Value {
        self.untracked.0.get_mut(&id).unwrap_or(&mut self.globals[id.index()])
    }

    /// The thread that was the `serial`th of its procedure to be started, from 1, unless it has ended.
    pub fn individual(&self, procedure: ProcedureId, serial: u32) -> Option<u32> {
        let is_it = |thread: &Thread| (thread.procedure.0, thread.serial.0) == (procedure, serial);
        self.threads.iter().find(|(_, thread)| !thread.ended() && is_it(thread)).map(|(&id, _)| id)
    }

    /// The number of a thread among those of its procedure that were started on the way to this state, from
    /// 1.
    pub fn serial(&self, thread: u32) -> Option<u32> {
        self.threads.get(&thread).map(|thread| thread.serial.0)
    }

    /// The channel of this number, or to which this reference is.
    pub fn channel(&self, value: &Value) -> Option<&Channel> {
        match value {
            Value::Int(number) => self.channels.get(&u32::try_from(*number).ok()?),
            Value::Ref(id) => match &self.objects.get(id)?.kind {
                ObjectKind::Channel(channel) => Some(channel),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn channel_mut(&mut self, value: &Value) -> Option<&mut Channel> {
        match value {
            Value::Int(number) => self.channels.get_mut(&u32::try_from(*number).ok()?),
            Value::Ref(id) => match &mut self.objects.get_mut(id)?.kind {
                ObjectKind::Channel(channel) => Some(channel),
                _ => None,
            },
            _ => None,
        }
    }

    /// Which of the channels of a run one of the state is.
    pub(crate) fn identity(&self, channel: &Value) -> ChannelIdentity {
        match channel {
            Value::Ref(id) => ChannelIdentity::Object(self.objects[id].age.0),
            Value::Int(number) => ChannelIdentity::Number(*number),
            _ => unreachable!("neither a number nor a reference"),
        }
    }

    /// The channels of the state.
    pub fn identities(&self) -> BTreeSet<ChannelIdentity> {
        let numbers = self.channels.keys().map(|&number| ChannelIdentity::Number(number.into()));
        let is_channel = |object: &&Object| matches!(object.kind, ObjectKind::Channel(_));
        let objects = self.objects.values().filter(is_channel);
        numbers.chain(objects.map(|object| ChannelIdentity::Object(object.age.0))).collect()
    }

    /// The check that the step to this state violated, if it did.
    pub fn soft_fault(&self) -> Option<&NaiveFault> {
        self.soft_fault.0.as_ref()
    }
}

impl Frame {
    pub fn local(&self, id: LocalId) -> &Value {
        &self.locals[id.index()]
    }
}

/// How many objects and threads of each kind were made on the way to a state.
#[derive(Clone, Default, Debug)]
pub(crate) struct Serials {
    records: BTreeMap<RecordId, u32>,
    /// By the first type of elements that people call alike.
    arrays: BTreeMap<TypeId, u32>,
    locks: u32,
    /// By the first declaration of that name.
    channels: BTreeMap<ChannelId, u32>,
    threads: BTreeMap<ProcedureId, u32>,
    all_objects: u32,
    all_threads: u32,
    /// The number of steps on the way.
    pub steps: u32,
}

impl Serials {
    /// Numbers a new object: among those of its kind, and among all.
    pub fn of_object(&mut self, program: &Program, kind: &ObjectKind) -> (Untracked<u32>, Untracked<u32>) {
        let last = match kind {
            ObjectKind::Record(record, _) | ObjectKind::Block(record, _) => {
                self.records.entry(*record).or_default()
            }
            ObjectKind::Array(element, _) => {
                let name = short_name(program, *element);
                let mut types = program.types.iter().map(|(id, _)| id);
                let first = types.find(|&id| short_name(program, id) == name).unwrap_or(*element);
                self.arrays.entry(first).or_default()
            }
            ObjectKind::Lock { .. } => &mut self.locks,
            ObjectKind::Channel(channel) => {
                let name = |id: ChannelId| &program.channels[id].name;
                let first = program.channels.ids().find(|&id| name(id) == name(channel.declared));
                self.channels.entry(first.unwrap_or(channel.declared)).or_default()
            }
            ObjectKind::Tombstone { .. } => unreachable!("tombstones are not made"),
        };
        *last += 1;
        self.all_objects += 1;
        (Untracked(*last), Untracked(self.all_objects))
    }

    /// Numbers a new thread: among those of its procedure, and among all.
    pub fn of_thread(&mut self, procedure: ProcedureId) -> (Untracked<u32>, Untracked<u32>) {
        let last = self.threads.entry(procedure).or_default();
        *last += 1;
        self.all_threads += 1;
        (Untracked(*last), Untracked(self.all_threads))
    }
}

/// Something that is kept with a state but is not part of it, mostly for messages: all values are equal.
#[derive(Clone, Copy, Default, Debug)]
pub struct Untracked<T>(pub(crate) T);

impl<T> PartialEq for Untracked<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Untracked<T> {}

impl<T> Hash for Untracked<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> PartialOrd for Untracked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Untracked<T> {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

/// A type without the ranges of its integers.
pub(crate) fn short_name(program: &Program, ty: TypeId) -> String {
    let short = |ty| short_name(program, ty);
    match program.types[ty] {
        Type::Int(int) => match int.width {
            Width::Int => "int".to_owned(),
            Width::Long => "long".to_owned(),
        },
        Type::Array(element) => format!("{}[]", short(element)),
        Type::Set(element) => format!("Set.type<{}>", short(element)),
        Type::Bag(element) => format!("Bag.type<{}>", short(element)),
        Type::Map(key, value) => format!("Map.type<{}, {}>", short(key), short(value)),
        Type::Seq(element) => format!("Seq.type<{}>", short(element)),
        Type::Queue(element) => format!("Queue.type<{}>", short(element)),
        Type::Bool
        | Type::Enum(_)
        | Type::Abstract(_)
        | Type::Tid
        | Type::Record(_)
        | Type::String
        | Type::Lock
        | Type::Pointer
        | Type::Channel
        | Type::Null => program.type_name(ty),
    }
}

/// Where a record keeps a field.
pub(crate) fn position(program: &Program, record: RecordId, field: FieldId) -> Option<usize> {
    program.records[record].fields.iter().position(|&other| other == field)
}
