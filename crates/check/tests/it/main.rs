//! All tests of the checker as a library in one executable, but those of model files: `filetests` has a
//! harness of its own.

mod common;

mod book;
mod bounds;
mod checkpoints;
mod choice;
mod corners;
mod dynamic;
mod dynamic_counts;
mod fairness;
mod individuals;
mod interchange;
mod interchangeable;
mod limits;
mod minimise;
mod mutations;
mod promela;
mod random_models;
mod random_promela;
mod random_properties;
mod reduction;
mod regressions;
mod swarm;
mod threads;
