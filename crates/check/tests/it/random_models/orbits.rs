//! States up to renaming.
//!
//! However a state is renamed, its canonical form is the same, and so are its properties and, up to renaming,
//! its successors. So what a search stores at any level, put in canonical form, are the canonical forms of
//! the states that there are without symmetry.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Engine, EngineState};
use quotient_check::Quiet;
use quotient_check::config::{Bounds, Config, Naming, SearchKind, Symmetry};
use search::{Completeness, Options};
use state::{Names, NodeRef, State};
use store::{Budget, StateId, StateStore};
use symmetry::{Level, Namer, Symmetric, SymmetryConfig};
use system::{Encoding, Fault, Fired, Halt, Key, Steps, TransitionSystem};
use testing::SplitMix64;

use super::levels::{FEW_STATES, LOWER};
use super::{ALIKE, ANY, load, models, survives};

pub type Flat = Vec<u64>;

pub fn flat(encoding: &Encoding) -> Flat {
    let mut words = Vec::new();
    encoding.flatten(&mut words);
    words
}

pub fn ladder(symmetry: Symmetry, naming: Naming) -> SymmetryConfig {
    Config { symmetry, naming: Some(naming), ..Config::default() }.ladder().expect("something is renamed")
}

/// The canonical form of a state, found from scratch.
fn canonical(engine: &Engine, state: &mut State, naming: Naming) -> Flat {
    let layout = engine.layout();
    let mut namer = Namer::new(ladder(Symmetry::Full, naming), layout, state);
    let mut encoding = Encoding::new();
    let names = namer.names(layout, state);
    state.encode_all(layout, names, &mut encoding);
    assert_eq!(namer.take_stats().exhausted, 0, "the search was given up");
    flat(&encoding)
}

pub fn decoded(engine: &Engine, encoding: &Encoding) -> EngineState {
    let mut state = engine.initial();
    engine.decode(encoding, &mut state);
    state
}

/// Everything that a search stores, unless it is too much.
pub fn stored(system: &impl TransitionSystem, search: SearchKind, most: u64) -> Option<Vec<Encoding>> {
    let mut store = store::HashSetStore::new(&Budget::unlimited());
    let options = Options { keep_going: true, max_states: Some(most as usize), ..Options::default() };
    let outcome = match search {
        SearchKind::Bfs => search::bfs(system, &mut store, &options, &mut Quiet),
        SearchKind::Dfs => search::dfs(system, &mut store, &options, &mut Quiet),
    };
    let ids = 0..store.len() as u64;
    let decode = |id| {
        let mut encoding = Encoding::new();
        store.decode(StateId(id), &mut encoding);
        encoding
    };
    (outcome.completeness == Completeness::Exhausted).then(|| ids.map(decode).collect())
}

/// Ways to give names. Whether hashes collide and searches are given up costs time or states, and nothing
/// else.
fn ladders(seed: u64, naming: Naming) -> [SymmetryConfig; 4] {
    let full = ladder(Symmetry::Full, naming);
    let options = full.options;
    [
        full,
        SymmetryConfig { options: symmetry::Options { hash_bits: 1, ..options }, ..full },
        SymmetryConfig { options: symmetry::Options { budget: 0, ..options }, ..full },
        // One of the lower levels, each in its turn.
        ladder(LOWER[seed as usize % LOWER.len()], naming),
    ]
}

/// Counts the states of a model that differ in more than names, unless there are too many.
fn orbits(text: &str, bounds: Bounds, seed: u64) -> Result<Option<usize>, String> {
    let engine = quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
    let Some(states) = stored(&engine, SearchKind::Bfs, FEW_STATES) else { return Ok(None) };
    let mut count = None;
    for &naming in Naming::ALL {
        let canonical =
            |encoding: &Encoding| canonical(&engine, &mut decoded(&engine, encoding).state, naming);
        let orbits: BTreeSet<Flat> = states.iter().map(canonical).collect();
        if *count.get_or_insert(orbits.len()) != orbits.len() {
            return Err(format!("{count:?} orbits, but {} by {naming}", orbits.len()));
        }
        for &search in SearchKind::ALL {
            for ladder in ladders(seed, naming) {
                let way = format!("{search}, {ladder:?}");
                let system = Symmetric::new(&engine, ladder);
                // Where names are not canonical, several states can be one.
                let stored = stored(&system, search, 10 * FEW_STATES).ok_or("too many states")?;
                let found: BTreeSet<Flat> = stored.iter().map(canonical).collect();
                if found != orbits {
                    return Err(format!("{way}: {} orbits, but there are {}", found.len(), orbits.len()));
                }
                if ladder.level != Level::Full || system.stats().exhausted > 0 {
                    continue;
                }
                if stored.len() != orbits.len() {
                    return Err(format!("{way}: {} states of {} orbits", stored.len(), orbits.len()));
                }
                // With other hashes, other names are canonical.
                let from_scratch = ladder.options.hash_bits == 64;
                if from_scratch && !stored.iter().map(flat).all(|words| orbits.contains(&words)) {
                    return Err(format!("{way}: what is stored is not what it would be from scratch"));
                }
            }
        }
    }
    Ok(count)
}

