//! Runs in the Informal Trace Format, which viewers of traces of other checkers read.
//!
//! A trace is a list of states, and a state gives each variable a value: the globals of the model under their
//! names, and `threads`, `objects`, `channels` and `action`, the last of which says what led to the state.
//! Integers, sets, maps and tuples are marked as the format wants it; references to objects, threads and
//! channels are their names; `null` is a variant without a value.
//!
//! The format: Apalache's ADR 015, <https://apalache-mc.org/docs/adr/015adr-trace.html>.

use std::collections::BTreeSet;
use std::ops::ControlFlow::Continue;

use serde_json::{Map, Value as Json, json};
use system::Step;

use crate::config::Bounds;
use crate::model::Model;
use crate::replay::{Diverged, replay_states};
use crate::report::TOOL;
use crate::trace::Trace;
use crate::values::{FrameValues, StateValues, Value};

/// A run as text in the Informal Trace Format. `trace` says how it ends; the steps are taken again.
pub fn write(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    trace: &Trace,
) -> Result<String, Diverged> {
    let names = Names::new(&trace.initial_state);
    let mut states = vec![names.state(0, &trace.initial_state, &json!({ "thread": "", "statement": "" }))];
    replay_states(model, bounds, steps, |step| {
        let action = json!({ "thread": step.thread, "statement": step.location.text });
        states.extend(step.state.as_ref().map(|state| names.state(states.len(), state, &action)));
        Continue(())
    })?;
    let ends = trace.ends_in.as_ref();
    // A step that faults leads to no state.
    if ends.is_some_and(|ending| ending.is_of_step) {
        states.pop();
    }
    let start = trace.cycle.filter(|cycle| cycle.closed).map(|cycle| cycle.start);
    // The last state of a cycle is its first one, unless the run stays where it is.
    if let Some(start) = start
        && start + 1 < states.len()
    {
        states.pop();
    }
    let description = match (ends, trace.cycle) {
        (Some(ending), Some(cycle)) if !cycle.closed => format!(
            "{}: {}; the states from {} on repeat up to the names of what is created",
            ending.kind, ending.message, cycle.start
        ),
        (Some(ending), _) => format!("{}: {}", ending.kind, ending.message),
        (None, _) => "a run".to_owned(),
    };
    let mut object = Map::new();
    object.insert(
        "#meta".to_owned(),
        json!({
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": model.name,
            "status": if ends.is_some() { "violation" } else { "ok" },
            "description": description,
            "producer": TOOL,
        }),
    );
    object.insert("vars".to_owned(), json!(names.all()));
    if let Some(start) = start {
        object.insert("loop".to_owned(), json!(start));
    }
    object.insert("states".to_owned(), Json::Array(states));
    Ok(serde_json::to_string_pretty(&Json::Object(object)).expect("it is plain data") + "\n")
}

/// What the variables of a trace are called.
struct Names {
    globals: Vec<String>,
    threads: String,
    objects: String,
    channels: String,
    action: String,
}

impl Names {
    fn new(initial: &StateValues) -> Self {
        let globals: Vec<String> = initial.globals.keys().cloned().collect();
        let taken: BTreeSet<&str> = globals.iter().map(String::as_str).collect();
        // A global of the model keeps its name.
        let free = |name: &str| {
            let mut name = name.to_owned();
            while taken.contains(&*name) {
                name.push('_');
            }
            name
        };
        let (threads, objects) = (free("threads"), free("objects"));
        let (channels, action) = (free("channels"), free("action"));
        Self { globals, threads, objects, channels, action }
    }

    fn all(&self) -> Vec<&str> {
        let Self { globals, threads, objects, channels, action } = self;
        let own = [threads, objects, channels, action];
        globals.iter().chain(own).map(String::as_str).collect()
    }

    fn state(&self, index: usize, state: &StateValues, action: &Json) -> Json {
        let mut object = Map::new();
        object.insert("#meta".to_owned(), json!({ "index": index }));
        for name in &self.globals {
            // A channel variable that is the channel of its name is left out of states.
            let value = state.globals.get(name).map_or_else(|| json!(name), value);
            object.insert(name.clone(), value);
        }
        let frame = |frame: &FrameValues| {
            let locals = frame.locals.iter().map(|(name, local)| (name.clone(), value(local)));
            json!({
                "procedure": frame.procedure,
                "at": frame.at,
                "line": integer(frame.location.line.into()),
                "locals": map(locals.map(|(name, value)| (json!(name), value))),
            })
        };
        let threads = state.threads.iter().map(|(name, thread)| {
            let frames: Vec<Json> = thread.frames.iter().map(frame).collect();
            let waits = thread.waiting.as_ref().map_or(json!(""), |waiting| json!(waiting.lock));
            (json!(name), json!({ "ended": thread.ended, "waits_for": waits, "frames": frames }))
        });
        object.insert(self.threads.clone(), map(threads));
        let objects = state.objects.iter().map(|(name, object)| {
            (json!(name), json!({ "kind": object.kind, "contents": value(&object.value) }))
        });
        object.insert(self.objects.clone(), map(objects));
        let channels = state.channels.iter().map(|(name, channel)| {
            let messages: Vec<Json> = channel.messages.iter().map(|fields| tuple(fields)).collect();
            (json!(name), Json::Array(messages))
        });
        object.insert(self.channels.clone(), map(channels));
        object.insert(self.action.clone(), action.clone());
        Json::Object(object)
    }
}

fn integer(value: i64) -> Json {
    json!({ "#bigint": value.to_string() })
}

fn map(entries: impl Iterator<Item = (Json, Json)>) -> Json {
    json!({ "#map": entries.map(|(key, value)| json!([key, value])).collect::<Vec<_>>() })
}

fn tuple(values: &[Value]) -> Json {
    json!({ "#tup": values.iter().map(value).collect::<Vec<_>>() })
}

fn variant(tag: &str, value: &Json) -> Json {
    json!({ "tag": tag, "value": value })
}

fn value(of: &Value) -> Json {
    let list = |values: &[Value]| values.iter().map(value).collect::<Vec<_>>();
    match of {
        Value::Null => variant("Null", &tuple(&[])),
        Value::Bool(value) => json!(value),
        Value::Int(value) => integer(*value),
        Value::Text(text) => json!(text),
        Value::Symbol { element: name, .. }
        | Value::Object { object: name }
        | Value::Thread { thread: name }
        | Value::Channel { channel: name } => json!(name),
        Value::Pointer { pointer, place } => json!(format!("{pointer}{place}")),
        Value::Set { set } => json!({ "#set": list(set) }),
        Value::Bag { bag } => map(bag.iter().map(|occurrences| {
            let count = i64::try_from(occurrences.count).unwrap_or(i64::MAX);
            (value(&occurrences.element), integer(count))
        })),
        Value::Map { map: entries } => {
            map(entries.iter().map(|entry| (value(&entry.key), value(&entry.value))))
        }
        Value::List(elements) => Json::Array(list(elements)),
        Value::Queue { queue, capacity } => {
            json!({ "capacity": integer(*capacity), "elements": list(queue) })
        }
        Value::Messages { messages } => Json::Array(messages.iter().map(|fields| tuple(fields)).collect()),
        Value::Lock { lock } => {
            json!({ "owner": lock.owner.as_deref().unwrap_or(""), "count": integer(lock.count.into()) })
        }
        Value::Ended { ended } => json!(ended),
        Value::Waiting { waiting } => json!(waiting.as_ref().map_or("", |waiting| &waiting.lock)),
        Value::Record { record } => {
            Json::Object(record.iter().map(|(name, field)| (name.clone(), value(field))).collect())
        }
    }
}
