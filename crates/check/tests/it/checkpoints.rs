//! A check that was stopped and goes on from its checkpoint has the report of one that was not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use quotient_check::Model;
use quotient_check::checkpoint::{Checkpointing, Command};
use quotient_check::config::{Bounds, Config, Limits, Minimise, Pace, SearchKind, StoreKind, Symmetry};
use testing::promela::{Purpose, program};
use testing::{SplitMix64, files_below, models, random_model, random_model_of_the_alike};

use crate::common::load;
use crate::threads::{self, Comparison, options};

/// What a check says. As the command does, it leaves nothing behind if it is over.
fn said(model: &Model, config: &Config) -> String {
    let said = threads::said(model, config);
    if let Some(wanted) = config.checkpoint.as_ref().filter(|_| said.starts_with('{'))
        && (!said.contains("\"checkpoint\": {") || said.contains("\"states\": null"))
    {
        quotient_check::checkpoint::remove(&wanted.folder);
    }
    said
}

/// A folder that is not there yet.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("quotient-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let folder = Self(std::env::temp_dir().join(name));
        folder.clear();
        folder
    }

    fn clear(&self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.clear();
    }
}

fn checkpointing(folder: &Path, every: Duration) -> Checkpointing {
    let resumes = folder.exists();
    Checkpointing { folder: folder.to_owned(), every, resumes, command: Command::default() }
}

/// How often checks went on from a checkpoint, beside the comparison.
#[derive(Default)]
struct Stops {
    comparison: Comparison,
    resumed: u64,
}

impl Stops {
    /// Checks a model, stops the check again and again, and lets it go on with other numbers of threads.
    fn compare(&mut self, name: &str, model: &Model, random: &mut SplitMix64, is_promela: bool) {
        let mut config = Config { safety: true, minimise: Minimise::Off, ..options(random, is_promela) };
        if is_promela {
            config.bounds = Bounds::default();
        }
        if random.chance(30) {
            config.store =
                *random.pick(&[StoreKind::Exact, StoreKind::Collapse, StoreKind::Gzip, StoreKind::Naive]);
        }
        let begun = Instant::now();
        let whole = said(model, &config);
        let time = begun.elapsed();
        let folder = Folder::new();
        for attempt in 0..6 {
            let several = config.store == StoreKind::Trie && random.chance(50);
            let [round, chunk] = *random.pick(&[[1, 1], [5, 3], [40, 7], [4096, 16]]);
            let pace = Pace {
                from: 0,
                wide: 1 + random.below(3),
                round: Some(round),
                chunk: Some(chunk),
                ..Pace::default()
            };
            let limit = (attempt < 5).then(|| time.mul_f64(random.below(100) as f64 / 80.0));
            let every = if random.chance(20) { Duration::ZERO } else { Duration::from_mins(10) };
            let stopped = Config {
                threads: several.then(|| *random.pick(&[2, 3, 8])),
                pace,
                limits: Limits { time: limit, ..config.limits.clone() },
                checkpoint: Some(checkpointing(&folder.0, every)),
                ..config.clone()
            };
            let found = said(model, &stopped);
            if found.contains("are interchangeable, and which") || found.contains("reads hidden variables") {
                return;
            }
            if folder.0.exists() {
                self.resumed += 1;
                assert!(found.contains("\"checkpoint\""), "{name}: the report names the checkpoint\n{found}");
                continue;
            }
            if limit.is_some() && found != whole && found.contains("the time limit was reached") {
                // It was stopped before there was anything to keep.
                continue;
            }
            self.comparison.count += u64::from(whole.starts_with('{'));
            if found != whole {
                let lines = whole.lines().zip(found.lines());
                let different: Vec<_> = lines.filter(|(one, other)| one != other).take(4).collect();
                let difference = format!("{name}, attempt {attempt}: {different:#?}\n{stopped:?}");
                self.comparison.differences.push(difference);
            }
            return;
        }
    }
}

#[test]
fn bundled_models_go_on() {
    let (mut random, mut stops) = (SplitMix64::new(1), Stops::default());
    for round in 0..testing::effort(1) {
        for ending in ["bir", "pml"] {
            for file in files_below(&models(), ending) {
                let Ok(model) = load(&file.name, file.text.as_bytes(), &[]) else { continue };
                let name = format!("{} in round {round}", file.name);
                stops.compare(&name, &model, &mut random, ending == "pml");
            }
        }
    }
    assert!(stops.resumed > 20, "{} went on", stops.resumed);
    stops.comparison.conclude(100 * testing::effort(1));
}

#[test]
fn random_models_go_on() {
    let (mut random, mut stops) = (SplitMix64::new(2), Stops::default());
    let models = testing::effort(60);
    for seed in 0..models {
        let text = if seed % 2 == 0 { random_model(seed) } else { random_model_of_the_alike(seed) };
        let Ok(model) = load("random.bir", text.as_bytes(), &[]) else { continue };
        stops.compare(&format!("seed {seed}"), &model, &mut random, false);
        let text = program(11, seed, Purpose::Safety).to_string();
        let Ok(model) = load("random.pml", text.as_bytes(), &[]) else { continue };
        stops.compare(&format!("program {seed}"), &model, &mut random, true);
    }
    assert!(stops.resumed > 20, "{} went on", stops.resumed);
    stops.comparison.conclude(models);
}

