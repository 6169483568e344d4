//! Who can reach an object.
//!
//! An owner is found by following who mentions the object, and who mentions these, up to globals and frames.
//! Who mentions whom is what names by chains are repaired by, so it is known in every state at no cost, after
//! every step and undo; where states have other names, all edges are looked at once a state. To end at
//! another thread's frame or at the globals ends the walk, and so does a limit: what a thread has to itself
//! is small where that is of use.
//!
//! A reference to a thread is no way to what its variables refer to: nobody can ask for these.

use std::cell::OnceCell;

use crate::analysis::Blind;
use rustc_hash::FxHashMap;
use state::{Entity, Layout, NodeRef, ObjectId, State, ThreadId};

/// More objects than this are not followed. Whether there are more is a question about the state, whatever
/// the order.
const MOST: usize = 64;

/// Who can reach an object, as seen by a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Nobody else.
    Own,
    /// Others too, but not before the thread releases a lock.
    Guarded,
    /// Others too.
    Shared,
}

/// Up to [`MOST`] objects in the order in which they are found, and a hash table of them.
struct Found {
    objects: [ObjectId; MOST],
    count: usize,
    /// Positions in the list, from 1 on.
    table: [u8; 4 * MOST],
    /// There was one too many.
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

/// Calls back with whoever mentions an object, and where; or tells that it is not known.
pub type Mentions<'a> = &'a dyn Fn(ObjectId, &mut dyn FnMut(NodeRef, u64)) -> bool;

/// The owners of the objects of one state.
pub struct Owners<'a> {
    layout: &'a Layout,
    state: &'a State,
    known: Mentions<'a>,
    blind: Blind,
    /// All of them, where they are not known.
    found: OnceCell<FxHashMap<ObjectId, Vec<(NodeRef, u64)>>>,
}

impl<'a> Owners<'a> {
    pub fn new(layout: &'a Layout, state: &'a State, known: Mentions<'a>, blind: Blind) -> Self {
        Self { layout, state, known, blind, found: OnceCell::new() }
    }

    /// The owner of an object, where `is_closed` says of which places of objects only the thread may read
    /// now.
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

    /// Looks at all edges.
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
