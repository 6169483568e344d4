//! A set of locations such that every cycle of a control flow graph contains one of them.
//!
//! A location in the set cannot be reduced, so locations that have no chance of reduction anyway come first,
//! and few of the others are chosen: for each strongly connected component, among the cheapest locations the
//! one with the most paths through it, and so on in what remains of the component. If that takes too long,
//! because components decompose too slowly, the remaining cycles are broken at the targets of back edges of a
//! depth-first search.

/// The limit of the effort, as a multiple of the number of edges.
const EFFORT: usize = 64;
/// The limit of the effort is at least this.
const LEAST_EFFORT: usize = 1 << 16;

/// Chooses nodes of a graph, by their costs, so that every cycle contains one of them.
pub fn break_cycles(successors: &[Vec<usize>], costs: &[u32]) -> Vec<bool> {
    break_cycles_but(successors, costs, |_, _| Vec::new())
}

/// Chooses nodes of a graph, by their costs, so that every cycle contains one of them, except for harmless
/// cycles. For a strongly connected part of the graph, `harmless` returns edges such that all cycles through
/// them within that part are harmless: the source of each edge, and its index among the edges of the source.
pub fn break_cycles_but(
    successors: &[Vec<usize>],
    costs: &[u32],
    harmless: impl Fn(&[usize], &dyn Fn(usize, usize) -> bool) -> Vec<(usize, usize)>,
) -> Vec<bool> {
    let edges: usize = successors.iter().map(|targets| 1 + targets.len()).sum();
    break_cycles_within(successors, costs, harmless, (EFFORT * edges).max(LEAST_EFFORT))
}

fn break_cycles_within(
    successors: &[Vec<usize>],
    costs: &[u32],
    harmless: impl Fn(&[usize], &dyn Fn(usize, usize) -> bool) -> Vec<(usize, usize)>,
    mut effort: usize,
) -> Vec<bool> {
    let mut chosen = vec![false; costs.len()];
    let mut search = Search::new(successors);
    let mut ways = vec![(0_u64, 0_u64); costs.len()];
    let all: Vec<usize> = (0..costs.len()).collect();
    let mut open = search.components(&all, &chosen);
    while let Some(nodes) = open.pop() {
        let spent: usize = nodes.iter().map(|&node| 1 + successors[node].len()).sum();
        if effort < spent {
            search.choose_back_edge_targets(&nodes, &mut chosen);
            continue;
        }
        effort -= spent;
        let harmless = harmless(&nodes, &|from, at| search.stays_inside(from, at));
        if !harmless.is_empty() {
            for (from, at) in harmless {
                search.cut(from, at);
            }
            open.append(&mut search.components(&nodes, &chosen));
            continue;
        }
        for &node in &nodes {
            ways[node] = (0, 0);
        }
        for &from in &nodes {
            for at in (0..successors[from].len()).filter(|&at| search.stays_inside(from, at)) {
                let to = successors[from][at];
                ways[from].0 += 1;
                ways[to].1 += 1;
            }
        }
        let on_cycles = nodes.iter().copied().filter(|&node| ways[node].0 * ways[node].1 > 0);
        let best = on_cycles.min_by_key(|&node| (costs[node], u64::MAX - ways[node].0 * ways[node].1, node));
        if let Some(best) = best {
            chosen[best] = true;
            open.append(&mut search.components(&nodes, &chosen));
        }
    }
    chosen
}

/// Strongly connected components, by Tarjan's algorithm with an explicit stack of calls.
pub struct Search<'g> {
    successors: &'g [Vec<usize>],
    /// By node: its component. A component has a greater number than those to which it leads.
    pub component: Vec<usize>,
    /// The number of components.
    pub found: usize,
    /// By node: its number in the order of discovery, from 1 on; and the least number to which it leads back.
    order: Vec<usize>,
    low: Vec<usize>,
    /// The component that a node was in before the search.
    within: Vec<usize>,
    /// By node: the indices of edges that were removed.
    cut: Vec<Vec<usize>>,
}

impl<'g> Search<'g> {
    fn new(successors: &'g [Vec<usize>]) -> Self {
        let count = successors.len();
        Self {
            successors,
            component: vec![usize::MAX; count],
            found: 0,
            order: vec![0; count],
            low: vec![0; count],
            within: vec![usize::MAX; count],
            cut: Vec::new(),
        }
    }

    /// Removes an edge from the graph.
    fn cut(&mut self, from: usize, at: usize) {
        self.cut.resize(self.successors.len(), Vec::new());
        self.cut[from].push(at);
    }

    fn is_cut(&self, from: usize, at: usize) -> bool {
        self.cut.get(from).is_some_and(|cut| cut.contains(&at))
    }

    /// Whether an edge is within a component.
    fn stays_inside(&self, from: usize, at: usize) -> bool {
        self.component[self.successors[from][at]] == self.component[from] && !self.is_cut(from, at)
    }

    /// The components of a whole graph.
    pub fn all(successors: &'g [Vec<usize>]) -> Self {
        Self::without(successors, &vec![false; successors.len()])
    }

    /// The components of a graph without some nodes, which have no component.
    pub fn without(successors: &'g [Vec<usize>], left_out: &[bool]) -> Self {
        let mut search = Self::new(successors);
        let all: Vec<usize> = (0..successors.len()).collect();
        search.components(&all, left_out);
        search
    }

