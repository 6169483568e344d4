//! Searches: which states a system can reach, and what goes wrong on the way.
//!
//! [`bfs`] and [`dfs`] explore all states of a [`system::TransitionSystem`] and keep them in a
//! [`store::StateStore`]; [`walk`] follows one random path. What the searches do alike (try a step, store the
//! successor, look for violations, obey limits) is in `explore`; their files hold the order of exploration
//! and the way back to the initial state, nothing else. [`emptiness`] looks for runs that an automaton
//! accepts: temporal properties.
//!
//! A search never claims more than it did: its [`Outcome`] says whether everything was explored, and if not,
//! what stopped it. Its counts mean:
//! - `states`: distinct states stored;
//! - `transitions`: steps fired, including those that end in a fault or outside of a bound;
//! - `matched`: steps that led to a state that was stored already;
//! - `depth`: the most steps from the initial state at which a state was stored (the initial one is at 0).
//!
//! So `transitions = matched + (states - 1) + faulting steps + truncations`, unless a limit stopped the
//! search between a step and its successor.
//!
//! Absent here: what a state is made of, how it is stored, what a step means. A search never names a heap.

mod ancestry;
mod bfs;
mod dfs;
pub mod emptiness;
mod expander;
mod explore;
mod ledger;
mod observer;
mod options;
mod outcome;
mod sink;
mod trail;
mod walk;

pub use bfs::bfs;
pub use dfs::dfs;
pub use observer::{Observer, Open, Progress, Quiet};
pub use options::Options;
pub use outcome::{Completeness, Consequence, Outcome, Stats, StopReason, Violation};
pub use trail::{Diverged, Trail};
pub use walk::{Walk, WalkEnd, Walked, Walker, walk};
