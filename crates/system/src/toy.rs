//! Small systems for the tests of searches and stores: minimal implementations of [`TransitionSystem`].

use crate::{
    Bound, Encoding, Fault, FaultKind, Fired, Halt, Key, Section, Step, Steps, Temporal, TransitionSystem,
    Waypoint,
};

/// `n` counters, each of which counts from 0 to `max` and stops: `(max + 1)^n` states, one of them final, and
/// `n * max * (max + 1)^(n - 1)` transitions. Optionally a sum that must not be reached.
pub struct Counters {
    pub n: usize,
    pub max: u64,
    pub forbidden_sum: Option<u64>,
    /// The final state counts as a deadlock.
    pub end_is_deadlock: bool,
}

/// The state of [`Counters`] and of a [`Bag`].
pub struct CountersState {
    values: Vec<u64>,
    fired: Vec<usize>,
}

const ROOT: Key = Key { section: Section::Root, index: 0 };

impl TransitionSystem for Counters {
    type State = CountersState;
    type Cache = crate::NoCache;

    fn initial(&self) -> CountersState {
        CountersState { values: vec![0; self.n], fired: Vec::new() }
    }

    fn steps(&self, state: &mut CountersState, out: &mut Steps) {
        out.clear();
        let open = (0..self.n).filter(|&i| state.values[i] < self.max);
        out.enabled.extend(open.map(|i| Step { thread: i as u32, transition: 0, choice: 0 }));
    }

    fn fire(&self, state: &mut CountersState, step: Step) -> Fired {
        state.values[step.thread as usize] += 1;
        state.fired.push(step.thread as usize);
        Fired::Moved
    }

    fn undo(&self, state: &mut CountersState) {
        if let Some(i) = state.fired.pop() {
            state.values[i] -= 1;
        }
    }

    fn check(&self, state: &mut CountersState) -> Result<(), Halt> {
        let bad = self.forbidden_sum == Some(state.values.iter().sum());
        if bad { Err(Halt::Fault(Fault { kind: FaultKind::Invariant, site: 0 })) } else { Ok(()) }
    }

    fn ended(&self, _: &CountersState) -> bool {
        !self.end_is_deadlock
    }

    fn encode(&self, state: &mut CountersState, into: &mut Encoding) {
        into.set(ROOT, &state.values);
    }

    fn decode(&self, from: &Encoding, state: &mut CountersState) {
        state.values.clear();
        state.values.extend_from_slice(from.get(ROOT).unwrap_or_default());
        state.fired.clear();
    }
}

impl Temporal for Counters {
    fn thread_names(&self, state: &mut CountersState, out: &mut Vec<u32>) -> bool {
        *out = (0..state.values.len() as u32).collect();
        false
    }
}

/// A graph given by its nodes: with cycles, deadlocks, faults and truncations as a test needs them. Node 0 is
/// the initial state; the step along the `i`-th edge of a node is transition `i` of thread 0.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// A node of a [`Graph`].
#[derive(Clone, Default, Debug)]
pub struct Node {
    pub edges: Vec<Edge>,
    /// The site of the invariant that the node violates.
    pub violates: Option<u32>,
    /// The bound that evaluating another invariant exceeds.
    pub unevaluated: Option<Bound>,
    /// If the node has no steps, it is a proper end.
    pub is_end: bool,
}

/// A step from a node of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    To(usize),
    /// The step is enabled, and faults when it is fired.
    Fault(Fault),
    /// The guard of the step cannot be evaluated.
    GuardFault(Fault),
    /// The step is enabled, and exceeds a bound when it is fired.
    Truncated(Bound),
}

/// The state of a [`Graph`].
pub struct GraphState {
    node: usize,
    left: Vec<usize>,
}

impl GraphState {
    pub const fn node(&self) -> usize {
        self.node
    }
}

impl TransitionSystem for Graph {
    type State = GraphState;
    type Cache = crate::NoCache;

    fn initial(&self) -> GraphState {
        GraphState { node: 0, left: Vec::new() }
    }

    fn steps(&self, state: &mut GraphState, out: &mut Steps) {
        out.clear();
        for (transition, edge) in self.nodes[state.node].edges.iter().enumerate() {
            let step = Step { thread: 0, transition: transition as u32, choice: 0 };
            match *edge {
                Edge::GuardFault(fault) => out.faults.push((step, fault)),
                _ => out.enabled.push(step),
            }
        }
    }

