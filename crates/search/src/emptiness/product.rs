//! The product of a system and an automaton, explored depth first.
//!
//! A node is a pair of a stored state and a state of the automaton. An edge leads from `(s, q)` to `(s', q')`
//! if a step leads from `s` to `s'` and an edge of the automaton, whose label holds *in `s`*, from `q` to
//! `q'`. Where `s` is not observed, because it is inside an atomic block, the automaton stays in its state
//! ([`super::reader`]). Transient states are neither stored nor nodes, but the marks met there count for the
//! edge between the nodes before and after them. A state without steps stutters, unless finite runs do not
//! count: it is its own successor, so that every run is infinite.
//!
//! A [`ProductWalk`] goes through the product and leaves the decisions to its caller:
//!
//! | [`Event`] | the walk is at  | the caller                                                         |
//! |-----------|-----------------|--------------------------------------------------------------------|
//! | `Edge`    | the target      | calls [`ProductWalk::enter`] to continue there, or does nothing    |
//! | `Leave`   | the node on top | calls [`ProductWalk::leave`]                                       |
//! | `End`     | no node         | stops                                                              |
//!
//! There is one concrete state. A step is fired once for all edges of the automaton that are combined with
//! it.

use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};

use ltl::strength::{Strength, Weakness};
use ltl::{Automaton, State};
use store::{Budget, Chunked, StateId, StateStore};
use system::{Fault, Halt, Step, Temporal, is_abandoned};

use super::Claim;
use super::acceptance::{Obligations, Sets};
use super::lasso::Move;
use super::reader::Reader;
use crate::explore::{Explorer, Path, Taken};
use crate::observer::Open;
use crate::outcome::{Consequence, StopReason};
use crate::sink::or_stop;
use crate::trail::Trail;

/// A stored state with a state of the automaton, in eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node(u64);

impl Node {
    /// The number of bits for a state of the automaton.
    const STATE_BITS: u32 = u64::BITS - StateId::BITS;
    /// Automata with more states than this cannot be searched.
    pub const MOST_STATES: usize = 1 << Self::STATE_BITS;

    pub fn new(id: StateId, state: State) -> Self {
        debug_assert!(state.index() < Self::MOST_STATES);
        Self(id.0 << Self::STATE_BITS | u64::from(state.0))
    }

    pub const fn id(self) -> StateId {
        StateId(self.0 >> Self::STATE_BITS)
    }

    pub const fn state(self) -> State {
        State((self.0 & (Self::MOST_STATES as u64 - 1)) as u32)
    }

    /// The index of the node among all possible nodes.
    pub fn index(self, automaton: &Automaton) -> usize {
        self.id().index() * automaton.edges.len() + self.state().index()
    }
}

/// What a walk through the product comes to next.
pub enum Event<const N: usize> {
    /// An edge from the node on top to this node, with all marks since that node.
    Edge(Node, Sets<N>),
    /// The node on top has no more edges.
    Leave(Node),
    End,
}

/// A depth-first walk through the product.
pub struct ProductWalk<'a, S: Temporal, T: ?Sized, const N: usize> {
    pub explorer: Explorer<'a, S, T>,
    pub reader: &'a Reader,
    /// The automaton of the reader.
    pub automaton: &'a Automaton,
    /// What fairness demands.
    pub obligations: &'a Obligations,
    pub stack: Stack<N>,
    /// For each state of the automaton, whether it was entered.
    pub entered: Vec<bool>,
    /// The number of nodes discovered.
    pub nodes: usize,
    pub seen: Valuations,
    /// Finite runs are extended for ever.
    pub stutters: bool,
    /// For each state of the automaton, whether it is known to accept every word.
    accepts_all: Vec<bool>,
    /// The trail to the first state from which the automaton can move to such a state: whatever the system
    /// does next, the automaton accepts it.
    pub accepting_sink: Option<Trail>,
}

/// The states from the initial one to the current state of the walk.
pub struct Stack<const N: usize> {
    levels: Chunked<Level<N>>,
    steps: Chunked<Step>,
}

/// A state on the stack, with a state of the automaton.
#[derive(Clone, Copy)]
pub struct Level<const N: usize> {
    /// The node. For a transient state: the last node below it, but with the current state of the automaton.
    pub node: Node,
    /// The number of consecutive transient states up to and including this one; 0 if the state is stored.
    passed: u32,
    /// Where the step that is being taken leads.
    arrival: Arrival,
    /// The marks since the node below.
    pub entry: Sets<N>,
    /// The marks common to all edges of this level.
    common: Sets<N>,
    /// The slots that the last step serves.
    served: Sets<N>,
    /// The propositions that hold in the state, if it is observed.
    valuation: Option<u64>,
    /// The index of the next step.
    next: usize,
    /// The number of steps that are left.
    left: u32,
    /// The index of the automaton's next edge to be combined with the last step.
    edge: u32,
}

/// Where the step that is being taken leads.
#[derive(Clone, Copy)]
enum Arrival {
    /// The walk is at the state of the level itself.
    None,
    Stored(StateId),
    Transient,
    /// The state is its own successor.
    Stutter,
}

