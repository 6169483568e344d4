//! The law: relabelled by `position`, isomorphic graphs are the same graph. That others are not is held
//! against two testers of isomorphism, one that tries all permutations and one that backtracks, and against
//! numbers of classes that are known.

use std::collections::HashSet;

use quotient_canon::{Canonizer, Graph, Options, Ordered};
use testing::{SplitMix64, effort};

use crate::graphs::*;

type Form = (Vec<u64>, Vec<(u32, u32, u32)>);

/// A budget that no instance here uses up, with all hashes cut to some bits.
fn bits(hash_bits: u32) -> Options {
    Options { budget: 10_000_000, hash_bits }
}

/// The graph relabelled by `position`, which is checked to be a bijection.
fn relabelled(graph: &Graph, position: &[u32]) -> Form {
    let mut labels = vec![None; graph.len()];
    assert_eq!(position.len(), graph.len());
    for (node, &at) in position.iter().enumerate() {
        assert_eq!(labels[at as usize].replace(graph.labels()[node]), None, "two nodes at {at}");
    }
    let to = |node: u32| position[node as usize];
    let edges = graph.edges().iter().map(|edge| (to(edge.source), edge.label, to(edge.target)));
    let mut edges: Vec<_> = edges.collect();
    edges.sort_unstable();
    (labels.into_iter().map(|label| label.expect("a bijection")).collect(), edges)
}

fn order(canonizer: &mut Canonizer, graph: &Graph, options: Options) -> (Form, Ordered) {
    let ordered = canonizer.order(graph, options);
    (relabelled(graph, canonizer.position()), ordered)
}

fn form(canonizer: &mut Canonizer, graph: &Graph, options: Options) -> Form {
    let (form, ordered) = order(canonizer, graph, options);
    assert!(ordered.canonical, "the budget was used up: {ordered:?}");
    assert_eq!(ordered.searched, ordered.nodes > 0);
    assert!(form.0.is_sorted(), "the order is one by label first");
    form
}

/// Asserts that copies of `graph` have its form, and answers the form and the greatest number of search
/// nodes.
fn check(graph: &Graph, copies: usize, options: Options, random: &mut SplitMix64) -> (Form, u64) {
    let mut canonizer = Canonizer::new();
    let expected = form(&mut canonizer, graph, options);
    let mut nodes = canonizer.order(graph, options).nodes;
    for _ in 0..copies {
        let copy = shuffled(graph, random);
        assert_eq!(form(&mut canonizer, &copy, options), expected, "{copy:?} with {options:?}");
        nodes = nodes.max(canonizer.order(&copy, options).nodes);
    }
    (expected, nodes)
}

/// Changes a label or an edge.
fn mutant(old: &Graph, random: &mut SplitMix64) -> Graph {
    let mut labels = old.labels().to_vec();
    let mut edges: Vec<_> = old.edges().iter().map(|edge| (edge.source, edge.label, edge.target)).collect();
    let (i, node) = (random.below(edges.len().max(1)), random.below(labels.len()));
    match random.below(6) {
        0 => labels[node] ^= 1,
        1 if !edges.is_empty() => edges[i].0 = node as u32,
        2 if !edges.is_empty() => edges[i].1 ^= 1,
        3 if !edges.is_empty() => edges.push(edges[i]),
        _ if !edges.is_empty() => edges[i].2 = node as u32,
        _ => {}
    }
    graph(&labels, &edges)
}

/// Whether some permutation makes the one graph the other.
fn isomorphic_by_permutation(a: &Graph, b: &Graph) -> bool {
    fn any(at: usize, permutation: &mut Vec<u32>, found: &dyn Fn(&[u32]) -> bool) -> bool {
        if at == permutation.len() {
            return found(permutation);
        }
        (at..permutation.len()).any(|i| {
            permutation.swap(at, i);
            let answer = any(at + 1, permutation, found);
            permutation.swap(at, i);
            answer
        })
    }
    let identity: Vec<u32> = (0..a.len() as u32).collect();
    let expected = relabelled(b, &identity);
    let labels_fit = |permutation: &[u32]| {
        a.labels().iter().zip(permutation).all(|(&label, &to)| b.labels()[to as usize] == label)
    };
    a.len() == b.len()
        && a.edges().len() == b.edges().len()
        && any(0, &mut identity.clone(), &|permutation| {
            labels_fit(permutation) && relabelled(a, permutation) == expected
        })
}

