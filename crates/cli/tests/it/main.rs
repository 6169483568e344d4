//! The command `quotient` from outside, as users and scripts see it.

mod bad_input;
mod bir;
#[cfg(unix)]
mod book;
mod checkpoints;
mod combinations;
mod explain;
mod explore;
mod fmt;
mod graph;
mod help;
mod itf;
mod json;
mod junit;
mod limits;
mod lsp;
mod output;
mod pictures;
mod print;
mod promela;
mod properties;
mod refusals;
mod replay;
mod reports;
mod sarif;
mod schema;
mod several;
mod simulate;
mod stores;
mod support;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod trails;
mod verdicts;
mod views;
mod xml;
