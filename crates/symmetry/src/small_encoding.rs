//! Encodings of small states, written from their graphs.
//!
//! For a unit without collections, the graph has everything that there is to it: its words without references,
//! and its links with their places. So most of an encoding is written from the graph in one pass over nodes,
//! under names that are numbers by node, without a look at the state, at shapes or at tables of names. Units
//! that may have collections are written from the state.

use state::{Entity, Layout, Names, NodeRef, State};
use system::{Encoding, Outline, Section};

use crate::small::{GROUPS, KINDS, MOST, SmallGraph, VARIABLE, nodes};

/// The names of nodes: threads and objects in turn, by kind, and then in the order in which they are given.
pub struct NodeNames {
    /// By node of a thread or object: its name.
    names: [u8; MOST],
    /// The nodes of threads, then those of objects, in the order of their names.
    sorted: [u8; MOST],
    threads: usize,
    len: usize,
}

impl NodeNames {
    pub fn new(graph: &SmallGraph, order: &[u8]) -> Self {
        let (mut next, threads, len) = graph.first_of_groups();
        let (mut names, mut sorted) = ([0; MOST], [0; MOST]);
        for &node in order {
            let group = usize::from(graph.groups[usize::from(node) % MOST]);
            if group < next.len() {
                let at = next[group];
                next[group] += 1;
                sorted[usize::from(at) % MOST] = node;
                names[usize::from(node) % MOST] = if at < threads { at } else { at - threads };
            }
        }
        Self { names, sorted, threads: threads.into(), len: len.into() }
    }

    /// Gives threads and objects their names in tables that have room for them.
    pub fn give(&self, graph: &SmallGraph, into: &mut Names) {
        for &node in &self.sorted[..self.len] {
            let name = u32::from(self.names[usize::from(node)]);
            match graph.entities[usize::from(node)] {
                Some(Entity::Thread(id)) => into.threads[id.0 as usize] = name,
                Some(Entity::Object(id)) => into.objects[id.0 as usize] = name,
                Some(Entity::Abstract(..)) | None => {}
            }
        }
    }

    /// Takes over the names of the elements of abstract enums.
    pub fn take_elements(&mut self, graph: &SmallGraph, from: &Names) {
        for (names, of) in from.abstracts.iter().zip(0..) {
            for (&name, id) in names.iter().zip(0..) {
                self.names[usize::from(graph.element(of, id)) % MOST] = name as u8;
            }
        }
    }
}

/// A small state, and its names.
pub struct Written<'a> {
    pub graph: &'a SmallGraph,
    pub state: &'a State,
    pub layout: &'a Layout,
    pub nodes: &'a NodeNames,
    /// The same names by id, if the program has collections.
    pub names: &'a Names,
}

