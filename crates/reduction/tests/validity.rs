//! The conditions on ample steps, and what they are for, checked on random programs where all states are known.
//!
//! `QUOTIENT_PROGRAMS=20000 cargo test --release -p quotient-reduction` runs more of them.

mod common;

use common::{complaint, difference, graph};
use engine::Engine;
use ir::Program;
use ir::testing::{program, random_numbered};
use quotient_reduction::testing::Seeded;
use quotient_reduction::{Analysis, Observed, Reduced, obstacle};
use state::Bounds;

const BOUNDS: Bounds = Bounds { threads: 5, frames: 255, objects: 65535 };

/// Among so many programs there is one that shows what is wrong.
const MANY: u64 = 10_000;

const MOST_STATES: usize = 700;

fn programs() -> u64 {
    std::env::var("QUOTIENT_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(5000)
}

/// What is wrong with the reduction of a program, if it is small enough to tell; and how many states there are, and with
/// the reduction.
fn verdict(program: &Program, analysis: &Analysis) -> Option<(Option<String>, [usize; 2])> {
    let engine = Engine::new(program, BOUNDS, false);
    let full = graph(&engine, MOST_STATES)?;
    let system = Reduced::new(&engine, analysis);
    let reduced = graph(&system, MOST_STATES)?;
    let wrong = complaint(&full, &reduced).or_else(|| difference(&full, &reduced));
    Some((wrong, [full.nodes.len(), reduced.nodes.len()]))
}

fn all_are_valid(make: impl Fn(u64) -> Program, text: impl Fn(u64) -> String) -> [usize; 4] {
    let (mut complete, mut reduced, mut states, mut left) = (0, 0, 0, 0);
    for seed in 0..programs() {
        let program = make(seed);
        if obstacle(&program).is_some() {
            continue;
        }
        let analysis = Analysis::new(&program, &Observed::invariants(&program));
        let Some((wrong, [all, some])) = verdict(&program, &analysis) else { continue };
        assert_eq!(wrong, None, "program {seed}\n{}", text(seed));
        complete += 1;
        reduced += usize::from(some < all);
        states += all;
        left += some;
    }
    eprintln!("{complete} programs, {reduced} of them reduced, {states} states, {left} are left");
    [complete, reduced, states, left]
}

#[test]
fn reductions_of_random_programs_are_valid() {
    let [complete, reduced, states, left] =
        all_are_valid(|seed| program(&common::generator::text(seed)), common::generator::text);
    assert!(complete > programs() as usize / 2 && reduced > complete / 4 && left < states / 10 * 9);
}

#[test]
fn reductions_of_programs_with_many_features_are_valid() {
    let [complete, reduced, ..] = all_are_valid(random_numbered, ir::testing::random_numbered_text);
    assert!(complete > programs() as usize / 10 && reduced > complete / 50);
}

/// What happens too rarely by chance.
const RARE: &[&str] = &[
    // Who comes to where a message is awaited changes what a sender does that has an alternative.
    "program meeting; numbered;
    channel r [0] { int wrap (0, 3) };
    channels r;
    thread P() { loc a: goto b; loc b end: do { receive(channel(r), *); } goto c; loc c end: }
    thread Q() { loc a: do { send(channel(r), 1); } goto b; else goto c; loc b end: loc c: do { check(1 == 0); } goto b; }
    active P, Q;",
    // Each variable has one thread, and the property has both.
    "program order; numbered;
    global int wrap (0, 3) x;
    global int wrap (0, 3) y;
    thread P() { loc a: do { x := 1; } goto b; loc b end: }
    thread Q() { loc a: do { y := 1; } goto b; loc b end: }
    active P, Q;
    invariant ordered = x >= y;",
];

#[test]
fn rare_programs_are_reduced_as_they_should() {
    for text in RARE {
        let program = program(text);
        let (wrong, _) = verdict(&program, &Analysis::new(&program, &Observed::invariants(&program)))
            .expect("it is small");
        assert_eq!(wrong, None, "{text}");
    }
}

/// Random programs by which mistakes came to light: 10975 has threads of two procedures that take turns in one place, and are as
/// large as each other.
const WENT_WRONG: &[u64] = &[10_975];

#[test]
fn programs_that_once_went_wrong_are_valid() {
    for &seed in WENT_WRONG {
        let text = common::generator::text(seed);
        let program = program(&text);
        let (wrong, _) = verdict(&program, &Analysis::new(&program, &Observed::invariants(&program)))
            .expect("it is small");
        assert_eq!(wrong, None, "{text}");
    }
}

#[test]
fn seeded_faults_are_caught() {
    for &seeded in Seeded::ALL {
        let texts = RARE.iter().map(|&text| text.to_owned()).chain((0..MANY).map(common::generator::text));
        let caught = texts.map(|text| program(&text)).any(|program| {
            let analysis = seeded.analysis(&program, &Observed::invariants(&program));
            verdict(&program, &analysis).is_some_and(|(wrong, _)| wrong.is_some())
        });
        assert!(caught, "{seeded:?} goes unnoticed");
    }
}
