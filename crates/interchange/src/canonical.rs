//! The canonical order of what can be permuted, from scratch for each state.
//!
//! The individuals that move are the nodes of a graph: their data are labels, and who mentions whom are edges. Individuals
//! that do not move are data. States of one orbit have isomorphic graphs. What hashes decide here is only which
//! state represents others: a permutation that the plan allows is right whatever it is.
//!
//! Movers are sorted by hashes of what is known of them and their trains; that tells most of them apart. Then come
//! hashes of those whom they mention or are mentioned by, for a few rounds (`settle`). Movers that are still alike
//! when no round tells more apart, and neither mention each other nor are mentioned together, can be exchanged, so that
//! their order does not matter. What is left is rare, and is put in order by the canonizer of graphs (`search`).

use canon::{Canonizer, Graph, Options};
use ir::{LocationId, Permutation, Sort};
use state::{Layout, NodeRef, ObjectId, Slot, State, ThreadId};

use crate::cells::{ArrayCells, Cells, Points, UnitCells, mix};
use crate::group::Images;

/// Hashes of what an edge or label is for.
const PLACE: u64 = 5;
const ALONE: u64 = 6;
const LAST: u64 = 7;
const CODED: u64 = 9;
const ROUND: u64 = 10;
const BACK: u64 = 11;

/// Rounds after which the canonizer takes over.
const ROUNDS: usize = 4;

/// Puts states in order. Keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct Order {
    /// By node: what is known of it in some order, and the sum of what is known in none. Elements of arrays that are
    /// about more than two movers are nodes as well, behind those of movers and their trains.
    labels: Vec<u64>,
    sums: Vec<u64>,
    /// Who mentions whom, and how.
    edges: Vec<(u32, u64, u32)>,
    /// By node: the mover in whose train it is, with a hash of its position there, or itself.
    heads: Vec<(u32, u64)>,
    /// By node: what movers are sorted by, and what they will be in the next round.
    keys: Vec<u64>,
    next: Vec<u64>,
    /// By node: whether there are others like it.
    is_shared: Vec<bool>,
    /// Movers with their keys, in order, class by class.
    members: Vec<(u64, u32)>,
    /// By mover: where it goes.
    moved: Vec<u32>,
    images: Images,
    graph: Graph,
    canonizer: Canonizer,
    /// Whether the last order was found without a search that ran out of budget.
    pub is_canonical: bool,
    pub searched: bool,
}

impl Order {
    /// Makes a permutation the one that leads to the representative of the state's orbit.
    pub fn permute(&mut self, layout: &Layout, state: &State, cells: &Cells, into: &mut Permutation) {
        self.build(layout, state, cells);
        (self.is_canonical, self.searched) = (true, false);
        if !self.settle(cells) {
            self.search(cells);
        }
        let Self { moved, members, images, .. } = self;
        moved.resize(cells.nodes.len(), u32::MAX);
        let classes = cells.plan.classes.iter().flatten();
        for (&(_, mover), &to) in members.iter().zip(classes) {
            moved[mover as usize] = to;
        }
        if !cells.links.is_empty() {
            cells.plan.chain().straighten(moved, images);
        }
        cells.plan.permute(|mover| moved[mover as usize], into);
    }

    /// Sorts the members by hashes. Returns whether that is a canonical order.
    fn settle(&mut self, cells: &Cells) -> bool {
        self.keys.clear();
        self.keys.extend(self.labels.iter().zip(&self.sums).map(|(&label, &sum)| mix(label, sum)));
        self.heads.clear();
        self.heads.extend((0..self.keys.len() as u32).map(|node| (node, 0)));
        for &(mover, follower, at) in &cells.followers {
            let key = mix(self.keys[follower as usize], at);
            self.keys[mover as usize] = self.keys[mover as usize].wrapping_add(key);
            self.heads[follower as usize] = (mover, at);
        }
        let count: usize = cells.plan.classes.iter().map(Vec::len).sum();
        let mut known = self.sort(cells);
        if known == count || self.edges.is_empty() {
            return true;
        }
        for _ in 0..ROUNDS {
            let Self { keys, next, edges, heads, .. } = self;
            next.clear();
            next.extend(keys.iter().map(|&key| mix(key, ROUND)));
            for &(source, label, target) in &*edges {
                let ((from, at), (to, of)) = (heads[source as usize], heads[target as usize]);
                let label = mix(mix(label, at), of);
                let forth = mix(label, keys[to as usize]);
                let back = mix(label ^ BACK, keys[from as usize]);
                next[from as usize] = next[from as usize].wrapping_add(forth);
                next[to as usize] = next[to as usize].wrapping_add(back);
            }
            std::mem::swap(keys, next);
            let before = std::mem::replace(&mut known, self.sort(cells));
            if known == count {
                return true;
            }
            if known == before {
                let is_shared = |node: u32| {
                    let (head, _) = self.heads[node as usize];
                    // Elements of arrays are not compared.
                    (self.is_shared.get(head as usize).copied().unwrap_or(true), head)
                };
                return self.edges.iter().all(|&(source, _, target)| {
                    let ((is_source, source), (is_target, target)) = (is_shared(source), is_shared(target));
                    source == target || !is_source || !is_target
                });
            }
        }
        false
    }

