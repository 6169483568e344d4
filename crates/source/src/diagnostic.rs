//! Messages about a model that is wrong, or that looks wrong.

use crate::{SourceMap, Span, Style, render};

/// The largest number of errors, and of warnings, that a run reports.
pub const MAX_REPORTED: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// A place and a message about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    /// May be empty; then the place is only marked.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable across versions, for users to search for: `E0102`, `W0701`.
    pub code: &'static str,
    pub message: String,
    /// The place that is at fault. Faults of the command line have none.
    pub primary: Option<Label>,
    pub secondary: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: &'static str, message: String) -> Self {
        Self {
            severity,
            code,
            message,
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Marks a further place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    pub fn render(&self, map: &SourceMap, style: Style) -> String {
        render::render(self, map, style)
    }

    /// The further places, with the definition of the macro that is at fault.
    pub fn labels(&self, map: &SourceMap) -> Vec<Label> {
        self.secondary.iter().cloned().chain(render::definition(self, map)).collect()
    }

    /// The notes, followed by the path from derived text to the text that the user wrote.
    pub fn notes(&self, map: &SourceMap) -> Vec<String> {
        self.notes.iter().cloned().chain(render::origins(self, map)).collect()
    }

    fn position(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}

/// The diagnostics of a run. It keeps up to [`MAX_REPORTED`] of each severity, and counts the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    stopped: bool,
}

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_REPORTED {
            self.items.push(diagnostic);
        }
    }

    /// The number of errors, including those beyond the cap.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The number of warnings, including those beyond the cap.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a further error would not be shown. Then a front end may stop.
    pub fn is_full(&self) -> bool {
        self.errors >= MAX_REPORTED
    }

    /// Records that the rest of the input was not examined because there were too many errors.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Drops the warnings: next to errors they are noise, or consequences.
    pub fn without_warnings(mut self) -> Self {
        self.items.retain(|item| item.severity == Severity::Error);
        self.warnings = 0;
        self
    }

    /// In order of their places; those without a place come first.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        let mut sorted: Vec<_> = self.items.iter().collect();
        sorted.sort_by_key(|item| item.position());
        sorted.into_iter()
    }

    /// All diagnostics as text, separated by empty lines.
    pub fn render(&self, map: &SourceMap, style: Style) -> String {
        let mut parts: Vec<_> = self.iter().map(|item| item.render(map, style)).collect();
        parts.extend(self.remarks().into_iter().map(|text| format!("note: {text}")));
        let mut text = parts.join("\n\n");
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    /// Remarks about diagnostics that were left out.
    pub fn remarks(&self) -> Vec<String> {
        let more = |count: usize, noun: &str| match count.saturating_sub(MAX_REPORTED) {
            0 => None,
            1 => Some(format!("1 more {noun} is not shown")),
            more => Some(format!("{more} more {noun}s are not shown")),
        };
        let stopped = "too many errors, the rest of the input was not looked at".to_owned();
        let stopped = self.stopped.then_some(stopped);
        [stopped, more(self.errors, "error"), more(self.warnings, "warning")].into_iter().flatten().collect()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut all = Self::new();
        all.push(diagnostic);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn they_are_sorted_and_capped() {
        let mut all = Diagnostics::new();
        for start in (0..60).rev() {
            all.push(Diagnostic::error("E0000", "bad").at(Span::new(FileId(0), start, start + 1), ""));
            assert_eq!(all.is_full(), start <= 10);
        }
        all.push(Diagnostic::warning("W0000", "odd"));
        let starts: Vec<_> = all.iter().map(|item| item.position().map(|span| span.start)).collect();
        assert_eq!(starts.len(), 51);
        assert!(starts.is_sorted());
        assert_eq!((all.errors(), all.warnings()), (60, 1));
        let mut map = SourceMap::new();
        map.add("a", &"x".repeat(60)).unwrap();
        assert!(all.render(&map, Style::Plain).ends_with("note: 10 more errors are not shown\n"));
    }
}
