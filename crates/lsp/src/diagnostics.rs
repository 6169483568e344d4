//! Diagnostics of front ends and of checks, as the protocol has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Position, Range, Uri,
};
use source::Severity;

use crate::analysis::Analysed;
use crate::checks::{Spot, Violation};
use crate::uri::uri_of;

const SOURCE: &str = "quotient";

/// Where codes are explained.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/book/src/");

/// The diagnostics of a model, by the path of the file that they are shown in.
pub fn of_model(analysed: &Analysed, root: &str, is_promela: bool) -> BTreeMap<String, Vec<Diagnostic>> {
    let map = &analysed.analysis.map;
    let mut all: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for diagnostic in analysed.analysis.diagnostics.iter() {
        let primary = diagnostic.primary.as_ref().filter(|label| analysed.uri(label.span.file).is_some());
        let (path, range) = match primary {
            Some(label) => (analysed.path(label.span.file).to_owned(), analysed.range(label.span)),
            // What concerns a file as a whole is shown at its start.
            None => (root.to_owned(), Range::default()),
        };
        let mut message = diagnostic.message.clone();
        if let Some(label) = primary.filter(|label| !label.text.is_empty()) {
            let _ = write!(message, "\n{}", label.text);
        }
        for note in diagnostic.notes(map) {
            let _ = write!(message, "\nnote: {note}");
        }
        for help in &diagnostic.help {
            let _ = write!(message, "\nhelp: {help}");
        }
        let related = diagnostic.labels(map).into_iter().filter_map(|label| {
            let message = if label.text.is_empty() { "here".to_owned() } else { label.text };
            Some(DiagnosticRelatedInformation { location: analysed.location(label.span)?, message })
        });
        let related: Vec<_> = related.collect();
        let is_unused = diagnostic.message.contains("never used");
        all.entry(path).or_default().push(Diagnostic {
            range,
            severity: Some(match diagnostic.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(diagnostic.code.to_owned())),
            code_description: description(diagnostic.code, is_promela),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
            data: None,
        });
    }
    for remark in analysed.analysis.diagnostics.remarks() {
        all.entry(root.to_owned()).or_default().push(Diagnostic {
            range: Range::default(),
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some(SOURCE.to_owned()),
            message: remark,
            ..Diagnostic::default()
        });
    }
    all
}

fn description(code: &str, is_promela: bool) -> Option<CodeDescription> {
    let page = if is_promela { "promela/diagnostics.md" } else { "diagnostics.md" };
    let href = format!("{PAGES}{page}#{}", code.to_lowercase()).parse::<Uri>().ok()?;
    Some(CodeDescription { href })
}

/// The violation that a check found, and the path of the file that it is shown in. `home` is the place of what was
/// checked, for a violation without a place.
pub fn of_violation(violation: &Violation, home: &Spot) -> (String, Diagnostic) {
    let at = violation.at.as_ref().filter(|at| uri_of(&at.path).is_some()).unwrap_or(home);
    let related = violation.steps.iter().filter_map(|(at, text)| {
        let location = Location { uri: uri_of(&at.path)?, range: at.range };
        Some(DiagnosticRelatedInformation { location, message: text.clone() })
    });
    let related: Vec<_> = related.collect();
    let mut message = format!("{}: {}", violation.kind, violation.message);
    if violation.more > 0 {
        let _ = write!(message, "\nnote: {} more steps are not listed", violation.more);
    }
    let diagnostic = Diagnostic {
        range: at.range,
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(violation.kind.clone())),
        source: Some("quotient check".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    };
    (at.path.clone(), diagnostic)
}

/// The start of a file.
pub fn start_of(path: &str) -> Spot {
    let start = Position::default();
    Spot { path: path.to_owned(), range: Range { start, end: start } }
}
