//! Visited sets: which states were seen, and under which number.
//!
//! A [`StateStore`] maps encodings to [`StateId`]s. Ids are dense and handed out in the order of insertion,
//! so that a breadth-first search needs no queue: its frontier is a range of ids. A store sees components of
//! words and never what they mean.
//!
//! | store                 | guarantee | what it is                                                      |
//! |-----------------------|-----------|-----------------------------------------------------------------|
//! | [`Trie`]              | exact     | a tree of interned pairs, the state being the pair at its root  |
//! | [`IndexedTrie`]      | exact     | the same, which finds states again by number                    |
//! | [`Exact`]             | exact     | packed vectors in an arena, behind an open-addressing table     |
//! | [`Gzip`]              | exact     | the same, each vector deflated: for comparison                  |
//! | [`Collapse`]          | exact     | vectors of numbers, under which pools have the components       |
//! | [`Automaton`]         | exact     | the minimal deterministic automaton of all states               |
//! | [`CollapseAutomaton`] | exact     | the same of vectors of numbers: the fewest bytes of all         |
//! | [`Naive`]             | exact     | a map of the standard library: oracle and baseline              |
//! | [`Compact`]           | lossy     | some bytes of a hash of each state                              |
//! | [`Bitstate`]          | lossy     | some bits for each state in a large array                       |
//!
//! What must hold of every store:
//! - `insert` answers `New` exactly for encodings that were not inserted before; a lossy store may answer
//!   `Seen` for others, and says how often that is to be expected ([`StateStore::omissions`]);
//! - ids are 0, 1, 2, … in the order of the `New` answers, and never change;
//! - after `decode`, the encoding is the same as the one inserted under that id;
//! - a refused `insert` ([`Full`]) leaves the store as it was: all that was stored is still found.
//!
//! Absent here: what a state is, what a step is, why the search wants to know.

mod arena;
mod automaton;
mod bitstate;
mod budget;
mod chunked;
mod collapse;
mod compact;
mod exact;
mod fingerprint;
mod gzip;
mod interner;
mod mix;
mod naive;
mod number;
mod pack;
mod packer;
mod pair_set;
mod sample;
mod trie;
mod vectors;
mod zeroed;

use std::fmt;

use system::{Effect, Encoding};

pub use automaton::{Automaton, CollapseAutomaton};
pub use bitstate::{Bitstate, Hashes};
pub use budget::{Budget, peak_resident, resident};
pub use chunked::Chunked;
pub use collapse::Collapse;
pub use compact::Compact;
pub use exact::Exact;
pub use gzip::Gzip;
pub use naive::Naive;
pub use sample::{Recapture, Sample};
pub use trie::{IndexedTrie, Trie};

/// The number of a stored state: its place in the order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u64);

impl StateId {
    /// Ids fit into this number of bits, so that what keeps many can pack them.
    pub const BITS: u32 = 40;
    /// The greatest number is left for "none".
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

/// The answer to an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insert {
    New(StateId),
    /// With its number, if the store finds states again by number.
    Seen(Option<StateId>),
}

/// Why a new state could not be stored. A search that meets this ends without a claim of completeness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// The memory budget does not allow the store to grow.
    Memory,
    /// There are no more state ids.
    Ids,
    /// As many states are stored as there may be.
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

/// A state on its way into a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(u128);

impl Ticket {
    /// Of no state. A state whose ticket looks like this, by chance, is as well stored without one.
    pub const NONE: Self = Self(u128::MAX);

    /// The ticket in eight bytes, if it fits, for whoever keeps many; otherwise none.
    pub const fn short(self) -> u64 {
        if self.0 < u64::MAX as u128 { self.0 as u64 } else { u64::MAX }
    }

    /// The inverse of [`Ticket::short`].
    pub const fn of_short(short: u64) -> Self {
        if short == u64::MAX { Self::NONE } else { Self(short as u128) }
    }
}

/// A figure that tells how a store does, by its name in reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    pub name: &'static str,
    pub value: f64,
}

/// Which states a store gives back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Every state, by its id.
    ById,
    /// Every state once, in the order of ids.
    InOrder,
    /// None.
    Never,
}

/// A visited set. Five functions are required.
pub trait StateStore {
    /// Its name in options and reports.
    fn kind(&self) -> &'static str;

    /// Stores the state that `encoding` describes, unless it is stored already or the number of stored states
    /// has reached `limit`. The encoding stays what it is; only its layout may change.
    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full>;

    /// Replaces `into` by the encoding that was stored under `id`, as far as [`StateStore::access`] allows.
    fn decode(&mut self, id: StateId, into: &mut Encoding);

    /// The number of stored states.
    fn len(&self) -> usize;

    /// The memory it uses.
    fn bytes(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which states [`StateStore::decode`] may be asked for.
    fn access(&self) -> Access {
        Access::ById
    }

    /// The number of states that are expected to be lost so far, because they were taken for others. `None`
    /// if the store is exact.
    fn omissions(&self) -> Option<f64> {
        None
    }

    /// Figures for reports.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// The sample of its states that it was asked to take, if it was.
    fn take_sample(&mut self) -> Option<Sample> {
        None
    }

    /// Insertion in two halves, if the store has that.
    fn prepared(&mut self) -> Option<&mut dyn PreparedStore> {
        None
    }
}

/// Insertion in two halves: a state is looked up, which lets the memory come near, and stored later. An
/// optimisation for stores with large tables, and the counterpart of [`system::SuccessorCache`].
pub trait PreparedStore {
    /// Whether the tables are so large that it is worth preparing several states before they are stored.
    fn is_worthwhile(&self) -> bool;

    /// The first half of an insertion.
    fn prepare(&mut self, encoding: &mut Encoding) -> Result<Ticket, Full>;

    /// Whether the state of a ticket of this epoch is stored.
    fn contains(&self, ticket: Ticket) -> bool;

    /// The second half of an insertion, with a ticket of this epoch.
    fn commit(&mut self, ticket: Ticket, limit: usize) -> Result<Insert, Full>;

    /// Makes a state the base of effects. Returns false if the store does not know effects, or has no memory.
    fn set_base(&mut self, _: &mut Encoding) -> bool {
        false
    }

    /// The first half of the insertion of the state that differs from the last base by an effect. `None` if
    /// the effect is too unusual.
    fn prepare_effect(&mut self, _: Effect<'_>) -> Option<Ticket> {
        None
    }

    /// The epoch. Tickets of other epochs are void.
    fn epoch(&self) -> u32 {
        0
    }

    /// Lets the store reorganize itself between two states, which may begin another epoch.
    /// [`PreparedStore::prepare`] and [`PreparedStore::commit`] never do.
    fn maintain(&mut self) {}
}
