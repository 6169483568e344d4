//! The time of putting a graph in order, building it included.
//!
//! `cargo run --release -p quotient-canon --example graph_speed -- [PART OF A NAME]`

#[path = "../tests/it/graphs/mod.rs"]
#[allow(dead_code)]
mod graphs;

use std::time::{Duration, Instant};

use graphs::*;
use quotient_canon::{Canonizer, Graph, Options};
use testing::SplitMix64;

/// Prints the time per call: the best of as many batches of calls as half a second allows, since others may
/// use the machine.
fn measure(name: &str, variants: usize, mut build: impl FnMut(usize, &mut Graph)) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let mut graph = Graph::new();
    let mut canonizer = Canonizer::new();
    let calls = if variants > 1 { variants } else { 20 };
    let mut best = [Duration::MAX; 2];
    let mut nodes = 0;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(500) {
        nodes = 0;
        for (both, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            for call in 0..calls {
                build(call % variants, &mut graph);
                std::hint::black_box(&graph);
                if both == 1 {
                    nodes += canonizer.order(&graph, Options::default()).nodes;
                }
            }
            *best = start.elapsed().min(*best);
        }
    }
    let [building, all] = best.map(|time| time.as_nanos() as f64 / calls as f64);
    println!(
        "{name:<44} {all:>9.0} ns a call, {building:>6.0} ns of them to build; {:>5.2} search nodes",
        nodes as f64 / calls as f64
    );
}

/// The given graph, built anew with each call.
fn copy(from: &Graph) -> impl FnMut(usize, &mut Graph) {
    move |_, graph| {
        graph.clear();
        for &label in from.labels() {
            graph.add_node(label);
        }
        for edge in from.edges() {
            graph.add_edge(edge.source, edge.label, edge.target);
        }
    }
}

fn main() {
    let random = &mut SplitMix64::new(1);
    for n in [5, 10, 20] {
        let mut labels = |classes: usize, first: u64| {
            let hash = |class: usize| SplitMix64::new(first + class as u64).next_u64();
            (0..512).map(|_| (0..n).map(|_| hash(random.below(classes))).collect()).collect::<Vec<Vec<u64>>>()
        };
        let (philosophers, forks) = (labels(4, 0), labels(4, 4));
        measure(&format!("ring of {n} and {n}, 8 labels"), 512, |i, graph| {
            table(&philosophers[i], &forks[i], graph);
        });
    }
    measure("ring of 10 and 10, all alike", 1, |_, graph| table(&[0; 10], &[1; 10], graph));
    measure("12 isolated nodes, 3 labels", 1, copy(&graph(&[7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9], &[])));
    measure("2 threads with private heaps of 4", 1, copy(&private_heaps(2)));
    let graphs: Vec<_> = (0..512).map(|_| random_graph(40, random)).collect();
    measure("random graphs of 40 nodes", 512, |i, graph| copy(&graphs[i])(i, graph));
    measure("rook's graph as a set of sets, 65 nodes", 1, copy(&set_of_sets(16, &rook())));
    measure("Shrikhande graph as a set of sets, 65 nodes", 1, copy(&set_of_sets(16, &shrikhande())));
    measure("list of 10,000 nodes", 1, copy(&list(10_000)));
    measure("1,000 threads with private heaps of 4", 1, copy(&private_heaps(1000)));
}