/// Whether the graphs are isomorphic: node after node of the one, those with many edges first, is mapped to a
/// node of the other with the same label, the same labels of edges, and the same edges to those mapped
/// before.
fn isomorphic(a: &Graph, b: &Graph) -> bool {
    struct Side {
        /// By node: its label and the labels of the edges that leave and enter it.
        profiles: Vec<(Vec<u32>, Vec<u32>, u64)>,
        /// By source and target: the labels of the edges between them.
        edges: Vec<Vec<Vec<u32>>>,
    }
    fn side(graph: &Graph) -> Side {
        let mut profiles: Vec<_> = graph.labels().iter().map(|&label| (vec![], vec![], label)).collect();
        let mut edges = vec![vec![Vec::new(); graph.len()]; graph.len()];
        let mut sorted = graph.edges().to_vec();
        sorted.sort_unstable_by_key(|edge| edge.label);
        for edge in sorted {
            let (source, target) = (edge.source as usize, edge.target as usize);
            edges[source][target].push(edge.label);
            profiles[source].0.push(edge.label);
            profiles[target].1.push(edge.label);
        }
        Side { profiles, edges }
    }
    fn extend(mapped: &mut Vec<(usize, usize)>, order: &[usize], (a, b): (&Side, &Side)) -> bool {
        let Some(&node) = order.get(mapped.len()) else { return true };
        (0..order.len()).any(|to| {
            let same = |&(v, w): &(usize, usize)| {
                a.edges[node][v] == b.edges[to][w] && a.edges[v][node] == b.edges[w][to]
            };
            let free = mapped.iter().all(|&(_, w)| w != to);
            let fits = a.profiles[node] == b.profiles[to] && same(&(node, to)) && mapped.iter().all(same);
            free && fits && {
                mapped.push((node, to));
                let found = extend(mapped, order, (a, b));
                mapped.pop();
                found
            }
        })
    }
    let (a, b) = (side(a), side(b));
    let sorted = |side: &Side| {
        let mut profiles = side.profiles.clone();
        profiles.sort_unstable();
        profiles
    };
    let mut order: Vec<usize> = (0..a.profiles.len()).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(a.profiles[node].0.len() + a.profiles[node].1.len()));
    sorted(&a) == sorted(&b) && extend(&mut Vec::new(), &order, (&a, &b))
}

/// The number of forms among graphs.
fn classes(graphs: impl Iterator<Item = Graph>) -> usize {
    let mut canonizer = Canonizer::new();
    graphs.map(|graph| form(&mut canonizer, &graph, bits(64))).collect::<HashSet<_>>().len()
}

#[test]
fn small_graphs_have_the_same_form_exactly_if_some_permutation_makes_them_equal() {
    let random = &mut SplitMix64::new(1);
    let mut canonizer = Canonizer::new();
    let mut equal = 0;
    for trial in 0..6000 {
        let n = [1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7][trial % 12];
        let a = random_graph(n, random);
        let mut b = shuffled(&a, random);
        for _ in 0..trial % 3 {
            b = mutant(&b, random);
        }
        let expected = isomorphic_by_permutation(&a, &b);
        assert_eq!(isomorphic(&a, &b), expected, "the testers disagree on {a:?} and {b:?}");
        for hash_bits in [64, 2, 1] {
            let same = form(&mut canonizer, &a, bits(hash_bits)) == form(&mut canonizer, &b, bits(hash_bits));
            assert_eq!(same, expected, "{hash_bits} bits: {a:?} and {b:?}");
        }
        equal += usize::from(expected);
    }
    assert!((2000..4000).contains(&equal), "both cases should be common: {equal}");
}

