//! From what one search found to the result of its goal: every violation is replayed, and the verdict is
//! drawn.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use engine::Engine;
use ir::{Id, LocationKind};
use naive::Naive;
use search::{Completeness, Outcome, StopReason};
use system::{Alarm, Bound, FaultKind, Step};

use crate::config::{self, Bounds, Minimise, SearchKind};
use crate::deadline::Deadline;
use crate::dialect::place_of;
use crate::findings::{assumptions, incomplete, verdict};
use crate::minimise::{Case, minimise};
use crate::model::Model;
use crate::names::symmetry;
use crate::pipeline::{Check, CheckError};
use crate::processes::Processes;
use crate::reducing::ReductionPlan;
use crate::refine::Ended;
use crate::replay::{
    Claimed, Confirmed, Cycle, Found, MarkedSteps, MergedSteps, StepSource, confirm, interpreter, passed,
};
use crate::report::{DeadCode, Minimised, Reasons, Truncations, Verdict, Violation, ViolationCount};
use crate::stack::LayerStats;
use crate::stores::{self, Explored};
use crate::summary::GoalResult;
use crate::temporal::{Goal, PropertySearch};
use crate::trail::{TrailFile, TrailProperty, TrailViolation};

/// How a search went.
pub struct SearchResult<'a> {
    pub explored: Explored,
    /// The level of symmetry that was used.
    pub level: config::Symmetry,
    pub layers: LayerStats,
    pub plan: &'a ReductionPlan<'a>,
    pub processes: &'a Processes<'a>,
    pub engine: &'a Engine,
    pub ended: Ended,
    /// The property that the search was about, if it was about one.
    pub property: Option<PropertySearch<'a>>,
}

/// Draws the conclusion from a search.
pub fn conclude(check: &Check<'_>, searched: SearchResult<'_>) -> Result<GoalResult, CheckError> {
    let Check { model, config, .. } = *check;
    let patience = patience(check);
    let confirmed = confirm_all(check, &searched, &patience)?;
    let ConfirmedViolations { first, violations, withdrawn, unconfirmed } = confirmed;
    let SearchResult { explored, level, layers, plan, processes, engine, ended, property } = searched;
    let Explored { mut outcome, store, .. } = explored;
    let property = property.as_ref();
    if withdrawn {
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
    let reduction = plan.report(&layers);
    let searched = verdict(config, &outcome, property);
    let is_cut = property.is_some_and(|property| property.faults().next().is_some());
    let exhaustive = outcome.is_exhaustive() && store.expected_omissions.is_none() && !is_cut;
    let mut incomplete = Reasons(incomplete(model, config, &outcome, truncations, &store, ended, property));
    if patience.has_rung() {
        let kind = unconfirmed.map_or(FaultKind::AcceptanceCycle, |(_, kind)| kind);
        incomplete.add(&format!(
            "a possible violation ({kind}) is not reported: there was no time or memory to run it again on the \
             plain interpreter"
        ));
    }
    Ok(GoalResult {
        goal: property.map_or(Goal::Safety, PropertySearch::goal),
        verdict: if violations.is_empty() { searched } else { Verdict::Violated },
        exhaustive,
        incomplete,
        first,
        violations,
        property: property.map(|property| property.entry(config, searched, reduction.clone())),
        stats: outcome.stats,
        open: stores::open(&outcome),
        seconds: outcome.elapsed.as_secs_f64(),
        search: if property.is_some() { SearchKind::Dfs } else { config.search() },
        threads: match config.threads {
            Some(threads) if property.is_none() => threads.into(),
            _ => outcome.threads as u64,
        },
        symmetry: symmetry(check, level, &layers, (&plan.program, engine), property, processes),
        truncations,
        assumptions: assumptions(check, level, processes, truncations, &store, &reduction, property),
        store,
        reduction,
        // A search for cycles does not go where its automaton does not go.
        dead_code: if exhaustive && property.is_none() { dead_code(model, plan, engine) } else { Vec::new() },
        interrupted: outcome.completeness == Completeness::Stopped(StopReason::Interrupted),
        checkpoint: None,
    })
}

/// Drops a cycle that cannot be shown step by step: what cannot be shown is not reported.
pub fn withdraw_cycle(outcome: &mut Outcome) {
    outcome.violations.retain(|found| found.fault.kind != FaultKind::AcceptanceCycle);
    if outcome.completeness == Completeness::Stopped(StopReason::FirstViolation) {
        outcome.completeness = Completeness::Stopped(StopReason::Unshown);
    }
}

/// How long the plain interpreter may take over what a search found: as long again as the limit on time, and
/// at least [`CONFIRMATION`], since what was found is worth more than what is still to be searched. An
/// interrupt that ended the search was for the search; another one ends the program.
fn patience(check: &Check<'_>) -> Alarm {
    let limit = check.config.limits.time.map(|limit| limit.max(CONFIRMATION));
    let interrupt = check.options.interrupt.filter(|flag| !flag.load(Relaxed));
    Alarm::new(Deadline::after(limit).0, interrupt.cloned())
}

const CONFIRMATION: Duration = Duration::from_secs(10);

/// The violations of a search that the plain interpreter confirms.
#[derive(Default)]
struct ConfirmedViolations {
    /// The first one, with its trail.
    first: Option<(Violation, TrailFile)>,
    /// All distinct ones.
    violations: Vec<ViolationCount>,
    /// A cycle was found that is not one of the model.
    withdrawn: bool,
    /// The violation that there was no time or memory for: its index, and its kind.
    unconfirmed: Option<(usize, FaultKind)>,
}

/// Replays all violations that are reported, as long as there is time.
fn confirm_all(
    check: &Check<'_>,
    searched: &SearchResult<'_>,
    patience: &Alarm,
) -> Result<ConfirmedViolations, CheckError> {
    let Check { model, config, .. } = *check;
    let SearchResult { explored, plan, processes, property, layers, .. } = searched;
    let program = property.map_or(&model.program, |property| &property.goals.program);
    let naive = Naive { program, alarm: Some(patience), ..interpreter(model, config.bounds) };
    let claimed = property.as_ref().map(|property| {
        let lasso = property.found.lasso.as_ref();
        let cycle = lasso.map(|lasso| Cycle { start: lasso.cycle_start(), closed: lasso.is_closed });
        let fairness = config.fairness;
        Claimed { property: property.property(), cycle, fairness, individual: None }
    });
    let mut all = ConfirmedViolations::default();
    for (at, found) in explored.outcome.violations.iter().enumerate() {
        if property.is_some_and(|property| !property.reports(found)) {
            continue;
        }
        let (kind, steps) = (found.fault.kind, &found.trail.steps);
        let (mut claimed, again) = (claimed, claimed.filter(|_| processes.is_used));
        let source: &mut dyn StepSource = match property.and_then(|property| property.marked) {
            Some(marked) => &mut MarkedSteps::new(marked, naive, steps),
            None => &mut MergedSteps::new(&plan.chains, processes.stay, steps, kind),
        };
        let mut confirmed = confirm(model, naive, source, &Found { kind, claimed });
        if confirmed.is_err()
            && !patience.has_rung()
            && let Some((longer, steps)) = again.and_then(|claimed| second_round(claimed, steps))
        {
            claimed = Some(longer);
            let source = &mut MergedSteps::new(&plan.chains, processes.stay, &steps, kind);
            confirmed = confirm(model, naive, source, &Found { kind, claimed });
        }
        if patience.has_rung() {
            all.unconfirmed = Some((at, kind));
            break;
        }
        match confirmed? {
            Some(confirmed) if config.minimise == Minimise::On && !check.has_shown.replace(true) => {
                let is_reduced =
                    layers.reduction.ample > 0 || plan.report(layers).is_merged() || processes.stay;
                let is_shortest = config.search() == SearchKind::Bfs
                    && property.is_none()
                    && !is_reduced
                    && !model.has_coarse_steps();
                let case = Case { check, naive, found: Found { kind, claimed }, is_shortest };
                let (confirmed, minimised) = minimise(&case, confirmed);
                all.add(check, confirmed, found.count, Some(minimised));
            }
            Some(confirmed) => all.add(check, confirmed, found.count, None),
            None => all.withdrawn = true,
        }
    }
    Ok(all)
}

/// The same run, whose cycle begins a round later. What is interchangeable is searched with other values of dead
/// variables, which may be those that variables have at first: then only the second round leads back to where it begins.
fn second_round<'a>(claimed: Claimed<'a>, steps: &[Step]) -> Option<(Claimed<'a>, Vec<Step>)> {
    let cycle = claimed.cycle?;
    let round = steps.get(cycle.start..)?;
    let longer = Cycle { start: steps.len(), ..cycle };
    Some((Claimed { cycle: Some(longer), ..claimed }, [steps, round].concat()))
}

