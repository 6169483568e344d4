//! Checks of merged programs, told in steps of the model.
//!
//! A search may take chains of statements as one step each. Nobody else hears of that: what it finds becomes a run of the
//! model as it was written, statement by statement, before it is replayed, shown or written down.

use std::collections::BTreeSet;

use ir::{LocationId, TransitionId};
use naive::{NaiveFault, Stopped};
use system::{FaultKind, Step};

use crate::config::Bounds;
use crate::model::Model;
use crate::narrate::Narrator;
use crate::trace::interpreter;

/// The run of the model that a run of the merged program stands for. It ends where the violation is, be that in the middle
/// of a chain; where the model does not follow, it ends as well, and shows no violation when it is replayed.
pub fn unmerge(model: &Model, bounds: Bounds, merged: &[Step], claimed: FaultKind) -> Vec<Step> {
    let naive = interpreter(model, bounds);
    let mut narrator = Narrator::of(naive);
    let mut state = naive.initial();
    let mut steps = Vec::new();
    for (at, &first) in merged.iter().enumerate() {
        let partner = narrator.as_mut().and_then(|narrator| narrator.partner(&state, first));
        let sender = (first.thread, TransitionId(first.transition));
        let behind = std::iter::once(sender).chain(partner).flat_map(|(thread, id)| {
            let rest = model.chains.get(&id).map_or(&[][..], Vec::as_slice);
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

/// The locations inside of chains that begin at a location that was reached. They count as reached, though
/// perhaps the chain never began.
pub fn passed(model: &Model, was_reached: impl Fn(LocationId) -> bool) -> BTreeSet<LocationId> {
    let source = |id: TransitionId| model.program.transitions[id].source;
    let begun = model.chains.iter().filter(|(first, _)| was_reached(source(**first)));
    begun.flat_map(|(_, rest)| rest).map(|&id| source(id)).collect()
}