#[test]
fn regular_graphs_have_the_same_form_exactly_if_they_are_isomorphic() {
    // Each node has one edge of each label in either direction: refinement sees nothing.
    let random = &mut SplitMix64::new(2);
    let mut canonizer = Canonizer::new();
    let mut equal = 0;
    for trial in 0..2000 {
        let n = 4 + trial % 9;
        let mut regular = || {
            let edges = (0..2).flat_map(|label| {
                let targets = random.permutation(n);
                (0..n as u32).map(move |source| (source, label, targets[source as usize]))
            });
            graph(&vec![0; n], &edges.collect::<Vec<_>>())
        };
        let (a, mut b) = (regular(), regular());
        if trial % 2 == 0 {
            b = shuffled(&a, random);
        }
        let expected = isomorphic(&a, &b);
        for hash_bits in [64, 1] {
            let same = form(&mut canonizer, &a, bits(hash_bits)) == form(&mut canonizer, &b, bits(hash_bits));
            assert_eq!(same, expected, "{hash_bits} bits: {a:?} and {b:?}");
        }
        equal += usize::from(expected);
    }
    assert!((1000..1600).contains(&equal), "both cases should be common: {equal}");
}

#[test]
fn mutants_of_graphs_of_middle_size_are_told_apart() {
    let random = &mut SplitMix64::new(3);
    let mut canonizer = Canonizer::new();
    let mut equal = 0;
    for _ in 0..1500 {
        let n = 8 + random.below(5);
        let a = random_graph(n, random);
        let b = mutant(&shuffled(&a, random), random);
        let expected = isomorphic(&a, &b);
        for hash_bits in [64, 2, 1] {
            let same = form(&mut canonizer, &a, bits(hash_bits)) == form(&mut canonizer, &b, bits(hash_bits));
            assert_eq!(same, expected, "{hash_bits} bits: {a:?} and {b:?}");
        }
        equal += usize::from(expected);
    }
    assert!(equal > 50, "mutants that are isomorphic should occur: {equal}");
}

#[test]
fn the_form_does_not_depend_on_names() {
    let random = &mut SplitMix64::new(4);
    for trial in 0..effort(800) {
        let n = 8 + random.below(33);
        let a = random_graph(n, random);
        check(&a, 3, bits(64), random);
        if trial % 4 == 0 && n < 20 {
            check(&a, 2, bits(2), random);
            check(&a, 2, bits(1), random);
        }
    }
}

#[test]
fn the_form_of_unions_of_copies_does_not_depend_on_names() {
    let random = &mut SplitMix64::new(5);
    for _ in 0..effort(300) {
        let size = 2 + random.below(6);
        let a = random_graph(size, random);
        let b = mutant(&a, random);
        let mut all = union(&[&a, &b, &a, &a, &b]);
        // Sometimes one node of each copy is in a set.
        if random.below(2) == 0 {
            let root = all.add_node(9);
            for i in 0..5 {
                all.add_edge(root, 7, (i * size) as u32);
            }
        }
        for hash_bits in [64, 2] {
            check(&all, 3, bits(hash_bits), random);
        }
    }
}

#[test]
fn edges_to_all_nodes_of_a_cell_are_no_reason_to_choose() {
    let random = &mut SplitMix64::new(6);
    // Complete graphs, with and without loops, and layers with all edges between neighbouring ones.
    for n in [2, 3, 7, 30] {
        let mut all = undirected(n, &complete(n));
        assert_eq!(check(&all, 2, bits(64), random).1, 0);
        (0..n as u32).for_each(|node| all.add_edge(node, 0, node));
        assert_eq!(check(&all, 2, bits(64), random).1, 0);
        check(&all, 2, bits(1), random);
    }
    let layers = |label: fn(u32) -> u32| {
        let edge = |i: u32| move |(a, b)| (2 * i + a, label(a ^ b), 2 * i + 2 + b);
        let edges = (0..400).flat_map(|i| [(0, 0), (0, 1), (1, 0), (1, 1)].map(edge(i)));
        graph(&[0; 802], &edges.collect::<Vec<_>>())
    };
    assert_eq!(check(&layers(|_| 0), 2, bits(64), random).1, 0);
    // Here one choice decides all layers.
    assert_eq!(check(&layers(|side| side), 2, bits(64), random).1, 2);
}

