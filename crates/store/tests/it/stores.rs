//! One corpus for every store: the guarantees of all stores, and agreement with the reference store.

use proptest::prelude::*;
use quotient_store::{
    Access, Automaton, Bitstate, Budget, Collapse, CollapseAutomaton, Compact, Exact, Full, Gzip,
    HashSetStore, Hashes, IndexedTrie, Insert, PreparedStore, StateId, StateStore, Trie,
};
use system::{Effect, Encoding, Key, Section, Write};

/// The components of a state, as a test writes them.
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

fn stores(budget: &Budget) -> Vec<Box<dyn StateStore>> {
    vec![
        Box::new(Trie::new(budget, true)),
        Box::new(Trie::new(budget, false)),
        Box::new(IndexedTrie::indexed(budget)),
        Box::new(Exact::new(budget)),
        Box::new(Gzip::new(budget)),
        Box::new(Collapse::new(budget)),
        Box::new(Automaton::new(budget)),
        Box::new(CollapseAutomaton::new(budget)),
        Box::new(HashSetStore::new(budget)),
        // Large enough that nothing is lost.
        Box::new(Compact::new(budget, 8)),
        Box::new(Bitstate::new(budget, 24, Hashes::Usual)),
    ]
}

fn any_key() -> impl Strategy<Value = Key> {
    let section = prop_oneof![Just(Section::Root), Just(Section::Threads), Just(Section::Objects)];
    (section, 0_u32..12).prop_map(|(section, index)| Key { section, index })
}

/// Mostly few small words, sometimes none, sometimes so many that the count needs a word of its own.
fn any_words() -> impl Strategy<Value = Vec<u64>> {
    let small = prop::collection::vec(0_u64..3, 0..4);
    let wide = prop::collection::vec(any::<u64>(), 0..4);
    let long = (250_usize..260, 0_u64..2).prop_map(|(len, word)| vec![word; len]);
    prop_oneof![6 => small, 2 => wide, 1 => long]
}

fn any_state() -> impl Strategy<Value = Components> {
    prop::collection::vec((any_key(), any_words()), 0..6)
}

/// Few distinct states, so that many insertions find a stored one.
fn any_run() -> impl Strategy<Value = (Vec<Components>, Vec<usize>)> {
    prop::collection::vec(any_state(), 1..60).prop_flat_map(|states| {
        let visits = prop::collection::vec(0..states.len(), 0..200);
        (Just(states), visits)
    })
}

/// Whether the store contains the state: with no room for more, an insertion only answers this question.
/// Stores that keep parts of states may notice that a state is new because there is no memory for a part.
fn contains(store: &mut dyn StateStore, encoding: &Encoding) -> bool {
    match store.insert(&mut encoding.clone(), 0) {
        Ok(Insert::Seen(_)) => true,
        Err(Full::States | Full::Memory) => false,
        other => panic!("the {} store answers {other:?}", store.kind()),
    }
}

