//! All tests of searches in one executable, except for the one that measures the memory of the process
//! (`memory.rs`).

mod common;

mod emptiness;
mod parallel;
mod searches;
