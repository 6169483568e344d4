//! Models in BIR: [`random_model`] writes one from a seed, and [`shrink`] makes one that shows a mistake as small as it can.

mod random;
mod shrink;

pub use random::{Variant, random_model, random_variant};
pub use shrink::shrink;
