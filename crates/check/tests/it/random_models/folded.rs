//! One step stands for all steps that a symmetry of a state maps to each other.
//!
//! As many steps are counted as there are, and they end alike: in the same states up to renaming, in the same
//! faults, at the same bounds. So a search counts the same whether it takes all steps or not.

use std::collections::BTreeMap;

use engine::{Engine, OverEngine};
use quotient_check::Quiet;
use quotient_check::config::{Bounds, Naming, SearchKind, Symmetry};
use search::{Options, Outcome};
use store::Budget;
use symmetry::{Named, Symmetric};
use system::{Encoding, Fired, Steps, TransitionSystem};

use super::levels::FEW_STATES;
use super::orbits::{Flat, flat, ladder, stored};
use super::{ALIKE, ANY, load, models, survives};

/// How often steps end how.
fn ends(system: &Symmetric<'_>, state: &mut Named, steps: &Steps) -> BTreeMap<(u32, String, Flat), u32> {
    let mut ends = BTreeMap::new();
    for &(step, fault) in &steps.faults {
        *ends.entry((step.transition, format!("{fault:?}"), Flat::new())).or_default() += 1;
    }
    for &step in &steps.enabled {
        let fired = system.fire(state, step);
        let mut words = Flat::new();
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
            // Anew, since the next step starts from the same state.
            let mut encoding = Encoding::new();
            let names = state.names(system.engine()).clone();
            state.state().clone().encode_all(system.engine().layout(), &names, &mut encoding);
            words = flat(&encoding);
            system.undo(state);
        }
        *ends.entry((step.transition, format!("{fired:?}"), words)).or_default() += 1;
    }
    ends
}

/// How many steps others stood for.
#[derive(Default, Debug)]
struct Saved {
    /// Of other threads.
    threads: usize,
    /// Of the same thread, by the same transition.
    choices: usize,
}

impl std::iter::Sum for Saved {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            threads: sum.threads + one.threads,
            choices: sum.choices + one.choices,
        })
    }
}

/// Compares the steps of all states of a model, unless there are too many, with names by chains and with those
/// of small states.
fn folded(text: &str, bounds: Bounds) -> Result<Saved, String> {
    let engine = quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
    let both = [Naming::Chain, Naming::Auto].map(|naming| folded_under(&engine, Symmetry::Full, naming));
    both.into_iter().sum()
}

/// At the level `heap`, where only choices can stand for others.
fn folded_heap(text: &str, bounds: Bounds) -> Result<Saved, String> {
    let engine = quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
    let saved = folded_under(&engine, Symmetry::Heap, Naming::Auto)?;
    if saved.threads > 0 { Err(format!("{saved:?}")) } else { Ok(saved) }
}

fn folded_under(engine: &Engine, level: Symmetry, naming: Naming) -> Result<Saved, String> {
    let system = Symmetric::new(engine, ladder(level, naming));
    let Some(states) = stored(&system, SearchKind::Bfs, FEW_STATES) else { return Ok(Saved::default()) };
    let mut state = system.initial();
    let (mut all, mut folded) = (Steps::default(), Steps::default());
    let mut saved = Saved::default();
    for encoding in &states {
        system.decode(encoding, &mut state);
        system.steps(&mut state, &mut all);
        system.folded_steps(&mut state, &mut folded);
        let expected = ends(&system, &mut state, &all);
        let found = ends(&system, &mut state, &folded);
        if found != expected {
            return Err(format!(
                "{folded:?} stand for {all:?}, but lead to {found:?} instead of {expected:?}"
            ));
        }
        for step in all.enabled.iter().filter(|step| !folded.enabled.contains(step)) {
            let is_choice = folded
                .enabled
                .iter()
                .any(|other| (other.thread, other.transition) == (step.thread, step.transition));
            *(if is_choice { &mut saved.choices } else { &mut saved.threads }) += 1;
        }
    }
    for &search in SearchKind::ALL {
        let [plain, folded] = [false, true].map(|fold| counts(&explore(&system, search, fold)));
        if plain != folded {
            return Err(format!("{search}: {folded:?}, but {plain:?} if all steps are taken"));
        }
    }
    Ok(saved)
}

fn explore(system: &Symmetric<'_>, search: SearchKind, fold: bool) -> Outcome {
    let mut store = store::HashSetStore::new(&Budget::unlimited());
    let options = Options { keep_going: true, lookahead: false, fold, ..Options::default() };
    match search {
        SearchKind::Bfs => search::bfs(system, &mut store, &options, &mut Quiet),
        SearchKind::Dfs => search::dfs(system, &mut store, &options, &mut Quiet),
    }
}

