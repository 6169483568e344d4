//! Swarms of bitstate searches: the report does not depend on the number of threads, every error is one that an exact
//! search finds as well, and what is said about coverage is true.

use quotient_check::config::{Config, Limits, Minimise, SearchKind, StoreKind, StoreOptions, Symmetry};
use quotient_check::{Checked, Model, Quiet};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testing::promela::{Purpose, program};
use testing::{SplitMix64, files_below, models, random_model};

use crate::common::load;

fn check(model: &Model, config: &Config) -> Result<Checked, String> {
    let interrupt = Arc::new(AtomicBool::new(false));
    quotient_check::check(model, config, 0, &interrupt, &mut Quiet).map_err(|error| error.to_string())
}

/// A swarm with a small array.
fn swarm(count: u32, arena: u32) -> Config {
    let store_options = StoreOptions { swarm: Some(count), arena: Some(arena), ..StoreOptions::default() };
    Config {
        store: StoreKind::Bitstate,
        store_options,
        minimise: Minimise::Off,
        safety: true,
        ..Config::unreduced()
    }
}

fn file(name: &str, defines: &[(String, String)]) -> Model {
    let ending = name.rsplit('.').next().expect("names have endings");
    let mut files = files_below(&models(), ending).into_iter();
    let file = files.find(|file| file.name.ends_with(name)).expect("it is bundled");
    load(&file.name, file.text.as_bytes(), defines).expect("a model")
}

/// A report without what may differ from run to run: times and the memory of the process.
fn without_times(checked: &Checked) -> Value {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, _| {
                    !key.contains("second") && key != "threads" && key != "peak_memory_bytes"
                });
                map.values_mut().for_each(clean);
            }
            Value::Array(list) => {
                // How much is audited before the search depends on the clock.
                list.retain(|item| item.as_str().is_none_or(|text| !text.starts_with("symmetry audit:")));
                list.iter_mut().for_each(clean);
            }
            _ => {}
        }
    }
    let mut report = serde_json::to_value(&checked.report).expect("a report is JSON");
    clean(&mut report);
    report
}

/// Random models of both languages and some bundled ones.
fn some_models(random: u64) -> Vec<(String, Model)> {
    let mut all = Vec::new();
    for index in 0..testing::effort(random) {
        let bir = load("random.bir", random_model(index).as_bytes(), &[]);
        let text = program(17, index, Purpose::Safety).to_string();
        let promela = load("random.pml", text.as_bytes(), &[]);
        all.extend(bir.ok().map(|model| (format!("model {index}"), model)));
        all.extend(promela.ok().map(|model| (format!("program {index}"), model)));
    }
    for ending in ["_bug.bir", "_bug.pml"] {
        for file in files_below(&models(), &ending[5..]) {
            if file.name.ends_with(ending)
                && let Ok(model) = load(&file.name, file.text.as_bytes(), &[])
            {
                all.push((file.name, model));
            }
        }
    }
    all
}

#[test]
fn the_number_of_threads_does_not_show() {
    let (mut random, mut compared, mut ended_early) = (SplitMix64::new(5), 0, 0);
    for (name, model) in some_models(20) {
        let config = Config {
            symmetry: *random.pick(&[Symmetry::None, Symmetry::Full]),
            keep_going: random.chance(50),
            limits: Limits { states: Some(1 + random.below(1500) as u64), ..Limits::default() },
            ..swarm(2 + random.below(6) as u32, 10 + random.below(4) as u32)
        };
        let alone = check(&model, &Config { threads: Some(1), ..config.clone() });
        let threads = *random.pick(&[2, 3, 8]);
        let together = check(&model, &Config { threads: Some(threads), ..config.clone() });
        let (Ok(alone), Ok(together)) = (alone, together) else { continue };
        let [one, several] = [&alone, &together].map(without_times);
        assert_eq!(one, several, "{name} with {threads} threads, {config:?}");
        assert_eq!(format!("{:?}", alone.trail), format!("{:?}", together.trail), "{name}");
        let searches = one["store"]["swarm"]["searches"].as_array().expect("a list").len();
        ended_early += u32::from(searches < config.store_options.swarm.unwrap_or_default() as usize);
        compared += 1;
    }
    assert!(compared > 60, "{compared} were compared");
    assert!(ended_early > 10, "{ended_early} swarms ended with an error");
}

fn kinds(checked: &Checked) -> BTreeSet<String> {
    let place =
        |found: &quotient_check::report::ViolationCount| format!("{} {:?}", found.kind, found.location);
    checked.report.violations.iter().map(place).collect()
}

