//! What a unit mentions, as edges: places of the unit itself, and collections taken apart.
//!
//! A place that holds one entity is an edge. A collection is taken apart until only entities are left: elements
//! of sets and bags hang from the unit by edges that nothing tells apart, elements of sequences by edges with
//! their positions. A part that is a collection itself, or an entry of a map, becomes a node of its own, unless
//! what it consists of fits into the label of one edge. Everything that is not an entity goes into labels.

use state::{Content, Entity, TermKind, Terms, TypeId};

use crate::mix::mix;

/// Whether an edge is the only one with its label that leaves a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    One,
    Many,
}

/// A graph to which the contents of units are added.
pub trait Relations {
    /// A number for an entity that has a name already.
    fn anchor(&self, entity: Entity) -> Option<u64>;

    /// Adds to the label of a node. The order of additions makes no difference.
    fn label(&mut self, node: u32, what: u64);

    /// A node mentions an entity.
    fn name(&mut self, node: u32, label: u64, entity: Entity, place: Place);

    /// Adds a node with the label `own`, which hangs from another one as one of many.
    fn part(&mut self, node: u32, label: u64, own: u64) -> u32;
}

const MEMBER: u64 = 1;
const KEY: u64 = 2;
const VALUE: u64 = 3;

/// Adds the content of the place `label` of a node.
#[inline]
pub fn hang(graph: &mut impl Relations, terms: &Terms, node: u32, label: u64, content: Content<'_>) {
    match content {
        Content::Name(entity) => graph.name(node, label, entity, Place::One),
        Content::Value(ty, words) => {
            Collections { graph, terms, words }.value(node, mix(label, 0), ty, 0);
        }
    }
}

struct Collections<'a, G> {
    graph: &'a mut G,
    terms: &'a Terms,
    words: &'a [u64],
}

impl<G: Relations> Collections<'_, G> {
    /// Hangs the value at `at` from `node` under `label`. Returns where the value ends.
    fn value(&mut self, node: u32, label: u64, ty: TypeId, at: usize) -> usize {
        self.value_at(node, label, ty, at, Place::One)
    }

    fn value_at(&mut self, node: u32, label: u64, ty: TypeId, at: usize, place: Place) -> usize {
        let Self { terms, words, .. } = *self;
        let kind = terms.kind(ty);
        if !terms.has_names(ty) {
            let end = at + terms.len(ty, words, at);
            self.graph.label(node, hash(label, &words[at..end]));
            return end;
        }
        if terms.is_atom(ty) {
            match Entity::of_term(kind, words[at] as i64) {
                Some(entity) => self.graph.name(node, label, entity, place),
                None => self.graph.label(node, label),
            }
            return at + 1;
        }
        let mut end = at + terms.head(ty);
        let count = words[end - 1];
        self.graph.label(node, hash(label, &words[at..end]));
        match kind {
            TermKind::Seq(of) | TermKind::Queue(of) => {
                for index in 0..count {
                    end = self.value(node, mix(label, index + 2), of, end);
                }
            }
            TermKind::Set(of) => {
                for _ in 0..count {
                    end = self.member(node, mix(label, MEMBER), of, end);
                }
            }
            TermKind::Bag(of) => {
                for _ in 0..count {
                    let multiplicity = words[end + terms.len(of, words, end)];
                    end = self.member(node, mix(label, mix(MEMBER, multiplicity)), of, end) + 1;
                }
            }
            TermKind::Map(key, value) => {
                for _ in 0..count {
                    end = self.entry(node, label, key, value, end);
                }
            }
            TermKind::Data | TermKind::Object | TermKind::Thread | TermKind::Abstract(_) => {
                unreachable!("atoms are done")
            }
        }
        end
    }

    /// Hangs an element of a set or bag from `node`: directly if it is an entity, by a node of its own
    /// otherwise.
    fn member(&mut self, node: u32, label: u64, of: TypeId, at: usize) -> usize {
        if self.terms.is_atom(of) {
            return self.value_at(node, label, of, at, Place::Many);
        }
        let member = self.graph.part(node, label, MEMBER);
        self.value(member, MEMBER, of, at)
    }

    /// Hangs an entry of a map from `node`. If the key has a name without choice, it serves as a place. If
    /// the value mentions no entity, it serves as a place for the key.
    fn entry(&mut self, node: u32, label: u64, key: TypeId, value: TypeId, at: usize) -> usize {
        let Self { terms, words, .. } = *self;
        let middle = at + terms.len(key, words, at);
        if !terms.has_names(key) {
            return self.value(node, hash(label, &words[at..middle]), value, middle);
        }
        if terms.is_atom(key) {
            match Entity::of_term(terms.kind(key), words[at] as i64) {
                None => return self.value(node, mix(label, KEY), value, middle),
                Some(entity) => {
                    if let Some(anchor) = self.graph.anchor(entity) {
                        return self.value(node, mix(label, mix(KEY, anchor)), value, middle);
                    }
                }
            }
        }
        if !terms.has_names(value) {
            let end = middle + terms.len(value, words, middle);
            self.member(node, hash(mix(label, VALUE), &words[middle..end]), key, at);
            return end;
        }
        let entry = self.graph.part(node, mix(label, MEMBER), VALUE);
        self.value(entry, KEY, key, at);
        self.value(entry, VALUE, value, middle)
    }
}

fn hash(label: u64, words: &[u64]) -> u64 {
    words.iter().fold(label, |hash, &word| mix(hash, word))
}
