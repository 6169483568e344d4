//! The time per transition on a system whose steps cost almost nothing: the cost of the search and the store.
//!
//! `cargo bench -p quotient-search --bench counters`

use quotient_search::{Options, Outcome, Quiet, bfs, dfs};
use store::{Budget, Exact, HashSetStore, StateStore};
use system::toy::Counters;

fn report(name: &str, outcome: &Outcome, bytes: usize) {
    let (stats, elapsed) = (outcome.stats, outcome.elapsed);
    println!(
        "{name:>18}: {} states, {} transitions, {:4.0} ns a transition, {:5.1} bytes a state",
        stats.states,
        stats.transitions,
        elapsed.as_nanos() as f64 / stats.transitions as f64,
        bytes as f64 / stats.states as f64,
    );
}

fn both<T: StateStore + ?Sized>(name: &str, new: impl Fn() -> Box<T>) {
    let system = Counters { n: 12, max: 2, forbidden_sum: None, end_is_deadlock: false };
    let mut store = new();
    let outcome = bfs(&system, &mut *store, &Options::default(), &mut Quiet);
    report(&format!("bfs {name}"), &outcome, store.bytes());
    let mut store = new();
    let outcome = dfs(&system, &mut *store, &Options::default(), &mut Quiet);
    report(&format!("dfs {name}"), &outcome, store.bytes());
}

fn main() {
    let budget = Budget::unlimited();
    for _ in 0..2 {
        both("exact", || Box::new(Exact::new(&budget)));
        both::<dyn StateStore>("exact (dyn)", || Box::new(Exact::new(&budget)));
        both("naive", || Box::new(HashSetStore::new(&budget)));
    }
}
