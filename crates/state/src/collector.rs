//! Garbage: ended threads and objects that cannot be reached from the globals or a running thread.
//!
//! The collector keeps a *reachability forest*: every reachable unit has a *parent edge*, one edge that leads
//! to it. Parent edges never form a cycle, so following them upwards ends at a root (the globals or a running
//! thread), and a unit that has a parent edge can be reached. A step that removes edges makes *suspects* only
//! of the units whose parent edge was among them. Without suspects there is no garbage, however many objects
//! there are and however they refer to each other.
//!
//! For suspects, other parent edges are looked for: an edge from a root will do at once. Otherwise everything
//! is marked, starting at the roots, until all suspects are met; each unit that is met gets the edge by which
//! it was met as its parent edge. Suspects that are not met then, and all other units that are not, are
//! garbage.
//!
//! The forest is brought up to date by the journal when garbage is looked for. It is not part of a state:
//! undo does not give units the parent edges back that they had, it only takes away those that cease to
//! exist; so what one branch of a search found out, the others need not find out again. Suspects that come of
//! an undo wait for a step that removes edges: a state that was there before has no garbage.
//!
//! References in collections are not followed. Where there may be some, there is no forest, and everything is
//! marked after every step that may have made garbage.

use crate::journal::{Change, Journal, Mention};
use crate::state::GraphReader;
use crate::{Edge, Entity, Layout, NodeRef, ObjectId, State, ThreadId};

/// An edge that leads to a unit: the unit that it comes from, and the place there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ParentEdge {
    source: NodeRef,
    place: u32,
}

impl ParentEdge {
    /// Outside of collections, the place is all there is to a label.
    const fn new(source: NodeRef, label: u64) -> Self {
        Self { source, place: (label >> 32) as u32 }
    }

    fn of(mention: Mention) -> (Self, NodeRef) {
        (Self::new(NodeRef::from_index(mention.source), mention.label), NodeRef::from_index(mention.target))
    }
}

/// A unit in the forest.
#[derive(Clone, Copy, Debug)]
struct Member {
    parent: Option<ParentEdge>,
    is_suspect: bool,
}

const UNKNOWN: Member = Member { parent: None, is_suspect: false };

#[derive(Clone, Debug, Default)]
pub(crate) struct Collector {
    /// A reference was overwritten or dropped since the last collection.
    pub garbage_possible: bool,
    /// The number of changes in the journal that the forest accounts for.
    read: usize,
    forest: Forest,
}

impl Collector {
    /// Drops the forest: everything may be different now.
    pub fn forget(&mut self) {
        self.forest.is_known = false;
    }

    /// Brings the forest up to date.
    fn catch_up(&mut self, journal: &Journal) {
        if self.forest.is_known {
            for change in &journal.changes()[self.read..] {
                match *change {
                    Change::Added(mention) => self.forest.added(mention),
                    Change::Removed(mention) => self.forest.removed(mention),
                    Change::Created(unit) => self.forest.suspect(unit),
                    Change::Ended(id) => self.forest.ended(id),
                    // Only garbage is dropped, and no unit has a parent edge from garbage.
                    _ => {}
                }
            }
        }
        self.read = journal.len();
    }

    /// The changes from `start` on are about to be taken back.
    #[inline]
    pub fn rewind(&mut self, journal: &Journal, start: usize) {
        if self.read > start {
            if self.forest.is_known {
                for change in journal.changes()[start..self.read].iter().rev() {
                    match *change {
                        Change::Added(mention) => self.forest.removed(mention),
                        Change::Dropped(unit) => self.forest.suspect(unit),
                        _ => {}
                    }
                }
            }
            self.read = start;
        }
    }

    /// The journal is about to be cleared.
    pub fn detach(&mut self, journal: &Journal) {
        self.catch_up(journal);
        self.read = 0;
    }
}

/// The reachability forest, and what is needed to repair it.
#[derive(Clone, Debug, Default)]
struct Forest {
    /// Whether it has the parent edges of the state that the journal led to.
    is_known: bool,
    objects: Vec<Member>,
    threads: Vec<Member>,
    /// All units without a parent edge but running threads, and some that got one since or are gone.
    suspects: Vec<NodeRef>,
    // Kept between collections for their memory.
    met_objects: Vec<bool>,
    met_threads: Vec<bool>,
    pending: Vec<ObjectId>,
}

