//! From a model and a configuration to a report: which parts a check is put together from, in one place.
//!
//! model ─ engine ─ names ─ reduction ─ search over a store ─ outcome ─ replay of every violation ─ report

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use engine::Engine;
use ir::{Id, LocationKind, Origin};
use naive::Naive;
use search::emptiness::Claim;
use search::{Completeness, Options, Outcome, StopReason};
use store::Budget;
use symmetry::Stats;
use system::{Alarm, Bound, FaultKind};

use crate::config::{self, Bounds, Config, Fairness, OnBound, SearchKind};
use crate::coverage::cover;
use crate::dialect::place_of;
use crate::findings::{assumptions, incomplete, vacuity, verdict};
use crate::model::Model;
use crate::reducing::Plan;
use crate::refine::{Ended, Watcher, refine};
use crate::replay::{
    Claimed, Confirmed, Cycle, Found, MarkedSteps, MergedSteps, StepSource, confirm, interpreter, passed,
};
use crate::report::{self, DeadCode, Report, Symmetry, Truncations, Verdict, Violation, ViolationCount};
use crate::stack::{LayerStats, Stack};
use crate::stores::{self, BitstateSearch, Reachability, Run};
use crate::temporal::{self, About, Aim, Aims};
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
fn engine_of(model: &Model, program: &ir::Program, bounds: Bounds) -> Result<Engine, CheckError> {
    let active = model.program.active.len();
    if active > bounds.sizes.threads as usize {
        let actors = model.dialect().actors;
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
    interrupt: &Arc<AtomicBool>,
    watcher: &mut dyn Watcher,
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
            Aim::Property(number, origin) => {
                check_property(model, config, seed, &aims, (number, origin), &options, watcher)?
            }
        };
        let all = match checked.take() {
            None => next,
            Some(before) if aims.list[at - 1].is_with(aim) => before.and_others(next),
            Some(before) => before.and(next),
        };
        let is_over = all.interrupted || all.report.verdict == Verdict::Violated && !config.keep_going;
        let checked = checked.insert(all);
        let others = aims.list[at + 1..].iter().filter(|other| !other.is_with(aim));
        let mut unchecked: Vec<&str> = others.map(|&other| aims.name(other)).collect();
        unchecked.dedup();
        if is_over && !unchecked.is_empty() {
            checked.report.add_reason(format!("not checked any more: {}", unchecked.join(", ")));
        }
        if is_over {
            break;
        }
    }
    let mut checked = checked.ok_or_else(|| CheckError::Internal("there is nothing to check".to_owned()))?;
    for property in &checked.report.properties {
        if let Some(text) = vacuity(property) {
            let span = aims.program.properties.iter().find(|known| known.name == property.name);
            let span = span.map(|known| known.span).filter(|&span| span != source::Span::default());
            let location = span.map(|span| report::Extent::of(span, &model.map));
            checked.report.warnings.push(text.clone());
            checked
                .report
                .diagnostics
                .push(report::Diagnostic { location, ..report::Diagnostic::warning(text) });
        }
    }
    if !aims.skipped.is_empty() {
        let skipped = aims.skipped.join(", ");
        checked.report.verdict = checked.report.verdict.and(Verdict::Inconclusive);
        checked.report.add_reason(format!(
            "temporal properties ({skipped}) were not checked, since they need another store (--safety leaves them out)"
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
    watcher: &mut dyn Watcher,
) -> Result<Checked, CheckError> {
    let program = without_properties(&model.program);
    let mut plan = Plan::new(model, &program, config, None);
    let engine = engine_of(model, &plan.program, config.bounds)?;
    let ladder = ladder(model, config);
    // A step under symmetry costs more than a look at memory.
    let options = Options { lookahead: ladder.is_none(), fold: ladder.is_some(), ..options };
    let budget = options.budget.clone();
    let started = Instant::now();
    let searched = plan.search(|analysis| {
        let stack = Stack { engine: &engine, ladder, analysis };
        let options = time_left(&options, started);
        let search = |store, options: &Options<'_>, observer: &mut dyn Watcher| {
            stack.with_system(BitstateSearch { store, search: config.search, options, observer })
        };
        let (run, told, ended) = if config.store_options.refine {
            refine(&budget, config, &options, watcher, search)
        } else if config.store_options.coverage {
            let (run, told) = cover(&budget, config, &options, watcher, search);
            (run, told, Ended::Here)
        } else {
            let (run, told) =
                stack.with_system(Reachability { config, options: &options, observer: watcher });
            (run, told, Ended::Here)
        };
        Ok::<_, CheckError>(((run, ended), told))
    });
    let ((run, ended), told) = searched?;
    let patience = &patience(config, &options);
    let searched = Searched { run, level: config.symmetry, told, plan: &plan, ended, patience };
    conclude(model, config, seed, &engine, searched, None)
}

/// How long the plain interpreter may take over what a search found: as long again as the limit on time, and
/// at least [`CONFIRMATION`], since what was found is worth more than what is still to be searched. An
/// interrupt that ended the search was for the search; another one ends the program.
fn patience(config: &Config, options: &Options<'_>) -> Alarm {
    let limit = config.limits.time.map(|limit| limit.max(CONFIRMATION));
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    Alarm::new(deadline, options.interrupt.filter(|flag| !flag.load(Relaxed)).cloned())
}

const CONFIRMATION: Duration = Duration::from_secs(10);

/// The program for a search that looks at no temporal property. What only properties ask for does not count: who took the
/// last step is not remembered for them, and neither that nor other questions about the schedule stand in the way of
/// reductions.
fn without_properties(program: &ir::Program) -> Cow<'_, ir::Program> {
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

/// A search that starts again has less time.
fn time_left<'a>(options: &Options<'a>, started: Instant) -> Options<'a> {
    let time = options.time.map(|limit| limit.saturating_sub(started.elapsed()));
    Options { time, ..options.clone() }
}

