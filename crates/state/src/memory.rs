//! The words of one state and where they belong.
//!
//! All units live in one vector of words: the globals at its start, then blocks of a power of two of words
//! for threads, objects and collections, with a free list per size. A node says where the block of a thread
//! or object is.
//!
//! Memory keeps no past of its own. It can take back a [`Change`], last first, and then everything, free
//! lists included, is exactly as it was. Words of a block that is handed out anew are not journalled: they
//! were free before, and free words are never read. Words that are given up (a popped frame, a dropped
//! object) are journalled first, since later writes may go there.

use crate::journal::Change;
use crate::unit_map::UnitMap;
use crate::{NodeRef, ObjectId, ThreadId};

/// Where the words of a thread or object are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    pub(crate) offset: u32,
    pub(crate) len: u32,
    /// For a thread: where its top frame starts, relative to `offset`.
    pub(crate) frame: u32,
    /// The block has `1 << class` words; [`NO_BLOCK`] if there is no such thread or object.
    pub(crate) class: u32,
}

pub(crate) const NO_BLOCK: u32 = u32::MAX;

impl Node {
    pub(crate) const ABSENT: Self = Self { offset: 0, len: 0, frame: 0, class: NO_BLOCK };

    pub const fn exists(self) -> bool {
        self.class != NO_BLOCK
    }
}

/// The class of the blocks for `len` words.
pub(crate) const fn block_class(len: usize) -> u32 {
    let len = if len == 0 { 1 } else { len };
    len.next_power_of_two().trailing_zeros()
}

/// Threads or objects by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub table: Vec<Node>,
    /// No id below this one is free.
    first_free: u32,
    /// The number of words of all of them.
    words: usize,
    /// The number of those that exist.
    pub count: usize,
}

impl Nodes {
    fn set(&mut self, id: u32, node: Node) -> Node {
        let index = id as usize;
        if index >= self.table.len() {
            self.table.resize(index + 1, Node::ABSENT);
        }
        if !node.exists() {
            self.first_free = self.first_free.min(id);
        }
        let old = std::mem::replace(&mut self.table[index], node);
        self.words = self.words + node.len as usize - old.len as usize;
        self.count = self.count + usize::from(node.exists()) - usize::from(old.exists());
        old
    }

    #[inline]
    pub fn get(&self, id: u32) -> Node {
        self.table.get(id as usize).copied().unwrap_or(Node::ABSENT)
    }

    pub fn least_free(&mut self) -> u32 {
        while self.get(self.first_free).exists() {
            self.first_free += 1;
        }
        self.first_free
    }

    /// One more than the greatest id that exists.
    #[inline]
    pub fn width(&self) -> u32 {
        self.table.iter().rposition(|node| node.exists()).map_or(0, |last| last as u32 + 1)
    }

    /// Forgets the ids from this one on, under which nothing exists.
    pub fn narrow(&mut self, width: u32) {
        debug_assert!(self.width() <= width);
        self.table.truncate(width as usize);
    }

    fn clear(&mut self) {
        self.table.clear();
        self.first_free = 0;
        self.words = 0;
        self.count = 0;
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub words: Vec<u64>,
    pub root_len: usize,
    pub threads: Nodes,
    pub objects: Nodes,
    /// By class: the offsets of free blocks.
    pub free: Vec<Vec<u32>>,
    /// The number of words of all collections.
    pub value_words: usize,
    /// A number that is different after any unit has come, gone or moved, or runs another procedure.
    pub unit_layout: u64,
    pub unit_map: UnitMap,
}

impl Memory {
    /// Only the globals, with these words.
    pub fn new(root: &[u64]) -> Self {
        Self {
            words: root.to_vec(),
            root_len: root.len(),
            threads: Nodes::default(),
            objects: Nodes::default(),
            free: Vec::new(),
            value_words: 0,
            unit_layout: 0,
            unit_map: UnitMap::default(),
        }
    }

