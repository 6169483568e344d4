//! The state graph of a model, for other tools to draw and to read.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::TransitionId;
use search::{Completeness, Observer, Options, StopReason};
use serde::Serialize;
use store::{Budget, Exact, StateId};
use system::{FaultKind, Step};

use crate::config::{Bounds, OnBound};
use crate::dialect::text_of_step;
use crate::json::ObjectWriter;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::report::Diagnostic;

/// All states, numbered in breadth-first order from the initial one, 0, and all steps between them. Where
/// several steps lead through transient states, which are not shown, the edge is the last one of them.
///
/// Words are made when the graph is written, edge by edge.
pub struct Graph<'m> {
    model: &'m Model,
    states: Vec<GraphState>,
    edges: Vec<(StateId, Step, StateId)>,
    /// What is to be said about the model and the graph.
    pub diagnostics: Vec<Diagnostic>,
}

/// How a graph is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphFormat {
    /// For Graphviz.
    Dot,
    /// Aldebaran's format.
    Aut,
    Json,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct GraphState {
    id: u64,
    depth: u32,
}

#[derive(Clone, Debug, Serialize)]
struct Edge {
    source: u64,
    target: u64,
    thread: u32,
    procedure: String,
    transition: u32,
    choice: u32,
    line: u32,
    /// The statement, on one line.
    text: String,
    /// For the test of an `if` or `while`: which way it went.
    test: Option<bool>,
}

/// Explores a model of at most `max_states` states, in at most `memory` bytes.
pub fn graph<'m>(
    model: &'m Model,
    bounds: Bounds,
    max_states: usize,
    memory: Option<u64>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Graph<'m>, CheckError> {
    let engine = engine(model, bounds)?;
    let on_bound = bounds.on_bound;
    let mut recorder = Recorder::default();
    let limit = memory.and_then(|limit| usize::try_from(limit).ok());
    let budget = limit.map_or_else(Budget::unlimited, Budget::of_process);
    let options = Options {
        max_states: Some(max_states),
        budget: budget.clone(),
        interrupt: Some(interrupt),
        keep_going: true,
        ..Options::default()
    };
    let outcome = search::bfs(&engine, &mut Exact::new(&budget), &options, &mut recorder);
    let Recorder { states, edges, is_starved } = recorder;
    let bounds = outcome.violations.iter().filter_map(|found| match found.fault.kind {
        FaultKind::Bound(bound) => Some(bound.as_str()),
        _ => None,
    });
    let exceeded: BTreeSet<&str> =
        bounds.chain(outcome.truncations.keys().map(|bound| bound.as_str())).collect();
    let exceeded = exceeded.into_iter().collect::<Vec<_>>().join(", ");
    match outcome.completeness {
        Completeness::Exhausted if !is_starved => {
            if on_bound == OnBound::Error && !exceeded.is_empty() {
                return Err(CheckError::Refused(format!(
                    "steps exceed the bound on {exceeded}; --on-bound truncate leaves them out of the graph"
                )));
            }
            let mut diagnostics = model.warnings();
            if !exceeded.is_empty() {
                let text = format!("steps that exceed the bound on {exceeded} are not in the graph");
                diagnostics.push(Diagnostic::warning(text));
            }
            Ok(Graph { model, states, edges, diagnostics })
        }
        Completeness::Stopped(StopReason::Interrupted) => Err(CheckError::Interrupted),
        Completeness::Stopped(reason @ StopReason::States) => Err(CheckError::Refused(format!(
            "the graph has more than {} states ({reason}); a larger one is allowed by --max-states",
            states.len()
        ))),
        Completeness::Stopped(reason) if reason != StopReason::Memory => Err(CheckError::Refused(format!(
            "the graph was not explored to its end, with {} states so far: {reason}",
            states.len()
        ))),
        Completeness::Stopped(_) | Completeness::Exhausted => Err(CheckError::Refused(format!(
            "there is not enough memory for the graph, which has more than {} states",
            states.len()
        ))),
    }
}

impl Edge {
    fn new(model: &Model, (source, step, target): (StateId, Step, StateId)) -> Self {
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
        }
    }

    fn label(&self) -> String {
        let Self { procedure, thread, text, .. } = self;
        let test = self.test.map_or("", |test| if test { " (true)" } else { " (false)" });
        escape(&format!("{procedure} {thread}: {text}{test}"))
    }
}

#[derive(Default)]
struct Recorder {
    states: Vec<GraphState>,
    edges: Vec<(StateId, Step, StateId)>,
    /// There was not enough memory for some state or edge.
    is_starved: bool,
}

impl Recorder {
    fn push<T>(list: &mut Vec<T>, is_starved: &mut bool, item: T) {
        if list.try_reserve(1).is_ok() { list.push(item) } else { *is_starved = true }
    }
}

impl Observer for Recorder {
    fn records(&self) -> bool {
        true
    }

    fn stored(&mut self, id: StateId, depth: u32) {
        Self::push(&mut self.states, &mut self.is_starved, GraphState { id: id.0, depth });
    }

    fn edge(&mut self, source: StateId, step: Step, target: StateId) {
        Self::push(&mut self.edges, &mut self.is_starved, (source, step, target));
    }
}

impl Graph<'_> {
    fn edges(&self) -> impl Iterator<Item = Edge> {
        self.edges.iter().map(|&edge| Edge::new(self.model, edge))
    }

    /// Writes the graph, edge by edge. In JSON, the diagnostics are in it.
    pub fn write(&self, format: GraphFormat, out: &mut impl io::Write) -> io::Result<()> {
        match format {
            GraphFormat::Dot => self.write_dot(out),
            GraphFormat::Aut => self.write_aut(out),
            GraphFormat::Json => self.write_json(out),
        }
    }

    fn write_dot(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "digraph {{\n  node [shape=circle];\n  s0 [shape=doublecircle];")?;
        for state in &self.states {
            writeln!(out, "  s{};", state.id)?;
        }
        for edge in self.edges() {
            writeln!(out, "  s{} -> s{} [label=\"{}\"];", edge.source, edge.target, edge.label())?;
        }
        writeln!(out, "}}")
    }

    fn write_aut(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "des (0, {}, {})", self.edges.len(), self.states.len())?;
        for edge in self.edges() {
            writeln!(out, "({}, \"{}\", {})", edge.source, edge.label(), edge.target)?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut object = ObjectWriter::new(out)?;
        object.key("model", &self.model.name)?;
        object.list("states", &self.states)?;
        object.list("edges", self.edges())?;
        if !self.diagnostics.is_empty() {
            object.key("diagnostics", &self.diagnostics)?;
        }
        object.end()
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
