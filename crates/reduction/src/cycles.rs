//! A set of locations such that every cycle of a control flow graph contains one of them.
//!
//! A location in the set cannot be reduced, so locations that have no chance of reduction anyway come first,
//! and few of the others are chosen: for each strongly connected component, among the cheapest locations the
//! one with the most paths through it, and so on in what remains of the component. If that takes too long,
//! because components decompose too slowly, the remaining cycles are broken at the targets of back edges of a
//! depth-first search.

use bits::Components;

/// How many times as long as it takes to look at all edges the choice may take.
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

/// A graph that is taken apart: strongly connected components of what is left of it.
struct Search<'g> {
    successors: &'g [Vec<usize>],
    components: Components,
    /// By node: the positions of removed edges.
    cut: Vec<Vec<usize>>,
    /// By node: whether a depth-first search has found it, and is done with it.
    colour: Vec<Colour>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    New,
    OnPath,
    Done,
}

impl<'g> Search<'g> {
    fn new(successors: &'g [Vec<usize>]) -> Self {
        let count = successors.len();
        Self {
            successors,
            components: Components::new(count),
            cut: vec![Vec::new(); count],
            colour: vec![Colour::New; count],
        }
    }

    /// Removes an edge from the graph.
    fn cut(&mut self, from: usize, at: usize) {
        self.cut[from].push(at);
    }

    /// Whether an edge is one of a component.
    fn stays_inside(&self, from: usize, at: usize) -> bool {
        let of = &self.components.of;
        of[self.successors[from][at]] == of[from] && !self.cut[from].contains(&at)
    }

    /// Splits a component without the nodes that are left out. Returns the parts that have cycles.
    fn components(&mut self, nodes: &[usize], without: &[bool]) -> Vec<Vec<usize>> {
        let Self { successors, components, cut, .. } = self;
        let targets = |node: usize| remaining(&successors[node], &cut[node], without);
        let mut cyclic = Vec::new();
        components.clear(nodes);
        components.find(nodes.iter().copied().filter(|&node| !without[node]), targets, |members| {
            if members.len() > 1 || targets(members[0]).any(|to| to == members[0]) {
                cyclic.push(members.to_vec());
            }
        });
        cyclic
    }

    /// Chooses the nodes of a component that a depth-first search comes back to: every cycle has one.
    fn choose_back_edge_targets(&mut self, nodes: &[usize], chosen: &mut [bool]) {
        for &node in nodes {
            self.colour[node] = Colour::New;
        }
        for &root in nodes {
            if self.colour[root] != Colour::New {
                continue;
            }
            let mut path = vec![(root, 0)];
            self.colour[root] = Colour::OnPath;
            while let Some((node, at)) = path.pop() {
                let Some(&to) = self.successors[node].get(at) else {
                    self.colour[node] = Colour::Done;
                    continue;
                };
                path.push((node, at + 1));
                if !self.stays_inside(node, at) {
                    continue;
                }
                match self.colour[to] {
                    Colour::New => {
                        self.colour[to] = Colour::OnPath;
                        path.push((to, 0));
                    }
                    Colour::OnPath => chosen[to] = true,
                    Colour::Done => {}
                }
            }
        }
    }
}

/// The targets of the edges that are not removed, other than nodes that are left out.
fn remaining(targets: &[usize], cut: &[usize], without: &[bool]) -> impl Iterator<Item = usize> {
    let is_left = |&(at, &to): &(usize, &usize)| !without[to] && !cut.contains(&at);
    targets.iter().enumerate().filter(is_left).map(|(_, &to)| to)
}

/// The components of a graph without some nodes, which have none.
pub fn components_without(successors: &[Vec<usize>], left_out: &[bool]) -> Components {
    let mut components = Components::new(successors.len());
    let roots = (0..successors.len()).filter(|&node| !left_out[node]);
    components.find(roots, |node| remaining(&successors[node], &[], left_out), |_| ());
    components
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
}
