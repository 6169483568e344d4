//! `quotient explore`: the page on which to walk through the states of a model. The server is in `explorer`; here are the
//! answers about models in BIR and Promela.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{Write as _, stdout};
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::ControlFlow::{Break, Continue};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use check::config::{Bounds, Config};
use check::explore::Space;
use check::picture::draw::diagram::Look;
use check::picture::draw::graph::{State, StateGraph, Step as DrawnStep};
use check::picture::draw::scene::{Fate, Scene};
use check::picture::{self, Rows};
use check::report::{Place, TOOL, Verdict};
use check::simulate::{Choice, Condition, Found, Mobility, UNTIL};
use check::{Model, Observer, Progress, Step, TraceStep, Watcher};
use explorer::server::Server;
use explorer::{Call, Explorable, FoundRun, Job, Jobs, Outcome as JobOutcome, Refusal, guard};
use serde_json::{Value, json};

use super::failure::{Failure, Outcome, usage};
use super::load::{ExternalProperty, compile, fit_bounds, load};
use super::recorded::read_trail;
use crate::args::{ExploreArgs, ModelArgs};
use crate::files::{Disk, free_memory};
use crate::interrupt;
use crate::render;

/// Progress is shown this often.
const PACE: Duration = Duration::from_millis(100);
/// `find` looks at this many states.
const MOST_FOUND: usize = 500_000;
/// A page shows this many states of a graph.
const MOST_DRAWN: usize = 300;

pub fn explore(args: &ExploreArgs) -> Outcome {
    let model = load(&args.model, &Disk::default(), true)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let bounds = args.bounds.bounds();
    let mut walk = Walk::new(&model, bounds)?;
    if let Some(path) = &args.trail {
        let (steps, warning) = read_trail(path, &args.model)?.steps(&model, &args.model, bounds)?;
        if let Some(text) = warning {
            drop(writeln!(std::io::stderr(), "warning: {text}"));
        }
        let shown = walk
            .space
            .follow(0, &steps)
            .map_err(|reason| usage(format!("the trail does not fit the model: {reason}")))?;
        walk.opened = Some((shown.nodes, shown.fault));
    }
    let token = guard::token().map_err(|error| Failure::Internal(format!("no random numbers: {error}")))?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = Server::bind(address, token)
        .map_err(|error| usage(format!("cannot listen at {address}: {error}; choose another --port")))?;
    writeln!(
        stdout(),
        "{}: open this address in a browser; Ctrl-C ends it\n  {}",
        model.name,
        server.address()
    )?;
    stdout().flush()?;
    let jobs = ModelJobs { model: &model, args: &args.model, bounds };
    let flag = interrupt::flag();
    server.serve(&mut walk, &jobs, flag).map_err(Failure::from)?;
    Ok(ExitCode::from(crate::interrupt::EXIT_CODE))
}

