//! Commands about the command itself: completions for shells, and the manual page.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{Cli, EXAMPLES};
use crate::commands::{Failure, usage};

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell that completes the command line
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// The command that the page is about [default: a page about quotient and its commands]
    pub command: Option<String>,
}

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut text);
    io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    // The page of a command is found under its whole name: `man quotient-check`.
    let about = match args.command.as_deref() {
        None => Some(&whole),
        Some(name) => whole.find_subcommand(name),
    };
    let Some(about) = about.cloned() else {
        let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
        let name = args.command.as_deref().unwrap_or_default();
        return Err(usage(format!("there is no command `{name}`, but {}", names.join(", "))));
    };
    let source = format!("{} {}", whole.get_name(), env!("CARGO_PKG_VERSION"));
    let has_commands = about.has_subcommands();
    let page = Man::new(about).source(source).manual("User Commands");
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    if has_commands {
        page.render_subcommands_section(&mut text)?;
        text.extend(EXAMPLES.split("\n\n").flat_map(|part| verbatim_section(part).into_bytes()));
    }
    io::stdout().write_all(with_breaks(&String::from_utf8_lossy(&text)).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// A section whose lines stay as they are. Its title is the first line.
fn verbatim_section(text: &str) -> String {
    let (title, lines) = text.split_once('\n').unwrap_or((text, ""));
    let title = title.trim_end_matches(':').to_uppercase();
    let lines = lines.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    format!(".SH {title}\n.nf\n{lines}\n.fi\n")
}

/// Puts line breaks around lines that are rows of a table: those with several spaces in a row.
fn with_breaks(page: &str) -> String {
    let is_row = |line: &str| !line.starts_with(['.', ' ']) && line.trim_end().contains("  ");
    let mut out = String::new();
    let mut after_row = false;
    for line in page.lines() {
        if is_row(line) || after_row && !line.starts_with('.') {
            out += ".br\n";
        }
        after_row = is_row(line);
        out += line;
        out.push('\n');
    }
    out
}