/// The combinations of propositions that held in states, up to a limited number.
#[derive(Clone, Debug, Default)]
pub struct Valuations {
    last: Option<u64>,
    all: BTreeSet<u64>,
}

impl Valuations {
    const MOST: usize = 1 << 10;

    #[inline]
    fn add(&mut self, valuation: u64) {
        if self.last != Some(valuation) && self.all.len() <= Self::MOST {
            self.last = Some(valuation);
            self.all.insert(valuation);
        }
    }

    /// All combinations; `None` if they are too many.
    pub fn all(&self) -> Option<Vec<u64>> {
        (self.all.len() <= Self::MOST).then(|| self.all.iter().copied().collect())
    }
}

/// The propositions that hold in a state; `None` if the state is not observed.
pub fn observe<S: Temporal>(system: &S, state: &mut S::State) -> Result<Option<u64>, Halt> {
    if system.is_observed(state) { system.valuation(state).map(Some) } else { Ok(None) }
}

impl<'a, S, T, const N: usize> ProductWalk<'a, S, T, N>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    pub fn new(
        explorer: Explorer<'a, S, T>,
        claim: &Claim<'_>,
        reader: &'a Reader,
        obligations: &'a Obligations,
        budget: &Budget,
    ) -> Self {
        let (automaton, stutters) = (&reader.automaton, claim.stutters);
        let stack = Stack { levels: Chunked::new(budget), steps: Chunked::new(budget) };
        let weakness = Weakness::of(automaton);
        let is_terminal = weakness.strength == Strength::Terminal;
        let accepts_all = automaton.states().map(|state| is_terminal && weakness.accepts(state)).collect();
        let entered = vec![false; automaton.edges.len()];
        Self {
            explorer,
            reader,
            automaton,
            obligations,
            stack,
            entered,
            nodes: 0,
            seen: Valuations::default(),
            stutters,
            accepts_all,
            accepting_sink: None,
        }
    }

    /// Stores the initial state. The walk is then at the initial node, which is not entered yet.
    pub fn start(&mut self) -> ControlFlow<StopReason, Node> {
        let id = self.explorer.start(&self.stack)?;
        self.explorer.check(&self.stack)?;
        Continue(Node::new(id, self.automaton.initial))
    }

    /// Continues from the node at which the walk is, the target of the last edge.
    pub fn enter(&mut self, node: Node, entry: Sets<N>) -> ControlFlow<StopReason> {
        self.push(node, entry, 0)
    }

    fn push(&mut self, node: Node, entry: Sets<N>, passed: u32) -> ControlFlow<StopReason> {
        self.entered[node.state().index()] = true;
        or_stop(self.stack.levels.push(Level {
            node,
            passed,
            arrival: Arrival::None,
            entry,
            common: Sets::NONE,
            served: Sets::NONE,
            valuation: None,
            next: self.stack.steps.len(),
            left: 0,
            edge: 0,
        }))?;
        self.expand()
    }

    /// Puts the steps of the top state on the stack, unless the automaton cannot go on.
    fn expand(&mut self) -> ControlFlow<StopReason> {
        let Self { explorer, reader, obligations, stack, accepts_all, accepting_sink, seen, .. } = self;
        let Some(mut top) = stack.levels.last() else { return Continue(()) };
        match observe(explorer.expander.system, &mut explorer.expander.state) {
            Ok(valuation) => {
                if let Some(valuation) = valuation {
                    seen.add(valuation);
                }
                top.valuation = valuation;
            }
            // It is unknown which edges of the automaton can be combined with the steps: the state gets no
            // successors.
            Err(halt) => return explorer.halt(halt, Consequence::OfProperty, stack),
        }
        let from = top.node.state();
        let mut enabled = reader.edges(from, top.valuation).peekable();
        // A guess that the run diverges continues from unobserved states only.
        let may_go_on = enabled.peek().is_some() || from == reader.diverging;
        if accepting_sink.is_none()
            && top.valuation.is_some()
            && enabled.any(|edge| accepts_all[edge.to.index()])
        {
            *accepting_sink = Some(stack.trail(explorer.expander.system, &mut *explorer.sink.store, None));
        }
        if may_go_on {
            explorer.offer(stack)?;
            // Inside an atomic block the other threads are not offered steps, which does not mean that they
            // are disabled.
            if top.valuation.is_some() {
                match obligations.common(
                    explorer.expander.system,
                    &mut explorer.expander.state,
                    &explorer.expander.steps,
                ) {
                    Some(common) => top.common = common,
                    None => return Break(StopReason::Threads),
                }
                // The computation of all threads' steps may have been abandoned.
                if is_abandoned(explorer.expander.system, &explorer.expander.state) {
                    return explorer.sink.ledger.abandon();
                }
            }
            if explorer.is_stuck && self.stutters {
                (top.arrival, top.edge, top.served) = (Arrival::Stutter, 0, Sets::NONE);
            }
            for &step in &explorer.expander.steps.enabled {
                or_stop(stack.steps.push(step))?;
            }
            top.left = explorer.expander.steps.enabled.len() as u32;
        }
        stack.put(top);
        Continue(())
    }

    pub fn next(&mut self) -> ControlFlow<StopReason, Event<N>> {
        loop {
            let Some(mut top) = self.stack.levels.last() else { return Continue(Event::End) };
            if let Arrival::None = top.arrival {
                if top.left > 0 {
                    self.step(top)?;
                } else if top.passed > 0 {
                    self.leave();
                } else {
                    return Continue(Event::Leave(top.node));
                }
                continue;
            }
            let (from, place) = (top.node.state(), top.edge as usize);
            let leads_to_observed = self.explorer.expander.system.is_observed(&self.explorer.expander.state);
            let next = self.reader.next_edge(from, top.valuation, leads_to_observed, place);
            let Some((at, edge)) = next else {
                self.retreat();
                continue;
            };
            top.edge = at as u32 + 1;
            self.stack.put(top);
            let mut marks = self.reader.sets(from, &edge).with(top.common).with(top.served);
            if top.passed > 0 {
                marks = marks.with(top.entry);
            }
            let id = match top.arrival {
                Arrival::Stored(id) => id,
                Arrival::Transient => {
                    self.push(Node::new(top.node.id(), edge.to), marks, top.passed + 1)?;
                    continue;
                }
                Arrival::None | Arrival::Stutter => top.node.id(),
            };
            return Continue(Event::Edge(Node::new(id, edge.to), marks));
        }
    }

    /// Takes the next step of the state on top of the stack.
    fn step(&mut self, mut top: Level<N>) -> ControlFlow<StopReason> {
        let Self { explorer, obligations, stack, .. } = self;
        let step = stack.steps[top.next];
        top.next += 1;
        top.left -= 1;
        top.edge = 0;
        match obligations.served(explorer.expander.system, &mut explorer.expander.state, step) {
            Some(served) => top.served = served,
            None => return Break(StopReason::Threads),
        }
        stack.put(top);
        let taken = explorer.take(step, top.node.id(), top.passed as usize, stack)?;
        top.arrival = match taken {
            Taken::New(id) | Taken::Seen(Some(id)) => Arrival::Stored(id),
            Taken::Passing => Arrival::Transient,
            Taken::Stayed => return Continue(()),
            Taken::Seen(None) => unreachable!("stores without numbers are refused"),
        };
        stack.put(top);
        explorer.expander.depth += 1;
        if let Taken::New(_) = taken {
            explorer.check(stack)?;
        }
        explorer.sink.maintain();
        Continue(())
    }

    /// Moves back to the state on top of the stack.
    fn retreat(&mut self) {
        let Some(mut top) = self.stack.levels.last() else { return };
        if let Arrival::Stored(_) | Arrival::Transient = top.arrival {
            self.explorer.expander.undo();
            self.explorer.expander.depth -= 1;
        }
        top.arrival = Arrival::None;
        self.stack.put(top);
    }

    /// Pops the stack. The walk is then where it was when the popped level was entered.
    pub fn leave(&mut self) {
        let base = self.stack.base();
        self.stack.levels.pop();
        self.stack.steps.truncate(base);
    }

    /// Moves back to a level, which becomes the top of the stack.
    pub fn unwind(&mut self, level: usize) {
        self.retreat();
        while self.stack.len() > level + 1 {
            self.leave();
            self.retreat();
        }
    }
}

