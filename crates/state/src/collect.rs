//! Garbage: threads that ended and objects, when nothing that matters refers to them.
//!
//! Every unit has a *way*: one edge that leads to it. Ways never lead in circles, so whoever follows them upwards ends at
//! the globals or at a running thread, and a unit that has a way can be reached. A step that removes edges makes
//! *suspects* only of the units whose way was among them. Without suspects there is no garbage, however many objects
//! there are and whatever circles they stand in.
//!
//! For suspects, other ways are looked for: what the globals or a running thread mention is fine at once. Otherwise
//! everything is marked, from the globals on, until all suspects are met; each unit that is met gets the way by which
//! it was. Suspects that are not met then, and whatever else is not, are garbage.
//!
//! Ways are not part of a state. Undo does not give units the ways back that they had, it only takes away those that
//! cease to exist; so what one branch of a search found out, the others need not find out again. Suspects that come
//! of an undo wait for a step that removes edges: a state that was there before has no garbage.
//!
//! Collections are not followed. Where they mention individuals, everything is marked after every step that may
//! have made garbage.

use crate::{Edge, Entity, Layout, NodeRef, ObjectId, State, ThreadId};

/// An edge that leads to a unit: whence, and from which place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub source: NodeRef,
    pub place: u32,
}

impl Way {
    /// Outside of collections, a place is all there is to a label.
    pub const fn of(edge: Edge) -> Self {
        Self { source: edge.source, place: (edge.label >> 32) as u32 }
    }
}

/// What is known of a unit.
#[derive(Clone, Copy, Debug)]
struct Known {
    way: Option<Way>,
    is_listed: bool,
}

const UNKNOWN: Known = Known { way: None, is_listed: false };

/// How units can be reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    /// Whether the others are up to date.
    known: bool,
    objects: Vec<Known>,
    threads: Vec<Known>,
    /// Those that are listed: all units without a way but running threads, and some that got one since or are gone.
    suspects: Vec<NodeRef>,
    // Kept between collections for their memory.
    met_objects: Vec<bool>,
    met_threads: Vec<bool>,
    pending: Vec<ObjectId>,
}

impl Ways {
    /// From now on nothing is known.
    pub fn forget(&mut self) {
        self.known = false;
    }

    fn of(&mut self, unit: NodeRef) -> Option<&mut Known> {
        let (table, id) = match unit {
            NodeRef::Root => return None,
            NodeRef::Thread(id) => (&mut self.threads, id.0 as usize),
            NodeRef::Object(id) => (&mut self.objects, id.0 as usize),
        };
        if table.len() <= id {
            table.resize(id + 1, UNKNOWN);
        }
        Some(&mut table[id])
    }

    /// There is a new edge. Of those from objects nobody knows whether they close a circle.
    #[inline]
    pub fn added(&mut self, way: Way, target: NodeRef) {
        if self.known
            && !matches!(way.source, NodeRef::Object(_))
            && let Some(Known { way: place @ None, .. }) = self.of(target)
        {
            *place = Some(way);
        }
    }

    /// There is an edge no more.
    #[inline]
    pub fn removed(&mut self, way: Way, target: NodeRef) {
        if self.known
            && let Some(known) = self.of(target)
            && known.way == Some(way)
        {
            self.suspect(target);
        }
    }

    /// There is a unit that was not there before.
    pub fn came(&mut self, unit: NodeRef) {
        if self.known {
            self.suspect(unit);
        }
    }

    /// A thread ended: from now on it needs a way.
    pub fn ended(&mut self, id: ThreadId) {
        let unit = NodeRef::Thread(id);
        if self.known && self.of(unit).is_some_and(|known| known.way.is_none()) {
            self.suspect(unit);
        }
    }

    fn suspect(&mut self, unit: NodeRef) {
        if let Some(known) = self.of(unit) {
            known.way = None;
            if !std::mem::replace(&mut known.is_listed, true) {
                self.suspects.push(unit);
            }
        }
    }

    /// Starts with the suspects that a state has of which nothing is known.
    fn start(&mut self, units: impl Iterator<Item = NodeRef>) {
        self.objects.clear();
        self.threads.clear();
        self.suspects.clear();
        units.for_each(|unit| self.suspect(unit));
    }

