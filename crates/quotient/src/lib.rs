//! Explicit-state model checking of dynamic concurrent software, as one dependency.
//!
//! - Feature `model` (default): [models in Rust](model). Neither front ends nor an engine are compiled.
//! - Feature `command` (default): [their command line](main).
//! - Feature `actors`: systems of actors as such models, in the module `actors`.
//! - Feature `compose`: products, scenarios and slices of such models, in the module `compose`.
//! - Feature `conformance`: tests of implementations from such models, in the module `conformance`.
//! - Feature `languages`: models in BIR and Promela, loaded and checked by a program, in the module `languages`.
//!
//! The crate itself only says what belongs together; what is behind a feature is documented there.

#![warn(missing_docs)]

#[cfg(feature = "actors")]
#[doc(inline)]
pub use ::actors;

#[cfg(feature = "compose")]
#[doc(inline)]
pub use ::compose;

#[cfg(feature = "conformance")]
#[doc(inline)]
pub use ::conformance;

#[cfg(feature = "languages")]
#[doc(inline)]
pub use ::check as languages;

/// Gives a model in Rust the commands `check`, `simulate`, `replay` and `graph`.
#[cfg(feature = "command")]
#[doc(inline)]
pub use command::{Command, FromArgs, main};

/// Models in Rust: see [`Model`](model::Model) and [`#[model]`](macro@model::model).
#[cfg(feature = "model")]
pub mod model {
    #[doc(inline)]
    pub use ::model::*;
    // The same macros, which name what they need by its path from this crate.
    #[doc(inline)]
    pub use macros::{QuotientDomain as Domain, QuotientShape as Shape, quotient_model as model};
}

/// The page of the book about models in Rust. The examples of such pages are run as tests.
#[cfg(all(doctest, feature = "command"))]
#[doc = include_str!("../../../book/src/modelling/rust-models.md")]
struct Page;

/// The page of the book about compositions.
#[cfg(all(doctest, feature = "compose"))]
#[doc = include_str!("../../../book/src/modelling/compositions.md")]
struct Compositions;

/// The page of the book about tests from models.
#[cfg(all(doctest, feature = "conformance"))]
#[doc = include_str!("../../../book/src/modelling/conformance.md")]
struct FromModels;