fn philosophers() -> Model {
    let file = files_below(&models(), "bir")
        .into_iter()
        .find(|file| file.name.ends_with("philosophers_ordered.bir"));
    let file = file.expect("it is bundled");
    load(&file.name, file.text.as_bytes(), &[("N".to_owned(), "6".to_owned())]).expect("a model")
}

/// Runs out of time, so that there is a checkpoint and one before.
fn stop(model: &Model, config: &Config, folder: &Path) {
    for time in 1.. {
        let limits = Limits { time: Some(Duration::from_millis(time)), ..Limits::default() };
        let checkpoint = Some(checkpointing(folder, Duration::ZERO));
        said(model, &Config { limits, checkpoint, ..config.clone() });
        if folder.join("checkpoint.old").exists() {
            break;
        }
    }
}

/// A byte of a file that is another one makes the check go on from the checkpoint before, or refuse to.
#[test]
fn a_damaged_checkpoint_is_not_believed() {
    let (model, folder, config) = (philosophers(), Folder::new(), Config::unreduced());
    let whole = said(&model, &config);
    stop(&model, &config, &folder.0);
    let kept = Folder::new();
    fs::rename(&folder.0, &kept.0).expect("there is a checkpoint");
    let names: Vec<_> =
        fs::read_dir(&kept.0).expect("a folder").map(|entry| entry.unwrap().file_name()).collect();
    let names: Vec<_> = names.into_iter().filter(|name| name != "lock").collect();
    assert_eq!(names.len(), 2, "a checkpoint and the one before: {names:?}");
    let mut random = SplitMix64::new(4);
    let mut refused = 0;
    for round in 0..testing::effort(60) {
        folder.clear();
        fs::create_dir(&folder.0).unwrap();
        for name in &names {
            let mut bytes = fs::read(kept.0.join(name)).unwrap();
            if name == "checkpoint" || round % 3 == 0 {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes.truncate(at),
                    _ => bytes[at] ^= 1 << random.below(8),
                }
            }
            fs::write(folder.0.join(name), bytes).unwrap();
        }
        let checkpoint = Some(checkpointing(&folder.0, Duration::from_mins(10)));
        let found = said(&model, &Config { checkpoint, ..config.clone() });
        if round % 3 == 0 {
            assert!(found.contains("no checkpoint is left to go on from"), "{found}");
            refused += 1;
        } else {
            assert_eq!(found, whole);
        }
    }
    assert!(refused > 10);
}

#[test]
fn a_checkpoint_of_another_model_is_refused() {
    let (model, folder, config) = (philosophers(), Folder::new(), Config::unreduced());
    stop(&model, &config, &folder.0);
    let text =
        "system S { int (0, 3) x; active[2] thread T() { loc a: when x < 3 do { x := x + 1; } goto a; } }";
    let other = load("other.bir", text.as_bytes(), &[]).expect("a model");
    let resuming = Config { checkpoint: Some(checkpointing(&folder.0, Duration::ZERO)), ..config.clone() };
    assert!(said(&other, &resuming).contains("the model has changed since"));
    let mut again = resuming.clone();
    again.checkpoint.as_mut().expect("there").resumes = false;
    assert!(said(&model, &again).contains("there is a checkpoint of another check"));
    assert_eq!(said(&model, &resuming), said(&model, &config), "it is still there");
}

/// Where checkpoints can't be written any more, the search goes on and says so.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_end_the_search() {
    let (model, folder, config) = (philosophers(), Folder::new(), Config::unreduced());
    // The first file that is written there finds no space.
    let full = folder.0.join("checkpoint.new");
    let whole = said(&model, &config);
    for every in [Duration::from_mins(10), Duration::ZERO] {
        fs::create_dir_all(&folder.0).unwrap();
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        let checkpoint = Some(Checkpointing { resumes: false, ..checkpointing(&folder.0, every) });
        let config = Config { checkpoint, ..config.clone() };
        if every.is_zero() {
            assert_eq!(said(&model, &config), whole);
        } else {
            let limits = Limits { time: Some(Duration::from_millis(2)), ..Limits::default() };
            let found = said(&model, &Config { limits, ..config });
            assert!(found.contains("\"states\": null") && found.contains("No space left"), "{found}");
        }
    }
}

/// What has no points to go on from is refused by name.
#[test]
fn what_keeps_no_checkpoints_is_refused() {
    let (model, folder) = (philosophers(), Folder::new());
    let base = Config { checkpoint: Some(checkpointing(&folder.0, Duration::ZERO)), ..Config::default() };
    for (config, reason) in [
        (Config { search: Some(SearchKind::Dfs), ..base.clone() }, "--checkpoint needs --search bfs"),
        (
            Config { store: StoreKind::Compact, ..base.clone() },
            "--checkpoint needs a store that gives states back",
        ),
        (
            Config { store: StoreKind::Automaton, ..base.clone() },
            "--checkpoint needs a store that gives states back",
        ),
        (Config { symmetry: Symmetry::Pc, ..base.clone() }, "--checkpoint does not keep the age of threads"),
        (Config { non_progress: true, ..base.clone() }, "--checkpoint is for reachable states"),
    ] {
        let said = said(&model, &config);
        assert!(said.contains(reason), "{said}");
    }
    assert!(!folder.0.exists(), "nothing was begun");
}
