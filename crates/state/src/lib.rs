//! States as flat packed words, with undo. No semantics.
//!
//! [`Layout`] says which bits hold what. [`State`] is one state, made of parts with one idea each: `memory`
//! holds the words, `journal` everything that changed, so that it can be taken back and others can learn of
//! it, `collector` finds garbage, and `trace` records accesses. The engine gives the words their meaning;
//! encodings give units the names under which they are stored.

mod collector;
mod decode;
mod edges;
mod encode;
mod ids;
mod journal;
mod layout;
mod memory;
mod record;
mod state;
mod steady;
mod term;
mod trace;
mod unit_map;
mod write;

pub use ir::TypeId;

pub use edges::{Content, Edge, Entity, Item, label as label_of, place_of};
pub use encode::Names;
pub use ids::{NodeRef, ObjectId, ThreadId};
pub use journal::{Change, Mention, SPARE, make_room};
pub use layout::{
    ArrayShape, ArrayVariable, Bounds, ChannelShape, End, Form, Layout, ObjectKind, Shape, Slot, SlotKind,
    WaitSlots, bits_for, mask,
};
pub use state::{Snapshot, State, UnitKind, UnitsChanged};
pub use steady::{MentionsChanged, Places};
pub use term::{Entry, TermKind, Terms, compare};
pub use trace::{Access, AccessKind};
