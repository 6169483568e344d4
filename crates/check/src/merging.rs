//! Checks of merged programs, told in steps of the model.
//!
//! A search may take chains of statements as one step each. Nobody else hears of that: what it finds becomes a run of the
//! model as it was written, statement by statement, before it is replayed, shown or written down.

use std::collections::BTreeSet;

use ir::{LocationId, Program, TransitionId};
use naive::{NaiveFault, Stopped};
use promela::Chains;
use system::{FaultKind, Step};

use crate::config::Bounds;
use crate::model::Model;
use crate::narrate::Narrator;
use crate::trace::interpreter;

/// The run of the model that a run of the merged program stands for. It ends where the violation is, be that in the middle
/// of a chain; where the model does not follow, it ends as well, and shows no violation when it is replayed.
pub fn unmerge(
    model: &Model,
    bounds: Bounds,
    chains: &Chains,
    merged: &[Step],
    claimed: FaultKind,
) -> Vec<Step> {
    if chains.is_empty() {
        return merged.to_vec();
    }
    let naive = interpreter(model, bounds);
    let mut narrator = Narrator::of(naive);
    let mut state = naive.initial();
    let mut steps = Vec::new();
    for (at, &first) in merged.iter().enumerate() {
        let partner = narrator.as_mut().and_then(|narrator| narrator.partner(&state, first));
        let sender = (first.thread, TransitionId(first.transition));
        let behind = std::iter::once(sender).chain(partner).flat_map(|(thread, id)| {
            let rest = chains.get(&id).map_or(&[][..], Vec::as_slice);
            rest.iter().map(move |id| Step { thread, transition: id.0, choice: 0 })
        });
        for step in std::iter::once(first).chain(behind) {
            steps.push(step);
            match naive.fire(&state, step) {
                Ok(next) => state = next,
                Err(Stopped::Fault(_) | Stopped::Truncated(_) | Stopped::NotEnabled) => return steps,
            }
            let is_it = |flaw: &NaiveFault| flaw.kind == claimed;
            if at + 1 == merged.len() && state.flaw().is_some_and(is_it) {
                return steps;
            }
        }
    }
    steps
}

/// The locations inside of chains of which the first statement was taken.
pub fn passed(
    program: &Program,
    chains: &Chains,
    was_taken: impl Fn(TransitionId) -> bool,
) -> BTreeSet<LocationId> {
    let begun = chains.iter().filter(|(first, _)| was_taken(**first));
    begun.flat_map(|(_, rest)| rest).map(|&id| program.transitions[id].source).collect()
}
