//! From a model and a configuration to a report: which parts a check is put together from, in one place.
//!
//! model ─ engine ─ names ─ reduction ─ search over a store ─ outcome ─ replay of every violation ─ report

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engine::Engine;
use ir::{Id, Origin};
use search::emptiness::Claim;
use search::{Completeness, Options, StopReason};
use store::Budget;
use system::TransitionSystem;

use crate::checkpoint::{self, Checkpoints, cannot_go_on};
use crate::choice::Choice;
use crate::conclude::{SearchResult, conclude, withdraw_cycle};
use crate::config::{self, Bounds, Config, OnBound};
use crate::coverage::cover;
use crate::deadline::Deadline;
use crate::model::Model;
use crate::processes::{Processes, observed};
use crate::reducing::ReductionPlan;
use crate::refine::{Ended, Watcher, refine};
use crate::report::{Report, Verdict};
use crate::stack::{LayerStats, Naming, Stack};
use crate::stores::{BitstateSearch, Explored, Reachability};
use crate::summary::{GoalResult, summarize};
use crate::swarm::{Member, swarm};
use crate::temporal::{self, Goal, Goals, PropertySearch};
use crate::trail::TrailFile;

/// A finished check.
#[derive(Clone, Debug)]
pub struct Checked {
    pub report: Report,
    /// The trail of the first violation.
    pub trail: Option<TrailFile>,
    pub interrupted: bool,
}

/// Why there is no report.
#[derive(Clone, Debug)]
pub enum CheckError {
    /// The options can't be honoured.
    Refused(String),
    /// The user asked to stop, and there is no partial result.
    Interrupted,
    /// A fault of this program, not of the model.
    Internal(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => f.write_str(reason),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Internal(reason) => write!(f, "internal error: {reason}"),
        }
    }
}

impl std::error::Error for CheckError {}

/// The engine for a model, if the bounds admit its initial state.
pub fn engine(model: &Model, bounds: Bounds) -> Result<Engine, CheckError> {
    engine_of(model, &model.program, bounds)
}

/// The engine for a program of a model.
pub(crate) fn engine_of(model: &Model, program: &ir::Program, bounds: Bounds) -> Result<Engine, CheckError> {
    let active = model.program.active.len();
    if active > bounds.sizes.threads as usize {
        let actors = model.dialect().actors;
        return Err(CheckError::Refused(format!(
            "the model starts with {active} {actors}, but --max-threads is {}",
            bounds.sizes.threads
        )));
    }
    Ok(Engine::new(program, bounds.sizes.into(), bounds.on_bound == OnBound::Error))
}

/// What all searches of a check share.
pub struct Check<'a> {
    pub model: &'a Model,
    pub config: &'a Config,
    pub options: Options<'a>,
    /// Why names are given as they are, if that was not asked for.
    pub chosen: Option<Choice>,
    deadline: Deadline,
    /// A violation of an earlier goal is the one that is shown.
    pub has_shown: Cell<bool>,
}

impl<'a> Check<'a> {
    pub fn new(model: &'a Model, config: &'a Config, options: Options<'a>, deadline: Deadline) -> Self {
        Self { model, config, options, chosen: None, deadline, has_shown: Cell::new(false) }
    }

    /// The limits of a search that begins now.
    fn options(&self) -> Options<'a> {
        Options { time: self.deadline.left(), ..self.options.clone() }
    }

    /// The time until the check has to end, if it has to.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.left()
    }
}

/// Checks one goal of the configuration after the other, up to the first violation.
pub fn check(
    model: &Model,
    config: &Config,
    seed: u64,
    interrupt: &Arc<AtomicBool>,
    watcher: &mut dyn Watcher,
) -> Result<Checked, CheckError> {
    if let Some(reason) = config.refusal(model.dialect()) {
        return Err(CheckError::Refused(reason));
    }
    let deadline = Deadline::after(config.limits.time);
    let goals = temporal::goals(model, config).map_err(CheckError::Refused)?;
    if config.checkpoint.is_some() && goals.list.iter().any(|&goal| goal != Goal::Safety) {
        return Err(CheckError::Refused(
            "--checkpoint is for reachable states, and the model has temporal properties, which are checked by searches \
             that keep no checkpoints; add --safety, and check the properties by themselves"
                .to_owned(),
        ));
    }
    let limit = config.limits.memory.and_then(|limit| usize::try_from(limit).ok());
    let options = Options {
        max_depth: config.limits.depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
        max_states: config.limits.states.map(|states| usize::try_from(states).unwrap_or(usize::MAX)),
        budget: Budget::of_process(limit.unwrap_or(usize::MAX)),
        interrupt: Some(interrupt),
        keep_going: config.keep_going,
        ..Options::default()
    };
    let chosen = Choice::new(model, config)?;
    let level = chosen.as_ref().map_or(config.symmetry, |choice| choice.level);
    let config = &Config { symmetry: level.named(), ..config.clone() };
    let check = Check { chosen, ..Check::new(model, config, options, deadline) };
    let mut results: Vec<GoalResult> = Vec::new();
    for &goal in &goals.list {
        let result = match goal {
            Goal::Safety => check_safety(&check, watcher)?,
            Goal::Property(number, origin) => check_property(&check, &goals, (number, origin), watcher)?,
        };
        let is_over = result.interrupted || result.verdict == Verdict::Violated && !config.keep_going;
        results.push(result);
        if is_over {
            break;
        }
    }
    summarize(&check, seed, &goals, results)
        .ok_or_else(|| CheckError::Internal("there is nothing to check".to_owned()))
}