#[test]
fn an_edge_that_occurs_twice_is_not_an_edge_to_two_nodes() {
    let random = &mut SplitMix64::new(7);
    let twice = graph(&[0, 0, 1, 1], &[(0, 0, 2), (0, 0, 2), (1, 0, 3), (1, 0, 3)]);
    let both = graph(&[0, 0, 1, 1], &[(0, 0, 2), (0, 0, 3), (1, 0, 2), (1, 0, 3)]);
    let crossed = graph(&[0, 0, 1, 1], &[(0, 0, 3), (0, 0, 3), (1, 0, 2), (1, 0, 2)]);
    let forms = [twice, both, crossed].map(|graph| check(&graph, 5, bits(64), random).0);
    assert_ne!(forms[0], forms[1]);
    assert_eq!(forms[0], forms[2]);
}

#[test]
fn complete_multipartite_graphs_take_polynomially_many_nodes() {
    let random = &mut SplitMix64::new(8);
    // All edges but those between 2i and 2i + 1. Each pair is a choice, below those before it.
    for n in [10, 20, 40, 80] {
        let edges: Vec<_> = complete(n).into_iter().filter(|(a, b)| a / 2 != b / 2).collect();
        let nodes = check(&undirected(n, &edges), 2, bits(64), random).1;
        assert!(nodes <= (n * n / 4) as u64, "{nodes} nodes for {n}");
    }
}

#[test]
fn the_search_ends_where_recursion_would_be_too_deep() {
    let n = 540;
    let edges: Vec<_> = complete(n).into_iter().filter(|(a, b)| a / 2 != b / 2).collect();
    let graph = undirected(n, &edges);
    let (_, ordered) = order(&mut Canonizer::new(), &graph, Options { budget: 10_000, hash_bits: 64 });
    assert!(!ordered.canonical && ordered.nodes < 1000, "{ordered:?}");
}

#[test]
fn complements_of_cycles_keep_their_form_when_hashes_collide() {
    // Choices below choices: dense, connected, and no two nodes differ at first.
    let random = &mut SplitMix64::new(18);
    for _ in 0..effort(150) {
        let mut n = 0;
        let mut cycles = Vec::new();
        while n < 9 {
            let length = 3 + random.below(3);
            cycles.extend(cycle(length).into_iter().map(|(a, b)| (n + a.min(b), n + a.max(b))));
            n += length;
        }
        let edges: Vec<_> = complete(n).into_iter().filter(|edge| !cycles.contains(edge)).collect();
        for hash_bits in [64, 3, 1] {
            check(&undirected(n, &edges), 3, bits(hash_bits), random);
        }
    }
}

#[test]
fn rotated_graphs_keep_their_form_when_hashes_collide() {
    // Copies of a graph around a middle and linked in a ring: automorphisms that are known before the best
    // order is, and that do not preserve what is chosen later.
    let random = &mut SplitMix64::new(20);
    for _ in 0..effort(1500) {
        let (size, middle, copies) = (1 + random.below(4), 1 + random.below(4), 2 + random.below(3));
        let end = |node: usize, copy: usize| if node < middle { node } else { node + copy % copies * size };
        let mut edges = Vec::new();
        for _ in 0..random.below(4 * (size + middle)) {
            let (a, b) = (random.below(size + middle), random.below(size + middle));
            let shift = random.below(copies);
            let times = if a < middle && b < middle { 1 } else { copies };
            edges.extend((0..times).map(|copy| (end(a, copy), end(b, copy + shift))));
        }
        for hash_bits in [64, 2, 1] {
            check(&undirected(middle + copies * size, &edges), 4, bits(hash_bits), random);
        }
    }
}

#[test]
fn components_that_differ_in_labels_only_keep_their_form_when_hashes_collide() {
    let random = &mut SplitMix64::new(19);
    for _ in 0..effort(200) {
        let mut pairs = Graph::new();
        for _ in 0..12 {
            let (a, b) = (pairs.add_node(0), pairs.add_node(1 + random.below(4) as u64));
            pairs.add_edge(a, 0, b);
        }
        check(&pairs, 3, bits(1), random);
    }
}

