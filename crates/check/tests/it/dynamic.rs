//! The bundled models of dynamic Promela: verdicts and states in every search and at every level of symmetry.
//!
//! ```text
//! // verdict: holds        or `violated KIND, …`, with all kinds there are
//! // states: 122           without symmetry and reductions
//! // orbits: 40            with full symmetry, without reductions
//! ```

use std::collections::{BTreeMap, BTreeSet};

use quotient_check::Model;
use quotient_check::config::{Bounds, Config, OnBound, SearchKind, Sizes, StoreKind, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use testing::{ModelFile, files_below, models};

use crate::common::load;
use crate::common::oracle::by_brute_force;
use crate::random_models::orbits::orbits_of;
use crate::random_models::{MOST_STATES, by_check, config};

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("// {key}:");
    let header = text.lines().take_while(|line| line.starts_with("//"));
    header.into_iter().find_map(|line| line.strip_prefix(&start)).map(str::trim)
}

fn check(model: &Model, name: &str, config: &Config) -> Report {
    let config = Config { keep_going: true, safety: true, ..config.clone() };
    let interrupt = std::sync::Arc::default();
    let checked = quotient_check::check(model, &config, 0, &interrupt, &mut quotient_check::Quiet);
    checked.unwrap_or_else(|error| panic!("{name}: {error:?}")).report
}

fn kinds(report: &Report) -> BTreeSet<String> {
    report.violations.iter().map(|violation| violation.kind.to_string()).collect()
}

fn cases() -> Vec<(ModelFile, Model, BTreeSet<String>)> {
    let files = files_below(&models().join("dynamic"), "pml");
    assert!(files.len() >= 12, "{}", files.len());
    let case = |file: ModelFile| {
        let model = load(&file.name, file.text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{}: {rejected}", file.name));
        let verdict = value(&file.text, "verdict").unwrap_or_else(|| panic!("{}: no verdict", file.name));
        let kinds = match verdict.strip_prefix("violated ") {
            Some(kinds) => kinds.split(',').map(|kind| kind.trim().to_owned()).collect(),
            None => BTreeSet::new(),
        };
        assert_eq!(kinds.is_empty(), verdict == "holds", "{}", file.name);
        (file, model, kinds)
    };
    files.into_iter().map(case).collect()
}

#[test]
fn states_are_those_of_the_headers() {
    let mut wrong = Vec::new();
    for (file, model, expected) in cases() {
        for &search in SearchKind::ALL {
            for (symmetry, key) in [(Symmetry::None, "states"), (Symmetry::Full, "orbits")] {
                let config = Config { search: Some(search), symmetry, ..Config::unreduced() };
                let report = check(&model, &file.name, &config);
                assert_eq!(kinds(&report), expected, "{}, {search}, {symmetry}", file.name);
                let is_complete = expected.is_empty() == (report.verdict == Verdict::Holds);
                assert!(is_complete && report.exhaustive, "{}, {search}, {symmetry}", file.name);
                if value(&file.text, key) != Some(&report.states.to_string()) {
                    wrong.push(format!("{}: {key}: {}", file.name, report.states));
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reductions_and_stores_make_no_difference_to_verdicts() {
    for (file, model, expected) in cases() {
        for symmetry in [Symmetry::None, Symmetry::Heap, Symmetry::Full] {
            for store in [StoreKind::Exact, StoreKind::Trie] {
                let por = Switch::On;
                let config = Config { symmetry, por, store, ..Config::default() };
                let report = check(&model, &file.name, &config);
                assert_eq!(kinds(&report), expected, "{}, {symmetry}, {store}", file.name);
            }
        }
    }
}

/// Random programs: the engine finds what the plain interpreter finds by brute force, and each level of symmetry
/// stores the states up to renaming.
#[test]
fn random_programs() {
    let all = testing::effort(150);
    let (mut compared, mut orbits, mut kinds) = (0, 0, BTreeMap::new());
    for seed in 0..all {
        let text = testing::promela::dynamic(seed);
        let model = load("random.pml", text.as_bytes(), &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{seed}: {rejected}\n{text}"));
        assert_eq!(ir::verify(&model.program), Ok(()), "{seed}:\n{text}");
        // Channels are objects.
        let objects = if text.contains("chan ") { 15 } else { 9 };
        let sizes = Sizes { threads: 4, frames: 4, objects };
        let bounds = Bounds { sizes, on_bound: OnBound::Truncate };
        let expected = by_brute_force(&model, bounds, MOST_STATES);
        for (search, store) in [(SearchKind::Bfs, StoreKind::Exact), (SearchKind::Dfs, StoreKind::Naive)] {
            let found = by_check(&model, &config(bounds, search, store));
            let found = found.unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            assert_eq!(found, expected, "{seed}, {search}:\n{text}");
        }
        let count = orbits_of(&model, bounds, seed).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        orbits += count.unwrap_or(0);
        let Some(expected) = expected else { continue };
        compared += 1;
        for (kind, _) in expected.violations.into_keys() {
            *kinds.entry(kind).or_insert(0_u64) += 1;
        }
    }
    eprintln!("{compared} programs, {orbits} orbits, {kinds:?}");
    assert!(kinds.contains_key("bad-call") || all < 100, "{kinds:?}");
    assert!(kinds.contains_key("channel") || all < 100, "{kinds:?}");
    assert!(compared > all / 2, "{compared} of {all}");
    assert!(kinds.len() >= 5 || all < 100, "{kinds:?}");
}
