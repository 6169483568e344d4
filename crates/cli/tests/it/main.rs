//! The command `quotient` from outside, as users and scripts see it.

mod bad_input;
mod bir;
#[cfg(unix)]
mod book;
mod combinations;
mod graph;
mod help;
mod json;
mod limits;
mod output;
mod print;
mod promela;
mod properties;
mod refusals;
mod replay;
mod reports;
mod schema;
mod simulate;
mod stores;
mod support;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod trails;
mod verdicts;