    /// Drops everything but the globals, which keep their words.
    pub fn clear(&mut self) {
        self.words.truncate(self.root_len);
        self.threads.clear();
        self.objects.clear();
        self.free.iter_mut().for_each(Vec::clear);
        self.value_words = 0;
        self.unit_layout += 1;
    }

    /// The number of words of all units and collections.
    pub fn size(&self) -> usize {
        self.root_len + self.threads.words + self.objects.words + self.value_words
    }

    // Nodes.

    /// Where a thread or object is. The globals have no node of their own.
    #[inline]
    pub fn node(&self, unit: NodeRef) -> Node {
        match unit {
            NodeRef::Root => Node { offset: 0, len: self.root_len as u32, frame: 0, class: 0 },
            NodeRef::Thread(id) => self.threads.get(id.0),
            NodeRef::Object(id) => self.objects.get(id.0),
        }
    }

    /// Puts a thread or object somewhere. Returns where it was.
    pub fn put(&mut self, unit: NodeRef, new: Node) -> Node {
        self.unit_layout += 1;
        self.unit_map.put(unit, new);
        match unit {
            NodeRef::Root => unreachable!("the globals stay where they are"),
            NodeRef::Thread(id) => self.threads.set(id.0, new),
            NodeRef::Object(id) => self.objects.set(id.0, new),
        }
    }

    /// All threads that exist, then all objects that exist.
    pub fn units(&self) -> impl Iterator<Item = NodeRef> {
        let ids = |nodes: &'_ Nodes| -> std::ops::Range<u32> { 0..nodes.table.len() as u32 };
        let threads = ids(&self.threads).map(|id| NodeRef::Thread(ThreadId(id)));
        let objects = ids(&self.objects).map(|id| NodeRef::Object(ObjectId(id)));
        threads.chain(objects).filter(|&unit| self.node(unit).exists())
    }

    // Blocks.

    fn class(&mut self, len: usize) -> u32 {
        let class = block_class(len);
        if self.free.len() <= class as usize {
            self.free.resize(class as usize + 1, Vec::new());
        }
        class
    }

    /// A new block behind the others, with these words in it: its offset and class.
    pub fn append_block(&mut self, words: &[u64]) -> (usize, u32) {
        let (offset, class) = (self.words.len(), self.class(words.len()));
        self.words.extend_from_slice(words);
        self.words.resize(offset + (1 << class), 0);
        (offset, class)
    }

    /// A block for `len` words: its offset and class, and the change to be journalled.
    pub fn take_block(&mut self, len: usize) -> (usize, u32, Change) {
        let class = self.class(len);
        if let Some(offset) = self.free[class as usize].pop() {
            (offset as usize, class, Change::BlockReused { offset, class })
        } else {
            let offset = self.words.len();
            self.words.resize(offset + (1 << class), 0);
            (offset, class, Change::BlockAppended { offset: offset as u32 })
        }
    }

    /// Frees a block. Returns the change to be journalled.
    pub fn free_block(&mut self, offset: u32, class: u32) -> Change {
        self.free[class as usize].push(offset);
        Change::BlockFreed { class }
    }

    /// Takes back the last change that was not taken back yet.
    #[inline]
    pub fn revert(&mut self, change: Change) {
        match change {
            Change::Word { at, old, .. } => self.words[at as usize] = old,
            Change::Node { unit, old } => _ = self.put(NodeRef::from_index(unit), old),
            Change::BlockReused { offset, class } => self.free[class as usize].push(offset),
            Change::BlockAppended { offset } => self.words.truncate(offset as usize),
            Change::BlockFreed { class } => _ = self.free[class as usize].pop(),
            Change::ValueWords { old } => self.value_words = old,
            Change::Added(_)
            | Change::Removed(_)
            | Change::Created(_)
            | Change::Ended(_)
            | Change::Dropped(_)
            | Change::Rewritten(_)
            | Change::Replaced => {}
        }
    }
}
