//! Who reads and writes what, for whoever remembers what steps depend on.
//!
//! While a state is watched, the bits that are read and written are taken note of. Beside that it is always known
//! which words may have changed, and whether units came, went or moved, since somebody last asked.

use std::sync::{Mutex, PoisonError};

use crate::memory::Node;
use crate::{NodeRef, ObjectId, State, ThreadId};

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Whether what is read and written is taken note of.
    pub is_on: bool,
    accesses: Accesses,
    /// Counts the changes of which units there are and where.
    arrangement: u64,
    /// The places where words changed, as bits modulo 64.
    changed_places: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self { is_on: false, accesses: Accesses::default(), arrangement: 0, changed_places: u64::MAX }
    }
}

impl Watch {
    #[cold]
    pub fn note(&self, at: usize, mask: u64, kind: AccessKind) {
        self.accesses.push(Access { at: at as u32, mask, kind });
    }

    #[inline]
    pub const fn changed(&mut self, at: usize) {
        self.changed_places |= 1 << (at % 64);
    }

    /// Any word may be another one from now on.
    pub const fn changed_everywhere(&mut self) {
        self.changed_places = u64::MAX;
    }

    pub const fn rearranged(&mut self) {
        self.arrangement += 1;
        self.changed_everywhere();
    }
}

/// Reading is shared; what it leaves behind is not. Never locked for long, and never by two.
#[derive(Default, Debug)]
struct Accesses(Mutex<Vec<Access>>);

impl Accesses {
    fn get_mut(&mut self) -> &mut Vec<Access> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, access: Access) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(access);
    }
}

/// Nobody watches a clone.
impl Clone for Accesses {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// By word: the unit that was last put there.
///
/// Where a unit exists, that is the unit. Elsewhere it is one that has gone, or is in another place, which the unit's own
/// place tells. So nothing has to be done where units go.
#[derive(Clone, Default, Debug)]
pub(crate) struct Places {
    /// Whether it is kept.
    pub is_on: bool,
    units: Vec<Placed>,
}

/// A thread or object in four bytes.
#[derive(Clone, Copy, Default, Debug)]
struct Placed(u32);

impl Placed {
    fn new(unit: NodeRef) -> Self {
        match unit {
            NodeRef::Root => Self(0),
            NodeRef::Thread(id) => Self(2 * id.0 + 2),
            NodeRef::Object(id) => Self(2 * id.0 + 3),
        }
    }

    fn unit(self) -> Option<NodeRef> {
        let id = self.0.checked_sub(2)? / 2;
        let is_thread = self.0.is_multiple_of(2);
        Some(if is_thread { NodeRef::Thread(ThreadId(id)) } else { NodeRef::Object(ObjectId(id)) })
    }
}

impl Places {
    pub fn put(&mut self, unit: NodeRef, node: Node) {
        let (start, end) = (node.offset as usize, (node.offset + node.len) as usize);
        if self.units.len() < end {
            self.units.resize(end, Placed::default());
        }
        self.units[start..end].fill(Placed::new(unit));
    }
}

/// What was done to some bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub at: u32,
    pub mask: u64,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Read,
    /// A word of this unit.
    Write(NodeRef),
    /// They were shifted down by so many places, whatever they are: see [`State::shift_bits`].
    Shift(NodeRef, u32),
}

/// What happened to the set of units.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rearrangement {
    /// Units came.
    pub came: bool,
    /// Units went, or are elsewhere, or collections came and went.
    pub gone: bool,
}

impl Rearrangement {
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { came: self.came | other.came, gone: self.gone | other.gone }
    }
}

impl State {
    /// From now on, what is read and written of the words of units is taken note of, in order.
    pub fn watch(&mut self) {
        self.watch.is_on = true;
        self.watch.accesses.get_mut().clear();
    }

    /// How many accesses there were since then.
    pub fn count_accesses(&mut self) -> usize {
        self.watch.accesses.get_mut().len()
    }

    /// What happened since the last time, or since [`State::watch`].
    pub fn take_accesses(&mut self, into: &mut Vec<Access>) {
        into.clear();
        std::mem::swap(into, self.watch.accesses.get_mut());
    }

    /// The end of [`State::watch`].
    pub fn unwatch(&mut self) {
        self.watch.is_on = false;
    }

    /// The unit that a word belongs to. Collections are in blocks of their own, which are no units. To be asked after
    /// [`State::map_units`].
    pub fn unit_at(&self, at: usize) -> Option<NodeRef> {
        if at < self.root_len {
            return Some(NodeRef::Root);
        }
        let unit = self.places.units.get(at)?.unit()?;
        let node = match unit {
            NodeRef::Root => return None,
            NodeRef::Thread(id) => self.threads.get(id.0),
            NodeRef::Object(id) => self.objects.get(id.0),
        };
        let is_there =
            node.exists() && (node.offset as usize..(node.offset + node.len) as usize).contains(&at);
        is_there.then_some(unit)
    }

    /// From now on, it is known which unit a word belongs to.
    pub fn map_units(&mut self) {
        if self.places.is_on {
            return;
        }
        self.places.is_on = true;
        for (id, &node) in self.threads.table.iter().enumerate().filter(|(_, node)| node.exists()) {
            self.places.put(NodeRef::Thread(ThreadId(id as u32)), node);
        }
        for (id, &node) in self.objects.table.iter().enumerate().filter(|(_, node)| node.exists()) {
            self.places.put(NodeRef::Object(ObjectId(id as u32)), node);
        }
    }

    /// The places where words changed since the last time: a bit for each, modulo 64.
    pub fn take_changed_places(&mut self) -> u64 {
        std::mem::take(&mut self.watch.changed_places)
    }

    /// A number that is another one whenever units came, went or moved since.
    pub fn arrangement(&self) -> u64 {
        self.watch.arrangement
    }

    /// Which units there are and where: all that reading does not tell.
    pub fn describe_arrangement(&self, into: &mut Vec<u32>) {
        for nodes in [&self.threads, &self.objects] {
            into.push(nodes.table.len() as u32);
            into.extend(nodes.table.iter().flat_map(|node| [node.offset, node.len, node.frame, node.class]));
        }
    }
}
