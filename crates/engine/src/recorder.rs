//! Records what the steps of a thread depend on and what they write, for the successor cache.
//!
//! The interpreter finds the steps of a thread and fires them, while accesses are traced. The recorder turns
//! the trace into tests (which bits of the state were read, in which order) and successors (which bits were
//! written).

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;
use state::{Access, AccessKind, NodeRef, State, UnitsChanged};
use system::{Key, Step, Steps, Write};

/// A successor of a state, as the bits that lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    pub step: Step,
    first_write: u32,
    writes: u32,
    /// The steps after the first one, through transient states.
    first_later: u32,
    later: u32,
    /// Nothing changes but words that encodings show.
    pub is_shown: bool,
}

/// Successors, with what they write and their later steps.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    list: Vec<Successor>,
    writes: Vec<Write>,
    later: Vec<Step>,
}

impl Successors {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn count_writes(&self) -> usize {
        self.writes.len()
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.writes.clear();
        self.later.clear();
    }

    #[inline]
    pub fn get(&self, at: u32) -> Option<&Successor> {
        self.list.get(at as usize)
    }

    /// `count` successors from the one with index `first` on.
    #[inline]
    pub fn range(&self, first: u32, count: u32) -> &[Successor] {
        &self.list[first as usize..][..count as usize]
    }

    #[inline]
    pub fn writes(&self, of: &Successor) -> &[Write] {
        &self.writes[of.first_write as usize..][..of.writes as usize]
    }

    /// The steps after the first one.
    pub fn later(&self, of: &Successor) -> &[Step] {
        &self.later[of.first_later as usize..][..of.later as usize]
    }

    /// Appends all of `other`.
    pub fn extend(&mut self, other: &Self) {
        let (writes, later) = (self.writes.len() as u32, self.later.len() as u32);
        self.list.extend(other.list.iter().map(|successor| Successor {
            first_write: successor.first_write + writes,
            first_later: successor.first_later + later,
            ..*successor
        }));
        self.writes.extend_from_slice(&other.writes);
        self.later.extend_from_slice(&other.later);
    }

    /// Whether `count` successors from the one with index `first` on are those of `other`.
    pub fn is_same(&self, first: u32, count: u32, other: &Self) -> bool {
        let known = self.range(first, count);
        known.len() == other.list.len()
            && known.iter().zip(&other.list).all(|(old, new)| {
                (old.step, old.is_shown) == (new.step, new.is_shown)
                    && self.writes(old) == other.writes(new)
                    && self.later(old) == other.later(new)
            })
    }

    pub fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for found in &self.list {
            (found.step, found.is_shown, (self.writes(found), self.later(found))).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// A recording of the steps of one thread.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The words before.
    pub before: Vec<u64>,
    /// The units before, and their lengths.
    units: Vec<(NodeRef, usize)>,
    /// By position: the bits that were tested, or are not part of the state.
    known: Vec<u64>,
    /// By position: the bits that were written on the path so far.
    written: Vec<u64>,
    /// By position: the bits among these that hold what was elsewhere in their word.
    copies: Vec<Copies>,
    /// How to go back: the position and the unit of each write, and what was written and copied before.
    undo: Vec<(u32, NodeRef, u64, Copies)>,
    /// The bits that were read of the state before, in order: position and mask.
    pub tests: Vec<(u32, u64)>,
    /// The steps on the path except for the first.
    pub path: Vec<Step>,
    pub found: Successors,
    accesses: Vec<Access>,
    pub steps: Steps,
}

/// Bits that hold what was `shift` places above them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Copies {
    mask: u64,
    shift: u32,
}

/// A write that removes a component.
const fn removal(key: Key) -> Write {
    Write { key, word: Write::LENGTH, mask: u64::MAX, bits: 0, copied: 0, shift: 0 }
}

/// The units of a state, and their numbers of words.
fn lengths(state: &State) -> impl Iterator<Item = (NodeRef, usize)> {
    let units = std::iter::once(NodeRef::Root).chain(state.units());
    units.map(|unit| (unit, state.words_of(unit).map_or(0, <[u64]>::len)))
}

impl Recorder {
    pub fn begin(&mut self, state: &State) {
        let words = state.all_words();
        self.before.clear();
        self.before.extend_from_slice(words);
        self.written.clear();
        self.written.resize(words.len(), 0);
        self.copies.clear();
        self.copies.resize(words.len(), Copies::default());
        // Free words are not part of the state: if they are read, a step wrote them before.
        self.known.clear();
        self.known.resize(words.len(), u64::MAX);
        self.units.clear();
        self.units.extend(lengths(state));
        for &(unit, len) in &self.units {
            self.known[state.start_of(unit)..][..len].fill(0);
        }
        self.undo.clear();
        self.tests.clear();
        self.path.clear();
        self.found.clear();
    }

