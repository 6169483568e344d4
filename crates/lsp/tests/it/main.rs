//! The language server, driven by a scripted editor over a connection in memory.

mod client;

mod checks;
mod conversation;
mod diagnostics;
mod edits;
mod names;
mod structure;
