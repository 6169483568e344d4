//! Values that can be read without a state: what traces and reports are made of.
//!
//! Objects, threads and channels are called by their names, which stay the same along a run. The text of a
//! datum is what people read; tools read its structure.

use std::fmt;

use ir::Meaning;

use crate::{Channel, Frame, Naive, Object, ObjectKind, State, Thread, Value};

/// A value, with names in place of ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    /// An element of an enum, or of an `mtype`.
    Symbol {
        of: String,
        element: String,
    },
    Object(String),
    /// A place in an object: `.key`, `[2].key`.
    Pointer {
        object: String,
        place: String,
    },
    Thread(String),
    Channel(String),
    Set(Vec<Datum>),
    /// Each element with the number of its occurrences.
    Bag(Vec<(Datum, usize)>),
    Map(Vec<(Datum, Datum)>),
    /// A sequence, or an array.
    Seq(Vec<Datum>),
    Queue {
        capacity: i64,
        elements: Vec<Datum>,
    },
    /// The contents of a channel.
    Messages(Vec<Message>),
    Lock {
        owner: Option<String>,
        count: u32,
    },
    /// An object without contents: it was deleted, or its scope was left.
    Ended {
        out_of_scope: bool,
    },
    /// Whether a thread waits for a lock.
    Waiting(Option<Waits>),
    /// Named values: the fields of a record, or parameters.
    Record(Vec<(String, Datum)>),
}

/// The fields of a message. A symbol at the front is what the message is called: `ack(1)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub fields: Vec<Datum>,
    pub is_named: bool,
}

/// A thread between `wait` and `unwait`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waits {
    pub lock: String,
    pub notified: bool,
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Symbol { element: name, .. }
            | Self::Object(name)
            | Self::Thread(name)
            | Self::Channel(name) => f.write_str(name),
            Self::Pointer { object, place } => write!(f, "{object}{place}"),
            Self::Set(elements) => write!(f, "{{{}}}", List(elements)),
            Self::Bag(counts) => {
                let each = counts.iter().map(|(element, count)| format!("{element}: {count}"));
                write!(f, "{{{}}}", List(&each.collect::<Vec<_>>()))
            }
            Self::Map(entries) => {
                let each = entries.iter().map(|(key, value)| format!("{key} -> {value}"));
                write!(f, "{{{}}}", List(&each.collect::<Vec<_>>()))
            }
            Self::Seq(elements) => write!(f, "[{}]", List(elements)),
            Self::Queue { capacity, elements } => {
                write!(f, "[{}] ({} of {capacity})", List(elements), elements.len())
            }
            Self::Messages(messages) => write!(f, "[{}]", List(messages)),
            Self::Lock { owner: None, .. } => f.write_str("free"),
            Self::Lock { owner: Some(owner), count: 1 } => write!(f, "held by {owner}"),
            Self::Lock { owner: Some(owner), count } => write!(f, "held by {owner} {count} times"),
            Self::Ended { out_of_scope: false } => f.write_str("deleted"),
            Self::Ended { out_of_scope: true } => f.write_str("out of scope"),
            Self::Waiting(None) => f.write_str("running"),
            Self::Waiting(Some(Waits { lock, notified: false })) => write!(f, "waiting for {lock}"),
            Self::Waiting(Some(Waits { lock, notified: true })) => write!(f, "notified by {lock}"),
            Self::Record(fields) => {
                let each = fields.iter().map(|(name, value)| format!("{name}: {value}"));
                List(&each.collect::<Vec<_>>()).fmt(f)
            }
        }
    }
}

impl Datum {
    /// The contents of an object without brackets: `0, 0, 7` or `key: 1, next: null`. A lock has none.
    pub fn bare(&self) -> String {
        match self {
            Self::Seq(elements) => List(elements).to_string(),
            Self::Lock { .. } | Self::Ended { .. } => String::new(),
            Self::Messages(messages) => List(messages).to_string(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fields[..] {
            [one] => one.fmt(f),
            [name, fields @ ..] if self.is_named => write!(f, "{name}({})", List(fields)),
            fields => write!(f, "({})", List(fields)),
        }
    }
}

/// Things with commas between them.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, element) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            element.fmt(f)?;
        }
        Ok(())
    }
}

