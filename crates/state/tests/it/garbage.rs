//! What is collected is what a traversal from the roots does not meet, after any edits, undos and decodings.

use std::collections::BTreeSet;

use ir::{ProcedureId, RecordId};
use quotient_state::{Bounds, Layout, NodeRef, ObjectKind, Slot, SlotKind, State, ThreadId};
use system::Encoding;
use testing::{SplitMix64, effort, program};

const BOUNDS: Bounds = Bounds { threads: 6, frames: 6, objects: 60 };

const THREAD: ProcedureId = ProcedureId(0);
const FUNCTION: ProcedureId = ProcedureId(1);
const NODE: RecordId = RecordId(0);

pub fn layout(collection: &str) -> Layout {
    let text = format!(
        "program p;
        record Node {{ Node next; Node other; tid owner; {collection} }}
        global Node first;
        global Node[] table;
        global tid somebody;
        thread T(Node here, tid friend) {{ loc a: goto a; }}
        function F(Node here) {{ loc a: return; }}"
    );
    Layout::new(&program(&text), BOUNDS)
}

fn running(state: &State) -> Vec<ThreadId> {
    (0..state.thread_limit()).map(ThreadId).filter(|&id| state.is_running(id)).collect()
}

/// Everything that can be reached, found by looking.
fn reachable(layout: &Layout, state: &State) -> BTreeSet<NodeRef> {
    let mut pending = vec![NodeRef::Root];
    pending.extend(running(state).into_iter().map(NodeRef::Thread));
    let mut met: BTreeSet<NodeRef> = pending.iter().copied().collect();
    while let Some(unit) = pending.pop() {
        state.edges(layout, unit, &mut |edge| {
            pending.extend(edge.target.node().filter(|&target| met.insert(target)));
        });
    }
    met
}

/// The places of all units that a program can get at.
fn places(layout: &Layout, state: &State) -> Vec<(NodeRef, usize, Slot)> {
    let mut places = Vec::new();
    for unit in reachable(layout, state) {
        let mut add = |base: usize, slots: &[Slot]| {
            places.extend(slots.iter().map(|&slot| (unit, base, slot)));
        };
        match unit {
            NodeRef::Root => add(0, &layout.root.slots),
            NodeRef::Thread(id) => {
                state.frames(layout, id).for_each(|at| add(at, &state.frame_shape(layout, at).slots));
            }
            NodeRef::Object(id) => {
                let base = state.object(id);
                match layout.kind(state.read(base, layout.tag)) {
                    ObjectKind::Array(array) => {
                        let length = state.read(base, layout.array_length) as u32;
                        let slots = (0..length).map(|index| layout.arrays[array as usize].slot(index));
                        add(base, &slots.collect::<Vec<_>>());
                    }
                    _ => add(base, &layout.records[NODE].slots),
                }
            }
        }
    }
    places.retain(|place| place.2.kind != SlotKind::Data);
    places
}

/// Stores a reference to a reachable unit, or null, at some place.
fn write(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let (unit, base, slot) = *rng.pick(&places(layout, state));
    let mut choices = vec![0];
    for target in reachable(layout, state) {
        match (target, slot.kind) {
            (NodeRef::Thread(id), SlotKind::Thread) => choices.push(id.raw()),
            (NodeRef::Object(id), SlotKind::Object | SlotKind::Value(_)) => choices.push(id.raw()),
            _ => {}
        }
    }
    let value = *rng.pick(&choices);
    match slot.kind {
        SlotKind::Value(ty) if value == 0 => {
            let empty = layout.terms.empty(ty).to_vec();
            state.write_value(layout, unit, base, slot, &empty);
        }
        SlotKind::Value(_) => state.write_value(layout, unit, base, slot, &[1, value as u64]),
        _ => state.write(unit, base, slot, value),
    }
}

