//! Models made of models in Rust: products, scenarios, slices.
//!
//! | | a model that |
//! |---|---|
//! | [`Product`] | runs two models side by side, which take shared actions together |
//! | [`Scenario`] | takes the actions of a model in orders that a text allows: `create{2}; (send | receive)*` |
//! | [`Follow`] | takes given actions one after the other, such as those of a trail |
//! | [`Slice`] | takes some actions of a model only, or stays in some states |
//!
//! Each is a [`Model`](quotient_model::Model), so it can be checked, simulated, drawn and composed again.
//! What must hold of the parts must hold of the whole. [`Explored`] is the graph of a small program, and
//! knows its [dead ends](Explored::dead_ends): states from which no run leads to a state in which it may end.
//!
//! The idea of composing model programs by shared actions is that of Jacky, Veanes, Campbell and Schulte,
//! "Model-based software testing and analysis with C#" (2008), chapter 7. Here individuals of one sort are the same
//! in all parts, so that compositions are reduced by symmetry like other models.

#![warn(missing_docs)]

mod explored;
mod follow;
mod key;
mod product;
mod scenario;
mod slice;

pub use explored::{DeadEnd, Edge, Explored, TooLarge, Vertex};
pub use follow::{Follow, Followed};
pub use key::Key;
pub use product::{Product, Together};
pub use scenario::{Scenario, ScenarioError, Staged};
pub use slice::Slice;
