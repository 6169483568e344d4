//! Who acts: processes, and the roles of actions.

use std::any::TypeId;

use crate::{Index, Shape};

/// Who takes an action: the unit of fairness, and a lane of a sequence chart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Process {
    /// The model as a whole.
    #[default]
    Whole,
    /// A process with a name.
    Named(&'static str),
    /// One of several processes with a name and a number. They are not interchangeable.
    Member(&'static str, u32),
    /// An individual or an object: made by [`Process::of`].
    Individual(Who),
}

/// An individual of any sort, or an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Who {
    pub(crate) sort: TypeId,
    pub(crate) index: Index,
}

impl Process {
    /// The process that an individual or an object is.
    ///
    /// # Panics
    ///
    /// If the value is neither.
    #[track_caller]
    pub fn of(individual: impl Shape + Copy) -> Self {
        let (sort, index) = individual.individual().expect("a process is an individual or an object");
        Self::Individual(Who { sort, index })
    }
}

/// What an action is to those who test an implementation against the model. Searches take all of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Role {
    /// The test does it.
    #[default]
    Input,
    /// The implementation does it, and the test observes it.
    Output,
    /// The implementation does it, and nobody observes it.
    Hidden,
    /// Leads to a state in which a test may end.
    Cleanup,
}

/// Why an action is not possible, as far as the model says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// The action, with the arguments that are known.
    pub action: String,
    /// The condition that is false.
    pub condition: String,
    /// Where it is written: file, line and column.
    pub place: String,
}
