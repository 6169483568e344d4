//! Strongly connected components: Tarjan's algorithm (1972), without recursion.

/// The components of some nodes of a graph.
#[derive(Debug)]
pub struct Components {
    /// The component of each node, or [`Components::NONE`]. Edges lead to components of the same or a smaller
    /// number.
    pub of: Vec<usize>,
    /// The number of components found.
    pub count: usize,
    /// By node: when it was visited, from 1; 0 if it was not.
    order: Vec<usize>,
    /// By node: the earliest node on the stack that it is known to lead to.
    low: Vec<usize>,
    visited: usize,
    /// Visited nodes without a component yet.
    stack: Vec<usize>,
}

impl Components {
    /// Nodes that were not visited have no component.
    pub const NONE: usize = usize::MAX;

    /// A graph with this many nodes, none of which has a component yet.
    pub fn new(nodes: usize) -> Self {
        Self {
            of: vec![Self::NONE; nodes],
            count: 0,
            order: vec![0; nodes],
            low: vec![0; nodes],
            visited: 0,
            stack: Vec::new(),
        }
    }

    /// The components of a whole graph.
    pub fn of_graph(successors: &[Vec<usize>]) -> Self {
        let mut components = Self::new(successors.len());
        components.find(0..successors.len(), |node| successors[node].iter().copied(), |_| ());
        components
    }

    /// Takes some nodes out of their components. They can be visited again, apart from all others.
    pub fn clear(&mut self, nodes: &[usize]) {
        for &node in nodes {
            (self.of[node], self.order[node]) = (Self::NONE, 0);
        }
    }

    /// Visits the nodes that can be reached from `roots` and were not visited before. Calls `found` with the
    /// members of each component, in the order of the visits, after the components that its edges lead to.
    pub fn find<I: Iterator<Item = usize>>(
        &mut self,
        roots: impl IntoIterator<Item = usize>,
        successors: impl Fn(usize) -> I,
        mut found: impl FnMut(&[usize]),
    ) {
        let mut path = Vec::new();
        for root in roots {
            if self.order[root] > 0 {
                continue;
            }
            self.enter(root);
            path.push((root, successors(root)));
            while let Some((node, targets)) = path.last_mut() {
                let node = *node;
                if let Some(to) = targets.next() {
                    if self.order[to] == 0 {
                        self.enter(to);
                        path.push((to, successors(to)));
                    } else if self.of[to] == Self::NONE {
                        self.low[node] = self.low[node].min(self.order[to]);
                    }
                    continue;
                }
                path.pop();
                if self.low[node] == self.order[node] {
                    self.leave(node, &mut found);
                }
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.visited += 1;
        (self.order[node], self.low[node]) = (self.visited, self.visited);
        self.stack.push(node);
    }

    /// The component of its first node is the part of the stack from there on.
    fn leave(&mut self, first: usize, found: &mut impl FnMut(&[usize])) {
        let start = self.stack.iter().rposition(|&member| member == first).unwrap_or(0);
        for &member in &self.stack[start..] {
            self.of[member] = self.count;
        }
        self.count += 1;
        found(&self.stack[start..]);
        self.stack.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix64;

    #[test]
    fn components_come_after_those_that_they_lead_to() {
        let successors = [vec![1], vec![2, 3], vec![1], vec![4], vec![3], vec![0]];
        let components = Components::of_graph(&successors);
        assert_eq!(components.of, [2, 1, 1, 0, 0, 3]);
        assert_eq!(components.count, 4);
    }

    #[test]
    fn cleared_nodes_are_visited_again_without_others() {
        let successors = [vec![1], vec![2], vec![0], vec![0]];
        let mut components = Components::of_graph(&successors);
        assert_eq!(components.of, [0, 0, 0, 1]);
        components.clear(&[0, 1, 2]);
        let mut found = Vec::new();
        let targets = |node: usize| successors[node].iter().copied().filter(|&to| to != 1);
        components.find([0, 2], targets, |members| found.push(members.to_vec()));
        assert_eq!(found, [[0], [2]]);
        assert_eq!(components.of, [2, Components::NONE, 3, 1]);
    }

    #[test]
    fn members_lead_to_each_other_and_to_no_others_back() {
        let mut rng = SplitMix64::new(1);
        for _ in 0..1000 {
            let nodes = 1 + rng.below(8);
            let mut successors = vec![Vec::new(); nodes];
            for _ in 0..rng.below(2 * nodes + 2) {
                successors[rng.below(nodes)].push(rng.below(nodes));
            }
            let components = Components::of_graph(&successors);
            let reached = |from: usize| {
                let (mut seen, mut open) = (vec![false; nodes], vec![from]);
                while let Some(node) = open.pop() {
                    if !std::mem::replace(&mut seen[node], true) {
                        open.extend(&successors[node]);
                    }
                }
                seen
            };
            let reached: Vec<Vec<bool>> = (0..nodes).map(reached).collect();
            for (a, b) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))) {
                let same = reached[a][b] && reached[b][a];
                assert_eq!(components.of[a] == components.of[b], same, "{successors:?}");
                assert!(!reached[a][b] || components.of[b] <= components.of[a], "{successors:?}");
            }
        }
    }
}
