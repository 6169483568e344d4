//! Models in BIR: [`random_model`] writes one from a seed, and [`shrink`] makes a failing one as small as
//! possible.

mod alike;
mod random;
mod shrink;

pub use alike::random_model_of_the_alike;
pub use random::{Variant, random_model, random_variant};
pub use shrink::shrink;
