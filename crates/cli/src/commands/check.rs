//! `quotient check`: the verdicts on models.
//!
//! All models of a call are read before the first one is checked, so that no trail replaces a file that the
//! call reads. A model that cannot be checked does not keep the others from being checked: only an interrupt
//! and output that cannot be printed end the call.

use std::io::{self, Write as _, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use check::checkpoint;
use check::config::Config;
use check::report::{self, Diagnostic, Report};
use check::{Dialect, Model, itf, spin_trail};

use super::counterexample::counterexample;
use super::failure::{Failure, Outcome, usage};
use super::load::{ExternalProperty, compile, external_property, language, warn, warn_of_misleading};
use super::shell::{definitions, quoted};
use super::trail_names::trail_names;
use super::trail_output;
use crate::args::{CheckArgs, CheckFormat, ModelArgs, TrailFormat};
use crate::document::print_json;
use crate::files::{Disk, Output, free_memory, reset_peak_memory};
use crate::interrupt;
use crate::printer::{Printer, for_output, whole_report};
use crate::progress::ProgressLine;
use crate::report_page::{self, Samples, Sampling};
use crate::result::{Finding, Finished, ModelResult};
use crate::summary::Summing;

pub fn check(args: &CheckArgs) -> Outcome {
    let models = distinct(&args.models);
    let call = Call::new(args, &models)?;
    if let [path] = &models[..] {
        return call.check_only(path, &call.compile(path)?);
    }
    let compiled = models.iter().map(|path| call.compile(path)).collect();
    call.check_all(&models, compiled)
}

/// The models of a call. One that is named twice is checked once.
fn distinct(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut models: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !models.contains(path) {
            models.push(path.clone());
        }
    }
    models
}

/// What all models of a call share.
struct Call<'a> {
    args: &'a CheckArgs,
    disk: Disk,
    external: Option<ExternalProperty>,
    config: Config,
    /// Where the trails go, in the order of the models.
    trails: Vec<PathBuf>,
}

impl<'a> Call<'a> {
    /// Refuses what makes no sense for any of the models.
    fn new(args: &'a CheckArgs, models: &[PathBuf]) -> Result<Self, Failure> {
        if args.format != CheckFormat::Human && !args.view.is_default() {
            return Err(usage(
                "--view, --only, --from, --to and --unfold are for people: other formats have the whole run",
            ));
        }
        let mut config = args.config();
        if args.checkpoint.is_some() {
            if models.len() > 1 {
                return Err(usage("--checkpoint is for the check of one model"));
            }
            if std::env::args_os().any(|word| word.to_str().is_none()) {
                return Err(usage("--checkpoint keeps the command, which must be valid UTF-8"));
            }
        } else if args.checkpoint_every.is_some() {
            return Err(usage(
                "--checkpoint-every says how often, and --checkpoint where: name a folder by it",
            ));
        }
        if args.report.is_some() && models.len() > 1 {
            return Err(usage("--report is a page about the check of one model"));
        }
        let mut refusals = models.iter().map(|path| refusal(args, &config, path));
        if let Some(Some(reason)) = refusals.next()
            && refusals.all(|other| other.as_ref() == Some(&reason))
        {
            return Err(usage(reason));
        }
        let trails = trail_paths(args, models)?;
        let disk = Disk::default();
        let external = external_property(args.ltl.as_deref(), args.property.as_deref(), &disk)?;
        config.ltl = external.as_ref().map(|external| external.text.clone());
        Ok(Self { args, disk, external, config, trails })
    }

    fn compile(&self, path: &Path) -> Result<Model, Failure> {
        let config = self.args.config();
        if let Some(reason) = refusal(self.args, &config, path) {
            return Err(usage(reason));
        }
        let compiled = compile(&self.args.model(path), self.external.as_ref(), &self.disk);
        let model = compiled.map_err(|failure| with_hint(failure, path))?;
        refusal_of(self.args, &config, model.dialect()).map_or(Ok(model), |reason| Err(usage(reason)))
    }

    /// Checks the only model of a call.
    fn check_only(&self, path: &Path, model: &Model) -> Outcome {
        let finished = self.check_model(path, model, 0, String::new())?;
        let code = finished.exit_code();
        let is_kept = finished.report.checkpoint.as_ref().is_some_and(|kept| kept.states.is_some());
        match self.args.format {
            CheckFormat::Json => print_json(&finished.report)?,
            CheckFormat::Human => {
                write!(stdout(), "{}", whole_report(&finished, self.args.quiet, for_output()))?;
            }
            CheckFormat::Junit | CheckFormat::Sarif => {
                let mut printer = Printer::new(self.args)?;
                let mut summing = Summing::default();
                let result = ModelResult { model: name(path), finding: Finding::Checked(Box::new(finished)) };
                printer.add(&result)?;
                summing.add(&result);
                printer.finish(summing)?;
            }
        }
        if let Some(folder) = self.args.checkpoint.as_ref().filter(|_| !is_kept) {
            stdout().flush()?;
            checkpoint::remove(folder);
        }
        Ok(ExitCode::from(code))
    }