/// Explores all states of a model.
fn check_safety(check: &Check<'_>, watcher: &mut dyn Watcher) -> Result<GoalResult, CheckError> {
    let Check { model, config, ref options, .. } = *check;
    let program = without_properties(&model.program);
    let processes = Processes::new(check, &program, None)?;
    // The searches of a swarm have nothing in common.
    let shares_work = config.workers() > 1 && config.store_options.swarm.is_none();
    if processes.is_used && shares_work {
        return Err(CheckError::Refused(format!(
            "--threads {}: processes of this model are interchangeable, and which state stands for those that are alike \
             depends on the states before; use --threads 1, or --symmetry none",
            config.workers()
        )));
    }
    if processes.is_used && config.checkpoint.is_some() {
        return Err(CheckError::Refused(
            "--checkpoint: processes of this model are interchangeable, and which state stands for those that are alike \
             depends on the states before, which a checkpoint does not keep; use --symmetry none"
                .to_owned(),
        ));
    }
    let mut plan = ReductionPlan::new(model, &processes.program, config, None);
    let engine = engine_of(model, &plan.program, config.bounds)?;
    if engine.hidden_data().is_some() && config.checkpoint.is_some() {
        return Err(CheckError::Refused(
            "--checkpoint: this model reads hidden variables, whose values are those of the first run to a state, and are \
             not kept"
                .to_owned(),
        ));
    }
    let checkpoints = config.checkpoint.as_ref();
    let checkpoints = checkpoints
        .map(|wanted| Checkpoints::open(wanted, &model.name, model.fingerprint(), options.interrupt));
    let mut checkpoints = checkpoints.transpose()?;
    if engine.hidden_data().is_some() && shares_work {
        return Err(CheckError::Refused(format!(
            "--threads {}: this model reads hidden variables, whose values are those of the first run to a state; use --threads 1",
            config.workers()
        )));
    }
    let searched = plan.program.clone();
    let naming = match ladder(model, config) {
        _ if processes.is_used => Naming::Interchanged(&searched, &[]),
        ladder => ladder.map_or(Naming::Ids, Naming::Names),
    };
    // A step under symmetry costs more than a look at memory.
    let lookahead = !matches!(naming, Naming::Names(_));
    let fold = !lookahead;
    let deadline = &check.deadline;
    let options_now = || Options { lookahead, fold, time: deadline.left(), ..options.clone() };
    let ((explored, ended), layers) = plan.search(|analysis| {
        let stack = Stack { engine: &engine, naming, analysis };
        let search = |store, observer: &mut dyn Watcher| {
            let (search, options) = (config.search(), &options_now());
            stack.with_system(BitstateSearch { store, search, options, observer })
        };
        let (explored, layers, ended) = if config.store_options.swarm.is_some() {
            let search = |member: Member<'_>, observer: &mut dyn Watcher| {
                let Member { store, shuffle, interrupt } = member;
                let options = &Options { shuffle, interrupt: Some(interrupt), ..options_now() };
                stack.with_system(BitstateSearch { store, search: config.search(), options, observer })
            };
            let (explored, layers) =
                swarm(&options.budget, config, options.interrupt, watcher, search, LayerStats::unite);
            (explored, layers, Ended::Normally)
        } else if config.store_options.refine {
            refine(&options.budget, config, watcher, search)
        } else {
            let (explored, layers) = if config.store_options.coverage {
                cover(&options.budget, config, watcher, search)
            } else {
                let next = checkpoints.as_mut().map(|checkpoints| checkpoints.next_search(&engine));
                let mut next = next.transpose().map_err(|error| cannot_go_on(&error))?;
                let checkpoints = next.as_mut().map(checkpoint::Search::parts).unwrap_or_default();
                let options = &options_now();
                // Which state stands for those that are alike depends on the states before.
                let crew = if processes.is_used { (1, config.pace) } else { config.crew() };
                let search = Reachability { config, crew, options, observer: watcher, checkpoints };
                let (explored, layers) = stack.with_system(search);
                (explored.map_err(|error| cannot_go_on(&error))?, layers)
            };
            (explored, layers, Ended::Normally)
        };
        Ok::<_, CheckError>(((explored, ended), layers))
    })?;
    let level = temporal::level(ladder(model, config), config.symmetry);
    let (completeness, found) = (explored.outcome.completeness, explored.outcome.violations.len());
    let mut result = conclude(
        check,
        SearchResult {
            explored,
            level,
            layers,
            plan: &plan,
            processes: &processes,
            engine: &engine,
            ended,
            property: None,
        },
    )?;
    // What was found and could not be run again is found again.
    let is_unconfirmed = found > 0 && result.violations.is_empty();
    result.checkpoint =
        checkpoints.and_then(|checkpoints| checkpoints.finish(!is_unconfirmed && is_over(completeness)));
    Ok(result)
}

