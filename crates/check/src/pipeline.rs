//! From a model and a configuration to a report: which parts a check is put together from, in one place.
//!
//! model ─ engine ─ names ─ search over a store ─ outcome ─ replay of every violation ─ report

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use engine::Engine;
use ir::{Id, LocationKind};
use search::emptiness::{Claim, Emptiness};
use search::{Completeness, Options, Outcome, StopReason};
use store::{Budget, Compact};
use symmetry::Stats;
use system::{Bound, FaultKind};

use crate::config::{self, Bounds, Config, Fairness, OnBound, SearchKind, StoreKind, Switch};
use crate::coverage::cover;
use crate::lasso::{self, Claimed, Cycle};
use crate::merging::{passed, unmerge};
use crate::model::{Language, Model};
use crate::refine::{Ended, Watcher, refine};
use crate::report::{
    self, DeadCode, Reduction, Report, Store, Symmetry, Truncations, Verdict, Violation, ViolationCount,
};
use crate::stores::{self, Run};
use crate::symmetric::Symmetric;
use crate::temporal::{self, Aim, Aims};
use crate::trace::{Ending, Trace, ending, interpreter, place_of, replay};
use crate::trail::{TrailBounds, TrailFile, TrailProperty, TrailViolation};

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
    /// Somebody asked to stop, and part of the result is no result.
    Interrupted,
    /// A fault of this program, not of the model.
    Internal(String),
}

/// The engine for a model, if the bounds admit its initial state.
pub fn engine(model: &Model, bounds: Bounds) -> Result<Engine, CheckError> {
    engine_of(model, &model.program, bounds)
}

/// The engine for a program of a model.
fn engine_of(model: &Model, program: &ir::Program, bounds: Bounds) -> Result<Engine, CheckError> {
    let active = model.program.active.len();
    if active > bounds.sizes.threads as usize {
        let actors = match model.language {
            Language::Bir => "threads",
            Language::Promela => "processes",
        };
        return Err(CheckError::Refused(format!(
            "the model starts with {active} {actors}, but --max-threads is {}",
            bounds.sizes.threads
        )));
    }
    Ok(Engine::new(program, bounds.sizes, bounds.on_bound == OnBound::Error))
}

/// Checks what the configuration asks for, one after the other, up to the first violation.
pub fn check(
    model: &Model,
    config: &Config,
    seed: u64,
    interrupt: &AtomicBool,
    watcher: &mut impl Watcher,
) -> Result<Checked, CheckError> {
    if let Some(reason) = config.refusal() {
        return Err(CheckError::Refused(reason));
    }
    let started = Instant::now();
    let aims = temporal::aims(model, config).map_err(CheckError::Refused)?;
    let limit = config.limits.memory.and_then(|limit| usize::try_from(limit).ok());
    let budget = Budget::of_process(limit.unwrap_or(usize::MAX));
    let mut checked: Option<Checked> = None;
    for (at, &aim) in aims.list.iter().enumerate() {
        let options = Options {
            max_depth: config.limits.depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
            max_states: config.limits.states.map(|states| usize::try_from(states).unwrap_or(usize::MAX)),
            time: config.limits.time.map(|limit| limit.saturating_sub(started.elapsed())),
            budget: budget.clone(),
            interrupt: Some(interrupt),
            keep_going: config.keep_going,
            ..Options::default()
        };
        let next = match aim {
            Aim::Safety => check_safety(model, config, seed, options, watcher)?,
            Aim::Property(number) => check_property(model, config, seed, &aims, number, &options, watcher)?,
        };
        let all = match checked.take() {
            None => next,
            Some(before) => before.and(next),
        };
        let is_over = all.interrupted || all.report.verdict == Verdict::Violated && !config.keep_going;
        let checked = checked.insert(all);
        let unchecked: Vec<&str> = aims.list[at + 1..].iter().map(|&aim| aims.name(aim)).collect();
        if is_over && !unchecked.is_empty() {
            checked.report.add_reason(format!("not checked any more: {}", unchecked.join(", ")));
        }
        if is_over {
            break;
        }
    }
    let mut checked = checked.ok_or_else(|| CheckError::Internal("there is nothing to check".to_owned()))?;
    if !aims.skipped.is_empty() {
        let skipped = aims.skipped.join(", ");
        checked.report.add_reason(format!(
            "temporal properties ({skipped}) were not checked, since they need an exact store"
        ));
    }
    Ok(checked)
}

