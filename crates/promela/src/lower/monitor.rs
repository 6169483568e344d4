//! `trace` and `notrace`.

use ir::{Monitor, MonitorEvent, MonitorState};
use source::Span;

use super::Lowering;
use crate::build::ProcessKind;
use crate::elements::{Element, Node};
use crate::tree::{Arg, Basic};

impl Lowering<'_, '_> {
    pub(super) fn monitor(&mut self) {
        for at in 0..self.builder.processes.len() {
            if let ProcessKind::Trace { negated } = self.builder.processes[at].kind {
                let span = self.builder.processes[at].span;
                self.trace(at, negated, span);
            }
        }
    }

    fn trace(&mut self, process: usize, negated: bool, span: Span) {
        let Some(automaton) = self.automata[process].take() else { return };
        let is_final = |number: u32| {
            automaton.states[number as usize].edges.iter().all(|edge| {
                !matches!(self.builder.elements.el(edge.element).node, Node::Basic(Basic::Event { .. }))
            })
        };
        let mut numbers = automaton.reachable();
        numbers.sort_by_key(|&number| (number != automaton.entry, is_final(number)));
        let mut states = Vec::new();
        for &number in &numbers {
            let state = &automaton.states[number as usize];
            let mut events = Vec::new();
            for edge in &state.edges {
                let Element { node, span, .. } = self.builder.elements.el(edge.element).clone();
                let Node::Basic(Basic::Event { send, channel, args }) = node else { continue };
                let Some(target) = numbers.iter().position(|&number| number == edge.target) else { continue };
                let pattern = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Match(value) => Some(self.number(value)),
                        Arg::Store(_) | Arg::StoreThrough(_) | Arg::Any => None,
                    })
                    .collect();
                let channel = self.number(&channel);
                events.push(MonitorEvent { send, channel, pattern, target: target as u32, span });
            }
            states.push(MonitorState { events, end: state.end });
        }
        // An endless trace has an end all the same, to which a `notrace` goes when an event does not match.
        if states.last().is_none_or(|state| !state.events.is_empty()) {
            states.push(MonitorState { events: Vec::new(), end: true });
        }
        self.program.monitor = Some(Monitor { states, negated, span });
    }
}
