//! The order in which systems are stacked: the engine, names over it, reduction over both.
//!
//! Reduction is on top, since which steps are ample must be a function of what the store sees: threads are looked at in
//! the order of their names.

use engine::Engine;
use reduction::{Analysis, Counts, Doubts, Reduced};
use search::{Observer, Options};
use store::{Budget, StateStore};
use symmetry::{Ladder, Stats};
use system::TransitionSystem;

use crate::config::{Config, SearchKind};
use crate::stores::{self, Run};
use crate::symmetric::Symmetric;

/// What a system is made of.
#[derive(Clone, Copy)]
pub struct Stack<'a> {
    pub engine: &'a Engine,
    pub ladder: Option<Ladder>,
    pub analysis: Option<&'a Analysis>,
}

/// What the parts say about themselves after a search.
#[derive(Clone, Default)]
pub struct Told {
    pub naming: Stats,
    pub reduction: Counts,
    /// Why the reduction was wrong, if it was.
    pub doubts: Doubts,
}

impl Told {
    pub fn of<S: reduction::Concrete>(reduced: &Reduced<'_, S>) -> Self {
        Self { reduction: reduced.counts(), doubts: reduced.doubts(), ..Self::default() }
    }
}

/// A search of whatever system it gets.
pub trait Explore {
    fn explore(self, system: &impl TransitionSystem) -> Run;
}

impl Stack<'_> {
    /// Searches the topmost system.
    pub fn explore(&self, search: impl Explore) -> (Run, Told) {
        let Some(ladder) = self.ladder else {
            return self.reduce(self.engine, search);
        };
        let system = Symmetric::new(self.engine, ladder);
        let (run, told) = self.reduce(&system, search);
        (run, Told { naming: system.stats(), ..told })
    }

    fn reduce(&self, system: &impl reduction::Concrete, search: impl Explore) -> (Run, Told) {
        match self.analysis {
            None => (search.explore(system), Told::default()),
            Some(analysis) => {
                let reduced = Reduced::new(system, analysis);
                (search.explore(&reduced), Told::of(&reduced))
            }
        }
    }
}

/// With a store that is given.
pub struct Into<'a, T, O> {
    pub store: T,
    pub search: SearchKind,
    pub options: &'a Options<'a>,
    pub observer: &'a mut O,
}

impl<T: StateStore, O: Observer> Explore for Into<'_, T, O> {
    fn explore(self, system: &impl TransitionSystem) -> Run {
        stores::run(system, self.store, self.search, self.options, self.observer)
    }
}

/// With the store that a configuration asks for.
pub struct As<'a, O> {
    pub budget: &'a Budget,
    pub config: &'a Config,
    pub options: &'a Options<'a>,
    pub observer: &'a mut O,
}

impl<O: Observer> Explore for As<'_, O> {
    fn explore(self, system: &impl TransitionSystem) -> Run {
        stores::explore(system, self.budget, self.config, self.options, self.observer)
    }
}
