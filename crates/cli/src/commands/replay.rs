//! `quotient replay`: a recorded run again.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _, stdout};
use std::ops::ControlFlow::{Break, Continue};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use check::config::Bounds;
use check::picture::{self, Rows};
use check::report::Diagnostic;
use check::{Model, Step, Trace, TraceStep, TrailProperty, spin_trail};

use super::failure::{Failure, Outcome, usage};
use super::load::{load, load_with};
use super::recorded::{TrailInput, external, misfit, other_model, read_trail};
use super::style;
use crate::args::{Chart, ReplayArgs, ReportFormat};
use crate::files::Disk;
use crate::interrupt;
use crate::msc::Look;
use crate::out::Out;
use crate::render::Paint;
use crate::run::{Extents, Known, Show};
use crate::view::{View, ViewArgs};

pub fn replay(args: &ReplayArgs) -> Outcome {
    let input = read_trail(&args.trail, &args.model)?;
    let of_model = input.model_args(&args.model);
    let trail = match input {
        TrailInput::Own(trail) => *trail,
        TrailInput::Spin(text) => return replay_spin(args, &text),
    };
    let violated = trail.violation.as_ref().and_then(|violation| violation.property.as_ref());
    let model = load_with(&of_model, external(&trail).as_ref(), &Disk::default(), true)?;
    let mut diagnostics = model.warnings();
    if trail.fingerprint != model.fingerprint() {
        let text = other_model(&trail);
        drop(writeln!(io::stderr(), "warning: {text}"));
        diagnostics.push(Diagnostic::warning(text));
    }
    let steps: Vec<Step> = trail.steps().collect();
    let run = Recorded { model: &model, bounds: trail.bounds, steps: &steps };
    let (trace, extents) = run.follow(violated, trail.claimed())?;
    let shown = trace.ends_in.as_ref().map(|ending| ending.kind.as_str());
    let not_shown = trail.violation.filter(|claimed| shown != Some(&*claimed.kind)).map(|claimed| {
        format!(
            "the trail was recorded for a violation ({}: {}) that this run does not show",
            claimed.kind, claimed.message
        )
    });
    diagnostics.extend(not_shown.as_ref().map(Diagnostic::error));
    run.show(args, &trace, extents, diagnostics)?;
    match not_shown {
        Some(text) => Err(Failure::InReport(format!("error: {text}\n"))),
        None => Ok(if shown.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS }),
    }
}

