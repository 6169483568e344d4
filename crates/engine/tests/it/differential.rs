//! The engine against the plain interpreter on random programs with objects, locks and functions.

use std::collections::BTreeMap;

use quotient_engine::Engine;
use state::Bounds;
use system::{FaultKind, Fired, Steps, TransitionSystem};
use testing::{philosophers, random_program};

use crate::harness::{Family, Found, Pair, Search, undo_restores};

const BOUNDS: Bounds = Bounds { threads: 5, frames: 6, objects: 7 };
const MOST_STATES: usize = 1500;

const FAMILY: Family = Family {
    program: random_program,
    bounds: BOUNDS,
    most_states: MOST_STATES,
    explored: 1000,
    walked: 500,
    undone: 250,
};

#[test]
fn random_programs_have_the_same_states_and_faults() {
    let tally = FAMILY.explore();
    assert!(tally.faulty < tally.all * 9 / 10, "{tally:?}");
}

#[test]
fn random_walks_offer_the_same_steps() {
    FAMILY.walk();
}

#[test]
fn undo_restores_random_programs() {
    FAMILY.undo();
}

#[test]
fn philosophers_undo_and_counts() {
    for (n, states, matched) in [(3, 36, 41), (5, 393, 1024), (7, 4287, 17394)] {
        let program = philosophers(n);
        undo_restores(&Pair::new(&program, BOUNDS, false).engine, n as u64, 100);
        let engine = Engine::new(&program, Bounds::default(), false);
        for search in [Search::Bfs, Search::Dfs] {
            let found = Found::by_engine(&engine, search);
            assert_eq!((found.states, found.matched), (states, matched));
            assert_eq!(found.faults, BTreeMap::from([(FaultKind::Deadlock, 1)]));
        }
    }
}

/// Two choices in one body, the second of which depends on the first, with an obstacle behind them.
#[test]
fn several_choice_points_in_one_step() {
    let program = testing::program(
        "program p;
        global lock m;
        global lock n;
        global int (0, 3) waiting;
        thread Waiter(lock l) {
          loc a: do { lock(l); waiting := waiting + 1; wait(l); } goto b;
          loc b: do { unwait(l); unlock(l); } return;
        }
        thread Notifier() {
          loc a: when waiting == 3 do { lock(m); notify(m); notify(m); notify(m); unlock(m); lock(n); } return;
        }
        thread Main() {
          loc a: do {
            m := new lock;
            n := new lock;
            start Waiter(m);
            start Waiter(m);
            start Waiter(m);
            start Notifier();
          } return;
        }
        active Main;",
    );
    let pair = Pair::new(&program, BOUNDS, false);
    pair.explore(MOST_STATES).expect("a small program");
    let engine = &pair.engine;
    // All three wait: three, then two, then one to choose from.
    let mut state = engine.initial();
    let mut offered = Steps::default();
    for _ in 0..4 {
        engine.steps(&mut state, &mut offered);
        assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Moved);
    }
    engine.steps(&mut state, &mut offered);
    let mut choices: Vec<u32> = offered.enabled.iter().map(|step| step.choice).collect();
    choices.sort_unstable();
    assert_eq!(choices, [0, 1, 2, 3, 4, 5]);
    for seed in 0..20 {
        pair.walk(seed, 30);
        Pair::new(&program, BOUNDS, true).walk(seed, 30);
    }
}
