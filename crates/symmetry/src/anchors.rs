//! The anchored part of a state: what can be reached by functional places from the globals, and from threads
//! whose names are given. It has names without any choice.

use state::{Content, Entity, Layout, NodeRef, State, ThreadId};

const NONE: u32 = u32::MAX;

/// The anchored entities, in the order of a traversal from the globals.
#[derive(Clone, Default, Debug)]
pub struct Anchors {
    threads: Vec<u32>,
    objects: Vec<u32>,
    abstracts: Vec<Vec<u32>>,
    pub order: Vec<Entity>,
}

impl Anchors {
    /// The rank of an entity, if it is anchored.
    pub fn rank(&self, entity: Entity) -> Option<u32> {
        let rank = match entity {
            Entity::Thread(id) => self.threads[id.0 as usize],
            Entity::Object(id) => self.objects[id.0 as usize],
            Entity::Abstract(of, id) => self.abstracts[of as usize][id as usize],
        };
        (rank != NONE).then_some(rank)
    }

    /// Finds all anchored entities, breadth first. `threads` are those whose names are given, in the order of
    /// names.
    pub fn find(&mut self, layout: &Layout, state: &State, threads: impl Iterator<Item = ThreadId>) {
        let clear = |ranks: &mut Vec<u32>, len: u32| {
            ranks.clear();
            ranks.resize(len as usize, NONE);
        };
        clear(&mut self.threads, state.thread_limit());
        clear(&mut self.objects, state.object_limit());
        self.abstracts.resize(layout.abstracts.len(), Vec::new());
        for (ranks, &count) in self.abstracts.iter_mut().zip(&layout.abstracts) {
            clear(ranks, count);
        }
        self.order.clear();
        for &(of, id) in &layout.named_constants {
            self.reach(Entity::Abstract(of, id));
        }
        threads.for_each(|id| self.reach(Entity::Thread(id)));
        self.follow(layout, state, NodeRef::Root);
        let mut next = 0;
        while let Some(&entity) = self.order.get(next) {
            if let Some(node) = entity.node() {
                self.follow(layout, state, node);
            }
            next += 1;
        }
    }

    fn reach(&mut self, entity: Entity) {
        let rank = match entity {
            Entity::Thread(id) => &mut self.threads[id.0 as usize],
            Entity::Object(id) => &mut self.objects[id.0 as usize],
            Entity::Abstract(of, id) => &mut self.abstracts[of as usize][id as usize],
        };
        if *rank == NONE {
            *rank = self.order.len() as u32;
            self.order.push(entity);
        }
    }

    fn follow(&mut self, layout: &Layout, state: &State, node: NodeRef) {
        state.contents(layout, node, &mut |_, content| match content {
            Content::Name(entity) => self.reach(entity),
            Content::Value(ty, words) => {
                layout.terms.visit_places(ty, words, 0, &mut |entity| self.reach(entity));
            }
        });
    }
}
