//! Warnings about unused things: variables, labels, processes, unreachable statements.

use source::Diagnostic;

use crate::automaton::Automaton;
use crate::build::{Builder, ProcessKind};
use crate::codes;
use crate::elements::{Destination, Node};

pub fn variables(builder: &mut Builder<'_>) {
    for symbol in &builder.symbols {
        if !symbol.used && !symbol.made {
            let what = if symbol.param { "parameter" } else { "variable" };
            let message = format!("the {what} `{}` is never used", symbol.name);
            builder
                .diagnostics
                .push(Diagnostic::warning(codes::UNUSED_VARIABLE, message).at(symbol.span, "not used"));
        }
    }
}

pub fn labels(builder: &mut Builder<'_>) {
    for label in &builder.elements.labels {
        let Destination::Label { name, .. } = &label.destination else { continue };
        let special = ["accept", "end", "progress"].iter().any(|prefix| name.starts_with(prefix));
        if !label.used && !special && builder.processes[label.process].kind != ProcessKind::Never {
            let message = format!("the label `{name}` is never used");
            let diagnostic = Diagnostic::warning(codes::UNUSED_LABEL, message).at(label.span, "not used");
            builder.diagnostics.push(diagnostic);
        }
    }
}

pub fn processes(builder: &mut Builder<'_>) {
    for process in &builder.processes {
        if process.kind == ProcessKind::Proctype && !builder.started.contains(&process.name) {
            let message = format!("no process `{}` is ever started", process.name);
            builder
                .diagnostics
                .push(Diagnostic::warning(codes::UNUSED_PROCTYPE, message).at(process.span, "not used"));
        }
    }
}

/// Unreachable statements after a jump.
pub fn statements(builder: &mut Builder<'_>, process: usize, automaton: &Automaton) {
    let mut reached = vec![false; automaton.states.len()];
    for number in automaton.reachable() {
        reached[number as usize] = true;
        for edge in &automaton.states[number as usize].edges {
            reached[builder.elements.el(edge.element).number as usize] = true;
        }
    }
    let mut open = vec![builder.processes[process].body];
    while let Some(sequence) = open.pop() {
        let members = builder.members(sequence);
        for pair in members.windows(2) {
            let (before, after) = (builder.elements.el(pair[0]), builder.elements.el(pair[1]));
            let written = !matches!(after.node, Node::Join | Node::Exit | Node::End | Node::Goto(_));
            if matches!(before.node, Node::Goto(_)) && written && !reached[after.number as usize] {
                let jump = before.span;
                let diagnostic = Diagnostic::warning(codes::UNREACHABLE, "this statement cannot be reached")
                    .at(after.span, "")
                    .label(jump, "control never gets past this");
                builder.diagnostics.push(diagnostic);
            }
        }
        for member in members {
            let item = builder.elements.el(member);
            open.extend(&item.options);
            if let Node::Atomic(inner) | Node::Plain(inner) = item.node {
                open.push(inner);
            }
        }
    }
}
