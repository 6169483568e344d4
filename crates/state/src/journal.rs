//! The journal: one list of everything that steps change, from which all other parts learn what changed.
//!
//! A [`Change`] is an entry of the journal. Changes of memory say how to take them back, so the journal is
//! also the undo log. Where a reader follows the graph of references, changes of the graph stand between
//! them.
//!
//! A [`Reader`] is a cursor into the journal together with a digest of what it has not handed on yet. It
//! reads when it is asked, never while a step runs: a write costs one entry, however many readers there are.
//! When changes are taken back that a reader has read, it reads them once more before they go, since what
//! they changed has changed again. Changes that it has not read leave no trace: the state is what it was when
//! the reader last looked. A reader that never asks costs nothing.
//!
//! The readers are:
//! - the encoder, which wants the units that differ from the last encoding ([`UnitSet`]);
//! - the successor cache, which wants the positions of the words that differ from when it last asked
//!   ([`PlaceSet`]);
//! - the collector, which wants the edges that came and went (`collector`);
//! - a mirror of the state in the form of a graph (the crate `symmetry`), which wants the units that it does
//!   not show yet ([`State::take_unmirrored`](crate::State::take_unmirrored));
//! - access chains (the crate `symmetry`), which read each step as soon as it is taken, and once more before
//!   it is taken back: [`State::last_step`](crate::State::last_step).
//!
//! Decoding replaces states without a journal entry per word. It updates the digests of readers directly.

use crate::memory::Node;
use crate::steady::MentionsChanged;
use crate::{NodeRef, ThreadId};

/// One change, and how to take it back. Units are given by their [index](NodeRef::index), which keeps entries
/// small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// A word that belongs to `unit`, or to a collection in it, was replaced.
    Word {
        unit: u32,
        at: u32,
        old: u64,
    },
    /// A thread or object came, went, or changed its place or length.
    Node {
        unit: u32,
        old: Node,
    },
    /// A block was taken from its free list.
    BlockReused {
        offset: u32,
        class: u32,
    },
    /// A block was taken from the end of the words.
    BlockAppended {
        offset: u32,
    },
    /// A block was put on its free list.
    BlockFreed {
        class: u32,
    },
    /// The collections had this many words.
    ValueWords {
        old: usize,
    },
    /// The graph has a new edge. This and what follows is there only if a reader follows the graph.
    Added(Mention),
    /// The graph has lost an edge.
    Removed(Mention),
    Created(NodeRef),
    /// A thread has ended.
    Ended(ThreadId),
    Dropped(NodeRef),
    /// By decoding: a unit has other words, and perhaps other edges, which have entries of their own.
    Rewritten(NodeRef),
    /// By decoding: the state has nothing to do with the one before.
    Replaced,
}

// Searches in depth keep the changes of the whole path.
const _: () = assert!(size_of::<Change>() == 24);

impl Change {
    /// The unit whose words changed, by index.
    #[inline]
    pub const fn unit(&self) -> Option<u32> {
        match *self {
            Self::Word { unit, .. } | Self::Node { unit, .. } => Some(unit),
            _ => None,
        }
    }
}

/// An edge between two units, small enough for an entry of the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mention {
    /// The unit that mentions the other.
    pub source: u32,
    pub target: u32,
    /// As in [`Edge`](crate::Edge).
    pub label: u64,
}

/// The number of changes for which there is room at the least, after
/// [`State::has_room`](crate::State::has_room).
pub const SPARE: usize = 1 << 12;

/// Makes sure that `spare` elements can be pushed. Large lists double, as long as that is possible.
pub fn make_room<T>(list: &mut Vec<T>, spare: usize) -> bool {
    list.capacity() - list.len() >= spare
        || list.try_reserve(spare).is_ok()
        || list.try_reserve_exact(spare).is_ok()
}

/// The start of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    pub start: usize,
    /// Whether there may have been garbage by then.
    pub garbage_possible: bool,
    /// What had been done to mentions by then, since the mark before.
    pub mentions_changed: MentionsChanged,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Journal {
    changes: Vec<Change>,
    marks: Vec<Mark>,
    /// The number of changes when there was last [room](Journal::has_room) for more.
    asked: usize,
}

impl Journal {
    #[inline]
    pub fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    #[inline]
    pub fn mark(&mut self, garbage_possible: bool, mentions_changed: MentionsChanged) {
        self.marks.push(Mark { start: self.changes.len(), garbage_possible, mentions_changed });
    }

    pub fn pop_mark(&mut self) -> Mark {
        self.marks.pop().expect("every undo has its mark")
    }

    /// Takes the last change off, unless it was there before `start`.
    #[inline]
    pub fn pop_since(&mut self, start: usize) -> Option<Change> {
        if self.changes.len() > start { self.changes.pop() } else { None }
    }