/// Makes an object and stores it somewhere.
fn allocate(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let places = places(layout, state);
    let fits: Vec<_> = places.iter().filter(|place| place.2.kind == SlotKind::Object).collect();
    let id = if rng.chance(10) {
        let array = layout.arrays[0];
        let mut first = [0];
        layout.tag.put(&mut first, array.tag.into());
        layout.array_length.put(&mut first, 5);
        state.new_object(&first, array.words(5), array.default, BOUNDS.objects)
    } else {
        let shape = &layout.records[NODE];
        state.new_object(&shape.template, shape.len(), 0, BOUNDS.objects)
    };
    if let Some(id) = id {
        let &(unit, base, slot) = *rng.pick(&fits);
        state.write(unit, base, slot, id.raw());
    }
}

pub fn edit(layout: &Layout, state: &mut State, rng: &mut SplitMix64) {
    let threads = running(state);
    let somebody = threads.get(rng.below(threads.len().max(1))).copied();
    let frame_with = |procedure: ProcedureId, rng: &mut SplitMix64| {
        let shape = &layout.frames[procedure];
        let mut frame = shape.template.clone();
        let objects: Vec<_> = reachable(layout, state).into_iter().collect();
        if let NodeRef::Object(id) = *rng.pick(&objects) {
            shape.slots[1].put(&mut frame, id.raw());
        }
        frame
    };
    match (rng.below(20), somebody) {
        (0, _) => {
            let frame = frame_with(THREAD, rng);
            state.start_thread(layout, &frame, BOUNDS.threads);
        }
        (1, Some(id)) => state.end_thread(layout, id),
        (2..=3, Some(id)) if state.has_one_frame(layout, id) => {
            let frame = frame_with(FUNCTION, rng);
            state.push_frame(layout, id, &frame);
        }
        (2..=3, Some(id)) => state.pop_frame(layout, id),
        (4..=9, _) => allocate(layout, state, rng),
        _ => write(layout, state, rng),
    }
}

fn check(layout: &Layout, seed: u64) -> usize {
    let rng = &mut SplitMix64::new(seed);
    let mut state = State::new(layout);
    let mut past = Vec::new();
    let mut dropped = 0;
    for round in 0..400 {
        let onwards = if round / 40 % 2 == 0 { 85 } else { 40 };
        if past.is_empty() || rng.chance(onwards) {
            past.push(state.snapshot());
            state.mark();
            for _ in 0..=rng.below(3) {
                edit(layout, &mut state, rng);
            }
            let expected = reachable(layout, &state);
            dropped += state.units().count() + 1 - expected.len();
            state.collect(layout);
            let left: BTreeSet<NodeRef> = state.units().chain([NodeRef::Root]).collect();
            assert_eq!(left, expected, "seed {seed}, round {round}");
        } else if rng.chance(95) {
            state.undo();
            assert_eq!(Some(state.snapshot()), past.pop(), "seed {seed}, round {round}");
        } else {
            let mut encoding = Encoding::new();
            state.mark_all_unencoded();
            state.encode(layout, &mut encoding);
            state.decode(layout, &encoding);
            past.clear();
        }
        // From some time on, it is known at every word which unit it belongs to.
        if round >= seed as usize % 200 {
            state.map_units();
            check_units(&state);
        }
    }
    dropped
}

fn check_units(state: &State) {
    let mut expected = vec![None; state.all_words().len()];
    for unit in state.units().chain([NodeRef::Root]) {
        let len = state.words_of(unit).expect("it exists").len();
        expected[state.start_of(unit)..][..len].fill(Some(unit));
    }
    let found: Vec<_> = (0..expected.len()).map(|at| state.unit_at(at)).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_collected_is_what_cannot_be_reached() {
    let layout = layout("");
    let dropped: usize = (0..effort(150)).map(|seed| check(&layout, seed)).sum();
    assert!(dropped as u64 > effort(5000), "{dropped}");
}

#[test]
fn collections_refer_to_what_is_in_them() {
    let layout = layout("Set<Node> friends;");
    let dropped: usize = (0..effort(30)).map(|seed| check(&layout, seed)).sum();
    assert!(dropped as u64 > effort(1000), "{dropped}");
}
