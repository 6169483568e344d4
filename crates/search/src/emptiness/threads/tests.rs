//! Compares the thread graph with brute force: small graphs are unfolded, with a separate name for each
//! thread, and searched for a component in which every thread is served.

use std::collections::{BTreeMap, BTreeSet};

use testing::SplitMix64;

use super::*;

/// What happens to a thread along an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fate {
    serves: bool,
    /// The position of the thread at the target; `None` if it no longer exists.
    place: Option<usize>,
}

#[derive(Clone, Debug)]
struct Arc {
    from: usize,
    to: usize,
    fates: Vec<Fate>,
}

/// The number of threads of each node, and the edges.
#[derive(Clone, Debug)]
struct Annotated {
    threads: Vec<usize>,
    arcs: Vec<Arc>,
}

impl Annotated {
    /// A random strongly connected graph. With `is_steady`, no thread is created or ends.
    fn random(random: &mut SplitMix64, is_steady: bool) -> Self {
        let nodes = 1 + random.below(4);
        let all = 1 + random.below(3);
        let threads: Vec<usize> =
            (0..nodes).map(|_| if is_steady { all } else { random.below(all + 1) }).collect();
        let good = 5 + random.below(40);
        let chords = random.below(2 * nodes);
        let mut arcs = Vec::new();
        for number in 0..nodes + chords {
            // A ring, and chords.
            let (from, to) = match number {
                from if from < nodes => (from, (from + 1) % nodes),
                _ => (random.below(nodes), random.below(nodes)),
            };
            let mut free: Vec<usize> = (0..threads[to]).collect();
            let mut fates = Vec::new();
            for _ in 0..threads[from] {
                let stays = is_steady || random.below(5) > 0;
                let place = (stays && !free.is_empty()).then(|| free.swap_remove(random.below(free.len())));
                fates.push(Fate { serves: place.is_none() || random.below(100) < good, place });
            }
            arcs.push(Arc { from, to, fates });
        }
        Self { threads, arcs }
    }

    fn is_fair(&self) -> bool {
        let fate = |fate: &Fate| fate.place.filter(|_| !fate.serves).map_or(SERVED, |place| place as u32);
        let label =
            |arc: &Arc| Rc::new(Label { marks: Marks::NONE, fates: arc.fates.iter().map(fate).collect() });
        let edge = |(label, arc): (u32, &Arc)| Edge { from: arc.from as u32, to: arc.to as u32, label };
        let edges = (0..).zip(&self.arcs).map(edge).collect();
        let labels: Vec<_> = self.arcs.iter().map(label).collect();
        Graph::new(self.threads.len(), edges).fair(&labels).is_some()
    }

    /// Decides fairness by unfolding the graph into the assignments of threads to positions. A new thread
    /// gets the least free id.
    fn has_fair_run(&self) -> bool {
        let ids = self.threads.iter().copied().max().unwrap_or_default();
        let all: u32 = (1 << ids) - 1;
        let mut numbers = BTreeMap::new();
        let mut states = vec![(0, (0..self.threads[0]).collect::<Vec<usize>>())];
        numbers.insert(states[0].clone(), 0);
        let mut edges = Vec::new();
        while edges.len() < states.len() {
            let (node, who) = states[edges.len()].clone();
            let mut out = Vec::new();
            for arc in self.arcs.iter().filter(|arc| arc.from == node) {
                let mut marks = all;
                let mut next = vec![None; self.threads[arc.to]];
                for (&id, fate) in who.iter().zip(&arc.fates) {
                    marks &= if fate.serves { all } else { !(1 << id) };
                    if let Some(place) = fate.place {
                        next[place] = Some(id);
                    }
                }
                let used: BTreeSet<usize> = next.iter().flatten().copied().collect();
                let mut free = (0..ids).filter(|id| !used.contains(id));
                let next: Vec<usize> = next
                    .into_iter()
                    .map(|id| id.or_else(|| free.next()).expect("there are enough"))
                    .collect();
                let number = *numbers.entry((arc.to, next)).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                });
                out.push((number, marks));
            }
            edges.push(out);
        }
        let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(|from| reachable(&edges, from)).collect();
        (0..edges.len()).any(|head| {
            let is_in = |&node: &usize| reached[head].contains(&node) && reached[node].contains(&head);
            let inner = (0..edges.len()).filter(is_in).flat_map(|node| &edges[node]);
            let marks: Vec<u32> = inner.filter(|(to, _)| is_in(to)).map(|&(_, marks)| marks).collect();
            !marks.is_empty() && marks.iter().fold(0, |union, marks| union | marks) == all
        })
    }
}

