//! Interchangeable threads and channels of programs in which their numbers can be observed.
//!
//! Nothing is declared. Which numbers stand for threads and channels follows from how they are used
//! (`unify`, `walk`); which permutations leave the program as it is follows from its text, taken as a graph
//! (`text`, `refine`); a [`Plan`] says what can be permuted and what moves along. Two states that such a
//! permutation maps to each other have the same future, up to the permutation.
//!
//! The idea that permutations must leave the text as it is, up to the order of what commutes, is from Donaldson and
//! Miller, "Automatic symmetry detection for model checking using computational group theory" (2005). There, the text
//! is permuted and compared; here it is a graph.

mod canonical;
mod cells;
mod coded;
mod functions;
mod group;
mod interchanging;
mod lift;
mod plan;
mod population;
mod prepare;
mod refine;
mod seeded;
mod terms;
mod text;
mod unify;
mod walk;

pub use cells::Cells;
pub use interchanging::{Interchanging, Permuted, Stats, obstacle};
pub use plan::{Parameters, Plan, Train};
pub use population::{Locations, Population, Reach};
pub use prepare::{MustVanish, has_ended, is_end, prepare};
pub use seeded::Seeded;
pub use unify::Reason;
pub use walk::ChannelFlow;
