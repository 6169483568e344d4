//! From the results of all goals of a check to one report.

use search::Stats;

use crate::config::SearchKind;
use crate::findings::{tautology, vacuity};
use crate::pipeline::{Check, Checked};
use crate::report::{
    self, DeadCode, Diagnostic, Pinned, Property, Reasons, Reduction, Report, Store, Symmetry, Truncations,
    Verdict, Violation, ViolationCount,
};
use crate::temporal::{Goal, Goals};
use crate::trail::TrailFile;

/// What a check found out about one of its goals.
pub struct GoalResult {
    pub goal: Goal,
    pub verdict: Verdict,
    pub exhaustive: bool,
    pub incomplete: Reasons,
    /// The first violation, with its trail.
    pub first: Option<(Violation, TrailFile)>,
    /// All distinct ones.
    pub violations: Vec<ViolationCount>,
    /// The property, if the goal is one.
    pub property: Option<Property>,
    pub stats: Stats,
    /// The number of states that were stored and not expanded, or on the stack, when the search ended early.
    pub open: u64,
    pub seconds: f64,
    pub search: SearchKind,
    pub threads: u64,
    pub store: Store,
    pub symmetry: Symmetry,
    pub reduction: Reduction,
    pub truncations: Truncations,
    pub assumptions: Vec<String>,
    pub dead_code: Vec<DeadCode>,
    pub interrupted: bool,
    pub checkpoint: Option<report::Checkpoint>,
}

