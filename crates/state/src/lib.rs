//! States as flat packed words, with undo. No semantics.
//!
//! [`Layout`] says which bits hold what; [`State`] holds the words of one state, logs every change so that it
//! can be taken back, and knows what changed. What the words mean is for the engine; how they are named in a
//! store is for encodings.

mod collect;
mod edges;
mod encode;
mod follow;
mod layout;
mod memory;
mod term;
mod watch;

pub use ir::TypeId;

pub use edges::{Content, Edge, Entity, Event};
pub use encode::Names;
pub use layout::{
    ArrayShape, ArrayVariable, Bounds, ChannelShape, Layout, ObjectKind, Shape, Slot, SlotKind, WaitSlots,
    bits_for, mask,
};
pub use memory::{NodeRef, ObjectId, SPARE, Snapshot, State, ThreadId, make_room};
pub use term::{Entry, TermKind, Terms, compare};
pub use watch::{Access, AccessKind, Rearrangement};
