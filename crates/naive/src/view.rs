//! A state as people and tools see it: names and values, without what front ends add.

use std::collections::BTreeMap;
use std::fmt;

use ir::{LocalId, LocationId, Variable};

use crate::datum::Message;
use crate::show::visible;
use crate::{Datum, Naive, Object, ObjectKind, State, Thread, Value};

/// A state with names in place of ids. Its text has a line for each thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateView {
    pub globals: Vec<(String, Datum)>,
    /// The channels that can hold messages.
    pub channels: Vec<ChannelView>,
    pub threads: Vec<ThreadView>,
    pub objects: Vec<ObjectView>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelView {
    pub name: String,
    pub capacity: u32,
    pub messages: Vec<Message>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadView {
    pub id: u32,
    pub name: String,
    /// Whether it waits for a lock.
    pub waiting: Datum,
    /// It is inside of an atomic block, and alone may move.
    pub exclusive: bool,
    /// The top frame is the last. A thread that has ended has none.
    pub frames: Vec<FrameView>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameView {
    pub procedure: String,
    /// What stands before its variables: nothing for the first frame, `push.` or `push#2.` for a function.
    pub prefix: String,
    pub location: LocationId,
    pub location_name: String,
    /// The local variables whose values matter here.
    pub locals: Vec<(String, Datum)>,
    /// The other ones.
    pub forgotten: Vec<(String, Datum)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectView {
    pub name: String,
    /// The name of the record, `T[]` for an array, `lock` for a lock.
    pub kind: String,
    pub contents: Datum,
}

impl Naive<'_> {
    /// The whole state, for people and tools.
    pub fn view(&self, state: &State) -> StateView {
        let globals = visible(&self.program.globals).filter_map(|(id, global)| {
            let value = self.datum_as(state, state.global(id), global.meaning);
            // That a channel is the one that it was declared to be is not worth a line.
            let is_itself = matches!(&value, Datum::Channel(name) if *name == global.name);
            (!is_itself).then(|| (global.name.clone(), value))
        });
        let is_channel = |object: &Object| matches!(object.kind, ObjectKind::Channel(_));
        let numbers = state.channels.keys().map(|&number| Value::Int(number.into()));
        let of_objects = state.objects.iter().filter(|(_, object)| is_channel(object));
        let channels = numbers.chain(of_objects.map(|(&id, _)| Value::Ref(id))).filter_map(|value| {
            let channel = state.channel(&value)?;
            let declared = &self.program.channels[channel.declared];
            let messages = channel.messages.iter().map(|message| self.message(state, declared, message));
            (declared.capacity > 0).then(|| ChannelView {
                name: self.channel_name(state, &value),
                capacity: declared.capacity,
                messages: messages.collect(),
            })
        });
        let others = state.objects.iter().filter(|(_, object)| !is_channel(object));
        let objects = others.map(|(&id, object)| {
            let name = self.object_name(state, id);
            let kind = name.split('#').next().unwrap_or_default().to_owned();
            ObjectView { name, kind, contents: self.contents(state, object) }
        });
        StateView {
            globals: globals.collect(),
            channels: channels.collect(),
            threads: state.threads.iter().map(|(&id, thread)| self.thread_view(state, id, thread)).collect(),
            objects: objects.collect(),
        }
    }

    fn thread_view(&self, state: &State, id: u32, thread: &Thread) -> ThreadView {
        let frames = thread.frames.iter().enumerate().map(|(depth, frame)| {
            let procedure = self.procedure(frame);
            let (locals, forgotten): (Vec<_>, Vec<_>) =
                visible(&procedure.locals).partition(|&(id, _)| self.is_live(frame, id));
            let values = |locals: Vec<(LocalId, &Variable)>| {
                let value = |(id, local): (LocalId, &Variable)| {
                    (local.name.clone(), self.datum_as(state, frame.local(id), local.meaning))
                };
                locals.into_iter().map(value).collect()
            };
            FrameView {
                procedure: procedure.name.clone(),
                prefix: self.frame_name(thread, depth),
                location: frame.location,
                location_name: self.location_name(frame.location).to_owned(),
                locals: values(locals),
                forgotten: values(forgotten),
            }
        });
        ThreadView {
            id,
            name: self.thread_name(state, id),
            waiting: self.condition(state, thread),
            exclusive: state.exclusive == Some(id),
            frames: frames.collect(),
        }
    }

    /// The whole state, a line for each thing.
    pub fn describe_state(&self, state: &State) -> String {
        self.view(state).to_string()
    }
}

impl StateView {
    /// All variables, fields and elements of the state by their names, with their values.
    pub fn places(&self) -> BTreeMap<String, Datum> {
        let mut places = BTreeMap::new();
        let mut add = |name: String, value: &Datum| {
            if let Datum::Seq(elements) = value {
                add_elements(&mut places, &name, elements);
            }
            places.insert(name, value.clone());
        };
        for (name, value) in &self.globals {
            add(name.clone(), value);
        }
        for thread in &self.threads {
            for (depth, frame) in thread.frames.iter().enumerate() {
                let separator = if depth == 0 { "." } else { "/" };
                for (name, value) in frame.locals.iter().chain(&frame.forgotten) {
                    add(format!("{}{separator}{}{name}", thread.name, frame.prefix), value);
                }
            }
        }
        for ObjectView { name, contents, .. } in &self.objects {
            match contents {
                Datum::Record(fields) => {
                    for (field, value) in fields {
                        add(format!("{name}.{field}"), value);
                    }
                }
                contents => add(name.clone(), contents),
            }
        }
        places
    }
}

fn add_elements(places: &mut BTreeMap<String, Datum>, name: &str, elements: &[Datum]) {
    for (at, element) in elements.iter().enumerate() {
        places.insert(format!("{name}[{at}]"), element.clone());
    }
}

impl fmt::Display for StateView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.globals {
            writeln!(f, "{name} = {value}")?;
        }
        for ChannelView { name, messages, .. } in &self.channels {
            writeln!(f, "{name} = {}", Datum::Messages(messages.clone()))?;
        }
        for thread in &self.threads {
            write!(f, "{}", thread.name)?;
            match thread.frames.last() {
                Some(frame) => write!(f, " at {}", frame.location_name)?,
                None => write!(f, " has ended")?,
            }
            if let Datum::Waiting(Some(_)) = thread.waiting {
                write!(f, ", {}", thread.waiting)?;
            }
            writeln!(f, "{}", if thread.exclusive { ", exclusive" } else { "" })?;
            for frame in &thread.frames {
                for (name, value) in &frame.locals {
                    writeln!(f, "  {}{name} = {value}", frame.prefix)?;
                }
            }
        }
        for ObjectView { name, contents, .. } in &self.objects {
            match contents {
                Datum::Lock { .. } | Datum::Ended { .. } => writeln!(f, "{name} {contents}")?,
                _ => writeln!(f, "{name} ({})", contents.bare())?,
            }
        }
        Ok(())
    }
}
