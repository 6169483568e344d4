//! The deliberately naive interpreter: what a program means, in the plainest code that says it.
//!
//! The crate `ir` writes down what programs mean; this crate is that text as Rust, clause by clause. A
//! [`State`] is maps of values, every step copies it, expressions are evaluated by walking them, and garbage
//! is found by marking from the roots. There is no cleverness to get wrong, so that everything clever can be
//! held against it: trails are replayed here before a violation is believed, and tests compare the fast
//! interpreter with this one on random programs.
//!
//! - [`Naive::initial`], [`Naive::steps`], [`Naive::fire`], [`Naive::check`], [`Naive::deadlocked`] are the
//!   semantics. They never panic for a program that verifies, whatever steps they are asked for.
//! - [`explore`] visits all states.
//! - [`Naive::view`], [`Naive::describe_changes`], [`Naive::fire_recorded`] and [`Naive::obstacles`] say what
//!   people and tools see of a counterexample: states, changes, what a step read and did, why a thread waits.
//!
//! # Where a fault is
//!
//! The span of a fault is that of the operation that cannot be done: the expression for faults of evaluation,
//! the place for what it cannot be or hold, the whole action for what it refuses (a lock that is not held, an
//! assertion). A value that does not fit a parameter or a result has the span of the expression that was to
//! be passed or returned, and one that does not fit a collection has that of the operand that was to become
//! its element, key or value. Faults of a call as such are at its transition, and that of a fused location
//! where nothing is possible is at the location.
//!
//! # Absent
//!
//! Symmetry, reduction, storage and everything else that is about many states at once, except for
//! [`explore`].

mod age;
mod changes;
mod channels;
mod collect;
mod collections;
mod datum;
mod eval;
mod events;
mod explore;
mod fault;
mod machine;
mod memory;
mod obstacle;
mod parts;
mod permute;
mod printf;
mod schedule;
mod show;
mod state;
mod steps;
mod value;
mod view;

pub use changes::Change;
pub use collect::collect;
pub use datum::{Datum, Message, Waits};
pub use events::{Events, Fired, Statement, Transfer, Transferred};
pub use explore::{Summary, explore};
pub use fault::{MemoryFault, NaiveFault, Stopped};
pub use obstacle::Obstacle;
pub use parts::Part;
pub use permute::permute;
pub use state::{
    Channel, ChannelIdentity, Frame, History, Object, ObjectKind, Occurrence, State, Thread, Waiting,
};
pub use steps::Moves;
pub use value::Value;
pub use view::{ChannelView, FrameView, ObjectView, StateView, ThreadView};

use ir::Program;
use system::Alarm;

/// How much a state may hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// A thread needs an id below this number.
    pub threads: u32,
    /// Frames on the stack of a thread, and active calls of pure functions.
    pub frames: u32,
    /// An object needs an id below this number.
    pub objects: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { threads: 255, frames: 255, objects: 65535 }
    }
}

/// What exceeding a bound means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum OnBound {
    /// The step leads out of what is explored.
    #[default]
    Truncate,
    /// It is a fault.
    Fault,
}

/// The interpreter of one program, which must verify.
#[derive(Clone, Copy, Debug)]
pub struct Naive<'p> {
    pub program: &'p Program,
    pub bounds: Bounds,
    pub on_bound: OnBound,
    /// What takes long is abandoned when this rings. From then on, what the interpreter says is void.
    pub alarm: Option<&'p Alarm>,
}

impl<'p> Naive<'p> {
    /// With the default bounds, which truncate.
    pub fn new(program: &'p Program) -> Self {
        Self { program, bounds: Bounds::default(), on_bound: OnBound::default(), alarm: None }
    }
}
