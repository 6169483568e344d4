//! What each command does.

use std::io::{BufRead as _, IsTerminal, Write as _, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use quotient::config::{Bounds, OnBound, SearchKind};
use quotient::property::LTL;
use quotient::report::Verdict;
use quotient::simulate::{self, Chosen, Interactive};
use quotient::{
    CheckError, Ending, Language, Model, StateBounds, Step, Style, Trace, TrailFile, TrailViolation,
    spin_trail,
};

use crate::args::{
    AutomatonFormat, Chart, CheckArgs, Define, GraphArgs, GraphFormat, ModelArgs, PrintArgs, ReplayArgs,
    ReportFormat, SimulateArgs, TrailFormat,
};
use crate::files::{Disk, free_memory, read_text, write_whole};
use crate::interrupt;
use crate::msc::{self, Look};
use crate::progress::ProgressLine;
use crate::render::{self, Paint};

/// Why a command has no result.
pub enum Failure {
    /// Bad usage or a bad model. The text is complete, with its line ends.
    Rejected(String),
    Internal(String),
    Interrupted,
}

impl Failure {
    pub fn report(self) -> ExitCode {
        match self {
            Self::Rejected(text) => {
                eprint!("{text}");
                ExitCode::from(2)
            }
            Self::Internal(text) => {
                eprintln!("internal error: {text}\nPlease report it together with the model.");
                ExitCode::from(4)
            }
            Self::Interrupted => {
                eprintln!("interrupted");
                ExitCode::from(interrupt::EXIT_CODE)
            }
        }
    }
}

fn usage(text: impl std::fmt::Display) -> Failure {
    Failure::Rejected(format!("error: {text}\n"))
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

type Outcome = Result<ExitCode, Failure>;

fn style(terminal: bool) -> Style {
    if terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) {
        Style::Coloured
    } else {
        Style::Plain
    }
}

fn load(args: &ModelArgs, quiet: bool) -> Result<Model, Failure> {
    load_with(args, None, quiet)
}

/// A property that is not in the model.
struct Given {
    name: String,
    text: String,
}

/// What `--ltl` says, or the file that `--property` names: what has a dot or a slash is not the name of a property in a model.
fn given(ltl: Option<&str>, property: Option<&str>) -> Result<Option<Given>, Failure> {
    let named = |name: &str, text: String| Given { name: name.to_owned(), text };
    match (ltl, property) {
        (Some(_), Some(_)) => {
            Err(usage("--ltl and --property ask for one thing only each: run one check for each"))
        }
        (Some(formula), None) => Ok(Some(named(LTL, formula.to_owned()))),
        (None, Some(path)) if path.contains(['.', '/']) => match read_text(Path::new(path)) {
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

fn load_with(args: &ModelArgs, given: Option<&Given>, quiet: bool) -> Result<Model, Failure> {
    let style = style(std::io::stderr().is_terminal());
    let path = args.model.to_str().ok_or_else(|| usage("the name of the model is not valid UTF-8"))?;
    let language = language(args);
    let defines = values(&args.defines, language)?;
    let properties: Vec<_> = given.map(|given| (&*given.name, &*given.text)).into_iter().collect();
    let model = Model::load_with(&Disk, path, language, &defines, &properties, style)
        .map_err(|rejected| Failure::Rejected(rejected.text))?;
    if !quiet && !model.warnings.is_empty() {
        eprint!("{}", model.warnings.render(&model.map, style));
    }
    Ok(model)
}

/// What names stand for. A macro without a value is 1, as compilers of C have it.
fn values(defines: &[Define], language: Language) -> Result<Vec<(String, String)>, Failure> {
    let value = |Define { name, value }: &Define| match (value, language) {
        (Some(value), _) => Ok((name.clone(), value.clone())),
        (None, Language::Promela) => Ok((name.clone(), "1".to_owned())),
        (None, Language::Bir) => Err(usage(format!("-D {name}: expected NAME=VALUE"))),
    };
    defines.iter().map(value).collect()
}

pub fn check(args: &CheckArgs) -> Outcome {
    let mut config = args.config();
    if let Some(reason) = config.refusal() {
        return Err(usage(reason));
    }
    if args.search == Some(SearchKind::Bfs)
        && (args.ltl.is_some() || args.property.is_some() || args.non_progress || args.acceptance)
    {
        return Err(usage("cycles are looked for depth first: leave --search bfs away"));
    }
    let given = given(args.ltl.as_deref(), args.property.as_deref())?;
    let model = load_with(&args.model, given.as_ref(), args.quiet)?;
    config.ltl = given.map(|given| given.text);
    if args.trail_format == TrailFormat::Spin && model.language != Language::Promela {
        return Err(usage("--trail-format spin is for Promela models: SPIN reads no others"));
    }
    config.limits.memory = config.limits.memory.or_else(free_memory);
    let mut progress = ProgressLine::new(args.quiet, config.limits.memory);
    let checked = quotient::check(&model, &config, args.seed, interrupt::flag(), &mut progress);
    progress.clear();
    let checked = checked?;
    let report = &checked.report;
    let replay = match &checked.trail {
        Some(trail) => {
            let path =
                args.trail.clone().unwrap_or_else(|| default_trail(&args.model.model, args.trail_format));
            let text = match args.trail_format {
                TrailFormat::Json => trail.to_json(),
                TrailFormat::Spin => {
                    let steps: Vec<Step> = trail.steps().collect();
                    spin_trail::write(&model, config.bounds, &steps).map_err(Failure::Internal)?
                }
            };
            match write_whole(&path, &text) {
                Ok(()) => Some(replay_command(&args.model, &model, &path)),
                Err(error) => {
                    eprintln!("warning: the trail could not be written to `{}`: {error}", path.display());
                    None
                }
            }
        }
        None => None,
    };
    match args.format {
        ReportFormat::Json => {
            let json = serde_json::to_string_pretty(report).expect("a report is plain data");
            println!("{json}");
        }
        ReportFormat::Human => {
            let paint = Paint::new(style(stdout().is_terminal()));
            print!("{}", render::report(report, model.language, replay.as_deref(), args.quiet, paint));
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
    let text = read_text(&args.trail).map_err(|error| usage(format!("cannot read `{name}`: {error}")))?;
    // A run without steps is a file without lines.
    let is_empty = text.trim().is_empty() && language(&args.model) == Language::Promela;
    if spin_trail::is_spin_trail(&text) || is_empty {
        return replay_spin(args, &text);
    }
    let trail = TrailFile::parse(&text).map_err(|error| usage(format!("`{name}` is {error}")))?;
    let mut of_model = args.model.clone();
    if of_model.defines.is_empty() {
        let define =
            |(name, value): &(String, String)| Define { name: name.clone(), value: Some(value.clone()) };
        of_model.defines = trail.defines.iter().map(define).collect();
    }
    let violated = trail.violation.as_ref().and_then(|violation| violation.property.as_ref());
    let given = violated.and_then(|property| {
        let text = property.text.clone()?;
        Some(Given { name: property.name.clone(), text })
    });
    let model = load_with(&of_model, given.as_ref(), true)?;
    if trail.fingerprint != model.fingerprint() {
        eprintln!("warning: {}", other_model(&trail));
    }
    let sizes = StateBounds {
        threads: trail.bounds.threads,
        frames: trail.bounds.frames,
        objects: trail.bounds.objects,
    };
    let on_bound = if trail.bounds.error { OnBound::Error } else { OnBound::Truncate };
    let bounds = Bounds { sizes, on_bound };
    quotient::engine(&model, bounds)?;
    let trace = match violated {
        Some(property) => quotient::replay_property(&model, bounds, trail.steps(), property),
        None => quotient::replay(&model, bounds, trail.steps(), trail.claimed())
            .map_err(|diverged| diverged.to_string()),
    };
    let trace = trace.map_err(|reason| usage(format!("the trail does not fit the model: {reason}")))?;
    show(args, &model, &trace)?;
    let shown = trace.ends_in.map(|ending| ending.kind);
    match trail.violation {
        Some(claimed) if shown.as_ref() != Some(&claimed.kind) => Err(usage(format!(
            "the trail was recorded for a violation ({}: {}) that this run does not show",
            claimed.kind, claimed.message
        ))),
        _ => Ok(if shown.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS }),
    }
}

/// A trail of SPIN's does not say what it shows, nor which constants and bounds it was made with.
fn replay_spin(args: &ReplayArgs, text: &str) -> Outcome {
    let model = load(&args.model, true)?;
    let bounds = Bounds::default();
    quotient::engine(&model, bounds)?;
    let misfit = |reason: String| usage(format!("the trail does not fit the model: {reason}"));
    let steps = spin_trail::read(&model, bounds, text).map_err(|error| misfit(error.to_string()))?;
    let trace =
        quotient::replay(&model, bounds, steps, None).map_err(|diverged| misfit(diverged.to_string()))?;
    show(args, &model, &trace)?;
    Ok(if trace.ends_in.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Prints a run as it was asked for.
fn show(args: &ReplayArgs, model: &Model, trace: &Trace) -> Result<(), Failure> {
    let is_terminal = stdout().is_terminal();
    let paint = Paint::new(style(is_terminal));
    match (args.format, args.msc) {
        (_, Some(what)) => {
            if model.language != Language::Promela {
                return Err(usage("--msc is for Promela models: others have no channels"));
            }
            let unicode = is_terminal && speaks_unicode();
            let look = Look { width: terminal_width(), unicode, local: what == Chart::All };
            print!("{}", msc::chart(trace, look));
            print!("{}", render::ending(trace, paint));
        }
        (ReportFormat::Json, None) => {
            println!("{}", serde_json::to_string_pretty(trace).expect("a trace is plain data"));
        }
        (ReportFormat::Human, None) => {
            print!("{}", render::trace(trace, None, paint));
            print!("{}", render::ending(trace, paint));
        }
    }
    Ok(())
}

/// Whether the locale, by the first variable that says anything about it, is one of UTF-8.
fn speaks_unicode() -> bool {
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(std::env::var_os);
    let locale =
        variables.map(|value| value.to_string_lossy().to_lowercase()).find(|value| !value.is_empty());
    locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

/// Of what is not a terminal: as much as most are wide, unless somebody says otherwise.
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
    let model = load(&args.model, false)?;
    let bounds = args.bounds.bounds();
    let paint = Paint::new(style(stdout().is_terminal()));
    let (steps, violation) = if args.interactive {
        (interactive(&model, bounds, paint)?, None)
    } else {
        let max = usize::try_from(args.steps).unwrap_or(usize::MAX);
        let run = simulate::random(&model, bounds, args.seed, max)?;
        print!("{}", render::trace(&run.trace, None, paint));
        if run.trace.ends_in.is_some() {
            print!("{}", render::ending(&run.trace, paint));
        } else if let Some(bound) = run.truncated {
            println!("The run ends here: the next step exceeds the bound on {}.", bound.as_str());
        } else if let Some(bound) = run.unevaluated {
            println!("The run ends here: an invariant exceeds the bound on {}.", bound.as_str());
        } else if run.ended {
            println!("{}", render::ended(model.language));
        } else {
            println!("Stopped after {} (--steps goes on).", render::plural(run.steps.len() as u64, "step"));
        }
        let violation = run.trace.ends_in.map(|Ending { kind, message, .. }| TrailViolation {
            kind,
            message,
            property: None,
        });
        (run.steps, violation)
    };
    let code = if violation.is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS };
    if let Some(path) = &args.trail {
        let trail = quotient::trail_file(&model, bounds, violation, &steps);
        write_whole(path, &trail.to_json())
            .map_err(|error| usage(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(code)
}

fn interactive(model: &Model, bounds: Bounds, paint: Paint) -> Result<Vec<quotient::Step>, Failure> {
    let mut run = Interactive::new(model, bounds)?;
    println!("Choose a step by its number; u takes one back, s shows the state, q ends.");
    // A terminal shows what is typed; a transcript has to show what is read.
    let echoed = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if let Some(wrong) = run.wrong() {
            println!("{}", paint.bad(&wrong));
        }
        let choices = run.choices();
        print!("{}", render::menu(&choices, paint));
        if choices.is_empty() {
            println!("There are no steps here.");
        }
        print!("step {}> ", run.steps.len() + 1);
        drop(stdout().flush());
        let Some(Ok(line)) = lines.next() else {
            println!();
            return Ok(run.steps);
        };
        if !echoed {
            println!("{line}");
        }
        match line.trim() {
            "q" | "quit" => return Ok(run.steps),
            "u" | "undo" => {
                if !run.back() {
                    println!("This is the initial state.");
                }
            }
            "s" | "state" => run.describe().iter().for_each(|line| println!("  {line}")),
            "" => {}
            text => match text.parse::<usize>().ok().and_then(|n| choices.get(n.wrapping_sub(1))) {
                Some(choice) => match run.take(choice.step) {
                    Chosen::Moved(changes) => changes.iter().for_each(|change| println!("    {change}")),
                    Chosen::Stopped(reason) => println!("{}", paint.bad(&reason)),
                },
                None => println!("There is no step `{text}`."),
            },
        }
    }
}

pub fn print(args: &PrintArgs) -> Outcome {
    if args.what.automaton {
        return print_automaton(args);
    }
    let model = load(&args.model, false)?;
    if args.what.ir {
        print!("{}", model.ir_text());
    } else {
        let bounds = Bounds { sizes: args.sizes.sizes(), ..Bounds::default() };
        print!("{}", quotient::engine(&model, bounds)?.layout().describe(&model.program));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_automaton(args: &PrintArgs) -> Outcome {
    let given = given(args.ltl.as_deref(), args.property.as_deref())?;
    let model = load_with(&args.model, given.as_ref(), true)?;
    let name = given.as_ref().map(|given| given.name.as_str()).or(args.property.as_deref());
    let property = model.property(name).map_err(usage)?;
    let format = match args.format {
        None | Some(AutomatonFormat::Never) => quotient::property::AutomatonFormat::Never,
        Some(AutomatonFormat::Hoa) => quotient::property::AutomatonFormat::Hoa,
    };
    print!("{}", quotient::property::automaton(property, format).map_err(usage)?);
    Ok(ExitCode::SUCCESS)
}

pub fn graph(args: &GraphArgs) -> Outcome {
    let model = load(&args.model, false)?;
    let max = usize::try_from(args.max_states).unwrap_or(usize::MAX);
    let graph = quotient::graph::graph(&model, args.bounds.bounds(), max, interrupt::flag())?;
    print!(
        "{}",
        match args.format {
            GraphFormat::Dot => graph.to_dot(),
            GraphFormat::Aut => graph.to_aut(),
            GraphFormat::Json => graph.to_json(),
        }
    );
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_their_exit_codes() {
        let code = |failure: Failure| format!("{:?}", failure.report());
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(Failure::Rejected(String::new())), expected(2));
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
