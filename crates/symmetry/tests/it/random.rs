//! States that are put together at random, without a program that gets there.
//!
//! The programs declare variables and nothing else of interest. States come about by edits: places are
//! written, objects made, threads started and ended, functions entered and left. So they are full of ties,
//! cycles and garbage, and of collections within collections.

use ir::{ProcedureId, Program, RecordId, TypeId};
use state::{Layout, NodeRef, ObjectId, ObjectKind, Slot, SlotKind, State, TermKind, Terms, ThreadId};
use testing::SplitMix64;

use crate::BOUNDS;

const FUNCTIONAL: &[&str] = &["Node", "Node", "Node", "tid", "lock", "Node[]", "int (0, 1)"];

/// What relations are about, in a place of its own.
const NAMED: &[&str] = &["Name", "Name", "Node", "tid"];

const RELATIONAL: &[&str] = &[
    "Name",
    "Set<Name>",
    "Set<Node>",
    "Set<tid>",
    "Set<int (0, 1)>",
    "Bag<Name>",
    "Bag<Node>",
    "Seq<Name>",
    "Seq<Node>",
    "Queue<tid>",
    "Map<Name, Node>",
    "Map<Name, Name>",
    "Map<Node, Node>",
    "Map<Node, int (0, 1)>",
    "Map<int (0, 1), Node>",
    "Map<int (0, 1), Set<Name>>",
    "Map<tid, Set<Node>>",
    "Map<Set<Name>, Node>",
    "Map<Seq<Name>, int (0, 1)>",
    "Set<Set<Name>>",
    "Set<Set<Node>>",
    "Set<Seq<Name>>",
    "Set<Queue<Node>>",
    "Set<Bag<Name>>",
    "Set<Map<Name, Name>>",
    "Set<Map<Name, int (0, 1)>>",
    "Bag<Set<Node>>",
    "Seq<Set<Name>>",
    "Set<Set<Set<Name>>>",
    "Set<Name>[]",
    "Name[]",
];

/// A program with random types of variables, with or without relations among them.
pub fn shapes(rng: &mut SplitMix64, relations: bool) -> Program {
    // Few types: so more is alike.
    let types: Vec<&str> = (0..2 + rng.below(3))
        .map(|at| match at {
            _ if !relations => *rng.pick(FUNCTIONAL),
            1 => *rng.pick(NAMED),
            _ => *rng.pick(RELATIONAL),
        })
        .collect();
    let abstracts = match rng.below(4) {
        _ if !relations => "",
        0 => "abstract enum Name { a, b, c, d } invariant pinned = Set<Name>(null) != Set<Name>(Name::b);",
        1 => "abstract enum Name { a, b, c, d }",
        _ => "abstract enum Name { a, b, c }",
    };
    let mut variables = |prefix: &str, most: usize| -> Vec<String> {
        let count = 1 + rng.below(most);
        (0..count).map(|number| format!("{} {prefix}{number}", rng.pick(&types))).collect()
    };
    let declared = |variables: Vec<String>, before: &str| -> String {
        variables.iter().flat_map(|variable| [before, variable.as_str(), "; "]).collect()
    };
    let (globals, fields, params) = (variables("g", 2), variables("f", 3), variables("p", 2));
    let locals = declared(variables("l", 2), "local ");
    // Places that are stored to are not steady.
    let name = |variable: &String| variable.rsplit(' ').next().unwrap_or_default().to_owned();
    let owned = fields.iter().map(|field| format!("nodes[0].{}", name(field)));
    let places = globals.iter().chain(&params).map(name).chain(owned).chain(["nodes[0]".to_owned()]);
    let stored: Vec<String> = places.filter(|_| rng.chance(50)).collect();
    let stores: String =
        stored.iter().flat_map(|place| [place.as_str(), " := ", place.as_str(), "; "]).collect();
    let (globals, fields) = (declared(globals, "global "), declared(fields, ""));
    let params = params.join(", ");
    testing::program(&format!(
        "program shapes;
        {abstracts}
        record Node {{ {fields} }}
        global Node[] nodes;
        {globals}
        thread T({params}) {{
          loc a: when true do {{ {stores} }} goto b;
          loc b: goto a;
        }}
        function F() {{
          {locals}
          loc a: return;
        }}"
    ))
}

