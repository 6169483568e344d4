//! Tours: tests that together take each edge of a graph, as cheaply as possible.
//!
//! A test begins at the start and ends where a run may end. Its steps cost 1 each, and that there is one more
//! test costs what a reset costs. With an edge from each possible end back to the start this is the postman's
//! problem for directed graphs (Edmonds and Johnson, "Matching, Euler tours and the Chinese postman", 1973):
//! how often each edge is taken is a flow of least cost in which each is taken once, and the tour is an Euler
//! circuit. The flow is found by shortest augmenting paths with potentials.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A graph in which every edge is to be taken. All edges can be reached from the start, and an end from all of them.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub vertices: usize,
    pub edges: Vec<(usize, usize)>,
    pub start: usize,
    /// By vertex: whether a test may end here.
    pub ends: Vec<bool>,
    /// The cost of a test, beside its steps.
    pub reset: u64,
}

/// An arc of the network: edges, and how tests end and begin again.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: usize,
    to: usize,
    cost: i64,
    /// How often it is taken beyond what must be.
    flow: i64,
}

impl Graph {
    /// Tests as lists of edges, of least cost. Without edges, one empty test if it may end at the start.
    pub fn tour(&self) -> Vec<Vec<usize>> {
        // A test that has ended is at the hub, from which there is one way: the reset.
        let hub = self.vertices;
        let reset = Arc { from: hub, to: self.start, cost: self.reset as i64, flow: 0 };
        let mut arcs: Vec<Arc> =
            self.edges.iter().map(|&(from, to)| Arc { from, to, cost: 1, flow: 0 }).chain([reset]).collect();
        let required = arcs.len();
        let ends = (0..self.vertices).filter(|&vertex| self.ends[vertex]);
        arcs.extend(ends.map(|from| Arc { from, to: hub, cost: 0, flow: 0 }));
        // All edges and one reset must be taken once: then this many arrive more often than they leave.
        let mut excess = vec![0_i64; self.vertices + 1];
        for arc in &arcs[..required] {
            excess[arc.to] += 1;
            excess[arc.from] -= 1;
        }
        balance(&mut arcs, &mut excess);
        for arc in &mut arcs[..required] {
            arc.flow += 1;
        }
        self.circuit(&arcs, required - 1)
    }

    /// An Euler circuit, cut at resets.
    fn circuit(&self, arcs: &[Arc], reset: usize) -> Vec<Vec<usize>> {
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); self.vertices + 1];
        for (number, arc) in arcs.iter().enumerate().rev() {
            out[arc.from].extend(std::iter::repeat_n(number, arc.flow as usize));
        }
        // Hierholzer's algorithm, from right after a reset.
        let (mut stack, mut circuit) = (vec![(self.start, None)], Vec::new());
        while let Some(&(vertex, by)) = stack.last() {
            if let Some(arc) = out[vertex].pop() {
                stack.push((arcs[arc].to, Some(arc)));
            } else {
                circuit.extend(by);
                stack.pop();
            }
        }
        circuit.reverse();
        // The circuit is closed: what comes before the first reset belongs to what comes after the last.
        let first = circuit.iter().position(|&arc| arc == reset).map_or(0, |at| at + 1);
        circuit.rotate_left(first);
        let tests = circuit.split(|&arc| arc == reset);
        let mut tests: Vec<Vec<usize>> =
            tests.map(|test| test.iter().copied().filter(|&arc| arc < self.edges.len()).collect()).collect();
        // Nothing comes after the last reset.
        tests.pop();
        tests
    }
}

