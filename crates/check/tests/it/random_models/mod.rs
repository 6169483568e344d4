//! Random models, from their text to the verdict.
//!
//! The brute force of the plain interpreter, and the searches over the engine, have to find the same in each:
//! as many states and steps, the same faults, the same verdict. What the front end does on the way must not
//! change that either: merging the steps of atomic blocks makes no difference. Under [symmetry](levels) there
//! are fewer states, and nothing else is different.
//!
//! A model that shows a difference is made as small as possible and printed.

mod ample;
mod folded;
mod levels;
mod orbits;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bir::compile_unmerged;
use ir::{Id, Type};
use naive::{State, Value};
use quotient_check::config::Sizes;
use quotient_check::config::{
    Bounds, Config, Limits, OnBound, SearchKind, StoreKind, StoreOptions, Symmetry,
};
use quotient_check::report::{Report, Truncations, Verdict};
use quotient_check::{Checked, Model, Quiet};
use testing::{SplitMix64, Variant, random_model, random_model_of_the_alike, random_variant, shrink};

use crate::common::oracle::{Found, by_brute_force, interpreter};

/// Large enough for most random models, and visited quickly.
const MOST_STATES: usize = 3000;

fn models() -> u64 {
    testing::effort(800)
}

/// Bounds that some models exceed, and what that means.
fn bounds(seed: u64) -> Bounds {
    let mut random = SplitMix64::new(!seed);
    let mut between = |least: u32, most: u32| least + random.below((most - least + 1) as usize) as u32;
    let sizes = Sizes { threads: between(3, 6), frames: between(3, 6), objects: between(4, 12) };
    let on_bound = if seed.is_multiple_of(3) { OnBound::Error } else { OnBound::Truncate };
    Bounds { sizes, on_bound }
}

/// Bounds within which most models of the alike have room.
pub fn widened(mut bounds: Bounds) -> Bounds {
    let sizes = &mut bounds.sizes;
    (sizes.threads, sizes.objects) = (sizes.threads.max(5), sizes.objects.max(8));
    bounds
}

fn wide_bounds(seed: u64) -> Bounds {
    widened(bounds(seed))
}

fn load(text: &str) -> Result<Model, String> {
    let files = BTreeMap::from([("random.bir".to_owned(), text.as_bytes().to_vec())]);
    Model::load(&files, "random.bir", &[]).map_err(|rejected| rejected.to_string())
}

/// Steps that exceed a bound, by bound, and conditions that do.
fn every(truncations: Truncations) -> [u64; 4] {
    let Truncations { objects, threads, frames, conditions } = truncations;
    [objects, threads, frames, conditions]
}

/// What a check finds, unless there are too many states. It also replays what it finds.
fn by_check(model: &Model, config: &Config) -> Result<Option<Found>, String> {
    let config = Config { keep_going: true, ..config.clone() };
    let report = check(model, &config)?;
    if report.states > MOST_STATES as u64 {
        return Ok(None);
    }
    let mut violations = BTreeMap::new();
    for violation in report.violations {
        let place = violation.location.map(|place| (place.line, place.column));
        *violations.entry((violation.kind.to_string(), place)).or_default() += violation.count;
    }
    let truncations = report.truncations;
    Ok(Some(Found {
        verdict: report.verdict.as_str(),
        states: report.states,
        transitions: report.transitions,
        matched: report.matched,
        violations,
        truncations: every(truncations),
    }))
}

fn check(model: &Model, config: &Config) -> Result<Report, String> {
    checked(model, config).map(|checked| checked.report)
}

fn checked(model: &Model, config: &Config) -> Result<Checked, String> {
    quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet).map_err(|error| format!("{error:?}"))
}

fn config(bounds: Bounds, search: SearchKind, store: StoreKind) -> Config {
    // One more than brute force admits: who stops at the limit has found a state beyond it.
    let limits = Limits { states: Some(MOST_STATES as u64 + 1), ..Limits::default() };
    Config {
        bounds,
        search: Some(search),
        store,
        limits,
        symmetry: Symmetry::None,
        safety: true,
        ..Config::unreduced()
    }
}

/// Compares all ways to look at a model.
fn agreement(text: &str, bounds: Bounds) -> Result<Option<Found>, String> {
    let model = load(text)?;
    let expected = by_brute_force(&model, bounds, MOST_STATES);
    for (search, store) in [(SearchKind::Bfs, StoreKind::Exact), (SearchKind::Dfs, StoreKind::Naive)] {
        let config = config(bounds, search, store);
        let found = by_check(&model, &config)?;
        if found != expected {
            return Err(format!("{search}: {found:#?}\nbrute force: {expected:#?}"));
        }
        let Some(found) = found else { continue };
        // Stopping at the first violation does not change the verdict.
        let report = check(&model, &config)?;
        let known = |violation: &quotient_check::report::Violation| {
            found.violations.keys().any(|(kind, _)| *kind == violation.kind.as_str())
        };
        let fits = report.violation.as_ref().map_or(found.violations.is_empty(), known);
        if report.verdict.as_str() != found.verdict || !fits {
            let first = report.violation;
            return Err(format!("{search}, the first violation: {first:?}, but there are {found:#?}"));
        }
    }
    Ok(expected)
}

