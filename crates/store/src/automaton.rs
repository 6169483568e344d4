//! Stores that keep the set of states as a minimal deterministic automaton ([`dfa`]; after Holzmann and Puri,
//! A minimized automaton representation of reachable states, STTT 1999): the fewest bytes, if not the least
//! time. Such a store can answer whether a state is in the set, but not in which order states came: states
//! cannot be found by id.
//!
//! A state is a string of bytes in which every part determines where it ends, so that no string is a prefix
//! of another. It contains the globals, threads and objects with index 0, those with index 1, and so on, each
//! as numbers ([`crate::varint`]):
//!
//! ```text
//!   0                              the section ends before this index
//!   1                              there is no component
//!   2 + length, word, word, …      its words ([`Automaton`])
//!   1 + number                     its number in a pool ([`CollapseAutomaton`]; globals have several)
//! ```
//!
//! What determines the size of an automaton:
//! - *The distance between parts that depend on each other.* Everything between them has to remember the
//!   first one, by separate nodes. Parts that belong together tend to have indices close to each other: with
//!   threads and objects interleaved, the leader election in a ring takes a tenth of what it takes with all
//!   threads first and then all objects. Some models take up to a third more.
//! - *Information that comes early.* The packed vectors of other stores begin with the shape of the whole,
//!   and one byte holds the lengths of two words: all of that has to be remembered. Here each part is written
//!   where it matters.

mod dfa;
mod nodes;
#[cfg(test)]
mod tests;

use system::{Encoding, Key, Section};

use crate::collapse::{ABSENT, Components};
use crate::varint::put;
use crate::{Access, Budget, Figure, Full, Insert, StateId, StateStore};
use dfa::Dfa;

/// What is at an index: the end of its section, no component, or a component.
const END: u64 = 0;
const NONE: u64 = 1;
const SOME: u64 = 2;

/// All indices of all sections, interleaved, and one more per section for its end.
fn in_turn(widths: [u32; 3]) -> impl Iterator<Item = (Section, u32)> {
    let most = widths.into_iter().max().unwrap_or(0);
    (0..=most).flat_map(move |index| {
        let here = Section::ALL.into_iter().filter(move |&section| index <= widths[section as usize]);
        here.map(move |section| (section, index))
    })
}

/// A set of strings, as an automaton, and the string being built.
#[derive(Debug)]
struct Strings {
    dfa: Dfa,
    len: usize,
    string: Vec<u8>,
}

impl Strings {
    fn new(budget: &Budget) -> Self {
        Self { dfa: Dfa::new(budget), len: 0, string: Vec::new() }
    }

    /// Starts a string.
    fn begin(&mut self) {
        self.string.clear();
    }

    fn put(&mut self, number: u64) {
        put(number, &mut self.string);
    }

    /// Adds the string to the set.
    fn insert(&mut self, limit: usize) -> Result<Insert, Full> {
        if self.dfa.contains(&self.string) {
            return Ok(Insert::Seen(None));
        }
        if self.len >= limit {
            return Err(Full::States);
        }
        if self.len >= StateId::LIMIT {
            return Err(Full::Ids);
        }
        self.dfa.add(&self.string)?;
        self.len += 1;
        Ok(Insert::New(StateId(self.len as u64 - 1)))
    }

    fn figures(&self) -> Vec<Figure> {
        let (nodes, edges) = self.dfa.size();
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        vec![figure("nodes", nodes), figure("edges", edges)]
    }
}

/// A store that keeps all states as one automaton.
#[derive(Debug)]
pub struct Automaton {
    strings: Strings,
}

impl Automaton {
    pub fn new(budget: &Budget) -> Self {
        Self { strings: Strings::new(budget) }
    }
}

impl StateStore for Automaton {
    fn kind(&self) -> &'static str {
        "automaton"
    }

    fn access(&self) -> Access {
        Access::Never
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let widths = Section::ALL.map(|section| encoding.width(section));
        self.strings.begin();
        for (section, index) in in_turn(widths) {
            match encoding.get(Key { section, index }) {
                _ if index == widths[section as usize] => self.strings.put(END),
                None => self.strings.put(NONE),
                Some(words) => {
                    self.strings.put(SOME + words.len() as u64);
                    for &word in words {
                        self.strings.put(word);
                    }
                }
            }
        }
        self.strings.insert(limit)
    }

    fn decode(&mut self, _: StateId, _: &mut Encoding) {
        no_way_back();
    }

    fn len(&self) -> usize {
        self.strings.len
    }

    fn bytes(&self) -> usize {
        self.strings.dfa.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        self.strings.figures()
    }
}

/// A store that keeps all states as one automaton, with components interned in pools.
#[derive(Debug)]
pub struct CollapseAutomaton {
    components: Components,
    strings: Strings,
}

impl CollapseAutomaton {
    pub fn new(budget: &Budget) -> Self {
        Self { components: Components::new(budget), strings: Strings::new(budget) }
    }
}

impl StateStore for CollapseAutomaton {
    fn kind(&self) -> &'static str {
        "collapse+automaton"
    }

    fn access(&self) -> Access {
        Access::Never
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        self.components.update(encoding)?;
        self.strings.begin();
        let numbers = Section::ALL.map(|section| self.components.numbers(section));
        for (section, index) in in_turn(numbers.map(|numbers| numbers.len() as u32)) {
            self.strings.put(match numbers[section as usize].get(index as usize) {
                None => END,
                Some(&ABSENT) => NONE,
                Some(&number) => SOME + u64::from(number) - 1,
            });
        }
        self.strings.insert(limit)
    }

    fn decode(&mut self, _: StateId, _: &mut Encoding) {
        no_way_back();
    }

    fn len(&self) -> usize {
        self.strings.len
    }

    fn bytes(&self) -> usize {
        self.components.bytes() + self.strings.dfa.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, section| Figure { name, value: self.components.count(section) as f64 };
        let mut figures = self.strings.figures();
        figures.extend([
            figure("globals", Section::Root),
            figure("threads", Section::Threads),
            figure("objects", Section::Objects),
        ]);
        figures
    }
}

fn no_way_back() -> ! {
    panic!("an automaton tells which states are stored, and nothing about their ids: `rebuilds` is false");
}