/// The nodes that can be reached by at least one edge.
fn reachable(edges: &[Vec<(usize, u32)>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        open.extend(edges[node].iter().map(|&(to, _)| to).filter(|&to| reached.insert(to)));
    }
    reached
}

const GRAPHS: u64 = 2000;

fn graphs() -> impl Iterator<Item = Annotated> {
    (0..GRAPHS).map(|seed| Annotated::random(&mut SplitMix64::new(seed), seed % 2 == 0))
}

#[test]
fn a_fair_run_is_one_with_distinguished_threads() {
    let mut fair = 0;
    for graph in graphs() {
        assert_eq!(graph.is_fair(), graph.has_fair_run(), "{graph:#?}");
        fair += u64::from(graph.is_fair());
    }
    assert!(fair > GRAPHS / 8 && fair < GRAPHS * 7 / 8, "{fair}");
}

/// The number of random graphs on which the thread graph gives a wrong answer after `fault` was applied to
/// its input.
fn errors(fault: impl Fn(&mut Annotated)) -> usize {
    let is_wrong = |graph: &Annotated| {
        let mut faulty = graph.clone();
        fault(&mut faulty);
        faulty.is_fair() != graph.has_fair_run()
    };
    graphs().filter(is_wrong).count()
}

#[test]
fn faults_are_noticed() {
    let one_step_for_each_target = |graph: &mut Annotated| {
        let mut seen = BTreeSet::new();
        graph.arcs.retain(|arc| seen.insert((arc.from, arc.to)));
    };
    let serving_one_serves_all = |graph: &mut Annotated| {
        for arc in &mut graph.arcs {
            let serves = arc.fates.iter().any(|fate| fate.serves);
            arc.fates.iter_mut().for_each(|fate| fate.serves = serves);
        }
    };
    let no_thread_is_renamed = |graph: &mut Annotated| {
        for arc in &mut graph.arcs {
            let threads = graph.threads[arc.to];
            for (name, fate) in arc.fates.iter_mut().enumerate().filter(|(name, _)| *name < threads) {
                fate.place = Some(name);
            }
        }
    };
    let ended_threads_wait = |graph: &mut Annotated| {
        for arc in &mut graph.arcs {
            if graph.threads[arc.to] > 0 {
                let gone = arc.fates.iter_mut().filter(|fate| fate.place.is_none());
                gone.for_each(|fate| *fate = Fate { serves: false, place: Some(0) });
            }
        }
    };
    assert_eq!(errors(|_| {}), 0);
    assert!(errors(one_step_for_each_target) > 10);
    assert!(errors(serving_one_serves_all) > 10);
    assert!(errors(no_thread_is_renamed) > 10);
    assert!(errors(ended_threads_wait) > 10);
}

#[test]
fn distances_are_those_of_shortest_paths() {
    // Two threads that change places; the one in front moves. Every third edge is marked.
    let front = |marks| Rc::new(Label { marks, fates: vec![SERVED, 0] });
    let labels = vec![front(Marks::NONE), front(Marks::one(0))];
    let edge = |from, to, label| Edge { to, from, label };
    let fair = Graph::new(3, vec![edge(0, 1, 0), edge(1, 2, 0), edge(2, 0, 1)]).fair(&labels).unwrap();
    assert_eq!([0, 1, 2].map(|name| fair.to_service(0, name)), [1, 2, NEVER]);
    assert_eq!(fair.to_mark(0), [3, 2, 1]);
    assert_eq!(fair.to_node(1), [1, 3, 2]);
}

#[test]
fn names_before_and_after_a_step() {
    const NONE: u32 = u32::MAX;
    // Ids 0, 2, 3 and 4 exist; 2 moves, 4 ends, 1 is new.
    let (before, after) = ([1, NONE, 0, 2, 3], [2, 1, 0, 3]);
    assert_eq!(fates(&before, &after, |id| id == 2), [SERVED, 2, 3, SERVED]);
    assert_eq!(fates(&[], &after, |_| false), []);
}
