//! Explicit-state model checking of dynamic concurrent software, as one dependency.
//!
//! - Feature `model` (default): [models in Rust](model). Neither front ends nor an engine are compiled.
//! - Feature `actors`: [systems of actors](actors) as such models.
//! - Feature `languages`: [models in BIR and Promela](languages), loaded and checked by a program.
//!
//! The crate itself only says what belongs together; what is behind a feature is documented there.

#![warn(missing_docs)]

#[cfg(feature = "actors")]
#[doc(inline)]
pub use ::actors;

#[cfg(feature = "languages")]
#[doc(inline)]
pub use ::check as languages;

/// Models in Rust: see [`Model`](model::Model).
#[cfg(feature = "model")]
pub mod model {
    #[doc(inline)]
    pub use ::model::*;
    // The same derive, which names what it needs by its path from this crate.
    #[doc(inline)]
    pub use macros::QuotientShape as Shape;
}
