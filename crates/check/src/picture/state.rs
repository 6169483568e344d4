//! The objects of a state.

use draw::diagram::Tone;
use draw::scene::{Claim, Fate, Field, Part, Role, Scene};

use crate::trace::{Blocked, Ending};
use crate::values::{ChannelValues, FrameValues, ObjectValues, StateValues, ThreadValues, Value};

/// The scene of a state, with what differs from the state before, and what threads wait for.
pub fn scene(
    title: &str,
    before: Option<&StateValues>,
    state: &StateValues,
    ending: Option<&Ending>,
) -> Scene {
    let parts = parts(state);
    let parts = match before {
        Some(before) => compared(self::parts(before), parts),
        None => parts,
    };
    let blocked = ending.map_or(&[][..], |ending| &ending.blocked);
    Scene { title: title.to_owned(), parts, claims: claims(state, blocked) }
}

/// Marks what is different. What is gone stays, as a box of something that has ended.
fn compared(before: Vec<Part>, after: Vec<Part>) -> Vec<Part> {
    let known = |name: &str, parts: &[Part]| parts.iter().position(|part| part.name == name);
    let mut parts = after;
    for part in &mut parts {
        let Some(old) = known(&part.name, &before).map(|at| &before[at]) else {
            part.fate = Fate::Made;
            continue;
        };
        for field in &mut part.fields {
            field.is_changed = old.fields.iter().all(|other| other.text != field.text);
        }
    }
    for old in before {
        if known(&old.name, &parts).is_none() {
            // Nothing refers to it any more, and what it referred to may be gone.
            let fields = old.fields.into_iter().map(|field| Field { targets: Vec::new(), ..field }).collect();
            parts.push(Part { fate: Fate::Ended, fields, ..old });
        }
    }
    parts
}

fn parts(state: &StateValues) -> Vec<Part> {
    let StateValues { globals, channels, threads, objects } = state;
    let mut parts = Vec::new();
    if !globals.is_empty() {
        let fields = globals.iter().map(|(name, value)| field(name, value)).collect();
        let (name, kind) = ("variables".to_owned(), String::new());
        parts.push(Part { name, kind, role: Role::Globals, fields, fate: Fate::Stays });
    }
    parts.extend(threads.iter().filter(|(_, thread)| !thread.ended).map(|(name, thread)| {
        let (kind, role, fate) = ("threads".to_owned(), Role::Thread, Fate::Stays);
        Part { name: name.clone(), kind, role, fields: of_thread(thread), fate }
    }));
    parts.extend(channels.iter().map(|(name, channel)| {
        let (kind, role, fate) = ("channels".to_owned(), Role::Object, Fate::Stays);
        Part { name: name.clone(), kind, role, fields: of_channel(channel), fate }
    }));
    parts.extend(objects.iter().map(|(name, object)| {
        let (kind, role, fate) = (object.kind.clone(), Role::Object, Fate::Stays);
        Part { name: name.clone(), kind, role, fields: of_object(object), fate }
    }));
    parts
}

fn of_thread(thread: &ThreadValues) -> Vec<Field> {
    let mut fields = Vec::new();
    for (depth, frame) in thread.frames.iter().enumerate() {
        let FrameValues { procedure, at, location, locals } = frame;
        let call = if depth == 0 { String::new() } else { format!("in {procedure}: ") };
        let text = format!("{call}at {at} (line {})", location.line);
        fields.push(Field { text, tone: Tone::Link, ..Field::default() });
        fields.extend(locals.iter().map(|(name, value)| field(name, value)));
    }
    if thread.exclusive {
        let text = "alone, in an atomic block".to_owned();
        fields.push(Field { text, tone: Tone::Doubt, ..Field::default() });
    }
    if let Some(waiting) = &thread.waiting {
        let text = if waiting.notified { "notified by" } else { "waits for a notification by" };
        let text = format!("{text} {}", waiting.lock);
        fields.push(Field { text, tone: Tone::Doubt, ..Field::default() });
    }
    fields
}

fn of_channel(ChannelValues { capacity, messages }: &ChannelValues) -> Vec<Field> {
    let filled = format!("{} of {capacity} messages", messages.len());
    let tone = if messages.len() == *capacity as usize { Tone::Doubt } else { Tone::Plain };
    let mut fields = vec![Field { text: filled, tone, ..Field::default() }];
    fields.extend(messages.iter().enumerate().map(|(at, message)| {
        let shown: Vec<String> = message.iter().map(ToString::to_string).collect();
        let targets = message.iter().flat_map(names).collect();
        Field { text: format!("{}: {}", at + 1, shown.join(", ")), targets, ..Field::default() }
    }));
    fields
}

fn of_object(object: &ObjectValues) -> Vec<Field> {
    match &object.value {
        Value::Record { record } => record.iter().map(|(name, value)| field(name, value)).collect(),
        Value::List(elements) => {
            let fields = elements.iter().enumerate();
            fields.map(|(at, element)| field(&format!("[{at}]"), element)).collect()
        }
        // Arrows say who holds a lock.
        Value::Lock { .. } | Value::Ended { .. } => {
            vec![Field { text: object.value.to_string(), ..Field::default() }]
        }
        value => vec![Field { text: value.to_string(), targets: names(value), ..Field::default() }],
    }
}

