//! The level `full` against brute force: equal forms mean isomorphic states, and isomorphic states have equal
//! forms.

use std::collections::HashMap;

use engine::{Engine, EngineState};
use quotient_symmetry::{Namer, Naming, Options, SymmetryConfig};
use state::{Layout, State};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{SplitMix64, effort, philosophers, random_program};

use crate::brute::least_form;
use crate::engine;
use crate::forms::{Form, NAMINGS, decode, encode, flat, form, full, shuffled};
use crate::incremental::assert_bijective;
use crate::random::{mutate, random_state, shapes};

/// The greatest number of permutations that brute force tries.
const MOST: u64 = 800;

/// The states of one program, and their names.
#[derive(Default)]
struct Seen {
    /// By naming: the forms for each least form, and the converse.
    forms: [HashMap<Form, Form>; NAMINGS.len()],
    least: [HashMap<Form, Form>; NAMINGS.len()],
    /// States, and those that were the same as one before under other names.
    states: usize,
    repeated: usize,
}

impl Seen {
    /// Holds the forms of a state against brute force. Says whether it was small enough.
    fn see(&mut self, layout: &Layout, state: &State) -> bool {
        let Some(least) = least_form(layout, state, MOST) else { return false };
        self.states += 1;
        self.repeated += usize::from(self.forms[0].contains_key(&least));
        for (number, naming) in NAMINGS.into_iter().enumerate() {
            let form = form(full(naming), layout, state);
            let known = self.forms[number].entry(least.clone()).or_insert_with(|| form.clone());
            assert_eq!(*known, form, "{naming:?}: isomorphic states have one form");
            let known = self.least[number].entry(form).or_insert_with(|| least.clone());
            assert_eq!(*known, least, "{naming:?}: others have another");
        }
        true
    }
}

/// What does not need brute force: other names make no difference, and the form is that of the state.
fn check(layout: &Layout, state: &State, rng: &mut SplitMix64) {
    let coarse = Options { budget: 10_000_000, hash_bits: 2 };
    let copies = [shuffled(layout, state, rng), shuffled(layout, state, rng)];
    for naming in NAMINGS {
        let config = full(naming);
        let encoding = encode(config, layout, state);
        let expected = flat(&encoding);
        for copy in &copies {
            assert_eq!(form(config, layout, copy), expected, "{config:?}");
        }
        let back = decode(layout, &encoding);
        assert_eq!(form(config, layout, &back), expected, "{config:?}");
        // Names that are ids already: the same words again.
        let mut named = back.clone();
        let mut namer = Namer::new(config, layout, &mut named);
        assert_bijective(layout, &back, namer.names(layout, &mut named));
        let config = SymmetryConfig { options: coarse, ..config };
        assert_eq!(form(config, layout, &copies[0]), form(config, layout, state), "{config:?}");
    }
}

/// States of a random walk through a program.
fn states_of(engine: &Engine, most: usize, rng: &mut SplitMix64) -> Vec<EngineState> {
    let mut states = Vec::new();
    let mut steps = Steps::default();
    let mut state = engine.initial();
    for _ in 0..most {
        engine.steps(&mut state, &mut steps);
        if steps.enabled.is_empty() {
            state = engine.initial();
            continue;
        }
        if engine.fire(&mut state, *rng.pick(&steps.enabled)) == Fired::Moved {
            states.push(state.clone());
        }
    }
    states
}

#[test]
fn states_of_programs_have_one_form_under_all_names() {
    let (mut states, mut repeated) = (0, 0);
    for seed in 0..effort(150) {
        let rng = &mut SplitMix64::new(seed);
        let program = random_program(seed);
        let engine = engine(&program);
        let layout = engine.layout();
        let mut seen = Seen::default();
        for state in states_of(&engine, 30, rng) {
            check(layout, &state.state, rng);
            seen.see(layout, &state.state);
            let mut mutant = state.state.clone();
            mutate(layout, &mut mutant, rng);
            seen.see(layout, &mutant);
        }
        states += seen.states;
        repeated += seen.repeated;
    }
    assert!(
        states as u64 > effort(150) * 20 && repeated * 10 > states,
        "{states} states, {repeated} repeated"
    );
}

fn shapes_against_brute_force(relations: bool, programs: u64, states: usize, edits: usize) {
    let (mut seen, mut repeated) = (0, 0);
    for seed in 0..effort(programs) {
        let rng = &mut SplitMix64::new(seed);
        let program = shapes(rng, relations);
        let layout = &Layout::new(&program, crate::BOUNDS);
        let mut pool = Seen::default();
        for _ in 0..states {
            let edits = rng.below(edits);
            let state = random_state(layout, edits, rng);
            check(layout, &state, rng);
            if pool.see(layout, &state) {
                let mut mutant = state.clone();
                for _ in 0..3 {
                    mutate(layout, &mut mutant, rng);
                    pool.see(layout, &mutant);
                }
            }
        }
        seen += pool.states;
        repeated += pool.repeated;
    }
    assert!(repeated * 10 > seen && (seen - repeated) * 10 > seen, "{seen} states, {repeated} repeated");
}

#[test]
fn shapes_without_relations_are_told_apart() {
    shapes_against_brute_force(false, 150, 15, 24);
}

#[test]
fn shapes_with_relations_are_told_apart() {
    shapes_against_brute_force(true, 250, 15, 24);
}

/// Where a state leads to, by form; and the faults.
fn successors(engine: &Engine, state: &mut EngineState, naming: Naming) -> Vec<(String, Form)> {
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    let mut found: Vec<(String, Form)> =
        steps.faults.iter().map(|(step, fault)| (format!("{} {fault:?}", step.transition), vec![])).collect();
    for step in steps.enabled {
        match engine.fire(state, step) {
            Fired::Moved => {
                let form = form(full(naming), engine.layout(), &state.state);
                found.push((format!("{}", step.transition), form));
                engine.undo(state);
            }
            end => found.push((format!("{} {end:?}", step.transition), vec![])),
        }
    }
    found.sort();
    found
}

/// Names cannot be observed: under other names, a state has the same steps to the same states.
#[test]
fn steps_do_not_depend_on_names() {
    for seed in 0..effort(120) {
        let rng = &mut SplitMix64::new(seed);
        let program = if seed < 3 { philosophers(seed as usize + 2) } else { random_program(seed) };
        let engine = engine(&program);
        for mut state in states_of(&engine, 20, rng) {
            let copy = shuffled(engine.layout(), &state.state, rng);
            let mut encoding = Encoding::new();
            let names = crate::forms::compact(engine.layout(), &copy);
            copy.clone().encode_all(engine.layout(), &names, &mut encoding);
            let mut copy = engine.initial();
            engine.decode(&encoding, &mut copy);
            for naming in NAMINGS {
                let expected = successors(&engine, &mut state, naming);
                assert_eq!(successors(&engine, &mut copy, naming), expected, "{naming:?}");
            }
            assert_eq!(engine.check(&mut copy), engine.check(&mut state));
            assert_eq!(engine.ended(&copy), engine.ended(&state));
        }
    }
}
