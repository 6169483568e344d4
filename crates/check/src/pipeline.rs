//! From a model and a configuration to a report: which parts a check is put together from, in one place.
//!
//! model ─ engine ─ names ─ reduction ─ search over a store ─ outcome ─ replay of every violation ─ report

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use engine::Engine;
use ir::{Id, LocationKind, Type};
use reduction::{Analysis, Observed};
use search::{Completeness, Options, Outcome, StopReason};
use store::{Budget, Compact};
use symmetry::Stats;
use system::Bound;

use crate::config::{self, Bounds, Config, OnBound, SearchKind, StoreKind, Switch};
use crate::coverage::cover;
use crate::model::{Language, Model};
use crate::refine::{Ended, Watcher, refine};
use crate::report::{
    self, DeadCode, Reduction, Report, Store, Symmetry, Truncations, Verdict, Violation, ViolationCount,
};
use crate::stack::{self, Stack};
use crate::stores::{self, Run};
use crate::trace::{Trace, place_of, replay};
use crate::trail::{TrailBounds, TrailFile, TrailViolation};

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
    Ok(Engine::new(&model.program, bounds.sizes, bounds.on_bound == OnBound::Error))
}

/// Explores all states of a model.
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
    let engine = engine(model, config.bounds)?;
    let limit = config.limits.memory.and_then(|limit| usize::try_from(limit).ok());
    let budget = Budget::of_process(limit.unwrap_or(usize::MAX));
    let ladder = ladder(model, config);
    let options = Options {
        max_depth: config.limits.depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
        max_states: config.limits.states.map(|states| usize::try_from(states).unwrap_or(usize::MAX)),
        time: config.limits.time,
        budget: budget.clone(),
        interrupt: Some(interrupt),
        keep_going: config.keep_going,
        // A step under symmetry costs more than a look at memory.
        lookahead: ladder.is_none(),
        ..Options::default()
    };
    let notice = (config.por == Switch::On).then(|| not_reduced(model, config)).flatten();
    let analysis = (config.por == Switch::On && notice.is_none())
        .then(|| Analysis::new(&model.program, &Observed::invariants(&model.program)));
    let stack = Stack { engine: &engine, ladder, analysis: analysis.as_ref() };
    let search = |store, options: &Options<'_>, watcher: &mut _| {
        stack.explore(stack::Into { store, search: config.search, options, observer: watcher })
    };
    let (run, told, ended) = if config.store_options.refine {
        refine(&budget, config, &options, watcher, search)
    } else if config.store_options.coverage {
        let (run, told) = cover(&budget, config, &options, watcher, search);
        (run, told, Ended::Here)
    } else {
        let (run, told) =
            stack.explore(stack::As { budget: &budget, config, options: &options, observer: watcher });
        (run, told, Ended::Here)
    };
    let reduction = Reduction {
        por: config.por.to_string(),
        merge: config.merge.to_string(),
        notice: notice.map(str::to_owned),
        ample: told.reduction.ample,
        full: told.reduction.full,
    };
    conclude(model, config, seed, &engine, run, (told.naming, reduction), ended)
}

/// Why a model is not reduced in spite of `--por on`.
fn not_reduced(model: &Model, config: &Config) -> Option<&'static str> {
    let is_name = |ty| matches!(ty, Type::Record(_) | Type::Array(_) | Type::Lock | Type::Tid);
    let has_heap = !model.program.numbered && model.program.types.iter().any(|(_, ty)| is_name(ty));
    reduction::obstacle(&model.program).or_else(|| {
        // Two orders of the same steps lead to states that differ in names.
        (has_heap && config.symmetry == config::Symmetry::None).then_some(
            "without symmetry, the order in which objects are made and dropped shows in their names",
        )
    })
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
    (naming, reduction): (Stats, Reduction),
    ended: Ended,
) -> Result<Checked, CheckError> {
    let mut violations: Vec<ViolationCount> = Vec::new();
    let mut first = None;
    let mut trail = None;
    for found in &outcome.violations {
        let trace = confirm(model, config.bounds, found)?;
        let Some(ending) = trace.ends_in.clone() else { unreachable!("confirmed") };
        let (kind, message) = (ending.kind, ending.message);
        let location = ending.location;
        let steps = found.trail.len() as u64;
        if first.is_none() {
            trail = Some(trail_file(
                model,
                config.bounds,
                Some(TrailViolation { kind: kind.clone(), message: message.clone() }),
                &found.trail.steps,
            ));
            first = Some(Violation {
                kind: kind.clone(),
                message: message.clone(),
                steps,
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
                known.steps = known.steps.min(steps);
            }
            None => violations.push(ViolationCount { kind, message, count: found.count, steps, location }),
        }
    }

    let truncated = |bound| outcome.truncations.get(&bound).copied().unwrap_or(0);
    let truncations = Truncations {
        objects: truncated(Bound::Objects),
        threads: truncated(Bound::Threads),
        frames: truncated(Bound::Frames),
    };
    let verdict = verdict(model, config, &outcome);
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
        incomplete: incomplete(model, config, &outcome, truncations, &store, ended),
        violation: first,
        violations,
        states,
        matched: outcome.stats.matched,
        transitions,
        depth: outcome.stats.depth.into(),
        open: stores::open(&outcome),
        search: config.search.to_string(),
        symmetry: symmetry_report(model, config, engine, naming),
        bounds: report::Bounds { objects: sizes.objects, threads: sizes.threads, frames: sizes.frames },
        truncations,
        peak_memory_bytes: store::peak_resident().unwrap_or(0) as u64,
        memory_limit_bytes: config.limits.memory,
        seconds,
        states_per_second: rate(states),
        transitions_per_second: rate(transitions),
        seed,
        assumptions: assumptions(model, config, truncations, &store, &reduction),
        store,
        reduction,
        dead_code: if exhaustive { dead_code(model, engine) } else { Vec::new() },
        warnings: model.warnings.iter().map(|warning| warning.message.clone()).collect(),
    };
    let interrupted = outcome.completeness == Completeness::Stopped(StopReason::Interrupted);
    Ok(Checked { report, trail, interrupted })
}

