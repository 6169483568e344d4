//! From states to encodings and back, with ids as names: the level `none` of the symmetry ladder.

use system::{Encoding, Key, Section};

use crate::memory::{Node, Nodes};
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
        if self.has_shape_of(from) {
            self.forget();
            self.clean();
            self.overwrite(layout, from);
        } else {
            self.rebuild(layout, from);
        }
    }

    /// Whether the same threads and objects exist, with as many words each.
    fn has_shape_of(&self, from: &Encoding) -> bool {
        let same = |nodes: &Nodes, section: Section| {
            let width = from.width(section);
            nodes.table.len() >= width as usize
                && nodes.table.iter().zip(0..).all(|(node, index)| {
                    let words = from.get(Key { section, index });
                    words.map(<[u64]>::len) == node.exists().then_some(node.len as usize)
                })
        };
        same(&self.threads, Section::Threads) && same(&self.objects, Section::Objects)
    }

    fn overwrite(&mut self, layout: &Layout, from: &Encoding) {
        let words = |section, index| from.get(Key { section, index });
        if let Some(words) = words(Section::Root, 0) {
            self.words[..words.len()].copy_from_slice(words);
        }
        for index in 0..from.width(Section::Threads) {
            if let Some(words) = words(Section::Threads, index) {
                let offset = self.threads.table[index as usize].offset as usize;
                copy(words, &mut self.words[offset..][..words.len()]);
                let top = self.top_frame(layout, offset, words.len());
                self.threads.table[index as usize].frame = top as u32;
            }
        }
        for index in 0..from.width(Section::Objects) {
            if let Some(words) = words(Section::Objects, index) {
                let offset = self.objects.table[index as usize].offset as usize;
                copy(words, &mut self.words[offset..][..words.len()]);
            }
        }
    }

    /// Where the top frame starts in a thread of `len` words at `offset`.
    fn top_frame(&self, layout: &Layout, offset: usize, len: usize) -> usize {
        let (mut top, mut at) = (0, layout.thread.len());
        while at < len {
            top = at;
            at += self.frame_len(layout, offset + at);
        }
        top
    }

    fn rebuild(&mut self, layout: &Layout, from: &Encoding) {
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
                node.frame = self.top_frame(layout, offset, words.len()) as u32;
                self.set_node(NodeRef::Thread(ThreadId(key.index)), node);
            } else {
                self.set_node(NodeRef::Object(ObjectId(key.index)), node);
            }
        }
        self.forget();
        self.clean();
    }
}

/// Most units are one word long: too short for a call of `memcpy`.
#[inline]
fn copy(from: &[u64], to: &mut [u64]) {
    match (from, to) {
        (&[from], [to]) => *to = from,
        (from, to) => to.copy_from_slice(from),
    }
}
