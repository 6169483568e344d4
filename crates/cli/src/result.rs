//! What came of the check of a model, for all formats in which it is printed.

use check::property::LTL;
use check::report::{Diagnostic, Place, Report, Severity, Verdict, Violation};
use check::{Dialect, Trace};

/// What came of the check of a model.
pub struct ModelResult {
    /// The model, as it was named.
    pub model: String,
    pub finding: Finding,
}

pub enum Finding {
    Checked(Box<Finished>),
    /// There is no report: the model has errors, does not fit the options, or met an internal error.
    Failed {
        /// At least one of them is an error.
        diagnostics: Vec<Diagnostic>,
        exit_code: u8,
    },
    /// An interrupt came first.
    NotChecked,
}

/// A check with a report.
pub struct Finished {
    pub report: Report,
    pub interrupted: bool,
    pub dialect: &'static Dialect,
    /// The counterexample as people see it.
    pub shown: String,
    /// The file with the trail of the first violation.
    pub trail: Option<String>,
    /// What to type to see the violation again.
    pub replay: Option<String>,
}

/// The exit code of a check without a verdict: bad usage or a bad model.
pub const BAD: u8 = 2;
/// The exit code of a fault of this program.
pub const INTERNAL: u8 = 4;

impl ModelResult {
    /// The exit code of a call with this model alone. A model that was not checked has none.
    pub fn exit_code(&self) -> Option<u8> {
        match &self.finding {
            Finding::Checked(finished) => Some(finished.exit_code()),
            Finding::Failed { exit_code, .. } => Some(*exit_code),
            Finding::NotChecked => None,
        }
    }
}

impl Finished {
    pub fn exit_code(&self) -> u8 {
        match self.report.verdict {
            _ if self.interrupted => crate::interrupt::EXIT_CODE,
            Verdict::Holds => 0,
            Verdict::Violated => 1,
            Verdict::HoldsUpToBounds | Verdict::NoErrorFound | Verdict::Inconclusive => 3,
        }
    }
}

/// The first error among diagnostics: what is shown where there is room for one.
pub fn first_error(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    diagnostics.iter().find(is_error).or(diagnostics.first())
}

/// A diagnostic as plain text of several lines, without a line end.
pub fn diagnostic_text(diagnostic: &Diagnostic) -> String {
    let Diagnostic { severity, code, message, location, label, labels, notes, help } = diagnostic;
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let code = code.as_ref().map_or(String::new(), |code| format!("[{code}]"));
    let mut lines = vec![format!("{severity}{code}: {message}")];
    if let Some(extent) = location {
        let label = label.as_ref().map_or(String::new(), |label| format!(": {label}"));
        lines.push(format!("  at {}{label}", position(&extent.start)));
        lines.push(format!("    {}", extent.start.text));
    }
    lines.extend(labels.iter().map(|label| {
        let colon = if label.message.is_empty() { "" } else { ": " };
        format!("  at {}{colon}{}", position(&label.location.start), label.message)
    }));
    lines.extend(notes.iter().map(|note| format!("  note: {note}")));
    lines.extend(help.iter().map(|help| format!("  help: {help}")));
    lines.join("\n")
}

/// `file:line:column`.
pub fn position(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

/// The one place to show for a violation: its own; for a deadlock, where the first thread is stuck; for a
/// cycle, its first step; otherwise the last step. A place in a formula of the command line is in no file.
pub fn main_place(violation: &Violation) -> Option<&Place> {
    let Trace { steps, cycle, ends_in, .. } = &violation.trace;
    let blocked = || Some(&ends_in.as_ref()?.blocked.first()?.location);
    let cycle = || Some(&steps.get(cycle.as_ref()?.start)?.location);
    let last = || Some(&steps.last()?.location);
    let own = violation.location.as_ref().filter(|place| is_in_file(place));
    own.or_else(blocked).or_else(cycle).or_else(last)
}

/// Whether a place is in a file, and not in a formula of the command line.
pub fn is_in_file(place: &Place) -> bool {
    place.file != LTL
}
