//! Where values stand, and that they come back from there: at the edges of words and of ranges.

use ir::{Id, LocalId, ProcedureId, RecordId};
use quotient_state::{Bounds, Layout, NodeRef, SlotKind, State, bits_for, mask};
use system::Encoding;
use testing::program;

fn layout(text: &str) -> Layout {
    Layout::new(&program(text), Bounds::default())
}

#[test]
fn as_many_bits_as_values() {
    assert_eq!([0, 1, 2, 3, 4, 255, 256, u64::MAX].map(bits_for), [0, 1, 2, 2, 3, 8, 9, 64]);
    assert_eq!([0, 1, 63, 64].map(mask), [0, 1, u64::MAX >> 1, u64::MAX]);
}

#[test]
fn values_never_straddle_words_and_fill_gaps() {
    let layout = layout(
        "program p;
        enum One { only }
        global long (0, 1099511627775) forty;
        global long whole;
        global int (0, 16777215) twentyfour;
        global One one;
        global boolean flag;
        global int (-5, -2) low;
        thread T() { loc a: do { flag := true; } return; }
        active T;",
    );
    let slots: Vec<_> = layout.root.slots.iter().map(|slot| (slot.word, slot.shift, slot.bits)).collect();
    // The second value fills a word alone; the third still fits behind the first.
    assert_eq!(slots[..3], [(0, 0, 40), (1, 0, 64), (0, 40, 24)]);
    assert_eq!(slots[3].2, 0, "a type with one value needs no bits");
    assert_eq!((slots[4], slots[5]), ((2, 0, 1), (2, 1, 2)));
    assert_eq!(layout.root.len(), 3);
}

#[test]
fn every_value_of_a_slot_comes_back_and_neighbours_stay() {
    let text = "program p;
        global boolean before;
        global int (-3, 4) x;
        global boolean after;
        global long wide;
        global int (5, 5) fixed;
        thread T() { loc a: do { before := true; } return; }
        active T;";
    let layout = layout(text);
    let mut state = State::new(&layout);
    let [before, x, after, wide, fixed] = layout.root.slots[..5] else { panic!("five globals") };
    assert_eq!(state.read(0, x), 0);
    assert_eq!(state.read(0, fixed), 5, "the default is the value nearest to 0");
    state.mark();
    for flags in [0, 1] {
        state.write(NodeRef::Root, 0, before, flags);
        state.write(NodeRef::Root, 0, after, flags);
        for value in -3..=4 {
            state.write(NodeRef::Root, 0, x, value);
            assert_eq!([before, x, after].map(|slot| state.read(0, slot)), [flags, value, flags]);
        }
    }
    for value in [i64::MIN, -1, 0, 1, i64::MAX] {
        state.write(NodeRef::Root, 0, wide, value);
        assert_eq!(state.read(0, wide), value);
        assert_eq!((state.read(0, x), state.read(0, fixed)), (4, 5));
    }
    state.undo();
    assert_eq!([before, x, after, wide].map(|slot| state.read(0, slot)), [0; 4]);
}

#[test]
fn elements_of_every_width() {
    let layout = layout(
        "program p;
        record R {}
        global boolean[] bits;
        global int (0, 3)[] pairs;
        global int (-100, 100)[] bytes;
        global long[] words;
        global R[] references;
        thread T() { loc a: do { bits := null; } return; }
        active T;",
    );
    let widths: Vec<_> = layout.arrays.iter().map(|array| 1 << array.log_bits).collect();
    assert_eq!(widths, [1, 2, 8, 64, 16]);
    for &array in &layout.arrays {
        let mut words = vec![0; array.words(200)];
        let span = array.slot(0).mask().min(199) as i64;
        for index in 0..200 {
            array.slot(index).put(&mut words, array.lo + i64::from(index) % (span + 1));
        }
        for index in 0..200 {
            assert_eq!(array.slot(index).get(&words), array.lo + i64::from(index) % (span + 1));
        }
        assert_eq!(array.words(0), 1);
    }
    assert_eq!(layout.arrays[4].kind, SlotKind::Object);
}

#[test]
fn references_are_as_wide_as_the_bounds() {
    let text = "program p;
        record R { R next; tid who; }
        thread T(R r) { loc a: do { r := null; } return; }
        thread M() { loc a: return; }
        active M;";
    for (objects, threads, widths) in
        [(1, 1, [1, 1]), (7, 255, [3, 8]), (8, 256, [4, 9]), (65_535, 3, [16, 2])]
    {
        let layout = Layout::new(&program(text), Bounds { threads, frames: 1, objects });
        let record = &layout.records[RecordId::from_index(0)];
        assert_eq!([record.slots[1].bits, record.slots[2].bits], widths);
        assert_eq!(layout.local(ProcedureId::from_index(0), LocalId::from_index(0)).bits, widths[0]);
    }
}

/// Two states that differ in shape, decoded over each other.
#[test]
fn decoding_replaces_everything() {
    let text = "program p;
        record R { R next; boolean b; }
        global R root;
        thread T(R r) { local long x; loc a: return; }
        thread M() { loc a: return; }
        active M;";
    let layout = layout(text);
    let fork = &layout.records[RecordId::from_index(0)].template;
    let frame = &layout.frames[ProcedureId::from_index(0)].template;
    let mut encodings = Vec::new();
    for (objects, threads) in [(0, 1), (3, 0), (3, 2), (1, 2), (3, 2)] {
        let mut state = State::new(&layout);
        for _ in 0..objects {
            state.new_object(fork, fork.len(), 0, 10).unwrap();
        }
        for _ in 0..threads {
            state.start_thread(&layout, frame, 10).unwrap();
        }
        let mut encoding = Encoding::new();
        state.encode(&layout, &mut encoding);
        encodings.push(encoding);
    }
    let mut state = State::new(&layout);
    let mut mirror = Encoding::new();
    state.encode(&layout, &mut mirror);
    for encoding in encodings.iter().chain(encodings.iter().rev()) {
        state.decode(&layout, encoding);
        let mut fresh = Encoding::new();
        state.mark_all_unencoded();
        state.encode(&layout, &mut fresh);
        assert!(fresh.same(encoding));
        let words: usize = encoding.components().map(|(_, words)| words.len()).sum();
        assert_eq!(state.size(), words);
        // And it can go on from there.
        state.mark();
        let id = state.new_object(fork, fork.len(), 0, 10).unwrap();
        assert!(encoding.get(NodeRef::Object(id).key()).is_none(), "the id was free");
        state.undo();
    }
}

#[test]
fn room_is_made_or_refused_for_good() {
    let layout = layout("program p; global boolean b; thread T() { loc a: return; } active T;");
    let mut state = State::new(&layout);
    let before = state.snapshot();
    assert!(state.has_room() && state.has_room_for(3) && state.has_room_for(1 << 17) && state.has_room());
    assert!(state.snapshot() == before, "room is nothing that a state has");
    assert!(!state.has_room_for(1 << 58));
    assert!(!state.has_room() && state.has_room_for(3), "there was too little once");
    state.forget();
    assert!(!state.has_room());
}
