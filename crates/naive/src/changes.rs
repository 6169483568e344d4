//! What one step changed.

use std::fmt;

use ir::{GlobalId, LocalId, Meaning, Variable};

use crate::show::{indices, visible};
use crate::{Channel, Datum, Frame, Naive, Object, ObjectKind, State, Thread, Value};

/// One difference between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A variable, field or element has a new value, a lock a new owner, a channel other messages, or a
    /// thread waits or was notified.
    Value {
        /// `Fork#2.isHeld`, `Philosopher#1.left`, `Philosopher#1`.
        what: String,
        from: Datum,
        to: Datum,
    },
    /// An object was made.
    Created {
        object: String,
        contents: Datum,
    },
    /// A thread was started.
    Started {
        thread: String,
        params: Vec<(String, Datum)>,
    },
    /// A thread called a function.
    Called {
        thread: String,
        function: String,
        args: Vec<(String, Datum)>,
    },
    /// A thread came back from a function, by return or exception.
    Returned {
        thread: String,
        function: String,
    },
    Ended {
        thread: String,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |values: &[(String, Datum)]| Datum::Record(values.to_vec()).to_string();
        let bracketed = |text: String| if text.is_empty() { text } else { format!(" ({text})") };
        match self {
            Self::Value { what, from, to } => write!(f, "{what}: {from} → {to}"),
            Self::Created { object, contents } => write!(f, "new {object}{}", bracketed(contents.bare())),
            Self::Started { thread, params } => write!(f, "{thread} starts{}", bracketed(named(params))),
            Self::Called { thread, function, args } => {
                write!(f, "{thread} calls {function}({})", named(args))
            }
            Self::Returned { thread, function } => write!(f, "{thread} leaves {function}"),
            Self::Ended { thread } => write!(f, "{thread} ends"),
        }
    }
}

impl Naive<'_> {
    /// What one step changed: what it made first, then what it wrote, then what it ended. Objects that became
    /// garbage are not mentioned.
    pub fn describe_changes(&self, before: &State, after: &State) -> Vec<Change> {
        let mut changes = Changes { naive: self, before, after, list: Vec::new() };
        changes.made();
        changes.globals();
        changes.channels();
        changes.threads();
        changes.objects();
        changes.ended();
        changes.list
    }
}

struct Changes<'a> {
    naive: &'a Naive<'a>,
    before: &'a State,
    after: &'a State,
    list: Vec<Change>,
}

impl<'a> Changes<'a> {
    /// A variable; of an array each element that changed.
    fn variable(&mut self, name: impl Fn() -> String, variable: &Variable, from: &Value, to: &Value) {
        match (from, to) {
            (Value::Seq(from), Value::Seq(to)) if !variable.dims.is_empty() => {
                for (at, (from, to)) in from.iter().zip(to).enumerate() {
                    self.value(|| name() + &indices(variable, at), variable.meaning, from, to);
                }
            }
            _ => self.value(name, variable.meaning, from, to),
        }
    }

    fn value(&mut self, what: impl FnOnce() -> String, meaning: Meaning, from: &Value, to: &Value) {
        let from = self.naive.datum_as(self.before, from, meaning);
        let to = self.naive.datum_as(self.after, to, meaning);
        self.differ(what, from, to);
    }

    /// Names say more than ids: an id that was given anew is something else.
    fn differ(&mut self, what: impl FnOnce() -> String, from: Datum, to: Datum) {
        if from != to {
            self.list.push(Change::Value { what: what(), from, to });
        }
    }

