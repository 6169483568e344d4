//! Why a command has no result, and what is said about it.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use check::CheckError;
use check::report::Diagnostic;

use crate::document::Document;
use crate::interrupt;
use crate::result::{BAD, INTERNAL};

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
    /// A panic, whose message was printed already.
    pub fn bug() -> Self {
        Self::Internal("this is a bug in quotient, not in the model".to_owned())
    }

    /// Says what is wrong, and gives the exit code. If the result was to be a document, there is one about
    /// it, and about the model, if there is one only.
    pub fn report(self, document: Option<(Document, Option<&Path>)>) -> ExitCode {
        self.say();
        let code = self.exit_code();
        if let (Some((document, model)), Some(diagnostics)) = (document, self.diagnostics()) {
            // There is an exit code all the same.
            drop(document.print_failed(model, &diagnostics, code));
        }
        ExitCode::from(code)
    }

    /// Says what is wrong.
    pub fn say(&self) {
        let text = match self {
            Self::Rejected { text, .. } | Self::InReport(text) => text.clone(),
            Self::Internal(text) => {
                format!("internal error: {text}\nPlease report it together with the model.\n")
            }
            Self::Interrupted => "interrupted\n".to_owned(),
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => String::new(),
            Self::Output(error) => format!("error: failed printing to stdout: {error}\n"),
        };
        // If this fails, the exit code still shows it.
        drop(write!(io::stderr(), "{text}"));
    }

    /// Says what is wrong with one of several models. What has a place, or is about a file, names it.
    pub fn say_of(&self, model: &str) {
        let names_itself =
            |diagnostic: &Diagnostic| diagnostic.location.is_some() || diagnostic.code.is_some();
        if !self.diagnostics().is_some_and(|diagnostics| diagnostics.iter().any(names_itself)) {
            drop(write!(io::stderr(), "{model}: "));
        }
        self.say();
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Internal(_) => INTERNAL,
            Self::Interrupted => interrupt::EXIT_CODE,
            Self::Output(error) if error.kind() == ErrorKind::BrokenPipe => LOST_OUTPUT,
            Self::Rejected { .. } | Self::InReport(_) | Self::Output(_) => BAD,
        }
    }

    /// What a document says of it, if no document was printed and one can be.
    pub fn diagnostics(&self) -> Option<Vec<Diagnostic>> {
        match self {
            Self::Rejected { diagnostics, .. } => Some(diagnostics.clone()),
            Self::Internal(text) => Some(vec![Diagnostic::error(format!("internal error: {text}"))]),
            Self::InReport(_) | Self::Interrupted | Self::Output(_) => None,
        }
    }
}

/// The exit code if the reader of the output is gone: that of the signal for it.
const LOST_OUTPUT: u8 = 141;

pub fn usage(text: impl std::fmt::Display) -> Failure {
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

pub type Outcome = Result<ExitCode, Failure>;

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
}
