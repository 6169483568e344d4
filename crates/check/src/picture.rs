//! Pictures of states and runs: what reports have, in the form in which the crate `draw` draws it.
//!
//! A picture says nothing that is not in a trace or a state as values. Graphs are in `graph/picture.rs`.

mod run;
mod state;

pub use draw;
pub use run::{Rows, chart, overview};
pub use state::scene;
