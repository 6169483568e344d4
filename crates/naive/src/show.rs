//! States and steps in words.
//!
//! Objects and threads are called by what they are and the order in which they were made: `Fork#2` is the
//! second `Fork` on the way here. Variables of front ends are left out, and so are values that were never
//! changed.
//!
//! Where threads have numbers, they are called by them: `node(2)`, and its channels `node(2):inbox`. A
//! channel reads like the sequence of its messages: `[ack(3), data(1)]`.

use std::fmt::{self, Write};

use ir::{FieldId, GlobalId, Id, LocationId, Meaning, ProcedureId, Table, Variable};

use crate::state::short_name;
use crate::{Channel, Frame, Naive, Object, ObjectKind, State, Thread, Value};

/// One difference between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub kind: ChangeKind,
    /// What changed: `Fork#2.isHeld`, `Philosopher#1.left`, `Philosopher#1`.
    pub what: String,
    /// What it was. Empty where there was nothing.
    pub from: String,
    /// What it is. Empty where there is nothing.
    pub to: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChangeKind {
    /// A variable, field or element has a new value, a lock a new owner, a channel other messages, or a
    /// thread waits or was notified.
    Value,
    /// An object was made; `to` is what it holds.
    Created,
    /// A thread was started; `to` is what its parameters hold.
    Started,
    /// A thread called a function; `to` is the function with its arguments.
    Called,
    /// A thread came back from a function, `from`, by return or exception.
    Returned,
    Ended,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, what, from, to } = self;
        let bracketed = if to.is_empty() { String::new() } else { format!(" ({to})") };
        match kind {
            ChangeKind::Value => write!(f, "{what}: {from} → {to}"),
            ChangeKind::Created => write!(f, "new {what}{bracketed}"),
            ChangeKind::Started => write!(f, "{what} starts{bracketed}"),
            ChangeKind::Called => write!(f, "{what} calls {to}"),
            ChangeKind::Returned => write!(f, "{what} leaves {from}"),
            ChangeKind::Ended => write!(f, "{what} ends"),
        }
    }
}

