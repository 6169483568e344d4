//! What symmetries of a small state exchange: threads, so that each can take the steps of the other, and what a
//! thread chooses from.
//!
//! While a state is put in order, [exchanges](crate::closing) are met: two lists of units, of which hashes say that
//! exchanging them, unit by unit, maps the state to itself. Here that is verified by words: under names in which
//! the two lists are exchanged, each of these units must have the words of its counterpart, and each unit that
//! mentions one must have its own.

use engine::Exchanges;
use state::{Entity, Layout, Names, NodeRef, State, ThreadId};

use crate::closing::Closing;
use crate::small::{SmallGraph, nodes};

/// Verifies exchanges, and keeps memory for the next time.
#[derive(Default, Debug)]
pub struct Verifier {
    /// Ids as names, in which two lists are exchanged for a while.
    names: Names,
    words: Vec<u64>,
    /// By id of a thread: another one with which it can be exchanged, or itself.
    stands_for: Vec<u32>,
    /// By id: the number of threads for which a thread stands, itself included; 0 if another one stands for it.
    counts: Vec<u32>,
    found: Exchanges,
}

/// What symmetries of a state exchange.
#[derive(Debug)]
pub struct Symmetries<'a> {
    /// By id: the number of threads for which a thread stands: itself and those with which it can be exchanged,
    /// or 0 if another one stands for it.
    pub counts: &'a [u32],
    /// The symmetries, as far as they are known one by one.
    pub exchanges: &'a mut Exchanges,
}

impl Verifier {
    /// Finds symmetries that exchange threads or, if `choices` says so, anything else. Returns `None` if there are
    /// none.
    pub fn find(
        &mut self,
        layout: &Layout,
        state: &State,
        graph: &SmallGraph,
        closing: &Closing,
        choices: bool,
    ) -> Option<Symmetries<'_>> {
        let mut is_prepared = false;
        self.found.clear();
        for (some, others) in closing.exchanges() {
            let is_thread = |&node: &u8| matches!(graph.entities[usize::from(node)], Some(Entity::Thread(_)));
            if !choices && !some.iter().any(is_thread) {
                continue;
            }
            if !std::mem::replace(&mut is_prepared, true) {
                self.prepare(layout, state);
            }
            if self.is_symmetry(layout, state, graph, some, others) {
                let entity = |node: u8| graph.entities[usize::from(node)];
                let pairs = || some.iter().zip(others).filter_map(|(&a, &b)| Some((entity(a)?, entity(b)?)));
                self.found.add(pairs());
                for pair in pairs() {
                    if let (Entity::Thread(a), Entity::Thread(b)) = pair {
                        self.join(a, b);
                    }
                }
            }
        }
        if self.found.is_empty() {
            return None;
        }
        self.counts.clear();
        self.counts.resize(self.stands_for.len(), 0);
        for id in 0..self.stands_for.len() as u32 {
            let one = self.representative(id);
            self.counts[one as usize] += 1;
        }
        Some(Symmetries { counts: &self.counts, exchanges: &mut self.found })
    }

    fn prepare(&mut self, layout: &Layout, state: &State) {
        let Self { names, stands_for, .. } = self;
        let reset = |list: &mut Vec<u32>, len: u32| {
            list.clear();
            list.extend(0..len);
        };
        reset(&mut names.threads, state.thread_limit());
        reset(&mut names.objects, state.object_limit());
        names.abstracts.resize(layout.abstracts.len(), Vec::new());
        for (list, &count) in names.abstracts.iter_mut().zip(&layout.abstracts) {
            reset(list, count);
        }
        reset(stands_for, state.thread_limit());
    }

    fn representative(&self, mut id: u32) -> u32 {
        while self.stands_for[id as usize] != id {
            id = self.stands_for[id as usize];
        }
        id
    }

    /// The thread with the least id stands for the others.
    fn join(&mut self, a: ThreadId, b: ThreadId) {
        let (a, b) = (self.representative(a.0), self.representative(b.0));
        self.stands_for[a.max(b) as usize] = a.min(b);
    }

    /// Whether exchanging `some` and `others` maps the state to itself.
    fn is_symmetry(
        &mut self,
        layout: &Layout,
        state: &State,
        graph: &SmallGraph,
        some: &[u8],
        others: &[u8],
    ) -> bool {
        let entity = |node: u8| graph.entities[usize::from(node)];
        // Parts of collections follow the entities in them.
        let pairs = || some.iter().zip(others).filter_map(|(&a, &b)| Some((entity(a)?, entity(b)?)));
        let moved = some.iter().chain(others).fold(0_u64, |set, &node| set | 1 << node);
        pairs().for_each(|(a, b)| self.exchange(a, b));
        let mut units = moved;
        for node in nodes(moved) {
            units |= graph.sources[node];
        }
        // What mentions a part is the unit that the part belongs to, or another part of it.
        let units = graph.owners(units);
        let is_symmetry = nodes(units).all(|node| {
            let unit = match graph.entities[node] {
                None => NodeRef::Root,
                Some(entity) => match entity.node() {
                    Some(unit) => unit,
                    None => return true,
                },
            };
            let image = match unit {
                NodeRef::Root => unit,
                NodeRef::Thread(id) => NodeRef::Thread(ThreadId(self.names.threads[id.0 as usize])),
                NodeRef::Object(id) => NodeRef::Object(state::ObjectId(self.names.objects[id.0 as usize])),
            };
            let Self { names, words, .. } = self;
            words.clear();
            state.append(layout, unit, Some(names), words);
            let middle = words.len();
            state.append(layout, image, None, words);
            words[..middle] == words[middle..]
        });
        pairs().for_each(|(a, b)| self.exchange(a, b));
        is_symmetry
    }

    /// Exchanges the names of two entities. Entities of different kinds keep theirs: then the words of the units
    /// that mention them differ, or nothing is wrong with it.
    fn exchange(&mut self, a: Entity, b: Entity) {
        let Names { threads, objects, abstracts } = &mut self.names;
        match (a, b) {
            (Entity::Thread(a), Entity::Thread(b)) => threads.swap(a.0 as usize, b.0 as usize),
            (Entity::Object(a), Entity::Object(b)) => objects.swap(a.0 as usize, b.0 as usize),
            (Entity::Abstract(of, a), Entity::Abstract(other, b)) if of == other => {
                abstracts[of as usize].swap(a as usize, b as usize);
            }
            _ => {}
        }
    }
}
