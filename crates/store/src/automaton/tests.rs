//! Compares the automaton with sets of strings, and with an automaton that is minimized in another way.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::dfa::Dfa;
use super::nodes::Node;
use crate::{Budget, Full};

type Strings = BTreeSet<Vec<u8>>;

fn insert(dfa: &mut Dfa, string: &[u8]) -> Result<bool, Full> {
    if dfa.contains(string) {
        return Ok(false);
    }
    dfa.add(string).map(|()| true)
}

/// All strings that the automaton accepts.
fn language(dfa: &Dfa) -> Strings {
    let mut strings = Strings::new();
    let mut open = vec![(dfa.root(), Vec::new())];
    while let Some((node, string)) = open.pop() {
        if node == Node::ACCEPT {
            assert!(strings.insert(string));
            continue;
        }
        for edge in dfa.nodes().content(node).edges() {
            open.extend(
                (edge.least..=edge.greatest).map(|byte| (edge.child, [&string[..], &[byte]].concat())),
            );
        }
    }
    strings
}

/// Checks that reference counts are right, and that all nodes are reachable.
fn audit(dfa: &Dfa) {
    if dfa.root() == Node::NONE {
        return assert_eq!(dfa.size(), (1, 0));
    }
    let mut refs: BTreeMap<Node, u32> = BTreeMap::from([(dfa.root(), 1)]);
    let mut seen = BTreeSet::from([dfa.root()]);
    let mut open = vec![dfa.root()];
    let mut edges = 0;
    while let Some(node) = open.pop() {
        for edge in dfa.nodes().content(node).edges() {
            *refs.entry(edge.child).or_default() += 1;
            edges += 1;
            if seen.insert(edge.child) {
                open.push(edge.child);
            }
        }
    }
    assert_eq!(dfa.size(), (seen.len(), edges));
    for (node, count) in refs.into_iter().filter(|&(node, _)| node != Node::ACCEPT) {
        assert_eq!(dfa.nodes().refs(node), count);
    }
}

/// The number of nodes of the minimal automaton, and of its edges by intervals: the tree of all prefixes of
/// strings, in which nodes are merged that no continuation distinguishes (Moore's algorithm).
fn minimal(strings: &Strings) -> (usize, usize) {
    let beginnings = strings.iter().flat_map(|string| (0..=string.len()).map(|len| &string[..len]));
    let beginnings: Vec<&[u8]> = beginnings.collect::<BTreeSet<_>>().into_iter().collect();
    let mut steps = vec![Vec::new(); beginnings.len()];
    for (index, beginning) in beginnings.iter().enumerate() {
        if let Some((&byte, before)) = beginning.split_last() {
            steps[beginnings.binary_search(&before).unwrap()].push((byte, index));
        }
    }
    let mut classes: Vec<usize> =
        beginnings.iter().map(|&beginning| usize::from(strings.contains(beginning))).collect();
    let mut count = 0;
    loop {
        // By class: the previous class, and the classes to which bytes lead.
        let mut kinds = BTreeMap::new();
        let kind = |index: usize| {
            let leads = steps[index].iter().map(|&(byte, next): &(u8, usize)| (byte, classes[next]));
            (classes[index], leads.collect::<Vec<_>>())
        };
        let refined = (0..beginnings.len()).map(|index| {
            let fresh = kinds.len();
            *kinds.entry(kind(index)).or_insert(fresh)
        });
        let refined = refined.collect();
        if kinds.len() == count {
            let intervals = kinds.keys().flat_map(|(_, steps)| steps.chunk_by(|a, b| (a.0 + 1, a.1) == *b));
            return (count, intervals.count());
        }
        count = kinds.len();
        classes = refined;
    }
}

#[test]
fn the_example_of_the_lecture() {
    let mut dfa = Dfa::new(&Budget::unlimited());
    let strings = ["011", "101", "110", "111"];
    for string in strings {
        assert_eq!(insert(&mut dfa, string.as_bytes()), Ok(true));
    }
    assert_eq!(language(&dfa), strings.map(|string| string.as_bytes().to_vec()).into());
    // The figure draws the root, two nodes after one bit, two after two bits, and the accepting node; it also
    // draws the paths to rejection, and merges the two bits that lead from the last node but one to the last
    // into one edge.
    assert_eq!(dfa.size(), (6, 7));
    audit(&dfa);
}

/// Strings of bits, all of one length, and their complement.
#[test]
fn all_strings_make_a_chain() {
    let mut dfa = Dfa::new(&Budget::unlimited());
    let string = |number: u32| (0..12).map(|bit| (number >> bit & 1) as u8).collect::<Vec<u8>>();
    for number in 0..1 << 12 {
        let scattered = number * 1103 % (1 << 12);
        assert_eq!(insert(&mut dfa, &string(scattered)), Ok(true));
    }
    assert_eq!(dfa.size(), (13, 12));
    audit(&dfa);
}

/// A node may become what a node above it on the path was: {b, ab} below `x`, to which `xaab` adds {b, ab}
/// below `a`.
#[test]
fn a_node_becomes_what_one_above_it_was() {
    let mut dfa = Dfa::new(&Budget::unlimited());
    let mut strings = Strings::new();
    for string in ["xb", "xab", "xaab", "xaaab", "yb", "yaab"] {
        strings.insert(string.as_bytes().to_vec());
        assert_eq!(insert(&mut dfa, string.as_bytes()), Ok(true));
        assert_eq!(language(&dfa), strings);
        assert_eq!(dfa.size(), minimal(&strings));
        audit(&dfa);
    }
}

/// Strings over few bytes, some of them adjacent, of all lengths, terminated by a byte that is adjacent to
/// one of them.
fn any_strings() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let string = |bytes: std::ops::Range<u8>, len| {
        prop::collection::vec(bytes, len).prop_map(|string| [&string[..], &[0]].concat())
    };
    let few = prop::collection::vec(string(1..3, 0..9), 1..60);
    let more = prop::collection::vec(string(1..6, 0..5), 1..80);
    let any = prop::collection::vec(string(1..255, 1..3), 1..80);
    prop_oneof![3 => few, 2 => more, 1 => any]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::effort(200) as u32))]

    #[test]
    fn minimal_after_every_insertion(list in any_strings(), hash_mask in prop_oneof![Just(u64::MAX), Just(1 << 40), Just(0)]) {
        let mut dfa = Dfa::new(&Budget::unlimited()).with_hash_mask(hash_mask);
        let mut strings = Strings::new();
        for string in list {
            prop_assert_eq!(insert(&mut dfa, &string), Ok(strings.insert(string)));
            prop_assert_eq!(dfa.size(), minimal(&strings));
            audit(&dfa);
        }
        prop_assert_eq!(language(&dfa), strings);
    }

    #[test]
    fn a_refusal_changes_nothing(list in prop::collection::vec(prop::collection::vec(1_u8..=255, 2_000..6_000), 1..20), limit in 0_usize..1_000_000) {
        let mut dfa = Dfa::new(&Budget::counted(limit));
        let mut strings = Strings::new();
        for mut string in list {
            string.push(0);
            match insert(&mut dfa, &string) {
                Ok(is_new) => prop_assert_eq!(is_new, strings.insert(string)),
                Err(full) => prop_assert_eq!(full, Full::Memory),
            }
        }
        prop_assert_eq!(language(&dfa), strings);
        audit(&dfa);
        prop_assert!(dfa.bytes() <= limit);
    }
}
