//! From states to encodings and back, with ids as names: the level `none` of the symmetry ladder.

use system::{Encoding, Key, Section};

use crate::memory::Node;
use crate::{Layout, NodeRef, ObjectId, State, ThreadId};

impl NodeRef {
    pub const fn key(self) -> Key {
        match self {
            Self::Root => Key { section: Section::Root, index: 0 },
            Self::Thread(id) => Key { section: Section::Threads, index: id.0 },
            Self::Object(id) => Key { section: Section::Objects, index: id.0 },
        }
    }
}

impl State {
    /// Brings `into`, the encoding of this state as it was when it was last encoded or decoded, up to date.
    pub fn encode(&mut self, into: &mut Encoding) {
        let Self { words, root_len, threads, objects, dirty, root_dirty, .. } = self;
        for node in dirty.drain(..) {
            let place = match node {
                NodeRef::Root => {
                    *root_dirty = false;
                    into.set(node.key(), &words[..*root_len]);
                    continue;
                }
                NodeRef::Thread(id) => threads.clean(id.0),
                NodeRef::Object(id) => objects.clean(id.0),
            };
            if place.exists() {
                into.set(node.key(), &words[place.offset as usize..][..place.len as usize]);
            } else {
                into.remove(node.key());
            }
        }
        into.settle(self.changed().map(NodeRef::key));
    }

    /// Becomes the state that `from` describes, without a past.
    pub fn decode(&mut self, layout: &Layout, from: &Encoding) {
        self.reset();
        for (key, words) in from.components() {
            if key.section == Section::Root {
                self.words[..words.len()].copy_from_slice(words);
                continue;
            }
            let (offset, class) = self.take_block(words.len());
            self.words[offset..][..words.len()].copy_from_slice(words);
            let mut node = Node { offset: offset as u32, len: words.len() as u32, frame: 0, class };
            if key.section == Section::Threads {
                let mut at = layout.thread.len();
                while at < words.len() {
                    node.frame = at as u32;
                    at += self.frame_len(layout, offset + at);
                }
                self.set_node(NodeRef::Thread(ThreadId(key.index)), node);
            } else {
                self.set_node(NodeRef::Object(ObjectId(key.index)), node);
            }
        }
        self.forget();
        self.clean();
    }
}