#[test]
fn two_triangles_are_not_a_hexagon() {
    let random = &mut SplitMix64::new(9);
    let triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)];
    for make in [undirected, set_of_sets] {
        for hash_bits in [64, 2, 1] {
            let hexagon = check(&make(6, &cycle(6)), 5, bits(hash_bits), random);
            let triangles = check(&make(6, &triangles), 5, bits(hash_bits), random);
            assert_ne!(hexagon.0, triangles.0);
            assert!(hash_bits < 64 || hexagon.1 <= 10 && triangles.1 <= 10, "{} {}", hexagon.1, triangles.1);
        }
    }
}

#[test]
fn the_rook_graph_is_not_the_shrikhande_graph() {
    let random = &mut SplitMix64::new(10);
    for make in [undirected, set_of_sets] {
        for hash_bits in [64, 4] {
            let rook = check(&make(16, &rook()), 8, bits(hash_bits), random);
            let shrikhande = check(&make(16, &shrikhande()), 8, bits(hash_bits), random);
            assert_ne!(rook.0, shrikhande.0);
            println!("{hash_bits} bits: rook {} nodes, shrikhande {} nodes", rook.1, shrikhande.1);
            assert!(hash_bits < 64 || rook.1 <= 100 && shrikhande.1 <= 100, "{} {}", rook.1, shrikhande.1);
        }
    }
}

#[test]
fn cai_furer_immerman_pairs_are_told_apart() {
    let random = &mut SplitMix64::new(11);
    let prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)];
    let bipartite: Vec<_> = (0..3).flat_map(|a| (3..6).map(move |b| (a, b))).collect();
    for (n, base) in [(4, &complete(4)[..]), (6, &prism), (6, &bipartite)] {
        let straight = check(&cai_furer_immerman(n, base, false), 5, bits(64), random);
        let twisted = check(&cai_furer_immerman(n, base, true), 5, bits(64), random);
        assert_ne!(straight.0, twisted.0);
        println!("base of {n}: {} and {} nodes", straight.1, twisted.1);
        assert!(straight.1 <= 2000 && twisted.1 <= 2000);
    }
}

#[test]
fn crossed_sharing_is_told_apart() {
    // Threads with x and y, whose n is the same node; or crosswise the one of the other thread's.
    let random = &mut SplitMix64::new(12);
    let threads = |crossed: bool| {
        let c = |thread: u32| if crossed { [0, 2, 1, 3][thread as usize] } else { thread };
        let labels: Vec<u64> = [[1; 4], [2; 4], [2; 4], [3; 4]].concat();
        let edges =
            (0..4).flat_map(|i| [(i, 0, 4 + i), (i, 1, 8 + i), (4 + i, 2, 12 + i), (8 + i, 2, 12 + c(i))]);
        graph(&labels, &edges.collect::<Vec<_>>())
    };
    for hash_bits in [64, 2, 1] {
        let crossed = check(&threads(true), 10, bits(hash_bits), random);
        let straight = check(&threads(false), 10, bits(hash_bits), random);
        assert_ne!(crossed.0, straight.0);
    }
}

#[test]
fn rings_take_few_nodes_and_their_copies_as_many_each() {
    let random = &mut SplitMix64::new(13);
    let mut ring = Graph::new();
    for n in [3, 5, 10, 20, 50] {
        table(&vec![0; n], &vec![1; n], &mut ring);
        let nodes = check(&ring, 10, bits(64), random).1;
        assert!((2..=8).contains(&nodes), "{nodes} nodes for {n}");
        let copies = check(&union(&[&ring; 6]), 5, bits(64), random).1;
        assert!(copies <= 6 * 8, "{copies} nodes for 6 rings of {n}");
    }
    // A ring that can be turned over falls into two halves below a choice: exchanging them is a symmetry that
    // saves choices.
    let mut canonizer = Canonizer::new();
    let ring = undirected(24, &cycle(24));
    let nodes = (0..300).map(|_| canonizer.order(&shuffled(&ring, random), bits(64)).nodes);
    let nodes = nodes.sum::<u64>();
    assert!(nodes <= 3 * 300, "{nodes} nodes for 300 rings");
}

