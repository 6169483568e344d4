//! Canonical labelling of directed graphs with labelled nodes and edges.
//!
//! A [`Canonizer`] orders the nodes of a [`Graph`] such that isomorphic graphs, relabelled by position, are
//! equal. It refines a partition of the nodes (`refine`), and decides what refinement leaves open by
//! individualization (`solve`). This crate knows nothing of programs and states.

mod graph;
mod refine;
mod solve;

pub use graph::{Edge, Graph};
pub use solve::{Canonizer, Options, Ordered};
