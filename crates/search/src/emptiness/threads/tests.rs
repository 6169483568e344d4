//! Compares the thread graph with brute force: small graphs are unfolded, with a separate name for each
//! thread, and searched for a component that, for some set of threads, serves all of them and requires no
//! other.

use std::collections::{BTreeMap, BTreeSet};

use testing::SplitMix64;

use super::super::Fairness;
use super::super::streett::{Examined, NEVER, Part};
use super::*;

/// What happens to a thread along an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fate {
    serves: bool,
    requires: bool,
    /// The position of the thread at the target; `None` if it no longer exists.
    place: Option<usize>,
}

#[derive(Clone, Debug)]
struct Arc {
    from: usize,
    to: usize,
    is_marked: bool,
    fates: Vec<Fate>,
}

/// The number of threads of each node, and the edges.
#[derive(Clone, Debug)]
struct Annotated {
    threads: Vec<usize>,
    arcs: Vec<Arc>,
}

impl Annotated {
    /// A random strongly connected graph. With `is_steady`, no thread is created or ends. Under weak
    /// fairness, all threads are always required, and under strong fairness those that are enabled at a node.
    fn random(random: &mut SplitMix64, is_steady: bool, fairness: Fairness) -> Self {
        let nodes = 1 + random.below(4);
        let all = 1 + random.below(3);
        let threads: Vec<usize> =
            (0..nodes).map(|_| if is_steady { all } else { random.below(all + 1) }).collect();
        let good = 5 + random.below(40);
        let required = if fairness == Fairness::Strong { 10 + random.below(70) } else { 100 };
        let enabled: Vec<Vec<bool>> =
            threads.iter().map(|&count| (0..count).map(|_| random.below(100) < required).collect()).collect();
        let chords = random.below(if fairness == Fairness::Strong { 4 } else { 2 } * nodes);
        let marked = [100, 50, 20][random.below(3)];
        let mut arcs = Vec::new();
        for number in 0..nodes + chords {
            // A ring, and chords.
            let (from, to) = match number {
                from if from < nodes => (from, (from + 1) % nodes),
                _ => (random.below(nodes), random.below(nodes)),
            };
            let mut free: Vec<usize> = (0..threads[to]).collect();
            let mut fates = Vec::new();
            for &requires in &enabled[from] {
                let stays = is_steady || random.below(5) > 0;
                let place = (stays && !free.is_empty()).then(|| free.swap_remove(random.below(free.len())));
                let serves = place.is_none() || random.below(100) < good;
                fates.push(Fate { serves, requires, place });
            }
            let is_marked = fairness == Fairness::Weak || random.below(100) < marked;
            arcs.push(Arc { from, to, is_marked, fates });
        }
        Self { threads, arcs }
    }

    fn is_fair(&self) -> bool {
        let fate = |fate: &Fate| fate.place.filter(|_| !fate.serves).map_or(SERVED, |place| place as u32);
        let label = |arc: &Arc| {
            let required = (0..).zip(&arc.fates).filter(|(_, fate)| fate.requires).map(|(slot, _)| slot);
            Rc::new(Label {
                marks: if arc.is_marked { Marks::one(0) } else { Marks::NONE },
                fates: arc.fates.iter().map(fate).collect(),
                required: required.collect(),
            })
        };
        let edge = |(label, arc): (u32, &Arc)| Edge { from: arc.from as u32, to: arc.to as u32, label };
        let edges = (0..).zip(&self.arcs).map(edge).collect();
        let labels: Vec<_> = self.arcs.iter().map(label).collect();
        !fair_parts(self.threads.len(), edges, &labels, Marks::all(1)).is_empty()
    }

    /// Decides fairness by unfolding the graph into the assignments of threads to positions. A new thread
    /// gets the least free id.
    fn has_fair_run(&self) -> bool {
        let ids = self.threads.iter().copied().max().unwrap_or_default();
        let mut numbers = BTreeMap::new();
        let mut states = vec![(0, (0..self.threads[0]).collect::<Vec<usize>>())];
        numbers.insert(states[0].clone(), 0);
        let mut edges: Vec<Vec<Unfolded>> = Vec::new();
        while edges.len() < states.len() {
            let (node, who) = states[edges.len()].clone();
            let mut out = Vec::new();
            for arc in self.arcs.iter().filter(|arc| arc.from == node) {
                let mut edge = Unfolded { is_marked: arc.is_marked, ..Unfolded::default() };
                let mut next = vec![None; self.threads[arc.to]];
                for (&id, fate) in who.iter().zip(&arc.fates) {
                    edge.served |= u32::from(fate.serves) << id;
                    edge.required |= u32::from(fate.requires) << id;
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
                edge.to = *numbers.entry((arc.to, next)).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                });
                out.push(edge);
            }
            edges.push(out);
        }
        (0..1 << ids).any(|served| {
            let keep = |edges: &Vec<Unfolded>| {
                edges.iter().filter(|edge| edge.required & !served == 0).copied().collect()
            };
            has_component(&edges.iter().map(keep).collect::<Vec<_>>(), served)
        })
    }
}

/// An edge of an unfolded graph, with the threads that it serves and requires, as bits.
#[derive(Clone, Copy, Default, Debug)]
struct Unfolded {
    to: usize,
    served: u32,
    required: u32,
    is_marked: bool,
}

/// Whether some component has a marked edge and serves all of these threads.
fn has_component(edges: &[Vec<Unfolded>], served: u32) -> bool {
    let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(|from| reachable(edges, from)).collect();
    (0..edges.len()).any(|head| {
        let is_in = |&node: &usize| reached[head].contains(&node) && reached[node].contains(&head);
        let inner = (0..edges.len()).filter(is_in).flat_map(|node| &edges[node]);
        let inner: Vec<&Unfolded> = inner.filter(|edge| is_in(&edge.to)).collect();
        inner.iter().any(|edge| edge.is_marked)
            && served & !inner.iter().fold(0, |union, edge| union | edge.served) == 0
    })
}

