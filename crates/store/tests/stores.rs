//! One corpus, every store: what must hold of all of them, and agreement with the naive one.

use proptest::prelude::*;
use quotient_store::{Budget, Exact, Full, Insert, Naive, StateId, StateStore};
use system::{Encoding, Key, Section};

/// The components of a state, as a test writes them down.
type Components = Vec<(Key, Vec<u64>)>;

fn encoding(components: &Components) -> Encoding {
    let mut encoding = Encoding::new();
    for (key, words) in components {
        encoding.set(*key, words);
    }
    encoding
}

fn root(words: &[u64]) -> Encoding {
    encoding(&vec![(Key { section: Section::Root, index: 0 }, words.to_vec())])
}

fn stores(budget: &Budget) -> [Box<dyn StateStore>; 2] {
    [Box::new(Exact::new(budget)), Box::new(Naive::new(budget))]
}

fn any_key() -> impl Strategy<Value = Key> {
    let section = prop_oneof![Just(Section::Root), Just(Section::Threads), Just(Section::Objects)];
    (section, 0_u32..12).prop_map(|(section, index)| Key { section, index })
}

/// Mostly few small words, sometimes none, sometimes so many that their number needs a word of its own.
fn any_words() -> impl Strategy<Value = Vec<u64>> {
    let small = prop::collection::vec(0_u64..3, 0..4);
    let wide = prop::collection::vec(any::<u64>(), 0..4);
    let long = (250_usize..260, 0_u64..2).prop_map(|(len, word)| vec![word; len]);
    prop_oneof![6 => small, 2 => wide, 1 => long]
}

fn any_state() -> impl Strategy<Value = Components> {
    prop::collection::vec((any_key(), any_words()), 0..6)
}

/// Few distinct states, so that many insertions meet a stored one.
fn any_run() -> impl Strategy<Value = (Vec<Components>, Vec<usize>)> {
    prop::collection::vec(any_state(), 1..60).prop_flat_map(|states| {
        let visits = prop::collection::vec(0..states.len(), 0..200);
        (Just(states), visits)
    })
}

/// Nothing stored is lost or changed: each id leads to its encoding and back.
fn check_consistent(store: &mut dyn StateStore, stored: &[Encoding]) {
    assert_eq!((store.len(), store.is_empty()), (stored.len(), stored.is_empty()));
    let mut back = Encoding::new();
    for (index, encoding) in stored.iter().enumerate() {
        let id = StateId(index as u32);
        store.decode(id, &mut back);
        assert!(back.same(encoding), "{id} of the {} store changed", store.kind());
        assert_eq!(store.find(encoding), Some(id));
        assert_eq!(store.insert(None, encoding), Ok(Insert::Seen(id)));
    }
}

proptest! {
    #[test]
    fn all_stores_agree_with_a_plain_list((states, visits) in any_run()) {
        let encodings: Vec<Encoding> = states.iter().map(encoding).collect();
        for mut store in stores(&Budget::unlimited()) {
            let mut stored: Vec<Encoding> = Vec::new();
            for &visit in &visits {
                let encoding = &encodings[visit];
                let known = stored.iter().position(|other| other.same(encoding));
                let known = known.map(|index| StateId(index as u32));
                prop_assert_eq!(store.find(encoding), known);
                let expected = known.map_or(Insert::New(StateId(stored.len() as u32)), Insert::Seen);
                prop_assert_eq!(store.insert(known, encoding), Ok(expected));
                if known.is_none() {
                    stored.push(encoding.clone());
                }
            }
            check_consistent(&mut *store, &stored);
        }
    }

    #[test]
    fn a_refusal_leaves_the_store_as_it_was((states, visits) in any_run(), limit in 0_usize..3_000_000) {
        let encodings: Vec<Encoding> = states.iter().map(encoding).collect();
        let [exact, _] = stores(&Budget::counted(limit));
        let [_, naive] = stores(&Budget::counted(limit));
        for mut store in [exact, naive] {
            let mut stored: Vec<Encoding> = Vec::new();
            for &visit in &visits {
                match store.insert(None, &encodings[visit]) {
                    Ok(Insert::New(_)) => stored.push(encodings[visit].clone()),
                    Ok(Insert::Seen(_)) => {}
                    Err(full) => {
                        prop_assert_eq!(full, Full::Memory);
                        prop_assert_eq!(store.find(&encodings[visit]), None);
                    }
                }
            }
            check_consistent(&mut *store, &stored);
        }
    }
}

