//! What each command does.

use std::io::{self, BufRead as _, ErrorKind, IsTerminal, Read as _, Write as _, stdin, stdout};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use quotient::config::Bounds;
use quotient::property::LTL;
use quotient::report::{self, Diagnostic, Verdict};
use quotient::simulate::{self, Chosen, Interactive, SimulationEnd};
use quotient::{
    CheckError, Ending, Language, Model, Rejected, Step, Style, Trace, TraceStep, TrailFile, TrailProperty,
    TrailStep, TrailViolation, spin_trail,
};

use crate::args::{
    AutomatonFormat, Chart, CheckArgs, Define, GraphArgs, GraphFormat, ModelArgs, PrintArgs, ReplayArgs,
    ReportFormat, SimulateArgs, SizeArgs, TrailFormat,
};
use crate::files::{Disk, Output, Writing, free_memory, open_trail};
use crate::interrupt;
use crate::msc::Look;
use crate::out::Out;
use crate::progress::ProgressLine;
use crate::render::{self, Paint};
use crate::run::{self, Extents, Show, Unfolding};

/// Why a command has no result, or not the one that it was to have.
pub enum Failure {
    /// Bad usage or a bad model. The text is complete, with its line ends.
    Rejected {
        text: String,
        diagnostics: Vec<Diagnostic>,
    },
    /// Bad usage or a bad model, about which the JSON object that was asked for says so already.
    InReport(String),
    Internal(String),
    Interrupted,
    /// Standard output takes no more.
    Output(io::Error),
}

impl Failure {
    /// Says what is wrong, and gives the exit code. If the result was to be JSON, there is an object about
    /// it: `model` is the model then.
    pub fn report(self, json: Option<&Path>) -> ExitCode {
        let object = |diagnostics: &[Diagnostic]| {
            if let Some(model) = json {
                // There is an exit code all the same.
                drop(print_json(&report::Failed::new(model.to_str(), diagnostics)));
            }
        };
        match self {
            Self::Rejected { text, diagnostics } => {
                drop(write!(io::stderr(), "{text}"));
                object(&diagnostics);
                ExitCode::from(2)
            }
            Self::InReport(text) => {
                drop(write!(io::stderr(), "{text}"));
                ExitCode::from(2)
            }
            Self::Internal(text) => {
                let text = format!("internal error: {text}");
                drop(writeln!(io::stderr(), "{text}\nPlease report it together with the model."));
                object(&[Diagnostic::error(text)]);
                ExitCode::from(4)
            }
            Self::Interrupted => {
                drop(writeln!(io::stderr(), "interrupted"));
                ExitCode::from(interrupt::EXIT_CODE)
            }
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(LOST_OUTPUT),
            Self::Output(error) => {
                // If this fails too, the exit code still shows it.
                drop(writeln!(io::stderr(), "error: failed printing to stdout: {error}"));
                ExitCode::from(2)
            }
        }
    }
}

/// The exit code if the reader of the output is gone: that of the signal for it.
const LOST_OUTPUT: u8 = 141;

/// Prints the object that was asked for.
pub fn print_json(object: &impl serde::Serialize) -> io::Result<()> {
    writeln!(stdout(), "{}", serde_json::to_string_pretty(object).expect("it is plain data"))
}

fn usage(text: impl std::fmt::Display) -> Failure {
    Failure::Rejected {
        text: format!("error: {text}\n"),
        diagnostics: vec![Diagnostic::error(text.to_string())],
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Refused(reason) => usage(reason),
            CheckError::Interrupted => Self::Interrupted,
            CheckError::Internal(reason) => Self::Internal(reason),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::Interrupted { Self::Interrupted } else { Self::Output(error) }
    }
}

type Outcome = Result<ExitCode, Failure>;

fn style(terminal: bool) -> Style {
    if terminal && !anstyle_query::no_color() { Style::Coloured } else { Style::Plain }
}

fn load(args: &ModelArgs, disk: &Disk, quiet: bool) -> Result<Model, Failure> {
    load_with(args, None, disk, quiet)
}

/// A property that is not in the model.
struct ExternalProperty {
    name: String,
    text: String,
}

/// What `--ltl` says, or the file that `--property` names: what has a dot or a slash is not the name of a
/// property in a model.
fn external_property(
    ltl: Option<&str>,
    property: Option<&str>,
    disk: &Disk,
) -> Result<Option<ExternalProperty>, Failure> {
    let named = |name: &str, text: String| ExternalProperty { name: name.to_owned(), text };
    match (ltl, property) {
        (Some(_), Some(_)) => {
            Err(usage("--ltl and --property ask for one thing only each: run one check for each"))
        }
        (Some(formula), None) => Ok(Some(named(LTL, formula.to_owned()))),
        (None, Some(path)) if path.contains(['.', '/']) => match disk.read_text(path) {
            Ok(text) => Ok(Some(named(path, text))),
            Err(error) => Err(usage(format!("cannot read `{path}`: {error}"))),
        },
        _ => Ok(None),
    }
}

