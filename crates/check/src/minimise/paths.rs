//! Shortest and then calmest paths.

use std::collections::HashMap;
use std::hash::Hash;

use system::Step;

/// A shortest path from `start` to a node that is a goal, and that `accept` takes; among these one with the
/// fewest changes of thread. The path may be empty. `is_long` says of a number of steps whether paths with
/// more of them are too long.
pub fn calmest_path<N: Clone + Eq + Hash>(
    start: &N,
    is_long: impl Fn(usize) -> bool,
    mut expand: impl FnMut(&N) -> Vec<(Step, N)>,
    is_goal: impl Fn(&N) -> bool,
    mut accept: impl FnMut(&N, &[Step]) -> bool,
) -> Option<Vec<Step>> {
    // The nodes of all layers, each with the node before it.
    let mut nodes = vec![Node { at: start.clone(), changes: 0, before: None }];
    // To each place, and with each last thread, one path is enough: a shortest one.
    let mut known: HashMap<(N, Option<u32>), usize> = HashMap::from([((start.clone(), None), 0)]);
    let mut layer = 0..1;
    for taken in 0.. {
        let mut goals: Vec<usize> = layer.clone().filter(|&node| is_goal(&nodes[node].at)).collect();
        goals.sort_by_key(|&node| nodes[node].changes);
        for goal in goals {
            let path = path_to(&nodes, goal);
            if accept(&nodes[goal].at, &path) {
                return Some(path);
            }
        }
        if is_long(taken) || layer.is_empty() {
            break;
        }
        let begin = nodes.len();
        for from in layer.clone() {
            let last = nodes[from].before.map(|(_, step)| step.thread);
            for (step, next) in expand(&nodes[from].at) {
                let changes = nodes[from].changes + u32::from(last.is_some_and(|last| last != step.thread));
                let node = Node { at: next.clone(), changes, before: Some((from, step)) };
                match known.get(&(next.clone(), Some(step.thread))) {
                    Some(&at) if at >= begin && changes < nodes[at].changes => nodes[at] = node,
                    Some(_) => {}
                    None => {
                        known.insert((next, Some(step.thread)), nodes.len());
                        nodes.push(node);
                    }
                }
            }
        }
        layer = begin..nodes.len();
    }
    None
}

struct Node<N> {
    at: N,
    changes: u32,
    before: Option<(usize, Step)>,
}

fn path_to<N>(nodes: &[Node<N>], mut at: usize) -> Vec<Step> {
    let mut path = Vec::new();
    while let Some((before, step)) = nodes[at].before {
        path.push(step);
        at = before;
    }
    path.reverse();
    path
}
