//! Stores of visited states: which states were seen, and under which number.
//!
//! A [`StateStore`] maps encodings to [`StateId`]s. Ids are dense and assigned in the order of insertion, so
//! that a breadth-first search needs no queue: its frontier is a range of ids. A store sees components made
//! of words, and not what they mean.
//!
//! | store                 | guarantee | representation                                                |
//! |-----------------------|-----------|---------------------------------------------------------------|
//! | [`Trie`]              | exact     | a tree of interned pairs; the pair at the root is the state   |
//! | [`IndexedTrie`]       | exact     | a trie that also finds states by number                       |
//! | [`Exact`]             | exact     | packed vectors in an arena, with an open-addressing table     |
//! | [`Gzip`]              | exact     | packed vectors, each deflated by itself: for comparison       |
//! | [`Collapse`]          | exact     | vectors of numbers of components, which pools store once      |
//! | [`Automaton`]         | exact     | the minimal deterministic automaton of all states             |
//! | [`CollapseAutomaton`] | exact     | the automaton of collapsed vectors: the fewest bytes of all   |
//! | [`HashSetStore`]      | exact     | a map of the standard library: oracle and baseline            |
//! | [`Compact`]           | lossy     | some bytes of a hash of each state                            |
//! | [`Bitstate`]          | lossy     | some bits per state in a large array                          |
//!
//! Every store guarantees:
//! - `insert` returns `New` exactly for encodings that were not inserted before; a lossy store may return
//!   `Seen` for others, and says how often that is to be expected ([`StateStore::omissions`]);
//! - ids are 0, 1, 2, … in the order of the `New` results, and never change;
//! - after `decode`, the encoding is equal to the one inserted under that id;
//! - a refused `insert` ([`Full`]) leaves the store as it was: everything that was stored is still found.
//!
//! Not in this crate: what a state is, what a step is, why the search wants to know.

mod arena;
mod automaton;
mod bitstate;
mod budget;
mod chunked;
mod collapse;
mod compact;
mod deferred;
mod exact;
mod fingerprint;
mod gzip;
mod hash_set;
mod image;
mod interner;
mod mix;
mod pack;
mod packer;
mod pair_set;
mod sample;
mod shared;
mod trie;
mod varint;
mod vectors;
mod zeroed;

use std::fmt;
use std::io;

use system::{Effect, Encoding};

pub use automaton::{Automaton, CollapseAutomaton};
pub use bitstate::{Bitstate, Hashes};
pub use budget::{Budget, peak_resident, resident};
pub use chunked::Chunked;
pub use collapse::Collapse;
pub use compact::Compact;
pub use deferred::{Candidates, Deferred, Walker};
pub use exact::Exact;
pub use gzip::Gzip;
pub use hash_set::HashSetStore;
pub use image::{Extent, Input, Output, damaged};
pub use sample::{Recapture, RecaptureSample};
pub use shared::{Frozen, Part, SharedStore};
pub use trie::{IndexedTrie, Trie};

/// The number of a stored state: its index in the order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u64);

impl StateId {
    /// The number of bits of an id, so that large tables can pack ids.
    pub const BITS: u32 = 40;
    /// The number of ids. The greatest number that fits into the bits is reserved for "none".
    pub const LIMIT: usize = (1 << Self::BITS) - 1;

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// The result of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    New(StateId),
    /// The state was stored before. Its number, if the store finds states by number.
    Seen(Option<StateId>),
}

/// Why a new state could not be stored. A search that gets this result ends without a claim of completeness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// The memory budget does not allow the store to grow.
    Memory,
    /// There are no more state ids.
    Ids,
    /// The number of stored states has reached the limit.
    States,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "the memory limit does not allow the state store to grow",
            Self::Ids => "the state store has no more state ids",
            Self::States => "the limit on states is reached",
        })
    }
}

impl std::error::Error for Full {}

/// A state that was looked up and is to be stored: the first half of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(u128);

