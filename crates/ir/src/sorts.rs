//! Which numbers of a program stand for threads and channels, and what permuting those does to a state.
//!
//! Where ids of threads are observable, they are numbers like others. A *sort* says of a place which of its
//! numbers are names: then a permutation of threads and channels renames them. Sorts are no part of a program,
//! and do not change what it means.

use std::collections::BTreeMap;

use crate::{ChannelId, GlobalId, LocalId, LocationId, ProcedureId, Table};

/// What the numbers in a place stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sort {
    /// Themselves.
    #[default]
    Number,
    /// A number stands for the thread whose number is greater by `shift`, if there is one.
    Thread { shift: i64 },
    /// The channel of that number, if there is one.
    Channel,
}

/// The sorts of a variable: of its values, and of each of its indices if it is an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct VariableSort {
    pub value: Sort,
    pub indices: Vec<Sort>,
}

/// The sorts of all places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sorts {
    pub globals: Table<GlobalId, VariableSort>,
    /// Globals whose channels never change: they are part of the text, not of the state.
    pub constants: Table<GlobalId, bool>,
    /// Globals whose elements and values mean something only for the threads that name them: see [`Recoding`].
    pub coded: Table<GlobalId, bool>,
    pub locals: Table<ProcedureId, Table<LocalId, VariableSort>>,
    /// By channel, as declared: the fields of its messages.
    pub fields: Table<ChannelId, Vec<Sort>>,
}

/// A permutation of the threads and channels of a state, and of locations in texts that it maps to each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Permutation {
    /// By number of a thread.
    pub threads: Vec<u32>,
    /// By number of a channel, from 1; the entry for 0 is 0.
    pub channels: Vec<u32>,
    /// Those that change.
    pub locations: BTreeMap<LocationId, LocationId>,
    /// What becomes of coded variables; others stay.
    pub coded: BTreeMap<GlobalId, Recoding>,
}

/// What a permutation does to a coded variable.
///
/// Threads get at such a variable by functions of their own numbers only: `turn[_pid / 2] = _pid % 2`. So neither its
/// elements nor its values are individuals, but a permutation of the threads that goes with one of the elements, and
/// for each element one of the values, leaves the program as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recoding {
    /// By element; a variable that is no array is one element.
    pub elements: Vec<Recoded>,
}

/// What becomes of an element of a coded variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recoded {
    /// The element that it becomes.
    pub to: u32,
    /// The values that threads name, ascending, with what they become.
    pub values: Vec<(i64, i64)>,
}

impl Recoded {
    /// What a value becomes: those that no thread names keep their order.
    pub fn apply(&self, value: i64) -> i64 {
        let named = |least: i64| {
            self.values.iter().filter(move |(from, _)| *from < least).map(|_| 1_i64).sum::<i64>()
        };
        if let Some(&(_, to)) = self.values.iter().find(|&&(from, _)| from == value) {
            return to;
        }
        let rank = value - named(value);
        let mut found = rank;
        loop {
            let taken = self.values.iter().filter(|&&(_, to)| to <= found).map(|_| 1_i64).sum::<i64>();
            if rank + taken == found {
                return found;
            }
            found = rank + taken;
        }
    }
}

impl Permutation {
    /// The one that changes nothing, for this number of threads and of channels.
    pub fn identity(threads: usize, channels: usize) -> Self {
        let numbers = |count: usize| (0..crate::ids::small(count)).collect();
        let (threads, channels) = (numbers(threads), numbers(channels + 1));
        Self { threads, channels, ..Self::default() }
    }

    /// Makes it one that changes nothing. Keeps its memory.
    pub fn reset(&mut self, threads: usize, channels: usize) {
        self.threads.clear();
        self.threads.extend(0..crate::ids::small(threads));
        self.channels.clear();
        self.channels.extend(0..crate::ids::small(channels + 1));
        self.locations.clear();
        self.coded.clear();
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        let is_same = |list: &[u32]| list.iter().zip(0..).all(|(&to, from)| to == from);
        is_same(&self.threads)
            && is_same(&self.channels)
            && self.locations.is_empty()
            && self.coded.is_empty()
    }

    /// What a number in a place of this sort becomes.
    pub fn apply(&self, sort: Sort, value: i64) -> i64 {
        match sort {
            Sort::Number => value,
            Sort::Thread { shift } => {
                let to = value
                    .checked_add(shift)
                    .and_then(|thread| self.threads.get(usize::try_from(thread).ok()?));
                to.map_or(value, |&thread| i64::from(thread) - shift)
            }
            Sort::Channel => {
                let to = usize::try_from(value).ok().and_then(|channel| self.channels.get(channel));
                to.map_or(value, |&channel| i64::from(channel))
            }
        }
    }

    pub fn location(&self, location: LocationId) -> LocationId {
        self.locations.get(&location).copied().unwrap_or(location)
    }

    /// Calls `f` for each element of an array variable with the place that it moves to.
    pub fn each_element(&self, sorts: &VariableSort, dims: &[u32], mut f: impl FnMut(usize, usize)) {
        let size: usize = dims.iter().map(|&len| len as usize).product();
        for from in 0..size {
            let (mut rest, mut to, mut stride) = (from, 0, 1);
            // The last index changes fastest.
            for (&len, &sort) in dims.iter().zip(&sorts.indices).rev() {
                let index = rest % len as usize;
                rest /= len as usize;
                let moved = i64::try_from(index).map(|index| self.apply(sort, index));
                let moved =
                    moved.ok().and_then(|moved| usize::try_from(moved).ok()).filter(|&at| at < len as usize);
                to += stride * moved.unwrap_or(index);
                stride *= len as usize;
            }
            f(from, to);
        }
    }
}
