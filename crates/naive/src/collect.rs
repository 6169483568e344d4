//! Garbage: what nothing refers to is not part of the state.
//!
//! Roots are the globals, the frames of threads that have not ended, and the locks that they wait for. A lock
//! refers to its owner, and so keeps a thread that has ended with it. A channel refers to what its messages
//! mention. An ended thread refers to nothing. A collection refers to what its elements, keys and values refer to.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Object, ObjectKind, State, Value};

/// Removes what nothing refers to, and returns the objects that it removed.
pub fn collect(state: &mut State) -> BTreeMap<u32, Object> {
    let live = state.threads.values().filter(|thread| !thread.ended());
    let mut open: Vec<Value> = state.globals.clone();
    for thread in live {
        open.extend(thread.frames.iter().flat_map(|frame| frame.locals.clone()));
        open.extend(thread.waiting.map(|waiting| Value::Ref(waiting.lock)));
    }
    let mut objects = BTreeSet::new();
    let mut threads = BTreeSet::new();
    while let Some(value) = open.pop() {
        match value {
            Value::Ref(id) | Value::Pointer(id, _) if objects.insert(id) => match &state.objects[&id].kind {
                ObjectKind::Record(_, values)
                | ObjectKind::Block(_, values)
                | ObjectKind::Array(_, values) => open.extend(values.clone()),
                ObjectKind::Channel(channel) => open.extend(channel.messages.iter().flatten().cloned()),
                ObjectKind::Lock { owner, .. } => open.extend(owner.map(Value::Thread)),
                ObjectKind::Tombstone { .. } => {}
            },
            Value::Thread(id) => {
                threads.insert(id);
            }
            Value::Set(elements) => open.extend(elements),
            Value::Bag(counts) => open.extend(counts.into_keys()),
            Value::Map(map) => open.extend(map.into_iter().flat_map(|(key, value)| [key, value])),
            Value::Seq(elements) | Value::Queue { elements, .. } => open.extend(elements),
            Value::Ref(_)
            | Value::Pointer(..)
            | Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Enum(..)
            | Value::Abstract(..)
            | Value::Str(_) => {}
        }
    }
    let (kept, removed) =
        std::mem::take(&mut state.objects).into_iter().partition(|(id, _)| objects.contains(id));
    state.objects = kept;
    state.threads.retain(|id, thread| !thread.ended() || threads.contains(id));
    removed
}
