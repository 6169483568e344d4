//! The canonical order of what can be permuted, from scratch for each state.
//!
//! The individuals that move are the nodes of a graph: their data are labels, and who mentions whom are edges. Individuals
//! that do not move are data. States of one orbit have isomorphic graphs. What hashes decide here is only which
//! state represents others: a permutation that the plan allows is right whatever it is.

use canon::{Canonizer, Graph, Options};
use ir::{LocationId, Permutation, Sort};
use state::{Layout, NodeRef, ObjectId, Slot, State, ThreadId};

use crate::cells::{ArrayCells, Cells, Points, UnitCells};

/// Mixes two words.
const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xd6e8_feb8_6659_fd93) as u128;
    product as u64 ^ (product >> 64) as u64 ^ a.rotate_left(32) ^ b
}

/// Hashes of what an edge or label is for.
const GLOBAL: u64 = 1;
const LOCAL: u64 = 2;
const MESSAGE: u64 = 3;
const TRAIN: u64 = 4;
const PLACE: u64 = 5;
const ALONE: u64 = 6;
const LAST: u64 = 7;
const LINK: u64 = 8;
const CODED: u64 = 9;

/// Puts states in order. Keeps its memory from call to call.
#[derive(Debug, Default)]
pub struct Order {
    graph: Graph,
    canonizer: Canonizer,
    /// By individual: its node, if it moves.
    nodes: Vec<u32>,
    /// By node: what is known of it in some order, and the sum of what is known in none.
    labels: Vec<u64>,
    sums: Vec<u64>,
    /// By node: its position.
    positions: Vec<u32>,
    members: Vec<(u64, u32)>,
    /// By mover: where it goes.
    moved: Vec<u32>,
    /// The individuals that an element of an array is about.
    involved: Vec<u32>,
    /// Whether the last order was found without a search that ran out of budget.
    pub is_canonical: bool,
    pub searched: bool,
}

const NONE: u32 = u32::MAX;

impl Order {
    /// Makes a permutation the one that leads to the representative of the state's orbit.
    pub fn permute(&mut self, layout: &Layout, state: &State, cells: &Cells, into: &mut Permutation) {
        self.build(layout, state, cells);
        (self.is_canonical, self.searched) = (true, false);
        let has_edges = !self.graph.edges().is_empty();
        if has_edges {
            let ordered = self.canonizer.order(&self.graph, Options::default());
            (self.is_canonical, self.searched) = (ordered.canonical, ordered.searched);
            self.positions.clear();
            self.positions.extend_from_slice(self.canonizer.position());
        }
        let Self { moved, members, nodes, positions, graph, .. } = self;
        moved.clear();
        moved.resize(nodes.len(), NONE);
        for class in &cells.plan.classes {
            members.clear();
            members.extend(class.iter().map(|&mover| {
                let node = nodes[mover as usize] as usize;
                (if has_edges { positions[node].into() } else { graph.labels()[node] }, mover)
            }));
            members.sort_unstable();
            for (&(_, mover), &to) in members.iter().zip(class) {
                moved[mover as usize] = to;
            }
        }
        if !cells.plan.links.is_empty() {
            cells.straighten(moved);
        }
        cells.plan.permute(|mover| moved[mover as usize], into);
    }

    fn build(&mut self, layout: &Layout, state: &State, cells: &Cells) {
        self.nodes.clear();
        self.nodes.resize(cells.moves.len(), NONE);
        self.labels.clear();
        let mut count = 0;
        for (node, &moves) in self.nodes.iter_mut().zip(&cells.moves) {
            if moves {
                *node = count;
                count += 1;
            }
        }
        self.labels.resize(count as usize, 0);
        self.sums.clear();
        self.sums.resize(count as usize, 0);
        self.graph.clear();
        for (class, number) in cells.plan.classes.iter().zip(1..) {
            for &mover in class {
                self.labels[self.nodes[mover as usize] as usize] = number;
                for (&channel, at) in cells.plan.trains[mover as usize].channels.iter().zip(0..) {
                    self.labels[self.nodes[channel as usize] as usize] = mix(number, at + 1);
                    self.edge(mover, mix(TRAIN, at), channel);
                }
                let points = cells.plan.trains[mover as usize].points.iter().zip(0..);
                for (&point, at) in points.filter(|&(&point, _)| point != mover) {
                    self.labels[self.nodes[point as usize] as usize] = mix(number, mix(CODED, at));
                    self.edge(mover, mix(CODED, at), point);
                }
            }
        }
        for link in &cells.plan.links {
            self.edge(link.source, mix(LINK, link.label.into()), link.target);
        }
        let root = state.words_of(NodeRef::Root).unwrap_or_default();
        self.unit(cells, &cells.root, GLOBAL, None, root);
        self.coded(cells, root);
        let mut mark = |slot: Option<Slot>, shift: i64, what: u64| {
            let slot = slot?;
            let mover = cells.mover(Sort::Thread { shift }, slot.get(root))?;
            self.note(mover, what);
            Some(())
        };
        mark(layout.exclusive, -1, ALONE);
        mark(layout.last, 0, LAST);
        for thread in 0..cells.thread_count() as u32 {
            let words = state.words_of(NodeRef::Thread(ThreadId(thread))).unwrap_or_default();
            let header = layout.thread.len();
            let (head, frame) = words.split_at(header);
            let location = LocationId(layout.location.get(frame) as u32);
            let moves = cells.moves[thread as usize];
            if moves {
                for &word in head {
                    self.note_in_order(thread, word);
                }
            }
            match cells.located[location.0 as usize] {
                Some((mover, at)) if moves => self.edge(thread, mix(PLACE, at.into()), mover),
                // It is at a place of its own: the mover is told apart by that.
                Some((mover, at)) => self.note(mover, mix(mix(PLACE, at.into()), thread.into())),
                None if moves => self.note_in_order(thread, location.0.into()),
                None => {}
            }
            if cells.ended[location.0 as usize] {
                continue;
            }
            let of = &cells.frames[layout.procedure_of[location]];
            self.unit(cells, of, LOCAL, Some(thread), frame);
        }
        for number in 0..cells.plan.population.channels.len() as u32 {
            let words = state.words_of(NodeRef::Object(ObjectId(number))).unwrap_or_default();
            let state::ObjectKind::Channel(declared) = layout.kind(layout.tag.get(words)) else { continue };
            let shape = &layout.channels[declared];
            let channel = cells.thread_count() as u32 + number;
            let of = &cells.channels[declared];
            if cells.moves[channel as usize] {
                for (word, mask) in words.iter().zip(&of.data) {
                    self.note_in_order(channel, word & mask);
                }
            }
            let length = shape.length.get(words) as u64;
            for cell in of.cells.iter().filter(|cell| cell.place >> 16 < length) {
                let value = cell.slot.get(words);
                self.mention(cells, Some(channel), mix(MESSAGE, cell.place), cell.sort, value);
            }
        }
        for (&label, &sum) in self.labels.iter().zip(&self.sums) {
            self.graph.add_node(mix(label, sum));
        }
    }

