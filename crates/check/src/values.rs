//! States and changes as values, for programs that read them: the JSON forms of what the plain interpreter
//! sees. Objects, threads and channels are called by their names, which stay the same along a run.

use std::collections::BTreeMap;
use std::fmt;

use naive::{Change, ChannelView, Datum, FrameView, ObjectView, Part, StateView, ThreadView, Waits};
use serde::Serialize;

use crate::dialect::place_of;
use crate::model::Model;
use crate::report::Place;

/// A value of the model. Numbers, truth values, strings, `null` and sequences are those of JSON; everything
/// else is an object with a key that says what it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    /// An element of an enum or of an `mtype`.
    Symbol {
        #[serde(rename = "enum")]
        of: String,
        element: String,
    },
    /// A reference to an object, by its name: `Node#3`.
    Object {
        object: String,
    },
    /// A place in an object, by the name of that: `.key`, `[2].key`.
    Pointer {
        pointer: String,
        place: String,
    },
    Thread {
        thread: String,
    },
    Channel {
        channel: String,
    },
    Set {
        set: Vec<Value>,
    },
    Bag {
        bag: Vec<Occurrences>,
    },
    Map {
        map: Vec<Entry>,
    },
    /// A sequence, or an array.
    List(Vec<Value>),
    Queue {
        queue: Vec<Value>,
        capacity: i64,
    },
    /// What a channel holds: the fields of each message.
    Messages {
        messages: Vec<Vec<Value>>,
    },
    Lock {
        lock: Held,
    },
    /// An object that has ended and is still referred to.
    Ended {
        ended: ObjectEnd,
    },
    /// Whether a thread waits for a lock.
    Waiting {
        waiting: Option<Awaited>,
    },
    /// The fields of a record.
    Record {
        record: BTreeMap<String, Value>,
    },
}

/// An element of a bag.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Occurrences {
    pub element: Value,
    pub count: usize,
}

/// An entry of a map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    pub key: Value,
    pub value: Value,
}

/// Who holds a lock, and how often.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    pub owner: Option<String>,
    pub count: u32,
}

/// How an object has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ObjectEnd {
    Deleted,
    /// The scope of the variable that it stood for was left.
    OutOfScope,
}

/// The lock that a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Awaited {
    pub lock: String,
    pub notified: bool,
}