/// A trail of SPIN's does not say what it shows, nor which constants and bounds it was made with.
fn replay_spin(args: &ReplayArgs, text: &str) -> Outcome {
    let model = load(&args.model, &Disk::default(), true)?;
    let bounds = Bounds::default();
    check::engine(&model, bounds)?;
    let steps = spin_trail::read(&model, bounds, text).map_err(|error| misfit(&error))?;
    let run = Recorded { model: &model, bounds, steps: &steps };
    let (trace, extents) = run.follow(None, None)?;
    run.show(args, &trace, extents, model.warnings())?;
    Ok(if trace.ends_in.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// A picture of a longer run is refused.
const LONGEST_DRAWN: usize = 100_000;

/// A run that was read from a file.
struct Recorded<'a> {
    model: &'a Model,
    bounds: Bounds,
    steps: &'a [Step],
}

impl Recorded<'_> {
    /// Runs it, to find out how it ends, and how much room it takes to show it. The trace has no steps.
    fn follow(
        &self,
        violated: Option<&TrailProperty>,
        claimed: Option<&str>,
    ) -> Result<(Trace, Extents), Failure> {
        let Self { model, bounds, steps } = *self;
        check::engine(model, bounds)?;
        let flag = interrupt::flag();
        let mut extents = Extents::default();
        let visit = |step: TraceStep| {
            extents.fit(&step);
            if flag.load(Relaxed) { Break(()) } else { Continue(()) }
        };
        let trace = match violated {
            Some(property) => check::replay_property_each(model, bounds, steps, property, visit),
            None => check::replay_each(model, bounds, steps.iter().copied(), claimed, visit)
                .map_err(|diverged| diverged.to_string()),
        };
        if flag.load(Relaxed) {
            return Err(Failure::Interrupted);
        }
        Ok((trace.map_err(|reason| misfit(&reason))?, extents))
    }

    /// Prints it as it was asked for.
    fn show(
        &self,
        args: &ReplayArgs,
        trace: &Trace,
        extents: Extents,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<(), Failure> {
        if args.format == ReportFormat::Svg {
            return self.draw(args, trace);
        }
        let Self { model, bounds, steps } = *self;
        let is_terminal = stdout().is_terminal();
        let (width, unicode) = (terminal_width(), is_terminal && speaks_unicode());
        let how = match (args.format, args.msc) {
            (_, Some(_)) if !model.dialect().is_spins => {
                return Err(usage("--msc is for Promela models: others have no channels"));
            }
            (_, Some(what)) => {
                let look = Look { width, unicode, local: what == Chart::All, events: false };
                Show::Chart(look, &args.view)
            }
            (ReportFormat::Json, None) => match args.view.unfit_for_json() {
                Some(option) => return Err(usage(format!("{option} is for people: JSON has the whole run"))),
                None => Show::Json(diagnostics),
            },
            (ReportFormat::Human | ReportFormat::Svg, None) => show_for_people(model, &args.view)?,
        };
        let flag = interrupt::flag();
        let each_step = |show: &mut dyn FnMut(&TraceStep) -> io::Result<()>| {
            let mut shown = Ok(());
            let visit = |step| {
                shown = if flag.load(Relaxed) { Err(ErrorKind::Interrupted.into()) } else { show(&step) };
                if shown.is_ok() { Continue(()) } else { Break(()) }
            };
            let steps = steps.iter().copied();
            let again = match args.view.view {
                View::States => check::replay_states(model, bounds, steps, visit),
                _ => check::replay_each(model, bounds, steps, None, visit),
            };
            again.expect("the run was followed before");
            shown
        };
        let known = Known { model, trace, extents };
        known.show(&how, Paint::new(style(is_terminal)), &mut Out::new(), each_step)?;
        Ok(())
    }
}

impl Recorded<'_> {
    /// Writes a picture of it. The trace has no steps.
    fn draw(&self, args: &ReplayArgs, trace: &Trace) -> Result<(), Failure> {
        let Self { model, bounds, steps } = *self;
        if let Some(option) = args.view.unfit_for_pictures() {
            return Err(usage(format!("{option} is for text: a picture has the whole run")));
        }
        if let Some(reason) = args.view.refusal(model.dialect()) {
            return Err(usage(reason));
        }
        if steps.len() > LONGEST_DRAWN {
            return Err(usage(format!(
                "a run of {} steps is too long for a picture, which has at most {LONGEST_DRAWN}; leave out --format svg",
                steps.len()
            )));
        }
        let flag = interrupt::flag();
        let go_on = || if flag.load(Relaxed) { Break(()) } else { Continue(()) };
        let all = steps.iter().copied();
        let title = format!("A run of {}", model.name);
        let picture = if args.view.view == View::States {
            let (mut before, mut last) = (None, Some(trace.initial_state.clone()));
            let again = check::replay_states(model, bounds, all, |step| {
                (before, last) = (last.take(), step.state);
                go_on()
            });
            again.expect("the run was followed before");
            let title = format!("{title}: its last state");
            let last = last.unwrap_or_default();
            picture::scene(&title, before.as_ref(), &last, trace.ends_in.as_ref()).diagram().svg()
        } else {
            let mut kept = Vec::new();
            let again = check::replay_each(model, bounds, all, None, |step| {
                kept.push(step);
                go_on()
            });
            again.expect("the run was followed before");
            let rows = if args.view.view == View::Msc { Rows::Messages } else { Rows::Steps };
            picture::chart(&title, &Trace { steps: kept, ..trace.clone() }, rows).svg()
        };
        if flag.load(Relaxed) {
            return Err(Failure::Interrupted);
        }
        let mut out = Out::new();
        out.write_all(picture.as_str().as_bytes())?;
        out.flush()?;
        Ok(())
    }
}

/// How a view shows a run.
pub fn show_for_people<'a>(model: &Model, view: &'a ViewArgs) -> Result<Show<'a>, Failure> {
    let unicode = stdout().is_terminal() && speaks_unicode();
    match (view.refusal(model.dialect()), view.look(terminal_width(), unicode)) {
        (Some(reason), _) => Err(usage(reason)),
        (None, Some(look)) => Ok(Show::Chart(look, view)),
        (None, None) => Ok(Show::Text(view)),
    }
}

/// Whether the locale, by the first variable that says anything about it, is one of UTF-8.
fn speaks_unicode() -> bool {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(std::env::var_os);
    let locale =
        variables.map(|value| value.to_string_lossy().to_lowercase()).find(|value| !value.is_empty());
    locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

/// The width to draw in: `$COLUMNS`, else that of the terminal, else 100.
fn terminal_width() -> usize {
    let wanted = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    wanted.or_else(terminal).unwrap_or(100)
}