/// The report on all goals that were checked, in the order of `goals`, and the trail of the first violation.
/// There is no report without results. Figures of a search are those of the first one.
pub fn summarize(check: &Check<'_>, seed: u64, goals: &Goals, results: Vec<GoalResult>) -> Option<Checked> {
    let (model, config) = (check.model, check.config);
    let verdict = results.iter().map(|result| result.verdict).reduce(Verdict::and)?;
    let exhaustive = results.iter().all(|result| result.exhaustive);
    let interrupted = results.iter().any(|result| result.interrupted);
    let seconds = results.iter().map(|result| result.seconds).sum();
    let of_safety = results.iter().find(|result| result.goal == Goal::Safety).map(|result| result.verdict);
    let mut incomplete = Reasons::default();
    let (mut violation, mut trail, mut search) = (None, None, results.first()?.search);
    let mut violations: Vec<ViolationCount> = Vec::new();
    let mut properties = PropertyList::default();
    let (mut pinned, mut assumptions) = (Vec::new(), Vec::new());
    let mut pinned_by: Vec<Pinned> = Vec::new();
    let mut not_interchangeable: Vec<String> = Vec::new();
    let mut first_search = None;
    let last = results.last()?.goal;
    let unchecked = goals.list[results.len()..].iter().filter(|goal| !goal.is_with(last));
    let mut unchecked: Vec<&str> = unchecked.map(|&goal| goals.name(goal)).collect();
    unchecked.dedup();
    for mut result in results {
        result.incomplete.0.iter().for_each(|reason| incomplete.add(reason));
        if let (None, Some((first, its_trail))) = (&violation, result.first.take()) {
            (violation, trail, search) = (Some(first), Some(its_trail), result.search);
        }
        extend_with(&mut violations, std::mem::take(&mut result.violations), ViolationCount::is_same);
        extend_with(&mut pinned, std::mem::take(&mut result.symmetry.pinned), String::eq);
        for more in std::mem::take(&mut result.symmetry.pinned_by) {
            match pinned_by.iter_mut().find(|known| known.name == more.name) {
                Some(known) => extend_with(&mut known.by, more.by, String::eq),
                None => pinned_by.push(more),
            }
        }
        for reason in std::mem::take(&mut result.symmetry.not_interchangeable) {
            if !not_interchangeable.contains(&reason) {
                let is_of_first = first_search.is_none();
                let of_goal = || format!("for property `{}`, {reason}", goals.name(result.goal));
                not_interchangeable.push(if is_of_first { reason } else { of_goal() });
            }
        }
        extend_with(&mut assumptions, std::mem::take(&mut result.assumptions), String::eq);
        properties.add(result.goal, result.property.take());
        first_search.get_or_insert(result);
    }
    let GoalResult {
        stats,
        open,
        seconds: its_seconds,
        threads,
        store,
        symmetry,
        reduction,
        truncations,
        dead_code,
        checkpoint,
        ..
    } = first_search?;
    // A search for cycles may come upon what the search for safety did not get to.
    let is_unsafe = violations.iter().any(|violation| violation.property.is_none());
    let of_safety = of_safety.map(|verdict| if is_unsafe { Verdict::Violated } else { verdict });
    let names = unchecked.iter().copied().chain(goals.skipped.iter().map(String::as_str));
    let minimised = violation.as_ref().and_then(|violation: &Violation| violation.minimised);
    let rate = |count: u64| if its_seconds > 0.0 { count as f64 / its_seconds } else { 0.0 };
    let states = stats.states as u64;
    let mut report = Report {
        version: report::FORMAT_VERSION,
        tool: report::TOOL.to_owned(),
        model: model.name.clone(),
        verdict,
        exhaustive,
        incomplete: None,
        violation,
        violations,
        safety: of_safety.is_some(),
        safety_verdict: of_safety,
        properties: properties.list,
        unchecked: names.map(str::to_owned).collect(),
        states,
        matched: stats.matched,
        transitions: stats.transitions,
        depth: stats.depth.into(),
        open,
        search,
        threads,
        store,
        symmetry: Symmetry { pinned, pinned_by, not_interchangeable, ..symmetry },
        reduction,
        bounds: config.bounds.sizes,
        truncations,
        peak_memory_bytes: store::peak_resident().unwrap_or(0) as u64,
        memory_limit_bytes: config.limits.memory,
        seconds,
        minimise_seconds: minimised.map(|minimised| minimised.seconds),
        states_per_second: rate(states),
        transitions_per_second: rate(stats.transitions),
        seed,
        assumptions,
        has_coarse_steps: check.model.has_coarse_steps(),
        dead_code,
        checkpoint,
        warnings: model.warnings.iter().map(|warning| warning.message.clone()).collect(),
        diagnostics: model.warnings(),
    };
    if !unchecked.is_empty() {
        incomplete.add(&format!("not checked any more: {}", unchecked.join(", ")));
    }
    if !goals.skipped.is_empty() {
        let skipped = goals.skipped.join(", ");
        report.verdict = report.verdict.and(Verdict::Inconclusive);
        incomplete.add(&format!(
            "temporal properties ({skipped}) were not checked, since they need another store (--safety leaves them out)"
        ));
    }
    report.incomplete = incomplete.0;
    for property in &report.properties {
        let known = goals.program.properties.iter().find(|known| known.name == property.name);
        let holds = known.filter(|_| property.verdict == Verdict::Holds);
        let tautology = || holds.and_then(|known| tautology(property, known));
        let Some(text) = vacuity(property).or_else(tautology) else { continue };
        let span = known.map(|known| known.span).filter(|&span| span != source::Span::default());
        let location = span.map(|span| report::Extent::of(span, &model.map));
        report.warnings.push(text.clone());
        report.diagnostics.push(Diagnostic { location, ..Diagnostic::warning(text) });
    }
    if report.verdict == Verdict::Holds && report.transitions == 0 {
        let text = "no step was taken: the verdict is about the initial state only".to_owned();
        report.warnings.push(text.clone());
        report.diagnostics.push(Diagnostic::warning(text));
    }
    Some(Checked { report, trail, interrupted })
}

/// Adds those elements that are not the same as one that is there.
fn extend_with<T>(list: &mut Vec<T>, more: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    for element in more {
        if !list.iter().any(|known| is_same(known, &element)) {
            list.push(element);
        }
    }
}

/// The properties of a report. One that several searches were about, each for other threads, is one entry.
#[derive(Default)]
struct PropertyList {
    list: Vec<Property>,
    last: Option<Goal>,
}

impl PropertyList {
    fn add(&mut self, goal: Goal, property: Option<Property>) {
        let is_known = self.last.replace(goal).is_some_and(|last| last.is_with(goal));
        match (self.list.last_mut().filter(|_| is_known), property) {
            (Some(known), Some(other)) => {
                known.verdict = known.verdict.and(other.verdict);
                known.automaton_states = known.automaton_states.max(other.automaton_states);
                known.product_states += other.product_states;
                known.states += other.states;
                known.transitions += other.transitions;
                known.seconds += other.seconds;
                known.vacuous.retain(|condition| other.vacuous.contains(condition));
            }
            (_, other) => self.list.extend(other),
        }
    }
}
