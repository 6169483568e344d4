//! A shortest run to a state in which a condition holds: breadth-first search on the plain interpreter, from a state that
//! is reached by given steps. It is meant for people who wait in front of a screen, so it ends at a number of states.

use std::collections::HashSet;
use std::ops::ControlFlow;

use system::Step;

use super::Condition;
use crate::config::Bounds;

/// What a search came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The condition holds after these further steps.
    Run(Vec<Step>),
    /// It holds in no state that can be reached.
    Nowhere { states: usize },
    /// It holds in none of so many states; there are more.
    NotYet { states: usize },
    /// It cannot be evaluated, for this reason.
    Undecided(String),
}

impl Condition {
    /// Looks for a state in which the condition holds, behind `prefix`. `progress` is told the number of states now and
    /// then, and may break off.
    pub fn find(
        &self,
        bounds: Bounds,
        prefix: &[Step],
        most_states: usize,
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Found {
        let mut start = self.watch(bounds);
        if !prefix.iter().all(|&step| start.take(step)) {
            return Found::Undecided("it does not follow the steps so far".to_owned());
        }
        match start.holds() {
            Ok(true) => return Found::Run(Vec::new()),
            Ok(false) => {}
            Err(reason) => return Found::Undecided(reason),
        }
        let mut known = HashSet::from([start.state().clone()]);
        // Each state with the state that it was reached from, and the step from there.
        let mut queue = vec![(start, None)];
        let mut next = 0;
        while next < queue.len() {
            for step in queue[next].0.steps() {
                let mut watch = queue[next].0.clone();
                if !watch.take(step) || known.contains(watch.state()) {
                    continue;
                }
                match watch.holds() {
                    Ok(true) => {
                        let mut steps = vec![step];
                        let mut at = next;
                        while let Some((before, step)) = queue[at].1 {
                            steps.push(step);
                            at = before;
                        }
                        steps.reverse();
                        return Found::Run(steps);
                    }
                    Ok(false) => {}
                    Err(reason) => return Found::Undecided(reason),
                }
                if known.len() >= most_states {
                    return Found::NotYet { states: known.len() };
                }
                known.insert(watch.state().clone());
                queue.push((watch, Some((next, step))));
            }
            next += 1;
            if next % 64 == 0 && progress(known.len()).is_break() {
                return Found::NotYet { states: known.len() };
            }
        }
        Found::Nowhere { states: known.len() }
    }
}