    pub fn len(&self) -> usize {
        self.changes.len()
    }

    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    #[inline]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The changes since the last mark.
    #[inline]
    pub fn last_step(&self) -> &[Change] {
        &self.changes[self.marks.last().map_or(0, |mark| mark.start)..]
    }

    /// Forgets all changes and marks. All readers must be [detached](Reader::detach).
    pub fn clear(&mut self) {
        self.changes.clear();
        self.marks.clear();
    }

    /// Makes sure that the next steps need no memory, if there is any.
    pub fn has_room(&mut self) -> bool {
        // Several times as much as was needed since the last time.
        let spare = SPARE.max(4 * self.changes.len().saturating_sub(self.asked));
        self.asked = self.changes.len();
        make_room(&mut self.changes, spare) && make_room(&mut self.marks, SPARE)
    }

    /// Makes sure that `count` changes more, beside those of ordinary steps, need no memory.
    pub fn has_room_for(&mut self, count: usize) -> bool {
        make_room(&mut self.changes, count + SPARE)
    }
}

/// What a reader makes of changes.
pub(crate) trait Digest {
    fn add(&mut self, changes: &[Change]);
}

/// A cursor into the journal, with a digest of all changes that were read and not handed on.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reader<D> {
    /// The number of changes that were read.
    read: usize,
    pub digest: D,
}

impl<D: Digest> Reader<D> {
    /// Reads all that is new.
    #[inline]
    pub fn catch_up(&mut self, journal: &Journal) {
        self.digest.add(&journal.changes[self.read..]);
        self.read = journal.changes.len();
    }

    /// The changes from `start` on are about to be taken back.
    #[inline]
    pub fn rewind(&mut self, journal: &Journal, start: usize) {
        if self.read > start {
            self.digest.add(&journal.changes[start..self.read]);
            self.read = start;
        }
    }

    /// The changes from `start` on are about to be taken back, and need not be handed on.
    #[inline]
    pub fn go_back(&mut self, start: usize) {
        self.read = self.read.min(start);
    }

    /// The journal is about to be cleared.
    pub fn detach(&mut self, journal: &Journal) {
        self.catch_up(journal);
        self.read = 0;
    }

    /// Counts everything in the journal as read and handed on.
    pub fn skip(&mut self, journal: &Journal) {
        self.read = journal.changes.len();
    }
}

/// A set of units, by index, in the order in which they were inserted.
#[derive(Clone, Default, Debug)]
pub(crate) struct UnitSet {
    list: Vec<u32>,
    is_in: Vec<bool>,
}

impl UnitSet {
    #[inline]
    pub fn insert(&mut self, unit: u32) {
        if unit as usize >= self.is_in.len() {
            self.grow(unit);
        }
        if !std::mem::replace(&mut self.is_in[unit as usize], true) {
            self.list.push(unit);
        }
    }

    #[cold]
    fn grow(&mut self, unit: u32) {
        self.is_in.resize(unit as usize + 1, false);
    }

    pub fn iter(&self) -> impl Iterator<Item = NodeRef> {
        self.list.iter().map(|&unit| NodeRef::from_index(unit))
    }

    /// Moves the units to the end of a list.
    #[inline]
    pub fn drain_into(&mut self, units: &mut Vec<u32>) {
        units.extend_from_slice(&self.list);
        self.clear();
    }

    pub fn clear(&mut self) {
        for unit in self.list.drain(..) {
            self.is_in[unit as usize] = false;
        }
    }
}

impl Digest for UnitSet {
    #[inline]
    fn add(&mut self, changes: &[Change]) {
        for change in changes {
            if let Some(unit) = change.unit() {
                self.insert(unit);
            }
        }
    }
}

/// A set of positions of words, modulo 64: a bit for each.
#[derive(Clone, Debug)]
pub(crate) struct PlaceSet(u64);

/// A reader that never looked knows nothing.
impl Default for PlaceSet {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl PlaceSet {
    #[inline]
    pub const fn insert(&mut self, at: usize) {
        self.0 |= 1 << (at % 64);
    }

    pub const fn insert_all(&mut self) {
        self.0 = u64::MAX;
    }

    pub fn take(&mut self) -> u64 {
        std::mem::take(&mut self.0)
    }
}

impl Digest for PlaceSet {
    #[inline]
    fn add(&mut self, changes: &[Change]) {
        for change in changes {
            // A reader that never asks costs nothing.
            if self.0 == u64::MAX {
                return;
            }
            match change {
                Change::Word { at, .. } => self.insert(*at as usize),
                // The words of new units and collections are not journalled one by one.
                Change::Node { .. } | Change::ValueWords { .. } => self.insert_all(),
                _ => {}
            }
        }
    }
}
