//! The command `quotient`.

mod args;
mod commands;
mod document;
mod explain;
mod files;
mod interrupt;
mod junit;
mod markdown;
mod msc;
mod out;
mod printer;
mod progress;
mod reference;
mod render;
mod report_page;
mod result;
mod run;
mod sarif;
mod summary;
mod trace;
mod uri;
mod view;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use check::report::Diagnostic;
use clap::Parser;
use clap::error::ErrorKind;

use args::{Cli, Command};
use commands::Failure;
use document::Document;
use terminal::units;

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => return misused(&error),
    };
    let result = std::panic::catch_unwind(|| match &command {
        Command::Check(args) => commands::check(args),
        Command::Resume(args) => commands::resume(args),
        Command::Replay(args) => commands::replay(args),
        Command::Simulate(args) => commands::simulate(args),
        Command::Print(args) => commands::print(args),
        Command::Graph(args) => commands::graph(args),
        Command::Explore(args) => commands::explore(args),
        Command::Fmt(args) => commands::fmt(args),
        Command::Lsp(_) => Ok(commands::lsp()),
        Command::Explain(args) => explain::explain(args),
        Command::Completions(args) => reference::completions(args),
        Command::Man(args) => reference::man(args),
    });
    let failed = |failure: Failure| failure.report(command.document());
    let code = match result {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => failed(failure),
        Err(_) => failed(Failure::bug()),
    };
    if command.document().is_none()
        && let Some(hint) = explain::hint()
    {
        drop(writeln!(std::io::stderr(), "\n{hint}"));
    }
    code
}

/// Help that was asked for, or a command line that makes no sense. The latter is printed as a document as
/// well, if one was asked for: not where options exclude each other, since `--format json` may be the one
/// that was not meant.
fn misused(error: &clap::Error) -> ExitCode {
    // If it cannot be printed, the exit code still shows it.
    drop(error.print());
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let is_clear = error.use_stderr() && error.kind() != ErrorKind::ArgumentConflict;
    if is_clear && let Some(document) = wanted_document(std::env::args_os().skip(1)) {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let message = lines.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let notes = lines.map(str::to_owned).collect();
        let diagnostic = Diagnostic { notes, ..Diagnostic::error(message) };
        drop(document.print_failed(None, &[diagnostic], code));
    }
    ExitCode::from(code)
}

/// The document that the words of a command line ask for, however wrong the others are.
fn wanted_document(words: impl Iterator<Item = OsString>) -> Option<Document> {
    let words: Vec<OsString> = words.collect();
    let asks_for = |format: &str| {
        let option = OsString::from(format!("--format={format}"));
        words.contains(&option) || words.windows(2).any(|pair| pair == ["--format", format])
    };
    let documents = [("json", Document::Json), ("junit", Document::Junit), ("sarif", Document::Sarif)];
    documents.into_iter().find(|(format, _)| asks_for(format)).map(|(_, document)| document)
}
