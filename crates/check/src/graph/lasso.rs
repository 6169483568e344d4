//! Where a run that violates a property goes in a graph.

use std::collections::{BTreeMap, HashMap};

use naive::Naive;
use serde::Serialize;
use store::StateId;
use system::Step;

use super::witness::Witness;
use crate::pipeline::CheckError;

/// Which part of a run an edge is on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LassoPart {
    Stem,
    Cycle,
}

/// The edges of a run.
#[derive(Default)]
pub struct OnRun {
    /// By the positions of edges.
    pub parts: BTreeMap<usize, LassoPart>,
    /// The run leaves the graph.
    pub is_cut: bool,
    /// The number of the state in which the run stays for ever, if its cycle has no steps.
    pub stays: Option<u64>,
}

/// Finds the edges of a run of which the steps from `cycle` on are repeated.
pub fn edges_of_run(
    naive: &Naive<'_>,
    witnesses: &[Witness],
    edges: &[(StateId, Step, StateId)],
    steps: &[Step],
    cycle: Option<usize>,
) -> Result<OnRun, CheckError> {
    let numbers: HashMap<&naive::State, usize> =
        witnesses.iter().enumerate().map(|(at, witness)| (&*witness.state, at)).collect();
    let mut run = OnRun::default();
    let (mut state, mut source) = (naive.initial(), 0);
    for (index, &step) in steps.iter().enumerate() {
        state = naive
            .fire(&state, step)
            .map_err(|_| CheckError::Internal(format!("step {} of the run cannot be taken", index + 1)))?;
        if naive.is_transient(&state) {
            continue;
        }
        let Some(&target) = numbers.get(&state) else {
            run.is_cut = true;
            return Ok(run);
        };
        let first = edges.partition_point(|edge| edge.0.index() < source);
        let own = edges[first..].iter().take_while(|edge| edge.0.index() == source);
        let position = own.zip(first..).find(|(edge, _)| edge.1 == step && edge.2.index() == target);
        let Some((_, position)) = position else {
            run.is_cut = true;
            return Ok(run);
        };
        let part = if cycle.is_some_and(|cycle| index >= cycle) { LassoPart::Cycle } else { LassoPart::Stem };
        let known = run.parts.entry(position).or_insert(part);
        *known = part.max(*known);
        source = target;
    }
    run.stays = (cycle == Some(steps.len())).then_some(source as u64);
    Ok(run)
}