impl<const N: usize> Stack<N> {
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    fn put(&mut self, level: Level<N>) {
        if let Some(top) = self.levels.last_mut() {
            *top = level;
        }
    }

    /// The index of the first step of the top level.
    fn base(&self) -> usize {
        let below = self.levels.len().checked_sub(2);
        below.map_or(0, |below| self.levels[below].next + self.levels[below].left as usize)
    }

    /// The nodes on the stack with their levels, from the top down.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, Level<N>)> {
        let levels = (0..self.levels.len()).rev().map(|at| (at, self.levels[at]));
        levels.filter(|(_, level)| level.passed == 0)
    }

    /// The step by which a level is being left; `None` if it stutters.
    fn taken(&self, level: Level<N>) -> Option<Step> {
        match level.arrival {
            Arrival::Stored(_) | Arrival::Transient => Some(self.steps[level.next - 1]),
            Arrival::None | Arrival::Stutter => None,
        }
    }

    /// The moves from the initial node to the top of the stack.
    pub fn moves(&self) -> Vec<Move> {
        let entered =
            |at: usize| Move { step: self.taken(self.levels[at - 1]), to: self.levels[at].node.state() };
        (1..self.levels.len()).map(entered).collect()
    }
}

impl<S: Temporal, T: ?Sized, const N: usize> Path<S, T> for Stack<N> {
    fn trail(&self, _: &S, _: &mut T, last: Option<(Step, Fault)>) -> Trail {
        let taken = self.levels.iter().filter_map(|level| self.taken(level));
        Trail { steps: taken.chain(last.map(|(step, _)| step)).collect() }
    }

    fn open(&self, _: usize) -> Open {
        Open::Stack(self.levels.len())
    }
}
