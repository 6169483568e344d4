//! `quotient simulate`: one run, at random or step by step.

use std::io::{self, IsTerminal as _, Write as _, stdout};
use std::ops::ControlFlow::{Break, Continue};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use check::config::Bounds;
use check::simulate::{self, Condition, RandomRun, SimulationEnd, UNTIL};
use check::{Ending, Model, Step, TrailFile, TrailStep, TrailViolation};

use super::failure::{Failure, Outcome, usage};
use super::load::{ExternalProperty, fit_bounds, load, load_with};
use super::recorded::read_trail;
use super::session::{Place, session};
use super::{style, trail_output};
use crate::args::{ModelArgs, SimulateArgs};
use crate::files::{Disk, Output, Writing};
use crate::interrupt;
use crate::out::Out;
use crate::render::{self, Paint};
use crate::run::Unfolding;

pub fn simulate(args: &SimulateArgs) -> Outcome {
    let disk = Disk::default();
    let input = args.from_trail.as_deref().map(|path| read_trail(path, &args.model)).transpose()?;
    let of_model = input.as_ref().map_or_else(|| args.model.clone(), |input| input.model_args(&args.model));
    let model = load(&of_model, &disk, false)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let given = args.bounds.bounds();
    let bounds = input.as_ref().map_or(given, |input| input.bounds(given));
    let mut prefix = Vec::new();
    if let Some(input) = input {
        let (steps, warning) = input.steps(&model, &of_model, bounds)?;
        prefix = steps;
        if let Some(text) = warning {
            drop(writeln!(io::stderr(), "warning: {text}"));
        }
    }
    let paint = Paint::new(style(stdout().is_terminal()));
    let output = args.trail.as_deref().map(|path| trail_output(path, &disk)).transpose()?;
    if args.interactive {
        let place = Place { model: &model, args: &of_model, disk: &disk, bounds, paint };
        let steps = session(place, args.seed, &prefix)?;
        if let Some(output) = output {
            let name = output.path().display().to_string();
            let text = check::trail_file(&model, bounds, None, &steps).to_json();
            output.write_whole(&text).map_err(|error| unwritable(&name, &error))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let until = args.until.as_deref().map(|text| condition(&model, &of_model, &disk, text)).transpose()?;
    // Before anything is printed.
    check::engine(&model, bounds)?;
    let mut recording = output.map(|output| Recording::begin(output, &model, bounds)).transpose()?;
    let flag = interrupt::flag();
    let mut out = Out::new();
    let mut unfolding = Unfolding::new(simulate::beginning(&model, bounds), &mut out, paint);
    let mut failure = None;
    let how = RandomRun { seed: args.seed, max_steps: args.steps, prefix: &prefix, until: until.as_ref() };
    let run = simulate::random_run(&model, bounds, &how, |step, words| {
        let record = || {
            recording.as_mut().map_or(Ok(()), |recording| recording.step(step))?;
            unfolding.step(words).map_err(Failure::Output)
        };
        match record() {
            Ok(()) if !flag.load(Relaxed) => Continue(()),
            Ok(()) => Break(()),
            Err(error) => {
                failure = Some(error);
                Break(())
            }
        }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    unfolding.end(&run.trace)?;
    let steps = render::plural(run.steps, "step");
    let (mut words, mut code) = match &run.end {
        SimulationEnd::Reached => (String::new(), ExitCode::SUCCESS),
        _ if run.trace.ends_in.is_some() => (String::new(), ExitCode::from(1)),
        SimulationEnd::Violation | SimulationEnd::Steps => {
            (format!("Stopped after {steps} (use --steps for more).\n"), ExitCode::SUCCESS)
        }
        SimulationEnd::Truncated(bound) => (
            format!("The run ends here: the next step exceeds the bound on {}.\n", bound.as_str()),
            ExitCode::SUCCESS,
        ),
        SimulationEnd::Unevaluated(bound) => (
            format!("The run ends here: an invariant exceeds the bound on {}.\n", bound.as_str()),
            ExitCode::SUCCESS,
        ),
        SimulationEnd::Ended => (format!("{}\n", model.ended()), ExitCode::SUCCESS),
        SimulationEnd::Undecided(_) => (String::new(), ExitCode::from(NOT_REACHED)),
        SimulationEnd::BrokenOff => {
            (format!("Interrupted after {steps}.\n"), ExitCode::from(interrupt::EXIT_CODE))
        }
    };
    if let Some(Condition { text, .. }) = &until {
        let about = match &run.end {
            SimulationEnd::Reached => format!("`{text}` holds after {steps}.\n"),
            SimulationEnd::Undecided(reason) => {
                format!("`{text}` cannot be evaluated after {steps}: {reason}.\n")
            }
            _ => format!("`{text}` did not hold in this run.\n"),
        };
        words.push_str(&about);
        if run.trace.ends_in.is_some() {
            code = ExitCode::from(1);
        } else if !matches!(run.end, SimulationEnd::Reached | SimulationEnd::BrokenOff) {
            code = ExitCode::from(NOT_REACHED);
        }
    }
    out.write_all(words.as_bytes())?;
    out.flush()?;
    drop(out);
    if let Some(recording) = recording {
        let violation = run.trace.ends_in.map(|Ending { kind, message, .. }| TrailViolation {
            kind: kind.to_string(),
            message,
            property: None,
        });
        recording.end(violation.as_ref())?;
    }
    Ok(code)
}

/// The exit code if a run ends without the condition that it was to reach: that proves nothing.
const NOT_REACHED: u8 = 3;

/// Compiles a condition over the variables of a model.
pub fn condition(model: &Model, args: &ModelArgs, disk: &Disk, text: &str) -> Result<Condition, Failure> {
    let external = ExternalProperty { name: UNTIL.to_owned(), text: text.to_owned() };
    let with_condition = load_with(args, Some(&external), disk, true)?;
    Condition::new(with_condition, model, text)
        .map_err(|reason| usage(format!("`{}`: {reason}", text.trim())))
}

pub fn unwritable(name: &str, error: &io::Error) -> Failure {
    usage(format!("cannot write `{name}`: {error}"))
}

/// A trail that is written while the run goes on.
struct Recording {
    name: String,
    file: Writing,
    is_empty: bool,
}

impl Recording {
    fn begin(output: Output, model: &Model, bounds: Bounds) -> Result<Self, Failure> {
        let name = output.path().display().to_string();
        let file = output.begin().map_err(|error| unwritable(&name, &error))?;
        let mut recording = Self { name, file, is_empty: true };
        recording.write(&check::trail_file(model, bounds, None, &[]).json_start())?;
        Ok(recording)
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.file.write_all(text.as_bytes()).map_err(|error| unwritable(&self.name, &error))
    }

    fn step(&mut self, step: Step) -> Result<(), Failure> {
        let is_first = std::mem::take(&mut self.is_empty);
        self.write(&TrailStep::from(step).json(is_first))
    }

    fn end(mut self, violation: Option<&TrailViolation>) -> Result<(), Failure> {
        self.write(&TrailFile::json_end(violation))?;
        self.file.finish().map_err(|error| unwritable(&self.name, &error))
    }
}
