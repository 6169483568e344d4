//! Random temporal properties of random models, from their text to the verdict.
//!
//! Whatever the level of symmetry and wherever states are kept, the verdict is the same, with fairness and
//! without; and it is that of an [oracle] that shares nothing with the search. Every run that is said to
//! violate a property does so: the plain interpreter follows it.
//!
//! A model that shows a difference is made as small as possible and printed.

mod contention;
mod crowds;
mod divergence;
mod faults;
mod oracle;
mod props;
mod rounds;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ir::{Program, PropertyKind};
use naive::Naive;
use oracle::{Graph, is_hopeless};
use quotient_check::config::Sizes;
use quotient_check::config::{Bounds, Config, Fairness, OnBound, StoreKind, Switch, Symmetry};
use quotient_check::{FaultKind, Model, Quiet, Step, TrailFile, replay_property};
use testing::{SplitMix64, random_model, random_model_of_the_alike, random_processes_text, shrink};

use crate::common::oracle::interpreter;
use crate::random_models::widened;

/// The plain interpreter copies each of them for each step.
const MOST_STATES: usize = 400;

/// Properties of one model.
const PROPERTIES: u64 = 3;

fn models() -> u64 {
    testing::effort(150)
}

/// Bounds that some models exceed, and what that means.
fn bounds(seed: u64) -> Bounds {
    let mut random = SplitMix64::new(!seed);
    let mut between = |least: u32, most: u32| least + random.below((most - least + 1) as usize) as u32;
    let sizes = Sizes { threads: between(4, 7), frames: between(3, 6), objects: between(5, 12) };
    let on_bound = if seed.is_multiple_of(3) { OnBound::Error } else { OnBound::Truncate };
    Bounds { sizes, on_bound }
}

fn load(text: &str) -> Result<Model, String> {
    let files = BTreeMap::from([("random.bir".to_owned(), text.as_bytes().to_vec())]);
    Model::load(&files, "random.bir", &[]).map_err(|rejected| rejected.to_string())
}

/// A program that is no model's, with its text as if it were.
fn of_program(text: &str) -> Model {
    let mut map = source::SourceMap::new();
    let file = map.add("random.ir", text).expect("a file");
    let program = testing::program(text);
    Model { map, file, program, ..load("system S { active thread T() { } }").expect("it compiles") }
}

/// How often there was what.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    models: u64,
    properties: u64,
    /// Whole checks.
    checks: u64,
    states: u64,
    /// Properties that are violated, and those that are only if unfair runs count.
    violated: u64,
    unfair: u64,
    /// Properties that are violated only if runs count that are weakly and not strongly fair.
    weakly: u64,
    /// Properties of models with fair transitions, and those that are violated only without the marks.
    fair: u64,
    by_marks: u64,
    /// Runs with a cycle on which something moves, those that close up to names only, those that end, and
    /// beginnings of runs after which it does not matter what comes next.
    cycles: u64,
    renamed: u64,
    ended: u64,
    hopeless: u64,
    /// Properties of models that have states in the middle of something.
    unobserved: u64,
    /// Properties of models that have runs which stay there.
    diverging: u64,
    /// Runs that violate a property, and stay in the middle of something.
    unobserved_runs: u64,
    /// Properties that name an element of an abstract enum.
    pinned: u64,
    /// Checks under fairness in which threads were renamed, those of them that had to be repeated without,
    /// and those with ample steps.
    renamed_fair: u64,
    repeated: u64,
    reduced_fair: u64,
    /// Properties about each thread, and those of them that are violated.
    individuals: u64,
    by_individuals: u64,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.models += other.models;
        self.properties += other.properties;
        self.checks += other.checks;
        self.states += other.states;
        self.violated += other.violated;
        self.unfair += other.unfair;
        self.weakly += other.weakly;
        self.fair += other.fair;
        self.by_marks += other.by_marks;
        self.cycles += other.cycles;
        self.renamed += other.renamed;
        self.ended += other.ended;
        self.hopeless += other.hopeless;
        self.unobserved += other.unobserved;
        self.diverging += other.diverging;
        self.unobserved_runs += other.unobserved_runs;
        self.pinned += other.pinned;
        self.renamed_fair += other.renamed_fair;
        self.repeated += other.repeated;
        self.reduced_fair += other.reduced_fair;
        self.individuals += other.individuals;
        self.by_individuals += other.by_individuals;
    }
}

