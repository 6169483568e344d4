//! A limit on the memory of the process, measured from outside. It is alone in its file, since other tests
//! would use memory too.

use quotient_search::{Completeness, Options, Quiet, StopReason, bfs};
use store::{Budget, Exact, StateStore, peak_resident, resident};
use system::toy::Counters;

#[test]
fn the_process_stays_within_five_percent_of_its_limit() {
    let Some(before) = resident() else { return };
    let limit = before + (64 << 20);
    let budget = Budget::of_process(limit);
    let mut store = Exact::new(&budget);
    let system = Counters { n: 2, max: 1 << 60, forbidden_sum: None, end_is_deadlock: false };
    let outcome = bfs(&system, &mut store, &Options { budget, ..Options::default() }, &mut Quiet);
    assert_eq!(outcome.completeness, Completeness::Stopped(StopReason::Memory));
    let peak = peak_resident().expect("the kernel tells both");
    assert!(peak * 100 <= limit * 105, "{peak} of {limit} bytes, {} states", store.len());
    // The search does not stop long before the limit either.
    assert!(peak * 100 >= limit * 60, "{peak} of {limit} bytes, {} states", store.len());
    assert!(store.bytes() <= peak);
}
