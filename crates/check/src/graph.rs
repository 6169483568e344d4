//! The state graph of a model, for other tools to draw and to read.

mod lasso;
mod orbits;
mod picture;
mod witness;
mod write;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use naive::Naive;
use search::{Completeness, Observer, Options, Outcome, Quiet, StopReason};
use serde::Serialize;
use store::{Budget, Exact, StateId};
use system::{FaultKind, Step};

pub use lasso::LassoPart;
pub use write::GraphFormat;

use crate::config::{Bounds, Config, Limits, OnBound, Switch, Symmetry};
use crate::model::Model;
use crate::pipeline::{CheckError, check, engine, ladder};
use crate::replay::interpreter;
use crate::report::{Diagnostic, Verdict};
use crate::trail::TrailStep;
use crate::values::StateValues;
use lasso::{OnRun, edges_of_run};
use orbits::{Orbits, orbits, single};
use witness::{Effort, Witness, witnesses};

/// All states, numbered in breadth-first order from the initial one, 0, and all steps between them. Where
/// several steps lead through transient states, which are not shown, the edge is the last one of them.
///
/// Words are made when the graph is written, edge by edge.
pub struct Graph<'m> {
    model: &'m Model,
    states: Vec<GraphState>,
    /// Of each state, if marks or contents are asked for; otherwise empty.
    details: Vec<Details>,
    edges: Vec<(StateId, Step, StateId)>,
    /// The edges of a run that violates the property.
    lasso: OnRun,
    property: Option<CheckedProperty>,
    /// What is to be said about the model and the graph.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a graph is to show.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    pub bounds: Bounds,
    /// A larger graph is refused.
    pub max_states: usize,
    /// The limit on the memory of the process, in bytes.
    pub memory: Option<u64>,
    /// Only states at most this many steps from the initial one.
    pub depth: Option<u32>,
    pub contents: Contents,
    /// Marks deadlocks, violations and valid ends.
    pub marks: bool,
    /// One node for each orbit.
    pub merges_orbits: bool,
    /// Only states at most this many steps, back or forth, from a state.
    pub around: Option<(u64, u32)>,
    /// Marks a run that violates a property: the formula that came with the command, or the name.
    pub property: Option<PropertyChoice>,
}

#[derive(Clone, Debug)]
pub enum PropertyChoice {
    Ltl(String),
    Name(String),
}

/// What is shown of each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contents {
    #[default]
    None,
    /// What is different from the state from which the search reached it first.
    Changes,
    Full,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct GraphState {
    id: u64,
    depth: u32,
}

/// What there is to say about a state.
#[derive(Clone, Debug, Serialize)]
struct Details {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    initial: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deadlock: bool,
    /// A state without steps in which a run may end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    end: bool,
    /// The state is at the depth limit, and has steps that are not in the graph.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<StateViolation>,
    /// The number of states that are this one up to symmetry.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<StateValues>,
    /// The contents for people.
    #[serde(skip)]
    lines: Vec<String>,
}

/// What is wrong with a state, or with a step from it.
#[derive(Clone, Debug, Serialize)]
struct StateViolation {
    kind: String,
    message: String,
    /// The step that faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<TrailStep>,
}

/// The property that a run was looked for.
#[derive(Clone, Debug, Serialize)]
struct CheckedProperty {
    name: String,
    verdict: Verdict,
    /// The number of the state in which the run stays for ever, if its cycle has no steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<u64>,
}

/// Explores a model.
pub fn graph<'m>(
    model: &'m Model,
    options: &GraphOptions,
    interrupt: &Arc<AtomicBool>,
) -> Result<Graph<'m>, CheckError> {
    let GraphOptions { bounds, max_states, memory, depth, contents, marks, merges_orbits, .. } = *options;
    let GraphOptions { around, property, .. } = options;
    if merges_orbits && property.is_some() {
        let reason =
            "a run that violates a property is one of states, not of orbits: leave out --symmetry full";
        return Err(CheckError::Refused(reason.to_owned()));
    }
    let engine = engine(model, bounds)?;
    let mut recorder = Recorder::default();
    let limit = memory.and_then(|limit| usize::try_from(limit).ok());
    let budget = limit.map_or_else(Budget::unlimited, Budget::of_process);
    let search = Options {
        max_states: Some(max_states),
        max_depth: depth,
        budget: budget.clone(),
        interrupt: Some(interrupt),
        keep_going: true,
        ..Options::default()
    };
    let outcome = search::bfs(&engine, &mut Exact::new(&budget), &search, &mut recorder);
    let Recorder { states, edges, is_starved } = recorder;
    let mut diagnostics = model.warnings();
    explored(options, &outcome, states.len(), is_starved, &mut diagnostics)?;
    let (details, lasso) = (Vec::new(), OnRun::default());
    let mut graph = Graph { model, states, details, edges, lasso, property: None, diagnostics };
    if !marks && !merges_orbits && contents == Contents::None && property.is_none() {
        graph.keep_around(*around)?;
        return Ok(graph);
    }
    let naive = interpreter(model, bounds);
    let effort = Effort { budget: &budget, interrupt };
    let depths = graph.states.iter().map(|state| state.depth);
    let witnesses = witnesses(&naive, depths, &graph.edges, depth, &effort)?;
    if let Some(property) = property {
        graph.mark_run(&naive, &witnesses, property, options, interrupt)?;
    }
    let config = Config { symmetry: Symmetry::Full, ..Config::default() };
    let found = match ladder(model, &config).filter(|_| merges_orbits) {
        Some(ladder) => orbits(&engine, ladder, &witnesses, &effort)?,
        None => single(witnesses.len()),
    };
    if marks || merges_orbits || contents != Contents::None {
        graph.merge(&naive, &witnesses, &found, options);
    }
    graph.keep_around(*around)?;
    Ok(graph)
}