    /// Checks one model after the other.
    fn check_all(&self, models: &[PathBuf], compiled: Vec<Result<Model, Failure>>) -> Outcome {
        let mut printer = Printer::new(self.args)?;
        let mut summing = Summing::default();
        let count = models.len();
        let mut interrupted = false;
        for (index, (path, model)) in models.iter().zip(compiled).enumerate() {
            let finding = if interrupted {
                Finding::NotChecked
            } else {
                if index > 0 {
                    reset_peak_memory();
                }
                let prefix = format!("[{}/{count}] {}: ", index + 1, path.display());
                let checked = model.and_then(|model| {
                    let check = AssertUnwindSafe(|| self.check_model(path, &model, index, prefix));
                    catch_unwind(check).unwrap_or_else(|_| Err(Failure::bug()))
                });
                match checked {
                    Ok(finished) => Finding::Checked(Box::new(finished)),
                    Err(Failure::Output(error)) => return Err(Failure::Output(error)),
                    Err(Failure::Interrupted) => Finding::NotChecked,
                    Err(failure) => {
                        failure.say_of(&name(path));
                        let exit_code = failure.exit_code();
                        Finding::Failed { diagnostics: failure.diagnostics().unwrap_or_default(), exit_code }
                    }
                }
            };
            interrupted |= interrupt::flag().load(Relaxed);
            let result = ModelResult { model: name(path), finding };
            printer.add(&result)?;
            summing.add(&result);
        }
        let code = summing.exit_code();
        printer.finish(summing)?;
        Ok(ExitCode::from(code))
    }

    /// Checks a model, and writes the trail of its first violation.
    fn check_model(
        &self,
        path: &Path,
        model: &Model,
        index: usize,
        prefix: String,
    ) -> Result<Finished, Failure> {
        let Self { args, .. } = self;
        if !args.quiet {
            warn(model);
        } else if args.format == CheckFormat::Human {
            warn_of_misleading(model);
        }
        let trail_path = &self.trails[index];
        let output = trail_output(trail_path, &self.disk)?;
        if output.is_stdout() && matches!(args.format, CheckFormat::Junit | CheckFormat::Sarif) {
            return Err(usage(
                "a trail on standard output would be part of the report; name a file by --trail",
            ));
        }
        let page = args.report.as_deref().map(|path| report_output(path, &output, &self.disk)).transpose()?;
        if page.as_ref().is_some_and(Output::is_stdout) && args.format != CheckFormat::Human {
            return Err(usage(
                "a page on standard output would be part of the report; name a file by --report",
            ));
        }
        let mut config = self.config.clone();
        config.limits.memory = config.limits.memory.or_else(free_memory);
        let mut progress = ProgressLine::new(args.quiet, config.limits.memory).after(prefix);
        let samples = page.is_some().then(Samples::default);
        let mut watcher = Sampling { samples, inner: &mut progress };
        let checked = check::check(model, &config, args.seed, interrupt::flag(), &mut watcher);
        let samples = watcher.samples.unwrap_or_default();
        progress.clear();
        let mut checked = checked?;
        let (mut written, mut replay) = (None, None);
        if let Some(trail) = &checked.trail {
            let text = match args.trail_format {
                TrailFormat::Json => trail.to_json(),
                TrailFormat::Spin => {
                    let shown = checked.report.violation.iter().flat_map(|violation| &violation.trace.steps);
                    spin_trail::write(model, shown)
                }
                TrailFormat::Itf => {
                    let run = checked.report.violation.as_ref().map(|violation| &violation.trace);
                    let run = run.expect("a trail is of a violation");
                    let text = itf::write(model, trail.bounds, trail.steps(), run);
                    text.map_err(|diverged| Failure::Internal(diverged.to_string()))?
                }
            };
            let is_file = output.is_file();
            match output.write_whole(&text) {
                Ok(()) if is_file => {
                    written = Some(trail_path.display().to_string());
                    // States cannot be replayed.
                    let command = || replay_command(&args.model(path), model, trail_path);
                    replay = (args.trail_format != TrailFormat::Itf).then(command);
                }
                Ok(()) => {}
                Err(error) => {
                    let text =
                        format!("the trail could not be written to `{}`: {error}", trail_path.display());
                    drop(writeln!(io::stderr(), "warning: {text}"));
                    checked.report.diagnostics.push(Diagnostic::warning(text));
                }
            }
        }
        if args.format == CheckFormat::Human {
            warn_of_verdict(model, &checked.report, args.quiet);
        }
        let shown = match args.format {
            CheckFormat::Human if !args.quiet => counterexample(model, &checked, &args.view, for_output())?,
            _ => String::new(),
        };
        if let Some(report::Checkpoint { folder, trouble: Some(trouble), .. }) = &checked.report.checkpoint {
            let text = format!("the last checkpoint could not be written in `{folder}`: {trouble}");
            drop(writeln!(io::stderr(), "warning: {text}"));
            checked.report.diagnostics.push(Diagnostic::warning(text));
        }
        if let Some(page) = page {
            let command = report_page::this_command();
            let name = page.path().display().to_string();
            let replay = page.is_file().then(|| replay_command(&args.model(path), model, page.path()));
            let result = report_page::Result { model, checked: &checked, samples: &samples, command, replay };
            if let Err(error) = page.write_whole(&result.html()) {
                let text = format!("the page could not be written to `{name}`: {error}");
                drop(writeln!(io::stderr(), "warning: {text}"));
                checked.report.diagnostics.push(Diagnostic::warning(text));
            }
        }
        let dialect = model.dialect();
        let (report, interrupted) = (checked.report, checked.interrupted);
        Ok(Finished { report, interrupted, dialect, shown, trail: written, replay })
    }
}

