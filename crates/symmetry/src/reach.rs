//! How objects and elements of abstract enums are reached from globals and threads by places, which gives them an
//! order.
//!
//! What can be reached by steady places (see [`State::steady_mentions`]) comes first, then what can be reached
//! from that and from the globals by any places, and then what can be reached from threads, in the order of
//! their ids. Mentions in collections are not followed. The order is a function of the state up to renaming of
//! objects and elements. It stays the same as long as the mentions stay the same on which it depends, see
//! [`Reach`].

use state::{Content, Entity, Layout, Names, NodeRef, ObjectId, State, ThreadId};

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
    elements: Vec<Vec<u32>>,
    traversal: u32,
}

impl Reached {
    /// The entities that were reached, in order. Named constants come first.
    pub fn order(&self) -> &[Entity] {
        &self.order
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
        self.follow(layout, state, NodeRef::Root);
        let at = self.follow_objects(layout, state, 0, total);
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
            self.elements = layout.abstracts.iter().map(|&count| vec![0; count as usize]).collect();
        }
        for &(of, id) in &layout.named_constants {
            self.reach(Entity::Abstract(of, id));
        }
        state.object_count() + layout.abstracts.iter().sum::<u32>() as usize
    }

    #[inline]
    fn reach(&mut self, entity: Entity) {
        let last = match entity {
            Entity::Thread(_) => return,
            Entity::Object(id) => &mut self.objects[id.0 as usize],
            Entity::Abstract(of, id) => &mut self.elements[of as usize][id as usize],
        };
        if *last != self.traversal {
            *last = self.traversal;
            self.order.push(entity);
        }
    }

    #[inline]
    fn follow_steady(&mut self, layout: &Layout, state: &State, unit: NodeRef) {
        state.steady_mentions(layout, unit, &mut |entity| self.reach(entity));
    }

    #[inline]
    fn follow(&mut self, layout: &Layout, state: &State, unit: NodeRef) {
        state.contents(layout, unit, &mut |_, content| {
            if let Content::Name(entity) = content {
                self.reach(entity);
            }
        });
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

/// The number of kinds of objects that are distinguished.
const KINDS: usize = 32;