impl From<&Datum> for Value {
    fn from(datum: &Datum) -> Self {
        match datum {
            Datum::Null => Self::Null,
            Datum::Bool(value) => Self::Bool(*value),
            Datum::Int(value) => Self::Int(*value),
            Datum::Text(text) => Self::Text(text.clone()),
            Datum::Symbol { of, element } => Self::Symbol { of: of.clone(), element: element.clone() },
            Datum::Object(name) => Self::Object { object: name.clone() },
            Datum::Pointer { object, place } => {
                Self::Pointer { pointer: object.clone(), place: place.clone() }
            }
            Datum::Thread(name) => Self::Thread { thread: name.clone() },
            Datum::Channel(name) => Self::Channel { channel: name.clone() },
            Datum::Set(elements) => Self::Set { set: list(elements) },
            Datum::Bag(counts) => {
                let occurrences = |(element, count): &(Datum, usize)| Occurrences {
                    element: element.into(),
                    count: *count,
                };
                Self::Bag { bag: counts.iter().map(occurrences).collect() }
            }
            Datum::Map(entries) => {
                let entry = |(key, value): &(Datum, Datum)| Entry { key: key.into(), value: value.into() };
                Self::Map { map: entries.iter().map(entry).collect() }
            }
            Datum::Seq(elements) => Self::List(list(elements)),
            Datum::Queue { capacity, elements } => Self::Queue { queue: list(elements), capacity: *capacity },
            Datum::Messages(messages) => {
                Self::Messages { messages: messages.iter().map(|message| list(&message.fields)).collect() }
            }
            Datum::Lock { owner, count } => Self::Lock { lock: Held { owner: owner.clone(), count: *count } },
            Datum::Ended { out_of_scope: false } => Self::Ended { ended: ObjectEnd::Deleted },
            Datum::Ended { out_of_scope: true } => Self::Ended { ended: ObjectEnd::OutOfScope },
            Datum::Waiting(waits) => Self::Waiting { waiting: waits.as_ref().map(Awaited::from) },
            Datum::Record(fields) => Self::Record { record: named(fields) },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Symbol { element: name, .. }
            | Self::Object { object: name }
            | Self::Thread { thread: name }
            | Self::Channel { channel: name } => f.write_str(name),
            Self::Pointer { pointer, place } => write!(f, "{pointer}{place}"),
            Self::Set { set } => listed(f, '{', set, '}'),
            Self::Bag { bag } => listed(
                f,
                '{',
                bag.iter().map(|Occurrences { element, count }| format!("{element}: {count}")),
                '}',
            ),
            Self::Map { map } => {
                listed(f, '{', map.iter().map(|Entry { key, value }| format!("{key} -> {value}")), '}')
            }
            Self::List(elements) => listed(f, '[', elements, ']'),
            Self::Queue { queue, capacity } => {
                listed(f, '[', queue, ']')?;
                write!(f, " ({} of {capacity})", queue.len())
            }
            Self::Messages { messages } => {
                let one = |message: &Vec<Self>| {
                    let fields: Vec<String> = message.iter().map(ToString::to_string).collect();
                    if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
                };
                listed(f, '[', messages.iter().map(one), ']')
            }
            Self::Lock { lock: Held { owner: None, .. } } => f.write_str("free"),
            Self::Lock { lock: Held { owner: Some(owner), count: 1 } } => write!(f, "held by {owner}"),
            Self::Lock { lock: Held { owner: Some(owner), count } } => {
                write!(f, "held by {owner} {count} times")
            }
            Self::Ended { ended: ObjectEnd::Deleted } => f.write_str("deleted"),
            Self::Ended { ended: ObjectEnd::OutOfScope } => f.write_str("out of scope"),
            Self::Waiting { waiting: None } => f.write_str("running"),
            Self::Waiting { waiting: Some(Awaited { lock, notified: false }) } => {
                write!(f, "waiting for {lock}")
            }
            Self::Waiting { waiting: Some(Awaited { lock, notified: true }) } => {
                write!(f, "notified by {lock}")
            }
            Self::Record { record } => {
                listed(f, '(', record.iter().map(|(name, value)| format!("{name}: {value}")), ')')
            }
        }
    }
}

/// Things with commas between them, in brackets.
fn listed<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    open: char,
    things: impl IntoIterator<Item = T>,
    close: char,
) -> fmt::Result {
    write!(f, "{open}")?;
    for (at, thing) in things.into_iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        write!(f, "{comma}{thing}")?;
    }
    write!(f, "{close}")
}

impl From<&Waits> for Awaited {
    fn from(Waits { lock, notified }: &Waits) -> Self {
        Self { lock: lock.clone(), notified: *notified }
    }
}

pub(crate) fn list(elements: &[Datum]) -> Vec<Value> {
    elements.iter().map(Value::from).collect()
}

fn named(values: &[(String, Datum)]) -> BTreeMap<String, Value> {
    values.iter().map(|(name, value)| (name.clone(), value.into())).collect()
}

