//! What tells states of a machine apart: a family of separating words.
//!
//! Two states are *separated* by a word of inputs that both can do and that they answer differently. A
//! shortest word for each pair comes from a search backwards from the pairs that differ at once (Moore,
//! "Gedanken-experiments on sequential machines", 1956). The family is *harmonised*: the words of two states
//! contain one that separates these two. That is what the claim of the suite needs (Luo, Petrenko and
//! Bochmann, "Selecting test sequences for partially-specified nondeterministic finite state machines", 1994;
//! the HSI method). Words that separate each state from all others, but are chosen for each state alone, are
//! not enough.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::machine::Machine;

type Word = Vec<usize>;
/// Two states, the lesser one first.
type Pair = (usize, usize);

/// A family of separating words.
#[derive(Debug)]
pub(crate) struct Family {
    /// By state. No word is the beginning of another one.
    pub words: Vec<Vec<Word>>,
    /// The number of classes of states such that states of different classes are separated.
    pub classes: usize,
}

/// The beginning of a word that separates two states, if the word does.
fn separates<'w>(machine: &Machine, one: usize, other: usize, word: &'w [usize]) -> Option<&'w [usize]> {
    let (mut one, mut other) = (one, other);
    for (at, &input) in word.iter().enumerate() {
        let (a, b) = (machine.step(one, input)?, machine.step(other, input)?);
        if a.0 != b.0 {
            return Some(&word[..=at]);
        }
        (one, other) = (a.1, b.1);
    }
    None
}

/// A shortest separating word of each pair of states that has one. The first state of a pair is the lesser one.
fn shortest(machine: &Machine) -> FxHashMap<(usize, usize), Word> {
    let mut words: FxHashMap<(usize, usize), Word> = FxHashMap::default();
    let mut before: FxHashMap<Pair, Vec<(Pair, usize)>> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for one in 0..machine.states() {
        for other in one + 1..machine.states() {
            let pair = (one, other);
            for input in 0..machine.inputs() {
                let (Some(a), Some(b)) = (machine.step(one, input), machine.step(other, input)) else {
                    continue;
                };
                if a.0 == b.0 {
                    let next = (a.1.min(b.1), a.1.max(b.1));
                    if next.0 != next.1 && next != pair {
                        before.entry(next).or_default().push((pair, input));
                    }
                } else if let Entry::Vacant(new) = words.entry(pair) {
                    new.insert(vec![input]);
                    queue.push_back(pair);
                }
            }
        }
    }
    while let Some(pair) = queue.pop_front() {
        let word = words[&pair].clone();
        for (earlier, input) in before.remove(&pair).unwrap_or_default() {
            if let Entry::Vacant(new) = words.entry(earlier) {
                new.insert(std::iter::once(input).chain(word.iter().copied()).collect());
                queue.push_back(earlier);
            }
        }
    }
    words
}

/// Removes words that are the beginning of another one.
pub(crate) fn without_beginnings<T: Ord>(words: &mut Vec<Vec<T>>) {
    words.sort();
    words.dedup();
    // In this order, a beginning comes right before a word that goes on.
    let mut at = 0;
    while at + 1 < words.len() {
        if words[at + 1].starts_with(&words[at]) {
            words.remove(at);
            at = at.saturating_sub(1);
        } else {
            at += 1;
        }
    }
}

/// The number of classes of states, if states that nothing separates are of one class.
fn classes(states: usize, separated: &FxHashMap<(usize, usize), Word>) -> usize {
    let mut class: Vec<usize> = (0..states).collect();
    for one in 0..states {
        for other in one + 1..states {
            if class[one] != class[other] && !separated.contains_key(&(one, other)) {
                let (kept, gone) = (class[one], class[other]);
                class.iter_mut().filter(|class| **class == gone).for_each(|class| *class = kept);
            }
        }
    }
    class.sort_unstable();
    class.dedup();
    class.len()
}

impl Family {
    pub fn new(machine: &Machine) -> Self {
        let shortest = shortest(machine);
        let states = machine.states();
        let classes = classes(states, &shortest);
        // Words that separate many pairs come first, so that few words are needed.
        let mut uses: FxHashMap<&Word, usize> = FxHashMap::default();
        for word in shortest.values() {
            *uses.entry(word).or_default() += 1;
        }
        let mut candidates: Vec<(&Word, usize)> = uses.into_iter().collect();
        candidates.sort_by(|(a, many), (b, few)| few.cmp(many).then(a.len().cmp(&b.len())).then(a.cmp(b)));
        let mut words = vec![Vec::new(); states];
        for &(one, other) in shortest.keys() {
            let chosen = candidates.iter().find_map(|(word, _)| separates(machine, one, other, word));
            let chosen = chosen.expect("one of them is the shortest word of the pair");
            words[one].push(chosen.to_vec());
            words[other].push(chosen.to_vec());
        }
        words.iter_mut().for_each(without_beginnings);
        Self { words, classes }
    }
}

#[cfg(test)]
mod tests {
    use bits::SplitMix64;

    use super::*;

    fn random(random: &mut SplitMix64) -> Machine {
        let (states, inputs) = (random.between(1, 7) as usize, random.between(1, 3) as usize);
        let mut machine = Machine::new(states, inputs);
        for state in 0..states {
            for input in 0..inputs {
                if random.below(5) > 0 {
                    machine.set(state, input, random.below(2) as u32, random.below(states) as u32);
                }
            }
        }
        machine
    }

    /// The length of a shortest word that separates two states, by trying all words.
    fn brute(machine: &Machine, one: usize, other: usize, longest: usize) -> Option<usize> {
        (0..=longest).find(|&length| can(machine, one, other, length))
    }

    fn can(machine: &Machine, one: usize, other: usize, length: usize) -> bool {
        length > 0
            && (0..machine.inputs()).any(|input| {
                match (machine.step(one, input), machine.step(other, input)) {
                    (Some(a), Some(b)) => a.0 != b.0 || can(machine, a.1, b.1, length - 1),
                    _ => false,
                }
            })
    }

    #[test]
    fn words_of_random_machines_against_all_words() {
        let mut source = SplitMix64::new(21);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            let machine = random(&mut source);
            let states = machine.states();
            let words = shortest(&machine);
            let family = Family::new(&machine);
            for one in 0..states {
                for other in one + 1..states {
                    // Longer words separate nothing new: each step of the search divides a class of states.
                    let length = brute(&machine, one, other, 7.min(states * states));
                    let word = words.get(&(one, other));
                    if word.is_none_or(|word| word.len() <= 7) {
                        assert_eq!(word.map(Vec::len), length, "{machine:?} {one} {other}");
                    }
                    if word.is_some() {
                        let common = family.words[one].iter().any(|word| {
                            let first = separates(&machine, one, other, word);
                            let of_other = |first: &[usize]| {
                                family.words[other].iter().any(|word| word.starts_with(first))
                            };
                            first.is_some_and(of_other)
                        });
                        assert!(common, "{machine:?} {one} {other}");
                    }
                    counts[word.map_or(0, |word| word.len().min(2))] += 1;
                }
            }
            assert!(
                family.classes <= states
                    && (family.classes < states) == (words.len() < states * (states - 1) / 2)
            );
            for state in 0..states {
                for word in &family.words[state] {
                    let end =
                        word.iter().try_fold(state, |at, &input| machine.step(at, input).map(|step| step.1));
                    assert!(end.is_some(), "a word is possible in its state");
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }
}
