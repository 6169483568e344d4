//! The order in which systems are stacked: the engine, names or representatives over it, reduction over both.
//!
//! Reduction is on top, since which steps are ample must be a function of what the store sees: threads are
//! looked at in the order of their names.

use engine::{Engine, OverEngine};
use interchange::Interchanging;
use ir::{Expr, Program};
use reduction::{Analysis, Counts, Invalidated, Reduced};
use search::Team;
use symmetry::{Stats, Symmetric, SymmetryConfig};
use system::Temporal;

/// Which states count as one.
#[derive(Clone, Copy)]
pub enum Naming<'a> {
    /// None but those that are equal.
    Ids,
    /// Those that differ in names, which are given by a level of symmetry.
    Names(SymmetryConfig),
    /// Those that permutations of interchangeable processes map to each other. The program is the one that the engine
    /// runs; properties ask for the expressions.
    Interchanged(&'a Program, &'a [&'a Expr]),
}

impl Naming<'_> {
    pub const fn is_ids(self) -> bool {
        matches!(self, Self::Ids)
    }
}

/// The parts of a system.
#[derive(Clone, Copy)]
pub struct Stack<'a> {
    pub engine: &'a Engine,
    pub naming: Naming<'a>,
    pub analysis: Option<&'a Analysis>,
}

/// The statistics of the parts after a search.
#[derive(Clone, Default)]
pub struct LayerStats {
    pub naming: Stats,
    /// The threads and objects of the largest states, by kind, where names were given.
    pub population: Vec<(state::UnitKind, u32)>,
    /// How many claims that processes are interchangeable the verifier refuted.
    pub refuted: u64,
    pub reduction: Counts,
    /// Why the reduction was wrong, if it was.
    pub doubts: Invalidated,
}

impl LayerStats {
    /// Adds why another search of the same system was wrong, if it was.
    pub fn unite(&mut self, other: Self) {
        self.refuted = self.refuted.max(other.refuted);
        self.doubts.is_bounded |= other.doubts.is_bounded;
        for breach in other.doubts.breaches {
            if !self.doubts.breaches.contains(&breach) {
                self.doubts.breaches.push(breach);
            }
        }
    }
}

/// A search of a system of any type.
pub trait OnSystem {
    type Output;

    /// Workers of the search get systems from the `team`.
    fn run(self, system: &impl Temporal, team: &impl Team) -> Self::Output;
}

impl Stack<'_> {
    /// Runs a search on the topmost system. This is the only place where systems are stacked.
    pub fn with_system<W: OnSystem>(&self, search: W) -> (W::Output, LayerStats) {
        match self.naming {
            Naming::Ids => self.reduce(self.engine, search),
            Naming::Names(ladder) => {
                let system = Symmetric::new(self.engine, ladder);
                let (output, stats) = self.reduce(&system, search);
                (output, LayerStats { naming: system.stats(), population: system.population(), ..stats })
            }
            Naming::Interchanged(program, observed) => {
                let system = Interchanging::new(self.engine, program, observed.to_vec());
                let (output, stats) = self.reduce(&system, search);
                let interchange::Stats { named, searched, exhausted, refuted } = system.stats();
                let naming = Stats { named, searched, exhausted, ..Stats::default() };
                (output, LayerStats { naming, refuted, ..stats })
            }
        }
    }

    fn reduce<W: OnSystem>(
        &self,
        system: &(impl OverEngine + Temporal),
        search: W,
    ) -> (W::Output, LayerStats) {
        let team = &Workers(self);
        let Some(analysis) = self.analysis else {
            return (search.run(system, team), LayerStats::default());
        };
        let reduced = Reduced::new(system, analysis);
        let output = search.run(&reduced, team);
        let stats = LayerStats {
            reduction: reduced.counts(),
            doubts: reduced.invalidated(),
            ..LayerStats::default()
        };
        (output, stats)
    }
}

/// Stacks the systems of workers.
struct Workers<'a>(&'a Stack<'a>);

impl Team for Workers<'_> {
    fn with_system<W: search::OnSystem>(&self, work: W) -> W::Output {
        // What the system counts reaches that of the search by way of `system::Statistics`.
        self.0.with_system(OfWorker(work)).0
    }
}

struct OfWorker<W>(W);

impl<W: search::OnSystem> OnSystem for OfWorker<W> {
    type Output = W::Output;

    fn run(self, system: &impl Temporal, _: &impl Team) -> W::Output {
        self.0.run(system)
    }
}
