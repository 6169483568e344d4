//! No violation is believed that the plain interpreter does not come to as well.

use std::ops::ControlFlow::{self, Continue};

use system::FaultKind;

use crate::config::{Bounds, Config, Fairness};
use crate::dialect::place_of;
use crate::lasso::{self, Claimed, Cycle};
use crate::model::Model;
use crate::pipeline::CheckError;
use crate::temporal::About;
use crate::trace::{Ending, Individual, Trace, TraceStep, ending, interpreter, replay_on, retell_on};
use crate::trail::TrailProperty;

/// Runs the trail of a violation on the plain interpreter, which has to come to the same end.
pub fn confirm(
    model: &Model,
    naive: naive::Naive<'_>,
    found: &search::Violation,
    steps: &[system::Step],
) -> Result<Trace, CheckError> {
    let internal = |reason: String| {
        CheckError::Internal(format!(
            "a violation ({}) was found, but the plain interpreter does not confirm it: {reason}",
            found.fault.kind
        ))
    };
    let trace = replay_on(naive, model, steps.iter().copied(), Some(found.fault.kind.as_str()))
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
pub fn confirm_run(
    model: &Model,
    plain: naive::Naive<'_>,
    config: &Config,
    about: &About<'_>,
    found: &search::Violation,
    steps: &[system::Step],
    individual: Option<u32>,
) -> Result<(Trace, Option<TrailProperty>), CheckError> {
    let property = about.property();
    let naive = naive::Naive { program: &about.aims.program, ..plain };
    if found.fault.kind != FaultKind::AcceptanceCycle {
        // A proposition that cannot be evaluated is not a fault of a step.
        let valued = replay_on(plain, model, steps.iter().copied(), Some(found.fault.kind.as_str()))
            .ok()
            .and_then(|trace| with_valuation(model, &naive, (property, individual), steps, trace));
        return match valued {
            Some(trace) if trace.ends_in.as_ref().is_some_and(|ending| ending.fault == found.fault.kind) => {
                Ok((trace, None))
            }
            _ => confirm(model, plain, found, steps).map(|trace| (trace, None)),
        };
    }
    let is_fair = config.fairness == Fairness::Weak;
    let cycle = about.cycle;
    if let Some(reason) = lasso::refute(&naive, property, Claimed { steps, cycle, is_fair, individual }) {
        return Err(CheckError::Internal(format!(
            "a run that violates the property `{}` was found, but the plain interpreter does not confirm it: {reason}",
            property.name
        )));
    }
    let mut told = Vec::with_capacity(steps.len());
    let trace = cycle_trace(model, plain, (property, individual), steps, cycle, |step| {
        told.push(step);
        Continue(())
    })?;
    let trace = Trace { steps: told, ..trace };
    let text = config.ltl.clone();
    let (cycle_start, is_closed) = (cycle.map(|cycle| cycle.start), cycle.is_none_or(|cycle| cycle.closed));
    let name = property.name.clone();
    let property = TrailProperty { name, text, is_fair, individual, cycle_start, is_closed };
    Ok((trace, Some(property)))
}

/// Runs the trail of a violated property on the plain interpreter, which has to come to the same violation.
pub fn replay_property(
    model: &Model,
    bounds: Bounds,
    steps: impl IntoIterator<Item = system::Step>,
    recorded: &TrailProperty,
) -> Result<Trace, String> {
    let steps: Vec<system::Step> = steps.into_iter().collect();
    let mut told = Vec::with_capacity(steps.len());
    let trace = retell_property(model, bounds, &steps, recorded, |step| {
        told.push(step);
        Continue(())
    })?;
    Ok(Trace { steps: told, ..trace })
}

/// Does the same as [`replay_property`], but hands the steps to `visit`, one after the other, instead of
/// keeping them: the trace has none.
pub fn retell_property(
    model: &Model,
    bounds: Bounds,
    steps: &[system::Step],
    recorded: &TrailProperty,
    visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, String> {
    let mut program = model.program.clone();
    let synthetic = [Some(program.progress_property()), program.acceptance_property()];
    let known = program.properties.iter().rev().chain(synthetic.iter().flatten());
    let property = known.into_iter().find(|property| property.name == recorded.name).cloned();
    let property = property.ok_or_else(|| format!("it has no property `{}`", recorded.name))?;
    let naive = naive::Naive { program: &program, ..interpreter(model, bounds) };
    let cycle = recorded.cycle_start.map(|start| Cycle { start, closed: recorded.is_closed });
    let individual = recorded.individual;
    let claimed = Claimed { steps, cycle, is_fair: recorded.is_fair, individual };
    if let Some(reason) = lasso::refute(&naive, &property, claimed) {
        return Err(reason);
    }
    let plain = interpreter(model, bounds);
    cycle_trace(model, plain, (&property, individual), steps, cycle, visit).map_err(|error| match error {
        CheckError::Refused(reason) | CheckError::Internal(reason) => reason,
        CheckError::Interrupted => "interrupted".to_owned(),
    })
}

/// The run that the trace shows, if it ends in a state of which a proposition of the property cannot be told.
fn with_valuation(
    model: &Model,
    naive: &naive::Naive<'_>,
    (property, individual): (&ir::Property, Option<u32>),
    steps: &[system::Step],
    mut trace: Trace,
) -> Option<Trace> {
    let state = steps.iter().try_fold(naive.initial(), |state, &step| naive.fire(&state, step).ok())?;
    let thread = property.each.as_ref().zip(individual);
    let thread = thread.and_then(|(each, of)| state.individual(each.procedure, of));
    let Err(naive::Stopped::Fault(fault)) = naive.valuation_about(&state, property, thread) else {
        return None;
    };
    trace.ends_in = Some(ending(model, &fault));
    Some(trace)
}

/// A run that violates a property, in words. The steps are for `visit`.
fn cycle_trace(
    model: &Model,
    naive: naive::Naive<'_>,
    (property, individual): (&ir::Property, Option<u32>),
    steps: &[system::Step],
    cycle: Option<Cycle>,
    visit: impl FnMut(TraceStep) -> ControlFlow<()>,
) -> Result<Trace, CheckError> {
    let mut trace = retell_on(naive, model, steps.iter().copied(), None, visit)
        .map_err(|diverged| CheckError::Internal(diverged.to_string()))?;
    let blocked = trace.ends_in.take().map(|ending| ending.blocked).unwrap_or_default();
    trace.cycle = cycle;
    let of = property.each.as_ref().zip(individual).map(|(each, serial)| {
        let thread = format!("{}#{serial}", model.program.procedures[each.procedure].name);
        Individual { variable: each.variable.clone(), thread }
    });
    let about = of.as_ref().map(|of| format!(" for {} = {}", of.variable, of.thread)).unwrap_or_default();
    trace.individual = of;
    let what = match (&property.name[..], model.program.formula_text(property)) {
        ("progress", _) if property.span == source::Span::default() => {
            "this goes on for ever, and nobody makes progress".to_owned()
        }
        (name, Some(formula)) => format!("`{name}` is violated{about}: {formula}"),
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