impl Naive<'_> {
    /// A thread of the state, as people call it.
    pub fn thread_name(&self, state: &State, thread: u32) -> String {
        match state.threads.get(&thread) {
            Some(Thread { procedure, .. }) if self.program.features.thread_ids_observable => {
                format!("{}({thread})", self.program.procedures[procedure.0].name)
            }
            Some(Thread { procedure, serial, .. }) => {
                format!("{}#{}", self.program.procedures[procedure.0].name, serial.0)
            }
            None => format!("thread {thread}"),
        }
    }

    /// An object of the state, as people call it.
    pub fn object_name(&self, state: &State, object: u32) -> String {
        let Some(Object { kind, serial, .. }) = state.objects.get(&object) else {
            return format!("object {object}");
        };
        match kind {
            ObjectKind::Record(record, _) => format!("{}#{}", self.program.records[*record].name, serial.0),
            ObjectKind::Array(element, _) => format!("{}[]#{}", short_name(self.program, *element), serial.0),
            ObjectKind::Lock { .. } => format!("lock#{}", serial.0),
        }
    }

    /// A value in the state. Collections read like this: a set `{1, 2}`, a bag with how often each element is
    /// there `{1: 2, 2: 1}`, a map `{1 -> true}`, a sequence `[1, 1]`, a queue with what it could hold `[1,
    /// 1] (2 of 3)`.
    pub fn show(&self, state: &State, value: &Value) -> String {
        let show = |value: &Value| self.show(state, value);
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Enum(id, element) | Value::Abstract(id, element) => {
                self.program.enums[*id].elements[*element as usize].clone()
            }
            Value::Null => "null".to_owned(),
            Value::Ref(id) => self.object_name(state, *id),
            Value::Thread(id) => self.thread_name(state, *id),
            Value::Str(id) => format!("{:?}", self.program.strings[*id]),
            Value::Set(set) => format!("{{{}}}", list(set.iter().map(show))),
            Value::Bag(bag) => {
                format!(
                    "{{{}}}",
                    list(bag.iter().map(|(element, count)| format!("{}: {count}", show(element))))
                )
            }
            Value::Map(map) => {
                format!("{{{}}}", list(map.iter().map(|(key, to)| format!("{} -> {}", show(key), show(to)))))
            }
            Value::Seq(elements) => format!("[{}]", list(elements.iter().map(show))),
            Value::Queue { capacity, elements } => {
                format!("[{}] ({} of {capacity})", list(elements.iter().map(show)), elements.len())
            }
        }
    }

    /// A channel of the state, as people call it.
    pub fn channel_name(&self, state: &State, number: u32) -> String {
        let Some(channel) = state.channels.get(&number) else { return format!("channel {number}") };
        let name = &self.program.channels[channel.declared].name;
        match channel.owner {
            Some(owner) => format!("{}:{name}", self.thread_name(state, owner)),
            None => name.clone(),
        }
    }

    /// A value, as what it means: a variable or field of a message says whether its numbers stand for
    /// something.
    pub fn show_as(&self, state: &State, value: &Value, meaning: Meaning) -> String {
        match (value, meaning) {
            (Value::Seq(elements), Meaning::Symbol(_) | Meaning::Channel) => {
                format!("[{}]", list(elements.iter().map(|element| self.show_as(state, element, meaning))))
            }
            (&Value::Int(number), Meaning::Symbol(id)) => {
                let elements = &self.program.enums[id].elements;
                let position = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let name = position.and_then(|position| elements.get(position));
                name.cloned().unwrap_or_else(|| number.to_string())
            }
            (&Value::Int(number), Meaning::Channel) => match u32::try_from(number) {
                Ok(number) if state.channels.contains_key(&number) => self.channel_name(state, number),
                _ => number.to_string(),
            },
            _ => self.show(state, value),
        }
    }

    /// What a channel holds. A symbol at the front of a message is what the message is called.
    fn messages(&self, state: &State, channel: &Channel) -> String {
        let declared = &self.program.channels[channel.declared];
        let message = |message: &Vec<Value>| self.show_message(state, declared, message).1;
        format!("[{}]", list(channel.messages.iter().map(message)))
    }

    /// The fields of a message, and the message on one line: `ack(1)`.
    pub(crate) fn show_message(
        &self,
        state: &State,
        declared: &ir::Channel,
        message: &[Value],
    ) -> (Vec<String>, String) {
        let fields = message.iter().zip(&declared.fields);
        let shown: Vec<String> =
            fields.map(|(value, field)| self.show_as(state, value, field.meaning)).collect();
        let text = match (&shown[..], declared.fields.first().map(|field| field.meaning)) {
            ([one], _) => one.clone(),
            ([name, fields @ ..], Some(Meaning::Symbol(_))) => format!("{name}({})", fields.join(", ")),
            _ => format!("({})", shown.join(", ")),
        };
        (shown, text)
    }

    /// The whole state, a line for each thing.
    pub fn describe_state(&self, state: &State) -> String {
        let mut out = String::new();
        self.write_state(&mut out, state).expect("a String takes everything");
        out
    }

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

    fn write_state(&self, out: &mut String, state: &State) -> fmt::Result {
        for (id, global) in visible(&self.program.globals) {
            let value = self.show_as(state, state.global(id), global.meaning);
            // That a channel is the one that it was declared to be is no news.
            if global.meaning != Meaning::Channel || value != global.name {
                writeln!(out, "{} = {value}", global.name)?;
            }
        }
        for (&number, channel) in &state.channels {
            if self.program.channels[channel.declared].capacity > 0 {
                writeln!(out, "{} = {}", self.channel_name(state, number), self.messages(state, channel))?;
            }
        }
        for (&id, thread) in &state.threads {
            write!(out, "{}", self.thread_name(state, id))?;
            match thread.frames.last() {
                Some(frame) => write!(out, " at {}", self.location_name(frame.location))?,
                None => write!(out, " has ended")?,
            }
            if thread.waiting.is_some() {
                write!(out, ", {}", self.condition(state, thread))?;
            }
            writeln!(out, "{}", if state.exclusive == Some(id) { ", exclusive" } else { "" })?;
            for (depth, frame) in thread.frames.iter().enumerate() {
                let name = self.frame_name(thread, depth);
                for (id, local) in visible(&self.locals(frame).locals) {
                    let value = self.show_as(state, frame.local(id), local.meaning);
                    writeln!(out, "  {name}{} = {value}", local.name)?;
                }
            }
        }
        for (&id, object) in &state.objects {
            let name = self.object_name(state, id);
            match &object.kind {
                ObjectKind::Lock { .. } => writeln!(out, "{name} {}", self.holder(state, object))?,
                ObjectKind::Record(..) | ObjectKind::Array(..) => {
                    writeln!(out, "{name} ({})", self.contents(state, object))?;
                }
            }
        }
        Ok(())
    }

    fn location_name(&self, id: LocationId) -> &str {
        let location = &self.program.locations[id];
        &self.program.locations[location.origin(id)].name
    }

    fn procedure_of(&self, frame: &Frame) -> ProcedureId {
        self.program.locations[frame.location].procedure
    }

    fn locals(&self, frame: &Frame) -> &ir::Procedure {
        &self.program.procedures[self.procedure_of(frame)]
    }

    /// What stands before the locals of a frame: nothing for the thread's own, the function for others, with
    /// a number if it is active more than once.
    fn frame_name(&self, thread: &Thread, depth: usize) -> String {
        if depth == 0 {
            return String::new();
        }
        let this = self.procedure_of(&thread.frames[depth]);
        let same = |frames: &[Frame]| frames.iter().filter(|frame| self.procedure_of(frame) == this).count();
        let name = &self.program.procedures[this].name;
        if same(&thread.frames) == 1 {
            format!("{name}.")
        } else {
            format!("{name}#{}.", same(&thread.frames[..=depth]))
        }
    }

    /// Whether a thread waits.
    fn condition(&self, state: &State, thread: &Thread) -> String {
        match thread.waiting {
            None => "running".to_owned(),
            Some(waiting) => {
                let lock = self.object_name(state, waiting.lock);
                if waiting.notified { format!("notified by {lock}") } else { format!("waiting for {lock}") }
            }
        }
    }

    fn holder(&self, state: &State, object: &Object) -> String {
        match object.kind {
            ObjectKind::Lock { owner: Some(owner), count } => {
                let times = if count == 1 { String::new() } else { format!(" {count} times") };
                format!("held by {}{times}", self.thread_name(state, owner))
            }
            _ => "free".to_owned(),
        }
    }

    /// What an object holds, on one line.
    fn contents(&self, state: &State, object: &Object) -> String {
        let shown: Vec<_> = match &object.kind {
            ObjectKind::Record(record, values) => {
                let fields = self.program.records[*record].fields.iter().zip(values);
                let name = |field: FieldId| &self.program.fields[field].name;
                fields.map(|(&f, value)| format!("{}: {}", name(f), self.show(state, value))).collect()
            }
            ObjectKind::Array(_, values) => values.iter().map(|value| self.show(state, value)).collect(),
            ObjectKind::Lock { .. } => vec![],
        };
        shown.join(", ")
    }
}