/// Explores all states of a model.
fn check_safety(
    model: &Model,
    config: &Config,
    seed: u64,
    options: Options<'_>,
    watcher: &mut impl Watcher,
) -> Result<Checked, CheckError> {
    let engine = match config.merge {
        Switch::Off => engine(model, config.bounds)?,
        Switch::On => engine_of(model, &promela::merge(&model.program, &model.chains), config.bounds)?,
    };
    let ladder = ladder(model, config);
    // A step under symmetry costs more than a look at memory.
    let options = Options { lookahead: ladder.is_none(), ..options };
    let budget = options.budget.clone();
    let search = |store, options: &Options<'_>, watcher: &mut _| match ladder {
        None => (stores::run(&engine, store, config.search, options, watcher), Stats::default()),
        Some(ladder) => {
            let system = Symmetric::new(&engine, ladder);
            (stores::run(&system, store, config.search, options, watcher), system.stats())
        }
    };
    let (run, naming, ended) = if config.store_options.refine {
        refine(&budget, config, &options, watcher, search)
    } else if config.store_options.coverage {
        let (run, naming) = cover(&budget, config, &options, watcher, search);
        (run, naming, Ended::Here)
    } else {
        let (run, naming) = match ladder {
            None => (stores::explore(&engine, &budget, config, &options, watcher), Stats::default()),
            Some(ladder) => {
                let system = Symmetric::new(&engine, ladder);
                (stores::explore(&system, &budget, config, &options, watcher), system.stats())
            }
        };
        (run, naming, Ended::Here)
    };
    conclude(model, config, seed, &engine, run, naming, ended, None)
}

/// Looks for a run that violates a temporal property.
fn check_property(
    model: &Model,
    config: &Config,
    seed: u64,
    aims: &Aims,
    number: usize,
    options: &Options<'_>,
    watcher: &mut impl Watcher,
) -> Result<Checked, CheckError> {
    let property = &aims.program.properties[number];
    let automaton = temporal::violations(property).map_err(CheckError::Refused)?;
    let engine = engine_of(model, &aims.program, config.bounds)?.with_property(number);
    let ladder = temporal::ladder(ladder(model, config), config.fairness);
    let claim = Claim {
        is_fair: config.fairness == Fairness::Weak,
        // A run that ends makes no cycle.
        stutters: aims.progress != Some(number),
        ..Claim::new(&automaton)
    };
    let mut search = |ladder| {
        temporal::search(&engine, ladder, &claim, config, options, watcher).map_err(CheckError::Refused)
    };
    let mut searched = search(ladder)?;
    if searched.0.is_lost && ladder.is_some() {
        // A level that is not canonical has several names for a state: steps do not lead along its cycles of names.
        searched = search(None)?;
    }
    let (found, store, naming) = searched;
    let run = Run { outcome: found.outcome.clone(), store, sample: None };
    let about = About { aims, number, found: &found, automaton_states: automaton.edges.len() };
    conclude(model, config, seed, &engine, run, naming, Ended::Here, Some(about))
}

/// What a search for cycles was about, and found.
#[derive(Clone, Copy)]
struct About<'a> {
    aims: &'a Aims,
    number: usize,
    found: &'a Emptiness,
    automaton_states: usize,
}

impl About<'_> {
    fn property(&self) -> &ir::Property {
        &self.aims.program.properties[self.number]
    }

    fn entry(&self, config: &Config, verdict: Verdict) -> report::Property {
        let property = self.property();
        let stats = &self.found.outcome.stats;
        let seen = self.found.seen.as_deref().filter(|_| verdict == Verdict::Holds);
        report::Property {
            name: property.name.clone(),
            formula: property.formula_text(),
            verdict,
            automaton_states: self.automaton_states as u64,
            product_states: self.found.nodes as u64,
            states: stats.states as u64,
            transitions: stats.transitions,
            seconds: self.found.outcome.elapsed.as_secs_f64(),
            fairness: config.fairness.to_string(),
            vacuous: seen.map(|seen| temporal::vacuous(property, seen)).unwrap_or_default(),
        }
    }
}