impl Written<'_> {
    /// Writes the encoding of the state under its names. Mostly the encoding has components of the same
    /// lengths already, and only words are written.
    pub fn encode(&self, lengths: &mut WrittenLengths, into: &mut Encoding) {
        if !self.overwrite(lengths, into) {
            self.refill(into);
            lengths.note(into);
        }
    }

    fn overwrite(&self, lengths: &mut WrittenLengths, into: &mut Encoding) -> bool {
        let WrittenLengths { outline, widths, lengths, buffer } = lengths;
        let NodeNames { names, sorted, threads, len } = self.nodes;
        let has_widths = *widths == [1, *threads, len - threads];
        let Some(outline) = outline.filter(|_| has_widths) else { return false };
        into.rewrite(outline, |out| {
            let (Some((&root, lengths)), graph) = (lengths.split_first(), self.graph) else { return false };
            let (unit, mut out) = out.split_at_mut(root as usize);
            if !self.put(SmallGraph::ROOT.into(), unit, buffer) {
                return false;
            }
            for (&node, &len) in sorted[..*len].iter().zip(lengths) {
                let node = usize::from(node) % MOST;
                let (unit, rest) = out.split_at_mut(len as usize);
                out = rest;
                // Most units are one word long, which stays in a register.
                if let [word] = unit
                    && graph.lens[node] == 1
                {
                    *word = graph.first[node];
                    for link in &graph.links[node] {
                        *word |= (u64::from(names[usize::from(link.target) % MOST]) + 1) << link.shift;
                    }
                } else if !self.put(node, unit, buffer) {
                    return false;
                }
            }
            true
        })
    }

    /// Writes the words of a unit if it has the right number of words. Returns whether it has.
    #[inline(never)]
    fn put(&self, node: usize, out: &mut [u64], buffer: &mut Vec<u64>) -> bool {
        let graph = self.graph;
        if graph.lens[node] as usize == out.len() && graph.lens[node] > 1 {
            out.copy_from_slice(&graph.words[node]);
            for link in &graph.links[node] {
                out[link.word as usize] |= self.name(link.target) << link.shift;
            }
            return true;
        }
        buffer.clear();
        self.append(node, buffer);
        let fits = buffer.len() == out.len();
        if fits {
            out.copy_from_slice(buffer);
        }
        fits
    }

    fn refill(&self, into: &mut Encoding) {
        let NodeNames { sorted, threads, len, .. } = self.nodes;
        let (threads, objects) = sorted[..*len].split_at(*threads);
        into.refill(|into| {
            into.component(Section::Root, |out| self.append(SmallGraph::ROOT.into(), out));
            for &node in threads {
                into.component(Section::Threads, |out| self.append(node.into(), out));
            }
            for &node in objects {
                into.component(Section::Objects, |out| self.append(node.into(), out));
            }
        });
    }

    #[inline]
    fn name(&self, target: u8) -> u64 {
        u64::from(self.nodes.names[usize::from(target) % MOST]) + 1
    }

    /// The word of a unit with one word.
    #[inline]
    fn word(&self, node: usize) -> u64 {
        let graph = self.graph;
        graph.links[node]
            .iter()
            .fold(graph.first[node], |word, link| word | self.name(link.target) << link.shift)
    }

    /// Appends the words of a unit.
    #[inline]
    fn append(&self, node: usize, out: &mut Vec<u64>) {
        let Self { graph, state, layout, names, .. } = *self;
        let node = node % MOST;
        if graph.lens[node] == VARIABLE {
            let unit = graph.entities[node].and_then(Entity::node).unwrap_or(NodeRef::Root);
            return state.append(layout, unit, Some(names), out);
        }
        let start = out.len();
        if graph.lens[node] == 1 {
            out.push(self.word(node));
        } else {
            out.extend_from_slice(&graph.words[node]);
            for link in &graph.links[node] {
                out[start + link.word as usize] |= self.name(link.target) << link.shift;
            }
        }
        if node == SmallGraph::ROOT.into() {
            out.truncate(start + layout.root_shown);
        }
    }
}

/// The lengths of the components that an encoding was last given.
#[derive(Default, Debug)]
pub struct WrittenLengths {
    outline: Option<Outline>,
    /// By section: the number of components.
    widths: [usize; 3],
    /// In the order of keys.
    lengths: Vec<u32>,
    buffer: Vec<u64>,
}

impl WrittenLengths {
    fn note(&mut self, encoding: &Encoding) {
        let Self { outline, widths, lengths, .. } = self;
        *outline = encoding.outlined().map(|(outline, _)| outline);
        *widths = Section::ALL.map(|section| encoding.width(section) as usize);
        lengths.clear();
        for section in Section::ALL {
            lengths
                .extend(encoding.section(section).map(|words| words.map_or(0, |words| words.len() as u32)));
        }
    }
}

impl SmallGraph {
    /// By group: the first position of its nodes; and the numbers of positions of threads, and of all.
    fn first_of_groups(&self) -> ([u8; GROUPS], u8, u8) {
        let mut first = [0; GROUPS];
        let (mut threads, mut len) = (0, 0);
        for group in nodes(self.present) {
            first[group] = len;
            len += self.counts[group];
            if group < KINDS {
                threads = len;
            }
        }
        (first, threads, len)
    }
}
