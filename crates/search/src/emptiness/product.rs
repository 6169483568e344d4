//! The product of a system and an automaton, depth first.
//!
//! A node is a stored state with a state of the automaton. An edge leads from `(s, q)` to `(s', q')` if a step leads from `s` to
//! `s'` and an edge from `q` to `q'` whose label holds *in `s`*. Where `s` is not observed, being the middle of something, the automaton stays
//! where it is ([`super::reader`]). Transient states are not stored and no nodes, but the marks that are met there count for the edge between
//! the nodes around them. A state without steps stutters, unless finite runs do not count: it is its own successor, so that every run is
//! infinite.
//!
//! A [`Walk`] goes through the product and asks whoever directs it what to do:
//!
//! | [`Event`] | it stands at          | the director                                                            |
//! |-----------|-----------------------|-------------------------------------------------------------------------|
//! | `Edge`    | the target            | calls [`Walk::enter`] to go on from there, or nothing                   |
//! | `Leave`   | the node on top       | calls [`Walk::leave`]                                                   |
//! | `End`     | nowhere               |                                                                         |
//!
//! There is one concrete state. A step is fired once for all edges of the automaton that go with it.

use std::collections::BTreeSet;
use std::ops::ControlFlow::{self, Break, Continue};

use ltl::strength::{Strength, Weakness};
use ltl::{Automaton, State};
use store::{Budget, Chunked, StateId, StateStore};
use system::{Fault, Halt, Step, Temporal, is_abandoned};

use super::Claim;
use super::lasso::Move;
use super::marks::Sets;
use super::reader::Reader;
use crate::explore::{Explorer, Path, Taken, or_stop};
use crate::observer::Open;
use crate::outcome::{Consequence, StopReason};
use crate::trail::Trail;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub id: StateId,
    pub state: State,
}

impl Node {
    /// Its place among all nodes.
    pub fn index(self, automaton: &Automaton) -> usize {
        self.id.index() * automaton.edges.len() + self.state.index()
    }
}

pub enum Event<const N: usize> {
    /// An edge leads from the node on top to this one, with all marks since that node.
    Edge(Node, Sets<N>),
    /// The node on top has no more edges.
    Leave(Node),
    End,
}

pub struct Walk<'a, S: Temporal, T: ?Sized, const N: usize> {
    pub explorer: Explorer<'a, S, T>,
    pub reader: &'a Reader,
    /// The reader's.
    pub automaton: &'a Automaton,
    pub stack: Stack<N>,
    /// The states of the automaton that were entered.
    pub entered: Vec<bool>,
    /// How many nodes were discovered.
    pub nodes: usize,
    pub seen: Seen,
    /// Finite runs are extended for ever.
    pub stutters: bool,
    /// From which states every word is accepted, as far as that is known.
    accepts_all: Vec<bool>,
    /// The way to where one is entered first: whatever the system does next, the automaton will accept it.
    pub doomed: Option<Trail>,
}

/// The states from the initial one to where the walk stands.
pub struct Stack<const N: usize> {
    levels: Chunked<Level<N>>,
    steps: Chunked<Step>,
}

#[derive(Clone, Copy)]
pub struct Level<const N: usize> {
    /// Of a transient state, the last node below it, with the state that the automaton is in by now.
    pub node: Node,
    /// How many transient states in a row it is the last of; 0 if it is stored.
    passed: u32,
    /// Where its next step leads, or where it led.
    arrival: Arrival,
    /// The marks since the node below.
    pub entry: Sets<N>,
    /// The marks of all its edges.
    common: Sets<N>,
    /// The marks of those who move in the last step.
    moved: Sets<N>,
    /// What holds in it, if it is observed.
    valuation: Option<u64>,
    /// The place of the next step.
    next: usize,
    /// How many steps are left.
    left: u32,
    /// The next edge of the automaton that is to go with the last step.
    edge: u32,
}

