//! From elements to states and transitions, as SPIN's verifier has them.
//!
//! A state is an element; its transition leads to the next element. Selections, blocks and `atomic`s are
//! states too, with the transitions of their first elements. Jumps and joins are mostly passed over, except
//! as the first statement of an option, or where passing over them would lead out of an `atomic`. So the
//! state of an option differs from the state of the selection, although both have the same transitions.
//!
//! Escapes of `unless` are copied in front of the transitions of the states that they cover, in *ranks*: SPIN
//! tries the transitions of a state one after the other, and once one of an escape is possible, only those of
//! that escape count.
//!
//! The changes made here to the table of transitions are those that the verifier makes to its own before it
//! starts.

use crate::elements::{ATOMIC, Destination, Element, ElementId, Elements, LAST, Node, Sequence, SequenceId};
use crate::walk::{Cycle, Walk, after, hunt, is_dead, start};

#[derive(Clone, Debug)]
pub struct Edge {
    /// The statement.
    pub element: ElementId,
    pub atomic: bool,
    /// The number of a state; 0 is none.
    pub target: u32,
    /// The state of the escape it comes from, or 0.
    pub escape: u32,
    /// The states of the escapes that cover it.
    escapes: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub edges: Vec<Edge>,
    /// A process may stay here.
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    pub element: Option<ElementId>,
    /// Its edges are options, still to be replaced by the edges of their first states.
    choice: bool,
}

#[derive(Debug)]
pub struct Automaton {
    /// By their numbers; 0 is no state.
    pub states: Vec<State>,
    pub entry: u32,
}

pub fn automaton(
    elements: &mut Elements,
    process: usize,
    body: SequenceId,
    count: u32,
) -> Result<Automaton, Cycle> {
    let states = vec![State::default(); count as usize];
    let done = vec![false; elements.all.len()];
    let mut maker = Maker { elements, process, states, done };
    let first = maker.elements.first(body);
    let marks = maker.elements.el(first).marks;
    maker.sequence(body)?;
    maker.ends();
    let entry = maker.hunt(first, marks)?;
    let entry = maker.elements.el(entry).number;
    maker.flatten();
    maker.pull();
    maker.escape();
    Ok(Automaton { states: maker.states, entry })
}

impl Automaton {
    /// The states that can be reached from the entry, ascending.
    pub fn reachable(&self) -> Vec<u32> {
        let mut seen = vec![false; self.states.len()];
        let mut open = vec![self.entry];
        while let Some(at) = open.pop() {
            if at == 0 || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            open.extend(self.states[at as usize].edges.iter().map(|edge| edge.target));
        }
        (1..).zip(&seen[1..]).filter(|&(_, &seen)| seen).map(|(at, _)| at).collect()
    }
}

impl Automaton {
    /// The states that can be reached from the entry, each with whether its process is inside an atomic block
    /// there, in order.
    pub fn reachable_with_atomic(&self) -> Vec<(u32, bool)> {
        let mut seen = std::collections::BTreeSet::from([(self.entry, false)]);
        let mut open = vec![(self.entry, false)];
        while let Some((at, _)) = open.pop() {
            for edge in &self.states[at as usize].edges {
                let next = (edge.target, edge.atomic);
                if next.0 != 0 && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen.into_iter().collect()
    }
}

struct Maker<'e> {
    elements: &'e mut Elements,
    process: usize,
    states: Vec<State>,
    done: Vec<bool>,
}

impl Walk for Maker<'_> {
    fn elements(&self) -> &Elements {
        self.elements
    }

    fn visit(&mut self, element: ElementId) -> bool {
        !std::mem::replace(&mut self.done[element.0], true)
    }

    fn element(&mut self, element: ElementId) -> Result<(), Cycle> {
        let Element { node, options, .. } = self.elements.el(element).clone();
        match node {
            Node::Unless => self.sequence(options[0])?,
            Node::If | Node::Do => {
                let mut edges = Vec::new();
                for &option in &options {
                    let first = start(self.elements, self.elements.first(option));
                    if !is_dead(self.elements, first) {
                        edges.push(self.option(element, first));
                    }
                }
                self.set(element, true, edges);
                for option in options {
                    self.sequence(option)?;
                }
            }
            Node::Atomic(inner) | Node::Plain(inner) => {
                self.enter(element, inner);
                let first = start(self.elements, self.elements.first(inner));
                let edge = self.option(element, first);
                self.set(element, true, vec![edge]);
                self.sequence(inner)?;
            }
            Node::DStep(inner) => {
                self.enter(element, inner);
                self.simple(element)?;
            }
            _ => self.simple(element)?,
        }
        Ok(())
    }
}

