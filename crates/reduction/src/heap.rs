//! Whether other threads can interfere with or notice what a thread does to objects.
//!
//! The accesses are not guessed from the program but found by performing them: all steps of the thread are
//! fired and undone, and the state reports what was read and written, including by guards that do not hold.
//! What a thread does is a function of what it reads. So if no other thread can write any of that before the
//! thread moves, the thread does the same then; and if no other thread can read or write what it writes, the
//! other threads do the same.
//!
//! - *Own objects* can be reached from the thread's frames only. Other threads can only pass on references
//!   that they have.
//! - *Channels* that are objects may be used if they are own objects, and have no other guards. So nothing needs to be
//!   known about what may be sent to them and received from them.
//! - *New objects* are own objects. Their names do not matter: reduction works on states up to names.
//! - *Constant fields* may be read. See [`discipline`](crate::discipline) for these, and for guarded fields.
//! - *Guarded fields* of an object whose lock the thread holds may be read and written, and so may everything
//!   that can be reached only through them.
//! - *Objects that can be deleted* may be deleted by any thread that can reach them, with or without locks.
//!   If the program deletes objects, only own objects may be used, and only references to them be dropped.
//! - *A lock that the thread holds* may be released, waited for, or used to notify threads that wait for it:
//!   these cannot continue without it. But no thread may test whether it is free.
//!
//! Everything else may interfere with other threads, above all taking a lock that other threads can reach.

use std::cell::Cell;

use engine::Trial;
use ir::{FieldId, Id, Program};
use state::{Access, AccessKind, Layout, NodeRef, ObjectId, ObjectKind, Slot, State, ThreadId};

use crate::analysis::Analysis;
use crate::discipline::{Breach, ObservedHeap};
use crate::owners::{Owner, Owners};

/// The slots of fields.
pub struct FieldSlots {
    /// By record: its fields.
    records: Vec<Vec<(FieldId, Slot)>>,
}

impl FieldSlots {
    pub fn new(program: &Program, layout: &Layout) -> Self {
        let of = |id: ir::RecordId, field: &FieldId| Some((*field, layout.field_slots[*field][id.index()]?));
        let records = program.records.iter();
        Self {
            records: records
                .map(|(id, record)| record.fields.iter().filter_map(|field| of(id, field)).collect())
                .collect(),
        }
    }
}

/// Which properties may notice a step.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Visibility {
    pub in_states: bool,
    pub in_runs: bool,
}

/// A state, as far as objects matter.
pub struct Heap<'a> {
    pub analysis: &'a Analysis,
    pub field_slots: &'a FieldSlots,
    pub layout: &'a Layout,
    pub state: &'a State,
    pub owners: Owners<'a>,
    /// The last owner that was computed.
    pub last: Cell<Option<((ObjectId, ThreadId), Owner)>>,
}

/// What a word of the heap holds.
enum Touched {
    /// Something that never changes before the object ends.
    Fixed,
    Field(FieldId),
    Element,
    Lock,
    /// Several fields at once.
    Mixed,
}