/// The language of a model: what `--language` says, or the name of its file.
fn language(args: &ModelArgs) -> Language {
    args.language.unwrap_or_else(|| Language::of(&args.model.to_string_lossy()))
}

fn load_with(
    args: &ModelArgs,
    external: Option<&ExternalProperty>,
    disk: &Disk,
    quiet: bool,
) -> Result<Model, Failure> {
    let style = style(std::io::stderr().is_terminal());
    let path = args.model.to_str().ok_or_else(|| usage("the name of the model is not valid UTF-8"))?;
    let language = language(args);
    let defines = values(&args.defines, language)?;
    let properties: Vec<_> =
        external.map(|external| (&*external.name, &*external.text)).into_iter().collect();
    let rejected =
        |rejected: Rejected| Failure::Rejected { text: rejected.render(style), diagnostics: rejected.list() };
    let model = Model::load_with(disk, path, language, &defines, &properties).map_err(rejected)?;
    if !quiet && !model.warnings.is_empty() {
        drop(write!(io::stderr(), "{}", model.warnings.render(&model.map, style)));
    }
    Ok(model)
}

/// Refuses bounds that would bound nothing.
fn fit_bounds(sizes: &SizeArgs, model: &Model) -> Result<Bounds, Failure> {
    let bounds = Bounds { sizes: sizes.sizes(), ..Bounds::default() };
    bounds.refusal(model.dialect()).map_or(Ok(bounds), |reason| Err(usage(reason)))
}

/// What names stand for. A macro without a value is 1, as compilers of C have it.
fn values(defines: &[Define], language: Language) -> Result<Vec<(String, String)>, Failure> {
    let default = language.dialect().default_value;
    let value = |Define { name, value }: &Define| match value.as_deref().or(default) {
        Some(value) => Ok((name.clone(), value.to_owned())),
        None => Err(usage(format!("-D {name}: expected NAME=VALUE"))),
    };
    defines.iter().map(value).collect()
}

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

