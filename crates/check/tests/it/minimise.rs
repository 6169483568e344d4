//! Minimised counterexamples, on random models: the same violation, by a run that is not worse.
//!
//! The plain interpreter takes each of them again. Where one is said to be shortest, the oracle is a search
//! breadth first that leaves nothing out; where it is a run that violates a property, it is the evaluation of
//! that property.

use std::collections::BTreeMap;
use std::sync::Arc;

use quotient_check::config::{Config, Fairness, Limits, Minimise, SearchKind};
use quotient_check::report::{Place, Violation};
use quotient_check::{Checked, FaultKind, Model, Quiet, Trace, TrailFile, replay, replay_property};
use testing::promela::{Purpose, program};
use testing::random_model;

/// Models with more states are left out.
const MOST_STATES: u64 = 3000;

fn load(name: &str, text: &str) -> Option<Model> {
    let files = BTreeMap::from([(name.to_owned(), text.as_bytes().to_vec())]);
    Model::load(&files, name, &[]).ok()
}

fn check(model: &Model, config: &Config, minimise: Minimise) -> Result<Checked, String> {
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let config = Config { minimise, limits, ..config.clone() };
    quotient_check::check(model, &config, 0, &Arc::default(), &mut Quiet)
        .map_err(|error| format!("{error:?}"))
}

fn switches(trace: &Trace) -> u64 {
    trace.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count() as u64
}

/// A message without its numbers.
fn class(message: &str) -> String {
    message.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

/// What makes two violations the same.
fn identity(violation: &Violation) -> (FaultKind, Option<Place>, String) {
    (violation.kind, violation.location.clone(), class(&violation.message))
}

/// How often there was what.
#[derive(Default, Debug)]
struct Seen {
    violations: u64,
    shorter: u64,
    calmer: u64,
    shortest: u64,
    /// Runs along cycles, runs that end, and runs that violate a property whatever happens next.
    cycles: u64,
    ended: u64,
    hopeless: u64,
}

/// The trail shows the violation on the plain interpreter.
fn replays(model: &Model, config: &Config, trail: &TrailFile, shown: &Violation) -> Result<(), String> {
    let recorded = trail.violation.as_ref().ok_or("a trail without a violation")?;
    let trace = match &recorded.property {
        Some(property) => {
            let is_fair = config.fairness == Fairness::Weak;
            if property.is_fair != is_fair {
                return Err("another fairness".to_owned());
            }
            replay_property(model, config.bounds, trail.steps(), property)?
        }
        None => replay(model, config.bounds, trail.steps(), Some(&recorded.kind))
            .map_err(|diverged| diverged.to_string())?,
    };
    let ending = trace.ends_in.ok_or("the run ends well")?;
    if (ending.kind, &ending.location) != (shown.kind, &shown.location)
        || trace.steps.len() as u64 != shown.steps
    {
        return Err(format!("the trail shows {ending:?}, and the report {shown:?}"));
    }
    Ok(())
}

/// Compares a counterexample with the one that the search found.
fn compare(model: &Model, config: &Config, seen: &mut Seen) -> Result<(), String> {
    let found = check(model, config, Minimise::Off)?;
    let shown = check(model, config, Minimise::On)?;
    let counts = |checked: &Checked| {
        let report = &checked.report;
        (report.verdict, report.states, report.transitions, report.violations.len())
    };
    if counts(&found) != counts(&shown) {
        return Err("another report".to_owned());
    }
    let (Some(old), Some(new)) = (&found.report.violation, &shown.report.violation) else {
        return if shown.report.violation.is_none() { Ok(()) } else { Err("a new violation".to_owned()) };
    };
    seen.violations += 1;
    let minimised = new.minimised.ok_or("nothing is said of minimisation")?;
    if old.minimised.is_some() {
        return Err("it was not switched off".to_owned());
    }
    if identity(old) != identity(new) {
        return Err(format!("{:?} became {:?}", identity(old), identity(new)));
    }
    let (before, after) = ((old.steps, switches(&old.trace)), (new.steps, switches(&new.trace)));
    if (minimised.from_steps, minimised.from_switches) != before || minimised.to_switches != after.1 {
        return Err(format!("{before:?} to {after:?}, and {minimised:?}"));
    }
    if after > before {
        return Err(format!("worse: {before:?} to {after:?}"));
    }
    seen.shorter += u64::from(after.0 < before.0);
    seen.calmer += u64::from(after.0 == before.0 && after.1 < before.1);
    replays(model, config, shown.trail.as_ref().ok_or("no trail")?, new)?;
    match new.trace.cycle {
        Some(cycle) if cycle.start as u64 == new.steps => seen.ended += 1,
        Some(_) => seen.cycles += 1,
        None if new.kind == FaultKind::AcceptanceCycle => seen.hopeless += 1,
        None => {}
    }
    if minimised.shortest {
        let all = Config {
            search: Some(SearchKind::Bfs),
            safety: true,
            keep_going: true,
            bounds: config.bounds,
            ..Config::unreduced()
        };
        let all = check(model, &all, Minimise::Off)?.report;
        let same = all.violations.iter().filter(|one| (one.kind, &one.location) == (new.kind, &new.location));
        let shortest =
            same.filter(|one| class(&one.message) == class(&new.message)).map(|one| one.steps).min();
        if all.states < MOST_STATES {
            seen.shortest += 1;
            if shortest != Some(new.steps) {
                return Err(format!("{} steps, and a shortest run has {shortest:?}", new.steps));
            }
        }
    }
    Ok(())
}

#[test]
fn counterexamples_of_random_models_are_minimised() {
    let mut seen = Seen::default();
    for seed in 0..testing::effort(250) {
        let text = random_model(seed);
        let Some(model) = load("random.bir", &text) else { continue };
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            let config = Config { search: Some(search), safety: true, ..Config::default() };
            if let Err(reason) = compare(&model, &config, &mut seen) {
                panic!("model {seed}, {search}: {reason}\n{text}");
            }
        }
    }
    assert!(seen.violations > 50 && seen.shorter > 0 && seen.calmer > 0 && seen.shortest > 20, "{seen:?}");
}

