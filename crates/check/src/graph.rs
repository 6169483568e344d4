//! The state graph of a model, for other tools to draw and to read.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ir::TransitionId;
use search::{Completeness, Observer, Options, StopReason};
use serde::Serialize;
use store::{Budget, Exact, StateId};
use system::Step;

use crate::config::Bounds;
use crate::model::Model;
use crate::pipeline::{CheckError, engine};
use crate::trace::text_of_step;

/// All states, numbered in breadth-first order from the initial one, 0, and all steps between them. Where several steps
/// lead through transient states, which are not shown, the edge is the last one of them.
#[derive(Clone, Debug, Serialize)]
pub struct Graph {
    pub model: String,
    pub states: Vec<GraphState>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct GraphState {
    pub id: u32,
    pub depth: u32,
}

#[derive(Clone, Debug, Serialize)]
pub struct Edge {
    pub source: u32,
    pub target: u32,
    pub thread: u32,
    pub procedure: String,
    pub transition: u32,
    pub choice: u32,
    pub line: u32,
    /// The statement, on one line.
    pub text: String,
    /// Of the test of an `if` or `while`: which way it went.
    pub test: Option<bool>,
}

/// Explores a model of at most `max_states` states.
pub fn graph(
    model: &Model,
    bounds: Bounds,
    max_states: usize,
    interrupt: &Arc<AtomicBool>,
) -> Result<Graph, CheckError> {
    let engine = engine(model, bounds)?;
    let mut recorder = Recorder::default();
    let options = Options {
        max_states: Some(max_states),
        interrupt: Some(interrupt),
        keep_going: true,
        ..Options::default()
    };
    let outcome = search::bfs(&engine, &mut Exact::new(&Budget::unlimited()), &options, &mut recorder);
    match outcome.completeness {
        Completeness::Exhausted => {}
        Completeness::Stopped(StopReason::Interrupted) => return Err(CheckError::Interrupted),
        Completeness::Stopped(reason) => {
            return Err(CheckError::Refused(format!(
                "the graph has more than {} states ({reason}); a larger one is allowed by --max-states",
                recorder.states.len()
            )));
        }
    }
    let edges = recorder.edges.into_iter().map(|(source, step, target)| edge(model, source, step, target));
    Ok(Graph { model: model.name.clone(), states: recorder.states, edges: edges.collect() })
}

fn edge(model: &Model, source: StateId, step: Step, target: StateId) -> Edge {
    let program = &model.program;
    let transition = &program.transitions[TransitionId(step.transition)];
    let procedure = &program.procedures[program.locations[transition.source].procedure];
    Edge {
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

impl Edge {
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
}

impl Observer for Recorder {
    fn stored(&mut self, id: StateId, depth: u32) {
        self.states.push(GraphState { id: id.0, depth });
    }

    fn edge(&mut self, source: StateId, step: Step, target: StateId) {
        self.edges.push((source, step, target));
    }
}

impl Graph {
    /// For Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph {\n  node [shape=circle];\n  s0 [shape=doublecircle];\n");
        for state in &self.states {
            let _ = writeln!(out, "  s{};", state.id);
        }
        for edge in &self.edges {
            let _ = writeln!(out, "  s{} -> s{} [label=\"{}\"];", edge.source, edge.target, edge.label());
        }
        out + "}\n"
    }

    /// Aldebaran's format.
    pub fn to_aut(&self) -> String {
        let mut out = format!("des (0, {}, {})\n", self.edges.len(), self.states.len());
        for edge in &self.edges {
            let _ = writeln!(out, "({}, \"{}\", {})", edge.source, edge.label(), edge.target);
        }
        out
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a graph is plain data") + "\n"
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
