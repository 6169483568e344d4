//! Graphs up to symmetry: one node for each orbit.
//!
//! States are explored one by one, and then told apart by their encodings under canonical names. So the
//! members of an orbit are counted, and not only known to exist. A node is shown as the first of its members,
//! with the steps of that one.

use std::collections::BTreeMap;

use engine::Engine;
use store::{Exact, Insert, StateStore as _};
use symmetry::{Symmetric, SymmetryConfig};
use system::{Encoding, Fired, TransitionSystem as _};

use super::witness::{Effort, Witness};
use crate::pipeline::CheckError;

/// The orbits of the states of a graph.
pub struct Orbits {
    /// For each state, its orbit. Orbits are numbered by their first members.
    pub of: Vec<usize>,
    /// For each orbit, its first member and the number of its members.
    pub nodes: Vec<(usize, u64)>,
    /// The number of states that may not have got canonical names.
    pub doubtful: u64,
}

/// Without symmetry, each state is an orbit of its own.
pub fn single(states: usize) -> Orbits {
    Orbits { of: (0..states).collect(), nodes: (0..states).map(|at| (at, 1)).collect(), doubtful: 0 }
}

/// Finds the orbits of states: walks along the tree by which they were found, and back.
pub fn orbits(
    engine: &Engine,
    ladder: SymmetryConfig,
    witnesses: &[Witness],
    effort: &Effort<'_>,
) -> Result<Orbits, CheckError> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); witnesses.len()];
    for (at, witness) in witnesses.iter().enumerate() {
        if let Some((parent, _)) = &witness.parent {
            children[*parent].push(at);
        }
    }
    let system = Symmetric::new(engine, ladder);
    let mut state = system.initial();
    let mut encoding = Encoding::new();
    let mut store = Exact::new(effort.budget);
    let mut stored = vec![0; witnesses.len()];
    // The states on the way, each with the position of its next child.
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(0);
    loop {
        if let Some(at) = next {
            effort.check()?;
            for &step in witnesses[at].parent.iter().flat_map(|(_, steps)| steps.iter()) {
                if !matches!(system.fire(&mut state, step), Fired::Moved | Fired::MovedWithFault(_)) {
                    return Err(CheckError::Internal(format!("state {at} cannot be reached again")));
                }
            }
            system.encode(&mut state, &mut encoding);
            stored[at] = match store.insert(&mut encoding, usize::MAX) {
                Ok(Insert::New(id) | Insert::Seen(Some(id))) => id.index(),
                Ok(Insert::Seen(None)) => {
                    return Err(CheckError::Internal("the store does not number states".to_owned()));
                }
                Err(_) => {
                    return Err(CheckError::Refused("there is not enough memory for the orbits".to_owned()));
                }
            };
            path.push((at, 0));
        }
        let Some((at, position)) = path.last_mut() else { break };
        next = children[*at].get(*position).copied();
        *position += 1;
        if next.is_none() {
            let steps = witnesses[*at].parent.as_ref().map_or(0, |(_, steps)| steps.len());
            (0..steps).for_each(|_| system.undo(&mut state));
            path.pop();
        }
    }
    drop(state);
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = Orbits { of: Vec::new(), nodes: Vec::new(), doubtful: system.stats().exhausted };
    for (at, id) in stored.into_iter().enumerate() {
        let orbit = *numbers.entry(id).or_insert_with(|| {
            found.nodes.push((at, 0));
            found.nodes.len() - 1
        });
        found.nodes[orbit].1 += 1;
        found.of.push(orbit);
    }
    Ok(found)
}
