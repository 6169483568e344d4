//! The command `check`.

use std::time::Instant;

use clap::ArgMatches;
use quotient_model::{
    Fairness, Goals, Model, Order, Program, Report, StoreKind, Symmetry, SymmetryCheck, Verdict,
};
use terminal::interrupt;
use terminal::progress::Line;

use crate::options::{count, text, time};
use crate::report::{Finished, Rank};
use crate::trail::{self, Trail};
use crate::{BAD, Command, Failure, Streams};

/// The usual array of the bitstate store, as a power of two.
const ARENA: u32 = 30;

pub fn check<M: Model>(
    command: Command<M>,
    name: &str,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let store = store(matches)?;
    let order = order(matches, store)?;
    let (mut program, sizes) = command.sized(matches, &[]);
    let quiet = matches.get_flag("quiet");
    let memory = matches.get_one::<u64>("memory").copied();
    let mut line = Line::new(quiet, memory);
    let interrupted = interrupt::flag(|| {});
    let started = Instant::now();
    let mut samples: Vec<(f64, f64)> = Vec::new();
    let report = run(&mut program, matches, order, store, &mut line, &mut samples)?;
    let seconds = started.elapsed().as_secs_f64();
    line.clear();
    match &report.verdict {
        Verdict::Refused(reason) => return Err(Failure::new(reason.clone())),
        Verdict::NotAFunction(difference) => {
            return Err(Failure::new(format!(
                "this model is not a function of its state: {difference}\n  It iterates over a hash map, or asks for the \
                 time or for random numbers, or keeps something outside of its state."
            )));
        }
        Verdict::Violated(_) | Verdict::Holds | Verdict::HoldsUpTo(_) => {}
    }
    let mut finished = Finished {
        name,
        program: &program,
        report: &report,
        rank: Rank::of(&report, store),
        order,
        store,
        symmetry: text(matches, "symmetry").unwrap_or("full"),
        tested: text(matches, "symmetry-check").unwrap_or("sample"),
        fairness: text(matches, "fairness").unwrap_or("none"),
        memory,
        seed: count(matches, "seed").unwrap_or(0),
        seconds,
        trail: None,
    };
    let is_json = text(matches, "format") == Some("json");
    let mut recorded = None;
    if let Verdict::Violated(violation) = &report.verdict
        && violation.initial.is_some()
    {
        let file = text(matches, "trail").map_or_else(|| format!("{name}.trail.json"), str::to_owned);
        if file == "-" && is_json {
            return Err(Failure::new("the report and the trail cannot both go to standard output"));
        }
        recorded = Some(Trail::of_violation(name, &sizes, violation).json().to_string());
        trail::write(&file, &Trail::of_violation(name, &sizes, violation), streams.out)?;
        finished.trail = Some(file);
    }
    if let Some(file) = text(matches, "report") {
        let html = finished.page(recorded, &samples);
        std::fs::write(file, html)
            .map_err(|error| Failure::new(format!("cannot write `{file}`: {error}")))?;
    }
    let is_trail_shown = finished.trail.as_deref() == Some("-");
    if is_json {
        writeln!(streams.out, "{}", finished.json())?;
    } else if is_trail_shown {
        streams.err.write_all(finished.human(quiet).as_bytes())?;
    } else {
        streams.out.write_all(finished.human(quiet).as_bytes())?;
    }
    if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        return Ok(interrupt::EXIT_CODE);
    }
    Ok(match report.verdict {
        Verdict::Holds => 0,
        Verdict::Violated(_) => 1,
        Verdict::HoldsUpTo(_) => 3,
        Verdict::NotAFunction(_) | Verdict::Refused(_) => BAD,
    })
}

