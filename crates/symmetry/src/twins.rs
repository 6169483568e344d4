//! Threads that a symmetry of the state exchanges, so that each can take the steps of the other.
//!
//! The *region* of a thread consists of the thread and the units whose [chains](crate::Chains) start at it.
//! Two running threads are *twins* if
//!
//! - no unit outside of a region mentions a unit of that region, for both regions, and
//! - the units of one region, in the order of their chains, have the same contents as those of the other, if
//!   each unit of the own region is named by its place in that order, and everything else by its id.
//!
//! Then exchanging the two regions, unit by unit, and leaving everything else as it is maps the state to
//! itself. Being twins is transitive. Hashes only select the regions that are compared; the comparison is by
//! words.
//!
//! There are symmetries that this does not find, such as rotations of a ring. They cost steps that could have
//! been saved.

use state::{Content, Entity, Layout, NodeRef, ObjectId, State, ThreadId};

use crate::Chains;

/// Finds twins, and keeps memory for the next time.
#[derive(Default, Debug)]
pub struct Twins {
    threads: Vec<ThreadId>,
    /// By id: the number of twins for which a thread stands, itself included; 0 if another one stands for it.
    counts: Vec<u32>,
    /// The description of a thread's region, and that of the first thread with the same hash.
    region: Region,
    known: Region,
}

/// The description of a region.
#[derive(Default, Debug)]
struct Region {
    words: Vec<u64>,
    /// By id of an object of the region: its place.
    places: Vec<u32>,
}

const OWN_OBJECT: u64 = 1;
const OBJECT: u64 = 2;
const OWN_THREAD: u64 = 3;
const THREAD: u64 = 4;
const ABSTRACT: u64 = 5;
const VALUE: u64 = 6;

impl Twins {
    /// Finds the twins of a state, if there are any. The one with the least id stands for all. Returns, by
    /// id, the number of threads for which a thread stands: itself and its twins, or 0 if another one stands
    /// for it.
    pub fn find(&mut self, layout: &Layout, state: &State, chains: &mut Chains) -> Option<&[u32]> {
        let Self { threads, counts, region, known } = self;
        threads.clear();
        threads.extend((0..state.thread_limit()).map(ThreadId).filter(|&id| {
            let unit = NodeRef::Thread(id);
            state.is_running(id) && !chains.is_anchored(unit)
        }));
        if threads.len() < 2 {
            return None;
        }
        chains.arrange();
        chains.refresh(layout, state);
        threads.sort_by_key(|&id| (chains.sum(id.0 + 1), id));
        counts.clear();
        counts.resize(state.thread_limit() as usize, 1);
        let mut found = false;
        let mut at = 0;
        while at < threads.len() {
            let sum = chains.sum(threads[at].0 + 1);
            let alike = threads[at..].iter().take_while(|id| chains.sum(id.0 + 1) == sum).count();
            let (of_one, others) = threads[at..at + alike].split_first().expect("at least itself");
            at += alike;
            if others.is_empty() || !known.describe(layout, state, chains, *of_one) {
                continue;
            }
            for &id in others {
                if region.describe(layout, state, chains, id) && region.words == known.words {
                    counts[id.0 as usize] = 0;
                    counts[of_one.0 as usize] += 1;
                    found = true;
                }
            }
        }
        found.then_some(&*counts)
    }
}

impl Region {
    /// Describes the region of a thread. Returns false if a unit outside of the region mentions it, or if it
    /// cannot be described.
    fn describe(&mut self, layout: &Layout, state: &State, chains: &Chains, thread: ThreadId) -> bool {
        let Self { words, places } = self;
        let origin = thread.0 + 1;
        let is_own = |unit: NodeRef| chains.origin(unit) == Some(origin);
        // Without crossing edges every region is private.
        let is_private = |unit: NodeRef| !chains.has_crossing() || chains.mentioning(unit).all(is_own);
        words.clear();
        if places.len() < state.object_limit() as usize {
            places.resize(state.object_limit() as usize, 0);
        }
        for (ObjectId(id), place) in chains.objects_from(origin).zip(0..) {
            places[id as usize] = place;
        }
        let objects = chains.objects_from(origin).map(NodeRef::Object);
        std::iter::once(NodeRef::Thread(thread)).chain(objects).all(|unit| {
            let mut can_be_described = is_private(unit);
            let start = words.len();
            words.extend([0, 0]);
            state.data(layout, unit, &mut |word| words.push(word));
            let middle = words.len();
            state.contents(layout, unit, &mut |label, content| {
                words.push(label);
                match content {
                    Content::Name(Entity::Object(id)) => words.extend(if is_own(NodeRef::Object(id)) {
                        [OWN_OBJECT, places[id.0 as usize].into()]
                    } else {
                        [OBJECT, id.0.into()]
                    }),
                    Content::Name(Entity::Thread(id)) if id == thread => words.push(OWN_THREAD),
                    Content::Name(Entity::Thread(id)) => {
                        // An ended thread that only this region mentions has no place.
                        can_be_described &= !is_own(NodeRef::Thread(id));
                        words.extend([THREAD, id.0.into()]);
                    }
                    Content::Name(Entity::Abstract(of, id)) => {
                        words.extend([ABSTRACT, of.into(), id.into()]);
                    }
                    // Entities of this region are named by id here: then no other region has the same
                    // description.
                    Content::Value(ty, value) => {
                        words.extend([VALUE, u64::from(ty.0), value.len() as u64]);
                        words.extend_from_slice(value);
                    }
                }
            });
            // With both lengths, equal words are equal units.
            words[start] = (middle - start) as u64;
            words[start + 1] = (words.len() - middle) as u64;
            can_be_described
        })
    }
}