/// Looks for a run that violates a temporal property.
fn check_property(
    model: &Model,
    config: &Config,
    seed: u64,
    aims: &Aims,
    (number, origin): (usize, Option<Origin>),
    options: &Options<'_>,
    watcher: &mut dyn Watcher,
) -> Result<Checked, CheckError> {
    // Of a property about individuals, one of them is marked.
    let pinned = origin.map(|origin| {
        let pinned = aims.program.mark_thread(&aims.program.properties[number], origin);
        pinned.ok_or_else(|| CheckError::Internal("there is nobody to mark".to_owned()))
    });
    let pinned = pinned.transpose()?;
    let (program, at) = pinned.as_ref().map_or((&aims.program, number), |pinned| (&pinned.program, 0));
    let property = &program.properties[at];
    let automaton = temporal::violations(property).map_err(CheckError::Refused)?;
    let mut plan = Plan::new(model, program, config, Some(property));
    let engine = engine_of(model, &plan.program, config.bounds)?.with_property(at);
    let ladder = temporal::ladder(ladder(model, config));
    let claim = Claim {
        is_fair: config.fairness == Fairness::Weak,
        // A run that ends makes no cycle.
        stutters: aims.progress != Some(number),
        passes_by: true,
        ..Claim::new(&automaton)
    };
    let started = Instant::now();
    let mut search = |ladder, analysis: Option<&_>| {
        let stack = Stack { engine: &engine, ladder, analysis };
        let options = time_left(options, started);
        temporal::search(&stack, &claim, config, &options, watcher).map_err(CheckError::Refused)
    };
    let mut level = temporal::level(ladder, config.symmetry);
    let (mut searched, mut told) = plan.search(|analysis| {
        let (found, store, told) = search(ladder, analysis)?;
        Ok(((found, store), told))
    })?;
    if searched.0.cycle_not_reproduced && ladder.is_some() {
        // A level that is not canonical has several names for a state: steps do not lead along its cycles of names. Without
        // names, objects are what they are called: orders of steps are not all alike then.
        let (found, store, without) = search(None, None)?;
        (searched, told) = ((found, store), without);
        level = config::Symmetry::None;
        plan.give_up_names();
    }
    let (mut found, store) = searched;
    let patience = &patience(config, options);
    if found.cycle_not_reproduced {
        withdraw_cycle(&mut found.outcome);
    }
    let run = Run { outcome: found.outcome.clone(), store, sample: None };
    let automaton_states = automaton.edges.len();
    let about = About { aims, number, found: &found, marked: pinned.as_ref(), automaton_states };
    let searched = Searched { run, level, told, plan: &plan, ended: Ended::Here, patience };
    conclude(model, config, seed, &engine, searched, Some(about))
}

