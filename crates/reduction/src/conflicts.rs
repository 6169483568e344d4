//! What others stand in the way of, told beforehand as far as locations tell it.
//!
//! Whether what a thread may still do disturbs a step from a candidate location is a question about two locations: that of
//! the step, and that of the other thread, with each of its frames. For each such pair the answer is *yes*, *no*, or that it
//! depends on which channels both use, which only a state tells ([`View::may_use`](crate::channels::View::may_use)).
//! A candidate without a chance is none: one that the proviso excludes, or in whose way there is always somebody.
//!
//! Many candidates are disturbed by the same, and many locations have the same future, so answers are by classes of both.
//! Unless there are too many pairs of them, they are in a table.

use bits::Components;
use ir::{Expr, ExprKind, Id, LocationId, LocationKind, ProcedureId, Program, Table, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Analysis, Candidate};
use crate::footprint::{COUNT, UseKind};
use crate::futures::Future;
use crate::sets::{SetId, Sets};

/// So many pairs of classes have their answers in a table.
const MOST: usize = 1 << 20;

/// The answers, by the location of a candidate.
#[derive(Default)]
pub struct Conflicts {
    /// The class of each candidate that has a chance.
    class: Table<LocationId, Option<u32>>,
    classes: Vec<Disturbed>,
    /// By class of candidates and class of futures, unless these are too many.
    answers: Vec<Answer>,
    /// How many classes of futures there are.
    futures: usize,
    /// By kind of use: the uses that are in conflict with one.
    rivals: [SetId; UseKind::EACH.len()],
}

/// Whether others at a location are in the way.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Answer {
    pub certain: bool,
    /// It depends on channels.
    pub open: bool,
}

/// What a candidate is disturbed by.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Disturbed {
    /// That somebody writes these resources, or reads these.
    writes: SetId,
    reads: SetId,
    /// That somebody changes what properties of states read.
    visible: bool,
    /// That somebody uses channels like this, for certain and as the case may be.
    certain: SetId,
    open: SetId,
}

impl Disturbed {
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

/// The uses that are in conflict with one of some kind, by what is known about their channels.
#[derive(Default)]
struct Rivals {
    /// They may be of any.
    any: SetId,
    /// The state tells.
    unknown: SetId,
    /// They are of the one that has this number from the start.
    first: FxHashMap<i64, SetId>,
    /// Those of the last two.
    not_any: SetId,
    all: SetId,
}

impl Rivals {
    fn new(kind: UseKind, analysis: &mut Analysis) -> Self {
        let mut rivals = Self::default();
        let Analysis { uses, sets, first_numbers, .. } = analysis;
        for (at, found) in uses.iter().enumerate().filter(|(_, found)| kind.conflicts_with(found.kind)) {
            let list = match found.channel.as_ref().map(|channel| &channel.kind) {
                None => &mut rivals.any,
                Some(&ExprKind::Channel(id)) => match first_numbers[id] {
                    Some(number) => rivals.first.entry(number).or_default(),
                    None => &mut rivals.unknown,
                },
                Some(_) => &mut rivals.unknown,
            };
            *list = sets.with(*list, at);
            if found.channel.is_some() {
                rivals.not_any = sets.with(rivals.not_any, at);
            }
            rivals.all = sets.with(rivals.all, at);
        }
        rivals
    }
}

impl Conflicts {
    /// Of the candidates and futures of an analysis.
    pub fn new(analysis: &mut Analysis) -> Self {
        let rivals = UseKind::EACH.map(|kind| Rivals::new(kind, analysis));
        let mut conflicts = Self {
            futures: analysis.futures.classes().len(),
            rivals: std::array::from_fn(|kind| rivals[kind].all),
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
                let mut disturbed =
                    Disturbed { writes, reads, visible, certain: SetId::EMPTY, open: SetId::EMPTY };
                for (kind, channel) in candidate.uses(program, id) {
                    // What stands in the way of one that waits depends on the state.
                    if matches!(kind, UseKind::Await { .. }) && kind.number() != UseKind::Poll.number() {
                        let all = rivals[UseKind::Poll.number()].all;
                        disturbed.open = sets.union(disturbed.open, all);
                        continue;
                    }
                    let rivals = &rivals[kind.number()];
                    let number = match channel.kind {
                        ExprKind::Channel(id) => first_numbers[id],
                        _ => None,
                    };
                    let (certain, open) = match number {
                        Some(number) => {
                            let same = rivals.first.get(&number).copied().unwrap_or_default();
                            (sets.union(rivals.any, same), rivals.unknown)
                        }
                        None => (rivals.any, rivals.not_any),
                    };
                    disturbed.certain = sets.union(disturbed.certain, certain);
                    disturbed.open = sets.union(disturbed.open, open);
                }
                *known.entry(disturbed.clone()).or_insert_with(|| {
                    conflicts.classes.push(disturbed);
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

    /// Drops the candidates in whose way there is always somebody: threads that are there from the beginning, never end, and
    /// disturb it wherever they are.
    fn drop_obstructed(&mut self, analysis: &Analysis) {
        let lasting = Lasting::all(analysis);
        // By class of candidates: the first two kinds of threads that are always in the way.
        let obstacles: Vec<Vec<&Lasting>> = (0..self.classes.len())
            .map(|class| {
                let row = Row { conflicts: self, analysis, class };
                let is_obstacle =
                    |threads: &&Lasting| threads.last.iter().all(|&future| row.at_class(future).certain);
                lasting.iter().filter(is_obstacle).take(2).collect()
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

    /// How many locations may have ample steps.
    pub fn candidates(&self, program: &Program) -> usize {
        let is_plain = |id: LocationId| program.locations[id].kind == LocationKind::Plain;
        self.class.iter().filter(|(id, class)| class.is_some() && is_plain(*id)).count()
    }

    /// Whether a location is a candidate that has a chance.
    pub fn have(&self, location: LocationId) -> bool {
        self.class[location].is_some()
    }

    /// Of a location, if it is a candidate that has a chance.
    #[inline]
    pub fn row<'a>(&'a self, analysis: &'a Analysis, location: LocationId) -> Option<Row<'a>> {
        self.class[location].map(|class| Row { conflicts: self, analysis, class: class as usize })
    }

    /// Calls back with the uses among some that are in conflict with one of this kind, until the answer is true. Tells whether
    /// it was.
    pub fn any_rival(
        &self,
        sets: &Sets,
        kind: UseKind,
        uses: SetId,
        mut is_one: impl FnMut(usize) -> bool,
    ) -> bool {
        sets.any_common(uses, self.rivals[kind.number()], &mut is_one)
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
    /// Whether a thread at a location is in the way.
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

/// Whether a thread may leave a location by ample steps as far as the proviso is concerned: if it is sticky, all ways out must be
/// messages from or to others, or detours.
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

/// Threads that are there from the beginning and never end.
struct Lasting {
    procedure: ProcedureId,
    count: usize,
    /// The classes of futures where they may be for good. Wherever they are, they may still do what they may still do in one of
    /// these.
    last: Vec<usize>,
}

impl Lasting {
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
    /// What is done to which channels, the end of claims and of channels included.
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