impl Ticket {
    /// Stands for no ticket. If the ticket of a state is equal to this by chance, the state is stored without
    /// one.
    pub const NONE: Self = Self(u128::MAX);

    /// The ticket in eight bytes, for large tables of tickets. [`Ticket::NONE`] if it does not fit.
    pub const fn short(self) -> u64 {
        if self.0 < u64::MAX as u128 { self.0 as u64 } else { u64::MAX }
    }

    /// The inverse of [`Ticket::short`].
    pub const fn of_short(short: u64) -> Self {
        if short == u64::MAX { Self::NONE } else { Self(short as u128) }
    }
}

/// A figure about a store, with its name in reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    pub name: &'static str,
    pub value: f64,
}

/// Which states a store can return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Every state, by its id.
    ById,
    /// Every state once, in the order of ids.
    InOrder,
    /// No state.
    Never,
}

/// A set of visited states. Five functions are required.
pub trait StateStore {
    /// The name of the store in options and reports.
    fn kind(&self) -> &'static str;

    /// Stores the state that `encoding` describes, unless it is stored already or the number of stored states
    /// has reached `limit`. The contents of the encoding do not change, only its layout may.
    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full>;

    /// Replaces `into` by the encoding stored under `id`, as far as [`StateStore::access`] allows.
    fn decode(&mut self, id: StateId, into: &mut Encoding);

    /// The number of stored states.
    fn len(&self) -> usize;

    /// The memory used, in bytes.
    fn bytes(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which states [`StateStore::decode`] may be called for.
    fn access(&self) -> Access {
        Access::ById
    }

    /// The number of states that are expected to be lost so far because they were confused with others.
    /// `None` if the store is exact.
    fn omissions(&self) -> Option<f64> {
        None
    }

    /// Figures for reports.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// The sample of the stored states; `None` if the store was not made to take one.
    fn take_sample(&mut self) -> Option<RecaptureSample> {
        None
    }

    /// Writes an image of the states. The store must find states by number, or return them in their order.
    ///
    /// # Errors
    ///
    /// If they can't be written.
    fn save(&mut self, extent: &Extent<'_>, out: &mut dyn Output) -> io::Result<()> {
        image::save_by_id(self, extent.states, out)
    }

    /// Reads an image of this kind of store. The store must be empty.
    ///
    /// # Errors
    ///
    /// If it can't be read, or if there is no memory for it; then the store must not be used.
    fn load(&mut self, input: &mut dyn Input) -> io::Result<()> {
        image::load_by_id(self, input)
    }

    /// Insertion in two halves; `None` if the store does not support it.
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        None
    }
}

/// Insertion in two halves: a state is looked up, which lets the processor fetch the memory, and is stored
/// later. An optimisation for stores with large tables, and the counterpart of [`system::SuccessorCache`].
pub trait PreparedStore {
    /// Whether the tables are so large that it is worthwhile to prepare several states before they are
    /// stored.
    fn is_worthwhile(&self) -> bool;

    /// The first half of an insertion.
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full>;

    /// Whether the state of a ticket of the current epoch is stored.
    fn contains(&self, ticket: Ticket) -> bool;

    /// The second half of an insertion, with a ticket of the current epoch.
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full>;

    /// Makes a state the base of effects. Returns false if the store does not support effects, or has no
    /// memory.
    fn set_base(&mut self, _: &mut Encoding) -> bool {
        false
    }

    /// The first half of the insertion of the state that results from the last base by an effect. `None` if
    /// the store does not support this effect.
    fn prepare_effect(&mut self, _: Effect<'_>) -> Option<Ticket> {
        None
    }

    /// The current epoch. Tickets of other epochs are void.
    fn epoch(&self) -> u32 {
        0
    }

    /// Lets the store reorganize itself between two states, which may begin a new epoch.
    /// [`PreparedStore::prepare`] and [`PreparedStore::commit`] never do so.
    fn maintain(&mut self) {}
}
