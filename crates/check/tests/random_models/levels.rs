//! Every level of symmetry finds what there is to find without any: the same verdict, the same faults in the same
//! places, breadth first by ways of the same lengths. Only there are fewer of them.

use std::collections::{BTreeMap, BTreeSet};

use quotient::config::{Bounds, Config, Naming, SearchKind, StoreKind, Symmetry};
use quotient::report::Report;

use bir::testing::random_model;

use crate::alike::{random_model_of_the_alike, wide_bounds};
use crate::{MOST_STATES, bounds, check, config, load, models, passes};

pub const LEVELS: [Symmetry; 6] = [
    Symmetry::Heap,
    Symmetry::Pc,
    Symmetry::Bots(Some(0)),
    Symmetry::Bots(Some(1)),
    Symmetry::Bots(None),
    Symmetry::Full,
];

/// What is found at every level.
#[derive(PartialEq, Eq, Debug)]
struct Invariable {
    verdict: &'static str,
    /// The length of the shortest way, by kind, line and column.
    violations: BTreeMap<(String, Option<(u32, u32)>), u64>,
    /// By objects, threads and frames.
    exceeded: [bool; 3],
    dead: BTreeSet<(String, u32)>,
}

impl Invariable {
    fn of(report: &Report) -> Self {
        let mut violations = BTreeMap::new();
        for violation in &report.violations {
            let place = violation.location.as_ref().map(|place| (place.line, place.column));
            let steps = violations.entry((violation.kind.clone(), place)).or_insert(violation.steps);
            *steps = violation.steps.min(*steps);
        }
        let dead = report.dead_code.iter().map(|code| (code.procedure.clone(), code.location.line));
        let bounds = report.truncations;
        Self {
            verdict: report.verdict.as_str(),
            violations,
            exceeded: [bounds.objects, bounds.threads, bounds.frames].map(|count| count > 0),
            dead: dead.collect(),
        }
    }

    /// The same, when ways need not be shortest.
    fn without_lengths(mut self) -> Self {
        self.violations.values_mut().for_each(|steps| *steps = 0);
        self
    }
}

fn counts(report: &Report) -> u64 {
    report.violations.iter().map(|violation| violation.count).sum()
}

/// What a model was good for.
#[derive(Clone, Copy, Default, Debug)]
struct Worth {
    violated: bool,
    /// Fewer states than without symmetry.
    reduced: bool,
    /// Ties were searched.
    searched: bool,
}

/// Checks a model at all levels, unless it has too many states.
fn agreement(text: &str, bounds: Bounds) -> Result<Option<Worth>, String> {
    let model = load(text)?;
    let plain = Config { keep_going: true, ..config(bounds, SearchKind::Bfs, StoreKind::Exact) };
    let without = check(&model, &plain)?;
    if without.states > MOST_STATES as u64 {
        return Ok(None);
    }
    let expected = Invariable::of(&without);
    let mut orbits = None;
    let mut worth = Worth { violated: !without.violations.is_empty(), ..Worth::default() };
    // The last level is `full`, which the others are compared with.
    for symmetry in LEVELS.into_iter().rev() {
        for &naming in Naming::ALL {
            for &search in SearchKind::ALL {
                let way = format!("--symmetry {symmetry} --naming {naming} --search {search}");
                let limits = quotient::config::Limits::default();
                let config = Config { symmetry, naming: Some(naming), search, limits, ..plain.clone() };
                let report = check(&model, &config).map_err(|error| format!("{way}: {error}"))?;
                let found = Invariable::of(&report);
                let agrees = match search {
                    SearchKind::Bfs => found == expected,
                    SearchKind::Dfs => found.without_lengths() == Invariable::of(&without).without_lengths(),
                };
                if !agrees {
                    let found = Invariable::of(&report);
                    return Err(format!("{way}: {found:#?}\nwithout symmetry: {expected:#?}"));
                }
                let states = report.states;
                if symmetry == Symmetry::Full {
                    worth.reduced |= states < without.states;
                    worth.searched |= report.symmetry.ties_searched > 0;
                    if !report.symmetry.canonical {
                        return Err(format!("{way}: a search was given up"));
                    }
                    if states > without.states || counts(&report) > counts(&without) {
                        return Err(format!("{way}: {states} states, and {} without", without.states));
                    }
                }
                let orbits = *orbits.get_or_insert(states);
                if if symmetry == Symmetry::Full { states != orbits } else { states < orbits } {
                    return Err(format!("{way}: {states} states, but there are {orbits} orbits"));
                }
            }
        }
    }
    Ok(Some(worth))
}

/// Compares the levels on many models, and tells what they were good for.
fn compare(all: u64, model: fn(u64) -> String, bounds: fn(u64) -> Bounds) -> [u64; 4] {
    let mut sums = [0; 4];
    for seed in 0..all {
        let Some(worth) = passes(seed, model(seed), |text| agreement(text, bounds(seed))) else { continue };
        for (sum, is) in sums.iter_mut().zip([true, worth.violated, worth.reduced, worth.searched]) {
            *sum += u64::from(is);
        }
    }
    let [compared, violated, reduced, searched] = sums;
    eprintln!("{compared} models, {violated} violated, {reduced} with fewer states, {searched} with ties");
    sums
}

#[test]
fn every_level_finds_the_same() {
    compare(models() * 2 / 3, random_model, bounds);
}

#[test]
fn every_level_finds_the_same_among_the_alike() {
    compare(models() * 2 / 3, random_model_of_the_alike, wide_bounds);
}
