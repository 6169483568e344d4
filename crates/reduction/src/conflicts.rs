//! Conflicts between candidates and futures, precomputed as far as locations determine them.
//!
//! Whether what a thread may still do interferes with a step from a candidate location is a question about
//! two locations: that of the step, and that of the other thread, in each of its frames. For each such pair
//! the answer is *yes*, *no*, or that it depends on which channels both use, which only a state can say
//! ([`View::may_use`](crate::channels::View::may_use)). A candidate without a chance is removed: one that the
//! proviso excludes, or with which some thread always interferes.
//!
//! Many candidates have the same conflicts, and many locations have the same future, so answers are given by
//! classes of both. Unless there are too many pairs of classes, the answers are in a table.

use bits::Components;
use ir::{Expr, ExprKind, Id, LocationId, LocationKind, ProcedureId, Program, Table, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Analysis, Candidate};
use crate::footprint::{COUNT, UseKind};
use crate::futures::Future;
use crate::sets::{SetId, Sets};

/// Up to this number of pairs of classes, the answers are in a table.
const MOST: usize = 1 << 20;

/// The conflicts, by the location of a candidate.
#[derive(Default)]
pub struct Conflicts {
    /// The class of each candidate that has a chance.
    class: Table<LocationId, Option<u32>>,
    classes: Vec<Interference>,
    /// By class of candidates and class of futures; empty if these are too many.
    answers: Vec<Answer>,
    /// The number of classes of futures.
    futures: usize,
    /// By kind of use: the uses that conflict with it.
    conflicting: [SetId; UseKind::EACH.len()],
}

/// Whether another thread at a location interferes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Answer {
    pub certain: bool,
    /// It depends on channels.
    pub open: bool,
}

/// What interferes with a candidate.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Interference {
    /// Another thread writes one of these resources, or reads one of these.
    writes: SetId,
    reads: SetId,
    /// Another thread changes what properties of states read.
    visible: bool,
    /// Another thread uses channels in one of these ways: those that certainly conflict, and those that
    /// depend on the state.
    certain: SetId,
    open: SetId,
}

impl Interference {
    fn by(&self, sets: &Sets, future: &Future) -> Answer {
        let meets = |uses| sets.intersects(future.own, uses) || sets.intersects(future.started, uses);
        if sets.intersects(future.writes, self.writes)
            || sets.intersects(future.reads, self.reads)
            || future.visible && self.visible
        {
            return Answer { certain: true, open: false };
        }
        Answer { certain: meets(self.certain), open: meets(self.open) }
    }
}

/// The uses that conflict with a kind of use, by what is known about their channels.
#[derive(Default)]
struct ConflictingUses {
    /// Uses of a channel that may be any.
    any: SetId,
    /// Uses of a channel that depends on the state.
    unknown: SetId,
    /// By number: the uses of the channel that has this number from the start.
    first: FxHashMap<i64, SetId>,
    /// The union of the last two.
    not_any: SetId,
    all: SetId,
}

impl ConflictingUses {
    fn new(kind: UseKind, analysis: &mut Analysis) -> Self {
        let mut conflicting = Self::default();
        let Analysis { uses, sets, first_numbers, .. } = analysis;
        for (at, found) in uses.iter().enumerate().filter(|(_, found)| kind.conflicts_with(found.kind)) {
            let list = match found.channel.as_ref().map(|channel| &channel.kind) {
                None => &mut conflicting.any,
                Some(&ExprKind::Channel(id)) => match first_numbers[id] {
                    Some(number) => conflicting.first.entry(number).or_default(),
                    None => &mut conflicting.unknown,
                },
                Some(_) => &mut conflicting.unknown,
            };
            *list = sets.with(*list, at);
            if found.channel.is_some() {
                conflicting.not_any = sets.with(conflicting.not_any, at);
            }
            conflicting.all = sets.with(conflicting.all, at);
        }
        conflicting
    }
}

