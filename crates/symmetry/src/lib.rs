//! Canonical forms: one representative for all the states that differ by names only.
//!
//! [`Namer`] follows a state through its steps and names its threads, objects and abstract ids, at one of the
//! levels of symmetry. [`Chains`] are names that are repaired around an edit; where they are not enough, a
//! canonical order of the state as a graph decides (crate `canon`). [`Symmetric`] is the engine's system with
//! states encoded under such names, and [`Lift`] finds concrete runs again. Any names at all would be sound:
//! what is stored is the whole state under its names.

mod abstracts;
mod anchors;
mod chain_table;
mod chains;
mod closing;
mod content;
mod encoded_names;
mod exchanges;
mod full;
mod lift;
mod mix;
mod namer;
mod order;
mod population;
mod reach;
mod relations;
mod small;
mod small_encoding;
mod small_saved;
mod symmetric;
mod twins;
mod versions;

pub use canon::Options;
pub use chain_table::{ChainId, ChainTable};
pub use chains::Chains;
pub use lift::Lift;
pub use namer::{Level, Namer, Naming, Stats, SymmetryConfig};
pub use symmetric::{Named, Symmetric};
