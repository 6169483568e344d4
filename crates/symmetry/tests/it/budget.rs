//! A search that is cut short: names may not be canonical, but they are names.

use std::collections::BTreeSet;

use quotient_symmetry::{Namer, Options, SymmetryConfig};
use state::{Layout, State};
use testing::{SplitMix64, effort, philosophers};

use crate::forms::{Form, NAMINGS, decode, encode, form, full, shuffled};
use crate::hard::{boards, crossed, crossing, cycles, linked, named, objects};
use crate::incremental::assert_bijective;
use crate::orbits::{engine, explore};
use crate::random::{random_state, shapes};

fn cut_short(config: SymmetryConfig, budget: u64) -> SymmetryConfig {
    SymmetryConfig { options: Options { budget, ..config.options }, ..config }
}

/// Holds what is left of a promise: bijective names, and the same state. Says whether the search was cut
/// short.
fn check(layout: &Layout, state: &State, budget: u64) -> bool {
    let mut is_exhausted = false;
    for naming in NAMINGS {
        let config = cut_short(full(naming), budget);
        let expected = form(full(naming), layout, state);
        let mut copy = state.clone();
        let mut namer = Namer::new(config, layout, &mut copy);
        assert_bijective(layout, state, namer.names(layout, &mut copy));
        let (found, stats) = named(config, layout, state);
        assert_eq!(stats.named, 1);
        let back = decode(layout, &encode(config, layout, state));
        assert_eq!(form(full(naming), layout, &back), expected, "{config:?}");
        match stats.exhausted {
            0 => {
                assert_eq!(found, expected, "{config:?}: a search that is not cut short makes no difference");
            }
            1 => is_exhausted = true,
            more => panic!("one state cannot exhaust {more} searches"),
        }
    }
    is_exhausted
}

#[test]
fn hard_states_stay_the_same() {
    let rng = &mut SplitMix64::new(1);
    let (layout, boards) = boards();
    for board in boards {
        for budget in [0, 1, 2, 5, 20] {
            let copy = shuffled(&layout, &board, rng);
            assert!(check(&layout, &copy, budget) || budget == 20);
        }
    }
    let layout = crossing();
    for cycles in [&[6][..], &[4, 2], &[3, 3]] {
        let state = crossed(&layout, cycles);
        assert!(check(&layout, &state, 0));
        check(&layout, &state, 1);
    }
}

#[test]
fn random_states_stay_the_same() {
    for seed in 0..effort(200) {
        let rng = &mut SplitMix64::new(seed);
        let program = shapes(rng, seed % 3 != 0);
        let layout = &Layout::new(&program, crate::BOUNDS);
        for _ in 0..10 {
            let edits = rng.below(30);
            let state = random_state(layout, edits, rng);
            for budget in [0, 1] {
                check(layout, &state, budget);
            }
        }
    }
}

#[test]
fn random_cycles_stay_the_same() {
    let program = objects();
    let layout = &Layout::new(&program, crate::BOUNDS);
    let mut exhausted = 0;
    for seed in 0..effort(200) {
        let rng = &mut SplitMix64::new(seed);
        let (first, second) = (3 + rng.below(4), 3 + rng.below(4));
        let state = linked(layout, &cycles(&[first, second]));
        for budget in 0..4 {
            exhausted += u64::from(check(layout, &shuffled(layout, &state, rng), budget));
        }
    }
    assert!(exhausted > effort(200), "{exhausted}");
}

/// Without a budget an exploration finds more states, but of each orbit at least one and of no other.
#[test]
fn no_orbit_is_lost() {
    for n in [3, 4, 6] {
        let program = philosophers(n);
        let engine = engine(&program);
        for naming in NAMINGS {
            let orbits: BTreeSet<Form> = explore(&engine, full(naming)).0.into_keys().collect();
            let (found, stats) = explore(&engine, cut_short(full(naming), 0));
            assert!(stats.exhausted > 0, "turning the table leaves some states as they are");
            let layout = engine.layout();
            let forms: BTreeSet<Form> = found
                .values()
                .map(|encoding| form(full(naming), layout, &decode(layout, encoding)))
                .collect();
            assert!(forms == orbits);
        }
    }
}
