//! A state graph as a picture.

use std::collections::BTreeMap;

use bits::Components;
use draw::diagram::{Diagram, Look};
use draw::graph::{Component, State, StateGraph, Step};

use super::lasso::LassoPart;
use super::{Details, Graph};

impl Graph<'_> {
    /// The graph as a diagram of at most `most` states. It needs marks.
    pub fn diagram(&self, most: usize) -> Diagram {
        self.state_graph().diagram(most)
    }

    fn state_graph(&self) -> StateGraph {
        // States that are left out leave gaps in the numbers.
        let place = |id: u64| self.states.partition_point(|state| state.id < id);
        let look = |part: Option<LassoPart>| match part {
            None => Look::Plain,
            Some(LassoPart::Stem) => Look::Stem,
            Some(LassoPart::Cycle) => Look::Cycle,
        };
        let steps: Vec<Step> = self
            .edges()
            .map(|edge| Step {
                from: place(edge.source),
                to: place(edge.target),
                text: edge.words(),
                look: look(edge.lasso),
            })
            .collect();
        let (components, count) = components(self.states.len(), &steps);
        let states = self.states().zip(components).map(|((state, details), component)| {
            let name = format!("s{}", state.id);
            let is_stay = self.lasso.stays == Some(state.id);
            let bare = State { name, level: state.depth, component, is_stay, ..State::default() };
            let Some(details) = details else { return bare };
            let Details { initial, deadlock, end, cut, members, lines, violations, .. } = details;
            State {
                is_initial: *initial,
                is_deadlock: *deadlock,
                is_end: *end,
                is_cut: *cut,
                members: *members,
                lines: lines.clone(),
                violations: violations
                    .iter()
                    .map(|violation| format!("{}: {}", violation.kind, violation.message))
                    .collect(),
                ..bare
            }
        });
        let title = format!("States of {}", self.model.name);
        StateGraph { title, states: states.collect(), steps, components: count }
    }
}

/// The components of more than one state, or with a step from the state to itself, and their number.
fn components(states: usize, steps: &[Step]) -> (Vec<Option<Component>>, usize) {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); states];
    for step in steps {
        next[step.from].push(step.to);
    }
    let found = Components::of_graph(&next);
    let mut size = BTreeMap::new();
    for at in 0..states {
        *size.entry(found.of[at]).or_insert(0_usize) += 1;
    }
    let mut is_final = BTreeMap::new();
    for step in steps {
        let leaves = found.of[step.from] != found.of[step.to];
        *is_final.entry(found.of[step.from]).or_insert(true) &= !leaves;
    }
    let is_cyclic = |at: usize| size[&found.of[at]] > 1 || next[at].contains(&at);
    let mut numbers = BTreeMap::new();
    let all: Vec<Option<Component>> = (0..states)
        .map(|at| {
            let id = found.of[at];
            is_cyclic(at).then(|| {
                let count = numbers.len() + 1;
                let number = *numbers.entry(id).or_insert(count);
                Component { number, is_final: is_final.get(&id).copied().unwrap_or(true) }
            })
        })
        .collect();
    (all, numbers.len())
}