const THREAD: ProcedureId = ProcedureId(0);
const FUNCTION: ProcedureId = ProcedureId(1);

pub fn running(state: &State) -> Vec<ThreadId> {
    (0..state.thread_limit()).map(ThreadId).filter(|&id| state.is_running(id)).collect()
}

fn objects(state: &State) -> Vec<ObjectId> {
    let all = (0..state.object_limit()).map(ObjectId);
    all.filter(|&id| state.exists(NodeRef::Object(id))).collect()
}

/// A random state without garbage.
pub fn random_state(layout: &Layout, edits: usize, rng: &mut SplitMix64) -> State {
    let mut state = State::new(layout);
    let ends = rng.below(25);
    for _ in 0..edits {
        edit(layout, &mut state, rng);
        if rng.chance(ends) {
            end_somebody(layout, &mut state, rng);
        }
    }
    // A program cannot lose what it has never had, but edits can: without this, the test would not look for
    // garbage.
    let slot = layout.root.slots[0];
    let nodes = state.read(0, slot);
    for value in [1, 0, nodes] {
        state.write(NodeRef::Root, 0, slot, value);
    }
    state.collect(layout);
    state.forget();
    state
}

/// Ends a thread, if there is one. No step starts a thread and then ends it.
pub fn end_somebody(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let threads = running(state);
    if !threads.is_empty() {
        state.end_thread(layout, *rng.pick(&threads));
    }
}

/// Changes something.
pub fn edit(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let threads = running(state);
    match rng.below(20) {
        0..=2 if threads.len() < 4 => {
            let frame = layout.frames[THREAD].template.clone();
            state.start_thread(layout, &frame, BOUNDS.threads);
        }
        3 if !threads.is_empty() => {
            let id = *rng.pick(&threads);
            if state.has_one_frame(layout, id) {
                let frame = layout.frames[FUNCTION].template.clone();
                state.push_frame(layout, id, &frame);
            } else {
                state.pop_frame(layout, id);
            }
        }
        4..=5 if !threads.is_empty() => {
            // The first frame of a thread can be at either of two locations.
            let id = *rng.pick(&threads);
            let frame = state.frames(layout, id).next().expect("it runs");
            let location = layout.location.get(&layout.frames[THREAD].template) + rng.below(2) as i64;
            state.write(NodeRef::Thread(id), frame, layout.location, location);
        }
        6..=10 => {
            if let Some(id) = new_object(layout, state, rng) {
                let places = places(layout, state);
                let fits = places.iter().filter(|place| place.2.kind == SlotKind::Object);
                // There is one among the globals.
                let &(node, base, slot) = *rng.pick(&fits.collect::<Vec<_>>());
                state.write(node, base, slot, id.raw());
                if rng.chance(10) {
                    // Garbage at once.
                    state.write(node, base, slot, 0);
                }
            }
        }
        _ => write_somewhere(layout, state, rng),
    }
}

fn new_object(layout: &Layout, state: &mut State, rng: &mut SplitMix64) -> Option<ObjectId> {
    if state.object_count() >= 5 {
        return None;
    }
    let choices = 6 + layout.arrays.len();
    match rng.below(choices) {
        0 => state.new_object(&layout.lock.template, layout.lock.len(), 0, BOUNDS.objects),
        chosen if chosen >= 6 => {
            let array = layout.arrays[chosen - 6];
            let length = 1 + rng.below(2) as u32;
            let mut first = [0];
            layout.tag.put(&mut first, array.tag.into());
            layout.array_length.put(&mut first, length.into());
            state.new_object(&first, array.words(length), array.default, BOUNDS.objects)
        }
        _ => {
            let shape = &layout.records[RecordId(0)];
            state.new_object(&shape.template, shape.len(), 0, BOUNDS.objects)
        }
    }
}