    /// An object of the state after, as it was before.
    fn old_object(&self, id: u32, object: &Object) -> Option<&'a Object> {
        self.before.objects.get(&id).filter(|old| same_object(old, object))
    }

    fn old_thread(&self, id: u32, thread: &Thread) -> Option<&'a Thread> {
        self.before.threads.get(&id).filter(|old| same_thread(old, thread))
    }

    fn made(&mut self) {
        let (naive, after) = (self.naive, self.after);
        for (&id, object) in &after.objects {
            if self.old_object(id, object).is_none() {
                let (name, contents) = (naive.object_name(after, id), naive.contents(after, object));
                self.list.push(Change::Created { object: name.clone(), contents: contents.clone() });
                if let Datum::Lock { owner: Some(_), .. } = contents {
                    self.differ(|| name, Datum::Lock { owner: None, count: 0 }, contents);
                }
            }
        }
        for (&id, thread) in &after.threads {
            if self.old_thread(id, thread).is_none() {
                let params = thread.frames.first().map(|frame| naive.params(after, frame));
                let (thread, params) = (naive.thread_name(after, id), params.unwrap_or_default());
                self.list.push(Change::Started { thread, params });
            }
        }
    }

    fn globals(&mut self) {
        let (before, after) = (self.before, self.after);
        let globals: Vec<(GlobalId, &Variable)> = visible(&self.naive.program.globals).collect();
        for (id, global) in globals {
            self.variable(|| global.name.clone(), global, before.global(id), after.global(id));
        }
    }

    /// What was sent and received. A channel that has come is empty before.
    fn channels(&mut self) {
        let (naive, before, after) = (self.naive, self.before, self.after);
        for (&number, channel) in &after.channels {
            let same = |old: &&Channel| {
                let owners = (channel.owner, old.owner);
                old.declared == channel.declared
                    && match owners {
                        (Some(new), Some(old)) => match (before.threads.get(&old), after.threads.get(&new)) {
                            (Some(old), Some(new)) => same_thread(old, new),
                            _ => false,
                        },
                        (new, old) => new == old,
                    }
            };
            let old = before.channels.get(&number).filter(same);
            let from = old.map_or_else(|| Datum::Messages(Vec::new()), |old| naive.messages(before, old));
            let name = || naive.channel_name(after, &Value::Int(number.into()));
            self.differ(name, from, naive.messages(after, channel));
        }
    }

    fn threads(&mut self) {
        let (naive, before, after) = (self.naive, self.before, self.after);
        for (&id, thread) in &after.threads {
            let Some(old) = self.old_thread(id, thread) else { continue };
            if thread.ended() {
                continue;
            }
            let name = naive.thread_name(after, id);
            let same = |(a, b): &(&Frame, &Frame)| naive.procedure_of(a) == naive.procedure_of(b);
            let common = old.frames.iter().zip(&thread.frames).take_while(same).count();
            for frame in old.frames[common..].iter().rev() {
                let (thread, function) = (name.clone(), naive.procedure(frame).name.clone());
                self.list.push(Change::Returned { thread, function });
            }
            for depth in 0..common {
                let (old, new) = (&old.frames[depth], &thread.frames[depth]);
                // Most frames of a deep stack are as they were.
                if old == new {
                    continue;
                }
                // What is not needed any more is forgotten, which is not a change of the model.
                let is_needed = |id: &LocalId| naive.is_live(new, *id);
                for (local_id, local) in visible(&naive.procedure(new).locals).filter(|(id, _)| is_needed(id))
                {
                    let what = || naive.local_name(after, id, depth, local);
                    self.variable(what, local, old.local(local_id), new.local(local_id));
                }
            }
            for frame in &thread.frames[common..] {
                let (function, args) = (naive.procedure(frame).name.clone(), naive.params(after, frame));
                self.list.push(Change::Called { thread: name.clone(), function, args });
            }
            if old.waiting != thread.waiting {
                self.differ(|| name, naive.condition(before, old), naive.condition(after, thread));
            }
        }
    }

    fn objects(&mut self) {
        let (naive, before, after) = (self.naive, self.before, self.after);
        for (&id, object) in &after.objects {
            let Some(old) = self.old_object(id, object) else { continue };
            let name = naive.object_name(after, id);
            match (&old.kind, &object.kind) {
                (ObjectKind::Record(record, from), ObjectKind::Record(_, to)) => {
                    let fields = &naive.program.records[*record].fields;
                    for ((&field, from), to) in fields.iter().zip(from).zip(to) {
                        let what = || format!("{name}.{}", naive.program.fields[field].name);
                        self.value(what, Meaning::Number, from, to);
                    }
                }
                (ObjectKind::Block(_, from), ObjectKind::Block(_, to)) => {
                    for (leaf, (from, to)) in from.iter().zip(to).enumerate() {
                        let what = || format!("{name}{}", naive.leaf_name(after, id, leaf as u32));
                        self.value(what, Meaning::Number, from, to);
                    }
                }
                (ObjectKind::Array(_, from), ObjectKind::Array(_, to)) => {
                    for (index, (from, to)) in from.iter().zip(to).enumerate() {
                        self.value(|| format!("{name}[{index}]"), Meaning::Number, from, to);
                    }
                }
                _ => self.differ(|| name, naive.contents(before, old), naive.contents(after, object)),
            }
        }
    }

    fn ended(&mut self) {
        for (&id, thread) in &self.before.threads {
            let new = self.after.threads.get(&id).filter(|new| same_thread(new, thread));
            if !thread.ended() && new.is_none_or(Thread::ended) {
                self.list.push(Change::Ended { thread: self.naive.thread_name(self.before, id) });
            }
        }
    }
}

/// Whether an object of one state is that of another, rather than one that has its id.
fn same_object(a: &Object, b: &Object) -> bool {
    let same_kind = match (a.kind.origin(), b.kind.origin()) {
        (ObjectKind::Record(a, _), ObjectKind::Record(b, _))
        | (ObjectKind::Block(a, _), ObjectKind::Block(b, _)) => a == b,
        (ObjectKind::Array(a, _), ObjectKind::Array(b, _)) => a == b,
        (ObjectKind::Lock { .. }, ObjectKind::Lock { .. }) => true,
        (ObjectKind::Channel(a), ObjectKind::Channel(b)) => a.declared == b.declared,
        _ => false,
    };
    same_kind && a.serial.0 == b.serial.0
}

fn same_thread(a: &Thread, b: &Thread) -> bool {
    a.procedure.0 == b.procedure.0 && a.serial.0 == b.serial.0
}