#[test]
fn a_swarm_finds_what_there_is_and_more_than_one_search() {
    let (mut more, mut compared) = (0, 0);
    for (name, model) in some_models(10) {
        let limits = Limits { states: Some(20_000), ..Limits::default() };
        let going_on = Config { keep_going: true, limits, ..Config::unreduced() };
        let Ok(exact) = check(&model, &Config { safety: true, symmetry: Symmetry::None, ..going_on }) else {
            continue;
        };
        if !exact.report.exhaustive {
            continue;
        }
        let config = Config { keep_going: true, symmetry: Symmetry::None, ..swarm(6, 10) };
        let found = check(&model, &config).expect("it is checked");
        let single = Config { store_options: StoreOptions { swarm: None, ..config.store_options }, ..config };
        let one = check(&model, &single).expect("it is checked");
        assert!(kinds(&found).is_subset(&kinds(&exact)), "{name}: {:?}", kinds(&found));
        assert!(kinds(&one).is_subset(&kinds(&found)), "{name}: the first search is one of them");
        more += u32::from(kinds(&one) != kinds(&found));
        compared += 1;
        let report = serde_json::to_value(&found.report).expect("a report is JSON");
        let swarm = &report["store"]["swarm"];
        let first = &swarm["searches"][0];
        assert_eq!(first["states"].as_u64(), Some(one.report.states), "{name}");
        for search in swarm["searches"].as_array().expect("a list") {
            assert!(search["states"].as_u64() <= Some(exact.report.states), "{name}");
        }
        if let Some(states) = swarm["states"].as_u64() {
            assert!(states <= exact.report.states, "{name}: the sample of a small state space is all of it");
            assert!(Some(states) >= swarm["searches"][0]["states"].as_u64(), "{name}");
        }
    }
    assert!(compared > 20, "{compared} were compared");
    assert!(more > 0, "no swarm of {compared} has found more than its first search");
}

/// What is estimated is compared with what is known: 172,713 states.
#[test]
fn coverage_is_estimated() {
    const STATES: f64 = 172_713.0;
    let model = file("peterson.bir", &[("N".to_owned(), "4".to_owned())]);
    for (arena, count, least) in [(20, 2, 0.93), (20, 5, 0.97), (18, 8, 0.65), (24, 3, 0.99)] {
        let config = Config { threads: Some(2), search: Some(SearchKind::Dfs), ..swarm(count, arena) };
        let report =
            serde_json::to_value(check(&model, &config).expect("it is checked").report).expect("it is JSON");
        let swarm = &report["store"]["swarm"];
        let [seen, all, coverage] =
            ["states", "estimated_states", "coverage"].map(|key| swarm[key].as_f64().expect(key));
        // An estimate from this many states is wrong by about one in a hundred.
        assert!(all < 1.03 * STATES && all > least * STATES, "2^{arena} × {count}: {all}");
        assert!((seen / all - coverage).abs() < 1e-3 && seen < 1.03 * STATES);
        let searches = swarm["searches"].as_array().expect("a list");
        let each: Vec<f64> =
            searches.iter().map(|search| search["states"].as_f64().expect("a number")).collect();
        let most = each.iter().copied().fold(0.0, f64::max);
        assert!(seen > 0.97 * most, "2^{arena} × {count}: {seen} states, {each:?}");
        let orders: BTreeSet<u64> = searches.iter().filter_map(|search| search["depth"].as_u64()).collect();
        assert!(orders.len() > 1, "searches go deep in different ways: {orders:?}");
    }
}

#[test]
fn what_is_no_swarm_is_refused() {
    let model = file("philosophers.bir", &[]);
    let options = swarm(4, 16).store_options;
    let with = |store_options| Config { store_options, ..swarm(4, 16) };
    for (config, reason) in [
        (with(StoreOptions { swarm: Some(1), ..options }), "--swarm 1 is not from 2 to 4096"),
        (with(StoreOptions { coverage: true, ..options }), "--swarm 4 and --coverage are different ways"),
        (
            with(StoreOptions { refine: true, arena: None, ..options }),
            "--swarm 4 and --refine are different ways",
        ),
        (
            Config {
                store_options: StoreOptions { arena: None, ..options },
                store: StoreKind::Trie,
                ..swarm(4, 16)
            },
            "--swarm 4 has no meaning with --store trie",
        ),
        (
            Config {
                threads: Some(4),
                limits: Limits { memory: Some(3 << 20), ..Limits::default() },
                ..with(StoreOptions { arena: Some(23), ..options })
            },
            "takes 4194304 bytes for 4 searches at a time",
        ),
        (Config { threads: Some(0), ..swarm(4, 16) }, "--threads 0 would not get far"),
    ] {
        let said = check(&model, &config);
        let said = said.map_or_else(|said| said, |checked| format!("{:?}", checked.report.verdict));
        assert!(said.contains(reason), "{said}");
    }
}
