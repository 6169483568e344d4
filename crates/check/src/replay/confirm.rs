//! No violation is believed that the plain interpreter does not come to as well.

use std::ops::ControlFlow::{self, Continue};

use ir::Property;
use naive::{Naive, Stopped};
use system::{FaultKind, Step};

use super::lasso::Word;
use super::{
    Claimed, Cycle, Deviation, End, MergedSteps, Reason, Run, StepSource, ending, follow, interpreter,
};
use crate::config::{Bounds, Fairness};
use crate::dialect::place_of;
use crate::model::Model;
use crate::pipeline::CheckError;
use crate::trace::{Ending, Individual, Trace, TraceStep};
use crate::trail::TrailProperty;

/// What a search found.
pub struct Found<'a> {
    pub kind: FaultKind,
    /// What it is said to be, if the search was about a property.
    pub claimed: Option<Claimed<'a>>,
}

/// A violation that the plain interpreter came to as well.
pub struct Confirmed {
    pub steps: Vec<Step>,
    pub trace: Trace,
    pub ending: Ending,
    /// The property that it violates by going on for ever, or that cannot be evaluated at its end, without its text.
    pub property: Option<TrailProperty>,
}

/// Makes the run of a violation, and insists on the violation. There is no result if the run does not end
/// with a step of the model, although it is to go on for ever.
pub fn confirm(
    model: &Model,
    naive: Naive<'_>,
    source: &mut dyn StepSource,
    found: &Found<'_>,
) -> Result<Option<Confirmed>, CheckError> {
    let is_infinite = found.kind == FaultKind::AcceptanceCycle;
    let of_trail =
        |Claimed { property, fairness, .. }: Claimed<'_>, individual, cycle: Option<Cycle>| TrailProperty {
            name: property.name.clone(),
            text: None,
            is_fair: fairness != Fairness::None,
            fairness: Some(fairness).filter(|&fairness| fairness == Fairness::Strong),
            individual,
            cycle_start: cycle.map(|cycle| cycle.start),
            is_closed: cycle.is_none_or(|cycle| cycle.closed),
            is_unevaluated: !is_infinite,
        };
    let has_cycle = found.claimed.is_some_and(|claimed| claimed.cycle.is_some());
    let unconfirmed = |reason: String| {
        let what = match found.claimed {
            Some(claimed) if is_infinite => {
                format!("a run that violates the property `{}`", claimed.property.name)
            }
            _ => format!("a violation ({})", found.kind),
        };
        CheckError::Internal(format!(
            "{what} was found, but the plain interpreter does not confirm it: {reason}"
        ))
    };
    let mut word = found.claimed.filter(|_| is_infinite).map(|claimed| Word::new(naive, claimed));
    let mut run = Run::new(model, naive);
    let mut trace = run.beginning();
    let mut steps = Vec::new();
    let end = follow(&mut run, source, word.as_mut(), |step, words| {
        steps.push(step);
        trace.steps.push(words);
        Continue(())
    });
    if is_infinite && has_cycle && !source.is_whole() {
        return Ok(None);
    }
    let end = end.map_err(|deviation| unconfirmed(deviation.diverged(steps.len()).to_string()))?;
    trace = run.ended(trace);
    if let (Some(claimed), Some(word)) = (found.claimed, word) {
        word.refute(&end, steps.len(), &run.state).map_err(unconfirmed)?;
        let (cycle, individual) = (word.cycle(), word.individual());
        let trace = violated(&run, claimed.property, cycle, individual, trace);
        let Some(ending) = trace.ends_in.clone() else { unreachable!("it ends in the violation") };
        let property = Some(of_trail(claimed, individual, cycle));
        return Ok(Some(Confirmed { steps, trace, ending, property }));
    }
    let claimed = found.claimed.map(|claimed| Claimed { individual: source.individual(), ..claimed });
    let unevaluated = || {
        let ending = unevaluated(&run, claimed?).filter(|ending| ending.kind == found.kind)?;
        Some((ending, claimed.map(|claimed| of_trail(claimed, claimed.individual, None))))
    };
    let ends_in = match end {
        End::Fault(fault) => Some((ending(model, &fault), None)),
        End::Whole | End::BrokenOff => {
            unevaluated().or_else(|| run.ending(Some(found.kind.as_str())).map(|ending| (ending, None)))
        }
    };
    match ends_in {
        None => Err(unconfirmed("the run ends well".to_owned())),
        Some((ending, _)) if ending.kind != found.kind => {
            Err(unconfirmed(format!("the run ends in {} ({})", ending.kind, ending.message)))
        }
        Some((ending, property)) => {
            trace.ends_in = Some(ending.clone());
            Ok(Some(Confirmed { steps, trace, ending, property }))
        }
    }
}