    /// What coded variables hold: values that threads name are nodes; others have an order.
    fn coded(&mut self, cells: &Cells, root: &[u64]) {
        let moves = |node: u32| cells.moves.get(node as usize) == Some(&true);
        for of in &cells.coded {
            for (slot, Points { element, values }) in of.slots.iter().zip(&of.points) {
                let value = slot.get(root);
                let named = values.iter().find(|&&(other, _)| other == value);
                if let Some(&(_, node)) = named {
                    if moves(node) {
                        self.note(node, CODED);
                    }
                } else if let Some(element) = element.filter(|&element| moves(element)) {
                    let before = values.iter().filter(|&&(other, _)| other < value).count() as i64;
                    self.note(element, mix(CODED, (value - before) as u64));
                }
            }
        }
    }

    /// Adds to the label of an individual; what is added has no order.
    fn note(&mut self, individual: u32, what: u64) {
        let sum = &mut self.sums[self.nodes[individual as usize] as usize];
        *sum = sum.wrapping_add(mix(what, 0));
    }

    fn note_in_order(&mut self, individual: u32, what: u64) {
        let label = &mut self.labels[self.nodes[individual as usize] as usize];
        *label = mix(*label, what);
    }

    fn edge(&mut self, source: u32, label: u64, target: u32) {
        let (source, target) = (self.nodes[source as usize], self.nodes[target as usize]);
        self.graph.add_edge(source, (label ^ label >> 32) as u32, target);
    }

    /// What a unit has in a place: the unit is that of an individual, if it moves.
    fn mention(&mut self, cells: &Cells, unit: Option<u32>, place: u64, sort: Sort, value: i64) {
        let owner = unit.filter(|&unit| cells.moves[unit as usize]);
        // Units that do not move are places of their own.
        let place =
            if owner.is_none() { mix(place, unit.map_or(0, |unit| u64::from(unit) + 1)) } else { place };
        match (owner, cells.mover(sort, value)) {
            (Some(owner), Some(target)) => self.edge(owner, place, target),
            (Some(owner), None) => self.note(owner, mix(place, value as u64)),
            (None, Some(target)) => self.note(target, place),
            (None, None) => {}
        }
    }

    fn unit(&mut self, cells: &Cells, of: &UnitCells, kind: u64, unit: Option<u32>, words: &[u64]) {
        if let Some(unit) = unit.filter(|&unit| cells.moves[unit as usize]) {
            for (word, mask) in words.iter().zip(&of.data) {
                self.note_in_order(unit, word & mask);
            }
        }
        for cell in &of.cells {
            self.mention(cells, unit, mix(kind, cell.place), cell.sort, cell.slot.get(words));
        }
        for array in &of.arrays {
            self.array(cells, array, kind, unit, words);
        }
    }

    fn array(&mut self, cells: &Cells, of: &ArrayCells, kind: u64, unit: Option<u32>, words: &[u64]) {
        let owner = unit.filter(|&unit| cells.moves[unit as usize]);
        let size: usize = of.dims.iter().map(|&len| len as usize).product();
        let mut involved = std::mem::take(&mut self.involved);
        for at in 0..size {
            let value = of.array.slot(at as u32).get(words);
            involved.clear();
            involved.extend(owner);
            let mut place = mix(
                mix(kind, of.place),
                if owner.is_none() { unit.map_or(0, |unit| u64::from(unit) + 1) } else { 0 },
            );
            let mut rest = at;
            for (&len, &sort) in of.dims.iter().zip(&of.sorts.indices).rev() {
                let index = (rest % len as usize) as i64;
                rest /= len as usize;
                match cells.mover(sort, index) {
                    Some(mover) => involved.push(mover),
                    None => place = mix(place, index as u64 + 1),
                }
            }
            match cells.mover(of.sorts.value, value) {
                Some(target) => involved.push(target),
                None => place = mix(place, mix(value as u64, 1)),
            }
            match involved[..] {
                [] => {}
                [one] => self.note(one, place),
                [one, other] => self.edge(one, place, other),
                _ => {
                    let part = self.labels.len() as u32;
                    self.labels.push(mix(place, 2));
                    self.sums.push(0);
                    for (&individual, number) in involved.iter().zip(0..) {
                        self.graph.add_edge(part, number, self.nodes[individual as usize]);
                    }
                }
            }
        }
        self.involved = involved;
    }
}
