//! Stores that several workers share: read by all while nobody writes, then written part by part.
//!
//! A breadth-first search with several workers takes turns with its store:
//!
//! | phase  | the store is                                             | who                                        |
//! |--------|----------------------------------------------------------|--------------------------------------------|
//! | expand | [frozen](SharedStore::freeze): a value that is only read | every worker, with a [`crate::Deferred`]   |
//! | merge  | [divided](SharedStore::take_parts)                       | each part is written by one worker         |
//! | fold   | whole                                                    | one thread: new states join the queue      |
//!
//! Ownership is the proof that phases do not overlap: whoever freezes or divides a store has it back before
//! the next phase. What stands for a state meanwhile is its *key*, a word.

use system::{Effect, Encoding};

use crate::{Full, StateStore};

/// A store that can be frozen and divided.
pub trait SharedStore: StateStore {
    type Frozen: Frozen;
    type Part: Part;

    /// Takes the visited set out, to be read by several walkers. Until it is back, the store has no states.
    fn freeze(&mut self) -> Self::Frozen;

    /// Takes the visited set back, with what walkers added to it. Fails if there is no memory for that; then
    /// the keys that they have found are void.
    fn thaw(&mut self, frozen: Self::Frozen) -> Result<(), Full>;

    /// The keys of the first states that were not asked for yet, at most `count`.
    fn sources(&self, count: usize) -> Vec<u64>;

    /// Removes the first states from those that were not asked for.
    fn skip(&mut self, count: usize);

    /// Takes the parts out, in the order of their numbers.
    fn take_parts(&mut self) -> Vec<Self::Part>;

    /// Returns the parts, to which `more` states were added. After a refusal they may have others as well,
    /// which do not count.
    fn return_parts(&mut self, parts: Vec<Self::Part>, more: usize);

    /// Appends a state that was added to its part to those that are to be asked for.
    fn enqueue(&mut self, key: u64) -> Result<(), Full>;

    /// Learns that this number of states with [odd](Frozen::is_odd) keys were met.
    fn note_odd(&mut self, count: usize);

    /// The number of states for which there are numbers.
    fn room(&self) -> usize;
}

/// A part of a store, written by one worker at a time.
pub trait Part: Send {
    /// Prefetches the place of a key.
    fn prefetch(&self, key: u64);

    /// Adds a key of this part. Returns whether it is new.
    fn insert(&mut self, key: u64) -> Result<bool, Full>;
}

/// A visited set that several walkers read.
pub trait Frozen: Send + Sync {
    /// What belongs to one walker.
    type Cursor;

    fn cursor(&self) -> Self::Cursor;

    /// Makes a cursor valid that was made for an earlier state of the store. Returns whether the keys of states have
    /// changed since.
    fn renew(&self, cursor: &mut Self::Cursor) -> bool;

    /// The number of parts.
    const PARTS: usize;

    /// The number of the part to which a key belongs.
    fn part_of(&self, key: u64) -> usize;

    /// See [`crate::PreparedStore::is_worthwhile`].
    fn is_worthwhile(&self) -> bool;

    fn contains(&self, key: u64) -> bool;

    /// The key of the state of an encoding, whose place is prefetched.
    fn key(&self, cursor: &mut Self::Cursor, encoding: &mut Encoding) -> Result<u64, Full>;

    /// Replaces `into` by the state of a key, and may prefetch what `next` needs.
    fn rebuild(&self, cursor: &mut Self::Cursor, key: u64, next: Option<u64>, into: &mut Encoding);

    /// See [`crate::PreparedStore::set_base`].
    fn set_base(&self, cursor: &mut Self::Cursor, encoding: &mut Encoding) -> bool;

    /// See [`crate::PreparedStore::prepare_effect`].
    fn key_after(&self, cursor: &mut Self::Cursor, effect: Effect<'_>) -> Option<u64>;

    /// Whether the state at which the cursor is takes more memory than others, so that many of them are a
    /// reason to reorganize the store.
    fn is_odd(&self, cursor: &Self::Cursor) -> bool;
}
