//! Models in BIR: [`random_model`] writes one from a seed, and [`shrink`] makes one that shows a mistake as small as
//! it can.

mod alike;
mod random;
mod shrink;

pub use alike::random_model_of_the_alike;
pub use random::{Variant, random_model, random_variant};
pub use shrink::shrink;
