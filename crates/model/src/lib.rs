//! Model programs in Rust: states are values, actions are functions, isomorphic states are one.
//!
//! A [`Model`] says in which states runs begin, what can happen in a state, and what that does. Its states are
//! plain values: any type with `#[derive(Shape)]`, made of numbers, [`Set`]s, [`Bag`]s, [`Map`]s, [`Seq`]s,
//! objects of a [`Heap`], and individuals of [sorts](sort!) that nothing tells apart. A [`Program`] explores
//! them. Two states that differ only in which individuals and objects they mention are stored once.
//!
//! ```
//! use quotient_model::{Cx, Doing, Map, Model, Program, Shape, Symmetry, sort};
//!
//! sort! { struct Side; struct Colour; }
//!
//! #[derive(Clone, Debug, Shape)]
//! struct Assign(Side, Colour);
//!
//! struct Triangle;
//!
//! impl Model for Triangle {
//!     type State = Map<Side, Colour>;
//!     type Action = Assign;
//!     fn initial(&self, _: &Cx<'_>, out: &mut Vec<Self::State>) {
//!         out.push(Map::new());
//!     }
//!     fn actions(&self, cx: &Cx<'_>, colours: &Self::State, out: &mut Vec<Assign>) {
//!         for side in cx.all::<Side>().filter(|side| !colours.contains_key(side)) {
//!             out.extend(cx.all::<Colour>().map(|colour| Assign(side, colour)));
//!         }
//!     }
//!     fn apply(&self, _: &mut Doing<'_>, colours: &mut Self::State, action: &Assign) {
//!         colours.insert(action.0, action.1);
//!     }
//! }
//!
//! let mut triangle = Program::new(Triangle).sort::<Side>(3).sort::<Colour>(2);
//! triangle.check().symmetry(Symmetry::None).assert_counts(27, 54);
//! triangle.check().assert_counts(6, 14);
//! ```
//!
//! What keeps verdicts right:
//! - An encoding is a whole state under some names, so names never merge states that are not isomorphic.
//! - That individuals are interchangeable is a claim of types, and the [test of it](SymmetryCheck) tells
//!   models that ask which individual comes first.
//! - A violation is run twice on plain values before it is shown. A model that is not a function of its state
//!   is told so.

#![warn(missing_docs)]

mod base;
mod bounded;
mod check;
mod collections;
mod confirm;
mod describe;
mod domain;
mod equivariance;
mod formula;
mod heap;
mod judge;
mod known;
mod live;
mod mentions;
mod minimise;
mod model;
mod naming;
mod panics;
mod plain;
mod process;
mod processes;
mod program;
mod properties;
mod reader;
mod report;
mod ruled;
mod shape;
mod sorts;
mod term;
mod words;

pub use bounded::Bounded;
pub use check::{Check, Goals, Order, StoreKind, Symmetry};
pub use collections::{Bag, Map, Seq, Set};
pub use describe::SortReport;
pub use domain::Domain;
pub use equivariance::{Broken, SymmetryCheck};
pub use heap::{Heap, Ref};
pub use live::Live;
pub use macros::{Domain, Shape, model};
pub use model::{Cx, Doing, Model, Remark};
pub use plain::{Failure, PropertyNames, Reached, Successor, Successors};
pub use process::{Obstacle, Process, Role, Who};
pub use program::Program;
pub use properties::Properties;
pub use reader::Reader;
pub use report::{GoalReport, Kind, Minimised, Naming, Report, StoreReport, Taken, Verdict, Violation};
pub use ruled::{Offers, Rule, Ruled, Rules, When};
pub use search::emptiness::Fairness;
pub use search::{Progress, StopReason};
pub use shape::{Shape, Visit};
pub use sorts::{Index, Individual, Labels, Sorts};
pub use term::{Difference, Term};

#[doc(hidden)]
pub use domain::individuals;
#[doc(hidden)]
pub use ruled::AsIs;
#[doc(hidden)]
pub use sorts::{index_of, number_of, order_of_numbers, show_individual};
