//! Checks of merged programs, told in steps of the model.
//!
//! A search may take chains of statements as one step each. Nobody else hears of that: what it finds becomes a run of the
//! model as it was written, statement by statement, before it is replayed, shown or written down.

use std::collections::BTreeSet;

use ir::{LocationId, Program, TransitionId};
use naive::{Naive, NaiveFault};
use promela::Chains;
use system::{FaultKind, Step};

use crate::narrate::Narrator;

/// A run of the model.
pub struct Unmerged {
    pub steps: Vec<Step>,
    /// Where in it each step of the merged run begins.
    begins: Vec<usize>,
}

impl Unmerged {
    /// The place in the run to which so many steps of the merged one lead.
    pub fn after(&self, merged: usize) -> usize {
        self.begins.get(merged).copied().unwrap_or(self.steps.len())
    }
}

/// The run of the model that a run of the merged program stands for. It ends where the violation is, be that in the middle
/// of a chain; where the model does not follow, it ends as well, and shows no violation when it is replayed.
pub fn unmerge(naive: Naive<'_>, chains: &Chains, merged: &[Step], claimed: FaultKind) -> Unmerged {
    if chains.is_empty() {
        return Unmerged { steps: merged.to_vec(), begins: (0..merged.len()).collect() };
    }
    let mut narrator = Narrator::of(naive);
    let mut state = naive.initial();
    let mut run = Unmerged { steps: Vec::new(), begins: Vec::new() };
    for (at, &first) in merged.iter().enumerate() {
        let partner = narrator.as_mut().and_then(|narrator| narrator.partner(&state, first));
        let sender = (first.thread, TransitionId(first.transition));
        let behind = std::iter::once(sender).chain(partner).flat_map(|(thread, id)| {
            let rest = chains.get(&id).map_or(&[][..], |chain| &chain.rest);
            rest.iter().map(move |link| Step { thread, transition: link.transition.0, choice: 0 })
        });
        run.begins.push(run.steps.len());
        for step in std::iter::once(first).chain(behind) {
            run.steps.push(step);
            match naive.fire(&state, step) {
                Ok(next) => state = next,
                Err(_) => return run,
            }
            let is_it = |soft_fault: &NaiveFault| soft_fault.kind == claimed;
            if at + 1 == merged.len() && state.soft_fault().is_some_and(is_it) {
                return run;
            }
        }
    }
    run
}

/// The locations inside of chains of which the first statement was taken.
pub fn passed(
    program: &Program,
    chains: &Chains,
    was_taken: impl Fn(TransitionId) -> bool,
) -> BTreeSet<LocationId> {
    let begun = chains.iter().filter(|(first, _)| was_taken(**first));
    begun.flat_map(|(_, chain)| &chain.rest).map(|link| program.transitions[link.transition].source).collect()
}