#[test]
fn counterexamples_of_random_promela_programs_are_minimised() {
    let mut seen = Seen::default();
    for index in 0..testing::effort(100) {
        let text = program(11, index, Purpose::Safety).to_string();
        let Some(model) = load("random.pml", &text) else { continue };
        for search in [SearchKind::Bfs, SearchKind::Dfs] {
            let config = Config { search: Some(search), safety: true, ..Config::default() };
            if let Err(reason) = compare(&model, &config, &mut seen) {
                panic!("program {index}, {search}: {reason}\n{text}");
            }
        }
    }
    assert!(seen.violations > 30 && seen.shorter > 0 && seen.calmer > 0 && seen.shortest > 10, "{seen:?}");
}

#[test]
fn infinite_runs_of_random_promela_programs_are_minimised() {
    let mut seen = Seen::default();
    for index in 0..testing::effort(25) {
        let text = program(13, index, Purpose::Properties).to_string();
        let Some(model) = load("random.pml", &text) else { continue };
        for fairness in [Fairness::None, Fairness::Weak] {
            for property in model.program.properties.iter().map(|property| property.name.clone()) {
                let config = Config { property: Some(property), fairness, ..Config::default() };
                if let Err(reason) = compare(&model, &config, &mut seen) {
                    panic!("program {index}, fairness {fairness}: {reason}\n{text}");
                }
            }
        }
    }
    assert!(seen.violations > 30 && seen.shorter > 0, "{seen:?}");
    assert!(seen.cycles > 0 && seen.ended > 0, "{seen:?}");
}

/// After a run that violates `[] (x < 2)`, it does not matter what comes next: all runs end in a fault.
#[test]
fn runs_after_which_nothing_matters_are_minimised() {
    let text = "system S {
  int x;
  int y;
  ltl Small = [] (x < 2);
  active thread A() {
    loc loc0: do { y := 1; } goto loc1;
    loc loc1: do { y := 2; } return;
  }
  active thread B() {
    loc loc0: do { x := 1; } goto loc1;
    loc loc1: do { x := 2; } goto loc2;
    loc loc2: do { assert false; } return;
  }
}
";
    let model = load("small.bir", text).expect("it compiles");
    let mut seen = Seen::default();
    let config = Config { property: Some("Small".to_owned()), ..Config::unreduced() };
    compare(&model, &config, &mut seen).unwrap_or_else(|reason| panic!("{reason}"));
    assert!(seen.hopeless == 1 && seen.shorter == 1, "{seen:?}");
    let shown = check(&model, &config, Minimise::On).expect("it is checked").report.violation;
    let shown = shown.expect("a violation");
    assert_eq!((shown.steps, switches(&shown.trace)), (2, 0));
}
