//! Steps that a violation does not need.
//!
//! First, loops: where a run comes back to a state, what is between is cut out. Then parts are left out,
//! large ones first, and the rest is tried; steps that have become impossible are skipped (after Zeller and
//! Hildebrandt 2002, who let a test fail instead). What is left is a run from which no single step can be
//! left out, if there is effort enough.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use system::Step;

use super::stage::{Act, Actor, Performed, Position, Stage};
use super::target::Target;

/// Positions are kept every this many steps.
const CHECKPOINT_EVERY: usize = 32;
/// Positions are kept of at most this many steps.
const LONGEST: usize = 1 << 14;

/// The steps of a run without its loops, if it has any. That they are still a run has to be tried: a state
/// does not show everything.
pub fn without_loops(stage: &Stage<'_>, steps: &[Step]) -> Option<Vec<Step>> {
    let mut position = stage.initial();
    let mut hashes = vec![hash(&position)];
    for &step in steps {
        let (_, performed) = stage.record(&position, step)?;
        // A step that faults is the last one, and does not move.
        let Performed::Moved(_, next) = performed else { break };
        position = *next;
        hashes.push(hash(&position));
    }
    let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(at, &hash)| (hash, at)).collect();
    let mut kept = Vec::new();
    let mut at = 0;
    loop {
        at = hashes.get(at).map_or(at, |hash| last[hash]);
        let Some(&step) = steps.get(at) else { break };
        kept.push(step);
        at += 1;
    }
    (kept.len() < steps.len()).then_some(kept)
}

fn hash(position: &Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    position.state.hash(&mut hasher);
    hasher.finish()
}

/// A run to the target with fewer acts, if one is found.
pub fn prune(stage: &Stage<'_>, target: &Target, acts: Vec<Act>) -> Option<Vec<Act>> {
    let length = acts.len();
    if length > LONGEST {
        stage.effort.give_up();
        return None;
    }
    let mut run = Run { checkpoints: vec![stage.initial()], acts };
    run.keep_checkpoints(stage);
    let mut actors: Vec<Actor> = run.acts.iter().map(|act| act.actor).collect();
    actors.sort_unstable();
    actors.dedup();
    for actor in actors {
        run.leave_out(stage, target, |_, act| act.actor == actor);
    }
    let mut size = run.acts.len().div_ceil(2);
    while size > 0 && stage.effort.has_left() {
        let mut end = run.acts.len();
        while end > 0 && stage.effort.has_left() {
            let start = end.saturating_sub(size);
            run.leave_out(stage, target, |at, _| (start..end).contains(&at));
            end = start.min(run.acts.len());
        }
        size /= 2;
    }
    (run.acts.len() < length).then_some(run.acts)
}

/// The run so far.
struct Run {
    acts: Vec<Act>,
    /// The positions before every [`CHECKPOINT_EVERY`]th act.
    checkpoints: Vec<Position>,
}

impl Run {
    /// Adds the checkpoints behind the last one.
    fn keep_checkpoints(&mut self, stage: &Stage<'_>) {
        let begin = (self.checkpoints.len() - 1) * CHECKPOINT_EVERY;
        let mut position = self.checkpoints[self.checkpoints.len() - 1].clone();
        for (at, act) in self.acts.iter().enumerate().skip(begin) {
            let Performed::Moved(_, next) = stage.perform(&position, act) else { break };
            position = *next;
            if (at + 1) % CHECKPOINT_EVERY == 0 {
                self.checkpoints.push(position.clone());
            }
        }
    }

    /// Leaves acts out, if the rest hits the target.
    fn leave_out(&mut self, stage: &Stage<'_>, target: &Target, is_left_out: impl Fn(usize, &Act) -> bool) {
        let mut acts = self.acts.iter().enumerate();
        let Some(first) = acts.position(|(at, act)| is_left_out(at, act)) else { return };
        let checkpoint = (first / CHECKPOINT_EVERY).min(self.checkpoints.len() - 1);
        let begin = checkpoint * CHECKPOINT_EVERY;
        let mut position = self.checkpoints[checkpoint].clone();
        let mut kept = Vec::new();
        let mut is_hit = false;
        for (_, act) in self.acts.iter().enumerate().skip(begin).filter(|&(at, act)| !is_left_out(at, act)) {
            let performed = stage.perform(&position, act);
            is_hit = target.is_hit(stage, &performed);
            if is_hit || matches!(performed, Performed::Moved(..)) {
                kept.push(act.clone());
            }
            if is_hit {
                break;
            }
            if let Performed::Moved(_, next) = performed {
                position = *next;
            }
        }
        let is_run = is_hit || target.is_stuck(stage, &position.state);
        if is_run && begin + kept.len() < self.acts.len() {
            // Before the checkpoint, nothing is different.
            self.acts.truncate(begin);
            self.acts.extend(kept);
            self.checkpoints.truncate(checkpoint + 1);
            self.keep_checkpoints(stage);
        }
    }
}
