//! Results of checks on standard output, in the format that was asked for: at once for people and in JSON, at
//! the end in other formats.

use std::io::{self, IsTerminal as _, Write as _, stdout};

use check::json::ObjectWriter;
use check::report::{FORMAT_VERSION, Failed, Report, Severity, TOOL, Verdict};

use crate::args::{CheckArgs, CheckFormat};
use crate::commands::style;
use crate::document::print_json;
use crate::junit::Junit;
use crate::out::Out;
use crate::render::{self, Paint};
use crate::result::{Finding, Finished, ModelResult};
use crate::sarif::Sarif;
use crate::summary::{ERROR, Summing};

/// The colours of standard output.
pub fn for_output() -> Paint {
    Paint::new(style(stdout().is_terminal()))
}

/// The report of a model as text.
pub fn whole_report(finished: &Finished, quiet: bool, paint: Paint) -> String {
    let Finished { report, dialect, shown, replay, .. } = finished;
    render::report(report, dialect, shown, replay.as_deref(), quiet, paint)
}

/// How results are printed: at once for people and in JSON, at the end in other formats.
pub enum Printer {
    Human {
        quiet: bool,
        paint: Paint,
        /// Whether what was printed last is a block of several lines.
        after_block: Option<bool>,
    },
    Json(ObjectWriter<Out>),
    Junit(Junit),
    Sarif(Box<Sarif>),
}

impl Printer {
    pub fn new(args: &CheckArgs) -> io::Result<Self> {
        Ok(match args.format {
            CheckFormat::Human => Self::Human { quiet: args.quiet, paint: for_output(), after_block: None },
            CheckFormat::Json => {
                let mut object = ObjectWriter::new(Out::new())?;
                object.key("version", &FORMAT_VERSION)?;
                object.key("tool", TOOL)?;
                object.open_list("reports")?;
                Self::Json(object)
            }
            CheckFormat::Junit => Self::Junit(Junit::default()),
            CheckFormat::Sarif => Self::Sarif(Box::new(Sarif::new())),
        })
    }

    /// Takes one of several results.
    pub fn add(&mut self, result: &ModelResult) -> io::Result<()> {
        match self {
            Self::Human { quiet, paint, after_block } => {
                let text = one_of_several(result, *quiet, *paint);
                if text.is_empty() {
                    return Ok(());
                }
                // An empty line separates reports of several lines from others.
                let is_block = text.lines().count() > 1;
                let gap = if after_block.replace(is_block).is_some_and(|after| after || is_block) {
                    "\n"
                } else {
                    ""
                };
                write!(stdout(), "{gap}{text}")
            }
            Self::Json(object) => match &result.finding {
                Finding::Checked(finished) => object.element(&finished.report),
                Finding::Failed { diagnostics, .. } => {
                    object.element(&Failed::new(Some(&result.model), diagnostics))
                }
                Finding::NotChecked => Ok(()),
            },
            Self::Junit(junit) => {
                junit.add(result);
                Ok(())
            }
            Self::Sarif(sarif) => {
                sarif.add(result);
                Ok(())
            }
        }
    }

    pub fn finish(self, summing: Summing) -> io::Result<()> {
        match self {
            Self::Human { quiet: true, .. } => Ok(()),
            Self::Human { paint, .. } => write!(stdout(), "\n{}", summing.table(paint)),
            Self::Json(mut object) => {
                object.close_list()?;
                object.key("summary", &summing.finish())?;
                object.end()
            }
            Self::Junit(junit) => write!(stdout(), "{}", junit.finish()),
            Self::Sarif(sarif) => print_json(&sarif.finish(summing.exit_code())),
        }
    }
}

/// What is said of one of several models. A model that holds is one line, with the warnings of the command:
/// the table at the end has its figures.
fn one_of_several(result: &ModelResult, quiet: bool, paint: Paint) -> String {
    match &result.finding {
        Finding::Checked(finished) if finished.report.verdict == Verdict::Holds => {
            let line = whole_report(finished, true, paint);
            let warnings = if quiet { String::new() } else { warnings(&finished.report) };
            line + &warnings
        }
        Finding::Checked(finished) => whole_report(finished, quiet, paint),
        Finding::Failed { .. } => format!("{}: {}\n", result.model, paint.bad(ERROR)),
        Finding::NotChecked => String::new(),
    }
}

/// The warnings of the command: those of the compiler are on standard error.
fn warnings(report: &Report) -> String {
    let own = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Warning && diagnostic.code.is_none());
    own.fold(String::new(), |text, warning| text + &format!("  warning: {}\n", warning.message))
}