fn list(shown: impl Iterator<Item = String>) -> String {
    shown.collect::<Vec<_>>().join(", ")
}

/// The variables that are not hidden.
fn visible<I: Id>(variables: &Table<I, Variable>) -> impl Iterator<Item = (I, &Variable)> {
    variables.iter().filter(|(_, variable)| !variable.synthetic)
}

/// The indices of an element of an array variable: `[1][2]`.
fn indices(variable: &Variable, position: usize) -> String {
    let mut rest = position;
    let mut indices: Vec<String> = Vec::new();
    for &len in variable.dims.iter().rev() {
        indices.push(format!("[{}]", rest % len as usize));
        rest /= len as usize;
    }
    indices.into_iter().rev().collect()
}

struct Changes<'a> {
    naive: &'a Naive<'a>,
    before: &'a State,
    after: &'a State,
    list: Vec<Change>,
}

impl<'a> Changes<'a> {
    fn push(&mut self, kind: ChangeKind, what: String, from: String, to: String) {
        self.list.push(Change { kind, what, from, to });
    }

    fn value(&mut self, what: impl FnOnce() -> String, from: &Value, to: &Value) {
        self.value_as(what, Meaning::Number, from, to);
    }

    /// A variable; of an array each element that changed.
    fn variable(&mut self, name: impl Fn() -> String, variable: &Variable, from: &Value, to: &Value) {
        match (from, to) {
            (Value::Seq(from), Value::Seq(to)) if !variable.dims.is_empty() => {
                for (at, (from, to)) in from.iter().zip(to).enumerate() {
                    self.value_as(|| name() + &indices(variable, at), variable.meaning, from, to);
                }
            }
            _ => self.value_as(name, variable.meaning, from, to),
        }
    }

