//! Partial order reduction: of the orders in which independent steps can be taken, one is enough.

mod analysis;
mod bits;
mod channels;
mod cycles;
mod footprint;
mod reduced;

pub use analysis::{Analysis, obstacle};
pub use reduced::{Concrete, Counts, Reduced};