impl ConfirmedViolations {
    /// Adds a violation that `count` states or steps show.
    fn add(&mut self, check: &Check<'_>, confirmed: Confirmed, count: u64, minimised: Option<Minimised>) {
        let Check { model, config, .. } = *check;
        let Confirmed { steps: trail, trace, ending, property } = confirmed;
        let (kind, message, location) = (ending.kind, ending.message, ending.location);
        let steps = trail.len() as u64;
        let violated = property.as_ref().filter(|property| !property.is_unevaluated);
        let violated = violated.map(|property| property.name.clone());
        if self.first.is_none() {
            let property = property.map(|property| TrailProperty { text: config.ltl.clone(), ..property });
            let violation = TrailViolation { kind: kind.to_string(), message: message.clone(), property };
            let trail = trail_file(model, config.bounds, Some(violation), &trail);
            let (message, property, location) = (message.clone(), violated.clone(), location.clone());
            let violation = Violation { kind, message, property, steps, location, minimised, trace };
            self.first = Some((violation, trail));
        }
        // Both ways out of a test fault where it does: for people that is one violation.
        let violation = ViolationCount { kind, message, property: violated, count, steps, location };
        match self.violations.iter_mut().find(|known| known.is_same(&violation)) {
            Some(known) => {
                known.count += count;
                known.steps = known.steps.min(steps);
            }
            None => self.violations.push(violation),
        }
    }
}

/// The trail of a run of a model.
pub fn trail_file(
    model: &Model,
    bounds: Bounds,
    violation: Option<TrailViolation>,
    steps: &[system::Step],
) -> TrailFile {
    let (name, defines) = (model.name.clone(), model.defines.clone());
    TrailFile::new(name, model.fingerprint(), defines, model.memory, bounds, violation, steps)
}

/// What no run got to. Resume locations are parts of their calls, and a procedure that is never entered is
/// one entry.
fn dead_code(model: &Model, plan: &ReductionPlan<'_>, engine: &Engine) -> Vec<DeadCode> {
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