/// Checks that nothing stored is lost or changed: each id leads to its encoding and back.
fn check_consistent(store: &mut dyn StateStore, stored: &[Encoding]) {
    assert_eq!((store.len(), store.is_empty()), (stored.len(), stored.is_empty()));
    let mut back = Encoding::new();
    for (index, encoding) in stored.iter().enumerate() {
        assert!(contains(store, encoding), "{index} of the {} store is lost", store.kind());
        if store.access() == Access::ById {
            let id = StateId(index as u64);
            store.decode(id, &mut back);
            assert!(back.same(encoding), "{id} of the {} store changed", store.kind());
            assert_eq!(store.insert(&mut back, usize::MAX), Ok(Insert::Seen(Some(id))));
        }
    }
    if store.access() == Access::InOrder {
        for (index, encoding) in stored.iter().enumerate() {
            store.decode(StateId(index as u64), &mut back);
            assert!(back.same(encoding), "{index} of the {} store changed", store.kind());
        }
    }
    assert_eq!(store.len(), stored.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(256) as u32))]

    #[test]
    fn all_stores_agree_with_a_plain_list((states, visits) in any_run()) {
        let mut encodings: Vec<Encoding> = states.iter().map(encoding).collect();
        // Also with one encoding that is changed from state to state, as searches do.
        let mut mirror = Encoding::new();
        for mut store in stores(&Budget::unlimited()) {
            let mut stored: Vec<Encoding> = Vec::new();
            for (turn, &visit) in visits.iter().enumerate() {
                let known = stored.iter().position(|other| other.same(&encodings[visit]));
                prop_assert_eq!(contains(&mut *store, &encodings[visit]), known.is_some());
                let by_mirror = turn % 3 > 0;
                if by_mirror {
                    turn_into(&mut mirror, &encodings[visit]);
                }
                let encoding = if by_mirror { &mut mirror } else { &mut encodings[visit] };
                match (store.insert(encoding, usize::MAX), known) {
                    (Ok(Insert::New(id)), None) => {
                        prop_assert_eq!(id.index(), stored.len());
                        stored.push(encodings[visit].clone());
                    }
                    (Ok(Insert::Seen(id)), Some(known)) => {
                        prop_assert!(id.is_none_or(|id| id.index() == known));
                        prop_assert_eq!(id.is_some(), store.access() == Access::ById);
                    }
                    (answer, _) => prop_assert!(false, "{answer:?} of {}, but {known:?}", store.kind()),
                }
                prop_assert!(!by_mirror || mirror.same(&encodings[visit]));
            }
            check_consistent(&mut *store, &stored);
        }
    }

    #[test]
    fn a_refusal_leaves_the_store_as_it_was((states, visits) in any_run(), limit in 0_usize..3_000_000) {
        let mut encodings: Vec<Encoding> = states.iter().map(encoding).collect();
        for kind in 0..stores(&Budget::unlimited()).len() {
            let mut store = stores(&Budget::counted(limit)).swap_remove(kind);
            let mut stored: Vec<Encoding> = Vec::new();
            let mut mirror = Encoding::new();
            for (turn, &visit) in visits.iter().enumerate() {
                turn_into(&mut mirror, &encodings[visit]);
                let encoding = if turn % 2 > 0 { &mut mirror } else { &mut encodings[visit] };
                match store.insert(encoding, usize::MAX) {
                    Ok(Insert::New(_)) => stored.push(encodings[visit].clone()),
                    Ok(Insert::Seen(_)) => {}
                    Err(full) => {
                        prop_assert_eq!(full, Full::Memory);
                        prop_assert!(!contains(&mut *store, &encodings[visit]));
                    }
                }
            }
            check_consistent(&mut *store, &stored);
        }
    }
}