/// Whether a check says that the property of the model is violated, after a look at the run that it shows.
fn is_violated(
    model: &Model,
    config: &Config,
    expected: Option<bool>,
    seen: &mut Seen,
) -> Result<bool, String> {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet)
        .map_err(|error| format!("{error:?}"))?;
    seen.checks += 1;
    let is_violated =
        checked.report.violations.iter().any(|violation| violation.kind == FaultKind::AcceptanceCycle);
    // Runs that end in a fault are not judged, neither here nor by the oracle.
    let is_aside = |reason: &str| reason.contains("end in a fault") || reason.contains("not taken because");
    let reasons = checked.report.incomplete.as_deref().unwrap_or_default();
    let is_known = checked.report.verdict.as_str() != "inconclusive" || reasons.split("; ").all(is_aside);
    let is_repeated = config.symmetry != Symmetry::None && checked.report.symmetry.level == Symmetry::None;
    if is_repeated && config.symmetry == Symmetry::Full {
        return Err("canonical names do not lead along a cycle".to_owned());
    }
    if config.fairness != Fairness::None {
        let is_renamed = checked.report.symmetry.naming.is_some();
        seen.renamed_fair += u64::from(is_renamed);
        seen.repeated += u64::from(is_repeated);
        seen.reduced_fair += u64::from(checked.report.reduction.ample > 0);
    }
    if !is_violated && (expected == Some(true) || !is_known) {
        return Err(format!("no run was found, but there is one: {}", checked.report.verdict.as_str()));
    }
    let Some(TrailFile { violation: Some(violation), steps, .. }) = checked.trail else {
        return Ok(is_violated);
    };
    let Some(recorded) = violation.property else { return Ok(is_violated) };
    let steps: Vec<Step> = steps
        .iter()
        .map(|step| Step { thread: step.thread, transition: step.transition, choice: step.choice })
        .collect();
    let replayed = replay_property(model, config.bounds, steps.clone(), &recorded)?;
    if recorded.is_unevaluated {
        let shown = replayed.ends_in.map(|ending| ending.kind.to_string());
        return if shown.as_ref() == Some(&violation.kind) {
            Ok(is_violated)
        } else {
            Err(format!("{} is replayed as {shown:?}", violation.kind))
        };
    }
    let naive = interpreter(&model.program, config.bounds);
    match recorded.cycle_start {
        None if is_hopeless(&naive, &model.program.properties[0], recorded.individual, &steps) => {
            seen.hopeless += 1;
        }
        None => return Err("it depends on what comes next".to_owned()),
        Some(_) if expected == Some(false) => return Err("there is no such cycle".to_owned()),
        Some(start) if start == steps.len() => seen.ended += 1,
        Some(start) => {
            seen.cycles += 1;
            seen.unobserved_runs += u64::from(stays_unobserved(&naive, &steps, start));
        }
    }
    seen.renamed += u64::from(!recorded.is_closed);
    Ok(is_violated)
}

/// Whether the cycle of a run is in the middle of something.
fn stays_unobserved(naive: &Naive<'_>, steps: &[Step], start: usize) -> bool {
    let mut state = naive.initial();
    let mut is_observed = false;
    for (at, &step) in steps.iter().enumerate() {
        is_observed |= at >= start && state.exclusive.is_none();
        state = naive.fire(&state, step).expect("the step is possible");
    }
    !is_observed
}