fn run<M: Model>(
    program: &mut Program<M>,
    matches: &ArgMatches,
    order: Order,
    store: StoreKind,
    line: &mut Line,
    samples: &mut Vec<(f64, f64)>,
) -> Result<Report<M::State, M::Action>, Failure> {
    let goals = match text(matches, "property") {
        _ if matches.get_flag("safety") => Goals::Safety,
        Some(name) => {
            let formulas = program.property_names().formulas;
            if !formulas.iter().any(|(other, _)| *other == name) {
                let names: Vec<String> = formulas.iter().map(|(name, _)| format!("`{name}`")).collect();
                let known = if names.is_empty() {
                    "it has none".to_owned()
                } else {
                    format!("it has {}", names.join(", "))
                };
                return Err(Failure::new(format!("the model has no temporal property `{name}`: {known}")));
            }
            Goals::Formula(name.to_owned())
        }
        None => Goals::All,
    };
    let mut check = program
        .check()
        .order(order)
        .store(store)
        .goals(goals)
        .interrupt(interrupt::flag(|| {}))
        .progress(|progress| {
            samples.push((progress.states as f64, progress.store_bytes as f64));
            line.show(progress);
        })
        .symmetry(if text(matches, "symmetry") == Some("none") { Symmetry::None } else { Symmetry::Full })
        .symmetry_check(match text(matches, "symmetry-check") {
            Some("all") => SymmetryCheck::All,
            Some("off") => SymmetryCheck::Off,
            _ => SymmetryCheck::Sample,
        })
        .fairness(match text(matches, "fairness") {
            Some("weak") => Fairness::Weak,
            Some("strong") => Fairness::Strong,
            _ => Fairness::None,
        });
    if let Some(formula) = text(matches, "ltl") {
        check = check.formula(formula);
    }
    if let Some(states) = count(matches, "max-states") {
        check = check.max_states(usize::try_from(states).unwrap_or(usize::MAX));
    }
    if let Some(depth) = count(matches, "max-depth") {
        check = check.max_depth(u32::try_from(depth).unwrap_or(u32::MAX));
    }
    if let Some(bytes) = count(matches, "memory") {
        check = check.memory(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Some(limit) = time(matches) {
        check = check.time(limit);
    }
    check = check.minimise(text(matches, "minimise") != Some("off"));
    if matches.get_flag("continue") {
        check = check.keep_going();
    }
    Ok(check.run())
}

fn store(matches: &ArgMatches) -> Result<StoreKind, Failure> {
    let kind = text(matches, "store").unwrap_or("trie");
    let (bytes, arena) = (matches.get_one::<u32>("hash-bytes"), matches.get_one::<u32>("arena"));
    if bytes.is_some() && kind != "compact" {
        return Err(Failure::new("--hash-bytes is for --store compact"));
    }
    if arena.is_some() && kind != "bitstate" {
        return Err(Failure::new("--arena is for --store bitstate"));
    }
    Ok(match kind {
        "exact" => StoreKind::Exact,
        "collapse" => StoreKind::Collapse,
        "gzip" => StoreKind::Gzip,
        "automaton" => StoreKind::Automaton,
        "collapse+automaton" => StoreKind::CollapseAutomaton,
        "compact" => StoreKind::Compact(bytes.copied().unwrap_or(8)),
        "bitstate" => StoreKind::Bitstate(arena.copied().unwrap_or(ARENA)),
        _ => StoreKind::Trie,
    })
}

/// Whether a store gives states back.
const fn rebuilds(store: StoreKind) -> bool {
    matches!(store, StoreKind::Trie | StoreKind::Exact | StoreKind::Collapse | StoreKind::Gzip)
}

fn order(matches: &ArgMatches, store: StoreKind) -> Result<Order, Failure> {
    match text(matches, "search") {
        Some("dfs") => Ok(Order::DepthFirst),
        Some(_) if !rebuilds(store) => Err(Failure::new(format!(
            "--store {} needs --search dfs: it does not give states back",
            text(matches, "store").unwrap_or("trie")
        ))),
        Some(_) => Ok(Order::BreadthFirst),
        None if rebuilds(store) => Ok(Order::BreadthFirst),
        None => Ok(Order::DepthFirst),
    }
}
