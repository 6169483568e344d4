//! What others stand in the way of, told beforehand as far as locations tell it.
//!
//! Whether what a thread may still do disturbs a step from a candidate location is a question about two locations: that of
//! the step, and that of the other thread, with each of its frames. For each such pair the answer is *yes*, *no*, or that it
//! depends on which channels both use, which only a state tells ([`View::may_use`](crate::channels::View::may_use)).
//! A candidate without a chance is none: one that the proviso excludes, or in whose way there is always somebody.

use ir::{Expr, ExprKind, Id, LocationId, LocationKind, ProcedureId, Program, Table, TransitionId};

use crate::analysis::{Analysis, Candidate, Future, successors};
use crate::bits::Bits;
use crate::footprint::{COUNT, Use, UseKind};

/// The answers, by the location of a candidate.
#[derive(Default)]
pub struct Conflicts {
    rows: Table<LocationId, Option<Row>>,
    /// By kind of use and location.
    rivals: Vec<Rivals>,
}

/// The locations at which others are in the way of a candidate.
#[derive(Default)]
pub struct Row {
    pub certain: Bits,
    /// It depends on channels.
    pub open: Bits,
}

/// Uses of channels, by their numbers, that are in conflict with one of some kind.
#[derive(Default)]
pub struct Rivals {
    /// By a thread at the location.
    pub own: Vec<u32>,
    /// By those that it may start.
    pub started: Vec<u32>,
}

impl Conflicts {
    /// Of the candidates and futures of an analysis.
    pub fn new(analysis: &Analysis) -> Self {
        let mut rivals = Vec::new();
        for kind in UseKind::EACH {
            let numbers = |bits: &Bits| {
                let in_conflict = |&at: &usize| kind.conflicts_with(analysis.uses[at].kind);
                bits.iter().filter(in_conflict).map(|at| at as u32).collect()
            };
            let of =
                |future: &Future| Rivals { own: numbers(&future.own), started: numbers(&future.started) };
            rivals.extend(analysis.futures.values().map(of));
        }
        let mut conflicts = Self { rows: Table::new(), rivals };
        let lasting = Lasting::all(analysis);
        for (id, candidate) in analysis.candidates.iter() {
            let is_one =
                |found: &&Candidate| analysis.permits(found) && may_leave(&analysis.program, id, found);
            let candidate = candidate.as_ref().filter(is_one);
            let row = candidate.map(|candidate| conflicts.row_of(analysis, id, candidate));
            let has_chance =
                |row: &Row| !lasting.iter().any(|threads| threads.obstruct(&analysis.program, id, row));
            conflicts.rows.push(row.filter(has_chance));
        }
        conflicts
    }

    /// How many locations may have ample steps.
    pub fn candidates(&self, program: &Program) -> usize {
        let is_plain = |id: LocationId| program.locations[id].kind == LocationKind::Plain;
        self.rows.iter().filter(|(id, row)| row.is_some() && is_plain(*id)).count()
    }

    /// Of a location, if it is a candidate that has a chance.
    #[inline]
    pub fn row(&self, location: LocationId) -> Option<&Row> {
        self.rows[location].as_ref()
    }

    /// What a thread at a location may do to disturb a use of this kind.
    pub fn rivals(&self, kind: UseKind, location: LocationId) -> &Rivals {
        &self.rivals[kind.number() * self.rows.len() + location.index()]
    }

    fn row_of(&self, analysis: &Analysis, location: LocationId, candidate: &Candidate) -> Row {
        let mut row = Row::default();
        for (other, future) in analysis.futures.iter() {
            if future.writes.intersects(&candidate.settled)
                || future.reads.intersects(&candidate.writes)
                || future.visible && candidate.visible
            {
                row.certain.insert(other.index());
                continue;
            }
            for (kind, channel) in candidate.uses(&analysis.program, location) {
                let at = kind.number() * analysis.futures.len() + other.index();
                let Rivals { own, started } = &self.rivals[at];
                for &rival in own.iter().chain(started) {
                    match is_same(&analysis.program, channel, &analysis.uses[rival as usize]) {
                        Some(true) => row.certain.insert(other.index()),
                        Some(false) => {}
                        None => row.open.insert(other.index()),
                    }
                }
            }
        }
        row
    }
}

/// Whether a thread may leave a location by ample steps as far as the proviso is concerned: if it is sticky, all ways out must be
/// messages from or to others.
fn may_leave(program: &Program, location: LocationId, candidate: &Candidate) -> bool {
    let is_message = |kind| matches!(kind, UseKind::Receive { keep: false, .. } | UseKind::Send { .. });
    let leaves_by_message = |&id: &TransitionId| {
        let mut operations = candidate.operations.iter();
        operations.any(|operation| operation.transition == Some(id) && is_message(operation.kind))
    };
    !candidate.sticky
        || program.numbered && program.locations[location].transitions.iter().all(leaves_by_message)
}

/// Threads that are there from the beginning and never end.
struct Lasting {
    procedure: ProcedureId,
    count: usize,
    /// Where they may be.
    locations: Vec<usize>,
}

impl Lasting {
    fn all(analysis: &Analysis) -> Vec<Self> {
        let program = &analysis.program;
        let mut all = Vec::new();
        for (id, procedure) in program.procedures.iter() {
            let count = program.active.iter().filter(|&&active| active == id).count();
            let may_end = analysis.futures[procedure.entry].writes.contains(COUNT);
            if count > 0 && !may_end {
                all.push(Self { procedure: id, count, locations: reachable(program, procedure.entry) });
            }
        }
        all
    }

    /// Whether one of them is always in the way of a candidate, wherever it is.
    fn obstruct(&self, program: &Program, candidate: LocationId, row: &Row) -> bool {
        let is_own = program.locations[candidate].procedure == self.procedure;
        self.count > usize::from(is_own) && self.locations.iter().all(|&at| row.certain.contains(at))
    }
}

/// The locations of a procedure that can be reached from one of them.
fn reachable(program: &Program, from: LocationId) -> Vec<usize> {
    let mut is_known = vec![false; program.locations.len()];
    is_known[from.index()] = true;
    let mut found = vec![from.index()];
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        for to in successors(program, LocationId::from_index(at)) {
            if !std::mem::replace(&mut is_known[to], true) {
                found.push(to);
            }
        }
    }
    found
}

/// Whether a use is one of the channel that an expression names, if that can be told without a state.
fn is_same(program: &Program, channel: &Expr, found: &Use) -> Option<bool> {
    let Some(other) = &found.channel else { return Some(true) };
    let first = |expr: &Expr| match expr.kind {
        ExprKind::Channel(id) => program.first_channels.iter().position(|&first| first == id),
        _ => None,
    };
    Some(first(channel)? == first(other)?)
}

impl Candidate {
    /// What is done to which channels, the end of claims included.
    pub fn uses<'a>(
        &'a self,
        program: &'a Program,
        location: LocationId,
    ) -> impl Iterator<Item = (UseKind, &'a Expr)> {
        let procedure = &program.procedures[program.locations[location].procedure];
        let claims = procedure.claims.iter().filter(|_| self.ends).map(|claim| {
            (if claim.receive { UseKind::ClaimReceive } else { UseKind::ClaimSend }, &claim.channel)
        });
        self.operations.iter().map(|operation| (operation.kind, &operation.channel)).chain(claims)
    }
}
