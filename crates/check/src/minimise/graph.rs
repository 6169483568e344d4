//! The states of a model around a run, on the plain interpreter, as far as they are asked for.

use std::collections::HashMap;
use std::rc::Rc;

use naive::State;
use system::Step;

use super::stage::Stage;
use crate::replay::Word;

/// The number of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateNumber(u32);

/// A part of the state graph.
pub struct Graph<'a> {
    stage: &'a Stage<'a>,
    /// Evaluates propositions.
    word: Word<'a>,
    states: Vec<State>,
    /// A state is told apart from others by the thread that the property is about, too.
    numbers: HashMap<(State, Option<u32>), StateNumber>,
    around: Vec<Option<Rc<Around>>>,
    /// How often something was asked.
    asked: u64,
}

/// What is known already costs as much as a step of the interpreter when it was asked for this often.
const LOOKS_PER_STEP: u64 = 16;

/// What is known about a state.
pub struct Around {
    /// The propositions that hold, if the state is observed.
    pub letter: Option<u64>,
    /// The threads that can move.
    pub enabled: Vec<u32>,
    /// The run ends here: no thread can move.
    pub is_end: bool,
    pub edges: Vec<Edge>,
}

/// A step to another state.
#[derive(Clone, Copy)]
pub struct Edge {
    pub step: Step,
    /// The receiver of a rendezvous.
    pub partner: Option<u32>,
    pub to: StateNumber,
}

impl<'a> Graph<'a> {
    pub fn new(stage: &'a Stage<'a>, word: Word<'a>) -> Self {
        Self { stage, word, states: Vec::new(), numbers: HashMap::new(), around: Vec::new(), asked: 0 }
    }

    pub fn initial(&mut self) -> StateNumber {
        self.number(self.stage.naive.initial())
    }

    fn number(&mut self, state: State) -> StateNumber {
        let next = StateNumber(self.states.len() as u32);
        let individual = self.word.thread(&state);
        let number = *self.numbers.entry((state.clone(), individual)).or_insert(next);
        if number == next {
            self.states.push(state);
            self.around.push(None);
        }
        number
    }

    /// The thread that the property is about, in a state.
    pub fn individual(&self, state: StateNumber) -> Option<u32> {
        self.word.thread(&self.states[state.0 as usize])
    }

    /// What is known about a state. Nothing is if there is no effort left, or if its propositions have no
    /// values.
    pub fn around(&mut self, state: StateNumber) -> Option<Rc<Around>> {
        let at = state.0 as usize;
        self.asked += 1;
        if self.asked.is_multiple_of(LOOKS_PER_STEP) && !self.stage.effort.spend(1) {
            return None;
        }
        if self.around[at].is_none() {
            self.around[at] = self.explore(at).map(Rc::new);
        }
        self.around[at].clone()
    }

    fn explore(&mut self, at: usize) -> Option<Around> {
        // To find the steps takes long as well, and may be asked for many times once the effort is spent.
        if !self.stage.effort.has_left() {
            self.stage.effort.give_up();
            return None;
        }
        let naive = self.stage.naive;
        let state = self.states[at].clone();
        let (steps, faults) = naive.steps(&state);
        if !self.stage.effort.spend(2 * (steps.len() as u64 + 1)) {
            return None;
        }
        let letter = match state.exclusive {
            Some(_) => None,
            None => Some(self.word.valuation(&state).ok()?),
        };
        let mut enabled: Vec<u32> = steps.iter().map(|step| step.thread).collect();
        enabled.dedup();
        let is_end = steps.is_empty() && faults.is_empty();
        let mut edges = Vec::with_capacity(steps.len());
        for step in steps {
            let fired = naive.fire_recorded(&state, step);
            let Ok(next) = fired.next else { continue };
            let partner = fired.events.partner.map(|(thread, _)| thread);
            edges.push(Edge { step, partner, to: self.number(next) });
        }
        // What was computed after the alarm is void.
        self.stage.effort.spend(0).then_some(Around { letter, enabled, is_end, edges })
    }

    /// The states of a run from a state on, with the edges between them.
    pub fn follow(&mut self, from: StateNumber, steps: &[Step]) -> Option<Vec<(StateNumber, Edge)>> {
        let mut at = from;
        let mut run = Vec::with_capacity(steps.len());
        for &step in steps {
            let edge = *self.around(at)?.edges.iter().find(|edge| edge.step == step)?;
            run.push((at, edge));
            at = edge.to;
        }
        Some(run)
    }
}
