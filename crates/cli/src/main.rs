//! The command `quotient`.

mod args;
mod commands;
mod files;
mod interrupt;
mod msc;
mod progress;
mod render;
mod units;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use commands::Failure;

fn main() -> ExitCode {
    end_on_lost_output();
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
/// signals give, and output that cannot be written (a full disk) with an error: neither is a bug in here.
fn end_on_lost_output() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        if text.starts_with("failed printing to std") {
            if text.contains("Broken pipe") {
                std::process::exit(141);
            }
            // This can fail as well, and then nobody is left to be told.
            drop(writeln!(std::io::stderr(), "error: {text}"));
            std::process::exit(2);
        }
        default(info);
    }));
}
