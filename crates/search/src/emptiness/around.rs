//! The edges of one node of the product, one after another: for those who look for a certain one.

use std::hash::{Hash, Hasher};

use ltl::State;
use rustc_hash::{FxHashSet, FxHasher};
use store::{Insert, StateId, StateStore};
use system::{Encoding, Fired, Step, Steps, Temporal};

use super::lasso::Move;
use super::marks::Sets;
use super::product::{Node, observe};
use super::reader::Reader;
use crate::expander::LONGEST_PASSAGE;

/// An edge of a node.
pub struct Shown<'a, S: Temporal, const N: usize> {
    /// Where it leads, and the state there.
    pub node: Node,
    pub state: &'a mut S::State,
    pub marks: Sets<N>,
    /// How one gets there.
    pub way: &'a [Move],
}

pub struct Around<'a, S, T: ?Sized> {
    pub system: &'a S,
    pub store: &'a mut T,
    pub reader: &'a Reader,
    /// Finite runs are extended for ever.
    pub stutters: bool,
    pub encoding: &'a mut Encoding,
    /// Some transient states are stored.
    pub stores_transient: bool,
    /// How one gets to where the last edge leads.
    pub way: Vec<Move>,
    /// Fingerprints of the transient states that were passed on the way from the node, where some are stored:
    /// these may make cycles. Two with the same one can hide an edge, and then a run is not shown.
    pub passed: FxHashSet<u64>,
}

/// The node, or a transient state on the way from it.
struct Level<const N: usize> {
    /// The state that the automaton is in.
    from: State,
    valuation: Option<u64>,
    /// The marks since the node, and those of all edges from here.
    before: Sets<N>,
    /// Steps that are still to be taken, the next one last.
    steps: Vec<Step>,
    /// Where the last step led.
    target: Option<Target<N>>,
}

struct Target<const N: usize> {
    /// There is none where the state stutters.
    step: Option<Step>,
    stored: Option<StateId>,
    is_transient: bool,
    is_observed: bool,
    movers: Sets<N>,
    /// The next edge of the automaton that is to go with the step.
    edge: usize,
}

impl<S: Temporal, T: StateStore + ?Sized> Around<'_, S, T> {
    /// Shows the edges of a node, of which `state` is the state, until the right one was seen. Then `state`
    /// is where it leads; otherwise it is what it was.
    pub fn find<const N: usize>(
        &mut self,
        state: &mut S::State,
        node: Node,
        is_right: &mut impl FnMut(Shown<'_, S, N>) -> bool,
    ) -> bool {
        self.way.clear();
        self.passed.clear();
        // What follows a transient state that is stored is stored as well.
        let longest = if self.system.is_transient(state) { 0 } else { LONGEST_PASSAGE };
        let mut levels: Vec<Level<N>> = Vec::new();
        levels.extend(self.level(state, Some(node.id()), node.state(), Sets::NONE));
        while let Some(level) = levels.last_mut() {
            let Some(target) = &mut level.target else {
                let Some(step) = level.steps.pop() else {
                    levels.pop();
                    // The level below goes on with its next edge.
                    self.way.pop();
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
            let marks = level.before.with(target.movers).with(self.reader.sets(level.from, &edge));
            let is_transient = target.is_transient;
            self.way.push(Move { step: target.step, to: edge.to });
            let node = target.stored.map(|id| Node::new(id, edge.to));
            if node.is_some_and(|node| is_right(Shown { node, state, marks, way: &self.way })) {
                return true;
            }
            let passes = is_transient && levels.len() <= longest && self.is_first(state, edge.to, marks);
            let above = if passes { self.level(state, None, edge.to, marks) } else { None };
            match above {
                Some(above) => levels.push(above),
                None => {
                    self.way.pop();
                }
            }
        }
        false
    }

    /// The steps of a state, which is transient if it has no id. `before` are the marks since the node.
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
            before = before.with(Sets::idle(self.system, state, &steps)?);
        }
        let stutter = || Target {
            step: None,
            stored: id,
            is_transient: false,
            is_observed: true,
            movers: Sets::NONE,
            edge: 0,
        };
        let target = (steps.is_empty() && self.stutters && id.is_some()).then(stutter);
        steps.enabled.reverse();
        Some(Level { from, valuation, before, steps: steps.enabled, target })
    }

    /// Takes a step, and tells where it leads if it does.
    fn target<const N: usize>(&mut self, state: &mut S::State, step: Step) -> Option<Target<N>> {
        let movers = Sets::movers(self.system, state, step)?;
        if !matches!(self.system.fire(state, step), Fired::Moved | Fired::MovedWithFault(_)) {
            return None;
        }
        let is_transient = self.system.is_transient(state);
        let is_observed = self.system.is_observed(state);
        let stored = if is_transient && !self.stores_transient { None } else { self.number(state) };
        Some(Target { step: Some(step), stored, is_transient, is_observed, movers, edge: 0 })
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
