//! `quotient check`: the verdict on a model.

use std::io::{self, IsTerminal as _, Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quotient::report::{Diagnostic, Verdict};
use quotient::{Model, spin_trail};

use super::failure::{Outcome, print_json, usage};
use super::load::{external_property, language, load_with};
use super::shell::{definitions, quoted};
use super::{style, trail_output};
use crate::args::{CheckArgs, ModelArgs, ReportFormat, TrailFormat};
use crate::files::{Disk, free_memory};
use crate::interrupt;
use crate::progress::ProgressLine;
use crate::render::{self, Paint};

pub fn check(args: &CheckArgs) -> Outcome {
    let mut config = args.config();
    let dialect = language(&args.model).dialect();
    if let Some(reason) = config.refusal(dialect) {
        return Err(usage(reason));
    }
    if args.trail_format == TrailFormat::Spin && !dialect.is_spins {
        return Err(usage("--trail-format spin is for Promela models: SPIN reads no others"));
    }
    let disk = Disk::default();
    let external = external_property(args.ltl.as_deref(), args.property.as_deref(), &disk)?;
    let model = load_with(&args.model, external.as_ref(), &disk, args.quiet)?;
    config.ltl = external.map(|external| external.text);
    let path = args.trail.clone().unwrap_or_else(|| default_trail(&args.model.model, args.trail_format));
    let output = trail_output(&path, &disk)?;
    config.limits.memory = config.limits.memory.or_else(free_memory);
    let mut progress = ProgressLine::new(args.quiet, config.limits.memory);
    let checked = quotient::check(&model, &config, args.seed, interrupt::flag(), &mut progress);
    progress.clear();
    let mut checked = checked?;
    let replay = match &checked.trail {
        Some(trail) => {
            let text = match args.trail_format {
                TrailFormat::Json => trail.to_json(),
                TrailFormat::Spin => {
                    let shown = checked.report.violation.iter().flat_map(|violation| &violation.trace.steps);
                    spin_trail::write(&model, shown)
                }
            };
            let is_file = output.is_file();
            match output.write_whole(&text) {
                Ok(()) => is_file.then(|| replay_command(&args.model, &model, &path)),
                Err(error) => {
                    let text = format!("the trail could not be written to `{}`: {error}", path.display());
                    drop(writeln!(io::stderr(), "warning: {text}"));
                    checked.report.diagnostics.push(Diagnostic::warning(text));
                    None
                }
            }
        }
        None => None,
    };
    let report = &checked.report;
    match args.format {
        ReportFormat::Json => {
            print_json(report)?;
        }
        ReportFormat::Human => {
            let paint = Paint::new(style(stdout().is_terminal()));
            write!(stdout(), "{}", render::report(report, dialect, replay.as_deref(), args.quiet, paint))?;
        }
    }
    Ok(if checked.interrupted {
        ExitCode::from(interrupt::EXIT_CODE)
    } else {
        match report.verdict {
            Verdict::Holds => ExitCode::SUCCESS,
            Verdict::Violated => ExitCode::from(1),
            Verdict::HoldsUpToBounds | Verdict::NoErrorFound | Verdict::Inconclusive => ExitCode::from(3),
        }
    })
}

/// SPIN looks for a trail under the whole name of the model.
fn default_trail(model: &Path, format: TrailFormat) -> PathBuf {
    let (name, ending) = match format {
        TrailFormat::Json => (model.file_stem(), "trail.json"),
        TrailFormat::Spin => (model.file_name(), "trail"),
    };
    PathBuf::from(format!("{}.{ending}", name.unwrap_or_default().to_string_lossy()))
}

/// What to type to see the counterexample again.
fn replay_command(args: &ModelArgs, model: &Model, trail: &Path) -> String {
    let mut words = vec!["quotient replay".to_owned(), quoted(&args.model.to_string_lossy())];
    words.extend(args.language.map(|language| format!("--language {language}")));
    words.extend(definitions(&model.defines));
    words.push(quoted(&trail.to_string_lossy()));
    words.join(" ")
}