impl Forest {
    fn member(&mut self, unit: NodeRef) -> Option<&mut Member> {
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

    /// There is a new edge. An edge from an object may close a cycle: it does not become a parent edge.
    #[inline]
    fn added(&mut self, mention: Mention) {
        let (edge, target) = ParentEdge::of(mention);
        self.adopt(edge, target);
    }

    #[inline]
    fn adopt(&mut self, edge: ParentEdge, target: NodeRef) {
        if !matches!(edge.source, NodeRef::Object(_))
            && let Some(Member { parent: parent @ None, .. }) = self.member(target)
        {
            *parent = Some(edge);
        }
    }

    /// An edge is gone.
    #[inline]
    fn removed(&mut self, mention: Mention) {
        let (edge, target) = ParentEdge::of(mention);
        if let Some(member) = self.member(target)
            && member.parent == Some(edge)
        {
            self.suspect(target);
        }
    }

    /// A thread ended: from now on it needs a parent edge.
    fn ended(&mut self, id: ThreadId) {
        let unit = NodeRef::Thread(id);
        if self.member(unit).is_some_and(|member| member.parent.is_none()) {
            self.suspect(unit);
        }
    }

    fn suspect(&mut self, unit: NodeRef) {
        if let Some(member) = self.member(unit) {
            member.parent = None;
            if !std::mem::replace(&mut member.is_suspect, true) {
                self.suspects.push(unit);
            }
        }
    }

    /// Starts anew with these suspects.
    fn start(&mut self, units: impl Iterator<Item = NodeRef>) {
        self.objects.clear();
        self.threads.clear();
        self.suspects.clear();
        units.for_each(|unit| self.suspect(unit));
    }

    /// Takes suspects off the list.
    fn acquit(&mut self, is_innocent: impl Fn(NodeRef, Option<ParentEdge>) -> bool) {
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.retain(|&unit| {
            self.member(unit).is_some_and(|member| {
                member.is_suspect = !is_innocent(unit, member.parent);
                member.is_suspect
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

    /// Meets the target of an edge. Returns whether it had no parent edge until now.
    fn meet(&mut self, edge: Edge) -> bool {
        let member = match edge.target {
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
        member.parent.replace(ParentEdge::new(edge.source, edge.label)).is_none()
    }
}

impl State {
    /// Whether the changes since the last call, or since the last collection, may have made garbage. The
    /// caller must find and drop it.
    #[inline]
    pub fn take_garbage_possible(&mut self) -> bool {
        std::mem::take(&mut self.collector.garbage_possible)
    }

    /// Drops the garbage that the changes since the last collection may have made.
    pub fn collect(&mut self, layout: &Layout) {
        if self.take_garbage_possible() {
            self.collect_now(layout);
        }
    }

    /// Drops the garbage.
    pub fn collect_now(&mut self, layout: &Layout) {
        self.collector.catch_up(&self.journal);
        let mut forest = std::mem::take(&mut self.collector.forest);
        if forest.is_known {
            self.acquit_suspects(layout, &mut forest);
        } else {
            forest.start(self.units().filter(|&unit| !self.is_root(unit)));
        }
        if !forest.suspects.is_empty() && !self.mark_suspects(layout, &mut forest) {
            self.sweep(layout, &mut forest);
        }
        forest.acquit(|_, _| true);
        forest.is_known = self.graph_reader == Some(GraphReader::Collector);
        self.collector.forest = forest;
        // The forest accounts for what was dropped.
        self.collector.read = self.journal.len();
    }

    /// Whether a unit is there without being referred to.
    fn is_root(&self, unit: NodeRef) -> bool {
        match unit {
            NodeRef::Root => true,
            NodeRef::Thread(id) => self.is_running(id),
            NodeRef::Object(_) => false,
        }
    }

    fn roots(&self) -> impl Iterator<Item = NodeRef> {
        let threads = (0..self.thread_limit()).map(|id| NodeRef::Thread(ThreadId(id)));
        std::iter::once(NodeRef::Root).chain(threads).filter(|&unit| self.is_root(unit))
    }

    /// Acquits the suspects that do not exist, have a parent edge, or have an edge from a root.
    fn acquit_suspects(&self, layout: &Layout, forest: &mut Forest) {
        forest.acquit(|unit, parent| parent.is_some() || !self.exists(unit) || self.is_root(unit));
        if !forest.suspects.is_empty() {
            for unit in self.roots() {
                self.edges(layout, unit, &mut |edge| {
                    if let Some(target) = edge.target.node() {
                        forest.adopt(ParentEdge::new(edge.source, edge.label), target);
                    }
                });
            }
            forest.acquit(|_, parent| parent.is_some());
        }
    }

    /// Marks until all suspects are met. Returns whether they are: otherwise everything that can be reached
    /// is met.
    fn mark_suspects(&self, layout: &Layout, forest: &mut Forest) -> bool {
        forest.unmeet(self.object_limit() as usize, self.thread_limit() as usize);
        let mut left = forest.suspects.len();
        for unit in self.roots() {
            let mut next = Some(unit);
            while let Some(unit) = next {
                self.edges(layout, unit, &mut |edge| {
                    let is_root = |unit| self.is_root(unit);
                    left -= usize::from(forest.meet(edge) && !edge.target.node().is_none_or(is_root));
                });
                if left == 0 {
                    return true;
                }
                next = forest.pending.pop().map(NodeRef::Object);
            }
        }
        false
    }

    /// Drops what was not met.
    fn sweep(&mut self, layout: &Layout, forest: &mut Forest) {
        for id in 0..self.object_limit() {
            let unit = NodeRef::Object(ObjectId(id));
            if !forest.met_objects[id as usize] && self.exists(unit) {
                self.drop_node(layout, unit);
            }
        }
        for id in 0..self.thread_limit() {
            if !forest.met_threads[id as usize] {
                // Its parent, if it runs and has one, may be garbage.
                forest.threads[id as usize].parent = None;
                let unit = NodeRef::Thread(ThreadId(id));
                if self.exists(unit) && !self.is_root(unit) {
                    self.drop_node(layout, unit);
                }
            }
        }
    }
}
