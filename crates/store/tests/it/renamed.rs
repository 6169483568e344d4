//! States that differ from the one before in most components, as under symmetry: tries against a plain map.
//!
//! An encoding is written anew, or component by component, or read by a store that never saw it. A state is
//! the same in all of these ways, and comes back as it was.

use std::collections::HashMap;

use proptest::prelude::*;
use quotient_store::{Access, Budget, IndexedTrie, Insert, StateId, StateStore, Trie};
use system::{Encoding, Key, Section};

type Components = Vec<(Key, Vec<u64>)>;

/// A family of states: some threads and objects with random contents and lengths, in a random order.
#[derive(Debug)]
struct Family {
    threads: u32,
    objects: u32,
    /// One of this number of states has a component that few others have.
    odd: u64,
    /// One of this number of threads and objects is missing.
    gaps: u64,
    /// Components are longer by one word for this number of states.
    slowness: u64,
}

impl Family {
    fn state(&self, seed: u64) -> Components {
        let mut random = seed;
        let mut next = |limit: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % limit
        };
        let mut components = vec![(Key { section: Section::Root, index: 0 }, vec![next(4), 1 << 40])];
        for (section, count) in [(Section::Threads, self.threads), (Section::Objects, self.objects)] {
            let first = components.len();
            for index in 0..count {
                if next(self.gaps) > 0 {
                    let words =
                        (0..next(3 + seed / self.slowness)).map(|_| next(5) << 20 | 0x80 | next(3)).collect();
                    components.push((Key { section, index }, words));
                }
            }
            // A renaming: components get the words of others.
            for at in (first..components.len()).rev() {
                let other = first + next((at - first) as u64 + 1) as usize;
                let words = std::mem::take(&mut components[at].1);
                let others = std::mem::replace(&mut components[other].1, words);
                if at != other {
                    components[at].1 = others;
                }
            }
        }
        if next(self.odd) == 0 {
            let words = (0..next(9)).map(|_| next(u64::from(u32::MAX)) << next(32)).collect();
            components.push((Key { section: Section::Objects, index: self.objects + next(3) as u32 }, words));
        }
        components
    }
}

fn any_family() -> impl Strategy<Value = Family> {
    let odd = prop_oneof![Just(10), Just(1 << 31)];
    let gaps = prop_oneof![Just(4), Just(1 << 31)];
    let slowness = prop_oneof![Just(50), Just(1 << 31)];
    (0_u32..8, 0_u32..20, odd, gaps, slowness).prop_map(|(threads, objects, odd, gaps, slowness)| Family {
        threads,
        objects,
        odd,
        gaps,
        slowness,
    })
}

/// Writes a state into an encoding as a whole.
fn write_anew(state: &Components, into: &mut Encoding) {
    into.refill(|into| {
        let mut widths = [0; Section::ALL.len()];
        for (key, words) in state {
            let width = &mut widths[key.section as usize];
            (*width..key.index).for_each(|_| into.nothing(key.section));
            *width = key.index + 1;
            into.component(key.section, |out| out.extend_from_slice(words));
        }
    });
}

/// Writes those components into an encoding that are different there.
fn write_changes(state: &Components, into: &mut Encoding) {
    let old: Vec<Key> = into.components().map(|(key, _)| key).collect();
    for key in old.into_iter().rev().filter(|key| state.iter().all(|(other, _)| other != key)) {
        into.remove(key);
    }
    for (key, words) in state {
        into.set(*key, words);
    }
}

fn is_state(encoding: &Encoding, state: &Components) -> bool {
    encoding.components().eq(state.iter().map(|(key, words)| (*key, &words[..])))
}

/// Visits states in random order, and asks for stored ones in between.
fn check(mut store: impl StateStore, family: &Family, visits: &[(u64, u8)]) -> Result<(), TestCaseError> {
    let mut numbers: HashMap<Components, usize> = HashMap::new();
    let mut stored: Vec<Components> = Vec::new();
    let mut mirror = Encoding::new();
    let mut asked = 0;
    for (at, &(seed, how)) in visits.iter().enumerate() {
        // The first numbers come first: later states may have longer components.
        let seed = seed % (at as u64 + 1);
        let state = family.state(seed);
        let mut other = Encoding::new();
        let encoding = if how % 5 == 0 { &mut other } else { &mut mirror };
        if how % 2 == 0 {
            write_anew(&state, encoding);
        } else {
            write_changes(&state, encoding);
        }
        prop_assert!(is_state(encoding, &state));
        match (store.insert(encoding, usize::MAX), numbers.get(&state)) {
            (Ok(Insert::New(id)), None) => {
                prop_assert_eq!(id.index(), stored.len());
                numbers.insert(state.clone(), stored.len());
                stored.push(state);
            }
            (Ok(Insert::Seen(id)), Some(&known)) => prop_assert!(id.is_none_or(|id| id.index() == known)),
            (answer, known) => prop_assert!(false, "{answer:?}, but {known:?}"),
        }
        let encoding = if how % 7 == 0 { &mut other } else { &mut mirror };
        let id = match store.access() {
            Access::InOrder if how % 3 == 0 && asked < stored.len() => asked,
            Access::ById if how % 3 == 0 => (seed % stored.len() as u64) as usize,
            _ => continue,
        };
        asked += 1;
        store.decode(StateId(id as u64), encoding);
        prop_assert!(is_state(encoding, &stored[id]), "{id} is now {encoding:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(96) as u32))]

    #[test]
    fn tries_are_maps(
        family in any_family(),
        visits in prop::collection::vec((0_u64..400, any::<u8>()), 0..1200),
    ) {
        check(Trie::new(&Budget::unlimited(), true), &family, &visits)?;
        check(IndexedTrie::indexed(&Budget::unlimited()), &family, &visits)?;
    }
}
