//! Canonical forms: one representative for all the states that differ by names only.
//!
//! [`Namer`] follows a state through its steps and says what its threads, objects and abstract ids are called, at one
//! of the levels of the ladder. [`Chains`] are names that are repaired around an edit; [`Canonizer`] puts the nodes of a labelled
//! [`Graph`] into an order that does not depend on their numbers. Nothing here evaluates anything, and any
//! names at all would be sound: what is stored is the whole state under its names.

mod abstracts;
mod anchors;
mod chains;
mod content;
mod full;
mod graph;
mod mix;
mod namer;
mod order;
mod refine;
mod shown;
mod solve;
mod twins;

pub use chains::{ChainId, ChainTable, Chains};
pub use graph::{Edge, Graph};
pub use namer::{Ladder, Level, Namer, Naming, Stats};
pub use solve::{Canonizer, Options, Ordered};
