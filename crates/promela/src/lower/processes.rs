//! Processes: locations and transitions.

use ir::{Action, BinaryOp, Claim, Exit, ExprKind, Guard, Jump, LocationId, Scope, Transition, TransitionId};

use source::Diagnostic;

use super::{Lowering, is_else};
use crate::automaton::Edge;
use crate::build::ProcessKind;
use crate::codes;
use crate::elements::{ElementId, Node};

impl Lowering<'_, '_> {
    pub(super) fn lower_processes(&mut self) {
        for at in 0..self.builder.processes.len() {
            let Some(id) = self.procedures[at] else { continue };
            self.current = at;
            self.scope = Scope::Procedure(id);
            if self.program.procedures[id].kind == ir::ProcedureKind::Thread {
                self.program.procedures[id].prologue = self.make_boxes();
                self.initial_locals(at);
            } else {
                self.initial_values_of_function(at);
                self.enter_function();
            }
            if let Some(provided) = self.builder.processes[at].provided.clone() {
                let provided = self.condition(&provided);
                self.program.procedures[id].provided = Some(provided);
            }
            for claim in self.builder.processes[at].claims.clone() {
                let channel = self.number(&claim.channel);
                let claim = Claim { receive: claim.receive, channel, span: claim.span };
                self.program.procedures[id].claims.push(claim);
            }
            let mut keys: Vec<_> = self.locations[at].keys().copied().collect();
            keys.sort_unstable();
            for key in keys {
                self.state(key);
            }
        }
        self.scope = Scope::Program;
    }

    fn state(&mut self, key: (u32, bool)) {
        let Some(automaton) = &self.automata[self.current] else { return };
        let state = &automaton.states[key.0 as usize];
        let edges = state.edges.clone();
        self.inside = state.element.map_or(0, |element| self.builder.elements.el(element).scope);
        let source = self.locations[self.current][&key];
        let mut rank = 0;
        for (at, edge) in edges.iter().enumerate() {
            if at > 0 && edges[at - 1].escape != edge.escape {
                rank += 1;
            }
            self.edge(source, &edges, at, rank);
        }
    }

    fn edge(&mut self, source: LocationId, edges: &[Edge], at: usize, rank: u32) {
        let edge = &edges[at];
        if self.call_edge(source, edge, rank) {
            return;
        }
        let element = self.builder.elements.el(edge.element).clone();
        let resets = self.leaving(edge.element, edge.target);
        let mut after = self.target(edge.target, edge.atomic);
        let exclusive = edge.atomic && self.program.features.thread_ids_observable;
        let (mut guard, mut body, mut exit) = if let Node::DStep(inner) = element.node {
            if let (Exit::Jump(then), false) = (&after, resets.is_empty()) {
                after = Exit::Jump(Jump::Goto(self.fused(resets, then.clone())));
            }
            self.dstep(edge.element, inner, exclusive, after.clone())
        } else {
            let (guard, mut body) = self.statement(edge.element);
            body.extend(resets);
            (guard, body, after.clone())
        };
        if guard == Guard::Else {
            guard = self.otherwise(edges, at);
        }
        // A rendezvous does not lead to the middle of a step.
        if let (Exit::Jump(Jump::Goto(at)), true) = (&exit, exit == after)
            && self.program.locations[*at].fused
        {
            let end = &self.program.transitions[self.program.locations[*at].transitions[0]];
            body.extend(end.body.iter().cloned());
            exit = end.exit.clone();
        }
        body.extend(self.resets(edge.element));
        let mut transition = Transition::new(source, guard, body, exit, element.span);
        transition.rank = rank;
        transition.exclusive = exclusive;
        transition.number = element.unique;
        self.add_of(edge.element, transition);
    }

    /// Adds a transition of an element.
    pub(super) fn add_of(&mut self, element: ElementId, transition: Transition) {
        let calls = self.builder.elements.calls_of(element);
        let id = self.add(transition);
        if !calls.is_empty() {
            self.inlined.insert(id, calls);
        }
    }

    pub(super) fn add(&mut self, transition: Transition) -> TransitionId {
        let source = transition.source;
        let id = self.program.transitions.push(transition);
        self.program.locations[source].transitions.push(id);
        id
    }

    /// How a state is reached, by a step after which its process is or is not inside an atomic block.
    pub(super) fn target(&mut self, number: u32, is_atomic: bool) -> Exit {
        let is_atomic = is_atomic && !self.program.features.thread_ids_observable;
        Exit::Jump(match self.locations[self.current].get(&(number, is_atomic)) {
            Some(&location) => Jump::Goto(location),
            None => self.leave(),
        })
    }

    /// Whether the end of a process or function needs no condition: it is not SPIN's, which ends the youngest
    /// process first.
    pub(super) fn has_plain_ends(&self) -> bool {
        let is_function = matches!(self.builder.processes[self.current].kind, ProcessKind::Function(_));
        is_function || !self.program.features.thread_ids_observable
    }

    fn resets(&mut self, element: ElementId) -> Vec<Action> {
        let span = self.builder.elements.el(element).span;
        let symbols = self.dead.get(&element).cloned().unwrap_or_default();
        if matches!(self.builder.elements.el(element).node, Node::DStep(_)) {
            return Vec::new();
        }
        symbols.into_iter().map(|symbol| self.reset(symbol, span)).collect()
    }

    /// The guard of an `else`: SPIN takes it if none of the transitions that it tried before was possible.
    fn otherwise(&mut self, edges: &[Edge], at: usize) -> Guard {
        let escape = edges[at].escape;
        let same = |edge: &&Edge| edge.escape == escape;
        let before: Vec<_> = edges[..at].iter().filter(same).collect();
        if before.is_empty() {
            return Guard::Always;
        }
        if let Some(first) = before.iter().find(|edge| self.is_else_edge(edge)) {
            let span = |edge: &Edge| self.builder.elements.el(edge.element).span;
            let (first, second) = (span(first), span(&edges[at]));
            self.builder.diagnostics.push(
                Diagnostic::error(codes::DUPLICATE_ELSE, "a selection has only one `else`")
                    .at(second, "this one can never be taken")
                    .label(first, "this one comes first, from a selection inside"),
            );
            return Guard::Else;
        }
        let others = edges.iter().filter(|edge| edge.escape != escape).any(|edge| self.is_else_edge(edge));
        let last = edges[at + 1..].iter().filter(same).count() == 0;
        if last && !others {
            return Guard::Else;
        }
        let span = self.builder.elements.el(edges[at].element).span;
        let elements: Vec<_> = before.into_iter().map(|edge| edge.element).collect();
        let mut none = self.truth(true, span);
        for element in elements {
            let Some(enabled) = self.enabledness(element) else { return Guard::Else };
            let blocked = self.not(enabled);
            none = self.natural(ExprKind::Binary(BinaryOp::And, Box::new(none), Box::new(blocked)), span);
        }
        Guard::When(none)
    }

    fn is_else_edge(&self, edge: &Edge) -> bool {
        match &self.builder.elements.el(edge.element).node {
            Node::DStep(inner) => {
                is_else(&self.builder.elements.el(self.builder.elements.first(*inner)).node)
            }
            node => is_else(node),
        }
    }
}
