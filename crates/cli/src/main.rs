//! The command `quotient`.

mod args;
mod commands;
mod explain;
mod files;
mod interrupt;
mod markdown;
mod msc;
mod out;
mod progress;
mod reference;
mod render;
mod run;
mod units;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use quotient::report::{Diagnostic, Failed};

use args::{Cli, Command};
use commands::Failure;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => return misused(&error),
    };
    let result = std::panic::catch_unwind(|| match &command {
        Command::Check(args) => commands::check(args),
        Command::Replay(args) => commands::replay(args),
        Command::Simulate(args) => commands::simulate(args),
        Command::Print(args) => commands::print(args),
        Command::Graph(args) => commands::graph(args),
        Command::Explain(args) => explain::explain(args),
        Command::Completions(args) => reference::completions(args),
        Command::Man(args) => reference::man(args),
    });
    let failed = |failure: Failure| failure.report(command.json());
    let code = match result {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => failed(failure),
        Err(_) => failed(Failure::Internal("this is a bug in quotient, not in the model".to_owned())),
    };
    if command.json().is_none()
        && let Some(hint) = explain::hint()
    {
        drop(writeln!(std::io::stderr(), "\n{hint}"));
    }
    code
}

/// Help that was asked for, or a command line that makes no sense. The latter is printed in JSON as well, if
/// that was asked for: not where options exclude each other, since `--format json` may be the one that was
/// not meant.
fn misused(error: &clap::Error) -> ExitCode {
    // If it cannot be printed, the exit code still shows it.
    drop(error.print());
    let is_clear = error.use_stderr() && error.kind() != ErrorKind::ArgumentConflict;
    if is_clear && asks_for_json(std::env::args_os().skip(1)) {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let message = lines.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let notes = lines.map(str::to_owned).collect();
        let diagnostic = Diagnostic { notes, ..Diagnostic::error(message) };
        drop(commands::print_json(&Failed::new(None, &[diagnostic])));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Whether the words of a command line ask for JSON, however wrong the others are.
fn asks_for_json(words: impl Iterator<Item = OsString>) -> bool {
    let words: Vec<OsString> = words.collect();
    words.contains(&"--format=json".into()) || words.windows(2).any(|pair| pair == ["--format", "json"])
}
