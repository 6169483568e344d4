//! The graph of a program as a machine: inputs and answers by number.

use compose::Explored;
use quotient_model::{Model, Shape, Term};
use rustc_hash::FxHashMap;

/// A deterministic machine in which some inputs may be impossible in some states.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    states: usize,
    inputs: usize,
    /// By state and input: the answer and the next state.
    steps: Vec<Option<(u32, u32)>>,
}

impl Machine {
    pub fn new(states: usize, inputs: usize) -> Self {
        Self { states, inputs, steps: vec![None; states * inputs] }
    }

    pub fn set(&mut self, state: usize, input: usize, answer: u32, to: u32) {
        self.steps[state * self.inputs + input] = Some((answer, to));
    }

    pub fn step(&self, state: usize, input: usize) -> Option<(u32, usize)> {
        self.steps[state * self.inputs + input].map(|(answer, to)| (answer, to as usize))
    }

    pub const fn states(&self) -> usize {
        self.states
    }

    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// The machine of a graph without symmetry, and the actions by input.
    pub fn of<M: Model>(graph: &Explored<M>) -> (Self, Vec<M::Action>) {
        let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
        let mut actions = Vec::new();
        let mut inputs = Vec::new();
        for edge in &graph.edges {
            inputs.push(*numbers.entry(edge.action.term()).or_insert_with(|| {
                actions.push(edge.action.clone());
                actions.len() - 1
            }));
        }
        let mut answers: FxHashMap<&[Term], u32> = FxHashMap::default();
        let mut machine = Self::new(graph.vertices.len(), actions.len());
        for (edge, input) in graph.edges.iter().zip(inputs) {
            let next = answers.len() as u32;
            let answer = *answers.entry(edge.answers.as_slice()).or_insert(next);
            machine.set(edge.from, input, answer, edge.to as u32);
        }
        (machine, actions)
    }
}
