//! A short cycle with all marks through a component.
//!
//! From the head of the component, it takes a shortest path within the component to an edge with a missing
//! mark; from there to the next one; and finally back to the head. The nodes are decoded one by one, so the
//! result is a cycle of nodes. [`super::lasso`] turns it into a run.

use rustc_hash::{FxHashMap, FxHashSet};
use store::{Budget, StateStore};
use system::{Encoding, Temporal, has_room};

use super::acceptance::Sets;
use super::components::Component;
use super::lasso::CycleEdge;
use super::node_edges::{EdgeView, NodeEdges};
use super::product::{Node, ProductWalk};

/// Memory is requested from the budget once per this many nodes, and this many bytes for each.
const BATCH: usize = 1 << 12;
const NODE_BYTES: usize = 128;

/// The edges of a cycle with `all` marks from the head back to it. `None` if memory or time do not allow it,
/// or if states do not decode to themselves.
pub fn cycle<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    component: &Component,
    all: Sets<N>,
    budget: &Budget,
) -> Option<Vec<CycleEdge<N>>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (mut found, mut missing, mut at) = (Vec::new(), all, component.head);
    while missing != Sets::NONE || found.is_empty() || at != component.head {
        let is_goal = |edge: CycleEdge<N>| {
            if missing == Sets::NONE { edge.node == component.head } else { edge.marks.meets(missing) }
        };
        let path = shortest_path(walk, component, at, is_goal, budget)?;
        for &edge in &path {
            (at, missing) = (edge.node, missing.without(edge.marks));
        }
        found.extend(path);
    }
    Some(found)
}

/// A shortest path from a node within its component whose last edge is a goal.
fn shortest_path<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    component: &Component,
    from: Node,
    is_goal: impl Fn(CycleEdge<N>) -> bool,
    budget: &Budget,
) -> Option<Vec<CycleEdge<N>>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (system, automaton) = (walk.explorer.expander.system, walk.automaton);
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    // For each node, the first edge that reached it: source and marks.
    let mut reached: FxHashMap<Node, (Node, Sets<N>)> = FxHashMap::default();
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        let has_memory = !next.is_multiple_of(BATCH) || budget.allows(BATCH * NODE_BYTES);
        if !has_memory || walk.explorer.tick(&walk.stack).is_break() || !has_room(system, &mut state) {
            return None;
        }
        walk.explorer.sink.store.decode(node.id(), &mut encoding);
        system.decode(&encoding, &mut state);
        let mut edges = NodeEdges {
            system,
            store: &mut *walk.explorer.sink.store,
            reader: walk.reader,
            obligations: walk.obligations,
            stutters: walk.stutters,
            encoding: &mut encoding,
            stores_transient: walk.explorer.expander.stores_transient,
            path: Vec::new(),
            passed: FxHashSet::default(),
        };
        let mut goal = None;
        edges.find(&mut state, node, &mut |EdgeView { node: target, marks, .. }| {
            if component.has(target.index(automaton)) {
                let edge = CycleEdge { node: target, marks };
                goal = is_goal(edge).then_some(edge);
                reached.entry(target).or_insert_with(|| {
                    queue.push(target);
                    (node, marks)
                });
            }
            goal.is_some()
        });
        if let Some(goal) = goal {
            let mut path = vec![goal];
            let mut at = node;
            while at != from {
                let (before, marks) = reached[&at];
                path.push(CycleEdge { node: at, marks });
                at = before;
            }
            path.reverse();
            return Some(path);
        }
    }
    None
}