/// The end of a run in a state in which a proposition of the property cannot be evaluated: it is not the fault of a
/// step.
fn unevaluated(run: &Run<'_>, claimed: Claimed<'_>) -> Option<Ending> {
    match Word::new(run.naive, claimed).valuation(&run.state) {
        Err(Stopped::Fault(fault)) => Some(Ending { is_of_step: false, ..ending(run.model, &fault) }),
        _ => None,
    }
}

/// Runs the trail of a violated property on the plain interpreter, which has to come to the same violation.
pub fn replay_property(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = Step>,
    recorded: &TrailProperty,
) -> Result<Trace, String> {
    let mut kept = Vec::new();
    let steps: Vec<Step> = steps.into_iter().collect();
    let trace = replay_property_each(model, bounds, &steps, recorded, |step| {
        kept.push(step);
        Continue(())
    })?;
    Ok(Trace { steps: kept, ..trace })
}

/// Runs a trail as [`replay_property`] does, but hands the steps to `visit`, one after the other, instead of
/// keeping them: the trace has none. If `visit` breaks off, the trace ends there and in nothing wrong.
pub fn replay_property_each(
    model: &Model,
    bounds: Bounds,
    steps: &[Step],
    recorded: &TrailProperty,
    mut visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, String> {
    let mut program = model.program.clone();
    let synthetic = [Some(program.progress_property()), program.acceptance_property()];
    let known = program.properties.iter().rev().chain(synthetic.iter().flatten());
    let property = known.into_iter().find(|property| property.name == recorded.name).cloned();
    let property = property.ok_or_else(|| format!("it has no property `{}`", recorded.name))?;
    let naive = Naive { program: &program, ..interpreter(model, bounds) };
    let TrailProperty { individual, cycle_start, is_closed, .. } = *recorded;
    let fairness = recorded.fairness();
    let cycle = cycle_start.map(|start| Cycle { start, closed: is_closed });
    let claimed = Claimed { property: &property, cycle, fairness, individual };
    let mut word = (!recorded.is_unevaluated).then(|| Word::new(naive, claimed));
    let mut run = Run::new(model, naive);
    let trace = run.beginning();
    let source = &mut MergedSteps::of_model(steps);
    let end = follow(&mut run, source, word.as_mut(), |_, words| visit(words)).map_err(not_violated)?;
    if let End::BrokenOff = end {
        return Ok(run.ended(trace));
    }
    let Some(word) = word else {
        let ends_in = match end {
            End::Fault(fault) => Some(ending(model, &fault)),
            End::Whole | End::BrokenOff => unevaluated(&run, claimed),
        };
        return Ok(run.ended(Trace { ends_in, ..trace }));
    };
    word.refute(&end, steps.len(), &run.state)?;
    Ok(violated(&run, &property, cycle, individual, run.ended(trace)))
}

fn not_violated(Deviation { at, reason }: Deviation) -> String {
    match reason {
        Reason::Missed(_) => format!("step {} is not possible", at + 1),
        Reason::Fault(fault) => format!("step {}: {}", at + 1, fault.message),
        Reason::Refuted(reason) => reason,
    }
}

/// The trace of a run that violates a property.
fn violated(
    run: &Run<'_>,
    property: &Property,
    cycle: Option<Cycle>,
    individual: Option<u32>,
    trace: Trace,
) -> Trace {
    let model = run.model;
    let (blocked, waiting_cycle) =
        run.ending(None).map(|ending| (ending.blocked, ending.waiting_cycle)).unwrap_or_default();
    let individual = property.each.as_ref().zip(individual).map(|(each, serial)| {
        let thread = format!("{}#{serial}", model.program.procedures[each.procedure].name);
        Individual { variable: each.variable.clone(), thread }
    });
    let about =
        individual.as_ref().map(|of| format!(" for {} = {}", of.variable, of.thread)).unwrap_or_default();
    let what = match (&property.name[..], model.program.formula_text(property)) {
        ("progress", _) if property.span == source::Span::default() => {
            "this goes on for ever, and nobody makes progress".to_owned()
        }
        (name, Some(formula)) => format!("`{name}` is violated{about}: {formula}"),
        (name, None) => format!("the claim `{name}` is fulfilled"),
    };
    let message = if cycle.is_some() { what } else { format!("{what}, whatever happens next") };
    let ends_in = Some(Ending {
        kind: FaultKind::AcceptanceCycle,
        message,
        location: (property.span != source::Span::default()).then(|| place_of(model, property.span)),
        is_of_step: false,
        reads: Vec::new(),
        objects: Vec::new(),
        blocked,
        waiting_cycle,
    });
    Trace { cycle, individual, ends_in, ..trace }
}