/// Where a trail goes, unless it would replace something that it must not.
fn trail_output(path: &Path, disk: &Disk) -> Result<Output, Failure> {
    Output::new(path, disk).map_err(|reason| usage(format!("{reason}; name another file by --trail")))
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

/// Constants as they are given on the command line.
fn definitions(defines: &[(String, String)]) -> impl Iterator<Item = String> {
    defines.iter().map(|(name, value)| format!("-D {}", quoted(&format!("{name}={value}"))))
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

pub fn replay(args: &ReplayArgs) -> Outcome {
    let name = args.trail.display();
    let unreadable = |error: io::Error| usage(format!("cannot read `{name}`: {error}"));
    let not_a_trail = |error: String| usage(format!("`{name}` is {error}"));
    let mut file = open_trail(&args.trail).map_err(unreadable)?;
    let start = file.fill_buf().map_err(unreadable)?;
    let trail = if start.trim_ascii_start().starts_with(b"{") {
        TrailFile::read(file).map_err(not_a_trail)?
    } else {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let text =
            String::from_utf8(bytes).map_err(|_| unreadable(io::Error::other("it is not valid UTF-8")))?;
        // A run without steps is a file without lines.
        let is_empty = text.trim().is_empty() && language(&args.model).dialect().is_spins;
        if spin_trail::is_spin_trail(&text) || is_empty {
            return replay_spin(args, &text);
        }
        TrailFile::parse(&text).map_err(not_a_trail)?
    };
    let mut of_model = args.model.clone();
    if of_model.defines.is_empty() {
        let define =
            |(name, value): &(String, String)| Define { name: name.clone(), value: Some(value.clone()) };
        of_model.defines = trail.defines.iter().map(define).collect();
    }
    let violated = trail.violation.as_ref().and_then(|violation| violation.property.as_ref());
    let external = violated.and_then(|property| {
        let text = property.text.clone()?;
        Some(ExternalProperty { name: property.name.clone(), text })
    });
    let model = load_with(&of_model, external.as_ref(), &Disk::default(), true)?;
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
    quotient::engine(&model, bounds)?;
    let steps = spin_trail::read(&model, bounds, text).map_err(|error| misfit(&error))?;
    let run = Recorded { model: &model, bounds, steps: &steps };
    let (trace, extents) = run.follow(None, None)?;
    run.show(args, &trace, extents, model.warnings())?;
    Ok(if trace.ends_in.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn misfit(reason: &dyn std::fmt::Display) -> Failure {
    usage(format!("the trail does not fit the model: {reason}"))
}

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
        quotient::engine(model, bounds)?;
        let flag = interrupt::flag();
        let mut extents = Extents::default();
        let visit = |step: TraceStep| {
            extents.fit(&step);
            if flag.load(Relaxed) { Break(()) } else { Continue(()) }
        };
        let trace = match violated {
            Some(property) => quotient::replay_property_each(model, bounds, steps, property, visit),
            None => quotient::replay_each(model, bounds, steps.iter().copied(), claimed, visit)
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
        let Self { model, bounds, steps } = *self;
        let is_terminal = stdout().is_terminal();
        let how = match (args.format, args.msc) {
            (_, Some(_)) if !model.dialect().is_spins => {
                return Err(usage("--msc is for Promela models: others have no channels"));
            }
            (_, Some(what)) => Show::Chart(Look {
                width: terminal_width(),
                unicode: is_terminal && speaks_unicode(),
                local: what == Chart::All,
            }),
            (ReportFormat::Json, None) => Show::Json(diagnostics),
            (ReportFormat::Human, None) => Show::Text,
        };
        let flag = interrupt::flag();
        let each_step = |show: &mut dyn FnMut(&TraceStep) -> io::Result<()>| {
            let mut shown = Ok(());
            let again = quotient::replay_each(model, bounds, steps.iter().copied(), None, |step| {
                shown = if flag.load(Relaxed) { Err(ErrorKind::Interrupted.into()) } else { show(&step) };
                if shown.is_ok() { Continue(()) } else { Break(()) }
            });
            again.expect("the run was followed before");
            shown
        };
        run::show(trace, extents, &how, Paint::new(style(is_terminal)), &mut Out::new(), each_step)?;
        Ok(())
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

/// Why a trail might not fit.
fn other_model(trail: &TrailFile) -> String {
    let constants = match definitions(&trail.defines).collect::<Vec<_>>() {
        none if none.is_empty() => "no -D".to_owned(),
        some => some.join(" "),
    };
    format!(
        "the trail was made from another version of the model (`{}`), or with other constants (it was made \
         with {constants})",
        trail.model
    )
}

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
        write!(stdout(), "{}", render::menu(&choices, paint))?;
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

pub fn print(args: &PrintArgs) -> Outcome {
    if args.what.automaton {
        return print_automaton(args);
    }
    let model = load(&args.model, &Disk::default(), false)?;
    let bounds = fit_bounds(&args.sizes, &model)?;
    if args.what.ir {
        write!(stdout(), "{}", model.ir_text())?;
    } else {
        write!(stdout(), "{}", quotient::engine(&model, bounds)?.layout().describe(&model.program))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_automaton(args: &PrintArgs) -> Outcome {
    let disk = Disk::default();
    let external = external_property(args.ltl.as_deref(), args.property.as_deref(), &disk)?;
    let model = load_with(&args.model, external.as_ref(), &disk, true)?;
    let name = external.as_ref().map(|external| external.name.as_str()).or(args.property.as_deref());
    let property = model.property(name).map_err(usage)?;
    let format = match args.format {
        None | Some(AutomatonFormat::Never) => quotient::property::AutomatonFormat::Never,
        Some(AutomatonFormat::Hoa) => quotient::property::AutomatonFormat::Hoa,
    };
    write!(stdout(), "{}", quotient::property::automaton(property, format).map_err(usage)?)?;
    Ok(ExitCode::SUCCESS)
}

pub fn graph(args: &GraphArgs) -> Outcome {
    let model = load(&args.model, &Disk::default(), false)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let max = usize::try_from(args.max_states).unwrap_or(usize::MAX);
    let bounds = args.bounds.bounds();
    let graph = quotient::graph::graph(&model, bounds, max, free_memory(), interrupt::flag())?;
    let format = match args.format {
        GraphFormat::Dot => quotient::graph::GraphFormat::Dot,
        GraphFormat::Aut => quotient::graph::GraphFormat::Aut,
        GraphFormat::Json => quotient::graph::GraphFormat::Json,
    };
    // The model's own were shown when it was read.
    for diagnostic in graph.diagnostics.iter().filter(|diagnostic| diagnostic.code.is_none()) {
        drop(writeln!(io::stderr(), "warning: {}", diagnostic.message));
    }
    let mut out = Out::new();
    graph.write(format, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_their_exit_codes() {
        let code = |failure: Failure| format!("{:?}", failure.report(None));
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(usage("a test")), expected(2));
        assert_eq!(code(Failure::InReport(String::new())), expected(2));
        assert_eq!(code(Failure::Output(ErrorKind::BrokenPipe.into())), expected(141));
        assert_eq!(code(Failure::Output(ErrorKind::StorageFull.into())), expected(2));
        assert_eq!(code(Failure::Internal("a test".to_owned())), expected(4));
        assert_eq!(code(Failure::Interrupted), expected(130));
    }

    #[test]
    fn words_for_shells() {
        assert_eq!(quoted("models/a-b_c.bir"), "models/a-b_c.bir");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$(x)"), "'$(x)'");
    }
}
