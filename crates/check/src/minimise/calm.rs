//! The calmest order of the steps of a run.
//!
//! The steps of each thread are kept in their order; how they are interleaved is open, and so is how far each
//! thread gets. The possible runs are the paths in a lattice of cuts: how many of its steps each thread has
//! taken. It is walked layer by layer, with the fewest changes of thread to each cut, state and last thread.
//! The first layer in which a run shows the violation has the shortest such runs, and the best of them has
//! the fewest changes of thread: the optimum over all interleavings, unless a layer has more than [`WIDTH`]
//! cuts. Then those are kept to which there are the calmest runs, and the original run in any case.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use system::Step;

use super::stage::{Act, Actor, Performed, Position, Stage};
use super::target::Target;

/// The number of nodes of a layer that are kept.
const WIDTH: usize = 96;

/// A node of the lattice.
struct Node {
    position: Position,
    /// By thread: the number of steps taken.
    cut: Vec<u32>,
    last: Option<usize>,
    changes: u32,
    /// Its run, as an index into the steps of all runs.
    run: Option<usize>,
    /// It is on the original run.
    is_original: bool,
}

/// How nodes are told apart.
type Key = (Vec<u32>, Option<usize>, u64);

/// The shortest and then calmest run that takes the steps of each thread in the order of `acts`, from
/// `start`, and hits the target.
pub fn calmest(stage: &Stage<'_>, target: &Target, start: &Position, acts: &[Act]) -> Option<Vec<Step>> {
    let lattice = Lattice::of(acts);
    let mut all_steps: Vec<(Option<usize>, Step)> = Vec::new();
    let mut layer = vec![Node {
        position: start.clone(),
        cut: vec![0; lattice.threads.len()],
        last: None,
        changes: 0,
        run: None,
        is_original: true,
    }];
    for depth in 0..=acts.len() {
        let mut next: Vec<Node> = Vec::new();
        let mut known: HashMap<Key, usize> = HashMap::new();
        // The calmest run to the target: by its number of changes.
        let mut best: Option<(u32, Option<usize>)> = None;
        let mut stuck: Option<(u32, Option<usize>)> = None;
        for node in &layer {
            let mut can_move = false;
            for thread in 0..lattice.threads.len() {
                let Some(act) = lattice.next(thread, &node.cut) else { continue };
                let performed = stage.perform(&node.position, act);
                let is_hit = target.is_hit(stage, &performed);
                let (Performed::Moved(step, _) | Performed::Fault(step, _)) = performed else { continue };
                can_move = true;
                let changes = node.changes + u32::from(node.last.is_some_and(|last| last != thread));
                if is_hit {
                    if best.is_none_or(|(least, _)| changes < least) {
                        all_steps.push((node.run, step));
                        best = Some((changes, Some(all_steps.len() - 1)));
                    }
                    continue;
                }
                let Performed::Moved(_, position) = performed else { continue };
                let mut cut = node.cut.clone();
                cut[thread] += 1;
                let is_original = node.is_original && lattice.order.get(depth) == Some(&thread);
                let key = (cut, Some(thread), hash(&position));
                if let Some(&at) = known.get(&key) {
                    next[at].is_original |= is_original;
                    if next[at].changes <= changes {
                        continue;
                    }
                    all_steps.push((node.run, step));
                    (next[at].changes, next[at].run) = (changes, Some(all_steps.len() - 1));
                    next[at].position = position;
                    continue;
                }
                all_steps.push((node.run, step));
                let (cut, last) = (key.0.clone(), key.1);
                known.insert(key, next.len());
                let run = Some(all_steps.len() - 1);
                next.push(Node { position, cut, last, changes, run, is_original });
            }
            let is_better = stuck.is_none_or(|(least, _)| node.changes < least);
            if !can_move && is_better && target.is_stuck(stage, &node.position.state) {
                stuck = Some((node.changes, node.run));
            }
        }
        // A deadlock is noticed one layer later than it is reached.
        if let Some((_, run)) = stuck.or(best) {
            return Some(run_of(&all_steps, run));
        }
        if !stage.effort.has_left() {
            return None;
        }
        if next.len() > WIDTH {
            stage.effort.give_up();
            next.sort_by_key(|node| (!node.is_original, node.changes));
            next.truncate(WIDTH);
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