fn any_write() -> impl Strategy<Value = Write> {
    let mask = prop_oneof![any::<u64>(), (0_u32..64).prop_map(|bit| 1 << bit), Just(u64::MAX)];
    let copied = prop_oneof![Just(0), any::<u64>()];
    (any_key(), 0_u32..4, mask, any::<u64>(), copied, 0_u32..64).prop_map(
        |(key, word, mask, bits, copied, shift)| {
            let copied = copied & mask;
            Write { key, word, mask, bits: bits & mask & !copied, copied, shift }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(256) as u32))]

    /// The predicted result of a change is that of the changed encoding, and the store does not move.
    #[test]
    fn changes_are_foreseen(
        (states, visits) in any_run(),
        writes in prop::collection::vec(prop::collection::vec(any_write(), 0..4), 1..20),
    ) {
        let mut store = Trie::new(&Budget::unlimited(), true);
        for &visit in &visits {
            store.insert(&mut encoding(&states[visit]), usize::MAX).unwrap();
        }
        let mut mirror = Encoding::new();
        for (turn, state) in states.iter().enumerate() {
            turn_into(&mut mirror, &encoding(state));
            assert!(store.set_base(&mut mirror));
            // Each of them several times, under one number and then under another.
            let first = turn % writes.len();
            let last = writes.len().min(first + 3);
            let number = |at: usize| (turn as u64 / 20 + 1) << 32 | at as u64;
            let mut prepare =
                |at: usize| store.prepare_effect(Effect { number: number(at), writes: &writes[at] });
            let tickets: Vec<_> = (first..last).map(&mut prepare).collect();
            prop_assert!((first..last).map(prepare).eq(tickets.iter().copied()));
            let writes = &writes[first..last];
            for (writes, ticket) in writes.iter().zip(tickets) {
                let mut changed = mirror.clone();
                let is_there = writes.iter().all(|write| {
                    let Some(words) = changed.get(write.key) else { return false };
                    let mut words = words.to_vec();
                    let Some(word) = words.get_mut(write.word as usize) else { return false };
                    *word = *word & !write.mask | write.bits | *word >> write.shift & write.copied;
                    changed.set(write.key, &words);
                    true
                });
                prop_assert!(is_there || ticket.is_none());
                if let Some(ticket) = ticket {
                    prop_assert_eq!(ticket, store.prepare(&mut changed).unwrap());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(256) as u32))]

    /// The results of creating and removing components are predicted as well.
    #[test]
    fn components_that_come_and_go_are_foreseen(
        (states, visits) in any_run(),
        changes in prop::collection::vec((any_key(), prop::collection::vec(any::<u64>(), 1..4)), 1..20),
    ) {
        let mut store = Trie::new(&Budget::unlimited(), true);
        for &visit in &visits {
            store.insert(&mut encoding(&states[visit]), usize::MAX).unwrap();
        }
        let mut mirror = Encoding::new();
        let turns = states.iter().flat_map(|state| changes.iter().map(move |change| (state, change)));
        for (turn, (state, (key, words))) in turns.enumerate() {
            turn_into(&mut mirror, &encoding(state));
            assert!(store.set_base(&mut mirror));
            let write = |word, bits| Write { key: *key, word, mask: u64::MAX, bits, copied: 0, shift: 0 };
            let mut changed = mirror.clone();
            let mut writes = Vec::new();
            if let Some(words) = mirror.get(*key) {
                writes.extend((0..words.len() as u32).map(|word| write(word, 0)));
                writes.push(write(Write::LENGTH, 0));
                changed.remove(*key);
            } else {
                writes.push(write(Write::LENGTH, words.len() as u64 + 1));
                writes.extend((0..).zip(words).map(|(word, &bits)| write(word, bits)));
                changed.set(*key, words);
            }
            let effect = Effect { number: 1 << 32 | turn as u64, writes: &writes };
            let ticket = store.prepare_effect(effect);
            prop_assert_eq!(store.prepare_effect(effect), ticket);
            if let Some(ticket) = ticket {
                prop_assert_eq!(ticket, store.prepare(&mut changed).unwrap());
            }
        }
    }
}

/// Changes `mirror` to the state of `target`, component by component.
fn turn_into(mirror: &mut Encoding, target: &Encoding) {
    let old: Vec<Key> = mirror.components().map(|(key, _)| key).collect();
    for key in old.into_iter().filter(|&key| target.get(key).is_none()) {
        mirror.remove(key);
    }
    for (key, words) in target.components() {
        mirror.set(key, words);
    }
}

#[test]
fn growth_through_many_doublings() {
    let state = |i: u64| root(&[(i * i % 99_991) << (i % 40), i % 7, u64::MAX / (i + 1)]);
    for mut store in stores(&Budget::unlimited()) {
        for i in 0..99_991 / 2 {
            assert_eq!(store.insert(&mut state(i), usize::MAX), Ok(Insert::New(StateId(i))));
        }
        for i in 0..99_991 / 2 {
            if store.access() == Access::ById {
                let seen = Insert::Seen(Some(StateId(i)));
                assert_eq!(store.insert(&mut state(i), usize::MAX), Ok(seen));
            }
            assert!(contains(&mut *store, &state(i)));
            assert!(!contains(&mut *store, &root(&[i * i % 99_991, i % 7, 1 << 63])));
        }
    }
}