/// The states of a model, for the page.
struct Walk<'m> {
    space: Space<'m>,
    /// The number of steps of states, as far as they are known.
    counts: BTreeMap<usize, usize>,
    /// The run that the page begins with, and why its last step is not taken.
    opened: Option<(Vec<usize>, Option<String>)>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model, bounds: Bounds) -> Result<Self, Failure> {
        Ok(Self { space: Space::new(model, bounds)?, counts: BTreeMap::new(), opened: None })
    }

    fn fit(&self, nodes: &[usize]) -> Result<(), Refusal> {
        match nodes.iter().find(|&&node| node >= self.space.len()) {
            Some(node) => Err(format!("there is no state {node} any more; the explorer was started anew")),
            None => Ok(()),
        }
    }

    fn choices(&mut self, node: usize) -> Vec<Choice> {
        let choices = self.space.choices(node);
        self.counts.insert(node, choices.len());
        choices
    }

    fn count(&mut self, node: usize) -> usize {
        match self.counts.get(&node) {
            Some(&count) => count,
            None => self.choices(node).len(),
        }
    }

    fn about(&self) -> Value {
        let model = self.space.model();
        let files: Vec<Value> = model
            .files()
            .map(|name| {
                let lines = (1..).map_while(|line| model.source_line(name, line)).collect::<Vec<_>>();
                json!({ "name": name, "lines": lines })
            })
            .collect();
        let properties: Vec<&str> =
            model.program.properties.iter().map(|property| property.name.as_str()).collect();
        let run = self
            .opened
            .as_ref()
            .map(|(nodes, fault)| json!({ "nodes": nodes, "fault": fault, "cycle": null }));
        json!({ "model": model.name, "tool": TOOL, "files": files, "properties": properties, "run": run })
    }

    fn state(&mut self, node: usize, before: Option<usize>) -> Value {
        let choices = self.choices(node);
        let space = &self.space;
        let ending = space.ending(node);
        let values = space.values(node);
        let old = before.map(|before| space.values(before));
        let mut scene = picture::scene(&format!("State {node}"), old.as_ref(), &values, ending.as_ref());
        if ending.is_none() {
            let waits = check::Ending { blocked: space.blocked(node), ..waiting() };
            scene.claims = picture::scene("", None, &values, Some(&waits)).claims;
        }
        let threads: Vec<Value> = space
            .mobilities(node)
            .into_iter()
            .map(|(name, mobility)| {
                let frame = values.threads.get(&name).and_then(|thread| thread.frames.last());
                let (moves, why) = words(&mobility);
                json!({ "name": name, "moves": moves, "why": why, "place": frame.map(|frame| place(&frame.location)) })
            })
            .collect();
        let choice = |choice: &Choice| {
            let reads: Vec<String> =
                choice.reads.iter().map(|read| format!("{} is {}", read.text, read.shown)).collect();
            json!({
                "thread": choice.thread, "partner": choice.partner, "text": choice.location.text, "test": choice.test,
                "place": place(&choice.location), "reads": reads, "faults": choice.faults,
            })
        };
        let differences = before.map(|before| space.differences(before, node)).unwrap_or_default();
        json!({
            "node": node,
            "depth": space.depth(node),
            "wrong": space.wrong(node),
            "steps": choices.iter().map(choice).collect::<Vec<_>>(),
            "threads": threads,
            "parts": parts(&scene),
            "picture": scene.diagram().part().into_string(),
            "differences": differences,
        })
    }

    fn take(&mut self, node: usize, step: usize) -> Result<Value, Refusal> {
        let choice = self.choices(node).into_iter().nth(step).ok_or("the state has no such step")?;
        Ok(match self.space.take(node, choice.step) {
            Ok(target) => json!({ "node": target }),
            Err(reason) => json!({ "fault": reason }),
        })
    }

    fn expand(&mut self, node: usize) -> Value {
        let (mut nodes, mut faults) = (Vec::new(), Vec::new());
        for choice in self.choices(node) {
            match self.space.take(node, choice.step) {
                Ok(target) if !nodes.contains(&target) => nodes.push(target),
                Ok(_) => {}
                Err(reason) => faults.push(reason),
            }
        }
        json!({ "nodes": nodes, "faults": faults })
    }

    fn random(&mut self, node: usize, steps: usize, seed: u64) -> Value {
        let mut random = seed;
        let mut nodes = vec![node];
        let mut fault = None;
        let mut at = node;
        for _ in 0..steps.min(1000) {
            let choices = self.choices(at);
            if choices.is_empty() || self.space.wrong(at).is_some() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = &choices[(random >> 33) as usize % choices.len()];
            match self.space.take(at, choice.step) {
                Ok(next) => {
                    at = next;
                    nodes.push(next);
                }
                Err(reason) => {
                    fault = Some(reason);
                    break;
                }
            }
        }
        json!({ "nodes": nodes, "fault": fault })
    }

    fn rows(&self, nodes: &[usize]) -> Value {
        let row = |pair: &[usize]| match self.space.edge(pair[0], pair[1]) {
            Some(step) => row(step),
            None => json!({ "thread": "", "text": "(a step that was not taken here)", "changes": [] }),
        };
        nodes.windows(2).map(row).collect()
    }

    fn graph(&mut self, nodes: &[usize], here: usize) -> Value {
        let all: BTreeSet<usize> = nodes.iter().copied().collect();
        let list: Vec<usize> = all.iter().copied().collect();
        let position: BTreeMap<usize, usize> = list.iter().copied().zip(0..).collect();
        let edges: Vec<(usize, usize, String)> = self
            .space
            .edges()
            .filter_map(|(from, to, step)| {
                let (from, to) = (*position.get(&from)?, *position.get(&to)?);
                Some((from, to, format!("{}: {}", step.thread, step.location.text)))
            })
            .collect();
        let levels = levels(list.len(), &edges);
        let mut taken = vec![0; list.len()];
        for (from, _, _) in &edges {
            taken[*from] += 1;
        }
        let states = list.iter().enumerate().map(|(at, &node)| {
            let hidden = self.count(node).saturating_sub(taken[at]);
            let wrong = self.space.wrong(node);
            let more = if hidden == 1 { "step" } else { "steps" };
            State {
                name: format!("s{node}"),
                level: levels[at],
                lines: if hidden > 0 { vec![format!("+{hidden} {more}")] } else { Vec::new() },
                is_initial: node == 0,
                is_end: self.count(node) == 0 && wrong.is_none(),
                violations: wrong.into_iter().collect(),
                ..State::default()
            }
        });
        let states: Vec<State> = states.collect();
        let steps = edges.into_iter().map(|(from, to, text)| DrawnStep { from, to, text, look: Look::Plain });
        let title = format!("{} states of {}", list.len(), self.space.model().name);
        let graph = StateGraph { title, states, steps: steps.collect(), components: 0 };
        let mut diagram = graph.diagram(MOST_DRAWN);
        let here = format!("s{here}");
        for item in &mut diagram.boxes {
            item.is_here = item.key == here;
        }
        json!({ "picture": diagram.part().into_string() })
    }

    fn diff(&self, left: usize, right: usize) -> Value {
        let (old, new) = (self.space.values(left), self.space.values(right));
        let before = picture::scene(&format!("State {left}"), Some(&new), &old, None);
        let after = picture::scene(&format!("State {right}"), Some(&old), &new, None);
        json!({
            "differences": self.space.differences(left, right),
            "left": drop_gone(before).diagram().part().into_string(),
            "right": drop_gone(after).diagram().part().into_string(),
        })
    }

    fn orbit(&self, nodes: &[usize], node: usize) -> Result<Value, Refusal> {
        let mut all = nodes.to_vec();
        if !all.contains(&node) {
            all.push(node);
        }
        let orbits = self.space.orbits(&all).map_err(|error| error.to_string())?;
        let own = orbits.into_iter().find(|orbit| orbit.contains(&node)).unwrap_or_else(|| vec![node]);
        Ok(json!({ "nodes": own }))
    }

    fn trail(&self, nodes: &[usize]) -> Value {
        let steps: Vec<Step> = nodes
            .windows(2)
            .filter_map(|pair| self.space.edge(pair[0], pair[1]))
            .map(|step| Step { thread: step.thread_id, transition: step.transition, choice: step.choice })
            .collect();
        let file = check::trail_file(self.space.model(), self.space.bounds(), None, &steps);
        json!({ "trail": file.to_json() })
    }
}