#[test]
fn forests_and_private_heaps_need_no_choice() {
    let random = &mut SplitMix64::new(14);
    assert_eq!(check(&private_heaps(30), 3, bits(64), random).1, 0);
    assert_eq!(check(&list(500), 2, bits(64), random).1, 0);
    assert_eq!(check(&union(&[&list(50); 8]), 2, bits(64), random).1, 0);
    // A complete ternary tree whose children are sets.
    let tree = graph(&[0; 364], &(1..364).map(|i| ((i - 1) / 3, 0, i)).collect::<Vec<_>>());
    assert_eq!(check(&tree, 3, bits(64), random).1, 0);
    check(&private_heaps(5), 3, bits(1), random);
}

#[test]
fn large_graphs() {
    let random = &mut SplitMix64::new(15);
    assert_eq!(check(&list(100_000), 1, bits(64), random).1, 0);
    assert_eq!(check(&private_heaps(20_000), 1, bits(64), random).1, 0);
    assert_eq!(check(&union(&[&list(30_000), &list(30_000)]), 1, bits(64), random).1, 0);
    let n = 100_000;
    let edges: Vec<_> = (0..2 * n).map(|i| (i / 2, i % 2, random.below(n as usize) as u32)).collect();
    let sparse = graph(&vec![0; n as usize], &edges);
    check(&sparse, 1, bits(64), random);
}

#[test]
fn an_exhausted_budget_leaves_an_order_and_says_so() {
    let random = &mut SplitMix64::new(16);
    let mut canonizer = Canonizer::new();
    let instances = [
        set_of_sets(16, &rook()),
        set_of_sets(16, &shrikhande()),
        cai_furer_immerman(
            6,
            &cycle(6).into_iter().chain([(0, 3), (1, 4), (2, 5)]).collect::<Vec<_>>(),
            true,
        ),
        union(&[&undirected(5, &cycle(5)); 4]),
    ];
    for instance in instances {
        let whole = canonizer.order(&instance, bits(64)).nodes;
        for budget in (0..whole).step_by(1 + whole as usize / 20) {
            let options = Options { budget, hash_bits: 64 };
            let copy = shuffled(&instance, random);
            let (form, ordered) = order(&mut canonizer, &copy, options);
            assert!(ordered.nodes <= budget + 40, "{ordered:?} with a budget of {budget}");
            assert_eq!(order(&mut canonizer, &copy, options), (form, ordered), "not deterministic");
            if budget < 2 {
                assert!(!ordered.canonical && ordered.searched);
            }
        }
        // Without ties, no budget is needed.
        let (_, ordered) = order(&mut canonizer, &list(10), Options { budget: 0, hash_bits: 64 });
        assert_eq!(ordered, Ordered { canonical: true, searched: false, nodes: 0 });
    }
}

#[test]
fn what_was_ordered_before_leaves_no_trace() {
    let random = &mut SplitMix64::new(17);
    let mut used = Canonizer::new();
    for _ in 0..effort(300) {
        let n = random.below(30);
        let graph = if n == 0 { Graph::new() } else { random_graph(n, random) };
        let options = Options { budget: random.below(4) as u64, hash_bits: 1 + random.below(64) as u32 };
        let expected = order(&mut Canonizer::new(), &graph, options);
        assert_eq!(order(&mut used, &graph, options), expected);
    }
}

#[test]
fn there_are_as_many_graphs_as_polya_says() {
    let subsets = |n: usize, pairs: Vec<(usize, usize)>, make: fn(usize, &[(usize, usize)]) -> Graph| {
        (0..1 << pairs.len()).map(move |set: usize| {
            let chosen = pairs.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            make(n, &chosen.map(|(_, &pair)| pair).collect::<Vec<_>>())
        })
    };
    for (n, expected) in [(1, 1), (2, 2), (3, 4), (4, 11), (5, 34), (6, 156)] {
        let pairs = complete(n);
        assert_eq!(classes(subsets(n, pairs.clone(), undirected)), expected);
        if n < 6 {
            assert_eq!(classes(subsets(n, pairs, set_of_sets)), expected);
        }
    }
    // Relations: directed, with loops.
    let relation = |n: usize, pairs: &[(usize, usize)]| {
        graph(&vec![0; n], &pairs.iter().map(|&(a, b)| (a as u32, 0, b as u32)).collect::<Vec<_>>())
    };
    for (n, expected) in [(1, 2), (2, 10), (3, 104), (4, 3044)] {
        let pairs: Vec<_> = (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).collect();
        assert_eq!(classes(subsets(n, pairs, relation)), expected);
    }
}