impl Checked {
    /// Together with the check of something else, of which the figures are not shown here.
    fn and(mut self, next: Self) -> Self {
        let (report, other) = (&mut self.report, next.report);
        report.verdict = report.verdict.and(other.verdict);
        report.exhaustive &= other.exhaustive;
        other.incomplete.into_iter().for_each(|reason| report.add_reason(reason));
        if report.violation.is_none() && other.violation.is_some() {
            report.violation = other.violation;
            report.search = other.search;
            self.trail = next.trail;
        }
        for violation in other.violations {
            let same = |known: &ViolationCount| {
                (&known.kind, &known.message, &known.location)
                    == (&violation.kind, &violation.message, &violation.location)
            };
            if !report.violations.iter().any(same) {
                report.violations.push(violation);
            }
        }
        report.safety |= other.safety;
        report.properties.extend(other.properties);
        report.peak_memory_bytes = report.peak_memory_bytes.max(other.peak_memory_bytes);
        report.seconds += other.seconds;
        for line in other.warnings {
            if !report.warnings.contains(&line) {
                report.warnings.push(line);
            }
        }
        for line in other.assumptions {
            if !report.assumptions.contains(&line) {
                report.assumptions.push(line);
            }
        }
        self.interrupted |= next.interrupted;
        self
    }
}

/// How states are named. Where all names can be observed, each state is its own class: there is nothing to rename.
fn ladder(model: &Model, config: &Config) -> Option<symmetry::Ladder> {
    config.ladder().filter(|_| !model.program.numbered)
}

fn conclude(
    model: &Model,
    config: &Config,
    seed: u64,
    engine: &Engine,
    Run { outcome, store, .. }: Run,
    naming: Stats,
    ended: Ended,
    about: Option<About<'_>>,
) -> Result<Checked, CheckError> {
    let mut violations: Vec<ViolationCount> = Vec::new();
    let mut first = None;
    let mut trail = None;
    for found in &outcome.violations {
        let steps = match config.merge {
            Switch::On if about.is_none() => {
                unmerge(model, config.bounds, &found.trail.steps, found.fault.kind)
            }
            Switch::Off | Switch::On => found.trail.steps.clone(),
        };
        let (trace, property) = match &about {
            Some(about) => confirm_run(model, config, about, found)?,
            None => (confirm(model, config.bounds, found, &steps)?, None),
        };
        let Some(ending) = trace.ends_in.clone() else { unreachable!("confirmed") };
        let (kind, message) = (ending.kind, ending.message);
        let location = ending.location;
        let length = steps.len() as u64;
        if first.is_none() {
            trail = Some(trail_file(
                model,
                config.bounds,
                Some(TrailViolation { kind: kind.clone(), message: message.clone(), property }),
                &steps,
            ));
            first = Some(Violation {
                kind: kind.clone(),
                message: message.clone(),
                steps: length,
                location: location.clone(),
                trace,
            });
        }
        // Both ways out of a test fault where it does: for people that is one violation.
        let same = |other: &&mut ViolationCount| {
            (&other.kind, &other.message, &other.location) == (&kind, &message, &location)
        };
        match violations.iter_mut().find(same) {
            Some(known) => {
                known.count += found.count;
                known.steps = known.steps.min(length);
            }
            None => {
                violations.push(ViolationCount {
                    kind,
                    message,
                    count: found.count,
                    steps: length,
                    location,
                });
            }
        }
    }

    let truncated = |bound| outcome.truncations.get(&bound).copied().unwrap_or(0);
    let truncations = Truncations {
        objects: truncated(Bound::Objects),
        threads: truncated(Bound::Threads),
        frames: truncated(Bound::Frames),
    };
    let verdict = verdict(config, &outcome, about.is_some());
    let properties: Vec<_> = about.iter().map(|about| about.entry(config, verdict)).collect();
    let mut warnings: Vec<String> = model.warnings.iter().map(|warning| warning.message.clone()).collect();
    warnings.extend(properties.iter().flat_map(vacuity));
    let seconds = outcome.elapsed.as_secs_f64();
    let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    let (states, transitions) = (outcome.stats.states as u64, outcome.stats.transitions);
    let sizes = config.bounds.sizes;
    let exhaustive = outcome.is_exhaustive() && store.expected_omissions.is_none();
    let report = Report {
        version: report::FORMAT_VERSION,
        tool: concat!("quotient ", env!("CARGO_PKG_VERSION")).to_owned(),
        model: model.name.clone(),
        verdict,
        exhaustive,
        incomplete: incomplete(model, config, &outcome, truncations, &store, ended, about.is_some()),
        violation: first,
        violations,
        safety: about.is_none(),
        properties,
        states,
        matched: outcome.stats.matched,
        transitions,
        depth: outcome.stats.depth.into(),
        open: stores::open(&outcome),
        search: if about.is_some() { SearchKind::Dfs } else { config.search }.to_string(),
        symmetry: symmetry_report(model, config, engine, naming),
        reduction: Reduction { por: config.por.to_string(), merge: config.merge.to_string() },
        bounds: report::Bounds { objects: sizes.objects, threads: sizes.threads, frames: sizes.frames },
        truncations,
        peak_memory_bytes: store::peak_resident().unwrap_or(0) as u64,
        memory_limit_bytes: config.limits.memory,
        seconds,
        states_per_second: rate(states),
        transitions_per_second: rate(transitions),
        seed,
        assumptions: assumptions(model, config, truncations, &store, about.as_ref()),
        store,
        // A search for cycles does not go where its automaton does not go.
        dead_code: if exhaustive && about.is_none() { dead_code(model, config, engine) } else { Vec::new() },
        warnings,
    };
    let interrupted = outcome.completeness == Completeness::Stopped(StopReason::Interrupted);
    Ok(Checked { report, trail, interrupted })
}