/// Whether there is nothing to go on with: the end of a search is not one that a user or a limit has set.
fn is_over(completeness: Completeness) -> bool {
    use StopReason::{Interrupted, Memory, Time};
    !matches!(completeness, Completeness::Stopped(Interrupted | Time | Memory))
}

/// The program for a search that looks at no temporal property. What only properties ask for does not count:
/// who took the last step is not remembered for them, and neither that nor other questions about the schedule
/// stand in the way of reductions.
pub(crate) fn without_properties(program: &ir::Program) -> Cow<'_, ir::Program> {
    if !program.features.thread_ids_observable || program.properties.is_empty() {
        return Cow::Borrowed(program);
    }
    let asks_for_last = |program: &ir::Program| {
        let mut asks = false;
        program.each_expr(&mut |expr| asks |= expr.kind == ir::ExprKind::LastThread);
        asks
    };
    let mut rest = ir::Program { properties: Vec::new(), ..program.clone() };
    if asks_for_last(program) && !asks_for_last(&rest) {
        rest.features.remembers_last = false;
    }
    Cow::Owned(rest)
}

/// Looks for a run that violates a temporal property.
fn check_property(
    check: &Check<'_>,
    goals: &Goals,
    (number, origin): (usize, Option<Origin>),
    watcher: &mut dyn Watcher,
) -> Result<GoalResult, CheckError> {
    let Check { model, config, .. } = *check;
    // For a property of each thread of a procedure, one of them is marked.
    let marked = origin.map(|origin| {
        let marked = goals.program.mark_thread(&goals.program.properties[number], origin);
        marked.ok_or_else(|| CheckError::Internal("there is nobody to mark".to_owned()))
    });
    let marked = marked.transpose()?;
    let (program, at) = marked.as_ref().map_or((&goals.program, number), |marked| (&marked.program, 0));
    let property = &program.properties[at];
    let automaton = temporal::violations(property).map_err(CheckError::Refused)?;
    let processes = Processes::new(check, program, Some(property))?;
    let mut plan = ReductionPlan::new(model, &processes.program, config, Some(property));
    let engine = engine_of(model, &plan.program, config.bounds)?.with_property(at);
    let ladder = temporal::ladder(ladder(model, config));
    let searched = plan.program.clone();
    let asked = observed(&searched, Some(property));
    let naming = match ladder {
        _ if processes.is_used => Naming::Interchanged(&searched, &asked),
        ladder => ladder.map_or(Naming::Ids, Naming::Names),
    };
    let fair_transitions: Vec<u32> = plan.program.fair_transitions().map(|id| id.index() as u32).collect();
    let claim = Claim {
        fairness: config.fairness.into(),
        fair_transitions: &fair_transitions,
        weakly_fair_transitions: &[],
        // A run that ends makes no cycle.
        stutters: goals.progress != Some(number),
        passes_by: true,
        ..Claim::new(&automaton)
    };
    let mut search = |naming, analysis: Option<&_>| {
        let stack = Stack { engine: &engine, naming, analysis };
        let found = temporal::search(&stack, &claim, config, &check.options(), watcher);
        found.map_err(CheckError::Refused)
    };
    let mut level = temporal::level(ladder, config.symmetry);
    let ((mut found, mut store), mut layers) = plan.search(|analysis| search(naming, analysis))?;
    if found.cycle_not_reproduced && !naming.is_ids() {
        // A level that is not canonical has several names for a state: steps do not lead along its cycles of
        // names. Without names, objects are what they are called: orders of steps are not all alike then.
        ((found, store), layers) = search(Naming::Ids, None)?;
        level = config::Symmetry::None;
        plan.give_up_names();
    }
    if found.cycle_not_reproduced {
        withdraw_cycle(&mut found.outcome);
    }
    let explored = Explored { outcome: found.outcome.clone(), store, sample: None };
    let automaton_states = automaton.edges.len();
    let (found, marked) = (&found, marked.as_ref());
    let property = PropertySearch { goals, number, origin, found, marked, automaton_states };
    let (property, ended) = (Some(property), Ended::Normally);
    conclude(
        check,
        SearchResult {
            explored,
            level,
            layers,
            plan: &plan,
            processes: &processes,
            engine: &engine,
            ended,
            property,
        },
    )
}

/// How states are named. Where threads have numbers, only objects can be renamed, if there are any. Then threads vanish when
/// they end, which chains do not follow.
pub fn ladder(model: &Model, config: &Config) -> Option<symmetry::SymmetryConfig> {
    let Model { program, .. } = model;
    let ladder = config.ladder().filter(|_| !program.is_flat())?;
    if !program.features.thread_ids_observable {
        return Some(ladder);
    }
    let (level, naming) = (symmetry::Level::Heap, symmetry::Naming::Dfs);
    Some(symmetry::SymmetryConfig { level, naming, ..ladder })
}
