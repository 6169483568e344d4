//! Strongly connected components: Tarjan's algorithm (1972), without recursion.

use crate::{Automaton, Edge, Marks, State};

/// The components of the reachable states, over some of the edges.
pub struct Components {
    /// The component of each state. Edges lead to components of the same or a smaller number. Unreachable
    /// states have none.
    of: Vec<Option<u32>>,
    count: usize,
}

impl Components {
    /// The components of the graph with the edges that `keep` allows, of all states that are reachable over
    /// any edges.
    pub fn of(automaton: &Automaton, keep: impl Fn(&Edge) -> bool) -> Self {
        let mut search = Search {
            of: vec![None; automaton.edges.len()],
            index: vec![None; automaton.edges.len()],
            low: vec![0; automaton.edges.len()],
            stack: Vec::new(),
            count: 0,
            visited: 0,
        };
        for state in reachable(automaton) {
            search.visit(automaton, state, &keep);
        }
        Self { of: search.of, count: search.count as usize }
    }

    pub fn component(&self, state: State) -> Option<usize> {
        self.of[state.index()].map(|component| component as usize)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether an edge of `from` stays within a component.
    pub fn is_inner(&self, from: State, edge: &Edge) -> bool {
        self.of[from.index()].is_some() && self.of[from.index()] == self.of[edge.to.index()]
    }

    /// The union of the marks on the edges within each component; `None` for components without edges, in
    /// which no run stays.
    pub fn marks(&self, automaton: &Automaton) -> Vec<Option<Marks>> {
        let mut all = vec![None; self.count];
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

struct Search {
    of: Vec<Option<u32>>,
    index: Vec<Option<u32>>,
    low: Vec<u32>,
    stack: Vec<State>,
    count: u32,
    visited: u32,
}

impl Search {
    fn visit(&mut self, automaton: &Automaton, root: State, keep: &impl Fn(&Edge) -> bool) {
        if self.index[root.index()].is_some() {
            return;
        }
        // States that are being visited, each with the number of its edges that were followed.
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((state, followed)) = path.last_mut() {
            let state = *state;
            let Some(edge) = automaton.edges(state).get(*followed) else {
                path.pop();
                self.leave(state);
                if let Some((parent, _)) = path.last() {
                    self.low[parent.index()] = self.low[parent.index()].min(self.low[state.index()]);
                }
                continue;
            };
            *followed += 1;
            if !keep(edge) {
                continue;
            }
            match self.index[edge.to.index()] {
                None => {
                    self.enter(edge.to);
                    path.push((edge.to, 0));
                }
                Some(index) if self.of[edge.to.index()].is_none() => {
                    self.low[state.index()] = self.low[state.index()].min(index);
                }
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, state: State) {
        self.index[state.index()] = Some(self.visited);
        self.low[state.index()] = self.visited;
        self.visited += 1;
        self.stack.push(state);
    }

    /// If the state is the first one of its component, the component is what is above it on the stack.
    fn leave(&mut self, state: State) {
        if Some(self.low[state.index()]) != self.index[state.index()] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.of[member.index()] = Some(self.count);
            if member == state {
                break;
            }
        }
        self.count += 1;
    }
}