/// Runs the trail of a violation on the plain interpreter, which has to come to the same end.
fn confirm(
    model: &Model,
    bounds: Bounds,
    found: &search::Violation,
    steps: &[system::Step],
) -> Result<Trace, CheckError> {
    let internal = |reason: String| {
        CheckError::Internal(format!(
            "a violation ({}) was found, but the plain interpreter does not confirm it: {reason}",
            found.fault.kind
        ))
    };
    let trace = replay(model, bounds, steps.iter().copied(), Some(found.fault.kind.as_str()))
        .map_err(|diverged| internal(diverged.to_string()))?;
    let Some(ending) = &trace.ends_in else {
        return Err(internal("the run ends well".to_owned()));
    };
    if ending.fault != found.fault.kind {
        return Err(internal(format!("the run ends in {} ({})", ending.kind, ending.message)));
    }
    Ok(trace)
}

/// Runs the trail of a search for cycles on the plain interpreter, which has to come to the same violation.
fn confirm_run(
    model: &Model,
    config: &Config,
    about: &About<'_>,
    found: &search::Violation,
) -> Result<(Trace, Option<TrailProperty>), CheckError> {
    let property = about.property();
    let steps = &found.trail.steps;
    let naive = naive::Naive { program: &about.aims.program, ..interpreter(model, config.bounds) };
    if found.fault.kind != FaultKind::AcceptanceCycle {
        // A proposition that cannot be evaluated is not a fault of a step.
        let valued = replay(model, config.bounds, steps.iter().copied(), Some(found.fault.kind.as_str()))
            .ok()
            .and_then(|trace| with_valuation(model, &naive, property, steps, trace));
        return match valued {
            Some(trace) if trace.ends_in.as_ref().is_some_and(|ending| ending.fault == found.fault.kind) => {
                Ok((trace, None))
            }
            _ => confirm(model, config.bounds, found, steps).map(|trace| (trace, None)),
        };
    }
    if about.found.is_lost {
        return Err(CheckError::Internal(format!(
            "a run that violates the property `{}` was found, but its cycle could not be followed",
            property.name
        )));
    }
    let is_fair = config.fairness == Fairness::Weak;
    let cycle =
        about.found.lasso.as_ref().map(|lasso| Cycle { start: lasso.cycle_start(), closed: lasso.is_closed });
    if let Some(reason) = lasso::refute(&naive, property, Claimed { steps, cycle, is_fair }) {
        return Err(CheckError::Internal(format!(
            "a run that violates the property `{}` was found, but the plain interpreter does not confirm it: {reason}",
            property.name
        )));
    }
    let trace = cycle_trace(model, config.bounds, property, steps, cycle)?;
    let text = config.ltl.clone();
    let (cycle_start, is_closed) = (cycle.map(|cycle| cycle.start), cycle.is_none_or(|cycle| cycle.closed));
    let property = TrailProperty { name: property.name.clone(), text, is_fair, cycle_start, is_closed };
    Ok((trace, Some(property)))
}