impl Heap<'_> {
    /// Which properties may notice what a thread does; `None` if other threads can interfere with it.
    pub fn judge(&self, thread: ThreadId, trial: &Trial) -> Option<Visibility> {
        // Whether an object is lost may depend on who drops the last reference to it.
        let is_own = |&object: &ObjectId| {
            !self.state.exists(NodeRef::Object(object)) || self.owner(object, thread) != Owner::Shared
        };
        if !self.analysis.blind.losses && !trial.dropped.iter().all(is_own) {
            return None;
        }
        let mut visibility = Visibility::default();
        // The same places are read repeatedly.
        let mut last = None;
        for access in &trial.accesses {
            if last.replace(access) == Some(access) {
                continue;
            }
            self.judge_one(thread, access, &mut visibility)?;
        }
        Some(visibility)
    }

    fn judge_one(&self, thread: ThreadId, access: &Access, visibility: &mut Visibility) -> Option<()> {
        let at = access.at as usize;
        let writes = access.kind != AccessKind::Read;
        let locks = self.analysis.classes.locks;
        let discipline = &self.analysis.discipline;
        let releases = locks && discipline.releases;
        let unit = self.state.unit_at(at);
        let object = match unit {
            // Accesses to globals are known from the program.
            None | Some(NodeRef::Root) => return Some(()),
            Some(NodeRef::Thread(whose)) => {
                let is_header = at - self.state.thread(whose) < self.layout.thread.len();
                let notified = self.layout.wait.is_some_and(|wait| self.covers(unit, wait.notified, access));
                // A thread that holds the lock may notify waiting threads, and reads them to do so.
                let is_safe =
                    if whose == thread { !is_header || writes || !notified } else { is_header && releases };
                return is_safe.then_some(());
            }
            Some(NodeRef::Object(object)) => object,
        };
        let touched = self.touched(object, access);
        let may_end = self.layout.first_tombstone.is_some() && !self.analysis.blind.deletions;
        if matches!(touched, Touched::Fixed) && !writes && !may_end {
            return Some(());
        }
        let owner = self.owner(object, thread);
        let is_safe = owner != Owner::Shared
            || !may_end
                && match touched {
                    Touched::Fixed => true,
                    Touched::Field(field) => {
                        locks
                            && (!writes && discipline.is_constant(field)
                                || self.guard(object, field).is_some_and(|lock| self.holds(thread, lock)))
                    }
                    Touched::Lock => releases && self.holds(thread, object),
                    Touched::Element => {
                        self.analysis.blind.channels && matches!(self.kind(object), ObjectKind::Channel(_))
                    }
                    // The object ends.
                    Touched::Mixed => self.analysis.blind.deletions,
                };
        if writes {
            let sees = |seen: &ObservedHeap| {
                (owner != Owner::Own || seen.frames)
                    && match touched {
                        Touched::Field(field) => seen.field(field),
                        Touched::Element => seen.elements,
                        // The object ends.
                        Touched::Mixed | Touched::Fixed => true,
                        Touched::Lock => false,
                    }
            };
            visibility.in_states |= sees(&discipline.in_states);
            visibility.in_runs |= sees(&discipline.in_runs);
        }
        is_safe.then_some(())
    }

    /// Adds the assumptions that a thread breaches.
    pub fn breaches(&self, thread: ThreadId, accesses: &[Access], out: &mut Vec<Breach>) {
        let discipline = &self.analysis.discipline;
        for access in accesses {
            let Some(NodeRef::Object(object)) = self.state.unit_at(access.at as usize) else { continue };
            for field in self.fields(object, access) {
                if discipline.is_constant(field) && access.kind != AccessKind::Read {
                    out.push(Breach::Constant(field));
                }
                if discipline.guard(field).is_some()
                    && !self.guard(object, field).is_some_and(|lock| self.holds(thread, lock))
                {
                    out.push(Breach::Guard(field));
                }
            }
        }
    }

    pub fn owner(&self, object: ObjectId, thread: ThreadId) -> Owner {
        // An object is used several times in a step.
        if let Some((known, owner)) = self.last.get()
            && known == (object, thread)
        {
            return owner;
        }
        let owner = self.find_owner(object, thread);
        self.last.set(Some(((object, thread), owner)));
        owner
    }

    fn find_owner(&self, object: ObjectId, thread: ThreadId) -> Owner {
        self.owners.owner(object, thread, &|by, label| {
            let field = self.analysis.classes.locks.then(|| self.field_at(by, label)).flatten();
            let lock = field.and_then(|field| self.guard(by, field));
            lock.is_some_and(|lock| self.holds(thread, lock))
        })
    }

    /// Whether an access to a word of a unit concerns a slot of it.
    fn covers(&self, unit: Option<NodeRef>, slot: Slot, access: &Access) -> bool {
        let base = unit.map_or(0, |unit| self.state.start_of(unit));
        access.at as usize == base + slot.word as usize && access.mask & slot.mask() << slot.shift != 0
    }

    fn kind(&self, object: ObjectId) -> ObjectKind {
        self.layout.kind(self.state.read_untraced(self.state.object(object), self.layout.tag))
    }

    fn touched(&self, object: ObjectId, access: &Access) -> Touched {
        match self.kind(object) {
            ObjectKind::Record(_) => {
                let mut fields = self.fields(object, access);
                match (fields.next(), fields.next()) {
                    (None, _) => Touched::Fixed,
                    (Some(field), None) => Touched::Field(field),
                    (Some(_), Some(_)) => Touched::Mixed,
                }
            }
            ObjectKind::Array(_) | ObjectKind::Block(_)
                if access.at as usize == self.state.object(object) =>
            {
                Touched::Fixed
            }
            ObjectKind::Array(_) | ObjectKind::Block(_) | ObjectKind::Channel(_) => Touched::Element,
            ObjectKind::Lock => Touched::Lock,
            ObjectKind::Tombstone(_) => Touched::Fixed,
        }
    }

    /// The fields that an access to an object concerns.
    fn fields(&self, object: ObjectId, access: &Access) -> impl Iterator<Item = FieldId> {
        let fields = match self.kind(object) {
            ObjectKind::Record(record) => &self.field_slots.records[record.index()][..],
            _ => &[],
        };
        let unit = Some(NodeRef::Object(object));
        fields.iter().filter(move |(_, slot)| self.covers(unit, *slot, access)).map(|&(field, _)| field)
    }

    /// The field at a place of a record, which is the label of a reference.
    fn field_at(&self, object: ObjectId, label: u64) -> Option<FieldId> {
        let ObjectKind::Record(record) = self.kind(object) else { return None };
        let place = |slot: Slot| u64::from(slot.word) << 6 | u64::from(slot.shift);
        let mut fields = self.field_slots.records[record.index()].iter();
        fields.find(|(_, slot)| slot.bits > 0 && place(*slot) == label >> 32).map(|&(field, _)| field)
    }

    /// The lock that guards a field of an object.
    fn guard(&self, object: ObjectId, field: FieldId) -> Option<ObjectId> {
        let lock = self.analysis.discipline.guard(field)?;
        let ObjectKind::Record(record) = self.kind(object) else { return None };
        let slot = self.layout.field_slots[lock][record.index()]?;
        ObjectId::from_raw(self.state.read_untraced(self.state.object(object), slot))
    }

    fn holds(&self, thread: ThreadId, lock: ObjectId) -> bool {
        self.state.read_untraced(self.state.object(lock), self.layout.lock_owner()) == thread.raw()
    }
}