    fn fire(&self, state: &mut GraphState, step: Step) -> Fired {
        match self.nodes[state.node].edges[step.transition as usize] {
            Edge::To(node) => {
                state.left.push(state.node);
                state.node = node;
                Fired::Moved
            }
            Edge::Fault(fault) | Edge::GuardFault(fault) => Fired::Fault(fault),
            Edge::Truncated(bound) => Fired::Truncated(bound),
        }
    }

    fn undo(&self, state: &mut GraphState) {
        if let Some(node) = state.left.pop() {
            state.node = node;
        }
    }

    fn check(&self, state: &mut GraphState) -> Result<(), Halt> {
        let node = &self.nodes[state.node];
        let fault = node.violates.map(|site| Halt::Fault(Fault { kind: FaultKind::Invariant, site }));
        fault.or(node.unevaluated.map(Halt::Truncated)).map_or(Ok(()), Err)
    }

    fn ended(&self, state: &GraphState) -> bool {
        self.nodes[state.node].is_end
    }

    fn encode(&self, state: &mut GraphState, into: &mut Encoding) {
        into.set(ROOT, &[state.node as u64]);
    }

    fn decode(&self, from: &Encoding, state: &mut GraphState) {
        state.node = from.get(ROOT).unwrap_or_default()[0] as usize;
        state.left.clear();
    }
}

impl Temporal for Graph {
    fn thread_names(&self, _: &mut GraphState, out: &mut Vec<u32>) -> bool {
        *out = vec![0];
        false
    }
}

/// [`Counters`] that are indistinguishable: an encoding is sorted. The number of states is that of multisets
/// of `n` values up to `max`, and the steps of a decoded state are those of the encoded state only up to the
/// order of the counters.
pub struct Bag {
    pub counters: Counters,
    /// Incrementing a counter that has the first value, in a state that has the second sum, is a fault.
    pub fragile: Option<(u64, u64)>,
}

impl TransitionSystem for Bag {
    type State = CountersState;
    type Cache = crate::NoCache;

    fn initial(&self) -> CountersState {
        self.counters.initial()
    }

    fn steps(&self, state: &mut CountersState, out: &mut Steps) {
        self.counters.steps(state, out);
    }

    fn fire(&self, state: &mut CountersState, step: Step) -> Fired {
        if self.fragile == Some((state.values[step.thread as usize], state.values.iter().sum())) {
            return Fired::Fault(Fault { kind: FaultKind::Assertion, site: 7 });
        }
        self.counters.fire(state, step)
    }

    fn undo(&self, state: &mut CountersState) {
        self.counters.undo(state);
    }

    fn check(&self, state: &mut CountersState) -> Result<(), Halt> {
        self.counters.check(state)
    }

    fn ended(&self, state: &CountersState) -> bool {
        self.counters.ended(state)
    }

    fn encode(&self, state: &mut CountersState, into: &mut Encoding) {
        self.counters.encode(state, into);
        let mut sorted = state.values.clone();
        sorted.sort_unstable();
        into.set(ROOT, &sorted);
    }

    fn decode(&self, from: &Encoding, state: &mut CountersState) {
        self.counters.decode(from, state);
    }

    /// Each step of the decoded state is taken by some counter with the same value.
    fn retrace(&self, chain: &[Waypoint], _: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        let (mut state, mut encoding, mut offered) = (self.initial(), Encoding::new(), Steps::default());
        let mut taken = Vec::new();
        for Waypoint { encoding: target, .. } in &chain[1..] {
            self.steps(&mut state, &mut offered);
            let step = offered.enabled.iter().copied().find(|&step| {
                self.fire(&mut state, step) == Fired::Moved && {
                    self.encode(&mut state, &mut encoding);
                    let leads_there = encoding.same(target);
                    if !leads_there {
                        self.undo(&mut state);
                    }
                    leads_there
                }
            });
            taken.push(step.expect("states with equal encodings have successors with equal encodings"));
        }
        taken.extend(last.and_then(|(_, fault)| crate::step_to_fault(self, &mut state, fault, |_| true)));
        taken
    }
}

impl Temporal for Bag {
    fn thread_names(&self, state: &mut CountersState, out: &mut Vec<u32>) -> bool {
        self.counters.thread_names(state, out)
    }
}