fn field(name: &str, value: &Value) -> Field {
    Field { text: format!("{name} = {value}"), targets: names(value), ..Field::default() }
}

/// The names of all that a value refers to.
fn names(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object { object: name }
        | Value::Pointer { pointer: name, .. }
        | Value::Thread { thread: name }
        | Value::Channel { channel: name } => {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        Value::Set { set: list } | Value::List(list) | Value::Queue { queue: list, .. } => {
            for value in list {
                collect(value, found);
            }
        }
        Value::Bag { bag } => bag.iter().for_each(|entry| collect(&entry.element, found)),
        Value::Map { map } => map.iter().for_each(|entry| {
            collect(&entry.key, found);
            collect(&entry.value, found);
        }),
        Value::Messages { messages } => messages.iter().flatten().for_each(|value| collect(value, found)),
        Value::Record { record } => record.values().for_each(|value| collect(value, found)),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Text(_)
        | Value::Symbol { .. }
        | Value::Lock { .. }
        | Value::Ended { .. }
        | Value::Waiting { .. } => {}
    }
}

/// Who holds locks, and who waits for locks and channels.
fn claims(state: &StateValues, blocked: &[Blocked]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (name, object) in &state.objects {
        if let Value::Lock { lock } = &object.value
            && let Some(owner) = &lock.owner
        {
            let label =
                if lock.count > 1 { format!("holds {} times", lock.count) } else { "holds".to_owned() };
            claims.push(Claim { thread: owner.clone(), what: name.clone(), is_held: true, label });
        }
    }
    for Blocked { thread, waits, .. } in blocked {
        for what in waits.iter().filter_map(|wait| wait.what.as_ref()) {
            let label = "waits for".to_owned();
            claims.push(Claim { thread: thread.clone(), what: what.clone(), is_held: false, label });
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::Place;
    use crate::trace::Wait;
    use crate::values::Held;
    use crate::{Blocked, FaultKind};

    fn state(objects: &[(&str, Value)]) -> StateValues {
        let object = |(name, value): &(&str, Value)| {
            ((*name).to_owned(), ObjectValues { kind: "Node".to_owned(), value: value.clone() })
        };
        StateValues { objects: objects.iter().map(object).collect(), ..StateValues::default() }
    }

    fn node(key: i64, next: Option<&str>) -> Value {
        let next = next.map_or(Value::Null, |name| Value::Object { object: name.to_owned() });
        Value::Record {
            record: BTreeMap::from([("key".to_owned(), Value::Int(key)), ("next".to_owned(), next)]),
        }
    }

    #[test]
    fn what_is_new_changed_and_gone() {
        let before = state(&[("Node#1", node(1, Some("Node#2"))), ("Node#2", node(2, None))]);
        let after = state(&[("Node#1", node(1, Some("Node#3"))), ("Node#3", node(2, None))]);
        let scene = scene("", Some(&before), &after, None);
        let of = |part: &Part| {
            let changed: Vec<&str> =
                part.fields.iter().filter(|field| field.is_changed).map(|field| &*field.text).collect();
            (part.name.clone(), part.fate, changed.join(" "))
        };
        let expect = [
            ("Node#1", Fate::Stays, "next = Node#3"),
            ("Node#3", Fate::Made, ""),
            ("Node#2", Fate::Ended, ""),
        ];
        let found: Vec<_> = scene.parts.iter().map(of).collect();
        assert_eq!(found, expect.map(|(name, fate, changed)| (name.to_owned(), fate, changed.to_owned())));
        assert_eq!(scene.parts[0].fields[1].targets, ["Node#3"]);
    }

    #[test]
    fn locks_are_held_and_wanted() {
        let lock = Value::Lock { lock: Held { owner: Some("T#1".to_owned()), count: 2 } };
        let wait = Wait {
            text: String::new(),
            location: Place::default(),
            reads: Vec::new(),
            on: None,
            what: Some("lock#1".to_owned()),
        };
        let blocked = Blocked { thread: "T#2".to_owned(), location: Place::default(), waits: vec![wait] };
        let ending = Ending {
            kind: FaultKind::Deadlock,
            message: String::new(),
            location: None,
            is_of_step: false,
            reads: Vec::new(),
            objects: Vec::new(),
            blocked: vec![blocked],
            waiting_cycle: Vec::new(),
        };
        let scene = scene("", None, &state(&[("lock#1", lock)]), Some(&ending));
        let of = |claim: &Claim| format!("{} {} {}", claim.thread, claim.label, claim.what);
        let claims: Vec<String> = scene.claims.iter().map(of).collect();
        assert_eq!(claims, ["T#1 holds 2 times lock#1", "T#2 waits for lock#1"]);
    }
}
