//! Code shared by the tests of several crates. It is not part of the checker: other crates depend on it for
//! their tests only, and `xtask` for its comparisons.
//!
//! It depends on `ir`, whose own tests use it too. That works for tests in `tests/`. In a `#[cfg(test)]`
//! module of `ir` it would not: to the compiler the programs made here belong to another crate than the
//! module does.

mod bir;
pub mod book;
mod effort;
mod models;
mod programs;
pub mod promela;
pub mod robustness;

pub use bir::{Variant, random_model, random_model_of_the_alike, random_variant, shrink};
pub use bits::SplitMix64;
pub use effort::effort;
pub use models::{ModelFile, files_below, models, root};
pub use programs::{
    POST, add_random_property, channels, heap, philosophers, program, random_mixed, random_mixed_text,
    random_processes, random_processes_text, random_program, random_text,
};