/// Runs the trail of a violated property on the plain interpreter, which has to come to the same violation.
pub fn replay_property(
    model: &Model,
    bounds: Bounds,
    steps: Vec<system::Step>,
    recorded: &TrailProperty,
) -> Result<Trace, String> {
    let mut program = model.program.clone();
    let synthetic = [Some(program.progress_property()), program.acceptance_property()];
    let known = program.properties.iter().rev().chain(synthetic.iter().flatten());
    let property = known.into_iter().find(|property| property.name == recorded.name).cloned();
    let property = property.ok_or_else(|| format!("it has no property `{}`", recorded.name))?;
    let naive = naive::Naive { program: &program, ..interpreter(model, bounds) };
    let cycle = recorded.cycle_start.map(|start| Cycle { start, closed: recorded.is_closed });
    let claimed = Claimed { steps: &steps, cycle, is_fair: recorded.is_fair };
    if let Some(reason) = lasso::refute(&naive, &property, claimed) {
        return Err(reason);
    }
    cycle_trace(model, bounds, &property, &steps, cycle).map_err(|error| match error {
        CheckError::Refused(reason) | CheckError::Internal(reason) => reason,
        CheckError::Interrupted => "interrupted".to_owned(),
    })
}

/// The run that the trace shows, if it ends in a state of which a proposition of the property cannot be told.
fn with_valuation(
    model: &Model,
    naive: &naive::Naive<'_>,
    property: &ir::Property,
    steps: &[system::Step],
    mut trace: Trace,
) -> Option<Trace> {
    let state = steps.iter().try_fold(naive.initial(), |state, &step| naive.fire(&state, step).ok())?;
    let fault = naive.valuation(&state, property).err()?;
    trace.ends_in = Some(ending(model, &fault));
    Some(trace)
}

/// A run that violates a property, in words.
fn cycle_trace(
    model: &Model,
    bounds: Bounds,
    property: &ir::Property,
    steps: &[system::Step],
    cycle: Option<Cycle>,
) -> Result<Trace, CheckError> {
    let mut trace = replay(model, bounds, steps.iter().copied(), None)
        .map_err(|diverged| CheckError::Internal(diverged.to_string()))?;
    let blocked = trace.ends_in.take().map(|ending| ending.blocked).unwrap_or_default();
    trace.cycle = cycle;
    let what = match (&property.name[..], property.formula_text()) {
        ("progress", _) if property.span == source::Span::default() => {
            "this goes on for ever, and nobody makes progress".to_owned()
        }
        (name, Some(formula)) => format!("`{name}` is violated: {formula}"),
        (name, None) => format!("the claim `{name}` is fulfilled"),
    };
    let message = if cycle.is_some() { what } else { format!("{what}, whatever happens next") };
    trace.ends_in = Some(Ending {
        kind: FaultKind::AcceptanceCycle.to_string(),
        message,
        location: (property.span != source::Span::default()).then(|| place_of(model, property.span)),
        blocked,
        fault: FaultKind::AcceptanceCycle,
    });
    Ok(trace)
}