#[test]
fn searches_store_the_states_up_to_renaming() {
    let all = models() / 2;
    for source in [ANY, ALIKE] {
        let counts =
            (0..all).filter_map(|seed| survives(seed, source, |text, bounds| orbits(text, bounds, seed)));
        let counts: Vec<usize> = counts.collect();
        let (compared, orbits) = (counts.len() as u64, counts.iter().sum::<usize>());
        eprintln!("{compared} models, {orbits} orbits");
        assert!(compared > all / 2, "{compared} of {all}");
        assert!(orbits as u64 > 30 * all, "{orbits} in {all}");
    }
}

/// Names by chance.
pub fn shuffled(engine: &Engine, state: &State, random: &mut SplitMix64) -> Names {
    fn permutation(random: &mut SplitMix64, len: usize) -> Vec<u32> {
        let mut names: Vec<u32> = (0..len as u32).collect();
        for last in (1..len).rev() {
            names.swap(last, random.below(last + 1));
        }
        names
    }
    let layout = engine.layout();
    let mut names = Names {
        threads: vec![u32::MAX; state.thread_limit() as usize],
        objects: vec![u32::MAX; state.object_limit() as usize],
        abstracts: Vec::new(),
    };
    let threads = state.units().filter(|node| matches!(node, NodeRef::Thread(_))).count();
    let objects = state.units().filter(|node| matches!(node, NodeRef::Object(_))).count();
    let mut threads = permutation(random, threads).into_iter();
    let mut objects = permutation(random, objects).into_iter();
    for node in state.units() {
        match node {
            NodeRef::Root => {}
            NodeRef::Thread(id) => names.threads[id.0 as usize] = threads.next().expect("one for each"),
            NodeRef::Object(id) => names.objects[id.0 as usize] = objects.next().expect("one for each"),
        }
    }
    for (of, &count) in (0..).zip(&layout.abstracts) {
        // What is pinned keeps its name.
        let free: Vec<u32> = (0..count).filter(|&id| !layout.named_constants.contains(&(of, id))).collect();
        let mut abstracts: Vec<u32> = (0..count).collect();
        for (&id, name) in free.iter().zip(permutation(random, free.len())) {
            abstracts[id as usize] = free[name as usize];
        }
        names.abstracts.push(abstracts);
    }
    names
}

/// What can be observed in a state and right after it, whatever the names.
#[derive(PartialEq, Eq, Debug)]
struct Observable {
    canonical: Flat,
    ended: bool,
    check: Result<(), Halt>,
    /// By transition, and how many there are.
    outcomes: BTreeMap<(u32, Outcome), u32>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Moved(Flat),
    /// By kind and site.
    Fault(String, u32),
    Truncated(String),
}

fn observe(engine: &Engine, state: &mut EngineState, naming: Naming) -> Observable {
    let mut outcomes: BTreeMap<_, u32> = BTreeMap::new();
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    let fault = |fault: Fault| Outcome::Fault(fault.kind.to_string(), fault.site);
    for &(step, found) in &steps.faults {
        *outcomes.entry((step.transition, fault(found))).or_default() += 1;
    }
    let mut encoding = Encoding::new();
    for &step in &steps.enabled {
        let outcome = match engine.fire(state, step) {
            Fired::Moved | Fired::MovedWithFault(_) => {
                state.state.mark_all_unencoded();
                encoding.clear();
                engine.encode(state, &mut encoding);
                let outcome = canonical(engine, &mut decoded(engine, &encoding).state, naming);
                engine.undo(state);
                Outcome::Moved(outcome)
            }
            Fired::Fault(found) => fault(found),
            Fired::Truncated(bound) => Outcome::Truncated(format!("{bound:?}")),
            Fired::Abandoned => unreachable!("the state heeds no alarm"),
        };
        *outcomes.entry((step.transition, outcome)).or_default() += 1;
    }
    Observable {
        canonical: canonical(engine, &mut state.state, naming),
        ended: engine.ended(state),
        check: engine.check(state),
        outcomes,
    }
}