/// Compares all ways to check one property.
fn agreement(model: &Model, bounds: Bounds, is_thorough: bool) -> Result<Seen, String> {
    let program = &model.program;
    let property = &program.properties[0];
    let PropertyKind::Formula(formula) = &property.kind else { unreachable!("only formulas are random") };
    let Some(graph) = Graph::of(&interpreter(program, bounds), property, MOST_STATES) else {
        return Ok(Seen::default());
    };
    let mut seen = Seen { properties: 1, states: graph.states() as u64, ..Seen::default() };
    let levels = [Symmetry::None, Symmetry::Heap, Symmetry::Full];
    let stores = [StoreKind::Trie, StoreKind::Exact, StoreKind::Collapse];
    let mut weakly = false;
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let expected = Some(graph.violates(formula, fairness));
        let mut verdicts = Vec::new();
        for (number, &symmetry) in levels.iter().enumerate() {
            for (other, &store) in stores.iter().enumerate() {
                // A Latin square, unless there is time for all.
                if !is_thorough && (number + other + graph.states()) % 3 != 0 {
                    continue;
                }
                // Under strong fairness, nothing is ever reduced.
                let skips = fairness == Fairness::Strong && !is_thorough;
                for por in [Switch::Off, Switch::On].into_iter().take(if skips { 1 } else { 2 }) {
                    let config = Config {
                        symmetry,
                        store,
                        fairness,
                        bounds,
                        por,
                        property: Some(props::NAME.to_owned()),
                        keep_going: true,
                        ..Config::unreduced()
                    };
                    let verdict = is_violated(model, &config, expected, &mut seen).map_err(|reason| {
                        format!("{symmetry}, {store}, fairness {fairness}, reduction {por}: {reason}")
                    })?;
                    verdicts.push(verdict);
                }
            }
        }
        let first = verdicts[0];
        if verdicts.iter().any(|&verdict| verdict != first) {
            return Err(format!("fairness {fairness}: not all verdicts are the same: {verdicts:?}"));
        }
        match fairness {
            Fairness::None => seen.violated += u64::from(first),
            Fairness::Weak => {
                weakly = first;
                seen.unfair += seen.violated - u64::from(first);
            }
            Fairness::Strong => seen.weakly += u64::from(weakly) - u64::from(first),
        }
    }
    seen.unobserved += u64::from(graph.unobserved() > 0);
    seen.diverging += u64::from(graph.diverging().contains(&true));
    seen.pinned += u64::from(!program.named_constants().is_empty());
    if program.fair_transitions().next().is_some() {
        seen.fair += 1;
        let mut plain = program.clone();
        plain.transitions.values_mut().for_each(|transition| transition.fair = false);
        let plain = Graph::of(&interpreter(&plain, bounds), property, MOST_STATES);
        let matters = |&fairness: &Fairness| {
            let is_violated = plain.as_ref().is_some_and(|plain| plain.violates(formula, fairness));
            is_violated && !graph.violates(formula, fairness)
        };
        seen.by_marks += u64::from(Fairness::ALL.iter().any(matters));
    }
    if property.each.is_some() {
        seen.individuals += 1;
        seen.by_individuals += seen.violated;
    }
    Ok(seen)
}

/// Makes a random property the only one of a program.
type SetProperty = fn(&mut Program, u64);

/// Compares all ways to check some properties of a model.
fn agreements(mut model: Model, property: SetProperty, seed: u64, bounds: Bounds) -> Result<Seen, String> {
    let mut seen = Seen { models: 1, ..Seen::default() };
    for number in 0..PROPERTIES {
        property(&mut model.program, PROPERTIES * seed + number);
        assert_eq!(ir::verify(&model.program), Ok(()));
        let found = agreement(&model, bounds, (seed + number).is_multiple_of(8)).map_err(|reason| {
            let program = ir::text::print(&model.program);
            let property = program.find("property ").map_or("", |at| &program[at..]);
            format!("property {number}: {reason}\n{property}")
        })?;
        seen.add(found);
    }
    Ok(seen)
}