/// Where models come from.
#[derive(Clone, Copy)]
struct Source {
    model: fn(u64) -> String,
    bounds: fn(u64) -> Bounds,
}

const ANY: Source = Source { model: random_model, bounds };
const ALIKE: Source = Source { model: random_model_of_the_alike, bounds: wide_bounds };

/// Runs a test on a model. If it fails, the model is made as small as possible before it is reported.
fn survives<T>(seed: u64, source: Source, test: impl Fn(&str, Bounds) -> Result<T, String>) -> T {
    let (text, bounds) = ((source.model)(seed), (source.bounds)(seed));
    let outcome = |text: &str| {
        let run = || test(text, bounds);
        // What it says is printed anyway.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it panics".to_owned()))
    };
    match outcome(&text) {
        Ok(value) => value,
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

#[test]
fn engine_and_brute_force_agree() {
    let (mut complete, mut faulty, mut truncated, mut states) = (0, 0, 0, 0);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..models() {
        let found = survives(seed, ANY, agreement);
        let Some(found) = found else { continue };
        complete += 1;
        states += found.states;
        faulty += u64::from(!found.violations.is_empty());
        truncated += u64::from(found.truncations != [0; 4]);
        for (kind, _) in found.violations.into_keys() {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    eprintln!("{complete} models, {states} states, {faulty} violated, {truncated} truncated, {kinds:?}");
    // The models are worth something.
    let all = models();
    assert!(kinds.len() > 10 || all < 1000, "{kinds:?}");
    assert!(complete > all * 3 / 4, "{complete} of {all} are small enough");
    assert!(faulty > all / 10 && faulty < all / 2, "{faulty} of {all} have faults");
    assert!(truncated > all / 100, "{truncated} of {all} exceed a bound");
    assert!(states > all * 30, "{all} models have {states} states");
}

/// What is found does not depend on where states are kept, with symmetry or without.
fn stores_agree(text: &str, bounds: Bounds) -> Result<u64, String> {
    let model = load(text)?;
    let mut compared = 0;
    for symmetry in [Symmetry::None, Symmetry::Full] {
        let plain = |store| Config { symmetry, ..config(bounds, SearchKind::Dfs, store) };
        let Some(expected) = by_check(&model, &plain(StoreKind::Naive))? else { continue };
        for &store in StoreKind::ALL {
            for &search in SearchKind::ALL {
                let arena = (store == StoreKind::Bitstate).then_some(20);
                let store_options = StoreOptions { arena, ..StoreOptions::default() };
                let config = Config { search: Some(search), store_options, ..plain(store) };
                if config.refusal(model.dialect()).is_some() {
                    continue;
                }
                let found = by_check(&model, &config)?;
                let verdict = match expected.verdict {
                    proof if store.is_lossy() && proof.starts_with("holds") => "no error found",
                    verdict => verdict,
                };
                if found != Some(Found { verdict, ..expected.clone() }) {
                    return Err(format!("{search} {store} {symmetry}: {found:#?}\nnaive: {expected:#?}"));
                }
                compared += 1;
            }
        }
    }
    Ok(compared)
}

#[test]
fn stores_make_no_difference() {
    let all = models() / 8;
    let compared: u64 = (0..all).map(|seed| survives(seed, ANY, stores_agree)).sum();
    let alike: u64 = (0..all / 2).map(|seed| survives(seed, ALIKE, stores_agree)).sum();
    assert!(compared > 15 * all && alike > 10 * (all / 2), "{compared} and {alike} of {all}");
}

#[test]
fn engine_and_brute_force_agree_on_the_alike() {
    for seed in 0..models() / 8 {
        survives(seed, ALIKE, agreement);
    }
}

#[test]
fn a_deadlock_that_violates_an_invariant() {
    let text = "system S { boolean b; invariant I = !b; active thread T() { b := true; assume false; } }";
    let model = load(text).expect("it compiles");
    let found = by_check(&model, &config(bounds(0), SearchKind::Bfs, StoreKind::Exact));
    let found = found.expect("it is checked").expect("it is small");
    let kinds: Vec<&str> = found.violations.keys().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["deadlock", "invariant"]);
}

#[test]
fn merging_changes_nothing() {
    let mut merged = 0;
    for seed in 0..models() {
        merged += survives(seed, ANY, |text, bounds| {
            let model = load(text)?;
            let program =
                compile_unmerged(&model.map, model.file).map_err(|_| "it does not compile".to_owned())?;
            let fewer = program.locations.len() - model.program.locations.len();
            let plain = Model { program, ..load(text)? };
            let config = config(bounds, SearchKind::Bfs, StoreKind::Exact);
            let (ours, theirs) = (by_check(&model, &config)?, by_check(&plain, &config)?);
            if ours != theirs {
                return Err(format!("merged: {ours:#?}\nunmerged: {theirs:#?}"));
            }
            Ok(u64::from(fewer > 0))
        });
    }
    assert!(merged > models() / 4, "{merged} of {} models have something to merge", models());
}

/// What can happen in a model, however often.
#[derive(PartialEq, Eq, Debug)]
struct Possible {
    /// By kind and source line.
    violations: BTreeSet<(String, String)>,
    /// By objects, threads and frames.
    exceeded: [bool; 4],
}

/// What can happen, unless there are too many states.
fn possible(text: &str, bounds: Bounds) -> Result<Option<Possible>, String> {
    let config = Config { keep_going: true, ..config(bounds, SearchKind::Bfs, StoreKind::Exact) };
    let most = 20_000;
    let limits = Limits { states: Some(most), ..config.limits };
    let report = check(&load(text)?, &Config { limits, ..config })?;
    let violations = report.violations.into_iter().map(|violation| {
        let line = violation.location.map_or_else(String::new, |place| place.text);
        (violation.kind.to_string(), line)
    });
    let truncations = report.truncations;
    let exceeded = every(truncations).map(|count| count > 0);
    let complete = report.states < most;
    Ok(complete.then(|| Possible { violations: violations.collect(), exceeded }))
}

#[test]
fn steps_that_do_nothing_make_nothing_possible() {
    let mut compared = 0;
    for seed in 0..models() / 2 {
        let (plain, padded) = (random_model(seed), random_variant(seed, Variant::Padded));
        let found = [&plain, &padded].map(|text| match possible(text, bounds(seed)) {
            Err(error) => panic!("model {seed}: {error}\n{text}"),
            Ok(found) => found,
        });
        let [Some(ours), Some(theirs)] = found else { continue };
        assert_eq!(ours, theirs, "model {seed} with {:?}\n{plain}{padded}", bounds(seed));
        compared += 1;
    }
    assert!(compared > models() / 3, "{compared} of {} models could be compared", models());
}

/// The values that globals have together in some state, references aside; unless there are too many states.
fn visible(text: &str, bounds: Bounds) -> Option<BTreeSet<Vec<Value>>> {
    let model = load(text).expect("it compiles");
    let naive = interpreter(&model.program, bounds);
    let plain = |ty| matches!(ty, Type::Bool | Type::Int(_) | Type::Enum(_) | Type::String);
    let program = &model.program;
    let globals: Vec<_> = program.globals.iter().filter(|(_, g)| plain(program.types[g.ty])).collect();
    let mut seen = BTreeSet::from([naive.initial()]);
    let mut todo = vec![naive.initial()];
    while let Some(state) = todo.pop() {
        for step in naive.steps(&state).0 {
            if let Ok(next) = naive.fire(&state, step)
                && seen.insert(next.clone())
            {
                todo.push(next);
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    let values = |state: &State| globals.iter().map(|(id, _)| state.globals[id.index()].clone()).collect();
    Some(seen.iter().map(values).collect())
}

#[test]
fn steps_that_do_nothing_are_invisible() {
    for seed in 0..models() / 2 {
        let (plain, padded) = (random_model(seed), random_variant(seed, Variant::Padded));
        let found = [&plain, &padded].map(|text| visible(text, bounds(seed)));
        if let [Some(ours), Some(theirs)] = found {
            assert_eq!(ours, theirs, "model {seed} with {:?}\n{plain}{padded}", bounds(seed));
        }
    }
}

#[test]
fn steps_are_undone() {
    for seed in 0..models() / 4 {
        survives(seed, ANY, |text, bounds| {
            let engine =
                quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
            Ok(crate::common::walk::walk(&engine, seed, 30))
        });
    }
}

/// A constant expression.
fn constant(random: &mut SplitMix64, depth: usize) -> String {
    const LEAVES: [&str; 12] = [
        "0",
        "1",
        "2",
        "7",
        "31",
        "-1",
        "-8",
        "2147483647",
        "-2147483648",
        "3L",
        "-5L",
        "4611686018427387904",
    ];
    const OPERATORS: [&str; 11] = ["+", "-", "*", "/", "%", "shl", "shr", "ushr", "&", "|", "^"];
    if depth == 0 || random.chance(20) {
        return (*random.pick(&LEAVES)).to_owned();
    }
    let (a, b) = (constant(random, depth - 1), constant(random, depth - 1));
    match random.below(14) {
        0 => format!("-({a})"),
        1 => {
            let operator = random.pick(&["==", "!=", "<", "<=", ">", ">="]);
            format!("({a} {operator} {b} ? {b} : {a})")
        }
        _ => format!("({a} {} {b})", random.pick(&OPERATORS)),
    }
}

#[test]
fn constants_have_the_values_that_they_have_at_run_time() {
    let mut random = SplitMix64::new(1);
    let mut compared = 0;
    for _ in 0..models() {
        let value = constant(&mut random, 3);
        let text = format!(
            "system S {{ const C {{ X = {value}; }} active thread T() {{ assert C.X == {value}; }} }}"
        );
        // What has no value is refused.
        let Ok(model) = load(&text) else { continue };
        let found = check(&model, &Config::default()).expect("a report");
        assert_eq!(found.verdict, Verdict::Holds, "{text}\n{:?}", found.violation);
        compared += 1;
    }
    assert!(compared > models() / 4, "{compared} of {} are constants", models());
}
