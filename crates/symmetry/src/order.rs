//! Orders of threads that are cheap to compute and leave ties: the levels `pc` and `bots`.
//!
//! See Robby, Dwyer, Hatcliff and Iosif, "Space-reduction strategies for model checking dynamic software"
//! (2003), sections 3.3 and 3.4 (kBOTS: bounded-depth signatures of threads).

use state::{Content, Entity, Layout, NodeRef, ObjectId, State, ThreadId};

/// Sorts running threads by their stacks of locations. The sort is stable.
pub fn by_location(layout: &Layout, state: &State, threads: &mut [ThreadId]) {
    let location = |frame: usize| state.read(frame, layout.location) as u32;
    threads.sort_by(|&a, &b| {
        let stack = |id| state.frames(layout, id).map(location);
        stack(a).cmp(stack(b))
    });
}

/// Words that describe a thread and what it can reach, without names.
#[derive(Clone, Default, Debug)]
pub struct Signatures {
    words: Vec<u64>,
    /// By thread id: the range of its signature in `words`.
    ranges: Vec<(u32, u32)>,
    /// The objects that a signature has described, in order.
    seen: Vec<ObjectId>,
}

impl Signatures {
    /// Sorts running threads by their signatures, which describe what can be reached by `depth` references.
    /// The sort is stable.
    pub fn sort(&mut self, layout: &Layout, state: &State, depth: u32, threads: &mut [ThreadId]) {
        self.words.clear();
        self.ranges.clear();
        self.ranges.resize(state.thread_limit() as usize, (0, 0));
        for &id in threads.iter() {
            let start = self.words.len() as u32;
            self.describe(layout, state, id, depth);
            self.ranges[id.0 as usize] = (start, self.words.len() as u32);
        }
        let signature = |id: ThreadId| {
            let (start, end) = self.ranges[id.0 as usize];
            &self.words[start as usize..end as usize]
        };
        threads.sort_by(|&a, &b| signature(a).cmp(signature(b)));
    }

    fn describe(&mut self, layout: &Layout, state: &State, thread: ThreadId, depth: u32) {
        self.seen.clear();
        // Units to be described, the next one last, and their distances.
        let mut pending = vec![(NodeRef::Thread(thread), 0)];
        while let Some((unit, distance)) = pending.pop() {
            if let NodeRef::Object(id) = unit {
                // It is described by the number of its first description.
                if let Some(at) = self.seen.iter().position(|&other| other == id) {
                    self.words.extend([SEEN, at as u64]);
                    continue;
                }
                self.seen.push(id);
            }
            self.words.push(UNIT);
            state.data(layout, unit, &mut |word| self.words.push(word));
            let first = pending.len();
            state.contents(layout, unit, &mut |label, content| {
                self.words.push(label);
                match content {
                    Content::Name(Entity::Object(id)) => {
                        self.words.push(OBJECT);
                        if distance < depth {
                            pending.push((NodeRef::Object(id), distance + 1));
                        }
                    }
                    Content::Name(Entity::Thread(id)) => {
                        self.words.push(if id == thread { SELF } else { OTHER });
                    }
                    Content::Name(Entity::Abstract(of, _)) => self.words.extend([OTHER, of.into()]),
                    // Only the number of words, which does not depend on names.
                    Content::Value(_, words) => self.words.push(words.len() as u64),
                }
            });
            pending[first..].reverse();
        }
    }
}

const UNIT: u64 = 1;
const SEEN: u64 = 2;
const OBJECT: u64 = 3;
const SELF: u64 = 4;
const OTHER: u64 = 5;
