//! Analyses that are wrong, each in one way. Tests that do not notice are worth nothing.

use std::collections::BTreeSet;

use engine::OverEngine;
use ir::Program;
use state::{ObjectId, ThreadId};

use crate::analysis::{Analysis, Blind, Observed};
use crate::footprint::{COUNT, RENDEZVOUS, UseKind};
use crate::owners::{Owner, Owners};

/// The objects that only a thread can reach, as they are known when its steps are judged.
pub fn own_objects<S: OverEngine>(system: &S, state: &S::State, thread: ThreadId) -> BTreeSet<ObjectId> {
    let concrete = system.concrete(state);
    let mentions = |object, visit: &mut dyn FnMut(_, _)| system.mentions(state, object, visit);
    let owners = Owners::new(system.layout(), concrete, &mentions, Blind::default());
    let objects = (0..concrete.object_limit()).map(ObjectId).filter(|&id| concrete.object_at(id).is_some());
    objects.filter(|&object| owners.owner(object, thread, &|_, _| false) == Owner::Own).collect()
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeded {
    /// Steps of others are put off for ever.
    NoProviso,
    /// What rises on some way through a loop rises on all of them.
    NoFalls,
    /// Whoever leaves a sticky location otherwise than by messages does not come back.
    NoWays,
    /// Messages in the middle of a step need no looking at.
    NoLaterMessages,
    /// Nobody waits in the middle of an atomic block.
    NoWaits,
    /// What properties read is changed in any order.
    NoVisibility,
    /// Others may write what a step reads.
    NoWrites,
    /// It does not matter who asks about channels.
    NoPolls,
    /// Nor what they wait for.
    NoAwaits,
    /// Nor what they do if they can't send or receive.
    NoSensing,
    /// Nor what threads do that do not exist yet.
    NoStarted,
    /// Nor what others claim.
    NoClaims,
    /// Nor that channels go with their threads.
    NoEnds,
    /// Threads end whatever others may do to their channels.
    NoEnded,
    /// Nor how many threads there are.
    NoCount,
    /// Nor who waits for a message.
    NoRendezvous,
    /// All may send to the same channel.
    NoSenders,
    /// All may receive from the same channel.
    NoReceivers,
    /// What others' variables lead to is not shared.
    NoFrames,
    /// Nor what globals lead to.
    NoGlobals,
    /// Nor what is in collections.
    NoValues,
    /// What is assumed about the heap is not checked.
    NoBreaches,
    /// What guards read does not matter.
    NoGuards,
    /// Nobody looks whether a lock is free.
    NoLookers,
}

impl Seeded {
    /// Those about objects.
    pub const HEAP: &[Self] = &[
        Self::NoProviso,
        Self::NoVisibility,
        Self::NoFrames,
        Self::NoGlobals,
        Self::NoValues,
        Self::NoBreaches,
        Self::NoGuards,
        Self::NoLookers,
    ];

    /// Those about processes and channels.
    pub const NUMBERED: &[Self] = &[
        Self::NoProviso,
        Self::NoFalls,
        Self::NoWays,
        Self::NoLaterMessages,
        Self::NoWaits,
        Self::NoVisibility,
        Self::NoWrites,
        Self::NoPolls,
        Self::NoAwaits,
        Self::NoSensing,
        Self::NoStarted,
        Self::NoClaims,
        Self::NoEnds,
        Self::NoEnded,
        Self::NoCount,
        Self::NoRendezvous,
        Self::NoSenders,
        Self::NoReceivers,
    ];

    /// The analysis of a program with this soft_fault.
    pub fn analysis(self, program: &Program, observed: &Observed<'_>) -> Analysis {
        let nothing = Observed::default();
        let observed = if self == Self::NoVisibility { &nothing } else { observed };
        let blind = Blind {
            proviso: self == Self::NoProviso,
            falls: self == Self::NoFalls,
            ways: self == Self::NoWays,
            later: self == Self::NoLaterMessages,
            amid: self == Self::NoWaits,
            frames: self == Self::NoFrames,
            globals: self == Self::NoGlobals,
            values: self == Self::NoValues,
            guards: self == Self::NoGuards,
            breaches: self == Self::NoBreaches,
        };
        let mut analysis = Analysis::build(program, observed, blind);
        let ignores = |kind: UseKind| match self {
            Self::NoPolls => matches!(kind, UseKind::Poll | UseKind::Await { .. }),
            Self::NoAwaits => matches!(kind, UseKind::Await { .. }),
            Self::NoClaims => matches!(kind, UseKind::ClaimSend | UseKind::ClaimReceive),
            Self::NoEnds => kind == UseKind::End,
            Self::NoSenders => matches!(kind, UseKind::Send { .. }),
            Self::NoReceivers => matches!(kind, UseKind::Receive { .. }),
            _ => false,
        };
        let kept: Vec<bool> = analysis.uses.iter().map(|found| !ignores(found.kind)).collect();
        let Analysis { futures, sets, .. } = &mut analysis;
        for future in futures.classes_mut() {
            future.own = sets.filter(future.own, |at| kept[at]);
            future.started = sets.filter(future.started, |at| kept[at] && self != Self::NoStarted);
            let writes = |bit: usize| match self {
                Self::NoWrites => false,
                Self::NoCount => bit != COUNT,
                Self::NoRendezvous => bit != RENDEZVOUS,
                _ => true,
            };
            future.writes = sets.filter(future.writes, writes);
            future.reads = sets.filter(future.reads, |bit| writes(bit) || self == Self::NoWrites);
        }
        if self == Self::NoEnded {
            analysis.candidates.values_mut().flatten().for_each(|candidate| candidate.ended.clear());
        }
        analysis.discipline.releases |= self == Self::NoLookers;
        if self == Self::NoSensing {
            for found in &mut analysis.uses {
                match &mut found.kind {
                    UseKind::Send { sensed, .. } | UseKind::Receive { sensed, .. } => *sensed = false,
                    _ => {}
                }
            }
        }
        analysis.tabulate();
        analysis
    }
}
