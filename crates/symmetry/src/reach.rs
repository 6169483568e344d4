//! How objects and elements of abstract enums are reached from globals and threads by places, which gives them an
//! order.
//!
//! What can be reached by steady places (see [`State::mentions_at`]) comes first, then what can be reached from
//! that and from the globals by any places, and then what can be reached from threads, in the order of their
//! ids. Of collections, only elements of sequences and values of maps have places, these if keys are data. The
//! order is a function of the state up to renaming of objects and elements. It stays the same as long as the
//! mentions stay the same on which it depends, see [`Reach`].
//!
//! Each object is reached by the first mention of it in the order of the traversal, its *first mention*. A step
//! that leaves all first mentions in place, and adds none that comes before the first mention of its target,
//! changes nothing in the order: see [`Reached::is_kept_by`].

use state::{Change, Entity, Layout, Mention, Names, NodeRef, ObjectId, Places, State, ThreadId};

use crate::namer::UNNAMED;

/// How everything is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// By steady places. The order depends on them alone.
    BySteady,
    /// By places. The order depends on all places, and on nothing else.
    ByPlaces,
    /// Not everything is reached by places.
    Partly,
}

/// Puts everything in order that is reached. Keeps its memory from call to call.
#[derive(Default, Debug)]
pub struct Reached {
    /// What was reached, in order.
    order: Vec<Entity>,
    /// By object, and by enum and element: the last traversal that reached it.
    objects: Vec<u32>,
    /// By object that was reached: its position in the order, and the key of its first mention.
    ranks: Vec<u32>,
    keys: Vec<u64>,
    /// The number of entities that were reached before threads were followed, except by steady places.
    cut: usize,
    elements: Vec<Vec<u32>>,
    traversal: u32,
}

impl Reached {
    /// The entities that were reached, in order. Named constants come first.
    pub fn order(&self) -> &[Entity] {
        &self.order
    }

    pub fn has_reached(&self, id: ObjectId) -> bool {
        self.objects.get(id.0 as usize) == Some(&self.traversal)
    }

    /// Finds out how everything is reached.
    pub fn find(&mut self, layout: &Layout, state: &State) -> Reach {
        let total = self.start(layout, state);
        let threads = || (0..state.thread_limit()).map(|id| NodeRef::Thread(ThreadId(id)));
        self.follow_steady(layout, state, NodeRef::Root);
        threads().for_each(|thread| self.follow_steady(layout, state, thread));
        let mut at = 0;
        while self.order.len() < total
            && let Some(&entity) = self.order.get(at)
        {
            if let Entity::Object(id) = entity {
                self.follow_steady(layout, state, NodeRef::Object(id));
            }
            at += 1;
        }
        if self.order.len() == total {
            return Reach::BySteady;
        }
        self.cut = usize::MAX;
        self.follow(layout, state, NodeRef::Root);
        let at = self.follow_objects(layout, state, 0, total);
        self.cut = self.order.len();
        for thread in threads() {
            if self.order.len() < total {
                self.follow(layout, state, thread);
            }
        }
        self.follow_objects(layout, state, at, total);
        if self.order.len() == total { Reach::ByPlaces } else { Reach::Partly }
    }

    /// Starts a traversal. Returns the number of entities that are to be reached.
    fn start(&mut self, layout: &Layout, state: &State) -> usize {
        self.order.clear();
        self.traversal = self.traversal.wrapping_add(1);
        let limit = state.object_limit() as usize;
        if self.objects.len() < limit || self.traversal == 0 || self.elements.len() != layout.abstracts.len()
        {
            self.traversal = 1;
            self.objects.clear();
            self.objects.resize(limit, 0);
            self.ranks.resize(limit, 0);
            self.keys.resize(limit, 0);
            self.elements = layout.abstracts.iter().map(|&count| vec![0; count as usize]).collect();
        }
        for &(of, id) in &layout.named_constants {
            self.reach(Entity::Abstract(of, id), STEADY);
        }
        state.object_count() + layout.abstracts.iter().sum::<u32>() as usize
    }