/// Drops a cycle that cannot be shown step by step: what cannot be shown is not reported.
fn withdraw_cycle(outcome: &mut Outcome) {
    outcome.violations.retain(|found| found.fault.kind != FaultKind::AcceptanceCycle);
    if outcome.completeness == Completeness::Stopped(StopReason::FirstViolation) {
        outcome.completeness = Completeness::Stopped(StopReason::Unshown);
    }
}

impl Checked {
    /// Together with the check of the same property for other individuals.
    fn and_others(self, next: Self) -> Self {
        let mut all = self.and(next);
        let properties = &mut all.report.properties;
        if let (Some(other), Some(property)) = (properties.pop(), properties.last_mut()) {
            property.verdict = property.verdict.and(other.verdict);
            property.automaton_states = property.automaton_states.max(other.automaton_states);
            property.product_states += other.product_states;
            property.states += other.states;
            property.transitions += other.transitions;
            property.seconds += other.seconds;
            property.vacuous.retain(|condition| other.vacuous.contains(condition));
        }
        all
    }

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
        for pinned in other.symmetry.pinned {
            if !report.symmetry.pinned.contains(&pinned) {
                report.symmetry.pinned.push(pinned);
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
        for diagnostic in other.diagnostics {
            if !report.diagnostics.contains(&diagnostic) {
                report.diagnostics.push(diagnostic);
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
fn ladder(model: &Model, config: &Config) -> Option<symmetry::SymmetryConfig> {
    config.ladder().filter(|_| !model.program.features.thread_ids_observable)
}

/// How a search went.
struct Searched<'a> {
    run: Run,
    /// The level of symmetry that was used.
    level: config::Symmetry,
    told: LayerStats,
    plan: &'a Plan<'a>,
    ended: Ended,
    /// Rings when the plain interpreter takes too long over what was found.
    patience: &'a Alarm,
}

fn conclude(
    model: &Model,
    config: &Config,
    seed: u64,
    engine: &Engine,
    searched: Searched<'_>,
    about: Option<About<'_>>,
) -> Result<Checked, CheckError> {
    let Searched { run: Run { mut outcome, store, .. }, level, told, plan, ended, patience } = searched;
    let program = about.map_or(&model.program, |about| &about.aims.program);
    let naive = Naive { program, alarm: Some(patience), ..interpreter(model, config.bounds) };
    let reduction = plan.report(&told);
    let mut violations: Vec<ViolationCount> = Vec::new();
    let mut first = None;
    let mut trail = None;
    let mut unconfirmed = None;
    let mut is_withdrawn = false;
    let is_fair = config.fairness == Fairness::Weak;
    let is_reported = |found: &&search::Violation| about.is_none_or(|about| about.reports(found));
    for (at, found) in outcome.violations.iter().enumerate().filter(|(_, found)| is_reported(found)) {
        let (kind, steps) = (found.fault.kind, &found.trail.steps);
        let claimed = about.as_ref().map(|about| {
            let lasso = about.found.lasso.as_ref();
            let cycle = lasso.map(|lasso| Cycle { start: lasso.cycle_start(), closed: lasso.is_closed });
            Claimed { property: about.property(), cycle, is_fair, individual: None }
        });
        let source: &mut dyn StepSource = match about.and_then(|about| about.marked) {
            Some(marked) => &mut MarkedSteps::new(marked, naive, steps),
            None => &mut MergedSteps::new(&plan.chains, steps, kind),
        };
        let confirmed = confirm(model, naive, source, &Found { kind, claimed });
        if patience.has_rung() {
            unconfirmed = Some((at, kind));
            break;
        }
        let Some(Confirmed { steps, trace, ending, property }) = confirmed? else {
            is_withdrawn = true;
            continue;
        };
        let property = property.map(|property| TrailProperty { text: config.ltl.clone(), ..property });
        let (kind, message, location) = (ending.kind, ending.message, ending.location);
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

    if is_withdrawn {
        withdraw_cycle(&mut outcome);
    }
    if patience.has_rung() {
        outcome.violations.truncate(unconfirmed.map_or(0, |(at, _)| at));
        outcome.completeness = Completeness::Stopped(if patience.is_interrupted() {
            StopReason::Interrupted
        } else if patience.is_due() {
            StopReason::Time
        } else {
            StopReason::Memory
        });
    }
    let truncated = |bound| outcome.truncations.get(&bound).copied().unwrap_or(0);
    let truncations = Truncations {
        objects: truncated(Bound::Objects),
        threads: truncated(Bound::Threads),
        frames: truncated(Bound::Frames),
        conditions: outcome.unevaluated.values().sum(),
    };
    let searched = verdict(config, &outcome, about.as_ref());
    let properties: Vec<_> =
        about.iter().map(|about| about.entry(config, searched, reduction.clone())).collect();
    let verdict = if violations.is_empty() { searched } else { Verdict::Violated };
    let warnings = model.warnings.iter().map(|warning| warning.message.clone()).collect();
    let seconds = outcome.elapsed.as_secs_f64();
    let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    let (states, transitions) = (outcome.stats.states as u64, outcome.stats.transitions);
    let sizes = config.bounds.sizes;
    let is_cut = about.is_some_and(|about| about.faults().next().is_some());
    let exhaustive = outcome.is_exhaustive() && store.expected_omissions.is_none() && !is_cut;
    let mut report = Report {
        version: report::FORMAT_VERSION,
        tool: report::TOOL.to_owned(),
        model: model.name.clone(),
        verdict,
        exhaustive,
        incomplete: incomplete(model, config, &outcome, truncations, &store, ended, about.as_ref()),
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
        symmetry: symmetry_report(model, config, level, told.naming, about.as_ref()),
        bounds: report::Bounds { objects: sizes.objects, threads: sizes.threads, frames: sizes.frames },
        truncations,
        peak_memory_bytes: store::peak_resident().unwrap_or(0) as u64,
        memory_limit_bytes: config.limits.memory,
        seconds,
        states_per_second: rate(states),
        transitions_per_second: rate(transitions),
        seed,
        assumptions: assumptions(model, config, level, truncations, &store, &reduction, about.as_ref()),
        store,
        reduction,
        // A search for cycles does not go where its automaton does not go.
        dead_code: if exhaustive && about.is_none() { dead_code(model, plan, engine) } else { Vec::new() },
        warnings,
        diagnostics: model.warnings(),
    };
    if patience.has_rung() {
        let kind = unconfirmed.map_or(FaultKind::AcceptanceCycle, |(_, kind)| kind);
        report.add_reason(format!(
            "a possible violation ({kind}) is not reported: there was no time or memory to run it again on the plain interpreter"
        ));
    }
    let interrupted = outcome.completeness == Completeness::Stopped(StopReason::Interrupted);
    Ok(Checked { report, trail, interrupted })
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

fn symmetry_report(
    model: &Model,
    config: &Config,
    level: config::Symmetry,
    stats: Stats,
    about: Option<&About<'_>>,
) -> Symmetry {
    let individual = about.and_then(|about| about.property().each.as_ref()).map(|each| {
        let procedure = &model.program.procedures[each.procedure];
        format!("{} {}", procedure.name, each.variable)
    });
    let named = |&(id, element): &(ir::EnumId, u32)| {
        let of = &model.program.enums[id];
        format!("{}.{}", of.name, of.elements[element as usize])
    };
    let is_named = level != config::Symmetry::None && ladder(model, config).is_some();
    Symmetry {
        level: level.to_string(),
        naming: is_named.then(|| config.naming.unwrap_or_default().to_string()),
        canonical: match level {
            _ if model.program.features.thread_ids_observable => true,
            // Every state is its own class.
            config::Symmetry::None => true,
            // Ties are broken by the ids of threads.
            config::Symmetry::Pc | config::Symmetry::Bots(_) => false,
            config::Symmetry::Heap | config::Symmetry::Full => stats.exhausted == 0,
        },
        ties_searched: stats.searched,
        searches_exhausted: stats.exhausted,
        touched_per_step: stats.touched as f64 / stats.steps.max(1) as f64,
        pinned: model.program.named_constants().iter().map(named).chain(individual).collect(),
    }
}

/// What no run got to. Resume locations are parts of their calls, and a procedure that is never entered is one
/// entry.
fn dead_code(model: &Model, plan: &Plan<'_>, engine: &Engine) -> Vec<DeadCode> {
    let program = &model.program;
    let passed = passed(program, &plan.chains, |transition| engine.was_taken(transition));
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
        let column = if model.dialect().has_statements_in_lines { place.column } else { 0 };
        if seen.insert((location.procedure.index(), place.line, column)) {
            let name = (entered && !location.synthetic).then(|| location.name.clone());
            dead.push(DeadCode { procedure: procedure.name.clone(), entered, name, location: place });
        }
    }
    dead
}
