//! Encodings of small states, written from their graphs.
//!
//! For a unit without collections, the graph has everything that there is to it: its words without references,
//! and its links with their places. So most of an encoding is written from the graph in one pass over nodes,
//! under names that are numbers by node, without a look at the state, at shapes or at tables of names. Units
//! that may have collections are written from the state.

use state::{Entity, Layout, Names, NodeRef, State};
use system::{Encoding, KeptOutline, Section};

use crate::mix::mix;
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
    /// Writes the encoding of the state under its names. Mostly an encoding had components of the same lengths
    /// before, and only words are written.
    pub fn encode(&self, outlines: &mut Outlines, into: &mut Encoding) {
        let Outlines { places, spans, buffer } = outlines;
        let hash = self.measure(spans, buffer);
        let place = &mut places[(hash >> (64 - PLACES.ilog2())) as usize];
        let written = place.known.as_ref().filter(|known| known.hash == hash).is_some_and(|known| {
            into.rewrite(known.outline, |out| self.overwrite(&known.lengths, (spans, buffer), out))
        });
        if !written {
            self.refill((spans, buffer), into);
            place.note(hash, into);
        }
    }

    /// Writes the words of units that may have collections to a buffer. Returns a hash of the lengths of all units.
    #[inline]
    fn measure(&self, spans: &mut Spans, buffer: &mut Vec<u64>) -> u64 {
        let Self { graph, state, layout, names, nodes } = *self;
        let mut hash = mix(nodes.threads as u64, nodes.len as u64);
        buffer.clear();
        for node in self::nodes(graph.long) {
            let mut len = graph.lens[node];
            if len == VARIABLE {
                let unit = graph.entities[node].and_then(Entity::node).unwrap_or(NodeRef::Root);
                let start = buffer.len();
                state.append(layout, unit, Some(names), buffer);
                len = (buffer.len() - start) as u32;
                spans[node] = (start as u32, len);
            }
            // Names of objects follow those of threads.
            let is_thread = graph.threads >> node & 1 == 1;
            let place = usize::from(nodes.names[node]) + if is_thread { 0 } else { nodes.threads };
            let place = if node == SmallGraph::ROOT.into() { MOST } else { place };
            hash = hash.wrapping_add(mix(place as u64, len.into()));
        }
        hash
    }

    /// Writes the words of all units, if they have these lengths. Returns whether they have.
    #[inline]
    fn overwrite(&self, lengths: &[u32], values: (&Spans, &[u64]), out: &mut [u64]) -> bool {
        let NodeNames { names, sorted, len, .. } = self.nodes;
        let (Some((&root, lengths)), graph) = (lengths.split_first(), self.graph) else { return false };
        let (unit, mut out) = out.split_at_mut(root as usize);
        if lengths.len() != *len || !self.put(SmallGraph::ROOT.into(), values, unit) {
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
            } else if !self.put(node, values, unit) {
                return false;
            }
        }
        true
    }

    /// Writes the words of a unit if it has the right number of words. Returns whether it has.
    #[inline(never)]
    fn put(&self, node: usize, (spans, buffer): (&Spans, &[u64]), out: &mut [u64]) -> bool {
        let (graph, node) = (self.graph, node % MOST);
        if graph.lens[node] == VARIABLE {
            let (start, len) = spans[node];
            if len as usize != out.len() {
                return false;
            }
            out.copy_from_slice(&buffer[start as usize..][..out.len()]);
            return true;
        }
        // Untracked globals are the last ones.
        let is_root = node == SmallGraph::ROOT.into();
        let len = if is_root { self.layout.root_shown } else { graph.lens[node] as usize };
        if len != out.len() {
            return false;
        }
        match graph.lens[node] {
            1 => out.fill(graph.first[node]),
            _ => out.copy_from_slice(&graph.words[node][..len]),
        }
        for link in &graph.links[node] {
            // Other references are untracked.
            if let Some(word) = out.get_mut(link.word as usize) {
                *word |= self.name(link.target) << link.shift;
            }
        }
        true
    }

    fn refill(&self, values: (&Spans, &[u64]), into: &mut Encoding) {
        let NodeNames { sorted, threads, len, .. } = self.nodes;
        let (threads, objects) = sorted[..*len].split_at(*threads);
        into.refill(|into| {
            let mut unit = |section, node: u8| {
                into.component(section, |out| {
                    let (start, len) = (out.len(), self.len(node.into(), values.0));
                    out.resize(start + len, 0);
                    let is_put = self.put(node.into(), values, &mut out[start..]);
                    debug_assert!(is_put, "this is its length");
                });
            };
            unit(Section::Root, SmallGraph::ROOT);
            for &node in threads {
                unit(Section::Threads, node);
            }
            for &node in objects {
                unit(Section::Objects, node);
            }
        });
    }

    fn len(&self, node: usize, spans: &Spans) -> usize {
        match self.graph.lens[node % MOST] {
            VARIABLE => spans[node % MOST].1 as usize,
            _ if node == SmallGraph::ROOT.into() => self.layout.root_shown,
            len => len as usize,
        }
    }

    #[inline]
    fn name(&self, target: u8) -> u64 {
        u64::from(self.nodes.names[usize::from(target) % MOST]) + 1
    }
}

/// By node of a unit that may have collections: where its words are in a buffer, and how many.
type Spans = [(u32, u32); MOST];

/// The number of outlines that are kept.
const PLACES: usize = 1 << 10;

/// The lengths of components that encodings had lately.
#[derive(Debug)]
pub struct Outlines {
    /// By a part of the hash of the lengths.
    places: Vec<Place>,
    spans: Spans,
    buffer: Vec<u64>,
}

#[derive(Default, Debug)]
struct Place {
    known: Option<Known>,
    /// The hash that was met last without being known. What is met twice becomes known.
    missed: u64,
}

#[derive(Debug)]
struct Known {
    hash: u64,
    outline: KeptOutline,
    /// In the order of keys.
    lengths: Vec<u32>,
}

impl Default for Outlines {
    fn default() -> Self {
        let places = std::iter::repeat_with(Place::default).take(PLACES).collect();
        Self { places, spans: [(0, 0); MOST], buffer: Vec::new() }
    }
}

impl Place {
    #[cold]
    fn note(&mut self, hash: u64, encoding: &mut Encoding) {
        if std::mem::replace(&mut self.missed, hash) != hash {
            return;
        }
        let before = self.known.take();
        let Some(outline) = encoding.keep_outline(before.map(|known| known.outline)) else { return };
        let len = |words: Option<&[u64]>| words.map_or(0, |words| words.len() as u32);
        let lengths = Section::ALL.iter().flat_map(|&section| encoding.section(section).map(len));
        self.known = Some(Known { hash, outline, lengths: lengths.collect() });
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
