//! A set of locations such that every cycle of a control flow graph goes through one of them.
//!
//! To be in it costs a location its chance to be reduced, so locations that have no chance anyway come first, and few of
//! the others are taken: one a time, of what is still on cycles, among the cheapest the one with the most ways through it.

/// Chooses nodes of a graph, by what they cost, so that no cycle is left without them.
pub fn break_cycles(successors: &[Vec<usize>], costs: &[u32]) -> Vec<bool> {
    let mut chosen = vec![false; costs.len()];
    loop {
        let component = components(successors, &chosen);
        let within = |from: usize, to: usize| !chosen[to] && component[from] == component[to];
        let mut ways = vec![(0_u64, 0_u64); costs.len()];
        for (from, targets) in successors.iter().enumerate().filter(|&(from, _)| !chosen[from]) {
            for &to in targets.iter().filter(|&&to| within(from, to)) {
                ways[from].0 += 1;
                ways[to].1 += 1;
            }
        }
        let on_cycles = (0..costs.len()).filter(|&node| ways[node].0 * ways[node].1 > 0);
        let best = on_cycles.min_by_key(|&node| (costs[node], u64::MAX - ways[node].0 * ways[node].1));
        match best {
            Some(node) => chosen[node] = true,
            None => return chosen,
        }
    }
}

/// The strongly connected component of each node, where nodes that are left out are alone. Tarjan's algorithm, with the
/// stack of calls as a list.
fn components(successors: &[Vec<usize>], without: &[bool]) -> Vec<usize> {
    let count = successors.len();
    let mut component = vec![usize::MAX; count];
    let mut order = vec![0; count];
    let mut low = vec![0; count];
    let (mut next, mut found) = (0, 0);
    let mut open = Vec::new();
    for root in 0..count {
        if order[root] > 0 || without[root] {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((node, at)) = calls.pop() {
            if at == 0 {
                next += 1;
                (order[node], low[node]) = (next, next);
                open.push(node);
            }
            if let Some(&to) = successors[node].get(at) {
                calls.push((node, at + 1));
                if !without[to] && order[to] == 0 {
                    calls.push((to, 0));
                } else if !without[to] && component[to] == usize::MAX {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    for alone in component.iter_mut().filter(|component| **component == usize::MAX) {
        *alone = found;
        found += 1;
    }
    component
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
        // It is dear, so there is one of each loop.
        assert_eq!(chosen(&[&[1, 2], &[0], &[0]], &[2, 1, 1]), [1, 2]);
        assert_eq!(chosen(&[&[1], &[2], &[0, 3], &[3]], &[3, 2, 3, 1]), [1, 3]);
    }
}
