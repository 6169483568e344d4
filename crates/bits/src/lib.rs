//! Small algorithms that several crates need and that know nothing of models: strongly connected components,
//! pseudorandom numbers, and recursion that is too deep for one native stack.

mod random;
mod scc;
mod stack;

pub use random::SplitMix64;
pub use scc::Components;
pub use stack::on_fresh_stack;