impl Conflicts {
    /// The conflicts between the candidates and the futures of an analysis.
    pub fn new(analysis: &mut Analysis) -> Self {
        let conflicting = UseKind::EACH.map(|kind| ConflictingUses::new(kind, analysis));
        let mut conflicts = Self {
            futures: analysis.futures.classes().len(),
            conflicting: std::array::from_fn(|kind| conflicting[kind].all),
            ..Self::default()
        };
        let mut known = FxHashMap::default();
        let classes = analysis.classes;
        let ids: Vec<LocationId> = analysis.program.locations.ids().collect();
        for id in ids {
            let Analysis { program, candidates, sets, first_numbers, .. } = &mut *analysis;
            let is_one = |found: &&Candidate| classes.permit(found) && may_leave(program, id, found);
            let class = candidates[id].as_ref().filter(is_one).map(|candidate| {
                let Candidate { settled: writes, writes: reads, visible, .. } = *candidate;
                let mut interference =
                    Interference { writes, reads, visible, certain: SetId::EMPTY, open: SetId::EMPTY };
                for (kind, channel) in candidate.uses(program, id) {
                    // What conflicts with a thread that waits depends on the state.
                    if matches!(kind, UseKind::Await { .. }) && kind.number() != UseKind::Poll.number() {
                        let all = conflicting[UseKind::Poll.number()].all;
                        interference.open = sets.union(interference.open, all);
                        continue;
                    }
                    let conflicting = &conflicting[kind.number()];
                    let number = match channel.kind {
                        ExprKind::Channel(id) => first_numbers[id],
                        _ => None,
                    };
                    let (certain, open) = match number {
                        Some(number) => {
                            let same = conflicting.first.get(&number).copied().unwrap_or_default();
                            (sets.union(conflicting.any, same), conflicting.unknown)
                        }
                        None => (conflicting.any, conflicting.not_any),
                    };
                    interference.certain = sets.union(interference.certain, certain);
                    interference.open = sets.union(interference.open, open);
                }
                *known.entry(interference.clone()).or_insert_with(|| {
                    conflicts.classes.push(interference);
                    conflicts.classes.len() as u32 - 1
                })
            });
            conflicts.class.push(class);
        }
        let pairs = conflicts.classes.len().checked_mul(conflicts.futures);
        if pairs.is_some_and(|pairs| pairs <= MOST) {
            let futures = || analysis.futures.classes().iter();
            let classes = conflicts.classes.iter();
            conflicts.answers =
                classes.flat_map(|class| futures().map(|future| class.by(&analysis.sets, future))).collect();
        }
        conflicts.drop_obstructed(analysis);
        conflicts
    }

    /// Removes the candidates with which some thread always interferes: a thread that exists from the start,
    /// never ends, and conflicts wherever it is.
    fn drop_obstructed(&mut self, analysis: &Analysis) {
        let permanent = PermanentThreads::all(analysis);
        // By class of candidates: the first two groups of threads that always conflict.
        let obstacles: Vec<Vec<&PermanentThreads>> = (0..self.classes.len())
            .map(|class| {
                let row = Row { conflicts: self, analysis, class };
                let is_obstacle = |threads: &&PermanentThreads| {
                    threads.last.iter().all(|&future| row.at_class(future).certain)
                };
                permanent.iter().filter(is_obstacle).take(2).collect()
            })
            .collect();
        for id in analysis.program.locations.ids() {
            let procedure = analysis.program.locations[id].procedure;
            let is_obstructed = |class: u32| {
                let mut obstacles = obstacles[class as usize].iter();
                obstacles.any(|threads| threads.count > usize::from(threads.procedure == procedure))
            };
            self.class[id].take_if(|class| is_obstructed(*class));
        }
    }

    /// The number of locations that may have ample steps.
    pub fn candidates(&self, program: &Program) -> usize {
        let is_plain = |id: LocationId| program.locations[id].kind == LocationKind::Plain;
        self.class.iter().filter(|(id, class)| class.is_some() && is_plain(*id)).count()
    }

    /// Whether a location is a candidate that has a chance.
    pub fn have(&self, location: LocationId) -> bool {
        self.class[location].is_some()
    }

    /// The row of a location; `None` if it is not a candidate that has a chance.
    #[inline]
    pub fn row<'a>(&'a self, analysis: &'a Analysis, location: LocationId) -> Option<Row<'a>> {
        self.class[location].map(|class| Row { conflicts: self, analysis, class: class as usize })
    }

