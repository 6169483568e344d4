//! Garbage: threads that ended and objects, when nothing that matters refers to them.
//!
//! A full mark and sweep, but only after steps that overwrote or dropped a reference: others make no garbage.

use crate::{Individual, Layout, NodeRef, ObjectId, State, ThreadId};

/// What was reached; kept between collections for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    objects: Vec<bool>,
    threads: Vec<bool>,
    pending: Vec<ObjectId>,
}

impl Marks {
    fn reach(&mut self, target: Individual) {
        match target {
            // The mentions of running threads are roots, and ended ones have none.
            Individual::Thread(id) => self.threads[id.0 as usize] = true,
            Individual::Object(id) => {
                if !std::mem::replace(&mut self.objects[id.0 as usize], true) {
                    self.pending.push(id);
                }
            }
            Individual::Abstract(..) => {}
        }
    }
}

impl State {
    /// Drops the garbage that the changes since the last collection may have made.
    pub fn collect(&mut self, layout: &Layout) {
        if !std::mem::take(&mut self.garbage_possible) {
            return;
        }
        let mut marks = std::mem::take(&mut self.scratch);
        marks.objects.clear();
        marks.objects.resize(self.objects.table.len(), false);
        marks.threads.clear();
        marks.threads.resize(self.threads.table.len(), false);
        self.edges(layout, NodeRef::Root, &mut |edge| marks.reach(edge.target));
        for id in (0..self.thread_limit()).map(ThreadId) {
            if self.is_running(id) {
                marks.threads[id.0 as usize] = true;
                self.edges(layout, NodeRef::Thread(id), &mut |edge| marks.reach(edge.target));
            }
        }
        while let Some(id) = marks.pending.pop() {
            self.edges(layout, NodeRef::Object(id), &mut |edge| marks.reach(edge.target));
        }
        for id in 0..self.objects.table.len() {
            if self.objects.table[id].exists() && !marks.objects[id] {
                self.drop_node(layout, NodeRef::Object(ObjectId(id as u32)));
            }
        }
        for id in 0..self.threads.table.len() {
            if self.threads.table[id].exists() && !marks.threads[id] {
                self.drop_node(layout, NodeRef::Thread(ThreadId(id as u32)));
            }
        }
        self.scratch = marks;
    }
}
