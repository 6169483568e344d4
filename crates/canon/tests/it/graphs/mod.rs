//! Graphs to try: random ones, and families whose symmetries are known.

use quotient_canon::Graph;
use testing::SplitMix64;

/// A graph from its labels and edges.
pub fn graph(labels: &[u64], edges: &[(u32, u32, u32)]) -> Graph {
    let mut graph = Graph::new();
    for &label in labels {
        graph.add_node(label);
    }
    for &(source, label, target) in edges {
        graph.add_edge(source, label, target);
    }
    graph
}

/// The same graph with node v renamed to `permutation[v]` and the edges in another order.
pub fn renamed(old: &Graph, permutation: &[u32], random: &mut SplitMix64) -> Graph {
    let mut labels = vec![0; old.len()];
    for (node, &label) in old.labels().iter().enumerate() {
        labels[permutation[node] as usize] = label;
    }
    let to = |node: u32| permutation[node as usize];
    let edges = old.edges();
    let order = random.permutation(edges.len());
    let edges: Vec<_> = order
        .iter()
        .map(|&i| edges[i as usize])
        .map(|edge| (to(edge.source), edge.label, to(edge.target)))
        .collect();
    graph(&labels, &edges)
}

pub fn shuffled(old: &Graph, random: &mut SplitMix64) -> Graph {
    let permutation = random.permutation(old.len());
    renamed(old, &permutation, random)
}

/// Several graphs next to each other.
pub fn union(parts: &[&Graph]) -> Graph {
    let (mut labels, mut edges) = (Vec::new(), Vec::new());
    for part in parts {
        let base = labels.len() as u32;
        labels.extend(part.labels());
        let moved = part.edges().iter().map(|edge| (base + edge.source, edge.label, base + edge.target));
        edges.extend(moved);
    }
    graph(&labels, &edges)
}

/// The kinds of edges that states have: fields (at most one of each label a node) and members of collections.
pub fn random_graph(n: usize, random: &mut SplitMix64) -> Graph {
    let kinds = [1, 1, 2][random.below(3)];
    let labels: Vec<u64> = (0..n).map(|_| random.below(kinds) as u64).collect();
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for _ in 0..random.below(3 * n + 1) {
        let (source, target) = (random.below(n) as u32, random.below(n) as u32);
        let label = random.below(3) as u32;
        let occurs = |edge: &(u32, u32, u32)| edge.0 == source && edge.1 == label;
        let member = label == 2 && (random.below(10) == 0 || !edges.contains(&(source, label, target)));
        if member || label < 2 && !edges.iter().any(occurs) {
            edges.push((source, label, target));
        }
    }
    graph(&labels, &edges)
}

/// Each edge in both directions.
pub fn undirected(n: usize, edges: &[(usize, usize)]) -> Graph {
    let both = edges.iter().flat_map(|&(a, b)| [(a as u32, 0, b as u32), (b as u32, 0, a as u32)]);
    graph(&vec![0; n], &both.collect::<Vec<_>>())
}

/// A set of vertices and a set of sets of two vertices, both members of one root.
pub fn set_of_sets(n: usize, edges: &[(usize, usize)]) -> Graph {
    let mut labels = vec![0];
    labels.extend(vec![1; n]);
    labels.extend(vec![2; edges.len()]);
    let mut links: Vec<_> = (1..=n as u32).map(|vertex| (0, 0, vertex)).collect();
    for (i, &(a, b)) in edges.iter().enumerate() {
        let set = (1 + n + i) as u32;
        links.extend([(0, 1, set), (set, 2, 1 + a as u32), (set, 2, 1 + b as u32)]);
    }
    graph(&labels, &links)
}

pub fn cycle(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|i| (i, (i + 1) % n)).collect()
}

pub fn complete(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
}

/// The 4×4 rook's graph: 16 fields, 48 pairs in the same row or column.
pub fn rook() -> Vec<(usize, usize)> {
    complete(16).into_iter().filter(|(a, b)| a / 4 == b / 4 || a % 4 == b % 4).collect()
}

/// The Shrikhande graph: strongly regular with the same parameters as the rook's graph, but another graph.
pub fn shrikhande() -> Vec<(usize, usize)> {
    let near = |(a, b): &(usize, usize)| {
        let step = ((4 + a / 4 - b / 4) % 4, (4 + a % 4 - b % 4) % 4);
        [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&step)
    };
    complete(16).into_iter().filter(near).collect()
}

/// The graph of Cai, Fürer and Immerman over a graph of degree 3, with one edge twisted or none: refinement
/// sees no difference between the two, of which no renaming makes the other.
pub fn cai_furer_immerman(n: usize, base: &[(usize, usize)], twisted: bool) -> Graph {
    let mut edges = Vec::new();
    let mut size = 0;
    // By vertex and neighbour: the two nodes that stand for the edge at that end.
    let mut ends = vec![Vec::new(); n];
    for (vertex, ends) in ends.iter_mut().enumerate() {
        let neighbours: Vec<usize> = base
            .iter()
            .filter_map(|&(a, b)| [(a, b), (b, a)].into_iter().find(|end| end.0 == vertex))
            .map(|end| end.1)
            .collect();
        for &neighbour in &neighbours {
            ends.push((neighbour, [size, size + 1]));
            size += 2;
        }
        for even in (0..1usize << neighbours.len()).filter(|set| set.count_ones() % 2 == 0) {
            edges.extend(ends.iter().enumerate().map(|(i, (_, pair))| (size, pair[even >> i & 1])));
            size += 1;
        }
    }
    let end = |vertex: usize, neighbour: usize| {
        ends[vertex].iter().find(|end| end.0 == neighbour).expect("an edge of the base").1
    };
    for (i, &(a, b)) in base.iter().enumerate() {
        let (at_a, at_b) = (end(a, b), end(b, a));
        let twist = usize::from(twisted && i == 0);
        edges.extend([(at_a[0], at_b[twist]), (at_a[1], at_b[1 - twist])]);
    }
    undirected(size, &edges)
}

/// Philosophers around a table and the forks between them, with the given labels.
pub fn table(philosophers: &[u64], forks: &[u64], graph: &mut Graph) {
    let n = philosophers.len() as u32;
    graph.clear();
    for &label in philosophers.iter().chain(forks) {
        graph.add_node(label);
    }
    for i in 0..n {
        graph.add_edge(i, 0, n + i);
        graph.add_edge(i, 1, n + (i + 1) % n);
    }
}

/// A linked list.
pub fn list(n: usize) -> Graph {
    graph(&vec![0; n], &(1..n as u32).map(|i| (i - 1, 0, i)).collect::<Vec<_>>())
}

/// Threads, each with a small heap of its own of four nodes.
pub fn private_heaps(threads: usize) -> Graph {
    let thread = graph(&[1, 2, 2, 2, 2], &[(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 1), (3, 1, 4), (0, 1, 4)]);
    union(&vec![&thread; threads])
}