/// All that a search counts, and what its violations are.
fn counts(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let violations =
        outcome.violations.iter().map(|found| (found.fault, found.count, found.trail.steps.len()));
    (
        outcome.stats,
        outcome.truncations.clone(),
        violations.collect::<Vec<_>>(),
        format!("{:?}", outcome.completeness),
    )
}

#[test]
fn steps_stand_for_steps_that_end_alike() {
    let all = models() / 2;
    let saved: Saved = (0..all).map(|seed| survives(seed, ANY, folded)).sum();
    let alike: Saved = (0..all).map(|seed| survives(seed, ALIKE, folded)).sum();
    eprintln!("{saved:?} and {alike:?} steps were not taken");
    assert!(saved.threads as u64 > all / 2 && alike.threads as u64 > 2 * all, "{saved:?}, {alike:?}");
    assert!((saved.choices + alike.choices) as u64 > all / 4, "{saved:?}, {alike:?}");
}

#[test]
fn choices_stand_for_choices_at_the_level_heap() {
    let all = models() / 2;
    let saved: Saved = [ANY, ALIKE]
        .into_iter()
        .flat_map(|of| (0..all).map(move |seed| survives(seed, of, folded_heap)))
        .sum();
    assert!(saved.choices as u64 > all / 4, "{saved:?}");
}

fn engine(text: &str, threads: u32) -> Engine {
    let mut bounds = super::bounds(0);
    (bounds.sizes.threads, bounds.sizes.objects) = (threads, threads);
    quotient_check::engine(&load(text).expect("it compiles"), bounds).expect("it fits")
}

/// Who is alike takes one step for all, however many there are: so there are as many steps to name as states,
/// and not as many as transitions.
#[test]
fn identical_threads_take_one_step_for_all() {
    let plain = |n: u32| format!("system S {{ int (0, {n}) x; active [{n}] thread W() {{ x := x + 1; }} }}");
    let with_objects = |n: u32| {
        format!(
            "system S {{ top record Node {{ Node next; int v; }} int (0, {n}) x;
             active [{n}] thread W() {{ Node a; a := new Node; a.next := a; a.v := 1; x := x + a.v; }} }}"
        )
    };
    let models = [("plain", 60, plain(60)), ("objects of their own", 12, with_objects(12))];
    for (which, n, text) in models {
        let engine = engine(&text, n);
        let searches = SearchKind::ALL.iter();
        for (&search, naming) in searches.flat_map(|search| [(search, Naming::Chain), (search, Naming::Auto)])
        {
            let system = Symmetric::new(&engine, ladder(Symmetry::Full, naming));
            let stats = explore(&system, search, true).stats;
            let taken = system.stats().steps;
            // A step for each kind of threads that there is: for each location at which some are.
            assert!(taken <= 5 * stats.states as u64, "{which}: {taken} steps, {stats:?}");
            assert!(stats.transitions > 2 * taken, "{which}: {taken} steps, {stats:?}");
        }
    }
}

/// Threads that differ in something, however little, take steps of their own.
#[test]
fn threads_that_differ_take_their_own_steps() {
    let node = "top record Node { Node next; int v; tid t; }";
    let differ = [
        (
            "a value",
            "thread W(int v) { int x; x := v; } main thread M() { atomic start W(1); start W(2); end }",
        ),
        (
            "who is mentioned",
            "tid w; thread W() { skip; } main thread M() { atomic w := start W(); start W(); end }",
        ),
        (
            "who is mentioned by another thread",
            "thread W() { skip; } main thread M() { tid w; atomic w := start W(); start W(); end skip; assert w != null; }",
        ),
        (
            "a value far away",
            "thread W(Node n) { n.next.v := 3; }
             main thread M() { Node a; Node b; atomic
               a := new Node; a.next := new Node; b := new Node; b.next := new Node; b.next.v := 1;
               start W(a); start W(b); a := null; b := null; end }",
        ),
        (
            "who is shared",
            "thread W(Node n, Node m) { n.v := 1; m.v := 2; }
             main thread M() { Node a; Node b; atomic a := new Node; b := new Node;
               start W(a, a); start W(a, b); a := null; b := null; end }",
        ),
    ];
    for (which, text) in differ {
        let engine = engine(&format!("system S {{ {node} {text} }}"), 5);
        let [chain, auto] = [Naming::Chain, Naming::Auto].map(|naming| ladder(Symmetry::Full, naming));
        let options = symmetry::Options { hash_bits: 0, ..auto.options };
        for config in [chain, auto, symmetry::SymmetryConfig { options, ..auto }] {
            let system = Symmetric::new(&engine, config);
            let states = stored(&system, SearchKind::Bfs, FEW_STATES).expect("there are few");
            // All threads have started, and none has moved.
            let mut state = system.initial();
            system.decode(&states[1], &mut state);
            let (mut all, mut folded) = (Steps::default(), Steps::default());
            system.steps(&mut state, &mut all);
            system.folded_steps(&mut state, &mut folded);
            assert!(all.enabled.len() >= 2, "{which}: {all:?}");
            assert_eq!(folded.enabled, all.enabled, "{which}");
        }
    }
}