    fn value_as(&mut self, what: impl FnOnce() -> String, meaning: Meaning, from: &Value, to: &Value) {
        let from = self.naive.show_as(self.before, from, meaning);
        let to = self.naive.show_as(self.after, to, meaning);
        // Names say more than ids: an id that was given anew is something else.
        if from != to {
            self.push(ChangeKind::Value, what(), from, to);
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
                let name = naive.object_name(after, id);
                self.push(ChangeKind::Created, name, String::new(), naive.contents(after, object));
                if matches!(object.kind, ObjectKind::Lock { owner: Some(_), .. }) {
                    let (name, holder) = (naive.object_name(after, id), naive.holder(after, object));
                    self.push(ChangeKind::Value, name, "free".to_owned(), holder);
                }
            }
        }
        for (&id, thread) in &after.threads {
            if self.old_thread(id, thread).is_none() {
                let name = naive.thread_name(after, id);
                let params = thread.frames.first().map_or_else(String::new, |frame| self.params(frame));
                self.push(ChangeKind::Started, name, String::new(), params);
            }
        }
    }

    fn params(&self, frame: &Frame) -> String {
        let procedure = self.naive.locals(frame);
        let params = procedure.locals.values().zip(&frame.locals).take(procedure.params);
        let shown = params.filter(|(param, _)| !param.synthetic).map(|(param, value)| {
            format!("{}: {}", param.name, self.naive.show_as(self.after, value, param.meaning))
        });
        list(shown)
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
            let from = match before.channels.get(&number).filter(same) {
                Some(old) => naive.messages(before, old),
                None => "[]".to_owned(),
            };
            let to = naive.messages(after, channel);
            if from != to {
                self.push(ChangeKind::Value, naive.channel_name(after, number), from, to);
            }
        }
    }

    fn threads(&mut self) {
        let (naive, after) = (self.naive, self.after);
        for (&id, thread) in &after.threads {
            let Some(old) = self.old_thread(id, thread) else { continue };
            if thread.ended() {
                continue;
            }
            let name = naive.thread_name(after, id);
            let same = |(a, b): &(&Frame, &Frame)| naive.procedure_of(a) == naive.procedure_of(b);
            let common = old.frames.iter().zip(&thread.frames).take_while(same).count();
            for frame in old.frames[common..].iter().rev() {
                let function = naive.locals(frame).name.clone();
                self.push(ChangeKind::Returned, name.clone(), function, String::new());
            }
            for depth in 0..common {
                let (old, new) = (&old.frames[depth], &thread.frames[depth]);
                // Most frames of a deep stack are as they were.
                if old == new {
                    continue;
                }
                let locals = &naive.locals(new).locals;
                let frame = naive.frame_name(thread, depth);
                let separator = if depth == 0 { "." } else { "/" };
                for (id, local) in visible(locals) {
                    let what = || format!("{name}{separator}{frame}{}", local.name);
                    self.variable(what, local, old.local(id), new.local(id));
                }
            }
            for frame in &thread.frames[common..] {
                let call = format!("{}({})", naive.locals(frame).name, self.params(frame));
                self.push(ChangeKind::Called, name.clone(), String::new(), call);
            }
            if old.waiting != thread.waiting {
                let (from, to) = (naive.condition(self.before, old), naive.condition(after, thread));
                self.push(ChangeKind::Value, name, from, to);
            }
        }
    }

    fn objects(&mut self) {
        let (naive, after) = (self.naive, self.after);
        for (&id, object) in &after.objects {
            let Some(old) = self.old_object(id, object) else { continue };
            let name = naive.object_name(after, id);
            match (&old.kind, &object.kind) {
                (ObjectKind::Record(record, from), ObjectKind::Record(_, to)) => {
                    let fields = &naive.program.records[*record].fields;
                    for ((&field, from), to) in fields.iter().zip(from).zip(to) {
                        self.value(|| format!("{name}.{}", naive.program.fields[field].name), from, to);
                    }
                }
                (ObjectKind::Array(_, from), ObjectKind::Array(_, to)) => {
                    for (index, (from, to)) in from.iter().zip(to).enumerate() {
                        self.value(|| format!("{name}[{index}]"), from, to);
                    }
                }
                _ => {
                    let (from, to) = (naive.holder(self.before, old), naive.holder(after, object));
                    if from != to {
                        self.push(ChangeKind::Value, name, from, to);
                    }
                }
            }
        }
    }

    fn ended(&mut self) {
        for (&id, thread) in &self.before.threads {
            let new = self.after.threads.get(&id).filter(|new| same_thread(new, thread));
            if !thread.ended() && new.is_none_or(Thread::ended) {
                let name = self.naive.thread_name(self.before, id);
                self.push(ChangeKind::Ended, name, String::new(), String::new());
            }
        }
    }
}

/// Whether an object of one state is that of another, rather than one that has its id.
fn same_object(a: &Object, b: &Object) -> bool {
    let same_kind = match (&a.kind, &b.kind) {
        (ObjectKind::Record(a, _), ObjectKind::Record(b, _)) => a == b,
        (ObjectKind::Array(a, _), ObjectKind::Array(b, _)) => a == b,
        (ObjectKind::Lock { .. }, ObjectKind::Lock { .. }) => true,
        _ => false,
    };
    same_kind && a.serial.0 == b.serial.0
}

fn same_thread(a: &Thread, b: &Thread) -> bool {
    a.procedure.0 == b.procedure.0 && a.serial.0 == b.serial.0
}
