//! Documents that programs read: which ones there are, and those about a command that has no result.

use std::io::{self, Write as _, stdout};
use std::path::Path;

use check::report::{Diagnostic, Failed};

use crate::junit::Junit;
use crate::result::{Finding, ModelResult};
use crate::sarif::Sarif;

/// A format for programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Document {
    Json,
    Junit,
    Sarif,
}

impl Document {
    /// Prints that there is no result, and why. The exit code is part of some documents.
    pub fn print_failed(
        self,
        model: Option<&Path>,
        diagnostics: &[Diagnostic],
        exit_code: u8,
    ) -> io::Result<()> {
        let result = || ModelResult {
            model: model.map_or(String::new(), |model| model.to_string_lossy().into_owned()),
            finding: Finding::Failed { diagnostics: diagnostics.to_vec(), exit_code },
        };
        match self {
            Self::Json => print_json(&Failed::new(model.and_then(Path::to_str), diagnostics)),
            Self::Junit => {
                let mut junit = Junit::default();
                junit.add(&result());
                write!(stdout(), "{}", junit.finish())
            }
            Self::Sarif => {
                let mut sarif = Sarif::new();
                sarif.add(&result());
                print_json(&sarif.finish(exit_code))
            }
        }
    }
}

/// Prints an object.
pub fn print_json(object: &impl serde::Serialize) -> io::Result<()> {
    writeln!(stdout(), "{}", serde_json::to_string_pretty(object).expect("it is plain data"))
}