impl Explorable for Walk<'_> {
    fn answer(&mut self, call: &Call) -> Result<Value, Refusal> {
        match call {
            Call::About => Ok(self.about()),
            Call::State { node, before } => {
                self.fit(&[*node, before.unwrap_or(0)])?;
                Ok(self.state(*node, *before))
            }
            Call::Take { node, step } => {
                self.fit(&[*node])?;
                self.take(*node, *step)
            }
            Call::Expand { node } => {
                self.fit(&[*node])?;
                Ok(self.expand(*node))
            }
            Call::Path { node } => {
                self.fit(&[*node])?;
                Ok(json!({ "nodes": self.space.path_to(*node).0 }))
            }
            Call::Random { node, steps, seed } => {
                self.fit(&[*node])?;
                Ok(self.random(*node, *steps, *seed))
            }
            Call::Rows { nodes } => {
                self.fit(nodes)?;
                Ok(self.rows(nodes))
            }
            Call::Chart { nodes } => {
                self.fit(nodes)?;
                let trace = self.space.trace(nodes);
                Ok(json!({ "picture": picture::chart("The run", &trace, Rows::Steps).part().into_string() }))
            }
            Call::Graph { nodes, here } => {
                self.fit(nodes)?;
                Ok(self.graph(nodes, *here))
            }
            Call::Diff { left, right } => {
                self.fit(&[*left, *right])?;
                Ok(self.diff(*left, *right))
            }
            Call::Orbit { nodes, node } => {
                self.fit(nodes)?;
                self.fit(&[*node])?;
                self.orbit(nodes, *node)
            }
            Call::Trail { nodes } => {
                self.fit(nodes)?;
                Ok(self.trail(nodes))
            }
        }
    }

    fn steps_to(&self, node: usize) -> Result<Vec<[u32; 3]>, Refusal> {
        self.fit(&[node])?;
        let (_, steps) = self.space.path_to(node);
        Ok(steps.iter().map(|step| [step.thread, step.transition, step.choice]).collect())
    }

    fn follow(&mut self, run: &FoundRun) -> Result<(Vec<usize>, Option<String>), Refusal> {
        let steps: Vec<Step> = run.steps.iter().map(step_of).collect();
        let (mut nodes, _) = self.space.path_to(run.from);
        let path = self.space.follow(run.from, &steps)?;
        nodes.extend(&path.nodes[1..]);
        Ok((nodes, path.fault))
    }
}

