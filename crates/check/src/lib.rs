//! Explicit-state model checking of dynamic concurrent software.
//!
//! This is the library behind the command `quotient`: a [`Config`](config::Config) and a [`Model`] go in, a
//! [`Report`](report::Report) comes out.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! let text = "system S {
//!     int (0, 3) x;
//!     active[2] thread T() { loc a: when x < 3 do { x := x + 1; } goto a; }
//! }";
//! let files = BTreeMap::from([("s.bir".to_owned(), text.into())]);
//! let model = quotient_check::Model::load(&files, "s.bir", &[]).unwrap();
//! let config = quotient_check::config::Config::default();
//! let checked = quotient_check::check(&model, &config, 0, &Arc::default(), &mut quotient_check::Quiet).unwrap();
//! assert_eq!(checked.report.states, 4);
//! assert_eq!(checked.report.violation.unwrap().kind, quotient_check::FaultKind::Deadlock);
//! ```

mod alike;
pub mod audit;
pub mod batch;
pub mod checkpoint;
mod choice;
mod conclude;
pub mod config;
mod coverage;
mod deadline;
mod dialect;
mod estimate;
pub mod explore;
mod findings;
pub mod graph;
pub mod itf;
pub mod json;
mod memory;
mod minimise;
mod model;
mod names;
pub mod picture;
mod pipeline;
mod processes;
pub mod property;
mod reducing;
mod refine;
mod replay;
pub mod report;
#[cfg(feature = "schema")]
pub mod schema;
pub mod simulate;
pub mod spin_trail;
mod stack;
mod stores;
mod summary;
mod swarm;
mod temporal;
mod trace;
mod trail;
pub mod values;

pub use conclude::trail_file;
pub use dialect::Dialect;
pub use memory::MemoryOptions;
pub use model::{Analysis, Formatted, Language, MISLEADING, Model, Rejected};
pub use naive::{Change, Datum};
pub use pipeline::{CheckError, Checked, check, engine};
pub use processes::describe_symmetry;
pub use promela::Extension;
pub use refine::Watcher;
pub use replay::{
    Cycle, Diverged, replay, replay_each, replay_property, replay_property_each, replay_states,
};
pub use search::{Observer, Open, Progress, Quiet};
pub use source::{Provider, Style};
pub use store::StateId;
pub use system::{FaultKind, Step};
pub use trace::{
    Blocked, Direction, Ending, FaultyObject, Individual, Message, Partner, Process, Statement, Trace,
    TraceStep, Wait,
};
pub use trail::{TrailFile, TrailProperty, TrailStep, TrailViolation};

/// The greatest bound on objects and threads: references have at most 31 bits.
pub const LARGEST_BOUND: u32 = (1 << 31) - 1;

/// The greatest bound on frames. Pure functions recurse within one step, where no memory limit is looked at.
pub const LARGEST_FRAME_BOUND: u32 = u16::MAX as u32;
