//! Graphs as text, in three formats, and as a picture. Words are made edge by edge.

use std::fmt::Write as _;
use std::io;

use draw::graph::MOST_STATES;
use ir::TransitionId;
use serde::Serialize;
use store::StateId;
use system::Step;

use super::lasso::LassoPart;
use super::{Details, Graph, GraphState};
use crate::dialect::text_of_step;
use crate::json::ObjectWriter;
use crate::model::Model;

/// How a graph is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphFormat {
    /// For Graphviz.
    Dot,
    /// Aldebaran's format.
    Aut,
    Json,
    /// A picture. It needs marks.
    Svg,
}

#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    pub source: u64,
    pub target: u64,
    thread: u32,
    procedure: String,
    transition: u32,
    choice: u32,
    line: u32,
    /// The statement, on one line.
    text: String,
    /// For the test of an `if` or `while`: which way it went.
    test: Option<bool>,
    /// Which part of the run that violates the property the edge is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasso: Option<LassoPart>,
}

impl Edge {
    fn new(
        model: &Model,
        (source, step, target): (StateId, Step, StateId),
        lasso: Option<LassoPart>,
    ) -> Self {
        let program = &model.program;
        let transition = &program.transitions[TransitionId(step.transition)];
        let procedure = &program.procedures[program.locations[transition.source].procedure];
        Self {
            source: source.0,
            target: target.0,
            thread: step.thread,
            procedure: procedure.name.clone(),
            transition: step.transition,
            choice: step.choice,
            line: model.map.position(transition.span).line,
            text: text_of_step(model, TransitionId(step.transition)),
            test: model.test_outcome(TransitionId(step.transition)),
            lasso,
        }
    }

    pub fn words(&self) -> String {
        let Self { procedure, thread, text, .. } = self;
        let test = self.test.map_or("", |test| if test { " (true)" } else { " (false)" });
        format!("{procedure} {thread}: {text}{test}")
    }

    fn label(&self) -> String {
        escape(&self.words())
    }
}

/// A state in JSON.
#[derive(Serialize)]
struct WholeState<'g> {
    #[serde(flatten)]
    state: GraphState,
    #[serde(flatten)]
    details: Option<&'g Details>,
}

impl Graph<'_> {
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let lasso = |position| self.lasso.parts.get(&position).copied();
        self.edges.iter().zip(0..).map(move |(&edge, position)| Edge::new(self.model, edge, lasso(position)))
    }

    pub(super) fn states(&self) -> impl Iterator<Item = (GraphState, Option<&Details>)> {
        self.states.iter().enumerate().map(|(at, &state)| (state, self.details.get(at)))
    }

    /// Writes the graph, edge by edge. In JSON, the diagnostics are in it.
    pub fn write(&self, format: GraphFormat, out: &mut impl io::Write) -> io::Result<()> {
        match format {
            GraphFormat::Dot => self.write_dot(out),
            GraphFormat::Aut => self.write_aut(out),
            GraphFormat::Json => self.write_json(out),
            GraphFormat::Svg => out.write_all(self.diagram(MOST_STATES).svg().as_str().as_bytes()),
        }
    }

    fn write_dot(&self, out: &mut impl io::Write) -> io::Result<()> {
        let has_contents = self.details.iter().any(|details| !details.lines.is_empty());
        let shape = if has_contents { "box, fontname=monospace" } else { "circle" };
        writeln!(out, "digraph {{\n  node [shape={shape}];")?;
        if self.details.is_empty() && self.states.iter().any(|state| state.id == 0) {
            writeln!(out, "  s0 [shape=doublecircle];")?;
        }
        for (state, details) in self.states() {
            let attributes = details.map(|details| details.attributes(state.id)).unwrap_or_default();
            writeln!(out, "  s{}{attributes};", state.id)?;
        }
        let stays = self.lasso.stays.filter(|stays| self.states.iter().any(|state| state.id == *stays));
        if let Some(state) = stays {
            writeln!(out, "  s{state} [penwidth=2, color=red];")?;
        }
        for edge in self.edges() {
            let look = match edge.lasso {
                None => "",
                Some(LassoPart::Stem) => ", penwidth=2",
                Some(LassoPart::Cycle) => ", penwidth=2, color=red",
            };
            writeln!(out, "  s{} -> s{} [label=\"{}\"{look}];", edge.source, edge.target, edge.label())?;
        }
        writeln!(out, "}}")
    }

    fn write_aut(&self, out: &mut impl io::Write) -> io::Result<()> {
        let marks = || {
            self.states().flat_map(|(state, details)| {
                details.map(Details::kinds).unwrap_or_default().into_iter().map(move |kind| (state.id, kind))
            })
        };
        writeln!(out, "des (0, {}, {})", self.edges.len() + marks().count(), self.states.len())?;
        for edge in self.edges() {
            writeln!(out, "({}, \"{}\", {})", edge.source, edge.label(), edge.target)?;
        }
        for (state, kind) in marks() {
            writeln!(out, "({state}, \"!{}\", {state})", escape(&kind))?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut object = ObjectWriter::new(out)?;
        object.key("model", &self.model.name)?;
        if let Some(property) = &self.property {
            object.key("property", property)?;
        }
        if self.details.is_empty() {
            object.list("states", &self.states)?;
        } else {
            object.list("states", self.states().map(|(state, details)| WholeState { state, details }))?;
        }
        object.list("edges", self.edges())?;
        if !self.diagnostics.is_empty() {
            object.key("diagnostics", &self.diagnostics)?;
        }
        object.end()
    }
}

impl Details {
    /// What is marked, by its kind, each kind once.
    fn kinds(&self) -> Vec<String> {
        let mut kinds: Vec<String> = Vec::new();
        let faults = self.violations.iter().map(|violation| violation.kind.as_str());
        let marks = [(self.deadlock, "deadlock"), (self.end, "end"), (self.cut, "cut")];
        for kind in marks.into_iter().filter(|(is, _)| *is).map(|(_, kind)| kind).chain(faults) {
            if !kinds.iter().any(|known| known == kind) {
                kinds.push(kind.to_owned());
            }
        }
        kinds
    }

    /// The attributes of a node for Graphviz.
    fn attributes(&self, id: u64) -> String {
        let mut lines = vec![format!("s{id}")];
        if let Some(members) = self.members {
            let _ = write!(lines[0], " ({members})");
        }
        if self.deadlock {
            lines.push("deadlock".to_owned());
        }
        for violation in &self.violations {
            let line = format!("{}: {}", violation.kind, violation.message);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let mut attributes: Vec<String> = Vec::new();
        if lines.len() > 1 || self.members.is_some() || !self.lines.is_empty() {
            let mut label = String::new();
            // With contents, lines begin at the left.
            let end = if self.lines.is_empty() { "\\n" } else { "\\l" };
            for (at, line) in lines.iter().chain(&self.lines).enumerate() {
                let before = if at == 0 || !self.lines.is_empty() { "" } else { end };
                let after = if self.lines.is_empty() { "" } else { end };
                let _ = write!(label, "{before}{}{after}", escape(line));
            }
            attributes.push(format!("label=\"{label}\""));
        }
        let fill = match (self.deadlock, self.end) {
            (true, _) => Some("shape=octagon, style=filled, fillcolor=lightpink"),
            (false, true) => Some("style=filled, fillcolor=palegreen"),
            (false, false) => self.cut.then_some("style=dashed"),
        };
        attributes.extend(self.initial.then(|| "peripheries=2".to_owned()));
        attributes.extend(fill.map(str::to_owned));
        if !self.violations.is_empty() {
            attributes.push("color=red, penwidth=2".to_owned());
        }
        if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