/// Runs the trail of a violation on the plain interpreter, which has to come to the same end.
fn confirm(model: &Model, bounds: Bounds, found: &search::Violation) -> Result<Trace, CheckError> {
    let internal = |reason: String| {
        CheckError::Internal(format!(
            "a violation ({}) was found, but the plain interpreter does not confirm it: {reason}",
            found.fault.kind
        ))
    };
    let trace = replay(model, bounds, found.trail.steps.iter().copied(), Some(found.fault.kind.as_str()))
        .map_err(|diverged| internal(diverged.to_string()))?;
    let Some(ending) = &trace.ends_in else {
        return Err(internal("the run ends well".to_owned()));
    };
    if ending.fault != found.fault.kind {
        return Err(internal(format!("the run ends in {} ({})", ending.kind, ending.message)));
    }
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
/// A model with temporal properties is never said to hold as long as they are not checked.
fn verdict(model: &Model, config: &Config, outcome: &Outcome) -> Verdict {
    if !outcome.violations.is_empty() {
        return Verdict::Violated;
    }
    if !model.program.temporal.is_empty() {
        return Verdict::Inconclusive;
    }
    match outcome.completeness {
        Completeness::Exhausted if config.store.is_lossy() => Verdict::NoErrorFound,
        Completeness::Exhausted if outcome.truncations.is_empty() => Verdict::Holds,
        Completeness::Exhausted => Verdict::HoldsUpToBounds,
        Completeness::Stopped(StopReason::Depth)
            if config.search == SearchKind::Bfs && !config.store.is_lossy() =>
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
) -> Option<String> {
    let mut reasons = Vec::new();
    if !model.program.temporal.is_empty() {
        let names: Vec<&str> = model.program.temporal.iter().map(|property| property.name.as_str()).collect();
        reasons.push(format!("the temporal properties ({}) were not checked, only safety", names.join(", ")));
    }
    match outcome.completeness {
        Completeness::Exhausted => {}
        Completeness::Stopped(StopReason::Depth) => {
            let depth = config.limits.depth.unwrap_or_default();
            reasons.push(match config.search {
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
    reduction: &Reduction,
) -> Vec<String> {
    let interleavings = match (config.por, &reduction.notice) {
        (Switch::Off, _) => "no reduction: every interleaving of the model's steps is explored".to_owned(),
        (Switch::On, None) => {
            "reduction: of orders of steps that nobody can tell apart, one is explored".to_owned()
        }
        (Switch::On, Some(why)) => format!("no reduction, although --por on asks for it: {why}"),
    };
    let mut list = vec![
        format!("store {}: {}", config.store, guarantee(config, store)),
        symmetry_assumption(model, config.symmetry),
        interleavings,
    ];
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
    if !model.program.temporal.is_empty() {
        list.push("safety only: temporal properties were not checked".to_owned());
    }
    list
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
fn dead_code(model: &Model, engine: &Engine) -> Vec<DeadCode> {
    let program = &model.program;
    let mut dead = Vec::new();
    let mut seen = BTreeSet::new();
    for (id, location) in program.locations.iter() {
        if engine.was_reached(id) || !matches!(location.kind, LocationKind::Plain) {
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
