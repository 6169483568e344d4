//! The command `quotient`.

mod args;
mod commands;
mod files;
mod interrupt;
mod progress;
mod render;
mod units;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use commands::Failure;

fn main() -> ExitCode {
    reset_broken_pipes();
    let result = std::panic::catch_unwind(|| match Cli::parse().command {
        Command::Check(args) => commands::check(&args),
        Command::Replay(args) => commands::replay(&args),
        Command::Simulate(args) => commands::simulate(&args),
        Command::Print(args) => commands::print(&args),
        Command::Graph(args) => commands::graph(&args),
    });
    match result {
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => failure.report(),
        Err(_) => Failure::Internal("this is a bug in quotient, not in the model".to_owned()).report(),
    }
}

/// Output that nobody reads any more (`quotient … | head`) ends the program quietly, with the code that
/// signals give, rather than with a panic.
fn reset_broken_pipes() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        if text.contains("failed printing to stdout") && text.contains("Broken pipe") {
            std::process::exit(141);
        }
        default(info);
    }));
}