    /// Takes suspects off the list.
    fn acquit(&mut self, is_innocent: impl Fn(NodeRef, Option<Way>) -> bool) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.retain(|&unit| {
            self.of(unit).is_some_and(|known| {
                known.is_listed = !is_innocent(unit, known.way);
                known.is_listed
            })
        });
        self.suspects = suspects;
    }

    /// Starts to mark.
    fn unmeet(&mut self, objects: usize, threads: usize) {
        self.met_objects.clear();
        self.met_objects.resize(objects, false);
        self.met_threads.clear();
        self.met_threads.resize(threads, false);
        self.pending.clear();
        self.objects.resize(objects, UNKNOWN);
        self.threads.resize(threads, UNKNOWN);
    }

    /// Meets the target of an edge. Says whether it had no way until now.
    fn meet(&mut self, edge: Edge) -> bool {
        let known = match edge.target {
            Entity::Thread(id) => {
                if std::mem::replace(&mut self.met_threads[id.0 as usize], true) {
                    return false;
                }
                &mut self.threads[id.0 as usize]
            }
            Entity::Object(id) => {
                if std::mem::replace(&mut self.met_objects[id.0 as usize], true) {
                    return false;
                }
                self.pending.push(id);
                &mut self.objects[id.0 as usize]
            }
            Entity::Abstract(..) => return false,
        };
        known.way.replace(Way::of(edge)).is_none()
    }
}

impl State {
    /// Drops the garbage that the changes since the last collection may have made.
    pub fn collect(&mut self, layout: &Layout) {
        if !std::mem::take(&mut self.garbage_possible) {
            return;
        }
        let mut ways = std::mem::take(&mut self.ways);
        if ways.known {
            self.acquit_suspects(layout, &mut ways);
        } else {
            ways.start(self.units().filter(|&unit| !self.is_ground(unit)));
        }
        if !ways.suspects.is_empty() && !self.mark_suspects(layout, &mut ways) {
            self.sweep(layout, &mut ways);
        }
        ways.acquit(|_, _| true);
        ways.known = self.follows_ways;
        self.ways = ways;
    }

    /// Whether a unit needs nobody who mentions it.
    fn is_ground(&self, unit: NodeRef) -> bool {
        match unit {
            NodeRef::Root => true,
            NodeRef::Thread(id) => self.is_running(id),
            NodeRef::Object(_) => false,
        }
    }

    fn ground(&self) -> impl Iterator<Item = NodeRef> {
        let threads = (0..self.thread_limit()).map(|id| NodeRef::Thread(ThreadId(id)));
        std::iter::once(NodeRef::Root).chain(threads).filter(|&unit| self.is_ground(unit))
    }

    /// Acquits those suspects that do not exist, have a way, or are mentioned where everything starts.
    fn acquit_suspects(&self, layout: &Layout, ways: &mut Ways) {
        ways.acquit(|unit, way| way.is_some() || !self.exists(unit) || self.is_ground(unit));
        if !ways.suspects.is_empty() {
            for unit in self.ground() {
                self.edges(layout, unit, &mut |edge| {
                    if let Some(target) = edge.target.node() {
                        ways.added(Way::of(edge), target);
                    }
                });
            }
            ways.acquit(|_, way| way.is_some());
        }
    }

    /// Marks until all suspects are met. Says whether they are: otherwise everything that can be met is.
    fn mark_suspects(&self, layout: &Layout, ways: &mut Ways) -> bool {
        ways.unmeet(self.objects.table.len(), self.threads.table.len());
        let mut left = ways.suspects.len();
        for unit in self.ground() {
            let mut next = Some(unit);
            while let Some(unit) = next {
                self.edges(layout, unit, &mut |edge| {
                    let is_ground = |unit| self.is_ground(unit);
                    left -= usize::from(ways.meet(edge) && !edge.target.node().is_none_or(is_ground));
                });
                if left == 0 {
                    return true;
                }
                next = ways.pending.pop().map(NodeRef::Object);
            }
        }
        false
    }

    /// Drops what was not met.
    fn sweep(&mut self, layout: &Layout, ways: &mut Ways) {
        for id in 0..self.object_limit() {
            let unit = NodeRef::Object(ObjectId(id));
            if !ways.met_objects[id as usize] && self.exists(unit) {
                self.drop_node(layout, unit);
            }
        }
        for id in 0..self.thread_limit() {
            if !ways.met_threads[id as usize] {
                // Somebody who is garbage may have been the way to a thread that runs.
                ways.threads[id as usize].way = None;
                let unit = NodeRef::Thread(ThreadId(id));
                if self.exists(unit) && !self.is_ground(unit) {
                    self.drop_node(layout, unit);
                }
            }
        }
    }
}
