//! `quotient simulate`: one run, at random or step by step.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _, stdin, stdout};
use std::ops::ControlFlow::{Break, Continue};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use quotient::config::Bounds;
use quotient::simulate::{self, Chosen, Interactive, SimulationEnd};
use quotient::{Ending, Model, Step, TrailFile, TrailStep, TrailViolation};

use super::failure::{Failure, Outcome, usage};
use super::load::{fit_bounds, load};
use super::{style, trail_output};
use crate::args::SimulateArgs;
use crate::files::{Disk, Output, Writing};
use crate::interrupt;
use crate::out::Out;
use crate::render::{self, Paint};
use crate::run::Unfolding;
use crate::trace;

pub fn simulate(args: &SimulateArgs) -> Outcome {
    let disk = Disk::default();
    let model = load(&args.model, &disk, false)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let bounds = args.bounds.bounds();
    let paint = Paint::new(style(stdout().is_terminal()));
    let output = args.trail.as_deref().map(|path| trail_output(path, &disk)).transpose()?;
    if args.interactive {
        let steps = interactive(&model, bounds, paint)?;
        if let Some(output) = output {
            let name = output.path().display().to_string();
            let text = quotient::trail_file(&model, bounds, None, &steps).to_json();
            output.write_whole(&text).map_err(|error| unwritable(&name, &error))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    // Before anything is printed.
    quotient::engine(&model, bounds)?;
    let mut recording = output.map(|output| Recording::begin(output, &model, bounds)).transpose()?;
    let flag = interrupt::flag();
    let mut out = Out::new();
    let mut unfolding = Unfolding::new(simulate::beginning(&model, bounds), &mut out, paint);
    let mut failure = None;
    let run = simulate::random(&model, bounds, args.seed, args.steps, |step, words| {
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
    let (words, code) = match run.end {
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
        SimulationEnd::BrokenOff => {
            (format!("Interrupted after {steps}.\n"), ExitCode::from(interrupt::EXIT_CODE))
        }
    };
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

fn unwritable(name: &str, error: &io::Error) -> Failure {
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
        recording.write(&quotient::trail_file(model, bounds, None, &[]).json_start())?;
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

fn interactive(model: &Model, bounds: Bounds, paint: Paint) -> Result<Vec<quotient::Step>, Failure> {
    let mut run = Interactive::new(model, bounds)?;
    writeln!(stdout(), "Choose a step by its number; u takes one back, s shows the state, q ends.")?;
    // A terminal shows what is typed; a transcript has to show what is read.
    let echoed = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if let Some(wrong) = run.wrong() {
            writeln!(stdout(), "{}", paint.bad(&wrong))?;
        }
        let choices = run.choices();
        write!(stdout(), "{}", trace::menu(&choices, paint))?;
        if choices.is_empty() {
            writeln!(stdout(), "There are no steps here.")?;
        }
        write!(stdout(), "step {}> ", run.steps.len() + 1)?;
        drop(stdout().flush());
        let Some(Ok(line)) = lines.next() else {
            writeln!(stdout())?;
            return Ok(run.steps);
        };
        if !echoed {
            writeln!(stdout(), "{line}")?;
        }
        match line.trim() {
            "q" | "quit" => return Ok(run.steps),
            "u" | "undo" => {
                if !run.back() {
                    writeln!(stdout(), "This is the initial state.")?;
                }
            }
            "s" | "state" => {
                for line in run.describe() {
                    writeln!(stdout(), "  {line}")?;
                }
            }
            "" => {}
            text => match text.parse::<usize>().ok().and_then(|n| choices.get(n.wrapping_sub(1))) {
                Some(choice) => match run.take(choice.step) {
                    Chosen::Moved(changes) => {
                        for change in changes {
                            writeln!(stdout(), "    {change}")?;
                        }
                    }
                    Chosen::Stopped(reason) => writeln!(stdout(), "{}", paint.bad(&reason))?,
                },
                None => writeln!(stdout(), "There is no step `{text}`.")?,
            },
        }
    }
}
