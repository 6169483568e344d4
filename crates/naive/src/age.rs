//! States in which everything is called by its age.
//!
//! Ids are those that were free. When garbage is collected, be it a little earlier or later, shows in them;
//! in what order things were made does not depend on it.

use std::collections::BTreeMap;

use crate::state::{Channel, Frame, Object, ObjectKind, State, Thread, Waiting};
use crate::value::Value;

/// The number that a thread or object has instead of its id.
struct Ages {
    threads: BTreeMap<u32, u32>,
    objects: BTreeMap<u32, u32>,
}

impl State {
    /// The number of a thread among all that were started on the way to this state, from 1.
    pub fn age(&self, thread: u32) -> Option<u32> {
        self.threads.get(&thread).map(|thread| thread.age.0)
    }

    /// The state with ages in place of ids: threads and objects are numbered in the order in which they were
    /// made, on the way to this state.
    #[must_use]
    pub fn by_age(&self) -> Self {
        let ages = Ages {
            threads: self.threads.iter().map(|(&id, thread)| (id, thread.age.0)).collect(),
            objects: self.objects.iter().map(|(&id, object)| (id, object.age.0)).collect(),
        };
        let globals = self.globals.iter().map(|value| ages.value(value)).collect();
        let threads = self.threads.iter().map(|(id, thread)| (ages.threads[id], ages.thread(thread)));
        let objects = self.objects.iter().map(|(id, object)| (ages.objects[id], ages.object(object)));
        let channels =
            self.channels.iter().map(|(&number, channel)| (number, ages.channel(channel))).collect();
        let exclusive = self.exclusive.map(|id| ages.threads[&id]);
        let (threads, objects) = (threads.collect(), objects.collect());
        Self { globals, threads, objects, channels, exclusive, ..self.clone() }
    }
}

impl Ages {
    fn thread(&self, thread: &Thread) -> Thread {
        let frame = |frame: &Frame| Frame {
            locals: frame.locals.iter().map(|value| self.value(value)).collect(),
            ..frame.clone()
        };
        let waiting = thread.waiting.map(|waiting| Waiting { lock: self.objects[&waiting.lock], ..waiting });
        Thread { frames: thread.frames.iter().map(frame).collect(), waiting, ..thread.clone() }
    }

    fn channel(&self, channel: &Channel) -> Channel {
        let message = |message: &Vec<Value>| message.iter().map(|value| self.value(value)).collect();
        Channel { messages: channel.messages.iter().map(message).collect(), ..channel.clone() }
    }

    fn object(&self, object: &Object) -> Object {
        let values = |values: &[Value]| values.iter().map(|value| self.value(value)).collect();
        let kind = match &object.kind {
            ObjectKind::Record(record, fields) => ObjectKind::Record(*record, values(fields)),
            ObjectKind::Block(record, leaves) => ObjectKind::Block(*record, values(leaves)),
            ObjectKind::Array(element, elements) => ObjectKind::Array(*element, values(elements)),
            ObjectKind::Lock { owner, count } => {
                ObjectKind::Lock { owner: owner.map(|id| self.threads[&id]), count: *count }
            }
            ObjectKind::Channel(channel) => ObjectKind::Channel(self.channel(channel)),
            ObjectKind::Tombstone { .. } => object.kind.clone(),
        };
        Object { kind, ..object.clone() }
    }

    fn value(&self, value: &Value) -> Value {
        let all = |values: &[Value]| values.iter().map(|value| self.value(value)).collect();
        match value {
            Value::Ref(id) => Value::Ref(self.objects[id]),
            Value::Pointer(id, leaf) => Value::Pointer(self.objects[id], *leaf),
            Value::Thread(id) => Value::Thread(self.threads[id]),
            Value::Set(set) => Value::Set(set.iter().map(|element| self.value(element)).collect()),
            Value::Bag(bag) => {
                Value::Bag(bag.iter().map(|(element, &count)| (self.value(element), count)).collect())
            }
            Value::Map(map) => {
                Value::Map(map.iter().map(|(key, value)| (self.value(key), self.value(value))).collect())
            }
            Value::Seq(elements) => Value::Seq(all(elements)),
            Value::Queue { capacity, elements } => {
                Value::Queue { capacity: *capacity, elements: all(elements) }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Enum(..)
            | Value::Abstract(..)
            | Value::Str(_) => value.clone(),
        }
    }
}