    /// Evaluates the trace of accesses since the last call. Bits that were written on the path are not those
    /// of the state that it began with, unless they were copied from there.
    pub fn read_trace(&mut self, state: &mut State) {
        let mut accesses = std::mem::take(&mut self.accesses);
        state.take_accesses(&mut accesses);
        for access in &accesses {
            let at = access.at as usize;
            // Units that came meanwhile are written as a whole.
            if at >= self.before.len() {
                continue;
            }
            match access.kind {
                AccessKind::Read => self.read(at, access.mask),
                AccessKind::Write(unit) => self.write(at, unit, access.mask, Copies::default()),
                AccessKind::Shift(unit, shift) => {
                    let copied = access.mask & access.mask >> shift;
                    let source = copied << shift;
                    let mut copies = Copies { mask: copied, shift };
                    // Bits that are copied a second time are tested instead.
                    if self.written[at] & source != 0 || self.copies[at].mask != 0 {
                        self.read(at, source);
                        copies = Copies::default();
                    }
                    self.write(at, unit, access.mask, copies);
                }
            }
        }
        self.accesses = accesses;
    }

    fn read(&mut self, at: usize, mask: u64) {
        let Copies { mask: copied, shift } = self.copies[at];
        for before in [mask & !self.written[at], (mask & copied) << shift] {
            let tested = before & !self.known[at];
            if tested != 0 {
                self.known[at] |= tested;
                self.tests.push((at as u32, tested));
            }
        }
    }

    fn write(&mut self, at: usize, unit: NodeRef, mask: u64, copies: Copies) {
        self.undo.push((at as u32, unit, self.written[at], self.copies[at]));
        self.written[at] |= mask;
        if copies.mask != 0 {
            self.copies[at] = copies;
        } else {
            self.copies[at].mask &= !mask;
        }
    }

    /// The path, which began with `step`, ends in the state at hand: that is a successor. Of the globals,
    /// encodings show the words in `shown`.
    pub fn arrive(&mut self, state: &State, step: Step, shown: Range<usize>, changes: UnitsChanged) {
        let Successors { list, writes, later } = &mut self.found;
        let (first_write, first_later) = (writes.len(), later.len());
        let mut is_shown = true;
        if changes != UnitsChanged::default() {
            is_shown = false;
            write_units(&self.units, state, writes);
        }
        for &(at, unit, ..) in &self.undo {
            if unit == NodeRef::Root && !shown.contains(&(at as usize)) {
                is_shown = false;
                continue;
            }
            if changes.came && !self.units.iter().any(|&(other, _)| other == unit) || !state.exists(unit) {
                continue;
            }
            let (key, word) = (unit.key(), at - state.start_of(unit) as u32);
            let mask = self.written[at as usize];
            let Copies { mask: copied, shift } = self.copies[at as usize];
            let bits = state.word_untraced(at as usize) & mask & !copied;
            if !writes[first_write..].iter().any(|write| (write.key, write.word) == (key, word)) {
                writes.push(Write { key, word, mask, bits, copied, shift });
            }
        }
        later.extend_from_slice(&self.path);
        list.push(Successor {
            step,
            first_write: first_write as u32,
            writes: (writes.len() - first_write) as u32,
            first_later: first_later as u32,
            later: self.path.len() as u32,
            is_shown,
        });
    }

    /// The length of the path in writes, for [`Recorder::go_back`].
    pub fn position(&self) -> usize {
        self.undo.len()
    }

    /// Goes back on the path.
    pub fn go_back(&mut self, position: usize) {
        while self.undo.len() > position {
            if let Some((at, _, written, copies)) = self.undo.pop() {
                self.written[at as usize] = written;
                self.copies[at as usize] = copies;
            }
        }
    }
}

/// Units that came or went since `before` are written as a whole.
fn write_units(before: &[(NodeRef, usize)], state: &State, writes: &mut Vec<Write>) {
    for (unit, len) in lengths(state).filter(|unit| !before.contains(unit)) {
        let words = state.words_of(unit).unwrap_or_default();
        let length = Write { bits: len as u64 + 1, ..removal(unit.key()) };
        writes.push(length);
        writes.extend((0..).zip(words).map(|(word, &bits)| Write { word, bits, ..length }));
    }
    for &(unit, len) in before.iter().filter(|&&(unit, _)| !state.exists(unit)) {
        let length = removal(unit.key());
        writes.extend((0..len as u32).map(|word| Write { word, ..length }));
        writes.push(length);
    }
}