/// As in a breadth-first search, while the layout of the trie changes.
#[test]
fn states_come_back_in_their_order_while_others_are_stored() {
    let state = |i: u64| {
        let thread = |index, words: &[u64]| (Key { section: Section::Threads, index }, words.to_vec());
        encoding(&vec![thread(0, &[i % 8, i / 8 % 8]), thread(1 + (i / 1000 % 3) as u32, &[i / 64, i % 5])])
    };
    for mut store in stores(&Budget::unlimited()).into_iter().filter(|store| store.access() != Access::Never)
    {
        let (mut back, mut inserted) = (Encoding::new(), 0);
        for asked in 0..20_000 {
            while inserted < 3 * asked + 1 && inserted < 20_000 {
                assert_eq!(
                    store.insert(&mut state(inserted), usize::MAX),
                    Ok(Insert::New(StateId(inserted)))
                );
                inserted += 1;
            }
            store.decode(StateId(asked), &mut back);
            assert!(back.same(&state(asked)), "{asked} of the {} store", store.kind());
            assert!(matches!(store.insert(&mut back, usize::MAX), Ok(Insert::Seen(_))));
        }
    }
}

/// If memory is short, the table fills up before the store refuses; then everything is still there.
#[test]
fn memory_runs_out_in_the_middle_of_growth() {
    let mut counts = Vec::new();
    for limit in [0, 1 << 19, (1 << 19) + 3 * (1 << 12) + (1 << 13), 1 << 20, 2 << 20] {
        let mut store = Exact::new(&Budget::counted(limit));
        let mut stored = Vec::new();
        let refused = loop {
            let mut encoding = root(&[stored.len() as u64, 3]);
            match store.insert(&mut encoding, usize::MAX) {
                Ok(answer) => assert_eq!(answer, Insert::New(StateId(stored.len() as u64))),
                Err(full) => break full,
            }
            stored.push(encoding);
        };
        assert_eq!(refused, Full::Memory);
        // Shapes are so few that the budget is not asked.
        assert!(store.bytes() <= limit + 100, "{} of {limit} bytes", store.bytes());
        check_consistent(&mut store, &stored);
        counts.push(stored.len());
    }
    assert_eq!(counts[0], 0);
    // Marks, two chunks of the arena and 1024 slots, of which 7/8 can be used.
    assert_eq!(counts[2], 896);
    assert!(counts.is_sorted() && counts[4] > counts[3], "more memory holds more: {counts:?}");
}

#[test]
fn ids_run_out_with_an_error() {
    let exact = Exact::new(&Budget::unlimited()).with_id_limit(3);
    let trie = IndexedTrie::indexed(&Budget::unlimited()).with_id_limit(3);
    let stores: [Box<dyn StateStore>; 2] = [Box::new(exact), Box::new(trie)];
    for mut store in stores {
        for i in 0..3 {
            assert_eq!(store.insert(&mut root(&[i]), usize::MAX), Ok(Insert::New(StateId(i))));
        }
        assert_eq!(store.insert(&mut root(&[3]), usize::MAX), Err(Full::Ids));
        assert_eq!(store.insert(&mut root(&[1]), usize::MAX), Ok(Insert::Seen(Some(StateId(1)))));
        assert_eq!(store.len(), 3);
    }
}

/// More shapes than are interned: further heads are kept inline, and old ones are still found.
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
        assert_eq!(store.insert(&mut state(i), usize::MAX), Ok(Insert::New(StateId(i.into()))));
    }
    let mut back = Encoding::new();
    for i in (0..n).rev() {
        assert_eq!(store.insert(&mut state(i), usize::MAX), Ok(Insert::Seen(Some(StateId(i.into())))));
        store.decode(StateId(i.into()), &mut back);
        assert!(back.same(&state(i)));
    }
}

#[test]
fn small_states_take_few_bytes() {
    let mut store = Exact::new(&Budget::unlimited());
    for i in 0..100_000_u64 {
        store.insert(&mut root(&[i & 0xff, i >> 8 & 0xff, i >> 16, 0, 0, 0, 0, 1]), usize::MAX).unwrap();
    }
    // 5 for the head of the record, 1 for the shape, 4 + 4 for the words, 1/2 for the mark, the rest slots.
    let slots = 8.0 * 262_144.0 / 100_000.0;
    let per_state = store.bytes() as f64 / 100_000.0 - slots;
    assert!(per_state < 15.5, "{per_state} bytes a state");
}