/// Refuses a graph that was not explored as it was asked for, and says what is missing in it.
fn explored(
    options: &GraphOptions,
    outcome: &Outcome,
    states: usize,
    is_starved: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), CheckError> {
    let bounds = outcome.violations.iter().filter_map(|found| match found.fault.kind {
        FaultKind::Bound(bound) => Some(bound.as_str()),
        _ => None,
    });
    let exceeded: BTreeSet<&str> =
        bounds.chain(outcome.truncations.keys().map(|bound| bound.as_str())).collect();
    let exceeded = exceeded.into_iter().collect::<Vec<_>>().join(", ");
    match outcome.completeness {
        Completeness::Exhausted | Completeness::Stopped(StopReason::Depth) if !is_starved => {
            if options.bounds.on_bound == OnBound::Error && !exceeded.is_empty() {
                return Err(CheckError::Refused(format!(
                    "steps exceed the bound on {exceeded}; --on-bound truncate leaves them out of the graph"
                )));
            }
            if !exceeded.is_empty() {
                let text = format!("steps that exceed the bound on {exceeded} are not in the graph");
                diagnostics.push(Diagnostic::warning(text));
            }
            if let (Completeness::Stopped(_), Some(depth)) = (outcome.completeness, options.depth) {
                let text = format!("the graph is cut: steps of states at depth {depth} are not in it");
                diagnostics.push(Diagnostic::warning(text));
            }
            Ok(())
        }
        Completeness::Stopped(StopReason::Interrupted) => Err(CheckError::Interrupted),
        Completeness::Stopped(reason @ StopReason::States) => Err(CheckError::Refused(format!(
            "the graph has more than {states} states ({reason}); a larger one is allowed by --max-states"
        ))),
        Completeness::Stopped(reason) if !matches!(reason, StopReason::Memory | StopReason::Depth) => {
            Err(CheckError::Refused(format!(
                "the graph was not explored to its end, with {states} states so far: {reason}"
            )))
        }
        Completeness::Stopped(_) | Completeness::Exhausted => Err(CheckError::Refused(format!(
            "there is not enough memory for the graph, which has more than {states} states"
        ))),
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
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Looks for a run that violates a property, and marks its edges.
    fn mark_run(
        &mut self,
        naive: &Naive<'_>,
        witnesses: &[Witness],
        property: &PropertyChoice,
        options: &GraphOptions,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<(), CheckError> {
        let (ltl, name) = match property {
            PropertyChoice::Ltl(formula) => (Some(formula.clone()), None),
            PropertyChoice::Name(name) => (None, Some(name.clone())),
        };
        let config = Config {
            ltl,
            property: name,
            symmetry: Symmetry::None,
            por: Switch::Off,
            merge: Switch::Off,
            bounds: options.bounds,
            limits: Limits { memory: options.memory, ..Limits::default() },
            ..Config::default()
        };
        let checked = check(self.model, &config, 0, interrupt, &mut Quiet)?;
        if checked.interrupted {
            return Err(CheckError::Interrupted);
        }
        let verdict = checked.report.verdict;
        let violation = checked.trail.as_ref().and_then(|trail| trail.violation.as_ref());
        let violated = violation.and_then(|violation| violation.property.as_ref());
        let violated = violated.filter(|property| !property.is_unevaluated);
        let name = match property {
            PropertyChoice::Ltl(formula) => formula.clone(),
            PropertyChoice::Name(name) => name.clone(),
        };
        if let (Some(trail), Some(violated)) = (&checked.trail, violated) {
            let steps: Vec<Step> = trail.steps().collect();
            self.lasso = edges_of_run(naive, witnesses, &self.edges, &steps, violated.cycle_start)?;
            if self.lasso.is_cut {
                let text = format!("only a part of the run that violates `{name}` is in the graph");
                self.diagnostics.push(Diagnostic::warning(text));
            }
        } else {
            let text = format!("no run is marked: the verdict on `{name}` is: {}", verdict.as_str());
            self.diagnostics.push(Diagnostic::warning(text));
        }
        self.property = Some(CheckedProperty { name, verdict, stays: self.lasso.stays });
        Ok(())
    }

    /// Makes one node of each orbit, with its details.
    fn merge(&mut self, naive: &Naive<'_>, witnesses: &[Witness], orbits: &Orbits, options: &GraphOptions) {
        if orbits.doubtful > 0 {
            let text = format!(
                "{} states may not have canonical names: some orbits may have several nodes",
                orbits.doubtful
            );
            self.diagnostics.push(Diagnostic::warning(text));
        }
        let contents = options.contents;
        let details = orbits.nodes.iter().map(|&(at, members)| {
            let mut details = details(self.model, naive, witnesses, at, contents);
            details.members = options.merges_orbits.then_some(members);
            details
        });
        self.details = details.collect();
        if !options.merges_orbits {
            return;
        }
        let first = |orbit: usize| orbits.nodes[orbit].0;
        let node = |state: StateId| StateId(orbits.of[state.index()] as u64);
        let depths: Vec<u32> = orbits.nodes.iter().map(|&(at, _)| self.states[at].depth).collect();
        self.states = (0..).zip(depths).map(|(id, depth)| GraphState { id, depth }).collect();
        self.edges.retain(|(source, _, _)| first(orbits.of[source.index()]) == source.index());
        for (source, _, target) in &mut self.edges {
            (*source, *target) = (node(*source), node(*target));
        }
    }

    /// Keeps only the states within a number of steps of a state, back or forth.
    fn keep_around(&mut self, around: Option<(u64, u32)>) -> Result<(), CheckError> {
        let Some((center, radius)) = around else { return Ok(()) };
        let count = self.states.len();
        let Some(center) = usize::try_from(center).ok().filter(|&center| center < count) else {
            let reason = format!("there is no state {center}: the graph has the states 0 to {}", count - 1);
            return Err(CheckError::Refused(reason));
        };
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        for &(source, _, target) in &self.edges {
            next[source.index()].push(target.index());
            next[target.index()].push(source.index());
        }
        let mut distance: Vec<Option<u32>> = vec![None; count];
        distance[center] = Some(0);
        let mut open = VecDeque::from([(center, 0)]);
        while let Some((at, steps)) = open.pop_front() {
            for &other in next[at].iter().filter(|_| steps < radius) {
                if distance[other].is_none() {
                    distance[other] = Some(steps + 1);
                    open.push_back((other, steps + 1));
                }
            }
        }
        let is_kept = |id: StateId| distance[id.index()].is_some();
        let mut index = 0;
        self.details.retain(|_| {
            index += 1;
            distance[index - 1].is_some()
        });
        self.states.retain(|state| distance[state.id as usize].is_some());
        let mut parts = BTreeMap::new();
        let mut kept = Vec::new();
        for (position, &edge) in self.edges.iter().enumerate() {
            if is_kept(edge.0) && is_kept(edge.2) {
                parts.extend(self.lasso.parts.get(&position).map(|&part| (kept.len(), part)));
                kept.push(edge);
            }
        }
        (self.edges, self.lasso.parts) = (kept, parts);
        Ok(())
    }
}

/// What there is to say about a state.
fn details(
    model: &Model,
    naive: &Naive<'_>,
    witnesses: &[Witness],
    at: usize,
    contents: Contents,
) -> Details {
    let witness = &witnesses[at];
    let whole = || naive.describe_state(&witness.state).lines().map(str::to_owned).collect::<Vec<_>>();
    let changes = witness.parent.as_ref().map(|(parent, _)| {
        let changes = naive.describe_changes(&witnesses[*parent].state, &witness.state);
        changes.iter().map(ToString::to_string).collect::<Vec<_>>()
    });
    let lines = match (contents, &changes) {
        (Contents::None, _) => Vec::new(),
        (Contents::Changes, Some(changes)) => changes.clone(),
        (Contents::Changes, None) | (Contents::Full, _) => whole(),
    };
    // What the changes begin with is the whole initial state.
    let has_state = contents == Contents::Full || contents == Contents::Changes && at == 0;
    let violation = |(step, fault): &(Option<Step>, naive::NaiveFault)| StateViolation {
        kind: fault.kind.to_string(),
        message: fault.message.clone(),
        step: step.map(TrailStep::from),
    };
    Details {
        initial: at == 0,
        deadlock: witness.is_deadlock,
        end: witness.is_end,
        cut: witness.is_cut,
        violations: witness.faults.iter().map(violation).collect(),
        members: None,
        changes: changes.filter(|_| contents == Contents::Changes),
        state: has_state.then(|| StateValues::new(model, &naive.view(&witness.state))),
        lines,
    }
}