/// A state of the model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateValues {
    pub globals: BTreeMap<String, Value>,
    /// The channels that can hold messages.
    pub channels: BTreeMap<String, ChannelValues>,
    pub threads: BTreeMap<String, ThreadValues>,
    pub objects: BTreeMap<String, ObjectValues>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelValues {
    pub capacity: u32,
    /// The fields of each message; the first message is received first.
    pub messages: Vec<Vec<Value>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ThreadValues {
    pub id: u32,
    pub ended: bool,
    pub waiting: Option<Awaited>,
    /// It is inside of an atomic block, and alone may move.
    pub exclusive: bool,
    /// The active calls; the running one is the last.
    pub frames: Vec<FrameValues>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameValues {
    pub procedure: String,
    /// The name of the location.
    pub at: String,
    pub location: Place,
    pub locals: BTreeMap<String, Value>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectValues {
    /// The name of the record, `T[]` for an array, `lock` for a lock.
    pub kind: String,
    pub value: Value,
}

impl StateValues {
    pub(crate) fn new(model: &Model, state: &StateView) -> Self {
        let channel = |ChannelView { name, capacity, messages }: &ChannelView| {
            let messages = messages.iter().map(|message| list(&message.fields)).collect();
            (name.clone(), ChannelValues { capacity: *capacity, messages })
        };
        let frame = |frame: &FrameView| FrameValues {
            procedure: frame.procedure.clone(),
            at: frame.location_name.clone(),
            location: place_of(model, model.program.locations[frame.location].span),
            locals: named(&frame.locals),
        };
        let thread = |ThreadView { id, name, waiting, exclusive, frames }: &ThreadView| {
            let waiting = match waiting {
                Datum::Waiting(Some(waits)) => Some(waits.into()),
                _ => None,
            };
            let (id, exclusive, ended) = (*id, *exclusive, frames.is_empty());
            let frames = frames.iter().map(frame).collect();
            (name.clone(), ThreadValues { id, ended, waiting, exclusive, frames })
        };
        let object = |ObjectView { name, kind, contents }: &ObjectView| {
            (name.clone(), ObjectValues { kind: kind.clone(), value: contents.into() })
        };
        Self {
            globals: named(&state.globals),
            channels: state.channels.iter().map(channel).collect(),
            threads: state.threads.iter().map(thread).collect(),
            objects: state.objects.iter().map(object).collect(),
        }
    }
}

/// A change that a step made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// A variable, field or element has a new value, a lock a new owner, a channel other messages, or a
    /// thread waits or was notified.
    Value {
        what: String,
        from: Value,
        to: Value,
    },
    Created {
        object: String,
        value: Value,
    },
    Started {
        thread: String,
        params: BTreeMap<String, Value>,
    },
    Called {
        thread: String,
        function: String,
        args: BTreeMap<String, Value>,
    },
    Returned {
        thread: String,
        function: String,
    },
    Ended {
        thread: String,
    },
}

impl From<&Change> for Effect {
    fn from(change: &Change) -> Self {
        match change {
            Change::Value { what, from, to } => {
                Self::Value { what: what.clone(), from: from.into(), to: to.into() }
            }
            Change::Created { object, contents } => {
                Self::Created { object: object.clone(), value: contents.into() }
            }
            Change::Started { thread, params } => {
                Self::Started { thread: thread.clone(), params: named(params) }
            }
            Change::Called { thread, function, args } => {
                Self::Called { thread: thread.clone(), function: function.clone(), args: named(args) }
            }
            Change::Returned { thread, function } => {
                Self::Returned { thread: thread.clone(), function: function.clone() }
            }
            Change::Ended { thread } => Self::Ended { thread: thread.clone() },
        }
    }
}

/// A part of a condition, with the value that it had.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Read {
    /// As the model writes it: `counter.value`.
    pub text: String,
    /// The variable, field, element or channel that it is: `Counter#1.value`.
    pub name: Option<String>,
    pub value: Value,
    /// The value in words.
    pub shown: String,
}

impl Read {
    pub(crate) fn new(model: &Model, Part { text, span, value, name, thread: _ }: &Part) -> Self {
        let text = model.written(*span).unwrap_or_else(|| text.clone());
        Self { text, name: name.clone(), value: value.into(), shown: value.to_string() }
    }
}

/// A value that a step stored and that the change of the state does not show.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stored {
    pub what: String,
    pub value: Value,
    /// The value in words.
    pub shown: String,
    /// The variable is not read again before it is written, so the state does not keep the value.
    pub is_forgotten: bool,
}