fn fair_parts(nodes: usize, edges: Vec<Edge>, labels: &[Rc<Label>], all: Marks) -> Vec<Part> {
    let mut parts = Parts::new(nodes, edges, labels, all);
    let mut fair = Vec::new();
    loop {
        match parts.examine() {
            Examined::Fair(part) => fair.push(part),
            Examined::Unfair => {}
            Examined::End => return fair,
        }
    }
}

/// The nodes that can be reached by at least one edge.
fn reachable(edges: &[Vec<Unfolded>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        open.extend(edges[node].iter().map(|edge| edge.to).filter(|&to| reached.insert(to)));
    }
    reached
}

const GRAPHS: u64 = 2000;

fn graphs(fairness: Fairness) -> impl Iterator<Item = Annotated> {
    (0..testing::effort(GRAPHS))
        .map(move |seed| Annotated::random(&mut SplitMix64::new(seed), seed % 2 == 0, fairness))
}

#[test]
fn a_fair_run_is_one_with_distinguished_threads() {
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let (mut fair, mut count) = (0, 0);
        for graph in graphs(fairness) {
            assert_eq!(graph.is_fair(), graph.has_fair_run(), "{graph:#?}");
            fair += u64::from(graph.is_fair());
            count += 1;
        }
        assert!(fair > count / 8 && fair < count * 7 / 8, "{fair} of {count}");
    }
}

/// The number of random graphs on which the thread graph gives a wrong answer after `fault` was applied to
/// its input.
fn errors(fairness: Fairness, fault: impl Fn(&mut Annotated)) -> usize {
    let is_wrong = |graph: &Annotated| {
        let mut faulty = graph.clone();
        fault(&mut faulty);
        faulty.is_fair() != graph.has_fair_run()
    };
    graphs(fairness).filter(is_wrong).count()
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
                gone.for_each(|fate| *fate = Fate { serves: false, place: Some(0), ..*fate });
            }
        }
    };
    for fairness in [Fairness::Weak, Fairness::Strong] {
        assert_eq!(errors(fairness, |_| {}), 0);
        assert!(errors(fairness, one_step_for_each_target) > 10);
        assert!(errors(fairness, serving_one_serves_all) > 10);
        assert!(errors(fairness, no_thread_is_renamed) > 10);
        assert!(errors(fairness, ended_threads_wait) > 10);
    }
    // Under strong fairness it matters what is required, and where.
    let each = |graph: &mut Annotated, change: &dyn Fn(&mut Fate)| {
        graph.arcs.iter_mut().flat_map(|arc| &mut arc.fates).for_each(change);
    };
    assert!(errors(Fairness::Strong, |graph| each(graph, &|fate| fate.requires = true)) > 10);
    assert!(errors(Fairness::Strong, |graph| each(graph, &|fate| fate.requires = false)) > 10);
    assert!(errors(Fairness::Strong, |graph| each(graph, &|fate| fate.serves |= !fate.requires)) > 10);
    let marks_do_not_matter = |graph: &mut Annotated| {
        graph.arcs.iter_mut().for_each(|arc| arc.is_marked = true);
    };
    assert!(errors(Fairness::Strong, marks_do_not_matter) > 10);
}

/// Maximal components are not enough under strong fairness.
#[test]
fn smaller_parts_are_found() {
    let mut smaller = 0;
    for graph in graphs(Fairness::Strong) {
        let alone = |arc: &Arc| Annotated { threads: graph.threads.clone(), arcs: vec![arc.clone()] };
        let is_loop = |arc: &&Arc| arc.from == arc.to;
        if graph.arcs.iter().filter(is_loop).any(|arc| alone(arc).is_fair()) {
            assert!(graph.is_fair());
            smaller += 1;
        }
    }
    assert!(smaller > 10, "{smaller}");
}

#[test]
fn distances_are_those_of_shortest_paths() {
    // Two threads that change places; the one in front moves. Every third edge is marked.
    let front = |marks| Rc::new(Label { marks, fates: vec![SERVED, 0], required: vec![0, 1] });
    let labels = vec![front(Marks::NONE), front(Marks::one(0))];
    let edge = |from, to, label| Edge { to, from, label };
    let edges = vec![edge(0, 1, 0), edge(1, 2, 0), edge(2, 0, 1)];
    let [part] = &fair_parts(3, edges, &labels, Marks::all(1))[..] else { panic!("one part") };
    assert_eq!([0, 1, 2].map(|name| part.to_service(0, name)), [1, 2, NEVER]);
    assert_eq!(part.to_mark(0, &labels), [3, 2, 1]);
    assert_eq!(part.to_node(1), [1, 3, 2]);
    assert!(part.has(0, 1, 0) && !part.has(0, 1, 1) && part.number(3).is_none());
}

#[test]
fn names_before_and_after_a_step() {
    const NONE: u32 = u32::MAX;
    // Ids 0, 2, 3 and 4 exist; 2 moves, 4 ends, 1 is new.
    let (before, after) = ([1, NONE, 0, 2, 3], [2, 1, 0, 3]);
    assert_eq!(fates(&before, &after, 1, |id, _| id == 2), [SERVED, 2, 3, SERVED]);
    assert_eq!(fates(&[], &after, 1, |_, _| false), []);
    // Two slots of each thread: of thread 2, only the second one is served.
    let two = fates(&before, &after, 2, |slot, _| slot == 5);
    assert_eq!(two, [0, SERVED, 4, 5, 6, 7, SERVED, SERVED]);
}
