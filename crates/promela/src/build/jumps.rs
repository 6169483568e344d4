//! Labels and jumps.

use source::{Diagnostic, Span};

use super::Builder;
use crate::ast;
use crate::codes;
use crate::elements::{Destination, ElementId, Node, Sequence, SequenceId};

impl Builder<'_> {
    pub(super) fn check_labels(&mut self, stmt: &ast::Stmt) {
        let path = self.scopes.path();
        for name in &stmt.labels {
            let process = self.elements.process;
            let known = self.elements.labels.iter().find(|label| {
                label.process == process
                    && matches!(&label.destination, Destination::Label { name: text, scopes }
                        if *text == name.text && *scopes == path)
            });
            if let Some(known) = known {
                let message = format!("the label `{}` is there already", name.text);
                self.diagnostics.push(
                    Diagnostic::error(codes::DUPLICATE_LABEL, message)
                        .at(name.span, "again")
                        .label(known.span, "the first one"),
                );
            }
        }
    }

    /// Checks the jumps of the process that was read last.
    pub(super) fn check_jumps(&mut self) {
        let at = self.processes.len() - 1;
        self.mention_jumps(at);
        let mut open = vec![self.processes[at].body];
        while let Some(sequence) = open.pop() {
            for element in self.members(sequence) {
                let item = self.elements.el(element);
                open.extend(&item.options);
                match &item.node {
                    Node::Atomic(inner) | Node::Plain(inner) | Node::DStep(inner) => open.push(*inner),
                    Node::Goto(destination) => {
                        let (destination, span, dstep) = (destination.clone(), item.span, item.dstep);
                        self.check_jump(&destination, at, span, dstep);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The elements of a sequence, without those that link it to others.
    pub fn members(&self, sequence: SequenceId) -> Vec<ElementId> {
        let Sequence { first, extent, .. } = self.elements.seq(sequence);
        let mut members = Vec::new();
        let mut at = first;
        while let Some(element) = at {
            members.push(element);
            if at == extent {
                break;
            }
            at = self.elements.el(element).next;
        }
        members
    }

    fn check_jump(&mut self, destination: &Destination, process: usize, span: Span, dstep: u32) {
        let Some(found) = self.elements.find_label(destination, process) else {
            if let Destination::Label { name, .. } = destination {
                let message = format!("there is no label `{name}`");
                let diagnostic =
                    Diagnostic::error(codes::UNKNOWN_LABEL, message).at(span, "a jump to nowhere");
                let diagnostic = match self.similar_label(process, name) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic.note("a jump stays inside of its process"),
                };
                self.diagnostics.push(diagnostic);
            }
            return;
        };
        self.elements.labels[found].used = true;
        let target = self.elements.el(self.elements.labels[found].element);
        if target.dstep != dstep {
            let to = target.span;
            let (message, label) = if dstep == 0 {
                ("a jump into a `d_step`", "inside of the `d_step`")
            } else {
                ("a jump out of a `d_step`", "outside of the `d_step`")
            };
            self.diagnostics
                .push(Diagnostic::error(codes::DSTEP_JUMP, message).at(span, "the jump").label(to, label));
        }
    }
}