/// With hashes of no bits, all pairs are proposed as exchanges, and most are no symmetries. No step is left out because of them.
#[test]
fn what_is_no_symmetry_is_not_believed() {
    let all = models() / 8;
    let mut saved = 0;
    for seed in 0..all {
        for source in [ANY, ALIKE] {
            saved += survives(seed, source, |text, bounds| {
                let engine =
                    quotient_check::engine(&load(text)?, bounds).map_err(|error| format!("{error:?}"))?;
                let full = ladder(Symmetry::Full, Naming::Auto);
                let options = symmetry::Options { hash_bits: 0, ..full.options };
                let exact = Symmetric::new(&engine, full);
                let coarse = Symmetric::new(&engine, symmetry::SymmetryConfig { options, ..full });
                let Some(states) = stored(&exact, SearchKind::Bfs, FEW_STATES) else { return Ok(0) };
                let (mut state, mut other) = (exact.initial(), coarse.initial());
                let (mut all, mut folded) = (Steps::default(), Steps::default());
                let mut saved = 0;
                for encoding in &states {
                    exact.decode(encoding, &mut state);
                    coarse.decode(encoding, &mut other);
                    exact.steps(&mut state, &mut all);
                    coarse.folded_steps(&mut other, &mut folded);
                    let expected = ends(&exact, &mut state, &all);
                    let found = ends(&exact, &mut state, &folded);
                    if found != expected {
                        return Err(format!("{folded:?} for {all:?}: {found:?} instead of {expected:?}"));
                    }
                    saved += all.enabled.iter().filter(|step| !folded.enabled.contains(step)).count();
                }
                Ok(saved)
            });
        }
    }
    assert!(saved > 0, "some are symmetries");
}

/// One choice stands for all that a symmetry maps it to, but not for those that differ, and what was chosen before
/// is not exchanged any more.
#[test]
fn choices_that_are_alike_stand_for_each_other() {
    let text = "system S {
        abstract enum E [5];
        Set.type<E> marked;
        E first;
        thread T() {
          E e; E f;
          loc begin: do { e := Set.choose(E.all); Set.add(marked, e); } goto two;
          loc two: do {
            e := Set.choose(E.all); f := Set.choose(E.all);
            assume e != f; first := e; Set.add(marked, f);
          } goto done;
          loc done: do { e := Set.choose(marked); } return;
        }
        main thread M() { start T(); }
      }";
    let engine = engine(text, 2);
    let system = Symmetric::new(&engine, ladder(Symmetry::Full, Naming::Auto));
    let states = stored(&system, SearchKind::Bfs, FEW_STATES).expect("there are few");
    let mut state = system.initial();
    let mut found = Vec::new();
    for encoding in &states {
        system.decode(encoding, &mut state);
        let (mut all, mut folded) = (Steps::default(), Steps::default());
        system.steps(&mut state, &mut all);
        system.folded_steps(&mut state, &mut folded);
        assert_eq!(ends(&system, &mut state, &folded), ends(&system, &mut state, &all));
        assert_eq!(folded.enabled.len(), all.enabled.len());
        folded.enabled.dedup();
        found.push((all.enabled.len(), folded.enabled.len()));
    }
    // All five are alike at first. Then one is marked: the first choice is that one or another, and the second
    // one that is marked, the one chosen first, or another.
    assert!(found.contains(&(5, 1)), "{found:?}");
    assert!(found.contains(&(20, 3)), "{found:?}");
}
