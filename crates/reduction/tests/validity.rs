//! The conditions on ample steps, and what they are for, checked on random programs where all states are known.
//!
//! `QUOTIENT_PROGRAMS=20000 cargo test --release -p quotient-reduction` runs more of them.

mod common;

use common::{complaint, difference, graph};
use engine::Engine;
use ir::Program;
use ir::testing::{program, random_numbered};
use quotient_reduction::{Analysis, Reduced, obstacle};
use state::Bounds;

const BOUNDS: Bounds = Bounds { threads: 5, frames: 255, objects: 65535 };

const MOST_STATES: usize = 700;

fn programs() -> u64 {
    std::env::var("QUOTIENT_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

fn observed(program: &Program) -> Vec<&ir::Expr> {
    program.invariants.iter().map(|invariant| &invariant.expr).collect()
}

/// What is wrong with the reduction of a program, if it is small enough to tell; and how many states there are, and with
/// the reduction.
fn verdict(program: &Program, analysis: &Analysis) -> Option<(Option<String>, [usize; 2])> {
    let engine = Engine::new(program, BOUNDS, false);
    let full = graph(&engine, MOST_STATES)?;
    let system = Reduced::new(&engine, analysis);
    let reduced = graph(&system, MOST_STATES)?;
    let wrong = complaint::<Engine>(&full, &reduced).or_else(|| difference(&full, &reduced));
    Some((wrong, [full.nodes.len(), reduced.nodes.len()]))
}

fn all_are_valid(make: impl Fn(u64) -> Program, text: impl Fn(u64) -> String) -> [usize; 4] {
    let (mut complete, mut reduced, mut states, mut left) = (0, 0, 0, 0);
    for seed in 0..programs() {
        let program = make(seed);
        if obstacle(&program).is_some() {
            continue;
        }
        let analysis = Analysis::new(&program, &observed(&program));
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