/// How many states of a model to look at.
const SAMPLES: usize = 8;

fn names_are_unobservable(text: &str, bounds: Bounds, seed: u64) -> Result<usize, String> {
    let engine = quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
    let Some(states) = stored(&engine, SearchKind::Bfs, FEW_STATES) else { return Ok(0) };
    let mut random = SplitMix64::new(seed);
    let mut renamed = 0;
    for _ in 0..SAMPLES {
        let naming = *random.pick(Naming::ALL);
        let mut state = decoded(&engine, random.pick(&states));
        let expected = observe(&engine, &mut state, naming);
        let names = shuffled(&engine, &state.state, &mut random);
        let mut encoding = Encoding::new();
        state.state.encode_all(engine.layout(), &names, &mut encoding);
        let found = observe(&engine, &mut decoded(&engine, &encoding), naming);
        if found != expected {
            return Err(format!("{naming}, as {names:?}:\n{found:#?}\nbut before:\n{expected:#?}"));
        }
        let mut plain = Encoding::new();
        state.state.mark_all_unencoded();
        engine.encode(&mut state, &mut plain);
        renamed += usize::from(!plain.same(&encoding));
    }
    Ok(renamed)
}

#[test]
fn nobody_can_tell_names() {
    let all = models() / 2;
    let mut renamed = 0;
    for source in [ANY, ALIKE] {
        for seed in 0..all {
            renamed += survives(seed, source, |text, bounds| names_are_unobservable(text, bounds, seed));
        }
    }
    eprintln!("{renamed} states renamed");
    assert!(renamed as u64 > 5 * all, "{renamed} states of {all} models are renamed");
}

/// Walks through a model under symmetry, back and forth. What a state is called does not depend on the way
/// there.
fn walk(text: &str, bounds: Bounds, seed: u64) -> Result<usize, String> {
    let engine = quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
    let mut random = SplitMix64::new(seed);
    let level = *random.pick(&[&LOWER[..], &[Symmetry::Full]].concat());
    let naming = *random.pick(Naming::ALL);
    let system = Symmetric::new(&engine, ladder(level, naming));
    let mut state = system.initial();
    let mut encoding = Encoding::new();
    system.encode(&mut state, &mut encoding);
    let mut way = vec![encoding.clone()];
    let mut offered = Steps::default();
    let mut taken = 0;
    for _ in 0..40 {
        system.steps(&mut state, &mut offered);
        let parent = way[way.len() - 1].clone();
        let at_parent = encoding.now();
        for &step in &offered.enabled {
            let before = state.state().snapshot();
            if system.fire(&mut state, step) == Fired::Moved {
                taken += 1;
                if random.chance(80) {
                    system.encode(&mut state, &mut encoding);
                    let keys = encoding.components().chain(parent.components()).map(|(key, _)| key);
                    let differ = |key: &Key| encoding.get(*key) != parent.get(*key);
                    if let Some(touched) = encoding.touched(at_parent)
                        && let Some(key) = keys.filter(differ).find(|key| !touched.contains(key))
                    {
                        return Err(format!("{level}, {naming}: {key:?} changed unnoticed by {step:?}"));
                    }
                }
                system.undo(&mut state);
            }
            if before != state.state().snapshot() {
                return Err(format!("{level}, {naming}: {step:?} was not undone"));
            }
        }
        system.encode(&mut state, &mut encoding);
        if !encoding.same(&parent) {
            return Err(format!("{level}, {naming}: the encoding was not undone"));
        }
        if offered.enabled.is_empty() || random.chance(25) {
            for _ in 0..random.below(way.len()) {
                system.undo(&mut state);
                way.pop();
            }
            system.encode(&mut state, &mut encoding);
            if !encoding.same(&way[way.len() - 1]) {
                return Err(format!("{level}, {naming}: several steps were not undone"));
            }
            if random.chance(30) {
                system.decode(&encoding, &mut state);
                system.encode(&mut state, &mut encoding);
                way = vec![encoding.clone()];
            }
            continue;
        }
        let step = *random.pick(&offered.enabled);
        if system.fire(&mut state, step) == Fired::Moved {
            system.encode(&mut state, &mut encoding);
            way.push(encoding.clone());
        }
    }
    Ok(taken)
}

#[test]
fn steps_are_undone_under_their_names() {
    let all = models() / 2;
    let mut taken = 0;
    for source in [ANY, ALIKE] {
        for seed in 0..all {
            taken += survives(seed, source, |text, bounds| walk(text, bounds, seed));
        }
    }
    assert!(taken as u64 > 50 * all, "{taken} steps in {all} models");
}
