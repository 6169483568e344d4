//! Tests of implementations from models in Rust.
//!
//! A model that was checked says what an implementation must do: in which order its operations may be called, and what
//! they answer. A [`Suite`] is a list of runs of the model that cover it by some [`Coverage`]; a [`Stepper`]
//! does each step with the implementation and gives back what it answered; [`Suite::run`] compares.
//!
//! | coverage | each | a suite that passes says |
//! |---|---|---|
//! | [`States`](Coverage::States) | state is visited | little |
//! | [`Transitions`](Coverage::Transitions) | step is taken once, in as few steps as possible | no step answers wrongly when it is taken first |
//! | [`Pairs`](Coverage::Pairs) | step is followed by each that can follow it | the same of each two steps in a row |
//! | [`Probed`](Coverage::Probed) | step is followed by what tells its target from all other states | that answers are those of the model, if the implementation has no more states than the model tells apart |
//!
//! States and steps that differ in interchangeable individuals are one, unless that is [not wanted](Suite::new).
//!
//! In a suite the test decides what happens, and the model says what follows. A model in which one action can lead to
//! several states, or with [outputs](quotient_model::Role::Output) that the implementation decides on, has no
//! suite, and the reason is told. [`Online`] runs an implementation beside such a model, [`Concurrent`] lets threads call
//! an object at the same time, and [`validate`] compares a log with a model afterwards.

#![warn(missing_docs)]

mod bindings;
mod concurrent;
mod machine;
mod online;
mod output;
mod possible;
mod separation;
mod stepper;
mod suite;
mod tour;
mod turns;
mod validate;

pub use bindings::Bindings;
pub use concurrent::{Call, Concurrent, Histories, History, Shared};
pub use online::{Deviation, Event, Mismatch, Online, Strategy, Trial};
pub use possible::Lost;
pub use stepper::{Conformance, Divergence, Stepper};
pub use suite::{Coverage, NoSuite, Step, Suite, Test};
pub use turns::turn;
pub use validate::{Log, NoEvent, Rejected, Validation, validate};