    /// Visits the uses in `uses` that conflict with this kind, until `is_one` returns true. Returns whether
    /// it did.
    pub fn any_conflicting(
        &self,
        sets: &Sets,
        kind: UseKind,
        uses: SetId,
        mut is_one: impl FnMut(usize) -> bool,
    ) -> bool {
        sets.any_common(uses, self.conflicting[kind.number()], &mut is_one)
    }
}

/// The answers about one candidate.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    conflicts: &'a Conflicts,
    analysis: &'a Analysis,
    class: usize,
}

impl Row<'_> {
    /// Whether a thread at a location interferes.
    #[inline]
    pub fn at(self, location: LocationId) -> Answer {
        self.at_class(self.analysis.futures.class(location))
    }

    #[inline]
    fn at_class(self, future: usize) -> Answer {
        match self.conflicts.answers.get(self.class * self.conflicts.futures + future) {
            Some(&answer) => answer,
            None => self.compare(future),
        }
    }

    #[cold]
    fn compare(self, future: usize) -> Answer {
        let future = &self.analysis.futures.classes()[future];
        self.conflicts.classes[self.class].by(&self.analysis.sets, future)
    }
}

/// Whether the proviso allows a thread to leave a location by ample steps: if the location is sticky, all its
/// transitions must be messages from or to other threads, or detours.
fn may_leave(program: &Program, location: LocationId, candidate: &Candidate) -> bool {
    if !candidate.sticky {
        return true;
    }
    let is_message = |kind| matches!(kind, UseKind::Receive { keep: false, .. } | UseKind::Send { .. });
    let operations = candidate.operations.iter().filter(|operation| is_message(operation.kind));
    let messages: FxHashSet<TransitionId> = operations.filter_map(|operation| operation.transition).collect();
    let mut ways = program.locations[location].transitions.iter();
    program.features.thread_ids_observable
        && ways.all(|id| messages.contains(id) || candidate.detours.contains(id))
}

/// Threads of one procedure that exist from the start and never end.
struct PermanentThreads {
    procedure: ProcedureId,
    count: usize,
    /// The classes of futures in which the threads may stay for ever. Wherever a thread is, its future
    /// includes one of these.
    last: Vec<usize>,
}

impl PermanentThreads {
    fn all(analysis: &Analysis) -> Vec<Self> {
        let program = &analysis.program;
        let successors = &analysis.flow.successors;
        let mut count = vec![0; program.procedures.len()];
        program.active.iter().for_each(|procedure| count[procedure.index()] += 1);
        let parts = Components::of_graph(successors);
        let mut is_left = vec![false; parts.count];
        for (from, targets) in successors.iter().enumerate() {
            is_left[parts.of[from]] |= targets.iter().any(|&to| parts.of[to] != parts.of[from]);
        }
        let mut is_known = vec![false; successors.len()];
        let mut all = Vec::new();
        for (id, procedure) in program.procedures.iter() {
            let entry = procedure.entry;
            let may_end = analysis.sets.contains(analysis.futures.at(entry).writes, COUNT);
            if count[id.index()] == 0 || may_end {
                continue;
            }
            let mut last = Vec::new();
            let mut open = vec![entry.index()];
            is_known[entry.index()] = true;
            while let Some(at) = open.pop() {
                if !is_left[parts.of[at]] {
                    last.push(analysis.futures.class(LocationId::from_index(at)));
                }
                open.extend(successors[at].iter().filter(|&&to| !std::mem::replace(&mut is_known[to], true)));
            }
            last.sort_unstable();
            last.dedup();
            all.push(Self { procedure: id, count: count[id.index()], last });
        }
        all
    }
}

impl Candidate {
    /// The operations on channels, including the ends of claims and of channels.
    pub fn uses<'a>(
        &'a self,
        program: &'a Program,
        location: LocationId,
    ) -> impl Iterator<Item = (UseKind, &'a Expr)> {
        let procedure = &program.procedures[program.locations[location].procedure];
        let claims = procedure.claims.iter().filter(|_| self.ends).map(|claim| {
            (if claim.receive { UseKind::ClaimReceive } else { UseKind::ClaimSend }, &claim.channel)
        });
        let operations = self.operations.iter().map(|operation| (operation.kind, &operation.channel));
        operations.chain(claims).chain(self.ended.iter().map(|channel| (UseKind::End, channel)))
    }
}
