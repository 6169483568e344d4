//! What threads may still do, by location.
//!
//! The future of a location consists of what is done there, and of the futures of its successors. So all
//! locations of a strongly connected component of the control flow have the same future, and components are
//! processed after those to which they lead. Along the control flow, sets change little and share what they
//! have in common (`sets`). Locations with the same future form a class: there are few classes, and
//! comparisons with futures are made by class.

use bits::Components;
use ir::{Id, LocationId, Table, TransitionId};
use rustc_hash::FxHashMap;

use crate::analysis::{Candidate, Operation};
use crate::flow::Flow;
use crate::footprint::{Footprint, Resources, Use, UseKind};
use crate::sets::{SetId, Sets};

/// What a thread may still do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Future {
    pub reads: SetId,
    pub writes: SetId,
    /// Uses of channels by the thread itself, and by the threads that it starts.
    pub own: SetId,
    pub started: SetId,
    /// The thread's own uses of channels by which it may leave sticky locations.
    pub sticky: SetId,
    /// It may change what properties of states read.
    pub visible: bool,
}

/// The futures of all locations.
pub struct Futures {
    /// The class of each location.
    class: Table<LocationId, u32>,
    classes: Vec<Future>,
}

/// What is done at one location.
#[derive(Clone, Copy, Default, Debug)]
pub struct Done {
    pub reads: SetId,
    pub writes: SetId,
    pub visible: bool,
}

/// All uses of channels, with their numbers.
#[derive(Default)]
struct Uses {
    all: Vec<Use>,
    numbers: FxHashMap<Use, usize>,
}

impl Uses {
    fn number(&mut self, found: &Use) -> usize {
        let found = found.anywhere();
        *self.numbers.entry(found).or_insert_with_key(|found| {
            self.all.push(found.clone());
            self.all.len() - 1
        })
    }
}

impl Futures {
    pub fn new(
        resources: &Resources<'_>,
        flow: &Flow,
        transitions: &Table<TransitionId, Footprint>,
        resumes: &Table<LocationId, Footprint>,
        done: &[Done],
        candidates: &Table<LocationId, Option<Candidate>>,
        sets: &mut Sets,
    ) -> (Self, Vec<Use>) {
        let program = resources.program;
        let mut uses = Uses::default();
        // A procedure has the same claims at all locations.
        let mut claims = Vec::new();
        for (id, procedure) in program.procedures.iter() {
            let numbers = procedure.claims.iter().map(|claim| {
                let kind = if claim.receive { UseKind::ClaimReceive } else { UseKind::ClaimSend };
                uses.number(&Use { kind, procedure: id, channel: Some(resources.channel(&claim.channel)) })
            });
            claims.push(sets.of(numbers));
        }
        let mut own = Vec::with_capacity(program.locations.len());
        for (id, location) in program.locations.iter() {
            let of_transitions = location.transitions.iter().map(|&transition| &transitions[transition]);
            let mut used = SetId::EMPTY;
            for found in of_transitions.chain([&resumes[id]]).flat_map(|footprint| &footprint.uses) {
                used = sets.with(used, uses.number(found));
            }
            let mut sticky = SetId::EMPTY;
            for candidate in candidates[id].iter().filter(|candidate| candidate.sticky) {
                for Operation { kind, channel, .. } in &candidate.operations {
                    let channel = Some(channel.clone());
                    let found = Use { kind: *kind, procedure: location.procedure, channel };
                    sticky = sets.with(sticky, uses.number(&found));
                }
            }
            own.push((sets.union(used, claims[location.procedure.index()]), sticky));
        }
        // What a thread does itself.
        let goes: Vec<Vec<usize>> = (flow.successors.iter().zip(&flow.inward))
            .map(|(to, inward)| to.iter().chain(inward).copied().collect())
            .collect();
        close(&goes, &mut own, |(own, sticky), next| {
            *own = sets.union(*own, next.0);
            *sticky = sets.union(*sticky, next.1);
        });
        // What the thread and the threads that it starts do.
        let mut leads = goes;
        let mut all = Vec::with_capacity(done.len());
        for ((at, starts), &done) in flow.starts.iter().enumerate().zip(done) {
            let started = starts.iter().fold(SetId::EMPTY, |set, &entry| sets.union(set, own[entry].0));
            all.push((done, started));
            leads[at].extend_from_slice(starts);
        }
        close(&leads, &mut all, |(done, started), next| {
            done.reads = sets.union(done.reads, next.0.reads);
            done.writes = sets.union(done.writes, next.0.writes);
            done.visible |= next.0.visible;
            *started = sets.union(*started, next.1);
        });
        let futures = all.into_iter().zip(own).map(|((done, started), (own, sticky))| {
            let Done { reads, writes, visible } = done;
            Future { reads, writes, own, started, sticky, visible }
        });
        let mut known = FxHashMap::default();
        let mut classes = Vec::new();
        let class = futures.map(|future| {
            *known.entry(future).or_insert_with(|| {
                classes.push(future);
                classes.len() as u32 - 1
            })
        });
        let class = class.collect();
        (Self { class, classes }, uses.all)
    }

    /// The future of a thread at a location.
    pub fn at(&self, location: LocationId) -> &Future {
        &self.classes[self.class[location] as usize]
    }

    /// The number of the class of a location: locations with the same future have the same number.
    #[inline]
    pub fn class(&self, location: LocationId) -> usize {
        self.class[location] as usize
    }

    /// The future of each class.
    pub fn classes(&self) -> &[Future] {
        &self.classes
    }

    #[cfg(feature = "testing")]
    pub fn classes_mut(&mut self) -> &mut [Future] {
        &mut self.classes
    }
}

/// Adds to each node of a graph the values of all nodes that can be reached from it.
pub fn close<T: Copy>(successors: &[Vec<usize>], values: &mut [T], mut add: impl FnMut(&mut T, &T)) {
    let components = Components::of_graph(successors);
    let mut members = vec![Vec::new(); components.count];
    for (node, &component) in components.of.iter().enumerate() {
        members[component].push(node);
    }
    // Components come after those to which they lead.
    for (component, members) in members.iter().enumerate() {
        let mut all = values[members[0]];
        members[1..].iter().for_each(|&node| add(&mut all, &values[node]));
        for &node in members {
            for &to in successors[node].iter().filter(|&&to| components.of[to] != component) {
                add(&mut all, &values[to]);
            }
        }
        for &node in members {
            values[node] = all;
        }
    }
}