impl Naive<'_> {
    /// A value in the state.
    pub fn datum(&self, state: &State, value: &Value) -> Datum {
        let datum = |value: &Value| self.datum(state, value);
        match value {
            Value::Null => Datum::Null,
            Value::Bool(value) => Datum::Bool(*value),
            Value::Int(value) => Datum::Int(*value),
            Value::Enum(id, element) | Value::Abstract(id, element) => {
                let of = &self.program.enums[*id];
                Datum::Symbol { of: of.name.clone(), element: of.elements[*element as usize].clone() }
            }
            Value::Pointer(id, leaf) => Datum::Pointer {
                object: self.object_name(state, *id),
                place: self.leaf_name(state, *id, *leaf),
            },
            Value::Ref(id) => {
                let name = self.object_name(state, *id);
                let is_channel = |object: &Object| matches!(object.kind.origin(), ObjectKind::Channel(_));
                if state.objects.get(id).is_some_and(is_channel) {
                    Datum::Channel(name)
                } else {
                    Datum::Object(name)
                }
            }
            Value::Thread(id) => Datum::Thread(self.thread_name(state, *id)),
            Value::Str(id) => Datum::Text(self.program.strings[*id].clone()),
            Value::Set(set) => Datum::Set(set.iter().map(datum).collect()),
            Value::Bag(bag) => Datum::Bag(bag.iter().map(|(element, &n)| (datum(element), n)).collect()),
            Value::Map(map) => Datum::Map(map.iter().map(|(key, to)| (datum(key), datum(to))).collect()),
            Value::Seq(elements) => Datum::Seq(elements.iter().map(datum).collect()),
            Value::Queue { capacity, elements } => {
                Datum::Queue { capacity: *capacity, elements: elements.iter().map(datum).collect() }
            }
        }
    }

    /// A value, as what it means: a variable or field of a message says whether its numbers stand for
    /// something.
    pub fn datum_as(&self, state: &State, value: &Value, meaning: Meaning) -> Datum {
        match (value, meaning) {
            (Value::Seq(elements), Meaning::Symbol(_) | Meaning::Channel) => {
                Datum::Seq(elements.iter().map(|element| self.datum_as(state, element, meaning)).collect())
            }
            (&Value::Int(number), Meaning::Symbol(id)) => {
                let of = &self.program.enums[id];
                let position = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                match position.and_then(|position| of.elements.get(position)) {
                    Some(element) => Datum::Symbol { of: of.name.clone(), element: element.clone() },
                    None => Datum::Int(number),
                }
            }
            (Value::Int(_), Meaning::Channel) if state.channel(value).is_some() => {
                Datum::Channel(self.channel_name(state, value))
            }
            _ => self.datum(state, value),
        }
    }

    /// A message of a channel.
    pub(crate) fn message(&self, state: &State, declared: &ir::Channel, message: &[Value]) -> Message {
        let fields = message.iter().zip(&declared.fields);
        let is_named =
            declared.fields.first().is_some_and(|field| matches!(field.meaning, Meaning::Symbol(_)));
        let fields = fields.map(|(value, field)| self.datum_as(state, value, field.meaning)).collect();
        Message { fields, is_named }
    }

    /// What a channel holds.
    pub(crate) fn messages(&self, state: &State, channel: &Channel) -> Datum {
        let declared = &self.program.channels[channel.declared];
        let messages = channel.messages.iter().map(|message| self.message(state, declared, message));
        Datum::Messages(messages.collect())
    }

    /// Whether a thread waits for a lock.
    pub(crate) fn condition(&self, state: &State, thread: &Thread) -> Datum {
        Datum::Waiting(
            thread.waiting.map(|waiting| Waits {
                lock: self.object_name(state, waiting.lock),
                notified: waiting.notified,
            }),
        )
    }

    /// What an object holds.
    pub(crate) fn contents(&self, state: &State, object: &Object) -> Datum {
        match &object.kind {
            ObjectKind::Record(record, values) => {
                let fields = self.program.records[*record].fields.iter().zip(values);
                let named =
                    |(&field, value)| (self.program.fields[field].name.clone(), self.datum(state, value));
                Datum::Record(fields.map(named).collect())
            }
            ObjectKind::Block(record, values) => {
                let fields = &self.program.records[*record].fields;
                let element = |values: &[Value]| match values {
                    [value] => self.datum(state, value),
                    values => {
                        let named = fields.iter().zip(values);
                        let named = named.map(|(&field, value)| {
                            (self.program.fields[field].name.clone(), self.datum(state, value))
                        });
                        Datum::Record(named.collect())
                    }
                };
                Datum::Seq(values.chunks(fields.len().max(1)).map(element).collect())
            }
            ObjectKind::Array(_, values) => {
                Datum::Seq(values.iter().map(|value| self.datum(state, value)).collect())
            }
            ObjectKind::Lock { owner, count } => {
                Datum::Lock { owner: owner.map(|owner| self.thread_name(state, owner)), count: *count }
            }
            ObjectKind::Channel(channel) => self.messages(state, channel),
            ObjectKind::Tombstone { out_of_scope, .. } => Datum::Ended { out_of_scope: *out_of_scope },
        }
    }

    /// The parameters of a frame that are written in the model.
    pub(crate) fn params(&self, state: &State, frame: &Frame) -> Vec<(String, Datum)> {
        let procedure = self.procedure(frame);
        let params = procedure.locals.values().zip(&frame.locals).take(procedure.params);
        let written = params.filter(|(param, _)| !param.synthetic);
        written
            .map(|(param, value)| (param.name.clone(), self.datum_as(state, value, param.meaning)))
            .collect()
    }
}
