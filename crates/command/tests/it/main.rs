//! The command line of models in Rust, run in this process.

mod book;
mod commands;
mod models;
mod pictures;
mod refusals;
#[cfg(unix)]
mod terminal;
