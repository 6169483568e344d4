//! A short cycle through a component that has all marks.
//!
//! From the head of the component, the shortest way within it to an edge with a mark that is missing; from
//! there to the next one; and back to the head. The nodes are decoded one by one, so what comes out is a
//! cycle of nodes: [`super::lasso`] makes it a run.

use rustc_hash::{FxHashMap, FxHashSet};
use store::{Budget, StateStore};
use system::{Encoding, Temporal, has_room};

use super::around::{Around, Shown};
use super::components::Component;
use super::lasso::Turn;
use super::marks::Sets;
use super::product::{Node, Walk};

/// So many nodes ask for memory at a time, so many bytes each.
const BATCH: usize = 1 << 12;
const NODE_BYTES: usize = 128;

/// The edges of a cycle with `all` marks from the head back to it. There is none if memory or time do not
/// allow it, or if states decode to others than they are.
pub fn cycle<S, T, const N: usize>(
    walk: &mut Walk<'_, S, T, N>,
    component: &Component,
    all: Sets<N>,
    budget: &Budget,
) -> Option<Vec<Turn<N>>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (mut turns, mut missing, mut at) = (Vec::new(), all, component.head);
    while missing != Sets::NONE || turns.is_empty() || at != component.head {
        let is_goal = |turn: Turn<N>| {
            if missing == Sets::NONE { turn.node == component.head } else { turn.marks.meets(missing) }
        };
        let way = way(walk, component, at, is_goal, budget)?;
        for &turn in &way {
            (at, missing) = (turn.node, missing.without(turn.marks));
        }
        turns.extend(way);
    }
    Some(turns)
}

/// The shortest way from a node within its component whose last edge is a goal.
fn way<S, T, const N: usize>(
    walk: &mut Walk<'_, S, T, N>,
    component: &Component,
    from: Node,
    is_goal: impl Fn(Turn<N>) -> bool,
    budget: &Budget,
) -> Option<Vec<Turn<N>>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (system, automaton) = (walk.explorer.expander.system, walk.automaton);
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    // How each node was reached first.
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
        let mut around = Around {
            system,
            store: &mut *walk.explorer.sink.store,
            reader: walk.reader,
            stutters: walk.stutters,
            encoding: &mut encoding,
            stores_transient: walk.explorer.expander.stores_transient,
            way: Vec::new(),
            passed: FxHashSet::default(),
        };
        let mut goal = None;
        around.find(&mut state, node, &mut |Shown { node: target, marks, .. }| {
            if component.has(target.index(automaton)) {
                let turn = Turn { node: target, marks };
                goal = is_goal(turn).then_some(turn);
                reached.entry(target).or_insert_with(|| {
                    queue.push(target);
                    (node, marks)
                });
            }
            goal.is_some()
        });
        if let Some(goal) = goal {
            let mut way = vec![goal];
            let mut at = node;
            while at != from {
                let (before, marks) = reached[&at];
                way.push(Turn { node: at, marks });
                at = before;
            }
            way.reverse();
            return Some(way);
        }
    }
    None
}
