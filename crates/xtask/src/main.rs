//! Tasks that need other tools than cargo: the comparisons with SPIN.

mod automata;
mod bench;
mod browser;
mod compare;
mod growth;
mod kinds;
mod known;
mod measure;
mod minimise;
mod model;
mod ours;
mod page;
mod por;
mod process;
mod random;
mod spin;
mod startup;
mod suite;
mod table;
mod temporal;
mod trails;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compare verdicts, errors, states and transitions with SPIN's
    Spin(suite::SpinArgs),
    /// Compare verdicts and states with reductions, ours beside SPIN's
    Por(por::PorArgs),
    /// Compare the sizes of automata of formulas with SPIN's
    Automata(automata::AutomataArgs),
    /// Replay the counterexamples of each tool with the other
    Trails(trails::TrailsArgs),
    /// Measure what minimisation does to the counterexamples of all bundled models
    Minimise(minimise::MinimiseArgs),
    /// Measure the time from source to verdict
    Startup(startup::StartupArgs),
    /// Measure time, speed and memory of large explorations, against SPIN
    Bench(bench::BenchArgs),
    /// Drive the explorer in a browser: needs chromium and chromium-driver
    Browser(browser::BrowserArgs),
    /// Measure how speed and memory change as states come to be many
    Growth(growth::GrowthArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Spin(args) => suite::run(&args),
        Task::Por(args) => por::run(&args),
        Task::Automata(args) => automata::run(&args),
        Task::Trails(args) => trails::run(&args),
        Task::Minimise(args) => minimise::run(&args),
        Task::Startup(args) => startup::run(&args).map(|()| true),
        Task::Bench(args) => bench::run(&args).map(|()| true),
        Task::Browser(args) => browser::run(&args),
        Task::Growth(args) => growth::run(&args).map(|()| true),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