#[test]
fn growth_through_many_doublings() {
    let state = |i: u64| root(&[(i * i % 99_991) << (i % 40), i % 7, u64::MAX / (i + 1)]);
    for mut store in stores(&Budget::unlimited()) {
        for i in 0..99_991 / 2 {
            assert_eq!(store.insert(None, &state(i)), Ok(Insert::New(StateId(i as u32))));
        }
        for i in 0..99_991 / 2 {
            assert_eq!(store.insert(None, &state(i)), Ok(Insert::Seen(StateId(i as u32))));
            assert_eq!(store.find(&root(&[i * i % 99_991, i % 7, 1 << 63])), None);
        }
    }
}

/// Short of memory, the table fills up before the store gives up; then all is still there.
#[test]
fn memory_runs_out_in_the_middle_of_growth() {
    let mut counts = Vec::new();
    for limit in [0, 1 << 20, (1 << 20) + (1 << 19) + (1 << 13), 2 << 20, 3 << 20] {
        let mut store = Exact::new(&Budget::counted(limit));
        let mut stored = Vec::new();
        let refused = loop {
            let encoding = root(&[stored.len() as u64, 3]);
            match store.insert(None, &encoding) {
                Ok(answer) => assert_eq!(answer, Insert::New(StateId(stored.len() as u32))),
                Err(full) => break full,
            }
            stored.push(encoding);
        };
        assert_eq!(refused, Full::Memory);
        // Shapes are too few to ask for.
        assert!(store.bytes() <= limit + 100, "{} of {limit} bytes", store.bytes());
        check_consistent(&mut store, &stored);
        counts.push(stored.len());
    }
    assert_eq!(counts[0], 0);
    // Marks, one chunk of the arena and 1024 slots, of which 7/8 can be used.
    assert_eq!(counts[2], 896);
    assert!(counts.is_sorted() && counts[4] > counts[3], "more memory holds more: {counts:?}");
}

#[test]
fn ids_run_out_with_an_error() {
    let mut store = Exact::new(&Budget::unlimited()).with_id_limit(3);
    for i in 0..3 {
        assert_eq!(store.insert(None, &root(&[i])), Ok(Insert::New(StateId(i as u32))));
    }
    assert_eq!(store.insert(None, &root(&[3])), Err(Full::Ids));
    assert_eq!(store.insert(None, &root(&[1])), Ok(Insert::Seen(StateId(1))));
    assert_eq!(store.len(), 3);
}

/// More shapes than are interned: heads are kept inline from then on, and old ones are still found.
#[test]
fn models_with_very_many_shapes() {
    let mut store = Exact::new(&Budget::unlimited());
    let state = |i: u32| {
        let key = |index| Key { section: Section::Threads, index };
        let len = |digit: u32| vec![0; (i / 6_u32.pow(digit) % 6) as usize];
        encoding(&(0..6).map(|digit| (key(digit), len(digit))).collect())
    };
    let n = 6_u32.pow(6);
    for i in 0..n {
        assert_eq!(store.insert(None, &state(i)), Ok(Insert::New(StateId(i))));
    }
    let mut back = Encoding::new();
    for i in (0..n).rev() {
        assert_eq!(store.insert(None, &state(i)), Ok(Insert::Seen(StateId(i))));
        assert_eq!(store.find(&state(i)), Some(StateId(i)));
        store.decode(StateId(i), &mut back);
        assert!(back.same(&state(i)));
    }
}

#[test]
fn small_states_take_few_bytes() {
    let mut store = Exact::new(&Budget::unlimited());
    for i in 0..100_000_u64 {
        store.insert(None, &root(&[i & 0xff, i >> 8 & 0xff, i >> 16, 0, 0, 0, 0, 1])).unwrap();
    }
    // 5 for the head of the record, 1 for the shape, 4 + 4 for the words, 1/2 for the mark, the rest slots.
    let slots = 8.0 * 262_144.0 / 100_000.0;
    let per_state = store.bytes() as f64 / 100_000.0 - slots;
    assert!(per_state < 15.5, "{per_state} bytes a state");
}