pub fn trail_file(
    model: &Model,
    bounds: Bounds,
    violation: Option<TrailViolation>,
    steps: &[system::Step],
) -> TrailFile {
    let sizes = bounds.sizes;
    let bounds = TrailBounds {
        objects: sizes.objects,
        threads: sizes.threads,
        frames: sizes.frames,
        error: bounds.on_bound == OnBound::Error,
    };
    TrailFile::new(model.name.clone(), model.fingerprint(), model.defines.clone(), bounds, violation, steps)
}

/// | violations | exhausted | store | truncated | depth limit, breadth first | verdict            |
/// |------------|-----------|-------|-----------|----------------------------|--------------------|
/// | some       |           |       |           |                            | violated           |
/// | none       | yes       | exact | no        |                            | holds              |
/// | none       | yes       | exact | yes       |                            | holds up to bounds |
/// | none       | yes       | lossy |           |                            | no error found     |
/// | none       | no        | exact |           | yes                        | holds up to bounds |
/// | none       | no        |       |           | no                         | inconclusive       |
///
/// Depth first, a depth limit also hides states within the limit, so it bounds nothing.
///
/// A search for cycles is depth first.
fn verdict(config: &Config, outcome: &Outcome, is_for_cycles: bool) -> Verdict {
    if !outcome.violations.is_empty() {
        return Verdict::Violated;
    }
    match outcome.completeness {
        Completeness::Exhausted if config.store.is_lossy() => Verdict::NoErrorFound,
        Completeness::Exhausted if outcome.truncations.is_empty() => Verdict::Holds,
        Completeness::Exhausted => Verdict::HoldsUpToBounds,
        Completeness::Stopped(StopReason::Depth)
            if config.search == SearchKind::Bfs && !config.store.is_lossy() && !is_for_cycles =>
        {
            Verdict::HoldsUpToBounds
        }
        Completeness::Stopped(_) => Verdict::Inconclusive,
    }
}

