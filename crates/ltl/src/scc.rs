//! The strongly connected components of an automaton.

use crate::{Automaton, Edge, Marks, State};

/// The components of the reachable states, over some of the edges. Edges lead to components of the same or a
/// smaller number. Unreachable states have none.
pub struct Components(bits::Components);

impl Components {
    /// The components of the graph with the edges that `keep` allows, of all states that are reachable over
    /// any edges.
    pub fn of(automaton: &Automaton, keep: impl Fn(&Edge) -> bool) -> Self {
        let mut components = bits::Components::new(automaton.edges.len());
        let roots = reachable(automaton).into_iter().map(State::index);
        let kept = |state: usize| automaton.edges[state].iter().filter(|edge| keep(edge));
        components.find(roots, |state| kept(state).map(|edge| edge.to.index()), |_| ());
        Self(components)
    }

    pub fn component(&self, state: State) -> Option<usize> {
        Some(self.0.of[state.index()]).filter(|&component| component != bits::Components::NONE)
    }

    pub fn count(&self) -> usize {
        self.0.count
    }

    /// Whether an edge of `from` stays within a component.
    pub fn is_inner(&self, from: State, edge: &Edge) -> bool {
        self.component(from).is_some() && self.component(from) == self.component(edge.to)
    }

    /// The union of the marks on the edges within each component; `None` for components without edges, in
    /// which no run stays.
    pub fn marks(&self, automaton: &Automaton) -> Vec<Option<Marks>> {
        let mut all = vec![None; self.count()];
        for from in automaton.states() {
            for edge in automaton.edges(from) {
                if self.is_inner(from, edge)
                    && let Some(component) = self.component(from)
                {
                    let marks: &mut Option<Marks> = &mut all[component];
                    *marks = Some(marks.unwrap_or_default().with(edge.marks));
                }
            }
        }
        all
    }
}

/// The states that can be reached from the initial one, in the order of a depth-first search.
pub fn reachable(automaton: &Automaton) -> Vec<State> {
    let mut seen = vec![false; automaton.edges.len()];
    let (mut stack, mut order) = (vec![automaton.initial], Vec::new());
    while let Some(state) = stack.pop() {
        if !std::mem::replace(&mut seen[state.index()], true) {
            order.push(state);
            stack.extend(automaton.edges(state).iter().rev().map(|edge| edge.to));
        }
    }
    order
}
