//! Programs in Promela: [`program`] makes one from a seed and a number, and [`shrink`] makes one that shows a
//! difference as small as possible. `to_string` prints them.

mod alike;
mod dynamic;
mod expressions;
mod formulas;
mod generate;
mod print;
mod scope;
mod shrink;
mod statements;
mod tree;

pub use alike::alike;
pub use dynamic::dynamic;
pub use generate::{Purpose, program};
pub use shrink::shrink;
pub use tree::Program;