fn totient(n: usize) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    (1..=n).filter(|&i| divisor(i, n) == 1).count()
}

/// The number of orbits under the rotations of n places, if `fixed(k)` arrangements have period k.
fn by_rotation(n: usize, fixed: impl Fn(usize) -> usize) -> usize {
    (1..=n).filter(|&d| n.is_multiple_of(d)).map(|d| totient(d) * fixed(n / d)).sum::<usize>() / n
}

#[test]
fn there_are_as_many_necklaces_as_burnside_says() {
    for (n, colours) in [(3, 4usize), (4, 3), (6, 3), (9, 2), (12, 2)] {
        let arrangements = || {
            (0..colours.pow(n as u32)).map(move |mut number: usize| {
                let beads = (0..n).map(move |_| {
                    let bead = number % colours;
                    number /= colours;
                    bead as u64
                });
                beads.collect::<Vec<_>>()
            })
        };
        let directed: Vec<_> = cycle(n).iter().map(|&(a, b)| (a as u32, 0, b as u32)).collect();
        let necklaces = by_rotation(n, |k| colours.pow(k as u32));
        assert_eq!(classes(arrangements().map(|beads| graph(&beads, &directed))), necklaces);
        // Bracelets can be turned over.
        let both: Vec<_> = directed.iter().flat_map(|&(a, _, b)| [(a, 0, b), (b, 0, a)]).collect();
        let power = |k: usize| colours.pow(k as u32);
        let reflected = if n % 2 == 1 { 2 * power(n / 2 + 1) } else { power(n / 2) + power(n / 2 + 1) };
        assert_eq!(
            classes(arrangements().map(|beads| graph(&beads, &both))),
            (2 * necklaces + reflected) / 4
        );
    }
}

#[test]
fn there_are_as_many_tables_of_philosophers_as_burnside_says() {
    // A philosopher takes the left fork, then the right one, then puts the right one back, then the left one.
    fn step(places: &[u64], i: usize) -> Option<u64> {
        let n = places.len();
        match places[i] {
            0 => (places[(i + n - 1) % n] != 2).then_some(1),
            1 => (places[(i + 1) % n] == 0).then_some(2),
            2 => Some(3),
            _ => Some(0),
        }
    }
    let mut canonizer = Canonizer::new();
    let mut graph = Graph::new();
    for n in [3, 5, 7, 10] {
        let mut canonical = |places: &[u64]| {
            let held = |i: usize| u64::from(places[i] >= 1 || places[(i + n - 1) % n] == 2);
            let philosophers: Vec<u64> = places.iter().map(|place| 10 + place).collect();
            table(&philosophers, &(0..n).map(held).collect::<Vec<_>>(), &mut graph);
            form(&mut canonizer, &graph, Options::default())
        };
        let mut seen = HashSet::from([canonical(&vec![0; n])]);
        let mut open = vec![vec![0; n]];
        while let Some(places) = open.pop() {
            for i in 0..n {
                let Some(next) = step(&places, i) else { continue };
                let mut places = places.clone();
                places[i] = next;
                if seen.insert(canonical(&places)) {
                    open.push(places);
                }
            }
        }
        let states = |k: usize| (1..k).fold((2, 3), |(a, b), _| (b, 3 * b + a)).1;
        assert_eq!(seen.len(), by_rotation(n, states) - 1, "{n} philosophers");
    }
}

#[test]
fn colourings_of_a_triangle_with_abstract_colours() {
    // A map from three sides to two colours, as maplets; neither sides nor colours have names.
    let maps = (0..27usize).map(|number| {
        let colour = |side: usize| [None, Some(0u32), Some(1)][number / 3usize.pow(side as u32) % 3];
        let mut graph = Graph::new();
        let colours = [graph.add_node(2), graph.add_node(2)];
        for side in 0..3 {
            let side_node = graph.add_node(1);
            if let Some(colour) = colour(side) {
                let maplet = graph.add_node(3);
                graph.add_edge(maplet, 0, side_node);
                graph.add_edge(maplet, 1, colours[colour as usize]);
            }
        }
        graph
    });
    assert_eq!(classes(maps), 6);
}