impl Maker<'_> {
    fn hunt(&self, from: ElementId, marks: u8) -> Result<ElementId, Cycle> {
        hunt(self.elements, self.process, from, marks)
    }

    fn set(&mut self, element: ElementId, choice: bool, edges: Vec<Edge>) {
        let number = self.elements.el(element).number as usize;
        let state = &mut self.states[number];
        state.edges = edges;
        state.choice = choice;
        state.element = Some(element);
    }

    fn number(&self, element: ElementId) -> u32 {
        self.elements.el(element).number
    }

    fn option(&self, element: ElementId, target: ElementId) -> Edge {
        Edge { element, atomic: false, target: self.number(target), escape: 0, escapes: Vec::new() }
    }

    /// Links the end of a block to the element after it.
    fn enter(&mut self, element: ElementId, inner: SequenceId) {
        self.patch(inner);
        self.elements.link_end(inner, self.elements.el(element).next);
    }

    /// Jumps out of an `atomic` end it; those to another one do not.
    fn patch(&mut self, sequence: SequenceId) {
        let Sequence { first, extent, .. } = self.elements.seq(sequence);
        let mut at = first;
        while let Some(element) = at {
            let Element { node, options, marks, .. } = self.elements.el(element).clone();
            if let Node::Goto(to) = &node {
                if let Some(target) = self.elements.target(to, self.process) {
                    let inside = self.elements.el(target).marks & (ATOMIC | LAST) != 0;
                    let marks = match (marks & (ATOMIC | LAST) != 0, inside) {
                        (true, false) => marks & !ATOMIC | LAST,
                        (_, true) if marks & LAST != 0 => marks & !LAST | ATOMIC,
                        _ => marks,
                    };
                    self.elements.all[element.0].marks = marks;
                }
            } else {
                for option in options {
                    self.patch(option);
                }
            }
            if at == extent {
                break;
            }
            at = self.elements.el(element).next;
        }
    }

    /// An element with one transition.
    fn simple(&mut self, element: ElementId) -> Result<(), Cycle> {
        let Element { node, marks, escapes, .. } = self.elements.el(element).clone();
        let target = match after(self.elements, self.process, element) {
            Some(target) => {
                let target = self.hunt(target, marks)?;
                self.number(target)
            }
            None => 0,
        };
        let mut states = Vec::new();
        if !matches!(node, Node::Join) {
            for &escape in &escapes {
                let first = self.hunt(self.elements.first(escape), marks)?;
                states.push(self.number(first));
            }
        }
        let atomic = marks & ATOMIC != 0;
        self.set(element, false, vec![Edge { element, atomic, target, escape: 0, escapes: states }]);
        if !matches!(node, Node::Join) {
            for escape in escapes {
                self.sequence(escape)?;
            }
        }
        Ok(())
    }

    fn ends(&mut self) {
        for label in self.elements.labels.iter().filter(|label| label.process == self.process) {
            if let Destination::Label { name, .. } = &label.destination {
                let state = &mut self.states[self.elements.el(label.element).number as usize];
                state.end |= name.starts_with("end");
                state.accept |= name.starts_with("accept");
                state.progress |= name.starts_with("progress");
            }
        }
        for state in &mut self.states {
            let is_end = |element: ElementId| matches!(self.elements.el(element).node, Node::End);
            state.end |= state.element.is_some_and(is_end);
        }
    }

    /// Passes a label from the skipped state `from` on to the target of `edge`.
    fn pass(&mut self, target: u32, from: u32) {
        let State { end, accept, progress, .. } = self.states[from as usize];
        let target = &mut self.states[target as usize];
        target.end |= end;
        target.accept |= accept;
        target.progress |= progress;
    }

    /// Replaces options that are choices by their options.
    fn flatten(&mut self) {
        loop {
            let mut changed = false;
            for at in 1..self.states.len() {
                let state = &self.states[at];
                let nested = |edge: &Edge| edge.target != 0 && self.states[edge.target as usize].choice;
                if !state.choice || !state.edges.iter().any(nested) {
                    continue;
                }
                let mut edges = Vec::new();
                for edge in self.states[at].edges.clone() {
                    let inner = &self.states[edge.target as usize];
                    if inner.choice {
                        for inner in inner.edges.clone() {
                            self.pass(inner.target, edge.target);
                            edges.push(inner);
                        }
                        changed = true;
                    } else {
                        self.pass(edge.target, edge.target);
                        edges.push(edge);
                    }
                }
                self.states[at].edges = edges;
            }
            if !changed {
                return;
            }
        }
    }

    /// Gives choices the transitions of the first states of their options.
    fn pull(&mut self) {
        for at in 1..self.states.len() {
            if !self.states[at].choice {
                continue;
            }
            let mut edges = Vec::new();
            for edge in self.states[at].edges.clone() {
                let Some(first) = self.states[edge.target as usize].edges.first().cloned() else { continue };
                self.pass(first.target, edge.target);
                edges.push(first);
            }
            self.states[at].edges = edges;
        }
    }

    /// Puts the transitions of escapes in front of those they cover.
    fn escape(&mut self) {
        for at in 1..self.states.len() {
            for edge in self.states[at].edges.clone() {
                for &escape in edge.escapes.iter().rev() {
                    for mut taken in self.states[escape as usize].edges.clone() {
                        let edges = &mut self.states[at].edges;
                        if edges.iter().any(|known| known.element == taken.element) {
                            continue;
                        }
                        taken.escape = escape;
                        edges.insert(0, taken);
                    }
                }
            }
        }
    }
}