/// All places that edits may write.
fn places(layout: &Layout, state: &State) -> Vec<(NodeRef, usize, Slot)> {
    let mut places = Vec::new();
    let mut add = |node: NodeRef, base: usize, slots: &[Slot]| {
        places.extend(slots.iter().map(|&slot| (node, base, slot)));
    };
    add(NodeRef::Root, 0, &layout.root.slots);
    for id in running(state) {
        for frame in state.frames(layout, id) {
            // Not the location.
            add(NodeRef::Thread(id), frame, &state.frame_shape(layout, frame).slots[1..]);
        }
    }
    for id in objects(state) {
        let (node, base) = (NodeRef::Object(id), state.object(id));
        match layout.kind(state.read(base, layout.tag)) {
            // Not the tag.
            ObjectKind::Record(record) => add(node, base, &layout.records[record].slots[1..]),
            ObjectKind::Lock => add(node, base, &layout.lock.slots[1..]),
            ObjectKind::Tombstone(_) => {}
            ObjectKind::Channel(_) | ObjectKind::Block(_) => {
                unreachable!("these programs have neither channels nor blocks")
            }
            ObjectKind::Array(array) => {
                let length = state.read(base, layout.array_length) as u32;
                let array = layout.arrays[array as usize];
                let slots: Vec<Slot> = (0..length).map(|index| array.slot(index)).collect();
                add(node, base, &slots);
            }
        }
    }
    places
}

pub fn write_somewhere(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let (node, base, slot) = *rng.pick(&places(layout, state));
    if let SlotKind::Value(ty) = slot.kind {
        let words = random_value(layout, state, ty, rng);
        state.write_value(layout, node, base, slot, &words);
    } else {
        let value = random_atom(layout, state, slot.kind, slot.bits, slot.lo, rng);
        state.write(node, base, slot, value);
    }
}

fn random_atom(
    layout: &Layout,
    state: &State,
    kind: SlotKind,
    bits: u8,
    lo: i64,
    rng: &mut SplitMix64,
) -> i64 {
    if kind != SlotKind::Data && rng.chance(10) {
        return 0;
    }
    let pick = |ids: Vec<i64>, rng: &mut SplitMix64| if ids.is_empty() { 0 } else { *rng.pick(&ids) };
    match kind {
        SlotKind::Data => lo + rng.below(if bits == 0 { 1 } else { 2 }) as i64,
        SlotKind::Object => pick(objects(state).into_iter().map(ObjectId::raw).collect(), rng),
        SlotKind::Thread => {
            let all = (0..state.thread_limit()).map(ThreadId).filter(|&id| state.thread_exists(id));
            pick(all.map(ThreadId::raw).collect(), rng)
        }
        SlotKind::Abstract(of) => 1 + rng.below(layout.abstracts[of as usize] as usize) as i64,
        SlotKind::Pointer(_) | SlotKind::Value(_) => unreachable!("no atom of these programs"),
    }
}