fn incomplete(
    model: &Model,
    config: &Config,
    outcome: &Outcome,
    truncations: Truncations,
    store: &Store,
    ended: Ended,
    is_for_cycles: bool,
) -> Option<String> {
    let mut reasons = Vec::new();
    match outcome.completeness {
        Completeness::Exhausted => {}
        Completeness::Stopped(StopReason::Depth) => {
            let depth = config.limits.depth.unwrap_or_default();
            reasons.push(match config.search {
                _ if is_for_cycles => format!("paths of more than {depth} steps were cut off"),
                SearchKind::Bfs => format!("states more than {depth} steps away were not explored"),
                SearchKind::Dfs => {
                    format!("paths of more than {depth} steps were cut off, depth first; --search bfs is complete to the limit")
                }
            });
        }
        Completeness::Stopped(reason) => reasons.push(
            match reason {
                StopReason::Depth => "the depth limit was reached",
                StopReason::States => "the limit on states was reached",
                StopReason::Time => "the time limit was reached",
                StopReason::Memory => "the memory limit was reached",
                StopReason::Ids => "the store ran out of numbers for states",
                StopReason::Interrupted => "interrupted",
                StopReason::Threads => "there are more threads than weak fairness can tell apart",
                StopReason::FirstViolation => "stopped at the first violation (--continue goes on)",
            }
            .to_owned(),
        ),
    }
    if let Some(omissions) = store.expected_omissions {
        reasons.push(format!("the store may have taken states for others ({} expected)", amount(omissions)));
    }
    if ended == Ended::Memory {
        reasons.push("a larger arena would exceed the memory limit".to_owned());
    }
    let sizes = config.bounds.sizes;
    let threads = format!("--max-threads {}", sizes.threads);
    let (objects, frames) = match model.language {
        Language::Bir => {
            (format!("--max-objects {}", sizes.objects), format!("--max-frames {}", sizes.frames))
        }
        Language::Promela => (
            format!("the limit of {} channels", ir::MAX_CHANNELS),
            format!("the limit of {} statements in a d_step", ir::MAX_INNER_STEPS),
        ),
    };
    for (count, bound) in
        [(truncations.objects, objects), (truncations.threads, threads), (truncations.frames, frames)]
    {
        if count > 0 {
            reasons.push(match count {
                1 => format!("1 step was not taken because it exceeds {bound}"),
                _ => format!("{count} steps were not taken because they exceed {bound}"),
            });
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// A small number or a large one.
fn amount(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        10.0.. => format!("{number:.0}"),
        0.01.. => format!("{number:.2}"),
        _ => format!("{number:.1e}"),
    }
}

/// What can be relied on of what a store says.
fn guarantee(config: &Config, store: &Store) -> String {
    let Some(omissions) = store.expected_omissions else {
        return "every state is kept in full, none is taken for another".to_owned();
    };
    let kept = match config.store {
        StoreKind::Compact => {
            let bytes = config.store_options.hash_bytes.unwrap_or(Compact::DEFAULT_WIDTH);
            format!("of each state {bytes} bytes of a hash are kept")
        }
        _ => "of each state a few bits in an array are kept".to_owned(),
    };
    let complete = match (store.probability_complete, omissions) {
        (None, _) => "so far",
        (Some(_), 1.0..) => "so some were probably missed",
        (Some(bound), 0.001..) => &format!("Pr[complete] ≥ {bound:.3}"),
        _ => &format!("Pr[complete] ≥ 1 − {}", amount(omissions)),
    };
    format!("{kept}; {} states are expected to have been taken for others, {complete}", amount(omissions))
}

/// What the verdict rests on.
fn assumptions(
    model: &Model,
    config: &Config,
    truncations: Truncations,
    store: &Store,
    about: Option<&About<'_>>,
) -> Vec<String> {
    let level = match (about, config.symmetry, config.fairness) {
        (None, level, _) | (_, level @ (config::Symmetry::None | config::Symmetry::Full), Fairness::None) => {
            level
        }
        (_, _, Fairness::Weak) => config::Symmetry::None,
        (_, _, Fairness::None) => config::Symmetry::Heap,
    };
    let mut list = vec![
        format!("store {}: {}", config.store, guarantee(config, store)),
        symmetry_assumption(model, level),
        match about {
            None => reduction_assumption(model, config),
            Some(_) => NO_REDUCTION.to_owned(),
        },
    ];
    if let Some(about) = about {
        let schedules = match config.fairness {
            Fairness::None => "every schedule counts, however unfair",
            Fairness::Weak => "only schedules count in which nobody who can always move waits for ever",
        };
        let name = &about.property().name;
        list.push(format!("property {name}: {schedules}"));
        list.push(match about.aims.progress {
            Some(_) => "runs that end are no cycles".to_owned(),
            None => "a run that ends stays in its last state for ever".to_owned(),
        });
    }
    let sizes = config.bounds.sizes;
    let bounds = match model.language {
        Language::Bir => format!(
            "at most {} objects, {} threads, {} frames a thread",
            sizes.objects, sizes.threads, sizes.frames
        ),
        Language::Promela => format!(
            "at most {} processes, {} channels, {} statements in a d_step",
            sizes.threads,
            ir::MAX_CHANNELS,
            ir::MAX_INNER_STEPS
        ),
    };
    list.push(match (config.bounds.on_bound, truncations.total()) {
        (OnBound::Error, _) => format!("{bounds}; exceeding that is a violation"),
        (OnBound::Truncate, 0) => format!("{bounds}; no step exceeded that"),
        (OnBound::Truncate, 1) => format!("{bounds}; 1 step exceeds that and was not taken"),
        (OnBound::Truncate, n) => format!("{bounds}; {n} steps exceed that and were not taken"),
    });
    let hidden = looked_at(&model.program);
    if !hidden.is_empty() {
        list.push(format!(
            "hidden variables ({}) do not matter: states that differ only in them count as one, as the model asks",
            hidden.join(", ")
        ));
    }
    list
}

fn reduction_assumption(model: &Model, config: &Config) -> String {
    match config.merge {
        Switch::On if !model.chains.is_empty() => {
            "statements that concern their own process only are merged with those before them; otherwise every \
             interleaving of the model's steps is explored"
        }
        Switch::On | Switch::Off => NO_REDUCTION,
    }
    .to_owned()
}

const NO_REDUCTION: &str = "no reduction: every interleaving of the model's steps is explored";

/// What a warning says about a property that holds for want of a reason not to.
fn vacuity(property: &report::Property) -> Option<String> {
    let conditions = property.vacuous.iter().map(|condition| format!("`{condition}`")).collect::<Vec<_>>();
    (!conditions.is_empty()).then(|| {
        format!("the property `{}` holds vacuously: {} never holds", property.name, conditions.join(" and "))
    })
}

/// The variables that are not part of the state and that the model reads all the same.
fn looked_at(program: &ir::Program) -> Vec<&str> {
    let mut read = BTreeSet::new();
    program.each_expr(&mut |expr| {
        if let ir::ExprKind::Global(id) | ir::ExprKind::Element(ir::Array::Global(id), _) = expr.kind {
            read.insert(id);
        }
    });
    let hidden = read.into_iter().map(|id| &program.globals[id]).filter(|global| global.transparent);
    hidden.map(|global| global.name.as_str()).collect()
}

fn symmetry_report(model: &Model, config: &Config, engine: &Engine, stats: Stats) -> Symmetry {
    let named = |&(id, element): &(ir::EnumId, u32)| {
        let of = &model.program.enums[id];
        format!("{}.{}", of.name, of.elements[element as usize])
    };
    let level = config.symmetry;
    Symmetry {
        level: level.to_string(),
        naming: ladder(model, config).map(|_| config.naming.unwrap_or_default().to_string()),
        canonical: match level {
            _ if model.program.numbered => true,
            // Every state is its own class.
            config::Symmetry::None => true,
            // Members of sets have no places to be named by.
            config::Symmetry::Heap => !engine.layout().has_relations(),
            // Ties are broken by age.
            config::Symmetry::Pc | config::Symmetry::Bots(_) => false,
            config::Symmetry::Full => stats.exhausted == 0,
        },
        ties_searched: stats.searched,
        searches_exhausted: stats.exhausted,
        touched_per_step: stats.touched as f64 / stats.steps.max(1) as f64,
        pinned: model.program.pinned().iter().map(named).collect(),
    }
}

fn symmetry_assumption(model: &Model, level: config::Symmetry) -> String {
    let what = match level {
        config::Symmetry::None => "states that differ in any name count as different",
        _ if model.program.numbered => {
            "processes and channels have numbers that the model can see: none is like another"
        }
        config::Symmetry::Heap => "states that differ in addresses of objects count as one",
        config::Symmetry::Pc | config::Symmetry::Bots(_) => {
            "states that differ in addresses of objects count as one, and many that differ in identities of threads"
        }
        config::Symmetry::Full => {
            "states that differ in addresses, identities of threads or abstract ids count as one"
        }
    };
    format!("symmetry {level}: {what}")
}

/// What no run got to. Resume locations are parts of their calls, and a procedure that is never entered is one
/// entry.
fn dead_code(model: &Model, config: &Config, engine: &Engine) -> Vec<DeadCode> {
    let program = &model.program;
    let passed = match config.merge {
        Switch::Off => BTreeSet::new(),
        Switch::On => passed(model, |location| engine.was_reached(location)),
    };
    let mut dead = Vec::new();
    let mut seen = BTreeSet::new();
    for (id, location) in program.locations.iter() {
        if engine.was_reached(id) || passed.contains(&id) || !matches!(location.kind, LocationKind::Plain) {
            continue;
        }
        let procedure = &program.procedures[location.procedure];
        let entered = engine.was_reached(procedure.entry);
        let span = if entered { location.span } else { procedure.span };
        let place = if entered { place_of(model, span) } else { model.place(span) };
        // What a language has several of on a line is listed one by one.
        let column = if model.language == Language::Promela { place.column } else { 0 };
        if seen.insert((location.procedure.index(), place.line, column)) {
            let name = (entered && !location.hidden).then(|| location.name.clone());
            dead.push(DeadCode { procedure: procedure.name.clone(), entered, name, location: place });
        }
    }
    dead
}