    /// Splits a component, without the nodes that are left out, into components. Returns those that have
    /// cycles.
    fn components(&mut self, nodes: &[usize], without: &[bool]) -> Vec<Vec<usize>> {
        const OPEN: usize = usize::MAX - 1;
        let mut cyclic = Vec::new();
        for &node in nodes {
            self.order[node] = 0;
            self.within[node] = self.component[node];
            self.component[node] = if without[node] { usize::MAX } else { OPEN };
        }
        let mut next = 0;
        let mut open = Vec::new();
        for &root in nodes {
            if self.order[root] > 0 || without[root] {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((node, at)) = calls.pop() {
                if at == 0 {
                    next += 1;
                    (self.order[node], self.low[node]) = (next, next);
                    open.push(node);
                }
                if let Some(&to) = self.successors[node].get(at) {
                    calls.push((node, at + 1));
                    if self.component[to] == OPEN
                        && self.within[to] == self.within[node]
                        && !self.is_cut(node, at)
                    {
                        if self.order[to] == 0 {
                            calls.push((to, 0));
                        } else {
                            self.low[node] = self.low[node].min(self.order[to]);
                        }
                    }
                    continue;
                }
                if self.low[node] == self.order[node] {
                    let start = open.iter().rposition(|&member| member == node).unwrap_or(0);
                    let members = open.split_off(start);
                    for &member in &members {
                        self.component[member] = self.found;
                    }
                    self.found += 1;
                    let mut ways = 0..self.successors[node].len();
                    let is_loop = |at| self.successors[node][at] == node && !self.is_cut(node, at);
                    if members.len() > 1 || ways.any(is_loop) {
                        cyclic.push(members);
                    }
                }
                if let Some(&(parent, _)) = calls.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
        cyclic
    }

    /// Chooses the targets of back edges of a depth-first search in a component: every cycle has one.
    fn choose_back_edge_targets(&mut self, nodes: &[usize], chosen: &mut [bool]) {
        // 0: not discovered, 1: on the stack, 2: done.
        for &node in nodes {
            self.order[node] = 0;
        }
        for &root in nodes {
            if self.order[root] > 0 {
                continue;
            }
            let mut calls = vec![(root, 0)];
            self.order[root] = 1;
            while let Some((node, at)) = calls.pop() {
                let Some(&to) = self.successors[node].get(at) else {
                    self.order[node] = 2;
                    continue;
                };
                calls.push((node, at + 1));
                if self.component[to] == self.component[node] && !self.is_cut(node, at) {
                    match self.order[to] {
                        0 => {
                            self.order[to] = 1;
                            calls.push((to, 0));
                        }
                        1 => chosen[to] = true,
                        _ => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(successors: &[&[usize]], costs: &[u32]) -> Vec<usize> {
        let successors: Vec<Vec<usize>> = successors.iter().map(|targets| targets.to_vec()).collect();
        let chosen = break_cycles(&successors, costs);
        (0..costs.len()).filter(|&node| chosen[node]).collect()
    }

    #[test]
    fn one_node_of_each_cycle_is_enough() {
        assert_eq!(chosen(&[&[1], &[2], &[]], &[1, 1, 1]), []);
        assert_eq!(chosen(&[&[0]], &[7]), [0]);
        // Two loops through one head.
        assert_eq!(chosen(&[&[1, 2], &[0], &[0]], &[1, 1, 1]), [0]);
        // The head is expensive, so one node of each loop is chosen.
        assert_eq!(chosen(&[&[1, 2], &[0], &[0]], &[2, 1, 1]), [1, 2]);
        assert_eq!(chosen(&[&[1], &[2], &[0, 3], &[3]], &[3, 2, 3, 1]), [1, 3]);
    }

    /// Whether a graph without some nodes has a cycle: nodes without predecessors are removed, one after the
    /// other.
    fn has_cycle(successors: &[Vec<usize>], without: &[bool]) -> bool {
        let mut left: Vec<bool> = without.iter().map(|&gone| !gone).collect();
        loop {
            let is_reached = |node: usize| {
                successors.iter().enumerate().any(|(from, targets)| left[from] && targets.contains(&node))
            };
            let Some(gone) = (0..left.len()).find(|&node| left[node] && !is_reached(node)) else {
                return left.contains(&true);
            };
            left[gone] = false;
        }
    }

    #[test]
    fn no_cycle_is_left_however_little_effort_is_made() {
        let mut rng = testing::SplitMix64::new(1);
        for _ in 0..2000 {
            let count = 1 + rng.below(8);
            let mut successors = vec![Vec::new(); count];
            for _ in 0..rng.below(2 * count + 2) {
                let (from, to) = (rng.below(count), rng.below(count));
                successors[from].push(to);
            }
            let costs: Vec<u32> = (0..count).map(|_| rng.below(3) as u32).collect();
            for effort in [0, 10, 1000] {
                let chosen = break_cycles_within(&successors, &costs, |_, _| Vec::new(), effort);
                assert!(!has_cycle(&successors, &chosen), "{successors:?} {chosen:?}");
            }
        }
    }

    #[test]
    fn components_come_after_those_that_they_lead_to() {
        let successors: Vec<Vec<usize>> = vec![vec![1], vec![2, 3], vec![1], vec![4], vec![3], vec![0]];
        let found = Search::all(&successors);
        assert_eq!(found.component, [2, 1, 1, 0, 0, 3]);
        assert_eq!(found.found, 4);
    }
}
