//! Why a command has no result, and what is said about it.

use std::io::{self, ErrorKind, Write as _, stdout};
use std::path::Path;
use std::process::ExitCode;

use quotient::CheckError;
use quotient::report::{self, Diagnostic};

use crate::interrupt;

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
