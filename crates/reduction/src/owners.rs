//! Which threads can reach an object.
//!
//! The owner of an object is found by following the references to it, and the references to their sources, up
//! to globals and frames. These references are maintained for the repair of names by chains, so they are
//! known in every state at no cost, after every step and undo; where states have other names, all references
//! are collected once per state. The walk ends when it reaches the frame of another thread or the globals,
//! and when it exceeds a limit: where ownership is useful, a thread owns few objects.
//!
//! A reference to a thread does not lead to what the variables of that thread refer to: other threads cannot
//! read these.

use std::cell::OnceCell;

use crate::analysis::Blind;
use rustc_hash::FxHashMap;
use state::{Entity, Layout, NodeRef, ObjectId, State, ThreadId};

/// The greatest number of objects that are followed. Whether there are more is a property of the state,
/// independent of the order of the walk.
const MOST: usize = 64;

/// Who can reach an object, as seen by a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Only the thread.
    Own,
    /// Other threads too, but not before the thread releases a lock.
    Guarded,
    /// Other threads too.
    Shared,
}

/// Up to [`MOST`] objects in the order in which they are found, with a hash table.
struct Found {
    objects: [ObjectId; MOST],
    count: usize,
    /// Indices into the list, from 1 on.
    table: [u8; 4 * MOST],
    /// The number of objects exceeded the limit.
    is_full: bool,
}

impl Default for Found {
    fn default() -> Self {
        Self { objects: [ObjectId(0); MOST], count: 0, table: [0; 4 * MOST], is_full: false }
    }
}

impl Found {
    fn list(&self) -> &[ObjectId] {
        &self.objects[..self.count]
    }

    fn insert(&mut self, object: ObjectId) {
        let mut at = object.0.wrapping_mul(0x9e37_79b1) as usize >> 8;
        loop {
            at %= self.table.len();
            match self.table[at] {
                0 => break,
                known if self.objects[usize::from(known) - 1] == object => return,
                _ => at += 1,
            }
        }
        if self.count == MOST {
            self.is_full = true;
            return;
        }
        self.objects[self.count] = object;
        self.count += 1;
        self.table[at] = self.count as u8;
    }
}

/// Visits the references to an object: source and label. Returns false if they are not known.
pub type Mentions<'a> = &'a dyn Fn(ObjectId, &mut dyn FnMut(NodeRef, u64)) -> bool;

/// The owners of the objects of one state.
pub struct Owners<'a> {
    layout: &'a Layout,
    state: &'a State,
    known: Mentions<'a>,
    blind: Blind,
    /// All references, collected if they are not known otherwise.
    found: OnceCell<FxHashMap<ObjectId, Vec<(NodeRef, u64)>>>,
}

impl<'a> Owners<'a> {
    pub fn new(layout: &'a Layout, state: &'a State, known: Mentions<'a>, blind: Blind) -> Self {
        Self { layout, state, known, blind, found: OnceCell::new() }
    }

    /// The owner of an object, where `is_closed` says which places of objects only the thread may read at
    /// present.
    pub fn owner(
        &self,
        object: ObjectId,
        thread: ThreadId,
        is_closed: &dyn Fn(ObjectId, u64) -> bool,
    ) -> Owner {
        let mut owner = Owner::Own;
        let mut seen = Found::default();
        seen.insert(object);
        let mut at = 0;
        while let Some(&next) = seen.list().get(at) {
            at += 1;
            self.mentions(next, &mut |source, label| match source {
                NodeRef::Thread(by) if by == thread || self.blind.frames => {}
                NodeRef::Root if self.blind.globals => {}
                _ if self.blind.values && label as u32 != 0 => {}
                NodeRef::Root | NodeRef::Thread(_) => owner = Owner::Shared,
                NodeRef::Object(by) if is_closed(by, label) => {
                    if owner == Owner::Own {
                        owner = Owner::Guarded;
                    }
                }
                NodeRef::Object(by) => seen.insert(by),
            });
            if owner == Owner::Shared || seen.is_full {
                return Owner::Shared;
            }
        }
        owner
    }

    fn mentions(&self, object: ObjectId, visit: &mut dyn FnMut(NodeRef, u64)) {
        if !(self.known)(object, visit) {
            let found = self.found.get_or_init(|| self.find());
            found.get(&object).into_iter().flatten().for_each(|&(source, label)| visit(source, label));
        }
    }

    /// Collects all references.
    fn find(&self) -> FxHashMap<ObjectId, Vec<(NodeRef, u64)>> {
        let mut found = FxHashMap::<ObjectId, Vec<_>>::default();
        for unit in std::iter::once(NodeRef::Root).chain(self.state.units()) {
            self.state.edges(self.layout, unit, &mut |edge| {
                if let Entity::Object(target) = edge.target {
                    found.entry(target).or_default().push((edge.source, edge.label));
                }
            });
        }
        found
    }
}
