//! The calmest order of the steps of a run.
//!
//! The steps of each thread are kept in their order; how they are interleaved is open, and so is how far each
//! thread gets. The possible runs are the paths in a lattice of cuts: how many of its steps each thread has
//! taken. It is walked layer by layer, with the fewest changes of thread to each cut, state and last thread.
//! The first layer in which a run shows the violation has the shortest such runs, and the best of them has
//! the fewest changes of thread: the optimum over all interleavings, unless the layers have more nodes than
//! there is effort for. Then those are kept to which there are the calmest runs, and the original run in any
//! case.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use system::Step;

use super::stage::{Act, Actor, Performed, Position, Stage};
use super::target::Target;

/// At least this many nodes of a layer are kept.
const LEAST_WIDTH: usize = 16;

/// A cut and the state there.
struct Place {
    position: Position,
    /// By thread: the number of steps taken.
    cut: Vec<u32>,
    /// The calmest runs to it, by their last threads. A run with one change more is not better than one of
    /// these with another last thread.
    arrivals: Vec<Arrival>,
    changes: u32,
    /// It is on the original run.
    is_original: bool,
}

struct Arrival {
    last: Option<usize>,
    /// The run, as an index into the steps of all runs.
    run: Option<usize>,
}

impl Place {
    /// The calmest way on with a thread: its changes so far, and its run.
    fn go_on(&self, thread: usize) -> (u32, Option<usize>) {
        let stays = |arrival: &&Arrival| arrival.last.is_none_or(|last| last == thread);
        match self.arrivals.iter().find(stays) {
            Some(arrival) => (self.changes, arrival.run),
            None => (self.changes + 1, self.arrivals[0].run),
        }
    }
}

/// The shortest and then calmest run that takes the steps of each thread in the order of `acts`, and hits the
/// target.
pub fn calmest(stage: &Stage<'_>, target: &Target, acts: &[Act]) -> Option<Vec<Step>> {
    let lattice = Lattice::of(acts);
    let tries = (acts.len() * lattice.threads.len()).max(1);
    let width = (usize::try_from(stage.effort.left()).unwrap_or(usize::MAX) / tries).max(LEAST_WIDTH);
    let mut runs: Vec<(Option<usize>, Step)> = Vec::new();
    let mut layer = vec![Place {
        position: stage.initial(),
        cut: vec![0; lattice.threads.len()],
        arrivals: vec![Arrival { last: None, run: None }],
        changes: 0,
        is_original: true,
    }];
    for depth in 0..=acts.len() {
        let mut next: Vec<Place> = Vec::new();
        let mut known: HashMap<(Vec<u32>, u64), usize> = HashMap::new();
        // The calmest runs to the target, with their numbers of changes.
        let mut best: Option<(u32, Option<usize>)> = None;
        let mut stuck: Option<(u32, Option<usize>)> = None;
        for place in &layer {
            let mut can_move = false;
            for thread in 0..lattice.threads.len() {
                let Some(act) = lattice.next(thread, &place.cut) else { continue };
                let performed = stage.perform(&place.position, act);
                let is_hit = target.is_hit(stage, &performed);
                let (Performed::Moved(step, _) | Performed::Fault(step, _)) = performed else { continue };
                can_move = true;
                let (changes, run) = place.go_on(thread);
                if is_hit {
                    if best.is_none_or(|(least, _)| changes < least) {
                        runs.push((run, step));
                        best = Some((changes, Some(runs.len() - 1)));
                    }
                    continue;
                }
                let Performed::Moved(_, position) = performed else { continue };
                let mut cut = place.cut.clone();
                cut[thread] += 1;
                let is_original = place.is_original && lattice.order.get(depth) == Some(&thread);
                runs.push((run, step));
                let arrival = Arrival { last: Some(thread), run: Some(runs.len() - 1) };
                let at = *known.entry((cut, hash(&position))).or_insert_with_key(|(cut, _)| {
                    let (cut, arrivals) = (cut.clone(), Vec::new());
                    next.push(Place { position: *position, cut, arrivals, changes, is_original: false });
                    next.len() - 1
                });
                let there = &mut next[at];
                there.is_original |= is_original;
                if changes < there.changes {
                    (there.changes, there.arrivals) = (changes, Vec::new());
                }
                if changes == there.changes {
                    there.arrivals.push(arrival);
                }
            }
            let is_better = stuck.is_none_or(|(least, _)| place.changes < least);
            if !can_move && is_better && target.is_stuck(stage, &place.position.state) {
                stuck = Some((place.changes, place.arrivals[0].run));
            }
        }
        // A deadlock is noticed one layer later than it is reached.
        if let Some((_, run)) = stuck.or(best) {
            return Some(run_of(&runs, run));
        }
        if !stage.effort.has_left() {
            return None;
        }
        if next.len() > width {
            stage.effort.give_up();
            next.sort_by_key(|place| (!place.is_original, place.changes));
            next.truncate(width);
        }
        layer = next;
    }
    None
}

fn run_of(all_steps: &[(Option<usize>, Step)], mut at: Option<usize>) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(index) = at {
        let (before, step) = all_steps[index];
        steps.push(step);
        at = before;
    }
    steps.reverse();
    steps
}

/// Two states with one hash cost an interleaving: what is found is replayed anyway.
fn hash(position: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    position.state.hash(&mut hasher);
    hasher.finish()
}

/// The steps of each thread in their order.
struct Lattice<'a> {
    threads: Vec<(Actor, Vec<&'a Act>)>,
    /// The thread of each step of the original run.
    order: Vec<usize>,
}

impl<'a> Lattice<'a> {
    fn of(acts: &'a [Act]) -> Self {
        let mut threads: Vec<(Actor, Vec<&Act>)> = Vec::new();
        let mut order = Vec::with_capacity(acts.len());
        for act in acts {
            let known = threads.iter().position(|(actor, _)| *actor == act.actor);
            let thread = known.unwrap_or_else(|| {
                threads.push((act.actor, Vec::new()));
                threads.len() - 1
            });
            threads[thread].1.push(act);
            order.push(thread);
        }
        Self { threads, order }
    }

    fn next(&self, thread: usize, cut: &[u32]) -> Option<&'a Act> {
        self.threads[thread].1.get(cut[thread] as usize).copied()
    }
}
