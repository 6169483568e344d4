//! All tests of searches in one executable, but that of the memory of the process (`memory.rs`).

mod common;

mod emptiness;
mod searches;
