//! All tests of names from outside, in one executable: what [`Chains`](quotient_symmetry::Chains) and
//! [`Namer`](quotient_symmetry::Namer) promise, held against plain and slow ways to say the same, on states
//! of random programs, on states that are put together at random, and on those that the papers print.

mod brute;
mod budget;
mod canonical;
mod forms;
mod hard;
mod incremental;
mod mirror;
mod mixed;
mod orbits;
mod papers;
mod random;

use engine::Engine;
use ir::Program;
use state::Bounds;

/// Small bounds, so that references take few bits and some programs exceed them.
const BOUNDS: Bounds = Bounds { threads: 6, frames: 6, objects: 12 };

fn engine(program: &Program) -> Engine {
    let threads = BOUNDS.threads.max(program.active.len() as u32);
    Engine::new(program, Bounds { threads, ..BOUNDS }, false)
}