/// Runs the test on models of a source. If one fails, it is made as small as possible before it is reported.
fn survive(count: u64, source: fn(u64) -> String, property: SetProperty, bounds: fn(u64) -> Bounds) -> Seen {
    let mut seen = Seen::default();
    for seed in 0..count {
        let (text, bounds) = (source(seed), bounds(seed));
        let outcome = |text: &str| {
            let run = || agreements(load(text)?, property, seed, bounds);
            // What it says is printed anyway.
            catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it panics".to_owned()))
        };
        match outcome(&text) {
            Ok(found) => seen.add(found),
            Err(first) => {
                // What does not compile shows nothing.
                let small = if load(&text).is_ok() {
                    shrink(&text, |text| load(text).is_ok() && outcome(text).is_err())
                } else {
                    text
                };
                let reason = outcome(&small).err().unwrap_or(first);
                panic!("model {seed} with {bounds:?}:\n{reason}\n{small}");
            }
        }
    }
    eprintln!("{seen:?}");
    // The models are worth something.
    assert!(seen.properties > count, "{seen:?}");
    assert!(seen.violated > seen.properties / 8 && seen.violated < seen.properties * 7 / 8, "{seen:?}");
    seen
}

/// Checks random properties of all kinds.
fn survive_all(count: u64, make: fn(u64) -> String, bounds: fn(u64) -> Bounds) -> Seen {
    let seen = survive(count, make, props::set_property, bounds);
    let individuals = seen.individuals;
    assert!(individuals > seen.properties / 8 && seen.by_individuals > individuals / 8, "{seen:?}");
    seen
}

#[test]
fn models_of_all_kinds() {
    survive_all(models(), random_model, bounds);
}

#[test]
fn models_of_the_alike() {
    let seen = survive_all(models(), random_model_of_the_alike, |seed| widened(bounds(seed)));
    assert!(seen.pinned > models() / 10, "{seen:?}");
}

#[test]
fn models_that_go_round() {
    let seen = survive_all(models(), rounds::random_rounds, bounds);
    assert!(seen.cycles > models() && seen.unfair > models() / 200, "{seen:?}");
    assert!(seen.pinned > models() / 10, "{seen:?}");
}

#[test]
fn models_of_crowds() {
    let seen = survive(models(), crowds::random_crowd, props::set_recurrence, bounds);
    assert!(seen.cycles > models() && seen.unfair > models() / 10, "{seen:?}");
    assert!(seen.renamed_fair > models() && seen.reduced_fair > models() / 20, "{seen:?}");
}

#[test]
fn models_of_contention() {
    let seen = survive(models(), contention::random_contention, props::set_answer, bounds);
    assert!(seen.cycles > models() && seen.weakly > models() / 20, "{seen:?}");
    assert!(seen.fair > models() / 2 && seen.by_marks > models() / 20, "{seen:?}");
    assert!(seen.individuals > models() && seen.by_individuals > models() / 4, "{seen:?}");
}

#[test]
fn models_with_endless_atomic_blocks() {
    // Their steps are long for the plain interpreter.
    let count = models().div_ceil(3);
    let seen = survive_all(count, divergence::random_divergence, bounds);
    assert!(seen.diverging > count / 2 && seen.unobserved_runs > count, "{seen:?}");
}

#[test]
fn models_with_keys() {
    let seen = survive_all(models(), rounds::random_keys, bounds);
    assert!(seen.pinned > models() / 5, "{seen:?}");
}

#[test]
fn numbered_programs() {
    let mut seen = Seen::default();
    for seed in 0..models() {
        let text = random_processes_text(seed);
        let bounds = Bounds { sizes: Sizes { threads: 8, ..bounds(seed).sizes }, ..bounds(seed) };
        match agreements(of_program(&text), props::set_property, seed, bounds) {
            Ok(found) => seen.add(found),
            Err(reason) => panic!("program {seed} with {bounds:?}:\n{reason}\n{text}"),
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.properties > models() && seen.violated > seen.properties / 8, "{seen:?}");
    assert!(seen.reduced_fair > models() / 50, "{seen:?}");
}