fn step_of(&[thread, transition, choice]: &[u32; 3]) -> Step {
    Step { thread, transition, choice }
}

/// What a scene takes the threads that wait from.
fn waiting() -> check::Ending {
    check::Ending {
        kind: check::FaultKind::Deadlock,
        message: String::new(),
        location: None,
        is_of_step: false,
        reads: Vec::new(),
        objects: Vec::new(),
        blocked: Vec::new(),
        waiting_cycle: Vec::new(),
    }
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line })
}

fn words(mobility: &Mobility) -> (usize, String) {
    match mobility {
        Mobility::Ended => (0, "has ended".to_owned()),
        Mobility::Moves(count) => (*count, "can move".to_owned()),
        Mobility::Excluded { by } => (0, format!("waits until {by} leaves its atomic block")),
        Mobility::Waits { blocked, may_stay } => {
            let waits: Vec<&str> = blocked.waits.iter().map(|wait| wait.text.as_str()).collect();
            let waits = if waits.is_empty() { "lets others go first".to_owned() } else { waits.join("; ") };
            (0, if *may_stay { format!("{waits} (it may stay here)") } else { waits })
        }
    }
}

fn row(step: &TraceStep) -> Value {
    let test = step.test.map_or("", |test| if test { " → true" } else { " → false" });
    json!({
        "thread": step.thread,
        "text": format!("{}{test}", step.location.text),
        "place": place(&step.location),
        "changes": step.changes,
        "reads": step.reads.iter().map(|read| format!("{} is {}", read.text, read.shown)).collect::<Vec<_>>(),
    })
}

/// The parts of a state, line by line.
fn parts(scene: &Scene) -> Vec<Value> {
    let fate = |fate| match fate {
        Fate::Stays => "stays",
        Fate::Made => "made",
        Fate::Ended => "ended",
    };
    scene
        .parts
        .iter()
        .map(|part| {
            let fields: Vec<Value> = part
                .fields
                .iter()
                .map(|field| json!({ "text": field.text, "changed": field.is_changed }))
                .collect();
            json!({ "name": part.name, "fate": fate(part.fate), "fields": fields })
        })
        .collect()
}

/// Side by side, what one state lacks is not shown as ended in it.
fn drop_gone(mut scene: Scene) -> Scene {
    scene.parts.retain(|part| part.fate != Fate::Ended);
    scene
}

/// The distance of each node from the first one; those that it does not lead to are behind all.
fn levels(count: usize, edges: &[(usize, usize, String)]) -> Vec<u32> {
    let mut next = vec![Vec::new(); count];
    for (from, to, _) in edges {
        next[*from].push(*to);
    }
    let mut levels = vec![u32::MAX; count];
    for root in 0..count {
        if levels[root] != u32::MAX {
            continue;
        }
        levels[root] = 0;
        let mut open = VecDeque::from([root]);
        while let Some(at) = open.pop_front() {
            for &to in &next[at] {
                if levels[to] > levels[at] + 1 {
                    levels[to] = levels[at] + 1;
                    open.push_back(to);
                }
            }
        }
    }
    levels
}

/// Searches of a model, for the page.
struct ModelJobs<'m> {
    model: &'m Model,
    args: &'m ModelArgs,
    bounds: Bounds,
}

/// Hands progress on, not too often.
struct Paced<'p> {
    last: Option<Instant>,
    progress: &'p mut dyn FnMut(Value),
}

impl Observer for Paced<'_> {
    fn progress(&mut self, progress: &Progress) {
        if self.last.is_some_and(|last| last.elapsed() < PACE) {
            return;
        }
        self.last = Some(Instant::now());
        (self.progress)(json!({
            "states": progress.states, "transitions": progress.transitions, "depth": progress.depth,
            "seconds": progress.elapsed.as_secs_f64(), "bytes": progress.store_bytes,
        }));
    }
}

impl Watcher for Paced<'_> {}

