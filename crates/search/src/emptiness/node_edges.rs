//! Enumerates the edges of one node of the product, to find an edge with certain properties.

use std::hash::{Hash, Hasher};

use ltl::State;
use rustc_hash::{FxHashSet, FxHasher};
use store::{Insert, StateId, StateStore};
use system::{Encoding, Fired, Step, Steps, Temporal};

use super::acceptance::{Obligations, Sets};
use super::lasso::Move;
use super::product::{Node, observe};
use super::reader::Reader;
use crate::expander::LONGEST_PASSAGE;

/// An edge of a node, as [`NodeEdges::find`] shows it.
pub struct EdgeView<'a, S: Temporal, const N: usize> {
    /// The target, and its state.
    pub node: Node,
    pub state: &'a mut S::State,
    pub marks: Sets<N>,
    /// The moves of the edge: several if it leads through transient states.
    pub path: &'a [Move],
}

/// Enumerates the edges of nodes.
pub struct NodeEdges<'a, S, T: ?Sized> {
    pub system: &'a S,
    pub store: &'a mut T,
    pub reader: &'a Reader,
    pub obligations: &'a Obligations,
    /// Finite runs are extended for ever.
    pub stutters: bool,
    pub encoding: &'a mut Encoding,
    /// Some transient states are stored.
    pub stores_transient: bool,
    /// The moves of the last edge that was shown.
    pub path: Vec<Move>,
    /// Fingerprints of the transient states passed since the node, used where some transient states are
    /// stored, because these may form cycles. If two states have the same fingerprint, an edge may be missed,
    /// and then a run cannot be shown.
    pub passed: FxHashSet<u64>,
}

/// The node, or a transient state between it and another node.
struct Level<const N: usize> {
    /// The state of the automaton.
    from: State,
    valuation: Option<u64>,
    /// The marks since the node, and those common to all edges of this level.
    before: Sets<N>,
    /// The steps that are still to be taken, the next one last.
    steps: Vec<Step>,
    /// Where the last step led.
    target: Option<Target<N>>,
}

/// Where a step of a level leads.
struct Target<const N: usize> {
    /// The step; `None` if the state stutters.
    step: Option<Step>,
    stored: Option<StateId>,
    is_transient: bool,
    is_observed: bool,
    /// The slots that the step serves.
    served: Sets<N>,
    /// The index of the automaton's next edge to be combined with the step.
    edge: usize,
}

impl<S: Temporal, T: StateStore + ?Sized> NodeEdges<'_, S, T> {
    /// Shows the edges of `node`, whose state is `state`, until `is_right` accepts one. Then `state` is the
    /// target of that edge. Otherwise `state` is unchanged, and the result is false.
    pub fn find<const N: usize>(
        &mut self,
        state: &mut S::State,
        node: Node,
        is_right: &mut impl FnMut(EdgeView<'_, S, N>) -> bool,
    ) -> bool {
        self.path.clear();
        self.passed.clear();
        // The successors of a transient state that is stored are stored as well.
        let longest = if self.system.is_transient(state) { 0 } else { LONGEST_PASSAGE };
        let mut levels: Vec<Level<N>> = Vec::new();
        levels.extend(self.level(state, Some(node.id()), node.state(), Sets::NONE));
        while let Some(level) = levels.last_mut() {
            let Some(target) = &mut level.target else {
                let Some(step) = level.steps.pop() else {
                    levels.pop();
                    // The level below continues with its next edge.
                    self.path.pop();
                    continue;
                };
                level.target = self.target(state, step);
                continue;
            };
            let next = self.reader.next_edge(level.from, level.valuation, target.is_observed, target.edge);
            let Some((at, edge)) = next else {
                if target.step.is_some() {
                    self.system.undo(state);
                }
                level.target = None;
                continue;
            };
            target.edge = at + 1;
            let marks = level.before.with(target.served).with(self.reader.sets(level.from, &edge));
            let is_transient = target.is_transient;
            self.path.push(Move { step: target.step, to: edge.to });
            let node = target.stored.map(|id| Node::new(id, edge.to));
            if node.is_some_and(|node| is_right(EdgeView { node, state, marks, path: &self.path })) {
                return true;
            }
            let passes = is_transient && levels.len() <= longest && self.is_first(state, edge.to, marks);
            let above = if passes { self.level(state, None, edge.to, marks) } else { None };
            match above {
                Some(above) => levels.push(above),
                None => {
                    self.path.pop();
                }
            }
        }
        false
    }

    /// Makes a level of a state, which is transient if it has no id. `before` are the marks since the node.
    fn level<const N: usize>(
        &mut self,
        state: &mut S::State,
        id: Option<StateId>,
        from: State,
        before: Sets<N>,
    ) -> Option<Level<N>> {
        let valuation = observe(self.system, state).ok()?;
        let mut steps = Steps::default();
        self.system.steps(state, &mut steps);
        if steps.is_abandoned {
            return None;
        }
        let mut before = before;
        if valuation.is_some() {
            before = before.with(self.obligations.common(self.system, state, &steps)?);
        }
        let stutter = || Target {
            step: None,
            stored: id,
            is_transient: false,
            is_observed: true,
            served: Sets::NONE,
            edge: 0,
        };
        let target = (steps.is_empty() && self.stutters && id.is_some()).then(stutter);
        steps.enabled.reverse();
        Some(Level { from, valuation, before, steps: steps.enabled, target })
    }

    /// Fires a step and describes its target. `None` if the step does not lead anywhere.
    fn target<const N: usize>(&mut self, state: &mut S::State, step: Step) -> Option<Target<N>> {
        let served = self.obligations.served(self.system, state, step)?;
        if !matches!(self.system.fire(state, step), Fired::Moved | Fired::MovedWithFault(_)) {
            return None;
        }
        let is_transient = self.system.is_transient(state);
        let is_observed = self.system.is_observed(state);
        let stored = if is_transient && !self.stores_transient { None } else { self.number(state) };
        Some(Target { step: Some(step), stored, is_transient, is_observed, served, edge: 0 })
    }

    /// Whether a transient state is passed for the first time with this state of the automaton and these
    /// marks.
    fn is_first<const N: usize>(&mut self, state: &mut S::State, to: State, marks: Sets<N>) -> bool {
        if !self.stores_transient {
            return true;
        }
        self.system.encode(state, self.encoding);
        let mut hasher = FxHasher::default();
        for (key, words) in self.encoding.components() {
            (key, words).hash(&mut hasher);
        }
        (to, marks).hash(&mut hasher);
        self.passed.insert(hasher.finish())
    }

    /// The number of the state, if it is stored.
    fn number(&mut self, state: &mut S::State) -> Option<StateId> {
        self.system.encode(state, self.encoding);
        match self.store.insert(self.encoding, 0) {
            Ok(Insert::Seen(id)) => id,
            _ => None,
        }
    }
}
