//! Garbage: threads that ended and objects, when nothing that matters refers to them.
//!
//! A full mark and sweep, but only after steps that overwrote or dropped a reference: others make no garbage.

use ir::LocationId;

use crate::{Layout, NodeRef, ObjectId, ObjectKind, Shape, SlotKind, State, ThreadId};

/// What was reached; kept between collections for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    objects: Vec<bool>,
    threads: Vec<bool>,
    pending: Vec<ObjectId>,
}

impl Marks {
    fn reach(&mut self, kind: SlotKind, raw: i64) {
        match kind {
            SlotKind::Data => {}
            SlotKind::Thread => {
                if let Some(id) = ThreadId::from_raw(raw) {
                    self.threads[id.0 as usize] = true;
                }
            }
            SlotKind::Object => {
                if let Some(id) = ObjectId::from_raw(raw)
                    && !std::mem::replace(&mut self.objects[id.0 as usize], true)
                {
                    self.pending.push(id);
                }
            }
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
        self.follow(&mut marks, 0, &layout.root);
        for id in (0..self.thread_limit()).map(ThreadId) {
            if self.is_running(id) {
                marks.threads[id.0 as usize] = true;
                self.follow(&mut marks, self.thread(id), &layout.thread);
                for frame in self.frames(layout, id) {
                    let location = LocationId(self.read(frame, layout.location) as u32);
                    self.follow(&mut marks, frame, &layout.frames[layout.procedure_of[location]]);
                }
            }
        }
        while let Some(id) = marks.pending.pop() {
            let base = self.object(id);
            match layout.kind(self.read(base, layout.tag)) {
                ObjectKind::Record(record) => self.follow(&mut marks, base, &layout.records[record]),
                ObjectKind::Lock => self.follow(&mut marks, base, &layout.lock),
                ObjectKind::Array(array) => {
                    let array = layout.arrays[array as usize];
                    if array.kind != SlotKind::Data {
                        for index in 0..self.read(base, layout.array_length) as u32 {
                            marks.reach(array.kind, self.read(base, array.slot(index)));
                        }
                    }
                }
            }
        }
        for id in 0..self.objects.table.len() {
            if self.objects.table[id].exists() && !marks.objects[id] {
                self.drop_node(NodeRef::Object(ObjectId(id as u32)));
            }
        }
        for id in 0..self.threads.table.len() {
            if self.threads.table[id].exists() && !marks.threads[id] {
                self.drop_node(NodeRef::Thread(ThreadId(id as u32)));
            }
        }
        self.scratch = marks;
    }

    fn follow(&self, marks: &mut Marks, base: usize, shape: &Shape) {
        for &slot in &shape.edges {
            marks.reach(slot.kind, self.read(base, slot));
        }
    }
}