    #[inline]
    fn reach(&mut self, entity: Entity, key: u64) {
        let last = match entity {
            Entity::Thread(_) => return,
            Entity::Object(id) => &mut self.objects[id.0 as usize],
            Entity::Abstract(of, id) => &mut self.elements[of as usize][id as usize],
        };
        if *last != self.traversal {
            *last = self.traversal;
            if let Entity::Object(id) = entity {
                self.ranks[id.0 as usize] = self.order.len() as u32;
                self.keys[id.0 as usize] = key;
            }
            self.order.push(entity);
        }
    }

    /// Where a unit comes in the order in which units are followed, except by steady places.
    #[inline]
    fn position(&self, unit: NodeRef) -> u32 {
        match unit {
            NodeRef::Root => 1,
            NodeRef::Thread(id) => (1 << 30) + id.0,
            NodeRef::Object(id) => {
                let rank = self.ranks[id.0 as usize];
                let is_late = rank as usize >= self.cut;
                2 + rank + (u32::from(is_late) << 31)
            }
        }
    }

    /// Whether the order stays the same by a step, which must have changed neither steady places nor which units
    /// there are. The order must be that of the state before the step. There must be no collections of entities
    /// and no abstract ids.
    pub fn is_kept_by(&self, changes: &[Change]) -> bool {
        let is_first = |mention: Mention| match NodeRef::from_index(mention.target) {
            NodeRef::Object(id) => {
                let position = self.position(NodeRef::from_index(mention.source));
                key(position, mention.label) <= self.keys[id.0 as usize]
            }
            NodeRef::Root | NodeRef::Thread(_) => false,
        };
        changes.iter().all(|change| match *change {
            // A mention that is gone was at its place before, so its key is no less than that of its target.
            Change::Added(mention) | Change::Removed(mention) => !is_first(mention),
            _ => true,
        })
    }

    #[inline]
    fn follow_steady(&mut self, layout: &Layout, state: &State, unit: NodeRef) {
        state.mentions_at(layout, unit, Places::Steady, &mut |_, entity| self.reach(entity, STEADY));
    }

    #[inline]
    fn follow(&mut self, layout: &Layout, state: &State, unit: NodeRef) {
        let position = self.position(unit);
        let places = match unit {
            NodeRef::Object(id) if self.keys[id.0 as usize] != STEADY => Places::All,
            // Its steady places were followed before.
            _ => Places::Unsteady,
        };
        state
            .mentions_at(layout, unit, places, &mut |label, entity| self.reach(entity, key(position, label)));
    }

    /// Follows the objects from a position on, and all that are reached. Returns where it stopped.
    fn follow_objects(&mut self, layout: &Layout, state: &State, mut at: usize, total: usize) -> usize {
        while self.order.len() < total
            && let Some(&entity) = self.order.get(at)
        {
            if let Entity::Object(id) = entity {
                self.follow(layout, state, NodeRef::Object(id));
            }
            at += 1;
        }
        at
    }

    /// Names objects by kind, and then in order. All objects must have been reached.
    pub fn name_objects(&self, layout: &Layout, state: &State, names: &mut Names) {
        names.objects.clear();
        names.objects.resize(state.object_limit() as usize, UNNAMED);
        let objects = || {
            self.order.iter().filter_map(|&entity| match entity {
                Entity::Object(id) => Some(id),
                Entity::Thread(_) | Entity::Abstract(..) => None,
            })
        };
        let kind = |id: ObjectId| (state.read_untraced(state.object(id), layout.tag) as usize).min(KINDS - 1);
        // By kind: the number of its objects, and then the next name.
        let mut next = [0_u32; KINDS];
        objects().for_each(|id| next[kind(id)] += 1);
        let mut first = 0;
        for next in &mut next {
            first += std::mem::replace(next, first);
        }
        for id in objects() {
            let next = &mut next[kind(id)];
            names.objects[id.0 as usize] = *next;
            *next += 1;
        }
    }
}

/// The key of a mention at a steady place.
const STEADY: u64 = 0;

/// The key of a mention at another place, by the position of the unit: those that come first have the least keys.
const fn key(position: u32, label: u64) -> u64 {
    (position as u64) << 32 | label >> 32
}

/// The number of kinds of objects that are distinguished.
const KINDS: usize = 32;
