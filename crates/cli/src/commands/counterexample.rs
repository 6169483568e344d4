//! The counterexample of a check, in the view that was asked for.

use std::ops::ControlFlow::{Break, Continue};

use check::{Checked, Model};

use super::failure::Failure;
use super::replay::show_for_people;
use crate::render::Paint;
use crate::run::{Extents, Known};
use crate::trace;
use crate::view::{View, ViewArgs};

/// The text of the counterexample; empty if there is none.
pub fn counterexample(
    model: &Model,
    checked: &Checked,
    view: &ViewArgs,
    paint: Paint,
) -> Result<String, Failure> {
    let (Some(violation), Some(trail)) = (&checked.report.violation, &checked.trail) else {
        return Ok(String::new());
    };
    let run = &violation.trace;
    if view.is_default() {
        return Ok(trace::counterexample(run, paint));
    }
    let mut extents = Extents::default();
    run.steps.iter().for_each(|step| extents.fit(step));
    let how = show_for_people(model, view)?;
    let mut out = Vec::new();
    Known { model, trace: run, extents }.show(&how, paint, &mut out, |show| {
        if view.view != View::States {
            return run.steps.iter().try_for_each(show);
        }
        let mut shown = Ok(());
        let again = check::replay_states(model, trail.bounds, trail.steps(), |step| {
            shown = show(&step);
            if shown.is_ok() { Continue(()) } else { Break(()) }
        });
        again.expect("the run was confirmed");
        shown
    })?;
    Ok(String::from_utf8(out).expect("what is shown is text"))
}