#[derive(Clone, Copy)]
enum Arrival {
    /// The walk stands at the state of the level.
    None,
    Stored(StateId),
    Transient,
    /// The state is its own successor.
    Stutter,
}

/// What held in states, in all combinations, unless these are many.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    last: Option<u64>,
    all: BTreeSet<u64>,
}

impl Seen {
    const MOST: usize = 1 << 10;

    #[inline]
    fn add(&mut self, valuation: u64) {
        if self.last != Some(valuation) && self.all.len() <= Self::MOST {
            self.last = Some(valuation);
            self.all.insert(valuation);
        }
    }

    /// All of them, if they are not too many.
    pub fn all(&self) -> Option<Vec<u64>> {
        (self.all.len() <= Self::MOST).then(|| self.all.iter().copied().collect())
    }
}

/// What holds in a state, unless it is the middle of something where nobody looks.
pub fn observe<S: Temporal>(system: &S, state: &mut S::State) -> Result<Option<u64>, Halt> {
    if system.is_observed(state) { system.valuation(state).map(Some) } else { Ok(None) }
}

impl<'a, S, T, const N: usize> Walk<'a, S, T, N>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    pub fn new(explorer: Explorer<'a, S, T>, claim: &Claim<'_>, reader: &'a Reader, budget: &Budget) -> Self {
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
            stack,
            entered,
            nodes: 0,
            seen: Seen::default(),
            stutters,
            accepts_all,
            doomed: None,
        }
    }

    /// Stores the initial state. The walk stands at the node that it begins with, to be entered.
    pub fn start(&mut self) -> ControlFlow<StopReason, Node> {
        let id = self.explorer.start(&self.stack)?;
        self.explorer.check(&self.stack)?;
        Continue(Node { id, state: self.automaton.initial })
    }

    /// Goes on from the node at which the walk stands, the target of the last edge.
    pub fn enter(&mut self, node: Node, entry: Sets<N>) -> ControlFlow<StopReason> {
        self.push(node, entry, 0)
    }

    fn push(&mut self, node: Node, entry: Sets<N>, passed: u32) -> ControlFlow<StopReason> {
        self.entered[node.state.index()] = true;
        or_stop(self.stack.levels.push(Level {
            node,
            passed,
            arrival: Arrival::None,
            entry,
            common: Sets::NONE,
            moved: Sets::NONE,
            valuation: None,
            next: self.stack.steps.len(),
            left: 0,
            edge: 0,
        }))?;
        self.expand()
    }

    /// Gives the top of the stack its steps, unless the automaton cannot go on.
    fn expand(&mut self) -> ControlFlow<StopReason> {
        let Self { explorer, reader, stack, accepts_all, doomed, seen, .. } = self;
        let Some(mut top) = stack.levels.last() else { return Continue(()) };
        match observe(explorer.system, &mut explorer.state) {
            Ok(valuation) => {
                if let Some(valuation) = valuation {
                    seen.add(valuation);
                }
                top.valuation = valuation;
            }
            // Which edges of the automaton go with its steps is not known: the state has no successors.
            Err(halt) => return explorer.halt(halt, Consequence::OfProperty, stack),
        }
        let from = top.node.state;
        let mut enabled = reader.edges(from, top.valuation).peekable();
        // A guess that the run diverges goes on from unobserved states only.
        let may_go_on = enabled.peek().is_some() || from == reader.diverging;
        if doomed.is_none() && top.valuation.is_some() && enabled.any(|edge| accepts_all[edge.to.index()]) {
            *doomed = Some(stack.trail(explorer.system, &mut *explorer.store, None));
        }
        if may_go_on {
            explorer.offer(stack)?;
            // In the middle of something that nobody interrupts, that others have no steps says nothing about them.
            if top.valuation.is_some() {
                match Sets::idle(explorer.system, &mut explorer.state, &explorer.steps) {
                    Some(idle) => top.common = idle,
                    None => return Break(StopReason::Threads),
                }
                // The steps of all threads may not have been found.
                if is_abandoned(explorer.system, &explorer.state) {
                    return explorer.ledger.abandon();
                }
            }
            if explorer.is_stuck && self.stutters {
                (top.arrival, top.edge, top.moved) = (Arrival::Stutter, 0, Sets::NONE);
            }
            for &step in &explorer.steps.enabled {
                or_stop(stack.steps.push(step))?;
            }
            top.left = explorer.steps.enabled.len() as u32;
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
            let (from, place) = (top.node.state, top.edge as usize);
            let leads_to_observed = self.explorer.system.is_observed(&self.explorer.state);
            let next = self.reader.next_edge(from, top.valuation, leads_to_observed, place);
            let Some((at, edge)) = next else {
                self.retreat();
                continue;
            };
            top.edge = at as u32 + 1;
            self.stack.put(top);
            let mut marks = self.reader.sets(from, &edge).with(top.common).with(top.moved);
            if top.passed > 0 {
                marks = marks.with(top.entry);
            }
            let id = match top.arrival {
                Arrival::Stored(id) => id,
                Arrival::Transient => {
                    self.push(Node { id: top.node.id, state: edge.to }, marks, top.passed + 1)?;
                    continue;
                }
                Arrival::None | Arrival::Stutter => top.node.id,
            };
            return Continue(Event::Edge(Node { id, state: edge.to }, marks));
        }
    }

    /// Takes the next step of the top of the stack.
    fn step(&mut self, mut top: Level<N>) -> ControlFlow<StopReason> {
        let Self { explorer, stack, .. } = self;
        let step = stack.steps[top.next];
        top.next += 1;
        top.left -= 1;
        top.edge = 0;
        match Sets::movers(explorer.system, &mut explorer.state, step) {
            Some(movers) => top.moved = movers,
            None => return Break(StopReason::Threads),
        }
        stack.put(top);
        let taken = explorer.take(step, top.node.id, top.passed as usize, stack)?;
        top.arrival = match taken {
            Taken::New(id) | Taken::Seen(Some(id)) => Arrival::Stored(id),
            Taken::Passing => Arrival::Transient,
            Taken::Stayed => return Continue(()),
            Taken::Seen(None) => unreachable!("stores without numbers are refused"),
        };
        stack.put(top);
        explorer.depth += 1;
        if let Taken::New(_) = taken {
            explorer.check(stack)?;
        }
        explorer.maintain();
        Continue(())
    }

    /// Goes back to the state of the top of the stack.
    fn retreat(&mut self) {
        let Some(mut top) = self.stack.levels.last() else { return };
        if let Arrival::Stored(_) | Arrival::Transient = top.arrival {
            self.explorer.undo();
            self.explorer.depth -= 1;
        }
        top.arrival = Arrival::None;
        self.stack.put(top);
    }

    /// Takes the top from the stack. The walk stands where it stood when that was entered.
    pub fn leave(&mut self) {
        let base = self.stack.base();
        self.stack.levels.pop();
        self.stack.steps.truncate(base);
    }

    /// Goes back to a level, which is on top from then on.
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

    /// Where the steps of the top begin.
    fn base(&self) -> usize {
        let below = self.levels.len().checked_sub(2);
        below.map_or(0, |below| self.levels[below].next + self.levels[below].left as usize)
    }

    /// The nodes with their levels, from the top down.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, Level<N>)> {
        let levels = (0..self.levels.len()).rev().map(|at| (at, self.levels[at]));
        levels.filter(|(_, level)| level.passed == 0)
    }

    /// The step by which a level is being left. There is none where it stutters.
    fn taken(&self, level: Level<N>) -> Option<Step> {
        match level.arrival {
            Arrival::Stored(_) | Arrival::Transient => Some(self.steps[level.next - 1]),
            Arrival::None | Arrival::Stutter => None,
        }
    }

    /// How the walk came to the top of the stack.
    pub fn moves(&self) -> Vec<Move> {
        let entered =
            |at: usize| Move { step: self.taken(self.levels[at - 1]), to: self.levels[at].node.state };
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
