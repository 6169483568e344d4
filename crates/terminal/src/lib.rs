//! What the commands share that check models: the command `quotient`, and that of a model in Rust.
//!
//! - [`units`]: sizes, durations and counts as people write and read them;
//! - [`progress`]: the line that moves while a check runs;
//! - [`interrupt`]: signals that ask for an end.
//!
//! Not here: options, reports, files.

pub mod interrupt;
pub mod progress;
pub mod units;