/// Where a page goes, unless it would replace something that it must not.
fn report_output(path: &Path, trail: &Output, disk: &Disk) -> Result<Output, Failure> {
    let output = Output::new(path, disk)
        .map_err(|reason| usage(format!("a page {reason}; name another file by --report")))?;
    if output.is_file() && output.path() == trail.path() {
        return Err(usage("--report and --trail name the same file"));
    }
    Ok(output)
}

/// Shows the warnings of a check. Those of the compiler come first, and were shown; the report shows which
/// properties hold vacuously.
fn warn_of_verdict(model: &Model, report: &Report, quiet: bool) {
    let in_report = |text: &str| !quiet && text.contains("holds vacuously");
    for text in report.warnings.iter().skip(model.warnings.iter().count()) {
        if !in_report(text) {
            drop(writeln!(io::stderr(), "warning: {text}"));
        }
    }
}

/// Why a model cannot be checked with these options, if that is known before it is read: in none of the dialects of its
/// language.
fn refusal(args: &CheckArgs, config: &Config, path: &Path) -> Option<String> {
    let dialects = language(&args.model(path)).dialects();
    let refusals: Option<Vec<String>> = dialects.map(|dialect| refusal_of(args, config, dialect)).collect();
    refusals?.into_iter().next()
}

/// Why models in a dialect cannot be checked with these options.
fn refusal_of(args: &CheckArgs, config: &Config, dialect: &Dialect) -> Option<String> {
    let for_others = "--trail-format spin is for Promela models: SPIN reads no others";
    let is_for_others = args.trail_format == TrailFormat::Spin && !dialect.is_spins;
    let own = is_for_others.then(|| for_others.to_owned()).or_else(|| args.view.refusal(dialect));
    config.refusal(dialect).or(own)
}

/// Where trails go: into the folder that `--trail` names, or the current one. A file is for the trail of one
/// model.
fn trail_paths(args: &CheckArgs, models: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let names = trail_names(models, args.trail_format);
    match &args.trail {
        None => Ok(names.into_iter().map(PathBuf::from).collect()),
        Some(folder) if folder.is_dir() => Ok(names.iter().map(|name| folder.join(name)).collect()),
        Some(file) if models.len() == 1 => Ok(vec![file.clone()]),
        Some(file) => Err(usage(format!(
            "--trail {} is one file, but each of the {} models can have a trail; name a folder that exists, \
             or leave --trail out",
            file.display(),
            models.len()
        ))),
    }
}

/// Adds what to do about a path that names no model.
fn with_hint(failure: Failure, path: &Path) -> Failure {
    let name = path.display();
    let hint = if path.is_dir() {
        format!(
            "name the models in the folder, for example {name}/*.bir",
            name = name.to_string().trim_end_matches('/')
        )
    } else if !path.exists() && name.to_string().contains(['*', '?', '[']) {
        "this looks like a pattern that the shell did not expand: no file matches, or it is in quotes"
            .to_owned()
    } else {
        return failure;
    };
    match failure {
        Failure::Rejected { text, mut diagnostics } => {
            if let Some(first) = diagnostics.first_mut() {
                first.help.push(hint.clone());
            }
            Failure::Rejected { text: format!("{text}  = help: {hint}\n"), diagnostics }
        }
        other => other,
    }
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What to type to see the counterexample again.
fn replay_command(args: &ModelArgs, model: &Model, trail: &Path) -> String {
    let mut words = vec!["quotient replay".to_owned(), quoted(&args.model.to_string_lossy())];
    words.extend(args.compile.language.map(|language| format!("--language {language}")));
    words.extend(args.compile.dialect.map(|dialect| format!("--dialect {dialect}")));
    words.extend(definitions(&model.defines));
    words.extend(model.memory.words());
    words.push(quoted(&trail.to_string_lossy()));
    words.join(" ")
}