/// A small value of a type.
fn random_value(layout: &Layout, state: &State, ty: TypeId, rng: &mut SplitMix64) -> Vec<u64> {
    let terms = &layout.terms;
    let atom = |kind, rng: &mut _| vec![random_atom(layout, state, kind, 1, 0, rng) as u64];
    let (of, value) = match terms.kind(ty) {
        TermKind::Data => return atom(SlotKind::Data, rng),
        TermKind::Object => return atom(SlotKind::Object, rng),
        TermKind::Thread => return atom(SlotKind::Thread, rng),
        TermKind::Abstract(of) => return atom(SlotKind::Abstract(of), rng),
        TermKind::Set(of) | TermKind::Bag(of) | TermKind::Seq(of) | TermKind::Queue(of) => (of, None),
        TermKind::Map(of, value) => (of, Some(value)),
    };
    let mut entries: Vec<Vec<u64>> = Vec::new();
    let mut keys = Vec::new();
    for _ in 0..rng.below(4) {
        let key = random_value(layout, state, of, rng);
        let mut entry = key.clone();
        match (terms.kind(ty), value) {
            (TermKind::Bag(_), _) => entry.push(1 + rng.below(2) as u64),
            (_, Some(value)) => entry.extend(random_value(layout, state, value, rng)),
            _ => {}
        }
        if matches!(terms.kind(ty), TermKind::Seq(_) | TermKind::Queue(_)) || !keys.contains(&key) {
            keys.push(key);
            entries.push(entry);
        }
    }
    let mut words = Vec::new();
    if let TermKind::Queue(_) = terms.kind(ty) {
        words.push(3);
    }
    words.push(entries.len() as u64);
    words.extend(entries.concat());
    if !matches!(terms.kind(ty), TermKind::Seq(_) | TermKind::Queue(_)) {
        terms.sort(ty, &mut words);
    }
    words
}

/// Changes one value, reference or element.
pub fn mutate(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let places = places(layout, state);
    let filled: Vec<_> = places
        .iter()
        .filter_map(|&(node, base, slot)| match slot.kind {
            SlotKind::Value(ty) if layout.terms.has_names(ty) && state.read(base, slot) != 0 => {
                Some((node, base, slot, ty))
            }
            _ => None,
        })
        .collect();
    if !filled.is_empty()
        && rng.chance(60)
        && let (node, base, slot, ty) = *rng.pick(&filled)
        && let Some(words) = with_other_element(layout, state, ty, state.read(base, slot), rng)
    {
        state.write_value(layout, node, base, slot, &words);
    } else {
        write_somewhere(layout, state, rng);
    }
    state.collect(layout);
    state.forget();
}

/// The collection with another name at one place, if that is a collection.
fn with_other_element(
    layout: &Layout,
    state: &State,
    ty: TypeId,
    raw: i64,
    rng: &mut SplitMix64,
) -> Option<Vec<u64>> {
    let terms = &layout.terms;
    let mut words = state.value(layout, ty, raw).to_vec();
    let mut names = Vec::new();
    let mut at = 0;
    terms.scan(ty, &words, 0, &mut |kind, _| {
        match kind {
            TermKind::Object => names.push((at, SlotKind::Object)),
            TermKind::Thread => names.push((at, SlotKind::Thread)),
            TermKind::Abstract(of) => names.push((at, SlotKind::Abstract(of))),
            _ => {}
        }
        at += 1;
    });
    if names.is_empty() {
        return None;
    }
    let (at, kind) = *rng.pick(&names);
    words[at] = random_atom(layout, state, kind, 0, 0, rng) as u64;
    // Renaming puts the entries in order.
    let mut sorted = Vec::new();
    terms.rename(ty, &words, &mut |_, raw| raw, &mut sorted);
    is_value(terms, ty, &sorted).then_some(sorted)
}

/// Whether the entries of sets, bags and maps have different keys, all the way down.
fn is_value(terms: &Terms, ty: TypeId, words: &[u64]) -> bool {
    if terms.is_atom(ty) {
        return true;
    }
    let kind = terms.kind(ty);
    let entries: Vec<_> = terms.entries(ty, words).collect();
    let ordered = matches!(kind, TermKind::Seq(_) | TermKind::Queue(_))
        || entries
            .windows(2)
            .all(|pair| state::compare(&words[pair[0].key.clone()], &words[pair[1].key.clone()]).is_lt());
    ordered
        && entries.iter().all(|entry| {
            let (key, _) = terms.entry_at(ty, words, entry.key.start);
            is_value(terms, key, &words[entry.key.clone()])
                && match kind {
                    TermKind::Map(_, value) => is_value(terms, value, &words[entry.key.end..entry.end]),
                    _ => true,
                }
        })
}