    /// Sorts the members of each class by their keys. Returns how many keys there are.
    fn sort(&mut self, cells: &Cells) -> usize {
        let Self { keys, members, is_shared, .. } = self;
        members.clear();
        is_shared.clear();
        is_shared.resize(cells.labels.len(), false);
        let mut known = 0;
        for class in &cells.plan.classes {
            let start = members.len();
            members.extend(class.iter().map(|&mover| (keys[cells.nodes[mover as usize] as usize], mover)));
            let members = &mut members[start..];
            members.sort_unstable();
            known += members.len();
            for pair in members.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                known -= 1;
                for (_, mover) in pair {
                    is_shared[cells.nodes[*mover as usize] as usize] = true;
                }
            }
        }
        known
    }

    /// Sorts the members by their positions in the canonical order of the graph.
    fn search(&mut self, cells: &Cells) {
        let Self { graph, labels, sums, edges, .. } = self;
        graph.clear();
        for (&label, &sum) in labels.iter().zip(&*sums) {
            graph.add_node(mix(label, sum));
        }
        let followers = cells.followers.iter().map(|&(mover, follower, at)| (mover, at, follower));
        for (source, label, target) in edges.iter().copied().chain(followers) {
            graph.add_edge(source, (label ^ label >> 32) as u32, target);
        }
        let ordered = self.canonizer.order(&self.graph, Options::default());
        (self.is_canonical, self.searched) = (ordered.canonical, ordered.searched);
        self.keys.clear();
        self.keys.extend(self.canonizer.position().iter().map(|&position| u64::from(position)));
        self.sort(cells);
    }

    fn build(&mut self, layout: &Layout, state: &State, cells: &Cells) {
        self.labels.clone_from(&cells.labels);
        self.sums.clear();
        self.sums.resize(cells.labels.len(), 0);
        self.edges.clone_from(&cells.links);
        let root = state.words_of(NodeRef::Root).unwrap_or_default();
        self.unit(cells, &cells.root, (None, 0), root);
        self.coded(cells, root);
        let mut mark = |slot: Option<Slot>, shift: i64, what: u64| {
            let slot = slot?;
            let node = cells.named(Sort::Thread { shift }, slot.get(root))?;
            self.note(node, what);
            Some(())
        };
        mark(layout.exclusive, -1, ALONE);
        mark(layout.last, 0, LAST);
        for thread in 0..cells.thread_count() as u32 {
            let words = state.words_of(NodeRef::Thread(ThreadId(thread))).unwrap_or_default();
            let header = layout.thread.len();
            let (head, frame) = words.split_at(header);
            let location = LocationId(layout.location.get(frame) as u32);
            let node = cells.node(thread);
            if let Some(node) = node {
                for &word in head {
                    self.note_in_order(node, word);
                }
            }
            match (cells.located[location.0 as usize], node) {
                (Some((mover, at)), Some(node)) => self.edges.push((node, mix(PLACE, at.into()), mover)),
                // It is at a place of its own: the mover is told apart by that.
                (Some((mover, at)), None) => self.note(mover, mix(mix(PLACE, at.into()), thread.into())),
                (None, Some(node)) => self.note_in_order(node, location.0.into()),
                (None, None) => {}
            }
            if cells.ended[location.0 as usize] {
                continue;
            }
            let of = &cells.frames[layout.procedure_of[location]];
            self.unit(cells, of, (node, thread), frame);
        }
        for number in 0..cells.plan.population.channels.len() as u32 {
            let words = state.words_of(NodeRef::Object(ObjectId(number))).unwrap_or_default();
            let state::ObjectKind::Channel(declared) = layout.kind(layout.tag.get(words)) else { continue };
            let shape = &layout.channels[declared];
            let channel = cells.thread_count() as u32 + number;
            let of = &cells.channels[declared];
            let node = cells.node(channel);
            if let Some(node) = node {
                for (word, mask) in words.iter().zip(&of.data) {
                    self.note_in_order(node, word & mask);
                }
            }
            let length = shape.length.get(words) as u32;
            for cell in of.cells.iter().filter(|cell| cell.message < length) {
                self.mention(cells, (node, channel), cell.place, cell.sort, cell.slot.get(words));
            }
        }
    }

    /// What coded variables hold: values that threads name are nodes; others have an order.
    fn coded(&mut self, cells: &Cells, root: &[u64]) {
        for of in &cells.coded {
            for (slot, Points { element, values }) in of.slots.iter().zip(&of.points) {
                let value = slot.get(root);
                let named = values.iter().find(|&&(other, _)| other == value);
                if let Some(&(_, point)) = named {
                    if let Some(node) = cells.node(point) {
                        self.note(node, CODED);
                    }
                } else if let Some(node) = element.and_then(|element| cells.node(element)) {
                    let before = values.iter().filter(|&&(other, _)| other < value).count() as i64;
                    self.note(node, mix(CODED, (value - before) as u64));
                }
            }
        }
    }

    /// Adds to the label of a node; what is added has no order.
    fn note(&mut self, node: u32, what: u64) {
        let sum = &mut self.sums[node as usize];
        *sum = sum.wrapping_add(mix(what, 0));
    }

    fn note_in_order(&mut self, node: u32, what: u64) {
        let label = &mut self.labels[node as usize];
        *label = mix(*label, what);
    }

    /// What a unit has in a place: the unit is that of a node, if it moves, and otherwise has a number.
    fn mention(
        &mut self,
        cells: &Cells,
        (owner, unit): (Option<u32>, u32),
        place: u64,
        sort: Sort,
        value: i64,
    ) {
        match (owner, cells.named(sort, value)) {
            (Some(owner), Some(target)) => self.edges.push((owner, place, target)),
            (Some(owner), None) => self.note(owner, mix(place, value as u64)),
            // Units that do not move are places of their own.
            (None, Some(target)) => self.note(target, mix(place, unit.into())),
            (None, None) => {}
        }
    }

    fn unit(&mut self, cells: &Cells, of: &UnitCells, unit: (Option<u32>, u32), words: &[u64]) {
        if let (Some(node), _) = unit {
            for (word, mask) in words.iter().zip(&of.data) {
                self.note_in_order(node, word & mask);
            }
        }
        for cell in &of.cells {
            self.mention(cells, unit, cell.place, cell.sort, cell.slot.get(words));
        }
        for array in &of.arrays {
            self.array(cells, array, unit, words);
        }
    }

    fn array(&mut self, cells: &Cells, of: &ArrayCells, (owner, unit): (Option<u32>, u32), words: &[u64]) {
        for element in &of.elements {
            let value = element.slot.get(words);
            let target = cells.named(of.sorts.value, value);
            let place = match target {
                Some(_) => element.place,
                None => mix(element.place, value as u64),
            };
            let place = if owner.is_some() { place } else { mix(place, unit.into()) };
            match (owner, of.involved(element), target) {
                (None, &[], None) => {}
                (Some(one), &[], None) | (None, &[one], None) | (None, &[], Some(one)) => {
                    self.note(one, place);
                }
                (Some(one), &[other], None)
                | (Some(one), &[], Some(other))
                | (None, &[one], Some(other))
                | (None, &[one, other], None) => self.edges.push((one, place, other)),
                (_, involved, _) => {
                    let part = self.labels.len() as u32;
                    self.labels.push(mix(place, 2));
                    self.sums.push(0);
                    let involved = owner.into_iter().chain(involved.iter().copied()).chain(target);
                    self.edges.extend(involved.zip(0..).map(|(node, number)| (part, number, node)));
                }
            }
        }
    }
}
