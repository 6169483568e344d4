//! What a step changed in the graph of a small state, so that it need not be found out again when the step is taken
//! back.
//!
//! From a step on, the rows of the nodes that are scanned are saved first. If the step is taken back, they are put
//! back, and the graph shows the state before the step. Where nodes come or go, this is given up: then what changed is
//! scanned.

use crate::small::{Link, MOST, SmallGraph, nodes};

/// The saved rows.
#[derive(Debug)]
pub struct Saved {
    /// Whether the rows lead back to the state before the last step.
    is_on: bool,
    /// The nodes with saved rows, and by such a node: its row.
    set: u64,
    place_of: [u8; MOST],
    rows: Vec<SavedRow>,
    len: usize,
}

/// A node as it was.
#[derive(Default, Debug)]
struct SavedRow {
    node: usize,
    label: u64,
    group: u8,
    is_running: bool,
    kind: u32,
    len: u32,
    first: u64,
    references: u64,
    words: Vec<u64>,
    more_references: Vec<u64>,
    /// Whether there are other links now; those before are here.
    has_links: bool,
    links: Vec<Link>,
    targets: u64,
    members: u64,
}

impl Default for Saved {
    fn default() -> Self {
        Self { is_on: false, set: 0, place_of: [0; MOST], rows: Vec::new(), len: 0 }
    }
}

impl Saved {
    /// The graph shows the state before a step, if `is_on` says so.
    #[inline]
    pub fn begin(&mut self, is_on: bool) {
        (self.is_on, self.set, self.len) = (is_on, 0, 0);
    }

    /// The rows do not lead back any more.
    #[inline]
    pub fn give_up(&mut self) {
        self.is_on = false;
    }
}

impl SmallGraph {
    /// Saves everything about the node of a unit but its links.
    #[inline]
    pub(crate) fn save(&mut self, node: usize) {
        if !self.saved.is_on || self.saved.set >> node & 1 == 1 {
            return;
        }
        // Nodes of collections come and go.
        if self.parts[node] != 0 {
            return self.saved.give_up();
        }
        let keeps_words = self.long >> node & 1 == 1 || self.has_blocks(node);
        let Saved { set, place_of, rows, len, .. } = &mut self.saved;
        if *len == rows.len() {
            rows.push(SavedRow::default());
        }
        *set |= 1 << node;
        place_of[node] = *len as u8;
        let row = &mut rows[*len];
        *len += 1;
        (row.node, row.has_links) = (node, false);
        (row.label, row.group) = (self.labels[node], self.groups[node]);
        row.is_running = self.running >> node & 1 == 1;
        (row.kind, row.len) = (self.kinds[node], self.lens[node]);
        (row.first, row.references) = (self.first[node], self.references[node]);
        if keeps_words {
            row.words.clone_from(&self.words[node]);
            row.more_references.clone_from(&self.more_references[node]);
        }
    }

    /// Saves the links of a node, which are about to be removed. They need not be kept.
    #[inline]
    pub(crate) fn save_links(&mut self, node: usize) {
        if !self.saved.is_on || self.saved.set >> node & 1 == 0 {
            return;
        }
        let row = &mut self.saved.rows[usize::from(self.saved.place_of[node])];
        if !std::mem::replace(&mut row.has_links, true) {
            (row.targets, row.members) = (self.targets[node], self.members[node]);
            std::mem::swap(&mut row.links, &mut self.links[node]);
        }
    }

    /// Puts back what was saved. Returns false if it does not lead back.
    pub(crate) fn put_back(&mut self) -> bool {
        if !std::mem::take(&mut self.saved.is_on) {
            return false;
        }
        let mut rows = std::mem::take(&mut self.saved.rows);
        for row in &mut rows[..self.saved.len] {
            let node = row.node % MOST;
            if row.has_links {
                for target in nodes(self.targets[node]) {
                    self.sources[target] &= !(1 << node);
                }
                for target in nodes(row.targets) {
                    self.sources[target] |= 1 << node;
                }
                (self.targets[node], self.members[node]) = (row.targets, row.members);
                std::mem::swap(&mut row.links, &mut self.links[node]);
            }
            self.labels[node] = row.label;
            self.regroup(node, row.group);
            self.running = self.running & !(1 << node) | u64::from(row.is_running) << node;
            self.kinds[node] = row.kind;
            self.set_len(node, row.len);
            (self.first[node], self.references[node]) = (row.first, row.references);
            if self.long >> node & 1 == 1 || self.has_blocks(node) {
                std::mem::swap(&mut row.words, &mut self.words[node]);
                std::mem::swap(&mut row.more_references, &mut self.more_references[node]);
            }
        }
        self.saved.rows = rows;
        true
    }
}