impl ModelJobs<'_> {
    fn check(
        &self,
        [property, formula]: [Option<&String>; 2],
        safety: bool,
        interrupt: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(Value),
    ) -> Result<JobOutcome, Refusal> {
        let mut config =
            Config { property: property.cloned(), safety, bounds: self.bounds, ..Config::default() };
        config.limits.memory = free_memory();
        let with_formula = match formula {
            Some(formula) => {
                config.ltl = Some(formula.clone());
                let external =
                    ExternalProperty { name: check::property::LTL.to_owned(), text: formula.clone() };
                Some(self.compile(&external)?)
            }
            None => None,
        };
        let model = with_formula.as_ref().unwrap_or(self.model);
        if let Some(reason) = config.refusal(model.dialect()) {
            return Err(reason);
        }
        let mut watcher = Paced { last: None, progress };
        let checked = check::check(model, &config, 0, interrupt, &mut watcher);
        let checked = checked.map_err(|error| error.to_string())?;
        let report = &checked.report;
        let tone = match report.verdict {
            Verdict::Holds => "good",
            Verdict::Violated => "bad",
            _ => "doubt",
        };
        let words = json!({
            "job": "check", "verdict": report.verdict.as_str(), "tone": tone,
            "sentence": render::sentence(report, model.dialect()),
            "states": report.states, "transitions": report.transitions, "depth": report.depth,
            "seconds": report.seconds, "bytes": report.store.bytes,
            "properties": report.properties.iter().map(|property| {
                json!({ "name": property.name, "verdict": property.verdict.as_str() })
            }).collect::<Vec<_>>(),
        });
        let cycle = report.violation.as_ref().and_then(|violation| violation.trace.cycle);
        let run = checked.trail.as_ref().map(|trail| FoundRun {
            from: 0,
            steps: trail.steps().map(|step| [step.thread, step.transition, step.choice]).collect(),
            cycle: cycle.map(|cycle| cycle.start),
        });
        Ok(JobOutcome { words, run })
    }

    fn compile(&self, external: &ExternalProperty) -> Result<Model, Refusal> {
        compile(self.args, Some(external), &Disk::default()).map_err(|failure| match failure {
            Failure::Rejected { text, .. } => text,
            _ => "the model cannot be read again".to_owned(),
        })
    }

    fn find(
        &self,
        text: &str,
        (node, steps): (usize, &[[u32; 3]]),
        interrupt: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(Value),
    ) -> Result<JobOutcome, Refusal> {
        let external = ExternalProperty { name: UNTIL.to_owned(), text: text.to_owned() };
        let condition = Condition::new(self.compile(&external)?, self.model, text)?;
        let prefix: Vec<Step> = steps.iter().map(step_of).collect();
        let mut last = Instant::now();
        let found = condition.find(self.bounds, &prefix, MOST_FOUND, |states| {
            if last.elapsed() >= PACE {
                last = Instant::now();
                progress(json!({ "states": states }));
            }
            if interrupt.load(Relaxed) { Break(()) } else { Continue(()) }
        });
        let said = |tone: &str, sentence: String, run| JobOutcome {
            words: json!({ "job": "find", "tone": tone, "sentence": sentence, "verdict": "" }),
            run,
        };
        Ok(match found {
            Found::Run(steps) => {
                let count = render::plural(steps.len() as u64, "step");
                let steps = steps.iter().map(|step| [step.thread, step.transition, step.choice]).collect();
                let run = FoundRun { from: node, steps, cycle: None };
                said("good", format!("`{text}` holds after {count}."), Some(run))
            }
            Found::Nowhere { states } => {
                let states = render::plural(states as u64, "state");
                said("doubt", format!("`{text}` holds in none of the {states} from here on."), None)
            }
            Found::NotYet { states } => {
                let states = render::plural(states as u64, "state");
                said(
                    "doubt",
                    format!("`{text}` holds in none of the first {states} from here on; there are more."),
                    None,
                )
            }
            Found::Undecided(reason) => return Err(format!("`{text}` cannot be evaluated: {reason}")),
        })
    }
}

impl Jobs for ModelJobs<'_> {
    fn run(
        &self,
        job: &Job,
        interrupt: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(Value),
    ) -> Result<JobOutcome, Refusal> {
        match job {
            Job::Check { property, formula, safety } => {
                self.check([property.as_ref(), formula.as_ref()], *safety, interrupt, progress)
            }
            Job::Find { condition, node, steps } => self.find(condition, (*node, steps), interrupt, progress),
        }
    }
}
