//! The edges of one node of the product, one after another: for those who look for a certain one.

use ltl::{Automaton, State};
use store::{Insert, StateId, StateStore};
use system::{Encoding, Fired, Steps, TransitionSystem};

use super::lasso::Move;
use super::marks::Sets;
use super::product::{Node, edges, observe};

/// An edge of a node.
pub struct Shown<'a, S: TransitionSystem, const N: usize> {
    /// Where it leads, and the state there.
    pub node: Node,
    pub state: &'a mut S::State,
    pub marks: Sets<N>,
    /// How one gets there.
    pub way: &'a [Move],
}

/// How many transient states are passed by one after the other.
const LONGEST_PASSAGE: usize = 1 << 11;

pub struct Around<'a, S, T: ?Sized> {
    pub system: &'a S,
    pub store: &'a mut T,
    pub automaton: &'a Automaton,
    /// Finite runs are extended for ever.
    pub stutters: bool,
    pub encoding: &'a mut Encoding,
    /// Some transient states are stored.
    pub stores_transient: bool,
    /// How one gets to where the last edge leads.
    pub way: Vec<Move>,
}

impl<S: TransitionSystem, T: StateStore + ?Sized> Around<'_, S, T> {
    /// Shows the edges of a node, of which `state` is the state, until the right one was seen. Then `state` is where it leads;
    /// otherwise it is what it was.
    pub fn find<const N: usize>(
        &mut self,
        state: &mut S::State,
        node: Node,
        is_right: &mut impl FnMut(Shown<'_, S, N>) -> bool,
    ) -> bool {
        self.way.clear();
        self.find_from(state, Some(node.id), node.state, Sets::NONE, is_right)
    }

    /// The same from a state that is transient if it has no id. `before` are the marks since the node.
    fn find_from<const N: usize>(
        &mut self,
        state: &mut S::State,
        id: Option<StateId>,
        from: State,
        before: Sets<N>,
        is_right: &mut impl FnMut(Shown<'_, S, N>) -> bool,
    ) -> bool {
        let Ok(valuation) = observe(self.system, state) else { return false };
        let edges: Vec<_> = edges(self.automaton, from, valuation).collect();
        if edges.is_empty() || self.way.len() > LONGEST_PASSAGE {
            return false;
        }
        let mut steps = Steps::default();
        self.system.steps(state, &mut steps);
        if steps.is_abandoned {
            return false;
        }
        let mut before = before;
        if valuation.is_some() {
            let Some(idle) = Sets::idle(self.system, state, &steps) else { return false };
            before = before.with(idle);
        }
        if let Some(id) = id.filter(|_| steps.is_empty() && self.stutters) {
            return edges.iter().any(|edge| {
                self.way.push(Move { step: None, to: edge.to });
                let (node, marks) = (Node { id, state: edge.to }, before.with(Sets::of(edge.marks)));
                let is_found = is_right(Shown { node, state, marks, way: &self.way });
                if !is_found {
                    self.way.pop();
                }
                is_found
            });
        }
        for step in steps.enabled {
            let Some(movers) = Sets::movers(self.system, state, step) else { return false };
            if !matches!(self.system.fire(state, step), Fired::Moved | Fired::Flawed(_)) {
                continue;
            }
            let is_transient = self.system.is_transient(state);
            let stored = if is_transient && !self.stores_transient { None } else { self.number(state) };
            for edge in &edges {
                let marks = before.with(movers).with(Sets::of(edge.marks));
                self.way.push(Move { step: Some(step), to: edge.to });
                let node = stored.map(|id| Node { id, state: edge.to });
                if node.is_some_and(|node| is_right(Shown { node, state, marks, way: &self.way }))
                    || is_transient && self.find_from(state, None, edge.to, marks, is_right)
                {
                    return true;
                }
                self.way.pop();
            }
            self.system.undo(state);
        }
        false
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