/// Three threads and two to five objects: few parts in many combinations.
#[test]
fn states_of_recurring_parts_take_few_bytes() {
    let state = |i: u64| {
        let key = |section, index| Key { section, index };
        let mut components = vec![(key(Section::Root, 0), vec![7, 1 << 40, 0])];
        for thread in 0..3 {
            let local = i >> (4 * thread) & 0xf;
            components.push((
                key(Section::Threads, thread),
                vec![local << 32 | 5, u64::from(thread), local * local, 900],
            ));
        }
        let (count, fields) = (2 + (i >> 12 & 3) as u32, i >> 14);
        let objects = (0..count).map(|object| {
            (key(Section::Objects, object), vec![1 << 50 | u64::from(object), fields >> object & 1, 1 << 20])
        });
        components.extend(objects);
        encoding(&components)
    };
    let bytes_per_state = |mut store: Box<dyn StateStore>| {
        for i in 0..1 << 16 {
            assert_eq!(store.insert(&mut state(i), usize::MAX), Ok(Insert::New(StateId(i))));
        }
        store.bytes() as f64 / f64::from(1 << 16)
    };
    let budget = &Budget::unlimited();
    let exact = bytes_per_state(Box::new(Exact::new(budget)));
    let collapse = bytes_per_state(Box::new(Collapse::new(budget)));
    let automaton = bytes_per_state(Box::new(Automaton::new(budget)));
    let both = bytes_per_state(Box::new(CollapseAutomaton::new(budget)));
    assert!(collapse < exact / 4.0 && collapse < 16.0, "{collapse} bytes, exact {exact}");
    // Nothing has to be remembered from one thread to the next.
    assert!(automaton < 0.5 && both < 0.2, "{automaton} and {both} bytes");
}

fn figure(store: &dyn StateStore, name: &str) -> usize {
    store.figures().iter().find(|figure| figure.name == name).unwrap().value as usize
}

/// A state of one word is a pair of halves, and no other pairs are stored.
#[test]
fn states_of_one_word_are_root_pairs() {
    for numbered in [false, true] {
        let mut store = Trie::new(&Budget::unlimited(), numbered);
        for i in 0..100_000_u64 {
            let word = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 30;
            assert_eq!(store.insert(&mut root(&[word]), usize::MAX), Ok(Insert::New(StateId(i))));
        }
        let others = figure(&store, "inner_nodes") - store.len();
        assert!(others < 100, "{others} nodes, numbered: {numbered}");
    }
}

/// Only the length distinguishes a word that is 0 from a missing word, and an empty component from a missing
/// one.
#[test]
fn zeros_are_not_nothing() {
    let key = |section, index| Key { section, index };
    let mut states = Vec::new();
    for keys in [
        [key(Section::Root, 0), key(Section::Threads, 0)],
        [key(Section::Objects, 0), key(Section::Objects, 3)],
    ] {
        for lens in (0..16).map(|lens| [lens % 4, lens / 4]) {
            let components = keys.into_iter().zip(lens).filter(|&(_, len)| len > 0);
            states.push(components.map(|(key, len)| (key, vec![0; len - 1])).collect::<Components>());
        }
    }
    // A state without components is the same in both cases.
    states.remove(16);
    // However much of it the layout knows: a new one is made after the first state, and after 16.
    for start in 0..states.len() {
        states.rotate_left(1);
        for numbered in [false, true] {
            let mut store = Trie::new(&Budget::unlimited(), numbered);
            let mut stored = Vec::new();
            for state in &states {
                let mut encoding = encoding(state);
                let id = StateId(stored.len() as u64);
                assert_eq!(
                    store.insert(&mut encoding, usize::MAX),
                    Ok(Insert::New(id)),
                    "{state:?} from {start} on"
                );
                stored.push(encoding);
            }
            check_consistent(&mut store, &stored);
        }
    }
}
