//! Any number of worker threads gives the same report and the same trail, but for times, bytes and effort.
//!
//! Models and random programs are checked with one thread and with several, under random options. The work is
//! divided in unusual ways, so that small state spaces show differences: rounds of one state, chunks of three,
//! workers from the first state on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quotient_check::config::{
    Bounds, Config, Limits, Minimise, OnBound, Pace, SearchKind, Sizes, StoreKind, Switch, Symmetry,
};
use quotient_check::{Model, Quiet};
use testing::promela::{Purpose, program};
use testing::{SplitMix64, files_below, models, random_model, random_model_of_the_alike};

use crate::common::load;

/// Longer searches are cut off, which must not depend on threads either.
const MOST_STATES: u64 = 1500;

/// What a check says, without what may differ: times, how much memory was used for what, and effort.
pub fn said(model: &Model, config: &Config) -> String {
    let interrupt = Arc::new(AtomicBool::new(false));
    let check = || quotient_check::check(model, config, 0, &interrupt, &mut Quiet);
    let checked = match catch_unwind(AssertUnwindSafe(check)) {
        Ok(Ok(checked)) => checked,
        Ok(Err(error)) => return format!("{error:?}"),
        Err(_) => return "a panic".to_owned(),
    };
    let mut report = serde_json::to_value(&checked.report).expect("a report is JSON");
    let report_map = report.as_object_mut().expect("an object");
    for key in [
        "threads",
        "seconds",
        "minimise_seconds",
        "states_per_second",
        "transitions_per_second",
        "peak_memory_bytes",
    ] {
        report_map.remove(key);
    }
    let store = report_map["store"].as_object_mut().expect("an object");
    // All other figures of a store are about its memory.
    store.retain(|key, _| ["kind", "expected_omissions", "probability_complete"].contains(&&key[..]));
    // How much had to be done depends on which state came before.
    let symmetry = report_map["symmetry"].as_object_mut().expect("an object");
    assert!(symmetry.remove("touched_per_step").is_some());
    for property in report_map["properties"].as_array_mut().expect("a list") {
        property.as_object_mut().expect("an object").remove("seconds");
    }
    format!("{}\n{:?}", serde_json::to_string_pretty(&report).expect("it is printed"), checked.trail)
}

pub fn options(random: &mut SplitMix64, is_promela: bool) -> Config {
    let level = *random.pick(&[Symmetry::None, Symmetry::Heap, Symmetry::Full, Symmetry::Full]);
    let switch = |random: &mut SplitMix64| *random.pick(&[Switch::Auto, Switch::Auto, Switch::Off]);
    let depth = random.chance(10).then(|| random.below(40) as u64);
    Config {
        // In Promela models, other levels than `none` and `full` are no different.
        symmetry: if is_promela && level == Symmetry::Heap { Symmetry::None } else { level },
        store: StoreKind::Trie,
        search: Some(SearchKind::Bfs),
        por: switch(random),
        merge: switch(random),
        safety: random.chance(80),
        keep_going: random.chance(50),
        minimise: if random.chance(10) { Minimise::On } else { Minimise::Off },
        limits: Limits {
            states: Some(1 + random.below(MOST_STATES as usize) as u64),
            depth,
            ..Limits::default()
        },
        bounds: Bounds {
            sizes: match random.below(4) {
                0 => Sizes { threads: 4, frames: 4, objects: 6 },
                _ => Sizes::default(),
            },
            on_bound: if random.chance(20) { OnBound::Error } else { OnBound::Truncate },
        },
        ..Config::default()
    }
}

/// Comparisons, and what was different.
#[derive(Default)]
pub struct Comparison {
    pub count: u64,
    pub differences: Vec<String>,
}