/// Sends what arrives too often to where too little arrives, on cheapest ways.
fn balance(arcs: &mut [Arc], excess: &mut [i64]) {
    let vertices = excess.len();
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    let mut backward: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for (number, arc) in arcs.iter().enumerate() {
        forward[arc.from].push(number);
        backward[arc.to].push(number);
    }
    let mut potential = vec![0_i64; vertices];
    while excess.iter().any(|&excess| excess > 0) {
        // Distances from all vertices with an excess, by costs that potentials keep from being negative: they are the
        // distances of the round before.
        let mut distance = vec![i64::MAX; vertices];
        let mut by: Vec<Option<(usize, bool)>> = vec![None; vertices];
        let mut heap = BinaryHeap::new();
        for vertex in (0..vertices).filter(|&vertex| excess[vertex] > 0) {
            distance[vertex] = -potential[vertex];
            heap.push(Reverse((distance[vertex], vertex)));
        }
        while let Some(Reverse((reached, vertex))) = heap.pop() {
            if reached > distance[vertex] {
                continue;
            }
            let ahead = forward[vertex].iter().map(|&arc| (arc, true, arcs[arc].to, arcs[arc].cost));
            let back = backward[vertex].iter().filter(|&&arc| arcs[arc].flow > 0);
            let back = back.map(|&arc| (arc, false, arcs[arc].from, -arcs[arc].cost));
            for (arc, is_ahead, next, cost) in ahead.chain(back) {
                let length = reached + cost + potential[vertex] - potential[next];
                if length < distance[next] {
                    distance[next] = length;
                    by[next] = Some((arc, is_ahead));
                    heap.push(Reverse((length, next)));
                }
            }
        }
        let targets = (0..vertices).filter(|&vertex| excess[vertex] < 0 && distance[vertex] < i64::MAX);
        let target = targets.min_by_key(|&vertex| distance[vertex] + potential[vertex]);
        let target = target.expect("an end can be reached from everywhere, and everything from the start");
        let farthest = distance.iter().copied().filter(|&length| length < i64::MAX).max().unwrap_or(0);
        for (potential, length) in potential.iter_mut().zip(&distance) {
            *potential += (*length).min(farthest);
        }
        let (mut way, mut at) = (Vec::new(), target);
        while let Some((arc, is_ahead)) = by[at] {
            way.push((arc, is_ahead));
            at = if is_ahead { arcs[arc].from } else { arcs[arc].to };
        }
        let of_arcs = way.iter().filter(|(_, is_ahead)| !is_ahead).map(|&(arc, _)| arcs[arc].flow).min();
        let amount = excess[at].min(-excess[target]).min(of_arcs.unwrap_or(i64::MAX));
        for (arc, is_ahead) in way {
            arcs[arc].flow += if is_ahead { amount } else { -amount };
        }
        excess[at] -= amount;
        excess[target] += amount;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bits::SplitMix64;

    use super::*;

    /// The cost of the cheapest tests that take all edges, by trying: the states are the vertex and the edges that were
    /// taken.
    fn cheapest(graph: &Graph) -> u64 {
        let all = (1_u32 << graph.edges.len()) - 1;
        let mut heap = BinaryHeap::from([Reverse((0, graph.start, 0_u32))]);
        let mut best: BTreeMap<(usize, u32), u64> = BTreeMap::new();
        while let Some(Reverse((cost, at, taken))) = heap.pop() {
            if best.get(&(at, taken)).is_some_and(|&known| known <= cost) {
                continue;
            }
            best.insert((at, taken), cost);
            // The hub.
            if at == graph.vertices {
                if taken == all {
                    return cost;
                }
                heap.push(Reverse((cost, graph.start, taken)));
                continue;
            }
            if graph.ends[at] {
                heap.push(Reverse((cost + graph.reset, graph.vertices, taken)));
            }
            for (number, &(_, to)) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.0 == at) {
                heap.push(Reverse((cost + 1, to, taken | 1 << number)));
            }
        }
        panic!("the edges cannot be taken: {graph:?}")
    }

    /// Whether what the tour needs is so.
    fn is_live(graph: &Graph) -> bool {
        let reach = |from: usize| {
            let (mut seen, mut left) = (vec![false; graph.vertices], vec![from]);
            while let Some(at) = left.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    left.extend(graph.edges.iter().filter(|edge| edge.0 == at).map(|edge| edge.1));
                }
            }
            seen
        };
        let from_start = reach(graph.start);
        (0..graph.vertices).all(|vertex| {
            from_start[vertex] && reach(vertex).iter().zip(&graph.ends).any(|(is, end)| *is && *end)
        })
    }

    #[test]
    fn tours_of_random_graphs_are_the_cheapest() {
        let mut random = SplitMix64::new(22);
        let (mut looked_at, mut with_several) = (0, 0);
        while looked_at < 400 {
            let vertices = random.between(1, 5) as usize;
            let edges =
                (0..random.below(9)).map(|_| (random.below(vertices), random.below(vertices))).collect();
            let ends = (0..vertices).map(|_| random.below(2) == 0).collect();
            let graph = Graph { vertices, edges, start: 0, ends, reset: [0, 1, 3, 10][random.below(4)] };
            if !is_live(&graph) {
                continue;
            }
            looked_at += 1;
            let tests = graph.tour();
            let mut taken = vec![false; graph.edges.len()];
            for test in &tests {
                let mut at = graph.start;
                for &edge in test {
                    assert_eq!(graph.edges[edge].0, at, "{graph:?} {tests:?}");
                    at = graph.edges[edge].1;
                    taken[edge] = true;
                }
                assert!(graph.ends[at], "{graph:?} {tests:?}");
            }
            assert!(taken.iter().all(|is_taken| *is_taken), "{graph:?} {tests:?}");
            let steps: usize = tests.iter().map(Vec::len).sum();
            let cost = steps as u64 + graph.reset * tests.len() as u64;
            assert_eq!(cost, cheapest(&graph), "{graph:?} {tests:?}");
            with_several += usize::from(tests.len() > 1);
        }
        assert!(with_several > 20, "{with_several}");
    }
}
