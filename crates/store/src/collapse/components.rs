//! The components of a state as numbers of pools, one pool per section.
//!
//! Threads and objects have a number each. The globals are one component as a rule, and often change with
//! every step: they are divided into parts with a number each, so that models with little but globals
//! collapse as well (in the paper, too, pools may divide vectors further).
//!
//! The numbers of the last state, whether it was stored or rebuilt, are kept: as long as the encoding knows
//! what changed since then, only the changed components are interned again.

use system::{Encoding, Key, Moment, Section};

use super::pool::{Number, Pool};
use crate::pack::{pack, unpack};
use crate::{Budget, Full};

/// Stands for a component that does not exist.
pub const ABSENT: Number = 0;
/// Stands for a component that may have changed.
const UNKNOWN: Number = Number::MAX;

/// The number of words of a part of the globals. The last part has fewer words, so that it is recognized as
/// the last.
const PART: usize = 4;

/// The pools of components, and the numbers of the last state.
#[derive(Debug)]
pub struct Components {
    /// By section: all components or parts that ever occurred, packed.
    pools: [Pool; 3],
    /// By section: the numbers of the last state, by index; those of the globals one after another.
    numbers: [Vec<Number>; 3],
    /// The moment at which the encoding had these numbers, if it is known.
    moment: Option<Moment>,
    packed: Vec<u8>,
    words: Vec<u64>,
}

impl Components {
    pub fn new(budget: &Budget) -> Self {
        Self {
            pools: std::array::from_fn(|_| Pool::new(budget, 4)),
            numbers: Default::default(),
            moment: None,
            packed: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Updates the numbers to those of a state. Returns whether the numbers of its objects may have changed.
    pub fn update(&mut self, encoding: &mut Encoding) -> Result<bool, Full> {
        let mut other_objects = false;
        for section in [Section::Threads, Section::Objects] {
            let numbers = &mut self.numbers[section as usize];
            let width = encoding.width(section) as usize;
            other_objects |= section == Section::Objects && numbers.len() != width;
            numbers.resize(width, ABSENT);
        }
        // If an insertion is refused on the way, it is unknown which numbers are right.
        if let Some(keys) = self.moment.take().and_then(|moment| encoding.touched(moment)) {
            for &key in keys.iter().filter(|key| key.section != Section::Root) {
                other_objects |= self.set(key, encoding)? && key.section == Section::Objects;
            }
            if keys.iter().any(|key| key.section == Section::Root) {
                self.set_globals(encoding)?;
            }
        } else {
            for section in [Section::Threads, Section::Objects] {
                for index in 0..encoding.width(section) {
                    self.set(Key { section, index }, encoding)?;
                }
            }
            self.set_globals(encoding)?;
            other_objects = true;
        }
        self.moment = Some(encoding.now());
        Ok(other_objects)
    }

    /// Updates the number under `key`. Returns whether it changed.
    fn set(&mut self, key: Key, encoding: &Encoding) -> Result<bool, Full> {
        let number = match encoding.get(key) {
            None => ABSENT,
            Some(words) => self.intern(key.section, words)?,
        };
        // Indices beyond the width no longer exist.
        let old = self.numbers[key.section as usize].get_mut(key.index as usize);
        Ok(old.is_some_and(|old| std::mem::replace(old, number) != number))
    }

    fn set_globals(&mut self, encoding: &Encoding) -> Result<(), Full> {
        let section = Section::Root;
        self.numbers[section as usize].clear();
        for index in 0..encoding.width(section) {
            let Some(words) = encoding.get(Key { section, index }) else {
                self.numbers[section as usize].push(ABSENT);
                continue;
            };
            for part in (0..=words.len() / PART).map(|part| part * PART) {
                let number = self.intern(section, &words[part..words.len().min(part + PART)])?;
                self.numbers[section as usize].push(number);
            }
        }
        Ok(())
    }

    fn intern(&mut self, section: Section, words: &[u64]) -> Result<Number, Full> {
        let len = pack(words, &mut self.packed, 0);
        self.pools[section as usize].intern(&self.packed[..len])
    }

    /// The numbers of the last state, from which it can be rebuilt.
    pub fn numbers(&self, section: Section) -> &[Number] {
        &self.numbers[section as usize]
    }

    /// Turns an encoding into the state with these numbers: those of its objects, and in `others` those of
    /// its `threads` threads followed by those of its globals.
    pub fn rebuild(
        &mut self,
        objects: impl Iterator<Item = Number>,
        threads: usize,
        mut others: impl Iterator<Item = Number>,
        into: &mut Encoding,
    ) {
        let touched = self.moment.take().and_then(|moment| into.touched(moment));
        match touched {
            None => self.numbers.iter_mut().for_each(|numbers| numbers.fill(UNKNOWN)),
            Some(keys) => {
                for key in keys.iter().filter(|key| key.section != Section::Root) {
                    if let Some(number) = self.numbers[key.section as usize].get_mut(key.index as usize) {
                        *number = UNKNOWN;
                    }
                }
            }
        }
        self.rebuild_section(Section::Objects, objects, into);
        self.rebuild_section(Section::Threads, others.by_ref().take(threads), into);
        self.rebuild_globals(others, into);
        self.moment = Some(into.now());
    }

    fn rebuild_section(&mut self, section: Section, new: impl Iterator<Item = Number>, into: &mut Encoding) {
        let numbers = &mut self.numbers[section as usize];
        let mut width = 0;
        for (index, number) in new.enumerate() {
            width = index + 1;
            if numbers.get(index) == Some(&number) {
                continue;
            }
            numbers.resize(numbers.len().max(width), UNKNOWN);
            numbers[index] = number;
            let key = Key { section, index: index as u32 };
            if number == ABSENT {
                into.remove(key);
            } else {
                self.words.clear();
                unpack(self.pools[section as usize].get(number), &mut self.words);
                into.set(key, &self.words);
            }
        }
        numbers.truncate(width);
        for index in (width as u32..into.width(section)).rev() {
            into.remove(Key { section, index });
        }
    }

    fn rebuild_globals(&mut self, new: impl Iterator<Item = Number>, into: &mut Encoding) {
        let section = Section::Root;
        let numbers = &mut self.numbers[section as usize];
        numbers.clear();
        numbers.extend(new);
        let mut rest = numbers.iter();
        let mut index = 0;
        while let Some(&number) = rest.next() {
            let key = Key { section, index };
            index += 1;
            if number == ABSENT {
                into.remove(key);
                continue;
            }
            self.words.clear();
            unpack(self.pools[section as usize].get(number), &mut self.words);
            let mut parts = 1;
            while self.words.len() == parts * PART {
                let &number = rest.next().expect("the last part is a short one");
                unpack(self.pools[section as usize].get(number), &mut self.words);
                parts += 1;
            }
            into.set(key, &self.words);
        }
        for index in (index..into.width(section)).rev() {
            into.remove(Key { section, index });
        }
    }

    /// The number of components in the pool of a section.
    pub fn count(&self, section: Section) -> usize {
        self.pools[section as usize].len()
    }

    pub fn bytes(&self) -> usize {
        self.pools.iter().map(Pool::bytes).sum()
    }
}
