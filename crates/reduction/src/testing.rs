//! Analyses with seeded errors, one each. Tests must notice them.

use std::collections::BTreeSet;

use engine::OverEngine;
use ir::Program;
use state::{ObjectId, ThreadId};

use crate::analysis::{Analysis, Blind, Observed};
use crate::footprint::{COUNT, RENDEZVOUS, UseKind};
use crate::owners::{Owner, Owners};

/// The objects that only a thread can reach, as determined when its steps are judged.
pub fn own_objects<S: OverEngine>(system: &S, state: &S::State, thread: ThreadId) -> BTreeSet<ObjectId> {
    let concrete = system.concrete(state);
    let mentions = |object, visit: &mut dyn FnMut(_, _)| system.mentions(state, object, visit);
    let owners = Owners::new(system.layout(), concrete, &mentions, Blind::default());
    let objects = (0..concrete.object_limit()).map(ObjectId).filter(|&id| concrete.object_at(id).is_some());
    objects.filter(|&object| owners.owner(object, thread, &|_, _| false) == Owner::Own).collect()
}

/// The seeded errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeded {
    /// Steps of other threads may be postponed for ever.
    NoProviso,
    /// A variable that rises on some path through a loop is taken to rise on all of them.
    NoFalls,
    /// A thread that leaves a sticky location other than by messages is taken not to come back.
    NoWays,
    /// Messages in the middle of a step are not examined.
    NoLaterMessages,
    /// Threads are taken not to wait in the middle of an atomic block.
    NoWaits,
    /// What properties read is changed in any order.
    NoVisibility,
    /// Other threads may write what a step reads.
    NoWrites,
    /// Tests of channels are ignored.
    NoPolls,
    /// Conditions on channels for which threads wait are ignored.
    NoAwaits,
    /// What threads do if they cannot send or receive is ignored.
    NoSensing,
    /// What threads do that do not exist yet is ignored.
    NoStarted,
    /// Claims of other threads are ignored.
    NoClaims,
    /// The removal of channels with their threads is ignored.
    NoEnds,
    /// Threads end whatever other threads may do to their channels.
    NoEnded,
    /// The number of threads is ignored.
    NoCount,
    /// Threads that wait for a rendezvous are ignored.
    NoRendezvous,
    /// All threads may send to the same channel.
    NoSenders,
    /// All threads may receive from the same channel.
    NoReceivers,
    /// Objects to which variables of other threads lead are not taken for shared.
    NoFrames,
    /// Objects to which globals lead are not taken for shared.
    NoGlobals,
    /// Objects in collections are not taken for shared.
    NoValues,
    /// Assumptions about the heap are not checked.
    NoBreaches,
    /// What guards read is ignored.
    NoGuards,
    /// Tests of whether a lock is free are ignored.
    NoLookers,
    /// Objects are taken not to be deleted by other threads.
    NoDeletions,
    /// Any thread may drop the last reference to an object.
    NoLosses,
    /// Channels that are objects are taken to belong to the thread that uses them.
    NoChannelOwners,
    /// Threads are taken not to be moved by others that send by hand.
    NoHands,
}

impl Seeded {
    /// The errors about objects.
    pub const HEAP: &[Self] = &[
        Self::NoProviso,
        Self::NoVisibility,
        Self::NoFrames,
        Self::NoGlobals,
        Self::NoValues,
        Self::NoBreaches,
        Self::NoGuards,
        Self::NoLookers,
        Self::NoDeletions,
        Self::NoLosses,
        Self::NoChannelOwners,
        Self::NoHands,
    ];

    /// The errors about processes and channels.
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

    /// The analysis of a program with this error.
    pub fn analysis(self, program: &Program, observed: &Observed<'_>) -> Analysis {
        let nothing = Observed::default();
        let observed = if self == Self::NoVisibility { &nothing } else { observed };
        let blind = Blind {
            proviso: self == Self::NoProviso,
            falls: self == Self::NoFalls,
            detours: self == Self::NoWays,
            later_messages: self == Self::NoLaterMessages,
            atomic_waits: self == Self::NoWaits,
            frames: self == Self::NoFrames,
            globals: self == Self::NoGlobals,
            values: self == Self::NoValues,
            guards: self == Self::NoGuards,
            breaches: self == Self::NoBreaches,
            deletions: self == Self::NoDeletions,
            losses: self == Self::NoLosses,
            channels: self == Self::NoChannelOwners,
            hands: self == Self::NoHands,
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