impl Comparison {
    /// Compares one thread with several in one model.
    fn compare(&mut self, name: &str, model: &Model, random: &mut SplitMix64, is_promela: bool) {
        let mut config = options(random, is_promela);
        if is_promela {
            config.bounds = Bounds::default();
        }
        let alone = said(model, &Config { threads: Some(1), ..config.clone() });
        let threads = *random.pick(&[2, 3, 8]);
        let [round, chunk] = *random.pick(&[[1, 1], [5, 3], [40, 7], [4096, 16], [4096, 512]]);
        let pace = Pace {
            from: 0,
            wide: 1 + random.below(3),
            round: Some(round),
            chunk: Some(chunk),
            ..Pace::default()
        };
        let together = Config { threads: Some(threads), pace, ..config };
        let found = said(model, &together);
        if found.contains("are interchangeable, and which") || found.contains("reads hidden variables") {
            return;
        }
        self.count += u64::from(alone.starts_with('{'));
        if found != alone {
            let lines = alone.lines().zip(found.lines());
            let different: Vec<_> = lines.filter(|(one, several)| one != several).take(4).collect();
            self.differences.push(format!("{name}: {different:#?}\n{together:?}"));
        }
    }

    pub fn conclude(self, least: u64) {
        let Self { count, differences } = self;
        let number = differences.len();
        assert!(number == 0, "{number} of {count} differ:\n{}", differences[..number.min(12)].join("\n"));
        assert!(count > least, "{count} were compared");
    }
}

#[test]
fn bundled_models_have_the_same_reports() {
    let (mut random, mut comparison) = (SplitMix64::new(1), Comparison::default());
    for round in 0..testing::effort(1) {
        for ending in ["bir", "pml"] {
            for file in files_below(&models(), ending) {
                let Ok(model) = load(&file.name, file.text.as_bytes(), &[]) else { continue };
                let name = format!("{} in round {round}", file.name);
                comparison.compare(&name, &model, &mut random, ending == "pml");
            }
        }
    }
    comparison.conclude(150 * testing::effort(1));
}

#[test]
fn random_models_have_the_same_reports() {
    let (mut random, mut comparison) = (SplitMix64::new(2), Comparison::default());
    let models = testing::effort(60);
    for seed in 0..models {
        let text = if seed % 2 == 0 { random_model(seed) } else { random_model_of_the_alike(seed) };
        let Ok(model) = load("random.bir", text.as_bytes(), &[]) else { continue };
        comparison.compare(&format!("seed {seed}"), &model, &mut random, false);
    }
    comparison.conclude(models / 2);
}

#[test]
fn random_promela_programs_have_the_same_reports() {
    let (mut random, mut comparison) = (SplitMix64::new(3), Comparison::default());
    let programs = testing::effort(60);
    for index in 0..programs {
        let purpose = if index % 4 == 0 { Purpose::Properties } else { Purpose::Safety };
        let text = program(11, index, purpose).to_string();
        let Ok(model) = load("random.pml", text.as_bytes(), &[]) else { continue };
        comparison.compare(&format!("program {index}"), &model, &mut random, true);
    }
    comparison.conclude(programs / 2);
}

/// What several threads cannot do is refused by name.
#[test]
fn what_needs_one_thread_is_refused() {
    let file = files_below(&models(), "bir").into_iter().find(|file| file.name.ends_with("philosophers.bir"));
    let file = file.expect("it is bundled");
    let model = load(&file.name, file.text.as_bytes(), &[]).expect("a model");
    let two = Config { threads: Some(2), ..Config::default() };
    for (config, reason) in [
        (Config { threads: Some(0), ..two.clone() }, "--threads 0 would not get far"),
        (Config { threads: Some(100_000), ..two.clone() }, "--threads 100000 is more than 512"),
        (Config { search: Some(SearchKind::Dfs), ..two.clone() }, "--threads 2 needs --search bfs"),
        (Config { store: StoreKind::Exact, ..two.clone() }, "--threads 2 needs --store trie"),
        (Config { store: StoreKind::Automaton, ..two.clone() }, "--threads 2 needs --search bfs"),
        (Config { symmetry: Symmetry::Pc, ..two.clone() }, "--symmetry pc lets the age"),
        (Config { non_progress: true, ..two.clone() }, "--threads 2 is for reachable states"),
    ] {
        let said = said(&model, &config);
        assert!(said.contains(reason), "{said}");
    }
}
