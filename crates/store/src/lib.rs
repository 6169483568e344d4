//! Visited sets: which states were seen, and under which number.
//!
//! A [`StateStore`] maps encodings to [`StateId`]s. Ids are dense and handed out in the order of insertion,
//! so that a breadth-first search needs no queue: its frontier is a range of ids. A store sees components of
//! words and never what they mean.
//!
//! | store     | guarantee | what it is                                                      |
//! |-----------|-----------|-----------------------------------------------------------------|
//! | [`Exact`] | exact     | packed vectors in an arena, behind an open-addressing table     |
//! | [`Naive`] | exact     | a map of the standard library: oracle and baseline              |
//!
//! What must hold of every store:
//! - `insert` answers `New` exactly for encodings that were not inserted before (of an exact store);
//! - ids are 0, 1, 2, … in the order of the `New` answers, and never change;
//! - after `decode`, the encoding is the same as the one inserted under that id;
//! - a refused `insert` ([`Full`]) leaves the store as it was: all that was stored is still found.
//!
//! Absent here: what a state is, what a step is, why the search wants to know.

mod arena;
mod budget;
mod chunked;
mod exact;
mod naive;
mod pack;

use std::fmt;

use system::Encoding;

pub use budget::{Budget, peak_resident, resident};
pub use chunked::Chunked;
pub use exact::Exact;
pub use naive::Naive;

/// The number of a stored state: its place in the order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

impl StateId {
    /// Ids end before the greatest number, so that whoever keeps ids has one value left for "none".
    pub const LIMIT: usize = u32::MAX as usize;

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
    Seen(StateId),
}

impl Insert {
    pub const fn id(self) -> StateId {
        match self {
            Self::New(id) | Self::Seen(id) => id,
        }
    }
}

/// Why a new state could not be stored. A search that meets this ends without a claim of completeness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// The memory budget does not allow the store to grow.
    Memory,
    /// There are no more state ids.
    Ids,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "the memory limit does not allow the state store to grow",
            Self::Ids => "the state store has no more state ids",
        })
    }
}

impl std::error::Error for Full {}

/// A visited set. The methods that look states up take `&mut self` for their scratch space only.
pub trait StateStore {
    /// Its name in options and reports.
    fn kind(&self) -> &'static str;

    /// Whether it never takes one state for another.
    fn exact(&self) -> bool;

    /// Stores the state that `encoding` describes, unless it is stored already. `parent` is the stored state
    /// that [`Encoding::changed`] is relative to, for stores that can make use of it.
    fn insert(&mut self, parent: Option<StateId>, encoding: &Encoding) -> Result<Insert, Full>;

    /// The id of a stored state.
    fn find(&mut self, encoding: &Encoding) -> Option<StateId>;

    /// Replaces `into` by the encoding that was stored under `id`.
    fn decode(&mut self, id: StateId, into: &mut Encoding);

    /// The number of stored states.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory it uses.
    fn bytes(&self) -> usize;
}
