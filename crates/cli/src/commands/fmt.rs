//! `quotient fmt`: models in BIR, formatted.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use check::{Formatted, Language, Provider, Rejected};

use super::failure::{Failure, Outcome, usage};
use super::load::for_errors;
use crate::args::FmtArgs;
use crate::explain;
use crate::files::{Disk, Output};
use crate::result::BAD;

/// The exit code of `--check` if a file is not formatted.
const UNFORMATTED: u8 = 1;

/// Standard input, under the name of a model.
struct Stdin(Vec<u8>);

impl Provider for Stdin {
    fn read(&self, _: &str) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}

pub fn fmt(args: &FmtArgs) -> Outcome {
    let mut code = 0;
    for path in &args.files {
        match one(path, args.check) {
            Ok(true) => {}
            Ok(false) => code = code.max(UNFORMATTED),
            // The other files are formatted all the same.
            Err(failure @ (Failure::Rejected { .. } | Failure::InReport(_))) => {
                failure.say();
                code = BAD;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(ExitCode::from(code))
}

/// Formats a file, or says whether it is formatted.
fn one(path: &Path, checks: bool) -> Result<bool, Failure> {
    let name = path.to_str().ok_or_else(|| usage("the name of the model is not valid UTF-8"))?;
    let is_stdin = name == "-";
    if !is_stdin && Language::of(name) != Language::Bir {
        return Err(usage(format!("`{name}` is not a model in BIR, and only these are formatted")));
    }
    let formatted = if is_stdin {
        let mut bytes = Vec::new();
        io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| usage(format!("cannot read standard input: {error}")))?;
        Formatted::of(&Stdin(bytes), "<stdin>")
    } else {
        Formatted::of(&Disk::default(), name)
    };
    let Formatted { before, after } = formatted.map_err(|rejected: Rejected| {
        explain::remember(rejected.diagnostics.iter().map(|diagnostic| diagnostic.code));
        Failure::Rejected { text: rejected.render(for_errors()), diagnostics: rejected.list() }
    })?;
    let is_formatted = before == after;
    if checks {
        if !is_formatted {
            writeln!(io::stdout(), "{}", if is_stdin { "<stdin>" } else { name })?;
        }
        return Ok(is_formatted);
    }
    if is_stdin {
        io::stdout().write_all(after.as_bytes())?;
    } else if !is_formatted {
        let cannot = |reason: String| usage(format!("cannot write `{name}`: {reason}"));
        let output = Output::new(&PathBuf::from(path), &Disk::default()).map_err(cannot)?;
        output.write_whole(&after).map_err(|error| cannot(error.to_string()))?;
    }
    Ok(true)
}
