//! What threads, objects, channels and frames are called.
//!
//! Objects and threads are called by what they are and the order in which they were made: `Fork#2` is the
//! second `Fork` on the way here. Where threads have numbers, they are called by them: `node(2)`, and its
//! channels `node(2):inbox`.

use ir::{Action, ActionKind, Id, LocalId, LocationId, New, ProcedureId, Table, Variable};

use crate::state::short_name;
use crate::{Channel, Frame, Naive, Object, ObjectKind, State, Thread, Value};

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
        match kind.origin() {
            ObjectKind::Record(record, _) | ObjectKind::Block(record, _) => {
                format!("{}#{}", self.program.records[*record].name, serial.0)
            }
            ObjectKind::Array(element, _) => format!("{}[]#{}", short_name(self.program, *element), serial.0),
            ObjectKind::Lock { .. } => format!("lock#{}", serial.0),
            ObjectKind::Channel(channel) => {
                let name = &self.program.channels[channel.declared].name;
                // There is one of each that is declared for the whole program.
                let is_it = |action: &Action| match action.kind {
                    ActionKind::New(_, New::Channel(made)) => made == channel.declared,
                    _ => false,
                };
                if self.program.prologue.iter().any(is_it) {
                    name.clone()
                } else {
                    format!("{name}#{}", serial.0)
                }
            }
            ObjectKind::Tombstone { .. } => unreachable!("a tombstone was something else"),
        }
    }

    /// Where a leaf of an object is: `.key`, or `[2].key` in a block. The only leaf of a record, and those of
    /// the elements of a block that have one leaf each, have no names.
    pub(crate) fn leaf_name(&self, state: &State, object: u32, leaf: u32) -> String {
        let Some(Object { kind, .. }) = state.objects.get(&object) else { return format!("+{leaf}") };
        let of = |record: &ir::RecordId, at: usize| {
            let fields = &self.program.records[*record].fields;
            if let [_] = fields[..] {
                return String::new();
            }
            fields.get(at).map_or_else(String::new, |&field| format!(".{}", self.program.fields[field].name))
        };
        let at = leaf as usize;
        match kind.origin() {
            ObjectKind::Record(record, _) => of(record, at),
            ObjectKind::Block(record, _) => {
                let width = self.program.records[*record].fields.len().max(1);
                format!("[{}]{}", at / width, of(record, at % width))
            }
            _ => format!("+{leaf}"),
        }
    }

    /// A channel of the state, as people call it.
    pub fn channel_name(&self, state: &State, channel: &Value) -> String {
        match (channel, state.channel(channel)) {
            (Value::Ref(id), _) => self.object_name(state, *id),
            (_, Some(Channel { declared, owner: None, .. })) => self.program.channels[*declared].name.clone(),
            (_, Some(Channel { declared, owner: Some(owner), .. })) => {
                format!("{}:{}", self.thread_name(state, *owner), self.program.channels[*declared].name)
            }
            (value, None) => format!("channel {}", self.show(state, value)),
        }
    }

    /// The text of a value in the state. Collections read like this: a set `{1, 2}`, a bag with how often
    /// each element is there `{1: 2, 2: 1}`, a map `{1 -> true}`, a sequence `[1, 1]`, a queue with what it
    /// could hold `[1, 1] (2 of 3)`.
    pub fn show(&self, state: &State, value: &Value) -> String {
        self.datum(state, value).to_string()
    }

    /// The name of the location that a user knows.
    pub fn location_name(&self, id: LocationId) -> &str {
        let location = &self.program.locations[id];
        &self.program.locations[location.origin(id)].name
    }

    pub(crate) fn procedure_of(&self, frame: &Frame) -> ProcedureId {
        self.program.locations[frame.location].procedure
    }

    pub(crate) fn procedure(&self, frame: &Frame) -> &ir::Procedure {
        &self.program.procedures[self.procedure_of(frame)]
    }

    /// Whether the value of a local variable matters where a frame is.
    pub(crate) fn is_live(&self, frame: &Frame, local: LocalId) -> bool {
        self.program.locations[frame.location].live.as_ref().is_none_or(|live| live.contains(&local))
    }

    /// What stands before the locals of a frame: nothing for the thread's own, the function for others, with
    /// a number if it is active more than once.
    pub(crate) fn frame_name(&self, thread: &Thread, depth: usize) -> String {
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

    /// The whole name of a local variable: `Worker#1.seen`, `Worker#1/push.node`.
    pub(crate) fn local_name(&self, state: &State, thread: u32, depth: usize, local: &Variable) -> String {
        let separator = if depth == 0 { "." } else { "/" };
        let frame = self.frame_name(&state.threads[&thread], depth);
        format!("{}{separator}{frame}{}", self.thread_name(state, thread), local.name)
    }
}

/// The variables that are written in the model.
pub(crate) fn visible<I: Id>(variables: &Table<I, Variable>) -> impl Iterator<Item = (I, &Variable)> {
    variables.iter().filter(|(_, variable)| !variable.synthetic)
}

/// The indices of an element of an array variable: `[1][2]`.
pub(crate) fn indices(variable: &Variable, position: usize) -> String {
    let mut rest = position;
    let mut indices: Vec<String> = Vec::new();
    for &len in variable.dims.iter().rev() {
        indices.push(format!("[{}]", rest % len as usize));
        rest /= len as usize;
    }
    indices.into_iter().rev().collect()
}
