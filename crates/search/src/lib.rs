//! Searches: the states that a system can reach, and the violations found on the way.
//!
//! [`bfs()`] and [`dfs()`] explore all states of a [`system::TransitionSystem`] and keep them in a
//! [`store::StateStore`]; [`walk()`] follows one random path. The part that the searches share (take a step,
//! store the successor, check for violations, obey limits) is in `explore`; their own files hold only the
//! order of exploration and the path back to the initial state. [`emptiness`] searches for runs that an
//! automaton accepts: it checks temporal properties.
//!
//! A search never claims more than it did: its [`Outcome`] says whether everything was explored, and if not,
//! what stopped it. Its counts mean:
//! - `states`: distinct states stored;
//! - `transitions`: steps fired, including those that end in a fault or outside of a bound;
//! - `matched`: steps that led to a state that was stored already;
//! - `depth`: the greatest number of steps from the initial state at which a state was stored (the initial
//!   state is at 0).
//!
//! So `transitions = matched + (states - 1) + faulting steps + truncations`, unless a limit stopped the
//! search between a step and its successor.
//!
//! Not in this crate: what a state consists of, how it is stored, what a step means. A search never mentions
//! a heap.

mod ancestry;
mod bfs;
mod checkpoint;
mod dfs;
pub mod emptiness;
mod expander;
mod explore;
mod ledger;
mod observer;
mod options;
mod outcome;
mod parallel;
mod sink;
mod trail;
mod walk;

pub use bfs::{bfs, bfs_from};
pub use checkpoint::{Checkpoints, Keeper};
pub use dfs::dfs;
pub use observer::{Observer, Open, Progress, Quiet};
pub use options::Options;
pub use outcome::{Completeness, Consequence, Outcome, Stats, StopReason, Violation};
pub use parallel::{OnSystem, Pace, Team, parallel_bfs, parallel_bfs_from};
pub use trail::{Diverged, Trail};
pub use walk::{Walk, WalkEnd, Walked, Walker, walk};
